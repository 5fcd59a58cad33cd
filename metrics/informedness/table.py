"""The contingency table: it counts columns of labels, and every score is computed from it.

`n[i, j]` counts the samples with reference i and prediction j: ROWS ARE REFERENCES, COLUMNS ARE
PREDICTIONS, here and everywhere else. The table is a sufficient statistic: scores, standard errors
and intervals take the table, never the samples. It is sparse: only cells with samples are held, and
no k x k array is made where k is large.

`count_pairs` is the only place where codes become counts.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Number
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

from .labels import (
    Codes,
    Column,
    Label,
    NoSamplesError,
    Numbers,
    as_array,
    check_choice,
    merged,
    read_classes,
    read_pair,
    show,
    warn,
)

if TYPE_CHECKING:
    from typing_extensions import Self

Weights: TypeAlias = NDArray[np.float64]

# Pairs that are counted together stay in the cache, which takes half the time of whole arrays.
_BLOCK = 2**17
# A table of all pairs has at most 2**22 cells, 32 MB; more of them are counted by sorting.
_MOST_BITS = 22


# From columns to cells


class Cells(NamedTuple):
    """Cells of a table: positions of their labels, and what the samples there come to."""

    rows: Codes
    columns: Codes
    counts: Numbers  # samples, or the sum of their weights
    squares: Numbers | None = None  # the sum of squared weights; None without weights, or unknown


def count_pairs(
    references: Column, predictions: Column, weights: Weights | None = None
) -> tuple[Sequence[Label], Cells]:
    """Return the labels that occur, sorted (some may be unused), and the cells of their table.

    `rows` and `columns` are positions in the labels.
    """
    if references.values is None and predictions.values is None:
        # small integers are codes as they stand
        cells = _count_dense(references.codes, predictions.codes, weights)
        if cells is not None:
            return range(max(int(cells.rows.max()), int(cells.columns.max())) + 1), cells
    (r_values, r), (p_values, p) = references.coded(), predictions.coded()
    found, (to_row, to_column) = merged(r_values, p_values)
    cells = _count_dense(r, p, weights) or _count_sorted(r, p, weights)
    return found, cells._replace(rows=to_row[cells.rows], columns=to_column[cells.columns])


def _count_dense(rows: Numbers, columns: Numbers, weights: Weights | None) -> Cells | None:
    """Return the cells for small codes, from a table of all pairs; None for other codes.

    Block by block, each pair is fused into row * 2**bits + column and these are counted. One look
    at all bits of a block shows whether a code is negative, too large, or wants a larger table.
    """
    n = len(rows)
    most_bits = min(_MOST_BITS, max(12, (2 * n).bit_length()))  # a small table for few pairs
    start = row_bits = bits = 0
    tables: list[Numbers] = []  # of samples; then of weights, and of their squares
    while start < n:
        # a block should outweigh the table it is added to
        block = slice(start, start + max(_BLOCK, 2 ** (row_bits + bits)))
        r, c, start = rows[block], columns[block], block.stop
        # which have the bits of the largest code, and are negative if some code is
        of_rows, of_columns = int(np.bitwise_or.reduce(r)), int(np.bitwise_or.reduce(c))
        row_bits, bits = max(row_bits, of_rows.bit_length()), max(bits, of_columns.bit_length())
        if of_rows < 0 or of_columns < 0 or row_bits + bits > most_bits:
            return None
        fused = np.left_shift(r, bits, dtype=np.int64)
        fused |= c
        amounts = None if weights is None else weights[block]
        before, tables = tables, []
        for sums in _sums_by_code(fused, amounts, 2 ** (row_bits + bits)):
            tables.append(sums.reshape(2**row_bits, 2**bits))
        for table, smaller in zip(tables, before, strict=False):
            table[: len(smaller), : smaller.shape[1]] += smaller
    found = np.nonzero(tables[0])
    return Cells(*found, *(table[found] for table in tables[-2:]))


def _count_sorted(rows: Numbers, columns: Numbers, weights: Weights | None) -> Cells:
    """Return the cells for any number of codes, by sorting the pairs."""
    k = int(columns.max()) + 1
    cells, codes = np.unique(rows.astype(np.int64) * k + columns, return_inverse=True)
    return Cells(cells // k, cells % k, *_sums_by_code(codes, weights, len(cells))[-2:])


def _sums_by_code(codes: Codes, weights: Weights | None, size: int) -> list[Numbers]:
    """Return the number of samples of each code; then the sums of weights, and of their squares."""
    sums: list[Numbers] = [np.bincount(codes, minlength=size)]
    if weights is not None:
        with np.errstate(over="ignore"):  # beyond 1e154: scores are right, their errors unknown
            sums += [np.bincount(codes, weights**power, size) for power in (1, 2)]
    return sums


def sum_by(codes: Codes, amounts: Numbers, size: int) -> Numbers:
    """Return the sum of `amounts` for each code: exact for counts, in float64 for weights."""
    if amounts.dtype.kind == "f" or amounts.sum(dtype=float) < 2**53:  # bincount sums in float64
        return np.bincount(codes, amounts, minlength=size).astype(amounts.dtype, copy=False)
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, codes, amounts)
    return totals


# The table


@dataclass(frozen=True, eq=False)
class Table:
    """Counts of (reference, prediction) pairs; rows are references, columns predictions.

    >>> table = Table.from_labels(["a", "b", "a"], ["a", "b", "b"])
    >>> table.labels, table.reference_totals.tolist(), table.prediction_totals.tolist()
    (('a', 'b'), [2, 1], [1, 2])
    """

    # The k classes: sorted, or in the order of `labels=`. A final None stands for all predictions
    # outside the declared classes (`unknown="wrong"`).
    labels: tuple[Label | None, ...]
    declared: bool  # whether the classes were given (`labels=`) or observed
    # The non-zero cells, row by row: positions in `labels`, and the samples there (int64) or their
    # weight (float64).
    rows: Codes
    columns: Codes
    counts: Numbers
    squared_weights: Numbers | None = None  # of each cell; None without weights, or if unknown
    n_samples: int | None = None  # None if only sums of weights are known

    @classmethod
    def from_labels(
        cls,
        references: Any,
        predictions: Any,
        *,
        labels: Any = None,
        sample_weight: Any = None,
        ignore_index: Label | None = None,
        unknown: str = "error",
    ) -> Self:
        """Count one reference and one prediction for each sample.

        `labels` are the classes in order, by default those that occur, sorted. A prediction outside
        them is an error, or with `unknown="wrong"` a wrong answer. Samples whose reference is
        `ignore_index` are left out, as are those of weight 0.
        """
        r, p, task = read_task(references, predictions, labels, ignore_index, unknown)
        table = cls.from_columns(r, p, task, sample_weight)
        if task.ignored is None and task.classes is None:
            warn_of_padding(table)
        return table

    @classmethod
    def from_columns(
        cls, references: Column, predictions: Column, task: Task, sample_weight: Any = None
    ) -> Self:
        """Count two columns."""
        keep, weights = counted_samples(references, task, sample_weight)
        if keep is not None:
            references, predictions = references[keep], predictions[keep]
        found, cells = count_pairs(references, predictions, weights)
        return cls.of_task(found, cells, task, len(references))

    @classmethod
    def of_task(
        cls, found: Sequence[Label], cells: Cells, task: Task, n_samples: int | None
    ) -> Self:
        """Return the table of the task's classes from cells of the labels `found`."""
        names, to_code = _arranged(found, cells, task)
        cells = cells._replace(rows=to_code[cells.rows], columns=to_code[cells.columns])
        return cls.of_cells(names, task.classes is not None, cells, n_samples)

    @classmethod
    def of_cells(
        cls, names: tuple[Label | None, ...], declared: bool, cells: Cells, n_samples: int | None
    ) -> Self:
        """Return the table of cells in any order; cells listed twice are added up."""
        rows, columns, counts, squares = cells
        fused = rows * len(names) + columns
        if not (fused[1:] > fused[:-1]).all():
            order = np.argsort(fused, kind="stable")
            starts = np.flatnonzero(np.diff(fused[order], prepend=-1))
            rows, columns = np.divmod(fused[order[starts]], len(names))
            counts = np.add.reduceat(counts[order], starts)
            squares = None if squares is None else np.add.reduceat(squares[order], starts)
        return cls(names, declared, rows, columns, counts, squares, n_samples)

    @cached_property
    def reference_totals(self) -> Numbers:
        """Row totals r, the weight of each class among the references, shape (k,)."""
        return sum_by(self.rows, self.counts, len(self.labels))

    @cached_property
    def prediction_totals(self) -> Numbers:
        """Column totals c, the weight of each class among the predictions, shape (k,)."""
        return sum_by(self.columns, self.counts, len(self.labels))

    @cached_property
    def hits(self) -> Numbers:
        """The diagonal h, the weight of right predictions of each class, shape (k,)."""
        right = self.rows == self.columns
        return sum_by(self.rows[right], self.counts[right], len(self.labels))

    @cached_property
    def total(self) -> Any:
        """Total weight N, an int or float; the number of samples where there are no weights."""
        return self.counts.sum().item()

    @property
    def is_weighted(self) -> bool:
        """Whether the cells hold sums of weights rather than numbers of samples."""
        return bool(self.counts.dtype.kind == "f")


