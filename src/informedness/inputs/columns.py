"""What files and data frames share: checks of columns and nulls, and the error of no samples."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any


def with_slices(names: Mapping[str, str], by: str | Sequence[str] | None) -> dict[str, str]:
    """Return names of columns by argument, those to slice by under "by", "by 2", "by 3"."""
    columns = [by] if isinstance(by, str) else [*(by or ())]
    if by is not None and not columns:
        raise ValueError("`by` must name at least one column, got none")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"`by` must name each column once, got {twice[0]!r} twice")
    return {**names, **{f"by {i}" if i > 1 else "by": x for i, x in enumerate(columns, start=1)}}


def slices_of(columns: Mapping[str, Any], names: Iterable[str]) -> Any:
    """Return the column to slice by, or if there are several, a mapping by argument."""
    found = {name: columns[name] for name in names if name.partition(" ")[0] == "by"}
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


def check_nulls(
    names: Mapping[str, str], nulls: Mapping[str, int], n_rows: int, *, empty_cells: bool = False
) -> None:
    """Raise ValueError if a column has nulls; `nulls` holds how many, by argument.

    With `empty_cells` they may be empty cells of text, which can be kept.
    """
    null = "None (null) or an empty cell" if empty_cells else "None (null)"
    found = [
        f"`{argument}` must have a value in every row, got {null} in {n} of {n_rows} rows of "
        f"column {names[argument]!r}"
        for argument, n in nulls.items()
        if n
    ]
    if found:
        keep = ", keep_empty=True (--keep-empty) reads empty cells as empty text"
        raise ValueError(
            f"{'; '.join(found)}: drop_null=True (--drop-null) leaves out rows with missing values"
            f"{keep if empty_cells else ''}"
        )


def without_views(column: Any) -> Any:
    """Return an Arrow array or chunked array with views of text as a dictionary of text.

    No version of pyarrow drops the nulls of views, none before 26 groups by them, and none before
    24 tells their bytes.
    """
    import pyarrow

    plain = {
        pyarrow.string_view(): pyarrow.large_string(),
        pyarrow.binary_view(): pyarrow.large_binary(),
    }
    if column.type in plain:
        column = column.dictionary_encode()
    if pyarrow.types.is_dictionary(column.type) and column.type.value_type in plain:
        text = plain[column.type.value_type]
        column = column.cast(pyarrow.dictionary(column.type.index_type, text))
    return column


def no_samples(n_rows: int) -> ValueError:
    """Return the error that none of so many rows is a sample to score."""
    dropped = ", and none is left: all are ignored, null or of weight 0" if n_rows else ""
    return ValueError(f"there must be a sample to score, got {n_rows} samples{dropped}")
