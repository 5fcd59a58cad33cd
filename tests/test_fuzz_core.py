"""Random tables against exact fractions; seeds are fixed.

`INFORMEDNESS_FUZZ=20000 pytest tests/test_fuzz_core.py` runs as many seeds, not the usual few.
"""

import math
import os
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import by_table
import dense
from informedness import ContingencyTable
from tables import table_of_labels, table_of_pairs

pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]

SEEDS = range(int(os.environ.get("INFORMEDNESS_FUZZ", "100")))
IRRATIONAL = ("nit", "ema", "matthews_corrcoef")


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


def exact(cells, metric, average):
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
                wanted = pytest.approx(exact(cells, metric, average), rel=0, abs=1e-12, nan_ok=True)
                assert value == wanted, (seed, way, metric, average)
