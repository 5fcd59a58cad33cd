"""Predictions that are not among the references, and what they do to NIT: measured, and warned of.

A guesser answers without a look at the sample. Its NIT should be 1/k; the more different answers
it has for its samples, the further above it comes out.
"""

import warnings

import numpy as np
import pytest

import by_table
from golden import close
from informedness import InformednessWarning, IntervalWarning, compare, ema_score, nit_score
from informedness.results.report import Report
from tables import table_of_labels

ABOUT = "informedness: NIT counts predictions outside the references as information: "


def test_answers_that_never_repeat_are_warned_of_and_so_is_their_interval():
    references = np.resize(["a", "b", "c", "d"], 300)
    answers = [f"answer {number}" for number in range(300)]
    with pytest.warns(InformednessWarning, match=f"{ABOUT}300 .* in 300 samples, where 9000"):
        assert nit_score(references, answers) == close(1)
    table = table_of_labels(references, answers)
    with pytest.warns(IntervalWarning, match="300 samples for 300 predictions .* 9,000 are"):
        made = table.estimate("nit")
    assert made.independence_p_value > 0.9
    with pytest.warns(InformednessWarning, match="EMA counts predictions outside the references"):
        assert ema_score(references, answers) == close(1)


def test_counted_as_wrong_they_pass_on_nothing_and_nothing_is_warned_of():
    references, answers = np.resize(["a", "b"], 300), [f"answer {n}" for n in range(300)]
    options = {"labels": ["a", "b"], "unknown": "wrong"}
    with warnings.catch_warnings():
        warnings.filterwarnings("error", ABOUT)
        assert nit_score(references, answers, **options) == close(0.5)
        assert ema_score(references, answers, **options) == close(0.5)
        # also once it is merged with a table that declares other classes
        table = table_of_labels(references, answers, **options)
        merged = table + table_of_labels(["c"] * 9, ["c"] * 9, labels=["c"])
        by_table.nit(merged)


def test_the_rule_counts_10_samples_for_each_other_answer_and_class_but_one():
    for n, options, warned in (
        (60, {}, False),
        (59, {}, True),
        (59, {"sample_weight": np.full(59, 1000.5)}, True),  # samples count, not weight
        (59, {"labels": [0, 1, 2, 7, 8, 9]}, False),
    ):
        references, predictions = np.resize([0, 1, 2], n), np.resize([0, 1, 2], n)
        predictions[:3] = [7, 8, 9]
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            nit_score(references, predictions, **options)
        assert [ABOUT in str(warning.message) for warning in caught] == [True] * warned


def test_reports_and_comparisons_say_it_too():
    references, answers = np.resize([0, 1], 40), 10 + np.arange(40)
    table = table_of_labels(references, answers)
    with pytest.warns(InformednessWarning, match=ABOUT):
        Report.from_table(table)
    with pytest.warns(InformednessWarning, match=ABOUT):
        compare(references, references, answers, metric="nit")
