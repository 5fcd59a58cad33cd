"""Files of every format and frames of every engine: what they hold is read alike, or refused.

Covers src: files/arrow.py, files/counting.py, files/json_and_excel.py.
"""

import json
import sys
from datetime import date
from decimal import Decimal
from functools import partial

import datasets
import duckdb
import ibis
import numpy as np
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet
import pytest

from informedness import table_from_file, table_from_frame
from informedness.files import counting
from informedness.warnings import InformednessWarning
from inputs.cases import warned
from inputs.file_cases import (
    COLUMNS,
    SIZES,
    WRITERS,
    check_read,
    columns,
    read_columns,
    refused,
    table_of,
)
from inputs.frame_cases import labels_and_weights
from inputs.sources import ENGINES, SOURCES, reader_of
from inputs.tables import table_of_labels, table_of_pairs

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py

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


DROPPED, W = {"drop_null": True}, {"weights": "w"}
GAPS = {"gold": ["a", None, "b", "a", "c"] * 10, "model": ["a", "a", None, "b", "b"] * 10}
GAPS |= {"w": [0.5, None, 1.0, 1.0, None] * 10}
LEFT_OUT = {"no reference": 10, "no prediction": 10}
IN_BOTH = "`references` .* 10 of 50 rows of column 'gold'.*; `predictions` .* 10 of 50 .*'model'"
ANSWERS = {"gold": ["a", "b", "b", "a"] * 20, "model": ["a", None, "x", "b"] * 20}
DECLARED = {"labels": ["a", "b", "c"], "unknown": "wrong"}
WRONG = ["a", "b", "b", "a"] * 20, ["a", "?", "?", "b"] * 20
OF_0 = {"gold": ["a", "b", "x"], "model": ["a", "a", "y"], "w": [1.0, 0.5, 0.0]}
NEGATIVE = {"gold": ["a", "a"], "model": ["a", "a"], "w": [3.0, -1.0]}  # whose sum is positive
EVERYWHERE = [  # columns, options, the message or the samples that count, and what is left out
    (GAPS, {}, rf": {IN_BOTH}\. With unknown=.* With drop_null=True"),
    (GAPS, W, f": {IN_BOTH}; `weights` .* 20 of 50 rows of column 'w'"),
    (GAPS, DROPPED, ("aac" * 10, "abb" * 10), LEFT_OUT),
    # a row that lacks two values is left out for the first alone
    (GAPS, DROPPED | W, ("aa" * 10, "ab" * 10, [0.5, 1.0] * 10), LEFT_OUT | {"no weight": 10}),
    # a missing prediction is a wrong answer if asked, and a missing reference never
    (ANSWERS, DECLARED, WRONG, {}),
    (ANSWERS, DECLARED | DROPPED, WRONG, {}),
    ({"gold": ANSWERS["model"], "model": WRONG[0]}, DECLARED, "`references` .* in 20 of 80 rows"),
    (OF_0, W | {"labels": ["b", "a"]}, ("ab", "aa", [1, 0.5]), {"of weight 0": 1}),
    # an ignored row is not left out again for its weight
    (OF_0, W | {"ignore_index": "x"}, ("ab", "aa", [1, 0.5]), {"ignored": 1}),
    (NEGATIVE, W, "`weights` must be finite and not negative, got -1"),
]


@every_source
def test_missing_values_and_zero_weights_follow_the_options(source, tmp_path):
    for data, options, expected, *left_out in EVERYWHERE:
        read = reader_of(source, data, tmp_path)
        if isinstance(expected, str):
            with pytest.raises(ValueError, match=expected):
                read(**options)
            continue
        references, predictions, *weights = map(list, expected)
        how = {"sample_weight": weights[0]} if weights else {}
        how |= {x: options[x] for x in ("labels", "unknown") if x in options}
        table = read(**options)
        assert table == table_of_labels(references, predictions, **how), options
        assert [dict(table.read[0].left_out)] == left_out, options


