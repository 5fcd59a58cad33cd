"""Comparison of two models, against swapping samples one by one and other ways to its numbers."""

import json
import warnings

import numpy as np
import pytest
from scipy import stats

import reference_compare
from dense import SCORES
from estimate_cases import every_score, options_of
from informedness import IntervalWarning, UndefinedMetricWarning, compare
from informedness.results.comparison import Comparison
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

FAST = {"n_resamples": 100}

# references, A's answers, B's answers: few of which differ
FEW = {
    "two classes": ([0] * 9 + [1] * 6, [0] * 8 + [1] * 5 + [0] * 2, [0] * 6 + [1] * 8 + [0]),
    "three classes": (
        [0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 0, 1],
        [0, 0, 1, 2, 1, 1, 0, 2, 2, 0, 0, 1],
        [0, 1, 0, 2, 1, 2, 1, 2, 2, 2, 0, 1],
    ),
    "a class of answers alone": (
        [0, 0, 1, 1, 0, 1, 1],
        [0, 2, 1, 1, 0, 0, 1],
        [0, 0, 1, 2, 1, 1, 1],
    ),
    "a class that neither finds": ([0, 0, 1, 1, 0, 1, 1], [0] * 7, [0, 1, 0, 0, 0, 0, 0]),
    "five classes": (
        [0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 0],
        [0, 1, 1, 1, 2, 2, 3, 3, 3, 3, 0],
        [0, 0, 1, 2, 2, 2, 3, 1, 3, 4, 0],
    ),
    "one model constant": ([0, 0, 1, 1, 0, 1, 1], [0] * 7, [0, 0, 1, 1, 1, 0, 1]),
}


