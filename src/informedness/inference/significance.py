"""Tests: whether predictions could be guesses, and whether two models differ.

Guesses do not depend on the references, so every permutation of them is equally likely.
Informedness detects weak ability among many classes; Pearson's chi-squared detects consistently
wrong models. Neither alone detects both, so one p-value combines them for every score.

In a comparison, a sample changes the difference by d = g_B - g_A, with g the gradient of the score
at each model's own table. The test divides the difference by the error that follows from d. This
error counts one additional sample, with the largest possible influence. A class may occur in few
groups, so the error of samples in groups counts the groups of each class (Satterthwaite 1946).
docs/formulas.md has the formulas.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table, sum_by
from .score import (
    Interval,
    Score,
    deviations,
    effective_sample_size,
    normal_quantile,
    ratio_or_zero,
    squared_weights,
)

FEWEST_GROUPS = 5  # for a test
_FEW_OF_A_CLASS = 5 - 1e-9  # effective groups that contain a class
_MANY_DIFFERENT = 30  # groups; with fewer, a whole group may be missing, not only a sample
_MAX_SHARE_OF_FEW = 0.1  # share of the variance; above, a warning names classes in few groups
_NET = 0.9  # of further differing samples: the share favouring one model minus the other share
_LEVEL_FOR_POWER = 0.6  # four in five lie below this two-sided quantile
_MAX_PERMUTED = 2000  # samples; with more, the gamma distribution is accurate in the tail
_N_PERMUTATIONS = 999


# Test of independence


def guessing_p_value(table: Table) -> float:
    """Compute the p-value of the hypothesis that predictions are guesses.

    It is twice the smaller of two permutation p-values, one of Informedness and one of chi-squared.
    For two classes all tables with these margins are listed, and those that fit equally well count
    half (mid-p). Otherwise predictions of up to 2,000 samples are permuted; for more, the moments
    of both statistics are used. It is 1.0 if references or predictions have only one class, or if
    there are at most three samples.
    """
    r, c, size, counted = effective_totals(table)
    n_rows, n_columns = np.count_nonzero(r), np.count_nonzero(c)
    if min(n_rows, n_columns) < 2 or size <= 3:
        return 1.0
    # Informedness is the sum of gain x hits, up to a constant that the margins fix
    gains = c / size * (ratio_or_zero(1.0, r) + ratio_or_zero(1.0, (size - r) * (r > 0)))
    if counted is not None and n_rows == n_columns == 2:
        return min(1.0, 2 * min(_exact_p_values(table, gains, *counted)))
    p_of_hits = _normal_tail(table, gains, r, c, size)
    if counted is not None and has_rare_cells(r, c, size) and p_of_hits > 1e-6:
        p_of_hits = _permuted_p_of_hits(table, gains, *counted)
    return min(1.0, 2 * min(p_of_hits, independence_test(table)))


def _normal_tail(table: Table, gains: Numbers, r: Numbers, c: Numbers, size: float) -> float:
    """Compute the chance of so many hits by their mean and variance (Hoeffding 1951)."""
    mean = (gains * r * c).sum() / size
    row_part, column_part = gains * c / size - mean / size, gains * r / size
    both = row_part + column_part
    variance = (r * c * ((gains - both) ** 2 - both**2)).sum()
    variance += 2 * (r @ row_part) * (c @ column_part)
    variance += size * (r @ row_part**2 + c @ column_part**2)
    if variance <= 1e-12 * mean**2:
        return 1.0
    hits = float((gains * table.hits).sum()) * size / float(table.total)
    return math.erfc((hits - mean) / math.sqrt(2 * variance / (size - 1))) / 2


def _exact_p_values(table: Table, gains: Numbers, r: Codes, c: Codes) -> tuple[float, float]:
    """Compute both p-values for two classes, by listing the tables with these margins."""
    rows, columns = np.flatnonzero(r), np.flatnonzero(c)
    (r1, r2), (c1, _), n = r[rows].tolist(), c[columns].tolist(), int(r.sum())
    first = np.arange(max(0, r1 + c1 - n), min(r1, c1) + 1)
    cells = np.array([first, r1 - first, c1 - first, r2 - c1 + first])
    logarithms = [-sum(math.lgamma(count + 1) for count in column) for column in cells.T.tolist()]
    chances = np.exp(logarithms - np.max(logarithms))
    chances /= chances.sum()

    # fixed margins: one more sample in the first cell, one more in the last, one less in the others
    signs = np.array([1, -1])
    hits = first * (gains[rows] * signs @ np.equal.outer(rows, columns) @ signs)
    distance = np.abs(first - r1 * c1 / n)  # orders tables as chi-squared does
    is_first = (table.rows == rows[0]) & (table.columns == columns[0])
    n_first = round(float(table.counts[is_first].sum()) * n / float(table.total))
    position = n_first - int(first[0])
    return _mid_p(hits, chances, position), _mid_p(distance, chances, position)


def _mid_p(statistics: Numbers, chances: Numbers, position: int) -> float:
    """Sum the chances of greater statistics than the one at a position, and half those of equal."""
    excess = statistics - statistics[position]
    is_equal = np.abs(excess) <= 1e-9 * (1 + abs(statistics[position]))
    return float(chances[(excess > 0) & ~is_equal].sum() + chances[is_equal].sum() / 2)


def _permuted(r: Codes, c: Codes, statistic: Callable[[Codes, Codes], float]) -> list[float]:
    """Evaluate a statistic for random permutations of predictions, by totals of both margins."""
    rng = np.random.default_rng(0)
    references, predictions = (np.repeat(np.arange(len(totals)), totals) for totals in (r, c))
    return [statistic(references, rng.permutation(predictions)) for _ in range(_N_PERMUTATIONS)]


def _permuted_p_of_hits(table: Table, gains: Numbers, r: Codes, c: Codes) -> float:
    """Compute the share of permutations that score higher; equal scores count half."""

    def gained(references: Codes, predictions: Codes) -> float:
        return float(gains[references[predictions == references]].sum())

    observed = float((gains * table.hits).sum()) * int(r.sum()) / float(table.total)
    statistics = np.array([observed, *_permuted(r, c, gained)])
    return _mid_p(statistics, np.full(len(statistics), 1 / len(statistics)), 0)


def effective_totals(table: Table) -> tuple[Numbers, Numbers, float, tuple[Codes, Codes] | None]:
    """Convert both margins to effective numbers of samples, with their sum, and to counts.

    The counts are None unless they are whole, and few enough for permutations.
    """
    size = effective_sample_size(table)
    one = size / float(table.total)
    r, c = table.reference_totals * one, table.prediction_totals * one
    whole_r, whole_c = np.rint(r).astype(np.int64), np.rint(c).astype(np.int64)
    is_counted = np.allclose(r, whole_r, 0, 1e-6) and np.allclose(c, whole_c, 0, 1e-6)
    return r, c, size, (whole_r, whole_c) if is_counted and size <= _MAX_PERMUTED else None


def has_rare_cells(r: Numbers, c: Numbers, size: float) -> bool:
    """Whether a cell is expected to hold fewer than five samples by chance."""
    return float(r[r > 0].min() * c[c > 0].min()) < 5 * size


def independence_test(table: Table, permute: bool = True) -> float:
    """Test independence by Pearson's chi-squared among all tables with the same margins.

    The gamma distribution is too smooth for few samples and rare classes. There predictions are
    permuted, unless `permute` is False.
    """
    r, c, size, counted = effective_totals(table)
    r, c = r[r > 0], c[c > 0]
    if min(len(r), len(c)) < 2 or size <= 3:
        return 1.0
    statistic = _chi_squared(table, size)
    mean, variance = _moments(r, c, size)
    if statistic <= 0 or variance <= 1e-9 * mean:
        return 1.0  # only one table is possible, or all have the same chi-squared
    p_value = _gamma_tail(mean**2 / variance, statistic * mean / variance)
    if permute and counted is not None and has_rare_cells(r, c, size) and p_value >= 1e-6:
        return _permuted_p_value(statistic, *(np.sort(totals[totals > 0]) for totals in counted))
    return p_value


def _chi_squared(table: Table, size: float) -> float:
    """Compute Pearson's statistic for this effective number of samples."""
    p = table.counts / table.total
    shares = table.reference_totals / table.total, table.prediction_totals / table.total
    expected = shares[0][table.rows] * shares[1][table.columns]
    n_cells = np.count_nonzero(shares[0]) * np.count_nonzero(shares[1])
    empty = max(1 - float(expected.sum()), 0.0) if len(p) < n_cells else 0.0
    return size * (float(((p - expected) ** 2 / expected).sum()) + empty)


