"""Build contingency tables from labels, matrices or counts, merge tables, and count slices.

A `Tally` adds up the counts of batches.

In every table the rows are references and the columns are predictions.
"""

from __future__ import annotations

import math
import os
from collections.abc import Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

import numpy as np

from ..core import labels as core_labels
from ..core import table as core_table
from ..core.labels import NAMES, Codes, Column, Label, LabelsWarning, NoSamplesError, Numbers, show
from ..core.scores import ZeroDivision, informedness, nit
from ..core.table import Cells, Table, Task, labels_at, read_amounts, read_weights
from ..text.layout import Account
from .label_options import class_names_of, read_label_columns, read_labels
from .label_warnings import warn_of_shares, warn_of_table
from .matrix import Matrix, check_no_totals, check_same_names, read_matrix

if TYPE_CHECKING:
    from typing_extensions import Self, Unpack


# The name of a slice: a label, or a tuple with one label for each column that defines slices
Slice: TypeAlias = Label | tuple[Label, ...]
OneAverage: TypeAlias = Literal["bias", "prevalence", "macro"]


class ScoreOptions(TypedDict, total=False):
    """Types of the options of a score that is computed from a table."""

    prior: Mapping[Any, float] | None
    zero_division: ZeroDivision


class SampleOptions(ScoreOptions, total=False):
    """Types of the options of a score that is computed from samples."""

    labels: Any
    sample_weight: Any
    ignore_index: Label | None
    unknown: str


