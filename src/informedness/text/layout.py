"""Lay out results for a terminal, Markdown, LaTeX, CSV, a notebook and pandas."""

import csv
import html
import io
import math
from collections.abc import Callable, Iterable, Sequence
from copy import copy
from dataclasses import Field, fields
from itertools import takewhile
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from ..errors import optional_import
from ..messages import Message, Naming, render
from .account import Account, account_lines
from .render import as_json, cut_apart, shown_interval

if TYPE_CHECKING:
    from typing_extensions import Self

# A table, header first. The first column is text, the others are numbers.
Rows: TypeAlias = list[list[str]]
# A part of a result: a table, a line, or numbered notes.
Block: TypeAlias = Rows | str | tuple[str, ...]
WIDTH = 80  # largest width of a table in a terminal
_LATEX: dict[str, Any] = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"±": r"$\pm$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_LATEX |= {"[": "{[}", "*": "{*}"}  # or a command before the cell reads it as an option


class Result:
    """Base class with all output formats; subclasses provide tables, lines and records."""

    read: tuple[Account, ...] = ()  # accounts of files or data frames, shown first
    widest_name = 40  # largest width of row names in a terminal
    _naming: Naming | None = None  # argument names of a surface, for lines of text

    def account_field(self) -> dict[str, Any]:
        """Return the accounts as a field of plain values; {} if there are none."""
        return {"read": [account.to_dict() for account in self.read]} if self.read else {}

    def account_blocks(self) -> list[str]:
        """Return the accounts of what was read as text."""
        return ["\n".join(account_lines(account)) for account in self.read]

    def names_of_files(self) -> dict[str, str]:
        """Shorten paths of files: remove the parts that all have at the start and the end."""
        files = [file for account in self.read for file in account.sources]
        parts = [Path(file).parts for file in files]
        n_first, n_last = (_n_alike([x[::way] for x in parts]) for way in (1, -1))
        names = [x[n_first : len(x) - n_last] for x in parts]
        is_known = len(files) > 1 and all(names)  # and no name is empty
        return {file: str(Path(*x)) for file, x in zip(files, names, strict=True) if is_known}

    def text_tables(self) -> list[Rows]:
        """Return the result as tables of text."""
        raise NotImplementedError

    def text_lines(self) -> list[str]:
        """Return the lines below the tables; lines that name arguments are messages."""
        return []

    def text_blocks(self) -> list[Block]:
        """Return the blocks below the accounts, from the top down."""
        return [*self.text_tables(), *self.text_lines()]

    def with_names(self, naming: Naming) -> "Self":
        """Copy the result with lines that use the argument names of a surface."""
        named = copy(self)
        vars(named)["_naming"] = naming
        return named

    def named(self, line: str) -> str:
        """Render a line with the argument names of the surface, if it is a message."""
        if self._naming is None or not isinstance(line, Message):
            return line
        return render(line, self._naming)

    def _formatted(
        self, table: Callable[[Rows], str], line: Callable[[str], str], notes: Callable[..., str]
    ) -> list[str]:
        """Format each block by the function for its type."""
        formatted = []
        for block in self.text_blocks():
            if isinstance(block, list):
                formatted.append(table(block))
            elif isinstance(block, str):
                formatted.append(line(self.named(block)))
            elif block:
                formatted.append(notes(map(self.named, block)))
        return formatted

    def records(self) -> list[dict[str, Any]]:
        """Return the rows of the result as plain values; an undefined number is None."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Return the result as plain values for JSON."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Return the result as text for a terminal."""
        blocks = self._formatted(lambda table: aligned(table, self.widest_name), str, _numbered)
        return "\n\n".join([*self.account_blocks(), *blocks])

    def __repr__(self) -> str:
        """Show the same text at a prompt; data classes need `repr=False` to inherit this."""
        return str(self)

    def to_markdown(self) -> str:
        """Return the result as Markdown tables, with lines below them."""
        read = [f"```text\n{block}\n```" for block in self.account_blocks()]
        notes = self._formatted(_markdown, _escaped, lambda lines: _numbered(map(_escaped, lines)))
        return "\n\n".join([*read, *notes])

    def to_latex(self) -> str:
        r"""Return the result as LaTeX tables, which need `\usepackage{booktabs}`.

        Lines between tables are comments. Labels in scripts other than Latin need XeLaTeX or
        LuaLaTeX, and a font for that script.
        """
        return "\n\n".join(
            self._formatted(_latex, _commented, lambda lines: _commented(_numbered(lines)))
        )

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
        with optional_import("to_pandas needs pandas", "pandas"):
            import pandas
        return pandas.DataFrame.from_records(self.records())

    def _repr_html_(self) -> str:
        """Return the result as HTML for a notebook."""
        read = [f"<pre>{html.escape(block)}</pre>" for block in self.account_blocks()]
        return "\n".join([*read, *self._formatted(_html, _html_line, _html_notes)])

    def to_html(self) -> str:
        """Return the result as one HTML file to send, without scripts or addresses."""
        from .html_page import html_page

        return html_page(type(self).__name__, self._repr_html_())


def _n_alike(rows: Sequence[Sequence[str]]) -> int:
    """Count the leading cells that are equal in all rows."""
    return len([*takewhile(lambda cells: len({*cells}) == 1, zip(*rows, strict=False))])


class Measured(Result):
    """A result with a standard error and an interval; subclasses are data classes."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Return all fields with a `repr` as plain values for JSON; undefined numbers are None."""
        plain = {x.name: as_json(getattr(self, x.name)) for x in fields(self) if x.repr}
        plain |= {"confidence_interval": [*map(as_json, self.confidence_interval)]}
        return plain | self.account_field()

    def fields(self, prefix: str = "") -> dict[str, Any]:
        """Return the standard error and the interval as fields of a record."""
        names = (f"{prefix}{name}" for name in ("standard_error", "low", "high"))
        values = self.standard_error, *self.confidence_interval
        return dict(zip(names, map(as_json, values), strict=True))

    def shown(self, digits: int = 4) -> list[str]:
        """Return the standard error and the interval as text."""
        return shown_interval(self.standard_error, self.confidence_interval, digits)

    def interval_in_words(self, digits: int = 4) -> str:
        """Format the interval in brackets, with its level."""
        interval = self.shown(digits)[1]
        if math.isnan(self.confidence_interval[0]):
            return interval
        return f"({100 * self.confidence_level:.6g}% interval {interval[1:]}"


# Tables


def rows_of(columns: Iterable[Iterable[str]]) -> Rows:
    """Transpose columns of the same length, each with its head, to rows."""
    return list(map(list, zip(*columns, strict=True)))


def padded(rows: Rows, width: int) -> Rows:
    """Pad rows with empty cells at the end to a width."""
    return [row + [""] * (width - len(row)) for row in rows]


def more_rows(n: int, width: int) -> Rows:
    """Make a row with the number of hidden rows, if there are any."""
    return padded([[f"and {n} more in JSON"]] if n > 0 else [], width)


def aligned(rows: Rows, most: int = 40) -> str:
    """Align columns for a terminal: the first to the left, others to the right.

    The first column is cut to `most`. Columns have two spaces between them, or one if that makes
    the table fit. Columns that still do not fit go below, next to the first one again.
    """
    names, *columns = zip(*rows, strict=True)
    first = cut_apart(names, most)
    widths = [max(map(len, column)) for column in columns]
    room = max(map(len, first))
    gap = 1 if room + sum(widths) + len(widths) <= WIDTH else 2
    gap = 2 if room + sum(widths) + 2 * len(widths) <= WIDTH else gap
    cells = [[x.rjust(w + gap) for x in c] for c, w in zip(columns, widths, strict=True)]

    blocks: list[list[list[str]]] = []
    used = WIDTH
    for group in _kept_together(cells):
        width = sum(len(column[0]) for column in group)
        if used + width > WIDTH or not blocks:
            blocks.append([[cell.ljust(room) for cell in first]])
            used = room
        blocks[-1] += group
        used += width
    lines = (["".join(row).rstrip() for row in zip(*block, strict=True)] for block in blocks)
    return "\n\n".join(map("\n".join, lines))


def _kept_together(columns: Iterable[list[str]]) -> list[list[list[str]]]:
    """Group columns so that an error and an interval stay with their score."""
    groups: list[list[list[str]]] = []
    for column in columns:
        if groups and column[0].endswith((" SE", "interval")):
            groups[-1].append(column)
        else:
            groups.append([column])
    return groups


def _numbered(lines: Iterable[str]) -> str:
    """Number the lines of notes."""
    return "\n".join(f"{number}. {line}" for number, line in enumerate(lines, start=1))


def _commented(text: str) -> str:
    return "\n".join(f"% {line}" for line in text.splitlines())


def _html_line(line: str) -> str:
    return f"<p>{html.escape(line)}</p>"


def _html_notes(lines: Iterable[str]) -> str:
    return "<ol>" + "".join(f"<li>{html.escape(line)}</li>" for line in lines) + "</ol>"


def csv_line(row: Iterable[Any]) -> str:
    """Format a row of CSV."""
    text = io.StringIO()
    csv.writer(text, lineterminator="\r\n").writerow(row)  # quotes cells with \r or \n
    return text.getvalue().removesuffix("\r\n") + "\n"


def _markdown(rows: Rows) -> str:
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join([" :-- ", *[" --: "] * (len(rows[0]) - 1)]) + "|")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Escape text so that Markdown shows bars, tags and emphasis marks literally."""
    for character in "\\`*_[]|~$":
        text = text.replace(character, "\\" + character)
    return text.replace("&", "&amp;").replace("<", "&lt;")


def _latex(rows: Rows) -> str:
    cells = [[cell.translate(str.maketrans(_LATEX)) for cell in row] for row in rows]
    head, *body = (" & ".join(row) + r" \\" for row in cells)
    start = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    lines = [start, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"]
    return "\n".join(lines)


def _html(rows: Rows) -> str:
    head, *body = ([html.escape(cell) for cell in row] for row in rows)
    heads = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    lines = []
    for first, *cells in body:
        numbers = "".join(f"<td>{cell}</td>" for cell in cells)
        lines.append(f'<tr><th scope="row">{first}</th>{numbers}</tr>')
    body_rows = "".join(lines)
    return f"<table><thead><tr>{heads}</tr></thead><tbody>{body_rows}</tbody></table>"
