"""Reading of arguments: any container of labels becomes a flat array, arrays become codes.

A label is an integer of at most 64 bits, a string, or bytes. Booleans count as 0 and 1, floats
that are whole numbers as those numbers. Nothing else is a label: missing values, scores, nested
sequences and dates are refused with a ValueError that names the argument and the value, and one
task never mixes integers, strings and bytes. Strings are compared as they are, code point by code
point: "001" is not "1", and nothing is stripped, folded or normalised.

`read_column` and `read_labels` are the only readers. Weights, counts and priors are read here too,
so that every path refuses the same things.
"""

from __future__ import annotations

import math
import os
import reprlib
import sys
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import compress
from numbers import Number
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from . import coding
from .coding import Codes, Column, Label, label_kind

LabelArray: TypeAlias = NDArray[Any]

WARNING_PREFIX = "informedness: "
_HERE = os.path.dirname(__file__)

_SMALLEST, _LARGEST = -(2**63), 2**64 - 1

_OF_SCORES = (
    "of several scores a sample pass the argmax, of one logit (np.ravel(logits) > 0).astype(int), "
    "of one probability > 0.5"
)

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80


class InformednessWarning(UserWarning):
    """Base of this project's warnings; each message starts with `WARNING_PREFIX`."""


class UndefinedMetricWarning(InformednessWarning):
    """A score, or a class's part in it, is undefined; the message says what stands in."""


class NoSamplesError(ValueError):
    """No sample is left to score, as where a batch is all ignored; other batches may have some."""


# Each block that holds warnings back, the innermost last: their category, and where they go.
_Blocks: TypeAlias = tuple[tuple[type[Warning], list[str]], ...]
_holding: ContextVar[_Blocks] = ContextVar("holding", default=())


@contextmanager
def hold_warnings(category: type[Warning] = InformednessWarning) -> Iterator[list[str]]:
    """Give the list that takes the messages of this block's warnings, which go no further.

    Filters of `warnings` are those of the whole process; this is of one block in one thread.
    """
    messages: list[str] = []
    token = _holding.set((*_holding.get(), (category, messages)))
    try:
        yield messages
    finally:
        _holding.reset(token)


def warn(message: str, category: type[Warning] = InformednessWarning) -> None:
    """Warn with the prefix by which all copies of this file are filtered, at the caller's line."""
    for held, messages in reversed(_holding.get()):
        if issubclass(category, held):
            messages.append(message)
            return
    frame, level = sys._getframe(1), 2
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == _HERE:
        frame, level = frame.f_back, level + 1
    warnings.warn(WARNING_PREFIX + message, category, stacklevel=level)


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ValueError unless the option `name` has one of the values it can have."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"`{name}` must be one of {choices}, got {show(value)}")


def check_zero_division(value: object, stand_in: float) -> float:
    """Return the value of an undefined score, `stand_in` for "warn", or raise ValueError."""
    if isinstance(value, str) and value == "warn":
        return stand_in
    if isinstance(value, (int, float, np.integer, np.floating)) and not isinstance(value, bool):
        number = float(value)
        if number == stand_in or number != number:
            return number
    raise ValueError(f'`zero_division` must be "warn", {stand_in} or nan, got {show(value)}')


def show(value: object) -> str:
    """Return `repr(value)`, cut in the middle where it is long."""
    return _short.repr(value)


def plain_label(label: Label | None) -> int | str | None:
    """Return a label as a value of JSON: bytes as their Python literal."""
    return repr(label) if isinstance(label, bytes) else label


