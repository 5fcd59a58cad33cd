"""Damaged files are refused by name or read as plain readers read them; CSV in particular."""

import csv
import io
import itertools
import json
import os
import random
from collections import Counter
from functools import partial

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from file_cases import (
    COLUMNS,
    INTEGERS,
    TEXT,
    WRITERS,
    columns,
    read_columns,
    refused,
    refused_as,
    table_of,
    write_arrow_stream,
    write_json_lines,
)
from informedness.inputs import arrow
from informedness.inputs.csv import DELIMITERS
from tables import table_of_labels


def test_a_page_of_parquet_with_a_wrong_checksum_is_an_error(tmp_path):
    path, options = tmp_path / "p.parquet", {"use_dictionary": False, "compression": None}
    pa.parquet.write_table(columns(*INTEGERS), path, write_page_checksum=True, **options)
    last = pa.parquet.read_metadata(path).row_group(0).column(2)
    data = bytearray(path.read_bytes())
    data[last.data_page_offset + last.total_compressed_size - 8] ^= 1
    path.write_bytes(data)
    refused(path, "not readable as parquet: .*checksum")


# Columns of Arrow and Parquet

NESTED = [
    pa.array([[1], [2]]),
    pa.array([[1], [2]], pa.list_(pa.int64(), 1)),
    pa.array([{"p": 1}, {"p": 2}]),
    pa.array([[("p", 1)], [("q", 2)]], pa.map_(pa.string(), pa.int64())),
]


def test_a_column_of_several_values_a_row_is_refused_but_may_stand_beside(tmp_path):
    message = "`predictions` must have one value per row, got .*'model' of .*argmax:NAME"
    for name in ("p.parquet", "p.arrow", "stream.arrow"):
        path = tmp_path / name
        for array in NESTED:
            WRITERS[name](pa.table({"gold": ["a", "b"], "model": array}), path)
            refused(path, message)
            WRITERS[name](columns(["a", "b"], ["a", "a"], array), path)
            assert table_of(path) == table_of_labels(["a", "b"], ["a", "a"]), (name, array.type)


def test_a_file_that_is_cut_off_or_goes_on_behind_its_end_is_refused(tmp_path):
    for name in ("p.parquet", "p.arrow", "stream.arrow", "p.feather", "p.jsonl"):
        path = tmp_path / name
        WRITERS[name](columns(*TEXT.tolist()), path)
        whole = path.read_bytes().removesuffix(b"\n")  # the last line break alone is no loss
        for n_bytes in (1, 8, 100):  # of a stream 8 bytes are its end, and no batch is missing
            path.write_bytes(whole[:-n_bytes])
            refused(path, "")
    path = tmp_path / "p.arrow"
    write_arrow_stream(columns(*TEXT.tolist()), path)
    once = path.read_bytes()
    for rest in (b"x", b"\0" * 8, once):
        path.write_bytes(once + rest)
        refused(path, "the file must hold one Arrow stream|not readable as arrow: the stream is")


def test_files_joined_into_one_are_refused(monkeypatch, tmp_path):
    ends = ["a", "b"] * 20, ["b", "a"] * 20
    monkeypatch.setattr(arrow, "_BLOCK", 5)  # an end and a start stand in several blocks
    for name in ("p.arrow", "p.feather", "p.parquet"):
        path = tmp_path / name
        parts = []
        for predictions in ends:
            WRITERS[name](columns(["a", "b"] * 20, predictions), path)
            parts.append(path.read_bytes())
        path.write_bytes(b"".join(parts))
        refused(path, "the file must hold one (Arrow|Parquet) file, got several joined into one")


def test_a_stream_that_asks_for_more_memory_than_there_is_is_refused(tmp_path):
    path = tmp_path / "p.arrow"
    write_arrow_stream(columns(*INTEGERS[:, :40].tolist()), path)
    size = list(pa.ipc.MessageReader.open_stream(path.read_bytes()))[1].body.size
    sizes = (one.to_bytes(8, "little") for one in (size, 2**62))
    path.write_bytes(path.read_bytes().replace(*sizes, 1))
    refused(path, "not readable as arrow: it asks for more memory than there is")


# JSON lines