def _moments(r: Numbers, c: Numbers, size: float) -> tuple[float, float]:
    """Compute mean and variance of Pearson's chi-squared over all tables of these margins."""
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    sums = [(len(totals), float((1 / totals).sum())) for totals in (r, c)]
    v_r, v_c = ((k - 1) * max(size - k, 0) / (size - 1) for k, _ in sums)
    w_r, w_c = (max(size * inverses - k**2, 0) / (size - 2) for k, inverses in sums)
    both = max(v_r - w_r, 0) * max(v_c - w_c, 0)
    return mean, 2 * size / (size - 3) * both + size**2 / (size - 1) * w_r * w_c


def _permuted_p_value(statistic: float, r: Codes, c: Codes) -> float:
    """Compute the share of permutations whose chi-squared is as large."""
    size = int(r.sum())

    def chi_squared(references: Codes, predictions: Codes) -> float:
        fused, cells = np.unique(references * len(c) + predictions, return_counts=True)
        i, j = np.divmod(fused, len(c))
        return size * (float((cells**2 / (r[i] * c[j])).sum()) - 1)

    permuted = np.array(_permuted(r, c, chi_squared))
    n_as_large = 1 + np.count_nonzero(permuted > statistic * (1 - 1e-9) - 1e-9)
    return float(n_as_large) / (_N_PERMUTATIONS + 1)


