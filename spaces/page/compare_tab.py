"""Compare: two models on the same samples, pasted or in a file."""

from collections.abc import Mapping, Sequence
from typing import Any

import charts
import gradio as gr
import numpy as np
from asking import ask, grey, refusal_below
from boxes import SPLIT, ask_of_boxes
from columns import split_samples
from endpoints import METRIC, n_swaps
from limits import MAX_TEXT
from tables import tables_of_models
from uploads import file_inputs, labels_of_upload

from informedness import Comparison, ContingencyTable, compare

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
    with gr.Column(elem_id="asked-models") as area, gr.Tabs():
        with gr.Tab("Paste"):
            gr.Markdown(
                "You can paste three columns of a spreadsheet into the first box if the others are "
                "empty."
            )
            with gr.Row():
                boxes = [
                    gr.Textbox(
                        "\n".join(column), label=label, lines=8, max_lines=8, max_length=MAX_TEXT
                    )
                    for column, label in zip(
                        columns, ("References, one per line", *ROLES[1:]), strict=True
                    )
                ]
            from_boxes = gr.Button("Compare", variant="primary", elem_id="compare-columns")
            refused_boxes = refusal_below("compare-columns")
            split = gr.Button(SPLIT, visible=False, elem_id="split-models")
        with gr.Tab("File"):
            upload, choices = file_inputs(ROLES)
            from_file = gr.Button("Compare", variant="primary", elem_id="compare-file")
            refused_file = refusal_below("compare-file")
    result = gr.HTML(compared(columns), apply_default_css=False, elem_id="comparison")
    grey(demo, result, area, [upload.change, *(choice.input for choice in choices)])
    ask_of_boxes(from_boxes, split, compare_boxes, boxes, result, refused_boxes)
    sent = [upload, *choices]
    ask(from_file.click, compare_upload, sent, [result], result, refused_file, preprocess=False)
