"""Standard errors by the delta method, against exact and differentiated values."""

import itertools
import math

import mpmath
import numpy as np
import pytest

import dense
import informedness
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


def test_standard_errors_of_golden_tables_are_the_golden_ones():
    for vector in VECTORS:
        table = table_of([[float(n) for n in row] for row in vector.table])
        if vector.exact["informedness"] is None:
            assert math.isnan(estimate(table).standard_error), vector.id
        elif vector.is_counts:
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


def test_mcc_keeps_its_digits_beside_a_class_of_nearly_all_samples():
    for matrix in (
        [[10**15, 3], [5, 7]],
        [[10**15, 10**8], [10**8, 20]],
        [[10**15, 2, 3], [5, 7, 1], [4, 0, 9]],
    ):
        wanted = float(dense.score(precise(matrix), "matthews_corrcoef"))
        made = informedness.score(table_of(matrix), "matthews_corrcoef")
        assert made == pytest.approx(wanted, rel=1e-12), matrix


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


def against_the_rest(cells, c):
    """Return the table of one class and of all others as one."""
    hits, row, column = cells[c, c], cells[c].sum(), cells[:, c].sum()
    return [[hits, row - hits], [column - hits, cells.sum() - row - column + hits]]


def test_a_prior_drops_the_classes_that_have_no_reference():
    table = table_of([[8, 2, 1], [1, 9, 3], [0, 0, 0]], labels=[0, 1, 2])
    made = estimate(table, prior={0: 0.2, 1: 0.6, 2: 0.2})
    cells = precise([[8, 2, 1], [1, 9, 3], [0, 0, 0]])
    shares = [mpmath.mpf(1) / 4, mpmath.mpf(3) / 4, 0]
    wanted = dense.standard_error(cells, function_of(("informedness", "bias"), shares))
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


def test_each_class_is_scored_as_it_against_the_rest():
    *labels, weights = weighted(THREE)
    tables = [np.array(sums(*labels, weights, 3, power)) for power in (1, 2)]
    for metric in ("informedness", "markedness"):
        made = estimate_from_labels(*labels, metric, average=None, sample_weight=weights)
        assert [entry.label for entry in made] == [0, 1, 2]
        for c, entry in enumerate(made):
            cells, squares = (precise(against_the_rest(table, c)) for table in tables)
            function = function_of((metric, "bias"))
            wanted = dense.standard_error(cells, function, squares)
            assert entry.standard_error == pytest.approx(wanted, rel=1e-12)
            assert entry.value == pytest.approx(float(function(cells)), abs=1e-12)
            assert entry.signature.endswith(f"|class:{c}")
