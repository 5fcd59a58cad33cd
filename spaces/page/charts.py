"""Show a table on the page: scores, warnings and drawings in the reader's theme.

Numbers come from the helpers; only positions on the page are computed here. The HTML comes from
`templates/`, which escape everything put into them: nothing here is marked as safe.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from curves import NAMES, curves
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from matrices import class_bars, heat_map
from squares import field
from wording import in_plain_words

from informedness import ContingencyTable
from informedness.core.labels import WARNING_PREFIX, InformednessWarning
from informedness.results.comparison import Comparison
from informedness.results.estimates import Estimate, lack_of
from informedness.results.report import Report
from informedness.results.sentences import answering, best_of, interval_for_verdict, summary_of
from informedness.results.text import rounded, samples, shown
from informedness.statistics.entropic import EntropicScore, EntropyTriangle, triangle_of
from informedness.statistics.informed import INFORMEDNESS
from informedness.statistics.registry import score_named
from informedness.statistics.score import Score, ScoreWithInterval

number = partial(rounded, digits=3)

# `warnings.catch_warnings` affects the whole process, requests are threads of one process, and the
# MCP server uses it while it answers. So each warning of the helpers is collected where it is
# issued, for the request that caused it.
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_warn = warnings.warn


def take_note(
    message: Any, category: type[Warning] | None = None, stacklevel: int = 1, **more: Any
) -> None:
    """Add a warning to the notes of its request; replaces `warnings.warn`."""
    notes = _notes.get()
    if notes is None or not (category and issubclass(category, InformednessWarning)):
        _warn(message, category, stacklevel + 1, **more)
    elif (text := str(message).removeprefix(WARNING_PREFIX)) not in notes:
        notes.append(text)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Yield the list that collects the warnings of this block."""
    notes: list[str] = []
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


def p_text(value: float, equals: str = "") -> str:
    """Return a p-value as the page shows it."""
    return "< 0.001" if value < 0.001 else f"{equals}{value:.3f}"


def ends(made: Estimate | Comparison) -> str:
    """Return the ends of an interval as the page shows them."""
    low, high = map(number, made.confidence_interval)
    return f"{low} to {high}"


def range_text(made: Estimate) -> str:
    """Return an interval as the page shows it."""
    if math.isnan(made.confidence_interval[0]):
        return "no interval"
    return f"{made.confidence_level:.0%} interval {ends(made)}"


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
    "at_least_0": lambda value: max(value, 0.0),
    "ends": ends,
    "interval": range_text,
    "number": number,
    "p_value": p_text,
    "percent": "{:.0%}".format,
    "place": "{:.1f}".format,
    "plain": in_plain_words,
}


def draw_heading(title: str, line: str = "", level: int = 1) -> str:
    """Return a heading with a line below it."""
    return TEMPLATES.get_template("heading.html").render(title=title, line=line, level=level)


def on_scale(
    own: str, value: float, chance: float, best: float, made: Estimate | None
) -> dict[str, Any]:
    """Return a score on a line from its lowest to its highest value, with chance and best.

    Its interval is a band around it.
    """
    score = score_named(own)
    # scores made from information are never below chance
    low, high = chance if isinstance(score, EntropicScore) else score.lowest, 1.0

    def place(value: float) -> float:
        return 34 + 332 * (max(value, low) - low) / (high - low)

    def tick(value: float, word: str, y: int) -> dict[str, Any]:
        x = place(value)
        anchor = "start" if x < 70 else "end" if x > 330 else "middle"
        return {"x": x, "y": y, "anchor": anchor, "words": f"{word} {value:.3g}"}

    start, end = sorted((place(chance), place(value)))
    beside = f", {range_text(made)}," if made else ""
    return {
        "informed": value >= chance,
        "band": [place(end) for end in made.confidence_interval if not math.isnan(end)]
        if made
        else [],
        "start": start,
        "end": end,
        "ticks": [tick(chance, "chance", 65), tick(best, "best", 16)],
        "point": place(value),
        "low": f"{low:.2g}",
        "high": f"{high:g}",
        "words": f"{score.title} {number(value)}{beside} on a scale from {low:.3g} to {high:g}: "
        f"chance is {chance:.3g}, the best possible here is {best:.3g}",
    }


