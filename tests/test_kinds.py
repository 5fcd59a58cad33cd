"""No doubtful label passes any path in silence: `kinds` says what each path does with each kind."""

import warnings

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from cli_cases import write
from file_cases import COLUMNS, WRITERS
from golden import close
from informedness import (
    ContingencyTable,
    LabelsWarning,
    Tally,
    estimate_from_labels,
    informedness_score,
    report,
    table_from_file,
    table_from_frame,
)
from kinds import DOUBT, KINDS, MISSING, RIGHT
from tables import table_of_labels, table_of_pairs

CANNOT_HOLD = (pa.ArrowException, TypeError)  # what a container raises, before anything is read


def boxed(kind, box):
    """Return both sides in a container, None if it cannot hold them."""
    try:
        return box(kind.references), box(kind.predictions)
    except CANNOT_HOLD:
        return None


def tallied(references, predictions):
    tally = Tally()
    tally.update(references=references, predictions=predictions)
    return tally.table.informedness()


def by_slice(references, predictions):
    by = [0] * len(references)
    return report(references, predictions, by=by).overall.scores["informedness"]


VIEW = pd.ArrowDtype(pa.string_view())
BOXES = [list, lambda side: np.array(side, object), pd.Series, pl.Series, pa.array]
BOXES.append(lambda side: pd.Series(side, dtype=object))
BOXES.append(lambda side: pd.Series(pd.array(pa.array(side, pa.string_view()), VIEW)))
FUNCTIONS = [
    lambda *pair: estimate_from_labels(*pair).value,
    lambda *pair: table_of_pairs(*pair, np.ones(len(pair[0]))).informedness(),
    lambda *pair: ContingencyTable.informedness(table_of_labels(*pair)),
    by_slice,
    tallied,
]


def by_functions(kind, **_):
    for box in BOXES:
        if pair := boxed(kind, box):
            yield lambda pair=pair: informedness_score(*pair)
    for score in FUNCTIONS:
        yield lambda score=score: score(*kind.sides())


def by_modules(kind, load, **_):
    metric = load("informedness")

    def in_batches():
        for reference, prediction in kind.pairs():
            metric.add(reference=reference, prediction=prediction)
        return metric.compute()["informedness"]

    given = {"references": kind.references, "predictions": kind.predictions}
    yield lambda: metric.compute(**given)["informedness"]
    yield in_batches


def by_frames(kind, **_):
    named = dict(zip(COLUMNS.values(), kind.sides(), strict=True))
    for make in (pl.DataFrame, pa.table, lambda x: pd.DataFrame(x, dtype=object), pd.DataFrame):
        try:
            frame = make(named)
        except CANNOT_HOLD:
            continue
        yield lambda frame=frame: table_from_frame(frame, **COLUMNS).informedness()
    by = {**COLUMNS, "by": "gold"}  # of pandas
    yield lambda: sum(table_from_frame(frame, **by).values()).informedness()


TYPED = ("p.jsonl", "p.parquet", "p.xlsx")


def files(kind, folder, is_text):
    """Write a kind in each format that can hold it; an empty cell of a sheet holds nothing."""
    if is_text:
        write(folder / "p.csv", kind.pairs())
        yield folder / "p.csv"
        return
    for name in TYPED:
        if name != "p.xlsx" or "" not in [x for side in kind.sides() for x in side]:
            try:
                table = pa.table(dict(zip(COLUMNS.values(), kind.sides(), strict=True)))
            except CANNOT_HOLD:
                continue
            WRITERS[name](table, folder / name)
            yield folder / name


def by_files(kind, is_text, tmp_path, **_):
    for path in files(kind, tmp_path, is_text):
        yield lambda path=path: table_from_file(path, **COLUMNS).informedness()


def by_commands(kind, is_text, tmp_path, command, options=(), **_):
    def run(*given):
        how = "--metric", "informedness", "--format", "json"
        code, output, errors = command("report", *given, *how, *options)
        if code:
            raise ValueError(errors)
        return float(output)

    for path in files(kind, tmp_path, is_text):
        yield lambda path=path: run(path, "-r", "gold", "-p", "model")
    texts = [[str(x) for x in side if x is not None] for side in kind.sides()]
    if is_text and all(x.strip("\ufeff").splitlines() == [x] for side in texts for x in side):
        for name, side in zip("rp", texts, strict=True):
            (tmp_path / f"{name}.txt").write_text("".join(f"{x}\n" for x in side))
        yield lambda: run(tmp_path / "r.txt", tmp_path / "p.txt")