def _gamma_tail(shape: float, least: float) -> float:
    """Compute the chance that a gamma variate of this shape is at least `least`.

    The density of its logarithm is integrated by Simpson's rule, from ln(least) to where it has
    fallen by e^-45. It is taken relative to its mode at ln(shape), so that no large numbers cancel.
    """
    start = max(least, shape)
    above = start - shape
    stop = math.log(start / shape) + 90 / (above + math.sqrt(above**2 + 90 * start))
    below = math.sqrt(120 / shape) if shape > 120 else 1 + 45 / shape
    first = max(math.log(least / shape), -below)
    y, step = np.linspace(first, stop, 2001, retstep=True)
    with np.errstate(over="ignore"):  # where it is infinite, the density is 0
        density = np.exp(shape * (y - np.expm1(y)))
    density[[0, -1]] /= 2
    total = float((density.sum() + density[1::2].sum()) * 2 / 3 * step)
    if shape > 1e5:
        mode_density = (math.log(shape / (2 * math.pi)) - 1 / (6 * shape)) / 2
    else:
        mode_density = shape * (math.log(shape) - 1) - math.lgamma(shape)
    return min(math.exp(mode_density) * total, 1.0)


# Comparison of two models


class CellPairs(NamedTuple):
    """Counts of samples by their cells in the tables of A and B, weight and group.

    `groups` are numbered from 0; None if samples are independent. `differ` says whether the
    predictions differ; None for a single model, or if samples are independent.
    """

    a: Codes
    b: Codes
    counts: Numbers
    weights: Numbers
    groups: Codes | None = None
    differ: Numbers | None = None


class Influences(NamedTuple):
    """Changes of a model's score by samples in the cells of its table."""

    classes: Codes  # references of the cells
    slopes: Numbers
    max_influence: Numbers  # N times the largest change of the score by one more sample
    bias: float
    unseen: float  # variance that remains without the bias


