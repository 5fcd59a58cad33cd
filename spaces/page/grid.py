"""The matrix on the page, whose cells are text, typed or pasted, until they are scored."""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from charts import plain, sentence
from limits import MAX_BLOCK, MAX_COUNT, MAX_GRID, Refusal

from informedness.core.labels import show
from informedness.tables.matrix import check_no_totals
from informedness.tables.matrix_text import count_of, matrix_of_text
from informedness.warnings import collected

Grid: TypeAlias = dict[str, Any]  # its "labels", and the rows of its "cells"


def grid_value(labels: Sequence[Any], matrix: Sequence[Sequence[Any]]) -> Grid:
    """Return a matrix as the page holds it."""
    cells = [list(map(str, row)) for row in matrix]
    return {"labels": list(map(str, labels)), "cells": cells}


def read_grid(grid: Grid) -> tuple[list[str], list[list[float]]]:
    """Return the classes of a grid, and its counts."""
    labels, cells = grid["labels"], grid["cells"]
    for number, label in enumerate(labels, start=1):
        if not label:
            raise Refusal(f"Class {number} has no name.")
        if label in labels[: number - 1]:
            raise Refusal(f"Two classes are called {show(label)}: give each its own name.")
    matrix = [
        [count_at(cell, row, column) for cell, column in zip(line, labels, strict=True)]
        for line, row in zip(cells, labels, strict=True)
    ]
    return labels, matrix


def count_at(cell: str, row: str, column: str) -> float:
    """Return a cell as a number, within the limits."""
    try:
        number = count_of(cell)
    except ValueError as error:
        raise Refusal(f"Row {row}, column {column}: {error}.") from None
    if not 0 <= number < MAX_COUNT:
        raise Refusal(
            f"Row {row}, column {column}: {cell.strip()[:40]} must be a count from 0 to below "
            f"{MAX_COUNT:,d}."
        )
    return number


def pasted_matrix(text: str, old: Sequence[str]) -> tuple[Grid, str]:
    """Return the matrix in a pasted block, and a note on it; without names, classes keep theirs."""
    if len(text) > MAX_BLOCK:
        raise Refusal(
            f"A matrix can have at most {MAX_BLOCK:,d} characters, this has {len(text):,d}."
        )
    with collected() as notes:
        names, cells = matrix_of_text(text)
    k = len(cells)
    if k > MAX_GRID:
        raise Refusal(
            f"The grid holds at most {MAX_GRID} classes, this matrix has {k}: paste the samples as "
            "columns, or send the matrix to the API."
        )
    new = [f"class {n}" for n in range(len(old) + 1, k + 1)]
    grid = grid_value(names or [*old[:k], *new], cells)
    check_no_totals(np.array(read_grid(grid)[1]))
    summary = f"Pasted a matrix of {k} classes{', with their names' if names else ''}."
    return grid, " ".join([summary, *(sentence(plain(note)) for note in notes)])
