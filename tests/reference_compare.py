"""The comparison of two models, from docs/formulas.md, sample by sample; no package code is used.

Classes are 0 to k - 1 and declared. Each model has a table of its own.
"""

import math
from statistics import NormalDist

import numpy as np
from scipy import stats

import dense
import reference


class Side:
    """A model: its table, score, derivatives and the most that an answer moves it."""

    def __init__(self, references, answers, weights, k, metric, average, prior):
        self.n, squares = (np.zeros((k, k)) for _ in range(2))
        for i, j, w in zip(references, answers, weights, strict=True):
            self.n[i, j] += w
            squares[i, j] += w * w
        self.k, self.metric, self.squares = k, metric, squares
        r = self.n.sum(axis=1)
        p = self.n / self.n.sum() if prior is None else dense.over(self.n, r[:, None])
        p = p if prior is None else p * np.array(prior)[:, None]
        self.one = squares.sum() / self.n.sum()
        self.there, self.bias, self.unseen = r > 0, 0.0, 0.0
        if metric in ("nit", "ema"):
            self.entropic(p)
        else:
            self.of_margins(p, average)
        if prior is not None:
            means = dense.over((self.n * self.g).sum(axis=1), r)
            self.g = self.g - means[:, None]

    def of_margins(self, p, average):
        sums = np.diag(p), p.sum(axis=1), p.sum(axis=0)
        self.value = float(dense.of_margins(*sums, 1.0, self.metric, average))
        a, b, u = reference.slopes(*sums, self.metric, average)
        of_one = {"informedness": [1], "markedness": [2], "matthews_corrcoef": [1, 2]}
        is_one = any((sums[side] > 0).sum() == 1 for side in of_one.get(self.metric, []))
        self.g = (a[:, None] + b + np.diag(u)) * (not is_one)
        self.furthest = (self.g.max(axis=1) - self.g.min(axis=1))[self.there].max()

    def entropic(self, p):
        r, c = p.sum(axis=1), p.sum(axis=0)
        scale = 1 / self.k if self.metric == "nit" else 1.0
        of_rows = self.metric == "nit"
        logarithm = reference.entropy(c) - reference.entropy(p.ravel())
        logarithm += of_rows * reference.entropy(r)
        self.value = scale * math.exp(logarithm)
        with np.errstate(divide="ignore", invalid="ignore"):
            self.g = self.value * (np.log(p / c) - of_rows * np.log(r)[:, None])
        cells, columns = np.maximum(self.n, self.one), np.maximum(self.n.sum(axis=0), self.one)
        least = (cells / columns)[self.there][:, c > 0].min()
        self.furthest = -self.value * math.log(least)
        of_cells, of_columns, of_rows_lacks = (
            reference.missing(
                self.n.sum(axis=axis).ravel(), self.squares.sum(axis=axis).ravel(), 0, ()
            )
            for axis in ((), 0, 1)
        )
        centre = logarithm - of_cells[0] + of_columns[0] + of_rows * of_rows_lacks[0]
        chance = 1 / self.k if self.metric == "nit" else math.exp(-reference.entropy(r))
        better = max(scale * math.exp(centre), chance)
        self.bias, self.unseen = self.value - better, better * math.sqrt(of_cells[2])


def compare(references, a, b, score, k, weights=None, groups=None, prior=None, level=0.95):
    """Return the difference, its standard error, the p-value and the interval."""
    weights = np.ones(len(references)) if weights is None else np.array(weights, float)
    sides = [Side(references, x, weights, k, *score, prior) for x in (a, b)]
    if prior is not None:
        totals = sides[0].n.sum(axis=1)
        weights = weights * (np.array(prior) * totals.sum())[references] / totals[references]
    d = [sides[1].g[i, y] - sides[0].g[i, x] for i, x, y in zip(references, a, b, strict=True)]
    total, n = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
    away = weights * (np.array(d) - (weights * d).sum() / total)
    variance, c = (away**2).sum(), len(set(groups if groups is not None else ()))
    if groups is not None:
        sums = [away[np.array(groups) == group].sum() for group in sorted(set(groups))]
        variance = c / (c - 1) * sum(x * x for x in sums)
    furthest = max(side.furthest for side in sides)
    difference = sides[1].value - sides[0].value
    unbiased = difference - (sides[1].bias - sides[0].bias)
    error = math.sqrt(
        (variance + (total / n * furthest) ** 2) / total**2
        + (unbiased - difference) ** 2 + sides[0].unseen ** 2 + sides[1].unseen ** 2
    )  # fmt: skip
    if abs(difference) < 1e-12 or unbiased * difference < 0:  # 0 but for rounding
        unbiased = 0.0
    t = abs(unbiased) / error if unbiased else 0.0
    if groups is not None:
        p_value, x = 2 * stats.t.sf(t, c - 1), stats.t.ppf((1 + level) / 2, c - 1)
    else:
        z = NormalDist().inv_cdf((1 + level) / 2)
        p_value, x = 2 * stats.norm.sf(t / math.sqrt(1 + t * t / n)), math.inf
        p_value = max(p_value, min(0.5 ** (np.not_equal(a, b).sum() - 1), 1))
        if z * z < n:
            x = z / math.sqrt(1 - z * z / n)
    ends = [unbiased - x * error, unbiased + x * error, difference]
    if not p_value < 1 - level:
        ends.append(0.0)
    signed = ("informedness", "markedness", "cohen_kappa", "matthews_corrcoef")
    width = 2.0 if score[0] in signed else 1.0
    return difference, error, p_value, (max(min(ends), -width), min(max(ends), width))
