"""Draw the results on the page: a story of the score, and details below it.

Numbers come from the helpers; only positions on the page are computed here. The HTML comes from
`templates/`, which escape everything put into them: nothing here is marked as safe.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from data import Answers, tables_of_models
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from limits import HERE, LEVEL, MEANT, METRIC, WORDS, Refusal
from links import code_of, code_of_models, link_of, link_of_models

from informedness import ContingencyTable, __version__, compare
from informedness.core.scores import mutual_information
from informedness.core.table import Table
from informedness.inference.entropy import EntropicScore, reference_entropy, triangle_of
from informedness.inference.registry import REPORTED, score_named, score_with_average
from informedness.inference.score import INFORMEDNESS, Score
from informedness.messages import message_of, render
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate, warn_of_intervals
from informedness.results.report import Report
from informedness.results.summary import (
    MANY_OUT_OF_CLASS,
    drop_out_of_class,
    out_of_class_share,
    share_text,
    with_constant_predictions,
)
from informedness.tables.label_warnings import warn_of_table
from informedness.tables.matrix import most_frequent_classes
from informedness.text.render import amount, digits_for, rounded, samples, shown, shown_p
from informedness.warnings import UndefinedMetricWarning, collected

NAMES = {name: score_named(name).title for name in REPORTED}
WIDE = 0.1  # intervals from this width on are shown with two digits, and may be explained
MODEL_ROLES = ("references", "predictions A", "predictions B")  # of columns that are compared
MAY_BE_COUNTS = "may be counts"  # the code of a warning that is shown above the score
MOST_CELLS = 30  # classes along a side; if there are more, the commonest ones
RARE = 100  # samples; a rarer class with fewer explains a wide interval


# Words


# What controls are called, by the argument that they set
_OPTIONS = {x: f'"{y}" under Options' for x, y in (MEANT | WORDS["options"]).items()}
CONTROLS = _OPTIONS | WORDS["sides"]


def sentence(said: Any, controls: Mapping[str, str] = CONTROLS) -> str:
    """Write a message as a sentence that names the controls of the page."""

    def called(name: str, value: str | None) -> str | None:
        control = controls.get(f"{name}=" if value == "" else name)
        is_whole = not control or name in MEANT or value in (None, "", "True")
        return control if is_whole else f"{value} as {control}"

    text = with_minus(render(said, called, keeps_clauses=False))
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


def with_minus(text: str) -> str:
    """Replace the hyphen before negative numbers by a true minus sign."""
    return re.sub(r"(?<![\w.'\"-])-(?=[\d.])", "\u2212", text)


def remedies_of(said: Any, forms: Mapping[str, str] | None = None) -> list[tuple[str, str, str]]:
    """List buttons for the remedies in a message: text, the input that each sets, and the value."""
    named: dict[str, None] = {}
    render(said, lambda name, _: named.setdefault(name))
    buttons = [(text, "form", form) for form, text in (forms or {}).items()]
    buttons += [(WORDS["remedies"][x], "meant", x) for x in named if x in WORDS["remedies"]]
    message = message_of(said)
    if message.code == MAY_BE_COUNTS:
        column = message.values["columns"][0]
        buttons.append((f"Use column '{shown(column)}' as counts", "counts", column))
    return buttons


def note_of(said: Any, worded: Callable[[Any], str]) -> tuple[str, str, list[tuple[str, str, str]]]:
    """Split a message into its first clause, the other clauses, and buttons for its remedies."""
    head, mark, rest = worded(said).partition("; ")
    return head + mark.strip(), rest, [] if worded is matrix_sentence else remedies_of(said)


matrix_sentence = partial(sentence, controls=WORDS["matrix"])
paste_sentence = partial(sentence, controls=WORDS["pasted"])


def program_message(said: Any, arguments: Collection[str]) -> str:
    """Write a message with the argument names of an endpoint, without arguments that it lacks."""

    def called(name: str, value: str | None) -> str | None:
        name = WORDS["endpoints"].get(name, name)
        given = f"`{name}`" if value is None else f"{name}={value and json.dumps(value)}"
        return given if name in arguments else None

    return render(said, called, keeps_clauses=False)


def percent(share: float) -> str:
    """Format a share in percent; only exact shares are shown as 0% or 100%."""
    rounded_share = f"{share:.0%}"
    if rounded_share in ("0%", "100%") and share not in (0, 1):
        return "over 99%" if share > 0.5 else "under 1%"
    return rounded_share


def ends(result: Estimate | Comparison, digits: int = 3, chance: float = math.nan) -> str:
    """Format the ends of an interval, with more digits if an end would be rounded to chance."""
    texts = []
    for end in result.confidence_interval:
        n = digits_for((end, end), digits)
        while rounded(end, n) == rounded(chance, n) and abs(end - chance) > 1e-6:
            n += 1
        texts.append(with_minus(rounded(end, n)))
    return " to ".join(texts)


def size_of(table: ContingencyTable) -> str:
    """Format the number of samples, or the sum of their weights."""
    return (
        f"weights that sum to {table.total:.6g}" if table.is_weighted else samples(int(table.total))
    )


def commonest_of(table: ContingencyTable) -> str:
    """Find the class with the most references."""
    return shown(table.labels[int(np.argmax(table.reference_totals))])


LOADER = FileSystemLoader(HERE / "templates")
TEMPLATES = Environment(loader=LOADER, autoescape=True, undefined=StrictUndefined)
TEMPLATES.trim_blocks = TEMPLATES.lstrip_blocks = True
TEMPLATES.globals |= {"titles": NAMES, "own": METRIC, "triangle_of": triangle_of}
TEMPLATES.filters |= {
    "amount": amount,
    "commonest": commonest_of,
    "ends": ends,
    "number": lambda value: with_minus(rounded(value, 3)),
    "minus": with_minus,
    "signed": lambda value: with_minus(f"{value:+.3f}"),
    "p_value": partial(shown_p, is_in_sentence=True),
    "percent": percent,
    "sentence": sentence,
    "shown": shown,
}


def draw(template: str, **values: Any) -> str:
    """Render a template as HTML."""
    return TEMPLATES.get_template(f"{template}.html").render(**values)


def draw_result(template: str, template_of_details: str, /, **values: Any) -> tuple[str, str]:
    """Render a story and its details as HTML."""
    return draw(template, **values), draw(template_of_details, **values)


def explain_interval(report: Report, chance: float) -> tuple[str, str, int]:
    """Write an interval and a remark on it, and choose the number of digits of the score."""
    table, estimate = report.table, report.estimates.get(METRIC)
    best, remark = report.best[METRIC], ""
    if estimate is None:
        return "", "has no interval: these are weights, not counts of samples", 3
    if math.isnan(estimate.confidence_interval[0]):
        return "", "", 3
    low, high = estimate.confidence_interval
    digits = 2 if high - low >= WIDE else 3
    if digits == 2:
        totals = np.where(table.reference_totals > 0, table.reference_totals, np.inf)
        rarest = int(np.argmin(totals))
        n, label = int(totals[rarest]), shown(table.labels[rarest])
        if n < min(RARE, 0.8 * totals[np.isfinite(totals)].mean()):
            remark = f"; only {samples(n)} {'is' if n == 1 else 'are'} {label}"
    if high <= estimate.value < best:
        remark += "; the score is its upper end, as chance adds to it with so few samples a class"
    text = f"{estimate.confidence_level:.0%} interval {ends(estimate, digits, chance)}"
    return text, remark, digits


def verdict(report: Report) -> str:
    """Explain the score in a sentence without its number, which is shown next to it."""
    score, phrase = score_named(METRIC), report.summary_of(METRIC).values["phrase"]
    is_entropic = isinstance(score, EntropicScore)
    caution = score.caution(report.table, report.scores[METRIC]) if is_entropic else ""
    return sentence("; ".join(filter(None, [phrase, caution])))


def forms_of(
    to_copy: str, row: Sequence[str], result: Report | Comparison, warnings: Sequence[str]
) -> dict[str, str]:
    """Format a result as text, a LaTeX row, Markdown, JSON with its warnings, and a citation."""
    as_json = json.dumps({**result.to_dict(), "warnings": warnings}, ensure_ascii=False)
    cells = [re.sub(r"[%&_#]", r"\\\g<0>", cell).replace("\u2212", "$-$") for cell in row]
    return {
        "Text": to_copy,
        "LaTeX row": f"{' & '.join(cells)} \\\\",
        "Markdown": result.to_markdown(),
        "JSON": as_json,
        "Citation": f"{to_copy}. {WORDS['citation']} {__version__}",
    }


# Drawings, whose places are in percent of the width of a line


class Scale(NamedTuple):
    """A line between two values, on which places are proportional to `axis` of a value."""

    low: float
    high: float
    axis: Callable[[float], float] = float

    def place(self, value: float) -> float:
        """Place a value on the line; a value beyond an end is placed at the end."""
        ends = [self.axis(self.low), self.axis(self.high)]
        return round(float(np.interp(self.axis(value), ends, (0, 100))), 2)

    def band(self, result: Estimate | Comparison | None) -> list[float]:
        """Place an interval by its start and width; empty if there is none."""
        if result is None or math.isnan(result.confidence_interval[0]):
            return []
        start, end = map(self.place, result.confidence_interval)
        return [start, round(end - start, 2)]


def score_scale(score: Score, report: Report, chance: float, digits: int) -> dict[str, Any]:
    """Place a score on a line from chance to the best that also contains its interval.

    For a score of information the line is logarithmic: one bit has the same length everywhere.
    """
    value, best, result = report[METRIC], report.best[METRIC], report.estimates.get(METRIC)
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
    unsure, passed = reference_entropy(table), mutual_information(table)
    passed = unsure if unsure - passed < 1e-12 else passed  # equal except for rounding
    return {"unsure": unsure, "passed": passed, "lost": unsure - passed}


def comparison_scales(result: Comparison, chance: float, best: float) -> dict[str, Any]:
    """Place both scores on one line from chance to the best, and their difference on another.

    If a model is below chance, the first line begins at the lowest possible score.
    """
    is_below = min(result.a, result.b) < chance - 1e-9
    low = score_named(result.metric).lowest if is_below else chance
    ends = [x for x in (*result.confidence_interval, result.difference, 0.0) if not math.isnan(x)]
    values, differences = Scale(low, best), Scale(min(ends), max(*ends, min(ends) + 0.01))
    return {
        "ends": (low, best),
        "chance": values.place(chance),
        "models": {"A": values.place(result.a), "B": values.place(result.b)},
        "difference_ends": (differences.low, differences.high),
        "zero": differences.place(0.0),
        "difference": differences.place(result.difference),
        "band": differences.band(result),
    }


# A hundred answers: known, lucky, wrong


def field(table: Table, average: Any = "default", level: float = LEVEL) -> dict[str, Any]:
    """Draw a hundred answers in the proportions of a table, with their description.

    If many are out of class, these are wrong, and only the others are split. Each square has a
    kind. It also says whether it lies within the interval, and so may be known or lucky.
    """
    share = out_of_class_share(table)
    n_outside = round(100 * share) if share > MANY_OUT_OF_CLASS else 0
    answered = drop_out_of_class(table) if n_outside else table
    shares, why = ({}, "") if answered is None else split_answers(answered, average)
    n_answered = 100 - n_outside
    # the sums are rounded, so that known and lucky add up to what is right
    sums = np.floor(np.cumsum([0, *shares.values()]) * n_answered + 0.5 + 1e-9).astype(int)
    counts = dict(zip(shares, np.diff(sums).tolist(), strict=True))
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
    reason = {"why": why, "has_others": n_outside > 0, "is_unsure": len(unsure) > 0}
    return {"counts": counts, "words": words, "squares": drawn, **reason}


def split_answers(table: Table, average: Any = "default") -> tuple[dict[str, float], str]:
    """Split answers into shares known, lucky and wrong, or only right and wrong with the reason."""
    accuracy = float(table.hits.sum() / table.total)
    known = float(score_with_average(INFORMEDNESS.name, average).clipped_value(table))
    several = np.count_nonzero(table.reference_totals) > 1
    if several and -1e-9 <= known <= accuracy + 1e-9:
        known = min(max(known, 0.0), accuracy)
        return {"known": known, "lucky": accuracy - known, "wrong": 1 - accuracy}, ""
    why = ("above accuracy" if known > 0 else "below 0") if several else "one class"
    return {"right": accuracy, "wrong": 1 - accuracy}, why


# Tables


def heat_map(report: Report) -> dict[str, Any]:
    """Prepare the drawing of a table: counts, their shares of the row, and confused pairs.

    Its margins show the recall and the false positive rate of each class.
    """
    table, per_class = report.table, report.per_class
    rates = {x["label"]: [rounded(x[name], 3) for name in ("tpr", "fpr")] for x in per_class}
    codes, labels, counts = most_frequent_classes(table, MOST_CELLS)
    totals = table.reference_totals[codes].tolist()
    cells = [
        [(count, count / total if total else 0.0) for count in row]
        for row, total in zip(counts.astype(table.counts.dtype).tolist(), totals, strict=True)
    ]
    margins = [rates.get(label, ("", "")) for label in labels]
    names, confused = list(map(shown, labels)), confused_pairs(table)
    shown_parts = {"names": names, "cells": cells, "rates": rates, "margins": margins}
    return {"k": table.n_classes, **shown_parts, "confused": confused}


def confused_pairs(table: ContingencyTable) -> list[tuple[str, str, Any, Any]]:
    """Find the eight largest cells off the diagonal: both classes, count and total of the row."""
    wrong = np.flatnonzero((table.rows != table.columns) & (table.counts > 0))
    totals = table.reference_totals[table.rows]
    largest = wrong[np.lexsort((totals[wrong], -table.counts[wrong]))[:8]]
    cell_arrays = (table.rows, table.columns, table.counts, totals)
    cells = zip(*(values[largest].tolist() for values in cell_arrays), strict=True)
    return [(shown(table.labels[i]), shown(table.labels[j]), n, total) for i, j, n, total in cells]


TEMPLATES.globals |= {"heat_map": heat_map, "size_of": size_of}


# The score of one table


def reports_of(
    table: ContingencyTable, average: Any, level: float
) -> tuple[Report, Report, list[Warning]]:
    """Report on a table and on constant predictions, with the warnings that concern the score."""
    with collected() as notes:
        warn_of_table(table)
    with collected() as others:  # the verdict repeats those about the score as a share
        constant = Report.from_table(with_constant_predictions(table), average=average)
        report = Report.from_table(table, None if table.is_weighted else level, average=average)
    notes += [note for note in others if isinstance(note, UndefinedMetricWarning)]
    with collected() as interval_notes:  # nobody asked for intervals of the other scores
        warn_of_intervals([x for name, x in report.estimates.items() if name == METRIC])
    return report, constant, notes + interval_notes


def draw_score(
    table: ContingencyTable,
    story: str = "",
    warned: Iterable[Warning] = (),
    average: Any = "default",
    level: float = LEVEL,
    axes: Sequence[str] = (),
    is_grid: bool = False,
) -> tuple[str, str]:
    """Draw the story of one table, and its details.

    `story` explains an example; `warned` are warnings issued when it was read. `axes` are names of
    rows and columns, which a link keeps. `is_grid` says that a grid already shows the counts.
    """
    score, settings = score_with_average(METRIC, average), {"average": average, "level": level}
    report, constant, notes = reports_of(table, average, level)
    messages = {str(note): message_of(note) for note in [*warned, *notes]}.values()
    estimate = report.estimates.get(METRIC)
    interval, remark, digits = explain_interval(report, constant[METRIC])
    text = with_minus(rounded(report[METRIC], digits))
    score_text = "undefined" if score.why_undefined(table) else text
    by_average = "" if average == "default" else f" by {average}"
    numbers = [f"{score.title}{by_average} {score_text}", interval, size_of(table)]
    to_copy = f"{', '.join(filter(None, numbers))}; {compare_with_constant(report, constant)}"
    row = [score.title, score_text, f"[{interval.partition('interval ')[2].replace(' to ', ', ')}]"]
    row += [f"{report['accuracy']:.1%}", size_of(table)]
    worded = matrix_sentence if is_grid or story else sentence
    return draw_result(
        "story",
        "details",
        several=bool(np.count_nonzero(table.reference_totals) > 1),
        report=report,
        constant=constant,
        fields=[field(table, average, level), field(constant.table, average)],
        bits=bits_of(table) if isinstance(score, EntropicScore) else None,
        score=score_text,
        by_average=by_average,
        interval=f"{interval}{remark}",
        verdict=verdict(report),
        scale=score_scale(score, report, constant[METRIC], digits),
        story=story,
        may_be_counts=[note_of(x, worded) for x in messages if x.code == MAY_BE_COUNTS],
        warnings=[note_of(x, worded) for x in messages if x.code != MAY_BE_COUNTS],
        link=link_of(table, **settings, axes=axes),
        forms=forms_of(to_copy, row, report, [*messages]),
        is_grid=is_grid,
        estimate=estimate,
        signature=estimate.signature if estimate else score.signature(table),
        code=code_of(table, **settings),
    )


def compare_with_constant(report: Report, constant: Report) -> str:
    """Compare accuracy with predicting the commonest class; name the out-of-class share."""
    text = f"accuracy {percent(report['accuracy'])}, always {commonest_of(report.table)} "
    text += percent(constant["accuracy"])
    share = out_of_class_share(report.table)
    return f"{text}; {share_text(share)} of the predictions are out of class" if share else text


# A comparison


def draw_comparison(
    answers: Answers, average: Any = "default", level: float = LEVEL
) -> tuple[str, str]:
    """Draw the story of two models on the same samples, and its details."""
    references, *predictions = answers.columns
    if len(set(references)) < 2:
        raise Refusal("A comparison needs references of at least two classes, got only one.")
    models = dict(zip(MODEL_ROLES[1:], predictions, strict=True))
    tables = tables_of_models(references, models, **answers.task_options)
    options = {"average": average, "confidence_level": level, **answers.task_options}
    with collected() as notes:
        comparison = compare(*answers.columns, metric=METRIC, **options)
    with collected():  # nobody asked about the other scores
        reports = dict(zip("AB", map(Report.from_table, tables), strict=True))
        constant = Report.from_table(with_constant_predictions(tables[0]))
    a, b = (report.scores for report in reports.values())
    messages = list(dict.fromkeys(map(message_of, [*answers.notes, *notes])))
    texts = [with_minus(rounded(scores[METRIC], 3)) for scores in (a, b)]
    to_copy = f"{NAMES[METRIC]}: A {texts[0]}, B {texts[1]}; {comparison.summary}"
    row = [NAMES[METRIC], *texts, with_minus(f"{comparison.difference:+.3f}"), ends(comparison)]
    return draw_result(
        "comparison",
        "compared",
        comparison=comparison,
        reports=reports,
        constant=constant.scores,
        drawn=comparison_scales(comparison, constant[METRIC], constant.best[METRIC]),
        warnings=[note_of(message, sentence) for message in messages],
        forms=forms_of(to_copy, row, comparison, messages),
        verdicts={name: verdict(report) for name, report in reports.items()},
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        link=link_of_models(answers, average, level),
        code=code_of_models(answers, average, level),
    )
