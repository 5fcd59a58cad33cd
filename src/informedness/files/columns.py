"""Resolve column names, and paths to values in nested columns.

`doc.label` is the field `label` of the column `doc`. `doc.answers.0` is the first element of the
list `answers` in `doc`. A column whose name is the entire path has priority. At every level, the
longest matching field name is used.

`argmax:scores` is the position of the largest number in a list, its name in an object, or its label
in a list of objects. If several numbers are the largest, the first is used. A column that is named
`argmax:scores` has priority. `argmax:a,b` is the class whose column, `a` or `b`, has the highest
score in a row, even if a column is named `argmax:a,b`.
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
_MOST_NAMES = 40  # limit on the names in a list of names in a message


def collect_names(
    references: Any, predictions: Any, weights: Any, counts: Any, by: Any
) -> dict[str, str]:
    """Check the names of columns, and collect them by argument.

    Columns to slice by have the keys "by", "by 2", "by 3" and so on.

    Raises
    ------
    ValueError
        If a name is not text, an integer or a tuple, or `by` is empty. If `weights` and `counts`
        are both passed, or if the column of one of them has another role, too.
    """
    if weights is not None and counts is not None:
        raise ValueError("`weights` and `counts` exclude each other: pass only one of them")
    optional = {**_slicing_columns(by), "weights": weights, "counts": counts}
    names = {"references": references, "predictions": predictions}
    names |= {argument: name for argument, name in optional.items() if name is not None}
    for argument, name in names.items():
        if not isinstance(name, (str, int, tuple)):
            raise ValueError(f"`{argument}` must be the name of a column, got {show(name)}")
        if argument in ("weights", "counts") and [*names.values()].count(name) > 1:
            rule = f"`{argument}` must name a column that no other argument names"
            raise ValueError(f"{rule}, got {name!r}")
    return {argument: str(name) for argument, name in names.items()}


def _slicing_columns(by: Any) -> dict[str, Any]:
    """Number the columns to slice by as "by", "by 2", "by 3" and so on.

    If `by` is None, the value of "by" is None. An empty sequence raises ValueError.
    """
    columns = [*by] if isinstance(by, Sequence) and not isinstance(by, str) else [by]
    if not columns:
        raise ValueError("`by` must name at least one column, got none")
    return {f"by {i}" if i > 1 else "by": name for i, name in enumerate(columns, start=1)}


def columns_of_argument(argument: str, name: str) -> dict[str, str]:
    """List the columns of an argument by key.

    The key of a single column is the argument. The columns in `argmax:a,b` have keys such as
    "predictions[0]".

    Raises
    ------
    ValueError
        If an argument other than predictions names several columns.
    """
    columns = name.removeprefix(ARGMAX).split(",")
    if not name.startswith(ARGMAX) or len(columns) == 1:
        return {argument: name}
    if not argument.startswith("predictions"):
        raise ValueError(f"`{argument}` must name one column, got {name!r}")
    return {f"{argument}[{i}]": column for i, column in enumerate(columns)}


def columns_to_read(names: Mapping[str, str]) -> dict[str, str]:
    """List the columns of all arguments by key, as in `columns_of_argument`.

    Raises
    ------
    ValueError
        If references and predictions have the same column, or an argument other than predictions
        names several columns.
    """
    columns = dict[str, str]()
    for argument, name in names.items():
        columns |= columns_of_argument(argument, name)
    for argument in labelled_arguments(columns):
        if argument != "references" and columns[argument] == columns.get("references"):
            rule = f"`{argument}` must not be the same column as `references`"
            remedy = "To join two files on an identifier, name its column as `on`."
            raise ValueError(f"{rule}, got {columns[argument]!r} for both. {remedy}")
    return columns


def group_by_argument(columns: Mapping[str, Any]) -> dict[str, Any]:
    """Group columns by argument; several columns of an argument become a tuple."""
    groups = dict[str, Any]()
    for key, values in columns.items():
        argument, bracket, _ = key.partition("[")
        groups[argument] = (*groups.get(argument, ()), values) if bracket else values
    return groups


def labelled_arguments(names: Iterable[str]) -> list[str]:
    """Select the arguments whose columns hold labels to score."""
    return [name for name in names if name.startswith(("references", "predictions"))]


def distinct_names(names: Sequence[str]) -> list[str]:
    """Make column names distinct as pandas does: a second "x" becomes "x.1"."""
    numbers = Counter[str]()
    taken, distinct = {*names}, dict[str, None]()
    for name in names:
        new = name
        while new in distinct or (new in taken and new != name):
            numbers[name] += 1
            new = f"{name}.{numbers[name]}"
        distinct[new] = None
    return [*distinct]


def repeats_of(names: Collection[str], header: Sequence[str]) -> dict[str, str]:
    """Map the distinct name of each repeated column, such as "x.1", to the name that it repeats.

    Only repeats of these `names` are included.
    """
    pairs = zip(distinct_names(header), header, strict=True)
    return {column: name for column, name in pairs if column != name and name in names}


def warn_of_repeats(unequal: Mapping[str, str]) -> None:
    """Warn of columns that have the name of another column, but other values.

    `unequal` maps the distinct name of each such column to the name that it repeats.
    """
    for column, name in unequal.items():
        text = f"several columns are named {name!r}, and their values differ"
        warn(f"{text}. To choose one, name it {name!r} or {column!r}", LabelsWarning)


def check_columns(names: Mapping[str, str], present: Sequence[str]) -> None:
    """Raise an error if a name does not match exactly one column; list all such arguments."""
    times = Counter(present)
    wrong = {argument: name for argument, name in names.items() if times[name] != 1}
    if wrong:
        reasons = [
            f"`{x}` names column {y!r}, which {'is not unique' if times[y] else 'does not exist'}"
            for x, y in wrong.items()
        ]
        text = f"{'; '.join(reasons)}; the columns are {name_list(present, *names.values())}"
        raise DataError(Message(text, "columns", columns=tuple(present)))


def name_list(names: Collection[Any], *wanted: str) -> str:
    """Format a list of names; for each name in `wanted` that it lacks, suggest the most similar.

    No name is suggested if none is similar.
    """
    text = ", ".join(map(show, [*names][:_MOST_NAMES])) or "none"
    if len(names) > _MOST_NAMES:
        text += f" and {len(names) - _MOST_NAMES:,d} more"
    known = [*map(str, names)]
    close = [get_close_matches(name, known, 1) for name in wanted if name not in names]
    hint = " or ".join(repr(name) for close_names in close for name in close_names)
    return f"{text} (did you mean {hint}?)" if hint else text


# Values in nested columns


class AbsentError(ValueError):
    """Error about a key that is missing in an object.

    Its arguments are the path of the object, the object, and the missing path. The message is built
    only when it is shown, because building it is slow.
    """

    def __str__(self) -> str:
        parent, names, path = self.args
        fields = f"the fields of {parent!r}" if parent else "its keys"
        return f"{fields} are {name_list(names, path)}"


def column_of(name: str, columns: Collection[str]) -> str | None:
    """Find the column that a name or path refers to; None if it does not exist."""
    return _longest_name(_path_of(name, columns)[0], columns)


def _path_of(name: str, names: Collection[str]) -> tuple[Any, bool]:
    """Get the path in a name, and whether the prefix `argmax:` applies to it."""
    is_argmax = name.startswith(ARGMAX) and name not in names
    return name.removeprefix(ARGMAX) if is_argmax else name, is_argmax


def _longest_name(path: str, names: Collection[str]) -> str | None:
    """Find the longest name that a path begins with; None if nothing matches."""
    while path not in names:
        path, dot, _ = path.rpartition(".")
        if not dot:
            return None
    return path


def flatten_column(name: str, values: Sequence[Any]) -> dict[str, list[Any]]:
    """Split a nested column into columns by path; other columns stay unchanged."""
    if {dict, list, tuple}.isdisjoint(map(type, values)):
        return {name: [*values]}
    columns: defaultdict[str, list[Any]] = defaultdict(lambda: [None] * len(values))
    for row, value in enumerate(values):
        for path, leaf in _leaves(value, name):
            columns[path][row] = leaf
    parents = {path[:i] for path in columns for i, x in enumerate(path) if x == "."}
    return {x: y for x, y in columns.items() if x not in parents or {*y} != {None}}


def _leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the path and value of each leaf in a JSON or Arrow value.

    The only element of a list has the field name "0". Longer lists become text, and empty lists
    and objects become None.
    """
    if isinstance(value, list) and len(value) == 1:
        value = {"0": value[0]}
    if isinstance(value, dict) and value:
        for name, field in value.items():
            yield from _leaves(field, f"{path}.{name}")
    elif isinstance(value, (dict, list, tuple)):
        yield path, str(value) if value else None
    else:
        yield path, value


