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


def chi_squared(references, predictions):
    table = table_of_labels(references, predictions).to_dense()
    table = table[table.sum(axis=1) > 0][:, table.sum(axis=0) > 0]
    return stats.chi2_contingency(table, correction=False).statistic


def dealt(references, predictions, statistic, ties):
    """Return how often predictions dealt out in all ways have a greater statistic, and ties."""
    observed = statistic(references, predictions)
    found = [
        statistic(references, list(order)) - observed
        for order in itertools.permutations(predictions)
    ]
    return np.mean([1.0 if x > 1e-9 else ties if x > -1e-9 else 0.0 for x in found])


def test_two_classes_are_listed_and_equal_tables_count_half():
    for references, predictions in (
        ([0, 0, 0, 0, 1, 1, 1], [0, 0, 0, 1, 1, 1, 0]),
        ([0, 0, 0, 1, 1, 1, 1], [1, 1, 1, 0, 0, 0, 1]),
        (["a", "a", "b", "b", "b"], ["a", "c", "c", "a", "c"]),
    ):
        p_values = [
            dealt(references, predictions, statistic, ties=0.5)
            for statistic in (informedness_score, chi_squared)
        ]
        found = guessing_p_value(table_of_labels(references, predictions))
        assert found == pytest.approx(min(1, 2 * min(p_values)), abs=1e-9)
    # by hand, of the 924 ways to choose 6 of 12: 1 has 6 hits in each class, 36 have 5
    table = ContingencyTable.from_matrix([[5, 1], [1, 5]])
    assert guessing_p_value(table) == pytest.approx(2 * (36 / 2 + 1) / 924)


def test_three_classes_are_dealt_out():
    references, predictions = [0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 0]
    exact = dealt(references, predictions, informedness_score, ties=0.5)
    table = table_of_labels(references, predictions)
    assert independence_test(table) > exact
    assert not chance.are_rare(np.array([10, 10]), np.array([10, 10]), 20)  # but five
    # within what 999 random ways can tell
    assert guessing_p_value(table) == pytest.approx(2 * exact, abs=0.03)


def test_a_share_of_dealt_out_ways_counts_the_table_itself_as_one_that_is_equal():
    """In the same order of random ways: (1/2 + greater + equal / 2) / (999 + 1)."""
    references = np.repeat([0, 1, 2], [13, 9, 7])
    predictions = np.roll(np.repeat([0, 1, 2], [11, 10, 8]), 6)
    n, r, c = 29, np.bincount(references), np.bincount(predictions)
    gains = [
        Fraction(int(c[i]), n) * (Fraction(1, int(r[i])) + Fraction(1, n - int(r[i])))
        for i in range(3)
    ]

    def exact(way):
        hits = [int(((way == i) & (references == i)).sum()) for i in range(3)]
        return sum(gain * x for gain, x in zip(gains, hits, strict=True))

    rng, observed = np.random.default_rng(0), exact(predictions)
    ways = rng.permuted(np.tile(np.sort(predictions), (999, 1)), axis=1)
    found = [exact(way) for way in ways]
    greater, equal = sum(x > observed for x in found), sum(x == observed for x in found)
    table = table_of_labels(references, predictions)
    assert chance._by_dealing(table, np.array(list(map(float, gains))), [r, c]) == pytest.approx(
        (0.5 + greater + equal / 2) / 1000, abs=1e-12
    )
    assert equal > 2


def test_tables_next_to_each_other_are_not_equal_however_many_samples_there_are():
    """By scipy's hypergeometric distribution: hits move Informedness by 0.002 each."""
    table = ContingencyTable.from_matrix([[526, 474], [474, 526]])
    of_hits = stats.hypergeom(2000, 1000, 1000)
    one_sided = of_hits.sf(526) + of_hits.pmf(526) / 2
    assert guessing_p_value(table) == pytest.approx(min(1, 2 * one_sided), rel=1e-9)


def test_many_samples_go_by_the_exact_mean_and_variance(monkeypatch):
    monkeypatch.setattr(chance, "independence_test", lambda table: 1.0)
    monkeypatch.setattr(chance, "_MOST_PERMUTED", 0)
    for references, predictions in (
        ([0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 0, 1, 0, 1, 1, 1]),
        ([0, 0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 1, 2, 0]),
    ):
        ways = set(itertools.permutations(predictions))
        scores = [informedness_score(references, list(order)) for order in ways]
        observed = informedness_score(references, predictions)
        wanted = 2 * stats.norm.sf(observed, np.mean(scores), np.std(scores))
        found = guessing_p_value(table_of_labels(references, predictions))
        assert found == pytest.approx(wanted, rel=1e-9)


def test_one_class_on_a_side_and_unknown_weights_have_none():
    for matrix in ([[5, 5], [0, 0]], [[5, 0], [5, 0]]):
        assert guessing_p_value(ContingencyTable.from_matrix(matrix)) == 1.0
    weighted = report(ContingencyTable.from_matrix([[5.5, 1], [1, 5]]))
    assert np.isnan(weighted.guessing_p_value)
    assert weighted.to_dict()["guessing_p_value"] is None
