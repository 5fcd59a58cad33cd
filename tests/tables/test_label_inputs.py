"""Odd and bad inputs: what is no label is refused by name, any container of labels is read.

Covers src: core/labels.py, functions.py, tables/contingency.py,
tables/label_options.py, tables/matrix.py.
"""

import enum
import inspect
import math
import pickle
import tracemalloc
from collections import Counter, deque
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse

from informedness import compare, estimate, informedness_score, nit_score, report
from informedness.core.labels import read_column
from informedness.core.scores import mutual_information
from inputs import tensors
from inputs.cases import warned
from inputs.containers import ONLY, TEXT, arrow, chunked, containers_of, numpy, series
from inputs.tables import table_of, table_of_labels, table_of_pairs
from oracles import dense
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py

READERS = {  # each with what it calls its first two arguments; a number or a table comes back
    informedness_score: ("y_true", "y_pred"),
    nit_score: ("y_true", "y_pred"),
    table_of_labels: ("references", "predictions"),
}
INTEGERS = [0, 1, 2, 1, 0, 2], [0, 1, 2, 0, 0, 1]
BOOLS = [True, False, True, False, False]
NAN, INF = math.nan, math.inf


SAMPLES = [
    ("small integers", INTEGERS[0]),
    ("integers", [-(2**63), 2**53, 2**53 + 1, 5]),
    ("integers beyond int64", [2**63, 2**64 - 1, 2**64 - 2, 0]),
    ("strings", ["a", "a\0", "", "a\0\0"]),
    ("strings", [f"a long name of the class {number} of ten" for number in range(10)]),
    ("strings", ["ab" * number for number in range(10)]),
    ("strings", ["да", "нет", "好", "不好", "é", "e\u0301", "🎯", "", "a", "и "]),
    ("bytes", [b"a", b"a\0", b"", b"\xff"]),
    ("bytes", [b"a", b"b", b"c", b"b"]),
    ("bools", BOOLS),
]
CONTAINERS = sorted({name for kind in ONLY for name in containers_of(kind, [])})


@pytest.mark.parametrize("name", CONTAINERS)
def test_a_container_of_labels_is_the_list_of_them(name):
    made = [(containers_of(kind, labels).get(name), labels) for kind, labels in SAMPLES]
    made = [(make, labels) for make, labels in made if make]
    assert made
    for make, references in made:
        predictions = references[::-1]
        column = read_column(make(references), "references").tolist()
        assert column == references
        assert {type(label) for label in column} <= {int, str, bytes}
        for read in READERS:
            wanted = read(references, predictions)
            assert read(make(references), make(predictions)) == wanted, references
            assert read(references, make(predictions)) == wanted, references


def test_inputs_are_left_as_they_were():
    for make in (list, np.array, series(None), pl.Series, *tensors.MAKERS):
        given = [make(side) for side in INTEGERS]
        given += make([0.5, 0.0, 1.0, 2.0, 0.25, 1.0]), make([2, 1, 0])
        before = pickle.dumps(given)
        for read in READERS:
            read(*given[:2], sample_weight=given[2], labels=given[3], ignore_index=2)
        assert pickle.dumps(given) == before


LONG = "x" * 10**6


def test_long_labels_and_many_classes_take_little_memory():
    long, many = [LONG, *"ab" * 50], np.arange(100_000)
    for references, predictions, wanted, most_bytes in (
        (long, long, 1, 10**6),  # padded to no sample
        (many, np.roll(many, 1), -1 / 99_999, 10**8),  # squared: 80 GB
    ):
        tracemalloc.start()
        assert informedness_score(references, predictions) == close(wanted)
        assert tracemalloc.get_traced_memory()[1] < most_bytes
        tracemalloc.stop()


# What is refused: values that are no labels, as references and as predictions


