"""Tables from labels and from a matrix, within the limits."""

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from limits import AT_HOME, MAX_CLASSES, MAX_LABEL, MAX_ROWS, Refusal

from informedness import ContingencyTable
from informedness.core.labels import Column, read_column
from informedness.errors import naming
from informedness.warnings import collected

ROLES = ("references", "predictions")


class Answers(NamedTuple):
    """References and the predictions of each model, what was read, warnings, and the classes.

    `counts` is a column that may hold how many samples each row stands for.
    """

    columns: Sequence[Sequence[Any]]
    account: str = ""
    notes: Sequence[Warning] = ()
    of_task: Mapping[str, Any] = {}
    counts: str | None = None


def check_labels(values: Any, name: str, may_lack: bool = False) -> Column:
    """Return labels as a column, within the limits."""
    if isinstance(values, list) and len(values) > MAX_ROWS:
        raise Refusal(
            f"At most {MAX_ROWS:,d} rows can be scored here, got {len(values):,d}. {AT_HOME}"
        )
    column = read_column(values, name, may_lack=may_lack)
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


def check_n_classes(k: int) -> None:
    """Refuse more classes than are scored here."""
    if k > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} classes can be scored here, got {k:,d}.")


def table_of_labels(
    references: Any, predictions: Any, labels: Any = None, unknown: str = "error", **more: Any
) -> ContingencyTable:
    """Return the table of two columns of labels, within the limits; `more` may be ignore_index."""
    columns: dict[str, Any] = {
        "references": check_labels(references, "references"),
        "predictions": check_labels(predictions, "predictions", unknown == "wrong"),
    }
    if labels is not None:
        columns["labels"] = check_labels(labels, "labels")
    check_n_classes(len({label for column in columns.values() for label in column.tolist()}))
    with collected():
        return ContingencyTable.from_labels(**columns, unknown=unknown, **more)


def tables_of_models(
    references: Any, predictions: Mapping[str, Any], **options: Any
) -> list[ContingencyTable]:
    """Return the table of each model; an error starts with the name of the model."""
    tables = []
    for name, column in predictions.items():
        with naming(name):
            tables.append(table_of_labels(references, column, **options))
    return tables


def table_of_matrix(matrix: Any, labels: Any = None) -> ContingencyTable:
    """Return the table of a confusion matrix (rows are references), within the limits."""
    rows = matrix if isinstance(matrix, list) else []  # others are refused below
    check_n_classes(k := len(rows))
    for i, row in enumerate(rows, start=1):
        if not isinstance(row, list) or len(row) != k:
            raise Refusal(f"The matrix must be square, but row {i} is no list of {k} counts.")
    classes = None if labels is None else check_labels(labels, "labels")
    return ContingencyTable.from_matrix(matrix, labels=classes)
