"""Read formats whose rows hold typed values: JSON, JSON Lines and Excel sheets."""

import codecs
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import accumulate, chain, islice, product
from typing import Any, BinaryIO, TypeAlias, TypedDict

from ..core.labels import show, warn
from ..errors import DataError, optional_import, prefix_errors
from ..messages import Message
from ..text.render import count_text
from . import columns as file_columns
from .arrow import FileReader
from .columns import ARGMAX, column_of, distinct_names, name_list, one_value, value_in
from .opening import why_not_utf8

# The location of an object (a line number, or text), and the object
Row: TypeAlias = tuple[str | int, Any]
# A function that decodes lines of JSON, or returns None if it cannot decode them
Decoder: TypeAlias = Callable[[bytes], list[dict[str, Any]] | None]

_LOG_KEYS = {"doc_id", "filter"}  # keys of each row in a log of lm-eval
_N_ROWS = 1 << 16  # rows in a batch
_N_OBJECTS = 256  # objects held at a time; that they fit in the CPU cache saves a third of the time
_N_BYTES = 1 << 17  # bytes decoded at a time if lines are long


class Objects(FileReader):
    """Read rows that are objects, in batches; the keys of the first object are the header.

    `names` maps arguments to the columns to read.
    """

    def __init__(self, names: Mapping[str, str], rows: Iterator[Row]) -> None:
        self._names = names
        self._first = [*islice(rows, 1)]
        self._rows: Iterator[Row] = chain(self._first, rows)
        for _, row in self._first:
            if isinstance(row, dict):
                self.header = self.header or [*row]
                if row.keys() >= _LOG_KEYS and names:
                    self._rows = _check_filters(self._rows, names)

    def first_columns(self, n_rows: int) -> dict[str, list[Any]]:
        """Collect all columns of the first rows, with None for missing keys."""
        objects = [*islice(self._rows, n_rows)]
        for where, row in objects:
            _values_of(row, {}, where)
        names = dict.fromkeys(name for _, row in objects for name in row)
        return {name: [row.get(name) for _, row in objects] for name in names}

    def batches(self, keep_empty: bool) -> Iterator[dict[str, list[Any]]]:
        """Yield batches of values by argument.

        The value of a missing key is None. If all rows lack it, an error is raised at the end.
        """
        columns = defaultdict[str, list[Any]](list)
        labels: dict[Any, Any] = {}  # one object per label fits in the cache: 30% less time
        n_rows = 0
        n_absent = Counter[str]()
        while objects := list(islice(self._rows, _N_OBJECTS)):
            n_rows += len(objects)
            for argument, values in _collect_columns(objects, self._names, n_absent).items():
                is_text = {*map(type, values)} <= {str, type(None)}
                columns[argument] += map(labels.setdefault, values, values) if is_text else values
            if len(columns[argument]) >= _N_ROWS:
                yield columns
                columns = defaultdict(list)
                labels.clear()
        names = [*self._names.values()]
        absent = {x: x for x in names if 0 < n_absent[x] == n_rows * names.count(x)}
        for where, row in self._first:
            _values_of(row, absent, where)
        if columns:
            yield columns


def _check_filters(rows: Iterator[Row], names: Mapping[str, str]) -> Iterator[Row]:
    """Yield rows of a log of lm-eval, and warn at the end if they have several filters.

    There is no warning if `names` has the column "filter", which separates the filters.
    """
    filters = set[Any]()
    for where, row in rows:
        filters.add(row.get("filter") if isinstance(row, dict) else None)
        yield where, row
    if len(filters) > 1 and "filter" not in names.values():
        text = "a log of lm-eval has a row per document and filter, and each row counts as a sample"
        warn(f'{text}. Pass by="filter", or read the log without names of columns.')


def _collect_columns(
    rows: Sequence[Row], names: Mapping[str, str], n_absent: Counter[str]
) -> dict[str, list[Any]]:
    """Collect the values of the columns in JSON objects, by argument."""
    # A name may be a path, a key may be missing, and a row may be another value than an object.
    with suppress(KeyError, TypeError):
        columns = {x: [row[name] for _, row in rows] for x, name in names.items()}
        if not any({dict, list} & {*map(type, column)} for column in columns.values()):
            return columns
    values = [_values_of(row, names, where, n_absent) for where, row in rows]
    return dict(zip(names, map(list, zip(*values, strict=True)), strict=True))


