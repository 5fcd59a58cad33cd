"""Tables that are pasted or uploaded: one reader, and menus that say which column is which."""

import functools
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import charts
import columns
import gradio as gr
import limits
from asking import PRIVATE, Result, ask, grey, html, refusal_below
from charts import draw
from data import shown
from limits import (
    AT_HOME,
    MAX_COLUMNS,
    MAX_FILE,
    MAX_LABEL,
    MAX_ROWS,
    MAX_TEXT,
    MEANT,
    METRIC,
    Refusal,
)
from trial import is_small

from informedness.files.csv import DELIMITERS
from informedness.files.joined import columns_of
from informedness.files.listing import columns_listed
from informedness.files.open import FORMATS, list_files, open_whole, read_header
from informedness.files.samples import Samples, read_files
from informedness.statistics.registry import score_named
from informedness.text.account import lines_of_read
from informedness.warnings import collected

Sent = Mapping[str, Any] | str | None  # a file, or text that was pasted


class Upload:
    """A table that was sent; its columns are read when they are asked for.

    Where `is_numbered`, its first row is data, and its columns have numbers; None is for a guess.
    """

    def __init__(
        self, path: Path, folder: Path, encoding: str | None, is_numbered: bool | None
    ) -> None:
        self._path, self._encoding = path, encoding or None
        ((_, self._kind),) = list_files(path, None)
        with open_whole(str(path), self._kind, self._encoding, MAX_FILE) as stream:
            self._top = read_header(stream, self._kind, {}, None, MAX_FILE)
            stream.seek(0)
            self._content = stream.read()
        if not is_small(str(path), self._kind, MAX_FILE):
            raise Refusal("The file takes too much memory once it is unpacked.")
        self.header = list(self._top.header)  # JSON has keys of its first object
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
        below = columns_listed(str(self._path), self._kind, self._encoding, None)
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

    def read(
        self, names: Sequence[str], counts: str | None = None, meant: Collection[str] = ()
    ) -> tuple[list[list[Any]], str]:
        """Return columns of labels, samples as counted, and a note on what was read.

        `meant` are names of `MEANT`.
        """
        named = dict(zip(columns.arguments_of(names), names, strict=True))
        if counts:
            named["counts"] = counts
        how: dict[str, Any] = {name: name in meant for name in MEANT}
        samples = Samples(named, **how)
        samples.reads_names = score_named(METRIC).reads_names
        how = {"encoding": self._encoding, "most_bytes": MAX_FILE}
        with collected() as notes:
            read = columns_of(samples, read_files(self._path, samples, **how), MAX_ROWS)
        if not read.read.n_rows:
            raise Refusal("The table has a header, and no rows below it.")
        head, *lines = lines_of_read(read.read)
        notes_said = (charts.sentence(charts.plain(note)) for note in notes)
        said = [head.removeprefix(f"{self._path}: "), *lines, *notes_said]
        return [x.tolist() for x in read.columns.values()], "\n".join(said)


@contextmanager
def opened(
    sent: Sent, encoding: str | None = None, is_numbered: bool | None = None
) -> Iterator[Upload]:
    """Open a table that was sent; text that was pasted becomes a file for the same reader.

    What is wrong with it is refused in the words of the reader, without the name of the file.
    """
    if not sent or (isinstance(sent, str) and not sent.strip()):
        raise Refusal("There is no table yet: send one first.")
    with TemporaryDirectory() as folder:
        path = Path(folder, "pasted.csv") if isinstance(sent, str) else Path(sent["path"])
        if isinstance(sent, str):
            if re.match(r"\s*(\[\s*)?{", sent):
                path = path.with_suffix(".json")
            path.write_bytes(f"{sent}\n".encode("utf-8", "surrogatepass"))
        try:
            yield Upload(path, Path(folder), encoding, is_numbered)
        except FileNotFoundError:
            raise Refusal(
                "Uploads are deleted after a while, and this one is gone: send it again."
            ) from None
        except ValueError as error:
            said = re.sub(rf"^({re.escape(str(path.parent))}|{folder})/[^/]*?: ", "", str(error))
            raise Refusal(said.replace(", the data has more", f". {AT_HOME}")) from None


def named(table: Upload, roles: Sequence[str], chosen: Sequence[str | None]) -> list[str | None]:
    """Return the columns that were chosen, or a guess if none was."""
    return [*chosen] if any(chosen) else columns.guessed_columns(table.header, len(roles) - 1)


