"""Show a table on the page: the story of its score, and below it the details.

Numbers come from the helpers; only positions on the page are computed here and in the files of the
drawings. The HTML comes from `templates/`, which escape everything put into them: nothing here is
marked as safe.
"""

import json
import math
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from limits import MEANT, METRIC, WORDS
from links import code_of, code_of_models, link_of, link_of_models
from matrices import class_bars, heat_map
from scales import bits_of, comparison_scales, field, score_scale

from informedness import ContingencyTable
from informedness.core.labels import WARNING_PREFIX
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate, estimate
from informedness.results.report import Report
from informedness.results.sentences import (
    MANY_OUTSIDE,
    answering,
    best_of,
    outside_share,
    share_text,
    summary_of,
)
from informedness.statistics.class_scores import INFORMEDNESS
from informedness.statistics.entropy import EntropicScore, triangle_of
from informedness.statistics.registry import REPORTED, averaged_score, score_named
from informedness.statistics.score import ScoreWithInterval
from informedness.tables.doubts import warn_of_table
from informedness.text.render import amount, digits_for, p_text, rounded, samples, shown
from informedness.warnings import IntervalWarning, UndefinedMetricWarning, collected

NAMES = {name: score_named(name).title for name in REPORTED}
WIDE = 0.1  # intervals from this width on are shown with two digits, and may be explained
MAY_BE_COUNTS = "as `counts`"  # in a warning that comes above the number
RARE = 100  # samples, below which a class that is rarer than others explains it


# Words


# The controls that do what messages of the package say of arguments; nothing if there are none
_CONTROLS = {**{f"{x}=True": f'"{y}" under Options' for x, y in MEANT.items()}, **WORDS["controls"]}


def plain(note: Warning) -> str:
    """Return what a warning says."""
    return str(note).removeprefix(WARNING_PREFIX)


def worded(text: str, arguments: Collection[str]) -> str:
    """Return a message without those of its parts that name other arguments than these."""
    text = text.replace("`y_true`", "`references`").replace("`y_pred_", "`predictions_")
    first, *others = re.split(r"(?=; | \()", text)
    named = ({*re.findall(r"\w+(?==)|(?<=`)\w+(?=`)", part)} for part in others)
    kept = (part for part, names in zip(others, named, strict=True) if names <= {*arguments})
    return "".join([first, *kept])


def sentence(text: str) -> str:
    """Return a message of the package as a sentence for the page."""
    for said, shown_as in _CONTROLS.items():
        text = text.replace(said, shown_as)
    text = text.replace("`", "")
    return f"{text[:1].upper()}{text[1:]}{'' if text.endswith(('.', '?')) else '.'}"


def percent(share: float) -> str:
    """Return a share in percent; not 0% or 100% if it is not exactly that."""
    rounded_share = f"{share:.0%}"
    if rounded_share in ("0%", "100%") and share not in (0, 1):
        return "over 99%" if share > 0.5 else "under 1%"
    return rounded_share


def ends(made: Estimate | Comparison, digits: int = 3, chance: float = math.nan) -> str:
    """Return the ends of an interval, with more digits for one that only looks like chance."""
    said = []
    for end in made.confidence_interval:
        n = digits_for((end, end), digits)
        while rounded(end, n) == rounded(chance, n) and abs(end - chance) > 1e-6:
            n += 1
        said.append(rounded(end, n))
    return " to ".join(said)


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
    "bits": "{:.3f} bits".format,
    "ends": ends,
    "number": partial(rounded, digits=3),
    "p_value": p_text,
    "percent": percent,
    "place": "{:.1f}".format,
    "sentence": sentence,
    "shown": shown,
}


def draw(template: str, **values: Any) -> str:
    """Return the HTML of a template."""
    return TEMPLATES.get_template(f"{template}.html").render(**values)


