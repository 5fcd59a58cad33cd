"""Tables that are pasted or uploaded: one reader, and menus that say which column is which."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, NamedTuple

import columns
import gradio as gr
from asking import PRIVATE, Result, ask, grey, html, refusal_below
from charts import MAY_BE_COUNTS, draw
from limits import (
    AT_HOME,
    LEVEL,
    LEVELS,
    MAX_COLUMNS,
    MAX_FILE,
    MAX_LABEL,
    MAX_ROWS,
    MAX_TEXT,
    MEANT,
    METRIC,
    Refusal,
)
from lists import as_rows, list_of, named_lists
from trial import is_small

from informedness.files.batches import read_files
from informedness.files.csv import DELIMITERS
from informedness.files.joined import columns_of
from informedness.files.listing import columns_listed
from informedness.files.open import FORMATS, list_files, open_whole, read_header
from informedness.files.samples import Samples
from informedness.logs.reading import READERS, read_log
from informedness.logs.report import how_read
from informedness.statistics.registry import score_named
from informedness.tables.label_options import LabelOptions
from informedness.text.account import lines_of_read
from informedness.text.render import shown
from informedness.warnings import collected

PART = "Sheet of the workbook, or run in the log"
PASTED = "label\tprediction\nham\tham\nham\tspam\nspam\tspam"
Sent = Any  # a file as a dict, text that was pasted, or a list as text for each role


class Answers(NamedTuple):
    """References and the predictions of each model, what was read, warnings, and the classes.

    `counts` is a column that may hold how many samples each row stands for.
    """

    columns: Sequence[Sequence[Any]]
    said: str = ""
    notes: Sequence[Warning] = ()
    of_task: Mapping[str, Any] = {}
    counts: str | None = None


class Upload:
    """A table that was sent; its columns are read when they are asked for.

    `part` is the sheet of a workbook. Where `is_numbered`, its first row is data, and its columns
    have numbers; None is for a guess.
    """

    def __init__(
        self, path: Path, folder: Path, encoding: str | None, part: str | None, is_numbered: Any
    ) -> None:
        self._path, self._encoding, self.part = path, encoding or None, part or None
        ((_, self._kind),) = list_files(path, None)
        with open_whole(str(path), self._kind, self._encoding, MAX_FILE) as stream:
            self._top = read_header(stream, self._kind, {}, self.part, MAX_FILE)
            stream.seek(0)
            self._content = stream.read()
        check_small(path, self._kind)
        self.header = list(self._top.header)  # JSON has keys of its first object
        self.parts = getattr(self._top, "sheets", [])
        is_text = self._kind in (*DELIMITERS, "json", "jsonl")
        top = self._content[:1000].decode(errors="replace") if is_text else ""
        self.first_lines = "\n".join(top.splitlines()[:5])
        has_names = self._kind not in (*DELIMITERS, "xlsx")
        self.is_numbered = not has_names and bool(
            self._lacks_names() if is_numbered is None else is_numbered
        )
        if self.is_numbered:
            names = [f"column {i}" for i in range(1, len(self.header) + 1)]
            self._put_above(names, folder / f"numbered.{self._kind}")
        if len(self.header) > MAX_COLUMNS or max(map(len, self.header), default=0) > MAX_LABEL:
            raise Refusal(
                f"A file can have at most {MAX_COLUMNS} columns, with names of at most {MAX_LABEL} "
                "characters."
            )

    def _lacks_names(self) -> bool:
        """Return whether the first row looks like data: what stands there stands below as well."""
        if any(columns.role_of(name) or columns.says_neither(name) for name in self.header):
            return False
        below = columns_listed(str(self._path), self._kind, self._encoding, self.part)
        twice = len(below) < len(self.header)
        return twice or any(name in values for name, values in below.items())

    def _put_above(self, names: list[str], copy: Path) -> None:
        """Go on with a copy that has these names above its rows."""
        if self._kind == "xlsx":
            import openpyxl

            book = openpyxl.load_workbook(self._path)
            for sheet in book:
                sheet.insert_rows(1)
                for i, name in enumerate(names, start=1):
                    sheet.cell(1, i, name)
            book.save(copy)
        else:
            lines = self._content.decode("utf-8-sig").splitlines(keepends=True)
            lines.insert(self._top.n_skipped, f"{self._top.delimiter.join(names)}\n")
            copy.write_text("".join(lines), "utf-8", newline="")
        self._path, self._encoding, self.header = copy, None, names

    def chosen(self, roles: Sequence[str], names: Sequence[Any]) -> list[str | None]:
        """Return the columns that were chosen, or a guess if none was."""
        return [*names] if any(names) else columns.guessed_columns(self.header, len(roles) - 1)

    def read(
        self,
        roles: Sequence[str],
        names: Sequence[str | None],
        counts: str | None = None,
        meant: Sequence[str] | None = None,
        threshold: Any = None,
        classes: str | None = None,
    ) -> Answers:
        """Return columns of labels, samples as counted; `meant` are names of `MEANT`."""
        names = columns.check_choices(self.chosen(roles, names), self.header, roles)
        named = dict(zip(columns.arguments_of(names), names, strict=True))
        named |= {"counts": counts} if counts else {}
        switches: dict[str, Any] = {name: name in (meant or ()) for name in MEANT}
        of_rows = {name: switches.pop(name) for name in ("drop_null", "keep_missing")}
        switches["unknown"] = "wrong" if switches["unknown"] else "error"
        with suppress(TypeError, ValueError):  # the package refuses what is no number
            threshold = float(threshold)
        labels = list_of(classes or "") or None
        options = LabelOptions(labels=labels, threshold=threshold or None, **switches)
        samples = Samples(named, options, **of_rows)
        samples.reads_names = score_named(METRIC).reads_names
        how: dict[str, Any] = {"encoding": self._encoding, "most_bytes": MAX_FILE}
        batches = read_files(self._path, samples, rows=self.part, **how)
        with collected() as notes:
            read, task, account = columns_of(samples, batches, MAX_ROWS)
        if not account.n_rows:
            raise Refusal("The table has a header, and no rows below it.")
        head, *lines = lines_of_read(account)
        said = "\n".join([head.removeprefix(str(self._path)).lstrip(":, "), *lines])
        may_be_counts = any(MAY_BE_COUNTS in str(note) for note in notes)
        offered = next(iter(samples.whole_columns()), None) if may_be_counts else None
        of_task = {"labels": task.classes, "unknown": task.unknown}
        return Answers([x.tolist() for x in read.values()], said, notes, of_task, offered)


class Log:
    """A log of an evaluation harness; `part` is a run in it: of a task, a filter and an epoch."""

    def __init__(self, path: Path, part: str | None) -> None:
        kind = "eval" if path.suffix == ".eval" else list_files(path, None)[0][1]
        if kind != "eval":
            with open_whole(str(path), kind, None, MAX_FILE):
                pass  # that it does not unpack to more
        check_small(path, kind)
        with collected() as self._notes:
            runs = read_log(path)
        # where a log names no model, it would be the folder of uploads
        runs = [replace(run, model="") if run.model in path.parts else run for run in runs]
        self._runs = {run.name: run for run in runs}
        self.header, self.is_numbered, self.first_lines = list[str](), False, ""
        self.parts = [*self._runs]
        self.part = part or (self.parts[0] if len(runs) == 1 else None)

    def chosen(self, *_: Any) -> list[str | None]:
        """Return that there are no columns to choose."""
        return []

    def read(self, *_: Any) -> Answers:
        """Return the answers of the run, and how they were found."""
        if self.part not in self._runs:
            raise Refusal(f'Choose one of these under "{PART}": {"; ".join(self.parts)}.')
        run = self._runs[self.part]
        of_task = {"labels": [*run.classes], "unknown": "wrong"}
        sides = [*run.references], run.known_predictions()
        return Answers(sides, how_read(run), self._notes, of_task)


def check_small(path: Path, kind: str) -> None:
    """Refuse a file that takes more memory than there is once it is unpacked."""
    if not is_small(str(path), kind, MAX_FILE):
        raise Refusal("The file takes too much memory once it is unpacked.")


@contextmanager
def opened(
    roles: Sequence[str],
    sent: Sent,
    encoding: str | None = None,
    part: str | None = None,
    is_numbered: bool | None = None,
) -> Iterator[Upload | Log]:
    """Open a table that was sent; text that was pasted becomes a file for the same reader.

    What is wrong with it is refused in the words of the reader, without the name of the file.
    """
    if isinstance(sent, (list, tuple)):
        lists = {role: list_of(text) for role, text in zip(roles, sent, strict=True) if text}
        sent = as_rows(lists) if len(lists) == len(roles) else None
    if not sent or (isinstance(sent, str) and not sent.strip()):
        raise Refusal("There is no table yet: send one first.")
    with TemporaryDirectory() as folder:
        path = Path(folder, "pasted.csv") if isinstance(sent, str) else Path(sent["path"])
        if isinstance(sent, str):
            if lists := named_lists(sent):
                sent = as_rows(lists)
            elif re.match(r"\s*(\[\s*)?{", sent):
                path = path.with_suffix(".json")
            path.write_bytes(f"{sent}\n".encode("utf-8", "surrogatepass"))
        try:
            # a comparison takes columns, of which a log has those of one model
            if len(roles) == 2 and any(reader.is_log(path) for reader in READERS.values()):
                yield Log(path, part)
            else:
                yield Upload(path, Path(folder), encoding, part, is_numbered)
        except FileNotFoundError:
            raise Refusal(
                "Uploads are deleted after a while, and this one is gone: send it again."
            ) from None
        except ValueError as error:
            said = re.sub(rf"({re.escape(str(path.parent))}|{folder})/[^/]*?: ", "", str(error))
            raise Refusal(said.replace(", the data has more", f". {AT_HOME}")) from None


def look(
    roles: Sequence[str],
    sent: Sent,
    encoding: str | None = None,
    part: str | None = None,
    is_numbered: bool | None = None,
    *given: Any,
) -> list[Any]:
    """Return what the controls show of a table, what was read of it, or why it is refused.

    The controls are the menu of its parts, whether columns have numbers, a menu for each role and
    one for counts, the button that offers counts, and the options. `given` are the columns that
    were chosen, and the other arguments of `read`.
    """
    names, options = [*given[: len(roles)]] or [None] * len(roles), given[len(roles) :]
    header, parts, counts = list[str](), list[str](), None
    block = refusal = ""
    try:
        with opened(roles, sent, encoding, part, is_numbered) as table:
            is_numbered, header = table.is_numbered, table.header
            parts, part = table.parts, table.part
            chosen = table.chosen(roles, names)
            names = chosen or names
            said = f"columns: {', '.join(map(shown, header))}"
            if all(chosen):
                _, said, _, _, counts = table.read(roles, chosen, *options)
            top = table.first_lines if isinstance(sent, dict) else ""
            block = draw("block", said=said, is_numbered=is_numbered, top=top)
    except Refusal as error:
        refusal = draw("refusal", message=str(error)) if sent else ""
    has_menus = not (isinstance(sent, tuple) or (parts and not header))  # as lists and logs do
    return [
        gr.update(choices=parts, value=part, visible=len(parts) > 1),
        bool(is_numbered),
        *(gr.update(choices=header, value=name, visible=has_menus) for name in names),
        gr.update(choices=header, value=options[0] if options else None),
        gr.update(value=f"Use column '{counts}' as counts", visible=counts is not None),
        gr.update(open=True) if "under Options" in refusal else gr.skip(),
        block,
        refusal,
    ]


def settings() -> list[Any]:
    """Return the controls of the average over classes, if the score has some, and of the level."""
    score = score_named(METRIC)
    averages = ["default", *(str(x) for x in score.averages if x)]
    shown_if: Any = {"visible": bool(score.averages)}, {"visible": hasattr(score, "interval")}
    levels = [(f"{level:.0%}", level) for level in LEVELS]
    return [
        gr.Dropdown(averages, value="default", label="Average over classes", **shown_if[0]),
        gr.Dropdown(levels, value=LEVEL, label="Interval", **shown_if[1]),
    ]


def fields_of(kind: str, roles: Sequence[str], value: str) -> list[Any]:
    """Return the fields into which a table is put: a file, a box of rows, or one for each list."""
    if kind == "file":
        label = f"Table (CSV, Excel, Parquet ...) or log, at most {MAX_FILE // 10**6} MB"
        kinds = [*FORMATS, ".txt", ".gz", ".bz2", ".zst", ".eval"]
        return [gr.File(label=label, file_types=kinds, height=170)]
    how: dict[str, Any] = {"lines": 5, "max_lines": 8, "max_length": MAX_TEXT}
    if kind == "lists":
        how["info"] = "One a line, between commas, or a list of Python or JSON"
        with gr.Row():
            return [gr.Textbox(label=role.capitalize(), **how) for role in roles]
    label = "Rows of a table, as copied from a spreadsheet or a file, with its header"
    how |= {"elem_classes": "takes-rows", "placeholder": PASTED, "value": value}  # for paste.js
    return [gr.Textbox(label=label, **how)]


def ask_in_tabs(
    verb: str, roles: Sequence[str], function: Callable[..., Any], result: Result, rows: str = ""
) -> Any:
    """Add a tab for each way to send a table, and return the box for rows, which may have some."""
    boxes = []
    for kind in ("paste", "lists", "file"):
        with gr.Tab(kind.capitalize(), id=kind):
            value = rows if kind == "paste" else ""
            boxes.append(_ask_of_table(kind, verb, roles, function, result, value))
    return boxes[0]


def _ask_of_table(
    kind: str,
    verb: str,
    roles: Sequence[str],
    function: Callable[..., Any],
    result: Result,
    value: str,
) -> Any:
    """Add fields for a table, a menu for the column of each role, what was read, and a button.

    The button calls a function with the answers in the table. The roles are the references and
    each model.
    """
    fields, name = fields_of(kind, roles, value), f"{verb.lower()}-{kind}"
    _, first_is_data, *menus, counted, _, _, said, _ = look(roles, value)
    # such as doc.label
    custom: dict[str, Any] = {"allow_custom_value": True, "visible": kind != "lists"}
    part = gr.Dropdown([], label=PART, visible=False)
    choices = [
        gr.Dropdown(menu["choices"], value=menu["value"], label=f"Column of {role}", **custom)
        for role, menu in zip(roles, menus, strict=True)
    ]
    block = html(said, elem_classes="if-filled")
    use_counts = gr.Button(visible=False, size="sm")
    with gr.Accordion("Options", open=False) as options:
        first = gr.Checkbox(first_is_data, label="The first row is data: columns have numbers")
        about = "For a table in which a row stands for several samples"
        counts = gr.Dropdown(counted["choices"], label="Column of counts", info=about, **custom)
        meant = gr.CheckboxGroup([(y, x) for x, y in MEANT.items()], label="What is meant")
        about = "For scores instead of predictions"
        threshold = gr.Textbox(label="Threshold", info=about, max_length=40)
        about = "All of them, between commas; for a threshold that of low scores first"
        classes = gr.Textbox(label="Classes", info=about, max_length=MAX_TEXT)
        how: dict[str, Any] = {"placeholder": "UTF-8", "max_length": 40, "visible": kind == "file"}
        encoding = gr.Textbox(label="Encoding of text", **how)
        shown_as = settings()
    button, refusal = gr.Button(verb, variant="primary", elem_id=name), refusal_below(name)
    controls: list[Any] = [encoding, part, first, *choices, counts, meant, threshold, classes]
    filled: list[Any] = [part, first, *choices, counts, use_counts, options, block, refusal]
    n_fields = len(fields)

    def looked(*values: Any) -> list[Any]:
        sent = values[0] if n_fields == 1 else values[:n_fields]
        return look(roles, sent, *values[n_fields:])

    def asked(*values: Any) -> Any:
        sent = values[0] if n_fields == 1 else values[:n_fields]
        encoding, part, is_numbered, *given, average, level = values[n_fields:]
        names, others = given[: len(roles)], given[len(roles) :]
        with opened(roles, sent, encoding, part, is_numbered if any(names) else None) as table:
            answers = table.read(roles, names, *others)
        how = {"average": average, "level": level, **answers.of_task}
        return function(answers.columns, answers.said, answers.notes, **how)

    # Take what the browser sends: columns are looked up in the table itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    raw["trigger_mode"] = "always_last"
    changed = [field.change for field in fields]
    anew = {1: (*changed, encoding.submit, encoding.blur), 2: (part.input,), 3: (first.input,)}
    for n_kept, events in anew.items():
        for event in events:  # what comes behind is guessed anew
            event(looked, [*fields, *controls[:n_kept]], filled, **raw)
    for control in controls[3:]:  # whose menus stay as they are
        shown_of_it = [use_counts, options, block, refusal]
        control.input(lambda *given: looked(*given)[-4:], [*fields, *controls], shown_of_it, **raw)
    # What is typed, pasted or ticked greys by page.js; a link that fills the field does not.
    inputs = [*controls, *shown_as]
    menus_chosen = [x.input for x in inputs if isinstance(x, gr.Dropdown)]
    grey(result.story, *(changed if kind == "file" else []), *menus_chosen)
    used = use_counts.click(lambda said: said.split("'")[1], use_counts, counts, **raw)
    for press in (button.click, used.then):
        ask(press, asked, [*fields, *inputs], [result], result, refusal, preprocess=False)
    return fields[0]
