"""Standard errors, intervals and signatures, against exact values and other ways to them."""

import itertools
import json
import math
import warnings
from fractions import Fraction
from statistics import NormalDist

import evaluate
import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import by_table
import dense
from dense import AVERAGES, NAMES, SCORES, precise
from golden import BY_ID, VECTORS
from informedness import SCORES as METRICS
from informedness import (
    ContingencyTable,
    InformednessWarning,
    IntervalWarning,
    estimate,
    estimate_from_labels,
    module_path,
)
from informedness.core import intervals
from informedness.core.intervals import Method
from informedness.core.scores import NIT
from informedness.scores.registry import averaged_score
from informedness.scores.usual import ACCURACY

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

table_of = ContingencyTable.from_matrix
FAST = {"n_resamples": 100}
METHODS = ("delta", "bootstrap")

THREE = [[20, 3, 1], [4, 9, 0], [2, 2, 6]]
TABLES = {
    "two classes": [[84, 6], [2, 8]],
    "three classes": THREE,
    "no errors": [[7, 0], [0, 3]],
    "never predicted": [[8, 2, 0], [1, 9, 0], [3, 2, 0]],
    "no reference": [[8, 2, 1], [1, 9, 3], [0, 0, 0]],
    "one wrong": [[30, 0, 0], [1, 20, 0], [0, 0, 10]],
    "all wrong": [[0, 5], [4, 0]],
    "worse than chance": [[1, 9, 4], [7, 2, 3], [5, 3, 1]],
    "five classes": np.random.default_rng(5).integers(0, 9, (5, 5)).tolist(),
}
PRIORS = {"even": (0.5, 0.25, 0.25), "uneven": (0.05, 0.9, 0.05)}
QUARTERS = [0.5, 0.25, 1.5, 2.75]


