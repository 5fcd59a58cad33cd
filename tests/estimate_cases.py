"""Tables, and helpers of the tests of standard errors, intervals and signatures."""

from fractions import Fraction

import numpy as np
import pytest

import dense
from dense import NAMES, SCORES
from informedness import ContingencyTable

table_of = ContingencyTable.from_matrix

THREE = [[20, 3, 1], [4, 9, 0], [2, 2, 6]]
TABLES = {
    "two classes": [[84, 6], [2, 8]],
    "three classes": THREE,
    "no errors": [[7, 0], [0, 3]],
    "never predicted": [[8, 2, 0], [1, 9, 0], [3, 2, 0]],
    "no reference": [[8, 2, 1], [1, 9, 3], [0, 0, 0]],
    "one wrong": [[30, 0, 0], [1, 20, 0], [0, 0, 10]],
    "all wrong": [[0, 5], [4, 0]],
    "worse than chance": [[1, 9, 4], [7, 2, 3], [5, 3, 1]],
    "five classes": np.random.default_rng(5).integers(0, 9, (5, 5)).tolist(),
}
PRIORS = {"even": (0.5, 0.25, 0.25), "uneven": (0.05, 0.9, 0.05)}


def weighted(matrix):
    """Return labels and weights of samples: four weights in turn, cell by cell."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    references, predictions = map(list, zip(*cells, strict=True))
    return references, predictions, ([0.5, 0.25, 1.5, 2.75] * len(cells))[: len(cells)]


def sums(references, predictions, weights, k, power):
    cells = [[Fraction(0)] * k for _ in range(k)]
    for i, j, weight in zip(references, predictions, weights, strict=True):
        cells[i][j] += Fraction(weight) ** power
    return cells


def against_the_rest(cells, c):
    """Return the table of one class and of all others as one."""
    hits, row, column = cells[c, c], cells[c].sum(), cells[:, c].sum()
    return [[hits, row - hits], [column - hits, cells.sum() - row - column + hits]]


def options_of(score):
    metric, average = score
    return {"metric": metric} | ({"average": average} if average else {})


def function_of(score, shares=None):
    return lambda cells: dense.score(cells, *score, shares)


every_score = pytest.mark.parametrize("score", SCORES, ids=NAMES)
