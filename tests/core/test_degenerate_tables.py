"""Every degenerate case has one documented result and one documented warning.

Covers src: core/scores.py, functions.py.
"""

import math
import re
import warnings
from collections import Counter
from contextlib import nullcontext
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

from informedness import ema_score, estimate, informedness_score, markedness_score, nit_score
from informedness.warnings import InformednessWarning, LabelsWarning, UndefinedMetricWarning
from inputs.tables import table_of_labels, table_of_pairs
from oracles.golden import close

NAN = math.nan
OUTSIDE = "in 1 of 4 samples `y_pred` has labels that are not classes of `y_true`: 'x'. They count"
pytestmark = pytest.mark.filterwarnings("ignore::informedness.warnings.LabelsWarning")


def messages(call, *args, **options):
    """Return what a call warns of, at the line that called and with the prefix of a filter."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warnings.simplefilter("ignore", LabelsWarning)
        call(*args, **options)
    assert {one.filename for one in caught} <= {__file__}
    assert all(str(one.message).startswith("informedness: ") for one in caught)
    assert all(issubclass(one.category, InformednessWarning) for one in caught)
    return [str(one.message) for one in caught]


# class predicted, absent from the references


@pytest.mark.parametrize(
    ("score", "pair", "options", "said"),
    [
        *((informedness_score, "aabb aabx", {"average": x}, OUTSIDE) for x in (None, "bias")),
        (
            informedness_score,
            "aabb axyx",
            {"labels": [*"abxy"]},
            "75.0% of the predictions are 'x', 'y'",
        ),
        # declared and never predicted either, it is no reason to warn
        (informedness_score, "aabb aabb", {"labels": [*"abx"], "average": "macro"}, None),
        (markedness_score, "abc abb", {}, "the predictions lack count as 0 in .*: 'c'$"),
        (nit_score, "aba cde", {}, "3 labels, such as 'c' and 'd'.* In NIT they may carry"),
        (ema_score, "aba cde", {}, "`y_pred` has labels that are not classes of `y_true`"),
    ],
)
def test_classes_of_one_side_are_named_once(score, pair, options, said):
    found = messages(score, *map(list, pair.split()), **options)
    assert [bool(re.search(said or "", message)) for message in found] == [True] * bool(said)


# one sample

CHOICES = {"labels": list("ABCD"), "unknown": "wrong"}
OF_ONE = (informedness_score, markedness_score, nit_score, ema_score)


@pytest.mark.parametrize(("options", "k"), [({}, 1), (CHOICES, 4)])
def test_one_sample_scores_alike_right_or_wrong_with_one_warning(options, k):
    for score, wanted in zip(OF_ONE, (0.0, 0.0, 1 / k, 1.0), strict=True):
        if options and score is markedness_score:  # which does not take `unknown`
            continue
        for references, predictions, weights in (
            ("A", "A", [1]),
            ("A", "B", [0.25]),
            ("A", "a", None),
            ("AB", "AB", [1, 0]),
        ):
            given = {"sample_weight": weights, **options}
            with pytest.warns(UndefinedMetricWarning, match="^informedness: one sample") as caught:
                assert score([*references], [*predictions], **given) == wanted
            assert len(caught) == 1


# one class


def test_by_class_the_stand_in_is_that_of_the_one_class():
    options = {"labels": [0, 1, 2], "average": None}
    with pytest.warns(UndefinedMetricWarning, match="all references are 1"):
        assert informedness_score([1, 1], [1, 1], **options) == [0.0] * 3
    values = informedness_score([1, 1], [1, 1], zero_division=NAN, **options)
    assert [math.isnan(value) for value in values] == [False, True, False]


STAND_INS = [(informedness_score, 0.0), (markedness_score, 0.0), (nit_score, 1.0)]


@pytest.mark.parametrize(("score", "stand_in"), STAND_INS)
def test_zero_division_silences_only_the_undefined_case(score, stand_in):
    # markedness is undefined where all predictions are one class; the other class has no gain
    one = ([0, 1], [0, 0]) if score is markedness_score else ([0, 0], [0, 1])
    found = messages(score, *one)
    others = [said for said in found if not said.endswith(("instead.", "by definition"))]
    assert len(found) == len(others) + 1
    for value in (stand_in, int(stand_in), NAN, np.float32(NAN)):
        assert messages(score, *one, zero_division=value) == others
        with pytest.warns(UndefinedMetricWarning) if others else nullcontext():
            assert [score(*one, zero_division=value)] == pytest.approx([value], nan_ok=True)
        assert not messages(score, ["A"], ["A"], zero_division=value)  # of one sample neither
    assert score([0, 1], [0, 1], zero_division=NAN) == close(1)
    for value in (1 - stand_in, 0.5, True, math.inf, None, "0", "Warn", NAN * 1j, Decimal("sNaN")):
        wanted = f'`zero_division` must be "warn", {stand_in} or nan, got {value!r}'
        for labels in ([0, 0, 0], [0, 1, 0]):
            with pytest.raises(ValueError, match=re.escape(wanted)):
                score(labels, labels, zero_division=value)


def test_zero_division_of_estimates_of_nit_is_that_of_the_score():
    # one class of two that are declared is not undefined
    assert nit_score([0, 0], [0, 1], labels=[0, 1], zero_division=NAN) == close(0.5)
    made = estimate([0, 0], [0, 0], "nit", zero_division=NAN)
    assert (math.isnan(made.value), made.to_dict()["value"]) == (True, None)
    assert "|zero:nan|" in made.signature
    with pytest.warns(UndefinedMetricWarning, match="NIT is 1.0 by definition"):
        assert estimate([0, 0], [0, 0], "nit").value == 1.0


def test_ignore_index_looks_at_references_alone():
    with pytest.warns(
        UndefinedMetricWarning, match="has labels that are not classes of `y_true`: -100. They"
    ):
        assert informedness_score([0, 1], [0, -100], ignore_index=-100) == 0.0
    # those it drops may have any label beside them
    assert informedness_score([0, 1, -100], [0, 1, 5], ignore_index=-100, labels=[0, 1]) == 1.0


# merging


def test_merging_keeps_declared_classes_only_if_both_agree():
    wide, narrow, observed = (
        table_of_labels([0, 1], [0, 1], labels=labels) for labels in ([3, 2, 1, 0], [0, 1], None)
    )
    assert ((wide + wide).is_declared, (wide + wide).labels) == (True, (3, 2, 1, 0))
    for merged in (wide + observed, observed + wide, wide + narrow, narrow + wide):
        assert (merged.is_declared, merged.labels) == (False, (0, 1, 2, 3))


def test_a_sum_has_n_samples_if_all_parts_have_it():
    known, unknown = table_of_pairs([0, 1], [0, 1], [1, 2]), table_of_pairs([0], [0], [1.5])
    sums = known + known, known + unknown, unknown + known
    assert [table.n_samples for table in sums] == [6, None, None]
    numbered = table_of_pairs([0], [0], [1.5], n_samples=[2])
    assert unknown != numbered == table_of_pairs([0], [0], [1.5], n_samples=[2])


def test_a_sum_starts_from_0_and_refuses_impossible_counts():
    most, one, text = (table_of_pairs([x], [x], [n]) for x, n in ((1, 2**63 - 1), (1, 1), ("a", 1)))
    heavy = table_of_labels([0], [0], sample_weight=[1.5e308])
    assert sum([one]) == one
    for parts, error, wanted in (
        ((most, one), ValueError, rf"must sum to less than 2\*\*63, got {2**63}"),
        ((heavy, heavy), ValueError, "`counts` must sum to less than 1e308"),
        ((one, text), ValueError, "labels of one type, got integers and strings"),
        ((1, one), TypeError, "unsupported operand"),
        ((False, one), TypeError, "unsupported operand"),
    ):
        with pytest.raises(error, match=wanted):
            parts[0] + parts[1]


# prior

REFERENCES, PREDICTIONS = list("aaaabbcc"), list("aabcbbca")
EVEN = {"a": 0.3, "b": 0.3, "c": 0.4}
TRAINING = ["a"] * 30 + ["b"] * 30 + ["c"] * 40


def under(prior, **options):
    return informedness_score(REFERENCES, PREDICTIONS, prior=prior, **options)


@pytest.mark.parametrize(
    "prior",
    [
        dict(reversed(EVEN.items())),
        {"a": np.float32(0.3), "b": np.float32(0.3), "c": np.float32(0.4)},
        {"a": Decimal("0.3"), "b": Fraction(3, 10), "c": np.float64(0.4)},
        {"a": 0.3 + 9e-7, "b": 0.3, "c": 0.4},
        Counter(TRAINING),
        pd.Series(TRAINING).value_counts(),
        pd.Series(TRAINING).value_counts(normalize=True),
    ],
)
def test_a_prior_is_read_by_key_in_any_order_and_real_type(prior):
    before = prior.copy()
    assert under(prior) == pytest.approx(under(EVEN), abs=2e-6)
    assert [*prior.items()] == [*before.items()]


@pytest.mark.parametrize(
    ("prior", "wanted"),
    [
        ({"a": 0.5, "b": 0.5}, "must cover every class in the references; 'c' is missing"),
        (EVEN | {"d": 0.1}, "must name classes of the references, got 'd'"),
        (EVEN | {"a": 0.3 + 2e-6}, "must sum to 1, or hold counts, got a sum of 1.000002"),
        ({"a": 0.0, "b": 0.5, "c": 0.5}, "must .* strictly between .*got 0.0 for 'a'"),
        ({"a": 1.0, "b": 0.0, "c": 0.0}, "must .* strictly between .*got 1.0 for 'a'"),
        (EVEN | {"a": Decimal("sNaN")}, r"must hold numbers, got Decimal\('sNaN'\) for"),
        (EVEN | {"a": "0.3"}, "must hold numbers, got '0.3' for 'a'"),
        (EVEN | {"a": 10**400}, "must hold numbers, got 1000.* for 'a'"),
        (dict.fromkeys("abc", 1e308), r"must .* counts above 0.*got 1e\+308 for 'a'"),
        ({"a": 3, "b": 0, "c": 5}, "must .* counts above 0, .*got 0 for 'b'"),
        ({"a": 2.5, "b": 1, "c": 5}, "must .*got 2.5 for 'a'"),
        ([0.3, 0.3, 0.4], r"must map each class to its share or count.* got \[0.3"),
    ],
)
def test_a_mapping_that_is_no_prior_of_the_references_is_refused(prior, wanted):
    for mode in ("reweight", "odds"):
        with pytest.raises(ValueError, match="`prior` " + wanted):
            under(prior, prior_mode=mode)


def test_a_prior_drops_classes_without_samples_and_rescales():
    half = {label: share / 2 for label, share in EVEN.items()} | {"d": 0.3, "e": 0.2}
    dropped = "informedness: `prior` has classes without references, which were dropped: 'd', 'e'. "
    for mode in ("reweight", "odds"):
        with pytest.warns(InformednessWarning, match=dropped):
            value = under(half, labels=list("abcde"), prior_mode=mode)
        assert value == close(under(EVEN, prior_mode=mode))
    # the unknown predictions have no place in it
    options = {"labels": list("abc"), "unknown": "wrong", "prior": EVEN | {"a": 0.2, None: 0.1}}
    with pytest.raises(ValueError, match="`prior` must name classes of the references, got None"):
        informedness_score(REFERENCES, [*PREDICTIONS[:7], "?"], **options)
