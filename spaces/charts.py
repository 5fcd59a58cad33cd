"""What the app shows of a table: scores, warnings and drawings that follow the reader's theme.

Numbers come from the helpers; only positions on the page are computed here. Each drawing is HTML
or SVG in which all that came from a person has passed through `as_text` or `html.escape`.
"""

import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from html import escape
from typing import Any, NamedTuple

import numpy as np

from informedness import Comparison, ContingencyTable, Estimate, Report, estimate
from informedness.core.labels import WARNING_PREFIX, InformednessWarning, Label
from informedness.core.scores import signature_of
from informedness.scores.entropic import EntropyTriangle, triangle_of
from informedness.scores.registry import REPORTED, score_named

NAMES = {name: score_named(name).title for name in REPORTED}
MOST_CLASSES = 20  # drawn; larger tables show their commonest classes
MOST_DRAWN = 2_000_000  # random numbers of one interval, which take some 0.1 s

# The hues are those of Okabe and Ito (2008), told apart with any colour vision; on a white page
# they are darkened to a contrast of 3:1. Curves also differ in their dashes.
_LINES = {
    "accuracy": ("#b86e00", "#e69f00", ""),
    "balanced_accuracy": ("#2a8cc7", "#56b4e9", "7 3"),
    "f1_macro": ("#00815e", "#00b886", "2 3"),
    "cohen_kappa": ("#c44f00", "#ff7f2a", "9 3 2 3"),
    "matthews_corrcoef": ("#0072b2", "#4aa3df", "4 4"),
    "informedness": ("#a8477f", "#dd8fbb", "12 3"),
    "nit": ("#6b6b6b", "#a8a8a8", "1 4"),
    "ema": ("#7a6a00", "#f0e442", "6 2 1 2"),
}

CSS = """
.viz { --right: #56b4e9; --wrong: #e69f00; --strong: #0072b2; --weak: #b86e00; --faint: #8886; }
.dark .viz { --right: #0072b2; --wrong: #9c5a00; --strong: #56b4e9; --weak: #e69f00; }
.viz { display: grid; gap: 1.2rem; color: var(--body-text-color); line-height: 1.45; }
.viz > *, .viz .pair > * { min-width: 0; }
.viz .pair { display: grid; gap: 1.2rem 2rem;
  grid-template-columns: repeat(auto-fit, minmax(min(100%, 240px), 1fr)); }
.viz h1, .viz h2, .viz h3 { font-weight: 600; margin: 0; } .viz h1 { font-size: 1.7rem; }
.viz h2 { font-size: 1.05rem; }
.viz h3, .viz caption { font-size: 1rem; font-weight: 600; text-align: left; margin-bottom: .4rem; }
.viz p { margin: .2rem 0; overflow-wrap: anywhere; }
.viz .big { font-size: 3.2rem; font-weight: 700; line-height: 1.1;
  font-variant-numeric: tabular-nums; }
.viz .say { font-size: 1.1rem; } .viz .small { font-size: .88rem; opacity: .85; }
.viz .note { border-inline-start: 4px solid var(--weak); padding-inline-start: .7rem; }
.viz svg { display: block; width: 100%; height: auto; max-width: 560px; font-family: inherit; }
.viz svg text { fill: currentColor; font-size: 13px; }
@media (max-width: 640px) {
  .viz svg text { font-size: 17px; }
  .tab-container button { padding-inline: .5rem; }
}
.viz a { text-decoration: underline; }
.viz code { font-size: .95em; user-select: all; }
.viz .wide { overflow-x: auto; } .viz td { white-space: nowrap; }
.viz table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
.viz th, .viz td { padding: .25rem .55rem; text-align: right; }
.viz th { font-weight: 500; } .viz thead th { border-bottom: 1px solid var(--faint); }
.viz tbody th, .viz th:first-child { text-align: left; }
.viz tr.own { font-weight: 700; } .viz tr.own th { font-weight: 700; }
.viz .label { display: inline-block; max-width: 9rem; overflow: hidden; text-overflow: ellipsis;
  white-space: nowrap; vertical-align: bottom; }
.viz .heat td { min-width: 3.6rem; border: 1px solid var(--background-fill-primary);
  text-align: center; }
.viz .heat td.hit { outline: 2px solid var(--strong); outline-offset: -2px; }
.viz .heat td small { display: block; opacity: .9; }
.viz .bars { width: 100%; } .viz .bars td.bar { width: 60%; padding-inline: 0; }
.viz .bar div { position: relative; height: 1rem; background: var(--faint); }
.viz .bar i { position: absolute; inset-block: 0; background: var(--strong); }
.viz .bar i.minus { background: var(--weak); }
.viz .bar b { position: absolute; inset-block: -2px; width: 2px; background: currentColor; }
"""
CSS += "".join(
    f".viz .line-{name} {{ stroke: {light}; }} .dark .viz .line-{name} {{ stroke: {dark}; }}\n"
    for name, (light, dark, _) in _LINES.items()
)


