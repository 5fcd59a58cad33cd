"""Parse lists of labels: as Python, JSON, R, numpy or pandas write them, or one label a line.

Each word is read once, from left to right, so that the time is linear in the length.
"""

import ast
import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import Any

from limits import Refusal

from informedness.tables.matrix import split_gaps, split_words

_QUOTED = r"""(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")(?=[\s,;()\[\]{}]|\Z)"""
_NAME = r"""(?:[A-Za-z_]\w*|'[A-Za-z_]\w*'|"[A-Za-z_]\w*")\s*(?:[:=](?!=)|<-)"""
_CALL = r"[A-Za-z_][\w.]*(?=\()"
_TOKEN = re.compile(
    rf"(?P<open>[\[({{])|(?P<end>[\])}}])|(?P<comma>[,;])|{_QUOTED}|[^\s,;()\[\]{{}}]+"
)
# Keep quoted text, replace np.int64(0) by 0, and remove comments, but not #tags
_PLAINER = re.compile(
    rf"(?P<quoted>{_QUOTED})|(?<![\w.]){_CALL}\((?P<one>{_QUOTED}|[^\s,;()\[\]{{}}]+)\)(?=\s*[,;\])}}])"
    r"|(?<!\w)#(?![^\s#])[^\n]*"
)
_START = re.compile(rf"\s*(?P<name>(?:{_NAME})?)\s*(?P<calls>(?:(?:{_CALL})?\(\s*)*)(?P<list>\[?)")
# The end of a call, with its other arguments
_END = r"(?:\s*(?:,(?:[^()\[\]]|\([^()]*\)|\[[^\[\]]*\])*)?\))"
_OUTER = re.compile(rf"(?:{_CALL}\(|\{{)\s*(?={_NAME})")
_TOP = 20  # lines that distinguish a list from a table

_IN_CALLS = rf"(?:{_CALL}\(\s*)*"
_STARTS_NAMED = re.compile(rf"\s*{_IN_CALLS}(?:\{{\s*)?{_NAME}\s*(?:{_CALL}\(|\[|\([^()\n]*,)")
_STARTS_LIST = re.compile(rf"(?:{_CALL})?[\[({{]")
# such as (A) first, cat(s), [POS] or {x}
_ONE_LABEL = re.compile(r"[\w.]*\([^\s,()]*\).*|\[[^\s,\[\]]*\]|\{[^\s,{}]*\}")
_WORD = re.compile(rf"{_QUOTED}|,|[^\s,]+")
_BELOW_SERIES = re.compile(r"(?:Freq: \S+, )?(?:Name: .*, )?(?:Length: \d+, )?dtype: ")
NOT_CLOSED = "The list is not complete: its brackets are not closed."
_GAP_IN_SERIES = "   "  # the least that pandas puts between the index and the values


def named_lists(text: str) -> dict[str, list[str]]:
    """Find two or more lists by name in a text, as in `y_true = [1, 0]`; empty for anything else.

    JSON is left to its reader, which distinguishes text from numbers.
    """
    if not _STARTS_NAMED.match(text) or text.startswith("shape: ("):  # a data frame of polars
        return {}
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return {}
    try:
        lists = _read_lists(text)
    except Refusal:
        if text.lstrip().startswith("{"):  # objects, one a line
            return {}
        raise
    return lists if len(lists) > 1 else {}


def is_list(text: str) -> bool:
    """Say whether a text is one list, in brackets or as pandas prints it."""
    text, has_cells = text.strip(), "\t" in text and "\n" in text.strip()
    if any(map(_BELOW_SERIES.match, text.splitlines())):
        return True
    return not has_cells and bool(_STARTS_LIST.match(text) or _STARTS_NAMED.match(text))