def value_in(value: Any, path: str, parent_path: str = "") -> Any:
    """Get the value at a path in JSON; None if null or an empty list is before its last field.

    `parent_path` is the path to `value` in the document, for messages.

    Raises
    ------
    ValueError
        If the path does not exist. If an object lacks a key of it, the message lists the keys of
        the object.
    """
    while value is not None and value != []:
        step = path.partition(".")[0]
        if isinstance(value, dict):
            step = _longest_name(path, value) or ""
            if step not in value:
                raise AbsentError(parent_path, value, path)
            value = value[step]
        elif isinstance(value, list) and re.fullmatch("[0-9]+", step) and int(step) < len(value):
            value = value[int(step)]
        else:
            parent = repr(parent_path) if parent_path else "the document"
            raise ValueError(f"{parent} is {show(value)}, which has no {step!r}")
        if step == path:
            return value
        path, parent_path = path[len(step) + 1 :], f"{parent_path}.{step}".removeprefix(".")
    return None


def one_value(row: Mapping[str, Any], name: str, where: str, n_absent: Any = None) -> Any:
    """Get the only value at a name; with `argmax:`, the name, label or position of the largest.

    If `n_absent` is a Counter, it counts missing keys, and their values are None.

    Raises
    ------
    ValueError
        If the path does not exist, except for missing keys that are counted. Without `argmax:`, if
        the value is a list or an object; with it, if the value is not null or empty, and does not
        hold numbers to compare. The message begins with `where`, the location of `row`.
    """
    path, is_argmax = _path_of(name, row)
    try:
        value = value_in(row, path)
    except ValueError as error:
        if n_absent is None or not isinstance(error, AbsentError):
            absent = message("{where} has no {name!r}", where=where, name=name)
            raise DataError(join([absent, error])) from error
        n_absent[name] += 1
        return None
    if is_argmax:
        return _argmax(value, f"{where}: {path!r}")
    if isinstance(value, (dict, list)):
        rule = f"{where}: {name!r} holds several values, {show(value)}"
        remedy = f"name a field or an element in it, or argmax:{name}"
        raise ValueError(f"{rule}: {remedy} for the name or position of its largest number")
    return value


