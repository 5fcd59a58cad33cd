"""List the columns if a request does not name them, and suggest a command that names them.

The rules in docs/what-is-read.md choose the columns. If no rule chooses a column for an option that
the command needs, the command contains a placeholder. The command is printed, not run.
"""

import shlex
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from itertools import chain, permutations
from typing import Any, TypeAlias

from ..files.opening import list_files
from ..files.reading import Listing, first_rows
from ..messages import message, with_subject
from ..tables.label_warnings import folded, labels_in, missing_header_message, role_in, verdicts_in
from ..text.render import count_text, cut, shown
from .request import CompareRequest, ReportRequest, Request

# Maps the name of each column to its values in the first rows; a missing value is None.
Columns: TypeAlias = Mapping[str, Sequence[Any]]
# Maps an option to its values, or the name of a column to the names of other columns.
Names: TypeAlias = Mapping[str, Sequence[str]]

_MOST_LISTED = 40  # limit on the number of columns listed
# Labels that are too common to identify a column. Labels of one character are also too common.
_COMMON_WORDS = "yes no true false on off pass fail right wrong correct incorrect"
# Options that do not request scores. With only these options, a list of columns is not an error.
_READING_OPTIONS = {"file_format", "encoding", "rows", "no_quotes", "drop_null", "keep_missing"}
_READING_OPTIONS |= {"choices", "ignore_case", "strip", "numeric"}


def ask_for_columns(request: Request) -> str:
    """List the columns of the first file, or of both if there are two, and suggest a command.

    Raises
    ------
    ValueError
        If the request is for `compare`, or has options other than those for reading files. The
        message contains the list. Also if the first rows of a file cannot be read, or no column has
        values.
    """
    path, files = request.source.path, request.source.files
    list_files(path, files.file_format)  # raises an error if a file is missing
    shown_files = path if len(path) == 2 else path[:1]
    text = _describe(request, [first_rows(file, **vars(files)) for file in shown_files])
    if isinstance(request, ReportRequest) and _READING_OPTIONS.issuperset(request.non_defaults):
        return text
    rule = "`--references` and `--predictions` must name columns; {listing}"
    raise ValueError(message(rule, listing=text))


def _describe(request: Request, listings: Sequence[Listing]) -> str:
    """List the columns of one or two files, and suggest a command."""
    title = " and ".join(listing.title for listing in listings)
    columns = _join_tables([listing.columns for listing in listings])
    if not any(columns.values()):
        rule = "there must be rows with labels, and a name above each column"
        raise ValueError(with_subject(title, f"{rule}. Add a header as the first line if needed"))
    verdicts = _join_tables([verdicts_in(f.columns, _references_in(f.columns)) for f in listings])
    tables = [{k: v for k, v in f.columns.items() if k not in verdicts} for f in listings]
    options = _missing_options(request, tables[0], tables[-1])
    options |= _suggest_by(request, tables[0], options)
    if listings[0].rows and not request.source.files.rows:
        options["--rows"] = [listings[0].rows]
    return "\n\n".join([title, _table_of(columns, verdicts), _advice(request, options, columns)])


def _join_tables(tables: Sequence[Columns]) -> dict[str, list[Any]]:
    """Join the columns of all tables; concatenate columns with the same name."""
    return {x: [*chain(*(y.get(x, ()) for y in tables))] for x in dict.fromkeys(chain(*tables))}


def _advice(request: Request, options: Names, columns: Columns) -> str:
    """Write notes on the columns, and the command as typed with the missing options added."""
    clash = [name for name, values in columns.items() if name in values]
    notes = [missing_header_message(clash)] if len(clash) > 1 else _notes_on_labels(columns)
    cells = [*columns.values()]
    if len(cells[0]) <= len(cells) and all(str(x).rstrip("%").isdigit() for x in chain(*cells[1:])):
        rule = "A matrix must have counts, the same names above and on the left, and no totals"
        notes.append(f"{rule}. If a column has no row, add a row of zeros")
    added = [*chain(*([option, *names] for option, names in options.items()))]
    placeholders = [x for x in added if x in ("TRUE", "MODEL", "MODEL_A", "MODEL_B", "ID")]
    how = f"in place of {', '.join(placeholders)}" if placeholders else "as here"
    advice = f"Name the true labels (-r) and the predictions (-p), {how}:"
    words, command = request.words, "report" if isinstance(request, ReportRequest) else "compare"
    end = words.index("--") if "--" in words else len(words)
    line = shlex.join(["informedness", command, *words[:end], *added, *words[end:]])
    return "\n".join([*(f"{note}." for note in notes), advice, f"  {line}"])


def _table_of(columns: Columns, verdicts: Names) -> str:
    """Write a header, and a line for each of at most 40 columns; prefer columns with labels."""
    names = [*columns]
    if len(names) > _MOST_LISTED:
        names.sort(key=lambda name: not labels_in(columns[name]))
    rows = [("column", "different", "most frequent")]
    for name in names[:_MOST_LISTED]:
        counts = Counter(columns[name])
        n_empty = counts.pop(None, 0)
        text = ", ".join(cut(repr(value), 16) for value, _ in counts.most_common(3)) or "(none)"
        text += f"; {n_empty:,d} empty" if n_empty else ""
        agreed = " = ".join(map(shown, verdicts.get(name, ())))
        text += f"; says whether {agreed}" if agreed else ""
        rows.append((cut(shown(name)), str(len(counts)), text))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [f"{name:{widths[0]}}  {n:>{widths[1]}}  {text}" for name, n, text in rows]
    more = len(names) - _MOST_LISTED
    return "\n".join([*lines, f"and {count_text(more, 'more column')}"] if more > 0 else lines)


