"""Other implementations as oracles, on random tables: scikit-learn, pycm, exact rationals."""

import math
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as peer
from pycm import ConfusionMatrix

import by_table
from golden import close
from informedness import ContingencyTable, informedness_score, markedness_score

pytestmark = pytest.mark.filterwarnings(
    "ignore:informedness. ", "ignore:y_pred contains classes not in y_true"
)

N_SAMPLES = 120
# classes, and which of them the references and the predictions miss
SHAPES = {
    "2 classes": (2, (), ()),
    "3 classes": (3, (), ()),
    "10 classes": (10, (), ()),
    "2, one never predicted": (2, (), (1,)),
    "3, one never predicted": (3, (), (2,)),
    "3, one absent": (3, (0,), ()),
    "5, each misses one": (5, (1,), (3,)),
    "10, several missing": (10, (2, 5), (2, 7, 9)),
}
WEIGHTED = {"unweighted": False, "weighted": True}


def draw(shape, seed, names=None):
    """Return references, predictions that are right half the time, and weights, at random."""
    k, unreferenced, unpredicted = SHAPES[shape]
    rng = np.random.default_rng([seed, k])
    known = [c for c in range(k) if c not in unreferenced]
    given = [c for c in range(k) if c not in unpredicted]
    shares = rng.dirichlet(np.full(len(known), 2.0))
    # each class once, so that the shape is what its name says
    references = np.append(known, rng.choice(known, N_SAMPLES, p=shares))
    guesses = np.append(np.resize(given, len(known)), rng.choice(given, N_SAMPLES))
    right = np.isin(references, given) & (rng.random(len(references)) < 0.5)
    predictions = np.where(right, references, guesses)
    predictions = np.append(predictions, given)
    references = np.append(references, np.resize(known, len(given)))
    weights = rng.exponential(size=len(references))
    if names is not None:
        references, predictions = np.array(names)[references], np.array(names)[predictions]
    return references, predictions, weights


@pytest.fixture(params=[0, 1, 2], ids=lambda seed: f"seed {seed}")
def seed(request):
    return request.param


@pytest.fixture(params=SHAPES)
def shape(request):
    return request.param


@pytest.fixture(params=[None, "ëbçdàfghij"], ids=["integers", "strings"])
def names(request):
    return request.param and list(request.param)


@pytest.fixture(params=WEIGHTED)
def sample(request, shape, seed, names):
    """Give references, predictions and weights or None."""
    references, predictions, weights = draw(shape, seed, names)
    return references, predictions, weights if WEIGHTED[request.param] else None


def table_of(sample):
    return ContingencyTable.from_labels(sample[0], sample[1], sample_weight=sample[2])


@pytest.mark.parametrize("shape", ["2 classes", "2, one never predicted"], indirect=True)
def test_two_classes_are_adjusted_balanced_accuracy(sample):
    references, predictions, weights = sample
    wanted = peer.balanced_accuracy_score(
        references, predictions, adjusted=True, sample_weight=weights
    )
    for average in ("bias", "prevalence", "macro"):
        score = informedness_score(references, predictions, average=average, sample_weight=weights)
        assert score == close(wanted)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("ours", "theirs", "options"),
    [
        ("accuracy", "accuracy_score", {}),
        ("balanced_accuracy", "balanced_accuracy_score", {}),
        ("f1_macro", "f1_score", {"average": "macro"}),
        ("cohen_kappa", "cohen_kappa_score", {}),
        ("matthews_corrcoef", "matthews_corrcoef", {}),
    ],
)
def test_companion_scores_are_those_of_scikit_learn(sample, ours, theirs, options):
    references, predictions, weights = sample
    wanted = getattr(peer, theirs)(references, predictions, sample_weight=weights, **options)
    assert getattr(by_table, ours)(table_of(sample)) == close(wanted)


def test_mutual_information_is_that_of_scikit_learn_in_bits(sample):
    references, predictions, weights = sample
    # whole numbers, because scikit-learn cuts the margins of a contingency to integers
    weights = None if weights is None else np.ceil(100 * weights)
    matrix = peer.confusion_matrix(references, predictions, sample_weight=weights)
    nats = peer.mutual_info_score(None, None, contingency=matrix)
    table, k = table_of((references, predictions, weights)), len(set(references.tolist()))
    assert by_table.mutual_information(table) == close(nats / math.log(2))
    assert by_table.nit(table) == close(math.exp(nats) / k)


def test_mutual_information_of_labels_is_that_of_scikit_learn(shape, seed):
    references, predictions, _ = draw(shape, seed)
    table = ContingencyTable.from_labels(references, predictions)
    nats = peer.mutual_info_score(references, predictions)
    assert by_table.mutual_information(table) == close(nats / math.log(2))


def test_the_table_is_the_confusion_matrix_of_scikit_learn(sample):
    references, predictions, weights = sample
    matrix = peer.confusion_matrix(references, predictions, sample_weight=weights)
    assert table_of(sample).to_dense() == close(matrix)


