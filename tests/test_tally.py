"""Batches counted by a tally: the table, and so every score, of all samples at once."""

import copy
import itertools
import pickle
import warnings

import numpy as np
import pytest

from informedness import ContingencyTable, InformednessWarning, NoSamplesError, Tally

RNG = np.random.default_rng(7)
CODES = RNG.integers(0, 5, 400)
GUESSES = np.where(RNG.random(400) < 0.6, CODES, RNG.integers(0, 5, 400))
WEIGHTS = RNG.integers(0, 9, 400) / 4  # sums of quarters are exact, in whatever order
NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])
CUTS = [0, 0, 1, 30, 30, 217, 399, 400]  # two of the batches are empty, two a single sample
FEW = {"labels": range(4), "unknown": "wrong"}

CASES = {
    "integers": (CODES, None, {}),
    "strings": (NAMES[CODES], None, {}),
    "weights": (CODES, WEIGHTS, {}),
    "ignored": (np.where(CODES == 2, -100, CODES), None, {"ignore_index": -100}),
    "an ignored word": (NAMES[CODES], None, {"ignore_index": "cat"}),
    "declared": (CODES, None, {"labels": [4, 3, 9, 2, 1, 0]}),
    "unknown": (np.where(CODES > 3, 0, CODES), None, FEW),
    "all of these": (np.where(CODES > 3, -100, CODES), WEIGHTS, FEW | {"ignore_index": -100}),
}


@pytest.mark.parametrize(("references", "weights", "options"), CASES.values(), ids=CASES)
def test_the_table_of_batches_of_parts_and_of_pickles_is_that_of_all(references, weights, options):
    predictions = NAMES[GUESSES] if references.dtype.kind == "U" else GUESSES
    expected = ContingencyTable.from_labels(
        references, predictions, sample_weight=weights, **options
    )
    tally, parts, pickled = Tally(**options), [], Tally(**options)
    for a, b in itertools.pairwise(CUTS):
        batch = references[a:b], predictions[a:b], None if weights is None else weights[a:b]
        tally.update(*batch)
        parts.append(Tally(**options))
        parts[-1].update(*batch)
        pickled = pickle.loads(pickle.dumps(pickled))
        pickled.update(*batch)
    for found in (tally, sum(parts), sum(parts[::-1]), pickled):
        assert found.table == expected
        assert len(found) == expected.n_samples > 100


def test_batches_with_and_without_weights_and_labels_of_their_own_add_up():
    tally = Tally()
    tally.update([0, 1], [0, 1])
    tally.update([1, 0, 4], [0, 0, 3], [2.5, 0, 1])
    tally.update([1], [1])
    references, predictions = [0, 1, 1, 0, 4, 1], [0, 1, 0, 0, 3, 1]
    weights = [1, 1, 2.5, 0, 1, 1]
    expected = ContingencyTable.from_labels(references, predictions, sample_weight=weights)
    assert tally.table == expected


def test_a_batch_without_samples_adds_nothing():
    for batch in (
        ([], []),
        (np.array([]), np.array([])),
        ([-100, -100], [0, 7]),
        ([0, 1], [0, 1], [0, 0]),
    ):
        tally = Tally(ignore_index=-100)
        tally.update(*batch)
        assert len(tally) == 0, batch
        assert not tally
        with pytest.raises(NoSamplesError, match="`update` was given none"):
            tally.table  # noqa: B018
        tally.update([0, 1], [0, 0])
        tally.update(*batch)
        assert tally
        assert tally.table == ContingencyTable.from_labels([0, 1], [0, 0]), batch


def test_a_tally_that_is_reset_keeps_its_options_and_no_sample():
    tally = Tally(labels=["a", "b"])
    tally.update(["a"], ["b"])
    tally.reset()
    assert len(tally) == 0
    with pytest.raises(ValueError, match="must list every reference, 'c'"):
        tally.update(["c"], ["a"])


def test_nothing_of_a_batch_that_is_refused_is_counted():
    tally = Tally(labels=[0, 1])
    tally.update([0, 1], [0, 0])
    for batch, message in (
        (([0, 1], [0]), r"number of predictions \(1\) and references \(2\)"),
        (([0, 1], [0, 0.5]), "0.5 at position 1: a score"),
        (([0, 1], [0, 5]), "`labels` must list every prediction, 5"),
        ((["a"], ["a"]), "`labels` must hold labels of the same type as `references`"),
        (([0, 1], [0, 1], [1, -1]), "`sample_weight` must be finite and not negative, got -1"),
    ):
        with pytest.raises(ValueError, match=message):
            tally.update(*batch)
        assert tally.table == ContingencyTable.from_labels([0, 1], [0, 0], labels=[0, 1]), batch


def test_labels_of_another_type_than_in_earlier_batches_are_refused():
    tally = Tally()
    tally.update([0, 1], [0, 0])
    said = "same type as `references of earlier batches`, got strings such as 'x' beside integers"
    with pytest.raises(ValueError, match=said):
        tally.update(["x"], ["y"])
    with pytest.raises(ValueError, match=said):
        tally.update(["x"], ["y"], [0])
    assert len(tally) == 2


def test_options_that_are_not_valid_are_refused_before_any_batch():
    with pytest.raises(ValueError, match='`unknown` can be "wrong" only with `labels`'):
        Tally(unknown="wrong")
    with pytest.raises(ValueError, match=r"`ignore_index` must hold labels.*0.5"):
        Tally(ignore_index=0.5)


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


def test_the_sum_is_a_tally_of_its_own():
    first, second = Tally(), Tally()
    first.update(CODES, GUESSES)
    second.update([0], [1])
    for both in (sum([first]), first + second, copy.deepcopy(first)):
        both.update([0, 0, 0], [1, 1, 1])
    assert (len(first), len(second)) == (400, 1)
    both = first
    both += second
    assert (len(both), len(first)) == (401, 400)


def test_what_is_no_tally_of_the_same_options_is_not_added():
    tally = Tally(labels=[0, 1])
    for options in ({"labels": [0, 1, 2]}, {"labels": [1, 0]}, {"ignore_index": 0}):
        with pytest.raises(ValueError, match="tallies must have the same options"):
            tally + Tally(**options)
    for other in (1, None, ContingencyTable.from_labels([0, 1], [0, 1])):
        with pytest.raises(TypeError):
            tally + other
        with pytest.raises(TypeError):
            other + tally


def test_declared_classes_are_not_lost_to_a_table_of_others():
    tally = Tally(labels=[0, 1])
    tally.update([0, 1], [0, 1])
    for last, options in (
        (1, {}),
        (1, {"labels": [1, 0]}),
        (1, {"labels": [0, 1, 2]}),
        (7, {"labels": [0, 1], "unknown": "wrong"}),
    ):
        table = ContingencyTable.from_labels([0, 1], [0, last], **options)
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


def test_a_table_counted_elsewhere_is_added_and_of_sums_of_weights_no_number_is_made_up():
    tally = Tally()
    tally.update([0, 1], [0, 1])
    tally.add_table(ContingencyTable.from_counts([0, 9], [0, 1], [10, 20]))
    assert tally.table == ContingencyTable.from_counts([0, 1, 9], [0, 1, 1], [11, 1, 20])
    tally.add_table(ContingencyTable.from_counts([0, 1], [0, 1], [1.5, 2]))
    assert tally
    assert tally.table.total == 35.5
    with pytest.raises(ValueError, match="only sums of weights: pass n_samples="):
        len(tally)
