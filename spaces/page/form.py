"""Build the form of a door: a box or a file, an account of what was recognised, and the result.

One event reads and scores whenever an input changes. The browser's part of it is in page.js.
"""

import hashlib
import json
import re
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, NamedTuple

import charts
import gradio as gr
from charts import draw, remedies_of, sentence
from data import is_block, is_empty, pasted_matrix
from limits import HERE, LEVEL, LEVELS, MAX_FILE, MAX_GRID, MEANT, METRIC, WORDS
from lists import as_rows, is_list, may_be_list, named_lists, rows_of_lists
from reading import PART, Unclear, choose_columns, opened, role_of, text_of_file

from informedness.files.opening import FORMATS
from informedness.inference.registry import score_named
from informedness.text.render import shown as shown_name

FORMS = WORDS["forms"]  # forms of a table, with their titles
NOTHING: dict[str, Any] = {"__type__": "update"}  # leaves a part of the page unchanged
PRIVATE: dict[str, Any] = {"api_visibility": "private"}
QUIET: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
SHOWN_ONLY = ("account", "refusal", "story", "details")  # parts that no visitor changes


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

    @property
    def lists(self) -> list[str]:
        """The names of boxes for lists, which follow the box for everything."""
        return [f"list {role}" for role in self.roles[1:]]

    @property
    def columns(self) -> list[str]:
        """The names of menus of columns."""
        return [f"column {role}" for role in self.roles]


def read(door: Door, given: dict[str, Any]) -> dict[str, Any]:
    """Read and score the inputs of a door, and return new values of its parts by name.

    If the text or the file has changed, its form and columns are recognised anew.
    """
    one = Reading(door, given)
    try:
        one.shown["story"], one.shown["details"] = one.score()
    except ValueError as error:
        forms = one.possible_forms() if isinstance(error, Unclear) else {}
        said = {"message": one.worded(error), "buttons": remedies_of(error, forms)}
        one.shown["refusal"] = draw("refusal", **said)
    one.shown["key"] = f"{one.key} {one.shown.get('form') or ''}"
    return one.shown


