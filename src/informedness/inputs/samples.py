"""Samples read whole from files: each has a reference and the predictions of two models."""

from collections.abc import Sequence
from os import PathLike
from typing import Any

import numpy as np

from ..contingency import common_codes
from ..core.labels import NAMES, Column, LabelsWarning, check_same_kind, join_columns, show, warn
from .answered import AS_THEY_ARE, LabelOptions, read_labels
from .columns import Batch, read_whole
from .delimited import check_no_rule, marked
from .matrices import role_in, words_of
from .paths import check_encoding, open_whole, why_not_utf8
from .readers import read_files

_MOST_ROWS = 1 << 29  # of which a column takes 4 GB


def read_columns(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    names: dict[str, str],
    *,
    options: LabelOptions = AS_THEY_ARE,
    most_rows: int = _MOST_ROWS,
    **how: Any,
) -> dict[str, Column]:
    """Return columns of files as labels, by argument.

    Parameters
    ----------
    path
        As in `table_from_file`.
    names : dict of str to str
        Name of the column of each argument. Identifiers, the arguments "on" and "groups", are left
        as they are. With "counts" each row is repeated so many times.
    most_rows : int
        How many samples there may be.
    options : LabelOptions
        What a label is.
    **how
        How to read the files, as in `read_files`.

    Raises
    ------
    ValueError
        If a file, a column or a label is not valid; the message names the file.
    """
    parts: dict[str, list[Column]] = {x: [] for x in names if x != "counts"}
    total = 0

    def add(batch: Batch) -> None:
        nonlocal total
        counts = batch.columns.pop("counts", None)
        n = None if counts is None else read_whole(counts)
        total += batch.n_rows if n is None else int(n.sum())
        if total > most_rows:
            raise ValueError(f"there can be at most {most_rows:,d} rows, the data has more")
        repeated = slice(None) if n is None else np.repeat(np.arange(len(n)), n)
        for argument, values in batch.columns.items():
            column = read_labels(values, argument, options)[repeated]
            if len(column):
                first = [*parts[argument], column][0]
                check_same_kind(first, f"{argument} before", column, argument)
                parts[argument].append(column)

    read_files(path, names, add, options, **how)
    empty = Column(np.zeros(0, dtype=np.int64), [])
    return {
        argument: join_columns(columns) if columns else empty for argument, columns in parts.items()
    }


def read_lines(
    paths: Sequence[str | PathLike[str]],
    options: LabelOptions = AS_THEY_ARE,
    *,
    encoding: str | None = None,
    drop_null: bool = False,
    keep_missing: bool = False,
) -> list[Column]:
    """Return the references and the predictions in two text files, one label per line.

    Raises
    ------
    ValueError
        If a file is not UTF-8, the lines are those of a table, a line holds no label, or the
        numbers of lines differ.
    """
    check_encoding(encoding)
    sides = [_lines_of(str(path), encoding) for path in paths]
    return labels_of_lines(
        sides, list(map(str, paths)), options, drop_null=drop_null, keep_missing=keep_missing
    )


def labels_of_lines(
    sides: Sequence[list[str]],
    names: Sequence[str],
    options: LabelOptions = AS_THEY_ARE,
    *,
    drop_null: bool = False,
    keep_missing: bool = False,
) -> list[Column]:
    """Return the references, and the predictions of each model, in lists of lines.

    Lines at the end that are empty on all sides are no samples. Messages call the sides by `names`.
    """
    for lines, name in zip(sides, names, strict=True):
        _check_lines(lines, name)
    if len({*map(len, sides)}) > 1:
        found = [f"{len(lines)} in {name}" for lines, name in zip(sides, names, strict=True)]
        raise ValueError(
            "there must be the same number of lines, one per sample, got "
            f"{', '.join(found[:-1])} and {found[-1]}"
        )
    n = len(sides[0])
    while n and not (keep_missing or any(lines[n - 1] for lines in sides)):
        n -= 1
    sides = [lines[:n] for lines in sides]
    _check_first(sides)
    missing = options.missing(NAMES, keep_missing)
    gaps = set[int]()
    roles = [NAMES[0], *[NAMES[1]] * (len(sides) - 1)]
    for name, lines, role in zip(names, sides, roles, strict=True):
        null = () if missing is None else ("", *missing.get(role, ()))
        here = [i for i, line in enumerate(lines) if line in null]
        if here and not drop_null:
            n_lines = f", and {len(here) - 1} more like it" if len(here) > 1 else ""
            raise ValueError(
                f"{name}: line {here[0] + 1} must hold a label, got {show(lines[here[0]])}"
                f"{n_lines}: drop_null=True leaves out such samples, keep_missing=True reads it as "
                "a label"
            )
        gaps.update(here)
    if gaps:
        warn(f"{len(gaps)} of {n} samples are left out, a label of theirs is missing")
    columns = []
    for name, lines, role in zip(names, sides, roles, strict=True):
        try:
            kept = [line for i, line in enumerate(lines) if i not in gaps]
            columns.append(read_labels(kept, role, options))
        except ValueError as error:
            raise ValueError(f"{name}: {error}") from error
    return columns


