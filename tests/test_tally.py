"""Batches counted by a tally: the table, and so every score, of all samples at once."""

import copy
import pickle
import warnings

import numpy as np
import pytest
from sklearn.metrics import balanced_accuracy_score, confusion_matrix

from informedness import ContingencyTable, InformednessWarning, NoSamplesError, Tally

RNG = np.random.default_rng(7)
CODES = RNG.integers(0, 5, 400)
GUESSES = np.where(RNG.random(400) < 0.6, CODES, RNG.integers(0, 5, 400))
WEIGHTS = RNG.integers(0, 9, 400) / 4  # sums of quarters are exact, in whatever order
NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])
CUTS = [0, 0, 1, 30, 30, 217, 399]  # two of the batches are empty, one is a single sample

CASES = {
    "integers": ((CODES, GUESSES), {}),
    "strings": ((NAMES[CODES], NAMES[GUESSES]), {}),
    "lists of bytes": (([b"%d" % x for x in CODES], [b"%d" % x for x in GUESSES]), {}),
    "weights": ((CODES, GUESSES, WEIGHTS), {}),
    "ignored": ((np.where(CODES == 2, -100, CODES), GUESSES), {"ignore_index": -100}),
    "an ignored word": ((NAMES[CODES], NAMES[GUESSES]), {"ignore_index": "cat"}),
    "declared": ((CODES, GUESSES), {"labels": [4, 3, 9, 2, 1, 0]}),
    "declared by an array": ((CODES, GUESSES), {"labels": np.arange(6)}),
    "unknown": ((np.where(CODES > 3, 0, CODES), GUESSES), {"labels": range(4), "unknown": "wrong"}),
    "all of these": (
        (np.where(CODES > 3, -100, CODES), GUESSES, WEIGHTS),
        {"labels": range(4), "ignore_index": -100, "unknown": "wrong"},
    ),
}


def batches_of(columns):
    """Return the columns cut at the same places."""
    return zip(
        *([side[a:b] for a, b in zip(CUTS, [*CUTS[1:], None], strict=True)] for side in columns),
        strict=True,
    )


def tally_of(columns, **options):
    tally = Tally(**options)
    for batch in batches_of(columns):
        tally.update(*batch)
    return tally


def whole(columns, options):
    """Return the table of all samples, counted at once."""
    references, predictions, *weights = columns
    weight = weights[0] if weights else None
    return ContingencyTable.from_labels(references, predictions, sample_weight=weight, **options)


each_case = pytest.mark.parametrize(("columns", "options"), CASES.values(), ids=CASES)


@each_case
def test_the_table_of_batches_is_that_of_all_samples(columns, options):
    tally = tally_of(columns, **options)
    assert tally.table == whole(columns, options)
    assert len(tally) == tally.table.n_samples > 100


@each_case
def test_tallies_of_parts_add_up_in_any_order(columns, options):
    parts = []
    for batch in batches_of(columns):
        parts.append(Tally(**options))
        parts[-1].update(*batch)
    for tallies in (parts, parts[::-1]):
        assert sum(tallies).table == whole(columns, options)


def test_the_table_is_the_confusion_matrix_of_scikit_learn():
    found = tally_of((CODES, GUESSES)).table.to_dense()
    assert found.tolist() == confusion_matrix(CODES, GUESSES).tolist()
    weighted = tally_of((CODES, GUESSES, WEIGHTS)).table.to_dense()
    expected = confusion_matrix(CODES, GUESSES, sample_weight=WEIGHTS)
    np.testing.assert_allclose(weighted, expected, rtol=0, atol=1e-12)


def test_labels_may_be_seen_in_later_batches_alone():
    tally = Tally()
    tally.update(["b"], ["b"])
    tally.update(["a", "c"], ["c", "c"])
    assert tally.table == ContingencyTable.from_labels(["b", "a", "c"], ["b", "c", "c"])


