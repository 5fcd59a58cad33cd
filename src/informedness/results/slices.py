"""Scores by slice: one row per type of question, language or source, and one for the whole."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from ..contingency import ContingencyTable
from ..core.labels import Numbers, check_choice, plain_label, warn
from ..core.scores import n_classes
from ..core.table import Cells
from ..slicing import Slice
from ..statistics.intervals import FEW_SAMPLES, check_has_interval, check_level, interval_of
from ..statistics.registry import REPORTED, SCORES, score_named
from ..statistics.score import Score, Sums, x_log_x
from .estimates import Estimate, estimate_silently
from .layout import Result, Rows, finite, interval_fields
from .several import holm
from .text import rounded, shown, shown_interval

_HEADS = {
    "accuracy": "Acc",
    "balanced_accuracy": "BalAcc",
    "f1_macro": "F1",
    "cohen_kappa": "Kappa",
    "matthews_corrcoef": "MCC",
    "informedness": "Inf",
    "nit": "NIT",
    "ema": "EMA",
}
_MOST_ROWS = 50
_MOST_NUMBERS = 2**22  # in the tables of slices that are scored together


@dataclass(frozen=True)
class SliceRow:
    """One slice, or the whole.

    Attributes
    ----------
    name : label, tuple of labels, or None
        None for the whole.
    table : ContingencyTable
    scores : dict of str to float
        Those of the report; nan if undefined, for example with references of one class.
    class_entropy : float
        Entropy of the references in bits.
    estimates : dict of str to Estimate
        Intervals of the scores, if there is a confidence level.
    difference, p_value : float
        Difference from all other samples, if asked for, and its p-value, corrected for the number
        of slices.
    """

    name: Slice | None
    table: ContingencyTable
    scores: dict[str, float]
    class_entropy: float
    estimates: dict[str, Estimate]
    difference: float = math.nan
    p_value: float = math.nan


@dataclass(frozen=True)
class Slices(Result):
    """Scores of each slice of the samples, and of the whole.

    Attributes
    ----------
    by : tuple of str
        The columns that the samples are sliced by.
    rows : tuple of SliceRow
        The slices, in the order of their names or of `sorted_by`.
    whole : SliceRow
        All slices together.
    classes : {"all", "slice"}
        Whether a slice's classes are those of the whole, or those that occur in it.
    confidence_level : float or None
        Share of the intervals that should contain the true value.
    against_rest : str or None
        The score on which each slice was compared with all other samples.

    Examples
    --------
    >>> from informedness import report
    >>> references = ["a", "b"] * 100
    >>> predictions = ["a", "b"] * 50 + ["a", "a"] * 50
    >>> slices = report(references, predictions, by=["easy"] * 100 + ["hard"] * 100)
    >>> [(row.name, row.scores["informedness"]) for row in slices.rows]
    [('easy', 1.0), ('hard', 0.0)]
    """

    by: tuple[str, ...]
    rows: tuple[SliceRow, ...]
    whole: SliceRow
    classes: str
    confidence_level: float | None = None
    against_rest: str | None = None

    @classmethod
    def from_tables(
        cls,
        tables: Mapping[Slice, ContingencyTable],
        *,
        by: str | Sequence[str] = "slice",
        classes: str = "all",
        confidence_level: float | None = None,
        against_rest: str | None = None,
    ) -> Slices:
        """Score the tables of slices.

        Parameters
        ----------
        tables : mapping of slice to ContingencyTable
            As returned by `table_from_frame(..., by=...)`.
        by : str or sequence of str
            What the samples are sliced by.
        classes : {"all", "slice"}
            "all" gives each slice the classes of the whole, even those that do not occur in it: NIT
            counts them all. "slice" gives it only those that occur in it.
        confidence_level : float, optional
            Adds standard errors and intervals of this level.
        against_rest : str, optional
            Compares each slice with all other samples on the score of this name: the difference,
            and a p-value corrected by Holm's method. Uncorrected, the p-value is 1 minus the level
            at which the interval of the difference, combined from those of both sides (Zou and
            Donner 2008), just includes 0.

        Raises
        ------
        ValueError
            If there are no tables, or an option is not valid.

        Warns
        -----
        InformednessWarning
            Once, with the number of slices that are small or of one class.
        """
        check_choice("classes", classes, ("all", "slice"))
        if not tables:
            raise ValueError("`tables` must hold at least one slice, got none")
        if confidence_level is not None:
            check_level(confidence_level)
        if against_rest is not None:
            check_choice("against_rest", against_rest, SCORES)
            check_has_interval(score_named(against_rest))
        whole = ContingencyTable.sum_of(list(tables.values()))
        own = dict(tables)
        if classes == "all":
            own = {name: _with_classes_of(table, whole) for name, table in tables.items()}
        scored = _scores(list(own.values()), whole)
        entropies = _class_entropies(list(own.values()))
        made = cls(
            by=(by,) if isinstance(by, str) else tuple(by),
            rows=tuple(
                SliceRow(name, table, scores, entropy, _estimates(table, confidence_level))
                for (name, table), scores, entropy in zip(
                    own.items(), scored, entropies, strict=True
                )
            ),
            whole=SliceRow(
                None,
                whole,
                {name: float(score_named(name).value(whole)) for name in REPORTED},
                _class_entropies([whole])[0],
                _estimates(whole, confidence_level),
            ),
            classes=classes,
            confidence_level=confidence_level,
            against_rest=against_rest,
        )
        _warn_of(made.rows)
        return made if against_rest is None else replace(made, rows=_against_rest(made))

    def __getitem__(self, name: Slice) -> SliceRow:
        """Return the row of a slice by its name."""
        for row in self.rows:
            if row.name == name:
                return row
        raise KeyError(name)

    def sorted_by(self, column: str, *, descending: bool = False) -> Slices:
        """Return the same slices in another order; undefined values come last.

        Parameters
        ----------
        column : str
            "name", or a field of `records()`, such as "n_samples" or "informedness".
        descending : bool
            Whether the largest value comes first.

        Raises
        ------
        ValueError
            If there is no such column.
        """
        columns = [field for field in self._record(self.whole) if field not in self.by]
        check_choice("column", column, ("name", *columns))
        if column == "name":
            keys: list[Any] = [row.name for row in self.rows]
        else:
            keys = [self._record(row)[column] for row in self.rows]
        known = [i for i, key in enumerate(keys) if key is not None]
        order = sorted(known, key=keys.__getitem__, reverse=descending)
        order += [i for i, key in enumerate(keys) if key is None]
        return replace(self, rows=tuple(self.rows[i] for i in order))

    def _record(self, row: SliceRow) -> dict[str, Any]:
        names = row.name if isinstance(row.name, tuple) else (row.name,) * len(self.by)
        record: dict[str, Any] = {
            by: plain_label(name) for by, name in zip(self.by, names, strict=True)
        }
        record |= {
            "n_samples": row.table.n_samples,
            "n_classes": n_classes(row.table),
            "class_entropy_bits": row.class_entropy,
        }
        for name, value in row.scores.items():
            record[name] = finite(value)
            if name in row.estimates:
                of = row.estimates[name]
                record |= interval_fields(of.standard_error, of.confidence_interval, f"{name}_")
        if self.against_rest is not None:
            record |= {"difference": finite(row.difference), "p_value": finite(row.p_value)}
        return record

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each slice, and one for the whole, whose name is None."""
        return [self._record(row) for row in (*self.rows, self.whole)]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        plain: dict[str, Any] = {"by": list(self.by), "classes": self.classes}
        if self.confidence_level is not None:
            plain["confidence_level"] = self.confidence_level
        if self.against_rest is not None:
            plain["against_rest"] = self.against_rest
        return {**plain, "slices": self.records()[:-1], "whole": self._record(self.whole)}

    def text_tables(self) -> list[Rows]:
        """Return the table of slices, the whole last."""
        tables = [self._table()]
        if self.confidence_level is not None:
            tables.append(self._table_of_intervals(self.confidence_level))
        return tables

    def _rows_of_text(self, cells: Any) -> Rows:
        rows = [[_name(row), *cells(row)] for row in self.rows[:_MOST_ROWS]]
        if (more := len(self.rows) - _MOST_ROWS) > 0:
            rows.append([f"and {more} more (JSON and CSV list all)", *[""] * (len(rows[0]) - 1)])
        return [*rows, ["all", *cells(self.whole)]]

    def _table(self) -> Rows:
        head = [", ".join(self.by), "N", "k", "bits", *(_HEADS.get(x, x) for x in REPORTED)]
        if self.against_rest is not None:
            head += ["vs rest", "p"]

        def cells(row: SliceRow) -> list[str]:
            n = row.table.n_samples
            found = ["?" if n is None else f"{n}{'*' * _is_small(row)}", str(n_classes(row.table))]
            found += [rounded(row.class_entropy)]
            found += ["--" if math.isnan(x) else rounded(x, 3) for x in row.scores.values()]
            if self.against_rest is not None:
                numbers = ("" if math.isnan(row.difference) else f"{row.difference:+.3f}",)
                found += [*numbers, "" if math.isnan(row.p_value) else f"{row.p_value:.3f}"]
            return found

        return [head, *self._rows_of_text(cells)]

    def _table_of_intervals(self, level: float) -> Rows:
        names = ("informedness", "nit")
        head = [", ".join(self.by)]
        for name in names:
            head += [_HEADS[name], "± SE", f"{100 * level:.6g}% interval"]

        def cells(row: SliceRow) -> list[str]:
            found = []
            for name in names:
                of = row.estimates[name]
                found += ["--" if math.isnan(row.scores[name]) else rounded(row.scores[name], 3)]
                found += shown_interval(of.standard_error, of.confidence_interval, 3)
            return found

        return [head, *self._rows_of_text(cells)]

    def text_lines(self) -> list[str]:
        """Return what the marks mean."""
        of = "the whole" if self.classes == "all" else "each slice"
        lines = [
            f"Classes (k): those of {of}. -- means undefined, for example with references of one "
            "class."
        ]
        if any(map(_is_small, self.rows)):
            lines.append(
                f"* fewer than {FEW_SAMPLES} samples: scores from few samples are imprecise."
            )
        if self.against_rest is not None:
            title = score_named(self.against_rest).title
            lines.append(
                f"vs rest: {title} minus that of all other samples; p: the chance of a difference "
                "at least this large if they scored the same, corrected for the number of slices "
                "(Holm)."
            )
        return lines


