"""Lists of labels: as Python, JSON, R and numpy write them, as pandas prints them, or in lines.

Each word is read once, from left to right: no text takes longer than its length.
"""

import ast
import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from typing import TypeAlias

from limits import AT_HOME, MAX_ROWS, Refusal

from informedness.tables.matrix import split_gaps, split_words

# What is in brackets: a label as it is written, labels, or lists by their names
Value: TypeAlias = str | list[str] | dict[str, list[str]]

_QUOTED = r"""(?:'[^'\\\n]*(?:\\.[^'\\\n]*)*'|"[^"\\\n]*(?:\\.[^"\\\n]*)*")(?=[\s,;()\[\]{}]|\Z)"""
_NAME = r"""(?:[A-Za-z_]\w*|'[A-Za-z_]\w*'|"[A-Za-z_]\w*")\s*(?:[:=](?!=)|<-)"""
_CALL = r"[A-Za-z_][\w.]*(?=\()"
_TOKENS = {
    "name": re.compile(_NAME),
    "call": re.compile(_CALL),
    "bracket": re.compile(r"[\[({]"),
    "comma": re.compile("[,;]"),
    "quoted": re.compile(_QUOTED),
    "word": re.compile(r"[^\s,;()\[\]{}]+"),
    **{end: re.compile(re.escape(end)) for end in "])}"},
}
_GAP = re.compile(r"\s*(?:#(?![^\s#])[^\n]*\s*)*")  # with comments, which #tags are not
_ENDS = {"[": "]", "(": ")", "{": "}"}
_TOP = 20  # lines by which a list is told from a table
_DEEPEST = 8  # brackets within one another

_IN_CALLS = rf"(?:{_CALL}\(\s*)*"
_STARTS_NAMED = re.compile(rf"\s*{_IN_CALLS}(?:\{{\s*)?{_NAME}\s*(?:{_CALL}\(|\[|\([^()\n]*,)")
_STARTS_LIST = re.compile(rf"(?:{_CALL})?[\[({{]")
# such as (A) first, cat(s), [POS] or {x}
_ONE_LABEL = re.compile(r"[\w.]*\([^\s,()]*\).*|\[[^\s,\[\]]*\]|\{[^\s,{}]*\}")
_WORD = re.compile(rf"{_QUOTED}|,|[^\s,]+")
_IN_R = re.compile(r"\[(\d+)\][^\S\n]+(?=\S)")
_BELOW_SERIES = re.compile(r"(?:Freq: \S+, )?(?:Name: .*, )?(?:Length: \d+, )?dtype: ")
_GAP_IN_SERIES = "   "  # pandas puts no less between the index and the values


def named_lists(text: str) -> dict[str, list[str]]:
    """Return two or more lists in a text by name, as in `y_true = [1, 0]`; none of other things.

    JSON is left to its reader, which knows text from numbers.
    """
    if not _STARTS_NAMED.match(text) or text.startswith("shape: ("):  # of polars
        return {}
    with suppress(ValueError, RecursionError):
        json.loads(text)
        return {}
    try:
        value = _Reader(text).read()
    except Refusal:
        if text.lstrip().startswith("{"):  # objects, one a line
            return {}
        raise
    return value if isinstance(value, dict) and len(value) > 1 else {}


def is_list(text: str) -> bool:
    """Return whether a text is one list, in brackets or as R and pandas print it."""
    text, has_cells = text.strip(), "\t" in text and "\n" in text.strip()
    if any(map(_BELOW_SERIES.match, text.splitlines())) or text.startswith("shape: ("):
        return True
    starts = (_STARTS_LIST, _STARTS_NAMED, _IN_R)
    return not has_cells and any(pattern.match(text) for pattern in starts)


def may_be_list(text: str) -> bool:
    """Return whether lines look like one list: their cells are not apart, or of the same number."""
    lines = text.strip().splitlines()
    top, n_words = lines[:_TOP], {len(line.split()) for line in lines[:_TOP]}
    if len(lines) > 1 and any(re.search(r"[,;|\t]|\S {2,}\S", line) for line in top):
        return all(line.endswith(",") for line in lines[:-1])
    return len(lines) == 1 or len(n_words) > 1 or n_words == {1}


