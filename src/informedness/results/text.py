"""Numbers, intervals and labels as text, and what was read."""

import math
from collections.abc import Sequence
from os.path import commonprefix
from typing import Any

from ..core.labels import Label
from ..inputs.read import MOST_LABELS, Amounts, Read, ReadColumn


def rounded(value: float, digits: int = 2) -> str:
    """Return the number as text, without the sign of a negative zero."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def shown_interval(error: float, interval: tuple[float, float], digits: int = 4) -> list[str]:
    """Return a standard error and an interval as text."""
    said = "" if math.isnan(error) else f"± {rounded(error, digits)}"
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
    tail = max(width - 3, 0) // 2
    return f"{name[: max(width - 3 - tail, 0)]}...{name[len(name) - tail :]}"


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """Return names cut to a width; those that would look alike, from where they differ on.

    Where that does not tell them apart, they have a number.
    """
    shown = {name: cut(name, width) for name in names}
    for text in {*shown.values()}:
        alike = [name for name in shown if shown[name] == text]
        start = len(commonprefix(alike))  # noqa: RUF071 (letters, not parts of paths)
        if len(alike) > 1:
            shown |= {name: cut(f"...{name[start:]}", width) for name in alike}
    apart: dict[str, str] = {}
    for name, as_cut in shown.items():
        text, number = as_cut, 1
        while apart.setdefault(text, name) != name:
            number += 1
            text = f"{cut(as_cut, width - len(f' {number}'))} {number}"
    text_of = {name: text for text, name in reversed(apart.items())}
    return [text_of[name] for name in names]


# What was read

_MOST_OUTSIDE = 3
_MOST_NAMES = 20  # of columns that are not used


def lines_of_read(read: Read) -> list[str]:
    """Return what was read as lines of text."""
    first, *others = read.sources
    head = f"{len(read.sources)} files, {first} to {others[-1]}" if others else first
    head = " and ".join(read.sources) if len(others) == 1 else head
    head += f": {read.n_rows:,d} row{'s' * (read.n_rows != 1)}"
    if read.n_row_groups is not None and read.n_row_groups > 1:
        head += f" in {read.n_row_groups} row groups"
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


def amount(n: float) -> str:
    """Return a number of samples, or a sum of weights, as text."""
    return f"{n:,d}" if isinstance(n, int) else f"{n:.6g}"
