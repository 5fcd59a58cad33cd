"""CSV and TSV: what separates the columns, and whether each row is one."""

import codecs
import csv
import io
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial, reduce
from itertools import islice
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import show
from ..errors import DataError
from ..messages import join
from ..tables.label_warnings import decimal_comma_hint
from .arrow import native
from .columns import (
    check_columns,
    labelled_among,
    names_alike,
    numbered,
    warn_of_names,
    why_not_utf8,
)

DELIMITERS = {"csv": ",", "tsv": "\t"}
BLOCK = 1 << 22  # bytes parsed at a time, and the longest row that can be read
_SEPARATORS = ";\t,|"
_TOP = 20  # lines among which the header is looked for
_QUOTE, _LF, _CR = b'"\n\r'
_START = 10_000  # bytes in which the encoding is looked at, if a header lacks a column


class Delimited:
    """A CSV file: its header, its delimiter, and its columns as pyarrow reads them.

    Without `quotes` a quote is text like any other.

    Raises
    ------
    ValueError
        If the header lacks a column, a quoted field is not well formed, or it may be several rows.
    """

    def __init__(
        self, stream: BinaryIO, kind: str, names: Mapping[str, str], quotes: bool = True
    ) -> None:
        self._stream = stream
        self._names = names
        self._quotes = quotes
        self.delimiter, self.n_skipped, rows = _top(stream, names, DELIMITERS[kind], quotes)
        self._first_row = rows[0] if rows else []
        self.header = numbered(self._first_row)
        self._n_first = len(rows)
        self._hidden = dict[str, int]()
        if "\ufffd" in "".join(names.values() or self.header):  # in place of what is not UTF-8
            reason = why_not_utf8(stream.readlines(_START))
            stream.seek(0)
            if reason:
                raise DataError(reason)
        if not names:
            return
        try:
            check_columns(names, self.header)
        except DataError as error:
            if reason := why_not_utf8(stream.readlines(_START)):
                raise DataError(join([error, reason])) from None
            raise
        self._labelled = names[labelled_among(names)[0]]
        self._hidden = self._rows_within_cells() if quotes else {}

    def batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield batches of the columns, empty cells as nulls unless they are to be kept."""
        import pyarrow

        if self._n_first < 2:  # of the header alone pyarrow refuses one that no line ends
            return
        names = self._names
        written = dict(zip(self.header, self._first_row, strict=True))
        are_different = self.header == self._first_row
        labels = set[Any]()
        alike, unequal = names_alike(names.values(), self._first_row), dict[str, list[str]]()
        n_headers = n_alike = 0
        for batch in self._parsed(written, keep_empty):
            if not are_different:
                batch = pyarrow.RecordBatch.from_arrays(batch.columns, names=self.header)
                for name, columns in alike.items():
                    if not all(batch[x].equals(batch[name]) for x in columns):
                        unequal[name] = columns
            if self._hidden:
                labels.update(batch[self._labelled].dictionary.to_pylist())
            n_all, n_any = self._headers_in(batch, written)
            n_headers, n_alike = n_headers + n_all, n_alike + n_any
            yield batch
        if 0 < n_headers == n_alike:
            raise DataError(
                f"the header occurs {n_headers + 1} times, as in files joined end to end: take the "
                "others out, or list the files"
            )
        if hidden_labels := labels.intersection(self._hidden):
            raise _not_well_formed(min(self._hidden[x] for x in hidden_labels), _GOES_ON)
        warn_of_names(unequal)

    def _parsed(self, written: Mapping[str, str], keep_empty: bool) -> Any:
        """Return batches of the columns as pyarrow reads them, by their names as `written`."""
        import pyarrow.csv

        self._stream.seek(0)
        names = self._names
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        types = {written[x]: text for x in names.values() or self.header}  # all without names
        amounts = [names[x] for x in ("weights", "counts") if x in names]
        types |= {written[x]: pyarrow.float64() for x in amounts}
        are_different = self.header == self._first_row
        return pyarrow.csv.open_csv(
            native(self._stream),
            read_options=pyarrow.csv.ReadOptions(block_size=BLOCK, skip_rows=self.n_skipped),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self._quotes else False,
                newlines_in_values=self._quotes,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=[*types] if names and are_different else [],
                column_types=types,
                null_values=[""],
                strings_can_be_null=not keep_empty,
            ),
        )

    def _headers_in(self, batch: Any, written: Mapping[str, str]) -> tuple[int, int]:
        """Return how many rows have all their columns' names for cells, and how many have one."""
        import pyarrow.compute

        names = dict.fromkeys(self._names.values() or self.header)
        texts = [x for x in names if pyarrow.types.is_dictionary(batch[x].type)]
        if len(texts) < 2 or written[texts[0]] not in batch[texts[0]].dictionary.to_pylist():
            return 0, 0
        are = [
            pyarrow.compute.equal(batch[x].cast(pyarrow.string()), written[x]).fill_null(False)
            for x in texts
        ]
        both = reduce(pyarrow.compute.and_, are), reduce(pyarrow.compute.or_, are)
        n_all, n_any = (pyarrow.compute.sum(x).as_py() for x in both)
        return n_all, n_any

    def _rows_within_cells(self) -> dict[str, int]:
        """Return the labels in lines within cells that may be rows of their own, and where.

        A stray quote makes everything up to the next one the text of one cell, whole rows included,
        and pyarrow does not mind. Then each of the lines has as many cells as the header. That can
        be so in text of several lines, too. It surely is text where other text of several lines is
        no rows, or the header is in quotes, as all rows are then. Cells in quotes that hold a
        separator say less: there it is text if it has no label of another row.

        Raises
        ------
        ValueError
            If a quoted field does not end, or continues after its closing quote; or if all lines
            can be read as rows in which quotes are text.
        """
        lines_of_labels = dict[str, int]()
        row_lines = list[tuple[int, str]]()
        stream = self._stream
        stream.seek(0)
        if not any(b'"' in block for block in iter(partial(stream.read, BLOCK), b"")):
            return lines_of_labels
        if self._cells_surely_hold_no_rows():
            return lines_of_labels
        are_quoted = is_sure = False
        with _as_text(stream) as lines:
            try:
                reader = csv.reader(
                    _with_quotes(lines, row_lines), delimiter=self.delimiter, strict=True
                )
                for row in reader:
                    first_number, last_line = row_lines[0][0], row_lines[-1][1]
                    is_sure |= row == self._first_row and f'"{self._labelled}"' in last_line
                    rows, n_alike = self._lines_in(row, last_line)
                    is_sure |= 2 * n_alike <= len(rows) > 1
                    are_quoted |= any(self.delimiter in cell for cells in rows for cell in cells)
                    if n_alike == len(rows) > 1:
                        for label in self._labels_below(row, rows):
                            lines_of_labels.setdefault(label, first_number)
                    row_lines.clear()
            except csv.Error as error:
                raise _not_well_formed(row_lines[0][0], str(error)) from error
        if is_sure:
            return {}
        if lines_of_labels and not are_quoted:
            raise _not_well_formed(min(lines_of_labels.values()), _GOES_ON)
        return lines_of_labels

    def _labels_below(self, row: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
        """Return the labels in the lines of a row that may be rows, without the row's own."""
        place = self.header.index(self._labelled)
        labels = [cells[place] for cells in lines]
        labels.remove(row[place] if row[place] in labels else labels[0])
        return labels

    def _cells_surely_hold_no_rows(self) -> bool:
        """Return whether all quotes enclose cells, none of which holds rows; False if in question.

        The bytes show it without a look at each line: 1,000,000 rows take 0.4 s instead of 9 s.
        """
        is_sure = may_hold_rows = False
        try:
            for texts in _rows_with_lines_within(self._stream, self.delimiter):
                for text in () if is_sure else texts:
                    (row,) = csv.reader([text], delimiter=self.delimiter, strict=True)
                    rows, n_alike = self._lines_in(row, text)
                    may_hold_rows |= n_alike == len(rows) > 1
                    if is_sure := 2 * n_alike <= len(rows) > 1:
                        break
        except csv.Error:
            return False
        return is_sure or not may_hold_rows

    def _lines_in(self, row: Sequence[str], text: str) -> tuple[list[list[str]], int]:
        """Return the cells in each line of a row that ends as `text`, and how many may be rows.

        Empty lines between them are left out.
        """
        end = text[len(text.rstrip("\r\n")) :] or "\n"
        rows = list[list[str]]([[]])
        for cell in row:
            first, *others = (line.split(self.delimiter) for line in cell.split(end))
            rows[-1] += first if others else [cell]
            rows += others
        rows = [cells for cells in rows[:-1] if cells != [""]] + rows[-1:]
        return rows, sum(len(cells) == len(self.header) for cells in rows)


def _with_quotes(lines: Iterable[str], row_lines: list[tuple[int, str]]) -> Iterator[str]:
    """Yield lines with quotes and those after them in one row, and add them to that row's."""
    for number, line in enumerate(lines, start=1):
        if '"' in line or row_lines:  # others can have no part in a quoted cell
            row_lines.append((number, line))
            yield line


def _rows_with_lines_within(stream: BinaryIO, delimiter: str) -> Iterator[Iterator[str]]:
    """Yield block by block the rows that have line ends like their own within cells.

    Raises
    ------
    csv.Error
        If quotes do not come in pairs around cells, or parts of cells between quotes written twice;
        or if a row is longer than a block.
    """
    is_beside = np.zeros(256, dtype=bool)
    is_beside[[*b'"\n\r', *delimiter.encode()]] = True
    stream.seek(0)
    stream.seek(len(codecs.BOM_UTF8) if stream.read(3) == codecs.BOM_UTF8 else 0)
    block = rest = b"\n"  # a row and the line end above it
    while block:
        block = stream.read(BLOCK)
        if block.endswith(b"\r"):
            block += stream.read(1)
        text = rest + (block or b"\n")
        codes = np.frombuffer(text, dtype=np.uint8)
        marks = np.flatnonzero((codes == _QUOTE) | (codes == _LF) | (codes == _CR))
        are_crlf = (codes[marks[1:]] == _LF) & (codes[marks[1:] - 1] == _CR)
        marks = np.delete(marks, np.flatnonzero(are_crlf))  # the CR
        is_quote = codes[marks] == _QUOTE
        is_within = np.logical_xor.accumulate(is_quote)  # cells, from their opening quotes on
        ends = marks[~is_quote & ~is_within]
        rest = text[ends[-1] :]
        quotes = marks[is_quote & (marks < ends[-1])]
        before, after = codes[quotes[::2] - 1], codes[quotes[1::2] + 1]
        is_whole = is_beside[before].all() and is_beside[after].all()
        if not is_whole or len(rest) > (BLOCK if block else 1):
            raise csv.Error

        within = marks[~is_quote & is_within & (marks < ends[-1])]
        rows = np.searchsorted(ends, within)
        is_crlf, of_crlf = ((codes[x] == _LF) & (codes[x - 1] == _CR) for x in (within, ends[rows]))
        rows = np.unique(rows[is_crlf | ~of_crlf])
        places = zip(ends[rows - 1] + 1, ends[rows] + 1, strict=True)
        yield (text[start:stop].decode(errors="replace") for start, stop in places)


_GOES_ON = "it goes on in another row"


def _not_well_formed(line: int, why: str) -> DataError:
    return DataError(
        f"the row that begins in line {line} has a quoted field that is not well formed ({why}): a "
        "quote that is part of the text must be written twice, inside a quoted field; or with "
        "no_quotes=True all quotes are text"
    )


def _top(
    stream: BinaryIO, names: Mapping[str, str], delimiter: str, quotes: bool
) -> tuple[str, int, list[list[str]]]:
    """Return the delimiter of a CSV file, how many lines are above its header, and its first rows.

    The delimiter is that of a first line such as "sep=;", or the first with which the header has
    most of the columns; or if none is known, with which it has most.
    """
    read = partial(csv.reader, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
    with _as_text(stream) as text:
        top = list(islice(text, _TOP))
        _check_not_arff(top)
        if stated := re.fullmatch(r"sep=(.)[\r\n]*", top[0] if top else "", re.IGNORECASE):
            return stated[1], 1, list(read(top[1:], delimiter=stated[1]))
        rows_by_mark = {
            mark: [row for row in read(top, delimiter=mark) if row]
            for mark in (delimiter, *_SEPARATORS)
        }
    columns = set(names.values())

    def n_known(mark: str) -> int:
        header = rows_by_mark[mark][0] if rows_by_mark[mark] else []
        return len(columns & {*header}) if columns else len(header)

    best = max(rows_by_mark, key=n_known)
    if not (columns and n_known(best)):
        _check_no_title(top, [rows for rows in rows_by_mark.values() if rows])
    return best, 0, rows_by_mark[best]


def _check_not_arff(top: Sequence[str]) -> None:
    filled = [line for line in top if line.strip() and not line.startswith("%")]
    if filled and filled[0].lower().startswith("@relation"):
        raise DataError(
            "the file is ARFF, of Weka: save it as CSV, or replace the lines up to @data by "
            "one with the names of the columns"
        )


def _check_no_title(top: Sequence[str], tables: Sequence[Sequence[Sequence[str]]]) -> None:
    """Raise an error if one cell stands above a table, whatever separates the cells."""
    is_alone = all(len(header) == 1 for header, *_ in tables)
    widths_below = [{len(row) for row in rows} for _, *rows in tables]
    if is_alone and any(len(widths) == 1 < max(widths) for widths in widths_below):
        number, line = next((i, line.strip()) for i, line in enumerate(top, 1) if line.strip())
        raise DataError(f"line {number} looks like a title, {show(line)}: take it out")


def said_of_row(error: str) -> str:
    """Return what pyarrow says of a row of CSV in plain words, empty if it is something else."""
    if match := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error, re.DOTALL):
        return (
            f"each row must have {match[1]} cells, as the header has, got {match[2]} in "
            f"{show(match[3])}: put cells that hold the separator into quotes, and take out lines "
            "that are no rows"
        )
    if match := re.search(r"to double: invalid value '(.*)'", error, re.DOTALL):
        got = f"{show(match[1])}{decimal_comma_hint(match[1])}"
        return f"`counts` and `weights` must be numbers such as 1234.5, got {got}"
    if "field limit" in error or "straddling" in error:
        most = f"the longest row that can be read, or header, has {BLOCK:,d} bytes"
        return f"{most}: leave out columns that are not needed, or save the file as Parquet"
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
