"""Reading of arguments: any container of labels becomes a flat array, arrays become codes.

A label is an integer of at most 64 bits, a string, or bytes. Booleans count as 0 and 1, floats
that are whole numbers as those numbers. Nothing else is a label: missing values, scores, nested
sequences and dates are refused with a ValueError that names the argument and the value, and one
task never mixes integers, strings and bytes. Strings are compared as they are, code point by code
point: "001" is not "1", and nothing is stripped, folded or normalised.

`read_labels` is the only reader and `encode_labels` the only place where labels become codes.
Weights, counts and priors are read here too, so that every path refuses the same things.
"""

import math
import os
import reprlib
import sys
import warnings
from collections.abc import Iterable, Mapping, Sequence, Set
from numbers import Number
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = int | str | bytes
LabelArray: TypeAlias = NDArray[Any]
Codes: TypeAlias = NDArray[np.int64]

WARNING_PREFIX = "informedness: "
_HERE = os.path.dirname(__file__)

_KINDS = {int: "integers", str: "strings", bytes: "bytes"}
_SMALLEST, _LARGEST = -(2**63), 2**64 - 1

_short = reprlib.Repr()
_short.maxstring = _short.maxother = 80


class InformednessWarning(UserWarning):
    """Base of this project's warnings; each message starts with `WARNING_PREFIX`."""


class UndefinedMetricWarning(InformednessWarning):
    """A score, or a class's part in it, is undefined; the message says what stands in."""


