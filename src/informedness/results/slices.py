"""Score each slice of the samples, such as a type of question or a language, and all samples."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import Label, check_choice, show, warn
from ..core.table import Cells, Table
from ..inference.entropy import EntropicScore, reference_entropy
from ..inference.registry import REPORTED, score_named, score_with_average, scores_in_report
from ..inference.score import FEW_SAMPLES, ClassSums, Score, normal_quantile, signature_of
from ..inference.significance import CellPairs, holm
from ..tables.contingency import ContingencyTable, Slice, count_slices, read_name, slice_column
from ..tables.label_options import read_label_columns, read_labels
from ..tables.label_warnings import warn_of_table
from ..text import layout, render
from ..text.layout import Account, Block, Result, Rows, add_left_out
from .estimate import AverageOption, Estimate, build_samples, level_text, reported_estimates
from .figures import ForestRow, draw_forest
from .summary import out_of_class_share, share_text, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes

_HEADS = {"informedness": "Inf", "accuracy": "Acc", "balanced_accuracy": "BalAcc"}
_HEADS |= {"f1_macro": "F1", "cohen_kappa": "Kappa", "matthews_corrcoef": "MCC", "nit": "NIT"}
_MAX_ROWS = 50  # slices shown in text
_LEVEL = 0.95  # confidence level of the intervals that p-values are computed from
_VS_REST = "minus that of all other samples; p is corrected for the number of slices (Holm)."


@dataclass(frozen=True)
class SliceRow:
    """Scores of one slice, or of all samples.

    Attributes
    ----------
    name : label, tuple of labels, or None
        Name of the slice; None for all samples.
    table : ContingencyTable
    n_classes : int
        Number of classes k for NIT: the declared classes, or by default the classes in the
        references of all samples.
    scores : dict of str to float
        Scores as in a report, by name, without informedness_prevalence. An undefined score of a
        slice is nan, for example with references of one class.
    class_entropy : float
        Entropy of the references in bits.
    estimates : dict of str to Estimate
        Estimates of the scores; empty without a confidence level.
    difference, p_value : float
        Score minus that of all other samples, and the p-value of this difference, corrected for the
        number of slices. Both are nan for all samples, without `vs_rest`, if there are no other
        samples, or if one of the scores is undefined. The p-value is also nan if one of the scores
        has no interval.
    """

    name: Slice | None
    table: ContingencyTable = field(repr=False)
    n_classes: int
    scores: dict[str, float]
    class_entropy: float
    estimates: dict[str, Estimate] = field(repr=False)
    difference: float = math.nan
    p_value: float = math.nan


@dataclass(frozen=True, repr=False)
class Slices(Result, Mapping[Slice, SliceRow]):
    """Scores of each slice of the samples, and of all samples.

    Attributes
    ----------
    by : tuple of str
        Names of the columns that the samples are sliced by.
    rows : tuple of SliceRow
        The slices, in the order chosen by `sort`.
    overall : SliceRow
        The scores of all samples.
    confidence_level : float or None
        Level of the intervals of scores; None without intervals.
    vs_rest : str or None
        Name of the score on which each slice was compared with all other samples.
    signature : str
        A line that records the options, the number of samples and the version.
    average : {"default", "bias", "prevalence", "macro"}
        Average of Informedness.
    read : tuple of Account
        Accounts of the files or data frames that were read.

    Examples
    --------
    >>> references = ["a", "b"] * 100
    >>> predictions = ["a", "b"] * 50 + ["a", "a"] * 50
    >>> made = slices(references, predictions, by=["easy"] * 100 + ["hard"] * 100)
    >>> [(row.name, row.scores["informedness"]) for row in made.rows]
    [('easy', 1.0), ('hard', 0.0)]
    """

    by: tuple[str, ...]
    rows: tuple[SliceRow, ...]
    overall: SliceRow
    confidence_level: float | None = None
    vs_rest: str | None = None
    signature: str = ""
    average: AverageOption = "default"
    read: tuple[Account, ...] = field(default=(), compare=False)

    @classmethod
    def from_tables(
        cls,
        tables: Mapping[Slice, ContingencyTable],
        *,
        by: str | Sequence[str] = "slice",
        confidence_level: float | None = None,
        vs_rest: str | None = None,
        average: AverageOption = "default",
        sort: str = "name",
        pairs: Mapping[Slice | None, CellPairs] | None = None,
    ) -> Slices:
        """Score the tables of slices, each with the classes of all samples.

        Parameters
        ----------
        tables : mapping of slice to ContingencyTable
            As returned by `table_from_frame(..., by=...)`.
        by : str or sequence of str
            Names of the columns that the samples are sliced by.
        confidence_level : float, optional
            Adds standard errors and intervals of this level.
        vs_rest : str, optional
            Name of the score on which each slice is compared with all other samples. This adds
            the difference, and a p-value corrected by Holm's method. The margin of error of the
            difference combines the 95% intervals of both scores (Zou and Donner 2008). The z test
            divides the margin towards 0 by 1.96 to get the standard error.
        average : {"bias", "prevalence", "macro"}, optional
            Average of Informedness, as in `informedness_score`.
        sort : str
            "name" sorts slices by number if all names are numbers, or text that spells numbers;
            otherwise, it keeps the order of `tables`. The name of a score puts the lowest score
            first and undefined scores last.
        pairs : mapping of slice to CellPairs, optional
            The grouped samples of each slice; the key None has all samples.

        Raises
        ------
        ValueError
            If there are no tables, if tables have labels of different types, if the name of a slice
            is not a label or a tuple of labels, or if an option is not valid.

        Warns
        -----
        InformednessWarning
            If slices are small, or have references of one class. A single warning has both numbers.
            Also as in `informedness_score`, for all samples together.
        """
        check_choice("sort", sort, ("name", *REPORTED))
        columns = render.texts_of((by,) if isinstance(by, str) else by, "by", "column")
        tables = _sort_by_number(_check_tables(tables, by, len(columns)))
        total = ContingencyTable.sum_of(list(tables.values()))
        parts = _with_classes_of(total, tables.values())
        pairs = pairs or {}

        metrics, rows, k = scores_in_report(average), [], total.n_classes
        all_scores = _score_slices(parts, metrics)
        all_scores.append({x: float(score.value(total)) for x, score in metrics.items()})
        for name, table, scores in zip([*tables, None], [*parts, total], all_scores, strict=True):
            estimates = reported_estimates(table, confidence_level, metrics, pairs=pairs.get(name))
            rows.append(SliceRow(name, table, k, scores, reference_entropy(table), estimates))
        *rows, overall = rows
        _warn_of_slices(rows)
        if vs_rest is not None:
            tests = zip(rows, *_compare_with_rest(parts, vs_rest, average), strict=True)
            rows = [replace(row, difference=gap, p_value=p_value) for row, gap, p_value in tests]
        if sort != "name":
            rows.sort(key=lambda row: (math.isnan(row.scores[sort]), row.scores[sort]))
        settings = level_text(confidence_level, pairs.get(None))
        line = signature_of("slices", total, average=average, interval=settings)
        options = confidence_level, vs_rest, add_left_out(line, total.read), average, total.read
        return cls(columns, tuple(rows), overall, *options)

    def __getitem__(self, name: Slice) -> SliceRow:
        """Look up the row of a slice by its name."""
        return {row.name: row for row in self.rows}[name]

    def __iter__(self) -> Iterator[Slice]:
        """Iterate over the names of the slices."""
        return (row.name for row in self.rows if row.name is not None)

    def __len__(self) -> int:
        """Count the slices."""
        return len(self.rows)

    def plot(self, metric: str = "informedness", *, ax: Axes | None = None) -> Axes:
        """Draw a score of each slice with its interval; the slices need a confidence level.

        A dotted line marks the score of all samples. A star marks slices with fewer than 50
        samples. With more than 50 rows, the first 49 slices and all samples are drawn.

        Parameters
        ----------
        metric : str
            Name of the score to draw.
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        if self.confidence_level is None:
            raise ValueError("slices must have intervals to plot: pass confidence_level=0.95")
        check_choice("metric", metric, tuple(self.overall.estimates))
        rows = [ForestRow(_name(x) + _star(x), x.estimates[metric]) for x in self.rows]
        rows.append(ForestRow("all", self.overall.estimates[metric], is_whole=True))
        return draw_forest(rows, score_named(metric).title, ax)

    def records(self) -> list[dict[str, Any]]:
        """Convert each slice to a record, and all samples to a last record with the name None.

        A column with the name of a field, for example accuracy, becomes by_accuracy. The prefix by_
        is also added to names that begin with by_, so that names stay distinct.
        """
        records = []
        for row in (*self.rows, self.overall):
            record: dict[str, Any] = {"n_samples": row.table.n_samples, "n_classes": row.n_classes}
            guessing = round(score_named("accuracy").guessing_level(row.table), 12)
            record |= {"class_entropy_bits": row.class_entropy, "accuracy_guessing": guessing}
            for name, value in row.scores.items():
                record[name] = render.as_json(value)
                if name in row.estimates:
                    record |= row.estimates[name].fields(f"{name}_")
            record["out_of_class_share"] = out_of_class_share(row.table)
            if self.vs_rest is not None:
                record |= {x: render.as_json(getattr(row, x)) for x in ("difference", "p_value")}
            record["signature"] = self.signature
            keys = [f"by_{x}" if x in record or x.startswith("by_") else x for x in self.by]
            names = row.name if isinstance(row.name, tuple) else (row.name,) * len(keys)
            records.append(dict(zip(keys, map(render.as_json, names), strict=True)) | record)
        return records

    def to_dict(self) -> dict[str, Any]:
        """Convert the slices to plain values for JSON; undefined numbers become None.

        "by" lists the fields of the records that hold the names of slices.
        """
        *records, overall = self.records()
        plain: dict[str, Any] = {"by": [*overall][: len(self.by)]}
        names = ("confidence_level", "vs_rest", "average", "signature")
        plain |= {name: getattr(self, name) for name in names}
        return plain | {"slices": records, "overall": overall} | self.account_field()

    def text_tables(self) -> list[Rows]:
        """Tabulate the scores of slices and of all samples.

        Guessing levels are the last row if all slices share them. Otherwise the guessing level of
        accuracy is a column.
        """
        rows = [*self.rows[:_MAX_ROWS], self.overall]
        scores = scores_in_report(self.average)
        columns = [[render.shown_name(self.by), *map(_name, rows)]]
        for name, head in _HEADS.items():
            values = (_format(row.scores[name]) + _mark(row, scores[name]) for row in rows)
            columns.append([head, *values])
        sizes = ("?" if (n := x.table.n_samples) is None else f"{n}{_star(x)}" for x in rows)
        columns.insert(2, ["N", *sizes])
        if self.vs_rest is not None:
            columns.insert(2, ["p", *(_format(row.p_value, "") for row in rows)])
            columns.insert(2, ["vs rest", *(_format(row.difference, "", "+") for row in rows)])
        if self.confidence_level is not None:
            intervals = (row.estimates["informedness"].shown(3)[1] for row in rows)
            columns.insert(2, [render.interval_heads(self.confidence_level)[1], *intervals])
        if out_of_class_share(self.overall.table):
            shares = (share_text(out_of_class_share(row.table)) for row in rows)
            columns.append(["out of class", *shares])
        table = layout.rows_of(columns)
        layout.add_guessing(table, [*map(_guessing_levels, rows)], _HEADS["accuracy"])
        table[len(rows) : len(rows)] = layout.more_rows(len(self.rows) - _MAX_ROWS)
        return [table]

    def text_blocks(self) -> list[Block]:
        """List the table, the meaning of its marks, and the signature."""
        return [*self.text_tables(), tuple(self._notes()), self.signature]

    def _notes(self) -> Iterator[str]:
        # only the rows shown, because a mark takes as long to compute as a score
        rows = *self.rows[:_MAX_ROWS], self.overall
        scores, k = scores_in_report(self.average), self.overall.n_classes
        title = title_of(self.overall.table, scores["informedness"])
        yield f"Inf is {title}; NIT counts the {k} classes of all samples."
        if any(math.isnan(value) for row in rows for value in row.scores.values()):
            yield "-- means undefined, for example with references of one class."
        if any(map(_star, rows)):
            yield f"N*: fewer than {FEW_SAMPLES} samples, so scores are uncertain."
        for name, score in scores.items():
            if any(_mark(row, score) for row in rows):
                yield f"{_HEADS[name]}^: {score.mark_meaning}."
        if self.vs_rest is not None:
            yield f"vs rest: {score_named(self.vs_rest).title} {_VS_REST}"


