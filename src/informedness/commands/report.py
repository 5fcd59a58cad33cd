"""The command `report`."""

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ..inference.score import INFORMEDNESS
from ..messages import message
from ..results.slice_scores import MANY_SLICES, are_numbers
from ..results.verdict import LEVEL
from ..tables.contingency import ContingencyTable
from ..text.render import rounded, shown
from ..warnings import IntervalWarning, collected, prefix_warnings
from .console import Console
from .missing_columns import ask_for_columns
from .output import Outcome, check_average, prepare_figures, tell_decision, write
from .reading import Labels, Prior, Reader
from .request import ReportRequest, ReportScores
from .rules import check
from .scoring import score

if TYPE_CHECKING:
    from ..results.requirement import Decision
    from ..text.layout import Result


def report(request: ReportRequest, console: Console) -> Outcome:
    """Score the predictions in files, or the answers in logs."""
    source, scores, output = request.source, request.scores, request.output
    kind = check(request)
    if kind == "columns" and not source.columns.are_named:
        return Outcome(ask_for_columns(request))
    reader = Reader(source, request.labels, kind, scores.metric).with_prior(scores.prior, console)
    if output.plot is not None:
        prepare_figures(output.plot)
    if kind == "logs":
        console.call_alike("labels", "choices")  # the option for classes of logs
    if request.has_default_level:
        scores = replace(scores, confidence_level=LEVEL)
    # intervals by default need no warnings, because the result has the same notes
    quiet = prefix_warnings("", without=IntervalWarning if request.has_default_level else None)
    if source.columns.by_file:
        with quiet:
            return write(_report_on_files(reader, scores), output, console)
    labels = reader.read(is_one_run=scores.metric is not None or output.plot is not None)
    if scores.metric is not None:
        console.tell_read(labels.accounts)
    with quiet:
        result = score(labels, scores)
    _tell_advice(labels, scores, console)
    return write(result, output, console, _decide(labels, scores, console))


def _decide(labels: Labels, scores: ReportScores, console: Console) -> "Decision | None":
    """Decide whether a score is as high as required, if there is a requirement."""
    if scores.at_least is None:
        return None
    from ..results.requirement import decide_least

    level = scores.confidence_level or LEVEL
    estimate: Any = score(labels, replace(scores, confidence_level=level))
    check_average("at-least", scores, estimate.n_classes)
    decision = decide_least(estimate, scores.at_least)
    return tell_decision(decision, f"at-least {scores.at_least:g}", console)


def _report_on_files(reader: Reader, scores: ReportScores) -> "Result":
    """Report on files as one task each."""
    from ..logs.runs import RunTable

    reports: dict[tuple[str, str], Any] = {}
    for path, one in reader.split_by_file().items():
        with prefix_warnings(shown(path)):
            reports["", path] = score(one.read(), scores)
    return RunTable.from_reports(reports)


def _tell_advice(labels: Labels, scores: ReportScores, console: Console) -> None:
    """Tell both averages of Informedness if only one is shown, and how to get fewer slices."""
    data, by = labels.data, [*labels.names_of("by").values()]
    is_open = scores.metric == INFORMEDNESS.name and scores.average == "default"
    if isinstance(data, ContingencyTable) and is_open and data.n_classes > 2:
        text = "informedness is {bias} by bias, the default, and {prevalence} by prevalence"
        values = _values_by_average(data, labels.prior)
        console.tell(message(f"{text}: name one with `average`", **values))
    if isinstance(data, dict) and len(by) == 1 and not labels.bins:
        text = "{column} has {n} values: `by` {column}:4 cuts it into four quantiles"
        if len(data) > MANY_SLICES and are_numbers(data):
            console.tell(message(text, column=by[0], n=f"{len(data):,}"))


def _values_by_average(table: ContingencyTable, prior: Prior | None) -> dict[str, str]:
    """Compute Informedness by the default average and by the advised one."""
    values = {}
    with collected():  # the score has already warned
        for average in ("bias", "prevalence"):
            value = INFORMEDNESS.with_average(average).value(table, prior=prior)
            values[average] = rounded(float(value), 4)
    return values
