"""Count files and data frames into contingency tables, in batches that need little memory."""

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import product
from os import PathLike
from typing import Any

import numpy as np

from ..core.labels import NAMES, Label, NoSamplesError, merge_labels, show
from ..core.table import Cells, Task
from ..errors import DataError, optional_import, prefix_errors
from ..messages import render
from ..tables.contingency import ContingencyTable, Slice, count_slices
from ..tables.label_options import LabelOptions
from ..tables.label_warnings import warn_of_table
from ..tables.matrix import is_matrix
from ..text.layout import Account, Amounts, ReadColumn, amounts_of
from ..text.render import shown
from .arrow import as_list, check_schema, columns_of
from .columns import check_columns, collect_names, column_of, columns_to_read, group_by_argument
from .delimited import BLOCK
from .opening import DELIMITERS, open_whole
from .reading import read_files
from .samples import Samples, Source, name_sources

_N_SUMMED = 4  # tables of batches added at once; with 2, 10,000 slices take 25% longer
# Engines whose columns of text may have a collation
_DATABASES = ("DUCKDB", "IBIS", "PYSPARK", "PYSPARK_CONNECT", "SQLFRAME")
# Pairs of texts that are equal if a collation ignores case, accents, trailing spaces, or Unicode
# composition.
_ALIKE_TEXTS = (("a", "A"), ("a", "á"), ("a", "a "), ("\u00e9", "e\u0301"))


