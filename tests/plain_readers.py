"""Read files of predictions whole and plainly, to hold `table_from_file` against it.

Run as a script it reads paths from standard input and writes, for each, what became of it. The
first file of each folder is undamaged.
"""

import csv
import io
import json
import sys
import warnings
from collections import Counter
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet

NAMES = ["gold", "model"]


def read_csv(path, delimiter=","):
    text = path.read_bytes().decode("utf-8-sig", "surrogateescape")
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True)
    rows = [row for row in rows if row]
    header, *rows = rows
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
    return _pairs(opened(data, options=options).read_all().select(NAMES))


def read_parquet(path):
    # not `read`, which before pyarrow 26 stops short at some damage that 26 reads over
    batches = list(pa.parquet.ParquetFile(path).iter_batches(columns=NAMES))
    return _pairs(pa.Table.from_batches(batches))


def _pairs(table):
    table.validate(full=True)
    return list(zip(*(table[name].to_pylist() for name in NAMES), strict=True))


READERS = {
    ".csv": read_csv,
    ".tsv": lambda path: read_csv(path, "\t"),
    ".jsonl": read_json_lines,
    ".arrow": read_arrow,
    ".feather": read_arrow,
    ".parquet": read_parquet,
}


def outcome(path, undamaged):
    """Return "refused", "read" or what is wrong with what `table_from_file` makes of a file."""
    from informedness import table_from_file

    try:
        table = table_from_file(path, references="gold", predictions="model", keep_empty=True)
    except Exception as error:
        if isinstance(error, ValueError) and str(error).startswith(f"{path}: "):
            return "refused"
        return f"{type(error).__name__}: {error}"
    labels = table.labels
    cells = zip(table.rows, table.columns, table.counts, strict=True)
    found = {(labels[row], labels[column]): int(count) for row, column, count in cells}
    if found in (undamaged, Counter(READERS[path.suffix](path))):
        return "read"
    return f"gives {found}"


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    undamaged = {}
    for line in sys.stdin:
        path = Path(line.strip())
        if path.parent not in undamaged:
            undamaged[path.parent] = Counter(READERS[path.suffix](path))
        try:
            print(json.dumps(outcome(path, undamaged[path.parent])), flush=True)
        except Exception as error:
            print(json.dumps(f"is read, but {type(error).__name__} when read plainly: {error}"))
