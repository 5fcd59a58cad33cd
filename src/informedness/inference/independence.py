"""Test of independence, which asks whether predictions could be guesses.

Guesses do not depend on the references, so every permutation of them is equally likely.
Informedness detects weak ability among many classes; Pearson's chi-squared detects consistently
wrong models. Neither alone detects both, so one p-value combines them for every score.
"""

import math
from collections.abc import Callable

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table
from .class_scores import ratio_or_zero
from .score import effective_sample_size

_MOST_PERMUTED = 2000  # samples; with more, the gamma distribution is accurate in the tail
_N_PERMUTATIONS = 999


def guessing_p_value(table: Table) -> float:
    """Test whether predictions could be guesses: the chance that guesses fit this well.

    It is twice the smaller of two permutation p-values, one of Informedness and one of chi-squared.
    For two classes all tables with these margins are listed, and those that fit equally well count
    half (mid-p). Otherwise predictions of up to 2,000 samples are permuted; for more, the moments
    of both statistics are used. It is 1.0 if references or predictions have only one class, or if
    there are at most three samples.
    """
    r, c, size, counted = effective_totals(table)
    n_rows, n_columns = np.count_nonzero(r), np.count_nonzero(c)
    if min(n_rows, n_columns) < 2 or size <= 3:
        return 1.0
    # Informedness is the sum of gain x hits, up to a constant that the margins fix
    gains = c / size * (ratio_or_zero(1.0, r) + ratio_or_zero(1.0, (size - r) * (r > 0)))
    if counted is not None and n_rows == n_columns == 2:
        return min(1.0, 2 * min(_exact_p_values(table, gains, *counted)))
    p_of_hits = _normal_tail(table, gains, r, c, size)
    if counted is not None and has_rare_cells(r, c, size) and p_of_hits > 1e-6:
        p_of_hits = _permuted_p_of_hits(table, gains, *counted)
    return min(1.0, 2 * min(p_of_hits, independence_test(table)))


def _normal_tail(table: Table, gains: Numbers, r: Numbers, c: Numbers, size: float) -> float:
    """Chance of so many hits by their mean and variance (Hoeffding 1951)."""
    mean = (gains * r * c).sum() / size
    row_part, column_part = gains * c / size - mean / size, gains * r / size
    both = row_part + column_part
    variance = (r * c * ((gains - both) ** 2 - both**2)).sum()
    variance += 2 * (r @ row_part) * (c @ column_part) + size * (
        r @ row_part**2 + c @ column_part**2
    )
    if variance <= 1e-12 * mean**2:
        return 1.0
    hits = float((gains * table.hits).sum()) * size / float(table.total)
    return math.erfc((hits - mean) / math.sqrt(2 * variance / (size - 1))) / 2


def _exact_p_values(table: Table, gains: Numbers, r: Codes, c: Codes) -> tuple[float, float]:
    """Compute both p-values for two classes, by listing the tables with these margins."""
    rows, columns = np.flatnonzero(r), np.flatnonzero(c)
    (r1, r2), (c1, _), n = r[rows].tolist(), c[columns].tolist(), int(r.sum())
    first = np.arange(max(0, r1 + c1 - n), min(r1, c1) + 1)
    cells = np.array([first, r1 - first, c1 - first, r2 - c1 + first])
    logarithms = [-sum(math.lgamma(count + 1) for count in column) for column in cells.T.tolist()]
    chances = np.exp(logarithms - np.max(logarithms))
    chances /= chances.sum()

    # fixed margins: one more sample in the first cell, one more in the last, one less in the others
    signs = np.array([1, -1])
    hits = first * (gains[rows] * signs @ np.equal.outer(rows, columns) @ signs)
    distance = np.abs(first - r1 * c1 / n)  # orders tables as chi-squared does
    is_first = (table.rows == rows[0]) & (table.columns == columns[0])
    n_first = round(float(table.counts[is_first].sum()) * n / float(table.total))
    place = n_first - int(first[0])
    return _mid_p(hits, chances, place), _mid_p(distance, chances, place)


def _mid_p(statistics: Numbers, chances: Numbers, place: int) -> float:
    """Chance of a greater statistic than the one at this place, plus half that of an equal one."""
    excess = statistics - statistics[place]
    is_equal = np.abs(excess) <= 1e-9 * (1 + abs(statistics[place]))
    return float(chances[(excess > 0) & ~is_equal].sum() + chances[is_equal].sum() / 2)


def _permuted(r: Codes, c: Codes, statistic: Callable[[Codes, Codes], float]) -> list[float]:
    """Evaluate a statistic for random permutations of predictions, by totals of both margins."""
    rng = np.random.default_rng(0)
    references, predictions = (np.repeat(np.arange(len(totals)), totals) for totals in (r, c))
    return [statistic(references, rng.permutation(predictions)) for _ in range(_N_PERMUTATIONS)]


def _permuted_p_of_hits(table: Table, gains: Numbers, r: Codes, c: Codes) -> float:
    """Share of permutations that score higher; equal scores count half."""

    def gained(references: Codes, predictions: Codes) -> float:
        return float(gains[references[predictions == references]].sum())

    observed = float((gains * table.hits).sum()) * int(r.sum()) / float(table.total)
    statistics = np.array([observed, *_permuted(r, c, gained)])
    return _mid_p(statistics, np.full(len(statistics), 1 / len(statistics)), 0)


