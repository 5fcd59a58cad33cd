"""Files of any size and format give the table of their samples, exactly, or an error."""

import json
import subprocess
import sys
import warnings

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from file_cases import (
    COLUMNS,
    INTEGERS,
    SIZES,
    TEXT,
    WEIGHTS,
    WRITERS,
    columns,
    refused,
    table_of,
    write_arrow_file,
    write_arrow_stream,
    write_csv,
    write_json_lines,
)
from informedness import ContingencyTable, InformednessWarning, table_from_file
from informedness.inputs import readers
from informedness.inputs.paths import list_files


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batches(request, monkeypatch):
    """Read files as users do, and in batches so small that every file has many."""
    for name, size in request.param.items():
        monkeypatch.setattr(readers, name, size)


def test_every_format_gives_the_table_of_its_samples(batches, tmp_path):
    for name in WRITERS:
        is_text = name.endswith(("csv", "tsv"))
        for labels in (INTEGERS, TEXT):
            for weights in (None, WEIGHTS):
                WRITERS[name](columns(*labels.tolist(), weights), tmp_path / name)
                given = {"numeric": is_text and labels is INTEGERS, "keep_empty": is_text}
                given |= {} if weights is None else {"weights": "w"}
                expected = ContingencyTable.from_labels(*labels, sample_weight=weights)
                found = table_of(tmp_path / name, **given)
                assert found == expected, (name, labels.dtype, given)


OPTIONS = [
    {"labels": [*range(12, -4, -1)]},
    {"ignore_index": -3},
    {"labels": [*range(12), 99], "unknown": "wrong", "ignore_index": -3},
]


def in_text(options):
    """Return options in which labels are text."""
    return {
        name: value if name == "unknown" else np.array(value).astype(str).tolist()
        for name, value in options.items()
    }


@pytest.mark.slow
def test_labels_unknown_and_ignore_index_do_what_they_do_with_samples(batches, tmp_path):
    integers = INTEGERS.copy()
    integers[0, integers[0] < 0] = -3
    for name in ("p.parquet", "p.jsonl", "p.csv"):
        for as_text in (True,) if name == "p.csv" else (False, True):
            labels = integers.astype(str) if as_text else integers
            WRITERS[name](columns(*labels.tolist(), WEIGHTS), tmp_path / name)
            for options in map(in_text, OPTIONS) if as_text else OPTIONS:
                for weights in ({}, {"weights": "w"}):
                    expected = ContingencyTable.from_labels(
                        *labels, sample_weight=WEIGHTS if weights else None, **options
                    )
                    found = table_of(tmp_path / name, **weights, **options)
                    assert found == expected, (name, options, weights)


ARRAYS = {
    "int8": pa.array([1, -1, 2], pa.int8()),
    "uint64": pa.array([2**64 - 1, 2**63, 0], pa.uint64()),
    "bool": pa.array([True, False, True]),
    "float": pa.array([1.0, -2.0, 2.0**60]),
    "large_string": pa.array(["a", "b", "a\0"], pa.large_string()),
    "string_view": pa.array(["a", "b", "long " * 9], pa.string_view()),
    "binary_view": pa.array([b"a", b"b", b"\xff" * 45], pa.binary_view()),
    "dictionary of views": pa.array(["a", "b", "long " * 9], pa.string_view()).dictionary_encode(),
    "binary": pa.array([b"a", b"b\xff", b"a\0"]),
    "fixed": pa.array([b"ab", b"cd", b"e\0"], pa.binary(2)),
    "dictionary": pa.array(["b", "a", "b"]).dictionary_encode(),
    "dictionary of integers": pa.array([7, -1, 7]).dictionary_encode(),
    "dictionary in order": pa.DictionaryArray.from_arrays([1, 0, 1], [10, 30], ordered=True),
}