def warn(message: str, category: type[Warning] = InformednessWarning) -> None:
    """Warn with the prefix by which all copies of this file are filtered, at the caller's line."""
    frame, level = sys._getframe(1), 2
    while frame.f_back and os.path.dirname(frame.f_code.co_filename) == _HERE:
        frame, level = frame.f_back, level + 1
    warnings.warn(WARNING_PREFIX + message, category, stacklevel=level)


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ValueError unless the option `name` has one of the values it can have."""
    if not (value is None or isinstance(value, str)) or value not in choices:
        raise ValueError(f"`{name}` must be one of {choices}, got {show(value)}")


def show(value: object) -> str:
    """Return `repr(value)`, cut in the middle where it is long."""
    return _short.repr(value)


def read_labels(values: Any, name: str) -> LabelArray:
    """Return the labels in `values` as a flat array.

    Parameters
    ----------
    values : array-like of shape (n_samples,) or (n_samples, 1)
        A list, tuple or other iterable (read once), a numpy array of any dtype and memory layout,
        or whatever turns itself into one: pandas, pyarrow, polars, torch, jax.
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
    """
    array = _flat_array(values, name)
    kind = array.dtype.kind
    if kind == "b":
        return array.astype(np.uint8)
    if kind in "iu":
        return _native_integers(array)
    if kind == "f":
        return _whole_numbers(array, name)
    if kind in "UST":  # numpy's own strings and bytes, as Python objects
        return _read_objects(array.astype(object), name)
    if kind == "O":
        return _read_objects(array, name)
    raise ValueError(
        f"`{name}` must hold labels (integers, strings or bytes), got an array of {array.dtype}: "
        "turn its values into strings or integers first"
    )


def read_pair(references: Any, predictions: Any) -> tuple[LabelArray, LabelArray]:
    """Return references and predictions as flat arrays of one length and one kind of label."""
    reference_array = read_labels(references, "references")
    prediction_array = read_labels(predictions, "predictions")
    if len(reference_array) != len(prediction_array):
        raise ValueError(
            f"Mismatch in the number of predictions ({len(prediction_array)}) "
            f"and references ({len(reference_array)})"
        )
    check_same_kind(reference_array, "references", prediction_array, "predictions")
    return reference_array, prediction_array


def read_samples(
    references: Any,
    predictions: Any,
    labels: Any,
    sample_weight: Any,
    ignore_index: Any,
    unknown: str,
) -> tuple[LabelArray, LabelArray, tuple[Label, ...] | None, NDArray[np.float64] | None]:
    """Return references, predictions, declared classes and weights of the samples that count.

    Left out are samples whose reference equals `ignore_index` or whose weight is 0.

    Raises
    ------
    ValueError
        As `read_pair`, `read_classes` and `read_amounts`; if `unknown` is not one of its two
        values, there is not one weight for each sample, or no sample is left.
    """
    check_choice("unknown", unknown, ("error", "wrong"))
    if unknown == "wrong" and labels is None:
        raise ValueError(
            '`unknown` can be "wrong" only beside `labels`, the classes that are known'
        )
    reference_array, prediction_array = read_pair(references, predictions)
    classes = None if labels is None else read_classes(labels, reference_array)
    n_samples = len(reference_array)
    keep = np.ones(n_samples, dtype=bool)
    weights = None
    if sample_weight is not None:
        weights = read_amounts(sample_weight, "sample_weight").astype(np.float64)
        if weights.shape != (n_samples,):
            raise ValueError(
                "`sample_weight` must hold one weight for each sample, got an array of shape "
                f"{weights.shape} for {n_samples} samples"
            )
        with np.errstate(over="ignore"):
            total = weights.sum()
        if not np.isfinite(total):
            raise ValueError("`sample_weight` must have a finite sum, got one beyond 1e308")
        keep = weights > 0
    if ignore_index is not None:
        ignored = read_labels([ignore_index], "ignore_index")
        check_same_kind(reference_array, "references", ignored, "ignore_index")
        keep &= reference_array != ignored[0]
    elif classes is None and (reference_array[keep] == -100).any():
        warn("-100 among the references counts as a class: ignore_index=-100 drops it")
    if not keep.any():
        dropped = ", and none is left without the ignored and weightless ones" if n_samples else ""
        raise ValueError(f"there must be a sample to score, got {n_samples} samples{dropped}")
    if keep.all():
        return reference_array, prediction_array, classes, weights
    weights = None if weights is None else weights[keep]
    return reference_array[keep], prediction_array[keep], classes, weights


def check_same_kind(first: LabelArray, first_name: str, second: LabelArray, name: str) -> None:
    """Raise ValueError unless both arrays hold integers, both strings, or both bytes."""
    if len(first) and len(second) and label_kind(first[0]) != label_kind(second[0]):
        raise ValueError(
            f"`{name}` must hold labels of the same type as `{first_name}`, got "
            f"{label_kind(second[0])} such as {show(_plain(second[0]))} beside "
            f"{label_kind(first[0])} such as {show(_plain(first[0]))}: convert one of the two"
        )


def label_kind(label: object) -> str:
    """Return "integers", "strings" or "bytes" for a label as `read_labels` gives it."""
    return _KINDS.get(type(label), "integers")


def join_labels(arrays: Sequence[LabelArray]) -> LabelArray:
    """Return arrays of `read_labels`, all of one kind, as one array of the same kind."""
    if np.result_type(*arrays).kind == "f":  # int64 beside uint64: numpy would round to float64
        arrays = [array.astype(object) for array in arrays]
    return np.concatenate(arrays)


def encode_labels(
    references: LabelArray, predictions: LabelArray, labels: Sequence[Label] | None, unknown: str
) -> tuple[tuple[Label | None, ...], Codes, Codes]:
    """Return the classes, and each sample's reference and prediction as positions among them.

    Parameters
    ----------
    references, predictions : ndarray of shape (n_samples,)
        As `read_pair` gives them.
    labels : sequence of labels, optional
        The classes in the order wanted; by default those that occur, sorted.
    unknown : {"error", "wrong"}
        What becomes of a prediction outside `labels`: refused, or counted in one more class,
        written None, at the end.

    Raises
    ------
    ValueError
        If a reference, or with `unknown="error"` a prediction, is outside `labels`.
    """
    reference_values, reference_codes = _distinct(references)
    prediction_values, prediction_codes = _distinct(predictions)
    classes: tuple[Label | None, ...] = (
        tuple(sorted({*reference_values, *prediction_values})) if labels is None else tuple(labels)
    )
    position = {label: code for code, label in enumerate(classes)}
    for value in reference_values:
        if value not in position:
            raise ValueError(f"`labels` must list every reference, {show(value)} is not in it")
    outside = [value for value in prediction_values if value not in position]
    if outside and unknown == "error":
        raise ValueError(
            f"`labels` must list every prediction, {show(outside[0])} is not in it: add it, or "
            'pass unknown="wrong" to count such predictions as wrong answers'
        )
    if outside:
        classes = (*classes, None)
    unknown_code = len(classes) - 1
    to_code = np.array([position[value] for value in reference_values], dtype=np.int64)
    from_code = np.array(
        [position.get(value, unknown_code) for value in prediction_values], dtype=np.int64
    )
    return classes, to_code[reference_codes], from_code[prediction_codes]


def read_classes(labels: Any, beside: LabelArray) -> tuple[Label, ...]:
    """Return the argument `labels` as a tuple of distinct labels of the kind `beside` holds."""
    array = read_labels(labels, "labels")
    classes: tuple[Label, ...] = tuple(array.tolist())
    if not classes:
        raise ValueError("`labels` must list at least one class, got none")
    if len(set(classes)) < len(classes):
        twice = next(label for label in classes if classes.count(label) > 1)
        raise ValueError(f"`labels` must list each class once, {show(twice)} stands twice")
    check_same_kind(beside, "references", array, "labels")
    return classes


def read_amounts(values: Any, name: str) -> NDArray[Any]:
    """Return counts or weights as a float64 array, or int64 where all are whole numbers given so.

    Raises
    ------
    ValueError
        If an entry is not a number, negative, or not finite.
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
    return amounts


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


