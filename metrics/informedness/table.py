"""The contingency table: it counts columns of labels, and every score is computed from it.

`n[i, j]` counts the samples with reference i and prediction j: ROWS ARE REFERENCES, COLUMNS ARE
PREDICTIONS, here and everywhere else. The table is a sufficient statistic: scores, standard errors
and intervals take the table, never the samples. It is sparse: only cells with samples are held, and
no k x k array is made where k is large.

`count_pairs` is the only place where codes become counts. Figures in the comments are medians of
`make bench`, per pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import compress
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
    coded,
    merged,
    read_classes,
    read_pair,
    show,
    warn,
)

if TYPE_CHECKING:
    from typing_extensions import Self

Weights: TypeAlias = NDArray[np.float64]

# Pairs fused and counted together: they stay in the cache, which takes half the time of whole
# arrays (2 against 4 ns); smaller blocks lose more to the calls than they gain.
_BLOCK = 2**17
# A table of all pairs has at most 2**22 cells, 32 MB; more of them are counted by sorting.
_MOST_BITS = 22


# Counting


class Cells(NamedTuple):
    """Cells of a table: positions of their labels, and what the samples there come to."""

    rows: Codes
    columns: Codes
    counts: Numbers
    """Number of samples, or sum of their weights, of each cell."""
    squares: Numbers | None = None
    """Sum of the squares of their weights; None without weights, or where not known."""


def count_pairs(
    references: Column, predictions: Column, weights: Weights | None = None
) -> tuple[Sequence[Label], Cells]:
    """Return the labels that occur, sorted (some may be unused), and the cells of their table.

    A cell may be listed twice. `rows` and `columns` are positions in the labels.
    """
    if references.values is None and predictions.values is None:
        # small integers are codes as they stand
        cells = _count_dense(references.codes, predictions.codes, weights)
        if cells is not None:
            return range(max(int(cells.rows.max()), int(cells.columns.max())) + 1), cells
    (r_values, r), (p_values, p) = coded(references), coded(predictions)
    cells = _count_dense(r, p, weights) or _count_sorted(r, p, weights)
    found, (to_row, to_column) = merged(r_values, p_values)
    return found, cells._replace(rows=to_row[cells.rows], columns=to_column[cells.columns])


def _count_dense(rows: Numbers, columns: Numbers, weights: Weights | None) -> Cells | None:
    """Return the cells for small codes, from a table of all pairs; None for other codes.

    Block by block, each pair is fused into row * 2**bits + column and these are counted. One look
    at all bits of a block shows whether a code is negative, too large, or wants a larger table.
    """
    if np.uint64 in (rows.dtype, columns.dtype):
        return None
    n = len(rows)
    most_bits = min(_MOST_BITS, max(12, (2 * n).bit_length()))  # a small table for few pairs
    # of samples; or of weights, and of their squares
    dtypes = [np.int64] if weights is None else [np.float64, np.float64]
    tables: list[Numbers] = [np.zeros((1, 1), dtype) for dtype in dtypes]
    start = row_bits = bits = 0
    fused = np.empty(0, np.int64)  # one for all blocks: 0.15 of 2.1 ns less than one for each
    while start < n:
        # a block should outweigh the table it is added to
        block = slice(start, start + max(_BLOCK, 2 ** (row_bits + bits)))
        r, c = rows[block], columns[block]
        of_rows, of_columns = int(np.bitwise_or.reduce(r)), int(np.bitwise_or.reduce(c))
        row_bits, bits = max(row_bits, of_rows.bit_length()), max(bits, of_columns.bit_length())
        if of_rows < 0 or of_columns < 0 or row_bits + bits > most_bits:
            return None
        if tables[0].shape != (2**row_bits, 2**bits):
            tables = [_enlarged(table, 2**row_bits, 2**bits) for table in tables]
        # which is the fastest
        narrow = np.result_type(r, c, np.min_scalar_type(2 ** (row_bits + bits) - 1))
        if len(fused) != len(r) or fused.dtype != narrow:
            fused = np.empty(len(r), narrow)
        np.left_shift(r, bits, out=fused, dtype=narrow)
        fused |= c
        w = None if weights is None else weights[block]
        amounts = [None] if w is None else [w, _squared(w)]
        for table, amount in zip(tables, amounts, strict=True):
            table += np.bincount(fused, amount, minlength=table.size).reshape(table.shape)
        start = block.stop
    found = np.nonzero(tables[0])
    return Cells(*found, *(table[found] for table in tables))


def _enlarged(table: Numbers, n_rows: int, n_columns: int) -> Numbers:
    """Return the table with rows and columns of zeros appended."""
    larger = np.zeros((n_rows, n_columns), table.dtype)
    larger[: len(table), : table.shape[1]] = table
    return larger


def _count_sorted(rows: Numbers, columns: Numbers, weights: Weights | None) -> Cells:
    """Return the cells for any number of codes, by sorting the pairs."""
    k = int(columns.max()) + 1
    fused = rows.astype(np.int64) * k + columns
    if weights is None:
        cells, counts = np.unique(fused, return_counts=True)
        return Cells(cells // k, cells % k, counts)
    cells, index = np.unique(fused, return_inverse=True)
    sums = [np.bincount(index, amounts) for amounts in (weights, _squared(weights))]
    return Cells(cells // k, cells % k, *sums)


def _squared(weights: Weights) -> Weights:
    with np.errstate(over="ignore"):  # beyond 1e154: scores are right, their errors unknown
        return np.square(weights)


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

    Attributes
    ----------
    labels : tuple
        The k classes: sorted, or in the order of `labels=`. If the last entry is None, it stands
        for all predictions outside the declared classes (`unknown="wrong"`).
    declared : bool
        Whether the classes were given (`labels=`) or observed.
    rows, columns, counts : arrays of shape (n_cells,)
        The non-zero cells, row by row: positions in `labels`, and the samples there (int64) or
        their weight (float64).
    squared_weights : float64 array of shape (n_cells,), or None
        Sum of squared weights in each cell; None without weights, or if not known.
    n_samples : int or None
        Number of samples; None if only sums of weights are known.

    Examples
    --------
    >>> table = Table.from_labels(["a", "b", "a"], ["a", "b", "b"])
    >>> table.labels, table.reference_totals.tolist(), table.prediction_totals.tolist()
    (('a', 'b'), [2, 1], [1, 2])
    """

    labels: tuple[Label | None, ...]
    declared: bool
    rows: Codes
    columns: Codes
    counts: Numbers
    squared_weights: Numbers | None = None
    n_samples: int | None = None

    def __post_init__(self) -> None:
        for array in (self.rows, self.columns, self.counts, self.squared_weights):
            if array is not None:
                array.setflags(write=False)

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

        Parameters
        ----------
        references, predictions : array-like of shape (n_samples,)
            Integers, strings or bytes in any container, as `labels.read_column` reads them.
        labels : sequence of labels, optional
            The classes of the task, in order; by default those that occur, sorted.
        sample_weight : array-like of shape (n_samples,), optional
            Finite and not negative; a weight of 0 drops the sample.
        ignore_index : label, optional
            Drops the samples whose reference equals it (Trainer pads with -100).
        unknown : {"error", "wrong"}
            Whether a prediction outside `labels` is an error or counts as a wrong answer.

        Raises
        ------
        ValueError
            If an argument is not valid, a label is outside the declared classes, or no sample is
            left; the message names the argument and the value.
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
        """Count two columns, without the warning about -100 that `from_labels` gives."""
        keep, weights = counted_samples(references, task, sample_weight)
        if keep is not None:
            references, predictions = references[keep], predictions[keep]
        found, cells = count_pairs(references, predictions, weights)
        return cls.of_task(found, cells, task, len(references))

    @classmethod
    def of_task(
        cls, found: Sequence[Label], cells: Cells, task: Task, n_samples: int | None
    ) -> Self:
        """Return the table of the task's classes from the cells of the labels `found`."""
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
            order = np.argsort(fused, kind="stable")  # of two tables: a merge of sorted runs
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

    def of_same_samples(
        self, names: tuple[Label | None, ...], declared: bool, rows: Codes, columns: Codes
    ) -> Self:
        """Return the table of the same samples with each cell in another row and column."""
        cells = Cells(rows, columns, self.counts, self.squared_weights)
        return self.of_cells(names, declared, cells, self.n_samples)

    def transpose(self) -> Self:
        """Return the table with references and predictions exchanged."""
        return self.of_same_samples(self.labels, self.declared, self.columns, self.rows)


