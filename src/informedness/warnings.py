"""The warnings of this package, to filter by class; each is an `InformednessWarning`.

import warnings

from informedness.warnings import IntervalWarning

warnings.filterwarnings("ignore", category=IntervalWarning)

`collected` hands them over instead, to a program that shows them itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from .core.labels import NOTES
from .core.labels import InformednessWarning as InformednessWarning
from .core.labels import LabelsWarning as LabelsWarning
from .core.labels import UndefinedMetricWarning as UndefinedMetricWarning
from .statistics.intervals import IntervalWarning as IntervalWarning


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
