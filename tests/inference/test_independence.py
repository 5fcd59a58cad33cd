"""Test of independence: p-values against all permutations of the predictions.

Covers src: inference/entropy.py.
"""

import itertools

import numpy as np
import pytest
from scipy import stats

from informedness import ContingencyTable, report
from informedness.inference import entropy
from informedness.inference.entropy import chi_squared_p_value, guessing_p_value
from inputs.tables import table_of, table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
THREE = "0001122", "0011120"


def table_of_strings(*pair):
    return table_of_labels(*([*map(int, side)] for side in pair))


def chi_squared(table):
    """Return Pearson's chi-squared."""
    table = table.to_dense()
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table, correction=False).statistic


def permuted(references, predictions, statistic=ContingencyTable.informedness):
    """Return a statistic, and its values for all permutations of the predictions."""
    ways = [predictions, *sorted({*itertools.permutations(predictions)})]
    observed, *found = (statistic(table_of_strings(references, way)) for way in ways)
    return observed, np.array(found)


def mid_p(observed, found):
    """Return how often one that was found is greater; those equal count half."""
    return (found > observed + 1e-9).mean() + (abs(found - observed) <= 1e-9).mean() / 2


@pytest.mark.parametrize(
    "pair",
    [("0000111", "0001110"), ("0001111", "1110001"), ("00111", "02202"), ("0000111", "1112221")],
)
def test_two_classes_are_listed_and_equal_tables_count_half(pair):
    p_values = [mid_p(*permuted(*pair, *statistic)) for statistic in ((), (chi_squared,))]
    found = guessing_p_value(table_of_strings(*pair))
    assert found == pytest.approx(min(1, 2 * min(p_values)), abs=1e-9)


@pytest.mark.parametrize("hits", [(5, 6), (526, 1000)])
def test_neighbouring_tables_are_never_taken_as_equal(hits):
    """By scipy's hypergeometric distribution; with 2,000 samples a hit is 0.002 of the score."""
    n, of = hits
    of_hits = stats.hypergeom(2 * of, of, of)
    one_sided = of_hits.sf(n) + of_hits.pmf(n) / 2
    found = guessing_p_value(table_of([[n, of - n], [of - n, n]]))
    assert found == pytest.approx(min(1, 2 * one_sided), rel=1e-9)


def test_permutations_count_the_observed_table_itself():
    """By the same random ways: twice (1/2 + greater + equal / 2) / (999 + 1)."""
    observed, every = permuted(*THREE)
    table, rng = table_of_strings(*THREE), np.random.default_rng(0)
    ways = (table_of_strings(THREE[0], rng.permutation(sorted(THREE[1]))) for _ in range(999))
    share = mid_p(observed, np.array([way.informedness() for way in ways]))
    found = guessing_p_value(table)
    assert found == pytest.approx(2 * (0.5 + 999 * share) / 1000, abs=1e-12)
    assert found == pytest.approx(2 * mid_p(observed, every), abs=0.03)
    assert chi_squared_p_value(table) > found / 2
    assert guessing_p_value(table_of(30 * np.eye(3, dtype=int)[[1, 2, 0]])) < 1e-6


@pytest.mark.parametrize("pair", [THREE, ("00001111", "00010111")])
def test_many_samples_go_by_the_exact_mean_and_variance(pair, monkeypatch):
    monkeypatch.setattr(entropy, "chi_squared_p_value", lambda table: 1.0)
    monkeypatch.setattr(entropy, "_MAX_PERMUTED", 0)
    observed, found = permuted(*pair)
    wanted = 2 * stats.norm.sf(observed, found.mean(), found.std())
    assert guessing_p_value(table_of_strings(*pair)) == pytest.approx(wanted, rel=1e-9)


def test_p_is_1_without_a_more_extreme_table():
    for matrix in ([[5, 5], [0, 0]], [[5, 0], [5, 0]], [[2, 0], [0, 1]]):
        assert guessing_p_value(table_of(matrix)) == 1.0
    for matrix in (np.eye(5), np.eye(5, k=1), [[4, 0], [5, 0]], [[1, 0], [0, 1]]):
        assert chi_squared_p_value(table_of(matrix)) == 1
    assert report(table_of([[5.5, 1], [1, 5]])).to_dict()["guessing_p_value"] is None


# The test of independence


@pytest.mark.parametrize("pair", [("0000111", "0001011"), THREE, ("0000111", "0112022")])
def test_few_samples_have_an_exact_test_of_independence(pair):
    observed, found = permuted(*pair, chi_squared)
    table = table_of_strings(*pair)
    r, c, size, _ = entropy.effective_totals(table)
    moments = entropy._moments(r[r > 0], c[c > 0], size)
    assert moments == pytest.approx((found.mean(), found.var()), rel=1e-9)
    p_value = chi_squared_p_value(table)
    assert p_value == pytest.approx((found >= observed - 1e-9).mean(), abs=0.05)


@pytest.mark.parametrize(
    "matrix", [[[400, 380], [410, 420]], [[700, 300, 220], [600, 350, 250], [90, 40, 60]]]
)
def test_it_is_chi_squared_where_samples_are_many(matrix):
    wanted = stats.chi2_contingency(matrix, correction=False).pvalue
    assert chi_squared_p_value(table_of(matrix)) == pytest.approx(wanted, rel=0.03)
    # weights alike are no weights; all of them small, to take many for one sample
    labels = np.repeat(np.indices(np.shape(matrix)).reshape(2, -1), np.ravel(matrix), axis=1)
    weighted = table_of_labels(*labels, sample_weight=[0.3] * labels.shape[1])
    assert chi_squared_p_value(weighted) == pytest.approx(wanted, rel=0.03)


def test_rare_cells_are_permuted_unless_p_is_tiny():
    """Where 999 ways tell more than the gamma distribution, whose tail is only roughly right."""
    table = table_of([[9, 1, 0], [1, 5, 1], [0, 1, 3]])
    found, by_gamma = chi_squared_p_value(table), chi_squared_p_value(table, permute=False)
    assert 1e-6 < by_gamma < 1e-3
    assert found * 1000 == pytest.approx(round(found * 1000), abs=1e-9)
    assert found != by_gamma
    found, by_gamma = chi_squared_p_value(table + table), chi_squared_p_value(table + table, False)
    assert found == by_gamma < 1e-6
    table = table_of([[7, 3], [3, 7]])  # five are expected in each cell
    assert chi_squared_p_value(table) == chi_squared_p_value(table, permute=False)


@pytest.mark.parametrize("shape", [0.01, 0.3, 1, 5, 50, 150, 1e3, 1e6, 1e9])
def test_the_tail_of_gamma_is_right_for_any_shape(shape):
    for x in shape * np.array([1e-9, 0.1, 0.9, 1, 1.001, 1.1, 3, 20]):
        wanted = stats.gamma.sf(x, shape)
        assert entropy._gamma_tail(shape, x) == pytest.approx(wanted, rel=1e-7, abs=1e-290), x