class Paired(NamedTuple):
    """The difference of two models, and its test against equal scores."""

    interval: Interval
    p_value: float
    share_of_one: float  # squared influence of one more sample, over the sum of all others
    extra_variance: float  # the part of the squared error that this sample contributes
    df: float  # degrees of freedom of Student's t; 0 without groups, nan if nothing can be tested
    n_swaps: int  # predictions, or groups, that differ: 2^n ways to swap A and B
    fewest_groups: float  # effective number for a class, if few groups decide; else inf
    detection: "Detection | None"  # None if no prediction differs, or nothing can be tested


def n_groups(pairs: CellPairs | None) -> int:
    """Count the groups; 0 if samples are independent."""
    return 0 if pairs is None or pairs.groups is None else 1 + int(pairs.groups.max())


def model_influences(
    score: Score, table: Table, scored: Table, pairs: CellPairs | None = None
) -> Influences:
    """Measure how the samples of a model, or its samples in groups, change its score.

    If `scored` has its references reweighted, only the predictions for each reference vary.
    """
    judged = scored
    if score.has_cell_effects and pairs is not None:
        judged, *_ = with_design_effects(table, score, pairs)
    bias = score.sampling_bias(judged)
    if score.undefined(scored):
        zeros = np.zeros(len(scored.rows))
        return Influences(table.rows, zeros, zeros, *bias)
    slopes = score.cell_gradient(scored)
    if scored is not table:
        sums = sum_by(table.rows, scored.counts * slopes, len(table.labels))
        slopes = slopes - ratio_or_zero(sums, scored.reference_totals)[table.rows]
    return Influences(table.rows, slopes, score.max_influence(scored), *bias)


def paired_test(
    a: Influences, b: Influences, pairs: CellPairs, difference: float, n_differ: int, level: float
) -> Paired:
    """Test a difference B - A: its interval, and the p-value of no difference.

    `n_differ` is the number of samples that the models predict differently.
    """
    counts, weights = pairs.counts, pairs.weights
    # scaled so that a sample weighs 1 in the error
    weights = weights * ((counts * weights).sum() / (counts * weights**2).sum())
    amounts = counts * weights
    size, n = float(amounts.sum()), n_groups(pairs)
    moved = b.slopes[pairs.b] - a.slopes[pairs.a]
    moved = moved - float((amounts * moved).sum()) / size
    max_influence = np.maximum(b.max_influence[pairs.b], a.max_influence[pairs.a])
    one_more, df, fewest = float(max_influence.max()), 0.0, math.inf
    if pairs.groups is None:
        variance = float((amounts * weights * moved**2).sum())
        parts, times = weights * moved, counts
    else:
        classes = a.classes[pairs.a]
        whole = group_variance(classes, pairs.groups, amounts, moved, max_influence, pairs.differ)
        variance, df, fewest = whole.variance, whole.df, whole.fewest
        parts, times = np.bincount(pairs.groups, amounts * moved), np.ones(n)
        n_differ = len(np.unique(pairs.groups[pairs.differ]))
        if n_differ < _MANY_DIFFERENT:
            # if all predictions differ, no group is missing
            one_more = max(one_more, whole.one_more * math.sqrt(1 - n_differ / n))

    # weight further differing samples by their part in the variance, like the seen ones
    sizes, times = np.append(np.abs(parts), one_more), np.append(times, 1.0)
    mean_size = ratio_or_zero((times * sizes**3).sum(), (times * sizes**2).sum())
    growth = float(mean_size) / (_NET * size)
    one_more **= 2
    bias = b.bias - a.bias
    fixed = bias**2 + a.unseen + b.unseen
    error = math.sqrt((variance + one_more) / size**2 + fixed)
    unbiased = difference - bias
    if abs(difference) < 1e-12 or unbiased * difference < 0:
        unbiased = 0.0  # a difference so small is a rounding error
    df_of_test = math.nan if 0 < n < FEWEST_GROUPS else df
    interval, p_value = interval_and_p_value(unbiased, error, size, n_differ, df_of_test, level)

    squares = variance + (size * difference) ** 2 / (n or size)
    share_of_one = one_more / squares if squares else 0.0
    detection = None
    if n_differ and not math.isnan(p_value):
        levels = level, _LEVEL_FOR_POWER
        n_errors = sum(t_quantile(x, df) if df else normal_quantile(x) for x in levels)
        detection = Detection(n_errors, error**2 - fixed, fixed, growth)
    extra_variance = one_more / size**2
    return Paired(interval, p_value, share_of_one, extra_variance, df, n_differ, fewest, detection)