# The task: classes, and which samples count


class Task(NamedTuple):
    """The declared classes, the reference to leave out, what to do with unknown predictions."""

    classes: tuple[Label, ...] | None
    ignored: Label | None
    unknown: str

    def counted(self, references: Column, amounts: Numbers | None) -> Numbers:
        """Return which samples count: those not ignored, with a weight above 0."""
        keep = np.ones(len(references), dtype=bool) if amounts is None else amounts > 0
        if not keep.any():
            dropped = ", and none is left after dropping those of weight 0" if len(keep) else ""
            raise NoSamplesError(
                f"there must be a sample to score, got {len(keep)} samples{dropped}"
            )
        if self.ignored is not None:
            keep &= references.differs_from(self.ignored)
        if not keep.any():
            also = "" if amounts is None else " or of weight 0"
            raise NoSamplesError(
                f"there must be a sample to score, and none is left: all are ignored{also}"
            )
        return keep


def check_unknown(unknown: object, labels: Any) -> None:
    """Raise ValueError unless the value of `unknown` is allowed with `labels`."""
    check_choice("unknown", unknown, ("error", "wrong"))
    if unknown == "wrong" and labels is None:
        raise ValueError('`unknown` can be "wrong" only with `labels`, the known classes')


def read_task(
    references: Any, predictions: Any, labels: Any, ignore_index: Any, unknown: str
) -> tuple[Column, Column, Task]:
    """Return references and predictions as columns, and the options as a `Task`."""
    check_unknown(unknown, labels)
    pair = read_pair(references, predictions)
    classes = None if labels is None else read_classes(labels, "labels", pair[0])
    ignored = None
    if ignore_index is not None:
        (ignored,) = read_classes([ignore_index], "ignore_index", pair[0])
    return *pair, Task(classes, ignored, unknown)


