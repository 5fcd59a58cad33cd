"""Confusion matrices as they are handed over: the names of rows and columns, and totals.

Tested in tests/test_inputs.py.
"""

from typing import Any

import numpy as np

from ..core.labels import Column, Label, Numbers, check_distinct, check_same_kind, read_column, show
from ..core.table import Table
from ..errors import naming
from ..text.layout import Result, Rows
from ..text.render import amount, cut_apart, samples, shown
from .containers import read_quickly
from .matrix_text import count_of, matrix_of_text, same_names

_SLACK = 1e-9  # of sums of floating point numbers, relative to the largest


def read_matrix(matrix: Any) -> tuple[tuple[Column, Column] | None, Any]:
    """Return the names of the rows and columns of a matrix if it has some, and its amounts."""
    if not isinstance(matrix, str):
        return read_names(matrix), matrix
    names, cells, _ = matrix_of_text(matrix)
    labels = read_column(names, "labels")
    with naming("`matrix`"):
        return (labels, labels) if names else None, [[*map(count_of, row)] for row in cells]


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
    texts = (columns.tolist(), rows.tolist()) if rows.kind == "strings" else ((), ())
    above, beside, _ = same_names(*texts, *(side.name for side in sides))
    return (read_column(beside, "x"), read_column(above, "x")) if above else (rows, columns)


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


_MOST_IN_MATRIX = 20  # classes


# A contingency table


class Matrix(Result):
    """The cells of a table, or those of the classes with the most references if it has many."""

    def __init__(self, table: Table, has_totals: bool = False) -> None:
        self.table, self.has_totals = table, has_totals

    def text_tables(self) -> list[Rows]:
        """Return the cells below the predictions and beside the references."""
        _, labels, cells = most_frequent(self.table, _MOST_IN_MATRIX)
        corner = "reference \\ prediction" if self.has_totals else ""
        columns = cut_apart(list(map(shown, labels)), 20)
        rows = columns[: len(cells)]
        if self.has_totals:
            cells = np.vstack([cells, cells.sum(axis=0)])
            cells = np.column_stack([cells, cells.sum(axis=1)])
            rows, columns = [*rows, "total"], [*columns, "total"]
        body = [[name, *map(amount, row)] for name, row in zip(rows, cells.tolist(), strict=True)]
        return [[[corner, *columns], *body]]

    def text_lines(self) -> list[str]:
        """Return what stands in rows and columns, and how much of the table is shown."""
        lines = [f"{samples(self.table.n_samples)}: rows are references, columns are predictions"]
        n_classes = int(np.count_nonzero(self.table.is_class))
        if n_classes > _MOST_IN_MATRIX:
            most = "the ones with the most references"
            lines.append(f"{_MOST_IN_MATRIX} of {n_classes} classes, {most}")
        return lines


def most_frequent(table: Table, n: int) -> tuple[list[int], list[Label | None], Numbers]:
    """Return the n classes with the most references, in their order, and the cells of these.

    They are rows by position, the labels of the columns, and the cells. The columns end with one of
    all answers that are no class, if there are such: None, or their label if they have one.
    """
    classes = np.flatnonzero(table.is_class)
    order = np.argsort(-table.reference_totals[classes], kind="stable")
    rows = np.sort(classes[order[:n]])
    shown_cells = np.isin(table.rows, rows) & np.isin(table.columns, rows)
    i, j = table.rows[shown_cells], table.columns[shown_cells]
    cells = np.zeros((len(rows), len(rows)), dtype=table.counts.dtype)
    cells[np.searchsorted(rows, i), np.searchsorted(rows, j)] = table.counts[shown_cells]
    labels = [table.labels[code] for code in rows]
    if table.outside_totals.any():
        outside = np.flatnonzero(~table.is_class & (table.prediction_totals > 0))
        labels.append(table.labels[outside[0]] if len(outside) == 1 else None)
        cells = np.column_stack([cells, table.outside_totals[rows]])
    return rows.tolist(), labels, cells
