"""Write and read links to a state of the page, and write it as lines of Python.

/?class=ham&class=spam&counts=90,0,10,0 has the counts row by row. With tab=compare there is one
count for each triple of reference, prediction A and prediction B.
"""

import re
from collections import Counter
from collections.abc import Sequence
from itertools import product
from typing import Any
from urllib.parse import urlencode

import numpy as np
from data import Answers
from limits import LEVEL, MAX_GRID, MAX_LINK, MAX_ROWS, METRIC, Refusal

from informedness import ContingencyTable

NO_LINK = (
    "There is no link to this result: a link holds whole counts of at most "
    f"{MAX_GRID} classes that have names, in at most {MAX_LINK:,d} characters"
)


def _link(
    labels: Sequence[Any], counts: Any, more: Sequence[tuple[str, str]], average: str, level: float
) -> str:
    """Write counts as the query of a link, or a sentence saying why there is none."""
    if counts.dtype.kind != "i" or not {None, ""}.isdisjoint(labels):
        return NO_LINK
    query = [("class", label) for label in labels]
    query += [("counts", ",".join(map(str, counts.ravel().tolist()))), *more]
    query += [("average", average)] if average != "default" else []
    query += [("level", str(level))] if level != LEVEL else []
    link = "?" + urlencode(query, safe=",")
    return link if len(link) <= MAX_LINK else NO_LINK


def link_of(
    table: ContingencyTable,
    average: str = "default",
    level: float = LEVEL,
    axes: Sequence[str] = (),
) -> str:
    """Write a table as the query of a link, or a sentence saying why there is none."""
    if len(table.labels) > MAX_GRID:
        return NO_LINK
    more = [] if table.is_declared else [("observed", "1")]
    more += [("axis", axis) for axis in axes]
    return _link(table.labels, table.to_dense(), more, average, level)


def link_of_models(answers: Answers, average: str = "default", level: float = LEVEL) -> str:
    """Write references and predictions of two models as a query, as `link_of` does for a table."""
    names, classes = set[Any]().union(*answers.columns), answers.task_options.get("labels")
    if None in names or len(names) > MAX_GRID or set(classes or names) != names:
        return NO_LINK
    labels, n_samples = sorted(names), Counter(zip(*answers.columns, strict=True))
    counts = [n_samples[given] for given in product(labels, repeat=len(answers.columns))]
    return _link(labels, np.array(counts), [("tab", "compare")], average, level)


def settings_of_link(query: Any) -> dict[str, Any]:
    """Read the average and the level from a link."""
    level = float(query.get("level", LEVEL))
    return {"average": query.get("average", "default"), "level": level}


def _counts_of(query: Any, n_sides: int) -> tuple[list[str], list[int]]:
    """Read the classes and the counts from a query, for two or three columns of labels."""
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


def matrix_of_link(query: Any) -> tuple[list[str], list[list[int]], bool, list[str]] | None:
    """Read classes, counts, whether classes are declared, and axes; None without a matrix."""
    if not ("class" in query or "counts" in query) or query.get("tab") == "compare":
        return None
    classes, counts = _counts_of(query, 2)
    axes = query.getlist("axis")
    if len(axes) not in (0, 2):
        raise Refusal("A link must name both axes of its matrix, or none.")
    matrix = np.reshape(counts, (len(classes), -1)).tolist()
    return classes, matrix, "observed" not in query, axes


def columns_of_link(query: Any) -> list[list[str]] | None:
    """Read the references and the predictions of two models from a query; None without them."""
    if query.get("tab") != "compare" or "counts" not in query:
        return None
    classes, counts = _counts_of(query, 3)
    if sum(counts) > MAX_ROWS:
        raise Refusal(f"A link can hold at most {MAX_ROWS:,d} samples.")
    places = np.repeat(np.arange(len(counts)), counts)
    sides = np.unravel_index(places, (len(classes),) * 3)
    return [[classes[code] for code in side.tolist()] for side in sides]


# The same in Python


def code_of(table: ContingencyTable, average: str = "default", level: float = LEVEL) -> str:
    """Write Python code that scores the counts of a table; empty if it has too many."""
    if len(table.labels) > MAX_GRID:
        return ""
    names, counts = table.labels, table.counts.tolist()
    cells = zip(table.rows, table.columns, counts, strict=True)
    classes = f", labels={[x for x in names if x is not None]}" if table.is_declared else ""
    classes += ', unknown="wrong"' if None in names else ""
    options = "" if table.is_weighted else f", confidence_level={level}"
    options += "" if average == "default" else f', average="{average}"'
    return (
        "from informedness import ContingencyTable, report\n"
        f"rows = {[(names[i], names[j], n) for i, j, n in cells]}\n"
        'columns = dict(zip(("references", "predictions", "counts"), zip(*rows)))\n'
        f"table = ContingencyTable.from_counts(**columns{classes})\n"
        f"print(report(table{options}))"
    )


def code_of_models(answers: Answers, average: str = "default", level: float = LEVEL) -> str:
    """Write Python code that compares two models; empty if it is too long."""
    n_samples = Counter(zip(*answers.columns, strict=True))
    usual = {"labels": None, "unknown": "error", "average": "default", "confidence_level": LEVEL}
    options = {**answers.task_options, "average": average, "confidence_level": level}
    more = "".join(f", {name}={x!r}" for name, x in options.items() if x != usual[name])
    code = (
        "from informedness import compare\n"
        f"rows = {[(*given, n) for given, n in sorted(n_samples.items(), key=str)]}\n"
        "columns = zip(*(row[:3] for row in rows for _ in range(row[3])))\n"
        f"print(compare(*columns, metric={METRIC!r}{more}))"
    )
    return code if len(code) <= MAX_LINK else ""
