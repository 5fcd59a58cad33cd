"""Estimates on every path: their warnings, options, and what they do where nothing is known.

Covers src: results/estimate.py, inference/score.py.
"""

import dataclasses
import json
import math
import re
import warnings

import numpy as np
import pytest

from informedness import estimate, report
from informedness.inference.registry import SCORES as METRICS
from informedness.warnings import IntervalWarning
from inputs.tables import THREE, table_of, table_of_labels, weighted
from oracles.dense import SCORES, options_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
WRONG = {"labels": ["a", "b"], "unknown": "wrong"}


@pytest.mark.parametrize("metric", METRICS)
def test_of_two_and_three_groups_every_score_has_an_interval(metric):
    for references, answers, groups in (
        ([0, 1, 0], [0, 1, 1], [0, 0, 1]),
        ([0, 1, 0], [0, 1, 1], [0, 1, 2]),
        ([0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2], [0, 0, 1, 1, 2, 2]),
        ([0, 1, 2, 0, 1, 2], [2, 0, 1, 2, 0, 1], [0, 1, 2, 0, 1, 2]),
    ):
        made = estimate(
            references, answers, metric, labels=range(1 + max(references)), groups=groups
        )
        low, high = made.confidence_interval
        assert -1 <= low <= made.value <= high <= 1
        assert low < high


def test_a_report_of_two_groups_has_an_interval_of_nit():
    named = {"labels": [0, 1], "groups": [0, 0, 1], "confidence_level": 0.95}
    made = report([0, 1, 0], [0, 1, 1], **named).estimates["nit"]
    assert made.confidence_interval[0] < made.value < made.confidence_interval[1] <= 1


# Warnings

OF_47 = np.array([[20, 3, 0], [4, 15, 1], [1, 1, 2]])
OF_48, OF_50 = OF_47 + np.diag([0, 0, 1]), OF_47 + np.diag([3, 0, 0])
UNEVEN = np.array([[180, 16], [1, 3]])
FEW = "4 references of the rarest class, fewer than the recommended 5"
OUTSIDE = "4 references outside the largest class, fewer than the recommended 5"
BY_CLASS, EVEN = {"average": None}, {"prior": {0: 1, 1: 1, 2: 1}}
RARE, LESS_RARE = ([[100, 5, 0], [1, 9, 0], [0, 2, n]] for n in (2, 3))
TWO_OUTSIDE = np.diag([14, 15, 15, 15, 0, 0])  # of 59 samples
TWO_OUTSIDE[0, [0, 4, 5]] += [-2, 1, 1]
ONE_OUTSIDE = np.diag([8] * 10 + [0]) + np.eye(11, k=10, dtype=int)  # which does not count
OF_MARGINS, OF_ENTROPIES = {*METRICS} - {"nit", "ema", "markedness", "accuracy"}, {"nit", "ema"}


@pytest.mark.parametrize(
    ("metrics", "matrix", "options", "why"),
    [  # With so many, intervals covered the truth as often on 20 and 30 samples as on many.
        (OF_MARGINS, OF_47, {}, FEW),
        ({"accuracy"}, OF_47, {}, ""),
        ({"markedness"}, OF_47.T, {}, FEW.replace("references", "predictions")),
        (OF_MARGINS, OF_48, {}, ""),
        (OF_MARGINS, OF_50, {}, ""),
        # At 1% positives of 200 the interval of kappa covered the truth in 90%.
        (OF_MARGINS, UNEVEN, {}, OUTSIDE),
        ({"markedness"}, UNEVEN.T, {}, OUTSIDE.replace("references", "predictions")),
        ({"accuracy", "markedness"}, UNEVEN, {}, ""),
        (OF_MARGINS, [[180, 15], [2, 3]], {}, ""),
        ({"informedness"}, [[5, 3], [0, 0]], {}, ""),  # it is undefined, and that is warned of
        ({"f1_macro"}, np.diag([50, 50, 4, 4]), {}, ""),  # no more than half are rare
        # Of classes with fewer, some 0.17% each, intervals covered the truth in 85% of tables.
        ({"informedness"}, RARE, BY_CLASS, FEW),
        ({"informedness"}, RARE, EVEN, FEW),
        ({"informedness"}, LESS_RARE, BY_CLASS, ""),
        ({"informedness"}, LESS_RARE, EVEN, ""),
        (OF_ENTROPIES, OF_47, {"labels": range(3)}, FEW),
        (OF_ENTROPIES, [[904, 91], [2, 3]], {}, ""),
        (OF_ENTROPIES, [[900, 90, 1], [2, 5, 0], [1, 0, 4]], {}, ""),
        (OF_ENTROPIES, np.diag([850] + [5] * 30), {}, ""),
        (OF_ENTROPIES, [[900, 91], [1, 3]], {}, "4 references .* about 1,200 samples are"),
        ({"nit"}, OF_48, {}, "with fewer than 1,000 samples a class may"),
        ({"ema"}, OF_48, {}, "48 samples, fewer than the recommended 50"),
        # 10 samples for each class but one and each prediction that no reference has
        (OF_ENTROPIES, TWO_OUTSIDE, {}, "59 samples for 2 .*, fewer than the recommended 60"),
        (OF_ENTROPIES, TWO_OUTSIDE, {"labels": range(6)}, ""),
        ({"ema"}, TWO_OUTSIDE + np.diag([1, 0, 0, 0, 0, 0]), {}, ""),
        ({"ema"}, ONE_OUTSIDE, {}, ""),
    ],
)
def test_too_few_samples_warn_once_at_the_caller(metrics, matrix, options, why):
    options = dict(options)
    table = table_of(matrix, labels=options.pop("labels", None))
    for metric in metrics:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            estimate(table, metric=metric, **options)
        found = [x for x in caught if x.category is IntervalWarning]
        said = [bool(re.search(f" of {metric}[^:]*: {why}", str(x.message))) for x in found]
        assert (said, {x.filename for x in found} - {__file__}) == ([True] * bool(why), set())


