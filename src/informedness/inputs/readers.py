"""File formats: each is read in batches of rows, so that no file has to fit into memory."""

import csv
import io
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from functools import partial
from itertools import islice
from operator import contains
from typing import Any, BinaryIO

from ..core.labels import LabelsWarning, warn
from ..extras import needing
from .answered import LabelOptions
from .columns import Batch, are_one_of, check_columns, nulls_found, plain_column
from .counted import CountsWatch, whole_number
from .delimited import check_header_once, check_not_joined, csv_header, open_csv, said_of_row
from .matrices import check_roles
from .nested import array_in
from .objects import Row, json_rows, sheet_rows, values_of
from .paths import check_encoding, list_files, open_whole, why_not_utf8

DELIMITERS = {"csv": ",", "tsv": "\t"}
_OBJECTS: dict[str, Callable[[BinaryIO, Mapping[str, str]], Iterator[Row]]] = {
    "json": json_rows,
    "jsonl": json_rows,
    "xlsx": sheet_rows,
}
_BINARY = ("arrow", "parquet", "xlsx")

_BYTES = 1 << 24  # counted at a time: two columns of a million integers
_ROWS = 1 << 20  # of Parquet decoded at a time, unless they take more than
_ROW_BYTES = 64  # bytes each: long text that does not repeat
_LINES = 1 << 16  # of JSON, where a label is a Python object
_END = 1 << 16  # bytes at the start and the end of a file that tell it from others
_COPY = re.compile(r"copy|\(\d+\)\.", re.I)  # in the name of a copy
_BLOCK = 1 << 22  # bytes of CSV parsed at a time, and the longest row that can be read
_NUMBERS = ("int", "uint", "halffloat", "float", "double", "decimal", "bool", "null")  # of Arrow
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


def read_files(
    path: Any,
    names: Mapping[str, str],
    use: Callable[[Batch], None],
    options: LabelOptions,
    *,
    file_format: str | None = None,
    encoding: str | None = None,
    drop_null: bool = False,
    keep_missing: bool = False,
    each_row_a_sample: bool | None = None,
    most_bytes: int | None = None,
) -> tuple[int, str]:
    """Hand each batch of a data set to `use`; return how many rows it has, and its name.

    `names` gives the column of each argument. A file may hold `most_bytes` once decompressed. The
    other options are those of `table_from_file`.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column, if there are nulls that are not to be dropped, or
        if `use` does; the message names the file.
    """
    check_encoding(encoding)
    check_roles(names)
    missing = options.missing(names, keep_missing)
    files = list_files(path, file_format)
    total, nulls = 0, dict.fromkeys(names, 0)
    with_nulls: dict[str, str] = {}
    contents: dict[Any, str] = {}
    are_text = False
    watch = CountsWatch(names, each_row_a_sample)
    for file, kind in files:
        n_rows, beside = 0, None
        try:
            with _opened(file, kind, encoding, most_bytes) as stream:
                for batch in read_batches(stream, kind, names, missing):
                    beside = batch.beside if beside is None else beside
                    _hand_over(batch, use, n_rows)
                    n_rows += batch.n_rows
                    if any(batch.nulls.values()):
                        with_nulls[file] = kind
                        are_text |= batch.are_text
                        nulls = {name: n + batch.nulls[name] for name, n in nulls.items()}
                    watch.see(batch.columns)
                original = _copied_from(file, n_rows, stream, contents)
                if not watch.is_over:
                    is_last = file == files[-1][0]
                    if kind in _OBJECTS:
                        watch.end(beside or {}, (beside or {}).__getitem__, is_last)
                    else:
                        first_values = partial(_first_values, stream, kind)
                        watch.end(_names_in(stream, kind, names), first_values, is_last)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
        if original:
            same = f"{file} holds the same as {original}, so its samples count twice"
            warn(f"{same}: leave one out", LabelsWarning)
        total += n_rows
    if with_nulls and not drop_null:
        message = nulls_found(names, nulls, total, as_text=are_text)
        raise ValueError(f"{_first(with_nulls)}: {message}")
    return total, _first(dict(files))


def _copied_from(file: str, n_rows: int, stream: BinaryIO, contents: dict[Any, str]) -> str:
    """Return the file before that holds the same: is of one size, and alike at both ends.

    Files of few rows may be the same by chance, unless they are called copies.
    """
    size = stream.seek(0, io.SEEK_END)
    ends = []
    for start in (0, max(0, size - _END)):
        stream.seek(start)
        ends.append(hash(stream.read(_END)))
    first = contents.setdefault((size, *ends), file)
    is_copy = n_rows >= 50 or (n_rows and _COPY.search(file + first))
    return first if first != file and is_copy else ""