def list_of(text: str) -> list[str]:
    """Return the labels of one list, or one in each line, or between tabs, commas or blanks."""
    text = text.strip()
    _, bracket, inner = text.partition("\n[\n")
    text = f"[\n{inner}" if bracket and inner.endswith("]") else text  # as polars prints it
    lines = [line.strip() for line in text.splitlines()]
    if _IN_R.match(text):
        return _printed_by_r(lines)
    if any(map(_BELOW_SERIES.match, lines)):
        return _printed_by_pandas(lines)
    is_named = bool(_STARTS_NAMED.match(text))
    is_row = len(lines) == 1 and "\t" in text
    if is_row or not (is_named or _STARTS_LIST.match(text)):
        labels = _labels_apart(text, lines)
        cut = next((x for x in labels if x.count("[") != x.count("]")), "")
        if cut and cut not in lines:
            raise Refusal(f"A bracket in {cut[:40]!r} has no other: write one label a line.")
        return labels
    try:
        value = _Reader(text).read()
    except Refusal:
        labels = _labels_apart(text, lines)
        in_brackets = filter(_STARTS_LIST.match, labels)
        if not is_named and all(map(_ONE_LABEL.fullmatch, in_brackets)):
            return labels
        raise
    lists = [*value.values()] if isinstance(value, dict) else [value]
    if len(lists) != 1:
        raise Refusal(f"Here are {len(lists)} lists: put one into each box.")
    return [*lists[0]]


class _Reader:
    """Read lists in brackets, the calls around them, and their names."""

    def __init__(self, text: str) -> None:
        self._text, self._place = text, 0

    def read(self) -> Value:
        """Return all that the text holds."""
        named: dict[str, list[str]] = {}
        while name := self._take("name"):
            _put(named, name, self._value(0))
            self._take("comma")
        value = named or self._value(0)
        self._take("comma")
        if rest := self._rest():
            raise Refusal(f"The list ends before the text does, which goes on: {rest[:40]!r}")
        return value

    def _rest(self) -> str:
        """Return the beginning of what comes next, behind blanks and comments."""
        self._place = _GAP.match(self._text, self._place).end()  # type: ignore[union-attr]
        return self._text[self._place : self._place + 41]

    def _take(self, *kinds: str) -> str:
        """Return the word that comes next if it is of one of these kinds, and go on behind it."""
        self._rest()
        for kind in kinds:
            if found := _TOKENS[kind].match(self._text, self._place):
                self._place = found.end()
                return found[0]
        return ""

    def _value(self, depth: int) -> Value:
        """Return a label, or what is in brackets."""
        is_call = bool(self._take("call"))
        if bracket := self._take("bracket"):
            return self._within(bracket, is_call, depth + 1)
        word = self._take("quoted", "word")
        if not word:
            raise Refusal("The list is not complete: its brackets are not closed.")
        if word in ("...", "\u2026"):
            raise Refusal(f"The list is not complete: {word} is for labels that were left out.")
        return f"{word}0" if re.fullmatch(r"[-+]?\d+\.", word) else word  # as numpy prints 1.0

    def _within(self, bracket: str, is_call: bool, depth: int) -> Value:
        """Return what is in brackets, up to the one that ends them."""
        if depth > _DEEPEST:
            raise Refusal(f"There are more than {_DEEPEST} brackets within one another.")
        named: dict[str, list[str]] = {}
        groups: list[list[Value]] = [[]]  # what stands between commas
        has_names = is_call or bracket == "{"
        while not self._take(_ENDS[bracket]):
            if len(groups) + len(groups[-1]) > MAX_ROWS + 1:
                raise Refusal(f"A list can have at most {MAX_ROWS:,d} labels here. {AT_HOME}")
            if self._take("comma"):
                groups.append([])
            elif has_names and not groups[-1] and (name := self._take("name")):
                _put(named, name, self._value(depth))
                self._take("comma")
            else:
                groups[-1].append(self._value(depth))
        is_apart = len(groups) > 1 or not groups[0]  # by commas; else by blanks, as in numpy
        groups = groups if groups[-1] else groups[:-1]
        values = [_joined(group) for group in groups] if is_apart else groups[0]
        labels = [_plain(value) for value in values if isinstance(value, str)]
        if len(labels) < len(values) and (len(values) > 1 or bracket == "["):
            raise Refusal("Here are lists within a list, and one list of labels is needed.")
        if len(labels) < len(values):
            return values[0]
        if bracket == "{" and labels:
            raise Refusal("Labels in {} are in no order: put them into [].")
        if named and not labels:
            return named
        return labels[0] if is_call and len(labels) == 1 and depth > 1 else labels


