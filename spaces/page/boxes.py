"""Text boxes on the page, with one label per line, and the button that splits lists."""

from collections.abc import Callable, Sequence
from typing import Any

import gradio as gr
from asking import PRIVATE, ask
from columns import Splittable, split_boxes

SPLIT = "Split into one label per line"


def split_pasted(*boxes: str) -> list[str]:
    """Return the texts of boxes with one label per line."""
    return ["\n".join(lines) for lines in split_boxes(boxes)]


def ask_of_boxes(
    button: gr.Button,
    split: gr.Button,
    function: Callable[..., str],
    boxes: Sequence[gr.Textbox],
    result: gr.HTML,
    refusal: gr.HTML,
) -> None:
    """Call a function with the boxes; `split`, shown where it would help, calls it too."""
    asked: Any = function, boxes, [result], result, refusal, (Splittable, split)
    ask(button.click, *asked, preprocess=False)
    halved = split.click(split_pasted, boxes, boxes, **PRIVATE)
    ask(halved.then, *asked, preprocess=False)
