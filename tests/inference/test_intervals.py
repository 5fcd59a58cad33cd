"""Standard errors and intervals of single samples and of groups, against docs/formulas.md.

Covers src: inference/score.py, inference/entropy.py.
"""

import math

import numpy as np
import pytest
from scipy import stats

from informedness import compare, estimate, report
from informedness.inference.significance import t_quantile, t_tail
from inputs.tables import THREE, table_of, weighted
from oracles import dense, reference, reference_compare
from oracles.dense import every_score, options_of
from oracles.golden import VECTORS

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
TABLES = {
    "two classes": [[84, 6], [2, 8]],
    "three classes": THREE,
    "no errors": [[7, 0], [0, 3]],
    "never predicted": [[8, 2, 0], [1, 9, 0], [3, 2, 0]],
    "no reference": [[8, 2, 1], [1, 9, 3], [0, 0, 0]],
    "one wrong": [[30, 0, 0], [1, 20, 0], [0, 0, 10]],
    "all wrong": [[0, 5], [4, 0]],
    "worse than chance": [[1, 9, 4], [7, 2, 3], [5, 3, 1]],
    "few": [[0] * 5, [0, 1, 0, 0, 0], [0, 0, 1, 0, 0], [0, 0, 0, 1, 0], [1, 0, 0, 0, 0]],
    "five classes": np.random.default_rng(5).integers(0, 9, (5, 5)).tolist(),
}


def sums(references, predictions, weights, k):
    """Return the table of sums of weights, and that of their squares."""
    made = np.zeros((2, k, k))
    np.add.at(made, (slice(None), references, predictions), np.power.outer(weights, [1, 2]).T)
    return made


def test_standard_errors_of_golden_tables_are_the_golden_ones():
    for vector in (x for x in VECTORS if x.is_counts and x.exact["informedness"] is not None):
        table = table_of([[int(n) for n in row] for row in vector.table])
        exact = vector.exact["informedness_avar_multinomial_times_N"]
        found = estimate(table).standard_error ** 2 * table.total
        assert found == pytest.approx(float(exact), rel=1e-12, abs=1e-28), vector.id
        made = estimate(table, metric="nit")
        variance = vector.info["MI_avar_times_N_bits2"] / table.total
        wanted = made.value * math.log(2) * math.sqrt(variance)
        assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14), vector.id


@pytest.mark.parametrize("metric", ["informedness", "markedness"])
def test_each_class_has_the_interval_of_itself_against_the_rest(metric):
    *labels, weights = weighted(THREE)
    for given in (None, weights):
        for c, made in enumerate(estimate(*labels, metric, average=None, sample_weight=given)):
            codes = [np.not_equal(side, c).astype(int) for side in labels]
            same = estimate(*codes, metric, sample_weight=given)
            assert (made.label, made.signature.rpartition("|")[2]) == (c, f"class:{c}")
            found, wanted = ((x.value, x.standard_error) for x in (made, same))
            assert found == pytest.approx(wanted, abs=1e-12)
            wanted = pytest.approx(same.confidence_interval, abs=1e-12)
            assert given or made.confidence_interval == wanted


# Intervals


def drawn_tables():
    """Yield sums of weights and of their squares: of few samples and of many."""
    rng = np.random.default_rng(0)
    for number in range(60):
        k = int(rng.integers(2, 9))
        mean = rng.choice([0.3, 2, 10, 300]) * rng.random((k, k)) ** 2
        counts = rng.poisson(mean + np.eye(k) * rng.choice([0, 2, 40]))
        if np.count_nonzero(counts.sum(1)) > 1 and np.count_nonzero(counts.sum(0)) > 1:
            sums = counts * (1 if number % 2 else rng.uniform(0.5, 2, (k, k)))
            apart = 1 if number % 2 else rng.uniform(1, 1.3, (k, k))
            yield sums, sums**2 / np.maximum(counts, 1) * apart