NO_LABELS = {
    "None": (None, "must be a sequence of labels.* got None"),
    "str": ("012102", "must be a sequence of labels.* got '012102'"),
    "dict": (dict.fromkeys(range(6)), "must be a sequence of labels.* got {0: None"),
    "iterator": (iter(INTEGERS[0]), r"iterator.*Pass list\("),  # only the first reader would see it
    "pairs": (pd.MultiIndex.from_tuples([(1, 2), (3, 4)]), "must hold"),
    "columns named as attributes": (pd.DataFrame({"codes": [1], "categories": [1]}), "must hold"),
    "row": (np.array([INTEGERS[0]]), r"got an array of shape \(1, 6\)"),
    "logits": (np.ones((6, 3)), r"got an array of shape \(6, 3\).*argmax"),
    "logits in lists": ([[0.25, 0.75]] * 6, r"\[0.25, 0.75\].*argmax"),
    "one logit a sample": (np.full((6, 1), -0.7), r"got -0.7 at .* score.*logits.argmax\(axis=1\)"),
    "one logit in lists": ([[0.7]] * 6, r"got \[0.7\] at position 0: .*logits.argmax\(axis=1\)"),
    "longdouble score": (np.array([0.5, 0, 0, 0, 0, 0], "g"), "0.5.* at position 0"),
    "Decimal": ([0, Decimal(1), 2, 1, 0, 2], r"got Decimal\('1'\) at position 1: not a label"),
    "scores of pandas": (pd.Categorical([0.5, 1]), "got 0.5 at position 0"),
    "mixed categories": (pd.Categorical(["a", 1]), "one type"),
    "negative beyond 64 bits": ([0, -(2**63) - 1, 2, 1, 0, 2], "at most 64 bits, got -92233"),
    "float beyond 64 bits": ([0, 1e300, 2, 1, 0, 2], "at most 64 bits, got 1000"),
    "plain Enum": ([enum.Enum("Colour", "RED")(1)] * 6, "Colour.RED.* at position 0: not a label"),
    "sparse matrix": (scipy.sparse.csr_matrix([INTEGERS[0]]), "[Ss]parse"),
    **tensors.NO_LABELS,
    "strings and bytes": (["a", b"a"] * 3, "one type, got .*b'a'"),
    "masked array": (np.ma.array(INTEGERS[0], mask=[0, 0, 1, 0, 0, 0]), "masked"),
    "masked entries in a list": (list(np.ma.array(INTEGERS[0], mask=[0, 0, 1, 0, 0, 0])), "masked"),
    "pyarrow null": (pa.nulls(6), "at position 0: a missing value"),
    "NaT in a list": ([*INTEGERS[0][:5], pd.NaT], "at position 5: a missing value"),
    "nan beside text": ([*"abcba", NAN], "at position 5: a missing value"),
}
for kind in ("M8[D]", "M8[ns]", "m8[s]"):
    dates = np.arange(6).astype(kind)
    boxes = dates, [*dates], [*map(np.array, dates)], np.array([*dates, None], object)[:-1]
    NO_LABELS |= {f"{kind} {i}": (box, "at position 0: a d") for i, box in enumerate(boxes)}
if TEXT:
    gap = np.array([*"abcba", NAN], TEXT(na_object=NAN))
    NO_LABELS["nan in StringDType"] = gap, "at position 5: a missing value"
for index, names in ((-1, ["a", "b"]), (2, [7, 8])):
    codes = pa.array([0, 1, 0, 1, index, 1], pa.int8())
    array = pa.DictionaryArray.from_arrays(codes, pa.array(names), safe=False)
    chunks = pa.chunked_array([array[:2], array])[2:]
    boxes = array, chunks, pd.Series(pd.array(array, pd.ArrowDtype(array.type)))
    said = f"indices invalid: .* {index}"
    NO_LABELS |= {f"index {index}, {type(box).__name__}": (box, said) for box in boxes}


@pytest.mark.parametrize(("values", "wanted"), NO_LABELS.values(), ids=NO_LABELS)
def test_what_is_no_label_is_refused_by_name(values, wanted):
    for read, names in READERS.items():
        for sides, name in (((values, INTEGERS[0]), names[0]), ((INTEGERS[0], values), names[1])):
            with pytest.raises((ValueError, TypeError), match=f"(?s)`{name}`:? .*{wanted}"):
                read(*sides)


