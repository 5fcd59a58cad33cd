"""The interval of NIT and the test of chance, against their definitions."""

import math
from fractions import Fraction
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from scipy import stats

import by_table
import dense
from dense import precise
from estimate_cases import (
    METHODS,
    TABLES,
    THREE,
    every_method,
    every_table,
    resampled,
    sums,
    table_of,
    weighted,
    with_pseudo_sample,
)
from informedness import ContingencyTable, estimate
from informedness.core import intervals
from informedness.core.scores import NIT

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def chi_squared_p(matrix):
    n = sum(map(sum, matrix))
    matrix = np.array(matrix)
    df = int((np.count_nonzero(matrix.sum(0)) - 1) * (np.count_nonzero(matrix.sum(1)) - 1))
    statistic = 2 * n * dense.information(precise(matrix.tolist()))
    return dense.upper_tail(df, statistic) if df else 1.0


@pytest.mark.parametrize(
    "matrix",
    [
        *TABLES.values(),
        [[40, 30], [31, 42]],
        [[43, 28], [18, 12]],
        [[200, 100], [100, 200]],
        [[40, 28, 3], [18, 12, 9], [0, 0, 0]],
    ],
)
def test_the_g_test_is_chi_squared_with_the_classes_that_occur(matrix):
    got = intervals.g_test(table_of(matrix))
    assert got == pytest.approx(chi_squared_p(matrix), rel=1e-9, abs=1e-300)
    occurring = np.array(matrix)
    occurring = occurring[occurring.any(1)][:, occurring.any(0)]
    peer = stats.chi2_contingency(occurring, correction=False, lambda_="log-likelihood")
    assert got == pytest.approx(peer.pvalue, rel=1e-9)
    assert estimate(table_of(matrix), "nit").independence_p_value == got


@pytest.mark.parametrize("k", [2, 3, 4, 5, 40, 300])
@pytest.mark.parametrize("extra", [0, 1, 3, 30, 3000])
def test_the_g_test_is_right_for_any_degrees_and_statistic(k, extra):
    matrix = np.full((k, k + 1), 5)
    matrix[np.arange(k), np.arange(k)] += extra
    rows, columns = np.indices(matrix.shape).reshape(2, -1)
    table = ContingencyTable.from_counts(rows, columns, matrix.ravel())
    wanted = stats.chi2_contingency(matrix, correction=False, lambda_="log-likelihood").pvalue
    assert intervals.g_test(table) == pytest.approx(wanted, rel=1e-8, abs=1e-300)


def test_the_g_test_of_many_classes_takes_no_time():
    labels = np.arange(30_000)
    mixed = np.random.default_rng(0).integers(0, 30_000, 400_000)
    table = ContingencyTable.from_labels(
        np.concatenate([labels, mixed]), np.concatenate([labels, mixed[::-1]])
    )
    half = table.total * by_table.mutual_information(table) * math.log(2)
    wanted = stats.chi2.sf(2 * half, 29_999**2)
    assert intervals.g_test(table) == pytest.approx(wanted, abs=1e-9)


def test_the_g_test_takes_the_effective_sample_size():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    cells = precise(sums(*samples, 3, 1))
    size = sum(map(Fraction, samples[2])) ** 2 / sum(Fraction(x) ** 2 for x in samples[2])
    wanted = dense.upper_tail(4, 2 * float(size) * dense.information(cells))
    assert intervals.g_test(table) == pytest.approx(wanted, rel=1e-9)


def left_out(cells):
    """Return the jackknifed MI and its variance, leaving out each sample in turn."""
    n, whole = int(sum(map(sum, cells))), dense.information(cells)
    without = []
    for i, row in enumerate(cells):
        for j, count in enumerate(row):
            if count:
                rest = [list(entries) for entries in cells]
                rest[i][j] -= 1
                without += [dense.information(rest)] * int(count)
    mean = sum(without) / n
    variance = mpmath.mpf(n - 1) / n * sum((x - mean) ** 2 for x in without)
    return n * whole - (n - 1) * mean, variance


def smoothed_variance(cells):
    """Return the variance of MI of the table and a pseudo-sample that is in all cells."""
    both, squares = with_pseudo_sample(cells, cells)
    return dense.standard_error(both, dense.information, squares) ** 2


