"""Data frames of every engine give the table of their samples, exactly, or an error."""

import re
import subprocess
import sys
import warnings
from decimal import Decimal

import dask
import dask.dataframe
import duckdb
import ibis
import narwhals
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from frame_cases import COLUMNS, labels_and_weights
from informedness import ContingencyTable, table_from_frame

LABELS, WEIGHTS = labels_and_weights(21, 400)


DATABASE = duckdb.connect()  # which relations do not keep open in the lowest version


def of_duckdb(data):
    columns = pa.table(data)  # found by DuckDB under this name
    relation = DATABASE.sql("select * from columns")
    assert relation.columns == columns.column_names
    return relation


ENGINES = {
    "pandas": pd.DataFrame,
    "pandas nullable": lambda data: pd.DataFrame(data).convert_dtypes(),
    "polars": pl.DataFrame,
    "polars lazy": pl.LazyFrame,
    "pyarrow": pa.table,
    "duckdb": of_duckdb,
    "dask": lambda data: dask.dataframe.from_pandas(pd.DataFrame(data), npartitions=3),
    "ibis": lambda data: ibis.memtable(pa.table(data)),
    "narwhals": lambda data: narwhals.from_native(pl.DataFrame(data)),
}


@pytest.fixture(params=ENGINES)
def frame_of(request):
    """Return the function that makes a data frame of columns, for each engine."""
    return ENGINES[request.param]


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("kind", LABELS)
def test_every_engine_gives_the_table_of_the_samples(frame_of, kind, weights):
    references, predictions = LABELS[kind]
    data = {"id": range(400), "gold": references, "model": predictions}
    data |= {} if weights is None else {"w": weights}
    given = {} if weights is None else {"weights": "w"}
    expected = ContingencyTable.from_labels(references, predictions, sample_weight=weights)
    with dask.config.set({"dataframe.convert-string": kind != "bytes"}):  # or it would decode them
        assert table_from_frame(frame_of(data), **COLUMNS, **given) == expected


OPTIONS = {
    "declared": {"labels": [*range(12, -4, -1)]},
    "ignored": {"ignore_index": -3},
    "unknown": {"labels": [*range(-2, 12)], "unknown": "wrong", "ignore_index": -3},
    "two unknown": {"labels": [*range(-1, 12)], "unknown": "wrong", "ignore_index": -2},
    "none unknown": {"labels": [*range(12, -4, -1)], "unknown": "wrong"},
}


@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_labels_unknown_and_ignore_index_do_what_they_do_with_samples(options, weights):
    references, predictions = np.array(LABELS["integers"])
    references[references == -3] = -2 if options.get("ignore_index") == -2 else -3
    frame = pl.DataFrame({"gold": references, "model": predictions, "w": weights or 1})
    expected = ContingencyTable.from_labels(
        references, predictions, sample_weight=weights, **options
    )
    given = {} if weights is None else {"weights": "w"}
    assert table_from_frame(frame, **COLUMNS, **given, **options) == expected


@pytest.mark.parametrize(
    ("references", "predictions", "options", "message"),
    [
        ([1, 2], [1.0, 0.7], {}, r"`predictions` .* got 0\.7 .*a score, not a label"),
        ([1, 2], ["1", "2"], {}, "`predictions` must hold labels of the same type"),
        (["a", "b"], ["a", "c"], {"labels": ["a", "b"]}, "every prediction, 'c' is missing"),
        (["a", "c"], ["a", "c"], {"labels": ["a"], "unknown": "wrong"}, "every reference, 'c'"),
        (["a", "c"], ["b", "b"], {"labels": ["a"], "unknown": "wrong"}, "every reference, 'c'"),
        (["a"], ["a"], {"unknown": "wrong"}, "only with `labels`"),
        (["a"], ["a"], {"unknown": "drop"}, "`unknown` must be one of"),
        (["a"], ["a"], {"ignore_index": 1}, "`ignore_index` must hold labels of the same type"),
        (["a"], ["a"], {"ignore_index": "a"}, "got 1 samples, and none is left"),
        ([1], [[1]], {}, "`predictions` must be a column of labels, got 'model' of List"),
        ([], [], {}, "there must be a sample to score, got 0 samples$"),
    ],
)
def test_what_samples_may_not_be_frames_may_not_be(references, predictions, options, message):
    frame = pl.DataFrame({"gold": references, "model": predictions})
    with pytest.raises(ValueError, match=message):
        table_from_frame(frame, **COLUMNS, **options)


def test_unknown_needs_labels_before_the_engine_counts():
    with pytest.raises(ValueError, match='`unknown` can be "wrong" only with `labels`'):
        table_from_frame("no frame", **COLUMNS, unknown="wrong")


