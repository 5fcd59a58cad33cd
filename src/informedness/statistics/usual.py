"""The usual scores, which reports show beside Informedness and NIT.

Cohen (1960), "A coefficient of agreement for nominal scales"; Gorodkin (2004), "Comparing two
K-category assignments by a K-category correlation coefficient".
"""

import math
from typing import Any

import numpy as np

from ..core.labels import Numbers
from ..core.table import Table
from .score import MarginScore
from .sums import Sums, effective_sample_size, quotient, sums_of, transposed


class Accuracy(MarginScore):
    """Share of right predictions, in [0, 1]; it gives credit for guessing."""

    name = "accuracy"
    title = "Accuracy"
    of_rare = False

    def says_nothing(self, table: Table) -> bool:
        return False

    def of(self, sums: Sums) -> Numbers:
        return sums.hits.sum(axis=0) / sums.total

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        zero = np.zeros_like(shares.bias)
        return zero, zero, zero + 1


class BalancedAccuracy(MarginScore):
    """Mean recall of the classes in the references, in [0, 1]; chance 1/k."""

    name = "balanced_accuracy"
    title = "Balanced accuracy"

    def chance(self, table: Table) -> float | None:
        return 1 / int(np.count_nonzero(table.reference_totals))

    def of(self, sums: Sums) -> Numbers:
        present = np.count_nonzero(sums.references, axis=0)
        return quotient(sums.hits, sums.references).sum(axis=0) / present

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        u = quotient(1 / np.count_nonzero(shares.references, axis=0), shares.prevalence)
        return -u * quotient(shares.hits, shares.references), np.zeros_like(shares.bias), u


class F1Macro(MarginScore):
    """Mean over the classes that occur of F1 = 2h/(r + c), in [0, 1]."""

    name = "f1_macro"
    title = "F1-macro"

    def too_few(self, table: Table, prior: Any = None) -> str:
        r = table.reference_totals * (effective_sample_size(table) / float(table.total))
        rare, there = np.count_nonzero((r > 0) & (r < 5 - 1e-6)), np.count_nonzero(r)
        if (few := super().too_few(table, prior)) or 2 * rare <= there:
            return few
        return f"{rare} of {there} classes, more than half, with fewer than 5 references"

    def of(self, sums: Sums) -> Numbers:
        both = sums.prevalence + sums.bias  # as shares, for r + c may pass 2^63 or 1e308
        f1 = quotient(2 * (sums.hits / sums.total), both)
        return f1.sum(axis=0) / np.count_nonzero(sums.occurring, axis=0)

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        both = shares.prevalence + shares.bias
        u = quotient(2 / np.count_nonzero(shares.occurring, axis=0), both)
        moved = -u * quotient(shares.hits / shares.total, both)
        return moved, moved, u


class CohenKappa(MarginScore):
    """(p_o - p_e)/(1 - p_e), in [-1, 1]; chance 0; nan where p_e is 1."""

    name = "cohen_kappa"
    title = "Cohen's kappa"
    lowest = -1.0
    stand_in = math.nan

    def chance(self, table: Table) -> float | None:
        return 0.0

    def undefined(self, table: Table) -> str:
        if len(table.rows) > 1 or table.rows[0] != table.columns[0]:
            return ""
        return self.of_one_class(table, table.reference_totals, "references and predictions")

    def of(self, sums: Sums) -> Numbers:
        # as 1 - wrong / expected, since 1 - p_e loses digits beside a large class
        return 1 - quotient(_wrong(sums), _expected_wrong(sums))

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return a, b and u.

        Of 1 - wrong/expected: with p_ij wrong falls by [i = j], and expected by beta_i + pi_j.
        """
        wrong, expected = _wrong(shares), _expected_wrong(shares)
        a, b = (-wrong / expected**2 * side for side in (shares.bias, shares.prevalence))
        return a, b, np.zeros_like(a) + 1 / expected


class MatthewsCorrelation(MarginScore):
    """The R_k correlation, in [-1, 1]; chance 0, and 0 where a margin has one class."""

    name = "matthews_corrcoef"
    title = "MCC"
    lowest = -1.0

    def chance(self, table: Table) -> float | None:
        return 0.0

    def undefined(self, table: Table) -> str:
        of_references = self.of_one_class(table, table.reference_totals, "references")
        return of_references or self.of_one_class(table, table.prediction_totals, "predictions")

    def exact(self, table: Table) -> Numbers:
        # the same of the transposed table, and more exact from the side that varies less
        here, there = sums_of(table), sums_of(transposed(table))
        swapped = _spread(there.prevalence, there.other_references / there.total)
        even = _spread(here.prevalence, here.other_references / here.total)
        return self.of(here if even <= swapped else there)

    def of(self, sums: Sums) -> Numbers:
        # p_cc - pi_c beta_c = pi_c (1 - pi_c) (TPR_c - FPR_c), with no difference of products
        variances = sums.prevalence * (sums.other_references / sums.total)
        defined = (sums.references > 0) & (sums.other_references > 0)
        gain = np.where(defined, variances * (sums.tpr - sums.fpr), 0.0).sum(axis=0)
        spread = _spread(sums.bias, sums.other_predictions / sums.total)
        return quotient(gain, np.sqrt(np.maximum(variances.sum(axis=0) * spread, 0)))

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        pi, beta = shares.prevalence, shares.bias
        s, t = _spread(pi, 1 - pi), _spread(beta, 1 - beta)
        root = np.sqrt(s * t)
        mcc = (_expected_wrong(shares) - _wrong(shares)) / root
        a, b = mcc * pi / s - beta / root, mcc * beta / t - pi / root
        return a, b, np.zeros_like(a) + 1 / root


def _wrong(sums: Sums) -> Numbers:
    """Return the share of wrong predictions, 1 - p_o."""
    return sums.false_positives.sum(axis=0) / sums.total


def _expected_wrong(sums: Sums) -> Numbers:
    """Return the share of wrong predictions of independent ones, 1 - p_e."""
    return (sums.bias * (sums.other_references / sums.total)).sum(axis=0)


def _spread(shares: Numbers, of_others: Numbers) -> Numbers:
    """Return 1 less the sum of the squares of the shares."""
    return (shares * of_others).sum(axis=0)


ACCURACY, BALANCED_ACCURACY, F1_MACRO = Accuracy(), BalancedAccuracy(), F1Macro()
COHEN_KAPPA, MATTHEWS_CORRCOEF = CohenKappa(), MatthewsCorrelation()