def _hand_over(batch: Batch, use: Callable[[Batch], None], n_before: int) -> None:
    try:
        use(batch)
    except ValueError as error:
        raise ValueError(
            f"in the rows from {n_before} on: {error}" if n_before else error
        ) from error


def _first(files: Mapping[str, str]) -> str:
    """Return the name of the first file, and how many others there are."""
    others = len(files) - 1
    return next(iter(files)) + (f" and {others} more" if others else "")


def _opened(path: str, kind: str, encoding: str | None, most_bytes: int | None) -> Any:
    """Open a file of this format as `open_whole` does."""
    if encoding is not None and kind in _BINARY:
        raise ValueError(f"`encoding` is for formats of text, and {kind} is none: leave it out")
    is_archive = kind == "xlsx"
    return open_whole(path, encoding=encoding, is_archive=is_archive, most_bytes=most_bytes)


def column_names(
    path: str,
    file_format: str | None = None,
    encoding: str | None = None,
    most_bytes: int | None = None,
) -> list[str]:
    """Return the names of the columns of a file; those of JSON are the keys of its first object.

    Raises
    ------
    ValueError
        As for `read_files`; or if it does not show what separates the columns of a CSV file.
    """
    check_encoding(encoding)
    ((file, kind),) = list_files(path, file_format)
    with _opened(file, kind, encoding, most_bytes) as stream:
        return _names_in(stream, kind, {})


def _names_in(stream: BinaryIO, kind: str, names: Mapping[str, str]) -> list[str]:
    """Return the names of all columns of a file, of which these are known."""
    stream.seek(0)
    if kind in _OBJECTS:
        first: Any = next((row for _, row, _ in _OBJECTS[kind](stream, names)), {})
        return [*first] if isinstance(first, dict) else []
    with _explained(stream, kind):
        if kind in DELIMITERS:
            return csv_header(stream, names, DELIMITERS[kind], _BLOCK)
        import pyarrow.parquet

        is_parquet = kind == "parquet"
        opened = pyarrow.parquet.ParquetFile if is_parquet else _arrow_opener(stream)
        file = opened(stream)
        return [*(file.schema_arrow if is_parquet else file.schema).names]


def read_batches(
    stream: BinaryIO,
    kind: str,
    names: Mapping[str, str],
    missing: Mapping[str, Collection[str]] | None = None,
) -> Iterator[Batch]:
    """Yield the rows of a file in batches; `names` gives the column of each argument.

    `missing` holds the text that is null in it; with None empty cells are text, too.

    Raises
    ------
    ValueError
        If the file is damaged, or has no such column.
    """
    if kind in _OBJECTS:
        stream.seek(0)
        yield from _read_objects(stream, kind, names, missing)
        return
    with _explained(stream, kind):
        for table in _gathered(_tables(stream, kind, names, keep_empty=missing is None)):
            rows = _without_missing(table, missing or {})
            nulls = {name: rows[name].null_count for name in names}
            kept = rows.drop_null() if any(nulls.values()) else rows
            are_text = rows is not table or (kind in DELIMITERS and missing is not None)
            yield Batch({name: kept[name] for name in names}, len(rows), nulls, are_text)


def _tables(stream: BinaryIO, kind: str, names: Mapping[str, str], keep_empty: bool) -> Any:
    """Yield the columns of a file as tables of Arrow."""
    stream.seek(0)
    if kind in DELIMITERS:
        return _read_csv(stream, names, DELIMITERS[kind], keep_empty)
    return (_read_parquet if kind == "parquet" else _read_arrow)(stream, names)


def _first_values(stream: BinaryIO, kind: str, name: str) -> Any:
    """Return the first values of a column, none if it cannot be read, and is not asked for."""
    with suppress(ValueError), _explained(stream, kind):
        for table in _tables(stream, kind, {"by": name}, keep_empty=True):
            return table["by"].drop_null()
    return []


@contextmanager
def _explained(stream: BinaryIO, kind: str) -> Iterator[None]:
    """Turn the errors of pyarrow and others into ValueError."""
    with needing("reading files other than JSON lines needs pyarrow", "informedness[cli]"):
        import pyarrow
    try:
        yield
    except (pyarrow.ArrowException, csv.Error, OSError, UnicodeError, MemoryError) as error:
        what = str(error) or "it asks for more memory than there is"
        if "UTF8" in what and kind in DELIMITERS:
            stream.seek(0)
            what = why_not_utf8(stream) or what
        what = said_of_row(what) or what
        raise ValueError(f"not readable as {kind}: {what}") from error


