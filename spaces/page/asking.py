"""How the page asks: a result is greyed when its inputs change, a refusal stands below."""

import functools
import json
from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from charts import TEMPLATES
from limits import Refusal

PRIVATE: dict[str, Any] = {"api_visibility": "private"}

# An answer to inputs that have changed since they were sent stays grey. Gradio's own `input` of a
# text box is silent where text is pasted, so the browser's is listened to.
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
# On a phone the result is below the button that asked for it. In a frame as high as its content, as
# the Hub has it, only the page around can scroll: an observer tells what of the frame is seen, and
# the script that sized the frame scrolls when it is asked.
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
    """Return what stands below a button whose inputs were refused."""
    return TEMPLATES.get_template("refusal.html").render(message=message)


def refusal_below(name: str) -> gr.HTML:
    """Return the place below a button for what it may be refused for."""
    return gr.HTML("", apply_default_css=False, elem_id=f"refusal-{name}", elem_classes="if-filled")


def grey(
    demo: gr.Blocks, result: gr.HTML, area: gr.Column, events: Sequence[Callable[..., Any]]
) -> None:
    """Grey a result as soon as one types or pastes in an area of the page, or at these events."""
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
    """Call a function at an event; a ValueError it raises is shown in the place for refusals.

    `outputs` are what it returns, the `result` among them, which is brought into view if `bring`.
    The button of an `offer` is shown where a refusal of its kind was raised.
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
