"""Data frames of any engine: the engine counts, and only the counts come back."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from contextlib import suppress
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..contingency import ContingencyTable, read_counts
from ..core.labels import Label, NoSamplesError, show
from ..core.table import check_unknown, read_amounts, warn_of_doubts
from ..extras import needing
from ..inputs.containers import read_task
from ..slicing import slice_column, sliced_counts
from .answered import LabelOptions
from .columns import check_columns, named_columns, no_samples, nulls_found, plain_column, slices_of
from .counted import MOST_ROWS, warn_of_counts
from .matrices import check_roles, warn_of_totals

_CANNOT_GROUP = (TypeError, NotImplementedError, UnicodeError)  # raised for what cannot be a key
_DATABASES = ("DUCKDB", "IBIS", "PYSPARK", "PYSPARK_CONNECT", "SQLFRAME")  # have collations
# A collation that ignores case, accents, trailing blanks or composition takes the two of a pair for
# equal.
_ALIKE = (("a", "A"), ("a", "á"), ("a", "a "), ("\u00e9", "e\u0301"))


def table_from_frame(
    frame: Any,
    *,
    references: str,
    predictions: str,
    weights: str | None = None,
    counts: str | None = None,
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    drop_null: bool = False,
    each_row_a_sample: bool | None = None,
    by: str | Sequence[str] | None = None,
) -> Any:
    """Return the contingency table of two columns of a data frame, counted where the data is.

    With `by`, return a table for each slice of the rows, counted in the same pass.

    Parameters
    ----------
    frame : data frame
        Any that narwhals supports: pandas, polars (eager or lazy), pyarrow, DuckDB relations, Ibis,
        Dask, PySpark; or a `datasets.Dataset`. One GROUP BY runs in that engine and returns one row
        per cell of the table.
    references, predictions, weights, counts : str
        Names of the columns, of which the last holds how many samples a row stands for.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`.
    drop_null : bool
        Leave out rows with a null in one of the columns, which by default is an error, or with a
        label that stands for a missing value, such as "NA" and -100, unless `labels` has it.
    each_row_a_sample : bool, optional
        As in `table_from_file`.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    LabelsWarning
        If labels may not be what was meant, or another column looks like one of counts.

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
    names = named_columns(references, predictions, weights, counts, by)
    cells = _count_in_engine(frame, names, drop_null)
    check_roles(names)
    n_rows = sum(cells["rows"])
    if counts is None and not each_row_a_sample:
        pairs = {*zip(cells["references"], cells["predictions"], strict=True)}
        values_of = partial(_numbers_in, frame)
        is_refused = each_row_a_sample is False
        warn_of_counts(names, _names_in(frame), values_of, pairs, n_rows, is_refused)
    if drop_null:
        options = LabelOptions(labels=labels, ignore_index=ignore_index, unknown=unknown)
        cells = _without_missing(cells, options)
    if counts is not None:
        read_amounts(cells["least"], "counts")
    if weights is not None:
        for name in ("least", "weights"):  # a sum may hide a negative weight
            read_amounts(cells[name], "weights")
        if math.inf in cells["squares"]:
            del cells["squares"]
    amounts = cells["rows" if weights is None else "weights"]
    try:
        r, p, task = read_task(
            cells["references"], cells["predictions"], labels, ignore_index, unknown
        )
        by_row = np.zeros(len(r), np.int64) if by is None else slices_of(cells)
        sums = read_counts(amounts, cells.get("squares"), cells.get("samples"), len(r))
        tables = sliced_counts(slice_column(by_row), r, p, sums, task)
    except NoSamplesError:
        raise no_samples(n_rows) from None
    whole = ContingencyTable.sum_of(list(tables.values()))
    warn_of_doubts(whole)
    warn_of_totals(whole, counts is not None)
    return whole if by is None else tables


def _count_in_engine(frame: Any, names: Mapping[str, str], drop_null: bool) -> dict[str, list[Any]]:
    """Return the number of rows of each pair of labels, and sums over its weights, as lists."""
    with needing("reading data frames needs narwhals", "informedness[frames]"):
        import narwhals as nw
    frame = _selected(frame, names)
    is_pandas = nw.dependencies.is_pandas_dataframe(frame)
    of_arrow = is_pandas and any(hasattr(kind, "pyarrow_dtype") for kind in frame.dtypes)
    if of_arrow or nw.dependencies.is_pyarrow_table(frame):
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
        if role == "counts" and not dtype.is_integer():
            raise ValueError(f"`counts` must be a column of integers, got {name!r} of {dtype}")
    keys = [role for role in names if role not in ("weights", "counts")]
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
    if "counts" in names:
        count = nw.col("counts")
        rows = rows.with_columns(
            count.cast(nw.Int64).alias("rows"),
            count.is_null().cast(nw.Int64).alias("nulls"),
            count.alias("least"),
        )
        amounts = [nw.col("rows", "nulls").sum(), nw.col("least").min()]
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
                f"`{role}` names column {names[role]!r}, which the engine compares with a "
                f"collation that takes {a!a} and {b!a} for equal, so labels would merge: select "
                "it with one that tells all text apart, for example "
                'COLLATE "C" in DuckDB or COLLATE UTF8_BINARY in Spark'
            )
    if drop_null:  # an engine may not have seen a null among the values of a dictionary
        cells = cells.drop_nulls(keys)
    nulls = {role: int(cells.filter(nw.col(role).is_null())["rows"].sum()) for role in keys}
    nulls |= {x: int(cells["nulls"].sum()) for x in ("weights", "counts") if x in names}
    if any(nulls.values()):
        raise ValueError(nulls_found(names, nulls, int(cells["rows"].sum())))
    return {name: cells[name].to_list() for name in cells.columns}


def _without_missing(cells: dict[str, list[Any]], options: LabelOptions) -> dict[str, list[Any]]:
    """Return the cells without those of labels that stand for missing values, such as "NA"."""
    kept = np.ones(len(cells["rows"]), dtype=bool)
    for role, text in (options.missing(("references", "predictions"), keep=False) or {}).items():
        kept &= np.array([str(label) not in text for label in cells[role]], dtype=bool)
    found = np.flatnonzero(kept).tolist()
    return {name: [column[i] for i in found] for name, column in cells.items()}


def _selected(frame: Any, names: Mapping[str, str]) -> Any:
    """Return a frame with these columns alone if others may share a name, or would be loaded."""
    import narwhals as nw

    frame = nw.to_native(frame, pass_through=True)
    columns = list(dict.fromkeys(names.values()))
    if hasattr(frame, "select_columns") and hasattr(frame, "with_format"):  # of `datasets`
        check_columns(names, frame.column_names)
        return frame.select_columns(columns).with_format("arrow")[:]
    if nw.dependencies.is_pyarrow_table(frame):
        check_columns(names, frame.column_names)
        return frame.select(columns)
    if nw.dependencies.is_pandas_like_dataframe(frame) or nw.dependencies.is_dask_dataframe(frame):
        present = list(map(str, frame.columns))
        check_columns(names, present)
        if present != list(frame.columns):
            frame = frame.rename(columns=str)
        return frame[columns]
    return frame


def _names_in(frame: Any) -> list[str]:
    """Return the names of the columns of a frame."""
    import narwhals as nw

    frame = nw.to_native(frame, pass_through=True)
    if hasattr(frame, "column_names"):  # of `datasets` and Arrow
        return list(frame.column_names)
    if hasattr(frame, "iloc"):  # of pandas, where two may be equal
        return list(map(str, frame.columns))
    return list(nw.from_native(frame).lazy().collect_schema().names())


def _numbers_in(frame: Any, name: str) -> list[Any]:
    """Return the first values of a column of numbers, maybe as text; none of another column."""
    import narwhals as nw

    with suppress(ValueError):  # of two columns with this name
        lazy = nw.from_native(_selected(frame, {"counts": name})).lazy().select(name)
        dtype = lazy.collect_schema()[name]
        if dtype.is_numeric() or dtype in (nw.String, nw.Object):
            return list(lazy.head(MOST_ROWS).collect()[name].drop_nulls().to_list())
    return []


def _plain_arrow(frame: Any, names: Mapping[str, str]) -> Any:
    """Return the requested columns of an Arrow table, or of pandas, as what Arrow can group by."""
    import pyarrow

    columns = {}
    if not isinstance(frame, pyarrow.Table):
        try:
            frame = pyarrow.Table.from_pandas(frame, preserve_index=False)
        except pyarrow.ArrowException as error:
            raise ValueError(f"`frame` must hold columns of labels: {error}") from error
    for role, name in names.items():
        column = frame[name]
        try:
            column.validate(full=True)  # an index outside its dictionary reads stray memory
            columns[name] = plain_column(column)
        except pyarrow.ArrowException as error:
            said = f"`{role}` names column {name!r}, which cannot be read"
            raise ValueError(f"{said}: {error}") from error
    return pyarrow.table(columns)
