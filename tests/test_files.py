"""Files of any size and format give the table of their samples, exactly, or an error."""

import json
import re
import subprocess
import sys
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_cases import COLUMNS
from informedness import ContingencyTable, InformednessWarning, table_from_file
from informedness.inputs import readers
from informedness.inputs.paths import list_files

RNG = np.random.default_rng(20)
INTEGERS = RNG.integers(-3, 12, (2, 500))
NAMES = np.array(
    ["ham", "spam", "", "é", "a,b", 'say "x"', "two\nlines", "001", "1", " 1", "NA", "x"]
)
TEXT = NAMES[INTEGERS % 12]
WEIGHTS = RNG.integers(0, 9, 500) / 4  # sums of which are exact, in any order; some are 0


SIZES = {
    "as it is": {},
    "in pieces": {"_ROWS": 7, "_LINES": 7, "_BYTES": 100, "_BLOCK": 200},
    "as long text": {"_ROW_BYTES": 0, "_BYTES": 100},
}


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batches(request, monkeypatch):
    """Read files as users do, and in batches so small that every file has many."""
    for name, size in request.param.items():
        monkeypatch.setattr(readers, name, size)


def write_csv(table, path, delimiter=","):
    options = pyarrow.csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    pyarrow.csv.write_csv(table, path, options)


def write_arrow_file(table, path):
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=40)


def write_arrow_stream(table, path):
    with pa.ipc.new_stream(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=40)


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


WRITERS = {
    "p.parquet": lambda table, path: pa.parquet.write_table(table, path, row_group_size=64),
    "p.arrow": write_arrow_file,
    "stream.arrow": write_arrow_stream,
    "p.feather": lambda table, path: pa.feather.write_feather(table, path),
    "p.csv": write_csv,
    "p.tsv": lambda table, path: write_csv(table, path, "\t"),
    "p.jsonl": write_json_lines,
}


def columns(references, predictions, weights=None):
    named = {"id": range(len(references)), "gold": references, "model": predictions}
    return pa.table(named if weights is None else named | {"w": weights})


@pytest.mark.parametrize("name", WRITERS)
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("labels", [INTEGERS, TEXT], ids=["integers", "text"])
def test_every_format_gives_the_table_of_its_samples(batches, name, labels, weights, tmp_path):
    table = columns(*labels.tolist(), weights)
    WRITERS[name](table, tmp_path / name)
    is_text = name.endswith(("csv", "tsv"))
    given = {"numeric": is_text and labels is INTEGERS, "keep_empty": is_text}
    given |= {} if weights is None else {"weights": "w"}
    expected = ContingencyTable.from_labels(*labels, sample_weight=weights)
    assert table_from_file(tmp_path / name, **COLUMNS, **given) == expected


OPTIONS = {
    "declared": {"labels": [*range(12, -4, -1)]},
    "ignored": {"ignore_index": -3},
    "unknown": {"labels": [*range(12, -4, -1), 99][3:], "unknown": "wrong", "ignore_index": -3},
}


@pytest.mark.parametrize("encoding", ["DELTA_BYTE_ARRAY", "DELTA_LENGTH_BYTE_ARRAY", "PLAIN"])
def test_parquet_of_text_is_read_in_any_encoding(encoding, tmp_path):
    path = tmp_path / "p.parquet"
    references, predictions = ["aa", "ab", "aa"] * 100, ["aa", "ab", "ab"] * 100
    table = columns(references, predictions)
    encodings = dict.fromkeys(COLUMNS.values(), encoding)
    pa.parquet.write_table(table, path, use_dictionary=False, column_encoding=encodings)
    wanted = ContingencyTable.from_labels(references, predictions)
    assert table_from_file(path, **COLUMNS) == wanted


