"""Files of every format and frames of every engine: what they hold is read alike."""

import warnings
from decimal import Decimal

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import COLUMNS, SIZES, WRITERS, read_columns, table_of
from frame_cases import labels_and_weights
from informedness import table_from_frame
from sources import SOURCES, reader_of
from tables import table_of_labels, table_of_pairs

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # of the labels: see test_kinds.py

LABELS, WEIGHTS = labels_and_weights(21, 400)
# What a source does not hold as it is; all is text in CSV, and a float in Excel
WITHOUT = {"p.xlsx": ["bytes", "large integers"], "p.jsonl": ["bytes"], "p.json": ["bytes"]}
WITHOUT |= {"p.csv": ["bytes", "bools"], "p.tsv": ["bytes", "bools"]}
every_source = pytest.mark.parametrize("source", SOURCES)


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batches(request, monkeypatch):
    """Read as users do, and in batches so small that every source has many."""
    for setting in request.param:
        monkeypatch.setattr(*setting)


@pytest.mark.slow
@every_source
def test_the_table_is_that_of_the_samples(source, batches, tmp_path):
    is_text = source.endswith(("csv", "tsv"))
    for kind, labels in LABELS.items():
        if kind in WITHOUT.get(source, ()):
            continue
        data = {"id": range(400), "gold": labels[0], "model": labels[1], "w": WEIGHTS}
        read = reader_of(source, data, tmp_path)
        how = {"keep_missing": True} if source in WRITERS else {}
        how |= {"numeric": kind != "text"} if is_text else {}
        assert read(**how) == table_of_labels(*labels), kind
        weighted = table_of_labels(*labels, sample_weight=WEIGHTS)
        assert read(weights="w", **how) == weighted, kind
        if kind == "integers":
            options = {"labels": [*range(-2, 12)], "unknown": "wrong", "ignore_index": -3}
            expected = table_of_labels(*labels, sample_weight=WEIGHTS, **options)
            assert read(weights="w", **how, **options) == expected


@every_source
def test_nulls_are_refused_with_their_number_or_left_out_on_request(source, tmp_path):
    gold, model = ["a", None, "b", "a", "c"] * 10, ["a", "a", None, "b", "b"] * 10
    weights = [0.5, 1.0, 1.0, 1.0, None] * 10
    read = reader_of(source, {"gold": gold, "model": model, "w": weights}, tmp_path)
    labels = "`references` .* 10 of 50 rows of column 'gold'; `predictions` .* 10 of 50 .*'model'"
    with pytest.raises(ValueError, match=f": {labels}: unknown=.*, drop_null=True leaves"):
        read()
    with pytest.raises(ValueError, match=f": {labels}; `weights` .* 10 of 50 rows of column 'w'"):
        read(weights="w")
    table = read(drop_null=True)
    assert table == table_of_labels(["a", "a", "c"] * 10, ["a", "b", "b"] * 10)
    assert dict(table.read[0].left_out) == {"no reference": 10, "no prediction": 10}
    left = table_of_labels(["a", "a"] * 10, ["a", "b"] * 10, sample_weight=[0.5, 1.0] * 10)
    assert read(weights="w", drop_null=True) == left


@every_source
def test_a_missing_prediction_is_a_wrong_answer_if_asked_and_a_missing_reference_never(
    source, tmp_path
):
    options = {"labels": ["a", "b", "c"], "unknown": "wrong"}
    gold, model = ["a", "b", "b", "a"] * 20, ["a", None, "x", "b"] * 20
    for drop_null in (False, True):
        table = reader_of(source, {"gold": gold, "model": model}, tmp_path)(
            **options, drop_null=drop_null
        )
        assert table == table_of_labels(gold, ["a", "?", "?", "b"] * 20, **options)
        (read,) = table.read
        assert (read.n_rows, dict(read.left_out)) == (80, {})
        assert {*read.columns[1].outside} == {(None, 20), ("x", 20)}
    with pytest.raises(ValueError, match=r"`references` .* in 20 of 80 rows"):
        reader_of(source, {"gold": model, "model": gold}, tmp_path)(**options)


