"""Sums of cells by class, and derivatives of scores by the shares of cells.

Tested in tests/test_no_class.py.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from ..core.labels import Numbers
from ..core.table import Classes, Table, sums_of_others


@dataclass
class ClassSums:
    """Sums of cells by class, under the names that a `Table` has for them.

    For n tables they have the shape (k, n), the totals (n,), so that a formula gives n scores.
    """

    labels: Classes
    hits: Numbers
    reference_totals: Numbers
    prediction_totals: Numbers
    total: Any
    false_positives: Numbers
    false_negatives: Numbers
    other_references: Numbers
    other_predictions: Numbers
    outside_totals: Any = 0.0
    is_class: Any = np.True_
    spread_false_positives = Table.spread_false_positives  # of these sums

    @classmethod
    def of_tables(cls, tables: Sequence[Table]) -> ClassSums:
        """Return those of n tables with the same labels; a third of the time of one by one."""
        labels, known = tables[0].labels, tables[0].is_class
        n = len(tables)
        starts = np.repeat(np.arange(n) * len(labels), [len(table.rows) for table in tables])
        cells = zip(*((table.rows, table.columns, table.counts) for table in tables), strict=True)
        rows, columns, counts = map(np.concatenate, cells)
        codes = tuple(range(len(labels) * n))
        joint = Table(codes, True, rows + starts, columns + starts, counts, known=np.tile(known, n))
        totals = joint.hits, joint.reference_totals, joint.prediction_totals
        errors = joint.false_positives, transposed(joint).false_positives, joint.outside_totals
        h, r, c, wrong, missed, outside = (sums.reshape(n, -1).T for sums in (*totals, *errors))
        others = sums_of_others(r), sums_of_others(c)
        return cls(labels, h, r, c, r.sum(axis=0), wrong, missed, *others, outside, known[:, None])

    def swapped(self) -> ClassSums:
        """Return the sums of references and predictions swapped."""
        return replace(
            self,
            reference_totals=self.prediction_totals,
            prediction_totals=self.reference_totals,
            false_positives=self.false_negatives,
            false_negatives=self.false_positives,
            other_references=self.other_predictions,
            other_predictions=self.other_references,
        )


Sums: TypeAlias = Table | ClassSums


def side_totals(sums: Sums, side: str) -> Numbers:
    """Return the total of each class on a side, "references" or "predictions"."""
    return sums.reference_totals if side == "references" else sums.prediction_totals


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Return the quotients, nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


def quotient(numerator: Any, denominator: Numbers) -> Numbers:
    """Return the quotients, 0 where the denominator is 0."""
    return np.where(denominator > 0, ratio(numerator, denominator), 0.0)


def gaps(values: Numbers, mean: Any, scale: Numbers) -> Numbers:
    """Return how far values are from their mean: 0 within the rounding of terms of this size.

    So that the error of a constant predictor is 0, and not 1e-17.
    """
    differences = values - mean
    return np.where(np.abs(differences) > 1e-14 * scale, differences, 0.0)


def transposed(table: Table) -> Table:
    """Return the table with references and predictions swapped, its cells in the old order.

    All its labels are classes, whether or not they are predicted.
    """
    known = np.ones(len(table.labels), dtype=bool)
    return replace(table, rows=table.columns, columns=table.rows, known=known)


class Gradient(NamedTuple):
    """Derivatives a_i + b_j + u_i [i = j] of a score by the shares p_ij.

    Where answers that are no class are spread, a_i + m_i is that by the share of those to class i.
    """

    a: Numbers
    b: Numbers
    u: Numbers
    m: Numbers | None = None

    def of_cells(self, table: Table) -> Numbers:
        """Return the derivative by the share of each cell."""
        i, j = table.rows, table.columns
        b = self.b[j] if self.m is None else np.where(table.is_class[j], self.b[j], self.m[i])
        return self.a[i] + b + self.u[i] * (i == j)

    def reachable(self, table: Table) -> tuple[Numbers, Numbers]:
        """Return the least and the greatest b_j + u_i [i = j] of each row i, over all columns j."""
        b = np.where(table.is_class | (self.m is None), self.b, np.nan)  # nan sorts last
        lowest, highest = least_of_others(b), -least_of_others(-b)
        return np.fmin(lowest, b + self.u), np.fmax(highest, b + self.u)


def least_of_others(values: Numbers) -> Numbers:
    """Return for each value the least of the others; a single one, which has none, itself."""
    least, second = np.argsort(values)[[0, min(1, len(values) - 1)]]
    least_values = np.full(len(values), values[least])
    least_values[least] = values[second]
    return least_values
