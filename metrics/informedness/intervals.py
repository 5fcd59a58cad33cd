"""Standard errors and confidence intervals: the delta method, the bootstrap of cells, NIT's own.

**Delta method.** A table is N samples of cells with shares p. A score s(p) moves by g_ij = ds/dp_ij
with the share of a cell, so one sample more in cell (i, j) moves it by (g_ij - sum p g) / N, and

    SE^2 = [sum p g^2 - (sum p g)^2] / N;  with weights  SE^2 = sum w^2 (g - mean)^2 / (sum w)^2.

**Bootstrap.** The cells are drawn anew, never the samples, so it costs the same for a thousand
samples and for a billion.

Intervals have to hold where errors are few as well. The *pseudo-sample* is one made-up sample: a
reference drawn evenly from the classes there are, and a prediction drawn half evenly, half by bias.
It stands for the error that did not happen to occur, and gives a table without errors a width.

How often each interval covers the truth is measured by `make coverage`.

Sources: Rubin (1981), "The Bayesian bootstrap"; Efron (1987), "Better bootstrap confidence
intervals"; Chao, Wang and Jost (2013), "Entropy and the species accumulation curve"; Good (1953),
"The population frequencies of species"; Dawson (1954), "A simplified expression for the variance of
the chi-squared function on a contingency table".
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from .labels import Codes, IntervalWarning, Label, Numbers, check_choice, show, warn
from .scores import (
    Score,
    Sums,
    ZeroDivision,
    mutual_information,
    n_classes,
    occurring,
    outside_references,
    quotient,
    ratio,
    read_prior,
    reweighted,
    signature_of,
)
from .table import Table, sum_by


class Interval(NamedTuple):
    """A score with its standard error, and the ends of an interval that contains it."""

    value: float
    standard_error: float
    low: float
    high: float


@dataclass(frozen=True)
class Method:
    """How an interval is made.

    "delta" is closed: value +- z SE, or for NIT its own formula. "bootstrap" takes quantiles of
    resamples. "auto" is what covers best.
    """

    level: float = 0.95
    name: str = "auto"
    n_resamples: int = 9999
    seed: int = 0

    def __post_init__(self) -> None:
        check_choice("method", self.name, ("auto", "delta", "bootstrap"))
        number = isinstance(self.level, (int, float, np.floating))
        if not number or not (self.level > 0 and 1 + self.level < 2):
            raise ValueError(
                f"`confidence_level` must lie between 0 and 1, as 0.95, got {show(self.level)}"
            )
        for name, least in (("n_resamples", 100), ("seed", 0)):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or value < least:
                raise ValueError(f"`{name}` must be an integer from {least} on, got {show(value)}")

    def of(self, score: Score) -> Method:
        """Return the method for a score: what "auto" is for it."""
        return replace(self, name=score.interval_method) if self.name == "auto" else self

    @property
    def signature(self) -> str:
        """All that decides the ends, for the signature of the score."""
        drawn = f",{self.n_resamples},seed:{self.seed}" if self.name == "bootstrap" else ""
        return f"ci:{self.name},{float(self.level)!r}{drawn}"


def interval_of(
    table: Table, score: Score, method: Method, prior: Mapping[Any, float] | None = None
) -> Interval:
    """Return a score of a table with its interval.

    That is nan where the score is undefined, or one over classes and all references of one class.

    Raises
    ------
    ValueError
        If the table holds sums of weights without their squares, or the prior is not valid.
    """
    check_interval_of_prior(score, prior)
    squared_weights(table)  # refuses a table that does not know them
    score, table = score.oriented(table)
    shares, scored = None, table
    if prior is not None:
        shares = read_prior(prior, table)
        scored, shares = reweighted(table, shares), np.nan_to_num(shares)
    one_class = np.count_nonzero(scored.reference_totals) == 1
    if score.undefined(scored) or (one_class and score.over_classes):
        value = score.stand_in if score.undefined(scored) else score.rounded(scored)
        return Interval(value, math.nan, math.nan, math.nan)
    value = score.rounded(scored)
    error = standard_error(table, score, shares)
    method = method.of(score)
    if not score.from_margins:
        low, high = _entropic_ends(table, score, method)
    elif method.name == "delta":
        low, high = _delta_ends(table, score, value, method.level, shares)
    else:
        low, high = _bootstrap_ends(table, score, value, method, shares)
    # in this order none of them swallows a nan
    low, high = max(low, score.lowest), min(high, score.best)
    return Interval(value, error, min(low, value), max(high, value))


def check_interval_of_prior(score: Score, prior: Any) -> None:
    """Raise ValueError for a prior with a score whose error under one is not known."""
    if prior is not None and not (score.name == "informedness" and score.average):
        raise ValueError(
            "`prior` must be left out, except for an average of Informedness: "
            f"got one for {score.name!r}, average={score.average!r}"
        )


def squared_weights(table: Table) -> Numbers:
    """Return the sum of squared weights of each cell, which is its count where none are given."""
    squares = table.squared_weights if table.is_weighted else table.counts
    known = squares is not None and (squares > 0).all()
    if squares is None or not (known and np.isfinite(squares.sum(dtype=np.float64))):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels, or pass squared_weights= beside the sums of weights"
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Return (sum w)^2 / sum w^2, the number of samples where there are no weights."""
    return float(table.total) ** 2 / float(squared_weights(table).sum())