def test_few_tables_of_batches_wait_to_be_added():
    sums = []
    for _ in range(100):
        counting._add_table(sums, table_of_labels([0, 1], [0, 0]))
        assert len(sums) < counting._N_SUMMED
    assert sum(table.n_samples for table in sums) == 200


# Files alone

TYPES = [
    pa.array([2**64 - 1, 2**63, 0, None], pa.uint64()),
    pa.array(["a", "b", "long " * 9, None], pa.string_view()).dictionary_encode(),
    pa.array([b"a", b"b", b"\xff" * 45, None], pa.binary_view()),
    pa.array([b"ab", b"cd", b"e\0", None], pa.binary(2)),
    pa.array([30, 10, 30, None], pa.dictionary(pa.int32(), pa.int64(), ordered=True)),
    pa.array(["a", "a", "b", None], pa.run_end_encoded(pa.int32(), pa.string())),
]


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "stream.arrow"])
def test_every_label_type_is_read_and_its_nulls_dropped(batches, name, tmp_path):
    for array in TYPES:
        for sides in ((array[:2], array[1:3]), (array, array)):
            try:
                WRITERS[name](columns(*sides), tmp_path / name)
            except pa.ArrowNotImplementedError:  # as low versions say of views of text
                assert name == "p.parquet"
                continue
            labels = ([x for x in side.to_pylist() if x is not None] for side in sides)
            found = table_of(tmp_path / name, drop_null=sides[0] is array)
            assert found == table_of_labels(*labels), array.type


def test_dictionaries_may_differ_between_columns_and_batches(batches, tmp_path):
    names = [f"class {i}" for i in range(200)]  # more than codes of 8 bits tell apart
    codes = pa.array(range(100), pa.int8())
    parts = [pa.DictionaryArray.from_arrays(codes, pa.array(x)) for x in (names[:100], names[100:])]
    table = pa.concat_tables([columns(part, part) for part in parts])
    with pa.ipc.new_stream(tmp_path / "p.arrow", table.schema) as writer:
        writer.write_table(table)
    # and pyarrow has no dictionary of this encoding
    how = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
    table = pa.table({"gold": names, "model": names})
    pa.parquet.write_table(table, tmp_path / "p.parquet", **how)
    for name in ("p.arrow", "p.parquet"):
        check_read(tmp_path / name, (names, names))


HEAD, ROW = ["gold", "model"], ["a", "a"]
SHEETS = [
    ([[HEAD, ROW], [HEAD, ROW]], {}, "one sheet may have these columns, got 'Sheet1', 'Sheet2'"),
    ([[HEAD, ROW], [HEAD, ["b", "b"]]], {"rows": "Sheet2"}, ("b", "b")),
    ([[HEAD, ROW]], {"rows": "Sheet2"}, "`rows` must be one of 'Sheet1', got 'Sheet2'"),
    ([[["A title"], HEAD, ROW]], {}, "'gold', which does not exist; .* columns are 'A title'"),
    ([[HEAD, ROW, ["b"]]], {}, r"None \(null\) or nan in 1 of 2 rows of column 'model'"),
    ([[]], {}, "column 'gold', which does not exist"),
]


def test_a_sheet_is_read_if_named_or_if_it_has_the_columns(tmp_path):
    path = tmp_path / "p.xlsx"
    for sheets, options, expected in SHEETS:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for number, rows in enumerate(sheets, start=1):
            sheet = book.create_sheet(f"Sheet{number}")
            for cells in rows:
                sheet.append(cells)
        book.save(path)
        if isinstance(expected, str):
            refused(path, f".*{expected}", **options)
        else:
            check_read(path, expected, **options)
            sources = table_of(path, **options).read[0].sources
            assert sources == (f"{path}, sheet Sheet2 (of Sheet1, Sheet2)",)


def test_a_workbook_of_chart_sheets_is_refused(tmp_path):
    book = openpyxl.Workbook()
    book.create_chartsheet("Chart1").add_chart(openpyxl.chart.BarChart())
    book.remove(book["Sheet"])
    book.save(tmp_path / "p.xlsx")
    for options in ({}, {"rows": "Chart1"}):
        refused(tmp_path / "p.xlsx", ".*the workbook has only chart sheets", **options)