def may_be_list(text: str) -> bool:
    """Say whether lines look like one list, not like rows with the same number of cells."""
    lines = text.strip().splitlines()
    top, n_words = lines[:_TOP], {len(line.split()) for line in lines[:_TOP]}
    if len(lines) > 1 and any(re.search(r"[,;|\t]|\S {2,}\S", line) for line in top):
        return all(line.endswith(",") for line in lines[:-1])
    return len(lines) == 1 or len(n_words) > 1 or n_words == {1}


def list_of(text: str) -> list[str]:
    """Read the labels of one list, or labels separated by lines, tabs, commas or blanks."""
    text = text.strip()
    lines = [line.strip() for line in text.splitlines()]
    if any(map(_BELOW_SERIES.match, lines)):
        return _printed_by_pandas(lines)
    is_named = bool(_STARTS_NAMED.match(text))
    is_row = len(lines) == 1 and "\t" in text
    if is_row or not (is_named or _STARTS_LIST.match(text)):
        return _without_brackets(text, lines)
    try:
        lists = _read_lists(text)
    except Refusal:
        labels = _without_brackets(text, lines)
        bracketed = filter(_STARTS_LIST.match, labels)
        if not is_named and all(map(_ONE_LABEL.fullmatch, bracketed)):
            return labels
        raise
    if len(lists) != 1:
        raise Refusal(f"The text holds {len(lists)} lists. Put one into each box.")
    return next(iter(lists.values()))


def _read_lists(text: str) -> dict[str, list[str]]:
    """Read the lists in a text by name; the name of an unnamed list is empty."""
    text = _PLAINER.sub(lambda found: found["quoted"] or found["one"] or "", text).strip(" \n,;")
    if outer := _OUTER.match(text):
        text = text[outer.end() : -1]
    elif text.startswith("{"):
        raise Refusal("A set of labels in {} has no order. Put the labels into [].")
    lists: dict[str, list[str]] = {}
    place = 0
    while place < len(text):
        start: Any = _START.match(text, place)  # it also matches nothing
        if "" in lists or not any(start.groups()):
            rest = text[place : place + 40].strip()
            raise Refusal(f"The list ends before the text does, which goes on: {rest!r}")
        n_calls, labels, place = start["calls"].count("("), list[str](), start.end()
        if n_calls or start["list"]:
            labels, place = _labels_within(text, place, "]" if start["list"] else ")")
            n_calls -= not start["list"]
        end = re.compile(rf"{_END}{{{n_calls}}}\s*[,;]?\s*" if labels else r"[^,\n]*,?\s*")
        if not (found := end.match(text, place)):
            raise Refusal(NOT_CLOSED)
        place = found.end()
        name = re.sub(r"\W", "", start["name"])
        if name in lists:
            raise Refusal(f"Two lists are called {name}. Give each its own name.")
        lists |= {name: labels} if labels else {}
    return lists


def _labels_within(text: str, place: int, end: str) -> tuple[list[str], int]:
    """Read the labels up to the closing bracket, and return the place after it too."""
    groups: list[list[str]] = [[]]  # words between commas
    for token in _TOKEN.finditer(text, place):
        if token["end"] == end:
            break
        if token["open"] or token["end"]:
            raise Refusal("A list must hold labels, and this one holds lists.")
        if token[0] in ("...", "\u2026"):
            raise Refusal(f"The list is not complete: {token[0]} replaces labels.")
        if token["comma"]:
            groups.append([])
        else:  # numpy prints 1.0 as 1.
            groups[-1].append(re.sub(r"^([-+]?\d+\.)$", r"\g<1>0", token[0]))
    else:
        raise Refusal(NOT_CLOSED)
    if len(groups) == 1:  # separated by blanks, as in numpy
        return [*map(_plain, groups[0])], token.end()
    return [*map(_joined, groups if groups[-1] else groups[:-1])], token.end()


def _joined(group: Sequence[str]) -> str:
    """Join the words between two commas to one label."""
    if len(group) != 1 and (not group or any(_plain(word) != word for word in group)):
        raise Refusal(f"Write one label between two commas, not {' '.join(group)[:40]!r}.")
    return " ".join(group) if len(group) > 1 else _plain(group[0])


