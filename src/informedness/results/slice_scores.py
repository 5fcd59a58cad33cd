"""The scores of tables of slices, and how each slice differs from all other samples."""

import math
from collections.abc import Iterable
from dataclasses import replace
from itertools import accumulate
from typing import Any

import numpy as np

from ..core.table import Cells, Table
from ..inference.paired import holm
from ..inference.registry import score_named, score_with_average, scores_in_report
from ..inference.score import Score, normal_quantile
from ..tables.contingency import ContingencyTable
from .estimate import Averaged

_LEVEL = 0.95  # of the intervals behind a p-value


def with_classes_of(whole: Table, tables: Iterable[Table]) -> list[ContingencyTable]:
    """Return tables with the labels and the classes of the whole."""
    positions = {label: code for code, label in enumerate(whole.labels)}
    widened = []
    for table in tables:
        table = table.spelled or table
        last = len(whole.labels) - 1  # of the predictions that are no class there
        codes = np.array([positions.get(label, last) for label in table.labels])
        cells = Cells(codes[table.rows], codes[table.columns], table.counts, table.squared_weights)
        own = ContingencyTable._from_cells(whole.labels, True, cells, table.n_samples)
        widened.append(replace(own, known=whole.is_class))
    return widened


def scores_of_each(tables: Iterable[Table], average: Averaged) -> list[dict[str, float]]:
    """Return the scores of each table, nan where they are undefined."""
    scores = scores_in_report(average).items()
    return [{name: score.value_or_nan(table) for name, score in scores} for table in tables]


def against_rest(
    tables: list[ContingencyTable], metric: str, average: Averaged
) -> tuple[list[float], list[float]]:
    """Return the difference of each table from the sum of the others, and corrected p-values."""
    score = score_named(metric, "vs_rest")
    score = score_with_average(metric, average if score.averages else "default").require_interval()
    before, behind = ([None, *accumulate(side)] for side in (tables[:-1], tables[:0:-1]))
    sides = zip(tables, before, reversed(behind), strict=True)
    tests = [difference_from_rest(score, table, sum(filter(None, rest))) for table, *rest in sides]
    return [difference for difference, _ in tests], holm([p_value for _, p_value in tests])


def difference_from_rest(score: Score, table: Table, rest: Any) -> tuple[float, float]:
    """Return the difference of two tables' scores, and the p-value of no difference."""
    if not rest or any(score.undefined(side) for side in (table, rest)):
        return math.nan, math.nan
    a, b = (score.interval(side, _LEVEL) for side in (table, rest))
    difference = a.value - b.value
    lower, higher = (b, a) if difference > 0 else (a, b)
    reach = math.hypot(higher.value - higher.low, lower.high - lower.value)
    if not reach > 0:  # nan where a side has no interval
        return difference, math.nan
    z = normal_quantile(_LEVEL) * difference / reach
    return difference, math.erfc(abs(z) / math.sqrt(2))
