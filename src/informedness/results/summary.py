"""Summarise in one sentence what a score says about a model, and write the notes of a report.

Every sentence must be true for any model that could have produced the table.
"""

import math
from collections.abc import Iterator, Mapping
from dataclasses import replace

import numpy as np

from ..core.labels import show
from ..core.table import Table, labels_at
from ..inference.entropy import NIT, guessing_p_value
from ..inference.score import FEW_SAMPLES, Informedness, Score, has_standard_errors
from ..messages import Message, message
from ..tables.contingency import ContingencyTable
from ..text.render import rounded, samples
from .estimate import Estimate, estimates_of, warn_of_intervals

LEVEL = 0.95  # lowest confidence level of the test of independence
# codes of summaries that do not rule out guessing
MAY_BE_GUESSES = frozenset({"one class", "out of class", "untested", "guessing"})
MANY_OUT_OF_CLASS = 0.05  # above this share, guessing is tested without out-of-class predictions


def summarise(
    table: Table,
    score: Score,
    value: float,
    estimate: Estimate | None = None,
    p_value: float = math.nan,
) -> Message:
    """Summarise in one sentence what a score says about the model.

    The code of the message is "one class", "out of class", "untested", "guessing", "contains 0",
    "worse", "below guessing", "all correct", "above accuracy" or "share". Only Informedness has
    "contains 0" and the codes after it. Other scores have "not guessing" instead. The values of the
    message are the title of the score and a phrase.

    Parameters
    ----------
    table : Table
    score : Score
    value : float
        The score of this table, as a number.
    estimate : Estimate, optional
        The estimate with the interval of the score. By default, Informedness gets a 95% interval
        if its standard error can be computed.
    p_value : float
        P-value of the test of independence for the table; nan if unknown, as for samples in groups.
    """
    if estimate is None and isinstance(score, Informedness) and has_standard_errors(table):
        (estimate,) = estimates_of(table, score, LEVEL)
    code, phrase = _find_phrase(table, score, value, estimate, p_value)
    return message("{title}: {phrase}.", code, title=title_of(table, score), phrase=phrase)


def title_of(table: Table, score: Score) -> str:
    """Format the title of a score; for three or more classes, with its average if it has one."""
    if table.n_classes < 3 or not score.average:
        return score.title
    return f"{score.title} ({score.average})"


def only_class(table: Table) -> str:
    """Format the class of the references, which must all have the same class."""
    return show(table.labels[int(np.argmax(table.reference_totals))])


def _find_phrase(
    table: Table, score: Score, value: float, estimate: Estimate | None, p_value: float
) -> tuple[str, str]:
    """Choose the code and the phrase of a summary.

    If many predictions are out of class, the p-value is that of the predictions in class alone. If
    the p-value is unknown, the interval of all predictions decides.
    """
    if np.count_nonzero(table.reference_totals) == 1:
        return "one class", f"all references are {only_class(table)}, so the model may be guessing"
    phrase = f"cannot be distinguished from guessing on {samples(table.n_samples)}"
    if out_of_class_share(table) > MANY_OUT_OF_CLASS:
        in_class = drop_out_of_class(table)
        if in_class is None:
            return "out of class", "all predictions are out of class and count as wrong"
        p_value = p_value if math.isnan(p_value) else guessing_p_value(in_class)
        if not math.isnan(p_value):  # otherwise the interval of all predictions decides
            n = samples(in_class.n_samples)
            phrase = f"the predictions in class, for {n}, cannot be distinguished from guessing"
    level, (low, high) = LEVEL, (math.nan, math.nan)
    if estimate is not None:
        level, (low, high) = max(estimate.confidence_level, LEVEL), estimate.confidence_interval
    if math.isnan(p_value) and math.isnan(low):
        return "untested", "not tested against guessing, as there is no p-value and no interval"
    contains_guessing = score.contains_guessing(table, low, high)
    if contains_guessing if math.isnan(p_value) else 1 - p_value <= level:
        return "guessing", phrase
    return _find_phrase_for_value(table, score, value, contains_guessing)


def _find_phrase_for_value(
    table: Table, score: Score, value: float, contains_guessing: bool
) -> tuple[str, str]:
    """Choose the code and the phrase for a score that guessing does not explain."""
    if not isinstance(score, Informedness):
        phrase = f"differs from guessing, which scores {rounded(score.guessing_level(table), 3)}"
        best = score.best_level(table)
        phrase += "" if best == 1 else f"; perfect predictions score {rounded(best, 3)}"
        return "not guessing", phrase
    related = "but the predictions are not independent of the references"
    if contains_guessing:
        return "contains 0", f"its interval contains 0, {related}"
    if value < 0:  # a model that rotates three classes is always wrong, yet informed
        if table.n_classes == 2:
            return "worse", "worse than guessing"
        return "below guessing", f"below the guessing level, {related}"
    if (table.rows == table.columns).all():
        return "all correct", "every prediction is correct"
    if value * table.total > table.hits.sum() + 1e-9 * table.total:
        return "above accuracy", "above accuracy, so it is not a share of the predictions"
    percent = round(100 * value)
    share = {0: "less than 1%", 100: "more than 99%"}.get(percent, f"{percent}%")
    return "share", f"like a model that knows {share} of each class and guesses the rest"


