"""Files of predictions, one row per sample, counted in batches that need little memory."""

import re
from collections.abc import Iterator, Sequence
from functools import reduce
from operator import add
from os import PathLike
from typing import overload

from ..contingency import ContingencyTable
from ..core.labels import Label, NoSamplesError
from ..core.table import Task, warn_of_padding
from ..inputs.containers import read_task
from ..slicing import Slice, SlicedCells, count_slices, merge_slices, tables_of
from .answered import LabelOptions, label_options, read_labels
from .columns import check_nulls, no_samples, slices_of, with_slices
from .paths import list_files
from .readers import DELIMITERS, Batch, read_batches


@overload
def table_from_file(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    references: str,
    predictions: str,
    weights: str | None = ...,
    file_format: str | None = ...,
    numeric: bool = ...,
    labels: Sequence[Label] | None = ...,
    ignore_index: Label | None = ...,
    unknown: str = ...,
    extract: str | re.Pattern[str] | None = ...,
    choices: Sequence[str] | None = ...,
    drop_null: bool = ...,
    keep_empty: bool = ...,
    by: None = ...,
) -> ContingencyTable: ...
@overload
def table_from_file(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    references: str,
    predictions: str,
    by: str | Sequence[str],
    weights: str | None = ...,
    file_format: str | None = ...,
    numeric: bool = ...,
    labels: Sequence[Label] | None = ...,
    ignore_index: Label | None = ...,
    unknown: str = ...,
    extract: str | re.Pattern[str] | None = ...,
    choices: Sequence[str] | None = ...,
    drop_null: bool = ...,
    keep_empty: bool = ...,
) -> dict[Slice, ContingencyTable]: ...
def table_from_file(
    path: str | PathLike[str] | Sequence[str | PathLike[str]],
    *,
    references: str,
    predictions: str,
    weights: str | None = None,
    file_format: str | None = None,
    numeric: bool = False,
    labels: Sequence[Label] | None = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    extract: str | re.Pattern[str] | None = None,
    choices: Sequence[str] | None = None,
    drop_null: bool = False,
    keep_empty: bool = False,
    by: str | Sequence[str] | None = None,
) -> ContingencyTable | dict[Slice, ContingencyTable]:
    r"""Return the contingency table of files of predictions, which may be larger than memory.

    Parameters
    ----------
    path : path or sequence of paths
        A file, a folder of part files, or several of them, which count as one data set. In folders
        and their subfolders, names that start with "." or "_" are skipped. "-" is standard input,
        which needs `file_format`.
    references, predictions, weights : str
        Names of the columns. "doc.label" is the field label within the column doc, and
        "doc.answers.0" the first element of a list in it, unless a column has the whole name.
        "argmax:scores" is the position of the greatest number in each list of the column scores;
        if several are equal, the first. CSV and TSV have no nested columns and no lists.
    file_format : {"arrow", "csv", "jsonl", "parquet", "tsv"}, optional
        By default taken from each file name. "arrow" is Arrow IPC, also known as Feather.
    numeric : bool
        Whether text labels are integers. CSV and TSV are read as text, in which 001 is not 1;
        the other formats have types of their own.
    labels, ignore_index, unknown
        As in `ContingencyTable.from_labels`; if the file's labels are integers, they may be given
        as text.
    extract : str or re.Pattern, optional
        A regular expression that takes the class out of generated text, in predictions only: the
        first group of the first match, or the whole match if there is no group. Put `(?s).*` in
        front to take the last match. Text without a match is an error, or with `unknown="wrong"` a
        wrong answer.
    choices : sequence of str, optional
        The names of the classes. Integers in references and predictions are positions in this
        list, from 0, and become the names; text must be one of the names. Other predictions are an
        error, or with `unknown="wrong"` wrong answers. In CSV "0" is text, and a position only with
        `numeric`; with `choices`, text that is not an integer then stays as it is.
    drop_null : bool
        Leave out rows with a null in one of these columns; by default nulls are an error.
    keep_empty : bool
        Read empty cells of CSV and TSV as labels that are empty text; by default they are nulls,
        in quotes or not, as pandas and others write them.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

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
    options = label_options(
        numeric=numeric,
        extract=extract,
        choices=choices,
        labels=labels,
        ignore_index=ignore_index,
        unknown=unknown,
    )
    is_declared = labels is not None or choices is not None
    names = with_slices({"references": references, "predictions": predictions}, by)
    if weights is not None:
        names["weights"] = weights
    files = list_files(path, file_format)
    tables: list[ContingencyTable] = []
    slices: list[SlicedCells] = []
    n_rows, nulls = 0, dict.fromkeys(names, 0)
    with_nulls: list[tuple[str, str]] = []
    for file, kind in files:
        try:
            for batch, counted in _count_file(file, kind, names, options, keep_empty):
                n_rows += batch.n_rows
                nulls = {argument: n + batch.nulls[argument] for argument, n in nulls.items()}
                with_nulls += [(file, kind)] if any(batch.nulls.values()) else []
                if isinstance(counted, ContingencyTable):
                    _add_table(tables, counted)
                elif counted is not None:
                    _add_slices(slices, counted)
        except ValueError as error:
            raise ValueError(f"{file}: {error}") from error
    where = [file for file, _ in with_nulls or files]
    try:
        if not drop_null:
            has_cells = any(kind in DELIMITERS for _, kind in with_nulls)
            check_nulls(names, nulls, n_rows, empty_cells=has_cells and not keep_empty)
        if not tables and not slices:
            raise no_samples(n_rows)
        if slices:
            sliced = merge_slices(slices)
            classes = options.classes(isinstance(sliced.labels[0], int))
            by_slice = tables_of(sliced, Task(classes, None, unknown))
            if not is_declared and ignore_index is None:
                warn_of_padding(ContingencyTable.sum_of(list(by_slice.values())))
            return by_slice
    except ValueError as error:
        others = len(set(where)) - 1
        more = f" and {others} more" if others else ""
        raise ValueError(f"{where[0]}{more}: {error}") from error
    table = reduce(add, tables)
    if not is_declared and ignore_index is None:
        warn_of_padding(table)
    return table


def _count_file(
    file: str, kind: str, names: dict[str, str], options: LabelOptions, keep_empty: bool
) -> Iterator[tuple[Batch, ContingencyTable | SlicedCells | None]]:
    """Yield each batch of a file, and its table, or the cells of its slices."""
    row = 0
    for batch in _ahead(read_batches(file, kind, names, keep_empty)):
        try:
            yield batch, _count(batch, options)
        except ValueError as error:
            raise ValueError(f"in the rows from {row} on: {error}" if row else error) from error
        row += batch.n_rows


def _count(batch: Batch, options: LabelOptions) -> ContingencyTable | SlicedCells | None:
    """Return the table of a batch, or the cells of its slices; None if no row of it counts."""
    references, predictions = (
        read_labels(batch.columns[role], role, options) for role in ("references", "predictions")
    )
    is_integer = references.kind == "integers"
    classes, ignored = options.classes(is_integer), options.ignored(is_integer)
    weights = batch.columns.get("weights")
    try:
        # which does not warn of -100: that is done once for all batches, at the end
        r, p, task = read_task(references, predictions, classes, ignored, options.unknown)
        if "by" in batch.columns:
            return count_slices(r, p, slices_of(batch.columns, batch.columns), task, weights)
        return ContingencyTable.from_columns(r, p, task, weights)
    except NoSamplesError:
        return None


def _add_table(tables: list[ContingencyTable], table: ContingencyTable | None) -> None:
    """Add a table to sums that each have more cells than the next: no cell is merged often."""
    if table is not None:
        tables.append(table)
        while len(tables) > 1 and len(tables[-2].counts) <= 2 * len(tables[-1].counts):
            tables[-2:] = [tables[-2] + tables[-1]]


def _add_slices(parts: list[SlicedCells], part: SlicedCells) -> None:
    """Add a part to sums that each have more cells than the next, as tables are added."""
    parts.append(part)
    while len(parts) > 1 and len(parts[-2].slices) <= 2 * len(parts[-1].slices):
        parts[-2:] = [merge_slices(parts[-2:])]


def _ahead(batches: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the batches, each read by another thread while the one before is counted."""
    from concurrent.futures import ThreadPoolExecutor  # not wanted where no file is read

    with ThreadPoolExecutor(max_workers=1) as reader:
        coming = reader.submit(next, batches, None)
        while (batch := coming.result()) is not None:
            coming = reader.submit(next, batches, None)
            yield batch