def test_every_type_of_label_is_read_as_it_is_and_its_nulls_are_dropped(batches, tmp_path):
    for kind, array in ARRAYS.items():
        for nulls in ([], [None]):
            references = array.to_pylist() + nulls
            predictions = [references[i] for i in (2, 0, 1)] + nulls
            if kind == "dictionary of views":  # which is not made of a list
                view = pa.string_view()
                sides = [pa.array(x, view).dictionary_encode() for x in (references, predictions)]
            else:
                sides = [pa.array(x, array.type) for x in (references, predictions)]
            table = pa.table(dict(zip(("gold", "model"), sides, strict=True)))
            expected = ContingencyTable.from_labels(references[:3], predictions[:3])
            for name in ("p.parquet", "p.arrow", "stream.arrow"):
                try:
                    WRITERS[name](table, tmp_path / name)
                except pa.ArrowNotImplementedError:  # as low versions say of views of text
                    assert name == "p.parquet"
                    continue
                if nulls:
                    refused(tmp_path / name, ".* in 1 of 4 rows of column 'gold'")
                found = table_of(tmp_path / name, drop_null=bool(nulls))
                assert found == expected, (name, kind, nulls)


def test_a_dictionary_on_one_side_meets_plain_integers_on_the_other(tmp_path):
    table = pa.table({"gold": pa.array([7, -1, 7]).dictionary_encode(), "model": [7, 7, 2**62]})
    write_arrow_file(table, tmp_path / "p.arrow")
    expected = ContingencyTable.from_labels([7, -1, 7], [7, 7, 2**62])
    assert table_of(tmp_path / "p.arrow") == expected


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
    assert table_of(tmp_path / "p.arrow") == ContingencyTable.from_labels(names, names)


labels_of_json = st.one_of(
    st.lists(st.tuples(st.text(max_size=3), st.text(max_size=3)), min_size=1),
    st.lists(st.tuples(*[st.integers(-(2**63), 2**64 - 1)] * 2), min_size=1),
)


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. -100")
@settings(max_examples=40, deadline=None)
@given(labels_of_json)
def test_json_lines_keep_the_types_of_json(tmp_path_factory, pairs):
    path = tmp_path_factory.mktemp("json") / "p.jsonl"
    path.write_text("".join(json.dumps({"gold": r, "model": p}) + "\n" for r, p in pairs))
    assert table_of(path) == ContingencyTable.from_labels(*zip(*pairs, strict=True))


def test_json_of_mixed_types_is_refused_wherever_it_stands(monkeypatch, tmp_path):
    path = tmp_path / "p.jsonl"
    monkeypatch.setattr(readers, "_LINES", 7)
    for first, last, message in (
        ('"a"', "1", "type"),
        ("1", '"1"', "type"),
        ("1", "18446744073709551616", "64 bits, got 18446744073709551616"),
        ("1", "0.7", r"0\.7.*a score, not a label"),
        ("1", "NaN", "nan.*a missing value"),
        ('"a"', "{}", "not a label"),
    ):
        for n_between in (0, 10):  # in the same batch, and in the next
            lines = [*[first] * (1 + n_between), last]
            path.write_text("".join(f'{{"gold": {x}, "model": {x}}}\n' for x in lines))
            refused(path, f".*{message}")


def test_text_beyond_64_bits_is_no_integer(tmp_path):
    write_csv(columns(["001", "1", str(2**64 - 1)], ["1", "1", "1"]), tmp_path / "p.csv")
    table = table_of(tmp_path / "p.csv", numeric=True)
    assert table == ContingencyTable.from_labels([1, 1, 2**64 - 1], [1, 1, 1])
    write_csv(columns(["1", str(2**64)], ["1", "1"]), tmp_path / "p.csv")
    with pytest.raises(ValueError, match="`references` must hold integers of at most 64 bits"):
        table_of(tmp_path / "p.csv", numeric=True)


def test_every_format_is_read_in_batches(monkeypatch, tmp_path):
    for size, value in SIZES["in pieces"].items():
        monkeypatch.setattr(readers, size, value)
    for name in WRITERS:
        WRITERS[name](columns(*TEXT.tolist()), tmp_path / name)
        ((path, file_format),) = list_files(tmp_path / name, None)
        sizes = [batch.n_rows for batch in readers.read_batches(path, file_format, COLUMNS)]
        assert (sum(sizes), max(sizes) <= 40) == (500, True), name


def test_text_stands_for_an_integer_where_the_labels_are_integers(tmp_path):
    WRITERS["p.jsonl"](columns([1, 2, -1], [1, 1, 1]), tmp_path / "p.jsonl")
    table = table_of(tmp_path / "p.jsonl", labels=["2", "1"], ignore_index="-1")
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
    assert table_of(str(folder)) == whole
    assert table_of([folder / "day=0", *map(str, files[2:])]) == whole


