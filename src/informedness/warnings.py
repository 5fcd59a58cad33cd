"""Define the warnings of this package: `InformednessWarning` and its subclasses.

To ignore the warnings of a class, filter by the class:

    import warnings

    from informedness.warnings import IntervalWarning

    warnings.filterwarnings("ignore", category=IntervalWarning)

Programs that display warnings themselves can collect them with `collected`.
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
    """Collect the warnings that this package issues in the block, without showing them.

    Only the current thread is affected, while `warnings.catch_warnings` affects all threads.

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
def prefix_warnings(name: str, dropped: type[Warning] | tuple[()] = ()) -> Iterator[None]:
    """Prefix warnings of the block with the name of a run, file, task or model.

    An empty name is left out. Warnings of the class `dropped` are not issued.
    """
    try:
        with collected() as notes:
            yield
    finally:
        for note in notes:
            if not isinstance(note, dropped):
                warn(with_subject(name, note), type(note))


def issue_once(notes: list[Warning], issued_kinds: set[str]) -> None:
    """Issue each kind of warning once; warnings that differ only in values are of one kind.

    Numbers count as values. `issued_kinds` is updated, so that a training loop that passes it again
    does not warn in each step.
    """
    for note in notes:
        kind = "".join(filter(str.isalpha, "".join(message_of(note).parts[::2])))
        if kind not in issued_kinds:
            issued_kinds.add(kind)
            warn(message_of(note), type(note))


class IntervalWarning(InformednessWarning):
    """The coverage of an interval may be below its confidence level, or there is no interval."""


class OwnLabelsWarning(LabelsWarning):
    """Nearly all references are different labels, as texts and identifiers are."""
