"""Scores from their definitions on whole k x k tables, and standard errors by differentiating them.

Nothing of the package is used. Cells may be floats, fractions or mpmath numbers.
"""

from typing import Any

import mpmath
import numpy as np
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


def over(x: Any, y: Any) -> Any:
    """Return x / y, and 0 where y is 0."""
    there = y.real != 0
    return np.where(there, x / np.where(there, y, 1), 0)[()]


def score(cells: Any, metric: str, average: str | None = None, shares: Any = None) -> Any:
    """Return a score of a table; `shares` are those of the references it is reweighted to."""
    cells = np.array(cells)
    r, c = cells.sum(axis=1), cells.sum(axis=0)
    if shares is not None:
        return score(over(cells * np.array(shares)[:, None], r[:, None]), metric, average)
    if metric == "nit":
        return mpmath.exp(information(cells)) / np.count_nonzero(r.real)
    if metric == "ema":
        return mpmath.exp(entropy(c) - entropy(cells))
    return of_margins(np.diag(cells), r, c, r.sum(), metric, average)


def spread(cells: Any) -> Any:
    """Return a table whose answers that no reference has are shared out over the other classes.

    An answer to a sample of class i counts as pi_c / (1 - pi_i) of each other class c.
    """
    cells = np.array(cells)
    r = cells.sum(axis=1)
    outside = cells[:, r == 0].sum(axis=1)
    shares = np.outer(over(outside, r.sum() - r), r)
    shared = cells + np.where(np.eye(len(r)) > 0, 0, shares)
    shared[:, r == 0] = 0
    return shared


def of_margins(h: Any, r: Any, c: Any, n: Any, metric: str, average: str | None = None) -> Any:
    """Return a score of right samples, references and predictions of each class, and all."""
    if metric == "accuracy":
        return h.sum(axis=-1) / n
    if metric == "balanced_accuracy":
        return over(h, r).sum(axis=-1) / np.count_nonzero(r.real, axis=-1)
    if metric == "f1_macro":
        return over(2 * h, r + c).sum(axis=-1) / np.count_nonzero((r + c).real, axis=-1)
    if metric == "cohen_kappa":
        return 1 - n * (c - h).sum(axis=-1) / (c * (n - r)).sum(axis=-1)
    if metric == "matthews_corrcoef":
        spread = (r * (n - r)).sum(axis=-1) * (c * (n - c)).sum(axis=-1)
        return over((n * h - r * c).sum(axis=-1), spread**0.5)
    weights = {"bias": c / n, "prevalence": r / n}
    r, c = (r, c) if metric == "informedness" else (c, r)
    weights["macro"] = over(r, r) / np.count_nonzero(r.real, axis=-1)[..., None]
    gains = np.where(r.real * (n - r).real > 0, over(h, r) - over(c - h, n - r), 0)
    return gains if average == "none" else (weights[str(average)] * gains).sum(axis=-1)


def entropy(counts: Any) -> Any:
    """Return the entropy in nats of shares in proportion to these numbers."""
    counts = [x for x in np.ravel(counts).tolist() if x]
    return mpmath.log(sum(counts)) - sum(x * mpmath.log(x) for x in counts) / sum(counts)


def information(cells: Any) -> Any:
    """Return the mutual information in nats."""
    cells = np.array(cells)
    return entropy(cells.sum(axis=1)) + entropy(cells.sum(axis=0)) - entropy(cells)


def precise(cells: Any) -> list[list[Any]]:
    """Return the table in numbers of 50 digits."""
    mpmath.mp.dps = 50
    return [[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in cells]


def slopes(cells: Any, metric: str, average: str | None = None) -> Any:
    """Return the derivative of a score by each cell, by a step into the complex numbers."""
    k = len(cells)
    steps = 1e-30j * np.eye(k * k).reshape(-1, k, k)
    found = [complex(score(cells + step, metric, average)).imag for step in steps]
    return np.reshape(found, (k, k)) / 1e-30
