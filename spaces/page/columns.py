"""Columns of labels from text boxes and files: which is which, and what stands in them."""

import csv
import io
import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from limits import MAX_COLUMNS, MAX_FILE, MAX_LABEL, MAX_ROWS, MAX_TEXT, Refusal
from tables import ROLES, table_of_labels

from informedness import ContingencyTable
from informedness.core.labels import show

SEPARATORS = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}

# Words in a column's name that say what it holds; the second pair where the first says nothing, for
# `true_answer` is a reference and `predicted_label` a prediction.
TRUE = r"gold\w*|true|truth|groundtruth|refs?|references?|actual|expected"
PREDICTED = r"pred\w*|yhat|hyp\w*|guess\w*"
LABEL = r"labels?|targets?|class|classes|category"
ANSWER = r"outputs?|answers?|responses?|model|system"
NEITHER = r"ids?|idx|index|scores?|prob\w*|logits?|conf\w*|loss|correct"


def words_of(name: str) -> list[str]:
    """Return the words of a column's name, as in yTrue or predicted_label."""
    spaced = re.sub("(?<=[a-z])(?=[A-Z])", " ", name).lower()
    return re.findall("[a-z]+", spaced.replace("y_hat", "yhat"))


def role_of(name: str) -> str | None:
    """Return which of `ROLES` a column of this name has, where the name says so."""
    words = words_of(name)

    def has(pattern: str) -> bool:
        return any(re.fullmatch(pattern, word) for word in words)

    if has(NEITHER):
        return None
    for reference, prediction in ((TRUE, PREDICTED), (LABEL, ANSWER)):
        if has(reference) != has(prediction):
            return ROLES[has(prediction)]
        if has(reference):
            return None
    return None


def is_header(name: str) -> bool:
    """Return whether this is the name of a column and nothing else; "true" alone is a label."""
    words = words_of(name[:MAX_LABEL])
    known = f"y|{TRUE}|{PREDICTED}|{LABEL}|{ANSWER}"
    is_name = all(re.fullmatch(known, word) for word in words)
    return is_name and words != ["true"] and role_of(name) is not None


def columns_by_role(header: Sequence[str]) -> list[str | None]:
    """Return the column of each role; None where no name says so, or several do."""
    named = [[name for name in header if role_of(name) == role] for role in ROLES]
    return [names[0] if len(names) == 1 else None for names in named]


def split_columns(boxes: Sequence[str | None], names: Sequence[str]) -> list[list[str]]:
    """Return the labels in text boxes, one a line.

    Columns pasted together from a spreadsheet arrive in the first box, with tabs between them.
    """
    texts = [text or "" for text in boxes]
    for text, name in zip(texts, names, strict=True):
        if len(text) > MAX_TEXT:
            raise Refusal(f"A box can hold {MAX_TEXT:,d} characters, {name} has {len(text):,d}.")
    # Only at the end: without an empty first line the column would stand one line too high.
    texts = [text.rstrip("\r\n") for text in texts]
    columns = [re.split(r"\r\n|\r|\n", text) if text else [] for text in texts]
    if columns[0] and not any(columns[1:]) and "\t" in columns[0][0]:
        rows = [line.split("\t") for line in columns[0]]
        for number, row in enumerate(rows, start=1):
            if len(row) != len(names):
                raise Refusal(f"Line {number} must have {len(names)} columns, got {len(row)}.")
        columns = [list(column) for column in zip(*rows, strict=True)]
    for column, name in zip(columns, names, strict=True):
        if not column:
            raise Refusal(f"{name}: paste one label a line, there is none.")
        if "" in column:
            raise Refusal(f"{name}: line {column.index('') + 1} is empty, each line is a label.")
        if any("\t" in label for label in column):
            raise Refusal(f"{name}: a line holds a tab, and a box one column, with a label a line.")
        if len(column) == 1 and re.search("[,;|]", column[0]):
            raise Refusal(f"{name}: write one label a line, not {show(column[0])} in one.")
    return columns


