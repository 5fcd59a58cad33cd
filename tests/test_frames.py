"""Data frames of every engine give the table of their samples, exactly, or an error."""

import sys
from decimal import Decimal

import duckdb
import ibis
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frame_cases import COLUMNS
from informedness import table_from_frame
from sources import ENGINES, of_dask
from tables import table_of_labels


def table_of(frame, **options):
    return table_from_frame(frame, **COLUMNS | options)


def check_in_every_engine(data, expected, **options):
    """See that the columns give this table, or are refused with this message."""
    for engine, frame_of in ENGINES.items():
        if isinstance(expected, str):
            with pytest.raises(ValueError, match=expected):
                table_of(frame_of(data), **options)
        else:
            assert table_of(frame_of(data), **options) == expected, engine


def test_what_is_refused_of_samples_is_refused_and_so_is_what_is_no_frame():
    for frame in ("p.parquet", {"gold": ["a"]}, np.zeros((2, 2)), None):
        with pytest.raises(ValueError, match="`frame` must be a data frame"):
            table_of(frame)
    for references, predictions, options, message in (
        ([1, 2], [1.0, 0.7], {}, r"`predictions` .* got 0\.7 .*a score, not a label"),
        (["a", "b"], ["a", "c"], {"labels": ["a", "b"]}, "every prediction, 'c' is missing"),
        (["a"], ["a"], {"ignore_index": "a"}, "got 1 samples, of which none is left"),
        ([1], [[1]], {}, "`predictions` must have one value per row, got column 'model' of .*list"),
        ([], [], {}, "there must be a sample to score, got 0 samples$"),
    ):
        with pytest.raises(ValueError, match=message):
            table_of(pl.DataFrame({"gold": references, "model": predictions}), **options)


@pytest.mark.slow
def test_categories_count_as_what_they_stand_for():
    names = {"gold": ["b", "a", "b"], "model": ["a", "a", "b"]}
    coded = {name: pa.array(labels).dictionary_encode() for name, labels in names.items()}
    for frame in (
        pd.DataFrame(names).astype("category"),
        pd.DataFrame(names, dtype=pd.ArrowDtype(pa.string_view())),
        pl.DataFrame(names, schema_overrides={"gold": pl.Categorical}),
        pl.DataFrame(names, schema_overrides={"model": pl.Enum(["z", "b", "a"])}),
        pa.table(coded),
        pa.concat_tables([pa.table(coded).slice(0, 1), pa.table(coded).slice(1)]),
    ):
        assert table_of(frame) == table_of_labels(*names.values())


FOLDING = {"nocase": "Hh", "noaccent": "ée", "nfc": ["\u00e9", "e\u0301"], "de": ["a", "a\u0001"]}


@pytest.mark.slow
def test_a_collation_that_merges_labels_is_refused():
    database = duckdb.connect()
    for collation, pair in FOLDING.items():
        for column, other in (("gold", "model"), ("model", "gold")):
            database.execute(
                f"create or replace table t ({column} varchar collate {collation}, {other} varchar)"
            )
            database.executemany("insert into t values (?, ?)", [[*pair]] * 2)
            message = f"column '{column}', which the engine compares with a collation"
            with pytest.raises(ValueError, match=message):
                table_of(database.sql("select * from t"))
            # as the message says
            plain = database.sql(f'select {column} collate "C" as {column}, {other} from t')
            assert table_of(plain).n_samples == 2
    database.execute("pragma default_collation=nocase")
    relations = [database.sql("select * from (values ('H', 'h'), ('h', 'H')) t(gold, model)")]
    behind_ibis = ibis.duckdb.connect(), ibis.sqlite.connect()
    for connection in behind_ibis:
        connection.raw_sql("create table t (gold text collate nocase, model text)")
        connection.raw_sql("insert into t values ('H', 'h'), ('h', 'H'), ('h', 'h')")
        relations.append(connection.table("t"))
    for relation in relations[:2]:
        with pytest.raises(ValueError, match="a collation that takes 'a' and 'A' for equal"):
            table_of(relation)
    expected = table_of_labels(["H", "h", "h"], ["h", "H", "h"])
    assert table_of(relations[2]) == expected  # of SQLite, where it belongs to the column


def test_weights_are_finite_integers_floats_or_decimals():
    labels = {"gold": ["a", "b", "b"], "model": ["a", "a", "b"]}
    for weights in (
        [1, 2, 2**40],  # whose square is no 64-bit integer
        [Decimal("0.25"), Decimal("2.00"), Decimal("0.00")],
        [True, False, True],
        [1e30, 1e31, 1e30],  # more than counts can be
        [1e300, 1e-300, 1e300],  # whose squares no float can hold
    ):
        expected = table_of_labels(*labels.values(), sample_weight=[*map(float, weights)])
        assert table_of(pl.DataFrame({**labels, "w": weights}), weights="w") == expected
    for weights, message in (
        (["1"] * 3, "`weights` must hold numbers, got '1'"),
        ([1.0, 1.0, float("nan")], "`weights` must be finite"),
        ([1.0, 1.0, float("inf")], "`weights` must be finite"),
        ([1e308] * 3, "`weights` must have a finite sum"),
    ):
        with pytest.raises(ValueError, match=message):
            table_of(pl.DataFrame({**labels, "w": weights}), weights="w", drop_null=True)


def of_dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values), safe=False)