# `warnings.catch_warnings` changes the whole process, and requests run in threads of one process:
# this hook gives each warning of the helpers to the request that caused it.
_notes: ContextVar[list[str] | None] = ContextVar("notes", default=None)
_show_other = warnings.showwarning


def take_note(message: Warning | str, category: type[Warning], *place: Any, **more: Any) -> None:
    """Add a warning to the notes of its request; takes the place of `warnings.showwarning`."""
    notes = _notes.get()
    if notes is None or not issubclass(category, InformednessWarning):
        _show_other(message, category, *place, **more)
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


class Scale(NamedTuple):
    """Where a score can lie on these references."""

    low: float
    high: float
    chance: float
    best: float


def resamples_for(size: int, most: int) -> int:
    """Return how many resamples of `size` numbers each draw no more than `most`; 0 if too few."""
    return next((n for n in (9999, 999, 199) if n * size <= most), 0)


def estimated(table: ContingencyTable, own: str) -> Estimate | None:
    """Return the score with an interval, by the closed method where resamples would take long.

    None for sums of weights, for nobody knows how many samples they are of.
    """
    if table.is_weighted and table.squared_weights is None:
        return None
    resamples = resamples_for(len(table.counts) + 4 * len(table.labels), MOST_DRAWN)
    if own == "nit" or resamples < 999:
        return estimate(table, own, method="delta")
    return estimate(table, own, n_resamples=resamples)


def number(value: float, digits: int = 3) -> str:
    """Return a number as the page shows it."""
    return "undefined" if math.isnan(value) else f"{round(value, digits) + 0.0:.{digits}f}"


def p_text(value: float) -> str:
    """Return a p-value as the page shows it."""
    return "p < 0.001" if value < 0.001 else f"p = {value:.3f}"


def range_text(made: Estimate | Comparison) -> str:
    """Return an interval as the page shows it."""
    low, high = map(number, made.confidence_interval)
    return f"{made.confidence_level:.0%} interval {low} to {high}"


def as_text(label: Label | None) -> str:
    """Return a label as HTML that shows it and does nothing.

    What would not show, or would turn the text around it, stands as its Python literal.
    """
    text = "(outside the labels)" if label is None else str(label)
    text = text if text.isprintable() and text == text.strip() and text else ascii(text)
    return f'<bdi class="label" title="{escape(text)}">{escape(text)}</bdi>'


def _figure(content: str, view_box: str, description: str) -> str:
    return (
        f'<svg viewBox="{view_box}" role="img" aria-label="{escape(description)}">'
        f"<title>{escape(description)}</title>{content}</svg>"
    )


def _text(x: float, y: float, words: str, anchor: str = "middle") -> str:
    """Return words (already HTML) in an SVG."""
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{words}</text>'


