"""What files and data frames share: checks of columns and nulls, and the error of no samples."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypedDict

if TYPE_CHECKING:
    import re

    from typing_extensions import Required

    from ..core.labels import Label

    class FrameOptions(TypedDict, total=False):
        """Arguments of `table_from_frame`, without `by`, which decides what it returns."""

        references: Required[str]
        predictions: Required[str]
        weights: str | None
        labels: Sequence[Label] | None
        ignore_index: Label | None
        unknown: str
        drop_null: bool

    class FileOptions(FrameOptions, total=False):
        """And of `table_from_file`."""

        file_format: str | None
        numeric: bool
        extract: str | re.Pattern[str] | None
        choices: Sequence[str] | None
        keep_missing: bool


def named_columns(
    references: str, predictions: str, weights: str | None, by: str | Sequence[str] | None
) -> dict[str, str]:
    """Return names of columns by argument, those to slice by under "by", "by 2", "by 3"."""
    columns = [by] if isinstance(by, str) else [*(by or ())]
    if by is not None and not columns:
        raise ValueError("`by` must name at least one column, got none")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"`by` must name each column once, got {twice[0]!r} twice")
    names = {"references": references, "predictions": predictions}
    names |= {f"by {i}" if i > 1 else "by": x for i, x in enumerate(columns, start=1)}
    return names if weights is None else {**names, "weights": weights}


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
                f"`{argument}`: column {name!r} {there}: "
                f"the columns are {', '.join(map(repr, present))}"
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


def no_samples(n_rows: int) -> ValueError:
    """Return the error that none of so many rows is a sample to score."""
    dropped = ", and none is left: all are ignored, null or of weight 0" if n_rows else ""
    return ValueError(f"there must be a sample to score, got {n_rows} samples{dropped}")
