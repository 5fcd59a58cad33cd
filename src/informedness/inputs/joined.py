"""Samples read whole: from files, from lines of text, or from files joined on identifiers."""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..contingency import common_codes
from ..core.labels import Column, check_same_kind, join_columns, read_column, show
from ..core.table import Task
from ..extras import needing
from .columns import naming, why_not_utf8
from .fast import coded, read_quickly
from .open import open_whole
from .read import Amounts, Read, amounts_of
from .samples import Samples, has_column, raw_batches

_MOST_ROWS = 1 << 29  # of which a column takes 4 GB
_BLOCK = 1 << 20  # characters of lines read at a time


class Whole(NamedTuple):
    """Columns by argument, the options for their labels, and what was read."""

    columns: dict[str, Column]
    task: Task
    read: Read


def columns_of(
    samples: Samples, batches: Iterable[Mapping[str, Any]], most_rows: int = _MOST_ROWS
) -> Whole:
    """Return all rows of some batches as columns; with "counts" each is repeated so many times.

    Raises
    ------
    ValueError
        If a label is not valid, or there are more than `most_rows`.
    """
    parts: dict[str, list[Column]] = {x: [] for x in samples.names if x != "counts"}
    total = 0
    for rows in filter(None, batches):
        n = rows.get("counts")
        total += len(rows[next(iter(parts))]) if n is None else int(n.sum())
        if total > most_rows:
            raise ValueError(f"there can be at most {most_rows:,d} rows, the data has more")
        repeated = slice(None) if n is None else np.repeat(np.arange(len(n)), n)
        for argument, of_argument in parts.items():
            of_argument.append(rows[argument][repeated])
    empty = Column(np.zeros(0, dtype=np.int64), [])
    columns = {x: join_columns(part) if part else empty for x, part in parts.items()}
    task = samples.task(columns["references"], {})
    sides = {x: _counted(columns[x], columns["references"], task) for x in samples.labelled}
    integers, classes, read = samples.end(
        sides, lambda: _never_repeat([columns[x] for x in samples.labelled])
    )
    for x in samples.labelled if integers else ():
        values, codes = columns[x].coded()
        values = [integers.get(label, label) for label in values]
        columns[x] = read_column(values, x, may_lack=True)[codes]
    declared = None if classes is None else tuple(classes)
    ignored: Any = integers.get(task.ignored, task.ignored)
    return Whole(columns, Task(declared, ignored, samples.options.unknown), read)


def _counted(column: Column, references: Column, task: Task) -> Amounts:
    """Return how many samples that count have each label of a column."""
    kept = slice(None) if task.ignored is None else references.differs_from(task.ignored)
    values, codes = coded(column[kept])
    return amounts_of(values, np.bincount(codes, minlength=len(values)).tolist())


def _never_repeat(columns: Sequence[Column]) -> bool:
    """Return whether no two rows have the same labels."""
    rows = np.stack([coded(column)[1] for column in columns], axis=1)
    return 1 < len(rows) == len(np.unique(rows, axis=0))


def lines_of(path: str, encoding: str | None) -> Iterator[Any]:
    """Yield the lines of a text file, which must be text of labels, in arrays of pyarrow."""
    with needing("reading lines of text needs pyarrow", "informedness[cli]"):
        import pyarrow.compute
    with naming(path), open_whole(path, None, encoding) as stream:
        text, line = io.TextIOWrapper(stream, encoding="utf-8-sig"), ""
        try:
            while block := text.read(_BLOCK):
                if "\0" in block:
                    raise UnicodeError
                whole, end, line = (line + block).rpartition("\n")
                if end:
                    builder = pyarrow.lib.StringBuilder()  # `array` would import pandas
                    builder.append(whole)
                    yield pyarrow.compute.split_pattern(builder.finish(), "\n").flatten()
        except UnicodeError:
            stream.seek(0)
            raise ValueError(why_not_utf8(stream.read().splitlines())) from None
        yield [line] * bool(line)