def test_columns_and_classes_that_do_not_go_together_are_refused():
    no_sample = "expected at least one sample to score, got 0 samples"
    nothing = np.array([], str)
    for references, predictions, labels, wanted in (
        (INTEGERS[0], INTEGERS[1][:5], None, r"PREDICTIONS \(5\) and REFERENCES \(6\)"),
        (np.array(INTEGERS[0])[:, None], [1], None, r"PREDICTIONS \(1\) and REFERENCES \(6\)"),
        (nothing, pd.Series([], dtype=object), None, no_sample),
        (BOOLS, ["True"] * 5, None, "strings such as 'True' but integers"),
        (*INTEGERS, [0, 1, 2, 2.0], "`labels` must list each class once; 2 is listed twice"),
        (*INTEGERS, ["0", "1", "2"], "`labels` .* same type as `REFERENCES`.* such as '0'"),
        (*INTEGERS, {0: "a", 1: "b"}, "`labels` must be a sequence .* got {0: 'a'"),
        (*INTEGERS, [], "`labels` must list at least one class, got none"),
        (*INTEGERS, [0, 1, 2, None], "`labels` .*got None at position 3: a missing value"),
        (*INTEGERS, iter([0, 1, 2]), r"`labels` .*iterator.*Pass list\(labels\)"),
        (["a", "b"], ["a", LONG], ["a", "b"], "every prediction; .{100,200}$"),  # not a flood
    ):
        for read, names in READERS.items():
            named = wanted.replace("REFERENCES", names[0]).replace("PREDICTIONS", names[1])
            with pytest.raises((ValueError, TypeError), match=named):
                read(references, predictions, labels=labels)


WEIGHTS = [1, 2, 3, 0, 5, 1]
WEIGHT_CONTAINERS = [
    *(tuple, deque, np.ma.array, pl.Series, series(float), series("Float64")),
    *map(numpy, ("f2", "f4", "longdouble", ">f8", "i1", "u8", "O")),
    *(arrow(pa.float64()), chunked(pa.float32())),
    *(lambda values, kind=kind: list(map(kind, values)) for kind in (Decimal, Fraction)),
    lambda values: np.repeat(values, 2)[::2],
    *tensors.FLAT.values(),
]


def test_a_container_of_weights_is_the_list_of_them_by_position():
    for read in READERS:
        wanted = read(*INTEGERS, sample_weight=WEIGHTS)
        for make in WEIGHT_CONTAINERS:
            weights = make(WEIGHTS)
            assert read(*INTEGERS, sample_weight=weights) == wanted, weights


def test_equal_weights_of_any_size_are_no_weights():
    plain = report(*INTEGERS).scores
    for scale in (True, 5e-324, 1e-161, 1e-150, 1e9, 1e150, 1e300):
        options = {"sample_weight": [scale] * 6}
        assert report(*INTEGERS, **options).scores == close(plain), scale
        if 1e-150 <= scale <= 1e150:
            found = estimate(*INTEGERS, **options).standard_error
            assert found == close(estimate(*INTEGERS).standard_error), scale
        else:  # whose squares no float can hold
            with pytest.raises(ValueError, match="weights between 1e-150 and 1e150"):
                estimate(*INTEGERS, **options)


BAD_WEIGHTS = {
    **{f"{x}": ([1] * 5 + [x], f"finite and not negative, got {x}") for x in (-0.5, NAN, INF)},
    "signaling nan": ([Decimal("sNaN")] * 6, "must hold numbers, got .*sNaN"),
    "duration": ([np.timedelta64(1), *[Decimal(1)] * 5], "must hold numbers, got .*timedelta64"),
    "sum beyond float64": ([1e308] * 6, "finite sum"),
    "integer beyond float64": ([10**400] * 6, "1000"),
    "None": ([1] * 5 + [None], "must hold numbers, got .*None"),
    "strings": (["1"] * 6, "must hold numbers, got '1'"),
    "complex": ([1j] * 6, "must hold numbers, got 1j"),
    "column": (np.ones((6, 1)), r"one weight for each sample, got an array of shape \(6, 1\)"),
    "ragged": ([[1], [1, 2], 1, 1, 1, 1], r"\[1, 2\]"),
    "scalar": (2.0, r"got an array of shape \(\) for 6 samples"),
    "too few": ([1] * 5, r"got an array of shape \(5,\) for 6 samples"),
    "masked": (np.ma.array([1.0] * 6, mask=[1, 0, 0, 0, 0, 0]), "masked"),
    **tensors.NO_WEIGHTS,
    "pandas with NA": (pd.Series([1] * 5 + [None], dtype="Int64"), "got nan|NA"),
    "pyarrow with null": (pa.array([1.0] * 5 + [None]), "got nan"),
}


