"""The warnings of this package, to filter by class; each is an `InformednessWarning`.

import warnings

from informedness.warnings import IntervalWarning

warnings.filterwarnings("ignore", category=IntervalWarning)

`collected` gives them to a program that shows them itself.
"""

from collections.abc import Iterator
from contextlib import contextmanager

from .core.labels import NOTES, warn
from .core.labels import InformednessWarning as InformednessWarning
from .core.labels import LabelsWarning as LabelsWarning
from .core.labels import UndefinedMetricWarning as UndefinedMetricWarning
from .messages import message_of, with_subject


@contextmanager
def collected() -> Iterator[list[Warning]]:
    """Collect the warnings of this block in a list, without issuing them.

    `warnings.catch_warnings` affects all threads of a process, but this only the current one.

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
def prefix_warnings(name: str, without: type[Warning] | tuple[()] = ()) -> Iterator[None]:
    """Prefix each warning with the name of a run, file or model; drop those of class `without`."""
    with collected() as notes:
        yield
    for note in notes:
        if not isinstance(note, without):
            warn(with_subject(name, note), type(note))


def issue_once(notes: list[Warning], issued_kinds: set[str]) -> None:
    """Issue one warning of each kind (its words without numbers), and remember the kinds.

    A training loop then warns once, not in each step.
    """
    for note in notes:
        kind = "".join(filter(str.isalpha, "".join(message_of(note).parts[::2])))
        if kind not in issued_kinds:
            issued_kinds.add(kind)
            warn(message_of(note), type(note))


class IntervalWarning(InformednessWarning):
    """Coverage may fall below the nominal level for a table like this."""


class OwnLabelsWarning(LabelsWarning):
    """Nearly every reference is a different label, as with texts and identifiers."""
