"""The list of columns, for somebody who has not named any, and a line that names them.

The line has names only if one reading is left, by the rule in docs/files.md; no command is tried.
"""

import re
import shlex
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any, TypeAlias

from ..files.opening import list_files
from ..files.reading import first_rows
from ..messages import message, with_subject
from ..tables.label_warnings import (
    DECIMAL,
    folded,
    labels_in,
    missing_header_message,
    role_in,
    verdicts_in,
)
from ..text.render import cut, several, shown
from .request import ReportRequest, Request

# The first rows of columns, by name, None where a value is missing
Columns: TypeAlias = Mapping[str, Sequence[Any]]
# What is put behind a command, by option
Line: TypeAlias = dict[str, Sequence[str]]

_MOST_LISTED = 40
# Labels that may say anything, as numbers and single letters may
_FLAGS = {*"yes no true false on off pass fail right wrong correct incorrect".split()}  # noqa: SIM905
# Options with which the labels, or the rows, are not those in the list
_CHANGES = {"predictions", "weights", "counts", "by", "by_task", "groups", "extract", "choices"}
_CHANGES |= {"threshold", "labels"}
# Options with which the columns can be listed
_READING = {"file_format", "encoding", "rows", "no_quotes", "drop_null", "keep_missing", "choices"}
_READING |= {"ignore_case", "strip", "numeric"}


def ask_for_columns(request: Request) -> str:
    """Return the columns of the first file, or of both of two, and a line that names them.

    Raises
    ------
    ValueError
        If more was asked for than which columns there are; it says the same.
    """
    path, is_pair = request.source.path, len(request.source.path) == 2
    list_files(path, request.source.files.file_format)  # all exist
    file_format = vars(request.source.files)
    listings = [first_rows(file, **file_format) for file in path[: 1 + is_pair]]
    titles = " and ".join(listing.title for listing in listings)
    tables = [listing.columns for listing in listings]
    below = tables[1] if is_pair else {}
    columns = tables[0] | {x: [*tables[0].get(x, ()), *y] for x, y in below.items()}
    if not any(columns.values()):
        names = "a name above each column: if there is no header, add one as the first line"
        raise ValueError(with_subject(titles, f"there must be rows with labels, and {names}"))
    verdicts = dict[str, tuple[str, ...]]()
    for table in tables:
        references = [request.source.columns.references, *_references_in(table)]
        verdicts |= verdicts_in(table, references)
    line, notes = _line(request, tables, verdicts)
    notes = [*_shared_labels(columns), *notes]
    if len(clash := [name for name, values in columns.items() if name in values]) > 1:
        line, notes = {}, [missing_header_message(clash)]
    how = "as here"
    if not line:
        line = _placeholders(request, is_joined=not {*tables[0]}.isdisjoint(below))
        how = f"in place of {', '.join(name for names in line.values() for name in names)}"
    advice = f"Name the true labels (-r) and the predictions (-p), {how}:"
    text = [*(f"{note}." for note in notes), advice, _typed(request, line, listings[0].rows)]
    listing = "\n\n".join([titles, _listed(columns, verdicts), "\n".join(text)])
    if isinstance(request, ReportRequest) and request.given <= _READING:
        return listing
    rule = "`--references` and `--predictions` must name columns; {listing}"
    raise ValueError(message(rule, listing=listing))


def _placeholders(request: Request, *, is_joined: bool) -> Line:
    """Return capitals in place of the names of columns; two files may be joined by another."""
    is_one = len(request.source.path) == 2 or isinstance(request, ReportRequest)
    line: Line = {"-r": ["TRUE"], "-p": ["MODEL"] if is_one else ["MODEL_A", "MODEL_B"]}
    return line | {"--on": ["ID"]} if is_joined else line


def _typed(request: Request, line: Line, rows: str | None) -> str:
    """Return the command that was typed, with the options that are missing."""
    columns = request.source.columns
    given = {"-r": columns.references, "-p": columns.predictions, "--on": columns.on}
    added = [x for flag, names in line.items() if not given.get(flag) for x in (flag, *names)]
    added += ["--rows", rows] if rows and not request.source.files.rows else []
    end = request.typed.index("--") if "--" in request.typed else len(request.typed)
    typed = [*request.typed[:end], *added, *request.typed[end:]]
    command = "report" if isinstance(request, ReportRequest) else "compare"
    return f"  {shlex.join(['informedness', command, *typed])}"


