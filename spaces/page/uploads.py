"""File upload: columns are guessed by name or chosen, and shown under their roles."""

import contextlib
import zipfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import charts
import gradio as gr
import limits
from asking import PRIVATE, Result, ask, grey, meant_box, refusal_below
from charts import draw
from columns import arguments_of, check_choices, guessed_columns, in_a_sentence
from limits import AT_HOME, MAX_COLUMNS, MAX_FILE, MAX_LABEL, MAX_ROWS, MEANT, Refusal

from informedness.inputs.joined import Whole, read_columns
from informedness.inputs.open import FORMATS, list_files, named_format, open_whole, read_header
from informedness.results.render import lines_of_read

SHOWN_ROWS = 4


def _column_names(path: str, encoding: str | None, most_bytes: int) -> list[str]:
    """Return the names of the columns of a file; those of JSON are the keys of its first object."""
    ((file, kind),) = list_files(path, None)
    with open_whole(file, kind, encoding, most_bytes) as stream:
        return list(read_header(stream, kind, {}).header)


class Upload:
    """A file that was sent; each of its columns is read when it is asked for."""

    def __init__(
        self, sent: Mapping[str, Any], counts: str | None = None, encoding: str | None = None
    ) -> None:
        self._path, self._counts = str(sent["path"]), counts
        self._how = {"encoding": encoding or None, "most_bytes": MAX_FILE}
        self._check_unpacked()
        self.header = self._asked(_column_names)
        if len(self.header) > MAX_COLUMNS or max(map(len, self.header), default=0) > MAX_LABEL:
            raise Refusal(
                f"A file can have at most {MAX_COLUMNS} columns, with names of at most {MAX_LABEL} "
                "characters."
            )

    def _check_unpacked(self) -> None:
        """Refuse a workbook whose parts are too large once they are unpacked."""
        if named_format(Path(self._path)) == "xlsx" and zipfile.is_zipfile(self._path):
            with zipfile.ZipFile(self._path) as archive:
                size = sum(part.file_size for part in archive.infolist())
            if size > MAX_FILE:
                raise Refusal(
                    f"A workbook can have at most {MAX_FILE:,d} bytes, this one has {size:,d}."
                )

    def _asked(self, read: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        try:
            return read(self._path, *arguments, **self._how, **options)
        except FileNotFoundError:
            raise Refusal(
                "Uploads are deleted after a while, and this one is gone: send it again."
            ) from None
        except ValueError as error:
            message = str(error).removeprefix(f"{self._path}: ")
            raise Refusal(message.replace(", the data has more", f". {AT_HOME}")) from None

    def read(self, names: Sequence[str], is_sure: bool = True) -> Whole:
        """Return columns of labels without rows that are left out, with samples as counted.

        Where it is not sure that these are the columns, missing values are left out as well.
        """
        named = dict(zip(arguments_of(names), names, strict=False))
        if is_sure and self._counts:
            named["counts"] = self._counts
        with contextlib.nullcontext() if is_sure else charts.noting(["drop_null"]):
            meant = {name: charts.is_meant(name) for name in MEANT}
            read: Whole = self._asked(read_columns, named, most_rows=MAX_ROWS, **meant)
            return read

    def column(self, name: str) -> list[Any]:
        """Return one column, none of it if it holds no labels."""
        try:
            return self.read([name], is_sure=False).columns["references"].tolist()
        except Refusal:
            return []


def draw_columns(file: Upload, names: Sequence[str | None], roles: Sequence[str]) -> str:
    """Return the first rows of an upload, with the column of each role under its name."""
    there = list(dict.fromkeys(filter(None, names)))
    columns = {}
    if there:
        read = file.read(there, is_sure=False).columns
        columns = {name: x.tolist() for name, x in zip(there, read.values(), strict=True)}
    total = max(map(len, columns.values()), default=0)
    named = dict(zip(roles, names, strict=True))
    return draw(
        "columns", roles=named, columns=columns, total=total, n_lines=min(total, SHOWN_ROWS)
    )


def labels_of_upload(
    upload: Mapping[str, Any] | None, chosen: Sequence[Any], roles: Sequence[str]
) -> tuple[list[list[Any]], str]:
    """Return the labels in the columns chosen for the roles, and a note on them.

    Behind the columns stand the column of counts and the encoding.
    """
    if not upload:
        raise Refusal("Upload a file, then choose its columns.")
    file = Upload(upload, *chosen[len(roles) :])
    names = check_choices(chosen[: len(roles)], roles)
    with charts.noting() as notes:
        read = file.read(names)
    said = [*lines_of_read(read.read)[1:], *map(charts.sentence, notes)]
    head = f"{read.read.n_rows:,d} rows"
    return [x.tolist() for x in read.columns.values()], "\n".join([head, *said])


def ask_of_file(
    verb: str, roles: Sequence[str], function: Callable[..., Any], result: Result
) -> None:
    """Add a place for a file, the choice of a column for each role, and a button.

    The button calls a function with them. The first rows are shown above it. The roles are the
    references and each model.
    """
    upload = gr.File(
        label=f"Table (CSV, Excel, Parquet ...), at most {MAX_FILE // 10**6} MB",
        file_types=[*FORMATS, ".txt", ".gz", ".bz2", ".xz", ".zst"],
        height=170,
    )
    names: dict[str, Any] = {"choices": [], "allow_custom_value": True}  # such as doc.label
    choices = [gr.Dropdown(label=f"Column of {in_a_sentence(role)}", **names) for role in roles]
    preview = gr.HTML("", apply_default_css=False, elem_classes="if-filled")
    with gr.Accordion(limits.OPTIONS, open=False):
        about = "For a table in which a row stands for several samples"
        counts = gr.Dropdown(label=limits.COUNTS, info=about, **names)
        meant = meant_box(*MEANT)
        encoding = gr.Textbox(label=limits.ENCODING, placeholder="UTF-8", max_length=40)
    options: list[Any] = [counts, encoding]

    def drawn(sent: Mapping[str, Any] | None, *given: Any) -> str:
        try:
            file = Upload(sent, *given[len(roles) :]) if sent else None
            return draw_columns(file, given[: len(roles)], roles) if file else ""
        except Refusal as error:
            return draw("refusal", message=str(error))

    def guess(sent: Mapping[str, Any] | None, *given: Any) -> list[Any]:
        header: list[str] = []
        names: list[str | None] = [None] * len(roles)
        with contextlib.suppress(Refusal):  # which is drawn
            if sent:
                file = Upload(sent, *given)
                header = file.header
                names = guessed_columns(header, file.column, models=len(roles) - 1)
        fields = [gr.Dropdown(choices=header, value=name) for name in (*names, None)]
        return [*fields, drawn(sent, *names, *given)]

    def of_file(sent: Mapping[str, Any] | None, *given: Any) -> Any:
        *chosen, meant = given
        with charts.noting(meant or ()):
            return function(*labels_of_upload(sent, chosen, roles))

    # Take what the browser sends: columns are looked up in the file itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    asked = [upload, *choices, *options, meant]
    for changed in (upload.change, encoding.submit, encoding.blur):
        changed(guess, [upload, *options], [*choices, counts, preview], **raw)
    for choice in choices:
        choice.input(drawn, asked[:-1], preview, trigger_mode="always_last", **raw)
    name = f"{verb.lower()}-file"
    button, refusal = gr.Button(verb, variant="primary", elem_id=name), refusal_below(name)
    grey(result.story, upload.change, *(field.input for field in asked[1:]))
    ask(button.click, of_file, asked, [result], result, refusal, preprocess=False)
