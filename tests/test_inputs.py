"""Odd and bad inputs: what is no label is refused by name, any container of labels is read."""

import array
import copy
import datetime
import enum
import inspect
import itertools
import math
import tracemalloc
from collections import deque
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
import scipy.sparse

import tensors
from golden import close
from informedness import (
    ContingencyTable,
    InformednessWarning,
    compare,
    estimate_from_labels,
    informedness_score,
    nit_score,
    report,
    table_from_file,
    table_from_frame,
)

pytestmark = pytest.mark.filterwarnings("error")  # but for those that a test expects

INTEGERS = [0, 1, 2, 1, 0, 2], [0, 1, 2, 0, 0, 1]
STRINGS = list("abcbac"), list("abcaab")
BYTES = tuple([label.encode() for label in side] for side in STRINGS)
BOOLS = [True, False, True, False, False], [True, False, False, False, True]
NAN, INF = math.nan, math.inf
String = getattr(getattr(np, "dtypes", None), "StringDType", None)  # of numpy 2
DICTIONARY = pa.dictionary(pa.int8(), pa.string())


class Digit(enum.IntEnum):
    ZERO, ONE, TWO = 0, 1, 2


class Letter(str, enum.Enum):
    A, B, C = "a", "b", "c"


@pytest.fixture(params=[informedness_score, nit_score, ContingencyTable.from_labels])
def score(request):
    """Give each function that reads samples: a number or a table comes back."""
    return request.param


def chunked(dtype=None):
    """Return what makes a pyarrow ChunkedArray of three chunks, one of them empty."""

    def make(values):
        chunks = values[:2], [], values[2:]
        return pa.chunked_array(chunks, type=dtype or pa.array(values).type)

    return make


def arrow(dtype=None):
    return lambda values: pa.array(values, type=dtype)


def series(dtype):
    return lambda values: pd.Series(values, dtype=dtype, index=range(9, 9 - len(values), -1))


def numpy(dtype):
    return lambda values: np.array(values, dtype=dtype)


def read_only(values):
    made = np.array(values)
    made.setflags(write=False)
    return made


def test_the_samples_of_this_file_have_these_scores():
    assert informedness_score(*INTEGERS) == close(Fraction(13, 24))
    assert nit_score(*INTEGERS) == close(3**-0.5)
    table = ContingencyTable.from_labels(*INTEGERS)
    assert table.to_dense().tolist() == [[2, 0, 0], [1, 1, 0], [0, 1, 1]]
    assert informedness_score(*STRINGS) == informedness_score(*BYTES) == close(Fraction(13, 24))


def test_the_order_of_the_arguments_matters():
    assert informedness_score(*INTEGERS[::-1]) != close(Fraction(13, 24))


# What is accepted, and equals the plain list

ANY_LABELS = {
    "tuple": tuple,
    "deque": deque,
    "dict values": lambda values: dict(enumerate(values)).values(),
    "array": np.array,
    "object array": numpy(object),
    "column": lambda values: np.array(values)[:, None],
    "Fortran column": lambda values: np.asfortranarray(np.array([values]).T),
    "read-only array": read_only,
    "strided array": lambda values: np.repeat(values, 3)[::3],
    "reversed array": lambda values: np.array(values[::-1])[::-1],
    "masked array without a mask": np.ma.array,
    "list of array scalars": lambda values: list(np.array(values)),
    "list of 0-d arrays": lambda values: [np.array(value) for value in values],
    "pandas Series": series(None),
    "pandas Series of objects": series(object),
    "pandas Index": pd.Index,
    "pandas Categorical": pd.Categorical,
    "pandas DataFrame of one column": lambda values: pd.DataFrame({"x": values}),
    "pyarrow Array": pa.array,
    "pyarrow ChunkedArray": chunked(),
    "pyarrow dictionary": lambda values: pa.array(values).dictionary_encode(),
    "pyarrow dictionary in chunks": lambda values: chunked()(values).dictionary_encode(),
    "pyarrow Table of one column": lambda values: pa.table({"x": values}),
    "polars Series": pl.Series,
    "polars Series of objects": lambda values: pl.Series(values, dtype=pl.Object),
    "polars DataFrame of one column": lambda values: pl.DataFrame({"x": values}),
}
ONLY_INTEGERS = {
    **{f"array of {d}": numpy(d) for d in ("i1", "i2", "i4", "i8", "u1", "u2", "u4", "u8")},
    **{f"array of {d}": numpy(d) for d in ("f2", "f4", "f8", "longdouble", ">i2", ">u8", ">f4")},
    "list of floats": lambda values: list(map(float, values)),
    "list of numpy floats": lambda values: list(map(np.float32, values)),
    "list of longdoubles": lambda values: list(map(np.longdouble, values)),
    "list of mixed types": lambda v: [v[0], float(v[1]), np.int8(v[2]), bool(v[3]), *v[4:]],
    "pandas Categorical with an unused category": lambda v: pd.Categorical(v, [2, 9, 1, 0]),
    "IntEnum": lambda values: list(map(Digit, values)),
    "array.array": lambda values: array.array("h", values),
    "memoryview": lambda values: memoryview(array.array("q", values)),
    **{f"pandas {d}": series(d) for d in ("Int64", "UInt8", "Float64", "int64[pyarrow]")},
    **{f"pyarrow {d}": arrow(d) for d in (pa.int8(), pa.uint64(), pa.float32())},
    "pyarrow halffloat": lambda values: pa.array(np.array(values, np.float16)),
    **{f"polars {d}": lambda v, d=d: pl.Series(v, dtype=d) for d in (pl.Int8, pl.UInt64)},
    **tensors.LABELS,
}
ONLY_STRINGS = {
    "pandas Categorical with an unused category": lambda v: pd.Categorical(v, list("czba")),
    "StrEnum": lambda values: list(map(Letter, values)),
    **{f"pandas {d}": series(d) for d in ("str", "string", "string[python]", "string[pyarrow]")},
    **{f"pyarrow {d}": arrow(d) for d in (pa.string(), pa.large_string(), pa.string_view())},
    **{f"pyarrow {d} in chunks": chunked(d) for d in (pa.large_string(), pa.string_view())},
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars Enum": lambda values: pl.Series(values, dtype=pl.Enum(["z", "c", "b", "a"])),
}
NUMPY_STRINGS = {"numpy StringDType": numpy(String())} if String else {}
if String:
    ONLY_STRINGS |= {
        **NUMPY_STRINGS,
        "numpy StringDType that can hold None": numpy(String(na_object=None)),
    }