@pytest.mark.parametrize("shape", ["2 classes", "3 classes", "10 classes"], indirect=True)
def test_pycm_agrees(shape, seed):
    """Bookmaker weighted by TOP (test outcome positive) is the bias average; P is prevalence."""
    references, predictions, _ = draw(shape, seed)
    matrix = ConfusionMatrix(references.tolist(), predictions.tolist())
    for average, weight in (("bias", matrix.TOP), ("prevalence", matrix.P), ("macro", None)):
        weight = weight or dict.fromkeys(matrix.classes, 1)
        score = informedness_score(references, predictions, average=average)
        assert score == close(matrix.weighted_average("BM", weight=weight))
        score = markedness_score(references, predictions, average=average)
        assert score == close(matrix.weighted_average("MK", weight=weight))
    by_class = informedness_score(references, predictions, average=None)
    assert by_class == close(list(matrix.class_stat["BM"].values()))
    by_class = markedness_score(references, predictions, average=None)
    assert by_class == close(list(matrix.class_stat["MK"].values()))


def exact_informedness(matrix, average, prior=None, odds=False):
    """Return informedness in rational arithmetic, from the definition sample by sample."""
    counts = [[Fraction(int(n)) for n in row] for row in matrix]
    k = range(len(counts))
    total = sum(map(sum, counts))
    if prior is not None and not odds:
        counts = [[prior[i] * total * n / sum(counts[i]) if n else n for n in counts[i]] for i in k]
    share = [[n / total for n in row] for row in counts]
    prevalence = [sum(share[c]) for c in k]
    bias = [sum(share[i][c] for i in k) for c in k]
    known = [c for c in k if prevalence[c]]
    gain = dict.fromkeys(k, Fraction(0))
    for c in known:
        right, wrong = share[c][c], bias[c] - share[c][c]
        if odds:
            gain[c] = right / prior[c] - wrong / (1 - prior[c])
        else:
            gain[c] = right / prevalence[c] - wrong / (1 - prevalence[c])
    if average == "macro":
        return sum(gain.values()) / len(known)
    weight = bias if average == "bias" else prevalence
    return sum(weight[c] * gain[c] for c in k)


def random_prior(matrix, seed):
    """Return a prior of the classes in the references, uneven, that sums to exactly 1."""
    known = np.flatnonzero(matrix.sum(1)).tolist()
    parts = np.random.default_rng([seed, 7]).integers(1, 30, len(known)).tolist()
    return {c: Fraction(part, sum(parts)) for c, part in zip(known, parts, strict=True)}


@pytest.fixture
def matrix(shape, seed):
    references, predictions, _ = draw(shape, seed)
    return peer.confusion_matrix(references, predictions)


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
def test_informedness_is_that_of_rational_arithmetic(matrix, average):
    table = ContingencyTable.from_matrix(matrix)
    wanted = exact_informedness(matrix, average)
    assert by_table.informedness(table, average=average) == close(wanted)


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
@pytest.mark.parametrize("prior_mode", ["reweight", "odds"])
def test_informedness_under_a_prior_is_that_of_rational_arithmetic(
    matrix, seed, average, prior_mode
):
    prior = random_prior(matrix, seed)
    table = ContingencyTable.from_matrix(matrix)
    wanted = exact_informedness(matrix, average, prior, odds=prior_mode == "odds")
    floats = {c: float(share) for c, share in prior.items()}
    score = by_table.informedness(table, average=average, prior=floats, prior_mode=prior_mode)
    assert score == close(wanted)


@pytest.mark.parametrize("shape", ["2 classes", "3 classes", "10 classes"], indirect=True)
def test_markedness_under_a_prior_is_that_of_the_reweighted_samples(matrix, seed):
    prior = random_prior(matrix, seed)
    references, predictions = np.nonzero(matrix)
    counts = matrix[references, predictions]
    weights = counts * np.array([float(prior[c]) for c in references]) / matrix.sum(1)[references]
    wanted = exact_informedness(matrix.T, "bias")
    assert markedness_score(references, predictions, sample_weight=counts) == close(wanted)
    assert markedness_score(references, predictions, sample_weight=counts, prior=prior) == close(
        markedness_score(references, predictions, sample_weight=weights)
    )


@pytest.mark.parametrize(("predictions", "score"), [("a" * 7 + "b" * 3, 1.16), ("a" * 10, 0.80)])
def test_odds_of_an_even_prior_break_the_scale_at_prevalence_7_to_3(predictions, score):
    """Perfect: .7 (.7/.5) + .3 (.3/.5) = 1.16. Constant: .7/.5 - .3/.5 = .80."""
    references, prior = list("a" * 7 + "b" * 3), {"a": 0.5, "b": 0.5}
    odds = informedness_score(references, list(predictions), prior=prior, prior_mode="odds")
    assert odds == close(score)
    reweighted = informedness_score(references, list(predictions), prior=prior)
    assert reweighted == close(round(score) if score > 1 else 0)
