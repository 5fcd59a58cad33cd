"""Tables from labels, from a matrix and from a link, within the limits."""

import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlencode

import charts
from limits import AT_HOME, MAX_CLASSES, MAX_GRID, MAX_LABEL, MAX_LINK, MAX_ROWS, Refusal

from informedness import ContingencyTable
from informedness.core.labels import Column, read_column

ROLES = ("references", "predictions")


def check_labels(values: Any, name: str) -> Column:
    """Return labels as a column, within the limits."""
    if isinstance(values, list) and len(values) > MAX_ROWS:
        raise Refusal(
            f"At most {MAX_ROWS:,d} rows can be scored here, got {len(values):,d}. {AT_HOME}"
        )
    column = read_column(values, name)
    texts = [label for label in column.tolist() if isinstance(label, str)]
    try:
        "".join(texts).encode()
    except UnicodeEncodeError:  # which no answer could send back
        raise Refusal(f"The {name} must be UTF-8 text, but one holds half a character.") from None
    longest = max(texts, key=len, default="")
    if len(longest) > MAX_LABEL:
        raise Refusal(
            f"A label can have at most {MAX_LABEL} characters, but one of the {name} has "
            f"{len(longest):,d}: {longest[:40]}..."
        )
    return column


def table_of_labels(references: Any, predictions: Any, labels: Any = None) -> ContingencyTable:
    """Return the table of two columns of labels, within the limits."""
    pair = check_labels(references, "references"), check_labels(predictions, "predictions")
    classes = None if labels is None else check_labels(labels, "labels")
    columns = pair if classes is None else (*pair, classes)
    if (k := len({label for column in columns for label in column.tolist()})) > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} classes can be scored here, got {k:,d}.")
    with charts.noting():
        return ContingencyTable.from_labels(references=pair[0], predictions=pair[1], labels=classes)


def tables_of_models(
    references: Any, predictions: Mapping[str, Any], labels: Any = None
) -> list[ContingencyTable]:
    """Return the table of each model; an error starts with the name of the model."""
    tables = []
    for name, column in predictions.items():
        try:
            tables.append(table_of_labels(references, column, labels))
        except ValueError as error:
            raise Refusal(f"{name}: {error}") from None
    return tables


def mostly_different(labels: Sequence[Any]) -> bool:
    """Return whether over half as many labels as samples are distinct, as with identifiers."""
    return len(labels) >= 10 and 2 * len({*labels}) > len(labels)


def table_of_matrix(matrix: Any, labels: Any = None) -> ContingencyTable:
    """Return the table of a confusion matrix (rows are references), within the limits."""
    rows = matrix if isinstance(matrix, list) else []  # others are refused below
    if (k := len(rows)) > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} classes can be scored here, got {k:,d}.")
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != k:
            raise Refusal(f"The matrix must be square, but row {i} is no list of {k} counts.")
    classes = None if labels is None else check_labels(labels, "labels")
    return ContingencyTable.from_matrix(matrix, labels=classes)


# Links: /?class=ham&class=spam&counts=90,0,10,0, the counts row by row


def link_of(table: ContingencyTable) -> str:
    """Return the query that holds a table, or a sentence saying why there is none."""
    query = [("class", label) for label in table.labels]
    query.append(("counts", ",".join(map(str, table.to_dense().ravel().tolist()))))
    if not table.declared:
        query.append(("observed", "1"))
    link = "?" + urlencode(query, safe=",")
    if len(table.labels) <= MAX_GRID and table.counts.dtype.kind == "i" and len(link) <= MAX_LINK:
        return link
    return (
        "There is no link to this result: a link holds whole counts of at most "
        f"{MAX_GRID} classes, in at most {MAX_LINK:,d} characters"
    )


def table_of_link(query: Any) -> ContingencyTable | None:
    """Return the table that a query holds, None if it holds none."""
    classes, counts = query.getlist("class"), query.get("counts", "")
    if not classes and not counts:
        return None
    if len(classes) > MAX_GRID or len(counts) > MAX_LINK:
        raise Refusal(f"A link can hold at most {MAX_GRID} classes and {MAX_LINK:,d} characters.")
    numbers = counts.split(",")
    k = len(classes)
    if k == 0:
        raise Refusal("The link has counts, but no classes.")
    if len(numbers) != k * k or not all(re.fullmatch("[0-9]{1,18}", n) for n in numbers):
        raise Refusal(f"The link must hold {k * k} counts, one for each pair of its classes.")
    matrix = [[int(n) for n in numbers[i * k : i * k + k]] for i in range(k)]
    table = table_of_matrix(matrix, classes)
    if "observed" in query:
        labels = [label for label in table.labels for _ in table.labels]
        table = ContingencyTable.from_counts(
            references=labels, predictions=classes * k, counts=[int(n) for n in numbers]
        )
    return table
