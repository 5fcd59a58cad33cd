"""What a score says about a table, in a sentence that claims no more than its interval allows."""

import math
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from ..core.labels import show
from ..core.table import Cells, Table, labels_at
from ..inference.entropy import EntropicScore
from ..inference.independence import guessing_p_value
from ..inference.score import FEW_SAMPLES, Score
from ..tables.contingency import ContingencyTable
from ..text.render import cut, digits_for, rounded, samples, shown
from .estimate import Estimate, estimates_of

_LEVEL = 0.95  # of the interval that a verdict is based on if none was asked for
MANY_OUTSIDE = 0.05  # of the answers are no class: what is said of guessing is of the others


class Summary(NamedTuple):
    """The parts of a sentence on a score; any of them may be empty."""

    figures: str
    verdict: str
    scale: str = ""
    caution: str = ""

    def __str__(self) -> str:
        """Return the sentence."""
        sentence = ": ".join(filter(None, (self.figures, self.verdict)))
        sentence = f"{sentence}, where {self.scale}" if self.scale else sentence
        return f"{'; '.join(filter(None, (sentence, self.caution)))}."


def summary_of(
    table: Table,
    score: Score,
    value: float,
    ci: Estimate | None = None,
    judged: Estimate | None = None,
    p_value: float = math.nan,
) -> Summary:
    """Return a sentence with a score of a table and what it means.

    `ci` is the interval that was asked for, which the sentence then shows; `judged` is one shown
    elsewhere, passed so that it need not be computed again. `p_value` is the table's
    `guessing_p_value`, nan if unknown.
    """
    if np.count_nonzero(table.reference_totals) == 1:
        return Summary("", _one_class(table, score))
    if outside_share(table) > MANY_OUTSIDE:
        in_words = f" {ci.interval_in_words(3)}" if ci else ""
        level = None if math.isnan(p_value) else ci.confidence_level if ci else _LEVEL
        figures = f"{score.title} {rounded(value, 3)}{in_words}"
        return Summary(figures, _of_answers_given(table, score, level))
    share = score.meaning(table, value)
    judged = ci or judged or _interval_for_verdict(table, score)
    digits = 2 if share else 3
    in_words = ""
    if judged is not None:
        interval = judged.confidence_interval
        digits += interval[1] - interval[0] < 0.02
        if ci is not None or (not _is_constant(table) and _holds_chance(table, score, judged, 0)):
            digits = digits_for(interval, digits)
            in_words = f" {judged.interval_in_words(digits)}"
    figures = f"{score.title} {rounded(value, digits)}{in_words}"
    verdict = _verdict(table, score, value, judged, share, p_value)
    if share:
        return Summary(figures, verdict)
    return Summary(figures, verdict, _scale(table, score), score.caution(table, value))


def _of_answers_given(table: Table, score: Score, level: float | None) -> str:
    """Return what a score says of the answers that are a class, if many others are none.

    Without a level there is no verdict: of samples in groups, or weights with unknown squares.
    """
    answered = answered_of(table)
    if answered is None:
        return "no answer is a class of the references, so all are wrong"
    beginning = f"{outside_share(table):.0%} are no class; of the answers given"
    if np.count_nonzero(answered.reference_totals) == 1:
        return f"{beginning} all are to {_commonest(answered)}, so there is nothing to tell apart"
    value = score.clipped_value(answered)
    verdict = ""
    share = score.meaning(answered, value)
    if level is not None:
        judged = _interval_for_verdict(answered, score, level)
        verdict = _verdict(answered, score, value, judged, share, guessing_p_value(answered))
    if verdict.startswith(("no better", "worse", "below", "above")):
        verdict = f"is {verdict}"
    link = ", which " if verdict.startswith(("is ", "cannot", "scores")) else ": "
    figures = f"{beginning} {rounded(value, 2 if share else 3)}{link if verdict else ''}{verdict}"
    return figures if share else f"{figures}, where {_scale(answered, score)}"


def headline(
    table: Table, score: Score, value: float, accuracy: float, ci: Estimate | None, p_value: float
) -> str:
    """Return the same sentence after the accuracy and that of the most common answer."""
    totals = table.reference_totals
    if np.count_nonzero(totals) == 1:
        return f"{_one_class(table, score)}, whatever the accuracy ({rounded(accuracy)})."
    share = float(totals.max() / table.total)
    is_equal = rounded(accuracy) == rounded(share)
    link = "but" if is_equal or accuracy < share else "where"
    beside = f"{link} always answering {_commonest(table)} would score {rounded(share)}"
    beside = f"{beside} too" if is_equal else beside
    summary = summary_of(table, score, value, ci, p_value=p_value)
    return f"Accuracy {rounded(accuracy)}, {beside}; {summary}"


