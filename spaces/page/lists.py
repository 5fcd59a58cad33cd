"""Lists of labels: as Python, JSON and numpy write them, or in lines, or between commas."""

import ast
import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from limits import Refusal

_QUOTED = r"""'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*\""""
_LIST = rf"(?:[\w.]+\(\s*)?\[((?:{_QUOTED}|[^'\"\[\]])*)\]"
_NAMED = re.compile(rf"""(?<!\w)["']?([A-Za-z_]\w*)["']?\s*[:=]\s*{_LIST}""")
_AROUND = r"(dtype\s*=\s*[\w.'\"]+|[\w.]+\s*\(|[\s,;{}()])*"  # np.array([...], dtype=int)


def named_lists(text: str) -> dict[str, list[str]]:
    """Return the lists in a text by name, as in `y_true = [1, 0]`; none if it holds other things.

    JSON is left to its reader, which knows text from numbers.
    """
    if "[" not in text:
        return {}
    with suppress(ValueError):
        json.loads(text)
        return {}
    lists = {name: _labels_between(inner) for name, inner in _NAMED.findall(text)}
    return lists if re.fullmatch(_AROUND, _NAMED.sub("", text)) else {}


def list_of(text: str) -> list[str]:
    """Return the labels of one list, or one in each line, or between commas."""
    text = text.strip()
    if lists := named_lists(text) or named_lists(f"labels = {text}"):
        (labels, *_) = lists.values()
        return labels
    lines = [line.strip() for line in text.splitlines()]
    are_between_commas = len(lines) == 1 or all(line.endswith(",") for line in lines[:-1])
    return _labels_between(text) if are_between_commas else lines


def _labels_between(inner: str) -> list[str]:
    """Return the labels between commas; or between blanks, as numpy prints them."""
    if "," not in re.sub(_QUOTED, "", inner) and re.search(r"\S\s", inner):
        return [_plain(label) for label in re.findall(rf"{_QUOTED}|\S+", inner)]
    labels = re.findall(rf"\s*({_QUOTED}|[^,]*?)\s*(?:,|$)", inner.strip())
    return [_plain(label) for label in labels[:-1]]  # what is behind the last is nothing


def _plain(label: str) -> str:
    """Return a label without its quotes, if it has some."""
    if not re.fullmatch(_QUOTED, label):
        return label
    with suppress(ValueError, SyntaxError):
        return str(json.loads(label) if label[0] == '"' else ast.literal_eval(label))
    return label[1:-1]


def as_rows(columns: Mapping[str, Sequence[str]]) -> str:
    """Return columns as rows below their names, as a spreadsheet copies them."""
    lengths = {len(column) for column in columns.values()}
    if len(lengths) > 1:
        each = ", ".join(f"{name} {len(column):,d}" for name, column in columns.items())
        raise Refusal(f"The lists must have the same length, one label per sample, got {each}.")
    text = io.StringIO()
    rows = [columns, *zip(*columns.values(), strict=True)]
    csv.writer(text, "excel-tab", lineterminator="\n").writerows(rows)
    return text.getvalue()