@pytest.mark.slow
@pytest.mark.parametrize("weights", [None, WEIGHTS], ids=["", "weighted"])
@pytest.mark.parametrize("as_text", [False, True])
@pytest.mark.parametrize("name", ["p.parquet", "p.jsonl", "p.csv"])
@pytest.mark.parametrize("options", OPTIONS.values(), ids=OPTIONS)
def test_labels_unknown_and_ignore_index_do_what_they_do_with_samples(
    batches, options, name, as_text, weights, tmp_path
):
    references, predictions = INTEGERS.copy()
    if "unknown" in options:
        references[references < 0] = -3
        options = {**options, "labels": [*range(12), 99]}
    if as_text or name == "p.csv":
        references, predictions = references.astype(str), predictions.astype(str)
        options = {
            key: [*map(str, value)]
            if key == "labels"
            else value
            if key == "unknown"
            else str(value)
            for key, value in options.items()
        }
    WRITERS[name](columns(references.tolist(), predictions.tolist(), weights), tmp_path / name)
    expected = ContingencyTable.from_labels(
        references, predictions, sample_weight=weights, **options
    )
    given = {} if weights is None else {"weights": "w"}
    assert table_from_file(tmp_path / name, **COLUMNS, **given, **options) == expected


ARRAYS = {
    "int8": pa.array([1, -1, 2], pa.int8()),
    "uint64": pa.array([2**64 - 1, 2**63, 0], pa.uint64()),
    "bool": pa.array([True, False, True]),
    "float": pa.array([1.0, -2.0, 2.0**60]),
    "large_string": pa.array(["a", "b", "a\0"], pa.large_string()),
    "string_view": pa.array(["a", "b", "long " * 9], pa.string_view()),
    "binary": pa.array([b"a", b"b\xff", b"a\0"]),
    "fixed": pa.array([b"ab", b"cd", b"e\0"], pa.binary(2)),
    "dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
    "dictionary of integers": pa.array([7, -1, 7]).dictionary_encode(),
}


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "stream.arrow"])
@pytest.mark.parametrize("kind", ARRAYS)
def test_every_type_of_label_is_read_as_it_is(batches, kind, name, tmp_path):
    array = ARRAYS[kind]
    table = pa.table(
        {"gold": array, "model": pa.array([array.to_pylist()[i] for i in (2, 0, 1)], array.type)}
    )
    try:
        WRITERS[name](table, tmp_path / name)
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this version of pyarrow does not write {array.type} to Parquet")
    labels = array.to_pylist()
    expected = ContingencyTable.from_labels(labels, [labels[i] for i in (2, 0, 1)])
    assert table_from_file(tmp_path / name, **COLUMNS) == expected


VIEWS = {
    "text": pa.array(["a", None, "long " * 9], pa.string_view()),
    "bytes": pa.array([b"a", None, b"\xff" * 45], pa.binary_view()),
}
VIEWS |= {f"dictionary of {kind}": array.dictionary_encode() for kind, array in VIEWS.items()}


@pytest.mark.parametrize("name", ["p.arrow", "stream.arrow", "p.feather"])
@pytest.mark.parametrize("kind", VIEWS)
def test_nulls_among_views_of_text_are_counted_and_dropped(batches, kind, name, tmp_path):
    table = pa.table({"gold": VIEWS[kind], "model": VIEWS[kind]})
    WRITERS[name](pa.concat_tables([table, table]), tmp_path / name)
    with pytest.raises(ValueError, match="in 2 of 6 rows of column 'gold'"):
        table_from_file(tmp_path / name, **COLUMNS)
    labels = [label for label in VIEWS[kind].to_pylist() * 2 if label is not None]
    expected = ContingencyTable.from_labels(labels, labels)
    assert table_from_file(tmp_path / name, **COLUMNS, drop_null=True) == expected


def test_a_dictionary_on_one_side_meets_plain_integers_on_the_other(tmp_path):
    table = pa.table({"gold": pa.array([7, -1, 7]).dictionary_encode(), "model": [7, 7, 2**62]})
    write_arrow_file(table, tmp_path / "p.arrow")
    expected = ContingencyTable.from_labels([7, -1, 7], [7, 7, 2**62])
    assert table_from_file(tmp_path / "p.arrow", **COLUMNS) == expected


def test_dictionaries_too_large_to_be_joined_are_counted_one_by_one(tmp_path):
    parts = []
    for start in (0, 100):
        names = pa.array([f"class {i}" for i in range(start, start + 100)])
        codes = pa.DictionaryArray.from_arrays(pa.array(range(100), pa.int8()), names)
        parts.append(pa.record_batch({"gold": codes, "model": codes}))
    with pa.ipc.new_stream(tmp_path / "p.arrow", parts[0].schema) as writer:
        for part in parts:
            writer.write_batch(part)
    names = [f"class {i}" for i in range(200)]
    assert table_from_file(tmp_path / "p.arrow", **COLUMNS) == ContingencyTable.from_labels(
        names, names
    )


