"""What files and data frames share: checks of columns and nulls, and the error of no samples."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Numbers
from ..core.table import read_amounts
from .nested import listed


class Batch(NamedTuple):
    """Some rows of a file, those with nulls left out."""

    columns: dict[str, Any]
    """Arrays of Arrow, or lists, by argument (references, predictions, weights)."""
    n_rows: int
    """Number of rows, those with nulls included."""
    nulls: dict[str, int]
    """Number of nulls by argument."""
    are_text: bool
    """Whether some of the nulls are empty cells, or text such as NA."""
    beside: Mapping[str, list[Any]] = {}
    """Values of the other columns of whole numbers, of formats that are read in objects."""


def named_columns(
    references: str,
    predictions: str,
    weights: str | None,
    counts: str | None,
    by: str | Sequence[str] | None,
) -> dict[str, str]:
    """Return names of columns by argument, those to slice by under "by", "by 2", "by 3"."""
    if weights is not None and counts is not None:
        raise ValueError(
            "`counts` are numbers of samples, and `weights` sums of their weights: give one of them"
        )
    columns = [by] if isinstance(by, str) else [*(by or ())]
    if by is not None and not columns:
        raise ValueError("`by` must name at least one column, got none")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"`by` must name each column once, got {twice[0]!r} twice")
    names = {"references": references, "predictions": predictions}
    names |= {f"by {i}" if i > 1 else "by": x for i, x in enumerate(columns, start=1)}
    amounts = {"weights": weights, "counts": counts}
    return names | {name: column for name, column in amounts.items() if column is not None}


def slices_of(columns: Mapping[str, Any]) -> Any:
    """Return the column to slice by, or if there are several, a mapping by argument."""
    found = {name: column for name, column in columns.items() if name.partition(" ")[0] == "by"}
    return found["by"] if len(found) == 1 else found


def check_columns(names: Mapping[str, str], present: Sequence[str]) -> None:
    """Raise ValueError unless each of `names`, by argument, is the name of one column."""
    for argument, name in names.items():
        if present.count(name) != 1:
            there = "occurs twice" if name in present else "does not exist"
            raise ValueError(
                f"`{argument}` names column {name!r}, which {there}; the columns are "
                f"{listed(present, name)}"
            )


def nulls_found(
    names: Mapping[str, str], nulls: Mapping[str, int], n_rows: int, *, as_text: bool = False
) -> str:
    """Return what to say of nulls in columns; `nulls` holds how many, by argument.

    With `as_text` they may be text, which can be kept.
    """
    null = "None (null), an empty cell or text such as NA" if as_text else "None (null)"
    keep = ", keep_missing=True reads such text as labels" if as_text else ""
    found = [
        f"`{argument}` must have a value in every row, got {null} in {n} of {n_rows} rows of "
        f"column {names[argument]!r}"
        for argument, n in nulls.items()
        if n
    ]
    return f"{'; '.join(found)}: drop_null=True leaves out rows with missing values{keep}"


def plain_column(column: Any) -> Any:
    """Return a chunked array of Arrow of which nulls can be seen, left out and grouped by.

    Runs are written out, and a null among the values of a dictionary becomes one of its rows. Views
    of text become dictionaries of text, not plain text, which may be many times larger: long labels
    share their bytes. No version of pyarrow drops the nulls of views, none before 26 groups by
    them, and none before 24 tells their bytes.
    """
    import pyarrow
    from pyarrow import compute, types

    if types.is_run_end_encoded(column.type):
        column = compute.run_end_decode(column)
    plain = {
        pyarrow.string_view(): pyarrow.large_string(),
        pyarrow.binary_view(): pyarrow.large_binary(),
    }
    if column.type in plain:
        column = column.dictionary_encode()
    if not types.is_dictionary(column.type):
        return column
    value_type = plain.get(column.type.value_type, column.type.value_type)
    column = column.cast(pyarrow.dictionary(pyarrow.int32(), value_type))
    if any(chunk.dictionary.null_count for chunk in column.chunks):
        column = column.cast(value_type).dictionary_encode()
    return column.unify_dictionaries()  # Arrow groups by only one dictionary


def are_one_of(texts: Collection[str], values: Any, ignore_case: bool = False) -> Any:
    """Return which values are one of these texts; `is_in` takes an array, which imports pandas."""
    from pyarrow import compute

    pattern = rf"\A(?:{'|'.join(map(re.escape, texts))})\z"
    return compute.match_substring_regex(values, pattern, ignore_case=ignore_case)


def no_samples(n_rows: int) -> ValueError:
    """Return the error that none of so many rows is a sample to score."""
    dropped = ", of which none is left: all are ignored, null or of weight 0" if n_rows else ""
    return ValueError(f"there must be a sample to score, got {n_rows} samples{dropped}")


def read_whole(values: Any) -> Numbers:
    """Return counts of samples as integers, from a column of files or frames.

    Raises
    ------
    ValueError
        If one is not a whole number from 0 on.
    """
    counts = read_amounts(values, "counts")
    if (broken := counts[counts != np.trunc(counts)]).size:
        raise ValueError(f"`counts` must be whole numbers of samples, got {broken[0]}")
    if counts.sum(dtype=float) >= 2**62:
        raise ValueError(f"`counts` must sum to less than 2**62, got {counts.sum(dtype=float):g}")
    return counts.astype(np.int64)