def triangle(point: EntropyTriangle) -> dict[str, Any] | None:
    """Return the lines and the point of the entropy triangle, None where there is none."""
    if math.isnan(point.vi):
        return None
    shares = point._asdict()
    corners = {"delta_h": (290.0, 226.0), "two_mi": (170.0, 28.0), "vi": (50.0, 226.0)}
    x, y = (sum(shares[name] * corners[name][axis] for name in corners) for axis in (0, 1))
    grid = "".join(
        f"M{50 + 120 * t:.0f} {226 - 198 * t:.0f}L{290 - 120 * t:.0f} {226 - 198 * t:.0f}"
        f"M{50 + 240 * t:.0f} 226L{170 + 120 * t:.0f} {28 + 198 * t:.0f}"
        f"M{50 + 240 * t:.0f} 226L{50 + 120 * t:.0f} {226 - 198 * t:.0f}"
        for t in (0.25, 0.5, 0.75)
    )
    return {"x": x, "y": y, "grid": grid, **shares}


def class_information(table: ContingencyTable) -> list[float]:
    """Return what each class of the references adds to the mutual information, in bits."""
    row_shares = table.counts / table.reference_totals[table.rows]
    gains = np.log2(row_shares * table.total / table.prediction_totals[table.columns])
    parts = np.bincount(
        table.rows, weights=gains * table.counts / table.total, minlength=len(table.labels)
    )
    return [max(part, 0.0) for part in parts.tolist()]


def reading(report: Report, own: str, judged: Estimate | None = None) -> str:
    """Return the sentence that explains the score `own`, judged by an interval if there is one.

    Informedness is explained next to the accuracy.
    """
    score = score_named(own)
    if score == INFORMEDNESS:
        return report.summary
    value, made = report.scores[own], report.estimates.get(own)
    p_value = report.guessing_p_value
    return summary_of(report.table, score, value, made, judged, p_value)


def draw_score(table: ContingencyTable, own: str, link: str, story: str = "") -> str:
    """Return the result of one table: the score `own` first and large, then everything else.

    `link` is the query that holds the table, or a sentence saying why there is none.
    """
    score = score_named(own)
    with noting():  # nobody asked about these two tables
        constant = Report.from_table(answering(table, "commonest"))
        best = best_of(table, score)
    with noting() as notes:
        report = Report.from_table(table)
        made = estimated(table, own)
    counted = made is not None or not isinstance(score, ScoreWithInterval)
    signature = made.signature if made else score_named(own).signature(table)
    if made and math.isnan(made.standard_error):  # the score is undefined
        made = None
    lacking = ""
    if made and math.isnan(made.confidence_interval[0]):
        lacking = lack_of(table, made)
        notes = [note for note in notes if lacking not in note]
    several = bool(np.count_nonzero(table.reference_totals) > 1)
    scale = averages = known = None
    if several:
        scale = on_scale(own, report.scores[own], constant.scores[own], best, made)
    with noting():
        averages = far_averages(report, score)
        informedness = report.scores["informedness"]
        if several and informedness >= 0 and not INFORMEDNESS.caution(table, informedness):
            known = made if score == INFORMEDNESS else interval_for_verdict(table, INFORMEDNESS)
        bars = values_by_class(table, score)
    n = table.total if isinstance(table.total, int) else None
    return TEMPLATES.get_template("score.html").render(
        own=own,
        story=story,
        report=report,
        sentence=reading(report, own, made),
        counted=counted,
        undefined=bool(score.undefined(table)),
        made=made,
        lacking=lacking,
        signature=signature,
        scale=scale,
        fields=[field(report.scores, several), field(constant.scores, several)],
        known=known,
        constant=constant,
        averages=averages,
        notes=notes,
        commonest=shown(table.labels[int(np.argmax(table.reference_totals))]),
        size=f"weights that sum to {table.total:.6g}" if n is None else samples(n),
        map=heat_map(table),
        bars=bars,
        triangle=triangle(triangle_of(table)) if isinstance(score, EntropicScore) else None,
        link=link,
    )


def far_averages(report: Report, score: Score) -> dict[str, float]:
    """Return the score by its averages, if they are far apart."""
    return report.far_averages if score == INFORMEDNESS else {}


def values_by_class(table: ContingencyTable, score: Score) -> dict[str, Any] | None:
    """Return a bar for each class with its part of the score; None if the score has no parts."""
    if None in score.averages:
        values = score.averaged(None).value(table, zero_division=float("nan"))
        return class_bars(table, values, f"{score.title} of each class", signed=score.lowest < 0)
    if not isinstance(score, EntropicScore):
        return None
    values = class_information(table)
    heading = f"What each class adds to the mutual information of {sum(values):.3f} bits"
    return class_bars(table, values, heading, signed=False)


Simulated = tuple[float, Sequence[float], Mapping[str, Sequence[float]]]
"""The current place of a simulation, the places of its curves, and the curves."""


