"""Values on a line: a score with its interval, or two models.

Places are in percent of the width of a line, so that its texts can be HTML of a readable size.
"""

import math
from collections.abc import Callable
from typing import Any

from informedness.core.scores import mutual_information
from informedness.core.table import Table
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate
from informedness.statistics.entropy import EntropicScore, entropies
from informedness.statistics.score import Score


class Scale:
    """A line from one value to another, on which `axis` is what has the same length everywhere."""

    def __init__(self, low: float, high: float, axis: Callable[[float], float] = float) -> None:
        self.low, self.high, self._axis = low, high, axis

    def place(self, value: float) -> float:
        """Return where a value is; what is beyond an end is at the end."""
        low, at, high = map(self._axis, (self.low, min(max(value, self.low), self.high), self.high))
        return round(100 * (at - low) / (high - low), 2) if high > low else 100.0

    def band(self, made: Estimate | Comparison | None) -> list[float]:
        """Return the start and the width of an interval; empty if there is none."""
        if made is None or math.isnan(made.confidence_interval[0]):
            return []
        start, end = map(self.place, made.confidence_interval)
        return [start, round(end - start, 2)]


def score_scale(
    score: Score, value: float, chance: float, best: float, made: Estimate | None, digits: int
) -> dict[str, Any]:
    """Return a score on a line from chance to the best, or as far as its interval reaches.

    On that of a score of information, as many bits are as long everywhere.
    """
    is_entropic = isinstance(score, EntropicScore)
    reached = [end for end in made.confidence_interval if end == end] if made else []
    low, high = (most(value, chance, best, *reached) for most in (min, max))
    scale = Scale(low, high, math.log2 if is_entropic else float)
    ends = {"chance": chance, "best": best, "worst": score.lowest}
    return {
        "words": {name: f"{end:.{digits * is_entropic}f}" for name, end in ends.items()},
        "is_worst": low == score.lowest < chance,
        "is_below": value < min(chance, 0.0),
        "band": scale.band(made),
        "chance": scale.place(chance),
        "point": scale.place(value),
        "best": scale.place(best),
    }


def bits_of(table: Table) -> dict[str, float]:
    """Return the uncertainty about the answers in bits, and what of it predictions pass on."""
    unsure, passed = entropies(table).reference, mutual_information(table)
    return {"unsure": unsure, "passed": passed, "lost": max(unsure - passed, 0.0)}


def comparison_scales(made: Comparison) -> dict[str, Any]:
    """Return both scores on one line, their difference on another, and gained beside lost."""
    low = math.floor(10 * min(made.a, made.b) - 1e-9) / 10
    high = min(math.ceil(10 * max(made.a, made.b) + 1e-9) / 10, 1.0)  # the best of every score
    values, ends = Scale(low, high), [*made.confidence_interval, made.difference, 0.0]
    ends = [end for end in ends if not math.isnan(end)]
    step = 0.1 if max(ends) - min(ends) > 0.1 else 0.01
    reach = [step * math.floor(min(ends) / step), step * math.ceil(max(ends) / step)]
    beyond = Scale(reach[0], max(reach[1], reach[0] + step))
    most = max(made.gained, made.lost, 1)
    return {
        "ends": (low, high),
        "models": {"A": values.place(made.a), "B": values.place(made.b)},
        "reach": (beyond.low, beyond.high),
        "zero": beyond.place(0.0),
        "difference": beyond.place(made.difference),
        "band": beyond.band(made),
        "counts": {
            "gained": (made.gained, 100 * made.gained / most),
            "lost": (made.lost, 100 * made.lost / most),
        },
    }