# Whether all is text there, and what is warned of and scored.
PATHS = {
    "functions": (by_functions, False, DOUBT, MISSING),
    "modules": (by_modules, False, DOUBT, MISSING),
    "frames": (by_frames, False, DOUBT, MISSING),
    "files with types": (by_files, False, DOUBT),
    "files of text": (by_files, True, DOUBT),
    "commands on files with types": (by_commands, False),
    "commands on text": (by_commands, True),
}


def outcome(call):
    """Return the value of a call and what it doubts, or None and why it is refused."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            value = call()
        except (ValueError, TypeError) as error:
            return None, str(error)
    # published modules have a class of their own
    doubts = [one for one in caught if one.category.__name__ == LabelsWarning.__name__]
    return value, " ".join(str(one.message) for one in doubts)


@pytest.mark.parametrize("name", PATHS)
def test_each_kind_is_scored_right_warned_of_or_refused(name, load, tmp_path, command):
    path, is_text, *scored = PATHS[name]
    wrong = []
    for title, kind in KINDS.items():
        expected, value = kind.text if is_text else kind.typed, kind.wanted(is_text)
        for call in path(kind, is_text=is_text, load=load, tmp_path=tmp_path, command=command):
            found, said = outcome(call)
            is_wrong = found != close(value) if expected in (RIGHT, *scored) else found is not None
            is_silent = bool(said) != (expected != RIGHT)
            is_unclear = expected in (DOUBT, MISSING) and kind.said not in said
            if is_wrong or is_silent or is_unclear:
                wrong.append(f"{title}: {expected}, {value}, got {found}, {said}")
    assert not wrong, "\n".join(wrong)


def test_what_is_doubted_is_scored_where_it_is_declared_or_asked_for(tmp_path, command):
    for title, kind in KINDS.items():
        if kind.typed in (DOUBT, MISSING):
            classes = list(dict.fromkeys([*kind.references, *kind.predictions]))
            found = outcome(lambda: informedness_score(*kind.sides(), labels=classes))  # noqa: B023
            assert found == (close(kind.wanted(is_text=False)), ""), title
    how = {"tmp_path": tmp_path, "command": command, "options": ["--as-is", "--keep-missing"]}
    for title, kind in KINDS.items():
        for is_text, expected in ((True, kind.text), (False, kind.typed)):
            for call in by_commands(kind, is_text=is_text, **how):
                if expected in (DOUBT, MISSING):
                    assert outcome(call) == (close(kind.wanted(is_text)), ""), title


def test_rows_without_a_label_are_dropped_from_frames_on_request():
    rows = {"gold": [*"abNaa", "NA", None, ""], "model": ["a", "b", "N", "nan", *"aaaa"]}
    for make in (pd.DataFrame, pl.DataFrame, pa.table):
        frame = make(rows)
        left = table_of_labels([*"abNa"], [*"abNa"])
        assert table_from_frame(frame, **COLUMNS, drop_null=True) == left
        meant = table_from_frame(frame, **COLUMNS, drop_null=True, labels=["a", "b", "N", "NA"])
        assert meant.n_samples == 5
    padded = pd.DataFrame({"gold": [0, 1, -100], "model": [0, 1, 1]})
    assert table_from_frame(padded, **COLUMNS, drop_null=True) == table_of_labels([0, 1], [0, 1])
    padded["gold"] = -100
    with pytest.raises(ValueError, match="of which none is left: all are ignored, null"):
        table_from_frame(padded, **COLUMNS, drop_null=True)


def test_predictions_of_which_none_is_a_declared_class_are_doubted():
    with pytest.warns(UserWarning, match="no prediction is one of the declared classes"):
        informedness_score(["a", "b"], ["A", "B"], labels=["a", "b"], unknown="wrong")


def test_names_of_a_data_frame_of_counts_are_doubted_and_positions_are_not():
    for names, said in ((["a", "b"], ""), (["a", "NA"], "missing"), (["a", "A"], "or marks")):
        made = pd.DataFrame([[2, 1], [1, 2]], names, names)
        assert said in outcome(lambda: ContingencyTable.from_matrix(made))[1], names  # noqa: B023
    assert outcome(lambda: ContingencyTable.from_matrix([[0, 1], [0, 0]]))[1] == ""
