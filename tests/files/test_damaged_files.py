"""Damaged files are refused by name or read as plain readers read them; large ones are refused.

Covers src: files/arrow.py, files/delimited.py, files/opening.py.
"""

import csv
import gzip
import io
import json
import os
import random
import subprocess
import sys
import zipfile
from functools import partial

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
import pytest

from informedness.files import arrow, delimited
from inputs.file_cases import (
    WRITERS,
    columns,
    read_columns,
    refused,
    table_of,
    write_arrow_stream,
    write_sheet,
)
from inputs.frame_cases import labels_and_weights
from inputs.tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py
LABELS, _ = labels_and_weights(20, 200)


def with_sums(_, path):
    """Write columns of numbers with checksums, and change a bit in the last of them."""
    write_plain(columns(*LABELS["integers"]), path, use_dictionary=False, write_page_checksum=True)
    last = pa.parquet.read_metadata(path).row_group(0).column(2)
    data = bytearray(path.read_bytes())
    data[last.data_page_offset + last.total_compressed_size - 8] ^= 1
    path.write_bytes(data)


def too_large(data):
    """Return a stream of which the first batch says that it has 2**62 bytes."""
    size = list(pa.ipc.MessageReader.open_stream(data))[1].body.size
    return data.replace(size.to_bytes(8, "little"), (2**62).to_bytes(8, "little"), 1)


write_plain = partial(pa.parquet.write_table, compression=None)
WHOLE = "p.parquet", "p.arrow", "stream.arrow", "p.feather", "p.jsonl"
JOINED = "the file must hold one (Arrow|Parquet) file, got several joined into one"
GOES_ON = "the file must hold one Arrow stream|not readable as arrow: the stream is"
DAMAGE = [
    # of a stream 8 bytes are its end, and no batch is missing
    *((name, lambda data, n=n: data[:-n], "") for name in WHOLE for n in (1, 8, 100)),
    *((name, lambda data: data * 2, JOINED) for name in ("p.arrow", "p.feather", "p.parquet")),
    *(("stream.arrow", lambda x, y=y: x + y, GOES_ON) for y in (b"x", b"\0" * 8)),
    ("stream.arrow", lambda data: data * 2, GOES_ON),
    ("stream.arrow", too_large, "not readable as arrow: .*size"),
    # a look at this column's metadata would end the process
    ("p.parquet", lambda data: data.replace(b"\x25\2\x18\4gold", b"\x25\0\x18\4gold"), ""),
    ("sums.parquet", lambda data: data, "not readable as parquet: .*checksum"),
]


@pytest.mark.parametrize(("name", "change", "message"), DAMAGE)
def test_a_file_that_is_cut_off_joined_or_changed_is_refused(
    name, change, message, monkeypatch, tmp_path
):
    monkeypatch.setattr(arrow, "_N_SEARCHED", 5)  # an end and a start stand in several blocks
    path = tmp_path / name
    (WRITERS | {"sums.parquet": with_sums})[name](columns(*LABELS["text"]), path)
    # the last line break alone is no loss
    path.write_bytes(change(path.read_bytes().removesuffix(b"\n")))
    refused(path, message)


# Damage of every kind, beside readers that read a file whole and plainly


def read_csv(data):
    text = io.StringIO(data.decode("utf-8-sig", "surrogateescape"), newline="")
    return list(csv.DictReader(text, strict=True))


READERS = {
    ".csv": read_csv,
    ".jsonl": lambda data: [json.loads(line) for line in data.split(b"\n") if line.strip()],
    ".json": json.loads,
}


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
    if path.suffix in READERS and table != undamaged:
        rows = READERS[path.suffix](path.read_bytes())
        sides = ([row[name] for row in rows] for name in ("gold", "model"))
        assert table == table_of_labels(*sides), path
    return True


