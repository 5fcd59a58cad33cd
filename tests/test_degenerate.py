"""Every degenerate case has one documented result and one documented warning."""

import math
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import by_table
from golden import close
from informedness import (
    ContingencyTable,
    InformednessWarning,
    NoSamplesError,
    UndefinedMetricWarning,
    ema_score,
    entropy_triangle,
    estimate,
    estimate_from_labels,
    informedness_score,
    markedness_score,
    nit_score,
)

NAN, INF = math.nan, math.inf
AVERAGES = ("bias", "prevalence", "macro")
SCORES = (informedness_score, markedness_score, nit_score, ema_score, entropy_triangle)


pytestmark = pytest.mark.filterwarnings("error")  # but for those that a test expects


def messages(call, *args, **options):
    """Return what a call warns of, as (category, message) pairs."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call(*args, **options)
    return [(warning.category, str(warning.message)) for warning in caught]


# class in the references, never predicted


def test_a_class_never_predicted_adds_nothing_to_the_bias_average_without_a_warning():
    references, predictions = list("aabbcc"), list("aabbab")
    # J_a = 1 - 1/4, J_b = 1 - 1/4, J_c = 0; bias 1/2, 1/2, 0
    assert informedness_score(references, predictions, average=None) == [0.75, 0.75, 0.0]
    assert informedness_score(references, predictions) == 0.75
    assert informedness_score(references, predictions, average="prevalence") == close(0.5)
    assert informedness_score(references, predictions, average="macro") == close(0.5)


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize("constant", "abc")
def test_a_constant_guesser_scores_exactly_0_without_a_warning(constant, average):
    assert informedness_score(list("aaaaabbbc"), [constant] * 9, average=average) == 0.0


# class predicted, absent from the references


def test_a_class_absent_from_the_references_counts_0_and_is_named():
    references, predictions = list("aabb"), list("aabx")
    named = "among the predictions but not the references, so counted as 0 in Informedness: 'x'$"
    with pytest.warns(UndefinedMetricWarning, match=named):
        assert informedness_score(references, predictions, average=None) == [1.0, 0.5, 0.0]
    with pytest.warns(UndefinedMetricWarning, match=named):
        assert informedness_score(references, predictions) == 0.5 * 1.0 + 0.25 * 0.5
    with pytest.warns(UndefinedMetricWarning, match=named):
        assert informedness_score(references, predictions, average="prevalence") == 0.75
    with pytest.warns(UndefinedMetricWarning, match=named):
        assert informedness_score(references, predictions, average="macro") == 0.75


def test_a_declared_class_absent_from_the_references_is_named_too():
    with pytest.warns(UndefinedMetricWarning, match="counted as 0 in Informedness: 7$"):
        informedness_score([0, 0, 1], [0, 7, 1], labels=[0, 1, 7])


def test_a_declared_class_that_is_never_predicted_either_is_no_reason_to_warn():
    assert informedness_score([0, 1], [0, 1], labels=[0, 1, 7]) == 1.0
    assert informedness_score([0, 1], [0, 1], labels=[0, 1, 7], average="macro") == 1.0
    assert informedness_score([0, 1], [0, 1], labels=[7, 1, 0], average=None) == [0.0, 1.0, 1.0]


def test_guessing_a_class_absent_from_the_references_expects_exactly_0():
    """An independent table with a third of its predictions in an absent class."""
    table = ContingencyTable.from_matrix([[4, 4, 4], [2, 2, 2], [0, 0, 0]])
    with pytest.warns(UndefinedMetricWarning, match="counted as 0 in Informedness: 2$"):
        assert by_table.informedness(table) == 0.0


def test_disjoint_labels_score_0_and_every_class_is_named():
    with pytest.warns(UndefinedMetricWarning, match="counted as 0 in Informedness: 'x', 'y'$"):
        assert informedness_score(list("aabb"), list("xyxy")) == 0.0


def test_of_many_absent_classes_five_are_named():
    found = messages(informedness_score, [0, 1] * 4, list(range(2, 10)))
    assert [message for _, message in found] == [
        "informedness: among the predictions but not the references, so counted as 0 in "
        "Informedness: 2, 3, 4, 5, 6, ..."
    ]


@pytest.mark.parametrize(
    ("known", "like"),
    [
        ("spam", "Spam"),
        ("SPAM", "spam"),
        ("spam", "spam\n"),
        (" spam", "spam"),
        ("Not Spam", "notspam"),
        ("spam", "sp\N{NO-BREAK SPACE}am"),
    ],
)
def test_an_absent_label_that_differs_in_case_or_blanks_alone_is_hinted_at(known, like):
    ((category, message),) = messages(informedness_score, [known, "ham"], [like, "ham"])
    assert category is UndefinedMetricWarning
    assert message.endswith(f"; {like!r} differs from {known!r} only in case or spaces")


@pytest.mark.parametrize("other", ["spam1", "spa", "", "\N{CYRILLIC SMALL LETTER DZE}pam", "5pam"])
def test_an_absent_label_that_differs_in_more_is_not_hinted_at(other):
    ((_, message),) = messages(informedness_score, ["spam", "ham"], [other, "ham"])
    assert "differs" not in message
    assert repr(other) in message


def test_markedness_names_the_class_absent_from_the_predictions():
    named = "among the references but not the predictions, so counted as 0 in Markedness: 'b'$"
    with pytest.warns(UndefinedMetricWarning, match=named):
        assert markedness_score(list("aabc"), list("aaac"), average=None)[1] == 0.0


# one sample

CHOICES = {"labels": list("ABCD"), "unknown": "wrong"}
OF_ONE = (informedness_score, markedness_score, nit_score, ema_score)


@pytest.mark.parametrize("options", [{}, CHOICES], ids=["observed", "declared"])
@pytest.mark.parametrize("score", OF_ONE)
def test_one_sample_scores_the_same_right_or_wrong_and_one_warning_says_so(score, options):
    values = set()
    for answer in ("A", "B", "lol", "a"):
        ((category, message),) = messages(score, ["A"], [answer], **options)
        assert category is UndefinedMetricWarning
        assert message.startswith("informedness: the score of one sample is the same for a right ")
        for where in ("lm_eval.Task", "lighteval", "inspect_ai", "scorers.cross_val_estimate"):
            assert f"informedness.{where}" in message
        with pytest.warns(UndefinedMetricWarning):
            values.add(score(["A"], [answer], **options))
    k = 4 if options else 1
    wanted = {informedness_score: 0.0, markedness_score: 0.0, nit_score: 1 / k, ema_score: 1.0}
    assert values == {wanted[score]}


@pytest.mark.parametrize(
    ("references", "predictions", "options"),
    [
        ([0], [1], {"sample_weight": [0.25]}),
        ([0], [1], {"sample_weight": [7]}),
        ([0, 1], [0, 1], {"sample_weight": [1, 0]}),
        ([0, -100], [0, 1], {"ignore_index": -100}),
    ],
    ids=["light", "heavy", "weight 0", "ignored"],
)
@pytest.mark.parametrize("score", OF_ONE)
def test_one_sample_is_what_is_left_to_count_whatever_its_weight(
    score, references, predictions, options
):
    ((_, message),) = messages(score, references, predictions, **options)
    assert "the score of one sample" in message


def test_counts_tell_one_sample_and_sums_of_weights_do_not():
    for counts, options, is_one in (
        ([1], {}, True),
        ([2], {}, False),
        ([2.5], {"n_samples": [1]}, True),
        ([1.0], {"n_samples": [3]}, False),
        ([0.5], {}, False),
    ):
        table = ContingencyTable.from_counts(["A"], ["A"], counts, labels=list("ABCD"), **options)
        assert [message.partition(" is ")[0] for _, message in messages(table.nit)] == (
            ["informedness: the score of one sample"] if is_one else []
        )


def test_one_sample_has_one_warning_also_under_a_prior():
    options = {"prior": {"A": 0.5, "B": 0.5}, "labels": list("AB")}
    found = messages(informedness_score, ["A"], ["B"], **options)
    assert ["of one sample" in message for _, message in found] == [False, True]
    assert "dropped from the prior" in found[0][1]


@pytest.mark.parametrize("score", [informedness_score, markedness_score, nit_score])
def test_a_stand_in_of_the_users_silences_one_sample_where_the_score_is_undefined(score):
    assert math.isnan(score(["A"], ["A"], zero_division=NAN))  # a warning would be an error here
    if score is nit_score:  # which is defined where classes are declared
        ((_, message),) = messages(score, ["A"], ["A"], labels=["A", "B"], zero_division=NAN)
        assert "of one sample" in message


@pytest.mark.parametrize("score", OF_ONE)
def test_two_samples_are_not_taken_for_one(score):
    found = messages(score, ["A", "A"], ["A", "B"], **CHOICES)
    assert not any("of one sample" in message for _, message in found)


# one class in the references

ONE_CLASS = [([0, 0, 0], [0, 0, 0]), ([0, 0], [0, 0])]


@pytest.mark.parametrize("average", AVERAGES)
@pytest.mark.parametrize(("references", "predictions"), ONE_CLASS)
def test_one_class_in_the_references_is_undefined_and_never_1(references, predictions, average):
    undefined = "informedness: all references are 0: Informedness is undefined, 0.0 is returned "
    with pytest.warns(UndefinedMetricWarning, match=undefined):
        assert informedness_score(references, predictions, average=average) == 0.0
    options = {"average": average, "zero_division": 0.0}
    assert informedness_score(references, predictions, **options) == 0.0
    options["zero_division"] = NAN
    assert math.isnan(informedness_score(references, predictions, **options))


def test_by_class_the_stand_in_is_that_of_the_one_class_in_the_references():
    labels = [0, 1, 2]
    with pytest.warns(UndefinedMetricWarning, match="all references are 1"):
        assert informedness_score([1, 1], [1, 1], labels=labels, average=None) == [0.0] * 3
    options = {"labels": labels, "average": None, "zero_division": NAN}
    values = informedness_score([1, 1], [1, 1], **options)
    assert [math.isnan(value) for value in values] == [False, True, False]


def test_one_class_in_the_predictions_leaves_markedness_undefined():
    with pytest.warns(UndefinedMetricWarning) as caught:
        assert markedness_score([0, 0, 1], [0, 0, 0]) == 0.0
    assert "all predictions are 0: Markedness is undefined" in str(caught[1].message)


def test_one_class_and_another_predicted_warns_of_both():
    found = messages(informedness_score, [0, 0, 0], [0, 1, 1])
    assert [category for category, _ in found] == [UndefinedMetricWarning] * 2
    assert "counted as 0 in Informedness: 1" in found[0][1]
    assert "all references are 0" in found[1][1]


@pytest.mark.parametrize("zero_division", [0, 0.0, NAN])
def test_zero_division_silences_the_one_class_case_and_changes_nothing_else(zero_division):
    options = {"zero_division": zero_division}
    found = messages(informedness_score, [0, 0, 0], [0, 1, 1], **options)
    assert ["counted as 0 in Informedness: 1" in message for _, message in found] == [True]
    found = messages(informedness_score, [0, 1, 1], [0, 1, 2], **options)
    assert ["counted as 0 in Informedness: 2" in message for _, message in found] == [True]
    assert informedness_score([0, 1, 1], [0, 1, 0], **options) == 0.5


@pytest.mark.parametrize("zero_division", [1, 1.0, 0.5, -1, False, INF, None, "0", "nan", "Warn"])
@pytest.mark.parametrize("references", [[0, 0, 0], [0, 1, 0]], ids=["undefined", "defined"])
def test_zero_division_has_no_other_value(references, zero_division):
    wanted = '`zero_division` must be "warn", 0.0 or nan, got ' + repr(zero_division)
    for score in (informedness_score, markedness_score):
        with pytest.raises(ValueError, match=wanted):
            score(references, [0, 1, 1], zero_division=zero_division)


# prediction outside the declared labels


@pytest.mark.parametrize("score", SCORES)
def test_a_prediction_outside_the_labels_is_refused_by_name(score):
    with pytest.raises(
        ValueError, match="`labels` must list every prediction, 'refused' is missing"
    ):
        score(["yes", "no"], ["yes", "refused"], labels=["yes", "no"])


@pytest.mark.parametrize("unknown", ["error", "wrong"])
@pytest.mark.parametrize("score", SCORES)
def test_a_reference_outside_the_labels_is_refused_by_name(score, unknown):
    with pytest.raises(ValueError, match="`labels` must list every reference, 'maybe' is missing"):
        score(["yes", "maybe"], ["yes", "no"], labels=["yes", "no"], unknown=unknown)


def test_unknown_wrong_makes_all_such_predictions_one_class_that_counts_0():
    references, predictions = list("aabbb"), ["a", "?", "b", "b", "???"]
    options = {"labels": ["a", "b"], "unknown": "wrong"}
    table = ContingencyTable.from_labels(references, predictions, **options)
    assert table.labels == ("a", "b", None)
    assert table.to_dense().tolist() == [[1, 0, 1], [0, 2, 1], [0, 0, 0]]
    by_class = informedness_score(references, predictions, average=None, **options)
    assert by_class == close([1 / 2, 2 / 3, 0])
    # the share of None counts: bias 1/5, 2/5, 2/5
    assert informedness_score(references, predictions, **options) == close(1 / 10 + 4 / 15)
    macro = informedness_score(references, predictions, average="macro", **options)
    assert macro == close(7 / 12)


def test_unknown_wrong_is_never_in_the_k_of_nit():
    references, predictions = list("aabb"), ["a", "a", "b", "?"]
    options = {"labels": ["a", "b"], "unknown": "wrong"}
    # MI = 1 bit: the unknown prediction happens to give its reference away
    assert nit_score(references, predictions, **options) == close(1.0)
    assert nit_score(references, ["?"] * 4, **options) == 0.5


def test_unknown_wrong_changes_nothing_where_all_predictions_are_known():
    pair = [0, 1, 2, 2], [0, 1, 2, 1]
    strict = ContingencyTable.from_labels(*pair, labels=[0, 1, 2])
    assert ContingencyTable.from_labels(*pair, labels=[0, 1, 2], unknown="wrong") == strict


def test_unknown_wrong_needs_the_labels_that_are_known():
    with pytest.raises(ValueError, match='`unknown` can be "wrong" only with `labels`'):
        informedness_score([0, 1], [0, 2], unknown="wrong")


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({"unknown": "ignore"}, "`unknown` must be one of .*got 'ignore'"),
        ({"average": "weighted"}, "`average` must be one of .*got 'weighted'"),
        ({"average": ["bias"]}, r"`average` must be one of .*got \['bias'\]"),
        ({"prior_mode": "gain"}, "`prior_mode` must be one of .*got 'gain'"),
    ],
)
def test_an_option_with_an_unknown_value_is_refused(options, wanted):
    with pytest.raises(ValueError, match=wanted):
        informedness_score([0, 1], [0, 1], **options)


# no samples


@pytest.mark.parametrize("score", SCORES)
def test_no_sample_or_no_weight_is_refused(score):
    with pytest.raises(ValueError, match=r"there must be a sample to score, got 0 samples$"):
        score([], [])
    with pytest.raises(ValueError, match="got 2 samples, and none is left"):
        score([0, 1], [0, 1], sample_weight=[0, 0.0])
    with pytest.raises(ValueError, match="none is left: all are ignored"):
        score([-100, -100], [0, 1], ignore_index=-100)


@pytest.mark.parametrize("matrix", [[[0, 0], [0, 0]], [[0.0]]])
def test_a_table_of_zeros_is_refused(matrix):
    with pytest.raises(ValueError, match=r"`counts` must sum to more than 0 .*got 0"):
        ContingencyTable.from_matrix(matrix)


# weight 0


def test_weight_0_drops_the_sample_and_the_class_that_was_only_there():
    pair = [0, 0, 1, 1, 2], [0, 1, 1, 1, 3]
    weight = [1.0, 2.0, 1.0, 1.0, 0.0]
    table = ContingencyTable.from_labels(*pair, sample_weight=weight)
    without = [side[:-1] for side in pair]
    assert table == ContingencyTable.from_labels(*without, sample_weight=weight[:-1])
    assert table.labels == (0, 1)
    assert nit_score(*pair, sample_weight=weight) == nit_score(*without, sample_weight=weight[:-1])


def test_weight_0_can_leave_one_class_in_the_references():
    with pytest.warns(UndefinedMetricWarning, match="all references are 0"):
        assert informedness_score([0, 0, 1], [0, 0, 1], sample_weight=[1, 1, 0]) == 0.0


# ignore_index


def test_ignore_index_drops_the_samples_whose_reference_equals_it():
    references, predictions = [0, 0, 1, 1, -100], [0, 1, 1, 1, 0]
    weights = [1.0, 2.0, 3.0, 4.0, 5.0]
    options = {"ignore_index": -100, "sample_weight": weights}
    table = ContingencyTable.from_labels(references, predictions, **options)
    short = references[:4], predictions[:4]
    assert table == ContingencyTable.from_labels(*short, sample_weight=weights[:4])
    assert informedness_score(references, predictions, ignore_index=-100) == 0.5
    assert nit_score(references, predictions, ignore_index=-100) == nit_score(*short)


def test_ignore_index_looks_at_references_alone():
    with pytest.warns(UndefinedMetricWarning, match="counted as 0 in Informedness: -100"):
        assert informedness_score([0, 1], [0, -100], ignore_index=-100) == 0.5


def test_ignore_index_can_be_a_string():
    assert informedness_score(list("abO"), list("aba"), ignore_index="O") == 1.0


def test_ignore_index_that_does_not_occur_changes_nothing():
    assert informedness_score([0, 0, 1], [0, 1, 1], ignore_index=9) == 0.5


def test_ignore_index_need_not_be_among_the_labels():
    options = {"ignore_index": -100, "labels": [0, 1]}
    assert informedness_score([0, 1, -100], [0, 1, 1], **options) == 1.0
    # nor the prediction beside it
    assert informedness_score([0, 1, -100], [0, 1, 5], **options) == 1.0


@pytest.mark.parametrize("ignore_index", ["-100", b"-100"])
def test_ignore_index_of_another_type_than_the_labels_is_refused(ignore_index):
    with pytest.raises(ValueError, match="`ignore_index` must hold labels of the same type"):
        informedness_score([0, 1, -100], [0, 1, 0], ignore_index=ignore_index)


def test_a_reference_of_minus_100_warns_and_counts():
    references, predictions = [0, 1, -100, -100], [0, 1, 0, -100]
    wanted = "informedness: -100 among the references counts as a class: ignore_index=-100 drops"
    with pytest.warns(InformednessWarning, match=wanted):
        table = ContingencyTable.from_labels(references, predictions)
    assert table.labels == (-100, 0, 1)


@pytest.mark.parametrize(
    "options",
    [{"labels": [-100, 0, 1]}, {"ignore_index": -100}, {"ignore_index": 0}],
    ids=["declared", "dropped", "another one dropped"],
)
def test_a_reference_of_minus_100_is_not_warned_of_where_the_caller_decided(options):
    ContingencyTable.from_labels([0, 1, -100], [0, 1, 1], **options)


def test_a_reference_of_minus_100_with_weight_0_does_not_count_and_is_not_warned_of():
    weights = [1.0, 1.0, 0.0]
    assert informedness_score([0, 1, -100], [0, 1, 1], sample_weight=weights) == 1.0


@pytest.mark.parametrize("references", [["-100", "0"], [100, 0], [-1, 0]])
def test_other_references_are_not_taken_for_the_ignored_one(references):
    assert informedness_score(references, references) == 1.0


# NIT


def test_zero_division_of_nit_is_the_value_of_one_class_and_silences_its_warning():
    one = [0, 0], [0, 1]
    assert nit_score(*one, zero_division=1.0) == nit_score(*one, zero_division=1) == 1.0
    assert math.isnan(nit_score(*one, zero_division=NAN))
    assert math.isnan(nit_score(*one, zero_division=np.float32(NAN)))
    assert nit_score([0, 1], [0, 1], zero_division=NAN) == 1.0
    # one class of two that are declared is not undefined
    assert nit_score(*one, labels=[0, 1], zero_division=NAN) == 0.5
    table = ContingencyTable.from_labels(*one)
    made = estimate(table, "nit", zero_division=NAN)
    assert math.isnan(made.value)
    assert "|zero:nan|" in made.signature
    assert estimate(table, "nit", zero_division=1.0).value == 1.0
    with pytest.warns(UndefinedMetricWarning, match="NIT is 1.0 by definition"):
        assert estimate(table, "nit").value == 1.0


@pytest.mark.parametrize("zero_division", [0, 0.0, 0.5, True, INF, None, "1", "nan", NAN * 1j])
@pytest.mark.parametrize("references", [[0, 0, 0], [0, 1, 0]], ids=["undefined", "defined"])
def test_zero_division_of_nit_has_no_other_value(references, zero_division):
    wanted = '`zero_division` must be "warn", 1.0 or nan, got ' + re.escape(repr(zero_division))
    for score in (
        nit_score,
        lambda *pair, **options: estimate_from_labels(*pair, "nit", **options),
    ):
        with pytest.raises(ValueError, match=wanted):
            score(references, [0, 1, 1], zero_division=zero_division)


@pytest.mark.parametrize("value", [pd.NA, np.array([0.0, 1.0]), [0.0], {}, np.array("warn"), "é"])
@pytest.mark.parametrize("score", [informedness_score, markedness_score, nit_score])
def test_a_stand_in_that_is_no_number_is_refused(score, value):
    with pytest.raises(ValueError, match=r'`zero_division` must be "warn", [01]\.0 or nan, got '):
        score([0, 0, 1], [0, 1, 1], zero_division=value)


@pytest.mark.parametrize("predictions", [[0, 0], [0, 1]])
def test_nit_of_one_reference_class_is_1_with_a_warning(predictions):
    one = "informedness: there is only one class: NIT is 1.0"
    with pytest.warns(UndefinedMetricWarning, match=one):
        assert nit_score([0, 0], predictions) == 1.0


def test_nit_counts_declared_classes_that_the_samples_miss():
    pair = [0, 0, 1, 1], [0, 0, 1, 1]
    assert nit_score(*pair) == 1.0
    assert nit_score(*pair, labels=[0, 1]) == 1.0
    assert nit_score(*pair, labels=[0, 1, 2, 3]) == 0.5
    assert nit_score([0, 0], [0, 0], labels=[0, 1]) == 0.5


def test_nit_does_not_count_classes_that_are_predicted_only():
    assert nit_score([0, 0, 1, 1], [0, 0, 1, 2]) == close(1.0)


def test_the_entropy_triangle_of_one_class_is_nan_and_of_a_predicted_second_is_not():
    assert all(map(math.isnan, entropy_triangle([0, 0], [0, 0])))
    assert entropy_triangle([0, 0], [0, 1]) == (0.5, 0.0, 0.5)


# merging


def test_merging_keeps_declared_only_where_both_sides_declare_the_same():
    def table(labels=None):
        return ContingencyTable.from_labels([0, 1], [0, 1], labels=labels)

    assert (table([0, 1, 2]) + table([0, 1, 2])).declared
    assert by_table.nit(table([0, 1, 2, 3]) + table([0, 1, 2, 3])) == 0.5
    for merged in (table([0, 1]) + table(), table() + table([0, 1]), table() + table()):
        assert not merged.declared
    for other in (table(), table([0, 1])):
        for merged in (table([0, 1, 2, 3]) + other, other + table([0, 1, 2, 3])):
            assert not merged.declared
            assert merged.labels == (0, 1, 2, 3)
            assert by_table.nit(merged) == 1.0


def test_merging_keeps_the_order_of_declared_classes():
    tables = [ContingencyTable.from_labels([c], [c], labels=["b", "a"]) for c in "ab"]
    assert (tables[0] + tables[1]).labels == ("b", "a")


def test_merging_adds_up_what_is_unknown():
    parts = [("a", "a"), ("b", "?"), ("a", "!")]
    options = {"labels": ["b", "a"], "unknown": "wrong"}
    tables = [ContingencyTable.from_labels([r], [p], **options) for r, p in parts]
    whole = ContingencyTable.from_labels(list("aba"), list("a?!"), **options)
    assert tables[0] + tables[1] + tables[2] == whole


def test_tables_add_up_by_sum():
    pairs = [(list("ab"), list("aa")), (list("bc"), list("bc")), (list("c"), list("a"))]
    tables = [ContingencyTable.from_labels(*pair) for pair in pairs]
    assert sum(tables) == tables[0] + tables[1] + tables[2]
    assert sum(tables[:1]) == tables[0]
    for other in (1, 0.0, False, None):
        with pytest.raises(TypeError, match="unsupported operand"):
            other + tables[0]


def test_merging_refuses_more_than_64_bits_hold_as_counting_does():
    half = ContingencyTable.from_counts([0, 1], [0, 1], [2**61, 2**61])
    most = ContingencyTable.from_counts([1], [0], [2**62 - 1])
    assert (half + most).total == 2**63 - 1
    one = ContingencyTable.from_counts([1], [0], [1])
    for tables in ((half, half), (half, most, one)):
        with pytest.raises(
            ValueError, match=rf"`counts` must sum to .* below 2\*\*63, got {2**63}"
        ):
            sum(tables)


def test_merging_refuses_weights_that_sum_to_infinity():
    options = {"sample_weight": [1.5e308]}
    tables = [ContingencyTable.from_labels([label], [0], **options) for label in (0, 1)]
    with pytest.raises(ValueError, match="`counts` must have a finite sum, got one beyond 1e308"):
        tables[0] + tables[1]


def test_tables_of_other_types_of_labels_are_not_merged():
    integers, strings = (ContingencyTable.from_labels(x, x) for x in ([0, 1], ["0", "1"]))
    with pytest.raises(ValueError, match="one type to be merged, got integers and strings"):
        integers + strings
    with pytest.raises(TypeError):
        integers + 1


# prior

LABELS = ["a", "b", "c"]
REFERENCES, PREDICTIONS = list("aaaabbcc"), list("aabcbbca")
EVEN = {"a": 0.3, "b": 0.3, "c": 0.4}


def under(prior, **options):
    return informedness_score(REFERENCES, PREDICTIONS, prior=prior, **options)


def test_a_prior_is_the_score_of_the_samples_reweighted_to_it():
    weights = [EVEN[label] / REFERENCES.count(label) for label in REFERENCES]
    for average in AVERAGES:
        wanted = informedness_score(REFERENCES, PREDICTIONS, average=average, sample_weight=weights)
        assert under(EVEN, average=average) == close(wanted)
    assert under(EVEN) != close(informedness_score(REFERENCES, PREDICTIONS))


def test_under_any_prior_perfect_is_1_and_constant_guessing_0():
    assert informedness_score(REFERENCES, REFERENCES, prior=EVEN) == close(1)
    assert informedness_score(REFERENCES, ["a"] * 8, prior=EVEN) == close(0)


def test_the_prevalence_as_prior_changes_nothing_in_either_mode():
    prevalence = {"a": 0.5, "b": 0.25, "c": 0.25}
    for mode in ("reweight", "odds"):
        wanted = informedness_score(REFERENCES, PREDICTIONS)
        assert under(prevalence, prior_mode=mode) == close(wanted)


def test_the_order_of_a_prior_does_not_matter():
    assert under(dict(reversed(EVEN.items()))) == under(EVEN)


@pytest.mark.parametrize(
    ("prior", "wanted"),
    [
        ({"a": 0.5, "b": 0.5}, "must cover every class in the references, 'c' is missing"),
        ({}, "must cover every class in the references, 'a' is missing"),
        ({0: 0.3, 1: 0.3, 2: 0.4}, "must cover every class in the references, 'a' is missing"),
        (EVEN | {"d": 0.1}, "must name classes of the references, got 'd'"),
        (EVEN | {"a": 0.2}, "must sum to 1, got 0.9"),
        (EVEN | {"a": 0.3 + 2e-6}, "must sum to 1, got 1.000002"),
        ({"a": 0.0, "b": 0.5, "c": 0.5}, "must lie strictly between .*got 0.0 for 'a'"),
        ({"a": -0.1, "b": 0.6, "c": 0.5}, "must lie strictly between .*got -0.1 for 'a'"),
        ({"a": 1.0, "b": 0.0, "c": 0.0}, "must lie strictly between .*got 1.0 for 'a'"),
        ({"a": math.inf, "b": 0.6, "c": 0.5}, "must lie strictly between .*got inf for 'a'"),
        ({"a": NAN, "b": 0.6, "c": 0.4}, "must lie strictly between .*got nan for 'a'"),
        (EVEN | {"a": "0.3"}, "must hold numbers, got '0.3' for 'a'"),
        (EVEN | {"a": None}, "must hold numbers, got None for 'a'"),
        (EVEN | {"a": 0.3 + 0j}, r"must .*got \(0.3\+0j\) for 'a'"),
        (0.5, "must map each class to its probability.* got 0.5"),
        ([0.3, 0.3, 0.4], r"must map each class to its probability.* got \[0.3"),
        ("uniform", "must map each class to its probability.* got 'uniform'"),
        ("balanced", "must map each class to its probability.* got 'balanced'"),
    ],
)
@pytest.mark.parametrize("mode", ["reweight", "odds"])
def test_a_mapping_that_is_no_prior_of_the_references_is_refused(prior, wanted, mode):
    with pytest.raises(ValueError, match="`prior` " + wanted):
        under(prior, prior_mode=mode)


def test_a_prior_within_1e_6_of_1_is_rescaled():
    assert under(EVEN | {"a": 0.3 + 9e-7}) == pytest.approx(under(EVEN), abs=2e-6)
    assert informedness_score(REFERENCES, REFERENCES, prior=EVEN | {"a": 0.3 + 9e-7}) == close(1)


def test_declared_classes_without_samples_are_dropped_and_the_rest_rescaled():
    half = {label: share / 2 for label, share in EVEN.items()} | {"d": 0.3, "e": 0.2}
    dropped = (
        "informedness: no reference is 'd', 'e': dropped from the prior, the rest were rescaled"
    )
    for mode in ("reweight", "odds"):
        with pytest.warns(InformednessWarning, match=dropped):
            value = under(half, labels=[*LABELS, "d", "e"], prior_mode=mode)
        assert value == close(under(EVEN, prior_mode=mode))


def test_a_prior_cannot_name_the_unknown_predictions():
    options = {"labels": LABELS, "unknown": "wrong"}
    with pytest.raises(ValueError, match="`prior` must name classes of the references, got None"):
        informedness_score(
            REFERENCES, [*PREDICTIONS[:7], "?"], prior=EVEN | {"a": 0.2, None: 0.1}, **options
        )


def test_a_prior_leaves_a_class_absent_from_the_references_at_0():
    predictions = [*PREDICTIONS[:7], "x"]
    with pytest.warns(UndefinedMetricWarning, match="counted as 0 in Informedness: 'x'"):
        by_class = informedness_score(REFERENCES, predictions, prior=EVEN, average=None)
    assert by_class[3] == 0.0


def test_the_odds_of_a_prior_mean_nothing_for_markedness():
    with pytest.raises(ValueError, match=r"`prior_mode` must be one of .*got 'odds'"):
        markedness_score(REFERENCES, PREDICTIONS, prior=EVEN, prior_mode="odds")


# warnings

THIRDS = dict.fromkeys(range(3), 1 / 3)
WARNING_CALLS = [
    (informedness_score, ([0, 0], [0, 0]), {}),
    (informedness_score, ([0, 1], [0, 2]), {}),
    (informedness_score, ([0, 1, -100], [0, 1, 0]), {}),
    (informedness_score, ([0, 1], [0, 1]), {"labels": range(3), "prior": THIRDS}),
    (markedness_score, ([0, 1], [0, 0]), {}),
    (nit_score, ([0, 0], [0, 0]), {}),
    (ema_score, ([0], [1]), {}),
]


@pytest.mark.parametrize(("score", "pair", "options"), WARNING_CALLS)
def test_every_warning_has_the_prefix_by_which_it_is_filtered(score, pair, options):
    found = messages(score, *pair, **options)
    assert found
    assert all(issubclass(category, InformednessWarning) for category, _ in found)
    assert all(message.startswith("informedness: ") for _, message in found)
    warnings.filterwarnings("ignore", message="informedness: ")
    score(*pair, **options)  # a warning would be an error here


@pytest.mark.parametrize(("score", "pair", "options"), WARNING_CALLS)
def test_every_warning_points_at_the_line_that_called(score, pair, options):
    with pytest.warns(InformednessWarning) as caught:
        score(*pair, **options)
    assert {warning.filename for warning in caught} == {__file__}


def test_warnings_are_user_warnings_with_one_base():
    assert issubclass(UndefinedMetricWarning, InformednessWarning)
    assert issubclass(InformednessWarning, UserWarning)


def test_weights_of_very_different_sizes_are_no_error():
    table = ContingencyTable.from_matrix([[1e-20, 0], [0, 1]])
    assert by_table.informedness(table) == 1.0
    assert by_table.nit(table) == 0.5
    for score in (by_table.cohen_kappa, by_table.matthews_corrcoef):
        assert not abs(score(table)) > 1


def test_a_loop_of_ones_own_can_pass_over_a_batch_that_is_all_ignored():
    batches = [([0, 1], [0, 1]), ([-100, -100], [0, 1]), ([1, -100], [0, 0])]
    tables = []
    for references, predictions in batches:
        try:
            tables.append(ContingencyTable.from_labels(references, predictions, ignore_index=-100))
        except NoSamplesError:
            continue
    assert sum(tables).n_samples == 3
    assert issubclass(NoSamplesError, ValueError)


@pytest.mark.parametrize(
    ("call", "score"),
    [
        (lambda: informedness_score([0, 0], [0, 1]), "Informedness"),
        (lambda: informedness_score([0, 1], [2, 1], average=None), "Informedness"),
        (lambda: markedness_score([0, 1], [0, 0]), "Markedness"),
        (lambda: markedness_score([0, 1, 2], [0, 1, 1], average="macro"), "Markedness"),
        (lambda: nit_score([0, 0], [0, 1]), "NIT"),
        (lambda: nit_score([0, 1, 0], [2, 3, 4]), "NIT"),
        (lambda: ema_score([0, 1, 0], [2, 3, 4]), "EMA"),
    ],
)
def test_every_warning_names_its_score(call, score):
    found = messages(call)
    assert found
    for _, message in found:
        assert score in message.removeprefix("informedness: ")
