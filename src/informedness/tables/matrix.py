r"""Confusion matrices and other tables in text, as programs print them and people paste them.

Matrices are read as spreadsheets, R, pandas, numpy, Matlab, Markdown and LaTeX write them.
"""

import csv
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from itertools import islice
from typing import Any, BinaryIO, TypeAlias

import numpy as np

from ..core.labels import Column, Label, Numbers, check_distinct, check_same_kind, read_column, show
from ..core.table import Table
from ..errors import DataError, prefix_errors
from ..text.layout import Result, Rows
from ..text.render import amount, cut_apart, samples, shown
from ..warnings import collected
from .containers import read_labels
from .label_warnings import role_in, warn_of_swapped

_MOST_IN_MATRIX = 20  # classes
_SLACK = 1e-9  # of sums of floating point numbers, relative to the largest
_THOUSANDS = r"[1-9]\d{0,2}(?P<mark>[,.' \u2019\u00a0\u2009\u202f])\d{3}((?P=mark)\d{3})*"
_NUMBER = r"[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?"
_DASHES = "", "-", "\u2013", "\u2014", "\u2212"  # which mean 0
_SHARE = r"(?<=\d)\s*\(\s*\d+([.,]\d+)?\s*\\?%\s*\)"  # after a count
_POSITIONS = r"\[(\d+,|,\d+)\]"  # which R prints where there are no names
_ARRAY = r"([\w ]+[:=])?\s*([\w.]+\(\s*)?\[(?P<rows>(?!\s*\[\s*\[).*)\]"
_ARRAY += r"(\s*,\s*\w+\s*=[^\[\]]*|(\s*\))?[;\s]*)"
_LONG_NAME = 1_000  # characters; a longer name says nothing about a side
# Cells of LaTeX have commands without text, and commands around their last argument. Arguments are
# limited, so that hostile text takes no longer than other text.
_BRACES = r"\{([^{}]|\{[^{}]{0,99}\}){0,99}\}"
_EMPTY = r"begin|end|[chv]?line|\w*rule|[hv]?phantom|(cell|row)color"
_EMPTY = rf"\\({_EMPTY})\b(\[[^]]{{0,99}}\]|\([^)]{{0,99}}\)|{_BRACES})*"
_AROUND = r"\\[a-z]+\*?(\{[^{}]*\})*(?=\{)|\\[a-z]+\b|\\(?=[%_&#])|\$"
_TOP = 20  # lines by which a layout is recognised
# The rule below a header; without a mark at its ends "-|-" is a row
_CELL, _LONG_CELL = r"\s*:?[-=]+:?\s*", r"\s*:?[-=]{2,}:?\s*"
_RULE = re.compile(rf"\s*[|+]({_CELL}[|+])+\s*|{_LONG_CELL}([|+]{_LONG_CELL})+")
_GAP = re.compile("[ \N{NO-BREAK SPACE}]{2,}|\N{NO-BREAK SPACE}")
_QUOTED = '("[^"]*")'


Rewriting: TypeAlias = Callable[[Iterable[str]], Iterator[str]]  # of lines as CSV
Sides: TypeAlias = tuple[str, str]  # what rows and columns are called, such as actual, predicted


def read_matrix(matrix: Any) -> tuple[tuple[Column, Column] | None, Any]:
    """Read the names of the rows and columns of a matrix, if it has some, and its amounts."""
    if not isinstance(matrix, str):
        return read_names(matrix), matrix
    names, cells, _ = parse_matrix(matrix)
    labels = read_column(names, "labels")
    with prefix_errors("`matrix`"):
        return (labels, labels) if names else None, [[*map(parse_count, row)] for row in cells]


