"""How results are laid out: for a terminal, Markdown, LaTeX, CSV, a notebook and pandas."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Iterable
from typing import Any, TypeAlias

from ..extras import needing
from ..inputs.read import Read
from .text import cut_apart, lines_of_read, shown_interval

Rows: TypeAlias = list[list[str]]
"""The header of a table, then its rows; the first column is text, the others are numbers."""

WIDTH = 80  # of a table in a terminal
_LABEL_WIDTH = 40
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
        return "\n\n".join([*self.read_blocks(), *tables, *self.text_lines()])

    def __repr__(self) -> str:
        """Return the same at a prompt; subclasses that are data classes say `repr=False`."""
        return str(self)

    def to_markdown(self) -> str:
        """Return the result as Markdown tables, and the lines below them."""
        blocks = [f"```text\n{block}\n```" for block in self.read_blocks()]
        tables, lines = map(_markdown, self.text_tables()), map(_escaped, self.text_lines())
        return "\n\n".join([*blocks, *tables, *lines])

    def to_latex(self) -> str:
        r"""Return the result as LaTeX tables, which need `\usepackage{booktabs}`.

        The lines below them are comments.
        """
        lines = [f"% {_printable(line)}" for line in self.text_lines()]
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
        """Return the result as a notebook shows it."""
        blocks = [f"<pre>{html.escape(block)}</pre>" for block in self.read_blocks()]
        lines = [f"<p>{html.escape(line)}</p>" for line in self.text_lines()]
        return "\n".join([*blocks, *map(_html, self.text_tables()), *lines])


class Measured(Result):
    """A result with a standard error and an interval; subclasses are data classes."""

    standard_error: float
    confidence_interval: tuple[float, float]

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON; undefined numbers are None."""
        plain = {name: as_json(x) for name, x in vars(self).items() if name != "read"}
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
        return None if math.isnan(value[0]) else list(value)
    return None if isinstance(value, float) and math.isnan(value) else value


# Tables


def padded(rows: Rows, width: int) -> Rows:
    """Return rows with empty cells at their end, up to this width."""
    return [row + [""] * (width - len(row)) for row in rows]


def more_rows(n: int, width: int) -> Rows:
    """Return the row that says how many rows are not shown, if there are any."""
    return padded([[f"and {n} more (JSON and CSV list all)"]] if n > 0 else [], width)


def aligned(rows: Rows, is_cut: bool = True) -> str:
    """Return rows as aligned columns for a terminal: the first to the left, others to the right.

    The first is cut to fit, unless the caller has already done so. Columns for which there is no
    room go below, beside the first one again.
    """
    widths = [max(map(len, column)) + 2 for column in zip(*rows, strict=True)]
    room = WIDTH - sum(widths[1:])
    room = min(_LABEL_WIDTH, room if room >= _LABEL_WIDTH // 2 else WIDTH)
    first = [row[0] for row in rows]
    first = cut_apart(first, room) if is_cut else first
    widths[0] = max(map(len, first))
    # a score stays with its error and interval
    beside = [i for i, name in enumerate(rows[0]) if i > 1 and name.endswith((" SE", "interval"))]
    starts = sorted({*range(1, len(rows[0]))} - {*beside})
    blocks: list[list[int]] = [[]]
    for start, end in zip(starts, [*starts[1:], len(rows[0])], strict=True):
        group = range(start, end)
        if blocks[-1] and widths[0] + sum(widths[i] for i in (*blocks[-1], *group)) > WIDTH:
            blocks.append([])
        blocks[-1] += group
    return "\n\n".join(
        "\n".join(
            "".join([name.ljust(widths[0]), *(row[i].rjust(widths[i]) for i in block)]).rstrip()
            for name, row in zip(first, rows, strict=True)
        )
        for block in blocks
    )


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
    def row_of(cells: list[str], tag: str) -> str:
        first, *others = map(html.escape, cells)
        numbers = "".join(f'<{tag} style="text-align: right">{cell}</{tag}>' for cell in others)
        return f'<tr><th style="text-align: left">{first}</th>{numbers}</tr>'

    body = "".join(row_of(row, "td") for row in rows[1:])
    return f"<table><thead>{row_of(rows[0], 'th')}</thead><tbody>{body}</tbody></table>"