def _read_objects(
    stream: BinaryIO,
    kind: str,
    names: Mapping[str, str],
    missing: Mapping[str, Collection[str]] | None,
) -> Iterator[Batch]:
    is_sheet, objects = kind == "xlsx", _OBJECTS[kind](stream, names)
    texts = [(missing or {}).get(argument, ()) for argument in names]
    keeps = is_sheet and missing is None  # empty cells as empty text, as in CSV
    empty = ["" if keeps and name not in ("weights", "counts") else None for name in names]
    beside: Mapping[str, list[Any]] | None = None
    while rows := list(islice(objects, _LINES)):
        given = [values_of(row, names, where, escaped) for where, row, escaped in rows]
        if beside is None:
            beside = _numbers_beside([row for _, row, _ in rows], names)
        if is_sheet and all(map(contains, zip(*given, strict=True), names.values())):
            check_header_once([*names.values()], given.count([*names.values()]))
        some = [
            [
                instead if x is None or (isinstance(x, str) and x in null) else x
                for x, null, instead in zip(row, texts, empty, strict=True)
            ]
            for row in given
        ]
        kept = [row for row in some if None not in row]
        nulls = {name: sum(row[i] is None for row in some) for i, name in enumerate(names)}
        columns = {name: [row[i] for row in kept] for i, name in enumerate(names)}
        yield Batch(columns, len(some), nulls, is_sheet or some != given, beside)


def _numbers_beside(rows: list[dict[str, Any]], names: Mapping[str, str]) -> dict[str, list[Any]]:
    """Return the values in objects under other names, where the first is a whole number or null."""
    return {
        name: [row[name] for row in rows if row.get(name) is not None]
        for name, value in rows[0].items()
        if name not in {*names.values()} - {names.get("weights")}
        and (value is None or whole_number(value) is not None)
    }


# Columns of Arrow


def _columns_of(batches: Iterable[Any], names: Mapping[str, str]) -> Iterator[Any]:
    """Yield the columns of these names in record batches as tables, by argument."""
    import pyarrow

    row = 0
    for batch in batches:
        batch.validate(full=True)  # what is damaged may end the process, or name another label
        for start in range(0, len(batch), _ROWS):
            part = batch.slice(start, _ROWS)
            columns = {x: array_in(part, name, row)[0] for x, name in names.items()}
            table = pyarrow.table(columns)
            yield pyarrow.table({x: plain_column(table[x]) for x in names})
            row += len(part)


def _without_missing(table: Any, missing: Mapping[str, Collection[str]]) -> Any:
    """Return a table with a null in place of each text that stands for a missing value."""
    import pyarrow
    from pyarrow import compute, types

    for argument, texts in missing.items():
        column = table[argument]
        is_coded = types.is_dictionary(column.type)
        kind = column.type.value_type if is_coded else column.type
        if not (types.is_string(kind) or types.is_large_string(kind)) or not len(table):
            continue
        values = column.chunk(0).dictionary if is_coded else column
        if compute.any(are_one_of(texts, values)).as_py():
            plain = column.cast(kind)
            nulls = pyarrow.nulls(len(plain), kind)
            plain = compute.if_else(are_one_of(texts, plain), nulls, plain)
            table = table.set_column(table.column_names.index(argument), argument, plain)
    return table


def _gathered(tables: Iterable[Any]) -> Iterator[Any]:
    """Yield tables of about `_BYTES` each: many small ones cost more to count."""
    import pyarrow

    waiting: list[Any] = []
    n_bytes = 0
    for table in tables:
        waiting.append(table)
        n_bytes += table.nbytes
        if n_bytes >= _BYTES:
            yield pyarrow.concat_tables(waiting)
            waiting, n_bytes = [], 0
    if waiting:
        yield pyarrow.concat_tables(waiting)


def _read_parquet(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Any]:
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(stream)
    columns = sorted(_paths(names, metadata.schema.to_arrow_schema()))
    file = pyarrow.parquet.ParquetFile(stream, metadata=metadata, pre_buffer=False)
    # Where a column's metadata is damaged a look at it ends the process, but reading raises.
    next(file.iter_batches(batch_size=1, columns=columns), None)
    n_rows, coded = _decoded_at_a_time(metadata, columns)
    file = pyarrow.parquet.ParquetFile(
        stream,
        metadata=metadata,
        read_dictionary=coded,
        pre_buffer=False,  # or it would keep all that it has read
        page_checksum_verification=True,
    )
    yield from _columns_of(file.iter_batches(batch_size=n_rows, columns=columns), names)
    if metadata.num_row_groups:
        last = _chunks(metadata, metadata.num_row_groups - 1, columns)
        start = min(chunk.data_page_offset for chunk in last)
        _check_one_file(stream, start, b"PAR1", "Parquet")