def test_only_a_data_set_of_which_nothing_is_left_is_refused(batches, tmp_path):
    path = tmp_path / "1.parquet"
    references, weights = [-100] * 40 + [1, 0] + [5] * 40, [1.0] * 42 + [0.0] * 40
    pa.parquet.write_table(columns(references, [1] * 82, weights), path, row_group_size=10)
    table = table_of(path, weights="w", ignore_index=-100)
    assert table == table_of_labels([1, 0], [1, 1], sample_weight=[1, 1])
    pa.parquet.ParquetWriter(path, columns([1], [1]).schema).close()
    with pytest.raises(
        ValueError, match=r"1\.parquet: expected at least one sample to score, got 0"
    ):
        table_of(tmp_path)
    pa.parquet.write_table(columns([2] * 40, [2] * 20 + [1] * 20), tmp_path / "2.parquet")
    assert table_of(tmp_path).n_samples == 40
    with pytest.raises(ValueError, match=r"1\.parquet and 1 more: .* 40 samples, all ignored"):
        table_of(tmp_path, ignore_index=2)
    (tmp_path / "p.csv").write_text("gold,model")
    with pytest.raises(ValueError, match="expected at least one sample to score, got 0"):
        table_of(tmp_path / "p.csv")


def test_a_warning_of_many_batches_comes_once_at_the_caller(batches, tmp_path):
    for name in ("p.parquet", "p.jsonl"):
        WRITERS[name](columns([-100, 1, 2] * 40, [1, 1, 2] * 40), tmp_path / name)
        with pytest.warns(InformednessWarning, match="-100 in `references` counts") as caught:
            table_from_file(tmp_path / name, **COLUMNS)
        assert [one.filename for one in caught] == [__file__]


COUNTED = {"gold": ["a", "a", "b", "b"], "model": ["a", "b", "a", "b"], "s": ["x", "y", "y", "y"]}
COUNTS = [90, 10, 0, 45]
EXPECTED = table_of_pairs(COUNTED["gold"], COUNTED["model"], COUNTS)
CALLED = "each row has a different pair of labels, as in a table of counts:"


@every_source
def test_a_column_of_counts_is_read_or_asked_about(source, tmp_path):
    read = reader_of(source, COUNTED | {"0": COUNTS}, tmp_path)
    assert read(counts="0") == EXPECTED
    slices = read(counts="0", by="s")
    assert {x: table.n_samples for x, table in slices.items()} == {"x": 90, "y": 55}
    assert warned(read)[1].count(f"{CALLED} if it is one, name '0' as `counts`") == 1
    if source in WRITERS:
        names, path = COLUMNS | {"counts": "0"}, tmp_path / source
        assert table_of_labels(**read_columns(path, names).columns) == EXPECTED
        assert warned(read_columns, path)[1].count(CALLED) == 1
        with pytest.raises(ValueError, match="at most 100 rows"):
            read_columns(path, names, most_rows=100)
    for wrong in ([1.5, 1, 1, 1], [-1, 1, 1, 1], [*"111", "1,5"], [1, None, 1, 1]):
        read = reader_of(source, COUNTED | {"x": wrong}, tmp_path)
        with pytest.raises(ValueError, match=r"`counts` (and `weights` )?must (hold num|be|have)"):
            read(counts="x")