class Reading:
    """One reading of what a door is given; `shown` has new values of its parts by name."""

    def __init__(self, door: Door, given: dict[str, Any]) -> None:
        self.door, self.given, self.worded = door, given, sentence
        self.shown: dict[str, Any] = dict.fromkeys(SHOWN_ONLY, "")
        self.settings = {"average": given["average"], "level": given["level"]}
        self.lists: dict[str, list[str]] = {}  # in the text, by name
        old_key, _, old_form = given["key"].partition(" ")
        if given["file"] and given["box"]:  # the newer one counts
            is_old_file = old_key == key_of(given["file"]["path"])
            part = "file" if is_old_file else "box"
            given[part] = self.shown[part] = None if is_old_file else ""
        self.file, self.text = given["file"], given["box"] or ""
        self.key = key_of(self.file["path"] if self.file else self.text)
        if self.key and self.key != old_key:  # forget choices made for an older text
            is_cell = given["form"] == "matrix" and not old_key
            given["form"] = "matrix" if is_cell and self._is_square() else None
            given["part"] = None
        self.is_new = self.key != old_key or old_form != (given["form"] or "")

    def score(self) -> tuple[str, str]:
        """Score the newest input, and return its story and details; both empty without input."""
        given = self.given
        if self.file:
            self.text = text_of_file(self.file, given["encoding"])
        if given["form"] not in ("rows", "matrix"):
            self.lists = named_lists(self.text)
        form = given["form"] or self._recognised_form()
        needs_boxes = form == "lists" and not self.lists
        self.shown |= {name: gr.update(visible=needs_boxes) for name in self.door.lists}
        self.shown |= {x: gr.update(visible=False) for x in ("part", *self.door.columns)}
        self.shown["form"] = form
        if self.door.score_grid:
            self.shown["grid"] = gr.update(visible=form == "matrix")
            if form == "matrix":
                return self._score_grid(self.door.score_grid)
        return self._score_table(form) if self.file or self.text.strip() else ("", "")

    def _is_square(self) -> bool:
        try:
            return bool(pasted_matrix(self.text, []))
        except ValueError:
            return False

    def possible_forms(self) -> dict[str, str]:
        """List the forms that an unclear text may have, with their titles."""
        others = {"matrix": self._is_square(), "lists": bool(self.text)}
        return {x: y for x, y in self.door.forms.items() if others.get(x, True)}

    def _recognised_form(self) -> str | None:
        """Find the only form that a text can have; None for a table, or if several are possible.

        The order is JSON, a header row, a matrix with names or brackets, and lists.
        """
        first, *below = self.text.strip().splitlines() or [""]
        cells = re.split(r"[,;\t]", first)
        has_lists = bool(self.lists) or is_list(self.text)
        is_whole = bool(below) or len(cells) == len(self.door.roles)
        is_header = not has_lists and is_whole and all(map(role_of, cells))
        if re.match(r'\s*(\[\s*)?\{\s*"', self.text) or (is_header and cells[1:]):
            return None
        if self.door.score_grid and is_block(self.text):
            return "matrix"
        has_lists = has_lists or (may_be_list(self.text) and not is_header)
        return "lists" if self.text.strip() and has_lists else None

    def _score_grid(self, score_grid: Callable[..., tuple[str, str]]) -> tuple[str, str]:
        """Move any text into the grid, and score the grid."""
        grid = self.given["grid"]
        self.worded = charts.paste_sentence if self.text.strip() else charts.matrix_sentence
        if self.text.strip():
            grid, note = pasted_matrix(self.text, grid["labels"])
            self.shown |= {"grid": gr.update(value=grid, visible=True), "box": "", "file": None}
            self.shown["account"] = draw("account", form=FORMS["matrix"], lines=[note], top="")
            self.key = ""
        elif not self.is_new:
            del self.shown["account"]  # keeps the note on the pasted matrix
        return ("", "") if is_empty(grid) else score_grid(grid, **self.settings)

    def _score_table(self, form: str | None) -> tuple[str, str]:
        """Read a table, a log or lists, show what was recognised, and score it."""
        door, given, shown = self.door, self.given, self.shown
        sent, form_sent = self.file or self.text, form
        if self.lists or form == "lists":
            texts = [self.text, *(given[name] or "" for name in door.lists)]
            sent = as_rows(self.lists) if self.lists else rows_of_lists(door.roles, texts)
            form_sent = "names"
        with opened(door.roles, sent, form_sent, given["encoding"], given["part"]) as table:
            header, form = table.header, form or table.form
            names, counts = self._show_menus(table, form)
            called = {"json": "JSON", "jsonl": "JSON", "log": "Log"}.get(table.kind) or FORMS[form]
            top = table.first_lines if self.file else ""
            account = partial(draw, "account", form=called, top=top)
            columns = f"columns: {', '.join(map(shown_name, header))}" if header else ""
            shown["account"] = account(lines=[columns])
            options = (given[name] for name in ("meant", "threshold", "classes"))
            answers = table.read(door.roles, names, counts, *options)
        shown["account"] = account(lines=answers.account.splitlines())
        return door.score(answers, **self.settings)

    def _show_menus(self, table: Any, form: str | None) -> tuple[list[str | None], str | None]:
        """Show the form and the menus of a table; return the columns of labels and of counts."""
        given, header = self.given, table.header
        names = [given[name] for name in self.door.columns]
        if self.is_new and not all(name in header for name in names):
            names = [None] * len(names)
        names = choose_columns(names, header)
        are_shown = bool(header) and (form != "lists" or bool(self.lists))
        for part, name in zip(self.door.columns, names, strict=True):
            self.shown[part] = gr.update(choices=header, value=name, visible=are_shown)
        has_parts = len(table.parts) > 1
        self.shown["part"] = gr.update(choices=table.parts, value=table.part, visible=has_parts)
        counts = given["counts"] if not self.is_new or given["counts"] in header else None
        self.shown["counts"] = gr.update(choices=header, value=counts)
        self.shown |= {"form": form, "meant": given["meant"]}
        return names, counts


def key_of(text: str) -> str:
    """Hash a text to recognise changes; blank texts are all empty."""
    text = text.strip()
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16] if text else ""


# The parts


def html(value: Any, **options: Any) -> gr.HTML:
    """Add a part of the page that the templates draw."""
    return gr.HTML(value, apply_default_css=False, **options)


