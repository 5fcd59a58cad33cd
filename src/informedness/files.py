"""Files of predictions, one row a sample: CSV, TSV, JSON lines and Parquet."""

import csv
import io
import json
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from .coding import Label
from .contingency import ContingencyTable
from .reading import LabelArray, read_labels, show

FORMATS = {
    ".csv": "csv",
    ".tsv": "tsv",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".parquet": "parquet",
}

_LONG_FILE = 50_000_000  # bytes, about a second of reading: shorter files need no progress bar


def table_from_file(
    path: str,
    *,
    references: str,
    predictions: str,
    weights: str | None = None,
    file_format: str | None = None,
    numeric: bool = False,
    labels: list[Any] | None = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
) -> ContingencyTable:
    """Return the contingency table of a file of predictions.

    Parameters
    ----------
    path : str
        The file; "-" is standard input, which needs `file_format`.
    references, predictions, weights : str
        Names of the columns.
    file_format : {"csv", "tsv", "jsonl", "parquet"}, optional
        By default what the file's ending says.
    numeric : bool
        Whether text labels are integers. CSV and TSV are read as text, in which 001 is not 1;
        JSON lines and Parquet have types of their own.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`; text stands for an integer where the file's labels
        are integers.

    Raises
    ------
    ValueError
        If the file, a column or a label is not as it must be; the message names the file.
    ImportError
        If pyarrow is missing.
    """
    file_format = file_format or FORMATS.get(Path(path).suffix.lower())
    if file_format is None:
        raise ValueError(
            f"{path}: the format must be one of {sorted(set(FORMATS.values()))} and does not show "
            "in the file's ending: give it with --format-in"
        )
    names = [references, predictions, *([weights] if weights else [])]
    try:
        with _opened(path) as stream:
            columns = _read_columns(stream, file_format, names, weights)
        pair = [
            _as_labels(columns[name], role, numeric)
            for name, role in ((references, "references"), (predictions, "predictions"))
        ]
        is_integer = pair[0].dtype.kind != "O"
        return ContingencyTable.from_labels(
            *pair,
            labels=labels if labels is None else [_typed(label, is_integer) for label in labels],
            sample_weight=columns[weights] if weights else None,
            ignore_index=_typed(ignore_index, is_integer),
            unknown=unknown,
        )
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error


def _read_columns(
    stream: BinaryIO, file_format: str, names: list[str], weights: str | None
) -> dict[str, Any]:
    """Return the named columns, as arrays or lists of labels and numbers."""
    if file_format == "jsonl":
        return _read_json_lines(stream, names)
    try:
        import pyarrow
        import pyarrow.csv
        import pyarrow.parquet
    except ImportError as error:
        raise ImportError(
            "reading CSV, TSV and Parquet needs pyarrow: pip install 'informedness[cli]'"
        ) from error
    try:
        if file_format == "parquet":
            parquet = pyarrow.parquet.ParquetFile(stream)
            _check_columns(names, parquet.schema_arrow.names)
            table = parquet.read(columns=names)
        else:
            delimiter = "\t" if file_format == "tsv" else ","
            _check_columns(names, _header(stream, delimiter))
            table = pyarrow.csv.read_csv(
                stream,
                parse_options=pyarrow.csv.ParseOptions(
                    delimiter=delimiter, newlines_in_values=True
                ),
                convert_options=pyarrow.csv.ConvertOptions(
                    include_columns=names,
                    column_types={
                        name: pyarrow.float64() if name == weights else pyarrow.string()
                        for name in names
                    },
                    strings_can_be_null=False,
                ),
            )
    except pyarrow.ArrowException as error:
        raise ValueError(f"not readable as {file_format}: {error}") from error
    return {name: table.column(name) for name in names}


def _header(stream: BinaryIO, delimiter: str) -> list[str]:
    """Return the names in the first row, and go back to the start."""
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    header = next(csv.reader(text, delimiter=delimiter), [])
    text.detach()
    stream.seek(0)
    return header


def _check_columns(names: list[str], present: list[str]) -> None:
    for name in names:
        if present.count(name) != 1:
            there = "stands twice" if name in present else "is not there"
            raise ValueError(
                f"column {name!r} {there}: the columns are {', '.join(map(repr, present))}"
            )


def _read_json_lines(stream: BinaryIO, names: list[str]) -> dict[str, Any]:
    columns: dict[str, list[Any]] = {name: [] for name in names}
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except ValueError as error:
            raise ValueError(f"line {number} is not JSON: {error}") from error
        if not isinstance(row, dict):
            raise ValueError(f"line {number} must be a JSON object, got {show(row)}")
        for name in names:
            if name not in row:
                raise ValueError(
                    f"line {number} has no {name!r}: its keys are {', '.join(map(repr, row))}"
                )
            columns[name].append(row[name])
    return columns


def _as_labels(column: Any, role: str, numeric: bool) -> LabelArray:
    """Return a column as labels; with `numeric`, its text as integers."""
    array = read_labels(column, role)
    if not numeric or array.dtype.kind != "O":
        return array
    integers = {text: _integer(text) for text in dict.fromkeys(array.tolist())}
    for position, text in enumerate(array.tolist()):
        if integers[text] is None:
            raise ValueError(
                f"`{role}` must hold integers (--numeric), got {show(text)} at position {position}"
            )
    return read_labels([integers[text] for text in array.tolist()], role)


def _integer(text: Any) -> int | None:
    return int(text) if re.fullmatch(r"[+-]?[0-9]+", str(text), re.ASCII) else None


def _typed(label: Any, is_integer: bool) -> Any:
    """Return a label given as text as an integer where the file's labels are integers."""
    return _integer(label) if is_integer and _integer(label) is not None else label


@contextmanager
def _opened(path: str) -> Iterator[BinaryIO]:
    """Open a file, with a progress bar where it is long and someone is watching."""
    if path == "-":
        yield io.BytesIO(sys.stdin.buffer.read())
        return
    with Path(path).open("rb") as stream:
        size = Path(path).stat().st_size
        if size < _LONG_FILE or not sys.stderr.isatty():
            yield stream
            return
        try:
            from rich.console import Console
            from rich.progress import Progress
        except ImportError:
            yield stream  # the bar is a comfort, not worth an error
            return
        with Progress(console=Console(stderr=True), transient=True) as progress:
            yield progress.wrap_file(stream, total=size, description=Path(path).name)