def read_names(frame: Any) -> tuple[Column, Column] | None:
    """Read the names of the rows and columns of a data frame; None for an array.

    Raises
    ------
    ValueError
        If only the columns have names, so that the classes of the rows would rest on their order
        alone; or if names are not labels, differ in type, or occur twice.
    """
    if not hasattr(frame, "columns"):
        return None
    if not hasattr(frame, "index"):
        raise ValueError(
            "`matrix` must be an array, or a data frame with row names (pandas), got a "
            f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}: pass its counts "
            "as an array and the classes as labels="
        )
    sides = frame.index, frame.columns
    unnamed = [type(side).__name__ == "RangeIndex" and side.name is None for side in sides]
    if any(unnamed) and list(sides[0]) != list(sides[1]):
        raise ValueError(
            f"`matrix` must name its rows as it names its columns, got {show([*sides[0]])} as its "
            f"index and {show([*sides[1]])} as its columns: set both to the classes, or, if rows "
            "and columns are in the same order, pass matrix.to_numpy() and labels="
        )
    rows = read_labels(list(frame.index), "matrix.index")
    columns = read_labels(list(frame.columns), "matrix.columns")
    check_same_kind(rows, "matrix.index", columns, "matrix.columns")
    check_distinct(rows.tolist(), "matrix.index")
    check_distinct(columns.tolist(), "matrix.columns")
    texts = (columns.tolist(), rows.tolist()) if rows.kind == "strings" else ((), ())
    column_names, row_names, _ = strip_sides(*texts, *(side.name for side in sides))
    return (
        (read_column(row_names, "x"), read_column(column_names, "x"))
        if column_names
        else (rows, columns)
    )


def check_same_names(names: tuple[Column, Column], squared_weights: Any) -> None:
    """Raise ValueError if the squares of weights have other names than the weights."""
    square_names = read_names(squared_weights) or names
    if [side.tolist() for side in names] != [side.tolist() for side in square_names]:
        raise ValueError("`squared_weights` must have the same index and columns as `matrix`")


def check_no_totals(amounts: Numbers) -> None:
    """Raise ValueError if the last row and the last column are the sums of the others."""
    if min(amounts.shape) < 3 or not amounts.any():
        return
    rows = np.abs(amounts[:-1].sum(axis=0) - amounts[-1])
    columns = np.abs(amounts[:, :-1].sum(axis=1) - amounts[:, -1])
    if max(rows.max(), columns.max()) <= _SLACK * amounts.max():
        raise ValueError(
            "`matrix` must hold only the counts of classes, got the sums of the others as its last "
            "row and column: leave them out, or give labels= if they are a class"
        )


# In text


def parse_matrix(text: str) -> tuple[list[str], list[list[str]], Sides]:
    """Find the names of the classes in a text, if it has some, its cells and its sides.

    Rows are references. "Actual x" and "Predicted x" are one class. Columns may have an order of
    their own.

    Raises
    ------
    ValueError
        If the text can be read as no matrix, or rows and columns have different names.
    """
    plain = re.sub(f"{_SHARE}|{_POSITIONS}", "", text)
    readings = filter(None, map(_split_sides, _blocks(plain)))
    reading = max(readings, key=lambda x: are_counts(x[-1]), default=None)
    if reading is None:
        raise ValueError(
            "`matrix` must have a row and a column for each class and no others, with "
            r"the names of the classes on both sides or without: ',ham,spam\nham,90,10\nspam,5,95' "
            f"or '[[90, 10], [5, 95]]', got {show(text)}"
        )
    sides, column_names, row_names, cells = reading
    column_names, row_names, sides = strip_sides(column_names, row_names, *sides)
    if sorted(column_names) != sorted(row_names):
        raise ValueError(
            "`matrix` must have the same names above and on the left, got the rows "
            f"{', '.join(map(show, row_names))} and the columns "
            f"{', '.join(map(show, column_names))}"
        )
    check_distinct(row_names, "labels")
    order = [column_names.index(name) for name in row_names]
    ordered = [[row[place] for place in order] for row in cells] if row_names else cells
    return row_names, ordered, sides


def parse_count(cell: str) -> float:
    """Read the number in a cell: 0 if it is empty or a dash; thousands may be separated."""
    text = re.sub(_SHARE, "", cell).strip()
    grouped = re.fullmatch(_THOUSANDS, text)
    if grouped and len(re.findall("[.,]", text)) == 1:
        written = f"write {re.sub('[.,]', '', text)} or {text}0"
        raise ValueError(f"{text} could be a number of thousands or have three decimals: {written}")
    if grouped:
        text = text.replace(grouped["mark"], "")
    if text in _DASHES or text.isdecimal():
        return 0 if text in _DASHES else int(text)
    if not re.fullmatch(_NUMBER, text, re.IGNORECASE):
        raise ValueError(f"{show(text)} is not a count")
    return float(text.replace(",", "."))


