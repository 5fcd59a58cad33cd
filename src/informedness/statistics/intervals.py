"""Standard errors and intervals of scores of hits and totals; docs/formulas.md has the formulas."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import InformednessWarning, Numbers, show, warn
from ..core.scores import reweighted
from ..core.table import Table, sum_by
from .information import fewest_references, normal_quantile
from .sums import effective_sample_size, gaps, quotient, ratio, squared_weights, sums_of


class IntervalWarning(InformednessWarning):
    """Of tables like this one, the interval is not known to cover the truth as often as it says."""


_FEWEST_UNDER_A_PRIOR = 3 - 1e-6  # references of a class; below, it weighs more than it says


class Interval(NamedTuple):
    """A score with its standard error, and the ends of an interval that contains it."""

    value: float
    standard_error: float
    low: float
    high: float

    def within(self, lowest: float, highest: float) -> Interval:
        """Return the interval with its ends inside these bounds, and around the value."""
        # in this order none of them swallows a nan
        low, high = max(self.low, lowest), min(self.high, highest)
        return self._replace(low=min(low, self.value), high=max(high, self.value))


def check_level(level: Any) -> None:
    """Raise ValueError unless it is a confidence level."""
    number = isinstance(level, (int, float, np.floating))
    if not number or not (level > 0 and 1 + level < 2):
        raise ValueError(
            f"`confidence_level` must lie between 0 and 1, for example 0.95, got {show(level)}"
        )


class _Rows(NamedTuple):
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


def _reaches(rows: _Rows, level: float) -> tuple[Numbers, Numbers]:
    """Return how far the interval reaches below the score and above it."""
    z, span = normal_quantile(level), rows.below + rows.above
    place = quotient((rows.share * rows.below).sum(axis=0), (rows.share * span).sum(axis=0))
    unseen = place * (1 - place) * (span / rows.size) ** 2
    of_mean = rows.variance / rows.size + unseen
    error = np.sqrt(rows.error**2 + (rows.share**2 * unseen).sum(axis=0))
    reaches = []
    for furthest in (rows.below, rows.above):
        reach = rows.share * _wilson(furthest, of_mean, rows.least_size, z)
        by_rows = np.sqrt((reach**2).sum(axis=0) + z**2 * rows.between)
        worst = z**2 / 2 * (rows.share * furthest / rows.least_size).max(axis=0)
        at_most = worst + np.sqrt((z * error) ** 2 + worst**2)
        reaches.append(np.maximum(np.minimum(by_rows, at_most), z * error))
    return reaches[0], reaches[1]


def _wilson(furthest: Numbers, variance: Numbers, size: Numbers, z: float) -> Numbers:
    """Return the x with x^2 = z^2 (1 - x/d)(variance + x d / size), d how far is the furthest."""
    d, curvature = np.maximum(furthest, 1e-99), 1 + z**2 / size
    linear = z**2 * (d / size - variance / d)
    root = np.sqrt(linear**2 + 4 * curvature * z**2 * variance)
    # the larger root of a quadratic, in the form that does not cancel
    upwards = (linear + root) / (2 * curvature)
    return np.where(linear > 0, upwards, quotient(2 * z**2 * variance, root - linear))


def margin_interval(
    score: Any, value: float, table: Table, level: float, shares: Numbers | None
) -> Interval:
    """Return the interval of a `MarginScore` around its value.

    `shares` are those to which the references are reweighted. With them the totals of the rows do
    not vary, only how their predictions are shared out.
    """
    scored = table if shares is None else reweighted(table, shares)
    rows = _rows_of(table, scored, score)
    below, above = _reaches(rows, level)
    least = most = value
    if shares is None:
        least, most = _ends_of_absent(table, score, value, level)
    elif fewest_references(table) < _FEWEST_UNDER_A_PRIOR:
        least = most = math.nan
    return Interval(value, float(rows.error), least - float(below), most + float(above))


def _rows_of(table: Table, scored: Table, score: Any) -> _Rows:
    """Return what is known of the rows, by the gradient a_i + b_j + u_i [i = j] of the score.

    `scored` is the table itself, or it with its rows reweighted.
    """
    k, i, j, counts = len(table.labels), table.rows, table.columns, table.counts
    squares, sums = squared_weights(table), sums_of(scored)
    r, of_squares = table.reference_totals.astype(np.float64), sum_by(i, squares, k)
    weight = ratio(sums.prevalence, r)[i]  # of a sample in the score
    a, b, u = score.gradient(sums)
    g = a[i] + b[j] + u[i] * (i == j)
    scale = np.abs(a[i]) + np.abs(b[j]) + np.abs(u[i])

    mean = ratio(sum_by(i, counts * g, k), r)
    inside = gaps(g, mean[i], scale)
    overall = (counts * (weight * g)).sum()
    apart = gaps(g, overall, scale + (counts * (weight * scale)).sum())
    between = (squares * (weight * (apart - inside)) ** 2).sum()
    if scored is not table:
        apart, between = inside, 0.0

    lowest, highest = reachable(b, u)
    size_of_terms = np.abs(a) + np.abs(b).max() + np.abs(u)
    present = r > 0
    of_columns = quotient(sum_by(j, squares, k), table.prediction_totals)
    heaviest = np.maximum(quotient(of_squares, r), of_columns.max())
    return _Rows(
        share=sums.prevalence[present],
        size=(r**2)[present] / of_squares[present],
        least_size=(r / heaviest)[present],
        variance=sum_by(i, squares * inside**2, k)[present] / of_squares[present],
        below=gaps(mean, a + lowest, size_of_terms)[present],
        above=gaps(a + highest, mean, size_of_terms)[present],
        between=np.asarray(between),
        error=np.sqrt((squares * (weight * apart) ** 2).sum()),
    )


def reachable(b: Numbers, u: Numbers) -> tuple[Numbers, Numbers]:
    """Return the least and the greatest b_j + u_i [i = j] of each row i, over all columns j."""
    of_hit = b + u
    lowest, highest = _least_of_others(b), -_least_of_others(-b)
    return np.minimum(lowest, of_hit), np.maximum(highest, of_hit)


def _least_of_others(values: Numbers) -> Numbers:
    """Return for each value the least of the others; a single one, which has none, itself."""
    least, second = np.argsort(values)[[0, min(1, len(values) - 1)]]
    found = np.full(len(values), values[least])
    found[least] = values[second]
    return found


def _ends_of_absent(table: Table, score: Any, value: float, level: float) -> tuple[float, float]:
    """Return the least and the greatest score that classes without a reference could make of it."""
    absent = table.reference_totals == 0
    if table.labels[-1] is None:
        absent[-1] = False
    if not absent.any():
        return value, value
    one = float(table.total) / effective_sample_size(table)
    # beyond a quarter of the table, scores of so few samples would turn with the level
    lost = min(normal_quantile(level) ** 2 * one, float(table.total) / 4)
    extra = np.where(absent, lost / np.count_nonzero(absent), 0.0)
    sums = sums_of(table)
    more = {"occurring": sums.occurring | absent, "references": sums.references + extra}
    sums = replace(sums, differences=None, **more)
    found = replace(sums, hits=sums.hits + extra, predictions=sums.predictions + extra)
    ends = value, float(score.of(sums)), float(score.of(found))
    return min(ends), max(ends)


def warn_of_few(of: str, few: str, *, several: bool = False, is_nan: bool = False) -> None:
    """Warn that one or several intervals are nan or known to fail; `few` says why."""
    if not few:
        return
    says = "they say" if several else "it says"
    said = f"the interval{'s' * several} of {of} may cover the truth less often than {says}"
    warn(f"{f'there is no interval of {of}' if is_nan else said}: {few}", IntervalWarning)


def intervals_by_class(values: list[float], table: Table, level: float) -> list[Interval]:
    """Return the interval of each class against all others, nan where one has no samples."""
    k, right = len(table.labels), table.rows == table.columns

    def by_outcome(amounts: Numbers) -> Numbers:
        """Return sums by class: [[hits, misses], [right and wrong rejections]]."""
        hits = sum_by(table.rows[right], amounts[right], k)
        misses = sum_by(table.rows[~right], amounts[~right], k)
        false = sum_by(table.columns[~right], amounts[~right], k)
        return np.array([[hits, misses], [amounts.sum() - hits - misses - false, false]])

    squares = squared_weights(table)
    # where there is no such cell, a difference of sums of weights is not quite 0
    there = by_outcome(np.ones(len(right))) > 0
    counts, of_squares = (np.where(there, by_outcome(x), 0.0) for x in (table.counts, squares))
    totals = counts.sum(axis=1)
    mean = ratio(counts[:, 0], totals)
    apart = np.stack([1 - mean, -mean], axis=1)
    variance = ratio((of_squares * apart**2).sum(axis=1), of_squares.sum(axis=1))
    size = totals * ratio(totals, of_squares.sum(axis=1))
    heaviest = quotient(of_squares, counts).max(axis=(0, 1))
    least_size = np.where(totals > 0, totals / heaviest, np.nan)
    error = np.sqrt((variance / size).sum(axis=0))
    one_each, none = np.ones((2, k)), np.zeros(k)
    rows = _Rows(one_each, size, least_size, variance, mean, 1 - mean, none, error)
    below, above = _reaches(rows, level)
    ends = np.stack([error, values - below, values + above], axis=1).tolist()
    return [Interval(value, *numbers) for value, numbers in zip(values, ends, strict=True)]


_STEPS = np.arange(-4.0, 4.0, 1 / 16)
_BEYOND = np.exp(math.pi / 2 * np.sinh(_STEPS))


def t_tail(t: float, df: int) -> float:
    """Return the chance that Student's t is at least this far from 0, on either side.

    The density is integrated by the double exponential rule (Takahasi and Mori 1974).
    """

    def beyond(least: float) -> float:
        density = np.exp(-(df + 1) / 2 * np.log1p((least + _BEYOND) ** 2 / df))
        return float((_BEYOND * np.cosh(_STEPS) * density).sum())

    return beyond(t) / beyond(0.0)


@cache
def t_quantile(level: float, df: int) -> float:
    """Return the two-sided quantile of Student's t at a level, by halving angles of t/sqrt(df)."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        is_below = t_tail(math.sqrt(df) * math.tan(middle), df) > 1 - level
        low, high = (middle, high) if is_below else (low, middle)
    return math.sqrt(df) * math.tan(low)
