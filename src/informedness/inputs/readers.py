"""File formats: each is read in batches of rows, so that no file has to fit into memory."""

import csv
import io
import json
from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import takewhile
from typing import Any, BinaryIO, NamedTuple

from ..core.labels import show
from .columns import check_columns, without_views
from .nested import Way, argmax, array_in, check_argmax, type_in, value_in
from .paths import open_whole
from .quotes import check_quotes

DELIMITERS = {"csv": ",", "tsv": "\t"}

_BYTES = 1 << 24  # counted at a time: two columns of a million integers
_ROWS = 1 << 20  # of Parquet decoded at a time, unless they take more than
_ROW_BYTES = 64  # bytes each: long text that does not repeat
_LINES = 1 << 16  # of JSON, where a label is a Python object
_BLOCK = 1 << 22  # bytes of CSV parsed at a time, and the longest row that can be read
_END_OF_STREAM = b"\xff\xff\xff\xff\0\0\0\0"


class Batch(NamedTuple):
    """Some rows of a file, those with nulls left out."""

    columns: dict[str, Any]
    """Arrays of Arrow, or lists, by argument (references, predictions, weights)."""
    n_rows: int
    """Number of rows, those with nulls included."""
    nulls: dict[str, int]
    """Number of nulls by argument."""


def read_batches(
    path: str, file_format: str, names: Mapping[str, str], keep_empty: bool = False
) -> Iterator[Batch]:
    """Yield the rows of a file in batches; `names` gives the column of each argument.

    Empty cells of CSV and TSV are nulls, or with `keep_empty` empty text.

    Raises
    ------
    ValueError
        If the file is damaged, or has no such column.
    """
    with open_whole(path) as stream:
        if file_format in ("json", "jsonl"):
            read_json = _read_json_lines if file_format == "jsonl" else _read_json_array
            yield from read_json(stream, names)
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
            reader = partial(_read_csv, delimiter=delimiter, keep_empty=keep_empty)
        try:
            for rows in _gathered(reader(stream, names)):
                yield _without_nulls(rows)
        except (pyarrow.ArrowException, OSError, UnicodeError, MemoryError) as error:
            what = str(error) or "it asks for more memory than there is"
            raise ValueError(f"not readable as {file_format}: {what}") from error


def _gathered(batches: Iterable[Any]) -> Iterator[Any]:
    """Yield record batches of about `_BYTES` each: many small ones cost more to count."""
    waiting: list[Any] = []
    n_bytes = 0
    for batch in batches:
        for start in range(0, batch.num_rows, _ROWS):
            waiting.append(_without_views(batch.slice(start, _ROWS)))
            n_bytes += waiting[-1].nbytes
            if n_bytes >= _BYTES:
                yield from _joined(waiting)
                waiting, n_bytes = [], 0
    yield from _joined(waiting)


def _columns_of(batches: Iterable[Any], ways: Mapping[str, Way]) -> Iterator[Any]:
    """Yield the columns that `ways` lead to in each record batch, by argument."""
    import pyarrow

    row = 0
    for batch in batches:
        batch.validate(full=True)  # what is damaged may end the process, or name another label
        arrays = [array_in(batch, way, row) for way in ways.values()]
        yield pyarrow.RecordBatch.from_arrays(arrays, list(ways))
        row += batch.num_rows


def _without_views(batch: Any) -> Any:
    """Return a record batch with its views of text, as polars writes them, as dictionaries of text.

    Not as plain text, which may be many times larger: views of long labels share their bytes.
    """
    import pyarrow

    arrays = [without_views(array) for array in batch.columns]
    return pyarrow.RecordBatch.from_arrays(arrays, batch.schema.names)


def _joined(batches: list[Any]) -> list[Any]:
    """Return record batches as one, or as they are where their dictionaries cannot be joined."""
    import pyarrow

    try:
        return [pyarrow.concat_batches(batches)] if len(batches) > 1 else batches
    except pyarrow.ArrowInvalid:
        return batches


