"""Count contingency tables from labels or a matrix, within the limits."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
from limits import AT_HOME, MAX_CLASSES, MAX_LABEL, MAX_ROWS, Refusal

from informedness import ContingencyTable
from informedness.core.labels import Column, read_column, show, warn
from informedness.errors import prefix_errors
from informedness.tables.label_warnings import warn_of_shares
from informedness.warnings import collected

ROLES = ("references", "predictions")


class Answers(NamedTuple):
    """References, predictions of each model, an account of what was read, warnings, and classes.

    Rows that stand for several samples have a table instead of columns.
    """

    columns: Sequence[Sequence[Any]]
    account: str = ""
    notes: Sequence[Warning] = ()
    of_task: Mapping[str, Any] = {}
    table: ContingencyTable | None = None


def check_labels(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Convert labels to a column, within the limits."""
    if isinstance(values, list) and len(values) > MAX_ROWS:
        raise Refusal(
            f"At most {MAX_ROWS:,d} rows can be scored here, got {len(values):,d}. {AT_HOME}"
        )
    column = read_column(values, name, allow_missing=allow_missing)
    texts = [label for label in column.tolist() if isinstance(label, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # no response could send it back
        raise Refusal(f"The {name} must be UTF-8 text, but one holds half a character.") from None
    longest = max(texts, key=len, default="")
    if len(longest) > MAX_LABEL:
        raise Refusal(
            f"A label can have at most {MAX_LABEL} characters, but one of the {name} has "
            f"{len(longest):,d}: {show(longest)}"
        )
    return column


def check_n_classes(k: int) -> None:
    """Refuse more classes than this page scores."""
    if k > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} classes can be scored here, got {k:,d}.")


def check_classes(table: ContingencyTable) -> None:
    """Refuse a table with more classes, or longer names, than this page scores."""
    check_labels([label for label in table.labels if label is not None], "labels")
    check_n_classes(len(table.labels))


def table_of_labels(
    references: Any, predictions: Any, labels: Any = None, unknown: str = "error", **more: Any
) -> ContingencyTable:
    """Count the table of two columns of labels, within the limits; `more` may be ignore_index."""
    columns: dict[str, Any] = {
        "references": check_labels(references, "references"),
        "predictions": check_labels(predictions, "predictions", unknown == "wrong"),
    }
    if labels is not None:
        columns["labels"] = check_labels(labels, "labels")
    check_n_classes(len({label for column in columns.values() for label in column.tolist()}))
    with collected():
        return ContingencyTable.from_labels(**columns, unknown=unknown, **more)


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
    if a class has no references, else True.
    """
    rows = matrix if isinstance(matrix, list) else []  # others are refused below
    check_n_classes(k := len(rows))
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != k:
            raise Refusal(f"The matrix must be square, but row {i} is no list of {k} counts.")
    classes = None if labels is None else check_labels(labels, "labels")
    table = ContingencyTable.from_matrix(matrix, labels=classes)
    if declared is False or (declared is None and not table.reference_totals.all()):
        table = replace(table, is_declared=False)
    return _as_written(table, matrix, has_percent)


def _as_written(
    table: ContingencyTable, matrix: Sequence[Sequence[float]], has_percent: bool
) -> ContingencyTable:
    """Remove the number of samples from a table if its matrix is written in shares.

    Shares have decimals or %, and sum to 1 or to 100: in each row, or in all rows together.
    """
    totals = table.reference_totals[table.reference_totals > 0]
    if all(isinstance(amount, int) for row in matrix for amount in row):
        if (totals == 100).all():
            warn(
                "each row of `matrix` sums to 100: if these are percentages, write them with "
                "decimals, as in 92.0, and there is no interval"
            )
        return table
    if not _sum_as_shares(totals) and not _sum_as_shares(totals.sum()):
        if has_percent:
            raise Refusal("Percentages must sum to 100 in each row, or in all rows together.")
        return table
    warn("`matrix` holds shares of an unknown number of samples, so there is no interval")
    warn_of_shares(totals)
    return replace(table, counts=table.counts.astype(float), n_samples=None)


def _sum_as_shares(sums: Any) -> bool:
    """Say whether all sums are 1, or all are 100, except for rounding."""
    return any(bool((np.abs(sums / whole - 1) <= 0.01).all()) for whole in (1, 100))
