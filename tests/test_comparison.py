"""Comparison of two models, against their definition and other tests."""

import json
import math
import warnings

import numpy as np
import pytest
from scipy import stats

import reference_compare
from dense import SCORES
from estimate_cases import every_score, options_of
from informedness import compare, estimate
from informedness.results.comparison import Comparison
from informedness.warnings import IntervalWarning, UndefinedMetricWarning
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

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


def numbers_of(made):
    return (made.difference, made.standard_error, made.p_value, *made.confidence_interval)


@pytest.mark.parametrize("score", SCORES, ids=str)
def test_the_numbers_are_those_of_the_definition(score):
    rng = np.random.default_rng(1)
    drawn = [[list(rng.integers(0, 4, 60)) for _ in range(3)] for _ in range(2)]
    for name, (references, a, b) in {
        **FEW,
        "at random": random_samples(),
        **dict(enumerate(drawn)),
    }.items():
        n, k = range(len(references)), 1 + max(*references, *a, *b)
        weights, groups = [1 + t % 5 / 7 for t in n], [t % 6 for t in n]
        extras = [
            {},
            {"weights": weights},
            {"groups": groups},
            {"weights": weights, "groups": groups},
        ]
        if score[0] == "informedness" and len(set(references)) == k:
            extras.append(
                {"prior": [(1 + i) * 2 / k / (k + 1) for i in range(k)], "weights": weights}
            )
        for extra in extras:
            wanted = reference_compare.compare(references, a, b, score, k, **extra)
            given = {"sample_weight": extra.get("weights"), "groups": extra.get("groups")}
            if "prior" in extra:
                given["prior"] = dict(enumerate(extra["prior"]))
            made = compare(references, a, b, labels=range(k), **options_of(score), **given)
            found = (made.difference, made.standard_error, made.p_value, made.confidence_interval)
            assert np.hstack(found) == pytest.approx(np.hstack(wanted), abs=1e-11), (name, extra)
            assert made.test == ("t" if "groups" in extra else "z")


def of_gains(gained, lost, size):
    """Return references, A's answers and B's, where B gains and loses so many of these samples."""
    references = np.arange(size) % 2
    a, b = references.copy(), references.copy()
    a[:gained] ^= 1
    b[gained : gained + lost] ^= 1
    return references, a, b


def test_accuracy_is_compared_by_mc_nemar_with_one_sample_more():
    for gained, lost, size in (
        (21, 3, 50),
        (150, 50, 200),
        (9, 3, 30),
        (20, 9, 1000),
        (40, 40, 80),
    ):
        made = compare(*of_gains(gained, lost, size), metric="accuracy")
        assert (made.gained, made.lost, made.test) == (gained, lost, "z")
        # the squares of the samples about 0 are gained + lost, and about their mean less by this
        squares = (size * made.standard_error) ** 2 + (gained - lost) ** 2 / size
        assert squares == pytest.approx(gained + lost + 1, rel=1e-12)
        z = (gained - lost) / math.sqrt(gained + lost + 1)
        assert made.p_value == pytest.approx(2 * stats.norm.sf(z), rel=1e-12)
        exact = stats.binomtest(gained, gained + lost).pvalue
        assert exact / 2 < made.p_value < 2.2 * exact, (gained, lost)


def test_no_p_value_is_below_that_of_all_samples_in_favour_of_one_model():
    for gained in range(1, 9):
        made = compare(*of_gains(gained, 0, 40), metric="accuracy")
        exact = stats.binomtest(gained, gained).pvalue
        assert made.p_value == pytest.approx(max(exact, made.p_value), rel=1e-12)
        assert made.p_value < 1.2 * exact
        assert (made.confidence_interval[0] <= 0) == (gained < 6)
    # and none is 0
    references = np.arange(10_000) % 2
    assert 0 < compare(references, 1 - references, references).p_value < 1e-300


def test_groups_are_compared_about_as_by_flipping_the_sign_of_each():
    """All 2^20 ways to flip the sums of 20 groups; of accuracy these are gained less lost."""
    rng = np.random.default_rng(3)
    groups, references = np.repeat(range(20), 20), np.zeros(400, dtype=int)
    skill = np.repeat(rng.uniform(0.5, 0.9, 20), 20)
    a, b = ((rng.random(400) > skill + more).astype(int) for more in (0, 0.13))
    made = compare(references, a, b, metric="accuracy", groups=groups)
    sums = np.bincount(groups, a - b.astype(float))
    flipped = np.zeros(1)
    for x in sums:
        flipped = np.append(flipped + x, flipped - x)
    exact = (np.abs(flipped) >= abs(sums.sum()) - 1e-9).mean()
    assert exact < 0.005
    assert exact / 3 < made.p_value < 3 * exact
    centred = sums - sums.mean()
    error = math.sqrt(20 / 19 * (centred**2).sum() + 1) / 400
    wanted = 2 * stats.t.sf(made.difference / error, 19)
    assert (made.test, made.p_value) == ("t", pytest.approx(wanted, rel=1e-12))