def test_files_of_several_formats_can_be_listed_but_not_lie_in_one_folder(tmp_path):
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "p.csv")
    write_json_lines(columns(["a"], ["b"]), tmp_path / "p.jsonl")
    expected = ContingencyTable.from_labels(["a", "b", "a"], ["a", "a", "b"])
    assert table_of([tmp_path / "p.csv", tmp_path / "p.jsonl"]) == expected
    with pytest.raises(ValueError, match="must have one format, got csv, jsonl"):
        table_of(tmp_path)


def test_parts_without_an_ending_are_read_in_the_format_given(tmp_path):
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "part-00000")
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "a"])
    assert table_of(tmp_path, file_format="csv") == expected
    with pytest.raises(ValueError, match=r"`file_format` must be one of .*'jsonl'.*, got 'xml'"):
        table_of(tmp_path, file_format="xml")


def test_no_file_is_an_error(tmp_path):
    with pytest.raises(ValueError, match="`path` must name at least one file"):
        table_of([])
    with pytest.raises(ValueError, match=f"{tmp_path}: the folder must hold files"):
        table_of(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"no\.csv"):
        table_of(tmp_path / "no.csv")


def test_files_with_labels_of_other_types_are_refused_by_name(tmp_path):
    pa.parquet.write_table(columns([1, 2], [1, 1]), tmp_path / "1.parquet")
    pa.parquet.write_table(columns(["1", "2"], ["1", "1"]), tmp_path / "2.parquet")
    with pytest.raises(ValueError, match=r"2\.parquet: .*one type.*integers and strings"):
        table_of(tmp_path)


def test_an_empty_part_adds_nothing_and_an_empty_data_set_is_refused(tmp_path):
    schema = pa.schema({"gold": pa.string(), "model": pa.string()})
    pa.parquet.write_table(schema.empty_table(), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"1\.parquet: there must be a sample to score, got 0"):
        table_of(tmp_path)
    pa.parquet.write_table(columns(["a", "b"], ["a", "b"]), tmp_path / "2.parquet")
    assert table_of(tmp_path).n_samples == 2


# What is left out: ignored samples, weightless samples, nulls


def test_only_a_data_set_of_which_nothing_is_left_is_refused(batches, tmp_path):
    path = tmp_path / "p.parquet"
    references = [-100] * 40 + [1, 0] + [5] * 40
    weights = [1.0] * 42 + [0.0] * 40
    pa.parquet.write_table(columns(references, [1] * 82, weights), path, row_group_size=10)
    table = table_of(path, weights="w", ignore_index=-100)
    assert table == ContingencyTable.from_labels([1, 0], [1, 1], sample_weight=[1, 1])
    pa.parquet.write_table(columns([-100] * 40, [1] * 40), path)
    with pytest.raises(ValueError, match=r"p\.parquet: .*got 40 samples, and none is left"):
        table_of(path, ignore_index=-100)


def test_a_reference_of_minus_100_warns_once_for_all_batches(batches, tmp_path):
    for name in ("p.parquet", "p.jsonl"):
        WRITERS[name](columns([-100, 1, 2] * 40, [1, 1, 2] * 40), tmp_path / name)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            table_from_file(tmp_path / name, **COLUMNS)
            table_of(tmp_path / name, ignore_index=-100)
            table_of(tmp_path / name, labels=[-100, 1, 2])
        assert [str(one.message) for one in caught] == [
            "informedness: -100 among the references counts as a class: ignore_index=-100 drops it"
        ]
        assert caught[0].category is InformednessWarning
        assert caught[0].filename == __file__


