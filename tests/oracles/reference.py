"""Every interval of docs/formulas.md, on a whole k x k table of declared classes.

Nothing of the package is used. `squares` are the sums of squared weights of the cells, `prior` the
shares that rows are reweighted to; `without` names parts to leave out, to study what they buy.
"""

import math
from collections import Counter
from fractions import Fraction
from statistics import NormalDist

import numpy as np
from scipy.special import digamma, gammaincc

from oracles import dense
from oracles.dense import over

SWAPPED = {"bias": "prevalence", "prevalence": "bias", "macro": "macro"}


def slopes(h, r, c, metric, average):
    """Return a, b and u: the derivative of the score by p_ij is a_i + b_j + u_i [i = j]."""
    steps = 1e-30j * np.eye(len(r))
    return [
        dense.of_margins(*moved, 1.0, metric, average).imag / 1e-30 + np.zeros(len(r))
        for moved in ((h, r + steps, c), (h, r, c + steps), (h + steps, r, c))
    ]


def excess(n, squares, prior=None):
    """Return what samples add to Informedness by "bias", estimated from the variance of each cell.

    A class of one reference takes the recall of all.
    """
    r, total = n.sum(axis=1), n.sum()
    scored = r if prior is None else prior * total
    size, recall = over(r**2, squares.sum(axis=1)), np.trace(n) / total
    share = over(n, r[:, None])
    variance = share * (1 - share) * over(size, size - 1)[:, None]
    alone = (r > 0) & (size < 1.5)
    variance[alone] = 0
    variance = variance * (squares.sum(axis=1) * over(scored, r) ** 2)[:, None]
    signed = np.where(np.eye(len(n)) > 0, over(1, scored), -over(1, total - scored) * (r > 0))
    of_one = squares.sum(axis=1) * over(scored, r) ** 2 * recall * (1 - recall)
    of_one = of_one * (over(1, scored) - over(1, total - scored))
    return ((variance * signed).sum() + of_one[alone].sum()) / total


