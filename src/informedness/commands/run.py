"""Carry out a request of the command line: `report`, `compare`, `register`, `unregister`.

Modules that few commands need are imported in functions, so that the other commands start faster.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import NAMES, Column
from ..core.table import Task
from ..errors import prefix_errors
from ..files.joining import Whole
from ..inference.registry import score_named, score_with_average
from ..messages import message
from ..results.estimate import AverageOption, Estimate, estimate, read_table
from ..results.report import Report
from ..results.summary import LEVEL
from ..tables.contingency import ContingencyTable
from ..text.layout import Result, add_left_out
from ..text.render import as_json, rounded, shown
from ..warnings import IntervalWarning, collected, prefix_warnings
from .console import Console
from .missing_columns import ask_for_columns
from .reading import COMPARE_ROLES, Inputs, Prior, Reader, find_kind
from .request import CompareRequest, check

if TYPE_CHECKING:
    from ..logs.answers import Answers
    from ..results.comparison import Comparison
    from ..results.suite import SuiteComparison
    from .request import CompareScores, Output, ReportRequest, ReportScores, Request, Scores

    AnyComparison = Comparison | SuiteComparison

COMPARE_OPTIONS = "metric", "average", "confidence_level", "margin"  # arguments of `compare`


def carry_out(request: Request, console: Console) -> str:
    """Carry out a request for `report` or `compare`, and return the result as text.

    If the source has columns, and the request does not name them, the text or an error lists them.
    """
    kind, columns, output = find_kind(request), request.source.columns, request.output
    check(request, kind)
    if kind == "columns" and (columns.references is None or not columns.predictions):
        return ask_for_columns(request)
    if kind == "logs":
        console.flags["labels"] = console.flags["choices"]  # this option lists the classes of logs
    if output.plot is not None:
        _prepare_figures(output.plot)
    are_compared = isinstance(request, CompareRequest)
    reader = Reader(request.source, request.labels, kind, request.scores.metric, are_compared)
    reader = reader.with_prior(request.scores.prior, console)
    command: Any = _compare if are_compared else _report
    return _format_result(command(request, reader, console), output, console)


def _report(request: ReportRequest, reader: Reader, console: Console) -> Result | float:
    """Score the predictions in files or the answers in logs."""
    scores = request.scores
    if request.has_default_level:
        scores = replace(scores, confidence_level=LEVEL)
    # Intervals that were not requested cause no warnings, because the result has the same notes.
    with prefix_warnings("", dropped=IntervalWarning if request.has_default_level else ()):
        if request.source.columns.by_file:
            return _report_on_files(reader, scores)
        is_one_run = scores.metric is not None or request.output.plot is not None
        inputs = reader.read(is_one_run)
        if scores.metric is not None:
            console.print(*inputs.accounts)
        result = score(inputs, scores)
        _print_averages(inputs, scores, console)
        if scores.at_least is not None:
            _decide_score(inputs, scores, scores.at_least, console)
        return result


def _report_on_files(reader: Reader, scores: ReportScores) -> Result:
    """Score each file as a task."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, file_reader in reader.split_by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = score(file_reader.read(), scores)
    return RunTable.from_reports(reports)


def _decide_score(inputs: Inputs, scores: ReportScores, least: float, console: Console) -> None:
    """Decide whether a build passes --at-least, and print the decision."""
    from ..results.comparison import decide_at_least

    level = scores.confidence_level or LEVEL
    estimate: Any = score(inputs, replace(scores, confidence_level=level))
    _check_average("at-least", scores, estimate.n_classes)
    console.print_decision(decide_at_least(estimate, least), f"at-least {least:g}")


def _print_averages(inputs: Inputs, scores: ReportScores, console: Console) -> None:
    """Print Informedness by bias and by prevalence, which may differ for three or more classes.

    Nothing is printed unless the metric is Informedness with the default average, and the data are
    a table of three or more classes.
    """
    table: Any = inputs.data
    is_default = scores.metric == "informedness" and scores.average == "default"
    if not (is_default and isinstance(table, ContingencyTable) and table.n_classes > 2):
        return
    values = {}
    with collected():  # the same warnings were issued with the result
        for average in ("bias", "prevalence"):
            values[average] = rounded(table.informedness(average=average, prior=inputs.prior), 4)
    text = "informedness is {bias} by bias, the default, and {prevalence} by prevalence. "
    console.print(message(f"{text}Select an average with `average`", **values))