def _notes_on_labels(columns: Columns) -> list[str]:
    """Write a note for each set of columns that have the same two or more labels."""
    alike = defaultdict[frozenset[str], list[str]](list)
    for name, values in columns.items():
        alike[frozenset(map(repr, labels_in(values)))].append(shown(name))
    groups = [names for labels, names in alike.items() if len(labels) > 1 < len(names)]
    return [f"{', '.join(x[:-1][:9])} and {x[-1]} have the same labels" for x in groups]


# Roles of columns


def _references_in(columns: Columns) -> list[str]:
    """Find columns of several labels whose names suggest references; keep one of equal columns."""
    names = [x for x, y in columns.items() if role_in(x) == "references" and len(labels_in(y)) > 1]
    return [*{tuple(columns[name]): name for name in names[::-1]}.values()][::-1]


def _missing_options(request: Request, first: Columns, last: Columns) -> dict[str, list[str]]:
    """Choose names of columns, or placeholders, for the options that are missing.

    The references are in the first file, and the predictions in the last file.
    """
    column_names, n_files = request.source.columns, len(request.source.path)
    references = [column_names.references] if column_names.references else _references_in(first)
    models = _models_in(references[0], first, last) if len(references) == 1 and n_files < 3 else []
    if isinstance(request, CompareRequest):
        models = _choose_pair(models, first, n_files)
    options = {"-r": references if len(references) == 1 else ["TRUE"], "-p": models or ["MODEL"]}
    options["--on"] = _find_identifiers(first, last) if n_files == 2 else []
    has_missing = any(None in last.get(x, ()) for x in models or column_names.predictions)
    if has_missing and {"unknown", "drop_null", "keep_missing"}.isdisjoint(request.non_defaults):
        options["--unknown"] = ["wrong"]  # flatters no model
    given = {"-r": column_names.references, "-p": column_names.predictions, "--on": column_names.on}
    return {option: names for option, names in options.items() if names and not given.get(option)}


def _choose_pair(models: Sequence[str], first: Columns, n_files: int) -> list[str]:
    """Choose one column that is in both files, or two columns of one file, or placeholders."""
    placeholders = ["MODEL"] if n_files == 2 else ["MODEL_A", "MODEL_B"]
    names = [name for name in models if name in first and role_in(name) != "references"]
    return names if len(names) == len(placeholders) else placeholders


def _find_identifiers(first: Columns, last: Columns) -> list[str]:
    """Find a column with the same unique values in both files, or use a placeholder.

    The list is empty if the files do not have a common column.
    """
    common = [name for name in first if name in last]
    ids = [name for name in common if {*first[name]} == {*last[name]}]
    ids = [name for name in ids if len({*first[name]}) == len(first[name]) == len(last[name])]
    return ids[:1] or ["ID"][: len(common)]


def _suggest_by(request: Request, columns: Columns, options: Names) -> dict[str, list[str]]:
    """Suggest --by for a column whose values each occur once with each value of another column.

    The other column must have more different values. An example is the column of models in a file
    with one row for each model and sample. Nothing is suggested for `compare`, for several models,
    or if the request has an option that excludes --by.
    """
    column_names = request.source.columns
    models = options.get("-p", column_names.predictions)
    others = {"by", "by_task", "by_file", "metric"}.intersection(request.non_defaults)
    if others or len(models) > 1 or isinstance(request, CompareRequest):
        return {}
    used = {column_names.references, *column_names.predictions, *chain(*options.values())}
    sizes = {name: len({*values}) for name, values in columns.items() if name not in used}
    for few, many in permutations(sizes, 2):
        n_rows = len(columns[few])
        is_grid = sizes[few] * sizes[many] == n_rows and 1 < sizes[few] < sizes[many]
        if is_grid and len({*zip(columns[few], columns[many], strict=True)}) == n_rows:
            return {"--by": [few]}
    return {}


def _models_in(references: str, first: Columns, last: Columns) -> list[str]:
    """Find columns of predictions by their names, or else by their labels.

    Columns whose names suggest predictions are used if most of their labels are classes. Without
    such names, the column of a second file with the name of the references is used. If the second
    file lacks it, or there is one file, the labels must be those of the references, and must not
    all be too common.
    """
    # without differences of case and surrounding whitespace
    classes = {*map(folded, labels_in(first.get(references, ())))}
    labels = {k: {*map(folded, labels_in(v))} for k, v in last.items() if k != references}
    if names := [name for name in labels if role_in(name) == "predictions"]:
        return [name for name in names if 2 * len(labels[name] & classes) > len(labels[name])]
    if first is not last and references in last:
        return [references]
    are_common = all(len(label) == 1 or label in _COMMON_WORDS.split() for label in classes)
    return [] if are_common else [k for k, v in labels.items() if v == classes]
