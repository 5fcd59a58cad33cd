"""Scores from their definitions on whole k x k tables, and standard errors by differentiating them.

Nothing of the package is used. Cells may be floats, fractions or mpmath numbers.
"""

from typing import Any

import mpmath
import pytest

METRICS = ("informedness", "markedness", "nit", "ema", "accuracy", "balanced_accuracy", "f1_macro")
METRICS += ("cohen_kappa", "matthews_corrcoef")
AVERAGES = ("bias", "prevalence", "macro")
SCORES = [
    *[(metric, average) for metric in METRICS[:2] for average in AVERAGES],
    *[(metric, None) for metric in METRICS[2:]],
]
every_score = pytest.mark.parametrize("score", SCORES, ids=lambda x: "-".join(filter(None, x)))


def options_of(score: Any) -> dict[str, Any]:
    """Return a score as options of the package's functions."""
    return dict(zip(("metric", "average"), filter(None, score), strict=False))


def score(cells: Any, metric: str, average: str | None = None, shares: Any = None) -> Any:
    """Return a score of a table; `shares` are those of the references it is reweighted to."""
    k = range(len(cells))
    if shares is not None:
        totals = [sum(row) for row in cells]
        cells = [[x * shares[i] / totals[i] if totals[i] else x for x in cells[i]] for i in k]
    r, c = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    n, hits = sum(r), [cells[i][i] for i in k]
    if metric == "accuracy":
        return sum(hits) / n
    if metric == "balanced_accuracy":
        recalls = [hits[i] / r[i] for i in k if r[i]]
        return sum(recalls) / len(recalls)
    if metric == "matthews_corrcoef":
        spread = (n * n - sum(x * x for x in r)) * (n * n - sum(x * x for x in c))
        by_chance = sum(r[i] * c[i] for i in k)
        return (sum(hits) * n - by_chance) / mpmath.sqrt(spread) if spread else 0.0
    if metric == "nit":
        return mpmath.exp(information(cells)) / sum(x > 0 for x in r)
    if metric == "ema":
        return mpmath.exp(sum(
            x / n * mpmath.log(x / c[j]) for i in k for j, x in enumerate(cells[i]) if x
        ))  # fmt: skip
    if metric == "f1_macro":
        return sum(2 * hits[i] / (r[i] + c[i]) for i in k if r[i] + c[i]) / sum(
            r[i] + c[i] > 0 for i in k
        )
    if metric == "cohen_kappa":
        by_chance = sum(r[i] * c[i] for i in k)
        return (n * sum(hits) - by_chance) / (n * n - by_chance)
    mine, other = (r, c) if metric == "informedness" else (c, r)
    known = [i for i in k if 0 < mine[i] < n]
    gains = {i: hits[i] / mine[i] - (other[i] - hits[i]) / (n - mine[i]) for i in known}
    if average == "macro":
        return sum(gains.values()) / sum(x > 0 for x in mine)
    if average == "none":
        return [gains.get(i, 0) for i in k]
    weights = {"bias": c, "prevalence": r}[str(average)]
    return sum(weights[i] * gains[i] for i in known) / n


def information(cells: Any) -> Any:
    """Return the mutual information in nats."""
    r, c = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
    n = sum(r)
    return sum(
        x / n * mpmath.log(x * n / (r[i] * c[j]))
        for i, row in enumerate(cells)
        for j, x in enumerate(row)
        if x
    )


def precise(cells: Any) -> list[list[Any]]:
    """Return the table in numbers of 50 digits."""
    mpmath.mp.dps = 50
    return [[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in cells]


def slopes(cells: Any, function: Any) -> list[list[Any]]:
    """Return the derivative of a function of the table by each cell of a row that is not empty."""
    step = mpmath.mpf(10) ** -18

    def moved(i: int, j: int, by: Any) -> Any:
        changed = [list(row) for row in cells]
        changed[i][j] += by
        return function(changed)

    def slope(i: int, j: int, x: Any) -> Any:
        down = x * step
        up = down or step * sum(map(sum, cells))
        return (moved(i, j, up) - moved(i, j, -down)) / (up + down)

    return [
        [slope(i, j, x) if any(row) else 0 for j, x in enumerate(row)]
        for i, row in enumerate(cells)
    ]


def standard_error(cells: Any, function: Any, squares: Any = None) -> float:
    """Return sqrt(sum w^2 (d score / d w)^2) of a score that does not depend on the sum of w."""
    squares = cells if squares is None else squares
    terms = [
        square * slope**2
        for row, of_row in zip(squares, slopes(cells, function), strict=True)
        for square, slope in zip(row, of_row, strict=True)
    ]
    return float(mpmath.sqrt(sum(terms)))
