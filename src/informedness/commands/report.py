"""The command `report`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..messages import message
from ..text.render import shown
from ..warnings import prefix_warnings
from .console import Console
from .missing_columns import ask_for_columns
from .output import Outcome, check_average, prepare_figures, tell_decision, write
from .reading import Labels, Reader
from .request import Output, ReportRequest, ReportScores
from .rules import check
from .scoring import score

if TYPE_CHECKING:
    from ..logs.answers import Answers
    from ..results.estimate import Estimate
    from ..results.requirement import Decision
    from ..text.layout import Result


def report(request: ReportRequest, console: Console) -> Outcome:
    """Return the scores of the predictions in files, or of the answers in logs."""
    source, scores, output = request.source, request.scores, request.output
    kind = check(request)
    if kind == "columns" and not source.columns.are_named:
        return Outcome(ask_for_columns(request))
    reader = Reader(source, request.labels, kind, scores.metric).with_prior(scores.prior, console)
    if output.plot is not None:
        prepare_figures(output.plot)
    if kind == "logs":
        return _report_on_logs(reader, request, console)
    if source.columns.by_file:
        return write(_report_on_files(reader, scores), output, console)
    labels = reader.read()
    if scores.metric is not None and {*labels.names}.isdisjoint({"predictions 1", "task"}):
        console.tell_read(labels.accounts)
    result, decision = score(labels, scores), None
    if scores.at_least is not None:
        level = scores.confidence_level or 0.95
        estimate: Any = score(labels, replace(scores, confidence_level=level))
        decision = _decide(estimate, scores, scores.at_least, console)
    return write(result, output, console, decision)


def _decide(
    estimate: "Estimate", scores: ReportScores, least: float, console: Console
) -> "Decision":
    """Decide whether a score is as high as required."""
    from ..results.requirement import decide_least

    check_average("at-least", scores, estimate.n_classes)
    return tell_decision(decide_least(estimate, least), f"at-least {least:g}", console)


def _report_on_files(reader: Reader, scores: ReportScores) -> "Result":
    """Return the report on files, each of which is a task."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, one in reader.by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = score(one.read(), scores)
    return RunTable.from_reports(reports)


def _report_on_logs(reader: Reader, request: ReportRequest, console: Console) -> Outcome:
    """Return the report on logs of evaluation harnesses, or one score of one run."""
    from ..logs.reading import only_run
    from ..logs.runs import RunTable

    scores, output, path = request.scores, request.output, request.source.path
    console.call_alike("labels", "choices")  # which name the classes of logs
    runs = reader.read_logs(path)
    if scores.metric is not None or output.plot is not None:
        runs = [only_run(runs, " ".join(path))]
    if scores.metric is not None:
        return _score_run(runs[0], scores.metric, scores, output, console)
    result = RunTable.from_answers(runs, scores.confidence_level, scores.average)
    named = result.with_names(console.name_of).runs if output.each and len(runs) > 1 else ()
    return Outcome("\n\n\n".join([*map(str, named), write(result, output, console).text]))


def _score_run(
    run: "Answers", metric: str, scores: ReportScores, output: Output, console: Console
) -> Outcome:
    """Return one score of one run."""
    from ..logs.runs import how_found

    if run.unknown():
        console.tell(message("warning: {said}", said=how_found(run)))
    level, decision = scores.confidence_level or 0.95, None
    if scores.at_least is not None:
        estimate = run.estimate(metric, level, scores.average)
        decision = _decide(estimate, scores, scores.at_least, console)
    if scores.confidence_level is None:
        result = score(Labels(run.table), scores)
    else:
        result = run.estimate(metric, level, scores.average)
    return write(result, output, console, decision)
