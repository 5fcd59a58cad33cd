"""Slices, leaderboards and MCC, against scikit-learn and numbers of 50 digits."""

import mpmath
import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, f1_score

from informedness import ContingencyTable, leaderboard, report, score

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def test_f1_of_a_slice_is_the_mean_over_classes_and_not_over_unknown_answers():
    rng = np.random.default_rng(0)
    references = rng.choice(["a", "b", "c"], 300)
    predictions = np.where(rng.random(300) < 0.6, references, rng.choice(["a", "c", "none"], 300))
    by = rng.choice(["one", "other", "third"], 300)
    slices = report(references, predictions, by=by, labels=["a", "b", "c"], unknown="wrong")
    for row in slices.rows:
        pair = references[by == row.name], predictions[by == row.name]
        wanted = f1_score(*pair, labels=["a", "b", "c"], average="macro")
        assert row.scores["f1_macro"] == pytest.approx(wanted, abs=1e-12), row.name


def test_the_rest_of_a_slice_is_as_many_samples_as_it_has_whatever_each_of_them_weighs():
    rng = np.random.default_rng(0)
    references, by = rng.integers(0, 3, 200), np.repeat(["part", "rest"], [60, 140])
    skill = np.where(by == "part", 0.4, 0.6)
    predictions = np.where(rng.random(200) < skill, references, rng.integers(0, 3, 200))
    for metric in ("accuracy", "informedness", "f1_macro", "nit"):
        options = {"by": by, "against_rest": metric, "labels": [0, 1, 2]}
        plain = report(references, predictions, **options)
        for weight in (0.5, 4.0):
            weights = np.where(by == "rest", weight, 1.0)
            weighted = report(references, predictions, sample_weight=weights, **options)
            for row, other in zip(weighted.rows, plain.rows, strict=True):
                assert row.difference == pytest.approx(other.difference, abs=1e-12), metric
                assert row.p_value == pytest.approx(other.p_value, abs=1e-6), metric
                assert other.p_value < 1, metric


def test_weights_count_in_each_run_of_a_leaderboard_and_in_all_runs_pooled():
    rng = np.random.default_rng(0)
    references, weights = rng.integers(0, 2, 60), rng.random(60)
    answers = {
        name: [np.where(rng.random(60) < skill, references, rng.integers(0, 2, 60)) for _ in "ab"]
        for name, skill in (("weak", 0.3), ("strong", 0.8))
    }

    def informedness(references, predictions, weights):
        """Return the score, which for two classes is adjusted balanced accuracy."""
        return balanced_accuracy_score(
            references, predictions, sample_weight=weights, adjusted=True
        )

    board = leaderboard(references, answers, sample_weight=weights, n_resamples=100)
    for model in board.models:
        runs = [informedness(references, run, weights) for run in answers[model.name]]
        assert model.runs == pytest.approx(runs, abs=1e-12)
        assert model.value == pytest.approx(np.mean(runs), abs=1e-12)
        pooled = np.tile(references, 2), np.concatenate(answers[model.name]), np.tile(weights, 2)
        assert model.estimate.value == pytest.approx(informedness(*pooled), abs=1e-12)
    ((a, b),) = board.comparisons
    both = {model.name: model.estimate.value for model in board.models}
    assert board.comparisons[a, b].difference == pytest.approx(both[b] - both[a], abs=1e-12)


def mcc(matrix):
    """Return Gorodkin's R_k in numbers of 50 digits."""
    with mpmath.workdps(50):
        cells = [[mpmath.mpf(n) for n in row] for row in matrix]
        r, c = [sum(row) for row in cells], [sum(column) for column in zip(*cells, strict=True)]
        n, k = sum(r), range(len(r))
        right = sum(cells[i][i] for i in k)
        gain = n * right - sum(r[i] * c[i] for i in k)
        spreads = [n**2 - sum(x**2 for x in side) for side in (r, c)]
        return float(gain / mpmath.sqrt(spreads[0] * spreads[1]))


@pytest.mark.parametrize(
    "matrix",
    [[[10**15, 3], [5, 7]], [[10**15, 10**8], [10**8, 20]], [[10**15, 2, 3], [5, 7, 1], [4, 0, 9]]],
)
def test_mcc_keeps_its_digits_beside_a_class_of_nearly_all_samples(matrix):
    table = ContingencyTable.from_matrix(matrix)
    assert score(table, "matthews_corrcoef") == pytest.approx(mcc(matrix), rel=1e-12)
