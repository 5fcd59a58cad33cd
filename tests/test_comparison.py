"""Comparison of two models, against swapping samples one by one and other ways to its numbers."""

import itertools
import json
import math
import warnings

import numpy as np
import pytest
from scipy import stats

import by_table
import dense
from dense import SCORES
from estimate_cases import different_numbers_of_one_signature, every_score, options_of, to_9_digits
from informedness import SCORES as METRICS
from informedness import (
    Comparison,
    ContingencyTable,
    IntervalWarning,
    UndefinedMetricWarning,
    compare,
    estimate,
    estimate_from_labels,
)

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
    "one model constant": ([0, 0, 1, 1, 0, 1, 1], [0] * 7, [0, 0, 1, 1, 1, 0, 1]),
}


def random_samples(seed=0, size=400, k=3, skill=(0.6, 0.7)):
    rng = np.random.default_rng(seed)
    references = rng.choice(k, size, p=np.arange(1, k + 1) / (k * (k + 1) / 2))
    answers = [np.where(rng.random(size) < x, references, rng.integers(0, k, size)) for x in skill]
    return references.tolist(), answers[0].tolist(), answers[1].tolist()


def cells_of(references, answers, k=3):
    cells = [[0] * k for _ in range(k)]
    for i, j in zip(references, answers, strict=True):
        cells[i][j] += 1
    return cells


def difference(references, a, b, score):
    one, other = (dense.score(cells_of(references, side), *score) for side in (a, b))
    return float(other - one)


def studentised(references, a, b, score):
    """Return T of samples, each in turn: slopes by cells, a pseudo-observation in the error.

    Of scores of entropies the difference is jackknifed, and its error takes in what that changes
    and what chance could bring.
    """
    k, n, entropic = 1 + max(references), len(references), score[0] in ("nit", "ema")
    tables = [cells_of(references, side, k) for side in (a, b)]
    values = [float(dense.score(cells, *score)) for cells in tables]
    classes = sorted(set(references))
    pooled = [(a.count(j) + b.count(j)) / (2 * n) for j in range(k)]
    v = [(1 / k + share) / 2 for share in pooled]

    def slope(cells, value, i, j):
        r, c = sum(cells[i]), sum(row[j] for row in cells)
        if entropic:
            count, column = max(cells[i][j], 1), max(c, 1)
            inside = count * n / (r * column) if score[0] == "nit" else count / column
            return value * math.log(inside) / n
        step = 1e-5
        moved = [[float(x) for x in row] for row in cells]
        ends = []
        for by in (step, -step):
            moved[i][j] = cells[i][j] + by
            ends.append(float(dense.score(moved, *score)))
        return (ends[0] - ends[1]) / (2 * step)

    slopes = [
        [[slope(cells, value, i, j) if i in classes else 0.0 for j in range(k)] for i in range(k)]
        for cells, value in zip(tables, values, strict=True)
    ]
    d = [slopes[1][r][y] - slopes[0][r][x] for r, x, y in zip(references, a, b, strict=True)]
    mean = sum(d) / n
    variance = sum((x - mean) ** 2 for x in d)
    variance += sum(
        v[x] * v[y] * (slopes[1][i][y] - slopes[0][i][x] - mean) ** 2 / len(classes)
        for i in classes
        for x in range(k)
        for y in range(k)
    ) / (1 - sum(x * x for x in v))
    difference = values[1] - values[0]
    if entropic:
        better, chances = [], []
        entropy = -sum(references.count(i) / n * math.log(references.count(i) / n) for i in classes)
        scale, least = (1 / len(classes), 0) if score[0] == "nit" else (1, -entropy)
        for side, value in zip((a, b), values, strict=True):
            logarithm, without = math.log(value / scale), 0.0
            for left_out in range(n):
                kept = [x for x in range(n) if x != left_out]
                cells = cells_of([references[x] for x in kept], [side[x] for x in kept], k)
                without += math.log(float(dense.score(cells, *score)) / scale) / n
            jackknifed = n * logarithm - (n - 1) * without
            better.append(scale * math.exp(max(jackknifed, least)))
            most = (len(classes) - 1) / 2
            brought = sum(min(most, side.count(j) * entropy) for j in range(k))
            chances.append(value * brought / n)
        unbiased = better[1] - better[0]
        variance += (unbiased - difference) ** 2 + (chances[1] - chances[0]) ** 2
        difference = unbiased if unbiased * difference > 0 else 0.0
    return 0.0 if abs(difference) < 1e-11 else difference / math.sqrt(variance)