def counted_samples(
    references: Column, task: Task, sample_weight: Any
) -> tuple[Numbers | None, Weights | None]:
    """Return which samples count, None where all do, and the weights of those."""
    weights = None if sample_weight is None else read_weights(sample_weight, len(references))
    if weights is None and task.ignored is None and len(references):
        return None, None
    keep = task.counted(references, weights)
    if keep.all():
        return None, weights
    return keep, None if weights is None else weights[keep]


def _arranged(
    found: Sequence[Label], cells: Cells, task: Task
) -> tuple[tuple[Label | None, ...], Codes]:
    """Return the classes of the table, and the position among them of each label found.

    With `unknown="wrong"` predictions outside the declared classes share one extra class, None.
    """
    is_reference, is_prediction = np.zeros((2, len(found)), dtype=bool)
    is_reference[cells.rows] = is_prediction[cells.columns] = True
    if task.classes is None:
        used = is_reference | is_prediction
        names = tuple(found[code] for code in np.flatnonzero(used).tolist())
        return names, np.cumsum(used) - 1
    position = {label: code for code, label in enumerate(task.classes)}
    to_code = np.array([position.get(label, -1) for label in found], dtype=np.int64)
    outside = is_reference & (to_code < 0)
    if outside.any():
        label = show(found[int(np.argmax(outside))])
        raise ValueError(f"`labels` must list every reference, {label} is missing")
    outside = is_prediction & (to_code < 0)
    if not outside.any():
        return task.classes, to_code
    if task.unknown == "error":
        label = show(found[int(np.argmax(outside))])
        raise ValueError(
            f"`labels` must list every prediction, {label} is missing: add it, or "
            'pass unknown="wrong" to count such predictions as wrong answers'
        )
    to_code[outside] = len(task.classes)
    return (*task.classes, None), to_code


def warn_of_padding(table: Table) -> None:
    """Warn if -100, which a Trainer pads labels with, is counted as a class."""
    if -100 in table.labels and table.reference_totals[table.labels.index(-100)]:
        warn("-100 among the references counts as a class: ignore_index=-100 drops it")


# Weights and counts


def read_weights(sample_weight: Any, n_samples: int) -> Weights:
    """Return a copy of the weights, one for each sample."""
    weights = read_amounts(sample_weight, "sample_weight").astype(np.float64)
    if weights.shape != (n_samples,):
        got = f"got an array of shape {weights.shape} for {n_samples} samples"
        raise ValueError(f"`sample_weight` must hold one weight for each sample, {got}")
    return weights


def read_amounts(values: Any, name: str) -> Numbers:
    """Return counts or weights as a float64 array, or as int64 if all were given as integers."""
    array = as_array(values, name)
    if array.dtype.kind == "O" and all(map(is_real, array.flat)):
        try:  # Decimal and Fraction, as databases return sums
            array = array.astype(np.float64)
        except (OverflowError, ValueError) as error:
            raise ValueError(f"`{name}` must hold finite numbers, got {show(values)}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got {show(values)}")
    if array.dtype.kind == "u" and int(array.max(initial=0)) >= 2**63:
        raise ValueError(f"`{name}` must be below 2**63, got {int(array.max())}")
    amounts = array.astype(np.float64 if array.dtype.kind == "f" else np.int64)
    bad = ~(np.isfinite(amounts) & (amounts >= 0))
    if bad.any():
        value = amounts[bad].tolist()[0]
        raise ValueError(f"`{name}` must be finite and not negative, got {value!r}")
    with np.errstate(over="ignore"):
        if not np.isfinite(amounts.sum()):
            raise ValueError(f"`{name}` must have a finite sum, got one beyond 1e308")
    return amounts


def is_real(value: object) -> bool:
    """Return whether a value is a real number and not a bool."""
    return isinstance(value, (Number, np.number)) and not isinstance(
        value, (bool, complex, np.complexfloating)
    )
