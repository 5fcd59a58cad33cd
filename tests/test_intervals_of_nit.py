"""The interval of NIT and the test of chance, against their definitions."""

import itertools
import math
import warnings

import mpmath
import numpy as np
import pytest
from scipy import stats

import dense
from dense import precise
from estimate_cases import TABLES, THREE, sums, table_of, weighted, with_pseudo_sample
from informedness import ContingencyTable, estimate
from informedness.core import information

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def chi_squared(rows, dealt):
    """Return Pearson's chi-squared of references and each row of `dealt` predictions."""
    k, n = 1 + int(max(rows.max(), dealt.max())), len(rows)
    places = (np.arange(len(dealt))[:, None] * k + rows) * k + dealt
    cells = np.bincount(places.ravel(), minlength=len(dealt) * k * k).reshape(-1, k, k)
    expected = np.outer(np.bincount(rows, minlength=k), np.bincount(dealt[0], minlength=k))
    there = expected > 0
    return n * ((cells**2)[:, there] / expected[there]).sum(axis=1) - n


def permuted(matrix):
    """Return Pearson's chi-squared of every way to deal the predictions out to the samples."""
    rows, columns = np.repeat(np.indices(np.shape(matrix)).reshape(2, -1), np.ravel(matrix), axis=1)
    return chi_squared(rows, np.array(list(itertools.permutations(columns))))


@pytest.mark.slow
def test_the_test_of_chance_has_the_moments_of_all_permutations():
    for matrix in (
        [[3, 1], [1, 2]],
        [[2, 1, 0], [1, 1, 0], [0, 1, 1]],
        [[1, 2, 1], [1, 0, 2], [0, 0, 0]],
    ):
        drawn, cells = permuted(matrix), np.array(matrix)
        margins = (x[x > 0].astype(float) for x in (cells.sum(1), cells.sum(0)))
        made = information._moments(*margins, float(cells.sum()))
        assert made == pytest.approx((drawn.mean(), drawn.var()), rel=1e-9), matrix
        # of so few samples they are dealt out; the first of all ways is as they are
        p_value, share = information.independence_test(table_of(matrix)), drawn >= drawn[0] - 1e-9
        assert p_value == pytest.approx(share.mean(), abs=0.05)
        assert estimate(table_of(matrix), "nit").independence_p_value == p_value


@pytest.mark.parametrize("scale", [1, 0.3])
def test_the_test_of_chance_is_that_of_gamma_where_nothing_is_dealt_out(scale):
    rng = np.random.default_rng(0)
    rows, columns = rng.integers(0, 40, (2, 4000))
    weights = np.full(4000, scale) if scale == 1 else rng.exponential(size=4000)
    table = ContingencyTable.from_labels(rows, columns, sample_weight=weights)
    cells = np.histogram2d(rows, columns, bins=range(41), weights=weights)[0]
    cells *= weights.sum() / (weights**2).sum()
    margins = [cells.sum(1), cells.sum(0)]
    mean, variance = information._moments(*margins, cells.sum())
    statistic = stats.chi2_contingency(cells, correction=False).statistic
    wanted = stats.gamma.sf(statistic, mean**2 / variance, scale=variance / mean)
    assert information.independence_test(table) == pytest.approx(wanted, rel=1e-6)


def test_the_test_of_chance_is_chi_squared_where_samples_are_many():
    for matrix in ([[400, 380], [410, 420]], [[700, 300, 220], [600, 350, 250], [90, 40, 60]]):
        wanted = stats.chi2_contingency(matrix, correction=False).pvalue
        assert 1e-6 < wanted < 0.5
        assert information.independence_test(table_of(matrix)) == pytest.approx(wanted, rel=0.03)


@pytest.mark.parametrize("k", [5, 30])
def test_the_test_of_chance_is_that_of_permutations_where_cells_are_sparse(k):
    rng = np.random.default_rng(k)
    shares = 1 / (1 + np.arange(k))
    references = rng.choice(k, 150, p=shares / shares.sum())
    predictions = np.where(rng.random(150) < 0.03, references, rng.permutation(references))
    table = ContingencyTable.from_labels(references, predictions)
    dealt = rng.permuted(np.tile(predictions, (2000, 1)), axis=1)
    (observed,) = chi_squared(references, predictions[None])
    wanted = np.mean(chi_squared(references, dealt) >= observed - 1e-9)
    assert 0.01 < wanted < 0.9
    assert information.independence_test(table) == pytest.approx(wanted, abs=0.03)


@pytest.mark.slow
def test_guessers_are_told_from_chance_as_often_as_the_level_says():
    rng, told = np.random.default_rng(10), []
    for references, guesses in rng.integers(0, 10, (200, 2, 100)):
        table = ContingencyTable.from_labels(references, guesses)
        told.append(information.independence_test(table) < 0.05)
    assert 0.005 < np.mean(told) < 0.096  # 3 standard errors on each side