def look(
    roles: Sequence[str],
    sent: Sent,
    encoding: str | None = None,
    is_numbered: bool | None = None,
    *given: Any,
) -> list[Any]:
    """Return whether a table has numbered columns, its menus, what was read of it, or why not.

    There is a menu for each role, and one for counts. Behind these controls, that of `MEANT` may
    be given.
    """
    *chosen, counts, meant = given or [None] * (len(roles) + 2)
    header, names, block, refusal = list[str](), chosen, "", ""
    try:
        with opened(sent, encoding, is_numbered) as table:
            is_numbered, header = table.is_numbered, table.header
            names = named(table, roles, chosen)
            said = f"columns: {', '.join(map(shown, header))}"
            if all(names):
                checked = columns.check_choices(names, header, roles)
                _, said = table.read(checked, counts, meant or ())
            block = draw("block", said=said, is_numbered=is_numbered)
    except Refusal as error:
        refusal = draw("refusal", message=str(error)) if sent else ""
    menus = [gr.update(choices=header, value=name) for name in (*names, counts)]
    return [bool(is_numbered), *menus, block, refusal]


def ask_of_table(
    verb: str, roles: Sequence[str], function: Callable[..., Any], result: Result, **pasted: Any
) -> Any:
    """Add a field for a table, a menu for the column of each role, what was read, and a button.

    The field is a box to paste into if `pasted` are its options, else one for a file. The button
    calls a function with the columns. The roles are the references and each model.
    """
    is_file = not pasted
    if is_file:
        label = f"Table (CSV, Excel, Parquet ...), at most {MAX_FILE // 10**6} MB"
        kinds = [*FORMATS, ".txt", ".gz", ".bz2", ".zst"]
        field: Any = gr.File(label=label, file_types=kinds, height=170)
    else:
        label = "Rows of a table, as copied from a spreadsheet or a file, with its header"
        field = gr.Textbox(label=label, lines=5, max_lines=8, max_length=MAX_TEXT, **pasted)
    first_is_data, *menus, said, _ = look(roles, field.value)
    custom: dict[str, Any] = {"allow_custom_value": True}  # such as doc.label
    choices = [
        gr.Dropdown(menu["choices"], value=menu["value"], label=f"Column of {role}", **custom)
        for role, menu in zip(roles, menus, strict=False)
    ]
    block = html(said, elem_classes="if-filled")
    with gr.Accordion(limits.OPTIONS, open=False):
        first = gr.Checkbox(first_is_data, label="The first row is data: columns have numbers")
        about = "For a table in which a row stands for several samples"
        counts = gr.Dropdown(menus[-1]["choices"], label=limits.COUNTS, info=about, **custom)
        meant = gr.CheckboxGroup([(y, x) for x, y in MEANT.items()], label="What is meant")
        how: dict[str, Any] = {"placeholder": "UTF-8", "max_length": 40, "visible": is_file}
        encoding = gr.Textbox(label=limits.ENCODING, **how)
    name = f"{verb.lower()}-{'file' if is_file else 'paste'}"
    button, refusal = gr.Button(verb, variant="primary", elem_id=name), refusal_below(name)

    def asked(sent: Sent, encoding: str, is_numbered: bool, *given: Any) -> Any:
        *chosen, counts, meant = given
        with opened(sent, encoding, is_numbered if any(chosen) else None) as table:
            names = columns.check_choices(named(table, roles, chosen), table.header, roles)
            read = table.read(names, counts, meant or ())
        return function(*read)

    # Take what the browser sends: columns are looked up in the table itself, not among the choices
    # that the server keeps for each visitor.
    raw: dict[str, Any] = {"preprocess": False, "show_progress": "hidden", **PRIVATE}
    raw["trigger_mode"] = "always_last"
    inputs: list[Any] = [field, encoding, first, *choices, counts, meant]
    filled: list[Any] = [first, *choices, counts, block, refusal]
    looked = functools.partial(look, roles)
    for anew in (field.change, encoding.submit, encoding.blur):
        anew(looked, inputs[:2], filled, **raw)
    first.input(looked, inputs[:3], filled, **raw)
    for control in inputs[3:]:  # whose menus stay as they are
        control.input(lambda *given: looked(*given)[-2:], inputs, filled[-2:], **raw)
    # What is typed or pasted greys by page.js; a link that fills the field does not.
    grey(result.story, *[field.change] * is_file, *(control.input for control in inputs[1:]))
    ask(button.click, asked, inputs, [result], result, refusal, preprocess=False)
    return field
