"""Text boxes on the page, with one label per line, and the button that splits lists."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from asking import PRIVATE, ask, refusal_below
from columns import Splittable, split_boxes
from limits import MAX_TEXT


def labels_box(role: str, **options: str) -> gr.Textbox:
    """Return a box for the labels of a role."""
    label = f"{role}, one per line"
    return gr.Textbox(label=label, lines=8, max_lines=8, max_length=MAX_TEXT, **options)  # type: ignore[arg-type]


def split_pasted(*boxes: str) -> list[str]:
    """Return the texts of boxes with one label per line."""
    return ["\n".join(lines) for lines in split_boxes(boxes)]


def ask_of_boxes(
    verb: str, boxes: Sequence[gr.Textbox], function: Callable[..., str], result: gr.HTML
) -> None:
    """Add a button that calls a function with the boxes, and one that splits lists in them."""
    name = verb.lower()
    button = gr.Button(verb, variant="primary", elem_id=f"{name}-columns")
    refusal = refusal_below(f"{name}-columns")
    split = gr.Button("Split into one label per line", visible=False, elem_id=f"{name}-split")
    asked: Any = function, boxes, [result], result, refusal, (Splittable, split)
    ask(button.click, *asked, preprocess=False)
    halved = split.click(split_pasted, boxes, boxes, **PRIVATE)
    ask(halved.then, *asked, preprocess=False)