def interval(
    n, metric, average=None, level=0.95, squares=None, prior=None, without=(), of_groups=None
):
    """Return the score, its standard error and the ends of its interval.

    `of_groups` is the standard error of samples in groups.
    """
    n = np.asarray(n, float)
    squares = n if squares is None else np.asarray(squares, float)
    if metric == "markedness":
        turned = n.T, "informedness", SWAPPED[average], level, squares.T
        return interval(*turned, None, without, of_groups)
    if metric in ("nit", "ema"):
        return of_entropies(n, metric, level, squares, without, of_groups)
    z, total, row = NormalDist().inv_cdf((1 + level) / 2), n.sum(), n.sum(axis=1)
    p = n / total if prior is None else over(n, row[:, None]) * prior[:, None]
    h, r, c = np.diag(p), p.sum(axis=1), p.sum(axis=0)
    value = dense.of_margins(h, r, c, 1.0, metric, average)
    a, b, u = slopes(h, r, c, metric, average)
    g, there, q = (a[:, None] + b + np.diag(u))[r > 0], r > 0, squares[r > 0]
    mean = (n[there] * g).sum(axis=1) / row[there]
    centre = (p[there] * g).sum() if prior is None else mean[:, None]
    weight = (r / np.where(there, row, 1))[there, None]  # of a sample in the score
    error = math.sqrt((q * (weight * (g - centre)) ** 2).sum())
    # Each row: its effective size, the variance of g, and how far its mean can move either way.
    of_row, share = q.sum(axis=1), r[there]
    size, spread = row[there] ** 2 / of_row, (q * (g - mean[:, None]) ** 2).sum(axis=1) / of_row
    if of_groups is not None:
        error = of_groups
    # With weights, an error not yet made weighs as much as the heaviest.
    heaviest = np.maximum(of_row / row[there], over(squares.sum(axis=0), n.sum(axis=0)).max())
    least_size = row[there] / heaviest
    furthest = [mean - g.min(axis=1), g.max(axis=1) - mean]
    furthest = [np.where(d < 1e-13 * np.abs(g).max(), 0, d) for d in furthest]
    span = sum(furthest)
    # Few samples show less than their variance.
    place = over((share * furthest[0]).sum(), (share * span).sum())
    unseen = place * (1 - place) * (span / size) ** 2 * ("unseen" not in without)
    variance = spread / size + unseen
    shortest = z * math.sqrt(error**2 + (share**2 * unseen).sum())
    reaches = []
    for d in furthest:
        d = np.maximum(d, 1e-50)  # x solves x^2 = z^2 (1 - x / d) (variance + x d / size): Wilson
        half = z**2 / 2 * (d / least_size - variance / d) / (1 + z**2 / least_size)
        product = z**2 * variance / (1 + z**2 / least_size)
        root = np.sqrt(half**2 + product)
        x = np.where(half > 0, half + root, over(product, root - half))
        if "wilson" in without:
            x = z * np.sqrt(variance)
        reach = math.sqrt(((share * x) ** 2).sum())
        # At most as if every error were the worst; at least the normal interval.
        worst = z**2 / 2 * (share * d / least_size).max()
        if "cap" not in without:
            reach = min(reach, worst + math.sqrt(shortest**2 + worst**2))
        reaches.append(reach if "floor" in without else max(reach, shortest))
    ends = [value]
    if prior is None and not there.all() and "absent" not in without:
        # A declared class without a reference may have had some: all right, or none.
        lost = min(z**2 * squares.sum() / total**2, 1 / 4)
        lost = np.where(there, 0, lost / (~there).sum())
        found = ((h + x, r + lost, c + x) for x in (0, lost))
        ends += [dense.of_margins(*moved, 1.0, metric, average) for moved in found]
    shift = excess(n, squares, prior) if average == "bias" and "excess" not in without else 0.0
    lowest = -1 if metric in ("informedness", "cohen_kappa", "matthews_corrcoef") else 0
    low, high = min(ends) - shift - reaches[0], max(ends) - shift + reaches[1]
    return value, error, min(max(low, lowest), value), max(min(high, 1), value)