def test_fewer_than_five_groups_have_no_p_value():
    references, a, b = random_samples()
    for n, is_tested in ((5, True), (4, False), (2, False)):
        why = f"{n} groups, fewer than the recommended 10"
        why = why if is_tested else f"there is no interval of the difference of informedness: {why}"
        with pytest.warns(IntervalWarning, match=why):
            made = compare(references, a, b, groups=np.arange(400) % n)
        plain = made.to_dict()
        assert (plain["p_value"] is None) != is_tested
        assert (plain["confidence_interval"] == [None, None]) != is_tested
        said = (
            "Too few groups: +0.129 (no interval), not tested; B is right on 89 samples that A "
            "gets wrong, and wrong on 52 that A gets right"
        )
        assert (str(made) == said) != is_tested
        assert ("(no test)" in str(made.text_tables())) != is_tested
        assert made.standard_error > 0


@every_score
def test_equal_models_have_a_p_value_of_1_no_difference_and_an_interval_of_some_width(score):
    for references, a, _ in (random_samples(), [[0] * 20 + [1] * 10] * 3):
        made = compare(references, a, a, **options_of(score))
        assert (made.difference, made.p_value, made.test) == (0, 1, "z")
        assert (made.gained, made.lost, made.n_different) == (0, 0, 0)
        assert made.standard_error > 0.001
        low, high = made.confidence_interval
        assert low < 0 < high
        assert str(made).startswith("No significant difference: +0.000 (95% interval ")


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
        made = compare(references, a, b, **options)
        turned = compare(references, b, a, **options)
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
    options = options_of(score)
    plain = compare(*columns, **options)
    assert compare(*triples, counts=counts, **options) == plain
    alike = compare(*columns, sample_weight=[2.5] * 400, **options)
    for name in ("a", "b", "difference", "standard_error", "confidence_interval", "p_value"):
        assert getattr(alike, name) == pytest.approx(getattr(plain, name), rel=1e-9, abs=1e-12)


def test_rows_that_stand_for_nothing_are_not_there():
    references, a, b = random_samples()
    added = [[*side, 0, 7] for side in (references, a, b)]
    options = {"counts": [1] * 400 + [0, 3], "sample_weight": [1.0] * 401 + [0.0]}
    wanted = compare(references, a, b, sample_weight=[1.0] * 400)
    assert compare(*added, **options) == wanted


def test_a_prior_reweights_both_models():
    samples = random_samples(skill=(0.5, 0.7))
    prior = {0: 0.6, 1: 0.3, 2: 0.1}
    made = compare(*samples, prior=prior)
    tables = [table_of_labels(samples[0], side) for side in samples[1:]]
    of_each = [estimate(table, prior=prior) for table in tables]
    assert (made.a, made.b) == tuple(x.value for x in of_each)
    # of one answer to all nothing varies; the made-up sample is one of millions
    alone = compare(samples[0], [0] * 400, samples[2], prior=prior, counts=[10**6] * 400)
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
    made = compare(references, a, b, metric="nit")
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
            made = compare(*samples, **options_of(score), confidence_level=level)
            low, high = made.confidence_interval
            assert (low <= 0 <= high) == (not 1 - made.p_value > level), (name, level)
            widths.append(high - low)
        assert widths == sorted(widths), name
        assert widths[0] < widths[-1], name


def test_the_interval_is_as_many_errors_as_the_level_says():
    references = [0] * 60 + [1] * 60
    made = compare(references, [1] * 6 + references[6:], references, metric="accuracy")
    assert made.p_value == pytest.approx(2 / 2**6)
    z = stats.norm.ppf(0.975)
    reach = z / math.sqrt(1 - z**2 / 120) * made.standard_error
    assert made.confidence_interval == pytest.approx((0.05 - reach, 0.05 + reach), abs=1e-12)
    groups = np.arange(120) % 20
    made = compare(
        references, [1] * 6 + references[6:], references, metric="accuracy", groups=groups
    )
    reach = stats.t.ppf(0.975, 19) * made.standard_error
    assert made.confidence_interval == pytest.approx((0.05 - reach, 0.05 + reach), abs=1e-12)
    # of so few samples nothing is excluded
    assert compare([0, 1, 0], [0, 0, 1], [0, 1, 0]).confidence_interval == (-2, 2)