@pytest.mark.parametrize("weight", [0.1, 1 / 3, 0.7])
def test_rounding_of_equal_weights_does_not_warn(weight):
    for matrix in (OF_48, OF_50):
        references, predictions, weights = weighted(matrix)
        for metric in OF_MARGINS:
            with warnings.catch_warnings():
                warnings.simplefilter("error", IntervalWarning)
                estimate(references, predictions, metric, sample_weight=[weight] * len(weights))


# Where there is nothing to estimate


def test_a_standard_error_of_0_is_not_shown():
    """A constant is 0 informed, and all right 1, whatever the sample: nothing varies."""
    rng = np.random.default_rng(0)
    references = np.append(np.arange(7), rng.choice(7, 500, p=rng.dirichlet(np.ones(7))))
    weights, prior = rng.exponential(size=507), dict(enumerate(rng.dirichlet(np.full(7, 3.0))))
    settings = [{}, {"average": "macro"}, {"average": None}, {"prior": prior}]
    for predictions, metric in ((np.full(507, 3), "nit"), (references, "markedness")):
        for options in [*settings, {"metric": "balanced_accuracy"}, {"metric": metric}]:
            made = np.ravel(estimate(references, predictions, sample_weight=weights, **options))
            assert {one.standard_error for one in made} == {0.0}, options
            assert {one.shown()[0] for one in made} == {""}
            assert "standard error" not in " ".join(map(str, made))


@pytest.mark.parametrize(
    ("matrix", "defined"),
    [  # of one reference, of one prediction, and of one of both
        ([[5, 3], [0, 0]], {"accuracy", "markedness"}),
        ([[5, 0], [5, 0]], {*METRICS} - {"markedness", "matthews_corrcoef"}),
        ([[5, 0], [0, 0]], {"accuracy"}),
    ],
)
def test_undefined_scores_have_no_interval_and_none_in_json(matrix, defined):
    for metric in METRICS:
        made = estimate(table_of(matrix), metric=metric)
        plain = json.loads(json.dumps(made.to_dict(), allow_nan=False))
        undefined = metric not in defined
        assert (plain["standard_error"] is None) == undefined, metric
        assert (plain["confidence_interval"] == [None, None]) == undefined


def test_weights_without_squares_are_refused():
    # of which the sums of one class against the rest are whole numbers
    table = table_of(np.full((3, 3), 0.5) + 2.5 * np.eye(3))
    wanted = "`table` must hold squared weights .*Count labels"
    for options in [{"metric": metric} for metric in METRICS] + [{"average": None}]:
        with pytest.raises(ValueError, match=wanted):
            estimate(table, **options)
    for weight in (1e-200, 1.2e154):  # whose squares, or the sum of them, are no numbers
        table = table_of_labels([0, 1], [0, 1], sample_weight=[weight] * 2)
        assert table.informedness() == 1
        with pytest.raises(ValueError, match=wanted):
            estimate(table)


