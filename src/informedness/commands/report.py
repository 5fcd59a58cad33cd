"""The command `report`."""

import json
import os
from argparse import Namespace
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..core.labels import NAMES
from ..errors import prefix_errors
from ..files.columns import named_columns
from ..files.opening import list_files
from ..inference.registry import score_with_average
from ..messages import message
from ..tables.contingency import ContingencyTable
from ..text.account import lines_of_read, signed
from ..text.render import as_json, shown
from .output import formatted, require_least
from .reading import (
    columns_by_task,
    options_of_task,
    read_prior,
    respell_prior,
    rows_of,
    rows_of_lines,
    samples_of,
    values_of,
    whole_columns,
)
from .rules import OF_ESTIMATE, OF_LOGS, OF_TEXT, check_options

if TYPE_CHECKING:
    from ..logs.report import LogReport
    from ..results.leaderboard import Leaderboard
    from ..results.report import Report


def report(options: Namespace) -> str:
    """Return the scores of the predictions in files, or of the answers in logs."""
    source = check_options(options)
    if source == "list":
        from .missing_columns import list_columns

        return list_columns(options)
    read_prior(options)
    if options.plot is not None:
        _prepare_figures(options.plot)
    if source == "logs":
        return _report_on_logs(options)
    if options.by_task is not None:
        return formatted(_report_by_task(options), options)
    if source == "columns" and len(options.predictions) > 1:
        return formatted(_leaderboard(options), options)
    if options.by_file:
        return formatted(_report_by_file(options), options)
    if options.groups is not None:
        return formatted(_result_of_groups(options), options)

    table = _table(options, source)
    if options.by is not None:
        from ..results.slices import Slices

        slice_options = values_of(options, "by", "average", "confidence_level", "vs_rest")
        return formatted(Slices.from_tables(table, **slice_options), options)
    if options.metric is not None:
        return _score(table, options)
    return formatted(_report_on_table(table, options), options)


def _prepare_figures(folder: str) -> None:
    """Make the folder for figures, or raise an error if none can be drawn or saved there."""
    from ..results.figures import import_pyplot

    os.environ["MPLBACKEND"] = "agg"  # files, no windows
    import_pyplot()
    if Path(folder).suffix.lower() in (".jpeg", ".jpg", ".pdf", ".png", ".svg"):
        rule = "--plot must name a folder for PNG files, got {folder}"
        raise ValueError(message(rule, folder=folder))
    Path(folder).mkdir(parents=True, exist_ok=True)


def _report_on_table(table: ContingencyTable, options: Namespace) -> "Report":
    from ..results.report import Report

    report_options = values_of(options, "confidence_level", "average")
    return Report.from_table(table, ignore_index=table.read[0].ignored, **report_options)


def _table(options: Namespace, source: str) -> Any:
    """Return the table of the files, or with `by` one for each slice."""
    from ..files.tables import tables_of

    if source == "matrix":
        return options.matrix
    if source == "lines":
        samples = samples_of(options, dict(zip(NAMES, options.path, strict=True)))
        rows = rows_of_lines(options, samples)
    else:
        beside = values_of(options, "weights", "counts", "by")
        names = named_columns(options.references, options.predictions[0], **beside)
        samples = samples_of(options, names)
        rows = rows_of(options, samples, ["predictions"])
    table = tables_of(samples, rows)
    respell_prior(options, samples)
    return table


def _result_of_groups(options: Namespace) -> Any:
    """Return the score, the report or the slices of samples in groups."""
    from ..results.estimate import estimate
    from ..results.models import table_in_groups
    from ..results.report import Report
    from ..results.slices import slices

    beside = {"weights": None, **values_of(options, "counts", "by")}
    names = named_columns(options.references, options.predictions[0], **beside)
    columns, task, account = whole_columns(options, names, ["predictions"])
    sides: Any = columns["references"], columns["predictions"]
    of_report = values_of(options, "average", "confidence_level")
    of_score = of_report | options_of_task(task) | {"groups": columns["groups"]}
    if options.metric is not None:
        options.tell("\n".join(lines_of_read(account)))
        of_score["metric"] = options.metric
        score = estimate(*sides, **of_score)
        require_least(score, options)
        return score
    if options.by is not None:
        by = {name: columns[role] for role, name in names.items() if role.startswith("by")}
        result = slices(*sides, by=by, vs_rest=options.vs_rest, **of_score)
        table = replace(result.overall.table, read=(account,))
        overall = replace(result.overall, table=table)
        return replace(result, overall=overall, signature=signed(result.signature, [account]))
    sides = *sides, columns["groups"]
    table, pairs = table_in_groups(*sides, task.classes, None, task.ignored, task.unknown)
    table = replace(table, read=(account,))
    return Report.from_table(table, ignore_index=task.ignored, pairs=pairs, **of_report)