def _listed(columns: Columns, verdicts: Mapping[str, Sequence[str]]) -> str:
    """Return a line for each column, with its most frequent values; of many those with labels."""
    names = [*columns]
    if len(names) > _MOST_LISTED:
        names.sort(key=lambda name: not labels_in(columns[name]))
    rows = [("column", "different", "most frequent")]
    for name in names[:_MOST_LISTED]:
        times = Counter(columns[name])
        n_empty = times.pop(None, 0)
        text = ", ".join(cut(repr(value), 16) for value, _ in times.most_common(3)) or "(none)"
        text += f"; {n_empty:,d} empty" if n_empty else ""
        agreed = " = ".join(map(shown, verdicts.get(name, ())))
        text += f"; agrees with {agreed}" if agreed else ""
        rows.append((cut(shown(name)), str(len(times)), text))
    widths = [max(map(len, cells)) for cells in zip(*rows, strict=True)]
    lines = [f"{name:{widths[0]}}  {n:>{widths[1]}}  {text}" for name, n, text in rows]
    more = len(names) - _MOST_LISTED
    return "\n".join([*lines, f"and {several(more, 'more column')}"] if more > 0 else lines)


def _shared_labels(columns: Columns) -> list[str]:
    """Return which columns have the same labels."""
    alike: dict[frozenset[Any], list[str]] = {}
    for name, values in columns.items():
        if len(labels := labels_in(values)) > 1:
            alike.setdefault(frozenset(map(repr, labels)), []).append(shown(name))
    text = "{} and {} have the same labels"
    return [text.format(", ".join(x[:-1][:9]), x[-1]) for x in alike.values() if len(x) > 1]


# Which column is which


def _references_in(columns: Columns) -> list[str]:
    """Return the columns of labels that are called references, of equal ones the first."""
    names = [x for x, y in columns.items() if role_in(x) == "references" and len(labels_in(y)) > 1]
    return [*{tuple(columns[name]): name for name in names[::-1]}.values()][::-1]


def _line(
    request: Request, tables: Sequence[Columns], verdicts: Collection[str]
) -> tuple[Line, list[str]]:
    """Return the columns by option, and why; none if several readings are left.

    Of two files the first has the references, and the second the predictions.
    """
    first, *others = ({x: table[x] for x in table if x not in verdicts} for table in tables)
    last = others[0] if others else first
    named, path = request.source.columns.references, request.source.path
    asked = [named] if named else _references_in(first)
    readings = [(true, models) for true in asked if (models := _models(true, first, last))]
    if len(readings) != 1 or len(path) > 2 or request.given & _CHANGES:
        return {}, []
    ((true, models),) = readings
    beside = _joined(request, true, models, first, last) if others else _sliced(first, true, models)
    if beside is None or (not isinstance(request, ReportRequest) and len(models) != 2):
        return {}, []
    needs, notes = _needs(first[true], [last[model] for model in models])
    if others:
        notes.insert(0, f"The labels in {shown(path[0])}, the first file, count as true")
    return {"-r": [true], "-p": models} | beside | needs, notes


def _joined(
    request: Request, true: str, models: Sequence[str], first: Columns, last: Columns
) -> Line | None:
    """Return the column of identifiers, none if rows are paired; None if two files do not fit."""
    shared = [name for name in first if name in last]
    ids = (
        [request.source.columns.on]
        if request.source.columns.on
        else [x for x in shared if _identify(first[x], last[x])]
    )
    ids = sorted(ids, key=lambda name: name == "")[:1]  # an index counts rows
    has_both = len(models) > 1 or bool(_models(true, first, first))
    if has_both or bool(ids) != bool(shared) or not {*ids} <= {*shared}:
        return None
    return {"--on": ids} if ids else {} if len(first[true]) == len(last[models[0]]) else None


