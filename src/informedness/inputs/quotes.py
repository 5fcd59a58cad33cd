"""Quotes in CSV: a quote that opens a field must be closed, or rows are read as one cell."""

from functools import partial
from typing import BinaryIO

import numpy as np

_BLOCK = 1 << 22  # bytes checked at a time
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_QUOTE = ord('"')


def check_quotes(stream: BinaryIO, delimiter: str) -> None:
    """Raise ValueError if a quoted field does not end, or continues after its closing quote.

    In both cases a stray quote was read as the start of a field, and everything up to the next
    quote, including whole rows, as the text of one cell. A quote elsewhere in a field is text.
    """
    if stream.read(len(_BYTE_ORDER_MARK)) != _BYTE_ORDER_MARK:
        stream.seek(0)
    scan = _Scan(delimiter, stream.tell())
    for block in iter(partial(stream.read, _BLOCK), b""):
        scan.read(block)
        if scan.error:
            break
    else:
        scan.read(b"\n")
        if scan.is_inside:
            scan.error = "does not end"
    if scan.error:
        raise ValueError(
            f"the quoted field that begins in line {_line(stream, scan.opened)} {scan.error}: a "
            "quote that is part of the text must be written twice, inside a quoted field"
        )
    stream.seek(0)


class _Scan:
    """Where in a CSV file we are: within quotes or not."""

    def __init__(self, delimiter: str, start: int) -> None:
        self.is_inside = False
        self.opened = start  # position in the file of the last quote that opened a field
        self.error = ""
        self._seen = start - 1  # position in the file of what begins with `_rest`
        self._rest = b"\n"  # a byte that was read and, behind it, one that waits for the next
        self._starts = np.zeros(256, dtype=bool)  # what stands before a field
        self._starts[[*f"{delimiter}\r\n".encode()]] = True
        self._ends = self._starts.copy()  # and what stands behind one, or behind half of ""
        self._ends[_QUOTE] = True

    def read(self, block: bytes) -> None:
        """Read on, up to the last byte but one."""
        data = self._rest + block
        text = np.frombuffer(data, dtype=np.uint8)
        quotes = np.flatnonzero(text[1:-1] == _QUOTE) + 1
        opening, closing = quotes[self.is_inside :: 2], quotes[not self.is_inside :: 2]
        is_plain = self._ends[text[opening - 1]].all() and self._ends[text[closing + 1]].all()
        self._rest = data[-2:]
        if is_plain:  # by far the most files: every second quote opens, and none is text
            fields = opening[self._starts[text[opening - 1]]]
            if len(fields):
                self.opened = self._seen + int(fields[-1])
            self.is_inside ^= len(quotes) % 2 == 1
        else:
            self._read_each(data, quotes.tolist())
        self._seen += len(data) - len(self._rest)

    def _read_each(self, data: bytes, quotes: list[int]) -> None:
        """Read quotes of which some may be text."""
        starts, ends = ({*np.flatnonzero(table).tolist()} for table in (self._starts, self._ends))
        closed = 0  # a quote that was text is not in `_rest`
        for position in quotes:
            before, after = data[position - 1], data[position + 1]
            if self.is_inside:
                if after not in ends:
                    self.error = "continues after its closing quote"
                    return
                self.is_inside, closed = False, position
            elif before in starts:
                self.is_inside, self.opened = True, self._seen + position
            elif before == _QUOTE and closed == position - 1:
                self.is_inside = True
        if data[-2] == _QUOTE and not self.is_inside and closed < len(data) - 2:
            self._rest = b" " + self._rest[1:]


def _line(stream: BinaryIO, position: int) -> int:
    """Return the number of the line of a position in a file."""
    stream.seek(0)
    sizes = (min(_BLOCK, position - start) for start in range(0, position, _BLOCK))
    return 1 + sum(stream.read(size).count(b"\n") for size in sizes)
