"""What the app shows of a table: scores, warnings and drawings that follow the reader's theme.

Numbers come from the helpers; only positions on the page are computed here. The HTML is that of
`templates/`, which escapes all that is put into it: nothing here is marked as safe.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from squares import field

from informedness import Comparison, ContingencyTable, Estimate, Report, estimate
from informedness.core.labels import WARNING_PREFIX, InformednessWarning, Label
from informedness.core.scores import INFORMEDNESS, Score, signature_of
from informedness.results.estimates import lack_of
from informedness.results.sentences import answering, best_of, interval_for_verdict
from informedness.scores.entropic import EntropyTriangle, triangle_of
from informedness.scores.registry import REPORTED, score_named

NAMES = {name: score_named(name).title for name in REPORTED}
MOST_CLASSES = 20  # drawn; larger tables show their commonest classes

# `warnings.catch_warnings` changes the whole process, and requests run in threads of one process;
# the MCP server does so while it answers. So a warning of the helpers is taken where it is given,
# for the request that caused it.
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_warn = warnings.warn


def take_note(
    message: Any, category: type[Warning] | None = None, stacklevel: int = 1, **more: Any
) -> None:
    """Add a warning to the notes of its request; takes the place of `warnings.warn`."""
    notes = _notes.get()
    if notes is None or not (category and issubclass(category, InformednessWarning)):
        _warn(message, category, stacklevel + 1, **more)
    elif (text := str(message).removeprefix(WARNING_PREFIX)) not in notes:
        notes.append(text)


@contextmanager
def noting() -> Iterator[list[str]]:
    """Give the list in which this block's warnings are gathered."""
    notes: list[str] = []
    token = _notes.set(notes)
    try:
        yield notes
    finally:
        _notes.reset(token)


def estimated(table: ContingencyTable, own: str) -> Estimate | None:
    """Return the score with an interval.

    None for sums of weights, for nobody knows how many samples they are of.
    """
    if table.is_weighted and table.squared_weights is None:
        return None
    return estimate(table, own)


def number(value: float, digits: int = 3) -> str:
    """Return a number as the page shows it."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


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


def as_text(label: Label | None) -> str:
    """Return a label as the page shows it.

    What would not show, or would turn the text around it, stands as its Python literal.
    """
    text = "(outside the labels)" if label is None else str(label)
    return text if text.isprintable() and text == text.strip() and text else ascii(text)


_TEMPLATES = Environment(
    loader=FileSystemLoader(Path(__file__).resolve().parent / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
_TEMPLATES.globals["titles"] = NAMES
_TEMPLATES.filters |= {
    "amount": amount,
    "at_least_0": lambda value: max(value, 0.0),
    "ends": ends,
    "interval": range_text,
    "number": number,
    "p_value": p_text,
    "percent": "{:.0%}".format,
    "place": "{:.1f}".format,
}


def draw_heading(title: str, line: str = "", level: int = 1) -> str:
    """Return a heading, with a line below it."""
    return _TEMPLATES.get_template("heading.html").render(title=title, line=line, level=level)


def on_scale(
    own: str, value: float, chance: float, best: float, made: Estimate | None
) -> dict[str, Any]:
    """Return a score on a line from its lowest to its highest value, with chance and best.

    Its interval is a band around it.
    """
    score = score_named(own)
    # what is made of information is never below chance
    low, high = score.lowest if score.from_margins else chance, 1.0

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


def _drawn_classes(table: ContingencyTable) -> tuple[list[int], str]:
    """Return the positions of the classes to draw, and what to say of those left out."""
    both = (table.reference_totals + table.prediction_totals).tolist()
    k = len(both)
    if k <= MOST_CLASSES:
        return list(range(k)), ""
    largest = sorted(sorted(range(k), key=lambda i: -both[i])[:MOST_CLASSES])
    return largest, f"The {MOST_CLASSES} commonest of {k} classes."


def heat_map(table: ContingencyTable) -> dict[str, Any]:
    """Return the names of the classes drawn, and each cell's count and share of its row."""
    codes, left_out = _drawn_classes(table)
    place = {code: position for position, code in enumerate(codes)}
    counts: list[list[float]] = [[0] * len(codes) for _ in codes]
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    for i, j, count in cells:
        if i in place and j in place:
            counts[place[i]][place[j]] = count
    totals = [table.reference_totals[code].item() for code in codes]
    return {
        "names": [as_text(table.labels[code]) for code in codes],
        "cells": [
            [(count, count / total if total else 0.0) for count in row]
            for row, total in zip(counts, totals, strict=True)
        ],
        "left_out": left_out,
    }


def class_bars(
    table: ContingencyTable, values: Sequence[float], heading: str, signed: bool
) -> dict[str, Any]:
    """Return a bar for each class, from the middle where the values can be negative."""
    codes, left_out = _drawn_classes(table)
    bars = []
    zero = 50 if signed else 0
    span = 1.0 if signed else max([*(values[code] for code in codes), 1e-9])
    for code in codes:
        value = values[code]
        width = 0.0 if math.isnan(value) else abs(value) / span * (100 - zero)
        start = zero - width if value < 0 else zero
        bars.append(
            {"name": as_text(table.labels[code]), "value": value, "start": start, "width": width}
        )
    return {"heading": heading, "zero": zero, "bars": bars, "left_out": left_out}


def triangle(point: EntropyTriangle) -> dict[str, Any] | None:
    """Return the entropy triangle's lines and its point, None where there is none."""
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