labels_of_json = st.one_of(
    st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1),
    st.lists(st.tuples(*[st.integers(-(2**63), 2**64 - 1)] * 2), min_size=1),
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. -100")
@settings(max_examples=60, deadline=None)
@given(labels_of_json)
def test_json_lines_keep_the_types_of_json(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("json") / "p.jsonl"
    path.write_text("".join(json.dumps({"gold": r, "model": p}) + "\n" for r, p in pairs))
    assert table_from_file(path, **COLUMNS) == ContingencyTable.from_labels(
        *zip(*pairs, strict=True)
    )


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (['"a"', "1"], "type"),
        (["1", '"1"'], "type"),
        (["1", "18446744073709551616"], "64 bits, got 18446744073709551616"),
        (["1", "0.7"], r"0\.7.*a score, not a label"),
        (["1", "NaN"], "nan.*a missing value"),
        (["1", "[1]"], "one label is wanted"),
        (['"a"', "{}"], "not a label"),
    ],
)
@pytest.mark.parametrize("apart", [0, 10])
def test_json_of_mixed_types_is_refused_wherever_it_stands(batches, rows, message, apart, tmp_path):
    lines = [rows[0]] * (1 + apart) + [rows[1]]
    path = tmp_path / "p.jsonl"
    path.write_text("".join(f'{{"gold": {x}, "model": {x}}}\n' for x in lines))
    with pytest.raises(ValueError, match=f"(?s)^{path}: .*{message}"):
        table_from_file(path, **COLUMNS)


def test_text_beyond_64_bits_is_no_integer(tmp_path):
    write_csv(columns(["001", "1", str(2**64 - 1)], ["1", "1", "1"]), tmp_path / "p.csv")
    table = table_from_file(tmp_path / "p.csv", **COLUMNS, numeric=True)
    assert table == ContingencyTable.from_labels([1, 1, 2**64 - 1], [1, 1, 1])
    write_csv(columns(["1", str(2**64)], ["1", "1"]), tmp_path / "p.csv")
    with pytest.raises(ValueError, match="`references` must hold integers of at most 64 bits"):
        table_from_file(tmp_path / "p.csv", **COLUMNS, numeric=True)


def test_the_message_says_from_which_row_the_position_counts(batches, tmp_path):
    values = [1.0] * 250 + [0.7]
    pa.parquet.write_table(columns(values, values), tmp_path / "p.parquet", row_group_size=100)
    with pytest.raises(ValueError, match=r"p\.parquet: .*got 0\.7 at position \d+: ") as raised:
        table_from_file(tmp_path / "p.parquet", **COLUMNS)
    numbers = re.findall(r"from (\d+) on|position (\d+)", str(raised.value))
    assert sum(int(first or second) for first, second in numbers) == 250


@pytest.mark.parametrize("name", WRITERS)
def test_every_format_is_read_in_batches(name, monkeypatch, tmp_path):
    for size, value in SIZES["in pieces"].items():
        monkeypatch.setattr(readers, size, value)
    WRITERS[name](columns(*TEXT.tolist()), tmp_path / name)
    ((path, file_format),) = list_files(tmp_path / name, None)
    sizes = [batch.n_rows for batch in readers.read_batches(path, file_format, COLUMNS)]
    assert sum(sizes) == 500
    assert max(sizes) <= 40


def test_text_stands_for_an_integer_where_the_labels_are_integers(tmp_path):
    WRITERS["p.jsonl"](columns([1, 2, -1], [1, 1, 1]), tmp_path / "p.jsonl")
    table = table_from_file(tmp_path / "p.jsonl", **COLUMNS, labels=["2", "1"], ignore_index="-1")
    assert table == ContingencyTable.from_labels([1, 2], [1, 1], labels=[2, 1])


# Several files, folders


