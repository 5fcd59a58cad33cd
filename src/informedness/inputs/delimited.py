"""CSV: what separates its columns, where its rows end, and whether all of it is one table."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import show
from .columns import are_one_of, check_columns
from .paths import why_not_utf8

_SEPARATORS = {";": "semicolons", "\t": "tabs", ",": "commas", "|": "vertical bars"}
_TOP = 20  # lines among which the header is looked for
_START = 10_000  # bytes in which the encoding is looked at, if a header lacks a column


def open_csv(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, keep_empty: bool, block: int
) -> Any:
    """Return a reader of these columns of a CSV file, which parses so many bytes at a time.

    Raises
    ------
    ValueError
        If the header lacks a column, or a quoted field is not well formed.
    """
    import pyarrow
    import pyarrow.csv

    with _as_text(stream, block) as text:
        delimiter, n_skipped = _layout(list(islice(text, _TOP)), names, delimiter)
    _check_quotes(stream, delimiter, block)
    with _as_text(stream, block) as text:
        rows = list(csv.reader(islice(text, n_skipped, _TOP), delimiter=delimiter))
    check_header(names, rows, stream.readlines(_START))
    stream.seek(0)
    types = dict.fromkeys(names.values(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
    types |= {names[x]: pyarrow.float64() for x in ("weights", "counts") if x in names}
    return pyarrow.csv.open_csv(
        stream,
        read_options=pyarrow.csv.ReadOptions(block_size=block, skip_rows=n_skipped),
        parse_options=pyarrow.csv.ParseOptions(delimiter=delimiter, newlines_in_values=True),
        convert_options=pyarrow.csv.ConvertOptions(
            include_columns=list(types),
            column_types=types,
            null_values=[""],  # "NA" is a label
            strings_can_be_null=not keep_empty,
        ),
    )


def csv_header(stream: BinaryIO, names: Mapping[str, str], delimiter: str, block: int) -> list[str]:
    """Return the names of all columns of a CSV file, of which these are known."""
    with _as_text(stream, block) as text:
        top = list(islice(text, _TOP))
        delimiter, n_skipped = _layout(top, names, delimiter)
        return next(csv.reader(top[n_skipped:], delimiter=delimiter), [])


def _layout(top: list[str], names: Mapping[str, str], delimiter: str) -> tuple[str, int]:
    """Return the delimiter of a CSV file, and how many lines stand before its header.

    The delimiter is that of a first line such as "sep=;", or the first with which the header has
    all columns.
    """
    stated = re.fullmatch(r"sep=(.)[\r\n]*", top[0]) if top else None
    if stated:
        return stated[1], 1
    if not names:
        return _delimiter_of(top), 0
    wanted = set(names.values())
    for n_rows in (1, _TOP):  # if not the header, then a row below has them, which an error names
        for one in (delimiter, *_SEPARATORS):
            rows = islice(csv.reader(top, delimiter=one), n_rows)
            if any(wanted <= set(row) for row in rows):
                return one, 0
    return delimiter, 0


def _delimiter_of(top: list[str]) -> str:
    """Return the delimiter with which the first rows have as many columns as the header."""
    widths = {
        one: [len(row) for row in csv.reader(top[: _TOP - 1], delimiter=one) if row]
        for one in _SEPARATORS
    }
    several = {one: found for one, found in widths.items() if found and found[0] > 1}
    fitting = [one for one, found in several.items() if len({*found}) == 1]
    if len(fitting) > 1:
        words = " or by ".join(_SEPARATORS[one] for one in fitting)
        raise ValueError(
            f"the columns could be separated by {words}: save the file with a separator that does "
            "not occur in its cells"
        )
    if not several:
        raise ValueError(
            "the first line must be a header of at least two columns, separated by "
            f"{', '.join(_SEPARATORS.values())}, got {show(''.join(top[:1]).strip())}: take out "
            "what is above the header"
        )
    return [*fitting, *several][0]


def check_header(
    names: Mapping[str, str], rows: Sequence[Sequence[str]], lines: Iterable[bytes] = ()
) -> None:
    """Raise ValueError unless the first row has the columns; say what may have hidden them."""
    header = rows[0] if rows else []
    try:
        check_columns(names, header)
    except ValueError as error:
        below = (i for i, row in enumerate(rows[1:], start=2) if set(names.values()) <= set(row))
        help_ = ""
        if why := why_not_utf8(lines):
            help_ = f": {why}"
        elif header and "\ufeff" in header[0]:
            help_ = f": {marked(header[0])}"
        elif n := next(below, 0):
            help_ = f": row {n} has them, and the header must be the first, take out what is above"
        raise ValueError(f"{error}{help_}") from None


def marked(text: str) -> str:
    """Return what to say of text that begins with a byte order mark."""
    return (
        f"{show(text)} has a byte order mark (U+FEFF), as in the middle of files joined into one: "
        "take it out"
    )


def check_not_joined(table: Any, names: Mapping[str, str]) -> None:
    """Raise ValueError if rows of CSV show that several files were joined into one."""
    from pyarrow import compute

    texts = {x: name for x, name in names.items() if x not in ("weights", "counts")}
    are_headers = None
    for argument, name in texts.items():
        column = table[argument]
        values = column.chunk(0).dictionary
        is_marked = compute.starts_with(values, "\ufeff")
        if compute.any(is_marked).as_py():
            raise ValueError(f"column {name!r}: {marked(values.filter(is_marked)[0].as_py())}")
        is_name = are_one_of([name], column.cast(values.type))
        are_headers = is_name if are_headers is None else compute.and_(are_headers, is_name)
    if compute.any(are_headers).as_py():
        raise ValueError(
            f"the header is repeated in {compute.sum(are_headers).as_py()} rows, as in files "
            "joined into one: pass the files themselves, as several paths or a folder, or take "
            "these rows out"
        )


def _check_quotes(stream: BinaryIO, delimiter: str, block: int) -> None:
    """Raise ValueError if a quoted field does not end, or continues after its closing quote.

    In both cases a stray quote was read as the start of a field, and everything up to the next
    quote, including whole rows, as the text of one cell; pyarrow does not mind.
    """
    if _are_quotes_plain(stream, delimiter, block):
        return
    since_last_row: list[int] = []

    def with_quotes(lines: Iterable[str]) -> Iterator[str]:  # others can have no part in it
        for number, line in enumerate(lines, start=1):
            if '"' in line:
                since_last_row.append(number)
                yield line

    with _as_text(stream, block) as lines:
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
def _as_text(stream: BinaryIO, longest: int) -> Iterator[io.TextIOWrapper]:
    """Open a CSV file as text, from its start, and allow fields as long as pyarrow can read."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    limit = csv.field_size_limit(longest)  # of the whole process
    try:
        yield text
    finally:
        csv.field_size_limit(limit)
        text.detach()
        stream.seek(0)


def _are_quotes_plain(stream: BinaryIO, delimiter: str, block: int) -> bool:
    """Return whether every second quote opens a field or continues one, and the others close it.

    They do in most files, and this takes a fifth of the time of reading them strictly.
    """
    beside = np.zeros(256, dtype=bool)  # what may stand before such a field, and behind it
    beside[[*f'{delimiter}\r\n"'.encode()]] = True
    is_inside = False
    while part := stream.read(block) + stream.readline():
        text = np.frombuffer(b"\n" + part + b"\n", dtype=np.uint8)
        quotes = np.flatnonzero(text == ord('"'))
        opening, closing = quotes[is_inside::2], quotes[not is_inside :: 2]
        if not (beside[text[opening - 1]].all() and beside[text[closing + 1]].all()):
            return False
        is_inside ^= len(quotes) % 2 == 1
    return not is_inside