@pytest.mark.parametrize("kind", ["float64", "float32", "int64", "uint8"])
@pytest.mark.parametrize("engine", ["polars lazy", "duckdb", "ibis"])
def test_an_engine_adds_weights_up_and_returns_a_row_per_cell(engine, kind, monkeypatch):
    rng = np.random.default_rng(3)
    data = {"gold": rng.choice([*"abc"], 5000), "model": rng.choice([*"abc"], 5000)}
    weights = (rng.random(5000) * 200).astype(kind)
    weights[:1000] = 0
    n_rows, read = [], counting._read_columns

    def read_and_count(*args):
        arrow, sums = read(*args)
        n_rows.append(len(arrow))
        return arrow, sums

    monkeypatch.setattr(counting, "_read_columns", read_and_count)
    table = table_from_frame(ENGINES[engine](data | {"w": weights}), **COLUMNS, weights="w")
    expected = table_of_labels(*data.values(), sample_weight=weights.astype(float))
    assert n_rows[0] == 18  # those of weight 0 apart
    for amounts in ("counts", "squared_weights"):
        close = pytest.approx(getattr(expected, amounts), rel=1e-9)
        assert getattr(table, amounts) == close
    assert table.n_samples == expected.n_samples
    for wrong in (-1, np.nan, np.inf, -np.inf) if kind.startswith("float") else ():
        weights[-1] = wrong
        frame = ENGINES[engine](data | {"w": weights})
        with pytest.raises(ValueError, match="`weights` must be finite and not negative, got"):
            table_from_frame(frame, **COLUMNS, weights="w")


@pytest.mark.parametrize("make", [pd.DataFrame, pa.table, pl.DataFrame])
def test_counts_may_be_what_sum_returns_and_no_dates(make):
    for kind in (float, Decimal):
        frame = make(COUNTED | {"n": list(map(kind, COUNTS))})
        found = table_from_frame(frame, counts="n", **COLUMNS)
        assert (found, found.counts.dtype) == (EXPECTED, EXPECTED.counts.dtype)
    with pytest.raises(ValueError, match=r"`counts` must hold numbers, got datetime\.date"):
        table_from_frame(make(COUNTED | {"n": [date(2020, 1, 1)] * 4}), counts="n", **COLUMNS)


def test_rows_that_look_like_counted_pairs_are_warned_of():
    """More than twice as many rows as labels are most pairs."""
    some = [*zip("abcabcabcdd", "aaabbbcccdd", strict=True)][:10]
    of_some = {"gold": [r for r, _ in some], "model": [p for _, p in some]}
    twice = {name: column * 2 for name, column in COUNTED.items()} | {"s": [*"xxxxyyyy"]}
    whole = [3, 2**40, 0]
    for rows, numbers, by, is_warned in (
        (COUNTED, whole, None, True),
        (COUNTED, [0.5, 1.0], None, False),
        (COUNTED, [-1, 1], None, False),
        (COUNTED, ["x", "y"], None, False),
        (of_some, whole, None, True),
        ({"gold": [*"abcab"], "model": [*"aaabb"]}, whole, None, False),
        (twice, whole, None, False),
        (twice, whole, "s", True),
    ):
        frame = pl.DataFrame(rows | {"zahl": np.resize(numbers, len(rows["gold"]))})
        said = warned(table_from_frame, frame, **COLUMNS, by=by)[1]
        assert said.count(CALLED) == is_warned, (rows, numbers)


# Frames alone


def table_of_frame(frame, **options):
    return table_from_frame(frame, **COLUMNS | options)


def of_dictionary(indices, values):
    return pa.DictionaryArray.from_arrays(pa.array(indices), pa.array(values), safe=False)


NAMES = {"gold": ["b", "a", "b"], "model": ["a", "a", "b"]}
CODED = pa.table({name: pa.array(labels).dictionary_encode() for name, labels in NAMES.items()})
ENDS = pa.array([2, 3], pa.int32())
RUNS = [pa.RunEndEncodedArray.from_arrays(ENDS, pa.array(x)) for x in (["a", "b"], [2, 2])]
RUNS = pa.table({"gold": RUNS[0], "model": ["a", "b", "b"], "w": RUNS[1]})
WITH_NULL = [of_dictionary([0, 1, 2], ["a", None, "b"]), of_dictionary([1, 1, 0], ["b", "a"])]
UNLIKE = [pa.table(x, names=["gold", "model"]) for x in (WITH_NULL, WITH_NULL[::-1])]
ONE_NULL = r"got None \(null\) or nan in 1 of 3 rows of column 'gold'"
PLAIN = pa.array(["a"])
BROKEN = pa.table({"gold": of_dictionary([-1], ["a"]), "model": PLAIN})
NO_UTF8 = [None, pa.py_buffer(np.array([0, 1], np.int32)), pa.py_buffer(b"\xff")]
NO_UTF8 = pa.Array.from_buffers(pa.string(), 1, NO_UTF8)
OBJECTS = pl.DataFrame({"gold": ["a"], "model": pl.Series(["a"], dtype=pl.Object)})
UUID = pa.array([b"a" * 16], pa.uuid())