def split_samples(boxes: Sequence[str | None], names: Sequence[str]) -> list[list[str]]:
    """Return the labels of samples in text boxes, refusing a first line that is a header."""
    columns = split_columns(boxes, names)
    first = [column[0] for column in columns]
    below = {label for column in columns for label in column[1:]}
    if any(map(is_header, first)) and below.isdisjoint(first) and not any(map(is_header, below)):
        raise Refusal(
            f"The first line ({', '.join(map(show, first))}) looks like a header: leave it out, "
            f"the order is {', '.join(names)}. Labels that look so can be scored as a matrix."
        )
    return columns


def read_upload(path: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the header of an uploaded file, and its rows by where they stand."""
    try:
        if (size := Path(path).stat().st_size) > MAX_FILE:
            raise Refusal(f"A file can have {MAX_FILE:,d} bytes, this one has {size:,d}.")
        text = Path(path).read_bytes().decode("utf-8-sig")
    except FileNotFoundError:
        raise Refusal("The file is no longer here: uploads are deleted, send it again.") from None
    except UnicodeDecodeError:
        raise Refusal("The file must be text in UTF-8.") from None
    read, refused = {}, []
    for separator, word in SEPARATORS.items():
        try:
            header, rows = split_rows(text, separator)
        except Refusal as error:
            refused.append(error)
        else:
            if len(header) > 1:
                read[word] = header, rows
    if len(read) > 1:
        raise Refusal(
            f"The columns of the file can be separated by {' or by '.join(read)}: write it with a "
            "separator that its cells do not hold."
        )
    for header, rows in read.values():
        return header, rows
    if refused:
        raise refused[0]
    raise Refusal(
        f"The file must have two columns or more, separated by {', '.join(SEPARATORS.values())}; "
        f"its first line is {show(text.partition(chr(10))[0])}."
    )


def split_rows(text: str, separator: str) -> tuple[list[str], dict[str, list[str]]]:
    """Return the header and the rows of a file; no rows where this does not separate its header.

    A quote that is not closed takes in the lines below it: `strict` finds it where they end.
    """
    reader = csv.reader(io.StringIO(text), delimiter=separator, strict=True)
    header: list[str] = []
    rows: dict[str, list[str]] = {}
    line = 1
    try:
        for row in reader:
            if not header:
                header = row
                if len(header) == 1:
                    break
            elif row:
                rows[f"Line {line}"] = row
                if len(row) != len(header):
                    raise Refusal(f"Line {line} must have {len(header)} columns, got {len(row)}.")
                if len(rows) > MAX_ROWS:
                    raise Refusal(f"At most {MAX_ROWS:,d} rows can be scored here, there are more.")
            line = reader.line_num + 1
    except csv.Error as error:
        if not header:
            return [], {}
        raise Refusal(
            f"The row that starts in line {line} could not be read ({error}): is a quote missing?"
        ) from None
    if len(header) > MAX_COLUMNS or max(map(len, header), default=0) > MAX_LABEL:
        raise Refusal(
            f"A file can have {MAX_COLUMNS} columns, with names of at most {MAX_LABEL} characters."
        )
    if len(header) > 1 and not rows:
        raise Refusal("The file must have a header and at least one row below it.")
    return header, rows


def table_of_columns(
    header: Sequence[str], rows: Mapping[str, Sequence[str]], names: Sequence[str]
) -> ContingencyTable:
    """Return the table of the columns of references and of predictions, by their names."""
    columns = []
    for name in names:
        if header.count(name) != 1:
            raise Refusal(f"The column {show(name)} must be there once.")
        columns.append([row[header.index(name)] for row in rows.values()])
        for place, label in zip(rows, columns[-1], strict=True):
            if not label:
                raise Refusal(f"{place} has nothing in the column {show(name)}: it needs a label.")
            if "\n" in label or "\r" in label:
                raise Refusal(f"{place} has a label of several lines: is a quote missing?")
    for name in names:
        if any(name in column for column in columns):
            raise Refusal(
                f"{show(name)} is a label and the name of a column: is the first line a sample? "
                "The columns need a header above them."
            )
    return table_of_labels(*columns)