def _compare(request: CompareRequest, reader: Reader, console: Console) -> AnyComparison:
    """Compare two models on the same samples."""
    from ..results.comparison import Comparison

    scores = request.scores
    if reader.kind == "logs":
        result, titles = _compare_logs(reader, scores)
    else:
        titles, prior = _titles(reader), None
        if reader.source.columns.by_file:
            data: Any = {file: x.read_columns()[0] for file, x in reader.split_by_file().items()}
        else:
            data, prior = reader.read_columns()
        result = compare_models(data, scores, prior)
    if isinstance(result, Comparison):
        result = replace(result, detect=scores.detect, names=(titles[0], titles[1]))
    elif scores.detect is not None:
        raise ValueError("`--detect` applies only to one task, got several. Leave it out.")
    if scores.require or scores.fail_if:
        _decide_comparison(result, scores, console)
    return result


def _titles(reader: Reader) -> Sequence[str]:
    """Name the models A and B by their files or columns.

    Raises
    ------
    ValueError
        If the request does not name two columns, or one column in each of two files.
    """
    path, columns = reader.source.path, reader.source.columns
    models, on = columns.predictions, columns.on
    if reader.kind == "lines":
        return path[1:]
    if len(models) > 2 or (len(models) < 2 and on is None):
        rule = "`--predictions` must name two columns, or with --on one column per file"
        text = f"{rule}, got {{models}}. To rank models, use `informedness report`"
        raise ValueError(message(text, models=" ".join(models)))
    if on is None:
        return models
    if len(models) == 1:
        return path
    return [f"{file}, {model}" for file, model in zip(path, models, strict=True)]


def _compare_logs(reader: Reader, scores: CompareScores) -> tuple[AnyComparison, Sequence[str]]:
    """Compare two logs; return the comparison, and the names of the models A and B."""
    from ..logs.reading import only_run
    from ..logs.runs import compare_logs

    path, options = reader.source.path, scores.arguments(*COMPARE_OPTIONS)
    if len(path) != 2:
        rule = "without `--references` and `--predictions` there must be two logs of harnesses"
        raise ValueError(message(f"{rule}, got {{paths}}", paths=" ".join(path)))
    runs_a, runs_b = map(reader.read_logs, path)
    if len({x.origin.task_name for x in runs_a} & {x.origin.task_name for x in runs_b}) > 1:
        return compare_logs(runs_a, runs_b, **options), path
    run_a, run_b = map(only_run, (runs_a, runs_b), path)
    titles = [run_a.name, run_b.name] if run_a.name != run_b.name else path
    return run_a.compare(run_b, **options), titles


def _decide_comparison(result: AnyComparison, scores: CompareScores, console: Console) -> None:
    """Decide whether a build passes --require or --fail-if, and print the decision."""
    from ..results.comparison import Comparison, decide

    required, gate = scores.require, "require" if scores.require else "fail-if"
    tasks = [result] if isinstance(result, Comparison) else result.tasks.values()
    _check_average(gate, scores, max(task.n_classes for task in tasks))
    console.print_decision(decide(result, required), f"{gate} {required or scores.fail_if}")


def register() -> str:
    """Register both metrics with `evaluate`, and list the folders from which it loads them."""
    from ..registration import register

    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def unregister() -> str:
    """Remove the copies that `register` wrote, and list their folders."""
    from ..registration import unregister

    return "\n".join(f"removed the copy in {x}" for x in unregister()) or "nothing was registered"


# Scores


def score(inputs: Inputs, scores: ReportScores) -> Result | float:
    """Score a table, one table per slice, columns, or answers in logs.

    `inputs.data` holds columns if there are several models, tasks or groups. The result is a number
    if there is a metric but no confidence level, except for several models or tasks.
    """
    data, models, by = inputs.data, inputs.names_of("predictions"), inputs.names_of("by")
    if isinstance(data, list):
        return _score_logs(data, scores)
    if isinstance(data, ContingencyTable):
        return _score_table(data, inputs, scores)
    if isinstance(data, dict):
        from ..results.slices import Slices

        n_classes = ContingencyTable.sum_of([*data.values()]).n_classes
        return Slices.from_tables(data, by=[*by.values()], **_slice_options(scores, n_classes))
    if "task" in data.columns:
        return _score_tasks(data, [*models.values()], scores)
    if len(models) > 1:
        return _rank(data, models, scores)
    return _score_groups(data, by, scores)