@pytest.fixture
def folder(tmp_path):
    """Parts as Spark writes them: folders within, markers and checksums beside."""
    parts = tmp_path / "predictions"
    for number in range(4):
        path = parts / f"day={number % 2}" / f"part-{number:05}.snappy.parquet"
        path.parent.mkdir(parents=True, exist_ok=True)
        piece = slice(number * 125, (number + 1) * 125)
        pa.parquet.write_table(columns(*TEXT[:, piece].tolist(), WEIGHTS[piece]), path)
        path.with_name(f".{path.name}.crc").write_bytes(b"crc")
    (parts / "_SUCCESS").touch()
    (parts / "_temporary").mkdir()
    (parts / "_temporary" / "part-9.parquet").write_bytes(b"half written")
    return parts


def test_a_folder_and_a_list_of_files_are_one_data_set(folder):
    whole = ContingencyTable.from_labels(*TEXT)
    files = sorted(folder.rglob("part-0*.parquet"))
    assert table_from_file(folder, **COLUMNS) == whole
    assert table_from_file(str(folder), **COLUMNS) == whole
    assert table_from_file(files, **COLUMNS) == whole
    assert table_from_file([folder / "day=0", *map(str, files[2:])], **COLUMNS) == whole


def test_files_of_several_formats_can_be_listed_but_not_lie_in_one_folder(tmp_path):
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "p.csv")
    write_json_lines(columns(["a"], ["b"]), tmp_path / "p.jsonl")
    expected = ContingencyTable.from_labels(["a", "b", "a"], ["a", "a", "b"])
    assert table_from_file([tmp_path / "p.csv", tmp_path / "p.jsonl"], **COLUMNS) == expected
    with pytest.raises(ValueError, match="must have one format, got csv, jsonl"):
        table_from_file(tmp_path, **COLUMNS)


def test_a_file_in_a_folder_is_never_passed_over_because_of_its_ending(tmp_path):
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "p.csv")
    (tmp_path / "q.text.gz").write_bytes(b"")
    with pytest.raises(ValueError, match=r"q\.text\.gz: the format must be one of"):
        table_from_file(tmp_path, **COLUMNS)


def test_parts_without_an_ending_are_read_in_the_format_given(tmp_path):
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "part-00000")
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "a"])
    assert table_from_file(tmp_path, file_format="csv", **COLUMNS) == expected
    with pytest.raises(ValueError, match=r"`file_format` must be one of .*'jsonl'.*, got 'xml'"):
        table_from_file(tmp_path, file_format="xml", **COLUMNS)


def test_no_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="`path` must name at least one file"):
        table_from_file([], **COLUMNS)
    with pytest.raises(ValueError, match=f"{tmp_path}: the folder must hold files"):
        table_from_file(tmp_path, **COLUMNS)
    with pytest.raises(FileNotFoundError, match=r"no\.csv"):
        table_from_file(tmp_path / "no.csv", **COLUMNS)


def test_files_with_labels_of_other_types_are_refused_by_name(tmp_path):
    pa.parquet.write_table(columns([1, 2], [1, 1]), tmp_path / "1.parquet")
    pa.parquet.write_table(columns(["1", "2"], ["1", "1"]), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"2\.parquet: .*one type.*integers and strings"):
        table_from_file(tmp_path, **COLUMNS)


def test_an_empty_part_adds_nothing_and_an_empty_data_set_is_refused(tmp_path):
    schema = pa.schema({"gold": pa.string(), "model": pa.string()})
    pa.parquet.write_table(schema.empty_table(), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"1\.parquet: there must be a sample to score, got 0"):
        table_from_file(tmp_path, **COLUMNS)
    pa.parquet.write_table(columns(["a", "b"], ["a", "b"]), tmp_path / "2.parquet")
    assert table_from_file(tmp_path, **COLUMNS).n_samples == 2


# What is left out: ignored samples, weightless samples, nulls


def test_only_a_data_set_of_which_nothing_is_left_is_refused(batches, tmp_path):
    path = tmp_path / "p.parquet"
    references = [-100] * 40 + [1, 0] + [5] * 40
    weights = [1.0] * 42 + [0.0] * 40
    pa.parquet.write_table(columns(references, [1] * 82, weights), path, row_group_size=10)
    table = table_from_file(path, **COLUMNS, weights="w", ignore_index=-100)
    assert table == ContingencyTable.from_labels([1, 0], [1, 1], sample_weight=[1, 1])
    pa.parquet.write_table(columns([-100] * 40, [1] * 40), path)
    with pytest.raises(ValueError, match=r"p\.parquet: .*got 40 samples, and none is left"):
        table_from_file(path, **COLUMNS, ignore_index=-100)


