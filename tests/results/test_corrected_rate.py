"""The true rate behind a judge: its equation solved by scipy, its limits, what it reads.

Covers src: results/estimate.py.
"""

import json
import math
from pathlib import Path

import datasets
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from scipy.optimize import brentq

from informedness import corrected_rate
from inputs.cases import warned

Z = 1.959963984540054
NAMES = datasets.Features({"x": datasets.ClassLabel(names=["bad", "good"])})
CONTAINERS = [np.array, pd.Series, pd.Categorical, pl.Series, pa.array]
CONTAINERS.append(lambda x: datasets.Dataset.from_dict({"x": x}, features=NAMES)["x"])


def labels_of(hits, n_positive, alarms, n_negative):
    """Return the labels by people and by the judge, who calls so many of either kind good."""
    amounts = [hits, n_positive - hits, alarms, n_negative - alarms]
    judge = np.repeat(["good", "bad"] * 2, amounts).tolist()
    return ["good"] * n_positive + ["bad"] * n_negative, judge


PEOPLE, JUDGE = labels_of(50, 60, 8, 60)
MADE = corrected_rate(PEOPLE, JUDGE, (30, 50), positive="good")


def wilson(count, n):
    """Return a share and its Wilson interval."""
    centre, half = count + Z**2 / 2, Z * math.sqrt(count * (n - count) / n + Z**2 / 4)
    return count / n, (centre - half) / (n + Z**2), (centre + half) / (n + Z**2)


def solved(*pairs):
    """Return the rate, and the rates whose difference is as large as its reach, or 0 and 1."""
    (q, tpr, fpr), low, high = zip(*(wilson(*pair) for pair in pairs), strict=True)

    def over(x, sign, ends):  # to which q, TPR and FPR move
        reach = math.hypot(ends[0] - q, x * (ends[1] - tpr), (1 - x) * (ends[2] - fpr))
        return sign * (q - x * tpr - (1 - x) * fpr) - reach

    bounds = [min(max((q - fpr) / (tpr - fpr), 0), 1)]
    for end, *side in (0, 1, (low[0], *high[1:])), (1, -1, (high[0], *low[1:])):
        is_out = over(end, *side) > 0
        bounds.append(brentq(over, end, bounds[0], tuple(side), 1e-14) if is_out else end)
    return bounds


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_perfect_judge_has_wilsons_interval():
    rng, n_inside = np.random.default_rng(0), 0
    for _ in range(100):
        sizes = rng.choice([7, 30, 200, 5000], 3)
        counts = rng.binomial(sizes, sorted(rng.random(3)))  # of FPR, judged rate and TPR, mostly
        alarms, judged, hits = zip(counts.tolist(), sizes.tolist(), strict=True)
        made = corrected_rate(*labels_of(*hits, *alarms), judged, positive="good")
        if not (math.isnan(made.value) or "no rate fits" in made.caveat):
            found = [made.value, *made.confidence_interval]
            assert found == pytest.approx(solved(judged, hits, alarms), abs=1e-12)
            n_inside += 0 < found[1] < found[2] < 1
    assert n_inside > 20

    made = corrected_rate(*labels_of(10**6, 10**6, 0, 10**6), (30, 80), positive="good")
    assert (made.value, *made.confidence_interval) == pytest.approx(wilson(30, 80), abs=1e-5)


def test_the_example_judge_finds_two_thirds_of_the_good():
    judges = pd.read_csv(Path(__file__).parents[2] / "examples" / "judges.csv")
    made = corrected_rate(judges["human"], judges["strict"], (1200, 2000), positive="good")
    low, high = made.confidence_interval
    assert (made.value, low, high) == pytest.approx((0.658, 0.604, 0.706), abs=5e-4)
    assert made.standard_error == pytest.approx((0.707 - 0.609) / 2 / Z, abs=3e-4)  # delta method
    signature = "corrected_rate|k:2|n:500|labels:observed|judged:2000|ci:0.95|v:0.1.0|class:'good'"
    assert (made.signature, made.label, made.effective_sample_size) == (signature, "good", 500)
    bad = corrected_rate(judges["human"], judges["strict"], (800, 2000), positive="bad")
    assert bad.confidence_interval == pytest.approx((1 - high, 1 - low), abs=1e-12)


@pytest.mark.parametrize("make", CONTAINERS)
def test_labels_in_any_container_and_order_give_what_counts_give(make):
    order = np.random.default_rng(0).permutation(120)
    sides = ([side[i] for i in order] for side in (PEOPLE, JUDGE))
    judged = make(["bad"] * 20 + ["good"] * 30)
    assert corrected_rate(*map(make, sides), judged, positive="good") == MADE


def test_other_or_missing_judge_labels_count_as_the_opposite():
    people, judge = [*PEOPLE[:-1], "unsure"], [*JUDGE[:-2], None, "unsure"]
    made = corrected_rate(people, judge, ["good"] * 30 + [None, "?"] * 10, positive="good")
    assert (made.value, made.confidence_interval) == (MADE.value, MADE.confidence_interval)


def test_caveats_come_once_and_no_rate_means_0_to_1():
    for labels, judged, doubt, value in (
        ((50, 60, 8, 40), (30, 50), "", 12 / 19),
        ((50, 60, 8, 39), (30, 50), "99 labelled answers, fewer than the recommended 100", 22 / 35),
        ((190, 196, 0, 4), (30, 50), "4 labelled answers of the rarer class, fewer", 117.6 / 190),
        ((60, 100, 48, 100), (500, 1000), "J is 0.12 (-0.02 to 0.26) and may not be", 1 / 6),
        ((90, 100, 20, 100), (990, 1000), "no rate fits", 1),
        ((20, 100, 40, 100), (30, 100), "J is -0.20 ", math.nan),
        ((100, 100, 0, 0), (30, 50), "0 labelled answers of the rarer class", math.nan),
    ):
        made, said = warned(corrected_rate, *labels_of(*labels), judged, positive="good")
        assert (doubt in made.caveat, said.count(made.caveat or "doubt")) == (True, doubt != "")
        assert made.value == pytest.approx(value, rel=1e-12, nan_ok=True), doubt
        assert (made.confidence_interval == (0, 1)) == (not 0.5 < value < 1)
        json.dumps([made.to_dict(), made.records()], allow_nan=False)


def test_bad_inputs_are_refused_by_name_and_value():
    given = {"y_true": PEOPLE, "y_pred": JUDGE, "judged": (30, 50), "positive": "good"}
    for changed, message in (
        ({"y_true": [*PEOPLE[1:], None]}, "`y_true` must hold labels .*a missing value"),
        ({"positive": "Good"}, r"`positive` must be one of \('bad', 'good'\), got 'Good'"),
        ({"positive": None}, "`positive` must hold labels .*got None"),
        ({"judged": ["Good", "Bad"]}, "`judged` must hold labels such as .* got .'Good', 'Bad'"),
        ({"judged": (5, 3)}, r"`judged` .* a tuple of counts .*got \(5, 3\)"),
        ({"judged": (0.5, 3)}, r"`judged` must be whole numbers of samples, got 0\.5"),
        ({"judged": iter(JUDGE)}, "`judged` must not be an iterator"),
        ({"confidence_level": 95}, "`confidence_level` must be between 0 and 1.* got 95"),
        ({"groups": [0, 1] * 60}, "`groups` and `prior` must be left out: the interval assumes"),
    ):
        with pytest.raises((ValueError, TypeError), match=message):
            corrected_rate(**given | changed)
