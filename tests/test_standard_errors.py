"""Standard errors by the delta method, against exact and differentiated values."""

import itertools
import math

import mpmath
import pytest

import dense
from dense import AVERAGES, precise
from estimate_cases import (
    PRIORS,
    TABLES,
    THREE,
    every_score,
    function_of,
    options_of,
    sums,
    table_of,
    weighted,
)
from golden import VECTORS
from informedness import estimate, estimate_from_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


DEFINED = [vector for vector in VECTORS if vector.exact["informedness"] is not None]


def test_an_undefined_score_has_no_standard_error():
    for vector in VECTORS:
        if vector not in DEFINED:
            references, predictions, weights = vector.weighted_samples()
            table = table_of([[float(n) for n in row] for row in vector.table])
            assert math.isnan(estimate(table).standard_error), vector.id
            made = estimate_from_labels(references, predictions, sample_weight=weights)
            assert math.isnan(made.standard_error), vector.id


def test_standard_errors_of_golden_tables_are_the_golden_ones():
    for vector in DEFINED:
        if vector.is_counts:
            table = table_of([[int(n) for n in row] for row in vector.table])
            n, exact = table.total, vector.exact["informedness_avar_multinomial_times_N"]
            error = estimate(table).standard_error
            assert error**2 * n == pytest.approx(float(exact), rel=1e-12, abs=1e-28), vector.id
            made = estimate(table, "nit")
            variance = vector.info["MI_avar_times_N_bits2"] / n
            wanted = made.value * math.log(2) * math.sqrt(variance)
            assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), vector.id


@every_score
def test_standard_errors_are_those_of_the_differentiated_definition(score):
    for name, matrix in TABLES.items():
        made = estimate(table_of(matrix), **options_of(score))
        wanted = dense.standard_error(precise(matrix), function_of(score))
        assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), name
        value = float(dense.score(precise(matrix), *score))
        assert made.value == pytest.approx(value, abs=1e-12), name


@every_score
def test_standard_errors_with_weights_are_those_of_the_differentiated_definition(score):
    for name, matrix in TABLES.items():
        *labels, weights = weighted(matrix)
        made = estimate_from_labels(*labels, **options_of(score), sample_weight=weights)
        cells, squares = (precise(sums(*labels, weights, len(matrix), power)) for power in (1, 2))
        wanted = dense.standard_error(cells, function_of(score), squares)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), name
        size = sum(weights) ** 2 / sum(x**2 for x in weights)
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
        made = estimate_from_labels(*samples[:2], sample_weight=samples[2], **settings)
        wanted = dense.standard_error(cells, function, squares)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12), (average, prior)


def test_a_prior_drops_the_classes_that_have_no_reference():
    table = table_of([[8, 2, 1], [1, 9, 3], [0, 0, 0]], labels=[0, 1, 2])
    made = estimate(table, prior={0: 0.2, 1: 0.6, 2: 0.2})
    cells = precise([[8, 2, 1], [1, 9, 3], [0, 0, 0]])
    shares = [mpmath.mpf(1) / 4, mpmath.mpf(3) / 4, 0]
    wanted = dense.standard_error(cells, function_of(("informedness", "bias"), shares))
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("metric", ["informedness", "markedness"])
def test_each_class_is_scored_as_it_against_the_rest(metric):
    samples = weighted(THREE)
    unweighted = estimate(table_of(THREE), metric, average=None)
    with_weights = estimate_from_labels(
        *samples[:2], metric, average=None, sample_weight=samples[2]
    )

    def collapsed(cells, c):
        rest = [i for i in range(3) if i != c]
        return [
            [cells[c][c], sum(cells[c][j] for j in rest)],
            [sum(cells[i][c] for i in rest), sum(cells[i][j] for i in rest for j in rest)],
        ]

    for made, powers in ((unweighted, None), (with_weights, (1, 2))):
        assert [entry.label for entry in made] == [0, 1, 2]
        for c, entry in enumerate(made):
            cells = squares = precise(collapsed(THREE, c))
            if powers:
                cells, squares = (precise(collapsed(sums(*samples, 3, p), c)) for p in powers)
            function = function_of((metric, "bias"))
            wanted = dense.standard_error(cells, function, squares)
            assert entry.standard_error == pytest.approx(wanted, rel=1e-12)
            assert entry.value == pytest.approx(float(function(cells)), abs=1e-12)
            assert entry.signature.endswith(f"|class:{c}")
            low, high = entry.confidence_interval
            assert low < entry.value < high
