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

from ..core.labels import Codes, Column, Numbers, read_column


def read_quickly(values: Any, name: str, may_lack: bool = False) -> Column:
    """Return labels as a column, in the fastest way there is for their container."""
    return read_column(quickly(values, name, may_lack), name, may_lack)


def quickly(values: Any, name: str, may_lack: bool = False) -> Any:
    """Return a container as a column, or as it is if there is no fast way for it."""
    if hasattr(getattr(values, "dtype", None), "pyarrow_dtype"):  # a column of pandas
        values = values.array.__arrow_array__()
    elif hasattr(values, "has_nulls") and values.has_nulls():
        values = values.to_list()  # of polars, whose integers with gaps would become floats
    column = quick_column(values, name, may_lack)
    return values if column is None else column


def quick_column(values: Any, name: str, may_lack: bool = False) -> Column | None:
    """Return the labels of a container as a column, or None if there is no fast way for it."""
    if type(values) is list:
        return _text_column(values)
    if type(values) is np.ndarray and values.dtype.kind in "iu" and values.ndim == 1:
        return _far_integers(values)
    if hasattr(values, "dictionary_encode") and hasattr(values, "to_pylist"):
        return _arrow_column(values, name, may_lack)
    if getattr(values, "ndim", 0) != 1 or isinstance(values, np.ma.MaskedArray):
        return None
    if hasattr(values, "__array__") and not hasattr(values, "detach"):
        dtype = getattr(values, "dtype", None)
        if isinstance(dtype, np.dtype) and dtype.kind == "f":
            return _whole_floats(np.asarray(values))
        if isinstance(values, np.ndarray) and values.dtype.kind in "OUS":
            return _text_column(values.tolist())
    return None


def _text_column(values: list[Any]) -> Column | None:
    """Return strings or bytes as codes, in one look-up each."""
    if not values or type(values[0]) not in (str, bytes):
        return None
    positions: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        codes = np.fromiter(map(positions.__getitem__, values), np.int64, len(values))
    except TypeError:  # something that has no hash
        return None
    # only strings equal strings, so the types of the distinct labels are those of all
    return Column(codes, list(positions)) if {*map(type, positions)} == {type(values[0])} else None


def _arrow_column(values: Any, name: str, may_lack: bool) -> Column | None:
    """Return pyarrow's integers as they are, and others as pyarrow codes them."""
    import pyarrow
    from pyarrow import types

    try:
        values.validate(full=True)  # or -1 in a dictionary's column would be its last label
    except ValueError as error:
        raise ValueError(f"`{name}` must hold positions in its dictionary: {error}") from error
    kind = values.type
    if (values.null_count and not may_lack) or not len(values) or types.is_nested(kind):
        return None
    is_plain = types.is_integer(kind) and kind != pyarrow.uint64() and not values.null_count
    try:
        if not is_plain:
            values = values.dictionary_encode()
            values = values.cast(pyarrow.dictionary(pyarrow.int32(), values.type.value_type))
        if isinstance(values, pyarrow.ChunkedArray):
            values = values if is_plain else values.unify_dictionaries()
            values = values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
        if is_plain:
            return Column(np.from_dlpack(values))  # asarray would import pandas
        labels = read_column(values.dictionary.to_pylist(), name).tolist()
    except (ValueError, NotImplementedError):  # what cannot be coded is read one by one
        return None
    codes = values.indices
    if codes.null_count:
        codes, labels = codes.fill_null(len(labels)), [*labels, None]
    return Column(np.from_dlpack(codes), labels)


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


# Integers


def coded(column: Column) -> tuple[Sequence[Any], Numbers]:
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
        return np.unique(array, return_inverse=True)
    # close together: a table of those that occur takes 6 ns, sorting 100
    wide = np.uint64 if array.dtype == np.uint64 else np.int64
    offsets = array if low == 0 else np.subtract(array, array.dtype.type(low), dtype=wide)
    offsets = offsets.astype(np.int64, copy=False)
    present = np.bincount(offsets) > 0
    values = np.flatnonzero(present).astype(wide) + wide(low)
    return values, offsets if present.all() else (np.cumsum(present) - 1)[offsets]
