r"""Read and show confusion matrices, and convert tables in text files to CSV.

The text of a matrix may come from spreadsheets, R, pandas, numpy, Matlab, Markdown or LaTeX.
"""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from itertools import chain, islice
from typing import Any, BinaryIO

import numpy as np

from ..core.labels import Column, Label, Numbers, check_distinct, check_same_kind, read_column, show
from ..core.table import Table
from ..errors import DataError, prefix_errors
from ..text.layout import Result, Rows
from ..text.render import amount, cut_uniquely, samples, shown
from ..warnings import collected
from .label_options import read_labels
from .label_warnings import role_in, warn_of_swapped

_MOST_IN_MATRIX = 20  # limit on the number of classes shown
_SLACK = 1e-9  # tolerance for the rounding of totals, relative to the largest count
_THOUSANDS = r"[1-9]\d{0,2}(?P<mark>[,.' \u2019\u00a0\u2009\u202f])\d{3}((?P=mark)\d{3})*"
_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?"
_DASHES = "", "-", "\u2013", "\u2014", "\u2212"  # cells that mean 0
_SHARE = r"(?<=\d)\s*\(\s*\d+([.,]\d+)?\s*\\?%\s*\)"  # a percentage after a count
_POSITIONS = r"\[(\d+,|,\d+)\]"  # R prints positions if rows or columns have no names
# An array as Python, numpy or Matlab prints it, perhaps with a name and a call of its type
_ARRAY = r"([\w ]+[:=])?\s*([\w.]+\(\s*)?\[(?P<rows>(?!\s*\[\s*\[).*)\]"
_ARRAY += r"(\s*,\s*\w+\s*=[^\[\]]*|(\s*\))?[;\s]*)"
_LONG_NAME = 1_000  # number of characters of a name that are searched for a role
# LaTeX cells contain commands that print nothing, and commands that print their last argument.
# Limits on the length of arguments keep matching fast, even for hostile text.
_BRACES = r"\{([^{}]|\{[^{}]{0,99}\}){0,99}\}"
_EMPTY = r"begin|end|[chv]?line|\w*rule|[hv]?phantom|(cell|row)color"
_EMPTY = rf"\\({_EMPTY})\b(\[[^]]{{0,99}}\]|\([^)]{{0,99}}\)|{_BRACES})*"
_COMMAND = _EMPTY + r"|\\[a-z]+\*?(\{[^{}]*\})*(?=\{)|\\[a-z]+\b|\\(?=[%_&#])|\$"
_TOP = 20  # number of lines that show the layout of a file
# The rule below a header. A rule without "|" at its ends needs two dashes per cell, because "-|-"
# may be a row.
_CELL, _LONG_CELL = r"\s*:?[-=]+:?\s*", r"\s*:?[-=]{2,}:?\s*"
_RULE = re.compile(rf"\s*[|+]({_CELL}[|+])+\s*|{_LONG_CELL}([|+]{_LONG_CELL})+")
_GAP = re.compile("[ \N{NO-BREAK SPACE}]{2,}|\N{NO-BREAK SPACE}")
_QUOTED = '("[^"]*")'


def read_matrix(matrix: Any) -> tuple[tuple[Column, Column] | None, Any]:
    """Read the names of the rows and columns of a matrix, and its cells.

    The names are None if the matrix does not name its classes.
    """
    if not isinstance(matrix, str):
        return read_names(matrix), matrix
    names, cells, _ = parse_matrix(matrix)
    labels = read_column(names, "labels")
    with prefix_errors("`matrix`"):
        return (labels, labels) if names else None, [[*map(parse_count, row)] for row in cells]


def read_names(frame: Any) -> tuple[Column, Column] | None:
    """Read the names of the rows and columns of a data frame; return None for an array.

    Raises
    ------
    ValueError
        If only rows or only columns have names, because their orders may differ. If names are not
        labels, differ in type, or occur twice.
    """
    if not hasattr(frame, "columns"):
        return None
    axes: Any = getattr(frame, "index", ()), frame.columns  # polars does not name rows
    rows, columns = map(list, axes)
    is_unnamed = not hasattr(frame, "index") or any(
        type(axis).__name__ == "RangeIndex" and axis.name is None for axis in axes
    )
    if is_unnamed and rows != columns:
        got = f"got {show(rows)} as its index and {show(columns)} as its columns"
        remedy = "If they have the same order, pass matrix.to_numpy() and labels="
        raise ValueError(f"`matrix` must name its rows like its columns, {got}. {remedy}")
    row_names, column_names, _ = strip_roles(rows, columns, *(axis.name for axis in axes))
    references = read_labels(row_names, "matrix.index")
    predictions = read_labels(column_names, "matrix.columns")
    check_same_kind(references, "matrix.index", predictions, "matrix.columns")
    check_distinct(row_names, "matrix.index")
    check_distinct(column_names, "matrix.columns")
    return references, predictions