class Groups:
    """The variance of a sum of what samples in groups move, with the degrees of freedom.

    Of a class, S = B x with x the means of its groups and B = diag(n)(I - 1 w'), w = n / sum n. If
    the x have one variance, S'S is too small by f and has df degrees of freedom. Classes with fewer
    than two effective groups are one, which varies at least as the others do. Satterthwaite (1946)
    for each class, and for their sum.
    `furthest` is how far another answer to each sample moves the sum.
    """

    def __init__(self, classes, groups, weights, moved, furthest):
        self.names, n_groups = sorted(set(groups)), len(set(groups))
        self.classes, self.groups, self.weights = classes, np.array(groups), weights
        centred = np.zeros(len(classes))
        for c in set(classes):
            of_c = classes == c
            centred[of_c] = moved[of_c] - (weights * moved)[of_c].sum() / weights[of_c].sum()
        single = [c for c in set(classes) if self.number_of(classes == c) < 2 - 1e-9]
        pooled = np.where(np.isin(classes, single), -1, classes)
        self.m = {c: self.number_of(pooled == c) for c in set(pooled)}
        self.f, self.dfs = dict.fromkeys(self.m, 0.0), dict.fromkeys(self.m, 1.0)
        for c in (c for c, m in self.m.items() if m > 2 - 1e-9):
            n = self.sums_of(pooled == c, weights)
            b = np.diag(n) @ (np.eye(len(n)) - np.outer(np.ones(len(n)), n / n.sum()))
            self.f[c] = (n**2).sum() / np.trace(b.T @ b)
            self.dfs[c] = np.trace(b.T @ b) ** 2 / np.trace(b.T @ b @ b.T @ b)
        sums = {c: self.sums_of(pooled == c, weights * centred) for c in self.m}
        self.v = {c: self.f[c] * (sums[c] ** 2).sum() for c in self.m}
        within = (sum(math.sqrt(self.f[c]) * sums[c] for c in self.m) ** 2).sum()
        every = np.full(len(classes), True)
        mean = (weights * moved).sum() / weights.sum()
        overall = (self.sums_of(every, weights * (moved - mean)) ** 2).sum()
        most = max(n_groups - 2, 1)
        self.pooled, self.room = pooled, weights * furthest
        missing = 0.0
        if -1 in self.m:
            room = {c: (self.sums_of(pooled == c, self.room) ** 2).sum() for c in self.m}
            others = sum(self.v[c] for c in self.m if c != -1)
            scale = sum(room[c] for c in self.m if c != -1)
            missing = max((others * room[-1] / scale if scale else 0) - self.v[-1], 0)
            self.v[-1] += missing
        self.variance = max(within + missing, (n_groups - 1) / most * overall)
        parts = sum(v**2 / self.dfs[c] for c, v in self.v.items())
        self.df = min(sum(self.v.values()) ** 2 / parts, most) if parts else most
        self.centred = centred

    def sums_of(self, chosen, values):
        """Return the sum over the chosen samples of each group."""
        return np.array([values[chosen & (self.groups == name)].sum() for name in self.names])

    def number_of(self, chosen):
        """Return the effective number of groups that hold the chosen samples."""
        sizes = self.sums_of(chosen, self.weights)
        return sizes.sum() ** 2 / (sizes**2).sum()

    def of_one_more(self):
        """Return how far the answers to one more group move the sum."""
        room = self.sums_of(np.full(len(self.classes), True), self.room)
        found = []
        for c in self.m:
            holds = self.sums_of(self.pooled == c, self.weights) > 0
            found.append((room[holds] ** 2).sum() / room[holds].sum())
        return max(found)


def of_groups(sides, squares, moved, furthest, weights, groups, metric, average=None, level=0.95):
    """Return the standard error and the interval of samples in groups.

    `moved` is the derivative of the score by the weight of each sample. Each row, or for NIT and
    EMA each cell, has its design effect (Kish 1965; Rao and Scott 1981) of at least 1.
    """
    n = np.zeros(squares.shape)
    np.add.at(n, tuple(sides), weights)
    given = squares, moved, furthest, weights, groups, metric
    rows = sides[metric == "markedness"]
    error = math.sqrt(Groups(rows, groups, weights, moved, furthest).variance)
    squares = squares_of_groups(sides, *given)
    return error, interval(n, metric, average, level, squares, of_groups=error)[2:]


def squares_of_groups(sides, squares, moved, furthest, weights, groups, metric):
    """Return the sums of squared weights times the design effects."""
    n = np.zeros(squares.shape)
    np.add.at(n, tuple(sides), weights)
    rows = sides[metric == "markedness"]
    made = Groups(rows, groups, weights, moved, furthest)
    effects = np.ones(squares.shape)
    for c in set(rows):
        of_c, q = rows == c, squares.T[c] if metric == "markedness" else squares[c]
        pool = made.pooled[of_c][0]
        sizes = made.sums_of(of_c, weights)
        alike = (sizes**2).sum() / q.sum()
        alone = ((weights * made.centred) ** 2)[made.pooled == pool].sum()
        effect = max(made.v[pool] / alone, 1) if made.v[pool] and pool != -1 else alike
        effect = (made.m[pool] * effect + alike) / (made.m[pool] + 1)
        if metric == "markedness":
            effects[:, c] = effect
        elif metric not in ("nit", "ema"):
            effects[c] = effect
        else:
            for j in np.flatnonzero(n[c]):
                share = n[c, j] / n[c].sum()
                away = made.sums_of(of_c, weights * ((sides[1] == j) - share))
                alone = q.sum() * share * (1 - share)
                of_cell = made.sums_of(of_c & (sides[1] == j), weights)
                alike = (of_cell**2).sum() / q[j]
                effect = over(made.f[pool] * (away**2).sum(), alone)
                effect = max(effect, 1) if effect > 0 and pool != -1 else alike
                effects[c, j] = (made.m[pool] * effect + alike) / (made.m[pool] + 1)
    return effects * squares