def test_batches_with_and_without_weights_add_up_with_a_weight_of_1():
    tally = Tally()
    tally.update([0, 1], [0, 1])
    tally.update([1, 0], [0, 0], [2.5, 0])
    tally.update([1], [1])
    ones = [1, 1, 2.5, 0, 1]
    expected = ContingencyTable.from_labels([0, 1, 1, 0, 1], [0, 1, 0, 0, 1], sample_weight=ones)
    assert tally.table == expected


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_the_mean_over_batches_is_another_number_than_the_score():
    """Batches as a loader without shuffling gives them: of different class shares."""
    references = np.repeat([0, 1], [300, 100])
    predictions = np.where(np.arange(400) % 10 < 3, 1 - references, references)
    order = np.argsort(references + RNG.normal(scale=0.5, size=400))
    references, predictions = references[order], predictions[order]
    tally, of_batches = Tally(labels=[0, 1]), []
    for start in range(0, 400, 40):
        batch = references[start : start + 40], predictions[start : start + 40]
        tally.update(*batch)
        of_batches.append(ContingencyTable.from_labels(*batch).informedness())
    true = balanced_accuracy_score(references, predictions, adjusted=True)
    assert tally.table.informedness() == pytest.approx(true, abs=1e-12)
    assert abs(np.mean(of_batches) - true) > 0.05


# Batches without a sample


@pytest.mark.parametrize(
    "batch",
    [([], []), (np.array([]), np.array([])), ([-100, -100], [0, 7]), ([0, 1], [0, 1], [0, 0])],
    ids=["empty lists", "empty arrays", "all ignored", "all of weight 0"],
)
def test_a_batch_without_samples_adds_nothing(batch):
    tally = Tally(ignore_index=-100)
    tally.update(*batch)
    assert len(tally) == 0
    assert not tally
    with pytest.raises(NoSamplesError, match="`update` was given none"):
        tally.table  # noqa: B018
    tally.update([0, 1], [0, 0])
    tally.update(*batch)
    assert tally
    assert tally.table == ContingencyTable.from_labels([0, 1], [0, 0])


def test_a_tally_that_is_reset_keeps_its_options_and_no_sample():
    tally = Tally(labels=["a", "b"])
    tally.update(["a"], ["b"])
    tally.reset()
    assert len(tally) == 0
    with pytest.raises(ValueError, match="must list every reference, 'c'"):
        tally.update(["c"], ["a"])


# Errors


@pytest.mark.parametrize(
    ("batch", "message"),
    [
        (([0, 1], [0]), r"number of predictions \(1\) and references \(2\)"),
        (([0, 1], [0, 0.5]), "0.5 at position 1: a score"),
        (([0, 5], [0, 1]), "`labels` must list every reference, 5"),
        (([0, 1], [0, 5]), "`labels` must list every prediction, 5"),
        ((["a"], ["a"]), "`labels` must hold labels of the same type as `references`"),
        (([0, 1], [0, 1], [1, -1]), "`sample_weight` must be finite and not negative, got -1"),
        (([0, 1], [0, 1], [1]), "`sample_weight` must hold one weight for each sample"),
    ],
)
def test_nothing_of_a_batch_that_is_refused_is_counted(batch, message):
    tally = Tally(labels=[0, 1])
    tally.update([0, 1], [0, 0])
    before = tally.table
    with pytest.raises(ValueError, match=message):
        tally.update(*batch)
    assert tally.table == before == ContingencyTable.from_labels([0, 1], [0, 0], labels=[0, 1])


def test_labels_of_another_type_than_in_earlier_batches_are_refused():
    tally = Tally()
    tally.update([0, 1], [0, 0])
    said = "same type as `references of earlier batches`, got strings such as 'x' beside integers"
    with pytest.raises(ValueError, match=said):
        tally.update(["x"], ["y"])
    with pytest.raises(ValueError, match=said):
        tally.update(["x"], ["y"], [0])
    assert len(tally) == 2


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unknown": "wrong"}, '`unknown` can be "wrong" only with `labels`'),
        ({"unknown": "skip"}, "`unknown` must be one of"),
        ({"labels": []}, "`labels` must list at least one class"),
        ({"labels": [0, 1, 0]}, "`labels` must list each class once, 0"),
        ({"labels": "ab"}, "`labels` must be a sequence"),
        ({"ignore_index": 0.5}, "`ignore_index` must hold labels.*0.5"),
    ],
)
def test_options_that_are_not_valid_are_refused_before_any_batch(options, message):
    with pytest.raises(ValueError, match=message):
        Tally(**options)


