"""Read files of every format in batches, and list their columns."""

import csv
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

from ..core.labels import NULLS
from ..errors import DataError, optional_import, prefix_errors
from ..messages import join
from ..text.render import count_text, shown
from .arrow import Arrow, FileReader, Parquet, as_list
from .columns import column_of, columns_to_read, flatten_column, group_by_argument
from .delimited import Delimited, explain_row_error
from .json_and_excel import Objects, Workbook, json_rows
from .opening import DELIMITERS, check_size, list_files, open_whole, why_not_utf8
from .samples import Samples, Source

_MOST_ROWS = 10_000  # rows read to list the columns of a file


@dataclass(frozen=True)
class FileOptions:
    """Options for reading files, as in `table_from_file`.

    `max_bytes` is the largest size of a compressed file or a workbook once it is unpacked; None
    means no limit.
    """

    file_format: str | None = None
    encoding: str | None = None
    rows: str | None = None
    no_quotes: bool = False
    max_bytes: int | None = None

    @contextmanager
    def open(self, file: str, file_format: str) -> Iterator[BinaryIO]:
        """Open a file of this format as a seekable stream, and explain errors in reading it.

        Readers of JSON and Excel files explain their errors themselves.
        """
        options = file_format, self.encoding, self.max_bytes, not self.no_quotes
        explain: Any = partial(explain_errors, file_format=file_format)
        explain = nullcontext if file_format in ("json", "jsonl", "xlsx") else explain
        with open_whole(file, *options) as stream, explain(stream):
            yield stream

    def make_reader(self, stream: Any, file_format: str, names: Mapping[str, str]) -> FileReader:
        """Make a reader of the columns in `names`, or of all columns if `names` is empty.

        Raises
        ------
        ValueError
            If the start of the file is not valid, its header lacks a column, or a workbook holds
            more than `max_bytes` once unpacked. Also if `rows` or `no_quotes` does not apply to
            the format. With `names`, also if a quoted field in any part of a CSV or TSV file is not
            well formed. The reader raises other errors in later rows when it reads them.
        """
        if self.no_quotes and file_format not in DELIMITERS:
            raise ValueError(f"`no_quotes` is for CSV and TSV, not for {file_format}: leave it out")
        if file_format == "xlsx":
            if self.max_bytes is not None and zipfile.is_zipfile(stream):
                with zipfile.ZipFile(stream) as archive:
                    check_size(sum(part.file_size for part in archive.infolist()), self.max_bytes)
            return Workbook(stream, names, self.rows)
        if file_format in ("json", "jsonl"):
            return Objects(names, json_rows(stream, self.rows, names))
        if self.rows is not None:
            raise ValueError(f"`rows` is for JSON and Excel, not for {file_format}: leave it out")
        if file_format in DELIMITERS:
            return Delimited(stream, file_format, names, not self.no_quotes)
        return {"parquet": Parquet, "arrow": Arrow}[file_format](stream, names)


@contextmanager
def explain_errors(stream: BinaryIO, file_format: str) -> Iterator[None]:
    """Convert errors in reading a file to ValueError with the reason.

    They are errors of pyarrow, csv and the operating system, and those about text that is not in
    UTF-8 and about a lack of memory.
    """
    with optional_import("reading CSV, Parquet and Arrow files needs pyarrow", "pyarrow>=20"):
        import pyarrow
    try:
        yield
    except (pyarrow.ArrowException, csv.Error, OSError, UnicodeError, MemoryError) as error:
        reason = explain_row_error(str(error)) or str(error) or "there is not enough memory"
        if file_format in DELIMITERS:
            stream.seek(0)
            reason = why_not_utf8(stream) or reason
        raise ValueError(f"not readable as {file_format}: {reason}") from error


def read_files(path: Any, samples: Samples, **file_options: Any) -> Iterator[dict[str, Any]]:
    """Read the rows of files with `samples` in batches; options are as in `FileOptions`."""
    return map(samples.read, raw_batches(path, samples.names, samples, **file_options))


