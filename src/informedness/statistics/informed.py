"""Informedness, and markedness, which is informedness of the transposed table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..core.labels import Numbers
from ..core.scores import (
    Average,
    ZeroDivision,
    class_weights,
    gains_of,
    informedness,
    reweighted,
    sample_size,
    value_if_undefined,
    warn_of_absent,
    why_above_accuracy,
)
from ..core.table import Table, sum_by
from .intervals import Interval
from .score import MarginScore, ScoreWithInterval
from .sums import Sums, quotient, ratio, squared_weights, transposed


@dataclass(frozen=True)
class Informedness(MarginScore):
    """Multi-class Bookmaker Informedness: best 1, chance 0, below 0 worse than chance."""

    name = "informedness"
    title = "Informedness"
    lowest = -1.0
    averages = ("bias", "prevalence", "macro", None)
    prior_modes = ("reweight", "odds")
    marked = "above accuracy, so it is no share of the answers"

    average: Average = "bias"

    def chance(self, table: Table) -> float | None:
        return 0.0

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.reference_totals, "references")

    def value(self, table: Table, **options: Any) -> Any:
        return informedness(table, average=self.average, **options)

    def with_interval(self, prior: Any = None) -> ScoreWithInterval:
        return super().with_interval(None if self.average else prior)

    def of(self, sums: Sums) -> Numbers:
        others = sums.other_references
        gains = gains_of(sums.hits, sums.references, sums.false_positives, others)
        return gains if self.average is None else (self._weights(sums) * gains).sum(axis=0)

    def _weights(self, sums: Sums) -> Numbers:
        return class_weights(str(self.average), sums.references, sums.predictions, sums.total)

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return a, b and u.

        With V = pi (1 - pi), J_c = (p_cc - pi_c beta_c) / V_c moves by 1/V_c with p_cc, by
        -(beta_c + (1 - 2 pi_c) J_c) / V_c with pi_c, and by -pi_c/V_c with beta_c; the weights pi
        or beta move too.
        """
        pi, beta = shares.prevalence, shares.bias
        gains = replace(self, average=None).of(shares)
        u = quotient(self._weights(shares), pi * (1 - pi))
        a, b = -u * (beta + (1 - 2 * pi) * gains), -u * pi
        if self.average == "prevalence":
            a = a + gains
        elif self.average == "bias":
            b = b + gains
        return a, b, u

    def around(self, value: float, table: Table, level: float, shares: Any) -> Interval:
        made = super().around(value, table, level, shares)
        if self.average != "bias":
            return made
        excess = _excess(table, shares)
        return made._replace(low=made.low - excess, high=made.high - excess)

    def caution(self, table: Table, value: float) -> str:
        by_bias = self.average == "bias" and not self.undefined(table)
        return why_above_accuracy(table, value, sample_size(table)) if by_bias else ""

    def meaning(self, table: Table, value: float) -> str:
        if (table.rows == table.columns).all():
            return "every answer is right"
        if why := self.caution(table, value):
            return why
        percent = round(100 * value)
        share = f"about {percent}%"
        if percent in (0, 100):
            share = "more than 99%" if percent else "less than 1%"
        return f"scores like a model that knows {share} of each class and guesses the rest"


def _excess(table: Table, shares: Numbers | None) -> float:
    """Return by how much samples exceed the population in the average with the weights beta.

    With the references fixed, that is sum_c [V_cc / r_c - sum_(i != c) V_ic / (N - r_c)] / N with
    V_ic the variance of n_ic, estimated by n (1 - n/r) r/(r - 1); a class of one reference takes
    the recall of all classes together. For a model that knows the share x of each of k classes it
    is about x (1 - x) (k - 2) / N: too little to matter for some classes, but without it no
    interval of 5,000 samples of 1,000 classes covered the truth (tests/studies/COVERAGE.md).
    """
    scored = table if shares is None else reweighted(table, shares)
    i, j, r = table.rows, table.columns, table.reference_totals.astype(np.float64)
    squares = sum_by(i, squared_weights(table), len(r)) * quotient(scored.reference_totals, r) ** 2
    of_class, n = scored.reference_totals.astype(np.float64), float(scored.total)
    size = quotient(r**2, sum_by(i, squared_weights(table), len(r)))
    several = size > 1.5
    counted = several[i]
    share = (table.counts / r[i])[counted]
    spread = share * (1 - share) * ratio(size, size - 1)[i[counted]]
    gains = np.where(i == j, quotient(1.0, of_class)[i], -quotient(1.0, n - of_class)[j])
    gains = np.where(of_class[j] > 0, gains, 0.0)[counted]
    recall = float(table.hits.sum()) / float(table.total)
    alone = (size > 0) & ~several
    of_alone = (squares * (quotient(1.0, of_class) - quotient(1.0, n - of_class)))[alone]
    excess = (squares[i[counted]] * spread * gains).sum() + recall * (1 - recall) * of_alone.sum()
    return float(excess) / n


@dataclass(frozen=True)
class Markedness(MarginScore):
    """M_c = precision_c + NPV_c - 1, summed with weights pi_c by default: best 1, chance 0.

    `average` names the margins of the table as given (Powers 2003, 2011).
    """

    name = "markedness"
    title = "Markedness"
    lowest = -1.0
    averages = ("prevalence", "bias", "macro", None)

    average: Average = "prevalence"

    def oriented(self, table: Table) -> tuple[MarginScore, Table]:
        swapped: dict[Average, Average] = {"bias": "prevalence", "prevalence": "bias"}
        return Informedness(swapped.get(self.average, self.average)), transposed(table)

    def chance(self, table: Table) -> float | None:
        return 0.0

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.prediction_totals, "predictions")

    def warn_of(self, table: Table) -> None:
        warn_of_absent(self.title, transposed(table), ("predictions", "references"))

    def if_undefined(self, why: str, zero_division: ZeroDivision, table: Table) -> float | None:
        return value_if_undefined(why, self.stand_in, zero_division, table)


INFORMEDNESS, MARKEDNESS = Informedness(), Markedness()
