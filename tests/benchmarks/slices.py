"""Time of a report by slice beside that of the plain one: part of `make bench`.

    .venv/bin/python tests/benchmarks/slices.py --output tests/benchmarks/SLICES.md

A Parquet file of 1e7 rows, 10 classes, is read and reported on, whole and by slice. Each run is a
new process; they take turns, and the median counts.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
from bench import versions

N, K, REPEATS = 10**7, 10, 5
SLICES = (10, 100, 1_000, 10_000)
RUN = """
import resource, sys, time, warnings
warnings.simplefilter("ignore")
from informedness import Report, Slices, table_from_file
path, by = sys.argv[1], sys.argv[2]
options = {"references": "label", "predictions": "model"}
start = time.perf_counter()
if by == "none":
    str(Report.from_table(table_from_file(path, **options)))
else:
    str(Slices.from_tables(table_from_file(path, by=by, **options), by=by))
seconds = time.perf_counter() - start
print(seconds, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def write(path: Path) -> None:
    """Write the file: labels are text, as dictionaries."""
    rng = np.random.default_rng(2003)
    references = rng.integers(0, K, N)
    predictions = np.where(rng.random(N) < 0.6, references, rng.integers(0, K, N))
    names = pa.array([f"class {i}" for i in range(K)])
    columns = {"label": references, "model": predictions}
    table = {
        name: pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32()), names)
        for name, codes in columns.items()
    }
    for n in SLICES:
        slices = pa.array([f"slice {i}" for i in range(n)])
        codes = pa.array(rng.integers(0, n, N), pa.int32())
        table[f"of {n}"] = pa.DictionaryArray.from_arrays(codes, slices)
    pyarrow.parquet.write_table(pa.table(table), path)


def main() -> None:
    """Measure, and print or write the page."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path)
    output = parser.parse_args().output
    load = os.getloadavg()[0]
    works = ["none", *(f"of {n}" for n in SLICES)]
    found: dict[str, list[list[float]]] = {work: [] for work in works}
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "p.parquet"
        write(path)
        for _ in range(REPEATS):
            for work in works:
                run = [sys.executable, "-c", RUN, str(path), work]
                printed = subprocess.run(run, check=True, capture_output=True, text=True).stdout
                found[work].append([float(x) for x in printed.split()])
    medians = {
        work: [statistics.median(x) for x in zip(*runs, strict=True)]
        for work, runs in found.items()
    }
    lines = [
        "# Slices",
        "",
        "    python tests/benchmarks/slices.py --output tests/benchmarks/SLICES.md",
        "",
        f"{time.strftime('%Y-%m-%d')}, {os.cpu_count()} cores, load {load:.1f}; "
        f"{versions('informedness numpy pyarrow')}.",
        "",
        f"A report on {N:.0e} rows of Parquet with {K} classes, text as dictionaries; medians of "
        f"{REPEATS} processes, the goal for 100 slices twice the plain one.",
        "",
        "| report | seconds | times the plain one | MB of the process |",
        "| :-- | --: | --: | --: |",
    ]
    for work, (seconds, megabytes) in medians.items():
        name = "plain" if work == "none" else f"by {work.removeprefix('of ')} slices"
        ratio = seconds / medians["none"][0]
        lines.append(f"| {name} | {seconds:.3g} | {ratio:.2f} | {megabytes:.0f} |")
    text = "\n".join(lines) + "\n"
    print(text)
    if output is not None:
        output.write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main()
