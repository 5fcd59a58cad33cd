"""Standard errors and confidence intervals, all in closed form.

**Standard error** (delta method). A table is N samples of cells with shares p. A score s(p) moves
by g_ij = ds/dp_ij with the share of a cell, so one sample more in cell (i, j) moves it by
(g_ij - sum p g) / N, and

    SE^2 = [sum p g^2 - (sum p g)^2] / N;  with weights  SE^2 = sum w^2 (g - mean)^2 / (sum w)^2.

**Interval of a score of hits and totals.** The mean of g over a row is estimated from the samples
of that class alone. Each row gets Wilson's interval, extended to a mean of more than two values,
and the rows are combined: see `_reaches`. Classes without a reference widen it by all they could
change.

**Interval of a score of entropies**: see `information.py`.

How often each covers the truth is measured by `make coverage`.

Sources: Wilson (1927), "Probable inference"; Newcombe (1998), "Interval estimation for the
difference between independent proportions"; Zou and Donner (2008), "Construction of confidence
limits about effect measures"; Hall (1992), "On the removal of skewness by transformation".
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from ..core.labels import InformednessWarning, Numbers, show, warn
from ..core.scores import reweighted
from ..core.table import Table, sum_by
from .information import fewest_references, normal_quantile
from .sums import effective_sample_size, gaps, quotient, ratio, squared_weights, sums_of

if TYPE_CHECKING:
    from .score import MarginScore


class IntervalWarning(InformednessWarning):
    """On tables like this one, the interval is known to cover the truth less often than it says."""


FEW_SAMPLES = 50  # below, scores are rough and intervals cover too little
_FEWEST_UNDER_A_PRIOR = 3 - 1e-6  # references of a class; below, it weighs more than it says


class Interval(NamedTuple):
    """A score with its standard error, and the ends of an interval that contains it."""

    value: float
    standard_error: float
    low: float
    high: float
    independence_p_value: float | None = None
    """For NIT: how often a guesser would match the references this closely."""

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


# Scores of hits and totals


@dataclass(frozen=True)
class _Rows:
    """A score as the sum of share x mean over rows of samples, whose means err on their own.

    The arrays have the rows along their first axis.
    """

    share: Numbers
    size: Numbers
    """Effective number of samples."""
    least_size: Numbers
    """The same, were all samples as heavy as the heaviest."""
    variance: Numbers
    """Of one sample in the row."""
    below: Numbers
    """From the mean to the least value that a sample of the row could have."""
    above: Numbers
    """From the mean to the greatest."""
    between: Numbers
    """Variance of the score because the sizes of the rows are random."""
    error: Numbers
    """Standard error of the score."""
    third: Numbers
    """Third central moment of the score."""
    pooled: Numbers
    """Variance of one sample as that of all rows together, for rows too short to show theirs."""


def _reaches(rows: _Rows, level: float) -> tuple[Numbers, Numbers]:
    """Return how far the interval reaches below the score and above it.

    Each reach is that of the rows, unless a reach found otherwise is nearer to what is known:

    - *By rows*. The reach of a row is how far its mean can fall (or rise) before its sample is one
      that a test at this level rejects: Wilson's interval. As the rows err on their own, the
      squares of their reaches add up (Newcombe; Zou and Donner).
    - At most *as if all errors were the worst one*, Wilson's interval of the whole. Where many
      rows are without an error it is right, and the sum of the squares too large.
    - At least *by the third moment* (Hall). Where many rows have an error or two, the score is less
      skewed than each of them, and the shorter of the two reaches by rows is too short. The fewer
      samples it hangs on, the less skewed is what they come from, as in Wilson's interval.
    """
    z = normal_quantile(level)
    # a row of few samples shows less than its variance, by 1 / size of it
    of_row = rows.share**2 * (rows.variance / rows.size + rows.pooled / rows.size**2)
    variance = rows.error**2 + (rows.share**2 * rows.pooled / rows.size**2).sum(axis=0)
    fewness = (quotient(of_row, variance) ** 2 / rows.size).sum(axis=0)
    shift = z**2 / 2 * quotient(rows.third, rows.error**2) / (1 + z**2 * fewness)
    half = np.sqrt(z**2 * variance + shift**2)
    reaches = []
    for furthest, at_least in ((rows.below, half - shift), (rows.above, half + shift)):
        reach = rows.share * _wilson(furthest, rows.variance / rows.size, rows.least_size, z)
        by_rows = np.sqrt((reach**2).sum(axis=0) + z**2 * rows.between)
        worst = z**2 / 2 * (rows.share * furthest / rows.least_size).max(axis=0)
        at_most = worst + np.sqrt(z**2 * variance + worst**2)
        reaches.append(np.maximum(np.minimum(by_rows, at_most), at_least))
    return reaches[0], reaches[1]


def _wilson(furthest: Numbers, variance: Numbers, size: Numbers, z: float) -> Numbers:
    """Return how far a mean can move towards the furthest value, d away, and not be rejected.

    With a share x/d of the samples moved there, the mean moves by x and its variance V becomes
    (1 - x/d)(V + x d / size). It ends where x^2 = z^2 times that: for proportions Wilson's.
    """
    linear = z**2 * (furthest / size - quotient(variance, furthest))
    root = np.sqrt(linear**2 + 4 * (1 + z**2 / size) * z**2 * variance)
    return (linear + root) / (2 * (1 + z**2 / size))


def margin_interval(
    score: MarginScore, value: float, table: Table, level: float, shares: Numbers | None
) -> Interval:
    """Return the interval of a score of hits and totals around its value.

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


