"""Formats whose rows are objects with types of their own: JSON, JSON lines and Excel's sheets."""

import codecs
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

from ..core.labels import show
from ..extras import needing
from .delimited import check_header
from .nested import value_in
from .paths import why_not_utf8

Row: TypeAlias = tuple[str, Any, bool]
"""Where an object stands, the object, and whether it has escapes."""

_TOP = 20  # rows of a sheet among which the header is looked for
_HALF_A_CHARACTER = re.compile("[\ud800-\udfff]")


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return a JSON object as a dict; a key that occurs twice is an error."""
    values = dict(pairs)
    if len(values) < len(pairs):
        keys = [key for key, _ in pairs]
        twice = next(key for key in keys if keys.count(key) > 1)
        raise ValueError(f"the key {twice!r} occurs twice in an object")
    return values


_decode = json.JSONDecoder(object_pairs_hook=_object).decode


def json_rows(stream: BinaryIO, _: object = None) -> Iterator[Row]:
    """Yield where each object stands, the object, and whether it has escapes.

    The objects are JSON lines, or in one JSON array, which is read whole: `datasets` and Spark
    write lines into files called .json.
    """
    start = stream.read(1000).lstrip(codecs.BOM_UTF8 + b" \t\r\n")
    stream.seek(0)
    if start.startswith(b"["):
        text = stream.read()
        for position, row in enumerate(_decoded(text, "the file", 1)):
            yield f"entry {position}", row, True
        return
    for number, line in enumerate(stream, start=1):
        if line.strip():
            row = _decoded(line, f"line {number}", number)
            yield f"line {number}", row, b"\\u" in line


def _decoded(text: bytes, where: str, first_line: int) -> Any:
    try:
        return _decode(text.decode().removeprefix("\ufeff"))
    except (ValueError, RecursionError) as error:
        why = why_not_utf8(text.splitlines(), first_line)
        why = why or f"{error}; write one object per line, or an array of all objects"
        raise ValueError(f"{where} is not JSON: {why}") from error


def values_of(row: Any, names: Mapping[str, str], where: str, is_escaped: bool) -> list[Any]:
    """Return the values of the columns in a JSON object."""
    if not isinstance(row, dict):
        raise ValueError(f"{where} must be a JSON object, got {show(row)}")
    values = []
    for name in names.values():
        try:
            value = value_in(row, name)
        except ValueError as error:
            raise ValueError(f"{where} has no {name!r}; {error}") from error
        if isinstance(value, (dict, list)):
            raise ValueError(
                f"{where} must have one value as {name!r}, got {show(value)}: name a field or an "
                "element in it, or argmax:NAME for the position of the largest number; each sample "
                "must be an object of its own, as orient='records' of pandas writes them"
            )
        values.append(value)
    if is_escaped and any(_HALF_A_CHARACTER.search(str(value)) for value in values):
        raise ValueError(f"{where} has half a character (a lone surrogate) as a label")
    return values


def sheet_rows(stream: BinaryIO, names: Mapping[str, str]) -> Iterator[Row]:
    """Yield the same of the one sheet of an Excel file that has these columns below its top.

    Empty rows are passed over; the first of the others is the header.

    Raises
    ------
    ValueError
        If no sheet or several have the columns, or the file is damaged.
    """
    with needing("reading Excel files needs openpyxl", "informedness[excel]"):
        import openpyxl
    try:
        book = openpyxl.load_workbook(stream, read_only=True, data_only=True)
        sheets = [(sheet.title, _filled_rows(sheet)) for sheet in book.worksheets]
        tables = [(name, rows, _names_in(next(rows, (0, [])))) for name, rows in sheets]
        having = [table for table in tables if {*names.values()} <= {*table[2]}]
        if names and len(having) > 1:
            titles = ", ".join(show(title) for title, _, _ in having)
            raise ValueError(f"one sheet must have these columns, got {titles}: keep one of them")
        title, rows, header = max(having or tables, key=lambda table: len(table[2]))
        below = () if having else map(_names_in, islice(rows, _TOP))
        check_header(names, [header, *below])
        for number, row in rows:
            cells = [*row, *[None] * (len(header) - len(row))]
            yield f"row {number} of {title}", dict(zip(header, cells, strict=False)), True
    except ValueError:
        raise
    except Exception as error:  # of whatever kind: openpyxl and zipfile have many for damage
        raise ValueError(f"not readable as xlsx: {error}") from error


def _filled_rows(sheet: Any) -> Iterator[tuple[int, Sequence[Any]]]:
    """Yield the rows of a sheet that are not empty, with their numbers."""
    sheet.reset_dimensions()  # which some programs write wrong
    for number, row in enumerate(sheet.iter_rows(values_only=True), start=1):
        if any(cell is not None for cell in row):
            yield number, row


def _names_in(row: tuple[int, Sequence[Any]]) -> list[str]:
    return ["" if cell is None else str(cell) for cell in row[1]]
