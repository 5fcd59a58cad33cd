"""Comparison of two models, against their definition and other tests.

Covers src: results/comparison.py, inference/significance.py.
"""

import json
import math
import warnings
from dataclasses import asdict, replace

import numpy as np
import pytest
from scipy import stats

from informedness import compare, leaderboard
from informedness.results.comparison import decide
from informedness.text.layout import Account
from informedness.warnings import IntervalWarning
from oracles import reference_compare
from oracles.dense import every_score, options_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

# references, A's answers, B's answers: few of which differ
FEW = {
    "two classes": "000000000111111 000000001111100 000000111111110",
    "three classes": "000011122201 001211022001 010212122201",
    "a class of answers alone": "0011011 0211001 0012111",
    "a class that neither finds": "0011011 0000000 0100000",
    "five classes": "00112233440 01112233330 00122313240",
    "one model constant": "0011011 0000000 0011101",
}
FEW = {name: [[*map(int, side)] for side in text.split()] for name, text in FEW.items()}


def random_samples(size=400):
    rng = np.random.default_rng(0)
    references = rng.choice(3, size, p=[1 / 6, 1 / 3, 1 / 2])
    return [references] + [
        np.where(rng.random(size) < x, references, rng.integers(0, 3, size)) for x in (0.6, 0.7)
    ]


def compared_on():
    """Yield references and both answers: few, many, alike, and where NIT's sign is its bias's."""
    yield from map(np.array, FEW.values())
    yield random_samples()
    yield from np.random.default_rng(1).integers(0, 4, (2, 3, 60))
    references, a, _ = random_samples(60)
    yield references, a, a
    rng = np.random.default_rng(2)
    references = rng.integers(0, 4, 40)
    a = np.where(rng.random(40) < 0.55, references, rng.integers(0, 2, 40))
    yield references, a, np.where(rng.random(40) < 0.4, references, rng.integers(0, 4, 40))


@every_score
def test_the_numbers_are_those_of_the_definition(score):
    for references, a, b in compared_on():
        n, k = range(len(references)), 1 + max(map(max, (references, a, b)))
        weights, groups = [1 + t % 5 / 7 for t in n], [t % 6 for t in n]
        extras = [{}, {"sample_weight": weights}, {"groups": groups}, {"confidence_level": 0.3}]
        extras.append({"sample_weight": weights, "groups": groups})
        if score[0] == "informedness" and len(set(references)) == k:
            prior = [(1 + i) * 2 / k / (k + 1) for i in range(k)]
            extras.append({"prior": prior, "sample_weight": weights})
        for extra in extras:
            wanted = reference_compare.compare(references, a, b, score, k, **extra)
            given = extra | options_of(score)
            if "prior" in extra:
                given["prior"] = dict(enumerate(extra["prior"]))
            made = compare(references, a, b, labels=range(k), **given)
            found = (made.difference, made.standard_error, made.p_value, made.confidence_interval)
            # quantiles of Student's t in the oldest SciPy have ten digits
            assert np.hstack(found) == pytest.approx(np.hstack(wanted), abs=1e-10), extra
            assert made.test == ("t" if "groups" in extra else "z")
            x, y = a == references, b == references
            assert (made.gained, made.lost) == ((y & ~x).sum(), (x & ~y).sum())
            assert made.n_different == np.not_equal(a, b).sum()


def of_gains(gained, lost, size):
    """Return references, A's answers and B's, where B gains and loses so many of these samples."""
    references = np.arange(size) % 2
    a, b = references.copy(), references.copy()
    a[:gained] ^= 1
    b[gained : gained + lost] ^= 1
    return references, a, b


def test_a_p_value_may_be_tiny_but_is_not_0():
    references = np.arange(10_000) % 2
    assert 0 < compare(references, 1 - references, references).p_value < 1e-300


SAMPLES = random_samples()


@pytest.mark.parametrize("n", [5, 4])
def test_fewer_than_five_groups_have_no_p_value(n):
    with pytest.warns(IntervalWarning, match=f"{n} groups, fewer than the recommended 10"):
        made = compare(*SAMPLES, groups=np.arange(400) % n)
    plain = made.to_dict()
    assert (plain["p_value"] is None) == (n < 5)
    assert (plain["confidence_interval"] == [None, None]) == (n < 5)
    assert made.summary.startswith("Too few groups: +0.129 (no interval), not tested") == (n < 5)
    assert made.standard_error > 0


# Few groups that hold a class, or differ

