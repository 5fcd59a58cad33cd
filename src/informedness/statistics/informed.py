"""Informedness, and markedness, which is informedness of the transposed table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from ..core.labels import Numbers
from ..core.scores import (
    Average,
    ZeroDivision,
    class_weights,
    gains_of,
    informedness,
    sample_size,
    value_if_undefined,
    warn_of_absent,
    why_above_accuracy,
)
from ..core.table import Table
from .score import MarginScore, ScoreWithInterval
from .sums import Sums, quotient, transposed


@dataclass(frozen=True)
class Informedness(MarginScore):
    """Multi-class Bookmaker Informedness: best 1, chance 0, below 0 worse than chance."""

    name = "informedness"
    title = "Informedness"
    lowest = -1.0
    averages = ("bias", "prevalence", "macro", None)
    prior_modes = ("reweight", "odds")
    marked = "above accuracy, so it is not a share of the answers"

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
