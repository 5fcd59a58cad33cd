"""Columns of `datasets` go by the names of their classes, whatever their numbers, on every path.

Covers src: tables/label_options.py.
"""

import inspect
import json

import numpy as np
import pytest
from datasets import ClassLabel, Dataset, Features, Value

from informedness import (
    Tally,
    compare,
    ema_score,
    entropy_triangle,
    estimate,
    informedness_score,
    leaderboard,
    markedness_score,
    nit_score,
    report,
    slices,
    table_from_file,
    table_from_frame,
)
from inputs.frame_cases import COLUMNS

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
NAMES = ["entailment", "neutral", "contradiction"]
DRAWN = np.random.default_rng(3)
GOLD = DRAWN.integers(0, 3, 60)
GUESS = np.where(DRAWN.random(60) < 0.3, DRAWN.integers(0, 3, 60), GOLD)
WORDS, GUESSED = ([NAMES[x] for x in side] for side in (GOLD, GUESS))
PRIOR = {"entailment": 0.2, "neutral": 0.3, "contradiction": 0.5}
BY_NAME = {"ignore_index": NAMES[1], "labels": NAMES, "prior": PRIOR}
BY_POSITION = {"ignore_index": np.int64(1), "labels": [0, 1, 2], "prior": {0: 0.2, 1: 0.3, 2: 0.5}}


def dataset_of(gold=GOLD, guess=GUESS):
    """Return references, predictions with the same names and other numbers, and plain positions."""
    features = Features(
        gold=ClassLabel(names=NAMES), model=ClassLabel(names=NAMES[::-1]), plain=Value("int64")
    )
    columns = {"gold": gold, "model": [2 - x if x >= 0 else -1 for x in guess], "plain": guess}
    return Dataset.from_dict(columns, features=features)


def plain(result):
    return json.dumps(result.to_dict() if hasattr(result, "to_dict") else result)


SCORES = [
    informedness_score,
    markedness_score,
    nit_score,
    ema_score,
    entropy_triangle,
    estimate,
    report,
    lambda *sides, **how: estimate(*sides, groups=np.arange(60) % 20, **how),
    lambda *sides, **how: slices(*sides, by=np.arange(60) % 2, **how),
    lambda r, p, **how: leaderboard(r, {"a": p, "b": [WORDS[0]] * 60}, **how),
    lambda r, p, **how: leaderboard(r, {"a": [r, p], "b": [p, p]}, **how),
    lambda r, p, prior=None, **how: compare(r, [WORDS[0]] * 60, p, prior=prior, **how),
    lambda *sides, **how: informedness_score(*sides, average=None, **how),
]


@pytest.mark.parametrize("score", SCORES)
def test_class_names_take_integers_as_positions(score):
    data = dataset_of()
    has_prior = "prior" in inspect.signature(score).parameters
    for option in (None, "ignore_index", "labels", *["prior"] * has_prior):
        named, at = ({x: how[x] for x in how if x == option} for how in (BY_NAME, BY_POSITION))
        expected = plain(score(WORDS, GUESSED, **named))
        for predictions in (data["model"], data["plain"], GUESS, GUESSED):
            assert plain(score(data["gold"], predictions, **named)) == expected, option
            assert plain(score(data["gold"], predictions, **at)) == expected, option
        in_its_numbers = 2 - GOLD  # beside the predictions alone
        assert plain(score(in_its_numbers, data["model"], **named)) == expected, option


def test_frames_tallies_and_files_hold_class_names(tmp_path):
    data, expected = dataset_of(), informedness_score(WORDS, GUESSED)
    data.to_parquet(tmp_path / "d.parquet")
    frame = data.with_format("arrow")[:]
    tally = Tally()
    tally.update(references=data["gold"], predictions=data["model"])
    path, plain = tmp_path / "d.parquet", COLUMNS | {"predictions": "plain"}
    for table in (
        tally.table,
        *(table_from_frame(x, **names) for x in (data, frame) for names in (COLUMNS, plain)),
        *(table_from_file(path, **names) for names in (COLUMNS, plain)),
        table_from_file(path, **COLUMNS, labels=[0, 1, 2]),
    ):
        assert sorted(table.labels) == sorted(NAMES)
        assert table.informedness() == pytest.approx(expected, rel=1e-12)
    ignored = table_from_file(path, **COLUMNS, ignore_index=1)
    assert ignored.informedness() == informedness_score(WORDS, GUESSED, ignore_index=NAMES[1])
    assert [label for label, _ in ignored.read[0].columns[0].labels] == [NAMES[0], NAMES[2]]


def test_minus_one_is_a_missing_label(tmp_path):
    how, path = {"labels": [0, 1, 2], "unknown": "wrong"}, tmp_path / "d.parquet"
    lacking = dataset_of(guess=[*GUESS[:5], -1, *GUESS[6:]])
    lacking.to_parquet(path)
    words = [*GUESSED[:5], None, *GUESSED[6:]]
    expected = informedness_score(WORDS, words, labels=NAMES, unknown="wrong")
    for predictions in ("model", "plain"):
        columns = COLUMNS | {"predictions": predictions}
        assert informedness_score(lacking["gold"], lacking[predictions], **how) == expected
        with pytest.raises(ValueError, match=r'None at position 5: .*pass unknown="wrong"'):
            informedness_score(lacking["gold"], lacking[predictions])
        for table_from, given in ((table_from_frame, lacking), (table_from_file, path)):
            assert table_from(given, **columns, **how).informedness() == expected
            with pytest.raises(
                ValueError, match=r'in 1 of 60 rows of column .*ith unknown="wrong"'
            ):
                table_from(given, **columns)
    unlabelled = dataset_of(gold=[*GOLD[:5], -1, *GOLD[6:]])
    with pytest.raises(ValueError, match=r"`y_true` must hold labels .* None at position 5"):
        nit_score(unlabelled["gold"], unlabelled["model"], **how)
    with pytest.raises(ValueError, match="in 1 of 60 rows of column 'gold'"):
        table_from_frame(unlabelled, **COLUMNS, **how)
