"""Samples read whole: from files, from lines of text, or from files joined on identifiers."""

import io
import math
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Codes, Column, check_same_kind, join_columns, read_column
from ..core.table import Task
from ..errors import optional_import, prefix_errors
from ..messages import Message, join, message, with_subject
from ..tables.containers import read_labels
from ..tables.contingency import common_codes
from ..text.account import Amounts, Read, amounts_of
from ..text.render import shown
from .batches import raw_batches
from .booleans_and_decimals import TRUTHS, labels_of_text
from .columns import why_not_utf8
from .opening import open_whole
from .samples import Samples

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
    n_rows = 0
    for batch in filter(None, batches):
        counts = batch.get("counts")
        n_rows += len(batch[next(iter(parts))]) if counts is None else int(counts.sum())
        if n_rows > most_rows:
            text = f"there can be at most {most_rows:,d} rows, the data has more"
            raise ValueError(Message(text, "too many rows", most=most_rows))
        rows = slice(None) if counts is None else np.repeat(np.arange(len(counts)), counts)
        for argument, columns_so_far in parts.items():
            columns_so_far.append(batch[argument][rows])
    empty = Column(np.zeros(0, dtype=np.int64), [])
    columns = {x: join_columns(part) if part else empty for x, part in parts.items()}

    task = samples.task(columns["references"], {})
    sides = {x: _label_amounts(columns[x], columns["references"], task) for x in samples.labelled}
    labelled = [columns[argument] for argument in samples.labelled]
    integers, task, account = samples.end(sides, lambda: _never_repeat(labelled))
    for argument in samples.labelled if integers else ():
        values, codes = columns[argument].coded()
        labels = [integers.get(label, label) for label in values]
        columns[argument] = read_column(labels, argument, allow_missing=True)[codes]
    return Whole(columns, task, account)


def _label_amounts(column: Column, references: Column, task: Task) -> Amounts:
    """Return how many samples that count have each label of a column."""
    counted = slice(None) if task.ignored is None else references.differs_from(task.ignored)
    values, codes = column[counted].coded()
    return amounts_of(values, np.bincount(codes, minlength=len(values)).tolist())


def _never_repeat(columns: Sequence[Column]) -> bool:
    """Return whether no two rows have the same labels."""
    labels, codes = zip(*(column.coded() for column in columns), strict=True)
    n_rows = len(codes[0])
    return 1 < n_rows <= math.prod(map(len, labels)) and (
        n_rows == len(np.unique(np.stack(codes, axis=1), axis=0))
    )


def lines_of(path: str, encoding: str | None) -> Iterator[Any]:
    """Yield the lines of a text file, which must be text of labels, in arrays of pyarrow."""
    with optional_import("reading lines of text needs pyarrow", "informedness[cli]"):
        import pyarrow.compute
    with prefix_errors(shown(path)), open_whole(path, None, encoding) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        last_line = ""
        try:
            while block := text.read(_BLOCK):
                if "\0" in block:
                    raise UnicodeError
                lines, end, last_line = (last_line + block).rpartition("\n")
                if end:
                    builder = pyarrow.lib.StringBuilder()  # `array` would import pandas
                    builder.append(lines)
                    yield pyarrow.compute.split_pattern(builder.finish(), "\n").flatten()
        except UnicodeError:
            stream.seek(0)
            raise ValueError(why_not_utf8(stream.read().splitlines())) from None
        if last_line:
            yield [last_line]


def samples_of_lines(
    sides: Mapping[str, Iterator[Any]], samples: Samples
) -> Iterator[Mapping[str, Any]]:
    """Yield the samples in lines, by argument, one label per line.

    Empty lines at the end of all sides are no samples, nor are those that one side has more.

    Raises
    ------
    ValueError
        If the numbers of lines differ.
    """
    samples.is_text = True
    waiting: dict[str, Any] = dict.fromkeys(sides, ())
    n_lines = n_empty = 0  # lines so far, and how many of them were empty in the end
    while True:
        waiting = {x: lines or next(sides[x], ()) for x, lines in waiting.items()}
        if not n_lines:
            samples.first_lines = {x: str(lines[0]) for x, lines in waiting.items() if len(lines)}
        n_common = min(map(len, waiting.values()))
        if not n_common:
            break
        n_filled = n_common if samples.keep_missing else _n_filled(waiting.values(), n_common)
        if n_filled and n_empty:
            yield samples.read(dict.fromkeys(sides, [""] * n_empty))
        if n_filled:
            yield samples.read({x: lines[:n_filled] for x, lines in waiting.items()})
            n_empty = 0
        n_empty += n_common - n_filled
        waiting = {x: lines[n_common:] for x, lines in waiting.items()}
        n_lines += n_common
    totals = {x: n_lines + _n_more((lines, *sides[x]), samples) for x, lines in waiting.items()}
    _check_same_number(totals, samples.names)


