"""Every score keeps its digits: counts of 1e15 and beyond, a hundred classes, weights of any size.

The oracle is `dense.score`, the definitions in fractions or numbers of 60 digits.
`INFORMEDNESS_FUZZ=20000 pytest tests/test_digits.py` draws as many random tables.
"""

import math
import os
from fractions import Fraction
from typing import Any

import mpmath
import numpy as np
import pytest

import by_table
import dense
from informedness import ContingencyTable, estimate, nit_score, report
from tables import score_of, table_of_labels, table_of_pairs

pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]

BIG = 10**15
SEEDS = range(int(os.environ.get("INFORMEDNESS_FUZZ", "100")))
IRRATIONAL = ("nit", "ema", "matthews_corrcoef")


def diagonal(k: int, seed: int, right: int, wrong: int) -> np.ndarray:
    """Return counts up to `right` on the diagonal and up to `wrong` in some of the other cells."""
    rng = np.random.default_rng(seed)
    cells = rng.integers(1, wrong, (k, k), endpoint=True) * (rng.random((k, k)) < 0.1)
    cells[np.diag_indices(k)] = rng.integers(1, right, k, endpoint=True)
    return cells


COUNTS: dict[str, Any] = {
    "nearly all one cell of 1e15": [[BIG, 3], [5, 7]],
    "worse than chance at 1e15": [[BIG, 7], [5, 0]],
    "three of four": [[10**17, 1], [10**17, 10**17]],
    "120 classes, 30 without references": np.where(
        np.arange(120)[:, None] % 4 == 1, 0, diagonal(120, 4, BIG, BIG)
    ),
}
WEIGHTS: dict[str, Any] = {
    "a weight of 1e-18": [[1.0, 1e-18], [1.0, 1.0]],
    "nearly all one cell": [[1e15, 0.3], [0.7, 1.1]],
    "three classes, two large cells": [[1e15, 1 / 3, 0], [1e15, 0.7, 0.1], [0.3, 0, 0.2]],
    "beyond half of the largest": [[8e307, 1e307], [2e307, 3e307]],
    "from 1e-320 to 1e300": [[1e300, 1e-320], [1e299, 1e300]],
    "120 classes, few wrong": diagonal(120, 10, 1000, 3) / 7,
}
TABLES = {**COUNTS, **WEIGHTS}


def table_of(name: str) -> ContingencyTable:
    cells = plain(TABLES[name])
    if name in COUNTS:
        return ContingencyTable.from_matrix(cells)
    return by_labels(cells, np.random.default_rng(0))


def plain(cells: Any) -> list[list[Any]]:
    return [[x.item() if hasattr(x, "item") else x for x in row] for row in cells]


def exact(cells: Any, metric: str, average: str | None) -> Any:
    mpmath.mp.dps = 60
    cells = [[mpmath.mpf(x) for x in row] for row in plain(cells)]
    return dense.score(cells, metric, average)


SCORES = [*dense.SCORES, ("informedness", "none"), ("markedness", "none")]


@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_every_score_and_rate_is_that_of_60_digits(name):
    table = table_of(name)
    assert (table.counts.dtype.kind == "i") == (name in COUNTS)
    for metric, average in SCORES:
        wanted = exact(TABLES[name], metric, average)
        wanted = [*map(float, wanted)] if average == "none" else float(wanted)
        options = {"average": None if average == "none" else average} if average else {}
        value = score_of(table, metric, **options)
        assert value == pytest.approx(wanted, rel=0, abs=1e-13), (metric, average)
    rates = report(table).per_class
    cells = [[mpmath.mpf(x) for x in row] for row in plain(TABLES[name])]
    r, c = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    n, nan = sum(r), math.nan
    for i, of_class in enumerate(
        (row["prevalence"], row["bias"], row["tpr"], row["fpr"]) for row in rates
    ):
        hits = cells[i][i]
        wanted = r[i] / n, c[i] / n, hits / r[i] if r[i] else nan, (c[i] - hits) / (n - r[i])
        assert of_class == pytest.approx([*map(float, wanted)], rel=1e-13, abs=0, nan_ok=True)


def test_cells_of_very_different_sizes_leave_an_interval_of_numbers():
    for name in ("a weight of 1e-18", "three of four"):
        for metric in ("nit", "informedness", "matthews_corrcoef"):
            made = estimate(table_of(name), metric=metric)
            low, high = made.confidence_interval
            assert low <= made.value <= high, (name, metric)
            assert math.isfinite(made.standard_error), (name, metric)


