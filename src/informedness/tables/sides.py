"""References and predictions as they are handed over, as columns of labels and a task.

Tested in tests/test_class_names.py.
"""

from collections.abc import Mapping
from itertools import repeat
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
    reference_name, *model_names = sides
    for name in model_names if hasattr(sides[reference_name], "name") else ():
        warn_of_swapped(sides[reference_name].name, getattr(sides[name], "name", None))
    containers = sides
    if class_names := class_names_of(*sides.values()):
        labels = by_name(labels, *sides.values())
        options = LabelOptions(labels=labels, ignore_index=ignore_index, unknown=unknown)
        sides = {}
        for name, side in containers.items():
            role = "references" if name == reference_name else "predictions"
            own_names = class_names_of(side)
            values = side[:] if own_names else side
            column = read_labels(values, role, options, own_names or class_names, (), name)
            sides[name] = column.tolist()  # in which -1 is None
        ignore_index = None if ignore_index is None else str(at_position(ignore_index, class_names))

    may_lack = str(unknown) == "wrong"
    ignored = ignore_index if isinstance(ignore_index, int) else None
    references, *models = sides.values()
    references = quickly(references, reference_name, ignored=ignored)
    models = list(map(quickly, models, model_names, repeat(may_lack)))
    r = read_column(references, reference_name)
    columns = []
    check_same_order({**containers, **beside})
    for name, predictions in zip(model_names, models, strict=True):
        r, p = read_pair(r, predictions, (reference_name, name), unknown=unknown)
        columns.append(p)
    return [r, *columns], task_of(r, labels, ignore_index, unknown, reference_name)


def read_apart(labels: Any, name: str, *sides: Any) -> Column:
    """Return predictions of other samples than the sides hold, named alike, None if missing."""
    own_names = class_names_of(labels)
    values = labels[:] if own_names else labels
    names = own_names or class_names_of(*sides)
    return read_labels(values, "predictions", LabelOptions(unknown="wrong"), names, name=name)