def is_count(cell: str) -> bool:
    """Whether a cell holds a number, or nothing."""
    with suppress(ValueError):
        return parse_count(cell) >= 0
    return False


def are_counts(cells: list[list[str]]) -> bool:
    """Whether all cells hold numbers, or nothing."""
    return all(is_count(cell) for row in cells for cell in row)


def is_matrix(text: str) -> bool:
    """Whether a text can only be a matrix: of counts, between names or in brackets."""
    with collected(), suppress(ValueError):
        names, cells, _ = parse_matrix(text)
        is_array = text.count("[") > len(cells) or ("[" in text and ";" in text)
        return (bool(names) or is_array) and are_counts(cells)
    return False


def strip_sides(
    column_names: Sequence[str],
    row_names: Sequence[str],
    row_title: str = "",
    column_title: str = "",
) -> tuple[list[str], list[str], Sides]:
    """Drop what names the side in each column name and row name; return names and sides.

    Warn if that, or the titles of rows and columns, say that the sides are swapped.
    """
    if {*column_names} != {*row_names}:
        column_side, plain_columns = _strip_side(column_names)
        row_side, plain_rows = _strip_side(row_names)
        if {*plain_columns} == {*plain_rows}:
            column_title, column_names = column_side or column_title, plain_columns
            row_title, row_names = row_side or row_title, plain_rows
    warn_of_swapped(row_title, column_title)
    return [*column_names], [*row_names], (row_title, column_title)


def _strip_side(names: Sequence[str]) -> tuple[str, Sequence[str]]:
    """Drop what all names begin or end with if it names a side of a matrix."""
    for mark in re.finditer(r"[\W_]", names[0] if len(names[0]) < _LONG_NAME else ""):
        head, tail = names[0][: mark.end()], names[0][mark.start() :]
        if role_in(head) and all(name.startswith(head) for name in names):
            return head.strip(), [name.removeprefix(head).strip() for name in names]
        if role_in(tail) and all(name.endswith(tail) for name in names):
            return tail.strip(), [name.removesuffix(tail).strip() for name in names]
    return "", names


def _blocks(text: str) -> Iterator[list[list[str]]]:
    """Yield the cells of a text, for each of the separators that it may have."""
    if array := re.fullmatch(_ARRAY, text.strip(), re.DOTALL):
        rows = re.split(r"\]" if "[" in array["rows"] else "[;\n]", array["rows"])
        yield [row.split() for row in (re.sub(r"[\[,]", " ", x) for x in rows) if row.strip()]
        return
    if "&" in text and "\\\\" in text:
        yield _split_latex(text)
        return
    lines = [line for line in text.splitlines() if line.strip()]
    if "|" in text:
        yield [split_pipes(line) for line in lines if not _RULE.fullmatch(line)]
    are_thousands = all(re.fullmatch(_THOUSANDS, line.strip()) for line in lines)
    for mark in filter(text.__contains__, "\t;" if are_thousands else "\t;,"):
        with suppress(csv.Error):  # a cell is too long for one
            yield [*csv.reader(lines, delimiter=mark, skipinitialspace=True)]
    yield [*map(split_gaps, lines)]
    yield [*map(split_words, lines)]


def _split_latex(text: str) -> list[list[str]]:
    """Split the rows of a table in LaTeX into cells, without a caption above."""
    text = re.sub(r"^[^&]*(?=\\begin)", "", text).replace("~", " ")
    rows = [re.split(r"(?<!\\)&", row) for row in re.split(r"\\\\(?:\[[^]]{0,99}\])?", text)]
    return [[*map(_strip_commands, row)] for row in rows if row[1:]]


def _strip_commands(cell: str) -> str:
    """Drop the commands of a cell; braces separate their content, such as an exponent."""
    text = re.sub(_AROUND, "", re.sub(_EMPTY, "", cell))
    return " ".join(re.sub("[{}]", " ", text).split())