@pytest.mark.parametrize("name", ["p.parquet", "p.jsonl"])
def test_a_reference_of_minus_100_warns_once_for_all_batches(batches, name, tmp_path):
    WRITERS[name](columns([-100, 1, 2] * 40, [1, 1, 2] * 40), tmp_path / name)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        table_from_file(tmp_path / name, **COLUMNS)
    assert [str(one.message) for one in caught] == [
        "informedness: -100 among the references counts as a class: ignore_index=-100 drops it"
    ]
    assert caught[0].category is InformednessWarning
    assert caught[0].filename == __file__
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table_from_file(tmp_path / name, **COLUMNS, ignore_index=-100)
        table_from_file(tmp_path / name, **COLUMNS, labels=[-100, 1, 2])


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "p.jsonl"])
@pytest.mark.parametrize("labels", [["a", "b"], [2**53 + 1, 1]], ids=["text", "integers"])
def test_nulls_are_refused_with_their_number_or_left_out_on_request(
    batches, labels, name, tmp_path
):
    a, b = labels
    references = [a, None, b, a] * 20
    predictions = [a, a, None, b] * 20
    weights = [1.0, 1.0, 1.0, None] * 10 + [0.25, 1.0, 1.0, 0.5] * 10
    folder = tmp_path / "parts"
    folder.mkdir()
    WRITERS[name](columns(references, predictions, weights), folder / f"1{name}")
    WRITERS[name](columns([a], [a], [1.0]), folder / f"2{name}")
    WRITERS[name](columns([a], [None], [1.0]), folder / f"3{name}")
    with pytest.raises(ValueError) as raised:  # noqa: PT011 the whole message is compared
        table_from_file(folder, **COLUMNS, weights="w")
    assert str(raised.value) == (
        f"{folder}/1{name} and 1 more: "
        "`references` must have a value in every row, got None (null) in 20 of 82 rows of column "
        "'gold'; `predictions` must have a value in every row, got None (null) in 21 of 82 rows of "
        "column 'model'; `weights` must have a value in every row, got None (null) in 10 of 82 "
        "rows of column 'w': drop_null=True (--drop-null) leaves out rows with missing values"
    )
    left = [a] * 20 + [a] * 20 + [a], [a] * 20 + [b] * 20 + [a]
    table = table_from_file(folder, **COLUMNS, drop_null=True)
    assert table == ContingencyTable.from_labels(*left)
    left = [a] * 31, [a] * 21 + [b] * 10
    table = table_from_file(folder, **COLUMNS, weights="w", drop_null=True)
    kept_weights = [1.0] * 10 + [0.25] * 10 + [1.0] + [0.5] * 10
    assert table == ContingencyTable.from_labels(*left, sample_weight=kept_weights)


def test_a_null_among_the_values_of_a_dictionary_is_a_null(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))
    write_arrow_stream(pa.table({"gold": codes, "model": ["a", "b", "b"]}), tmp_path / "p.arrow")
    with pytest.raises(ValueError, match=r"None \(null\) in 1 of 3 rows of column 'gold'"):
        table_from_file(tmp_path / "p.arrow", **COLUMNS)
    table = table_from_file(tmp_path / "p.arrow", **COLUMNS, drop_null=True)
    assert table == ContingencyTable.from_labels(["a", "b"], ["a", "b"])


def test_nothing_but_nulls_is_a_data_set_without_samples(tmp_path):
    pa.parquet.write_table(columns([None] * 3, [1] * 3), tmp_path / "p.parquet")
    with pytest.raises(ValueError, match="3 of 3 rows of column 'gold'"):
        table_from_file(tmp_path / "p.parquet", **COLUMNS)
    with pytest.raises(ValueError, match="got 3 samples, and none is left: all are"):
        table_from_file(tmp_path / "p.parquet", **COLUMNS, drop_null=True)


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0, -1.0], r"`sample_weight` must be finite and not negative, got -1\.0"),
        ([1.0, float("nan")], "`sample_weight` must be finite and not negative, got nan"),
        (["1", "2"], "`sample_weight` must hold numbers"),
    ],
)
def test_weights_that_are_none_are_refused(weights, message, tmp_path):
    pa.parquet.write_table(columns([1, 2], [1, 2], weights), tmp_path / "p.parquet")
    with pytest.raises(ValueError, match=f"p.parquet: {message}"):
        table_from_file(tmp_path / "p.parquet", **COLUMNS, weights="w")


