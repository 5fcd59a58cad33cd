"""Account of what was read: rows, columns and labels, shown above every result."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..core.labels import Label
from .render import amount, as_json, cut, several, shown

# Labels with their numbers of samples, or their weights; None means a missing label.
Amounts: TypeAlias = list[tuple[Label | None, Any]]
MOST_LABELS = 10  # shown per column
_MOST_OUTSIDE = 3
_MOST_NAMES = 20  # unused columns shown


@dataclass(frozen=True)
class ReadColumn:
    """A column that was read: its role, its name, and its labels with the most frequent first.

    `outside` has the out-of-class labels, by the references or the declared classes. None is a
    missing label. `notes` say how labels were found.
    """

    part: str
    name: str
    labels: Amounts
    outside: Amounts
    is_declared: bool
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the column as plain values for JSON, with only its most frequent labels."""
        plain: dict[str, Any] = {"part": self.part, "column": self.name}
        for name, amounts in (("labels", self.labels), ("outside", self.outside)):
            pairs = [[as_json(label), n] for label, n in amounts[:MOST_LABELS]]
            plain |= {name: pairs, f"n_{name}": len(amounts)}
        return {**plain, "notes": [*self.notes]}


@dataclass(frozen=True, eq=False)
class Account:
    """Account of what was read from a data set.

    Attributes
    ----------
    sources : tuple of str
        Names of the files, or the kind of data frame.
    n_rows : int
    left_out : dict of str to int
        Numbers of rows that do not count, by reason.
    columns : tuple of ReadColumn
    not_used : tuple of str
        Names of the other columns.
    ignored : label or None
        The reference of samples that do not count.
    """

    sources: tuple[str, ...]
    n_rows: int
    left_out: Mapping[str, int]
    columns: tuple[ReadColumn, ...]
    not_used: tuple[str, ...] = ()
    ignored: Label | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        plain = {"sources": [*self.sources], "n_rows": self.n_rows, "left_out": {**self.left_out}}
        columns = [column.to_dict() for column in self.columns]
        return {**plain, "columns": columns, "not_used": [*self.not_used]}


def amounts_of(labels: Iterable[Any], totals: Iterable[Any]) -> Amounts:
    """Pair labels with their amounts, the largest first, without labels that do not occur."""
    pairs = [(label, n) for label, n in zip(labels, totals, strict=True) if n]
    return sorted(pairs, key=lambda pair: -pair[1])


def signed(line: str, accounts: Iterable[Account]) -> str:
    """Add the number of rows left out for a missing value to a signature."""
    left_out = (pair for account in accounts for pair in account.left_out.items())
    n = sum(n for reason, n in left_out if reason.startswith("no "))
    head, mark, version = line.rpartition("|v:")
    return f"{head}|left-out:{n}{mark}{version}" if n else line


def account_lines(account: Account) -> list[str]:
    """Format an account as lines of text."""
    first, *others = files = [*map(shown, account.sources)]
    sources = f"{len(files)} files, {first} to {others[-1]}" if others else first
    sources = " and ".join(files) if len(others) == 1 else sources
    head = f"{sources}: {several(account.n_rows, 'row')}"
    head += "".join(f", {n:,d} left out ({reason})" for reason, n in account.left_out.items())
    cells = [(x.part, cut(shown(x.name)), _labels_read(x)) for x in account.columns]
    parts, names = (max(len(row[i]) for row in cells) for i in (0, 1))
    lines = [f"{part:{parts}}  {name:{names}}  {text}".rstrip() for part, name, text in cells]
    if account.not_used:
        shown_names = ", ".join(map(shown, account.not_used[:_MOST_NAMES]))
        lines.append(f"not used: {shown_names}{_and_more(len(account.not_used) - _MOST_NAMES)}")
    return [head, *lines]


def _labels_read(column: ReadColumn) -> str:
    text = _listed(column.labels, MOST_LABELS)
    if column.outside:
        text += ("; " if len(column.outside) > 1 else ", ") if text else ""
        text += f"{_listed(column.outside, _MOST_OUTSIDE)} (out of class)"
    return "; ".join(filter(None, (text, *column.notes)))


def _listed(amounts: Amounts, most: int) -> str:
    pairs = [f"{'missing' if x is None else cut(shown(x))} {amount(n)}" for x, n in amounts[:most]]
    return ", ".join(pairs) + _and_more(len(amounts) - most)


def _and_more(n: int) -> str:
    return f", \u2026and {n:,d} more" if n > 0 else ""
