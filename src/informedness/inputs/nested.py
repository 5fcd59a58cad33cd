"""Ways to columns: `doc.label` is a field within `doc`, `doc.answers.0` an element of a list.

A column with the whole name comes first. The same holds at every level: the longest field name
that the rest of the name starts with. `argmax:` in front takes the position of the greatest number
in a list, the first if several are equal, unless a column has this name.
"""

from collections.abc import Collection, Mapping
from difflib import get_close_matches
from typing import Any

from ..core.labels import show

_ARGMAX = "argmax:"
_MOST_NAMES = 40  # that an error lists


def _start(name: str, names: Collection[str]) -> tuple[Any, bool]:
    """Return where a name leads, and whether the argmax is taken there."""
    is_argmax = name.startswith(_ARGMAX) and name not in names
    return name.removeprefix(_ARGMAX) if is_argmax else name, is_argmax


def listed(names: Collection[Any], wanted: str) -> str:
    """Return the names that there are, and the one that is close to what is wanted."""
    close = [] if wanted in names else get_close_matches(wanted, map(str, names), 1)
    more = f" and {len(names) - _MOST_NAMES:,d} more" if len(names) > _MOST_NAMES else ""
    shown = ", ".join(map(show, [*names][:_MOST_NAMES])) or "none"
    return shown + more + "".join(f" (did you mean {x!r}?)" for x in close)


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
            step, left = _field(left, value, path, "its keys")
        elif isinstance(value, list):
            step, left = _position(left, path)
            if step >= len(value):
                raise ValueError(_too_short(path, len(value)))
        else:
            raise ValueError(f"{path!r} is {show(value)}, which has no fields")
        value = value[step]
        path = f"{path}.{step}".removeprefix(".")
    return _argmax(value, rest) if is_argmax else value


def array_in(table: Any, name: str, first_row: int = 0) -> tuple[Any, str]:
    """Return what a name leads to in a table or record batch of Arrow, and the path to its fields.

    Raises
    ------
    ValueError
        If there is no such column; if a list is too short, or has no greatest number, in which case
        the message names the row, of which `first_row` is that of the table.
    """
    import pyarrow
    from pyarrow import compute, types

    rest, is_argmax = _start(name, table.schema.names)
    path, left = _field(rest, table.schema.names, "", "the columns")
    array, fields = table.column(path), path
    lists = pyarrow.ListType, pyarrow.LargeListType, pyarrow.FixedSizeListType
    while left is not None:
        step: str | int
        if types.is_struct(array.type):
            names = [field.name for field in array.type]
            step, left = _field(left, names, path)
            if names.count(step) > 1:
                raise ValueError(f"{step!r} occurs twice")
            array = compute.struct_field(array, [names.index(step)])
            fields = f"{fields}.{step}" if fields == path else fields
        elif isinstance(array.type, lists):
            step, left = _position(left, path)
            lengths = compute.list_value_length(array)
            short = compute.index(compute.less_equal(lengths, step), True).as_py()
            if short >= 0:
                reason = _too_short(path, lengths[short].as_py())
                raise ValueError(f"row {first_row + short} has no '{path}.{step}'; {reason}")
            array = compute.list_element(array, step)
        else:
            raise ValueError(f"{path!r} is of {array.type}, which has no fields")
        path = f"{path}.{step}"
    if not is_argmax:
        return array, fields
    positions = []
    for number, value in enumerate(array.to_pylist(), start=first_row):
        try:
            positions.append(_argmax(value, path))
        except ValueError as error:
            raise ValueError(f"row {number}: {error}") from error
    return pyarrow.array(positions, pyarrow.int64()), fields


def _field(
    path: str, names: Collection[str], parent: str, there: str = ""
) -> tuple[str, str | None]:
    """Return the first field of a path, and what is left of the path."""
    step = path
    while step not in names:
        step, dot, _ = step.rpartition(".")
        if not dot:
            there = f"the fields of {parent!r}" if parent else there
            raise ValueError(f"{there} are {listed(names, path)}")
    return step, path[len(step) + 1 :] if len(step) < len(path) else None


def _position(path: str, parent: str) -> tuple[int, str | None]:
    """Return the first position of a path, and what is left of the path."""
    step, dot, after = path.partition(".")
    if not (step.isascii() and step.isdigit()):
        elements = f"'{parent}.0', '{parent}.1', ..."
        raise ValueError(f"{parent!r} is a list, whose elements are {elements}")
    return int(step), after if dot else None


def _too_short(path: str, length: int) -> str:
    return f"{path!r} is a list of length {length} (the first position is 0)"


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