def reach_of(
    table: ContingencyTable, made: Estimate | None, chance: float, best: float
) -> tuple[str, int]:
    """Return what an interval says to a newcomer, and with how many digits to show the score."""
    if made is None or math.isnan(made.confidence_interval[0]):
        return "", 3
    low, high = made.confidence_interval
    digits = 2 if high - low >= WIDE else 3
    said = f"{made.confidence_level:.0%} interval {ends(made, digits, chance)}"
    if digits == 2:
        totals = np.where(table.reference_totals > 0, table.reference_totals, np.inf)
        rarest = int(np.argmin(totals))
        n, label = int(totals[rarest]), shown(table.labels[rarest])
        if n < min(RARE, 0.8 * totals[np.isfinite(totals)].mean()):
            said += f"; only {samples(n)} {'is' if n == 1 else 'are'} {label}"
    if high <= made.value < best:
        said += "; the score is its upper end, as chance adds to it with so few samples a class"
    return said, digits


def verdict(report: Report, judged: Estimate | None) -> str:
    """Return what the score means, without its number, which stands beside it.

    Where a picture or a number beside it says so too, the sentence is empty.
    """
    score = averaged_score(METRIC, report.average if INFORMEDNESS.name == METRIC else "default")
    value, table = report.scores[METRIC], report.table
    summary = summary_of(table, score, value, None, judged, report.guessing_p_value)
    text, caution, share = summary.verdict, score.caution(table, value), outside_share(table)
    if isinstance(score, EntropicScore):  # of which the package only says what is bad
        if not text and not math.isnan(report.guessing_p_value):
            text = "; ".join(filter(None, ("better than guessing", caution)))
    elif report.scores["accuracy"] < value < 1 and not caution and share <= MANY_OUTSIDE:
        text = ""  # it knows no more than it gets right
    return sentence(text) if text else ""


# What can be copied


def commonest_of(table: ContingencyTable) -> str:
    """Return the class with the most references."""
    return shown(table.labels[int(np.argmax(table.reference_totals))])


def beside_guessing(report: Report, constant: Report) -> str:
    """Return the accuracy beside that of the commonest class, and the share that is no class."""
    said = f"accuracy {percent(report['accuracy'])}, always {commonest_of(report.table)} "
    said += percent(constant["accuracy"])
    share = outside_share(report.table)
    return f"{said}; {share_text(share)} of the answers are no class" if share else said


def forms_of(to_copy: str, result: Report | Comparison) -> dict[str, str]:
    """Return a result as a sentence, as Markdown and as JSON."""
    as_json = json.dumps(result.to_dict(), ensure_ascii=False)
    return {"Sentence": to_copy, "Markdown": result.to_markdown(), "JSON": as_json}


# The score of one table


