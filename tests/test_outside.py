"""Predictions that are not among the references, and what they do to NIT: measured, and warned of.

A guesser answers without a look at the sample. Its NIT should be 1/k; the more different answers
it has for its samples, the further above it comes out.
"""

import statistics
import warnings

import numpy as np
import pytest

import by_table
from informedness import (
    ContingencyTable,
    InformednessWarning,
    IntervalWarning,
    Report,
    compare,
    ema_score,
    estimate,
    nit_score,
)

ABOUT = "informedness: NIT counts predictions outside the references as information: "
SPREADS = {  # of the answers of a guesser, among classes and others
    "evenly": lambda rng, k, others, n: rng.integers(0, k + others, n),
    "mostly classes": lambda rng, k, others, n: np.where(
        rng.random(n) < 0.5, rng.integers(0, k, n), k + rng.integers(0, others, n)
    ),
    "each other once": lambda rng, k, others, n: rng.permuted(
        np.append(rng.integers(0, k, n - others), k + np.arange(others))
    ),
}


def guesses(k, n_outside, n, spread, seed):
    """Return references and guesses, all of the classes and the other answers at least once."""
    rng = np.random.default_rng(seed)
    references = np.append(np.arange(k), rng.integers(0, k, n - k))
    return references, SPREADS[spread](rng, k, n_outside, n)


def excess(k, n_outside, n, spread, n_guessers=60):
    """Return how much more such guessers score than those who keep to the classes, as a share."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with_others, without = (
            statistics.fmean(
                nit_score(*guesses(k, m, n, spread if m else "evenly", seed))
                for seed in range(n_guessers)
            )
            for m in (n_outside, 0)
        )
    return with_others / without - 1


@pytest.mark.slow
@pytest.mark.parametrize("n_outside", [10, 100])
@pytest.mark.parametrize("k", [2, 4, 10])
def test_the_rule_is_where_a_guesser_scores_a_twentieth_more(k, n_outside):
    """Measured 5.2% to 6.0% at the rule, and 48% to 77% on a tenth of the samples."""
    n = 10 * (k - 1) * n_outside
    assert 0.045 < excess(k, n_outside, n, "evenly") < 0.07
    assert 0.4 < excess(k, n_outside, n // 10, "evenly") < 0.85
    # where answers do not spread evenly, 2.6% to 7.2%
    for spread in ("mostly classes", "each other once"):
        assert 0.02 < excess(k, n_outside, n, spread) < 0.08


def test_answers_that_never_repeat_are_warned_of_and_so_is_their_interval():
    references = np.resize(["a", "b", "c", "d"], 300)
    answers = [f"answer {number}" for number in range(300)]
    with pytest.warns(
        InformednessWarning, match=f"{ABOUT}300 .* in 300 samples, where 9000"
    ) as seen:
        assert nit_score(references, answers) == 1.0
    assert 'pass the classes as labels= and unknown="wrong"' in str(seen[0].message)
    table = ContingencyTable.from_labels(references, answers)
    with pytest.warns(IntervalWarning, match="300 samples for 300 predictions .* 9,000 are"):
        made = estimate(table, "nit")
    assert made.independence_p_value > 0.9
    with pytest.warns(InformednessWarning, match="EMA counts predictions outside the references"):
        assert ema_score(references, answers) == 1.0


def test_counted_as_wrong_they_pass_on_nothing_and_nothing_is_warned_of():
    references, answers = np.resize(["a", "b"], 300), [f"answer {n}" for n in range(300)]
    options = {"labels": ["a", "b"], "unknown": "wrong"}
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert nit_score(references, answers, **options) == 0.5
        assert ema_score(references, answers, **options) == 0.5
        # also once it is merged with a table that declares other classes
        table = ContingencyTable.from_labels(references, answers, **options)
        merged = table + ContingencyTable.from_labels(["c"] * 9, ["c"] * 9, labels=["c"])
        by_table.nit(merged)


@pytest.mark.parametrize(("n", "warned"), [(60, False), (59, True)])
def test_the_rule_counts_10_samples_for_each_other_answer_and_class_but_one(n, warned):
    references, predictions = np.resize([0, 1, 2], n), np.resize([0, 1, 2], n)
    predictions[:3] = [7, 8, 9]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        nit_score(references, predictions)
    assert [ABOUT in str(warning.message) for warning in caught] == [True] * warned


def test_one_other_answer_and_declared_ones_are_no_reason_to_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        nit_score(["a", "b", "a"], ["a", "b", "x"])
        nit_score(["a", "b", "a"], ["x", "y", "z"], labels=list("abxyz"))


def test_reports_and_comparisons_say_it_too():
    references, answers = np.resize([0, 1], 40), 10 + np.arange(40)
    table = ContingencyTable.from_labels(references, answers)
    with pytest.warns(InformednessWarning, match=ABOUT):
        Report.from_table(table)
    with pytest.warns(InformednessWarning, match=ABOUT):
        compare(references, references, answers, metric="nit")


def test_weights_count_samples_not_weight():
    references, answers = np.resize([0, 1], 40), 10 + np.arange(40)
    with pytest.warns(InformednessWarning, match="40 different ones in 40 samples"):
        nit_score(references, answers, sample_weight=np.full(40, 1000.5))
