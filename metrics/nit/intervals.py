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
intervals"; Miller (1974), "The jackknife: a review".
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


def _entropic_ends(table: Table, score: Score, method: Method) -> tuple[float, float]:
    """Return the ends around the jackknifed logarithm, since the plug-in one is biased up.

    The upper end allows for a variance that grows with MI, and at independence is that of
    chi-squared; the lower is chance where the G test cannot tell the table from a guesser's.
    """
    information = mutual_information(table) * math.log(2)
    if score.relative_to_prevalence:
        logarithm, scale, chance = information, 1 / n_classes(table), 0.0
    else:
        logarithm, scale = math.log(float(score.exact(table))), 1.0
        chance = _least_chance(table, method.level)
    centre, variance = _jackknifed(table, score, logarithm)
    centre = max(centre, chance)
    if method.name == "bootstrap":
        drawn = np.log(resampled(table, score, method)[1] / scale)
        low, high = quantiles(drawn - drawn.mean() + centre, method.level)
    else:
        variance = float(np.maximum(variance, _smoothed_variance(table, score)))
        z, size = _normal(method.level), effective_sample_size(table)
        df = _degrees_of_freedom(table)
        # MI below what chance brings says nothing of how its variance grows: by 2 / N a nat there
        missing = max(df / (2 * size) - information, 0.0)
        growth = (variance + 2 * missing / size) / (information + missing) if df else 0.0
        half = z**2 * growth / 2
        low = centre - z * math.sqrt(variance)
        high = centre + half + math.sqrt(half**2 + z**2 * (variance + df / (2 * size**2)))
    if g_test(table) > 1 - method.level:
        low = chance
    return scale * math.exp(max(low, chance)), scale * math.exp(max(high, chance))


def _least_chance(table: Table, level: float) -> float:
    """Return -H(ref) in nats without its bias (Miller and Madow), less its error."""
    pi = table.reference_totals[table.reference_totals > 0] / table.total
    size, logs = effective_sample_size(table), np.log(pi)
    variance = max(float(pi @ logs**2 - (pi @ logs) ** 2), 0.0) / size
    return float(pi @ logs) - (len(pi) - 1) / (2 * size) - _normal(level) * math.sqrt(variance)


def _jackknifed(table: Table, score: Score, logarithm: float) -> tuple[float, float]:
    """Return the logarithm without its bias, and its variance, by leaving out each sample in turn.

    All samples of a cell change it alike. With f(x) = x ln x, -N H(ref|pred) is sum f(n_ij)
    - sum f(c_j), and N MI is that - sum f(r_i) + f(N): of each a sample of weight `unit` changes
    one term.
    """
    i, j, n = table.rows, table.columns, float(table.total)
    unit, size = squared_weights(table) / table.counts, effective_sample_size(table)
    r, c = table.reference_totals[i], table.prediction_totals[j]
    change = _dropped(table.counts, unit) - _dropped(c, unit)
    if score.relative_to_prevalence:
        change += _dropped(n, unit) - _dropped(r, unit)
    shift = (change + unit * logarithm) / (n - unit)
    times = table.counts / unit
    centre = logarithm - (1 - 1 / size) * float(times @ shift)
    variance = (1 - 1 / size) * float(times @ (shift - times @ shift / times.sum()) ** 2)
    return centre, variance


def _dropped(amounts: Any, unit: Numbers) -> Numbers:
    """Return f(x - unit) - f(x), f(x) = x ln x, to full precision where x is large."""
    rest = np.maximum(amounts - unit, 0)
    tail = np.where(rest > 0, rest * np.log1p(-np.minimum(unit / amounts, 1 - 1e-16)), 0)
    return tail - unit * np.log(amounts)


def _smoothed_variance(table: Table, score: Score) -> float:
    """Return the variance of MI, or of -H(ref|pred), of the table and a pseudo-sample together.

    The pseudo-sample is spread over all cells. ln(p / (pi beta)), or ln(p / beta), of a cell that
    is empty otherwise is a term of its row plus one of its column, so that these cells take sums
    over classes only.
    """
    i, j, squares = table.rows, table.columns, squared_weights(table)
    one, (q, v) = float(squares.sum() / table.total), pseudo_sample(table)
    n = float(table.total) + one
    pi, beta = ((table.reference_totals + one * q) / n, (table.prediction_totals + one * v) / n)
    if not score.relative_to_prevalence:
        pi = np.ones(len(pi))
    a = np.log(np.where(q > 0, ratio(q, pi) * one / n, 1))
    b, share = np.log(v / beta), q[i] * v[j]
    cells = table.counts + one * share
    full = np.log(cells / n / (pi[i] * beta[j]))
    mean = (cells @ full + one * (q @ a + v @ b - share @ (a[i] + b[j]))) / n
    a = a - mean
    empty = q @ a**2 + 2 * (q @ a) * (v @ b) + v @ b**2 - share @ (a[i] + b[j]) ** 2
    filled = (squares + one**2 * share) @ (full - mean) ** 2
    return float(filled + one**2 * empty) / n**2


def _degrees_of_freedom(table: Table) -> int:
    """Return (R - 1)(C - 1) of the classes that occur in each."""
    r, c = (np.count_nonzero(x) for x in (table.reference_totals, table.prediction_totals))
    return (int(r) - 1) * (int(c) - 1)


def g_test(table: Table) -> float:
    """Return the p-value of the G test: the chance that a guesser passes on as much information.

    2 N MI (in nats) is chi-squared with (R - 1)(C - 1) degrees of freedom where references and
    predictions are independent; N is the effective sample size.
    """
    df = _degrees_of_freedom(table)
    half = effective_sample_size(table) * mutual_information(table) * math.log(2)
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


# Where intervals are known to fail


def too_few(table: Table, score: Score) -> str:
    """Return what the table has too few of for this score's interval, empty if nothing is known."""
    size, shares = effective_sample_size(table), table.reference_totals / table.total
    k = int(np.count_nonzero(shares))
    wanted = [
        (50, size, "samples"),
        (10, size * (1 - shares.max()), "samples outside the largest class"),
    ]
    if not score.from_margins:
        wrong = size * (1 - float(table.hits.sum() / table.total))
        wanted.append((10 * (k - 1) ** 2, size, f"samples of {k} classes"))
        wanted.append((k * (k - 1) * (wrong > 0), wrong, f"wrong predictions of {k} classes"))
        n_outside, least = outside_references(table)
        wanted.append((least, size, f"samples for {n_outside} predictions outside the references"))
    elif score.over_classes:  # a bias of the order of k / N beside an error of 1 / sqrt(N)
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
