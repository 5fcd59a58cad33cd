"""Read labels from containers by their own codes, which is faster than value by value.

pandas, polars and pyarrow supply the codes. `native_column` returns a `Column` if all values are
surely labels, else the container: only `core.labels.read_column` decides what a label is.
"""

from contextlib import suppress
from typing import Any

import numpy as np

from ..core.labels import Column, Numbers, read_column


def read_labels(values: Any, name: str, allow_missing: bool = False) -> Column:
    """Read labels in the fastest way their container allows."""
    return read_column(native_column(values, name, allow_missing), name, allow_missing)


def native_column(values: Any, name: str, allow_missing: bool = False) -> Any:
    """Build a column from a container's codes; return a container without codes unchanged."""
    native = _native_array(values)
    column = None
    if isinstance(native, Column):
        column = native
    elif type(native) is np.ndarray:
        return native
    elif type(getattr(native, "dtype", None)).__name__ == "CategoricalDtype":
        column = _coded_column([*native.categories], native.codes, name, allow_missing)
    elif hasattr(native, "dictionary_encode") and hasattr(native, "to_pylist"):
        column = _arrow_column(native, name, allow_missing)
    return values if column is None else column


def _native_array(values: Any) -> Any:
    """Get the array of a pandas or polars Series; return anything else unchanged."""
    dtype: Any = getattr(values, "dtype", None)
    if hasattr(values, "has_nulls") and hasattr(dtype, "base_type"):
        return _native_polars(values, dtype)
    native = getattr(values, "array", values) if hasattr(dtype, "construct_array_type") else values
    if hasattr(dtype, "pyarrow_dtype") or getattr(dtype, "storage", "") == "pyarrow":
        return native.__arrow_array__()
    is_nullable = native is not values and not hasattr(dtype, "categories")
    return np.asarray(values) if is_nullable and not values.hasnans else native


def _native_polars(values: Any, dtype: Any) -> Any:
    kind, has_nulls = dtype.base_type().__name__, values.has_nulls()
    if kind == "Categorical" and not has_nulls and (column := _polars_column(values)) is not None:
        return column
    with suppress(Exception):  # no pyarrow, or a type numpy lacks
        if kind in ("String", "Binary", "Categorical", "Enum"):
            return values.to_arrow()
        # numpy has no 128-bit integers, and polars before 2.1 panics on them
        is_plain = kind == "Boolean" or (dtype.is_numeric() and not kind.endswith("128"))
        if is_plain and not has_nulls:
            return values.to_numpy()
    return values


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


def _polars_column(values: Any) -> Column | None:
    """Use the codes of a Categorical if they are 0 to k - 1; `to_arrow` takes 4 ms for 10**6."""
    codes = values.to_physical().to_numpy()
    if not 0 <= codes.max(initial=0) < len(codes):
        return None
    places = np.full(int(codes.max()) + 1, -1, dtype=np.int32)
    for some in (codes[: 2**14], codes):  # the first rows usually hold all categories
        places[some] = np.arange(len(some), dtype=np.int32)
        if places.min() >= 0:
            return Column(codes, values.gather(places).to_list())
    return None


def _arrow_column(values: Any, name: str, allow_missing: bool) -> Column | None:
    """Use pyarrow's integers directly, and let pyarrow code other labels."""
    import pyarrow
    from pyarrow import types

    try:
        values.validate(full=True)  # else index -1 would mean the last label of the dictionary
    except ValueError as error:
        raise ValueError(f"`{name}` must hold positions in its dictionary: {error}") from error
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
        if isinstance(values, pyarrow.ChunkedArray):
            values = _in_one_chunk(values.unify_dictionaries())
    except (ValueError, NotImplementedError):  # `read_column` reads these one by one
        return None
    codes = values.indices
    codes = codes.fill_null(-1) if codes.null_count else codes  # fill_null imports pandas
    return _coded_column(values.dictionary.to_pylist(), np.from_dlpack(codes), name, allow_missing)


def _in_one_chunk(values: Any) -> Any:
    """Join the chunks of a pyarrow array."""
    if getattr(values, "num_chunks", 0) == 1:
        return values.chunk(0)
    return values.combine_chunks() if hasattr(values, "num_chunks") else values