def _score_table(table: ContingencyTable, inputs: Inputs, scores: ReportScores) -> Result | float:
    """Report on a table, or compute one score; with a confidence level, add intervals."""
    metric, average, level = scores.metric, scores.average, scores.confidence_level
    ignored = table.read[0].ignored if table.read else None
    if metric is None:
        return Report.from_table(table, level, ignored, average=average)
    options: Any = {"prior": inputs.prior}
    if level is not None:
        options |= {"average": average, "confidence_level": level, "ignore_index": ignored}
        result: Estimate = estimate(table, metric=metric, **options)
        return result
    if scores.prior_mode != "reweight":
        options["prior_mode"] = scores.prior_mode
    return float(score_with_average(metric, average).value(table, **options))


def _score_logs(runs: Sequence[Answers], scores: ReportScores) -> Result | float:
    """Report on all runs, or compute one score of a single run."""
    from ..logs.runs import RunTable

    if scores.metric is None:
        return RunTable.from_answers(runs, scores.confidence_level, scores.average)
    (run,) = runs
    if scores.confidence_level is None:
        return score(Inputs(run.table), scores)
    return run.estimate(scores.metric, scores.confidence_level, scores.average)


def _score_groups(data: Whole, by: Mapping[str, str], scores: ReportScores) -> Result:
    """Score samples in groups, as one estimate, as slices or as a report."""
    from ..results.slices import slices

    columns, task, account = data
    references, predictions, groups = (columns[x] for x in (*NAMES, "groups"))
    options = {**_task_options(task), "groups": groups}
    if scores.metric is not None:
        options |= scores.arguments("average", "confidence_level")
        scored: Estimate = estimate(references, predictions, scores.metric, **options)
        return scored
    if by:
        options |= _slice_options(scores, _n_classes(references, task))
        columns_by_name = {name: columns[argument] for argument, name in by.items()}
        result = slices(references, predictions, by=columns_by_name, **options)
        return replace(result, read=(account,), signature=add_left_out(result.signature, [account]))
    classes = task.classes, None, task.ignored, task.unknown
    table, pairs = read_table(references, predictions, groups, *classes)
    table = replace(table, read=(account,))
    return Report.from_table(table, scores.confidence_level, task.ignored, pairs, scores.average)


def _rank(data: Whole, models: Mapping[str, str], scores: ReportScores) -> Result:
    """Rank several models, each with a column of predictions."""
    from ..results.leaderboard import leaderboard

    columns, task, account = data
    predictions = {name: columns[argument] for argument, name in models.items()}
    options = {**_task_options(task), "groups": columns.get("groups")}
    options["average"] = _advised_average(scores, _n_classes(columns["references"], task))
    options["confidence_level"] = scores.confidence_level or 0.95
    metric = scores.metric or "informedness"
    board = leaderboard(columns["references"], predictions, metric=metric, **options)
    return replace(board, read=(account,), signature=add_left_out(board.signature, [account]))


def _score_tasks(data: Whole, models: Sequence[str], scores: ReportScores) -> Result:
    """Report on each task in a column of tasks, or show one score of each model on each task.

    One score is shown if there is a metric, or if there are several models.
    """
    from ..logs.runs import RunTable
    from ..results.report import report

    metric = scores.metric or ("informedness" if len(models) > 1 else None)
    options = {**scores.arguments("average", "confidence_level"), "unknown": data.task.unknown}
    reports = {}
    for task, (columns, _, _) in _split_tasks(data).items():
        predictions = [column for role, column in columns.items() if role.startswith("predictions")]
        options["groups"] = columns.get("groups")
        for model, column in zip(models, predictions, strict=True):
            with prefix_errors(shown(task)), prefix_warnings(shown(task)):
                task_report = report(columns["references"], column, **options)
            reports[model if metric else "", task] = task_report
    return replace(RunTable.from_reports(reports, metric), read=(data.account,))


def compare_models(
    data: Whole | Mapping[str, Whole], scores: CompareScores, prior: Prior | None = None
) -> AnyComparison:
    """Compare two models on one task, on the tasks in a column, or on a mapping of tasks."""
    if isinstance(data, Whole) and "task" in data.columns:
        data = _split_tasks(data)
    if not isinstance(data, Whole):
        return _compare_tasks(data, scores)
    from ..results.comparison import compare

    columns, task, account = data
    options = {**scores.arguments(*COMPARE_OPTIONS), **_task_options(task), "prior": prior}
    pair = [columns[argument] for argument in COMPARE_ROLES]
    result = compare(*pair, groups=columns.get("groups"), **options)
    return replace(result, read=(account,), signature=add_left_out(result.signature, [account]))