def scale_line(name: str, value: float, scale: Scale, made: Estimate | None = None) -> str:
    """Return a score on a line from its lowest to its highest value, with chance and best.

    Its interval is a band around it.
    """

    def place(score: float) -> float:
        return 34 + 332 * (score - scale.low) / (scale.high - scale.low)

    def tick(score: float, word: str, y: float) -> str:
        x = place(score)
        end = "start" if x < 70 else "end" if x > 330 else "middle"
        return f'<path d="M{x:.1f} 22V50" stroke="currentColor" stroke-width="2"/>' + _text(
            x, y, f"{word} {score:.3g}", end
        )

    start, end = sorted((place(scale.chance), place(value)))
    colour = "var(--strong)" if value >= scale.chance else "var(--weak)"
    band, beside = "", ""
    if made:
        left, right = map(place, made.confidence_interval)
        band = (
            f'<rect x="{left:.1f}" y="26" width="{right - left:.1f}" height="20" fill="{colour}" '
            f'fill-opacity=".3" stroke="{colour}"/>'
        )
        beside = f", {range_text(made)},"
    content = (
        '<path d="M34 36H366" stroke="var(--faint)" stroke-width="8"/>'
        f'{band}<path d="M{start:.1f} 36H{end:.1f}" stroke="{colour}" stroke-width="8"/>'
        + tick(scale.chance, "chance", 65)
        + tick(scale.best, "best", 16)
        + f'<circle cx="{place(value):.1f}" cy="36" r="9" fill="{colour}" '
        'stroke="var(--background-fill-primary)" stroke-width="2"/>'
        + _text(28, 41, f"{scale.low:g}", "end")
        + _text(372, 41, f"{scale.high:g}", "start")
    )
    words = (
        f"{name} {number(value)}{beside} on a scale from {scale.low:g} to {scale.high:g}: "
        f"chance is {scale.chance:.3g}, the best possible here is {scale.best:.3g}"
    )
    return _figure(content, "0 0 400 72", words)


def score_rows(
    columns: Mapping[str, Mapping[str, float]], own: str, caption: str, digits: int = 3
) -> str:
    """Return a table of scores: one row a score, one column for each mapping, by its heading.

    The headings are HTML; the row of the score `own` stands out.
    """
    head = "".join(f'<th scope="col">{heading}</th>' for heading in columns)
    rows = "".join(
        f'<tr{" class=own" if key == own else ""}><th scope="row">{name}</th>'
        + "".join(f"<td>{number(scores[key], digits)}</td>" for scores in columns.values())
        + "</tr>"
        for key, name in NAMES.items()
    )
    return (
        f'<div class="wide"><table><caption>{caption}</caption><thead><tr><th scope="col">Score'
        f"</th>{head}</tr></thead><tbody>{rows}</tbody></table></div>"
    )


def _drawn_classes(table: ContingencyTable) -> tuple[list[int], str]:
    """Return the positions of the classes to draw, and what to say of those left out."""
    both = (table.reference_totals + table.prediction_totals).tolist()
    k = len(both)
    if k <= MOST_CLASSES:
        return list(range(k)), ""
    largest = sorted(sorted(range(k), key=lambda i: -both[i])[:MOST_CLASSES])
    return largest, f'<p class="small">The {MOST_CLASSES} commonest of {k} classes.</p>'


def _amount(count: float) -> str:
    return f"{count:,d}" if isinstance(count, int) else f"{count:.4g}"


def heat_map(table: ContingencyTable, heading: str) -> str:
    """Return the contingency table with counts and row shares, coloured by the share."""
    codes, left_out = _drawn_classes(table)
    place = {code: position for position, code in enumerate(codes)}
    counts: list[list[float]] = [[0] * len(codes) for _ in codes]
    cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
    for i, j, count in cells:
        if i in place and j in place:
            counts[place[i]][place[j]] = count
    totals = table.reference_totals.tolist()
    names = [as_text(table.labels[code]) for code in codes]
    rows = ""
    for i, code in enumerate(codes):
        rows += f'<tr><th scope="row">{names[i]}</th>'
        for j, count in enumerate(counts[i]):
            share = count / totals[code] if totals[code] else 0.0
            hue, hit = ("--right", " class=hit") if i == j else ("--wrong", "")
            rows += (
                f'<td{hit} style="background: color-mix(in srgb, var({hue}) {85 * share:.0f}%, '
                f'transparent)">{_amount(count)}<small>{share:.0%}</small></td>'
            )
        rows += "</tr>"
    head = "".join(f'<th scope="col">{name}</th>' for name in names)
    return (
        f"<div><h3>{heading}: rows are references, columns are predictions</h3>"
        f'<div class="wide" tabindex="0" role="region" aria-label="{heading}">'
        f'<table class="heat"><thead><tr><th scope="col">reference</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
        f'<p class="small">Below each number its share of the row. Right answers, on the diagonal, '
        f"are blue; wrong ones are orange.</p>{left_out}</div>"
    )