@every_score
def test_estimates_agree_with_the_oracle_at_every_level(score):
    of_labels = (weighted(matrix) for matrix in TABLES.values())
    tables = [(np.array(matrix),) * 2 for matrix in [*TABLES.values(), np.eye(5, dtype=int)]]
    tables += [sums(*labels, 1 + max(map(max, labels[:2]))) for labels in of_labels]
    for cells, squares in [*tables, *drawn_tables()]:
        table, before = table_of(cells, labels=range(len(cells)), squared_weights=squares), 0
        for level in (0.01, 0.5, 0.95, 0.9999):
            made = estimate(table, **options_of(score), confidence_level=level)
            value, error, *ends = reference.interval(cells, *score, level, squares)
            assert made.value == pytest.approx(value, abs=1e-12), cells
            assert made.standard_error == pytest.approx(error, rel=1e-11, abs=1e-14), cells
            assert made.confidence_interval == pytest.approx(tuple(ends), rel=0, abs=1e-10), cells
            low, high = made.confidence_interval
            assert before <= high - low
            before = high - low
        assert made.effective_sample_size == pytest.approx(cells.sum() ** 2 / squares.sum())


@pytest.mark.parametrize("average", dense.AVERAGES)
def test_of_labels_with_weights_and_priors_they_are_too(average):
    """Classes without a reference are left out of the prior."""
    *labels, weights = weighted(THREE)
    cells, squares = sums(*labels, weights, 4)
    options = {"average": average, "sample_weight": weights, "confidence_level": 0.9}
    for shares in ((0.5, 0.25, 0.25), (0.05, 0.9, 0.05)):
        prior = {3: 0.2} | {c: 0.8 * share for c, share in enumerate(shares)}
        made = estimate(*labels, **options, labels=range(4), prior=prior)
        shares = np.array([*shares, 0])
        wanted = reference.interval(cells, "informedness", average, 0.9, squares, shares)
        found = made.value, made.standard_error, *made.confidence_interval
        assert found == pytest.approx(wanted, rel=0, abs=1e-12), prior


@pytest.mark.parametrize("rarest", [2, 3])
def test_a_prior_interval_needs_3_references_of_each_class(rarest):
    table = table_of([[60, 9, 0], [4, 40, 3], [0, 0, rarest]])
    made = estimate(table, prior={0: 0.25, 1: 0.25, 2: 0.5})
    assert np.isnan(made.confidence_interval).all() == (rarest < 3)


def wilson(right, n):
    """Return the ends of the interval of a share, as scipy has it."""
    return [*stats.binomtest(int(right), int(n)).proportion_ci(method="wilson")]


@pytest.mark.parametrize("matrix", [THREE, [[7, 0, 0], [0, 3, 1], [0, 0, 0]]])
@pytest.mark.parametrize("weight", [None, 3.0])
def test_recall_and_precision_have_wilson_intervals(matrix, weight):
    """A weight that all samples share changes nothing; of a class without samples there is none."""
    references, predictions, _ = weighted(matrix)
    options = {"sample_weight": weight and [weight] * len(references), "confidence_level": 0.95}
    made = report(references, predictions, labels=[0, 1, 2], **options)
    for code, row in enumerate(made.per_class):
        for name, counts in (("tpr", matrix[code]), ("precision", np.transpose(matrix)[code])):
            n = sum(counts)
            ends = wilson(counts[code], n) if n else [math.nan] * 2
            found = row[f"{name}_confidence_interval"]
            assert found == pytest.approx(ends, abs=1e-9, nan_ok=True)


# NIT and EMA: entropies, and classes that are not declared


