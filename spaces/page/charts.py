"""Draw the results on the page: a story of the score, and details below it.

Numbers come from the helpers; only positions on the page are computed here and in the files of the
drawings. The HTML comes from `templates/`, which escape everything put into them: nothing here is
marked as safe.
"""

import json
import math
import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from urllib.parse import quote

import numpy as np
from data import Answers
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from limits import HERE, LEVEL, MEANT, METRIC, WORDS
from links import code_of, code_of_models, link_of, link_of_models
from matrices import class_bars, heat_map
from scales import bits_of, comparison_scales, field, score_scale

from informedness import ContingencyTable, __version__
from informedness.inference.entropy import EntropicScore, triangle_of
from informedness.inference.registry import REPORTED, score_named, score_with_average
from informedness.inference.score import INFORMEDNESS
from informedness.messages import message_of, render
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate, warn_of
from informedness.results.report import Report
from informedness.results.verdict import constant_predictions, out_of_class_share, share_text
from informedness.results.verdict import verdict as verdict_on
from informedness.tables.label_warnings import warn_of_table
from informedness.text.render import amount, digits_for, rounded, samples, shown, shown_p
from informedness.warnings import UndefinedMetricWarning, collected

NAMES = {name: score_named(name).title for name in REPORTED}
WIDE = 0.1  # intervals from this width on are shown with two digits, and may be explained
MAY_BE_COUNTS = "may be counts"  # the code of a warning that is shown above the score
CITATION = (
    "D. M. W. Powers (2003), Recall and Precision versus the Bookmaker; computed by the Python "
    f"package informedness {__version__}"
)
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
    return head + mark.strip(), rest, [] if worded is of_matrix else remedies_of(said)


of_matrix, of_pasted = (partial(sentence, controls=WORDS[x]) for x in ("matrix", "pasted"))


def for_programs(said: Any, arguments: Collection[str]) -> str:
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


TEMPLATES = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
TEMPLATES.globals |= {"titles": NAMES, "own": METRIC}
TEMPLATES.filters |= {
    "amount": amount,
    "bits": "{:.3f} bits".format,
    "ends": ends,
    "number": lambda value: with_minus(rounded(value, 3)),
    "minus": with_minus,
    "signed": lambda value: with_minus(f"{value:+.3f}"),
    "urlencode_svg": quote,
    "p_value": partial(shown_p, in_sentence=True),
    "percent": percent,
    "place": "{:.1f}".format,
    "sentence": sentence,
    "shown": shown,
}


def draw(template: str, **values: Any) -> str:
    """Render a template as HTML."""
    return TEMPLATES.get_template(f"{template}.html").render(**values)


def draw_result(template: str, template_of_details: str, /, **values: Any) -> tuple[str, str]:
    """Render a story and its details as HTML."""
    return draw(template, **values), draw(template_of_details, **values)


def explain_interval(
    table: ContingencyTable, ci: Estimate | None, chance: float, best: float
) -> tuple[str, int]:
    """Explain an interval to a newcomer, and choose the number of digits of the score."""
    if ci is None or math.isnan(ci.confidence_interval[0]):
        return "", 3
    low, high = ci.confidence_interval
    digits = 2 if high - low >= WIDE else 3
    text = f"{ci.confidence_level:.0%} interval {ends(ci, digits, chance)}"
    if digits == 2:
        totals = np.where(table.reference_totals > 0, table.reference_totals, np.inf)
        rarest = int(np.argmin(totals))
        n, label = int(totals[rarest]), shown(table.labels[rarest])
        if n < min(RARE, 0.8 * totals[np.isfinite(totals)].mean()):
            text += f"; only {samples(n)} {'is' if n == 1 else 'are'} {label}"
    if high <= ci.value < best:
        text += "; the score is its upper end, as chance adds to it with so few samples a class"
    return text, digits


def verdict(report: Report, judged: Estimate | None) -> str:
    """Explain the score in a sentence without its number, which is shown next to it.

    The sentence is empty if a picture or a number next to it says the same.
    """
    score = score_with_average(METRIC, report.average if INFORMEDNESS.name == METRIC else "default")
    value, table = report.scores[METRIC], report.table
    said = verdict_on(table, score, value, judged, report.guessing_p_value)
    caution = score.caution(table, value)
    parts = [said.values["phrase"], caution if isinstance(score, EntropicScore) else ""]
    return sentence("; ".join(filter(None, parts)))


# What can be copied


def commonest_of(table: ContingencyTable) -> str:
    """Find the class with the most references."""
    return shown(table.labels[int(np.argmax(table.reference_totals))])


def beside_guessing(report: Report, constant: Report) -> str:
    """Compare accuracy with predicting the commonest class; name the out-of-class share."""
    text = f"accuracy {percent(report['accuracy'])}, always {commonest_of(report.table)} "
    text += percent(constant["accuracy"])
    share = out_of_class_share(report.table)
    return f"{text}; {share_text(share)} of the predictions are out of class" if share else text


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
        "Citation": f"{to_copy}. {CITATION}",
    }


