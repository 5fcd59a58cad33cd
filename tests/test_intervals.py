"""Standard errors, against differentiated values, and intervals, against docs/formulas.md."""

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
import reference
from dense import AVERAGES, precise
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
from golden import VECTORS
from informedness import estimate
from informedness.statistics.registry import averaged_score

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
LEVEL = 0.9


def test_standard_errors_of_golden_tables_are_the_golden_ones():
    for vector in VECTORS:
        table = table_of([[float(n) for n in row] for row in vector.table])
        if vector.exact["informedness"] is None:
            assert math.isnan(estimate(table).standard_error), vector.id
        elif vector.is_counts:
            n, exact = table.total, vector.exact["informedness_avar_multinomial_times_N"]
            error = estimate(table).standard_error
            assert error**2 * n == pytest.approx(float(exact), rel=1e-12, abs=1e-28), vector.id
            made = estimate(table, metric="nit")
            variance = vector.info["MI_avar_times_N_bits2"] / n
            wanted = made.value * math.log(2) * math.sqrt(variance)
            assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), vector.id


@every_score
def test_standard_errors_are_those_of_the_differentiated_definition(score):
    for name, matrix in TABLES.items():
        *labels, weights = weighted(matrix)
        for of_samples in ([1] * len(weights), weights):
            made = estimate(*labels, **options_of(score), sample_weight=of_samples)
            cells, squares = (
                precise(sums(*labels, of_samples, len(matrix), power)) for power in (1, 2)
            )
            wanted = dense.standard_error(cells, function_of(score), squares)
            assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), name
            value = float(dense.score(cells, *score))
            assert made.value == pytest.approx(value, abs=1e-12), name
            size = sum(of_samples) ** 2 / sum(x**2 for x in of_samples)
            assert made.effective_sample_size == pytest.approx(size, rel=1e-12), name


def test_standard_errors_under_a_prior_are_those_of_the_reweighted_score():
    samples = weighted(THREE)
    cells, squares = (precise(sums(*samples, 3, power)) for power in (1, 2))
    for average, prior in itertools.product(AVERAGES, PRIORS.values()):
        function = function_of(("informedness", average), list(map(mpmath.mpf, prior)))
        settings = {"average": average, "prior": dict(enumerate(prior))}
        made = estimate(table_of(THREE), **settings)
        wanted = dense.standard_error(precise(THREE), function)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12), (average, prior)
        assert made.value == pytest.approx(float(function(precise(THREE))), abs=1e-12)
        made = estimate(*samples[:2], sample_weight=samples[2], **settings)
        wanted = dense.standard_error(cells, function, squares)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12), (average, prior)


def test_each_class_has_the_score_and_the_interval_of_it_against_the_rest():
    *labels, weights = weighted(THREE)
    tables = [np.array(sums(*labels, weights, 3, power)) for power in (1, 2)]
    for metric in ("informedness", "markedness"):
        made = estimate(*labels, metric, average=None, sample_weight=weights)
        assert [entry.label for entry in made] == [0, 1, 2]
        for c, entry in enumerate(made):
            cells, squares = (precise(against_the_rest(table, c)) for table in tables)
            function = function_of((metric, "bias"))
            wanted = dense.standard_error(cells, function, squares)
            assert entry.standard_error == pytest.approx(wanted, rel=1e-12)
            assert entry.value == pytest.approx(float(function(cells)), abs=1e-12)
            assert entry.signature.endswith(f"|class:{c}")
    for metric, c in itertools.product(("informedness", "markedness"), range(3)):
        made = estimate(table_of(THREE), metric=metric, average=None)[c]
        same = estimate(table_of(against_the_rest(np.array(THREE), c)), metric=metric)
        assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)


# Intervals


def random_tables():
    """Yield tables of two to eight classes: of few samples and of many, weighted and not."""
    rng = np.random.default_rng(0)
    for number in range(60):
        k = int(rng.integers(2, 9))
        mean = rng.choice([0.3, 2, 10, 300]) * rng.random((k, k)) ** 2
        counts = rng.poisson(mean + np.eye(k) * rng.choice([0, 2, 40]))
        if np.count_nonzero(counts.sum(1)) < 2 or np.count_nonzero(counts.sum(0)) < 2:
            continue
        if number % 2:
            yield counts, None
            continue
        sums = counts * rng.uniform(0.5, 2, (k, k))
        yield sums, sums**2 / np.maximum(counts, 1) * rng.uniform(1, 1.3, (k, k))