def entropy(x):
    return -(x[x > 0] / x.sum() * np.log(x[x > 0] / x.sum())).sum()


def missing(x, squares, n_unseen, without):
    """Return what the entropy lacks, at most so much, and the variance of that.

    By Chao, Wang and Jost (2013), eq. 7, as far as samples weigh 1.
    """
    x, squares = x[x > 0], squares[x > 0]
    size, sizes, share = x.sum() ** 2 / squares.sum(), x**2 / squares, x / x.sum()
    if "unseen kinds" in without:  # Miller and Madow
        return ((len(x) - 1) / (2 * size),) * 2 + (0.0,)
    f1, f2 = (sizes < 1.5).sum(), ((sizes >= 1.5) & (sizes < 2.5)).sum()
    f, rate = share[sizes < 1.5].sum(), 1.0
    if f1 + f2:
        rate = 2 * f2 / ((size - 1) * f1 + 2 * f2) if f2 else 2 / ((size - 1) * (f1 - 1) + 2)
    least = min(rate, f / n_unseen) if f1 and n_unseen and "empty cells" not in without else rate
    seen = (share * (np.log(sizes) - digamma(sizes))).sum() - math.log(size) + digamma(size)
    likely, most = (seen + f * (1 - a) * tail(a, size) for a in (rate, least))
    return likely, most, f**2 / (f2 + 1)


def tail(a, size):
    """Return sum_(r >= size) (1 - a)^(r - size) / r, as the integral over t = e^y."""
    step = 1 / 16
    y = np.arange(-38, 5, step) - math.log(size)
    t = np.exp(y)
    return (np.exp(y - size * t) / (-np.expm1(-t) + a * np.exp(-t))).sum() * step


def unbiased(n, squares, metric, without=()):
    """Return the scale of NIT = exp(MI) / k or EMA = exp(-H(ref|pred)), and parts of its log.

    These are the value, the derivative by each cell, the value without its bias, and what the
    entropies of the cells and of the references lack.
    """
    r, c, k = n.sum(axis=1), n.sum(axis=0), len(n)
    scale, of_rows = (1 / k, 1) if metric == "nit" else (1, 0)
    logarithm = entropy(c) - entropy(n) + of_rows * entropy(r)
    with np.errstate(divide="ignore", invalid="ignore"):  # of empty cells
        g = np.log(n / c) - of_rows * np.log(r)[:, None]
    of_cells = missing(n, squares, k * (c > 0).sum() - (n > 0).sum(), without)
    of_refs = missing(r, squares.sum(axis=1), k - (r > 0).sum(), without)
    of_predictions = missing(c, squares.sum(axis=0), 0, without)
    centre = logarithm - of_cells[0] + of_predictions[0] + of_rows * of_refs[0]
    return scale, logarithm, g, centre, of_cells, of_refs


