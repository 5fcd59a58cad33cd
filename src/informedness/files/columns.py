"""Names of columns, and the values within nested columns that names lead to.

`doc.label` is a field within `doc`, `doc.answers.0` an element of a list. A column with the whole
name comes first. The same holds at every level: the longest field name that the rest of the name
starts with. `argmax:` in front takes the position or the name of the greatest number, the first if
several are equal, unless a column has this name.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ..core.labels import LabelsWarning, show, warn
from ..errors import DataError
from ..messages import Message, join, message

ARGMAX = "argmax:"
_MOST_NAMES = 40  # that an error lists


class FileReader:
    """What readers of all formats have: the names of columns, known once the header is read."""

    header: Sequence[str] = ()
    class_names: Mapping[str, Sequence[str]] = {}
    sheet = ""
    sheets: Sequence[str] = ()

    @property
    def other_sheets(self) -> list[str]:
        """Titles of the sheets that are not read."""
        return [title for title in self.sheets if title != self.sheet]

    def batches(self, keep_empty: bool) -> Iterator[dict[str, Any]]:
        """Yield columns by argument, as lists or arrays of Arrow.

        Missing values are nulls. With `keep_empty` those of text files are empty text.
        """
        raise NotImplementedError


def named_columns(
    references: Any, predictions: Any, weights: Any, counts: Any, by: Any
) -> dict[str, str]:
    """Return names of columns by argument, those to slice by under "by", "by 2", "by 3"."""
    if weights is not None and counts is not None:
        raise ValueError(
            "`counts` are numbers of samples, and `weights` sums of their weights: give one of them"
        )
    names = {"references": references, "predictions": predictions, **_slicing_columns(by)}
    names |= {x: y for x, y in (("weights", weights), ("counts", counts)) if y is not None}
    for argument, name in names.items():
        if not isinstance(name, (str, int, tuple)):
            raise ValueError(f"`{argument}` must be the name of a column, got {show(name)}")
    for amount in {"counts", "weights"} & {*names}:
        if [*names.values()].count(names[amount]) > 1:
            raise ValueError(
                f"`{amount}` must name a column of its own, got {names[amount]!r}, which holds "
                "labels, too"
            )
    return {argument: str(name) for argument, name in names.items()}


def _slicing_columns(by: Any) -> dict[str, Any]:
    """Return the columns to slice by under "by", "by 2", "by 3"; none of None."""
    if by is None:
        return {}
    columns = [*by] if isinstance(by, Sequence) and not isinstance(by, str) else [by]
    if not columns:
        raise ValueError("`by` must name at least one column, got none")
    return {f"by {i}" if i > 1 else "by": x for i, x in enumerate(columns, start=1)}


def columns_to_read(names: Mapping[str, str]) -> dict[str, str]:
    """Return the columns to read by argument; those of `argmax:a,b` by argument and position.

    Raises
    ------
    ValueError
        If predictions are read from the column of the references.
    """
    read = dict[str, str]()
    for argument, name in names.items():
        columns = name.removeprefix(ARGMAX).split(",")
        if not name.startswith(ARGMAX) or len(columns) == 1:
            read[argument] = name
        elif argument.startswith("predictions"):
            read |= {f"{argument}[{i}]": column for i, column in enumerate(columns)}
        else:
            raise ValueError(f"`{argument}` must name one column, got {name!r}")
    for argument in labelled_among(read):
        if argument != "references" and read[argument] == read.get("references"):
            raise ValueError(
                f"`{argument}` must be another column than `references`, got {read[argument]!r} "
                "for both; to join two files whose columns have one name, give `on`"
            )
    return read


def group_by_argument(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Return what was read by argument, several columns of one as a tuple."""
    read = dict[str, Any]()
    for key, values in columns.items():
        argument, is_one_of_several, _ = key.partition("[")
        read[argument] = (*read.get(argument, ()), values) if is_one_of_several else values
    return read


def labelled_among(names: Iterable[str]) -> list[str]:
    """Return the arguments that hold labels to score."""
    return [name for name in names if name.startswith(("references", "predictions"))]


