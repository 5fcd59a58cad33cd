"""Contingency tables by slice, for example one per type of question, counted in one pass.

Tested in tests/test_slices.py.
"""

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np

from ..core.labels import Column, Label, Numbers, merged, read_column, show
from ..core.table import Cells, Task, count_pairs, read_weights, sum_by
from .containers import code_integers, coded, read_quickly
from .contingency import ContingencyTable

Slice: TypeAlias = Label | tuple[Label, ...]
"""The name of a slice: a label, or a tuple with one label per column."""


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
    (values, codes), *others = map(_codes, read.values())
    names: list[Any] = [(value,) for value in values]
    for values, column_codes in others:
        fused, codes = code_integers(np.asarray(codes, np.int64) * len(values) + column_codes)
        places = (divmod(code, len(values)) for code in fused.tolist())
        names = [(*names[i], values[j]) for i, j in places]
    return Column(codes, names)


def _codes(column: Column) -> tuple[Sequence[Label], Numbers]:
    """Return labels, some maybe unused, and each sample's position among them."""
    bits = -1 if column.values is not None else int(np.bitwise_or.reduce(column.codes, initial=0))
    # small integers as they stand: three such columns make a table of 2**21 cells
    return (range(bits + 1), column.codes) if 0 <= bits < 2**7 else coded(column)


def read_name(name: Any) -> Slice:
    """Return the name of a slice, or raise ValueError unless it is a label or a tuple of labels."""
    parts = name if isinstance(name, tuple) else (name,)
    labels = tuple(read_column([label], "tables").example() for label in parts)
    return labels if isinstance(name, tuple) else labels[0]


def in_order(tables: Mapping[Slice, Any]) -> dict[Slice, Any]:
    """Return what there is for each slice, sorted by name."""
    try:
        return {name: tables[name] for name in sorted(tables)}
    except TypeError:
        first, *_, last = sorted(tables, key=repr)
        raise ValueError(
            f"`by` must hold labels of one type, got {show(first)} and {show(last)}: convert some"
        ) from None


def count_slices(
    references: Column,
    predictions: Column,
    by: Any,
    task: Task,
    sample_weight: Any = None,
    counts: Numbers | None = None,
    squares: Numbers | None = None,
) -> dict[Slice, ContingencyTable]:
    """Return the tables of two columns by slice, in order; those without samples are left out.

    With `counts` each row stands for so many samples, as a GROUP BY returns them, each of its
    weight; with sums of squared weights too, the weights are the sums of those of its samples.
    """
    slices = slice_column(by, len(references))
    weights = None if sample_weight is None else read_weights(sample_weight, len(references))
    amounts = [x for x in (weights, counts) if x is not None]
    used = task.counted(references, np.minimum.reduce(amounts) if amounts else None)
    columns = (column[used] for column in (slices, references, predictions))
    (names, s), (r_values, r), (p_values, p) = map(_codes, columns)
    weights, counts, squares = (None if x is None else x[used] for x in (weights, counts, squares))
    if counts is None:
        # slice and reference are fused into one code, which is counted in pairs with the prediction
        fused = s.astype(np.int64) * len(r_values) + r
        values, cells = count_pairs(Column(fused), Column(p), weights)
        codes = np.asarray(values)
        of_cells, rows = np.divmod(codes[cells.rows], len(r_values))
        cells = cells._replace(rows=rows, columns=codes[cells.columns])
        n_samples = np.bincount(s)
    else:
        of_cells, cells = s, Cells(r, p, counts)
        if weights is not None and squares is None:
            cells = Cells(r, p, counts * weights, counts * weights**2)
        elif weights is not None:
            cells = Cells(r, p, weights, squares)
        n_samples = sum_by(s, counts, len(names))

    labels, (to_row, to_column) = merged(r_values, p_values)
    cells = cells._replace(rows=to_row[cells.rows], columns=to_column[cells.columns])
    order = np.argsort(of_cells, kind="stable")
    present, starts = np.unique(of_cells[order], return_index=True)
    tables = {}
    for code, places in zip(present.tolist(), np.split(order, starts[1:]), strict=True):
        own = Cells(*(None if x is None else x[places] for x in cells))  # type: ignore[arg-type]
        tables[names[code]] = ContingencyTable._of_task(labels, own, task, int(n_samples[code]))
    return in_order(tables)
