"""Confusion matrices as they are handed over: what their rows are, and which lines are no class."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import numpy as np

from ..core.labels import (
    Column,
    LabelsWarning,
    Numbers,
    check_distinct,
    check_same_kind,
    show,
    warn,
)
from ..core.table import Table
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
_ONLY = "`matrix` must hold only the counts of classes, got"
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


def check_roles(names: Mapping[str, str]) -> None:
    """Warn if the names of columns, by argument, say that the two sides are swapped.

    Raises
    ------
    ValueError
        If a column is given as amounts and as something else.
    """
    for amounts in {"counts", "weights"} & {*names}:
        if [*names.values()].count(names[amounts]) > 1:
            raise ValueError(
                f"`{amounts}` must name a column of its own, got {names[amounts]!r}, which holds "
                "labels, too"
            )
    references = names.get("references")
    for argument, name in names.items():
        of_both, is_sure = zip(role_in(references), role_in(name), strict=True)
        if (
            argument.startswith("predictions")
            and of_both == ("predictions", "references")
            and any(is_sure)
        ):
            warn(
                f"column {references!r} is given as references and {name!r} as predictions, but "
                "their names say the opposite: swap them",
                LabelsWarning,
            )
            return


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
    """Raise ValueError if the last row, the last column or both are no classes, or the first.

    Both are totals if they have one name and are the sums of the others. One alone is if it has no
    counterpart. A matrix as small as 2 x 2 holds totals only if they are called so. Shares beside
    counts are recalls or errors.
    """
    if min(amounts.shape) == 0:
        return
    for where, order in (("last", slice(None)), ("first", slice(None, None, -1))):
        turned = amounts[order, order]
        sides = [side[order].tolist() for side in names]
        found = [ends_in_sums(turned, axis) for axis in (0, 1)]
        last, inner = [side[-1] for side in sides], turned[:-1, :-1]
        has_classes = max(inner.any(axis=axis).sum() for axis in (0, 1)) > 1
        if all(found) and last[0] == last[1] and (has_classes or is_called_total(last[0])):
            raise ValueError(
                f"{_ONLY} the sums of the others as its {where} row and column, {show(last[0])}: "
                "leave them out; a class with such counts can be scored from its samples, or from "
                "its pairs with from_counts"
            )
        for axis, kind, other in ((0, "row", "column"), (1, "column", "row")):
            lines, has_other = np.moveaxis(turned, axis, 0), last[axis] in sides[1 - axis]
            name = show(last[axis])
            are_counts = where == "last" and _are_whole(inner)
            if are_counts and _ends_in_recall(lines, inner.diagonal()):
                raise ValueError(
                    f"{_ONLY} shares beside counts as its {where} {kind}, {name}: leave it out"
                )
            # few classes of few samples are sums by chance; totals that come first are called so
            has_lines = where == "last" and inner.size and lines[:-1].any(axis=1).sum() > 1
            is_total = found[axis] or _ends_in_mean(lines)
            if is_total and not has_other and (has_lines or is_called_total(last[axis])):
                raise ValueError(
                    f"{_ONLY} the sums or means of the others as its {where} {kind}, {name}: leave "
                    f"it out; if it is a class, give it a {other} too"
                )


def warn_of_totals(table: Table, of_counts: bool = True) -> None:
    """Warn of a class that is called a total: of counts, if it has the sums of all others.

    Of samples, if it occurs once, beside a number.
    """
    sides = (table.rows, table.columns), (table.columns, table.rows)
    totals = table.prediction_totals, table.reference_totals
    for code, label in enumerate(table.labels):
        if not is_called_total(label) or table.declared:
            continue
        cell = table.rows == code
        beside = [str(table.labels[column]) for column in table.columns[cell]]
        is_once = not of_counts and table.counts[cell].tolist() == [1]
        if is_once and re.fullmatch(r"[\d.,]+", beside[0]):
            warn(
                f"{show(label)} occurs once among the references: leave out the row of totals, or "
                "declare it in `labels`",
                LabelsWarning,
            )
            return
        for (here, there), sums in zip(sides if of_counts else (), totals, strict=False):
            cells, whole = table.counts[here == code], sums[there[here == code]]
            if len(cells) and np.allclose(2 * cells, whole, rtol=_SLACK):
                warn(
                    f"the counts of {show(label)} are the sums of all others: leave them out, or "
                    "declare it in `labels`",
                    LabelsWarning,
                )
                return


def warn_of_shares(amounts: Numbers) -> None:
    """Warn of a matrix whose rows or columns are shares, which do not say how common a class is."""
    for axis, kind, lost in ((1, "row", "classes"), (0, "column", "predictions")):
        sums = amounts.sum(axis=axis)
        if not _are_whole(amounts) and _are_one_whole(sums[sums > 0]):
            warn(
                f"each {kind} of `matrix` sums to {round(sums.max())}: if these are shares of the "
                f"{kind}, not counts, the score is the one for equally common {lost}"
            )
            return


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


def _are_whole(amounts: Numbers) -> bool:
    return bool((np.trunc(amounts) == amounts).all())


def _are_one_whole(sums: Numbers) -> bool:
    """Return whether sums of shares are all 1, or all 100, within rounding."""
    return any(bool((np.abs(sums - whole) <= 0.02 * whole).all()) for whole in (1, 100))


def _unit(amounts: Numbers) -> float:
    """Return the unit that numbers were rounded to; 0 for counts, which are exact."""
    if _are_whole(amounts):
        return float(amounts.max() == 100)  # whole percentages
    for decimals in range(1, 7):
        if np.array_equal(amounts.round(decimals), amounts):
            return 10.0**-decimals
    return 0.0


def _ends_in_recall(lines: Numbers, hits: Numbers) -> bool:
    """Return whether the last of several lines says which share of each sum is hits, or is none."""
    line, sums = lines[-1][: len(hits)], lines[:-1].sum(axis=0)[: len(hits)]
    recalls = hits / np.maximum(sums, _SLACK)
    is_told = (recalls > 0.01) & (recalls < 0.99)  # where a weight near 0 or 1 is no recall
    if len(line) < 2 or _are_whole(line) or not is_told.any():
        return False
    made = (recalls, 1 - recalls, 100 * recalls, 100 - 100 * recalls)
    return any(bool((np.abs(line - one) <= 0.0051).all()) for one in made)


def _ends_in_mean(lines: Numbers) -> bool:
    """Return whether the last of several lines of shares can be a mean of the others."""
    if not _are_one_whole(lines.sum(axis=1)) or _are_whole(lines):  # as many samples of each class
        return False
    others, unit = lines[:-1], _unit(lines) + _SLACK
    between = (others.min(axis=0) - unit <= lines[-1]) & (lines[-1] <= others.max(axis=0) + unit)
    return len(others) > 0 and bool(between.all())