def _check_same_number(totals: Mapping[str, int], names: Mapping[str, str]) -> None:
    """Raise an error if files have different numbers of lines."""
    if len({*totals.values()}) > 1:
        amounts = ", ".join(f"{n} in {names[x]}" for x, n in totals.items())
        raise ValueError(f"there must be the same number of lines, one per sample, got {amounts}")


def _n_more(parts: Iterable[Any], samples: Samples) -> int:
    """Return how many lines one side has more, 0 if they are empty and that is no label."""
    lines = [str(line) for part in parts for line in part]
    return len(lines) if any(lines) or samples.keep_missing else 0


def _n_filled(sides: Collection[Any], n_lines: int) -> int:
    """Return how many of the first lines are left without the end that is empty on all sides."""
    while n_lines and not any(str(lines[n_lines - 1]) for lines in sides):
        n_lines -= 1
    return n_lines


def joined_rows(
    paths: Sequence[Any],
    on: str | None,
    names: Sequence[Mapping[str, str]],
    samples: Samples,
    **file_options: Any,
) -> Iterator[Mapping[str, Any]]:
    """Yield the rows of two files, joined on their identifiers, or paired by position.

    Parameters
    ----------
    paths : two paths
        Files, or folders of part files.
    on : str, optional
        Name of the column of identifiers, which both files have.
    names : two dicts of str to str
        The column of each argument in either file. Of an argument that both have, as references of
        two models, the values must be equal.
    samples : Samples
        What reads the rows.
    **file_options
        How to read the files, as in `read_files`.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column, an identifier occurs twice in a file or is not in
        both files, or has different references; or without identifiers the numbers of rows differ.
    """
    first, second = names
    references = first["references"]  # a column that the second file may have, too
    beside: dict[str, str] = {}
    if on is not None and {"references", references}.isdisjoint([*second, *second.values()]):
        beside = {"references": references}
    sides: list[dict[str, Any]] = []
    are_text = True
    for path, columns, optional in zip(paths, names, ({}, beside), strict=True):
        columns = columns if on is None else {"on": on, **columns}
        side = _side(path, columns, samples, beside=optional, **file_options)
        sides.append(side)
        are_text &= samples.is_text
    _code_identifiers(sides)
    if are_text:  # a string "1.0" of JSON is no other spelling of "1"
        _spell_alike(sides, "references")

    files = [str(path) for path in paths]
    if on is None:
        n_rows = [len(next(iter(side.values()))) for side in sides]
        if n_rows[0] != n_rows[1]:
            amounts = " and ".join(f"{n:,d} in {x}" for n, x in zip(n_rows, files, strict=True))
            raise ValueError(
                f"two files without a column in common must have the same rows, got {amounts}: "
                "write identifiers into both, and give their column as `on`"
            )
        samples.sources[-1] += " (rows paired by position)"
        yield samples.read({x: (sides[0] | sides[1])[x] for x in samples.names})
        return
    argument = f"`on` {on!r}"
    if "references" not in second:
        sides[1] = _beside(sides, files, argument, samples)
    side_a, side_b = joined_sides(sides, files, argument)
    rows: dict[str, Any] = side_b | side_a
    if "weights" in rows:
        rows["weights"] = rows["weights"].tolist()
    yield samples.read({x: rows[x] for x in samples.names})