@pytest.mark.parametrize(("weights", "wanted"), BAD_WEIGHTS.values(), ids=BAD_WEIGHTS)
def test_what_is_no_weight_is_refused(weights, wanted):
    for read in READERS:
        with pytest.raises(ValueError, match=f"(?s)`sample_weight` .*({wanted})"):
            read(*INTEGERS, sample_weight=weights)


def test_an_option_of_an_odd_type_is_refused_by_name():
    odd = pd.NA, np.array(["macro", "bias"]), ["macro"], {}
    options = "average", "unknown", "prior_mode", "confidence_level", "zero_division"
    for call, n in ((informedness_score, 2), (estimate, 2), (compare, 3)):
        for option in inspect.signature(call).parameters.keys() & {*options}:
            for value in odd if option == "zero_division" else (*odd, 0, NAN):
                with pytest.raises(ValueError, match=f"`{option}` must "):
                    call(*([0, 1, 1], [0, 1, 0], [0, 0, 1])[:n], **{option: value})


FOUR = [[1, 2], [3, 4]]


def test_what_is_no_table_of_counts_is_refused():
    frame = pd.DataFrame
    for matrix, wanted in (
        ([[1, 2, 3], [4, 5, 6]], r"`matrix` must be square, got .* shape \(2, 3\)"),
        ([[1, -1], [0, 1]], "`matrix` must be finite and not negative, got -1"),
        ([["1", "2"], ["3", "4"]], "`matrix` must hold numbers, got '1'"),
        (np.zeros((3, 3)), r"`counts` must sum to more than 0, got 0"),
        # data frames that do not say what their rows are
        (frame(FOUR, columns=["a", "b"]), r"got \[0, 1\] as its index .*matrix.to_numpy\(\)"),
        (frame([[1, 2, 3], [3, 4, 5]]), "must name its rows like its columns"),
        (frame(FOUR, ["a", "b"], [1, 2]), "`matrix.columns` must .* same type"),
        (frame(FOUR, ["a", "a"], ["a", "b"]), "`matrix.index` .* 'a' .* twice"),
        (frame(FOUR, ["a", "b"], ["b", "b"]), "`matrix.columns` .* 'b' .* twice"),
        (frame(FOUR, ["a", None], ["a", "b"]), "`matrix.index` .* missing"),
        (frame({("a", 1): [1], ("b", 2): [1]}, index=["a"]), "`matrix.columns` .* label"),
        (pl.DataFrame({"a": [1, 3], "b": [2, 4]}), "must name its rows like its columns.* labels="),
    ):
        with pytest.raises(ValueError, match=wanted):
            table_of(matrix)
    with pytest.raises(ValueError, match="`labels` must name the 2 rows of `matrix`, got 3"):
        table_of(FOUR, labels=["a", "b", "c"])


def test_a_frame_of_counts_is_read_by_name_in_any_order():
    codes = np.random.default_rng(0).integers(0, 3, (2, 20))
    for names in ("abc", [7, -3, 2**40], [b"x", b"y", b"z"]):
        pair = [[names[code] for code in side] for side in codes]
        frame, wanted = pd.crosstab(*map(pd.Series, pair)), table_of_labels(*pair)
        moved, labels = frame.iloc[[0, 2, 1], [2, 0, 1]], sorted(names)[::-1]
        assert table_of(moved) == wanted
        assert table_of(moved, labels=labels) == table_of_labels(*pair, labels=labels)
        weighted = table_of(frame / 2, squared_weights=frame / 4)
        assert weighted.squared_weights.tolist() == (wanted.counts / 4).tolist()
        with pytest.raises(ValueError, match="`squared_weights` must have the same index and col"):
            table_of(frame / 2, squared_weights=frame.iloc[::-1] / 4)
    assert table_of(pd.DataFrame(frame.to_numpy())) == table_of(frame.to_numpy())
    crossed = np.array([[*"aabb"], [*"bbcc"]])  # of which no class is on both sides
    assert table_of(pd.crosstab(*crossed)) == table_of_labels(*crossed)


