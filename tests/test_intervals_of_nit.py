"""The interval of NIT and the test of chance, against their definitions."""

import itertools
import math
import warnings

import mpmath
import numpy as np
import pytest
from scipy import stats

import reference
from estimate_cases import table_of
from informedness import estimate
from informedness.statistics import chance
from informedness.statistics.entropy import NIT, missing_entropy
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def chi_squared(rows, dealt):
    """Return Pearson's chi-squared of references and each row of `dealt` predictions."""
    k, n = 1 + int(max(rows.max(), dealt.max())), len(rows)
    places = (np.arange(len(dealt))[:, None] * k + rows) * k + dealt
    cells = np.bincount(places.ravel(), minlength=len(dealt) * k * k).reshape(-1, k, k)
    expected = np.outer(np.bincount(rows, minlength=k), np.bincount(dealt[0], minlength=k))
    there = expected > 0
    return n * ((cells**2)[:, there] / expected[there]).sum(axis=1) - n


@pytest.mark.slow
def test_the_test_of_chance_is_the_share_of_all_permutations_of_few_samples():
    for matrix in (
        [[3, 1], [1, 2]],
        [[2, 1, 0], [1, 1, 0], [0, 1, 1]],
        [[1, 2, 1], [1, 0, 2], [0, 0, 0]],
    ):
        samples = np.repeat(np.indices(np.shape(matrix)).reshape(2, -1), np.ravel(matrix), axis=1)
        drawn = chi_squared(samples[0], np.array(list(itertools.permutations(samples[1]))))
        cells = np.array(matrix, dtype=float)
        margins = (x[x > 0] for x in (cells.sum(1), cells.sum(0)))
        moments = chance._moments(*margins, cells.sum())
        assert moments == pytest.approx((drawn.mean(), drawn.var()), rel=1e-9), matrix
        # the first of all ways is as they are
        p_value, share = chance.independence_test(table_of(matrix)), drawn >= drawn[0] - 1e-9
        assert p_value == pytest.approx(share.mean(), abs=0.05)
        assert estimate(table_of(matrix), metric="nit").independence_p_value == p_value


def test_the_test_of_chance_is_chi_squared_where_samples_are_many():
    for matrix in ([[400, 380], [410, 420]], [[700, 300, 220], [600, 350, 250], [90, 40, 60]]):
        wanted = stats.chi2_contingency(matrix, correction=False).pvalue
        assert 1e-6 < wanted < 0.5
        assert chance.independence_test(table_of(matrix)) == pytest.approx(wanted, rel=0.03)
        # weights alike are no weights; all of them small, to take many for one sample
        labels = np.repeat(np.indices(np.shape(matrix)).reshape(2, -1), np.ravel(matrix), axis=1)
        weighted = table_of_labels(*labels, sample_weight=[0.3] * labels.shape[1])
        assert chance.independence_test(weighted) == pytest.approx(wanted, rel=0.03)


def test_rare_cells_are_dealt_out_unless_the_p_value_is_below_a_millionth():
    """Where 999 ways tell more than the gamma distribution, whose tail is only roughly right."""
    matrix = np.array([[9, 1, 0], [1, 5, 1], [0, 1, 3]])
    table = table_of(matrix)
    by_gamma = chance.independence_test(table, dealt_out=False)
    assert 1e-6 < by_gamma < 1e-3
    found = chance.independence_test(table)
    assert found * 1000 == pytest.approx(round(found * 1000), abs=1e-9)
    assert found != by_gamma
    table = table_of(matrix * 2)
    by_gamma = chance.independence_test(table, dealt_out=False)
    assert by_gamma < 1e-6
    assert chance.independence_test(table) == by_gamma


def test_where_all_tables_of_the_margins_are_as_far_from_chance_the_p_value_is_1():
    for matrix in (np.eye(5), np.eye(5, k=1), [[4, 0], [5, 0]], [[1, 0], [0, 1]]):
        assert chance.independence_test(table_of(matrix)) == 1


def test_the_tail_of_gamma_is_right_for_any_shape():
    mpmath.mp.dps = 30
    for shape, times in itertools.product(
        (0.01, 0.3, 1, 5, 50, 150, 1e3, 1e6), (1e-9, 0.1, 0.9, 1, 1.001, 1.1, 3, 20)
    ):
        x = shape * times
        wanted = stats.gamma.sf(x, shape)
        if shape < 1e4:
            wanted = float(mpmath.gammainc(shape, x, regularized=True))
        made = chance._gamma_tail(shape, x)
        assert made == pytest.approx(wanted, rel=1e-7, abs=1e-290), (shape, times)


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
    n = mpmath.mpf(sum(counts))
    return -mpmath.fsum(x / n * mpmath.log(x / n) for x in counts if x)