def test_json_that_can_be_read_in_two_ways_or_in_none_is_refused(tmp_path):
    path = tmp_path / "p.jsonl"
    for line, message in (
        ('{"gold": "a", "model": "a", "gold": "b"}', "is not JSON: the key 'gold' occurs twice"),
        ('{"gold": "a", "model": ' + "[" * 100_000, "is not JSON: "),
    ):
        path.write_text(f'{{"gold": "a", "model": "a"}}\n{line}\n')
        refused(path, f"line 2 {message}")


def test_json_is_utf_8_and_half_a_character_is_text_like_any_other(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_bytes('\ufeff{"gold": "é\\ud83d\\ude00", "model": "é😀"}\n'.encode())
    assert table_of(path).labels == ("é😀",)
    for encoded in ('{"gold": "é", "model": "é"}'.encode("latin-1"), b'{"gold": "\xed\xa0\x80"}'):
        path.write_bytes(b"\n" + encoded)
        refused(path, "line 2 is not JSON: line 2 is not text in UTF-8")
    path.write_text('{"gold": "\\ud800", "model": "a", "text": "\\ud800"}\n')
    assert table_of(path).labels == ("a", "\ud800")


# Damage of every kind, beside readers that read a file whole and plainly

NAMES = ["gold", "model"]


def read_csv(path):
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    delimiter = "\t" if path.suffix == ".tsv" else ","
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    header, *rows = [row for row in rows if row]
    if {len(row) for row in rows} - {len(header)}:
        raise ValueError("rows of several lengths")
    return [tuple(row[header.index(name)] for name in NAMES) for row in rows]


def read_json_lines(path):
    rows = [json.loads(line) for line in path.read_bytes().split(b"\n") if line.strip()]
    return [tuple(row[name] for name in NAMES) for row in rows]


def read_json(path):
    return [tuple(row[name] for name in NAMES) for row in json.loads(path.read_bytes())]


READERS = {".csv": read_csv, ".tsv": read_csv, ".json": read_json, ".jsonl": read_json_lines}


def is_read(path, undamaged):
    """Return if a file is read, and see that it is refused by name or read as it is or was.

    Other libraries read the binary formats, of which only they can say what is damaged.
    """
    try:
        table = table_of(path, keep_missing=True)
    except ValueError as error:
        if not str(error).startswith(f"{path}: "):
            raise
        return False
    labels = table.labels
    cells = zip(table.rows, table.columns, table.counts, strict=True)
    found = {(labels[row], labels[column]): int(count) for row, column, count in cells}
    plain = READERS.get(path.suffix)
    assert plain is None or found == undamaged or found == Counter(plain(path)), path
    return True


write_plain = partial(pa.parquet.write_table, compression=None)
FORMS = {
    **WRITERS,
    "plain.parquet": partial(write_plain, use_dictionary=False),
    "coded.parquet": partial(write_plain, row_group_size=64, data_page_version="2.0"),
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
        bit = bytes([data[at] ^ 1 << rng.randrange(8)])
        more = rng.choice([b'"', b"\n", rng.randbytes(1), rng.randbytes(8)])
        changes = [
            *[(1, bit), (1, bit), (1, rng.choice([b"\1", b"\xff", rng.randbytes(1)]))],
            *[(1, bytes([rng.choice(b'",\t\n\r{}:')])), (0, more)],
            *[(rng.choice([1, 4, 8, 64]), b""), (rng.choice([0, 0, len(data)]), b"")],
        ]
        n_out, put = rng.choice(changes)
        data[at : at + n_out] = put
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
            whole, undamaged = (
                path.read_bytes(),
                Counter(zip(*labels[:, :200].tolist(), strict=True)),
            )
            assert is_read(path, undamaged)
            n_read = 0
            for _ in range(n_files):
                path.write_bytes(damaged(whole, rng))
                n_read += is_read(path, undamaged)
            assert n_read < n_files, name


def test_a_damaged_column_of_parquet_is_refused_and_matters_to_no_other(tmp_path):
    path = tmp_path / "p.parquet"
    pa.parquet.write_table(columns(*TEXT.tolist()), path)
    whole = path.read_bytes()
    for name, wanted in ((b"id", True), (b"gold", False)):
        field = bytes([0x25, 2, 0x18, len(name)]) + name  # which may be null
        assert field in whole
        path.write_bytes(whole.replace(field, b"\x25\0" + field[2:]))
        assert is_read(path, {}) == wanted


# Quotes


def test_a_quote_that_swallows_rows_is_refused_with_its_line(tmp_path):
    for rows, line in (
        (["a,a", '"b,b', "c,c"], 3),
        (['a,"a', '"b",b', "c,c"], 2),
        (['a,"', 'b,"b"', "c,c", "d,d"], 2),
        (["a,a", '"a "fine" thing",b'], 3),
        (['"a\n",b', '"a\n"" and so on,b', "c,c"], 4),
    ):
        text = "\n".join(["gold,model", *rows, ""])
        for kind, delimiter in DELIMITERS.items():
            path = tmp_path / f"p.{kind}"
            path.write_text(text.replace(",", delimiter))
            refused(path, f"the row that begins in line {line} has a quoted field that is not well")


SWALLOWING = [  # rows, of which a stray quote makes a cell, and the line where that begins
    ("gold,model,text", ["b,b,ok", 'a,a,"Hi', "b,b,ok", 'a,b,fine"'], 3),
    ("text,gold,model", ["ok,b,b", '"Hi,b,b', "ok,a,b", 'so",a,b'], 3),
    ("gold,text,model", ["b,ok,b", 'a,"Hi,a', "b,ok,b", 'a,fine",b', "a,ok,a"], 3),
    ("gold,model", ["a,b", "b,a", '"a,b', "b,b", "a,a", 'b",a'], 4),
    ("gold,model,text", ["a,a,ok", 'b,b,"Hi', *["a,b,so", "b,a,ok"] * 50, 'a,a,end"'], 3),
]
PROSE = [
    ("text,gold,model", ['"Dear a,\nwell, b, a\nyes, no, no\nso",a,a', "b,b,b"]),
    ("gold,model,text", ['a,a,"one, two, three\nfour, five, six"', 'b,b,"a,b\nb"']),
    ("gold,text,model", ['a,"x, y\n\nz",a', 'b,"a\nb",b']),
    ("gold,model,text", ['a,b,"Hello\nworld"', 'b,a,"So\n"', 'a,a,"\n,,\n"']),
]


def test_rows_within_a_quoted_cell_are_refused_and_prose_is_read(tmp_path):
    for kind, delimiter in DELIMITERS.items():
        path = tmp_path / f"p.{kind}"
        for head, rows, line in SWALLOWING:
            path.write_text("\n".join([head, *rows, ""]).replace(",", delimiter))
            refused(path, f"the row that begins in line {line} .*it goes on in another row")
        for head, rows in PROSE:
            path.write_text("\n".join([head, *rows, ""]).replace(",", delimiter))
            assert table_of(path).n_samples == len(rows), rows


def test_a_quote_within_a_field_is_text(tmp_path):
    labels = ['5"', 'a "fine" thing', 'b"', '6""']
    (tmp_path / "p.csv").write_text("gold,model\n" + "".join(f"{x},{x}\n" for x in labels))
    assert table_of(tmp_path / "p.csv") == table_of_labels(labels, labels)


def test_cells_and_names_may_be_longer_than_a_reader_of_python_allows(tmp_path):
    limit, long = csv.field_size_limit(), "x" * 140_000
    path = tmp_path / "p.csv"
    for cell in (f'"{long}"', f'{long}"'):
        path.write_text(f'gold,model,"{long}"\na,{cell},b\n')
        assert table_of(path).n_samples == 1
    path.write_text(f"gold,model,{long * 40}\na,a,b\n")
    refused(path, "not readable as csv: field larger than field limit")
    assert csv.field_size_limit() == limit


# What stands around the rows


def test_the_header_says_what_separates_columns(tmp_path):
    for name, delimiter in itertools.product(("p.csv", "p.tsv"), ",;\t|"):
        for start, end in itertools.product(("", f"sep={delimiter}\n"), ("\n", "\r\n", "\r")):
            for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
                text = f'{start}gold,model\n"a{delimiter}",é\nb,a\n'
                text = text.replace("gold,", f"gold{delimiter}").replace(",é", f"{delimiter}é")
                text = text.replace("b,", f"b{delimiter}").replace("\n", end)
                (tmp_path / name).write_bytes(text.encode(encoding))
                check_read(tmp_path / name, ([f"a{delimiter}", "b"], ["é", "a"]))


def test_an_error_names_what_hides_the_columns(tmp_path):
    path = tmp_path / "p.csv"
    rows = "göld,model\na,a\n"
    for text, message in (
        (f"A title\n\n{rows}", "row 3 has them"),
        (f"# {rows}{rows}", "row 3 has them"),
        (f"# by a, b and c\n{rows.replace(',', ';')}", "row 2 has them"),
        (f"\n{rows}", "row 2 has them"),
        (f"{rows}(2 rows)", r"each row must have 2 cells, .* got 1 in '\(2 rows\)'"),
        ("", "the columns are none"),
        ("x," * 99_999, "the columns are 'x', .* and 99,960 more"),
        ("\0" * 99, r"line 1 is not text in UTF-8, at .*: give its encoding as encoding="),
        (rows.encode("utf-16-le"), "not text in UTF-8, .*: give its encoding as encoding="),
        (rows.encode("latin-1"), r"line 1 is not text in UTF-8, at b'g\\xf6ld.*such as 'cp1252'"),
    ):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(ValueError, match=f"^{path}: .*{message}"):
            table_of(path, references="göld")
    path.write_text("gold,model,gold\na,a,b\n")
    refused(path, ".*column 'gold', which occurs twice; the columns are 'gold', 'model', 'gold'$")


def test_text_in_another_encoding_is_read_if_it_is_named_and_else_refused(tmp_path):
    words = {"cp1252": "schön", "cp1251": "хорошо", "cp932": "肯定", "gb18030": "正面"}
    for encoding, word in (words | {"utf-16-le": "schön"}).items():
        for name in ("p.csv", "p.jsonl"):
            is_csv = name.endswith("csv")
            line = "a,{0}\nb,{0}\n" if is_csv else '{{"gold": "a", "model": "{0}"}}\n' * 2
            text = "gold,model\n" * is_csv + line.format(word)
            (tmp_path / name).write_bytes(text.encode(encoding))
            refused(tmp_path / name, ".*is not text in UTF-8.*encoding=")
            table = table_of(tmp_path / name, encoding=encoding)
            assert (table.n_samples, word in table.labels) == (2, True)
    for encoding, message in (("ascii", "is not in the encoding ascii"), ("x", "Python knows")):
        refused_as(tmp_path / "p.jsonl", message, encoding=encoding)
    write_json_lines(pa.table({"gold": ["a"]}), tmp_path / "p.parquet")
    refused_as(tmp_path / "p.parquet", "and parquet is none: leave it out", encoding="cp1252")


# Empty cells

CELLS = 'gold,model\na,a\n"b",""\n,b\n"a","b"\nb,b\na,\n'
WITHOUT_NULLS = ["a", "a", "b"], ["a", "b", "b"]
AS_TEXT = [["a", "b", "", "a", "b", "a"], ["a", "", "b", "b", "b", ""]]


def check_read(path, expected, **options):
    """See that both ways to read files give these references and predictions."""
    assert table_of(path, **options) == table_of_labels(*expected)
    read = read_columns(path, COLUMNS, **options).columns
    assert [column.tolist() for column in read.values()] == list(expected)


def test_an_empty_cell_is_a_null_whoever_wrote_it_or_empty_text_on_request(tmp_path):
    for kind, delimiter in DELIMITERS.items():
        path = tmp_path / f"p.{kind}"
        path.write_text(CELLS.replace(",", delimiter))
        refused(
            path,
            r"`references` must have a value in every row, got an empty cell, or "
            r"text such as NA in 1 of 6 rows of column 'gold'; `predictions` .* in 2 of 6 rows of "
            "column 'model': "
            'unknown="wrong" with `labels` counts a missing prediction as wrong, drop_null=True '
            "leaves out rows with missing values, which flatters a model that gives up on hard "
            "samples, keep_missing=True reads such text as labels$",
        )
        check_read(path, WITHOUT_NULLS, drop_null=True)
        check_read(path, AS_TEXT, keep_missing=True)
        check_read(path, AS_TEXT, keep_missing=True, drop_null=True)


def test_an_empty_weight_is_a_null_and_never_text(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model,w\na,a,1\nb,b,\nb,a,2\n")
    for given_option in ({}, {"keep_missing": True}):
        with pytest.raises(ValueError, match="in 1 of 3 rows of column 'w'"):
            table_of(path, weights="w", **given_option)
    table = table_of(path, weights="w", drop_null=True)
    assert table == table_of_labels(["a", "b"], ["a", "a"], sample_weight=[1, 2])


def test_what_only_looks_empty_is_a_label(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model\n ,Na\nnone,NONE\n-1, \n")
    check_read(path, ([" ", "none", "-1"], ["Na", "NONE", " "]))
