"""CSV and TSV: what separates the columns, and whether each row is one."""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from itertools import islice
from typing import Any, BinaryIO

from ..core.labels import show
from .columns import DataError, check_columns, labelled_among, why_not_utf8

DELIMITERS = {"csv": ",", "tsv": "\t"}
BLOCK = 1 << 22  # bytes parsed at a time, and the longest row that can be read
_SEPARATORS = ";\t,|"
_TOP = 20  # lines among which the header is looked for
_START = 10_000  # bytes in which the encoding is looked at, if a header lacks a column


class Delimited:
    """A CSV file: its header, its delimiter, and its columns as pyarrow reads them.

    Raises
    ------
    ValueError
        If the header lacks a column, or a quoted field is not well formed.
    """

    def __init__(self, stream: BinaryIO, kind: str, names: Mapping[str, str]) -> None:
        self._stream, self._names = stream, names
        self.delimiter, self.n_skipped, rows = _top(stream, names, DELIMITERS[kind])
        self.header, self._n_first = rows[0] if rows else [], len(rows)
        if not names:
            return
        try:
            check_columns(names, self.header)
        except DataError as error:
            if why := why_not_utf8(stream.readlines(_START)):
                raise DataError(f"{error}; {why}") from None
            raise
        self._labelled = [names[argument] for argument in labelled_among(names)]
        self._hidden = self._lines_within_cells()

    def batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield batches of the columns, empty cells as nulls unless they are to be kept."""
        import pyarrow.csv

        if self._n_first == 1:  # the header alone, which pyarrow refuses if no line ends there
            return
        self._stream.seek(0)
        names = self._names
        types = dict.fromkeys(names.values(), pyarrow.dictionary(pyarrow.int32(), pyarrow.string()))
        types |= {names[x]: pyarrow.float64() for x in ("weights", "counts") if x in names}
        batches = pyarrow.csv.open_csv(
            self._stream,
            read_options=pyarrow.csv.ReadOptions(block_size=BLOCK, skip_rows=self.n_skipped),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter, newlines_in_values=True
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=list(types),
                column_types=types,
                null_values=[""],
                strings_can_be_null=not keep_empty,
            ),
        )
        seen = [set[Any]() for _ in self._labelled]
        for batch in batches:
            for name, labels in zip(self._labelled if self._hidden else (), seen, strict=False):
                labels.update(batch[name].dictionary.to_pylist())
            yield batch
        for inside, line in self._hidden.items():
            if all(label in labels for label, labels in zip(inside, seen, strict=True)):
                raise _not_well_formed(line, "it goes on in another row")

    def _lines_within_cells(self) -> dict[tuple[str, ...], int]:
        """Return what stands under the labels in lines within a cell that may be rows of their own.

        A stray quote makes everything up to the next one the text of one cell, whole rows included,
        and pyarrow does not mind. Such a line has the separators of a row.

        Raises
        ------
        ValueError
            If a quoted field does not end, or continues after its closing quote.
        """
        stream, found, row_lines = self._stream, dict[tuple[str, ...], int](), list[int]()
        stream.seek(0)
        if not any(b'"' in part for part in iter(partial(stream.read, BLOCK), b"")):
            return found
        places = list(map(self.header.index, self._labelled))
        width = len(self.header)

        def with_quotes(lines: Iterable[str]) -> Iterator[str]:  # others can have no part in it
            for number, line in enumerate(lines, start=1):
                if '"' in line or row_lines:
                    row_lines.append(number)
                    yield line

        with _as_text(stream) as lines:
            try:
                reader = csv.reader(with_quotes(lines), delimiter=self.delimiter, strict=True)
                for row in reader:
                    start = row_lines[0]
                    for i, cell in enumerate(row):
                        inner = [line.split(self.delimiter) for line in cell.splitlines()[1:]]
                        for n, inside in enumerate(inner, start=1):
                            cells = [*inside, *row[i + 1 :]] if n == len(inner) else inside
                            if len(cells) == width and min(places) < len(inside):
                                found.setdefault(tuple(cells[place] for place in places), start)
                    row_lines.clear()
            except csv.Error as error:
                raise _not_well_formed(row_lines[0], str(error)) from error
        return found


def _not_well_formed(line: int, why: str) -> ValueError:
    return ValueError(
        f"the row that begins in line {line} has a quoted field that is not well formed ({why}): a "
        "quote that is part of the text must be written twice, inside a quoted field"
    )


def _top(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str
) -> tuple[str, int, list[list[str]]]:
    """Return the delimiter of a CSV file, how many lines are above its header, and its first rows.

    The delimiter is that of a first line such as "sep=;", or the first with which the header has
    most of the columns; or if none is known, with which it has most.
    """
    with _as_text(stream) as text:
        top = list(islice(text, _TOP))
        if stated := re.fullmatch(r"sep=(.)[\r\n]*", top[0] if top else "", re.IGNORECASE):
            return stated[1], 1, list(csv.reader(top[1:], delimiter=stated[1]))
        found = {one: list(csv.reader(top, delimiter=one)) for one in (delimiter, *_SEPARATORS)}
    wanted = set(names.values())

    def n_known(one: str) -> int:
        header = found[one][0] if found[one] else []
        return len(wanted & {*header}) if wanted else len(header)

    best = max(found, key=n_known)
    return best, 0, found[best]


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


@contextmanager
def _as_text(stream: BinaryIO) -> Iterator[Iterator[str]]:
    """Open a CSV file as lines, from its start, and allow fields as long as pyarrow can read."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), BLOCK))  # of the whole process
    try:
        # `csv` of Python 3.10 reads no NUL
        yield (line.replace("\0", "\N{REPLACEMENT CHARACTER}") for line in text)
    finally:
        text.detach()
        stream.seek(0)
