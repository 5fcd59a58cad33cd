"""Tables laid out to be looked at: Markdown, cells parted by blanks, printed frames, `a, b`.

Tested in tests/test_laid_out.py.
"""

import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import BinaryIO

from ..errors import DataError

_TOP = 20  # lines by which a layout is told
# The rule below a header; without a mark at its ends "-|-" is a row
_CELL, _LONG_CELL = r"\s*:?[-=]+:?\s*", r"\s*:?[-=]{2,}:?\s*"
_RULE = re.compile(rf"\s*[|+]({_CELL}[|+])+\s*|{_LONG_CELL}([|+]{_LONG_CELL})+")
_GAP = re.compile("[ \N{NO-BREAK SPACE}]{2,}|\N{NO-BREAK SPACE}")
_QUOTED = '("[^"]*")'


def rows_laid_out(stream: BinaryIO) -> Iterator[bytes] | None:
    """Return the lines of such a table as CSV; None for any other text, which stays as it is."""
    layout = _layout_of([*islice(_filled_lines(stream), _TOP)])
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


def _layout_of(top: Sequence[str]) -> Callable[[Iterable[str]], Iterator[str]] | None:
    """Return what turns lines into lines of CSV, where the first lines have such a layout."""
    if any(map(_RULE.fullmatch, top[:2])):
        is_above = bool(_RULE.fullmatch(top[0]))
        return partial(_between_pipes, {0, 2} if is_above else {1})
    if len(top) < 2 or "\t" in top[0]:
        return None
    unquoted = [re.sub(_QUOTED, '""', line.rstrip()) for line in top]
    for mark in ";,":
        counts = {len(re.findall(rf"{mark}(?: |$)", line)) for line in unquoted}
        if counts == {unquoted[0].count(mark)} == {line.count(mark) for line in unquoted} != {0}:
            return partial(_without_blanks, mark)
    if re.search("[,;|]", top[0]):
        return None
    widths = {len(_GAP.split(line.strip())) for line in top}
    if len(widths) == 1 and widths != {1}:
        return _between_gaps
    head, *below = (len(line.split()) for line in top)
    is_printed = top[0][0] == " " and head > 1 and {*below} == {head + 1}
    return _printed if is_printed else None


def _as_csv(cells: Iterable[str]) -> str:
    quoted = ('"' + x.replace('"', '""') + '"' if re.search('[",]', x) else x for x in cells)
    return ",".join(quoted)


def _between_pipes(places: Collection[int], lines: Iterable[str]) -> Iterator[str]:
    """Yield the rows of a table in Markdown, or as databases print it, without its rules.

    Those of the header are in these places; one with "+" may be anywhere.
    """
    for place, line in enumerate(lines):
        is_rule = _RULE.fullmatch(line) is not None
        if is_rule and (place in places or "+" in line):
            continue
        if is_rule and "---" in line:
            raise DataError("a second table begins above another |---|: keep one of them")
        inner = line.strip().removeprefix("|").removesuffix("|")
        yield _as_csv(x.strip().replace(r"\|", "|") for x in re.split(r"(?<!\\)\|", inner))


def _without_blanks(mark: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines in which a blank follows each separator, as in `ham, spam`."""
    for line in lines:
        yield re.sub(rf"{_QUOTED}| {{0,9}}{mark} *", lambda x: x[1] or mark, line.strip())


def _between_gaps(lines: Iterable[str]) -> Iterator[str]:
    """Yield rows whose cells several blanks part, or a no-break space."""
    for line in lines:
        yield _as_csv(_GAP.split(line.strip()))


def _printed(lines: Iterable[str]) -> Iterator[str]:
    """Yield the rows of a printed data frame, which begin with its index, as `to_csv` has them."""
    for number, line in enumerate(lines):
        cells = line.split()
        if all(cell.strip(".") == "" for cell in cells):
            raise DataError(
                f"the printed data frame leaves out rows, at {line.strip()!r}: write all rows into "
                "a file, as with to_csv"
            )
        yield _as_csv(cells if number else ["", *cells])
