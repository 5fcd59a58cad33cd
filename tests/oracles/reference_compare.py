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
        self.furthest = self.g.max(axis=1) - self.g.min(axis=1)
        if prior is not None:
            self.g = self.g - dense.over((self.n * self.g).sum(axis=1, keepdims=True), rows)

    def of_entropies(self, metric):
        n, (r, c) = self.n, (self.n.sum(axis=axis) for axis in (1, 0))
        scale, logarithm, g, centre, of_cells, _ = reference.unbiased(n, self.squares, metric)
        self.value = scale * math.exp(logarithm)
        self.g, one = self.value * g, self.squares.sum() / n.sum()
        least = (np.maximum(n, one) / np.maximum(c, one))[self.there][:, c > 0].min()
        self.furthest = np.full(len(r), -self.value * math.log(least))
        self.of_bias(scale, centre, of_cells, metric)

    def of_bias(self, scale, centre, of_cells, metric):
        entropy = reference.entropy(self.n.sum(axis=1))
        chance = scale if metric == "nit" else math.exp(-entropy)
        better = max(scale * math.exp(centre), chance)
        self.bias, self.unseen = self.value - better, better * math.sqrt(of_cells[2])

    def remove_bias_of_groups(self, references, answers, weights, groups, metric):
        cells = references, answers
        moved, furthest = self.g[cells], self.furthest[references]
        given = self.squares, moved, furthest, weights, groups, metric
        squares = reference.squares_of_groups(cells, *given)
        scale, _, _, centre, of_cells, _ = reference.unbiased(self.n, squares, metric)
        self.of_bias(scale, centre, of_cells, metric)


def compare(
    references, a, b, score, k, sample_weight=None, groups=None, prior=None, confidence_level=0.95
):
    """Return the difference, its standard error, the p-value and the interval."""
    level, weights = confidence_level, np.ones(len(references))
    if sample_weight is not None:
        weights = np.array(sample_weight, float)

    sides = [Side(references, x, weights, k, *score, prior) for x in (a, b)]
    if groups is not None and score[0] in ("nit", "ema"):
        for side, answers in zip(sides, (a, b), strict=True):
            side.remove_bias_of_groups(references, answers, weights, groups, score[0])
    if prior is not None:
        totals = sides[0].n.sum(axis=1)
        weights = weights * (np.array(prior) * totals.sum())[references] / totals[references]
    d = sides[1].g[references, b] - sides[0].g[references, a]
    total, n = weights.sum(), weights.sum() ** 2 / (weights**2).sum()
    away = weights * (d - (weights * d).sum() / total)
    variance, differ, df = (away**2).sum(), np.not_equal(a, b), 0
    n_differ, scale = differ.sum(), total / n
    furthest = np.maximum(*(side.furthest for side in sides))[references]
    one_more = furthest.max() * scale
    if groups is not None:
        made = reference.Groups(references, groups, weights, d, furthest)
        variance, df, n_differ = made.variance, made.df, len(set(np.array(groups)[differ]))
        if n_differ < 30:
            one_more = max(one_more, made.of_one_more() * math.sqrt(1 - n_differ / len(made.names)))
        if made.m.get(-1, 2) < 2 and (made.centred != 0)[made.pooled == -1].any():
            df = math.nan
    difference = sides[1].value - sides[0].value
    unbiased = difference - (sides[1].bias - sides[0].bias)
    error = math.sqrt(
        (variance + one_more**2) / total**2
        + (unbiased - difference) ** 2 + sides[0].unseen ** 2 + sides[1].unseen ** 2
    )  # fmt: skip
    if abs(difference) < 1e-12 or unbiased * difference < 0:  # 0 but for rounding
        unbiased = 0.0
    t = abs(unbiased) / error if unbiased else 0.0
    if groups is not None:
        p_value, x = 2 * stats.t.sf(t, df), stats.t.ppf((1 + level) / 2, df)
    else:
        z = NormalDist().inv_cdf((1 + level) / 2)
        p_value, x = 2 * stats.norm.sf(t / math.sqrt(1 + t * t / n)), math.inf
        if z * z < n:
            x = z / math.sqrt(1 - z * z / n)
    p_value = max(p_value, min(0.5 ** (n_differ - 1), 1))
    ends = [unbiased - x * error, unbiased + x * error, difference]
    if not p_value < 1 - level:
        ends.append(0.0)
    signed = ("informedness", "markedness", "cohen_kappa", "matthews_corrcoef")
    width = 2.0 if score[0] in signed else 1.0
    return difference, error, p_value, (max(min(ends), -width), min(max(ends), width))