def interval_and_p_value(
    difference: float, error: float, size: float, n_swaps: int, df: float, level: float
) -> tuple[Interval, float]:
    """Compute the interval of a difference, and the p-value of no difference, from its error."""
    t = abs(difference) / error if difference else 0.0
    if not df:
        z = normal_quantile(level)
        n_errors = z / math.sqrt(max(1 - z**2 / size, 1e-99))
        p_value = math.erfc(t / math.sqrt(2 + 2 * t**2 / size))
    elif math.isnan(df):
        p_value = n_errors = math.nan
    else:
        p_value, n_errors = t_tail(t, df), t_quantile(level, df)
    # two of the 2^n ways to swap differing predictions, or groups, are the extremes
    p_value = min(max(p_value, 2.0 ** max(1 - n_swaps, -1074)), 1.0)  # this order keeps nan
    low, high = difference - n_errors * error, difference + n_errors * error
    if 1 - p_value <= level:
        low, high = min(low, 0.0), max(high, 0.0)  # despite rounding, or few differing predictions
    return Interval(difference, error, low, high), p_value


class Detection(NamedTuple):
    """The difference or sample size needed to find a true difference four times out of five.

    Models that differ more in their score also differ in more predictions, or groups. So the error
    grows with the difference.
    """

    errors: float  # standard errors that a difference must have
    falling: float  # the part of the squared error that falls with the number of samples
    fixed: float
    growth: float  # of the squared error, per unit of difference

    def difference(self) -> float:
        """Find the least such difference."""
        half = self.errors**2 * self.growth / 2
        squared = self.errors**2 * (self.falling + self.fixed)
        difference = half + math.sqrt(half**2 + squared)
        return float(f"{difference:.12g}")  # the same in any order of the samples

    def times(self, difference: float) -> float:
        """Find the multiple of the sample size that shows this difference; inf if none does."""
        needed = (difference / self.errors) ** 2 - self.fixed
        squared = self.falling + abs(difference) * self.growth
        return squared / needed if needed > 0 else math.inf


# Samples in groups


class GroupSums(NamedTuple):
    """Sums over the samples of a class, or of a cell, in a group; one for each such pair."""

    codes: Codes
    groups: Codes
    sums: Numbers

    @classmethod
    def from_values(cls, codes: Codes, groups: Codes, *values: Numbers) -> "list[GroupSums]":
        """Sum each of some values over the samples of each code in each group."""
        n = int(groups.max()) + 1
        pairs, positions = np.unique(codes * n + groups, return_inverse=True)
        return [cls(*np.divmod(pairs, n), np.bincount(positions, x)) for x in values]

    def sums_of_squares(self, k: int) -> Numbers:
        """Sum the squares for each of k codes."""
        return sum_by(self.codes, self.sums**2, k)

    def effective_sizes(self, k: int) -> tuple[Numbers, Numbers, Numbers]:
        """Measure the effect of group sizes on a variance, for each of k codes, by sums of weights.

        The first is the effective number m of groups. The second is the factor by which the sum of
        squares around the mean is too small: m/(m - 1) for even groups, 0 below two. The third is
        its degrees of freedom if the samples of a group are alike: m - 1 for even groups
        (Satterthwaite).
        """
        shares = self.sums / sum_by(self.codes, self.sums, k)[self.codes]
        w2, w3, w4, w5 = (sum_by(self.codes, shares**power, k) for power in range(2, 6))
        trace = w2 - 2 * w3 + w2**2
        squared = w4 + 4 * w2 * w4 + w2**4 + 2 * w3**2 - 4 * w2**2 * w3 - 4 * w5
        n = ratio_or_zero(1.0, w2)
        has_two = n >= 2 - 1e-9
        factors = np.where(has_two, ratio_or_zero(w2, trace), 0.0)
        return n, factors, np.where(has_two, ratio_or_zero(trace**2, squared), 1.0)


