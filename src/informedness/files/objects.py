"""Formats whose rows are objects with types of their own: JSON, JSON lines and Excel's sheets.

Names lead to values in them: `doc.label` is a field within `doc`, `doc.answers.0` an element of a
list. A column with the whole name comes first. The same holds at every level: the longest field
name that the rest of the name starts with. `argmax:` in front takes the position or the name of the
greatest number, the first if several are equal, unless a column has this name.
"""

import codecs
import io
import json
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from itertools import chain, islice, product
from typing import Any, BinaryIO, TypeAlias, TypedDict

import numpy as np

from ..core.labels import show, warn
from ..errors import DataError, optional_import, refuse_all
from ..messages import join, message, with_subject
from ..text.render import several, shown
from .columns import (
    ARGMAX,
    check_columns,
    listed,
    names_alike,
    numbered,
    warn_of_names,
    why_not_utf8,
)

Row: TypeAlias = tuple[str | int, Any]
"""Where an object stands, or the number of its line, and the object."""

Decoder: TypeAlias = Callable[[bytes], list[dict[str, Any]] | None]

_OF_LOG = ("doc_id", "filter")  # of lm-eval, which has a row for each document and filter
_LINES = 1 << 16  # in a batch
_OBJECTS = 256  # held at a time, so that they stay in the cache: a quarter of the time
_BLOCK = 1 << 17  # bytes of lines decoded at a time, if they are long


class Objects:
    """A file of objects: the keys of the first one, and the values of these names in batches."""

    def __init__(
        self, stream: BinaryIO, kind: str, names: Mapping[str, str], rows: str | None
    ) -> None:
        self._names = names
        self.sheet, self.sheets, self.header = "", list[str](), list[str]()
        if kind == "xlsx":
            self.sheet, self.sheets, self.header, objects = open_sheet(stream, names, rows)
        else:
            objects = json_rows(stream, rows, names)
        first: Row = next(objects, ("", {}))
        self._where, self.first = first
        self.rows: Iterable[Row] = chain([first] if first[0] else [], objects)
        if not self.header and isinstance(self.first, dict):
            self.header = [*self.first]

    def first_columns(self, n_rows: int) -> dict[str, list[Any]]:
        """Return the first rows of all columns that they have, None where one has not."""
        objects = [*islice(self.rows, n_rows)]
        for where, row in objects:
            _values_of(row, {}, where)
        names = dict.fromkeys(name for _, row in objects for name in row)
        return {name: [row.get(name) for _, row in objects] for name in names}

    def batches(self, keep_empty: bool) -> Iterator[dict[str, list[Any]]]:
        """Yield values by argument, with empty text in place of nulls if they are to be kept.

        An absent key is a null, and an error if no row has it.
        """
        rows = iter(self.rows)
        columns: dict[str, list[Any]] = {argument: [] for argument in self._names}
        labels: dict[Any, Any] = {}  # one object of each, which stays in the cache
        n_rows = 0
        n_lacking = Counter[str]()
        times = {field: Counter[str]() for field in _OF_LOG if _is_of_log(self.first)}
        while objects := list(islice(rows, _OBJECTS)):
            n_rows += len(objects)
            for argument, values in _columns_of(objects, self._names, n_lacking).items():
                if keep_empty and argument not in ("weights", "counts"):
                    values = ["" if value is None else value for value in values]
                columns[argument] += _shared(values, labels)
            for field, counter in times.items():
                counter.update(str(row.get(field)) for _, row in objects)
            if len(columns[argument]) >= _LINES:
                yield columns
                columns = {argument: [] for argument in self._names}
                labels.clear()
        names = [*self._names.values()]
        absent = {x: x for x in names if 0 < n_lacking[x] == n_rows * names.count(x)}
        _values_of(self.first, absent, self._where)
        if any(columns.values()):
            yield columns
        _warn_of_filters(times, n_rows, names)


def _shared(values: Sequence[Any], known: dict[Any, Any]) -> Iterable[Any]:
    """Return values, of equal text the one that is known, which is added to the others."""
    is_text = {*map(type, values)} <= {str, type(None)}
    return map(known.setdefault, values, values) if is_text else values


