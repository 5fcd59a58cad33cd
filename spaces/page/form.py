"""Build the form of a door: a box or a file, an account of what was recognised, and the result.

One event reads and scores whenever an input changes. The browser's part of it is in page.js.
"""

import hashlib
import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import charts
import gradio as gr
from charts import draw, remedies_of, sentence
from columns import says_something
from grid import Grid, is_block, is_empty, pasted_matrix
from limits import HERE, LEVEL, LEVELS, MAX_FILE, MAX_GRID, MEANT, METRIC, WORDS
from lists import is_list, may_be_list, named_lists
from reading import PART, Unclear, opened, text_of_file

from informedness.files.opening import FORMATS
from informedness.inference.registry import score_named
from informedness.text.render import shown as shown_name

FORMS = WORDS["forms"]  # forms of a table, with their titles
NOTHING: dict[str, Any] = {"__type__": "update"}  # leaves a part of the page unchanged
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
QUIET: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}


class Door(NamedTuple):
    """A form: its name, the text of its button, roles of columns, an example, and scorers.

    Scorers of answers and of a grid return a story and its details.
    """

    name: str
    verb: str
    roles: Sequence[str]
    example: str
    score: Callable[..., tuple[str, str]]
    score_grid: Callable[..., tuple[str, str]] | None = None

    @property
    def forms(self) -> dict[str, str]:
        """The forms that it reads."""
        return {x: y for x, y in FORMS.items() if x != "matrix" or self.score_grid}


class Form(NamedTuple):
    """The parts of a door by name, with the names of the parts to send and to fill."""

    parts: dict[str, Any]
    sent: list[str]
    filled: list[str]


def read(door: Door, given: dict[str, Any]) -> dict[str, Any]:
    """Read and score the inputs of a door, and return new values of its parts by name.

    If the text or the file has changed, its form and columns are recognised anew.
    """
    shown: dict[str, Any] = {"account": "", "refusal": "", "story": "", "details": ""}
    worded, text = sentence, ""
    try:
        text = _take_newest(given, shown)
        form = given["form"] or _recognised(door, text)
        settings = {"average": given["average"], "level": given["level"]}
        shown |= _visible(door, form, text)
        if form == "matrix" and door.score_grid:
            worded = charts.of_pasted if text.strip() else charts.of_matrix
            result = _read_grid(door, text, given, shown, settings)
        elif given["file"] or text.strip():
            result = _read_table(door, text, form, given, shown, settings)
        else:
            result = "", ""
        shown["story"], shown["details"] = result
    except ValueError as error:
        buttons = remedies_of(error, _possible(door, text) if isinstance(error, Unclear) else {})
        shown["refusal"] = draw("refusal", message=worded(error), buttons=buttons)
    shown["key"] = f"{shown['key']} {shown.get('form') or ''}"
    return shown


def _take_newest(given: dict[str, Any], shown: dict[str, Any]) -> str:
    """Find the newest text, in the box or a file; forget choices made for an older one."""
    file, text = given["file"], given["box"] or ""
    key, _, form = given["key"].partition(" ")
    if file and text:  # the newer one counts
        is_older = key == key_of(file["path"])
        part = "file" if is_older else "box"
        given[part] = shown[part] = None if is_older else ""
        file, text = given["file"], given["box"]
    shown["key"] = key_of(file["path"] if file else text)
    is_other = key != shown["key"]
    if is_other and shown["key"]:
        is_cell = given["form"] == "matrix" and not key
        given["form"] = "matrix" if is_cell and _is_square(text) else None
        given["part"] = None
    given["is_new"] = is_other or form != (given["form"] or "")
    return text_of_file(file, given["encoding"]) if file else text


def key_of(text: str) -> str:
    """Hash a text to recognise changes; blank texts are all empty."""
    text = text.strip()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if text else ""


def _is_square(text: str) -> bool:
    try:
        return bool(pasted_matrix(text, []))
    except ValueError:
        return False


def _recognised(door: Door, text: str) -> str | None:
    """Find the only form that a text can have; None for a table, or if several are possible."""
    if re.match(r'\s*(\[\s*)?\{\s*"', text):  # JSON
        return None
    if door.score_grid and is_block(text):
        return "matrix"
    first, *below = text.strip().splitlines() or [""]
    cells = re.split(r"[,;\t]", first)
    is_header = all(map(says_something, cells)) and (below or len(cells) == len(door.roles))
    has_list = named_lists(text) or is_list(text) or (may_be_list(text) and not is_header)
    return "lists" if text.strip() and has_list else None


