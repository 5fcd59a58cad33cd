"""Intervals of scores of hits and totals, against the same from whole tables in 50 digits."""

import json
import math
import warnings

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import dense
from dense import SCORES, precise
from estimate_cases import (
    PRIORS,
    TABLES,
    THREE,
    every_score,
    every_score_of_margins,
    function_of,
    of_internal,
    options_of,
    sums,
    table_of,
    weighted,
)
from informedness import ContingencyTable, estimate, estimate_from_labels
from informedness.scores.registry import averaged_score

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
LEVEL = 0.9
Z2 = float(dense.normal_quantile(0.95)) ** 2


def clipped(score, value, below, above):
    """Return the ends within the range of the score."""
    least = averaged_score(score[0], "default").lowest
    return max(least, value - below), min(1, value + above)


# The definition


def turned(matrix, score):
    """Return the table whose rows the score is of: the predictions stand there for markedness."""
    return list(zip(*matrix, strict=True)) if score[0] == "markedness" else matrix


# classes without a reference have a test of their own
WHOLE = [
    pytest.param(matrix, score, id=f"{name}-{score_name}")
    for name, matrix in TABLES.items()
    for score, score_name in zip(SCORES, dense.NAMES, strict=True)
    if score in dense.OF_MARGINS and all(map(any, turned(matrix, score)))
]


@pytest.mark.parametrize(("matrix", "score"), WHOLE)
def test_intervals_are_those_of_the_definition(matrix, score):
    cells = precise(turned(matrix, score))
    made = estimate(table_of(matrix), **options_of(score), confidence_level=LEVEL)
    below, above = dense.reaches(cells, function_of(of_internal(score)), LEVEL)
    wanted = clipped(score, made.value, below, above)
    assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize("score", [of for of in dense.OF_MARGINS if of[0] != "markedness"])
@pytest.mark.parametrize("matrix", [THREE, [[40, 1, 0], [0, 25, 1], [1, 0, 30]]])
def test_intervals_with_weights_and_priors_are_too(score, matrix):
    samples = weighted(matrix)
    cells, squares = (precise(sums(*samples, 3, power)) for power in (1, 2))
    for prior in (None, *PRIORS.values()) if score[0] == "informedness" else (None,):
        given = {"prior": dict(enumerate(prior))} if prior else {}
        made = estimate_from_labels(
            *samples[:2],
            **options_of(score),
            sample_weight=samples[2],
            confidence_level=LEVEL,
            **given,
        )
        shares = list(map(mpmath.mpf, prior)) if prior else None
        below, above = dense.reaches(cells, function_of(score, shares), LEVEL, squares)
        wanted = clipped(score, made.value, below, above)
        assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize("average", [None, "bias", "prevalence", "macro"])
def test_a_class_without_a_reference_adds_what_it_could_change(average):
    """It is found never or always, by as many samples as could be missed: z^2."""
    matrix = [[8, 2, 1], [1, 9, 3], [0, 0, 0]]
    if average is None:
        made = estimate(table_of(matrix), average=None)
        assert math.isnan(made[2].standard_error)
        return
    made = estimate(table_of(matrix), average=average)
    n, r, c = 24, np.array([11, 13, Z2]), np.array([9, 11, 4])
    ends = [made.value]
    for hits in (np.array([8, 9, 0]), np.array([8, 9, Z2])):
        predictions = c + np.array([0, 0, hits[2]])
        gains = hits / r - (predictions - hits) / (n - r)
        weights = {"bias": predictions / n, "prevalence": r / n, "macro": np.ones(3) / 3}[average]
        ends.append(float(weights @ gains))
    cells = precise(matrix)
    below, above = dense.reaches(cells, function_of(("informedness", average)), 0.95)
    wanted = clipped(("informedness", average), 0, below - min(ends), above + max(ends))
    assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12)


def test_answers_outside_the_classes_are_no_class_that_could_have_references():
    answers = [0, 1] * 50, [0, 1, 0, 0, 7] * 20
    made = estimate_from_labels(*answers, labels=[0, 1], unknown="wrong")
    cells = precise([[30, 10, 10], [30, 10, 10], [0, 0, 0]])
    below, above = dense.reaches(cells, function_of(("informedness", "bias")), 0.95)
    wanted = made.value - below, made.value + above
    assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize(("rarest", "how"), [(2, "nan"), (3, "warned"), (4, "warned"), (5, "made")])
def test_a_prior_wants_some_references_of_each_class(rarest, how):
    table = table_of([[60, 9, 0], [4, 40, 3], [0, 0, rarest]])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = estimate(table, prior={0: 0.25, 1: 0.25, 2: 0.5})
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