def _side(
    path: Any, names: Mapping[str, str], samples: Samples, **file_options: Any
) -> dict[str, Any]:
    """Return the columns of one file to be joined, the weights as they stand there."""
    samples.examples.clear()  # errors on both files name them
    parts = defaultdict[str, list[Any]](list)
    weights, identifiers = list[Any](), list[Any]()
    for columns in raw_batches(path, names, samples, **file_options):
        for argument, values in columns.items():
            if argument == "on":
                identifiers.append(values)
            elif argument == "weights":
                weights += values if isinstance(values, list) else values.to_pylist()
            else:
                parts[argument].append(samples.values(argument, values)[0])
    if not parts:
        raise ValueError(with_subject(shown(path), "there must be rows to join, got none"))
    side: dict[str, Any] = {argument: join_columns(columns) for argument, columns in parts.items()}
    if "on" in names:
        side["on"] = _plain_identifiers(identifiers)
        if side["on"] is None:
            side["on"] = join_columns([samples.values("on", values)[0] for values in identifiers])
    if "weights" in names:
        side["weights"] = np.array(weights, dtype=object)
    return side


def _plain_identifiers(parts: Sequence[Any]) -> Any:
    """Return text or integers as one array of pyarrow if none is missing or has other spellings."""
    try:
        import pyarrow.compute
        from pyarrow import types

        arrays = [pyarrow.array(part) if isinstance(part, list) else part for part in parts]
    except (ImportError, OverflowError, TypeError, ValueError):  # several types, for example
        return None
    chunks = [chunk for array in arrays for chunk in getattr(array, "chunks", [array])]
    kinds = {chunk.type for chunk in chunks}
    kind = kinds.pop()
    kind = kind.value_type if types.is_dictionary(kind) else kind
    if kinds or any(chunk.null_count for chunk in chunks):
        return None
    if types.is_integer(kind) and kind != pyarrow.uint64():
        return pyarrow.chunked_array(chunks).cast(pyarrow.int64())
    if not types.is_string(kind):
        return None
    values = pyarrow.chunked_array(chunks).cast(kind)
    are_truths = pyarrow.compute.is_in(values, pyarrow.array(TRUTHS))
    may_be_whole = pyarrow.compute.match_substring(values, ".0")
    is_odd = pyarrow.compute.any(pyarrow.compute.or_(are_truths, may_be_whole)).as_py()
    return None if is_odd else values


def _code_identifiers(sides: Sequence[dict[str, Any]]) -> None:
    """Let the identifiers of both files have codes of the same labels; 7 is "7" beside text.

    pyarrow codes two columns of a million in 1 s, where Python takes 12.
    """
    if "on" not in sides[0]:
        return
    arrays = [side["on"] for side in sides]
    if any(isinstance(array, Column) for array in arrays):
        for side in sides:
            side["on"] = read_labels(side["on"], "on", allow_missing=True)
        _spell_alike(sides, "on")
        return
    import pyarrow

    are_integers = all(pyarrow.types.is_integer(array.type) for array in arrays)
    kind = pyarrow.int64() if are_integers else pyarrow.large_string()
    chunks = [chunk for array in arrays for chunk in array.cast(kind).chunks]
    ids = pyarrow.concat_arrays(chunks).dictionary_encode()
    column = Column(np.from_dlpack(ids.indices), ids.dictionary.to_pylist())
    n_first = len(arrays[0])
    sides[0]["on"], sides[1]["on"] = column[:n_first], column[n_first:]


def _common_identifiers(columns: Sequence[Column]) -> tuple[Any, Codes, Codes]:
    """Return the identifiers of two columns, and each sample's positions among them."""
    first, second = columns
    if first.values is not None and first.values is second.values:  # coded together
        return first.values, first.codes, second.codes
    return common_codes(first, second)


def _spell_alike(sides: Sequence[dict[str, Any]], argument: str) -> None:
    """Let text that stands for the same be the same in both files, as 7.0 and 7 are."""
    columns = [side[argument] for side in sides if argument in side]
    if len(columns) < 2:
        return
    texts = [{str(x) for x in column.coded()[0] if x is not None} for column in columns]
    spellings = labels_of_text(texts)
    if spellings or len({column.kind for column in columns}) > 1:
        for side, column in zip(sides, columns, strict=True):
            values, codes = column.coded()
            labels = [x if x is None else str(spellings.get(str(x), x)) for x in values]
            side[argument] = Column(codes, labels)