def _compare_tasks(tasks: Mapping[str, Whole], scores: CompareScores) -> SuiteComparison:
    """Compare two models on several tasks, and add the accounts of the data to the result."""
    from ..results.suite import compare_tasks

    pairs = {name: [data.columns[role] for role in COMPARE_ROLES] for name, data in tasks.items()}
    groups = {k: data.columns["groups"] for k, data in tasks.items() if "groups" in data.columns}
    first, *_ = tasks.values()
    options = {**scores.arguments(*COMPARE_OPTIONS), "unknown": first.task.unknown}
    suite = compare_tasks(pairs, groups=groups or None, **options)
    return replace(suite, read=tuple(dict.fromkeys(data.account for data in tasks.values())))


def _split_tasks(data: Whole) -> dict[str, Whole]:
    """Split columns into tasks by the values of the column "task"."""
    names, codes = data.columns["task"].labels_and_codes()
    tasks: dict[str, Whole] = {}
    for code in np.unique(codes):
        rows = np.flatnonzero(codes == code)
        columns = {role: column[rows] for role, column in data.columns.items() if role != "task"}
        tasks[str(names[code])] = data._replace(columns=columns)
    return tasks


def _slice_options(scores: ReportScores, n_classes: int) -> dict[str, Any]:
    """Collect the options of `slices` from the scores of a request."""
    average = _advised_average(scores, n_classes)
    return {**scores.arguments("confidence_level", "vs_rest", "sort"), "average": average}


def _task_options(task: Task) -> dict[str, Any]:
    """Convert a task to keyword arguments of the scoring functions."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def _advised_average(scores: ReportScores, n_classes: int) -> AverageOption:
    """Choose prevalence for Informedness of three or more classes if no average was named."""
    has_averages = n_classes > 2 and scores.metric in (None, "informedness")
    return "prevalence" if has_averages and scores.average == "default" else scores.average


def _n_classes(references: Column, task: Task) -> int:
    """Count the declared classes of a task or, without them, the classes of the references."""
    return len({*references.tolist()} - {task.ignored} if task.classes is None else task.classes)


# Output


def _format_result(result: Result | float, output: Output, console: Console) -> str:
    """Convert a result to text in the requested format, and save its figures if requested."""
    if isinstance(result, float):
        return json.dumps(as_json(result)) if output.format == "json" else repr(result)
    if output.plot is not None:
        _save_figures(result, output.plot, console)
    view: Any = result.with_names(console.name_of)
    if output.format == "json":
        failed = {} if console.has_failed is None else {"failed": console.has_failed}
        return json.dumps(view.to_dict() | failed, indent=2)
    text = str(view) if output.format == "text" else getattr(view, f"to_{output.format}")()
    reports = map(str, view.runs if output.each and len(view.runs) > 1 else ())
    return "\n\n\n".join([*reports, text.rstrip("\n")])


def _prepare_figures(folder: str) -> None:
    """Check that figures can be drawn, and create their folder, before reading that may take hours.

    Raises
    ------
    ImportError
        If matplotlib cannot be imported.
    OSError
        If the folder cannot be created.
    ValueError
        If the name of the folder has the ending of an image, such as ".png".
    """
    from ..results.figures import import_pyplot

    os.environ["MPLBACKEND"] = "agg"  # draws without windows
    import_pyplot()
    if Path(folder).suffix.lower() in (".jpeg", ".jpg", ".pdf", ".png", ".svg"):
        rule = "--plot must name a folder for PNG files, got {folder}"
        raise ValueError(message(rule, folder=folder))
    Path(folder).mkdir(parents=True, exist_ok=True)


def _save_figures(result: Any, folder: str, console: Console) -> None:
    """Save the figures of a result as PNG files in a folder, and print their paths."""
    from ..results.figures import plot_confusion_matrix, plot_entropy_triangle

    result = result.runs[0].report if hasattr(result, "runs") else result
    axes = {"intervals": result.plot()}
    if hasattr(result, "per_class"):
        axes = {"confusion": plot_confusion_matrix(result.table), "per_class": axes["intervals"]}
        axes["entropy_triangle"] = plot_entropy_triangle(result.table)
    for name, ax in axes.items():
        path = Path(folder) / f"{name}.png"
        ax.figure.savefig(path, dpi=300)
        console.print(f"wrote {shown(path)}")


def _check_average(gate: str, scores: Scores, n_classes: int) -> None:
    """Raise ValueError if a requirement depends on the average, and none was named.

    The average matters only for three or more classes.
    """
    is_named = scores.average != "default" or not score_named(scores.metric or "").averages
    if not is_named and n_classes > 2:
        advice = "Add `--average prevalence`, or another average."
        raise ValueError(f"`--{gate}` needs `--average` for three or more classes. {advice}")