def check_same_names(names: tuple[Column, Column], squared_weights: Any) -> None:
    """Raise ValueError if `squared_weights` has other row or column names than `matrix`."""
    square_names = read_names(squared_weights) or names
    if [axis.tolist() for axis in names] != [axis.tolist() for axis in square_names]:
        raise ValueError("`squared_weights` must have the same index and columns as `matrix`")


def check_no_totals(amounts: Numbers) -> None:
    """Raise ValueError if the last row and column are the totals of the other rows and columns."""
    if min(amounts.shape) < 3 or not amounts.any():
        return
    rows = np.abs(amounts[:-1].sum(axis=0) - amounts[-1])
    columns = np.abs(amounts[:, :-1].sum(axis=1) - amounts[:, -1])
    if max(rows.max(), columns.max()) <= _SLACK * amounts.max():
        remedy = "Leave them out. If they are a class, pass labels="
        raise ValueError(f"the last row and column of `matrix` are totals. {remedy}")


# Matrices in text


def parse_matrix(text: str) -> tuple[list[str], list[list[str]], tuple[str, str]]:
    """Parse a matrix in text: the class names, the cells, and the titles of rows and columns.

    Rows are references. Names may begin or end with a role: "Actual x" and "Predicted x" are the
    same class. The columns may name the classes in another order than the rows. A matrix without
    names gives an empty list of names.

    Raises
    ------
    ValueError
        If the text is not a matrix, its rows and columns have different names, or a name is
        repeated.
    """
    plain = re.sub(f"{_SHARE}|{_POSITIONS}", "", text)
    squares = filter(None, map(_as_square, _blocks(plain)))
    square = max(squares, key=lambda x: are_counts(chain(*x[-1])), default=None)
    if square is None:
        rule = "must be square, with class names above and on the left or without names"
        example = r"',ham,spam\nham,90,10\nspam,5,95' or '[[90, 10], [5, 95]]'"
        raise ValueError(f"`matrix` {rule}, like {example}, got {show(text)}")
    row_names, column_names, titles = strip_roles(*square[:-1])
    if sorted(column_names) != sorted(row_names):
        got = f"got {show(column_names)} and {show(row_names)}"
        raise ValueError(f"`matrix` must have the same names above and on the left, {got}")
    check_distinct(row_names, "labels")
    order = [column_names.index(name) for name in row_names]
    cells = [[row[column] for column in order] for row in square[-1]] if row_names else square[-1]
    return row_names, cells, titles


def parse_count(cell: str) -> float:
    """Parse the number in a cell, which may have thousands separators or a decimal comma.

    A percentage in brackets after the number is ignored. Empty cells and dashes are 0.

    Raises
    ------
    ValueError
        If the cell does not contain a number, or its separator may be a decimal mark.
    """
    text = re.sub(_SHARE, "", cell).strip()
    if text in _DASHES:
        return 0
    if grouped := re.fullmatch(_THOUSANDS, text):
        if len(re.findall("[.,]", text)) == 1:
            digits = re.sub("[.,]", "", text)
            raise ValueError(f"{text} may be {digits} or a decimal: write {digits} or {text}0")
        text = text.replace(grouped["mark"], "")
    if text.isdecimal():
        return int(text)
    if not re.fullmatch(_NUMBER, text, re.IGNORECASE):
        raise ValueError(f"{show(text)} is not a count")
    return float(text.replace(",", "."))


def are_counts(cells: Iterable[str]) -> bool:
    """Check whether each cell contains a non-negative number or a dash, or is empty."""
    with suppress(ValueError):
        return all(parse_count(cell) >= 0 for cell in cells)
    return False


def is_matrix(text: str) -> bool:
    """Check whether a text is certainly a matrix: counts with class names, or in brackets."""
    with collected(), suppress(ValueError):
        names, cells, _ = parse_matrix(text)
        is_array = text.count("[") > len(cells) or ("[" in text and ";" in text)
        return (bool(names) or is_array) and are_counts(chain(*cells))
    return False