# The score of one table


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
    with collected() as notes:
        warn_of_table(table)
    with collected() as others:  # the verdict repeats those about the score as a share
        constant = Report.from_table(constant_predictions(table), average=average)
        best = score.best_level(table)
        report = Report.from_table(table, None if table.is_weighted else level, average=average)
        averages = report.averages if INFORMEDNESS.name == METRIC else {}
    ci = report.estimates.get(METRIC)
    with collected() as of_interval:  # nobody asked for intervals of the other scores
        warn_of([ci] if ci else [])
    undefined = (note for note in others if isinstance(note, UndefinedMetricWarning))
    notes = [*warned, *notes, *undefined, *of_interval]
    signature = ci.signature if ci else score.signature(table)
    if ci and math.isnan(ci.standard_error):  # the score is undefined
        ci = None

    several = bool(np.count_nonzero(table.reference_totals) > 1)
    value, chance = report.scores[METRIC], constant.scores[METRIC]
    interval_words, digits = explain_interval(table, ci, chance, best)
    score_text = "undefined" if score.undefined(table) else with_minus(rounded(value, digits))
    size = f"weights that sum to {table.total:.6g}"
    size = size if table.is_weighted else samples(int(table.total))
    by_average = by_default = ""
    if average != "default":
        by_average = f" by {average}"
        by_default = rounded(averages["bias"], digits) if averages else ""
    titled_score = f"{score.title}{by_average} {score_text}"
    numbers = filter(None, [titled_score, interval_words.partition(";")[0], size])
    to_copy = f"{', '.join(numbers)}; {beside_guessing(report, constant)}"
    if several and table.is_weighted:
        interval_words = "has no interval: these are weights, not counts of samples"

    is_entropic = isinstance(score, EntropicScore)
    said = {str(note): message_of(note) for note in notes}.values()
    worded = of_matrix if is_grid or story else sentence
    drawn_fields = [field(table, average, level), field(constant.table, average)]
    doubts = [note_of(one, worded) for one in said if one.code == MAY_BE_COUNTS]
    warnings = [one for one in said if one.code != MAY_BE_COUNTS] if several else []
    interval = interval_words.partition(";")[0]
    row = [score.title, score_text, f"[{ends(ci, digits).replace(' to ', ', ')}]" if ci else ""]
    row += [f"{report['accuracy']:.1%}", size]
    return draw_result(
        "story",
        "details",
        several=several,
        commonest=commonest_of(table),
        report=report,
        constant=constant,
        fields=drawn_fields,
        picture=f"{titled_score}, {interval}" if interval else titled_score,
        bits=bits_of(table) if several and is_entropic else None,
        score=score_text,
        by_average=by_average,
        by_default=by_default,
        interval_words=interval_words,
        verdict=verdict(report, ci) if several else "",
        scale=score_scale(score, value, chance, best, ci, digits) if several else None,
        story=story,
        doubts=doubts,
        warnings=[note_of(one, worded) for one in warnings],
        link=link_of(table, **settings, axes=axes),
        forms=forms_of(to_copy, row, report, [*said]),
        averages=averages,
        size=size,
        is_grid=is_grid,
        map=heat_map(table, report.per_class),
        bars=class_bars(report.per_class),
        ci=ci,
        triangle=triangle_of(table) if is_entropic else None,
        signature=signature,
        code=code_of(table, **settings),
    )


# A comparison


def draw_comparison(
    answers: Answers,
    tables: Mapping[str, ContingencyTable],
    comparison: Comparison | None,
    warned: Iterable[Warning],
    **settings: Any,
) -> tuple[str, str]:
    """Draw the story of two models on the same samples, and its details.

    `tables` are counted from the answers, and `warned` are the warnings issued then. `settings`
    are the average and the level.
    """
    with collected():  # nobody asked about the other scores
        reports = {name: Report.from_table(table) for name, table in tables.items()}
        verdicts = {name: verdict(report, None) for name, report in reports.items() if comparison}
        first = next(iter(tables.values()))
        constant = Report.from_table(constant_predictions(first)).scores
        best = score_named(METRIC).best_level(first)
    a, b = (report.scores for report in reports.values())
    notes = list(dict.fromkeys(map(message_of, [*answers.notes, *warned])))
    of_both = f"A {rounded(a[METRIC], 3)}, B {rounded(b[METRIC], 3)}"
    to_copy = f"{NAMES[METRIC]}: {of_both}; {comparison.summary if comparison else ''}"
    row = [NAMES[METRIC], *(with_minus(rounded(scores[METRIC], 3)) for scores in (a, b))]
    row += [with_minus(f"{comparison.difference:+.3f}"), ends(comparison)] if comparison else []
    return draw_result(
        "comparison",
        "compared",
        comparison=comparison,
        accuracies={"A": a["accuracy"], "B": b["accuracy"]},
        commonest=commonest_of(first),
        constant=constant,
        drawn=comparison_scales(comparison, constant[METRIC], best) if comparison else None,
        warnings=[note_of(one, sentence) for one in notes] if comparison else [],
        link=link_of_models(answers, **settings),
        forms=forms_of(to_copy, row, comparison, notes) if comparison else {},
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={x: heat_map(table, reports[x].per_class) for x, table in tables.items()},
        verdicts=verdicts,
        code=code_of_models(answers, **settings),
    )
