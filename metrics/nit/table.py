"""Count pairs of references and predictions into a contingency table, the input of every score.

`n[i, j]` counts the samples with reference i and prediction j: ROWS ARE REFERENCES, COLUMNS ARE
PREDICTIONS, here and everywhere else. The table is sparse: it stores only cells with samples.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from numbers import Number
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeAlias, TypeVar, cast

import numpy as np

from .labels import (
    NAMES,
    Codes,
    Column,
    Label,
    NoSamplesError,
    Numbers,
    UndefinedMetricWarning,
    as_array,
    check_distinct,
    check_same_kind,
    merge_labels,
    read_column,
    read_pair,
    show,
    warn,
)

if TYPE_CHECKING:
    from typing_extensions import Self

Classes: TypeAlias = tuple[Label | None, ...]
_T = TypeVar("_T")

_SMALL = 2**11  # if all labels are non-negative integers below it, they are used as codes
# Pairs of codes with more bits are always sorted; otherwise an array of sums has at most 32 MB.
_MAX_BITS = 22
_BLOCK = 2**18  # samples counted at a time


class Cells(NamedTuple):
    """Cells of a table: the positions of their labels, and their counts or weights."""

    rows: Codes
    columns: Codes
    counts: Numbers  # number of samples, or sum of their weights
    squares: Numbers | None = None  # sum of squared weights; None without weights, or if unknown


def count_pairs(
    references: Column, predictions: Column, weights: Numbers | None = None
) -> tuple[Sequence[Label], Cells]:
    """Count pairs of labels into cells.

    The labels in the result are sorted, with None last. The samples need not use all of them.
    """
    (r_values, r), (p_values, p) = plain_codes(references), plain_codes(predictions)
    cells = _count(r, p, weights, len(r_values) - 1, len(p_values) - 1)
    if isinstance(r_values, range) and isinstance(p_values, range):
        return max(r_values, p_values, key=len), cells
    labels, (to_row, to_column) = merge_labels(r_values, p_values)
    return labels, cells._replace(rows=to_row[cells.rows], columns=to_column[cells.columns])


def plain_codes(column: Column) -> tuple[Sequence[Any], Numbers]:
    """List labels, and the code of each sample, which is its label's position in this list.

    If `column.values` is None, and all labels are from 0 to 2,047, they are their own codes.
    Samples need not use all labels of the list.
    """
    # the bitwise OR of all codes is at least the largest code, and negative if a code is negative
    union = -1 if column.values is not None else int(np.bitwise_or.reduce(column.codes, initial=0))
    return (range(union + 1), column.codes) if 0 <= union < _SMALL else column.labels_and_codes()


def _count(rows: Numbers, columns: Numbers, weights: Any, last_row: int, last_column: int) -> Cells:
    """Count pairs of codes into cells.

    Row codes run from 0 to `last_row`, and column codes from 0 to `last_column`.
    """
    n, row_bits, bits = len(rows), last_row.bit_length(), last_column.bit_length()
    size = 2 ** (row_bits + bits)
    # sorting is faster than an array that is much longer than the samples
    if row_bits + bits > min(_MAX_BITS, max(12, (2 * n).bit_length())):
        used, codes = np.unique(_fuse(rows, columns, bits), return_inverse=True)
        return Cells(used >> bits, used & (2**bits - 1), *_sums(codes, weights, len(used)))
    # Blocks that fit in the cache halve the time for 10**7 samples, and take 2 MB instead of 80.
    # Weights are summed at once, because their sums depend on the order.
    step = max(_BLOCK, size) if weights is None else max(n, 1)
    sums = _sums(_fuse(rows[:step], columns[:step], bits), weights, size)
    for start in range(step, n, step):
        block = slice(start, start + step)
        sums[0] += np.bincount(_fuse(rows[block], columns[block], bits), minlength=size)
    used = np.flatnonzero(sums[0])
    return Cells(used >> bits, used & (2**bits - 1), *(amounts[used] for amounts in sums))


def _fuse(rows: Numbers, columns: Numbers, bits: int) -> Codes:
    """Combine the codes of each pair into one integer, with the column in the lowest bits."""
    pairs = np.left_shift(rows, bits, dtype=np.int64)
    pairs |= columns
    return pairs


def _sums(codes: Codes, weights: Numbers | None, size: int) -> list[Numbers]:
    """Count the samples of each code; with weights, sum the weights and the squared weights."""
    if weights is None:
        return [np.bincount(codes, minlength=size)]
    # squares of weights above 1e154 overflow; scores are exact, but standard errors are unknown
    with np.errstate(over="ignore"):
        return [np.bincount(codes, amounts, size) for amounts in (weights, weights**2)]


def sum_by(codes: Codes, amounts: Numbers, size: int) -> Numbers:
    """Sum the amounts of each code; sums of integers are exact."""
    sums = np.zeros(size, dtype=amounts.dtype)
    np.add.at(sums, codes, amounts)
    return sums


def sums_of_others(amounts: Numbers) -> Numbers:
    """Sum the amounts of all other classes, for each class.

    The total minus the amount of the class would lose digits by cancellation.
    """
    forward, backward = np.cumsum(amounts, axis=0), np.cumsum(amounts[::-1], axis=0)[::-1]
    zero = amounts[:1] * 0
    return np.concatenate([zero, forward[:-1]]) + np.concatenate([backward[1:], zero])


class cached_property(Generic[_T]):  # noqa: N801 as in functools
    """Compute an attribute once, without the lock that functools takes before Python 3.12.

    All tables share that lock: after a fork it may stay held by a thread that no longer exists.
    """

    def __init__(self, method: Callable[[Any], _T]) -> None:
        self._method, self.__doc__ = method, method.__doc__

    def __get__(self, table: Any, owner: Any = None) -> _T:
        if table is None:
            return cast(Any, self)
        value = vars(table)[self._method.__name__] = self._method(table)
        return value


@dataclass(frozen=True, eq=False)
class Table:
    """Counts of (reference, prediction) pairs: rows are references, columns predictions.

    Arrays of shape (k,) have one value for each label, in the order of `labels`.
    """

    # Sorted, or in the order of `labels=`. A None at the end stands for missing predictions, or
    # with unknown="wrong" for all out-of-class predictions.
    labels: Classes
    is_declared: bool  # whether the classes were declared (`labels=`), not observed
    # Non-zero cells, row by row: positions in `labels`, and numbers of samples or sums of weights
    rows: Codes
    columns: Codes
    counts: Numbers
    squared_weights: Numbers | None = None  # sums; None without weights, or if unknown
    n_samples: int | None = None  # None if only sums of weights are known
    class_mask: Numbers | None = None  # which labels are classes; None for the rule of `is_class`
    unmerged_table: Self | None = None  # the table before `merge_out_of_class`

    @classmethod
    def from_labels(
        cls,
        *,
        references: Any,
        predictions: Any,
        labels: Any = None,
        sample_weight: Any = None,
        ignore_index: Label | None = None,
        unknown: str = "error",
    ) -> Self:
        """Count the (reference, prediction) pairs of samples.

        Parameters
        ----------
        references, predictions : array-like of shape (n_samples,)
            Integers, strings or bytes, in any container.
        labels : sequence of labels, optional
            The classes of the task, in order. By default the sorted labels of the references.
        sample_weight : array-like of shape (n_samples,), optional
            Weights, finite and not negative. A weight of 0 drops the sample.
        ignore_index : label, optional
            Samples with this reference are dropped. Trainer pads with -100.
        unknown : {"error", "wrong"}
            Whether a prediction that is missing, or not in the declared `labels`, is an error or
            counts as wrong. Without `labels`, a prediction that no reference has counts as wrong
            with either value.

        Raises
        ------
        TypeError
            If `references`, `predictions` or `labels` is an iterator.
        ValueError
            If an argument is invalid in any other way, or no samples are to be counted. If a
            sample that is not dropped has a reference, or with unknown="error" a prediction, that
            is not among the declared classes.
        """
        containers = {"references": references, "predictions": predictions}
        return cls._from_pair(containers, sample_weight, labels, ignore_index, unknown)

    @classmethod
    def _from_pair(cls, containers: Mapping[str, Any], sample_weight: Any, *options: Any) -> Self:
        """Count references and predictions; the keys of `containers` name them in messages.

        `options` are `labels`, `ignore_index` and `unknown`.
        """
        (name, references), (_, predictions) = containers.items()
        labels, ignore_index, unknown = options
        r, p = read_pair(references, predictions, [*containers], sample_weight, unknown)
        task = read_task(r, labels, ignore_index, unknown, name)
        table = cls._from_columns(r, p, task, sample_weight)
        warn_of_out_of_class(table, unknown=unknown)
        return table

    @classmethod
    def _from_columns(cls, r: Column, p: Column, task: Task, sample_weight: Any = None) -> Self:
        """Count references and predictions, except for samples that are ignored or of weight 0."""
        weights = None if sample_weight is None else read_weights(sample_weight, len(r))
        keep = task.select_samples(r, weights)
        r, p, weights = r[keep], p[keep], None if weights is None else weights[keep]
        return cls._from_task(*count_pairs(r, p, weights), task, len(r.codes))

    @classmethod
    def _from_task(cls, labels: Sequence[Label], cells: Cells, task: Task, n: int | None) -> Self:
        """Build the table of a task from cells of n samples, with positions in `labels`."""
        table_labels, to_code = _arrange_labels(labels, cells, task)
        cells = cells._replace(rows=to_code[cells.rows], columns=to_code[cells.columns])
        table = cls._from_cells(table_labels, task.classes is not None, cells, n)
        return table.merge_out_of_class() if task.unknown == "wrong" else table

    @classmethod
    def _from_cells(cls, labels: Classes, is_declared: bool, cells: Cells, n: int | None) -> Self:
        """Build a table from cells in any order; cells of the same pair of labels are added up."""
        rows, columns, counts, squares = cells
        fused = rows * len(labels) + columns
        if not (fused[1:] > fused[:-1]).all():
            order = np.argsort(fused, kind="stable")
            starts = np.flatnonzero(np.diff(fused[order], prepend=-1))
            rows, columns = np.divmod(fused[order[starts]], len(labels))
            counts = np.add.reduceat(counts[order], starts)
            squares = None if squares is None else np.add.reduceat(squares[order], starts)
        if squares is not None and not 1e-307 < squares.min() <= squares.max() < 1e308 / len(rows):
            squares = None  # their total would underflow or overflow
        return cls(labels, is_declared, rows, columns, counts, squares, n)

    def merge_out_of_class(self) -> Self:
        """Merge all out-of-class predictions into one column with the label None.

        `unmerged_table` keeps the table before the merge. Sums of tables use it, because an
        out-of-class label of one table may be a class of another.
        """
        labels = (*labels_at(self, self.is_class), None)
        if {*self.labels} <= {*labels}:
            return self
        codes = np.where(self.is_class, np.cumsum(self.is_class), len(labels)) - 1
        cells = Cells(codes[self.rows], codes[self.columns], self.counts, self.squared_weights)
        table = self._from_cells(labels, self.is_declared, cells, self.n_samples)
        class_mask = None if self.class_mask is None else np.arange(len(labels)) < len(labels) - 1
        return replace(table, class_mask=class_mask, unmerged_table=self)

    @cached_property
    def is_class(self) -> Numbers:
        """Mask of the labels that are classes, shape (k,).

        Classes are the labels in `class_mask`, or else the declared labels, or else the labels of
        the references.
        """
        if self.class_mask is None and self.is_declared:
            return np.array([label is not None for label in self.labels])
        return self.reference_totals > 0 if self.class_mask is None else self.class_mask

    @cached_property
    def n_classes(self) -> int:
        """Number of classes, without undeclared classes that have no references."""
        is_counted = self.is_declared | (self.reference_totals > 0)
        return int(np.count_nonzero(self.is_class & is_counted))

    def _sum_by(self, codes: Codes, selected: Any = slice(None)) -> Numbers:
        """Sum the selected cells by their codes, shape (k,); by default all cells."""
        return sum_by(codes[selected], self.counts[selected], len(self.labels))

    @cached_property
    def out_of_class_totals(self) -> Numbers:
        """Weight of the out-of-class predictions for the references of each class, shape (k,)."""
        return self._sum_by(self.rows, ~self.is_class[self.columns])

    @cached_property
    def reference_totals(self) -> Numbers:
        """Row totals r, the weight of each label among the references, shape (k,)."""
        return self._sum_by(self.rows)

    @cached_property
    def prediction_totals(self) -> Numbers:
        """Column totals c, the weight of each label among the predictions, shape (k,)."""
        return self._sum_by(self.columns)

    @cached_property
    def hits(self) -> Numbers:
        """The diagonal h, the weight of correct predictions of each class, shape (k,)."""
        return self._sum_by(self.rows, self.rows == self.columns)

    @cached_property
    def false_positives(self) -> Numbers:
        """Weight of the wrong predictions of each label, shape (k,).

        With weights, the difference c - h would lose digits.
        """
        return self._sum_by(self.columns, self.rows != self.columns)

    @cached_property
    def distributed_false_positives(self: Any) -> Numbers:
        """False positives after out-of-class predictions are distributed over the other classes.

        An out-of-class prediction for a reference of class i adds pi_c / (1 - pi_i) to each other
        class c.
        """
        if self.is_class.all():
            return self.false_positives
        others = np.where(self.other_references > 0, self.other_references, np.inf)
        received = self.reference_totals * sums_of_others(self.out_of_class_totals / others)
        # because of rounding, the sum may exceed the weight of the other references
        return np.minimum(self.false_positives + received, self.other_references) * self.is_class

    @cached_property
    def other_references(self) -> Numbers:
        """Weight of the references of all other classes, for each class, shape (k,)."""
        r = self.reference_totals
        return sums_of_others(r) if self.is_weighted else np.asarray(self.total - r)

    @cached_property
    def total(self) -> Any:
        """Total weight N, a float; without weights the number of samples, an int."""
        return self.counts.sum().item()

    @cached_property
    def is_weighted(self) -> bool:
        """Whether the cells hold sums of weights rather than numbers of samples."""
        return bool(self.counts.dtype.kind == "f")


class Task(NamedTuple):
    """Declared classes, the reference to ignore, and the option `unknown`: "error" or "wrong"."""

    classes: tuple[Label, ...] | None
    ignored: Label | None
    unknown: str

    def select_samples(self, references: Column, amounts: Numbers | None) -> Any:
        """Find the samples that are not ignored and have a weight or count above 0.

        Return an index of arrays: a slice or positions. Raise NoSamplesError if there are none.
        `amounts` are the weights or counts; None means that all are above 0.
        """
        n = len(references.codes)
        if amounts is None and self.ignored is None and n:
            return slice(None)  # a mask would add a tenth to the time of counting
        keep = np.ones(n, dtype=bool) if amounts is None else amounts > 0
        if self.ignored is not None:
            keep &= references.differs_from(self.ignored)
        if not keep.any():
            why = ", all ignored or with weight 0" if n else ""
            raise NoSamplesError(f"expected at least one sample to score, got {n} samples{why}")
        # indexing by positions takes a third of the time of indexing by a mask
        return slice(None) if keep.all() else np.flatnonzero(keep)


def read_task(references: Column, labels: Any, ignore_index: Any, unknown: str, name: str) -> Task:
    """Read the options of a task; their labels must have the same type as the references.

    `name` is the name of the references in messages.
    """
    ignored = None if ignore_index is None else [ignore_index]
    classes: dict[str, Any] = {"labels": labels, "ignore_index": ignored}
    for option, values in classes.items():
        if values is not None:
            column = read_column(values, option)
            classes[option] = tuple(column.tolist())
            if not len(column):
                raise ValueError(f"`{option}` must list at least one class, got none")
            check_distinct(classes[option], option)
            check_same_kind(references, name, column, option)
    return Task(classes["labels"], (classes["ignore_index"] or [None])[0], unknown)


def _arrange_labels(labels: Sequence[Label], cells: Cells, task: Task) -> tuple[Classes, Codes]:
    """List the labels of the table in order, and map each label of the cells to its position."""
    if task.classes is None:
        is_used = np.zeros(len(labels), dtype=bool)
        is_used[cells.rows] = is_used[cells.columns] = True
        used_labels = tuple(labels[code] for code in np.flatnonzero(is_used).tolist())
        return used_labels, np.cumsum(is_used) - 1
    position = {label: code for code, label in enumerate(task.classes)}
    to_code = np.array([position.get(label, -1) for label in labels], dtype=np.int64)
    other_rows, other_columns = (x[to_code[x] < 0] for x in (cells.rows, cells.columns))
    _check_declared(labels, other_rows, other_columns[: None if task.unknown == "error" else 0])
    to_code[other_columns] = len(task.classes)
    return (*task.classes, None) if len(other_columns) else task.classes, to_code


def _check_declared(labels: Sequence[Label], rows: Codes, columns: Codes) -> None:
    """Raise ValueError if there are rows or columns that are not declared classes.

    `rows` and `columns` are the positions in `labels` of such references and predictions.
    """
    kind, unlisted, code = "reference", rows, "references undeclared"
    remedy = "pass it as `ignore_index` to leave out such samples"
    if not len(rows):
        kind, unlisted, code = "prediction", columns, "predictions out of class"
        remedy = 'pass unknown="wrong" to count such predictions as wrong'
    if len(unlisted):
        missing = f"{show(labels[unlisted.min()])} is missing. Add it, or {remedy}."
        error: Any = ValueError(f"`labels` must list every {kind}; {missing}")
        error.code = code  # for programs, which must not depend on the text
        raise error


def warn_of_out_of_class(table: Table, names: Any = NAMES, unknown: str = "error") -> None:
    """Warn of out-of-class predictions, except for a single sample, which has its own warning.

    If `unknown` is "wrong", or if all such predictions are missing, warn only if no prediction is a
    class. `names` are the names of references and predictions in messages.
    """
    if not table.out_of_class_totals.any() or table.n_samples == 1:
        return
    are_disjoint = not table.prediction_totals[table.is_class].any()
    unmerged = table.unmerged_table or table
    is_out_of_class = ~unmerged.is_class & (unmerged.prediction_totals > 0)
    labels = [label for label in labels_at(unmerged, is_out_of_class) if label is not None]
    if not are_disjoint and (not labels or unknown != "error"):
        return
    listed = " and ".join(map(show, labels[:2])) or "missing or other labels"
    listed = f"{len(labels)} labels, such as {listed}" if len(labels) > 2 else listed
    if are_disjoint:
        classes = " or ".join(map(show, labels_at(table, table.is_class)[:2]))
        listed += f" (no prediction is a class such as {classes}; check the spelling)"
    rule = "that are not classes" if table.is_declared else f"that are not classes of `{names[0]}`"
    message = f"{amount_text(table, table.out_of_class_totals)} `{names[1]}` has labels {rule}"
    effect = "They count as wrong in Informedness. In NIT they may carry information."
    warn(f"{message}: {listed}. {effect}", UndefinedMetricWarning)


def amount_text(table: Table, amounts: Numbers) -> str:
    """Format the sum of amounts as a number of samples; with weights, as a percentage."""
    if table.is_weighted:
        return f"in {100 * amounts.sum() / table.total:.3g}% of the weight"
    return f"in {amounts.sum()} of {table.total} samples"


def labels_at(table: Table, mask: Numbers) -> list[Any]:
    """List the labels that a mask selects."""
    return [table.labels[code] for code in np.flatnonzero(mask).tolist()]


def read_weights(sample_weight: Any, n_samples: int) -> Numbers:
    """Read one weight for each sample into a new array."""
    weights = read_amounts(sample_weight, "sample_weight").astype(np.float64)
    if weights.shape != (n_samples,):
        got = f"got an array of shape {weights.shape} for {n_samples} samples"
        raise ValueError(f"`sample_weight` must hold one weight for each sample, {got}")
    return weights


def read_amounts(values: Any, name: str) -> Numbers:
    """Read counts or weights as int64 if their dtype is integer or bool, else as float64."""
    array = as_array(values, name)
    kind = array.dtype.kind
    if wrong := [] if kind in "biuf" else [x for x in array.ravel().tolist() if not is_real(x)]:
        raise ValueError(f"`{name}` must hold numbers, got {show(wrong[0])}")
    if kind == "u" and int(array.max(initial=0)) >= 2**63:
        raise ValueError(f"`{name}` must hold numbers below 2**63, got {array.max()}")
    try:  # also converts Fraction, and Decimal, which databases return for sums
        amounts = array.astype(np.int64 if kind in "biu" else np.float64)
    except (OverflowError, ValueError) as error:
        raise ValueError(f"`{name}` must hold finite numbers, got {show(values)}") from error
    bad = ~(np.isfinite(amounts) & (amounts >= 0))
    if bad.any():
        raise ValueError(f"`{name}` must be finite and not negative, got {amounts[bad].item(0)!r}")
    with np.errstate(over="ignore"):
        if not np.isfinite(amounts.sum()):
            raise ValueError(f"`{name}` must have a finite sum, got a sum above 1e308")
    return amounts


def is_real(value: object) -> bool:
    """Check whether a value is a real number and not a bool."""
    if isinstance(value, (bool, complex, np.complexfloating, np.timedelta64)):
        return False
    # a signaling NaN cannot be compared
    return isinstance(value, Number) and not getattr(value, "is_snan", bool)()
