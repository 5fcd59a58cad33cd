"""Every way labels are coded and pairs counted gives the counts that a Counter gives."""

import functools
import tracemalloc
from collections import Counter
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest

from informedness import ContingencyTable, informedness_score, nit_score
from informedness.core.labels import join_columns, read_column
from informedness.core.scores import mutual_information

N = 3000


def drawn(k, seed=0, n=N):
    """References and predictions among k classes, three in five right."""
    generator = np.random.default_rng(seed)
    references = generator.integers(0, k, n)
    guesses = generator.integers(0, k, n)
    return references, np.where(generator.random(n) < 0.6, references, guesses)


def cells(table):
    """The cells of a table by their labels."""
    names = table.labels
    codes = zip(table.rows.tolist(), table.columns.tolist(), strict=True)
    return dict(zip([(names[i], names[j]) for i, j in codes], table.counts.tolist(), strict=True))


def same(references, predictions):
    """The columns of both, as plain lists."""
    return [read_column(side, "x").tolist() for side in (references, predictions)]


INTEGERS = {
    "small": lambda codes: codes,
    "negative": lambda codes: codes - 5,
    "far from 0": lambda codes: codes + 2**40,
    "with gaps": lambda codes: codes * 10**12 - 7,
    "one outlier": lambda codes: np.where(codes == 1, 2**40, codes),
    "the ends of int64": lambda codes: np.where(codes % 2, 2**63 - 1 - codes, -(2**63) + codes),
    "uint64": lambda codes: np.uint64(2**64 - 1) - codes.astype(np.uint64),
    "int32": lambda codes: (codes - 2**31).astype(np.int32),
    "uint16": lambda codes: codes.astype(np.uint16),
    "hashed": lambda codes: codes * 0x9E3779B97F4A7C1 % (2**62),
}


@pytest.mark.parametrize("block", [2**17, 64], ids=["one block", "many blocks"])
@pytest.mark.parametrize("k", [1, 2, 10, 100, 300, 2000])
@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_however_they_lie_are_counted_exactly(kind, k, block, monkeypatch):
    monkeypatch.setattr("informedness.core.table._BLOCK", block)
    references, predictions = map(INTEGERS[kind], drawn(k))
    table = ContingencyTable.from_labels(references, predictions)
    expected = Counter(zip(references.tolist(), predictions.tolist(), strict=True))
    assert cells(table) == expected
    assert list(table.labels) == sorted({*references.tolist(), *predictions.tolist()})
    assert table.n_samples == N
    assert same(references, predictions) == [references.tolist(), predictions.tolist()]


@pytest.mark.parametrize("block", [2**17, 64], ids=["one block", "many blocks"])
def test_a_label_that_comes_late_is_counted_with_the_others(block, monkeypatch):
    monkeypatch.setattr("informedness.core.table._BLOCK", block)
    for late in (17, 900, 5000, -1, 2**40, 2**63 - 1):
        references = [0, 1] * 3000 + [late]
        predictions = [0, 0] * 3000 + [1]
        table = ContingencyTable.from_labels(references, predictions)
        assert cells(table) == {(0, 0): 3000, (1, 0): 3000, (late, 1): 1}


def test_many_labels_far_apart_that_come_one_by_one():
    references = np.repeat(np.arange(120) * 10**15, 5000)
    predictions = references[::-1].copy()
    table = ContingencyTable.from_labels(references, predictions)
    assert cells(table) == Counter(zip(references.tolist(), predictions.tolist(), strict=True))


WORDS = {
    "one letter": "abcdefghij",
    "one word": [f"class_{number}" for number in range(10)],
    "several words": [f"a long name of the class {number} of ten" for number in range(10)],
    "alike but for the end": ["x" * 31 + letter for letter in "abcdefghij"],
    "alike but for the start": [letter + "x" * 31 for letter in "abcdefghij"],
    "of several lengths": ["ab" * number for number in range(10)],
    "not Latin": ["да", "нет", "好", "不好", "é", "e\u0301", "🎯", "", "a", "да "],
}
CONTAINERS = {
    "numpy": np.array,
    "numpy, byte-swapped": lambda x: np.array(x).astype(np.array(x).dtype.newbyteorder(">")),
    "numpy, strided": lambda x: np.repeat(np.array(x), 2)[::2],
    "objects": lambda x: np.array(x, dtype=object),
    "list": list,
    "pandas": pd.Series,
    "pandas categorical": lambda x: pd.Series(x, dtype="category"),
    "polars": polars.Series,
    "pyarrow": pyarrow.array,
    "pyarrow chunks": lambda x: pyarrow.chunked_array([x[:100], x[100:]]),
    "pyarrow dictionary": lambda x: pyarrow.array(x).dictionary_encode(),
    "pyarrow dictionaries": lambda x: pyarrow.chunked_array(
        [pyarrow.array(x[:7]).dictionary_encode(), pyarrow.array(x[7:]).dictionary_encode()]
    ),
}


@pytest.mark.parametrize("container", CONTAINERS)
@pytest.mark.parametrize("words", WORDS)
def test_strings_in_any_container_are_counted_exactly(words, container):
    references, predictions = ([WORDS[words][code] for code in side.tolist()] for side in drawn(10))
    box = CONTAINERS[container]
    table = ContingencyTable.from_labels(box(references), box(predictions))
    assert cells(table) == Counter(zip(references, predictions, strict=True))