def weighted(matrix):
    """Return labels and weights of samples: four of each cell, of different weights."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    return *map(list, zip(*cells, strict=True)), list(itertools.islice(
        itertools.cycle(QUARTERS), len(cells)))  # fmt: skip


def sums(references, predictions, weights, k, power):
    cells = [[Fraction(0)] * k for _ in range(k)]
    for i, j, weight in zip(references, predictions, weights, strict=True):
        cells[i][j] += Fraction(weight) ** power
    return cells


def options_of(score):
    metric, average = score
    return {"metric": metric} | ({"average": average} if average else {})


def function_of(score, shares=None):
    return lambda cells: dense.score(cells, *score, shares)


def internal(score):
    """Return the score whose formulas are taken: for markedness, informedness of the transpose."""
    metric, average = score
    if metric == "markedness":
        swapped = {"bias": "prevalence", "prevalence": "bias"}
        metric, average = "informedness", swapped.get(average, average)
    return averaged_score(metric, average or "default")


def of_internal(score):
    """Return the same, as `dense.score` takes it."""
    return internal(score).name, internal(score).average


def oriented(table, score):
    return table.transpose() if score[0] == "markedness" else table


def resampled(table, score, n_resamples, seed):
    """Return resamples of a score, without and with a pseudo-sample."""
    return intervals.resampled(table, score, Method(n_resamples=n_resamples, seed=seed))


WITHOUT_AVERAGE = [metric for metric in METRICS if metric not in ("informedness", "markedness")]
every_score_of_margins = pytest.mark.parametrize(
    "score", dense.OF_MARGINS, ids=["-".join(filter(None, of)) for of in dense.OF_MARGINS]
)
every_bootstrapped_score = every_score_of_margins
every_score = pytest.mark.parametrize("score", SCORES, ids=NAMES)
every_table = pytest.mark.parametrize("matrix", TABLES.values(), ids=TABLES)
every_method = pytest.mark.parametrize("method", METHODS)


# Standard errors


@pytest.mark.parametrize(
    "vector", [vector for vector in VECTORS if vector.is_counts], ids=lambda vector: vector.id
)
def test_standard_errors_of_golden_tables_are_the_golden_ones(vector):
    table = table_of([[int(n) for n in row] for row in vector.table])
    n, exact = table.total, vector.exact["informedness_avar_multinomial_times_N"]
    error = estimate(table, method="delta").standard_error
    if exact is None:
        assert math.isnan(error)
        return
    assert error**2 * n == pytest.approx(float(exact), rel=1e-12, abs=1e-28)
    made = estimate(table, "nit")
    wanted = made.value * math.log(2) * math.sqrt(vector.info["MI_avar_times_N_bits2"] / n)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: vector.id)
def test_standard_errors_of_weighted_samples_are_of_each_weight_squared(vector):
    references, predictions, weights = vector.weighted_samples()
    made = estimate_from_labels(references, predictions, sample_weight=weights, method="delta")
    squares = sums(references, predictions, weights, vector.k, 2)
    if math.isnan(made.standard_error):
        assert vector.exact["informedness"] is None or len(set(references)) == 1
        return
    cells = precise(sums(references, predictions, weights, vector.k, 1))
    for metric, average in (("informedness", "bias"), ("nit", None)):
        made = estimate_from_labels(
            references, predictions, metric, sample_weight=weights, method="delta"
        )
        wanted = dense.standard_error(cells, function_of((metric, average)), precise(squares))
        assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)
        size = sum(map(Fraction, weights)) ** 2 / sum(Fraction(x) ** 2 for x in weights)
        assert made.effective_sample_size == pytest.approx(float(size), rel=1e-12)


@every_score
@every_table
def test_standard_errors_are_those_of_the_differentiated_definition(matrix, score):
    made = estimate(table_of(matrix), **options_of(score), method="delta")
    wanted = dense.standard_error(precise(matrix), function_of(score))
    assert made.standard_error == pytest.approx(wanted, rel=1e-12, abs=1e-14)
    assert made.value == pytest.approx(float(dense.score(precise(matrix), *score)), abs=1e-12)


@every_score
def test_standard_errors_with_weights_are_those_of_the_differentiated_definition(score):
    samples = weighted(THREE)
    made = estimate_from_labels(
        *samples[:2], **options_of(score), sample_weight=samples[2], method="delta"
    )
    cells, squares = (precise(sums(*samples, 3, power)) for power in (1, 2))
    wanted = dense.standard_error(cells, function_of(score), squares)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("average", AVERAGES)
def test_standard_errors_under_a_prior_are_those_of_the_reweighted_score(average, prior):
    function = function_of(("informedness", average), list(map(mpmath.mpf, prior)))
    settings = {"average": average, "prior": dict(enumerate(prior)), "method": "delta"}
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
    made = estimate(table, prior={0: 0.2, 1: 0.6, 2: 0.2}, method="delta")
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
        made = estimate(table_of(matrix), average=average, method="delta")
        assert made.standard_error == pytest.approx(math.sqrt(variance), rel=1e-12)
    made = estimate(table_of(matrix), "accuracy", method="delta")
    a = (right + rejected) / (n1 + n0)
    assert made.standard_error == pytest.approx(math.sqrt(a * (1 - a) / (n1 + n0)), rel=1e-12)


@pytest.mark.parametrize("metric", ["informedness", "markedness"])
def test_each_class_is_scored_as_it_against_the_rest(metric):
    samples = weighted(THREE)
    unweighted = estimate(table_of(THREE), metric, average=None, method="delta")
    with_weights = estimate_from_labels(
        *samples[:2], metric, average=None, sample_weight=samples[2], method="delta"
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


# The interval of the delta method


def made_up(cells):
    """Return the chances of each cell to be the reference and prediction of the pseudo-sample."""
    k, rows = range(len(cells)), [sum(row) for row in cells]
    columns, n = [sum(column) for column in zip(*cells, strict=True)], sum(rows)
    present = sum(x > 0 for x in rows)
    return [
        [(columns[j] / n + mpmath.mpf(1) / len(k)) / 2 / present if rows[i] else 0 for j in k]
        for i in k
    ]


def with_pseudo_sample(cells, squares):
    """Return cells and squared weights with a pseudo-sample of the mean weight."""
    one = sum(map(sum, squares)) / sum(map(sum, cells))
    k, chances = range(len(cells)), made_up(cells)
    return (
        [[cells[i][j] + one * chances[i][j] for j in k] for i in k],
        [[squares[i][j] + one**2 * chances[i][j] for j in k] for i in k],
    )


@every_score_of_margins
@every_table
def test_delta_intervals_are_of_the_table_and_a_pseudo_sample_together(matrix, score):
    made = estimate(table_of(matrix), **options_of(score), method="delta", confidence_level=0.9)
    turned = score[0] == "markedness"  # whose predictions stand for the references
    cells = precise(list(zip(*matrix, strict=True)) if turned else matrix)
    both, squares = with_pseudo_sample(cells, cells)
    reach = dense.normal_quantile(0.9) * dense.standard_error(
        both, function_of(of_internal(score)), squares
    )
    least = 0 if score[0] in ("accuracy", "balanced_accuracy", "f1_macro") else -1
    wanted = max(least, made.value - reach), min(1, made.value + reach)
    assert made.confidence_interval == pytest.approx(tuple(map(float, wanted)), rel=0, abs=1e-12)


@pytest.mark.parametrize("score", [of for of in dense.OF_MARGINS if of[0] != "markedness"])
def test_delta_intervals_with_weights_and_priors_are_too(score):
    samples = weighted(THREE)
    for prior in (None, *PRIORS.values()) if score[0] == "informedness" else (None,):
        given = {"prior": dict(enumerate(prior))} if prior else {}
        made = estimate_from_labels(
            *samples[:2], **options_of(score), sample_weight=samples[2], method="delta", **given
        )
        both = with_pseudo_sample(*(precise(sums(*samples, 3, power)) for power in (1, 2)))
        shares = list(map(mpmath.mpf, prior)) if prior else None
        error = dense.standard_error(both[0], function_of(score, shares), both[1])
        reach = float(dense.normal_quantile(0.95) * error)
        wanted = made.value - reach, min(1, made.value + reach)
        assert made.confidence_interval == pytest.approx(wanted, rel=0, abs=1e-12)


# The bootstrap


@every_score
@every_table
def test_a_resample_equal_to_the_table_has_the_score_of_the_table(matrix, score):
    check_scores_of(matrix, score, None)


@pytest.mark.parametrize("prior", PRIORS.values(), ids=PRIORS)
@pytest.mark.parametrize("average", AVERAGES)
def test_a_resample_equal_to_the_table_has_its_score_under_a_prior(average, prior):
    check_scores_of(THREE, ("informedness", average), prior)


def check_scores_of(matrix, score, prior):
    """Check resamples that are the table, and the table with a sample in each cell it has not."""
    table, k = oriented(table_of(matrix), score), len(matrix)
    places = [
        (i, j)
        for i, j in itertools.product(range(k), repeat=2)
        if table.reference_totals[i] and not table.to_dense()[i, j]
    ]
    cells = np.repeat(np.append(table.counts, 0.75)[:, None], len(places) + 1, axis=1)
    cells[-1, 0] = 0
    rows, columns = np.array([(0, 0), *places]).T
    draw = intervals.Draw(cells[:-1], cells[-1], rows, [columns])
    more = intervals.with_one_more(
        table, intervals.resample_sums(table, cells[:-1]), cells[-1], rows, columns
    )
    given = None if prior is None else np.array(prior)
    drawn = internal(score).of(intervals._reweighted(more, table, given, draw))
    shares = None if prior is None else list(map(mpmath.mpf, prior))
    for n, (got, i, j) in enumerate(zip(drawn, rows, columns, strict=True)):
        changed = [list(map(Fraction, row)) for row in matrix]
        if score[0] == "markedness":
            i, j = j, i
        changed[i][j] += Fraction(3, 4) * (n > 0)
        wanted = dense.score(precise(changed), *score, shares)
        assert got == pytest.approx(float(wanted), rel=0, abs=1e-12)


@pytest.mark.slow
@every_score
@pytest.mark.parametrize("matrix", [[[9, 2], [1, 3]], [[4, 1, 0], [0, 3, 1], [0, 0, 0]]])
def test_resamples_have_the_distribution_of_a_plain_simulation(matrix, score):
    table, number = oriented(table_of(matrix), score), 4000
    drawn = resampled(table, internal(score), 4 * number, 1)
    turned = score[0] == "markedness"
    cells = list(zip(*matrix, strict=True)) if turned else matrix

    def function(cells):
        return float(dense.score(cells, *of_internal(score)))

    for one, got in enumerate(drawn):
        wanted = dense.resamples(
            cells, function, number // 2, np.random.default_rng(one), bool(one)
        )
        assert stats.ks_2samp(got, wanted).pvalue > 1e-3


def test_resamples_of_weights_have_the_means_and_variances_of_their_sums():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    plain, _ = resampled(table, ACCURACY, 40_000, 0)
    error = estimate(table, "accuracy", method="delta").standard_error
    assert plain.std() == pytest.approx(error, rel=0.03)
    assert plain.mean() == pytest.approx(by_table.accuracy(table), abs=5 * error / 200)
    heavy = ContingencyTable.from_labels(
        *samples[:2], sample_weight=np.repeat(samples[2], 1)[::-1] ** 4
    )
    plain, _ = resampled(heavy, ACCURACY, 40_000, 0)
    assert plain.std() == pytest.approx(
        estimate(heavy, "accuracy", method="delta").standard_error, rel=0.1
    )


@pytest.mark.parametrize("at", [0.2, 0.5, 0.7])
@pytest.mark.parametrize("level", [0.5, 0.95, 0.999])
def test_quantiles_lie_around_the_quantile_asked_for(at, level):
    normal = NormalDist()
    z, middle = normal.inv_cdf(0.5 + level / 2), normal.inv_cdf(at)
    wanted = normal.cdf(middle - z), normal.cdf(middle + z)
    got = intervals.quantiles(np.linspace(0, 1, 100_001), level, at)
    assert got == pytest.approx(wanted, rel=0, abs=1e-12)


@pytest.mark.parametrize("at", [0.0, 1.0])
def test_a_value_beyond_all_resamples_takes_the_outermost_of_them(at):
    low, high = intervals.quantiles(np.linspace(0, 1, 101), 0.95, at)
    assert (low < 0.001, high > 0.999) == (at == 0, at == 1)


@every_bootstrapped_score
@pytest.mark.parametrize("matrix", [[[22, 1, 0], [2, 9, 0], [1, 0, 4]], [[32, 0], [0, 8]]])
def test_bootstrap_intervals_are_quantiles_around_the_value(matrix, score):
    level = 0.9
    table = oriented(table_of(matrix), score)
    made = estimate(table_of(matrix), **options_of(score), confidence_level=level, seed=3)
    plain, drawn = resampled(table, internal(score), 9999, 3)
    below = stats.percentileofscore(plain.round(12), round(made.value, 12), "mean") / 100
    ends = stats.norm.cdf(stats.norm.ppf(below) + stats.norm.ppf([0.05, 0.95]))
    assert made.confidence_interval == pytest.approx(np.quantile(drawn, ends), abs=1e-9)
    assert made.method == "bootstrap"


# NIT


def chi_squared_p(matrix):
    n = sum(map(sum, matrix))
    matrix = np.array(matrix)
    df = int((np.count_nonzero(matrix.sum(0)) - 1) * (np.count_nonzero(matrix.sum(1)) - 1))
    statistic = 2 * n * dense.information(precise(matrix.tolist()))
    return dense.upper_tail(df, statistic) if df else 1.0


@pytest.mark.parametrize(
    "matrix",
    [
        *TABLES.values(),
        [[40, 30], [31, 42]],
        [[43, 28], [18, 12]],
        [[200, 100], [100, 200]],
        [[40, 28, 3], [18, 12, 9], [0, 0, 0]],
    ],
)
def test_the_g_test_is_chi_squared_with_the_classes_that_occur(matrix):
    got = intervals.g_test(table_of(matrix))
    assert got == pytest.approx(chi_squared_p(matrix), rel=1e-9, abs=1e-300)
    occurring = np.array(matrix)
    occurring = occurring[occurring.any(1)][:, occurring.any(0)]
    peer = stats.chi2_contingency(occurring, correction=False, lambda_="log-likelihood")
    assert got == pytest.approx(peer.pvalue, rel=1e-9)
    assert estimate(table_of(matrix), "nit").independence_p_value == got


@pytest.mark.parametrize("k", [2, 3, 4, 5, 40, 300])
@pytest.mark.parametrize("extra", [0, 1, 3, 30, 3000])
def test_the_g_test_is_right_for_any_degrees_and_statistic(k, extra):
    matrix = np.full((k, k + 1), 5)
    matrix[np.arange(k), np.arange(k)] += extra
    rows, columns = np.indices(matrix.shape).reshape(2, -1)
    table = ContingencyTable.from_counts(rows, columns, matrix.ravel())
    wanted = stats.chi2_contingency(matrix, correction=False, lambda_="log-likelihood").pvalue
    assert intervals.g_test(table) == pytest.approx(wanted, rel=1e-8, abs=1e-300)


def test_the_g_test_of_many_classes_takes_no_time():
    labels = np.arange(30_000)
    mixed = np.random.default_rng(0).integers(0, 30_000, 400_000)
    table = ContingencyTable.from_labels(
        np.concatenate([labels, mixed]), np.concatenate([labels, mixed[::-1]])
    )
    half = table.total * by_table.mutual_information(table) * math.log(2)
    wanted = stats.chi2.sf(2 * half, 29_999**2)
    assert intervals.g_test(table) == pytest.approx(wanted, abs=1e-9)


def test_the_g_test_takes_the_effective_sample_size():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    cells = precise(sums(*samples, 3, 1))
    size = sum(map(Fraction, samples[2])) ** 2 / sum(Fraction(x) ** 2 for x in samples[2])
    wanted = dense.upper_tail(4, 2 * float(size) * dense.information(cells))
    assert intervals.g_test(table) == pytest.approx(wanted, rel=1e-9)


def left_out(cells):
    """Return the jackknifed MI and its variance, leaving out each sample in turn."""
    n, whole = int(sum(map(sum, cells))), dense.information(cells)
    without = []
    for i, row in enumerate(cells):
        for j, count in enumerate(row):
            if count:
                rest = [list(entries) for entries in cells]
                rest[i][j] -= 1
                without += [dense.information(rest)] * int(count)
    mean = sum(without) / n
    variance = mpmath.mpf(n - 1) / n * sum((x - mean) ** 2 for x in without)
    return n * whole - (n - 1) * mean, variance


def smoothed_variance(cells):
    """Return the variance of MI of the table and a pseudo-sample that is in all cells."""
    both, squares = with_pseudo_sample(cells, cells)
    return dense.standard_error(both, dense.information, squares) ** 2


@pytest.mark.parametrize(
    "matrix", [*TABLES.values(), np.eye(5, dtype=int).tolist()], ids=[*TABLES, "one of each class"]
)
@pytest.mark.parametrize("level", [0.8, 0.95])
def test_intervals_of_nit_are_jackknifed_and_grow_with_mi(matrix, level):
    made = estimate(table_of(matrix), "nit", confidence_level=level)
    cells = precise(matrix)
    n, mi, z = sum(map(sum, cells)), dense.information(cells), dense.normal_quantile(level)
    rows, columns = [sum(row) for row in cells], [sum(x) for x in zip(*cells, strict=True)]
    k = sum(x > 0 for x in rows)
    df = (k - 1) * (sum(x > 0 for x in columns) - 1)
    centre, variance = left_out(cells)
    centre, variance = max(0, centre), max(variance, smoothed_variance(cells))
    least = mpmath.mpf(df) / 2 / n  # what chance brings
    slope = variance / mi if mi >= least else (variance + 2 / n * (least - mi)) / least
    # the larger root x of (x - centre)^2 = z^2 (variance at the centre + slope x + chance's)
    half = z**2 * slope / 2
    high = centre + half + mpmath.sqrt(half**2 + z**2 * (variance + df / (2 * n**2)))
    low = max(0, centre - z * mpmath.sqrt(variance))
    if chi_squared_p(matrix) > 1 - level:
        low = 0
    wanted = [min(1, mpmath.exp(end) / k) for end in (low, high)]
    wanted = min(wanted[0], made.value), max(wanted[1], made.value)
    assert made.confidence_interval == pytest.approx(tuple(map(float, wanted)), rel=1e-9)
    assert made.method == "delta"


@every_table
def test_the_smoothed_variance_is_that_of_all_cells(matrix):
    got = intervals._smoothed_variance(table_of(matrix), NIT)
    assert got == pytest.approx(smoothed_variance(precise(matrix)), rel=1e-11)


def test_the_smoothed_variance_takes_squared_weights():
    samples = weighted(THREE)
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    both = with_pseudo_sample(*(precise(sums(*samples, 3, power)) for power in (1, 2)))
    wanted = dense.standard_error(both[0], dense.information, both[1]) ** 2
    assert intervals._smoothed_variance(table, NIT) == pytest.approx(wanted, rel=1e-11)


@pytest.mark.parametrize("amount", [1.0, 2.0, 1e3, 1e12, 2.0**53])
@pytest.mark.parametrize("unit", [1.0, 0.25])
def test_one_sample_less_is_precise_for_any_count(amount, unit):
    mpmath.mp.dps = 50
    x, u = mpmath.mpf(amount), mpmath.mpf(unit)
    wanted = ((x - u) * mpmath.log(x - u) if x > u else 0) - x * mpmath.log(x)
    got = float(intervals._dropped(amount, np.array(unit)))
    assert got == pytest.approx(float(wanted), rel=1e-14, abs=1e-15)


@pytest.mark.parametrize("scale", [1, 10**4, 10**10])
def test_the_interval_of_nit_narrows_with_the_root_of_the_counts(scale):
    table = table_of((np.array([[40, 10], [10, 40]]) * 100 * scale).tolist())
    made = estimate(table, "nit")
    low, high = made.confidence_interval
    reach = NormalDist().inv_cdf(0.975) * made.standard_error
    assert (made.value - low, high - made.value) == pytest.approx((reach, reach), rel=0.1)


@pytest.mark.parametrize(
    "matrix", [[[42, 28], [18, 12]], [[3333, 3333, 3334]] * 3, [[43, 28], [18, 12]]]
)
def test_a_guesser_has_a_narrow_interval_of_nit_from_chance_on(matrix):
    """So it is where MI is 0 in exact numbers, and 1e-35 in these."""
    n, k = sum(map(sum, matrix)), len(matrix)
    for method in METHODS:
        low, high = estimate(table_of(matrix), "nit", method=method).confidence_interval
        assert low == pytest.approx(1 / k)
        assert 1 / k < high < math.exp(12 * (k - 1) ** 2 / n) / k


@every_method
def test_nit_starts_at_chance_only_where_the_g_test_cannot_tell(method):
    starts = []
    for extra in range(60):
        table = table_of([[30 + extra, 30], [30, 30 + extra]])
        made = estimate(table, "nit", method=method)
        starts.append((made.independence_p_value > 0.05, made.confidence_interval[0] == 0.5))
    told = [at_chance for cannot_tell, at_chance in starts if not cannot_tell]
    assert all(at_chance for cannot_tell, at_chance in starts if cannot_tell)
    assert 5 < len(told) < 55
    assert told == sorted(told, reverse=True)
    assert not told[-1]


def test_resampled_nit_is_centred_at_the_jackknifed_mi():
    table = table_of(THREE)
    made = estimate(table, "nit", method="bootstrap", seed=5)
    drawn = np.log(3 * resampled(table, NIT, 9999, 5)[1])
    centre, _ = left_out(precise(THREE))
    ends = np.quantile(drawn - drawn.mean() + float(centre), [0.025, 0.975])
    assert made.confidence_interval == pytest.approx(tuple(np.exp(ends) / 3), abs=1e-9)


# What every interval keeps to

matrices = st.integers(2, 4).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 9), min_size=k, max_size=k), min_size=k, max_size=k)
)


@pytest.mark.slow
@settings(max_examples=25, deadline=None, derandomize=True)
@given(matrix=matrices, level=st.sampled_from([0.01, 0.5, 0.95, 0.9999]), seed=st.integers(0, 99))
def test_intervals_contain_the_value_and_stay_within_the_range_of_the_score(matrix, level, seed):
    assume(any(map(any, matrix)))
    for score, method in itertools.product(SCORES, METHODS):
        made = estimate(
            table_of(matrix),
            **options_of(score),
            method=method,
            confidence_level=level,
            seed=seed,
            **FAST,
        )
        low, high = made.confidence_interval
        json.dumps(made.to_dict(), allow_nan=False)
        if math.isnan(made.standard_error):
            assert math.isnan(low)
            assert math.isnan(high)
            continue
        least = averaged_score(score[0], "default").lowest
        assert least <= low <= made.value <= high <= max(1, made.value) <= 1 + 1e-14
        # a guesser's NIT and EMA may lie at the end of what they can be
        assert low < high or level < 0.9 or score[0] in ("nit", "ema")
        assert made.standard_error >= 0


@every_method
@every_score
@pytest.mark.parametrize("totals", [(7, 3), (40, 40), (1000, 10), (5, 5, 5), (200, 30, 1)])
def test_no_errors_have_an_interval_of_some_width_up_to_the_best(totals, score, method):
    made = estimate(table_of(np.diag(totals).tolist()), **options_of(score), method=method)
    low, high = made.confidence_interval
    assert made.standard_error < 1e-14 or score[0] == "nit"
    if score[0] == "nit":
        assert low < made.value <= high <= 1
    else:
        assert low < made.value == high == pytest.approx(1, abs=1e-14)
    # the more samples the narrower
    more = estimate(
        table_of((np.diag(totals) * 100).tolist()), **options_of(score), method=method
    ).confidence_interval
    assert more[0] > low


@every_method
@every_score
def test_a_higher_level_has_a_wider_interval(score, method):
    widths = []
    for level in (0.5, 0.8, 0.95, 0.999):
        settings = {**options_of(score), "method": method, "confidence_level": level}
        low, high = estimate(table_of(THREE), **settings).confidence_interval
        widths.append(high - low)
    assert widths == sorted(set(widths))


# Warnings


def warned(matrix, metric="informedness"):
    """Return what the interval is warned of, or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate(table_of(matrix), metric, **FAST)
    found = [entry for entry in caught if entry.category is IntervalWarning]
    assert len(found) <= 1
    if not found:
        return None
    prefix = f"informedness: the interval of {metric} may cover the truth less often than it says: "
    message = str(found[0].message)
    assert message.startswith(prefix)
    assert found[0].filename == __file__
    return message.removeprefix(prefix)


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("matrix", "wanted"),
    [
        ([[19, 5], [5, 20]], "49 samples, where 50 are wanted"),
        ([[20, 5], [5, 20]], None),
        ([[1, 1], [1, 1]], "4 samples, where 50 are wanted"),
        ([[900, 91], [2, 7]], "9 samples outside the largest class, where 10 are wanted"),
        ([[900, 90], [2, 8]], None),
        ([[900, 90, 1], [2, 6, 0], [1, 0, 1]], None),
        ([[900, 90, 1], [2, 5, 0], [1, 0, 1]], "9 samples outside the largest class, where 10 "
         "are wanted"),
    ],
)  # fmt: skip
def test_few_samples_are_warned_of_and_enough_are_not(metric, matrix, wanted):
    assert warned(matrix, metric) == wanted


