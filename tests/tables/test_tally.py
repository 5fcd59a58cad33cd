"""Batches counted by a tally: the table, and so every score, of all samples at once.

Covers src: tables/contingency.py.
"""

import copy
import dataclasses
import itertools
import pickle
import sys
from concurrent.futures import ThreadPoolExecutor
from threading import Event

import numpy as np
import pytest

from informedness import NoSamplesError, Tally
from informedness.tables import contingency as module
from inputs.processes import exit_codes, forked, forking, ignoring_threads
from inputs.tables import table_of_labels

pytestmark = pytest.mark.filterwarnings(
    "ignore:informedness. in .* has labels that are not classes of `references`"
)
RNG = np.random.default_rng(7)
CODES = RNG.integers(0, 5, 400)
GUESSES = np.where(RNG.random(400) < 0.6, CODES, RNG.integers(0, 5, 400))
WEIGHTS = RNG.integers(0, 9, 400) / 4  # sums of quarters are exact, in whatever order
NAMES = np.array(["ant", "bee", "cat", "dog", "eel"])
CUTS = [0, 0, 1, 30, 30, 217, 399, 400]  # two of the batches are empty, two a single sample
FEW = {"labels": range(4), "unknown": "wrong"}

CASES = {
    "weights": (CODES, WEIGHTS, {}),
    "an ignored word": (NAMES[CODES], None, {"ignore_index": "cat"}),
    "declared": (CODES, None, {"labels": [4, 3, 9, 2, 1, 0]}),
    "all of these": (np.where(CODES > 3, -100, CODES), WEIGHTS, FEW | {"ignore_index": -100}),
}


@pytest.mark.parametrize(("references", "weights", "options"), CASES.values(), ids=CASES)
def test_tallies_of_batches_parts_and_pickles_agree(references, weights, options):
    predictions = NAMES[GUESSES] if references.dtype.kind == "U" else GUESSES
    expected = table_of_labels(references, predictions, sample_weight=weights, **options)
    tally, parts = Tally(**options), []
    for a, b in itertools.pairwise(CUTS):
        batch = {"references": references[a:b], "predictions": predictions[a:b]}
        batch["sample_weight"] = None if weights is None else weights[a:b]
        parts.append(Tally(**options))
        for counting in (tally, parts[-1]):
            counting.update(**batch)
        tally = pickle.loads(pickle.dumps(tally))
    for found in (tally, sum(parts), sum(parts[::-1])):
        assert found.table == expected


def test_batches_with_and_without_weights_add_up():
    tally = Tally()
    tally.update(references=[0, 1], predictions=[0, 1])
    tally.update(references=[1, 0, 4], predictions=[0, 0, 3], sample_weight=[2.5, 0, 1])
    weights = [1, 1, 2.5, 0, 1]
    expected = table_of_labels([0, 1, 1, 0, 4], [0, 1, 0, 0, 3], sample_weight=weights)
    assert tally.table == expected
    with pytest.raises(ValueError, match="labels of one type, got integers and strings"):
        tally.update(references=["x"], predictions=["y"])
    assert tally.table == expected


def test_a_batch_without_samples_adds_nothing():
    for references, predictions, weights in (
        ([], [], None),
        (np.array([]), np.array([]), None),
        ([-100, -100], [0, 7], None),
        ([0, 1], [0, 1], [0, 0]),
    ):
        empty = {"references": references, "predictions": predictions, "sample_weight": weights}
        tally = Tally(ignore_index=-100)
        tally.update(**empty)
        with pytest.raises(NoSamplesError, match="but none was given"):
            tally.table  # noqa: B018
        tally.update(references=[0, 1], predictions=[0, 0])
        tally.update(**empty)
        assert tally.table == table_of_labels([0, 1], [0, 0]), empty


def test_a_refused_batch_counts_nothing():
    tally = Tally(labels=[0, 1])
    tally.update(references=[0, 1], predictions=[0, 0])
    for predictions, weights, message in (
        ([0], None, r"number of predictions \(1\) and references \(2\)"),
        ([0, 5], None, "`labels` must list every prediction; 5"),
        ([0, 1], [1, -1], "`sample_weight` must be finite and not negative, got -1"),
    ):
        with pytest.raises(ValueError, match=message):
            tally.update(references=[0, 1], predictions=predictions, sample_weight=weights)
        assert tally.table == table_of_labels([0, 1], [0, 0], labels=[0, 1])
    tally.reset()
    with pytest.raises(ValueError, match="`labels` must list every reference; 5"):
        tally.update(references=[5], predictions=[0])


