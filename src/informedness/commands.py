"""What the commands of the command line do: each takes the options and returns the text to print.

What only some of them need is imported where it is used, so that the others start sooner.
"""

import json
import os
from argparse import Namespace
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from .core.labels import NAMES, Label, check_choice
from .errors import DataError, naming
from .files.columns import named_columns
from .files.open import list_files, named_format
from .statistics.intervals import check_level
from .statistics.registry import averaged_score, score_named
from .tables.contingency import ContingencyTable
from .tables.label_options import LabelOptions
from .text.account import lines_of_read, signed
from .text.layout import aligned
from .text.render import as_json, cut, shown

if TYPE_CHECKING:
    from .files.joined import Whole
    from .files.samples import Samples
    from .results.leaderboard import Leaderboard

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
    "html": lambda result: result.to_html(),
}
# Options that go together
_OF_TEXT = ("extract", "choices", "ignore_case", "strip")
_OF_LABELS = (*_OF_TEXT, "numeric", "labels", "ignore_index", "unknown", "threshold")
_OF_LOGS = ("harness", "task", "variant", "runs", "latest", "epoch", "epochs")
_OF_SEVERAL = ("by", "on", "weights", "metric", "plot")
_OF_ROWS: tuple[str, ...] = ("prior", "labels", "ignore_index", "numeric", "threshold")
_OF_ROWS += ("encoding", "drop_null", "keep_missing")
_OF_FILES = ("file_format", "rows", "no_quotes")
_OF_COLUMNS: tuple[str, ...] = ("weights", "counts", "by", "by_file", "by_task", "vs_rest", "on")
_OF_COLUMNS += ("groups", *_OF_FILES)
_OF_ONE_TASK: tuple[str, ...] = ("weights", "labels", "choices", "prior", "margin", "at_least")
_OF_ONE_TASK += ("by", "by_file", "vs_rest", "plot")
_COLUMNS = {"references", "predictions", "weights", "counts", "by", "groups"}
_OF_ESTIMATE = ("metric", "average", "confidence_level")
_OF_TEST = (*_OF_ESTIMATE, "prior")
_OF_COMPARISON = (*_OF_TEST, "margin")
_COMPARED = ("references", "predictions_a", "predictions_b")


# What is asked for


def _source(options: Namespace) -> str:
    """Return whether the labels are in "columns", in "lines" of text or in "logs"."""
    is_named = options.references is not None or options.predictions is not None
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in options.path]
    if is_text == [True, True] and not is_named:
        return "lines"
    return "columns" if is_named or any(is_text) or _is_table(options) else "logs"


def _check(options: Namespace) -> str:
    """Refuse what cannot work, before hours of reading, and return where the labels are."""
    source = _source(options)
    is_report = options.command == "report"
    is_ranking = is_report and len(options.predictions or ()) > 1
    is_number = is_report and not is_ranking and options.metric is not None
    logs = "logs of evaluation harnesses, not for columns"
    columns = "columns: give --references and --predictions, or leave it out"
    are_tasks = is_report and options.by_file
    has_level = not is_report or is_ranking or options.confidence_level is not None
    is_odds = options.prior is not None and options.confidence_level is None
    scores = "all scores, and --metric prints one: leave out one of them"
    has_intervals = options.by is None or options.confidence_level is not None
    for names, is_met, what in (
        ((*_OF_LOGS, "each"), source == "logs", logs),
        (_OF_SEVERAL, not are_tasks, "all files together: leave out --by-file"),
        (_OF_ROWS, source != "logs", columns),
        (_OF_COLUMNS, source == "columns", columns),
        (("weights", "by", "by_file"), not is_ranking, "one model: name one --predictions"),
        (("counts",), options.on is None, "rows without identifiers"),
        (("vs_rest",), options.by is not None, "slices: add --by COLUMN"),
        (("groups",), has_level, "intervals: add --confidence-level 0.95"),
        (("groups",), options.weights is None, "samples without --weights"),
        (_OF_ONE_TASK, options.by_task is None, "one task: leave out --by-task"),
        (("at_least",), is_number and options.by is None, "one score of one model: add --metric"),
        (("prior",), options.metric and not is_ranking, "one score of one model: add --metric"),
        (("prior_mode",), is_odds, "a --prior, without an interval: leave out --confidence-level"),
        (("each",), options.format == "text", "text: other formats have everything"),
        (("by", "plot"), not is_number, scores),
        (("plot",), has_intervals, "the intervals of slices: add --confidence-level 0.95"),
    ):
        given = [name for name in names if name in options.given]
        if given and not is_met:
            raise ValueError(f"`{given[0]}` is for {what}")
    if options.confidence_level is not None:
        check_level(options.confidence_level)
    if options.metric is not None:
        score = averaged_score(options.metric, options.average, options.unknown)
        check_choice("prior_mode", options.prior_mode, score.prior_modes)
    if options.vs_rest is not None:
        score_named(options.vs_rest, "vs_rest")
    twice = [x for x in options.predictions or () if options.predictions.count(x) > 1]
    if twice and options.on is None:
        raise ValueError(f"`--predictions` must name each column once, got {twice[0]!r} twice")
    if options.on is not None and len(options.path) != 2:
        raise ValueError(f"`--on` needs two files, got {len(options.path)}")
    if source == "lines" or (options.on and len({*(options.predictions or ())}) < 2):
        list_files(options.path, "csv")  # refuses one that is given twice, in any format
    if source == "columns" and None in (options.references, options.predictions):
        _ask_for_columns(options)
    return source


