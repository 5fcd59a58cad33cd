"""What the commands of the command line do: each takes the options and returns the text to print.

What only some of them need is imported where it is used, so that the others start sooner.
"""

import json
import os
from argparse import Namespace
from collections import Counter
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from .contingency import ContingencyTable
from .core.labels import Column, check_choice
from .inputs.answered import LabelOptions
from .inputs.paths import list_files, named_format, open_whole
from .results.layout import aligned
from .results.text import cut, cut_apart, shown
from .statistics.intervals import check_level
from .statistics.registry import SCORES, averaged_score

if TYPE_CHECKING:
    from .results.comparison import Comparison
    from .results.leaderboard import Leaderboard

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
}
# Options that go together
_OF_TEXT = ("extract", "choices", "ignore_case", "strip")
_OF_LABELS = (*_OF_TEXT, "numeric", "labels", "ignore_index", "unknown")
_OF_FILES = ("file_format", "encoding", "drop_null", "keep_missing", "each_row_a_sample")
_OF_LOGS = ("harness", "task", "variant", "runs", "latest", "epoch", "epochs")
_OF_ROWS = ("labels", "ignore_index", "numeric", "encoding", "drop_null", "keep_missing")
_OF_SLICES = ("classes", "column", "vs_rest")
_OF_COLUMNS = ("weights", "counts", "by", *_OF_SLICES, "on", "groups", "file_format")
_OF_TEST = ("metric", "average", "confidence_level")
_MOST_COLUMNS, _MOST_ROWS = 40, 10_000  # of a file that are shown, and looked at


# What is asked for


def _source(options: Namespace) -> str:
    """Return whether the labels are in "columns", in "lines" of text or in "logs"."""
    named = [x for x in (options.references, options.predictions) if x is not None]
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in options.path]
    if len(named) == 2:
        return "columns"
    if named and _is_table(options):
        raise ValueError(_columns_there(options))
    if named or (any(is_text) and is_text != [True, True]):
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be logs "
            "of evaluation harnesses or, for a report, two text files (.txt), of references and of "
            f"predictions, one label per line, got {' '.join(options.path)}"
        )
    return "lines" if any(is_text) else "logs"


def _check(options: Namespace) -> str:
    """Refuse what cannot work, before hours of reading, and return where the labels are."""
    source, by = _source(options), getattr(options, "by", None)
    is_report = options.command == "report"
    is_ranking = is_report and len(options.predictions or ()) > 1
    is_number = is_report and not is_ranking and options.metric is not None
    logs = (
        "logs of evaluation harnesses, which show what the references and predictions are: leave "
        "out --references and --predictions"
    )
    columns = "columns: give --references and --predictions, or leave it out"
    scores = "all scores, and --metric prints one: leave out one of them"
    intervals = "the intervals of slices: add --confidence-level 0.95"
    has_intervals = by is None or options.confidence_level is not None
    for names, is_met, what in (
        (_OF_LOGS, source == "logs", logs),
        (_OF_ROWS, source != "logs", columns),
        (_OF_COLUMNS, source == "columns", columns),
        (("weights", "by"), not is_ranking, "one model: give one column of --predictions"),
        (("counts",), getattr(options, "on", None) is None, "rows without identifiers"),
        (_OF_SLICES, by is not None, "slices: add --by COLUMN"),
        (("average",), options.metric, "one score: add --metric, whose average it sets"),
        (("by", "plot"), not is_number, scores),
        (("plot",), has_intervals, intervals),
    ):
        known = [action for action in options.known if action.dest in names]
        given = [x for x in known if getattr(options, x.dest) != x.default]
        if given and not is_met:
            raise ValueError(f"`{given[0].option_strings[-1]}` is for {what}")
    if options.confidence_level is not None:
        check_level(options.confidence_level)
    if options.metric is not None:
        averaged_score(options.metric, options.average)
    if getattr(options, "vs_rest", None) is not None:
        check_choice("vs_rest", options.vs_rest, SCORES)
    if not options.as_is:
        _check_two_sides(options, source)
    twice = [x for x in options.predictions or () if options.predictions.count(x) > 1]
    if twice and getattr(options, "on", None) is None:
        raise ValueError(f"`--predictions` must name each column once, got {twice[0]!r} twice")
    if source == "logs" and _is_table(options):
        raise ValueError(_columns_there(options))
    return source


def _check_two_sides(options: Namespace, source: str) -> None:
    """Raise ValueError if what is scored against each other is one column, or one file."""
    models = options.predictions or []
    if options.references is not None and options.references in models:
        raise ValueError(
            f"`--predictions` must be another column than `--references`, got "
            f"{options.references!r} for both: --as-is scores it against itself"
        )
    is_pair = source == "lines" or (options.command == "compare" and len({*models}) < 2)
    if is_pair and len(options.path) > len({Path(file).resolve() for file in options.path}):
        raise ValueError(
            f"FILE must name two files, got {options.path[0]} twice: --as-is uses it for both"
        )


