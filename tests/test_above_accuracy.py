"""Informedness above accuracy is not a share of the answers, and every path says so.

Covers src: results/sentences.py, statistics/class_scores.py.
"""

import itertools
import re
import warnings

import evaluate
import numpy as np
import pytest

from informedness import (
    ContingencyTable,
    compare,
    estimate,
    informedness_score,
    leaderboard,
    report,
    slices,
)
from informedness.statistics.registry import module_path
from informedness.trainer import ComputeMetrics
from inputs.tables import table_of_pairs

pytestmark = pytest.mark.full

GROUPS = np.repeat(np.arange(100), 10)
BY_GROUP = GROUPS // 10 * 10  # the right group of ten, by always the same member
SAID = (
    r"Informedness 0\.909 is above accuracy \(0\.100\), so it is not a share of the answers: the "
    r'model uses 10 of the 100 classes, and average="prevalence" gives 0\.091'
)
LABELS = {"references": GROUPS, "predictions": BY_GROUP}
PATHS = {
    "function": lambda: informedness_score(GROUPS, BY_GROUP),
    "module": lambda: evaluate.load(module_path("informedness")).compute(**LABELS),
    "estimate": lambda: estimate(GROUPS, BY_GROUP),
    "report": lambda: report(GROUPS, BY_GROUP),
    "compare": lambda: compare(GROUPS, BY_GROUP, BY_GROUP),
    "leaderboard": lambda: leaderboard(GROUPS, {"A": BY_GROUP}),
    "trainer": lambda: ComputeMetrics("informedness")((np.eye(100)[BY_GROUP], GROUPS)),
    "slices": lambda: slices(GROUPS, BY_GROUP, by=[0] * 1000),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_path_warns(path):
    of_whom = {
        "compare": ("`y_pred_a`: ", "`y_pred_b`: "),
        "leaderboard": (r"`y_pred\['A'\]`: ",),
    }.get(path, ("",))
    with pytest.warns(UserWarning, match=SAID) as caught:
        PATHS[path]()
    for name, one in zip(of_whom, caught, strict=True):
        assert re.match(f"informedness: {name}{SAID}$", str(one.message))


def test_the_command_line_warns_and_a_report_and_a_leaderboard_say_it(tmp_path, command):
    lines = (f"{a},{b},{a}" for a, b in zip(GROUPS, BY_GROUP, strict=True))
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["gold,group,right", *lines]) + "\n")
    _, out, told = command("report", str(path), "-r", "gold", "-p", "group")
    assert "warning: Informedness 0.909 is above accuracy (0.100), so it is not a share" in told
    assert "Informedness 0.91: above accuracy (0.100), so it is not a share of the answers" in out
    _, out, _ = command("report", str(path), "-r", "gold", "-p", "group", "right")
    assert "\n^ group: above accuracy (0.100)" in out


def score_of(matrix, **sums):
    """Return Informedness of a matrix, and what is warned of."""
    there = np.nonzero(matrix)
    sums = {x: of if x == "labels" else of[there] for x, of in sums.items()}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        value = table_of_pairs(*there, matrix[there], **sums).informedness()
    return value, [x for x in caught if "above accuracy" in str(x.message)]


@pytest.mark.parametrize("k", [2, 3, 10, 100, 300])
def test_models_that_know_a_share_of_each_class_are_not_warned_of(k):
    rng = np.random.default_rng(0)
    for n, ability in itertools.product((20, 50, 500, 5000), (0, 0.3, 0.6, 0.9, 1)):
        shares = ability * np.eye(k) / k + (1 - ability) / k**2
        for _ in range(5):
            counts = rng.multinomial(n, shares.ravel()).reshape(k, k)
            _, caught = score_of(counts, labels=range(k))
            assert not caught


@pytest.mark.filterwarnings("error")
def test_no_report_says_that_a_model_knows_more_than_it_gets_right():
    """Also where chance and uneven errors explain the excess, and nothing is warned of."""
    rows = [199, 25, 3, 0, 4], [40, 275, 24, 2, 1], [17, 0, 323, 4, 1], [57, 55, 39, 9, 4]
    summary = report(ContingencyTable.from_matrix([*rows, [52, 34, 43, 1, 17]])).summary
    assert summary.startswith("Accuracy 0.67")
    assert summary.endswith(
        "Informedness 0.71: above accuracy, so it is not a share of the answers."
    )


@pytest.mark.filterwarnings("error")
def test_other_averages_and_the_odds_of_a_prior_are_not_warned_of():
    for average in ("prevalence", "macro", None):
        informedness_score(GROUPS, BY_GROUP, average=average)
    informedness_score(GROUPS, BY_GROUP, prior=dict.fromkeys(range(100), 0.01), prior_mode="odds")


@pytest.mark.filterwarnings("error")
def test_with_a_prior_the_accuracy_is_that_of_the_reweighted_table():
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
def test_the_excess_must_be_more_than_real_models_and_chance_have(matrix, sums, gap, is_warned):
    value, caught = score_of(matrix, **sums)
    assert value - matrix.trace() / matrix.sum() == pytest.approx(gap, abs=0.0005)
    assert bool(caught) == is_warned