def _check_tables(tables: Any, by: Any, n_columns: int) -> dict[Slice, ContingencyTable]:
    """Check the tables, and read the names of their slices.

    Raise ValueError if the tables are not valid, or a name does not have `n_columns` values.
    """
    parts = tables.values() if isinstance(tables, Mapping) else ()
    if not parts or not all(isinstance(table, ContingencyTable) for table in parts):
        rule = "map at least one slice to its ContingencyTable"
        raise ValueError(f"`tables` must {rule}, got {show(tables)}")
    slice_tables = {read_name(name): table for name, table in tables.items()}
    for name in slice_tables:
        if (len(name) if isinstance(name, tuple) else 1) != n_columns:
            raise ValueError(f"`by` must name one column per value of slice {name!r}, got {by!r}")
    return slice_tables


def _guessing_levels(row: SliceRow) -> dict[str, str]:
    scores = scores_in_report()
    return {head: _format(scores[x].guessing_level(row.table)) for x, head in _HEADS.items()}


def _name(row: SliceRow) -> str:
    return "all" if row.name is None else render.shown_name(row.name)


def _format(value: float, undefined: str = "--", sign: str = "") -> str:
    return undefined if math.isnan(value) else f"{round(value, 3) + 0.0:{sign}.3f}"


def _mark(row: SliceRow, score: Score) -> str:
    """Choose the mark of a score: "^" if it may mislead, otherwise empty."""
    value = row.scores[score.name]
    return "^" if not math.isnan(value) and score.caution(row.table, value) else ""