def _is_table(options: Namespace) -> bool:
    """Return whether what is given without columns is a file with columns, and no log."""
    file = Path(options.path[0])
    kind = options.file_format or named_format(file)
    if options.harness is not None or kind is None or not file.is_file():
        return False
    from .logs.reading import READERS

    return not any(reader.is_log(file) for reader in READERS.values())


def _ask_for_columns(options: Namespace) -> None:
    """Raise the error that nobody has named columns: which the first file has, or both of two."""
    from .files.listing import MOST_ROWS, columns_listed, is_model, labels_in
    from .tables.doubts import no_header, role_in

    _samples(options, {})  # refuses options with which no columns would do
    is_report, how = options.command == "report", _given(options, "encoding", *_OF_FILES)
    try:
        first = columns_listed(options.path[0], **how)
    except DataError as error:
        if "rows" not in error.remedy:
            raise
        (how["rows"],) = error.remedy["rows"]  # the only place where rows can be
        first = columns_listed(options.path[0], **how)
    words = [x for x in options.path[1:] if x in first and not Path(x).exists()]
    paths = [x for x in options.path if x not in words]
    list_files(paths, options.file_format)  # all exist
    is_two = len(paths) == 2
    last = columns_listed(paths[1], **how) if is_two else first
    found = {x: first.get(x, Counter()) | last.get(x, Counter()) for x in first | last}
    files = " and ".join(paths[: 1 + is_two])
    if not any(found.values()):
        raise ValueError(f"{files}: there must be rows with labels, and a name above each column")
    rows = [["column", "different", "most frequent"]]
    for name, times in found.items():
        filled = times - Counter({None: times[None]})
        often = ", ".join(cut(repr(value), 16) for value, _ in filled.most_common(3))
        often += f"; {times[None]:,d} empty" if often and times[None] else ""
        rows.append([shown(name), str(len(filled)), often or "(none, or several by this name)"])
    heads = [x for x, times in found.items() if x in times]
    said = f"{no_header(heads)}.\n" if len(heads) > 1 else ""
    said += "Name the true labels (-r) and the predictions (-p) from this list"
    if how["rows"] != options.rows:
        said += f", with --rows {how['rows']}"
    # references if one column alone is called so, and models that have labels of theirs
    both = [x for x in first if first[x] and last.get(x)]  # nothing is counted of a name of two
    are_apart = is_report and options.on is not None  # the references here, the predictions there
    labels = {x: labels_in(found[x]) for x in (found if are_apart else both)}
    true = [x for x in labels if first.get(x) and role_in(x) == "references" and len(labels[x]) > 1]
    beside = [x for x in labels if last.get(x) and role_in(x) != "references"]
    is_clear = len(true) == 1 and None not in found[true[0]]
    models = [x for x in beside if is_clear and is_model(found[x], labels[true[0]])]
    n_models, remedy = 1 if is_report or is_two else 2, dict[str, Any]()
    is_known = len(models) >= n_models and len(paths) <= 2 and options.on in {None, *both}
    models = [x for x in models if x in words] or models
    models = models if is_report and len(paths) == 1 else models[:n_models]
    if is_known and not options.given & _COLUMNS:
        said += ", for example"  # of which nothing is left if no line can be shown
        remedy = {"references": true, "predictions": models}
        if options.unknown == "error" and any(None in found[x] for x in models):
            remedy["unknown"] = ["wrong"]
        if how["rows"] != options.rows:
            remedy["rows"] = [how["rows"]]
        remedy |= {"columns": dict.fromkeys(words)} if words else {}
        if is_two and not is_report and options.on is None:
            remedy["on"] = ["ID"]
            said += " with the column that identifies a sample in place of ID"
    raise DataError(
        f"`--references` and `--predictions` must name columns of {files}; the first "
        f"{MOST_ROWS:,} rows have\n\n{aligned(rows)}\n\n{said}",
        remedy,
    )