def samples_of_lines(
    sides: Mapping[str, Iterator[Any]], samples: Samples
) -> Iterator[Mapping[str, Any]]:
    """Yield the samples in lines, by argument, one label per line.

    Lines at the end that are empty on all sides are no samples.

    Raises
    ------
    ValueError
        If the numbers of lines differ.
    """
    samples.is_text = True
    rest: dict[str, Any] = dict.fromkeys(sides, ())
    total = n_empty = 0  # lines so far, and how many of them were empty in the end
    while True:
        rest = {x: lines or next(sides[x], ()) for x, lines in rest.items()}
        n = size = min(map(len, rest.values()))
        if not size:
            break
        while n and not (samples.keep_missing or any(str(x[n - 1]) for x in rest.values())):
            n -= 1
        if n and n_empty:
            yield samples.read(dict.fromkeys(sides, [""] * n_empty))
        if n:
            yield samples.read({x: lines[:n] for x, lines in rest.items()})
        n_empty = size - n if n else n_empty + size
        rest = {x: lines[size:] for x, lines in rest.items()}
        total += size
    found = {x: total + len(lines) + sum(map(len, sides[x])) for x, lines in rest.items()}
    if len({*found.values()}) > 1:
        said = ", ".join(f"{n} in {samples.names[x]}" for x, n in found.items())
        raise ValueError(f"there must be the same number of lines, one per sample, got {said}")


def joined_rows(
    paths: Sequence[Any], on: str, names: Sequence[Mapping[str, str]], samples: Samples, **how: Any
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of two files, joined on their identifiers.

    Parameters
    ----------
    paths : two paths
        Files, or folders of part files.
    on : str
        Name of the column of identifiers, which both files have.
    names : two dicts of str to str
        The column of each argument in either file. Of an argument that both have, as references of
        two models, the values must be equal.
    samples : Samples
        What reads the rows.
    **how
        How to read the files, as in `read_files`.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column, an identifier occurs twice in a file or is not in
        both files, or has different references.
    """
    sides, (first, second) = [], names
    same = first["references"]
    is_other = samples.options.unknown == "error" and {"references", same}.isdisjoint(
        [*second, *second.values()]
    )
    if is_other and has_column(paths[1], same, **how):  # then both must agree
        second = {"references": same, **second}
    for path, of_file in zip(paths, (first, second), strict=True):
        parts: dict[str, list[Column]] = {}
        samples.examples.clear()  # errors on both files name them
        for columns in raw_batches(path, {"on": on, **of_file}, samples, **how):
            for argument, values in columns.items():
                parts.setdefault(argument, []).append(samples.values(argument, values)[0])
        sides.append({argument: join_columns(columns) for argument, columns in parts.items()})
    if len({side["on"].kind for side in sides}) > 1:  # 7 and "7"
        sides = [{**side, "on": _as_text(side["on"])} for side in sides]
    if "references" not in second:
        sides[1] = _beside(sides[0]["on"], sides[1], samples)
    joined = joined_sides(sides, [str(path) for path in paths], f"`on` {on!r}")
    given = {x: side[x] for side in joined[::-1] for x in side if x in samples.names}
    yield samples.read({x: given[x] for x in samples.names})


def _as_text(ids: Column) -> Column:
    """Return identifiers as text."""
    return read_column(list(map(str, ids.tolist())), "on")


def _beside(ids: Column, side: dict[str, Column], samples: Samples) -> dict[str, Column]:
    """Return predictions of which a reference is known; count the others.

    If what is missing is wrong, there is nothing beside identifiers without a prediction.
    """
    names, known, own = common_codes(ids, side["on"])
    is_known = np.isin(own, known)
    n_left_out = int(np.count_nonzero(~is_known))
    samples.left_out["no reference"] += n_left_out
    samples.n_rows += n_left_out
    lacking = [] if samples.options.unknown == "error" else np.setdiff1d(known, own).tolist()
    nothing = {argument: [None] * len(lacking) for argument in side}
    nothing["on"] = [names[code] for code in lacking]
    return {
        x: join_columns([column[is_known], read_quickly(nothing[x], x, may_lack=True)])
        for x, column in side.items()
    }


def joined_sides(
    sides: Sequence[dict[str, Column]], names: Sequence[str], on: str
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
    alone = []
    for here, there in ((0, 1), (1, 0)):
        n = np.bincount(codes[here], minlength=len(ids))
        if n.max(initial=0) > 1:
            raise ValueError(
                f"{on}: {(n - 1)[n > 1].sum()} of {n.sum()} rows of {names[here]} repeat an "
                f"identifier, such as {show(ids[n.argmax()])}; each must occur once"
            )
        if len(lacking := np.setdiff1d(codes[here], codes[there])):
            share = f"{len(lacking)} of {n.sum()} in {names[here]}"
            alone.append(f"{share} not in {names[there]}, such as {show(ids[lacking[0]])}")
    if alone:
        raise ValueError(
            f"{on}: {'; '.join(alone)}; both must hold the same samples, or "
            'unknown="wrong" counts missing predictions as wrong answers'
        )
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
