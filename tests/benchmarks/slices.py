"""Time of a report by slice beside that of the plain one: part of `make bench`.

    .venv/bin/python tests/benchmarks/slices.py --output tests/benchmarks/SLICES.md

A Parquet file of 1e7 rows, 10 classes, text as dictionaries, is read and reported on, whole and by
slice. Medians of 5 runs; the MB are those at the peak above what was there before. The goal for 100
slices is twice the time of the plain report.
"""

import argparse
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from bench import page, setting
from intervals import taken

from informedness import table_from_file
from informedness.results.slices import Slices

N, K, REPEATS = 10**7, 10, 5
SLICES = (10, 100, 1_000, 10_000)


def write(path: Path) -> None:
    """Write the file: labels are text, as dictionaries."""
    rng = np.random.default_rng(2003)
    references = rng.integers(0, K, N)
    predictions = np.where(rng.random(N) < 0.6, references, rng.integers(0, K, N))
    columns = {"label": (K, references), "model": (K, predictions)}
    columns |= {f"of {n}": (n, rng.integers(0, n, N)) for n in SLICES}
    table = {}
    for name, (n, codes) in columns.items():
        words = pa.array([f"name {i}" for i in range(n)])
        table[name] = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), words)
    pyarrow.parquet.write_table(pa.table(table), path)


def reported(path: Path, n: int) -> str:
    """Return the text of the report by so many slices, or of the plain one."""
    names = {"references": "label", "predictions": "model"}
    if not n:
        return str(table_from_file(path, **names).report())
    return str(Slices.from_tables(table_from_file(path, **names, by=f"of {n}"), by=f"of {n}"))


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    output = parser.parse_args().output
    warnings.simplefilter("ignore")
    lines = [*(__doc__ or "").splitlines()[4:], ""]
    lines += ["| report | seconds | times the plain one | MB |", "| :-- | --: | --: | --: |"]
    plain = None
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.parquet"
        write(path)
        for n in (0, *SLICES):
            seconds, megabytes = taken(lambda n=n: reported(path, n), REPEATS)
            plain = plain or seconds
            name = f"by {n} slices" if n else "plain"
            lines.append(f"| {name} | {seconds:.3g} | {seconds / plain:.2f} | {megabytes:.0f} |")
    text = page("Slices", setting("informedness numpy pyarrow"), lines)
    print(text)
    if output is not None:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
