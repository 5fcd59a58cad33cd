"""What the tests of files share: samples, writers of every format, and what refuses a file."""

import json
import re
from functools import partial

import openpyxl
import pyarrow as pa
import pyarrow.csv
import pyarrow.feather
import pyarrow.parquet
import pytest

from informedness import table_from_file
from informedness.files import arrow, delimited, json_and_excel
from informedness.files.joining import whole_columns
from informedness.files.reading import read_files
from informedness.files.samples import Samples
from informedness.tables.label_options import LabelOptions
from inputs.frame_cases import COLUMNS
from inputs.tables import table_of_labels

HOW = "file_format", "encoding", "rows", "max_bytes", "no_quotes"

# Settings of the readers: as users have them, and so small that every file has many batches.
SIZES = {
    "as it is": [],
    "in pieces": [
        (arrow, "_N_ROWS", 7),
        (arrow, "_N_BYTES", 100),
        (json_and_excel, "_N_ROWS", 7),
        (delimited, "BLOCK", 200),
    ],
    "as long text": [(arrow, "_LONG_ROW", 0), (arrow, "_N_BYTES", 100)],
}


def columns(references, predictions, weights=None):
    named = {"id": range(len(references)), "gold": references, "model": predictions}
    return pa.table(named if weights is None else named | {"w": weights})


def write_csv(table, path, delimiter=","):
    options = pyarrow.csv.WriteOptions(delimiter=delimiter, quoting_style="needed")
    pyarrow.csv.write_csv(table, path, options)


def write_arrow_file(table, path, opened=pa.ipc.new_file):
    with opened(path, table.schema) as writer:
        writer.write_table(table, max_chunksize=40)


write_arrow_stream = partial(write_arrow_file, opened=pa.ipc.new_stream)


def write_json_lines(table, path):
    path.write_text("".join(json.dumps(row) + "\n" for row in table.to_pylist()))


def write_sheet(table, path):
    """Write the middle one of three sheets, below empty rows and beside a note."""
    book = openpyxl.Workbook()
    sheet, _ = book.create_sheet("samples"), book.create_sheet("counts").append(["gold", "n"])
    for row in ([], table.column_names, *zip(*table.to_pydict().values(), strict=True), []):
        sheet.append(list(row))
    book.save(path)


WRITERS = {
    "p.parquet": lambda table, path: pa.parquet.write_table(table, path, row_group_size=64),
    "p.arrow": write_arrow_file,
    "stream.arrow": write_arrow_stream,
    "p.feather": lambda table, path: pa.feather.write_feather(table, path),
    "p.csv": write_csv,
    "p.tsv": lambda table, path: write_csv(table, path, "\t"),
    "p.jsonl": write_json_lines,
    "p.json": lambda table, path: path.write_text(json.dumps(table.to_pylist())),
    "p.xlsx": write_sheet,
}


def table_of(path, **options):
    return table_from_file(path, **COLUMNS | options)


def read_columns(path, names=COLUMNS, *, most_rows=2**20, **options):
    """Return columns of files that are read whole, as for joins and comparisons."""
    how = {x: options.pop(x) for x in HOW if x in options}
    of_rows = {x: options.pop(x) for x in ("drop_null", "keep_missing") if x in options}
    samples = Samples(names, LabelOptions(**options), **of_rows)
    return whole_columns(samples, read_files(path, samples, **how), most_rows)


def check_read(path, expected, names=COLUMNS, **options):
    """See that both ways to read files give these references and predictions."""
    expected = [list(side) for side in expected]
    assert table_from_file(path, **names, **options) == table_of_labels(*expected), path
    read = read_columns(path, names, **options).columns
    assert [column.tolist() for column in read.values()] == expected, path


def refused_as(path, pattern, error=ValueError, names=COLUMNS, **options):
    """See that both ways to read files refuse a path with the same message."""
    with pytest.raises(error, match=pattern):
        table_from_file(path, **names, **options)
    with pytest.raises(error, match=pattern):
        read_columns(path, names, **options)


def refused(path, message, **options):
    """See that the message begins with the file's name."""
    refused_as(path, f"(?s)^{re.escape(str(path))}: {message}", **options)