@pytest.mark.parametrize(
    ("matrix", "wanted"),
    [
        ([[23, 1, 0, 0], [0, 21, 1, 0], [0, 2, 21, 0], [2, 0, 0, 18]],
         "89 samples of 4 classes, where 90 are wanted"),
        ([[24, 1, 2, 1], [1, 21, 1, 0], [0, 2, 18, 1], [2, 0, 1, 15]], None),
        ([[24, 1, 2, 1], [1, 21, 1, 0], [0, 1, 19, 1], [2, 0, 1, 15]],
         "11 wrong predictions of 4 classes, where 12 are wanted"),
        (np.diag([25, 25, 25, 25]).tolist(), None),
        ([[50, 0], [1, 49]], "1 wrong predictions of 2 classes, where 2 are wanted"),
        ([[49, 1], [1, 49]], None),
    ],
)  # fmt: skip
def test_nit_wants_more_samples_and_more_errors_of_more_classes(matrix, wanted):
    assert warned(matrix, "nit") == wanted
    assert warned(matrix) is None


@pytest.mark.parametrize(("n", "wanted"), [(99, "99 samples of 10 classes, where 100 are wanted"),
                                          (100, None)])  # fmt: skip
def test_averages_over_classes_want_the_square_of_their_number_and_accuracy_does_not(n, wanted):
    matrix = np.diag([10] * 9 + [n - 90])
    for metric in ("informedness", "markedness", "balanced_accuracy", "matthews_corrcoef"):
        assert warned(matrix.tolist(), metric) == wanted
    assert warned(matrix.tolist(), "accuracy") is None


