"""Markedness: informedness of the transposed table."""

from dataclasses import dataclass
from typing import ClassVar

from ..core.scores import Average, warn_of_absent
from ..core.table import Table
from .score import Informedness, Score, transposed


@dataclass(frozen=True)
class Markedness(Score):
    """M_c = precision_c + NPV_c - 1, summed with weights pi_c by default: best 1, chance 0.

    `average` names the margins of the table as given (Powers 2003, 2011).
    """

    name: ClassVar[str] = "markedness"
    title: ClassVar[str] = "Markedness"
    lowest: ClassVar[float] = -1.0
    averages: ClassVar[tuple[Average, ...]] = ("prevalence", "bias", "macro", None)
    warns: ClassVar[bool] = True
    warns_of_one_sample: ClassVar[bool] = True

    average: Average = "prevalence"

    def oriented(self, table: Table) -> tuple[Score, Table]:
        swapped: dict[Average, Average] = {"bias": "prevalence", "prevalence": "bias"}
        return Informedness(swapped.get(self.average, self.average)), transposed(table)

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.prediction_totals, "predictions")

    def warn_of(self, table: Table) -> None:
        warn_of_absent(self.title, transposed(table), "references", "predictions")


MARKEDNESS = Markedness()
