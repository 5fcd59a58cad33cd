"""Calls from the page: results turn grey when inputs change, refusals appear below the button.

What the browser does of it is in page.js.
"""

import functools
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import gradio as gr
from charts import draw

PRIVATE: dict[str, Any] = {"api_visibility": "private"}
QUIET: dict[str, Any] = {"bring": False, "show_progress": "hidden"}


@dataclass(frozen=True)
class Result:
    """Where a result is shown: the story, and further down the details; and where refusals are."""

    story: gr.HTML
    details: gr.HTML
    refusals: list[gr.HTML] = field(default_factory=list)


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
    result: Result,
    refusal: gr.HTML,
    bring: bool = True,
    **options: Any,
) -> Any:
    """Call a function when an event fires; if it raises a ValueError, show that as a refusal.

    `outputs` are what it returns, including `result`, which is scrolled into view if `bring`.
    """
    shown = result.story
    result.refusals.append(refusal)
    parts: list[Any] = []
    for output in outputs:
        parts += [output.story, output.details] if isinstance(output, Result) else [output]

    @functools.wraps(function)
    def handler(*args: Any) -> list[Any]:
        try:
            answer = function(*args)
            return [*answer, ""] if len(parts) > 1 else [answer, ""]
        except ValueError as error:
            return [*[gr.skip()] * len(parts), draw("refusal", message=str(error))]

    about = f"{json.dumps(shown.elem_id)}, {json.dumps(bring)}"
    js = f"(...inputs) => results.asked({about}, inputs)"
    options = {"js": js, "show_progress_on": shown, **PRIVATE, **options}
    asked = event(handler, inputs, [*parts, refusal], **options)
    js = f"(refused) => results.answered({about}, refused)"
    return asked.then(None, refusal, js=js, **PRIVATE)


def settle(demo: gr.Blocks, result: Result, *others: Any) -> None:
    """Let a new result end all refusals; put back what page.js has kept of it and of others."""
    refusals = list(dict.fromkeys(result.refusals))
    js = f"() => Array({len(refusals)}).fill('')"
    result.story.change(None, None, refusals, js=js, **PRIVATE)
    parts = [result.story, result.details, *others]
    js = f"() => results.restored({json.dumps(result.story.elem_id)}, {len(parts)})"
    demo.load(None, None, parts, js=js, show_progress="hidden", **PRIVATE)