ONLY_BYTES = {f"pyarrow {d}": arrow(d) for d in (pa.binary(), pa.large_binary(), pa.binary_view())}
ONLY_BOOLS = {
    "list of numpy bools": lambda values: list(map(np.bool_, values)),
    "pandas boolean": series("boolean"),
    "pyarrow ChunkedArray of bool": chunked(pa.bool_()),
    **{f"torch {make.__name__}": make for make in tensors.MAKERS},
}


def containers(kind, makers):
    return [
        pytest.param(kind, make, id=f"{type(kind[0][0]).__name__} {n}")
        for n, make in makers.items()
    ]


@pytest.mark.parametrize(
    ("pair", "make"),
    [
        *containers(INTEGERS, ANY_LABELS | ONLY_INTEGERS),
        *containers(STRINGS, ANY_LABELS | ONLY_STRINGS),
        *containers(BYTES, ANY_LABELS | ONLY_BYTES),
        *containers(BOOLS, ANY_LABELS | ONLY_BOOLS),
    ],
)
def test_a_container_of_labels_is_the_list_of_them(score, pair, make):
    references, predictions = pair
    wanted = score(references, predictions)
    assert score(make(references), make(predictions)) == wanted
    assert score(make(references), predictions) == wanted
    assert score(references, make(predictions)) == wanted


def test_bools_are_the_integers_0_and_1(score):
    assert score(*BOOLS) == score(*(list(map(int, side)) for side in BOOLS))
    assert score([True, 0, 1, False], [1, 0, 0, 0]) == score([1, 0, 1, 0], [1, 0, 0, 0])


def test_a_range_is_a_sequence_of_labels():
    assert informedness_score(range(9), range(9)) == close(1)
    assert nit_score(range(9), range(9)) == close(1)


def test_an_unused_category_changes_nothing_unless_declared():
    references = pd.Categorical(list("aabb"), categories=list("abc"))
    assert nit_score(references, references) == 1.0
    assert nit_score(references, references, labels=list("abcd")) == 0.5


@pytest.mark.parametrize(
    "make",
    [list, np.array, series(None), pl.Series, *tensors.MAKERS],
    ids=lambda make: make.__name__,
)
def test_inputs_are_left_as_they_were(score, make):
    given = [make(side) for side in INTEGERS]
    weights, labels = make([0.5, 0.0, 1.0, 2.0, 0.25, 1.0]), make([2, 1, 0])
    before = copy.deepcopy([*given, weights, labels])
    score(*given, sample_weight=weights, labels=labels, ignore_index=2)
    for now, then in zip([*given, weights, labels], before, strict=True):
        assert type(now) is type(then)
        assert np.asarray(now).dtype == np.asarray(then).dtype
        assert np.asarray(now).tolist() == np.asarray(then).tolist()


def test_a_table_does_not_change_with_the_array_it_was_made_of():
    references, weights = np.array(INTEGERS[0]), np.ones(6)
    table = ContingencyTable.from_labels(references, INTEGERS[1], sample_weight=weights)
    wanted = table.to_dense().tolist()
    references[:], weights[:] = 9, 9
    assert table.to_dense().tolist() == wanted


# Labels that must stay apart, or together

APART = {
    "2**53 and 2**53 + 1": [2**53, 2**53 + 1],
    "beyond int32": [-(2**31) - 1, 2**31, 2**32],
    "the ends of int64": [-(2**63), 2**63 - 1],
    "the ends of int64 and uint64": [-(2**63), -1, 2**63, 2**64 - 1],
    "NFC and NFD": ["e\u0301", "\u00e9"],
    "Latin and Cyrillic": ["a", "\u0430"],
    "empty string": ["", "a"],
    "trailing NULs": ["a", "a\0", "a\0\0"],
    "trailing newlines and blanks": ["a", "a\n", "a\r\n", "a "],
    "nan and None as words": ["None", "nan", "null"],
    "leading zeros": ["001", "01", "1", "1.0"],
    "case": ["A", "a"],
    "lone surrogates": ["\ud800", "\ud801"],
    "trailing NULs of bytes": [b"a", b"a\0"],
}


@pytest.mark.parametrize("labels", APART.values(), ids=APART)
def test_labels_that_look_alike_stay_apart(labels):
    table = ContingencyTable.from_labels(labels, labels)
    assert table.labels == tuple(labels)
    assert informedness_score(labels, labels) == close(1)
    assert nit_score(labels, labels) == close(1)
    assert informedness_score(labels, labels[::-1]) < 0.5


TRAILING_NUL = {
    "object array": numpy(object),
    **NUMPY_STRINGS,
    "list of numpy str": lambda values: list(map(np.str_, values)),
    **{f"pandas {d}": series(d) for d in (None, "category", "string[pyarrow]")},
    **{f"pyarrow {d}": arrow(d) for d in (pa.string(), pa.string_view())},
    "pyarrow dictionary": chunked(DICTIONARY),
    "pyarrow Table": lambda values: pa.table({"x": values}),
    "polars Series": pl.Series,
    "polars Categorical": lambda values: pl.Series(values, dtype=pl.Categorical),
    "polars DataFrame": lambda values: pl.DataFrame({"x": values}),
}


@pytest.mark.parametrize("make", TRAILING_NUL.values(), ids=TRAILING_NUL)
def test_no_container_costs_a_string_its_trailing_nul(make):
    table = ContingencyTable.from_labels(make(["a", "a\0"]), make(["a\0", "a"]))
    assert table.labels == ("a", "a\0")
    assert table.hits.tolist() == [0, 0]


def test_numpy_strings_in_a_list_keep_their_blanks():
    labels = [" a", "a", "a\n", "a "]
    table = ContingencyTable.from_labels(list(map(np.str_, labels)), labels)
    assert table.labels == tuple(labels)
    assert table.hits.tolist() == [1, 1, 1, 1]


def test_numpy_bytes_keep_their_trailing_nul():
    values = list(map(np.bytes_, [b"a", b"a\0"]))
    assert ContingencyTable.from_labels(values, values).labels == (b"a", b"a\0")


@pytest.mark.parametrize(
    ("references", "predictions", "labels"),
    [
        (np.array([255, 1], "u1"), np.array([-1, 1], "i8"), (-1, 1, 255)),
        (np.array([2**64 - 1, 1], "u8"), np.array([-1, 1], "i8"), (-1, 1, 2**64 - 1)),
        (np.array([2**63 + 1, 1], "u8"), np.array([2**63, 1], "u8"), (1, 2**63, 2**63 + 1)),
        (np.array([2**63, 1], "u8"), [-(2**63), 1], (-(2**63), 1, 2**63)),
        (pl.Series([2**64 - 1, 1], dtype=pl.UInt64), [-1, 1], (-1, 1, 2**64 - 1)),
        (pd.Series([2**53, 2**53 + 1], dtype="Int64"), [2**53] * 2, (2**53, 2**53 + 1)),
        (np.array([2.0**63, 1.0]), np.array([-(2.0**63), 1.0]), (-(2**63), 1, 2**63)),
        ([2**53 + 1, 1.0], [2**53, 1], (1, 2**53, 2**53 + 1)),
    ],
    ids=lambda value: "",
)
def test_integers_of_different_widths_do_not_wrap_or_round(references, predictions, labels):
    table = ContingencyTable.from_labels(references, predictions)
    assert table.labels == labels
    assert table.hits.sum() == 1


