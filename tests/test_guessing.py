"""Whether a table may be a guesser's: the p-value against exact counts of all ways to deal."""

import itertools

import numpy as np
import pytest
from scipy import stats

from informedness import ContingencyTable, informedness_score
from informedness.statistics import guessing, information
from informedness.statistics.guessing import guessing_p_value
from informedness.statistics.information import independence_test
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
    assert not information.are_rare(np.array([10, 10]), np.array([10, 10]), 20)  # but five
    # within what 999 random ways can tell
    assert guessing_p_value(table) == pytest.approx(2 * exact, abs=0.03)


def test_many_samples_go_by_the_exact_mean_and_variance(monkeypatch):
    monkeypatch.setattr(guessing, "independence_test", lambda table: 1.0)
    monkeypatch.setattr(information, "_MOST_PERMUTED", 0)
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
    weighted = ContingencyTable.from_matrix([[5.5, 1], [1, 5]]).report()
    assert np.isnan(weighted.guessing_p_value)
    assert weighted.to_dict()["guessing_p_value"] is None
