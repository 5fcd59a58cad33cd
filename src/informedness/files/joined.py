"""Samples read whole: from files, from lines of text, or from files joined on identifiers."""

from __future__ import annotations

import io
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Column, check_same_kind, join_columns, read_column, show
from ..core.table import Task
from ..errors import naming, needing
from ..tables.containers import coded, read_quickly
from ..tables.counting import common_codes
from ..text.account import Amounts, Read, amounts_of
from .booleans_and_decimals import labels_of_text
from .columns import why_not_utf8
from .open import open_whole
from .samples import Samples, raw_batches

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
    labelled = [columns[argument] for argument in samples.labelled]
    integers, classes, read = samples.end(sides, lambda: _never_repeat(labelled))
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
    first, second = names
    same = first["references"]  # which the second file may have, too
    is_alone = {"references", same}.isdisjoint([*second, *second.values()])
    beside = {"references": same} if is_alone else {}
    sides, are_text = list[dict[str, Any]](), True
    for path, of_file, more in zip(paths, names, ({}, beside), strict=True):
        sides.append(_side(path, {"on": on, **of_file}, samples, beside=more, **how))
        are_text &= samples.is_text
    _spell_alike(sides, "on")
    if are_text:  # a string "1.0" of JSON is no other spelling of "1"
        _spell_alike(sides, "references")
    files, called = [str(path) for path in paths], f"`on` {on!r}"
    if "references" not in second:
        if "references" in sides[1]:  # then both must agree, of the samples that both have
            common = {*sides[0]["on"].tolist()} & {*sides[1]["on"].tolist()}
            joined_sides([_references_of(side, common) for side in sides], files, called)
            del sides[1]["references"]
        sides[1] = _beside(sides[0]["on"], sides[1], samples)
    joined = joined_sides(sides, files, called)
    given: dict[str, Any] = {x: side[x] for side in joined[::-1] for x in side}
    if "weights" in given:
        given["weights"] = given["weights"].tolist()
    yield samples.read({x: given[x] for x in samples.names})


def _side(path: Any, names: Mapping[str, str], samples: Samples, **how: Any) -> dict[str, Any]:
    """Return the columns of one file to be joined, the weights as they stand there."""
    samples.examples.clear()  # errors on both files name them
    parts = defaultdict[str, list[Any]](list)
    weights: list[Any] = []
    for columns in raw_batches(path, names, samples, **how):
        for argument, values in columns.items():
            if argument == "weights":
                weights += values if isinstance(values, list) else values.to_pylist()
            else:
                parts[argument].append(samples.values(argument, values)[0])
    if not parts:
        raise ValueError(f"{path}: there must be rows to join, got none")
    side: dict[str, Any] = {argument: join_columns(columns) for argument, columns in parts.items()}
    return side | ({"weights": np.array(weights, dtype=object)} if "weights" in names else {})


def _spell_alike(sides: Sequence[dict[str, Any]], argument: str) -> None:
    """Let text that stands for the same be the same in both files, as 7.0 and 7 are."""
    columns = [side[argument] for side in sides if argument in side]
    if len(columns) < 2:
        return
    values_of_columns = [column.coded()[0] for column in columns]
    meant = labels_of_text(
        [{str(x) for x in values if x is not None} for values in values_of_columns]
    )
    is_same_kind = len({column.kind for column in columns}) == 1
    if meant or not is_same_kind:
        for side, column, values in zip(sides, columns, values_of_columns, strict=True):
            texts = [x if x is None else str(meant.get(str(x), x)) for x in values]
            side[argument] = Column(column.coded()[1], texts)


def _references_of(side: Mapping[str, Column], ids: Collection[Any]) -> dict[str, Column]:
    """Return the identifiers and references of the samples with these identifiers."""
    kept = np.array([name in ids for name in side["on"].tolist()], dtype=bool)
    return {argument: side[argument][kept] for argument in ("on", "references")}


def _beside(ids: Column, side: dict[str, Any], samples: Samples) -> dict[str, Any]:
    """Return predictions of which a reference is known; count the others.

    If what is missing is wrong, there is nothing beside identifiers without a prediction.
    """
    names, known, own = common_codes(ids, side["on"])
    is_known = np.isin(own, known)
    n_left_out = int(np.count_nonzero(~is_known))
    samples.left_out["no reference"] += n_left_out
    samples.n_rows += n_left_out
    lacking = [] if samples.options.unknown == "error" else np.setdiff1d(known, own).tolist()
    nothing: dict[str, list[Any]] = {argument: [None] * len(lacking) for argument in side}
    nothing["on"] = [names[code] for code in lacking]
    return {
        argument: join_columns([column[is_known], read_quickly(nothing[argument], argument, True)])
        for argument, column in side.items()
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
        wrong = ', or unknown="wrong" counts missing predictions as wrong answers'
        remedy = "" if "references" in b else wrong
        raise ValueError(f"{on}: {'; '.join(alone)}; both must hold the same samples{remedy}")
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
