"""Prepare the drawings of a table: its cells, its most confused pairs, a bar for each class."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from informedness import ContingencyTable
from informedness.tables.matrix import most_frequent_classes
from informedness.text.render import rounded, shown

SLANTED = 5  # classes; with this many, column names are upright
MOST_CELLS = 30  # classes along a side; if there are more, the commonest ones
MOST_BARS = 20  # classes with a bar each, likewise


def heat_map(table: ContingencyTable, per_class: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Prepare the drawing of a table: counts, their shares of the row, and confused pairs.

    Its margins show the recall and the false positive rate of each class.
    """
    rates = {x["label"]: [rounded(x[name], 3) for name in ("tpr", "fpr")] for x in per_class}
    codes, labels, counts = most_frequent_classes(table, MOST_CELLS)
    totals = table.reference_totals[codes].tolist()
    cells = [
        [(count, count / total if total else 0.0) for count in row]
        for row, total in zip(counts.astype(table.counts.dtype).tolist(), totals, strict=True)
    ]
    return {
        "k": table.n_classes,
        "names": list(map(shown, labels)),
        "cells": cells,
        "rates": rates,
        "margins": [rates.get(label, ("", "")) for label in labels],
        "upright": len(labels) >= SLANTED,
        "confused": confused_pairs(table) if len(labels) >= SLANTED else [],
    }


def confused_pairs(table: ContingencyTable) -> list[tuple[str, str, Any, Any]]:
    """Find the eight largest cells off the diagonal: both classes, count and total of the row."""
    wrong = np.flatnonzero((table.rows != table.columns) & (table.counts > 0))
    totals = table.reference_totals[table.rows]
    largest = wrong[np.lexsort((totals[wrong], -table.counts[wrong]))[:8]]
    of_cells = (table.rows, table.columns, table.counts, totals)
    cells = zip(*(values[largest].tolist() for values in of_cells), strict=True)
    return [(shown(table.labels[i]), shown(table.labels[j]), n, total) for i, j, n, total in cells]


def class_bars(per_class: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """List Informedness and rates by class; if there are many classes, of the commonest ones."""
    both = [row["prevalence"] + row["bias"] for row in per_class]
    commonest = np.sort(np.argsort(np.negative(both), kind="stable")[:MOST_BARS]).tolist()
    return {"n_classes": len(both), "rows": [per_class[number] for number in commonest]}