def _is_table(options: Namespace) -> bool:
    """Return whether what is given without columns is a file with columns, and no log."""
    from .logs.reading import READERS

    file = Path(options.path[0])
    if options.harness is not None or named_format(file) is None or not file.is_file():
        return False
    return not any(reader.is_log(file) for reader in READERS.values())


def _columns_there(options: Namespace) -> str:
    """Return what to say of a file whose columns nobody has named: which there are."""
    from .inputs.readers import column_names, read_batches

    file, kind = list_files(options.path[0], options.file_format)[0]
    rows = [["column", "different", "most frequent"]]
    for name in column_names(file, options.file_format, options.encoding)[:_MOST_COLUMNS]:
        values: Any = []
        with (
            suppress(ValueError),  # of a column with several values per row its name has to do
            open_whole(file, encoding=options.encoding, is_archive=kind == "xlsx") as stream,
        ):
            batch = next(read_batches(stream, kind, {"predictions": name}), None)
            values = [] if batch is None else batch.columns["predictions"][:_MOST_ROWS]
        plain = values if isinstance(values, list) else values.to_pylist()
        times = Counter(map(repr, plain))
        often = ", ".join(cut(value, 16) for value, _ in times.most_common(3))
        rows.append([shown(name), str(len(times)), often])
    models = "MODEL" if options.command == "report" else "MODEL OTHER"
    return (
        f"`--references` and `--predictions` must name columns of {file}; in its first "
        f"{_MOST_ROWS:,} rows it has\n\n{aligned(rows)}\n\nName the true labels and the "
        f"predictions from this list: informedness {options.command} {file} -r LABEL -p {models}"
    )


def _given(options: Namespace, *names: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


def _label_options(options: Namespace) -> LabelOptions:
    """Return the options that say what a label is and which labels count."""
    return LabelOptions(**_given(options, *_OF_LABELS))


def _classes(options: Namespace, references: Column) -> dict[str, Any]:
    """Return the options that say which labels count, of the same type as the references."""
    how, is_integer = _label_options(options), references.kind == "integers"
    labels, ignored = how.classes(is_integer), how.ignored(is_integer)
    return {"labels": labels, "ignore_index": ignored, "unknown": how.unknown}


def _reading(options: Namespace) -> dict[str, Any]:
    """Return the options for reading whole columns."""
    return {"options": _label_options(options), **_given(options, *_OF_FILES)}


def _read_columns(names: dict[str, Any], options: Namespace) -> dict[str, Column]:
    """Return the columns of these names, those that are not None."""
    from .inputs.samples import read_columns

    named = {role: name for role, name in names.items() if name is not None}
    return read_columns(options.path, named, **_reading(options))


def _shown(result: Any, options: Namespace) -> str:
    """Return a result in the format asked for, after writing its pictures if they are."""
    if getattr(options, "plot", None) is not None:
        from .plots import save_plots

        drawn = result.runs[0][1] if hasattr(result, "runs") else result  # of the one log
        for path in save_plots(drawn, options.plot):
            options.tell(f"wrote {path}")
    return FORMATS[options.format](result)


# report


def report(options: Namespace) -> str:
    """Return the scores of the predictions in files, or of the answers in logs."""
    source = _check(options)
    if options.plot is not None:
        from .plots import import_pyplot

        os.environ["MPLBACKEND"] = "agg"  # files, no windows
        import_pyplot()
        Path(options.plot).mkdir(parents=True, exist_ok=True)
    if source == "logs":
        return _report_of_logs(options)
    if source == "columns" and len(options.predictions) > 1:
        return _shown(_leaderboard(options), options)
    table = _table(options, source)
    if options.by is not None:
        from .results.slices import Slices

        how = _given(options, "by", "confidence_level", "vs_rest")
        slices = Slices.from_tables(table, classes=options.classes or "all", **how)
        if options.column is not None:
            slices = slices.sorted_by(options.column, descending=options.descending)
        return _shown(slices, options)
    if options.metric is not None:
        return _score(table, options)
    from .results.report import Report

    ignored = _label_options(options).ignored(isinstance(table.labels[0], int))
    return _shown(Report.from_table(table, options.confidence_level, ignored), options)


def _table(options: Namespace, source: str) -> Any:
    """Return the table of two text files, or of a column of predictions, or one for each slice."""
    if source == "columns":
        from .inputs.files import table_from_file

        names = ("references", "weights", "counts", "by", *_OF_LABELS, *_OF_FILES)
        given = _given(options, *names)
        return table_from_file(options.path, predictions=options.predictions[0], **given)
    from .inputs.samples import read_lines

    how = _given(options, "encoding", "drop_null", "keep_missing")
    references, predictions = read_lines(options.path, _label_options(options), **how)
    classes = _classes(options, references)
    return ContingencyTable.from_labels(references=references, predictions=predictions, **classes)


def _score(found: Any, options: Namespace) -> str:
    """Return one score of a table or of answers, with its interval if a level is given."""
    if options.confidence_level is not None:
        level = options.confidence_level
        made = found.estimate(options.metric, average=options.average, confidence_level=level)
        return _shown(made, options)
    table = found if isinstance(found, ContingencyTable) else found.table()
    return repr(table.score(options.metric, average=options.average))


def _report_of_logs(options: Namespace) -> str:
    """Return the report on logs of evaluation harnesses."""
    from .logs.reading import one_run, read_log
    from .logs.report import LogReport, how_read

    read = read_log(options.path, **_given(options, *_OF_LOGS, *_OF_TEXT))
    if options.metric is not None or options.plot is not None:
        read = [one_run(read, " ".join(options.path))]
    if options.metric is None:
        return _shown(LogReport.from_answers(read, options.confidence_level), options)
    (answers,) = read
    if answers.unknown():
        options.tell(f"warning: {how_read(answers)}")
    return _score(answers, options)


def _leaderboard(options: Namespace) -> "Leaderboard":
    """Return the ranking of several columns of predictions."""
    from .results.leaderboard import leaderboard

    models = options.predictions
    names = {"references": options.references, "counts": options.counts}
    names |= {f"predictions {i}": x for i, x in enumerate(models, start=1)}
    read = _read_columns(names, options)
    references = read.pop("references")
    answers = dict(zip(models, read.values(), strict=True))
    how = _classes(options, references) | _given(options, "average")
    level = options.confidence_level or 0.95
    metric = options.metric or "informedness"
    return leaderboard(references, answers, metric=metric, confidence_level=level, **how)


# compare


def compare(options: Namespace) -> str:
    """Return the comparison of two models."""
    from .statistics.intervals import check_level

    source = _check(options)
    check_level(options.confidence_level)  # before hours of reading
    result, names = _of_columns(options) if source == "columns" else _of_logs(options)
    if options.format == "text":
        return _comparison_text(result, *names)
    return _shown(result, options)


def _of_logs(options: Namespace) -> tuple["Comparison", list[str]]:
    """Return the comparison of two logs of one task, and what to call A and B."""
    from .logs.reading import one_run, read_log

    if len(options.path) != 2:
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be two "
            f"logs of evaluation harnesses, got {len(options.path)} files"
        )
    how = _given(options, *_OF_LOGS, *_OF_TEXT)
    a, b = (one_run(read_log(file, **how), file) for file in options.path)
    result = a.compare(b, **_given(options, *_OF_TEST))
    return result, [a.name, b.name] if a.name != b.name else options.path


