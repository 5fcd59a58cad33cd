"""Show a table on the page: the story of its score, and below it the details.

Numbers come from the helpers; only positions on the page are computed here and in the files of the
drawings. The HTML comes from `templates/`, which escape everything put into them: nothing here is
marked as safe.
"""

import math
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from curves import NAMES
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matrices import class_bars, heat_map
from scales import comparison_scales, score_scale
from squares import field

from informedness import ContingencyTable
from informedness.core.labels import WARNING_PREFIX, InformednessWarning
from informedness.core.scores import outside_references
from informedness.results.comparison import Comparison
from informedness.results.estimates import Estimate, lack_of
from informedness.results.report import Report
from informedness.results.sentences import answering, best_of, summary_of
from informedness.results.text import digits_for, p_text, rounded, samples, shown
from informedness.statistics.entropic import EntropicScore, triangle_of
from informedness.statistics.informed import INFORMEDNESS
from informedness.statistics.intervals import IntervalWarning
from informedness.statistics.registry import score_named
from informedness.statistics.score import Score, ScoreWithInterval

number = partial(rounded, digits=3)
FOR_PYTHON = ("labels=", "average=", "zero_division")  # in warnings that the page words itself
WIDE = 0.1  # intervals from this width on are shown with two digits, and said to be wide

# `warnings.catch_warnings` affects the whole process, requests are threads of one process, and the
# MCP server uses it while it answers. So each warning of the helpers is collected where it is
# issued, for the request that caused it.
_notes: ContextVar[dict[str, type[Warning]] | None] = ContextVar("notes", default=None)
_warn = warnings.warn


def take_note(
    message: Any, category: type[Warning] | None = None, stacklevel: int = 1, **more: Any
) -> None:
    """Add a warning to the notes of its request; replaces `warnings.warn`."""
    notes = _notes.get()
    if notes is None or not (category and issubclass(category, InformednessWarning)):
        _warn(message, category, stacklevel + 1, **more)
    else:
        notes.setdefault(str(message).removeprefix(WARNING_PREFIX), category)


@contextmanager
def noting() -> Iterator[dict[str, type[Warning]]]:
    """Yield the warnings of this block, each with its kind, as they are issued."""
    notes: dict[str, type[Warning]] = {}
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def estimated(table: ContingencyTable, own: str) -> Estimate | None:
    """Return the score with an interval.

    None for a score that has none, and for sums of weights, because the number of samples behind
    them is unknown.
    """
    has_interval = isinstance(score_named(own), ScoreWithInterval) and not table.is_weighted
    return table.estimate(own) if has_interval else None


# Words


def sentence(text: str) -> str:
    """Return a message of the package as a sentence for the page."""
    plain = text.replace(" (`ignore_index` drops references)", "")
    plain = plain.replace("in `labels`", "in a matrix").replace("`", "")
    return f"{plain[:1].upper()}{plain[1:]}{'' if plain.endswith(('.', '?')) else '.'}"


def percent(share: float) -> str:
    """Return a share in percent; not 0% or 100% if it is not exactly that."""
    rounded_share = f"{share:.0%}"
    if rounded_share in ("0%", "100%") and share not in (0, 1):
        return "over 99%" if share > 0.5 else "under 1%"
    return rounded_share


def ends(made: Estimate | Comparison, digits: int = 3) -> str:
    """Return the ends of an interval as the page shows them."""
    digits = digits_for(made.confidence_interval, digits)
    return " to ".join(rounded(end, digits) for end in made.confidence_interval)


def amount(count: float) -> str:
    """Return a count, or a sum of weights, as the page shows it."""
    return f"{count:,d}" if isinstance(count, int) else f"{count:.4g}"


TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals["titles"] = NAMES
TEMPLATES.filters |= {
    "amount": amount,
    "ends": ends,
    "number": number,
    "p_value": p_text,
    "percent": percent,
    "place": "{:.1f}".format,
    "sentence": sentence,
}


def draw(template: str, **values: Any) -> str:
    """Return the HTML of a template."""
    return TEMPLATES.get_template(f"{template}.html").render(**values)


def reach_of(made: Estimate | None) -> tuple[str, int]:
    """Return what an interval says to a newcomer, and with how many digits to show the score."""
    if made is None or math.isnan(made.confidence_interval[0]):
        return "", 3
    low, high = made.confidence_interval
    level = f"{made.confidence_level:.0%} interval"
    if high - low >= WIDE:
        return f"could be anywhere from {ends(made, 2)} with this few samples ({level})", 2
    return f"lies between {ends(made).replace(' to ', ' and ')} ({level})", 3


def verdict(report: Report, own: str, judged: Estimate | None) -> str:
    """Return what the score means, without its number, which stands beside it."""
    score, value = score_named(own), report.scores[own]
    if score == INFORMEDNESS and INFORMEDNESS.caution(report.table, value):
        by_prevalence = number(report.far_averages["prevalence"])
        return (
            f"This is above the accuracy ({number(report.scores['accuracy'])}), so it is not the "
            f"share of the answers that the model knows. Averaged by prevalence it is "
            f"{by_prevalence}."
        )
    said = summary_of(report.table, score, value, None, judged, report.guessing_p_value)
    return sentence(said.partition(": ")[2])


