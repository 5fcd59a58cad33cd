"""What files and data frames share: columns, nulls, and counts of pairs that become a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .coding import Column, Label
from .contingency import ContingencyTable
from .reading import check_choice, check_same_kind, read_classes, read_column, warn_of_padding


def check_columns(names: Mapping[str, str], present: Sequence[str]) -> None:
    """Raise ValueError unless each of `names`, by argument, is the name of one column."""
    for argument, name in names.items():
        if present.count(name) != 1:
            there = "stands twice" if name in present else "is not there"
            raise ValueError(
                f"`{argument}`: column {name!r} {there}: "
                f"the columns are {', '.join(map(repr, present))}"
            )


def check_nulls(names: Mapping[str, str], nulls: Mapping[str, int], n_rows: int) -> None:
    """Raise ValueError if a column has nulls, whose numbers are in `nulls` by argument."""
    found = [
        f"`{argument}` must have a value in every row, got None (null) in {n} of {n_rows} rows of "
        f"column {names[argument]!r}"
        for argument, n in nulls.items()
        if n
    ]
    if found:
        raise ValueError(
            f"{'; '.join(found)}: drop_null=True (--drop-null) leaves out rows with missing values"
        )


def check_options(labels: Any, unknown: str) -> None:
    """Raise ValueError unless `unknown` has a value it can have beside `labels`."""
    check_choice("unknown", unknown, ("error", "wrong"))
    if unknown == "wrong" and labels is None:
        raise ValueError(
            '`unknown` can be "wrong" only beside `labels`, the classes that are known'
        )


def check_samples(n_samples: int, n_rows: int) -> None:
    """Raise ValueError if no sample is left of so many rows."""
    if not n_samples:
        dropped = ", and none is left without the ignored and weightless ones" if n_rows else ""
        raise ValueError(f"there must be a sample to score, got {n_rows} samples{dropped}")


def is_scored(references: Column, ignore_index: Label | None) -> NDArray[np.bool_]:
    """Return for each reference whether it is another label than `ignore_index`."""
    if ignore_index is None:
        return np.broadcast_to(np.True_, len(references))
    ignored = read_column([ignore_index], "ignore_index")
    check_same_kind(references, "references", ignored, "ignore_index")
    label = ignored.example()
    if references.values is None:
        return np.asarray(references.codes != label)
    values = np.array([value != label for value in references.values], dtype=np.bool_)
    return np.asarray(values[references.codes])


def warn_of_padded(table: ContingencyTable, ignore_index: Label | None) -> None:
    """Warn, once for all data, if -100 is among the references and nobody spoke of it."""
    if ignore_index is None and not table.declared:
        warn_of_padding([label for label in table.labels if label is not None], table.rows)


def table_from_pairs(
    references: Column,
    predictions: Column,
    counts: Any,
    *,
    squared_weights: Any,
    n_samples: int,
    labels: Any,
    unknown: str,
) -> ContingencyTable:
    """Return the table of counted pairs, none of them 0, with `unknown` as in `from_labels`."""

    def count(columns: Any, labels: Any) -> ContingencyTable:
        table = ContingencyTable.from_counts(
            references, columns, counts, labels=labels, squared_weights=squared_weights
        )
        return replace(table, n_samples=n_samples)

    if unknown == "wrong":
        known = read_classes(labels, references)
        outside = {*predictions.tolist()} - {*known}
        if outside and not outside & {*references.tolist()}:
            # One prediction from outside stands for them all: a last class, written None.
            other = min(outside)
            columns = [other if label in outside else label for label in predictions.tolist()]
            return replace(count(columns, [*known, other]), labels=(*known, None))
    return count(predictions, labels)