TEXTS = np.repeat(np.arange(50), 10)
IS_RARE = (TEXTS < 4) * 1
GETS_ONE = (TEXTS == 3) * 1  # of the four rare texts


def test_three_groups_never_give_a_p_value_below_a_quarter():
    """Redone by hand in docs/formulas.md."""
    with pytest.warns(IntervalWarning, match="4 groups of a class that decides"):
        made = compare(IS_RARE, GETS_ONE, IS_RARE, groups=TEXTS)
    assert (made.difference, made.p_value, made.verdict) == (0.75, 0.25, "not shown")
    variance = 4 / 3 * (3 * 0.0625**2 + 0.1875**2)
    assert made.standard_error == pytest.approx(math.sqrt(variance + 47 / 50 * 0.25**2))
    reach = stats.t.ppf(0.975, 3) * made.standard_error
    assert made.confidence_interval == pytest.approx((0.75 - reach, 0.75 + reach))


def test_three_runs_of_the_same_answers_are_no_more_than_one():
    single = leaderboard(IS_RARE[::10], {"a": GETS_ONE[::10], "b": IS_RARE[::10]})
    answers = {"a": [GETS_ONE[::10]] * 3, "b": [IS_RARE[::10]] * 3}
    runs = leaderboard(IS_RARE[::10], answers)
    (p_single,), (p_runs,) = single.p_values.values(), runs.p_values.values()
    assert p_single == p_runs == 0.25


@pytest.mark.parametrize("metric", ["informedness", "accuracy", "nit"])
def test_a_class_in_one_group_that_differs_allows_no_test(metric):
    groups = np.where(TEXTS < 4, 0, TEXTS)
    with pytest.warns(IntervalWarning, match="no interval.* 1 group of a class that decides"):
        made = compare(IS_RARE, GETS_ONE, IS_RARE, groups=groups, metric=metric)
    assert math.isnan(made.p_value)
    other = np.where(TEXTS % 3 == 2, 1 - IS_RARE, IS_RARE) * (TEXTS > 3)
    accuracy = compare(IS_RARE, 1 - IS_RARE, other, groups=groups, metric="accuracy")
    assert accuracy.p_value < 0.05  # the rare class has no part in it


def test_classes_in_single_groups_are_taken_together():
    rare = np.where(TEXTS < 4, TEXTS, 9)
    wrong = np.where(TEXTS < 3, 9, rare)
    with pytest.warns(IntervalWarning, match="4 groups of a class that decides"):
        made = compare(rare, wrong, rare, groups=TEXTS, metric="balanced_accuracy")
    assert made.p_value == 0.25


def test_groups_that_hold_a_rare_class_show_it():
    references, groups = np.zeros(3000, dtype=int), np.arange(3000) // 300
    references[groups < 5] = 1
    made = compare(references, references, references, groups=groups)
    assert made.max_unseen == pytest.approx(0.6)
    said = "A change of informedness by up to about 0.6 could go undetected"
    assert said in decide(made, "not-worse").remark


# Weights, counts, a prior, samples that do not count


def numbers_of(*columns, **options):
    made = compare(*columns, **options)
    return [made.a, made.b, made.standard_error, made.p_value, *made.confidence_interval]


@every_score
def test_counts_equal_samples_and_equal_weights_change_nothing(score):
    columns, options = np.array(SAMPLES), options_of(score)
    triples, counts = np.unique(columns, axis=1, return_counts=True)
    assert compare(*triples, counts=counts, **options) == compare(*columns, **options)
    alike = numbers_of(*columns, sample_weight=[2.5] * 400, **options)
    assert alike == pytest.approx(numbers_of(*columns, **options), rel=1e-9, abs=1e-12)
    weights = 1 + np.arange(len(counts)) % 3
    one_by_one = np.repeat([*triples, weights], counts, axis=1)
    made = numbers_of(*triples, counts=counts, sample_weight=weights, **options)
    wanted = numbers_of(*one_by_one[:3], sample_weight=one_by_one[3], **options)
    assert made == pytest.approx(wanted, rel=1e-9, abs=1e-12)


def test_a_comparison_is_one_record_with_the_ends_of_its_interval():
    for options in ({}, {"metric": "nit"}):
        account = Account(("p.csv",), 400, {}, ())
        (record,) = replace(compare(*SAMPLES, **options), read=(account,)).records()
        assert {"difference", "low", "high", "p_value", "signature"} <= record.keys()
        assert record.keys().isdisjoint({"confidence_interval", "prevalence", "read"})