def weighted(*weights):
    return pl.DataFrame({"gold": ["a", "b", "b"], "model": ["a", "a", "b"], "w": weights})


def samples(gold, model, make=pl.DataFrame, **how):
    return make({"gold": gold, "model": model}, **how)


CASES = [
    # categories, runs and dictionaries count as what they stand for
    (pd.DataFrame(NAMES).astype("category"), {}, NAMES.values()),
    (pd.DataFrame(NAMES, dtype=pd.ArrowDtype(pa.string_view())), {}, NAMES.values()),
    (pl.DataFrame(NAMES, schema_overrides={"gold": pl.Categorical}), {}, NAMES.values()),
    (pl.DataFrame(NAMES, schema_overrides={"model": pl.Enum([*"zba"])}), {}, NAMES.values()),
    (CODED, {}, NAMES.values()),
    (pa.concat_tables([CODED.slice(0, 1), CODED.slice(1)]), {}, NAMES.values()),
    (RUNS.slice(1), W, ("ab", "bb", [2, 2])),
    # a null among the values of a dictionary is a null
    (UNLIKE[0], {}, ONE_NULL),
    (UNLIKE[0], DROPPED, ("ab", "ab")),
    (UNLIKE[0].to_pandas(types_mapper=pd.ArrowDtype), DROPPED, ("ab", "ab")),
    (pa.concat_tables(UNLIKE), DROPPED, ("abab", "abab")),
    # weights are finite integers, floats or decimals
    *(
        (weighted(*x), W, ("abb", "aab", list(map(float, x))))
        for x in (
            [1, 2, 2**40],  # whose square is no 64-bit integer
            [Decimal("0.25"), Decimal("2.00"), Decimal("0.00")],
            [1e30, 1e31, 1e30],  # more than counts can be
            [1e300, 1e-300, 1e300],  # whose squares no float can hold
        )
    ),
    (weighted(1, 2, 2).lazy(), W, ("abb", "aab", [1.0, 2.0, 2.0])),  # whole, and no counts
    (weighted(*"111"), W, "`weights` must hold numbers, got '1'"),
    (weighted(1.0, 1.0, float("nan")), W | DROPPED, "`weights` must be finite"),
    (weighted(1.0, 1.0, float("inf")), W, "`weights` must be finite"),
    (weighted(1e308, 1e308, 1e308), W, "`weights` must have a finite sum"),
    # a column that is not named may hold anything, also where the rows look like counts
    (samples([*"abab"], [*"abba"], pd.DataFrame).assign(odd=[object()] * 4), {}, ("abab", "abba")),
    # what is refused of samples is refused
    (samples([1, 2], [1.0, 0.7]), {}, r"`predictions` .* got 0\.7 .*a score, not a label"),
    (samples([*"xa"], [*"ya"]), {"labels": ["a"]}, "reference; 'x' is"),
    (samples([1], [[1]]), {}, "`predictions` must have one value per row, got .*'model' of .*list"),
    # what an engine cannot group is refused by argument and column
    (samples(["a"], [["b"]], pd.DataFrame, dtype=object), {}, "`predictions` .*'model' of list"),
    (samples([1, "1"], [1, "1"], pd.DataFrame, dtype=object), {}, "`frame` must .* column gold"),
    (samples(UUID, PLAIN, pa.table), {}, "`references` must hold labels.*UUID"),
    (BROKEN, {}, "column 'gold' is damaged.*-1"),
    (samples(PLAIN, NO_UTF8, pa.table), {}, "column 'model' is damaged.*UTF"),
    (OBJECTS, {}, "column 'model' holds Python objects"),  # of which polars has addresses
    # what is no frame
    *((x, {}, "`frame` must be a data frame") for x in ({"gold": ["a"]}, None, np.zeros((2, 2)))),
]
if pd.__version__ >= "3":  # pandas 2 gives them as they are
    half = samples(["a", "b"], ["\ud800", "b"], pd.DataFrame, dtype=object)
    CASES.append((half, {}, "`frame` must hold .*surrogates"))
