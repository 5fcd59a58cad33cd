"""Answers that are none of the classes, and their effect on the scores."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..core.table import Cells, Table
from ..statistics.entropic import NIT
from ..statistics.informed import INFORMEDNESS
from .estimates import value_or_nan
from .layout import as_json
from .text import cut, rounded, shown


@dataclass(frozen=True)
class Unknown:
    """Answers outside the declared classes, which count as wrong, and the scores without them.

    Leaving these samples out changes what is scored: the scores without them cover only the samples
    that were answered, with the same classes.

    Attributes
    ----------
    n_samples : int or None
        How many there are; None with weights, because a table then holds sums and not numbers.
    share : float
        Their share of all answers, by weight.
    answered : ContingencyTable or None
        The table of the others; None if there are none.
    informedness, nit : float
        Scores of the others; nan if undefined, for example with references of one class.
    """

    n_samples: int | None
    share: float
    answered: Table | None = None
    informedness: float = math.nan
    nit: float = math.nan

    @classmethod
    def of(cls, table: Table) -> Unknown | None:
        """Return the unknown answers of a table, None if it has none."""
        if table.labels[-1] is not None or not table.prediction_totals[-1]:
            return None
        known = table.columns != len(table.labels) - 1
        share = float(table.prediction_totals[-1] / table.total)
        n, n_answered = None, None
        if not table.is_weighted:
            n_answered = int(table.counts[known].sum())
            n = int(table.total) - n_answered
        if not known.any():
            return cls(n, share)
        columns = table.rows, table.columns, table.counts, table.squared_weights
        cells = Cells(*(None if x is None else x[known] for x in columns))  # type: ignore[arg-type]
        answered = table._of_cells(table.labels[:-1], table.declared, cells, n_answered)
        scores = (value_or_nan(answered, score) for score in (INFORMEDNESS, NIT))
        return cls(n, share, answered, *scores)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a report; undefined scores are None."""
        return {
            "n_unknown": self.n_samples,
            "unknown_share": self.share,
            "informedness_without_unknown": as_json(self.informedness),
            "nit_without_unknown": as_json(self.nit),
        }

    def summary(self, scores: Mapping[str, float]) -> str:
        """Return how many there are, and the scores without them beside those of all answers."""
        n, answered = self.n_samples, self.answered
        of_others = "those answered"
        if n is None:
            said = f"Answers with {_percent(self.share)} of the weight were none of the classes"
        else:
            n_answered = 0 if answered is None else answered.total
            were = "was" if n == 1 else "were"
            said = f"{n:,} of {n + n_answered:,} answers ({_percent(self.share)}) {were} "
            said += "none of the classes"
            of_others = f"the {n_answered:,} answered"
        if answered is None:
            return f"{said}; nothing is left to score without them."
        if INFORMEDNESS.undefined(answered):
            label = answered.labels[int(answered.reference_totals.argmax())]
            only = cut(shown(label, quote=True))
            one_class = f"all references of {of_others} are {only}"
            return f"{said}; {one_class}, so there is nothing to tell apart without them."
        informedness, nit = (
            f"{rounded(without, 3)} rather than {rounded(scores[name], 3)}"
            for name, without in (("informedness", self.informedness), ("nit", self.nit))
        )
        return f"{said}; on {of_others} Informedness would be {informedness}, and NIT {nit}."


def _percent(share: float) -> str:
    """Return a share in percent, which says 0 or 100 only if it is exactly none or all."""
    text = f"{100 * share:.1f}%"
    if text == "0.0%":
        return "less than 0.1%"
    return "more than 99.9%" if text == "100.0%" and share < 1 else text