def test_the_warning_goes_by_the_effective_number_of_samples():
    samples = weighted([[30, 5], [5, 30]])
    table = ContingencyTable.from_labels(*samples[:2], sample_weight=samples[2])
    size = intervals.effective_sample_size(table)
    assert size < 50 < table.n_samples
    with pytest.warns(IntervalWarning, match=f": {size:.4g} samples, where 50"):
        estimate(table, **FAST)
    assert issubclass(IntervalWarning, InformednessWarning)


# Where there is nothing to estimate

UNDEFINED = {
    "one reference": ([[5, 3], [0, 0]], {*METRICS} - {"accuracy", "markedness"}),
    "one prediction": ([[5, 0], [3, 0]], {"markedness"}),
    "one of both": ([[5, 0], [0, 0]], {*METRICS} - {"accuracy"}),
}


@every_method
@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(("matrix", "without"), UNDEFINED.values(), ids=UNDEFINED)
def test_undefined_scores_have_no_interval_and_none_in_json(matrix, without, metric, method):
    made = estimate(table_of(matrix), metric, method=method, **FAST)
    plain = json.loads(json.dumps(made.to_dict(), allow_nan=False))
    undefined = metric in without | {"matthews_corrcoef"}
    assert (plain["standard_error"] is None) == undefined
    assert (plain["confidence_interval"] == [None, None]) == undefined
    assert math.isnan(made.standard_error) == undefined
    assert "nan" in str(made) if undefined else "nan" not in str(made)


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("seed", range(20))
def test_the_standard_error_of_constant_and_of_perfect_predictions_is_exactly_0(seed, weighted):
    """A constant is 0 informed, and all right 1, whatever the sample: nothing varies."""
    rng = np.random.default_rng(seed)
    k = int(rng.integers(2, 30))
    references = np.append(np.arange(k), rng.choice(k, 500, p=rng.dirichlet(np.ones(k))))
    weights = rng.exponential(size=len(references)) if weighted else None
    prior = dict(enumerate(rng.dirichlet(np.full(k, 3.0)).tolist()))
    for predictions in (np.full(len(references), rng.integers(k)), references):
        table = ContingencyTable.from_labels(references, predictions, sample_weight=weights)
        for options in (
            *({"average": average} for average in ("bias", "prevalence", "macro", None)),
            {"prior": prior},
            {"prior": prior, "average": "macro"},
            {"metric": "balanced_accuracy"},
        ):
            made = estimate(table, **options, n_resamples=100)
            each = made if isinstance(made, list) else [made]
            assert [one.standard_error for one in each] == [0.0] * len(each), options
        if predictions is references:
            for metric in ("markedness", "matthews_corrcoef", "accuracy"):
                assert estimate(table, metric, n_resamples=100).standard_error == 0.0
        else:
            assert estimate(table, "nit").standard_error == 0.0


