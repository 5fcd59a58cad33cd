"""Calls from the page: results turn grey when inputs change, refusals appear below the button.

What the browser does of it is in page.js.
"""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from charts import TEMPLATES
from limits import Refusal

PRIVATE: dict[str, Any] = {"api_visibility": "private"}


def draw_refusal(message: str) -> str:
    """Return the message below a button whose inputs were refused."""
    return TEMPLATES.get_template("refusal.html").render(message=message)


def refusal_below(name: str) -> gr.HTML:
    """Return the empty space below a button where refusals are shown."""
    return gr.HTML("", apply_default_css=False, elem_id=f"refusal-{name}", elem_classes="if-filled")


def grey(result: gr.HTML, *events: Callable[..., Any]) -> None:
    """Turn a result grey when these events fire."""
    for event in events:
        event(None, js=f"() => results.changed({json.dumps(result.elem_id)})", **PRIVATE)


def grey_from(demo: gr.Blocks, area: gr.Column, result: gr.HTML) -> None:
    """Turn a result grey when someone types or pastes in an area."""
    names = json.dumps([area.elem_id, result.elem_id])
    demo.load(None, js=f"() => results.listen(...{names})", **PRIVATE)


def ask(
    event: Callable[..., Any],
    function: Callable[..., Any],
    inputs: Sequence[Any],
    outputs: Sequence[Any],
    result: gr.HTML,
    refusal: gr.HTML,
    offer: tuple[type[Refusal], gr.Button] | None = None,
    bring: bool = True,
    **options: Any,
) -> Any:
    """Call a function when an event fires; if it raises a ValueError, show that as a refusal.

    `outputs` are what it returns, including `result`, which is scrolled into view if `bring`. The
    button of `offer` appears when a refusal of its kind is raised.
    """

    @functools.wraps(function)
    def handler(*args: Any) -> list[Any]:
        refused = None
        try:
            answer = function(*args)
            answers = list(answer) if len(outputs) > 1 else [answer]
        except ValueError as error:
            refused = error
            answers = [gr.skip()] * len(outputs)
        offered = [gr.Button(visible=isinstance(refused, offer[0]))] if offer else []
        return [*answers, draw_refusal(str(refused)) if refused else "", *offered]

    name = json.dumps(result.elem_id)
    filled = [*outputs, refusal, *([offer[1]] if offer else [])]
    js = f"(...inputs) => results.asked({name}, inputs)"
    options = {"js": js, "show_progress_on": result, **PRIVATE, **options}
    asked = event(handler, inputs, filled, **options)
    js = f"(refused) => results.answered({name}, refused, {json.dumps(bring)})"
    return asked.then(None, refusal, js=js, **PRIVATE)
