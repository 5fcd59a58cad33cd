"""Decisions from probabilities, beside exact arithmetic over all that could be decided.

Covers src: functions.py.
"""

import itertools
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from informedness import informed_decisions
from oracles import dense

each_average = pytest.mark.parametrize("average", ["prevalence", "macro"])


def expected_informedness(p, decisions, average):
    """The score of the table of expected counts, by its definition, in exact fractions."""
    classes = range(len(p[0]))
    cells = [[Fraction(0) for _ in classes] for _ in classes]
    for (row, decided), c in itertools.product(zip(p, decisions, strict=True), classes):
        cells[c][decided] += row[c]
    return dense.score(cells, "informedness", average)


@each_average
def test_no_other_decisions_are_expected_to_score_higher(average):
    for seed, (n, k) in enumerate([(7, 2), (5, 3), (4, 4)] * 2):
        generator = np.random.default_rng(seed)
        rows = (generator.integers(1, 40, (n, k)) ** generator.integers(1, 3, (n, k))).tolist()
        p = [[Fraction(x, sum(row)) for x in row] for row in rows]
        every = itertools.product(range(k), repeat=n)
        best = max(expected_informedness(p, decisions, average) for decisions in every)
        decisions = informed_decisions([list(map(float, x)) for x in p], average=average)
        short = best - expected_informedness(p, decisions.tolist(), average)
        assert 0 <= short < 1e-12, (seed, k)


@each_average
def test_the_class_above_its_prevalence_is_predicted(average):
    p = np.random.default_rng(1).beta(0.5, 3, 500)
    both = np.column_stack([1 - p, p])
    decisions = informed_decisions(both, average=average, prevalence=[0.7, 0.3])
    assert decisions.tolist() == (p > 0.3).astype(int).tolist()
    assert informed_decisions(both.astype(np.float16), average=average).shape == (500,)


@each_average
def test_a_class_without_prevalence_is_never_predicted(average):
    p = np.array([[0.2, 0.0, 0.5, 0.3], [0.6, 0.0, 0.1, 0.3], [0.1, 0.0, 0.2, 0.7]])
    there = np.array([0, 2, 3])
    wanted = there[informed_decisions(p[:, there], average=average)]
    assert informed_decisions(p, average=average).tolist() == wanted.tolist()
    assert 3 not in informed_decisions(p, average=average, prevalence=[0.5, 0.2, 0.3, 0.0])
    assert informed_decisions([[0.0, 1.0, 0.0]] * 3, average=average).tolist() == [1] * 3


def test_what_is_not_valid_is_refused_with_what_to_do():
    for probabilities, options, message in (
        ([0.2, 0.7], {}, r"a column for each class.* pass np.column_stack\(\[1 - p, p\]\)"),
        (np.ones((0, 3)), {}, "must have at least one row"),
        ([[2.5, -1.5]], {}, "between 0 and 1, got 2.5. For logits pass their softmax"),
        ([[0.5, 0.5], [0.9, 0.8]], {}, "sum to 1, got 1.7 in row 1. For logits pass"),
        ([["a", "b"]], {}, "`probabilities` must hold numbers"),
        ([[0.5, 0.5]], {"prevalence": [1.0]}, r"2 numbers, one per class, got shape \(1,\)"),
        ([[0.5, 0.5]], {"prevalence": [90, 10]}, "between 0 and 1, got 90. Pass shares, not"),
        ([[0.5, 0.5]], {"prevalence": [0.9, 0.9]}, "`prevalence` must sum to 1, got 1.8"),
        ([[0.5, 0.5]], {"prevalence": pd.Series({1: 0.7, 0: 0.3})}, "index, got .1, 0.. If the v"),
        ([[0.5, 0.5]], {"average": "bias"}, "`average` must be one of"),
    ):
        with pytest.raises(ValueError, match=message):
            informed_decisions(probabilities, **options)
