"""Read pasted or uploaded tables and logs with the readers of the package."""

import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import openpyxl
from data import ROLES, Answers, check_classes
from limits import MAX_COLUMNS, MAX_FILE, MAX_LABEL, MAX_ROWS, MEANT, METRIC, WORDS, Refusal
from lists import as_table, list_of, spreadsheet_text
from trial import UNPACKING, run_trial

from informedness.commands.reading import COMPARE_ROLES, Reader
from informedness.commands.request import ColumnNames, Source
from informedness.core.labels import show
from informedness.files.opening import DELIMITERS, list_files, open_whole
from informedness.files.reading import FileOptions
from informedness.logs.reading import READERS
from informedness.logs.runs import how_found
from informedness.messages import without_subject
from informedness.tables.label_options import LabelOptions
from informedness.tables.label_warnings import role_in, words_of
from informedness.warnings import collected

TOO_LONG = f"There can be at most {MAX_ROWS:,d} rows. {WORDS['local_remedy']}"
PART = "Sheet of the workbook, or run in the log"
_NEITHER = re.compile(r"ids?|idx|index|scores?|prob\w*|logits?|conf\w*|loss|correct")
_MODEL = re.compile(r"outputs?|answers?|responses?|model|system")


def role_of(name: str) -> str | None:
    """Guess from its name which of `ROLES` a column has, or "neither"; None if it does not say."""
    words = words_of(name)
    if any(map(_NEITHER.fullmatch, words)):
        return "neither"
    return role_in(name) or ("predictions" if any(map(_MODEL.fullmatch, words)) else None)


def choose_columns(names: Sequence[str | None], header: Sequence[str]) -> list[str | None]:
    """Choose the columns of these names, or guess them if no name is given.

    If names do not tell, and the number of columns is exactly the number needed, the references
    come first. Columns named like identifiers or probabilities are never chosen.
    """
    if any(names):
        return [*names]
    n_models = len(names) - 1
    usable = [x for x in header if header.count(x) == 1 and role_of(x) != "neither"]
    references, predictions = ([x for x in usable if role_of(x) == role] for role in ROLES)
    if not references and len(usable) == n_models + 1:
        references = [x for x in usable if x not in predictions][:1]
    reference = references[0] if len(references) == 1 else None
    others = [x for x in usable if x != reference]
    if len(predictions) != n_models and reference and len(others) == n_models:
        predictions = others
    return [reference, *(predictions if len(predictions) == n_models else [None] * n_models)]


def check_choices(
    names: Sequence[str | None], header: Sequence[str], roles: Sequence[str]
) -> list[str]:
    """Refuse choices in which a role has no column; return the names of the columns."""
    if len(header) < len(roles):
        raise Refusal(
            f"A table needs a column each for {', '.join(roles[:-1])} and {roles[-1]}, and this "
            f"one has {', '.join(map(show, header)) or 'none'}. Put them side by side, separated "
            "by tabs or commas."
        )
    for name, role in zip(names, roles, strict=True):
        if not name:
            raise Refusal(f"Choose the column of {role}: the header does not say which one it is.")
    return [name for name in names if name]


class Unclear(Refusal):
    """The form of a table is ambiguous, so the visitor must choose it."""