def _of_columns(options: Namespace) -> tuple["Comparison", list[str]]:
    """Return the comparison of two columns, and what to call A and B."""
    from .inputs.samples import joined_columns
    from .results.comparison import compare

    files, columns = options.path, options.predictions
    names = columns
    if options.on is None:
        if len(columns) != 2:
            raise ValueError(
                "`--predictions` must name two columns, for A and for B, got "
                f"{len(columns)}: {' '.join(columns)}; with --on, one column in each of two files"
            )
        roles = ("references", "predictions_a", "predictions_b", "groups", "counts")
        given = options.references, *columns, options.groups, options.counts
        read = _read_columns(dict(zip(roles, given, strict=True)), options)
        sides, groups = [read[role] for role in roles[:3]], read.get("groups")
    else:
        if len(files) != 2 or len(columns) > 2:
            raise ValueError(
                "`--on` needs two files, for A and for B, and one or two columns of "
                f"`--predictions`, got {len(files)} files and {len(columns)} columns"
            )
        given = options.on, options.references, columns, options.groups
        *sides, groups = joined_columns(files, *given, **_reading(options))
        names = files
        if len(columns) == 2:
            names = [f"{file}, {column}" for file, column in zip(files, columns, strict=True)]
    references, a, b = sides
    classes, test = _classes(options, references), _given(options, *_OF_TEST)
    there, of_a, of_b = ({*column.tolist()} for column in sides)
    if options.as_is and not (there & of_a and there & of_b):
        # `compare` takes sides with nothing in common only if all classes are declared
        classes["labels"] = classes["labels"] or sorted(there | of_a | of_b, key=str)
    return compare(references, a, b, groups=groups, **classes, **test), names


def _comparison_text(result: "Comparison", a: str, b: str) -> str:
    """Return a comparison as text for a terminal; its sentence is the last line."""
    a, b = cut_apart([shown(a), shown(b)], 60)
    (rows,) = result.text_tables(f"A: {a}", f"B: {b}")
    return "\n\n".join([aligned(rows[1:], is_cut=False), *result.text_lines()])


# register and unregister


def register(options: Namespace) -> str:
    """Register both metrics with evaluate, and say which folders they load from."""
    from .registration import register

    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def unregister(options: Namespace) -> str:
    """Undo register, and say what was removed."""
    from .registration import unregister

    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"
