"""Measure and test how predictions depend on references.

The entropies of a table give NIT, EMA and the entropy triangle (Valverde-Albacete and Pelaez-Moreno
2014, "100% classification accuracy considered harmful").

Guesses do not depend on the references, so all permutations of guesses are equally likely. The test
of independence combines two statistics into one p-value. Informedness detects models that know a
little about many classes. Pearson's chi-squared detects models that are consistently wrong.
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.scores import ONLY_ONE_CLASS, mutual_information, nit, value_if_undefined
from ..core.table import Table, sum_by
from . import score
from .score import FEW_SAMPLES, Error, Interval, Prior, Score, ratio_or_zero

# With this number of samples, a class whose share is 0.3% occurs with a probability of 95%.
ENOUGH_FOR_ALL_CLASSES = 1000
_MAX_PERMUTED = 2000  # with more samples, the gamma distribution is accurate in the tail
_N_PERMUTATIONS = 999


def mean_bits(table: Table, shares: Numbers) -> float:
    """Average -log2 of a share over the samples; `shares` has a share for each cell."""
    p = table.counts / table.total
    is_used = p > 0  # a share may underflow to 0
    # rounding may give less than 0
    return max(0.0, -float((p[is_used] * np.log2(shares[is_used])).sum()))


def reference_entropy(table: Table) -> float:
    """Compute H(ref) in bits."""
    return mean_bits(table, table.reference_totals[table.rows] / table.total)


class EntropicScore(Score):
    """A score whose logarithm is a signed sum of the entropies of cells, columns and rows.

    The score is a scale factor times exp(s_1 ln p_ij + s_2 ln beta_j + s_3 ln pi_i), with the
    exponent averaged over the samples. The signs s are 1, 0 or -1.
    """

    is_label_sensitive = False
    signs: ClassVar[tuple[int, int, int]]  # of the terms of cells, columns and rows

    def scale(self, n_classes: int) -> float:
        """Compute the scale factor of the score, its value if the mean logarithm is 0."""
        return 1.0

    def least_scale(self, table: Table) -> float:
        """Compute the smallest plausible scale factor.

        If classes are not declared and the rarest has few references, another class may be missing
        from the samples. The scale factor is then that of one more class.
        """
        may_miss_one = not table.is_declared and score.fewest_references(table) < 5 - 1e-6
        return self.scale(table.n_classes + may_miss_one)

    def influences(self, table: Table) -> tuple[Numbers, Numbers]:
        """Compute the influence in each cell, and the bounds, which are the same for all cells.

        The bound is the score times -ln of the smallest n_ij / c_j, with counts of at least 1.
        """
        r, c = table.reference_totals, table.prediction_totals
        terms = zip(self.signs, (table.counts, c[table.columns], r[table.rows]), strict=True)
        logarithm = sum(sign * np.log(amount / table.total) for sign, amount in terms)
        unit = float(table.total) / score.effective_sample_size(table)
        cells, c = np.maximum(table.counts / unit, 1), np.maximum(c / unit, 1)
        has_empty = np.bincount(table.columns, minlength=len(c)) < np.count_nonzero(r)
        least = min(float((cells / c[table.columns]).min()), 1 / c[has_empty].max(initial=1))
        value = float(self.exact_value(table))
        return value * logarithm, np.full(len(table.rows), value * -math.log(least))

    def shortage(self, table: Table, prior: Prior = None) -> str:
        reason = score.rarest_class_shortage(table) or _shortage_for_predictions(table)
        if table.is_declared or (reason and not self.may_miss_classes(table)):
            return reason
        few = score.rarest_class_shortage(table, least=math.inf)
        enough = 5 / score.fewest_references(table) * score.effective_sample_size(table)
        size = f"about {float(f'{enough:.2g}'):,.0f} samples are enough"
        return few and f"{few}; {size}, or declare all classes with `labels`"

    def may_miss_classes(self, table: Table) -> bool:
        """Check whether too many classes may be missing from the samples to give an interval."""
        raise NotImplementedError

    def limits(self, table: Table, rows: MissingEntropy, z: float) -> tuple[float, float]:
        """Estimate the lowest logarithm of a guesser's score, and the increase by one more sample.

        Logarithms are in nats, without the scale factor. The lowest is over the populations that
        the table does not rule out at z standard errors. The increase is multiplied by N. `rows` is
        the missing entropy of the references.
        """
        raise NotImplementedError

    def interval_around(self, table: Table, scored: Table, level: float, error: Error) -> Interval:
        """Compute an interval of the score from that of its logarithm, whose bias is corrected.

        The ends are nan if too many classes may be missing. The lower end assumes that all empty
        cells are equally likely, which gives the least possible information. If the chi-squared
        test does not reject independence, the lower end is the lowest score of a guesser.
        """
        value, exact = self.clipped_value(table), float(self.exact_value(table))
        own_error = self._standard_error(table) if error is None else error
        if self.may_miss_classes(table):
            return Interval(value, own_error)
        centre, cells, rows = self._unbiased_logarithm(table)
        z, size = score.normal_quantile(level), score.effective_sample_size(table)
        guessing, increase = self.limits(table, rows, z)
        lowest = centre + cells.likely - cells.highest
        lowest -= 0.0 if error is None else self._excess_of_fixed_groups(table)

        variance = (own_error / exact) ** 2 + cells.variance + rows.variance
        # The changes of the logarithm by one additional sample lie within ln(N) / N of each other.
        # The lowest change is that of a sample that is alone in its cell.
        up = min(max(increase, 0.0), math.log(size)) / size
        down = math.log(size) / size - up
        if self.signs[2]:  # the logarithm is MI, whose variance is 0 if MI is 0
            down -= variance / max(mutual_information(table) * math.log(2), 1 / size)
        low = lowest - score.margin_of_error(z, variance, down)
        high = max(centre, guessing) + score.margin_of_error(z, variance, up)
        if chi_squared_p_value(table, permute=False) > 1 - level:
            low = guessing
        scale = self.scale(table.n_classes)
        perfect = -math.log(scale)  # with few groups, exp of a larger end could overflow
        low, high = (math.exp(min(max(end, guessing), perfect)) for end in (low, high))
        return Interval(value, own_error, low * self.least_scale(table), high * scale)

    def _unbiased_logarithm(self, table: Table) -> tuple[float, MissingEntropy, MissingEntropy]:
        """Correct the mean logarithm for the biases of the entropies of cells, columns and rows.

        Also return the missing entropies of cells and of rows.
        """
        squares = score.squared_weights(table)
        r, c = table.reference_totals, table.prediction_totals
        n_empty = table.n_classes * int(np.count_nonzero(c)) - len(squares)
        n_absent = table.n_classes - int(np.count_nonzero(r))
        cells = missing_entropy(table.counts, squares, n_empty)
        columns = missing_entropy(c, sum_by(table.columns, squares, len(c)), 0)
        rows = missing_entropy(r, sum_by(table.rows, squares, len(r)), n_absent)
        bias = np.dot(self.signs, [cells.likely, columns.likely, rows.likely])
        logarithm = math.log(float(self.exact_value(table)) / self.scale(table.n_classes))
        return logarithm - float(bias), cells, rows

    def _excess_of_fixed_groups(self, table: Table) -> float:
        """Estimate the bias of the logarithm if the number of groups of each class is fixed."""
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        squares, n = score.squared_weights(table), float(table.total)
        return float((squares * (table.counts / r * n / c - 1)).sum()) / (2 * n**2)

    def sampling_bias(self, table: Table) -> tuple[float, float]:
        centre, cells, _ = self._unbiased_logarithm(table)
        unbiased = max(self.scale(table.n_classes) * math.exp(centre), self.guessing_level(table))
        return float(self.exact_value(table)) - unbiased, unbiased**2 * cells.variance

    def _standard_error(self, table: Table) -> float:
        """Compute the standard error of the score for independent samples."""
        slopes, n = self.influences(table)[0], float(table.total)
        mean = float((table.counts * slopes).sum()) / n
        differences = score.deviations(slopes, mean, self.exact_value(table) + np.abs(slopes))
        return math.sqrt(float((score.squared_weights(table) * differences**2).sum())) / n


def _shortage_for_predictions(table: Table) -> str:
    """Describe a lack of samples if two or more undeclared predicted labels have no references.

    For a guesser of k classes on N samples, each such label adds (k - 1) / (2N) nats to the
    mutual information. With 10 (k - 1) samples per label the score rises by 5% to 6%.
    """
    is_absent = table.reference_totals == 0
    n_absent = int(np.count_nonzero(is_absent & (table.prediction_totals > 0)))
    if table.is_declared or n_absent < 2:
        return ""
    least = 10 * (int(np.count_nonzero(~is_absent)) - 1) * n_absent
    qualifier = f" for {n_absent} predicted labels without references"
    return score.shortage_message(score.effective_sample_size(table), least, "sample", qualifier)


class Nit(EntropicScore):
    """Normalised Information Transfer 2^MI / k, at most 2^H(ref) / k. Guessing scores 1/k."""

    name = "nit"
    title = "NIT"
    stand_in = 1.0
    mark_meaning = "the part due to chance exceeds the standard error"
    signs = (1, -1, -1)

    def guessing_level(self, table: Table) -> float:
        return 1 / table.n_classes

    def best_level(self, table: Table) -> float:
        return min(math.pow(2.0, reference_entropy(table)) / table.n_classes, 1.0)

    def contains_guessing(self, table: Table, low: float, high: float) -> bool:
        # no predictions score less than guesses in large samples, so the upper end needs no check
        return low <= self.least_scale(table) + 1e-12

    def why_undefined(self, table: Table) -> str:
        return ONLY_ONE_CLASS if table.n_classes == 1 else ""

    def value(self, table: Table, *, prior: Prior = None, **options: Any) -> float:
        return nit(score.with_prior(table, prior), **options)

    def exact_value(self, table: Table) -> Any:
        return np.exp2(mutual_information(table)) / table.n_classes

    def scale(self, n_classes: int) -> float:
        return 1 / n_classes

    def caveat(self, table: Table, prior: Prior = None) -> str:
        reason, size = self.shortage(table, prior), score.effective_sample_size(table)
        if reason or table.is_declared or size >= ENOUGH_FOR_ALL_CLASSES - 1e-6:
            return reason
        samples = "effective samples" if table.is_weighted else "samples"
        missing = f"with fewer than {ENOUGH_FOR_ALL_CLASSES:,} {samples} a class may be missing"
        return f"{missing}; if these {table.n_classes} are all the classes, pass `labels`"

    def caution(self, table: Table, value: float) -> str:
        # the bias of mutual information is about (cells - rows - columns + 1) / (2N) (Miller 1955)
        if self.why_undefined(table) or not score.has_standard_errors(table):
            return ""
        r, c = (np.count_nonzero(x) for x in (table.reference_totals, table.prediction_totals))
        excess = (len(table.counts) - r - c + 1) / (2 * score.effective_sample_size(table))
        part = value * -math.expm1(-max(excess, 0.0))
        if part <= self._standard_error(table):
            return ""
        return f"an estimated {part:.3f} of the score is due to chance"

    def limits(self, table: Table, rows: MissingEntropy, z: float) -> tuple[float, float]:
        return 0.0, reference_surprisals(table)[1] - mutual_information(table) * math.log(2)

    def may_miss_classes(self, table: Table) -> bool:
        return not table.is_declared and score.fewest_references(table) < 3 - 1e-6


class Ema(EntropicScore):
    """Entropy-modulated accuracy 2^-H(ref|pred), in (0, 1]. Guessing scores 2^-H(ref)."""

    name = "ema"
    title = "EMA"
    stand_in = 1.0
    signs = (1, -1, 0)
    undefined_margins = ("references",)

    def guessing_level(self, table: Table) -> float:
        return math.pow(2.0, -reference_entropy(table))

    def value(self, table: Table, **options: Any) -> float:
        value_if_undefined("", self.stand_in, "warn", table)  # warns of a single sample
        return float(super().value(table, **options))

    def exact_value(self, table: Table) -> Numbers:
        return np.exp2(-mean_bits(table, table.counts / table.prediction_totals[table.columns]))

    def shortage(self, table: Table, prior: Prior = None) -> str:
        few = score.shortage_message(score.effective_sample_size(table), FEW_SAMPLES, "sample")
        minority = "" if table.is_declared else score.minority_shortage(table)
        return super().shortage(table, prior) or minority or few

    def limits(self, table: Table, rows: MissingEntropy, z: float) -> tuple[float, float]:
        mean, weighted_mean = reference_surprisals(table)
        slope = (weighted_mean - mean) / score.effective_sample_size(table)
        margin = score.margin_of_error(z, mean * slope + rows.variance, slope)
        return -mean - rows.highest - margin, -math.log(float(self.exact_value(table)))

    def may_miss_classes(self, table: Table) -> bool:
        return not table.is_declared and score.minority_shortage(table) != ""


class EntropyTriangle(NamedTuple):
    """Three coordinates in [0, 1] that sum to 1; all are nan if the table has only one label."""

    delta_h: float  # distance of both margins from the uniform distribution
    two_mi: float  # information transferred
    vi: float  # information lost


def triangle_of(table: Table) -> EntropyTriangle:
    """Compute the coordinates of a table in the entropy triangle.

    They are (2L - H_ref - H_pred, 2 MI, H(ref|pred) + H(pred|ref)) / 2L. L is log2 of the number of
    declared classes, or by default of all labels. Out-of-class predictions with unknown="wrong"
    count as one more class.
    """
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    k = len(table.labels) if table.is_declared else int(np.count_nonzero(occur))
    if k == 1:
        return EntropyTriangle(math.nan, math.nan, math.nan)
    r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
    n, span = table.total, 2 * math.log2(k)
    loss = mean_bits(table, table.counts / c) + mean_bits(table, table.counts / r)
    margins = mean_bits(table, r / n) + mean_bits(table, c / n)
    imbalance = max(1 - margins / span, 0.0)  # rounding may give less than 0
    return EntropyTriangle(imbalance, 2 * mutual_information(table) / span, loss / span)


NIT, EMA = Nit(), Ema()


# Test of independence


def guessing_p_value(table: Table) -> float:
    """Compute the p-value of the hypothesis that predictions are guesses.

    It is twice the smaller of the p-values of Informedness and of chi-squared, at most 1. For up
    to 2,000 samples of two classes, all tables with these margins are listed, and tables with an
    equal statistic count half (mid-p). For other tables, the moments of each statistic give its
    p-value. For up to 2,000 samples, permutations of the predictions give it instead if an expected
    count is below five, unless the moments give less than 1e-6. With weights, tables are
    listed and predictions are permuted only if the effective totals are whole numbers. The result
    is 1.0 if references or predictions have only one class, or if there are at most three samples.
    """
    r, c, size, integers = effective_totals(table)
    n_rows, n_columns = np.count_nonzero(r), np.count_nonzero(c)
    if min(n_rows, n_columns) < 2 or size <= 3:
        return 1.0
    # with fixed margins, Informedness is the sum of weight x hits over the classes, plus a constant
    weights = c / size * (ratio_or_zero(1.0, r) + ratio_or_zero(1.0, (size - r) * (r > 0)))
    if integers is not None and n_rows == n_columns == 2:
        return min(1.0, 2 * min(_exact_p_values(table, weights, *integers)))
    p_of_hits = _normal_tail(table, weights, r, c, size)
    if integers is not None and has_rare_cells(r, c, size) and p_of_hits > 1e-6:
        p_of_hits = _permuted_p_of_hits(table, weights, *integers)
    return min(1.0, 2 * min(p_of_hits, chi_squared_p_value(table)))


def _normal_tail(table: Table, weights: Numbers, r: Numbers, c: Numbers, size: float) -> float:
    """Compute the p-value of the weighted hits from their mean and variance (Hoeffding 1951)."""
    mean = (weights * r * c).sum() / size
    row_part, column_part = weights * c / size - mean / size, weights * r / size
    both = row_part + column_part
    variance = (r * c * ((weights - both) ** 2 - both**2)).sum()
    variance += 2 * (r @ row_part) * (c @ column_part)
    variance += size * (r @ row_part**2 + c @ column_part**2)
    if variance <= 1e-12 * mean**2:  # all tables have the same weighted hits
        return 1.0
    hits = float((weights * table.hits).sum()) * size / float(table.total)
    return math.erfc((hits - mean) / math.sqrt(2 * variance / (size - 1))) / 2


def _exact_p_values(table: Table, weights: Numbers, r: Codes, c: Codes) -> tuple[float, float]:
    """Compute the p-values of two classes from all tables with the same margins.

    The first is of the weighted hits, the second of chi-squared.
    """
    rows, columns = np.flatnonzero(r), np.flatnonzero(c)
    (r1, r2), (c1, _), n = r[rows].tolist(), c[columns].tolist(), int(r.sum())
    first = np.arange(max(0, r1 + c1 - n), min(r1, c1) + 1)
    cells = np.array([first, r1 - first, c1 - first, r2 - c1 + first])
    logarithms = [-sum(math.lgamma(count + 1) for count in column) for column in cells.T.tolist()]
    chances = np.exp(logarithms - np.max(logarithms))
    chances /= chances.sum()

    hits = (np.equal.outer(rows, columns) * weights[rows, None]).ravel() @ cells
    distance = np.abs(first - r1 * c1 / n)  # has the same order as chi-squared
    is_first = (table.rows == rows[0]) & (table.columns == columns[0])
    position = round(float(table.counts[is_first].sum()) * n / float(table.total)) - int(first[0])
    return _mid_p(hits, chances, position), _mid_p(distance, chances, position)


def _mid_p(statistics: Numbers, chances: Numbers, position: int) -> float:
    """Sum the chances of statistics above the one at `position`, and half those of equal ones."""
    excess = statistics - statistics[position]
    is_equal = np.abs(excess) <= 1e-9 * (1 + abs(statistics[position]))
    return float(chances[(excess > 0) & ~is_equal].sum() + chances[is_equal].sum() / 2)


def _permutations(r: Codes, c: Codes) -> tuple[Codes, list[Codes]]:
    """List references with the totals r, and random permutations of predictions with totals c."""
    rng = np.random.default_rng(0)
    references, predictions = (np.repeat(np.arange(len(totals)), totals) for totals in (r, c))
    return references, [rng.permutation(predictions) for _ in range(_N_PERMUTATIONS)]


def _permuted_p_of_hits(table: Table, weights: Numbers, r: Codes, c: Codes) -> float:
    """Compute the share of permutations with more weighted hits; equal hits count half.

    The observed predictions count as one of the permutations.
    """
    references, permutations = _permutations(r, c)
    observed = float((weights * table.hits).sum()) * int(r.sum()) / float(table.total)
    hits = [weights[references[predictions == references]].sum() for predictions in permutations]
    statistics = np.array([observed, *hits])
    return _mid_p(statistics, np.full(len(statistics), 1 / len(statistics)), 0)


def effective_totals(table: Table) -> tuple[Numbers, Numbers, float, Codes | None]:
    """Convert the totals of both margins to effective numbers of samples.

    Also return the effective sample size, and the totals as integers. The integers are None if the
    numbers are not whole, or if there are too many samples for permutations.
    """
    size = score.effective_sample_size(table)
    scale = size / float(table.total)
    totals = np.array([table.reference_totals, table.prediction_totals]) * scale
    integers = np.rint(totals).astype(np.int64)
    is_counted = size <= _MAX_PERMUTED and np.allclose(totals, integers, 0, 1e-6)
    return totals[0], totals[1], size, integers if is_counted else None


def has_rare_cells(r: Numbers, c: Numbers, size: float) -> bool:
    """Check whether a cell has an expected count below five under independence."""
    return float(r[r > 0].min() * c[c > 0].min()) < 5 * size


def chi_squared_p_value(table: Table, permute: bool = True) -> float:
    """Compute the p-value of Pearson's chi-squared among all tables with the same margins.

    It comes from the gamma distribution with the mean and variance of chi-squared. This
    distribution is too smooth for up to 2,000 samples with rare classes. The predictions are then
    permuted, unless `permute` is False or the p-value is below 1e-6. Weighted samples are permuted
    only if the effective totals are whole numbers. The p-value is 1.0 if references or predictions
    have only one class, or if there are at most three samples.
    """
    r, c, size, integers = effective_totals(table)
    r, c = r[r > 0], c[c > 0]
    if min(len(r), len(c)) < 2 or size <= 3:
        return 1.0
    statistic = _chi_squared(table, size)
    mean, variance = _moments(r, c, size)
    if statistic <= 0 or variance <= 1e-9 * mean:
        return 1.0  # only one table is possible, or all tables have the same chi-squared
    p_value = _gamma_tail(mean**2 / variance, statistic * mean / variance)
    if permute and integers is not None and has_rare_cells(r, c, size) and p_value >= 1e-6:
        return _permuted_p_value(statistic, *(np.sort(totals[totals > 0]) for totals in integers))
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
    """Compute the mean and variance of chi-squared over all tables with the margins r and c.

    Dawson (1954), Biometrika 41.
    """
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    sums = [(len(totals), float((1 / totals).sum())) for totals in (r, c)]
    v_r, v_c = ((k - 1) * max(size - k, 0) / (size - 1) for k, _ in sums)
    w_r, w_c = (max(size * inverses - k**2, 0) / (size - 2) for k, inverses in sums)
    both = max(v_r - w_r, 0) * max(v_c - w_c, 0)
    return mean, 2 * size / (size - 3) * both + size**2 / (size - 1) * w_r * w_c


def _permuted_p_value(statistic: float, r: Codes, c: Codes) -> float:
    """Compute the share of permutations whose chi-squared is at least as large as `statistic`.

    The observed predictions count as one of the permutations.
    """
    references, permutations = _permutations(r, c)
    n_as_large = 1
    for predictions in permutations:
        fused, cells = np.unique(references * len(c) + predictions, return_counts=True)
        i, j = np.divmod(fused, len(c))
        permuted = len(references) * (float((cells**2 / (r[i] * c[j])).sum()) - 1)
        n_as_large += permuted > statistic * (1 - 1e-9) - 1e-9
    return n_as_large / (_N_PERMUTATIONS + 1)


def _gamma_tail(shape: float, least: float) -> float:
    """Compute the chance that a gamma variate of this shape is at least `least`.

    The density of the logarithm is integrated by Simpson's rule. The integral begins at ln(least),
    or below the mode where the density becomes negligible, if that is larger. It ends where the
    density has decreased by a factor of e^45 or more. Dividing by the density at the mode
    ln(shape) prevents cancellation of large numbers.
    """
    start = max(least, shape)
    above = start - shape
    stop = math.log(start / shape) + 90 / (above + math.sqrt(above**2 + 90 * start))
    below = math.sqrt(120 / shape) if shape > 120 else 1 + 45 / shape
    first = max(math.log(least / shape), -below)
    y, step = np.linspace(first, stop, 2001, retstep=True)
    with np.errstate(over="ignore"):  # an overflow of expm1 gives a density of 0
        density = np.exp(shape * (y - np.expm1(y)))
    density[[0, -1]] /= 2
    total = float((density.sum() + density[1::2].sum()) * 2 / 3 * step)
    if shape > 1e5:  # use the series of ln Gamma, as the large terms below would cancel
        log_density = (math.log(shape / (2 * math.pi)) - 1 / (6 * shape)) / 2
    else:
        log_density = shape * (math.log(shape) - 1) - math.lgamma(shape)
    return min(math.exp(log_density) * total, 1.0)


# Bias of entropies


class MissingEntropy(NamedTuple):
    """Estimates of the true entropy minus the entropy of the samples, in nats."""

    likely: float  # the best estimate
    highest: float  # the estimate if all unseen outcomes are equally likely
    variance: float  # variance that unseen outcomes add


def missing_entropy(weights: Numbers, squares: Numbers, n_unseen: int) -> MissingEntropy:
    """Estimate by how much the true entropy exceeds the entropy of the samples.

    `weights` and `squares` are the sums of weights, and of squared weights, of each outcome.

    Chao, Wang and Jost (2013), "Entropy and the species accumulation curve".
    """
    weights, squares = weights[squares > 0], squares[squares > 0]
    shares, sizes = weights / weights.sum(), weights.astype(np.float64) ** 2 / squares
    size = float(weights.sum()) ** 2 / float(squares.sum())
    is_single = sizes < 1.5
    f1, unseen = int(np.count_nonzero(is_single)), float(shares[is_single].sum())
    f2 = int(np.count_nonzero(sizes < 2.5)) - f1
    # the substitutes of the paper if no outcome occurs twice
    singles, doubles = (f1, f2) if f2 else (max(f1 - 1, 0), 1)
    rate = 2 * doubles / ((size - 1) * singles + 2 * doubles)
    least = min(rate, unseen / n_unseen) if f1 and n_unseen else rate
    seen = float((shares * _log_minus_digamma(sizes)).sum() - _log_minus_digamma(np.array(size)))
    likely, highest = (seen + unseen * _unseen_sum(share, size) for share in (rate, least))
    return MissingEntropy(likely, highest, unseen**2 / (f2 + 1))


def _log_minus_digamma(size: Numbers) -> Numbers:
    """Compute ln x - psi(x) for x >= 1, by the recurrence and the asymptotic series of psi."""
    y = size + 8
    series = np.polyval([-1 / 240, -1 / 252, -1 / 120, -1 / 12, 0], -1 / y**2)
    steps = sum(1 / (size + step) for step in range(8))
    return steps - np.log1p(8 / size) + 1 / (2 * y) + series


def _unseen_sum(rate: float, size: float) -> float:
    """Compute sum_(r >= size) (1 - rate)^(r - size + 1) / r, for the entropy of unseen outcomes.

    The sum equals the integral of q e^(-size s) / (1 - q e^-s) over s, with q = 1 - rate. For this
    integrand the trapezoid rule in ln s is exact to machine precision.
    """
    step = 0.125
    s = np.exp(np.arange(-45, 4, step)) / size
    terms = np.exp(-size * s) / (-np.expm1(-s) + rate * np.exp(-s)) * s
    return (1 - rate) * float(terms.sum()) * step


def reference_surprisals(table: Table) -> tuple[float, float]:
    """Compute the mean surprisal of the references, and the mean weighted by surprisal.

    These are sum pi s and sum pi s^2 / sum pi s, with the surprisal s = -ln pi.
    """
    shares = table.reference_totals[table.reference_totals > 0] / table.total
    surprisals = -np.log(shares)
    mean = float((shares * surprisals).sum())
    return mean, float((shares * surprisals**2).sum()) / mean