def curves(
    abilities: Sequence[float],
    series: Mapping[str, Sequence[float]],
    ability: float,
    scores: Mapping[str, float],
    own: str,
) -> dict[str, Any]:
    """Return each score over ability, and the points of one ability."""
    lowest = min(*(value for values in series.values() for value in values), 0.0)

    def place(x: float, y: float) -> tuple[float, float]:
        return 38 + 370 * x, 10 + 240 * (1 - y) / (1 - lowest)

    def path(values: Sequence[float]) -> str:
        points = (place(*point) for point in zip(abilities, values, strict=True))
        return f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)}"

    ticks = [(*place(share, share), f"{share:g}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    caption = f"At ability {ability:.2f}"
    listed = ", ".join(f"{NAMES[name]} {number(score)}" for name, score in scores.items())
    in_order = sorted(series, key=lambda name: name == own)  # the page's own score last
    return {
        "ticks": [{"x": x, "y": y, "words": words} for x, y, words in ticks],
        "lines": [(name, path(series[name])) for name in in_order],
        "x": place(ability, 0)[0],
        "points": [(name, place(0, score)[1]) for name, score in scores.items()],
        "scores": scores,
        "caption": caption,
        "words": f"Scores over ability. {caption}: {listed}",
    }


def class_information(table: ContingencyTable) -> list[float]:
    """Return what each class of the references adds to the mutual information, in bits."""
    row_shares = table.counts / table.reference_totals[table.rows]
    gains = np.log2(row_shares * table.total / table.prediction_totals[table.columns])
    parts = np.bincount(
        table.rows, weights=gains * table.counts / table.total, minlength=len(table.labels)
    )
    return [max(part, 0.0) for part in parts.tolist()]


def draw_score(table: ContingencyTable, own: str, link: str, story: str = "") -> str:
    """Return the result of one table: the score `own` first and large, then all the rest.

    `link` is the query that carries the table, or a sentence saying why there is none.
    """
    score = score_named(own)
    with noting():  # of these two tables nobody asked
        constant = Report.from_table(answering(table, "commonest"))
        best = best_of(table, score)
    with noting() as notes:
        report = Report.from_table(table)
        made = estimated(table, own)
    counted = made is not None
    signature = made.signature if made else signature_of(score_named(own), table)
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
        if len(table.labels) > 2:
            averages = other_averages(table, score)
        if several and report.scores["informedness"] >= 0:
            known = interval_for_verdict(table, INFORMEDNESS)
        bars = values_by_class(table, score)
    return _TEMPLATES.get_template("score.html").render(
        own=own,
        story=story,
        report=report,
        sentence=report.sentence if score.is_share else report.sentence_of(own),
        counted=counted,
        made=made,
        lacking=lacking,
        signature=signature,
        scale=scale,
        fields=[field(report.scores, several), field(constant.scores, several)],
        known=known,
        constant=constant,
        averages=averages,
        notes=notes,
        commonest=as_text(table.labels[int(np.argmax(table.reference_totals))]),
        size=size_of(table),
        map=heat_map(table),
        bars=bars,
        triangle=None if score.from_margins else triangle(triangle_of(table)),
        link=link,
    )


def size_of(table: ContingencyTable) -> str:
    """Return how many samples a table has, or how much weight."""
    if isinstance(table.total, int):
        return f"{table.total:,d} sample{'s' * (table.total != 1)}"
    return f"weights that sum to {table.total:.6g}"


def other_averages(table: ContingencyTable, score: Score) -> dict[str, float]:
    """Return the score in its averages other than its own."""
    names = [name for name in score.averages if name not in (score.average, None)]
    return {str(name): float(score.averaged(name).value(table)) for name in names}


def values_by_class(table: ContingencyTable, score: Score) -> dict[str, Any] | None:
    """Return a bar for each class, of what it has of the score; None where that cannot be said."""
    if None in score.averages:
        values = score.averaged(None).value(table, zero_division=float("nan"))
        return class_bars(table, values, f"{score.title} of each class", signed=score.lowest < 0)
    if score.from_margins:
        return None
    values = class_information(table)
    heading = f"What each class adds to the information: {sum(values):.3f} bits"
    return class_bars(table, values, heading, signed=False)


def draw_simulation(
    table: ContingencyTable,
    own: str,
    ability: float,
    abilities: Sequence[float],
    series: Mapping[str, Sequence[float]],
) -> str:
    """Return the scores of a simulated classifier among those of every other ability."""
    report = Report.from_table(table)
    return _TEMPLATES.get_template("simulation.html").render(
        own=own,
        report=report,
        field=field(report.scores),
        curves=curves(abilities, series, ability, report.scores, own),
        map=heat_map(table),
    )


def draw_comparison(
    first: ContingencyTable,
    second: ContingencyTable,
    own: str,
    made: Comparison | None,
    warned: Sequence[str],
) -> str:
    """Return what a comparison on the same samples found, and all scores side by side.

    `warned` is what there was to warn of when it was made.
    """
    tables = {"A": first, "B": second}
    with noting() as notes:
        reports = {name: Report.from_table(table) for name, table in tables.items()}
    a, b = (report.scores for report in reports.values())
    return _TEMPLATES.get_template("comparison.html").render(
        own=own,
        made=made,
        reports=reports,
        notes=dict.fromkeys([*warned, *notes]),
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={name: heat_map(table) for name, table in tables.items()},
    )