def test_few_samples_few_groups_and_rare_classes_are_warned_of():
    labels = list(range(10))
    rare = ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    small = [0] * 976 + labels[1:8] * 4
    other = [n % 8 if n > 976 else label for n, label in enumerate(small)]
    large = [0] * 970 + [1] * 30
    errors_in_one_class = large, large, [1] * 200 + large[200:]
    copies, nineteen = np.tile(labels, 20), np.arange(200) % 19
    for (references, *sides), options, text in (
        ((labels * 3, labels * 3, [*labels[1:], 0] * 3), {}, "3 references of the rarest"),
        ((labels[:3] * 10, labels[:3] * 10, [1, 2, 0] * 10), {}, None),
        ((copies, copies, [*labels[1:], 0] * 20), {}, None),
        ((copies, copies, copies), {"groups": np.arange(200) % 9}, "9 groups, fewer than the"),
        ((copies, copies, copies), {"groups": np.arange(200) % 10}, None),
        ((copies, copies, copies), {"groups": nineteen, "metric": "ema"}, "19 groups, fewer"),
        ((copies, copies, copies), {"groups": nineteen}, None),
        ((rare, rare, ["b"] * 5 + rare[5:]), {"metric": "nit"}, "2 references of the rarest class"),
        ((small, small, other), {}, "4 references on average for all"),
        ((small, small, other), {"metric": "accuracy"}, None),
        ((errors_in_one_class), {}, "few samples decide it, one more could raise SE^2 by"),
        ((errors_in_one_class), {"confidence_level": 0.999999999}, None),
        # the gradient of a constant model has a large constant, which changes nothing
        ((large, [0] * 1000, [1] * 100 + [0] * 900), {}, "few samples decide it, one more could"),
    ):  # fmt: skip
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            made = compare(references, *sides, **options)
        said = [str(one.message) for one in caught if one.category is IntervalWarning]
        assert len(said) == (text is not None), (said, made)
        assert text is None or text in said[0]
        low, high = made.confidence_interval
        assert low <= made.difference <= high
    with pytest.warns(UndefinedMetricWarning, match="`y_pred_b` is no class of `y_true`: 2"):
        compare([0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 1, 1])


# Labels and sizes


def without_signature(made):
    return {**made.to_dict(), "signature": ""}


def test_ignored_samples_are_as_if_they_were_not_there():
    references, a, b = random_samples()
    references = [-100 if n % 5 == 0 else label for n, label in enumerate(references)]
    a[10] = b[20] = 77  # where the reference is ignored
    kept = [n for n, label in enumerate(references) if label != -100]
    made = compare(references, a, b, ignore_index=-100)
    wanted = compare(*([side[n] for n in kept] for side in (references, a, b)))
    assert without_signature(made) == without_signature(wanted)
    assert made.signature.replace("|ignore:-100", "") == wanted.signature


def test_unknown_answers_are_wrong_and_equal_to_each_other():
    references = list("aabbabba" * 3)
    a, b = list("ab?babb?" * 3), list("aa!aabba" * 3)
    as_third = [[{"?": "z", "!": "z"}.get(x, x) for x in side] for side in (references, a, b)]
    for score in SCORES:
        if score[0] != "f1_macro":  # whose mean would be over three classes
            options = options_of(score)
            made = compare(references, a, b, labels=["a", "b"], unknown="wrong", **options)
            wanted = compare(*as_third, **options)
            assert without_signature(made) == without_signature(wanted), score
            assert made.n_different == 9
            assert "unknown:wrong" in made.signature


# Options, refusals


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
            verdict = verdict if better else "No significant difference"
            interval = f"({100 * level:.6g}% interval -0.2500 to 0.9998)"
            wanted = f"{verdict}: {difference:+.3f} {interval}, {shown}; B is right on {gained} sam"
            assert str(Comparison(**fields)).startswith(wanted)


def test_a_comparison_says_all_it_knows():
    made = compare(*random_samples(), metric="nit")
    plain = made.to_dict()
    assert set(plain) == {*Comparison.__dataclass_fields__, "summary"} - {"read"}
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert made.summary == plain["summary"] == str(made)
    start = "nit|k:3|n:400|labels:observed|ci:0.95|v:"
    assert made.signature.startswith(start)
    grouped = compare(*random_samples(), groups=np.arange(400) % 40)
    assert "|groups:40|" in grouped.signature
    made = compare(list("aaabbbc"), list("aabbbac"), list("abaabcc"))
    assert (made.n_samples, made.gained, made.lost, made.n_different) == (7, 1, 2, 4)


def test_answers_that_are_spelt_differently_are_warned_of():
    references = ["true", "false"] * 40
    right = ["true", "false"] * 40
    for other in (["1", "0"] * 40, ["TRUE", "FALSE"] * 40, ["'true'", "'false'"] * 40):
        for pair, name in (((other, right), "y_pred_a"), ((right, other), "y_pred_b")):
            said = f"in 80 of 80 samples `{name}` is no class of `y_true`: .*, none in common"
            with pytest.warns(UndefinedMetricWarning, match=said):
                compare(references, *pair)
        # which may be meant
        classes = sorted({*references, *other})
        assert compare(references, other, right, labels=classes).difference == 1
        assert compare(references, other, right, metric="nit").difference == 0