def test_where_all_tables_of_the_margins_are_as_far_from_chance_the_p_value_is_1():
    for matrix in (np.eye(5), np.eye(5, k=1), [[4, 0], [5, 0]], [[1, 0], [0, 1]]):
        assert information.independence_test(table_of(matrix)) == 1


def test_the_tail_of_gamma_is_right_for_any_shape():
    mpmath.mp.dps = 30
    for shape, times in itertools.product(
        (0.01, 0.3, 1, 5, 50, 150, 1e3, 1e6), (1e-9, 0.1, 0.9, 1, 1.001, 1.1, 3, 20)
    ):
        x = shape * times
        wanted = stats.gamma.sf(x, shape)
        if shape < 1e4:
            wanted = float(mpmath.gammainc(shape, x, regularized=True))
        made = information._gamma_tail(shape, x)
        assert made == pytest.approx(wanted, rel=1e-7, abs=1e-290), (shape, times)


def test_the_test_of_chance_is_answered_for_many_classes():
    labels = np.arange(30_000)
    mixed = np.random.default_rng(0).integers(0, 30_000, 400_000)
    table = ContingencyTable.from_labels(
        np.concatenate([labels, mixed]), np.concatenate([labels, mixed[::-1]])
    )
    assert information.independence_test(table) < 1e-300


def chao_wang_jost(counts, n_unseen=0):
    """Return an entropy in nats by the formula of Chao, Wang and Jost (2013), eq. 7, as printed.

    With `n_unseen` the share of each kind that is not seen is at most what these can have.
    """
    counts = [int(x) for x in counts if x]
    n, f1, f2 = sum(counts), counts.count(1), counts.count(2)
    total = mpmath.fsum(
        mpmath.mpf(x) / n * mpmath.fsum(mpmath.mpf(1) / m for m in range(x, n)) for x in counts
    )
    rate = 1
    if f2:
        rate = mpmath.mpf(2) * f2 / ((n - 1) * f1 + 2 * f2)
    elif f1:
        rate = mpmath.mpf(2) / ((n - 1) * (f1 - 1) + 2)
    if f1 and n_unseen:
        rate = min(rate, mpmath.mpf(f1) / n / n_unseen)
    if rate == 1:
        return total
    series = mpmath.fsum((1 - rate) ** r / r for r in range(1, n))
    return total + mpmath.mpf(f1) / n * (1 - rate) ** (1 - n) * (-mpmath.log(rate) - series)


def entropy(counts):
    return -mpmath.fsum(x * mpmath.log(mpmath.mpf(x) / sum(counts)) for x in counts if x) / sum(
        counts
    )


def test_entropies_are_those_of_chao_wang_and_jost():
    mpmath.mp.dps = 50
    for counts, n_unseen in itertools.product(
        ([5, 3, 1, 1, 2], [1, 1, 1, 1], [40, 2, 2, 1], [7, 9], [100, 1], [1], [30, 1, 1, 1, 20, 2]),
        (0, 1, 400),
    ):
        made = information._missing_entropy(np.array(counts), np.array(counts, float), n_unseen)
        likely, most = (chao_wang_jost(counts, n) - entropy(counts) for n in (0, n_unseen))
        assert made.likely == pytest.approx(float(likely), abs=1e-11), counts
        assert made.most == pytest.approx(float(most), abs=1e-11), counts


def test_entropies_of_constant_weights_are_those_of_counts():
    counts = np.array([5, 3, 1, 1, 2.0])
    plain = information._missing_entropy(counts, counts, 9)
    assert information._missing_entropy(counts * 0.3, counts * 0.09, 9) == pytest.approx(plain)


def without_bias(cells, k):
    """Return MI without bias; with the most that the cells can have; the variance of the rest."""
    rows, columns = [sum(row) for row in cells], [sum(x) for x in zip(*cells, strict=True)]
    flat = [x for row in cells for x in row]
    there = sum(x > 0 for x in flat)
    empty = k * sum(x > 0 for x in columns) - there
    margins = chao_wang_jost(rows) + chao_wang_jost(columns)
    unseen = [
        (mpmath.mpf(counts.count(1)) / sum(counts)) ** 2 / (counts.count(2) + 1)
        for counts in (flat, rows)
    ]
    return margins - chao_wang_jost(flat), margins - chao_wang_jost(flat, empty), sum(unseen)


def lost(cells):
    """Return H(ref|pred) in nats."""
    columns = [sum(x) for x in zip(*cells, strict=True)]
    return entropy([x for row in cells for x in row]) - entropy(columns)


def reach(z, variance, slope):
    """Return the larger root of x^2 = z^2 (variance + slope x)."""
    return max(mpmath.polyroots([1, -(z**2) * slope, -(z**2) * variance], maxsteps=500))