def read_labels(values: Any, name: str) -> LabelArray:
    """Return the labels in `values` as a flat array.

    Parameters
    ----------
    values : array-like of shape (n_samples,) or (n_samples, 1)
        A list, tuple or other iterable but an iterator, a numpy array of any dtype and memory
        layout, or whatever turns itself into one: pandas, pyarrow, polars, torch, jax.
    name : str
        The argument's name, for messages.

    Returns
    -------
    ndarray of shape (n_samples,)
        Of an integer dtype, or of dtype object holding only `str`, only `bytes`, or only `int`
        (where no one integer dtype holds them all). It may share memory with `values`.

    Raises
    ------
    ValueError
        If `values` is not a flat sequence, or holds something that is not a label.
    TypeError
        If it is an iterator, which one reader would use up.
    """
    array = _flat(values, name)
    if isinstance(array, list):
        return _read_objects(array, name)
    kind = array.dtype.kind
    if kind in "biu":
        return coding.native_integers(array)
    if kind == "f":
        return _whole_numbers(array, name)
    if kind in "UST":  # numpy's own strings and bytes, as Python objects
        return _read_objects(array.astype(object).tolist(), name)
    raise ValueError(
        f"`{name}` must hold labels (integers, strings or bytes), got an array of {array.dtype}: "
        "turn its values into strings or integers first"
    )


def read_column(values: Any, name: str) -> Column:
    """Return the labels in `values` as a column of codes; takes and refuses as `read_labels`."""
    if isinstance(values, Column):
        return values
    _check_dictionary(values, name)
    if (encoded := coding.code_arrow(values)) is not None:
        return Column(encoded[0], read_labels(encoded[1], name).tolist())
    flat = _flat(values, name)
    if (column := coding.code_text(flat)) is not None:
        return column
    labels = read_labels(flat, name)
    return coding.code_objects(labels.tolist()) if labels.dtype.kind == "O" else Column(labels)


def read_pair(
    references: Any, predictions: Any, name: str = "predictions"
) -> tuple[Column, Column]:
    """Return references and predictions as columns of one length and one kind of label."""
    r, p = read_column(references, "references"), read_column(predictions, name)
    if len(r) != len(p):
        raise ValueError(f"Mismatch in the number of {name} ({len(p)}) and references ({len(r)})")
    check_same_kind(r, "references", p, name)
    return r, p


class Task(NamedTuple):
    """The declared classes, the reference to leave out, what to do with unknown predictions."""

    classes: tuple[Label, ...] | None
    ignored: Label | None
    unknown: str


def check_unknown(unknown: object, labels: Any) -> None:
    """Raise ValueError unless `unknown` has a value it can have beside `labels`."""
    check_choice("unknown", unknown, ("error", "wrong"))
    if unknown == "wrong" and labels is None:
        raise ValueError(
            '`unknown` can be "wrong" only beside `labels`, the classes that are known'
        )


def read_task(
    references: Any, predictions: Any, labels: Any, ignore_index: Any, unknown: str
) -> tuple[Column, Column, Task]:
    """Return references and predictions, and what the options say of them.

    Raises
    ------
    ValueError
        As `check_unknown`, `read_pair` and `read_classes`.
    """
    check_unknown(unknown, labels)
    pair = read_pair(references, predictions)
    classes = None if labels is None else read_classes(labels, "labels", pair[0])
    ignored = None
    if ignore_index is not None:
        (ignored,) = read_classes([ignore_index], "ignore_index", pair[0])
    return *pair, Task(classes, ignored, unknown)


def read_weights(sample_weight: Any, n_samples: int) -> NDArray[np.float64] | None:
    """Return one weight for each sample, None where there are none.

    Raises
    ------
    ValueError
        As `read_amounts`; if there is not one weight for each sample, or none above 0.
    """
    if not n_samples:
        raise NoSamplesError("there must be a sample to score, got 0 samples")
    if sample_weight is None:
        return None
    weights = read_amounts(sample_weight, "sample_weight").astype(np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            "`sample_weight` must hold one weight for each sample, got an array of shape "
            f"{weights.shape} for {n_samples} samples"
        )
    if not weights.any():
        raise NoSamplesError(
            f"there must be a sample to score, got {n_samples} samples, and none is left without "
            "those of weight 0"
        )
    return weights


