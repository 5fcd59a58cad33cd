"""Simulate: a spam filter that knows some of the answers, beside one that always answers ham.

simulate.js draws both in the browser, as a handle moves. Their scores are exact: the filter knows
the answer with a probability, and otherwise draws a class in proportion to the shares of both.
"""

from pathlib import Path

import gradio as gr
from charts import NAMES, draw
from limits import METRIC

HANDLES = {  # their label, ends and start, in percent
    "spam": ("Share of spam", 1, 50, 10),
    "known": ("The filter knows", 0, 100, 40),
}


def simulate_tab() -> None:
    """Fill the tab."""
    first = {"accuracy", "informedness", METRIC}
    scores = {name: NAMES[name] for name in ("accuracy", "informedness", "f1_macro", "nit")}
    gr.HTML(
        html_template=draw(
            "simulation",
            handles=HANDLES,
            shown={name: title for name, title in scores.items() if name in first},
            folded={name: title for name, title in scores.items() if name not in first},
        ),
        apply_default_css=False,
        js_on_load=(Path(__file__).parent / "simulate.js").read_text("utf-8"),
        elem_id="simulation",
    )
