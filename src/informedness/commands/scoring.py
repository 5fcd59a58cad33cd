"""The second door: what was read becomes a result, by names of scores and plain options."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeAlias

import numpy as np

from ..core.labels import NAMES, Column, Label
from ..core.table import Task
from ..errors import prefix_errors
from ..files.joined import Whole
from ..inference.registry import score_with_average
from ..logs.report import LogReport
from ..results.comparison import Comparison, compare
from ..results.estimate import Averaged, Estimate, estimate
from ..results.leaderboard import Leaderboard, leaderboard
from ..results.models import table_in_groups
from ..results.report import Report, report
from ..results.slices import Slices, slices
from ..results.suite import ScoresByTask, SuiteComparison, compare_tasks, scores_by_task
from ..tables.contingency import ContingencyTable
from ..text.account import signed
from ..text.layout import Result
from ..text.render import shown
from ..warnings import prefix_warnings
from .reading import PAIR, Prior, Tables

Level: TypeAlias = float | None


def score(
    data: Tables | Whole,
    names: Mapping[str, str] | None = None,
    *,
    metric: str | None = None,
    average: Averaged = "default",
    confidence_level: Level = None,
    prior: Prior | None = None,
    prior_mode: str = "reweight",
    vs_rest: str | None = None,
    ignore_index: Label | None = None,
) -> Result | float:
    """Return the result of a table, of a table for each slice, or of columns.

    Columns hold several models, tasks or groups; `names` are theirs, by argument. A metric without
    a level gives a number, for several models or tasks an interval, too. Other arguments are those
    of `estimate`, `slices` and `Report.from_table`.
    """
    names = names or {}
    if isinstance(data, ContingencyTable):
        ignored = data.read[0].ignored if data.read else ignore_index
        if metric is None:
            return Report.from_table(data, confidence_level, ignored, average=average)
        return _score_table(data, metric, average, confidence_level, prior, prior_mode, ignored)
    if isinstance(data, dict):
        by = [name for argument, name in names.items() if argument.startswith("by")]
        level: dict[str, Any] = {"confidence_level": confidence_level, "vs_rest": vs_rest}
        return Slices.from_tables(data, by=by, average=average, **level)
    if "task" in data.columns:
        return _score_tasks(data, names, metric, average, confidence_level)
    if "predictions" not in data.columns:
        return _rank(data, names, metric, average, confidence_level)
    return _score_groups(data, names, metric, average, confidence_level, vs_rest)


def _score_table(
    table: ContingencyTable,
    metric: str,
    average: Averaged,
    level: Level,
    prior: Prior | None,
    prior_mode: str,
    ignored: Label | None,
) -> Estimate | float:
    """Return a score of a table, with its interval if a level is given."""
    if level is not None:
        options: Any = {"prior": prior, "ignore_index": ignored, "confidence_level": level}
        return estimate(table, metric=metric, average=average, **options)
    mode: Any = {} if prior_mode == "reweight" else {"prior_mode": prior_mode}
    return float(score_with_average(metric, average).value(table, prior=prior, **mode))


def _score_groups(
    whole: Whole,
    names: Mapping[str, str],
    metric: str | None,
    average: Averaged,
    level: Level,
    vs_rest: str | None,
) -> Result:
    """Return the score, the report or the slices of samples in groups."""
    columns, task, account = whole
    references, predictions, groups = (columns[x] for x in (*NAMES, "groups"))
    options = _options_of_task(task) | {"groups": groups, "confidence_level": level}
    if metric is not None:
        return estimate(references, predictions, metric, average=average, **options)
    if by := {name: columns[x] for x, name in names.items() if x.startswith("by")}:
        options |= {"average": average, "vs_rest": vs_rest}
        result = slices(references, predictions, by=by, **options)
        table = replace(result.overall.table, read=(account,))
        overall = replace(result.overall, table=table)
        return replace(result, overall=overall, signature=signed(result.signature, [account]))
    of_task = task.classes, None, task.ignored, task.unknown
    table, pairs = table_in_groups(references, predictions, groups, *of_task)
    table = replace(table, read=(account,))
    return Report.from_table(table, level, task.ignored, pairs, average)


def _rank(
    whole: Whole, names: Mapping[str, str], metric: str | None, average: Averaged, level: Level
) -> Leaderboard:
    """Return the ranking of several columns of predictions."""
    columns, task, account = whole
    models = {name: columns[x] for x, name in names.items() if x.startswith("predictions")}
    options = _options_of_task(task) | {"metric": metric or "informedness", "average": average}
    options |= {"groups": columns.get("groups"), "confidence_level": level or 0.95}
    board = leaderboard(columns["references"], models, **options)
    return replace(board, read=(account,), signature=signed(board.signature, [account]))


def _score_tasks(
    whole: Whole, names: Mapping[str, str], metric: str | None, average: Averaged, level: Level
) -> ScoresByTask | LogReport:
    """Return the report on the tasks of a column, or one score of several models in each."""
    options: dict[str, Any] = {"average": average, "confidence_level": level}
    options["unknown"] = whole.task.unknown
    tasks = dict(_columns_by_task(whole.columns))
    models = [name for x, name in names.items() if x.startswith("predictions")]
    if len(models) > 1 or metric is not None:
        scores = scores_by_task(tasks, models, metric=metric or "informedness", **options)
        return replace(scores, read=(whole.read,))
    reports = {}
    for name, columns in tasks.items():
        with prefix_errors(shown(name)), prefix_warnings(shown(name)):
            sides = columns["references"], columns["predictions"]
            reports[name] = report(*sides, groups=columns.get("groups"), **options)
    return replace(LogReport.from_reports(reports), read=(whole.read,))


def score_pair(
    data: Whole | Mapping[str, Whole],
    *,
    metric: str = "informedness",
    average: Averaged = "default",
    confidence_level: float = 0.95,
    prior: Prior | None = None,
    margin: float | None = None,
) -> Comparison | SuiteComparison:
    """Return the comparison of two models, or over tasks: those of a column, or one for each name.

    The arguments are those of `compare`.
    """
    options: dict[str, Any] = {"metric": metric, "average": average, "margin": margin}
    options["confidence_level"] = confidence_level
    if isinstance(data, Mapping):
        columns_by_task = {name: whole.columns for name, whole in data.items()}
        return _compare_tasks(columns_by_task, [*data.values()], options)
    if "task" in data.columns:
        return _compare_tasks(dict(_columns_by_task(data.columns)), [data], options)
    columns, task, account = data
    options |= {**_options_of_task(task), "groups": columns.get("groups"), "prior": prior}
    comparison = compare(*(columns[argument] for argument in PAIR), **options)
    return replace(comparison, read=(account,), signature=signed(comparison.signature, [account]))


def _compare_tasks(
    columns_by_task: Mapping[str, Mapping[str, Column]],
    read: Sequence[Whole],
    options: Mapping[str, Any],
) -> SuiteComparison:
    """Return the comparison over tasks, with what was read."""
    tasks = {name: [columns[x] for x in PAIR] for name, columns in columns_by_task.items()}
    groups = {name: x["groups"] for name, x in columns_by_task.items() if "groups" in x} or None
    comparison = compare_tasks(tasks, groups=groups, unknown=read[0].task.unknown, **options)
    return replace(comparison, read=tuple(whole.read for whole in read))


def _options_of_task(task: Task) -> dict[str, Any]:
    """Return which labels count, as options of a function."""
    return {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}


def _columns_by_task(columns: Mapping[str, Column]) -> Iterator[tuple[str, dict[str, Column]]]:
    """Yield the columns of each task by its name."""
    task_names, task_codes = columns["task"].coded()
    for code, name in enumerate(task_names):
        rows = np.flatnonzero(task_codes == code)
        if len(rows):
            yield str(name), {x: column[rows] for x, column in columns.items() if x != "task"}