def test_mixed_types_in_one_column_are_refused():
    frame = pd.DataFrame({"gold": [1, "1", 2], "model": [1, "1", 2]}, dtype=object)
    with pytest.raises(ValueError, match="`references` must hold labels of one type"):
        table_from_frame(frame, **COLUMNS)


def test_nulls_are_refused_with_their_number_or_left_out_on_request(frame_of):
    data = {
        "gold": ["a", None, "b", "a", "c"] * 10,
        "model": ["a", "a", None, "b", "b"] * 10,
        "w": [0.5, 1.0, 1.0, 1.0, None] * 10,
    }
    message = (
        "`references` must have a value in every row, got None (null) in 10 of 50 rows of column "
        "'gold'; `predictions` must have a value in every row, got None (null) in 10 of 50 rows of "
        "column 'model'"
    )
    with pytest.raises(ValueError) as raised:  # noqa: PT011 the whole message is compared
        table_from_frame(frame_of(data), **COLUMNS)
    rule = ": drop_null=True (--drop-null) leaves out rows with missing values"
    assert str(raised.value) == message + rule
    with pytest.raises(ValueError) as raised:  # noqa: PT011
        table_from_frame(frame_of(data), **COLUMNS, weights="w")
    weights = "`weights` must have a value in every row, got None (null) in 10 of 50 rows of column"
    assert str(raised.value) == f"{message}; {weights} 'w'{rule}"
    table = table_from_frame(frame_of(data), **COLUMNS, drop_null=True)
    assert table == ContingencyTable.from_labels(["a", "a", "c"] * 10, ["a", "b", "b"] * 10)
    table = table_from_frame(frame_of(data), **COLUMNS, weights="w", drop_null=True)
    assert table == ContingencyTable.from_labels(
        ["a", "a"] * 10, ["a", "b"] * 10, sample_weight=[0.5, 1.0] * 10
    )


def test_samples_without_weight_do_not_count_even_with_labels_that_are_unknown(frame_of):
    data = {"gold": ["a", "b", "x"], "model": ["a", "a", "y"], "w": [1.0, 0.5, 0.0]}
    table = table_from_frame(frame_of(data), **COLUMNS, weights="w", labels=["b", "a"])
    assert table == ContingencyTable.from_labels(
        ["a", "b"], ["a", "a"], labels=["b", "a"], sample_weight=[1.0, 0.5]
    )


def test_a_negative_weight_is_refused_even_where_its_sum_is_positive(frame_of):
    data = {"gold": ["a", "a"], "model": ["a", "a"], "w": [3.0, -1.0]}
    with pytest.raises(ValueError, match=r"`weights` must be finite and not negative, got -1\.0"):
        table_from_frame(frame_of(data), **COLUMNS, weights="w")


def test_weights_may_be_integers_decimals_and_bools_but_not_text():
    labels = {"gold": ["a", "b", "b"], "model": ["a", "a", "b"]}
    largest = 2**40  # whose square is no 64-bit integer
    for weights in (
        [1, 2, largest],
        [Decimal("0.25"), Decimal("2.00"), Decimal("0.00")],
        [True, False, True],
    ):
        frame = pl.DataFrame({**labels, "w": weights})
        expected = ContingencyTable.from_labels(
            *labels.values(), sample_weight=[float(weight) for weight in weights]
        )
        assert table_from_frame(frame, **COLUMNS, weights="w") == expected
    with pytest.raises(ValueError, match="`weights` must be a column of numbers, got 'w' of Str"):
        table_from_frame(pl.DataFrame({**labels, "w": ["1"] * 3}), **COLUMNS, weights="w")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_weight_that_is_not_finite_is_refused(value):
    frame = pl.DataFrame({"gold": ["a", "b"], "model": ["a", "b"], "w": [1.0, value]})
    with pytest.raises(ValueError, match="`weights` must be finite"):
        table_from_frame(frame, **COLUMNS, weights="w", drop_null=True)


def test_weights_may_sum_to_more_than_counts_can():
    data = {"gold": ["a", "b"], "model": ["a", "b"], "w": [1e30, 1e31]}
    table = table_from_frame(pl.DataFrame(data), **COLUMNS, weights="w")
    expected = ContingencyTable.from_labels(data["gold"], data["model"], sample_weight=data["w"])
    assert table == expected


def test_weights_that_sum_to_infinity_are_refused_by_name():
    frame = pl.DataFrame({"gold": ["a", "b"], "model": ["a", "b"], "w": [1e308, 1e308]})
    with pytest.raises(ValueError, match="`weights` must have a finite sum"):
        table_from_frame(frame, **COLUMNS, weights="w")


