"""What files and data frames share: columns, nulls, and counts of pairs that become a table."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .contingency import ContingencyTable
from .reading import (
    Label,
    LabelArray,
    check_choice,
    check_same_kind,
    read_classes,
    read_labels,
    warn,
)


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


def is_scored(references: LabelArray, ignore_index: Label | None) -> NDArray[np.bool_]:
    """Return for each reference whether it is another label than `ignore_index`."""
    if ignore_index is None:
        return np.ones(len(references), dtype=bool)
    ignored = read_labels([ignore_index], "ignore_index")
    check_same_kind(references, "references", ignored, "ignore_index")
    return np.asarray(references != ignored[0])


def warn_of_padding(table: ContingencyTable, ignore_index: Label | None) -> None:
    """Warn, once for all data, if a reference is -100 where nobody said what that means."""
    if ignore_index is not None or table.declared or -100 not in table.labels:
        return
    if table.reference_totals[table.labels.index(-100)]:
        warn("-100 among the references counts as a class: ignore_index=-100 drops it")


def table_from_pairs(
    references: LabelArray,
    predictions: LabelArray,
    counts: Any,
    *,
    squared_weights: Any,
    n_samples: int | None,
    labels: Any,
    unknown: str,
) -> ContingencyTable:
    """Return the table of counted pairs, none of them 0, with `unknown` as in `from_labels`."""

    def count(predictions: LabelArray, labels: Any) -> ContingencyTable:
        table = ContingencyTable.from_counts(
            references, predictions, counts, labels=labels, squared_weights=squared_weights
        )
        return replace(table, n_samples=n_samples)

    if unknown == "wrong":
        known = dict.fromkeys(read_classes(labels, references))
        outside = np.array([label not in known for label in predictions.tolist()], dtype=bool)
        other = predictions[outside][:1]
        if len(other) and not (references == other).any():
            # One prediction from outside stands for them all: a last class, written None.
            table = count(np.where(outside, other, predictions), [*known, *other.tolist()])
            return replace(table, labels=(*known, None))
    return count(predictions, labels)
