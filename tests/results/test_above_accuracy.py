"""Informedness above accuracy is not a share of the answers; test_no_class.py has the paths.

Covers src: results/summary.py, inference/score.py.
"""

import itertools
import warnings

import numpy as np
import pytest

from informedness import ContingencyTable, informedness_score, leaderboard, report
from inputs.tables import table_of_pairs

GROUPS = np.repeat(np.arange(100), 10)
BY_GROUP = GROUPS // 10 * 10  # the right group of ten, by always the same member


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_leaderboard_says_it():
    """As a report does, in sentences.txt."""
    models = {"group": BY_GROUP, "right": GROUPS}
    assert "group^: above accuracy (0.100)" in str(leaderboard(GROUPS, models))


def score_of(matrix, **sums):
    """Return Informedness of a matrix, and what is warned of."""
    there = np.nonzero(matrix)
    sums = {x: of if x == "labels" else of[there] for x, of in sums.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = table_of_pairs(*there, matrix[there], **sums).informedness()
    return value, [x for x in caught if "above accuracy" in str(x.message)]


@pytest.mark.parametrize("k", [2, 3, 10, 100])
def test_models_that_know_a_share_of_each_class_do_not_warn(k):
    rng = np.random.default_rng(0)
    for n, ability in itertools.product((20, 50, 500, 5000), (0, 0.3, 0.6, 0.9, 1)):
        shares = ability * np.eye(k) / k + (1 - ability) / k**2
        counts = rng.multinomial(n, shares.ravel()).reshape(k, k)
        assert not score_of(counts, labels=range(k))[1]


def test_other_averages_and_prior_odds_do_not_warn():
    for average in ("prevalence", "macro", None):
        informedness_score(GROUPS, BY_GROUP, average=average)
    informedness_score(GROUPS, BY_GROUP, prior=dict.fromkeys(range(100), 0.01), prior_mode="odds")


def test_a_prior_reweights_the_accuracy_too():
    """Of which 90% is right, and of the table itself 100 of 2,100 samples."""
    cells = np.eye(4, dtype=int)[[0, 1, 0, 1]] * [[50], [50], [1000], [1000]]
    prior = {0: 0.45, 1: 0.45, 2: 0.05, 3: 0.05}
    assert ContingencyTable.from_matrix(cells).informedness(prior=prior) == pytest.approx(10 / 11)


def collapsed(share, each=10**6):
    """Return ten classes, of which a share of the answers falls to two."""
    codes = np.arange(10)
    matrix = (1 - share) * each * np.eye(10)
    matrix[codes, codes // 5 * 5] += share * each
    return matrix.round()


FEW, HEAVY = collapsed(1, 100), np.diag([1, 0.9, *[1e-3] * 48])
CASES = [  # and by how much Informedness is above accuracy
    (collapsed(0.449), {}, 0.0497, False),
    (collapsed(0.451), {}, 0.0503, True),
    (FEW, {}, 0.356, True),
    (FEW, {"squared_weights": FEW * (FEW.sum() / 17)}, 0.356, False),  # of as much as 17 samples
    (FEW, {"squared_weights": FEW * (FEW.sum() / 18)}, 0.356, True),
    (FEW / 8, {"n_samples": np.sign(FEW)}, 0.356, False),  # of 10
    (FEW / 8, {"n_samples": FEW}, 0.356, True),
    (HEAVY[:, [1, 0, *range(2, 50)]], {}, -0.928, False),  # two classes mistaken for each other
]


@pytest.mark.parametrize(("matrix", "sums", "gap", "is_warned"), CASES)
def test_only_an_excess_beyond_real_models_warns(matrix, sums, gap, is_warned):
    value, caught = score_of(matrix, **sums)
    assert value - matrix.trace() / matrix.sum() == pytest.approx(gap, abs=0.0005)
    assert bool(caught) == is_warned


def test_three_classes_of_which_two_are_swapped_are_no_guesses():
    swapped = ContingencyTable.from_matrix([[0, 20, 0], [20, 0, 0], [0, 0, 20]])
    assert (
        "contains 0, but the predictions are not independent"
        in report(swapped, confidence_level=0.95).summary
    )
