"""A damaged file is an error that names it, or what is left of it is read as it stands."""

import json
import os
import random
import subprocess
import sys

import pyarrow as pa
import pyarrow.parquet
import pytest

import plain_readers
from file_cases import COLUMNS, refused
from informedness import ContingencyTable, table_from_file
from test_files import INTEGERS, TEXT, WRITERS, columns, write_arrow_file, write_arrow_stream


def cut(path, n_bytes):
    path.write_bytes(path.read_bytes()[:-n_bytes])


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "stream.arrow", "p.feather", "p.jsonl"])
@pytest.mark.parametrize("n_bytes", [1, 8, 100])
def test_a_file_that_is_cut_off_is_an_error_that_names_it(name, n_bytes, tmp_path):
    if name == "p.jsonl" and n_bytes == 1:
        n_bytes = 2  # the last line break alone is no loss
    WRITERS[name](columns(*TEXT.tolist()), tmp_path / name)
    cut(tmp_path / name, n_bytes)
    with pytest.raises(ValueError, match=f"^{tmp_path / name}: "):
        table_from_file(tmp_path / name, **COLUMNS)


def test_a_stream_of_which_whole_batches_are_missing_is_an_error(tmp_path):
    table = columns(*TEXT.tolist())
    with (tmp_path / "p.arrow").open("wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
        file.flush()
        unfinished = (tmp_path / "p.arrow").read_bytes()
    (tmp_path / "p.arrow").write_bytes(unfinished)
    with pytest.raises(ValueError, match="not readable as arrow: the stream is cut off"):
        table_from_file(tmp_path / "p.arrow", **COLUMNS)


def test_a_page_of_parquet_with_a_wrong_checksum_is_an_error(tmp_path):
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(
        columns(*INTEGERS), path, use_dictionary=False, compression=None, write_page_checksum=True
    )
    metadata = pa.parquet.read_metadata(path)
    last = metadata.row_group(0).column(2)
    position = last.data_page_offset + last.total_compressed_size - 8
    data = bytearray(path.read_bytes())
    data[position] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=r"p\.parquet: not readable as parquet: .*checksum"):
        table_from_file(path, **COLUMNS)


@pytest.mark.parametrize("name", WRITERS)
def test_what_is_no_such_file_at_all_is_an_error(name, tmp_path):
    for content in (b"", b"\x00" * 100, b"PAR1" + b"x" * 100 + b"PAR1", b"ARROW1\0\0"):
        (tmp_path / name).write_bytes(content)
        with pytest.raises(ValueError, match=f"^{tmp_path / name}: "):
            table_from_file(tmp_path / name, **COLUMNS)


@pytest.mark.parametrize("name", WRITERS)
def test_an_unknown_column_is_answered_with_the_columns_there_are(name, tmp_path):
    WRITERS[name](columns(["a"], ["a"]), tmp_path / name)
    with pytest.raises(ValueError, match=r"'label'.*'id', 'gold', 'model'"):
        table_from_file(tmp_path / name, references="label", predictions="model")


# Columns of Arrow and Parquet

NESTED = {
    "list": pa.array([[1], [2]]),
    "large list": pa.array([[1], [2]], pa.large_list(pa.int64())),
    "fixed list": pa.array([[1], [2]], pa.list_(pa.int64(), 1)),
    "struct": pa.array([{"p": 1}, {"p": 2}]),
    "map": pa.array([[("p", 1)], [("q", 2)]], pa.map_(pa.string(), pa.int64())),
}


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "stream.arrow"])
@pytest.mark.parametrize("kind", NESTED)
def test_a_column_of_several_values_a_row_is_refused(kind, name, tmp_path):
    WRITERS[name](pa.table({"gold": ["a", "b"], "model": NESTED[kind]}), tmp_path / name)
    refused(tmp_path / name, "`predictions` must have one value per row, got column 'model' of ")


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow"])
def test_columns_of_several_values_a_row_may_stand_beside(name, tmp_path):
    WRITERS[name](columns(["a", "b"], ["a", "a"], NESTED["struct"]), tmp_path / name)
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "a"])
    assert table_from_file(tmp_path / name, **COLUMNS) == expected


