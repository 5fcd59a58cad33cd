"""A damaged file is an error that names it, or what is left of it is read as it stands."""

import csv
import io
import json
import os
import random
from collections import Counter

import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import INTEGERS, TEXT, WRITERS, columns, refused, table_of, write_arrow_stream
from informedness import ContingencyTable


def test_a_file_that_is_cut_off_is_an_error_that_names_it(tmp_path):
    for name in ("p.parquet", "p.arrow", "stream.arrow", "p.feather", "p.jsonl"):
        path = tmp_path / name
        WRITERS[name](columns(*TEXT.tolist()), path)
        whole = path.read_bytes().removesuffix(b"\n")  # the last line break alone is no loss
        for n_bytes in (1, 8, 100):
            path.write_bytes(whole[:-n_bytes])
            refused(path, "")


def test_a_stream_of_which_whole_batches_are_missing_is_an_error(tmp_path):
    table = columns(*TEXT.tolist())
    path = tmp_path / "p.arrow"
    with path.open("wb") as file, pa.ipc.new_stream(file, table.schema) as writer:
        writer.write_table(table, max_chunksize=100)
        file.flush()
        unfinished = path.read_bytes()
    path.write_bytes(unfinished)
    refused(path, "not readable as arrow: the stream is cut off")


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
    refused(path, "not readable as parquet: .*checksum")


def test_what_is_no_such_file_at_all_is_an_error(tmp_path):
    for name in WRITERS:
        for content in (b"", b"\x00" * 100, b"PAR1" + b"x" * 100 + b"PAR1", b"ARROW1\0\0"):
            (tmp_path / name).write_bytes(content)
            with pytest.raises(ValueError, match=f"^{tmp_path / name}: "):
                table_of(tmp_path / name)


# Columns of Arrow and Parquet

NESTED = {
    "list": pa.array([[1], [2]]),
    "fixed list": pa.array([[1], [2]], pa.list_(pa.int64(), 1)),
    "struct": pa.array([{"p": 1}, {"p": 2}]),
    "map": pa.array([[("p", 1)], [("q", 2)]], pa.map_(pa.string(), pa.int64())),
}


def test_a_column_of_several_values_a_row_is_refused_but_may_stand_beside(tmp_path):
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "a"])
    for name in ("p.parquet", "p.arrow", "stream.arrow"):
        path = tmp_path / name
        for array in NESTED.values():
            WRITERS[name](pa.table({"gold": ["a", "b"], "model": array}), path)
            refused(
                path, "`predictions` must have one value per row, got .*'model' of .*argmax:NAME"
            )
            WRITERS[name](columns(["a", "b"], ["a", "a"], array), path)
            assert table_of(path) == expected, (name, array.type)


def test_an_index_beyond_its_dictionary_is_no_label(tmp_path):
    for name in ("p.arrow", "stream.arrow"):
        for index in (-1, 2):
            codes = pa.array([0, 1, index], pa.int32())
            coded = pa.DictionaryArray.from_arrays(codes, ["a", "b"], safe=False)
            WRITERS[name](pa.table({"gold": ["a", "b", "b"], "model": coded}), tmp_path / name)
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
    refused(path, "not readable as parquet: ")


