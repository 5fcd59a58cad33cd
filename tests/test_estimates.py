"""Estimates on every path: their warnings, options, and what they do where nothing is known."""

import json
import math
import warnings

import numpy as np
import pytest

from dense import SCORES
from estimate_cases import THREE, every_score, options_of, table_of, weighted
from informedness import ContingencyTable, estimate, report
from informedness.statistics.intervals import effective_sample_size
from informedness.statistics.registry import SCORES as METRICS
from informedness.warnings import InformednessWarning, IntervalWarning
from tables import table_of_labels, table_of_pairs

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


# Warnings


def given(table):
    return table if isinstance(table, ContingencyTable) else table_of(table)


def warned(table, metric="informedness", **options):
    """Return what the interval is warned of, or None."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        estimate(
            table if isinstance(table, ContingencyTable) else table_of(table),
            metric=metric,
            **options,
        )
    found = [entry for entry in caught if entry.category is IntervalWarning]
    assert len(found) <= 1
    if not found:
        return None
    assert found[0].filename == __file__
    said, _, why = str(found[0].message).removeprefix("informedness: ").partition(": ")
    assert f"{metric} may cover the truth less often than" in said or said.startswith("there is no")
    return why


def test_scores_of_margins_want_5_references_or_predictions_of_classes_that_are_rare():
    """With so many, intervals covered the truth as often on 20 and 30 samples as on many.

    At 1% positives of 200 the interval of kappa covered the truth in 90%.
    """
    of_47 = np.array([[20, 3, 0], [4, 15, 1], [1, 1, 2]])
    few = "4 references of the rarest class, fewer than the recommended 5"
    outside = "4 references outside the largest class, fewer than the recommended 5"
    for matrix, why in (
        (of_47, few),
        (of_47 + np.diag([0, 0, 1]), None),
        (of_47 + np.diag([3, 0, 0]), None),  # 50 in all
        (np.array([[180, 16], [1, 3]]), outside),
        (np.array([[180, 15], [2, 3]]), None),
    ):
        for metric in set(METRICS) - {"nit", "ema", "markedness"}:
            assert warned(matrix, metric) == (None if metric == "accuracy" else why), metric
        wanted = why and why.replace("references", "predictions")
        assert warned(matrix.T, "markedness") == wanted
    assert warned([[180, 16], [1, 3]], "markedness") is None
    assert warned([[1, 1], [1, 1]]).startswith("2 references outside the largest class, fewer")
    assert warned([[5, 3], [0, 0]]) is None  # the score is undefined, and that is warned of
    assert warned(np.diag([50, 50, 4, 4]), "f1_macro") is None  # no more than half are rare
    # of classes with fewer, some 0.17% each, intervals covered the truth in 85% of tables
    assert warned([[100, 5, 0], [1, 9, 0], [0, 2, 2]], average=None) == few
    assert warned([[100, 5, 0], [1, 9, 0], [0, 2, 3]], average=None) is None


def test_scores_of_cells_want_references_of_each_class_where_classes_are_observed():
    matrix = np.array([[20, 3, 0], [4, 15, 1], [1, 1, 2]])
    few = "4 references of the rarest class, fewer than the recommended 5"
    for metric in ("nit", "ema"):
        assert warned(table_of(matrix, labels=range(3)), metric) == few
        for enough in (
            [[904, 91], [2, 3]],
            [[900, 90, 1], [2, 5, 0], [1, 0, 4]],
            np.diag([850] + [5] * 30),
        ):
            assert warned(enough, metric) is None
        assert warned([[900, 91], [1, 3]], metric) == (
            "only 4 references of the rarest class, so other classes may be missing; for an "
            "interval, about 1,200 samples would do, or declare all classes with `labels`"
        )
    classes = "fewer than 1,000, may lack a rare class; declare all classes with `labels`"
    assert warned(matrix + np.diag([0, 0, 1]), "nit") == f"48 samples, {classes}"
    wanted = "48 samples, fewer than the recommended 50"
    assert warned(matrix + np.diag([0, 0, 1]), "ema") == wanted


def test_the_warning_goes_by_the_effective_number_of_samples():
    samples = weighted([[30, 5], [5, 30]])
    table = table_of_labels(*samples[:2], sample_weight=samples[2])
    size = effective_sample_size(table)
    assert size < 50 < table.n_samples
    assert warned(table, "ema") == f"{size:.4g} samples, fewer than the recommended 50"
    assert issubclass(IntervalWarning, InformednessWarning)


# Where there is nothing to estimate


def test_the_standard_error_of_constant_and_of_perfect_predictions_is_exactly_0():
    """A constant is 0 informed, and all right 1, whatever the sample: nothing varies."""
    rng = np.random.default_rng(0)
    references = np.append(np.arange(7), rng.choice(7, 500, p=rng.dirichlet(np.ones(7))))
    prior = dict(enumerate(rng.dirichlet(np.full(7, 3.0)).tolist()))
    settings = [{}, {"average": "macro"}, {"average": None}, {"prior": prior}]
    settings += [{"metric": "balanced_accuracy"}]
    for predictions, metric in ((np.full(507, 3), "nit"), (references, "markedness")):
        for weights in (None, rng.exponential(size=507)):
            table = table_of_labels(references, predictions, sample_weight=weights)
            for options in [*settings, {"metric": metric}]:
                made = estimate(table, **options)
                each = made if isinstance(made, list) else [made]
                assert {one.standard_error for one in each} == {0.0}, options


def test_undefined_scores_have_no_interval_and_none_in_json():
    for matrix, defined in (  # of one reference, of one prediction, and of one of both
        ([[5, 3], [0, 0]], {"accuracy", "markedness"}),
        ([[5, 0], [5, 0]], {*METRICS} - {"markedness", "matthews_corrcoef"}),
        ([[5, 0], [0, 0]], {"accuracy"}),
    ):
        for metric in METRICS:
            made = estimate(table_of(matrix), metric=metric)
            plain = json.loads(json.dumps(made.to_dict(), allow_nan=False))
            undefined = metric not in defined
            assert (plain["standard_error"] is None) == undefined, (matrix, metric)
            assert (plain["confidence_interval"] == [None, None]) == undefined
            assert ("nan" in str(made)) == undefined
    made = estimate(table_of([[5, 3], [0, 0]]), zero_division=math.nan)
    assert math.isnan(made.value)
    assert made.to_dict()["value"] is None


# Weights, labels, sizes


@every_score
def test_any_constant_weight_is_no_weight(score):
    references, predictions, _ = weighted(THREE)
    plain = estimate(table_of(THREE), **options_of(score))
    for weight in (1, 0.37, 5e6, 1e-100):
        made = estimate(
            references, predictions, **options_of(score), sample_weight=[weight] * len(references)
        )
        assert made.value == pytest.approx(plain.value, abs=1e-12)
        assert made.standard_error == pytest.approx(plain.standard_error, rel=1e-11)
        assert made.confidence_interval == pytest.approx(plain.confidence_interval, abs=1e-9)
        assert made.effective_sample_size == pytest.approx(plain.effective_sample_size)


def test_a_label_of_bytes_is_its_literal_in_json():
    made = estimate([b"a", b"\xff"] * 30, [b"a"] * 30 + [b"\xff"] * 30, average=None)
    assert [entry.label for entry in made] == [b"a", b"\xff"]
    assert [entry.to_dict()["label"] for entry in made] == ["b'a'", "b'\\xff'"]
    assert str(made[1]).startswith("informedness of b'\\xff' 0.")


def test_weights_without_squares_are_refused():
    # the sums of one class against the rest are whole numbers
    halves = [0, 1, 2, 0, 0, 1, 1, 2, 2], [0, 1, 2, 1, 2, 0, 2, 0, 1], [3] * 3 + [0.5] * 6
    table = table_of_pairs(*halves)
    known = table_of_pairs(*halves, squared_weights=[3] * 3 + [0.25] * 6)
    wanted = "`table` must know .* squared weights"
    for metric in METRICS:
        with pytest.raises(ValueError, match=f"{wanted}.*from labels"):
            estimate(table, metric=metric)
        assert estimate(known, metric=metric).standard_error > 0
    for metric in ("informedness", "markedness"):
        with pytest.raises(ValueError, match=wanted):
            estimate(table, metric=metric, average=None)
    for weight in (1e-200, 1e200):  # whose squares are no numbers
        with pytest.raises(ValueError, match=wanted):
            estimate([0, 1, 1], [0, 1, 0], sample_weight=[weight] * 3)


def test_unknown_answers_are_a_column_of_their_own():
    references = ["a"] * 30 + ["b"] * 30
    answers = ["a"] * 20 + ["b"] * 5 + ["?"] * 5 + ["b"] * 22 + ["a"] * 5 + ["!"] * 3
    outside = {"labels": ["a", "b"], "unknown": "wrong"}
    for score in SCORES:
        made = estimate(references, answers, **outside, **options_of(score))
        same = estimate(table_of([[20, 5, 5], [5, 22, 3], [0, 0, 0]]), **options_of(score))
        if score[0] == "f1_macro":  # which leaves them out of its mean
            assert made.value == pytest.approx((40 / 55 + 44 / 57) / 2, abs=1e-12)
            assert made.standard_error == pytest.approx(same.standard_error * 3 / 2, rel=1e-12)
            continue
        assert made.value == pytest.approx(same.value, abs=1e-12)
        assert made.standard_error == pytest.approx(same.standard_error, rel=1e-12)
        # a third class could have been found, and here there is none
        low, high = made.confidence_interval
        least, most = same.confidence_interval
        assert least - 1e-12 <= low < high <= most + 1e-12, score
    each = estimate(references, answers, **outside, average=None)
    assert [entry.label for entry in each] == ["a", "b", None]
    assert math.isnan(each[2].standard_error)


# The options


def test_bad_options_and_those_of_other_scores_are_refused_by_name_and_value():
    references, predictions, _ = weighted(THREE)
    for options, text in (
        ({"metric": "f1"}, "`metric` must .*'f1'"),
        ({"average": "micro"}, "`average` must .*'micro'"),
        ({"average": "macro", "metric": "nit"}, "`average` must be left out for 'nit', got"),
        ({"average": None, "metric": "accuracy"}, "`average` must be left out for 'accuracy'"),
        ({"confidence_level": 95}, "`confidence_level` must .*95"),
        ({"confidence_level": math.nan}, "`confidence_level` must .*nan"),
        ({"confidence_level": 1 - 1e-16}, r"`confidence_level` must .*0\.9999"),
        ({"zero_division": 1}, "`zero_division` must .*1"),
        ({"prior": [0.5, 0.3, 0.2]}, "`prior` must .*0.5"),
        ({"prior": {0: 0.5, 1: 0.5}}, "`prior` must .*2"),
        ({"prior": {0: 0.5, 1: 0.5, 2: 0.5}}, r"`prior` must .*1\.5"),
        ({"prior": {0: 0.5, 1: 0.5}, "metric": "nit"}, "`prior` must be left out, except for an"),
        ({"prior": {0: 0.5, 1: 0.5}, "average": None}, "`prior` must be left out, except for an"),
    ):
        with pytest.raises(ValueError, match=f"(?s)^{text}"):
            estimate(references, predictions, **options)


def test_an_estimate_says_all_it_knows():
    table = table_of([[84, 6], [2, 8]], labels=["ham", "spam"])
    made = estimate(table, confidence_level=0.9)
    assert made.to_dict() == {
        "metric": "informedness",
        "value": made.value,
        "standard_error": made.standard_error,
        "confidence_interval": list(made.confidence_interval),
        "confidence_level": 0.9,
        "effective_sample_size": 100.0,
        "independence_p_value": None,
        "label": None,
        "signature": made.signature,
    }
    low, high = made.confidence_interval
    interval = f"90% interval {low:.4f} to {high:.4f}"
    assert str(made) == f"informedness 0.7333, standard error 0.1292, {interval}"


LETTERS = list("aabcbcc") * 9, list("abbcacb") * 9
ODD, AS_WRONG = (list("abba") * 20, list("ab?b") * 20), {"labels": ["a", "b"], "unknown": "wrong"}
CODES = [0, -100, 1, 1, 0] * 20, [0, 1, 1, 0, 1] * 20
PRIOR = {0: 0.25, 1: 0.75}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("metric", "pair", "options"),
    [
        *[
            (metric, pair, options)
            for metric in ("informedness", "nit")
            for pair, options in (
                (LETTERS, {"labels": ["c", "a", "b", "d"]}),
                (CODES, {"ignore_index": -100, "sample_weight": [0.1, 1, 2.3, 0.7, 1] * 20}),
                (
                    (list("abba") * 20, list("ab?b") * 20),
                    {"labels": ["a", "b"], "unknown": "wrong"},
                ),
            )
        ],
        ("informedness", LETTERS, {"average": None}),
        ("informedness", CODES, {"ignore_index": -100, "prior": PRIOR}),
    ],
)
def test_modules_give_the_same_estimate(metric, pair, options, load):
    options = options | {"confidence_level": 0.9}
    made = estimate(*pair, metric, **options)
    sides = dict(zip(("references", "predictions"), pair, strict=True))
    result = load(metric).compute(**sides, **options, return_signature=True)
    wanted = made if isinstance(made, list) else [made]
    for field in ("value", "standard_error", "confidence_interval"):
        found = result[metric if field == "value" else f"{metric}_{field}"]
        for number, one in zip(found if made is wanted else [found], wanted, strict=True):
            assert number == pytest.approx(getattr(one, field), abs=1e-12)
    assert result[f"{metric}_signature"] == wanted[0].signature.partition("|class:")[0]


def test_modules_refuse_a_level_with_options_that_leave_no_interval(load):
    for options, text in (
        ({"confidence_level": 95}, "`confidence_level` must lie between 0 and 1"),
        ({"confidence_level": "high"}, "`confidence_level` must lie between 0 and 1"),
        ({"confidence_level": 0.9, "prior": PRIOR, "prior_mode": "odds"}, '.* left out .*"odds"'),
        ({"confidence_level": 0.9, "prior": PRIOR, "average": None}, "`prior` must be left out"),
    ):
        with pytest.raises(ValueError, match=f"^{text}"):
            load("informedness").compute(references=[0, 1, 1], predictions=[0, 1, 0], **options)


def test_a_table_takes_the_place_of_labels_and_brings_its_own_options():
    references, predictions = list("aabbabba") * 10, list("abbbabaa") * 10
    table = table_of_labels(references, predictions)
    for options in ({}, {"metric": "nit"}, {"average": None}, {"ignore_index": "c"}):
        assert estimate(table, **options) == estimate(references, predictions, **options)
    for options in ({}, {"confidence_level": 0.9}):
        plain = report(table, **options).to_dict()
        assert plain == report(references, predictions, **options).to_dict()
    for function in (estimate, report):
        for beside in (
            {"y_pred": predictions},
            {"labels": ["a", "b"]},
            {"sample_weight": [1] * 80},
            {"unknown": "wrong"},
        ):
            with pytest.raises(ValueError, match="must be left out beside a table"):
                function(table, **beside)
        with pytest.raises(ValueError, match="`y_pred` must be given unless `y_true` is a Con"):
            function(references)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_weights_whose_squares_overflow_have_a_score_without_a_foreign_warning():
    table = table_of_labels([0, 1], [0, 1], sample_weight=[1.2e154, 1.2e154])
    assert (table.informedness(), table.squared_weights) == (1, None)
