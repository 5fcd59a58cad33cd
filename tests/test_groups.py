"""Estimates of samples that belong to groups, against sums of groups one by one."""

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy import stats

import dense
import reference
from estimate_cases import every_score, options_of
from informedness import compare, estimate
from informedness.statistics.paired import t_quantile, t_tail

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


RNG = np.random.default_rng(0)
REFERENCES = RNG.integers(0, 3, 120)
PREDICTIONS = np.where(RNG.random(120) < 0.6, REFERENCES, RNG.integers(0, 3, 120))
GROUPS, WEIGHTS = RNG.integers(0, 30, 120), RNG.integers(1, 5, 120) / 2


def cells_of(weights):
    cells = np.zeros((3, 3))
    np.add.at(cells, (REFERENCES, PREDICTIONS), weights)
    return cells


@every_score
@pytest.mark.parametrize("weights", [WEIGHTS, np.ones(120)], ids=["weights", "none"])
def test_the_error_is_of_sums_over_groups(score, weights):
    names, options = [f"g{x}" for x in GROUPS], options_of(score)
    made = estimate(REFERENCES, PREDICTIONS, groups=names, sample_weight=weights, **options)
    cells = [list(map(Fraction, row)) for row in cells_of(weights).tolist()]
    slopes = dense.slopes(dense.precise(cells), lambda table: dense.score(table, *score))
    moved = [float(slopes[i][j]) for i, j in zip(REFERENCES, PREDICTIONS, strict=True)]
    sums = np.bincount(GROUPS, weights * moved)
    c = len(set(GROUPS))
    wanted = math.sqrt(c / (c - 1) * (sums**2).sum())
    assert made.standard_error == pytest.approx(wanted, rel=1e-9)
    assert made.independence_p_value is None
    low, high = made.confidence_interval
    assert low < made.value < high


@every_score
def test_the_interval_is_that_of_samples_that_count_less_by_their_design_effect(score):
    options = {"labels": range(3), **options_of(score)}
    made = estimate(REFERENCES, PREDICTIONS, groups=GROUPS, **options)
    cells, sizes = cells_of(1), np.unique(GROUPS, return_counts=True)[1]
    c, (_, alone, *_) = len(sizes), reference.interval(cells, *score)
    effect = max((made.standard_error / alone) ** 2, 1)
    effect = (c * effect + (sizes**2).sum() / 120) / (c + 1)
    effect *= (stats.t.ppf(0.975, c - 1) / stats.norm.ppf(0.975)) ** 2
    wanted = reference.interval(cells, *score, squares=effect * cells)[2:]
    assert made.confidence_interval == pytest.approx(wanted, abs=1e-6)


def test_an_interval_of_accuracy_is_that_of_means_of_groups_by_scipy():
    """Of groups of one size; the group that is added to the 40 makes it a little wider."""
    rng = np.random.default_rng(0)
    right = rng.random((40, 10)) < rng.uniform(0.3, 0.9, (40, 1))
    references = rng.integers(0, 2, 400)
    columns = references, np.where(right.ravel(), references, 1 - references), "accuracy"
    made = estimate(*columns, groups=np.repeat(range(40), 10))
    means = right.mean(axis=1)
    assert made.standard_error == pytest.approx(stats.sem(means), rel=1e-9)
    wanted = stats.t.interval(0.95, 39, means.mean(), stats.sem(means))
    low, high = made.confidence_interval
    assert low < wanted[0]
    assert high > wanted[1]
    assert (low, high) == pytest.approx(wanted, abs=0.15 * (wanted[1] - wanted[0]))


@pytest.mark.parametrize("df", [1, 2, 3, 4, 5, 19, 20, 101, 1000, 1001, 10**6])
def test_tails_of_t_are_those_of_scipy_and_quantiles_leave_the_tails_of_mpmath(df):
    for level in (0.5, 0.9, 0.95, 0.999):
        with mpmath.workdps(30):
            share = df / (df + mpmath.mpf(t_quantile(level, df)) ** 2)
            tail = mpmath.betainc(df / 2, 0.5, 0, share, regularized=True)
        assert float(tail) == pytest.approx(1 - level, rel=1e-11), level
    for t in (0.0, 1e-3, 0.5, 2.0, 5.0, 30.0):
        assert t_tail(t, df) == pytest.approx(2 * stats.t.sf(t, df), rel=1e-12, abs=1e-300), t


def test_ignored_samples_leave_their_groups():
    wanted = estimate(REFERENCES, PREDICTIONS, groups=GROUPS)
    more = [np.append(REFERENCES, [-100, -100]), np.append(PREDICTIONS, [0, 1])]
    made = estimate(*more, groups=np.append(GROUPS, [99, 98]), ignore_index=-100)
    assert made.confidence_interval == wanted.confidence_interval


def test_the_signature_has_the_number_of_groups_whatever_their_names_and_order():
    def lines(*columns, **options):
        return {estimate(*columns[:2], **options).signature, compare(*columns, **options).signature}

    columns = [REFERENCES, PREDICTIONS, np.roll(PREDICTIONS, 1)]
    wanted = lines(*columns, groups=GROUPS)
    assert all("|groups:30|" in line for line in wanted)
    back = [x[::-1] for x in columns]
    assert wanted == lines(*back, groups=[f"g{-x}" for x in GROUPS[::-1]])
    # counts stand for as many rows
    assert compare(*columns, groups=GROUPS, counts=[1] * 120).signature in wanted


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"average": None}, "`average` must be .* if `groups` is given"),
        ({"prior": {0: 0.5, 1: 0.5}}, "`prior` must be left out if"),
    ],
)
def test_what_cannot_stand_beside_groups_is_refused(options, text):
    with pytest.raises(ValueError, match=text):
        estimate(REFERENCES, PREDICTIONS, groups=GROUPS, **options)
