"""The test of two models on the same samples, and errors of samples in groups.

docs/formulas.md has the formulas.

A sample moves the difference by d = g_B - g_A, with g the gradient of the score at each model's own
table. The test divides the difference by the error that follows from d. This error counts one
sample more than there are, the answer to which matters most.

Tested in tests/test_comparison.py.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table, sum_by
from .class_sums import gaps, quotient
from .intervals import Interval, normal_quantile, squared_weights
from .score import ScoreWithInterval

FEWEST_GROUPS = 5  # for a test
_POWER = 0.6  # two-sided level of the quantile below which are four in five


class CellPairs(NamedTuple):
    """Samples counted by their cell in the table of A, that in the table of B, weight and group."""

    a: Codes
    b: Codes
    counts: Numbers
    weights: Numbers
    groups: Codes | None = None
    """From 0 on; None where each sample stands alone."""


class Side(NamedTuple):
    """What the test needs to know of one model."""

    slopes: Numbers  # of the cells of its table
    furthest: float
    bias: float
    unseen: float


class Paired(NamedTuple):
    """The difference of two models, and how likely it is where they score the same."""

    interval: Interval
    p_value: float
    of_one: float
    """The square of what a sample more can move, over the sum of those of the others."""
    fixed: float
    """The part of the squared error that does not fall with the number of samples."""
    extra: float
    """The part of it that is of the sample that might have been there."""


def n_groups(pairs: CellPairs | None) -> int:
    """Return the number of groups; 0 if each sample stands alone."""
    return 0 if pairs is None or pairs.groups is None else 1 + int(pairs.groups.max())


def side_of(score: ScoreWithInterval, table: Table, scored: Table) -> Side:
    """Return what the test needs to know of a model with this table.

    If `scored` has its references reweighted, only how their predictions are shared out varies.
    """
    if score.undefined(scored):
        return Side(np.zeros(len(scored.rows)), 0.0, *score.bias(scored))
    slopes = score.cell_gradient(scored)
    if scored is not table:
        sums = sum_by(table.rows, scored.counts * slopes, len(table.labels))
        slopes = slopes - quotient(sums, scored.reference_totals)[table.rows]
    return Side(slopes, score.furthest(scored), *score.bias(scored))


def paired_test(
    a: Side, b: Side, pairs: CellPairs, difference: float, n_different: int, level: float
) -> Paired:
    """Return the interval of a difference B - A, and the p-value of none.

    `n_different` is the number of samples that both answer differently.
    """
    counts, weights = pairs.counts, pairs.weights
    # a sample weighs 1, as far as its error goes
    weights = weights * ((counts * weights).sum() / (counts * weights**2).sum())
    amounts = counts * weights
    size = float(amounts.sum())
    n = n_groups(pairs)
    moved = b.slopes[pairs.b] - a.slopes[pairs.a]
    moved = moved - float((amounts * moved).sum()) / size
    if pairs.groups is None:
        variance = float((amounts * weights * moved**2).sum())
    else:
        group_sums = np.bincount(pairs.groups, amounts * moved)
        variance = n / (n - 1) * float((group_sums**2).sum())

    one_more = max(a.furthest, b.furthest) ** 2
    bias = b.bias - a.bias
    fixed = bias**2 + a.unseen + b.unseen
    error = math.sqrt((variance + one_more) / size**2 + fixed)
    unbiased = difference - bias
    if abs(difference) < 1e-12 or unbiased * difference < 0:
        unbiased = 0.0  # in the first case whatever rounding left of it
    interval, p_value = tested(unbiased, error, size, n_different, n, level)

    squares = variance + (size * difference) ** 2 / (n or size)
    of_one = one_more / squares if squares else 0.0
    return Paired(interval, p_value, of_one, fixed, one_more / size**2)


def tested(
    difference: float, error: float, size: float, n_different: int, n_of_groups: int, level: float
) -> tuple[Interval, float]:
    """Return the interval of a difference with this error, and the p-value of none."""
    t = abs(difference) / error if difference else 0.0
    if not n_of_groups:
        z = normal_quantile(level)
        reach = z / math.sqrt(max(1 - z**2 / size, 1e-99))
        # both extremes of the 2^m ways to swap the answers that differ
        least = 2.0 ** max(1 - n_different, -1074)
        p_value = min(max(math.erfc(t / math.sqrt(2 + 2 * t**2 / size)), least), 1.0)
    elif n_of_groups < FEWEST_GROUPS:
        p_value = reach = math.nan
    else:
        p_value, reach = t_tail(t, n_of_groups - 1), t_quantile(level, n_of_groups - 1)
    low, high = difference - reach * error, difference + reach * error
    if 1 - p_value <= level:
        low, high = min(low, 0.0), max(high, 0.0)  # 0 but for rounding, or few answers that differ
    return Interval(difference, error, low, high), p_value


def errors_needed(level: float, n_of_groups: int) -> float:
    """Return how many standard errors a difference is that is found four times out of five."""
    if n_of_groups:
        return t_quantile(level, n_of_groups - 1) + t_quantile(_POWER, n_of_groups - 1)
    return normal_quantile(level) + normal_quantile(_POWER)


def of_groups(
    table: Table, score: ScoreWithInterval, pairs: CellPairs, level: float
) -> tuple[Table, float]:
    """Return the table in which samples count as much as their groups let them, and the error."""
    alone = score.interval(table, level).standard_error
    if math.isnan(alone) or n_groups(pairs) == 1:
        return table, math.nan
    gradient = score.cell_gradient(table)[pairs.a]
    weight = pairs.counts * pairs.weights
    groups = np.asarray(pairs.groups)
    mean = float((weight * gradient).sum() / weight.sum())
    moved = gaps(gradient, mean, np.abs(gradient).max())
    sums, sizes = np.bincount(groups, weight * moved), np.bincount(groups, weight)
    squares = squared_weights(table)
    n = len(sizes)
    error = math.sqrt(n / (n - 1) * float((sums**2).sum())) / float(weight.sum())

    alike = float((sizes**2).sum() / squares.sum())
    effect = max(error / alone, 1.0) ** 2 if alone else alike
    effect = (n * effect + alike) / (n + 1)
    effect *= (t_quantile(level, n - 1) / normal_quantile(level)) ** 2
    counts = table.counts.astype(np.float64)
    return replace(table, counts=counts, squared_weights=squares * effect), error


# P-values

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


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that the chance of any false rejection stays at the level.

    A nan stands for no test and stays nan. Holm (1979), "A simple sequentially rejective multiple
    test procedure".

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    order = np.argsort(p)  # nan comes last
    n_tests = np.count_nonzero(~np.isnan(p))
    corrected = (n_tests - np.arange(len(p))) * p[order]
    p[order] = np.maximum.accumulate(np.minimum(corrected, 1.0))
    return p.tolist()
