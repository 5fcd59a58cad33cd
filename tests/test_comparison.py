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
from dense import NAMES, SCORES
from estimate_cases import different_numbers_of_one_signature, internal, options_of, to_9_digits
from informedness import SCORES as METRICS
from informedness import (
    Comparison,
    ContingencyTable,
    IntervalWarning,
    UndefinedMetricWarning,
    compare,
    estimate,
)
from informedness.core import intervals
from informedness.core.labels import read_column
from informedness.results import comparison

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

FAST = {"n_resamples": 100}
every_score = pytest.mark.parametrize("score", SCORES, ids=NAMES)

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
every_few = pytest.mark.parametrize("samples", FEW.values(), ids=FEW)


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


def swapped_one_by_one(references, a, b, score):
    """Return the differences after each way to swap the two answers within samples."""
    different = [n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
    for swaps in itertools.product((False, True), repeat=len(different)):
        mine, theirs = list(a), list(b)
        for sample in itertools.compress(different, swaps):
            mine[sample], theirs[sample] = theirs[sample], mine[sample]
        yield difference(references, mine, theirs, score)


@every_score
@every_few
def test_exact_p_values_are_shares_of_all_swaps_of_samples(samples, score):
    made = compare(*samples, **options_of(score))
    observed = difference(*samples, score)
    swaps = list(swapped_one_by_one(*samples, score))
    at_least = sum(abs(x) >= abs(observed) - 1e-9 for x in swaps)
    assert made.test == "exact"
    assert made.difference == pytest.approx(observed, abs=1e-12)
    assert made.p_value == pytest.approx(at_least / len(swaps), abs=1e-12)


@pytest.mark.parametrize(
    ("metric", "average"),
    [("informedness", "bias"), ("informedness", "macro"), ("nit", None), ("markedness", "bias")],
)
def test_random_swaps_of_counts_are_random_swaps_of_samples(metric, average):
    samples = random_samples(skill=(0.62, 0.68))
    made = compare(*samples, **options_of((metric, average)))
    references, a, b = map(np.array, samples)
    rng, observed = np.random.default_rng(1), abs(difference(*samples, (metric, average)))
    extreme, number = 0, 1500
    for _ in range(number):
        swap = rng.random(len(a)) < 0.5
        mine, theirs = np.where(swap, b, a), np.where(swap, a, b)
        sides = [
            np.bincount(references * 3 + side, minlength=9).reshape(3, 3).tolist()
            for side in (mine, theirs)
        ]
        one, other = (float(dense.score(cells, metric, average)) for cells in sides)
        extreme += abs(other - one) >= observed - 1e-9
    p = extreme / number
    assert 0.02 < p < 0.9
    assert made.test == "permutation"
    assert made.p_value == pytest.approx(p, abs=4 * math.sqrt(p * (1 - p) / number) + 0.01)


def test_the_smallest_p_value_of_random_swaps_is_one_of_their_number():
    references = [0, 1] * 100
    made = compare(references, references[::-1], references, **FAST)
    assert (made.p_value, made.test) == (1 / 101, "permutation")


@pytest.mark.parametrize(("gained", "lost"), [(6, 0), (9, 3), (4, 4), (0, 13), (20, 9), (1, 0)])
def test_exact_p_values_of_accuracy_are_those_of_mc_nemar(gained, lost):
    references = [0] * (gained + lost + 30)
    a = [1] * gained + [0] * lost + [0] * 20 + [1] * 10
    b = [0] * gained + [1] * lost + [0] * 20 + [1] * 10
    made = compare(references, a, b, metric="accuracy")
    wanted = stats.binomtest(gained, gained + lost).pvalue
    assert made.p_value == pytest.approx(wanted, abs=1e-12)
    assert (made.test, made.gained, made.lost) == ("exact", gained, lost)


@every_score
@every_few
def test_the_scores_are_those_of_the_functions(samples, score):
    made = compare(*samples, **options_of(score), **FAST)
    metric, average = score
    of_average = {"average": average} if average else {}
    a, b = (
        getattr(by_table, metric)(ContingencyTable.from_labels(samples[0], side), **of_average)
        for side in samples[1:]
    )
    assert (made.a, made.b, made.difference) == (a, b, b - a)
    low, high = made.confidence_interval
    assert -2 <= low <= made.difference <= high <= 2
    assert made.standard_error > 0
    json.dumps(made.to_dict(), allow_nan=False)


def test_samples_are_counted_as_by_hand():
    made = compare(list("aaabbbc"), list("aabbbac"), list("abaabcc"), **FAST)
    assert (made.n_samples, made.gained, made.lost, made.n_different) == (7, 1, 2, 4)


@every_score
def test_equal_models_have_a_p_value_of_1_and_no_difference(score):
    references, a, _ = random_samples()
    made = compare(references, a, a, **options_of(score), **FAST)
    assert (made.difference, made.p_value, made.test) == (0, 1, "exact")
    assert (made.gained, made.lost, made.n_different) == (0, 0, 0)
    low, high = made.confidence_interval
    assert low < 0 < high
    assert str(made).startswith("No difference is shown: +0.000 (")


@pytest.mark.slow
@every_score
@every_few
def test_exchanging_the_models_turns_the_sign_alone(samples, score):
    references, a, b = samples
    made, turned = (compare(references, *pair, **options_of(score)) for pair in ((a, b), (b, a)))
    assert (turned.a, turned.b) == (made.b, made.a)
    assert turned.difference == -made.difference
    assert turned.p_value == pytest.approx(made.p_value, abs=1e-12)
    assert (turned.gained, turned.lost) == (made.lost, made.gained)
    assert turned.n_different == made.n_different
    low, high = made.confidence_interval
    width = high - low
    assert turned.confidence_interval == pytest.approx((-high, -low), abs=0.1 * width)
    assert turned.standard_error == pytest.approx(made.standard_error, rel=0.1)


# The interval


def simulated(samples, score, number, seed):
    """Return differences of draws of the samples, without and with a made-up sample in each."""
    references, *answers = (np.array(side) for side in samples)
    rng, k, n = np.random.default_rng(seed), 3, len(references)
    classes = np.flatnonzero(np.bincount(references, minlength=k))
    both = np.bincount(np.concatenate(answers), minlength=k) / (2 * n)
    found = []
    for one in (0, 1):
        drawn = []
        for _ in range(number):
            weights = rng.standard_exponential(n + one)
            columns = references, *answers
            if one:
                given = [rng.choice(k) if rng.random() < 0.5 else rng.choice(k, p=both)
                         for _ in range(2)]  # fmt: skip
                extra = rng.choice(classes), *given
                columns = [np.append(side, x) for side, x in zip(columns, extra, strict=True)]
            sides = [
                np.bincount(columns[0] * k + side, weights, k * k).reshape(k, k).tolist()
                for side in columns[1:]
            ]
            a, b = (float(dense.score(cells, *score)) for cells in sides)
            drawn.append(b - a)
        found.append(np.array(drawn))
    return found


@every_score
def test_a_made_up_sample_is_one_more_sample_of_both_models(score):
    references, *answers = FEW["three classes"]
    columns = [read_column(side, "labels") for side in (references, *answers)]
    tables = [ContingencyTable.from_labels(references, side) for side in answers]
    triples = comparison._count_triples(tables, columns, None, score[0] == "markedness")
    added = np.array(list(itertools.product(range(3), repeat=3))).T
    counts, size = np.repeat(triples.counts[:, None], 27, axis=1), len(triples.cells.counts)
    ours, theirs = (
        comparison._scattered(counts.astype(float), to, size) for to in (triples.to_a, triples.to_b)
    )
    weight = np.full(27, 0.75)
    more = []
    for side, answer in ((ours, added[1]), (theirs, added[2])):
        at = (answer, added[0]) if triples.transposed else (added[0], answer)
        drawn = intervals.resample_sums(triples.cells, side)
        more.append(internal(score).of(intervals.with_one_more(triples.cells, drawn, weight, *at)))
    got = more[1] - more[0]
    for found, (i, *extra) in zip(got, added.T.tolist(), strict=True):
        scores = []
        for side, j in zip(answers, extra, strict=True):
            cells = cells_of(references, side)
            cells[i][j] += 0.75
            scores.append(float(dense.score(cells, *score)))
        assert found == pytest.approx(scores[1] - scores[0], abs=1e-12)


@pytest.mark.slow
@pytest.mark.parametrize("score", [SCORES[0], SCORES[2], SCORES[4], *SCORES[6:]], ids=str)
def test_intervals_are_those_of_a_simulation_of_samples(score):
    samples, level = random_samples(size=40, k=3, skill=(0.5, 0.8)), 0.8
    made = compare(*samples, **options_of(score), confidence_level=level)
    plain, drawn = simulated(samples, score, 1500, 2)
    below = stats.norm.ppf(np.mean(plain < made.difference))
    reach = stats.norm.ppf(0.5 + level / 2)
    wanted = np.quantile(drawn, stats.norm.cdf([below - reach, below + reach]))
    assert made.standard_error == pytest.approx(drawn.std(), rel=0.08)
    error = 5 * drawn.std() * math.sqrt(0.1 * 0.9 / 1500) / 0.175
    if made.p_value >= 1 - level:
        wanted = min(wanted[0], 0), max(wanted[1], 0)
    assert made.confidence_interval == pytest.approx(tuple(wanted), abs=error)


@pytest.mark.parametrize("few", [True, False])
def test_an_interval_of_few_samples_that_differ_is_warned_of(few):
    references = ["a"] * 60 + ["b"] * 60
    first = ["b"] * 20 + ["a"] * 40 + ["b"] * 60
    second = ["b"] * few + ["a"] * (60 - few) + ["b"] * 60
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        made = compare(references, first, second)
    assert made.n_different == 20 - few
    said = [str(x.message) for x in caught if issubclass(x.category, IntervalWarning)]
    assert said == ["informedness: the interval of the difference of informedness may cover the "
                    "truth less often than it says: 19 samples that differ, where 20 are "
                    "wanted"] * few  # fmt: skip


def test_the_interval_reaches_to_0_where_the_test_does_not_tell_the_models_apart():
    references = ["a"] * 50 + ["b"] * 30 + ["c"] * 20
    first = ["a"] * 45 + ["b"] * 30 + ["c"] * 25
    second = ["a"] * 50 + ["b"] * 25 + ["c"] * 25
    for a, b, sign in ((first, second, 1), (second, first, -1)):
        unsure = compare(references, a, b)
        assert unsure.p_value == pytest.approx(2 / 2**5)
        assert 0 in unsure.confidence_interval
        surer = compare(references, a, b, confidence_level=0.9)
        assert str(surer).startswith("B is better" if sign > 0 else "A is better")
        assert min(sign * end for end in surer.confidence_interval) > 0


@pytest.mark.parametrize("average", ["prevalence", "macro"])
def test_made_up_samples_of_markedness_have_references_there_are(average):
    """Class 2 is among the answers alone, so that it is no reference of a made-up sample."""
    a, b = [0] * 9 + [2] * 3 + [1, 2, 2], [0] * 4 + [2] * 8 + [1, 1, 2]
    samples, score = ([0] * 12 + [1] * 3, a, b), ("markedness", average)
    _, drawn = simulated(samples, score, 1500, 2)
    made = compare(*samples, **options_of(score))
    assert made.standard_error == pytest.approx(drawn.std(), rel=0.07)


@pytest.mark.slow
def test_intervals_are_around_the_value_where_resamples_are_biased():
    """NIT of resamples of a guesser is well above that of the samples."""
    samples = [0, 1, 2] * 8, [0, 0, 0, 1, 1, 1, 2, 2, 2] * 2 + [0, 1, 2] * 2, [0, 1, 2] * 8
    made = compare(*samples, metric="nit", confidence_level=0.8)
    plain, drawn = simulated(samples, ("nit", None), 2000, 3)
    below = stats.norm.ppf(np.mean(plain < made.difference))
    reach = stats.norm.ppf(0.9)
    wanted = np.quantile(drawn, stats.norm.cdf([below - reach, below + reach]))
    middle = np.quantile(drawn, [0.1, 0.9])
    error = 0.25 * abs(wanted - middle).max()
    assert error > 0.004
    assert made.confidence_interval == pytest.approx(tuple(wanted), abs=error)


@pytest.mark.parametrize("metric", METRICS)
def test_the_error_of_independent_models_is_that_of_both_estimates(metric):
    rng = np.random.default_rng(0)
    references = rng.integers(0, 2, 6000)
    a, b = (np.where(rng.random(6000) < x, references, 1 - references) for x in (0.7, 0.8))
    made = compare(references, a, b, metric=metric)
    errors = [
        estimate(ContingencyTable.from_labels(references, side), metric, method="delta")
        for side in (a, b)
    ]
    wanted = math.hypot(*(x.standard_error for x in errors))
    assert made.standard_error == pytest.approx(wanted, rel=0.05)
    low, high = made.confidence_interval
    reach = stats.norm.ppf(0.975) * wanted
    assert (low, high) == pytest.approx(
        (made.difference - reach, made.difference + reach), abs=0.1 * reach
    )


def test_a_higher_level_has_a_wider_interval():
    widths = []
    for level in (0.5, 0.9, 0.99):
        low, high = compare(*random_samples(), confidence_level=level).confidence_interval
        widths.append(high - low)
    assert widths == sorted(set(widths))


@every_score
def test_models_without_errors_have_an_interval_of_some_width(score):
    references = [0] * 20 + [1] * 10
    made = compare(references, references, references, **options_of(score))
    low, high = made.confidence_interval
    assert made.standard_error > 0.001
    assert low < 0 < high


# Labels and sizes


def renamed(samples, names):
    return [[names[label] for label in side] for side in samples]


@pytest.mark.parametrize(
    "names",
    [
        ["a", "b", "c"],
        [b"a", b"b\xff", b"c"],
        [-(2**63), 0, 5],
        [0, 2**63, 2**64 - 1],
        ["001", "1", "1.0"],
    ],
)
def test_labels_of_any_type_give_the_same(names):
    samples = random_samples()
    made, other = compare(*samples), compare(*renamed(samples, names))
    assert other.to_dict() == made.to_dict()


@pytest.mark.parametrize("box", [tuple, np.array, lambda x: np.array(x, dtype=np.uint64)])
def test_any_container_gives_the_same(box):
    samples = random_samples()
    assert compare(*map(box, samples)) == compare(*samples)


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


@pytest.mark.parametrize("metric", METRICS)
def test_declared_classes_count_in_nit_alone(metric):
    samples = random_samples()
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
    assert made.p_value == 1 / 501


def test_swaps_of_one_kind_are_a_binomial_however_many():
    """A thousand samples that differ alike are 1001 ways, not 2^1000."""
    references = [0] * 1000 + [1] * 500
    a = [0] * 1500
    b = [0] * 970 + [1] * 30 + [0] * 500
    made = compare(references, a, b, metric="accuracy")
    assert made.test == "exact"
    assert made.p_value == pytest.approx(2 * 0.5**30, rel=1e-9)
    made = compare(references, a, [1] * 1000 + [0] * 500, metric="accuracy")
    assert (made.test, made.p_value) == ("exact", pytest.approx(2 * 0.5**1000))


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
    assert len({entry.confidence_interval for entry in (first, *others)}) == 4
    assert len({entry.p_value for entry in (first, *others)}) > 1


@pytest.mark.parametrize(
    ("inputs", "text"),
    [
        (([0, 1], [0, 1], [0]), "predictions_b"),
        (([0, 1], [0], [0, 1]), "predictions_a"),
        (([0, 1], [0, 0.7], [0, 1]), r"predictions_a.*0\.7"),
        (([0, 1], [0, 1], [0, 0.7]), r"predictions_b.*0\.7"),
        (([0, 1], [0, 1], [0, None]), "predictions_b.*None"),
        (([0, 1], ["a", "b"], [0, 1]), "predictions_a.*strings"),
        (([0, 1], [0, 1], ["a", "b"]), "predictions_b.*strings"),
        (([0, None], [0, 1], [0, 1]), "references.*None"),
        (([], [], []), "at least one|must be a sample"),
        (([1, 1], [0, 1], [1, 1]), "`references` must be of two classes or more.*all are 1"),
    ],
)
def test_bad_labels_are_refused_by_the_name_of_the_argument(inputs, text):
    with pytest.raises(ValueError, match=f"(?s){text}"):
        compare(*inputs)


@pytest.mark.parametrize(
    ("name", "value", "shown"),
    [
        ("metric", "f1", "'f1'"),
        ("average", "micro", "'micro'"),
        ("average", None, "None"),
        ("confidence_level", 95, "95"),
        ("confidence_level", math.nan, "nan"),
        ("n_resamples", 10, "10"),
        ("n_resamples", True, "True"),
        ("seed", -1, "-1"),
        ("seed", None, "None"),
        ("unknown", "maybe", "'maybe'"),
        ("labels", [0, 1], "2"),
    ],
)
def test_bad_options_are_refused_by_name_and_value(name, value, shown):
    with pytest.raises(ValueError, match=f"(?s)^`{name}` must .*{shown}"):
        compare(*random_samples(), **{name: value})


@pytest.mark.parametrize("metric", [m for m in METRICS if m not in ("informedness", "markedness")])
def test_an_average_of_a_score_that_has_none_is_refused(metric):
    with pytest.raises(ValueError, match="`average` must be left out"):
        compare(*random_samples(), metric=metric, average="macro")


def test_accuracy_is_compared_where_all_references_are_of_one_class():
    made = compare([1] * 8, [0] * 6 + [1] * 2, [1] * 8, metric="accuracy")
    assert (made.a, made.b) == (0.25, 1.0)
    assert made.p_value == pytest.approx(2 / 2**6)


def test_a_class_of_answers_alone_is_warned_of():
    with pytest.warns(UndefinedMetricWarning, match="among the predictions but not the references"):
        compare([0, 0, 1, 1], [0, 0, 1, 1], [0, 2, 1, 1], **FAST)


# The sentence and the signature


def made_up(p_value, difference, level):
    fields = dict.fromkeys(Comparison.__dataclass_fields__)
    fields |= {"p_value": p_value, "difference": difference, "confidence_level": level}
    fields |= {"confidence_interval": (-0.25, 0.5), "gained": 3, "lost": 1}
    return Comparison(**fields)


@pytest.mark.parametrize(
    ("p_value", "level", "significant"),
    [
        (0.049, 0.95, True),
        (0.05, 0.95, False),
        (0.1, 0.9, False),
        (0.0999, 0.9, True),
        (0.01, 0.99, False),
        (0.2, 0.8, False),
        (0.001, 0.999, False),
        (1.0, 0.5, False),
    ],
)
def test_a_model_is_called_better_where_p_is_below_1_minus_the_level(p_value, level, significant):
    for difference, better in ((0.1, "B"), (-0.1, "A")):
        verdict = f"{better} is better" if significant else "No difference is shown"
        assert str(made_up(p_value, difference, level)).startswith(
            f"{verdict}: {difference:+.3f} ("
        )


@pytest.mark.parametrize(("p", "shown"), [(0.0009, "p < 0.001"), (0.0314, "p = 0.031")])
def test_the_sentence_says_interval_and_p_value(p, shown):
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
    start = "nit|k:3|n:400|labels:observed|ci:bootstrap,0.95|p:permutation|resamples:100,seed:5|v:"
    assert made.signature.startswith(start)


@pytest.mark.slow
def test_comparisons_that_differ_never_share_a_signature():
    references, a, b = random_samples(size=60, skill=(0.6, 0.8))
    references[::9] = [-1] * len(references[::9])
    a[3] = -1

    def entries():
        for score, labels, ignored, unknown in itertools.product(
            [SCORES[0], SCORES[1], SCORES[6]],
            [None, [-1, 0, 1, 2], [2, 1, 0, -1], [0, 1, 2], [-1, 0, 1, 2, 3]],
            [None, -1, 2],
            ["error", "wrong"],
        ):
            for extra in ({}, {"confidence_level": 0.9}, {"seed": 1}, {"n_resamples": 101}):
                settings = {"labels": labels, "ignore_index": ignored, "unknown": unknown}
                settings |= {**options_of(score), **FAST, **extra}
                try:
                    made = compare(references, a, b, **settings)
                except ValueError:  # a label outside the classes
                    continue
                numbers = [made.a, made.b, made.p_value, *made.confidence_interval]
                yield made.signature, to_9_digits(numbers), settings

    assert different_numbers_of_one_signature(entries(), least=50) == []


def test_nothing_is_warned_of_where_all_is_well():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compare(*random_samples(), **FAST)