def _star(row: SliceRow) -> str:
    """Choose the mark of a slice: "*" if it has few samples, otherwise empty."""
    return "*" if (row.table.n_samples or FEW_SAMPLES) < FEW_SAMPLES else ""


def _warn_of_slices(rows: Sequence[SliceRow]) -> None:
    """Warn once of slices that are small or have references of one class."""
    numbers = {
        f"fewer than {FEW_SAMPLES} samples (marked with *)": sum(map(len, map(_star, rows))),
        "references of only one class": sum(not row.class_entropy for row in rows),
    }
    parts = [f"slices with {fault}: {n} of {len(rows)}" for fault, n in numbers.items() if n]
    if parts:
        warn("; ".join(parts))


def slices(
    y_true: Any,
    y_pred: Any,
    *,
    by: Any,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    average: AverageOption = "default",
    groups: Any = None,
    confidence_level: float | None = None,
    vs_rest: str | None = None,
    sort: str = "name",
) -> Slices:
    """Score each slice of the samples, and all samples.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.
    by : array-like of shape (n_samples,), mapping of names to such arrays, or data frame
        The slice of each sample, for example its type of question. With several columns, each
        combination of values that occurs is a slice.
    average, confidence_level, vs_rest, sort
        As in `Slices.from_tables`. The categories of a single pandas Series or polars Enum keep
        their order, unless all are numbers.
    groups : array-like of shape (n_samples,), optional
        As in `estimate`. Groups need a confidence level. They cannot be combined with `vs_rest`,
        which assumes independent slices.

    Returns
    -------
    Slices
        They are converted by `str()`, `.to_dict()`, `.to_pandas()`, `.to_markdown()`,
        `.to_latex()`, `.to_html()` and `.to_csv()`.

    Raises
    ------
    ValueError
        As in `informedness_score` and `Slices.from_tables`. Also if `by` does not name a slice for
        each sample.

    Warns
    -----
    InformednessWarning
        As in `Slices.from_tables`.
    LabelsWarning
        As in `informedness_score`.

    Examples
    --------
    >>> predictions = ["yes", "yes", "no", "no"]
    >>> made = slices(["yes", "no"] * 2, predictions, by=["short", "short", "long", "long"])
    >>> [(row.name, row.scores["accuracy"]) for row in made.rows]
    [('long', 0.5), ('short', 0.5)]
    """
    by = {x: by[x] for x in by.columns} if hasattr(by, "columns") else by
    extras = {f"by[{x!r}]": by[x] for x in by} if isinstance(by, Mapping) else {"by": by}
    extras = {"sample_weight": sample_weight, **extras}
    containers = {"y_true": y_true, "y_pred": y_pred}
    columns, task = read_label_columns(containers, labels, ignore_index, unknown, **extras)
    references, predictions = columns
    tables = count_slices(references, predictions, by, task, (sample_weight, None, None))
    name = getattr(by, "name", None)  # a column of pandas or polars has a name
    names = tuple(map(str, by)) if isinstance(by, Mapping) else str(name or "slice")
    options: Any = {"confidence_level": confidence_level, "vs_rest": vs_rest, "sort": sort}
    if groups is not None:
        if vs_rest is not None:
            raise ValueError("`vs_rest` assumes independent slices: leave out `groups`")
        extras = {"sample_weight": sample_weight, "groups": groups}
        samples = build_samples(references, {"y_pred": predictions}, task, extras)
        options["pairs"] = samples.pairs_by_slice(slice_column(by)[samples.rows])
    result = Slices.from_tables(_sort_by_category(tables, by), by=names, average=average, **options)
    warn_of_table(result.overall.table, [*containers])
    return result


