"""A small file that unpacks to a large one is refused where there is a limit, and only there."""

import gzip
import subprocess
import sys
import zipfile

import numpy as np
import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import feather, ipc

from file_cases import COLUMNS, read_columns, table_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # of the labels: see test_kinds.py

MOST = 10_000_000
# Prints how many rows there are or why it does not read them, and the KiB that it took.
READ = """
import resource, sys
from informedness.inputs.samples import Samples, read_files
samples = Samples({"references": "gold", "predictions": "model"})
before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
try:
    for _ in read_files(sys.argv[1], samples, most_bytes=int(sys.argv[2])):
        pass
    print(samples.n_rows)
except ValueError as error:
    print(error)
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before)
"""


def read_elsewhere(path, most_bytes):
    """Return what a process of its own says of a file, and the bytes that it took."""
    command = [sys.executable, "-c", READ, path, str(most_bytes)]
    said = subprocess.run(command, capture_output=True, text=True, check=True).stdout.splitlines()
    return said[0], int(said[1]) * 1024


def zeros(n):
    return pa.table(dict.fromkeys(("gold", "model"), pa.array(np.zeros(n, np.int64))))


def write_stream(table, path):
    options = ipc.IpcWriteOptions(compression="zstd")
    with ipc.new_stream(path, table.schema, options=options) as writer:
        writer.write_table(table)


def write_book(n, path):
    """Write a workbook of one cell beside n bytes of text that repeats."""
    book = openpyxl.Workbook()
    book.active.append(["gold", "model"])
    book.active.append([1, 1])
    book.save(path)
    with zipfile.ZipFile(path, "a", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/more.xml", b" " * n)


def write_packed_book(n, path):
    write_book(n, path.with_suffix(""))
    path.write_bytes(gzip.compress(path.with_suffix("").read_bytes()))


WRITERS = {
    "p.parquet": lambda n, path: pa.parquet.write_table(
        pa.table({"gold": ["a" * n, "b"], "model": ["a", "b"]}), path, compression="zstd"
    ),
    "p.feather": lambda n, path: feather.write_feather(zeros(n // 16), str(path), "zstd"),
    "p.arrow": lambda n, path: write_stream(zeros(n // 16), path),
    "p.xlsx": write_book,
    "p.xlsx.gz": write_packed_book,
    "p.csv.gz": lambda n, path: path.write_bytes(
        gzip.compress(b"gold,model\na," + b"a" * n + b"\n")
    ),
}


@pytest.mark.slow
@pytest.mark.parametrize("name", WRITERS)
def test_a_small_file_that_is_large_is_refused_before_it_takes_memory(name, tmp_path):
    WRITERS[name](200_000_000, tmp_path / name)
    assert (tmp_path / name).stat().st_size < 1_000_000
    said, taken = read_elsewhere(tmp_path / name, MOST)
    assert "the file must hold at most 10,000,000 bytes, got " in said
    assert taken < 80e6


@pytest.mark.slow
def test_a_file_is_read_in_memory_that_does_not_grow_with_it(tmp_path):
    table = pa.table({"gold": ["1"] * 10_000, "model": [f"{i:>4000}" for i in range(10_000)]})
    with pa.parquet.ParquetWriter(tmp_path / "p.parquet", table.schema) as writer:
        for _ in range(12):
            writer.write_table(table)
    said, taken = read_elsewhere(tmp_path / "p.parquet", 10**9)  # of 480 MB
    assert (said, taken < 400e6) == ("120000", True)


@pytest.mark.parametrize("name", WRITERS)
def test_without_a_limit_and_within_it_the_same_is_read(name, tmp_path):
    WRITERS[name](40_000, tmp_path / name)
    wanted = table_of(tmp_path / name)
    read = read_columns(tmp_path / name, COLUMNS, most_bytes=MOST)
    assert len(read.columns["references"]) == wanted.total
    with pytest.raises(ValueError, match="at most 39,999 bytes"):
        read_columns(tmp_path / name, COLUMNS, most_bytes=39_999)


def test_dictionaries_and_buffers_that_are_not_packed_count_in_arrow(tmp_path):
    labels = pa.array([f"label {i}" for i in range(5000)]).dictionary_encode()
    table = pa.table({"gold": labels, "model": labels})
    write_stream(table, tmp_path / "packed.arrow")
    with ipc.new_file(tmp_path / "plain.arrow", table.schema) as writer:
        writer.write_table(table)
    for name in ("packed.arrow", "plain.arrow"):
        assert table_of(tmp_path / name).total == 5000
        read_columns(tmp_path / name, COLUMNS, most_bytes=table.nbytes + 2000)
        with pytest.raises(ValueError, match="bytes, got"):
            read_columns(tmp_path / name, COLUMNS, most_bytes=table.nbytes - 2000)