def test_counts_are_summed_exactly_up_to_64_bits():
    for counts in ([2**53, 1], [2**62, 2**62 - 1], [2.0**62, 2.0**62 - 512]):
        table = table_of_pairs([0, 0], [0, 0], counts)
        assert table.total == table.n_samples == sum(map(int, counts))
    for weights in ([2.0**63, 0.5], [1e300, 1e300 / 3]):
        for known in ({"n_samples": [1, 1]}, {"squared_weights": [1, 1]}):
            assert table_of_pairs([0, 1], [0, 1], weights, **known).counts.tolist() == weights


def test_numbers_that_cannot_be_of_the_pairs_are_refused():
    for counts, n_samples, wanted in (
        ([2**62, 2**62], None, r"`counts` must sum to less than 2\*\*63, got 9"),
        ([1e30, 1.0], None, r"`counts` must sum to less than 2\*\*63, got 1"),
        (np.array([1, 2**63], np.uint64), None, r"`counts` must hold numbers below 2\*\*63, got 9"),
        ([1e308, 1e308], [1, 1], "`counts` must have a finite sum, got a sum above 1e308"),
        ([1.5, 2], [1, 1.5], r"`n_samples` must be whole numbers, .*, got 1\.5"),
        ([1.5, 2], [1, 0], "whole numbers, and 0 only where `counts` is 0, got 0"),
        ([1.5, 2], [1, -1], "`n_samples` must be finite and not negative, got -1"),
        ([1.5, 2], [1], r"`n_samples` must have shape \(2,\), got \(1,\)"),
        ([[1], [2]], None, r"`counts` must have shape \(2,\), got \(2, 1\)"),
    ):
        with pytest.raises(ValueError, match=wanted):
            table_of_pairs([0, 1], [0, 1], counts, n_samples=n_samples)


def test_options_treat_sums_of_weights_like_samples():
    """test_every_path.py has them for counts."""
    samples = [7, 7, 0, 0, 0, 1], [1, 1, 0, 0, 0, 9]
    options = {"labels": [1, 0], "unknown": "wrong", "ignore_index": 7}
    expected = table_of_labels(*samples, sample_weight=[1, 0.5, 1, 0.5, 2, 3], **options)
    sums = {"squared_weights": [1.25, 5.25, 9], "n_samples": [2, 3, 1]}
    assert table_of_pairs([7, 0, 1], [1, 0, 9], [1.5, 3.5, 3], **sums, **options) == expected


# Every way labels are coded and pairs counted gives the counts that a Counter gives


def cells(table):
    """The cells of a table by their labels."""
    names = table.labels
    codes = zip(table.rows.tolist(), table.columns.tolist(), strict=True)
    return dict(zip([(names[i], names[j]) for i, j in codes], table.counts.tolist(), strict=True))


SPREAD = {
    "small": lambda codes: codes,
    "negative": lambda codes: codes - 5,
    "far from 0": lambda codes: codes + 2**40,
    "with gaps": lambda codes: codes * 10**12 - 7,
    "one outlier": lambda codes: np.where(codes == 1, 2**40, codes),
    **{
        f"{late} comes last": lambda codes, late=late: np.append(codes[:-1], late)
        for late in (900, 5000, -1, 2**40, 2**63 - 1)
    },
    "the ends of int64": lambda codes: np.where(codes % 2, 2**63 - 1 - codes, -(2**63) + codes),
    "uint64": lambda codes: np.uint64(2**64 - 1) - codes.astype(np.uint64),
    "uint16": lambda codes: codes.astype(np.uint16),
    "hashed": lambda codes: codes * 0x9E3779B97F4A7C1 % (2**62),
    "strings": lambda codes: codes.astype(str),
    "str objects": lambda codes: codes.astype(str).astype(object),
    "bytes": lambda codes: codes.astype("S"),
}


