"""Format results and accounts for terminals, Markdown, LaTeX, CSV, HTML, notebooks and pandas."""

import csv
import html
import io
import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy
from dataclasses import Field, dataclass, fields
from operator import add
from os.path import commonprefix
from pathlib import Path
from string import Template
from typing import Any, ClassVar, TypeAlias

import numpy as np

from ..core.labels import Label
from ..errors import optional_import
from ..messages import Message, Naming, render
from .render import amount, as_json, count_text, cut, cut_uniquely, shown, shown_interval

# A table whose first row is the header. The first column is text, the other columns are numbers.
# Empty cells at the end of a row may be missing.
Rows: TypeAlias = list[list[str]]
# A part of a result: a table, a line, or numbered notes.
Block: TypeAlias = Rows | str | tuple[str, ...]
WIDTH = 80  # largest width of a table in a terminal
_LATEX: dict[str, Any] = {character: f"\\{character}" for character in "&%$#_{}"}
_LATEX |= {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
_LATEX |= {"±": r"$\pm$", "<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"}
_LATEX |= {"[": "{[}", "*": "{*}"}  # a command before the cell would read these as options
_PAGE = Path(__file__).with_name("page.html")
_INTERVAL_CELL = re.compile(r"<td>\((-?[\d.]+) to (-?[\d.]+)\)</td>")
# Labels with their numbers of samples or weights; the label None means a missing label.
Amounts: TypeAlias = list[tuple[Label | None, Any]]
_MAX_LABELS = 10  # labels shown per column
_MAX_OTHER = 3  # out-of-class labels shown per column
_MAX_NAMES = 20  # unused columns shown


# Accounts


@dataclass(frozen=True)
class ReadColumn:
    """A column that was read: its role, its name, and its labels in order of frequency.

    `role` names the argument, as in "references" or "predictions A". `labels` has the labels that
    are classes; it is empty for columns of other roles than references and predictions. The label
    None means a missing label. `notes` say how values became labels. In JSON, `role` is "part",
    `name` is "column", and `out_of_class` is "outside".
    """

    role: str
    name: str
    labels: Amounts
    out_of_class: Amounts
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        """Write the most frequent labels with their amounts, then the notes."""
        texts = [_list_first(self.labels, _MAX_LABELS, _amount_of)]
        if self.out_of_class:
            texts.append(f"{_list_first(self.out_of_class, _MAX_OTHER, _amount_of)} (out of class)")
        return "; ".join(filter(None, (*texts, *self.notes)))

    def to_dict(self) -> dict[str, Any]:
        """Convert the column to plain values for JSON, with only its most frequent labels."""
        plain: dict[str, Any] = {"part": self.role, "column": self.name}
        for name, amounts in (("labels", self.labels), ("outside", self.out_of_class)):
            pairs = [[as_json(label), n] for label, n in amounts[:_MAX_LABELS]]
            plain |= {name: pairs, f"n_{name}": len(amounts)}
        return {**plain, "notes": [*self.notes]}


@dataclass(frozen=True, eq=False)
class Account:
    """An account of the rows and columns that were read from a data set.

    Attributes
    ----------
    sources : tuple of str
        Names of the files, or the kind of data frame.
    n_rows : int
        Number of rows that were read, including those left out.
    left_out : dict of str to int
        Number of rows left out for each reason.
    columns : tuple of ReadColumn
        The columns that were read.
    not_used : tuple of str
        Names of the columns that were not read.
    ignored : label or None
        Samples with this reference are left out; None if no reference is ignored.
    """

    sources: tuple[str, ...]
    n_rows: int
    left_out: Mapping[str, int]
    columns: tuple[ReadColumn, ...]
    not_used: tuple[str, ...] = ()
    ignored: Label | None = None

    def __str__(self) -> str:
        """Write a line on the rows, one on each column, and one on unused columns, if any."""
        files = [*map(shown, self.sources)]
        span = f"{len(files)} files, {files[0]} to {files[-1]}"
        names = span if len(files) > 2 else " and ".join(files)
        left_out = (f", {n:,d} left out ({reason})" for reason, n in self.left_out.items())
        cells = [(x.role, cut(shown(x.name)), str(x)) for x in self.columns]
        widths = [max(len(row[i]) for row in cells) for i in (0, 1)]
        lines = [f"{x:{widths[0]}}  {y:{widths[1]}}  {text}".rstrip() for x, y, text in cells]
        if self.not_used:
            lines.append(f"not used: {_list_first(self.not_used, _MAX_NAMES, shown)}")
        return "\n".join([f"{names}: {count_text(self.n_rows, 'row')}{''.join(left_out)}", *lines])

    def to_dict(self) -> dict[str, Any]:
        """Convert the account to plain values for JSON."""
        plain = {"sources": [*self.sources], "n_rows": self.n_rows, "left_out": {**self.left_out}}
        columns = [column.to_dict() for column in self.columns]
        return {**plain, "columns": columns, "not_used": [*self.not_used]}


def amounts_of(labels: Iterable[Any], totals: Iterable[Any]) -> Amounts:
    """Pair the labels that occur with their amounts, in descending order of amount."""
    pairs = [(label, n) for label, n in zip(labels, totals, strict=True) if n]
    return sorted(pairs, key=lambda pair: -pair[1])


def add_left_out(signature: str, accounts: Iterable[Account]) -> str:
    """Add to a signature the number of rows that were left out because a value is missing.

    The reasons of these rows begin with "no ", as in "no reference".
    """
    left_out = (pair for account in accounts for pair in account.left_out.items())
    n = sum(n for reason, n in left_out if reason.startswith("no "))
    return signature.replace("|v:", f"|left-out:{n}|v:") if n else signature


def _amount_of(label_and_amount: tuple[Label | None, Any]) -> str:
    """Format a label with its number of samples or weight."""
    label, n = label_and_amount
    return f"{'missing' if label is None else cut(shown(label))} {amount(n)}"


def _list_first(values: Sequence[Any], most: int, text_of: Callable[[Any], str]) -> str:
    """List the first values as text, and say how many more there are."""
    more = f", \u2026and {len(values) - most:,d} more" if len(values) > most else ""
    return ", ".join(map(text_of, values[:most])) + more


# Results


class Result:
    """Base class of results, with all output formats. Subclasses define tables and records."""

    read: tuple[Account, ...] = ()  # accounts of files or data frames, printed before the result
    max_name_width = 40  # largest width of row names in a terminal
    _naming: Naming | None = None  # argument names of a surface, used in lines of text

    def account_field(self) -> dict[str, Any]:
        """Convert the accounts to a field for JSON; empty without accounts."""
        return {"read": [account.to_dict() for account in self.read]} if self.read else {}

    def names_of_files(self) -> dict[str, str]:
        """Map paths of files to shorter names, without the first and last parts that all share.

        The result is empty for a single file, and if a file would have no name left.
        """
        files = [file for account in self.read for file in account.sources]
        parts = [Path(file).parts for file in files]
        # commonprefix compares the elements of tuples, not characters
        n_first, n_last = (len(commonprefix([x[::i] for x in parts])) for i in (1, -1))  # noqa: RUF071
        names = [x[n_first : len(x) - n_last] for x in parts]
        are_usable = len(files) > 1 and all(names)  # and no name is empty
        return {file: str(Path(*x)) for file, x in zip(files, names, strict=True) if are_usable}

    def text_tables(self) -> list[Rows]:
        """Format the result as tables of text."""
        raise NotImplementedError

    def text_lines(self) -> list[str]:
        """Write the lines below the tables; lines that name arguments are messages."""
        return []

    def text_blocks(self) -> list[Block]:
        """List the blocks of the result in order; by default the tables, then the lines."""
        return [*self.text_tables(), *self.text_lines()]

    def with_names(self, naming: Naming) -> Any:
        """Copy the result; lines of the copy use the argument names of a surface."""
        result = copy(self)
        vars(result)["_naming"] = naming
        return result

    def render(self, line: str) -> str:
        """Render a line with the argument names of the surface, if it is a message."""
        return render(line, self._naming) if self._naming and isinstance(line, Message) else line

    def _format_blocks(self, table: Callable[[Rows], str], line: Callable[[str], str]) -> list[str]:
        """Format each block with the function for its type; notes are numbered lines."""
        formatted = []
        for block in self.text_blocks():
            if isinstance(block, list):
                formatted.append(table([row + [""] * (len(block[0]) - len(row)) for row in block]))
            elif isinstance(block, str):
                formatted.append(line(self.render(block)))
            elif block:
                notes = (f"{i}. {self.render(note)}" for i, note in enumerate(block, start=1))
                formatted.append(line("\n".join(notes)))
        return formatted

    def records(self) -> list[dict[str, Any]]:
        """Convert each row of the result to a dict of plain values; undefined numbers are None."""
        raise NotImplementedError

    def to_dict(self) -> dict[str, Any]:
        """Convert the result to plain values for JSON."""
        raise NotImplementedError

    def __str__(self) -> str:
        """Format the result as text for a terminal."""
        blocks = self._format_blocks(lambda table: aligned(table, self.max_name_width), str)
        return "\n\n".join([*map(str, self.read), *blocks])

    def __repr__(self) -> str:
        """Format the result like `str`; data classes need `repr=False` to inherit this method."""
        return str(self)

    def to_markdown(self) -> str:
        """Format the accounts, tables and lines of the result as Markdown."""
        accounts = [f"```text\n{account}\n```" for account in self.read]
        return "\n\n".join([*accounts, *self._format_blocks(_markdown, _escaped)])

    def to_latex(self) -> str:
        r"""Format the result as LaTeX tables, which need `\usepackage{booktabs}`.

        Lines of text become comments. Accounts are left out. Labels in scripts other than Latin
        need XeLaTeX or LuaLaTeX, and a font for the script.
        """
        return "\n\n".join(self._format_blocks(_latex, _commented))

    def to_csv(self) -> str:
        """Format the records as CSV."""
        records = self.records()
        return "".join(map(csv_line, [records[0], *(record.values() for record in records)]))

    def to_pandas(self) -> Any:
        """Convert the records to a pandas data frame.

        Undefined numbers are nan, or None in a column without any defined number.

        Raises
        ------
        ImportError
            If pandas is missing.
        """
        with optional_import("to_pandas needs pandas", "pandas"):
            import pandas
        return pandas.DataFrame.from_records(self.records())

    def _repr_html_(self) -> str:
        """Format the result as HTML for a notebook."""
        accounts = [f"<pre>{html.escape(str(account))}</pre>" for account in self.read]
        return "\n".join([*accounts, *self._format_blocks(_html, _html_lines)])

    def to_html(self) -> str:
        """Format the result as an HTML page, with bars that show the intervals.

        The page is self-contained: it has no scripts, and loads no other files.
        """
        body = self._repr_html_()
        intervals = _INTERVAL_CELL.findall(body)
        lowest = -1.0 if any(float(low) < 0 for low, _ in intervals) else 0.0

        def with_bar(cell: re.Match[str]) -> str:
            start, end = np.interp([*map(float, cell.groups())], [lowest, 1], [0, 100])
            style = f"margin-left:{start:.1f}%;width:{end - start:.1f}%"
            return cell[0].replace("</td>", f'<i aria-hidden="true" style="{style}"></i></td>')

        body = _INTERVAL_CELL.sub(with_bar, body)
        if intervals:
            body += f"\n<p>Bars show intervals, from {lowest:.0f} to 1.</p>"
        page = Template(_PAGE.read_text(encoding="utf-8"))
        return page.substitute(title=type(self).__name__, body=body).rstrip()


class Measured(Result):
    """Base class of results with a standard error and an interval; subclasses are data classes."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float

    def to_dict(self) -> dict[str, Any]:
        """Convert the fields with `repr=True` to plain values; undefined numbers are None."""
        plain = {x.name: as_json(getattr(self, x.name)) for x in fields(self) if x.repr}
        plain |= {"confidence_interval": [*map(as_json, self.confidence_interval)]}
        return plain | self.account_field()

    def fields(self, prefix: str = "") -> dict[str, Any]:
        """Make fields of a record from the standard error and the ends of the interval."""
        error, low, high = map(as_json, (self.standard_error, *self.confidence_interval))
        return {f"{prefix}standard_error": error, f"{prefix}low": low, f"{prefix}high": high}

    def shown(self, digits: int = 4) -> list[str]:
        """Format the standard error and the interval."""
        return shown_interval(self.standard_error, self.confidence_interval, digits)

    def interval_in_words(self, digits: int = 4) -> str:
        """Format the interval with its level, in brackets; if it is nan, "(no interval)"."""
        interval = self.shown(digits)[1]
        if math.isnan(self.confidence_interval[0]):
            return interval
        return f"({100 * self.confidence_level:.6g}% interval {interval[1:]}"


# Tables


def rows_of(columns: Iterable[Iterable[str]]) -> Rows:
    """Transpose columns of equal length, which begin with their headers, to rows."""
    return list(map(list, zip(*columns, strict=True)))


def add_guessing(table: Rows, levels: Sequence[Mapping[str, str]], accuracy: str) -> None:
    """Add the guessing levels of the rows, each a dict by header, to a table.

    If all rows have the same levels, these become the last row. Otherwise the levels of accuracy
    become a column after the column with the header `accuracy`, and the others are left out.
    """
    if all(level == levels[0] for level in levels):
        table.append(["guessing", *(levels[0].get(head, "") for head in table[0][1:])])
        return
    cells = ["guessing", *(level[accuracy] for level in levels)]
    position = table[0].index(accuracy, 1) + 1
    for i, row in enumerate(table):
        row.insert(position, cells[i] if i < len(cells) else "")


def more_rows(n: int) -> Rows:
    """Make a row that says how many rows the text leaves out; [] if n is 0 or less."""
    return [[f"and {n} more in JSON"]] if n > 0 else []


def aligned(rows: Rows, max_width: int = 40) -> str:
    """Align the columns of a table for a terminal: the first to the left, others to the right.

    The first column is shortened to `max_width` characters. Columns are separated by two spaces, or
    by one space if only then the table fits. Columns that do not fit are printed in another block
    below, which repeats the first column.
    """
    names, *columns = zip(*rows, strict=True)
    first = cut_uniquely(names, max_width)
    room = max(map(len, first))
    widths = [max(map(len, column)) for column in columns]
    free = WIDTH - room - sum(widths)
    gap = 1 if len(widths) <= free < 2 * len(widths) else 2

    groups: list[list[str]] = []
    for column, width in zip(columns, widths, strict=True):
        cells = [cell.rjust(width + gap) for cell in column]
        if groups and column[0].endswith((" SE", "interval")):
            groups[-1] = [*map(add, groups[-1], cells)]  # stays next to its score
        else:
            groups.append(cells)

    blocks: list[list[str]] = []
    for group in groups:
        if not blocks or len(blocks[-1][0]) + len(group[0]) > WIDTH:
            blocks.append([cell.ljust(room) for cell in first])
        blocks[-1] = [*map(add, blocks[-1], group)]
    return "\n\n".join("\n".join(map(str.rstrip, block)) for block in blocks)


def _commented(text: str) -> str:
    """Turn lines of text into comments of LaTeX."""
    return "\n".join(f"% {line}" for line in text.splitlines())


def _html_lines(text: str) -> str:
    """Turn lines of text into paragraphs of HTML."""
    return "\n".join(f"<p>{html.escape(line)}</p>" for line in text.splitlines())


def csv_line(row: Iterable[Any]) -> str:
    """Format a row of CSV."""
    text = io.StringIO()
    # with this line terminator, the writer quotes cells that contain \r or \n
    csv.writer(text, lineterminator="\r\n").writerow(row)
    return text.getvalue().removesuffix("\r\n") + "\n"


def _markdown(rows: Rows) -> str:
    """Format a table in Markdown."""
    lines = ["| " + " | ".join(map(_escaped, row)) + " |" for row in rows]
    lines.insert(1, "|" + "|".join([" :-- ", *[" --: "] * (len(rows[0]) - 1)]) + "|")
    return "\n".join(lines)


def _escaped(text: str) -> str:
    """Escape the characters that have a meaning inside a line of Markdown or HTML."""
    return re.sub(r"([\\`*_\[\]|~$])", r"\\\1", text).replace("&", "&amp;").replace("<", "&lt;")


def _latex(rows: Rows) -> str:
    """Format a table in LaTeX."""
    cells = [[cell.translate(str.maketrans(_LATEX)) for cell in row] for row in rows]
    head, *body = (" & ".join(row) + r" \\" for row in cells)
    top = rf"\begin{{tabular}}{{l{'r' * (len(rows[0]) - 1)}}}"
    return "\n".join([top, r"\toprule", head, r"\midrule", *body, r"\bottomrule", r"\end{tabular}"])


def _html(rows: Rows) -> str:
    """Format a table in HTML that scrolls sideways if it is wider than the page."""
    head, *body = ([html.escape(cell) for cell in row] for row in rows)
    heads = "".join(f'<th scope="col">{cell}</th>' if cell else "<td></td>" for cell in head)
    body_rows = ""
    for first, *cells in body:
        numbers = "".join(f"<td>{cell}</td>" for cell in cells)
        body_rows += f'<tr><th scope="row">{first}</th>{numbers}</tr>'
    table = f"<table><thead><tr>{heads}</tr></thead><tbody>{body_rows}</tbody></table>"
    label = head[0] or "scores"
    return f'<div class="table" role="region" tabindex="0" aria-label="{label}">{table}</div>'
