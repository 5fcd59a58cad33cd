"""Compare: two models on the same samples, pasted or in a file."""

import csv
import io
from collections.abc import Iterable, Sequence
from typing import Any

import charts
import gradio as gr
from asking import QUIET, ask, refusal_below, result_of, settle
from data import tables_of_models
from limits import LEVEL, METRIC, examples_of
from links import columns_of_link
from uploads import ask_in_tabs

from informedness import compare
from informedness.warnings import collected

ROLES = ("references", "predictions A", "predictions B")
HEADER = ("label", "model A", "model B")  # of the rows in the box


def compared(
    columns: Sequence[Sequence[Any]],
    taken: str = "",
    warned: Sequence[Warning] = (),
    average: Any = "default",
    level: float = LEVEL,
    **of_task: Any,
) -> tuple[str, str]:
    """Return the comparison of two columns of predictions, given after the references."""
    models = dict(zip(ROLES[1:], columns[1:], strict=True))
    a, b = tables_of_models(columns[0], models, **of_task)
    made = None  # with one class there is nothing to compare
    with collected() as notes:
        if len(set(columns[0])) > 1:
            how: dict[str, Any] = {"average": average, "confidence_level": level, **of_task}
            made = compare(*columns, metric=METRIC, **how)
    return charts.draw_comparison(columns, {"A": a, "B": b}, made, [*warned, *notes], taken)


def as_text(rows: Iterable[Sequence[str]]) -> str:
    """Return rows below a header as a spreadsheet copies them."""
    file = io.StringIO()
    csv.writer(file, "excel-tab", lineterminator="\n").writerows([HEADER, *rows])
    return file.getvalue()


def open_models(request: gr.Request) -> list[Any]:
    """Compare the models in a shared link."""
    columns = columns_of_link(request.query_params)
    if columns is None:
        return [gr.skip()] * 3
    return [as_text(zip(*columns, strict=True)), *compared(columns)]


def compare_tab(demo: gr.Blocks) -> None:
    """Fill the tab."""
    # a hundred references and the answers of two models, one of which is better
    rows = [row for *row, times in examples_of("compare") for _ in range(times)]
    result = result_of(compared([*zip(*rows, strict=True)]), "comparison")
    with gr.Row(elem_classes="workbench"):
        result.story.render()  # type: ignore[no-untyped-call]
        with gr.Column(elem_id="asked-models", elem_classes="inputs"), gr.Tabs():
            pasted = ask_in_tabs("Compare", ROLES, compared, result, as_text(rows))
        result.details.render()  # type: ignore[no-untyped-call]
    ask(demo.load, open_models, [], [pasted, result], result, refusal_below("models"), **QUIET)
    settle(demo, result)