if hasattr(pl, "Int128"):  # not in the lowest version of polars
    of_128_bits = samples([1, 2], [1, 1], schema=dict.fromkeys(COLUMNS.values(), pl.Int128))
    CASES.append((of_128_bits, {}, "`frame` must hold columns of labels"))


@pytest.mark.parametrize(("frame", "options", "expected"), CASES)
def test_a_frame_is_read_as_what_it_stands_for_or_refused(frame, options, expected):
    if isinstance(expected, str):
        with pytest.raises((ValueError, TypeError), match=f"(?s){expected}"):
            table_of_frame(frame, **options)
    else:
        references, predictions, *weights = map(list, expected)
        how = {"sample_weight": weights[0]} if weights else {}
        assert table_of_frame(frame, **options) == table_of_labels(references, predictions, **how)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pl.LazyFrame, pa.Table.from_pylist])
def test_values_within_structs_and_lists_of_a_frame_are_read(make):
    def scores(x):
        return [{"label": y, "score": 0.75 if x == y else 0.25} for y in "ba"]

    cats = [{"a": 1.0 * (x == "a"), "b": 1.0 * (x == "b")} for x in "abb"]
    columns = {"doc": [{"gold": x} for x in "abb"], "cats": cats, "out": [*map(scores, "aab")]}
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    frame = make(rows)
    if make is pa.Table.from_pylist:
        frame = duckdb.from_arrow(frame)
    for name in ("doc.gold", "argmax:cats"):
        table = table_from_frame(frame, references=name, predictions="argmax:out")
        assert table == table_of_labels([*"abb"], [*"aab"])


FOLDING = {  # pairs that are equal, and what a column is tried with
    "nocase": ("H", "h", "'a' and 'A'"),
    "noaccent": ("é", "e", r"'a' and '\\xe1'"),
    "nfc": ("\u00e9", "e\u0301", r"'\\xe9' and 'e\\u0301'"),
    "de": ("a", "a\u0001", ""),
}


@pytest.mark.slow
@pytest.mark.parametrize("collation", FOLDING)
def test_a_collation_that_merges_labels_is_refused(collation):
    *pair, tried = FOLDING[collation]
    database = duckdb.connect()
    database.register("pairs", pa.table({"gold": pair, "model": pair}))
    expected = table_of_labels(pair, pair)
    for column in COLUMNS.values():
        rows = f"select * replace ({column} collate {{}} as {column}) from pairs"
        message = f"the collation of column '{column}' treats {tried}"
        with pytest.raises(ValueError, match=message):
            table_of_frame(database.sql(rows.format(collation)))
        assert table_of_frame(database.sql(rows.format('"C"'))) == expected


@pytest.mark.slow
def test_collations_of_databases_and_columns_are_seen():
    pairs = "('H', 'h'), ('h', 'H'), ('h', 'h')"
    database, column = duckdb.connect(), ibis.sqlite.connect()
    database.execute("pragma default_collation=nocase")
    with pytest.raises(ValueError, match="treats 'a' and 'A' as equal"):
        table_of_frame(database.sql(f"select * from (values {pairs}) t(gold, model)"))
    column.raw_sql("create table t (gold text collate nocase, model text)")
    column.raw_sql(f"insert into t values {pairs}")
    expected = table_of_labels(["H", "h", "h"], ["h", "H", "h"])
    assert table_of_frame(column.table("t")) == expected


