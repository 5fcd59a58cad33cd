"""What unpacks to gigabytes fails in a process of its own, and what does not passes."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from pyarrow import feather

pytestmark = pytest.mark.full

TRIAL = Path(__file__).resolve().parents[2] / "spaces" / "page" / "trial.py"
ROWS = np.arange(300_000) % 5


def write_long_label(path: Path) -> None:
    """Write one label of 9 MB in 20,000 rows: the file says 9 MB, and decoding takes 180 GB."""
    label = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), ["a" * 9_000_000])
    table = pa.table({"gold": label, "model": ["a"] * 20_000})
    pa.parquet.write_table(table, path, compression="zstd", store_schema=False)


def tried(path: Path, kind: str) -> tuple[int, int]:
    """Return the exit code of a trial, and how many bytes it took."""
    src = TRIAL.parents[2] / "src"
    env = {**os.environ, "PYTHONPATH": str(src)}
    process = subprocess.Popen([sys.executable, TRIAL, path, kind, "10000000"], env=env)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_maxrss * 1024


def test_what_takes_gigabytes_ends_in_a_process_of_its_own(tmp_path: Path) -> None:
    write_long_label(tmp_path / "p.parquet")
    assert (tmp_path / "p.parquet").stat().st_size < 10_000
    code, n_bytes = tried(tmp_path / "p.parquet", "parquet")
    assert code != 0
    assert n_bytes < 1 << 30


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_a_large_file_without_a_trick_passes_and_so_does_damage(kind: str, tmp_path: Path) -> None:
    table = pa.table({"gold": ROWS, "model": ROWS[::-1]})
    write = pa.parquet.write_table if kind == "parquet" else feather.write_feather
    write(table, str(tmp_path / "p"))
    assert tried(tmp_path / "p", kind)[0] == 0
    content = (tmp_path / "p").read_bytes()
    (tmp_path / "p").write_bytes(content[: len(content) // 2])
    assert tried(tmp_path / "p", kind)[0] == 0
