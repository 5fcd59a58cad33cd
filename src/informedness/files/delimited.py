"""Read CSV and TSV files; find their delimiter, and refuse quotes that merge rows."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import chain, dropwhile, islice
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import Numbers, show
from ..errors import DataError
from ..tables.label_warnings import decimal_comma_hint
from .arrow import FileReader, open_native
from .columns import check_columns, distinct_names, labelled_arguments, repeats_of, warn_of_repeats
from .opening import DELIMITERS

BLOCK = 1 << 22  # bytes parsed at a time, and the largest length of a row
_OTHER_DELIMITERS = ";\t,|"
_N_LINES = 20  # lines at the start of a file that are searched for the header
# for a quoted field whose lines look like rows
_REMEDIES = "If a quote is missing, add it. If the lines are text, quote the names in the header."


class Delimited(FileReader):
    """Find the delimiter and header of a CSV or TSV file, and read the file with pyarrow.

    Without `has_quotes`, quotes are ordinary characters.

    Raises
    ------
    ValueError
        If the header lacks a column in `names`, or is not text in UTF-8. If the file is in the ARFF
        format. With `names` and quotes, if a quoted field is malformed or may hold several rows.
    """

    def __init__(
        self, stream: BinaryIO, file_format: str, names: Mapping[str, str], has_quotes: bool = True
    ) -> None:
        self._stream, self._has_quoting = stream, has_quotes
        self._original_names, *self._first_rows = self._find_header(names, DELIMITERS[file_format])
        self.header = distinct_names(self._original_names)
        columns = names.values() if names and {*names.values()} <= {*self.header} else self.header
        if {*"".join(columns)} & {"\ufffd", "\0"}:
            raise UnicodeError("the header is not text in UTF-8")  # the caller finds the line
        check_columns(names, self.header)
        self._names = names or {name: name for name in self.header}
        self._pairs = repeats_of(names.values(), self._original_names)
        self._label_column = next((names[x] for x in labelled_arguments(names)), "")
        self._hidden_labels = self._find_hidden_labels() if names and has_quotes else {}

    def _find_header(self, names: Mapping[str, str], default: str) -> list[list[str]]:
        """Find the delimiter and the header, and read the header and the first rows.

        A first line such as "sep=;" states the delimiter. Otherwise the delimiter that finds the
        most `names` in the header is chosen, or the most columns if `names` is empty. In a tie,
        `default` comes first.

        Raises
        ------
        DataError
            If the file is in the ARFF format.
        """
        with _as_text(self._stream) as text:
            top = list(islice(text, _N_LINES))
        if re.match(r"(\s|%.*\n)*@relation\b", "".join(top), re.IGNORECASE):
            remedy = "save it as CSV, or replace the lines up to @data with a line of column names"
            raise DataError(f"the file is in the ARFF format of Weka: {remedy}")
        sep_line = re.fullmatch(r"sep=(.)[\r\n]*", "".join(top[:1]), re.IGNORECASE)
        lines = [*dropwhile(lambda line: not line.strip("\r\n"), top[1:] if sep_line else top)]
        self.n_above = len(top) - len(lines)
        self._header_line = "".join(lines[:1])
        self._line_end = self._header_line[len(self._header_line.rstrip("\r\n")) :] or "\n"
        quoting: Any = csv.QUOTE_MINIMAL if self._has_quoting else csv.QUOTE_NONE
        tables = {
            x: [row for row in csv.reader(lines, delimiter=x, quoting=quoting) if row] or [[]]
            for x in (sep_line[1] if sep_line else f"{default}{_OTHER_DELIMITERS}")
        }
        columns = {*names.values()}
        headers = {delimiter: rows[0] for delimiter, rows in tables.items()}
        n_found = {x: len({*row} & columns if names else row) for x, row in headers.items()}
        self.delimiter = max(n_found, key=lambda delimiter: n_found[delimiter])
        return tables[self.delimiter]

    def _record_batches(self, keep_empty: bool) -> Iterator[Any]:
        """Yield batches of the columns.

        At the end, raise an error if a cell seems to hold several rows, or if rows repeat the names
        of all columns of text, which must be two or more. Such rows are valid if other rows repeat
        only some of these names.
        """
        labels = set[Any]()
        unequal = dict[str, str]()
        # Numbers of rows, by the number of their cells that equal the names of their columns
        n_rows = np.zeros(1, dtype=np.int64)
        # pyarrow raises an error if the file is only a header without a line end
        for batch in self._parse(keep_empty) if self._first_rows else ():
            unequal |= {x: y for x, y in self._pairs.items() if not batch[x].equals(batch[y])}
            if self._hidden_labels:
                labels.update(batch[self._label_column].dictionary.to_pylist())
            n_rows = n_rows + self._count_names(batch)
            yield batch
        if len(n_rows) > 2 and n_rows[-1] and not n_rows[1:-1].any():
            rule = f"the header occurs {n_rows[-1] + 1} times, as in files joined end to end"
            raise DataError(f"{rule}: remove the other headers, or list the separate files")
        if found := labels.intersection(self._hidden_labels):
            raise _quoting_error(min(self._hidden_labels[x] for x in found))
        warn_of_repeats(unequal)

    def _parse(self, keep_empty: bool) -> Any:
        """Open the file with pyarrow, to read the columns in batches."""
        import pyarrow
        from pyarrow.csv import ConvertOptions, ParseOptions, ReadOptions, open_csv

        self._stream.seek(0)
        text = pyarrow.dictionary(pyarrow.int32(), pyarrow.string())
        amounts = [x for argument, x in self._names.items() if argument in ("weights", "counts")]
        columns = {x: x for x in self._names.values()} | self._pairs
        types = {x: pyarrow.float64() if y in amounts else text for x, y in columns.items()}
        skipped = {"skip_rows": self.n_above, "skip_rows_after_names": 1}
        nulls = {"null_values": [""], "strings_can_be_null": not keep_empty}
        quotes = {"quote_char": self._has_quoting and '"', "newlines_in_values": self._has_quoting}
        return open_csv(
            open_native(self._stream),
            ReadOptions(block_size=BLOCK, column_names=self.header, **skipped),
            ParseOptions(delimiter=self.delimiter, **quotes),
            ConvertOptions(include_columns=[*types], column_types=types, **nulls),
        )

    def _count_names(self, batch: Any) -> Numbers:
        """Count the rows in which 0, 1, 2 and more cells of text equal the name of their column."""
        codes = dict[str, int]()
        for name, original_name in zip(self.header, self._original_names, strict=True):
            if name in batch.schema.names and hasattr(batch[name], "dictionary"):
                labels = batch[name].dictionary.to_pylist()  # pyarrow.compute would import pandas
                codes[name] = labels.index(original_name) if original_name in labels else -1
        are_names = (np.asarray(batch[x].indices) == code for x, code in codes.items() if code >= 0)
        n_names = sum(are_names, np.zeros(len(batch), dtype=np.int8))
        return np.bincount(n_names, minlength=len(codes) + 1)

    def _find_hidden_labels(self) -> dict[str, int]:
        """Find labels in cells that may hold several rows, and the line where their row begins.

        A stray quote merges all text up to the next quote into one cell, and pyarrow accepts it.
        Each line of that row then has as many cells as the header. Genuine text may also have
        that form. Text counts as genuine if the name of the label column is quoted in the header,
        or if at least one row of several lines has that form in at most half of its lines. If a
        quoted cell of one line holds a delimiter, the labels are returned. Text then counts as rows
        only if one of these labels is also the label of another row.

        Raises
        ------
        ValueError
            If a quoted field does not end, or continues after its closing quote. If text looks
            like rows and is not genuine, and no quoted cell of one line holds a delimiter.
        """
        with _as_text(self._stream) as text:
            blocks = iter(lambda: text.read(BLOCK) + text.readline(), "")
            if all(_has_only_complete_cells(block, self.delimiter) for block in blocks):
                return {}
        first_lines = dict[str, int]()
        column = self.header.index(self._label_column)
        is_genuine = f'"{self._label_column}"' in self._header_line
        for number, row in self._rows_of_several_lines():
            if not is_genuine:
                lines = self._lines_in(row)
                n_alike = sum(len(cells) == len(self.header) for cells in lines)
                is_genuine = 2 * n_alike <= len(lines) > 1
                if n_alike == len(lines) > 1:
                    is_label_last = row[column : column + 1] == [lines[-1][column]]
                    rows = lines[:-1] if is_label_last else lines[1:]
                    first_lines = dict.fromkeys((x[column] for x in rows), number) | first_lines
        if is_genuine:
            return {}
        with _as_text(self._stream) as text:
            cells = chain.from_iterable(csv.reader(text, delimiter=self.delimiter))
            end, mark = self._line_end, self.delimiter
            if first_lines and not any(mark in cell and end not in cell for cell in cells):
                raise _quoting_error(min(first_lines.values()))
        return first_lines

    def _rows_of_several_lines(self) -> Iterator[tuple[int, list[str]]]:
        """Yield the first line number and the cells of each row of several lines."""
        n_lines = 0
        with _as_text(self._stream) as text:
            reader = csv.reader(text, delimiter=self.delimiter, strict=True)
            try:
                for row in reader:
                    if reader.line_num > n_lines + 1:
                        yield n_lines + 1, row
                    n_lines = reader.line_num
            except csv.Error as error:
                raise _quoting_error(n_lines + 1, str(error)) from error

    def _lines_in(self, row: Sequence[str]) -> list[list[str]]:
        """Split a row into lines, and the lines into cells; leave out empty lines, except the last.

        Delimiters in a cell of one line do not split it.
        """
        end, mark = self._line_end, self.delimiter
        *lines, last = mark.join(x if end in x else x.replace(mark, " ") for x in row).split(end)
        return [line.split(mark) for line in (*filter(None, lines), last)]


def _has_only_complete_cells(block: str, delimiter: str) -> bool:
    """Check whether all quotes enclose cells of one line; `csv` would take twice as long."""
    if '"' not in block:
        return True
    codes = np.frombuffer(f"\n{block}\n".encode(), dtype=np.uint8)
    is_end = (codes == ord("\n")) | (codes == ord("\r"))
    quotes = np.flatnonzero(codes == ord('"'))
    neighbours = codes[np.concatenate([quotes[::2] - 1, quotes[1::2] + 1])]
    are_delimiters = np.isin(neighbours, [*f'"\r\n{delimiter}'.encode()])
    is_in_cell = np.searchsorted(quotes, np.flatnonzero(is_end)) % 2
    return len(quotes) % 2 == 0 and bool(are_delimiters.all()) and not is_in_cell.any()


def _quoting_error(line: int, why: str = "") -> DataError:
    """Make the error for a quoted field in the row that begins in this line.

    `why` says why the field is malformed. It is empty if the field may hold several rows.
    """
    fault = f"that is not well formed ({why})" if why else "whose lines look like rows"
    remedy = "Write a quote within the text twice." if why else _REMEDIES
    rule = f"the row that begins in line {line} has a quoted field {fault}"
    return DataError(f"{rule}. {remedy} With no_quotes=True all quotes are text.")


def explain_row_error(error: str) -> str:
    """Explain an error of pyarrow or csv about a row; the text is empty for other errors."""
    if match := re.search(r"Expected (\d+) columns, got (\d+): (.*)", error, re.DOTALL):
        rule = f"each row must have {match[1]} cells, like the header"
        remedies = "Quote cells that hold the delimiter, and remove lines that are not rows."
        return f"{rule}, got {match[2]} in {show(match[3])}. {remedies}"
    if match := re.search(r"to double: invalid value '(.*)'", error, re.DOTALL):
        hint = decimal_comma_hint(match[1])
        return f"`weights` and `counts` must be numbers such as 1234, got {show(match[1])}{hint}"
    if "field limit" in error or "straddling" in error:
        rule = f"each row and the header must have at most {BLOCK:,d} bytes, got more"
        return f"{rule}: leave out columns that are not needed, or save the file as Parquet"
    return ""


@contextmanager
def _as_text(stream: BinaryIO) -> Iterator[io.TextIOWrapper]:
    """Open a CSV file as text from its start, and allow fields as long as pyarrow does."""
    stream.seek(0)
    text = io.TextIOWrapper(stream, encoding="utf-8-sig", errors="replace", newline="")
    csv.field_size_limit(max(csv.field_size_limit(), BLOCK))  # applies to the entire process
    try:
        yield text
    finally:
        text.detach()
        stream.seek(0)
