"""Entropies of a table, and the scores based on them: EMA and the entropy triangle.

Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful".
"""

import math
from typing import ClassVar, NamedTuple

import numpy as np

from ..core.labels import Numbers
from ..core.scores import mutual_information, warn_of_outside
from ..core.table import Table
from .score import Score, Sums, x_log_x


class Entropies(NamedTuple):
    """Entropies of a table in bits, each at least 0."""

    reference: float
    prediction: float
    joint: float
    reference_given_prediction: float
    prediction_given_reference: float


def entropies(table: Table) -> Entropies:
    """Return H(ref), H(pred), H(ref, pred), H(ref|pred) and H(pred|ref) in bits."""
    p, n = table.counts / table.total, table.total
    r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
    shares = (r / n, c / n, p, table.counts / c, table.counts / r)
    kept = p > 0  # not where it is less than the least number there is
    bits = (-float((p[kept] * np.log2(share[kept])).sum()) for share in shares)
    return Entropies(*(0.0 if x <= 0 else x for x in bits))  # by rounding


class Ema(Score):
    """Entropy-modulated accuracy 2^-H(ref|pred), in (0, 1]; chance 2^-H(ref)."""

    name: ClassVar[str] = "ema"
    title: ClassVar[str] = "EMA"
    warns_of_one_sample: ClassVar[bool] = True
    stand_in: ClassVar[float] = 1.0
    from_margins: ClassVar[bool] = False

    def chance(self, table: Table) -> float | None:
        return math.pow(2.0, -entropies(table).reference)

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.reference_totals, "references")

    def warn_of(self, table: Table) -> None:
        warn_of_outside(self.title, table)

    def of(self, sums: Sums) -> Numbers:
        return np.exp((x_log_x(sums.cells) - x_log_x(sums.predictions)) / sums.total)

    def exact(self, table: Table) -> Numbers:
        return np.exp2(-entropies(table).reference_given_prediction)

    def cell_gradient(self, table: Table) -> Numbers:
        # of exp(sum p_ij ln(p_ij / beta_j))
        of_column = table.prediction_totals[table.columns]
        return self.exact(table) * np.log(table.counts / of_column)


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
    h, span = entropies(table), 2 * math.log2(k)
    lost = h.reference_given_prediction + h.prediction_given_reference
    uneven = 1 - (h.reference + h.prediction) / span
    uneven = 0.0 if uneven < 0 else uneven  # by rounding
    return EntropyTriangle(uneven, 2 * mutual_information(table) / span, lost / span)


EMA = Ema()
