"""Read samples into memory: from files, lines of text, or files joined on identifiers."""

import io
import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Codes, Column, check_same_kind, join_columns, read_column
from ..core.table import Task
from ..errors import optional_import, prefix_errors
from ..messages import Message, join, message, with_subject
from ..tables.contingency import common_codes
from ..text.layout import Account, Amounts, amounts_of
from ..text.render import shown
from .opening import open_whole, why_not_utf8
from .reading import raw_batches
from .samples import Samples, Source, labels_of_text

_MOST_ROWS = 1 << 29  # a column of this length takes 4 GB
_BLOCK = 1 << 20  # characters read at a time


class Whole(NamedTuple):
    """Columns by argument, the task, and the account."""

    columns: dict[str, Column]
    task: Task
    read: Account


def whole_columns(
    samples: Samples, batches: Iterable[Mapping[str, Any]], most_rows: int = _MOST_ROWS
) -> Whole:
    """Join batches into columns, and check them; "counts" say how often to repeat each row.

    Raises
    ------
    ValueError
        If a label is not valid, or there are more than `most_rows` rows.
    """
    arguments = [x for x in samples.names if x != "counts"]
    columns = _join_batches(arguments, batches, most_rows)
    task = samples.task(columns["references"], {})
    totals = {x: _label_amounts(columns[x], columns["references"], task) for x in samples.labelled}
    labelled = [columns[argument] for argument in samples.labelled]
    integers, task, account = samples.end(totals, lambda: _never_repeat(labelled))
    for argument in samples.labelled if integers else ():
        values, codes = columns[argument].coded()
        labels = [integers.get(label, label) for label in values]
        columns[argument] = read_column(labels, argument, allow_missing=True)[codes]
    return Whole(columns, task, account)


def _join_batches(
    arguments: Sequence[str], batches: Iterable[Mapping[str, Any]], most_rows: int
) -> dict[str, Column]:
    """Join the columns of all batches; "counts" say how often to repeat each row."""
    empty = Column(np.zeros(0, dtype=np.int64), [])
    parts: dict[str, list[Column]] = {argument: [] for argument in arguments}
    n_rows = 0
    for batch in filter(None, batches):
        counts = batch.get("counts")
        n_rows += len(batch[arguments[0]]) if counts is None else int(counts.sum())
        if n_rows > most_rows:
            text = f"there can be at most {most_rows:,d} rows, the data has more"
            raise ValueError(Message(text, "too many rows", most=most_rows))
        rows = slice(None) if counts is None else np.repeat(np.arange(len(counts)), counts)
        for argument, columns_so_far in parts.items():
            columns_so_far.append(batch[argument][rows])
    return {x: join_columns(part) if part else empty for x, part in parts.items()}


def _label_amounts(column: Column, references: Column, task: Task) -> Amounts:
    """Count the samples with each label of a column, without ignored references."""
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


# Lines of text


def read_lines(path: str, encoding: str | None) -> Any:
    """Read the lines of a text file of labels as a pyarrow column."""
    with optional_import("reading lines of text needs pyarrow", "informedness[cli]"):
        import pyarrow.compute
    chunks = [pyarrow.nulls(0, pyarrow.string())]
    with prefix_errors(shown(path)), open_whole(path, None, encoding) as stream:
        text = io.TextIOWrapper(stream, encoding="utf-8-sig")
        last_line = ""
        try:
            while block := text.read(_BLOCK):
                if "\0" in block:
                    raise UnicodeError
                lines, end, last_line = (last_line + block).rpartition("\n")
                if end:
                    chunks.append(pyarrow.compute.split_pattern(_as_texts([lines]), "\n").flatten())
        except UnicodeError:
            stream.seek(0)
            raise ValueError(why_not_utf8(stream.read().splitlines())) from None
    if last_line:
        chunks.append(_as_texts([last_line]))
    return pyarrow.chunked_array(chunks)


def _as_texts(values: Sequence[str | None]) -> Any:
    """Build an array of texts; `pyarrow.array` would import pandas, which takes 0.5 s."""
    import pyarrow

    builder = pyarrow.lib.StringBuilder()
    builder.append_values(values)
    return builder.finish()


