"""Read pasted or uploaded tables and logs with the readers of the package."""

import codecs
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import columns
from data import Answers, check_classes
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
from lists import as_rows, as_table, list_of, named_lists
from trial import is_small, runs_of_log

from informedness.commands.reading import Reader
from informedness.commands.request import ColumnNames, Source
from informedness.files.opening import DELIMITERS, list_files, open_whole
from informedness.files.reading import FileOptions
from informedness.logs.reading import READERS
from informedness.logs.runs import how_found
from informedness.messages import without_subject
from informedness.tables.label_options import LabelOptions
from informedness.warnings import collected

TOO_MUCH = "The file takes too much memory or time once it is unpacked."
_TOO_LONG = f"There can be at most {MAX_ROWS:,d} rows. {AT_HOME}"
PART = "Sheet of the workbook, or run in the log"
Sent = Any  # a file as a dict, pasted text, or one list as text per role


TEXT = (  # codecs of text, as Python calls them
    r"ascii|utf-(8|8-sig|16|16-[bl]e|32|32-[bl]e)|cp(125\d|932|949|950)|iso8859-\d+|koi8-[rtu]|shift_jis\w*|"
    r"euc_\w+|gb18030|gbk|gb2312|big5\w*|mac-roman"
)


def check_encoding(encoding: str | None) -> None:
    """Refuse codecs that are not text encodings: some of Python's can take minutes."""
    name = "ascii"
    with suppress(LookupError, ValueError):  # ValueError: null characters
        name = codecs.lookup(encoding).name if encoding else name
        if re.fullmatch(TEXT, name):
            return
    raise Refusal(
        "`encoding` must be one of text, such as utf-8, utf-16, latin-1, cp1252, shift_jis, "
        f"gb18030 or big5, got {str(encoding)[:40]!r}"
    )


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
        self._path, self._encoding, self.part = path, encoding or None, part or None
        ((_, self.kind),) = list_files(path, None)
        options = FileOptions(None, self._encoding, self.part, max_bytes=MAX_FILE)
        with options.open(str(path), self.kind) as stream:
            self._top: Any = options.read_header(stream, self.kind, {})
            stream.seek(0)
            self._content = stream.read()
        if not is_small(str(path), self.kind, MAX_FILE):
            raise Refusal(TOO_MUCH)
        self.header = list(self._top.header)  # for JSON, the keys of its first object
        self.parts = list(self._top.sheets)
        is_text = self.kind in (*DELIMITERS, "json", "jsonl")
        top = self._content[:1000].decode(errors="replace") if is_text else ""
        self.first_lines = "\n".join(top.splitlines()[:5])
        self.form = form or "names"
        if len(self.header) > MAX_COLUMNS or max(map(len, self.header), default=0) > MAX_LABEL:
            raise Refusal(
                f"A file can have at most {MAX_COLUMNS} columns, with names of at most {MAX_LABEL} "
                "characters."
            )
        if self.kind in (*DELIMITERS, "xlsx") and form in (None, "rows"):
            if form is None and not any(map(columns.says_something, self.header)):
                raise Unclear(
                    "The first row may hold the names of the columns, or be data: say what it is."
                )
            if form == "rows":
                names = [f"column {i}" for i in range(1, len(self.header) + 1)]
                self._put_above(names, folder / f"numbered.{self.kind}")

    def _put_above(self, names: list[str], copy: Path) -> None:
        """Continue with a copy that has these names above its rows."""
        if self.kind == "xlsx":
            import openpyxl

            book = openpyxl.load_workbook(self._path)
            for sheet in book:
                sheet.insert_rows(1)
                for i, name in enumerate(names, start=1):
                    sheet.cell(1, i, name)
            book.save(copy)
        else:
            lines = self._content.decode("utf-8-sig").splitlines(keepends=True)
            lines.insert(self._top.n_above, f"{self._top.delimiter.join(names)}\n")
            copy.write_text("".join(lines), "utf-8", newline="")
        self._path, self._encoding, self.header = copy, None, names

    def chosen(self, roles: Sequence[str], names: Sequence[Any]) -> list[str | None]:
        """Choose the columns of these names, or guess them if no name is given."""
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
        """Read the columns of labels, repeated by `counts`; `meant` lists keys of `MEANT`."""
        names = columns.check_choices(self.chosen(roles, names), self.header, roles)
        named = columns.by_argument(names) | ({"counts": counts} if counts else {})
        switches: dict[str, Any] = {name: name in (meant or ()) for name in MEANT}
        of_rows = {name: switches.pop(name) for name in ("drop_null", "keep_missing")}
        switches["unknown"] = "wrong" if switches["unknown"] else "error"
        threshold = threshold or None  # the box is empty
        with suppress(TypeError, ValueError):  # the package refuses anything else
            threshold = float(threshold)
        labels = list_of(classes or "") or None
        options = LabelOptions(labels=labels, threshold=threshold, **switches)
        form = FileOptions(None, self._encoding, self.part, max_bytes=MAX_FILE)
        source = Source((str(self._path),), form, **of_rows, most_rows=MAX_ROWS)
        if counts and len(roles) == 2:  # no need to keep each sample
            places = ColumnNames(named["references"], (named["predictions"],), counts=counts)
            with collected() as notes:
                reader = Reader(replace(source, columns=places), options, metric=METRIC)
                table: Any = reader.read().data
            check_classes(table)
            account = self._account(table.read[0])
            return Answers((), account, notes, table=table)
        with collected() as notes:
            (sides, task, read), _ = Reader(source, options, metric=METRIC).read_columns(named)
        if not read.n_rows:
            raise Refusal("The table has a header, and no rows below it.")
        account = self._account(read)
        of_task = {"labels": task.classes, "unknown": task.unknown}
        return Answers([side.tolist() for side in sides.values()], account, notes, of_task)

    def _account(self, read: Any) -> str:
        """Describe what was read, without the name of the file."""
        return str(read).removeprefix(str(self._path)).lstrip(":, ")