@pytest.mark.parametrize(("rarest", "k_of_low"), [(2, None), (3, 4), (4, 4), (5, 3)])
def test_nit_interval_with_undeclared_classes_needs_3_and_5(rarest, k_of_low):
    matrix = [[40, 5, 0], [4, 40, 1], [0, 0, rarest]]
    declared, made = (estimate(table_of(matrix, labels=x), metric="nit") for x in ([*"abc"], None))
    low, high = declared.confidence_interval
    wanted = (low * 3 / k_of_low, high) if k_of_low else (math.nan, math.nan)
    assert made.confidence_interval == pytest.approx(wanted, rel=1e-12, nan_ok=True)
    assert made.standard_error == declared.standard_error


@pytest.mark.parametrize("outside", [4, 5])
def test_ema_with_undeclared_classes_needs_5_minority_samples(outside):
    matrix = [[80, 5], [1, outside - 1]]
    for labels in (None, [*"ab"]):
        made = estimate(table_of(matrix, labels=labels), metric="ema")
        assert np.isnan(made.confidence_interval).all() == (outside < 5 and not labels)


@pytest.mark.parametrize(
    "matrix", [[[42, 28], [18, 12]], [[3333, 3333, 3334]] * 3, [[43, 28], [18, 12]]]
)
def test_a_guesser_has_a_narrow_interval_of_nit_from_chance_on(matrix):
    """So it is where MI is 0 in exact numbers, and 1e-35 in these."""
    n, k = np.sum(matrix), len(matrix)
    low, high = estimate(table_of(matrix), metric="nit").confidence_interval
    assert low == pytest.approx(1 / k)
    assert 1 / k < high < math.exp(12 * (k - 1) ** 2 / n) / k


# Samples in groups, against sums of groups one by one

RNG = np.random.default_rng(0)
REFERENCES = RNG.integers(0, 3, 120)
PREDICTIONS = np.where(RNG.random(120) < 0.6, REFERENCES, RNG.integers(0, 3, 120))
GROUPS, WEIGHTS = RNG.integers(0, 30, 120), RNG.integers(1, 5, 120) / 2


@every_score
@pytest.mark.parametrize("weights", [WEIGHTS, np.ones(120)], ids=["weights", "none"])
def test_errors_sum_over_groups_and_every_row_matters(score, weights):
    given = {"groups": [f"g{x}" for x in GROUPS], "sample_weight": weights, "labels": range(3)}
    made = estimate(REFERENCES, PREDICTIONS, **options_of(score), **given)
    cells, squares = sums(REFERENCES, PREDICTIONS, weights, 3)
    moved = dense.slopes(cells, *score)[REFERENCES, PREDICTIONS]
    sides = REFERENCES, PREDICTIONS
    furthest = reference_compare.Side(*sides, weights, 3, *score, None).furthest[REFERENCES]
    given = squares, moved, furthest, weights, GROUPS
    error, wanted = reference.of_groups(sides, *given, *score)
    assert made.standard_error == pytest.approx(error, rel=1e-9)
    assert made.confidence_interval == pytest.approx(wanted, abs=1e-6)


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 19, 20, 101, 1000, 1001, 10**6])
def test_tails_and_quantiles_of_t_are_those_of_scipy(df):
    for level in (0.5, 0.9, 0.95, 0.999):
        wanted = stats.t.ppf((1 + level) / 2, df)
        assert t_quantile(level, df) == pytest.approx(wanted, rel=1e-10), level
    for t in (0.0, 1e-3, 0.5, 2.0, 5.0, 30.0):
        assert t_tail(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-12, abs=1e-300), t


def test_the_signature_counts_groups_without_ignored_ones():
    columns = [REFERENCES, PREDICTIONS, np.roll(PREDICTIONS, 1)]
    named, more = [f"g{-x}" for x in GROUPS], [np.append(x, [-100, -100]) for x in columns]
    beside = {"groups": np.append(GROUPS, [99, 98]), "ignore_index": -100}
    made = [estimate(*columns[:2], groups=named), compare(*columns, groups=named)]
    made += [estimate(*more[:2], **beside), compare(*more, **beside)]
    assert all("|groups:30|" in x.signature for x in made)
