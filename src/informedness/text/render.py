"""Format numbers, intervals and names as text, and convert values for JSON."""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Any


def texts_of(names: Iterable[Any], argument: str, kind: str) -> tuple[str, ...]:
    """Convert names to text; raise ValueError if two are then equal, for example 1 and "1"."""
    texts = tuple(map(str, names))
    if twice := [text for text in texts if texts.count(text) > 1]:
        raise ValueError(f"`{argument}` must name each {kind} once, got {twice[0]!r} twice")
    return texts


def as_json(value: Any) -> Any:
    """Convert nan and intervals of nan to None, tuples to lists, and bytes to text for JSON."""
    if isinstance(value, bytes):
        return repr(value)
    if isinstance(value, tuple):
        return None if value and as_json(value[0]) is None else list(value)
    return None if isinstance(value, float) and math.isnan(value) else value


def rounded(value: float, digits: int = 2) -> str:
    """Format a number with this many decimals, zero without a sign, and nan as "undefined"."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def shown_interval(error: float, interval: tuple[float, float], digits: int = 4) -> list[str]:
    """Format a standard error and an interval as two texts.

    A standard error of 0 or nan becomes empty text. An interval of nan becomes "(no interval)".
    """
    error_text = f"± {rounded(error, digits)}" if error > 0 else ""
    if math.isnan(interval[0]):
        return [error_text, "(no interval)"]
    digits = digits_for(interval, digits)
    low, high = (rounded(end, digits) for end in interval)
    return [error_text, f"({low} to {high})"]


def digits_for(interval: tuple[float, float], digits: int) -> int:
    """Increase the digits until only an end that is an integer, such as 0, is printed as one.

    Ends within 1e-6 of an integer count as integers.
    """
    inside = [end for end in interval if 1e-6 < abs(end) % 1 < 1 - 1e-6]
    while any(float(rounded(end, digits)).is_integer() for end in inside):
        digits += 1
    return digits


def interval_heads(level: float | None) -> list[str]:
    """Write the column headers of a standard error and an interval; none without a level."""
    return [] if level is None else ["± SE", f"{100 * level:.6g}% interval"]


def shown_p(p_value: float, is_in_sentence: bool = False) -> str:
    """Format a p-value for a table cell, or for a sentence."""
    if math.isnan(p_value):
        return "not tested" if is_in_sentence else "(no test)"
    if is_in_sentence:
        return "p < 0.001" if p_value < 0.001 else f"p = {p_value:.3f}"
    return "< 0.0001" if p_value < 0.0001 else f"{p_value:.4f}"


def samples(n: int | None) -> str:
    """Format a number of samples with the noun; None means an unknown number."""
    return "these samples" if n is None else count_text(n, "sample")


def count_text(n: int, noun: str, nouns: str = "") -> str:
    """Format a count with its noun, which is in the plural unless the count is 1."""
    return f"{n:,d} {noun}" if n == 1 else f"{n:,d} {nouns or noun + 's'}"


def shown(name: object, quote: bool = False) -> str:
    """Format a label or a name on a single line without control characters.

    Text becomes a Python literal if it is empty, begins or ends with whitespace, has unprintable
    characters or quotes, or if `quote` is True. Text with a backtick does, too, because backticks
    mark the names of arguments. The label None becomes "out of class".
    """
    if name is None or isinstance(name, (int, bytes)):
        return "out of class" if name is None else str(name)
    text = str(name)
    # zero-width joiners are allowed between emoji
    if not re.sub(r"(?<=[^\w\s])\u200d(?=[^\w\s])", "", text).isprintable():
        return ascii(text)
    is_plain = text == text.strip() != "" and not {*'`"'} & {*text} and not quote
    return text if is_plain else repr(text)


def shown_name(name: Any) -> str:
    """Format the name of a slice or of an entry, which is a label or a tuple of labels."""
    return ", ".join(map(shown, name if isinstance(name, tuple) else (name,)))


def cut(name: str, width: int = 40) -> str:
    """Shorten a name in the middle if it has more than `width` characters."""
    if len(name) <= width:
        return name
    tail = (width - 3) // 2
    return f"{name[: width - 3 - tail]}...{name[len(name) - tail :]}"


def cut_uniquely(names: Sequence[str], width: int) -> list[str]:
    """Shorten names to a number of characters, and number different names that become equal."""
    originals: dict[str, str] = {}
    for name in names:
        text, number = cut(name, width), 1
        while originals.setdefault(text, name) != name:
            number += 1
            text = f"{cut(name, width - len(f' {number}'))} {number}"
    shortened = {name: text for text, name in originals.items()}
    return [shortened[name] for name in names]


def amount(n: float) -> str:
    """Format a number of samples or a sum of weights."""
    return f"{n:,d}" if isinstance(n, int) else f"{n:.6g}"