def random_samples(seed=0, size=400, k=3, skill=(0.6, 0.7)):
    rng = np.random.default_rng(seed)
    references = rng.choice(k, size, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    answers = [np.where(rng.random(size) < x, references, rng.integers(0, k, size)) for x in skill]
    return references.tolist(), answers[0].tolist(), answers[1].tolist()


OF_COUNTS = [score for score in SCORES if score[0] not in ("nit", "ema")]


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_differences_errors_and_exact_p_values_are_those_of_the_definition(score):
    for name, samples in FEW.items():
        n = range(len(samples[0]))
        extras = [{}, {"groups": [t // 2 for t in n]}]
        if score in OF_COUNTS:
            extras.append({"weights": [1 + t % 3 / 2 for t in n]})
            extras.append({"weights": [1 + t % 5 / 7 for t in n], "groups": [t % 7 for t in n]})
        for extra in extras:
            difference, error, p_value = reference_compare.compare(*samples, score, **extra)
            given = {"sample_weight": extra.get("weights"), "groups": extra.get("groups")}
            made = compare(*samples, **options_of(score), **given)
            assert made.test == "exact"
            assert made.difference == pytest.approx(difference, abs=1e-10), (name, extra)
            assert made.standard_error == pytest.approx(error, abs=1e-10), (name, extra)
            assert made.p_value == pytest.approx(p_value, abs=1e-10), (name, extra)


def test_a_difference_that_no_swap_reaches_has_the_p_value_of_a_normal_one():
    references = np.arange(200) % 5
    a, b = np.where(np.arange(200) < 60, (references + 1) % 5, references), references
    made = compare(references, a, b, metric="accuracy")
    wanted = 2 * stats.norm.sf(made.difference / made.standard_error)
    assert 0 < wanted < 1e-9
    assert (made.test, made.p_value) == ("normal", pytest.approx(wanted, rel=1e-9))
    for level in (0.95, 0.999999):
        low, high = compare(
            references, a, b, metric="accuracy", confidence_level=level, n_resamples=500
        ).confidence_interval
        assert 0 < low < high
    # but not below the chance that all are swapped, or none
    right, weights = [0, 1] * 7, range(20, 34)
    made = compare(right, [1, 0] * 7, right, metric="accuracy", sample_weight=weights)
    assert (made.test, made.p_value) == ("normal", 2**-13)


def test_all_ways_to_swap_are_tried_if_there_are_no_more_than_random_ones():
    for differing, counts, n_ways in ((7, [1] * 14, 2**7), (1, [127] + [1] * 13, 128)):
        references = [0, 1] * 7
        b = [1 - label if n < differing else label for n, label in enumerate(references)]
        weights = range(1, 15)  # no two samples are alike
        for most in (n_ways, n_ways - 1):
            options = {"n_resamples": most, "counts": counts, "sample_weight": weights}
            made = compare(references, references, b, **options)
            assert (made.test == "exact") == (most == n_ways)


def test_random_swaps_of_counts_are_swaps_of_samples_by_scipy():
    """Of accuracy T grows with the difference, so that scipy's test of signs is the same."""
    references, a, b = map(np.array, random_samples(skill=(0.62, 0.68)))
    made = compare(references, a, b, metric="accuracy")
    moved = (b == references).astype(float) - (a == references)
    found = stats.permutation_test(
        (moved,), np.mean, permutation_type="samples", n_resamples=9999, rng=1
    )
    assert made.test == "permutation"
    assert made.p_value == pytest.approx(found.pvalue, abs=0.02)
    assert made.p_value * 10_000 == pytest.approx(round(made.p_value * 10_000), abs=1e-6)
    often = compare(*random_samples(skill=(0.65, 0.66)), metric="accuracy")  # of 2,000 swaps
    assert often.p_value * 2001 == pytest.approx(round(often.p_value * 2001), abs=1e-6)


def test_exact_p_values_of_accuracy_are_those_of_mc_nemar_even_where_references_are_all_alike():
    for gained, lost in [(6, 0), (9, 3), (4, 4), (0, 13), (20, 9), (1, 0)]:
        references = [0] * (gained + lost + 30)
        a = [1] * gained + [0] * lost + [0] * 20 + [1] * 10
        b = [0] * gained + [1] * lost + [0] * 20 + [1] * 10
        made = compare(references, a, b, metric="accuracy")
        wanted = stats.binomtest(gained, gained + lost).pvalue
        assert made.p_value == pytest.approx(wanted, abs=1e-12)
        assert (made.test, made.gained, made.lost) == ("exact", gained, lost)


@every_score
def test_equal_models_have_a_p_value_of_1_no_difference_and_an_interval_of_some_width(score):
    for references, a, _ in (random_samples(), [[0] * 20 + [1] * 10] * 3):
        made = compare(references, a, a, **options_of(score), **FAST)
        assert (made.difference, made.p_value, made.test) == (0, 1, "exact")
        assert (made.gained, made.lost, made.n_different) == (0, 0, 0)
        assert made.standard_error > 0.001
        low, high = made.confidence_interval
        assert low < 0 < high
        assert str(made).startswith("No difference is shown: +0.000 (")


def test_a_and_b_exchanged_mirror_the_comparison():
    references, a, b = map(np.array, random_samples(3, 100))
    a[::9] = 3  # a class that only answers have
    rng = np.random.default_rng(3)
    weights, groups = rng.random(100), rng.integers(0, 8, 100)
    cases = [
        (score, {**options_of(score), **extra})
        for score in SCORES
        for extra in (
            {},
            {"sample_weight": weights, "groups": groups},
            {"sample_weight": weights, "counts": rng.integers(0, 5, 100) + 1},
            {"groups": groups, "labels": range(3), "unknown": "wrong"},
        )
    ]
    cases.append((None, {"prior": {0: 0.5, 1: 0.2, 2: 0.3}, "sample_weight": weights}))
    for score, options in cases:
        made = compare(references, a, b, **options, **FAST)
        turned = compare(references, b, a, **options, **FAST)
        low, high = turned.confidence_interval
        near = pytest.approx((-high, -low), rel=0, abs=1e-12)
        assert made.confidence_interval == near, (score, options)
        assert (turned.a, turned.b, turned.difference) == (made.b, made.a, -made.difference)
        numbers = turned.p_value, turned.standard_error
        assert numbers == pytest.approx((made.p_value, made.standard_error), abs=1e-12)
        assert (turned.gained, turned.lost) == (made.lost, made.gained)
        assert turned.signature == made.signature


# Weights, counts, groups, a prior


@every_score
def test_counts_are_as_many_samples_and_weights_alike_change_nothing(score):
    columns = np.array(random_samples())
    triples, counts = np.unique(columns, axis=1, return_counts=True)
    options = {**options_of(score), **FAST}
    plain = compare(*columns, **options)
    assert compare(*triples, counts=counts, **options) == plain
    alike = compare(*columns, sample_weight=[2.5] * 400, **options)
    for name in ("a", "b", "difference", "standard_error", "confidence_interval", "p_value"):
        assert getattr(alike, name) == pytest.approx(getattr(plain, name), rel=1e-9, abs=1e-12)


def test_rows_that_stand_for_nothing_are_not_there():
    references, a, b = random_samples()
    added = [[*side, 0, 7] for side in (references, a, b)]
    options = {"counts": [1] * 400 + [0, 3], "sample_weight": [1.0] * 401 + [0.0]}
    wanted = compare(references, a, b, sample_weight=[1.0] * 400, **FAST)
    assert compare(*added, **options, **FAST) == wanted


def test_a_class_that_swaps_take_from_a_model_is_gone_whatever_the_weights_round_to():
    """Multiples of 2^-20 add up exactly, and the weights next to them give the same."""
    rng = np.random.default_rng(19)
    k, n = int(rng.integers(2, 6)), int(rng.choice([12, 30, 60]))
    references = rng.integers(0, k, n)
    a, b = (np.where(rng.random(n) < x, references, rng.integers(0, k + 1, n)) for x in (0.5, 0.7))
    weights = rng.random(n) + 0.1
    options = {"metric": "markedness", "average": "macro", "n_resamples": 150}
    made, exact = (
        compare(references, a, b, sample_weight=x, **options)
        for x in (weights, np.round(weights * 2**20) / 2**20)
    )
    assert made.p_value == pytest.approx(exact.p_value, abs=1e-4)
    assert made.confidence_interval == pytest.approx(exact.confidence_interval, abs=1e-4)


def test_a_prior_reweights_both_models():
    samples = random_samples(skill=(0.5, 0.7))
    prior = {0: 0.6, 1: 0.3, 2: 0.1}
    made = compare(*samples, prior=prior)
    tables = [table_of_labels(samples[0], side) for side in samples[1:]]
    of_each = [table.estimate(prior=prior) for table in tables]
    assert (made.a, made.b) == tuple(x.value for x in of_each)
    # of one answer to all nothing varies; the made-up sample is one of millions
    alone = compare(samples[0], [0] * 400, samples[2], prior=prior, counts=[10**6] * 400, **FAST)
    assert 1000 * alone.standard_error == pytest.approx(of_each[1].standard_error, rel=1e-5)
    assert "|prior:reweight-" in made.signature
    with pytest.raises(ValueError, match="`prior` must be left out"):
        compare(*samples, prior=prior, metric="nit")


def test_nothing_is_shown_where_the_sign_is_that_of_the_bias():
    """NIT of B, who spreads more, is above A's, and below it where what chance brings is off."""
    rng = np.random.default_rng(2)
    references = rng.integers(0, 4, 40)
    a = np.where(rng.random(40) < 0.55, references, rng.integers(0, 2, 40))
    b = np.where(rng.random(40) < 0.4, references, rng.integers(0, 4, 40))
    made = compare(references, a, b, metric="nit", **FAST)
    assert made.difference > 0.009
    assert made.p_value == 1
    low, high = made.confidence_interval
    assert low == -high


# The interval


@every_score
def test_the_interval_has_0_just_where_the_p_value_is_not_below_the_rest_of_the_level(score):
    for name, samples in FEW.items():
        widths = []
        for level in (0.3, 0.6, 0.8, 0.9, 0.95):
            made = compare(*samples, **options_of(score), confidence_level=level, n_resamples=500)
            low, high = made.confidence_interval
            assert (low <= 0 <= high) == (not 1 - made.p_value > level), (name, level)
            widths.append(high - low)
        assert widths == sorted(widths), name
        assert widths[0] < widths[-1], name


def test_the_interval_is_as_many_errors_as_the_level_says():
    references = [0] * 60 + [1] * 60
    made = compare(references, [1] * 6 + references[6:], references, metric="accuracy")
    assert made.p_value == pytest.approx(2 / 2**6)
    reach = stats.norm.ppf(0.975) * made.standard_error
    assert made.confidence_interval == pytest.approx((0.05 - reach, 0.05 + reach), abs=1e-12)


def test_few_samples_few_groups_and_rare_classes_are_warned_of():
    labels = list(range(10))
    rare = ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    often_c = ["c"] * 20 + ["a"] * 20 + ["b"] * 40 + ["c"] * 2
    small = [0] * 951 + labels[1:8] * 7
    other = [n % 8 if n > 951 else label for n, label in enumerate(small)]
    for references, answers, options, text in (
        (labels * 3, [*labels[1:], 0] * 3, {}, "30 samples, fewer than the recommended 50"),
        (labels * 20, [*labels[1:], 0] * 20, {}, None),
        (labels * 20, labels * 20, {"groups": np.arange(200) % 19}, "19 groups, fewer than the"),
        (rare, ["b"] * 5 + rare[5:], {"metric": "nit"}, "2 references of the rarest class"),
        (rare, often_c, {}, "2 references of 'c', fewer than the recommended 5, although it gets"),
        (small, other, {"metric": "f1_macro"}, "7 references on average for all classes but the"),
        (small, other, {"metric": "accuracy"}, None),
    ):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = compare(references, references, answers, **options, **FAST)
        said = [str(one.message) for one in caught if one.category is IntervalWarning]
        assert len(said) == (text is not None), said
        assert text is None or text in said[0]
        low, high = made.confidence_interval
        assert low <= made.difference <= high
    with pytest.warns(UndefinedMetricWarning, match="`y_pred_b` is no class of `y_true`: 2"):
        compare([0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 1, 1], **FAST)


# Labels and sizes


def without_signature(made):
    return {**made.to_dict(), "signature": ""}


def test_ignored_samples_are_as_if_they_were_not_there():
    references, a, b = random_samples()
    references = [-100 if n % 5 == 0 else label for n, label in enumerate(references)]
    a[10] = b[20] = 77  # where the reference is ignored
    kept = [n for n, label in enumerate(references) if label != -100]
    made = compare(references, a, b, ignore_index=-100, **FAST)
    wanted = compare(*([side[n] for n in kept] for side in (references, a, b)), **FAST)
    assert without_signature(made) == without_signature(wanted)
    assert made.signature.replace("|ignore:-100", "") == wanted.signature


def test_unknown_answers_are_wrong_and_equal_to_each_other():
    references = list("aabbabba" * 3)
    a, b = list("ab?babb?" * 3), list("aa!aabba" * 3)
    as_third = [[{"?": "z", "!": "z"}.get(x, x) for x in side] for side in (references, a, b)]
    for score in SCORES:
        if score[0] != "f1_macro":  # whose mean would be over three classes
            options = {**options_of(score), **FAST}
            made = compare(references, a, b, labels=["a", "b"], unknown="wrong", **options)
            wanted = compare(*as_third, **options)
            assert without_signature(made) == without_signature(wanted), score
            assert made.n_different == 9
            assert "unknown:wrong" in made.signature


# Seed, options, refusals


def test_the_seed_decides_wholly_and_another_differs():
    samples = random_samples(skill=(0.62, 0.68))
    first, again, *others = (compare(*samples, seed=seed, **FAST) for seed in (0, 0, 1, 2, 3))
    assert first == again
    assert len({entry.confidence_interval for entry in (first, *others)}) > 1
    assert len({entry.p_value for entry in (first, *others)}) > 1


@pytest.mark.filterwarnings("error")
def test_bad_labels_and_options_are_refused_by_name_and_value():
    labels = [0, 1]
    for inputs, text in (
        ((labels, labels, [0]), "y_pred_b"),
        ((labels, [0, 0.7], labels), r"y_pred_a.*0\.7"),
        ((labels, labels, [0, None]), "y_pred_b.*None"),
        ((labels, ["a", "b"], labels), "y_pred_a.*strings"),
        (([], [], []), "at least one|must be a sample"),
        (([1, 1], labels, [1, 1]), "`y_true` must have at least two classes.*all are 1"),
    ):
        with pytest.raises(ValueError, match=f"(?s){text}"):
            compare(*inputs)
    for options, text in (
        ({"metric": "f1"}, "^`metric` must .*'f1'"),
        ({"average": None}, "^`average` must .*None"),
        ({"confidence_level": 95}, "^`confidence_level` must .*95"),
        ({"n_resamples": 10}, "^`n_resamples` must .*10"),
        ({"seed": -1}, "^`seed` must .*-1"),
        ({"seed": None}, "^`seed` must .*None"),
        ({"labels": [0, 1]}, "^`labels` must .*2"),
        ({"counts": [0.5] * 400}, "`counts` must hold whole numbers of samples, got .*0.5"),
        ({"sample_weight": [1e200] * 400}, "squared weights for a standard error"),
        ({"counts": [-1] * 400}, "`counts` must be finite and not negative, got -1"),
        ({"counts": [0] * 400}, "must be a sample to score"),
        ({"sample_weight": [1.0] * 3}, "`sample_weight` must hold a number for each row.*3"),
        ({"groups": ["a"] * 3}, "`groups` must name a group for each row, got 3 for 400"),
        ({"groups": ["a"] * 400}, "`groups` must name at least two"),
        ({"metric": "nit", "average": "macro"}, "`average` must be left out"),
    ):
        with pytest.raises(ValueError, match=f"(?s){text}"):
            compare(*random_samples(), **options)


# The sentence and the signature


def test_the_sentence_calls_a_model_better_where_p_is_below_1_minus_the_level():
    for p, level, shown, better in (
        (0.049, 0.95, "p = 0.049", True),
        (0.05, 0.95, "p = 0.050", False),
        (0.1, 0.9, "p = 0.100", False),
        (0.0009, 0.99, "p < 0.001", True),
        (0.001, 0.999, "p = 0.001", False),
    ):
        fields = dict.fromkeys(Comparison.__dataclass_fields__, 0.0)
        fields |= {"p_value": p, "confidence_level": level, "confidence_interval": (-0.25, 0.9998)}
        for difference, gained, verdict in (
            (0.125, 4, "B is better"),
            (-0.125, 2, "A is better"),
            (0.125, 1, "B scores higher, but is right less often"),
        ):
            fields |= {"difference": difference, "gained": gained, "lost": 2}
            verdict = verdict if better else "No difference is shown"
            wanted = f"{verdict}: {difference:+.3f} (-0.2500 to 0.9998), {shown}; {gained} sample"
            assert str(Comparison(**fields)).startswith(wanted)


def test_a_comparison_says_all_it_knows():
    made = compare(*random_samples(), metric="nit", seed=5, **FAST)
    plain = made.to_dict()
    assert set(plain) == {*Comparison.__dataclass_fields__, "summary"} - {"read"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    start = "nit|k:3|n:400|labels:observed|ci:permutation,0.95|resamples:100,seed:5|v:"
    assert made.signature.startswith(start)
    grouped = compare(*random_samples(), groups=np.arange(400) % 40, **FAST)
    assert "|groups:40," in grouped.signature
    made = compare(list("aaabbbc"), list("aabbbac"), list("abaabcc"), **FAST)
    assert (made.n_samples, made.gained, made.lost, made.n_different) == (7, 1, 2, 4)


def test_answers_that_are_spelt_differently_are_warned_of():
    references = ["true", "false"] * 40
    right = ["true", "false"] * 40
    for other in (["1", "0"] * 40, ["TRUE", "FALSE"] * 40, ["'true'", "'false'"] * 40):
        for pair, name in (((other, right), "y_pred_a"), ((right, other), "y_pred_b")):
            said = f"in 80 of 80 samples `{name}` is no class of `y_true`: .*, none in common"
            with pytest.warns(UndefinedMetricWarning, match=said):
                compare(references, *pair, **FAST)
        # which may be meant
        classes = sorted({*references, *other})
        assert compare(references, other, right, labels=classes, **FAST).difference == 1
        assert compare(references, other, right, metric="nit", **FAST).difference == 0
