"""Count data frames of any engine; a database counts itself and returns only the counts."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any

from ..core.labels import Label, show
from ..errors import DataError, optional_import
from ..tables.label_options import LabelOptions
from .arrow import as_list, check_schema, columns_of
from .columns import check_columns, column_of, columns_to_read, group_by_argument, named_columns
from .samples import Samples, Source
from .tables import tables_of

_DATABASES = ("DUCKDB", "IBIS", "PYSPARK", "PYSPARK_CONNECT", "SQLFRAME")  # which have collations
# Pairs that are equal if a collation ignores case, accents, trailing blanks or composition.
_ALIKE = (("a", "A"), ("a", "á"), ("a", "a "), ("\u00e9", "e\u0301"))


def table_from_frame(
    frame: Any,
    *,
    references: Any,
    predictions: Any,
    weights: Any = None,
    counts: Any = None,
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    threshold: float | None = None,
    drop_null: bool = False,
    by: Any = None,
) -> Any:
    """Count two columns of a data frame in its engine, and return their contingency table.

    With `by`, return a table for each slice of the rows, counted in the same pass.

    Parameters
    ----------
    frame : data frame
        Any that narwhals supports: pandas, polars (eager or lazy), pyarrow, DuckDB relations, Ibis,
        Dask, PySpark; or a `datasets.Dataset`. One GROUP BY runs in that engine and returns one row
        per cell of the table. Sums of weights may differ in the last digits from run to run.
    references, predictions, weights, counts : str
        Names of the columns, or of values within them, as in `table_from_file`. Names in pandas
        that are not text, such as 0 or a tuple of a MultiIndex, are passed unchanged.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`. Positions in a ClassLabel of `datasets` become its
        names; -1 is a missing value.
    threshold : float, optional
        As in `table_from_file`.
    drop_null : bool
        Leave out rows with a null in one of the columns; by default nulls are an error. With
        `unknown="wrong"`, a missing prediction counts as wrong.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    LabelsWarning, UndefinedMetricWarning
        As `table_from_file`.

    Raises
    ------
    ValueError
        If a column does not exist, does not hold labels (numbers for `weights`), or has nulls; or
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
    names = named_columns(references, predictions, weights, counts, by)
    options = LabelOptions(
        labels=labels, ignore_index=ignore_index, unknown=unknown, threshold=threshold
    )
    samples = Samples(names, options, drop_null=drop_null)
    with optional_import("reading data frames needs narwhals and pyarrow", "informedness[frames]"):
        import narwhals  # noqa: F401
        import pyarrow  # noqa: F401
    return tables_of(samples, _rows_of(frame, samples))


def _rows_of(frame: Any, samples: Samples) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame; group and count them first if it is not in memory."""
    import narwhals as nw

    names = columns_to_read(samples.names)
    native = nw.to_native(frame, pass_through=True)
    header = _header_of(native, names)
    columns = {x: column_of(name, header) or name for x, name in names.items()}
    check_columns(columns, header)

    def other_columns(names: Sequence[str]) -> dict[str, list[Any]]:
        return {x: as_list(_read(native, {"other": x}, header)[0][x]) for x in names}

    arrow, sums = _read(native, columns, header)
    name = f"{type(native).__module__.partition('.')[0]} {type(native).__name__}"
    class_names = check_schema(names, arrow.schema)
    samples.begin(Source(name, "frame", header, class_names, other_columns))
    for rows in columns_of(arrow.to_batches(), {**names, **sums}):
        arrays = {argument: rows.pop(argument).to_numpy() for argument in sums}
        yield samples.read(group_by_argument(rows), **arrays)


def _read(
    native: Any, names: Mapping[str, str], header: Sequence[str]
) -> tuple[Any, dict[str, str]]:
    """Return columns of a frame as Arrow, and the names of the sums if rows are grouped.

    The sums are the number of rows and their squared weights; `weights` is then a sum, too.
    """
    import narwhals as nw

    longest = max(names.values(), key=len)  # so that a suffix makes a new name
    sums = {"times": f"{longest}_times", "squares": f"{longest}_squares"}
    try:
        frame = _selected(native, names, header)
        if nw.dependencies.is_dask_dataframe(frame):  # narwhals leaves it to another package
            cells = frame.groupby([*frame.columns], dropna=False).size().compute()
            frame = cells.rename(sums["times"]).reset_index()
        frame = nw.from_native(frame)
        if isinstance(frame, nw.LazyFrame):
            frame = _grouped(frame, names, **sums)
        arrow = frame.to_arrow()
        return arrow, {x: name for x, name in sums.items() if name in arrow.column_names}
    except DataError:
        raise
    except Exception as error:  # each engine raises its own errors
        raise ValueError(f"`frame` must hold columns of labels: {error}") from error


def _header_of(native: Any, names: Mapping[str, str]) -> list[str]:
    """Return the names of the columns of a frame, as text."""
    if hasattr(native, "collect_schema"):  # polars, which may warn about `columns`
        schema = native.collect_schema()
        if objects := [x for x in names.values() if str(schema.get(x)) == "Object"]:
            raise TypeError(
                f"column {objects[0]!r} holds Python objects: cast it to text or integers"
            )
        return list(map(str, schema.names()))
    header = getattr(native, "column_names", None) or getattr(native, "columns", None)
    if header is None or callable(header):
        raise ValueError(
            "`frame` must be a data frame (pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark), "
            f"got {show(native)}"
        )
    return list(map(str, header))


def _selected(native: Any, names: Mapping[str, str], header: Sequence[str]) -> Any:
    """Select the columns to read: others may share a name, or would be loaded.

    Names that are not text become text.
    """
    import narwhals as nw

    columns = list(dict.fromkeys(names.values()))
    if hasattr(native, "with_format"):  # of `datasets`
        return native.select_columns(columns).with_format("arrow")[:]
    if nw.dependencies.is_pandas_like_dataframe(native):
        native = native.iloc[:, list(map(header.index, columns))]
        native.columns = columns
    return native


def _grouped(lazy: Any, names: Mapping[str, str], times: str, squares: str) -> Any:
    """Group equal rows, and count them in the column `times`.

    Weights are summed; the sums of their squares are in the column `squares`.

    Raises
    ------
    DataError
        If a collation of the database may merge labels.
    """
    import narwhals as nw

    schema = lazy.collect_schema()
    columns = {name: nw.col(name) for name in names.values()}
    texts = [name for name in columns if schema[name] == nw.String]
    if lazy.implementation is nw.Implementation.IBIS:
        # in SQLite, the collation of a column does not apply to computed text
        columns |= {name: nw.concat_str(columns[name], nw.lit("")) for name in texts}
    rows = lazy.select(*(column.alias(name) for name, column in columns.items()))
    weights = names.get("weights", "")
    if weights and schema[weights].is_numeric():
        grouped = _added_up(rows, [x for x in columns if x != weights], weights, times, squares)
        kept = *columns, times, squares
    else:
        grouped = rows.group_by(*columns, drop_null_keys=False).agg(nw.len().alias(times))
        kept = *columns, times

    texts = texts if lazy.implementation.name in _DATABASES else []
    cells = grouped.select(nw.all(), **_equal_pairs(texts, times)).collect()
    _check_collations(cells, texts, times)
    return cells.select(*kept)


def _equal_pairs(texts: Sequence[str], prefix: str) -> dict[str, Any]:
    """Build expressions that test if the engine treats a pair as equal, for each column."""
    import narwhals as nw

    is_equal = {}
    for name, (first, second) in product(texts, _ALIKE):
        empty = nw.col(name).str.slice(0, 0)  # concatenation keeps its collation
        pair = nw.concat_str(empty, nw.lit(first)), nw.concat_str(empty, nw.lit(second))
        is_equal[prefix + name + second] = pair[0] == pair[1]
    return is_equal


def _check_collations(cells: Any, texts: Sequence[str], prefix: str) -> None:
    """Raise an error if the collation of a column treats a pair as equal."""
    for name, (first, second) in product(texts, _ALIKE):
        if True in cells[prefix + name + second].to_list():
            raise DataError(
                f"column {name!r}, which the engine compares with a collation that takes {first!a} "
                f"and {second!a} for equal, would merge labels: select it with one that tells all "
                'text apart, for example COLLATE "C" in DuckDB or COLLATE UTF8_BINARY in Spark'
            )


def _added_up(rows: Any, keys: Sequence[str], weights: str, times: str, squares: str) -> Any:
    """Group rows by keys and sum their weights; keep the least of weights that are not positive.

    Extra keys separate missing, zero and invalid weights. Weights as keys could give a group
    per row.
    """
    import narwhals as nw

    weight = nw.col(weights)
    number = weight.cast(nw.Float64)
    kind = nw.Int64 if rows.collect_schema()[weights].is_integer() else nw.Float64
    are_added, are_zero, least = (f"{times}_{i}" for i in range(3))
    is_finite = number - number == 0  # inf - inf is nan
    signs = {are_added: (number > 0) & is_finite, are_zero: number == 0}
    grouped = (
        rows.with_columns(**signs, **{squares: number * number, weights: weight.cast(kind)})
        .group_by(*keys, are_added, are_zero, drop_null_keys=False)
        .agg(weight.sum(), weight.min().alias(least), nw.col(squares).sum(), nw.len().alias(times))
    )
    total = nw.when(nw.col(are_added)).then(weight).otherwise(nw.col(least))
    return grouped.with_columns(total.cast(kind).alias(weights))