def test_categories_count_as_what_they_stand_for():
    names = {"gold": ["b", "a", "b"], "model": ["a", "a", "b"]}
    expected = ContingencyTable.from_labels(*names.values())
    coded = {name: pa.array(labels).dictionary_encode() for name, labels in names.items()}
    frames = [
        pd.DataFrame(names).astype("category"),
        dask.dataframe.from_pandas(pd.DataFrame(names).astype("category"), npartitions=2),
        pl.DataFrame(names, schema_overrides={"gold": pl.Categorical}),
        pl.DataFrame(names, schema_overrides={"model": pl.Enum(["z", "b", "a"])}),
        pa.table(coded),
        pa.concat_tables([pa.table(coded).slice(0, 1), pa.table(coded).slice(1)]),
    ]
    for frame in frames:
        assert table_from_frame(frame, **COLUMNS) == expected
    other = {name: pa.array(labels[::-1]).dictionary_encode() for name, labels in names.items()}
    frame = pa.concat_tables([pa.table(coded), pa.table(other)])  # of unlike dictionaries
    assert table_from_frame(frame, **COLUMNS) == expected + expected
    integers = pd.DataFrame({"gold": [30, 10], "model": [30, 30]}).astype("category")
    assert table_from_frame(integers, **COLUMNS) == ContingencyTable.from_labels([30, 10], [30, 30])


FOLDING = {
    "nocase": ["Ham", "ham"],
    "noaccent": ["é", "e"],
    "nocase.noaccent": ["É", "e"],
    "nfc": ["\u00e9", "e\u0301"],
    "de": ["a", "a\u0001"],
}


@pytest.mark.slow
@pytest.mark.parametrize("column", ["gold", "model"])
@pytest.mark.parametrize("collation", FOLDING)
def test_a_collation_that_merges_labels_is_refused(collation, column):
    other = {"gold": "model", "model": "gold"}[column]
    database = duckdb.connect()
    database.execute(f"create table t ({column} varchar collate {collation}, {other} varchar)")
    database.executemany("insert into t values (?, ?)", [FOLDING[collation]] * 2)
    role = {"gold": "references", "model": "predictions"}[column]
    message = f"`{role}`: the engine compares column '{column}' with a collation"
    with pytest.raises(ValueError, match=message):
        table_from_frame(database.sql("select * from t"), **COLUMNS)
    plain = f'select {column} collate "C" as {column}, {other} from t'  # as the message says
    assert table_from_frame(database.sql(plain), **COLUMNS).n_samples == 2


def test_a_default_collation_that_merges_labels_is_refused():
    database = duckdb.connect()
    database.execute("pragma default_collation=nocase")
    relation = database.sql("select * from (values ('Ham', 'ham'), ('ham', 'Ham')) t(gold, model)")
    with pytest.raises(ValueError, match="a collation that takes 'a' and 'A' for equal"):
        table_from_frame(relation, **COLUMNS)
    with pytest.raises(ValueError, match="a collation that takes 'a' and 'A' for equal"):
        table_from_frame(relation, **COLUMNS, labels=["Ham", "ham"])
    plain = database.sql(
        'select gold collate "C" as gold, model collate "C" as model from relation'
    )
    expected = ContingencyTable.from_labels(["Ham", "ham"], ["ham", "Ham"])
    assert table_from_frame(plain, **COLUMNS) == expected


def without_case(database):
    """Return a table of one of ibis's databases whose references ignore case."""
    database.raw_sql("create table t (gold text collate nocase, model text)")
    database.raw_sql("insert into t values ('Ham', 'ham'), ('ham', 'Ham'), ('ham', 'ham')")
    return database.table("t")


def test_duckdb_behind_ibis_is_refused_where_it_would_merge_labels():
    with pytest.raises(ValueError, match="a collation that takes 'a' and 'A' for equal"):
        table_from_frame(without_case(ibis.duckdb.connect()), **COLUMNS)


def test_sqlite_behind_ibis_does_not_merge_labels():
    expected = ContingencyTable.from_labels(["Ham", "ham", "ham"], ["ham", "Ham", "ham"])
    assert table_from_frame(without_case(ibis.sqlite.connect()), **COLUMNS) == expected


def of_dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values), safe=False)


def of_runs(run_ends, values):
    return pa.RunEndEncodedArray.from_arrays(pa.array(run_ends, pa.int32()), pa.array(values))


def of_arrow_columns(*columns, names=("gold", "model", "w")):
    return pa.table(list(columns), names=names[: len(columns)])