def _rows_of(table: Table, scored: Table, score: MarginScore) -> _Rows:
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

    others = _least_of_others(b), -_least_of_others(-b)
    recall = np.nanmean(sums.tpr)
    wrong = quotient(b.sum() - b, np.full(k, k - 1))
    present = r > 0
    of_columns = quotient(sum_by(j, squares, k), table.prediction_totals)
    heaviest = np.maximum(quotient(of_squares, r), of_columns.max())
    return _Rows(
        share=sums.prevalence[present],
        size=(r**2)[present] / of_squares[present],
        least_size=(r / heaviest)[present],
        variance=sum_by(i, squares * inside**2, k)[present] / of_squares[present],
        below=(mean - a - np.minimum(others[0], b + u))[present],
        above=(a + np.maximum(others[1], b + u) - mean)[present],
        between=np.asarray(between),
        error=np.sqrt((squares * (weight * apart) ** 2).sum()),
        third=(squares * (weight * apart) ** 2 * (squares / counts * weight * apart)).sum(),
        pooled=(recall * (1 - recall) * (b + u - wrong) ** 2)[present],
    )


def _least_of_others(values: Numbers) -> Numbers:
    """Return for each value the least of the others; a single one, which has none, itself."""
    least, second = np.argsort(values)[[0, min(1, len(values) - 1)]]
    found = np.full(len(values), values[least])
    found[least] = values[second]
    return found


def _ends_of_absent(
    table: Table, score: MarginScore, value: float, level: float
) -> tuple[float, float]:
    """Return the least and the greatest score that classes without a reference could make of it.

    All of them together are as many samples as could be missed, z^2; each is found never, or
    always.
    """
    absent = table.reference_totals == 0
    if table.labels[-1] is None:
        absent[-1] = False
    if not absent.any():
        return value, value
    one = float(table.total) / effective_sample_size(table)
    extra = np.where(absent, normal_quantile(level) ** 2 * one / np.count_nonzero(absent), 0.0)
    sums = replace(sums_of(table), differences=None)
    sums = replace(sums, occurring=sums.occurring | absent, references=sums.references + extra)
    found = replace(sums, hits=sums.hits + extra, predictions=sums.predictions + extra)
    ends = value, float(score.of(sums)), float(score.of(found))
    return min(ends), max(ends)


# Where intervals are known to fail


def too_few_samples(table: Table, prior: Any = None) -> str:
    """Return what the table has too few of for such an interval; empty if nothing is known."""
    size = effective_sample_size(table)
    if size < FEW_SAMPLES - 1e-6:
        return f"{size:.4g} samples, where {FEW_SAMPLES} are wanted"
    if prior is not None and (fewest := fewest_references(table)) < 5 - 1e-6:
        several = "s" * (fewest != 1)
        return f"{fewest:.4g} reference{several} of a class of the prior, where 5 are wanted"
    return ""


def warn_of_few(of: str, few: str, *, several: bool = False, is_nan: bool = False) -> None:
    """Warn that one or several intervals are nan or known to fail; `few` says why."""
    if not few:
        return
    said = f"there is no interval of {of}"
    if not is_nan:
        they = "they say" if several else "it says"
        said = f"the interval{'s' * several} of {of} may cover the truth less often than {they}"
    warn(f"{said}: {few}", IntervalWarning)


# Of each class


def intervals_by_class(values: list[float], table: Table, level: float) -> list[Interval]:
    """Return the interval of each class against all others together, around its informedness."""
    rows = _rows_of_classes(table)
    below, above = _reaches(rows, level)
    ends = np.stack([rows.error, values - below, values + above], axis=1).tolist()
    return [Interval(value, *numbers) for value, numbers in zip(values, ends, strict=True)]


def _rows_of_classes(table: Table) -> _Rows:
    """Return for each class the two rows of its informedness, of the class and of all others.

    Their means are its recall and 1 - FPR; nan where one of them has no samples.
    """
    k, right = len(table.labels), table.rows == table.columns

    def by_outcome(amounts: Numbers) -> Numbers:
        """Return sums by class: [[hits, misses], [right and wrong rejections]]."""
        hits = sum_by(table.rows[right], amounts[right], k)
        misses = sum_by(table.rows[~right], amounts[~right], k)
        false = sum_by(table.columns[~right], amounts[~right], k)
        return np.array([[hits, misses], [amounts.sum() - hits - misses - false, false]])

    one = float(table.total) / effective_sample_size(table)
    amounts, squares = table.counts / one, squared_weights(table) / one**2
    # where there is no such cell, a difference of sums of weights is not quite 0
    there = by_outcome(np.ones(len(right))) > 0
    counts, of_squares, of_cubes = (
        np.where(there, by_outcome(sums), 0.0) for sums in (amounts, squares, squares**2 / amounts)
    )
    totals = counts.sum(axis=1)
    mean = ratio(counts[:, 0], totals)
    apart = np.stack([1 - mean, -mean], axis=1)
    variance = ratio((of_squares * apart**2).sum(axis=1), of_squares.sum(axis=1))
    size = ratio(totals**2, of_squares.sum(axis=1))
    recall, heaviest = mean.mean(axis=0), quotient(of_squares, counts).max(axis=(0, 1))
    return _Rows(
        share=np.ones((2, k)),
        size=size,
        least_size=np.where(totals > 0, totals / heaviest, np.nan),
        variance=variance,
        below=mean,
        above=1 - mean,
        between=np.zeros(k),
        error=np.sqrt((variance / size).sum(axis=0)),
        third=(ratio((of_cubes * apart**3).sum(axis=1), totals**3)).sum(axis=0),
        pooled=np.array(2 * [recall * (1 - recall)]),
    )