def _without_nulls(rows: Any) -> Batch:
    """Return a record batch as `Batch`."""
    import pyarrow

    names, arrays = rows.schema.names, rows.columns
    for position, array in enumerate(arrays):
        if pyarrow.types.is_dictionary(array.type) and array.dictionary.null_count:
            arrays[position] = array.dictionary_decode()  # so that its nulls can be seen
    nulls = dict(zip(names, (array.null_count for array in arrays), strict=True))
    kept = pyarrow.RecordBatch.from_arrays(arrays, names)
    if any(nulls.values()):
        kept = kept.drop_null()
    return Batch(dict(zip(names, kept.columns, strict=True)), rows.num_rows, nulls)


def _read_parquet(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Any]:
    import pyarrow.parquet

    metadata = pyarrow.parquet.read_metadata(stream)
    schema = metadata.schema.to_arrow_schema()
    ways = _ways(names, schema)
    columns = _leaves(metadata, ways.values())
    file = pyarrow.parquet.ParquetFile(stream, metadata=metadata, pre_buffer=False)
    # Where a column's metadata is damaged a look at it ends the process, but reading raises.
    next(file.iter_batches(batch_size=1, columns=columns), None)
    chunks = _first_chunks(metadata, columns)
    n_rows = _rows_at_a_time(metadata, chunks)
    # text as a dictionary counts fastest; but long labels take more memory so, and pyarrow has no
    # way to one from delta encodings, nor to one within nested columns in every file
    plain = [name for name in columns if name in schema.names]
    delta = any(name.startswith("DELTA") for chunk in chunks for name in chunk.encodings)
    file = pyarrow.parquet.ParquetFile(
        stream,
        metadata=metadata,
        read_dictionary=plain if n_rows == _ROWS and not delta else [],
        pre_buffer=False,  # or it would keep all that it has read
        page_checksum_verification=True,
    )
    yield from _columns_of(file.iter_batches(batch_size=n_rows, columns=columns), ways)


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


def _leaves(metadata: Any, ways: Iterable[Way]) -> list[str]:
    """Return the columns of a Parquet file that are wanted, which has one for each inmost field."""
    paths = [metadata.schema.column(i).path for i in range(metadata.num_columns)]
    wanted = set()
    for way in ways:
        fields = list(takewhile(lambda step: isinstance(step, str), way.steps))
        outer, last = ".".join(map(str, fields)), way.steps[-1]
        # between a list and the fields of its elements stand names that vary: list.element
        inner = f".{last}." if isinstance(last, str) else "."
        wanted |= {
            path for path in paths if f"{path}.".startswith(f"{outer}.") and inner in f".{path}."
        }
    return sorted(wanted)


def _first_chunks(metadata: Any, columns: list[str]) -> list[Any]:
    """Return what a Parquet file says of these columns in its first row group, if it has one."""
    if not metadata.num_row_groups:
        return []
    group = metadata.row_group(0)
    return [
        group.column(position)
        for position in range(metadata.num_columns)
        if metadata.schema.column(position).path in columns
    ]


