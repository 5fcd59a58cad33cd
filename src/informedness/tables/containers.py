"""Read labels from containers of pandas, polars and pyarrow by their own codes.

This is faster than reading value by value. `native_column` returns a `Column` only if all values
are labels. `core.labels.read_column` reads any other container.
"""

from contextlib import suppress
from typing import Any

import numpy as np

from ..core.labels import Column, Numbers, read_column
from ..errors import prefix_errors


def read_labels(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Read labels in the fastest way their container allows."""
    return read_column(native_column(values, name, allow_missing), name, allow_missing)


def native_column(values: Any, name: str, allow_missing: bool = False) -> Any:
    """Build a column from a container's codes; return a container without codes unchanged."""
    native = _native_array(values)
    if type(native) is np.ndarray:
        return native
    column = None
    if type(getattr(native, "dtype", None)).__name__ == "CategoricalDtype":
        column = _coded_column([*native.categories], native.codes, name, allow_missing)
    elif hasattr(native, "dictionary_encode") and hasattr(native, "to_pylist"):
        column = _arrow_column(native, name, allow_missing)
    return values if column is None else column


def _native_array(values: Any) -> Any:
    """Get the array of a pandas or polars Series; return anything else unchanged."""
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(values, "to_arrow") and hasattr(dtype, "base_type"):
        with suppress(Exception):  # pyarrow is missing, or lacks the type
            # polars before 2.1 panics on 128-bit integers, and writes objects as bytes
            if dtype.base_type().__name__ not in ("Decimal", "Int128", "Object", "UInt128"):
                return values.to_arrow()
        return values
    native = getattr(values, "array", values) if hasattr(dtype, "construct_array_type") else values
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "") == "pyarrow":
        return native.__arrow_array__()
    is_nullable = native is not values and not hasattr(dtype, "categories")
    return np.asarray(values) if is_nullable and not values.hasnans else native


def _coded_column(
    labels: list[Any], codes: Numbers, name: str, allow_missing: bool
) -> Column | None:
    """Build a column from labels and codes (-1 is missing); None if any is not a label."""
    is_whole = codes.min(initial=0) >= 0
    if is_whole or allow_missing:
        with suppress(ValueError):
            labels = read_column(labels, name).tolist()
            if is_whole:
                return Column(codes, labels)
            return Column(np.where(codes < 0, np.int64(len(labels)), codes), [*labels, None])
    return None


def _arrow_column(values: Any, name: str, allow_missing: bool) -> Column | None:
    """Use pyarrow's integers directly, and let pyarrow code other labels."""
    import pyarrow
    from pyarrow import types

    with prefix_errors(f"`{name}`"):
        values.validate(full=True)  # else index -1 would mean the last label of the dictionary
    if not isinstance(values, pyarrow.ChunkedArray):
        values = pyarrow.chunked_array([values])
    values = values.cast(pyarrow.uint8()) if types.is_boolean(values.type) else values
    if types.is_decimal(values.type):
        with suppress(pyarrow.ArrowInvalid):  # fractions are not labels
            values = values.cast(pyarrow.int64())
    kind = values.type
    if (values.null_count and not allow_missing) or not len(values) or types.is_nested(kind):
        return None
    if types.is_integer(kind) and kind != pyarrow.uint64() and not values.null_count:
        return Column(np.from_dlpack(_in_one_chunk(values)))  # asarray would import pandas
    try:
        values = values.dictionary_encode()
        values = values.cast(pyarrow.dictionary(pyarrow.int32(), values.type.value_type))
        values = _in_one_chunk(values.unify_dictionaries())
    except (ValueError, NotImplementedError):  # `read_column` reads these one by one
        return None
    codes = values.indices
    codes = codes.fill_null(-1) if codes.null_count else codes  # fill_null imports pandas
    return _coded_column(values.dictionary.to_pylist(), np.from_dlpack(codes), name, allow_missing)


def _in_one_chunk(values: Any) -> Any:
    """Join the chunks of a pyarrow array; pyarrow would also copy a single one."""
    return values.chunk(0) if values.num_chunks == 1 else values.combine_chunks()
