"""Compare: two models on the same samples, pasted or in a file."""

from typing import Any

import charts
import gradio as gr
from asking import QUIET, ask, ask_in_tabs, refusal_below, result_of, settle
from data import Answers, tables_of_models
from limits import LEVEL, METRIC, examples_of
from links import columns_of_link, settings_of_link
from lists import as_rows

from informedness import compare
from informedness.warnings import collected

ROLES = ("references", "predictions A", "predictions B")
HEADER = ("label", "model A", "model B")  # of the rows in the box


def compared(answers: Answers, average: Any = "default", level: float = LEVEL) -> tuple[str, str]:
    """Return the comparison of two columns of predictions, given after the references."""
    references, *predictions = answers.columns
    models = dict(zip(ROLES[1:], predictions, strict=True))
    a, b = tables_of_models(references, models, **answers.of_task)
    comparison = None  # with one class there is nothing to compare
    with collected() as notes:
        if len(set(references)) > 1:
            options = {"average": average, "confidence_level": level, **answers.of_task}
            comparison = compare(*answers.columns, metric=METRIC, **options)
    settings = {"average": average, "level": level}
    return charts.draw_comparison(answers, {"A": a, "B": b}, comparison, notes, **settings)


def open_models(request: gr.Request) -> list[Any]:
    """Compare the models in a shared link."""
    query = request.query_params
    columns = columns_of_link(query)
    if columns is None:
        return [gr.skip()] * 3
    drawn = compared(Answers(columns), **settings_of_link(query))
    return [as_rows(dict(zip(HEADER, columns, strict=True))), *drawn]


def compare_tab(demo: gr.Blocks) -> None:
    """Fill the tab."""
    # a hundred references and the answers of two models, one of which is better
    rows = [row for *row, times in examples_of("compare") for _ in range(times)]
    columns = [*zip(*rows, strict=True)]
    result = result_of(compared(Answers(columns)), "comparison")
    with gr.Row(elem_classes="workbench"):
        result.story.render()  # type: ignore[no-untyped-call]
        with gr.Column(elem_id="asked-models", elem_classes="inputs"), gr.Tabs():
            example = as_rows(dict(zip(HEADER, columns, strict=True)))
            pasted = ask_in_tabs("Compare", ROLES, compared, result, example)
        result.details.render()  # type: ignore[no-untyped-call]
    ask(demo.load, open_models, [], [pasted], result, refusal_below("models"), **QUIET)
    settle(demo, result)