def test_what_an_engine_cannot_group_is_refused_by_argument_and_column():
    cases = [
        ({"gold": ["a"], "model": [["b"]]}, object, "`predictions` .*'model' of list"),
        ({"gold": [1, "1"], "model": [1, "1"]}, object, "`frame` must hold .* column gold"),
    ]
    if pd.__version__ >= "3":  # pandas 2 gives them as they are
        half = {"gold": ["a", "b"], "model": ["\ud800", "b"]}
        cases.append((half, object, "`frame` must hold .*surrogates"))
    frames = [(pd.DataFrame(data, dtype=dtype), message) for data, dtype, message in cases]
    bytes_of_text = [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
    damaged = pa.Array.from_buffers(pa.string(), 1, bytes_of_text)
    plain = pa.array(["a"])
    frames += [
        (pa.table({"gold": gold, "model": model}), message)
        for gold, model, message in (
            (pa.array([b"a" * 16], pa.uuid()), plain, "`references` must hold labels.*UUID"),
            (of_dictionary([-1], ["a"]), plain, "column 'gold' is damaged.*-1"),
            (plain, damaged, "column 'model' is damaged.*UTF"),
        )
    ]
    of_pandas = frames[-2][0].to_pandas(types_mapper=pd.ArrowDtype)
    for frame, message in [*frames, (of_pandas, frames[-2][1])]:
        with pytest.raises(ValueError, match=f"(?s){message}"):
            table_of(frame)


@pytest.mark.slow
def test_a_column_may_have_any_name_and_others_may_share_one():
    expected = table_of_labels(["a", "b", "b"], ["a", "b", "a"], sample_weight=[1, 2, 3])
    for first, second in (("rows", "squares"), ("references", "weights"), ("samples", "nulls")):
        data = {first: ["a", "b", "b"], second: ["a", "b", "a"], "len": [1.0, 2, 3]}
        check_in_every_engine(data, expected, references=first, predictions=second, weights="len")
    itself = table_of_labels(["a", "b", "b"], ["a", "b", "b"])
    check_in_every_engine(data, itself, references="samples", predictions="samples")
    message = "`predictions` names column 'x', which does not exist; .*'samples', 'nulls', 'len'"
    check_in_every_engine(data, message, references="samples", predictions="x")
    frame = pd.DataFrame([["a", "a", 1, 2], ["b", "a", 3, 4]], columns=["gold", "model", "x", "x"])
    arrow = pa.Table.from_arrays([pa.array(frame.iloc[:, i]) for i in range(4)], list(frame))
    for one in (frame, of_dask(frame), arrow):
        assert table_of(one) == table_of_labels(["a", "b"], ["a", "a"])
        with pytest.raises(ValueError, match="`weights` names column 'x', which occurs twice"):
            table_of(one, weights="x")


def test_runs_of_arrow_count_as_what_they_stand_for():
    ends = pa.array([2, 3], pa.int32())
    gold, weights = (
        pa.RunEndEncodedArray.from_arrays(ends, pa.array(x)) for x in (["a", "b"], [2, 2])
    )
    frame = pa.table({"gold": gold, "model": ["a", "b", "b"], "w": weights})
    table = table_of(frame.slice(1), weights="w")
    assert table == table_of_labels(["a", "b"], ["b", "b"], sample_weight=[2, 2])


def test_a_null_among_the_values_of_a_dictionary_is_a_null():
    columns = of_dictionary([0, 1, 2], ["a", None, "b"]), of_dictionary([1, 1, 0], ["b", "a"])
    expected = table_of_labels(["a", "b"], ["a", "b"])
    frame = pa.table(list(columns), names=["gold", "model"])
    for one in (frame, frame.to_pandas(types_mapper=pd.ArrowDtype)):
        with pytest.raises(
            ValueError, match=r"got None \(null\) or nan in 1 of 3 rows of column 'gold'"
        ):
            table_of(one)
        assert table_of(one, drop_null=True) == expected
    unlike = pa.concat_tables([frame, pa.table(list(columns[::-1]), names=["gold", "model"])])
    assert table_of(unlike, drop_null=True) == expected + expected


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="not in the lowest version of polars")
def test_integers_of_128_bits_are_refused():
    columns = {"gold": [1, 2], "model": [1, 1]}
    frame = pl.DataFrame(columns, schema=dict.fromkeys(COLUMNS.values(), pl.Int128))
    with pytest.raises(ValueError, match="`frame` must hold columns of labels"):
        table_of(frame)


def test_without_narwhals_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r"pip install 'narwhals>=2' 'pyarrow>=\d+'$"):
        table_of(None)


def test_a_column_is_found_by_whatever_its_name_is():
    expected = table_of_labels(["a", "b", "b"], ["a", "b", "a"])
    data = [["a", "a", 1], ["b", "b", 2], ["b", "a", 3]]
    for names in ([0, 1, 2], [("m", "gold"), ("m", "guess"), ("n", "x")]):
        is_multiple = isinstance(names[0], tuple)
        columns = pd.MultiIndex.from_tuples(names) if is_multiple else names
        frame = pd.DataFrame(data, columns=columns)
        assert table_from_frame(frame, references=names[0], predictions=names[1]) == expected
        missing = ("m", "pred") if is_multiple else 7
        with pytest.raises(ValueError, match=r"`predictions` names column .*, which does not"):
            table_from_frame(frame, references=names[0], predictions=missing)
    with pytest.raises(ValueError, match="`references` must be the name of a column, got None"):
        table_from_frame(
            pd.DataFrame(data, columns=[None, "b", "c"]), references=None, predictions="b"
        )