def test_nulls_are_refused_with_their_number_or_left_out_on_request(batches, tmp_path):
    weights = [1.0, 1.0, 1.0, None] * 10 + [0.25, 1.0, 1.0, 0.5] * 10
    for name, a, b in (
        ("p.parquet", "a", "b"),
        ("p.arrow", 2**53 + 1, 1),
        ("p.jsonl", 2**53 + 1, 1),
        ("p.jsonl", "a", "b"),
    ):
        folder = tmp_path / f"{name} of {a}"
        folder.mkdir()
        references = [a, None, b, a] * 20
        predictions = [a, a, None, b] * 20
        WRITERS[name](columns(references, predictions, weights), folder / f"1{name}")
        WRITERS[name](columns([a], [a], [1.0]), folder / f"2{name}")
        WRITERS[name](columns([a], [None], [1.0]), folder / f"3{name}")
        message = (
            f"^{folder}/1{name} and 1 more: `references` .* in 20 of 82 rows of column 'gold'; "
            "`predictions` .* in 21 of 82 rows of column 'model'; "
            r"`weights` .* in 10 of 82 rows of column 'w': drop_null=True \(--drop-null\) leaves"
        )
        with pytest.raises(ValueError, match=message):
            table_of(folder, weights="w")
        table = table_of(folder, drop_null=True)
        assert table == ContingencyTable.from_labels([a] * 41, [a] * 21 + [b] * 20)
        kept_weights = [1.0] * 10 + [0.25] * 10 + [1.0] + [0.5] * 10
        expected = ContingencyTable.from_labels(
            [a] * 31, [a] * 21 + [b] * 10, sample_weight=kept_weights
        )
        assert table_of(folder, weights="w", drop_null=True) == expected


def test_a_null_among_the_values_of_a_dictionary_is_a_null(tmp_path):
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 1, 2]), pa.array(["a", None, "b"]))
    write_arrow_stream(pa.table({"gold": codes, "model": ["a", "b", "b"]}), tmp_path / "p.arrow")
    with pytest.raises(ValueError, match=r"None \(null\) in 1 of 3 rows of column 'gold'"):
        table_of(tmp_path / "p.arrow")
    table = table_of(tmp_path / "p.arrow", drop_null=True)
    assert table == ContingencyTable.from_labels(["a", "b"], ["a", "b"])


def test_weights_that_are_none_and_unknown_without_labels_are_refused(tmp_path):
    for weights, message in (
        ([1.0, -1.0], r"`sample_weight` must be finite and not negative, got -1\.0"),
        ([1.0, float("nan")], "`sample_weight` must be finite and not negative, got nan"),
        (["1", "2"], "`sample_weight` must hold numbers"),
    ):
        pa.parquet.write_table(columns([1, 2], [1, 2], weights), tmp_path / "p.parquet")
        with pytest.raises(ValueError, match=f"p.parquet: {message}"):
            table_of(tmp_path / "p.parquet", weights="w")
    with pytest.raises(ValueError, match='`unknown` can be "wrong" only with `labels`'):
        table_of("no such file.csv", unknown="wrong")  # before anything is read


# Size

# Prints the number of samples and by how many MiB the peak of memory grew.
STREAMED = """
import re, sys
from pathlib import Path
import pyarrow.parquet
from informedness import table_from_file

def peak():
    status = Path("/proc/self/status").read_text()
    return int(re.search(r"VmHWM:\\s*(\\d+) kB", status)[1]) // 1024

before = peak()
columns = {"references": "gold", "predictions": "model"}
table = table_from_file(sys.argv[1], **columns, labels=["1", "2"], unknown="wrong")
print(table.n_samples, peak() - before)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="reads the peak memory from /proc")
def test_a_file_is_read_in_memory_that_does_not_grow_with_it(tmp_path):
    n_rows, n_groups = 10_000, 12
    predictions = pa.array([f"{i:>4000}" for i in range(n_rows)])
    table = pa.table({"gold": ["1"] * n_rows, "model": predictions})  # in all 480 MB
    path = tmp_path / "long text.parquet"
    with pa.parquet.ParquetWriter(path, table.schema) as writer:
        for _ in range(n_groups):
            writer.write_table(table)
    command = [sys.executable, "-c", STREAMED, str(path)]
    output = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    n_samples, peak = map(int, output.split())
    assert n_samples == n_groups * n_rows
    assert peak < 400, f"{peak} MiB"


@pytest.mark.slow
def test_the_command_does_not_import_pandas_which_takes_longer_than_all_the_rest(tmp_path):
    pa.parquet.write_table(columns(*TEXT.tolist()), tmp_path / "p.parquet")
    code = "import sys; from informedness.cli import main; main(); print('pandas' in sys.modules)"
    command = [sys.executable, "-c", code, "report", "p.parquet", "-r", "gold", "-p", "model"]
    shown = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert shown.endswith("\nFalse\n")
