"""Intervals of scores of hits and totals, against the same from whole tables in 50 digits."""

import itertools
import math
import operator
import warnings
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

import dense
from dense import precise
from estimate_cases import (
    PRIORS,
    TABLES,
    THREE,
    against_the_rest,
    every_score,
    function_of,
    options_of,
    sums,
    table_of,
    weighted,
)
from informedness import estimate_from_labels
from informedness.statistics.registry import averaged_score

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
LEVEL = 0.9
Z2 = float(dense.normal_quantile(0.95)) ** 2


def clipped(score, value, below, above):
    """Return the ends within the range of the score."""
    least = averaged_score(score[0], "default").lowest
    return max(least, value - below), min(1, value + above)


# The definition


@pytest.mark.parametrize("score", [of for of in dense.OF_MARGINS if of[0] != "markedness"], ids=str)
def test_intervals_are_those_of_the_definition(score):
    for name, matrix in TABLES.items():
        cells = precise(matrix)
        if not all(map(any, cells)):
            continue  # classes without a reference have a test of their own
        made = table_of(matrix).estimate(**options_of(score), confidence_level=LEVEL)
        below, above = dense.reaches(cells, function_of(score), LEVEL)
        shift = dense.excess(cells) if score == ("informedness", "bias") else 0
        wanted = clipped(score, made.value, below + shift, above - shift)
        assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12), name


def test_what_samples_add_to_the_default_average_is_estimated_without_bias():
    """By enumeration of six samples of three classes: a model that knows half of each has 13/24."""
    chances = [[Fraction(2, 3) if i == j else Fraction(1, 6) for j in range(3)] for i in range(3)]
    value = found = Fraction(0)
    for answers in itertools.product(range(3), repeat=6):
        cells = [
            [Fraction(answers[2 * i : 2 * i + 2].count(j)) for j in range(3)] for i in range(3)
        ]
        chance = math.prod(chances[i // 2][j] for i, j in enumerate(answers))
        gains = [
            cells[j][j] / 2 - sum(cells[i][j] for i in range(3) if i != j) / 4 for j in range(3)
        ]
        bias = [sum(row[j] for row in cells) / 6 for j in range(3)]
        value += chance * sum(map(operator.mul, bias, gains))
        found += chance * dense.excess(cells)
    assert value == Fraction(13, 24)
    assert value - found == Fraction(1, 2)


def test_intervals_of_a_thousand_classes_hold_what_the_model_knows():
    rng = np.random.default_rng(0)
    for k, n in ((100, 1000), (300, 3000), (1000, 5000)):
        references = rng.integers(0, k, n)
        answers = np.where(rng.random(n) < 0.5, references, rng.integers(0, k, n))
        low, high = estimate_from_labels(references, answers).confidence_interval
        assert low < 0.5 < high, k


def test_intervals_of_markedness_are_those_of_informedness_of_the_transpose():
    transposed = table_of(np.transpose(THREE))
    for average, other in (("bias", "prevalence"), ("prevalence", "bias"), ("macro", "macro")):
        made = table_of(THREE).estimate("markedness", average=average)
        same = transposed.estimate(average=other)
        assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)


@pytest.mark.parametrize("average", dense.AVERAGES)
def test_intervals_with_weights_and_priors_are_too(average):
    *labels, weights = weighted(THREE)
    cells, squares = (precise(sums(*labels, weights, 3, power)) for power in (1, 2))
    for prior in (None, *PRIORS.values()):
        options = {"average": average, "sample_weight": weights, "confidence_level": LEVEL}
        options["prior"] = prior and dict(enumerate(prior))
        made = estimate_from_labels(*labels, **options)
        shares = prior and list(map(mpmath.mpf, prior))
        function = function_of(("informedness", average), shares)
        below, above = dense.reaches(cells, function, LEVEL, squares)
        shift = dense.excess(cells, squares, shares) if average == "bias" else 0
        wanted = max(-1, made.value - below - shift), min(1, made.value + above - shift)
        assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12), prior


def test_a_class_without_a_reference_adds_what_it_could_change():
    """It is found never or always, by as many samples as could be missed: z^2."""
    cells = precise([[8, 2, 1], [1, 9, 3], [0, 0, 0]])
    table = table_of([[8, 2, 1], [1, 9, 3], [0, 0, 0]])
    assert math.isnan(table.estimate(average=None)[2].standard_error)
    n, r, c = 24, np.array([11, 13, Z2]), np.array([9, 11, 4])
    for average in dense.AVERAGES:
        made = table.estimate(average=average)
        ends = [made.value]
        for hits in (np.array([8, 9, 0]), np.array([8, 9, Z2])):
            predictions = c + np.array([0, 0, hits[2]])
            gains = hits / r - (predictions - hits) / (n - r)
            weights = {"bias": predictions / n, "prevalence": r / n, "macro": np.ones(3) / 3}
            ends.append(float(weights[average] @ gains))
        below, above = dense.reaches(cells, function_of(("informedness", average)), 0.95)
        shift = dense.excess(cells) if average == "bias" else 0
        below, above = below + shift - min(ends), above - shift + max(ends)
        wanted = clipped(("informedness", average), 0, below, above)
        assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12), average


