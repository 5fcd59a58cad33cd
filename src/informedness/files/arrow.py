"""Read Parquet and Arrow files in batches.

Damaged files, and several files joined into one, raise an error.
"""

import io
import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, BinaryIO

from ..errors import prefix_errors
from .columns import check_columns, column_of, one_value, value_in

_N_ROWS = 1 << 20  # limit on the rows of Parquet decoded at a time, and of a slice of a batch
_LONG_ROW = 64  # bytes per row on average; longer rows of Parquet are decoded in smaller batches
_N_BYTES = 1 << 24  # bytes that make a batch, such as two columns of a million integers
_N_SEARCHED = 1 << 22  # bytes read at a time to find joined files
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def open_native(stream: BinaryIO) -> Any:
    """Open a stream as a pyarrow file if it has a file descriptor, except on Windows.

    Any other stream is returned unchanged.

    pyarrow's threads call Python to read a Python stream. Before Python 3.14, such a call during
    shutdown aborts the process. It aborted 2 of 720 processes that ended soon after they had read a
    footer.
    """
    import pyarrow

    try:
        file = pyarrow.OSFile(f"/dev/fd/{stream.fileno()}")
    except OSError:  # the stream is in memory, or the system is Windows
        return stream
    file.seek(stream.tell())
    return file