@pytest.mark.parametrize(
    ("references", "predictions"),
    [([-0.0, 1.0], [0.0, 1.0]), ([True, 0], [1.0, np.int8(0)]), ([np.float16(5), 0], [5, -0.0])],
)
def test_equal_numbers_are_one_class(references, predictions):
    assert informedness_score(references, predictions) == 1.0
    assert ContingencyTable.from_labels(references, predictions).total == 2


def test_as_many_classes_as_samples_is_1():
    labels = [f"class {i}" for i in range(50)]
    assert informedness_score(labels, labels) == close(1)
    assert nit_score(labels, labels) == close(1)


def test_a_very_long_label_is_not_padded_to_every_sample():
    references = ["x" * 10**6, *"ab" * 50]
    tracemalloc.start()
    assert informedness_score(references, references) == close(1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10**6


def test_a_very_long_label_does_not_flood_the_message():
    with pytest.raises(ValueError, match="`labels` must list every prediction") as caught:
        informedness_score(["a", "b"], ["a", "x" * 10**6], labels=["a", "b"])
    assert len(str(caught.value)) < 500


# What is refused: values that are no labels, as references and as predictions

NO_LABELS = {
    "None": (None, "must be a sequence of labels, got None"),
    "number": (3, "must be a sequence of labels, got 3"),
    "str": ("012102", "must be a sequence of labels.* got the str '012102'"),
    "numpy str": (np.str_("012102"), "must be a sequence of labels.*'012102'"),
    "bytes": (b"012102", "must be a sequence of labels.* got the bytes b'012102'"),
    "bytearray": (bytearray(b"012102"), "must be a sequence of labels.* got the bytearray"),
    "dict": (dict.fromkeys(range(6)), "must be a sequence of labels.* got the dict {0: None"),
    "set": (set(range(6)), "must be a sequence of labels.* got the set {0, 1"),
    "0-d array": (np.array(3), r"got an array of shape \(\)"),
    "row": (np.array([INTEGERS[0]]), r"got an array of shape \(1, 6\)"),
    "logits": (np.ones((6, 3)), r"got an array of shape \(6, 3\).*argmax"),
    "logits of polars": (pl.Series([[0.5, 0.5]] * 6, dtype=pl.Array(pl.Float64, 2)), "argmax"),
    "logits in lists": ([[0.25, 0.75]] * 6, r"\[0.25, 0.75\].*argmax"),
    "logits in a list of arrays": ([np.array([0.25, 0.75])] * 6, "argmax"),
    "logits and hidden states": ((np.ones((6, 3)), np.ones((6, 8))), r"1\., 1\., 1\."),
    "token logits": (np.ones((6, 4, 3)), r"got an array of shape \(6, 4, 3\).*argmax"),
    "memoryview of logits": (memoryview(np.ones((6, 3))), "argmax"),
    "DataFrame of two columns": (pd.DataFrame({"a": INTEGERS[0], "b": 1}), r"shape \(6, 2\)"),
    "score": ([0, 1, 2, 1, 0, 0.7], "got 0.7 at position 5: a score, not a label"),
    "array of scores": (np.array([0.7, 0.2, 0.9, 0, 0, 0]), "got 0.7 at position 0: a score"),
    "one logit a sample": (np.full((6, 1), -0.7), r"got -0.7 at .* score.*argmax.*ravel.* > 0\)"),
    "one logit in lists": ([[0.7]] * 6, r"got \[0.7\] at position 0: .*argmax.*ravel.* > 0\)"),
    "one logit in arrays": ([np.array([0.7])] * 6, r"at position 0: .*argmax.*ravel.* > 0\)"),
    "longdouble score": (np.array([0.5, 0, 0, 0, 0, 0], "g"), "0.5.* at position 0"),
    "inf": ([0, 1, INF, 1, 0, 2], "got inf at position 2"),
    "-inf in an array": (np.array([0, 1, -INF, 1, 0, 2]), "got -inf at position 2"),
    "complex": ([0, 1j, 2, 1, 0, 2], "got 1j at position 1: not a label"),
    "complex array": (np.array(INTEGERS[0], complex), "array of complex128"),
    "Decimal": ([0, Decimal(1), 2, 1, 0, 2], r"got Decimal\('1'\) at position 1: not a label"),
    "Fraction": ([0, Fraction(1), 2, 1, 0, 2], r"got Fraction\(1, 1\) at position 1: not a label"),
    "pyarrow decimal": (pa.array([Decimal(1)] * 6), r"got Decimal\('1'\) at position 0"),
    "integer beyond 64 bits": ([0, 2**64, 2, 1, 0, 2], "at most 64 bits, got 18446744073709551616"),
    "negative beyond 64 bits": ([0, -(2**63) - 1, 2, 1, 0, 2], "at most 64 bits, got -92233"),
    "float beyond 64 bits": ([0, 1e300, 2, 1, 0, 2], "at most 64 bits, got 1000"),
    "array of floats beyond 64 bits": (np.full(6, 1e300), "at most 64 bits, got 1000"),
    "dates": (np.array(["2020-01-01"] * 6, "M8[D]"), "array of datetime64"),
    "list of dates": ([datetime.date(2020, 1, 1)] * 6, "datetime.date.*at position 0: not a label"),
    "pandas dates": (pd.Series(pd.to_datetime(["2020-01-01"] * 6)), "array of datetime64"),
    "time spans": (np.ones(6, "m8[s]"), "array of timedelta64"),
    **{
        f"{kind}{unit} in a {name}": (
            box(np.arange(6).astype(f"{kind}[{unit}]")),
            "at position 0: a d",
        )
        for kind in ("M8", "m8")
        for unit in ("D", "s", "ns")
        for name, box in (
            ("list", list),
            ("list of 0-d arrays", lambda array: [np.array(x) for x in array]),
            ("array of objects", lambda array: np.array([*array, None], object)[:-1]),
        )
    },
    "structured array": (np.zeros(6, [("a", int)]), r"array of \[\('a', '<i8'\)\]"),
    "plain Enum": ([enum.Enum("Colour", "RED")(1)] * 6, "Colour.RED.* at position 0: not a label"),
    "object": ([object()] * 6, "got <object object.* at position 0: not a label"),
    "sparse matrix": (scipy.sparse.csr_matrix([INTEGERS[0]]), "[Ss]parse"),
    **tensors.NO_LABELS,
    "integers and strings": ([0, 1, 2, "1", 0, 2], r"one type, got .*'1'"),
    "strings and bytes": (["a", b"a"] * 3, "one type, got .*b'a'"),
    "integers and strings as objects": (np.array([0, 1, 2, "1", 0, 2], object), "one type, got"),
}
MISSING = {
    "None in a list": [0, 1, 2, 1, 0, None],
    "nan in a list": [0, 1, 2, 1, 0, NAN],
    "nan among strings": [*"abcba", NAN],
    "None among strings": [*"abcba", None],
    "nan in an array": np.array([0, 1, 2, 1, 0, NAN]),
    "NaT": [0, 1, 2, 1, 0, pd.NaT],
    **{f"pandas {d} with NA": series(d)([0, 1, 2, 1, 0, None]) for d in ("Int64", "category")},
    **{
        f"pandas {d} with NA": series(d)([*"abcba", None])
        for d in ("str", "string", "string[pyarrow]", "object")
    },
    "pandas category of strings with NA": series("category")([*"abcba", None]),
    "pandas boolean with NA": series("boolean")([True, False, True, True, False, None]),
    **{
        f"pyarrow {d} {make.__name__} with null": make(d)([*"abcba", None])
        for d in (pa.string(), pa.large_string(), pa.string_view(), DICTIONARY)
        for make in (arrow, chunked)
    },
    "pyarrow int64 arrow with null": arrow(pa.int64())([0, 1, 2, 1, 0, None]),
    "pyarrow int64 chunked with null": chunked(pa.int64())([0, 1, 2, 1, 0, None]),
    "pyarrow dictionary of integers with null": chunked(pa.dictionary(pa.int8(), pa.int64()))(
        [0, 1, 2, 1, 0, None]
    ),
    "pyarrow Table of a dictionary with null": pa.table(
        {"x": chunked(DICTIONARY)([*"abcba", None])}
    ),
    "pyarrow bool with null": pa.array([True, False, True, True, False, None]),
    "polars integers with null": pl.Series([0, 1, 2, 1, 0, None]),
    "polars strings with null": pl.Series([*"abcba", None]),
    "polars Categorical with null": pl.Series([*"abcba", None], dtype=pl.Categorical),
    "polars bool with null": pl.Series([True, False, True, True, False, None]),
}
if String:
    MISSING["numpy StringDType with None"] = np.array([*"abcba", None], String(na_object=None))
    MISSING["numpy StringDType with nan"] = np.array([*"abcba", NAN], String(na_object=NAN))
NO_LABELS |= {name: (values, "at position 5: a missing value") for name, values in MISSING.items()}
WRONG_INDICES = {
    index: pa.DictionaryArray.from_arrays(
        pa.array([0, 1, 0, 1, index, 1], pa.int8()), pa.array(["a", "b"]), safe=False
    )
    for index in (-1, 2, -128)
}
NUMBERED = pa.DictionaryArray.from_arrays(
    pa.array([0, 1, 0, 1, 0, -1]), pa.array([7, 8]), safe=False
)
NO_LABELS |= {
    f"{name} with index {index}": (
        box(values),
        f"positions in its dictionary: .* {index} .*in .0, 1",
    )
    for index, values in [*WRONG_INDICES.items(), (-1, NUMBERED)]
    for name, box in (
        (f"pyarrow dictionary of {values.type.value_type}", lambda values: values),
        (
            f"chunks of {values.type.value_type}",
            lambda values: pa.chunked_array([values[:2], values])[2:],
        ),
    )
}
NO_LABELS |= {
    "masked entries of 0-d arrays in a list": ([np.ma.array(1, mask=True)] * 6, "a missing value"),
    "masked array": (np.ma.array(INTEGERS[0], mask=[0, 0, 1, 0, 0, 0]), "masked"),
    "masked entries in a list": (list(np.ma.array(INTEGERS[0], mask=[0, 0, 1, 0, 0, 0])), "masked"),
    "pyarrow null": (pa.nulls(6), "at position 0: a missing value"),
}


def plain_like(values):
    """Return plain labels of the type of the first of `values`, so that nothing else is wrong."""
    try:
        first = np.asarray(values, object).ravel()[0]
    except (TypeError, ValueError, RuntimeError, IndexError):
        first = 0
    return STRINGS[0] if isinstance(first, str) else INTEGERS[0]


@pytest.mark.parametrize(("values", "wanted"), NO_LABELS.values(), ids=NO_LABELS)
def test_what_is_no_label_is_refused_by_name(score, values, wanted):
    beside = plain_like(values)
    with pytest.raises(ValueError, match=f"(?s)`references` .*{wanted}"):
        score(values, beside)
    with pytest.raises(ValueError, match=f"(?s)`predictions` .*{wanted}"):
        score(beside, values)


ITERATORS = {
    "generator": lambda values: (value for value in values),
    "iter": iter,
    "map": lambda values: map(copy.copy, values),
    "zip": lambda values: zip(values, strict=False),
}


@pytest.mark.parametrize("iterator", ITERATORS.values(), ids=ITERATORS)
def test_an_iterator_which_only_the_first_reader_would_see_is_refused(score, iterator):
    with pytest.raises(TypeError, match=r"`references` .*iterator.*pass list\(references\)"):
        score(iterator(INTEGERS[0]), INTEGERS[1])
    with pytest.raises(TypeError, match=r"`predictions` .*iterator.*pass list\(predictions\)"):
        score(INTEGERS[0], iterator(INTEGERS[1]))
    with pytest.raises(TypeError, match=r"`labels` .*iterator.*pass list\(labels\)"):
        score(*INTEGERS, labels=iterator([0, 1, 2]))


@pytest.mark.parametrize(
    ("references", "predictions", "lengths"),
    [
        (INTEGERS[0], INTEGERS[1][:5], (6, 5)),
        ([], INTEGERS[1], (0, 6)),
        (INTEGERS[0], [], (6, 0)),
        (np.array(INTEGERS[0])[:, None], INTEGERS[1][:1], (6, 1)),
        (STRINGS[0], np.array(STRINGS[1][:1]), (6, 1)),
    ],
)
def test_different_lengths_are_both_given(score, references, predictions, lengths):
    wanted = r"predictions \({1}\) and references \({0}\)".format(*lengths)
    with pytest.raises(ValueError, match=wanted):
        score(references, predictions)


@pytest.mark.parametrize(
    ("references", "predictions", "wanted"),
    [
        (INTEGERS[0], STRINGS[1], "strings such as 'a' beside integers such as 0"),
        (INTEGERS[0], [str(label) for label in INTEGERS[0]], "strings such as '0' beside integers"),
        (STRINGS[0], INTEGERS[1], "integers such as 0 beside strings such as 'a'"),
        (STRINGS[0], BYTES[1], "bytes such as b'a' beside strings such as 'a'"),
        (np.array(BYTES[0]), np.array(STRINGS[1]), "strings such as 'a' beside bytes such as b'a'"),
        (BOOLS[0], ["True", "False"] * 2 + ["True"], "strings such as 'True' beside integers"),
    ],
)
def test_types_of_labels_are_not_mixed(score, references, predictions, wanted):
    with pytest.raises(ValueError, match=f"`predictions` .*same type as `references`.*{wanted}"):
        score(references, predictions)


@pytest.mark.parametrize(
    "empty", [[], (), np.array([]), np.array([], str), pd.Series([], dtype=object), pl.Series([])]
)
def test_empty_inputs_are_refused(score, empty):
    with pytest.raises(ValueError, match="there must be a sample to score, got 0 samples"):
        score(empty, empty)


def test_an_error_while_iterating_is_the_callers_own(score):
    class Broken:
        def __iter__(self):
            yield 0
            raise KeyError("the caller's")

    with pytest.raises(KeyError, match="the caller's"):
        score(Broken(), [0, 1])


# sample_weight

WEIGHTS = [1, 2, 3, 0, 5, 1]
WEIGHT_CONTAINERS = {
    "tuple": tuple,
    "deque": deque,
    **{f"array of {d}": numpy(d) for d in ("f2", "f4", "longdouble", ">f8", "i1", "u8", "O")},
    "pandas Series with another index": series(float),
    "pandas Float64": series("Float64"),
    "pyarrow": arrow(pa.float64()),
    "pyarrow ChunkedArray": chunked(pa.float32()),
    "polars": pl.Series,
    "Decimal": lambda values: list(map(Decimal, values)),
    "Fraction": lambda values: list(map(Fraction, values)),
    **tensors.FLAT,
    "strided": lambda values: np.repeat(values, 2)[::2],
    "masked array without a mask": np.ma.array,
}


@pytest.mark.parametrize("make", WEIGHT_CONTAINERS.values(), ids=WEIGHT_CONTAINERS)
def test_a_container_of_weights_is_the_list_of_them_by_position(score, make):
    weights = make(WEIGHTS)
    assert score(*INTEGERS, sample_weight=weights) == score(*INTEGERS, sample_weight=WEIGHTS)


def test_whole_weights_are_repetitions_and_0_drops_the_sample():
    repeated = [np.repeat(side, WEIGHTS) for side in INTEGERS]
    for function in (informedness_score, nit_score):
        assert function(*INTEGERS, sample_weight=WEIGHTS) == close(function(*repeated))
        assert function(*INTEGERS, sample_weight=[1] * 6) == close(function(*INTEGERS))
        assert function(*INTEGERS, sample_weight=[True] * 6) == close(function(*INTEGERS))


@pytest.mark.parametrize("scale", [5e-324, 1e-320, 1e-160, 1e-9, 1e9, 1e160, 1e300])
def test_equal_weights_of_any_size_are_no_weights(scale):
    for function in (informedness_score, nit_score):
        assert function(*INTEGERS, sample_weight=[scale] * 6) == close(function(*INTEGERS))


def test_half_precision_weights_are_summed_in_double():
    """In float16 the 4096 ones would add up to 2048."""
    references = [0] * 4096 + [1] * 4096
    predictions = [0] * 4096 + [1] * 1024 + [0] * 3072
    weights = np.ones(8192, np.float16)
    assert informedness_score(references, predictions, sample_weight=weights) == 0.25


BAD_WEIGHTS = {
    "negative": ([1, 1, 1, 1, 1, -0.5], "finite and not negative, got -0.5"),
    "nan": ([1, 1, 1, 1, 1, NAN], "finite and not negative, got nan"),
    "inf": ([1, 1, 1, 1, 1, INF], "finite and not negative, got inf"),
    "nan among objects": ([Fraction(1)] * 5 + [NAN], "finite and not negative, got nan"),
    "signaling nan": ([Decimal("sNaN")] * 6, "sNaN"),
    "sum beyond float64": ([1e308] * 6, "finite sum"),
    "integer beyond float64": ([10**400] * 6, "1000"),
    "integer beyond int64": (np.full(6, 2**63, "u8"), "9223372036854775808"),
    "None": ([1, 1, 1, 1, 1, None], "must hold numbers, got .*None"),
    "strings": (["1"] * 6, r"must hold numbers, got \['1'"),
    "str": ("111111", "must hold numbers, got '111111'"),
    "complex": ([1j] * 6, r"must hold numbers, got \[1j"),
    "time spans": (np.ones(6, "m8[s]"), "must hold numbers, got"),
    "dict": (dict.fromkeys(range(6), 1), "must hold numbers, got {0: 1"),
    "column": (np.ones((6, 1)), r"one weight for each sample, got an array of shape \(6, 1\)"),
    "matrix": (np.ones((6, 6)), r"got an array of shape \(6, 6\) for 6 samples"),
    "ragged": ([[1], [1, 2], 1, 1, 1, 1], r"\[1, 2\]"),
    "scalar": (2.0, r"got an array of shape \(\) for 6 samples"),
    "too few": ([1] * 5, r"got an array of shape \(5,\) for 6 samples"),
    "masked": (np.ma.array([1.0] * 6, mask=[1, 0, 0, 0, 0, 0]), "masked"),
    **tensors.NO_WEIGHTS,
    "pandas with NA": (pd.Series([1] * 5 + [None], dtype="Int64"), "got nan|NA"),
    "pyarrow with null": (pa.array([1.0] * 5 + [None]), "got nan"),
    "polars with null": (pl.Series([1] * 5 + [None]), "got nan"),
}


@pytest.mark.parametrize(("weights", "wanted"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_what_is_no_weight_is_refused(score, weights, wanted):
    with pytest.raises(ValueError, match=f"(?s)`sample_weight` .*({wanted})"):
        score(*INTEGERS, sample_weight=weights)


# labels


@pytest.mark.parametrize("order", list(itertools.permutations(range(3))))
def test_the_order_of_labels_changes_no_score(order):
    for function in (informedness_score, nit_score):
        assert function(*INTEGERS, labels=order) == close(function(*INTEGERS))
    by_class = informedness_score(*INTEGERS, average=None)
    ordered = informedness_score(*INTEGERS, labels=order, average=None)
    assert ordered == [by_class[label] for label in order]


@pytest.mark.parametrize(
    "make", [list, tuple, np.array, numpy(float), series(None), pl.Series, *tensors.MAKERS]
)
def test_labels_come_in_any_container(make):
    table = ContingencyTable.from_labels(*INTEGERS, labels=make([2, 0, 1]))
    assert table.labels == (2, 0, 1)
    assert table.declared
    assert all(type(label) is int for label in table.labels)


def test_a_class_that_no_sample_has_counts_in_nit_alone():
    options = {"labels": [0, 1, 2, 3]}
    assert informedness_score(*INTEGERS, **options) == informedness_score(*INTEGERS)
    assert nit_score(*INTEGERS, **options) == close(nit_score(*INTEGERS) * 3 / 4)


BAD_CLASSES = {
    "duplicate": ([0, 1, 2, 2], "list each class once, 2 is listed twice"),
    "duplicate of another type": ([0, 1, 2, 2.0], "list each class once, 2 is listed twice"),
    "reference missing": ([0, 1], "list every reference, 2 is missing"),
    "str": ("012", "sequence of labels.* got the str '012'"),
    "strings for integers": (["0", "1", "2"], "same type as `references`.* such as '0'"),
    "set": ({0, 1, 2}, "sequence of labels.* got the set {0, 1, 2}"),
    "dict": ({0: "a", 1: "b", 2: "c"}, "sequence of labels.* got the dict {0: 'a'"),
    "number": (3, "sequence of labels, got 3"),
    "none": ([], "list at least one class, got none"),
    "None among them": ([0, 1, 2, None], "got None at position 3: a missing value"),
    "nan among them": ([0, 1, 2, NAN], "got nan at position 3: a missing value"),
    "score among them": ([0, 1, 2, 0.5], "got 0.5 at position 3: a score"),
    "table": (np.ones((3, 3)), r"got an array of shape \(3, 3\)"),
}


@pytest.mark.parametrize(("labels", "wanted"), BAD_CLASSES.values(), ids=BAD_CLASSES)
def test_what_are_no_classes_is_refused(score, labels, wanted):
    with pytest.raises(ValueError, match=f"`labels` .*{wanted}"):
        score(*INTEGERS, labels=labels)


def test_an_iterator_of_classes_is_refused_on_every_path(tmp_path):
    references, predictions = list("abba") * 20, list("abab") * 20
    given = {"reference": references, "prediction": predictions}
    pq.write_table(pa.table(given), tmp_path / "p.parquet", row_group_size=1)
    columns = {"references": "reference", "predictions": "prediction"}
    for call in (
        lambda labels: informedness_score(references, predictions, labels=labels),
        lambda labels: estimate_from_labels(references, predictions, labels=labels),
        lambda labels: compare(references, references, predictions, labels=labels),
        lambda labels: ContingencyTable.from_matrix([[1, 1, 0]] * 3, labels=labels),
        lambda labels: table_from_file(tmp_path / "p.parquet", **columns, labels=labels),
        lambda labels: table_from_frame(pd.DataFrame(given), **columns, labels=labels),
        lambda labels: report(references, predictions, labels=labels),
    ):
        with pytest.raises(TypeError, match=r"`labels` must be .*list\(labels\)"):
            call(iter("cba"))


def test_a_string_is_no_list_of_classes_on_any_path(tmp_path):
    (tmp_path / "p.csv").write_text("reference,prediction\na,a\nb,b\n")
    pair = list("ab"), list("ab")
    columns = {"references": "reference", "predictions": "prediction"}
    frame = pd.DataFrame(dict(zip(columns.values(), pair, strict=True)))
    for call in (
        lambda: informedness_score(*pair, labels="ab"),
        lambda: compare(*pair, pair[0], labels="ab"),
        lambda: ContingencyTable.from_matrix([[1, 2], [3, 4]], labels="ab"),
        lambda: table_from_file(tmp_path / "p.csv", **columns, labels="ab"),
        lambda: table_from_frame(frame, **columns, labels="ab"),
        lambda: report(*pair, labels="ab"),
    ):
        with pytest.raises(ValueError, match=r"`labels` must be a sequence .* got the str 'ab'"):
            call()


NO_OPTIONS = [pd.NA, np.array(["macro", "bias"]), ["macro"], {}]


@pytest.mark.parametrize(
    ("option", "odd"),
    [
        *itertools.product(
            ["average", "unknown", "prior_mode", "confidence_level"], [*NO_OPTIONS, 0, math.nan]
        ),
        *itertools.product(["zero_division"], NO_OPTIONS),
        *itertools.product(["seed"], [*NO_OPTIONS, math.nan]),
    ],
)
def test_an_option_of_an_odd_type_is_refused_by_name(option, odd):
    calls = [informedness_score, estimate_from_labels, compare]
    calls = [call for call in calls if option in inspect.signature(call).parameters]
    assert calls
    for call in calls:
        columns = [[0, 1, 1], [0, 1, 0], [0, 0, 1]][: 3 if call is compare else 2]
        with pytest.raises(ValueError, match=f"`{option}` must "):
            call(*columns, **{option: odd})


# prior: the keys and numbers that are read; test_degenerate.py has its rules


@pytest.mark.parametrize(
    "prior",
    [
        {0: np.float32(0.2), 1: np.float32(0.3), 2: np.float32(0.5)},
        {0: Decimal("0.2"), 1: Fraction(3, 10), 2: np.float64(0.5)},
        {np.int64(2): 0.5, np.uint8(1): 0.3, 0.0: 0.2},
        {0: 0.2 + 1e-9, 1: 0.3, 2: 0.5},
    ],
)
def test_a_prior_is_read_by_key_from_any_real_number(prior):
    wanted = informedness_score(*INTEGERS, prior={0: 0.2, 1: 0.3, 2: 0.5})
    before = dict(prior)
    assert informedness_score(*INTEGERS, prior=prior) == pytest.approx(wanted, abs=1e-7)
    assert prior == before


def test_a_prior_of_strings_for_integers_is_refused():
    with pytest.raises(
        ValueError, match="`prior` must cover every class in the references, 0 is missing"
    ):
        informedness_score(*INTEGERS, prior={"0": 0.2, "1": 0.3, "2": 0.5})


# counts


@pytest.mark.parametrize(
    ("matrix", "wanted"),
    [
        ([[1, 2, 3], [4, 5, 6]], r"`matrix` must be square, got an array of shape \(2, 3\)"),
        ([1, 2], r"`matrix` must be square, got an array of shape \(2,\)"),
        ([[1, -1], [0, 1]], "`matrix` must be finite and not negative, got -1"),
        ([[1, NAN], [0, 1]], "`matrix` must be finite and not negative, got nan"),
        ([["1", "2"], ["3", "4"]], r"`matrix` must hold numbers, got \[\['1'"),
    ],
)
def test_what_is_no_table_of_counts_is_refused(matrix, wanted):
    with pytest.raises(ValueError, match=wanted):
        ContingencyTable.from_matrix(matrix)


def test_labels_of_a_matrix_name_its_rows():
    with pytest.raises(ValueError, match="`labels` must name the 2 rows of `matrix`, got 3"):
        ContingencyTable.from_matrix([[1, 2], [3, 4]], labels=["a", "b", "c"])
    with pytest.raises(ValueError, match="`labels` must list each class once, 'a' is listed twice"):
        ContingencyTable.from_matrix([[1, 2], [3, 4]], labels=["a", "a"])


CROSSED = list("aabb"), list("bbcc")  # informedness -0.5, for all who say b are wrong


def test_a_data_frame_of_counts_is_read_by_its_names():
    table = ContingencyTable.from_matrix(pd.crosstab(*map(np.array, CROSSED)))
    assert table == ContingencyTable.from_labels(*CROSSED)
    assert table.to_dense().tolist() == [[0, 2, 0], [0, 0, 2], [0, 0, 0]]
    with pytest.warns(InformednessWarning, match="'c'"):
        assert table.informedness() == -0.5


@pytest.mark.parametrize("names", ["abc", [0, 1, 2], [7, -3, 2**40], [b"x", b"y", b"z"]])
@pytest.mark.parametrize("seed", range(3))
def test_the_order_of_names_in_a_data_frame_changes_nothing(names, seed):
    rng = np.random.default_rng(seed)
    references, predictions = ([names[code] for code in rng.integers(0, 3, 20)] for _ in range(2))
    frame = pd.crosstab(pd.Series(references), pd.Series(predictions))
    frame = frame.sample(frac=1, random_state=seed).sample(frac=1, axis=1, random_state=seed + 1)
    assert ContingencyTable.from_matrix(frame) == ContingencyTable.from_labels(
        references, predictions
    )
    labels = sorted(names)[::-1]
    assert ContingencyTable.from_matrix(frame, labels=labels) == ContingencyTable.from_labels(
        references, predictions, labels=labels
    )


def test_a_square_frame_keeps_its_classes_and_its_weights():
    frame = pd.DataFrame([[1, 0, 0], [2, 3, 0], [0, 0, 0]], list("bac"), list("bac"))
    table = ContingencyTable.from_matrix(frame)
    assert table.labels == ("a", "b", "c")
    assert table.to_dense().tolist() == [[3, 2, 0], [0, 1, 0], [0, 0, 0]]
    weighted = ContingencyTable.from_matrix(frame / 2, squared_weights=frame / 4)
    assert weighted.to_dense().tolist() == [[1.5, 1, 0], [0, 0.5, 0], [0, 0, 0]]
    assert weighted.squared_weights.tolist() == [0.75, 0.5, 0.25]
    with pytest.raises(ValueError, match="`squared_weights` must have the same index and columns"):
        ContingencyTable.from_matrix(frame / 2, squared_weights=frame.loc[list("abc")])


def test_a_frame_without_names_is_an_array():
    cells = [[3, 1], [0, 2]]
    assert ContingencyTable.from_matrix(pd.DataFrame(cells)) == ContingencyTable.from_matrix(cells)


@pytest.mark.parametrize(
    ("frame", "wanted"),
    [
        (
            pd.DataFrame([[1, 2], [3, 4]], columns=["a", "b"]),
            r"only numbers as its index and \['a', 'b'\] as its columns: .*matrix.to_numpy\(\)",
        ),
        (pd.DataFrame([[1, 2], [3, 4]], columns=[3, 5]), r"numbers as its index and \[3, 5\]"),
        (
            pd.DataFrame([[1, 2], [3, 4]], index=["a", "b"]),
            r"\['a', 'b'\] as its index and only numbers as",
        ),
        (pd.DataFrame([[1, 2, 3], [3, 4, 5]]), "must name its rows as it names its columns"),
        (pd.DataFrame([[1, 2], [3, 4]], ["a", "b"], [1, 2]), "`matrix.columns` must .* same type"),
        (pd.DataFrame([[1, 2], [3, 4]], ["a", "a"], ["a", "b"]), "`matrix.index` .* 'a' .* twice"),
        (
            pd.DataFrame([[1, 2], [3, 4]], ["a", "b"], ["b", "b"]),
            "`matrix.columns` .* 'b' .* twice",
        ),
        (pd.DataFrame([[1, 2], [3, 4]], ["a", None], ["a", "b"]), "`matrix.index` .* missing"),
        (pd.DataFrame([[1, None], [3, 4]], ["a", "b"], ["a", "b"]), "`matrix` must be finite"),
        (pd.crosstab(*map(np.array, CROSSED), margins=True), "sums .* 'All': leave them out"),
        (pd.DataFrame({("a", 1): [1], ("b", 2): [1]}, index=["a"]), "`matrix.columns` .* label"),
        (pl.DataFrame({"a": [1, 3], "b": [2, 4]}), "got a polars DataFrame: .* labels="),
        (pa.table({"a": [1, 3], "b": [2, 4]}), "got a pyarrow Table: .* labels="),
    ],
)
def test_a_frame_that_does_not_say_what_its_rows_are_is_refused(frame, wanted):
    with pytest.raises(ValueError, match=wanted):
        ContingencyTable.from_matrix(frame)


def test_counts_beyond_32_bits_are_added_exactly():
    table = ContingencyTable.from_counts([0, 0, 1], [0, 0, 1], [2**53, 1, 2**31])
    assert table.total == 2**53 + 1 + 2**31
    with pytest.raises(ValueError, match=r"`counts` must sum to .* below 2\*\*63"):
        ContingencyTable.from_counts([0, 1], [0, 1], [2**62, 2**62])


@pytest.mark.parametrize("count", [2.0**63, 1e30])
def test_whole_counts_beyond_64_bits_are_refused_whatever_their_type(count):
    with pytest.raises(ValueError, match=r"`counts` must .* below 2\*\*63, got [129]"):
        ContingencyTable.from_counts([0, 1], [0, 1], [count, 1.0])


def test_counts_are_summed_exactly_up_to_64_bits():
    for counts in ([2**62, 2**62 - 1], [2.0**62, 2.0**62 - 512]):
        table = ContingencyTable.from_counts([0, 1], [0, 1], counts)
        assert table.total == table.n_samples == sum(map(int, counts))


@pytest.mark.parametrize("weights", [[2.0**63, 0.5], [1e30, 0.5], [1e300, 1e300 / 3]])
def test_sums_of_weights_may_be_as_large_as_weights(weights):
    expected = ContingencyTable.from_labels([0, 1], [0, 1], sample_weight=weights)
    for known in ({"n_samples": [1, 1]}, {"squared_weights": [1, 1]}):
        table = ContingencyTable.from_counts([0, 1], [0, 1], weights, **known)
        assert table.counts.tolist() == expected.counts.tolist()
    table = ContingencyTable.from_counts([0, 1], [0, 1], [*weights[:1], 0.5])
    assert table.counts.tolist() == [weights[0], 0.5]
    assert table.n_samples is None


def test_sums_of_weights_must_be_finite_and_not_all_0():
    with pytest.raises(ValueError, match="`counts` must have a finite sum, got one beyond 1e308"):
        ContingencyTable.from_counts([0, 1], [0, 1], [1e308, 1e308], n_samples=[1, 1])
    for known in ({}, {"squared_weights": [0, 0]}, {"n_samples": [0, 0]}):
        with pytest.raises(ValueError, match=r"`counts` must sum to more than 0 .*, got 0"):
            ContingencyTable.from_counts([0, 1], [0, 1], [0.0, 0.0], **known)
    table = ContingencyTable.from_counts([0] * 4, [1] * 4, [2**62] * 4, n_samples=[1] * 4)
    assert table.total == 2.0**64


@pytest.mark.parametrize(
    ("n_samples", "wanted"),
    [
        ([1, 0.5], r"whole numbers, 0 only where `counts` is 0, got 0\.5"),
        ([1, 1.5], r"whole numbers, .*, got 1\.5"),
        ([1, 0], "whole numbers, 0 only where `counts` is 0, got 0"),
        ([1, -1], "finite and not negative, got -1"),
        ([1], r"2 numbers, one per pair, got shape \(1,\)"),
        (2, r"2 numbers, one per pair, got shape \(\)"),
        (["1", "1"], "hold numbers"),
    ],
)
def test_a_number_of_samples_for_each_pair_is_asked_for(n_samples, wanted):
    with pytest.raises(ValueError, match=f"`n_samples` must .*{wanted}"):
        ContingencyTable.from_counts([0, 1], [0, 1], [1.5, 2], n_samples=n_samples)


def test_a_count_for_each_pair_is_asked_for():
    with pytest.raises(ValueError, match=r"`counts` must be 2 numbers, .* got shape \(3,\)"):
        ContingencyTable.from_counts([0, 1], [0, 1], [1, 2, 3])
    with pytest.raises(ValueError, match=r"`counts` must be 2 numbers, .* got shape \(2, 1\)"):
        ContingencyTable.from_counts([0, 1], [0, 1], [[1], [2]])


COUNTED_OPTIONS = {
    "none": {},
    "declared": {"labels": [9, 3, 2, 1, 0, -7]},
    "ignored": {"ignore_index": -7},
    "ignored, though no reference has it": {"ignore_index": 5},
    "unknown": {"labels": [1, 0, 2, -7], "unknown": "wrong"},
    "unknown and ignored": {"labels": [2, 1, 0], "unknown": "wrong", "ignore_index": -7},
    "none unknown": {"labels": range(-9, 10), "unknown": "wrong"},
}
PAIRS = [-7, 0, 1, 1, 2, 2, 2, 0, 8], [1, 0, 1, 9, 3, 2, 9, 1, 7]
REPEATS = [4, 2, 3, 1, 2, 5, 1, 1, 0]  # the last, of no sample, has labels of its own


@pytest.mark.parametrize("make", [list, np.array, pd.Series])
@pytest.mark.parametrize("kind", [int, str])
@pytest.mark.parametrize("options", COUNTED_OPTIONS.values(), ids=COUNTED_OPTIONS)
def test_options_mean_for_counts_what_they_mean_for_the_samples_counted(options, kind, make):
    options = dict(options)
    if "labels" in options:
        options["labels"] = list(map(kind, options["labels"]))
    if "ignore_index" in options:
        options["ignore_index"] = kind(options["ignore_index"])
    pair = [make(list(map(kind, side))) for side in PAIRS]
    samples = [np.repeat(side, REPEATS) for side in pair]
    expected = ContingencyTable.from_labels(*samples, **options)
    for counts in (REPEATS, np.array(REPEATS, float)):
        assert ContingencyTable.from_counts(*pair, counts, **options) == expected
    weights = np.arange(len(samples[0])) % 5 / 4  # sums are exact; some are 0
    weighted = ContingencyTable.from_labels(*samples, sample_weight=weights, **options)
    last = np.cumsum(REPEATS)
    sums, squares, numbers = (
        [float(amounts[end - n : end].sum()) for end, n in zip(last, REPEATS, strict=True)]
        for amounts in (weights, weights**2, weights > 0)
    )
    known = {"squared_weights": squares, "n_samples": numbers}
    assert ContingencyTable.from_counts(*pair, sums, **known, **options) == weighted
    counted = samples[0] != options.get("ignore_index")
    assert expected.n_samples == expected.total == counted.sum()
    assert weighted.n_samples == (counted & (weights > 0)).sum()


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"unknown": "wrong"}, '`unknown` can be "wrong" only with `labels`'),
        ({"unknown": "drop"}, "`unknown` must be one of"),
        ({"labels": ["a"]}, "`labels` must list every prediction, 'b' is missing"),
        (
            {"labels": ["b"], "unknown": "wrong"},
            "`labels` must list every reference, 'a' is missing",
        ),
        ({"labels": []}, "`labels` must list at least one class, got none"),
        ({"ignore_index": 1}, "`ignore_index` must hold labels of the same type as `references`"),
        ({"ignore_index": 0.5}, "`ignore_index` must hold labels .* got 0.5"),
        ({"ignore_index": "a"}, "none is left: all are ignored"),
    ],
)
def test_options_are_refused_for_counts_as_for_samples(options, wanted):
    for make in (ContingencyTable.from_labels, ContingencyTable.from_counts):
        counts = [[3, 1]] if make == ContingencyTable.from_counts else []
        with pytest.raises(ValueError, match=wanted):
            make(["a", "a"], ["a", "b"], *counts, **options)


def test_minus_100_left_in_counts_is_warned_of():
    pairs = [-100, 1], [0, 1], [2, 3]
    with pytest.warns(InformednessWarning, match="-100 among the references counts as") as caught:
        ContingencyTable.from_counts(*pairs)
    assert len(caught) == 1
    assert caught[0].filename == __file__
    ContingencyTable.from_counts(*pairs, ignore_index=-100)
    ContingencyTable.from_counts(*pairs, ignore_index=7)
    ContingencyTable.from_counts(*pairs, labels=[-100, 0, 1])
    ContingencyTable.from_counts([-100, 1], [0, 1], [0, 3])
    ContingencyTable.from_counts([0, 1], [-100, 1], [2, 3])


def test_minus_100_left_in_is_warned_of(score):
    with pytest.warns(InformednessWarning, match="-100 among the references counts as a class"):
        score([*INTEGERS[0], -100], [*INTEGERS[1], 0])