@pytest.mark.parametrize("kind", SPREAD)
def test_labels_however_they_lie_are_counted_exactly(kind):
    rng = np.random.default_rng(1)
    weights = rng.integers(0, 5, 3000) / 4
    for k in (1, 10, 16, 17, 2000):
        codes, guesses = rng.integers(0, k, (2, 3000))
        sides = [SPREAD[kind](x) for x in (codes, np.where(weights > 0.5, codes, guesses))]
        pairs = list(zip(*(side.tolist() for side in sides), strict=True))
        table = table_of_labels(*sides)
        assert cells(table) == Counter(pairs), k
        assert list(table.labels) == sorted({label for pair in pairs for label in pair})
        assert table.n_samples == 3000
        for side in sides:
            assert read_column(side, "x").tolist() == side.tolist(), k
        weighted = table_of_labels(*sides, sample_weight=weights)
        sums, squares = Counter(), Counter()
        for pair, weight in zip(pairs, weights.tolist(), strict=True):
            if weight:
                sums[pair] += weight
                squares[pair] += weight**2
        assert cells(weighted) == sums, k
        found = zip(cells(weighted), weighted.squared_weights.tolist(), strict=True)
        assert dict(found) == squares, k
        assert weighted.n_samples == (weights > 0).sum()


@pytest.mark.parametrize("n", [2**20, 2**20 + 3])
def test_a_million_pairs_are_counted_exactly(n):
    r, p = np.random.default_rng(n).integers(0, 12, (2, n))
    counts = np.bincount(12 * r + p, minlength=144).reshape(12, 12)
    assert np.array_equal(table_of_labels(r, p).to_dense(), counts)
    for far in (2**60, -(2**63)):  # of which no bit is left where they are shifted
        for odd in ([far, 0], [0, far]):  # in the last block
            r[-1], p[-1] = odd
            assert cells(table_of_labels(r, p))[tuple(odd)] == 1


LACKING = {
    "bools": [True, False, False, True, False],
    "strings": ["a", "a\0", "", "a", "a\0"],
    "bytes": [b"a", b"a\0", b"", b"a", b"a\0"],
    "small integers": [3, 1, 0, 3, 1],
    "integers": [2**60 + 1, 2**60, -7, 2**60 + 1, 2**60],
}
CANNOT_LACK = TypeError, ValueError, RuntimeError, pa.ArrowException, pl.exceptions.PolarsError
ROUNDING = [x for x in CONTAINERS if x.startswith("pandas")]
MAKING_A_LABEL = {"numpy StringDType", "list of numpy bools"}  # of None: "None" and False


@pytest.mark.filterwarnings("ignore:.*NaN.*:RuntimeWarning")
@pytest.mark.parametrize("name", sorted({*CONTAINERS} - MAKING_A_LABEL))
def test_missing_predictions_are_wrong_in_any_container(name):
    for kind, references in LACKING.items():
        make = containers_of(kind, references).get(name)
        if make is None or (kind == "integers" and name in ROUNDING):  # beside a null
            continue
        options = {"unknown": "wrong", "labels": list(dict.fromkeys(references))}
        for place in (0, 2, 4):
            lacking = [None if i == place else x for i, x in enumerate(references)]
            try:
                made = make(lacking)
            except CANNOT_LACK:
                continue
            wanted = Counter(zip(references, lacking, strict=True))
            assert cells(table_of_labels(references, made, **options)) == wanted
            for sides in ((references, made), (made, references)):
                with pytest.raises(ValueError, match=r"a missing value|masked"):
                    table_of_labels(*sides)
        if "dictionar" in name:  # of which all values are unused
            table = table_of_labels(references[:1], make([*references, None])[-1:], **options)
            assert cells(table) == {(references[0], None): 1}


def test_only_the_labels_of_a_container_matter():
    """Categories that are no labels, repeat or do not occur."""
    full = pl.Series(["a"] * 20_000 + ["c", "b", "a"], dtype=pl.Categorical)
    for container, labels in (
        *((part, part.to_list()) for part in (full, full.filter(full != "c"), full[-3:-1])),
        (pa.DictionaryArray.from_arrays([0, 1, 2, 2], ["a", "b", "a", "never"]), [*"abaa"]),
        (pd.Categorical(["b", "a"], categories=["b", 1, 0.5, "a"]), ["b", "a"]),
        (pd.Categorical([1.0, 2.0], categories=[0.5, 2.0, 1.0]), [1, 2]),
        (pd.RangeIndex(2), [0, 1]),
        (pd.Series(pd.arrays.SparseArray([0, 1])), [0, 1]),
        (pl.Series([1.0, 2.0], dtype=pl.Float32), [1, 2]),
        (np.array(["a", "b"]).view(np.char.chararray), ["a", "b"]),
        (np.array([1, 2]).view(np.memmap), [1, 2]),
    ):
        table = table_of_labels(container, labels)
        assert cells(table) == Counter(zip(labels, labels, strict=True))