def _paths(names: Mapping[str, str], schema: Any) -> set[str]:
    """Return the paths to columns, as far as they are fields.

    Raises
    ------
    ValueError
        If a column does not exist, occurs twice, or has several values per row.
    """
    import pyarrow

    # no rows; `empty_table` would import pandas
    nothing = [pyarrow.nulls(0, field.type) for field in schema]
    batch = pyarrow.RecordBatch.from_arrays(nothing, schema=schema)
    paths = set()
    for argument, name in names.items():
        if name in schema.names:
            check_columns({argument: name}, schema.names)
        try:
            column, path = array_in(batch, name)
        except ValueError as error:
            said = f"`{argument}` names column {name!r}, which does not exist"
            raise ValueError(f"{said}; {error}") from error
        kind = column.type
        if pyarrow.types.is_nested(kind) and not pyarrow.types.is_run_end_encoded(kind):
            raise ValueError(
                f"`{argument}` must have one value per row, got column {name!r} of {kind}: name a "
                "field or an element in it, or argmax:NAME for the position of the largest number"
            )
        is_number = str(getattr(kind, "value_type", kind)).startswith(_NUMBERS)
        if argument in ("weights", "counts") and not is_number:
            raise ValueError(f"`{argument}` must hold numbers, got column {name!r} of {kind}")
        paths.add(path)
    return paths


def _decoded_at_a_time(metadata: Any, columns: list[str]) -> tuple[int, list[str]]:
    """Return how many rows of a Parquet file to decode at a time, and which text as a dictionary.

    Such text counts fastest; but long labels take more memory so, and pyarrow has no way to it from
    delta encodings, nor within nested columns in every file.
    """
    if not metadata.num_row_groups:
        return _ROWS, []
    chunks = _chunks(metadata, 0, columns)
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    n_rows = metadata.row_group(0).num_rows
    if size > _ROW_BYTES * n_rows:
        return 1 + min(_ROWS, int(n_rows * _BYTES // 4 // size)), []
    if any("DELTA" in encoding for chunk in chunks for encoding in chunk.encodings):
        return _ROWS, []
    leaves = [metadata.schema.column(i) for i in range(metadata.num_columns)]
    return _ROWS, [leaf.name for leaf in leaves if leaf.name == leaf.path and leaf.name in columns]


def _chunks(metadata: Any, group: int, columns: list[str]) -> list[Any]:
    """Return what a Parquet file says of columns in a row group; others may be damaged."""
    wanted = tuple(f"{name}." for name in columns)
    paths = [f"{metadata.schema.column(i).path}." for i in range(metadata.num_columns)]
    row_group = metadata.row_group(group)
    return [row_group.column(i) for i, path in enumerate(paths) if path.startswith(wanted)]


def _check_one_file(stream: BinaryIO, start: int, magic: bytes, kind: str) -> None:
    """Raise ValueError if a file ends somewhere behind `start` and another begins.

    Both have a magic at either end; readers look only for what the footer at the end lists.
    """
    stream.seek(start)
    before = b""
    while block := stream.read(_BLOCK):
        seen = before + block
        if magic + magic in seen:
            raise ValueError(
                f"the file must hold one {kind} file, got several joined into one, of which only "
                "one would be read: pass the files themselves, as several paths or a "
                "folder"
            )
        before = seen[1 - 2 * len(magic) :]


def _arrow_opener(stream: BinaryIO) -> Any:
    """Return the function that opens an Arrow file, or a stream, and start from the beginning."""
    from pyarrow import ipc

    is_file = stream.read(6) == b"ARROW1"
    if not is_file:
        stream.seek(-len(_END_OF_STREAM), io.SEEK_END)
        if stream.read() != _END_OF_STREAM:
            raise OSError("the stream is cut off, or not an Arrow stream")
    stream.seek(0)
    return ipc.open_file if is_file else ipc.open_stream


def _read_arrow(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Any]:
    """Yield the batches of an Arrow file, or of a stream, as `datasets` writes them."""
    from pyarrow import ipc

    opened = _arrow_opener(stream)
    is_file = opened is ipc.open_file
    schema = opened(stream).schema
    paths = _paths(names, schema)
    stream.seek(0)
    wanted = [
        i for i, x in enumerate(schema.names) if any(f"{y}.".startswith(f"{x}.") for y in paths)
    ]
    reader = opened(stream, options=ipc.IpcReadOptions(included_fields=wanted))
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    yield from _columns_of(batches, names)
    if is_file:
        _check_one_file(stream, 0, b"ARROW1", "Arrow")
    elif stream.read(1):
        raise ValueError("the file must hold one Arrow stream, got bytes after its end")


def _read_csv(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, keep_empty: bool
) -> Iterator[Any]:
    batches = open_csv(stream, names, delimiter, keep_empty, _BLOCK)
    for table in _columns_of(batches, names):
        check_not_joined(table, names)
        yield table