def _name(row: SliceRow) -> str:
    names = row.name if isinstance(row.name, tuple) else (row.name,)
    return ", ".join(map(shown, names))


def _is_small(row: SliceRow) -> bool:
    n = row.table.n_samples
    return n is not None and n < FEW_SAMPLES


def _warn_of(rows: Sequence[SliceRow]) -> None:
    """Warn once about the slices that say little."""
    small = sum(map(_is_small, rows))
    of_one = sum(np.count_nonzero(row.table.reference_totals) == 1 for row in rows)
    found = [f"{small} with fewer than {FEW_SAMPLES} samples"] * bool(small)
    found += [f"{of_one} with references of one class"] * bool(of_one)
    if found:
        warn(f"{len(rows)} slices, {' and '.join(found)}: they are marked")


def _with_classes_of(table: ContingencyTable, whole: ContingencyTable) -> ContingencyTable:
    """Return a table with the classes of the whole, as declared ones."""
    position = {label: code for code, label in enumerate(whole.labels)}
    to_code = np.array([position[label] for label in table.labels], dtype=np.int64)
    rows, columns = to_code[table.rows], to_code[table.columns]
    cells = Cells(rows, columns, table.counts, table.squared_weights)
    return table.of_cells(whole.labels, True, cells, table.n_samples)