class Upload:
    """A table that was sent; `read` reads its columns.

    `part` is the sheet of a workbook. In the form "rows" the first row is data, and columns are
    numbered. The form is recognised if it is None.
    """

    def __init__(
        self, path: Path, folder: Path, form: str | None, encoding: str | None, part: str | None
    ) -> None:
        ((_, self.kind),) = list_files(path, None)
        options = FileOptions(None, encoding, part, max_bytes=MAX_FILE)
        with options.open(str(path), self.kind) as stream:
            top: Any = options.make_reader(stream, self.kind, {})
            stream.seek(0)
            content = stream.read()
        if self.kind in UNPACKING:
            run_trial(str(path), self.kind, MAX_FILE)
        self.header, self.parts = list(top.header), list(top.sheets)
        self.part, self.form = part, form or "names"
        if len(self.header) > MAX_COLUMNS or max(map(len, self.header), default=0) > MAX_LABEL:
            raise Refusal(
                f"A file can have at most {MAX_COLUMNS} columns, with names of at most {MAX_LABEL} "
                "characters."
            )
        may_lack_names = self.kind in (*DELIMITERS, "xlsx")
        if may_lack_names and form is None and not any(map(role_of, self.header)):
            raise Unclear(
                "The first row may hold the names of the columns, or be data: say what it is."
            )
        is_text = self.kind in (*DELIMITERS, "json", "jsonl")
        first = content[:1000].decode(errors="replace") if is_text else ""
        self.first_lines = "\n".join(first.splitlines()[:5])
        if may_lack_names and form == "rows":
            self.header = [f"column {i}" for i in range(1, len(self.header) + 1)]
            text = self._put_names_above(path, content, top)
            path, encoding = folder / "numbered.csv", None
            path.write_text(text, "utf-8", newline="")
        sheet = None if form == "rows" else part
        file_options = FileOptions(None, encoding, sheet, max_bytes=MAX_FILE)
        self._source = Source((str(path),), file_options, most_rows=MAX_ROWS)

    def _put_names_above(self, path: Path, content: bytes, top: Any) -> str:
        """Write the table with the names of the header above its rows."""
        if self.kind == "xlsx":
            book = openpyxl.load_workbook(path, read_only=True, data_only=True)
            sheet = book[self.part or book.sheetnames[0]]
            return spreadsheet_text([self.header, *sheet.values])
        lines = content.decode("utf-8-sig").splitlines(keepends=True)
        lines.insert(top.n_above, f"{top.delimiter.join(self.header)}\n")
        return "".join(lines)

    def read(
        self,
        roles: Sequence[str],
        names: Sequence[str | None],
        counts: str | None = None,
        meant: Sequence[str] = (),
        threshold: Any = None,
        classes: str | None = "",
    ) -> Answers:
        """Read the columns of labels with their `counts`; `meant` lists keys of `MEANT`."""
        names = check_choices(choose_columns(names, self.header), self.header, roles)
        switches: dict[str, Any] = {name: name in meant for name in MEANT}
        row_options = {name: switches.pop(name) for name in ("drop_null", "keep_missing")}
        switches["unknown"] = "wrong" if switches["unknown"] else "error"
        threshold = threshold or None  # the box is empty
        with suppress(TypeError, ValueError):  # the package refuses anything else
            threshold = float(threshold)
        labels = list_of(classes or "") or None
        options = LabelOptions(labels=labels, threshold=threshold, **switches)
        source = replace(self._source, **row_options)
        with collected() as notes:
            if len(roles) == 2:
                columns = ColumnNames(names[0], (names[1],), counts=counts or None)
                reader = Reader(replace(source, columns=columns), options, metric=METRIC)
                table: Any = reader.read().data
                unread = replace(table, read=())  # a result must not show the path of an upload
                return Answers(self._account(table.read[0]), notes, check_classes(unread))
            named = dict(zip(COMPARE_ROLES, names, strict=True)) | (
                {"counts": counts} if counts else {}
            )
            (sides, task, read), _ = Reader(source, options, metric=METRIC).read_columns(named)
        task_options = {"labels": task.classes, "unknown": task.unknown}
        labels_by_side = [side.tolist() for side in sides.values()]
        return Answers(
            self._account(read), notes, columns=labels_by_side, task_options=task_options
        )

    def _account(self, read: Any) -> str:
        """Describe what was read, without the name of the file."""
        if read.n_rows > MAX_ROWS:
            raise Refusal(TOO_LONG)
        return str(read).removeprefix(self._source.path[0]).lstrip(":, ")


class Log:
    """A log of an evaluation harness; `part` is one of its runs (task, filter and epoch)."""

    kind, form, header, first_lines = "log", None, list[str](), ""

    def __init__(self, path: Path, part: str | None) -> None:
        if path.suffix != ".eval":
            with open_whole(str(path), list_files(path, None)[0][1], None, MAX_FILE):
                pass  # raises if it unpacks to more than MAX_FILE
        runs, self._notes = run_trial(str(path), "log", MAX_FILE)
        # without a model in the log, its name would be the folder of uploads
        unnamed = (x for x in runs if x.origin.model in path.parts)
        models = {id(x): replace(x, origin=replace(x.origin, model="")) for x in unnamed}
        self._runs = {run.name: run for run in (models.get(id(x), x) for x in runs)}
        self.parts = [*self._runs]
        self.part = part or (self.parts[0] if len(runs) == 1 else None)

    def read(self, *_: Any) -> Answers:
        """Read the answers of the chosen run, with an account of how they were found."""
        if self.part not in self._runs:
            raise Refusal(f'Choose one of these under "{PART}": {"; ".join(self.parts)}.')
        run = self._runs[self.part]
        with collected():
            return Answers(how_found(run), self._notes, check_classes(run.table))


def text_of_file(file: Any, encoding: str | None) -> str:
    """Read the text of an uploaded text file, because long pastes are sent as files; else empty."""
    path = Path(file["path"])
    with suppress(OSError, LookupError, UnicodeError):  # the reader of tables explains it
        if path.suffix.lower() in (".txt", *(f".{kind}" for kind in DELIMITERS)):
            return path.read_bytes()[:MAX_FILE].decode(encoding or "utf-8-sig")
    return ""


@contextmanager
def opened(
    roles: Sequence[str],
    sent: Any,
    form: str | None = None,
    encoding: str | None = None,
    part: str | None = None,
) -> Iterator[Upload | Log]:
    """Open a file that was sent, or text, which is written to a file for the same reader.

    Errors of the reader become refusals, without the name of the file.
    """
    with TemporaryDirectory() as folder:
        if isinstance(sent, str):
            is_json = re.match(r"\s*(\[\s*)?{", sent)
            path = Path(folder, "pasted.json" if is_json else "pasted.csv")
            table = sent if is_json else as_table(sent)
            path.write_bytes(f"{table}\n".encode("utf-8", "surrogatepass"))
        else:
            path = Path(sent["path"])
        try:
            # a comparison needs two models, and a log has one
            is_log = len(roles) == 2 and any(reader.is_log(path) for reader in READERS.values())
            yield Log(path, part) if is_log else Upload(path, Path(folder), form, encoding, part)
        except FileNotFoundError:
            raise Refusal(
                "Uploads are deleted after a while, and this one is gone: send it again."
            ) from None
        except ValueError as error:
            if isinstance(error, Unclear):
                raise
            reason = without_subject(error, (str(path.parent), folder))
            raise Refusal(TOO_LONG if reason.code == "too many rows" else reason) from None
