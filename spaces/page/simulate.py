"""Simulate: a classifier that knows some of the answers and guesses the rest.

Its scores are exact. Only the draws that somebody asks for are random.
"""

import functools
import re
from collections.abc import Sequence
from typing import Any

import charts
import gradio as gr
import numpy as np
from asking import ask, grey, html, refusal_below
from curves import curves
from limits import MAX_SIMULATED, METRIC, SMALLEST_SHARE, Refusal
from matrices import heat_map
from scales import draws_scale
from squares import field

from informedness import ContingencyTable
from informedness.results.report import Report
from informedness.statistics.registry import REPORTED, score_named

ABILITIES = [step / 40 for step in range(41)]
SHARES = [0.01, *(step / 40 for step in range(1, 40)), 0.99]
START = (0.4, "90, 10", False)
AT_FIRST = ("accuracy", "f1_macro", "informedness", "nit")  # the curves, beside that of the page
DRAWS = 10


# The model


def expected_table(shares: Any, ability: float) -> ContingencyTable:
    """Return the expected table of a classifier that knows the answer with probability `ability`.

    Otherwise it draws a class in proportion to the class shares pi:
    p_ij = pi_i (ability [i = j] + (1 - ability) pi_j). Exact, with no random number.
    """
    pi = _scaled(shares)
    if not 2 <= len(pi) <= MAX_SIMULATED:
        raise Refusal(f"A simulation needs 2 to {MAX_SIMULATED} classes, got {len(pi)}.")
    if min(pi) < SMALLEST_SHARE:
        raise Refusal(f"The share of each class must be at least {SMALLEST_SHARE} of all.")
    table = np.outer(pi, (1 - ability) * pi) + np.diag(ability * pi)
    return _table_of(table, [f"class {i + 1}" for i in range(len(pi))])


def _scaled(values: Any) -> Any:
    """Return numbers scaled to sum to 1."""
    try:
        shares = np.array(values, dtype=float)
        if shares.ndim == 1 and (shares >= 0).all() and 0 < shares.sum() < np.inf:
            return shares / shares.sum()
    except (OverflowError, TypeError, ValueError):
        pass
    raise Refusal(
        "The shares must be a list of numbers, none below 0, not all 0, with a sum below 1e308."
    )


def _table_of(matrix: Any, labels: Sequence[Any]) -> ContingencyTable:
    """Return the table of a matrix whose last class may have as many samples as all others."""
    rows, columns = np.take(labels, np.indices(matrix.shape).reshape(2, -1))
    return ContingencyTable.from_counts(
        references=rows, predictions=columns, counts=matrix.ravel(), labels=labels
    )


def draw_again(table: ContingencyTable, n: int, times: int) -> list[ContingencyTable]:
    """Return tables of n samples each, drawn from the expected table."""
    p = table.to_dense() / table.total
    drawn = np.random.default_rng().multinomial(n, p.ravel() / p.sum(), size=times)
    return [_table_of(counts.reshape(p.shape), table.labels) for counts in drawn]


@functools.lru_cache(maxsize=256)
def share_curves(shares: tuple[float, ...], ability: float) -> dict[str, list[float]]:
    """Return each score at each of `SHARES` of the first class; the rest keep their proportions."""
    tables = []
    for share in SHARES:
        rest = (1 - share) / sum(shares[1:])
        moved = [share, *(rest * other for other in shares[1:])]
        tables.append(expected_table(moved, ability))
    return _curves(tables)


@functools.lru_cache(maxsize=256)  # so that a moving ability slider costs one table, not 41
def ability_curves(shares: tuple[float, ...]) -> dict[str, list[float]]:
    """Return each score at each of `ABILITIES`."""
    return _curves([expected_table(shares, ability) for ability in ABILITIES])


def _curves(tables: list[ContingencyTable]) -> dict[str, list[float]]:
    points = [Report.from_table(table).scores for table in tables]
    return {name: [point[name] for point in points] for name in REPORTED}


# The controls