@pytest.mark.slow
def test_intervals_of_nit_are_around_mi_without_its_bias():
    matrices = {**TABLES, "one of each class": np.eye(5, dtype=int).tolist()}
    for (name, matrix), level in itertools.product(matrices.items(), (0.8, 0.95)):
        k = len(matrix)
        made = estimate(table_of(matrix, labels=range(k)), "nit", confidence_level=level)
        cells = precise(matrix)
        n, mi, z = sum(map(sum, cells)), dense.information(cells), dense.normal_quantile(level)
        both, squares = with_pseudo_sample(cells, cells)
        centre, least, unseen = without_bias(matrix, k)
        variance = smoothed_variance(cells) + unseen
        of_lost = dense.standard_error(both, lost, squares) ** 2
        rarest = min(sum(row) for row in cells if sum(row)) / n
        up = max(0, -mpmath.log(rarest) - mi) / n
        down = max(0, of_lost / lost(both) - variance / max(mi, 1 / n))
        low = max(0, max(0, least) - reach(z, variance, down))
        if information.independence_test(table_of(matrix)) > 1 - level:
            low = 0
        high = max(0, centre) + reach(z, variance, up)
        low, high = (float(min(1, mpmath.exp(end) / k)) for end in (low, high))
        wanted = min(low, made.value), max(high, made.value)
        assert made.confidence_interval == pytest.approx(wanted, rel=1e-9), name


# Classes that are not declared


def test_nit_of_observed_classes_wants_some_references_of_each():
    for rarest, k_of_low, n in (
        (1, None, 460),
        (2, None, 230),
        (3, 4, 160),
        (4, 4, 120),
        (5, 3, None),
    ):
        matrix = [[40, 5, 0], [4, 40, 1], [0, 0, rarest]]
        observed, declared = table_of(matrix), table_of(matrix, labels=list("abc"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            low, high = estimate(declared, "nit").confidence_interval
            assert not caught
            made = estimate(observed, "nit")
        if k_of_low is None:
            assert math.isnan(sum(made.confidence_interval))
        else:
            wanted = pytest.approx((low * 3 / k_of_low, high), rel=1e-12)
            assert made.confidence_interval == wanted
        assert made.standard_error > 0
        assert made.independence_p_value <= 0.001
        said = [str(warning.message) for warning in caught]
        assert len(said) == (rarest < 5)
        if said:
            references = "1 reference" if rarest == 1 else f"{rarest} references"
            assert f" {references} of the rarest class, where 5 are wanted" in said[0]
            assert ("there is no interval of nit: " in said[0]) == (k_of_low is None)
            assert f"about {n} samples would do, or labels= with all classes" in said[0]


def test_ema_of_observed_classes_wants_5_samples_outside_the_largest():
    for outside, there in ((4, False), (5, True)):
        matrix = [[80, 5], [1, outside - 1]]
        low, high = estimate(table_of(matrix), "ema").confidence_interval
        assert math.isnan(low) != there
        assert math.isnan(high) != there
        declared = estimate(table_of(matrix, labels=list("ab")), "ema")
        assert not math.isnan(sum(declared.confidence_interval))


def smoothed_variance(cells):
    """Return the variance of MI of the table and a pseudo-sample that is in all cells."""
    both, squares = with_pseudo_sample(cells, cells)
    return dense.standard_error(both, dense.information, squares) ** 2


def test_the_smoothed_variance_is_that_of_all_cells():
    for name, matrix in TABLES.items():
        cells = precise(matrix)
        both = with_pseudo_sample(cells, cells)[0]
        mean, variance = information._smoothed(table_of(matrix), relative=True)
        assert mean == pytest.approx(float(dense.information(both)), rel=1e-10), name
        assert variance == pytest.approx(smoothed_variance(cells), rel=1e-11), name
        mean, _ = information._smoothed(table_of(matrix), relative=False)
        assert mean == pytest.approx(-float(lost(both)), rel=1e-10), name


def test_the_smoothed_variance_takes_squared_weights():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    both = with_pseudo_sample(*(precise(sums(*samples, 3, power)) for power in (1, 2)))
    wanted = dense.standard_error(both[0], dense.information, both[1]) ** 2
    assert information._smoothed(table, relative=True)[1] == pytest.approx(wanted, rel=1e-11)


def test_a_guesser_has_a_narrow_interval_of_nit_from_chance_on():
    """So it is where MI is 0 in exact numbers, and 1e-35 in these."""
    for matrix in ([[42, 28], [18, 12]], [[3333, 3333, 3334]] * 3, [[43, 28], [18, 12]]):
        n, k = sum(map(sum, matrix)), len(matrix)
        low, high = estimate(table_of(matrix), "nit").confidence_interval
        assert low == pytest.approx(1 / k)
        assert 1 / k < high < math.exp(12 * (k - 1) ** 2 / n) / k


def test_nit_starts_at_chance_only_where_the_test_of_chance_cannot_tell():
    starts = []
    for extra in range(60):
        table = table_of([[30 + extra, 30], [30, 30 + extra]])
        made = estimate(table, "nit")
        starts.append((made.independence_p_value > 0.05, made.confidence_interval[0] == 0.5))
    told = [at_chance for cannot_tell, at_chance in starts if not cannot_tell]
    assert all(at_chance for cannot_tell, at_chance in starts if cannot_tell)
    assert 5 < len(told) < 55
    assert told == sorted(told, reverse=True)
    assert not told[-1]