def test_out_of_class_is_one_label_more_for_other_scores():

    references, answers = list("aaabbb") * 10, list("aab?b!" * 5 + "aa?bab" * 5)
    for score in SCORES:
        if score[0] in ("informedness", "markedness"):
            continue
        made = estimate(references, answers, **WRONG, **options_of(score))
        same = estimate(table_of([[20, 5, 5], [5, 15, 10], [0, 0, 0]]), **options_of(score))
        # which the mean of F1 leaves out
        times = 3 / 2 if score[0] == "f1_macro" else 1
        found = made.value, made.standard_error
        assert found == pytest.approx((same.value * times, same.standard_error * times), rel=1e-12)
        # a third class could have been found, and here there is none
        low, high = made.confidence_interval
        least, most = same.confidence_interval
        assert times > 1 or least - 1e-12 <= low < high <= most + 1e-12, score
    with pytest.raises(ValueError, match="markedness"):
        estimate(references, answers, "markedness", **WRONG)
    each = estimate(references, answers, **WRONG, average=None)
    assert [entry.label for entry in each] == ["a", "b"]


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({"metric": "f1"}, "`metric` must .*'f1'"),
        ({"average": "micro"}, "`average` must .*'micro'"),
        ({"average": "macro", "metric": "nit"}, "`average` must be left out for 'nit', got"),
        ({"confidence_level": 95}, "`confidence_level` must .*95"),
        ({"confidence_level": math.nan}, "`confidence_level` must .*nan"),
        ({"confidence_level": 1 - 1e-16}, r"`confidence_level` must .*0\.9999"),
        ({"zero_division": 1}, "`zero_division` must .*1"),
        ({"prior": {0: 0.5, 1: 0.5}}, "`prior` must .*2"),
        ({"groups": [0] * 23 + [1] * 24, "average": None}, "`groups` cannot be combined with"),
        ({"groups": [0] * 47, "prior": {0: 0.5, 1: 0.5}}, "`groups` cannot be combined with"),
        ({"prior": {0: 0.5, 1: 0.5}, "metric": "nit"}, "`prior` must be left out for an interval"),
        ({"prior": {0: 0.5, 1: 0.5}, "average": None}, "`prior` must be left out for an interval"),
    ],
)
def test_bad_options_are_refused_by_name_and_value(options, text):
    with pytest.raises(ValueError, match=f"^{text}"):
        estimate(*weighted(THREE)[:2], **options)


def test_an_estimate_has_all_it_knows_as_plain_values():
    made = estimate(table_of([[84, 6], [2, 8]]), confidence_level=0.9)
    plain = dataclasses.asdict(made) | {"confidence_interval": [*made.confidence_interval]}
    assert made.to_dict() | {"caveat": "", "n_classes": 2} == plain
    assert (made.confidence_level, made.effective_sample_size) == (0.9, 100)
    made = estimate([b"a", b"\xff"] * 30, [b"a"] * 30 + [b"\xff"] * 30, average=None)[1]
    assert (made.label, made.to_dict()["label"]) == (b"\xff", "b'\\xff'")
    for one, name in (
        (made, "informedness of b'\\xff'"),
        (estimate(table_of(THREE)), "informedness"),
    ):
        assert one.text_tables()[0][1][0] == name


LETTERS = list("aabcbcc") * 9, list("abbcacb") * 9
CODES = [0, -100, 1, 1, 0] * 20, [0, 1, 1, 0, 1] * 20


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "pair", "options"),
    [
        ("nit", CODES, {"ignore_index": -100, "sample_weight": [0.1, 1, 2, 1, 1] * 20}),
        ("informedness", (list("abba") * 20, list("ab?b") * 20), WRONG),
        ("informedness", LETTERS, {"average": None}),
        ("informedness", CODES, {"ignore_index": -100, "prior": {0: 0.25, 1: 0.75}}),
    ],
)
def test_modules_give_the_same_estimate(metric, pair, options, load):
    options = options | {"confidence_level": 0.9}
    made = np.ravel(estimate(*pair, metric, **options))
    given = {"references": pair[0], "predictions": pair[1], **options}
    result = load(metric).compute(**given, return_signature=True)
    assert np.ravel(result[metric]) == pytest.approx([x.value for x in made], abs=1e-12)
    for field in ("standard_error", "confidence_interval"):
        wanted = np.ravel([getattr(x, field) for x in made])
        assert np.ravel(result[f"{metric}_{field}"]) == pytest.approx(wanted, abs=1e-12)
    assert result[f"{metric}_signature"] == made[0].signature.partition("|class:")[0]


@pytest.mark.parametrize("function", [estimate, report])
def test_a_table_replaces_labels_and_their_options(function):
    table = table_of_labels(*LETTERS)
    for options in ({}, {"ignore_index": "d"}, {"confidence_level": 0.9}):
        made = function(table, **options).to_dict()
        assert made == function(*LETTERS, **options).to_dict()
    for beside in ({"y_pred": LETTERS[1]}, {"sample_weight": [1] * 63}, WRONG):
        with pytest.raises(ValueError, match="must be left out if `y_true` is a table"):
            function(table, **beside)
    with pytest.raises(ValueError, match=r"ContingencyTable, .*from_matrix, .*_from_frame or"):
        function(LETTERS[0])