def _split_sides(
    block: list[list[str]],
) -> tuple[tuple[str, str], list[str], list[str], list[list[str]]] | None:
    """Split a block into the titles of its sides, names of columns and rows, and cells.

    There are no names where the corner is a count. None if the block is not square.
    """
    filled = [x for x in ([cell.strip() for cell in row] for row in block) if any(x)]
    if len({*map(len, filled)}) == 1:  # a spreadsheet may have empty columns around
        filled = [[*x] for x in zip(*filter(any, zip(*filled, strict=True)), strict=True)]
    rows, row_title, column_title = _strip_titles(filled)
    if {*map(len, rows)} != {len(rows)} or len(rows) < 2:
        return None
    corner = rows[0][0]
    if len(rows) == 2 or (corner and is_count(corner)):
        return (row_title, column_title), [], [], rows
    parts = re.split(r"[\\/|]", f"{corner}/")
    titles = row_title or parts[0].strip(), column_title or parts[1].strip()
    return titles, rows[0][1:], [row[0] for row in rows[1:]], [row[1:] for row in rows[1:]]


def _strip_titles(rows: list[list[str]]) -> tuple[list[list[str]], str, str]:
    """Drop the titles of whole sides; return rows, and the titles of rows and columns.

    A title is alone in a line above the columns, or in a column before the rows. pandas prints the
    title of the rows in a line below the header. A header that begins with the first class gets a
    corner.
    """
    row_title = column_title = ""
    n_titles = 0
    while len(rows) > n_titles + 2 and (title := _title(rows[n_titles])):
        column_title, n_titles = title, n_titles + 1
    rows = rows[n_titles:]
    if len(rows) > 2 and _title(rows[1][:1]) and _title(rows[1]):
        row_title, column_title = rows[1][0], rows[0][0]
        rows = [rows[0], *rows[2:]]
    if len(rows) > 2 and len(rows[0]) + 1 == len(rows[1]):
        rows = [["", *rows[0]], *rows[1:]]
    if {*map(len, rows)} == {len(rows) + 1} and (title := _title([row[0] for row in rows])):
        row_title, rows = title, [row[1:] for row in rows]
    return rows, row_title, column_title


def _title(cells: Sequence[str]) -> str:
    """Return the only text in a line of cells, or the side that fills all of them; or ""."""
    first, *others = [cell for cell in cells if cell] or [""]
    is_title = not others or ({*others} == {first} and role_in(first))
    return first if is_title and not is_count(first) else ""


# Cells of a line, and tables of rows


def split_pipes(line: str) -> list[str]:
    """Split a row of Markdown, or of a table as databases print it."""
    inner = line.strip().removeprefix("|").removesuffix("|")
    return [x.strip().replace(r"\|", "|") for x in re.split(r"(?<!\\)\|", inner)]


def split_gaps(line: str) -> list[str]:
    """Split a line at several blanks, or at a no-break space."""
    return _GAP.split(line.strip())


def split_words(line: str) -> list[str]:
    """Split a line at blanks, as R writes it: text with blanks is in quotes."""
    cells = re.findall(r'("[^"]*")(?!\S)|(\S+)', line)
    return [quoted[1:-1] if quoted else plain for quoted, plain in cells]


def rewrite_as_csv(stream: BinaryIO, quotes: bool) -> Iterator[bytes] | None:
    """Rewrite a table in Markdown, between blanks or with `a, b` as CSV; None if it is CSV.

    Without `quotes` those in the text are part of it, and those in the CSV as well.

    Raises
    ------
    DataError
        If it is a printed data frame, whose columns may be cut or left out.
    """
    rewrite = _layout_of([*islice(_filled_lines(stream), _TOP)], quotes)
    stream.seek(0)
    if rewrite is None:
        return None
    lines = rewrite(_filled_lines(stream))
    return (f"{line}\n".encode("utf-8", "surrogateescape") for line in lines)


def _filled_lines(stream: BinaryIO) -> Iterator[str]:
    """Yield the lines that are not empty; bytes that are not UTF-8 come back when encoded."""
    stream.seek(0)
    for line in stream:
        text = line.decode("utf-8", "surrogateescape").removeprefix("\ufeff")
        if text.strip():
            yield text


def _layout_of(top: Sequence[str], quotes: bool) -> Rewriting | None:
    """Find what rewrites lines as CSV, by the first of them; None if they are CSV."""
    if any(map(_RULE.fullmatch, top[:2])):
        rule_places = {0, 2} if _RULE.fullmatch(top[0]) else {1}
        return partial(_as_csv, split_pipes, rule_places, False, quotes)
    if len(top) < 2 or "\t" in top[0]:
        return None
    if mark := _padded_separator(top):
        return partial(_strip_padding, mark)
    if re.search("[,;|]", top[0]):
        return None
    return _blanks_between(top, quotes)