def effective_totals(table: Table) -> tuple[Numbers, Numbers, float, tuple[Codes, Codes] | None]:
    """Convert both margins to effective numbers of samples, with their sum, and to counts.

    The counts are None unless they are whole, and few enough for permutations.
    """
    size = effective_sample_size(table)
    one = size / float(table.total)
    r, c = table.reference_totals * one, table.prediction_totals * one
    whole_r, whole_c = np.rint(r).astype(np.int64), np.rint(c).astype(np.int64)
    is_counted = np.allclose(r, whole_r, 0, 1e-6) and np.allclose(c, whole_c, 0, 1e-6)
    return r, c, size, (whole_r, whole_c) if is_counted and size <= _MOST_PERMUTED else None


def has_rare_cells(r: Numbers, c: Numbers, size: float) -> bool:
    """Whether a cell is expected to hold fewer than five samples by chance."""
    return float(r[r > 0].min() * c[c > 0].min()) < 5 * size


def independence_test(table: Table, permute: bool = True) -> float:
    """Test independence by Pearson's chi-squared among all tables with the same margins.

    The gamma distribution is too smooth for few samples and rare classes. There predictions are
    permuted, unless `permute` is False.
    """
    r, c, size, counted = effective_totals(table)
    r, c = r[r > 0], c[c > 0]
    if min(len(r), len(c)) < 2 or size <= 3:
        return 1.0
    statistic = _chi_squared(table, size)
    mean, variance = _moments(r, c, size)
    if statistic <= 0 or variance <= 1e-9 * mean:
        return 1.0  # only one table is possible, or all have the same chi-squared
    p_value = _gamma_tail(mean**2 / variance, statistic * mean / variance)
    if permute and counted is not None and has_rare_cells(r, c, size) and p_value >= 1e-6:
        return _permuted_p_value(statistic, *(np.sort(totals[totals > 0]) for totals in counted))
    return p_value


def _chi_squared(table: Table, size: float) -> float:
    """Pearson's statistic for this effective number of samples."""
    p = table.counts / table.total
    shares = table.reference_totals / table.total, table.prediction_totals / table.total
    expected = shares[0][table.rows] * shares[1][table.columns]
    n_cells = np.count_nonzero(shares[0]) * np.count_nonzero(shares[1])
    empty = max(1 - float(expected.sum()), 0.0) if len(p) < n_cells else 0.0
    return size * (float(((p - expected) ** 2 / expected).sum()) + empty)


def _moments(r: Numbers, c: Numbers, size: float) -> tuple[float, float]:
    """Mean and variance of Pearson's chi-squared over all tables of these margins."""
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    sums = [(len(totals), float((1 / totals).sum())) for totals in (r, c)]
    v_r, v_c = ((k - 1) * max(size - k, 0) / (size - 1) for k, _ in sums)
    w_r, w_c = (max(size * inverses - k**2, 0) / (size - 2) for k, inverses in sums)
    both = max(v_r - w_r, 0) * max(v_c - w_c, 0)
    return mean, 2 * size / (size - 3) * both + size**2 / (size - 1) * w_r * w_c


def _permuted_p_value(statistic: float, r: Codes, c: Codes) -> float:
    """Share of permutations whose chi-squared is as large."""
    size = int(r.sum())

    def chi_squared(references: Codes, predictions: Codes) -> float:
        fused = np.sort(references * len(c) + predictions)
        starts = np.flatnonzero(np.diff(fused, prepend=-1))
        i, j = np.divmod(fused[starts], len(c))
        cells = np.diff(starts, append=size)
        return size * (float((cells**2 / (r[i] * c[j])).sum()) - 1)

    permuted = np.array(_permuted(r, c, chi_squared))
    n_as_large = 1 + np.count_nonzero(permuted > statistic * (1 - 1e-9) - 1e-9)
    return float(n_as_large) / (_N_PERMUTATIONS + 1)


def _gamma_tail(shape: float, least: float) -> float:
    """Chance that a gamma variate of this shape exceeds the least.

    The density of its logarithm is integrated by Simpson's rule, from ln(least) to where it has
    fallen by e^-45. It is taken relative to its mode at ln(shape), so that no large numbers cancel.
    """
    start = max(least, shape)
    above = start - shape
    stop = math.log(start / shape) + 90 / (above + math.sqrt(above**2 + 90 * start))
    below = math.sqrt(120 / shape) if shape > 120 else 1 + 45 / shape
    first = max(math.log(least / shape), -below)
    y, step = np.linspace(first, stop, 2001, retstep=True)
    with np.errstate(over="ignore"):  # where it is infinite, the density is 0
        density = np.exp(shape * (y - np.expm1(y)))
    density[[0, -1]] /= 2
    total = float((density.sum() + density[1::2].sum()) * 2 / 3 * step)
    if shape > 1e5:
        mode_density = (math.log(shape / (2 * math.pi)) - 1 / (6 * shape)) / 2
    else:
        mode_density = shape * (math.log(shape) - 1) - math.lgamma(shape)
    return min(math.exp(mode_density) * total, 1.0)
