"""Whether a table may be a guesser's: one question, with one answer for every score.

A guesser's predictions have nothing to do with the references, so they could as well be dealt out
to the samples at random. Informedness finds weak ability among many classes, and Pearson's
chi-squared finds models that are consistently wrong; neither alone finds both.
"""

from __future__ import annotations

import math

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table
from .information import are_rare, independence_test, margins_of
from .sums import quotient

_N_PERMUTATIONS = 999
_AT_ONCE = 2**18  # samples dealt out at once, 2 MB


def guessing_p_value(table: Table) -> float:
    """Return how often a guesser's predictions would fit the references this well.

    It is twice the smaller of two p-values, for predictions dealt out at random: that Informedness
    is as high, and that chi-squared is. For two classes all tables with these margins are listed,
    and those that fit equally well count half (mid-p). Otherwise the predictions of up to 2,000
    samples are really dealt out, and the moments of both statistics are used for more. It is 1.0 if
    either side has only one class.
    """
    r, c, size, whole = margins_of(table)
    rows, columns = np.flatnonzero(r), np.flatnonzero(c)
    if min(len(rows), len(columns)) < 2 or size <= 3:
        return 1.0
    # Informedness is the sum of gain x hits, up to a constant that the margins fix
    gains = c / size * (quotient(1.0, r) + quotient(1.0, (size - r) * (r > 0)))
    p_by_moments = _upper_tail(table, gains, r, c, size)
    associated = independence_test(table)
    if whole is not None and len(rows) == len(columns) == 2:
        return _doubled(*_by_listing(table, gains, whole))
    if whole is not None and are_rare(r, c, size) and p_by_moments > 1e-6:
        p_by_moments = _by_dealing(table, gains, whole)
    return _doubled(p_by_moments, associated)


def _doubled(*p_values: float) -> float:
    return min(1.0, 2 * min(p_values))


def _upper_tail(table: Table, gains: Numbers, r: Numbers, c: Numbers, size: float) -> float:
    """Return the chance of so many hits by their mean and variance (Hoeffding 1951)."""
    mean = (gains * r * c).sum() / size
    of_row, of_column = gains * c / size - mean / size, gains * r / size
    both = of_row + of_column
    variance = (r * c * ((gains - both) ** 2 - both**2)).sum() + 2 * (r * of_row).sum() * (
        c * of_column
    ).sum()
    variance += size * ((r * of_row**2).sum() + (c * of_column**2).sum())
    if variance <= 1e-12 * mean**2:
        return 1.0
    hits = float((gains * table.hits).sum()) * size / float(table.total)
    return math.erfc((hits - mean) / math.sqrt(2 * variance / (size - 1))) / 2


def _by_listing(table: Table, gains: Numbers, margins: list[Codes]) -> tuple[float, float]:
    """Return both p-values for two classes, by listing the tables with these margins."""
    (i, other_i), (j, other_j) = (np.flatnonzero(x) for x in margins)
    r, c = margins
    n = int(r.sum())
    x = np.arange(max(0, int(r[i] + c[j]) - n), min(int(r[i]), int(c[j])) + 1)
    cells = {
        (i, j): x,
        (i, other_j): r[i] - x,
        (other_i, j): c[j] - x,
        (other_i, other_j): r[other_i] - c[j] + x,
    }
    logarithm = -sum(_log_factorial(counts) for counts in cells.values())
    chance = np.exp(logarithm - np.max(logarithm))
    chance /= chance.sum()
    hits = sum(gains[a] * counts for (a, b), counts in cells.items() if a == b)
    hits = np.broadcast_to(hits, x.shape)
    gap = np.abs(x - r[i] * c[j] / n)  # which orders tables as chi-squared does
    there = (table.rows == i) & (table.columns == j)
    at = round(float(table.counts[there].sum()) * n / float(table.total)) - int(x[0])
    return _mid_p(hits, chance, at), _mid_p(gap, chance, at)


def _log_factorial(counts: Numbers) -> Numbers:
    return np.array([math.lgamma(count + 1) for count in counts.tolist()])


def _mid_p(statistic: Numbers, chance: Numbers, at: int) -> float:
    """Return the chance of a greater statistic than that here, and half that of an equal one."""
    excess = statistic - statistic[at]
    near = np.abs(excess) <= 1e-9 * (1 + abs(statistic[at]))
    return float(chance[(excess > 0) & ~near].sum() + chance[near].sum() / 2)


def _by_dealing(table: Table, gains: Numbers, margins: list[Codes]) -> float:
    """Return how often dealt out predictions score as high; equal scores count half."""
    rng = np.random.default_rng(0)
    references, predictions = (np.repeat(np.arange(len(x)), x) for x in margins)
    n = len(references)
    observed = float((gains * table.hits).sum()) * n / float(table.total)
    found, left = 0.5, _N_PERMUTATIONS
    while left:
        n_dealt = min(left, max(1, _AT_ONCE // n))
        dealt = rng.permuted(np.tile(predictions, (n_dealt, 1)), axis=1)
        excess = ((dealt == references) * gains[references]).sum(axis=1) - observed
        near = np.abs(excess) <= 1e-9 * (1 + abs(observed))
        found += np.count_nonzero((excess > 0) & ~near) + np.count_nonzero(near) / 2
        left -= n_dealt
    return float(found / (_N_PERMUTATIONS + 1))