def samples_of_lines(sides: Mapping[str, Any], samples: Samples) -> list[dict[str, Any]]:
    """Read samples from lines, one label per line, as one batch by argument.

    Empty lines at the end are not samples, even if one side has more of them.

    Raises
    ------
    ValueError
        If the numbers of lines differ.
    """
    samples.source = Source(is_text=True)
    samples.first_lines = {x: str(lines[0]) for x, lines in sides.items() if len(lines)}
    shortest = min(map(len, sides.values()))
    n_filled = {x: len(y) if samples.keep_missing else _n_filled(y) for x, y in sides.items()}
    if max(n_filled.values()) > shortest:
        totals = {x: len(y) if n_filled[x] > shortest else shortest for x, y in sides.items()}
        amounts = ", ".join(f"{n} in {samples.names[x]}" for x, n in totals.items())
        raise ValueError(f"there must be the same number of lines, one per sample, got {amounts}")
    n_lines = max(n_filled.values())
    return [samples.read({x: lines[:n_lines] for x, lines in sides.items()})] if n_lines else []


def _n_filled(lines: Any) -> int:
    """Count the lines without the empty ones at the end."""
    n_lines = len(lines)
    while n_lines and not str(lines[n_lines - 1]):
        n_lines -= 1
    return n_lines