@pytest.mark.slow
@pytest.mark.parametrize(("k", "cell", "noise"), [(300, 10**6, 40), (10, 10**9, 30_000)])
def test_mutual_information_near_zero_is_exact_to_1e_15(k, cell, noise):
    matrix = cell + np.random.default_rng(0).integers(-noise, noise + 1, (k, k))
    with mpmath.workdps(40):
        exact = dense.information(matrix.tolist()) / mpmath.log(2)
    assert 1e-11 < exact < 2e-9
    value = mutual_information(table_of(matrix))
    assert value == pytest.approx(float(exact), rel=0, abs=1e-15)


# Confusion matrices: totals are refused, and what else looks odd is scored with a warning

OF_TWO = np.repeat(["no", "yes"], 12), np.repeat(["no", "yes", "no", "yes"], [10, 2, 3, 9])
OF_THREE = np.array([*"aabbccca"]), np.array([*"ababcbca"])


@pytest.mark.parametrize("name", ["All", "合計", ""])
@pytest.mark.parametrize("sides", [OF_TWO, OF_THREE])
@pytest.mark.parametrize("normalize", [False, True])
def test_margins_in_a_matrix_are_refused_unless_a_class(name, sides, normalize):
    frame = pd.crosstab(*sides, margins=True, margins_name=name, normalize=normalize)
    wanted = "row and column of `matrix` are totals. .* If they are a class, pass labels="
    for matrix in (frame, frame.to_numpy(), frame.to_numpy().tolist()):
        with pytest.raises(ValueError, match=wanted):
            table_of(matrix)
    table = table_of(frame.to_numpy(), labels=[*np.unique(sides), name])
    assert np.array_equal(table.to_dense(), frame.to_numpy())


SHARES = pd.crosstab(*OF_THREE, normalize="index").to_numpy()
WITH_TOTALS = pd.crosstab(*OF_THREE, margins=True)
ODD_MATRICES = [  # and whether they are warned of as shares of the rows
    (SHARES, True),
    (np.full((3, 3), 0.33), True),
    (SHARES * [[1], [0], [1]], True),  # of a class without references
    (pd.crosstab(*OF_THREE, normalize=True), False),
    (SHARES * 1.03, False),
    (SHARES * 100, True),
    (np.full((3, 3), 100), False),  # whole numbers are counts
    (np.eye(3), False),
    # no sums on both sides
    (np.full((2, 2), 5), False),
    (np.diag([0, 5, 5]), False),
    (np.array([[10, 2, 12], [3, 9, 12], [13, 11, 25]]), False),
    (WITH_TOTALS.iloc[:, :3], False),  # a class that is never predicted
    (WITH_TOTALS.iloc[:3], False),
    (scipy.sparse.coo_matrix(np.diag([1, 2, 3])), False),
]


@pytest.mark.parametrize(("matrix", "is_warned"), ODD_MATRICES)
def test_other_matrices_are_scored_and_shares_of_rows_warned_of(matrix, is_warned):
    table, said = warned(table_of, matrix)
    assert table.total == pytest.approx(np.sum(matrix.sum()))
    assert any(f"each row of `matrix` sums to about {n}." in said for n in (1, 100)) == is_warned


SWAPPED = [
    *[("Predictions", "label"), ("y_pred", "y_true"), ("yPred", "target")],
    *[("Predicted label", "True label"), ("hypothesis", "reference")],
]
NOT_SWAPPED = [
    *[("label", "model"), ("predicted", "predicted_again"), ("gold", "true")],
    *[("true_pred", "label"), ("prognosis", "reflex"), (0, ("pred", 1))],
]


def test_swapped_axis_names_are_warned_of():
    for rows, columns in SWAPPED + NOT_SWAPPED:
        frame = pd.crosstab(*OF_TWO).rename_axis(index=[rows], columns=[columns])
        table, said = warned(table_of, frame)
        assert ("names suggest the opposite" in said) == ((rows, columns) in SWAPPED), (
            rows,
            columns,
        )
        assert table == table_of_labels(*OF_TWO)