def read_shares(text: Any) -> list[float]:
    """Return the class shares typed into their box, in percent; they may have any sum.

    A comma separates two shares, or is a decimal comma where a semicolon separates them.
    """
    written = str(text or "").strip(" ,;%\n")
    if ";" in written:
        parts = [part.replace(",", ".") for part in written.split(";")]
    elif re.search(r"\d%?,\d", written) and re.search(r"\d%?,?\s", written):
        raise Refusal(
            f"The commas in {written:.40} could separate shares or decimals. Write a point for "
            "decimals, as in 33.3, 66.7, or put semicolons between the shares."
        )
    else:
        parts = re.split(r"[\s,]+", written)
    try:
        numbers = [float(part.strip(" %")) for part in parts]
    except ValueError:
        raise Refusal(
            f"The class shares must be numbers, for example 90, 10. Got {text!s:.40}."
        ) from None
    expected_table(numbers, 0)  # refuses what is too much or too little
    return [100 * number / sum(numbers) for number in numbers]


def simulated(ability: float, written: str, complete: bool) -> tuple[str, str]:
    """Return the scores of the classifier that the controls describe, and those at other shares."""
    shares = tuple(read_shares(written))
    table = expected_table(shares, ability)
    report = Report.from_table(table)
    names = [name for name in REPORTED if complete or name in (*AT_FIRST, METRIC)]

    scores = {name: report.scores[name] for name in names}
    by_ability = ability_curves(shares)
    by_share = share_curves(shares, ability)
    return charts.draw(
        "simulation",
        verdict=charts.verdict(report, None),
        field=field(report.scores),
        ability=curves(ability, ABILITIES, by_ability, scores, "ability: share of answers known"),
    ), charts.draw(
        "simulated_shares",
        share=curves(shares[0] / 100, SHARES, by_share, scores, "share of class 1"),
        map=heat_map(table, expected=True),
    )


def share_bar(written: str) -> str:
    """Return the shares in the box, in percent, as a bar whose borders can be moved."""
    shares = [round(share, 1) for share in read_shares(written)]
    return charts.draw("shares", shares=shares, ends=np.cumsum(shares).tolist())


def drawn_samples(size: str, ability: float, written: str) -> str:
    """Draw samples of the simulated classifier, several times, and show each with its interval.

    A draw of one class has no score.
    """
    shares, score, n = tuple(read_shares(written)), score_named(METRIC), int(size)
    table = expected_table(shares, ability)
    with charts.noting():
        drawn = [one for one in draw_again(table, n, DRAWS) if not score.undefined(one)]
        made = [(score.value(one), charts.estimated(one)) for one in drawn]
    truth = score.value(table)
    values = [value for value, _ in made] or [truth]
    return charts.draw(
        "samples",
        title=score.title,
        n=n,
        of_one_class=DRAWS - len(made),
        truth=truth,
        least=min(values),
        most=max(values),
        scale=draws_scale(truth, made, score.chance(table) or 0.0),
    )


def simulate_tab() -> None:
    """Fill the tab."""
    by_ability, by_share = simulated(*START)
    with gr.Row(elem_classes="workbench"):
        with gr.Column(elem_classes="story"):
            ability = gr.Slider(
                0,
                1,
                START[0],
                step=0.01,
                label="Ability: share of answers known; the model guesses the rest",
                elem_id="ability",
                buttons=[],
            )
            drawn = html(by_ability, elem_id="simulation")
        with gr.Column(elem_classes="inputs"):
            bar = html(share_bar(START[1]), elem_id="share-bar")
            shares = gr.Textbox(
                START[1], label="Class shares in percent, for example 50, 30, 20", elem_id="shares"
            )
            refused = refusal_below("shares")
            complete = gr.Checkbox(START[2], label="Show all scores")
            size = gr.Radio(["20", "50", "200", "1000"], value="50", label="Samples per draw")
            button = gr.Button(f"Draw {DRAWS} times", elem_id="draw")
            sampled = html("", elem_id="sampled", elem_classes="if-filled")
            not_drawn = refusal_below("draw")
        moved = html(by_share, elem_id="simulation-shares", elem_classes="details")
    quiet: dict[str, Any] = {"bring": False, "show_progress": "hidden"}
    left = functools.partial(gr.on, [shares.blur, shares.submit])
    ask(left, share_bar, [shares], [bar], bar, refused, **quiet)
    controls: list[Any] = [ability, shares, complete]
    changed = functools.partial(gr.on, [control.change for control in controls])
    # A moving slider asks again only after the last answer has arrived.
    last: dict[str, Any] = {"trigger_mode": "always_last", **quiet}
    ask(changed, simulated, controls, [drawn, moved], drawn, refused, **last)
    ask(
        button.click, drawn_samples, [size, ability, shares], [sampled], sampled, not_drawn, **quiet
    )
    grey(sampled, ability.change, shares.change)