# Random tables, by three ways into the table


def random_cells(rng):
    """Return a table of counts or of weights of sizes up to all that 64 bits hold."""
    k = int(rng.choice([1, 2, 2, 3, 4, 7, 12]))
    if rng.random() < 0.2:  # nearly all of it in one cell
        cells = rng.integers(0, 12, (k, k))
        cells[0, 0] = 10 ** rng.integers(12, 18)
        return cells.tolist()
    decades = rng.uniform(0, 18 if rng.random() < 0.5 else 3)
    cells = 10 ** rng.uniform(0, max(decades - math.log10(k * k), 0.5), (k, k))
    cells *= rng.random((k, k)) < rng.uniform(0.2, 1.2)
    if rng.random() < 0.3:
        cells[np.diag_indices(k)] *= 10 ** rng.uniform(
            0, max(16.5 - math.log10(cells.max() + 1), 0)
        )
    if rng.random() < 0.2:
        cells[:, rng.integers(k)] = 0
    if rng.random() < 0.2:
        cells[rng.integers(k)] = 0
    if not cells.astype(np.int64).any():
        cells[0, 0] = 1
    if rng.random() < 0.5:
        return cells.astype(np.int64).tolist()
    return (cells * 10.0 ** rng.integers(-40, 40)).tolist()


def by_matrix(cells, rng):
    return ContingencyTable.from_matrix(cells, labels=range(len(cells)))


def by_labels(cells, rng):
    """Return the table of a weight for each cell, in any order."""
    i, j = np.nonzero(cells)
    order = rng.permutation(len(i))
    i, j = i[order], j[order]
    weights = np.array(cells, dtype=float)[i, j]
    return table_of_labels(i, j, sample_weight=weights, labels=range(len(cells)))


def by_parts(cells, rng):
    """Return the sum of two tables that share the cells out among them."""
    i, j = np.nonzero(cells)
    array = np.array(cells)
    mine = rng.random(len(i)) < 0.5
    options = {"labels": range(len(cells))}
    parts = [(i[side], j[side], array[i[side], j[side]]) for side in (mine, ~mine)]
    tables = []
    for part in parts:
        if array.dtype.kind == "f":  # sums of weights, also where they happen to be whole
            options["n_samples"] = np.ones(len(part[0]))
        if len(part[0]):
            tables.append(table_of_pairs(*part, **options))
    return sum(tables)


def exact_or_nan(cells, metric, average):
    """Return the score by its definition, nan where that divides by 0."""
    mpmath.mp.dps = 60
    rational = [[Fraction(x) for x in row] for row in cells]
    if metric in IRRATIONAL:
        rational = [[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rational]
        if metric == "nit":  # of declared classes
            return float(mpmath.exp(dense.information(rational)) / len(cells))
    try:
        return float(dense.score(rational, metric, average))
    except ZeroDivisionError:
        return math.nan


@pytest.mark.slow
def test_scores_of_random_tables_are_exact():
    for seed in SEEDS:
        rng = np.random.default_rng([seed, 1])
        cells = random_cells(rng)
        counts = isinstance(cells[0][0], int)
        for way in (by_matrix, by_parts) if counts else (by_matrix, by_labels, by_parts):
            is_whole = all(x == int(x) for row in cells for x in row)
            if is_whole and not counts and way is not by_labels:
                continue  # whole weights are counts, unless their squares are given
            table = way(cells, rng)
            assert table.total == pytest.approx(sum(map(sum, cells)), rel=1e-15), (seed, way)
            for metric, average in dense.SCORES:
                options = {} if average is None else {"average": average}
                value = getattr(by_table, metric)(table, **options)
                wanted = pytest.approx(
                    exact_or_nan(cells, metric, average), rel=0, abs=1e-12, nan_ok=True
                )
                assert value == wanted, (seed, way, metric, average)


def test_a_weight_next_to_nothing_passes_on_nothing():
    """Its share of the cell over that of its margins is more than a float can hold."""
    labels = list("aabbc")
    for weight in (5e-324, 1e-310, 1e-300, 1e-290):
        score = nit_score(labels, labels, sample_weight=[1.0, 1.0, 1.0, 1.0, weight])
        assert score == pytest.approx(2 / 3, rel=1e-12), weight
