"""Files of predictions, one row per sample, counted in batches that need little memory."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from ..contingency import ContingencyTable
from ..core.labels import Label, NoSamplesError
from ..core.table import read_amounts, warn_of_doubts
from ..inputs.containers import read_task
from ..slicing import Slice, count_slices, in_order, slice_column, sliced_counts
from .answered import LabelOptions, read_labels
from .columns import Batch, named_columns, no_samples, read_whole, slices_of
from .matrices import warn_of_totals
from .readers import read_files

Paths: TypeAlias = "str | PathLike[str] | Sequence[str | PathLike[str]]"


def table_from_file(
    path: Paths,
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
    drop_null: bool = False,
    keep_missing: bool = False,
    each_row_a_sample: bool | None = None,
    by: str | Sequence[str] | None = None,
) -> Any:
    r"""Return the contingency table of files of predictions, which may be larger than memory.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder of part files, or several of them, which count as one data set. In folders
        and their subfolders, names that start with "." or "_" are left out, and so are a README, a
        licence or a citation without the ending of a data file. "-" is standard input, which needs
        `file_format`.
    references, predictions, weights, counts : str
        Names of the columns, of which the last holds how many samples a row stands for.
        "doc.label" is the field label within the column doc, and "doc.answers.0" the first element
        of a list in it, unless a column has the whole name. "argmax:scores" is the position of the
        largest number in each list of the column scores; if several are equal, the first. CSV and
        TSV have no nested columns and no lists.
    file_format : {"arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"}, optional
        By default taken from each file name, where .txt is CSV, too. "arrow" is Arrow IPC, also
        known as Feather. JSON has one object per line, or an array of objects. An Excel file needs
        openpyxl, and has one sheet with these columns.
    encoding : str, optional
        Of text, such as "cp1252"; by default UTF-8, or UTF-16 or UTF-32 if a mark shows it.
    numeric : bool
        Whether text labels are integers. CSV and TSV are read as text, in which 001 is not 1;
        the other formats have types of their own.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`; if the file's labels are integers, they may be given
        as text.
    extract : str or re.Pattern, optional
        A regular expression that extracts the class from generated text, in predictions only: the
        first group of the first match, or the whole match if there is no group. Put `(?s).*` in
        front to take the last match. Text without a match is an error, or with `unknown="wrong"` a
        wrong answer.
    choices : sequence of str, optional
        The names of the classes. Integers in references and predictions are positions in this
        list, from 0, and become the names; text must be one of the names. Other predictions are an
        error, or with `unknown="wrong"` wrong answers. In CSV "0" is text, and a position only with
        `numeric`; with `choices`, text that is not an integer then stays as it is.
    ignore_case, strip : bool
        Take text that differs by case, or by blanks around it, for one class. It is written as in
        `labels` or `choices`, or else in lower case, or without the blanks.
    drop_null : bool
        Leave out rows with a null in one of these columns; by default nulls are an error. Empty
        cells of CSV and TSV are nulls, in quotes or not, and so are references and predictions that
        are text for a missing value: "", "NA", "<NA>", "#N/A", "#NA", "N/A", "n/a", "NaN", "nan",
        "-NaN", "-nan", "NaT", "NULL", "null", "None" and "-100", unless `labels`, `choices` or
        `ignore_index` name them; but not predictions with `extract` or `unknown="wrong"`.
    keep_missing : bool
        Read such text, and empty cells as empty text, as labels.
    each_row_a_sample : bool, optional
        Whether a row is one sample although another column looks like one of counts: whole numbers
        below a name such as "count", or where no two rows have the same labels, but some the same
        reference. By default that is warned of, and with False it is an error.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    InformednessWarning
        If files in a folder are left out; the message names them.
    LabelsWarning
        If labels may not be what was meant, another column, or that of weights, looks like one of
        counts, two files hold the same, or names of columns say that the sides are swapped.

    Raises
    ------
    ValueError
        If a file, a column or a label is not valid; the message names the file.
    ImportError
        If pyarrow is missing.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "part-0.csv").write_text("gold,model\na,a\nb,b\n")
    >>> _ = (folder / "part-1.csv").write_text("gold,model\na,b\n")
    >>> table = table_from_file(folder, references="gold", predictions="model")
    >>> table.labels, table.to_dense().tolist()
    (('a', 'b'), [[1, 1], [0, 1]])
    """
    options = LabelOptions(
        numeric, extract, choices, labels, ignore_index, unknown, ignore_case, strip
    )
    names = named_columns(references, predictions, weights, counts, by)
    sums: defaultdict[Slice, list[ContingencyTable]] = defaultdict(list)

    def count(batch: Batch) -> None:
        for name, table in _count(batch, options).items():
            # of many slices each sum would take longer than its cells
            _add_table(sums[name], table, 2 if by is None else 16)

    n_rows, files = read_files(
        path,
        names,
        count,
        options,
        file_format=file_format,
        encoding=encoding,
        drop_null=drop_null,
        keep_missing=keep_missing,
        each_row_a_sample=each_row_a_sample,
    )
    try:
        if not sums:
            raise no_samples(n_rows)
        tables = {name: ContingencyTable.sum_of(parts) for name, parts in in_order(sums).items()}
        whole = ContingencyTable.sum_of(list(tables.values()))
    except ValueError as error:
        raise ValueError(f"{files}: {error}") from error
    warn_of_doubts(whole)
    warn_of_totals(whole, counts is not None)
    return whole if by is None else tables


def _count(batch: Batch, options: LabelOptions) -> dict[Slice, ContingencyTable]:
    """Return the tables of a batch by slice, or its one table; none if no row of it counts."""
    references = read_labels(batch.columns["references"], "references", options)
    predictions = read_labels(batch.columns["predictions"], "predictions", options)
    weights = batch.columns.get("weights")
    if weights is not None:
        weights = read_amounts(weights, "weights")
    is_integer = references.kind == "integers"
    classes, ignored = options.classes(is_integer), options.ignored(is_integer)
    try:
        # which does not warn: that is done once for all batches, at the end
        r, p, task = read_task(references, predictions, classes, ignored, options.unknown)
        if "counts" in batch.columns:
            counts = read_whole(batch.columns["counts"])
            by = slices_of(batch.columns) if "by" in batch.columns else np.zeros(len(r), np.int64)
            tables = sliced_counts(slice_column(by), r, p, (counts, None, counts), task)
            return tables if "by" in batch.columns else {(): tables[0]}
        if "by" in batch.columns:
            return count_slices(r, p, slices_of(batch.columns), task, weights)
        return {(): ContingencyTable._of_columns(r, p, task, weights)}
    except NoSamplesError:
        return {}


def _add_table(tables: list[ContingencyTable], table: ContingencyTable, n: int) -> None:
    """Add a table to sums, `n` at a time, of which few have as many cells as those before."""
    tables.append(table)
    while len(tables) >= n and len(tables[-n].counts) <= 2 * len(table.counts):
        table = ContingencyTable.sum_of(tables[-n:])
        tables[-n:] = [table]
