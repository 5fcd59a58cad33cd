"""Scores of the hits and totals of the classes: sums, derivatives, intervals; docs/formulas.md.

Tested in tests/test_no_class.py and tests/test_intervals.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ..core import scores
from ..core.labels import Codes, Numbers
from ..core.table import Classes, Table, labels_at, sum_by, sums_of_others
from . import intervals
from .intervals import Interval, effective_sample_size, normal_quantile, squared_weights
from .score import Prior, ScoreWithInterval, side_totals

_FEWEST_UNDER_A_PRIOR = 3 - 1e-6  # references of a class; below, it weighs more than it says


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


class ClassScore(ScoreWithInterval):
    """A score of the hits and the totals of the classes."""

    of_rare: ClassVar[bool] = True
    """Whether its interval hangs on the samples outside the largest class."""

    def of_each(self, tables: Sequence[Table], sums: ClassSums) -> Numbers:
        values = np.clip(self.exact(sums), self.lowest, self.best)
        for side in self.sides:
            n_classes = np.count_nonzero(side_totals(sums, side), axis=0)
            values = np.where(n_classes == 1, np.nan, values)
        return values

    def gradient(self, table: Table) -> Gradient:
        """Return the derivatives by the shares of the cells."""
        raise NotImplementedError

    def cell_gradient(self, table: Table) -> Numbers:
        return self.gradient(table).of_cells(table)

    def furthest(self, table: Table) -> Numbers:
        lowest, highest = self.gradient(table).reachable(table)
        return np.asarray((highest - lowest)[table.rows])

    def too_few(self, table: Table, prior: Prior = None) -> str:
        scored, table = self.oriented(table)
        unit = "reference" if scored is self else "prediction"
        reason = ""
        if self.of_rare:
            n_outside = intervals.outside_largest(table)
            reason = intervals.lack(n_outside, 5, unit, " outside the largest class")
            reason = reason or intervals.too_few_of_the_rarest(table, unit)
        if not reason and (prior is not None or self.average is None):
            which = " of a class of the prior" if prior is not None else " of the rarest class"
            reason = intervals.lack(intervals.fewest_references(table), 5, unit, which)
        return reason

    def around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        rows = row_means(table, scored, self.gradient(scored))
        if error is not None:
            within = float((rows.share**2 * rows.variance / rows.size).sum())
            between = np.maximum(rows.between, error**2 - within)
            rows = rows._replace(error=np.asarray(error), between=between)
        below, above = interval_reaches(rows, level)
        least = most = value
        if scored is table:
            least, most = bounds_of_absent(table, self.exact, value, level)
        elif intervals.fewest_references(table) < _FEWEST_UNDER_A_PRIOR:
            least = most = math.nan
        return Interval(value, float(rows.error), least - float(below), most + float(above))

    def intervals(
        self, table: Table, level: float, prior: Prior = None, error: float | None = None
    ) -> list[Interval]:
        if self.average is not None:
            return super().intervals(table, level, prior, error)
        return intervals_by_class(self.oriented(table)[1], level)


# Intervals


class RowMeans(NamedTuple):
    """A score as the sum of share x mean over rows of samples, whose means err on their own.

    The arrays have the rows along their first axis.
    """

    share: Numbers
    size: Numbers  # effective number of samples
    least_size: Numbers  # the same, were all samples as heavy as the heaviest
    variance: Numbers  # of one sample in the row
    below: Numbers  # from the mean to the least value that a sample of the row could have
    above: Numbers  # from the mean to the greatest
    between: Numbers  # variance of the score because the sizes of the rows are random
    error: Numbers  # standard error of the score


def interval_reaches(rows: RowMeans, level: float) -> tuple[Numbers, Numbers]:
    """Return how far the interval reaches below the score and above it."""
    z = normal_quantile(level)
    span = rows.below + rows.above
    place = quotient((rows.share * rows.below).sum(axis=0), (rows.share * span).sum(axis=0))
    unseen_variance = place * (1 - place) * (span / rows.size) ** 2
    variance_of_mean = rows.variance / rows.size + unseen_variance
    error = np.sqrt(rows.error**2 + (rows.share**2 * unseen_variance).sum(axis=0))

    def reach_to(furthest: Numbers) -> Numbers:
        row_reaches = rows.share * wilson_reach(furthest, variance_of_mean, rows.least_size, z)
        in_squares = np.sqrt((row_reaches**2).sum(axis=0) + z**2 * rows.between)
        worst = z**2 / 2 * (rows.share * furthest / rows.least_size).max(axis=0)
        at_most = worst + np.sqrt((z * error) ** 2 + worst**2)
        return np.maximum(np.minimum(in_squares, at_most), z * error)

    return reach_to(rows.below), reach_to(rows.above)


def wilson_reach(furthest: Numbers, variance: Numbers, size: Numbers, z: float) -> Numbers:
    """Return the x with x^2 = z^2 (1 - x/d)(variance + x d / size), d how far is the furthest."""
    d = np.maximum(furthest, 1e-99)
    curvature = 1 + z**2 / size
    linear = z**2 * (d / size - variance / d)
    root = np.sqrt(linear**2 + 4 * curvature * z**2 * variance)
    # the larger root of a quadratic, in the form that does not cancel
    upwards = (linear + root) / (2 * curvature)
    return np.where(linear > 0, upwards, quotient(2 * z**2 * variance, root - linear))


def wilson_intervals(table: Table, codes: Codes, level: float) -> list[tuple[float, float]]:
    """Return Wilson's interval of the share of hits of each class, nan for one without samples.

    `codes` are the rows of the cells, for recall, or their columns, for precision.
    """
    k = len(table.labels)
    z = normal_quantile(level)
    totals = sum_by(codes, table.counts.astype(np.float64), k)
    size = totals * ratio(totals, sum_by(codes, squared_weights(table), k))
    share = ratio(table.hits, totals)
    variance = share * (1 - share) / size
    below, above = (wilson_reach(furthest, variance, size, z) for furthest in (share, 1 - share))
    ends = np.stack([share - below, share + above], axis=1).clip(0, 1)
    return [(low, high) for low, high in ends[table.is_class].tolist()]


def row_means(table: Table, scored: Table, gradient: Gradient) -> RowMeans:
    """Return what is known of the rows that have references, by the gradient of the score.

    `scored` is the table itself, or it with its rows reweighted: then the totals of the rows do not
    vary.
    """
    i, j, k = table.rows, table.columns, len(table.labels)
    counts, squares = table.counts, squared_weights(table)
    r, row_squares = table.reference_totals.astype(np.float64), sum_by(i, squares, k)
    shares = scored.reference_totals / scored.total
    weight = ratio(shares, r)[i]  # of a sample in the score
    a, b, u, _ = gradient
    g = gradient.of_cells(scored)

    scale = np.abs(a[i]) + np.abs(b).max() + np.abs(u[i])
    mean = ratio(sum_by(i, counts * g, k), r)
    inside = gaps(g, mean[i], scale)
    overall = (counts * (weight * g)).sum()
    apart = gaps(g, overall, scale + (counts * (weight * scale)).sum())
    between = (squares * (weight * (apart - inside)) ** 2).sum()
    if scored is not table:
        apart, between = inside, 0.0

    lowest, highest = gradient.reachable(scored)
    row_scale = np.abs(a) + np.abs(b).max() + np.abs(u)
    column_weights = quotient(sum_by(j, squares, k), table.prediction_totals)
    heaviest = np.maximum(quotient(row_squares, r), column_weights.max())
    present = r > 0
    return RowMeans(
        share=shares[present],
        size=(r**2)[present] / row_squares[present],
        least_size=(r / heaviest)[present],
        variance=sum_by(i, squares * inside**2, k)[present] / row_squares[present],
        below=gaps(mean, a + lowest, row_scale)[present],
        above=gaps(a + highest, mean, row_scale)[present],
        between=np.asarray(between),
        error=np.sqrt((squares * (weight * apart) ** 2).sum()),
    )


def bounds_of_absent(
    table: Table, exact: Callable[[ClassSums], Numbers], value: float, level: float
) -> tuple[float, float]:
    """Return the least and the greatest score that classes without a reference could make of it.

    They are declared, or only predicted: a label that is no class here may be one of the task.
    `exact` gives the score of sums, `value` is that of the table.
    """
    is_named = np.array([label is not None for label in table.labels])
    r, c, n = table.reference_totals, table.prediction_totals, table.total
    absent = is_named & (table.is_class | (c > 0)) & (r == 0)
    if not absent.any():
        return value, value
    with_absent = replace(table, known=table.is_class | absent)
    one = float(n) / effective_sample_size(table)
    # beyond a quarter of the table, scores of so few samples would turn with the level
    lost = min(normal_quantile(level) ** 2 * one, float(n) / 4)
    extra = np.where(absent, lost / np.count_nonzero(absent), 0.0)
    r = r + extra
    scores_of_ends = [value]
    for right in (0, extra):  # of the samples that could have been missed
        h, c = table.hits + right, table.prediction_totals + right
        known = with_absent.outside_totals, with_absent.is_class
        sums = ClassSums(table.labels, h, r, c, n, c - h, r - h, n - r, n - c, *known)
        scores_of_ends.append(float(exact(sums)))
    return min(scores_of_ends), max(scores_of_ends)


def intervals_by_class(table: Table, level: float) -> list[Interval]:
    """Return the interval of each class against all others, nan where one has no samples."""

    def by_outcome(amounts: Numbers) -> Numbers:
        """Return sums by class: [[hits, misses], [right and wrong rejections]]."""
        sums = replace(table, counts=amounts, known=table.is_class)
        misses = transposed(sums).false_positives
        shares = quotient(sums.outside_totals, table.other_references)
        false = sums.false_positives + table.reference_totals * sums_of_others(shares)
        return np.array([[sums.hits, misses], [amounts.sum() - sums.hits - misses - false, false]])

    # where there is no such cell, a difference of sums of weights is not quite 0
    has_cells = by_outcome(np.ones(len(table.rows))) > 1e-9
    counts, squares = (
        np.where(has_cells, by_outcome(amounts), 0.0)
        for amounts in (table.counts, squared_weights(table))
    )
    totals = counts.sum(axis=1)
    mean = ratio(counts[:, 0], totals)
    apart = np.stack([1 - mean, -mean], axis=1)
    variance = ratio((squares * apart**2).sum(axis=1), squares.sum(axis=1))
    size = totals * ratio(totals, squares.sum(axis=1))
    heaviest = quotient(squares, counts).max(axis=(0, 1))
    least_size = np.where(totals > 0, totals / heaviest, np.nan)
    error = np.sqrt((variance / size).sum(axis=0))
    shares, between = np.ones_like(totals), np.zeros_like(error)
    rows = RowMeans(shares, size, least_size, variance, mean, 1 - mean, between, error)
    below, above = interval_reaches(rows, level)

    gains = scores.class_gains(table)
    ends = np.stack([gains, error, gains - below, gains + above], axis=1)[table.is_class]
    return [Interval(*of_class).within(-1.0, 1.0) for of_class in ends.tolist()]


def rates_by_class(table: Table, level: float | None = None) -> list[dict[str, Any]]:
    """Return the label, the support and the rates of each class; at a level, with intervals."""
    h, r, c, n = table.hits, table.reference_totals, table.prediction_totals, table.total
    tpr, fpr = ratio(h, r), ratio(table.spread_false_positives, table.other_references)
    rates = {"support": r, "prevalence": r / n, "bias": (h + table.spread_false_positives) / n}
    rates |= {"tpr": tpr, "fpr": fpr, "tpr_minus_fpr": tpr - fpr, "precision": ratio(h, c)}
    rates["f1"] = ratio(2 * (h / n), r / n + c / n)
    columns = {name: rate[table.is_class].tolist() for name, rate in rates.items()}
    if level is not None:
        gains = intervals_by_class(table, level)
        columns["tpr_minus_fpr_standard_error"] = [gain.standard_error for gain in gains]
        columns["tpr_minus_fpr_confidence_interval"] = [(gain.low, gain.high) for gain in gains]
        columns["tpr_confidence_interval"] = wilson_intervals(table, table.rows, level)
        columns["precision_confidence_interval"] = wilson_intervals(table, table.columns, level)
    columns = {"label": labels_at(table, table.is_class), **columns}
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
