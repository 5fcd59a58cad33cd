"""From the values of columns to labels.

In this order, and only where asked for: the class is taken out of generated text, blanks around it
and its case are ignored, text becomes integers, and positions become the names of their choices.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from ..core.labels import MISSING, Column, Label, check_distinct, show
from ..core.table import check_unknown
from ..inputs.containers import code_integers, read_quickly


@dataclass
class LabelOptions:
    """What a label is, which are classes, and which samples to leave out, as in `table_from_file`.

    Raises
    ------
    ValueError
        If one is not valid, or cannot be combined with another.
    """

    numeric: bool = False
    extract: str | re.Pattern[str] | None = None
    choices: Any = None  # a tuple of str, once checked
    labels: Sequence[Label] | None = None
    ignore_index: Label | None = None
    unknown: str = "error"
    ignore_case: bool = False
    strip: bool = False

    def __post_init__(self) -> None:
        if self.choices is not None and self.labels is not None:
            raise ValueError("`choices` are the classes of the task: give them without `labels`")
        check_unknown(self.unknown, self.labels if self.choices is None else self.choices)
        self.pattern = None if self.extract is None else _compiled(self.extract)
        if self.choices is not None:
            self.choices = _read_choices(self.choices, self.numeric)
        if self.labels is not None:
            self.labels = read_quickly(self.labels, "labels").tolist()
        if self.ignore_case or self.strip:
            which, names = ("choices", self.choices) if self.choices else ("labels", self.labels)
            if len({self.fold(str(x)) for x in names or ()}) < len(names or ()):
                raise ValueError(
                    f"`{which}` must differ in more than is ignored, got {show(names)}"
                )

    def classes(self, is_integer: bool) -> Sequence[Label] | None:
        """Return the declared classes, as integers where the references are."""
        if self.choices is not None:
            return tuple(self.choices)
        return self.labels and [_typed(label, is_integer) for label in self.labels]

    def fold(self, text: str) -> str:
        """Return text without the differences that are ignored."""
        text = text.strip() if self.strip else text
        return text.casefold() if self.ignore_case else text

    def ignored(self, is_integer: bool) -> Any:
        """Return the reference to leave out, as an integer where the references are."""
        if self.choices is not None and self.ignore_index is not None:
            return str(self.ignore_index)
        return _typed(self.ignore_index, is_integer)

    def missing(self, roles: Iterable[str], keep: bool) -> dict[str, Collection[str]] | None:
        """Return the text that stands for no label, by role; None if all text is to be kept.

        Text that another option names is meant, and answers that are looked for in text, or may be
        wrong answers, need not be labels.
        """
        if keep:
            return None
        meant = {str(x) for x in (*(self.labels or ()), *(self.choices or ()))}
        if self.ignore_index is not None:
            meant.add(str(self.ignore_index))
        text = MISSING - meant - ({"-100", "-100.0"} if self.numeric else set())
        are_labels = ["references"]
        if self.pattern is None and self.unknown == "error":
            are_labels.append("predictions")
        return {role: text for role in roles if role.startswith(tuple(are_labels))}


AS_THEY_ARE = LabelOptions()


def _compiled(extract: Any) -> re.Pattern[str]:
    try:
        pattern = re.compile(extract)
    except (re.error, TypeError, OverflowError, RecursionError) as error:
        raise ValueError(
            f"`extract` must be a regular expression, got {show(extract)}: {error}"
        ) from error
    if not isinstance(pattern.pattern, str):
        raise ValueError(f"`extract` must be a regular expression of text, got {show(extract)}")
    return pattern


def _read_choices(choices: Any, numeric: bool) -> tuple[str, ...]:
    names = read_quickly(choices, "choices").tolist()
    if not names or not isinstance(names[0], str):
        raise ValueError(f"`choices` must hold text, the name of each position, got {names!r}")
    check_distinct(names, "choices")
    if numeric and (text := next((x for x in names if _integer(x) is not None), None)):
        raise ValueError(
            "`choices` must not hold integers together with numeric=True, which reads "
            f"such text as a position, got {show(text)}"
        )
    return tuple(map(str, names))


# From values to labels


def read_labels(values: Any, role: str, options: LabelOptions) -> Column:
    """Return the labels in a column of values; only references and predictions have classes.

    With `unknown="wrong"` all predictions without an answer become one label that is not a class.

    Raises
    ------
    ValueError
        If a value is not a label, or has no answer in it.
    """
    column = read_quickly(values, role)
    is_prediction = role.startswith("predictions")
    pattern = options.pattern if is_prediction else None
    choices = options.choices if is_prediction or role == "references" else None
    is_label = column.kind == "strings" and role not in ("on", "groups")
    numeric = options.numeric and is_label
    folds = (options.ignore_case or options.strip) and is_label
    if not len(column) or not (pattern or choices or numeric or folds):
        return column
    present, positions = code_integers(column.codes)  # some values may be unused
    answers: list[Any] = Column(present, column.values).tolist()
    if pattern is not None:
        answers = _extracted(column, answers, role, pattern, options.unknown)
    if folds:
        answers = _folded(answers, options)
    if numeric:
        answers = [_as_integer(x, role, is_strict=choices is None) for x in answers]
    if choices is not None:
        answers = _named(answers, role, choices, options)
    classes = options.classes(numeric) or ()
    labels = filled(answers, classes if numeric and choices is None else [*map(str, classes)])
    return read_quickly(labels, role)[positions]


def filled(answers: Iterable[Label | None], classes: Sequence[Label]) -> list[Label]:
    """Return answers with each None replaced by one label that is not a class.

    Examples
    --------
    >>> filled(["no", None, "maybe"], ["yes", "no"])
    ['no', '?yes', 'maybe']
    """
    outside: Label = next(i for i in count() if i not in classes)
    if classes and isinstance(classes[0], str):
        outside = "?" + max(map(str, classes), key=len)  # longer than every class
    return [outside if answer is None else answer for answer in answers]


def extracted(texts: Iterable[str | None], pattern: re.Pattern[str]) -> list[str | None]:
    """Return the first group of the first match in each text, or the whole match without a group.

    None if there is no match, or the group took no part in it.

    Examples
    --------
    >>> extracted(["The answer is B.", "I cannot say"], re.compile("answer is ([A-D])"))
    ['B', None]
    """
    matches = [None if text is None else pattern.search(text) for text in texts]
    group = min(pattern.groups, 1)
    return [None if match is None else match[group] for match in matches]


def _extracted(
    column: Column, given: list[Label], role: str, pattern: re.Pattern[str], unknown: str
) -> list[Label | None]:
    if column.kind != "strings":
        raise ValueError(f"`extract` needs text, got {show(column.example())} in `{role}`")
    found = extracted(map(str, given), pattern)
    if None in found and unknown == "error":
        raise ValueError(
            f"`extract` must find an answer in each text, and found none in "
            f'{show(given[found.index(None)])} of `{role}`: pass unknown="wrong" with `labels` '
            "or `choices` to count such predictions as wrong answers"
        )
    return list(found)


def _folded(answers: list[Label | None], options: LabelOptions) -> list[Label | None]:
    """Return text without what is ignored, as the classes have it if they are declared."""
    classes = {options.fold(str(x)): str(x) for x in options.choices or options.labels or ()}
    folded = [x if x is None else options.fold(str(x)) for x in answers]
    return [x if x is None else classes.get(x, x) for x in folded]


def named(labels: Iterable[Label | None], choices: Sequence[str]) -> list[Label | None]:
    """Return the choices at the positions in `labels`, None for those outside; text stays.

    Examples
    --------
    >>> named([0, "B", 2, -1, None], ["A", "B"])
    ['A', 'B', None, None, None]
    """
    k = len(choices)
    return [
        (choices[label] if 0 <= label < k else None) if isinstance(label, int) else label
        for label in labels
    ]


def _named(
    answers: list[Label | None], role: str, choices: Sequence[str], options: LabelOptions
) -> list[Label | None]:
    names = named(answers, choices)
    is_reference = role == "references"
    if is_reference and options.ignore_index is not None:
        ignored = str(options.ignore_index)
        if ignored not in choices:
            pairs = zip(answers, names, strict=True)
            names = [ignored if str(answer) == ignored else name for answer, name in pairs]
            choices = (*choices, ignored)
    if is_reference or options.unknown == "error":
        for answer, name in zip(answers, names, strict=True):
            if name not in choices:
                raise _outside_choices(answer, role, options)
    return names


def _outside_choices(answer: Label | None, role: str, options: LabelOptions) -> ValueError:
    what = "reference" if role == "references" else "prediction"
    help_ = ""
    if isinstance(answer, str) and not options.numeric and _integer(answer) is not None:
        help_ = ": numeric=True reads such text as a position"
    elif what == "prediction":
        help_ = ': pass unknown="wrong" to count such predictions as wrong answers'
    return ValueError(
        f"`choices` must hold every {what} or its position from 0 to "
        f"{len(options.choices or ()) - 1}, got {show(answer)}{help_}"
    )


def _as_integer(answer: Label | None, role: str, is_strict: bool) -> Label | None:
    integer = None if answer is None else _integer(answer)
    if integer is None and answer is not None and is_strict:
        raise ValueError(f"`{role}` must hold integers with numeric=True, got {show(answer)}")
    return answer if integer is None else integer


def _integer(text: Any) -> int | None:
    found = re.fullmatch(r"([+-]?[0-9]+)(\.0*)?", str(text), re.ASCII)  # 1.0 where there were gaps
    return int(found[1]) if found else None


def _typed(label: Any, is_integer: bool) -> Any:
    """Return a label given as text as an integer where the file's labels are integers."""
    return _integer(label) if is_integer and _integer(label) is not None else label
