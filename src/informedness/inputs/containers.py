"""Fast ways to code labels of some containers, where reading them one by one would be slower.

`quick_column` hands over a `Column` of what is surely labels, or nothing: what a label is, and what
is wrong with one that is none, is for `core.labels.read_column` alone to say.
Figures in the comments are medians of `make bench`, per label.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import count
from typing import Any

import numpy as np

from ..core.labels import (
    NAMES,
    Codes,
    Column,
    Label,
    Numbers,
    check_same_order,
    read_column,
    read_pair,
)
from ..core.table import Task, task_of

_MULTIPLIER = np.uint64(0x9E3779B97F4A7C15)  # Knuth's: 2**64 over the golden ratio

_ARROW_INTEGERS = ("int", "uint")
_ARROW_TEXT = ("string", "large_string", "binary", "large_binary")


def read_quickly(values: Any, name: str) -> Column:
    """Return labels as a column, in the fastest way there is for their container."""
    return read_column(quickly(values, name), name)


def read_task(
    references: Any,
    predictions: Any,
    labels: Any,
    ignore_index: Any,
    unknown: str,
    names: tuple[str, str] = NAMES,
    **beside: Any,
) -> tuple[Column, Column, Task]:
    """Return references and predictions as columns, and the options, all of one kind of label.

    What stands beside them, by name, must have their order.
    """
    check_same_order({names[0]: references, names[1]: predictions, **beside})
    columns = quickly(references, names[0]), quickly(predictions, names[1])
    r, p = read_pair(*columns, names)
    return r, p, task_of(r, labels, ignore_index, unknown, names[0])


def quickly(values: Any, name: str) -> Any:
    """Return a container as a column, or as it is if there is no fast way for it."""
    if hasattr(getattr(values, "dtype", None), "pyarrow_dtype"):  # a column of pandas
        values = values.array.__arrow_array__()
    column = quick_column(values, name)
    return values if column is None else column


def quick_column(values: Any, name: str) -> Column | None:
    """Return the labels of a container as a column, or None if there is no fast way for it."""
    if type(values) is list:
        return _text_column(values)
    if type(values) is np.ndarray and values.dtype.kind in "iu" and values.ndim == 1:
        return _far_integers(values)
    if hasattr(values, "dictionary_encode") and hasattr(values, "to_pylist"):
        return _arrow_column(values, name)
    if getattr(values, "ndim", 0) != 1 or isinstance(values, np.ma.MaskedArray):
        return None
    if hasattr(values, "__array__") and not hasattr(values, "detach"):
        dtype = getattr(values, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind in "US" and isinstance(values, np.ndarray):
            return _code_words(values)
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            return _whole_floats(np.asarray(values))
        if isinstance(values, np.ndarray) and values.dtype.kind == "O":
            return _text_column(values.tolist())
    return None


def _text_column(values: list[Any]) -> Column | None:
    """Return strings or bytes as codes, in one look-up each."""
    if not values or type(values[0]) not in (str, bytes):
        return None
    positions: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        # straight into bytes: 28 ns, where an array of integers takes 34
        codes = np.frombuffer(bytes(map(positions.__getitem__, values)), dtype=np.uint8)
    except (TypeError, ValueError):  # something that has no hash; more than 256 of them
        return None
    # only strings equal strings, so the types of the distinct labels are those of all
    return Column(codes, list(positions)) if {*map(type, positions)} == {type(values[0])} else None


def _arrow_column(values: Any, name: str) -> Column | None:
    """Return pyarrow's integers as they are, and its text as pyarrow codes it."""
    try:
        values.validate(full=True)  # or -1 in a dictionary's column would be its last label
    except ValueError as error:
        raise ValueError(f"`{name}` must hold positions in its dictionary: {error}") from error
    if values.null_count or not len(values):
        return None
    is_coded = hasattr(values.type, "index_type")  # lists have a type of value, too
    kind = str(values.type.value_type if is_coded else values.type)
    if kind.startswith(_ARROW_INTEGERS) and not is_coded:
        if hasattr(values, "combine_chunks"):
            values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
        found = np.from_dlpack(values)  # asarray would import pandas
        return None if found.dtype == np.uint64 else Column(found)
    chunks = getattr(values, "chunks", [values])
    if kind not in _ARROW_TEXT or (is_coded and any(x.dictionary.null_count for x in chunks)):
        return None
    encoded = values.dictionary_encode()
    if hasattr(encoded, "unify_dictionaries"):
        encoded = encoded.unify_dictionaries().combine_chunks()
    labels = read_column(encoded.dictionary.to_pylist(), "labels").tolist()
    return Column(np.from_dlpack(encoded.indices), labels)


