"""From samples of files and frames to tables, with what was read and what it warns of."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

import numpy as np

from ..contingency import ContingencyTable
from ..core.labels import NoSamplesError, merged
from ..core.table import Cells, Task
from ..slicing import Slice, count_slices, in_order, slice_column, sliced_counts
from .columns import DataError, naming, no_samples, slices_of
from .doubts import warn_of_table
from .read import sides_of
from .samples import Samples, first_of


def tables_of(samples: Samples, batches: Iterable[Mapping[str, Any]]) -> Any:
    """Return the table of the rows in some batches, or a table for each slice of them.

    Labels are counted as they are, and become classes in the end: which of them are known, and
    whether they are integers, can only be said of all.
    """
    sums: defaultdict[Slice, list[ContingencyTable]] = defaultdict(list)
    is_sliced = "by" in samples.names
    for rows in filter(None, batches):
        for name, table in _counted(rows, samples, is_sliced).items():
            # of many slices each sum would take longer than its cells
            _add(sums[name], table, 16 if is_sliced else 2)
    if not sums:
        samples.refuse()
        samples.refuse([no_samples(samples.n_rows)])
    with naming(first_of(samples.sources)):
        raw = {name: ContingencyTable.sum_of(parts) for name, parts in in_order(sums).items()}
    whole = ContingencyTable.sum_of(list(raw.values()))
    n_cells = sum(len(table.counts) for table in raw.values())
    end = samples.end(
        dict(zip(samples.labelled, sides_of(whole), strict=True)),
        lambda: 1 < (whole.n_samples or 0) == n_cells,
    )
    tables = {name: _renamed(table, end.integers) for name, table in raw.items()}
    if end.classes is not None:
        task = Task(tuple(end.classes), None, samples.options.unknown)
        try:
            _declared(_renamed(whole, end.integers), task)
        except ValueError as error:
            argument = "labels" if samples.options.choices is None else "choices"
            remedy = {} if "every reference" in str(error) else {"unknown": "wrong"}
            samples.refuse([DataError(str(error).replace("`labels`", f"`{argument}`"), remedy)])
        tables = {name: _declared(table, task) for name, table in tables.items()}
    tables = {name: replace(table, read=(end.read,)) for name, table in tables.items()}
    whole = ContingencyTable.sum_of(list(tables.values()))
    warn_of_table(whole, nulls_are_labels=samples.keep_missing)
    return tables if is_sliced else whole


def _counted(
    rows: Mapping[str, Any], samples: Samples, is_sliced: bool
) -> dict[Slice, ContingencyTable]:
    """Return the tables of a batch by slice, or its one table; none if no row of it counts."""
    r, p = rows["references"], rows["predictions"]
    task = Task(None, samples.ignored(r), "error")
    samples.note_dropped(r, task, rows)
    with suppress(NoSamplesError):
        by: Any = slices_of(rows) if is_sliced else np.zeros(len(r), np.int64)
        times, counts, weights = (rows.get(name) for name in ("times", "counts", "weights"))
        if times is None and counts is None:
            if is_sliced:
                return count_slices(r, p, by, task, weights)
            return {(): ContingencyTable._of_columns(r, p, task, weights)}
        n = times if counts is None else counts if times is None else times * counts
        sums: tuple[Any, Any, Any] = n, None, n
        if weights is not None:
            sums = n * weights, n * weights**2, n * (weights > 0)
        tables = sliced_counts(slice_column(by), r, p, sums, task)
        return tables if is_sliced else {(): tables[0]}
    return {}


def _add(tables: list[ContingencyTable], table: ContingencyTable, n: int) -> None:
    """Add a table to sums, `n` at a time, of which few have as many cells as those before."""
    tables.append(table)
    while len(tables) >= n and len(tables[-n].counts) <= 2 * len(table.counts):
        table = ContingencyTable.sum_of(tables[-n:])
        tables[-n:] = [table]


def _declared(table: ContingencyTable, task: Task) -> ContingencyTable:
    """Return a table of labels as one of the declared classes."""
    cells = Cells(table.rows, table.columns, table.counts, table.squared_weights)
    found: Any = table.labels
    return ContingencyTable._of_task(found, cells, task, table.n_samples)


def _renamed(table: ContingencyTable, names: Mapping[Any, int]) -> ContingencyTable:
    """Return a table with other labels for some, of which several may become one."""
    if not names:
        return table
    labels, (to,) = merged([names.get(label, label) for label in table.labels])
    cells = Cells(to[table.rows], to[table.columns], table.counts, table.squared_weights)
    return ContingencyTable._of_cells(tuple(labels), False, cells, table.n_samples)
