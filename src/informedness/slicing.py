"""Contingency tables by slice, for example one per type of question, counted in one pass."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from .contingency import ContingencyTable
from .core.labels import Codes, Column, Label, Numbers, merged
from .core.table import Cells, Task, count_pairs, counted_samples, sum_by
from .inputs.containers import coded, read_quickly

Slice: TypeAlias = Label | tuple[Label, ...]
"""The name of a slice: a label, or a tuple with one label per column."""


class SlicedCells(NamedTuple):
    """The cells of the tables of all slices, ordered by slice, row and column."""

    names: Sequence[Slice]
    labels: Sequence[Label]
    slices: Codes
    cells: Cells
    n_samples: Numbers | None
    """Per slice; None if unknown."""


def slice_column(by: Any, n_samples: int | None = None) -> Column:
    """Return the slice of each sample, from one column of names or a mapping of several.

    Raises
    ------
    ValueError
        If a column holds something that is not a label, or the lengths differ.
    """
    columns = by if isinstance(by, Mapping) else {"by": by}
    if not columns:
        raise ValueError("`by` must name at least one column, got none")
    read = {name: read_quickly(column, str(name)) for name, column in columns.items()}
    for name, column in read.items():
        if n_samples is not None and len(column) != n_samples:
            raise ValueError(
                f"`by` must have a value for each sample, got {len(column)} in {name!r} for "
                f"{n_samples} samples"
            )
    if not isinstance(by, Mapping):
        return read["by"]
    names: list[tuple[Any, ...]] = [()]
    codes: Numbers = np.zeros(len(next(iter(read.values()))), dtype=np.int64)
    for column in read.values():
        values, of_column = coded(column)
        found, fused = np.unique(codes * len(values) + of_column, return_inverse=True)
        labels = _plain(values)
        pairs = zip(*np.divmod(found, len(labels)), strict=True)
        names, codes = [(*names[i], labels[j]) for i, j in pairs], fused
    plain: Any = [
        tuple(x.item() if isinstance(x, np.generic) else x for x in name) for name in names
    ]
    return Column(codes, plain)


def count_slices(
    references: Column, predictions: Column, by: Any, task: Task, sample_weight: Any = None
) -> SlicedCells:
    """Return the cells of all slices of two columns, leaving out ignored samples.

    Slice and reference are fused into one code, which is counted in pairs with the prediction.
    """
    slices = slice_column(by, len(references))
    keep, weights = counted_samples(references, task, sample_weight)
    if keep is not None:
        slices, references, predictions = slices[keep], references[keep], predictions[keep]
    (names, s), (r_values, r), (p_values, p) = map(coded, (slices, references, predictions))
    fused = np.asarray(s, dtype=np.int64) * len(r_values) + r
    values, cells = count_pairs(Column(fused), Column(p), weights)
    codes = np.asarray(values)
    of_cells, rows = np.divmod(codes[cells.rows], len(r_values))
    labels, (to_row, to_column) = merged(r_values, p_values)
    cells = cells._replace(rows=to_row[rows], columns=to_column[codes[cells.columns]])
    n_samples = np.bincount(s, minlength=len(names))
    return _in_order(SlicedCells(_plain(names), labels, of_cells, cells, n_samples))


def sliced_counts(
    slices: Column,
    references: Column,
    predictions: Column,
    amounts: Numbers,
    squares: Numbers | None,
    samples: Numbers | None,
) -> SlicedCells:
    """Return the cells of counts made elsewhere, for example by a GROUP BY."""
    (names, s), (r_values, r), (p_values, p) = map(coded, (slices, references, predictions))
    labels, (to_row, to_column) = merged(r_values, p_values)
    n_samples = None if samples is None else sum_by(s, samples.astype(np.int64), len(names))
    cells = Cells(to_row[r], to_column[p], amounts, squares)
    return _in_order(SlicedCells(_plain(names), labels, np.asarray(s, np.int64), cells, n_samples))


def merge_slices(parts: Sequence[SlicedCells]) -> SlicedCells:
    """Merge the cells of several parts of the samples."""
    names, to_slice = merged(*(part.names for part in parts))
    labels, to_label = merged(*(part.labels for part in parts))
    together = list(zip(parts, to_slice, to_label, strict=True))
    squares = [part.cells.squares for part in parts]
    cells = Cells(
        np.concatenate([code[part.cells.rows] for part, _, code in together]),
        np.concatenate([code[part.cells.columns] for part, _, code in together]),
        np.concatenate([part.cells.counts for part in parts]),
        None if any(x is None for x in squares) else np.concatenate(squares),  # type: ignore[arg-type]
    )
    slices = np.concatenate([code[part.slices] for part, code, _ in together])
    n_samples: Numbers | None = np.zeros(len(names), dtype=np.int64)
    for part, code, _ in together:
        if n_samples is not None and part.n_samples is not None:
            n_samples[code] += part.n_samples
        else:
            n_samples = None
    return _in_order(SlicedCells(names, labels, slices, cells, n_samples))


def tables_of(sliced: SlicedCells, task: Task) -> dict[Slice, ContingencyTable]:
    """Return the tables by slice, sorted by name, with the classes of the task.

    A slice whose samples are all ignored is left out.
    """
    starts = np.searchsorted(sliced.slices, np.arange(len(sliced.names) + 1)).tolist()
    tables = {}
    for code in sorted(range(len(sliced.names)), key=lambda code: sliced.names[code]):
        part = slice(starts[code], starts[code + 1])
        cells = Cells(*(None if x is None else x[part] for x in sliced.cells))  # type: ignore[arg-type]
        if not len(cells.rows):  # all of it is ignored
            continue
        n = None if sliced.n_samples is None else int(sliced.n_samples[code])
        if cells.counts.dtype.kind == "i":
            n = int(cells.counts.sum())
        tables[sliced.names[code]] = ContingencyTable.of_task(sliced.labels, cells, task, n)
    return tables


def _plain(names: Any) -> list[Any]:
    return names.tolist() if isinstance(names, np.ndarray) else list(names)


def _in_order(sliced: SlicedCells) -> SlicedCells:
    """Return the cells ordered by slice, row and column, with repeated ones added up."""
    k = len(sliced.labels)
    table = sliced.cells
    fused = (sliced.slices * k + table.rows) * k + table.columns
    if (fused[1:] > fused[:-1]).all():
        return sliced
    order = np.argsort(fused, kind="stable")
    starts = np.flatnonzero(np.diff(fused[order], prepend=-1))
    rest, columns = np.divmod(fused[order[starts]], k)
    slices, rows = np.divmod(rest, k)
    squares = table.squares
    cells = Cells(
        rows,
        columns,
        np.add.reduceat(table.counts[order], starts),
        None if squares is None else np.add.reduceat(squares[order], starts),
    )
    return sliced._replace(slices=slices, cells=cells)