def _rows_at_a_time(metadata: Any, chunks: list[Any]) -> int:
    """Return how many rows of a Parquet file to decode at a time: few where labels are long."""
    if not chunks:
        return _ROWS
    group = metadata.row_group(0)
    size = sum(chunk.total_uncompressed_size for chunk in chunks)
    if size <= _ROW_BYTES * group.num_rows:
        return _ROWS
    return 1 + min(_ROWS, int(group.num_rows * _BYTES // 4 // size))


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
    if not is_file and stream.read(1):
        raise ValueError("the file must hold one Arrow stream, got bytes after its end")


def _read_csv(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, keep_empty: bool
) -> Iterator[Any]:
    import pyarrow
    import pyarrow.csv

    check_quotes(stream, delimiter)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    try:
        header = next(csv.reader(text, delimiter=delimiter), [])
    except csv.Error as error:
        raise ValueError(f"the header is not readable: {error}") from error
    check_columns(names, header)
    text.detach()
    stream.seek(0)
    types = dict.fromkeys(names.values(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    if "weights" in names:
        types[names["weights"]] = pyarrow.float64()
    batches = pyarrow.csv.open_csv(
        stream,
        read_options=pyarrow.csv.ReadOptions(block_size=_BLOCK),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=[""],  # "NA" is a label
            strings_can_be_null=not keep_empty,
        ),
    )
    yield from _columns_of(batches, {x: Way((name,), False) for x, name in names.items()})


def _read_json_lines(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yield the rows of JSON lines, with the standard library: it keeps JSON's own types."""
    rows: list[list[Any]] = []
    ways: dict[str, Way] = {}
    decode = json.JSONDecoder(object_pairs_hook=_object).decode
    for number, line in enumerate(stream, start=1):
        if not line.strip():
            continue
        try:
            row = decode(line.decode().removeprefix("\ufeff"))
        except (ValueError, RecursionError) as error:
            raise ValueError(f"line {number} is not JSON: {error}") from error
        rows.append(_values_of(row, names, ways, f"line {number}", b"\\u" in line))
        if len(rows) == _LINES:
            yield _from_rows(rows, names)
            rows = []
    if rows:
        yield _from_rows(rows, names)


def _read_json_array(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Batch]:
    """Yield the rows of a JSON array of objects, which is read whole."""
    try:
        rows = json.loads(stream.read().decode("utf-8-sig"), object_pairs_hook=_object)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"the file is not JSON: {error}") from error
    if not isinstance(rows, list):
        raise ValueError(
            f"the file must hold a JSON array of objects, got {show(rows)}: one object per line "
            "is JSON lines, --format-in jsonl (file_format=)"
        )
    ways: dict[str, Way] = {}
    values = [_values_of(row, names, ways, f"entry {i}", True) for i, row in enumerate(rows)]
    if values:
        yield _from_rows(values, names)


def _values_of(
    row: Any, names: Mapping[str, str], ways: dict[str, Way], where: str, is_escaped: bool
) -> list[Any]:
    """Return the values of the columns in a JSON object; `ways` are those of earlier objects."""
    if not isinstance(row, dict):
        raise ValueError(f"{where} must be a JSON object, got {show(row)}")
    values = []
    for argument, name in names.items():
        try:
            value, way = value_in(row, name)
        except ValueError as error:
            raise ValueError(f"{where} has no {name!r}: {error}") from error
        try:
            values.append(argmax(value, way) if way.is_argmax else value)
        except ValueError as error:
            raise ValueError(f"{where}: {error}") from error
        before = ways.setdefault(argument, way)
        if way != before:
            _check_way(name, before, way, where)
            ways[argument] = max(before, way, key=lambda one: len(one.steps))
    if is_escaped and not all(map(_is_text, values)):
        raise ValueError(f"{where} has half a character (a lone surrogate) as a label")
    return values


def _check_way(name: str, before: Way, way: Way, where: str) -> None:
    """Raise ValueError unless two ways are the same, up to where a null ends one."""
    n = min(len(before.steps), len(way.steps))
    if (before.steps[:n], before.is_argmax) != (way.steps[:n], way.is_argmax):
        raise ValueError(
            f"{where} has {name!r} in another place than those before: as a column of this name in "
            "one, as nested fields in the other"
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; a key that occurs twice is an error."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return values


def _is_text(value: Any) -> bool:
    """Return whether a JSON value can be encoded, if it is text."""
    try:
        str(value).encode()
    except UnicodeEncodeError:
        return False
    return True


def _from_rows(rows: list[list[Any]], names: Mapping[str, str]) -> Batch:
    nulls = {
        argument: sum(row[position] is None for row in rows)
        for position, argument in enumerate(names)
    }
    kept = [row for row in rows if not any(value is None for value in row)]
    columns = {argument: [row[i] for row in kept] for i, argument in enumerate(names)}
    return Batch(columns, len(rows), nulls)