class GroupVariance(NamedTuple):
    """The variance of a sum of influences of samples in groups; arrays are by class or pool."""

    variance: float
    df: float  # nan where a class in a single group has a part
    fewest: float  # effective number of groups of a class, if few groups decide; else inf
    one_more: float  # influence of one more group, drawn as the group of a random sample
    pool: Codes  # the class itself, or the pool, which is the last code
    n_effective: Numbers  # groups that contain the class
    factors: Numbers  # of the sums of squares; 0 for a class in a single group
    variances: Numbers


def group_variance(
    classes: Codes,
    groups: Codes,
    amounts: Numbers,
    influences: Numbers,
    max_influence: Numbers,
    differ: Numbers | None = None,
) -> GroupVariance:
    """Estimate the variance of a sum of influences, with its degrees of freedom.

    Classes in fewer than two effective groups are pooled. `differ` marks samples that contribute
    whatever their influence.
    """
    k, n = int(classes.max()) + 1, int(groups.max()) + 1
    scale = np.abs(influences).max()
    means = ratio_or_zero(sum_by(classes, amounts * influences, k), sum_by(classes, amounts, k))
    centred = deviations(influences, means[classes], scale)

    values = amounts, amounts * centred, amounts * max_influence
    sums = GroupSums.from_values(classes, groups, *values)
    n_effective, *_ = sums[0].effective_sizes(k + 1)
    pool = np.where(n_effective < 2 - 1e-9, k, np.arange(k + 1))
    pooled = pool[classes]
    pairs = pool[sums[0].codes], sums[0].groups
    sizes, parts, room = GroupSums.from_values(*pairs, *(x.sums for x in sums))
    n_effective, factors, dfs = sizes.effective_sizes(k + 1)
    variances = factors * parts.sums_of_squares(k + 1)
    rooms = room.sums_of_squares(k + 1)
    # pooled classes show little of their variance, so it is at least in proportion to room
    missing = variances[:k].sum() * ratio_or_zero(rooms[k], rooms[:k].sum()) - variances[k]
    missing = max(float(missing), 0.0)
    variances[k] += missing
    by_group = np.bincount(parts.groups, np.sqrt(factors[parts.codes]) * parts.sums)
    # the variance inside classes does not include variation in their frequency
    mean = float(amounts @ influences) / float(amounts.sum())
    overall = np.bincount(groups, amounts * deviations(influences, mean, scale))
    max_df = max(n - 2, 1)
    overall_variance = (n - 1) / max_df * float((overall**2).sum())
    variance = max(float((by_group**2).sum()) + missing, overall_variance)

    whole = float(variances.sum())
    df = min(whole**2 / float((variances**2 / dfs).sum()), max_df) if whole else float(max_df)
    # few groups may happen to agree, so their possible influence counts, too
    carried = np.maximum(*(ratio_or_zero(x, x.sum()) for x in (variances, rooms)))
    is_few = (n_effective < _FEW_OF_A_CLASS) & (carried > 0)
    fewest = math.inf
    if carried[is_few].sum() > _MAX_SHARE_OF_FEW * carried.sum():
        fewest = float(n_effective[is_few].min())
    has_part = centred != 0 if differ is None else (centred != 0) | differ
    if has_part[factors[pooled] == 0].any():
        df, fewest = math.nan, float(n_effective[k])
    whole_groups = room._replace(sums=np.bincount(room.groups, room.sums)[room.groups])
    group_totals = sum_by(room.codes, whole_groups.sums, k + 1)
    one_more = float(ratio_or_zero(whole_groups.sums_of_squares(k + 1), group_totals).max())
    return GroupVariance(variance, df, fewest, one_more, pool, n_effective, factors, variances)


