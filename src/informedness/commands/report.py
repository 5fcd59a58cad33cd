"""The command `report`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..text.render import shown
from ..warnings import prefix_warnings
from .console import Console
from .missing_columns import ask_for_columns
from .output import Outcome, check_average, prepare_figures, tell_decision, write
from .reading import Reader
from .request import ReportRequest, ReportScores
from .rules import check
from .scoring import score

if TYPE_CHECKING:
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
        console.call_alike("labels", "choices")  # which name the classes of logs
    if source.columns.by_file:
        return write(_report_on_files(reader, scores), output, console)
    labels = reader.read(is_one_run=scores.metric is not None or output.plot is not None)
    if scores.metric is not None:
        console.tell_read(labels.accounts)
    result, decision = score(labels, scores), None
    if scores.at_least is not None:
        from ..results.requirement import decide_least

        level = scores.confidence_level or 0.95
        estimate: Any = score(labels, replace(scores, confidence_level=level))
        check_average("at-least", scores, estimate.n_classes)
        least = f"at-least {scores.at_least:g}"
        decision = tell_decision(decide_least(estimate, scores.at_least), least, console)
    return write(result, output, console, decision)


def _report_on_files(reader: Reader, scores: ReportScores) -> "Result":
    """Return the report on files, each of which is a task."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, one in reader.by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = score(one.read(), scores)
    return RunTable.from_reports(reports)