def read_counts(
    counts: Any, squared_weights: Any, n_samples: Any, n_pairs: int
) -> dict[str, NDArray[Any]]:
    """Return what is known of the samples of each pair, by the names of the arguments.

    Counts are int64; sums of weights, which are not whole or beside one of the others, float64.

    Raises
    ------
    ValueError
        As `read_amounts`; if there is not one number for each pair, counts sum to 0 or to 2**63 or
        more, or a number of samples is not whole, or 0 beside a weight.
    """
    given = {"counts": counts, "squared_weights": squared_weights, "n_samples": n_samples}
    sums = {name: read_amounts(x, name) for name, x in given.items() if x is not None}
    for name, array in sums.items():
        if array.shape != (n_pairs,):
            raise ValueError(f"`{name}` must be {n_pairs} numbers, one a pair, got {array.shape}")
    amounts = sums["counts"]
    are_counts = len(sums) == 1 and bool((np.trunc(amounts) == amounts).all())
    total = amounts.sum(dtype=float)
    if are_counts and not 0 < total < 2**62:  # exactly, which takes longer
        total = sum(map(int, amounts.tolist()))
    if not total:
        raise NoSamplesError(f"`counts` must sum to more than 0 and below 2**63, got {total}")
    if are_counts:
        check_total(total)
        amounts = amounts.astype(np.int64)
        return {"counts": amounts, "n_samples": amounts}
    samples = sums.get("n_samples", np.ones(n_pairs))
    bad = np.floor(samples) < np.maximum(samples, amounts > 0)
    if bad.any():
        raise ValueError(
            f"`n_samples` must be whole numbers, 0 only where `counts` is 0, got {samples[bad][0]}"
        )
    return {name: array.astype(np.float64) for name, array in sums.items()}


def check_total(total: Any) -> None:
    """Raise ValueError unless a table can hold counts, or weights, that sum to this."""
    if isinstance(total, int) and total >= 2**63:
        raise ValueError(f"`counts` must sum to more than 0 and below 2**63, got {total}")
    if total == math.inf:
        raise ValueError("`counts` must have a finite sum, got one beyond 1e308")


def warn_of_padding(found: Sequence[Label | None], rows: Codes) -> None:
    """Warn where -100, which pads the labels of a Trainer, is counted as a class."""
    if -100 in found and (rows == found.index(-100)).any():
        warn("-100 among the references counts as a class: ignore_index=-100 drops it")


def arrange_classes(
    found: Sequence[Label], rows: Codes, columns: Codes, task: Task
) -> tuple[tuple[Label | None, ...], Codes]:
    """Return the classes of a table, and the position among them of each label found.

    `rows` and `columns` are positions in `found` of the references and predictions there are.
    With `unknown="wrong"` predictions outside the declared classes share one more, written None.

    Raises
    ------
    ValueError
        If there are none; if a reference, or with `unknown="error"` a prediction, is outside the
        declared classes.
    """
    classes = task.classes
    if not len(rows):
        raise NoSamplesError("there must be a sample to score, and none is left: all are ignored")
    is_reference, is_prediction = np.zeros((2, len(found)), dtype=bool)
    is_reference[rows] = is_prediction[columns] = True
    if classes is None:
        used = is_reference | is_prediction
        names = tuple(found) if used.all() else tuple(compress(found, used.tolist()))
        return names, np.cumsum(used) - 1
    position = {label: code for code, label in enumerate(classes)}
    to_code = np.array([position.get(label, -1) for label in found], dtype=np.int64)
    outside = is_reference & (to_code < 0)
    if outside.any():
        label = show(found[int(np.argmax(outside))])
        raise ValueError(f"`labels` must list every reference, {label} is not in it")
    outside = is_prediction & (to_code < 0)
    if not outside.any():
        return classes, to_code
    if task.unknown == "error":
        label = show(found[int(np.argmax(outside))])
        raise ValueError(
            f"`labels` must list every prediction, {label} is not in it: add it, or "
            'pass unknown="wrong" to count such predictions as wrong answers'
        )
    to_code[outside] = len(classes)
    return (*classes, None), to_code


def check_same_kind(first: Column, first_name: str, second: Column, name: str) -> None:
    """Raise ValueError unless both columns hold integers, both strings, or both bytes."""
    if first.kind and second.kind and first.kind != second.kind:
        raise ValueError(
            f"`{name}` must hold labels of the same type as `{first_name}`, got "
            f"{second.kind} such as {show(second.example())} beside "
            f"{first.kind} such as {show(first.example())}: convert one of the two"
        )


