"""What files and data frames share: names of columns, and what is wrong with data."""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any

from ..core.labels import LabelsWarning, show, warn
from ..errors import DataError
from ..messages import Message

ARGMAX = "argmax:"
_MOST_NAMES = 40  # that an error lists


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
        if name.startswith(ARGMAX) and len(columns) > 1:
            if not argument.startswith("predictions"):
                raise ValueError(f"`{argument}` must name one column, got {name!r}")
            read |= {f"{argument}[{i}]": column for i, column in enumerate(columns)}
        else:
            read[argument] = name
    for argument in labelled_among(read):
        if argument != "references" and read[argument] == read.get("references"):
            raise ValueError(
                f"`{argument}` must be another column than `references`, got {read[argument]!r} "
                "for both; to join two files whose columns have one name, give `on`"
            )
    return read


def by_argument(columns: Mapping[str, Any]) -> dict[str, Any]:
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


def numbered(names: Sequence[str]) -> list[str]:
    """Return names of columns as pandas has them: x, and x.1 for the next one of this name."""
    taken, times = {*names}, Counter[str]()
    different = list[str]()
    for name in names:
        new = name
        while times[name] and new in taken:
            new = f"{name}.{times[name]}"
            times[name] += 1
        taken.add(new)
        times[name] += times[name] == 0
        different.append(new)
    return different


def names_alike(names: Iterable[str], written: Sequence[str]) -> dict[str, list[str]]:
    """Return all columns of each of these names, where a header as it is written has several."""
    pairs = [*zip(numbered(written), written, strict=True)]
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


def closest(name: str, names: Collection[Any]) -> str:
    """Return the name that is close to one that does not exist, empty if there is none."""
    close = [] if name in names else get_close_matches(name, map(str, names), 1)
    return close[0] if close else ""


def listed(names: Collection[Any], *wanted: str) -> str:
    """Return the names that there are, and those that are close to what is wanted."""
    text = ", ".join(map(show, [*names][:_MOST_NAMES])) or "none"
    if len(names) > _MOST_NAMES:
        text += f" and {len(names) - _MOST_NAMES:,d} more"
    close = " or ".join(repr(x) for x in (closest(name, names) for name in wanted) if x)
    return f"{text} (did you mean {close}?)" if close else text


def why_not_utf8(lines: Iterable[bytes], first: int = 1) -> str:
    """Return what to say of lines of text that are not in UTF-8; empty if they are."""
    for number, line in enumerate(lines, start=first):
        at = line.find(b"\0")
        try:
            line.decode()
        except UnicodeDecodeError as error:
            at = error.start
        if at >= 0:
            return (
                f"line {number} is not text in UTF-8, at {line[max(at - 10, 0) : at + 10]!r}: give "
                "its encoding as encoding=, such as 'cp1252' or 'utf-16-le'"
            )
    return ""