def table_from_file(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    references: str,
    predictions: str,
    weights: str | None = None,
    counts: str | None = None,
    file_format: str | None = None,
    encoding: str | None = None,
    numeric: bool = False,
    labels: Sequence[Label] | None = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    extract: str | re.Pattern[str] | None = None,
    choices: Sequence[str] | None = None,
    ignore_case: bool = False,
    strip: bool = False,
    threshold: float | None = None,
    drop_null: bool = False,
    keep_missing: bool = False,
    rows: str | None = None,
    no_quotes: bool = False,
    by: str | Sequence[str] | None = None,
) -> Any:
    r"""Count files of predictions into a contingency table, in batches that need little memory.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder of part files, or several files and folders, which are read as one data
        set. In folders, files and subfolders whose names start with ".", "_" or "~$" are left out.
        So are dataset_info.json and state.json of `datasets`, caches that state.json does not list,
        and a README, LICENSE or CITATION without the extension of a data file. "-" is standard
        input, which needs `file_format`.
    references, predictions : str
        Names of the columns. "doc.label" is the field "label" in the column "doc", and
        "doc.answers.0" the first element of the list "answers" in it. A column with exactly this
        name has priority. "argmax:scores" is the position of the largest number in each list of the
        column "scores". For an object of numbers, it is the name of the largest number, and for a
        list of objects with a label and a number, the label. If several numbers are the largest,
        the first is used. CSV, TSV and Excel files do not have nested columns or lists. For
        predictions, "argmax:a,b,c" is the class whose column has the highest score; `labels` or
        `choices` must list the classes in the order of these columns.
    weights, counts : str, optional
        Names of the columns with the weight of each sample, or with the number of samples that each
        row represents. Only one of the two may be passed.
    file_format : {"arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"}, optional
        By default the format is taken from each file name; .txt files are read as CSV. "arrow" is
        Arrow IPC, also known as Feather. JSON has one object per line, or is one array or object,
        which is read into memory as a whole. An Excel file needs openpyxl, and `rows` if several of
        its sheets have these columns.
    encoding : str, optional
        Encoding of text, such as "cp1252"; by default that of a byte order mark, or UTF-8.
    numeric : bool
        Whether to read text labels as integers. CSV and TSV are read as text, in which 001 differs
        from 1. Other formats have types.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`. For files with integer labels, integers may also be
        passed as text.
    extract : str or re.Pattern, optional
        A regular expression that extracts the class from generated text, in predictions only. The
        class is the first group of the first match; without a group, it is the entire match. Put
        `(?s).*` before a group to take its last match. Text without a match, or whose match does
        not use the group, is an error, or counts as wrong with `unknown="wrong"`.
    choices : sequence of str, optional
        The names of the classes. Integers in references and predictions are positions in this
        list, from 0, and are replaced by the names. Text must be one of the names. Other
        predictions are an error, or count as wrong with `unknown="wrong"`. In CSV and TSV, "0" is a
        position only with `numeric`. Text that is not an integer is then unchanged.
    ignore_case, strip : bool
        Whether to treat texts that differ only in case, or in surrounding whitespace, as one
        class. The class is spelled as in `labels` or `choices`, or else in lower case, or without
        the whitespace.
    threshold : float, optional
        Read predictions as scores. Scores above the threshold become class 1, and other scores
        class 0. With two `labels`, these classes are the second and the first label. nan and empty
        cells are missing values.
    drop_null : bool
        Whether to leave out rows with a null in one of these columns. By default nulls are an
        error. In CSV and TSV, empty cells are nulls, quoted or not. So are references and
        predictions that are "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>" or "#N/A",
        unless `labels`, `choices` or `ignore_index` name them. With `unknown="wrong"` a missing
        prediction counts as wrong.
    keep_missing : bool
        Whether to keep text that means a null, such as "NA", as labels. Empty cells of CSV, TSV and
        Excel files become empty text, except in weights and counts.
    rows : str, optional
        Path to the rows in a JSON document, or title of the sheet in an Excel file.
        "results.results" is the list "results" in the object "results", and "." the document
        itself. Rows are a list of objects, an object whose values are objects, or lists of cells
        that a list "columns" names.
    no_quotes : bool
        Whether to treat quotes in CSV and TSV as ordinary characters, as in CoNLL files.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    InformednessWarning
        If hidden files, or files without data, in a folder are left out; the message names up to
        three of them. If rows of a log of lm-eval have several filters, and no argument names
        their column.
    LabelsWarning
        Unless the options list the classes: if text for a missing value, or -100, counts as a
        class; if labels look alike, or differ only in case or whitespace; if nearly all references
        are different texts. With any options: if predictions say whether the references and another
        column agree. If rows look like counts: each pair of labels occurs once, next to a column of
        whole numbers. If names of columns suggest swapped arguments or another order of the
        classes, are also labels, or repeat with other values. If no reference is `ignore_index`.
    UndefinedMetricWarning
        If predictions are not classes of the references, the options do not list the classes, and
        `unknown` is not "wrong".

    Raises
    ------
    ValueError
        If an option, a file, a column or a label is not valid. If no prediction is a class of the
        references, and the options do not list the classes. A message about data names the file.
    FileNotFoundError
        If a path does not exist.
    ImportError
        If a package that the format needs is missing, such as pyarrow or openpyxl.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = pathlib.Path(folder, "part-0.csv").write_text("gold,model\na,a\nb,b\n")
    ...     _ = pathlib.Path(folder, "part-1.csv").write_text("gold,model\na,b\n")
    ...     table = table_from_file(folder, references="gold", predictions="model")
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    options = LabelOptions(
        numeric, extract, choices, labels, ignore_index, unknown, ignore_case, strip, threshold
    )
    names = collect_names(references, predictions, weights, counts, by)
    samples = Samples(names, options, drop_null=drop_null, keep_missing=keep_missing)
    batches = read_files(
        path, samples, file_format=file_format, encoding=encoding, rows=rows, no_quotes=no_quotes
    )
    return tables_of(samples, batches)


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
    """Count references and predictions in a data frame into a contingency table.

    Databases and lazy frames count the rows in their own engines, with `by` for all slices at once.
    Other frames are read in batches and counted here.

    Parameters
    ----------
    frame : data frame
        Any data frame that narwhals supports: pandas, polars (eager or lazy), pyarrow, DuckDB
        relations, Ibis, Dask, PySpark; or a `datasets.Dataset`. In databases and lazy frames, one
        GROUP BY counts the rows with the same values, and sums their weights. These sums may differ
        in the last digits from run to run.
    references, predictions : str
        Names of the columns, or paths to values in nested columns, as in `table_from_file`. Pass
        names of pandas columns that are not text, such as 0 or a tuple of a MultiIndex, unchanged.
    weights, counts : str, optional
        As in `table_from_file`.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`. In a ClassLabel column of `datasets`, positions are
        replaced by the names of the classes, and -1 is a missing value.
    threshold : float, optional
        As in `table_from_file`.
    drop_null : bool
        Whether to leave out rows with a null in one of the columns. By default nulls are an error.
        With `unknown="wrong"`, a missing prediction counts as wrong.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    LabelsWarning, UndefinedMetricWarning
        As in `table_from_file`, except those about `ignore_index` and repeated names of columns.

    Raises
    ------
    ValueError
        If a column does not exist, is not unique, or does not hold labels (for `weights` and
        `counts`, numbers). If a column has nulls, unless `drop_null` or `unknown` allows them. If
        `ContingencyTable.from_labels` would raise an error for other reasons. If the collation of a
        database may merge labels.
    TypeError
        If a polars column holds Python objects.
    ImportError
        If narwhals or pyarrow is missing.

    Examples
    --------
    >>> import pandas
    >>> frame = pandas.DataFrame({"gold": ["a", "b", "a"], "model": ["a", "b", "b"]})
    >>> table = table_from_frame(frame, references="gold", predictions="model")
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    names = collect_names(references, predictions, weights, counts, by)
    options = LabelOptions(
        labels=labels, ignore_index=ignore_index, unknown=unknown, threshold=threshold
    )
    samples = Samples(names, options, drop_null=drop_null)
    return tables_of(samples, _rows_of(frame, samples))


def table_of_matrix(
    path: str, file_format: str, encoding: str | None, labels: Any, unknown: str = "error"
) -> ContingencyTable | None:
    """Read a CSV or TSV file that can only be a confusion matrix; return None for other files.

    Raises
    ------
    ValueError
        If the numbers are not counts of samples. If the matrix has totals and `labels` is None. If
        `labels` or `encoding` does not fit the file.
    """
    if file_format not in DELIMITERS:
        return None
    with prefix_errors(shown(path)), open_whole(path, None, encoding) as stream:
        text = stream.read(BLOCK).decode("utf-8-sig", "replace")
        # A matrix has as many lines as cells in a line, so it does not have many short lines.
        is_long = text.count("\n") > max(map(len, text.splitlines()), default=0) + 3
        if is_long or not is_matrix(text):
            return None
        table = ContingencyTable.from_matrix(text, labels=labels, unknown=unknown)
        if table.counts.dtype.kind == "f":
            rule = "a confusion matrix must have counts, got shares or weights"
            remedy = "Multiply shares by the total they are shares of, and round. Read weights"
            raise ValueError(f"{rule}. {remedy} in Python with ContingencyTable.from_matrix.")
    columns = []
    for name, side, totals in zip(NAMES, ("rows", "columns"), _label_totals(table), strict=True):
        named: Amounts = [("other columns" if label is None else label, n) for label, n in totals]
        columns.append(ReadColumn(name, side, named, []))
    account = Account((f"{path}, a confusion matrix",), table.n_classes, {}, tuple(columns))
    return replace(table, read=(account,))


def _label_totals(table: ContingencyTable) -> list[Amounts]:
    """List labels with their amounts, first of the references and then of the predictions."""
    totals = table.reference_totals, table.prediction_totals
    return [amounts_of(table.labels, amounts.tolist()) for amounts in totals]


# Counting


def tables_of(samples: Samples, batches: Iterable[Mapping[str, Any]]) -> Any:
    """Count batches of rows into a table, or into a table per slice if there are columns `by`.

    Labels are converted to classes after counting, because only all rows together show which
    classes exist, and whether labels are integers.
    """
    tables = _count(samples, batches)
    overall = ContingencyTable.sum_of(list(tables.values()))
    n_cells = sum(len(table.counts) for table in tables.values())
    label_totals = dict(zip(samples.labelled_arguments, _label_totals(overall), strict=True))
    never_repeats = 1 < (overall.n_samples or 0) == n_cells >= 2 * len(tables)
    text_labels, task, account = samples.check_labels(label_totals, never_repeats)
    try:
        overall = _as_classes(overall, text_labels, task)
    except ValueError as error:
        argument = "labels" if samples.options.choices is None else "choices"
        text = render(error, lambda name, _: f"`{argument}`" if name == "labels" else None)
        samples.refuse([ValueError(text)])
    warn_of_table(overall, NAMES, bool(samples.class_names), samples.keep_missing)
    if "by" not in samples.names:
        return replace(overall, read=(account,))
    tables = {name: _as_classes(table, text_labels, task) for name, table in tables.items()}
    return {name: replace(table, read=(account,)) for name, table in tables.items()}


def _count(samples: Samples, batches: Iterable[Mapping[str, Any]]) -> dict[Slice, ContingencyTable]:
    """Count all batches into a table per slice, with unconverted labels."""
    sums: defaultdict[Slice, list[ContingencyTable]] = defaultdict(list)
    for rows in filter(None, batches):
        pair = rows["references"], rows["predictions"]
        task = samples.make_task(pair[0], rows)
        by: Any = {name: rows[name] for name in rows if name.startswith("by")}
        if len(by) < 2:
            by = by.get("by", np.zeros(len(pair[0]), np.int64))
        counts = None
        if {"times", "counts"} & rows.keys():
            counts = rows.get("times", 1) * rows.get("counts", 1)
        with suppress(NoSamplesError):
            amounts = rows.get("weights"), counts, rows.get("squares")
            if "by" in rows or counts is not None:
                tables = count_slices(*pair, by, task, amounts)
            else:  # takes a third of the time
                tables = {0: ContingencyTable._from_columns(*pair, task, rows.get("weights"))}
            for name, table in tables.items():
                _add_table(sums[name], table)
    if not sums:
        samples.refuse()
        got = f"{samples.n_rows:,d} samples, all ignored, null or of weight 0"
        got = got if samples.n_rows else "0 samples"
        samples.refuse([ValueError(f"expected at least one sample to score, got {got}")])
    with prefix_errors(name_sources(samples.sources)):
        return {name: ContingencyTable.sum_of(sums[name]) for name in sorted(sums)}


def _add_table(sums: list[ContingencyTable], table: ContingencyTable) -> None:
    """Append a table, and sum the last `_N_SUMMED` tables while they have similar sizes.

    The list stays short, and large tables are summed rarely.
    """
    sums.append(table)
    while len(sums) >= _N_SUMMED and len(sums[-_N_SUMMED].counts) <= 2 * len(table.counts):
        table = ContingencyTable.sum_of(sums[-_N_SUMMED:])
        sums[-_N_SUMMED:] = [table]


def _as_classes(table: ContingencyTable, texts: Mapping[Any, Any], task: Task) -> ContingencyTable:
    """Replace the texts in `texts` by their labels, and convert a table to the task's classes."""
    if not texts and task.classes is None and task.unknown == "error":
        return table
    labels, (codes,) = merge_labels([texts.get(label, label) for label in table.labels])
    cells = Cells(codes[table.rows], codes[table.columns], table.counts, table.squared_weights)
    return ContingencyTable._from_task(labels, cells, task, table.n_samples)


# Data frames


def _rows_of(frame: Any, samples: Samples) -> Iterator[dict[str, Any]]:
    """Yield the rows of a frame in batches; databases, lazy frames and Dask count equal rows."""
    with optional_import("data frames need narwhals and pyarrow", "narwhals>=2", "pyarrow>=20"):
        import narwhals as nw
        import pyarrow  # noqa: F401

    names = columns_to_read(samples.names)
    native = nw.to_native(frame, pass_through=True)
    header = _header_of(native, names)
    columns = {x: column_of(name, header) or name for x, name in names.items()}
    check_columns(columns, header)

    def other_columns(names: Sequence[str]) -> dict[str, list[Any]]:
        return {x: as_list(_read_columns(native, {"other": x}, header)[0][x]) for x in names}

    arrow, sums = _read_columns(native, columns, header)
    name = f"{type(native).__module__.partition('.')[0]} {type(native).__name__}"
    samples.begin(Source(name, "frame", header, check_schema(names, arrow.schema), other_columns))
    for rows in columns_of(arrow.to_batches(), {**names, **sums}):
        arrays = {argument: rows.pop(argument).to_numpy() for argument in sums}
        yield samples.read(group_by_argument(rows), **arrays)


def _read_columns(
    native: Any, names: Mapping[str, str], header: Sequence[str]
) -> tuple[Any, dict[str, str]]:
    """Read columns of a frame as an Arrow table, with columns of sums if rows are grouped.

    The second result maps "times" and "squares" to the names of the columns of sums: the number of
    rows in a group, and the sum of their squared weights. With "squares", the column of weights
    has sums, too.
    """
    import narwhals as nw

    longest = max(names.values(), key=len)  # with a suffix, it is a new name
    sums = {"times": f"{longest}_times", "squares": f"{longest}_squares"}
    try:
        frame = _select(native, names, header)
        if nw.dependencies.is_dask_dataframe(frame):  # narwhals would need another package
            columns = list(dict.fromkeys(names.values()))
            cells = frame.groupby(columns, dropna=False).size().compute()
            frame = cells.rename(sums["times"]).reset_index()
        frame = nw.from_native(frame)
        if isinstance(frame, nw.LazyFrame):
            frame = _group(frame, names, **sums)
        arrow = frame.to_arrow()
        return arrow, {x: name for x, name in sums.items() if name in arrow.column_names}
    except DataError:
        raise
    except Exception as error:  # each engine raises its own errors
        raise ValueError(f"`frame` must hold columns of labels: {error}") from error


def _header_of(native: Any, names: Mapping[str, str]) -> list[str]:
    """List the column names of a frame as text.

    Raises
    ------
    ValueError
        If `native` is not a data frame.
    TypeError
        If a column of polars in `names` holds Python objects.
    """
    if hasattr(native, "collect_schema"):  # polars, where `columns` may warn
        schema = native.collect_schema()
        for name in names.values():
            if str(schema.get(name)) == "Object":
                raise TypeError(f"column {name!r} holds Python objects: cast it to text")
        return list(map(str, schema.names()))
    header = getattr(native, "column_names", None) or getattr(native, "columns", None)
    if header is None or callable(header):
        kinds = "pandas, polars, pyarrow, DuckDB, Ibis, Dask, PySpark"
        raise ValueError(f"`frame` must be a data frame ({kinds}), got {show(native)}")
    return list(map(str, header))


def _select(native: Any, names: Mapping[str, str], header: Sequence[str]) -> Any:
    """Select the columns to read from a pandas frame or a `datasets.Dataset`.

    Names of pandas columns become text. Columns that are not read may share a name in a pandas
    frame, and would be loaded into memory from a Dataset. Other frames are unchanged.
    """
    import narwhals as nw

    columns = list(dict.fromkeys(names.values()))
    if hasattr(native, "with_format"):  # a `datasets.Dataset`
        return native.select_columns(columns).with_format("arrow")[:]
    if nw.dependencies.is_pandas_like_dataframe(native):
        native = native.iloc[:, list(map(header.index, columns))]
        native.columns = columns
    return native


def _group(lazy: Any, names: Mapping[str, str], times: str, squares: str) -> Any:
    """Group equal rows, and count them in the column `times`.

    Numeric weights are summed; the sums of their squares are in the column `squares`.

    Raises
    ------
    DataError
        If a collation of the database may merge labels.
    """
    import narwhals as nw

    schema = lazy.collect_schema()
    columns = {name: nw.col(name) for name in names.values()}
    text_names = [name for name in columns if schema[name] == nw.String]
    if lazy.implementation is nw.Implementation.IBIS:
        # In SQLite, the collation of a column does not apply to computed text.
        columns |= {name: nw.concat_str(columns[name], nw.lit("")) for name in text_names}
    rows = lazy.select(*(column.alias(name) for name, column in columns.items()))
    weights = names.get("weights", "")
    header = [*columns, times]
    if weights and schema[weights].is_numeric():
        rows = _sum_weights(rows, [x for x in columns if x != weights], weights, times, squares)
        header.append(squares)
    else:
        rows = rows.group_by(*columns, drop_null_keys=False).agg(nw.len().alias(times))
    if lazy.implementation.name not in _DATABASES:
        text_names = []
    return _collect(rows, text_names, times).select(*header)


def _collect(rows: Any, names: Sequence[str], prefix: str) -> Any:
    """Run the query; raise an error if a collation treats different texts as equal.

    The collations are those of the columns in `names`. Additional columns, whose names begin with
    `prefix`, test them.
    """
    import narwhals as nw

    pairs = {f"{prefix}_equal_{i}": pair for i, pair in enumerate(product(names, _ALIKE_TEXTS))}
    are_equal = {}
    for column, (name, pair) in pairs.items():
        empty = nw.col(name).str.slice(0, 0)  # keeps the collation when text is appended
        left, right = (nw.concat_str(empty, nw.lit(text)) for text in pair)
        are_equal[column] = left == right
    cells = rows.select(nw.all(), **are_equal).collect()
    for column, (name, (first, second)) in pairs.items():
        if True in cells[column].to_list():
            rule = f"the collation of column {name!r} treats {first!a} and {second!a} as equal"
            remedy = 'Select it with COLLATE "C" in DuckDB, or COLLATE UTF8_BINARY in Spark.'
            raise DataError(f"{rule}, which would merge labels. {remedy}")
    return cells


def _sum_weights(rows: Any, keys: Sequence[str], weights: str, times: str, squares: str) -> Any:
    """Group rows by keys, and sum positive finite weights; for other weights, keep the smallest.

    Two additional keys separate positive, zero, missing and invalid weights. If weights were keys,
    each row could be a separate group.
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
