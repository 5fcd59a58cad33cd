"""Score the tables of slices, and compare each slice with all other samples."""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from ..core.labels import show
from ..core.table import Cells, Table
from ..inference.registry import score_named, score_with_average, scores_in_report
from ..inference.score import Score, normal_quantile
from ..inference.significance import holm
from ..tables.containers import read_labels
from ..tables.contingency import ContingencyTable, Slice
from .estimate import Averaged

_LEVEL = 0.95  # level of the intervals from which a p-value is computed


def with_classes_of(whole: Table, tables: Iterable[Table]) -> list[ContingencyTable]:
    """Convert tables to the labels and the classes of the whole."""
    positions = {label: code for code, label in enumerate(whole.labels)}
    widened = []
    for table in tables:
        table = table.spelled or table
        last = len(whole.labels) - 1  # column of out-of-class predictions
        codes = np.array([positions.get(label, last) for label in table.labels])
        cells = Cells(codes[table.rows], codes[table.columns], table.counts, table.squared_weights)
        own = ContingencyTable._from_cells(whole.labels, True, cells, table.n_samples)
        widened.append(replace(own, class_mask=whole.is_class))
    return widened


def by_number(tables: Mapping[Slice, Any]) -> dict[Slice, Any]:
    """Sort slices by number if all names are numbers, also in text; otherwise keep the order."""
    with suppress(ValueError):
        return {name: tables[name] for name in sorted(tables, key=_numbers_in)}
    return {**tables}


def _numbers_in(name: Slice) -> tuple[float, ...]:
    """Convert the name of a slice, of one or several columns, to numbers."""
    return tuple(map(float, name if isinstance(name, tuple) else (name,)))


def by_category(tables: Mapping[Slice, Any], by: Any) -> dict[Slice, Any]:
    """Sort slices by the categories of a pandas column; without categories keep the order."""
    categories = getattr(getattr(by, "dtype", None), "categories", None)
    if categories is None:
        return {**tables}
    return {name: tables[name] for name in read_labels(categories, "by").tolist() if name in tables}


def in_quantiles(
    tables: Mapping[Slice, ContingencyTable], place: int, n_bins: int, column: str
) -> dict[Slice, ContingencyTable]:
    """Merge slices by a column of numbers into bins of about equally many samples.

    Edges are quantiles as in numpy and `pandas.qcut`; a value on an edge is in the lower bin.
    `place` is the position of the column in names of several columns.
    """
    numbers = {name: _number_of(name, place, column) for name in tables}
    sizes = Counter[float]()
    for name, table in tables.items():
        sizes[numbers[name]] += table.n_samples or 0
    names = _names_of_bins(sizes, n_bins)

    merged = defaultdict[Slice, list[ContingencyTable]](list)
    for name in sorted(tables, key=lambda name: (numbers[name], name)):
        bin_name: Slice = names[numbers[name]]
        if isinstance(name, tuple):
            bin_name = (*name[:place], names[numbers[name]], *name[place + 1 :])
        merged[bin_name].append(tables[name])
    return {name: ContingencyTable.sum_of(parts) for name, parts in merged.items()}


def _names_of_bins(sizes: Mapping[float, int], n_bins: int) -> dict[float, str]:
    """Name the bin of each number by its ends; `sizes` counts the samples of each number."""
    values = np.array(sorted(sizes))
    ends = np.cumsum([sizes[value] for value in values.tolist()])
    positions = (ends[-1] - 1) * np.arange(1, n_bins) / n_bins
    below, above = (
        values[np.searchsorted(ends, places, side="right")]
        for places in (np.floor(positions), np.ceil(positions))
    )
    edges = below + (positions - np.floor(positions)) * (above - below)
    bins = np.searchsorted(edges, values, side="left")
    names: dict[float, str] = {}
    for own in (values[bins == code] for code in np.unique(bins)):
        ends_of_bin = dict.fromkeys(f"{value:.15g}" for value in (own[0], own[-1]))
        names |= dict.fromkeys(own.tolist(), " to ".join(ends_of_bin))
    return names


def _number_of(name: Slice, place: int, column: str) -> float:
    value = name[place] if isinstance(name, tuple) else name
    with suppress(TypeError, ValueError):
        if math.isfinite(number := float(value)):
            return number
    raise ValueError(f"`by` must name a column of numbers to cut, got {show(value)} in {column}")


def scores_of_each(tables: Iterable[Table], average: Averaged) -> list[dict[str, float]]:
    """Score each table; undefined scores are nan."""
    scores = scores_in_report(average).items()
    return [{name: score.value_or_nan(table) for name, score in scores} for table in tables]


def against_rest(
    tables: list[ContingencyTable], metric: str, average: Averaged
) -> tuple[list[float], list[float]]:
    """Compare each table with the sum of the others; return differences and Holm p-values."""
    score = score_named(metric, "vs_rest")
    score = score_with_average(metric, average if score.averages else "default").require_interval()
    before, behind = ([None, *accumulate(side)] for side in (tables[:-1], tables[:0:-1]))
    sides = zip(tables, before, reversed(behind), strict=True)
    tests = [difference_from_rest(score, table, sum(filter(None, rest))) for table, *rest in sides]
    return [difference for difference, _ in tests], holm([p_value for _, p_value in tests])


def difference_from_rest(score: Score, table: Table, rest: Any) -> tuple[float, float]:
    """Test the difference between the scores of two tables; return it and its p-value."""
    if not rest or any(score.undefined(side) for side in (table, rest)):
        return math.nan, math.nan
    a, b = (score.interval(side, _LEVEL) for side in (table, rest))
    difference = a.value - b.value
    lower, higher = (b, a) if difference > 0 else (a, b)
    margin = math.hypot(higher.value - higher.low, lower.high - lower.value)
    if not margin > 0:  # nan if a side has no interval
        return difference, math.nan
    z = normal_quantile(_LEVEL) * difference / margin
    return difference, math.erfc(abs(z) / math.sqrt(2))
