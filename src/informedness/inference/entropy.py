"""Compute the entropies of a table, and from these NIT, EMA and the entropy triangle.

Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful".
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import scores
from ..core.labels import Numbers
from ..core.table import Table, sum_by
from .score import (
    FEW_SAMPLES,
    Interval,
    Prior,
    Score,
    deviations,
    effective_sample_size,
    fewest_if_undeclared,
    normal_quantile,
    rarest_class_shortage,
    references_outside_largest,
    shortage_message,
    squared_weights,
    with_prior,
)
from .significance import independence_test

# With this number of samples, a class whose share is 0.3% occurs with a probability of 95%.
ENOUGH_FOR_ALL_CLASSES = 1000


class Entropies(NamedTuple):
    """Entropies of a table in bits, each at least 0."""

    reference: float
    prediction: float
    reference_given_prediction: float
    prediction_given_reference: float


def entropies(table: Table) -> Entropies:
    """Compute H(ref), H(pred), H(ref|pred) and H(pred|ref) in bits."""
    p = table.counts / table.total
    r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
    shares = (r / table.total, c / table.total, table.counts / c, table.counts / r)
    is_used = p > 0  # a share may underflow to 0
    bits = (-float((p[is_used] * np.log2(share[is_used])).sum()) for share in shares)
    return Entropies(*(max(0.0, entropy) for entropy in bits))  # rounding may give less than 0


class EntropicScore(Score):
    """A score whose logarithm is a signed sum of the entropies of cells, columns and rows.

    The score is a scale factor times exp(s_1 ln p_ij + s_2 ln beta_j + s_3 ln pi_i), with the
    exponent averaged over the samples. The signs s are 1, 0 or -1.
    """

    is_label_sensitive = False
    has_cell_effects = True
    signs: ClassVar[tuple[int, int, int]]  # of the terms of cells, columns and rows
    has_vanishing_variance: ClassVar[bool] = False  # whether the variance is 0 if MI is 0

    def scale(self, n_classes: int) -> float:
        """Compute the scale factor of the score, its value if the mean logarithm is 0."""
        return 1.0

    def least_scale(self, table: Table) -> float:
        """Compute the smallest plausible scale factor.

        If the rarest class has few references, another class may be missing from the samples. The
        scale factor then is that of one more class.
        """
        return self.scale(table.n_classes + (fewest_if_undeclared(table) < 5 - 1e-6))

    def cell_gradient(self, table: Table) -> Numbers:
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        terms = zip(self.signs, (table.counts, c, r), strict=True)
        logarithm = sum(sign * np.log(amount / table.total) for sign, amount in terms)
        return np.asarray(self.exact_value(table) * logarithm)

    def shortage(self, table: Table, prior: Prior = None) -> str:
        reason = rarest_class_shortage(table) or _shortage_for_predictions(table)
        n_rarest = fewest_if_undeclared(table)
        if not self.may_miss_classes(table) and (reason or n_rarest >= 5 - 1e-6):
            return reason
        enough = float(f"{5 / n_rarest * effective_sample_size(table):.2g}")
        references = "reference" if n_rarest == 1 else "references"
        remedy = f"about {enough:,.0f} samples are enough, or declare all classes with `labels`"
        return f"only {n_rarest:.4g} {references} of the rarest class; {remedy}"

    def may_miss_classes(self, table: Table) -> bool:
        """Check whether too many classes may be missing from the samples to give an interval."""
        raise NotImplementedError

    def least_logarithm(self, table: Table, rows: Missing, z: float) -> float:
        """Compute a lower bound of the logarithm of a guesser's score.

        It is the bound over all populations that are compatible with the table.
        """
        return 0.0

    def max_excess_surprisal(self, table: Table) -> float:
        """Compute an upper bound of the surprisal of a sample minus the mean surprisal, in nats."""
        raise NotImplementedError

    def interval_around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        """Compute an interval of the score from that of its logarithm, whose bias is corrected.

        The ends are nan if too many classes may be missing. The lower end assumes that all empty
        cells are equally likely, which gives the least possible information. If the test of
        independence does not reject, the lower end is the least score that a guesser can have.
        """
        own_error = self._standard_error(table) if error is None else error
        if self.may_miss_classes(table):
            return Interval(value, own_error)
        cells, columns, rows = self._missing_entropies(table)
        z, size = normal_quantile(level), effective_sample_size(table)
        guessing = self.least_logarithm(table, rows, z)
        centre = self._unbiased_logarithm(table, cells, columns, rows)
        lowest = centre + cells.likely - cells.highest
        lowest -= 0.0 if error is None else self._excess_of_fixed_groups(table)
        lowest, centre = max(lowest, guessing), max(centre, guessing)

        variance = (own_error / float(self.exact_value(table))) ** 2
        variance += cells.variance + rows.variance
        # The changes of the logarithm by one additional sample lie within ln(N) / N of each other.
        # A sample that is alone in its cell causes the lowest.
        up = min(max(self.max_excess_surprisal(table), 0.0), math.log(size)) / size
        down = math.log(size) / size - up
        if self.has_vanishing_variance:
            down -= variance / max(scores.mutual_information(table) * math.log(2), 1 / size)
        low = lowest - margin_of_error(z, variance, down)
        high = centre + margin_of_error(z, variance, up)
        if independence_test(table, permute=False) > 1 - level:
            low = guessing
        scale = self.scale(table.n_classes)
        perfect = -math.log(scale)  # with few groups, exp of a larger end could overflow
        low, high = (math.exp(min(max(end, guessing), perfect)) for end in (low, high))
        return Interval(value, own_error, low * self.least_scale(table), high * scale)

    def _missing_entropies(self, table: Table) -> tuple[Missing, Missing, Missing]:
        """Estimate the bias of the entropies of the cells, the columns and the rows."""
        squares = squared_weights(table)
        r, c = table.reference_totals, table.prediction_totals
        n_empty = table.n_classes * int(np.count_nonzero(c)) - len(squares)
        n_absent = table.n_classes - int(np.count_nonzero(r))
        return (
            missing_entropy(table.counts, squares, n_empty),
            missing_entropy(c, sum_by(table.columns, squares, len(c)), 0),
            missing_entropy(r, sum_by(table.rows, squares, len(r)), n_absent),
        )

    def _excess_of_fixed_groups(self, table: Table) -> float:
        """Estimate the bias of the logarithm of the score for fixed numbers of groups by class."""
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        squares, n = squared_weights(table), float(table.total)
        return float((squares * (table.counts / r * n / c - 1)).sum()) / (2 * n**2)

    def _unbiased_logarithm(self, table: Table, *lacking: Missing) -> float:
        excess = sum(sign * part.likely for sign, part in zip(self.signs, lacking, strict=True))
        return math.log(float(self.exact_value(table)) / self.scale(table.n_classes)) - excess

    def sampling_bias(self, table: Table) -> tuple[float, float]:
        lacking = self._missing_entropies(table)
        unbiased = self.scale(table.n_classes) * math.exp(self._unbiased_logarithm(table, *lacking))
        unbiased = max(unbiased, self.guessing_level(table))
        return float(self.exact_value(table)) - unbiased, unbiased**2 * lacking[0].variance

    def max_influence(self, table: Table) -> Numbers:
        """Multiply the score by -ln of the smallest n_ij / c_j, with counts of at least 1."""
        one = float(table.total) / effective_sample_size(table)
        cells, c = np.maximum(table.counts / one, 1), np.maximum(table.prediction_totals / one, 1)
        n_rows = np.count_nonzero(table.reference_totals)
        has_empty = np.bincount(table.columns, minlength=len(c)) < n_rows
        least = min(float((cells / c[table.columns]).min()), 1 / c[has_empty].max(initial=1))
        return np.full(len(table.rows), float(self.exact_value(table)) * -math.log(least))

    def _standard_error(self, table: Table) -> float:
        slopes, n = self.cell_gradient(table), float(table.total)
        mean = float((table.counts * slopes).sum()) / n
        differences = deviations(slopes, mean, self.exact_value(table) + np.abs(slopes))
        return math.sqrt(float((squared_weights(table) * differences**2).sum())) / n


def _shortage_for_predictions(table: Table) -> str:
    """Describe a lack of samples if several predicted labels have no references.

    For a guesser of k classes on N samples, each such label adds (k - 1) / 2N nats to the
    mutual information. With 10 (k - 1) samples per label the score rises by 5% to 6%.
    """
    is_absent = table.reference_totals == 0
    n_outside = int(np.count_nonzero(is_absent & (table.prediction_totals > 0)))
    if table.is_declared or n_outside < 2:
        return ""
    least = 10 * (int(np.count_nonzero(~is_absent)) - 1) * n_outside
    which = f" for {n_outside} predicted labels without references"
    return shortage_message(effective_sample_size(table), least, "sample", which)


class Nit(EntropicScore):
    """Normalised Information Transfer 2^MI / k, at most 2^H(ref) / k. Guessing scores 1/k."""

    name = "nit"
    title = "NIT"
    stand_in = 1.0
    mark_meaning = "chance adds more to it than its standard error, on so few samples"
    signs = (1, -1, -1)
    has_vanishing_variance = True

    def guessing_level(self, table: Table) -> float:
        return 1 / table.n_classes

    def best_level(self, table: Table) -> float:
        return min(math.pow(2.0, entropies(table).reference) / table.n_classes, 1.0)

    def contains_guessing(self, table: Table, low: float, high: float) -> bool:
        return low <= self.least_scale(table) + 1e-12

    def undefined(self, table: Table) -> str:
        return scores.ONLY_ONE_CLASS if table.n_classes == 1 else ""

    def value(self, table: Table, *, prior: Prior = None, **options: Any) -> float:
        return scores.nit(with_prior(table, prior), **options)

    def exact_value(self, table: Table) -> Any:
        return np.exp2(scores.mutual_information(table)) / table.n_classes

    def scale(self, n_classes: int) -> float:
        return 1 / n_classes

    def caveat(self, table: Table, prior: Prior = None) -> str:
        reason, size = self.shortage(table, prior), effective_sample_size(table)
        if reason or table.is_declared or size >= ENOUGH_FOR_ALL_CLASSES - 1e-6:
            return reason
        samples = "effective samples" if table.is_weighted else "samples"
        missing = f"with fewer than {ENOUGH_FOR_ALL_CLASSES:,} {samples} a class may be missing"
        return f"{missing}; if these {table.n_classes} are all the classes, pass `labels`"

    def caution(self, table: Table, value: float) -> str:
        # the bias of mutual information is about (cells - rows - columns + 1) / 2N (Miller 1955)
        if self.undefined(table) or (table.is_weighted and table.squared_weights is None):
            return ""
        r, c = (np.count_nonzero(x) for x in (table.reference_totals, table.prediction_totals))
        excess = (len(table.counts) - r - c + 1) / (2 * effective_sample_size(table))
        part = value * -math.expm1(-max(excess, 0.0))
        if part <= self._standard_error(table):
            return ""
        return f"about {part:.3f} of it is due to chance (an estimate from the samples and classes)"

    def max_excess_surprisal(self, table: Table) -> float:
        information = scores.mutual_information(table) * math.log(2)
        return reference_surprisals(table)[1] - information

    def may_miss_classes(self, table: Table) -> bool:
        return fewest_if_undeclared(table) < 3 - 1e-6


class Ema(EntropicScore):
    """Entropy-modulated accuracy 2^-H(ref|pred), in (0, 1]. Guessing scores 2^-H(ref)."""

    name = "ema"
    title = "EMA"
    stand_in = 1.0
    signs = (1, -1, 0)
    undefined_margins = ("references",)

    def guessing_level(self, table: Table) -> float:
        return math.pow(2.0, -entropies(table).reference)

    def value(self, table: Table, **options: Any) -> float:
        scores.value_if_undefined("", self.stand_in, "warn", table)  # warns of a single sample
        return float(super().value(table, **options))

    def exact_value(self, table: Table) -> Numbers:
        return np.exp2(-entropies(table).reference_given_prediction)

    def shortage(self, table: Table, prior: Prior = None) -> str:
        few = shortage_message(effective_sample_size(table), FEW_SAMPLES, "sample")
        return super().shortage(table, prior) or few

    def max_excess_surprisal(self, table: Table) -> float:
        return -math.log(float(self.exact_value(table)))

    def least_logarithm(self, table: Table, rows: Missing, z: float) -> float:
        mean, weighted_mean = reference_surprisals(table)
        slope = (weighted_mean - mean) / effective_sample_size(table)
        return -mean - rows.highest - margin_of_error(z, mean * slope + rows.variance, slope)

    def may_miss_classes(self, table: Table) -> bool:
        return not table.is_declared and references_outside_largest(table) < 5 - 1e-6


class EntropyTriangle(NamedTuple):
    """Three coordinates in [0, 1] that sum to 1; all are nan for a table of one class."""

    delta_h: float  # distance of both margins from the uniform distribution
    two_mi: float  # information transferred
    vi: float  # information lost


def triangle_of(table: Table) -> EntropyTriangle:
    """Compute (2L - H_ref - H_pred, 2 MI, H(ref|pred) + H(pred|ref)) / 2L.

    L is log2 of the number of classes.
    """
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    k = len(table.labels) if table.is_declared else int(np.count_nonzero(occur))
    if k == 1:
        return EntropyTriangle(math.nan, math.nan, math.nan)
    h = entropies(table)
    span = 2 * math.log2(k)
    lost = h.reference_given_prediction + h.prediction_given_reference
    uneven = max(1 - (h.reference + h.prediction) / span, 0.0)  # rounding may give less than 0
    return EntropyTriangle(uneven, 2 * scores.mutual_information(table) / span, lost / span)


NIT, EMA = Nit(), Ema()


# Bias of entropies


class Missing(NamedTuple):
    """Estimates of the true entropy minus the entropy of the samples, in nats."""

    likely: float  # the best estimate
    highest: float  # the estimate if all unseen outcomes are equally likely
    variance: float  # variance that unseen outcomes add


def margin_of_error(z: float, variance: float, slope: float) -> float:
    """Compute a margin of error x if the variance grows with it: x^2 = z^2 (variance + slope x)."""
    half = z**2 * slope / 2
    return half + math.sqrt(half**2 + z**2 * max(variance, 0))


def missing_entropy(weights: Numbers, squares: Numbers, n_unseen: int) -> Missing:
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
    rate = 1.0
    if f2:
        rate = 2 * f2 / ((size - 1) * f1 + 2 * f2)
    elif f1:
        rate = 2 / ((size - 1) * (f1 - 1) + 2)
    least = min(rate, unseen / n_unseen) if f1 and n_unseen else rate
    seen = float((shares * _log_minus_digamma(sizes)).sum() - _log_minus_digamma(np.array(size)))
    likely, highest = (seen + unseen * _unseen_sum(share, size) for share in (rate, least))
    return Missing(likely, highest, unseen**2 / (f2 + 1))


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
    """Compute the mean surprisal of the references, and its mean weighted by surprisal.

    These are sum pi s and sum pi s^2 / sum pi s, with the surprisal s = -ln pi.
    """
    shares = table.reference_totals[table.reference_totals > 0] / table.total
    surprises = -np.log(shares)
    mean = float((shares * surprises).sum())
    return mean, float((shares * surprises**2).sum()) / mean