def test_entropies_are_those_of_chao_wang_and_jost():
    mpmath.mp.dps = 50
    for counts, n_unseen in itertools.product(
        ([5, 3, 1, 1, 2], [1, 1, 1, 1], [40, 2, 2, 1], [7, 9], [100, 1], [1]), (0, 1, 400)
    ):
        made = missing_entropy(np.array(counts), np.array(counts, float), n_unseen)
        likely, most = (chao_wang_jost(counts, n) - entropy(counts) for n in (0, n_unseen))
        assert made.likely == pytest.approx(float(likely), abs=1e-11), counts
        assert made.most == pytest.approx(float(most), abs=1e-11), counts


def test_sums_of_weights_are_of_one_sample_or_of_two_by_their_effective_size():
    """Which is 1.2 for weights of 1 and 0.1, and 2.3 for these three: so one cell of each."""
    weights, squares = np.array([9.0, 1.1, 2.5, 4.0]), np.array([9.0, 1.01, 2.75, 4.0])
    assert ((weights**2 / squares)[1:3]).tolist() == pytest.approx([1.198, 2.273], abs=0.001)
    for n_unseen in (0, 3, 400):
        made = missing_entropy(weights, squares, n_unseen)
        wanted = reference.missing(weights, squares, n_unseen, ())
        assert tuple(made) == pytest.approx(tuple(map(float, wanted)), abs=1e-11)


def test_an_interval_deals_nothing_out(monkeypatch):
    monkeypatch.setattr(chance, "_permuted_p_value", None)
    table = table_of([[5, 3], [4, 6]])
    made = NIT.interval(table, 0.95)
    assert made.low == 0.5 < made.high
    with pytest.raises(TypeError):
        estimate(table, metric="nit")  # whose p-value asks for permutations


# Classes that are not declared


def test_nit_of_observed_classes_wants_some_references_of_each():
    for rarest, k_of_low, n in ((1, None, 460), (2, None, 230), (3, 4, 160), (5, 3, None)):
        matrix = [[40, 5, 0], [4, 40, 1], [0, 0, rarest]]
        observed, declared = table_of(matrix), table_of(matrix, labels=list("abc"))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            low, high = estimate(declared, metric="nit").confidence_interval
            assert not caught
            made = estimate(observed, metric="nit")
        if k_of_low is None:
            assert math.isnan(sum(made.confidence_interval))
        else:
            wanted = pytest.approx((low * 3 / k_of_low, high), rel=1e-12)
            assert made.confidence_interval == wanted
        assert made.standard_error > 0
        assert made.independence_p_value <= 0.001
        said = [str(warning.message) for warning in caught]
        assert len(said) == 1
        if rarest == 5:
            assert "95 samples, fewer than 1,000, may lack a rare class" in said[0]
        else:
            references = "1 reference" if rarest == 1 else f"{rarest} references"
            assert f" {references} of the rarest class, so other classes" in said[0]
            assert ("there is no interval of nit: " in said[0]) == (k_of_low is None)
            assert f"about {n} samples would do, or declare all classes with `labels`" in said[0]


def test_ema_of_observed_classes_wants_5_samples_outside_the_largest():
    for outside, there in ((4, False), (5, True)):
        matrix = [[80, 5], [1, outside - 1]]
        low, high = estimate(table_of(matrix), metric="ema").confidence_interval
        assert math.isnan(low) != there
        assert math.isnan(high) != there
        declared = estimate(table_of(matrix, labels=list("ab")), metric="ema")
        assert not math.isnan(sum(declared.confidence_interval))


def test_a_guesser_has_a_narrow_interval_of_nit_from_chance_on():
    """So it is where MI is 0 in exact numbers, and 1e-35 in these."""
    for matrix in ([[42, 28], [18, 12]], [[3333, 3333, 3334]] * 3, [[43, 28], [18, 12]]):
        n, k = sum(map(sum, matrix)), len(matrix)
        low, high = estimate(table_of(matrix), metric="nit").confidence_interval
        assert low == pytest.approx(1 / k)
        assert 1 / k < high < math.exp(12 * (k - 1) ** 2 / n) / k
