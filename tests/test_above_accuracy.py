"""Informedness above accuracy is not a share of the answers, and every path says so."""

import warnings
from dataclasses import replace

import evaluate
import numpy as np
import pytest
import torch
from sklearn.base import BaseEstimator

from informedness import (
    ContingencyTable,
    compare,
    estimate,
    informedness_score,
    leaderboard,
    report,
    slices,
)
from informedness.cli import main
from informedness.core.scores import sample_size
from informedness.scorers import informedness_scorer
from informedness.statistics.registry import module_path
from informedness.torchmetrics import Informedness
from informedness.trainer import ComputeMetrics
from informedness.warnings import InformednessWarning
from tables import score_of

pytestmark = pytest.mark.full

GROUPS = np.repeat(np.arange(100), 10)
BY_GROUP = GROUPS // 10 * 10  # the right group of ten, by always the same member
SAID = (
    r"Informedness 0\.909 is above accuracy \(0\.100\), so it is not a share of the answers: the "
    r'model uses 10 of the 100 classes, and average="prevalence" gives 0\.091'
)


class Answering(BaseEstimator):
    """An estimator that knows its answers."""

    def predict(self, samples):
        return BY_GROUP


def by_trainer():
    compute_metrics = ComputeMetrics("informedness")
    return compute_metrics((np.eye(100)[BY_GROUP], GROUPS))


def by_torchmetrics():
    metric = Informedness(num_classes=100)
    metric.update(torch.tensor(BY_GROUP), torch.tensor(GROUPS))
    return metric.compute()


PATHS = {
    "function": lambda: informedness_score(GROUPS, BY_GROUP),
    "module": lambda: evaluate.load(module_path("informedness")).compute(
        references=GROUPS, predictions=BY_GROUP
    ),
    "estimate": lambda: estimate(GROUPS, BY_GROUP),
    "report": lambda: report(GROUPS, BY_GROUP),
    "compare": lambda: compare(GROUPS, GROUPS, BY_GROUP),
    "leaderboard": lambda: leaderboard(GROUPS, {"A": BY_GROUP}),
    "scorer": lambda: informedness_scorer(Answering(), GROUPS, GROUPS),
    "trainer": by_trainer,
    "torchmetrics": by_torchmetrics,
    "slices": lambda: slices(GROUPS, BY_GROUP, by=[0] * 1000),
}


@pytest.mark.parametrize("path", PATHS)
def test_every_path_warns(path):
    with pytest.warns(UserWarning, match=f"^informedness: {SAID}$"):
        PATHS[path]()


def test_the_command_line_warns_and_a_report_and_a_leaderboard_say_it(tmp_path, capsys):
    lines = (f"{a},{b},{a}" for a, b in zip(GROUPS, BY_GROUP, strict=True))
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["gold,group,right", *lines]) + "\n")
    assert main(["report", str(path), "-r", "gold", "-p", "group"]) == 0
    out, told = capsys.readouterr()
    assert "warning: Informedness 0.909 is above accuracy (0.100), so it is not a share" in told
    assert "Informedness 0.91: above accuracy (0.100), so it is not a share of the answers" in out
    assert "\nInformedness by average: bias 0.91, prevalence 0.09, macro 0.09.\n" in out
    assert main(["report", str(path), "-r", "gold", "-p", "group", "right"]) == 0
    out, _ = capsys.readouterr()
    assert " 0.9091^ " in out
    assert "\n^ group: above accuracy (0.100)" in out
    assert "^ right" not in out


def matrix_of(ability, k, n, rng):
    """Return a table of samples of a model that knows a share of k even classes."""
    shares = ability * np.eye(k) / k + (1 - ability) / k**2
    return rng.multinomial(n, shares.ravel()).reshape(k, k)


@pytest.mark.filterwarnings("error:informedness. Informedness .* is above")
@pytest.mark.filterwarnings("ignore:informedness. among")
def test_models_that_know_a_share_of_each_class_are_not_warned_of():
    rng = np.random.default_rng(0)
    for k in (2, 3, 10, 100, 300):
        for n in (20, 50, 500, 5000):
            for ability in (0, 0.3, 0.6, 0.9, 1):
                for _ in range(5):
                    ContingencyTable.from_matrix(matrix_of(ability, k, n, rng)).informedness()


