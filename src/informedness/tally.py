"""A tally: batches are counted as they come, and scores are taken from the table of them all.

Scores of batches must not be averaged: those of Informedness and NIT depend on class shares, which
differ from batch to batch. Tables may be added.
"""

from __future__ import annotations

from typing import Any

from .contingency import ContingencyTable
from .core.labels import Label, NoSamplesError
from .core.table import check_unknown, read_task, warn_of_padding


class Tally:
    """Counts batches of references and predictions into one table, and keeps nothing else.

    Memory grows with the number of different (reference, prediction) pairs, not with that of
    samples. Tallies of several processes or parts add up: `sum([first, second])`.

    Parameters
    ----------
    labels : sequence of labels, optional
        The classes of the task, as in `informedness_score`.
    ignore_index : label, optional
        Drops the samples whose *reference* equals it, as -100 on padded tokens.
    unknown : {"error", "wrong"}
        Whether a prediction outside `labels` is refused or counted as a wrong answer.

    Raises
    ------
    ValueError
        If `unknown` is not valid.

    Examples
    --------
    >>> tally = Tally(ignore_index=-100)
    >>> for references, predictions in [([0, 1], [0, 1]), ([2, -100], [1, 1]), ([], [])]:
    ...     tally.update(references, predictions)
    >>> tally.table.n_samples, round(tally.table.informedness(average="macro"), 4)
    (3, 0.5)
    """

    def __init__(
        self, *, labels: Any = None, ignore_index: Label | None = None, unknown: str = "error"
    ) -> None:
        check_unknown(unknown, labels)
        self._options: dict[str, Any] = {
            "labels": labels if labels is None else list(labels),
            "ignore_index": ignore_index,
            "unknown": unknown,
        }
        self._table: ContingencyTable | None = None

    def update(self, references: Any, predictions: Any, sample_weight: Any = None) -> None:
        """Count a batch; one that is empty, or all ignored, adds nothing.

        Parameters
        ----------
        references, predictions : array-like of shape (n_samples,)
            Integers, strings or bytes in any container.
        sample_weight : array-like of shape (n_samples,), optional
            Finite and not negative; a weight of 0 drops the sample.

        Raises
        ------
        ValueError
            If the batch is not valid, as in `informedness_score`; nothing of it is counted.
        """
        references, predictions, task = read_task(references, predictions, **self._options)
        try:
            table = ContingencyTable.from_columns(references, predictions, task, sample_weight)
        except NoSamplesError:
            return
        self.add_table(table)

    def add_table(self, table: ContingencyTable) -> None:
        """Add a table of samples that were counted elsewhere, as on another machine."""
        self._table = table if self._table is None else self._table + table

    @property
    def table(self) -> ContingencyTable:
        """The table of all samples so far.

        Raises
        ------
        NoSamplesError
            If there are none.
        """
        if self._table is None:
            raise NoSamplesError("there must be a sample to score, and `update` was given none")
        if self._options["labels"] is None and self._options["ignore_index"] is None:
            warn_of_padding(self._table)
        return self._table

    def reset(self) -> None:
        """Forget all samples."""
        self._table = None

    def __len__(self) -> int:
        """Return the number of samples counted so far."""
        return 0 if self._table is None else self._table.n_samples or 0

    def __add__(self, other: Tally) -> Tally:
        """Return a tally of the samples of both.

        Raises
        ------
        ValueError
            If their options differ.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        if self._options != other._options:
            raise ValueError(
                f"tallies must have the same options to be added, got {self._options} and "
                f"{other._options}"
            )
        both = Tally(**self._options)
        for table in (self._table, other._table):
            if table is not None:
                both.add_table(table)
        return both

    def __radd__(self, other: object) -> Tally:
        """Begin `sum(tallies)`, which adds to 0."""
        return self if type(other) is int and other == 0 else NotImplemented
