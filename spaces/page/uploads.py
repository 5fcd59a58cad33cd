"""File upload: columns are guessed by name or chosen, and shown under their roles."""

from collections.abc import Mapping, Sequence
from typing import Any

import gradio as gr
from asking import PRIVATE, draw_refusal
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
from matrices import as_text

from informedness.core.labels import show

SHOWN_ROWS = 4


def draw_columns(path: str, names: Sequence[str | None], roles: Sequence[str]) -> str:
    """Return the first rows of an upload, with the column of each role under its name."""
    header, rows = read_upload(path)
    columns = {name: column_of(header, rows, name) for name in names if name in header}
    lines = [
        (place, [as_text(columns[name][i]) if name in columns else None for name in names])
        for i, place in enumerate(list(rows)[:SHOWN_ROWS])
    ]
    return TEMPLATES.get_template("columns.html").render(
        roles=[(role, name and as_text(name)) for role, name in zip(roles, names, strict=True)],
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


def file_inputs(roles: Sequence[str]) -> tuple[gr.File, list[gr.Dropdown]]:
    """Return a place for a file, and the choice of a column for each role.

    The first rows are shown below. The roles are the references and each model.
    """
    upload = gr.File(
        label=f"CSV or TSV with a header, at most {MAX_FILE // 10**6} MB",
        file_types=[".csv", ".tsv", ".txt"],
        height=170,
    )
    choices = [gr.Dropdown(label=f"Column of {in_a_sentence(role)}", choices=[]) for role in roles]
    preview = gr.HTML("", apply_default_css=False, elem_classes="if-filled")

    def drawn(path: str, names: Sequence[str | None]) -> str:
        try:
            return draw_columns(path, names, roles)
        except Refusal as error:
            return draw_refusal(str(error))

    def guess(sent: Mapping[str, Any] | None) -> list[Any]:
        unknown = [gr.Dropdown(choices=[], value=None) for _ in roles]
        if not sent:
            return [*unknown, ""]
        try:
            header, rows = read_upload(sent["path"])
        except Refusal as error:
            return [*unknown, draw_refusal(str(error))]
        names = guessed_columns(header, rows, models=len(roles) - 1)
        chosen = [gr.Dropdown(choices=header, value=name) for name in names]
        return [*chosen, drawn(sent["path"], names)]

    def redrawn(sent: Mapping[str, Any] | None, *names: str | None) -> str:
        return drawn(sent["path"], names) if sent else ""

    # Take what the browser sends: columns are looked up in the file itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    upload.change(guess, upload, [*choices, preview], **raw)
    for choice in choices:
        choice.input(redrawn, [upload, *choices], preview, trigger_mode="always_last", **raw)
    return upload, choices
