"""Count batches into one table, and compute scores from all of them.

Scores of batches must not be averaged: Informedness and NIT depend on class shares, which differ
from batch to batch. Tables can be added. `Tally` takes one label per sample, `LabelTally` several.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from copy import copy
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np

from ..core.labels import (
    NAMES,
    Column,
    Label,
    LabelsWarning,
    NoSamplesError,
    Numbers,
    check_same_kind,
    read_column,
    warn,
)
from ..core.table import Task, labels_at
from .contingency import ContingencyTable
from .label_options import read_label_columns
from .label_warnings import warn_of_table

NO_ANSWER = -(2**30)  # marks a missing prediction, such as one whose scores are nan

_adding = Lock()  # threads may share a tally; global, so that tallies pickle


def _renew_lock() -> None:
    """Renew the lock after a fork, as another thread may have held it and cannot release it."""
    global _adding
    _adding = Lock()


if hasattr(os, "register_at_fork"):  # missing on Windows
    os.register_at_fork(after_in_child=_renew_lock)


class Tally:
    """Counts batches of references and predictions into one table, without keeping samples.

    Memory grows with the number of different (reference, prediction) pairs, not with the number of
    samples. Tallies of several processes or parts can be added: `sum([first, second])`.

    Parameters
    ----------
    labels : sequence of labels, optional
        The classes of the task, as in `informedness_score`.
    ignore_index : label, optional
        Drop samples whose *reference* equals it, for example -100 for padding tokens.
    unknown : {"error", "wrong"}
        Whether an out-of-class prediction raises an error or counts as wrong.

    Raises
    ------
    ValueError
        If an option is invalid.

    Examples
    --------
    >>> tally = Tally(ignore_index=-100)
    >>> for targets, answers in [([0, 1], [0, 1]), ([2, -100], [1, 1]), ([], [])]:
    ...     tally.update(references=targets, predictions=answers)
    >>> tally.table.n_samples, round(tally.table.informedness(average="macro"), 4)
    (3, 0.5)
    """

    _table: ContingencyTable | None
    ids: range | None  # class ids of logits, including those that never occur
    n_missing: int  # samples counted by `update_missing`

    def __init__(
        self, *, labels: Any = None, ignore_index: Label | None = None, unknown: str = "error"
    ) -> None:
        no_samples = {"references": (), "predictions": ()}
        self._task = read_label_columns(no_samples, labels, ignore_index, unknown)[1]
        self.reset()

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
            If the batch is invalid, as in `informedness_score`, or its labels differ in type from
            earlier ones. Then none of it is counted.
        """
        containers = {"references": references, "predictions": predictions}
        self._add(containers, sample_weight, self._task)

    def update_missing(self, references: Any) -> None:
        """Count samples without a prediction as wrong, regardless of `unknown`."""
        containers = {"references": references, "predictions": [None] * len(references)}
        self._add(containers, None, self._task._replace(unknown="wrong"), are_missing=True)

    def _add(
        self, containers: Any, sample_weight: Any, task: Task, are_missing: bool = False
    ) -> None:
        """Add the table of a batch."""
        (references, predictions), task = read_label_columns(
            containers, *task, sample_weight=sample_weight
        )
        if self._table is not None:
            before = read_column(self._table.labels[:1], "labels")
            check_same_kind(before, "references of earlier batches", references, "references")
        try:
            table = ContingencyTable._from_columns(references, predictions, task, sample_weight)
        except NoSamplesError:
            return
        with _adding:
            both = table if self._table is None else self._table + table
            n_missing = self.n_missing + (table.total if are_missing else 0)
            # in one step, so that an interrupt updates both or neither
            vars(self).update(_table=both, n_missing=n_missing)

    @property
    def table(self) -> ContingencyTable:
        """The table of all samples so far.

        Raises
        ------
        NoSamplesError
            If there are no samples.
        """
        if self._table is None:
            raise NoSamplesError(
                "expected at least one sample to score, but `update` was given none"
            )
        table = self._table
        if self.ids is not None:
            table = table.spelled or table  # `spelled` also keeps classes without references
            is_id = np.array([label in self.ids for label in table.labels])
            outside = labels_at(table, ~is_id & (table.reference_totals > 0))
            if outside:
                reason = f"count as a class, but are not in range({len(self.ids)}), as logits"
                hint = f"pass ignore_index={outside[0]} if they are padding"
                warn(f"references such as {outside[0]} {reason}: {hint}", LabelsWarning)
            table = replace(table, class_mask=is_id | table.is_class)
            table = table.as_one_outcome() if self._task.unknown == "wrong" else table
        if table.n_samples != self.n_missing:  # else it would warn that no prediction is a class
            warn_of_table(table, unknown=self._task.unknown)
        return table

    def reset(self) -> None:
        """Forget all samples."""
        with _adding:
            vars(self).update(_table=None, ids=None, n_missing=0)

    def __repr__(self) -> str:
        return "Tally of no samples" if self._table is None else repr(self._table)

    def __add__(self, other: Tally) -> Tally:
        """Add the samples of two tallies.

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
        both.n_missing += other.n_missing
        tables = [tally._table for tally in (self, other) if tally._table is not None]
        both._table = ContingencyTable.sum_of(tables) if tables else None
        return both

    def __radd__(self, other: object) -> Tally:
        """Let `sum(tallies)` start from 0; copy, as the sum may be updated."""
        return copy(self) if type(other) is int and other == 0 else NotImplemented


class LabelTally:
    """Counts several binary labels per sample, each separately; predictions may be `NO_ANSWER`.

    Attributes
    ----------
    counts : int64 array of shape (n_labels, 2, 3)
        One table per label: rows are references 0 and 1, columns predictions 0, 1 and missing.
    """

    def __init__(self, ignore_index: Any = None, names: tuple[str, str] = NAMES) -> None:
        self._ignore_index, self._names = ignore_index, names
        self.counts: Numbers = np.array(0)

    def update(self, references: Numbers, predictions: Numbers) -> None:
        """Count a batch of arrays of shape (n_samples, n_labels), checked by `check_shapes`.

        Raises
        ------
        ValueError
            If a value that is not ignored is neither 0, 1 nor, as a prediction, `NO_ANSWER`.
        """
        is_counted = np.asarray(references != self._ignore_index)
        sides = (references, 1), (predictions, NO_ANSWER)  # also allowed besides 0 and 1
        for name, (array, allowed) in zip(self._names, sides, strict=True):
            others = array[is_counted & (array != 0) & (array != 1)]
            others = others[others != allowed]
            if len(others):
                rule = "must be 0 or 1 for a single column of scores or several labels"
                raise ValueError(f"{name} {rule}, got {others[0].item()!r}")

        columns = np.where(predictions == NO_ANSWER, 2, predictions)
        n_labels = references.shape[1]
        cells = 6 * np.arange(n_labels) + 3 * references + columns
        counts = np.bincount(cells[is_counted].astype(np.int64), minlength=6 * n_labels)
        self.counts = self.counts + counts.reshape(-1, 2, 3)

    def tables(self, names: Sequence[str]) -> dict[str, ContingencyTable]:
        """Build a table for each label with samples; `names` must name all labels."""
        if not self.counts.any():
            raise NoSamplesError("expected at least one sample to score, but none was given")
        counts_by_name = zip(names, self.counts, strict=True)
        return {name: table_of_counts(counts) for name, counts in counts_by_name if counts.any()}


def check_shapes(references: Any, predictions: Any) -> None:
    """Raise ValueError unless both arrays have the shape (n_samples, n_labels)."""
    if predictions.ndim != 2 or predictions.shape != references.shape:
        rule = "predictions and references with several labels must be (n_samples, n_labels)"
        raise ValueError(f"{rule}, got {tuple(predictions.shape)} and {references.shape}")


def table_of_counts(counts: Numbers) -> ContingencyTable:
    """Build a table of k classes from (k, k + 1) counts; the last column is missing predictions."""
    rows, columns = np.nonzero(counts)
    ids = [*range(len(counts))]
    references, predictions = Column(rows, ids), Column(columns, [*ids, None])
    task = Task((*ids,), None, "wrong")
    return ContingencyTable._from_pair_counts(
        references, predictions, task, counts=counts[rows, columns]
    )
