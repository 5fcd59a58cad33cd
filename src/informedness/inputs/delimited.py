"""CSV: what separates its columns, where its rows end, and whether all of it is one table."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from itertools import islice
from typing import Any, BinaryIO

from ..core.labels import LabelsWarning, show, warn
from .columns import are_one_of, check_columns
from .paths import why_not_utf8

_SEPARATORS = ";\t,|"
# The line between the head and the rows of a table as Markdown, databases and others print it.
_RULE = re.compile(
    r"(?=.*[|+\u2502-\u257f])(?=.*[-=\u2500\u2501\u2550]{2})[-=|+:\s\u2500-\u257f]+"
    r"|\s*[-=]{4,}([\s,;]+[-=]{4,})*[\s,;]*"
)
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

    delimiter, n_skipped, rows = _top(stream, names, delimiter, block)
    _check_quotes(stream, delimiter, len(rows[0]) if rows else 0, block)
    stream.seek(0)
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
    rows = _top(stream, names, delimiter, block)[2]
    if rows and len(rows[0]) == 1 < max(map(len, rows)):
        raise ValueError(
            f"the first line must be a header, got {show(rows[0][0])}: take out what is above the "
            "header"
        )
    return rows[0] if rows else []


def _top(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, block: int
) -> tuple[str, int, list[list[str]]]:
    """Return the delimiter of a CSV file, how many lines are above its header, and its first rows.

    The delimiter is that of a first line such as "sep=;", or the first with which the header has
    all columns; or if none is known, with which it has most.
    """
    with _as_text(stream, block) as text:
        top = list(islice(text, _TOP))
        if stated := re.fullmatch(r"sep=(.)[\r\n]*", top[0] if top else "", re.IGNORECASE):
            return stated[1], 1, list(csv.reader(top[1:], delimiter=stated[1]))
        found = {one: list(csv.reader(top, delimiter=one)) for one in (delimiter, *_SEPARATORS)}
    check_no_rule([delimiter.join(row) for row in found[delimiter][:3]])  # not within quotes
    wanted = set(names.values())
    if top and not wanted:
        delimiter = max(found, key=lambda one: len(found[one][0]))
    for n_rows in (1, _TOP):  # if not the header, then a row below has them, which an error names
        for one, rows in found.items():
            if wanted and any(wanted <= set(row) for row in rows[:n_rows]):
                return one, 0, rows
    return delimiter, 0, found[delimiter]


def check_header(
    names: Mapping[str, str], rows: Sequence[Sequence[str]], lines: Iterable[bytes] = ()
) -> None:
    """Raise ValueError unless the first row has the columns; say what may have hidden them."""
    header = rows[0] if rows else []
    if any(re.search("[\0\ufffd]", name) for name in names.values()):
        lines = list(lines)
        if why := why_not_utf8(lines):  # names as they were listed
            raise ValueError(why)
    try:
        check_columns(names, header)
    except ValueError as error:
        below = (i for i, row in enumerate(rows[1:], start=2) if set(names.values()) <= set(row))
        help_ = ""
        if why := why_not_utf8(lines):
            help_ = f"; {why}"
        elif header and "\ufeff" in header[0]:
            help_ = f"; {marked(header[0])}"
        elif n := next(below, 0):
            help_ = f"; row {n} has them, and the header must come first: take out the rows above"
        raise ValueError(f"{error}{help_}") from None


def check_no_rule(lines: Sequence[str]) -> None:
    """Raise ValueError if one of these lines rules off the head of a table."""
    for line in dict.fromkeys(lines):
        if _RULE.fullmatch(line):
            raise ValueError(
                f"line {lines.index(line) + 1} is the rule of a table, {show(line.strip())}: save "
                "the table as CSV"
            )


def check_header_once(header: Sequence[str], n_repeated: int) -> None:
    """Refuse a header that some rows repeat, and warn of one whose names are labels below them.

    pandas calls columns without names 0 and 1, which are often labels, too.
    """
    if n_repeated and not all(map(str.isdecimal, header)):
        raise ValueError(
            f"the header is repeated in {n_repeated} rows, as in files joined into one: pass the "
            "files themselves, as several paths or a folder, or take these rows out"
        )
    names = ", ".join(map(show, header))
    warn(f"the names of the columns, {names}, are also labels: is there no header?", LabelsWarning)


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
    are_own, are_names = [], []
    for argument, name in texts.items():
        codes = table[argument].combine_chunks()
        values = codes.dictionary
        is_marked = compute.starts_with(values, "\ufeff")
        if compute.any(is_marked).as_py():
            raise ValueError(f"in column {name!r} {marked(values.filter(is_marked)[0].as_py())}")
        are_own.append(compute.any(are_one_of([name], values)).as_py())
        # in any order, as the files may have had another
        are_names.append(are_one_of(texts.values(), values, ignore_case=True).take(codes.indices))
    rows = table.select([*texts]).filter(reduce(compute.and_, are_names))
    cells = [map(str.casefold, column.to_pylist()) for column in rows.columns]
    wanted = {*map(str.casefold, texts.values())}
    n = sum({*row} == wanted for row in zip(*cells, strict=True))
    if n or all(are_own):
        check_header_once([*texts.values()], n)


def said_of_row(error: str) -> str:
    """Return what pyarrow says of a row of CSV in plain words, empty if it is something else."""
    if found := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error, re.DOTALL):
        return (
            f"each row must have {found[1]} cells, as the header has, got {found[2]} in "
            f"{show(found[3])}: put cells that hold the separator into quotes, and take out lines "
            "that are no rows"
        )
    if found := re.search(r"to double: invalid value '(.*)'", error, re.DOTALL):
        return f"`counts` and `weights` must be numbers such as 1234.5, got {show(found[1])}"
    return ""


def _check_quotes(stream: BinaryIO, delimiter: str, n_columns: int, block: int) -> None:
    """Raise ValueError if a quoted field does not end, or continues after its closing quote.

    In both cases a stray quote was read as the start of a field, and everything up to the next
    quote, including whole rows, as the text of one cell; pyarrow does not mind. So it is if the
    line with the quote has all columns without it; prose has commas, but no tabs.
    """
    if not any(b'"' in part for part in iter(partial(stream.read, block), b"")):
        return
    since_last_row: list[int] = []

    def with_quotes(lines: Iterable[str]) -> Iterator[str]:  # others can have no part in it
        for number, line in enumerate(lines, start=1):
            if '"' in line:
                since_last_row.append(number)
                yield line

    with _as_text(stream, block) as lines:
        try:
            for row in csv.reader(with_quotes(lines), delimiter=delimiter, strict=True):
                for i, cell in enumerate(row if delimiter != "," else ()):
                    first, *others = cell.splitlines() or [""]
                    cells = first.split(delimiter)  # those of code may be empty
                    if others and all(cells) and len(cells) > 1 and i + len(cells) == n_columns:
                        raise csv.Error("it goes on in another row")
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
