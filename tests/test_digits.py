"""Every score keeps its digits: counts of 1e15 and beyond, a hundred classes, weights of any size.

The oracle is `dense.score`, the definitions in fractions or numbers of 60 digits. In
`test_properties.py` the tables are drawn.
"""

import math
from typing import Any

import mpmath
import numpy as np
import pytest

import dense
from informedness import ContingencyTable, estimate, nit_score, report
from tables import score_of, table_of_labels

pytestmark = [pytest.mark.digits, pytest.mark.filterwarnings("ignore:informedness. ")]

BIG = 10**15


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
    i, j = np.nonzero(cells)
    return table_of_labels(i, j, sample_weight=np.array(cells)[i, j], labels=range(len(cells)))


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


def test_a_weight_next_to_nothing_passes_on_nothing():
    """Its share of the cell over that of its margins is more than a float can hold."""
    labels = list("aabbc")
    for weight in (5e-324, 1e-310, 1e-300, 1e-290):
        score = nit_score(labels, labels, sample_weight=[1.0, 1.0, 1.0, 1.0, weight])
        assert score == pytest.approx(2 / 3, rel=1e-12), weight
