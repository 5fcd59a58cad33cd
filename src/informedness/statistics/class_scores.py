"""The scores of hits and totals of the classes: their formulas and gradients.

Cohen (1960), "A coefficient of agreement for nominal scales"; Gorodkin (2004), "Comparing two
K-category assignments by a K-category correlation coefficient".

Tested in tests/test_above_accuracy.py and tests/test_intervals.py.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core import scores
from ..core.labels import NAMES, Numbers, show
from ..core.table import Table, sum_by, sums_of_others
from . import intervals
from .class_sums import ClassScore, Gradient, Sums, quotient, ratio, transposed
from .intervals import Interval, squared_weights
from .score import Prior, ScoreWithInterval, with_prior

# The usual scores


class Accuracy(ClassScore):
    """Share of right predictions, in [0, 1]; it gives credit for guessing."""

    name = "accuracy"
    title = "Accuracy"
    of_rare = False

    def says_nothing(self, table: Table) -> bool:
        return False

    def exact(self, table: Sums) -> Numbers:
        return np.asarray(table.hits.sum(axis=0) / table.total)

    def gradient(self, table: Table) -> Gradient:
        zero = np.zeros(len(table.labels))
        return Gradient(zero, zero, zero + 1)


class BalancedAccuracy(ClassScore):
    """Mean recall of the classes in the references, in [0, 1]; chance 1/k."""

    name = "balanced_accuracy"
    title = "Balanced accuracy"

    def chance(self, table: Table) -> float | None:
        return 1 / int(np.count_nonzero(table.reference_totals))

    def exact(self, table: Sums) -> Numbers:
        r = table.reference_totals
        return np.asarray(quotient(table.hits, r).sum(axis=0) / np.count_nonzero(r, axis=0))

    def gradient(self, table: Table) -> Gradient:
        r = table.reference_totals
        u = quotient(1 / np.count_nonzero(r), r / table.total)
        return Gradient(-u * quotient(table.hits, r), np.zeros_like(u), u)


class F1Macro(ClassScore):
    """Mean over the classes that occur of F1 = 2h/(r + c), in [0, 1]."""

    name = "f1_macro"
    title = "F1-macro"

    def too_few(self, table: Table, prior: Prior = None) -> str:
        one = intervals.effective_sample_size(table) / float(table.total)
        r = table.reference_totals * one
        n_rare, n_present = np.count_nonzero((r > 0) & (r < 5 - 1e-6)), np.count_nonzero(r)
        if (reason := super().too_few(table, prior)) or 2 * n_rare <= n_present:
            return reason
        return f"{n_rare} of {n_present} classes, more than half, with fewer than 5 references"

    def exact(self, table: Sums) -> Numbers:
        f1 = quotient(2 * (table.hits / table.total), _both(table))
        return np.asarray(f1.sum(axis=0) / _n_occurring(table))

    def gradient(self, table: Table) -> Gradient:
        u = quotient(2 / _n_occurring(table), _both(table))
        moved = -u * quotient(table.hits / table.total, _both(table))
        return Gradient(moved, moved, u)


def _both(table: Sums) -> Numbers:
    """Return prevalence + bias; as shares, for r + c may pass 2^63 or 1e308."""
    return table.reference_totals / table.total + table.prediction_totals / table.total


def _n_occurring(table: Sums) -> Any:
    """Return how many classes have a reference or a prediction; unknown answers are none."""
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    return np.count_nonzero(occur[: len(table.labels) - (table.labels[-1] is None)], axis=0)


class CohenKappa(ClassScore):
    """(p_o - p_e)/(1 - p_e), in [-1, 1]; chance 0; nan where p_e is 1."""

    name = "cohen_kappa"
    title = "Cohen's kappa"
    lowest = -1.0
    guessing = 0.0
    stand_in = math.nan

    def undefined(self, table: Table) -> str:
        if len(table.rows) > 1 or table.rows[0] != table.columns[0]:
            return ""
        return "all references and predictions are of one class"

    def exact(self, table: Sums) -> Numbers:
        # as 1 - wrong / expected, since 1 - p_e loses digits beside a large class
        return 1 - ratio(_wrong(table), _expected_wrong(table))

    def gradient(self, table: Table) -> Gradient:
        """Return a, b and u.

        Of 1 - wrong/expected: with p_ij wrong falls by [i = j], and expected by beta_i + pi_j.
        """
        wrong, expected = _wrong(table), _expected_wrong(table)
        sides = table.prediction_totals, table.reference_totals
        a, b = (-wrong / expected**2 * (side / table.total) for side in sides)
        return Gradient(a, b, np.zeros_like(a) + 1 / expected)


class MatthewsCorrelation(ClassScore):
    """The R_k correlation, in [-1, 1]; chance 0, and 0 where a margin has one class."""

    name = "matthews_corrcoef"
    title = "MCC"
    lowest = -1.0
    guessing = 0.0
    sides = ("references", "predictions")

    def exact(self, table: Sums) -> Numbers:
        swapped = transposed(table) if isinstance(table, Table) else table.swapped()
        (gain, s), (same_gain, t) = _gain_and_variance(table), _gain_and_variance(swapped)
        # either side has the same gain, and more exactly the one that varies less
        return ratio(np.where(s <= t, gain, same_gain), np.sqrt(s * t))

    def gradient(self, table: Table) -> Gradient:
        pi, beta = table.reference_totals / table.total, table.prediction_totals / table.total
        s, t = (pi * (1 - pi)).sum(), (beta * (1 - beta)).sum()
        root = np.sqrt(s * t)
        mcc = (_expected_wrong(table) - _wrong(table)) / root
        a, b = mcc * pi / s - beta / root, mcc * beta / t - pi / root
        return Gradient(a, b, np.zeros_like(a) + 1 / root)


def _gain_and_variance(table: Sums) -> tuple[Numbers, Numbers]:
    """Return the sums over classes of p_cc - pi_c beta_c and of pi_c (1 - pi_c).

    The first as pi_c (1 - pi_c) (TPR_c - FPR_c), with no difference of products.
    """
    variances = table.reference_totals / table.total * (table.other_references / table.total)
    gains = variances * scores.class_gains(table, table.false_positives)
    return gains.sum(axis=0), variances.sum(axis=0)


def _wrong(table: Sums) -> Numbers:
    """Return the share of wrong predictions, 1 - p_o."""
    return np.asarray(table.false_positives.sum(axis=0) / table.total)


def _expected_wrong(table: Sums) -> Numbers:
    """Return the share of wrong predictions of independent ones, 1 - p_e."""
    bias, others = table.prediction_totals / table.total, table.other_references / table.total
    return np.asarray((bias * others).sum(axis=0))


# Informedness


@dataclass(frozen=True)
class Informedness(ClassScore):
    """Multi-class Bookmaker Informedness: best 1, chance 0."""

    name = "informedness"
    title = "Informedness"
    lowest = -1.0
    guessing = 0.0
    averages = ("bias", "prevalence", "macro", None)
    prior_modes = ("reweight", "odds")
    marked = "above accuracy, so it is not a share of the answers"
    sides = ("references",)

    average: scores.Average = "bias"

    def value(self, table: Table, **options: Any) -> Any:
        return scores.informedness(table, average=self.average, **options)

    def with_interval(self, prior: Prior = None) -> ScoreWithInterval:
        return super().with_interval(None if self.average else prior)

    def exact(self, table: Sums) -> Numbers:
        gains = scores.class_gains(table)
        if self.average is None:
            return gains[table.is_class]
        weights = scores.class_weights(str(self.average), table)
        return np.asarray((weights * gains).sum(axis=0))

    def gradient(self, table: Table) -> Gradient:
        """Return the derivatives, with V = pi (1 - pi).

        J_c = (p_cc - pi_c beta_c) / V_c moves by 1/V_c with p_cc, by -(beta_c + (1 - 2 pi_c) J_c)
        / V_c with pi_c, and by -pi_c/V_c with beta_c; the weights pi or beta move too. An answer to
        class i that is no class moves each other beta_c by pi_c / (1 - pi_i), and so do pi_c, pi_i.
        """
        pi = table.reference_totals / table.total
        beta = (table.hits + table.spread_false_positives) / table.total
        gains = scores.class_gains(table)
        u = quotient(scores.class_weights(str(self.average), table), pi * (1 - pi))
        a, b = -u * (beta + (1 - 2 * pi) * gains), -u * pi
        if self.average == "prevalence":
            a = a + gains
        elif self.average == "bias":
            b = b + gains
        others = table.other_references / table.total
        e = quotient(table.outside_totals / table.total, others)
        m = quotient(sums_of_others(pi * b), others)
        return Gradient(a + b * sums_of_others(e) + e * m, b, u, m)

    def around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        interval = super().around(value, table, scored, level, error)
        excess = _excess(table, scored) if self.average == "bias" else 0.0
        return interval._replace(low=interval.low - excess, high=interval.high - excess)

    def caution(self, table: Table, value: float) -> str:
        by_bias = self.average == "bias" and not self.says_nothing(table)
        return scores.why_above_accuracy(table, value, table) if by_bias else ""

    def meaning(self, table: Table, value: float) -> str:
        if (table.rows == table.columns).all():
            return "every answer is right"
        if caution := self.caution(table, value):
            return caution
        if value * table.total > table.hits.sum() + 1e-9 * table.total:
            return self.marked
        percent = round(100 * value)
        share = f"about {percent}%"
        if percent in (0, 100):
            share = "more than 99%" if percent else "less than 1%"
        simile = f"scores like a model that knows {share} of each class and guesses the rest"
        return _range_by_class(table) or simile


def _range_by_class(table: Table) -> str:
    """Return the least and the greatest TPR - FPR of a class, if they differ by more than .1."""
    codes = np.flatnonzero(table.reference_totals)
    gains = scores.class_gains(table)[codes]
    if gains.max() - gains.min() <= 0.1:
        return ""
    least, most = (
        f"{round(gains[place], 2) + 0.0:.2f} ({show(table.labels[codes[place]])})"
        for place in (gains.argmin(), gains.argmax())
    )
    return f"by class from {least} to {most}"


def _excess(table: Table, scored: Table) -> float:
    """Return by how much samples exceed the population in the average with the weights beta.

    With the references fixed, that is sum_c [V_cc / r_c - sum_(i != c) V_ic / (N - r_c)] / N with
    V_ic the variance of n_ic, estimated by n (1 - n/r) r/(r - 1); a class of one reference takes
    the recall of all classes together. For a model that knows the share x of each of k classes it
    is about x (1 - x) (k - 2) / N: too little to matter for some classes, but without it no
    interval of 5,000 samples of 1,000 classes covered the truth (tests/studies/COVERAGE.md).
    """
    i, j, r = table.rows, table.columns, table.reference_totals.astype(np.float64)
    squares = sum_by(i, squared_weights(table), len(r))
    size = quotient(r**2, squares)
    squares = squares * quotient(scored.reference_totals, r) ** 2
    class_totals, n = scored.reference_totals.astype(np.float64), float(scored.total)

    several = size > 1.5
    counted = several[i]
    share = (table.counts / r[i])[counted]
    spread = share * (1 - share) * ratio(size, size - 1)[i[counted]]
    gains = np.where(i == j, quotient(1.0, class_totals)[i], -quotient(1.0, n - class_totals)[j])
    gains = np.where(class_totals[j] > 0, gains, 0.0)[counted]

    recall = float(table.hits.sum()) / float(table.total)
    alone = (size > 0) & ~several
    gains_alone = quotient(1.0, class_totals) - quotient(1.0, n - class_totals)
    excess = (squares[i[counted]] * spread * gains).sum()
    excess += recall * (1 - recall) * (squares * gains_alone)[alone].sum()
    return float(excess) / n


@dataclass(frozen=True)
class Markedness(ClassScore):
    """M_c = precision_c + NPV_c - 1, summed with weights pi_c by default: best 1, chance 0.

    `average` names the margins of the table as given (Powers 2003, 2011).
    """

    name = "markedness"
    title = "Markedness"
    lowest = -1.0
    guessing = 0.0
    takes_unknown = False
    averages = ("prevalence", "bias", "macro", None)
    sides = ("predictions",)

    average: scores.Average = "prevalence"

    def oriented(self, table: Table) -> tuple[ClassScore, Table]:
        swapped: dict[scores.Average, scores.Average] = {"bias": "prevalence", "prevalence": "bias"}
        if table.labels[-1] is None:
            raise ValueError("`table` must hold no answers outside its labels for markedness")
        return Informedness(swapped.get(self.average, self.average)), transposed(table)

    def gradient(self, table: Table) -> Gradient:
        score, swapped = self.oriented(table)
        a, b, u, _ = score.gradient(swapped)
        return Gradient(b, a, u)

    def value(
        self, table: Table, *, prior: Prior = None, zero_division: scores.ZeroDivision = "warn"
    ) -> Any:
        scores.check_zero_division(zero_division, self.stand_in)
        scored = with_prior(table, prior)
        if table.n_samples != 1:
            swapped = self.oriented(scored)[1]
            scores.warn_of_absent(self.title, swapped, NAMES[::-1], swapped, None)
        reason = self.undefined(scored)
        undefined = scores.value_if_undefined(reason, self.stand_in, zero_division, table)
        if undefined is None:
            return self.rounded(scored)
        class_values = np.where(scored.prediction_totals > 0, undefined, 0.0)
        return class_values.tolist() if self.average is None else undefined


INFORMEDNESS = Informedness()