def test_unknown_needs_labels_before_anything_is_read():
    with pytest.raises(ValueError, match='`unknown` can be "wrong" only with `labels`'):
        table_from_file("no such file.csv", **COLUMNS, unknown="wrong")


# Size

STREAMED = """
import re, sys
from pathlib import Path
from informedness import (table_from_file)
table = table_from_file(sys.argv[1], references="gold", predictions="model")
peak = re.search(r"VmHWM:\\s*(\\d+) kB", Path("/proc/self/status").read_text())
print(table.n_samples, int(peak[1]) // 1024)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory from /proc")
@pytest.mark.parametrize("kind", ["integers", "text", "long text"])
def test_a_file_is_read_in_memory_that_does_not_grow_with_it(kind, tmp_path):
    n = 1_000_000 if kind != "long text" else 10_000  # a row group
    repeats = 12
    codes = np.random.default_rng(0).integers(0, 50, n)
    if kind == "integers":
        array = pa.array(codes)
    elif kind == "text":
        names = pa.array([f"class {i}" for i in range(50)])
        array = pa.DictionaryArray.from_arrays(pa.array(codes), names)
    else:
        array = pa.array([f"{i:>4000}" for i in range(n)])
    table = pa.table({"gold": array, "model": array})
    if kind == "long text":
        table = table.set_column(0, "gold", pa.array(["1"] * n))
    path = tmp_path / "p.parquet"
    with pa.parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(repeats):
            writer.write_table(table)
    command = [sys.executable, "-c", STREAMED, str(path)]
    if kind == "long text":
        command[2] = STREAMED.replace('"model")', '"model", labels=["1", "2"], unknown="wrong")')
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    n_samples, peak = map(int, output.split())
    assert n_samples == n * repeats
    assert peak < 500, f"{peak} MiB"


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["integers", "text"])
def test_a_file_is_read_without_pandas_which_takes_longer_to_import_than_the_file(kind, tmp_path):
    labels = INTEGERS if kind == "integers" else TEXT
    pa.parquet.write_table(columns(*labels.tolist(), WEIGHTS), tmp_path / "p.parquet")
    code = (
        "import sys; from informedness.cli import main; code = main(sys.argv[1:]); "
        "sys.exit(code or 'pandas' in sys.modules)"
    )
    command = [sys.executable, "-c", code, "report", str(tmp_path / "p.parquet")]
    command += ["--references", "gold", "--predictions", "model", "--weights", "w"]
    subprocess.run(command, check=True, capture_output=True)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [INTEGERS, TEXT], ids=["integers", "text"])
def test_columns_of_arrow_are_read_without_pandas_too(labels, tmp_path):
    table = columns(*labels.tolist(), WEIGHTS)
    table = table.append_column("coded", table["gold"].combine_chunks().dictionary_encode())
    write_arrow_file(table, tmp_path / "p.arrow")
    code = (
        "import sys, pyarrow as pa; from informedness import ContingencyTable\n"
        "table = pa.ipc.open_file(sys.argv[1]).read_all()\n"
        "chunk = table.combine_chunks().to_batches()[0]\n"
        "for part in (table, chunk):\n"
        "    for references in sys.argv[2:]:\n"
        "        given = [part[name] for name in (references, 'model', 'w')]\n"
        "        ContingencyTable.from_labels(*given[:2], sample_weight=given[2])\n"
        "sys.exit('pandas' in sys.modules)"
    )
    names = ["gold", "coded"] if labels is TEXT else ["gold"]
    subprocess.run([sys.executable, "-c", code, str(tmp_path / "p.arrow"), *names], check=True)


def test_pandas_categories_of_integers_keep_their_integers(tmp_path):
    frame = pd.DataFrame({"gold": [30, 10, 30], "model": [30, 30, 10]}).astype("category")
    frame.to_parquet(tmp_path / "p.parquet")
    frame.to_feather(tmp_path / "p.feather")
    expected = ContingencyTable.from_labels([30, 10, 30], [30, 30, 10])
    for name in ("p.parquet", "p.feather"):
        assert table_from_file(tmp_path / name, **COLUMNS) == expected
