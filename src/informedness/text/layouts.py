"""Tables laid out to be looked at: Markdown, cells parted by blanks, printed frames, `a, b`."""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import BinaryIO

from ..errors import DataError

_TOP = 20  # lines by which a layout is told
# The rule below a header; without a mark at its ends "-|-" is a row
_CELL, _LONG_CELL = r"\s*:?[-=]+:?\s*", r"\s*:?[-=]{2,}:?\s*"
RULE = re.compile(rf"\s*[|+]({_CELL}[|+])+\s*|{_LONG_CELL}([|+]{_LONG_CELL})+")
_GAP = re.compile("[ \N{NO-BREAK SPACE}]{2,}|\N{NO-BREAK SPACE}")
_QUOTED = '("[^"]*")'
_TABS = "sep=\t"  # the first line of a table that tabs part


def rows_laid_out(stream: BinaryIO, quotes: bool) -> Iterator[bytes] | None:
    """Return the lines of such a table as CSV; None for any other text, which stays as it is.

    Without `quotes` those in the text are part of it, and those in the CSV as well.
    """
    layout = _layout_of([*islice(_filled_lines(stream), _TOP)], quotes)
    lines = None if layout is None else map(_encoded, layout(_filled_lines(stream)))
    stream.seek(0)
    return lines


def _filled_lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines that are not empty, in which bytes that are not UTF-8 stay what they are."""
    stream.seek(0)
    for line in stream:
        text = line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        if text.strip():
            yield text


def _encoded(line: str) -> bytes:
    return f"{line}\n".encode("utf-8", "surrogateescape")


def _layout_of(top: Sequence[str], quotes: bool) -> Callable[[Iterable[str]], Iterator[str]] | None:
    """Return what turns lines into lines of CSV, where the first lines have such a layout."""
    if any(map(RULE.fullmatch, top[:2])):
        is_above = bool(RULE.fullmatch(top[0]))
        return partial(_between_pipes, {0, 2} if is_above else {1}, quotes)
    if len(top) < 2 or "\t" in top[0]:
        return None
    if mark := _mark_before_blanks(top):
        return partial(_without_blanks, mark)
    if re.search("[,;|]", top[0]):
        return None
    for split in (between_gaps, words if quotes else str.split):
        n_head, *n_below = (len(split(line)) for line in top)
        if n_head > 1 and {*n_below} in ({n_head}, {n_head + 1}):
            return partial(_between_blanks, split, n_below[0] > n_head, quotes)
    return None


def _mark_before_blanks(top: Sequence[str]) -> str:
    """Return the separator that a blank follows wherever it is, as often in each line; or ""."""
    unquoted = [re.sub(_QUOTED, '""', line.rstrip()) for line in top]
    for mark in ";,":
        counts = {len(re.findall(rf"{mark}(?: |$)", line)) for line in unquoted}
        if counts == {unquoted[0].count(mark)} == {line.count(mark) for line in unquoted} != {0}:
            return mark
    return ""


def between_pipes(line: str) -> list[str]:
    """Return the cells of a row of Markdown, or of a table as databases print it."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [x.strip().replace(r"\|", "|") for x in re.split(r"(?<!\\)\|", inner)]


def between_gaps(line: str) -> list[str]:
    """Return the cells that several blanks part, or a no-break space."""
    return _GAP.split(line.strip())


def words(line: str) -> list[str]:
    """Return the cells that blanks part, as R writes them: text with blanks is in quotes."""
    cells = re.findall(r'("[^"]*")(?!\S)|(\S+)', line)
    return [quoted[1:-1] if quoted else plain for quoted, plain in cells]


def _as_line(cells: Iterable[str], quotes: bool) -> str:
    """Return cells as a line of CSV, which tabs part."""
    quoted = ('"' + x.replace('"', '""') + '"' if re.search('["\t]', x) else x for x in cells)
    return "\t".join(quoted if quotes else cells)


def _between_pipes(places: Collection[int], quotes: bool, lines: Iterable[str]) -> Iterator[str]:
    """Yield the rows of a table in Markdown, or as databases print it, without its rules.

    Those of the header are in these places; one with "+" may be anywhere.
    """
    yield _TABS
    for place, line in enumerate(lines):
        is_rule = RULE.fullmatch(line) is not None
        if is_rule and (place in places or "+" in line):
            continue
        if is_rule and "---" in line:
            raise DataError("a second table begins above another |---|: keep one of them")
        yield _as_line(between_pipes(line), quotes)


def _without_blanks(mark: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in which a blank follows each separator, as in `ham, spam`."""
    for line in lines:
        yield re.sub(rf"{_QUOTED}| {{0,9}}{mark} *", lambda x: x[1] or mark, line.strip())


def _between_blanks(
    split: Callable[[str], list[str]], is_indexed: bool, quotes: bool, lines: Iterable[str]
) -> Iterator[str]:
    """Yield the rows of cells that blanks part; an index has no name, as `to_csv` has it."""
    yield _TABS
    for number, line in enumerate(lines):
        cells = split(line)
        if all(cell.strip(".") == "" for cell in cells):
            raise DataError(
                f"the printed data frame leaves out rows, at {line.strip()!r}: write all rows into "
                "a file, as with to_csv"
            )
        yield _as_line(["", *cells] if is_indexed and not number else cells, quotes)