def _plain(label: str) -> str:
    """Remove the quotes around a label, if any."""
    if not re.fullmatch(_QUOTED, label):
        return label
    with suppress(ValueError, SyntaxError):
        if "\\" in label:
            return str(json.loads(label) if label[0] == '"' else ast.literal_eval(label))
    return label[1:-1]


# Without brackets


def _without_brackets(text: str, lines: Sequence[str]) -> list[str]:
    """Read one label per line, or the labels of a single line between tabs, commas or blanks."""
    if any("\t" in line for line in lines):
        if len(lines) > 1:
            raise Refusal("Lines have several cells: paste one column, or one row, into each box.")
        return [label.strip() for label in text.split("\t")]
    if len(lines) == 1 or all(line.endswith(",") for line in lines[:-1]):
        return _labels_between(text)
    return [*lines]


def _labels_between(text: str) -> list[str]:
    """Split labels at commas, or at blanks if all commas are inside quotes."""
    ends: list[list[int]] = [[]]  # starts and ends of the words between two commas
    words = []
    for word in _WORD.finditer(text):
        if word[0] == ",":
            ends.append([])
        else:
            ends[-1] += word.span()
            words.append(word[0])
    if len(ends) == 1:
        return [_plain(word) for word in words]
    ends = ends if ends[-1] else ends[:-1]  # a trailing comma does not add a label
    return [_plain(text[group[0] : group[-1]]) if group else "" for group in ends]


def _printed_by_pandas(lines: Sequence[str]) -> list[str]:
    """Read the labels of a Series, which follow its index."""
    last = next(i for i, line in enumerate(lines) if _BELOW_SERIES.match(line))
    first = 0 if _GAP_IN_SERIES in lines[0] else 1  # skip the name of the index
    parts = [line.rpartition(_GAP_IN_SERIES) for line in lines[first:last]]
    labels = [label if gap else "" for _, gap, label in parts]
    for line, label in zip(lines[first:last], labels, strict=True):
        if line == ".." or label.endswith("..."):
            raise Refusal(f"The list is not complete: pandas has cut {line[-40:]!r}")
    return labels


def as_table(text: str) -> str:
    """Convert a printed data frame to the rows of a spreadsheet; keep any other text."""
    lines = [line for line in text.splitlines() if line.strip()]
    for split in (split_gaps, split_words):
        head, *rows = map(split, lines)
        is_frame = text[:1].isspace() and len(head) > 1 and {*map(len, rows)} == {len(head) + 1}
        if is_frame and any(not "".join(row).strip(".") for row in rows):
            raise Refusal("The printed data frame leaves out rows: paste all of them.")
        if is_frame:
            return spreadsheet_text([["", *head], *rows])
    return text


def as_rows(columns: Mapping[str, Sequence[str]]) -> str:
    """Format columns as rows below their names, as a spreadsheet copies them."""
    if len({*map(len, columns.values())}) > 1:
        each = ", ".join(f"{name} {len(column):,d}" for name, column in columns.items())
        raise Refusal(f"The lists must have the same length, one label per sample, got {each}.")
    return spreadsheet_text([columns, *zip(*columns.values(), strict=True)])


def rows_of_lists(roles: Sequence[str], texts: Sequence[str]) -> str:
    """Combine one list per role into the rows of a table."""
    lists = {role: list_of(text) for role, text in zip(roles, texts, strict=True) if text.strip()}
    for role in roles:
        if role not in lists:
            name, labels = next(iter(lists.items()))
            text = f"This is a list of {len(labels):,d} {name}."
            raise Refusal(f"{text} Put the list of {role} into the box below it.")
    return as_rows(lists)


def spreadsheet_text(rows: Iterable[Iterable[Any]]) -> str:
    """Format rows as a spreadsheet copies them."""
    text = io.StringIO()
    csv.writer(text, "excel-tab", lineterminator="\n").writerows(rows)
    return text.getvalue()