def test_samples_that_do_not_count_are_as_if_they_were_not_there():
    sides, kept = np.array(SAMPLES), np.arange(400) % 5 > 0
    wanted = compare(*sides[:, kept])
    sides[0, ~kept], sides[1, ~kept] = -100, 77
    ones = np.ones(400, dtype=int)
    for options in (
        {"counts": kept * 1, "sample_weight": ones},
        {"counts": ones, "sample_weight": kept * 1},
        {"ignore_index": -100},
    ):
        made = compare(*sides, **options)
        assert numbers_of(*sides, **options) == pytest.approx(numbers_of(*sides[:, kept]))
        assert (made.n_samples, made.lost) == (320, wanted.lost)
        assert compare(*sides, groups=np.arange(400) % 20, **options).n_groups == 16


def test_unknown_answers_are_wrong_and_equal_to_each_other():
    references, a, b = list("aabbabba" * 3), list("ab?babb?" * 3), list("aa!aabba" * 3)
    as_third = [[x.replace("?", "z").replace("!", "z") for x in side] for side in (a, b)]
    options = {"metric": "cohen_kappa", "labels": ["a", "b"], "unknown": "wrong"}
    wanted = numbers_of(references, *as_third, metric="cohen_kappa")
    assert numbers_of(references, a, b, **options) == pytest.approx(wanted, abs=1e-12)
    made = compare(references, a, b, **options)
    assert made.n_different == 9
    assert "unknown:wrong" in made.signature


TEN = np.arange(200) % 10
ALIKE, ODD = (TEN, TEN, TEN + (np.arange(200) == 3)), TEN % 2
NINETEEN = {"groups": np.arange(200) % 19}
SMALL = np.array([0] * 976 + [*range(1, 8)] * 4)
OF_SMALL = SMALL, SMALL, np.where(np.arange(1004) > 976, np.arange(1004) % 8, SMALL)
RARE, LARGE = np.repeat([0, 1, 2], [40, 40, 2]), np.repeat([0, 1], [970, 30])
FIRST_20, FIRST_200 = (np.arange(1000) < n for n in (20, 200))
HALF = np.arange(1000) % 2
SAYS_1 = HALF * (np.arange(1000) < 16)  # eight times
BELOW = {"confidence_level": 0.7}


@pytest.mark.parametrize(
    ("samples", "options", "text"),
    [
        ((TEN[:30], TEN[:30], TEN[1:31]), {}, "3 references of the rarest"),
        (ALIKE, {"groups": np.arange(200) % 9}, "9 groups, fewer than the"),
        (ALIKE, {"groups": TEN}, None),
        (ALIKE, NINETEEN | {"metric": "ema"}, "19 groups, fewer"),
        (ALIKE, NINETEEN, None),
        ((RARE, RARE, np.roll(RARE, 5)), {"metric": "nit"}, "2 references of the rarest class"),
        (
            (ODD, ODD, ODD * (np.arange(200) < 6)),
            {"metric": "markedness"},
            "3 predictions outside the largest class, fewer than the recommended 5 (`y_pred_b`)",
        ),
        (OF_SMALL, {}, "4 references on average for all"),
        (OF_SMALL, {"metric": "accuracy"}, None),
        ((LARGE, LARGE, LARGE | FIRST_200), {}, "it says: only 30 samples of class 1"),
        ((LARGE, LARGE, LARGE | FIRST_200), {"confidence_level": 0.999999999}, None),
        ((LARGE, LARGE, LARGE | FIRST_20), {"confidence_level": 0.3}, "only 20 predictions differ"),
        # of markedness, a rare class of the predictions
        (
            (HALF, SAYS_1, np.where(FIRST_200, SAYS_1, 1 - HALF)),
            {"metric": "markedness"},
            "only 8 samples of class 1",
        ),
        (of_gains(3, 0, 50), BELOW | {"metric": "accuracy"}, "only 3 predictions differ"),
        (of_gains(5, 0, 50), BELOW | {"metric": "accuracy"}, None),
        # the gradient of a constant model has a large constant, which changes nothing
        ((LARGE, 0 * LARGE, 1 * (np.arange(1000) < 100)), {}, "only 30 samples of class 1"),
    ],
)
def test_few_samples_groups_and_rare_classes_warn_once(samples, options, text):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        compare(*samples, **options)
    said = [str(one.message) for one in caught if one.category is IntervalWarning]
    assert len(said) == (text is not None)
    assert text is None or text in said[0]