@every_score
def test_intervals_are_those_of_the_reference(score):
    tables = [*((np.array(matrix), None) for matrix in TABLES.values()), *random_tables()]
    tables.append((np.eye(5, dtype=int), None))
    for (matrix, squares), level in itertools.product(tables, (0.5, 0.95, 0.999)):
        table = table_of(matrix, labels=range(len(matrix)), squared_weights=squares)
        made = estimate(table, **options_of(score), confidence_level=level)
        found = made.value, made.standard_error, *made.confidence_interval
        wanted = reference.interval(matrix, *score, level, squares)
        assert found == pytest.approx(wanted, rel=0, abs=1e-10), (matrix, level)


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
        exact = np.array(cells, dtype=float)
        found += chance * reference.excess(exact, exact)
    assert value == Fraction(13, 24)
    assert float(value) - found == pytest.approx(0.5, abs=1e-12)


@pytest.mark.parametrize("average", AVERAGES)
def test_intervals_with_weights_and_priors_are_too(average):
    """Classes without a reference are left out of the prior."""
    *labels, weights = weighted(THREE)
    cells, squares = (np.array(sums(*labels, weights, 4, power), float) for power in (1, 2))
    options = {"average": average, "sample_weight": weights, "confidence_level": LEVEL}
    for shares in PRIORS.values():
        prior = {3: 0.2} | {c: 0.8 * share for c, share in enumerate(shares)}
        made = estimate(*labels, **options, labels=range(4), prior=prior)
        shares = np.array([*shares, 0])
        wanted = reference.interval(cells, "informedness", average, LEVEL, squares, shares)[1:]
        found = made.standard_error, *made.confidence_interval
        assert found == pytest.approx(wanted, rel=0, abs=1e-12), prior


def test_a_prior_wants_some_references_of_each_class():
    for rarest, how in [(2, "nan"), (3, "warned"), (4, "warned"), (5, "made")]:
        table = table_of([[60, 9, 0], [4, 40, 3], [0, 0, rarest]])
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = estimate(table, prior={0: 0.25, 1: 0.25, 2: 0.5})
        assert math.isnan(sum(made.confidence_interval)) == (how == "nan")
        assert made.standard_error > 0
        said = [str(one.message) for one in caught]
        assert len(said) == (how != "made")
        if said:
            wanted = f": {rarest} references of a class of the prior, fewer than"
            assert wanted in said[0]
            assert ("there is no interval of informedness" in said[0]) == (how == "nan")


# Peers


def wilson(right, n):
    """Return a share and the ends of its interval, as scipy has it."""
    ends = stats.binomtest(right, n).proportion_ci(method="wilson")
    return right / n, ends.low, ends.high


def test_the_interval_of_one_proportion_is_at_least_wilsons():
    """Where the other class is certain, all that is open is the recall of this one."""
    for right, n in [(60, 60), (92, 100), (20, 45), (700, 1500)]:
        made = estimate(table_of([[right, n - right], [0, 10**9]])).confidence_interval
        _, low, high = wilson(right, n)
        assert low - 0.02 < made[0] < low + 1e-6
        assert high - 1e-6 < made[1] < high + 0.02
    made = estimate(table_of([[60]]), metric="accuracy")
    assert made.confidence_interval == pytest.approx(wilson(60, 60)[1:], abs=1e-9)


def test_the_interval_of_two_classes_is_at_least_newcombes():
    """Newcombe (1998): the squares of the reaches of two of Wilson's intervals add up."""
    for matrix in ([[84, 6], [2, 8]], [[30, 20], [25, 40]], [[500, 80], [9, 21]]):
        (hits, misses), (alarms, rejected) = matrix
        p, p_low, p_high = wilson(hits, hits + misses)
        q, q_low, q_high = wilson(alarms, alarms + rejected)
        low = p - q - math.hypot(p - p_low, q_high - q)
        high = p - q + math.hypot(p_high - p, q - q_low)
        made = estimate(table_of(matrix)).confidence_interval
        assert low - 0.1 * (high - low) < made[0] < low + 1e-12
        assert high - 1e-12 < made[1] < high + 0.25 * (high - low)  # z SE, where that is more


# What every interval keeps to


@every_score
@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_two_samples_and_a_class_of_predictions_alone_break_no_interval(score):
    made = estimate(["a", "b"], ["a", "odd"], **options_of(score))
    low, high = made.confidence_interval
    assert not low > made.value  # nan where there is none
    assert not made.value > high


@every_score
def test_intervals_contain_the_value_within_the_range_and_grow_with_the_level(score):
    least = averaged_score(score[0], "default").lowest
    few = np.diag([0, 1, 1, 1, 0])  # and one whose reference is never predicted
    few[4, 0] = 1
    for name, matrix in (*TABLES.items(), ("few", few)):
        widths = []
        for level in (0.01, 0.5, 0.95, 0.9999):
            made = estimate(table_of(matrix), **options_of(score), confidence_level=level)
            low, high = made.confidence_interval
            if not math.isnan(low):
                assert least <= low <= made.value <= high <= max(1, made.value) <= 1 + 1e-14, name
                widths.append(high - low)
        assert widths == sorted(widths), name
        assert not widths or widths[0] < widths[-1], name
