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


def samples(seed=0, size=120, k=3, n_groups=30):
    rng = np.random.default_rng(seed)
    references = rng.integers(0, k, size)
    predictions = np.where(rng.random(size) < 0.6, references, rng.integers(0, k, size))
    groups = rng.integers(0, n_groups, size)
    return references, predictions, groups, rng.integers(1, 5, size) / 2


def cells_of(references, predictions, weights):
    cells = [[0.0] * 3 for _ in range(3)]
    for i, j, weight in zip(references, predictions, weights, strict=True):
        cells[i][j] += float(weight)
    return cells


@every_score
def test_the_error_is_of_sums_over_groups(score):
    references, predictions, groups, some = samples()
    for weights in (some, np.ones(len(groups))):
        made = estimate(
            references, predictions, groups=[f"g{x}" for x in groups], sample_weight=weights,
            **options_of(score),
        )  # fmt: skip
        cells = [list(map(Fraction, row)) for row in cells_of(references, predictions, weights)]
        slopes = dense.slopes(dense.precise(cells), lambda table: dense.score(table, *score))
        sums = dict.fromkeys(groups, 0.0)
        for i, j, group, weight in zip(references, predictions, groups, weights, strict=True):
            sums[group] += float(weight) * float(slopes[i][j])
        c = len(sums)
        wanted = math.sqrt(c / (c - 1) * sum(x * x for x in sums.values()))
        assert made.standard_error == pytest.approx(wanted, rel=1e-9)
        assert made.independence_p_value is None
        low, high = made.confidence_interval
        assert low < made.value < high


@every_score
def test_the_interval_is_that_of_samples_that_count_less_by_their_design_effect(score):
    references, predictions, groups, _ = samples()
    made = estimate(references, predictions, groups=groups, labels=range(3), **options_of(score))
    cells = np.array(cells_of(references, predictions, np.ones(120)))
    sizes = np.unique(groups, return_counts=True)[1]
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


def test_tails_of_t_are_those_of_scipy_and_quantiles_leave_the_tails_of_mpmath():
    for df in (1, 2, 3, 4, 5, 19, 20, 101, 1000, 1001, 10**6):
        for level in (0.5, 0.9, 0.95, 0.999):
            with mpmath.workdps(30):
                share = df / (df + mpmath.mpf(t_quantile(level, df)) ** 2)
                tail = mpmath.betainc(df / 2, 0.5, 0, share, regularized=True)
            assert float(tail) == pytest.approx(1 - level, rel=1e-11), (df, level)
        for t in (0.0, 1e-3, 0.5, 2.0, 5.0, 30.0):
            wanted = 2 * stats.t.sf(t, df)
            assert t_tail(t, df) == pytest.approx(wanted, rel=1e-12, abs=1e-300), (df, t)


def test_ignored_samples_leave_their_groups():
    references, predictions, groups, _ = samples()
    wanted = estimate(references, predictions, groups=groups)
    more = [np.append(references, [-100, -100]), np.append(predictions, [0, 1])]
    made = estimate(*more, groups=np.append(groups, [99, 98]), ignore_index=-100)
    assert made.confidence_interval == wanted.confidence_interval


def test_the_signature_has_the_number_of_groups_whatever_their_names_and_order():
    references, predictions, groups, _ = samples()
    order = np.random.default_rng(0).permutation(120)

    def lines(*columns, **options):
        return {estimate(*columns[:2], **options).signature, compare(*columns, **options).signature}

    columns = [references, predictions, np.roll(predictions, 1)]
    wanted = lines(*columns, groups=groups)
    assert all("|groups:30|" in line for line in wanted)
    assert wanted == lines(*(x[order] for x in columns), groups=[f"g{-x}" for x in groups[order]])
    # counts stand for as many rows
    assert compare(*columns, groups=groups, counts=[1] * 120).signature in wanted


def test_what_cannot_stand_beside_groups_is_refused():
    references, predictions, *_ = samples()
    for options, text in (
        ({"groups": ["a"] * 3}, "`groups` must name a group for each row, got 3 for 120"),
        ({"groups": ["a"] * 120}, "`groups` must name at least two"),
        ({"groups": range(120), "average": None}, "`average` must be .* if `groups` is given"),
        ({"groups": range(120), "prior": {0: 0.5, 1: 0.5}}, "`prior` must be left out if"),
    ):
        with pytest.raises(ValueError, match=text):
            estimate(references, predictions, **options)
