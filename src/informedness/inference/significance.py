"""Test whether the scores of two models differ, and estimate variances for samples in groups.

Each sample contributes d = g_B - g_A to the difference. Here g is the gradient of the score at the
table of each model. The test divides the difference by its standard error, which is computed from
d. The standard error includes the largest possible influence of one additional sample. If the
predictions differ in fewer than 30 groups, a bound on the influence of one additional group
replaces it, if the bound is larger. For samples in groups, the degrees of freedom depend on the
number of groups that contain each class (Satterthwaite 1946), because a class may occur in few
groups. docs/formulas.md has the formulas.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table, sum_by
from .score import Interval, Score, deviations, normal_quantile, ratio_or_zero, squared_weights

MIN_GROUPS = 5  # minimum number of groups for a test
# With fewer groups whose predictions differ, the error may include an additional group instead of
# a sample.
_MANY_DIFFERENT = 30
# Warn if classes in few groups have more than this share of the variance.
_MAX_SHARE_OF_FEW = 0.1


class CellPairs(NamedTuple):
    """Counts of samples by their cells in the tables of A and B, by weight and by group.

    `a` and `b` are positions of the cells. `groups` are numbers from 0, or None if samples are
    independent. `differ` says whether the predictions of A and B differ. It is None if samples are
    independent, and may be None for a single model.
    """

    a: Codes
    b: Codes
    counts: Numbers
    weights: Numbers
    groups: Codes | None = None
    differ: Numbers | None = None


class Influences(NamedTuple):
    """Effects of a sample in each cell of a model's table on the score of the model."""

    classes: Codes  # references of the cells
    slopes: Numbers  # influence of a sample in each cell, as in `Score.influences`
    max_influence: Numbers  # bound on N times the change of the score by one more sample
    bias: float  # estimated bias of the score
    bias_variance: float  # variance of this estimate


class PairedTest(NamedTuple):
    """The difference between the scores of two models, and the test of whether it is 0."""

    interval: Interval
    p_value: float
    # squared influence of one more sample or group, divided by the sum of those observed
    share_of_one: float
    extra_variance: float  # contribution of this one sample or group to the squared error
    df: float  # degrees of freedom of Student's t; 0 without groups, or nan as in `GroupVariance`
    n_different: int  # number of samples or groups whose predictions differ
    min_effective_groups: float  # as in `GroupVariance`; inf without groups
    detection: "Detection | None"  # None if no prediction differs, or without a test


def n_groups(pairs: CellPairs | None) -> int:
    """Count the groups; 0 if samples are independent."""
    return 0 if pairs is None or pairs.groups is None else 1 + int(pairs.groups.max())


def influences_of(score: Score, table: Table, scored: Table, pairs: CellPairs | None) -> Influences:
    """Compute the influence of a sample in each cell of a table on the score.

    `scored` is `table` itself, or the table reweighted to a prior. After reweighting, the totals of
    the references are fixed. `pairs` has the groups of the samples; it is None without groups.
    """
    adjusted = scored
    if not score.is_label_sensitive and pairs is not None:
        adjusted, *_ = with_design_effects(table, score, pairs)
    bias = score.sampling_bias(adjusted)
    if score.why_undefined(scored):
        zeros = np.zeros(len(scored.rows))
        return Influences(table.rows, zeros, zeros, *bias)
    slopes, max_influence = score.influences(scored)
    if scored is not table:
        sums = sum_by(table.rows, scored.counts * slopes, len(table.labels))
        slopes = slopes - ratio_or_zero(sums, scored.reference_totals)[table.rows]
    return Influences(table.rows, slopes, max_influence, *bias)