@pytest.mark.parametrize("name", ["p.arrow", "stream.arrow"])
@pytest.mark.parametrize("index", [-1, 2, 2**31 - 1, -(2**31)])
def test_an_index_beyond_its_dictionary_is_no_label(index, name, tmp_path):
    codes = pa.DictionaryArray.from_arrays(
        pa.array([0, 1, index], pa.int32()), ["a", "b"], safe=False
    )
    WRITERS[name](pa.table({"gold": ["a", "b", "b"], "model": codes}), tmp_path / name)
    refused(tmp_path / name, "not readable as arrow: ")


def test_an_index_beyond_the_dictionary_of_a_row_group_is_no_label_of_the_next(tmp_path):
    path = tmp_path / "p.parquet"
    groups = [["a", "b", "b", "a"], ["c", "d", "e", "f"]]
    labels = [label for group in groups for label in group]
    pa.parquet.write_table(columns(labels, labels), path, row_group_size=4, compression=None)
    chunk = pa.parquet.read_metadata(path).row_group(0).column(2)
    data = bytearray(path.read_bytes())
    end = chunk.dictionary_page_offset + chunk.total_compressed_size
    packed = data.rindex(bytes([0b0110]), 0, end)  # 0, 1, 1, 0 of one bit each, the first lowest
    assert data[packed - 2 : packed] == bytes([1, 3])  # of one bit; a group of eight, packed
    data[packed - 2] = 2  # of two bits now, of which the first four are 2, 1, 0, 0
    path.write_bytes(data)
    with pytest.raises(ValueError, match=f"^{path}: not readable as parquet: "):
        table_from_file(path, **COLUMNS)


@pytest.mark.parametrize("rest", [b"x", b"\0" * 8, None], ids=["a byte", "padding", "a stream"])
def test_what_stands_behind_an_arrow_stream_is_not_passed_over(rest, tmp_path):
    path = tmp_path / "p.arrow"
    write_arrow_stream(columns(*TEXT.tolist()), path)
    once = path.read_bytes()
    path.write_bytes(once + (once if rest is None else rest))
    refused(path, "the file must hold one Arrow stream|not readable as arrow: the stream is cut")


def test_a_stream_that_asks_for_more_memory_than_there_is_is_refused(tmp_path):
    path = tmp_path / "p.arrow"
    write_arrow_stream(columns(*INTEGERS[:, :40].tolist()), path)
    messages = pa.ipc.MessageReader.open_stream(path.read_bytes())
    size = list(messages)[1].body.size.to_bytes(8, "little")
    path.write_bytes(path.read_bytes().replace(size, (2**62).to_bytes(8, "little"), 1))
    refused(path, "not readable as arrow: it asks for more memory than there is")


# JSON lines


@pytest.mark.parametrize(
    ("line", "message"),
    [
        ('{"gold": "a", "model": "a", "gold": "b"}', "is not JSON: the key 'gold' occurs twice"),
        ('{"gold": "a", "model": "a", "x": {"y": 1, "y": 1}}', "is not JSON: the key 'y' occurs"),
        ('{"gold": "a", "model": ' + "[" * 100_000, "is not JSON: "),
        ('{"gold": "\\ud800", "model": "a"}', "has half a character"),
        ('{"gold": "a", "model": "a\\uDE00"}', "has half a character"),
    ],
    ids=["key twice", "inner key twice", "deep", "surrogate", "other surrogate"],
)
def test_json_that_can_be_read_in_two_ways_or_in_none_is_refused(line, message, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"gold": "a", "model": "a"}}\n{line}\n')
    refused(path, f"line 2 {message}")