def class_bars(table: ContingencyTable, values: Sequence[float], heading: str, signed: bool) -> str:
    """Return a bar for each class, from the middle where the values can be negative."""
    codes, left_out = _drawn_classes(table)
    numbers = [0.0 if math.isnan(values[code]) else values[code] for code in codes]
    span = 1.0 if signed else max([*numbers, 1e-9])
    zero = 50.0 if signed else 0.0
    rows = ""
    for code, value in zip(codes, numbers, strict=True):
        width = abs(value) / span * (100 - zero)
        start = zero - width if value < 0 else zero
        minus = " class=minus" if value < 0 else ""
        rows += (
            f'<tr><th scope="row">{as_text(table.labels[code])}</th>'
            f'<td class="bar" aria-hidden="true"><div><i{minus} style="left: {start:.1f}%; '
            f'width: {width:.1f}%"></i><b style="left: {zero:.0f}%"></b></div></td>'
            f"<td>{number(values[code])}</td></tr>"
        )
    return f'<div><table class="bars"><caption>{heading}</caption>{rows}</table>{left_out}</div>'


def triangle(point: EntropyTriangle) -> str:
    """Return the entropy triangle with one point: information passed on, lost, or never there."""
    if math.isnan(point.vi):
        return ""
    corners = {"delta_h": (290.0, 226.0), "two_mi": (170.0, 28.0), "vi": (50.0, 226.0)}
    shares = point._asdict()
    x = sum(shares[name] * corner[0] for name, corner in corners.items())
    y = sum(shares[name] * corner[1] for name, corner in corners.items())
    grid = "".join(
        f"M{50 + 120 * t:.0f} {226 - 198 * t:.0f}L{290 - 120 * t:.0f} {226 - 198 * t:.0f}"
        f"M{50 + 240 * t:.0f} 226L{170 + 120 * t:.0f} {28 + 198 * t:.0f}"
        f"M{50 + 240 * t:.0f} 226L{50 + 120 * t:.0f} {226 - 198 * t:.0f}"
        for t in (0.25, 0.5, 0.75)
    )
    content = (
        f'<path d="{grid}" stroke="var(--faint)"/>'
        '<path d="M50 226L290 226L170 28Z" fill="none" stroke="currentColor" stroke-width="1.5"/>'
        f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="var(--strong)" '
        'stroke="var(--background-fill-primary)" stroke-width="2"/>'
        + _text(170, 18, "perfect, classes balanced")
        + _text(4, 246, "random answers", "start")
        + _text(336, 246, "one class only", "end")
    )
    numbers = {name: number(share) for name, share in shares.items()}
    words = (
        f"Entropy triangle: share passed on {numbers['two_mi']}, share lost {numbers['vi']}, "
        f"share missing because the classes are uneven {numbers['delta_h']}"
    )
    return (
        '<div style="max-width: 24rem"><h3>Entropy triangle</h3>'
        + _figure(content, "0 0 340 254", words)
        + f'<p class="small">Passed on (2MI&prime;) {numbers["two_mi"]}, lost (VI&prime;) '
        f"{numbers['vi']}, missing because classes are uneven (&Delta;H&prime;) "
        f"{numbers['delta_h']}.</p></div>"
    )


def curves(
    abilities: Sequence[float],
    series: Mapping[str, Sequence[float]],
    ability: float,
    scores: Mapping[str, float],
    own: str,
) -> str:
    """Return each score over ability, the points of one ability, and a legend with its numbers."""
    lowest = min(*(value for values in series.values() for value in values), 0.0)

    def place(x: float, y: float) -> tuple[float, float]:
        return 38 + 370 * x, 10 + 240 * (1 - y) / (1 - lowest)

    def style(name: str) -> str:
        width = 4.5 if name == own else 2
        dashes = "" if name == own else _LINES[name][2]
        return f'class="line-{name}" fill="none" stroke-width="{width}" stroke-dasharray="{dashes}"'

    bottom = place(0, lowest)[1]
    content = f'<path d="M38 10V{bottom:.0f}H408" fill="none" stroke="currentColor"/>'
    for share in (0.0, 0.25, 0.5, 0.75, 1.0):
        x, y = place(share, share)
        content += f'<path d="M38 {y:.1f}H408" stroke="var(--faint)" stroke-width=".7"/>'
        content += _text(32, y + 4, f"{share:g}", "end") + _text(x, bottom + 17, f"{share:g}")
    content += _text(223, bottom + 35, "ability: share of answers known")
    for name in sorted(series, key=lambda name: name == own):  # the page's own score on top
        points = (place(*point) for point in zip(abilities, series[name], strict=True))
        content += f'<path d="M{"L".join(f"{x:.1f} {y:.1f}" for x, y in points)}" {style(name)}/>'
    x = place(ability, 0)[0]
    content += f'<path d="M{x:.1f} 10V{bottom:.0f}" stroke="currentColor" stroke-dasharray="3 3"/>'
    for name, score in scores.items():
        mark = ' id="point"' if name == own else ""
        content += (
            f'<circle{mark} cx="{x:.1f}" cy="{place(0, score)[1]:.1f}" '
            f'r="{7 if name == own else 4}" class="line-{name}" '
            'fill="var(--background-fill-primary)" stroke-width="3"/>'
        )
    listed = ", ".join(f"{NAMES[name]} {number(score)}" for name, score in scores.items())
    legend = "".join(
        f'<tr{" class=own" if name == own else ""}><td aria-hidden="true"><svg viewBox="0 0 44 8" '
        f'style="width: 44px"><path d="M2 4H42" {style(name)}/></svg></td>'
        f'<th scope="row">{NAMES[name]}</th><td>{number(score)}</td></tr>'
        for name, score in scores.items()
    )
    words = f"Scores over ability. At ability {ability:.2f}: {listed}"
    return (
        '<div class="pair">'
        + _figure(content, f"0 0 420 {bottom + 42:.0f}", words)
        + f"<div><table><caption>At ability {ability:.2f}</caption>{legend}</table>"
        '<p class="small">Curves that agree lie on each other.</p></div></div>'
    )


