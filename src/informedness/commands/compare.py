"""The command `compare`."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeAlias

from ..messages import message
from ..results.comparison import Comparison
from ..results.requirement import Decision, decide_required, decide_worse
from ..results.suite import SuiteComparison
from .console import Console
from .missing_columns import ask_for_columns
from .output import Outcome, check_average, tell_decision, write
from .reading import Reader
from .request import CompareRequest, CompareScores, Source
from .rules import check
from .scoring import score_pair

Compared: TypeAlias = Comparison | SuiteComparison


def compare(request: CompareRequest, console: Console) -> Outcome:
    """Compare two models."""
    source, scores = request.source, request.scores
    kind = check(request)
    if kind == "columns" and not source.columns.are_named:
        return Outcome(ask_for_columns(request))
    reader = Reader(source, request.labels, kind, scores.metric, are_compared=True)
    reader = reader.with_prior(scores.prior, console)
    if kind == "logs":
        console.call_alike("labels", "choices")  # the option for classes of logs
        result, titles = _compare_logs(reader, scores)
    else:
        titles = source.path[1:] if kind == "lines" else _titles(source)
        result = _compare_columns(reader, scores)
    if isinstance(result, Comparison):
        name_a, name_b = titles
        result = replace(result, detect=scores.detect, names=(name_a, name_b))
    elif scores.detect is not None:
        raise ValueError("`--detect` is for one task, got several")
    decision = _decide(result, scores, console)
    return write(result, request.output, console, decision)


def _decide(result: Compared, scores: CompareScores, console: Console) -> Decision | None:
    """Decide whether a build passes, if there is a requirement."""
    if not (scores.require or scores.fail_if):
        return None
    gate = "require" if scores.require else "fail-if"
    tasks = [result] if isinstance(result, Comparison) else result.tasks.values()
    check_average(gate, scores, max(task.n_classes for task in tasks))
    required = scores.require
    decision = decide_required(result, required) if required else decide_worse(result)
    return tell_decision(decision, f"{gate} {required or scores.fail_if}", console)


def _compare_columns(reader: Reader, scores: CompareScores) -> Compared:
    """Compare two columns; over all files, if each is a task."""
    if reader.source.columns.by_file:
        readers = reader.split_by_file()
        columns_by_file = {path: one.read_columns()[0] for path, one in readers.items()}
        return score_pair(columns_by_file, scores)
    whole, prior = reader.read_columns()
    return score_pair(whole, scores, prior)


def _compare_logs(reader: Reader, scores: CompareScores) -> tuple[Compared, Sequence[str]]:
    """Compare two logs, and return names for A and B."""
    from ..logs.reading import only_run
    from ..logs.runs import compare_logs

    path = reader.source.path
    if len(path) != 2:
        rule = "without `--references` and `--predictions` there must be two logs of harnesses"
        raise ValueError(message(f"{rule}, got {{paths}}", paths=" ".join(path)))
    runs_a, runs_b = map(reader.read_logs, path)
    if len({x.origin.task_name for x in runs_a} & {x.origin.task_name for x in runs_b}) > 1:
        return compare_logs(runs_a, runs_b, **scores.arguments()), path
    run_a, run_b = map(only_run, (runs_a, runs_b), path)
    titles = [run_a.name, run_b.name] if run_a.name != run_b.name else path
    return run_a.compare(run_b, **scores.arguments()), titles


def _titles(source: Source) -> Sequence[str]:
    """Name A and B; raise ValueError unless two columns are compared."""
    models, on = source.columns.predictions, source.columns.on
    if len(models) > 2 or (len(models) < 2 and on is None):
        rule = "`--predictions` must name two columns, or with --on one in each of two files"
        text = f"{rule}, got {{models}}; `informedness report` ranks several"
        raise ValueError(message(text, models=" ".join(models)))
    if on is None:
        return models
    if len(models) == 1:
        return source.path
    return [f"{path}, {model}" for path, model in zip(source.path, models, strict=True)]