def scripted(name: str, value: Any = None, **options: Any) -> gr.HTML:
    """Add a part of the page that the template and the script of this name draw."""
    template, script = draw(name, value=value), (HERE / f"{name}.js").read_text("utf-8")
    options |= {"html_template": template, "js_on_load": script, "elem_id": name}
    return html(value, **options)


def inputs_of(door: Door) -> dict[str, Any]:
    """Add the inputs of a table: a box, a file, its form, and its columns."""
    kinds = [*FORMATS, ".txt", ".gz", ".bz2", ".zst", ".eval"]
    # without `max_length`, because browsers would cut pasted text
    size: dict[str, Any] = {"lines": 4, "max_lines": 8}
    takes = dict(WORDS["takes"][door.name])
    form_info = takes.pop("form")
    # page.js finds it by its class
    parts: dict[str, Any] = {"box": gr.Textbox(elem_classes="takes-rows", **takes, **size)}
    for name, role in zip(door.lists, door.roles[1:], strict=True):
        parts[name] = gr.Textbox(label=f"List of {role}", visible=False, **size)
    label = f"Or a file: a table (CSV, Excel, Parquet …) or a log, at most {MAX_FILE // 10**6} MB"
    parts["file"] = gr.File(label=label, file_types=kinds, height=130)
    forms = [(y, x) for x, y in door.forms.items()]
    parts["form"] = gr.Radio(forms, value=None, label="What it is", info=form_info)
    if door.score_grid:
        grid = {"labels": ["class 1", "class 2"], "cells": [["", ""]] * 2}
        grid |= {"declared": None, "axes": []}
        parts["grid"] = scripted("grid", grid, visible=False, most=MAX_GRID)
    parts["part"] = gr.Dropdown([], label=PART, visible=False)
    for name, role in zip(door.columns, door.roles, strict=True):
        label = f"Column of {role}"
        # such as doc.label
        parts[name] = gr.Dropdown([], label=label, visible=False, allow_custom_value=True)
    return parts


def options_of() -> dict[str, Any]:
    """Add the options of labels and of the score; those that do not apply are hidden."""
    score = score_named(METRIC)
    averages = ["default", *filter(None, score.averages)]
    levels = [(f"{level:.0%}", level) for level in LEVELS]
    has_level, label = hasattr(score, "interval"), "Average over classes"
    rows = "For a table with several samples in a row"
    scores = "For scores instead of predictions"
    classes = "All of them, between commas; for a threshold that of low scores first"
    custom: dict[str, Any] = {"allow_custom_value": True, "info": rows}
    with gr.Accordion("Options", open=False):
        return {
            "counts": gr.Dropdown([], value=None, label="Column of counts", **custom),
            "meant": gr.CheckboxGroup([(y, x) for x, y in MEANT.items()], label="What is meant"),
            "threshold": gr.Textbox(label="Threshold", info=scores),
            "classes": gr.Textbox(label="Classes", info=classes),
            "encoding": gr.Dropdown(WORDS["encodings"], value=None, label="Encoding of text"),
            "average": gr.Dropdown(averages, label=label, visible=len(averages) > 1),
            "level": gr.Dropdown(levels, value=LEVEL, label="Interval", visible=has_level),
        }


def add_form(door: Door) -> dict[str, Any]:
    """Add a form with its result, read and scored by one event; return its parts by name."""
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
    sent = [x for x in parts if x not in SHOWN_ONLY]

    def score_door(*values: Any) -> list[Any]:
        shown = read(door, dict(zip(sent, values, strict=True)))
        return [shown.get(x, NOTHING) for x in parts]

    triggers = [button.click, parts["file"].upload, parts["file"].clear]
    for x in sent:
        if isinstance(parts[x], gr.Textbox):  # its `input` does not fire on paste
            triggers.append(parts[x].change)
        elif x not in ("file", "key"):
            triggers.append(parts[x].input)
    scored = gr.on(
        triggers,
        score_door,
        [parts[x] for x in sent],
        [*parts.values()],
        js=f"(...inputs) => results.asked({json.dumps(name)}, {json.dumps(sent)}, inputs)",
        trigger_mode="always_last",
        **QUIET,
    )
    scored.then(None, js=f"() => results.answered({json.dumps(name)})", **PRIVATE)
    fill = f"() => {json.dumps(door.example)}"
    example.click(None, None, parts["box"], js=fill, show_progress="hidden", **PRIVATE)
    return parts
