"""Place scores and intervals on a line, and a hundred answers in a field of squares.

Places are in percent of the width of the line, so that its texts can be HTML of a readable size.
"""

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from limits import LEVEL

from informedness.core.scores import mutual_information
from informedness.core.table import Table
from informedness.inference.entropy import EntropicScore, entropies
from informedness.inference.registry import score_named, score_with_average
from informedness.inference.score import INFORMEDNESS, Score
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate
from informedness.results.verdict import MANY_OUT_OF_CLASS, out_of_class_share, predictions_in_class

ACCURACY = score_named("accuracy")


class Scale:
    """A line between two values, on which places are proportional to `axis` of a value."""

    def __init__(self, low: float, high: float, axis: Callable[[float], float] = float) -> None:
        self.low, self.high, self._axis = low, high, axis

    def place(self, value: float) -> float:
        """Place a value on the line; a value beyond an end is placed at the end."""
        low, at, high = map(self._axis, (self.low, min(max(value, self.low), self.high), self.high))
        return round(100 * (at - low) / (high - low), 2) if high > low else 100.0

    def band(self, result: Estimate | Comparison | None) -> list[float]:
        """Place an interval by its start and width; empty if there is none."""
        if result is None or math.isnan(result.confidence_interval[0]):
            return []
        start, end = map(self.place, result.confidence_interval)
        return [start, round(end - start, 2)]


def score_scale(
    score: Score, value: float, chance: float, best: float, result: Estimate | None, digits: int
) -> dict[str, Any]:
    """Place a score on a line from chance to the best that also contains its interval.

    For a score of information the line is logarithmic: one bit has the same length everywhere.
    """
    is_entropic = isinstance(score, EntropicScore)
    reached = [end for end in result.confidence_interval if end == end] if result else []
    low, high = (most(value, chance, best, *reached) for most in (min, max))
    scale = Scale(low, high, math.log2 if is_entropic else float)
    ends = {"chance": chance, "best": best, "worst": score.lowest}
    return {
        "words": {name: f"{end:.{digits * is_entropic}f}" for name, end in ends.items()},
        "is_worst": low == score.lowest < chance,
        "is_below": value < min(chance, 0.0),
        "band": scale.band(result),
        "chance": scale.place(chance),
        "point": scale.place(value),
        "best": scale.place(best),
    }


def bits_of(table: Table) -> dict[str, float]:
    """Split the uncertainty about the references, in bits, into transferred and lost parts."""
    unsure, passed = entropies(table).reference, mutual_information(table)
    passed = unsure if unsure - passed < 1e-12 else passed  # equal except for rounding
    return {"unsure": unsure, "passed": passed, "lost": unsure - passed}


def comparison_scales(result: Comparison, chance: float, best: float) -> dict[str, Any]:
    """Place both scores on one line from chance to the best, and their difference on another.

    If a model is below chance, the first line begins at the lowest possible score.
    """
    is_below = min(result.a, result.b) < chance - 1e-9
    low = score_named(result.metric).lowest if is_below else chance
    values, ends = Scale(low, best), [*result.confidence_interval, result.difference, 0.0]
    ends = [end for end in ends if not math.isnan(end)]
    step = 0.1 if max(ends) - min(ends) > 0.1 else 0.01
    reach = [step * math.floor(min(ends) / step), step * math.ceil(max(ends) / step)]
    beyond = Scale(reach[0], max(reach[1], reach[0] + step))
    return {
        "ends": (low, best),
        "chance": values.place(chance),
        "models": {"A": values.place(result.a), "B": values.place(result.b)},
        "reach": (beyond.low, beyond.high),
        "zero": beyond.place(0.0),
        "difference": beyond.place(result.difference),
        "band": beyond.band(result),
    }


# A hundred answers: known, lucky guesses, wrong


def whole(shares: Sequence[float], total: int) -> list[int]:
    """Round shares of a total to whole numbers with this sum, by largest remainder."""
    exact = [total * share / math.fsum(shares) for share in shares]
    counts = [math.floor(amount + 1e-9) for amount in exact]
    by_loss = sorted(range(len(exact)), key=lambda i: (counts[i] - exact[i], i))
    for i in by_loss[: total - sum(counts)]:
        counts[i] += 1
    return counts


def field(table: Table, average: Any = "default", level: float = LEVEL) -> dict[str, Any]:
    """Draw a hundred answers in the proportions of a table, with their description.

    If many are out of class, these are wrong, and only the others are split. Each square has a
    kind. It also says whether it lies within the interval, and so may be known or lucky.
    """
    share = out_of_class_share(table)
    n_outside = round(100 * share) if share > MANY_OUT_OF_CLASS else 0
    answered = predictions_in_class(table) if n_outside else table
    shares, why = ({}, "") if answered is None else parted(answered, average)
    n_answered = 100 - n_outside
    counts = dict(zip(shares, whole([*shares.values()], n_answered), strict=True))
    unsure = range(0)
    is_uncertain = not table.is_weighted and np.count_nonzero(table.prediction_totals) > 1
    if answered is not None and "known" in counts and is_uncertain:
        score = score_with_average(INFORMEDNESS.name, average).require_interval()
        _, _, low, high = score.interval(answered, level)
        low, high = (0.0, 1.0) if math.isnan(low) else (max(low, 0.0), high)
        n_unsure = min(math.ceil(n_answered * high - 1e-9), counts["known"] + counts["lucky"])
        unsure = range(math.floor(n_answered * low + 1e-9), n_unsure)
    counts["wrong"] = counts.get("wrong", 0) + n_outside
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    squares = enumerate(kind for kind, n in counts.items() for _ in range(n))
    drawn = [(kind, place in unsure) for place, kind in squares]
    reason = {"why": why, "of_given": n_outside > 0, "is_unsure": len(unsure) > 0}
    return {"counts": counts, "words": words, "squares": drawn, **reason}


def parted(table: Table, average: Any = "default") -> tuple[dict[str, float], str]:
    """Split answers into shares known, lucky and wrong, or only right and wrong with the reason."""
    scores = ACCURACY, score_with_average(INFORMEDNESS.name, average)
    accuracy, known = (float(score.clipped_value(table)) for score in scores)
    several = np.count_nonzero(table.reference_totals) > 1
    if several and -1e-9 <= known <= accuracy + 1e-9:
        known = min(max(known, 0.0), accuracy)
        return {"known": known, "lucky": accuracy - known, "wrong": 1 - accuracy}, ""
    why = ("above accuracy" if known > 0 else "below 0") if several else "one class"
    return {"right": accuracy, "wrong": 1 - accuracy}, why
