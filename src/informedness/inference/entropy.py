"""Entropies of a table, and the scores based on them: NIT, EMA and the entropy triangle.

Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful".
"""

from __future__ import annotations

import math
from typing import Any, ClassVar, NamedTuple

import numpy as np

from ..core import scores
from ..core.labels import Numbers
from ..core.table import Table, sum_by
from .chance import independence_test
from .class_scores import deviations
from .score import (
    FEW_SAMPLES,
    Interval,
    Prior,
    Score,
    effective_sample_size,
    fewest_if_undeclared,
    normal_quantile,
    rarest_class_shortage,
    references_outside_largest,
    shortage_message,
    squared_weights,
    with_prior,
)


class Entropies(NamedTuple):
    """Entropies of a table in bits, each at least 0."""

    reference: float
    prediction: float
    reference_given_prediction: float
    prediction_given_reference: float


def entropies(table: Table) -> Entropies:
    """Return H(ref), H(pred), H(ref|pred) and H(pred|ref) in bits."""
    p = table.counts / table.total
    r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
    shares = (r / table.total, c / table.total, table.counts / c, table.counts / r)
    used = p > 0  # not where it is less than the least number there is
    bits = (-float((p[used] * np.log2(share[used])).sum()) for share in shares)
    return Entropies(*(max(0.0, entropy) for entropy in bits))  # below it by rounding


ENOUGH_TO_SEE = 1000  # samples: 95% of such samples have a class whose share is 0.3%