def _check_lines(lines: Sequence[str], name: str) -> None:
    """Raise ValueError if these are the lines of a table, or of several files joined into one."""
    try:
        check_no_rule(lines)
        for line in dict.fromkeys(lines):
            if line.startswith("\ufeff"):
                raise ValueError(f"in line {lines.index(line) + 1} {marked(line)}")
    except ValueError as error:
        raise ValueError(f"{name}: {error}") from error
    if line := next((line for line in dict.fromkeys(lines) if "\t" in line), ""):
        warn(
            f"{name}: {show(line)} contains a tab: there must be one label per line", LabelsWarning
        )


def _check_first(sides: Sequence[list[str]]) -> None:
    """Warn if the first line is a header."""
    first = [line for lines in sides for line in lines[:1]]
    below = set[str]().union(*(lines[1:] for lines in sides))
    if any(map(_is_header, first)) and below.isdisjoint(first) and not any(map(_is_header, below)):
        shown = ", ".join(map(show, first))
        warn(f"the first line ({shown}) looks like a header: leave it out", LabelsWarning)


def _is_header(line: str) -> bool:
    """Return whether a line can only be the name of a column; "true" alone is a label."""
    words = words_of(line[:200])
    is_name = all(word == "y" or role_in(word)[0] for word in words)
    return is_name and words != ["true"] and role_in(line[:200])[0] is not None


def lines_in(text: str) -> list[str]:
    """Return the lines of text, whichever way they end."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return text.removesuffix("\n").split("\n") if text else []


def _lines_of(path: str, encoding: str | None) -> list[str]:
    """Return the lines of a text file, which must be text of labels."""
    try:
        with open_whole(path, encoding=encoding) as stream:
            content = stream.read()
        if why := why_not_utf8(content.splitlines()):
            raise ValueError(why)
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from error
    return lines_in(content.decode("utf-8-sig"))


def joined_columns(
    paths: Sequence[str],
    on: str,
    references: str,
    predictions: Sequence[str],
    groups: str | None = None,
    **options: Any,
) -> tuple[Column, Column, Column, Column | None]:
    """Return references, both predictions and groups of two files, joined on their identifiers.

    Parameters
    ----------
    paths : two paths
        The file of each model, or the folder of its part files.
    on, references : str
        Names of the columns of identifiers and references, which both files have.
    predictions : sequence of str
        Name of the column of predictions, in both or of each file.
    groups : str, optional
        Name of the column of groups, in the first file.
    **options
        As in `read_columns`.

    Raises
    ------
    ValueError
        As for `read_columns`; or if an identifier occurs twice in a file, is not in both files, or
        has different references.
    """
    sides: list[dict[str, Column]] = []
    for path, name in zip(paths, (*predictions, *predictions), strict=False):
        names = {"on": on, "references": references, "predictions": name}
        if groups is not None and not sides:
            names["groups"] = groups
        sides.append(read_columns(path, names, **options))
    a, b = joined_sides(sides, paths, f"`--on {on}`", left_out=bool(options.get("drop_null")))
    return a["references"], a["predictions"], b["predictions"], a.get("groups")


def joined_sides(
    sides: Sequence[dict[str, Column]], names: Sequence[str], on: str, left_out: bool = False
) -> list[dict[str, Column]]:
    """Return the columns of two models in the order of their identifiers, the columns "on".

    Parameters
    ----------
    sides : two dicts of str to Column
        With "on" and "predictions"; any other columns that both have must be equal.
    names : two str
        What to call the two in messages.
    on : str
        What to call the identifiers.
    left_out : bool
        Whether samples with nulls were left out, for the messages.

    Raises
    ------
    ValueError
        If an identifier occurs twice on one side or is not on both, or if columns are not equal.
    """
    a, b = sides
    equal = [name for name in a if name in b and name not in ("on", "predictions")]
    for argument in ("on", *equal):
        check_same_kind(
            a[argument], f"{argument} of {names[0]}", b[argument], f"{argument} of {names[1]}"
        )
    ids, *codes = common_codes(a["on"], b["on"])
    for name, side in zip(names, codes, strict=True):
        again = np.bincount(side, minlength=len(ids)) - 1
        if (again > 0).any():
            raise ValueError(
                f"{on}: {again[again > 0].sum()} of {len(side)} rows of {name} repeat an "
                f"identifier, such as {show(ids[np.argmax(again > 0)])}; each must occur once"
            )
    missing, unmatched = [], 0
    for here, there in ((0, 1), (1, 0)):
        alone = np.setdiff1d(codes[here], codes[there])
        unmatched += len(alone)
        verb = "is" if len(alone) == 1 else "are"
        such = f" (such as {show(ids[alone[0]])})" if len(alone) else ""
        of_side = f"{len(alone)} of {len(codes[here])} in {names[here]}"
        missing.append(f"{of_side} {verb} not in {names[there]}{such}")
    if unmatched:
        more = ", and rows with a null are left out" if left_out else ""
        raise ValueError(f"{on}: {', '.join(missing)}; both must hold the same samples{more}")
    common, *orders = np.intersect1d(codes[0], codes[1], return_indices=True)
    a, b = (
        {argument: column[order] for argument, column in side.items()}
        for side, order in zip(sides, orders, strict=True)
    )
    for argument in equal:
        values, left, right = common_codes(a[argument], b[argument])
        unequal = np.flatnonzero(left != right)
        if len(unequal):
            first = unequal[0]
            raise ValueError(
                f"{on}: the {argument} of {len(unequal)} of {len(left)} samples differ between "
                f"{names[0]} and {names[1]}, such as {show(values[left[first]])} and "
                f"{show(values[right[first]])} for {show(ids[common[first]])}; they must be equal"
            )
    return [a, b]