@pytest.mark.parametrize(
    "matrix", [*TABLES.values(), np.eye(5, dtype=int).tolist()], ids=[*TABLES, "one of each class"]
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_nit_are_jackknifed_and_grow_with_mi(matrix, level):
    made = estimate(table_of(matrix), "nit", confidence_level=level)
    cells = precise(matrix)
    n, mi, z = sum(map(sum, cells)), dense.information(cells), dense.normal_quantile(level)
    rows, columns = [sum(row) for row in cells], [sum(x) for x in zip(*cells, strict=True)]
    k = sum(x > 0 for x in rows)
    df = (k - 1) * (sum(x > 0 for x in columns) - 1)
    centre, variance = left_out(cells)
    centre, variance = max(0, centre), max(variance, smoothed_variance(cells))
    least = mpmath.mpf(df) / 2 / n  # what chance brings
    slope = variance / mi if mi >= least else (variance + 2 / n * (least - mi)) / least
    # the larger root x of (x - centre)^2 = z^2 (variance at the centre + slope x + chance's)
    half = z**2 * slope / 2
    high = centre + half + mpmath.sqrt(half**2 + z**2 * (variance + df / (2 * n**2)))
    low = max(0, centre - z * mpmath.sqrt(variance))
    if chi_squared_p(matrix) > 1 - level:
        low = 0
    wanted = [min(1, mpmath.exp(end) / k) for end in (low, high)]
    wanted = min(wanted[0], made.value), max(wanted[1], made.value)
    assert made.confidence_interval == pytest.approx(tuple(map(float, wanted)), rel=1e-9)
    assert made.method == "delta"


@every_table
def test_the_smoothed_variance_is_that_of_all_cells(matrix):
    got = intervals._smoothed_variance(table_of(matrix), NIT)
    assert got == pytest.approx(smoothed_variance(precise(matrix)), rel=1e-11)


def test_the_smoothed_variance_takes_squared_weights():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    both = with_pseudo_sample(*(precise(sums(*samples, 3, power)) for power in (1, 2)))
    wanted = dense.standard_error(both[0], dense.information, both[1]) ** 2
    assert intervals._smoothed_variance(table, NIT) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("amount", [1.0, 2.0, 1e3, 1e12, 2.0**53])
@pytest.mark.parametrize("unit", [1.0, 0.25])
def test_one_sample_less_is_precise_for_any_count(amount, unit):
    mpmath.mp.dps = 50
    x, u = mpmath.mpf(amount), mpmath.mpf(unit)
    wanted = ((x - u) * mpmath.log(x - u) if x > u else 0) - x * mpmath.log(x)
    got = float(intervals._dropped(amount, np.array(unit)))
    assert got == pytest.approx(float(wanted), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("scale", [1, 10**4, 10**10])
def test_the_interval_of_nit_narrows_with_the_root_of_the_counts(scale):
    table = table_of((np.array([[40, 10], [10, 40]]) * 100 * scale).tolist())
    made = estimate(table, "nit")
    low, high = made.confidence_interval
    reach = NormalDist().inv_cdf(0.975) * made.standard_error
    assert (made.value - low, high - made.value) == pytest.approx((reach, reach), rel=0.1)


@pytest.mark.parametrize(
    "matrix", [[[42, 28], [18, 12]], [[3333, 3333, 3334]] * 3, [[43, 28], [18, 12]]]
)
def test_a_guesser_has_a_narrow_interval_of_nit_from_chance_on(matrix):
    """So it is where MI is 0 in exact numbers, and 1e-35 in these."""
    n, k = sum(map(sum, matrix)), len(matrix)
    for method in METHODS:
        low, high = estimate(table_of(matrix), "nit", method=method).confidence_interval
        assert low == pytest.approx(1 / k)
        assert 1 / k < high < math.exp(12 * (k - 1) ** 2 / n) / k


@every_method
def test_nit_starts_at_chance_only_where_the_g_test_cannot_tell(method):
    starts = []
    for extra in range(60):
        table = table_of([[30 + extra, 30], [30, 30 + extra]])
        made = estimate(table, "nit", method=method)
        starts.append((made.independence_p_value > 0.05, made.confidence_interval[0] == 0.5))
    told = [at_chance for cannot_tell, at_chance in starts if not cannot_tell]
    assert all(at_chance for cannot_tell, at_chance in starts if cannot_tell)
    assert 5 < len(told) < 55
    assert told == sorted(told, reverse=True)
    assert not told[-1]


def test_resampled_nit_is_centred_at_the_jackknifed_mi():
    table = table_of(THREE)
    made = estimate(table, "nit", method="bootstrap", seed=5)
    drawn = np.log(3 * resampled(table, NIT, 9999, 5)[1])
    centre, _ = left_out(precise(THREE))
    ends = np.quantile(drawn - drawn.mean() + float(centre), [0.025, 0.975])
    assert made.confidence_interval == pytest.approx(tuple(np.exp(ends) / 3), abs=1e-9)
