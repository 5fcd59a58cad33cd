"""Confusion matrices as they are handed over: what their rows are, and which lines are no class."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from ..core.labels import Column, Numbers, check_distinct, check_same_kind, show
from .containers import read_quickly

# Words in the name of an axis. The second pair counts only where the first says nothing:
# `true_answer` is a reference and `predicted_label` a prediction.
_TRUE = (
    r"gold|golden|true|truth|groundtruth|refs?|references?|actual\w*|expected"
    r"|wahr|wahre|wahrheit|tatsächlich\w*|vrais?|vraies?"
)
_PREDICTED = (
    r"pr[eé]ds?|pr[eéä]di[ctzkç]\w*|yhat|ŷ|hyps?|hypothes[ei]s|guess\w*"
    r"|vorhersagen?|vorhergesagt\w*"
)
_LABEL = r"labels?|targets?|class|classes|category|real|réel\w*"
_ANSWER = r"outputs?|answers?|responses?|model|system"
_TOTAL = r"(grand )?(totals?|sum|all)|Σ"
_SLACK = 1e-9  # of sums of floating point numbers, relative to their total


def read_names(frame: Any) -> tuple[Column, Column] | None:
    """Return the names of the rows and columns of a data frame, None for an array.

    Raises
    ------
    ValueError
        If only the columns have names, so that the classes of the rows would rest on their order
        alone; if names are not labels, differ in type, or occur twice; or if the axes are called
        predictions and references in this order.
    """
    if not hasattr(frame, "columns"):
        return None
    if not hasattr(frame, "index"):
        raise ValueError(
            "`matrix` must be an array, or a data frame with row names (pandas), got a "
            f"{type(frame).__module__.partition('.')[0]} {type(frame).__name__}: pass its counts "
            "as an array and the classes as labels="
        )
    sides = frame.index, frame.columns
    axes = [side.name for side in sides]
    if rows_are_predictions(*axes):
        raise ValueError(
            "`matrix` must have references as rows and predictions as columns, but its index is "
            f"named {show(axes[0])} and its columns {show(axes[1])}: pass matrix.T, or rename the "
            "axes if its rows are references"
        )
    unnamed = [type(side).__name__ == "RangeIndex" and side.name is None for side in sides]
    if any(unnamed) and list(sides[0]) != list(sides[1]):
        of_rows, of_columns = (
            "only numbers" if without else show(list(side))
            for side, without in zip(sides, unnamed, strict=True)
        )
        raise ValueError(
            f"`matrix` must name its rows as it names its columns, got {of_rows} as its index and "
            f"{of_columns} as its columns: set both to the classes, or, if rows and columns are in "
            "the same order, pass matrix.to_numpy() and labels="
        )
    rows, columns = (
        read_quickly(list(side), f"matrix.{name}")
        for side, name in zip(sides, ("index", "columns"), strict=True)
    )
    check_same_kind(rows, "matrix.index", columns, "matrix.columns")
    for column, name in ((rows, "matrix.index"), (columns, "matrix.columns")):
        check_distinct(column.tolist(), name)
    return rows, columns


def check_same_names(names: tuple[Column, Column], squared_weights: Any) -> None:
    """Raise ValueError if the squares of weights have other names than the weights."""
    of_squares = read_names(squared_weights)
    if of_squares is not None and any(
        side.tolist() != other.tolist() for side, other in zip(names, of_squares, strict=True)
    ):
        raise ValueError("`squared_weights` must have the same index and columns as `matrix`")


# What the rows are


def rows_are_predictions(rows: Any, columns: Any = None) -> bool:
    """Return whether the names of the axes of a matrix say that its rows are predictions.

    One name is enough if it is certain; two words such as "model" and "label" say so together.
    """
    (of_rows, sure_of_rows), (of_columns, sure_of_columns) = role_in(rows), role_in(columns)
    if of_rows == "predictions":
        return of_columns == "references" or (sure_of_rows and of_columns is None)
    return of_rows is None and of_columns == "references" and sure_of_columns


def words_of(name: Any) -> list[str]:
    """Return the words of a name, as in yTrue or predicted_label; none of what is not text."""
    spaced = re.sub("(?<=[a-z])(?=[A-Z])", " ", name) if isinstance(name, str) else ""
    return re.findall(r"[^\W\d_]+", spaced.lower().replace("y_hat", "yhat"))


def role_in(name: Any) -> tuple[str | None, bool]:
    """Return what an axis or a column holds, if its name says so, and whether that is certain."""
    words = words_of(name)
    for true, predicted in ((_TRUE, _PREDICTED), (_LABEL, _ANSWER)):
        is_true, is_predicted = (
            any(re.fullmatch(pattern, word) for word in words) for pattern in (true, predicted)
        )
        if is_true or is_predicted:
            role = "predictions" if is_predicted else "references"
            return (None if is_true and is_predicted else role), true == _TRUE
    return None, False


# Which lines are no class


def is_called_total(name: Any) -> bool:
    """Return whether a name is one that programs and people give to totals."""
    return isinstance(name, str) and bool(re.fullmatch(_TOTAL, name.strip(), re.IGNORECASE))


def check_no_totals(amounts: Numbers, names: tuple[Column, Column]) -> None:
    """Raise ValueError if the last row, the last column or both are totals, not classes.

    Both are if they have one name and are the sums of the others. One alone is if it has no
    counterpart. A matrix as small as 2 x 2 holds totals only if they are called so.
    """
    if min(amounts.shape) == 0:
        return
    found = [ends_in_sums(amounts, axis) for axis in (0, 1)]
    last = [side.tolist()[-1] for side in names]
    has_classes = max(amounts[:-1, :-1].any(axis=axis).sum() for axis in (0, 1)) > 1
    if all(found) and last[0] == last[1] and (has_classes or is_called_total(last[0])):
        raise ValueError(
            "`matrix` must hold only the counts of classes, got the sums of the others as its last "
            f"row and column, {show(last[0])}: leave them out; a class with such counts can be "
            "scored from its samples, or from its pairs with from_counts"
        )
    for axis, kind, other in ((0, "row", "column"), (1, "column", "row")):
        lines = np.moveaxis(amounts, axis, 0)
        has_lines = min(lines.shape) > 1 and lines[:-1].any(axis=1).sum() > 1
        is_total = found[axis] or _ends_in_mean(lines)
        if not (has_lines or is_called_total(last[axis])) or not is_total:
            continue
        if last[axis] not in names[1 - axis].tolist():
            raise ValueError(
                "`matrix` must hold only the counts of classes, got the sums or means of the "
                f"others as its last {kind}, {show(last[axis])}: leave it out; if it is a class, "
                f"give it a {other} too"
            )


def ends_in_sums(amounts: Numbers, axis: int) -> bool:
    """Return whether the last line along an axis is the sum of the others, within rounding."""
    lines = np.moveaxis(amounts, axis, 0)
    if len(lines) < 2 or not lines[-1].any():
        return False
    gap, largest = np.abs(lines[:-1].sum(axis=0) - lines[-1]).max(), lines[-1].max()
    if gap <= _SLACK * largest or gap > 0.05 * largest:
        return bool(gap <= _SLACK * largest)
    # each of the numbers is off by half a unit at most
    return bool(gap <= len(lines) * _unit(amounts) / 2 + _SLACK * largest)


def _unit(amounts: Numbers) -> float:
    """Return the unit that numbers were rounded to; 0 for counts, which are exact."""
    if (np.trunc(amounts) == amounts).all():
        return float(amounts.max() == 100)  # whole percentages
    for decimals in range(1, 7):
        if np.array_equal(amounts.round(decimals), amounts):
            return 10.0**-decimals
    return 0.0


def _ends_in_mean(lines: Numbers) -> bool:
    """Return whether the last of several lines of shares can be a mean of the others."""
    sums = lines.sum(axis=1)
    are_shares = any((np.abs(sums - whole) <= 0.02 * whole).all() for whole in (1, 100))
    if not are_shares or (np.trunc(lines) == lines).all():  # as many samples of each class
        return False
    others, unit = lines[:-1], _unit(lines) + _SLACK
    between = (others.min(axis=0) - unit <= lines[-1]) & (lines[-1] <= others.max(axis=0) + unit)
    return len(others) > 0 and bool(between.all())