class Log:
    """A log of an evaluation harness; `part` is one of its runs (task, filter and epoch)."""

    kind, form = "log", None

    def __init__(self, path: Path, part: str | None) -> None:
        if path.suffix != ".eval":
            with open_whole(str(path), list_files(path, None)[0][1], None, MAX_FILE):
                pass  # raises if it unpacks to more than MAX_FILE
        found = runs_of_log(str(path), MAX_FILE)
        if found is None:
            raise Refusal(TOO_MUCH)
        runs, self._notes = found
        # without a model in the log, its name would be the folder of uploads
        unnamed = (x for x in runs if x.origin.model in path.parts)
        models = {id(x): replace(x, origin=replace(x.origin, model="")) for x in unnamed}
        runs = [models.get(id(x), x) for x in runs]
        self._runs = {run.name: run for run in runs}
        self.header, self.first_lines = list[str](), ""
        self.parts = [*self._runs]
        self.part = part or (self.parts[0] if len(runs) == 1 else None)

    def chosen(self, *_: Any) -> list[str | None]:
        """Return an empty list: a log does not have columns to choose."""
        return []

    def read(self, *_: Any) -> Answers:
        """Read the answers of the chosen run, with an account of how they were found."""
        if self.part not in self._runs:
            raise Refusal(f'Choose one of these under "{PART}": {"; ".join(self.parts)}.')
        run = self._runs[self.part]
        of_task = {"labels": [*run.classes], "unknown": "wrong"}
        sides = [*run.references], run.known_predictions()
        return Answers(sides, how_found(run), self._notes, of_task)


def text_of_file(file: Any, encoding: str | None) -> str:
    """Read the text of an uploaded text file, because long pastes are sent as files; else empty."""
    check_encoding(encoding)
    path = Path(file["path"])
    with suppress(OSError, LookupError, UnicodeError):  # the reader of tables explains it
        if path.suffix.lower() in (".txt", *(f".{kind}" for kind in DELIMITERS)):
            return path.read_bytes()[:MAX_FILE].decode(encoding or "utf-8-sig")
    return ""


@contextmanager
def opened(
    roles: Sequence[str],
    sent: Sent,
    form: str | None = None,
    encoding: str | None = None,
    part: str | None = None,
) -> Iterator[Upload | Log]:
    """Open a table that was sent; pasted text is written to a file for the same reader.

    Errors of the reader become refusals, without the name of the file.
    """
    check_encoding(encoding)
    for text in sent if isinstance(sent, tuple) else [sent]:
        if isinstance(text, str) and len(text) > MAX_TEXT:
            raise Refusal(
                f"A box takes at most {MAX_TEXT:,d} characters, and this text has {len(text):,d}: "
                "send it as a file."
            )
    text = text_of_file(sent, encoding) if isinstance(sent, dict) else sent
    if isinstance(sent, tuple):
        sent, form = _side_by_side(roles, sent), "names"
    elif form != "rows" and (lists := named_lists(text)):
        sent, form = as_rows(lists), "names"
    if not sent or (isinstance(sent, str) and not sent.strip()):
        raise Refusal("There is no table yet: send one first.")
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
            if len(roles) == 2 and any(reader.is_log(path) for reader in READERS.values()):
                yield Log(path, part)
            else:
                yield Upload(path, Path(folder), form, encoding, part)
        except FileNotFoundError:
            raise Refusal(
                "Uploads are deleted after a while, and this one is gone: send it again."
            ) from None
        except Unclear:
            raise
        except ValueError as error:
            said = without_subject(error, (str(path.parent), folder))
            raise Refusal(_TOO_LONG if said.code == "too many rows" else said) from None


def _side_by_side(roles: Sequence[str], texts: Sequence[str]) -> str:
    """Combine one list per role into the rows of a table."""
    lists = {role: list_of(text) for role, text in zip(roles, texts, strict=True) if text.strip()}
    for role in roles:
        if role not in lists:
            (n, given), *_ = ((len(one), name) for name, one in lists.items())
            raise Refusal(
                f"This is a list of {n:,d} {given}: put that of {role} into the box below it."
            )
    return as_rows(lists)
