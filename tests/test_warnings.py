"""Warnings can be collected in place of being issued, for one thread alone."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from informedness import informedness_score
from informedness.warnings import UndefinedMetricWarning, collected


def test_a_thread_collects_its_own_warnings_while_another_does():
    inside = Barrier(2, timeout=60)

    def of_constant(label):
        with collected() as notes:
            inside.wait()
            informedness_score([label] * 3, [label] * 3)
            inside.wait()
        return [str(note) for note in notes]

    with ThreadPoolExecutor(2) as threads:
        (of_a,), (of_b,) = threads.map(of_constant, "ab")
    assert "all references are 'a'" in of_a
    assert "all references are 'b'" in of_b


def test_warnings_are_issued_again_afterwards_even_after_an_error():
    with pytest.raises(ZeroDivisionError), collected():
        1 / 0  # noqa: B018
    with pytest.warns(UndefinedMetricWarning):
        informedness_score([0, 0], [0, 0])
