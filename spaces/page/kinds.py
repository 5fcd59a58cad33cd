"""Check the type of every input that a client sends, by the component that receives it.

Gradio itself passes any JSON to endpoints and to events with `preprocess=False`. Files are
accepted only for file components.
"""

import asyncio
import inspect
import math
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any, Literal

import gradio as gr
from gradio.components.api_component import Api
from gradio.data_classes import FileData
from limits import MAX_BLOCK, MAX_FILE, MAX_GRID, MAX_TEXT
from pydantic import AfterValidator, ConfigDict, Field, TypeAdapter, ValidationError, with_config
from typing_extensions import TypedDict

STREAM_END = 0.2  # seconds for a browser to notice the end of a stream
# The number of items is limited by the size of a request.
LIMITS = ConfigDict(strict=True, extra="forbid", allow_inf_nan=False, str_max_length=MAX_FILE)
Texts = Annotated[list[Annotated[str, Field(max_length=MAX_BLOCK)]], Field(max_length=MAX_GRID)]


@with_config(LIMITS)
class GridValue(TypedDict):
    """The value of the matrix on the page."""

    labels: Texts
    cells: Annotated[list[Texts], Field(max_length=MAX_GRID)]
    declared: bool | None
    axes: Texts


def check_file(file: FileData) -> FileData:
    """Refuse any file that was not uploaded to this process."""
    path = Path(file.path).resolve()
    if not path.is_relative_to(Path(gr.utils.get_upload_folder()).resolve()) or path.is_dir():
        raise ValueError("a file must be uploaded first")
    return file


def kind_of(component: Any) -> Any:
    """Find the type of the value of a component, which may be empty."""
    choices = getattr(component, "choices", [])
    if choices and not getattr(component, "allow_custom_value", False):
        choice: Any = Literal[tuple(value for _, value in choices)]
        several: Any = Annotated[list[choice], Field(max_length=len(choices))]
        return several if isinstance(component, gr.CheckboxGroup) else choice | None
    if isinstance(component, gr.File):
        return Annotated[FileData, AfterValidator(check_file)] | None
    if isinstance(component, gr.HTML):
        return str if isinstance(component.value, str) else GridValue
    return Annotated[str, Field(max_length=MAX_TEXT)] | None


def check(kinds: Sequence[Any], names: Sequence[str], values: Sequence[Any]) -> None:
    """Raise a ValueError that names the first value of another type, or beyond the limits."""
    try:
        TypeAdapter(tuple[tuple(kinds)], config=LIMITS).validate_python(tuple(values))  # type: ignore[misc]
    except ValidationError as error:
        first = error.errors()[0]
        name = names[int(first["loc"][0])] if first["loc"] else "The event"
        raise ValueError(f"{name}: {first['msg']}.") from None


def check_inputs(event: Any, values: Sequence[Any]) -> None:
    """Check the inputs that a client sends to an event."""
    kinds, names = [], []
    arguments = [*inspect.signature(event.fn or check_inputs).parameters.values()]
    for number, component in enumerate(event.inputs):
        is_endpoint = isinstance(component, Api)
        names.append(arguments[number].name if is_endpoint else f"{component.label or 'Input'}")
        kinds.append(arguments[number].annotation if is_endpoint else kind_of(component))
    if event.fn is None:
        raise ValueError("The event is handled by the browser.")
    check(kinds, names, values)


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
