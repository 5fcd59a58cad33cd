"""The answers of models to the same samples, and the weights and groups of these."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.labels import Codes, Numbers
from ..core.table import read_amounts
from ..statistics.intervals import lack
from ..statistics.paired import CellPairs, n_groups
from ..tables.containers import code_integers, read_quickly
from ..tables.contingency import ContingencyTable
from ..tables.counting import common_codes, read_whole
from ..tables.doubts import warn_of_table
from ..tables.sides import read_sides

FEW_GROUPS = 10  # with fewer, a sum over groups is far from normal


def settings_of(level: float, pairs: CellPairs | None = None) -> str:
    """Return what a signature says of an interval of this level, by groups if there are some."""
    return f"groups:{n_groups(pairs)}|" * (n_groups(pairs) > 0) + f"ci:{float(level)!r}"


def too_few_groups(pairs: CellPairs | None, least: int = FEW_GROUPS) -> str:
    """Return how many groups there are if they are too few, else empty."""
    return lack(n_groups(pairs), least, "group") if n_groups(pairs) else ""


@dataclass(frozen=True)
class Samples:
    """The answers of some models to the same samples, a row for each or for several alike."""

    tables: list[ContingencyTable]
    """One for each model."""
    cells: list[Codes]
    """Of each model the position in its table of the cell that each row belongs to."""
    references: Codes
    answers: list[Codes]
    """Of each model, by position among the labels of all of them."""
    counts: Numbers | None
    weights: Numbers | None
    groups: Codes | None

    def number(self, rows: Numbers) -> int:
        """Return how many samples these rows stand for."""
        return int(rows.sum() if self.counts is None else self.counts[rows].sum())

    def paired(self, a: int, b: int) -> CellPairs:
        """Return the samples of two models, counted by cell unless they have weights or groups."""
        if self.weights is None and self.groups is None:
            size = len(self.tables[b].rows)
            keys, place = code_integers(self.cells[a] * size + self.cells[b])
            n = np.bincount(place, self.counts).astype(np.float64)
            return CellPairs(*np.divmod(keys, size), n, np.ones(len(keys)))
        ones = np.ones(len(self.references))
        counts, weights = (ones if x is None else x for x in (self.counts, self.weights))
        return CellPairs(self.cells[a], self.cells[b], counts, weights, self.groups)


def read_samples(
    y_true: Any, answers: dict[str, Any], beside: dict[str, Any], *options: Any
) -> Samples:
    """Return the samples of some models, whose answers are given by argument.

    `beside` may have counts, sample_weight and groups; the options are labels, ignore_index and
    unknown.
    """
    (column, *columns), task = read_sides({"y_true": y_true, **answers}, *options, **beside)
    size, codes = len(column), None
    weights, n = (_of_each(size, name, beside.get(name)) for name in ("sample_weight", "counts"))
    n = None if n is None else read_whole(n)
    amounts = [x for x in (weights, n) if x is not None]
    kept = task.counted(column, np.minimum.reduce(amounts) if amounts else None)
    if beside["groups"] is not None:
        names = read_quickly(beside["groups"], "groups")
        if len(names) != size:
            raise ValueError(
                f"`groups` must name a group for each row, got {len(names)} for {size} rows"
            )
        named = common_codes(names, names)[1]  # in the order of their names, not of the rows
        codes = np.unique(named[kept], return_inverse=True)[1]
        if not codes.any():
            raise ValueError("`groups` must name at least two groups, got one")
    column, *columns = (side[kept] for side in (column, *columns))
    weights = None if weights is None else weights[kept].astype(np.float64)
    n = None if n is None else n[kept]
    task, tables = task._replace(ignored=None), []
    for name, side in zip(answers, columns, strict=True):
        if n is None:
            table = ContingencyTable._of_columns(column, side, task, weights)
        else:
            sums = {"counts": n}
            if weights is not None:
                sums = {"counts": n * weights, "squared_weights": n * weights**2, "n_samples": n}
            table = ContingencyTable._of_counts(column, side, task, **sums)
        warn_of_table(table, ("y_true", name), unknown=task.unknown)
        tables.append(table)
    position = {label: code for code, label in enumerate(ContingencyTable.sum_of(tables).labels)}
    cells, coded, k = [], [], len(position)
    for table, side in zip(tables, columns, strict=True):
        found, r, x = common_codes(column, side)
        # every answer outside the declared classes is the same wrong answer
        code = np.array([position.get(label, k - 1) for label in found], dtype=np.int64)
        own = np.array([position[label] for label in table.labels])
        there = own[table.rows] * k + own[table.columns]
        cells.append(np.searchsorted(there, code[r] * k + code[x]))
        coded.append(code[x])
    return Samples(tables, cells, code[r], coded, n, weights, codes)


def table_in_groups(
    y_true: Any, y_pred: Any, groups: Any, labels: Any, sample_weight: Any, *options: Any
) -> tuple[ContingencyTable, CellPairs]:
    """Return the table of one model's answers, and its samples in groups."""
    beside = {"sample_weight": sample_weight, "groups": groups}
    samples = read_samples(y_true, {"y_pred": y_pred}, beside, labels, *options)
    return samples.tables[0], samples.paired(0, 0)


def check_groups_have_level(confidence_level: float | None) -> None:
    """Raise ValueError if there are groups, and no level of the intervals that they are for."""
    if confidence_level is None:
        raise ValueError("`groups` are for intervals: give a `confidence_level` such as 0.95")


def _of_each(n_rows: int, name: str, given: Any) -> Numbers | None:
    """Return a number for each row, None if none are given."""
    values = None if given is None else read_amounts(given, name)
    if values is not None and values.shape != (n_rows,):
        raise ValueError(
            f"`{name}` must hold a number for each row, got an array of shape {values.shape} "
            f"for {n_rows} rows"
        )
    return values