def test_accuracy_of_one_class_alone_has_wilsons_interval():
    made = estimate(ContingencyTable.from_labels(["a"] * 60, ["a"] * 60), "accuracy")
    assert made.confidence_interval == pytest.approx(wilson(60, 60)[1:], abs=1e-9)


@pytest.mark.parametrize(("right", "n"), [(60, 60), (92, 100), (20, 45), (700, 1500)])
def test_the_interval_of_one_proportion_is_at_least_wilsons(right, n):
    """Where the other class is certain, all that is open is the recall of this one."""
    made = estimate(table_of([[right, n - right], [0, 10**9]])).confidence_interval
    _, low, high = wilson(right, n)
    assert low - 0.02 < made[0] < low + 1e-6
    assert high - 1e-6 < made[1] < high + 0.02


@pytest.mark.parametrize("matrix", [[[84, 6], [2, 8]], [[30, 20], [25, 40]], [[500, 80], [9, 21]]])
def test_the_interval_of_two_classes_is_at_least_newcombes(matrix):
    """Newcombe (1998): the squares of the reaches of two of Wilson's intervals add up."""
    (hits, misses), (alarms, rejected) = matrix
    p, p_low, p_high = wilson(hits, hits + misses)
    q, q_low, q_high = wilson(alarms, alarms + rejected)
    low = p - q - math.hypot(p - p_low, q_high - q)
    high = p - q + math.hypot(p_high - p, q - q_low)
    made = estimate(table_of(matrix)).confidence_interval
    assert low - 0.1 * (high - low) < made[0] < low + 1e-12
    assert high - 1e-12 < made[1] < high + 0.1 * (high - low)


# What every interval keeps to

matrices = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)


@pytest.mark.slow
@settings(max_examples=50, deadline=None, derandomize=True)
@given(matrix=matrices, level=st.sampled_from([0.01, 0.5, 0.95, 0.9999]))
def test_intervals_contain_the_value_and_stay_within_the_range_of_the_score(matrix, level):
    assume(any(map(any, matrix)))
    for score in SCORES:
        made = estimate(table_of(matrix), **options_of(score), confidence_level=level)
        low, high = made.confidence_interval
        json.dumps(made.to_dict(), allow_nan=False)
        if math.isnan(low):
            assert math.isnan(high)
            continue
        least = averaged_score(score[0], "default").lowest
        assert least <= low <= made.value <= high <= max(1, made.value) <= 1 + 1e-14
        # a guesser's NIT and EMA may lie at the end of what they can be
        assert low < high or level < 0.9 or score[0] in ("nit", "ema")
        assert made.standard_error >= 0


@every_score
@pytest.mark.parametrize("totals", [(7, 3), (40, 40), (1000, 10), (5, 5, 5), (200, 30, 1)])
def test_no_errors_have_an_interval_of_some_width_up_to_the_best(totals, score):
    labels = range(len(totals))  # declared, so that no class is missed
    table = table_of(np.diag(totals).tolist(), labels=labels)
    made = estimate(table, **options_of(score))
    low, high = made.confidence_interval
    assert made.standard_error < 1e-14 or score[0] == "nit"
    if score[0] == "nit":
        assert low < made.value <= high <= 1
    else:
        assert low < made.value == high == pytest.approx(1, abs=1e-14)
    # the more samples the narrower
    more = estimate(table_of((np.diag(totals) * 100).tolist(), labels=labels), **options_of(score))
    assert more.confidence_interval[0] > low


@every_score
def test_a_higher_level_has_a_wider_interval(score):
    widths = []
    for level in (0.5, 0.8, 0.95, 0.999):
        made = estimate(table_of(THREE), **options_of(score), confidence_level=level)
        low, high = made.confidence_interval
        widths.append(high - low)
    assert widths == sorted(set(widths))


@every_score_of_margins
def test_classes_in_another_order_have_the_same_interval(score):
    order = [2, 0, 1]
    turned = np.array(THREE)[np.ix_(order, order)].tolist()
    made, same = (estimate(table_of(matrix), **options_of(score)) for matrix in (THREE, turned))
    assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)


@pytest.mark.parametrize("metric", ["informedness", "markedness"])
def test_the_interval_of_a_class_is_that_of_it_against_the_rest(metric):
    for made in estimate(table_of(THREE), metric, average=None):
        c = made.label
        cells = np.array(THREE)
        hits, row, column = cells[c, c], cells[c].sum(), cells[:, c].sum()
        rest = [[hits, row - hits], [column - hits, cells.sum() - row - column + hits]]
        same = estimate(table_of(np.array(rest).tolist()), metric)
        assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)