def test_a_sum_of_tallies_is_independent():
    first, second = Tally(), Tally()
    first.update(references=CODES, predictions=GUESSES)
    second.update(references=[0], predictions=[1])
    for both in (sum([first]), first + second, copy.deepcopy(first)):
        both.update(references=[0, 0, 0], predictions=[1, 1, 1])
    both = first
    both += second
    numbers = [x.table.n_samples for x in (first, second, both)]
    assert numbers == [400, 1, 401]
    for options in ({"labels": [0, 1, 2]}, {"labels": [1, 0]}, {"ignore_index": 0}):
        with pytest.raises(ValueError, match="tallies must have the same options"):
            Tally(labels=[0, 1]) + Tally(**options)
    for left, right in itertools.permutations((first, 1), 2):
        with pytest.raises(TypeError):
            left + right


def test_threads_may_share_a_tally():
    tally, given = Tally(), {"references": [0, 1, 1], "predictions": [0, 1, 0]}
    with ThreadPoolExecutor(8) as pool:
        list(pool.map(lambda _: tally.update(**given), range(3000)))
    assert tally.table == table_of_labels([0, 1, 1] * 3000, [0, 1, 0] * 3000)


@forking
@ignoring_threads
def test_a_child_forked_while_threads_update_does_not_wait():
    tally, is_over = Tally(), Event()
    large = {"references": RNG.integers(0, 300, 9000), "predictions": RNG.integers(0, 300, 9000)}

    def work(again=lambda: False):
        while True:
            tally.update(**large)
            if not again():
                return

    with ThreadPoolExecutor(3) as pool:
        try:
            for _ in range(3):
                pool.submit(work, lambda: not is_over.is_set())
            children = [forked(work) for _ in range(30)]
            assert exit_codes(children) == [0] * 30
        finally:
            is_over.set()


class Waiting(np.ndarray):
    """An array whose sum takes until somebody lets it go on."""

    begun, may_end = Event(), Event()

    def sum(self, **options):
        self.begun.set()
        self.may_end.wait()
        return np.asarray(self).sum(**options)


@forking
@ignoring_threads
def test_a_child_forked_while_a_thread_sums_does_not_wait():
    """As before Python 3.12 it does for `functools.cached_property`, of whatever table."""
    table, other = (table_of_labels([0, 1, 1], [0, 1, 0]) for _ in range(2))
    other = dataclasses.replace(other, counts=other.counts.view(Waiting))
    with ThreadPoolExecutor(1) as pool:
        total = pool.submit(lambda: other.total)
        try:
            assert Waiting.begun.wait(60)
            assert exit_codes([forked(lambda: table.total)]) == [0]
        finally:
            Waiting.may_end.set()
        assert total.result() == table.total == 3


def test_an_interrupted_update_counts_all_or_nothing():
    """One at each line that runs, but for the end of `with`, which takes one step."""
    outcomes = []
    for nth in itertools.count():
        tally, lines = Tally(), []

        def trace(frame, event, _, lines=lines, nth=nth):
            if frame.f_code.co_filename != module.__file__:
                return None
            if event == "line" and frame.f_lineno not in lines:
                lines.append(frame.f_lineno)
                if len(lines) > nth:
                    raise KeyboardInterrupt
            return trace

        before = sys.gettrace()
        sys.settrace(trace)
        try:
            tally.update_missing([0, 1, 1])
        except KeyboardInterrupt:
            pass
        else:
            break
        finally:
            sys.settrace(before)
        outcomes.append(0 if tally._table is None else tally._table.n_samples)
    assert {*outcomes} == {0}
    assert len(outcomes) > 5
    assert tally.table.n_samples == 3


def test_missing_predictions_add_up_over_parts_unless_ignored():
    parts = [Tally(ignore_index=-100), Tally(ignore_index=-100)]
    parts[0].update_missing([0, 1, -100])
    parts[1].update_missing([1, -100])
    parts[1].update(references=[0, 1], predictions=[0, 1])
    both = sum(parts)
    assert both.table.labels == (0, 1, None)
    assert both.table.prediction_totals.tolist() == [1, 1, 3]