def strip_roles(
    row_names: list[Any], column_names: list[Any], row_title: Any = "", column_title: Any = ""
) -> tuple[list[Any], list[Any], tuple[Any, Any]]:
    """Remove words such as "actual" from the names of rows and columns, and use them as titles.

    The names stay unchanged if rows and columns would still have different names without the words.
    Warn if the titles suggest that references and predictions are swapped.
    """
    are_texts = all(isinstance(name, str) for name in (*row_names, *column_names))
    if are_texts and {*column_names} != {*row_names}:
        row_role, plain_rows = _strip_role(row_names)
        column_role, plain_columns = _strip_role(column_names)
        if {*plain_columns} == {*plain_rows}:
            row_names, column_names = plain_rows, plain_columns
            row_title, column_title = row_role or row_title, column_role or column_title
    warn_of_swapped(row_title, column_title)
    return row_names, column_names, (row_title, column_title)


def _strip_role(names: list[str]) -> tuple[str, list[str]]:
    """Remove the shortest common prefix, or else suffix, that contains a role.

    Return it, or "" if there is none, and the other parts of the names.
    """
    for step in (1, -1):
        texts = [name[::step] for name in names]
        for mark in re.finditer(r"[\W_]", texts[0][:_LONG_NAME]):
            start = texts[0][: mark.end()]
            if role_in(start[::step]) and all(text.startswith(start) for text in texts):
                others = [text.removeprefix(start)[::step].strip() for text in texts]
                return start[::step].strip(), others
    return "", names


def _as_square(block: list[list[str]]) -> tuple[Any, ...] | None:
    """Split a block into row names, column names, titles of rows and columns, and cells.

    A block does not have names if it has two rows, or if its first cell is a count. Return None if
    the block is not square.
    """
    rows = [row for row in block if any(row)]
    if len({*map(len, rows)}) == 1:  # a spreadsheet may have empty columns
        rows = _transpose(filter(any, _transpose(rows)))
    rows, row_title, column_title = _strip_titles(rows)
    if {*map(len, rows)} != {len(rows)} or len(rows) < 2:
        return None
    corner = rows[0][0]
    if len(rows) == 2 or (corner and are_counts([corner])):
        return [], [], row_title, column_title, rows
    row_names, *columns = _transpose(rows[1:])
    titles = [*map(str.strip, re.split(r"[\\/|]", corner)), ""]
    row_title, column_title = row_title or titles[0], column_title or titles[1]
    return row_names, rows[0][1:], row_title, column_title, _transpose(columns)


def _transpose(rows: Iterable[list[str]]) -> list[list[str]]:
    return [*map(list, zip(*rows, strict=True))]


def _strip_titles(rows: list[list[str]]) -> tuple[list[list[str]], str, str]:
    """Remove and return the titles of rows and columns.

    The title of the columns is that of a line above them, as `_title` finds it. The title of the
    rows is that of a column before them. pandas prints the title of the rows in a line below the
    header. If the header has one cell fewer than the rows, it gets an empty first cell.
    """
    row_title = column_title = ""
    while len(rows) > 2 and (title := _title(rows[0])):
        column_title, rows = title, rows[1:]
    if len(rows) > 2 and rows[1][0] and (title := _title(rows[1])):
        row_title, column_title = title, rows[0][0]
        rows = [rows[0], *rows[2:]]
    if len(rows) > 2 and len(rows[0]) + 1 == len(rows[1]):
        rows = [["", *rows[0]], *rows[1:]]
    if {*map(len, rows)} == {len(rows) + 1}:
        first, *others = _transpose(rows)
        if title := _title(first):
            row_title, rows = title, _transpose(others)
    return rows, row_title, column_title


def _title(cells: list[str]) -> str:
    """Find the title in a line of cells: their only text, or the role that all repeat; else ""."""
    first, *others = [cell for cell in cells if cell] or [""]
    is_title = not others or ({*others} == {first} and role_in(first))
    return first if is_title and not are_counts([first]) else ""


# Lines and cells of text