def _normal(level: float) -> float:
    """Return z, within which of 0 a standard normal number lies this often."""
    from statistics import NormalDist  # which imports half the library

    return NormalDist().inv_cdf((1 + level) / 2)


# The delta method


def pseudo_sample(table: Table) -> tuple[Numbers, Numbers]:
    """Return the chances of each class to be its reference, and its prediction."""
    present, bias = table.reference_totals > 0, table.prediction_totals / table.total
    return present / np.count_nonzero(present), (1 / len(bias) + bias) / 2


def standard_error(table: Table, score: Score, shares: Numbers | None = None) -> float:
    """Return the standard error; `shares` are those the references are reweighted to."""
    if score.from_margins:
        return _margin_error(table, score, 0.0, shares)
    gradient, squares = score.cell_gradient(table), squared_weights(table)
    mean = float(table.counts @ gradient) / float(table.total)
    gaps = _gaps(gradient, mean, score.exact(table) + np.abs(gradient))
    return math.sqrt(float(squares @ gaps**2)) / float(table.total)


def _gaps(values: Numbers, mean: float, scale: Numbers) -> Numbers:
    """Return how far values are from their mean: 0 within the rounding of terms of this size.

    So that the error of a constant predictor is 0, and not 1e-17.
    """
    gaps = values - mean
    return np.where(np.abs(gaps) > 1e-14 * scale, gaps, 0.0)


def _delta_ends(
    table: Table, score: Score, value: float, level: float, shares: Numbers | None
) -> tuple[float, float]:
    """Return value +- z SE; this SE is of the table and a pseudo-sample together."""
    one = float(squared_weights(table).sum() / table.total)
    reach = _normal(level) * _margin_error(table, score, one, shares)
    return value - reach, value + reach


