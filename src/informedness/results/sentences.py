"""What a score says about a table, in a sentence that claims no more than its interval allows."""

from __future__ import annotations

import math

import numpy as np

from ..contingency import ContingencyTable
from ..core.table import Table
from ..statistics.intervals import FEW_SAMPLES
from ..statistics.score import Score, ScoreWithInterval
from .estimates import Estimate, estimate_silently
from .text import cut, p_text, rounded, samples, shown, shown_interval

_LEVEL = 0.95  # of the interval that a verdict is based on if none was asked for


def summary_of(
    table: Table,
    score: Score,
    value: float,
    made: Estimate | None = None,
    judged: Estimate | None = None,
) -> str:
    """Return a sentence with a score of a table and what it means.

    `made` is the interval that was asked for, which the sentence then shows; `judged` is one shown
    elsewhere, passed so that it need not be computed again.
    """
    if np.count_nonzero(table.reference_totals) == 1:
        return f"{_one_class(table, score)}."
    share = score.meaning(table, value)
    digits = 2 if share else 3
    figures = f"{score.title} {rounded(value, digits)}"
    judged = made or judged or interval_for_verdict(table, score)
    if judged is not None:
        low, high = judged.confidence_interval
        ends = shown_interval(0, (low, high), digits + (high - low < 0.02))[1]
        if made is not None:
            figures += f" {ends}"
        elif not _is_constant(table) and may_be_guessing(table, score, judged):
            figures += f" ({judged.confidence_level:.0%} interval {ends[1:]}"
    said = [_verdict(table, score, value, judged, share)]
    if not share:
        said.append(_on_the_way(table, score, value))
    return f"{figures}: {'; '.join(filter(None, said))}."


def headline(
    table: Table, score: Score, value: float, accuracy: float, made: Estimate | None
) -> str:
    """Return the same sentence after the accuracy and that of the most common answer."""
    totals = table.reference_totals
    if np.count_nonzero(totals) == 1:
        return f"{_one_class(table, score)}, whatever the accuracy ({rounded(accuracy)})."
    share = float(totals.max() / table.total)
    beside = f"always answering {_commonest(table)} would score {rounded(share)}"
    if rounded(accuracy) == rounded(share):
        beside = f"but {beside} too"
    else:
        beside = f"{'but' if accuracy < share else 'where'} {beside}"
    return f"Accuracy {rounded(accuracy)}, {beside}; {summary_of(table, score, value, made)}"


def _commonest(table: Table) -> str:
    return cut(shown(table.labels[int(np.argmax(table.reference_totals))], quote=True))


def _one_class(table: Table, score: Score) -> str:
    said = f"All references are {_commonest(table)}: with one class there is nothing to tell apart"
    return f"{said}, so {score.title} is undefined" if score.undefined(table) else said


def _verdict(table: Table, score: Score, value: float, judged: Estimate | None, share: str) -> str:
    """Return what the interval supports; for a score that is not a share, only what is bad."""
    n, chance = table.n_samples, score.chance(table)
    rough = ""
    if n is not None and n < FEW_SAMPLES:
        rough = f" ({samples(n)}: scores from few samples are imprecise)"
    if _is_constant(table) or (judged is None and share and abs(value) < 0.005):
        return f"nothing here is informed{rough}"
    if may_be_guessing(table, score, judged):
        return f"cannot be told from guessing on {samples(n)}"
    p_value = judged.independence_p_value if judged is not None else None
    if p_value is not None and _has_inside(judged, chance):
        return f"guessing is unlikely, {p_text(p_value)}{rough}"
    if chance is not None and value < chance:
        return f"worse than guessing{rough}"
    return f"{share}{rough}" if share else ""


def _on_the_way(table: Table, score: Score, value: float) -> str:
    """Return how far a score is from chance to the best that the class shares allow."""
    best, chance = best_of(table, score), score.chance(table)
    if chance is None:
        return f"the best that these class shares allow is {rounded(best, 3)}"
    way = rounded(100 * (value - chance) / (best - chance), 0)
    return (
        f"{way}% of the way from chance, {rounded(chance, 3)}, to the best that these class "
        f"shares allow, {rounded(best, 3)}"
    )


def _is_constant(table: Table) -> bool:
    return int(np.count_nonzero(table.prediction_totals)) == 1


def may_be_guessing(table: Table, score: Score, made: Estimate | None) -> bool:
    """Return whether chance lies inside an interval; False if one of them is unknown.

    For a score with a test against chance, the test decides too: it is sharper than the interval,
    which ends at chance.
    """
    if made is None or not _has_inside(made, score.chance(table)):
        return False
    p_value = made.independence_p_value
    return p_value is None or p_value >= 1 - made.confidence_level


def _has_inside(made: Estimate | None, chance: float | None) -> bool:
    if made is None or chance is None:
        return False
    low, high = made.confidence_interval
    return low <= chance + 1e-12 and chance <= high


def interval_for_verdict(table: Table, score: Score) -> Estimate | None:
    """Return the interval that a verdict is based on; None for weights with unknown squares."""
    if not isinstance(score, ScoreWithInterval) or (
        table.is_weighted and table.squared_weights is None
    ):
        return None
    made = estimate_silently(table, score, _LEVEL)
    return None if math.isnan(made.confidence_interval[0]) else made


def answering(table: Table, wanted: str) -> ContingencyTable:
    """Return the table of the same references, all answered right or with the "commonest" class."""
    totals = table.reference_totals
    keep = np.flatnonzero(totals).tolist()
    references = [table.labels[code] for code in keep]
    commonest = table.labels[int(np.argmax(totals))]
    predictions = references if wanted == "right" else [commonest] * len(references)
    labels = [x for x in table.labels if x is not None] if table.declared else None
    return ContingencyTable.from_counts(
        references=references, predictions=predictions, counts=totals[keep], labels=labels
    )


def best_of(table: Table, score: Score) -> float:
    """Return what a perfect classifier scores on the same references."""
    return float(score.rounded(answering(table, "right")))