def _blocks(text: str) -> Iterator[list[list[str]]]:
    """Yield the cells of a text, once for each separator that the text may use."""
    if array := re.fullmatch(_ARRAY, text.strip(), re.DOTALL):
        end = r"\]" if "[" in array["rows"] else "[;\n]"  # numpy prints a long row in several lines
        yield [re.sub(r"[\[,]", " ", row).split() for row in re.split(end, array["rows"])]
        return
    if "&" in text and "\\\\" in text:
        yield _split_latex(text)
        return
    lines = text.splitlines()
    if "|" in text:
        yield [split_pipes(line) for line in lines if not _RULE.fullmatch(line)]
    are_thousands = all(re.fullmatch(rf"{_THOUSANDS}|", line.strip()) for line in lines)
    for mark in filter(text.__contains__, "\t;" if are_thousands else "\t;,"):
        with suppress(csv.Error):  # a cell exceeds the size limit of csv
            rows = csv.reader(lines, delimiter=mark, skipinitialspace=True)
            yield [[*map(str.strip, row)] for row in rows]
    yield [*map(split_gaps, lines)]
    yield [*map(split_words, lines)]


def _split_latex(text: str) -> list[list[str]]:
    """Split a LaTeX table into rows and cells; drop a caption above it."""
    text = re.sub(r"^[^&]*(?=\\begin)", "", text)
    rows = re.split(r"\\\\(?:\[[^]]{0,99}\])?", text)
    return [[*map(_strip_commands, re.split(r"(?<!\\)&", row))] for row in rows if "&" in row]


def _strip_commands(cell: str) -> str:
    """Remove LaTeX commands from a cell; braces become blanks, so that 5^{2} is not 52."""
    return " ".join(re.sub("[{}~]", " ", re.sub(_COMMAND, "", cell)).split())


def split_pipes(line: str) -> list[str]:
    """Split a row of a table in Markdown, or of a table that a database has printed."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [x.strip().replace(r"\|", "|") for x in re.split(r"(?<!\\)\|", inner)]


def split_gaps(line: str) -> list[str]:
    """Split a line at gaps: two or more blanks, or a no-break space."""
    return _GAP.split(line.strip())


def split_words(line: str) -> list[str]:
    """Split a line at blanks, except in quotation marks, as R writes text with blanks."""
    cells = re.findall(r'("[^"]*")(?!\S)|(\S+)', line)
    return [quoted[1:-1] if quoted else plain for quoted, plain in cells]


# Tables in files


def rewrite_as_csv(stream: BinaryIO, has_quotes: bool) -> Iterator[bytes] | None:
    """Rewrite a table as CSV if it is in Markdown, or if blanks, ", " or "; " separate cells.

    Return None for other text. Without `has_quotes`, quotation marks are ordinary characters, both
    in the text and in the CSV.

    Raises
    ------
    DataError
        If the text is a printed data frame, from which pandas may have left out columns or text,
        or if it contains a second Markdown table.
    """
    top = [*islice(_filled_lines(stream), _TOP)]
    stream.seek(0)
    lines = _filled_lines(stream)
    if any(map(_RULE.fullmatch, top[:2])):
        return _as_csv(map(split_pipes, _drop_rules(lines)), has_quotes)
    if len(top) < 2 or "\t" in top[0]:
        return None
    quoted = _QUOTED if has_quotes else "((?!))"  # the latter matches nothing
    if mark := _padded_separator(top, quoted):
        pattern = rf"{quoted}| {{0,9}}{mark} *"
        plain = (re.sub(pattern, lambda x: x[1] or mark, line.strip()) + "\n" for line in lines)
        return (line.encode("utf-8", "surrogateescape") for line in plain)
    if re.search("[,;|]", top[0]):
        return None
    rows = _rows_between_blanks(top, lines, has_quotes)
    return None if rows is None else _as_csv(rows, has_quotes)


def _filled_lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines that are not empty.

    With `surrogateescape`, the same bytes can be written again even if they are not UTF-8.
    """
    for line in stream:
        text = line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        if text.strip():
            yield text


def _drop_rules(lines: Iterable[str]) -> Iterator[str]:
    """Drop the rules of a table: those in its first two lines, and those with a "+".

    Raise DataError if another rule shows that a second table begins.
    """
    for number, line in enumerate(lines):
        if not _RULE.fullmatch(line):
            yield line
        elif number > 1 and "+" not in line:
            if "---" in line:
                raise DataError("a second |---| begins another table. Keep only one table")
            yield line