def read_classes(labels: Any, name: str, beside: Column) -> tuple[Label, ...]:
    """Return `labels` as a tuple of distinct labels of the kind the references `beside` hold."""
    column = read_column(labels, name)
    classes = tuple(column.tolist())
    if not classes:
        raise ValueError(f"`{name}` must list at least one class, got none")
    check_distinct(classes, name)
    check_same_kind(beside, "references", column, name)
    return classes


def check_distinct(classes: Sequence[Label], name: str) -> None:
    """Raise ValueError if a class is listed twice."""
    if len(set(classes)) < len(classes):
        twice = next(label for label in classes if classes.count(label) > 1)
        raise ValueError(f"`{name}` must list each class once, {show(twice)} stands twice")


def read_amounts(values: Any, name: str) -> NDArray[Any]:
    """Return counts or weights as a float64 array, or int64 where all are whole numbers given so.

    Raises
    ------
    ValueError
        If an entry is not a number, negative, or not finite; or if their sum is not finite.
    """
    array = _as_array(values, name)
    if array.dtype.kind == "O" and all(map(_is_real, array.flat)):
        # Decimal and Fraction, as databases return sums
        try:
            array = np.array([float(value) for value in array.flat]).reshape(array.shape)
        except (OverflowError, ValueError) as error:
            raise ValueError(f"`{name}` must hold finite numbers, got {show(values)}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got {show(values)}")
    if array.dtype.kind in "biu":
        largest = int(array.max(initial=0))
        if largest >= 2**63:
            raise ValueError(f"`{name}` must be below 2**63, got {largest}")
        amounts = array.astype(np.int64)
    else:
        amounts = array.astype(np.float64)
    bad = ~(np.isfinite(amounts) & (amounts >= 0))
    if bad.any():
        value = amounts[bad].tolist()[0]
        raise ValueError(f"`{name}` must be finite and not negative, got {value!r}")
    with np.errstate(over="ignore"):
        if not np.isfinite(amounts.sum()):
            raise ValueError(f"`{name}` must have a finite sum, got one beyond 1e308")
    return amounts


def read_names(frame: Any) -> tuple[Column, Column] | None:
    """Return the names of the rows and of the columns of a data frame, None of an array.

    Raises
    ------
    ValueError
        If only the columns have names, which as those of classes would be known by their place
        alone; if names are not labels, of different types, or stand twice.
    """
    if not hasattr(frame, "columns"):
        return None
    if not hasattr(frame, "index"):
        raise ValueError(
            "`matrix` must be an array, or a data frame whose rows have names as those of pandas "
            f"have, got a {type(frame).__module__.partition('.')[0]} {type(frame).__name__}: pass "
            "its counts as an array, and the classes as labels="
        )
    sides = frame.index, frame.columns
    unnamed = [type(side).__name__ == "RangeIndex" and side.name is None for side in sides]
    if any(unnamed) and list(sides[0]) != list(sides[1]):
        of_rows, of_columns = (
            "only numbers" if without else show(list(side))
            for side, without in zip(sides, unnamed, strict=True)
        )
        raise ValueError(
            f"`matrix` must name its rows as it names its columns, got {of_rows} as its index and "
            f"{of_columns} as its columns: set both to the classes, or pass matrix.to_numpy() and "
            "labels= if rows and columns stand in one order"
        )
    rows, columns = (
        read_column(list(side), f"matrix.{name}")
        for side, name in zip(sides, ("index", "columns"), strict=True)
    )
    check_same_kind(rows, "matrix.index", columns, "matrix.columns")
    for column, name in ((rows, "matrix.index"), (columns, "matrix.columns")):
        check_distinct(column.tolist(), name)
    return rows, columns


def check_frame(
    frame: Any, names: tuple[Column, Column], amounts: NDArray[Any], squared_weights: Any
) -> None:
    """Raise ValueError if a data frame has its own margins, or the squares have other names."""
    if len(amounts) > 1 and all(side.tolist()[-1] == "All" for side in names):
        sums = amounts[:-1].sum(axis=0), amounts[:, :-1].sum(axis=1)
        if np.array_equal(sums[0], amounts[-1]) and np.array_equal(sums[1], amounts[:, -1]):
            raise ValueError(
                "`matrix` must hold the counts of classes alone, got the sums of rows and columns "
                "under 'All': leave them out (margins=False)"
            )
    of_squares = read_names(squared_weights)
    if of_squares is not None and any(
        side.tolist() != other.tolist() for side, other in zip(names, of_squares, strict=True)
    ):
        raise ValueError("`squared_weights` must have the index and the columns of `matrix`")


