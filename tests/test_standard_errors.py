"""Standard errors by the delta method, against exact and differentiated values."""

import itertools
import math

import mpmath
import numpy as np
import pytest

import dense
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
from informedness import estimate_from_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def test_standard_errors_of_golden_tables_are_the_golden_ones():
    for vector in VECTORS:
        table = table_of([[float(n) for n in row] for row in vector.table])
        if vector.exact["informedness"] is None:
            assert math.isnan(table.estimate().standard_error), vector.id
        elif vector.is_counts:
            n, exact = table.total, vector.exact["informedness_avar_multinomial_times_N"]
            error = table.estimate().standard_error
            assert error**2 * n == pytest.approx(float(exact), rel=1e-12, abs=1e-28), vector.id
            made = table.estimate("nit")
            variance = vector.info["MI_avar_times_N_bits2"] / n
            wanted = made.value * math.log(2) * math.sqrt(variance)
            assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), vector.id


@every_score
def test_standard_errors_are_those_of_the_differentiated_definition(score):
    for name, matrix in TABLES.items():
        *labels, weights = weighted(matrix)
        for of_samples in ([1] * len(weights), weights):
            made = estimate_from_labels(*labels, **options_of(score), sample_weight=of_samples)
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
        made = table_of(THREE).estimate(**settings)
        wanted = dense.standard_error(precise(THREE), function)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12), (average, prior)
        assert made.value == pytest.approx(float(function(precise(THREE))), abs=1e-12)
        made = estimate_from_labels(*samples[:2], sample_weight=samples[2], **settings)
        wanted = dense.standard_error(cells, function, squares)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12), (average, prior)


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