def _padded_separator(top: Sequence[str], quoted: str) -> str:
    """Find a separator that each line has equally often, before a blank or at its end; else "".

    Separators in text that matches the pattern `quoted` do not count.
    """
    unquoted = [re.sub(quoted, '""', line.rstrip()) for line in top]
    for mark in ";,":
        counts = {len(re.findall(rf"{mark}(?: |$)", line)) for line in unquoted}
        if counts == {unquoted[0].count(mark)} == {line.count(mark) for line in unquoted} != {0}:
            return mark
    return ""


def _rows_between_blanks(
    top: Sequence[str], lines: Iterable[str], has_quotes: bool
) -> Iterable[list[str]] | None:
    """Split lines at gaps, or else at blanks; return None if their numbers of cells differ.

    Only the lines in `top` are compared. The header, the first line, may have one cell fewer, but
    must have at least two cells.
    """
    for split in (split_gaps, split_words if has_quotes else str.split):
        n_head, *n_below = (len(split(line)) for line in top)
        if n_head > 1 and {*n_below} in ({n_head}, {n_head + 1}):
            header = split(top[0])
            if n_below[0] > n_head:  # R does not write a name for the index in the header
                if top[0][0].isspace():
                    raise DataError("this is a printed data frame: save it as CSV, with `to_csv`")
                header = ["", *header]
            return chain([header], map(split, islice(lines, 1, None)))
    return None


def _as_csv(rows: Iterable[list[str]], has_quotes: bool) -> Iterator[bytes]:
    """Encode rows as lines of CSV with tabs between cells."""
    yield b"sep=\t\n"
    for cells in rows:
        quoted = ('"' + x.replace('"', '""') + '"' if re.search('["\t]', x) else x for x in cells)
        line = "\t".join(quoted if has_quotes else cells)
        yield f"{line}\n".encode("utf-8", "surrogateescape")


# A contingency table as a matrix


class Matrix(Result):
    """Matrix of the classes with the most references.

    If `has_totals` is True, it also has the totals of the cells shown.
    """

    def __init__(self, table: Table, has_totals: bool = False) -> None:
        self.table, self.has_totals = table, has_totals

    def text_tables(self) -> list[Rows]:
        """Arrange the cells, with predictions in the header and references on the left."""
        _, labels, cells = most_frequent_classes(self.table, _MOST_IN_MATRIX)
        corner = "reference \\ prediction" if self.has_totals else ""
        columns = cut_uniquely(list(map(shown, labels)), 20)
        rows = columns[: len(cells)]
        if self.has_totals:
            cells = np.vstack([cells, cells.sum(axis=0)])
            cells = np.column_stack([cells, cells.sum(axis=1)])
            rows, columns = [*rows, "total"], [*columns, "total"]
        body = [[name, *map(amount, row)] for name, row in zip(rows, cells.tolist(), strict=True)]
        return [[[corner, *columns], *body]]

    def text_lines(self) -> list[str]:
        """Explain the rows and columns, and say how many classes are shown, unless all are."""
        text = f"{samples(self.table.n_samples)}: rows are references, columns are predictions"
        n_classes = np.count_nonzero(self.table.is_class)
        most = f"{_MOST_IN_MATRIX} of {n_classes} classes, the ones with the most references"
        return [text, most] if n_classes > _MOST_IN_MATRIX else [text]


def most_frequent_classes(table: Table, n: int) -> tuple[list[int], list[Label | None], Numbers]:
    """Find the n classes with the most references, in the order of the table, and their cells.

    Return the positions of the classes, the labels of the columns, and an array of cells. If there
    are out-of-class predictions, the last column counts them. Its label is None, or the label of
    these predictions if all have the same label.
    """
    classes = np.flatnonzero(table.is_class)
    order = np.argsort(-table.reference_totals[classes], kind="stable")
    rows = np.sort(classes[order[:n]])
    shown_cells = np.isin(table.rows, rows) & np.isin(table.columns, rows)
    i, j = table.rows[shown_cells], table.columns[shown_cells]
    cells = np.zeros((len(rows), len(rows)), dtype=table.counts.dtype)
    cells[np.searchsorted(rows, i), np.searchsorted(rows, j)] = table.counts[shown_cells]
    labels = [table.labels[code] for code in rows]
    if table.out_of_class_totals.any():
        others = np.flatnonzero(~table.is_class & (table.prediction_totals > 0))
        labels.append(table.labels[others[0]] if len(others) == 1 else None)
        cells = np.column_stack([cells, table.out_of_class_totals[rows]])
    return rows.tolist(), labels, cells