def class_information(table: ContingencyTable) -> list[float]:
    """Return what each class of the references adds to the mutual information, in bits."""
    row_shares = table.counts / table.reference_totals[table.rows]
    gains = np.log2(row_shares * table.total / table.prediction_totals[table.columns])
    parts = np.bincount(
        table.rows, weights=gains * table.counts / table.total, minlength=len(table.labels)
    )
    return [max(part, 0.0) for part in parts.tolist()]


def answering(table: ContingencyTable, wanted: str) -> ContingencyTable:
    """Return the table of the same references, all answered right or by the "commonest" class."""
    totals = table.reference_totals
    keep = np.flatnonzero(totals).tolist()
    references = [table.labels[code] for code in keep]
    commonest = table.labels[int(np.argmax(totals))]
    predictions = references if wanted == "right" else [commonest] * len(references)
    labels = [x for x in table.labels if x is not None] if table.declared else None
    return ContingencyTable.from_counts(references, predictions, totals[keep], labels=labels)


def draw_score(table: ContingencyTable, own: str, link: str, story: str = "") -> str:
    """Return the result of one table: the score `own` first and large, then all the rest.

    `link` is the query that carries the table, or a sentence saying why there is none.
    """
    with noting():  # of these two tables nobody asked
        constant = Report.from_table(answering(table, "commonest"))
        perfect = Report.from_table(answering(table, "right"))
    with noting() as notes:
        report = Report.from_table(table)
        made = estimated(table, own)
    name, value = NAMES[own], report.scores[own]
    parts = [f'<p class="note">{escape(story)}</p>'] if story else []
    parts.append(f'<h2>{name}</h2><div class="big" id="score">{number(value)}</div>')
    line = made.signature if made else signature_of(score_named(own), table)
    if made is None:
        parts.append("<p>No interval: these are weights, not counts of samples.</p>")
    elif math.isnan(made.standard_error):  # the score is undefined
        made = None
    else:
        parts.append(
            f'<p id="interval">&plusmn; {number(made.standard_error)} (standard error), '
            f"{range_text(made)}</p>"
        )
    if (table.reference_totals > 0).sum() > 1:
        chance, best = constant.scores[own], perfect.scores[own]
        low = score_named(own).lowest
        parts.append(scale_line(name, value, Scale(low, 1.0, chance, best), made))
        if own == "nit":
            said = f"Chance is {chance:.2f} here, and a perfect classifier scores {best:.2f}."
            parts.append(f"<p>{said}</p>")
    if made and made.independence_p_value is not None:
        parts.append(
            f'<p id="g-test">G test against chance: {escape(p_text(made.independence_p_value))}. '
            "That is how often a guesser would pass on as much information.</p>"
        )
    if own == "informedness" and len(table.labels) > 2:
        with noting():
            others = {
                "prevalence": table.informedness(average="prevalence"),
                "macro": table.informedness(average="macro"),
            }
        listed = " and ".join(f"{average} {number(x)}" for average, x in others.items())
        parts.append(f"<p>Averaged by bias; other averages: {listed}.</p>")
    parts.append(f'<p class="say" role="status">{escape(report.sentence)}</p>')
    parts += [f'<p class="note">{escape(note)}</p>' for note in notes]
    commonest = as_text(table.labels[int(np.argmax(table.reference_totals))])
    columns = {"here": report.scores, f"always {commonest}": constant.scores}
    scores = score_rows(columns, own, "Beside other scores")
    size = f"{table.total:,d}" if isinstance(table.total, int) else f"{table.total:.6g}"
    parts.append(f'<div class="pair">{scores}{heat_map(table, f"{size} samples")}</div>')
    parts.append(f'<div class="pair">{_class_chart(table, own)}</div>')
    if link.startswith("?"):
        start = f'<a href="{escape(link)}" target="_blank" rel="noopener" id="link">'
        link = f"{start}Link to this result</a>, which carries the counts"
    parts.append(
        f'<div class="small"><p>Signature: <code id="signature">{escape(line)}</code></p>'
        f"<p>{link}.</p></div>"
    )
    return f'<div class="viz">{"".join(parts)}</div>'