def _blanks_between(top: Sequence[str], quotes: bool) -> Rewriting | None:
    """Find what rewrites lines with blanks between cells; R writes a header without the index."""
    for split in (split_gaps, split_words if quotes else str.split):
        n_head, *n_below = (len(split(line)) for line in top)
        if n_head > 1 and {*n_below} in ({n_head}, {n_head + 1}):
            is_indexed = n_below[0] > n_head
            if is_indexed and top[0][0].isspace():
                raise DataError("this is a printed data frame: save it as CSV, with `to_csv`")
            return partial(_as_csv, split, (), is_indexed, quotes)
    return None


def _padded_separator(top: Sequence[str]) -> str:
    """Find the separator that a blank always follows, as often in each line; or ""."""
    unquoted = [re.sub(_QUOTED, '""', line.rstrip()) for line in top]
    for mark in ";,":
        counts = {len(re.findall(rf"{mark}(?: |$)", line)) for line in unquoted}
        if counts == {unquoted[0].count(mark)} == {line.count(mark) for line in unquoted} != {0}:
            return mark
    return ""


def _strip_padding(mark: str, lines: Iterable[str]) -> Iterator[str]:
    """Yield lines without the blanks around each separator, as in `ham, spam`."""
    for line in lines:
        yield re.sub(rf"{_QUOTED}| {{0,9}}{mark} *", lambda x: x[1] or mark, line.strip())


def _as_csv(
    split: Callable[[str], list[str]],
    rule_places: Collection[int],
    is_indexed: bool,
    quotes: bool,
    lines: Iterable[str],
) -> Iterator[str]:
    """Yield rows as CSV that tabs separate, without rules; an index has an empty name.

    A rule of a header is in one of these places, and one with "+" may be anywhere.
    """
    yield "sep=\t"
    for place, line in enumerate(lines):
        is_rule = _RULE.fullmatch(line) is not None
        if is_rule and (place in rule_places or "+" in line):
            continue
        if is_rule and "---" in line:
            raise DataError("a second table begins above another |---|: keep one of them")
        cells = ["", *split(line)] if is_indexed and not place else split(line)
        quoted = ('"' + x.replace('"', '""') + '"' if re.search('["\t]', x) else x for x in cells)
        yield "\t".join(quoted if quotes else cells)


# A contingency table


class Matrix(Result):
    """The cells of a table, or those of the classes with the most references if it has many."""

    def __init__(self, table: Table, has_totals: bool = False) -> None:
        self.table, self.has_totals = table, has_totals

    def text_tables(self) -> list[Rows]:
        """Lay out the cells below the predictions and right of the references."""
        _, labels, cells = most_frequent_classes(self.table, _MOST_IN_MATRIX)
        corner = "reference \\ prediction" if self.has_totals else ""
        columns = cut_apart(list(map(shown, labels)), 20)
        rows = columns[: len(cells)]
        if self.has_totals:
            cells = np.vstack([cells, cells.sum(axis=0)])
            cells = np.column_stack([cells, cells.sum(axis=1)])
            rows, columns = [*rows, "total"], [*columns, "total"]
        body = [[name, *map(amount, row)] for name, row in zip(rows, cells.tolist(), strict=True)]
        return [[[corner, *columns], *body]]

    def text_lines(self) -> list[str]:
        """Say what rows and columns are, and how much of the table is shown."""
        lines = [f"{samples(self.table.n_samples)}: rows are references, columns are predictions"]
        n_classes = int(np.count_nonzero(self.table.is_class))
        if n_classes > _MOST_IN_MATRIX:
            most = "the ones with the most references"
            lines.append(f"{_MOST_IN_MATRIX} of {n_classes} classes, {most}")
        return lines


def most_frequent_classes(table: Table, n: int) -> tuple[list[int], list[Label | None], Numbers]:
    """Find the n classes with the most references, in their order, and the cells of these.

    They are rows by position, the labels of the columns, and the cells. The columns end with one of
    all out-of-class predictions, if there are some: None, or their label if they have one.
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
        outside = np.flatnonzero(~table.is_class & (table.prediction_totals > 0))
        labels.append(table.labels[outside[0]] if len(outside) == 1 else None)
        cells = np.column_stack([cells, table.out_of_class_totals[rows]])
    return rows.tolist(), labels, cells