def test_zero_division_is_the_value_of_an_undefined_score():
    made = estimate(table_of([[5, 3], [0, 0]]), zero_division=math.nan)
    assert math.isnan(made.value)
    assert made.to_dict()["value"] is None
    assert estimate(table_of([[5, 3], [0, 0]]), zero_division=0.0).value == 0


def test_undefined_scores_are_not_warned_of_as_intervals():
    assert warned([[5, 3], [0, 0]]) is None


# Weights, labels, sizes


@every_method
@every_score
def test_any_constant_weight_is_no_weight(score, method):
    references, predictions, _ = weighted(THREE)
    plain = estimate(table_of(THREE), **options_of(score), method=method)
    for weight in (1, 0.37, 5e6, 1e-100):
        made = estimate_from_labels(
            references,
            predictions,
            **options_of(score),
            method=method,
            sample_weight=[weight] * len(references),
        )
        assert made.value == pytest.approx(plain.value, abs=1e-12)
        assert made.standard_error == pytest.approx(plain.standard_error, rel=1e-11)
        assert made.confidence_interval == pytest.approx(plain.confidence_interval, abs=1e-9)
        assert made.effective_sample_size == pytest.approx(plain.effective_sample_size)


# the sums of one class against the rest are whole numbers
HALVES = [0, 1, 2, 0, 0, 1, 1, 2, 2], [0, 1, 2, 1, 2, 0, 2, 0, 1], [3] * 3 + [0.5] * 6


@pytest.mark.parametrize("metric", METRICS)
def test_weights_without_squares_are_refused(metric):
    table = ContingencyTable.from_counts(*HALVES)
    averages = ("default", None) if metric in ("informedness", "markedness") else ("default",)
    for average in averages:
        with pytest.raises(ValueError, match=r"`table` must know .* squared weights.*from labels"):
            estimate(table, metric, average=average)
    known = ContingencyTable.from_counts(*HALVES, squared_weights=[3] * 3 + [0.25] * 6)
    assert estimate(known, metric).standard_error > 0


@pytest.mark.parametrize("weight", [1e-200, 1e200])
def test_weights_whose_squares_are_no_numbers_are_refused(weight):
    with pytest.raises(ValueError, match=r"`table` must know .* squared weights"):
        estimate_from_labels([0, 1, 1], [0, 1, 0], sample_weight=[weight] * 3)


@pytest.mark.parametrize("labels", [[b"a", b"\xff"], ["a", "é"], [-5, 2**64 - 1]])
def test_labels_of_any_type_are_in_estimates_of_each_class(labels):
    references, predictions = ([labels[i] for i in side] for side in weighted([[8, 2], [3, 9]])[:2])
    made = estimate_from_labels(references, predictions, average=None, **FAST)
    assert [entry.label for entry in made] == labels
    for entry in made:
        plain = json.loads(json.dumps(entry.to_dict(), allow_nan=False))
        assert plain["label"] == (repr(entry.label) if labels[0] == b"a" else entry.label)
        assert entry.signature.endswith(f"|class:{entry.label!r}")
        assert f"informedness of {entry.label!r} 0." in str(entry)