def _commonest(table: Table) -> str:
    label = table.labels[int(np.argmax(table.reference_totals))]
    return shown(cut(label, 38), quote=True) if isinstance(label, str) else show(label)


def _one_class(table: Table, score: Score) -> str:
    text = f"All references are {_commonest(table)}: with one class there is nothing to tell apart"
    return f"{text}, so {score.title} is undefined" if score.undefined(table) else text


def _verdict(
    table: Table, score: Score, value: float, judged: Estimate | None, share: str, p_value: float
) -> str:
    """Return what the interval supports; for a score that is not a share, only what is bad."""
    n = table.n_samples
    rough = ""
    if n is not None and n < FEW_SAMPLES:
        rough = f" ({samples(n)}: with few samples, a score is uncertain)"
    if _is_constant(table):
        return f"no better than guessing{rough}"
    untested = judged is None and share and abs(value) < 0.005
    if untested or _holds_chance(table, score, judged, p_value):
        level = max(judged.confidence_level if judged else 0, _LEVEL)
        return _maybe_guessed(table, score, is_guess_refuted=p_value < 1 - level)
    if value < score.score_of_best_guesser(table):
        # of three or more not worse, for example if rotated
        verdict = "worse than guessing" if table.n_classes == 2 else "below what guessing scores"
        return f"{verdict}{rough}"
    return f"{share}{rough}" if share else ""


def _maybe_guessed(table: Table, score: Score, *, is_guess_refuted: bool) -> str:
    """Return the verdict on a score that is not told from chance, by the test of independence."""
    if not is_guess_refuted:
        return f"cannot be told from guessing on {samples(table.n_samples)}"
    if isinstance(score, EntropicScore) or (table.n_classes == 2 and not outside_share(table)):
        return "two tests disagree: too few samples to tell"
    # for example if two of three classes are swapped
    return "cannot be told from guessing on average, yet the answers are not random"


def _scale(table: Table, score: Score) -> str:
    """Return what guessing scores, and the best that the class shares allow."""
    levels = score.score_of_best_guesser(table), score.best_level(table)
    chance, best = (rounded(level, 3) for level in levels)
    return f"chance is {chance} and the maximum for these classes {best}"


def guessing_p_value_of_given(table: Table, p_value: float) -> float:
    """Return the p-value of a table; if many answers are no class, that of the others."""
    if math.isnan(p_value) or outside_share(table) <= MANY_OUTSIDE:
        return p_value
    answered = answered_of(table)
    return 1.0 if answered is None else guessing_p_value(answered)


def _is_constant(table: Table) -> bool:
    return int(np.count_nonzero(table.hits + table.spread_false_positives)) == 1


def _holds_chance(table: Table, score: Score, judged: Estimate | None, p_value: float) -> bool:
    """Return whether an interval holds chance; without one, whether a guesser may fit the table."""
    if judged is None or math.isnan(judged.confidence_interval[0]):
        return p_value >= 1 - _LEVEL
    return score.contains_guessing(table, *judged.confidence_interval)


def _interval_for_verdict(table: Table, score: Score, level: float = _LEVEL) -> Estimate | None:
    """Return the interval that a verdict is based on; None for weights with unknown squares."""
    is_known = not table.is_weighted or table.squared_weights is not None
    if is_known:
        (estimate,) = estimates_of(table, score, level)
        return None if math.isnan(estimate.confidence_interval[0]) else estimate
    return None


def answering(table: Table, wanted: str) -> ContingencyTable:
    """Return the table of the same references, all answered right or with the "commonest" class."""
    totals = table.reference_totals[table.is_class]
    rows = np.flatnonzero(totals)
    columns = rows if wanted == "right" else np.full(len(rows), totals.argmax())
    labels = tuple(labels_at(table, table.is_class))
    return ContingencyTable(labels, True, rows, columns, totals[rows], None, table.n_samples)


def outside_share(table: Table) -> float:
    """Return the share of the answers that are no class."""
    return float(table.out_of_class_totals.sum() / table.total)


def share_text(share: float) -> str:
    """Return a share in percent, which is 0.0% only of none."""
    return "under 0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def answered_of(table: Table) -> Table | None:
    """Return the table of the answers that are a class, with the same classes; None without any."""
    known = table.is_class[table.columns]
    if not known.any():
        return None
    columns = table.rows, table.columns, table.counts, table.squared_weights
    cells = Cells(*(None if x is None else x[known] for x in columns))  # type: ignore[arg-type]
    n_samples = None if table.is_weighted else int(cells.counts.sum())
    # declared, as the classes are known now, whether or not they are among these references
    return replace(Table._from_cells(table.labels, True, cells, n_samples), known=table.is_class)