# From columns to a table


class Task(NamedTuple):
    """The declared classes, the reference to leave out, what to do with unknown predictions."""

    classes: tuple[Label, ...] | None
    ignored: Label | None
    unknown: str

    def counted(self, references: Column, amounts: Numbers | None) -> Numbers:
        """Return which samples count: those not ignored, with a weight above 0."""
        keep = np.ones(len(references), dtype=bool) if amounts is None else amounts > 0
        if self.ignored is not None:
            keep &= references.differs_from(self.ignored)
        if not keep.any():
            raise NoSamplesError(
                "there must be a sample to score, and none is left: all are ignored"
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


def _arranged(
    found: Sequence[Label], cells: Cells, task: Task
) -> tuple[tuple[Label | None, ...], Codes]:
    """Return the classes of the table, and the position among them of each label found.

    With `unknown="wrong"` predictions outside the declared classes share one extra class, None.
    """
    classes = task.classes
    is_reference, is_prediction = np.zeros((2, len(found)), dtype=bool)
    is_reference[cells.rows] = is_prediction[cells.columns] = True
    if classes is None:
        used = is_reference | is_prediction
        names = tuple(found) if used.all() else tuple(compress(found, used.tolist()))
        return names, np.cumsum(used) - 1
    position = {label: code for code, label in enumerate(classes)}
    to_code = np.array([position.get(label, -1) for label in found], dtype=np.int64)
    outside = is_reference & (to_code < 0)
    if outside.any():
        label = show(found[int(np.argmax(outside))])
        raise ValueError(f"`labels` must list every reference, {label} is missing")
    outside = is_prediction & (to_code < 0)
    if not outside.any():
        return classes, to_code
    if task.unknown == "error":
        label = show(found[int(np.argmax(outside))])
        raise ValueError(
            f"`labels` must list every prediction, {label} is missing: add it, or "
            'pass unknown="wrong" to count such predictions as wrong answers'
        )
    to_code[outside] = len(classes)
    return (*classes, None), to_code


def warn_of_padding(table: Table) -> None:
    """Warn if -100, which a Trainer pads labels with, is counted as a class."""
    if -100 in table.labels and table.reference_totals[table.labels.index(-100)]:
        warn("-100 among the references counts as a class: ignore_index=-100 drops it")


# Weights and counts


def counted_samples(
    references: Column, task: Task, sample_weight: Any
) -> tuple[Numbers | None, Weights | None]:
    """Return which samples count, None where all do, and the weights of those."""
    n_samples = len(references)
    if not n_samples:
        raise NoSamplesError("there must be a sample to score, got 0 samples")
    weights = None if sample_weight is None else read_weights(sample_weight, n_samples)
    if weights is not None and not weights.any():
        raise NoSamplesError(
            f"there must be a sample to score, got {n_samples} samples, and none is left "
            "after dropping those of weight 0"
        )
    if weights is None and task.ignored is None:
        return None, None
    keep = task.counted(references, weights)
    if keep.all():
        return None, weights
    return keep, None if weights is None else weights[keep]


def read_weights(sample_weight: Any, n_samples: int) -> Weights:
    """Return a copy of the weights, one for each sample."""
    weights = read_amounts(sample_weight, "sample_weight").astype(np.float64)
    if weights.shape != (n_samples,):
        raise ValueError(
            "`sample_weight` must hold one weight for each sample, got an array of shape "
            f"{weights.shape} for {n_samples} samples"
        )
    return weights


def read_amounts(values: Any, name: str) -> Numbers:
    """Return counts or weights as a float64 array, or as int64 if all were given as integers.

    Raises
    ------
    ValueError
        If an entry is not a number, negative, or not finite; or if their sum is not finite.
    """
    array = as_array(values, name)
    if array.dtype.kind == "O" and all(map(is_real, array.flat)):
        # Decimal and Fraction, as databases return sums
        try:
            array = np.array([float(value) for value in array.flat]).reshape(array.shape)
        except (OverflowError, ValueError) as error:
            raise ValueError(f"`{name}` must hold finite numbers, got {show(values)}") from error
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got {show(values)}")
    if array.dtype.kind in "biu":
        largest = int(array.max(initial=0))
        if largest >= 2**63:
            raise ValueError(f"`{name}` must be below 2**63, got {largest}")
        amounts = array.astype(np.int64)
    else:
        amounts = array.astype(np.float64)
    bad = ~(np.isfinite(amounts) & (amounts >= 0))
    if bad.any():
        value = amounts[bad].tolist()[0]
        raise ValueError(f"`{name}` must be finite and not negative, got {value!r}")
    with np.errstate(over="ignore"):
        if not np.isfinite(amounts.sum()):
            raise ValueError(f"`{name}` must have a finite sum, got one beyond 1e308")
    return amounts


def squared_weights(table: Table) -> Numbers:
    """Return the sum of squared weights of each cell; without weights that is its count."""
    squares = table.squared_weights if table.is_weighted else table.counts
    known = squares is not None and (squares > 0).all()
    if squares is None or not (known and np.isfinite(squares.sum(dtype=np.float64))):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels, or pass squared_weights= with the sums of weights"
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Return (sum w)^2 / sum w^2, which is the number of samples if there are no weights."""
    return float(table.total) ** 2 / float(squared_weights(table).sum())


def is_real(value: object) -> bool:
    """Return whether a value is a real number and not a bool."""
    return isinstance(value, (Number, np.number)) and not isinstance(
        value, (bool, complex, np.complexfloating)
    )