# Tables and scores of slices


def _with_classes_of(total: Table, tables: Iterable[Table]) -> list[ContingencyTable]:
    """Convert tables to the labels and the classes of the table of all samples."""
    positions = {label: code for code, label in enumerate(total.labels)}
    results = []
    for table in tables:
        table = table.unmerged_table or table
        last = len(total.labels) - 1  # the column of out-of-class predictions
        codes = np.array([positions.get(label, last) for label in table.labels])
        cells = Cells(codes[table.rows], codes[table.columns], table.counts, table.squared_weights)
        converted = ContingencyTable._from_cells(total.labels, True, cells, table.n_samples)
        results.append(replace(converted, class_mask=total.is_class))
    return results


def _score_slices(tables: Sequence[Table], metrics: Mapping[str, Score]) -> list[dict[str, float]]:
    """Score tables with the same labels and classes; an undefined score is nan.

    Scores of hits and class totals are computed for all tables at once, in a tenth of the time.
    With weights, the last digits would differ, so each table is then scored separately.
    """
    names = [x.name for x in fields(ClassSums)[1:]]  # all except the labels
    columns = (np.array([getattr(table, name) for table in tables]).T for name in names)
    sums = ClassSums(tables[0].labels, *columns)
    is_single = np.count_nonzero(sums.reference_totals, axis=0) == 1
    values = {}
    for name, score in metrics.items():
        if isinstance(score, EntropicScore) or sums.total.dtype.kind == "f":
            values[name] = [score.value_or_nan(table) for table in tables]
        else:
            exact = np.clip(score.exact_value(sums), score.lowest, score.highest)
            is_undefined = is_single & ("references" in score.undefined_margins)
            values[name] = np.where(is_undefined, math.nan, exact).tolist()
    return [dict(zip(values, row, strict=True)) for row in zip(*values.values(), strict=True)]


