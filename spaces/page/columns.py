"""Read columns of labels from text boxes, and find out which column is which."""

import re
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import charts
from data import ROLES, mostly_different
from limits import Refusal

from informedness.core.labels import show
from informedness.inputs.doubts import role_in, words_of
from informedness.inputs.joined import columns_of, lines_in, samples_of_lines
from informedness.inputs.samples import Samples

ColumnOf: TypeAlias = Callable[[str], Sequence[Any]]  # from the name of a column to its labels

NEITHER = r"ids?|idx|index|scores?|prob\w*|logits?|conf\w*|loss|correct"
MODEL = r"outputs?|answers?|responses?|model|system"


def says_neither(name: str) -> bool:
    """Return whether a column of this name holds no labels."""
    return any(re.fullmatch(NEITHER, word) for word in words_of(name))


def role_of(name: str) -> str | None:
    """Return which of `ROLES` a column has, if its name says so."""
    words = words_of(name)
    is_model = any(re.fullmatch(MODEL, word) for word in words)
    return None if says_neither(name) else role_in(name) or ("predictions" if is_model else None)


def guessed_columns(
    header: Sequence[str], column_of: ColumnOf, models: int = 1
) -> list[str | None]:
    """Return the column of the references and those of the models; None where no name says so.

    Models often have names of their own: if none of several is called a prediction, and there are
    as many columns left as models, these are taken. An identifier is never guessed.
    """

    def usable(names: list[str]) -> list[str]:
        once = [name for name in names if header.count(name) == 1]
        return [x for x in once if (column := column_of(x)) and not mostly_different(column)]

    references, predictions = (usable([x for x in header if role_of(x) == r]) for r in ROLES)
    reference = references[0] if len(references) == 1 else None
    if models > 1 and reference and not predictions:
        predictions = usable([x for x in header if x != reference and not says_neither(x)])
    known = len(predictions) == models
    return [reference, *(predictions if known else [None] * models)]


class Splittable(Refusal):
    """A box holds a list on one line, which `items_of` splits."""


def lines_of(text: str) -> list[str]:
    """Return the lines of a box; empty ones are dropped at its end only, so that no label moves."""
    return lines_in(text.rstrip("\r\n"))


def items_of(text: str) -> list[str]:
    """Return the items of a list on one line or in brackets, or the lines of any other text."""
    inside = re.fullmatch(r"\s*\[([^\[\]]*)\]\s*", text)
    lines = lines_of(text)
    if not inside and len(lines) != 1:
        return lines
    listed = inside[1] if inside else lines[0]
    mark = re.search("[,;|]", listed)
    parts = listed.split(mark[0]) if mark else listed.split()
    items = [re.sub(r"^(['\"])(.*)\1$", r"\2", part.strip()) for part in parts]  # without quotes
    return items if inside or len(items) > 1 else lines


def split_samples(boxes: Sequence[str | None], names: Sequence[str]) -> tuple[list[list[Any]], str]:
    """Return the labels in text boxes, one per line, and a note on them.

    Columns pasted together from a spreadsheet arrive in the first box, with tabs between them.
    """
    texts = [(text or "").removeprefix("\ufeff") for text in boxes]
    columns, said = list(map(lines_in, texts)), []
    if columns[0] and not any(columns[1:]) and "\t" in columns[0][0]:
        rows = [line.split("\t") for line in lines_of(texts[0])]
        for number, row in enumerate(rows, start=1):
            if len(row) != len(names):
                raise Refusal(f"Line {number} must have {len(names)} columns, got {len(row)}.")
        columns = [list(column) for column in zip(*rows, strict=True)]
        said = [f"The columns were read as {', '.join(names)}, in this order."]
    else:
        for column, text, name in zip(columns, texts, names, strict=True):
            if lines_of(text) != items_of(text):
                raise Splittable(
                    f"{name}: write one label per line, not {show(column[0])} on one line."
                )
    for column, name in zip(columns, names, strict=True):
        if not any(column):
            raise Refusal(f"{name}: this box is empty, paste one label per line.")
    meant: Any = {name: charts.is_meant(name) for name in ("drop_null", "keep_missing")}
    roles = arguments_of(names)
    samples = Samples(dict(zip(roles, names, strict=True)), **meant)
    with charts.noting() as notes:
        lines = dict(zip(roles, columns, strict=True))
        read = columns_of(samples, samples_of_lines(lines, samples)).columns
    return [read[x].tolist() for x in roles], " ".join([*said, *map(charts.sentence, notes)])


def arguments_of(roles: Sequence[str]) -> list[str]:
    """Return what the package calls references and the predictions of each model."""
    models = ["predictions"] if len(roles) < 3 else ["predictions_a", "predictions_b"]
    return ["references", *models[: len(roles) - 1]]


def in_a_sentence(role: str) -> str:
    """Return the name of a role for use inside a sentence: predictions A."""
    return role[0].lower() + role[1:]


def check_choices(names: Sequence[str | None], roles: Sequence[str]) -> list[str]:
    """Return the names of the columns chosen for these roles, each of which is one of its own."""
    chosen = [name for name in names if name]
    for name, role in zip(names, map(in_a_sentence, roles), strict=True):
        if not name:
            raise Refusal(f"Choose the column of {role}: the header does not say which one it is.")
        if chosen.count(name) > 1:
            raise Refusal(f"The column {show(name)} can have one role only: choose another.")
    return chosen