class FileReader:
    """Base class of file readers, whose constructors read the header.

    `class_names` maps the arguments of `ClassLabel` columns to the names of their classes. `sheets`
    lists the titles of the sheets of a workbook, without chart sheets.
    """

    header: Sequence[str] = ()
    class_names: Mapping[str, Sequence[str]] = {}
    sheets: Sequence[str] = ()
    sheet_note = ""  # text with the title of the sheet, if there are several sheets
    _names: Mapping[str, str]  # names of the columns to read, by argument

    def batches(self, keep_empty: bool) -> Iterator[dict[str, Any]]:
        """Yield batches of columns by argument, as lists or Arrow arrays.

        Missing values are None or null. With `keep_empty`, empty cells of CSV and TSV files become
        empty text, except in weights and counts.

        Raises
        ------
        ValueError
            If the file is damaged, a row is not valid, or several files are joined into one.
        """
        return columns_of(self._record_batches(keep_empty), self._names)

    def _record_batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield the columns to read in record batches of pyarrow."""
        raise NotImplementedError


class _SchemaReader(FileReader):
    """Base class of the readers of Parquet and Arrow files, which have a schema."""

    def __init__(self, stream: BinaryIO, names: Mapping[str, str], schema: Any) -> None:
        self._stream = stream
        self.header, self.class_names = schema.names, check_schema(names, schema)
        self._names = names or {name: name for name in self.header}
        self._columns = sorted({str(column_of(x, self.header)) for x in self._names.values()})


class Parquet(_SchemaReader):
    """Read the columns in `names` from a Parquet file; read all columns if `names` is empty."""

    def __init__(self, stream: BinaryIO, names: Mapping[str, str]) -> None:
        import pyarrow.parquet

        self._metadata = pyarrow.parquet.read_metadata(open_native(stream))
        super().__init__(stream, names, self._metadata.schema.to_arrow_schema())

    def _record_batches(self, keep_empty: bool) -> Iterator[Any]:
        from pyarrow.parquet import ParquetFile

        stream, metadata, columns = open_native(self._stream), self._metadata, self._columns
        # `pre_buffer` would keep in memory all data that was read.
        open_file: Any = partial(ParquetFile, stream, metadata=metadata, pre_buffer=False)
        # Reading a row raises an error if the metadata is damaged. Inspecting damaged metadata
        # first could crash the process.
        if next(open_file().iter_batches(batch_size=1, columns=columns), None) is not None:
            n_rows, dictionary_columns = _choose_decoding(metadata, columns)
            file = open_file(read_dictionary=dictionary_columns, page_checksum_verification=True)
            yield from file.iter_batches(batch_size=n_rows, columns=columns)
        _check_one_file(self._stream, b"PAR1", "Parquet")


class Arrow(_SchemaReader):
    """Read the columns in `names` from an Arrow file, or from a stream, as `datasets` writes it.

    If `names` is empty, read all columns.
    """

    def __init__(self, stream: BinaryIO, names: Mapping[str, str]) -> None:
        from pyarrow import ipc

        self._is_file = stream.read(6) == b"ARROW1"
        if not self._is_file:
            stream.seek(-len(_END_OF_STREAM), io.SEEK_END)
            if stream.read() != _END_OF_STREAM:
                raise OSError("the stream is cut off, or not an Arrow stream")
        stream.seek(0)
        self._open = ipc.open_file if self._is_file else ipc.open_stream
        super().__init__(stream, names, self._open(open_native(stream)).schema)

    def _record_batches(self, keep_empty: bool) -> Iterator[Any]:
        from pyarrow import ipc

        self._stream.seek(0)
        fields = [i for i, name in enumerate(self.header) if name in self._columns]
        file = open_native(self._stream)
        reader: Any = self._open(file, options=ipc.IpcReadOptions(included_fields=fields))
        if self._is_file:
            yield from map(reader.get_batch, range(reader.num_record_batches))
            _check_one_file(self._stream, b"ARROW1", "Arrow")
        else:
            yield from reader
            if file.read(1):
                raise ValueError("the file must hold one Arrow stream, got bytes after its end")


def as_list(column: Any) -> list[Any]:
    """Convert a chunked column of Arrow to a list.

    Decoding a dictionary first is 20 times as fast as looking up each value in pyarrow.
    """
    chunks = (x.dictionary_decode() if hasattr(x, "dictionary") else x for x in column.chunks)
    return [value for chunk in chunks for value in chunk.to_pylist()]


def columns_of(batches: Iterable[Any], names: Mapping[str, str]) -> Iterator[dict[str, Any]]:
    """Yield batches of columns by argument, and join small batches."""
    import pyarrow

    first_row = n_bytes = 0
    pending = list[Any]()
    for batch in batches:
        for start in range(0, len(batch), _N_ROWS):
            part = batch.slice(start, _N_ROWS)
            columns = {argument: _column_at(part, x, first_row) for argument, x in names.items()}
            pending.append(pyarrow.table(columns))
            first_row += len(part)
            n_bytes += pending[-1].get_total_buffer_size()
            if n_bytes >= _N_BYTES:  # counting many small batches is slower
                yield _concatenate(pending)
                pending.clear()
                n_bytes = 0
    if pending:
        yield _concatenate(pending)


def _concatenate(tables: Sequence[Any]) -> dict[str, Any]:
    """Concatenate tables, and map the name of each column to the column."""
    import pyarrow

    table = pyarrow.concat_tables(tables, promote_options="default")  # columns may be all null
    return {name: table[name] for name in table.column_names}


def check_schema(names: Mapping[str, str], schema: Any) -> dict[str, Sequence[str]]:
    """Check the columns of a schema, and get the class names of its `ClassLabel` columns.

    `names` and the result have arguments as keys.

    Raises
    ------
    ValueError
        If a column does not exist, is not unique, or is nested. A path in a nested column is valid,
        and so is the prefix `argmax:`.
    """
    from pyarrow import types

    paths = {x: column_of(x, schema.names) for x in names.values() if x not in schema.names}
    nested = [path for path, top in paths.items() for name in schema.names if name == top]
    check_columns(names, [*schema.names, *nested])
    metadata = json.loads((schema.metadata or {}).get(b"huggingface", b"{}"))
    class_names = dict[str, Sequence[str]]()
    for argument, name in names.items():
        data_type = schema.field(name).type if name in schema.names else None
        if data_type and types.is_nested(data_type) and not types.is_run_end_encoded(data_type):
            rule = f"`{argument}` must have one value per row, got column {name!r} of {data_type}"
            remedy = "name a field or an element in it, or argmax:NAME for its largest number"
            raise ValueError(f"{rule}: {remedy}")
        if labels := _class_names_of(name, metadata):
            class_names[argument] = labels
    return class_names


def _class_names_of(name: str, metadata: Any) -> Sequence[str]:
    """Get the class names of a `ClassLabel` column; empty for other columns."""
    with suppress(ValueError):
        feature = value_in(metadata, f"info.features.{name}")
        names = value_in(feature, "names")
        if value_in(feature, "_type") == "ClassLabel" and isinstance(names, list):
            return names
    return ()


def _column_at(batch: Any, name: str, first_row: int) -> Any:
    """Get a column of a batch, or the values at a path in a nested column.

    `first_row` is the number of rows before the batch, for messages, which count rows from 0.
    """
    import pyarrow

    top = str(column_of(name, batch.schema.names))
    column = batch.column(top)
    with prefix_errors(f"column {top!r} is damaged"):
        column.validate(full=True)  # invalid data may crash the process or give wrong labels
    if top == name:
        return column
    rows = enumerate(column.to_pylist(), start=first_row)
    return pyarrow.array([one_value({top: x}, name, f"row {number}") for number, x in rows])


def _choose_decoding(metadata: Any, columns: list[str]) -> tuple[int, list[str]]:
    """Choose how many rows to decode at a time, and which columns to decode as dictionaries.

    The choice for all rows depends on the first row group. For columns of ten labels, decoding as
    dictionaries takes a quarter of the time. For long labels, it takes more memory. pyarrow cannot
    decode delta encodings as dictionaries. If rows are long, or one column has a delta encoding,
    all columns are decoded as values. So are nested columns and columns with a dot in their names,
    because pyarrow can decode nested columns as dictionaries only in some files.
    """
    starts = tuple(f"{name}." for name in columns)
    paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    group = metadata.row_group(0)
    chunks = [group.column(i) for i, path in enumerate(paths) if f"{path}.".startswith(starts)]
    n_bytes = sum(chunk.total_uncompressed_size for chunk in chunks)
    if n_bytes > _LONG_ROW * group.num_rows:
        return 1 + min(_N_ROWS, int(group.num_rows * _N_BYTES // 4 // n_bytes)), []
    if any("DELTA" in str(chunk.encodings) for chunk in chunks):
        return _N_ROWS, []
    return _N_ROWS, [x for x in columns if x in paths and "." not in x]


def _check_one_file(stream: BinaryIO, magic: bytes, kind: str) -> None:
    """Raise ValueError if several files are joined into one.

    Each file begins and ends with a magic number. pyarrow reads only the footer of the last file.
    """
    stream.seek(0)
    last_bytes = b""
    while block := stream.read(_N_SEARCHED):
        block = last_bytes + block
        if magic + magic in block:
            rule = f"the file must hold one {kind} file, got several joined into one"
            raise ValueError(f"{rule}: pass the files themselves, as several paths or a folder")
        last_bytes = block[1 - 2 * len(magic) :]