def _class_entropies(tables: list[ContingencyTable]) -> list[float]:
    """Return H(ref) in bits of each table."""
    found = []
    for table in tables:
        totals = table.reference_totals.astype(np.float64)
        bits = math.log2(table.total) - float(x_log_x(totals)) / table.total / math.log(2)
        found.append(max(bits, 0.0))
    return found


def _scores(tables: list[ContingencyTable], whole: ContingencyTable) -> list[dict[str, float]]:
    """Return the scores of each table, nan where they are undefined.

    Many small tables are scored at once, by the same formulas: 10,000 of 10 classes take 0.1 s
    instead of 3 s.
    """
    scored: list[dict[str, float]] = []
    k = len(whole.labels)
    together = not whole.is_weighted and all(table.labels == whole.labels for table in tables)
    size = max(1, _MOST_NUMBERS // k**2)
    if not together or size < 8:
        return [_scores_of(table) for table in tables]
    for start in range(0, len(tables), size):
        block = tables[start : start + size]
        sums = _sums_of_tables(block, k)
        values = {name: _of_all(score_named(name), sums, block) for name in REPORTED}
        rows = zip(*(column.tolist() for column in values.values()), strict=True)
        found = [dict(zip(values, row, strict=True)) for row in rows]
        one_class = (np.count_nonzero(sums.references, axis=0) == 1) | (
            np.count_nonzero(sums.predictions, axis=0) == 1
        )
        for i in np.flatnonzero(one_class).tolist():
            found[i] = _scores_of(block[i])
        scored += found
    return scored


def _scores_of(table: ContingencyTable) -> dict[str, float]:
    scores = {name: score_named(name) for name in REPORTED}
    return {
        name: math.nan if score.undefined(table) else float(score.rounded(table))
        for name, score in scores.items()
    }


def _of_all(score: Score, sums: Sums, tables: list[ContingencyTable]) -> Numbers:
    if not score.has_gradient:  # a plain function of one table
        return np.array([score.rounded(table) for table in tables])
    return np.clip(score.of(sums), score.lowest, score.best)


def _sums_of_tables(tables: list[ContingencyTable], k: int) -> Sums:
    """Return the sums of n tables of the same classes, of shape (k, n)."""
    n = len(tables)
    cells = np.zeros((n, k, k))
    which = np.repeat(np.arange(n), [len(table.counts) for table in tables])
    rows, columns, counts = (
        np.concatenate([getattr(table, name) for table in tables])
        for name in ("rows", "columns", "counts")
    )
    cells[which, rows, columns] = counts
    references, predictions = cells.sum(axis=2).T, cells.sum(axis=1).T
    occurring = (references > 0) | (predictions > 0)
    if tables[0].labels[-1] is None:
        occurring[-1] = False
    return Sums(
        hits=np.diagonal(cells, axis1=1, axis2=2).T,
        references=references,
        predictions=predictions,
        total=cells.sum(axis=(1, 2)),
        occurring=occurring,
        n_classes=np.array([n_classes(table) for table in tables]),
        cells=cells.reshape(n, k * k).T,
    )


def _estimates(table: ContingencyTable, level: float | None) -> dict[str, Estimate]:
    if level is None:
        return {}
    scores = {name: score_named(name) for name in REPORTED}
    return {
        name: estimate_silently(table, score, level, "")
        for name, score in scores.items()
        if score.has_gradient
    }


# Against the rest


def _against_rest(slices: Slices) -> tuple[SliceRow, ...]:
    """Return the rows with their difference from all other samples, and its p-value."""
    score = score_named(str(slices.against_rest))
    tested = []
    for row in slices.rows:
        rest = _without(slices.whole.table, row.table)
        tested.append((math.nan, math.nan) if rest is None else _difference(score, row.table, rest))
    p_values = holm([p for _, p in tested])
    return tuple(
        replace(row, difference=difference, p_value=p)
        for row, (difference, _), p in zip(slices.rows, tested, p_values, strict=True)
    )


def _without(whole: ContingencyTable, part: ContingencyTable) -> ContingencyTable | None:
    """Return the table of the samples that are not in a part; None where there are none."""
    part = _with_classes_of(part, whole)
    k = len(whole.labels)
    left = whole.counts.copy()
    at = np.searchsorted(whole.rows * k + whole.columns, part.rows * k + part.columns)
    left[at] = left[at] - part.counts
    squares = whole.squared_weights
    if squares is not None and part.squared_weights is not None:
        squares = squares.copy()
        squares[at] -= part.squared_weights
    keep = left > 0 if squares is None else (left > 1e-12 * whole.counts) & (squares > 0)
    if not keep.any():
        return None
    n = None
    if whole.n_samples is not None and part.n_samples is not None:
        n = whole.n_samples - part.n_samples
    return ContingencyTable(
        whole.labels,
        True,
        whole.rows[keep],
        whole.columns[keep],
        left[keep],
        None if squares is None else squares[keep],
        n,
    )


def _difference(
    score: Score, table: ContingencyTable, rest: ContingencyTable
) -> tuple[float, float]:
    """Return the difference of two tables' scores, and the p-value of no difference."""
    sides = (table, rest)
    if any(score.undefined(side) for side in sides):
        return math.nan, math.nan
    a, b = (float(score.rounded(side)) for side in sides)
    low, high = 0.0, 1.0  # the level at which the interval just holds 0 lies between
    for _ in range(30):
        level = (low + high) / 2
        if not 0 < level < 1:
            break
        ends = [interval_of(side, score, level) for side in sides]
        if any(math.isnan(end.low) for end in ends):
            return a - b, math.nan
        down, up = ends if a > b else ends[::-1]
        reach = math.hypot(down.value - down.low, up.high - up.value)
        low, high = (level, high) if reach < abs(a - b) else (low, level)
    return a - b, 1 - low