def _values_of(row: Any, names: Mapping[str, str], where: Any, n_absent: Any = None) -> list[Any]:
    """Get the values of the columns in a JSON object at the line or location `where`."""
    where = f"line {where}" if isinstance(where, int) else where
    if not isinstance(row, dict):
        raise ValueError(f"{where} must be a JSON object, got {show(row)}")
    return [one_value(row, name, where, n_absent) for name in names.values()]


# JSON


def _read_object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Convert a JSON object to a dict; raise an error if a key occurs twice."""
    values = dict(pairs)
    if len(values) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return values


_parse = json.JSONDecoder(object_pairs_hook=_read_object).decode


def json_rows(stream: BinaryIO, rows: str | None, names: Mapping[str, str]) -> Iterator[Row]:
    """Read the objects in a JSON file, each with its location.

    The file may hold JSON Lines or one document, whatever its name: `datasets` and Spark write
    lines to .json files. A document is read into memory, and `rows` is the path to the objects in
    it. A single object may be a table that is stored by column, as pandas writes it. Otherwise,
    without `rows`, it is a row.

    Raises
    ------
    ValueError
        If the file is not JSON, or `rows` does not lead to rows. If `rows` is None, and the file is
        one object with rows at a path, unless `names` has columns and the object has all of them.
    """
    start = stream.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    stream.seek(0)
    if rows is not None or start.startswith(b"["):
        entries = _rows_at(_parse_json(stream.read(), "the file", 1), rows or ".")
        return ((f"entry {position}", row) for position, row in enumerate(entries))
    top = _top_rows(stream)
    first = next((row for _, row in top[:1] if isinstance(row, dict)), {})
    if first and len(top) == 1:
        if table := _rows_of_columns(first, names.values()):
            return iter(table)
        _check_is_row(first, names)
    decode = _decoder_of({*names.values(), *_LOG_KEYS & first.keys()}) if names else None
    return chain(top, islice(_json_lines(stream, decode), len(top), None))


def _top_rows(stream: BinaryIO) -> list[Row]:
    """Read the first two lines of JSON, or else one document.

    If the file holds lines, the stream is set back to its start. After a document, it is at its
    end.
    """
    try:
        top = list(islice(_json_lines(stream), 2))
    except ValueError:
        stream.seek(0)
        with suppress(ValueError):
            return [("the file", _parse_json(stream.read(), "the file", 1))]
        raise
    stream.seek(0)
    return top


def _json_lines(stream: BinaryIO, decode: Decoder | None = None) -> Iterator[Row]:
    """Yield the number and the object of each line that is not empty.

    `decode` is tried first, on blocks of lines.
    """
    n_lines = 0
    while line := stream.readline():
        block = line + stream.read(min(_N_BYTES, _N_OBJECTS * len(line))) + stream.readline()
        rows = decode(block) if decode else None
        if rows is None:
            for number, line in enumerate(io.BytesIO(block), n_lines + 1):
                if line.strip():
                    yield number, _parse_json(line, f"line {number}", number)
        else:
            yield from enumerate(rows, n_lines + 1)
        n_lines += block.count(b"\n")


def _parse_json(text: bytes, where: str, first_line: int) -> Any:
    """Decode JSON; errors name the location, and the first line that is not UTF-8, if any."""
    try:
        return _parse(text.decode().removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        remedy = "Write one object per line, or all objects in one array."
        reason = why_not_utf8(text.splitlines(), first_line) or f"{error}. {remedy}"
        raise ValueError(f"{where} is not JSON: {reason}") from error


def _decoder_of(names: Collection[str]) -> Decoder | None:
    """Make a decoder of lines that reads only the keys that the paths in `names` may begin with.

    Skipping other values takes a fifth of the time that decoding them takes. The decoder is None
    without msgspec, or if a name has characters that JSON can write in several forms.
    """
    if re.search(r'["\\/]|[^ -~]', "".join(names)):
        return None
    try:
        import msgspec
    except ImportError:
        return None
    paths = [name.removeprefix(ARGMAX).split(".") for name in names]
    parents = {*chain(*(accumulate(path, "{}.{}".format) for path in paths))} - {*names}
    scalar: Any = str | int | float | bool | None
    types = dict.fromkeys(names, scalar) | dict.fromkeys(parents, msgspec.Raw)
    make_type: Any = TypedDict  # mypy would require literal keys
    decode_line = msgspec.json.Decoder(make_type("Row", types, total=False)).decode
    quoted_keys = [f'"{key}"'.encode() for key in types]

    def decode(text: bytes) -> list[dict[str, Any]] | None:
        """Decode lines; None if a line is not JSON, or must be decoded as a whole.

        A line is decoded as a whole if it may repeat a key, may have an escaped character in a key,
        or nests values at a name.
        """
        if re.search(rb"\\u00[2-7]", text):  # escaped characters, which may be in a key
            return None
        with suppress(ValueError, RecursionError, msgspec.MsgspecError):
            text.decode()
            rows = list(map(decode_line, io.BytesIO(text)))
            for row, key in product(rows, parents):
                if key in row:
                    row[key] = _parse(str(row[key], "utf-8"))
            if sum(map(len, rows)) == sum(map(text.count, quoted_keys)):
                return rows
        return None

    return decode


# Documents


def _check_is_row(document: Mapping[str, Any], names: Mapping[str, str]) -> None:
    """Raise an error that suggests paths to rows, if a document has such paths.

    A document with all columns in `names` is valid, unless `names` is empty.
    """
    if names and all(column_of(name, document) for name in names.values()):
        return
    paths = [*_paths_to_rows(document)] or [*_paths_to_rows(document, are_objects=True)]
    paths.sort(key=lambda pair: -pair[1])
    if paths:
        texts = " or ".join(f"{path!r} ({count_text(n, 'row')})" for path, n in paths)
        error = DataError(f"the file is one object. Pass the path to its rows as `rows`: {texts}")
        error.rows = paths[0][0] if len(paths) == 1 else None
        raise error


def _rows_of_columns(document: Mapping[str, Any], names: Collection[str]) -> list[Row]:
    """Read the rows of a table that is stored by column; empty for other documents.

    Columns are lists of one length, or objects with the same keys in the same order. There must be
    two or more, and among them those in `names`, but no list "columns".
    """
    columns = [x for x in document.values() if isinstance(x, (list, dict))]
    keys = [[*range(len(x))] if isinstance(x, list) else [*x] for x in columns]
    is_table = len(columns) == len(document) > 1 and keys.count(keys[0]) == len(keys)
    if not is_table or {*names} - {*document} or isinstance(document.get("columns"), list):
        return []
    return [(f"row {key}", {name: x[key] for name, x in document.items()}) for key in keys[0]]


def _paths_to_rows(
    document: Mapping[str, Any], are_objects: bool = False, parent_path: str = ""
) -> Iterator[tuple[str, int]]:
    """Yield each path that may lead to rows, and the number of rows, below `parent_path`.

    Rows are a list of objects, or a list of lists of cells next to "columns", as W&B and pandas
    write them. With `are_objects`, they may also be the values of an object.
    """
    kinds = (dict, list) if isinstance(document.get("columns"), list) else (dict,)
    for name, value in document.items():
        path = f"{parent_path}.{name}".removeprefix(".")
        is_list = isinstance(value, list) and value and all(isinstance(row, kinds) for row in value)
        if is_list or (are_objects and _are_rows(value)):
            yield path, len(value)
        elif isinstance(value, dict):
            yield from _paths_to_rows(value, are_objects, path)


def _are_rows(value: Any) -> bool:
    """Check whether a value is an object of at least two objects with the same keys."""
    rows = [*value.values()] if isinstance(value, dict) else []
    return len(rows) > 1 and all(isinstance(x, dict) and x.keys() == rows[0].keys() for x in rows)


def _rows_at(document: Any, path: str) -> Iterable[Any]:
    """Get the rows at a path; the path "." is the document itself.

    Rows are a list of objects, an object whose values are objects, or a list of lists of cells. The
    list "columns" next to it names the cells, as in files of W&B and pandas.

    Raises
    ------
    ValueError
        If the path does not exist, or does not lead to a list or an object of objects. If a list of
        cells does not have as many cells as "columns" has names.
    """
    parent_path, _, name = path.rpartition(".")
    with prefix_errors(Message(f"`rows` must be a path in the document, got {path!r}")):
        parent = value_in(document, parent_path) if parent_path else document
        rows = document if path == "." else value_in(parent, name, parent_path)
    if isinstance(rows, dict) and all(isinstance(row, dict) for row in rows.values()):
        return rows.values()
    if not isinstance(rows, list):
        raise ValueError(f"`rows` must lead to a list of objects, got {show(rows)} at {path!r}")
    names = parent.get("columns") if isinstance(parent, dict) else None
    if not isinstance(names, list) or {*map(type, names)} != {str}:
        return rows
    for row in rows:
        if isinstance(row, list) and len(row) != len(names):
            raise ValueError(f"rows must have a cell for each of {show(names)}, got {show(row)}")
    return [dict(zip(names, row, strict=True)) if isinstance(row, list) else row for row in rows]


# Excel


class Workbook(Objects):
    """Read the Excel sheet with this title, or by default the only sheet with these columns.

    If `names` is empty, the default is the sheet with the most columns. Empty rows are skipped. The
    first row that is not empty is the header.

    Raises
    ------
    ValueError
        If no sheet has the title, or the sheet lacks a column. If `title` is None, and several
        sheets have the columns in `names`. If the file is damaged, or has only chart sheets.
    """

    def __init__(self, stream: BinaryIO, names: Mapping[str, str], title: str | None) -> None:
        with optional_import("reading Excel files needs openpyxl", "openpyxl>=3.1"):
            import openpyxl
        with prefix_errors("not readable as xlsx", Exception):  # openpyxl raises many classes
            book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        self.sheets = [sheet.title for sheet in book.worksheets]
        if not self.sheets:
            raise ValueError("the workbook has only chart sheets: put the data in a sheet of cells")
        if title not in (None, *self.sheets):
            raise ValueError(f"`rows` must be one of {name_list(self.sheets)}, got {title!r}")
        sheets = [_read_sheet(x) for x in book.worksheets if title in (None, x.title)]
        sheet, original_names, rows = _choose_sheet(names, sheets)
        if len(self.sheets) > 1:
            self.sheet_note = f", sheet {sheet} (of {', '.join(self.sheets)})"
        self.header = distinct_names(original_names)
        with prefix_errors(Message(f"sheet {sheet!r} (`rows` may be {name_list(self.sheets)})")):
            file_columns.check_columns(names, self.header)
        nulls = dict.fromkeys(self.header)
        objects = ((x, nulls | dict(zip(self.header, row, strict=False))) for x, row in rows)
        pairs = file_columns.repeats_of(names.values(), original_names)
        super().__init__(names, _compare_columns(objects, pairs))


def _compare_columns(rows: Iterator[Row], pairs: Mapping[str, str]) -> Iterator[Row]:
    """Yield rows; warn at the end of columns that repeat the name of another, but not its values.

    `pairs` maps the distinct name of each such column to the name that it repeats.
    """
    unequal = dict[str, str]()
    for where, row in rows:
        unequal |= {x: name for x, name in pairs.items() if row[x] != row[name]}
        yield where, row
    file_columns.warn_of_repeats(unequal)


def _read_sheet(sheet: Any) -> tuple[str, list[str], Iterator[Row]]:
    """Read the title of a sheet, its header, and the rows below the header."""
    rows = _filled_rows(sheet)
    _, header = next(rows, ("", ()))
    return sheet.title, ["" if x is None else str(x) for x in header], rows


def _choose_sheet(names: Mapping[str, str], sheets: Sequence[Any]) -> Any:
    """Find the only sheet that has these columns, or else the sheet with the most columns.

    Raises
    ------
    DataError
        If several sheets have these columns.
    """
    matches = [sheet for sheet in sheets if {*names.values()} <= {*distinct_names(sheet[1])}]
    if names and len(matches) > 1:
        titles = name_list([title for title, *_ in matches])
        raise DataError(f"only one sheet may have these columns, got {titles}: pass one as `rows`")
    return max(matches or sheets, key=lambda sheet: len(sheet[1]))


def _filled_rows(sheet: Any) -> Iterator[Row]:
    """Yield the location and the cells of each row that is not empty."""
    sheet.reset_dimensions()  # some programs write wrong dimensions
    with prefix_errors("not readable as xlsx", Exception):
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            if any(cell is not None for cell in row):
                yield f"row {number} of {sheet.title}", row
