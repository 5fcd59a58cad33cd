"""Names of classes by position, as columns of `datasets` have them."""

import re
from collections.abc import Mapping, Sequence
from numbers import Integral
from typing import Any

from .containers import read_quickly


def by_name(labels: Any, *sides: Any) -> Any:
    """Return a label, labels, or a mapping of them, by name where they are positions in names.

    The names are those of the first side that has some.
    """
    names = None if labels is None else class_names_of(*sides)
    if names is None:
        return labels
    if isinstance(labels, (Integral, str, bytes)):
        return at_position(labels, names)
    if isinstance(labels, Mapping) or hasattr(labels, "to_dict"):  # or a Series of counts
        return {at_position(label, names): value for label, value in labels.items()}
    return [at_position(label, names) for label in read_quickly(labels, "labels").tolist()]


def class_names_of(*sides: Any) -> Sequence[str] | None:
    """Return the names of the first side that is a column of a `datasets.ClassLabel`."""
    names = (getattr(getattr(side, "features", None), "names", None) for side in sides)
    return next(filter(None, names), None)


def at_position(label: Any, names: Sequence[str]) -> Any:
    """Return the name of a class for its position, also in text; anything else as it is."""
    position = None if label in names else integer_of(label)
    return names[position] if position is not None and 0 <= position < len(names) else label


def integer_of(text: Any) -> int | None:
    """Return the integer that text spells; None if it does not."""
    match = re.fullmatch(r"([+-]?[0-9]+)(\.0*)?", str(text), re.ASCII)  # 1.0 where there were gaps
    return int(match[1]) if match else None
