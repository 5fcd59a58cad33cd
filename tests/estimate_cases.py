"""Tables, and helpers of the tests of standard errors, intervals and signatures."""

import itertools
from fractions import Fraction

import mpmath
import numpy as np
import pytest

import dense
from dense import NAMES, SCORES
from informedness import SCORES as METRICS
from informedness import ContingencyTable
from informedness.scores.registry import averaged_score

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
QUARTERS = [0.5, 0.25, 1.5, 2.75]


def weighted(matrix):
    """Return labels and weights of samples: four of each cell, of different weights."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    return *map(list, zip(*cells, strict=True)), list(itertools.islice(
        itertools.cycle(QUARTERS), len(cells)))  # fmt: skip


def sums(references, predictions, weights, k, power):
    cells = [[Fraction(0)] * k for _ in range(k)]
    for i, j, weight in zip(references, predictions, weights, strict=True):
        cells[i][j] += Fraction(weight) ** power
    return cells


def made_up(cells):
    """Return the chances of each cell to be the reference and prediction of the pseudo-sample."""
    k, rows = range(len(cells)), [sum(row) for row in cells]
    columns, n = [sum(column) for column in zip(*cells, strict=True)], sum(rows)
    present = sum(x > 0 for x in rows)
    return [
        [(columns[j] / n + mpmath.mpf(1) / len(k)) / 2 / present if rows[i] else 0 for j in k]
        for i in k
    ]


def with_pseudo_sample(cells, squares):
    """Return cells and squared weights with a pseudo-sample of the mean weight."""
    one = sum(map(sum, squares)) / sum(map(sum, cells))
    k, chances = range(len(cells)), made_up(cells)
    return (
        [[cells[i][j] + one * chances[i][j] for j in k] for i in k],
        [[squares[i][j] + one**2 * chances[i][j] for j in k] for i in k],
    )


def options_of(score):
    metric, average = score
    return {"metric": metric} | ({"average": average} if average else {})


def function_of(score, shares=None):
    return lambda cells: dense.score(cells, *score, shares)


def internal(score):
    """Return the score whose formulas are taken: for markedness, informedness of the transpose."""
    metric, average = score
    if metric == "markedness":
        swapped = {"bias": "prevalence", "prevalence": "bias"}
        metric, average = "informedness", swapped.get(average, average)
    return averaged_score(metric, average or "default")


def of_internal(score):
    """Return the same, as `dense.score` takes it."""
    return internal(score).name, internal(score).average


def oriented(table, score):
    return table.transpose() if score[0] == "markedness" else table


WITHOUT_AVERAGE = [metric for metric in METRICS if metric not in ("informedness", "markedness")]
every_score_of_margins = pytest.mark.parametrize(
    "score", dense.OF_MARGINS, ids=["-".join(filter(None, of)) for of in dense.OF_MARGINS]
)
every_score = pytest.mark.parametrize("score", SCORES, ids=NAMES)
every_table = pytest.mark.parametrize("matrix", TABLES.values(), ids=TABLES)


def to_9_digits(numbers):
    return repr(np.round(np.array(numbers, dtype=float), 9).tolist())


def different_numbers_of_one_signature(entries, least=100):
    seen, clashes = {}, []
    for line, numbers, options in entries:
        if numbers is not None and seen.setdefault(line, (numbers, options))[0] != numbers:
            clashes.append((line, seen[line], (numbers, options)))
    assert len(seen) > least
    return clashes
