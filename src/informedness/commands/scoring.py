"""Compute the results of a request from the data that were read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import NAMES, Column
from ..core.table import Task
from ..errors import prefix_errors
from ..files.joined import Whole
from ..inference.registry import score_with_average
from ..results.estimate import Averaged, Estimate, estimate, table_in_groups
from ..results.report import Report, report
from ..tables.contingency import ContingencyTable
from ..text.layout import Result, signed
from ..text.render import shown
from ..warnings import prefix_warnings
from .reading import PAIR, Labels, Prior
from .request import CompareScores, ReportScores

if TYPE_CHECKING:
    from ..logs.answers import Answers
    from ..results.comparison import Comparison
    from ..results.suite import SuiteComparison

COMPARED = "metric", "average", "confidence_level", "margin"  # arguments of comparisons


def score(labels: Labels, scores: ReportScores) -> Result | float:
    """Score a table, one table per slice, columns, or answers in logs.

    `labels.data` holds columns if there are several models, tasks or groups. The result is a number
    if there is a metric but no confidence level, except for several models or tasks.
    """
    data, models, by = labels.data, labels.names_of("predictions"), labels.names_of("by")
    if isinstance(data, list):
        return _score_logs(data, scores)
    if isinstance(data, ContingencyTable):
        return _score_table(data, labels, scores)
    if isinstance(data, dict):
        from ..results.slices import Slices

        n_classes = ContingencyTable.sum_of([*data.values()]).n_classes
        return Slices.from_tables(data, by=[*by.values()], **_slice_options(scores, n_classes))
    if "task" in data.columns:
        return _score_tasks(data, [*models.values()], scores)
    if len(models) > 1:
        return _rank(data, models, scores)
    return _score_groups(data, by, scores)


def _score_table(table: ContingencyTable, labels: Labels, scores: ReportScores) -> Result | float:
    """Report on a table, or compute one score; with a confidence level, add its interval."""
    metric, average, level = scores.metric, scores.average, scores.confidence_level
    ignored = table.read[0].ignored if table.read else labels.ignored
    if metric is None:
        return Report.from_table(table, level, ignored, average=average)
    options: Any = {"prior": labels.prior}
    if level is not None:
        options |= {"average": average, "confidence_level": level, "ignore_index": ignored}
        one: Estimate = estimate(table, metric=metric, **options)
        return one
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
        return score(Labels(run.table), scores)
    return run.estimate(scores.metric, scores.confidence_level, scores.average)


def _score_groups(whole: Whole, by: Mapping[str, str], scores: ReportScores) -> Result:
    """Score samples in groups, as one estimate, as slices or as a report."""
    from ..results.slices import slices

    columns, task, account = whole
    references, predictions, groups = (columns[x] for x in (*NAMES, "groups"))
    options = {**_task_options(task), "groups": groups}
    if scores.metric is not None:
        options |= scores.arguments("average", "confidence_level")
        one: Estimate = estimate(references, predictions, scores.metric, **options)
        return one
    if by:
        options |= _slice_options(scores, _n_classes(references, task))
        columns_by_name = {name: columns[argument] for argument, name in by.items()}
        result = slices(references, predictions, by=columns_by_name, **options)
        table = replace(result.overall.table, read=(account,))
        overall = replace(result.overall, table=table)
        return replace(result, overall=overall, signature=signed(result.signature, [account]))
    classes = task.classes, None, task.ignored, task.unknown
    table, pairs = table_in_groups(references, predictions, groups, *classes)
    table = replace(table, read=(account,))
    return Report.from_table(table, scores.confidence_level, task.ignored, pairs, scores.average)


def _rank(whole: Whole, models: Mapping[str, str], scores: ReportScores) -> Result:
    """Rank several models, each with a column of predictions."""
    from ..results.leaderboard import leaderboard

    columns, task, account = whole
    predictions = {name: columns[argument] for argument, name in models.items()}
    options = {**_task_options(task), "groups": columns.get("groups")}
    options["average"] = _advised_average(scores, _n_classes(columns["references"], task))
    options["confidence_level"] = scores.confidence_level or 0.95
    metric = scores.metric or "informedness"
    board = leaderboard(columns["references"], predictions, metric=metric, **options)
    return replace(board, read=(account,), signature=signed(board.signature, [account]))


def _score_tasks(whole: Whole, models: Sequence[str], scores: ReportScores) -> Result:
    """Report on each task in a column of tasks, or score several models on each task."""
    from ..logs.runs import RunTable

    metric = scores.metric or ("informedness" if len(models) > 1 else None)
    options = {**scores.arguments("average", "confidence_level"), "unknown": whole.task.unknown}
    reports = {}
    for task, (columns, _, _) in _split_tasks(whole).items():
        predictions = [column for role, column in columns.items() if role.startswith("predictions")]
        options["groups"] = columns.get("groups")
        for model, column in zip(models, predictions, strict=True):
            with prefix_errors(shown(task)), prefix_warnings(shown(task)):
                one_report = report(columns["references"], column, **options)
            reports[model if metric else "", task] = one_report
    return replace(RunTable.from_reports(reports, metric), read=(whole.read,))


def score_pair(
    data: Whole | Mapping[str, Whole], scores: CompareScores, prior: Prior | None = None
) -> Comparison | SuiteComparison:
    """Compare two models on one task, on the tasks in a column, or on named tasks."""
    if isinstance(data, Whole) and "task" in data.columns:
        data = _split_tasks(data)
    if not isinstance(data, Whole):
        return _compare_tasks(data, scores)
    from ..results.comparison import compare

    columns, task, account = data
    options = {**scores.arguments(*COMPARED), **_task_options(task), "prior": prior}
    pair = [columns[argument] for argument in PAIR]
    result = compare(*pair, groups=columns.get("groups"), **options)
    return replace(result, read=(account,), signature=signed(result.signature, [account]))


def _compare_tasks(tasks: Mapping[str, Whole], scores: CompareScores) -> SuiteComparison:
    """Compare two models on several tasks, and add the accounts of the data to the result."""
    from ..results.suite import compare_tasks

    pairs = {name: [whole.columns[x] for x in PAIR] for name, whole in tasks.items()}
    groups = {name: x.columns["groups"] for name, x in tasks.items() if "groups" in x.columns}
    first, *_ = tasks.values()
    options = {**scores.arguments(*COMPARED), "unknown": first.task.unknown}
    suite = compare_tasks(pairs, groups=groups or None, **options)
    return replace(suite, read=tuple(dict.fromkeys(whole.read for whole in tasks.values())))


def _split_tasks(whole: Whole) -> dict[str, Whole]:
    """Split columns into tasks by the values of the column "task"."""
    names, codes = whole.columns["task"].coded()
    tasks: dict[str, Whole] = {}
    for code, name in enumerate(names):
        rows = np.flatnonzero(codes == code)
        if len(rows):
            columns = {x: column[rows] for x, column in whole.columns.items() if x != "task"}
            tasks[str(name)] = whole._replace(columns=columns)
    return tasks


def _slice_options(scores: ReportScores, n_classes: int) -> dict[str, Any]:
    """Collect the options of `slices` from the scores of a request."""
    average = _advised_average(scores, n_classes)
    return {**scores.arguments("confidence_level", "vs_rest", "sort"), "average": average}


def _task_options(task: Task) -> dict[str, Any]:
    """Convert a task to keyword arguments of the scoring functions."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def _advised_average(scores: ReportScores, n_classes: int) -> Averaged:
    """Choose prevalence for three or more classes if no average was named."""
    has_averages = n_classes > 2 and scores.metric in (None, "informedness")
    return "prevalence" if has_averages and scores.average == "default" else scores.average


def _n_classes(references: Column, task: Task) -> int:
    """Count the declared classes of a task or, without them, the classes of the references."""
    return len({*references.tolist()} - {task.ignored} if task.classes is None else task.classes)
