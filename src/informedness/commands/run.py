"""Carry out a request of the command line: `report`, `compare`, `register`, `unregister`.

Functions import the modules that only some commands need, so that other commands start faster.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ..inference.score import INFORMEDNESS
from ..messages import message
from ..results.verdict import LEVEL
from ..tables.contingency import ContingencyTable
from ..text.render import rounded, shown
from ..warnings import IntervalWarning, collected, prefix_warnings
from .console import Console, check_average, prepare_figures, write_result
from .missing_columns import ask_for_columns
from .reading import Labels, Reader, find_kind
from .request import CompareRequest, CompareScores, ReportRequest, ReportScores, Request, check
from .scoring import COMPARED, score, score_pair

if TYPE_CHECKING:
    from ..results.comparison import Comparison, Decision
    from ..results.suite import SuiteComparison
    from ..text.layout import Result

    Compared: TypeAlias = Comparison | SuiteComparison


def report(request: ReportRequest, console: Console) -> str:
    """Score the predictions in files or the answers in logs, and return the result as text."""
    reader = _prepare_reader(request, console)
    if reader is None:
        return ask_for_columns(request)
    scores, output = request.scores, request.output
    if output.plot is not None:
        prepare_figures(output.plot)
    if request.has_default_level:
        scores = replace(scores, confidence_level=LEVEL)
    # Intervals that were not requested cause no warnings, because the result has the same notes.
    suppressed = prefix_warnings("", without=IntervalWarning if request.has_default_level else ())
    if request.source.columns.by_file:
        with suppressed:
            return write_result(_report_on_files(reader, scores), output, console)
    labels = reader.read(is_one_run=scores.metric is not None or output.plot is not None)
    if scores.metric is not None:
        console.print(*labels.accounts)
    with suppressed:
        result = score(labels, scores)
    _print_averages(labels, scores, console)
    return write_result(result, output, console, _decide_score(labels, scores, console))


def _prepare_reader(
    request: Request, console: Console, are_compared: bool = False
) -> Reader | None:
    """Check a request, and make a reader of its source; return None if columns must be named."""
    kind = find_kind(request)
    check(request, kind)
    if kind == "columns" and not request.source.columns.are_named:
        return None
    if kind == "logs":
        console.use_name_of("choices", "labels")  # --choices lists the classes of logs
    reader = Reader(request.source, request.labels, kind, request.scores.metric, are_compared)
    return reader.with_prior(request.scores.prior, console)


def _report_on_files(reader: Reader, scores: ReportScores) -> "Result":
    """Score each file as a task."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, file_reader in reader.split_by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = score(file_reader.read(), scores)
    return RunTable.from_reports(reports)


def _decide_score(labels: Labels, scores: ReportScores, console: Console) -> "Decision | None":
    """Decide whether a score is as high as --at-least requires; None without this option."""
    if scores.at_least is None:
        return None
    from ..results.comparison import decide_least

    level = scores.confidence_level or LEVEL
    estimate: Any = score(labels, replace(scores, confidence_level=level))
    check_average("at-least", scores, estimate.n_classes)
    decision = decide_least(estimate, scores.at_least)
    return console.print_decision(decision, f"at-least {scores.at_least:g}")


def _print_averages(labels: Labels, scores: ReportScores, console: Console) -> None:
    """Print Informedness by bias and by prevalence, which differ for three or more classes.

    Nothing is printed unless the result has only the default average.
    """
    table = labels.data
    is_default = scores.metric == INFORMEDNESS.name and scores.average == "default"
    if not (is_default and isinstance(table, ContingencyTable) and table.n_classes > 2):
        return
    values = {}
    with collected():  # the same warnings were issued with the result
        for average in ("bias", "prevalence"):
            value = INFORMEDNESS.with_average(average).value(table, prior=labels.prior)
            values[average] = rounded(float(value), 4)
    text = "informedness is {bias} by bias, the default, and {prevalence} by prevalence. "
    console.print(message(f"{text}Name one with `average`", **values))


def compare(request: CompareRequest, console: Console) -> str:
    """Compare two models on the same samples, and return the result as text."""
    from ..results.comparison import Comparison

    reader = _prepare_reader(request, console, are_compared=True)
    if reader is None:
        return ask_for_columns(request)
    scores = request.scores
    if reader.kind == "logs":
        result, titles = _compare_logs(reader, scores)
    else:
        titles, prior = _titles(reader), None
        if reader.source.columns.by_file:
            readers = reader.split_by_file()
            data: Any = {path: one.read_columns()[0] for path, one in readers.items()}
        else:
            data, prior = reader.read_columns()
        result = score_pair(data, scores, prior)
    if isinstance(result, Comparison):
        name_a, name_b = titles
        result = replace(result, detect=scores.detect, names=(name_a, name_b))
    elif scores.detect is not None:
        raise ValueError("`--detect` is for one task, got several")
    decision = _decide_comparison(result, scores, console)
    return write_result(result, request.output, console, decision)


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
        rule = "`--predictions` must name two columns, or with --on one in each of two files"
        text = f"{rule}, got {{models}}; `informedness report` ranks several"
        raise ValueError(message(text, models=" ".join(models)))
    if on is None:
        return models
    if len(models) == 1:
        return path
    return [f"{file}, {model}" for file, model in zip(path, models, strict=True)]


def _compare_logs(reader: Reader, scores: CompareScores) -> "tuple[Compared, Sequence[str]]":
    """Compare two logs; return the comparison, and the names of the models A and B."""
    from ..logs.reading import only_run
    from ..logs.runs import compare_logs

    path, options = reader.source.path, scores.arguments(*COMPARED)
    if len(path) != 2:
        rule = "without `--references` and `--predictions` there must be two logs of harnesses"
        raise ValueError(message(f"{rule}, got {{paths}}", paths=" ".join(path)))
    runs_a, runs_b = map(reader.read_logs, path)
    if len({x.origin.task_name for x in runs_a} & {x.origin.task_name for x in runs_b}) > 1:
        return compare_logs(runs_a, runs_b, **options), path
    run_a, run_b = map(only_run, (runs_a, runs_b), path)
    titles = [run_a.name, run_b.name] if run_a.name != run_b.name else path
    return run_a.compare(run_b, **options), titles


def _decide_comparison(
    result: "Compared", scores: CompareScores, console: Console
) -> "Decision | None":
    """Decide whether a build passes; None without --require and --fail-if."""
    from ..results.comparison import Comparison, decide_required, decide_worse

    if not (scores.require or scores.fail_if):
        return None
    gate = "require" if scores.require else "fail-if"
    tasks = [result] if isinstance(result, Comparison) else result.tasks.values()
    check_average(gate, scores, max(task.n_classes for task in tasks))
    required = scores.require
    decision = decide_required(result, required) if required else decide_worse(result)
    return console.print_decision(decision, f"{gate} {required or scores.fail_if}")


def register() -> str:
    """Register both metrics with `evaluate`, and list the folders from which it loads them."""
    from ..registration import register

    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def unregister() -> str:
    """Undo `register`, and list the folders that were removed."""
    from ..registration import unregister

    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"
