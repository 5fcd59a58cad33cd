"""The matrix on the page, whose cells are text, typed or pasted, until they are scored."""

import io
import re
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, TypeAlias

import numpy as np
from charts import plain, sentence
from limits import MAX_COUNT, MAX_GRID, Refusal

from informedness.core.labels import show
from informedness.files.layouts import rows_laid_out
from informedness.tables.doubts import warn_of_swapped
from informedness.tables.matrix import check_no_totals
from informedness.warnings import collected

Grid: TypeAlias = dict[str, Any]  # its "labels", and the rows of its "cells"

THOUSANDS = r"[1-9]\d{0,2}(?P<mark>[,.' \u2019\u00a0\u2009\u202f])\d{3}((?P=mark)\d{3})*"


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
        [count_of(cell, row, column) for cell, column in zip(line, labels, strict=True)]
        for line, row in zip(cells, labels, strict=True)
    ]
    return labels, matrix


def count_of(cell: str, row: str, column: str) -> float:
    """Return a cell as a number; an empty cell is 0, and thousands may be separated."""
    text = cell.strip() or "0"
    place = f"Row {row}, column {column}: {text[:40]}"
    grouped = re.fullmatch(THOUSANDS, text)
    if grouped and len(re.findall("[.,]", text)) == 1:
        raise Refusal(
            f"{place} could be a number of thousands or have three decimals: write "
            f"{re.sub('[.,]', '', text)} or {text}0."
        )
    if grouped:
        text = text.replace(grouped["mark"], "")
    try:
        number = float(text.replace(",", "."))  # a decimal comma
    except ValueError:
        raise Refusal(f"{place} is not a count.") from None
    if not 0 <= number < MAX_COUNT:
        raise Refusal(f"{place} must be a count from 0 to below {MAX_COUNT:,d}.")
    return int(number) if re.fullmatch("[0-9]+", text) else number


def is_number(cell: str) -> bool:
    """Return whether a cell of a pasted block is a count, not a name."""
    return bool(re.fullmatch(rf"[-+]?(\d+[.,]?\d*|[.,]\d+)(e[-+]?\d+)?|{THOUSANDS}", cell, re.I))


def pasted_matrix(text: str, old: Sequence[str]) -> tuple[Grid, str]:
    """Return the matrix in a pasted block, and a note on it; without names, classes keep theirs."""
    with collected() as notes:
        names, counts = parted(rows_of_block(text))
    k = len(counts)
    if k != len(counts[0]) or k < 2:
        raise Refusal(
            f"A matrix has a row and a column for each class, but this block has {k} rows and "
            f"{len(counts[0])} columns of counts."
        )
    if k > MAX_GRID:
        raise Refusal(
            f"The grid holds at most {MAX_GRID} classes, this matrix has {k}: paste the samples as "
            "columns, or send the matrix to the API."
        )
    new = [f"class {n}" for n in range(len(old) + 1, k + 1)]
    grid = grid_value(names or [*old[:k], *new], counts)
    check_no_totals(np.array(read_grid(grid)[1]))
    summary = f"Pasted a matrix of {k} classes{', with their names' if names else ''}."
    return grid, " ".join([summary, *(sentence(plain(note)) for note in notes)])


def is_matrix(text: str) -> bool:
    """Return whether a text can only be a matrix: of numbers, between names or in brackets."""
    if len(text.splitlines()) > MAX_GRID + 3:
        return False
    with collected(), suppress(ValueError):
        names, counts = parted(rows_of_block(text))
        has_form = bool(names) or text.lstrip().startswith(("[[", "array("))
        return has_form and all(is_number(cell or "0") for row in counts for cell in row)
    return False


def rows_of_block(text: str) -> list[list[str]]:
    """Return the cells of a block from a spreadsheet, a file, or a matrix that Python printed."""
    laid_out = rows_laid_out(io.BytesIO(text.encode(errors="replace"))) if "|" in text else None
    lines = (text if laid_out is None else b"".join(laid_out).decode()).strip("\r\n").splitlines()
    lines = lines or [""]
    separators = ["\t"] if "\t" in text else [";", r"\s+", ","]
    if re.match(r"\s*(array\()?\[\s*\[", text):
        lines, separators = re.findall(r"\[([^\[\]]*)\]", text), [r"[,\s]+"]
    for separator in separators:
        rows = [re.split(separator, line.strip(" ")) for line in lines]
        if len(rows) > 2 and rows[1][0] and not any(rows[1][1:]):  # pandas names the rows there
            rows[0][0] = f"{rows.pop(1)[0]} / {rows[0][0]}"
        if {len(row) for row in rows} == {1} or any(len(row) != len(rows[0]) for row in rows):
            continue
        if separator == "," and all(re.fullmatch(THOUSANDS, line) for line in lines):
            raise Refusal(
                f"{lines[0]} could be one count with a thousands separator, or several counts: "
                "paste from a spreadsheet, or put spaces between the counts."
            )
        if not any(cell.endswith(",") for row in rows for cell in row):
            return [[cell.strip() for cell in row] for row in rows]
    raise Refusal(
        "This block is no matrix, whose rows have equally many cells, at least two: copy the whole "
        "matrix from a spreadsheet, or separate the cells by semicolons."
    )


def parted(block: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """Return the names of the classes in a block, if it has any, and its counts.

    Names are above and on the left of the counts if the corner is no count. It names the rows, or
    the rows and the columns as in Actual / Predicted.
    """
    first, left = block[0], [row[0] for row in block]
    if len(block) != len(first) or len(block) < 2 or is_number(first[0]):
        return [], block
    warn_of_swapped(*map(str.strip, re.split(r"[\\/|]", f"{first[0]}/")[:2]))
    above, beside, counts = first[1:], left[1:], [row[1:] for row in block[1:]]
    if sorted(above) != sorted(beside):
        raise Refusal(
            "The rows and columns of a matrix must have the same names, but in this block the rows "
            f"are {', '.join(map(show, beside))} and the columns {', '.join(map(show, above))}."
        )
    order = [above.index(name) for name in beside]
    return beside, [[row[place] for place in order] for row in counts]
