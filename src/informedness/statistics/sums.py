"""Sums of the cells of a table: what scores, their errors and their intervals are computed from."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ..core.labels import Numbers
from ..core.table import Table

AnyTable = TypeVar("AnyTable", bound=Table)


class Differences(NamedTuple):
    """Sums of a table, of shape (k,), that plain counts give exactly by subtraction."""

    false_positives: Numbers  # c - h
    other_references: Numbers  # N - r
    other_predictions: Numbers  # N - c


@dataclass(frozen=True)
class Sums:
    """What scores are computed from: sums of a table's cells by class, of shape (k,).

    For n tables at once the shape is (k, n), and (n,) for `total`; the same formulas then give n
    scores.
    """

    hits: Numbers
    references: Numbers
    predictions: Numbers
    total: Any
    occurring: Numbers
    """Which classes occur in the table, of shape (k,); unknown answers are not a class."""
    differences: Differences | None = None
    """Given where subtraction would lose digits."""

    @cached_property
    def false_positives(self) -> Numbers:
        """Wrong predictions of each class, c - h."""
        return self.predictions - self.hits if self.differences is None else self.differences[0]

    @cached_property
    def other_references(self) -> Numbers:
        """Samples whose reference is another class, N - r."""
        return self.total - self.references if self.differences is None else self.differences[1]

    @cached_property
    def other_predictions(self) -> Numbers:
        """Samples whose prediction is another class, N - c."""
        return self.total - self.predictions if self.differences is None else self.differences[2]

    @cached_property
    def prevalence(self) -> Numbers:
        """Share of the references, r/N."""
        return self.references / self.total

    @cached_property
    def bias(self) -> Numbers:
        """Share of the predictions, c/N."""
        return self.predictions / self.total

    @cached_property
    def tpr(self) -> Numbers:
        """Recall h/r, nan for a class absent from the references."""
        return ratio(self.hits, self.references)

    @cached_property
    def fpr(self) -> Numbers:
        """False positive rate (c - h)/(N - r), nan where all references are of the class."""
        return ratio(self.false_positives, self.other_references)


def sums_of(table: Table) -> Sums:
    """Return the sums of a table."""
    h, r, c = table.hits, table.reference_totals, table.prediction_totals
    differences = None
    if table.is_weighted:
        others = table.other_references, table.other_predictions
        differences = Differences(table.false_positives, *others)
    return Sums(h, r, c, table.total, occurring(table), differences)


def occurring(table: Table) -> Numbers:
    """Return which classes have a reference or a prediction; unknown answers are not a class."""
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    if table.labels[-1] is None:
        occur[-1] = False
    return occur


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Return the quotients, nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


def quotient(numerator: Any, denominator: Numbers) -> Numbers:
    """Return the quotients, 0 where the denominator is 0."""
    return np.where(denominator > 0, ratio(numerator, denominator), 0.0)


def transposed(table: AnyTable) -> AnyTable:
    """Return the table with references and predictions swapped."""
    order = np.lexsort((table.rows, table.columns))
    squares = table.squared_weights
    return replace(
        table,
        rows=table.columns[order],
        columns=table.rows[order],
        counts=table.counts[order],
        squared_weights=None if squares is None else squares[order],
    )


def squared_weights(table: Table) -> Numbers:
    """Return the sum of squared weights of each cell; without weights that is its count."""
    squares = table.squared_weights if table.is_weighted else table.counts
    known = squares is not None and (squares > 0).all()
    if squares is None or not (known and np.isfinite(squares.sum(dtype=np.float64))):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels with weights between 1e-150 and 1e150, or pass squared_weights="
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Return (sum w)^2 / sum w^2, which is the number of samples if there are no weights."""
    total = float(table.total)
    return total * (total / float(squared_weights(table).sum()))  # whose square may overflow


def gaps(values: Numbers, mean: Any, scale: Numbers) -> Numbers:
    """Return how far values are from their mean: 0 within the rounding of terms of this size.

    So that the error of a constant predictor is 0, and not 1e-17.
    """
    away = values - mean
    return np.where(np.abs(away) > 1e-14 * scale, away, 0.0)
