"""Entropies without the bias that they have in a sample, and the test of a table against chance.

docs/formulas.md has the formulas.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import Table, sum_by
from .sums import effective_sample_size, squared_weights

FEW_SAMPLES = 50  # with fewer, scores are imprecise, and each class must have five
_MOST_PERMUTED = 2000  # samples; above, the gamma distribution has the right tail


def normal_quantile(level: float) -> float:
    """Return the z for which a standard normal number is within z of 0 this often."""
    from statistics import NormalDist  # which imports half the library

    return NormalDist().inv_cdf((1 + level) / 2)


class Missing(NamedTuple):
    """How much lower the entropy in a sample is than the true one, in nats."""

    likely: float
    most: float  # if everything not seen yet is equally rare
    variance: float  # of the part that is not seen


def reach(z: float, variance: float, slope: float) -> float:
    """Return the x for which x^2 = z^2 (variance + slope x)."""
    half = z**2 * slope / 2
    return half + math.sqrt(half**2 + z**2 * max(variance, 0))


def missing_entropy(weights: Numbers, squares: Numbers, n_unseen: int) -> Missing:
    """Return how much larger the entropy is than that of these sums of weights."""
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
    seen = float((shares * _excess(sizes)).sum() - _excess(np.array(size)))
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


def surprise(table: Table) -> tuple[float, float]:
    """Return how surprising the references are, s = -ln pi: sum pi s, and sum pi s^2 / sum pi s."""
    shares = table.reference_totals[table.reference_totals > 0] / table.total
    each = -np.log(shares)
    mean = float((shares * each).sum())
    return mean, float((shares * each**2).sum()) / mean


def margins_of(table: Table) -> tuple[Numbers, Numbers, float, list[Codes] | None]:
    """Return both margins, as effective numbers of samples, their sum, and both as counts.

    The counts are None unless they are whole, and few enough for predictions to be dealt out.
    """
    size = effective_sample_size(table)
    one = size / float(table.total)
    r, c = (x * one for x in (table.reference_totals, table.prediction_totals))
    whole = [np.rint(x).astype(np.int64) for x in (r, c)]
    counted = all(np.allclose(x, n, 0, 1e-6) for x, n in zip((r, c), whole, strict=True))
    return r, c, size, whole if counted and size <= _MOST_PERMUTED else None


def are_rare(r: Numbers, c: Numbers, size: float) -> bool:
    """Return whether a cell is expected to hold fewer than five samples by chance."""
    return float(r[r > 0].min() * c[c > 0].min()) < 5 * size


def independence_test(table: Table, dealt_out: bool = True) -> float:
    """Return the p-value of Pearson's chi-squared among all tables with the same margins.

    That of a gamma distribution is too smooth for few samples and rare classes: there predictions
    are really dealt out, unless `dealt_out` is False.
    """
    r, c, size, whole = margins_of(table)
    r, c = r[r > 0], c[c > 0]
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
    if dealt_out and whole is not None and are_rare(r, c, size) and p_value >= 1e-6:
        return _permuted_p_value(statistic, *(np.sort(x[x > 0]) for x in whole))
    return p_value


def _moments(r: Numbers, c: Numbers, size: float) -> tuple[float, float]:
    """Return the mean and variance of Pearson's chi-squared over all tables of these margins."""
    mean = size * (len(r) - 1) * (len(c) - 1) / (size - 1)
    sums = [(len(x), float((1 / x).sum())) for x in (r, c)]
    v_r, v_c = ((k - 1) * max(size - k, 0) / (size - 1) for k, _ in sums)
    w_r, w_c = (max(size * of_inverses - k**2, 0) / (size - 2) for k, of_inverses in sums)
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
    with np.errstate(over="ignore"):  # where it is infinite, the density is 0
        density = np.exp(shape * (y - np.expm1(y)))
    density[[0, -1]] /= 2
    total = float((density.sum() + density[1::2].sum()) * 2 / 3 * step)
    if shape > 1e5:
        at_mode = (math.log(shape / (2 * math.pi)) - 1 / (6 * shape)) / 2
    else:
        at_mode = shape * (math.log(shape) - 1) - math.lgamma(shape)
    return min(math.exp(at_mode) * total, 1.0)


def fewest_references(table: Table) -> float:
    """Return the number of references of the rarest class that has one."""
    r, there = table.reference_totals.astype(np.float64), table.reference_totals > 0
    squares = sum_by(table.rows, squared_weights(table), len(r))
    return float((r[there] ** 2 / squares[there]).min())  # the effective number, of weights


def outside_largest(table: Table) -> float:
    """Return the number of references outside the largest class, the effective one of weights."""
    share = float(table.reference_totals.max()) / float(table.total)
    return effective_sample_size(table) * (1 - share)


def fewest_if_undeclared(table: Table) -> float:
    """Return the same, inf where the classes are declared."""
    return math.inf if table.declared else fewest_references(table)


def lack(there: float, wanted: float, what: str, of: str = "") -> str:
    """Return how much there is, empty if it is enough; weights may make it fractional."""
    if there >= wanted - 1e-6:
        return ""
    amount, least = (f"{x:,.0f}" if x >= 1000 else f"{x:.4g}" for x in (there, wanted))
    return f"{amount} {what}{'s' * (there != 1)}{of}, fewer than the recommended {least}"


def outside_references(table: Table) -> tuple[int, int]:
    """Return the number of predicted values that no reference has, and the samples they need.

    Each adds (k - 1) / 2N nats to the information of a guesser of k classes on N samples: with
    10 (k - 1) samples for each, its score rises by 5% to 6%. A single value does not count.
    """
    there = table.reference_totals > 0
    n_outside = int(np.count_nonzero(~there & (table.prediction_totals > 0)))
    if table.declared or n_outside < 2:
        return 0, 0
    return n_outside, 10 * (int(np.count_nonzero(there)) - 1) * n_outside


def too_few_of_the_rarest(table: Table, each: str = "reference") -> str:
    """Return how few there are of the rarest class; empty with five, or with enough samples."""
    if effective_sample_size(table) >= FEW_SAMPLES - 1e-6:
        return ""
    return lack(fewest_references(table), 5, each, " of the rarest class")


def too_few_in_cells(table: Table, unknown: bool) -> str:
    """Return what the table has too few of for the interval of a score of its cells.

    `unknown` says that too many classes may lack references for any interval.
    """
    size, (n_outside, least) = effective_sample_size(table), outside_references(table)
    of_outside = f" for {n_outside} predictions outside the references"
    few = too_few_of_the_rarest(table) or lack(size, least, "sample", of_outside)
    fewest = fewest_if_undeclared(table)
    if not unknown and (few or fewest >= 5 - 1e-6):
        return few
    enough = float(f"{5 / fewest * size:.2g}")
    return (
        f"only {fewest:.4g} reference{'s' * (fewest != 1)} of the rarest class, so other classes "
        f"may be missing; about {enough:,.0f} samples would do, or labels= or a matrix with all "
        "classes"
    )
