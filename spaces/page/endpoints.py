# ruff: noqa: D406, D407 (Gradio reads these docstrings, which must not have underlines)
"""Define the page's endpoints for programs, which are also the tools of its MCP server.

Gradio shows these docstrings on the page "Use via API", and language models read them to choose a
tool: a description, then one line per argument.
"""

import functools
import inspect
import json
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

import charts
import gradio as gr
from data import table_of_labels, table_of_matrix, tables_of_models
from gradio.events import api
from limits import METRIC, Refusal

import informedness
from informedness import ContingencyTable
from informedness.inference.registry import REPORTED, score_named
from informedness.inference.score import check_level
from informedness.messages import message_of
from informedness.results.report import Report
from informedness.results.summary import with_constant_predictions, with_perfect_predictions
from informedness.tables.label_warnings import warn_of_table
from informedness.warnings import collected

# Models often send a list as JSON in a string.
Labels = list[str | int | bool | None] | str
Asked = gr.Request | None


def _report(
    table: ContingencyTable, level: float, warned: Sequence[Warning] = (), **options: Any
) -> dict[str, Any]:
    """Convert the report to plain values, with scores of a guesser and a perfect classifier.

    Sums of weights have no interval, because the number of samples behind them is unknown. `warned`
    are warnings of the table; `options` are further options of the report.
    """
    check_level(level)
    with collected():  # nobody asked about these two tables
        others: dict[str, Any] = {
            "always_commonest": scores_of(with_constant_predictions(table)),
            "all_right": scores_of(with_perfect_predictions(table)),
        }
    sentences = [score_named(METRIC).why_undefined(table)]
    if table.is_weighted:
        sentences.append("there is no interval: these are weights, not counts of samples")
    with collected() as notes:
        warn_of_table(table)
        report = Report.from_table(table, None if table.is_weighted else level, **options)
    warnings = [*filter(None, sentences), *map(message_of, [*warned, *notes])]
    summary = report.summary if METRIC == "informedness" else report.summary_of(METRIC)
    others |= {"summary": str(summary), "warnings": [*dict.fromkeys(warnings)]}
    return report.to_dict() | others


def scores_of(table: ContingencyTable) -> dict[str, Any]:
    """Compute all scores of a table as plain values."""
    plain = Report.from_table(table).to_dict()
    return {name: plain[name] for name in REPORTED}


def score(
    references: Labels,
    predictions: Labels,
    labels: Labels | None = None,
    confidence_level: float = 0.95,
    unknown: str = "error",
    average: str = "default",
    ignore_index: str | int | None = None,
    request: Asked = None,
) -> dict[str, Any]:
    """Score the predictions of a classifier against the references (the true labels).

    Informedness is 1 for a perfect classifier and 0, on average, for any guesser, however uneven
    the classes are. A classifier that knows the share x of the answers in every class and guesses
    the rest scores about x. Without labels, a prediction that no reference has counts as wrong.
    NIT (2^MI / k) measures how much information about the references the predictions carry: with k
    classes, chance is 1/k, not 0. If accuracy is high but Informedness is near 0, the accuracy is
    credit for guessing the commonest class. If the interval of a score contains the score of a
    guesser, the classifier cannot be distinguished from a guesser.

    Args:
        references: The true labels, up to 100,000.
        predictions: The predicted labels, one per reference, in the same order.
        labels: All classes of the task; by default those of the references.
        confidence_level: How often an interval should contain the true value, between 0 and 1.
        unknown: "wrong" to count missing predictions, and those outside `labels`, as wrong.
        average: That of Informedness over classes: "bias" (the default), "prevalence" or "macro".
        ignore_index: The reference of samples that do not count, such as -100.

    Returns:
        accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, informedness and
        nit (null where undefined), each with NAME_standard_error and NAME_confidence_interval;
        per_class, the rates of each class; all_right and always_commonest, the scores of a perfect
        classifier and of one that always gives the commonest class; summary, which explains the
        score of this page; signature; warnings. With predictions out of class:
        n_out_of_class, out_of_class_share, and accuracy, informedness and nit with _in_class behind
        the name.
    """
    table = table_of_labels(references, predictions, labels, unknown, ignore_index=ignore_index)
    return _report(table, confidence_level, average=average, ignore_index=ignore_index)


