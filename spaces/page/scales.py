"""Values on a line: a score with its interval, two models, and draws of a simulated one.

Places are in percent of the width of a line, so that its texts can be HTML of a readable size.
"""

import math
from collections.abc import Sequence
from typing import Any

from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate
from informedness.statistics.registry import score_named


class Scale:
    """A line from one value to another."""

    def __init__(self, low: float, high: float) -> None:
        self.low, self.high = low, high

    def place(self, value: float) -> float:
        """Return where a value is; what is beyond an end is at the end."""
        share = (value - self.low) / (self.high - self.low) if self.high > self.low else 1.0
        return round(100 * min(max(share, 0.0), 1.0), 2)

    def band(self, made: Estimate | Comparison | None) -> list[float]:
        """Return the start and the width of an interval; empty if there is none."""
        if made is None or math.isnan(made.confidence_interval[0]):
            return []
        start, end = map(self.place, made.confidence_interval)
        return [start, round(end - start, 2)]


def score_scale(
    own: str, value: float, chance: float, best: float, made: Estimate | None
) -> dict[str, Any]:
    """Return a score on a line from chance to the best, which begins at -1 if it is below 0."""
    below = value < min(chance, 0.0)
    scale = Scale(score_named(own).lowest if below else chance, best)
    return {
        "below": below,
        "ends": (scale.low, scale.high),
        "chance": scale.place(chance),
        "point": scale.place(value),
        "band": scale.band(made),
    }


def comparison_scales(made: Comparison) -> dict[str, Any]:
    """Return both scores on one line, their difference on another, and gained beside lost."""
    low = math.floor(10 * min(made.a, made.b) - 1e-9) / 10
    high = math.ceil(10 * max(made.a, made.b) + 1e-9) / 10
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


def draws_scale(
    truth: float, drawn: Sequence[tuple[float, Estimate | None]], low: float
) -> dict[str, Any]:
    """Return the scores of draws, each with its interval, beside the score of the model."""
    reached = [made.confidence_interval[0] for _, made in drawn if made]
    least = min([truth, low, *(value for value, _ in drawn), *(x for x in reached if x == x)])
    scale = Scale(least, 1.0)
    rows = [{"point": scale.place(value), "band": scale.band(made)} for value, made in drawn]
    return {"ends": (least, 1.0), "rows": rows, "truth": scale.place(truth)}