def test_padding_that_is_counted_is_warned_of_and_no_other():
    tally = Tally()
    tally.update([0, -100], [0, 1])
    with pytest.warns(InformednessWarning, match="ignore_index=-100 drops it"):
        tally.table  # noqa: B018
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        tally = Tally(ignore_index=-100)
        tally.update([0, 1, -100], [0, -100, 1])
        assert tally.table.n_samples == 2


# Together


def test_the_sum_is_a_tally_of_its_own():
    first, second = tally_of((CODES, GUESSES)), Tally()
    second.update([0], [1])
    for both in (sum([first]), first + second, copy.deepcopy(first)):
        both.update([0, 0, 0], [1, 1, 1])
    assert (len(first), len(second)) == (400, 1)
    both = first
    both += second
    assert (len(both), len(first)) == (401, 400)


@pytest.mark.parametrize(
    "options", [{"labels": [0, 1, 2]}, {"labels": [1, 0]}, {"ignore_index": 0}]
)
def test_tallies_of_different_options_are_not_added(options):
    with pytest.raises(ValueError, match="tallies must have the same options"):
        Tally(labels=[0, 1]) + Tally(**options)


def test_what_is_no_tally_is_not_added():
    tally = Tally()
    for other in (1, None, ContingencyTable.from_labels([0, 1], [0, 1])):
        with pytest.raises(TypeError):
            tally + other
        with pytest.raises(TypeError):
            other + tally


@each_case
def test_a_tally_pickles_and_counts_on(columns, options):
    tally = Tally(**options)
    for batch in batches_of(columns):
        tally = pickle.loads(pickle.dumps(tally))
        tally.update(*batch)
    assert tally.table == whole(columns, options)
    assert (tally + tally_of(columns, **options)).table.total == 2 * tally.table.total


# Tables counted elsewhere


def test_a_table_counted_elsewhere_is_added():
    tally = tally_of((CODES, GUESSES))
    tally.add_table(ContingencyTable.from_counts([0, 9], [0, 1], [10, 20]))
    expected = ContingencyTable.from_labels([0] * 10 + [9] * 20, [0] * 10 + [1] * 20)
    assert tally.table == whole((CODES, GUESSES), {}) + expected


@pytest.mark.parametrize(
    "options",
    [{}, {"labels": [1, 0]}, {"labels": [0, 1, 2]}, {"labels": [0, 1], "unknown": "wrong"}],
    ids=str,
)
def test_declared_classes_are_not_lost_to_a_table_of_others(options):
    tally = Tally(labels=[0, 1])
    tally.update([0, 1], [0, 1])
    table = ContingencyTable.from_labels([0, 1], [0, 7 if "unknown" in options else 1], **options)
    with pytest.raises(ValueError, match="`table` must declare the labels of the tally"):
        tally.add_table(table)
    assert len(tally) == 2
    assert tally.table.declared


def test_a_tally_that_counts_unknown_predictions_takes_tables_with_and_without_any():
    options = {"labels": [0, 1], "unknown": "wrong"}
    tally = Tally(**options)
    for predictions in ([0, 1], [0, 7], [1, 1]):
        tally.add_table(ContingencyTable.from_labels([0, 1], predictions, **options))
    expected = ContingencyTable.from_labels([0, 1] * 3, [0, 1, 0, 7, 1, 1], **options)
    assert tally.table == expected


def test_the_number_of_samples_is_not_made_up_where_only_sums_of_weights_are_known():
    tally = Tally()
    tally.update([0, 1], [0, 1])
    tally.add_table(ContingencyTable.from_counts([0, 1], [0, 1], [1.5, 2]))
    assert tally
    assert tally.table.total == 5.5
    with pytest.raises(ValueError, match="only sums of weights: pass n_samples="):
        len(tally)