def slices_of(columns: Mapping[str, Any]) -> Any:
    """Return the column to slice by, or if there are several, a mapping by argument."""
    by = {name: column for name, column in columns.items() if name.partition(" ")[0] == "by"}
    return by["by"] if len(by) == 1 else by


def distinct_names(names: Sequence[str]) -> list[str]:
    """Return names of columns as pandas has them: x, and x.1 for the next one of this name."""
    taken, times = {*names}, Counter[str]()
    distinct = list[str]()
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}.{times[name]}"
            times[name] += 1
        taken.add(new)
        times[name] += times[name] == 0
        distinct.append(new)
    return distinct


def columns_alike(names: Iterable[str], written: Sequence[str]) -> dict[str, list[str]]:
    """Return all columns of each of these names, where a header as it is written has several."""
    pairs = [*zip(distinct_names(written), written, strict=True)]
    alike = {name: [column for column, x in pairs if x == name] for name in names}
    return {name: columns for name, columns in alike.items() if len(columns) > 1}


def warn_of_names(columns: Mapping[str, Sequence[str]]) -> None:
    """Warn of several columns of one name, whose values differ."""
    for name, alike in columns.items():
        different = f"{name!r} is the name of several columns, whose values differ: they are"
        warn(f"{different} called {', '.join(map(repr, alike))}", LabelsWarning)


def check_columns(names: Mapping[str, str], present: Sequence[str]) -> None:
    """Raise one error about all of `names`, by argument, that are not the name of one column."""
    reasons = list[str]()
    times = Counter(present)
    for argument, name in names.items():
        if times[name] != 1:
            reason = "occurs twice" if name in times else "does not exist"
            reasons.append(f"`{argument}` names column {name!r}, which {reason}")
    if reasons:
        columns = listed(present, *names.values())
        text = f"{'; '.join(reasons)}; the columns are {columns}"
        raise DataError(Message(text, "columns", columns=tuple(present)))


def listed(names: Collection[Any], *wanted: str) -> str:
    """Return the names that there are, and those that are close to what is wanted."""
    text = ", ".join(map(show, [*names][:_MOST_NAMES])) or "none"
    if len(names) > _MOST_NAMES:
        text += f" and {len(names) - _MOST_NAMES:,d} more"
    known = [*map(str, names)]
    close = [get_close_matches(name, known, 1) for name in wanted if name not in names]
    hint = " or ".join(repr(name) for names_close in close for name in names_close)
    return f"{text} (did you mean {hint}?)" if hint else text


# Values within nested columns


class AbsentError(ValueError):
    """An object has no such key; what is there instead takes long to say of many."""

    def __str__(self) -> str:
        parent, names, path = self.args
        fields = f"the fields of {parent!r}" if parent else "its keys"
        return f"{fields} are {listed(names, path)}"


def column_of(name: str, columns: Collection[str]) -> str | None:
    """Return the column in which a name leads to a value; None if there is none."""
    return _longest_name(_path_of(name, columns)[0], columns)


def _path_of(name: str, names: Collection[str]) -> tuple[Any, bool]:
    """Return where a name leads, and whether the argmax is taken there."""
    is_argmax = name.startswith(ARGMAX) and name not in names
    return name.removeprefix(ARGMAX) if is_argmax else name, is_argmax


def _longest_name(path: str, names: Collection[str]) -> str | None:
    """Return the longest of the names that a path begins with; None if it begins with none."""
    while path not in names:
        path, dot, _ = path.rpartition(".")
        if not dot:
            return None
    return path