@every_method
@every_score
def test_unknown_answers_are_a_column_of_their_own(score, method):
    """As a third class without references; F1-macro leaves it out of its mean."""
    references = ["a"] * 30 + ["b"] * 30
    predictions = ["a"] * 20 + ["b"] * 5 + ["?"] * 5 + ["b"] * 22 + ["a"] * 5 + ["!"] * 3
    settings = {**options_of(score), "method": method}
    made = estimate_from_labels(
        references, predictions, **settings, labels=["a", "b"], unknown="wrong"
    )
    same = estimate(table_of([[20, 5, 5], [5, 22, 3], [0, 0, 0]]), **settings)
    if score[0] == "f1_macro":
        assert made.value == pytest.approx((40 / 55 + 44 / 57) / 2, abs=1e-12)
        assert made.standard_error == pytest.approx(same.standard_error * 3 / 2, rel=1e-12)
        return
    assert made.value == pytest.approx(same.value, abs=1e-12)
    assert made.standard_error == pytest.approx(same.standard_error, rel=1e-12)
    assert made.confidence_interval == pytest.approx(same.confidence_interval, abs=1e-12)
    each = estimate_from_labels(
        references, predictions, average=None, labels=["a", "b"], unknown="wrong", **FAST
    )
    assert [entry.label for entry in each] == ["a", "b", None]
    assert math.isnan(each[2].standard_error)


@pytest.mark.parametrize("metric", METRICS)
def test_a_thousand_sparse_classes_are_estimated(metric):
    rng = np.random.default_rng(0)
    references = np.tile(np.arange(1000), 4)
    predictions = np.where(rng.random(4000) < 0.7, references, rng.integers(0, 1000, 4000))
    for method in METHODS:
        made = estimate_from_labels(references, predictions, metric, method=method, **FAST)
        low, high = made.confidence_interval
        assert low <= made.value <= high
        assert 0 < made.standard_error < 0.02
    samples = references == predictions
    if metric == "accuracy":
        assert made.standard_error == pytest.approx(samples.std() / math.sqrt(4000), rel=1e-12)


@every_method
@every_score
def test_counts_of_a_trillion_are_as_precise_as_small_ones(score, method):
    large = [[n * 10**12 for n in row] for row in THREE]
    made = estimate(table_of(large), **options_of(score), method=method)
    wanted = dense.standard_error(precise(THREE), function_of(score)) / 1e6
    low, high = made.confidence_interval
    assert made.standard_error == pytest.approx(wanted, rel=1e-9)
    reach = NormalDist().inv_cdf(0.975) * wanted
    assert (made.value - low, high - made.value) == pytest.approx((reach, reach), rel=0.06)


# The seed and the options


@pytest.mark.parametrize("metric", METRICS)
def test_the_seed_decides_wholly_and_another_differs(metric):
    made = [
        estimate(table_of(THREE), metric, method="bootstrap", seed=seed, **FAST)
        for seed in (0, 0, 1, np.int64(1), 2**100)
    ]
    assert made[0] == made[1] != made[2] == made[3]
    ends = {entry.confidence_interval for entry in made}
    assert len(ends) == 3
    assert (made[3].seed, made[3].n_resamples) == (1, 100)
    assert type(made[3].seed) is int


def test_only_the_bootstrap_has_a_seed():
    made = estimate(table_of(THREE), method="delta", seed=4)
    assert (made.method, made.n_resamples, made.seed) == ("delta", None, None)
    assert estimate(table_of(THREE), "nit").method == "delta"
    assert made == estimate(table_of(THREE), method="delta", seed=5)


BAD_OPTIONS = [
    ("metric", "f1", "'f1'"),
    ("metric", None, "None"),
    ("metric", ["nit"], r"\['nit'\]"),
    ("average", "micro", "'micro'"),
    ("average", 1, "1"),
    ("method", "bca", "'bca'"),
    ("method", None, "None"),
    ("confidence_level", 95, "95"),
    ("confidence_level", 0, "0"),
    ("confidence_level", 1.0, r"1\.0"),
    ("confidence_level", math.nan, "nan"),
    ("confidence_level", "0.95", r"'0\.95'"),
    ("confidence_level", None, "None"),
    ("confidence_level", True, "True"),
    ("confidence_level", 1 - 1e-16, r"0\.9999"),
    ("n_resamples", 99, "99"),
    ("n_resamples", 1000.0, r"1000\.0"),
    ("n_resamples", True, "True"),
    ("n_resamples", np.array([100, 200]), "array"),
    ("seed", -1, "-1"),
    ("seed", None, "None"),
    ("seed", 0.5, r"0\.5"),
    ("seed", False, "False"),
    ("seed", np.random.default_rng(0), "Generator"),
    ("seed", np.array([1, 2]), "array"),
    ("zero_division", 1, "1"),
    ("prior", [0.5, 0.3, 0.2], "0.5"),
    ("prior", {0: 0.5, 1: 0.5}, "2"),
    ("prior", {0: 0.5, 1: 0.5, 2: 0.5}, r"1\.5"),
    ("prior", {0: 0.5, 1: "x", 2: 0.5}, "'x'"),
]


@pytest.mark.parametrize(("name", "value", "shown"), BAD_OPTIONS)
def test_bad_options_are_refused_by_name_and_value(name, value, shown):
    with pytest.raises(ValueError, match=f"(?s)^`{name}` must .*{shown}"):
        estimate(table_of(THREE), **{name: value})
    references, predictions, _ = weighted(THREE)
    with pytest.raises(ValueError, match=f"(?s)^`{name}` must .*{shown}"):
        estimate_from_labels(references, predictions, **{name: value})


@pytest.mark.parametrize("metric", WITHOUT_AVERAGE)
@pytest.mark.parametrize("average", [None, "macro"])
def test_an_average_of_a_score_that_has_none_is_refused(metric, average):
    with pytest.raises(ValueError, match=f"`average` must be left out for '{metric}', got"):
        estimate(table_of(THREE), metric, average=average)


@pytest.mark.parametrize(
    "settings",
    [{"average": None}, *({"metric": metric} for metric in METRICS if metric != "informedness")],
)
def test_a_prior_where_no_error_is_known_is_refused(settings):
    with pytest.raises(ValueError, match="`prior` must be left out, except for an average"):
        estimate(table_of(THREE), prior={0: 0.5, 1: 0.25, 2: 0.25}, **settings)


def test_an_estimate_says_all_it_knows():
    table = table_of([[84, 6], [2, 8]], labels=["ham", "spam"])
    made = estimate(table, confidence_level=0.9, method="delta")
    assert made.to_dict() == {
        "metric": "informedness",
        "value": made.value,
        "standard_error": made.standard_error,
        "confidence_interval": list(made.confidence_interval),
        "confidence_level": 0.9,
        "method": "delta",
        "n_resamples": None,
        "seed": None,
        "effective_sample_size": 100.0,
        "independence_p_value": None,
        "label": None,
        "signature": made.signature,
    }
    low, high = made.confidence_interval
    assert str(made) == f"informedness 0.7333 ± 0.1292 ({low:.4f} to {high:.4f}, 0.9)"


