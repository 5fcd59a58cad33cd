"""Standard errors by the delta method, against exact and differentiated values."""

import math
from fractions import Fraction

import mpmath
import pytest

import dense
from dense import AVERAGES, precise
from estimate_cases import (
    PRIORS,
    THREE,
    every_score,
    every_table,
    function_of,
    options_of,
    sums,
    table_of,
    weighted,
)
from golden import BY_ID, VECTORS
from informedness import estimate, estimate_from_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


UNDEFINED = [vector for vector in VECTORS if vector.exact["informedness"] is None]
DEFINED = [vector for vector in VECTORS if vector.exact["informedness"] is not None]


@pytest.mark.parametrize("vector", UNDEFINED, ids=lambda vector: vector.id)
def test_an_undefined_score_has_no_standard_error(vector):
    references, predictions, weights = vector.weighted_samples()
    table = table_of([[float(n) for n in row] for row in vector.table])
    assert math.isnan(estimate(table).standard_error)
    made = estimate_from_labels(references, predictions, sample_weight=weights)
    assert math.isnan(made.standard_error)


@pytest.mark.parametrize(
    "vector", [vector for vector in DEFINED if vector.is_counts], ids=lambda vector: vector.id
)
def test_standard_errors_of_golden_tables_are_the_golden_ones(vector):
    table = table_of([[int(n) for n in row] for row in vector.table])
    n, exact = table.total, vector.exact["informedness_avar_multinomial_times_N"]
    error = estimate(table).standard_error
    assert error**2 * n == pytest.approx(float(exact), rel=1e-12, abs=1e-28)
    made = estimate(table, "nit")
    wanted = made.value * math.log(2) * math.sqrt(vector.info["MI_avar_times_N_bits2"] / n)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("vector", DEFINED, ids=lambda vector: vector.id)
def test_standard_errors_of_weighted_samples_are_of_each_weight_squared(vector):
    references, predictions, weights = vector.weighted_samples()
    squares = sums(references, predictions, weights, vector.k, 2)
    cells = precise(sums(references, predictions, weights, vector.k, 1))
    for metric, average in (("informedness", "bias"), ("nit", None)):
        made = estimate_from_labels(references, predictions, metric, sample_weight=weights)
        wanted = dense.standard_error(cells, function_of((metric, average)), precise(squares))
        assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)
        size = sum(map(Fraction, weights)) ** 2 / sum(Fraction(x) ** 2 for x in weights)
        assert made.effective_sample_size == pytest.approx(float(size), rel=1e-12)


@every_score
@every_table
def test_standard_errors_are_those_of_the_differentiated_definition(matrix, score):
    made = estimate(table_of(matrix), **options_of(score))
    wanted = dense.standard_error(precise(matrix), function_of(score))
    assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    assert made.value == pytest.approx(float(dense.score(precise(matrix), *score)), abs=1e-12)


@every_score
def test_standard_errors_with_weights_are_those_of_the_differentiated_definition(score):
    samples = weighted(THREE)
    made = estimate_from_labels(*samples[:2], **options_of(score), sample_weight=samples[2])
    cells, squares = (precise(sums(*samples, 3, power)) for power in (1, 2))
    wanted = dense.standard_error(cells, function_of(score), squares)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("average", AVERAGES)
def test_standard_errors_under_a_prior_are_those_of_the_reweighted_score(average, prior):
    function = function_of(("informedness", average), list(map(mpmath.mpf, prior)))
    settings = {"average": average, "prior": dict(enumerate(prior))}
    made = estimate(table_of(THREE), **settings)
    wanted = dense.standard_error(precise(THREE), function)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)
    assert made.value == pytest.approx(float(function(precise(THREE))), abs=1e-12)
    samples = weighted(THREE)
    made = estimate_from_labels(*samples[:2], sample_weight=samples[2], **settings)
    cells, squares = (precise(sums(*samples, 3, power)) for power in (1, 2))
    wanted = dense.standard_error(cells, function, squares)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


def test_a_prior_drops_the_classes_that_have_no_reference():
    table = table_of([[8, 2, 1], [1, 9, 3], [0, 0, 0]], labels=[0, 1, 2])
    made = estimate(table, prior={0: 0.2, 1: 0.6, 2: 0.2})
    cells = precise([[8, 2, 1], [1, 9, 3], [0, 0, 0]])
    shares = [mpmath.mpf(1) / 4, mpmath.mpf(3) / 4, 0]
    wanted = dense.standard_error(cells, function_of(("informedness", "bias"), shares))
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("matrix", [[[84, 6], [2, 8]], [[700, 321], [45, 12]], [[3, 1], [1, 2]]])
def test_two_classes_have_the_closed_form_of_two_binomials(matrix):
    (right, missed), (alarms, rejected) = matrix
    n1, n0 = right + missed, alarms + rejected
    variance = right * missed / n1**3 + alarms * rejected / n0**3
    for average in AVERAGES:
        made = estimate(table_of(matrix), average=average)
        assert made.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    made = estimate(table_of(matrix), "accuracy")
    a = (right + rejected) / (n1 + n0)
    assert made.standard_error == pytest.approx(math.sqrt(a * (1 - a) / (n1 + n0)), rel=1e-12)


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


def test_golden_estimates_of_a_published_table():
    """The Wikipedia table of the FOBT: sensitivity 20/30, specificity 1820/2000."""
    vector = BY_ID["wikipedia_fobt"]
    made = estimate(table_of([[int(n) for n in row] for row in vector.table]))
    wanted = math.sqrt(2 / 3 * 1 / 3 / 30 + 0.91 * 0.09 / 2000)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)