def _sort_by_number(tables: Mapping[Slice, Any]) -> dict[Slice, Any]:
    """Sort slices by number if all names are numbers or texts of numbers; else keep the order."""
    names = {name: name if isinstance(name, tuple) else (name,) for name in tables}
    with suppress(ValueError):
        return {x: tables[x] for x in sorted(tables, key=lambda x: [*map(float, names[x])])}
    return {**tables}


def _sort_by_category(tables: Mapping[Slice, Any], by: Any) -> dict[Slice, Any]:
    """Sort slices in the order of the categories of a column, or keep the order without them."""
    categories = getattr(getattr(by, "dtype", None), "categories", None)
    if categories is None:
        return {**tables}
    return {name: tables[name] for name in read_labels(categories, "by").tolist() if name in tables}


def cut_into_quantiles(
    tables: Mapping[Slice, ContingencyTable], position: int, n_bins: int, column: str
) -> dict[Slice, ContingencyTable]:
    """Merge slices by a column of numbers into bins with about equal numbers of samples.

    The edges of the bins are quantiles, as in `pandas.qcut`. A value on an edge is in the lower
    bin, so samples with the same value share a bin. In slice names that are tuples, `position` is
    the position of the column. `column` is the name of the column to show in errors.
    """
    pairs = sorted((_number_of(name, position, column), name) for name in tables)
    numbers = np.array([number for number, _ in pairs])
    samples = np.repeat(numbers, [tables[name].n_samples or 0 for _, name in pairs])
    positions = (len(samples) - 1) * np.arange(1, n_bins) / n_bins
    bins = np.searchsorted(np.interp(positions, np.arange(len(samples)), samples), numbers)
    lowest = numbers[np.searchsorted(bins, bins)]
    highest = numbers[np.searchsorted(bins, bins, "right") - 1]
    merged = defaultdict[Slice, list[ContingencyTable]](list)
    for (_, name), *ends in zip(pairs, lowest, highest, strict=True):
        bin_name: Any = " to ".join(dict.fromkeys(f"{end:.15g}" for end in ends))
        if isinstance(name, tuple):
            bin_name = (*name[:position], bin_name, *name[position + 1 :])
        merged[bin_name].append(tables[name])
    return {name: ContingencyTable.sum_of(parts) for name, parts in merged.items()}


