"""Count files and frames into tables, in batches that need little memory."""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from ..core.labels import NAMES, Label, NoSamplesError, merged
from ..core.table import Cells, Task
from ..errors import prefix_errors
from ..messages import render
from ..tables.contingency import ContingencyTable, Slice, count_slices, sort_by_name
from ..tables.label_options import LabelOptions
from ..tables.label_warnings import warn_of_table
from ..tables.matrix import is_matrix
from ..text.layout import Account, ReadColumn, amounts_of
from ..text.render import shown
from .columns import named_columns, slices_of
from .delimited import BLOCK
from .opening import DELIMITERS, open_whole
from .reading import read_files
from .samples import Samples, name_sources

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
    threshold: float | None = None,
    drop_null: bool = False,
    keep_missing: bool = False,
    rows: str | None = None,
    no_quotes: bool = False,
    by: str | Sequence[str] | None = None,
) -> Any:
    r"""Count files of predictions, even larger than memory, into a contingency table.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder of part files, or several of them, read as one data set. In folders
        and their subfolders, names that start with "." or "_" are left out, and so are a README, a
        licence or a citation without the ending of a data file. "-" is standard input, which needs
        `file_format`.
    references, predictions, weights, counts : str
        Names of the columns; that of `counts` has the number of samples per row. "doc.label" is
        the field label within the column doc, and "doc.answers.0" the first element of a list in
        it, unless a column has the whole name. "argmax:scores" is the position of the largest
        number in each list of the column scores. In an object of numbers, or a list of objects of
        a label and a number, it is the name. The first of equal numbers is used. CSV and TSV have
        no nested columns and no lists. "argmax:a,b,c" is the class with the highest of several
        columns of scores, which are in the order of `labels`.
    file_format : {"arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"}, optional
        By default taken from each file name; .txt is read as CSV. "arrow" is Arrow IPC, also
        known as Feather. JSON has one object per line, or an array of objects. An Excel file needs
        openpyxl, and `rows` if several of its sheets have these columns.
    encoding : str, optional
        Encoding of text, such as "cp1252"; by default UTF-8, or what a byte order mark says.
    numeric : bool
        Whether text labels are integers. CSV and TSV are read as text, in which 001 is not 1;
        the other formats have types.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`; if the file's labels are integers, they may be given
        as text.
    extract : str or re.Pattern, optional
        A regular expression that extracts the class from generated text, in predictions only: the
        first group of the first match, or the whole match if there is no group. Put `(?s).*` in
        front to take the last match. Text without a match is an error, or counts as wrong with
        `unknown="wrong"`.
    choices : sequence of str, optional
        The names of the classes. Integers in references and predictions are positions in this
        list, from 0, and become the names; text must be one of the names. Other predictions are an
        error, or count as wrong with `unknown="wrong"`. In CSV "0" is a position only with
        `numeric`; text that is not an integer is then unchanged.
    ignore_case, strip : bool
        Treat texts that differ only in case, or in surrounding whitespace, as one class. It is
        spelled as in `labels` or `choices`, or else in lower case, or without the whitespace.
    threshold : float, optional
        Read predictions as scores: 1 above the threshold, else 0. With two `labels`, these are
        the second and the first. nan and empty cells are missing.
    drop_null : bool
        Leave out rows with a null in one of these columns; by default nulls are an error. In CSV
        and TSV empty cells are nulls, in quotes or not, and so are references and predictions that
        are "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>" or "#N/A", unless `labels`,
        `choices` or `ignore_index` name them. With `unknown="wrong"` a missing prediction counts
        as wrong.
    keep_missing : bool
        Keep such text as labels; empty cells become empty text.
    rows : str, optional
        Where the rows are within a JSON document: "results.results" is the list results in the
        object results, and "." the document itself. Rows are objects, in a list or as the values of
        one object, or lists of cells named by a list "columns". For Excel, the title of the sheet.
    no_quotes : bool
        Treat quotes in CSV and TSV as ordinary characters, as in CoNLL files.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    InformednessWarning
        If files in a folder are left out; the message names them.
    LabelsWarning
        If text for a missing value or -100 counts as a class, labels look alike or differ only in
        case or whitespace, nearly all references are different texts, predictions say where the
        references and another column agree, rows look like counts (all pairs or most, each once,
        beside whole numbers), or names of columns suggest swapped arguments.
    UndefinedMetricWarning
        If predictions are not classes of the references, unless `unknown="wrong"`.

    Raises
    ------
    ValueError
        If a file, a column or a label is not valid, or no prediction is a class of the
        references; the message names the file.
    ImportError
        If pyarrow is missing.

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
    names = named_columns(references, predictions, weights, counts, by)
    samples = Samples(names, options, drop_null=drop_null, keep_missing=keep_missing)
    batches = read_files(
        path, samples, file_format=file_format, encoding=encoding, rows=rows, no_quotes=no_quotes
    )
    return tables_of(samples, batches)


def table_of_matrix(
    path: str, kind: str, encoding: str | None, labels: Any
) -> ContingencyTable | None:
    """Read a text file that can only be a confusion matrix; return None for others.

    Raises
    ------
    ValueError
        If its numbers are not counts of samples, or there are totals.
    """
    if kind not in DELIMITERS:
        return None
    with prefix_errors(shown(path)), open_whole(path, None, encoding) as stream:
        text = stream.read(BLOCK).decode("utf-8-sig", "replace")
        # a matrix has as many cells per line as lines
        is_long = text.count("\n") > max(map(len, text.splitlines()), default=0) + 3
        if is_long or not is_matrix(text):
            return None
        table = ContingencyTable.from_matrix(text, labels=labels)
        if table.counts.dtype.kind == "f":
            raise ValueError(
                "a confusion matrix must have counts, and this one has shares or weights: save the "
                "counts; weights can be read in Python, with ContingencyTable.from_matrix"
            )
    totals = ("rows", table.reference_totals), ("columns", table.prediction_totals)
    columns = [
        ReadColumn(part, place, amounts_of(table.labels, amounts.tolist()), [])
        for part, (place, amounts) in zip(NAMES, totals, strict=True)
    ]
    read = Account((f"{path}, a confusion matrix",), table.n_classes, {}, tuple(columns))
    return replace(table, read=(read,))


def tables_of(samples: Samples, batches: Iterable[Mapping[str, Any]]) -> Any:
    """Count batches of rows into a table, or into a table per slice.

    Labels are counted unconverted, and become classes at the end. Only all rows show which
    classes exist, and whether labels are integers.
    """
    tables = _count(samples, batches)
    overall = ContingencyTable.sum_of(list(tables.values()))
    n_cells = sum(len(table.counts) for table in tables.values())
    totals = overall.reference_totals.tolist(), overall.prediction_totals.tolist()
    amounts = (amounts_of(overall.labels, of_labels) for of_labels in totals)
    label_totals = dict(zip(samples.labelled, amounts, strict=True))
    never_repeats = 1 < (overall.n_samples or 0) == n_cells
    text_labels, task, account = samples.check_labels(label_totals, never_repeats)
    try:
        overall = _of_classes(overall, text_labels, task)
    except ValueError as error:
        argument = "labels" if samples.options.choices is None else "choices"
        own = render(error, lambda name, _: f"`{argument}`" if name == "labels" else None)
        samples.refuse([ValueError(own)])
    options: dict[str, Any] = {"nulls_are_labels": samples.keep_missing, "unknown": task.unknown}
    warn_of_table(overall, is_named=bool(samples.class_names), **options)
    if "by" not in samples.names:
        return replace(overall, read=(account,))
    tables = {name: _of_classes(table, text_labels, task) for name, table in tables.items()}
    return {name: replace(table, read=(account,)) for name, table in tables.items()}


def _count(samples: Samples, batches: Iterable[Mapping[str, Any]]) -> dict[Slice, ContingencyTable]:
    """Count all batches by slice, with unconverted labels."""
    sums: defaultdict[Slice, list[ContingencyTable]] = defaultdict(list)
    # with many slices, the overhead of a sum exceeds the work on its cells
    n_at_once = 16 if "by" in samples.names else 2
    for rows in filter(None, batches):
        for name, table in _tables_of_batch(rows, samples).items():
            _add(sums[name], table, n_at_once)
    if not sums:
        _refuse_without_samples(samples)
    with prefix_errors(name_sources(samples.sources)):
        return {x: ContingencyTable.sum_of(parts) for x, parts in sort_by_name(sums).items()}


def _refuse_without_samples(samples: Samples) -> None:
    """Raise the errors found, or one that says why no sample is left."""
    samples.refuse()
    n_rows = samples.n_rows
    why = ", all ignored, null or with weight 0" if n_rows else ""
    samples.refuse(
        [ValueError(f"expected at least one sample to score, got {n_rows} samples{why}")]
    )


def _tables_of_batch(rows: Mapping[str, Any], samples: Samples) -> dict[Any, ContingencyTable]:
    """Count a batch by slice, or into one table; empty if all rows are left out."""
    sides = rows["references"], rows["predictions"]
    task = samples.task(sides[0], rows)
    weights = rows.get("weights")
    counts = None
    if "times" in rows or "counts" in rows:
        counts = rows.get("times", 1) * rows.get("counts", 1)
    is_sliced = "by" in rows
    by = slices_of(rows) if is_sliced else np.zeros(len(sides[0]), np.int64)
    with suppress(NoSamplesError):
        if is_sliced or counts is not None:
            return count_slices(*sides, by, task, weights, counts, rows.get("squares"))
        return {0: ContingencyTable._from_columns(*sides, task, weights)}
    return {}


def _add(sums: list[ContingencyTable], table: ContingencyTable, n_at_once: int) -> None:
    """Append a table; merge the last `n_at_once` unless the first of them is much larger."""
    sums.append(table)
    while len(sums) >= n_at_once and len(sums[-n_at_once].counts) <= 2 * len(table.counts):
        table = ContingencyTable.sum_of(sums[-n_at_once:])
        sums[-n_at_once:] = [table]


def _of_classes(table: ContingencyTable, names: Mapping[Any, Any], task: Task) -> ContingencyTable:
    """Rename labels of a table by `names`, and convert it to the classes of the task."""
    if not names and task.classes is None and task.unknown == "error":
        return table
    labels, (codes,) = merged([names.get(label, label) for label in table.labels])
    cells = Cells(codes[table.rows], codes[table.columns], table.counts, table.squared_weights)
    return ContingencyTable._from_task(labels, cells, task, table.n_samples)