# Notes


def notes_of(
    table: Table,
    metrics: Mapping[str, Score],
    values: Mapping[str, float],
    estimates: Mapping[str, Estimate],
) -> tuple[list[Message], set[str]]:
    """Write the notes of a report, and warn about the caveats of its estimates.

    There is no warning about a caveat that only NIT has, unless it is the reason why NIT has no
    interval. Return the notes, and the names of the scores that need a mark because a note is about
    them alone.
    """
    remarks = {name: _remark_on(estimates, name) for name in estimates}
    warn_of_intervals([x for name, x in estimates.items() if remarks[name] != x.caveat])
    notes = [*_out_of_class_note(table, metrics)]
    marked: set[str] = set()
    if np.count_nonzero(table.reference_totals) > 1:
        if table.n_samples in range(FEW_SAMPLES):  # not if it is None
            notes.append(Message(f"Only {samples(table.n_samples)}: these scores are uncertain."))
        for name, score in metrics.items():
            caution = score.mark_meaning if score.caution(table, values[name]) else ""
            for remark in filter(None, (caution, remarks.get(name))):
                notes.append(Message(f"{title_of(table, score)}*: {remark}."))
                marked.add(name)
    caveats = {name: x.caveat for name, x in estimates.items() if x.caveat and not remarks[name]}
    for caveat in dict.fromkeys(caveats.values()):
        names = [name for name in caveats if caveats[name] == caveat]
        subject = f"Intervals of {' and '.join(names)}" if len(names) < 3 else "Some intervals"
        notes.append(Message(f"{subject} are approximate: {caveat}."))
    return notes, marked


def _out_of_class_note(table: Table, metrics: Mapping[str, Score]) -> Iterator[Message]:
    """Write the note on out-of-class predictions, if there are any."""
    share = out_of_class_share(table)
    if not share:
        return
    n = "" if table.is_weighted else f" ({int(table.out_of_class_totals.sum()):,})"
    sentence = f"{share_text(share)} of predictions{n} are out of class and count as wrong"
    in_class = drop_out_of_class(table)
    # as in the summary: if two averages of Informedness are reported, the last is by prevalence
    *_, informedness = (x for x in metrics.values() if isinstance(x, Informedness))
    if in_class is not None and not informedness.why_undefined(in_class):
        parts = [
            f"{title_of(table, score)} {rounded(score.value_or_nan(in_class), 3)}"
            for score in (informedness, metrics["nit"], metrics["accuracy"])
        ]
        sentence += f"; without them: {', '.join(parts)}"
    yield Message(f"{sentence}.")


def _remark_on(estimates: Mapping[str, Estimate], name: str) -> str:
    """Write the remark for a note on one estimate; "" if its caveat needs no note of its own.

    A missing interval with a caveat needs a note of its own, and so does a caveat that only NIT
    has. Such caveats of NIT are common, so there is no warning about them if NIT has an interval.
    """
    estimate = estimates[name]
    if math.isnan(estimate.confidence_interval[0]):
        return estimate.caveat and f"no interval, {estimate.caveat}"
    is_alone = [x.caveat for x in estimates.values()].count(estimate.caveat) == 1
    return estimate.caveat if name == NIT.name and is_alone else ""


# Out-of-class predictions, and tables with other predictions


def out_of_class_share(table: Table) -> float:
    """Compute the share of the predictions that are out of class."""
    return float(table.out_of_class_totals.sum() / table.total)


def share_text(share: float) -> str:
    """Format a share in percent; a share above 0 but below 0.05% becomes "under 0.1%"."""
    return "under 0.1%" if 0 < share < 0.0005 else f"{share:.1%}"


def drop_out_of_class(table: Table) -> Table | None:
    """Drop the samples with out-of-class predictions, but keep all classes.

    The result is None if no sample is left.
    """
    is_in_class = table.is_class[table.columns]
    if not is_in_class.any():
        return None
    rows, columns, counts = (x[is_in_class] for x in (table.rows, table.columns, table.counts))
    squares = None if table.squared_weights is None else table.squared_weights[is_in_class]
    n_samples = None if table.is_weighted else int(counts.sum())
    # declare the classes, so that a class without references remains a class
    return Table(table.labels, True, rows, columns, counts, squares, n_samples, table.is_class)


def with_constant_predictions(table: Table) -> ContingencyTable:
    """Replace every prediction by the class with the most references."""
    perfect = with_perfect_predictions(table)
    most_frequent = np.argmax(perfect.reference_totals)
    return replace(perfect, columns=np.full_like(perfect.columns, most_frequent))


def with_perfect_predictions(table: Table) -> ContingencyTable:
    """Replace every prediction by the class of its reference; squared weights are dropped."""
    totals = table.reference_totals[table.is_class]
    rows = np.flatnonzero(totals)
    labels = tuple(labels_at(table, table.is_class))
    return ContingencyTable(labels, True, rows, rows, totals[rows], None, table.n_samples)