class EntropicScore(Score):
    """A score whose logarithm is made of entropies: of the cells, the columns and the rows.

    It is exp of the mean of ln p_ij, ln beta_j and ln pi_i, each times its sign, times a scale.
    """

    signs: ClassVar[tuple[int, int, int]]
    """Of the cells, the columns and the rows."""
    is_label_sensitive = False
    has_cell_effects = True
    has_vanishing_variance: ClassVar[bool] = False
    """Whether its variance falls to 0 where nothing is transferred."""

    def scale(self, n_classes: int) -> float:
        """Return the score where its logarithm is 0."""
        return 1.0

    def cell_gradient(self, table: Table) -> Numbers:
        """Return the derivative by the share of each cell, up to a constant."""
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        terms = zip(self.signs, (table.counts, c, r), strict=True)
        return self.exact_value(table) * sum(
            sign * np.log(amount / table.total) for sign, amount in terms
        )

    def shortage(self, table: Table, prior: Prior = None) -> str:
        reason = rarest_class_shortage(table)
        n_rarest = fewest_if_undeclared(table)
        size = effective_sample_size(table)
        # predicted values that no reference has: each adds (k - 1) / 2N nats to the information of
        # a guesser of k classes on N samples, so with 10 (k - 1) samples for each its score rises
        # by 5% to 6%; a single value does not count
        is_absent = table.reference_totals == 0
        n_outside = int(np.count_nonzero(is_absent & (table.prediction_totals > 0)))
        if not reason and not table.declared and n_outside > 1:
            least = 10 * (int(np.count_nonzero(~is_absent)) - 1) * n_outside
            which = f" for {n_outside} predictions outside the references"
            reason = shortage_message(size, least, "sample", which)
        if not self.may_miss_classes(table) and (reason or n_rarest >= 5 - 1e-6):
            return reason

        enough = float(f"{5 / n_rarest * size:.2g}")
        references = "reference" if n_rarest == 1 else "references"
        return (
            f"only {n_rarest:.4g} {references} of the rarest class, so other classes may be "
            f"missing; for an interval, about {enough:,.0f} samples are enough, or declare all "
            "classes with `labels`"
        )

    def may_miss_classes(self, table: Table) -> bool:
        """Return whether too many classes may lack references for any interval."""
        raise NotImplementedError

    def least_scale(self, table: Table) -> float:
        """Return the scale if there is a class that no reference has."""
        return self.scale(table.n_classes)

    def least_logarithm(self, table: Table, rows: Missing, z: float) -> float:
        """Return the least logarithm that the table leaves room for."""
        return 0.0

    def max_excess_surprisal(self, table: Table) -> float:
        """Bound how far the surprisal of one sample can exceed the mean, in nats."""
        raise NotImplementedError

    def interval_around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        """Return the interval around the logarithm without its bias; nan if it lacks classes.

        The lower end takes all empty cells for equally likely, which is the least information that
        the cells of one sample leave room for; it is chance where the table may be a guesser's.
        """
        of_groups, error = error, self._error(table) if error is None else error
        if self.may_miss_classes(table):
            return Interval(value, error)
        cells, columns, rows = self._lacking(table)
        size = effective_sample_size(table)
        z = normal_quantile(level)
        chance = self.least_logarithm(table, rows, z)
        centre = self._centre(table, cells, columns, rows)
        least = centre + cells.likely - cells.most
        if of_groups is not None:
            least -= self._fixed(table)
        least = max(least, chance)
        centre = max(centre, chance)

        variance = (error / float(self.exact_value(table))) ** 2 + cells.variance + rows.variance
        # a sample more raises the logarithm by no more than this excess, and from the least that a
        # sample adds, in a cell of its own, to the most are ln N
        up = min(max(self.max_excess_surprisal(table), 0.0), math.log(size)) / size
        down = math.log(size) / size - up
        if self.has_vanishing_variance:
            down -= variance / max(scores.mutual_information(table) * math.log(2), 1 / size)
        low, high = (
            least - margin_of_error(z, variance, down),
            centre + margin_of_error(z, variance, up),
        )
        if independence_test(table, permute=False) > 1 - level:
            low = chance
        scale = self.scale(table.n_classes)
        most = -math.log(scale)  # where the score is 1; few groups allow what exp cannot hold
        low, high = (math.exp(min(max(end, chance), most)) for end in (low, high))
        return Interval(value, error, low * self.least_scale(table), high * scale)

    def _lacking(self, table: Table) -> tuple[Missing, Missing, Missing]:
        """Return what the entropies of the cells, the columns and the rows lack."""
        squares = squared_weights(table)
        r, c = table.reference_totals, table.prediction_totals
        n_empty = table.n_classes * int(np.count_nonzero(c)) - len(squares)
        cells = missing_entropy(table.counts, squares, n_empty)
        columns = missing_entropy(c, sum_by(table.columns, squares, len(c)), 0)
        n_absent = table.n_classes - int(np.count_nonzero(r))
        rows = missing_entropy(r, sum_by(table.rows, squares, len(r)), n_absent)
        return cells, columns, rows

    def _fixed(self, table: Table) -> float:
        """Return how much lower the logarithm is if the groups of each class are taken as given."""
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        squares, n = squared_weights(table), float(table.total)
        return float((squares * (table.counts / r * n / c - 1)).sum()) / (2 * n**2)

    def _centre(self, table: Table, *lacking: Missing) -> float:
        """Return the logarithm without its bias."""
        excess = sum(sign * part.likely for sign, part in zip(self.signs, lacking, strict=True))
        return math.log(float(self.exact_value(table)) / self.scale(table.n_classes)) - excess

    def sampling_bias(self, table: Table) -> tuple[float, float]:
        lacking = self._lacking(table)
        unbiased = self.scale(table.n_classes) * math.exp(self._centre(table, *lacking))
        unbiased = max(unbiased, self.score_of_best_guesser(table))
        return float(self.exact_value(table)) - unbiased, unbiased**2 * lacking[0].variance

    def max_influence(self, table: Table) -> Numbers:
        """Return the score times -ln of the least n_ij / c_j, for each cell.

        No cell or column counts below 1.
        """
        one = float(table.total) / effective_sample_size(table)
        cells, c = np.maximum(table.counts / one, 1), np.maximum(table.prediction_totals / one, 1)
        n_rows = np.count_nonzero(table.reference_totals)
        has_empty = np.bincount(table.columns, minlength=len(c)) < n_rows
        least = min(float((cells / c[table.columns]).min()), 1 / c[has_empty].max(initial=1))
        return np.full(len(table.rows), float(self.exact_value(table)) * -math.log(least))

    def _error(self, table: Table) -> float:
        """Return the standard error of the score."""
        gradient = self.cell_gradient(table)
        mean = float((table.counts * gradient).sum()) / float(table.total)
        differences = deviations(gradient, mean, self.exact_value(table) + np.abs(gradient))
        return math.sqrt(float((squared_weights(table) * differences**2).sum())) / float(
            table.total
        )


