"""Containers of labels, by name: each function boxes a list of labels of its kind."""

import array
import enum

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa

from inputs import tensors

TEXT = getattr(getattr(np, "dtypes", None), "StringDType", None)  # of numpy 2


def numpy(dtype):
    return lambda values: np.array(values, dtype=dtype)


def series(dtype):
    return lambda values: pd.Series(values, dtype=dtype, index=range(len(values) + 9, 9, -1))


def arrow(dtype=None):
    return lambda values: pa.array(values, dtype)


def chunked(dtype=None):
    """Return what makes a pyarrow ChunkedArray of three chunks, one of them empty."""

    def make(values):
        whole = pa.array(values, dtype)
        return pa.chunked_array([whole[:2], whole[2:2], whole[2:]])

    return make


def dictionaries(values):
    """Return chunks that each have a dictionary of their own, in which a null stands for none."""
    ends = [pa.array([*part, None]) for part in (values[:2], values[2:])]
    return pa.chunked_array([part.dictionary_encode("encode")[:-1] for part in ends])


OF_POLARS = [
    kind for x in ("Int8", "UInt64", "Int128", "UInt128") if (kind := getattr(pl, x, None))
]
# The types of numpy cut off trailing NULs, and round integers beyond int64 beside others. So do the
# categories of pandas 2.
OF_NUMPY = {
    "array": np.array,
    "byte-swapped array": lambda v: np.array(v).astype(np.array(v).dtype.newbyteorder()),
    "column": lambda values: np.array(values)[:, None],
    "strided array": lambda values: np.repeat(values, 3)[::3],
    "masked array without a mask": np.ma.array,
    "list of array scalars": lambda values: list(np.array(values)),
    "list of 0-d arrays": lambda values: list(map(np.asarray, np.array(values))),
}
ANY_LABELS = OF_NUMPY | {
    "tuple": tuple,
    "dict values": lambda values: dict(enumerate(values)).values(),
    "object array": numpy(object),
    "pandas Series": series(None),
    "pandas Series of objects": series(object),
    "pandas Index": pd.Index,
    "pandas DataFrame of one column": lambda values: pd.DataFrame({"x": values}),
    "polars Series of objects": lambda values: pl.Series(values, dtype=pl.Object),
}
OF_ARROW_AND_POLARS = {
    "pyarrow Array": pa.array,
    "pyarrow ChunkedArray": chunked(),
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pyarrow dictionary in chunks": lambda values: chunked()(values).dictionary_encode(),
    "pyarrow dictionaries": dictionaries,
    "pyarrow Table of one column": lambda values: pa.table({"x": chunked()(values)}),
    "Dataset of one column": lambda values: datasets.Dataset.from_dict({"x": values}),
    "polars Series": pl.Series,
    "polars DataFrame of one column": lambda values: pl.DataFrame({"x": values}),
}
SMALL_INTEGERS = {
    **{f"array of {d}": numpy(d) for d in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")},
    **{f"array of {d}": numpy(d) for d in ("f2", "f4", "f8", "longdouble", ">i2", ">u8", ">f4")},
    **{f"list of {d}": lambda v, d=d: list(map(d, v)) for d in (float, np.float32, np.longdouble)},
    "list of mixed types": lambda v: [*map(int, v[:1]), *map(float, v[1:3]), *map(np.int8, v[3:])],
    "pandas Categorical with an unused category": lambda v: pd.Categorical(v, range(127, -1, -1)),
    "IntEnum": lambda values: list(map(enum.IntEnum("Digit", "ZERO ONE TWO", start=0), values)),
    "array.array": lambda values: array.array("h", values),
    "memoryview": lambda values: memoryview(array.array("q", values)),
    **{f"pandas {d}": series(d) for d in ("Int64", "UInt8", "Float64", "int64[pyarrow]")},
    **{f"pyarrow {d}": arrow(d) for d in (pa.int8(), pa.uint64(), pa.float32())},
    "pyarrow halffloat": lambda values: pa.array(np.array(values, np.float16)),
    **{f"polars {d}": lambda v, d=d: pl.Series(v, dtype=d) for d in OF_POLARS},
    **tensors.LABELS,
}
STRINGS = {
    "pandas Categorical of strings": lambda v: pd.Categorical(v, sorted({*v, "z"}, reverse=True)),
    "StrEnum": lambda v: list(map(enum.Enum("Word", [(f"word {x}", x) for x in v], type=str), v)),
    **{f"pandas {d}": series(d) for d in ("str", "string", "string[python]", "string[pyarrow]")},
    **{f"pyarrow {d}": arrow(d) for d in (pa.string(), pa.large_string(), pa.string_view())},
    **{f"pyarrow {d} in chunks": chunked(d) for d in (pa.large_string(), pa.string_view())},
    "pyarrow runs": lambda v: pa.RunEndEncodedArray.from_arrays(range(1, len(v) + 1), v),
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(values, dtype=pl.Enum(sorted({*values, "z"}))),
}
if TEXT:
    STRINGS["numpy StringDType"] = numpy(TEXT())
    STRINGS["numpy StringDType that can hold None"] = numpy(TEXT(na_object=None))
ONLY = {
    "small integers": SMALL_INTEGERS | OF_ARROW_AND_POLARS,
    "integers": OF_ARROW_AND_POLARS,
    "integers beyond int64": {
        **{f"array of {d}": numpy(d) for d in ("u8", ">u8")},
        **{f"pyarrow {make.__name__} of uint64": make(pa.uint64()) for make in (arrow, chunked)},
    },
    "strings": STRINGS | OF_ARROW_AND_POLARS,
    "bytes": OF_ARROW_AND_POLARS
    | {f"pyarrow {d}": arrow(d) for d in (pa.binary(), pa.large_binary(), pa.binary_view())},
    "bools": OF_ARROW_AND_POLARS
    | {
        "list of numpy bools": lambda values: list(map(np.bool_, values)),
        "pandas boolean": series("boolean"),
        **{f"torch {make.__name__}": make for make in tensors.MAKERS},
    },
}


def containers_of(kind, values):
    """Return the functions that box these values, of a kind that `ONLY` names, without a change."""
    found = ANY_LABELS | ONLY[kind]
    if np.array(values).tolist() != values:
        found = {name: make for name, make in found.items() if name not in OF_NUMPY}
    if pd.Categorical(values).tolist() == values:
        found["pandas Categorical"] = pd.Categorical
    return found