def with_design_effects(table: Table, score: Score, pairs: CellPairs) -> tuple[Table, float, float]:
    """Multiply the squared weights of a table by the design effects of its groups.

    Also return the error of the score, nan if it is unknown, and `GroupVariance.fewest`.
    """
    if math.isnan(score.interval(table, 0.5).standard_error) or n_groups(pairs) == 1:
        return table, math.nan, math.inf
    cells, groups, amounts = pairs.a, np.asarray(pairs.groups), pairs.counts * pairs.weights
    rows = score.orient(table)[1].rows
    k, n = int(rows.max()) + 1, int(groups.max()) + 1
    gradient, max_influence = score.cell_gradient(table), score.max_influence(table)
    whole = group_variance(rows[cells], groups, amounts, gradient[cells], max_influence[cells])
    (by_row,) = GroupSums.from_values(rows[cells], groups, amounts)
    squares = squared_weights(table)
    row_squares, pooled = sum_by(rows, squares, k), whole.pool[rows]
    share = table.counts / sum_by(rows, table.counts, k)[rows]
    if score.has_cell_effects:
        # for the share of each cell in its row (Rao and Scott 1981)
        (by_cell,) = GroupSums.from_values(cells, groups, amounts)
        own = rows[by_cell.codes] * n + by_cell.groups
        positions = np.searchsorted(by_row.codes * n + by_row.groups, own)
        products = sum_by(by_cell.codes, by_cell.sums * by_row.sums[positions], len(rows))
        variances = by_cell.sums_of_squares(len(rows)) - 2 * share * products
        variances = variances + share**2 * by_row.sums_of_squares(k)[rows]
        variances = whole.factors[pooled] * variances
        single_variances = share * (1 - share) * row_squares[rows]
        alike = by_cell.sums_of_squares(len(rows)) / squares
    else:
        means = sum_by(rows, share * gradient, k)
        centred = deviations(gradient, means[rows], np.abs(gradient).max())
        variances = whole.variances[pooled]
        single_variances = sum_by(rows, squares * centred**2, k)[rows]
        alike = by_row.sums_of_squares(k)[rows] / row_squares[rows]
    # Kish (1965), with one more group of identical samples, as few groups hide variance
    effects = ratio_or_zero(variances, single_variances)
    effects = np.where((effects > 0) & (pooled < k), np.maximum(effects, 1.0), alike)
    n_effective = whole.n_effective[pooled]
    effects = (n_effective * effects + alike) / (n_effective + 1)
    counts = table.counts.astype(np.float64)
    judged = replace(table, counts=counts, squared_weights=squares * effects)
    return judged, math.sqrt(whole.variance) / float(amounts.sum()), whole.fewest


# P-values

_STEPS = np.arange(-4.0, 4.0, 1 / 16)
_BEYOND = np.exp(math.pi / 2 * np.sinh(_STEPS))


def t_tail(t: float, df: float) -> float:
    """Compute the chance that Student's t is at least this far from 0, on either side.

    Integrates the density by the double exponential rule (Takahasi and Mori 1974).
    """
    least = np.array([[t], [0.0]])
    density = np.exp(-(df + 1) / 2 * np.log1p((least + _BEYOND) ** 2 / df))
    beyond, half = (_BEYOND * np.cosh(_STEPS) * density).sum(axis=1)
    return float(beyond / half)


@cache
def t_quantile(level: float, df: float) -> float:
    """Find the two-sided quantile of Student's t at a level, by halving angles of t/sqrt(df)."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        is_below = t_tail(math.sqrt(df) * math.tan(middle), df) > 1 - level
        low, high = (middle, high) if is_below else (low, middle)
    return math.sqrt(df) * math.tan(low)


def holm(p_values: Sequence[float]) -> list[float]:
    """Correct p-values so that the chance of any false rejection stays at the level.

    A nan, which means no test, stays nan. Holm (1979), "A simple sequentially rejective multiple
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
