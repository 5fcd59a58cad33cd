"""Confusion matrices as they are handed over: the names of rows and columns, and totals."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..core.labels import Column, Numbers, check_distinct, check_same_kind, show
from .doubts import warn_of_swapped
from .fast import read_quickly

_SLACK = 1e-9  # of sums of floating point numbers, relative to the largest


def read_names(frame: Any) -> tuple[Column, Column] | None:
    """Return the names of the rows and columns of a data frame, None for an array.

    Raises
    ------
    ValueError
        If only the columns have names, so that the classes of the rows would rest on their order
        alone; or if names are not labels, differ in type, or occur twice.
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
    warn_of_swapped(*(side.name for side in sides))
    unnamed = [type(side).__name__ == "RangeIndex" and side.name is None for side in sides]
    if any(unnamed) and list(sides[0]) != list(sides[1]):
        raise ValueError(
            f"`matrix` must name its rows as it names its columns, got {show([*sides[0]])} as its "
            f"index and {show([*sides[1]])} as its columns: set both to the classes, or, if rows "
            "and columns are in the same order, pass matrix.to_numpy() and labels="
        )
    rows = read_quickly(list(frame.index), "matrix.index")
    columns = read_quickly(list(frame.columns), "matrix.columns")
    check_same_kind(rows, "matrix.index", columns, "matrix.columns")
    check_distinct(rows.tolist(), "matrix.index")
    check_distinct(columns.tolist(), "matrix.columns")
    return rows, columns


def check_same_names(names: tuple[Column, Column], squared_weights: Any) -> None:
    """Raise ValueError if the squares of weights have other names than the weights."""
    of_squares = read_names(squared_weights) or names
    if [side.tolist() for side in names] != [side.tolist() for side in of_squares]:
        raise ValueError("`squared_weights` must have the same index and columns as `matrix`")


def check_no_totals(amounts: Numbers) -> None:
    """Raise ValueError if the last row and the last column are the sums of the others."""
    if min(amounts.shape) < 3 or not amounts.any():
        return
    rows = np.abs(amounts[:-1].sum(axis=0) - amounts[-1])
    columns = np.abs(amounts[:, :-1].sum(axis=1) - amounts[:, -1])
    if max(rows.max(), columns.max()) <= _SLACK * amounts.max():
        raise ValueError(
            "`matrix` must hold only the counts of classes, got the sums of the others as its last "
            "row and column: leave them out, or give labels= if they are a class"
        )