# Joins


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
        The column of each argument in either file. If both files have an argument, such as the
        references of two models, its values must be equal.
    samples : Samples
        Reader of the rows.
    **file_options
        How to read the files, as in `read_files`.

    Raises
    ------
    ValueError
        If a file is damaged or lacks a column. If an identifier repeats in a file, is not in both
        files or has different references; without identifiers, if the numbers of rows differ.
    """
    references = names[0]["references"]  # a column that the second file may have, too
    optional: dict[str, str] = {}
    if on is not None and {"references", references}.isdisjoint([*names[1], *names[1].values()]):
        optional = {"references": references}
    keys = {} if on is None else {"on": on}
    first = _read_side(paths[0], {**keys, **names[0]}, samples, **file_options)
    are_text = samples.source.is_text
    second = {**keys, **names[1]}
    sides = [first, _read_side(paths[1], second, samples, optional=optional, **file_options)]
    are_text &= samples.source.is_text
    if are_text and all("references" in side for side in sides):
        _spell_alike(sides)  # a string "1.0" of JSON is not another spelling of "1"
    files = [*map(str, paths)]
    if on is None:
        _check_same_rows([len(next(iter(side.values()))) for side in sides], files)
        samples.found.sources[-1] += " (rows paired by position)"
    else:
        _code_identifiers(sides)
        argument = f"`on` {on!r}"
        if "references" not in names[1]:
            sides[1] = _with_references(sides, files, argument, samples)
        sides = joined_sides(sides, files, argument)
    rows = sides[1] | sides[0]
    if "weights" in rows:
        rows["weights"] = rows["weights"].tolist()
    yield samples.read({x: rows[x] for x in samples.names})


def _check_same_rows(n_rows: Sequence[int], files: Sequence[str]) -> None:
    """Raise an error if two files whose rows are paired have different numbers of rows."""
    if n_rows[0] != n_rows[1]:
        amounts = " and ".join(f"{n:,d} in {x}" for n, x in zip(n_rows, files, strict=True))
        raise ValueError(
            f"two files without a column in common must have the same rows, got {amounts}: "
            "write identifiers into both, and give their column as `on`"
        )


def _read_side(
    path: Any, names: Mapping[str, str], samples: Samples, **file_options: Any
) -> dict[str, Any]:
    """Read the columns of one file to be joined; weights are not converted."""
    samples.examples.clear()  # errors about both files name them
    parts = defaultdict[str, list[Any]](list)
    for columns in raw_batches(path, names, samples, **file_options):
        for argument, values in columns.items():
            if argument == "weights":
                parts[argument] += values if isinstance(values, list) else values.to_pylist()
            elif argument == "on":
                parts[argument].append(_identifiers_in(values, samples))
            else:
                parts[argument].append(samples.values(argument, values)[0])
    if not parts:
        raise ValueError(with_subject(shown(path), "there must be rows to join, got none"))
    weights, identifiers = parts.pop("weights", None), parts.pop("on", None)
    side: dict[str, Any] = {argument: join_columns(columns) for argument, columns in parts.items()}
    if weights is not None:
        side["weights"] = np.array(weights, dtype=object)
    return side if identifiers is None else {"on": identifiers, **side}


def _identifiers_in(values: Any, samples: Samples) -> Any:
    """Convert identifiers to a pyarrow array of text, in which 7.0 becomes 7.

    pyarrow encodes two columns of a million in 1 s; Python takes 12 s.
    """
    with optional_import("joining files needs pyarrow", "informedness[cli]"):
        import pyarrow.compute
    kind = getattr(values, "type", pyarrow.null())
    kind = kind.value_type if pyarrow.types.is_dictionary(kind) else kind
    is_plain = pyarrow.types.is_string(kind) or pyarrow.types.is_integer(kind)
    if is_plain and not values.null_count:
        texts = values.cast(pyarrow.large_string()).combine_chunks()
    else:
        labels, codes = samples.values("on", values)[0].coded()
        names = [None if label is None else str(label) for label in labels]
        texts = _as_texts([names[code] for code in codes]).cast(pyarrow.large_string())
    if pyarrow.compute.any(pyarrow.compute.match_substring(texts, ".0")).as_py():
        return pyarrow.compute.replace_substring_regex(texts, r"^(-?\d+)\.0+$", r"\1")
    return texts


def _code_identifiers(sides: Sequence[dict[str, Any]]) -> None:
    """Encode the identifiers of both files with the same labels."""
    import pyarrow

    chunks = [chunk for side in sides for chunk in side["on"]]
    ids = pyarrow.concat_arrays(chunks).dictionary_encode("encode")
    column = Column(np.from_dlpack(ids.indices), ids.dictionary.to_pylist())
    n_first = sum(map(len, sides[0]["on"]))
    sides[0]["on"], sides[1]["on"] = column[:n_first], column[n_first:]


def _spell_alike(sides: Sequence[dict[str, Any]]) -> None:
    """Spell equal references alike in both files, such as 7.0 and 7."""
    columns = [side["references"].coded() for side in sides]
    spellings = labels_of_text([{str(x) for x in values if x is not None} for values, _ in columns])
    for side, (values, codes) in zip(sides if spellings else (), columns, strict=False):
        labels = [x if x is None else str(spellings.get(str(x), x)) for x in values]
        side["references"] = Column(codes, labels)


def _with_references(
    sides: Sequence[dict[str, Any]], files: Sequence[str], on: str, samples: Samples
) -> dict[str, Any]:
    """Keep predictions whose reference is known, and count the others.

    References in their own file must agree with the known ones. With `unknown="wrong"`, each
    identifier without a prediction gets a missing one.
    """
    known, side = sides
    is_known = np.isin(side["on"].codes, known["on"].codes)
    is_answered = np.isin(known["on"].codes, side["on"].codes)
    side = {argument: column[is_known] for argument, column in side.items()}
    references = side.pop("references", None)
    if references is not None and is_known.any():
        answered = {x: known[x][is_answered] for x in ("on", "references")}
        joined_sides([answered, {"on": side["on"], "references": references}], files, on)
    n_left_out = int(np.count_nonzero(~is_known))
    samples.found.left_out["no reference"] += n_left_out
    samples.found.n_rows += n_left_out
    if samples.options.unknown == "wrong":
        identifiers, added = side.pop("on"), known["on"][~is_answered]
        none = Column(np.zeros(len(added), dtype=np.int64), [None])
        side = {x: join_columns([y, none]) for x, y in side.items()}
        codes = np.concatenate([identifiers.codes, added.codes])
        side["on"] = Column(codes, identifiers.values)
    return side


def joined_sides(
    sides: Sequence[dict[str, Column]], names: Sequence[str], on: str
) -> list[dict[str, Column]]:
    """Align the columns of two models by identifier, in the order of the first.

    Parameters
    ----------
    sides : two dicts of str to Column
        With "on" and "predictions"; any other columns that both have must be equal.
    names : two str
        Names of the two in messages.
    on : str
        Name of the identifiers in messages.

    Raises
    ------
    ValueError
        If an identifier occurs twice on one side or is not on both, or if columns are not equal.
    """
    side_a, side_b = sides
    shared = [x for x in side_a if x in side_b and x not in ("on", "predictions")]
    for argument in ("on", *shared):
        called_a, called_b = (f"{argument} of {name}" for name in names)
        check_same_kind(side_a[argument], called_a, side_b[argument], called_b)

    a, b = side_a["on"], side_b["on"]
    ids: Any = a.values
    codes_a, codes_b = a.codes, b.codes
    if ids is None or ids is not b.values:  # not encoded together
        ids, codes_a, codes_b = common_codes(a, b)
    unmatched = [
        *_unmatched(ids, codes_a, codes_b, names, on),
        *_unmatched(ids, codes_b, codes_a, names[::-1], on),
    ]
    if unmatched:
        it = "it" if unmatched[0].values["n"] == 1 else "them"
        remedies = [f'Add {it}, or pass unknown="wrong" to count {it} as wrong.']
        if "references" in side_b:
            remedies = ["Both must hold the same samples."]
        raise ValueError(join([*unmatched, *remedies], " "))
    rows_b = np.empty(len(ids), dtype=np.int64)
    rows_b[codes_b] = np.arange(len(codes_b))
    side_b = {argument: column[rows_b[codes_a]] for argument, column in side_b.items()}
    for argument in shared:
        with prefix_errors(Message(on)):
            _check_equal(argument, side_a, side_b, names)
    return [side_a, side_b]


def _check_equal(
    argument: str, side_a: Mapping[str, Column], side_b: Mapping[str, Column], names: Sequence[str]
) -> None:
    """Raise an error if the values of two aligned sides differ."""
    values, of_a, of_b = common_codes(side_a[argument], side_b[argument])
    unequal = np.flatnonzero(of_a != of_b)
    if len(unequal):
        row = unequal[0]
        (sample,) = side_a["on"][[row]].tolist()
        text = (
            f"the {argument} of {{n}} of {{total}} samples differ between {{name_a}} and "
            "{name_b}, such as {a!r} and {b!r} for {sample!r}; they must be equal"
        )
        pair = {"a": values[of_a[row]], "b": values[of_b[row]], "sample": sample}
        files = {"name_a": names[0], "name_b": names[1]}
        n_rows = {"n": len(unequal), "total": len(of_a)}
        raise ValueError(message(text, "references differ", **n_rows, **files, **pair))


def _unmatched(
    ids: Any, codes: Codes, other_codes: Codes, names: Sequence[str], on: str
) -> list[Message]:
    """Describe identifiers that only the first side has; raise if some repeat."""
    n_rows = np.bincount(codes, minlength=len(ids))
    if n_rows.max(initial=0) > 1:
        n_repeated, sample = (n_rows - 1)[n_rows > 1].sum(), ids[n_rows.argmax()]
        text = "{n} of {total} rows of {name} repeat an identifier, such as {sample!r}; each must "
        of_name = {"n": n_repeated, "total": len(codes), "name": names[0], "sample": sample}
        raise ValueError(with_subject(Message(on), message(f"{text}occur once", **of_name)))
    lacking = codes[np.bincount(other_codes, minlength=len(ids))[codes] == 0]
    if not len(lacking):
        return []
    verb = "has" if len(lacking) == 1 else "have"
    text = f"{{n}} of {{total}} IDs in {{a}} {verb} no match in {{b}} (for example {{sample!r}})."
    of_files = {"n": len(lacking), "total": len(codes), "a": names[0], "b": names[1]}
    return [message(text, "samples missing", sample=ids[lacking[0]], **of_files)]