@pytest.mark.slow
@pytest.mark.parametrize("engine", ENGINES)
def test_a_column_may_have_any_name(engine):
    sides = [*"abb"], [*"aba"]
    expected = table_of_labels(*sides, sample_weight=[1, 2, 3])
    for names in (("rows", "squares"), ("references", "weights"), ("samples", "nulls")):
        frame = ENGINES[engine]({**dict(zip(names, sides, strict=True)), "len": [1.0, 2, 3]})
        read = partial(table_from_frame, frame, references=names[0])
        assert read(predictions=names[1], weights="len") == expected
    with pytest.raises(ValueError, match="`predictions` must not be the same column as"):
        read(predictions="samples")
    with pytest.raises(ValueError, match=r"'x', which does not exist; .*'samples', 'nulls', 'len'"):
        read(predictions="x")


def test_without_narwhals_the_extra_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "narwhals", None)
    with pytest.raises(ImportError, match=r"pip install 'narwhals>=2' 'pyarrow>=\d+'$"):
        table_of_frame(None)


def test_pandas_columns_are_found_by_any_name():
    data = [["a", "a", 1, 2], ["b", "b", 1, 2], ["b", "a", 3, 4]]
    several = pd.MultiIndex.from_tuples([("m", "gold"), ("m", "guess"), (0, 0), (0, 0)])
    for header, missing in (([0, 1, "x", "x"], 7), (several, ("m", "pred"))):
        read = partial(table_from_frame, pd.DataFrame(data, columns=header), references=header[0])
        assert read(predictions=header[1]) == table_of_labels([*"abb"], [*"aba"])
        for name, said in ((missing, "does not exist"), (header[2], "is not unique")):
            with pytest.raises(ValueError, match=f"`predictions` names column .*, which {said}"):
                read(predictions=name)
    with pytest.raises(ValueError, match="`references` must be the name of a column, got None"):
        table_from_frame(pd.DataFrame(data), references=None, predictions=0)


def test_a_datasets_folder_is_read_without_its_caches(tmp_path):
    """Nor is there a warning; a state of something else is a file beside the data."""
    made = datasets.Dataset.from_dict({"gold": [0, 1] * 30, "model": [0, 1, 1] * 20})
    made.save_to_disk(tmp_path)
    loaded = datasets.load_from_disk(tmp_path)
    loaded.map(lambda row: {"model": 1 - row["model"]})
    assert len(list(tmp_path.glob("cache-*.arrow"))) == 1
    table, said = warned(table_from_file, tmp_path, **COLUMNS)
    assert (said, table) == ("", table_of_labels([0, 1] * 30, [0, 1, 1] * 20))
    (tmp_path / "state.json").write_text("{")
    with pytest.raises(ValueError, match=r"state\.json: "):
        table_from_file(tmp_path, **COLUMNS)
    other = tmp_path / "other"
    other.mkdir()
    (other / "p.csv").write_text("gold,model\na,a\nb,a\n")
    for state in ('{"epoch": 3}', "5", '{"_data_files": [{"epoch": 3}]}'):
        (other / "state.json").write_text(state)
        assert "state.json" in warned(table_from_file, other, **COLUMNS)[1]


ELSEWHERE = ["../secret/s.csv", "..\\secret\\s.csv", "in/p.csv", "./p.csv", "p.csv/", "C:p.csv"]
ELSEWHERE += [
    "{}/secret/s.csv",
    "C:\\p.csv",
    "//host/p.csv",
    "~/p.csv",
    "..",
    ".",
    "in",
    "",
    "P.CSV",
]
ELSEWHERE += ["file:p.csv", "p.csv\0", "other.csv", "s?.csv", 7, None, ["p.csv"], True, {}]


def test_dask_counts_only_the_columns_that_are_read():
    import dask.dataframe

    data = {"y": [*"aabb"] * 9, "p": [*"abab"] * 9, "words": range(36)}
    frame = dask.dataframe.from_pandas(pd.DataFrame(data), npartitions=2)
    cells, _ = counting._read_columns(frame, {"references": "y", "predictions": "p"}, [*data])
    assert cells.num_rows == 4