def _beside(
    sides: Sequence[dict[str, Any]], files: Sequence[str], on: str, samples: Samples
) -> dict[str, Any]:
    """Return predictions of which a reference is known; count the others.

    References beside them must agree with the known ones. If what is missing is wrong, there is
    nothing beside identifiers without a prediction.
    """
    known, side = sides
    _, known_codes, own_codes = _common_identifiers([known["on"], side["on"]])
    is_known = np.isin(own_codes, known_codes)
    is_answered = np.isin(known_codes, own_codes)
    side = {argument: column[is_known] for argument, column in side.items()}
    if "references" in side:
        answered = {x: known[x][is_answered] for x in ("on", "references")}
        joined_sides([answered, {x: side[x] for x in answered}], files, on)
        del side["references"]
    n_left_out = int(np.count_nonzero(~is_known))
    samples.left_out["no reference"] += n_left_out
    samples.n_rows += n_left_out
    if samples.options.unknown == "wrong":
        added = known["on"][~is_answered]
        none = Column(np.zeros(len(added), dtype=np.int64), [None])
        return {x: join_columns([y, added if x == "on" else none]) for x, y in side.items()}
    return side


def joined_sides(
    sides: Sequence[dict[str, Column]], names: Sequence[str], on: str
) -> list[dict[str, Column]]:
    """Return the columns of two models in the order of the first, with the columns "on".

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
    side_a, side_b = sides
    name_a, name_b = names
    shared = [x for x in side_a if x in side_b and x not in ("on", "predictions")]
    for argument in ("on", *shared):
        called_a, called_b = f"{argument} of {name_a}", f"{argument} of {name_b}"
        check_same_kind(side_a[argument], called_a, side_b[argument], called_b)

    ids, codes_a, codes_b = _common_identifiers([side_a["on"], side_b["on"]])
    alone = [
        *_alone(ids, codes_a, codes_b, names, on),
        *_alone(ids, codes_b, codes_a, names[::-1], on),
    ]
    if alone:
        rule = "both must hold the same samples"
        if "references" not in side_b:
            rule += ', or unknown="wrong" counts missing predictions as wrong answers'
        raise ValueError(with_subject(Message(on), join([*alone, rule])))
    rows_b = np.empty(len(ids), dtype=np.int64)
    rows_b[codes_b] = np.arange(len(codes_b))
    side_b = {argument: column[rows_b[codes_a]] for argument, column in side_b.items()}

    for argument in shared:
        values, of_a, of_b = common_codes(side_a[argument], side_b[argument])
        unequal = np.flatnonzero(of_a != of_b)
        if len(unequal):
            row = unequal[0]
            differ = message(
                "the {argument} of {n} of {total} samples differ between {name_a} and {name_b}, "
                "such as {a!r} and {b!r} for {sample!r}; they must be equal",
                "references differ",
                **{"argument": argument, "n": len(unequal), "total": len(codes_a)},
                **{"name_a": name_a, "name_b": name_b, "sample": ids[codes_a[row]]},
                **{"a": values[of_a[row]], "b": values[of_b[row]]},
            )
            raise ValueError(with_subject(Message(on), differ))
    return [side_a, side_b]


def _alone(
    ids: Any, codes: Codes, other_codes: Codes, names: Sequence[str], on: str
) -> list[Message]:
    """Return how many identifiers are on the first of two sides alone; an error if some repeat."""
    n_rows = np.bincount(codes, minlength=len(ids))
    if n_rows.max(initial=0) > 1:
        n_repeated, sample = (n_rows - 1)[n_rows > 1].sum(), ids[n_rows.argmax()]
        text = "{n} of {total} rows of {name} repeat an identifier, such as {sample!r}; each must "
        of_name = {"n": n_repeated, "total": len(codes), "name": names[0], "sample": sample}
        raise ValueError(with_subject(Message(on), message(f"{text}occur once", **of_name)))
    lacking = codes[np.bincount(other_codes, minlength=len(ids))[codes] == 0]
    if not len(lacking):
        return []
    text = "{n} of {total} in {a} not in {b}, such as {sample!r}"
    of_files = {"n": len(lacking), "total": len(codes), "a": names[0], "b": names[1]}
    return [message(text, "samples missing", sample=ids[lacking[0]], **of_files)]
