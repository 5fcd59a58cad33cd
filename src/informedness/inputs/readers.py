"""File formats: each is read in batches of rows, so that no file has to fit into memory."""

import csv
import io
import json
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice, takewhile
from typing import Any, BinaryIO, NamedTuple

import numpy as np

from ..core.labels import show
from .columns import check_columns, nulls_found, plain_column
from .nested import Way, argmax, array_in, check_argmax, type_in, value_in
from .paths import list_files, open_whole

DELIMITERS = {"csv": ",", "tsv": "\t"}

_BYTES = 1 << 24  # counted at a time: two columns of a million integers
_ROWS = 1 << 20  # of Parquet decoded at a time, unless they take more than
_ROW_BYTES = 64  # bytes each: long text that does not repeat
_LINES = 1 << 16  # of JSON, where a label is a Python object
_BLOCK = 1 << 22  # bytes of CSV parsed at a time, and the longest row that can be read
_TOP = 20  # lines of CSV among which the header is looked for
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


class Batch(NamedTuple):
    """Some rows of a file, those with nulls left out."""

    columns: dict[str, Any]
    """Arrays of Arrow, or lists, by argument (references, predictions, weights)."""
    n_rows: int
    """Number of rows, those with nulls included."""
    nulls: dict[str, int]
    """Number of nulls by argument."""
    are_text: bool
    """Whether some of the nulls are empty cells, or text such as NA."""


def read_files(
    path: Any,
    names: Mapping[str, str],
    use: Callable[[Batch], None],
    *,
    file_format: str | None = None,
    drop_null: bool = False,
    missing: Mapping[str, Collection[str]] | None = None,
) -> tuple[int, str]:
    """Hand each batch of a data set to `use`; return how many rows it has, and its name.

    `names` gives the column of each argument, `missing` the text that is null in it; with None
    empty cells are text, too. The other options are those of `table_from_file`.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column, if there are nulls that are not to be dropped, or
        if `use` does; the message names the file.
    """
    files = list_files(path, file_format)
    total, nulls = 0, dict.fromkeys(names, 0)
    with_nulls: dict[str, str] = {}
    are_text = False
    for file, kind in files:
        n_rows = 0
        try:
            for batch in read_batches(file, kind, names, missing):
                try:
                    use(batch)
                except ValueError as error:
                    where = f"in the rows from {n_rows} on: {error}"
                    raise ValueError(where if n_rows else error) from error
                n_rows += batch.n_rows
                if any(batch.nulls.values()):
                    with_nulls[file] = kind
                    are_text |= batch.are_text
                    nulls = {name: n + batch.nulls[name] for name, n in nulls.items()}
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
        total += n_rows
    if with_nulls and not drop_null:
        message = nulls_found(names, nulls, total, as_text=are_text)
        raise ValueError(f"{_first(with_nulls)}: {message}")
    return total, _first(dict(files))


def _first(files: Mapping[str, str]) -> str:
    """Return the name of the first file, and how many others there are."""
    others = len(files) - 1
    return next(iter(files)) + (f" and {others} more" if others else "")


def read_batches(
    path: str,
    file_format: str,
    names: Mapping[str, str],
    missing: Mapping[str, Collection[str]] | None = None,
) -> Iterator[Batch]:
    """Yield the rows of a file in batches; `names` gives the column of each argument.

    `missing` is as in `read_files`.

    Raises
    ------
    ValueError
        If the file is damaged, or has no such column.
    """
    with open_whole(path) as stream:
        if file_format in ("json", "jsonl"):
            objects = _lines(stream) if file_format == "jsonl" else _entries(stream)
            yield from _read_json(objects, names, missing or {})
            return
        try:
            import pyarrow
        except ImportError as error:
            raise ImportError(
                "reading files other than JSON lines needs pyarrow: pip install 'informedness[cli]'"
            ) from error
        reader: Any = {"parquet": _read_parquet, "arrow": _read_arrow}.get(file_format)
        if file_format in DELIMITERS:
            delimiter = DELIMITERS[file_format]
            reader = partial(_read_csv, delimiter=delimiter, keep_empty=missing is None)
        try:
            for table in _gathered(reader(stream, names)):
                rows = _without_missing(table, missing or {})
                nulls = {name: rows[name].null_count for name in names}
                kept = rows.drop_null() if any(nulls.values()) else rows
                are_text = rows is not table or (file_format in DELIMITERS and missing is not None)
                yield Batch({name: kept[name] for name in names}, len(rows), nulls, are_text)
        except (pyarrow.ArrowException, csv.Error, OSError, UnicodeError, MemoryError) as error:
            what = str(error) or "it asks for more memory than there is"
            raise ValueError(f"not readable as {file_format}: {what}") from error


