"""Ways to columns: `doc.label` is a field within `doc`, `doc.answers.0` an element of a list.

A column with the whole name comes first. The same holds at every level: the longest field name
that the rest of the name starts with. `argmax:` in front takes the position of the greatest number
in a list, the first if several are equal, unless a column has this name.
"""

from collections.abc import Collection, Iterator, Mapping
from difflib import get_close_matches
from typing import Any

from ..core.labels import show

_ARGMAX = "argmax:"
_MOST_NAMES = 40  # that an error lists


def _start(name: str, names: Collection[str]) -> tuple[Any, bool]:
    """Return where a name leads, and whether the argmax is taken there."""
    is_argmax = name.startswith(_ARGMAX) and name not in names
    return name.removeprefix(_ARGMAX) if is_argmax else name, is_argmax


def closest(name: str, names: Collection[Any]) -> str:
    """Return the name that is close to one that does not exist, empty if there is none."""
    close = [] if name in names else get_close_matches(name, map(str, names), 1)
    return close[0] if close else ""


def listed(names: Collection[Any], *wanted: str) -> str:
    """Return the names that there are, and those that are close to what is wanted."""
    more = f" and {len(names) - _MOST_NAMES:,d} more" if len(names) > _MOST_NAMES else ""
    shown = ", ".join(map(show, [*names][:_MOST_NAMES])) or "none"
    close = " or ".join(repr(x) for x in (closest(name, names) for name in wanted) if x)
    return shown + more + (f" (did you mean {close}?)" if close else "")


def leaves(value: Any, path: str = "") -> Iterator[str]:
    """Yield the ways to the values in an object of JSON, or of Arrow."""
    if isinstance(value, Mapping) and value:
        for name, field in value.items():
            yield from leaves(field, f"{path}.{name}".removeprefix("."))
    elif isinstance(value, list) and value:
        yield from leaves(value[0], f"{path}.0")
    else:
        yield path


def value_in(row: Mapping[str, Any], name: str) -> Any:
    """Return the value that a name leads to in a JSON object, None if a null stands on the way.

    Raises
    ------
    ValueError
        If there is no such column, or no greatest number; the message says what is there instead.
    """
    rest, is_argmax = _start(name, row)
    value: Any = row
    path, left = "", rest
    while left is not None and value is not None:
        step: str | int
        if isinstance(value, dict):
            step, left = _field(left, value, path)
        elif isinstance(value, list):
            step, left = _position(left, path)
            if step >= len(value):
                wanted = f"{path!r} is a list of length {len(value)}"
                raise ValueError(f"{wanted} (the first position is 0)")
        else:
            raise ValueError(f"{path!r} is {show(value)}, which has no fields")
        value = value[step]
        path = f"{path}.{step}".removeprefix(".")
    return _argmax(value, rest) if is_argmax else value


def one_value(row: Mapping[str, Any], name: str) -> Any:
    """Return the same, which must not be several values."""
    value = value_in(row, name)
    if isinstance(value, (dict, list)):
        raise ValueError(
            f"there must be one value, got {show(value)}: name a field or an element in it, or "
            f"argmax:{name} for the position of the largest number"
        )
    return value


def column_of(name: str, columns: Collection[str]) -> str | None:
    """Return the column in which a name leads to a value; None if there is none."""
    step, _ = _start(name, columns)
    while step and step not in columns:
        step = step.rpartition(".")[0]
    return step or None


def _field(path: str, names: Collection[str], parent: str) -> tuple[str, str | None]:
    """Return the first field of a path, and what is left of the path."""
    step = path
    while step not in names:
        step, dot, _ = step.rpartition(".")
        if not dot:
            there = f"the fields of {parent!r}" if parent else "its keys"
            raise ValueError(f"{there} are {listed(names, path)}")
    return step, path[len(step) + 1 :] if len(step) < len(path) else None


def _position(path: str, parent: str) -> tuple[int, str | None]:
    """Return the first position of a path, and what is left of the path."""
    step, dot, after = path.partition(".")
    if not (step.isascii() and step.isdigit()):
        elements = f"'{parent}.0', '{parent}.1', ..."
        raise ValueError(f"{parent!r} is a list, whose elements are {elements}")
    return int(step), after if dot else None


def _argmax(value: Any, path: str) -> int | None:
    """Return the position of the greatest number in a list, None for a null."""
    if value is None:
        return None
    is_list = isinstance(value, list) and value
    if not is_list or set(map(type, value)) - {int, float} or any(x != x for x in value):
        raise ValueError(
            f"{path!r} must be a list of numbers, with at least one number and no null or nan, got "
            f"{show(value)}"
        )
    return int(value.index(max(value)))
