"""Scores from their definitions on whole k x k tables, and standard errors by differentiating them.

Nothing of the package is used. Cells may be floats, fractions or mpmath numbers.
"""

from typing import Any

import mpmath

METRICS = ("informedness", "markedness", "nit", "ema", "accuracy", "balanced_accuracy", "f1_macro")
METRICS += ("cohen_kappa", "matthews_corrcoef")
AVERAGES = ("bias", "prevalence", "macro")
SCORES = [
    *[(metric, average) for metric in METRICS[:2] for average in AVERAGES],
    *[(metric, None) for metric in METRICS[2:]],
]
NAMES = ["-".join(filter(None, score)) for score in SCORES]
OF_MARGINS = [of for of in SCORES if of[0] not in ("nit", "ema")]


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


def excess(cells, squares=None, shares=None):
    """Return what samples add to Informedness by "bias", estimated from the variance of each cell.

    A class of one reference takes the recall of all.
    """
    squares, k = squares or cells, len(cells)
    r, n = [sum(row) for row in cells], sum(map(sum, cells))
    recall = sum(cells[i][i] for i in range(k)) / n
    scored = r if shares is None else [share * n for share in shares]
    found = 0
    for i in filter(lambda i: r[i], range(k)):
        of_row = sum(squares[i]) * (scored[i] / r[i]) ** 2
        size = r[i] ** 2 / sum(squares[i])
        if size < 1.5:
            found += of_row * recall * (1 - recall) * (1 / scored[i] - 1 / (n - scored[i]))
            continue
        for j in filter(lambda j: r[j], range(k)):
            share = cells[i][j] / r[i]
            variance = of_row * share * (1 - share) * size / (size - 1)
            found += variance / scored[i] if i == j else -variance / (n - scored[j])
    return found / n


def reaches(cells: Any, function: Any, level: float, squares: Any = None) -> list[float]:
    """Return how far the interval of a score reaches below it and above it.

    The score moves by e_ij with a unit of weight more in a cell. Each row has Wilson's interval for
    the mean of its e; those of all rows are put together.
    """
    squares, z = cells if squares is None else squares, normal_quantile(level)
    e, present = slopes(cells, function), [i for i, row in enumerate(cells) if any(row)]
    every, k = [(i, j) for i in present for j in range(len(cells))], len(cells)
    r, q = {i: sum(cells[i]) for i in present}, {i: sum(squares[i]) for i in present}
    mean = {i: sum(cells[i][j] * e[i][j] for j in range(k)) / r[i] for i in present}
    recall = sum(cells[i][i] / r[i] for i in present) / len(present)
    error = sum(squares[i][j] * e[i][j] ** 2 for i, j in every)
    third = sum(squares[i][j] ** 2 / cells[i][j] * e[i][j] ** 3 for i, j in every if cells[i][j])
    of_row, variance = {}, error
    for i in present:
        wrong = [e[i][j] for j in range(k) if j != i]
        gap = e[i][i] - sum(wrong) / len(wrong)
        unseen = (q[i] / r[i]) ** 2 * recall * (1 - recall) * gap**2
        variance += unseen
        of_row[i] = unseen + sum(squares[i][j] * (e[i][j] - mean[i]) ** 2 for j in range(k))
    sides = [[sum(column) for column in zip(*x, strict=True)] for x in (squares, cells)]
    heaviest = max(square / n for square, n in zip(*sides, strict=True) if n)
    shift = 0
    if error > 1e-30:
        few = sum((x / variance) ** 2 * q[i] / r[i] ** 2 for i, x in of_row.items())
        shift = z**2 / 2 * third / error / (1 + z**2 * few)
    skewed = mpmath.sqrt(z**2 * variance + shift**2)
    found = []
    for side in (-1, 1):
        by_rows = z**2 * sum(q[i] * mean[i] ** 2 for i in present)
        worst = mpmath.mpf(0)
        for i in present:
            d = max(side * (x - mean[i]) for x in e[i])
            size, least = r[i] ** 2 / q[i], r[i] / max(q[i] / r[i], heaviest)
            s2 = sum(squares[i][j] * (e[i][j] - mean[i]) ** 2 for j in range(k)) / q[i]
            if d > 1e-15 * max(map(abs, e[i])):
                # (d x)^2 = z^2 (1 - x)(s^2 / size + x d^2 / least)
                now, there = z**2 * s2 / size, z**2 * d**2 / least
                roots = mpmath.polyroots([d**2 + there, now - there, -now], maxsteps=500)
                by_rows += (r[i] * d * max(roots)) ** 2
            worst = max(worst, z**2 / 2 * r[i] * d / least)
        most = worst + mpmath.sqrt(z**2 * variance + worst**2)
        found.append(float(max(min(mpmath.sqrt(by_rows), most), skewed + side * shift)))
    return found


def normal_quantile(level: float) -> Any:
    """Return z, within which of 0 a standard normal number lies this often."""
    return mpmath.sqrt(2) * mpmath.erfinv(mpmath.mpf(level))
