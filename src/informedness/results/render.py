"""How results are laid out: for a terminal, Markdown, LaTeX, CSV, a notebook and pandas."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.labels import Label, Numbers
from ..core.table import Table
from ..extras import needing
from ..inputs.read import MOST_LABELS, Amounts, Read, ReadColumn
from ..inputs.read import amount as amount

Rows: TypeAlias = list[list[str]]
"""The header of a table, then its rows; the first column is text, the others are numbers."""

WIDTH = 80  # of a table in a terminal
_MOST_OUTSIDE = 3
_MOST_NAMES = 20  # of columns that are not used
_MOST_IN_MATRIX = 20  # classes
_LATEX: dict[str, Any] = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"±": r"$\pm$", "<": r"\textless{}", ">": r"\textgreater{}"}


class Result:
    """What every result can be turned into; subclasses provide tables, lines and records."""

    read: tuple[Read, ...] = ()
    """What was read of files or data frames, the first thing that is shown."""

    def plain_read(self) -> dict[str, Any]:
        """Return what was read as a field of plain values; nothing if nothing was."""
        return {"read": [read.to_dict() for read in self.read]} if self.read else {}

    def read_blocks(self) -> list[str]:
        """Return what was read as text."""
        return ["\n".join(lines_of_read(read)) for read in self.read]

    def head_lines(self) -> list[str]:
        """Return the lines above the tables."""
        return []

    def text_tables(self) -> list[Rows]:
        """Return the result as tables of text."""
        raise NotImplementedError

    def text_lines(self) -> list[str]:
        """Return the lines below the tables."""
        return []

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the result as plain values; an undefined number is None."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the result as text for a terminal."""
        tables = map(aligned, self.text_tables())
        blocks = [*self.read_blocks(), *self.head_lines()]
        return "\n\n".join([*blocks, *tables, *self.text_lines()])

    def __repr__(self) -> str:
        """Return the same at a prompt; subclasses that are data classes say `repr=False`."""
        return str(self)

    def to_markdown(self) -> str:
        """Return the result as Markdown tables, and the lines below them."""
        blocks = [f"```text\n{block}\n```" for block in self.read_blocks()]
        head, lines = map(_escaped, self.head_lines()), map(_escaped, self.text_lines())
        return "\n\n".join([*blocks, *head, *map(_markdown, self.text_tables()), *lines])

    def to_latex(self) -> str:
        r"""Return the result as LaTeX tables, which need `\usepackage{booktabs}`.

        The lines below them are comments.
        """
        lines = [f"% {_printable(x)}" for x in (*self.head_lines(), *self.text_lines())]
        return "\n\n".join([*map(_latex, self.text_tables()), "\n".join(lines)]).rstrip()

    def to_csv(self) -> str:
        """Return the records as CSV."""
        records = self.records()
        return "".join(map(csv_line, [records[0], *(record.values() for record in records)]))

    def to_pandas(self) -> Any:
        """Return the records as a pandas data frame, with nan for undefined numbers.

        Raises
        ------
        ImportError
            If pandas is missing.
        """
        with needing("to_pandas needs pandas", "pandas"):
            import pandas
        return pandas.DataFrame.from_records(self.records())

    def _repr_html_(self) -> str:
        """Return the result as a notebook shows it: what was read, the sentence, the tables."""
        lead, *others = self._lead_first()
        blocks = [f"<pre>{html.escape(block)}</pre>" for block in self.read_blocks()]
        above, below = (
            [f"<p>{html.escape(line)}</p>" for line in lines]
            for lines in ([*filter(None, [lead]), *self.head_lines()], others)
        )
        return "\n".join([*blocks, *above, *map(_html, self.text_tables()), *below])

    def _lead_first(self) -> list[str]:
        """Return the sentence that says the result, empty if there is none, and the other lines."""
        return ["", *self.text_lines()]

    def to_html(self) -> str:
        """Return the result as one HTML file to send, without scripts or addresses."""
        from .html_page import html_page

        return html_page(type(self).__name__, self._repr_html_())


