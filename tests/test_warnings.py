"""Warnings can be collected in place of being issued, for one thread alone."""

import warnings
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from informedness import estimate, informedness_score
from informedness.warnings import IntervalWarning, UndefinedMetricWarning, collected


def test_a_thread_collects_its_own_warnings_alone():
    """While another thread collects its own, at the same time."""
    inside = Barrier(2, timeout=60)

    def of_constant(label):
        with collected() as notes:
            inside.wait()
            informedness_score([label] * 3, [label] * 3)
            inside.wait()
        return [str(note) for note in notes]

    with warnings.catch_warnings(), ThreadPoolExecutor(2) as threads:
        warnings.simplefilter("error")
        of_a, of_b = threads.map(of_constant, ["a", "b"])
    assert [len(of_a), len(of_b)] == [1, 1]
    assert "all references are 'a'" in of_a[0]
    assert "all references are 'b'" in of_b[0]


def test_warnings_of_every_kind_are_collected_with_their_class():
    with collected() as notes:
        estimate([0, 0, 1], [0, 2, 1])
    assert {type(note) for note in notes} == {IntervalWarning, UndefinedMetricWarning}


def test_warnings_are_issued_again_afterwards_even_after_an_error():
    with pytest.raises(ZeroDivisionError), collected():
        1 / 0  # noqa: B018
    with pytest.warns(UndefinedMetricWarning):
        informedness_score([0, 0], [0, 0])