def of_entropies(n, metric, level, squares, without, of_groups=None):
    """Return the same of NIT or EMA."""
    z, total, r, c = NormalDist().inv_cdf((1 + level) / 2), n.sum(), n.sum(axis=1), n.sum(axis=0)
    scale, logarithm, g, centre, of_cells, of_refs = unbiased(n, squares, metric, without)
    size, there, value = total**2 / squares.sum(), n > 0, scale * math.exp(logarithm)
    away = g[there] - (n[there] * g[there]).sum() / total
    variance = (squares[there] * away**2).sum() / total**2
    error = value * math.sqrt(variance)
    if of_groups is not None:
        error, variance = of_groups, (of_groups / value) ** 2

    def reach(v, slope):
        return z**2 * slope / 2 + math.sqrt((z**2 * slope / 2) ** 2 + z**2 * v)

    surprise, share = -np.log(r[r > 0] / total), r[r > 0] / total
    mean, most = entropy(r), (share * surprise**2).sum() / entropy(r)
    chance = 0.0
    if metric == "ema":
        b = (most - mean) / size
        chance = -mean - of_refs[1] - reach(mean * b + of_refs[2], b)
    least = centre + of_cells[0] - of_cells[1]
    if of_groups is not None:  # as if the groups of each class were given
        given = (squares * (over(n * total, np.outer(r, c)) - 1)).sum() / total**2 / 2
        least -= given
    least = max(least, chance)
    variance += (of_cells[2] + of_refs[2]) * ("variance" not in without)
    left = (most if metric == "nit" else 0) - logarithm
    up = min(max(left, 0), math.log(size)) / size * ("slope" not in without)
    down = math.log(size) / size * ("slope" not in without) - up
    if metric == "nit" and "slope" not in without:
        down -= variance / max(logarithm, 1 / size)
    low, high = least - reach(variance, down), max(centre, chance) + reach(variance, up)
    if p_by_chance(n / total, r * size / total, c * size / total, size) > 1 - level:
        low = chance
    low, high = (scale * math.exp(max(end, chance)) for end in (low, high))
    return value, error, min(max(low, 0), value), max(min(high, 1), value)


def p_by_chance(p, r, c, size):
    """Return the p-value of Pearson's chi-squared by a gamma distribution with its moments."""
    r, c = r[r > 0], c[c > 0]
    if min(len(r), len(c)) < 2 or size <= 3:
        return 1.0
    expected = np.outer(p.sum(axis=1), p.sum(axis=0))
    statistic = size * (over(p**2, expected).sum() - 1)
    v_r, v_c = ((len(x) - 1) * max(size - len(x), 0) / (size - 1) for x in (r, c))
    w_r, w_c = (max(size * (1 / x).sum() - len(x) ** 2, 0) / (size - 2) for x in (r, c))
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    variance = 2 * size / (size - 3) * max(v_r - w_r, 0) * max(v_c - w_c, 0)
    variance += size**2 / (size - 1) * w_r * w_c
    if variance <= 1e-9 * mean or statistic < 1e-9:
        return 1.0
    return gammaincc(mean**2 / variance, statistic * mean / variance)


def of_answers(references, predictions, weights=None, classes=None, average="bias", prior=None):
    """Return Informedness in exact fractions, with answers that are no class spread over others.

    The classes are those of the references, unless declared; None is no answer. One to a sample of
    class i that is no class is shared out over each other class c by pi_c / (1 - pi_i), with the
    shares pi of the references, or of `prior`.
    """
    weights = [1] * len(references) if weights is None else weights
    triples = zip(references, predictions, map(Fraction, weights), strict=True)
    samples = [x for x in triples if x[2]]
    r, h, c = Counter(), Counter(), Counter()
    for i, _, w in samples:
        r[i] += w
    pi = {x: Fraction(w if prior is None else prior[x]) for x, w in r.items()}
    pi = {x: w / sum(pi.values()) for x, w in pi.items()}
    classes = sorted(pi) if classes is None else classes
    for i, j, w in samples:  # shares of the right answers to a class, and of those that name it
        parts = {x: pi[x] / (1 - pi[i]) for x in pi if x != i} if j not in classes else {j: 1}
        for x, part in parts.items():
            c[x] += w * pi[i] / r[i] * part
            h[x] += w * pi[i] / r[i] * part * (x == i)
    gains = {x: h[x] / pi[x] - (c[x] - h[x]) / (1 - pi[x]) for x in pi if pi[x] < 1}
    if average is None:
        return [gains.get(x, Fraction(0)) for x in classes]
    of_class = {"bias": c, "prevalence": pi, "macro": dict.fromkeys(pi, Fraction(1, len(pi)))}
    return sum(of_class[average][x] * gain for x, gain in gains.items())