def _number_of(name: Slice, position: int, column: str) -> float:
    """Read the number in the name of a slice; raise ValueError unless it is a finite number."""
    value = name[position] if isinstance(name, tuple) else name
    with suppress(TypeError, ValueError):
        if math.isfinite(number := float(value)):
            return number
    raise ValueError(f"`by` must name a column of numbers to cut, got {show(value)} in {column}")


def _compare_with_rest(
    tables: list[ContingencyTable], metric: str, average: AverageOption
) -> tuple[list[float], list[float]]:
    """Compare each table with the sum of the other tables.

    Return the differences, and p-values corrected by Holm's method.
    """
    score = score_named(metric, "vs_rest")
    score = score_with_average(metric, average if score.averages else "default").require_interval()
    # sums of the tables before each table and after it, which add up to the other tables
    before, after = ([None, *accumulate(part)] for part in (tables[:-1], tables[:0:-1]))
    parts = zip(tables, before, reversed(after), strict=True)
    tests = [difference_from_rest(score, table, sum(filter(None, rest))) for table, *rest in parts]
    return [difference for difference, _ in tests], holm([p_value for _, p_value in tests])


def difference_from_rest(score: Score, table: Table, rest: Any) -> tuple[float, float]:
    """Compute the difference between the scores of two tables, and its p-value.

    Both are nan if a score is undefined, or if `rest` is 0 because there are no other samples. The
    p-value is also nan if a score has no interval.
    """
    if not rest or any(map(score.why_undefined, (table, rest))):
        return math.nan, math.nan
    a, b = (score.interval(part, _LEVEL) for part in (table, rest))
    difference = a.value - b.value
    lower, higher = (b, a) if difference > 0 else (a, b)
    margin = math.hypot(higher.value - higher.low, lower.high - lower.value)
    if not margin > 0:  # the margin is nan without an interval
        return difference, math.nan
    z = normal_quantile(_LEVEL) * difference / margin
    return difference, math.erfc(abs(z) / math.sqrt(2))