def _margin_error(table: Table, score: Score, pseudo: float, shares: Numbers | None) -> float:
    """Return the standard error of the table and a pseudo-sample of this weight together.

    The gradient of a score of hits and totals is a_i + b_j + u_i [i = j]. The pseudo-sample may be
    in any of the k x k cells (i, j), with chance q_i v_j; for such a gradient the sums over them

        first  = sum_ij q_i v_j g_ij    = sum_i q_i (a_i + v.b + v_i u_i)
        second = sum_ij q_i v_j g_ij^2  = sum_i q_i (a_i^2 + 2 a_i v.b + v.b^2
                                                     + v_i u_i (2 a_i + 2 b_i + u_i))

    are sums over classes. Reweighting multiplies row i by f_i = share_i N / r_i. Then the total of
    a row stays, and only how its predictions are shared out varies: a_i is what makes the mean of
    the row's gradient 0.
    """
    q, v = pseudo_sample(table)
    n, counts, squares = float(table.total) + pseudo, table.counts, squared_weights(table)
    i, j, right = table.rows, table.columns, table.rows == table.columns
    r, h = table.reference_totals + pseudo * q, table.hits + pseudo * q * v
    f = np.ones(len(r)) if shares is None else quotient(shares * n, r)
    c = sum_by(j, counts * f[i], len(r)) + pseudo * (q @ f) * v
    margins = f * h / n, f * r / n, c / n, 1.0
    a, b, u = score.gradient(Sums(*margins, occurring(table), n_classes(table), cells=h[:0]))
    if shares is not None:
        a = -quotient(sum_by(i, counts * b[j], len(r)) + pseudo * q * (v @ b) + h * u, r)
    g = f[i] * (a[i] + b[j] + u[i] * right)
    first = q @ (f * (a + v @ b + v * u))
    second = q @ (f**2 * (a**2 + 2 * a * (v @ b) + v @ b**2 + v * u * (2 * (a + b) + u)))
    mean = (counts @ g + pseudo * first) / n
    scale = f[i] * (np.abs(a[i]) + np.abs(b[j]) + np.abs(u[i]))
    gaps = _gaps(g, mean, scale + counts @ scale / n)
    variance = squares @ gaps**2 + pseudo**2 * (second - 2 * mean * first + mean**2)
    return math.sqrt(max(float(variance), 0.0)) / n


# The bootstrap


class Draw(NamedTuple):
    """Some resamples: of the counts, and of a pseudo-sample beside them."""

    counts: Numbers  # of shape (n_counts, n)
    weight: Numbers  # of the pseudo-samples, as all below of shape (n,)
    reference: Codes
    answers: list[Codes]


