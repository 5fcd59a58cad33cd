"""The warnings of this package, to filter by class; each is an `InformednessWarning`.

import warnings

from informedness.warnings import IntervalWarning

warnings.filterwarnings("ignore", category=IntervalWarning)

`collected` hands them over instead, to a program that shows them itself.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from .core.labels import NOTES, WARNING_PREFIX, warn
from .core.labels import InformednessWarning as InformednessWarning
from .core.labels import LabelsWarning as LabelsWarning
from .core.labels import UndefinedMetricWarning as UndefinedMetricWarning


@contextmanager
def collected() -> Iterator[list[Warning]]:
    """Yield a list of the warnings in this block, none of which is issued.

    `warnings.catch_warnings` affects all threads of a process, this the running one alone.

    Examples
    --------
    >>> from informedness import informedness_score
    >>> with collected() as notes:
    ...     score = informedness_score([0, 0], [0, 1])
    >>> [type(note).__name__ for note in notes]
    ['UndefinedMetricWarning', 'UndefinedMetricWarning']
    """
    notes: list[Warning] = []
    before = NOTES.set(notes)
    try:
        yield notes
    finally:
        NOTES.reset(before)


@contextmanager
def naming_warnings(name: str) -> Iterator[None]:
    """Name a run, a file or a model in each warning about it."""
    with collected() as notes:
        yield
    for note in notes:
        warn(f"{name}: {str(note).removeprefix(WARNING_PREFIX)}", type(note))


def issue(notes: list[Warning], said: set[str]) -> None:
    """Issue warnings; that of many answers without references once, as `said` remembers."""
    for note in notes:
        is_absent = "which no reference has" in str(note)
        if not (is_absent and said):
            warn(str(note).removeprefix(WARNING_PREFIX), type(note))
        if is_absent:
            said.add(str(note))


class IntervalWarning(InformednessWarning):
    """Of tables like this one, the interval is not known to cover the truth as often as it says."""