def draw_score(
    table: ContingencyTable,
    story: str = "",
    taken: str = "",
    warned: Iterable[Warning] = (),
    average: Any = "default",
    level: float = 0.95,
) -> tuple[str, str]:
    """Return the story of one table, and its details.

    `story` explains an example, `taken` says what was read, `warned` are warnings issued then.
    """
    score, how = averaged_score(METRIC, average), {"average": average, "level": level}
    with collected() as notes:
        warn_of_table(table)
    with collected() as others:  # of which those on the score as a share are in its verdict
        constant = Report.from_table(answering(table, "commonest"), average=average)
        best = best_of(table, score)
        report = Report.from_table(table, average=average)
        has_interval = isinstance(score, ScoreWithInterval) and not table.is_weighted
        of_estimate: Any = {"average": average, "confidence_level": level}
        made = estimate(table, metric=METRIC, **of_estimate) if has_interval else None
    of_scores = IntervalWarning, UndefinedMetricWarning
    notes = [*warned, *notes, *(note for note in others if isinstance(note, of_scores))]
    signature = made.signature if made else score.signature(table)
    if made and math.isnan(made.standard_error):  # the score is undefined
        made = None
    several = bool(np.count_nonzero(table.reference_totals) > 1)
    chance = constant.scores[METRIC]
    value, is_entropic = report.scores[METRIC], isinstance(score, EntropicScore)
    reach, digits = reach_of(table, made, chance, best)
    score_text = "undefined" if score.undefined(table) else rounded(value, digits)
    size = f"weights that sum to {table.total:.6g}"
    size = size if table.is_weighted else samples(int(table.total))
    numbers = filter(None, [f"{score.title} {score_text}", reach.partition(";")[0], size])
    to_copy = f"{', '.join(numbers)}; {beside_guessing(report, constant)}"
    if several and table.is_weighted:
        reach = "has no interval: these are weights, not counts of samples"
    with collected():
        of_forms = table, None if table.is_weighted else level
        full = Report.from_table(*of_forms, average=average)
        averages = report.averages if INFORMEDNESS.name == METRIC else {}
        said = verdict(report, made) if several else ""
    link = link_of(table, **how)
    said_of_labels = list(dict.fromkeys(map(plain, notes)))
    if not taken:  # a matrix or a link, which has none of the options of a table
        said_of_labels = [worded(said, ("labels",)) for said in said_of_labels]
    told = draw(
        "story",
        several=several,
        commonest=commonest_of(table),
        report=report,
        constant=constant,
        fields=[field(table, average, level), field(constant.table, average)],
        bits=bits_of(table) if several and is_entropic else None,
        k=table.n_classes,
        score=score_text,
        best=rounded(best, digits),
        reach=reach,
        verdict=said,
        scale=score_scale(score, value, chance, best, made, digits) if several else None,
        story=story,
        taken=taken,
        doubts=[x for x in said_of_labels if MAY_BE_COUNTS in x],
        warnings=[x for x in said_of_labels if several and MAY_BE_COUNTS not in x],
        link=link,
        forms=forms_of(to_copy, full),
    )
    details = draw(
        "details",
        report=report,
        constant=constant,
        averages=averages,
        size=size,
        map=heat_map(table),
        bars=class_bars(report.per_class),
        made=made,
        triangle=triangle_of(table) if is_entropic else None,
        signature=signature,
        link=link,
        code=code_of(table, **how),
    )
    return told, details


# A comparison


def draw_comparison(
    columns: Sequence[Sequence[Any]],
    tables: Mapping[str, ContingencyTable],
    made: Comparison | None,
    warned: Iterable[Warning],
    taken: str = "",
) -> tuple[str, str]:
    """Return the story of two models on the same samples, and its details.

    `columns` are the references and the predictions of each model, `tables` are counted from
    them, `warned` are the warnings issued then, `taken` says what was compared.
    """
    with collected():  # nobody asked about the other scores
        reports = {name: Report.from_table(table) for name, table in tables.items()}
        verdicts = {name: verdict(x, None) for name, x in reports.items() if made}
        first = next(iter(tables.values()))
        constant = Report.from_table(answering(first, "commonest")).scores
    a, b = (report.scores for report in reports.values())
    link, of_both = link_of_models(columns), f"A {rounded(a[METRIC], 3)}, B {rounded(b[METRIC], 3)}"
    told = draw(
        "comparison",
        made=made,
        accuracies={"A": a["accuracy"], "B": b["accuracy"]},
        commonest=commonest_of(first),
        constant=constant,
        drawn=comparison_scales(made, constant[METRIC]) if made else None,
        warnings=list(dict.fromkeys(map(plain, warned))) if made else [],
        taken=taken,
        link=link,
        forms=forms_of(f"{NAMES[METRIC]}: {of_both}; {made}", made) if made else {},
    )
    details = draw(
        "compared",
        made=made,
        columns=[("A", a), ("B", b), ("B \u2212 A", {name: b[name] - a[name] for name in a})],
        maps={name: heat_map(table) for name, table in tables.items()},
        verdicts=verdicts,
        link=link,
        code=code_of_models(columns),
    )
    return told, details
