"""References and predictions as they are handed over, as columns of labels and a task."""

from collections.abc import Mapping
from typing import Any

from ..core.labels import Column, check_same_order, read_column, read_pair
from ..core.table import Task, task_of
from .class_names import at_position, by_name, class_names_of
from .containers import quickly
from .doubts import warn_of_swapped
from .label_options import LabelOptions, read_labels

# Columns of `datasets`, which know the names of their classes


def read_sides(
    sides: Mapping[str, Any], labels: Any, ignore_index: Any, unknown: str, **beside: Any
) -> tuple[list[Column], Task]:
    """Return the references and each model's predictions as columns, and the options as a task.

    The sides are given by argument, references first. All labels must be of one kind, and what
    stands beside the sides, by argument, in their order.
    """
    (first, *models), containers = sides, sides
    for name in models if hasattr(sides[first], "name") else ():
        warn_of_swapped(sides[first].name, getattr(sides[name], "name", None))
    if names := class_names_of(*sides.values()):
        labels, roles = by_name(labels, *sides.values()), dict.fromkeys(models, "predictions")
        options = LabelOptions(labels=labels, ignore_index=ignore_index, unknown=unknown)
        for name, own in {name: class_names_of(side) for name, side in sides.items()}.items():
            given, role = sides[name][:] if own else sides[name], roles.get(name, "references")
            column = read_labels(given, role, options, own or names, (), name)
            sides = {**sides, name: column.tolist()}  # in which -1 is None
        ignore_index = None if ignore_index is None else str(at_position(ignore_index, names))
    may_lack = str(unknown) == "wrong"
    ignored = ignore_index if isinstance(ignore_index, int) else None
    r, columns = read_column(quickly(sides[first], first, ignored=ignored), first), []
    check_same_order({**containers, **beside})
    for name in models:
        values = quickly(sides[name], name, may_lack)
        r, p = read_pair(r, values, (first, name), unknown=unknown)
        columns.append(p)
    return [r, *columns], task_of(r, labels, ignore_index, unknown, first)


def read_apart(labels: Any, name: str, *sides: Any) -> Column:
    """Return predictions of other samples than the sides hold, named alike, None if missing."""
    own, options = class_names_of(labels), LabelOptions(unknown="wrong")
    given, names = labels[:] if own else labels, own or class_names_of(*sides)
    return read_labels(given, "predictions", options, names, name=name)