def _flat_array(values: Any, name: str) -> NDArray[Any]:
    """Return `values` as a one-dimensional array of whatever dtype."""
    if values is None:
        raise ValueError(f"`{name}` must be a sequence of labels, got None")
    if isinstance(values, (str, bytes, bytearray, Mapping, Set)):
        raise ValueError(
            f"`{name}` must be a sequence of labels, one for each sample, "
            f"got the {type(values).__name__} {show(values)}"
        )
    if hasattr(values, "__array__") or isinstance(values, memoryview):
        array = _as_array(values, name)
        if array.dtype.kind in "US" and not isinstance(values, (np.ndarray, np.generic)):
            # polars gives fixed-width strings, which drop trailing NULs: "a\0" would become "a"
            array = _object_array(values.to_numpy().tolist() if array.ndim > 1 else list(values))
    elif isinstance(values, Iterable):
        array = _object_array(list(values))
    else:
        raise ValueError(f"`{name}` must be a sequence of labels, got {show(values)}")
    if array.ndim == 2 and array.shape[1] == 1:
        array = array.ravel()
    if array.ndim != 1:
        raise ValueError(
            f"`{name}` must hold one label for each sample, got an array of shape {array.shape}: "
            "for logits or probabilities pass their argmax over the classes, for tokens flatten"
        )
    return array


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
            values = values.combine_chunks()
        return np.asarray(values)
    except (TypeError, ValueError, RuntimeError) as error:
        message = f"`{name}` could not be read as an array, got {show(values)}: {error}"
        raise ValueError(message) from error


def _is_real(value: object) -> bool:
    return isinstance(value, (Number, np.number)) and not isinstance(
        value, (bool, complex, np.complexfloating)
    )


def _object_array(values: list[Any]) -> NDArray[Any]:
    return np.fromiter(values, dtype=object, count=len(values))


def _native_integers(array: NDArray[Any]) -> LabelArray:
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype == np.uint64 and int(array.max(initial=0)) < 2**63:
        array = array.astype(np.int64)  # so that uint64 stands only where it must
    return array


def _whole_numbers(array: NDArray[Any], name: str) -> LabelArray:
    whole = np.isfinite(array) & (np.trunc(array) == array)
    if not whole.all():
        position = int(np.argmin(whole))
        _as_label(array[position].item(), name, position)  # raises, saying what is wrong with it
    if not array.size or (float(array.min()) >= _SMALLEST and float(array.max()) < 2**63):
        return array.astype(np.int64)
    return _integers([int(value) for value in array.tolist()], name)


def _read_objects(array: NDArray[Any], name: str) -> LabelArray:
    values = array.tolist()
    types = set(map(type, values))
    if not types <= {int, str, bytes}:
        values = [_as_label(value, name, position) for position, value in enumerate(values)]
        types = set(map(type, values))
    if len(types) > 1:
        first = {kind: next(value for value in values if type(value) is kind) for kind in types}
        examples = " and ".join(f"{_KINDS[kind]} ({show(first[kind])})" for kind in first)
        raise ValueError(f"`{name}` must hold labels of one type, got {examples}")
    return _integers(values, name) if types <= {int} else _object_array(values)


def _integers(values: list[int], name: str) -> LabelArray:
    for dtype in (np.int64, np.uint64):
        try:
            return np.array(values, dtype=dtype)
        except OverflowError:
            continue
    for value in values:
        if not _SMALLEST <= value <= _LARGEST:
            raise ValueError(f"`{name}` must hold integers of at most 64 bits, got {show(value)}")
    return _object_array(values)


def _as_label(value: Any, name: str, position: int) -> Label:
    """Return one element as a Python int, str or bytes, or raise ValueError saying why not."""
    # item() is for numpy scalars, 0-d arrays and tensors; of numpy's strings it would drop NULs
    is_scalar = getattr(value, "ndim", None) == 0 and hasattr(value, "item")
    if is_scalar and not isinstance(value, (str, bytes)) and value is not np.ma.masked:
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
        reason = "a missing value" if value != value else "a score, not a label"
    elif isinstance(value, (list, tuple, np.ndarray)):
        reason = "one label is wanted; for logits or probabilities pass their argmax"
    elif value is None or value is np.ma.masked or type(value).__name__ in ("NAType", "NaTType"):
        reason = "a missing value"
    raise ValueError(
        f"`{name}` must hold labels (integers, strings or bytes), "
        f"got {show(value)} at position {position}: {reason}"
    )


def _distinct(array: LabelArray) -> tuple[list[Label], Codes]:
    """Return the distinct labels, and each sample's position among them."""
    if array.dtype.kind == "O":  # by hash, not by sorting: exact, and does not pad long strings
        codes: dict[Label, int] = {}
        inverse = [codes.setdefault(label, len(codes)) for label in array.tolist()]
        return list(codes), np.array(inverse, dtype=np.int64)
    values, inverse_array = np.unique(array, return_inverse=True)
    return values.tolist(), inverse_array.astype(np.int64, copy=False)


def _plain(label: Any) -> Any:
    return label.item() if isinstance(label, np.generic) else label