def _possible(door: Door, text: str) -> dict[str, str]:
    """List the forms that an unclear text may have, with their titles."""
    others = {"matrix": _is_square(text), "lists": bool(text)}
    return {x: y for x, y in door.forms.items() if others.get(x, True)}


def _visible(door: Door, form: str | None, text: str) -> dict[str, Any]:
    """Show the parts of a door that a form needs, and hide the others."""
    are_apart = form == "lists" and not named_lists(text)
    shown: dict[str, Any] = {name: gr.update(visible=are_apart) for name in _boxes(door)}
    shown |= {name: gr.update(visible=False) for name in _columns(door)}
    if door.score_grid:
        shown["grid"] = gr.update(visible=form == "matrix")
    return {**shown, "form": form, "part": gr.update(visible=False)}


def _read_grid(
    door: Door, text: str, given: Mapping[str, Any], shown: dict[str, Any], settings: dict[str, Any]
) -> tuple[str, str]:
    """Move any text into the grid, and score the grid."""
    grid: Grid = given["grid"]
    if text.strip():
        grid, note = pasted_matrix(text, grid["labels"])
        shown |= {"grid": gr.update(value=grid, visible=True), "box": "", "key": "", "file": None}
        shown["account"] = draw("account", form=FORMS["matrix"], lines=[note], top="")
    elif not given["is_new"]:
        del shown["account"]  # keeps the note on the pasted matrix
    if is_empty(grid) or door.score_grid is None:
        return "", ""
    return door.score_grid(grid, **settings)


def _read_table(
    door: Door,
    text: str,
    form: str | None,
    given: Mapping[str, Any],
    shown: dict[str, Any],
    settings: dict[str, Any],
) -> tuple[str, str]:
    """Read a table, a log or lists, show what was recognised, and score it."""
    sent = given["file"] or text
    if form == "lists" and not named_lists(text):
        sent = (text, *(given[name] or "" for name in _boxes(door)))
    names = [given[name] for name in _columns(door)]
    with opened(door.roles, sent, form, given["encoding"], given["part"]) as table:
        header, parts = table.header, table.parts
        shown["part"] = gr.update(choices=parts, value=table.part, visible=len(parts) > 1)
        form = shown["form"] = form or table.form
        if given["is_new"] and not all(name in header for name in names):
            names = [None] * len(names)
        names = table.chosen(door.roles, names) or names
        menus: dict[str, Any] = {"choices": header, "visible": bool(header) and form != "lists"}
        menus |= {"visible": True} if header and named_lists(text) else {}
        for role, name in zip(_columns(door), names, strict=True):
            shown[role] = gr.update(value=name, **menus)
        counts = given["counts"] if not given["is_new"] or given["counts"] in header else None
        shown["counts"] = gr.update(choices=header, value=counts)
        shown["meant"] = given["meant"]
        options = (given[name] for name in ("meant", "threshold", "classes"))
        called = {"json": "JSON", "jsonl": "JSON", "log": "Log"}.get(table.kind) or FORMS[form]
        top = table.first_lines if given["file"] else ""
        columns = f"columns: {', '.join(map(shown_name, header))}" if header else ""
        shown["account"] = draw("account", form=called, lines=[columns], top=top)
        answers = table.read(door.roles, names, counts, *options)
    lines = answers.account.splitlines()
    shown["account"] = draw("account", form=called, lines=lines, top=top)
    return door.score(answers, **settings)


def _boxes(door: Door) -> list[str]:
    return [f"list {role}" for role in door.roles[1:]]


def _columns(door: Door) -> list[str]:
    return [f"column {role}" for role in door.roles]


# The parts


def html(value: Any, **options: Any) -> gr.HTML:
    """Add a part of the page that the templates draw."""
    return gr.HTML(value, apply_default_css=False, **options)