# Columns of Arrow


def _columns_of(batches: Iterable[Any], ways: Mapping[str, Way]) -> Iterator[Any]:
    """Yield the columns that `ways` lead to in record batches as tables, by argument."""
    import pyarrow

    row = 0
    for batch in batches:
        batch.validate(full=True)  # what is damaged may end the process, or name another label
        for start in range(0, len(batch), _ROWS):
            part = batch.slice(start, _ROWS)
            columns = {name: array_in(part, way, row) for name, way in ways.items()}
            table = pyarrow.table(columns)
            yield pyarrow.table({name: plain_column(table[name]) for name in ways})
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
        if compute.any(_are_one_of(texts, values)).as_py():
            plain = column.cast(kind)
            nulls = pyarrow.nulls(len(plain), kind)
            plain = compute.if_else(_are_one_of(texts, plain), nulls, plain)
            table = table.set_column(table.column_names.index(argument), argument, plain)
    return table


def _are_one_of(texts: Collection[str], values: Any) -> Any:
    """Return which values are one of these texts; `is_in` takes an array, which imports pandas."""
    from pyarrow import compute

    return compute.match_substring_regex(values, rf"\A(?:{'|'.join(map(re.escape, texts))})\z")


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
    schema = metadata.schema.to_arrow_schema()
    ways = _ways(names, schema)
    # of a list the whole: between it and the fields of its elements stand names that vary
    fields = [takewhile(lambda step: isinstance(step, str), way.steps) for way in ways.values()]
    columns = sorted({".".join(map(str, steps)) for steps in fields})
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
    yield from _columns_of(file.iter_batches(batch_size=n_rows, columns=columns), ways)
    if metadata.num_row_groups:
        last = _chunks(metadata, metadata.num_row_groups - 1, columns)
        start = min(chunk.data_page_offset for chunk in last)
        _check_one_file(stream, start, b"PAR1", "Parquet")


def _ways(names: Mapping[str, str], schema: Any) -> dict[str, Way]:
    """Return the way to each column, by argument.

    Raises
    ------
    ValueError
        If a column does not exist, occurs twice, or has several values per row.
    """
    import pyarrow

    ways = {}
    for argument, name in names.items():
        if name in schema.names:
            check_columns({argument: name}, schema.names)
        try:
            kind, ways[argument] = type_in(schema, name)
        except ValueError as error:
            raise ValueError(f"`{argument}`: column {name!r} does not exist: {error}") from error
        if ways[argument].is_argmax:
            check_argmax(kind, ways[argument])
        elif pyarrow.types.is_nested(kind):
            raise ValueError(
                f"`{argument}` must have one value per row, got column {name!r} of {kind}: name a "
                "field or an element in it, or argmax:NAME for the position of the greatest number"
            )
    return ways


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
                f"the file must hold one {kind} file, got several joined into one, of which all "
                "but one would be passed over: pass the files themselves, as several paths or a "
                "folder"
            )
        before = seen[1 - 2 * len(magic) :]


def _read_arrow(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Any]:
    """Yield the batches of an Arrow file, or of a stream, as `datasets` writes them."""
    from pyarrow import ipc

    is_file = stream.read(6) == b"ARROW1"
    if not is_file:
        stream.seek(-len(_END_OF_STREAM), io.SEEK_END)
        if stream.read() != _END_OF_STREAM:
            raise OSError("the stream is cut off, or not an Arrow stream")
    stream.seek(0)
    opened = ipc.open_file if is_file else ipc.open_stream
    schema = opened(stream).schema
    ways = _ways(names, schema)
    stream.seek(0)
    wanted = sorted({schema.get_field_index(way.steps[0]) for way in ways.values()})
    reader = opened(stream, options=ipc.IpcReadOptions(included_fields=wanted))
    batches = map(reader.get_batch, range(reader.num_record_batches)) if is_file else reader
    yield from _columns_of(batches, ways)
    if is_file:
        _check_one_file(stream, 0, b"ARROW1", "Arrow")
    elif stream.read(1):
        raise ValueError("the file must hold one Arrow stream, got bytes after its end")