def _far_integers(array: Numbers) -> Column | None:
    """Return integers that are no codes as they stand, going by the first ones."""
    head = array[:8].tolist()
    if not head or (min(head) >= 0 and max(head) < 2**11 and array.dtype != np.uint64):
        return None
    found, codes = code_integers(array.astype(array.dtype.newbyteorder("="), copy=False))
    return Column(codes, found.tolist())


def _whole_floats(array: Numbers) -> Column | None:
    """Return whole floats as integers."""
    largest = np.abs(array).max(initial=0)  # nan if there is one
    if not float(largest) < 2**63 or not (np.trunc(array) == array).all():
        return None
    return Column(array.astype(np.int64))


def _code_words(array: Numbers) -> Column | None:
    """Return numpy's fixed-width strings or bytes as codes; those of 8 bytes as 64-bit integers.

    Hashing them as Python objects would take two to four times as long; of longer ones it does not.
    """
    if not array.nbytes:
        return None
    is_text = array.dtype.kind == "U"
    native = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("="))
    units = native.view(np.uint32 if is_text else np.uint8).reshape(len(array), -1)
    if units.shape[1] > 8 or units.max() >= 256:
        return _text_column(array.tolist())
    words = np.pad(units.astype(np.uint8), [(0, 0), (0, 8 - units.shape[1])]).view(np.uint64)
    codes = code_integers(words[:, 0])[1]
    sample = np.empty(int(codes.max()) + 1, dtype=np.int64)
    sample[codes] = np.arange(len(codes))  # some sample of each code
    return Column(codes, array[sample].tolist())


# Integers


def coded(column: Column) -> tuple[Sequence[Label], Numbers]:
    """Return the distinct labels of a column, and each sample's position among them."""
    if column.values is not None:
        return column.values, column.codes
    found, codes = code_integers(column.codes)
    return found.tolist(), codes


def code_integers(array: Numbers) -> tuple[Numbers, Codes]:
    """Return the distinct integers in any order, and each one's position among them."""
    if not len(array):
        return array, array.astype(np.int64)
    low, high = int(array.min()), int(array.max())
    if high - low >= max(2 * len(array), 2**16):
        return _code_by_slots(array) or np.unique(array, return_inverse=True)
    # close together: a table of those that occur takes 6 ns, sorting 100
    wide = np.uint64 if array.dtype == np.uint64 else np.int64
    offsets = array if low == 0 else np.subtract(array, array.dtype.type(low), dtype=wide)
    offsets = offsets.astype(np.int64, copy=False)
    present = np.bincount(offsets) > 0
    values = np.flatnonzero(present).astype(wide) + wide(low)
    return values, offsets if present.all() else (np.cumsum(present) - 1)[offsets]


def _code_by_slots(array: Numbers) -> tuple[Numbers, Codes] | None:
    """Return the same as `code_integers`; None if two integers share a slot, as they often do.

    Each integer is multiplied, and the top 12 bits of the product are its slot. Ten integers take
    8 ns each, and 32 by sorting; the strings of numpy are such integers.
    """
    product = array.astype(np.uint64) * _MULTIPLIER
    slots = (product >> np.uint64(52)).astype(np.int64)
    integers = np.zeros(2**12, array.dtype)
    integers[slots] = array
    if not np.array_equal(integers[slots], array):
        return None
    there = np.bincount(slots, minlength=2**12) > 0
    return integers[there], (np.cumsum(there) - 1)[slots]
