"""The comparison of two models, from docs/formulas.md, sample by sample; no package code is used.

Classes are 0 to k - 1 and declared. Each model has a table of its own.
"""

import math
from statistics import NormalDist

import numpy as np
from scipy import stats

from oracles import dense, reference


class Side:
    """A model: its table, score, derivatives and the most that an answer moves it."""

    def __init__(self, references, answers, weights, k, metric, average, prior):
        self.n, self.squares = np.zeros((2, k, k))
        np.add.at(self.n, (references, answers), weights)
        np.add.at(self.squares, (references, answers), weights**2)
        self.there, self.bias, self.unseen = self.n.sum(axis=1) > 0, 0.0, 0.0
        if metric in ("nit", "ema"):
            self.of_entropies(metric)
        else:
            self.of_margins(metric, average, prior)

    def of_margins(self, metric, average, prior):
        p, rows = self.n / self.n.sum(), self.n.sum(axis=1, keepdims=True)
        if prior is not None:
            p = dense.over(self.n, rows) * np.array(prior)[:, None]
        sums = np.diag(p), p.sum(axis=1), p.sum(axis=0)
        self.value = float(dense.of_margins(*sums, 1.0, metric, average))
        a, b, u = reference.slopes(*sums, metric, average)
        of_one = {"informedness": [1], "markedness": [2], "matthews_corrcoef": [1, 2]}
        is_one = any((sums[side] > 0).sum() == 1 for side in of_one.get(metric, []))
        self.g = (a[:, None] + b + np.diag(u)) * (not is_one)
        self.furthest = (self.g.max(axis=1) - self.g.min(axis=1))[self.there].max()
        if prior is not None:
            self.g = self.g - dense.over((self.n * self.g).sum(axis=1, keepdims=True), rows)

    def of_entropies(self, metric):
        n, (r, c) = self.n, (self.n.sum(axis=axis) for axis in (1, 0))
        scale, logarithm, g, centre, of_cells, _ = reference.unbiased(n, self.squares, metric)
        self.value = scale * math.exp(logarithm)
        self.g, one = self.value * g, self.squares.sum() / n.sum()
        least = (np.maximum(n, one) / np.maximum(c, one))[self.there][:, c > 0].min()
        self.furthest = -self.value * math.log(least)
        chance = scale if metric == "nit" else math.exp(-reference.entropy(r))
        better = max(scale * math.exp(centre), chance)
        self.bias, self.unseen = self.value - better, better * math.sqrt(of_cells[2])


def compare(
    references, a, b, score, k, sample_weight=None, groups=None, prior=None, confidence_level=0.95
):
    """Return the difference, its standard error, the p-value and the interval."""
    level, weights = confidence_level, np.ones(len(references))
    if sample_weight is not None:
        weights = np.array(sample_weight, float)

    sides = [Side(references, x, weights, k, *score, prior) for x in (a, b)]
    if prior is not None:
        totals = sides[0].n.sum(axis=1)
        weights = weights * (np.array(prior) * totals.sum())[references] / totals[references]
    d = sides[1].g[references, b] - sides[0].g[references, a]
    total, n = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
    away = weights * (d - (weights * d).sum() / total)
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
