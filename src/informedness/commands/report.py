"""The command `report`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..inference.class_scores import INFORMEDNESS
from ..messages import message
from ..results.slice_scores import MANY_SLICES, are_numbers
from ..results.verdict import LEVEL
from ..tables.contingency import ContingencyTable
from ..text.render import rounded, shown
from ..warnings import IntervalWarning, collected, prefix_warnings
from .console import Console
from .missing_columns import ask_for_columns
from .output import Outcome, check_average, prepare_figures, tell_decision, write
from .reading import Labels, Reader
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
        return write(_report_on_files(reader, request), output, console)
    labels = reader.read(is_one_run=scores.metric is not None or output.plot is not None)
    if scores.metric is not None:
        console.tell_read(labels.accounts)
    result, decision = _score(labels, request), None
    _tell_advice(labels, scores, console)
    if scores.at_least is not None:
        from ..results.requirement import decide_least

        level = scores.confidence_level or 0.95
        estimate: Any = score(labels, replace(scores, confidence_level=level))
        check_average("at-least", scores, estimate.n_classes)
        least = f"at-least {scores.at_least:g}"
        decision = tell_decision(decide_least(estimate, scores.at_least), least, console)
    return write(result, output, console, decision)


def _score(labels: Labels, request: ReportRequest) -> "Result | float":
    """Return the result, with intervals of 95% that warn of nothing where nobody asked for them."""
    if not request.has_default_level:
        return score(labels, request.scores)
    with prefix_warnings("", without=IntervalWarning):  # notes of the result say the same
        return score(labels, replace(request.scores, confidence_level=LEVEL))


def _report_on_files(reader: Reader, request: ReportRequest) -> "Result":
    """Return the report on files, each of which is a task."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, one in reader.by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = _score(one.read(), request)
    return RunTable.from_reports(reports)


def _tell_advice(labels: Labels, scores: ReportScores, console: Console) -> None:
    """Name both averages of Informedness beside a bare number, and how to have fewer slices."""
    data = labels.data
    is_open = scores.metric == INFORMEDNESS.name and scores.average == "default"
    if isinstance(data, ContingencyTable) and is_open and data.n_classes > 2:
        values = {}
        with collected():  # the number itself has warned
            for average in ("bias", "prevalence"):
                score_of = INFORMEDNESS.with_average(average)
                values[average] = rounded(float(score_of.value(data, prior=labels.prior)), 4)
        text = "informedness is {bias} by bias, the default, and {prevalence} by prevalence"
        console.tell(message(f"{text}: name one with `average`", **values))
    by = [*labels.names_of("by").values()]
    is_cut = len(by) != 1 or bool(labels.bins)
    if isinstance(data, dict) and not is_cut and len(data) > MANY_SLICES and are_numbers(data):
        text = "{column} has {n} values: `by` {column}:4 cuts it into four quantiles"
        console.tell(message(text, column=by[0], n=f"{len(data):,}"))