def paired_test(
    a: Influences, b: Influences, pairs: CellPairs, b_minus_a: float, n_different: int, level: float
) -> PairedTest:
    """Test the difference between the scores of B and A, and compute its interval.

    `n_different` is the number of samples for which the predictions of the two models differ.
    """
    counts, weights = pairs.counts, pairs.weights
    # scaled so that the sum of the weights equals the sum of their squares
    weights = weights * ((counts * weights).sum() / (counts * weights**2).sum())
    amounts = counts * weights
    size, n = float(amounts.sum()), n_groups(pairs)
    shifts = b.slopes[pairs.b] - a.slopes[pairs.a]
    shifts = shifts - float((amounts * shifts).sum()) / size
    max_influence = np.maximum(b.max_influence[pairs.b], a.max_influence[pairs.a])
    one_more, df, fewest = float(max_influence.max()), 0.0, math.inf
    if pairs.groups is None:
        variance = float((amounts * weights * shifts**2).sum())
        parts, times = weights * shifts, counts
    else:
        rescaled = pairs._replace(weights=weights)
        whole = group_variance(a.classes[pairs.a], rescaled, shifts, max_influence)
        variance, df, fewest = whole.variance, whole.df, whole.min_effective_groups
        parts, times = np.bincount(pairs.groups, amounts * shifts), np.ones(n)
        n_different = len(np.unique(pairs.groups[pairs.differ]))
        if n_different < _MANY_DIFFERENT:
            # its square is weighted by the share of groups without a difference; if predictions
            # differ in every group, one more group is like those observed
            one_more = max(one_more, whole.one_more * math.sqrt(1 - n_different / n))

    # the mean influence of samples, including the additional one, weighted by squared influence
    sizes, times = np.append(np.abs(parts), one_more), np.append(times, 1.0)
    mean_size = ratio_or_zero((times * sizes**3).sum(), (times * sizes**2).sum())
    # 95% of the additional predictions that differ are assumed to favour one model, 5% the other
    growth = float(mean_size) / (0.9 * size)
    extra = one_more**2
    bias = b.bias - a.bias
    fixed = bias**2 + a.bias_variance + b.bias_variance
    error = math.sqrt((variance + extra) / size**2 + fixed)
    unbiased = b_minus_a - bias
    if abs(b_minus_a) < 1e-12 or unbiased * b_minus_a < 0:
        unbiased = 0.0  # the difference is a rounding error, or smaller than its bias
    df_of_test = math.nan if 0 < n < MIN_GROUPS else df
    interval, p_value = interval_and_p_value(unbiased, error, size, n_different, df_of_test, level)

    squares = variance + (size * b_minus_a) ** 2 / (n or size)
    share = extra / squares if squares else 0.0
    detection = None
    if n_different and not math.isnan(p_value):
        levels = level, 0.6  # 80% of values are below the two-sided quantile of 0.6
        n_errors = sum(t_quantile(x, df) if df else normal_quantile(x) for x in levels)
        detection = Detection(n_errors, error**2 - fixed, fixed, growth)
    return PairedTest(interval, p_value, share, extra / size**2, df, n_different, fewest, detection)


def interval_and_p_value(
    difference: float, error: float, size: float, n_different: int, df: float, level: float
) -> tuple[Interval, float]:
    """Compute the interval and the p-value of a difference from its standard error.

    `size` is the effective number of samples. `n_different` counts samples, or groups, whose
    predictions differ. `df` is 0 for a normal distribution, and nan for no test.
    """
    t = abs(difference) / error if difference else 0.0
    if not df:
        z = normal_quantile(level)
        # far from 0, the tail of a normal distribution is too thin for t itself
        n_errors = z / math.sqrt(max(1 - z**2 / size, 1e-99))
        p_value = math.erfc(t / math.sqrt(2 + 2 * t**2 / size))
    else:  # both are nan if `df` is nan
        p_value, n_errors = t_tail(t, df), t_quantile(level, df)
    # 2 of the 2^n ways to swap differing predictions, or groups, give the largest difference
    p_value = min(max(p_value, 2.0 ** max(1 - n_different, -1074)), 1.0)  # this order keeps nan
    low, high = difference - n_errors * error, difference + n_errors * error
    if 1 - p_value <= level:
        low, high = min(low, 0.0), max(high, 0.0)  # consistent with the p-value
    return Interval(difference, error, low, high), p_value


class Detection(NamedTuple):
    """Parameters of the difference, and of the sample size, that a test needs for a power of 80%.

    Models whose scores differ more also differ in more predictions or groups. Therefore the error
    grows with the difference.
    """

    n_errors: float  # the difference that is detected, in standard errors
    sampling_part: float  # the part of the squared error that decreases with the sample size
    fixed_part: float  # the part of the squared error that does not depend on this size
    growth: float  # increase of the squared error per unit of difference

    def difference(self) -> float:
        """Compute the smallest difference that the test detects with a power of 80%."""
        half = self.n_errors**2 * self.growth / 2
        squared = self.n_errors**2 * (self.sampling_part + self.fixed_part)
        difference = half + math.sqrt(half**2 + squared)
        return float(f"{difference:.12g}")  # rounded, to be the same in any order of the samples

    def size_factor(self, difference: float) -> float:
        """Compute the factor of the sample size that is needed to detect this difference.

        It is inf if no sample size is enough.
        """
        needed = (difference / self.n_errors) ** 2 - self.fixed_part
        squared = self.sampling_part + abs(difference) * self.growth
        return squared / needed if needed > 0 else math.inf


# Samples in groups