@pytest.mark.filterwarnings("error")
def test_no_report_says_that_a_model_knows_more_than_it_gets_right():
    """Also where chance and uneven errors explain the excess, and nothing is warned of."""
    rows = [199, 25, 3, 0, 4], [40, 275, 24, 2, 1], [17, 0, 323, 4, 1], [57, 55, 39, 9, 4]
    summary = report(ContingencyTable.from_matrix([*rows, [52, 34, 43, 1, 17]])).summary
    assert summary.startswith("Accuracy 0.67")
    assert summary.endswith("Informedness 0.71: above accuracy, so it is no share of the answers.")


def test_other_averages_and_the_odds_of_a_prior_are_not_warned_of():
    table = ContingencyTable.from_labels(references=GROUPS, predictions=BY_GROUP)
    for average in ("prevalence", "macro", None):
        table.informedness(average=average)
    table.informedness(prior=dict.fromkeys(range(100), 0.01), prior_mode="odds")


def test_with_a_prior_the_accuracy_is_that_of_the_reweighted_table():
    matrix = np.array([[90, 0, 0], [9, 1, 0], [9, 0, 1]])  # right 92 of 110
    prior = {0: 0.2, 1: 0.4, 2: 0.4}
    table = ContingencyTable.from_matrix(matrix * 20)
    assert pytest.approx(0.28) == 0.2 + 0.4 * 0.1 + 0.4 * 0.1
    recalls, bias = np.array([1, 0.1, 0.1]), np.array([0.2 + 0.9 * 0.8, 0.04, 0.04])
    alarms = np.array([0.9, 0, 0])
    value = float(bias @ (recalls - alarms))
    assert table.informedness(prior=prior) == pytest.approx(value)
    assert value < 0.28  # and so no warning, which would be an error


def collapsed(share, each):
    """Return ten classes, of which a share of the answers falls to two."""
    codes = np.arange(10)
    matrix = (1 - share) * each * np.eye(10)
    matrix[codes, codes // 5 * 5] += share * each
    return matrix.round().astype(int)


def test_the_excess_must_be_more_than_real_models_have():
    for share, gap in ((0.3, 0.013), (0.43, 0.044), (0.5, 0.067)):
        table = ContingencyTable.from_matrix(collapsed(share, 10**6))
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found = table.informedness() - score_of(table, "accuracy")
        assert found == pytest.approx(gap, abs=0.003)
        assert bool(caught) == (gap > 0.05), gap


@pytest.mark.filterwarnings("error:.*above")
def test_two_heavy_classes_mistaken_for_each_other_are_below_accuracy():
    weights = np.full(50, 1e-3)
    weights[:2] = 1, 0.9
    swapped = [1, 0, *range(2, 50)]
    value = informedness_score([*range(50)] * 2, swapped * 2, sample_weight=[*weights] * 2)
    assert value < -0.5


def test_the_size_is_the_number_of_samples_and_of_unknown_ones_the_total():
    cells = {"references": [0, 1], "predictions": [0, 0]}
    for counts, sums, size in (
        ([30, 10], {}, 40),
        ([3.5, 1.5], {"n_samples": [30, 10]}, 40),
        ([3.5, 1.5], {"squared_weights": [3.5, 1.5]}, 5),
        ([3.5, 1.5], {"squared_weights": [7.0, 3.0], "n_samples": [30, 10]}, 2.5),
    ):
        table = ContingencyTable.from_counts(**cells, counts=counts, **sums)
        assert sample_size(table) == pytest.approx(size)
    unknown = replace(table, n_samples=None, squared_weights=None)
    assert sample_size(unknown) == 5


@pytest.mark.filterwarnings("error")
def test_weights_count_by_their_effective_size():
    matrix = collapsed(1, 100.0)
    with pytest.warns(InformednessWarning, match="above accuracy"):
        ContingencyTable.from_matrix(matrix).informedness()
    of_seven = matrix * (matrix.sum() / 7)
    ContingencyTable.from_matrix(matrix * 1.0, squared_weights=of_seven).informedness()