class Nit(EntropicScore):
    """Normalised Information Transfer 2^MI / k: at most 1, chance 1/k."""

    name = "nit"
    title = "NIT"
    stand_in = 1.0
    mark_meaning = "chance adds more to it than its standard error, on so few samples"
    signs = (1, -1, -1)
    has_vanishing_variance = True

    def score_of_best_guesser(self, table: Table) -> float:
        return 1 / table.n_classes

    def best_level(self, table: Table) -> float:
        return min(math.pow(2.0, entropies(table).reference) / table.n_classes, 1.0)

    def undefined(self, table: Table) -> str:
        return scores.ONLY_ONE_CLASS if table.n_classes == 1 else ""

    def value(self, table: Table, *, prior: Prior = None, **options: Any) -> float:
        return scores.nit(with_prior(table, prior), **options)

    def exact_value(self, table: Table) -> Any:
        return np.exp2(scores.mutual_information(table)) / table.n_classes

    def scale(self, n_classes: int) -> float:
        return 1 / n_classes

    def caveat(self, table: Table, prior: Prior = None) -> str:
        reason = self.shortage(table, prior)
        if (
            reason
            or table.declared
            or not shortage_message(effective_sample_size(table), ENOUGH_TO_SEE, "")
        ):
            return reason
        samples = "effective samples" if table.is_weighted else "samples"
        return f"fewer than {ENOUGH_TO_SEE:,} {samples}, so declare all classes with `labels`"

    def least_scale(self, table: Table) -> float:
        return 1 / (table.n_classes + (fewest_if_undeclared(table) < 5 - 1e-6))

    def caution(self, table: Table, value: float) -> str:
        # mutual information is too large by about (cells - rows - columns + 1) / 2N (Miller 1955)
        if self.undefined(table) or (table.is_weighted and table.squared_weights is None):
            return ""
        r, c = (np.count_nonzero(x) for x in (table.reference_totals, table.prediction_totals))
        excess = (len(table.counts) - r - c + 1) / (2 * effective_sample_size(table))
        part = value * -math.expm1(-max(excess, 0.0))
        if part <= self._error(table):
            return ""
        basis = "by an estimate from the numbers of samples and classes"
        return f"about {part:.3f} of it is due to chance, {basis}"

    def contains_guessing(self, table: Table, low: float, high: float) -> bool:
        return low <= self.least_scale(table) + 1e-12

    def max_excess_surprisal(self, table: Table) -> float:
        return reference_surprisals(table)[1] - scores.mutual_information(table) * math.log(2)

    def may_miss_classes(self, table: Table) -> bool:
        return fewest_if_undeclared(table) < 3 - 1e-6


class Ema(EntropicScore):
    """Entropy-modulated accuracy 2^-H(ref|pred), in (0, 1]; chance 2^-H(ref)."""

    name = "ema"
    title = "EMA"
    stand_in = 1.0
    signs = (1, -1, 0)
    undefined_sides = ("references",)

    def score_of_best_guesser(self, table: Table) -> float:
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
        mean, most = reference_surprisals(table)
        slope = (most - mean) / effective_sample_size(table)
        return -mean - rows.most - margin_of_error(z, mean * slope + rows.variance, slope)

    def may_miss_classes(self, table: Table) -> bool:
        return not table.declared and references_outside_largest(table) < 5 - 1e-6