def _is_of_log(row: Any) -> bool:
    """Return whether a row is of a log of lm-eval."""
    return isinstance(row, dict) and {*_OF_LOG, "filtered_resps"} <= {*row}


def _warn_of_filters(times: Mapping[str, Counter[str]], n_rows: int, used: Sequence[str]) -> None:
    """Warn if rows of a log are the same documents after several filters, and count apart."""
    documents, filters = (times.get(name, ()) for name in _OF_LOG)
    if len(filters) > 1 and "filter" not in used:
        names = ", ".join(map(show, filters))
        warn(
            f"{n_rows:,d} rows are {len(documents):,d} documents after {len(filters)} filters of "
            f"lm-eval ({names}), and each counts as a sample: slice `by` 'filter', or read the log "
            "without naming columns"
        )


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; a key that occurs twice is an error."""
    values = dict(pairs)
    if len(values) < len(pairs):
        [(twice, _)] = Counter(key for key, _ in pairs).most_common(1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return values


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def json_rows(stream: BinaryIO, rows: str | None, names: Mapping[str, str]) -> Iterator[Row]:
    """Return where each object stands, and the object.

    The objects are JSON lines, or in one JSON array, which is read whole: `datasets` and Spark
    write lines into files called .json. With `rows` they are within one document. One object alone
    may be a table by column, as pandas writes it.

    Raises
    ------
    ValueError
        If the file is damaged, or one document in which the names of columns lead nowhere.
    """
    start = stream.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    stream.seek(0)
    if rows is not None or start.startswith(b"["):
        document = _decoded(stream.read(), "the file", 1)
        entries = document if rows is None else rows_within(document, rows)
        return ((f"entry {position}", row) for position, row in enumerate(entries))
    no_lines: ValueError | None = None
    try:
        top = list(islice(chain.from_iterable(_json_lines(stream)), 2))
    except ValueError as error:
        top = []
        no_lines = error
        stream.seek(0)
        with suppress(ValueError):
            top = [("the file", _decoded(stream.read(), "the file", 1))]
    else:
        stream.seek(0)
    document = top[0][1] if len(top) == 1 else None
    if isinstance(document, dict):
        if table := _by_column(document, names.values()):
            return iter(table)
        if not names or not all(column_of(name, document) for name in names.values()):
            _refuse_document(document, is_row=no_lines is None)
    elif no_lines is not None:
        raise no_lines
    rest = chain.from_iterable(_json_lines(stream, _decoder_of([*names.values()], top)))
    return chain(top, islice(rest, len(top), None))


def _refuse_document(document: Mapping[str, Any], is_row: bool) -> None:
    """Raise an error that says where the rows of a document may be; none if it may be a row."""
    places = [*_places_of_rows(document)]
    places = sorted([x for x in places if x[2]] or places, key=lambda place: -place[1])
    if places:
        (first, n_rows, _), *others = places
        rest = "".join(f", {path} ({n:,d})" for path, n, _ in others)
        where = f"`rows {first}` ({several(n_rows, 'object')}){rest}"
        error = DataError(f"the file is one object; its rows may be at {where}")
        error.rows = None if others else first
        raise error
    if not is_row:
        raise DataError("the file is one object without a list of objects, which could be rows")


def _json_lines(stream: BinaryIO, decode: Decoder | None = None) -> Iterator[Iterable[Row]]:
    n_lines = 0
    while line := stream.readline():
        n_bytes = min(_BLOCK, _OBJECTS * len(line))
        block = line + stream.read(n_bytes) + stream.readline()
        rows = decode and decode(block)
        if rows is not None:
            yield enumerate(rows, n_lines + 1)
            n_lines += len(rows)
            continue
        for line in io.BytesIO(block):
            n_lines += 1
            rows = decode and decode(line)
            if rows is None and line.strip():
                rows = [_decoded(line, f"line {n_lines}", n_lines)]
            yield enumerate(rows or (), n_lines)


def _decoder_of(names: Sequence[str], top: Sequence[Row]) -> Decoder | None:
    """Return what decodes the keys of lines that names begin with, or a log of lm-eval needs.

    All other values are skipped, which takes a fifth of the time. There is no such decoder without
    msgspec, or if a name has characters that are not always written alike.
    """
    if not names or re.search(r'["\\/\0-\x1f\ud800-\udfff]', "".join(names)):
        return None
    try:
        import msgspec
    except ImportError:
        return None
    single: Any = str | int | float | bool | None
    fields = {*_OF_LOG}.intersection(*(row for _, row in top[:1] if isinstance(row, dict)))
    types = dict.fromkeys([*names, *fields], single)
    for name in names:
        way = name.removeprefix(ARGMAX)
        steps = way.split(".")
        outer = (".".join(steps[:n]) for n in range(1, len(steps) + (way != name)))
        types |= dict.fromkeys(outer, msgspec.Raw)
    made: Any = TypedDict
    decode_line = msgspec.json.Decoder(made("Row", types, total=False)).decode
    nested = [key for key, kind in types.items() if kind is msgspec.Raw]
    quoted = [f'"{key}"'.encode() for key in types]
    code_units = {f"{unit:04x}" for unit in memoryview("".join(types).encode("utf-16")).cast("H")}
    escaped = re.compile(f"\\\\u({'|'.join(code_units)})".encode(), re.IGNORECASE)

    def decode(text: bytes) -> list[dict[str, Any]] | None:
        """Return None if a line may have one of the keys twice, or is not JSON in UTF-8."""
        if b"\\" in text and escaped.search(text):
            return None
        with suppress(ValueError, RecursionError, msgspec.MsgspecError):
            text.decode()
            rows = list(map(decode_line, io.BytesIO(text)))
            for row, key in product(rows, nested):
                if key in row:
                    row[key] = _decode(str(row[key], "utf-8"))
            if sum(map(len, rows)) == _times_of(quoted, text):
                return rows
        return None

    return decode


def _times_of(quoted: Collection[bytes], text: bytes) -> int:
    """Return how often these words in quotes occur, in a fifth of the time of `bytes.count`."""
    is_quote = np.frombuffer(text, np.uint8) == ord('"')
    times = 0
    for size in {*map(len, quoted)}:
        starts = np.flatnonzero(is_quote[: 1 - size] & is_quote[size - 1 :])
        words: Any = np.ndarray(max(0, len(text) - size + 1), f"S{size}", text, strides=(1,))
        times += sum(np.count_nonzero(words[starts] == word) for word in quoted)
    return times


def _by_column(document: Mapping[str, Any], names: Collection[str]) -> list[Row]:
    """Return the rows of lists or objects of one length by name; none if it is something else."""
    keys_of_columns: list[Any] = [
        range(len(x)) if isinstance(x, list) else [*x] if isinstance(x, dict) else None
        for x in document.values()
    ]
    is_table = len(keys_of_columns) > 1 and all(x == keys_of_columns[0] for x in keys_of_columns)
    is_table &= {*names} <= {*document} and not _has_cells_beside_names(document)
    if not is_table or keys_of_columns[0] is None:
        return []
    keys = keys_of_columns[0]
    return [(f"row {key}", {name: x[key] for name, x in document.items()}) for key in keys]


def _places_of_rows(document: Any, path: str = "") -> Iterator[tuple[str, int, bool]]:
    """Yield where rows may be in a document, how many, and whether they are in a list.

    They are not looked for within lists.
    """
    kind = list if _has_cells_beside_names(document) else dict
    for name, value in document.items():
        path_of_value = f"{path}.{name}".removeprefix(".")
        is_object = isinstance(value, dict)
        rows = [*value.values()] if is_object else value if isinstance(value, list) else []
        are_rows = all(isinstance(x, dict if is_object else kind) for x in rows)
        if is_object and not (are_rows and len({frozenset(x) for x in rows}) == 1 < len(rows)):
            yield from _places_of_rows(value, path_of_value)
        elif rows and are_rows:
            yield path_of_value, len(rows), not is_object


def _has_cells_beside_names(document: Mapping[str, Any]) -> bool:
    """Return whether it has "columns" and lists of cells, as tables of W&B and pandas have."""
    names = document.get("columns")
    if not isinstance(names, list):
        return False
    tables = [x for x in document.values() if isinstance(x, list) and x]
    return any(all(isinstance(y, list) and len(y) == len(names) for y in x) for x in tables)


def _decoded(text: bytes, where: str, first_line: int) -> Any:
    try:
        return _decode(text.decode().removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        reason = why_not_utf8(text.splitlines(), first_line) or (
            f"{error}; write one object per line, or an array of all objects; or say where in one "
            "document the rows are, with rows="
        )
        raise ValueError(f"{where} is not JSON: {reason}") from error


def rows_within(document: Any, path: str) -> Iterable[Any]:
    """Return the rows that a path leads to, "." for the document itself.

    They are a list of objects, an object whose values are objects, or lists of cells beside their
    names, as "data" and "columns" of W&B and of pandas.
    """
    above, _, name = path.rpartition(".")
    try:
        parent = value_in(document, above) if above else document
        rows = document if path == "." else value_in(parent, name)
    except (ValueError, AttributeError, TypeError) as error:
        raise ValueError(join([f"`rows` leads nowhere, got {path!r}", error], ": ")) from None
    if isinstance(rows, dict) and all(isinstance(row, dict) for row in rows.values()):
        return rows.values()
    if not isinstance(rows, list):
        raise ValueError(f"`rows` must lead to a list of objects, got {show(rows)} at {path!r}")
    names = parent.get("columns") if isinstance(parent, dict) else None
    if not isinstance(names, list):
        return rows
    if not all(isinstance(name, str) for name in names):
        raise ValueError(
            f'"columns" must hold the names of the cells at {path!r}, got {show(names)}'
        )
    return [dict(zip(names, row, strict=True)) if isinstance(row, list) else row for row in rows]


def _columns_of(
    rows: Sequence[Row], names: Mapping[str, str], n_lacking: Counter[str]
) -> dict[str, list[Any]]:
    """Return the values of the columns in JSON objects, by argument."""
    with suppress(KeyError, TypeError):  # then a name leads into a column, or nowhere
        columns = {x: [row[name] for _, row in rows] for x, name in names.items()}
        if not any({dict, list} & {*map(type, column)} for column in columns.values()):
            return columns
    values = [_values_of(row, names, where, n_lacking) for where, row in rows]
    return dict(zip(names, map(list, zip(*values, strict=True)), strict=True))


def _values_of(row: Any, names: Mapping[str, str], where: Any, n_lacking: Any = None) -> list[Any]:
    """Return the values of the columns in a JSON object."""
    where = f"line {where}" if isinstance(where, int) else where
    if not isinstance(row, dict):
        raise ValueError(f"{where} must be a JSON object, got {show(row)}")
    values = []
    errors = list[ValueError]()
    for name in names.values():
        try:
            values.append(one_value(row, name, where, n_lacking))
        except ValueError as error:
            errors.append(error)
    refuse_all(errors)
    return values


def open_sheet(
    stream: BinaryIO, names: Mapping[str, str], title: str | None
) -> tuple[str, list[str], list[str], Iterator[Row]]:
    """Return the title, the titles of all sheets, the header and the rows of a sheet of Excel.

    It is the one of this title, or the one that has these columns. Empty rows are passed over; the
    first of the others is the header.

    Raises
    ------
    ValueError
        If no sheet has the title or the columns, several have the columns, or the file is damaged.
    """
    with optional_import("reading Excel files needs openpyxl", "informedness[excel]"):
        import openpyxl
    with _explained():
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        titles = [sheet.title for sheet in book.worksheets]
        if title not in (None, *titles):
            raise ValueError(f"`rows` must be one of the sheets {listed(titles)}, got {title!r}")
        tables = []
        for sheet in book.worksheets:
            rows = _filled_rows(sheet)
            _, head = next(rows, ("", ()))
            tables.append((sheet.title, ["" if x is None else str(x) for x in head], rows))
        asked = [table for table in tables if title in (None, table[0])]
        having = [table for table in asked if {*names.values()} <= {*numbered(table[1])}]
        if names and len(having) > 1:
            several = [name for name, *_ in having]
            raise DataError(
                f"one sheet must have these columns, got {listed(several)}: name one as `rows`"
            )
        sheet, written, rows = max(having or asked, key=lambda table: len(table[1]))
        header, alike = numbered(written), names_alike(names.values(), written)
        _check_columns_of_sheet(sheet, names, header, titles)
    nulls = dict.fromkeys(header)
    objects = ((where, nulls | dict(zip(header, row, strict=False))) for where, row in rows)
    return sheet, titles, header, _compared(objects, alike)


def _check_columns_of_sheet(
    sheet: str, names: Mapping[str, str], header: Sequence[str], titles: Sequence[str]
) -> None:
    """Raise an error about columns that a sheet lacks, which names the other sheets."""
    try:
        check_columns(names, header)
    except DataError as error:
        others = [name for name in titles if name != sheet]
        beside = f", and of the other sheets `rows` takes {listed(others)}" if others else ""
        text = with_subject(f"sheet {shown(sheet)}", join([error, beside], ""))
        raise DataError(text) from None


def _compared(rows: Iterator[Row], alike: Mapping[str, Sequence[str]]) -> Iterator[Row]:
    """Yield rows, and warn in the end of columns of one name whose values differ."""
    unequal = set[str]()
    for where, row in rows:
        unequal |= {name for name, x in alike.items() if any(row[y] != row[name] for y in x)}
        yield where, row
    warn_of_names({name: alike[name] for name in unequal})


def _filled_rows(sheet: Any) -> Iterator[Row]:
    """Yield where each row of a sheet stands that is not empty, and its cells."""
    sheet.reset_dimensions()  # which some programs write wrong
    with _explained():
        for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
            if any(cell is not None for cell in row):
                yield f"row {number} of {sheet.title}", row


@contextmanager
def _explained() -> Iterator[None]:
    """Turn the errors of openpyxl and zipfile, which have many for damage, into ValueError."""
    try:
        yield
    except ValueError:
        raise
    except Exception as error:
        raise ValueError(f"not readable as xlsx: {error}") from error


# Ways to values


class AbsentError(ValueError):
    """An object has no such key; what is there instead takes long to say of many."""

    def __str__(self) -> str:
        parent, names, path = self.args
        fields = f"the fields of {parent!r}" if parent else "its keys"
        return f"{fields} are {listed(names, path)}"


def _start(name: str, names: Collection[str]) -> tuple[Any, bool]:
    """Return where a name leads, and whether the argmax is taken there."""
    is_argmax = name.startswith(ARGMAX) and name not in names
    return name.removeprefix(ARGMAX) if is_argmax else name, is_argmax


def columns_within(name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Return a column, or the columns within it if it is nested."""
    if {dict, list, tuple}.isdisjoint(map(type, values)):
        return {name: [*values]}
    columns: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(values))
    for row, value in enumerate(values):
        for way, leaf in _leaves(value, name):
            columns[way][row] = leaf
    starts = {way[:i] for way in columns for i, x in enumerate(way) if x == "."}
    return {x: y for x, y in columns.items() if x not in starts or {*y} != {None}}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the ways to the values in one of JSON or Arrow, and these; longer lists as text."""
    if isinstance(value, dict) and value:
        for name, field in value.items():
            yield from _leaves(field, f"{path}.{name}")
    elif isinstance(value, list) and len(value) == 1:
        yield from _leaves(value[0], f"{path}.0")
    elif isinstance(value, (dict, list, tuple)):
        yield path, str(value) if value else None
    else:
        yield path, value


def value_in(value: Any, way: str, path: str = "") -> Any:
    """Return what a way leads to in a value of JSON, None if a null or an empty list is on it.

    Raises
    ------
    ValueError
        If it leads nowhere; the message says what is there instead. `path` is the way so far.
    """
    if value is None or value == []:
        return None
    if isinstance(value, dict):
        step = _longest_name(way, value)
        if step is None:
            raise AbsentError(path, value, way)
        inner = value[step]
    elif isinstance(value, list):
        step = way.partition(".")[0]
        if not (step.isascii() and step.isdigit()):
            elements = f"'{path}.0', '{path}.1', ..."
            raise ValueError(f"{path!r} is a list, whose elements are {elements}")
        if int(step) >= len(value):
            length = f"{path!r} is a list of length {len(value)}"
            raise ValueError(f"{length} (the first position is 0)")
        inner = value[int(step)]
    else:
        raise ValueError(f"{path!r} is {show(value)}, which has no fields")
    if step == way:
        return inner
    return value_in(inner, way[len(step) + 1 :], f"{path}.{step}".removeprefix("."))


def one_value(
    row: Mapping[str, Any], name: str, where: str, n_lacking: Counter[str] | None = None
) -> Any:
    """Return the one value that a name leads to, or with `argmax:` where the greatest is.

    With `n_lacking` an absent key is a null, and counted there.

    Raises
    ------
    ValueError
        If there is none, or there are several; the message says where the object stands.
    """
    path, is_argmax = _start(name, row)
    try:
        value = value_in(row, path)
    except ValueError as error:
        if n_lacking is not None and isinstance(error, AbsentError):
            n_lacking[name] += 1
            return None
        lacking = message("{where} has no {name!r}", where=where, name=name)
        raise DataError(join([lacking, error])) from error
    if is_argmax:
        return _argmax(value, f"{where}: {path!r}")
    if isinstance(value, (dict, list)):
        raise ValueError(
            f"{where}: {name!r} holds several values, {show(value)}: name a field or an element in "
            f"it, or argmax:{name} for the largest number"
        )
    return value


def column_of(name: str, columns: Collection[str]) -> str | None:
    """Return the column in which a name leads to a value; None if there is none."""
    return _longest_name(_start(name, columns)[0], columns)


def _longest_name(way: str, names: Collection[str]) -> str | None:
    """Return the longest of the names that a way begins with; None if it begins with none."""
    while way not in names:
        way, dot, _ = way.rpartition(".")
        if not dot:
            return None
    return way


def _argmax(value: Any, name: str) -> Any:
    """Return the name of the greatest number, or its position in a list; None without numbers."""
    if value in (None, [], {}):
        return None
    names, numbers = _named_numbers(value)
    if not numbers or {*map(type, numbers)} - {int, float} or any(x != x for x in numbers):
        raise ValueError(
            f"{name} must be a list of numbers, an object of numbers, or a list of objects of a "
            f"label and a number each, without null or nan, got {show(value)}"
        )
    return names[numbers.index(max(numbers))]


def _named_numbers(value: Any) -> tuple[Sequence[Any], list[Any]]:
    """Return numbers beside their names, or their positions in a list; none of other values.

    An object of truths has one number, the only one that is true.
    """
    if isinstance(value, list) and isinstance(value[0], tuple):  # a map of Arrow
        value = dict(value)
    if isinstance(value, dict):
        numbers = [*value.values()]
        is_one_true = {*map(type, numbers)} == {bool} and sum(numbers) == 1
        return [*value], [*map(int, numbers)] if is_one_true else numbers
    if not isinstance(value, list) or not isinstance(value[0], dict):
        return range(len(value)), value if isinstance(value, list) else []
    return _labels_and_numbers(value)


def _labels_and_numbers(objects: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the only text in each object, and the only number; none if there are others.

    Where there is no text, integers beside numbers with decimals are the labels.
    """
    rows = [x if isinstance(x, dict) else {} for x in objects]
    columns = [[row.get(key) for row in rows] for key in objects[0]]
    texts, integers, decimals = (
        [x for x in columns if {*map(type, x)} <= kinds] for kinds in ({str}, {int}, {int, float})
    )
    if not texts and len(integers) == 1:
        texts, decimals = integers, [x for x in decimals if x is not integers[0]]
    return (texts[0], decimals[0]) if len(texts) == len(decimals) == 1 else ([], [])