DAMAGED = pa.Array.from_buffers(
    pa.string(),
    1,
    [None, pa.py_buffer(np.array([0, 1], np.int32).tobytes()), pa.py_buffer(b"\xff")],
)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (
            pd.DataFrame({"gold": ["a"], "model": [["b"]]}),
            "predictions.*'model'.*unhashable.*'list'",
        ),
        (pd.DataFrame({"gold": [{"a"}], "model": ["b"]}), "references.*'gold'.*unhashable.*'set'"),
        (pd.DataFrame({"gold": ["a"], "model": [np.ones(2)]}), "predictions.*'model'.*unhashable"),
        (
            pl.DataFrame({"gold": ["a"], "model": pl.Series([["b"]], dtype=pl.Object)}),
            "predictions",
        ),
        pytest.param(
            pd.DataFrame({"gold": ["a", "b"], "model": ["\ud800", "b"]}, dtype=object),
            "predictions.*'model'.*surrogates",
            marks=pytest.mark.skipif(pd.__version__ < "3", reason="pandas 2 groups them"),
        ),
        (of_arrow_columns(pa.array(["a"]), pa.array(["a"], pa.json_())), "predictions.*'model'"),
        (of_arrow_columns(pa.array([b"a" * 16], pa.uuid()), pa.array(["a"])), "references.*'gold'"),
        (of_arrow_columns(of_dictionary([-1], ["a"]), pa.array(["a"])), "references.*'gold'.*-1"),
        (of_arrow_columns(pa.array(["a"]), of_dictionary([1], ["a"])), "predictions.*'model'"),
        (of_arrow_columns(pa.array(["a"]), DAMAGED), "predictions.*'model'.*UTF"),
        (pd.DataFrame({"gold": [1.0], "model": [1.0]}, dtype="float16"), "references.*'gold'"),
    ],
)
def test_what_an_engine_cannot_group_is_refused_by_argument_and_column(frame, message):
    with pytest.raises(ValueError) as raised:  # noqa: PT011 of this type itself
        table_from_frame(frame, **COLUMNS)
    assert type(raised.value) is ValueError
    assert re.search(f"(?s)`{message}", str(raised.value))


def test_columns_that_are_not_asked_for_may_share_a_name():
    frame = pd.DataFrame([["a", "a", 1, 2], ["b", "a", 3, 4]], columns=["gold", "model", "x", "x"])
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "a"])
    arrow = pa.Table.from_arrays([pa.array(frame.iloc[:, i]) for i in range(4)], list(frame))
    for one in (frame, dask.dataframe.from_pandas(frame, npartitions=1), arrow):
        assert table_from_frame(one, **COLUMNS) == expected
        with pytest.raises(ValueError, match="`weights`: column 'x' occurs twice"):
            table_from_frame(one, **COLUMNS, weights="x")


def test_columns_that_are_not_asked_for_may_hold_anything():
    column = pa.array(["a", "b"])
    nested = pa.DictionaryArray.from_arrays(pa.array([0, 0]), pa.array([[1]]))
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "b"])
    for other in (nested, of_runs([2], [1]), of_dictionary([7, -1], ["x"])):
        both = pa.chunked_array([other, other])
        frame = of_arrow_columns(
            pa.chunked_array([column] * 2), pa.chunked_array([column] * 2), both
        )
        assert table_from_frame(frame, **COLUMNS) == expected + expected


def test_runs_of_arrow_count_as_what_they_stand_for():
    frame = of_arrow_columns(
        of_runs([2, 3], ["a", "b"]), pa.array(["a", "b", "b"]), of_runs([3], [2])
    )
    table = table_from_frame(frame.slice(1), **COLUMNS, weights="w")
    assert table == ContingencyTable.from_labels(["a", "b"], ["b", "b"], sample_weight=[2, 2])


@pytest.mark.parametrize("kind", [pa.string_view(), pa.binary_view()], ids=str)
def test_views_of_arrow_count_as_what_they_stand_for(kind):
    labels = pa.array(["a", "long " * 9, None, "a"]).cast(pa.binary()).cast(kind)
    samples = [label for label in labels.to_pylist() if label is not None]
    expected = ContingencyTable.from_labels(samples, samples)
    for column in (labels, labels.dictionary_encode()):
        frame = of_arrow_columns(column, column)
        assert table_from_frame(frame, **COLUMNS, drop_null=True) == expected


