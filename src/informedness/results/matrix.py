"""A contingency table as a prompt and a notebook show it."""

import numpy as np

from ..core.labels import Numbers
from ..core.table import Table
from .layout import WIDTH, Result, Rows
from .text import cut_apart, samples, shown

_MOST_CLASSES = 20


class Matrix(Result):
    """The cells of the classes with the most references, as many as fit a terminal."""

    def __init__(self, table: Table) -> None:
        self.table = table
        self._n_classes = len(table.labels) - (table.labels[-1] is None)
        self.n_shown = min(self._n_classes, _MOST_CLASSES)
        while self.n_shown > 1 and self._width() > WIDTH:
            self.n_shown -= 1

    def _width(self) -> int:
        (rows,) = self.text_tables()
        return sum(max(map(len, column)) + 2 for column in zip(*rows, strict=True)) - 2

    def text_tables(self) -> list[Rows]:
        """Return the cells below the predictions and beside the references."""
        labels = self.table.labels
        rows, columns, cells = most_frequent(self.table, self.n_shown)
        names = cut_apart([shown(labels[code]) for code in rows], 12)
        heads = [*names, *(shown(labels[code]) for code in columns[len(rows) :])]
        number = ",.6g" if self.table.is_weighted else ",.0f"
        named = zip(names, cells, strict=True)
        body = [[name, *(f"{x:{number}}" for x in row)] for name, row in named]
        return [[["", *heads], *body]]

    def text_lines(self) -> list[str]:
        """Return what stands in rows and columns, and how much of the table is shown."""
        lines = [f"{samples(self.table.n_samples)}: rows are references, columns are predictions"]
        if self.n_shown < self._n_classes:
            lines.append(
                f"{self.n_shown} of {self._n_classes} classes, the ones with the most references"
            )
        return lines


def most_frequent(table: Table, n: int) -> tuple[list[int], list[int], Numbers]:
    """Return rows, columns and cells of the n classes with the most references, in their order.

    The columns end with that of the answers outside of all classes, if there are such.
    """
    n_classes = len(table.labels) - (table.labels[-1] is None)
    order = np.argsort(-table.reference_totals[:n_classes], kind="stable")
    rows: list[int] = sorted(order[:n].tolist())
    columns = [*rows, *range(n_classes, len(table.labels))]
    kept = np.isin(table.rows, rows) & np.isin(table.columns, columns)
    cells = np.zeros((len(rows), len(columns)))
    places = np.searchsorted(rows, table.rows[kept]), np.searchsorted(columns, table.columns[kept])
    cells[places] = table.counts[kept]
    return rows, columns, cells