@every_source
def test_a_weight_of_0_does_not_count_and_a_negative_one_is_refused(source, tmp_path):
    data = {"gold": ["a", "b", "x"], "model": ["a", "a", "y"], "w": [1.0, 0.5, 0.0]}
    expected = table_of_labels(["a", "b"], ["a", "a"], labels=["b", "a"], sample_weight=[1, 0.5])
    table = reader_of(source, data, tmp_path)(weights="w", labels=["b", "a"])
    assert (table, dict(table.read[0].left_out)) == (expected, {"of weight 0": 1})
    data = {"gold": ["a", "a"], "model": ["a", "a"], "w": [3.0, -1.0]}  # whose sum is positive
    with pytest.raises(ValueError, match="`weights` must be finite and not negative, got -1"):
        reader_of(source, data, tmp_path)(weights="w")


# Counts

COUNTED = {"gold": ["a", "a", "b", "b"], "model": ["a", "b", "a", "b"], "s": ["x", "y", "y", "y"]}
COUNTS = [90, 10, 0, 45]
EXPECTED = table_of_pairs(COUNTED["gold"], COUNTED["model"], COUNTS)


def is_warned_of(call):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    said = [str(one.message) for one in caught if "informedness" in str(one.message)]
    assert len(said) < 2, said
    return any("is called a count" in one for one in said)


@every_source
def test_a_column_of_counts_is_read_as_such_and_never_passed_over(source, tmp_path):
    for header in ("n", "0"):
        read = reader_of(source, COUNTED | {header: COUNTS}, tmp_path)
        assert read(counts=header) == EXPECTED
        slices = read(counts=header, by="s")
        assert {x: table.n_samples for x, table in slices.items()} == {"x": 90, "y": 55}
        assert is_warned_of(read) == (header == "n")
        if source in WRITERS:
            names, path = COLUMNS | {"counts": header}, tmp_path / source
            assert table_of_labels(**read_columns(path, names).columns) == EXPECTED
            assert is_warned_of(lambda: read_columns(path)) == (header == "n")  # noqa: B023
            with pytest.raises(ValueError, match="at most 100 rows"):
                read_columns(path, names, most_rows=100)
    for wrong in ([1.5, 1, 1, 1], [-1, 1, 1, 1], [*"111", "1,5"], [1, None, 1, 1]):
        read = reader_of(source, COUNTED | {"x": wrong}, tmp_path)
        with pytest.raises(ValueError, match=r"`counts` (and `weights` )?must (hold num|be|have)"):
            read(counts="x")


def test_counts_may_be_what_sum_returns_and_no_dates(tmp_path):
    for kind in (float, Decimal):
        data = COUNTED | {"n": list(map(kind, COUNTS))}
        for make in (pd.DataFrame, pa.table, pl.DataFrame):
            found = table_from_frame(make(data), counts="n", **COLUMNS)
            assert (found, found.counts.dtype) == (EXPECTED, EXPECTED.counts.dtype)
    dates = pa.table(COUNTED | {"n": pa.array([1, 2, 3, 4], pa.date32())})
    pa.parquet.write_table(dates, tmp_path / "p.parquet")
    with pytest.raises(ValueError, match=r"`counts` must hold numbers, got datetime\.date"):
        table_of(tmp_path / "p.parquet", counts="n")


def test_a_column_that_is_called_a_count_is_warned_of_where_no_pair_occurs_twice():
    twice = {"gold": ["a", "a", "b", "b"], "model": ["a", "a", "a", "b"]}
    by_slice = {name: column * 2 for name, column in COUNTED.items()} | {"s": [*"xxxxyyyy"]}
    called = ["n", "N", "count", "Counts", "freq", "frequency", "size", "total"]
    called += ["COUNT(*)", "count_star()", "count(1)", "sum(n)"]
    others = ["num", "word_count", "n_tokens", "width", "room", "patient", "id", "len", "0", "age"]
    for rows, name, by, is_warned in (
        *((COUNTED, name, None, True) for name in called),
        *((COUNTED, name, None, False) for name in others),
        (twice, "n", None, False),
        (by_slice, "n", None, False),
        (by_slice, "n", "s", True),
    ):
        frame = pl.DataFrame(rows | {name: [3] * len(rows["gold"])})
        assert is_warned_of(lambda: table_from_frame(frame, **COLUMNS, by=by)) == is_warned, name  # noqa: B023
