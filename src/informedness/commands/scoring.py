"""Compute results from the data that was read."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from ..core.labels import NAMES, Column
from ..core.table import Task
from ..errors import prefix_errors
from ..inference.registry import score_with_average
from ..results.report import Report, report
from ..tables.contingency import ContingencyTable
from ..text.layout import Result, signed
from ..text.render import shown
from ..warnings import prefix_warnings
from .reading import PAIR, Labels, Prior
from .request import CompareScores, ReportScores

if TYPE_CHECKING:
    from ..files.joined import Whole
    from ..logs.answers import Answers
    from ..results.comparison import Comparison
    from ..results.estimate import Averaged, Estimate
    from ..results.suite import SuiteComparison


def score(labels: Labels, scores: ReportScores) -> Result | float:
    """Score a table, a table for each slice, columns, or logs.

    Columns hold several models, tasks or groups. A metric without a level gives a number;
    several models or tasks also get an interval.
    """
    data, metric = labels.data, scores.metric
    level: dict[str, Any] = {"average": scores.average, "confidence_level": scores.confidence_level}
    if isinstance(data, list):
        return _score_logs(data, scores)
    if isinstance(data, dict):
        from ..results.slice_scores import in_quantiles
        from ..results.slices import Slices

        by = [*labels.names_of("by").values()]
        for column, n_bins in labels.bins.items():
            data = in_quantiles(data, by.index(column), n_bins, column)
        level["average"] = _advised_average(
            scores, ContingencyTable.sum_of([*data.values()]).n_classes
        )
        return Slices.from_tables(data, by=by, vs_rest=scores.vs_rest, sort=scores.sort, **level)
    if isinstance(data, ContingencyTable):
        return _score_table(data, labels, scores)
    models = labels.names_of("predictions")
    if "task" in data.columns:
        return _score_tasks(data, [*models.values()], metric, level)
    if len(models) > 1:
        return _rank(data, models, scores)
    return _score_groups(data, labels.names_of("by"), scores, level)


def _score_table(table: ContingencyTable, labels: Labels, scores: ReportScores) -> Result | float:
    """Report on a table, or compute one score, with its interval if a level is given."""
    average, level = scores.average, scores.confidence_level
    ignored = table.read[0].ignored if table.read else labels.ignored
    if scores.metric is None:
        return Report.from_table(table, level, ignored, average=average)
    if level is not None:
        from ..results.estimate import estimate

        options: dict[str, Any] = {"prior": labels.prior, "ignore_index": ignored}
        options |= {"confidence_level": level}
        return estimate(table, metric=scores.metric, average=average, **options)
    mode: Any = {} if scores.prior_mode == "reweight" else {"prior_mode": scores.prior_mode}
    score = score_with_average(scores.metric, average)
    return float(score.value(table, prior=labels.prior, **mode))


def _score_logs(runs: Sequence[Answers], scores: ReportScores) -> Result | float:
    """Report on runs, or compute one score of one run."""
    from ..logs.runs import RunTable

    if scores.metric is None:
        return RunTable.from_answers(runs, scores.confidence_level, scores.average)
    (run,) = runs
    if scores.confidence_level is None:
        return score(Labels(run.table), scores)
    return run.estimate(scores.metric, scores.confidence_level, scores.average)


def _score_groups(
    whole: Whole, by: Mapping[str, str], scores: ReportScores, level: Mapping[str, Any]
) -> Result:
    """Score samples in groups: one score, a report, or slices."""
    from ..results.estimate import estimate
    from ..results.models import table_in_groups
    from ..results.slices import slices

    columns, task, account = whole
    references, predictions, groups = (columns[x] for x in (*NAMES, "groups"))
    options = {**level, **_options_of_task(task), "groups": groups}
    if scores.metric is not None:
        one: Estimate = estimate(references, predictions, scores.metric, **options)
        return one
    if by:
        of_slices = {name: columns[argument] for argument, name in by.items()}
        options["average"] = _advised_average(scores, _n_classes(references, task))
        options |= {"by": of_slices, "vs_rest": scores.vs_rest, "sort": scores.sort}
        result = slices(references, predictions, **options)
        table = replace(result.overall.table, read=(account,))
        overall = replace(result.overall, table=table)
        return replace(result, overall=overall, signature=signed(result.signature, [account]))
    of_task = task.classes, None, task.ignored, task.unknown
    table, pairs = table_in_groups(references, predictions, groups, *of_task)
    table = replace(table, read=(account,))
    return Report.from_table(table, ignore_index=task.ignored, pairs=pairs, **level)


def _advised_average(scores: ReportScores, n_classes: int) -> Averaged:
    """Choose the average to rank by: prevalence for more than two classes if none was named."""
    is_open = scores.average == "default" and n_classes > 2
    return "prevalence" if is_open and scores.metric in (None, "informedness") else scores.average


def _n_classes(references: Column, task: Task) -> int:
    """Count the classes of a task: the declared ones, or those of the references."""
    return len({*references.tolist()} - {task.ignored} if task.classes is None else task.classes)


def _rank(whole: Whole, models: Mapping[str, str], scores: ReportScores) -> Result:
    """Rank several columns of predictions."""
    from ..results.leaderboard import leaderboard

    columns, task, account = whole
    answers = {name: columns[argument] for argument, name in models.items()}
    options = {**_options_of_task(task), "groups": columns.get("groups")}
    options["average"] = _advised_average(scores, _n_classes(columns["references"], task))
    options["confidence_level"] = scores.confidence_level or 0.95
    metric = scores.metric or "informedness"
    board = leaderboard(columns["references"], answers, metric=metric, **options)
    return replace(board, read=(account,), signature=signed(board.signature, [account]))


def _score_tasks(
    whole: Whole, models: Sequence[str], metric: str | None, level: Mapping[str, Any]
) -> Result:
    """Report on the tasks of a column, or score several models in each."""
    from ..logs.runs import RunTable

    if len(models) > 1 and metric is None:
        metric = "informedness"
    reports = {}
    for name, columns in _columns_by_task(whole.columns):
        sides = [column for role, column in columns.items() if role.startswith("predictions")]
        options = {**level, "unknown": whole.task.unknown, "groups": columns.get("groups")}
        for model, side in zip(models, sides, strict=True):
            with prefix_errors(shown(name)), prefix_warnings(shown(name)):
                made = report(columns["references"], side, **options)
            reports[model if metric else "", name] = made
    return replace(RunTable.from_reports(reports, metric), read=(whole.read,))


def score_pair(
    data: Whole | Mapping[str, Whole], scores: CompareScores, prior: Prior | None = None
) -> Comparison | SuiteComparison:
    """Compare two models, also over tasks: those of a column, or one per name."""
    if isinstance(data, Mapping):
        return _compare_tasks({x: y.columns for x, y in data.items()}, [*data.values()], scores)
    columns, task, account = data
    if "task" in columns:
        return _compare_tasks(dict(_columns_by_task(columns)), [data], scores)
    from ..results.comparison import compare

    options = {**scores.arguments(), **_options_of_task(task), "prior": prior}
    sides = [columns[argument] for argument in PAIR]
    result = compare(*sides, groups=columns.get("groups"), **options)
    return replace(result, read=(account,), signature=signed(result.signature, [account]))


def _compare_tasks(
    columns_by_task: Mapping[str, Mapping[str, Column]],
    wholes: Sequence[Whole],
    scores: CompareScores,
) -> SuiteComparison:
    """Compare two models over tasks, and add the accounts of the data."""
    from ..results.suite import compare_tasks

    sides = {name: [columns[x] for x in PAIR] for name, columns in columns_by_task.items()}
    groups = {name: x["groups"] for name, x in columns_by_task.items() if "groups" in x} or None
    options = {**scores.arguments(), "unknown": wholes[0].task.unknown}
    suite = compare_tasks(sides, groups=groups, **options)
    return replace(suite, read=tuple(whole.read for whole in wholes))


def _options_of_task(task: Task) -> dict[str, Any]:
    """Convert a task to options of the scoring functions."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def _columns_by_task(columns: Mapping[str, Column]) -> Iterator[tuple[str, dict[str, Column]]]:
    """Yield the columns of each task by its name."""
    task_names, task_codes = columns["task"].coded()
    for code, name in enumerate(task_names):
        rows = np.flatnonzero(task_codes == code)
        if len(rows):
            yield str(name), {x: column[rows] for x, column in columns.items() if x != "task"}