def test_what_stands_behind_an_arrow_stream_is_not_passed_over(tmp_path):
    path = tmp_path / "p.arrow"
    write_arrow_stream(columns(*TEXT.tolist()), path)
    once = path.read_bytes()
    for rest in (b"x", b"\0" * 8, once):
        path.write_bytes(once + rest)
        refused(
            path, "the file must hold one Arrow stream|not readable as arrow: the stream is cut"
        )


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
        ('{"gold": "a", "model": ' + "[" * 100_000, "is not JSON: "),
        ('{"gold": "\\ud800", "model": "a"}', "has half a character"),
        ('{"gold": "a", "model": "a\\uDE00"}', "has half a character"),
    ],
)
def test_json_that_can_be_read_in_two_ways_or_in_none_is_refused(line, message, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(f'{{"gold": "a", "model": "a"}}\n{line}\n')
    refused(path, f"line 2 {message}")


def test_json_is_utf_8_and_half_a_character_beside_the_labels_does_not_matter(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes('\ufeff{"gold": "é\\ud83d\\ude00", "model": "é😀"}\n'.encode())
    assert table_of(path).labels == ("é😀",)
    for encoded in ('{"gold": "é", "model": "é"}'.encode("latin-1"), b'{"gold": "\xed\xa0\x80"}'):
        path.write_bytes(encoded)
        refused(path, "line 1 is not JSON: 'utf-8' codec can't decode")
    path.write_text('{"gold": "a", "model": "a", "text": "\\ud800"}\n')
    assert table_of(path).n_samples == 1


# Damage of every kind, beside readers that read a file whole and plainly

NAMES = ["gold", "model"]


def read_csv(path):
    delimiter = "\t" if path.suffix == ".tsv" else ","
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header, *rows = [row for row in rows if row]
    if {len(row) for row in rows} - {len(header)}:
        raise ValueError("rows of several lengths")
    return [tuple(row[header.index(name)] for name in NAMES) for row in rows]


def read_json_lines(path):
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return [tuple(row[name] for name in NAMES) for row in rows]


def read_arrow(path):
    data = path.read_bytes()
    opened = pa.ipc.open_file if data.startswith(b"ARROW1") else pa.ipc.open_stream
    names = opened(data).schema.names
    wanted = [names.index(name) for name in NAMES]  # damage beside them is none of theirs
    options = pa.ipc.IpcReadOptions(included_fields=wanted)
    return pairs_of(opened(data, options=options).read_all().select(NAMES))


def read_parquet(path):
    # not `read`, which before pyarrow 26 stops short at some damage that 26 reads over
    batches = list(pa.parquet.ParquetFile(path).iter_batches(columns=NAMES))
    return pairs_of(pa.Table.from_batches(batches))


def pairs_of(table):
    table.validate(full=True)
    return list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))


READERS = {
    ".csv": read_csv,
    ".tsv": read_csv,
    ".jsonl": read_json_lines,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".parquet": read_parquet,
}


def is_read(path, undamaged):
    """Return if a file is read, and see that it is refused by name or read as it is or was."""
    try:
        table = table_of(path, keep_empty=True)
    except ValueError as error:
        if not str(error).startswith(f"{path}: "):
            raise
        return False
    labels = table.labels
    cells = zip(table.rows, table.columns, table.counts, strict=True)
    found = {(labels[row], labels[column]): int(count) for row, column, count in cells}
    assert found == undamaged or found == Counter(READERS[path.suffix](path)), path
    return True


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
}


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
@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_damaged_file_is_refused_or_read_as_a_plain_reader_does(tmp_path):
    n_files = int(os.environ.get("DAMAGED_FILES", "40"))  # more of them find more
    for name, write in FORMS.items():
        for labels in (INTEGERS, TEXT):
            path, rng = tmp_path / name, random.Random(f"{name} {labels is TEXT}")
            write(columns(*labels[:, :200].tolist()), path)
            whole, undamaged = path.read_bytes(), Counter(READERS[path.suffix](path))
            assert is_read(path, undamaged)
            n_read = 0
            for _ in range(n_files):
                path.write_bytes(damaged(whole, rng))
                n_read += is_read(path, undamaged)
            assert n_read < n_files, name


def test_a_damaged_column_of_parquet_is_refused_and_matters_to_no_other(tmp_path):
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(columns(*TEXT.tolist()), path)
    whole, undamaged = path.read_bytes(), Counter(read_parquet(path))
    for name, wanted in ((b"id", True), (b"gold", False)):
        field = bytes([0x25, 2, 0x18, len(name)]) + name  # which may be null
        assert field in whole
        path.write_bytes(whole.replace(field, b"\x25\0" + field[2:]))
        assert is_read(path, undamaged) == wanted
