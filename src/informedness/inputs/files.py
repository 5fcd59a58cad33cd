"""Files of predictions, one row per sample, counted in batches that need little memory."""

from __future__ import annotations

import re
from collections.abc import Sequence
from os import PathLike
from typing import Any, TypeAlias

from ..core.labels import Label
from .answered import LabelOptions
from .columns import named_columns
from .samples import Samples, read_files
from .tables import tables_of

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
    rows: str | None = None,
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
        Leave out rows with a null in one of these columns; by default nulls are an error. In CSV
        and TSV empty cells are nulls, in quotes or not, and so are references and predictions that
        are "NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>" or "#N/A", unless `labels`,
        `choices` or `ignore_index` name them. With `unknown="wrong"` a missing prediction is a
        wrong answer.
    keep_missing : bool
        Read such text, and empty cells as empty text, as labels.
    rows : str, optional
        Where the rows are within a JSON document: "results.results" is the list results in the
        object results, and "." the document itself. They are objects, in a list or as the values of
        one object, or lists of cells beside a list "columns" of their names.
    by : str or sequence of str, optional
        Names of columns to slice by, for one table per value or combination of values. The result
        is then a dict of tables, which `Slices.from_tables` scores.

    Warns
    -----
    InformednessWarning
        If files in a folder are left out; the message names them.
    LabelsWarning
        If text for a missing value or -100 counts as a class, labels differ only in case or blanks,
        another column is called a count and no pair of labels occurs twice, or names of columns say
        that the sides are swapped.
    UndefinedMetricWarning
        If predictions are no class of the references.

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
    samples = Samples(names, options, drop_null=drop_null, keep_missing=keep_missing)
    how = {"file_format": file_format, "encoding": encoding, "rows": rows}
    return tables_of(samples, read_files(path, samples, **how))
