"""Simulate: a spam filter that knows some of the answers, beside one that always answers ham.

Their scores are exact: nothing here is random.
"""

import functools
import re
from typing import Any
from urllib.parse import urlencode

import charts
import gradio as gr
from asking import QUIET, ask, html, refusal_below
from limits import METRIC, Refusal

from informedness import ContingencyTable
from informedness.results.report import Report
from informedness.results.sentences import answering
from informedness.warnings import collected

START = {"spam": 10.0, "known": 40.0}  # percent: of the messages, and of the answers
RANGES = {"spam": (1, 50), "known": (0, 100)}
BARS = dict.fromkeys(["accuracy", "f1_macro", "informedness", "nit", METRIC])


def expected_table(spam: float, known: float) -> ContingencyTable:
    """Return the expected shares of a filter that knows the answer with probability `known`.

    Otherwise it draws a class in proportion to the class shares pi:
    p_ij = pi_i (known [i = j] + (1 - known) pi_j).
    """
    pi = (1 - spam, spam)
    cells = [[pi[i] * (known * (i == j) + (1 - known) * pi[j]) for j in range(2)] for i in range(2)]
    return ContingencyTable.from_matrix(cells, labels=["ham", "spam"])


def simulated(spam: float, known: float) -> str:
    """Return the scores of both filters, at percentages of spam and of known answers."""
    table = expected_table(spam / 100, known / 100)
    with collected():
        report, constant = map(Report.from_table, (table, answering(table, "commonest")))
    models = {f"Knows {known:g}%": report.scores, "Always ham": constant.scores}
    return charts.draw(
        "simulation",
        bars={charts.NAMES[name]: {x: y[name] for x, y in models.items()} for name in BARS},
        known=known / 100,
        link="?" + urlencode({"tab": "simulate", "spam": f"{spam:g}", "known": f"{known:g}"}),
    )


def open_simulation(request: gr.Request) -> list[Any]:
    """Set the sliders as a link says."""
    query = request.query_params
    if not START.keys() & query.keys():
        return [gr.skip()] * 3
    state = []
    for name, (least, most) in RANGES.items():
        written = query.get(name, f"{START[name]:g}")
        if not (re.fullmatch("[0-9]{1,3}", written) and least <= int(written) <= most):
            raise Refusal(f"{name} must be {least} to {most} in a link, got {written:.40}.")
        state.append(float(written))
    return [*state, simulated(*state)]


def simulate_tab(demo: gr.Blocks) -> None:
    """Fill the tab."""
    slider = functools.partial(gr.Slider, step=1, buttons=[])
    with gr.Column(elem_classes="story"):
        label = "Share of spam among the messages, in percent"
        spam = slider(*RANGES["spam"], START["spam"], label=label, elem_id="spam")
        result = html(simulated(**START), elem_id="simulation")
        with gr.Accordion("Another filter", open=False):
            label = "Answers that the filter knows, in percent; it guesses the rest"
            known = slider(*RANGES["known"], START["known"], label=label, elem_id="known")
        refused = refusal_below("simulation")
    # A moving slider asks again only after the last answer has arrived.
    moved = functools.partial(gr.on, [spam.input, known.input], trigger_mode="always_last")
    ask(moved, simulated, [spam, known], [result], result, refused, **QUIET)
    ask(demo.load, open_simulation, [], [spam, known, result], result, refused, **QUIET)
