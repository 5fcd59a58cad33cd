"""Show a table on the page: the story of its score, and below it the details.

Numbers come from the helpers; only positions on the page are computed here and in the files of the
drawings. The HTML comes from `templates/`, which escape everything put into them: nothing here is
marked as safe.
"""

import math
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from curves import NAMES
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from limits import COUNTS, ENCODING, MEANT, METRIC, OPTIONS
from matrices import class_bars, heat_map
from scales import comparison_scales, score_scale
from squares import field

from informedness import ContingencyTable
from informedness.core.labels import WARNING_PREFIX, InformednessWarning
from informedness.inputs.doubts import warn_of_table
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate, estimate
from informedness.results.render import digits_for, p_text, rounded, samples, shown
from informedness.results.report import Report
from informedness.results.sentences import answering, best_of, summary_of
from informedness.statistics.entropy import EntropicScore, triangle_of
from informedness.statistics.margins import INFORMEDNESS
from informedness.statistics.registry import score_named
from informedness.statistics.score import ScoreWithInterval

number = partial(rounded, digits=3)
NOT_SHOWN = ("average=", "zero_division")  # in warnings of what the page says anyway
WIDE = 0.1  # intervals from this width on are shown with two digits, and said to be wide

# `warnings.catch_warnings` affects the whole process, requests are threads of one process, and the
# MCP server uses it while it answers. So each warning of the helpers is collected where it is
# issued, for the request that caused it.
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_meant: ContextVar[Collection[str] | None] = ContextVar("meant", default=None)  # on the page
_warn = warnings.warn


def take_note(
    message: Any, category: type[Warning] | None = None, stacklevel: int = 1, **more: Any
) -> None:
    """Add a warning to the notes of its request; replaces `warnings.warn`."""
    notes, said = _notes.get(), str(message).removeprefix(WARNING_PREFIX)
    if notes is None or not (category and issubclass(category, InformednessWarning)):
        _warn(message, category, stacklevel + 1, **more)
    elif said not in notes:
        notes.append(said)


@contextmanager
def noting(meant: Collection[str] | None = None) -> Iterator[list[str]]:
    """Yield the warnings of this block, as they are issued; `meant` are names of `MEANT`."""
    notes: list[str] = []
    tokens = _notes.set(notes), _meant.set(_meant.get() if meant is None else meant)
    try:
        yield notes
    finally:
        _notes.reset(tokens[0])
        _meant.reset(tokens[1])


def is_meant(name: str) -> bool:
    """Return whether somebody chose this of `MEANT`."""
    return name in (_meant.get() or ())


def estimated(table: ContingencyTable) -> Estimate | None:
    """Return the score with an interval.

    None for a score that has none, and for sums of weights, because the number of samples behind
    them is unknown.
    """
    has_interval = isinstance(score_named(METRIC), ScoreWithInterval) and not table.is_weighted
    return estimate(table, metric=METRIC) if has_interval else None


# Words


# What messages of the package say of arguments, on the page
_ARGUMENTS = {
    **{f"{name}=True": f'"{text}" under {OPTIONS}' for name, text in MEANT.items()},
    "as `counts`": f'as "{COUNTS}" under {OPTIONS}',
    "`encoding`": f'"{ENCODING}" under {OPTIONS}',
    "encoding=": f'"{ENCODING}" under {OPTIONS}',
    "give it as file_format=": "rename the file",
    "pass the files themselves, as several paths or a folder": "write all rows into one table",
    ", or from its pairs with from_counts": "",
    "`labels` or a matrix": "a matrix",
    "labels= or a matrix": "a matrix",
}


def sentence(text: str) -> str:
    """Return a message of the package as a sentence for the page."""
    for said, shown_as in _ARGUMENTS.items():
        text = text.replace(said, shown_as)
    plain = text.replace("`", "")
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
TEMPLATES.globals |= {"titles": NAMES, "own": METRIC}
TEMPLATES.filters |= {
    "amount": amount,
    "ends": ends,
    "number": number,
    "p_value": p_text,
    "percent": percent,
    "place": "{:.1f}".format,
    "sentence": sentence,
    "shown": shown,
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


def verdict(report: Report, judged: Estimate | None) -> str:
    """Return what the score means, without its number, which stands beside it."""
    score, value = score_named(METRIC), report.scores[METRIC]
    said = summary_of(report.table, score, value, None, judged, report.guessing_p_value)
    return sentence(said.partition(": ")[2])


def warnings_in(notes: Iterable[str]) -> list[str]:
    """Return the warnings on a result as sentences."""
    return [sentence(note) for note in notes if not any(word in note for word in NOT_SHOWN)]


# The score of one table


def draw_score(
    table: ContingencyTable, link: str, story: str = "", taken: str = "", warned: Iterable[str] = ()
) -> tuple[str, str]:
    """Return the story of one table, and its details.

    `story` explains an example, `taken` says what was read, `warned` are warnings issued then.
    `link` is the query that holds the table, or a sentence saying why there is none.
    """
    score = score_named(METRIC)
    with noting():  # nobody asked about these two tables, nor about the other scores
        constant = Report.from_table(answering(table, "commonest"))
        best = best_of(table, score)
        report = Report.from_table(table)
    with noting() as notes:
        warn_of_table(table)
        value, made = score.value(table), estimated(table)
    signature = made.signature if made else score.signature(table)
    if made and math.isnan(made.standard_error):  # the score is undefined
        made = None
    several = bool(np.count_nonzero(table.reference_totals) > 1)
    reach, digits = reach_of(made)
    if several and table.is_weighted:
        reach = "has no interval: these are weights, not counts of samples"
    with noting():
        scale = score_scale(METRIC, value, constant.scores[METRIC], best, made) if several else None
        averages = report.far_averages if score == INFORMEDNESS else {}
        said = verdict(report, made) if several else ""
    told = draw(
        "story",
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
        warnings=warnings_in(dict.fromkeys([*warned, *notes])) if several else [],
    )
    size = f"weights that sum to {table.total:.6g}"
    details = draw(
        "details",
        report=report,
        constant=constant,
        averages=averages,
        size=size if table.is_weighted else samples(int(table.total)),
        map=heat_map(table),
        bars=class_bars(table, [row["tpr_minus_fpr"] for row in report.per_class]),
        made=made,
        triangle=triangle_of(table) if isinstance(score, EntropicScore) else None,
        signature=signature,
        link=link,
    )
    return told, details


# A comparison


def draw_comparison(
    tables: Mapping[str, ContingencyTable],
    made: Comparison | None,
    warned: Iterable[str],
    taken: str = "",
) -> tuple[str, str]:
    """Return the story of two models on the same samples, and its details.

    `warned` are the warnings issued when they were compared, `taken` says what was compared.
    """
    with noting():  # nobody asked about the other scores
        reports = {name: Report.from_table(table) for name, table in tables.items()}
        verdicts = {name: verdict(x, None) for name, x in reports.items() if made}
    a, b = (report.scores for report in reports.values())
    first = next(iter(tables.values()))
    told = draw(
        "comparison",
        made=made,
        accuracies={"A": a["accuracy"], "B": b["accuracy"]},
        commonest=shown(first.labels[int(np.argmax(first.reference_totals))]),
        always=float(first.reference_totals.max() / first.total),
        drawn=comparison_scales(made) if made else None,
        warnings=warnings_in(warned) if made else [],
        taken=taken,
    )
    details = draw(
        "compared",
        made=made,
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={name: heat_map(table) for name, table in tables.items()},
        verdicts=verdicts,
    )
    return told, details
