"""Data frames of any engine: the engine counts, and only the counts come back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import product
from typing import TYPE_CHECKING, Any, overload

import numpy as np

from ..contingency import ContingencyTable, read_counts
from ..core.labels import Label, NoSamplesError, show
from ..core.table import check_unknown, read_amounts, warn_of_padding
from ..inputs.containers import read_task
from ..slicing import Slice, slice_column, sliced_counts
from .columns import check_columns, named_columns, no_samples, nulls_found, plain_column, slices_of

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .columns import FrameOptions

_CANNOT_GROUP = (TypeError, NotImplementedError, UnicodeError)  # raised for what cannot be a key
_DATABASES = ("DUCKDB", "IBIS", "PYSPARK", "PYSPARK_CONNECT", "SQLFRAME")  # have collations
# A collation that ignores case, accents, trailing blanks or composition takes the two of a pair for
# equal.
_ALIKE = (("a", "A"), ("a", "á"), ("a", "a "), ("\u00e9", "e\u0301"))


@overload
def table_from_frame(
    frame: Any, *, by: None = ..., **options: Unpack[FrameOptions]
) -> ContingencyTable: ...
@overload
def table_from_frame(
    frame: Any, *, by: str | Sequence[str], **options: Unpack[FrameOptions]
) -> dict[Slice, ContingencyTable]: ...
def table_from_frame(
    frame: Any,
    *,
    references: str,
    predictions: str,
    weights: str | None = None,
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    drop_null: bool = False,
    by: str | Sequence[str] | None = None,
) -> ContingencyTable | dict[Slice, ContingencyTable]:
    """Return the contingency table of two columns of a data frame, counted where the data is.

    With `by`, return a table for each slice of the rows, counted in the same pass.

    Parameters
    ----------
    frame : data frame
        Any that narwhals supports: pandas, polars (eager or lazy), pyarrow, DuckDB relations, Ibis,
        Dask, PySpark; or a `datasets.Dataset`. One GROUP BY runs in that engine and returns one row
        per cell of the table.
    references, predictions, weights : str
        Names of the columns.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`.
    drop_null : bool
        Leave out rows with a null in one of the columns; by default nulls are an error.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Raises
    ------
    ValueError
        If a column does not exist, does not hold labels (numbers for `weights`), or has nulls; and
        for anything that `ContingencyTable.from_labels` refuses.
    ImportError
        If narwhals is missing.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"gold": ["a", "b", "a"], "model": ["a", "b", "b"]})
    >>> table = table_from_frame(frame, references="gold", predictions="model")
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    check_unknown(unknown, labels)
    names = named_columns(references, predictions, weights, by)
    cells = _count_in_engine(frame, names, drop_null)
    if weights is not None:
        for name in ("least", "weights", "squares"):  # a sum may hide a negative weight
            read_amounts(cells[name], "weights")
    counts = cells["rows" if weights is None else "weights"]
    try:
        r, p, task = read_task(
            cells["references"], cells["predictions"], labels, ignore_index, unknown
        )
        by_row = np.zeros(len(r), np.int64) if by is None else slices_of(cells)
        sums = read_counts(counts, cells.get("squares"), cells.get("samples"), len(r))
        tables = sliced_counts(slice_column(by_row), r, p, sums, task)
    except NoSamplesError:
        raise no_samples(sum(cells["rows"])) from None
    if by is not None:
        return tables
    warn_of_padding(tables[0], task)
    return tables[0]


def _count_in_engine(frame: Any, names: Mapping[str, str], drop_null: bool) -> dict[str, list[Any]]:
    """Return the number of rows of each pair of labels, and sums over its weights, as lists."""
    try:
        import narwhals as nw
    except ImportError as error:
        raise ImportError(
            "reading data frames needs narwhals: pip install 'informedness[frames]'"
        ) from error
    if hasattr(frame, "select_columns") and hasattr(frame, "with_format"):  # of `datasets`
        check_columns(names, frame.column_names)
        columns_of_dataset = list(dict.fromkeys(names.values()))
        frame = frame.select_columns(columns_of_dataset).with_format("arrow")[:]
    frame = nw.to_native(frame, pass_through=True)
    if nw.dependencies.is_pandas_like_dataframe(frame) or nw.dependencies.is_dask_dataframe(frame):
        check_columns(names, list(frame.columns))
        frame = frame[list(dict.fromkeys(names.values()))]  # the others may share a name
    elif nw.dependencies.is_pyarrow_table(frame):
        frame = _plain_arrow(frame, names)
    try:
        lazy = nw.from_native(frame).lazy()
    except TypeError as error:
        raise ValueError(
            "`frame` must be a data frame (pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark), "
            f"got {show(frame)}"
        ) from error
    schema = lazy.collect_schema()
    check_columns(names, schema.names())
    for role, name in names.items():
        dtype = schema[name]
        if dtype.is_nested():
            raise ValueError(f"`{role}` must be a column of labels, got {name!r} of {dtype}")
        if role == "weights" and not (dtype.is_numeric() or dtype == nw.Boolean):
            raise ValueError(f"`weights` must be a column of numbers, got {name!r} of {dtype}")
    keys = [role for role in names if role != "weights"]
    text = [role for role in keys if schema[names[role]] == nw.String]
    columns = {role: nw.col(name) for role, name in names.items()}
    if lazy.implementation is nw.Implementation.IBIS:
        # SQLite's collation belongs to the column, and not to what is computed from it
        columns |= {role: nw.concat_str(columns[role], nw.lit("")) for role in text}
    rows = lazy.select(*(column.alias(role) for role, column in columns.items()))
    if drop_null:
        rows = rows.drop_nulls()
    amounts = [nw.len().alias("rows")]
    if "weights" in names:
        weight = nw.col("weights").cast(nw.Float64)
        rows = rows.with_columns(
            weight,
            (weight * weight).alias("squares"),
            (weight != 0).cast(nw.Int64).alias("samples"),
            weight.is_null().cast(nw.Int64).alias("nulls"),
            weight.alias("least"),
        )
        amounts += [nw.col("weights", "squares", "samples", "nulls").sum(), nw.col("least").min()]
    merged: dict[str, Any] = {}
    if lazy.implementation.name in _DATABASES:
        for role, pair in product(text, _ALIKE):
            empty = nw.col(role).str.slice(0, 0)  # text that starts with it has the collation too
            first, second = (nw.concat_str(empty, nw.lit(one)) for one in pair)
            merged[role + pair[1]] = first == second
    try:
        grouped = rows.group_by(*keys, drop_null_keys=False).agg(*amounts)
        cells = grouped.select(nw.all(), **merged).collect()
    except _CANNOT_GROUP:
        for role in keys:
            try:
                rows.group_by(role, drop_null_keys=False).agg(nw.len().alias("rows")).collect()
            except _CANNOT_GROUP as error:
                raise ValueError(
                    f"`{role}` must be a column of labels, got {names[role]!r} of "
                    f"{schema[names[role]]}: {error}"
                ) from error
        raise
    for role, (a, b) in product(text if merged else (), _ALIKE):
        if True in cells[role + b].to_list():
            raise ValueError(
                f"`{role}`: the engine compares column {names[role]!r} with a collation that takes "
                f"{a!a} and {b!a} for equal, so labels would merge: select it with one that tells "
                'all text apart, for example COLLATE "C" in DuckDB or COLLATE UTF8_BINARY in Spark'
            )
    if drop_null:  # an engine may not have seen a null among the values of a dictionary
        cells = cells.drop_nulls(keys)
    nulls = {role: int(cells.filter(nw.col(role).is_null())["rows"].sum()) for role in keys}
    if "weights" in names:
        nulls["weights"] = int(cells["nulls"].sum())
    if any(nulls.values()):
        raise ValueError(nulls_found(names, nulls, int(cells["rows"].sum())))
    return {name: cells[name].to_list() for name in cells.columns}


def _plain_arrow(frame: Any, names: Mapping[str, str]) -> Any:
    """Return the requested columns of an Arrow table in a form that Arrow can group by."""
    import pyarrow

    check_columns(names, frame.column_names)
    columns = {}
    for role, name in names.items():
        column = frame[name]
        try:
            column.validate(full=True)  # an index outside its dictionary reads stray memory
            columns[name] = plain_column(column)
        except pyarrow.ArrowException as error:
            raise ValueError(f"`{role}`: column {name!r} cannot be read: {error}") from error
    return pyarrow.table(columns)
