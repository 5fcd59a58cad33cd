"""Decisions from probabilities, beside exact arithmetic over all that could be decided."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import dense
from informedness import informed_decisions

AVERAGES = ("prevalence", "macro", "bias")
each_average = pytest.mark.parametrize("average", AVERAGES)


def expected_informedness(probabilities, decisions, average):
    """The score of the table of expected counts, by its definition, in exact fractions."""
    classes = range(len(probabilities[0]))
    cells = [[Fraction(0) for _ in classes] for _ in classes]
    for row, decided in zip(probabilities, decisions, strict=True):
        for c in classes:
            cells[c][decided] += row[c]
    return dense.score(cells, "informedness", average)


def random_fractions(generator, n, k):
    rows = generator.integers(1, 40, (n, k)) ** generator.integers(1, 3, (n, k))
    return [[Fraction(int(x), int(row.sum())) for x in row] for row in rows]


@each_average
def test_no_other_decisions_are_expected_to_score_higher(average):
    """For weights that depend on the decisions: than nine in ten, and the others by little."""
    for n, k in ((7, 2), (5, 3), (4, 4)):
        is_local = average == "bias" and k > 2
        generator = np.random.default_rng(n)
        short = []
        for _ in range(20 if is_local else 4):
            p = random_fractions(generator, n, k)
            every = itertools.product(range(k), repeat=n)
            best = max(expected_informedness(p, decisions, average) for decisions in every)
            decisions = informed_decisions([list(map(float, x)) for x in p], average=average)
            short.append(best - expected_informedness(p, decisions.tolist(), average))
        assert np.mean([x == 0 for x in short]) >= (0.9 if is_local else 1), (n, k)
        assert 0 <= max(short) < (0.06 if is_local else 1e-12), (n, k)


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
    both = np.column_stack([1 - p, p])
    decisions = informed_decisions(both, average=average)
    assert decisions.tolist() == (p > p.mean()).astype(int).tolist()
    decisions = informed_decisions(both, average=average, prevalence=[0.7, 0.3])
    assert decisions.tolist() == (p > 0.3).astype(int).tolist()


@each_average
def test_a_class_without_prevalence_is_never_predicted(average):
    p = np.array([[0.2, 0.0, 0.5, 0.3], [0.6, 0.0, 0.1, 0.3], [0.1, 0.0, 0.2, 0.7]])
    with np.errstate(all="raise"):
        decisions = informed_decisions(p, average=average)
        some = informed_decisions(p, average=average, prevalence=[0.5, 0.2, 0.3, 0.0])
        one = informed_decisions([[0.0, 1.0, 0.0]] * 3, average=average)
        other = informed_decisions([[0.5, 0.5]] * 2, average=average, prevalence=[0, 1])
    assert 1 not in decisions
    assert 3 not in some
    without = informed_decisions(p[:, [0, 2, 3]], average=average)
    assert decisions.tolist() == np.array([0, 2, 3])[without].tolist()
    assert (one.tolist(), other.tolist()) == ([1] * 3, [1] * 2)


@each_average
def test_every_order_of_classes_gives_the_same_decisions(average):
    p = np.random.default_rng(4).dirichlet([3, 1, 1, 0.5], 300)
    order = np.array([2, 0, 3, 1])
    decisions = informed_decisions(p, average=average)
    assert order[informed_decisions(p[:, order], average=average)].tolist() == decisions.tolist()
    assert informed_decisions(p.astype(np.float16), average=average).shape == (300,)


def test_what_is_not_valid_is_refused_with_what_to_do():
    for probabilities, options, message in (
        ([0.2, 0.7], {}, r"a column for each class.* pass np.column_stack\(\[1 - p, p\]\)"),
        (np.full((2, 2, 2), 0.5), {}, r"must be \(n_samples, n_classes\), got \(2, 2, 2\)"),
        (np.ones((0, 3)), {}, "must have at least one row"),
        ([[2.5, -1.5]], {}, "between 0 and 1, got 2.5: for logits, pass their softmax"),
        ([[0.5, 0.5], [0.9, 0.8]], {}, "sum to 1, got 1.7 in row 1: .* each one separately"),
        ([["a", "b"]], {}, "`probabilities` must hold numbers"),
        ([[0.5, 0.5], [1.0]], {}, "`probabilities` could not be read as an array"),
        ([[0.5, 0.5]], {"prevalence": [1.0]}, r"2 numbers, one per class, got shape \(1,\)"),
        ([[0.5, 0.5]], {"prevalence": [90, 10]}, "between 0 and 1, got 90: pass shares, not"),
        ([[0.5, 0.5]], {"prevalence": [0.9, 0.9]}, "`prevalence` must sum to 1, got 1.8"),
        ([[0.5, 0.5]], {"average": "weighted"}, "`average` must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            informed_decisions(probabilities, **options)
