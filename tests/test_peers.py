"""Other implementations as oracles, on random tables: scikit-learn and pycm."""

import itertools
import math

import numpy as np
import pytest
import sklearn.metrics as peer
from pycm import ConfusionMatrix

import by_table
import dense
from golden import close
from informedness import informedness_score, markedness_score
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings(
    "ignore:informedness. ", "ignore:y_pred contains classes not in y_true"
)

K = (2, 3, 5, 10)


def drawn(k, seed=0, missing=True):
    """Yield random counts of k classes: of all, one never predicted, one absent, one each."""
    rng = np.random.default_rng([seed, k])
    for unreferenced, unpredicted in ((), ()), ((), (1,)), ((0,), ()), ((0,), (k // 2,)):
        matrix = rng.integers(0, 9, (k, k))
        matrix[np.diag_indices(k)] += rng.integers(1, 30, k)
        matrix[list(unreferenced)] = 0
        matrix[:, list(unpredicted)] = 0
        is_full = not (unreferenced or unpredicted)
        if is_full or (missing and np.count_nonzero(matrix.sum(axis=1)) > 1):
            yield matrix


def samples(matrix):
    """Return the references and predictions counted in a matrix."""
    return [np.repeat(side, matrix.ravel()) for side in np.indices(matrix.shape).reshape(2, -1)]


@pytest.mark.parametrize("k", K)
def test_tables_scores_and_information_are_those_of_scikit_learn(k):
    rng = np.random.default_rng(k)
    for matrix in drawn(k):
        pair = samples(matrix)
        strings = [np.array(list("ëbçdàfghij"))[side] for side in pair]
        # whole weights, because scikit-learn cuts the margins of a contingency to integers
        weights = np.ceil(100 * rng.exponential(size=len(pair[0])))
        for columns, sample_weight in itertools.product((pair, strings), (None, weights)):
            options = {"sample_weight": sample_weight}
            table = table_of_labels(*columns, **options)
            counted = peer.confusion_matrix(*columns, **options)
            assert table.to_dense() == close(counted)
            nats = peer.mutual_info_score(None, None, contingency=counted)
            for ours, wanted in (
                ("accuracy", peer.accuracy_score(*columns, **options)),
                ("balanced_accuracy", peer.balanced_accuracy_score(*columns, **options)),
                ("f1_macro", peer.f1_score(*columns, average="macro", **options)),
                ("cohen_kappa", peer.cohen_kappa_score(*columns, **options)),
                ("matthews_corrcoef", peer.matthews_corrcoef(*columns, **options)),
                ("mutual_information", nats / math.log(2)),
                ("nit", math.exp(nats) / len(set(pair[0].tolist()))),
            ):
                assert getattr(by_table, ours)(table) == close(wanted), ours
            if k == 2:
                wanted = peer.balanced_accuracy_score(*columns, adjusted=True, **options)
                for average in dense.AVERAGES:
                    assert by_table.informedness(table, average=average) == close(wanted)


@pytest.mark.parametrize("k", K)
def test_pycm_agrees(k):
    """Bookmaker weighted by TOP (test outcome positive) is the bias average; P is prevalence."""
    for matrix in drawn(k, missing=False):
        pair = samples(matrix)
        theirs = ConfusionMatrix(*(side.tolist() for side in pair))
        equal = dict.fromkeys(theirs.classes, 1)
        for score, name in ((informedness_score, "BM"), (markedness_score, "MK")):
            weights = {"bias": theirs.TOP, "prevalence": theirs.P, "macro": equal}
            for average, weight in weights.items():
                wanted = close(theirs.weighted_average(name, weight=weight))
                assert score(*pair, average=average) == wanted, (name, average)
            by_class = close(list(theirs.class_stat[name].values()))
            assert score(*pair, average=None) == by_class, name