class GroupSums(NamedTuple):
    """Sums of values over the samples of each code in each group; codes are classes or cells."""

    codes: Codes
    groups: Codes
    sums: Numbers

    @classmethod
    def from_values(cls, codes: Codes, groups: Codes, *values: Numbers) -> "list[GroupSums]":
        """Sum each array of values over the samples of each code in each group."""
        n = int(groups.max()) + 1
        pairs, positions = np.unique(codes * n + groups, return_inverse=True)
        return [cls(*np.divmod(pairs, n), np.bincount(positions, x)) for x in values]

    def sums_of_squares(self, k: int) -> Numbers:
        """Sum the squares of the sums for each of k codes."""
        return sum_by(self.codes, self.sums**2, k)

    def group_size_effects(self, k: int) -> tuple[Numbers, Numbers, Numbers]:
        """Compute three quantities that depend on the sizes of groups, for each of k codes.

        1. The effective number m of groups.
        2. The factor that corrects the sum of squares around the mean for its bias: m/(m - 1) for
           groups of equal size, 0 for fewer than two groups.
        3. The degrees of freedom if the samples of a group are identical (Satterthwaite): m - 1 for
           groups of equal size, 1 for fewer than two groups.
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
    """The variance of a sum of influences of samples in groups.

    The arrays have a value for each class. A last value is that of the pool of the classes in fewer
    than two effective groups.
    """

    variance: float
    # degrees of freedom; nan if the pool contributes, but has fewer than two effective groups
    df: float
    # smallest effective number of groups, if classes in fewer than five have more than 10% of the
    # variance or of its bounds; else inf. If `df` is nan, it is that of the pool.
    min_effective_groups: float
    # bound on the influence of one more group: the mean bound of the groups that contain a class,
    # weighted by the bound itself; the largest over the classes
    one_more: float
    pool: Codes  # code of the class, or of the pool, which is the last code
    n_effective: Numbers  # effective number of groups that contain the class
    factors: Numbers  # bias corrections of the sums of squares; 0 for fewer than two groups
    variances: Numbers  # variance of the sum of each class around its mean


def group_variance(
    classes: Codes, pairs: CellPairs, influences: Numbers, max_influence: Numbers
) -> GroupVariance:
    """Estimate the variance of a sum of influences, with its degrees of freedom.

    Classes in fewer than two effective groups are pooled. `df` is nan if the pool itself has fewer
    than two groups and contributes. Samples contribute if their influence differs from the mean of
    their class, or if their predictions differ.
    """
    groups, amounts = np.asarray(pairs.groups), pairs.counts * pairs.weights
    k, n = int(classes.max()) + 1, int(groups.max()) + 1
    scale = np.abs(influences).max()
    means = ratio_or_zero(sum_by(classes, amounts * influences, k), sum_by(classes, amounts, k))
    centred = deviations(influences, means[classes], scale)

    values = amounts, amounts * centred, amounts * max_influence
    sums = GroupSums.from_values(classes, groups, *values)
    n_effective, *_ = sums[0].group_size_effects(k + 1)
    pool = np.where(n_effective < 2 - 1e-9, k, np.arange(k + 1))
    pooled = pool[classes]
    pooled_codes = pool[sums[0].codes], sums[0].groups
    sizes, parts, bounds = GroupSums.from_values(*pooled_codes, *(part.sums for part in sums))
    n_effective, factors, dfs = sizes.group_size_effects(k + 1)
    variances = factors * parts.sums_of_squares(k + 1)
    squares = bounds.sums_of_squares(k + 1)
    # few groups hide the variance of the pool, so it is at least in proportion to the bounds
    deficit = variances[:k].sum() * ratio_or_zero(squares[k], squares[:k].sum()) - variances[k]
    deficit = max(float(deficit), 0.0)
    variances[k] += deficit
    by_group = np.bincount(parts.groups, np.sqrt(factors[parts.codes]) * parts.sums)
    # the variance within classes does not include that of the class frequencies
    mean = float(amounts @ influences) / float(amounts.sum())
    overall = np.bincount(groups, amounts * deviations(influences, mean, scale))
    max_df = max(n - 2, 1)
    overall_variance = (n - 1) / max_df * float((overall**2).sum())
    variance = max(float((by_group**2).sum()) + deficit, overall_variance)

    whole = float(variances.sum())
    df = min(whole**2 / float((variances**2 / dfs).sum()), max_df) if whole else float(max_df)
    # few groups may agree by chance, so the bounds of their influence are considered, too
    shares = np.maximum(*(ratio_or_zero(x, x.sum()) for x in (variances, squares)))
    is_few = (n_effective < 5 - 1e-9) & (shares > 0)
    fewest = math.inf
    if shares[is_few].sum() > _MAX_SHARE_OF_FEW * shares.sum():
        fewest = float(n_effective[is_few].min())
    has_part = centred != 0 if pairs.differ is None else (centred != 0) | pairs.differ
    if has_part[factors[pooled] == 0].any():
        df, fewest = math.nan, float(n_effective[k])
    whole_groups = bounds._replace(sums=np.bincount(bounds.groups, bounds.sums)[bounds.groups])
    group_totals = sum_by(bounds.codes, whole_groups.sums, k + 1)
    one_more = float(ratio_or_zero(whole_groups.sums_of_squares(k + 1), group_totals).max())
    return GroupVariance(variance, df, fewest, one_more, pool, n_effective, factors, variances)


def with_design_effects(table: Table, score: Score, pairs: CellPairs) -> tuple[Table, float, float]:
    """Multiply the squared weights of a table by the design effects of its groups.

    Also return the standard error of the score, or nan if it is unknown, and
    `GroupVariance.min_effective_groups`. With one group, or without a standard error, return the
    table unchanged, nan and inf.
    """
    if math.isnan(score.interval(table, 0.5).standard_error) or n_groups(pairs) == 1:
        return table, math.nan, math.inf
    cells, groups, amounts = pairs.a, np.asarray(pairs.groups), pairs.counts * pairs.weights
    rows = score.orient(table)[1].rows
    k, n = int(rows.max()) + 1, int(groups.max()) + 1
    slopes, max_influence = score.influences(table)
    whole = group_variance(rows[cells], pairs, slopes[cells], max_influence[cells])
    (by_row,) = GroupSums.from_values(rows[cells], groups, amounts)
    squares = squared_weights(table)
    row_squares, pooled = sum_by(rows, squares, k), whole.pool[rows]
    share = table.counts / sum_by(rows, table.counts, k)[rows]
    if not score.is_label_sensitive:
        # design effects of the share of each cell in its row (Rao and Scott 1981)
        (by_cell,) = GroupSums.from_values(cells, groups, amounts)
        pair_codes = rows[by_cell.codes] * n + by_cell.groups
        positions = np.searchsorted(by_row.codes * n + by_row.groups, pair_codes)
        products = sum_by(by_cell.codes, by_cell.sums * by_row.sums[positions], len(rows))
        variances = by_cell.sums_of_squares(len(rows)) - 2 * share * products
        variances = variances + share**2 * by_row.sums_of_squares(k)[rows]
        variances = whole.factors[pooled] * variances
        single_variances = share * (1 - share) * row_squares[rows]
        identical_effects = by_cell.sums_of_squares(len(rows)) / squares
    else:
        means = sum_by(rows, share * slopes, k)
        centred = deviations(slopes, means[rows], np.abs(slopes).max())
        variances = whole.variances[pooled]
        single_variances = sum_by(rows, squares * centred**2, k)[rows]
        identical_effects = by_row.sums_of_squares(k)[rows] / row_squares[rows]
    # Kish (1965), with an additional group of identical samples, because few groups hide variance
    effects = ratio_or_zero(variances, single_variances)
    effects = np.where((effects > 0) & (pooled < k), np.maximum(effects, 1.0), identical_effects)
    n_effective = whole.n_effective[pooled]
    effects = (n_effective * effects + identical_effects) / (n_effective + 1)
    counts = table.counts.astype(np.float64)
    adjusted = replace(table, counts=counts, squared_weights=squares * effects)
    return adjusted, math.sqrt(whole.variance) / float(amounts.sum()), whole.min_effective_groups


# P-values

_STEPS = np.arange(-4.0, 4.0, 1 / 16)
_OFFSETS = np.exp(math.pi / 2 * np.sinh(_STEPS))


def t_tail(t: float, df: float) -> float:
    """Compute the two-sided p-value of Student's t.

    The density is integrated by the double exponential rule (Takahasi and Mori 1974).
    """
    least = np.array([[t], [0.0]])
    density = np.exp(-(df + 1) / 2 * np.log1p((least + _OFFSETS) ** 2 / df))
    tail, half = (_OFFSETS * np.cosh(_STEPS) * density).sum(axis=1)
    return float(tail / half)


@cache
def t_quantile(level: float, df: float) -> float:
    """Compute the two-sided quantile of Student's t, by bisection of atan(t/sqrt(df))."""
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        middle = (low + high) / 2
        is_below = t_tail(math.sqrt(df) * math.tan(middle), df) > 1 - level
        low, high = (middle, high) if is_below else (low, middle)
    return math.sqrt(df) * math.tan(low)


def holm(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values for multiple tests, to control the chance of any false rejection.

    A p-value of nan, which means that there was no test, stays nan.

    Holm (1979), "A simple sequentially rejective multiple test procedure".

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
