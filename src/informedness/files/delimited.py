"""Read CSV and TSV files; find their delimiter, and refuse quotes that merge rows."""

import csv
import io
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, islice, takewhile
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import show
from ..errors import DataError
from ..messages import join
from ..tables.label_warnings import decimal_comma_hint
from .arrow import columns_of, open_native
from .columns import (
    FileReader,
    check_columns,
    distinct_names,
    labelled_arguments,
    shared_names,
    warn_of_names,
)
from .opening import DELIMITERS, why_not_utf8

BLOCK = 1 << 22  # bytes parsed at a time; rows cannot be longer
_SEPARATORS = ";\t,|"
_N_LINES = 20  # lines at the start of a file that are searched for the header
_N_BYTES = 10_000  # bytes checked for UTF-8 if the header is not as expected


class Delimited(FileReader):
    """Find the delimiter and header of a CSV or TSV file, and read it with pyarrow.

    With `no_quotes`, quotes are ordinary characters.

    Raises
    ------
    ValueError
        If the header lacks a column, or a quoted field is malformed or may hold several rows.
    """

    def __init__(
        self, stream: BinaryIO, kind: str, names: Mapping[str, str], no_quotes: bool = False
    ) -> None:
        self._stream, self._no_quotes = stream, no_quotes
        rows = self._find_header(names, DELIMITERS[kind])
        self._original_names = rows[0] if rows else []
        self._has_rows = len(rows) > 1
        self.header = distinct_names(self._original_names)
        self._check_header(names)
        self._names = names or {name: name for name in self.header}
        self._same_named = shared_names(names.values(), self._original_names)
        self._label_column = next((names[x] for x in labelled_arguments(names)), "")
        self._hidden_labels = self._labels_in_cells() if names and not no_quotes else {}

    def _find_header(self, names: Mapping[str, str], delimiter: str) -> list[list[str]]:
        """Find the delimiter and the header, and read the first rows.

        A first line such as "sep=;" states the delimiter. Otherwise the delimiter is chosen that
        finds the most `names` in the header. Without `names`, the delimiter is chosen that finds
        the most columns.
        """
        with _as_text(self._stream) as text:
            top = list(islice(text, _N_LINES))
        _check_not_arff(top)
        stated = re.fullmatch(r"sep=(.)[\r\n]*", "".join(top[:1]), re.IGNORECASE)
        lines = top[1:] if stated else top
        quoting: Any = csv.QUOTE_NONE if self._no_quotes else csv.QUOTE_MINIMAL
        tables = {
            mark: [row for row in csv.reader(lines, delimiter=mark, quoting=quoting) if row]
            for mark in (stated[1] if stated else f"{delimiter}{_SEPARATORS}")
        }
        n_known = {mark: _count_known(rows, names.values()) for mark, rows in tables.items()}
        self.delimiter = max(n_known, key=lambda mark: n_known[mark])
        if not names or not n_known[self.delimiter]:
            _check_no_title(top, tables.values())
        n_empty = sum(1 for _ in takewhile(lambda line: not line.strip("\r\n"), lines))
        self._header_line = "".join(lines[n_empty : n_empty + 1])
        self.n_above = n_empty + len(top) - len(lines)
        return tables[self.delimiter]

    def _check_header(self, names: Mapping[str, str]) -> None:
        """Raise an error if columns are missing, or the header is not text in UTF-8."""
        reasons = list[object]()
        try:
            check_columns(names, self.header)
        except DataError as error:
            reasons.append(error)
        if reasons or {*"".join(names.values() or self.header)} & {"\ufffd", "\0"}:
            reasons += filter(None, [why_not_utf8(self._stream.readlines(_N_BYTES))])
        if reasons:
            raise DataError(join(reasons))

    def batches(self, keep_empty: bool) -> Iterator[dict[str, Any]]:
        """Yield batches of columns by argument; empty cells are nulls without `keep_empty`."""
        return columns_of(self._checked_batches(keep_empty), self._names)

    def _checked_batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield batches of the columns; raise an error if a header repeats or a cell holds rows."""
        columns = dict.fromkeys([*self._names.values(), *chain(*self._same_named.values())])
        unequal = dict[str, list[str]]()
        labels = set[Any]()
        n_headers = n_alike = 0
        # pyarrow raises an error if the file is only a header without a line end
        for batch in self._parse([*columns], keep_empty) if self._has_rows else ():
            for name, others in self._same_named.items():
                if not all(batch[x].equals(batch[name]) for x in others):
                    unequal[name] = others
            if self._hidden_labels:
                labels.update(batch[self._label_column].dictionary.to_pylist())
            n_whole, n_any = self._count_headers(batch)
            n_headers, n_alike = n_headers + n_whole, n_alike + n_any
            yield batch
        if 0 < n_headers == n_alike:
            rule = f"the header occurs {n_headers + 1} times, as in files joined end to end"
            raise DataError(f"{rule}: remove the other headers, or list the separate files")
        if found := labels.intersection(self._hidden_labels):
            raise _quoting_error(min(self._hidden_labels[x] for x in found))
        warn_of_names(unequal)

    def _parse(self, columns: Sequence[str], keep_empty: bool) -> Any:
        """Open the file with pyarrow, to read these columns in batches."""
        import pyarrow
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

        self._stream.seek(0)
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        amounts = [x for argument, x in self._names.items() if argument in ("weights", "counts")]
        types = {x: pyarrow.float64() if x in amounts else text for x in columns}
        skipped = {"skip_rows": self.n_above, "skip_rows_after_names": 1}
        nulls = {"null_values": [""], "strings_can_be_null": not keep_empty}
        no_quotes = self._no_quotes
        quotes = {"quote_char": False if no_quotes else '"', "newlines_in_values": not no_quotes}
        return open_csv(
            open_native(self._stream),
            ReadOptions(block_size=BLOCK, column_names=self.header, **skipped),
            ParseOptions(delimiter=self.delimiter, **quotes),
            ConvertOptions(include_columns=columns, column_types=types, **nulls),
        )

    def _count_headers(self, batch: Any) -> tuple[int, int]:
        """Count rows that repeat the header, and rows in which any label is its column's name.

        If there are fewer than two columns of text, or a column does not contain its name, the
        first number is 0. The second number is then 1 if any column contains its name, else 0.
        """
        written = dict(zip(self.header, self._original_names, strict=True))
        codes = dict[str, int]()
        for name in batch.schema.names:
            if hasattr(batch[name], "dictionary"):
                labels = batch[name].dictionary.to_pylist()
                codes[name] = labels.index(written[name]) if written[name] in labels else -1
        if len(codes) < 2 or -1 in codes.values():
            return 0, int(max(codes.values(), default=-1) >= 0)
        are_names = [np.asarray(batch[name].indices) == code for name, code in codes.items()]
        return int(np.all(are_names, axis=0).sum()), int(np.any(are_names, axis=0).sum())

    def _labels_in_cells(self) -> dict[str, int]:
        """Find labels in cells that may hold several rows, and the line where their row begins.

        A stray quote merges all text up to the next quote into one cell, and pyarrow accepts it.
        Each line in that cell then has as many cells as the header. Genuine text may have that
        form, too. Text counts as genuine if the name of the label column is quoted in the header,
        or if any text of several lines does not look like rows. If a quoted cell of one line
        holds a separator, text counts as rows only if it contains the label of another row.

        Raises
        ------
        ValueError
            If a quoted field does not end, or continues after its closing quote. If text looks
            like rows, and no cell of one line holds a separator.
        """
        with _as_text(self._stream) as text:
            blocks = iter(lambda: text.read(BLOCK) + text.readline(), "")
            if all(_has_only_whole_cells(block, self.delimiter) for block in blocks):
                return {}
        hidden = dict[str, int]()
        is_text = f'"{self._label_column}"' in self._header_line
        for number, end, row in self._rows_of_several_lines():
            if not is_text:
                lines = self._lines_in(row, end)
                n_alike = sum(len(cells) == len(self.header) for cells in lines)
                is_text = 2 * n_alike <= len(lines) > 1
                if n_alike == len(lines) > 1:
                    hidden = dict.fromkeys(self._labels_below(row, lines), number) | hidden
        if is_text:
            return {}
        if hidden and not self._has_quoted_separators():
            raise _quoting_error(min(hidden.values()))
        return hidden

    def _rows_of_several_lines(self) -> Iterator[tuple[int, str, list[str]]]:
        """Yield the first line number, the line end and the cells of each row of several lines."""
        n_lines = 0
        last_line = ""

        def lines() -> Iterator[str]:
            nonlocal last_line
            for last_line in text:  # noqa: UP028
                yield last_line

        with _as_text(self._stream) as text:
            reader = csv.reader(lines(), delimiter=self.delimiter, strict=True)
            try:
                for row in reader:
                    if reader.line_num > n_lines + 1:
                        yield n_lines + 1, _line_end(last_line), row
                    n_lines = reader.line_num
            except csv.Error as error:
                raise _quoting_error(n_lines + 1, str(error)) from error

    def _lines_in(self, row: Sequence[str], end: str) -> list[list[str]]:
        """Split a row into lines at each `end`, and the lines into cells; leave out empty lines."""
        rows = list[list[str]]([[]])
        for cell in row:
            first, *others = (line.split(self.delimiter) for line in cell.split(end))
            rows[-1] += first if others else [cell]
            rows += others
        return [cells for cells in rows[:-1] if cells != [""]] + rows[-1:]

    def _labels_below(self, row: Sequence[str], lines: Sequence[Sequence[str]]) -> list[str]:
        """List the labels in the lines of a row, except the label of the row itself."""
        column = self.header.index(self._label_column)
        labels = [cells[column] for cells in lines]
        labels.remove(row[column] if row[column] in labels else labels[0])
        return labels

    def _has_quoted_separators(self) -> bool:
        """Check whether any cell of a single line holds a separator."""
        end = _line_end(self._header_line)
        with _as_text(self._stream) as text:
            cells = chain.from_iterable(csv.reader(text, delimiter=self.delimiter))
            return any(self.delimiter in cell and end not in cell for cell in cells)


def _line_end(line: str) -> str:
    """Get the line end of a line; a newline if the line has none."""
    return line[len(line.rstrip("\r\n")) :] or "\n"


def _has_only_whole_cells(block: str, delimiter: str) -> bool:
    """Check whether all quotes enclose cells of one line; `csv` would take twice as long."""
    if '"' not in block:
        return True
    codes = np.frombuffer(f"\n{block}\n".encode(), dtype=np.uint8)
    is_end = (codes == ord("\n")) | (codes == ord("\r"))
    quotes = np.flatnonzero(codes == ord('"'))
    neighbors = codes[np.concatenate([quotes[::2] - 1, quotes[1::2] + 1])]
    are_separators = np.isin(neighbors, [*f'"\r\n{delimiter}'.encode()])
    is_in_cell = np.searchsorted(quotes, np.flatnonzero(is_end)) % 2
    return len(quotes) % 2 == 0 and bool(are_separators.all()) and not is_in_cell.any()


def _quoting_error(line: int, why: str = "it goes on in another row") -> DataError:
    rule = f"the row that begins in line {line} has a quoted field that is not well formed ({why})"
    remedies = "Write a quote within the text twice. With no_quotes=True all quotes are text."
    return DataError(f"{rule}. {remedies}")


def _count_known(rows: Sequence[Sequence[str]], names: Collection[str]) -> int:
    """Count the names that occur in a header; if `names` is empty, count all columns."""
    header = rows[0] if rows else []
    return len({*header} & {*names}) if names else len(header)


def _check_not_arff(top: Sequence[str]) -> None:
    filled = [line for line in top if line.strip() and not line.startswith("%")]
    if filled and filled[0].lower().startswith("@relation"):
        remedy = "save it as CSV, or replace the lines up to @data by the names of the columns"
        raise DataError(f"the file is in the ARFF format of Weka: {remedy}")


def _check_no_title(top: Sequence[str], tables: Collection[Sequence[Sequence[str]]]) -> None:
    """Raise an error if the first line has a single cell, and the lines below it are a table."""
    is_alone = all(len(rows[0]) == 1 for rows in tables if rows)
    widths_below = [{len(row) for row in rows[1:]} for rows in tables]
    if is_alone and any(len(widths) == 1 < max(widths) for widths in widths_below):
        number, line = next((i, line.strip()) for i, line in enumerate(top, 1) if line.strip())
        raise DataError(f"line {number} looks like a title, {show(line)}: remove it")


def explain_row_error(error: str) -> str:
    """Explain an error of pyarrow about a row of CSV; the text is empty for other errors."""
    if match := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error, re.DOTALL):
        rule = f"each row must have {match[1]} cells, as the header has"
        remedies = "Quote cells that hold the separator, and remove lines that are not rows."
        return f"{rule}, got {match[2]} in {show(match[3])}. {remedies}"
    if match := re.search(r"to double: invalid value '(.*)'", error, re.DOTALL):
        got = f"{show(match[1])}{decimal_comma_hint(match[1])}"
        return f"`counts` and `weights` must be numbers such as 1234.5, got {got}"
    if "field limit" in error or "straddling" in error:
        rule = f"a row or a header must have at most {BLOCK:,d} bytes, got more"
        return f"{rule}: leave out columns that are not needed, or save the file as Parquet"
    return ""


@contextmanager
def _as_text(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """Open a CSV file as text from its start, and allow fields as long as pyarrow does."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), BLOCK))  # applies to the whole process
    try:
        yield text
    finally:
        text.detach()
        stream.seek(0)
