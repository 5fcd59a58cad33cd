"""Leaderboards: models in the order of their scores, each with the ranks that it may have.

Covers src: results/leaderboard.py.
"""

import itertools
import json
import statistics
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest

from informedness import compare, estimate, informedness_score, leaderboard
from informedness.inference.significance import holm

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
N = 300
REFERENCES = np.random.default_rng(0).integers(0, 3, N)


def answers(ability, seed):
    rng = np.random.default_rng(seed)
    return np.where(rng.random(N) < ability, REFERENCES, rng.integers(0, 3, N))


MODELS = {"a": answers(0.3, 1), "b": answers(0.8, 2), "c": answers(0.35, 3), "d": answers(0.9, 4)}


def test_models_of_one_name_are_refused_by_the_argument():
    with pytest.raises(ValueError, match=r"`y_pred` must name each model once, got '1' twice"):
        leaderboard(REFERENCES, {1: MODELS["a"], "1": MODELS["b"]})


def test_rankings_agree_with_estimate_and_compare():
    board = leaderboard(REFERENCES, MODELS)
    values = [model.value for model in board.models]
    assert values == sorted(values, reverse=True)
    for model in board.models:
        assert model.estimate == estimate(REFERENCES, MODELS[model.name])
    pairs = itertools.combinations([model.name for model in board.models], 2)
    assert [*board.comparisons] == [(worse, better) for better, worse in pairs]
    for (worse, better), comparison in board.comparisons.items():
        alone = compare(REFERENCES, MODELS[worse], MODELS[better])
        assert comparison == replace(alone, prevalence=None)
        assert comparison.difference >= 0
    corrected = holm([x.p_value for x in board.comparisons.values()])
    assert [*board.p_values.values()] == corrected
    names = [model.name for model in board.models]
    to_next = [board.p_values[worse, better] for better, worse in itertools.pairwise(names)]
    assert [row["p_value_to_next"] for row in board.records()] == [*to_next, None]


def test_ranks_count_models_shown_better_and_worse():
    abilities = {"best": 1.0, **{f"m{i}": 0.5 for i in range(10)}, "guesser": 0.0}
    models = {name: answers(x, seed) for seed, (name, x) in enumerate(abilities.items())}
    board = leaderboard(REFERENCES, models)
    assert [model.rank_range for model in board.models] == ["1", *["2 to 11"] * 10, "12"]

    ranks = [(x["best_rank"], x["worst_rank"]) for x in board.records()]
    assert ranks == [(1, 1), *[(2, 11)] * 10, (12, 12)]


def test_several_runs_give_the_spread_over_seeds():
    runs = {"a": [answers(0.4, x) for x in (1, 2, 3)], "b": [answers(0.7, x) for x in (4, 5, 6)]}
    weights = np.random.default_rng(0).random(N)
    board = leaderboard(REFERENCES, runs, sample_weight=pa.array(weights))
    for model in board.models:
        of_model = runs[model.name]
        values = [informedness_score(REFERENCES, run, sample_weight=weights) for run in of_model]
        assert model.runs == pytest.approx(values, abs=1e-12)
        assert model.run_deviation == pytest.approx(statistics.stdev(values), abs=1e-12)
        # three answers to a sample are not three samples
        pooled = np.tile(REFERENCES, 3), np.concatenate(of_model)
        how = {"groups": np.tile(np.arange(N), 3), "sample_weight": np.tile(weights, 3)}
        assert model.estimate == estimate(*pooled, **how)
        assert f"± {model.run_deviation:.4f} (3)" in str(board)
    (made,) = board.comparisons.values()
    best, other = board.models
    assert made.difference == pytest.approx(best.value - other.value, abs=1e-12)


def test_pairs_that_are_not_tested_have_no_p_value_in_json():
    board = leaderboard(REFERENCES, MODELS, groups=np.arange(N) % 4)
    plain = json.loads(json.dumps(board.to_dict(), allow_nan=False))
    assert {row["p_value_to_next"] for row in plain["models"]} == {None}
    assert {pair["p_value_holm"] for pair in plain["comparisons"]} == {None}


def test_a_list_of_labels_is_one_run_whatever_they_are():
    for each in (np.array, int):
        board = leaderboard(REFERENCES, {"a": [*map(each, MODELS["a"].tolist())]})
        assert board.models[0].estimate == estimate(REFERENCES, MODELS["a"])


def test_models_with_unequal_runs_are_refused():
    for models, said in (
        ({}, "`y_pred` must be a dict or data frame"),
        ([*MODELS.values()], "`y_pred` must be a dict or data frame"),
        ({"a": [*MODELS.values()], "b": [MODELS["b"]]}, r"runs .* got {'a': 4, 'b': 1}"),
        ({np.int64(2): MODELS["a"], "2": MODELS["b"]}, "name each model once, got '2' twice"),
    ):
        with pytest.raises(ValueError, match=said):
            leaderboard(REFERENCES, models)


def test_equal_models_keep_the_given_order():
    rng, references = np.random.default_rng(1), np.tile(np.arange(5), 40)
    answers = rng.integers(0, 5, 200)
    answers = np.where(rng.random(200) < 0.5, references, answers)
    renamed, runs = np.array([3, 0, 4, 2, 1])[answers], [answers, np.roll(answers, 5), references]
    for models in (
        {"plain": answers, "renamed": renamed},
        {"renamed": renamed, "plain": answers},
        {"first": runs, "second": runs[::-1], "third": [runs[1], runs[2], runs[0]]},
    ):
        board = leaderboard(references, models, metric="nit")
        assert [model.name for model in board.models] == [*models]
        assert board.text_tables()[1][1][1] == "+0.0000"
        assert {made.p_value for made in board.comparisons.values()} == {1}


def test_guessing_is_a_row_of_the_ranking():
    board = leaderboard(REFERENCES, MODELS, average="prevalence")
    head, *rows = board.text_tables()[0]
    assert head[:2] == ["model", "Informedness (prevalence)"]
    row = dict(zip(head, rows[-1], strict=True))
    share = np.bincount(REFERENCES).max() / N
    assert (row["model"], row[head[1]], row["accuracy"]) == ("guessing", "0.0000", f"{share:.4f}")


def test_an_undefined_score_is_none_in_records():
    (record,) = leaderboard(["a"] * 60, {"m": ["a"] * 60}, metric="cohen_kappa").records()
    assert record["cohen_kappa"] is None