def _read_csv(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, keep_empty: bool
) -> Iterator[Any]:
    import pyarrow
    import pyarrow.csv

    delimiter, n_skipped = _layout(stream, names, delimiter)
    _check_quotes(stream, delimiter)
    with _as_text(stream) as text:
        _check_header(names, list(islice(text, n_skipped, _TOP)), delimiter)
    types = dict.fromkeys(names.values(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    if "weights" in names:
        types[names["weights"]] = pyarrow.float64()
    batches = pyarrow.csv.open_csv(
        stream,
        read_options=pyarrow.csv.ReadOptions(block_size=_BLOCK, skip_rows=n_skipped),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=[""],  # "NA" is a label
            strings_can_be_null=not keep_empty,
        ),
    )
    for table in _columns_of(batches, {x: Way((name,), False) for x, name in names.items()}):
        _check_not_joined(table, names)
        yield table


def _layout(stream: BinaryIO, names: Mapping[str, str], delimiter: str) -> tuple[str, int]:
    """Return the delimiter of a CSV file, and how many lines stand before its header.

    The delimiter is that of a first line such as "sep=;", or the first with which the header has
    all columns.
    """
    with _as_text(stream) as text:
        top = list(islice(text, _TOP))
        if top and "\0" in top[0]:
            raise ValueError(
                "the header holds a character of code 0, as in UTF-16 without a mark: save the "
                "file as UTF-8"
            )
        stated = re.fullmatch(r"sep=(.)[\r\n]*", top[0]) if top else None
        if stated:
            return stated[1], 1
        for one in (delimiter, ";", "\t", ",", "|"):
            if set(names.values()) <= set(next(csv.reader(top, delimiter=one), [])):
                return one, 0
    return delimiter, 0


def _check_header(names: Mapping[str, str], top: list[str], delimiter: str) -> None:
    """Raise ValueError unless the header has the columns; say what may have hidden them."""
    header = top[0] if top else ""
    rows = csv.reader(top, delimiter=delimiter)
    try:
        check_columns(names, next(rows, []))
    except ValueError as error:
        below = (i for i, row in enumerate(rows, start=2) if set(names.values()) <= set(row))
        help_ = ""
        if "\ufffd" in header:
            help_ = ": the file is not in UTF-8, save it so"
        elif "\ufeff" in header:
            help_ = f": {marked(header)}"
        elif n := next(below, 0):
            help_ = f": row {n} has them, and the header must be the first, take out what is above"
        raise ValueError(f"{error}{help_}") from None


def marked(text: str) -> str:
    """Return what to say of text that begins with a byte order mark."""
    return (
        f"{show(text)} has a byte order mark (U+FEFF), as in the middle of files joined into one: "
        "take it out"
    )


def _check_not_joined(table: Any, names: Mapping[str, str]) -> None:
    """Raise ValueError if rows of CSV show that several files were joined into one."""
    from pyarrow import compute

    texts = {argument: name for argument, name in names.items() if argument != "weights"}
    are_headers = None
    for argument, name in texts.items():
        column = table[argument]
        values = column.chunk(0).dictionary
        is_marked = compute.starts_with(values, "\ufeff")
        if compute.any(is_marked).as_py():
            raise ValueError(f"column {name!r}: {marked(values.filter(is_marked)[0].as_py())}")
        is_name = _are_one_of([name], column.cast(values.type))
        are_headers = is_name if are_headers is None else compute.and_(are_headers, is_name)
    if compute.any(are_headers).as_py():
        raise ValueError(
            f"the header is repeated in {compute.sum(are_headers).as_py()} rows, as in files "
            "joined into one: pass the files themselves, as several paths or a folder, or take "
            "these rows out"
        )


def _check_quotes(stream: BinaryIO, delimiter: str) -> None:
    """Raise ValueError if a quoted field does not end, or continues after its closing quote.

    In both cases a stray quote was read as the start of a field, and everything up to the next
    quote, including whole rows, as the text of one cell; pyarrow does not mind.
    """
    if _are_quotes_plain(stream, delimiter):
        return
    since_last_row: list[int] = []

    def with_quotes(lines: Iterable[str]) -> Iterator[str]:  # others can have no part in it
        for number, line in enumerate(lines, start=1):
            if '"' in line:
                since_last_row.append(number)
                yield line

    with _as_text(stream) as lines:
        try:
            for _ in csv.reader(with_quotes(lines), delimiter=delimiter, strict=True):
                since_last_row.clear()
        except csv.Error as error:
            raise ValueError(
                f"the row that begins in line {since_last_row[0]} has a quoted field that is not "
                f"well formed ({error}): a quote that is part of the text must be written twice, "
                "inside a quoted field"
            ) from error


@contextmanager
def _as_text(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """Open a CSV file as text, from its start, and allow fields as long as pyarrow can read."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    limit = csv.field_size_limit(_BLOCK)  # of the whole process
    try:
        yield text
    finally:
        csv.field_size_limit(limit)
        text.detach()
        stream.seek(0)


def _are_quotes_plain(stream: BinaryIO, delimiter: str) -> bool:
    """Return whether every second quote opens a field or continues one, and the others close it.

    They do in most files, and this takes a fifth of the time of reading them strictly.
    """
    beside = np.zeros(256, dtype=bool)  # what may stand before such a field, and behind it
    beside[[*f'{delimiter}\r\n"'.encode()]] = True
    is_inside = False
    while block := stream.read(_BLOCK) + stream.readline():
        text = np.frombuffer(b"\n" + block + b"\n", dtype=np.uint8)
        quotes = np.flatnonzero(text == ord('"'))
        opening, closing = quotes[is_inside::2], quotes[not is_inside :: 2]
        if not (beside[text[opening - 1]].all() and beside[text[closing + 1]].all()):
            return False
        is_inside ^= len(quotes) % 2 == 1
    return not is_inside


# JSON, with the standard library: it keeps JSON's own types


def _lines(stream: BinaryIO) -> Iterator[tuple[str, Any, bool]]:
    """Yield where each object of JSON lines stands, the object, and whether it has escapes."""
    decode = json.JSONDecoder(object_pairs_hook=_object).decode
    for number, line in enumerate(stream, start=1):
        if line.strip():
            try:
                row = decode(line.decode().removeprefix("\ufeff"))
            except (ValueError, RecursionError) as error:
                raise ValueError(f"line {number} is not JSON: {error}") from error
            yield f"line {number}", row, b"\\u" in line


def _entries(stream: BinaryIO) -> Iterator[tuple[str, Any, bool]]:
    """Yield the same of a JSON array of objects, which is read whole."""
    try:
        rows = json.loads(stream.read().decode("utf-8-sig"), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the file is not JSON: {error}") from error
    if not isinstance(rows, list):
        raise ValueError(
            f"the file must hold a JSON array of objects, got {show(rows)}: one object per line "
            'is JSON lines, file_format="jsonl"'
        )
    for position, row in enumerate(rows):
        yield f"entry {position}", row, True


def _read_json(
    objects: Iterator[tuple[str, Any, bool]],
    names: Mapping[str, str],
    missing: Mapping[str, Collection[str]],
) -> Iterator[Batch]:
    ways: dict[str, Way] = {}
    texts = [missing.get(argument, ()) for argument in names]
    rows = (_values_of(row, names, ways, where, escaped) for where, row, escaped in objects)
    while given := list(islice(rows, _LINES)):
        some = [
            [
                None if isinstance(x, str) and x in null else x
                for x, null in zip(row, texts, strict=True)
            ]
            for row in given
        ]
        kept = [row for row in some if None not in row]
        nulls = {name: sum(row[i] is None for row in some) for i, name in enumerate(names)}
        columns = {name: [row[i] for row in kept] for i, name in enumerate(names)}
        yield Batch(columns, len(some), nulls, are_text=some != given)


def _values_of(
    row: Any, names: Mapping[str, str], ways: dict[str, Way], where: str, is_escaped: bool
) -> list[Any]:
    """Return the values of the columns in a JSON object; `ways` are those of earlier objects."""
    if not isinstance(row, dict):
        raise ValueError(f"{where} must be a JSON object, got {show(row)}")
    values = []
    for name in names.values():
        try:
            value, way = value_in(row, name)
        except ValueError as error:
            raise ValueError(f"{where} has no {name!r}: {error}") from error
        try:
            values.append(argmax(value, way) if way.is_argmax else value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        before = ways.setdefault(name, way)
        if way != before:
            n = min(len(before.steps), len(way.steps))  # a null ends a way
            if before.steps[:n] != way.steps[:n] or before.is_argmax != way.is_argmax:
                raise ValueError(
                    f"{where} has {name!r} in another place than those before: as a column of this "
                    "name in one, as nested fields in the other"
                )
            ways[name] = max(before, way, key=lambda one: len(one.steps))
    if is_escaped and any(_HALF_A_CHARACTER.search(str(value)) for value in values):
        raise ValueError(f"{where} has half a character (a lone surrogate) as a label")
    return values


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; a key that occurs twice is an error."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return values
