"""File upload: columns are guessed by name or chosen, and shown under their roles."""

import contextlib
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import gradio as gr
from asking import PRIVATE, ask, draw_refusal, grey, refusal_below
from charts import TEMPLATES
from columns import (
    column_of,
    guessed_columns,
    identifier_notes,
    in_a_sentence,
    labels_of_columns,
    read_upload,
)
from limits import MAX_FILE, Refusal

from informedness.core.labels import show
from informedness.results.text import shown

SHOWN_ROWS = 4


def draw_columns(path: str, names: Sequence[str | None], roles: Sequence[str]) -> str:
    """Return the first rows of an upload, with the column of each role under its name."""
    header, rows = read_upload(path)
    columns = {name: column_of(header, rows, name) for name in names if name in header}
    lines = [
        (place, [shown(columns[name][i]) if name in columns else None for name in names])
        for i, place in enumerate(list(rows)[:SHOWN_ROWS])
    ]
    return TEMPLATES.get_template("columns.html").render(
        roles=[(role, name and shown(name)) for role, name in zip(roles, names, strict=True)],
        lines=lines,
        total=f"{len(rows):,d}",
        is_whole=len(rows) == len(lines),
        notes=identifier_notes(columns),
    )


def labels_of_upload(
    upload: Mapping[str, Any] | None, names: Sequence[str | None], roles: Sequence[str]
) -> tuple[list[list[str]], str]:
    """Return the labels in the columns chosen for the roles, and a note on them."""
    if not upload:
        raise Refusal("Upload a CSV or TSV file, then choose its columns.")
    columns = labels_of_columns(*read_upload(upload["path"]), names, roles)
    said = [f"{role}: column {show(name)}." for role, name in zip(roles, names, strict=True)]
    notes = identifier_notes(dict(zip(map(str, names), columns, strict=True)))
    return columns, " ".join([*said, *notes])


def ask_of_file(
    verb: str, roles: Sequence[str], function: Callable[..., str], result: gr.HTML
) -> None:
    """Add a place for a file, the choice of a column for each role, and a button.

    The button calls a function with them. The first rows are shown above it. The roles are the
    references and each model.
    """
    upload = gr.File(
        label=f"CSV or TSV with a header, at most {MAX_FILE // 10**6} MB",
        file_types=[".csv", ".tsv", ".txt"],
        height=170,
    )
    choices = [gr.Dropdown(label=f"Column of {in_a_sentence(role)}", choices=[]) for role in roles]
    preview = gr.HTML("", apply_default_css=False, elem_classes="if-filled")

    def drawn(sent: Mapping[str, Any] | None, *names: str | None) -> str:
        try:
            return draw_columns(sent["path"], names, roles) if sent else ""
        except Refusal as error:
            return draw_refusal(str(error))

    def guess(sent: Mapping[str, Any] | None) -> list[Any]:
        header: list[str] = []
        names: list[str | None] = [None] * len(roles)
        with contextlib.suppress(Refusal):  # which is drawn
            if sent:
                header, rows = read_upload(sent["path"])
                names = guessed_columns(header, rows, models=len(roles) - 1)
        chosen = [gr.Dropdown(choices=header, value=name) for name in names]
        return [*chosen, drawn(sent, *names)]

    # Take what the browser sends: columns are looked up in the file itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    upload.change(guess, upload, [*choices, preview], **raw)
    for choice in choices:
        choice.input(drawn, [upload, *choices], preview, trigger_mode="always_last", **raw)
    name = f"{verb.lower()}-file"
    button, refusal = gr.Button(verb, variant="primary", elem_id=name), refusal_below(name)
    grey(result, upload.change, *(choice.input for choice in choices))
    ask(button.click, function, [upload, *choices], [result], result, refusal, preprocess=False)