def test_a_prior_wants_some_references_of_each_class():
    for rarest, how in [(2, "nan"), (3, "warned"), (4, "warned"), (5, "made")]:
        table = table_of([[60, 9, 0], [4, 40, 3], [0, 0, rarest]])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = table.estimate(prior={0: 0.25, 1: 0.25, 2: 0.5})
        assert math.isnan(sum(made.confidence_interval)) == (how == "nan")
        assert made.standard_error > 0
        said = [str(one.message) for one in caught]
        assert len(said) == (how != "made")
        if said:
            wanted = f": {rarest} references of a class of the prior, where 5 are wanted"
            assert said[0].endswith(wanted)
            assert ("there is no interval of informedness" in said[0]) == (how == "nan")


# Peers


def wilson(right, n):
    """Return a share and the ends of its interval, as scipy has it."""
    ends = stats.binomtest(right, n).proportion_ci(method="wilson")
    return right / n, ends.low, ends.high


def test_the_interval_of_one_proportion_is_at_least_wilsons():
    """Where the other class is certain, all that is open is the recall of this one."""
    for right, n in [(60, 60), (92, 100), (20, 45), (700, 1500)]:
        made = table_of([[right, n - right], [0, 10**9]]).estimate().confidence_interval
        _, low, high = wilson(right, n)
        assert low - 0.02 < made[0] < low + 1e-6
        assert high - 1e-6 < made[1] < high + 0.02
    made = table_of([[60]]).estimate("accuracy")
    assert made.confidence_interval == pytest.approx(wilson(60, 60)[1:], abs=1e-9)


def test_the_interval_of_two_classes_is_at_least_newcombes():
    """Newcombe (1998): the squares of the reaches of two of Wilson's intervals add up."""
    for matrix in ([[84, 6], [2, 8]], [[30, 20], [25, 40]], [[500, 80], [9, 21]]):
        (hits, misses), (alarms, rejected) = matrix
        p, p_low, p_high = wilson(hits, hits + misses)
        q, q_low, q_high = wilson(alarms, alarms + rejected)
        low = p - q - math.hypot(p - p_low, q_high - q)
        high = p - q + math.hypot(p_high - p, q - q_low)
        made = table_of(matrix).estimate().confidence_interval
        assert low - 0.1 * (high - low) < made[0] < low + 1e-12
        assert high - 1e-12 < made[1] < high + 0.1 * (high - low)


# What every interval keeps to


@every_score
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_two_samples_and_a_class_of_predictions_alone_break_no_interval(score):
    made = estimate_from_labels(["a", "b"], ["a", "odd"], **options_of(score))
    low, high = made.confidence_interval
    assert not low > made.value  # nan where there is none
    assert not made.value > high


@every_score
def test_intervals_contain_the_value_within_the_range_and_grow_with_the_level(score):
    least = averaged_score(score[0], "default").lowest
    for name, matrix in TABLES.items():
        widths = []
        for level in (0.01, 0.5, 0.95, 0.9999):
            made = table_of(matrix).estimate(**options_of(score), confidence_level=level)
            low, high = made.confidence_interval
            if not math.isnan(low):
                assert least <= low <= made.value <= high <= max(1, made.value) <= 1 + 1e-14, name
                widths.append(high - low)
        assert widths == sorted(widths), name
        assert not widths or widths[0] < widths[-1], name


@every_score
def test_no_errors_have_an_interval_of_some_width_up_to_the_best(score):
    for totals in ((7, 3), (40, 40), (1000, 10), (5, 5, 5), (200, 30, 1)):
        # declared, so that no class is missed
        table, more = (
            table_of(np.diag(totals) * times, labels=range(len(totals))) for times in (1, 100)
        )
        made = table.estimate(**options_of(score))
        low, high = made.confidence_interval
        assert made.standard_error < 1e-14 or score[0] == "nit"
        assert low < made.value <= high <= 1 + 1e-14, totals
        if score[0] != "nit":
            assert made.value == high == pytest.approx(1, abs=1e-14)
        assert more.estimate(**options_of(score)).confidence_interval[0] > low


def test_the_interval_of_a_class_is_that_of_it_against_the_rest():
    cells = np.array(THREE)
    for metric in ("informedness", "markedness"):
        for c, made in enumerate(table_of(THREE).estimate(metric, average=None)):
            same = table_of(against_the_rest(cells, c)).estimate(metric)
            assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)
