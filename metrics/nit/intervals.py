"""Standard errors and confidence intervals: the delta method, the bootstrap of cells, NIT's own.

With p the shares of the cells, N the samples and g the gradient of a score with respect to p, the
standard error is sqrt((sum p g^2 - (sum p g)^2) / N): the delta method. The bootstrap draws the
cells anew, never the samples, so both cost the same for a thousand samples and for a billion.

Intervals have to hold where errors are few as well. The *pseudo-sample* is one made-up sample: a
reference drawn evenly from the classes there are, and a prediction drawn half evenly, half by bias.
It stands for the error that did not happen to occur, and gives a table without errors a width.

Sources: Rubin (1981), "The Bayesian bootstrap"; Efron (1987), "Better bootstrap confidence
intervals"; Miller (1974), "The jackknife: a review".
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from . import contingency
from .coding import Codes, sum_by
from .contingency import Average, ContingencyTable, Numbers, ratio


class Score(NamedTuple):
    """Which score an interval is of."""

    metric: str
    average: Average = None
    shares: Numbers | None = None  # of the classes, where the references are reweighted

    def oriented(self) -> tuple[Score, bool]:
        """Return markedness as informedness, and whether it is of the transposed table."""
        if self.metric != "markedness":
            return self, False
        swapped: dict[Average, Average] = {"bias": "prevalence", "prevalence": "bias"}
        return Score("informedness", swapped.get(self.average, self.average)), True


class Interval(NamedTuple):
    """A standard error, and the ends of an interval that contains the score."""

    standard_error: float
    low: float
    high: float


def squared_weights(table: ContingencyTable) -> Numbers:
    """Return the sum of squared weights of each cell, which is its count where none are given."""
    squares = table.counts if table.counts.dtype.kind == "i" else table.squared_weights
    known = squares is not None and (squares > 0).all()
    if squares is None or not (known and np.isfinite(squares.sum(dtype=np.float64))):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels, or pass squared_weights= beside the sums of weights"
        )
    return squares.astype(np.float64)


def effective_sample_size(table: ContingencyTable) -> float:
    """Return (sum w)^2 / sum w^2, the number of samples where there are no weights."""
    return float(table.total) ** 2 / float(squared_weights(table).sum())


def delta_interval(table: ContingencyTable, score: Score, value: float, level: float) -> Interval:
    """Return value +- z SE; this SE is of the table and a pseudo-sample together."""
    one = float(squared_weights(table).sum() / table.total)
    reach = _normal(level) * _delta_error(table, score, one)
    ends = _around(score, value, value - reach, value + reach)
    return Interval(_delta_error(table, score, 0.0), *ends)


def bootstrap_interval(
    table: ContingencyTable, score: Score, value: float, level: float, n_resamples: int, seed: int
) -> Interval:
    """Return the quantiles of resamples that have a pseudo-sample each.

    Their middle is the quantile at which the value stands among resamples without one: half of
    Efron's bias correction, which moves the middle from the median to the value.
    """
    plain, drawn = resampled(table, score, n_resamples, seed)
    at = np.mean(plain < value - 1e-12) + np.mean(np.abs(plain - value) <= 1e-12) / 2
    ends = quantiles(drawn, level, float(at))
    return Interval(_delta_error(table, score, 0.0), *_around(score, value, *ends))


def _around(score: Score, value: float, low: float, high: float) -> tuple[float, float]:
    """Return the ends within what the score can be, and on either side of the value."""
    least = 0.0 if score.metric in ("accuracy", "balanced_accuracy") else -1.0
    return min(max(low, least), value), max(min(high, 1.0), value)


def _normal(level: float) -> float:
    """Return z, within which of 0 a standard normal number lies this often."""
    from statistics import NormalDist  # which imports half the library

    return NormalDist().inv_cdf((1 + level) / 2)


def quantiles(drawn: Numbers, level: float, at: float = 0.5) -> tuple[float, float]:
    """Return the quantiles between which lies this share of `drawn` around the quantile `at`."""
    from statistics import NormalDist

    normal, least, reach = NormalDist(), 1 / len(drawn), _normal(level)
    middle = normal.inv_cdf(min(max(at, least), 1 - least))
    low, high = np.quantile(drawn, [normal.cdf(middle - reach), normal.cdf(middle + reach)])
    return float(low), float(high)


def pseudo_sample(table: ContingencyTable) -> tuple[Numbers, Numbers]:
    """Return the chances of each class to be its reference, and its prediction."""
    present, bias = table.reference_totals > 0, table.prediction_totals / table.total
    return present / np.count_nonzero(present), (1 / len(bias) + bias) / 2


class _Margins(NamedTuple):
    """What scores other than NIT are made of; arrays of shape (k,)."""

    hits: Numbers
    rows: Numbers
    columns: Numbers


def _delta_error(table: ContingencyTable, score: Score, pseudo: float) -> float:
    """Return the standard error of the table and a pseudo-sample of this weight together.

    The gradient is g_ij = f_i (a_i + b_j + u_i [i = j]), so that the pseudo-sample, which may be in
    any cell, takes sums over classes only.
    """
    q, v = pseudo_sample(table)
    n, counts, squares = float(table.total) + pseudo, table.counts, squared_weights(table)
    i, j, right = table.rows, table.columns, table.rows == table.columns
    r, h = table.reference_totals + pseudo * q, table.hits + pseudo * q * v
    f = np.ones(len(r)) if score.shares is None else _quotient(score.shares * n, r)
    c = sum_by(j, counts * f[i], len(r)) + pseudo * (q @ f) * v
    a, b, u = _gradient(_Margins(f * h / n, f * r / n, c / n), score)
    if score.shares is not None:  # within a class only how its predictions are shared out varies
        a = -_quotient(sum_by(i, counts * b[j], len(r)) + pseudo * q * (v @ b) + h * u, r)
    g = f[i] * (a[i] + b[j] + u[i] * right)
    first = q @ (f * (a + v @ b + v * u))
    second = q @ (f**2 * (a**2 + 2 * a * (v @ b) + v @ b**2 + v * u * (2 * (a + b) + u)))
    mean = (counts @ g + pseudo * first) / n
    scale = f[i] * (np.abs(a[i]) + np.abs(b[j]) + np.abs(u[i]))
    gaps = _gaps(g, mean, scale + counts @ scale / n)
    variance = squares @ gaps**2 + pseudo**2 * (second - 2 * mean * first + mean**2)
    return math.sqrt(max(float(variance), 0.0)) / n


def _gaps(values: Numbers, mean: float, scale: Numbers) -> Numbers:
    """Return how far values are from their mean: 0 within the rounding of terms of this size."""
    gaps = values - mean
    return np.where(np.abs(gaps) > 1e-14 * scale, gaps, 0.0)


def _gradient(shares: _Margins, score: Score) -> tuple[Numbers, Numbers, Numbers]:
    """Return a, b, u of a score's gradient a_i + b_j + u_i [i = j] with respect to shares p_ij."""
    right, pi, beta = shares
    zero, k = np.zeros(len(pi)), np.count_nonzero(pi)
    if score.metric == "accuracy":
        return zero, zero, zero + 1
    if score.metric == "balanced_accuracy":
        u = _quotient(1 / k, pi)
        return -u * _quotient(right, pi), zero, u
    if score.metric == "matthews_corrcoef":
        s, t = 1 - pi @ pi, 1 - beta @ beta
        root = math.sqrt(s * t)
        mcc = (right.sum() - pi @ beta) / root
        return mcc * pi / s - beta / root, mcc * beta / t - pi / root, zero + 1 / root
    spread = pi * (1 - pi)
    gains = _quotient(right, pi) - _quotient(beta - right, 1 - pi)
    gains[pi == 0] = 0
    weights = {"bias": beta, "prevalence": pi, "macro": (pi > 0) / k}[str(score.average)]
    u = _quotient(weights, spread)
    a, b = -u * (beta + (1 - 2 * pi) * gains), -u * pi
    if score.average == "prevalence":
        a = a + gains
    return a, b + gains if score.average == "bias" else b, u


