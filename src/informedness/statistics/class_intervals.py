"""Intervals of the scores of hits and totals of the classes; docs/formulas.md derives them.

Tested in tests/test_intervals.py.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from ..core import scores
from ..core.labels import Codes, Numbers
from ..core.table import Table, labels_at, sum_by, sums_of_others
from .class_sums import ClassSums, Gradient, gaps, quotient, ratio, transposed
from .intervals import Interval, effective_sample_size, normal_quantile, squared_weights


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