def test_json_is_utf_8(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes('\ufeff{"gold": "é\\ud83d\\ude00", "model": "é😀"}\n'.encode())
    assert table_from_file(path, **COLUMNS).labels == ("é😀",)
    for encoded in ('{"gold": "é", "model": "é"}'.encode("latin-1"), b'{"gold": "\xed\xa0\x80"}'):
        path.write_bytes(encoded)
        refused(path, "line 1 is not JSON: 'utf-8' codec can't decode")


def test_half_a_character_beside_the_labels_does_not_matter(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"gold": "a", "model": "a", "text": "\\ud800"}\n')
    assert table_from_file(path, **COLUMNS).n_samples == 1


# Damage of every kind

FORMS = {
    **WRITERS,
    "plain.parquet": lambda table, path: pa.parquet.write_table(
        table, path, compression=None, use_dictionary=False
    ),
    "coded.parquet": lambda table, path: pa.parquet.write_table(
        table, path, compression=None, row_group_size=64, data_page_version="2.0"
    ),
    "coded.arrow": lambda table, path: write_arrow_stream(
        table.set_column(1, "gold", table["gold"].combine_chunks().dictionary_encode()), path
    ),
    "coded file.arrow": lambda table, path: write_arrow_file(
        table.set_column(1, "gold", table["gold"].combine_chunks().dictionary_encode()), path
    ),
}


def outcomes_of(paths):
    """Return of each file, the first of which is undamaged, if it is "refused" or "read"."""
    result = subprocess.run(
        [sys.executable, plain_readers.__file__],
        input="".join(f"{path}\n" for path in paths),
        capture_output=True,
        text=True,
        timeout=60 + len(paths),
    )
    outcomes = [json.loads(line) for line in result.stdout.splitlines()]
    for path, outcome in zip(paths, outcomes, strict=False):
        assert outcome in ("refused", "read"), f"{path} {outcome}"
    assert len(outcomes) == len(paths), f"{paths[len(outcomes)]} ends it: {result.stderr[-500:]}"
    return outcomes


def damaged(data, rng):
    """Return bytes with a few of them changed, put in or left out."""
    data = bytearray(data)
    for _ in range(rng.choice([1, 1, 2, 8])):
        at = rng.randrange(len(data))
        if rng.random() < 0.4:  # where formats say what they hold
            at = rng.choice([at % 600, len(data) - 1 - at % 600]) % len(data)
        kind = rng.choice(["bit", "bit", "byte", "mark", "more", "less", "end"])
        if kind == "bit":
            data[at] ^= 1 << rng.randrange(8)
        elif kind == "byte":
            data[at] = rng.choice([1, 255, rng.randrange(256)])
        elif kind == "mark":
            data[at] = rng.choice(b'",\t\n\r{}:')
        elif kind == "more":
            data[at:at] = rng.choice([b'"', b"\n", rng.randbytes(1), rng.randbytes(8)])
        elif kind == "less":
            del data[at : at + rng.choice([1, 4, 8, 64])]
        elif rng.random() < 0.3:
            del data[at:]
        data = data or bytearray(b"\n")
    return bytes(data)


@pytest.mark.slow
@pytest.mark.parametrize("labels", [INTEGERS, TEXT], ids=["integers", "text"])
@pytest.mark.parametrize("name", FORMS)
def test_a_damaged_file_is_refused_or_read_as_a_plain_reader_does(name, labels, tmp_path):
    n_files = int(os.environ.get("DAMAGED_FILES", "40"))  # more of them find more
    rng = random.Random(f"{name} {labels is TEXT}")
    paths = [tmp_path / name]
    FORMS[name](columns(*labels[:, :200].tolist()), paths[0])
    for number in range(n_files):
        paths.append(tmp_path / f"{number} {name}")
        paths[-1].write_bytes(damaged(paths[0].read_bytes(), rng))
    outcomes = outcomes_of(paths)
    assert outcomes[0] == "read"
    assert "refused" in outcomes


@pytest.mark.parametrize(("name", "outcome"), [(b"id", "read"), (b"gold", "refused")])
def test_a_damaged_column_of_parquet_is_refused_and_matters_to_no_other(name, outcome, tmp_path):
    paths = [tmp_path / "p.parquet", tmp_path / "damaged.parquet"]
    pa.parquet.write_table(columns(*TEXT.tolist()), paths[0])
    field = bytes([0x25, 2, 0x18, len(name)]) + name  # which may be null
    data = paths[0].read_bytes()
    assert field in data
    paths[1].write_bytes(data.replace(field, b"\x25\0" + field[2:]))
    assert outcomes_of(paths) == ["read", outcome]