def test_identical_models_are_named_without_warnings():
    """Not even of a class that is too rare, or of few groups; the numbers stay."""
    for samples, options in (
        ((TEN[:30], TEN[:30], TEN[:30]), {}),
        ((TEN, TEN % 2, TEN % 2), {"groups": np.arange(200) % 9}),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("error", IntervalWarning)
            made = compare(*samples, **options)
        plain = made.to_dict()
        assert made.summary == plain["summary"] == "The two models give the same predictions."
        low, high = plain["confidence_interval"]
        assert (plain["difference"], plain["p_value"], low) == (0, 1, -high)


# Refusals

BINARY = [0, 1]


@pytest.mark.parametrize(
    ("samples", "options", "text"),
    [
        ((BINARY, BINARY, [0]), {}, "y_pred_b"),
        ((BINARY, [0, 0.7], BINARY), {}, r"y_pred_a.*0\.7"),
        (([1, 1], BINARY, [1, 1]), {}, "`y_true` must have at least two classes.*labels are 1"),
        (SAMPLES, {"average": None}, "^`average` must .*None"),
        (SAMPLES, {"confidence_level": 95}, "^`confidence_level` must .*95"),
        (SAMPLES, {"counts": [0.5] * 400}, "`counts` must be whole numbers of samples, got 0.5"),
        (SAMPLES, {"sample_weight": [1e200] * 400}, "squared weights for a standard error"),
        (SAMPLES, {"counts": [0] * 400}, "`counts` must sum to more than 0, got 0"),
        (SAMPLES, {"sample_weight": [1.0] * 3}, "`sample_weight` must hold one weight for each"),
        (SAMPLES, {"groups": ["a"] * 3}, "`groups` must name a group for each row, got 3 for 400"),
        (SAMPLES, {"groups": ["a"] * 400}, "`groups` must name at least two"),
        (SAMPLES, {"metric": "nit", "prior": {0: 0.5, 1: 0.5}}, "`prior` must be left out"),
    ],
)
def test_bad_labels_and_options_are_refused_by_name_and_value(samples, options, text):
    with pytest.raises(ValueError, match=f"(?s){text}"):
        compare(*samples, **options)


# What is said


def test_better_means_p_below_1_minus_the_level():
    made = compare(*SAMPLES)
    for p, level, difference, gained, verdict in (
        (0.049, 0.95, 0.125, 4, "B is better"),
        (0.049, 0.95, 0.125, 1, "B scores higher, but is right less often"),
        (0.0009, 0.99, -0.125, 2, "A is better"),
        (0.1, 0.9, 0.125, 4, "No significant difference"),
    ):
        fields = {"difference": difference, "gained": gained, "lost": 2}
        said = replace(made, p_value=p, confidence_level=level, **fields).summary
        assert said.startswith(f"{verdict}: {difference:+.3f} ("), said


def test_a_comparison_has_all_it_knows_as_plain_values():
    made = compare(*SAMPLES, metric="nit")
    plain = made.to_dict()
    computed = {"samples_for", "summary", "verdict", "within_margin"}
    inner = {"read", "caveat", "n_classes", "max_unseen", "paired", "names", "title"}
    assert {*asdict(made)} - inner == plain.keys() - computed
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain | {"summary": made.summary}
    assert made.signature.startswith("nit|k:3|n:400|labels:observed|ci:0.95|v:")


def test_three_classes_show_the_prevalence_difference_too():
    for options in ({}, {"prior": {0: 0.5, 1: 0.2, 2: 0.3}}, {"groups": np.arange(400) % 40}):
        made = compare(*SAMPLES, **options)
        assert made.prevalence == compare(*SAMPLES, average="prevalence", **options) != made
        assert made.to_dict()["prevalence"] == made.prevalence.to_dict()
    for options in ({"average": "macro"}, {"metric": "nit"}):
        assert compare(*SAMPLES, **options).prevalence is None
    assert compare(*FEW["two classes"]).prevalence is None


def test_each_fact_of_a_comparison_has_a_line_of_its_own():
    made = compare(*SAMPLES, margin=0.5)
    is_open = made.verdict == "not shown"
    lines = str(made).splitlines()
    assert f"{made.verdict_in_words}." in lines
    assert sum("B is not worse by more than 0.5." in line for line in lines) == 1
    assert sum("These samples detect" in line for line in lines) == is_open
    n = f"Predictions differ for {made.n_different} of 400 samples: "
    gained = f"B is right on {made.gained} that A gets wrong, and wrong on {made.lost}"
    assert sum(f"{n}{gained} that A gets right." in line for line in lines) == 1
    assert all(len(line.split()) <= 25 for line in made.notes)
