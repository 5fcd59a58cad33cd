"""Count contingency tables from labels, a matrix or the matrix on the page, within the limits."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from limits import MAX_BLOCK, MAX_CLASSES, MAX_COUNT, MAX_GRID, MAX_LABEL, MAX_ROWS, WORDS, Refusal

from informedness import ContingencyTable
from informedness.core.labels import Column, read_column, show, warn
from informedness.errors import prefix_errors
from informedness.tables.label_warnings import warn_of_shares, warn_of_swapped
from informedness.tables.matrix import check_no_totals, is_matrix, parse_count, parse_matrix
from informedness.warnings import collected

ROLES = ("references", "predictions")


class Answers(NamedTuple):
    """An account of what was read, its warnings, and the table of a model.

    To compare models there are columns of references and predictions instead, and their classes.
    """

    account: str = ""
    notes: Sequence[Warning] = ()
    table: Any = None
    columns: Sequence[Sequence[Any]] = ()
    task_options: Mapping[str, Any] = {}


def check_labels(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Convert labels to a column, within the limits."""
    if isinstance(values, list) and len(values) > MAX_ROWS:
        refusal = f"At most {MAX_ROWS:,d} rows can be scored here, got {len(values):,d}."
        raise Refusal(f"{refusal} {WORDS['local_remedy']}")
    column = read_column(values, name, allow_missing=allow_missing)
    texts = [label for label in column.tolist() if isinstance(label, str)]
    "".join(texts).encode()  # raises for half a character, which no response could send back
    longest = max(texts, key=len, default="")
    if len(longest) > MAX_LABEL:
        found = f"one of the {name} has {len(longest):,d}: {show(longest)}"
        raise Refusal(f"A label can have at most {MAX_LABEL} characters, but {found}")
    return column


def check_classes(table: ContingencyTable) -> ContingencyTable:
    """Refuse a table with more classes, or longer names, than this page scores."""
    check_labels([label for label in table.labels if label is not None], "labels")
    if (k := len(table.labels)) > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} classes can be scored here, got {k:,d}.")
    return table


def table_of_labels(
    references: Any, predictions: Any, labels: Any = None, unknown: str = "error", **more: Any
) -> ContingencyTable:
    """Count the table of two columns of labels, within the limits; `more` may be ignore_index."""
    references = check_labels(references, "references")
    predictions = check_labels(predictions, "predictions", unknown == "wrong")
    with collected():
        table = ContingencyTable.from_labels(
            references=references, predictions=predictions, labels=labels, unknown=unknown, **more
        )
    return check_classes(table)


def tables_of_models(
    references: Any, predictions: Mapping[str, Any], **options: Any
) -> list[ContingencyTable]:
    """Count the table of each model; an error starts with the name of the model."""
    tables = []
    for name, column in predictions.items():
        with prefix_errors(name):
            tables.append(table_of_labels(references, column, **options))
    return tables


def table_of_matrix(
    matrix: Any, labels: Any = None, declared: bool | None = True, has_percent: bool = False
) -> ContingencyTable:
    """Convert a confusion matrix (rows are references) to a table, within the limits.

    Unless `declared`, classes are those of the references. None is decided by the matrix: False
    if a class has no references, else True. A matrix of shares has no number of samples. Shares
    have decimals or %, and sum to 1 or to 100: in each row, or in all rows together.
    """
    if isinstance(matrix, list) and {*map(np.size, matrix)} != {len(matrix)}:
        raise Refusal("The matrix must be square: each row needs as many counts as there are rows.")
    table = check_classes(ContingencyTable.from_matrix(matrix, labels=labels))
    if declared is False or (declared is None and not table.reference_totals.all()):
        table = replace(table, is_declared=False)
    totals = table.reference_totals[table.reference_totals > 0]
    if all(isinstance(amount, int) for row in matrix for amount in row):
        if (totals == 100).all():
            warn(
                "each row of `matrix` sums to 100: if these are percentages, write them with "
                "decimals, as in 92.0, to get no interval"
            )
        return table
    sums = [(x, whole) for x in (totals, totals.sum()) for whole in (1, 100)]
    if not any(np.allclose(x, whole, rtol=0.01, atol=0) for x, whole in sums):
        if has_percent:
            raise Refusal("Percentages must sum to 100 in each row, or in all rows together.")
        return table
    warn("`matrix` holds shares of an unknown number of samples, so there is no interval")
    warn_of_shares(totals)
    return replace(table, counts=table.counts.astype(float), n_samples=None)


# The matrix on the page, whose cells are text until they are scored


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
        where = f"Row {show(row)}, column {show(column)}: {show(cell.strip())}"
        raise Refusal(f"{where} must be a count from 0 to below {MAX_COUNT:,d}.")
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
        raise Refusal(f"A matrix can have at most {MAX_BLOCK:,d} characters, not {len(text):,d}.")
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