def _quotient(numerator: Any, denominator: Numbers) -> Numbers:
    """Return the quotients, 0 where the denominator is 0."""
    shape = np.broadcast_shapes(np.shape(numerator), np.shape(denominator))
    return np.asarray(np.divide(numerator, denominator, out=np.zeros(shape), where=denominator > 0))


def resampled(
    table: ContingencyTable, score: Score, n_resamples: int, seed: int
) -> tuple[Numbers, Numbers]:
    """Return the score of each resample of the cells, without a pseudo-sample and with one.

    A cell of n samples is drawn anew as gamma(n), so that the shares of the cells are
    Dirichlet(n): the Bayesian bootstrap. Cells of weights are drawn with the mean and the variance
    of their sums. For NIT the score is MI in nats.
    """
    rng, squares = np.random.default_rng(seed), squared_weights(table)
    unit, one = squares / table.counts, float(squares.sum() / table.total)
    chances = [np.cumsum(side) for side in pseudo_sample(table)]
    k, n_cells = len(table.labels), len(unit)
    without, with_one = [], []
    chunk = max(1, 2**20 // (n_cells + 4 * k))  # of 8 MB, and at least one resample
    for start in range(0, n_resamples, chunk):
        resample = np.arange(min(chunk, n_resamples - start))
        cells = np.zeros((n_cells + 1, len(resample)))  # the last is any cell outside the table
        rng.standard_gamma((table.counts / unit)[:, None], out=cells[:-1], size=cells[:-1].shape)
        cells[:-1] *= unit[:, None]
        row, column = (
            np.searchsorted(x, rng.random(len(resample)) * x[-1], "right") for x in chances
        )
        without.append(scores_of(cells, table, row, column, score))
        place = cell_at(table, row, column)
        cells[place, resample] += one * rng.standard_exponential(len(resample))
        with_one.append(scores_of(cells, table, row, column, score))
    return np.concatenate(without), np.concatenate(with_one)


def cell_at(table: ContingencyTable, rows: Codes, columns: Codes) -> Codes:
    """Return which cell of the table each of these is, the number of cells where it is none."""
    k = len(table.labels)
    fused, wanted = table.rows * k + table.columns, rows * k + columns
    place = np.searchsorted(fused[:-1], wanted)
    place[fused[place] != wanted] = len(fused)
    return place


def scores_of(
    cells: Numbers, table: ContingencyTable, row: Numbers, column: Numbers, score: Score
) -> Numbers:
    """Return the score of each column of `cells`, whose last row is a cell outside the table."""
    k, resample = len(table.labels), np.arange(cells.shape[1])
    r = sums_by(cells[:-1], table.rows, k)
    r[row, resample] += cells[-1]
    n = r.sum(axis=0)
    if score.shares is not None:
        factors = _quotient(score.shares[:, None] * n, r)
        cells = cells * np.vstack([factors[table.rows], factors[row, resample]])
        r = score.shares[:, None] * n
    order = np.argsort(table.columns, kind="stable")
    c = sums_by(cells[order], table.columns[order], k)
    c[column, resample] += cells[-1]
    if score.metric == "nit":
        return np.asarray((_entropic(cells) - _entropic(r) - _entropic(c)) / n + np.log(n))
    h, right = np.zeros_like(r), np.flatnonzero(table.rows == table.columns)
    h[table.rows[right]] = cells[right]
    h[row, resample] += np.where(row == column, cells[-1], 0)
    if score.metric == "accuracy":
        return np.asarray(h.sum(axis=0) / n)
    if score.metric == "matthews_corrcoef":
        pi, beta = r / n, c / n
        spread = (1 - (pi * pi).sum(axis=0)) * (1 - (beta * beta).sum(axis=0))
        gain = h.sum(axis=0) / n - (pi * beta).sum(axis=0)
        return _quotient(gain, np.sqrt(np.maximum(spread, 0)))
    tpr = _quotient(h, r)
    present = np.count_nonzero(r, axis=0)
    if score.metric == "balanced_accuracy":
        return np.asarray(tpr.sum(axis=0) / present)
    gains = np.where(r < n, tpr - _quotient(c - h, n - r), 0)
    gains[r == 0] = 0
    if score.average == "macro":
        return np.asarray(gains.sum(axis=0) / present)
    return np.asarray(((c if score.average == "bias" else r) * gains).sum(axis=0) / n)


def sums_by(cells: Numbers, codes: Numbers, k: int) -> Numbers:
    """Return the sums of the rows of `cells` by their codes, which are sorted."""
    sums, starts = np.zeros((k, cells.shape[1])), np.flatnonzero(np.diff(codes, prepend=-1))
    sums[codes[starts]] = np.add.reduceat(cells[: len(codes)], starts, axis=0)
    return sums


def _entropic(amounts: Numbers) -> Numbers:
    """Return the sum of x ln x over the first axis."""
    return np.asarray((amounts * np.log(np.where(amounts > 0, amounts, 1))).sum(axis=0))


def nit_interval(
    table: ContingencyTable, value: float, level: float, resamples: tuple[int, int] | None = None
) -> Interval:
    """Return the interval of NIT, made for MI in nats; with (number, seed) from resamples.

    The plug-in MI is biased up and skewed near chance. So the interval is around the jackknifed
    MI; its upper end allows for a variance that grows with MI, and at independence is that of
    chi-squared; and it starts at chance where the G test cannot tell the table from a guesser's.
    """
    information = contingency.mutual_information(table) * math.log(2)
    chance = value / math.exp(information)
    i, j, squares = table.rows, table.columns, squared_weights(table)
    r, c, n = table.reference_totals, table.prediction_totals, float(table.total)
    pointwise = np.log(ratio(table.counts / r[i], c[j] / n))
    gaps = _gaps(pointwise, information, 1 + np.abs(pointwise))
    error = math.sqrt(float(squares @ gaps**2)) / n
    # the jackknife drops one sample, of this weight, from each cell
    unit, size = squares / table.counts, effective_sample_size(table)
    change = _dropped(table.counts, unit) - _dropped(r[i], unit) - _dropped(c[j], unit)
    shift = (change + _dropped(n, unit) + unit * information) / (n - unit)
    times = table.counts / unit
    centre = max(information - (1 - 1 / size) * float(times @ shift), 0.0)
    variance = (1 - 1 / size) * float(times @ (shift - times @ shift / times.sum()) ** 2)
    variance = float(np.maximum(variance, _smoothed_variance(table)))
    z = _normal(level)
    if resamples is None:
        df = (np.count_nonzero(r) - 1) * (np.count_nonzero(c) - 1)
        # MI below what chance brings says nothing of how its variance grows: by 2 / N a nat there
        missing = max(df / (2 * size) - information, 0.0)
        growth = (variance + 2 * missing / size) / (information + missing) if df else 0.0
        half = z**2 * growth / 2
        low = centre - z * math.sqrt(variance)
        high = centre + half + math.sqrt(half**2 + z**2 * (variance + df / (2 * size**2)))
    else:
        _, drawn = resampled(table, Score("nit"), *resamples)
        low, high = quantiles(drawn - drawn.mean() + centre, level)
    if g_test(table) > 1 - level:
        low = 0.0
    low, high = (chance * math.exp(min(max(end, 0.0), -math.log(chance))) for end in (low, high))
    return Interval(value * error, min(low, value), max(high, value))


def _dropped(amounts: Any, unit: Numbers) -> Numbers:
    """Return f(x - unit) - f(x), f(x) = x ln x, to full precision where x is large."""
    rest = np.maximum(amounts - unit, 0)
    tail = np.where(rest > 0, rest * np.log1p(-np.minimum(unit / amounts, 1 - 1e-16)), 0)
    return np.asarray(tail - unit * np.log(amounts))


def _smoothed_variance(table: ContingencyTable) -> float:
    """Return the variance of MI of the table and a pseudo-sample, spread over all cells, together.

    ln(p / (pi beta)) of an empty cell is a term of its row plus one of its column, so that empty
    cells take sums over classes only.
    """
    i, j, squares = table.rows, table.columns, squared_weights(table)
    one, (q, v) = float(squares.sum() / table.total), pseudo_sample(table)
    n = float(table.total) + one
    pi, beta = ((table.reference_totals + one * q) / n, (table.prediction_totals + one * v) / n)
    a = np.where(q > 0, np.log(ratio(q, pi) * one / n), 0)
    b, share = np.log(v / beta), q[i] * v[j]
    cells = table.counts + one * share
    full = np.log(cells / n / (pi[i] * beta[j]))
    mean = (cells @ full + one * (q @ a + v @ b - share @ (a[i] + b[j]))) / n
    a = a - mean
    empty = q @ a**2 + 2 * (q @ a) * (v @ b) + v @ b**2 - share @ (a[i] + b[j]) ** 2
    filled = (squares + one**2 * share) @ (full - mean) ** 2
    return float(filled + one**2 * empty) / n**2


def g_test(table: ContingencyTable) -> float:
    """Return the p-value of the G test: the chance that a guesser passes on as much information.

    2 N MI (in nats) is chi-squared with (R - 1)(C - 1) degrees of freedom where references and
    predictions are independent; R and C count the classes that occur in each, and N is the
    effective sample size.
    """
    r, c = (np.count_nonzero(x) for x in (table.reference_totals, table.prediction_totals))
    df = (int(r) - 1) * (int(c) - 1)
    half = effective_sample_size(table) * contingency.mutual_information(table) * math.log(2)
    if df == 0 or half <= 0:
        return 1.0
    # the upper incomplete gamma function, which for half-integers is a finite sum; terms further
    # from the largest are below 1e-17 of it
    largest, odd = min(half, df / 2), df % 2 / 2
    reach = 9 * math.sqrt(largest) + 100
    first = max(0, math.floor(largest - reach)) + odd
    powers = np.arange(first, min(df / 2, largest + reach))
    logs = powers * math.log(half) - half - np.array([math.lgamma(x + 1) for x in powers])
    tail = math.erfc(math.sqrt(half)) if df % 2 else 0.0
    return min(float(np.exp(logs).sum()) + tail, 1.0)