# Every path


PATHS = {
    "plain": ([0, 0, 1, 2, 1, 2, 2] * 9, [0, 1, 1, 2, 0, 2, 1] * 9, {}),
    "strings": (list("aabcbcc") * 9, list("abbcacb") * 9, {"labels": ["c", "a", "b", "d"]}),
    "weights": ([0, 0, 1, 2] * 20, [0, 1, 1, 2] * 20, {"sample_weight": [0.1, 1, 2.3, 0.7] * 20}),
    "ignored": ([0, -100, 1, 1] * 20, [0, 1, 1, 0] * 20, {"ignore_index": -100}),
    "unknown": (
        ["a", "b", "b", "a"] * 20,
        ["a", "b", "?", "b"] * 20,
        {"labels": ["a", "b"], "unknown": "wrong"},
    ),
    "integers apart": ([2**64 - 1, 0, 0] * 20, [2**64 - 1, 0, 2**64 - 1] * 20, {}),
    "one reference": ([1, 1, 1], [1, 0, 1], {}),
}
OF_INFORMEDNESS = [
    {},
    {"average": "macro"},
    {"average": "prevalence"},
    {"average": None},
    {"zero_division": math.nan},
]
OF_NIT = [{}, {"zero_division": 1.0}, {"zero_division": math.nan}]
WAYS = [
    (case, metric, extra)
    for case in PATHS
    for metric in ("informedness", "nit")
    for extra in (OF_INFORMEDNESS if metric == "informedness" else OF_NIT)
] + [("ignored", "informedness", {"prior": {0: 0.25, 1: 0.75}})]


@pytest.fixture(scope="module")
def modules():
    return {
        name: lambda name=name: evaluate.load(module_path(name)) for name in ("informedness", "nit")
    }


@pytest.mark.parametrize(("case", "metric", "extra"), WAYS, ids=str)
def test_every_path_gives_the_same_estimate(case, metric, extra, modules):
    references, predictions, options = PATHS[case]
    inputs = {"references": references, "predictions": predictions}
    table = ContingencyTable.from_labels(references, predictions, **options)
    ignored = {"ignore_index": options["ignore_index"]} if "ignore_index" in options else {}
    made = estimate(table, metric, **extra, **ignored, confidence_level=0.9)
    by_labels = estimate_from_labels(
        references, predictions, metric, **options, **extra, confidence_level=0.9
    )
    several = made if isinstance(made, list) else [made]
    for a, b in zip(several, by_labels if several is made else [by_labels], strict=True):
        assert a.to_dict() == b.to_dict()  # undefined numbers are nan in the fields themselves

    settings = {**options, **extra, "confidence_level": 0.9, "return_signature": True}
    whole = modules[metric]().compute(**inputs, **settings)
    pieces = modules[metric]()
    for start in range(0, len(references), 7):
        piece = slice(start, start + 7)
        pieces.add_batch(references=references[piece], predictions=tuple(predictions[piece]))
    for result in (whole, pieces.compute(**settings)):
        fields = {
            metric: [x.value for x in several],
            f"{metric}_standard_error": [x.standard_error for x in several],
            f"{metric}_confidence_interval": [x.confidence_interval for x in several],
        }
        labels = {"labels"} if several is made else set()
        assert set(result) == {*fields, f"{metric}_signature"} | labels
        for name, wanted in fields.items():
            got = np.array(result[name] if several is made else [result[name]], dtype=float)
            np.testing.assert_allclose(got, np.array(wanted), rtol=0, atol=1e-12)
        line = several[0].signature
        assert result[f"{metric}_signature"] == line.partition("|class:")[0]


@pytest.mark.parametrize(("case", "metric", "extra"), WAYS, ids=str)
def test_modules_add_nothing_that_was_not_asked_for(case, metric, extra, modules):
    references, predictions, options = PATHS[case]
    inputs = {"references": references, "predictions": predictions}
    module = modules[metric]()
    result = module.compute(**inputs, **options, **extra)
    table = ContingencyTable.from_labels(references, predictions, **options)
    value = getattr(by_table, metric)(table, **extra)
    labels = {"labels": list(table.labels)} if extra == {"average": None} else {}
    assert repr(result) == repr({metric: value, **labels})
    signed = module.compute(**inputs, **options, **extra, return_signature=True)
    ignored = {"ignore_index": options["ignore_index"]} if "ignore_index" in options else {}
    line = by_table.signature(table, metric, **ignored, **extra)
    assert repr(signed) == repr({metric: value, f"{metric}_signature": line, **labels})


def test_modules_refuse_an_interval_of_the_odds(modules):
    inputs = {"references": [0, 1, 1], "predictions": [0, 1, 0], "prior": {0: 0.5, 1: 0.5}}
    module = modules["informedness"]()
    with pytest.raises(ValueError, match=r'`confidence_level` must be left out.*"odds"'):
        module.compute(**inputs, prior_mode="odds", confidence_level=0.95)
    result = module.compute(**inputs, prior_mode="odds", return_signature=True)
    assert "prior:odds-" in result["informedness_signature"]


@pytest.mark.parametrize("level", [0, 1, 95, "high", math.nan])
@pytest.mark.parametrize("name", ["informedness", "nit"])
def test_modules_refuse_a_bad_level(name, level, modules):
    with pytest.raises(ValueError, match=r"^`confidence_level` must lie between 0 and 1"):
        modules[name]().compute(references=[0, 1], predictions=[0, 1], confidence_level=level)


# The signature

WALK_REFERENCES = [0, 0, 0, 0, 1, 1, 1, 2, 2, 0, -1, 1] * 5
WALK_PREDICTIONS = [0, 0, 1, 0, 1, 1, 0, 2, 1, 2, 1, 1] * 5
ONES = [1.0] * 60
CYCLE, LATER = ([*([0.5, 2, 1, 0.5] * 15)[shift:], *([0.5, 2, 1, 0.5] * 15)[:shift]]
                for shift in (0, 1))  # fmt: skip
TABLE_SETTINGS = {
    "labels": [None, [-1, 0, 1, 2], [2, 1, 0, -1], [-1, 0, 1, 2, 3], [-1, 0, 1]],
    "ignore_index": [None, -1, 2],
    "sample_weight": [None, ONES, CYCLE, LATER, [2 * x for x in CYCLE]],
}


def walked_tables():
    for values in itertools.product(*TABLE_SETTINGS.values()):
        options = dict(zip(TABLE_SETTINGS, values, strict=True))
        for unknown in ("error", "wrong"):
            try:
                table = ContingencyTable.from_labels(
                    WALK_REFERENCES, WALK_PREDICTIONS, unknown=unknown, **options
                )
            except ValueError:  # a label outside the classes
                continue
            yield table, options["ignore_index"]