def draw_simulation(
    table: ContingencyTable, own: str, ability: Simulated, share: Simulated
) -> tuple[str, str]:
    """Return the scores of a simulated classifier over abilities and over class shares."""
    report = Report.from_table(table)
    by_ability = TEMPLATES.get_template("simulation.html").render(
        own=own,
        sentence=reading(report, own),
        field=field(report.scores),
        ability=curves(*ability, report.scores, own, "ability: share of answers known"),
    )
    by_share = TEMPLATES.get_template("shares_simulated.html").render(
        own=own, share=curves(*share, report.scores, own, "share of class 1"), map=heat_map(table)
    )
    return by_ability, by_share


def draw_shares(shares: Sequence[float]) -> str:
    """Return class shares, in percent, as a bar whose borders can be moved."""
    ends = np.cumsum(shares).tolist()
    return TEMPLATES.get_template("shares.html").render(shares=shares, ends=ends)


def draw_samples(truth: float, drawn: Sequence[ContingencyTable], own: str, n: int) -> str:
    """Return the scores of samples of a simulated classifier, each with its interval.

    A draw of one class has no score.
    """
    score = score_named(own)
    made: list[tuple[float, list[float]]] = []  # each draw's score, and the ends of its interval
    with noting():
        for table in drawn:
            one = estimated(table, own)
            if one is None:
                made.append((score.value(table), []))
            elif not math.isnan(one.standard_error):
                made.append((one.value, [x for x in one.confidence_interval if not math.isnan(x)]))
    low = min([truth, 0.0, *(end for _, reach in made for end in reach)])
    if isinstance(score, EntropicScore):
        low = score.chance(drawn[0]) or 0.0

    def place(value: float) -> float:
        return 40 + 320 * (max(value, low) - low) / (1 - low)

    rows = []
    for i, (value, reach) in enumerate(made):
        rows.append({"y": 32 + 14 * i, "band": [*map(place, reach)], "x": place(value)})
    values = [value for value, _ in made] or [truth]
    return TEMPLATES.get_template("samples.html").render(
        title=score.title,
        n=n,
        rows=rows,
        of_one_class=len(drawn) - len(made),
        truth=truth,
        truth_at=place(truth),
        low=f"{low:.2g}",
        least=min(values),
        most=max(values),
        height=32 + 14 * len(rows) + 20,
        words=f"{score.title} of {len(made)} draws of {n} samples, from {number(min(values))} to "
        f"{number(max(values))}, each with its interval; the model itself scores {number(truth)}",
    )


def on_scales(made: Comparison, tables: Mapping[str, ContingencyTable]) -> dict[str, Any]:
    """Return both scores on one line, their difference with its interval, and gained and lost."""
    score = score_named(made.metric)
    chances = [score.chance(table) for table in tables.values()]
    low = score.lowest
    if isinstance(score, EntropicScore):
        low = min(x for x in chances if x is not None)
    reach = max(map(abs, made.confidence_interval))
    step = next(x for x in (0.05, 0.1, 0.2, 0.5, 1, 2) if x >= reach)
    most = max(made.gained, made.lost, 1)

    def across(share: float) -> float:
        return 40 + 320 * share

    def beside(value: float) -> float:
        return across(0.5 + value / step / 2)

    models = [("A", across((made.a - low) / (1 - low))), ("B", across((made.b - low) / (1 - low)))]
    apart = abs(models[0][1] - models[1][1]) > 18
    return {
        "low": f"{low:.2g}",
        "models": [(name, x, 12 if apart or name == "A" else 54) for name, x in models],
        "step": f"{step:g}",
        "difference": beside(made.difference),
        "band": [beside(end) for end in made.confidence_interval],
        "counts": [160 * made.lost / most, 160 * made.gained / most],
        "words": f"{score.title}: A {number(made.a)}, B {number(made.b)}. B minus A: "
        f"{made.difference:+.3f}, {made.confidence_level:.0%} interval {ends(made)}. Samples that "
        f"only B got right: {made.gained}. Samples that only A got right: {made.lost}.",
    }


def draw_comparison(
    first: ContingencyTable,
    second: ContingencyTable,
    own: str,
    made: Comparison | None,
    warned: Sequence[str],
    story: str = "",
) -> str:
    """Return the result of a comparison on the same samples, and all scores side by side.

    `warned` are the warnings issued when it was made, `story` says what was compared.
    """
    tables = {"A": first, "B": second}
    with noting() as notes:
        reports = {name: Report.from_table(table) for name, table in tables.items()}
    a, b = (report.scores for report in reports.values())
    sentences = {name: reading(report, own) for name, report in reports.items()}
    return TEMPLATES.get_template("comparison.html").render(
        own=own,
        story=story,
        made=made,
        drawn=on_scales(made, tables) if made else None,
        sentences=sentences,
        notes=dict.fromkeys([*warned, *notes]),
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={name: heat_map(table) for name, table in tables.items()},
    )