class Measured(Result):
    """A result with a standard error and an interval; subclasses are data classes."""

    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON; undefined numbers are None."""
        plain = {
            name: as_json(x) for name, x in vars(self).items() if name not in ("read", "doubt")
        }
        plain |= {"confidence_interval": [*map(as_json, self.confidence_interval)]}
        return plain | self.plain_read()

    def fields(self, prefix: str = "") -> dict[str, Any]:
        """Return the standard error and the interval as fields of a record."""
        names = (f"{prefix}{name}" for name in ("standard_error", "low", "high"))
        values = self.standard_error, *self.confidence_interval
        return dict(zip(names, map(as_json, values), strict=True))

    def shown(self, digits: int = 4) -> list[str]:
        """Return the standard error and the interval as text."""
        return shown_interval(self.standard_error, self.confidence_interval, digits)

    def interval_in_words(self, digits: int = 4) -> str:
        """Return the interval in brackets, named by its level."""
        interval = self.shown(digits)[1]
        if math.isnan(self.confidence_interval[0]):
            return interval
        return f"({100 * self.confidence_level:.6g}% interval {interval[1:]}"


# Values of records


def texts_of(names: Iterable[Any], argument: str, kind: str) -> tuple[str, ...]:
    """Return names as text; raise ValueError if two are equal as text, as 1 and "1" are."""
    texts = tuple(map(str, names))
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise ValueError(f"`{argument}` must name each {kind} once, got {twice[0]!r} twice")
    return texts


def as_json(value: Any) -> Any:
    """Return a value for JSON: None for a nan or an interval of nan, bytes as a literal."""
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, tuple):
        is_known = not value or as_json(value[0]) is not None
        return list(value) if is_known else None
    return None if isinstance(value, float) and math.isnan(value) else value


# Tables


def padded(rows: Rows, width: int) -> Rows:
    """Return rows with empty cells at their end, up to this width."""
    return [row + [""] * (width - len(row)) for row in rows]


def more_rows(n: int, width: int) -> Rows:
    """Return the row that says how many rows are not shown, if there are any."""
    return padded([[f"and {n} more (JSON and CSV list all)"]] if n > 0 else [], width)


def aligned(rows: Rows, most: int = 40) -> str:
    """Return rows as aligned columns for a terminal: the first to the left, others to the right.

    The first is cut to a width. Columns that find no room go below, beside the first one again.
    """
    names, *others = zip(*rows, strict=True)
    first = cut_apart(names, most)
    room = max(map(len, first))
    groups: list[list[list[str]]] = []
    for column in others:
        width = max(map(len, column)) + 2
        cells = [cell.rjust(width) for cell in column]
        if groups and column[0].endswith((" SE", "interval")):  # which stay with their score
            groups[-1].append(cells)
        else:
            groups.append([cells])
    blocks = [[[cell.ljust(room) for cell in first]]]
    for group in groups:
        if len(blocks[-1]) > 1 and sum(len(x[0]) for x in (*blocks[-1], *group)) > WIDTH:
            blocks.append(blocks[0][:1])
        blocks[-1] += group
    lines = (["".join(row).rstrip() for row in zip(*block, strict=True)] for block in blocks)
    return "\n\n".join(map("\n".join, lines))


def csv_line(row: Iterable[Any]) -> str:
    """Return a row of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(row)  # quotes what has one of these in it
    return text.getvalue().removesuffix("\r\n") + "\n"


def _markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join([" :-- ", *[" --: "] * (len(rows[0]) - 1)]) + "|")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Return text that Markdown shows as it is, even if it has bars, tags or emphasis in it."""
    for character in "\\`*_[]|~$":
        text = text.replace(character, "\\" + character)
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _latex(rows: Rows) -> str:
    cells = [[_printable(cell).translate(str.maketrans(_LATEX)) for cell in row] for row in rows]
    head, *body = (" & ".join(row) + r" \\" for row in cells)
    start = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    lines = [start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines)


def _printable(text: str) -> str:
    """Return text of one line."""
    return text if text.isprintable() else ascii(text)


def _html(rows: Rows) -> str:
    head, *body = ([html.escape(cell) for cell in row] for row in rows)
    heads = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    lines = []
    for first, *cells in body:
        numbers = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{first}</th>{numbers}</tr>')
    body_rows = "".join(lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body_rows}</tbody></table>"


# Numbers and names as text


def rounded(value: float, digits: int = 2) -> str:
    """Return the number as text, without the sign of a negative zero."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def shown_interval(error: float, interval: tuple[float, float], digits: int = 4) -> list[str]:
    """Return a standard error and an interval as text, an error of 0 or nan as empty text."""
    said = f"± {rounded(error, digits)}" if error > 0 else ""
    if math.isnan(interval[0]):
        return [said, "(no interval)"]
    digits = digits_for(interval, digits)
    low, high = (rounded(end, digits) for end in interval)
    return [said, f"({low} to {high})"]


def digits_for(interval: tuple[float, float], digits: int) -> int:
    """Return the digits, more where an end would be rounded to -1, 0 or 1 but is not there."""
    inside = [end for end in interval if 1e-6 < abs(end) % 1 < 1 - 1e-6]
    while any(float(rounded(end, digits)).is_integer() for end in inside):
        digits += 1
    return digits


def interval_heads(level: float) -> list[str]:
    """Return what stands above a standard error and an interval of this level."""
    return ["± SE", f"{100 * level:.6g}% interval"]


def shown_p(p_value: float) -> str:
    """Return a p-value in a table as text."""
    if math.isnan(p_value):
        return "(no test)"
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def p_text(p_value: float) -> str:
    """Return a p-value as text."""
    if math.isnan(p_value):
        return "not tested"
    return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"


def samples(n: int | None) -> str:
    """Return a number of samples in words."""
    return "these samples" if n is None else f"{n:,d} sample{'s' * (n != 1)}"