def swapped_one_by_one(references, a, b):
    """Yield both models' answers after each way to swap the two answers within samples."""
    different = [n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    for swaps in itertools.product((False, True), repeat=len(different)):
        mine, theirs = list(a), list(b)
        for sample in itertools.compress(different, swaps):
            mine[sample], theirs[sample] = theirs[sample], mine[sample]
        yield mine, theirs


@every_score
def test_exact_p_values_are_shares_of_all_swaps_of_samples(score):
    for name in ("two classes", "three classes"):
        references, a, b = FEW[name]
        made = compare(references, a, b, **options_of(score))
        observed = studentised(references, a, b, score)
        swapped = [studentised(references, *pair, score) for pair in swapped_one_by_one(*FEW[name])]
        at_least = np.mean(np.abs(swapped) >= abs(observed) - 1e-7)
        assert made.test == "exact"
        assert made.difference == pytest.approx(difference(references, a, b, score), abs=1e-12)
        if score[0] not in ("nit", "ema"):
            assert made.difference / made.standard_error == pytest.approx(observed, abs=1e-6)
        wanted = max(at_least, 2 * stats.norm.sf(abs(observed)))
        assert made.p_value == pytest.approx(wanted, abs=1e-7), name


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
def test_the_scores_are_those_of_the_functions(score):
    metric, average = score
    of_average = {"average": average} if average else {}
    for name, (references, *answers) in FEW.items():
        made = compare(references, *answers, **options_of(score), **FAST)
        a, b = (
            getattr(by_table, metric)(ContingencyTable.from_labels(references, side), **of_average)
            for side in answers
        )
        assert (made.a, made.b, made.difference) == (a, b, b - a), name
        low, high = made.confidence_interval
        assert -2 <= low <= made.difference <= high <= 2
        assert made.standard_error > 0
        json.dumps(made.to_dict(), allow_nan=False)


def test_samples_are_counted_as_by_hand():
    made = compare(list("aaabbbc"), list("aabbbac"), list("abaabcc"), **FAST)
    assert (made.n_samples, made.gained, made.lost, made.n_different) == (7, 1, 2, 4)


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


EXTRAS = {
    "samples": {},
    "weights": {"sample_weight": np.random.default_rng(1).random(400)},
    "groups": {"groups": np.random.default_rng(2).integers(0, 50, 400)},
    "both": {
        "groups": np.random.default_rng(2).integers(0, 50, 400),
        "sample_weight": np.random.default_rng(1).integers(1, 4, 400),
    },
}


@pytest.mark.digits
@every_score
def test_exchanging_the_models_turns_the_sign_to_the_last_digit(score):
    cases = {name: (samples, {}) for name, samples in FEW.items()}
    cases |= {name: (random_samples(), {**extra, **FAST}) for name, extra in EXTRAS.items()}
    for name, ((references, a, b), options) in cases.items():
        made, turned = (
            compare(references, *pair, **options_of(score), **options) for pair in ((a, b), (b, a))
        )
        low, high = made.confidence_interval
        assert (turned.a, turned.b, turned.difference) == (made.b, made.a, -made.difference), name
        assert turned.confidence_interval == (-high, -low), name
        assert (turned.p_value, turned.standard_error) == (made.p_value, made.standard_error), name
        assert (turned.gained, turned.lost) == (made.lost, made.gained)
        assert turned.n_different == made.n_different


# Weights, counts, groups, a prior


@every_score
def test_counts_are_as_many_samples(score):
    columns = np.array(random_samples())
    triples, counts = np.unique(columns, axis=1, return_counts=True)
    made = compare(*triples, counts=counts, **options_of(score), **FAST)
    assert made == compare(*columns, **options_of(score), **FAST)


def test_rows_that_stand_for_nothing_are_not_there():
    references, a, b = random_samples()
    added = [[*side, 0, 7] for side in (references, a, b)]
    options = {"counts": [1] * 400 + [0, 3], "sample_weight": [1.0] * 401 + [0.0]}
    wanted = compare(references, a, b, sample_weight=[1.0] * 400, **FAST)
    assert compare(*added, **options, **FAST) == wanted


@every_score
def test_weights_alike_change_nothing_and_groups_of_one_next_to_nothing(score):
    samples, options = random_samples(), {**options_of(score), **FAST}
    plain = compare(*samples, **options)
    alike = compare(*samples, sample_weight=[2.5] * 400, **options)
    for name in ("a", "b", "difference", "standard_error", "confidence_interval", "p_value"):
        assert getattr(alike, name) == pytest.approx(getattr(plain, name), rel=1e-9, abs=1e-12)
    assert (alike.gained, alike.lost, alike.n_different) == (
        plain.gained, plain.lost, plain.n_different)  # fmt: skip
    alone = compare(*samples, groups=range(400), **options)
    assert (alone.n_groups, plain.n_groups) == (400, None)
    assert alone.standard_error == pytest.approx(plain.standard_error, rel=2e-3)
    assert alone.p_value == pytest.approx(plain.p_value, abs=0.15)


def test_a_weight_is_a_group_of_samples_alike():
    """So the error is that of groups, but for the factor of C / (C - 1)."""
    references, a, b = (np.array(side) for side in random_samples(size=300))
    times = np.random.default_rng(0).integers(1, 5, 300)
    repeated = [np.repeat(side, times) for side in (references, a, b)]
    for metric in ("accuracy", "informedness", "nit"):
        weighted = compare(references, a, b, sample_weight=times, metric=metric, **FAST)
        grouped = compare(*repeated, groups=np.repeat(range(300), times), metric=metric, **FAST)
        assert grouped.difference == pytest.approx(weighted.difference, abs=1e-12)
        assert grouped.standard_error == pytest.approx(weighted.standard_error, rel=3e-3)
        plain = compare(*repeated, metric=metric, **FAST)
        assert plain.standard_error < 0.8 * grouped.standard_error


def test_groups_are_swapped_as_a_whole():
    """Of accuracy: the signs of sums by group, all of them, over an error of these sums."""
    sums = np.array([4, 3, 3, 2, -1, 1, 2, 1])
    references, a, b, groups = [], [], [], []
    for group, moved in enumerate(sums):
        right, wrong = [0] * 6, [1] * abs(moved) + [0] * (6 - abs(moved))
        references += right
        a += wrong if moved > 0 else right
        b += right if moved > 0 else wrong
        groups += [f"document {group}"] * 6
    made = compare(references, a, b, groups=groups, metric="accuracy")
    signs = np.array(list(itertools.product((-1, 1), repeat=8))) * np.abs(sums)
    p = np.mean(abs(signs.sum(axis=1)) >= sums.sum())
    right = (np.array(a + b) == 0).mean()
    v = np.array([0.5 + right, 0.5 + 1 - right]) / 2
    mean = made.difference
    one = v[0] * v[1] * ((1 - mean) ** 2 + (1 + mean) ** 2) + (v @ v) * mean**2
    variance = 8 / 7 * ((sums - 6 * mean) ** 2).sum() + 36 * one / (1 - v @ v)
    assert made.test == "exact"
    assert made.standard_error == pytest.approx(math.sqrt(variance) / 48, rel=1e-9)
    assert made.p_value >= p
    assert made.p_value == pytest.approx(
        max(p, 2 * stats.norm.sf(made.difference / made.standard_error)), abs=1e-12
    )


def test_a_prior_reweights_both_models():
    samples = random_samples(skill=(0.5, 0.7))
    prior = {0: 0.6, 1: 0.3, 2: 0.1}
    made = compare(*samples, prior=prior)
    tables = [ContingencyTable.from_labels(samples[0], side) for side in samples[1:]]
    of_each = [estimate(table, prior=prior) for table in tables]
    assert (made.a, made.b) == tuple(x.value for x in of_each)
    errors = [x.standard_error for x in of_each]
    assert made.standard_error == pytest.approx(math.hypot(*errors), rel=0.1)
    assert "|prior:reweight-" in made.signature
    with pytest.raises(ValueError, match="`prior` must be left out"):
        compare(*samples, prior=prior, metric="nit")


def test_the_order_of_samples_and_groups_changes_nothing():
    samples, groups = random_samples(), [f"g{x % 37}" for x in range(400)]
    order = np.random.default_rng(0).permutation(400)
    moved = [[side[x] for x in order] for side in (*samples, groups)]
    made = compare(*samples, groups=groups, **FAST)
    assert compare(*moved[:3], groups=moved[3], **FAST) == made


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


def test_the_interval_is_as_many_errors_as_the_test_allows():
    """Six samples of six gained are not enough at this level: five are 1.6 errors, six are 2.4."""
    references = [0] * 60 + [1] * 60
    a = [1] * 6 + [0] * 54 + [1] * 60
    made = compare(references, a, references, metric="accuracy")
    assert made.p_value == pytest.approx(2 / 2**6)
    reach = stats.norm.ppf(0.975) * made.standard_error
    assert made.confidence_interval == pytest.approx((0.05 - reach, 0.05 + reach), abs=1e-12)
    made = compare(references, a, references, metric="accuracy", confidence_level=0.975)
    assert made.confidence_interval == pytest.approx((0, 0.1), abs=1e-12)


def test_an_interval_is_warned_of_by_the_rules_of_an_estimate():
    labels = list(range(10))
    for n, groups, text in (
        (30, None, "30 samples, where 50 are wanted"),
        (200, None, None),
        (200, np.arange(200) % 19, "19 groups, where 20 are wanted"),
    ):
        references, answers = labels * (n // 10), [*labels[1:], 0] * (n // 10)
        said = []
        for run in (
            lambda x=references, y=answers, of=groups: compare(x, x, y, groups=of, **FAST),
            lambda x=references, of=groups: estimate_from_labels(x, x, groups=of),
        ):
            with warnings.catch_warnings(record=True) as caught:
                warnings.simplefilter("always")
                run()
            said.append([str(x.message) for x in caught])
        assert [x.replace("the difference of ", "") for x in said[0]] == said[1]
        assert len(said[1]) == (text is not None)
        assert text is None or text in said[1][0]


def test_models_have_an_interval_where_the_nit_of_each_has_none():
    references = ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    answers = ["b"] * 5 + references[5:]
    with pytest.warns(IntervalWarning, match="the difference of nit may cover .*: 2 references"):
        made = compare(references, references, answers, metric="nit", **FAST)
    low, high = made.confidence_interval
    assert low < made.difference < high
    with pytest.warns(IntervalWarning, match="there is no interval of nit: 2 references"):
        estimate(ContingencyTable.from_labels(references, answers), "nit")


# Labels and sizes


def test_labels_of_any_type_in_any_container_give_the_same():
    samples = random_samples()
    wanted = compare(*samples, **FAST)
    for names in (
        ["a", "b", "c"],
        [b"a", b"b\xff", b"c"],
        [-(2**63), 0, 5],
        [0, 2**63, 2**64 - 1],
        ["001", "1", "1.0"],
    ):
        renamed = [[names[label] for label in side] for side in samples]
        assert compare(*renamed, **FAST).to_dict() == wanted.to_dict(), names
    for box in (tuple, np.array, lambda x: np.array(x, dtype=np.uint64)):
        assert compare(*map(box, samples), **FAST) == wanted


@every_score
def test_ignored_samples_are_as_if_they_were_not_there(score):
    references, a, b = random_samples()
    references = [-100 if n % 5 == 0 else label for n, label in enumerate(references)]
    a[10] = b[20] = 77  # where the reference is ignored
    kept = [n for n, label in enumerate(references) if label != -100]
    made = compare(references, a, b, ignore_index=-100, **options_of(score), **FAST)
    wanted = compare(*([side[n] for n in kept] for side in (references, a, b)),
                     **options_of(score), **FAST)  # fmt: skip
    fields = [{**x.to_dict(), "signature": ""} for x in (made, wanted)]
    assert fields[0] == fields[1]
    assert "|ignore:-100|" in made.signature
    assert made.signature.replace("|ignore:-100", "") == wanted.signature


@pytest.mark.parametrize("score", [of for of in SCORES if of[0] != "f1_macro"], ids=str)
def test_unknown_answers_are_wrong_and_equal_to_each_other(score):
    references = list("aabbabba" * 3)
    a, b = list("ab?babb?" * 3), list("aa!aabba" * 3)
    options = {**options_of(score), **FAST}
    made = compare(references, a, b, labels=["a", "b"], unknown="wrong", **options)
    as_third = [[{"?": "z", "!": "z"}.get(x, x) for x in side] for side in (references, a, b)]
    wanted = compare(*as_third, **options)
    fields = [{**x.to_dict(), "signature": ""} for x in (made, wanted)]
    assert fields[0] == fields[1]
    assert made.n_different == 9
    assert "unknown:wrong" in made.signature


def test_declared_classes_count_in_nit_alone():
    samples = random_samples()
    for metric in METRICS:
        made = compare(*samples, metric=metric, labels=[3, 2, 1, 0], **FAST)
        seen = compare(*samples, metric=metric, **FAST)
        scale = 3 / 4 if metric == "nit" else 1
        assert (made.a, made.b) == pytest.approx((seen.a * scale, seen.b * scale), abs=1e-12)
        assert made.p_value == pytest.approx(seen.p_value, abs=0.15)
        assert made.standard_error == pytest.approx(seen.standard_error * scale, rel=0.3)


def test_a_million_samples_cost_what_a_thousand_do():
    samples = random_samples(size=1000)
    made = compare(*(side * 1000 for side in samples), n_resamples=500)
    few = compare(*samples, n_resamples=500)
    assert (made.a, made.b) == pytest.approx((few.a, few.b), abs=1e-12)
    assert (made.n_samples, made.gained, made.lost) == (
        1000 * few.n_samples, 1000 * few.gained, 1000 * few.lost)  # fmt: skip
    assert made.standard_error * math.sqrt(1000) == pytest.approx(few.standard_error, rel=0.15)
    assert (made.test, made.p_value) == ("permutation", 1 / 501)  # the smallest there is


def test_swaps_of_one_kind_are_a_binomial_however_many():
    """A thousand samples that differ alike are 1001 ways, not 2^1000."""
    references = [0] * 1000 + [1] * 500
    a = [0] * 1500
    b = [0] * 970 + [1] * 30 + [0] * 500
    made = compare(references, a, b, metric="accuracy")
    assert made.test == "exact"
    normal = 2 * stats.norm.sf(made.difference / made.standard_error * -1)
    assert normal > 2 * 0.5**30
    assert made.p_value == pytest.approx(normal, rel=1e-9)


def test_many_classes_and_many_kinds_of_difference_take_no_time():
    rng = np.random.default_rng(0)
    references, a, b = rng.integers(0, 1000, (3, 20_000))
    made = compare(references, a, b, metric="accuracy", **FAST)
    assert made.test == "permutation"
    assert made.n_different == (a != b).sum()


# Seed, options, refusals


def test_the_seed_decides_wholly_and_another_differs():
    samples = random_samples(skill=(0.62, 0.68))
    first, again, *others = (compare(*samples, seed=seed, **FAST) for seed in (0, 0, 1, 2, 3))
    assert first == again
    assert len({entry.confidence_interval for entry in (first, *others)}) > 1
    assert len({entry.p_value for entry in (first, *others)}) > 1


def test_bad_labels_are_refused_by_the_name_of_the_argument():
    for inputs, text in (
        (([0, 1], [0, 1], [0]), "predictions_b"),
        (([0, 1], [0], [0, 1]), "predictions_a"),
        (([0, 1], [0, 0.7], [0, 1]), r"predictions_a.*0\.7"),
        (([0, 1], [0, 1], [0, 0.7]), r"predictions_b.*0\.7"),
        (([0, 1], [0, 1], [0, None]), "predictions_b.*None"),
        (([0, 1], ["a", "b"], [0, 1]), "predictions_a.*strings"),
        (([0, 1], [0, 1], ["a", "b"]), "predictions_b.*strings"),
        (([0, None], [0, 1], [0, 1]), "references.*None"),
        (([], [], []), "at least one|must be a sample"),
        (([1, 1], [0, 1], [1, 1]), "`references` must have at least two classes.*all are 1"),
    ):
        with pytest.raises(ValueError, match=f"(?s){text}"):
            compare(*inputs)


def test_bad_options_are_refused_by_name_and_value():
    without_average = [x for x in METRICS if x not in ("informedness", "markedness")]
    for options, text in (
        ({"metric": "f1"}, "^`metric` must .*'f1'"),
        ({"average": "micro"}, "^`average` must .*'micro'"),
        ({"average": None}, "^`average` must .*None"),
        ({"confidence_level": 95}, "^`confidence_level` must .*95"),
        ({"confidence_level": math.nan}, "^`confidence_level` must .*nan"),
        ({"n_resamples": 10}, "^`n_resamples` must .*10"),
        ({"n_resamples": True}, "^`n_resamples` must .*True"),
        ({"seed": -1}, "^`seed` must .*-1"),
        ({"seed": None}, "^`seed` must .*None"),
        ({"unknown": "maybe"}, "^`unknown` must .*'maybe'"),
        ({"labels": [0, 1]}, "^`labels` must .*2"),
        ({"counts": [1, 2]}, "`counts` must hold a number for each row.*2"),
        ({"counts": [0.5] * 400}, "`counts` must hold whole numbers of samples, got .*0.5"),
        ({"counts": [-1] * 400}, "`counts` must be finite and not negative, got -1"),
        ({"counts": [0] * 400}, "must be a sample to score"),
        ({"sample_weight": [1.0] * 3}, "`sample_weight` must hold a number for each row.*3"),
        ({"groups": ["a"] * 3}, "`groups` must name a group for each row, got 3 for 400"),
        ({"groups": ["a"] * 400}, "`groups` must name at least two"),
        *(
            ({"metric": metric, "average": "macro"}, "`average` must be left out")
            for metric in without_average
        ),
    ):
        with pytest.raises(ValueError, match=f"(?s){text}"):
            compare(*random_samples(), **options)


def test_a_class_of_answers_alone_is_warned_of():
    with pytest.warns(UndefinedMetricWarning, match="among the predictions but not the references"):
        compare([0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 1, 1], **FAST)


# The sentence and the signature


def made_up(p_value, difference, level):
    fields = dict.fromkeys(Comparison.__dataclass_fields__)
    fields |= {"p_value": p_value, "difference": difference, "confidence_level": level}
    fields |= {"confidence_interval": (-0.25, 0.5), "gained": 3, "lost": 1}
    return Comparison(**fields)


def test_a_model_is_called_better_where_p_is_below_1_minus_the_level():
    for p_value, level, significant in (
        (0.049, 0.95, True),
        (0.05, 0.95, False),
        (0.1, 0.9, False),
        (0.0999, 0.9, True),
        (0.01, 0.99, False),
        (0.2, 0.8, False),
        (0.001, 0.999, False),
        (1.0, 0.5, False),
    ):
        for difference, better in ((0.1, "B"), (-0.1, "A")):
            verdict = f"{better} is better" if significant else "No difference is shown"
            said = str(made_up(p_value, difference, level))
            assert said.startswith(f"{verdict}: {difference:+.3f} ("), (p_value, level)


def test_the_sentence_says_interval_and_p_value():
    for p, shown in ((0.0009, "p < 0.001"), (0.0314, "p = 0.031")):
        sentence = f"B is better: +0.125 (-0.250 to 0.500), {shown}; 3 samples gained, 1 lost"
        made = made_up(p, 0.125, 0.95)
        assert str(made) == made.to_dict()["sentence"] == sentence


def test_a_comparison_says_all_it_knows():
    samples = random_samples()
    made = compare(*samples, metric="nit", seed=5, **FAST)
    plain = made.to_dict()
    assert set(plain) == {*Comparison.__dataclass_fields__, "sentence"}
    assert plain["confidence_interval"] == list(made.confidence_interval)
    assert (plain["seed"], plain["n_resamples"], plain["metric"]) == (5, 100, "nit")
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    start = "nit|k:3|n:400|labels:observed|ci:permutation,0.95|resamples:100,seed:5|v:"
    assert made.signature.startswith(start)


def test_comparisons_that_differ_never_share_a_signature():
    references, a, b = random_samples(size=60, skill=(0.6, 0.8))
    references[::9] = [-1] * len(references[::9])
    orders = [[-1, 0, 1, 2], [2, 1, 0, -1], [-1, 0, 1, 2, 3]]
    choices = (
        [options_of(SCORES[x]) for x in (0, 1, 6)],
        [{}, *({"labels": x, "unknown": y} for x in orders for y in ("error", "wrong"))],
        [{"ignore_index": x} for x in (None, -1, 2)],
        [{}, {"confidence_level": 0.9}, {"seed": 1}, {"n_resamples": 101}],
    )
    entries = []
    for chosen in itertools.product(*choices):
        settings = dict(FAST)
        for options in chosen:
            settings |= options
        made = compare(references, a, b, **settings)
        numbers = [made.a, made.b, made.p_value, *made.confidence_interval]
        entries.append((made.signature, to_9_digits(numbers), settings))
    assert different_numbers_of_one_signature(entries, least=50) == []


def test_many_predictions_of_a_class_of_few_references_are_warned_of():
    for references_of_c, wanted in ((3, True), (6, False)):
        references = ["a"] * 1000 + ["b"] * 1000 + ["c"] * references_of_c
        a = ["c"] * 400 + ["a"] * 600 + references[1000:]
        b = ["a"] * 30 + ["c"] * 370 + ["a"] * 600 + ["c"] * 30 + ["b"] * 970 + references[2000:]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            compare(references, a, b, **FAST)
        said = [str(one.message) for one in caught if one.category is IntervalWarning]
        assert bool(said) == wanted
        if wanted:
            assert said[0].endswith(
                "3 references of 'c', which gets 20% of the predictions, where 5 are wanted"
            )
