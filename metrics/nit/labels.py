"""Read labels: convert a container, such as a list or an array, to a column of integer codes.

A label is an integer of at most 64 bits, a string, or bytes. Booleans count as 0 and 1, and whole
floats as integers. Missing values, other floats, sequences and dates are not labels. One task never
mixes integers, strings and bytes. Strings are compared code point by code point, without stripping,
case folding or normalisation, so "001" is not "1". Only `read_column` decides which values are
labels.
"""

from __future__ import annotations

import os
import reprlib
import sys
import warnings
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence, Set
from contextlib import suppress
from contextvars import ContextVar
from dataclasses import dataclass
from itertools import chain, count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = int | str | bytes
Codes: TypeAlias = NDArray[np.int64]
Numbers: TypeAlias = NDArray[Any]

WARNING_PREFIX = "informedness: "
NAMES = "references", "predictions"  # names of the arguments in evaluate
# The folder of the package, or of a published metric, which has copies of the files in core/.
_FOLDER = os.path.dirname(__file__).removesuffix(f"{os.sep}core")

# The list that collects the warnings of this thread, or None to issue them.
NOTES: ContextVar[list[Warning] | None] = ContextVar("notes", default=None)

# A list is first read as an array if its values all have one type, which is one of these or a
# subclass.
_NUMBERS = (bool, float, np.bool_, np.number)
# Texts that mean a missing value in files; pandas reads them as missing, too.
NULLS = frozenset(("", *["NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "#N/A"]))


class InformednessWarning(UserWarning):
    """Base class of this project's warnings; each message starts with `WARNING_PREFIX`."""


class UndefinedMetricWarning(InformednessWarning):
    """A score or the value of one class is undefined, or the score may mislead.

    The score may mislead for a single sample, and for out-of-class predictions.
    """


class LabelsWarning(InformednessWarning):
    """Labels look unintended, such as "nan", two spellings of a class, or swapped columns."""


class NoSamplesError(ValueError):
    """There is no sample to score, for example because all samples of a batch are ignored."""


def warn(message: str, category: type[Warning] = InformednessWarning) -> None:
    """Issue a warning at the line of code that called this package, or collect it in `NOTES`.

    The prefix is for filters, as each copy of this file defines its own warning classes.
    """
    if (notes := NOTES.get()) is not None:
        return notes.append(category(WARNING_PREFIX + message))
    frame, level = sys._getframe(1), 2
    while frame.f_back and frame.f_code.co_filename.startswith(_FOLDER + os.sep):
        frame, level = frame.f_back, level + 1
    warnings.warn(WARNING_PREFIX + message, category, stacklevel=level)


def check_choice(name: str, value: object, choices: tuple[object, ...]) -> None:
    """Raise ValueError unless the option `name` has one of its allowed values."""
    if not isinstance(value, str | None) or value not in choices:
        hint = "; 'prevalence' is scikit-learn's 'weighted'" if str(value) == "weighted" else ""
        similar = [x for x in choices if isinstance(value, str) and value.lower() in str(x)]
        if similar and value:
            hint = f"; did you mean {similar[0]!r}?"
        raise ValueError(f"`{name}` must be one of {choices}, got {show(value)}{hint}")


def show(value: object) -> str:
    """Shorten the `repr` of a value; shortened text and bytes are still valid literals."""
    return _SHORT.repr(value)


class _Short(reprlib.Repr):
    """Shortens values; text and bytes become literals of at most 80 characters."""

    def repr1(self, x: Any, level: int) -> str:
        if not isinstance(x, (str, bytes)):
            return super().repr1(x, level)
        dots: Any = "..." if isinstance(x, str) else b"..."
        cuts = (x[:n] + dots + x[-n - 1 :] for n in range(37, 0, -1))
        return next(text for text in map(repr, chain([x[:81]], cuts)) if len(text) <= 80)


_SHORT = _Short()
_SHORT.maxother = 80


@dataclass(frozen=True)
class Column:
    """Labels of samples: `values[code]` is the label of a code, or None if the label is missing.

    If `values` is None, the labels are integers, and are the codes themselves.
    """

    codes: Numbers
    values: Sequence[Label | None] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, samples: Any) -> Column:
        return Column(self.codes[samples], self.values)

    @property
    def kind(self) -> str | None:
        """The type of the labels: "integers", "strings" or "bytes"; None if all are missing."""
        label = self.example()
        return None if label is None else label_kind(label)

    def example(self) -> Any:
        """Find the first label that is not missing; None without such a label."""
        labels = self[:1].tolist() if self.values is None else (self.values[x] for x in self.codes)
        return next((label for label in labels if label is not None), None)

    def tolist(self) -> list[Any]:
        codes: list[Any] = self.codes.tolist()
        return codes if self.values is None else [self.values[code] for code in codes]

    def differs_from(self, label: Label | None) -> Numbers:
        """Compute a mask of the samples whose label differs from `label`."""
        if self.values is None and label is None:  # numpy would compare each integer with None
            return np.ones(len(self.codes), dtype=bool)
        if self.values is None:
            return np.asarray(self.codes != label)
        return np.array([value != label for value in self.values], dtype=bool)[self.codes]

    def labels_and_codes(self) -> tuple[Sequence[Any], Numbers]:
        """List the distinct labels, and the position of each sample's label in this list.

        Samples need not use all of these labels.
        """
        if self.values is not None:
            return self.values, self.codes
        integers, codes = code_integers(self.codes)
        return integers.tolist(), codes


def code_integers(array: Numbers) -> tuple[Numbers, Codes]:
    """List the distinct integers, sorted, and the position of each element in this list."""
    low, high = (int(array.min()), int(array.max())) if len(array) else (0, 0)
    if high - low >= max(2 * len(array), 2**16):  # counting would need a much longer array
        return np.unique(array, return_inverse=True)
    # Counting takes 6 ns a label, and sorting 100. A copy of 10^6 labels would take 3 ms.
    offsets = array if array.dtype == np.int64 and not low else np.subtract(array, low, dtype="i8")
    present = np.bincount(offsets) > 0
    values = np.flatnonzero(present) + low
    return values, offsets if present.all() else (np.cumsum(present) - 1)[offsets]


def label_kind(label: object) -> str:
    """Name the type of a label: "integers", "strings" or "bytes"."""
    return "strings" if isinstance(label, str) else "bytes" if type(label) is bytes else "integers"


def read_pair(
    references: Any,
    predictions: Any,
    names: Any = NAMES,
    sample_weight: Any = None,
    unknown: str = "error",
) -> tuple[Column, Column]:
    """Read references and predictions as columns of equal length, with labels of the same type.

    `names` are the names of both in messages. `sample_weight` is not read; only its order is
    checked, as in `check_same_order`. With unknown="wrong", predictions may be missing.
    """
    check_choice("unknown", unknown, ("error", "wrong"))
    check_same_order({names[0]: references, names[1]: predictions, "sample_weight": sample_weight})
    r = read_column(references, names[0])
    p = read_column(predictions, names[1], allow_missing=str(unknown) == "wrong")
    if len(r) != len(p):
        # the words of the error that `evaluate` raises
        sizes = f"{names[1]} ({len(p)}) and {names[0]} ({len(r)})"
        raise ValueError(f"Mismatch in the number of {sizes}")
    check_same_kind(r, names[0], p, names[1])
    return r, p


def check_same_order(columns: Mapping[str, Any]) -> None:
    """Raise ValueError if pandas objects have the same index in different orders."""
    indexes = [(name, x.index) for name, x in columns.items() if hasattr(x, "iloc")]
    for name, index in indexes[1:]:
        first, wanted = indexes[0]
        if not index.equals(wanted) and len(index) == len(wanted) and {*index} == {*wanted}:
            remedy = f"Pass {name}.loc[{first}.index]. To pair by position, pass {name}.to_numpy()."
            raise ValueError(f"`{name}` must have its index in the order of `{first}`. {remedy}")


def check_same_kind(first: Column, first_name: str, second: Column, name: str) -> None:
    """Raise ValueError if the labels of two columns are not of the same type."""
    kind, first_kind = second.kind, first.kind
    if kind and first_kind and kind != first_kind:
        got = f"{kind} such as {show(second.example())}"
        got += f" but {first_kind} such as {show(first.example())}. Convert one of the two."
        raise ValueError(f"`{name}` must hold labels of the same type as `{first_name}`, got {got}")


def check_distinct(classes: Sequence[Label], name: str, kind: str = "class") -> None:
    """Raise ValueError if a class, or an element of another kind, is listed twice."""
    if len(set(classes)) < len(classes):
        repeated = next(label for label in classes if classes.count(label) > 1)
        raise ValueError(f"`{name}` must list each {kind} once; {show(repeated)} is listed twice")


def read_column(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Read the labels in a container as a column.

    With `allow_missing`, missing labels become None. Otherwise they raise ValueError. Text, bytes,
    sets, mappings and values that are not iterable are not containers of labels, and raise
    ValueError. Iterators raise TypeError.
    """
    if isinstance(values, Column):
        if allow_missing or values.values is None or None not in values.values:
            return values
        values = values.tolist()  # the column was read with `allow_missing`
    # arrays without a mask do not need numpy.ma, which takes 30 ms to import
    if allow_missing and hasattr(values, "_mask") and np.ma.is_masked(values):
        values = values.tolist()
    flat = _as_array_or_list(values, name)
    if isinstance(flat, list):
        return _read_list(flat, name, allow_missing)
    if (column := _column_of_numbers(flat)) is not None:
        return column
    # Scores and dates are rejected one by one, so that the error can name a position.
    # `tolist` would convert dates in nanoseconds to integers.
    return _read_list(list(flat) if flat.dtype.kind in "mM" else flat.tolist(), name, allow_missing)


def _column_of_numbers(array: Numbers) -> Column | None:
    """Read an array of integers, booleans or whole floats that fit in int64; else return None."""
    kind = array.dtype.kind
    if kind == "b":
        return Column(array.astype(np.uint8))
    if kind == "i" or (kind == "u" and int(array.max(initial=0)) < 2**63):
        dtype = array.dtype.newbyteorder("=") if np.can_cast(array.dtype, np.int64) else np.int64
        return Column(array.astype(dtype, copy=False))
    if kind == "f" and float(np.abs(array).max(initial=0)) < 2**63:
        integers = array.astype(np.int64)
        return Column(integers) if (integers == array).all() else None
    return None


def _as_array_or_list(values: Any, name: str) -> Numbers | list[Any]:
    """Convert a container to a one-dimensional array, or a list of Python objects."""
    values = _sole_column(values)
    if type(values) is list:
        return values
    if hasattr(values, "to_pylist"):  # pyarrow; numpy would read nulls as values
        values.validate(full=True)  # otherwise a dictionary index of -1 would mean the last label
        return list(values.to_pylist())
    # a column of polars, or a column of pandas whose dtype is not one of numpy
    if hasattr(values, "to_list") and not isinstance(getattr(values, "dtype", 0), np.dtype):
        return list(values.to_list())  # numpy would drop trailing NULs, and round large integers
    if isinstance(values, Iterator):
        raise TypeError(f"`{name}` must not be an iterator, got {show(values)}. Pass list({name}).")
    if hasattr(values, "__array__") or isinstance(values, memoryview):
        return _drop_second_dimension(as_array(values, name), values, name)
    is_rejected = isinstance(values, (str, bytes, bytearray, Mapping, Set))
    if is_rejected or not isinstance(values, Iterable):
        raise ValueError(f"`{name}` must be a sequence of labels like a list, got {show(values)}")
    return list(values)


def _sole_column(values: Any) -> Any:
    """Extract the only column of a table or data frame, and the list in a column of `datasets`.

    Return other values unchanged.
    """
    names: Any = getattr(values, "column_names", getattr(values, "columns", None))
    if hasattr(names, "__len__") and len(names) == 1:
        values = values[names[0]]
    # its slice is a list, while a column of the package `datasets` would be read row by row
    return values[:] if type(values).__module__ == "datasets.arrow_dataset" else values


def _drop_second_dimension(array: Numbers, container: Any, name: str) -> Numbers:
    """Drop a second dimension of length 1, if any; raise ValueError if the result is not 1-D."""
    if array.ndim == 2 and array.shape[1] == 1:
        return array[:, 0]
    if array.ndim == 1:
        return array
    remedy = "For logits pass `logits.argmax(axis=1)`."
    if hasattr(container, "columns"):
        names = ", ".join(map(show, [*container.columns][:3]))
        remedy = f"Pass one column, such as {names}, or pass the frame to table_from_frame."
    got = f"got an array of shape {array.shape}"
    raise ValueError(f"`{name}` must hold one label per sample, {got}. {remedy}")


def as_array(values: Any, name: str) -> Numbers:
    """Convert a container to a numpy array; raise ValueError if that fails or values are masked."""
    if type(values) is np.ndarray:
        return values
    if np.ma.is_masked(values):
        raise ValueError(f"`{name}` must hold a value at each position, got masked values")
    try:
        if hasattr(values, "detach"):  # torch: asarray fails for tensors that track gradients
            values = values.detach().cpu()
        elif hasattr(values, "__cuda_array_interface__") and hasattr(values, "get"):
            values = values.get()  # CuPy: asarray raises an error
        return np.asarray(values)
    except Exception as error:  # each library raises its own exceptions
        message = f"`{name}` could not be read as an array, got {show(values)}: {error}"
        raise ValueError(message) from error


def _read_list(values: list[Any], name: str, allow_missing: bool) -> Column:
    """Read a list of Python objects as a column of labels."""
    kinds = set(map(type, values))
    is_numbers = len(kinds) == 1 and issubclass(type(values[0]), _NUMBERS)
    if is_numbers and (column := _column_of_numbers(np.array(values))) is not None:
        return column
    if not kinds <= ({int, str, bytes, type(None)} if allow_missing else {int, str, bytes}):
        values = [_as_label(value, name, i, allow_missing) for i, value in enumerate(values)]
        kinds = set(map(type, values))
    if kinds <= {int}:
        with suppress(OverflowError):  # beyond int64
            return Column(np.array(values, dtype=np.int64))
    positions: defaultdict[Label | None, int] = defaultdict(count().__next__)
    codes = np.fromiter(map(positions.__getitem__, values), np.int64, len(values))
    _check_types([label for label in positions if label is not None], name)
    return Column(codes, list(positions))


def _check_types(labels: Sequence[Label], name: str) -> None:
    """Raise ValueError if labels have several types, or if an integer has more than 64 bits."""
    first = {type(label): label for label in reversed(labels)}
    if len(first) > 1:
        examples = " and ".join(f"{label_kind(x)} ({show(x)})" for x in first.values())
        raise ValueError(f"`{name}` must hold labels of one type, got {examples}")
    for label in labels:
        if isinstance(label, int) and not -(2**63) <= label < 2**64:
            raise ValueError(f"`{name}` must hold integers of at most 64 bits, got {label}")


def _as_label(value: Any, name: str, position: int, allow_missing: bool) -> Label | None:
    """Convert a value to a Python int, str or bytes, or a missing value to None if allowed."""
    value = _unbox(value)
    if isinstance(value, (str, bytes)):
        return str.__str__(value) if isinstance(value, str) else bytes(value)
    is_float = isinstance(value, (float, np.floating))
    if isinstance(value, int) or (is_float and np.isfinite(value) and value == np.trunc(value)):
        return int(value)
    if allow_missing and _is_missing(value):
        return None
    got = f"{show(value)} at position {position}: {_why_not_a_label(value)}"
    raise ValueError(f"`{name}` must hold labels (integers, strings or bytes), got {got}")


def _unbox(value: Any) -> Any:
    """Convert a scalar of an array library to a Python value, except text, dates and masked values.

    `item` would drop trailing NULs of numpy strings, and convert dates in nanoseconds to integers.
    """
    is_kept = isinstance(value, (str, bytes)) or _is_date(value) or np.ma.is_masked(value)
    is_scalar = getattr(value, "ndim", None) == 0 and hasattr(value, "item")
    return value.item() if is_scalar and not is_kept else value


def _is_date(value: Any) -> bool:
    """Check whether a value is a numpy date or duration."""
    return getattr(getattr(value, "dtype", None), "kind", "") in ("m", "M")


def _is_missing(value: Any) -> bool:
    """Check whether a value, such as None, nan or NaT, means that a label is missing."""
    is_nan = isinstance(value, (float, np.floating)) and value != value
    return is_nan or type(value).__name__ in ("NoneType", "NAType", "NaTType", "MaskedConstant")


def _why_not_a_label(value: Any) -> str:
    """Explain why a value is not a label, and how to convert it."""
    if _is_missing(value):
        remedy = 'If predictions may be missing, pass unknown="wrong" (to `load` for `add_batch`).'
        return f"a missing value. {remedy} Leave out other samples without a label."
    if _is_date(value):
        return "a date or a duration. Convert it to a string."
    if not isinstance(value, (float, np.floating, list, tuple, np.ndarray)):
        return "not a label. Convert it to an integer or a string."
    is_sequence = isinstance(value, (list, tuple, np.ndarray))
    reason = "expected one label per sample" if is_sequence else "a score, not a label"
    return f"{reason}. For logits pass `logits.argmax(axis=1)`; for probabilities `p > 0.5`."


def merge_labels(*lists: Sequence[Any]) -> tuple[list[Any], list[Codes]]:
    """Merge lists of labels into one sorted list, in which None is last.

    The second result has the positions of the labels of each list in the merged list.
    """
    union: set[Any] = set().union(*lists)
    labels: list[Any] = sorted(union - {None}) + ([None] if None in union else [])
    position = {label: code for code, label in enumerate(labels)}
    return labels, [np.array([position[x] for x in part], dtype=np.int64) for part in lists]


def join_columns(columns: Sequence[Column]) -> Column:
    """Concatenate columns whose labels have the same type."""
    if all(column.values is None for column in columns):
        return Column(np.concatenate([column.codes for column in columns]))
    values, codes = zip(*(column.labels_and_codes() for column in columns), strict=True)
    labels, maps = merge_labels(*values)
    return Column(np.concatenate([new[old] for new, old in zip(maps, codes, strict=True)]), labels)