def _put(named: dict[str, list[str]], name: str, value: Value) -> None:
    """Keep a list by its name; other things, such as a dtype, are no lists."""
    name = re.sub(r"\W", "", name)
    if name in named:
        raise Refusal(f"Two lists are called {name}: give each its own name.")
    if isinstance(value, list):
        named[name] = value


def _joined(group: Sequence[Value]) -> Value:
    """Return what stands between two commas: a list, or a label of several words."""
    if len(group) == 1:
        return group[0]
    words = [word for word in group if isinstance(word, str) and _plain(word) == word]
    if len(words) < len(group) or not group:
        between = " ".join(word for word in group if isinstance(word, str))
        raise Refusal(f"Between two commas must be one label, not {between[:40]!r}.")
    return " ".join(words)


def _plain(label: str) -> str:
    """Return a label without its quotes, if it has some."""
    if not re.fullmatch(_QUOTED, label):
        return label
    with suppress(ValueError, SyntaxError):
        if "\\" in label:
            return str(json.loads(label) if label[0] == '"' else ast.literal_eval(label))
    return label[1:-1]


# Without brackets


def _labels_apart(text: str, lines: Sequence[str]) -> list[str]:
    """Return one label in each line; those of a line are between tabs, commas or blanks."""
    if any("\t" in line for line in lines):
        if len(lines) > 1:
            raise Refusal("Lines have several cells: paste one column, or one row, into each box.")
        return [label.strip() for label in text.split("\t")]
    if len(lines) == 1 or all(line.endswith(",") for line in lines[:-1]):
        return _labels_between(text)
    return [*lines]


def _labels_between(text: str) -> list[str]:
    """Return the labels between commas, or between blanks where no comma is outside quotes."""
    ends: list[list[int]] = [[]]  # of the words between two commas
    words = []
    for word in _WORD.finditer(text):
        if word[0] == ",":
            ends.append([])
        else:
            ends[-1] += word.span()
            words.append(word[0])
    if len(ends) == 1:
        return [_plain(word) for word in words]
    ends = ends if ends[-1] else ends[:-1]  # what is behind the last is nothing
    return [_plain(text[group[0] : group[-1]]) if group else "" for group in ends]


def _printed_by_r(lines: Sequence[str]) -> list[str]:
    """Return the labels of a vector, each line of which begins with the number of its first."""
    labels = list[str]()
    for line in lines:
        number = _IN_R.match(line)
        if number and int(number[1]) == len(labels) + 1:
            labels += _labels_between(line[number.end() :])
        elif not line.startswith("Levels: "):  # of a factor
            raise Refusal(
                f"The list is not complete: label {len(labels) + 1} should be in {line[:40]!r}"
            )
    return labels


def _printed_by_pandas(lines: Sequence[str]) -> list[str]:
    """Return the labels of a Series, which stand behind its index."""
    last = next(i for i, line in enumerate(lines) if _BELOW_SERIES.match(line))
    first = 0 if _GAP_IN_SERIES in lines[0] else 1  # below the name of the index
    parts = [line.rpartition(_GAP_IN_SERIES) for line in lines[first:last]]
    labels = [label if gap else "" for _, gap, label in parts]
    for line, label in zip(lines[first:last], labels, strict=True):
        if line == ".." or label.endswith("..."):
            raise Refusal(f"The list is not complete: pandas has cut it, as in {line[-40:]!r}")
    return labels


def as_table(text: str) -> str:
    """Return a printed data frame as the rows of a spreadsheet; any other text as it is."""
    lines = [line for line in text.splitlines() if line.strip()]
    for split in (split_gaps, split_words):
        head, *rows = map(split, lines)
        is_frame = text[:1].isspace() and len(head) > 1 and {*map(len, rows)} == {len(head) + 1}
        if is_frame and any(not "".join(row).strip(".") for row in rows):
            raise Refusal("The printed data frame leaves out rows: paste all of them.")
        if is_frame:
            return _for_spreadsheet([["", *head], *rows])
    return text


def as_rows(columns: Mapping[str, Sequence[str]]) -> str:
    """Return columns as rows below their names, as a spreadsheet copies them."""
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        each = ", ".join(f"{name} {len(column):,d}" for name, column in columns.items())
        raise Refusal(f"The lists must have the same length, one label per sample, got {each}.")
    return _for_spreadsheet([columns, *zip(*columns.values(), strict=True)])


def _for_spreadsheet(rows: Iterable[Iterable[str]]) -> str:
    """Return rows as a spreadsheet copies them."""
    text = io.StringIO()
    csv.writer(text, "excel-tab", lineterminator="\n").writerows(rows)
    return text.getvalue()
