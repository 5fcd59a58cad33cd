"""Ways to columns: `doc.label` is a field within `doc`, `doc.answers.0` an element of a list.

A column with the whole name comes first. The same holds at every level: the longest field name
that the rest of the name starts with. `argmax:` in front takes the position of the greatest number
in a list, the first if several are equal, unless a column has this name.
"""

from collections.abc import Collection, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import show

_ARGMAX = "argmax:"


class Way(NamedTuple):
    """Field names and list positions that lead from a row to a value."""

    steps: tuple[str | int, ...]
    is_argmax: bool


def _start(name: str, names: Collection[str]) -> tuple[str | None, bool]:
    """Return where a name leads, and whether the argmax is taken there."""
    is_argmax = name.startswith(_ARGMAX) and name not in names
    return name.removeprefix(_ARGMAX) if is_argmax else name, is_argmax


def listed(names: Collection[Any], wanted: str) -> str:
    """Return the names that there are, and the one that is close to what is wanted."""
    close = [] if wanted in names else get_close_matches(wanted, map(str, names), 1)
    return ", ".join(map(repr, names)) + "".join(f": did you mean {x!r}?" for x in close)


def _field(
    rest: str, names: Collection[str], steps: Sequence[str | int], columns: str
) -> tuple[str, str | None]:
    """Return the first field of a path, where `steps` lead to, and what is left of the path."""
    step = rest
    while step not in names:
        step, dot, _ = step.rpartition(".")
        if not dot:
            there = f"the fields of {_path(steps)!r}" if steps else columns
            raise ValueError(f"{there} are {listed(names, rest)}")
    return step, rest[len(step) + 1 :] if len(step) < len(rest) else None


def _position(rest: str, steps: Sequence[str | int]) -> tuple[int, str | None]:
    """Return the first position of a path, in the list that `steps` lead to, and what is left."""
    step, dot, after = rest.partition(".")
    if not (step.isascii() and step.isdigit()):
        path = _path(steps)
        raise ValueError(f"{path!r} is a list, whose elements are '{path}.0', '{path}.1', ...")
    return int(step), after if dot else None


def _path(steps: Sequence[str | int]) -> str:
    return ".".join(map(str, steps))


# In JSON


def value_in(row: Mapping[str, Any], name: str) -> tuple[Any, Way]:
    """Return the value that a name leads to in a JSON object, and the way to it.

    At the first null the value is None and the way ends.

    Raises
    ------
    ValueError
        If there is no such column; the message says what is there instead.
    """
    if name in row:
        return row[name], Way((name,), False)
    rest, is_argmax = _start(name, row)
    value: Any = row
    steps: list[str | int] = []
    while rest is not None and value is not None:
        step: str | int
        if isinstance(value, dict):
            step, rest = _field(rest, value, steps, "its keys")
        elif isinstance(value, list):
            step, rest = _position(rest, steps)
            if step >= len(value):
                raise ValueError(_too_short(steps, len(value)))
        else:
            raise ValueError(f"{_path(steps)!r} is {show(value)}, which has no fields")
        value = value[step]
        steps.append(step)
    return value, Way(tuple(steps), is_argmax)


def _too_short(steps: Sequence[str | int], length: int) -> str:
    return f"{_path(steps)!r} is a list of length {length} (the first position is 0)"


def argmax(value: Any, way: Way) -> int | None:
    """Return the position of the greatest number in a list of JSON, None for a null.

    Raises
    ------
    ValueError
        If there is no greatest number.
    """
    if value is None:
        return None
    is_list = isinstance(value, list) and value
    if not is_list or set(map(type, value)) - {int, float} or any(x != x for x in value):
        raise _no_argmax(way, show(value))
    return int(value.index(max(value)))


def _no_argmax(way: Way, got: object) -> ValueError:
    return ValueError(
        f"{_path(way.steps)!r} must be a list of numbers, with at least one number and no null or "
        f"nan, got {got}"
    )


# In Arrow


def type_in(schema: Any, name: str) -> tuple[Any, Way]:
    """Return the type that a name leads to in an Arrow schema, and the way to it.

    Raises
    ------
    ValueError
        If there is no such column; the message says what is there instead.
    """
    from pyarrow import types

    rest, is_argmax = _start(name, schema.names)
    kind: Any = schema
    steps: list[str | int] = []
    while rest is not None:
        step: str | int
        if kind is schema or types.is_struct(kind):
            names = [field.name for field in kind]
            step, rest = _field(rest, names, steps, "the columns")
            if names.count(step) > 1:
                raise ValueError(f"{step!r} occurs twice")
            kind = kind.field(step).type
        elif _is_list(kind):
            step, rest = _position(rest, steps)
            kind = kind.value_type
        else:
            raise ValueError(f"{_path(steps)!r} is of {kind}, which has no fields")
        steps.append(step)
    return kind, Way(tuple(steps), is_argmax)


def check_argmax(kind: Any, way: Way) -> None:
    """Raise ValueError unless a type is a list of numbers."""
    from pyarrow import types

    inner = kind.value_type if _is_list(kind) else kind
    is_number = types.is_integer(inner) or types.is_floating(inner) or types.is_null(inner)
    if inner is kind or not is_number:
        raise _no_argmax(way, kind)


def _is_list(kind: Any) -> bool:
    import pyarrow

    return isinstance(kind, (pyarrow.ListType, pyarrow.LargeListType, pyarrow.FixedSizeListType))


def array_in(batch: Any, way: Way, first_row: int) -> Any:
    """Return a column of a record batch, whose first row is `first_row` of its file.

    Raises
    ------
    ValueError
        If a list is too short, or has no argmax; the message names the row.
    """
    from pyarrow import compute

    array = batch.column(batch.schema.get_field_index(way.steps[0]))
    for depth, step in enumerate(way.steps[1:], start=1):
        if isinstance(step, str):
            array = compute.struct_field(array, [array.type.get_field_index(step)])
            continue
        lengths = compute.list_value_length(array)
        short = compute.index(compute.less_equal(lengths, step), True).as_py()
        if short >= 0:
            reason = _too_short(way.steps[:depth], lengths[short].as_py())
            raise ValueError(f"row {first_row + short} has no {_path(way.steps)!r}: {reason}")
        array = compute.list_element(array, step)
    return _argmax_of(array, way, first_row) if way.is_argmax else array


def _argmax_of(array: Any, way: Way, first_row: int) -> Any:
    """Return the position of the greatest number in each list, null for a null."""
    import pyarrow
    from pyarrow import compute

    is_null = array.is_null().to_numpy(zero_copy_only=False)
    rows, lists = np.flatnonzero(~is_null), array.drop_null()
    lengths = compute.list_value_length(lists).to_numpy()
    starts = np.cumsum(lengths) - lengths
    of_list = np.repeat(np.arange(len(rows)), lengths)
    numbers = lists.flatten()
    missing = compute.is_null(numbers, nan_is_null=True).to_numpy(zero_copy_only=False)
    bad = lengths == 0
    bad[of_list[missing]] = True
    if bad.any():
        first = int(np.argmax(bad))
        got = show(lists[first].as_py())
        raise ValueError(f"row {first_row + rows[first]}: {_no_argmax(way, got)}")
    positions = np.zeros(len(array), dtype=np.int64)
    values = numbers.to_numpy(zero_copy_only=False)
    greatest = np.flatnonzero(values == np.maximum.reduceat(values, starts)[of_list])
    positions[rows] = greatest[np.searchsorted(greatest, starts)] - starts
    return pyarrow.array(positions, mask=is_null)