def scripted(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Add a part of the page that the template and the script of this name draw."""
    template, script = draw(name, value=value), (HERE / f"{name}.js").read_text("utf-8")
    options |= {"html_template": template, "js_on_load": script, "elem_id": name}
    return html(value, **options)


def settings() -> dict[str, Any]:
    """Add the controls of the average over classes and of the level, hidden if not applicable."""
    score = score_named(METRIC)
    averages, label = ["default", *filter(None, score.averages)], "Average over classes"
    levels, has_interval = [(f"{level:.0%}", level) for level in LEVELS], hasattr(score, "interval")
    return {
        "average": gr.Dropdown(averages, value="default", label=label, visible=len(averages) > 1),
        "level": gr.Dropdown(levels, value=LEVEL, label="Interval", visible=has_interval),
    }


def inputs_of(door: Door) -> dict[str, Any]:
    """Add the inputs of a table: a box, a file, its form, and its columns."""
    kinds = [*FORMATS, ".txt", ".gz", ".bz2", ".zst", ".eval"]
    # without `max_length`, because browsers would cut pasted text
    size: dict[str, Any] = {"lines": 4, "max_lines": 8}
    takes = WORDS["takes"][door.name]
    # paste.js finds it by its class
    of_box = {"placeholder": takes["placeholder"], "elem_classes": "takes-rows", **size}
    parts: dict[str, Any] = {"box": gr.Textbox(label=takes["label"], info=takes["info"], **of_box)}
    for name, role in zip(_boxes(door), door.roles[1:], strict=True):
        parts[name] = gr.Textbox(label=f"List of {role}", visible=False, **size)
    label = f"Or a file: a table (CSV, Excel, Parquet …) or a log, at most {MAX_FILE // 10**6} MB"
    parts["file"] = gr.File(label=label, file_types=kinds, height=130)
    forms = [(y, x) for x, y in door.forms.items()]
    parts["form"] = gr.Radio(forms, value=None, label="What it is", info=takes["form"])
    if door.score_grid:
        grid = {"labels": ["class 1", "class 2"], "cells": [["", ""]] * 2}
        grid |= {"declared": None, "axes": []}
        parts["grid"] = scripted("grid", grid, visible=False, most=MAX_GRID)
    parts["part"] = gr.Dropdown([], label=PART, visible=False)
    custom: dict[str, Any] = {"allow_custom_value": True}  # such as doc.label
    for name, role in zip(_columns(door), door.roles, strict=True):
        parts[name] = gr.Dropdown([], label=f"Column of {role}", visible=False, **custom)
    return parts


def options_of() -> dict[str, Any]:
    """Add the options of labels, and of the score."""
    rows = "For a table in which a row stands for several samples"
    scores = "For scores instead of predictions"
    classes = "All of them, between commas; for a threshold that of low scores first"
    custom: dict[str, Any] = {"allow_custom_value": True, "info": rows}
    meant = [(y, x) for x, y in MEANT.items()]
    with gr.Accordion("Options", open=False):
        return {
            "counts": gr.Dropdown([], value=None, label="Column of counts", **custom),
            "meant": gr.CheckboxGroup(meant, label="What is meant"),
            "threshold": gr.Textbox(label="Threshold", info=scores),
            "classes": gr.Textbox(label="Classes", info=classes),
            "encoding": gr.Textbox(label="Encoding of text", placeholder="UTF-8"),
            **settings(),
        }


def add_form(door: Door) -> Form:
    """Add a form with its result, read and scored by one event."""
    name = door.name
    with gr.Row(elem_classes="workbench", elem_id=f"{name}-bench"):
        with gr.Column(elem_classes="inputs"):
            parts = inputs_of(door)
            parts["account"] = html("", elem_id=f"{name}-account", elem_classes="if-filled")
            parts["refusal"] = html("", elem_id=f"{name}-refusal", elem_classes="if-filled")
            parts["key"] = html("", visible=False)
            with gr.Row(elem_classes="buttons"):
                button = gr.Button(door.verb, variant="primary", elem_id=f"{name}-button")
                example = gr.Button("An example", size="sm", elem_id=f"{name}-example")
            parts |= options_of()
        parts["story"] = html("", elem_id=name, elem_classes="story if-filled")
        parts["details"] = html("", elem_id=f"{name}-details", elem_classes="details if-filled")
    shown_only = ("account", "refusal", "story", "details")
    sent = [x for x in parts if x not in shown_only]
    options = ("threshold", "classes", "encoding", "average", "level")
    filled = [x for x in parts if x not in options]

    def answered(*values: Any) -> list[Any]:
        shown = read(door, dict(zip(sent, values, strict=True)))
        return [shown.get(x, NOTHING) for x in filled]

    triggers = [button.click, parts["file"].upload, parts["file"].clear]
    for x in sent:
        if isinstance(parts[x], gr.Textbox):  # its `input` does not fire on paste
            triggers.append(parts[x].change)
        elif x not in ("file", "key"):
            triggers.append(parts[x].input)
    asked = gr.on(
        triggers,
        answered,
        [parts[x] for x in sent],
        [parts[x] for x in filled],
        js=f"(...inputs) => results.asked({json.dumps(name)}, {json.dumps(sent)}, inputs)",
        trigger_mode="always_last",
        **QUIET,
    )
    asked.then(None, js=f"() => results.answered({json.dumps(name)})", **PRIVATE)
    fill = f"() => {json.dumps(door.example)}"
    example.click(None, None, parts["box"], js=fill, show_progress="hidden", **PRIVATE)
    return Form(parts, sent, filled)
