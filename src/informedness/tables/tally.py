"""A tally counts batches as they come, and scores are taken from the table of all of them.

Scores of batches must not be averaged: Informedness and NIT depend on class shares, which differ
from batch to batch. Tables can be added up.
"""

from __future__ import annotations

from copy import copy
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from ..core.labels import Label, NoSamplesError, check_same_kind, read_column
from .contingency import ContingencyTable
from .doubts import warn_of_table
from .sides import read_sides

ADDING = Lock()  # threads that query a model may share a tally; one for all, so that it pickles


class Tally:
    """Counts batches of references and predictions into one table, and keeps nothing else.

    Memory grows with the number of different (reference, prediction) pairs, not with the number of
    samples. Tallies of several processes or parts add up: `sum([first, second])`.

    Parameters
    ----------
    labels : sequence of labels, optional
        The classes of the task, as in `informedness_score`.
    ignore_index : label, optional
        Drops the samples whose *reference* equals it, for example -100 on padded tokens.
    unknown : {"error", "wrong"}
        Whether a prediction that is missing or outside `labels` is an error or a wrong answer.

    Raises
    ------
    ValueError
        If an option is not valid.

    Examples
    --------
    >>> tally = Tally(ignore_index=-100)
    >>> for targets, answers in [([0, 1], [0, 1]), ([2, -100], [1, 1]), ([], [])]:
    ...     tally.update(references=targets, predictions=answers)
    >>> tally.table.n_samples, round(tally.table.informedness(average="macro"), 4)
    (3, 0.5)
    """

    def __init__(
        self, *, labels: Any = None, ignore_index: Label | None = None, unknown: str = "error"
    ) -> None:
        self._task = read_sides({"references": ()}, labels, ignore_index, unknown)[1]
        self._table: ContingencyTable | None = None
        self.ids: range | None = None  # of logits: all are classes, whether or not they occur

    def update(self, *, references: Any, predictions: Any, sample_weight: Any = None) -> None:
        """Count a batch; an empty or fully ignored batch adds nothing.

        Parameters
        ----------
        references, predictions : array-like of shape (n_samples,)
            Integers, strings or bytes in any container.
        sample_weight : array-like of shape (n_samples,), optional
            Finite and not negative; a weight of 0 drops the sample.

        Raises
        ------
        ValueError
            If the batch is not valid, as in `informedness_score`, or its labels differ in type
            from earlier ones; none of it is counted.
        """
        sides = {"references": references, "predictions": predictions}
        (references, predictions), task = read_sides(
            sides, *self._task, sample_weight=sample_weight
        )
        if self._table is not None:
            before = read_column(self._table.labels[:1], "labels")
            check_same_kind(before, "references of earlier batches", references, "references")
        try:
            table = ContingencyTable._of_columns(references, predictions, task, sample_weight)
        except NoSamplesError:
            return
        with ADDING:
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
            raise NoSamplesError("there must be a sample to score, but `update` was given none")
        table = self._table
        if self.ids is not None:
            known = np.array([label in self.ids for label in table.labels])
            table = replace(table, known=known | table.is_class)
        warn_of_table(table, unknown=self._task.unknown)
        return table

    def reset(self) -> None:
        """Forget all samples."""
        self._table = None

    def __repr__(self) -> str:
        return "Tally of no samples" if self._table is None else repr(self._table)

    def __add__(self, other: Tally) -> Tally:
        """Return a tally of the samples of both.

        Raises
        ------
        ValueError
            If their options differ.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        if self._task != other._task:
            raise ValueError(
                f"tallies must have the same options to be added, got {self._task} and "
                f"{other._task}"
            )
        both = copy(self)
        tables = [tally._table for tally in (self, other) if tally._table is not None]
        both._table = ContingencyTable.sum_of(tables) if tables else None
        return both

    def __radd__(self, other: object) -> Tally:
        """Let `sum(tallies)` start from 0, with a copy, since the sum may be updated."""
        return copy(self) if type(other) is int and other == 0 else NotImplemented