def test_slices_need_at_least_one_column(tmp_path):
    (tmp_path / "p.csv").write_text("y,p\na,a\nb,b\n")
    read = partial(table_from_file, tmp_path / "p.csv", references="y", predictions="p")
    with pytest.raises(ValueError, match="`by` must name at least one column, got none"):
        read(by=[])


def test_the_metadata_of_datasets_are_not_read_as_data(tmp_path):
    for name in ("dataset_info.json", "dataset_infos.json", "state.json"):
        (tmp_path / name).write_text("{}")
    (tmp_path / "p.jsonl").write_text('{"y": "a", "p": "a"}\n{"y": "b", "p": "b"}\n')
    table = table_from_file(tmp_path, references="y", predictions="p")
    assert table == table_of_labels([*"ab"], [*"ab"])


def test_what_datasets_lists_must_be_files_of_its_folder(tmp_path):
    folder = tmp_path / "data"
    (folder / "in").mkdir(parents=True)
    (tmp_path / "secret").mkdir()
    for path in (folder / "p.csv", folder / "in" / "p.csv", tmp_path / "secret" / "s.csv"):
        path.write_text("gold,model\na,a\nb,a\n")
    for name in ELSEWHERE:
        name = name.format(tmp_path) if isinstance(name, str) else name
        state = {"_data_files": [{"filename": "p.csv"}, {"filename": name}]}
        (folder / "state.json").write_text(json.dumps(state))
        message = f"^{folder / 'state.json'}: each listed file must be in the "
        with pytest.raises(ValueError, match=message):
            table_from_file(folder, **COLUMNS)


def test_a_listed_link_is_followed_as_in_any_folder(tmp_path):
    """A data set that the Hub's library downloaded has links to its files, and nothing else."""
    made = datasets.Dataset.from_dict({"gold": [0, 1] * 30, "model": [0, 1, 1] * 20})
    made.save_to_disk(tmp_path / "blobs")
    snapshot = tmp_path / "snapshots" / "abc"
    snapshot.mkdir(parents=True)
    for blob in (tmp_path / "blobs").iterdir():
        (snapshot / blob.name).symlink_to(f"../../blobs/{blob.name}")
    table, said = warned(table_from_file, snapshot, **COLUMNS)
    assert (said, table) == ("", table_of_labels([0, 1] * 30, [0, 1, 1] * 20))


DEEP = 100_000 * "["
OF_CLASSES = '{"info": {"features": {"gold": {"_type": "ClassLabel", "names": %s}}}}'


def test_what_is_nested_too_deeply_is_refused_by_its_file(tmp_path):
    row = '{"gold": "a", "model": "a"}\n'
    files = {"p.jsonl": f"{row}{DEEP}", "p.json": f"[{row}, {DEEP}", "one.json": f'{{"a": {DEEP}'}
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    table = pa.table({"gold": [0, 1], "model": [0, 0]})
    for name, metadata in (("p.parquet", DEEP), ("damaged.parquet", "{")):
        changed = table.replace_schema_metadata({"huggingface": metadata})
        pa.parquet.write_table(changed, tmp_path / name)
    (tmp_path / "of_datasets").mkdir()
    (tmp_path / "of_datasets" / "state.json").write_text(DEEP)
    for path in tmp_path.iterdir():
        with pytest.raises(ValueError, match=f"^{path}"):
            table_from_file(path, **COLUMNS)


@pytest.mark.parametrize(
    "metadata",
    [
        "5",
        "[]",
        '{"info": 5}',
        '{"info": {"features": [5]}}',
        *(OF_CLASSES % x for x in ("5", "null", "{}")),
    ],
)
def test_metadata_of_another_program_name_no_classes(metadata, tmp_path):
    table = pa.table({"gold": [0, 1], "model": [0, 0]})
    pa.parquet.write_table(
        table.replace_schema_metadata({"huggingface": metadata}), tmp_path / "p.parquet"
    )
    assert table_from_file(tmp_path / "p.parquet", **COLUMNS).labels == (0, 1)