def raw_batches(
    path: Any,
    names: Mapping[str, str],
    samples: Samples,
    optional: Mapping[str, str] | None = None,
    **file_options: Any,
) -> Iterator[dict[str, Any]]:
    """Yield batches of unconverted columns by argument.

    Columns in `optional` are read only if the first file has them. `samples` records the files and
    their headers.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column; the message names the file.
    """
    options = FileOptions(**file_options)
    columns = columns_to_read(names)
    files = list_files(path, options.file_format)
    for file, file_format in files:
        with prefix_errors(shown(file)), options.open(file, file_format) as stream:
            if optional:
                header = options.make_reader(stream, file_format, {}).header
                columns |= {x: name for x, name in optional.items() if column_of(name, header)}
                optional = None  # parts of a data set have the same columns
                stream.seek(0)
            try:
                reader = options.make_reader(stream, file_format, columns)
            except DataError as error:
                hint = "several files are read as one, and `on` joins two"
                # With one file, the hint is left out.
                raise DataError(join([error, hint][: len(files)])) from None
            top = partial(_first_columns, file, replace(options, file_format=file_format))
            name = f"{file}{reader.sheet_note}"
            samples.begin(Source(name, file_format, reader.header, reader.class_names, top))
            yield from map(group_by_argument, reader.batches(samples.keep_missing))


def _first_columns(file: str, options: FileOptions, names: Sequence[str]) -> Mapping[str, Any]:
    """Read the first rows of all columns of a file, regardless of `names`.

    The result is empty for standard input and pipes, which can be read only once.
    """
    return first_rows(file, **vars(options)).columns if Path(file).is_file() else {}


# Listing


class Listing(NamedTuple):
    """The first rows of a file: values by column name, with None for missing values."""

    columns: dict[str, list[Any]]
    title: str  # name of the file, and the number of these rows as text
    rows: str | None  # option `rows` as passed, or the only path to rows in a JSON document


def first_rows(path: Any, **file_options: Any) -> Listing:
    """Read the first rows of a file, or of the first file of a folder.

    Nested columns have every field that occurs in one of these rows.

    Raises
    ------
    ValueError
        If no file is found, the file is not valid, or an option does not fit it.
    """
    options = FileOptions(**file_options)
    file, file_format = list_files(path, options.file_format)[0]
    with prefix_errors(shown(file)), options.open(file, file_format) as stream:
        try:
            reader = options.make_reader(stream, file_format, {})
        except DataError as error:
            if not error.rows:
                raise
            options = replace(options, rows=error.rows)
            reader = options.make_reader(stream, file_format, {})
        columns, amount = _top_columns(reader)
    nulls = NULLS if file_format in DELIMITERS else ()
    flat: dict[str, list[Any]] = {}
    for name, values in columns.items():
        for column_path, column in flatten_column(name, values).items():
            flat[column_path] = [None if x in nulls or x != x else x for x in column]
    return Listing(flat, f"{shown(file)}{reader.sheet_note}: {amount}", options.rows)


def _top_columns(reader: FileReader) -> tuple[dict[str, list[Any]], str]:
    """Read the first rows of all columns, and write the number of these rows as text."""
    is_all = True
    if isinstance(reader, Objects):
        columns = reader.first_columns(_MOST_ROWS + 1)
    else:
        batches = reader.batches(keep_empty=False)
        columns = {x: as_list(y[: _MOST_ROWS + 1]) for x, y in next(batches, {}).items()}
        is_all = next(batches, None) is None
    n_rows = max(map(len, columns.values()), default=0)
    top = {name: values[:_MOST_ROWS] for name, values in columns.items()}
    if is_all and n_rows <= _MOST_ROWS:
        return top, count_text(n_rows, "row")
    return top, f"the first {min(n_rows, _MOST_ROWS):,d} rows"
