"""Compare: two models on the same samples, pasted or in a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import charts
import gradio as gr
import numpy as np
from asking import grey_from
from boxes import ask_of_boxes, labels_box
from columns import split_samples
from data import tables_of_models
from endpoints import METRIC, n_swaps
from uploads import ask_of_file, labels_of_upload

from informedness import ContingencyTable, compare
from informedness.results.comparison import Comparison

ROLES = ("References", "Predictions A", "Predictions B")


def compare_boxes(*boxes: str) -> str:
    """Compare two pasted columns of predictions."""
    together = (
        "The first column was read as references, the second as predictions A and the third as "
        "predictions B."
    )
    return compared(split_samples(boxes, ROLES), "" if any(boxes[1:]) else together)


def compare_upload(upload: Mapping[str, Any] | None, *names: str | None) -> str:
    """Compare two columns of an upload, and say which column has which role."""
    return compared(*labels_of_upload(upload, names, ROLES))


def compared(columns: Sequence[Sequence[str]], said: str = "") -> str:
    """Return the HTML that compares two columns of predictions, given after the references."""
    a, b = tables_of_models(columns[0], dict(zip(ROLES[1:], columns[1:], strict=True)))
    with charts.noting() as notes:
        made = paired(columns, a, b)
    return charts.draw_comparison(a, b, METRIC, made, notes, said)


def paired(
    columns: Sequence[Sequence[str]], first: ContingencyTable, second: ContingencyTable
) -> Comparison | None:
    """Return the comparison on the same samples; None if there is only one class."""
    if np.count_nonzero(first.reference_totals) < 2:
        return None
    return compare(*columns, metric=METRIC, n_resamples=n_swaps(columns, first, second))


def example() -> list[list[str]]:
    """Return a hundred references and the answers of two models, one of which is better."""
    answers = {  # reference, answer of A, answer of B
        ("ham", "ham", "ham"): 62,
        ("ham", "ham", "spam"): 3,
        ("ham", "spam", "ham"): 4,
        ("ham", "spam", "spam"): 1,
        ("spam", "spam", "spam"): 12,
        ("spam", "spam", "ham"): 1,
        ("spam", "ham", "spam"): 11,
        ("spam", "ham", "ham"): 6,
    }
    rows = [row for row, times in answers.items() for _ in range(times)]
    return [list(column) for column in zip(*rows, strict=True)]


def compare_tab(demo: gr.Blocks) -> None:
    """Fill the tab."""
    gr.Markdown("Which of two models is better on the same samples, and by how much?")
    columns = example()
    drawing = compared(columns)
    result = gr.HTML(drawing, apply_default_css=False, elem_id="comparison", render=False)
    with gr.Column(elem_id="asked-models") as area, gr.Tabs():
        with gr.Tab("Paste"):
            gr.Markdown(
                "You can paste three columns of a spreadsheet into the first box if the others are "
                "empty."
            )
            with gr.Row():
                pasted = zip(ROLES, map("\n".join, columns), strict=True)
                boxes = [labels_box(role, value=text) for role, text in pasted]
            ask_of_boxes("Compare", boxes, compare_boxes, result)
        with gr.Tab("File"):
            ask_of_file("Compare", ROLES, compare_upload, result)
    result.render()  # type: ignore[no-untyped-call]
    grey_from(demo, area, result)