@pytest.mark.parametrize("container", [np.array, list], ids=["numpy", "list"])
@pytest.mark.parametrize("k", [1, 256, 257, 1500])
def test_bytes_and_many_strings_are_counted_exactly(container, k):
    for name in (str, lambda code: str(code).encode()):
        references, predictions = ([name(code) for code in side.tolist()] for side in drawn(k))
        table = ContingencyTable.from_labels(container(references), container(predictions))
        assert cells(table) == Counter(zip(references, predictions, strict=True))


def test_a_dictionary_with_unused_and_repeated_values_counts_what_is_used():
    codes = pyarrow.array([0, 1, 2, 2], pyarrow.int8())
    dictionary = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["a", "b", "a", "never"]))
    table = ContingencyTable.from_labels(dictionary, ["a", "a", "a", "b"])
    assert cells(table) == {("a", "a"): 2, ("a", "b"): 1, ("b", "a"): 1}


@pytest.mark.parametrize("block", [2**17, 64], ids=["one block", "many blocks"])
@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("k", [10, 2000])
def test_weights_add_up_in_every_way_of_counting(k, kind, block, monkeypatch):
    monkeypatch.setattr("informedness.core.table._BLOCK", block)
    references, predictions = map(INTEGERS[kind], drawn(k))
    weights = np.random.default_rng(1).integers(0, 5, N) / 4
    table = ContingencyTable.from_labels(references, predictions, sample_weight=weights)
    sums, squares = Counter(), Counter()
    for pair, w in zip(
        zip(references.tolist(), predictions.tolist(), strict=True), weights.tolist(), strict=True
    ):
        if w:
            sums[pair] += w
            squares[pair] += w**2
    assert cells(table) == sums
    assert dict(zip(cells(table), table.squared_weights.tolist(), strict=True)) == squares
    assert table.n_samples == (weights > 0).sum()


def test_a_hundred_thousand_classes_need_no_square_table():
    references, predictions = drawn(100_000, n=200_000)
    tracemalloc.start()
    score = informedness_score(references, predictions, labels=range(100_000))
    nit_score(references, predictions)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert 0.5 < score < 0.7
    assert peak < 200e6


def test_joined_columns_are_the_labels_end_to_end():
    for parts in (
        [[1, 2], [300, 4]],
        [[-1], [2**64 - 1], [2**63]],
        [["a", "b"], ["c", "a"]],
        [[b"a"], [b"a\0"]],
    ):
        columns = [read_column(part, "x").compact() for part in parts]
        joined = join_columns(columns)
        assert joined.tolist() == [label for part in parts for label in part]


def test_a_compact_column_is_narrow():
    for labels, dtype in (([0, 255], "uint8"), ([0, 256], "uint16"), ([-1, 127], "int64")):
        assert read_column(np.array(labels), "x").compact().codes.dtype == dtype


@pytest.mark.parametrize("matrix", [[[2 * 10**12, 3], [10**12, 10**12 + 7]]])
def test_tables_of_a_trillion_samples_merge_exactly(matrix):
    table = ContingencyTable.from_matrix(matrix)
    merged = table + table + table
    assert merged.to_dense().tolist() == [[3 * count for count in row] for row in matrix]
    assert merged.n_samples == merged.total == 3 * sum(map(sum, matrix))
    (a, b), (c, d) = matrix
    exact = Fraction(a, a + b) - Fraction(c, c + d)
    assert merged.informedness() == pytest.approx(float(exact), rel=0, abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize(("k", "cell", "noise"), [(1000, 10**6, 40), (10, 10**9, 30_000)])
def test_mutual_information_near_zero_keeps_its_digits(k, cell, noise):
    generator = np.random.default_rng(0)
    matrix = cell + generator.integers(-noise, noise + 1, (k, k))
    logarithm = functools.cache(lambda count: mpmath.log(count, 2))
    with mpmath.workdps(40):
        total = int(matrix.sum())
        sums = [
            mpmath.fsum(count * logarithm(count) for count in counts)
            for counts in (matrix.ravel().tolist(), *(matrix.sum(axis).tolist() for axis in (0, 1)))
        ]
        exact = (sums[0] - sums[1] - sums[2]) / total + logarithm(total)
    value = mutual_information(ContingencyTable.from_matrix(matrix))
    assert 1e-11 < exact < 2e-9
    assert value == pytest.approx(float(exact), rel=1e-12)


def test_independence_is_exactly_zero_information():
    shares = np.arange(1, 8)
    assert mutual_information(ContingencyTable.from_matrix(np.outer(shares, shares[::-1]))) < 1e-30


def test_counts_beyond_what_float64_holds_stay_exact():
    big = 2**60 + 1
    table = ContingencyTable.from_counts([0, 0, 1, 0], [0, 0, 1, 1], [big, 1, 3, 5])
    assert cells(table) == {(0, 0): big + 1, (0, 1): 5, (1, 1): 3}
    assert table.reference_totals.tolist() == [big + 6, 3]
    assert table.total == big + 9
