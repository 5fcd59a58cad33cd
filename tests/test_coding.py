"""Every way labels are coded and pairs counted gives the counts that a Counter gives."""

import itertools
import tracemalloc
from collections import Counter

import mpmath
import numpy as np
import pyarrow
import pytest

import dense
from golden import close
from informedness import ContingencyTable
from informedness.core.labels import join_columns, read_column
from informedness.core.scores import mutual_information
from tables import table_of_labels

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


INTEGERS = {
    "small": lambda codes: codes,
    "negative": lambda codes: codes - 5,
    "far from 0": lambda codes: codes + 2**40,
    "with gaps": lambda codes: codes * 10**12 - 7,
    "one outlier": lambda codes: np.where(codes == 1, 2**40, codes),
    "the ends of int64": lambda codes: np.where(codes % 2, 2**63 - 1 - codes, -(2**63) + codes),
    "uint64": lambda codes: np.uint64(2**64 - 1) - codes.astype(np.uint64),
    "uint16": lambda codes: codes.astype(np.uint16),
    "hashed": lambda codes: codes * 0x9E3779B97F4A7C1 % (2**62),
}


def both_blocks(monkeypatch):
    """Let pairs be counted in one block, then in many."""
    for block in (2**17, 64):
        monkeypatch.setattr("informedness.core.table._BLOCK", block)
        yield block


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_however_they_lie_are_counted_exactly(kind, monkeypatch):
    weights = np.random.default_rng(1).integers(0, 5, N) / 4
    for block, k in itertools.product(both_blocks(monkeypatch), (1, 2, 10, 100, 300, 2000)):
        references, predictions = map(INTEGERS[kind], drawn(k))
        pairs = list(zip(references.tolist(), predictions.tolist(), strict=True))
        table = table_of_labels(references, predictions)
        assert cells(table) == Counter(pairs), (block, k)
        assert list(table.labels) == sorted({*references.tolist(), *predictions.tolist()})
        assert table.n_samples == N
        for side in (references, predictions):
            assert read_column(side, "x").tolist() == side.tolist(), (block, k)
        weighted = table_of_labels(references, predictions, sample_weight=weights)
        sums, squares = Counter(), Counter()
        for pair, weight in zip(pairs, weights.tolist(), strict=True):
            if weight:
                sums[pair] += weight
                squares[pair] += weight**2
        assert cells(weighted) == sums, (block, k)
        found = zip(cells(weighted), weighted.squared_weights.tolist(), strict=True)
        assert dict(found) == squares, (block, k)
        assert weighted.n_samples == (weights > 0).sum()


def test_a_label_that_comes_late_is_counted_with_the_others(monkeypatch):
    late_ones = 17, 900, 5000, -1, 2**40, 2**63 - 1
    for block, late in itertools.product(both_blocks(monkeypatch), late_ones):
        table = table_of_labels([0, 1] * 3000 + [late], [0, 0] * 3000 + [1])
        assert cells(table) == {(0, 0): 3000, (1, 0): 3000, (late, 1): 1}, (block, late)


def test_bytes_and_many_strings_are_counted_exactly():
    for k, kind in itertools.product((1, 256, 257, 1500), (str, lambda code: b"%d" % code)):
        references, predictions = ([kind(code) for code in side.tolist()] for side in drawn(k))
        expected = Counter(zip(references, predictions, strict=True))
        for make in (np.array, list):
            table = table_of_labels(make(references), make(predictions))
            assert cells(table) == expected, k


def test_a_dictionary_with_unused_and_repeated_values_counts_what_is_used():
    codes = pyarrow.array([0, 1, 2, 2], pyarrow.int8())
    dictionary = pyarrow.DictionaryArray.from_arrays(codes, pyarrow.array(["a", "b", "a", "never"]))
    table = table_of_labels(dictionary, ["a", "a", "a", "b"])
    assert cells(table) == {("a", "a"): 2, ("a", "b"): 1, ("b", "a"): 1}


def test_a_hundred_thousand_classes_need_no_square_table():
    """Squared they would be 80 GB."""
    labels = np.arange(100_000)
    tracemalloc.start()
    table = table_of_labels(labels, np.roll(labels, 1))
    assert table.informedness() == close(-1 / 99_999)
    assert table.nit() == close(1)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 100e6


def test_columns_joined_are_the_labels_end_to_end():
    for parts in (
        ([0, 255], [2, 0]),
        ([1, 256], np.array([300, 4], dtype=np.uint16)),
        ([-1, 127], [2**64 - 1], [2**63]),
        (["a", "b"], ["c", "a"]),
        ([b"a"], [b"a\0"], []),
    ):
        joined = join_columns([read_column(part, "x") for part in parts])
        assert joined.tolist() == [label for part in parts for label in part]


@pytest.mark.slow
@pytest.mark.parametrize(("k", "cell", "noise"), [(300, 10**6, 40), (10, 10**9, 30_000)])
def test_mutual_information_near_zero_keeps_its_digits(k, cell, noise):
    generator = np.random.default_rng(0)
    matrix = cell + generator.integers(-noise, noise + 1, (k, k))
    with mpmath.workdps(40):
        exact = dense.information(matrix.tolist()) / mpmath.log(2)
    assert 1e-11 < exact < 2e-9
    value = mutual_information(ContingencyTable.from_matrix(matrix))
    assert value == pytest.approx(float(exact), rel=1e-12)
    independent = np.outer(np.arange(1, k), np.arange(k - 1, 0, -1))
    assert mutual_information(ContingencyTable.from_matrix(independent)) < 1e-30