def score_matrix(
    matrix: list[list[float]] | str,
    labels: Labels | None = None,
    confidence_level: float = 0.95,
    average: str = "default",
    request: Asked = None,
) -> dict[str, Any]:
    """Score a confusion matrix whose rows are references and whose columns are predictions.

    The scores and their meaning are the same as for the tool that scores labels: Informedness is 0
    for any guesser and 1 for a perfect classifier, and NIT is 1/k for a guesser among k classes.

    Args:
        matrix: Counts, up to 1,000 rows; weights, and percentages as in 92.0, have no interval.
        labels: The names of its classes; if given, all of them count in k.
        confidence_level: How often an interval should contain the true value, between 0 and 1.
        average: That of Informedness over classes: "bias" (the default), "prevalence" or "macro".

    Returns:
        The same as scoring the labels of these samples.
    """
    with collected() as notes:
        table = table_of_matrix(matrix, labels)
    return _report(table, confidence_level, notes, average=average)


def compare(
    references: Labels,
    predictions_a: Labels,
    predictions_b: Labels,
    labels: Labels | None = None,
    metric: str = METRIC,
    confidence_level: float = 0.95,
    unknown: str = "error",
    average: str = "default",
    ignore_index: str | int | None = None,
    request: Asked = None,
) -> dict[str, Any]:
    """Tell whether classifier B scores better than A on the same samples, and how certain that is.

    The difference is B - A. If its interval contains 0, no difference is shown, which is not the
    same as showing that there is none. The p-value is from a z test of the paired answers.

    Args:
        references: The true labels, up to 100,000.
        predictions_a: The predictions of A, in the same order.
        predictions_b: The predictions of B, in the same order.
        labels: All classes of the task; by default those of the references.
        metric: The score to compare: informedness, nit, accuracy or any other that scoring returns.
        confidence_level: How often an interval should contain the true value, between 0 and 1.
        unknown: "wrong" to count missing predictions, and those outside `labels`, as wrong.
        average: For a score that has several: "bias" (the default), "prevalence" or "macro".
        ignore_index: The reference of samples that do not count, such as -100.

    Returns:
        a, b and difference; its standard_error, confidence_interval and p_value; gained and lost,
        the numbers of samples that only B and only A got right; n_different, the number of
        different answers; out_of_class_shares, of predictions of A and B;
        scores_a and scores_b, all scores of each; summary, which explains the result; signature;
        warnings.
    """
    models = {"predictions_a": predictions_a, "predictions_b": predictions_b}
    options: dict[str, Any] = {"labels": labels, "unknown": unknown, "ignore_index": ignore_index}
    tables = tables_of_models(references, models, **options)
    options |= {"metric": metric, "average": average, "confidence_level": confidence_level}
    with collected() as notes:
        comparison = informedness.compare(references, *models.values(), **options)
    with collected():
        a, b = map(scores_of, tables)
    answer = comparison.to_dict() | {"scores_a": a, "scores_b": b}
    return answer | {"warnings": [*map(message_of, notes)]}


def called(function: Callable[..., dict[str, Any]]) -> Callable[..., Any]:
    """Wrap an endpoint for programs.

    The wrapper reads lists sent as JSON in a string, and shows the message of a ValueError. Tools
    get JSON, because Gradio would write the result as a Python literal.
    """
    names = list(inspect.signature(function).parameters)

    @functools.wraps(function)
    def endpoint(*values: Any) -> Any:
        given = dict(zip(names, values, strict=False))
        request = given.pop("request", None)
        try:
            answer = function(**{name: _read(name, value) for name, value in given.items()})
        except ValueError as error:
            reason = charts.program_message(error, names)
            raise gr.Error(reason, title="Not scored", print_exception=False) from None
        answer["warnings"] = [charts.program_message(x, names) for x in answer["warnings"]]
        is_tool = request is not None and request.headers.get("x-gradio-user") == "mcp"
        return json.dumps(answer, ensure_ascii=False) if is_tool else answer

    return endpoint


def _read(name: str, value: Any) -> Any:
    """Parse a list sent as JSON in a string; leave anything else unchanged."""
    if name in ("metric", "unknown", "average", "ignore_index") or not isinstance(value, str):
        return value
    with suppress(ValueError, RecursionError):
        if isinstance(read := json.loads(value), list | None):
            return read
    raise Refusal(f"{name} must be a list, or text with a list as JSON, got {value[:60]!r}.")


def register() -> None:
    """Add the endpoints to the page being built."""
    for endpoint in (score, score_matrix, compare):
        api(called(endpoint), api_name=endpoint.__name__)
