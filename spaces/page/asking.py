"""Calls from the page: results turn grey when inputs change, refusals appear below the button.

What the browser does of it is in page.js. The boxes for pasted labels are here too, because two
tabs have them.
"""

import functools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import charts
import gradio as gr
from charts import draw
from columns import Splittable, items_of, split_samples
from limits import MAX_TEXT, MEANT, OPTIONS, Refusal

PRIVATE: dict[str, Any] = {"api_visibility": "private"}


@dataclass(frozen=True)
class Result:
    """Where a result is shown: the story, and further down the details."""

    story: gr.HTML
    details: gr.HTML


def html(value: str, **options: Any) -> gr.HTML:
    """Return a part of the page that the templates draw."""
    return gr.HTML(value, apply_default_css=False, **options)


def result_of(drawn: tuple[str, str], name: str) -> Result:
    """Return a result before it is put into the page."""
    story, details = drawn
    return Result(
        html(story, elem_id=name, elem_classes="story", render=False),
        html(details, elem_id=f"{name}-details", elem_classes="details", render=False),
    )


def refusal_below(name: str) -> gr.HTML:
    """Return the empty space below a control where refusals are shown."""
    return html("", elem_id=f"refusal-{name}", elem_classes="if-filled")


def grey(result: gr.HTML, *events: Callable[..., Any]) -> None:
    """Turn a result grey when these events fire; page.js does so when someone types beside it."""
    for event in events:
        event(None, js=f"() => results.changed({json.dumps(result.elem_id)})", **PRIVATE)


def ask(
    event: Callable[..., Any],
    function: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    result: Any,
    refusal: gr.HTML,
    offer: tuple[type[Refusal], gr.Button] | None = None,
    bring: bool = True,
    **options: Any,
) -> Any:
    """Call a function when an event fires; if it raises a ValueError, show that as a refusal.

    `outputs` are what it returns, including `result`, which is scrolled into view if `bring`. The
    button of `offer` appears when a refusal of its kind is raised.
    """
    shown = result.story if isinstance(result, Result) else result
    parts: list[Any] = []
    for output in outputs:
        parts += [output.story, output.details] if isinstance(output, Result) else [output]

    @functools.wraps(function)
    def handler(*args: Any) -> list[Any]:
        refused, said = None, ""
        try:
            answer = function(*args)
            answers = list(answer) if len(parts) > 1 else [answer]
        except ValueError as error:
            refused, said = error, draw("refusal", message=str(error))
            answers = [gr.skip()] * len(parts)
        offered = [gr.Button(visible=isinstance(refused, offer[0]))] if offer else []
        return [*answers, said, *offered]

    about = f"{json.dumps(shown.elem_id)}, {json.dumps(bring)}"
    filled = [*parts, refusal, *([offer[1]] if offer else [])]
    js = f"(...inputs) => results.asked({about}, inputs)"
    options = {"js": js, "show_progress_on": shown, **PRIVATE, **options}
    asked = event(handler, inputs, filled, **options)
    js = f"(refused) => results.answered({about}, refused)"
    return asked.then(None, refusal, js=js, **PRIVATE)


# Boxes with one label per line, and the button that splits lists in them


def labels_box(role: str, **options: Any) -> gr.Textbox:
    """Return a box for the labels of a role."""
    label = f"{role}, one per line"
    return gr.Textbox(label=label, lines=4, max_lines=6, max_length=MAX_TEXT, **options)


def meant_box(*names: str) -> gr.CheckboxGroup:
    """Return a choice of what is meant, although it would be refused otherwise."""
    return gr.CheckboxGroup([(MEANT[name], name) for name in names], label="What is meant")


def split_pasted(*boxes: str) -> list[str]:
    """Return the texts of boxes with one label per line."""
    return ["\n".join(items_of(text)) for text in boxes]


def ask_of_boxes(
    verb: str, boxes: Mapping[str, gr.Textbox], function: Callable[..., Any], result: Result
) -> None:
    """Add a button that calls a function with the labels in boxes, and one that splits lists."""

    def of_boxes(*given: Any) -> Any:
        *texts, meant = given
        with charts.noting(meant or ()):
            return function(*split_samples(texts, list(boxes)))

    name, fields = verb.lower(), list(boxes.values())
    with gr.Accordion(OPTIONS, open=False):
        meant = meant_box("drop_null", "keep_missing")
    button = gr.Button(verb, variant="primary", elem_id=f"{name}-columns")
    refusal = refusal_below(f"{name}-columns")
    split = gr.Button("Split into one label per line", visible=False, elem_id=f"{name}-split")
    asked: Any = of_boxes, [*fields, meant], [result], result, refusal, (Splittable, split)
    ask(button.click, *asked, preprocess=False)
    halved = split.click(split_pasted, fields, fields, **PRIVATE)
    ask(halved.then, *asked, preprocess=False)