def _identify(first: Sequence[Any], last: Sequence[Any]) -> bool:
    """Return whether two columns have the same values, each once."""
    return None not in first and Counter(first) == Counter(last) and 1 < len(first) == len({*first})


def _models(true: str, first: Columns, columns: Columns) -> list[str]:
    """Return the columns of predictions: they have labels of the references, and a name for it.

    Without such a name it is the only one with all of them, if these may not say anything else.
    """
    references = first.get(true, ())
    classes = {*map(folded, labels_in(references))}
    names = [x for x in columns if len(classes) > 1 and (x != true or first is not columns)]
    shares = {name: _share_in(columns[name], references, classes) for name in names}
    called = [name for name in names if role_in(name) == "predictions" or name == true]
    others = [name for name in names if shares[name] >= 0.9 and role_in(name) is None]
    others = [name for name in others if classes <= {*map(folded, columns[name])}]
    if not called and len(others) == 1 and not all(map(_is_flag, classes)):
        return [] if columns[others[0]] == references else others  # a copy of the true labels
    return [name for name in called if shares[name] >= 0.5]


def _share_in(values: Sequence[Any], true: Sequence[Any], classes: Collection[str]) -> float:
    """Return which share of the filled cells are classes; 0 of scores, or of another type."""
    are_alike = len({type(x) is str for x in {*true, *values} - {None}}) == 1
    times = Counter(values)
    n_filled = times.total() - times.pop(None, 0)
    others = {x for x in times if folded(x) not in classes}
    if not n_filled or not are_alike or any(re.fullmatch(DECIMAL, folded(x)) for x in others):
        return 0
    return 1 - sum(times[x] for x in others) / n_filled


def _is_flag(label: str) -> bool:
    """Return whether a label may say anything."""
    return len(label) == 1 or label in _FLAGS or bool(re.fullmatch(r"[-+]?[\d.]+", label))


def _sliced(columns: Columns, true: str, models: Sequence[str]) -> Line | None:
    """Return the column of models if each has all samples, as identifiers that repeat show.

    None if identifiers repeat and no column says why, or each row is another pair of labels, as in
    a table of counts.
    """
    references = columns[true]
    if len({*zip(references, *map(columns.get, models), strict=True)}) == len(references):
        return None
    others = {name: x for name, x in columns.items() if name not in (true, *models)}
    for values in others.values():
        times = Counter(values)
        ((n_models, _),) = Counter(times.values()).most_common(1)
        n_alike = sum(abs(n - n_models) <= 1 for n in times.values())
        is_repeated = 1 < n_models < len(times) > len({*references}) and n_alike >= 0.9 * len(times)
        if is_repeated and len({*zip(values, references, strict=True)}) == len(times):
            n_pairs = {x: len({*zip(values, y, strict=True)}) for x, y in others.items()}
            sizes = {x: len({*others[x]}) for x, n in n_pairs.items() if n == len(values)}
            by = [x for x, n in sizes.items() if n_models <= n <= n_models + 1]
            return {"--by": by[:1]} if by else None
    return {}


def _needs(true: Sequence[Any], answers: Sequence[Sequence[Any]]) -> tuple[Line, list[str]]:
    """Return the options that the labels need, and why; letters of the references stay apart."""
    line, notes = dict[str, Sequence[str]](), list[str]()
    labels = {str(x) for side in (true, *answers) for x in side if x is not None}
    short = {str(x) for x in {*true} - {None} if sum(map(str.isalpha, str(x))) < 3}
    kinds: list[Any] = [("--ignore-case", "case", str.casefold), ("--strip", "blanks", str.strip)]
    for flag, kind, fold in kinds:
        n_alike = sum(n for n in Counter(map(fold, labels)).values() if n > 1)
        if n_alike and len({*map(fold, short)}) == len(short):
            line[flag] = []
            notes.append(f"{len(labels)} labels, of which {n_alike} differ only by {kind}")
    if None in true:
        line["--drop-null"] = []
    if not {folded(x) for side in answers for x in side} <= {*map(folded, true)} - {""}:
        line["--unknown"] = ["wrong"]
        notes.append("Predictions that are missing, or no class of the references, are wrong")
    return line, notes
