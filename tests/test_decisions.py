"""Decisions from probabilities, beside exact arithmetic over all that could be decided."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from informedness import informed_decisions, informedness_score

AVERAGES = ("prevalence", "macro", "bias")
each_average = pytest.mark.parametrize("average", AVERAGES)


def expected_informedness(probabilities, decisions, average):
    """The score of the table of expected counts, by its definition, in exact fractions."""
    n, k = len(probabilities), len(probabilities[0])
    score = Fraction(0)
    for c in range(k):
        references = sum(row[c] for row in probabilities)
        predictions = sum(d == c for d in decisions)
        hits = sum(row[c] for row, d in zip(probabilities, decisions, strict=True) if d == c)
        difference = hits / references - (predictions - hits) / (n - references)
        weights = {
            "prevalence": references / n,
            "macro": Fraction(1, k),
            "bias": Fraction(predictions, n),
        }
        score += weights[average] * difference
    return score


def random_fractions(generator, n, k):
    rows = generator.integers(1, 40, (n, k)) ** generator.integers(1, 3, (n, k))
    return [[Fraction(int(x), int(row.sum())) for x in row] for row in rows]


def best_of_all(probabilities, average):
    n, k = len(probabilities), len(probabilities[0])
    every = itertools.product(range(k), repeat=n)
    return max(expected_informedness(probabilities, decisions, average) for decisions in every)


def reached(probabilities, average):
    decisions = informed_decisions([list(map(float, x)) for x in probabilities], average=average)
    return expected_informedness(probabilities, decisions.tolist(), average)


@each_average
@pytest.mark.parametrize(("n", "k"), [(7, 2), (5, 3), (4, 4)])
def test_no_other_decisions_are_expected_to_score_higher(average, n, k):
    """For weights that depend on the decisions: than nine in ten, and the others by little."""
    generator = np.random.default_rng(n)
    short = []
    for _ in range(20 if average == "bias" and k > 2 else 4):
        p = random_fractions(generator, n, k)
        short.append(best_of_all(p, average) - reached(p, average))
    is_local = average == "bias" and k > 2
    assert np.mean([x == 0 for x in short]) >= (0.9 if is_local else 1)
    assert 0 <= max(short) < (0.06 if is_local else 1e-12)


def test_where_weights_are_those_of_predictions_no_change_of_one_decision_scores_higher():
    generator = np.random.default_rng(0)
    for n, k in [(12, 3), (30, 4), (20, 6)] * 3:
        p = random_fractions(generator, n, k)
        decisions = informed_decisions(np.array(p, dtype=float), average="bias").tolist()
        score = expected_informedness(p, decisions, "bias")
        changed = ([*decisions[:i], c, *decisions[i + 1 :]] for i in range(n) for c in range(k))
        assert max(expected_informedness(p, x, "bias") for x in changed) == score


@each_average
def test_of_two_classes_the_one_above_its_prevalence_is_predicted(average):
    p = np.random.default_rng(1).beta(0.5, 3, 500)
    decisions = informed_decisions(np.column_stack([1 - p, p]), average=average)
    assert decisions.tolist() == (p > p.mean()).astype(int).tolist()
    decisions = informed_decisions(
        np.column_stack([1 - p, p]), average=average, prevalence=[0.7, 0.3]
    )
    assert decisions.tolist() == (p > 0.3).astype(int).tolist()


@each_average
def test_references_drawn_from_the_probabilities_score_higher_than_by_the_most_probable_class(
    average,
):
    generator = np.random.default_rng(2)
    p = generator.dirichlet([4, 1, 0.5, 0.5], 20_000)
    references = (p.cumsum(axis=1) > generator.random((len(p), 1))).argmax(axis=1)
    decisions = informed_decisions(p, average=average)
    score, of_argmax = (
        informedness_score(references, x, average=average) for x in (decisions, p.argmax(axis=1))
    )
    assert score > of_argmax + 0.03
    # as high as what was expected of it
    expected = np.array([p[decisions == c].sum(axis=0) for c in range(4)])
    pi, beta = p.mean(axis=0), expected.sum(axis=1) / len(p)
    differences = (expected.diagonal() / len(p) - pi * beta) / (pi * (1 - pi))
    weights = {"prevalence": pi, "macro": np.full(4, 1 / 4), "bias": beta}[average]
    assert score == pytest.approx((weights * differences).sum(), abs=0.02)


def test_the_highest_score_weighted_by_predictions_may_leave_classes_out():
    p = np.random.default_rng(3).dirichlet([2, 1, *[0.5] * 8], 2000)
    used = {
        average: len({*informed_decisions(p, average=average).tolist()}) for average in AVERAGES
    }
    assert used["prevalence"] == used["macro"] == 10
    assert used["bias"] < 6


@each_average
def test_a_class_without_prevalence_is_never_predicted(average):
    p = np.array([[0.2, 0.0, 0.5, 0.3], [0.6, 0.0, 0.1, 0.3], [0.1, 0.0, 0.2, 0.7]])
    with np.errstate(all="raise"):
        assert 1 not in informed_decisions(p, average=average)
        some = informed_decisions(p, average=average, prevalence=[0.5, 0.2, 0.3, 0.0])
    assert 3 not in some
    without = informed_decisions(p[:, [0, 2, 3]], average=average)
    assert informed_decisions(p, average=average).tolist() == np.array([0, 2, 3])[without].tolist()


@each_average
def test_where_there_is_one_class_it_is_predicted(average):
    with np.errstate(all="raise"):
        every = informed_decisions([[0.0, 1.0, 0.0]] * 3, average=average)
        some = informed_decisions([[0.5, 0.5]] * 2, average=average, prevalence=[0, 1])
    assert (every.tolist(), some.tolist()) == ([1] * 3, [1] * 2)


@each_average
def test_every_order_of_classes_gives_the_same_decisions(average):
    p = np.random.default_rng(4).dirichlet([3, 1, 1, 0.5], 300)
    order = np.array([2, 0, 3, 1])
    decisions = informed_decisions(p, average=average)
    assert order[informed_decisions(p[:, order], average=average)].tolist() == decisions.tolist()


@pytest.mark.parametrize(
    ("probabilities", "options", "message"),
    [
        ([0.2, 0.7], {}, r"a column for each class.* pass np.column_stack\(\[1 - p, p\]\)"),
        ([[0.2], [0.7]], {}, r"got an array of shape \(2, 1\).* np.column_stack"),
        (np.full((2, 2, 2), 0.5), {}, r"must be \(n_samples, n_classes\), got \(2, 2, 2\)"),
        (np.ones((0, 3)), {}, "must have at least one row"),
        ([[2.5, -1.5]], {}, "between 0 and 1, got 2.5: for logits, pass their softmax"),
        ([[-0.1, 1.1]], {}, "between 0 and 1, got -0.1"),
        ([[np.nan, 1.0]], {}, "between 0 and 1, got nan"),
        ([[0.5, 0.5], [0.9, 0.8]], {}, "sum to 1, got 1.7 in row 1: .* each one separately"),
        ([["a", "b"]], {}, "`probabilities` must hold numbers"),
        ([[0.5, 0.5], [1.0]], {}, "`probabilities` could not be read as an array"),
        ([[0.5, 0.5]], {"prevalence": [1.0]}, r"2 numbers, one per class, got shape \(1,\)"),
        ([[0.5, 0.5]], {"prevalence": [90, 10]}, "between 0 and 1, got 90: pass shares, not"),
        ([[0.5, 0.5]], {"prevalence": [0.9, 0.9]}, "`prevalence` must sum to 1, got 1.8"),
        ([[0.5, 0.5]], {"average": None}, "`average` must be one of"),
        ([[0.5, 0.5]], {"average": "weighted"}, "`average` must be one of"),
    ],
)
def test_what_is_not_valid_is_refused_with_what_to_do(probabilities, options, message):
    with pytest.raises(ValueError, match=message):
        informed_decisions(probabilities, **options)


def test_probabilities_in_16_bits_are_taken():
    p = np.random.default_rng(5).dirichlet([3, 1, 1], 300).astype(np.float16)
    assert informed_decisions(p).shape == (300,)
