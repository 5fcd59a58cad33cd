"""Tables of samples that tests hold by position, and scores of tables by name."""

from typing import Any

from informedness import ContingencyTable
from informedness.inference.registry import SCORES, score_with_average
from informedness.inference.score import signature_of

table_of = ContingencyTable.from_matrix
THREE = [[20, 3, 1], [4, 9, 0], [2, 2, 6]]


def weighted(matrix: Any) -> tuple[list[int], list[int], list[float]]:
    """Return labels and weights of samples: four weights in turn, cell by cell."""
    cells = [(i, j) for i, row in enumerate(matrix) for j, n in enumerate(row) for _ in range(n)]
    references, predictions = map(list, zip(*cells, strict=True))
    return references, predictions, ([0.5, 0.25, 1.5, 2.75] * len(cells))[: len(cells)]


def table_of_labels(references: Any, predictions: Any, **options: Any) -> ContingencyTable:
    """Return the table of samples."""
    return ContingencyTable.from_labels(references=references, predictions=predictions, **options)


def table_of_pairs(
    references: Any, predictions: Any, counts: Any, **options: Any
) -> ContingencyTable:
    """Return the table of pairs of a reference and a prediction, and how often each occurs."""
    return ContingencyTable.from_counts(
        references=references, predictions=predictions, counts=counts, **options
    )


def score_of(
    table: ContingencyTable, metric: str, *, average: Any = "default", **options: Any
) -> Any:
    """Return a score of a table by its name."""
    return score_with_average(metric, average).value(table, **options)


def signature(table: Any, name: str, average: Any = "default", **options: Any) -> str:
    """Return the signature of a score of a table, or of what has another name."""
    if name in SCORES:
        return score_with_average(name, average).signature(table, **options)
    return signature_of(name, table, **options)