def read_prior(prior: Any, table: Any) -> NDArray[np.float64]:
    """Return the prior of each class of a `ContingencyTable`, nan where it has no reference.

    Declared classes without a reference are dropped with a warning, the rest renormalised.

    Raises
    ------
    ValueError
        If a class in the references is missing, or not strictly between 0 and 1; if a class does
        not occur and is not declared; if the sum is not 1 within 1e-6.
    """
    if not isinstance(prior, Mapping):
        raise ValueError(
            f"`prior` must map each class to its probability, as {{'a': 0.5, 'b': 0.5}}, "
            f"got {show(prior)}"
        )
    observed = {table.labels[code] for code in np.flatnonzero(table.reference_totals)}
    for label in sorted(observed - set(prior), key=str):
        raise ValueError(f"`prior` must cover every class in the references, {show(label)} is not")
    dropped = []
    for label, share in prior.items():
        if not _is_real(share):
            raise ValueError(f"`prior` must hold numbers, got {show(share)} for {show(label)}")
        if not (0 < share < 1 or (share == 0 and label not in observed)):
            raise ValueError(
                "`prior` must lie strictly between 0 and 1 for every class, "
                f"got {show(share)} for {show(label)}"
            )
        if label not in observed:
            dropped.append(label)
            if label is None or not (table.declared and label in table.labels):
                raise ValueError(
                    f"`prior` must name classes of the references, got {show(label)}: "
                    "list it in `labels` if the task has it and these samples do not"
                )
    total = math.fsum(prior.values())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"`prior` must sum to 1, got {total!r}")
    if dropped:
        names = ", ".join(map(show, dropped))
        warn(f"no reference is {names}: dropped from the prior, the rest renormalised")
    shares = [float(prior[label]) if label in observed else np.nan for label in table.labels]
    return np.array(shares) / math.fsum(share for share in shares if share == share)


def _flat(values: Any, name: str) -> NDArray[Any] | list[Any]:
    """Return `values` as a one-dimensional array, or a list where they are Python objects."""
    if type(values) is np.ndarray and values.ndim == 1 and values.dtype.kind in "iu":
        return values
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise ValueError(
            f"`{name}` must be a sequence of labels, such as a list, "
            f"got the {type(values).__name__} {show(values)}"
        )
    if hasattr(values, "__array__") or isinstance(values, memoryview):
        array = _as_array(values, name)
        if array.dtype.kind in "US" and not isinstance(values, (np.ndarray, np.generic)):
            # polars gives fixed-width strings, which drop trailing NULs: "a\0" would become "a"
            return values.to_numpy().ravel().tolist() if array.ndim > 1 else list(values)
    elif isinstance(values, Iterator):
        raise TypeError(
            f"`{name}` must be a sequence of labels that can be read again, got an iterator, "
            f"{show(values)}, which the first metric to read it uses up: pass list({name})"
        )
    elif isinstance(values, Iterable):
        return values if type(values) is list else list(values)
    else:
        raise ValueError(f"`{name}` must be a sequence of labels, got {show(values)}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must hold one label for each sample, got an array of shape {array.shape}: "
            "pass the argmax of logits, flatten tokens, score several labels a sample one by one"
        )
    return array.tolist() if array.dtype.kind == "O" else array


def _as_array(values: Any, name: str) -> NDArray[Any]:
    """Return numpy's view of a container, or raise ValueError where that would be another one."""
    if np.ma.is_masked(values):
        raise ValueError(f"`{name}` must hold a value for each sample, got masked entries")
    try:
        if hasattr(values, "detach"):  # torch: asarray refuses tensors that track gradients
            values = values.detach().cpu()
        if hasattr(values, "combine_chunks"):
            # pyarrow: asarray of chunks of a dictionary takes a null for its last value
            values = values.column(0) if getattr(values, "num_columns", 0) == 1 else values
            _check_dictionary(values, name)
            values = values.combine_chunks()
        return coding.to_numpy(values)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"`{name}` could not be read as an array, got {show(values)}: {error}"
        raise ValueError(message) from error


