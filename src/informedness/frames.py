"""Data frames of any engine: the engine counts, and only the counts come back."""

from collections.abc import Mapping
from typing import Any

from .coding import Label
from .columns import check_columns, check_nulls, no_samples
from .contingency import ContingencyTable
from .reading import NoSamplesError, check_unknown, read_amounts, show


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
) -> ContingencyTable:
    """Return the contingency table of two columns of a data frame, counted where the data is.

    Parameters
    ----------
    frame : data frame
        What narwhals takes: pandas, polars (eager or lazy), pyarrow, DuckDB relations, Ibis, Dask,
        PySpark. One GROUP BY runs in that engine; one row for each cell of the table comes back.
    references, predictions, weights : str
        Names of the columns.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`.
    drop_null : bool
        Leave out rows with a null in one of the columns; by default nulls are an error.

    Raises
    ------
    ValueError
        If a column is not there, does not hold labels or numbers, or has nulls; and for all that
        `ContingencyTable.from_labels` refuses.
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
    names = {"references": references, "predictions": predictions}
    if weights is not None:
        names["weights"] = weights
    cells = _count_in_engine(frame, names, drop_null)
    if weights is not None:
        for name in ("least", "weights", "squares"):  # a sum may hide a negative weight
            read_amounts(cells[name], "weights")
    try:
        return ContingencyTable.from_counts(
            cells["references"],
            cells["predictions"],
            cells["rows" if weights is None else "weights"],
            squared_weights=cells.get("squares"),
            n_samples=cells.get("samples"),
            labels=labels,
            ignore_index=ignore_index,
            unknown=unknown,
        )
    except NoSamplesError:
        raise no_samples(sum(cells["rows"])) from None


def _count_in_engine(frame: Any, names: Mapping[str, str], drop_null: bool) -> dict[str, list[Any]]:
    """Return for each pair of labels its number of rows, and sums over its weights, as lists."""
    try:
        import narwhals as nw
    except ImportError as error:
        raise ImportError(
            "reading data frames needs narwhals: pip install 'informedness[frames]'"
        ) from error
    if hasattr(frame, "unify_dictionaries"):  # pyarrow groups by one dictionary a column only
        frame = frame.unify_dictionaries()
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
    rows = lazy.select(*(nw.col(name).alias(role) for role, name in names.items()))
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
    cells = rows.group_by("references", "predictions", drop_null_keys=False).agg(*amounts).collect()
    nulls = {
        role: int(cells.filter(nw.col(role).is_null())["rows"].sum())
        for role in ("references", "predictions")
    }
    if "weights" in names:
        nulls["weights"] = int(cells["nulls"].sum())
    check_nulls(names, nulls, int(cells["rows"].sum()))
    return {name: cells[name].to_list() for name in cells.columns}
