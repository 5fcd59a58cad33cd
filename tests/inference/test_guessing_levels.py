"""What guessing scores, and the best possible, beside simulated guessers that others score.

Oracles: scikit-learn and SciPy for the scores, SciPy's optimiser for the best guesser of F1-macro.
Covers src: inference/score.py, inference/score.py, inference/entropy.py.
"""

import math
import warnings

import numpy as np
import pytest
from scipy.optimize import minimize
from scipy.stats import entropy
from sklearn import metrics

from informedness import ContingencyTable
from informedness.core.scores import read_prior, reweight
from informedness.inference.registry import SCORES, score_with_average
from inputs.tables import table_of_pairs
from oracles.golden import close

N = 400_000  # samples, so that a score errs by about 1 / sqrt(N) = 0.0016
ERROR = 0.01
SHARES = {
    "two": [0.9, 0.1],
    "three": [0.5, 0.3, 0.2],
    "even": [0.25] * 4,
    "rare": [0.6, 0.33, 0.05, 0.02],
}
AVERAGED = [(name, "default") for name in SCORES]
AVERAGED += [(name, x) for name in ("informedness", "markedness") for x in ("macro", "prevalence")]
AVERAGED += [("informedness", "bias"), ("informedness", None), ("markedness", None)]
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def guessers_of(shares, *, n_outside=0):
    """Return shares of predictions: constant, even, by prevalence, and random ones."""
    k, rng = len(shares), np.random.default_rng(1)
    guessers = [*np.eye(k), np.full(k, 1 / k), np.array(shares)]
    guessers += list(rng.dirichlet(np.ones(k), 6))
    padded = [np.append(guess, [0.0] * n_outside) for guess in guessers]
    return padded + (list(rng.dirichlet(np.ones(k + n_outside), 6)) if n_outside else [])


def simulated(shares, guess, rng):
    """Return the matrix of N samples whose predictions do not depend on the references."""
    cells = np.outer(shares, guess)
    return rng.multinomial(N, cells.ravel()).reshape(cells.shape)


def youden(matrix):
    """Return TPR - FPR of each class; predictions beyond the classes are spread over the others."""
    matrix = np.array(matrix, dtype=float)
    k, outside = len(matrix), matrix[:, len(matrix) :].sum(axis=1)
    square, r = matrix[:, :k].copy(), matrix.sum(axis=1)
    for i in range(k):
        others = np.arange(k) != i
        square[i, others] += outside[i] * r[others] / r[others].sum()
    hits, c = square.diagonal(), square.sum(axis=0)
    gains = hits / r - (c - hits) / (r.sum() - r)
    return gains, r / r.sum(), c / c.sum()