def columns_within(name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Return a column, or the columns within it if it is nested."""
    if {dict, list, tuple}.isdisjoint(map(type, values)):
        return {name: [*values]}
    columns: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(values))
    for row, value in enumerate(values):
        for path, leaf in _leaves(value, name):
            columns[path][row] = leaf
    parents = {path[:i] for path in columns for i, x in enumerate(path) if x == "."}
    return {x: y for x, y in columns.items() if x not in parents or {*y} != {None}}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the paths to the values in one of JSON or Arrow, and these; longer lists as text."""
    if isinstance(value, dict) and value:
        for name, field in value.items():
            yield from _leaves(field, f"{path}.{name}")
    elif isinstance(value, list) and len(value) == 1:
        yield from _leaves(value[0], f"{path}.0")
    elif isinstance(value, (dict, list, tuple)):
        yield path, str(value) if value else None
    else:
        yield path, value


def value_in(value: Any, path: str, above: str = "") -> Any:
    """Return what a path leads to in a value of JSON, None if a null or an empty list is on it.

    Raises
    ------
    ValueError
        If it leads nowhere; the message says what is there instead. `above` is the path so far.
    """
    if value is None or value == []:
        return None
    if isinstance(value, dict):
        step = _longest_name(path, value)
        if step is None:
            raise AbsentError(above, value, path)
        inner = value[step]
    elif isinstance(value, list):
        step = path.partition(".")[0]
        if not re.fullmatch("[0-9]+", step) or int(step) >= len(value):
            elements = f"whose elements are '{above}.0', '{above}.1', ..."
            raise ValueError(f"{above!r} is a list of length {len(value)}, {elements}")
        inner = value[int(step)]
    else:
        raise ValueError(f"{above!r} is {show(value)}, which has no fields")
    if step == path:
        return inner
    return value_in(inner, path[len(step) + 1 :], f"{above}.{step}".removeprefix("."))


def one_value(row: Mapping[str, Any], name: str, where: str, n_lacking: Any = None) -> Any:
    """Return the one value that a name leads to, or with `argmax:` where the greatest is.

    With `n_lacking`, a Counter, an absent key is a null, and counted there.

    Raises
    ------
    ValueError
        If there is none, or there are several; the message says where the object stands.
    """
    path, is_argmax = _path_of(name, row)
    try:
        value = value_in(row, path)
    except ValueError as error:
        if n_lacking is not None and isinstance(error, AbsentError):
            n_lacking[name] += 1
            return None
        lacking = message("{where} has no {name!r}", where=where, name=name)
        raise DataError(join([lacking, error])) from error
    if is_argmax:
        return _argmax(value, f"{where}: {path!r}")
    if isinstance(value, (dict, list)):
        raise ValueError(
            f"{where}: {name!r} holds several values, {show(value)}: name a field or an element in "
            f"it, or argmax:{name} for the largest number"
        )
    return value


def _argmax(value: Any, name: str) -> Any:
    """Return the name of the greatest number, or its position in a list; None without numbers."""
    if value in (None, [], {}):
        return None
    names, numbers = _named_numbers(value)
    if not numbers or {*map(type, numbers)} - {int, float} or any(x != x for x in numbers):
        raise ValueError(
            f"{name} must be a list of numbers, an object of numbers, or a list of objects of a "
            f"label and a number each, without null or nan, got {show(value)}"
        )
    return names[numbers.index(max(numbers))]


def _named_numbers(value: Any) -> tuple[Sequence[Any], list[Any]]:
    """Return numbers beside their names, or their positions in a list; none of other values.

    An object of truth values has one number, the only one that is true.
    """
    if isinstance(value, list) and isinstance(value[0], tuple):  # a map of Arrow
        value = dict(value)
    if isinstance(value, dict):
        numbers = [*value.values()]
        is_one_true = {*map(type, numbers)} == {bool} and sum(numbers) == 1
        return [*value], [*map(int, numbers)] if is_one_true else numbers
    if not isinstance(value, list):
        return [], []
    return _labels_and_numbers(value) if isinstance(value[0], dict) else (range(len(value)), value)


def _labels_and_numbers(objects: list[Any]) -> tuple[list[Any], list[Any]]:
    """Return the only text in each object, and the only number; none if there are others.

    Where there is no text, integers beside numbers with decimals are the labels.
    """
    rows = [x if isinstance(x, dict) else {} for x in objects]
    columns = [[row.get(key) for row in rows] for key in objects[0]]
    texts, integers, numbers = (
        [x for x in columns if {*map(type, x)} <= kinds] for kinds in ({str}, {int}, {int, float})
    )
    names = texts or integers
    numbers = [x for x in numbers if not any(x is y for y in names)]
    return (names[0], numbers[0]) if len(names) == len(numbers) == 1 else ([], [])
