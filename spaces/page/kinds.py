"""Check the type of every input that a client sends, by the component that receives it.

Gradio itself passes any JSON to endpoints and to events with `preprocess=False`. Files are
accepted only for file components.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args, get_origin

import gradio as gr
from gradio.components.api_component import Api
from limits import MAX_BLOCK, MAX_CLASSES, MAX_FILE, MAX_GRID, MAX_ROWS

STREAM_END = 0.2  # seconds for a browser to notice the end of a stream
GRID = {"labels": list[str], "cells": list[list[str]], "declared": bool | None, "axes": list[str]}
FILE = {
    "path": str,
    "meta": {"_type": Literal["gradio.FileData"]},
    "url": str | None,
    "size": int | None,
    "orig_name": str | None,
    "mime_type": str | None,
    "is_stream": bool | None,
}


def fits(value: Any, kind: Any, most_text: int, most_items: int) -> bool:
    """Say whether JSON has a type, within limits; an object needs exactly the keys of `kind`."""
    if isinstance(kind, Mapping):
        return (
            isinstance(value, dict)
            and value.keys() == kind.keys()
            and all(fits(value[key], kind[key], most_text, most_items) for key in kind)
        )
    parts, form = get_args(kind) or (kind,), get_origin(kind)
    if form is Literal:
        return value in parts
    if form is not list and any(map(get_origin, parts)):
        return any(fits(value, part, most_text, most_items) for part in parts)
    if form is not list:
        return _are([value], parts, most_text)
    items = value if isinstance(value, list) else [object]
    if get_origin(parts[0]) is list:
        most_items = min(most_items, MAX_CLASSES)
        are_right = all(fits(item, parts[0], most_text, most_items) for item in items)
    else:
        are_right = _are(items, get_args(parts[0]) or parts, most_text)
    return are_right and len(items) <= most_items


def _are(values: Sequence[Any], types: Sequence[Any], most_text: int) -> bool:
    """Say whether all values have one of these types; true and false are not numbers."""
    allowed = {*types, int} if float in types else {*types}
    return (
        set(map(type, values)) <= allowed
        and all(len(value) <= most_text for value in values if isinstance(value, str))
        and all(math.isfinite(value) for value in values if isinstance(value, float))
    )


def check(
    name: str, value: Any, kind: Any, most_text: int = MAX_FILE, most_items: int = MAX_ROWS
) -> None:
    """Raise a ValueError unless a value is of this type, within the limits."""
    if not fits(value, kind, most_text, most_items):
        words = f"an object of {', '.join(kind)}" if isinstance(kind, Mapping) else kind
        words = getattr(kind, "__name__", words)
        raise ValueError(
            f"{name} must be {words}, with at most {MAX_ROWS:,d} rows or {MAX_CLASSES:,d} classes, "
            f"got {type(value).__name__}."
        )


def kind_of(component: Any) -> Any:
    """Find the type of the value of a component, which may be empty."""
    if isinstance(component, gr.Radio):
        return Literal[tuple(value for _, value in component.choices)] | None
    if isinstance(component, gr.HTML | gr.Dropdown) and not isinstance(component.value, str | None):
        return GRID if isinstance(component, gr.HTML) else float
    kinds: dict[type, Any] = {gr.HTML: str, gr.CheckboxGroup: list[str]}
    return kinds.get(type(component), str | None)


def check_file(name: str, sent: Any) -> None:
    """Refuse any file that was not uploaded to this process."""
    if sent is None:
        return
    check(name, {**dict.fromkeys(FILE), **sent} if isinstance(sent, dict) else sent, FILE, 1_000)
    path = Path(sent["path"]).resolve()
    if not path.is_relative_to(Path(gr.utils.get_upload_folder()).resolve()) or path.is_dir():
        raise ValueError(f"{name} must be uploaded first.")


def check_inputs(event: Any, values: Sequence[Any]) -> None:
    """Check the inputs that a client sends to an event."""
    if event.fn is None or len(values) != len(event.inputs):
        raise ValueError(f"The event takes {len(event.inputs)} inputs, got {len(values)}.")
    arguments = [*inspect.signature(event.fn).parameters.values()]
    for number, (component, value) in enumerate(zip(event.inputs, values, strict=True)):
        name = str(component.label or f"Input {number + 1}")
        if isinstance(component, Api):
            check(arguments[number].name, value, arguments[number].annotation)
        elif isinstance(component, gr.File):
            check_file(name, value)
        elif (kind := kind_of(component)) is GRID:
            check(name, value, kind, MAX_BLOCK, MAX_GRID)
        else:
            check(name, value, kind)


class Unanswered(set[str]):
    """The pending calls of a visitor; after the last response, Gradio ends their stream."""

    ended_at = -math.inf

    def remove(self, call: str) -> None:
        """Remove a call that has its response."""
        super().remove(call)
        self.ended_at = time.monotonic()


class Page(gr.Blocks):
    """A page that checks every call, from a browser, over HTTP or as a tool."""

    def queue(self, **options: Any) -> Any:
        """Queue each call only after the browser has noticed the end of its last stream.

        If its call is queued before that, the browser does not open a new stream, and the response
        never arrives.
        """
        super().queue(**options)
        push, calls = self._queue.push, self._queue.pending_event_ids_session

        async def push_later(*, body: Any, **others: Any) -> Any:
            if body.session_hash is not None:
                unanswered: Any = calls.setdefault(body.session_hash, Unanswered())
                rest = unanswered.ended_at + STREAM_END - time.monotonic()
                if rest > 0 and not unanswered:
                    await asyncio.sleep(rest)
            return await push(body=body, **others)

        self._queue.push = push_later  # type: ignore[assignment, method-assign]
        return self

    async def preprocess_data(
        self, block_fn: Any, inputs: list[Any], state: Any, explicit_call: bool = False
    ) -> list[Any]:
        """Refuse inputs that are not of the type of their components."""
        try:
            check_inputs(block_fn, inputs)
        except ValueError as error:
            raise gr.Error(str(error), title="Not scored", print_exception=False) from None
        return list(await super().preprocess_data(block_fn, inputs, state, explicit_call))