FORMS = {
    **{name: write for name, write in WRITERS.items() if name != "p.tsv"},  # another p.csv
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
        one = [data[at] ^ 1 << rng.randrange(8), rng.choice(b'",\t\n\r{}:'), rng.randrange(256)]
        put = bytes([rng.choice(one)])
        changes = [(1, put), (0, put), (0, rng.randbytes(8)), (rng.choice([1, 4, 8, 64]), b"")]
        changes += [(1, put), (1, put), (rng.choice([0, 0, len(data)]), b"")]
        n_out, put = rng.choice(changes)
        data[at : at + n_out] = put
        data = data or bytearray(b"\n")
    return bytes(data)


@pytest.mark.slow
def test_damaged_files_are_refused_or_read_like_plain_readers(tmp_path):
    n_files = int(os.environ.get("DAMAGED_FILES", "40"))  # more of them find more
    for name, write in FORMS.items():
        for kind in ("integers", "text"):
            path, rng = tmp_path / name, random.Random(f"{name} {kind}")
            write(columns(*LABELS[kind]), path)
            whole, undamaged = path.read_bytes(), table_of_labels(*LABELS[kind])
            assert is_read(path, undamaged)
            n_read = 0
            for _ in range(n_files):
                path.write_bytes(damaged(whole, rng))
                n_read += is_read(path, undamaged)
            assert n_read < n_files, name


# A small file that unpacks to a large one is refused where there is a limit, and only there


# Prints how many rows there are or why it does not read them, and the KiB that it took.
READ = """
import resource, sys
from informedness.files.reading import read_files
from informedness.files.samples import Samples
samples = Samples({"references": "gold", "predictions": "model"})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    for _ in read_files(sys.argv[1], samples, max_bytes=int(sys.argv[2])):
        pass
    print(samples.n_rows)
except ValueError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def read_elsewhere(path, max_bytes):
    """Return what a process of its own says of a file, and the bytes that it took."""
    command = [sys.executable, "-c", READ, path, str(max_bytes)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return said[0], int(said[1]) * 1024


def write_packed_book(n, path):
    """Write a workbook of one row beside n bytes of text that repeats."""
    write_sheet(columns([1], [1]), path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b" " * n)
    path.write_bytes(gzip.compress(path.read_bytes()))


LARGE = {
    "p.xlsx.gz": write_packed_book,
    "p.csv.gz": lambda n, path: path.write_bytes(gzip.compress(b"gold,model\na," + b"a" * n)),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", LARGE)
def test_a_decompression_bomb_is_refused_before_it_takes_memory(name, tmp_path):
    LARGE[name](100_000_000, tmp_path / name)
    assert (tmp_path / name).stat().st_size < 1_000_000
    said, taken = read_elsewhere(tmp_path / name, 10_000_000)
    assert "the file must hold at most 10,000,000 bytes unpacked, got more" in said
    assert taken < 80e6


@pytest.mark.slow
def test_a_file_is_read_in_memory_that_does_not_grow_with_it(tmp_path):
    table = columns(["1"] * 10_000, [f"{i:>4000}" for i in range(10_000)])
    with pa.parquet.ParquetWriter(tmp_path / "p.parquet", table.schema) as writer:
        for _ in range(6):
            writer.write_table(table)
    said, taken = read_elsewhere(tmp_path / "p.parquet", 10**9)  # of 240 MB
    assert (said, taken < 120e6) == ("60000", True)


def quoted_text(rng):
    """Return CSV with quotes, of which some are stray or enclose what may be rows."""
    end = rng.choice(("\n", "\n", "\r\n", "\r"))
    line_end = rng.choice((end, "\n", "\r\n"))
    parts = "a", ",", line_end, '""', " ", "b,a,ok", f"{line_end}a,b,ok", f"{line_end}b"

    def cell():
        inside = "".join(rng.choices(parts, k=rng.randrange(4)))
        bare = "".join(rng.choices('ab" ', k=rng.randrange(3)))
        return rng.choice(("a", "b", f'"{inside}"', f'"{inside}"', bare))

    header = rng.choice(("gold,model,text", '"gold","model","text"'))
    rows = [f"{rng.choice('ab')},{rng.choice('ab')},{cell()}" for _ in range(rng.randrange(5))]
    text = end.join([header, *rows, f"{cell()},{cell()},{cell()}"]) + rng.choice((end, ""))
    at = rng.randrange(len(header), len(text)) if rng.random() < 0.3 else len(text)
    start = rng.choice(("", "\ufeff"))
    return (start + text[:at] + rng.choice(('"', "\n", ",", "")) + text[at:]).encode()


def rows_in_cells(text):
    """Return the lines of labels within cells that may be rows, or why the file is refused."""
    try:
        names = {"references": "gold", "predictions": "model"}
        return delimited.Delimited(io.BytesIO(text), "csv", names)._hidden_labels
    except ValueError as error:
        return str(error)


@pytest.mark.parametrize("block", [1 << 22, 40])
def test_blocks_of_whole_cells_are_read_as_their_lines(block, monkeypatch):
    monkeypatch.setattr(delimited, "BLOCK", block)
    rng, decided = random.Random(0), []
    has_only_whole_cells = delimited._has_only_complete_cells
    for text in (quoted_text(rng) for _ in range(1500)):
        with monkeypatch.context() as patch:
            patch.setattr(delimited, "_has_only_complete_cells", lambda *_: False)
            expected = rows_in_cells(text)
            patch.setattr(
                delimited,
                "_has_only_complete_cells",
                lambda *given: decided.append(has_only_whole_cells(*given)) or decided[-1],
            )
            assert rows_in_cells(text) == expected, text
    assert {*decided} == {False, True}


@pytest.mark.parametrize("name", LARGE)
def test_without_a_limit_and_within_it_the_same_is_read(name, tmp_path):
    LARGE[name](40_000, tmp_path / name)
    read = read_columns(tmp_path / name, max_bytes=100_000)
    assert len(read.columns["references"]) == table_of(tmp_path / name).total
    with pytest.raises(ValueError, match="at most 39,999 bytes"):
        read_columns(tmp_path / name, max_bytes=39_999)