def draws(
    counts: Numbers, squares: Numbers, table: Table, method: Method, width: int, n_answers: int = 1
) -> Iterator[Draw]:
    """Yield all resamples of counts, some at a time: `width` numbers a resample are to fit.

    A count of n samples is drawn anew as gamma(n), so that their shares are Dirichlet(n): the
    Bayesian bootstrap. Sums of weights are drawn with their mean and variance. The pseudo-sample
    is that of the table, with `n_answers` predictions.
    """
    rng, unit = np.random.default_rng(method.seed), squares / counts
    q, v = map(np.cumsum, pseudo_sample(table))
    one = float(squares.sum() / counts.sum())
    chunk = max(1, 2**20 // width)  # of 8 MB, and at least one resample
    for start in range(0, method.n_resamples, chunk):
        n = min(chunk, method.n_resamples - start)
        drawn = rng.standard_gamma((counts / unit)[:, None], (len(counts), n)) * unit[:, None]
        chances = rng.random((1 + n_answers, n))
        reference = np.searchsorted(q, chances[0] * q[-1], "right")
        answers = [np.searchsorted(v, chance * v[-1], "right") for chance in chances[1:]]
        yield Draw(drawn, one * rng.standard_exponential(n), reference, answers)


def resample_sums(table: Table, cells: Numbers) -> Sums:
    """Return the sums of resampled cells, of shape (n_cells, n)."""
    k, right = len(table.labels), np.flatnonzero(table.rows == table.columns)
    order = np.argsort(table.columns, kind="stable")
    h = np.zeros((k, cells.shape[1]))
    h[table.rows[right]] = cells[right]
    r = sums_by(cells, table.rows, k)
    c = sums_by(cells[order], table.columns[order], k)
    return Sums(h, r, c, r.sum(axis=0), occurring(table), n_classes(table), cells)


def sums_by(cells: Numbers, codes: Codes, k: int) -> Numbers:
    """Return the sums of the rows of `cells` by their codes, which are sorted."""
    sums, starts = np.zeros((k, cells.shape[1])), np.flatnonzero(np.diff(codes, prepend=-1))
    sums[codes[starts]] = np.add.reduceat(cells, starts, axis=0)
    return sums


def with_one_more(table: Table, sums: Sums, weight: Numbers, row: Codes, column: Codes) -> Sums:
    """Return the sums with one sample more in each resample."""
    k, resample = len(table.labels), np.arange(len(weight))
    h, r, c = sums.hits.copy(), sums.references.copy(), sums.predictions.copy()
    h[row, resample] += np.where(row == column, weight, 0)
    r[row, resample] += weight
    c[column, resample] += weight
    # the cell it falls into, which may be one that the table has not
    fused, wanted = table.rows * k + table.columns, row * k + column
    place = np.searchsorted(fused[:-1], wanted)
    place[fused[place] != wanted] = len(fused)
    cells = np.vstack([sums.cells, np.zeros(len(weight))])
    cells[place, resample] += weight
    return Sums(h, r, c, sums.total + weight, sums.occurring, sums.n_classes, cells)


def resampled(
    table: Table, score: Score, method: Method, shares: Numbers | None = None
) -> tuple[Numbers, Numbers]:
    """Return the score of each resample of the cells, without a pseudo-sample and with one."""
    width = len(table.counts) + 4 * len(table.labels)
    plain, with_one = [], []
    for draw in draws(table.counts, squared_weights(table), table, method, width):
        sums = resample_sums(table, draw.counts)
        more = with_one_more(table, sums, draw.weight, draw.reference, draw.answers[0])
        plain.append(score.of(_reweighted(sums, table, shares)))
        with_one.append(score.of(_reweighted(more, table, shares, draw)))
    return np.concatenate(plain), np.concatenate(with_one)


def _reweighted(sums: Sums, table: Table, shares: Numbers | None, draw: Draw | None = None) -> Sums:
    """Return the sums with rows scaled to these shares; those of `draw` have its pseudo-sample."""
    if shares is None:
        return sums
    factors = quotient(shares[:, None] * sums.total, sums.references)
    cells = sums.cells[: len(table.rows)] * factors[table.rows]
    c = resample_sums(table, cells).predictions
    if draw is not None:
        resample = np.arange(len(draw.weight))
        outside = sums.cells[-1] * factors[draw.reference, resample]
        c[draw.answers[0], resample] += outside
    h, r = sums.hits * factors, shares[:, None] * sums.total
    return replace(sums, hits=h, references=r, predictions=c, cells=cells)


def _bootstrap_ends(
    table: Table, score: Score, value: float, method: Method, shares: Numbers | None
) -> tuple[float, float]:
    """Return the quantiles of resamples that have a pseudo-sample each."""
    plain, drawn = resampled(table, score, method, shares)
    return quantiles(drawn, method.level, level_of(value, plain))


def level_of(value: float, drawn: Numbers) -> float:
    """Return the quantile at which a value stands among those drawn; ties count half."""
    below, equal = drawn < value - 1e-12, np.abs(drawn - value) <= 1e-12
    return float(np.mean(below) + np.mean(equal) / 2)


def quantiles(drawn: Numbers, level: float, at: float = 0.5) -> tuple[float, float]:
    """Return the quantiles between which lies this share of `drawn` around the quantile `at`.

    Where `at` is that of the value among resamples, this is half of Efron's bias correction: the
    middle is moved from the median to the value.
    """
    from statistics import NormalDist

    normal, least, reach = NormalDist(), 1 / len(drawn), _normal(level)
    middle = normal.inv_cdf(min(max(at, least), 1 - least))
    low, high = np.quantile(drawn, [normal.cdf(middle - reach), normal.cdf(middle + reach)])
    return float(low), float(high)


# The intervals of scores of entropies, made for their logarithm in nats: MI, or -H(ref|pred)


class Missing(NamedTuple):
    """What the entropy of the shares in a sample lacks of that of the truth, in nats."""

    likely: float
    most: float  # where all that is not seen yet is equally rare
    variance: float  # of the part that is not seen


def _entropic_ends(table: Table, score: Score, method: Method) -> tuple[float, float]:
    """Return the ends around the logarithm without its bias; nan where the classes are not known.

    The lower end takes all empty cells for equally likely, which is the least information that the
    cells of one sample leave room for; it is chance where the table may be a guesser's.
    """
    relative, k = score.relative_to_prevalence, n_classes(table)
    if _classes_unknown(table, score):
        return math.nan, math.nan
    i, j, squares = table.rows, table.columns, squared_weights(table)
    r, c, size = table.reference_totals, table.prediction_totals, effective_sample_size(table)
    n_empty = k * int(np.count_nonzero(c)) - len(squares)
    cells = _missing_entropy(table.counts, squares, n_empty)
    rows = _missing_entropy(r, sum_by(i, squares, len(r)), k - int(np.count_nonzero(r)))
    columns = _missing_entropy(c, sum_by(j, squares, len(c)), 0)
    information, z = mutual_information(table) * math.log(2), _normal(method.level)
    rarest = float(r[r > 0].min()) / float(table.total)
    if relative:
        logarithm, chance = information + rows.likely, 0.0
        k_most = k + (_fewest_references(table) < 5 - 1e-6)  # a class that no reference has
    else:
        logarithm, k, k_most = math.log(float(score.exact(table))), 1, 1
        pi = r[r > 0] / table.total
        surprise = -float(pi @ np.log(pi))
        error = float(pi @ (np.log(pi) + surprise) ** 2) / size + rows.variance
        spread = max(-math.log(rarest) - surprise, 0) / size
        chance = -surprise - rows.most - _reach(z, error, spread)
    centre = logarithm + columns.likely - cells.likely
    least = max(centre + cells.likely - cells.most, chance)
    centre = max(centre, chance)
    if method.name == "bootstrap":
        drawn = np.log(resampled(table, score, method)[1])
        low, high = quantiles(drawn - drawn.mean(), method.level)
        low, high = least + low, centre + high
    else:
        lost, variance_of_lost = _smoothed(table, relative=False)
        variance = _smoothed(table, relative=True)[1] if relative else variance_of_lost
        variance += cells.variance + rows.variance
        # the variance grows with what is known where that is little, and with what is lost
        up = max(-math.log(rarest) - information, 0) / size
        down = -variance_of_lost / lost if lost < 0 else 0.0
        down = max(down - variance / max(information, 1 / size), 0)
        low, high = least - _reach(z, variance, down), centre + _reach(z, variance, up)
    if independence_test(table) > 1 - method.level:
        low = chance
    return math.exp(max(low, chance)) / k_most, math.exp(max(high, chance)) / k


def _reach(z: float, variance: float, slope: float) -> float:
    """Return the x for which x^2 = z^2 (variance + slope x)."""
    half = z**2 * slope / 2
    return half + math.sqrt(half**2 + z**2 * max(variance, 0))


def _missing_entropy(weights: Numbers, squares: Numbers, n_unseen: int) -> Missing:
    """Return how much larger the entropy is than that of these sums of weights.

    Of N samples, f1 are the only ones of their kind and f2 kinds have two. By Chao, Wang and Jost
    (2013), with psi the digamma function,

        H = sum_x x/N (psi(N) - psi(x)) + f1/N sum_(r >= N) (1 - A)^(r - N + 1) / r

    where A = 2 f2 / ((N - 1) f1 + 2 f2) is the share of a kind that is not seen. All of these have
    f1/N together (Good), so that each of `n_unseen` has f1 / (N n_unseen) where they are alike.
    """
    weights, squares = weights[squares > 0], squares[squares > 0]
    shares, sizes = weights / weights.sum(), weights.astype(np.float64) ** 2 / squares
    size = float(weights.sum()) ** 2 / float(squares.sum())
    alone = sizes < 1.5
    f1, unseen = int(np.count_nonzero(alone)), float(shares[alone].sum())
    f2 = int(np.count_nonzero(sizes < 2.5)) - f1
    rate = 1.0
    if f2:
        rate = 2 * f2 / ((size - 1) * f1 + 2 * f2)
    elif f1:
        rate = 2 / ((size - 1) * (f1 - 1) + 2)
    least = min(rate, unseen / n_unseen) if f1 and n_unseen else rate
    seen = float(shares @ _excess(sizes) - _excess(np.array(size)))
    likely, most = (seen + unseen * _tail(x, size) for x in (rate, least))
    return Missing(likely, most, unseen**2 / (f2 + 1))


def _excess(x: Numbers) -> Numbers:
    """Return ln x - psi(x), by the recurrence of psi and its asymptotic series, for x >= 1."""
    y = x + 8
    series = np.polyval([-1 / 240, -1 / 252, -1 / 120, -1 / 12, 0], -1 / y**2)
    steps = sum(1 / (x + step) for step in range(8))
    return steps - np.log1p(8 / x) + 1 / (2 * y) + series


def _tail(rate: float, size: float) -> float:
    """Return sum_(r >= size) (1 - rate)^(r - size + 1) / r.

    As the integral of q e^(-size s) / (1 - q e^-s) over s, q = 1 - rate, by the trapezoid rule in
    ln s, which for such a function is exact to all digits.
    """
    step = 0.125
    s = np.exp(np.arange(-45, 4, step)) / size
    terms = np.exp(-size * s) / (-np.expm1(-s) + rate * np.exp(-s)) * s
    return (1 - rate) * float(terms.sum()) * step


def _smoothed(table: Table, relative: bool) -> tuple[float, float]:
    """Return MI, or -H(ref|pred), of the table and a pseudo-sample together, and its variance.

    The pseudo-sample is spread over all cells. ln(p / (pi beta)), or ln(p / beta), of a cell that
    is empty otherwise is a term of its row plus one of its column, so that these cells take sums
    over classes only.
    """
    i, j, squares = table.rows, table.columns, squared_weights(table)
    one, (q, v) = float(squares.sum() / table.total), pseudo_sample(table)
    n = float(table.total) + one
    pi, beta = ((table.reference_totals + one * q) / n, (table.prediction_totals + one * v) / n)
    if not relative:
        pi = np.ones(len(pi))
    a = np.log(np.where(q > 0, ratio(q, pi) * one / n, 1))
    b, share = np.log(v / beta), q[i] * v[j]
    cells = table.counts + one * share
    full = np.log(cells / n / (pi[i] * beta[j]))
    mean = (cells @ full + one * (q @ a + v @ b - share @ (a[i] + b[j]))) / n
    a = a - mean
    empty = q @ a**2 + 2 * (q @ a) * (v @ b) + v @ b**2 - share @ (a[i] + b[j]) ** 2
    filled = (squares + one**2 * share) @ (full - mean) ** 2
    return float(mean), float(filled + one**2 * empty) / n**2


def independence_test(table: Table) -> float:
    """Return the p-value of Pearson's chi-squared against all tables of the same margins.

    Where predictions are dealt out to the samples at random, X^2 = sum (n_ij - e_ij)^2 / e_ij has
    the mean N (R - 1) (C - 1) / (N - 1) and the variance (Dawson 1954)

        2 N / (N - 3) (v_r - w_r) (v_c - w_c) + N^2 / (N - 1) w_r w_c,
        v_r = (R - 1) (N - R) / (N - 1),  w_r = (N sum 1/r_i - R^2) / (N - 2),

    likewise for columns: exactly, however sparse the table. A gamma distribution has both. It is
    too smooth where few samples meet rare classes: there they are dealt out indeed. N is the
    effective sample size, R and C are the numbers of classes that occur.
    """
    size = effective_sample_size(table)
    r, c = (
        x[x > 0] * (size / float(table.total))
        for x in (table.reference_totals, table.prediction_totals)
    )
    if min(len(r), len(c)) < 2 or size <= 3:
        return 1.0
    p = table.counts / table.total
    expected = table.reference_totals[table.rows] / table.total
    expected = expected * (table.prediction_totals[table.columns] / table.total)
    empty = max(1 - float(expected.sum()), 0.0) if len(p) < len(r) * len(c) else 0.0
    statistic = size * (float(((p - expected) ** 2 / expected).sum()) + empty)
    mean, variance = _moments(r, c, size)
    if statistic <= 0 or variance <= 1e-9 * mean:
        return 1.0  # there is but one such table, or all have the same chi-squared
    p_value = _gamma_tail(mean**2 / variance, statistic * mean / variance)
    whole = [np.rint(np.sort(x)).astype(np.int64) for x in (r, c)]
    counted = all(np.allclose(np.sort(x), n, 0, 1e-6) for x, n in zip((r, c), whole, strict=True))
    if p_value < 1e-6 or size > 2000 or r.min() * c.min() >= 5 * size or not counted:
        return p_value
    return _permuted_p_value(statistic, *whole)


def _moments(r: Numbers, c: Numbers, size: float) -> tuple[float, float]:
    """Return the mean and variance of Pearson's chi-squared over all tables of these margins."""
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    (v_r, w_r), (v_c, w_c) = (
        (
            (len(x) - 1) * max(size - len(x), 0) / (size - 1),
            max(size * float((1 / x).sum()) - len(x) ** 2, 0) / (size - 2),
        )
        for x in (r, c)
    )
    within = max(v_r - w_r, 0) * max(v_c - w_c, 0)
    return mean, 2 * size / (size - 3) * within + size**2 / (size - 1) * w_r * w_c


def _permuted_p_value(statistic: float, r: Numbers, c: Numbers) -> float:
    """Return how often Pearson's chi-squared is as large where the predictions are dealt out."""
    rng, found, n_permutations = np.random.default_rng(0), 1, 999
    rows, columns = (np.repeat(np.arange(len(x)), x) for x in (r, c))
    size = len(rows)
    for _ in range(n_permutations):
        fused = np.sort(rows * len(c) + rng.permutation(columns))
        starts = np.flatnonzero(np.diff(fused, prepend=-1))
        i, j = np.divmod(fused[starts], len(c))
        cells = np.diff(starts, append=size)
        drawn = size * (float((cells**2 / (r[i] * c[j])).sum()) - 1)
        found += drawn > statistic * (1 - 1e-9) - 1e-9
    return found / (n_permutations + 1)


def _gamma_tail(shape: float, x: float) -> float:
    """Return the chance that a gamma variate of this shape exceeds x.

    By Simpson's rule, from ln x to where the density of its logarithm has fallen by e^-45; this is
    taken relative to its mode at ln(shape), so that no large numbers cancel.
    """
    start = max(x, shape)
    above = start - shape
    stop = math.log(start / shape) + 90 / (above + math.sqrt(above**2 + 90 * start))
    first = max(math.log(x / shape), -(math.sqrt(120 / shape) if shape > 120 else 1 + 45 / shape))
    y, step = np.linspace(first, stop, 2001, retstep=True)
    density = np.exp(shape * (y - np.expm1(y)))
    density[[0, -1]] /= 2
    total = float(density.sum() + density[1::2].sum()) * 2 / 3 * step
    if shape > 1e5:
        at_mode = (math.log(shape / (2 * math.pi)) - 1 / (6 * shape)) / 2
    else:
        at_mode = shape * (math.log(shape) - 1) - math.lgamma(shape)
    return min(math.exp(at_mode) * total, 1.0)


# Where the classes are not declared, and the references may lack some of them


def _fewest_references(table: Table) -> float:
    """Return the number of references of the rarest class, inf where classes are declared."""
    if table.declared:
        return math.inf
    r, there = table.reference_totals.astype(np.float64), table.reference_totals > 0
    squares = sum_by(table.rows, squared_weights(table), len(r))
    return float((r[there] ** 2 / squares[there]).min())  # the effective number, of weights


def _classes_unknown(table: Table, score: Score) -> bool:
    """Return whether so many classes may have no reference that no interval is to be had."""
    if score.relative_to_prevalence:
        return _fewest_references(table) < 3 - 1e-6
    outside = effective_sample_size(table) * (1 - table.reference_totals.max() / table.total)
    return not table.declared and bool(outside < 5 - 1e-6)


def _too_few_in_cells(table: Table, score: Score) -> str:
    """Return what the table has too few of for the interval of a score of its cells."""
    size, (n_outside, least) = effective_sample_size(table), outside_references(table)
    unknown = _classes_unknown(table, score)
    for there, wanted, what in (
        (size, 50, "samples"),
        (size, least, f"samples for {n_outside} predictions outside the references"),
    ):
        if there < wanted - 1e-6 and not unknown:
            return f"{there:.4g} {what}, where {wanted:g} are wanted"
    fewest = _fewest_references(table)
    if fewest >= 5 - 1e-6 and not unknown:
        return ""
    return (
        f"{fewest:.4g} references of the rarest class, where 5 are wanted to know of all classes"
        f"{', so that it is nan' * unknown}; about {5 / fewest * size:.2g} samples would do, or "
        "labels= with all classes"
    )


# Where intervals are known to fail


def too_few(table: Table, score: Score) -> str:
    """Return what the table has too few of for this score's interval, empty if nothing is known."""
    if not score.from_margins:
        return _too_few_in_cells(table, score)
    size, shares = effective_sample_size(table), table.reference_totals / table.total
    k = int(np.count_nonzero(shares))
    wanted = [
        (50, size, "samples"),
        (10, size * (1 - shares.max()), "samples outside the largest class"),
    ]
    if score.over_classes:  # a bias of the order of k / N beside an error of 1 / sqrt(N)
        wanted.append((k**2, size, f"samples of {k} classes"))
    for least, there, what in wanted:
        if there < least - 1e-6:
            return f"{there:.4g} {what}, where {least:g} are wanted"
    return ""


def warn_of_few(of: str, few: str, several: bool = False) -> None:
    """Warn that the interval of something, or several, is known to fail: `few` says why."""
    if few:
        they = "they say" if several else "it says"
        warn(
            f"the interval{'s' * several} of {of} may cover the truth less often than {they}: "
            f"{few}",
            IntervalWarning,
        )


# What a metric module computes


def intervals_by_class(
    table: Table, score: Score, method: Method, values: list[float]
) -> list[Interval]:
    """Return the score of each class against all others together, with intervals.

    `values` are the scores. Warns once for all classes.
    """
    binary = replace(score, average="bias")  # which of two classes is that of either class
    made, lacking = [], []
    for code, value in enumerate(values):
        rest = one_against_rest(table, code)
        made.append(interval_of(rest, binary, method)._replace(value=value))
        if few := "" if binary.undefined(rest) else too_few(rest, binary):
            lacking.append((table.labels[code], few))
    if lacking:
        more = len(lacking) - 1
        of = f"{score.name} of {show(lacking[0][0])}"
        of += f" and {more} more class{'es' * (more > 1)}" * (more > 0)
        warn_of_few(of, lacking[0][1])
    return made


def one_against_rest(table: Table, code: int) -> Table:
    """Return the table of two classes, this one and all others together."""
    rows, columns = ((side != code).astype(np.int64) for side in (table.rows, table.columns))
    return table.of_same_samples((0, 1), False, rows, columns)


def result_of(
    score: Score,
    table: Table,
    confidence_level: float | None,
    return_signature: bool,
    *,
    ignore_index: Label | None = None,
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: ZeroDivision = "warn",
) -> dict[str, Any]:
    """Return what the module of a score computes: it, with what was asked for beside it."""
    values: Any = score.value(
        table, prior=prior, prior_mode=prior_mode, zero_division=zero_division
    )
    found, how = {score.name: values}, None
    if confidence_level is not None:
        if prior_mode != "reweight":
            raise ValueError('`confidence_level` must be left out beside prior_mode="odds"')
        method = Method(confidence_level).of(score)
        how = method.signature
        by_class = isinstance(values, list)
        if by_class:
            made = intervals_by_class(table, score, method, values)
        else:
            made = [interval_of(table, score, method, prior)]
            warn_of_few(score.name, "" if score.undefined(table) else too_few(table, score))
        errors = [x.standard_error for x in made]
        ends = [[x.low, x.high] for x in made]
        found[f"{score.name}_standard_error"] = errors if by_class else errors[0]
        found[f"{score.name}_confidence_interval"] = ends if by_class else ends[0]
    if return_signature:
        found[f"{score.name}_signature"] = signature_of(
            score,
            table,
            prior=prior,
            prior_mode=prior_mode,
            zero_division=zero_division,
            ignore_index=ignore_index,
            interval=how,
        )
    return found