def to_9_digits(numbers):
    return repr(np.round(np.array(numbers, dtype=float), 9).tolist())


def score_or_none(table, metric, options):
    """Return the score to 9 digits, or None for what is refused."""
    try:
        return to_9_digits(getattr(by_table, metric)(table, **options))
    except ValueError:
        return None


def priors_of(table):
    present = [table.labels[code] for code in np.flatnonzero(table.reference_totals)]
    even = dict.fromkeys(present, 1 / len(present))
    uneven = {x: (code + 1) for code, x in enumerate(present)}
    total = sum(uneven.values())
    return None, even, {x: share / total for x, share in uneven.items()}


def different_numbers_of_one_signature(entries, least=100):
    seen, clashes = {}, []
    for line, numbers, options in entries:
        if numbers is not None and seen.setdefault(line, (numbers, options))[0] != numbers:
            clashes.append((line, seen[line], (numbers, options)))
    assert len(seen) > least
    return clashes


@pytest.mark.slow
def test_scores_that_differ_never_share_a_signature():
    def entries():
        for table, ignored in walked_tables():
            for metric, average in [*SCORES, ("informedness", None), ("markedness", None)]:
                for prior in priors_of(table) if metric in ("informedness", "markedness") else [{}]:
                    for mode in ("reweight", "odds") if prior else ("reweight",):
                        options = {}
                        if metric in ("informedness", "markedness"):
                            options = {"average": average, "prior": prior, "prior_mode": mode}
                        yield (
                            by_table.signature(table, metric, ignore_index=ignored, **options),
                            score_or_none(table, metric, options),
                            (metric, options, ignored, table.labels),
                        )

    assert different_numbers_of_one_signature(entries()) == []


@pytest.mark.slow
def test_estimates_that_differ_never_share_a_signature():
    ways = [
        {"metric": "informedness"},
        {"metric": "informedness", "average": "macro"},
        {"metric": "nit", "method": "bootstrap"},
        {"metric": "nit"},
    ]
    of_intervals = [
        {},
        {"confidence_level": 0.9},
        {"confidence_level": 0.90000000001},
        {"method": "delta"},
        {"n_resamples": 101},
        {"seed": 1},
    ]

    def numbers(made):
        return [made.value, made.standard_error, *made.confidence_interval]

    def entries():
        for table, ignored in itertools.islice(walked_tables(), None, None, 2):
            for way, of_interval in itertools.product(ways, of_intervals):
                priors = priors_of(table) if way["metric"] == "informedness" else [None]
                for prior in priors:
                    options = {**FAST, **way, **of_interval, "prior": prior}
                    made = estimate(table, ignore_index=ignored, **options)
                    yield made.signature, to_9_digits(numbers(made)), options

    assert different_numbers_of_one_signature(entries()) == []


def test_a_value_that_stands_in_for_an_undefined_one_is_in_the_signature():
    table = table_of([[5, 3], [0, 0]])
    for metric in ("informedness", "markedness"):
        lines = [
            by_table.signature(table, metric, zero_division=value)
            for value in ("warn", 0.0, math.nan)
        ]
        assert lines[0] == lines[1] != lines[2]


def test_signatures_read_as_they_are_documented():
    labels = ["ham", "spam"]
    table = ContingencyTable.from_labels(labels, labels)
    version = by_table.signature(table, "nit").rpartition("|")[2]
    line = by_table.signature(table, "informedness", ignore_index="a|b")
    assert (
        line
        == rf"informedness|avg:bias|k:2|n:2|labels:observed|ignore:'a\x7cb'|prior:test|{version}"
    )
    made = estimate(table, "nit")
    assert made.signature == f"nit|k:2|n:2|labels:observed|ci:delta,0.95|{version}"
    made = estimate(table, "accuracy", seed=7, **FAST)
    assert made.signature == (
        f"accuracy|k:2|n:2|labels:observed|ci:bootstrap,0.95,100,seed:7|{version}"
    )
    assert "|labels:" in by_table.signature(
        ContingencyTable.from_labels(labels, labels, labels=labels), "nit"
    )


def test_equal_settings_of_other_types_have_one_signature():
    table = ContingencyTable.from_labels([0, 1, 1], [0, 1, 0])
    lines = {
        by_table.signature(table, "informedness", ignore_index=ignored, prior=prior)
        for ignored in (-100, -100.0, np.int64(-100))
        for prior in (
            {0: 0.5, 1: 0.5},
            {np.int8(1): 0.5, 0.0: np.float32(0.5)},
            {True: 0.5, 0: 0.5},
        )
    }
    assert len(lines) == 1


def test_the_order_in_which_weights_were_summed_is_not_in_the_signature():
    rng = np.random.default_rng(0)
    references, predictions = rng.integers(0, 4, (2, 5000))
    weights = rng.integers(1, 10_000, 5000) / 1000
    lines, totals = set(), set()
    for _ in range(20):
        order = rng.permutation(5000)
        samples = references[order], predictions[order], weights[order]
        tables = [
            ContingencyTable.from_labels(r, p, sample_weight=w)
            for r, p, w in zip(*(np.array_split(side, 7) for side in samples), strict=True)
        ]
        table = sum(tables[1:], tables[0])
        totals.add(table.total)
        lines.add(estimate(table, method="delta").signature)
    assert len(totals) > 1
    assert len(lines) == 1


def test_a_sum_halfway_between_two_roundings_is_written_in_one_way():
    lines = set()
    for last in (1234.565, math.nextafter(1234.565, 0), math.nextafter(1234.565, 9999)):
        table = ContingencyTable.from_counts([0, 1], [0, 1], [last, 0.5], squared_weights=[9, 1])
        lines.add(by_table.signature(table, "nit"))
    assert len(lines) == 1


def test_squared_weights_and_all_digits_of_the_level_are_in_the_signature():
    lines = {
        estimate(
            ContingencyTable.from_counts(
                [0, 1, 1], [0, 1, 0], [1.5, 2.5, 1], squared_weights=[1, 2, third]
            ),
            method="delta",
            confidence_level=level,
        ).signature
        for third in (0.5, 1)
        for level in (0.99, 0.9994, 0.9994 + 1e-12)
    }
    assert len(lines) == 6


def test_golden_estimates_of_a_published_table():
    """The Wikipedia table of the FOBT: sensitivity 20/30, specificity 1820/2000."""
    vector = BY_ID["wikipedia_fobt"]
    made = estimate(table_of([[int(n) for n in row] for row in vector.table]), method="delta")
    wanted = math.sqrt(2 / 3 * 1 / 3 / 30 + 0.91 * 0.09 / 2000)
    assert made.standard_error == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("wrong", [[0, 1], np.array([0, 1]), "table", None])
def test_references_in_place_of_a_table_are_told_where_they_belong(wrong):
    wanted = "`table` must be a ContingencyTable, got .*: estimate_from_labels takes references and"
    for call in (lambda: estimate(wrong), lambda: estimate(wrong, [0, 1])):
        with pytest.raises(TypeError, match=wanted):
            call()