def _given(options: Namespace, *names: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


def _samples(options: Namespace, names: dict[str, str]) -> "Samples":
    """Return what reads these columns as labels."""
    from .files.samples import Samples

    how = _given(options, "drop_null", "keep_missing")
    samples = Samples(names, LabelOptions(**_given(options, *_OF_LABELS)), **how)
    samples.most_rows = options.most_rows
    samples.reads_names = options.metric is None or score_named(options.metric).reads_names
    if not isinstance(options.prior, str | None):
        samples.beside = [{*map(str, options.prior)}]
    return samples


def _rows(options: Namespace, samples: "Samples", second: Sequence[str] = ()) -> Iterable[Any]:
    """Return the rows of files; or of two joined, of which the second has the last role alone."""
    from .files.joined import joined_rows
    from .files.samples import read_files

    how = _given(options, "encoding", *_OF_FILES)
    if options.on is None or not second:
        return read_files(options.path, samples, **how)
    sides = [x for x in samples.names if x != second[-1]], second
    names = [{x: samples.names[x] for x in of_file} for of_file in sides]
    return joined_rows(options.path, options.on, names, samples, **how)


def _prior(options: Namespace) -> Counter[Label] | None:
    """Return how often each class occurs in the labels of a file, such as those of training."""
    if options.prior is None:
        return None
    from .files.joined import columns_of
    from .files.samples import read_files

    file, _, column = options.prior.rpartition(":")
    if not file:
        raise ValueError(f"`prior` must be FILE:COLUMN, as in train.csv:label, got {options.prior}")
    samples = _samples(options, {"references": column})
    with naming("`prior`"):
        rows = read_files(file, samples, **_given(options, "encoding", *_OF_FILES))
        columns, task, read = columns_of(samples, rows)
    options.tell("\n".join(lines_of_read(read)))
    return Counter(x for x in columns["references"].tolist() if x != task.ignored)


def _prior_read(options: Namespace, samples: "Samples") -> Counter[Label] | None:
    """Return the prior by the labels for which the text of all files of the call stands."""
    times: Counter[Any] = Counter()
    for label, n in (options.prior or {}).items():
        times[samples.spelt(label)] += n
    return times or None


def _of_task(task: Any) -> dict[str, Any]:
    """Return which labels count, as options of a function."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def _save_plots(result: Any, options: Namespace) -> None:
    """Save the plots of a result as PNG files in a folder, and tell their paths."""
    from .results.figures import import_pyplot, plot_confusion_matrix, plot_entropy_triangle

    axes = {"intervals": result.plot()}
    if hasattr(result, "per_class"):
        axes = {
            "confusion": plot_confusion_matrix(result.table),
            "per_class": axes["intervals"],
            "entropy_triangle": plot_entropy_triangle(result.table),
        }
    for name, ax in axes.items():
        path, figure = Path(options.plot) / f"{name}.png", ax.figure
        part = path.with_suffix(".part")
        try:
            figure.savefig(part, dpi=300, format="png")
            part.replace(path)
        except OSError as error:
            raise OSError(f"{path}: {error.strerror}") from error
        import_pyplot().close(figure)
        options.tell(f"wrote {path}")


def _shown(result: Any, options: Namespace) -> str:
    """Return a result in the format asked for, after writing its pictures if they are."""
    if options.plot is not None:
        _save_plots(result.runs[0].report if hasattr(result, "runs") else result, options)
    return FORMATS[options.format](result)


# report


def report(options: Namespace) -> str:
    """Return the scores of the predictions in files, or of the answers in logs."""
    source = _check(options)
    options.prior = _prior(options)
    if options.plot is not None:
        from .results.figures import import_pyplot

        os.environ["MPLBACKEND"] = "agg"  # files, no windows
        import_pyplot()
        if Path(options.plot).suffix.lower() in (".jpeg", ".jpg", ".pdf", ".png", ".svg"):
            raise ValueError(f"--plot must name a folder for PNG files, got {options.plot}")
        Path(options.plot).mkdir(parents=True, exist_ok=True)
    if source == "logs":
        return _report_of_logs(options)
    if options.by_task is not None:
        return _shown(_report_by_task(options), options)
    if source == "columns" and len(options.predictions) > 1:
        return _shown(_leaderboard(options), options)
    if options.by_file:
        return _shown(_report_by_file(options), options)
    if options.groups is not None:
        return _shown(_of_groups(options), options)
    table = _table(options, source)
    if options.by is not None:
        from .results.slices import Slices

        how = _given(options, "by", "average", "confidence_level", "vs_rest")
        return _shown(Slices.from_tables(table, **how), options)
    if options.metric is not None:
        return _score(table, options)
    return _shown(_report_of(table, options), options)


def _report_of(table: Any, options: Namespace) -> Any:
    from .results.report import Report

    how = _given(options, "confidence_level", "average")
    return Report.from_table(table, ignore_index=table.read[0].ignored, **how)


def _table(options: Namespace, source: str) -> Any:
    """Return the table of the files, or one for each slice."""
    from .files.tables import tables_of

    if source == "lines":
        from .files.joined import lines_of, samples_of_lines

        sides = dict(zip(NAMES, options.path, strict=True))
        samples = _samples(options, sides)
        samples.sources = list(options.path)
        lines = {x: lines_of(path, options.encoding) for x, path in sides.items()}
        rows: Iterable[Any] = samples_of_lines(lines, samples)
    else:
        columns = _given(options, "weights", "counts", "by")
        names = named_columns(options.references, options.predictions[0], **columns)
        samples = _samples(options, names)
        rows = _rows(options, samples, ["predictions"])
    tables = tables_of(samples, rows)
    options.prior = _prior_read(options, samples)
    return tables


def _columns_read(options: Namespace, names: dict[str, str], second: Sequence[str] = ()) -> "Whole":
    """Return whole columns: these by argument, and those of tasks, groups and counts."""
    from .files.joined import columns_of

    beside = _given(options, "groups", "counts") | {"task": options.by_task}
    names |= {argument: name for argument, name in beside.items() if name is not None}
    samples = _samples(options, names)
    whole = columns_of(samples, _rows(options, samples, second))
    options.prior = _prior_read(options, samples)
    return whole


def _models(options: Namespace) -> dict[str, str]:
    """Return the columns of the references and of each model by argument."""
    models = {f"predictions {i}": x for i, x in enumerate(options.predictions, start=1)}
    return {"references": options.references, **models}


def _of_groups(options: Namespace) -> Any:
    """Return the score, the report or the slices of samples in groups."""
    from .results.estimate import estimate
    from .results.models import table_in_groups
    from .results.report import Report
    from .results.slices import slices

    given = {"weights": None, **_given(options, "counts", "by")}
    names = named_columns(options.references, options.predictions[0], **given)
    columns, task, read = _columns_read(options, names, ["predictions"])
    sides: Any = columns["references"], columns["predictions"]
    groups, how = columns["groups"], _given(options, "average", "confidence_level")
    if options.metric is not None:
        options.tell("\n".join(lines_of_read(read)))
        how |= {"metric": options.metric, "groups": groups, **_of_task(task)}
        score = estimate(*sides, **how)
        if options.at_least is not None:
            _require_least(score, options)
        return score
    if options.by is not None:
        by = {name: columns[x] for x, name in names.items() if x.startswith("by")}
        how |= {"vs_rest": options.vs_rest, "groups": groups, **_of_task(task)}
        made = slices(*sides, by=by, **how)
        table = replace(made.overall.table, read=(read,))
        line, overall = signed(made.signature, [read]), replace(made.overall, table=table)
        return replace(made, overall=overall, signature=line)
    table, pairs = table_in_groups(*sides, groups, task.classes, None, task.ignored, task.unknown)
    table = replace(table, read=(read,))
    return Report.from_table(table, ignore_index=task.ignored, pairs=pairs, **how)


def _score(table: ContingencyTable, options: Namespace) -> str:
    """Return one score of a table, with its interval if a level is given."""
    from .results.estimate import estimate

    for read in table.read:
        options.tell("\n".join(lines_of_read(read)))
    if options.confidence_level is not None or options.at_least is not None:
        how = _given(options, *_OF_TEST) | {"confidence_level": options.confidence_level or 0.95}
        made = estimate(table, ignore_index=table.read[0].ignored, **how)
        if options.at_least is not None:
            _require_least(made, options)
        if options.confidence_level is not None:
            return _shown(made, options)
    how = _given(options, "prior", *["prior_mode"] * (options.prior_mode != "reweight"))
    value = averaged_score(options.metric, options.average).value(table, **how)
    return json.dumps(as_json(value)) if options.format == "json" else repr(value)


def _report_of_logs(options: Namespace) -> str:
    """Return the report on logs of evaluation harnesses."""
    from .logs.reading import one_run, read_log
    from .logs.report import LogReport, how_read

    read = read_log(options.path, **_given(options, *_OF_LOGS, *_OF_TEXT))
    if options.metric is not None or options.plot is not None:
        (answers,) = read = [one_run(read, " ".join(options.path))]
    if options.metric is None:
        made = LogReport.from_answers(read, options.confidence_level, options.average)
        reports = map(str, made.runs if options.each and len(made.runs) > 1 else ())
        return "\n\n\n".join([*reports, _shown(made, options)])
    if answers.unknown():
        options.tell(f"warning: {how_read(answers)}")
    if options.at_least is not None:
        level = options.confidence_level or 0.95
        _require_least(answers.estimate(options.metric, level, options.average), options)
        options.at_least = None  # of the table, which knows no epochs
    if options.confidence_level is None:
        return _score(answers.table, options)
    return _shown(answers.estimate(**_given(options, *_OF_ESTIMATE)), options)


def _report_by_file(options: Namespace) -> Any:
    """Return the report on files, each of which is a task."""
    from .logs.report import LogReport
    from .warnings import naming_warnings

    reports = {}
    for file, _ in list_files(options.path, options.file_format):
        options.path = [file]
        with naming_warnings(file):
            reports[file] = _report_of(_table(options, "columns"), options)
    return LogReport.from_reports(reports)


def _report_by_task(options: Namespace) -> Any:
    """Return the report on the tasks of a column, or one score of several models in each."""
    from .logs.report import LogReport
    from .results.report import report
    from .results.suite import scores_by_task
    from .warnings import naming_warnings

    columns, _, read = _columns_read(options, _models(options))
    how = _given(options, "average", "confidence_level", "unknown")
    if len(options.predictions) > 1 or options.metric is not None:
        how["metric"] = options.metric or "informedness"
        made = scores_by_task(dict(_parts_of(columns)), options.predictions, **how)
        return replace(made, read=(read,))
    reports = {}
    for name, part in _parts_of(columns):
        with naming(name), naming_warnings(name):
            sides = part["references"], part["predictions 1"]
            reports[name] = report(*sides, groups=part.get("groups"), **how)
    return replace(LogReport.from_reports(reports), read=(read,))


def _parts_of(columns: dict[str, Any]) -> Iterable[tuple[str, dict[str, Any]]]:
    """Yield the columns of each task by its name."""
    names, codes = columns["task"].coded()
    for code, name in enumerate(names):
        rows = np.flatnonzero(codes == code)
        if len(rows):
            yield str(name), {x: column[rows] for x, column in columns.items() if x != "task"}


def _leaderboard(options: Namespace) -> "Leaderboard":
    """Return the ranking of several columns of predictions."""
    from .results.leaderboard import leaderboard

    names = _models(options)
    columns, task, read = _columns_read(options, names)
    answers = {name: columns[x] for x, name in names.items() if x.startswith("predictions")}
    how = _of_task(task) | _given(options, "average") | {"groups": columns.get("groups")}
    level = options.confidence_level or 0.95
    how |= {"metric": options.metric or "informedness", "confidence_level": level}
    made = leaderboard(columns["references"], answers, **how)
    return replace(made, read=(read,), signature=signed(made.signature, [read]))


# compare


def compare(options: Namespace) -> str:
    """Return the comparison of two models."""
    source = _check(options)
    options.prior = _prior(options)
    if options.require == "not-worse" and options.margin is None:
        raise ValueError("`--require` not-worse needs the `--margin` that is tolerable")
    result, (a, b) = _of_columns(options) if source == "columns" else _of_logs(options)
    if options.require is not None:
        _decide(result, options)
    if options.format != "text" or hasattr(result, "tasks"):
        return _shown(result, options)
    (rows,) = result.text_tables(f"A: {shown(a)}", f"B: {shown(b)}")
    return "\n\n".join([*result.read_blocks(), aligned(rows[1:], 60), *result.text_lines()])


def _decide(made: Any, options: Namespace) -> None:
    """Tell what a comparison does not show of what is required, and let the exit code be 3."""
    from .results.decision import same_answers, why_not_shown

    tasks = getattr(made, "tasks", {"": made}).values()
    is_named = options.average != "default" or not score_named(options.metric).averages
    if not is_named and any(one.n_classes > 2 for one in tasks):  # each may decide otherwise
        raise ValueError("`--require` needs `--average` for three or more classes: name one")
    reason = why_not_shown(made, options.require)
    options.is_unmet = bool(reason)
    if said := reason or same_answers(made):
        options.tell(f"required {options.require}: {said}")


def _require_least(made: Any, options: Namespace) -> None:
    """Tell if the interval of a score does not reach what is required: the exit code is then 3."""
    from .results.decision import why_below

    if reason := why_below(made, options.at_least):
        options.is_unmet = True
        options.tell(f"required at least {options.at_least:g}: {reason}")


def _of_logs(options: Namespace) -> tuple[Any, list[str]]:
    """Return the comparison of two logs of one task, and what to call A and B."""
    from .logs.reading import one_run, read_log

    if len(options.path) != 2:
        said = "without `--references` and `--predictions` there must be two logs of harnesses"
        raise ValueError(f"{said}, got {' '.join(options.path)}")
    how = _given(options, *_OF_LOGS, *_OF_TEXT)
    read_a, read_b = (read_log(file, **how) for file in options.path)
    if len({one.task for one in read_a} & {one.task for one in read_b}) > 1:
        from .logs.suite import compare_logs

        return compare_logs(read_a, read_b, **_given(options, *_OF_ESTIMATE)), options.path
    a, b = (one_run(read, file) for read, file in zip((read_a, read_b), options.path, strict=True))
    result = a.compare(b, **_given(options, *_OF_COMPARISON))
    return result, [a.name, b.name] if a.name != b.name else options.path


def _of_columns(options: Namespace) -> tuple[Any, list[str]]:
    """Return the comparison of two columns, and what to call A and B."""
    from .results.comparison import compare

    called, models = options.predictions, options.predictions
    if len(models) > 2 or (len(models) < 2 and options.on is None):
        said = "`--predictions` must name two columns, or with --on one in each of two files"
        raise ValueError(f"{said}, got {' '.join(models)}; `informedness report` ranks several")
    if options.on is not None:
        called = options.path
        if len(models) == 2:
            called = [f"{file}, {model}" for file, model in zip(called, models, strict=True)]
    if options.by_task is not None or options.by_file:
        return _of_tasks(options), called
    columns, task, read = _compared_columns(options)
    sides = (columns[role] for role in _COMPARED)
    how = _of_task(task) | _given(options, *_OF_COMPARISON)
    made = compare(*sides, groups=columns.get("groups"), **how)
    return replace(made, read=(read,), signature=signed(made.signature, [read])), called


def _compared_columns(options: Namespace) -> "Whole":
    """Return the columns of a comparison."""
    models = options.predictions
    sides = options.references, models[0], models[-1]
    names = dict(zip(_COMPARED, sides, strict=True))
    return _columns_read(options, names, ["references", "predictions_b"])


def _of_tasks(options: Namespace) -> Any:
    """Return the comparison over the tasks in a column, or over files."""
    from .results.suite import compare_tasks

    if options.by_task is not None:
        columns, _, account = _compared_columns(options)
        parts, read = dict(_parts_of(columns)), [account]
    else:
        parts, read = {}, []
        for file, _ in list_files(options.path, options.file_format):
            options.path = [file]
            columns, _, account = _compared_columns(options)
            parts[file] = columns
            read.append(account)
    tasks = {name: [part[role] for role in _COMPARED] for name, part in parts.items()}
    groups = None
    if options.groups is not None:
        groups = {name: part["groups"] for name, part in parts.items()}
    made = compare_tasks(tasks, groups=groups, **_given(options, *_OF_ESTIMATE, "unknown"))
    return replace(made, read=tuple(read))


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