def oracle(name, average, matrix):
    """Return a score of a matrix by scikit-learn, SciPy, or the definition."""
    k = len(matrix)
    rows, columns = np.nonzero(matrix)
    options = {"sample_weight": matrix[rows, columns]}
    peers = {
        "accuracy": metrics.accuracy_score,
        "balanced_accuracy": metrics.balanced_accuracy_score,
        "cohen_kappa": metrics.cohen_kappa_score,
        "matthews_corrcoef": metrics.matthews_corrcoef,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        if name in peers:
            return peers[name](rows, columns, **options)
        if name == "f1_macro":
            options |= {"labels": range(k), "average": "macro"}
            return metrics.f1_score(rows, columns, **options)
    if name in ("informedness", "markedness"):
        gains, r, c = youden(matrix if name == "informedness" else matrix.T)
        r, c = (r, c) if name == "informedness" else (c, r)
        default = "bias" if name == "informedness" else "prevalence"
        average = default if average == "default" else average
        weights = {"bias": c, "prevalence": r, "macro": np.full(k, 1 / k)}
        return gains if average is None else float(weights[average] @ gains)
    joint, r, c = (entropy(x, base=2) for x in (matrix.ravel(), matrix.sum(axis=1), matrix.sum(0)))
    return 2 ** (r + c - joint) / k if name == "nit" else 2 ** (c - joint)


def level_of(name, average, table):
    return score_with_average(name, average).guessing_level(table)


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize(("name", "average"), AVERAGED)
def test_no_guesser_exceeds_the_level_and_one_reaches_it(name, average, shares):
    rng, found = np.random.default_rng(0), []
    for guess in guessers_of(shares):
        if name == "markedness" and not guess.all():
            continue  # undefined, as are values of classes that are never predicted
        matrix = simulated(shares, guess, rng)
        found.append(np.max(oracle(name, average, matrix)))
        level = level_of(name, average, ContingencyTable.from_matrix(matrix))
        assert found[-1] <= level + ERROR
    assert max(found) == pytest.approx(level, abs=ERROR)


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("name", [name for name in SCORES if name != "markedness"])
def test_out_of_class_predictions_leave_the_level(name, shares):
    """They lower what a guesser scores, or leave it as it is."""
    rng = np.random.default_rng(0)
    for guess in guessers_of(shares, n_outside=1):
        matrix = simulated(shares, guess, rng)
        rows, columns = np.nonzero(matrix)
        options = {"labels": range(len(shares)), "unknown": "wrong"}
        table = table_of_pairs(rows, columns, matrix[rows, columns], **options)
        level = level_of(name, "default", table)
        assert oracle(name, "default", matrix) <= level + ERROR
        plain = ContingencyTable.from_matrix(np.diag(matrix.sum(axis=1)))
        assert level == close(level_of(name, "default", plain))


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
def test_f1_macro_of_the_best_guesser_is_one_over_m(shares):
    """By maximising the F1-macro of a large sample over the shares of predictions."""
    shares, m = np.array(shares), len(shares)

    def loss(logits):
        guess = np.exp(logits - logits.max())
        guess /= guess.sum()
        return -float(np.mean(2 * shares * guess / (shares + guess)))

    rng = np.random.default_rng(2)
    options = {"method": "Nelder-Mead", "options": {"xatol": 1e-9, "fatol": 1e-13}}
    best = min(minimize(loss, rng.normal(0, 3, m), **options).fun for _ in range(3))
    table = ContingencyTable.from_matrix(np.diag(np.rint(shares * 1000).astype(int)))
    assert level_of("f1_macro", "default", table) == pytest.approx(-best, abs=1e-6)


def test_levels_of_weighted_and_declared_classes():
    """The last declared class has no references: NIT's k counts it, the mean recall does not."""
    references, predictions = ["a", "a", "b", "c"], ["a", "b", "b", "a"]
    options = {"labels": [*"abcd"], "sample_weight": [0.5, 1.0, 2.0, 0.5]}
    table = ContingencyTable.from_labels(references=references, predictions=predictions, **options)
    levels = {name: level_of(name, "default", table) for name in SCORES}
    expected = dict.fromkeys(SCORES, 0.0) | {"accuracy": 0.5, "nit": 0.25}
    expected |= {"balanced_accuracy": 1 / 3, "f1_macro": 1 / 3}
    expected |= {"ema": 2 ** -entropy([1.5, 2.0, 0.5], base=2)}
    assert levels == close(expected)


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
def test_levels_under_a_prior(average):
    """The best guesser of accuracy then scores the largest share of the prior."""
    rng, score = np.random.default_rng(3), score_with_average("informedness", average)
    prior = {0: 0.2, 1: 0.2, 2: 0.6}
    for guess in guessers_of(SHARES["three"]):
        matrix = simulated(SHARES["three"], guess, rng)
        scaled = matrix * (np.array([*prior.values()]) / matrix.sum(axis=1))[:, None]
        table = ContingencyTable.from_matrix(matrix)
        under_prior = reweight(table, read_prior(prior, table))
        level = score.guessing_level(under_prior)
        assert oracle("informedness", average, scaled) == pytest.approx(level, abs=ERROR)
        assert level_of("accuracy", "default", under_prior) == close(0.6)


@pytest.mark.parametrize("shares", SHARES.values(), ids=SHARES)
@pytest.mark.parametrize("name", SCORES)
def test_best_level_is_what_perfect_predictions_score(name, shares):
    rng, score = np.random.default_rng(4), score_with_average(name, "default")
    matrix = rng.multinomial(N, np.diag(shares).ravel()).reshape(len(shares), -1)
    best = score.best_level(ContingencyTable.from_matrix(matrix))
    assert best == close(oracle(name, "default", matrix))
    assert (best < 0.999) == (name == "nit" and len(set(shares)) > 1)
    mistakes = rng.multinomial(N, np.full(matrix.size, 1 / matrix.size)).reshape(matrix.shape)
    mistaken = ContingencyTable.from_matrix(matrix + mistakes)
    assert score.value(mistaken) < score.best_level(mistaken) <= 1


def test_levels_of_a_single_reference_class():
    """NIT is 1 by definition, and both levels are its only value."""
    table = ContingencyTable.from_matrix([[3, 1], [0, 0]], labels=["a", "b"])
    assert level_of("accuracy", "default", table) == 1
    assert level_of("ema", "default", table) == 1
    one = ContingencyTable.from_labels(references=["a", "a"], predictions=["a", "a"])
    nit = score_with_average("nit", "default")
    assert (nit.guessing_level(one), nit.best_level(one)) == (1.0, 1.0)
    assert math.isclose(nit.best_level(table), 0.5)  # of two declared classes
