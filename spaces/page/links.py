"""What holds a state of the page: addresses, and lines of Python.

/?class=ham&class=spam&counts=90,0,10,0 has the counts row by row; with `pairs`, they are those of
the references and the predictions of two models.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any
from urllib.parse import urlencode

import numpy as np
from data import table_of_matrix
from limits import LEVEL, LEVELS, MAX_GRID, MAX_LINK, MAX_ROWS, METRIC, Refusal

from informedness import ContingencyTable

NO_LINK = (
    f"There is no link to this result: a link holds whole counts of at most {MAX_GRID} classes, in "
    f"at most {MAX_LINK:,d} characters"
)


def _query(labels: Sequence[Any], counts: Any, **more: str) -> str:
    """Return the query that holds counts, or a sentence saying why there is none."""
    query = [("class", label) for label in labels]
    query += [("counts", ",".join(map(str, counts.ravel().tolist()))), *more.items()]
    link = "?" + urlencode(query, safe=",")
    is_short = len(labels) <= MAX_GRID and len(link) <= MAX_LINK
    return link if counts.dtype.kind == "i" and is_short else NO_LINK


def link_of(table: ContingencyTable, average: str = "default", level: float = 0.95) -> str:
    """Return the query that holds a table, or a sentence saying why there is none."""
    if len(table.labels) > MAX_GRID:
        return NO_LINK
    more = {} if table.declared else {"observed": "1"}
    more |= {"average": average} if average != "default" else {}
    more |= {"level": str(level)} if level != LEVEL else {}
    return _query(table.labels, table.to_dense(), **more)


def settings_of_link(query: Any) -> dict[str, Any]:
    """Return the average and the level of a result in a link."""
    level = query.get("level", str(LEVEL))
    if level not in map(str, LEVELS):
        raise Refusal(f"Level must be one of {', '.join(map(str, LEVELS))} in a link, got {level}.")
    return {"average": query.get("average", "default"), "level": float(level)}


def link_of_models(columns: Sequence[Sequence[Any]]) -> str:
    """Return the query that holds references and the predictions of two models, as `link_of`."""
    labels = sorted({label for column in columns for label in column})
    if len(labels) > MAX_GRID:
        return NO_LINK
    n_samples = Counter(zip(*columns, strict=True))
    counts = [n_samples[answers] for answers in product(labels, repeat=len(columns))]
    return _query(labels, np.array(counts), tab="compare")


def _counts_of(query: Any, n_sides: int) -> tuple[list[str], list[int]]:
    """Return the classes and the counts that a query holds."""
    classes, written = query.getlist("class"), query.get("counts", "")
    if len(classes) > MAX_GRID or len(written) > MAX_LINK:
        raise Refusal(f"A link can hold at most {MAX_GRID} classes and {MAX_LINK:,d} characters.")
    if not classes:
        raise Refusal("The link has counts, but no classes.")
    n_counts = len(classes) ** n_sides
    numbers = written.split(",")
    if len(numbers) != n_counts or not all(re.fullmatch("[0-9]{1,18}", n) for n in numbers):
        raise Refusal(f"The link must hold {n_counts} counts, one for each pair of its classes.")
    return classes, list(map(int, numbers))


def table_of_link(query: Any) -> ContingencyTable | None:
    """Return the table that a query holds, None if it holds none."""
    if not ("class" in query or "counts" in query) or query.get("tab") == "compare":
        return None
    classes, counts = _counts_of(query, 2)
    matrix = np.reshape(counts, (len(classes), -1)).tolist()
    return table_of_cells(classes, matrix, is_observed="observed" in query)


def table_of_cells(
    classes: list[str], matrix: list[list[int]], is_observed: bool
) -> ContingencyTable:
    """Return the table of a matrix, whose classes are those of the references if `is_observed`."""
    table = table_of_matrix(matrix, classes)
    if is_observed:
        labels = [label for label in table.labels for _ in table.labels]
        table = ContingencyTable.from_counts(
            references=labels, predictions=classes * len(classes), counts=np.ravel(matrix).tolist()
        )
    return table


def columns_of_link(query: Any) -> list[list[str]] | None:
    """Return the references and the predictions of two models in a query, None if it has none."""
    if query.get("tab") != "compare" or "counts" not in query:
        return None
    classes, counts = _counts_of(query, 3)
    if sum(counts) > MAX_ROWS:
        raise Refusal(f"A link can hold at most {MAX_ROWS:,d} samples.")
    places = np.repeat(np.arange(len(counts)), counts)
    sides = np.unravel_index(places, (len(classes),) * 3)
    return [[classes[code] for code in side.tolist()] for side in sides]


# The same in Python


def code_of(table: ContingencyTable, average: str = "default", level: float = 0.95) -> str:
    """Return lines of Python with the counts of a table; empty if it has too many."""
    if len(table.labels) > MAX_GRID or len(link_of(table)) > MAX_LINK:
        return ""
    labels, matrix = list(table.labels), table.to_dense().tolist()
    if table.declared:
        constructor = f"from_matrix({matrix}, labels={labels})"
    else:
        cells = zip(table.rows.tolist(), table.columns.tolist(), table.counts.tolist(), strict=True)
        r, p, n = zip(*((labels[i], labels[j], n) for i, j, n in cells), strict=True)
        constructor = f"from_counts(\n    references={[*r]}, predictions={[*p]}, counts={[*n]}\n)"
    options = "" if table.is_weighted else f", confidence_level={level}"
    options += "" if average == "default" else f', average="{average}"'
    return (
        "from informedness import ContingencyTable, report\n"
        f"table = ContingencyTable.{constructor}\n"
        f"print(report(table{options}))"
    )


def code_of_models(columns: Sequence[Sequence[Any]]) -> str:
    """Return lines of Python that compare these columns; empty if they are too many."""
    if not link_of_models(columns).startswith("?"):
        return ""
    n_samples = Counter(zip(*columns, strict=True))
    rows = [(*answers, n) for answers, n in sorted(n_samples.items())]
    return (
        "from informedness import compare\n"
        f"rows = {rows}\n"
        "print(compare(*zip(*(row[:3] for row in rows for _ in range(row[3]))), "
        f'metric="{METRIC}"))'
    )