def _score(table: ContingencyTable, options: Namespace) -> str:
    """Return one score of a table, with its interval if a level is given."""
    from ..results.estimate import estimate

    for account in table.read:
        options.tell("\n".join(lines_of_read(account)))
    if options.confidence_level is not None or options.at_least is not None:
        level = options.confidence_level or 0.95
        of_estimate = values_of(options, *OF_ESTIMATE, "prior") | {"confidence_level": level}
        score: Any = estimate(table, ignore_index=table.read[0].ignored, **of_estimate)
        require_least(score, options)
        if options.confidence_level is not None:
            return formatted(score, options)
    of_value = values_of(options, "prior")
    if options.prior_mode != "reweight":
        of_value["prior_mode"] = options.prior_mode
    value = score_with_average(options.metric, options.average).value(table, **of_value)
    return json.dumps(as_json(value)) if options.format == "json" else repr(value)


def _report_on_logs(options: Namespace) -> str:
    """Return the report on logs of evaluation harnesses, or one score of one run."""
    from ..logs.reading import one_run, read_log
    from ..logs.report import LogReport, how_read

    options.flags["labels"] = options.flags["choices"]  # which name the classes of logs
    runs = read_log(options.path, **values_of(options, *OF_LOGS, *OF_TEXT))
    if options.metric is not None or options.plot is not None:
        runs = [one_run(runs, " ".join(options.path))]
    if options.metric is None:
        result = LogReport.from_answers(runs, options.confidence_level, options.average)
        each = result.runs if options.each and len(result.runs) > 1 else ()
        named = (run._replace(report=run.report.with_names(options.naming)) for run in each)
        return "\n\n\n".join([*map(str, named), formatted(result, options)])
    (run,) = runs
    if run.unknown():
        options.tell(f"warning: {how_read(run)}")
    if options.at_least is not None:
        level = options.confidence_level or 0.95
        require_least(run.estimate(options.metric, level, options.average), options)
        options.at_least = None  # of the table, which knows no epochs
    if options.confidence_level is None:
        return _score(run.table, options)
    return formatted(run.estimate(**values_of(options, *OF_ESTIMATE)), options)


def _report_by_file(options: Namespace) -> "LogReport":
    """Return the report on files, each of which is a task."""
    from ..logs.report import LogReport
    from ..warnings import prefix_warnings

    reports = {}
    for path, _ in list_files(options.path, options.file_format):
        options.path = [path]
        with prefix_warnings(shown(path)):
            reports[path] = _report_on_table(_table(options, "columns"), options)
    return LogReport.from_reports(reports)


def _model_columns(options: Namespace) -> dict[str, str]:
    """Return the columns of the references and of each model by argument."""
    names = options.predictions
    if len(names) == 1:
        return {"references": options.references, "predictions": names[0]}
    models = {f"predictions {i}": name for i, name in enumerate(names, start=1)}
    return {"references": options.references, **models}


def _report_by_task(options: Namespace) -> Any:
    """Return the report on the tasks of a column, or one score of several models in each."""
    from ..logs.report import LogReport
    from ..results.report import report
    from ..results.suite import scores_by_task
    from ..warnings import prefix_warnings

    columns, _, account = whole_columns(options, _model_columns(options))
    tasks = dict(columns_by_task(columns))
    of_report = values_of(options, "average", "confidence_level", "unknown")
    if len(options.predictions) > 1 or options.metric is not None:
        metric = options.metric or "informedness"
        scores = scores_by_task(tasks, options.predictions, metric=metric, **of_report)
        return replace(scores, read=(account,))
    reports = {}
    for name, of_task in tasks.items():
        with prefix_errors(shown(name)), prefix_warnings(shown(name)):
            sides = of_task["references"], of_task["predictions"]
            reports[name] = report(*sides, groups=of_task.get("groups"), **of_report)
    return replace(LogReport.from_reports(reports), read=(account,))


def _leaderboard(options: Namespace) -> "Leaderboard":
    """Return the ranking of several columns of predictions."""
    from ..results.leaderboard import leaderboard

    names = _model_columns(options)
    columns, task, account = whole_columns(options, names)
    models = {name: columns[role] for role, name in names.items() if role != "references"}
    of_score = options_of_task(task) | {"metric": options.metric or "informedness"}
    of_score |= {"average": options.average, "groups": columns.get("groups")}
    of_score["confidence_level"] = options.confidence_level or 0.95
    board = leaderboard(columns["references"], models, **of_score)
    return replace(board, read=(account,), signature=signed(board.signature, [account]))