class EntropyTriangle(NamedTuple):
    """Normalised coordinates that sum to 1, each in [0, 1]; nan for a table of one class."""

    delta_h: float  # distance of the margins from uniform
    two_mi: float  # information transferred
    vi: float  # information lost


def triangle_of(table: Table) -> EntropyTriangle:
    """Return (2L - H_ref - H_pred, 2 MI, H(ref|pred) + H(pred|ref)) / 2L, L = log2 of classes."""
    k = len(table.labels)
    if not table.declared:
        k = int(np.count_nonzero((table.reference_totals > 0) | (table.prediction_totals > 0)))
    if k == 1:
        return EntropyTriangle(math.nan, math.nan, math.nan)
    h = entropies(table)
    span = 2 * math.log2(k)
    lost = h.reference_given_prediction + h.prediction_given_reference
    uneven = max(1 - (h.reference + h.prediction) / span, 0.0)  # below it by rounding
    return EntropyTriangle(uneven, 2 * scores.mutual_information(table) / span, lost / span)


NIT, EMA = Nit(), Ema()


# Entropies without the bias that they have in a sample


class Missing(NamedTuple):
    """How much lower the entropy in a sample is than the true one, in nats."""

    likely: float
    most: float  # if everything not seen yet is equally rare
    variance: float  # of the part that is not seen


def margin_of_error(z: float, variance: float, slope: float) -> float:
    """Return the x for which x^2 = z^2 (variance + slope x)."""
    half = z**2 * slope / 2
    return half + math.sqrt(half**2 + z**2 * max(variance, 0))


def missing_entropy(weights: Numbers, squares: Numbers, n_unseen: int) -> Missing:
    """Return how much larger the entropy is than that of these sums of weights."""
    weights, squares = weights[squares > 0], squares[squares > 0]
    shares, sizes = weights / weights.sum(), weights.astype(np.float64) ** 2 / squares
    size = float(weights.sum()) ** 2 / float(squares.sum())
    alone = sizes < 1.5
    f1, unseen = int(np.count_nonzero(alone)), float(shares[alone].sum())
    f2 = int(np.count_nonzero(sizes < 2.5)) - f1
    rate = 1.0
    if f2:
        rate = 2 * f2 / ((size - 1) * f1 + 2 * f2)
    elif f1:
        rate = 2 / ((size - 1) * (f1 - 1) + 2)
    least = min(rate, unseen / n_unseen) if f1 and n_unseen else rate
    seen = float((shares * _excess(sizes)).sum() - _excess(np.array(size)))
    likely, most = (seen + unseen * _tail(share, size) for share in (rate, least))
    return Missing(likely, most, unseen**2 / (f2 + 1))


def _excess(size: Numbers) -> Numbers:
    """Return ln x - psi(x) of a size x >= 1, by the recurrence of psi and its asymptotic series."""
    y = size + 8
    series = np.polyval([-1 / 240, -1 / 252, -1 / 120, -1 / 12, 0], -1 / y**2)
    steps = sum(1 / (size + step) for step in range(8))
    return steps - np.log1p(8 / size) + 1 / (2 * y) + series


def _tail(rate: float, size: float) -> float:
    """Return sum_(r >= size) (1 - rate)^(r - size + 1) / r.

    As the integral of q e^(-size s) / (1 - q e^-s) over s, q = 1 - rate, by the trapezoid rule in
    ln s, which for such a function is exact to all digits.
    """
    step = 0.125
    s = np.exp(np.arange(-45, 4, step)) / size
    terms = np.exp(-size * s) / (-np.expm1(-s) + rate * np.exp(-s)) * s
    return (1 - rate) * float(terms.sum()) * step


def reference_surprisals(table: Table) -> tuple[float, float]:
    """Return how surprising the references are, s = -ln pi: sum pi s, and sum pi s^2 / sum pi s."""
    shares = table.reference_totals[table.reference_totals > 0] / table.total
    surprises = -np.log(shares)
    mean = float((shares * surprises).sum())
    return mean, float((shares * surprises**2).sum()) / mean