def _class_chart(table: ContingencyTable, own: str) -> str:
    """Return the bars of the classes; for NIT also the entropy triangle."""
    if own == "nit":
        bits = class_information(table)
        heading = f"What each class adds to the information: {sum(bits):.3f} bits"
        bars = class_bars(table, bits, heading, signed=False)
        return bars + triangle(triangle_of(table))
    with noting():
        gains = table.informedness(average=None, zero_division=float("nan"))
    return class_bars(table, gains, "TPR &minus; FPR of each class", signed=True)


def draw_simulation(
    table: ContingencyTable,
    own: str,
    ability: float,
    abilities: Sequence[float],
    series: Mapping[str, Sequence[float]],
) -> str:
    """Return the scores of a simulated classifier among those of every other ability."""
    report = Report.from_table(table)
    drawn = curves(abilities, series, ability, report.scores, own)
    return (
        f'<div class="viz"><p class="say">{escape(report.sentence)}</p>{drawn}'
        f"{heat_map(table, 'Expected shares')}</div>"
    )


def paired_rows(made: Comparison) -> str:
    """Return the table of what a comparison on the same samples found."""
    exact = made.test == "exact"
    rows = {
        "B &minus; A": f"{made.difference:+.3f} &plusmn; {number(made.standard_error)}",
        f"{made.confidence_level:.0%} interval": range_text(made).partition("interval ")[2],
        "p-value": escape(p_text(made.p_value).removeprefix("p = ").removeprefix("p ")),
        "Test": "permutation, exact" if exact else f"{made.n_resamples:,d} permutations",
        "Gained: B right, A wrong": f"{made.gained:,d}",
        "Lost: A right, B wrong": f"{made.lost:,d}",
        "Different answers": f"{made.n_different:,d} of {made.n_samples:,d}",
    }
    body = "".join(
        f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in rows.items()
    )
    return (
        f'<div><div class="wide"><table id="paired"><caption>{NAMES[made.metric]} on the same '
        f"samples</caption><tbody>{body}</tbody></table></div>"
        '<p class="small">p is how often a difference this large would come about if A and B '
        "exchanged their answers to each sample at random.</p></div>"
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
    columns = {"A": a, "B": b, "B &minus; A": {name: b[name] - a[name] for name in a}}
    said = "".join(
        f"<p><b>{name}</b>: {escape(report.sentence)}</p>" for name, report in reports.items()
    )
    maps = "".join(heat_map(table, f"Predictions {name}") for name, table in tables.items())
    said += "".join(
        f'<p class="note">{escape(note)}</p>' for note in dict.fromkeys([*warned, *notes])
    )
    verdict = found = line = ""
    if made:
        verdict = f'<p class="say" id="verdict">{escape(str(made))}</p>'
        found = paired_rows(made)
        line = (
            '<p class="small">Signature: <code id="paired-signature">'
            f"{escape(made.signature)}</code></p>"
        )
    return (
        f'<div class="viz"><div role="status">{verdict}{said}</div>'
        f'<div class="pair">{found}{score_rows(columns, own, "Side by side")}</div>'
        f'<div class="pair">{maps}</div>{line}</div>'
    )
