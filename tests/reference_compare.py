"""The comparison of two models from its definition, sample by sample; the package is not used.

With weights and groups, but NIT and EMA without weights. All ways to swap are tried, so few samples
may differ.
"""

import itertools
import math
from functools import cache

import dense


def compare(references, a, b, score, weights=None, groups=None):
    """Return the difference, its standard error, and the p-value of all swaps of groups."""
    references, n = tuple(references), range(len(references))
    weights = weights or [1] * len(n)
    difference, known, error = studentised(references, a, b, score, weights, groups)
    reached, as_far = abs(known) / error, 0
    units = groups or list(n)
    free = sorted({units[t] for t in n if a[t] != b[t]})
    for kept in itertools.product((True, False), repeat=len(free)):
        is_kept = dict(zip(free, kept, strict=True))
        pairs = [(a[t], b[t]) if is_kept.get(units[t], True) else (b[t], a[t]) for t in n]
        sides = zip(*pairs, strict=True)
        _, found, of_found = studentised(references, *sides, score, weights, groups)
        as_far += abs(found) / of_found >= reached * (1 - 1e-9)  # but for rounding
    return difference, error, max(as_far / 2 ** len(free), math.erfc(reached / math.sqrt(2)))


def studentised(references, a, b, score, weights, groups):
    """Return the difference of the scores, that without their bias, and its standard error."""
    k, n = range(1 + max(*references, *a, *b)), range(len(references))
    total, one = sum(weights), sum(w * w for w in weights) / sum(weights)
    of_a, of_b = (table(references, side, weights, len(k)) for side in (a, b))
    everywhere = list(itertools.product(k, k))
    both = [(of_a[i][j] + of_b[i][j]) / 2 for i, j in everywhere]
    middle = tuple(tuple(both[i * len(k) + j] for j in k) for i in k)
    (value_a, g_a), (value_b, g_b), (_, g) = (
        value_and_slopes(cells, score, one) for cells in (of_a, of_b, middle)
    )
    d = [g_b[references[t]][b[t]] - g_a[references[t]][a[t]] for t in n]
    mean = sum(w * x for w, x in zip(weights, d, strict=True)) / total
    sums = dict.fromkeys(groups or n, 0.0)
    for t in n:
        sums[groups[t] if groups else t] += weights[t] * (d[t] - mean)
    growth = len(sums) / (len(sums) - 1) if groups else 1
    variance = growth * sum(x * x for x in sums.values())
    # the made-up sample: its reference, and two answers that differ
    present = sorted(set(references))
    v = [(1 / len(k) + sum(row[j] for row in middle) / total) / 2 for j in k]
    apart = sum(
        v[x] * v[y] * (g[i][y] - g[i][x]) ** 2 for i, x, y in itertools.product(present, k, k)
    )
    variance += one**2 * apart / len(present) / (1 - sum(share**2 for share in v))
    difference = value_b - value_a
    known = 0.0 if abs(difference) < 1e-12 else difference
    if score[0] in ("nit", "ema"):
        (better_a, chance_a), (better_b, chance_b) = (
            without_bias(references, tuple(side), score) for side in (a, b)
        )
        known = better_b - better_a
        variance += (known - difference) ** 2 + (chance_b - chance_a) ** 2
        known = known if known * difference > 0 and abs(known) >= 1e-12 else 0.0
    return difference, known, math.sqrt(variance)


def table(references, answers, weights, k):
    cells = [[0] * k for _ in range(k)]
    for i, j, w in zip(references, answers, weights, strict=True):
        cells[i][j] += w
    return tuple(map(tuple, cells))


@cache
def value_and_slopes(cells, score, one):
    """Return a score and its derivative by each cell; of entropies, an empty one as of a sample."""
    precise = [[dense.mpmath.mpf(x) for x in row] for row in cells]
    dense.mpmath.mp.dps = 50
    value = float(dense.score(precise, *score))
    if score[0] not in ("nit", "ema"):
        slopes = dense.slopes(precise, lambda cells: dense.score(cells, *score))
        return value, [list(map(float, row)) for row in slopes]
    total, columns = sum(map(sum, cells)), [max(sum(x), one) for x in zip(*cells, strict=True)]
    rows = [sum(row) / total if score[0] == "nit" else 1 for row in cells]
    return value, [
        [value / total * math.log((x or one) / (r * c)) if r else 0.0
         for x, c in zip(row, columns, strict=True)]
        for row, r in zip(cells, rows, strict=True)
    ]  # fmt: skip


@cache
def without_bias(references, answers, score):
    """Return the jackknifed value of NIT or EMA, and the most that chance adds to it."""
    k, n = 1 + max(*references, *answers), len(references)
    shares = [references.count(i) / n for i in range(k) if i in references]
    entropy = -sum(share * math.log(share) for share in shares)
    scale, least = (1 / len(shares), 0) if score[0] == "nit" else (1, -entropy)

    def logarithm(kept):
        cells = table([references[t] for t in kept], [answers[t] for t in kept], [1] * len(kept), k)
        transferred = float(dense.information(cells))
        if score[0] == "nit":
            return transferred
        totals = [sum(row) / len(kept) for row in cells]
        return transferred + sum(x * math.log(x) for x in totals if x)

    whole = logarithm(range(n))
    without = [logarithm([t for t in range(n) if t != out]) for out in range(n)]
    jackknifed = n * whole - (n - 1) * sum(without) / n
    most = sum(min((len(shares) - 1) / 2, answers.count(j) * entropy) for j in range(k)) / n
    return scale * math.exp(max(jackknifed, least)), scale * math.exp(whole) * most