def shown(label: Label | None, quote: bool = False) -> str:
    """Return a label as text, or as its Python literal if it would not show as it is."""
    if label is None:
        return "(outside the labels)"
    if not isinstance(label, str):
        return str(label)
    if not label.isprintable():
        return ascii(label)
    return repr(label) if quote or label != label.strip() or not label else label


def shown_name(name: Any) -> str:
    """Return the name of a slice or an entry as text: a label, or a tuple of labels."""
    return ", ".join(map(shown, name if isinstance(name, tuple) else (name,)))


def cut(name: str, width: int = 40) -> str:
    """Return a name without its middle if it is too wide for a table in a terminal."""
    if len(name) <= width:
        return name
    tail = (width - 3) // 2
    return f"{name[: width - 3 - tail]}...{name[len(name) - tail :]}"


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """Return names cut to a width; those that would look alike have a number."""
    shown: dict[str, str] = {}
    for name in names:
        text, number = cut(name, width), 1
        while shown.setdefault(text, name) != name:
            number += 1
            text = f"{cut(name, width - len(f' {number}'))} {number}"
    text_of = {name: text for text, name in shown.items()}
    return [text_of[name] for name in names]


# What was read


def lines_of_read(read: Read) -> list[str]:
    """Return what was read as lines of text."""
    first, *others = read.sources
    head = f"{len(read.sources)} files, {first} to {others[-1]}" if others else first
    head = " and ".join(read.sources) if len(others) == 1 else head
    head += f": {read.n_rows:,d} row{'s' * (read.n_rows != 1)}"
    head += "".join(f", {n:,d} left out ({why})" for why, n in read.left_out.items())
    cells = [(x.part, cut(shown(x.name)), _labels_read(x)) for x in read.columns]
    parts, names = (max(len(row[i]) for row in cells) for i in (0, 1))
    lines = [f"{part:{parts}}  {name:{names}}  {said}".rstrip() for part, name, said in cells]
    if read.not_used:
        names_shown = ", ".join(map(shown, read.not_used[:_MOST_NAMES]))
        lines.append(f"not used: {names_shown}{_more(len(read.not_used) - _MOST_NAMES)}")
    return [head, *lines]


def _labels_read(column: ReadColumn) -> str:
    said = _listed(column.labels, MOST_LABELS)
    if column.outside:
        what = (
            "none of the classes, so wrong" if column.is_declared else "no class of the references"
        )
        said += ("; " if len(column.outside) > 1 else ", ") if said else ""
        said += f"{_listed(column.outside, _MOST_OUTSIDE)} ({what})"
    return "; ".join(filter(None, (said, *column.notes)))


def _listed(found: Amounts, most: int) -> str:
    some = [f"{'no label' if x is None else cut(shown(x))} {amount(n)}" for x, n in found[:most]]
    return ", ".join(some) + _more(len(found) - most)


def _more(n: int) -> str:
    return f", \u2026and {n:,d} more" if n > 0 else ""


# A contingency table


class Matrix(Result):
    """The cells of a table, or those of the classes with the most references if it has many."""

    def __init__(self, table: Table, has_totals: bool = False) -> None:
        self.table, self.has_totals = table, has_totals

    def text_tables(self) -> list[Rows]:
        """Return the cells below the predictions and beside the references."""
        _, labels, cells = most_frequent(self.table, _MOST_IN_MATRIX)
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
        """Return what stands in rows and columns, and how much of the table is shown."""
        lines = [f"{samples(self.table.n_samples)}: rows are references, columns are predictions"]
        n_classes = int(np.count_nonzero(self.table.is_class))
        if n_classes > _MOST_IN_MATRIX:
            most = "the ones with the most references"
            lines.append(f"{_MOST_IN_MATRIX} of {n_classes} classes, {most}")
        return lines


def most_frequent(table: Table, n: int) -> tuple[list[int], list[Label | None], Numbers]:
    """Return the n classes with the most references, in their order, and the cells of these.

    They are rows by position, the labels of the columns, and the cells. The columns end with one of
    all answers that are no class, if there are such: None, or their label if they have one.
    """
    classes = np.flatnonzero(table.is_class)
    order = np.argsort(-table.reference_totals[classes], kind="stable")
    rows = np.sort(classes[order[:n]])
    kept = np.isin(table.rows, rows) & np.isin(table.columns, rows)
    cells = np.zeros((len(rows), len(rows)), dtype=table.counts.dtype)
    places = np.searchsorted(rows, table.rows[kept]), np.searchsorted(rows, table.columns[kept])
    cells[places] = table.counts[kept]
    labels = [table.labels[code] for code in rows]
    if table.outside_totals.any():
        outside = np.flatnonzero(~table.is_class & (table.prediction_totals > 0))
        labels.append(table.labels[outside[0]] if len(outside) == 1 else None)
        cells = np.column_stack([cells, table.outside_totals[rows]])
    return rows.tolist(), labels, cells
