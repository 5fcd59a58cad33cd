"""Numbers, intervals and labels as text."""

import math
from collections.abc import Sequence
from os.path import commonprefix

from ..core.labels import Label


def rounded(value: float, digits: int = 2) -> str:
    """Return the number as text, without the sign of a negative zero."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def shown_interval(
    standard_error: float, interval: tuple[float, float], digits: int = 4
) -> list[str]:
    """Return a standard error and an interval as text."""
    error = "" if math.isnan(standard_error) else f"± {rounded(standard_error, digits)}"
    if math.isnan(interval[0]):
        return [error, "(no interval)"]
    low, high = (rounded(end, digits) for end in interval)
    return [error, f"({low} to {high})"]


def interval_heads(level: float) -> list[str]:
    """Return what stands above a standard error and an interval of this level."""
    return ["± SE", f"{100 * level:.6g}% interval"]


def shown_p(p_value: float) -> str:
    """Return a p-value in a table as text."""
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def p_text(p_value: float) -> str:
    """Return a p-value as text."""
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


def cut(name: str, width: int = 40) -> str:
    """Return a name without its middle if it is too wide for a table in a terminal."""
    half = width // 2 - 1
    return name if len(name) <= width else f"{name[:half]}...{name[-half:]}"


def cut_apart(names: Sequence[str], width: int) -> list[str]:
    """Return names cut to a width, around what tells each from those that would look alike."""
    shown = [cut(name, width) for name in names]
    alike: dict[str, list[int]] = {}
    for i, text in enumerate(shown):
        alike.setdefault(text, []).append(i)
    for places in alike.values():
        group = [names[i] for i in places]
        if len(set(group)) == 1 or width < 12:
            continue
        start = len(commonprefix(group))  # noqa: RUF071 (letters, not parts of paths)
        rests = [name[start:] for name in group]
        end = len(commonprefix([rest[::-1] for rest in rests]))  # noqa: RUF071
        middles = cut_apart([rest[: len(rest) - end] for rest in rests], width - 6)
        room = width - 3 - max(map(len, middles))
        head = group[0][:start]
        head = head if start <= room else f"{head[: max(room - 3, 0)]}..."
        for i, middle in zip(places, middles, strict=True):
            shown[i] = head + middle + "..." * (end > 0)
    return shown
