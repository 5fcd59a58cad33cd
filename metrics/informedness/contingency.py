"""The contingency table and every score computed from it.

`n[i, j]` counts the samples with reference i and prediction j: ROWS ARE REFERENCES, COLUMNS ARE
PREDICTIONS, here and everywhere else. Scores take the table, never the samples. With N the total,
h the diagonal, r the row totals and c the column totals, pi_i = r_i/N is the prevalence of class i
and beta_j = c_j/N its bias, the share of predictions.

Sources: Powers (2003), "Recall and Precision versus the Bookmaker"; Powers (2011), "Evaluation:
from precision, recall and F-measure to ROC, informedness, markedness & correlation";
Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, Literal, NamedTuple, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from . import coding, reading
from .coding import Codes, Label, Sums, label_kind
from .reading import Task, UndefinedMetricWarning, check_choice, check_zero_division, show, warn

Average: TypeAlias = Literal["bias", "prevalence", "macro"] | None
Numbers: TypeAlias = NDArray[Any]


@dataclass(frozen=True, eq=False)
class ContingencyTable:
    """Counts of (reference, prediction) pairs; rows are references, columns predictions.

    Build it with `from_labels`, `from_matrix` or `from_counts`; `a + b` merges two.

    Attributes
    ----------
    labels : tuple
        The k classes: sorted, or in the order of `labels=`. A last entry None stands for all
        predictions outside the declared classes (`unknown="wrong"`).
    declared : bool
        Whether the classes were given (`labels=`) or observed.
    rows, columns, counts : arrays of shape (n_cells,)
        The non-zero cells, row by row: positions in `labels`, and the samples there (int64) or
        their weight (float64).
    squared_weights : float64 array of shape (n_cells,), or None
        Sum of squared weights in each cell; None without weights, or where not known.
    n_samples : int or None
        Number of samples; None where only sums of weights are known.

    Examples
    --------
    >>> table = ContingencyTable.from_labels(["a", "b", "a"], ["a", "b", "b"])
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
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
        _warn: bool = True,
    ) -> ContingencyTable:
        """Count one reference and one prediction for each sample.

        Parameters
        ----------
        references, predictions : array-like of shape (n_samples,)
            Integers, strings or bytes in any container, as `reading.read_labels` reads them.
        labels : sequence of labels, optional
            The classes of the task: fixes their order and number; by default those seen, sorted.
        sample_weight : array-like of shape (n_samples,), optional
            Finite and not negative; a weight of 0 drops the sample.
        ignore_index : label, optional
            Drops the samples whose reference equals it (Trainer pads with -100).
        unknown : {"error", "wrong"}
            Whether a prediction outside `labels` is refused or counted as a wrong answer.

        Raises
        ------
        ValueError
            For anything `reading.read_task`, `read_weights` or `arrange_classes` refuses.
        """
        r, p, task = reading.read_task(references, predictions, labels, ignore_index, unknown)
        weights = reading.read_weights(sample_weight, len(r))
        if weights is not None and not weights.all():
            keep = weights > 0
            r, p, weights = r[keep], p[keep], weights[keep]
        found, rows, columns, (samples, *weighted) = coding.count_pairs(r, p, weights)
        sums = dict(zip(("counts", "squared_weights"), weighted or [samples], strict=False))
        return cls._of_pairs(task, found, rows, columns, {**sums, "n_samples": samples}, _warn)

    @classmethod
    def from_counts(
        cls,
        references: Any,
        predictions: Any,
        counts: Any,
        *,
        labels: Any = None,
        squared_weights: Any = None,
        n_samples: Any = None,
        ignore_index: Label | None = None,
        unknown: str = "error",
    ) -> ContingencyTable:
        """Take a count for each (reference, prediction), as a GROUP BY gives; repeats add up.

        Parameters
        ----------
        references, predictions : array-like of shape (n_pairs,)
        counts : array-like of shape (n_pairs,)
            Whole numbers of samples; or, beside one of the next two or if not whole, sums of
            their weights. 0 drops the pair.
        squared_weights : array-like of shape (n_pairs,), optional
            Sums of the squared weights; without these, scores work and errors of them do not.
        n_samples : array-like of shape (n_pairs,), optional
            Numbers of samples, where `counts` are sums of weights.
        labels, ignore_index, unknown
            As in `from_labels`.

        Raises
        ------
        ValueError
            For anything `reading.read_task`, `read_counts` or `arrange_classes` refuses.
        """
        r, p, task = reading.read_task(references, predictions, labels, ignore_index, unknown)
        sums = reading.read_counts(counts, squared_weights, n_samples, len(r))
        keep = sums["counts"] > 0
        sums = {name: amounts[keep] for name, amounts in sums.items()}
        found, rows, columns = coding.common_codes(r[keep], p[keep])
        return cls._of_pairs(task, found, rows, columns, sums)

    @classmethod
    def from_matrix(
        cls, matrix: Any, *, labels: Any = None, squared_weights: Any = None
    ) -> ContingencyTable:
        """Take a square matrix of counts, rows references; the classes are 0..k-1 unless given.

        A pandas data frame, such as `pandas.crosstab(references, predictions)`, is read by the
        names in its index (references) and its columns (predictions), in whatever order they
        stand; a class that only one of them has is a row or a column of zeros.

        Raises
        ------
        ValueError
            If the matrix is not square or holds anything but counts; for a data frame whose rows
            have no names, or that names a class twice.

        Examples
        --------
        >>> informedness(ContingencyTable.from_matrix([[90, 0], [10, 0]]))
        0.0
        """
        names = reading.read_names(matrix)
        amounts = reading.read_amounts(matrix, "matrix")
        if names is not None:
            reading.check_frame(matrix, names, amounts, squared_weights)
            classes = coding.common_codes(*names)[0] if labels is None else labels
        else:
            if amounts.ndim != 2 or amounts.shape[0] != amounts.shape[1]:
                raise ValueError(f"`matrix` must be square, got an array of shape {amounts.shape}")
            k = len(amounts)
            classes = reading.read_column(range(k) if labels is None else labels, "labels")
            if k != len(classes):
                raise ValueError(f"`labels` must name the {k} rows of `matrix`, got {len(classes)}")
            names = classes, classes
        rows, columns = np.indices(amounts.shape).reshape(2, -1)
        squares = None if squared_weights is None else np.ravel(squared_weights)
        table = cls.from_counts(
            names[0][rows],
            names[1][columns],
            amounts.ravel(),
            labels=classes,
            squared_weights=squares,
        )
        return replace(table, declared=labels is not None)

    @classmethod
    def _of_pairs(
        cls, task: Task, found: Any, rows: Codes, columns: Codes, sums: Any, warn: bool = True
    ) -> ContingencyTable:
        """Return the table of pairs of labels `found`; `sums` are arrays by attribute's name."""
        if task.ignored is not None and task.ignored in found:
            keep = rows != found.index(task.ignored)
            rows, columns = rows[keep], columns[keep]
            sums = {name: amounts[keep] for name, amounts in sums.items()}
        elif warn and task.ignored is None and task.classes is None:
            reading.warn_of_padding(found, rows)
        names, to_code = reading.arrange_classes(found, rows, columns, task)
        n_samples = int(sums.pop("n_samples").sum()) if "n_samples" in sums else None
        cells = to_code[rows], to_code[columns], [*sums.values()]
        return cls._of_cells(names, task.classes is not None, cells, n_samples)

    @classmethod
    def _of_cells(
        cls, names: Any, declared: bool, cells: tuple[Codes, Codes, Sums], n_samples: int | None
    ) -> ContingencyTable:
        """Return the table of cells in any order; those that stand twice are added up."""
        rows, columns, sums = coding.add_up(*cells, len(names))
        squares = sums[1] if len(sums) > 1 else None
        return cls(names, declared, rows, columns, sums[0], squares, n_samples)

    @cached_property
    def reference_totals(self) -> Numbers:
        """Row totals r, the weight of each class among the references, shape (k,)."""
        return coding.sum_by(self.rows, self.counts, len(self.labels))

    @cached_property
    def prediction_totals(self) -> Numbers:
        """Column totals c, the weight of each class among the predictions, shape (k,)."""
        return coding.sum_by(self.columns, self.counts, len(self.labels))

    @cached_property
    def hits(self) -> Numbers:
        """The diagonal h, the weight of right predictions of each class, shape (k,)."""
        right = self.rows == self.columns
        return coding.sum_by(self.rows[right], self.counts[right], len(self.labels))

    @cached_property
    def total(self) -> Any:
        """Total weight N, an int or float; the number of samples where there are no weights."""
        return self.counts.sum().item()

    def to_dense(self) -> Numbers:
        """Return the table as a k x k array; rows are references."""
        dense = np.zeros((len(self.labels), len(self.labels)), dtype=self.counts.dtype)
        dense[self.rows, self.columns] = self.counts
        return dense

    def transpose(self) -> ContingencyTable:
        """Return the table with references and predictions exchanged."""
        sums = [x for x in (self.counts, self.squared_weights) if x is not None]
        cells = self.columns, self.rows, sums
        return self._of_cells(self.labels, self.declared, cells, self.n_samples)

    def __add__(self, other: object) -> ContingencyTable:
        """Merge two tables; classes stay declared only where both declare the same."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        both = (self, other)
        mine, theirs = ([label for label in t.labels if label is not None] for t in both)
        if label_kind(mine[0]) != label_kind(theirs[0]):
            kinds = f"{label_kind(mine[0])} and {label_kind(theirs[0])}"
            raise ValueError(f"tables must have labels of one type to be merged, got {kinds}")
        reading.check_total(self.total + other.total)
        declared = self.declared and other.declared and mine == theirs
        names: tuple[Label | None, ...] = tuple(mine if declared else sorted({*mine, *theirs}))
        names += (None,) * (None in self.labels or None in other.labels)
        code = {label: position for position, label in enumerate(names)}
        codes = [(np.array([code[label] for label in t.labels]), t) for t in both]
        sums = [np.concatenate([t.counts for t in both])]
        squares = [t.counts if t.counts.dtype.kind == "i" else t.squared_weights for t in both]
        if sums[0].dtype.kind == "f" and all(array is not None for array in squares):
            sums.append(np.concatenate(squares).astype(np.float64))  # type: ignore[arg-type]
        known = self.n_samples is not None and other.n_samples is not None
        n_samples = (self.n_samples or 0) + (other.n_samples or 0) if known else None
        rows = np.concatenate([to_code[t.rows] for to_code, t in codes])
        columns = np.concatenate([to_code[t.columns] for to_code, t in codes])
        return self._of_cells(names, declared, (rows, columns, sums), n_samples)

    def __radd__(self, other: object) -> ContingencyTable:
        """Begin `sum(tables)`, which adds to 0."""
        return self if type(other) is int and other == 0 else NotImplemented

    def __eq__(self, other: object) -> bool:
        """Whether classes, cells, weights and number of samples are the same."""
        if not isinstance(other, ContingencyTable):
            return NotImplemented
        arrays = ("rows", "columns", "counts", "squared_weights", "declared", "n_samples")
        return self.labels == other.labels and all(
            np.array_equal(getattr(self, name), getattr(other, name)) for name in arrays
        )

    __hash__ = None  # type: ignore[assignment]


class ClassRates(NamedTuple):
    """Per-class rates, arrays of shape (k,) in label order; nan where the denominator is 0."""

    prevalence: Numbers
    bias: Numbers
    tpr: Numbers
    fpr: Numbers


def class_rates(table: ContingencyTable) -> ClassRates:
    """Return prevalence r/N, bias c/N, TPR h/r, and FPR (c-h)/(N-r) by class."""
    r, c, n = table.reference_totals, table.prediction_totals, table.total
    misses, others = c - table.hits, n - r
    if table.counts.dtype.kind == "f":  # with weights these differences lose digits: sum instead
        wrong = table.rows != table.columns
        misses = coding.sum_by(table.columns[wrong], table.counts[wrong], len(r))
        others = np.append(0, np.cumsum(r)[:-1]) + np.append(np.cumsum(r[:0:-1])[::-1], 0)
    return ClassRates(r / n, c / n, ratio(table.hits, r), ratio(misses, others))


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Return the quotients, nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


@overload
def informedness(
    table: ContingencyTable,
    *,
    average: None,
    prior: Mapping[Any, float] | None = ...,
    prior_mode: str = ...,
    zero_division: Literal["warn"] | float = ...,
) -> list[float]: ...
@overload
def informedness(
    table: ContingencyTable,
    *,
    average: Literal["bias", "prevalence", "macro"] = ...,
    prior: Mapping[Any, float] | None = ...,
    prior_mode: str = ...,
    zero_division: Literal["warn"] | float = ...,
) -> float: ...
def informedness(
    table: ContingencyTable,
    *,
    average: Average = "bias",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: Literal["warn"] | float = "warn",
) -> float | list[float]:
    """Return multi-class Bookmaker Informedness: best 1, chance 0, below 0 worse than chance.

    J_c = TPR_c - FPR_c by class, 0 for a class absent from the references, then summed with
    weights beta_c ("bias", Powers 2003) or pi_c ("prevalence", Powers 2011, eq. 42), averaged over
    the classes in the references ("macro"), or listed in label order (None). Options, degenerate
    cases and errors: `informedness.informedness_score`.
    """
    check_choice("prior_mode", prior_mode, ("reweight", "odds"))
    shares = None if prior is None else reading.read_prior(prior, table)
    if shares is not None and prior_mode == "reweight":
        table, shares = reweighted(table, shares), None
    return _averaged_gain(table, average, shares, zero_division, "Informedness")


@overload
def markedness(
    table: ContingencyTable,
    *,
    average: None,
    prior: Mapping[Any, float] | None = ...,
    prior_mode: str = ...,
    zero_division: Literal["warn"] | float = ...,
) -> list[float]: ...
@overload
def markedness(
    table: ContingencyTable,
    *,
    average: Literal["bias", "prevalence", "macro"] = ...,
    prior: Mapping[Any, float] | None = ...,
    prior_mode: str = ...,
    zero_division: Literal["warn"] | float = ...,
) -> float: ...
def markedness(
    table: ContingencyTable,
    *,
    average: Average = "prevalence",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: Literal["warn"] | float = "warn",
) -> float | list[float]:
    """Return multi-class markedness, informedness of the transposed table: best 1, chance 0.

    M_c = precision_c + NPV_c - 1, summed with weights pi_c by default (Powers 2003, 2011).
    `average` names the margins of the table as given, and a prior its reference shares.
    """
    check_choice("prior_mode", prior_mode, ("reweight",))
    table = table if prior is None else reweighted(table, reading.read_prior(prior, table))
    swapped: dict[Any, Average] = {"bias": "prevalence", "prevalence": "bias"}
    average = swapped.get(average, average)
    return _averaged_gain(table.transpose(), average, None, zero_division, "markedness")


# What the rows and the columns are of the table whose classes have gains.
_SIDES = {
    "Informedness": ("references", "predictions"),
    "markedness": ("predictions", "references"),
}


def _averaged_gain(
    table: ContingencyTable, average: Average, odds: Any, zero_division: Any, score: str
) -> float | list[float]:
    """Return J_c (with `odds`, the gains they set) averaged; `score` is its name in warnings."""
    check_choice("average", average, ("bias", "prevalence", "macro", None))
    value = check_zero_division(zero_division, 0.0)
    rates, present = class_rates(table), table.reference_totals > 0
    n_present = np.count_nonzero(present)
    if n_present < len(present):
        _warn_absent(table, score)
    if n_present == 1:
        if isinstance(zero_division, str):
            label = show(table.labels[int(np.argmax(present))])
            side = _SIDES[score][0]
            message = f"all {side} are {label}: {score} is undefined, 0.0 stands in for it"
            warn(
                message + " (zero_division sets another and silences this)", UndefinedMetricWarning
            )
        return np.where(present, value, 0.0).tolist() if average is None else value
    gains = rates.tpr - rates.fpr
    if odds is not None:
        right = table.hits / table.total
        gains = right / odds - (rates.bias - right) / (1 - odds)
    gains = np.where(present, gains, 0.0)
    if average is None:
        return gains.tolist()  # type: ignore[no-any-return]
    if average == "macro":
        return float(gains[present].mean())
    value = float((rates.bias if average == "bias" else rates.prevalence) @ gains)
    return value if odds is not None else min(value, 1.0)  # shares may sum to 1 + 2e-16


def _warn_absent(table: ContingencyTable, score: str) -> None:
    """Warn of classes that occur among the columns only: their gain is taken as 0."""
    r, c = table.reference_totals, table.prediction_totals
    absent = [table.labels[code] for code in np.flatnonzero((c > 0) & (r == 0)).tolist()]
    absent = [label for label in absent if label is not None]
    if not absent:
        return
    names = ", ".join(map(show, absent[:5])) + ", ..." * (len(absent) > 5)
    known, others = _SIDES[score]
    message = f"among the {others} but not the {known}, so counted as 0 in {score}: {names}"
    if isinstance(absent[0], str):
        present: Any = [table.labels[code] for code in np.flatnonzero(r).tolist()]
        plain = {"".join(label.split()).casefold(): label for label in present}
        alike = [x for x in absent if "".join(str(x).split()).casefold() in plain]
        for label in alike[:1]:
            like = plain["".join(str(label).split()).casefold()]
            message += f"; {show(label)} differs from {show(like)} in case or blanks alone"
    warn(message, UndefinedMetricWarning)


def reweighted(table: ContingencyTable, shares: Numbers) -> ContingencyTable:
    """Return the table with its rows scaled so that the classes have these shares."""
    counts = table.counts * (shares * table.total / table.reference_totals)[table.rows]
    return replace(table, counts=counts, squared_weights=None, n_samples=None)


def mutual_information(table: ContingencyTable) -> float:
    """Return MI = sum p_ij log2(p_ij / (pi_i beta_j)) in bits: 0 at independence, never below.

    As sum e phi(d) with e = pi beta, p = e (1 + d) and phi(d) = (1 + d) ln(1 + d) - d >= 0: the
    terms of the usual sum cancel near independence, these do not. Each empty cell adds its e.
    """
    p, n = table.counts / table.total, table.total
    kept = p > 1e-300  # what is less adds nothing, and its quotients may overflow
    i, j, p = table.rows[kept], table.columns[kept], p[kept]
    r, c = table.reference_totals, table.prediction_totals
    expected = r[i] / n * (c[j] / n)
    d = (p - expected) / expected
    times = table.counts[kept] / r[i] / (c[j] / n)  # p / e, which 1 + d rounds to 0 below 1e-16
    series = d * d * np.polyval([1 / 56, -1 / 42, 1 / 30, -1 / 20, 1 / 12, -1 / 6, 1 / 2], d)
    terms = np.where(np.abs(d) < 0.01, series * expected, p * np.log(times) - (p - expected))
    no_empty_cells = len(p) == np.count_nonzero(r) * np.count_nonzero(c)
    empty = 0.0 if no_empty_cells else max(1 - float(expected.sum()), 0.0)
    return (float(terms.sum()) + empty) / math.log(2)


class Entropies(NamedTuple):
    """Entropies of a table in bits, each at least 0."""

    reference: float
    prediction: float
    joint: float
    reference_given_prediction: float
    prediction_given_reference: float


def entropies(table: ContingencyTable) -> Entropies:
    """Return H(ref), H(pred), H(ref, pred), H(ref|pred) and H(pred|ref) in bits."""
    p, n = table.counts / table.total, table.total
    r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
    shares = (r / n, c / n, p, table.counts / c, table.counts / r)
    kept = p > 0  # not where it is less than the least number there is
    return Entropies(*(max(0.0 - float(p[kept] @ np.log2(x[kept])), 0.0) for x in shares))


def nit(table: ContingencyTable, *, zero_division: Literal["warn"] | float = "warn") -> float:
    """Return NIT = 2^MI / k: at most 1, chance 1/k, where k counts the classes of the references.

    Declared classes all count (`labels=`), a class None never does. See `informedness.nit_score`.
    """
    value = check_zero_division(zero_division, 1.0)
    k = int((table.reference_totals > 0).sum())
    if table.declared:
        k = sum(label is not None for label in table.labels)
    if k == 1:
        if isinstance(zero_division, str):
            warn(
                "there is only one class: NIT is 1.0 by definition (zero_division sets another "
                "and silences this)",
                UndefinedMetricWarning,
            )
        return value
    _warn_outside(table, "NIT")
    return min(math.pow(2.0, mutual_information(table)) / k, 1.0)


def outside_references(table: ContingencyTable) -> tuple[int, int]:
    """Return how many values outside the references are predicted, and how many samples that takes.

    Each value adds (k - 1) / 2N nats to the mutual information that a guesser of k classes is
    expected to show on N samples. On 10 (k - 1) samples for each, a guesser who spreads over them
    scores 5% to 6% more than one who keeps to the classes; on a tenth of these, 48% to 77% more.
    Declared classes, and the one that unknown="wrong" makes, are not counted.
    """
    known = np.array([label is not None for label in table.labels])
    r, c = table.reference_totals, table.prediction_totals
    n_outside = 0 if table.declared else int(np.count_nonzero(known & (r == 0) & (c > 0)))
    wanted = 10 * (int(np.count_nonzero(r)) - 1) * n_outside
    return n_outside, wanted if n_outside > 1 else 0  # one is what unknown="wrong" would make of it


def _warn_outside(table: ContingencyTable, score: str) -> None:
    """Warn where what is predicted outside the references passes for information."""
    n_outside, wanted = outside_references(table)
    if table.n_samples is not None and table.n_samples < wanted:
        warn(
            f"{score} takes predictions outside the references for information: {n_outside} "
            f"different ones in {table.n_samples} samples, where {wanted} samples are wanted; pass "
            'the classes as labels= and unknown="wrong" to count all of them as one answer'
        )


def ema(table: ContingencyTable) -> float:
    """Return the entropy-modulated accuracy 2^-H(ref|pred), in (0, 1]; best 1."""
    _warn_outside(table, "EMA")
    return math.pow(2.0, -entropies(table).reference_given_prediction)


class EntropyTriangle(NamedTuple):
    """Normalised coordinates that sum to 1, each in [0, 1]; nan for a table of one class."""

    delta_h: float  # distance of the margins from uniform
    two_mi: float  # information transferred
    vi: float  # information lost


def entropy_triangle(table: ContingencyTable) -> EntropyTriangle:
    """Return (2L - H_ref - H_pred, 2 MI, H(ref|pred) + H(pred|ref)) / 2L, L = log2 of classes."""
    k = len(table.labels)
    if not table.declared:
        k = int(((table.reference_totals + table.prediction_totals) > 0).sum())
    if k == 1:
        return EntropyTriangle(math.nan, math.nan, math.nan)
    h, span = entropies(table), 2 * math.log2(k)
    lost = h.reference_given_prediction + h.prediction_given_reference
    uneven = max(1 - (h.reference + h.prediction) / span, 0.0)
    return EntropyTriangle(uneven, 2 * mutual_information(table) / span, lost / span)


def accuracy(table: ContingencyTable) -> float:
    """Return the share of right predictions, in [0, 1]; guessing is paid for."""
    return float(table.hits.sum() / table.total)


def balanced_accuracy(table: ContingencyTable) -> float:
    """Return the mean recall of the classes in the references, in [0, 1]; chance 1/k."""
    return float(np.nanmean(class_rates(table).tpr))


def f1_macro(table: ContingencyTable) -> float:
    """Return the mean over the classes that occur of F1 = 2h/(r + c), in [0, 1]."""
    prevalence, bias, *_ = class_rates(table)  # shares, for r + c may be beyond 64 bits
    counted = (prevalence + bias > 0) & np.array([label is not None for label in table.labels])
    right = table.hits[counted] / table.total
    return float((2 * right / (prevalence + bias)[counted]).mean())


def cohen_kappa(table: ContingencyTable) -> float:
    """Return (p_o - p_e)/(1 - p_e), in [-1, 1]; chance 0; nan where p_e is 1."""
    r, c, hits = _whole_totals(table)
    n = r.sum()
    by_chance = r @ c
    return math.nan if by_chance == n * n else (n * hits - by_chance) / (n * n - by_chance)


def matthews_corrcoef(table: ContingencyTable) -> float:
    """Return the R_k correlation, in [-1, 1]; chance 0, and 0 where a margin has one class."""
    r, c, hits = _whole_totals(table)
    n = r.sum()
    gain, spread = n * hits - r @ c, (n * n - r @ r) * (n * n - c @ c)
    if not spread:
        return 0.0
    return math.sqrt(gain * gain / spread) * (-1 if gain < 0 else 1)


def _whole_totals(table: ContingencyTable) -> tuple[Numbers, Numbers, int]:
    """Return row totals, column totals and the sum of the hits as Python's integers, exactly.

    Differences of their products keep all digits, where those of shares near 1 lose them. Weights
    are counted in a power of two that divides them all, 32 bits at a time.
    """
    k, right = len(table.labels), table.rows == table.columns
    if table.counts.dtype.kind == "i":
        r, c = table.reference_totals.astype(object), table.prediction_totals.astype(object)
        return r, c, int(table.hits.sum())
    r, c, hits = np.zeros(k, dtype=object), np.zeros(k, dtype=object), 0
    rest, unit = table.counts, math.frexp(table.counts.max())[1]
    while rest.any():
        unit -= 32
        whole = np.floor(np.ldexp(rest, -unit)).astype(np.int64)
        rest = rest - np.ldexp(whole.astype(np.float64), unit)
        r = r * 2**32 + coding.sum_by(table.rows, whole, k)
        c = c * 2**32 + coding.sum_by(table.columns, whole, k)
        hits = hits * 2**32 + int(whole[right].sum())
    return r, c, hits