def _check_dictionary(values: Any, name: str) -> None:
    """Raise ValueError unless the indices of pyarrow's dictionary are positions in it.

    pyarrow itself does not look: -1 would be read as the last label.
    """
    if not hasattr(getattr(values, "type", None), "index_type"):
        return
    for chunk in getattr(values, "chunks", [values]):
        if chunk.null_count:
            chunk.validate(full=True)  # an index may be anything where the null is
        elif len(chunk):
            indices = coding.to_numpy(chunk.indices)
            for index in (int(indices.min()), int(indices.max())):
                if not 0 <= index < len(chunk.dictionary):
                    raise ValueError(
                        f"`{name}` must hold positions in its dictionary of "
                        f"{len(chunk.dictionary)} values, got {index}"
                    )


def _is_real(value: object) -> bool:
    return isinstance(value, (Number, np.number)) and not isinstance(
        value, (bool, complex, np.complexfloating)
    )


def _whole_numbers(array: NDArray[Any], name: str) -> LabelArray:
    whole = np.isfinite(array) & (np.trunc(array) == array)
    if not whole.all():
        position = int(np.argmin(whole))
        _as_label(array[position].item(), name, position)  # raises, saying what is wrong with it
    if not array.size or (float(array.min()) >= _SMALLEST and float(array.max()) < 2**63):
        return array.astype(np.int64)
    return _integers([int(value) for value in array.tolist()], name)


def _read_objects(values: list[Any], name: str) -> LabelArray:
    types = set(map(type, values))
    if not types <= {int, str, bytes}:
        values = [_as_label(value, name, position) for position, value in enumerate(values)]
        types = set(map(type, values))
    if len(types) > 1:
        first = {kind: next(value for value in values if type(value) is kind) for kind in types}
        examples = " and ".join(f"{label_kind(x)} ({show(x)})" for x in first.values())
        raise ValueError(f"`{name}` must hold labels of one type, got {examples}")
    return _integers(values, name) if types <= {int} else np.array(values, dtype=object)


def _integers(values: list[int], name: str) -> LabelArray:
    try:
        return np.array(values, dtype=np.int64)
    except OverflowError:
        low, high = min(values), max(values)
    if low < _SMALLEST or high > _LARGEST:
        value = show(low if low < _SMALLEST else high)
        raise ValueError(f"`{name}` must hold integers of at most 64 bits, got {value}")
    # numpy before 2 would wrap a negative number into an array of uint64
    return np.array(values, dtype=np.uint64 if low >= 0 else object)


def _as_label(value: Any, name: str, position: int) -> Label:
    """Return one element as a Python int, str or bytes, or raise ValueError saying why not."""
    # item() is for numpy scalars, 0-d arrays and tensors; of numpy's strings it would drop NULs
    # and dates count nanoseconds there
    is_scalar = getattr(value, "ndim", None) == 0 and hasattr(value, "item")
    is_date = getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M")
    is_masked = isinstance(value, np.ma.MaskedArray) and bool(np.ma.is_masked(value))
    if is_scalar and not (isinstance(value, (str, bytes)) or is_date or is_masked):
        value = value.item()
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, bytes):
        return bytes(value)
    if isinstance(value, int):
        return int(value)
    is_float = isinstance(value, (float, np.floating))
    if is_float and value == np.trunc(value) and np.isfinite(value):
        return int(value)
    reason = "not a label"
    if is_float:
        reason = "a missing value" if value != value else f"a score, not a label: {_OF_SCORES}"
    elif value is None or is_masked or type(value).__name__ in ("NAType", "NaTType"):
        reason = "a missing value"
    elif is_date:
        reason = "a date or a duration: turn it into a string first"
    elif isinstance(value, (list, tuple, np.ndarray)):
        reason = f"one label is wanted: {_OF_SCORES}; score several labels one by one"
    raise ValueError(
        f"`{name}` must hold labels (integers, strings or bytes), "
        f"got {show(value)} at position {position}: {reason}"
    )
