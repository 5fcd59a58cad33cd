"""Whether a table may be a guesser's: the p-value against exact counts of all ways to deal."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from scipy import stats

from informedness import ContingencyTable, informedness_score, report
from informedness.statistics import chance
from informedness.statistics.chance import guessing_p_value, independence_test
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
THREE = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 0]


def chi_squared(references, predictions):
    table = table_of_labels(references, predictions).to_dense()
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table, correction=False).statistic


def dealt(references, predictions, statistic):
    """Return how often predictions dealt out in all ways have a greater statistic; equal is 1/2."""
    observed = statistic(references, predictions)
    ways = map(list, itertools.permutations(predictions))
    found = np.array([statistic(references, way) - observed for way in ways])
    return (found > 1e-9).mean() + (abs(found) <= 1e-9).mean() / 2


@pytest.mark.parametrize(
    ("references", "predictions"),
    [("0000111", "0001110"), ("0001111", "1110001"), ("aabbb", "accac"), ("0000111", "1112221")],
)
def test_two_classes_are_listed_and_equal_tables_count_half(references, predictions):
    pair = list(references), list(predictions)
    p_values = [dealt(*pair, statistic) for statistic in (informedness_score, chi_squared)]
    found = guessing_p_value(table_of_labels(*pair))
    assert found == pytest.approx(min(1, 2 * min(p_values)), abs=1e-9)


@pytest.mark.parametrize("hits", [(5, 6), (526, 1000)])
def test_tables_next_to_each_other_are_not_equal_however_many_samples_there_are(hits):
    """By scipy's hypergeometric distribution; with 2,000 samples a hit is 0.002 of the score."""
    n, of = hits
    table = ContingencyTable.from_matrix([[n, of - n], [of - n, n]])
    of_hits = stats.hypergeom(2 * of, of, of)
    one_sided = of_hits.sf(n) + of_hits.pmf(n) / 2
    assert guessing_p_value(table) == pytest.approx(min(1, 2 * one_sided), rel=1e-9)


def test_three_classes_are_dealt_out():
    exact, table = dealt(*THREE, informedness_score), table_of_labels(*THREE)
    assert independence_test(table) > exact
    assert not chance.are_rare(np.array([10, 10]), np.array([10, 10]), 20)  # but five
    # within what 999 random ways can tell
    assert guessing_p_value(table) == pytest.approx(2 * exact, abs=0.03)


def test_a_share_of_dealt_out_ways_counts_the_table_itself_as_one_that_is_equal():
    """In the same order of random ways: (1/2 + greater + equal / 2) / (999 + 1)."""
    references = np.repeat([0, 1, 2], [13, 9, 7])
    predictions = np.roll(np.repeat([0, 1, 2], [11, 10, 8]), 6)
    r, c = np.bincount(references).tolist(), np.bincount(predictions).tolist()
    gains = [Fraction(c[i], 29) * (Fraction(1, r[i]) + Fraction(1, 29 - r[i])) for i in range(3)]

    def exact(way):
        return sum(gains[i] * int(((way == i) & (references == i)).sum()) for i in range(3))

    rng, observed = np.random.default_rng(0), exact(predictions)
    ways = rng.permuted(np.tile(np.sort(predictions), (999, 1)), axis=1)
    found = [exact(way) for way in ways]
    greater, equal = sum(x > observed for x in found), sum(x == observed for x in found)
    given = table_of_labels(references, predictions), np.array([*map(float, gains)])
    p_value = chance._by_dealing(*given, [np.array(r), np.array(c)])
    assert p_value == pytest.approx((0.5 + greater + equal / 2) / 1000, abs=1e-12)
    assert equal > 2


@pytest.mark.parametrize("pair", [THREE, ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1])])
def test_many_samples_go_by_the_exact_mean_and_variance(pair, monkeypatch):
    monkeypatch.setattr(chance, "independence_test", lambda table: 1.0)
    monkeypatch.setattr(chance, "_MOST_PERMUTED", 0)
    references, predictions = pair
    ways = set(itertools.permutations(predictions))
    scores = [informedness_score(references, list(order)) for order in ways]
    wanted = 2 * stats.norm.sf(informedness_score(*pair), np.mean(scores), np.std(scores))
    assert guessing_p_value(table_of_labels(*pair)) == pytest.approx(wanted, rel=1e-9)


def test_one_class_on_a_side_and_unknown_weights_have_none():
    for matrix in ([[5, 5], [0, 0]], [[5, 0], [5, 0]]):
        assert guessing_p_value(ContingencyTable.from_matrix(matrix)) == 1.0
    weighted = report(ContingencyTable.from_matrix([[5.5, 1], [1, 5]]))
    assert np.isnan(weighted.guessing_p_value)
    assert weighted.to_dict()["guessing_p_value"] is None
