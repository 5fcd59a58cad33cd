"""Read the matrix on the page, whose cells are text until they are scored."""

import re
from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from data import table_of_matrix
from limits import MAX_BLOCK, MAX_COUNT, MAX_GRID, Refusal

from informedness import ContingencyTable
from informedness.core.labels import show
from informedness.tables.label_warnings import warn_of_swapped
from informedness.tables.matrix import check_no_totals, is_matrix, parse_count, parse_matrix
from informedness.warnings import collected

# "labels"; "cells" by row; "declared": whether classes without references count (None: not chosen);
# "axes": their names, if a pasted block had some
Grid: TypeAlias = dict[str, Any]

_PERCENT = re.compile(r"(?<=\d)\s*%")


def grid_value(
    labels: Sequence[Any],
    matrix: Sequence[Sequence[Any]],
    declared: bool | None = None,
    axes: Sequence[str] = (),
) -> Grid:
    """Convert a matrix to the value of the grid on the page."""
    cells = [list(map(str, row)) for row in matrix]
    grid = {"labels": list(map(str, labels)), "cells": cells}
    return {**grid, "declared": declared, "axes": [*axes]}


def table_of_grid(grid: Grid) -> ContingencyTable:
    """Convert a grid to a table, with warnings about its cells and its axes."""
    labels, matrix = read_grid(grid)
    if len(grid["axes"]) == 2:
        warn_of_swapped(*grid["axes"])
    has_percent = any("%" in cell for row in grid["cells"] for cell in row)
    return table_of_matrix(matrix, labels, grid["declared"], has_percent)


def read_grid(grid: Grid) -> tuple[list[str], list[list[float]]]:
    """Read the classes of a grid, and its counts: integers where they are written as such."""
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
    """Convert a cell to a number, within the limits; a percentage becomes a float."""
    try:
        text = cell if "(" in cell else _PERCENT.sub("", cell)
        number = parse_count(text)
    except ValueError as error:
        raise Refusal(f"Row {show(row)}, column {show(column)}: {error}.") from None
    if not 0 <= number < MAX_COUNT:
        raise Refusal(
            f"Row {show(row)}, column {show(column)}: {show(cell.strip())} must be a count from 0 "
            f"to below {MAX_COUNT:,d}."
        )
    return number if text == cell else float(number)


def is_empty(grid: Grid) -> bool:
    """Say whether all cells of a grid are blank or 0."""
    return not any(cell.strip(" 0") for row in grid["cells"] for cell in row)


def is_block(text: str) -> bool:
    """Say whether a text can only be a matrix, and is not too long for the grid."""
    is_small = len(text) <= MAX_BLOCK and len(text.splitlines()) <= MAX_GRID + 3
    return is_small and (is_matrix(text) or is_matrix(_PERCENT.sub("", text)))


def pasted_matrix(text: str, old: Sequence[str]) -> tuple[Grid, str]:
    """Parse a pasted matrix, with a note on it; classes without names keep their old names."""
    if len(text) > MAX_BLOCK:
        raise Refusal(
            f"A matrix can have at most {MAX_BLOCK:,d} characters, this has {len(text):,d}."
        )
    with collected():  # `table_of_grid` repeats these warnings
        plain_text = text if "(" in text or is_matrix(text) else _PERCENT.sub("", text)
        names, cells, titles = parse_matrix(plain_text)
        if plain_text != text:
            cells = [[f"{cell}%" for cell in row] for row in cells]
    k = len(cells)
    if k > MAX_GRID:
        raise Refusal(
            f"The grid holds at most {MAX_GRID} classes, this matrix has {k}: paste the samples as "
            "columns, or send the matrix to the API."
        )
    new = [f"class {n}" for n in range(len(old) + 1, k + 1)]
    grid = grid_value(names or [*old[:k], *new], cells, axes=titles if all(titles) else ())
    check_no_totals(np.array(read_grid(grid)[1]))
    summary = f"Pasted a matrix of {k} classes{', with their names' if names else ''}."
    return grid, summary
