"""Calls from the page: results turn grey when inputs change, refusals appear below the button."""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from charts import TEMPLATES
from limits import Refusal

PRIVATE: dict[str, Any] = {"api_visibility": "private"}

# A result stays grey if its inputs changed after they were sent. Gradio's own `input` event of a
# text box does not fire on paste, so listen to the browser's.
CHANGED = """() => {
    const result = document.getElementById(%s);
    result.changes = 1 + (result.changes ?? 0);
    result.dataset.stale = "";
}"""
LISTEN = """() => addEventListener("input", ({ target }) => {
    if (target.closest("#" + %s)) (%s)();
})"""
ASKED = """(...inputs) => {
    const result = document.getElementById(%s);
    result.asked = result.changes;
    return inputs;
}"""
# On a phone the result is below the button. On the Hub the page is in a frame as tall as its
# content, so only the page around it can scroll: an observer tells which part of the frame is
# visible, and the script that sizes the frame scrolls on request.
ANSWERED = """(refused) => {
    const result = document.getElementById(%s);
    if (refused) result.dataset.stale = "";
    else if (result.asked === result.changes) delete result.dataset.stale;
    if (refused || !%s) return;
    const score = result.querySelector("#score, #verdict") ?? result;
    new IntersectionObserver(([seen], observer) => {
        observer.disconnect();
        if (seen.intersectionRatio > 0.99) return;
        score.scrollIntoView();
        window.parentIFrame?.scrollToOffset(0, score.getBoundingClientRect().top + scrollY);
    }).observe(score);
}"""


def draw_refusal(message: str) -> str:
    """Return the message below a button whose inputs were refused."""
    return TEMPLATES.get_template("refusal.html").render(message=message)


def refusal_below(name: str) -> gr.HTML:
    """Return the empty space below a button where refusals are shown."""
    return gr.HTML("", apply_default_css=False, elem_id=f"refusal-{name}", elem_classes="if-filled")


def grey(
    demo: gr.Blocks, result: gr.HTML, area: gr.Column, events: Sequence[Callable[..., Any]]
) -> None:
    """Turn a result grey when someone types or pastes in an area, or when these events fire."""
    changed = CHANGED % json.dumps(result.elem_id)
    demo.load(None, js=LISTEN % (json.dumps(area.elem_id), changed), **PRIVATE)
    for event in events:
        event(None, js=changed, **PRIVATE)


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
    options = {"js": ASKED % name, "show_progress_on": result, **PRIVATE, **options}
    asked = event(handler, inputs, filled, **options)
    return asked.then(None, refusal, js=ANSWERED % (name, json.dumps(bring)), **PRIVATE)