@dataclass(frozen=True, eq=False, repr=False)
class ContingencyTable(Table):
    """Counts of (reference, prediction) pairs, with references in rows, predictions in columns.

    Build a table with `from_labels`, `from_matrix` or `from_counts`. Merge tables with `a + b`.

    Attributes
    ----------
    labels : tuple
        Labels of the rows and columns, sorted or in the order of `labels=`. A final None is the
        label of missing predictions; with `unknown="wrong"`, of all out-of-class predictions.
    is_declared : bool
        Whether the classes were declared with `labels=`. Otherwise they were observed.
    rows, columns : integer arrays of shape (n_cells,)
        Positions in `labels` of each non-zero cell, row by row.
    counts : array of shape (n_cells,)
        Number of samples (int64) or sum of their weights (float64) in each cell.
    squared_weights : float64 array of shape (n_cells,), or None
        Sum of squared weights in each cell; None without weights, or if the sums are unknown.
    n_samples : int or None
        Number of samples; None if only sums of weights are known.
    read : tuple of Account
        Accounts of the files or data frames that were read. Reports show them.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(
    ...     references=["a", "b", "a"], predictions=["a", "b", "b"]
    ... )
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    >>> table.informedness()
    0.5
    """

    read: tuple[Account, ...] = ()

    @classmethod
    def _from_pair(cls, containers: Mapping[str, Any], sample_weight: Any, *options: Any) -> Self:
        """Count the labels in two containers; the keys of `containers` name them in messages.

        `options` are `labels`, `ignore_index` and `unknown`.
        """
        (r, p), task = read_label_columns(containers, *options, sample_weight=sample_weight)
        table = cls._from_columns(r, p, task, sample_weight)
        warn_of_table(table, [*containers], class_names_of(*containers.values()) is not None)
        return table

    @classmethod
    def from_counts(
        cls,
        *,
        references: Any,
        predictions: Any,
        counts: Any,
        labels: Any = None,
        squared_weights: Any = None,
        n_samples: Any = None,
        ignore_index: Label | None = None,
        unknown: str = "error",
    ) -> Self:
        """Build a table from counts of (reference, prediction) pairs, as GROUP BY returns them.

        Counts of the same pair are added up.

        Parameters
        ----------
        references, predictions : array-like of shape (n_pairs,)
            Labels of each pair.
        counts : array-like of shape (n_pairs,)
            Numbers of samples, if all counts are whole and neither `squared_weights` nor
            `n_samples` is passed. Otherwise sums of sample weights. A count of 0 drops the pair.
        squared_weights : array-like of shape (n_pairs,), optional
            Sums of squared weights. Standard errors of weighted samples need them.
        n_samples : array-like of shape (n_pairs,), optional
            Numbers of samples, if `counts` are sums of weights.
        labels, ignore_index, unknown
            As in `from_labels`.

        Raises
        ------
        TypeError, ValueError
            As in `from_labels`. Also ValueError if the counts are invalid, or differ in number from
            the pairs.
        """
        containers = {"references": references, "predictions": predictions}
        sums = {"counts": counts, "squared_weights": squared_weights, "n_samples": n_samples}
        (r, p), task = read_label_columns(containers, labels, ignore_index, unknown, **sums)
        table = cls._from_pair_counts(r, p, task, **sums)
        warn_of_table(table)
        return table

    @classmethod
    def _from_pair_counts(cls, r: Column, p: Column, task: Task, **sums: Any) -> Self:
        """Build a table from columns of references and predictions, and the sums of each pair."""
        amounts, squares, samples = read_counts(len(r), **sums)
        used = task.select_samples(r, amounts)
        labels, rows, columns = common_codes(r[used], p[used])
        squares = None if squares is None else squares[used].astype(np.float64)
        cells = Cells(rows, columns, amounts[used], squares)
        n_samples = None if samples is None else int(samples[used].sum())
        return cls._from_task(labels, cells, task, n_samples)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, labels: Any = None, squared_weights: Any = None, unknown: str = "error"
    ) -> Self:
        r"""Build a table from a square matrix of counts with references in rows.

        The index of a pandas data frame, such as `pandas.crosstab(references, predictions)`, names
        the references, and its columns name the predictions. Their order does not matter. A class
        that only the index or only the columns name gets a column or row of zeros.

        Parameters
        ----------
        matrix : array-like of shape (k, k), data frame, sparse matrix or str
            Counts, or sums of weights. Text may come from spreadsheets, R, pandas, numpy, Matlab,
            Markdown or LaTeX.
        labels : sequence of labels, optional
            The classes of the task, in order. By default the names in the matrix, or 0 to k - 1.
            If the matrix has no names, `labels` names its rows and columns.
        squared_weights : array-like of shape (k, k) or data frame, optional
            Sums of squared weights, if the cells of `matrix` are sums of weights.
        unknown : {"error", "wrong"}
            As in `from_labels`. With "wrong", the classes are `labels` or, without them, those
            whose rows are not 0.

        Raises
        ------
        ValueError
            If the matrix is not square, contains anything but finite numbers of at least 0, or is 0
            everywhere. If `labels` or `squared_weights` do not match it. If its last row and column
            are totals and `labels` is omitted. If only the rows or only the columns of a data frame
            have names, or if a class is named twice.

        Examples
        --------
        >>> ContingencyTable.from_matrix([[90, 0], [10, 0]]).informedness()
        0.0
        >>> ContingencyTable.from_matrix(",ham,spam\nham,90,0\nspam,1,9").labels
        ('ham', 'spam')
        """
        matrix = matrix.toarray() if hasattr(matrix, "toarray") else matrix  # SciPy sparse
        names, matrix = read_matrix(matrix)
        amounts = read_amounts(matrix, "matrix")
        if names is not None:
            check_same_names(names, squared_weights)
        else:
            k = len(np.atleast_1d(amounts))
            if amounts.shape != (k, k):
                raise ValueError(f"`matrix` must be square, got an array of shape {amounts.shape}")
            classes = read_labels(range(k) if labels is None else labels, "labels")
            if k != len(classes):
                raise ValueError(f"`labels` must name the {k} rows of `matrix`, got {len(classes)}")
            names = classes, classes
        if labels is None:
            check_no_totals(amounts)
        options: Any = {"counts": amounts.ravel(), "labels": labels, "unknown": unknown}
        if squared_weights is not None:
            options["squared_weights"] = np.ravel(squared_weights)
        elif (np.trunc(amounts) != amounts).any():
            warn_of_shares(amounts.sum(axis=1))
        if labels is None and unknown == "error":
            options["labels"] = common_codes(*names)[0]
        rows, columns = np.indices(amounts.shape).reshape(2, -1)
        table = cls.from_counts(references=names[0][rows], predictions=names[1][columns], **options)
        table = replace(table, is_declared=labels is not None)
        warn_of_table(table)
        return table

    @overload
    def informedness(
        self, *, average: None, prior_mode: str = ..., **options: Unpack[ScoreOptions]
    ) -> list[float]: ...
    @overload
    def informedness(
        self, *, average: OneAverage = ..., prior_mode: str = ..., **options: Unpack[ScoreOptions]
    ) -> float: ...
    def informedness(self, **options: Any) -> Any:
        """Compute Bookmaker Informedness; `informedness_score` has the formula and the options."""
        return informedness(self, **options)

    def nit(self, *, zero_division: ZeroDivision = "warn") -> float:
        """Compute NIT = 2^MI / k; `nit_score` has the formula and the options."""
        return nit(self, zero_division=zero_division)

    def to_dense(self) -> Numbers:
        """Convert the table to an array of shape (k, k) for k labels, with references in rows."""
        dense = np.zeros((len(self.labels), len(self.labels)), dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def __repr__(self) -> str:
        """Show the cells as text; for many classes, only the classes with the most references."""
        return str(Matrix(self))

    def _repr_html_(self) -> str:
        return Matrix(self)._repr_html_()

    def __add__(self, other: Table) -> Self:
        """Merge two tables, as `sum_of` does."""
        if not isinstance(other, Table):
            return NotImplemented
        return self.sum_of([self, other])

    @classmethod
    def sum_of(cls, tables: Sequence[Table]) -> Self:
        """Merge one or more tables into one.

        The classes stay declared if all tables declare the same classes in the same order.

        Raises
        ------
        ValueError
            If the tables have labels of different types, or the sum of all counts is too large.
        """
        if len(kinds := {core_labels.label_kind(table.labels[0]) for table in tables}) > 1:
            got = " and ".join(sorted(kinds))
            raise ValueError(f"tables and batches must have labels of one type, got {got}")
        check_total(sum(table.total for table in tables))
        merged = cls._join_cells([table.unmerged_table or table for table in tables])
        merged = replace(merged, class_mask=_merge_class_masks(tables, merged.labels))
        if any(table.unmerged_table is not None for table in tables):
            merged = merged.merge_out_of_class()
        read = dict.fromkeys(read for table in tables for read in getattr(table, "read", ()))
        return replace(merged, read=tuple(read))

    @classmethod
    def _join_cells(cls, tables: Sequence[Table]) -> Self:
        """Join the cells of tables whose labels have the same type into one table."""
        labels, codes = core_labels.merge_labels(*(table.labels for table in tables))
        coded = zip(codes, tables, strict=True)
        parts: Any = [(new[x.rows], new[x.columns], x.counts, x.n_samples) for new, x in coded]
        *arrays, numbers = zip(*parts, strict=True)
        cells = Cells(*map(np.concatenate, arrays))
        # Unweighted samples have weight 1, so their counts are also sums of squared weights.
        squares: Any = [x.squared_weights if x.is_weighted else x.counts for x in tables]
        if cells.counts.dtype.kind == "f" and all(x is not None for x in squares):
            cells = cells._replace(squares=np.concatenate(squares).astype(np.float64))
        n_samples = None if None in numbers else sum(numbers)
        if classes := _common_classes(tables):
            return cls._from_task(labels, cells, Task(classes, None, "wrong"), n_samples)
        return cls._from_cells(tuple(labels), False, cells, n_samples)

    def __radd__(self, other: object) -> Self:
        """Let `sum(tables)` start from 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Compare classes, cells, weights and numbers of samples."""
        if not isinstance(other, Table):
            return NotImplemented
        fields = "n_samples", "rows", "columns", "counts", "squared_weights", "is_class"
        has_same_labels = self.labels == other.labels and self.is_declared == other.is_declared
        equal_fields = (np.array_equal(getattr(self, x), getattr(other, x)) for x in fields)
        return has_same_labels and all(equal_fields)

    __hash__ = None  # type: ignore[assignment]


def _common_classes(tables: Sequence[Table]) -> tuple[Label, ...]:
    """List the classes that all tables declare, in the same order; else return ()."""
    classes = {tuple(x for x in table.labels if x is not None) for table in tables}
    return classes.pop() if len(classes) == 1 and all(x.is_declared for x in tables) else ()


def _merge_class_masks(tables: Sequence[Table], labels: core_table.Classes) -> Numbers | None:
    """Mask the labels that are a class in any table.

    Return None if no table has a mask. The classes then follow from the merged cells.
    """
    if all(table.class_mask is None for table in tables):
        return None
    classes = {x for table in tables for x in labels_at(table, table.is_class)}
    return np.array([label in classes for label in labels])


def table_of_labels(
    y_true: Any, y_pred: Any, labels: Any, sample_weight: Any, *options: Any
) -> ContingencyTable:
    """Count labels into a table; `options` are `ignore_index` and `unknown`."""
    containers = {"y_true": y_true, "y_pred": y_pred}
    return ContingencyTable._from_pair(containers, sample_weight, labels, *options)


def as_table(y_true: Any, y_pred: Any, *options: Any) -> ContingencyTable:
    """Return `y_true` if it is a table; otherwise count the labels into a table.

    `options` are `labels`, `sample_weight`, `ignore_index` and `unknown`. For a table,
    `ignore_index` has no effect here.

    Raises
    ------
    ValueError
        If `y_true` is a table, and `y_pred`, `labels`, `sample_weight` or unknown="wrong" is
        passed, too. If `y_true` is not a table, and `y_pred` is missing, or one of the two is text
        instead of a container of labels.
    """
    if not isinstance(y_true, ContingencyTable):
        if y_pred is None or isinstance(y_true, str) or isinstance(y_pred, str):
            rule = "must both hold labels unless `y_true` is a ContingencyTable"
            got = f"got {show(y_true)} and {show(y_pred)}"
            makers = "ContingencyTable.from_matrix, table_from_frame or table_from_file"
            raise ValueError(f"`y_true` and `y_pred` {rule}, {got}. Make a table with {makers}.")
        return table_of_labels(y_true, y_pred, *options)
    labels, sample_weight, _, unknown = options
    if any(x is not None for x in (y_pred, labels, sample_weight)) or unknown != "error":
        rule = "must be left out if `y_true` is a table. Pass them when you make the table"
        raise ValueError(f"`y_pred`, `labels`, `sample_weight` and `unknown` {rule}")
    return y_true


# Labels and counts from which a table is built


def common_codes(references: Column, predictions: Column) -> tuple[list[Label], Codes, Codes]:
    """List the sorted labels of two columns, and the positions of their samples in this list."""
    (r_values, r), (p_values, p) = references.labels_and_codes(), predictions.labels_and_codes()
    labels, (to_row, to_column) = core_labels.merge_labels(r_values, p_values)
    return labels, to_row[r], to_column[p]


def read_counts(n_pairs: int, **given: Any) -> tuple[Numbers, Numbers | None, Numbers | None]:
    """Read `counts`, `squared_weights` and `n_samples`, each with one number per pair.

    `counts` are numbers of samples if all are whole and no other sums are passed. Otherwise they
    are sums of weights. Squared weights and numbers of samples are then None unless passed.
    """
    sums = {name: read_amounts(x, name) for name, x in given.items() if x is not None}
    for name, array in sums.items():
        if array.shape != (n_pairs,):
            raise ValueError(f"`{name}` must have shape ({n_pairs},), got {array.shape}")
    amounts, samples = sums["counts"], sums.get("n_samples")
    if not amounts.any():
        raise NoSamplesError("`counts` must sum to more than 0, got 0")
    if len(sums) == 1 and bool((np.trunc(amounts) == amounts).all()):
        counts = read_integers(amounts)
        return counts, None, counts
    if samples is not None:
        is_bad = np.floor(samples) < np.maximum(samples, amounts > 0)
        if is_bad.any():
            rule = "must be whole numbers, and 0 only where `counts` is 0"
            raise ValueError(f"`n_samples` {rule}, got {samples[is_bad][0]}")
    return amounts.astype(np.float64), sums.get("squared_weights"), samples


def read_integers(values: Any, name: str = "counts") -> Numbers:
    """Read counts of samples as integers.

    Raises
    ------
    ValueError
        If a count is not a whole number or is negative, or if the sum is 2**63 or more.
    """
    counts = read_amounts(values, name)
    if (fractions := counts[counts != np.trunc(counts)]).size:
        raise ValueError(f"`{name}` must be whole numbers of samples, got {fractions[0]}")
    if counts.sum(dtype=float) >= 2**62:
        check_total(sum(map(int, counts.tolist())), name)
    return counts.astype(np.int64)


def check_total(total: Any, name: str = "counts") -> None:
    """Raise ValueError if the total is too large for the counts or weights of a table."""
    if total >= (2**63 if isinstance(total, int) else math.inf):
        limit = "2**63" if isinstance(total, int) else "1e308"
        raise ValueError(f"`{name}` must sum to less than {limit}, got {total}")


# Tables by slice, such as one table for each type of question


def slice_column(by: Any, n_samples: int | None = None) -> Column:
    """Read the name of each sample's slice from one column, or from a mapping of columns.

    If `n_samples` is None, the lengths of the columns are not checked.

    Raises
    ------
    ValueError
        If there is no column, a value is not a label, or a column does not have one value for each
        sample.
    """
    columns = by if isinstance(by, Mapping) else {"by": by}
    if not columns:
        raise ValueError("`by` must name at least one column, got none")
    label_columns = {name: read_labels(column, str(name)) for name, column in columns.items()}
    for name, column in label_columns.items():
        if n_samples is not None and len(column) != n_samples:
            got = f"got {len(column)} in {name!r} for {n_samples} samples"
            raise ValueError(f"`by` must have a value for each sample, {got}")
    if not isinstance(by, Mapping):
        return label_columns["by"]
    names, codes = list[Any]([()]), np.array(0)
    for values, column_codes in map(core_table.plain_codes, label_columns.values()):
        n = len(values)
        fused, codes = core_labels.code_integers(codes * n + column_codes.astype(np.int64))
        names = [(*names[code // n], values[code % n]) for code in fused.tolist()]
    return Column(codes, names)


def read_name(name: Any) -> Slice:
    """Read the name of a slice, which is a label or a tuple of labels."""
    parts = name if isinstance(name, tuple) else (name,)
    labels = tuple(core_labels.read_column([label], "tables").example() for label in parts)
    return labels if isinstance(name, tuple) else labels[0]


def count_slices(
    references: Column, predictions: Column, by: Any, task: Task, sums: Sequence[Any]
) -> dict[Slice, ContingencyTable]:
    """Count references and predictions into one table per slice, sorted by name.

    `by` names the slice of each sample, as in `slice_column`. A slice without samples does not get
    a table. `sums` are the weights, counts and squared weights of the rows, each an array or None.
    With counts, each row represents several samples of equal weight, as in the result of GROUP BY.
    With squared weights as well, weights and squared weights are sums over the samples of a row.
    """
    sample_weight, counts, squares = sums
    slices = slice_column(by, len(references))
    weights = None if sample_weight is None else read_weights(sample_weight, len(references))
    amounts = [x for x in (weights, counts) if x is not None]
    used = task.select_samples(references, np.minimum.reduce(amounts) if amounts else None)
    columns = (column[used] for column in (slices, references, predictions))
    (names, s), (r_values, r), (p_values, p) = map(core_table.plain_codes, columns)
    weights, counts, squares = (None if x is None else x[used] for x in (weights, counts, squares))
    # Each pair of a slice and a reference has one code, so all slices are counted in one pass.
    # Labels are merged on cells, not on samples: 10^7 samples in 20 slices take half the time.
    fused = s.astype(np.int64) * len(r_values) + r
    n_samples = np.bincount(s) if counts is None else core_table.sum_by(s, counts, len(names))
    if counts is None:
        values, cells = core_table.count_pairs(Column(fused), Column(p), weights)
        codes = np.asarray(values)
        cells = cells._replace(rows=codes[cells.rows], columns=codes[cells.columns])
    else:
        if weights is not None and squares is None:
            weights, squares = counts * weights, counts * weights**2
        cells = Cells(fused, p, counts if weights is None else weights, squares)
    cell_slices, rows = np.divmod(cells.rows, len(r_values))
    labels, (to_row, to_column) = core_labels.merge_labels(r_values, p_values)
    cells = cells._replace(rows=to_row[rows], columns=to_column[cells.columns])
    order = np.argsort(cell_slices, kind="stable")
    present, starts = np.unique(cell_slices[order], return_index=True)
    tables = {}
    for code, which in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
        part = Cells(*(None if x is None else x[which] for x in cells))  # type: ignore[arg-type]
        tables[names[code]] = ContingencyTable._from_task(labels, part, task, int(n_samples[code]))
    return dict(sorted(tables.items()))


# Tallies. Averages of batch scores would be wrong, because Informedness and NIT depend on class
# shares, which differ from batch to batch. Counts of batches can be added.


MISSING = -(2**30)  # stands for a missing prediction, such as one whose scores are nan

# Threads may share a tally. The lock is global, because a tally with a lock could not be pickled.
_tally_lock = Lock()


def _renew_lock() -> None:
    """Replace the lock after a fork: a thread that held it does not exist in the new process."""
    global _tally_lock
    _tally_lock = Lock()


if hasattr(os, "register_at_fork"):  # missing on Windows
    os.register_at_fork(after_in_child=_renew_lock)


class Tally:
    """Counts of references and predictions that grow batch by batch, without keeping samples.

    Memory grows with the number of different (reference, prediction) pairs, not with the number of
    samples. Add the tallies of several processes with `sum([first, second])`.

    Parameters
    ----------
    labels : sequence of labels, optional
        The classes of the task, as in `informedness_score`.
    ignore_index : label, optional
        Reference of samples to leave out, for example -100 for padding tokens.
    unknown : {"error", "wrong"}
        Whether a prediction that is missing or not among the `labels` is an error or counts as
        wrong. Without `labels`, a prediction that no reference has counts as wrong with either
        value.

    Raises
    ------
    TypeError, ValueError
        If an option is invalid.

    Examples
    --------
    >>> tally = Tally(ignore_index=-100)
    >>> for r, p in [([0, 1], [0, 1]), ([2, -100], [1, 1]), ([], [])]:
    ...     tally.update(references=r, predictions=p)
    >>> tally.table.n_samples, round(tally.table.informedness(average="macro"), 4)
    (3, 0.5)
    """

    _table: ContingencyTable | None
    ids: range | None  # class ids of logits, including those that never occur

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
            Finite weights that are not negative. A weight of 0 drops the sample.

        Raises
        ------
        TypeError, ValueError
            If the batch is invalid, as in `informedness_score`, or its labels differ in type from
            those of earlier batches. No sample of the batch is then counted.
        """
        self._add(references, predictions, sample_weight, self._task)

    def update_missing(self, references: Any) -> None:
        """Count samples without a prediction as wrong, regardless of `unknown`."""
        task = self._task._replace(unknown="wrong")
        self._add(references, [None] * len(references), None, task)

    def _add(self, references: Any, predictions: Any, weights: Any, task: Task) -> None:
        """Add the table of a batch."""
        containers = {"references": references, "predictions": predictions}
        (r, p), task = read_label_columns(containers, *task, sample_weight=weights)
        try:
            table = ContingencyTable._from_columns(r, p, task, weights)
        except NoSamplesError:
            return
        with _tally_lock:
            self._table = table if self._table is None else self._table + table

    @property
    def table(self) -> ContingencyTable:
        """The table of all samples counted since the last reset.

        Raises
        ------
        NoSamplesError
            If there are no samples.
        """
        if self._table is None:
            raise NoSamplesError("expected at least one sample to score, but none was given")
        table = self._table
        if self.ids is not None:
            table = table.unmerged_table or table  # has the predicted ids without references
            is_id = np.array([label in self.ids for label in table.labels])
            if others := labels_at(table, ~is_id & (table.reference_totals > 0)):
                reason = f"count as a class, but have no logits in range({len(self.ids)})"
                hint = f"Pass ignore_index={others[0]} if they are padding."
                core_labels.warn(f"references such as {others[0]} {reason}. {hint}", LabelsWarning)
            table = replace(table, class_mask=is_id | table.is_class)
            table = table.merge_out_of_class() if self._task.unknown == "wrong" else table
        warn_of_table(table)
        return table

    def reset(self) -> None:
        """Discard all counts."""
        with _tally_lock:
            self._table = self.ids = None

    def __repr__(self) -> str:
        return "Tally without samples" if self._table is None else repr(self._table)

    def __add__(self, other: Tally) -> Tally:
        """Add the samples of two tallies.

        Raises
        ------
        ValueError
            If their options differ, or their labels differ in type.
        """
        if not isinstance(other, Tally):
            return NotImplemented
        if self._task != other._task:
            options = "labels={!r}, ignore_index={!r}, unknown={!r}".format
            got = f"got {options(*self._task)} and {options(*other._task)}"
            raise ValueError(f"tallies must have the same options to be added, {got}")
        both = copy(self)
        tables = [tally._table for tally in (self, other) if tally._table is not None]
        both._table = ContingencyTable.sum_of(tables) if tables else None
        return both

    def __radd__(self, other: object) -> Tally:
        """Let `sum(tallies)` start from 0; the copy keeps updates of the sum out of this tally."""
        return copy(self) if type(other) is int and other == 0 else NotImplemented


def count_labels(references: Any, predictions: Any, ignored: Any, names: Any = NAMES) -> Numbers:
    """Count references and predictions of each label in arrays of shape (n_samples, n_labels).

    The labels are binary. Missing predictions are `MISSING`. A prediction may have any value if
    its reference is `ignored`. `names` are the names of the two arrays in messages.

    Returns
    -------
    int64 array of shape (n_labels, 2, 3)
        One table per label. Its rows are references of 0 and 1, and its columns are predictions
        of 0 and 1 and missing predictions.

    Raises
    ------
    ValueError
        If the arrays do not both have this shape. If a value is not 0 or 1, except for missing
        predictions, and where the reference is ignored.
    """
    if predictions.ndim != 2 or predictions.shape != references.shape:
        rule = f"`{names[1]}` and `{names[0]}` must both have shape (n_samples, n_labels)"
        raise ValueError(f"{rule}, got {predictions.shape} and {references.shape}")
    is_counted = np.asarray(references != ignored)
    allowed = (references, [0, 1]), (predictions, [0, 1, MISSING])
    for name, (array, values) in zip(names, allowed, strict=True):
        invalid = array[is_counted & ~np.isin(array, values)]
        if len(invalid):
            rule = "must be 0 or 1 for a single column of scores or several labels"
            raise ValueError(f"`{name}` {rule}, got {invalid[0].item()!r}")
    columns = np.where(predictions == MISSING, 2, predictions)
    n_labels = references.shape[1]
    cells = 6 * np.arange(n_labels) + 3 * references + columns
    return np.bincount(cells[is_counted].astype(np.int64), minlength=6 * n_labels).reshape(-1, 2, 3)


def tables_by_label(counts: Numbers, names: Sequence[str]) -> dict[str, ContingencyTable]:
    """Build a table for each label that has samples, from the result of `count_labels`.

    `names` must name all labels, also those without samples.
    """
    if not counts.any():
        raise NoSamplesError("expected at least one sample to score, but none was given")
    return {name: table_of_counts(x) for name, x in zip(names, counts, strict=True) if x.any()}


def table_of_counts(counts: Numbers) -> ContingencyTable:
    """Build a table from counts of shape (k, k + 1); the last column counts missing predictions."""
    classes = tuple(range(len(counts)))
    rows, columns = np.nonzero(counts)
    cells, task = Cells(rows, columns, counts[rows, columns]), Task(classes, None, "wrong")
    labels: Any = [*classes, None]
    return ContingencyTable._from_task(labels, cells, task, int(counts.sum()))