def _argmax(value: Any, name: str) -> Any:
    """Find the name or label of the largest number, or its position in a list.

    The result is None for null, and for an empty list or object.
    """
    if value in (None, [], {}):
        return None
    pairs = _named_numbers(value)
    numbers = [number for _, number in pairs]
    if not pairs or {*map(type, numbers)} - {int, float} or any(x != x for x in numbers):
        rule = "must be a list or an object of numbers without null and nan, or a list of objects"
        raise ValueError(f"{name} {rule} with a label and a number, got {show(value)}")
    return pairs[numbers.index(max(numbers))][0]


def _named_numbers(value: Any) -> Sequence[tuple[Any, Any]]:
    """Pair each number with its name or label, or with its position in a list.

    The result is empty for a single value, and for a list of objects with ambiguous labels or
    numbers. If all values of an object are booleans, and exactly one is true, they are read as
    numbers.
    """
    if isinstance(value, dict):
        is_one_true = {*map(type, value.values())} == {bool} and sum(value.values()) == 1
        return [(name, int(x) if is_one_true else x) for name, x in value.items()]
    if not isinstance(value, list):
        return []
    if isinstance(value[0], tuple):  # a value of Arrow's type map
        return value
    are_objects = all(isinstance(x, dict) for x in value)
    return _labels_and_numbers(value) if are_objects else [*enumerate(value)]


def _labels_and_numbers(objects: list[Any]) -> Sequence[tuple[Any, Any]]:
    """Pair the label and the number in each object; the result is empty if they are ambiguous.

    Labels are text. Without text, the integers are labels, next to numbers with decimals.
    """
    columns = [[x.get(key) for x in objects] for key in objects[0]]
    labels = [x for x in columns if {*map(type, x)} == {str}]
    numbers = [x for x in columns if {*map(type, x)} <= {int, float}]
    if not labels:
        labels = [x for x in numbers if {*map(type, x)} == {int}]
        numbers = [x for x in numbers if float in map(type, x)]
    if len(labels) != 1 or len(numbers) != 1:
        return []
    return [*zip(labels[0], numbers[0], strict=True)]
