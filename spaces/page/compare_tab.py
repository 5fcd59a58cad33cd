"""Compare: two models on the same samples, pasted or in a file."""

from collections.abc import Sequence

import charts
import gradio as gr
from asking import ask_of_boxes, labels_box, result_of
from data import tables_of_models
from limits import METRIC, examples_of
from uploads import ask_of_file

from informedness import compare

ROLES = ("References", "Predictions A", "Predictions B")


def compared(columns: Sequence[Sequence[str]], taken: str = "") -> tuple[str, str]:
    """Return the comparison of two columns of predictions, given after the references."""
    a, b = tables_of_models(columns[0], dict(zip(ROLES[1:], columns[1:], strict=True)))
    made = None  # with one class there is nothing to compare
    with charts.noting() as notes:
        if len(set(columns[0])) > 1:
            made = compare(*columns, metric=METRIC)
    return charts.draw_comparison({"A": a, "B": b}, made, notes, taken)


def compare_tab() -> None:
    """Fill the tab."""
    # a hundred references and the answers of two models, one of which is better
    rows = [row for *row, times in examples_of("compare") for _ in range(times)]
    columns = [list(column) for column in zip(*rows, strict=True)]
    result = result_of(compared(columns), "comparison")
    with gr.Row(elem_classes="workbench"):
        result.story.render()  # type: ignore[no-untyped-call]
        with gr.Column(elem_id="asked-models", elem_classes="inputs"), gr.Tabs():
            with gr.Tab("Paste"):
                pasted = zip(ROLES, map("\n".join, columns), strict=True)
                boxes = {role: labels_box(role, value=text) for role, text in pasted}
                gr.Markdown(
                    "If the other boxes are empty, you can paste three columns of a spreadsheet "
                    "into the first."
                )
                ask_of_boxes("Compare", boxes, compared, result)
            with gr.Tab("File"):
                ask_of_file("Compare", ROLES, compared, result)
        result.details.render()  # type: ignore[no-untyped-call]
