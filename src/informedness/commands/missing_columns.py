"""The error that nobody has named columns: it lists them, and says which could be meant.

Tested in tests/test_suggestions.py.
"""

from argparse import Namespace
from collections import Counter
from pathlib import Path
from typing import Any, TypeAlias

from ..errors import DataError
from ..files.listing import MOST_ROWS, columns_listed, is_model, labels_in, outside_classes
from ..files.open import list_files
from ..tables.doubts import no_header, role_in
from ..text.layout import Rows, aligned
from ..text.render import cut, shown
from .reading import samples_of, values_of
from .rules import OF_FILES

Columns: TypeAlias = dict[str, Counter[object]]
"""How often each value occurs in the columns of a file, by name; None stands for empty cells."""

UNKNOWN_NAME = "ID"
"""What stands in a suggested line for a column that nobody can know."""
_BESIDE = {"weights", "counts", "by", "groups"}


def ask_for_columns(options: Namespace) -> None:
    """Raise the error that lists the columns of the first file, or of both of two."""
    samples_of(options, {})  # refuses options with which no columns would do
    file_options = values_of(options, "encoding", *OF_FILES)
    try:
        first = columns_listed(options.path[0], **file_options)
    except DataError as error:
        if "rows" not in error.remedy:
            raise
        (file_options["rows"],) = error.remedy["rows"]  # the only place where rows can be
        first = columns_listed(options.path[0], **file_options)
    misplaced = [word for word in options.path[1:] if word in first and not Path(word).exists()]
    paths = [path for path in options.path if path not in misplaced]
    list_files(paths, options.file_format)  # all exist
    last = columns_listed(paths[1], **file_options) if len(paths) == 2 else first
    columns = {
        name: first.get(name, Counter()) | last.get(name, Counter()) for name in first | last
    }
    files = " and ".join(map(shown, paths[: 2 if len(paths) == 2 else 1]))
    if not any(columns.values()):
        raise ValueError(
            f"{files}: there must be rows with labels, and a name above each column that no other "
            "has: if there is no header, add one as the first line"
        )

    labels_as_names = [name for name, amounts in columns.items() if name in amounts]
    advice = f"{no_header(labels_as_names)}.\n" if len(labels_as_names) > 1 else ""
    advice += "Name the true labels (-r) and the predictions (-p) from this list"
    has_rows = file_options["rows"] != options.rows
    if has_rows:
        advice += f", with --rows {file_options['rows']}"
    identifiers = _identifiers(first, last) if len(paths) == 2 else []
    remedy = _remedy(options, first, last, paths, misplaced, identifiers)
    if identifiers and options.on is None and not remedy:
        advice += f"; both files have the same values of {shown(identifiers[0])}: if it identifies "
        advice += "samples, `--on` joins predictions to labels, and `compare` compares two models"
    if remedy:
        advice += ", for example"  # of which nothing is left if no line can be shown
        if has_rows:
            remedy["rows"] = [file_options["rows"]]
        if remedy.get("on") == [UNKNOWN_NAME]:
            advice += f" with the column that identifies a sample in place of {UNKNOWN_NAME}"
    raise DataError(
        f"`--references` and `--predictions` must name columns of {files}; the first "
        f"{MOST_ROWS:,} rows have\n\n{aligned(_listed(columns))}\n\n{advice}",
        remedy,
    )


def _listed(columns: Columns) -> Rows:
    """Return the list of columns, each with its most frequent values."""
    rows = [["column", "different", "most frequent"]]
    for name, amounts in columns.items():
        n_empty = amounts[None]
        filled = amounts - Counter({None: n_empty})
        examples = ", ".join(cut(repr(value), 16) for value, _ in filled.most_common(3))
        if examples and n_empty:
            examples += f"; {n_empty:,d} empty"
        cells = [shown(name), str(len(filled)), examples or "(none, or several by this name)"]
        rows.append(cells)
    return rows


def _identifiers(first: Columns, last: Columns) -> list[str]:
    """Return the columns with the same values in both files, each once, but for one without a name.

    That is the index of a data frame, which counts the rows of each file.
    """
    return [x for x, n in first.items() if x and n == last.get(x) and n.total() == len(n) > 1]


def _remedy(
    options: Namespace,
    first: Columns,
    last: Columns,
    paths: list[str],
    misplaced: list[str],
    identifiers: list[str],
) -> dict[str, Any]:
    """Return the options that would do; nothing unless one column alone is called references.

    Models are columns with labels of the references. `misplaced` are columns given as files.
    """
    is_report = options.command == "report"
    is_pair = len(paths) == 2
    shared = [name for name in first if first[name] and last.get(name)]  # none of two of a name
    # joined for a report, the references are in the first file and the predictions in the last
    is_joined = is_report and (options.on is not None or bool(identifiers))
    names = [*(first | last)] if is_joined else shared
    columns = {x: first.get(x, Counter()) | last.get(x, Counter()) for x in names}
    true = [x for x in names if first.get(x) and role_in(x) == "references"]
    if options.references is not None:
        true = [x for x in names if x == options.references]
    true = [x for x in true if len(labels_in(columns[x])) > 1]
    if len(true) != 1 or None in columns[true[0]]:
        return {}
    classes = labels_in(columns[true[0]])
    beside = [x for x in names if last.get(x) and role_in(x) != "references" and x not in true]
    models = options.predictions or [x for x in beside if is_model(columns[x], classes)]

    n_models = 1 if is_report or is_pair else 2
    is_known = len(models) >= n_models and len(paths) <= 2 and options.on in {None, *shared}
    is_known &= {*models} <= {*columns}
    is_of_two = is_joined and options.on is None and not {*models}.isdisjoint(first)
    if not is_known or is_of_two or options.given & _BESIDE:
        return {}
    models = [model for model in models if model in misplaced] or models
    if not is_report or is_pair:
        models = models[:n_models]
    remedy: dict[str, Any] = {"references": true, "predictions": models}
    for option in options.given & {*remedy}:
        del remedy[option]
    if options.unknown == "error" and any(outside_classes(columns[x], classes) for x in models):
        remedy["unknown"] = ["wrong"]
    if misplaced:
        remedy["columns"] = dict.fromkeys(misplaced)
    if is_pair and options.on is None and (is_joined or not is_report):
        remedy["on"] = identifiers[:1] or [UNKNOWN_NAME]
    return remedy