def test_a_null_among_the_values_of_a_dictionary_is_a_null():
    column = of_dictionary([0, 1, 2], ["a", None, "b"])
    other = of_dictionary([1, 1, 0], ["b", "a"])
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "b"])
    frame = of_arrow_columns(column, other)
    frames = [frame, frame.to_pandas(types_mapper=pd.ArrowDtype), pl.from_arrow(frame)]
    if not frames[-1]["gold"].null_count():  # polars 1.0 makes it an empty string
        frames.pop()
    for one in frames:
        with pytest.raises(ValueError, match=r"got None \(null\) in 1 of 3 rows of column 'gold'"):
            table_from_frame(one, **COLUMNS)
        assert table_from_frame(one, **COLUMNS, drop_null=True) == expected
    unlike = pa.concat_tables([frame, of_arrow_columns(other, column)])
    table = table_from_frame(unlike, **COLUMNS, drop_null=True)
    assert table == expected + expected


@pytest.mark.skipif(not hasattr(pl, "Int128"), reason="not in the lowest version of polars")
def test_integers_of_128_bits_count_where_64_hold_them():
    int128 = {"gold": pl.Int128, "model": pl.Int128}
    frame = pl.DataFrame({"gold": [1, 2**63], "model": [1, -1]}, schema_overrides=int128)
    table = table_from_frame(frame, **COLUMNS)
    assert table == ContingencyTable.from_labels([1, 2**63], [1, -1])
    frame = pl.DataFrame({"gold": [1, 2**64], "model": [1, 1]}, schema_overrides=int128)
    with pytest.raises(ValueError, match="`references` must hold integers of at most 64 bits"):
        table_from_frame(frame, **COLUMNS)


def test_one_column_can_be_compared_with_itself(frame_of):
    frame = frame_of({"gold": ["a", "b", "b"], "w": [1.0, 2.0, 3.0]})
    table = table_from_frame(frame, references="gold", predictions="gold")
    assert table == ContingencyTable.from_labels(["a", "b", "b"], ["a", "b", "b"])


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    ["rows", "squares", "samples", "nulls", "references", "weights", "loc", "unify_dictionaries"],
)
def test_a_column_may_have_any_name(frame_of, name):
    frame = frame_of({name: ["a", "b", "b"], "predictions": ["a", "b", "a"], "len": [1.0, 2, 3]})
    table = table_from_frame(frame, references=name, predictions="predictions", weights="len")
    assert table == ContingencyTable.from_labels(
        ["a", "b", "b"], ["a", "b", "a"], sample_weight=[1, 2, 3]
    )


def test_a_column_that_is_not_there_is_answered_with_those_that_are(frame_of):
    frame = frame_of({"gold": ["a"], "model": ["a"]})
    with pytest.raises(ValueError, match=r"`predictions`: column 'x' does not exist: .*'gold', 'm"):
        table_from_frame(frame, references="gold", predictions="x")


@pytest.mark.parametrize("frame", ["p.parquet", [1, 2], {"gold": ["a"]}, np.zeros((2, 2)), None])
def test_what_is_no_data_frame_is_refused(frame):
    with pytest.raises(ValueError, match="`frame` must be a data frame"):
        table_from_frame(frame, **COLUMNS)


def test_a_reference_of_minus_100_warns_unless_it_is_spoken_of(frame_of):
    frame = frame_of({"gold": [-100, 1, 2], "model": [1, 1, 2]})
    with pytest.warns(UserWarning, match="informedness: -100 among the references") as caught:
        table_from_frame(frame, **COLUMNS)
    ours = [one for one in caught if "informedness" in str(one.message)]  # Narwhals warns of Dask
    assert [one.filename for one in ours] == [__file__]
    with warnings.catch_warnings():
        warnings.filterwarnings("error", message="informedness")
        table_from_frame(frame, **COLUMNS, ignore_index=-100)
        table_from_frame(frame, **COLUMNS, labels=[-100, 1, 2])


def test_only_one_row_for_each_cell_leaves_the_engine(monkeypatch):
    collected = []
    collect = narwhals.LazyFrame.collect

    def count(frame, *arguments, **options):
        collected.append(collect(frame, *arguments, **options))
        return collected[-1]

    monkeypatch.setattr(narwhals.LazyFrame, "collect", count)
    table_from_frame(of_duckdb({"gold": [1, 2] * 5000, "model": [1, 1] * 5000}), **COLUMNS)
    assert [len(frame) for frame in collected] == [2]


def test_without_narwhals_the_extra_is_named():
    code = (
        "import sys; sys.modules['narwhals'] = None\n"
        "from informedness import table_from_frame\n"
        "table_from_frame(None, references='a', predictions='b')"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "pip install 'informedness[frames]'" in result.stderr
