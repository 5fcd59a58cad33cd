"""Intervals of the delta method and of the bootstrap, against other ways to them."""

import itertools
import json
import math
from fractions import Fraction
from statistics import NormalDist

import mpmath
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy import stats

import by_table
import dense
from dense import AVERAGES, SCORES, precise
from estimate_cases import (
    FAST,
    METHODS,
    PRIORS,
    THREE,
    every_bootstrapped_score,
    every_method,
    every_score,
    every_score_of_margins,
    every_table,
    function_of,
    internal,
    of_internal,
    options_of,
    oriented,
    resampled,
    sums,
    table_of,
    weighted,
    with_pseudo_sample,
)
from informedness import ContingencyTable, estimate, estimate_from_labels
from informedness.core import intervals
from informedness.scores.registry import averaged_score
from informedness.scores.usual import ACCURACY

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


# The interval of the delta method


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
        if math.isnan(made.standard_error) or (score[0] in ("nit", "ema") and math.isnan(low)):
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
    labels = range(len(totals))  # declared, so that no class is missed
    table = table_of(np.diag(totals).tolist(), labels=labels)
    made = estimate(table, **options_of(score), method=method)
    low, high = made.confidence_interval
    assert made.standard_error < 1e-14 or score[0] == "nit"
    if score[0] == "nit":
        assert low < made.value <= high <= 1
    else:
        assert low < made.value == high == pytest.approx(1, abs=1e-14)
    # the more samples the narrower
    more = estimate(
        table_of((np.diag(totals) * 100).tolist(), labels=labels),
        **options_of(score),
        method=method,
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