def warnings_of(
    table: ContingencyTable, score: Score, made: Estimate | None, notes: Mapping[str, Any]
) -> list[str]:
    """Return the warnings on a result, in words for a page.

    Those that give advice for Python are said here in other words.
    """
    said, n = [], samples(table.n_samples)
    if table.n_samples == 1:
        said.append("One sample says nothing: add more samples.")
    elif made and lack_of(table, made):
        if math.isnan(made.confidence_interval[0]):
            said.append(
                f"There is no interval: {n} do not show whether there are more classes. A matrix "
                "is taken to have all classes: open the link below, add the missing ones, and "
                "press Score."
            )
        else:
            said.append(f"The interval may be too narrow, because there are only {n}.")
    n_outside, wanted = outside_references(table)
    if isinstance(score, EntropicScore) and table.n_samples and table.n_samples < wanted:
        said.append(
            f"{n_outside} different predictions are no class of the references. They raise "
            f"{score.title} by chance, because there are only {n}."
        )
    for text, kind in notes.items():
        if kind is not IntervalWarning and not any(word in text for word in FOR_PYTHON):
            said.append(sentence(text))
    return said


# The score of one table


def draw_score(
    table: ContingencyTable, own: str, link: str, story: str = "", taken: str = ""
) -> tuple[str, str]:
    """Return the story of one table, and its details.

    `story` explains an example, `taken` says what was taken for what. `link` is the query that
    holds the table, or a sentence saying why there is none.
    """
    score = score_named(own)
    with noting():  # nobody asked about these two tables
        constant = Report.from_table(answering(table, "commonest"))
        best = best_of(table, score)
    with noting() as notes:
        report = Report.from_table(table)
        made = estimated(table, own)
    value = report.scores[own]
    signature = made.signature if made else score.signature(table)
    if made and math.isnan(made.standard_error):  # the score is undefined
        made = None
    several = bool(np.count_nonzero(table.reference_totals) > 1)
    reach, digits = reach_of(made)
    if several and table.is_weighted:
        reach = "has no interval: these are weights, not counts of samples"
    with noting():
        scale = score_scale(own, value, constant.scores[own], best, made) if several else None
        averages = report.far_averages if score == INFORMEDNESS else {}
        said = verdict(report, own, made) if several else ""
    told = draw(
        "story",
        own=own,
        several=several,
        commonest=shown(table.labels[int(np.argmax(table.reference_totals))]),
        accuracy=report.scores["accuracy"],
        always=constant.scores["accuracy"],
        fields=[field(report.scores, several), field(constant.scores, several)],
        score="undefined" if score.undefined(table) else rounded(value, digits),
        reach=reach,
        verdict=said,
        scale=scale,
        story=story,
        taken=taken,
        warnings=warnings_of(table, score, made, notes) if several else [],
    )
    size = f"weights that sum to {table.total:.6g}"
    details = draw(
        "details",
        own=own,
        report=report,
        constant=constant,
        averages=averages,
        size=size if table.is_weighted else samples(int(table.total)),
        map=heat_map(table),
        bars=class_bars(table, [row["tpr_minus_fpr"] for row in report.per_class]),
        made=made,
        triangle=triangle(table) if isinstance(score, EntropicScore) else None,
        signature=signature,
        link=link,
    )
    return told, details


def triangle(table: ContingencyTable) -> dict[str, Any] | None:
    """Return the place of a table in the entropy triangle, None where it has none."""
    point = triangle_of(table)
    if math.isnan(point.vi):
        return None
    shares = point._asdict()
    corners = {"delta_h": (290.0, 226.0), "two_mi": (170.0, 28.0), "vi": (50.0, 226.0)}
    x, y = (sum(shares[name] * corners[name][axis] for name in corners) for axis in (0, 1))
    return {"x": x, "y": y, **shares}


# A comparison


def draw_comparison(
    tables: Mapping[str, ContingencyTable],
    own: str,
    made: Comparison | None,
    warned: Mapping[str, Any],
    taken: str = "",
) -> tuple[str, str]:
    """Return the story of two models on the same samples, and its details.

    `warned` are the warnings issued when they were compared, `taken` says what was compared.
    """
    score = score_named(own)
    with noting() as notes:
        reports = {name: Report.from_table(table) for name, table in tables.items()}
        verdicts = {name: verdict(x, own, None) for name, x in reports.items() if made}
    a, b = (report.scores for report in reports.values())
    first = next(iter(tables.values()))
    said = warnings_of(first, score, None, {**warned, **notes}) if made else []
    if made and IntervalWarning in warned.values():
        said.append(f"The interval may be too narrow: there are only {samples(made.n_samples)}.")
    told = draw(
        "comparison",
        own=own,
        made=made,
        accuracies={"A": a["accuracy"], "B": b["accuracy"]},
        commonest=shown(first.labels[int(np.argmax(first.reference_totals))]),
        always=float(first.reference_totals.max() / first.total),
        drawn=comparison_scales(made) if made else None,
        warnings=said,
        taken=taken,
    )
    details = draw(
        "compared",
        own=own,
        made=made,
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={name: heat_map(table) for name, table in tables.items()},
        verdicts=verdicts,
    )
    return told, details
