"""Read CSV and TSV: find the delimiter, and check that rows are not merged."""

import codecs
import csv
import io
import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from itertools import chain, islice, takewhile
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import show
from ..errors import DataError
from ..messages import join
from ..tables.label_warnings import decimal_comma_hint
from .arrow import columns_of, native
from .columns import (
    FileReader,
    check_columns,
    columns_alike,
    distinct_names,
    labelled_among,
    warn_of_names,
)
from .opening import DELIMITERS, why_not_utf8

BLOCK = 1 << 22  # bytes parsed at a time, and the longest row that can be read
_SEPARATORS = ";\t,|"
_TOP = 20  # lines searched for the header
_QUOTE, _LF, _CR = b'"\n\r'
_START = 10_000  # bytes checked for UTF-8 if the header lacks a column


class Delimited(FileReader):
    """Read a CSV file with pyarrow, once the delimiter and header are found.

    Without `quotes`, a quote is an ordinary character.

    Raises
    ------
    ValueError
        If the header lacks a column, or a quoted field is malformed or may hold several rows.
    """

    def __init__(
        self, stream: BinaryIO, kind: str, names: Mapping[str, str], quotes: bool = True
    ) -> None:
        self._stream = stream
        self._quotes = quotes
        self.delimiter, self.n_above, rows = _top(stream, names, DELIMITERS[kind], quotes)
        self._written = rows[0] if rows else []
        self._has_rows = len(rows) > 1
        self.header = distinct_names(self._written)
        self._check_header(names)
        self._names = names or {name: name for name in self.header}
        self._alike = columns_alike(names.values(), self._written)
        self._labelled = next((names[x] for x in labelled_among(names)), "")
        self._hidden = self._labels_within_cells() if names and quotes else {}

    def _check_header(self, names: Mapping[str, str]) -> None:
        """Raise an error if columns are missing, and say so if the text is not UTF-8."""
        reasons = list[object]()
        try:
            check_columns(names, self.header)
        except DataError as error:
            reasons.append(error)
        if reasons or "\ufffd" in "".join(names.values() or self.header):
            reasons += filter(None, [why_not_utf8(self._stream.readlines(_START))])
        if reasons:
            raise DataError(join(reasons))

    def batches(self, keep_empty: bool) -> Iterator[dict[str, Any]]:
        """Yield columns by argument; empty cells are nulls unless `keep_empty`."""
        return columns_of(self._checked_batches(keep_empty), self._names)

    def _checked_batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield batches of the columns; raise if headers repeat or a cell holds other rows."""
        columns = dict.fromkeys([*self._names.values(), *chain(*self._alike.values())])
        unequal = dict[str, list[str]]()
        labels = set[Any]()
        n_headers = n_alike = 0
        # pyarrow refuses a header alone if it has no line end
        for batch in self._parsed([*columns], keep_empty) if self._has_rows else ():
            for name, others in self._alike.items():
                if not all(batch[x].equals(batch[name]) for x in others):
                    unequal[name] = others
            if self._hidden:
                labels.update(batch[self._labelled].dictionary.to_pylist())
            n_all, n_any = self._count_headers(batch)
            n_headers, n_alike = n_headers + n_all, n_alike + n_any
            yield batch
        if 0 < n_headers == n_alike:
            raise DataError(
                f"the header occurs {n_headers + 1} times, as in files joined end to end: take the "
                "others out, or list the files"
            )
        if hidden := labels.intersection(self._hidden):
            raise _not_well_formed(min(self._hidden[x] for x in hidden), _GOES_ON)
        warn_of_names(unequal)

    def _parsed(self, columns: Sequence[str], keep_empty: bool) -> Any:
        """Return batches of these columns as pyarrow reads them."""
        import pyarrow.csv

        self._stream.seek(0)
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        amounts = [x for argument, x in self._names.items() if argument in ("weights", "counts")]
        return pyarrow.csv.open_csv(
            native(self._stream),
            read_options=pyarrow.csv.ReadOptions(
                block_size=BLOCK,
                skip_rows=self.n_above,
                skip_rows_after_names=1,
                column_names=self.header,
            ),
            parse_options=pyarrow.csv.ParseOptions(
                delimiter=self.delimiter,
                quote_char='"' if self._quotes else False,
                newlines_in_values=self._quotes,
            ),
            convert_options=pyarrow.csv.ConvertOptions(
                include_columns=columns,
                column_types={x: pyarrow.float64() if x in amounts else text for x in columns},
                null_values=[""],
                strings_can_be_null=not keep_empty,
            ),
        )

    def _count_headers(self, batch: Any) -> tuple[int, int]:
        """Count the rows whose cells all equal the column names, and those with any such cell."""
        written = dict(zip(self.header, self._written, strict=True))
        are_names = list[Any]()
        for name in dict.fromkeys(self._names.values()):
            if not hasattr(batch[name], "dictionary"):
                continue
            labels = batch[name].dictionary.to_pylist()
            code = labels.index(written[name]) if written[name] in labels else -2
            if code < 0 and not are_names:
                return 0, 0
            are_names.append(np.asarray(batch[name].indices.fill_null(-1)) == code)
        if len(are_names) < 2:
            return 0, 0
        return int(np.all(are_names, axis=0).sum()), int(np.any(are_names, axis=0).sum())

    def _labels_within_cells(self) -> dict[str, int]:
        """Return the labels in lines within cells that may be rows, and their line numbers.

        A stray quote merges everything up to the next quote into one cell, and pyarrow accepts it.
        Each line in that cell has as many cells as the header, but genuine text may have, too. It
        is genuine if other text of several lines does not look like rows. It also is if the header
        is quoted, since then all rows are. If quoted cells hold a separator, text counts as genuine
        unless it has a label of another row.

        Raises
        ------
        ValueError
            If a quoted field does not end, or continues after its closing quote; or if all lines
            can be rows with literal quotes.
        """
        self._stream.seek(0)
        blocks = iter(partial(self._stream.read, BLOCK), b"")
        if not any(b'"' in block for block in blocks) or self._are_cells_surely_text():
            return {}
        lines_of_labels = dict[str, int]()
        are_quoted = is_sure = False
        for number, text, row in self._rows_with_quotes():
            rows, n_alike = self._lines_in(row, text)
            is_sure |= row == self._written and f'"{self._labelled}"' in text
            is_sure |= 2 * n_alike <= len(rows) > 1
            are_quoted |= any(self.delimiter in cell for cells in rows for cell in cells)
            if n_alike == len(rows) > 1:
                for label in self._labels_below(row, rows):
                    lines_of_labels.setdefault(label, number)
        if is_sure:
            return {}
        if lines_of_labels and not are_quoted:
            raise _not_well_formed(min(lines_of_labels.values()), _GOES_ON)
        return lines_of_labels

    def _rows_with_quotes(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the first line number, last line and cells of each row with quotes."""
        row_lines = list[tuple[int, str]]()
        with _as_text(self._stream) as lines:
            quoted = _lines_with_quotes(lines, row_lines)
            try:
                for row in csv.reader(quoted, delimiter=self.delimiter, strict=True):
                    yield row_lines[0][0], row_lines[-1][1], row
                    row_lines.clear()
            except csv.Error as error:
                raise _not_well_formed(row_lines[0][0], str(error)) from error

    def _labels_below(self, row: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
        """Return the labels in the lines of a row, without the row's own label."""
        place = self.header.index(self._labelled)
        labels = [cells[place] for cells in lines]
        labels.remove(row[place] if row[place] in labels else labels[0])
        return labels

    def _are_cells_surely_text(self) -> bool:
        """Return whether all quoted cells are text without rows; False if unsure.

        Bytes are scanned, not lines: 1,000,000 rows take 0.4 s instead of 9 s.
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
        """Split a row into lines of cells, and count the lines that may be rows.

        Lines end as `text` does. Empty lines between them are skipped.
        """
        end = text[len(text.rstrip("\r\n")) :] or "\n"
        rows = list[list[str]]([[]])
        for cell in row:
            first, *others = (line.split(self.delimiter) for line in cell.split(end))
            rows[-1] += first if others else [cell]
            rows += others
        rows = [cells for cells in rows[:-1] if cells != [""]] + rows[-1:]
        return rows, sum(len(cells) == len(self.header) for cells in rows)


def _lines_with_quotes(lines: Iterable[str], row_lines: list[tuple[int, str]]) -> Iterator[str]:
    """Yield the lines of rows with quotes, and append them to `row_lines`."""
    for number, line in enumerate(lines, start=1):
        if '"' in line or row_lines:  # other lines cannot be in a quoted cell
            row_lines.append((number, line))
            yield line


def _rows_with_lines_within(stream: BinaryIO, delimiter: str) -> Iterator[Iterator[str]]:
    """Yield block by block the rows whose cells contain line ends like their own.

    Raises
    ------
    csv.Error
        If quotes do not pair up around cells (doubled quotes may split them), or a row is longer
        than a block.
    """
    is_beside = np.zeros(256, dtype=bool)
    is_beside[[*b'"\n\r', *delimiter.encode()]] = True
    stream.seek(0)
    stream.seek(len(codecs.BOM_UTF8) if stream.read(3) == codecs.BOM_UTF8 else 0)
    block = rest = b"\n"  # an unfinished row, after the line end above it
    while block:
        block = stream.read(BLOCK)
        if block.endswith(b"\r"):
            block += stream.read(1)
        text = rest + (block or b"\n")
        codes = np.frombuffer(text, dtype=np.uint8)
        marks = np.flatnonzero((codes == _QUOTE) | (codes == _LF) | (codes == _CR))
        are_crlf = (codes[marks[1:]] == _LF) & (codes[marks[1:] - 1] == _CR)
        marks = np.delete(marks, np.flatnonzero(are_crlf))  # drop the CR of CRLF
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

    A first line such as "sep=;" states the delimiter. Otherwise the first that finds most `names`
    in the header is used; without `names`, the first that finds most columns.
    """
    read = partial(csv.reader, quoting=csv.QUOTE_MINIMAL if quotes else csv.QUOTE_NONE)
    with _as_text(stream) as text:
        top = list(islice(text, _TOP))
        _check_not_arff(top)
        if stated := re.fullmatch(r"sep=(.)[\r\n]*", "".join(top[:1]), re.IGNORECASE):
            return stated[1], 1, list(read(top[1:], delimiter=stated[1]))
        rows_by_mark = {
            mark: [row for row in read(top, delimiter=mark) if row]
            for mark in (delimiter, *_SEPARATORS)
        }
    n_known = {mark: _n_known(rows, names.values()) for mark, rows in rows_by_mark.items()}
    best = max(n_known, key=lambda mark: n_known[mark])
    if not names or not n_known[best]:
        _check_no_title(top, [rows for rows in rows_by_mark.values() if rows])
    n_above = sum(1 for _ in takewhile(lambda line: not line.strip("\r\n"), top))
    return best, n_above, rows_by_mark[best]


def _n_known(rows: Sequence[Sequence[str]], names: Collection[str]) -> int:
    """Count the names in a header, or all its columns if no names are given."""
    header = rows[0] if rows else []
    return len({*header} & {*names}) if names else len(header)


def _check_not_arff(top: Sequence[str]) -> None:
    filled = [line for line in top if line.strip() and not line.startswith("%")]
    if filled and filled[0].lower().startswith("@relation"):
        raise DataError(
            "the file is ARFF, of Weka: save it as CSV, or replace the lines up to @data by "
            "one with the names of the columns"
        )


def _check_no_title(top: Sequence[str], tables: Sequence[Sequence[Sequence[str]]]) -> None:
    """Raise an error if a single cell is above a table, for any separator."""
    is_alone = all(len(header) == 1 for header, *_ in tables)
    widths_below = [{len(row) for row in rows} for _, *rows in tables]
    if is_alone and any(len(widths) == 1 < max(widths) for widths in widths_below):
        number, line = next((i, line.strip()) for i, line in enumerate(top, 1) if line.strip())
        raise DataError(f"line {number} looks like a title, {show(line)}: take it out")


def explain_row_error(error: str) -> str:
    """Explain pyarrow's error about a CSV row in plain words; empty for other errors."""
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
    """Open a CSV file as lines from its start; allow fields as long as pyarrow does."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), BLOCK))  # applies to the whole process
    try:
        # `csv` in Python 3.10 rejects NUL
        yield (line.replace("\0", "\N{REPLACEMENT CHARACTER}") for line in text)
    finally:
        text.detach()
        stream.seek(0)
