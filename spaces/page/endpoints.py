"""What programs call: the page's endpoints, which are also the tools of its MCP server.

Gradio shows these docstrings on the page "Use via API", and language models read them to choose a
tool: a description, then one line per argument.
"""

import copy
import functools
import importlib.util
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import charts
import gradio as gr
import gradio.mcp
import gradio.utils
from data import check_labels, table_of_labels, table_of_matrix, tables_of_models
from gradio.events import api
from limits import MAX_CLASSES, MOST_SWAPPED, Refusal, refusing
from simulation import ABILITIES, ability_curves, expected_table, frozen

import informedness
from informedness import ContingencyTable
from informedness.results.report import Report
from informedness.results.sentences import answering
from informedness.statistics.intervals import check_level
from informedness.statistics.registry import MODULES, REPORTED

# The metric of this Space: the one whose script is in this folder.
METRIC = next(
    name for name in MODULES if (Path(__file__).resolve().parent / f"{name}.py").is_file()
)

# What the snippets on the page send.
_REFERENCES = ["ham"] * 8 + ["spam"] * 4
_PREDICTIONS = ["ham"] * 7 + ["spam"] * 4 + ["ham"]
_CLASSES = ["ham", "spam"]
EXAMPLES: dict[str, dict[str, Any]] = {
    "score": {"references": _REFERENCES, "predictions": _PREDICTIONS, "labels": _CLASSES},
    "score_matrix": {"matrix": [[84, 6], [2, 8]], "labels": _CLASSES},
    "simulate": {"shares": [0.9, 0.1], "ability": 0.4, "guess": [0.5, 0.5]},
    "compare": {
        "references": _REFERENCES,
        "predictions_a": ["ham"] * 12,
        "predictions_b": _PREDICTIONS,
        "labels": _CLASSES,
    },
    "slices": {
        "references": _REFERENCES,
        "predictions": _PREDICTIONS,
        "by": ["short", "long"] * 6,
        "labels": _CLASSES,
    },
}


def _report(table: ContingencyTable, confidence_level: float | None) -> dict[str, Any]:
    """Return the report as plain values, with a guesser's and a perfect classifier's scores.

    Sums of weights have no interval, because the number of samples behind them is unknown.
    """
    with charts.noting():  # nobody asked about these two tables
        guess, perfect = (
            Report.from_table(answering(table, wanted)).to_dict()
            for wanted in ("commonest", "right")
        )
    with charts.noting() as notes:
        if confidence_level is not None:
            check_level(confidence_level)
            if table.is_weighted:
                confidence_level = None
                notes.append("there is no interval: these are weights, not counts of samples")
        report = Report.from_table(table, confidence_level)
        plain = {**report.to_dict(), "summary": charts.reading(report, METRIC)}
    for name, made in report.estimates.items():
        if made.independence_p_value is not None:
            plain[f"{name}_independence_p_value"] = made.independence_p_value
    plain["always_commonest"] = {name: guess[name] for name in REPORTED}
    plain["all_right"] = {name: perfect[name] for name in REPORTED}
    return {**plain, "warnings": notes}


def score(
    references: list[str | int],
    predictions: list[str | int],
    labels: list[str | int] | None = None,
    confidence_level: float = 0.95,
) -> dict[str, Any]:
    """Score the predictions of a classifier against the references (the true labels).

    Informedness is 1 for a perfect classifier and 0, on average, for any guesser, however uneven
    the classes are; below 0 is worse than guessing. A classifier that knows the share x of the
    answers in every class and guesses the rest scores about x.
    NIT (2^MI / k) measures how much information about the references the predictions carry: with k
    classes, chance is 1/k, not 0. If accuracy is high but Informedness is near 0, the accuracy is
    credit for guessing the commonest class. If the interval of a score contains the score of a
    guesser, the classifier cannot be distinguished from a guesser.

    Args:
        references: The true labels, up to 100,000.
        predictions: The predicted labels, one per reference, in the same order.
        labels: All classes of the task; by default those that occur.
        confidence_level: How often an interval should contain the true value, between 0 and 1.

    Returns
    -------
        accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, informedness, nit and
        ema (null where undefined), each with NAME_standard_error and NAME_confidence_interval;
        per_class, the rates of each class; all_right and always_commonest, the scores of a perfect
        classifier and of one that always gives the commonest class; summary, which explains the
        score of this page; signature; warnings.
    """
    return _report(table_of_labels(references, predictions, labels), confidence_level)


def score_matrix(
    matrix: list[list[float]], labels: list[str | int] | None = None, confidence_level: float = 0.95
) -> dict[str, Any]:
    """Score a confusion matrix whose rows are references and whose columns are predictions.

    The scores and their meaning are the same as for the tool that scores labels: Informedness is 0
    for any guesser and 1 for a perfect classifier, and NIT is 1/k for a guesser among k classes.

    Args:
        matrix: A square matrix of counts, up to 1,000 rows; weights have no interval.
        labels: The names of its classes; if given, all of them count in k.
        confidence_level: How often an interval should contain the true value, between 0 and 1.

    Returns
    -------
        The same as scoring the labels of these samples.
    """
    return _report(table_of_matrix(matrix, labels), confidence_level)


def simulate(
    shares: list[float], ability: float, guess: list[float] | None = None
) -> dict[str, Any]:
    """Compute the exact scores of a classifier that knows some of the answers and guesses the rest.

    This shows how each score treats guessing: Informedness equals the ability, whatever the classes
    and the guesses, while accuracy rises with the share of the commonest class.

    Args:
        shares: The sizes of the classes, 2 to 50 of them; they are scaled to sum to 1.
        ability: The share of answers known, from 0 to 1.
        guess: How often each class is guessed otherwise; by default in proportion to the classes.

    Returns
    -------
        The scores, without intervals because nothing is drawn at random; table, the expected table
        (rows are references); curves, every score at abilities from 0 to 1.
    """
    table = expected_table(shares, ability, guess)
    curves = {"ability": ABILITIES, **ability_curves(tuple(shares), frozen(guess))}
    return {**_report(table, None), "table": table.to_dense().tolist(), "curves": curves}


def compare(
    references: list[str | int],
    predictions_a: list[str | int],
    predictions_b: list[str | int],
    labels: list[str | int] | None = None,
    metric: str = METRIC,
    confidence_level: float = 0.95,
) -> dict[str, Any]:
    """Tell whether classifier B scores better than A on the same samples, and how certain that is.

    The difference is B - A. If its interval contains 0, no difference is shown, which is not the
    same as showing that there is none. The p-value is from a permutation test on these samples.

    Args:
        references: The true labels, up to 100,000.
        predictions_a: The predictions of A, in the same order.
        predictions_b: The predictions of B, in the same order.
        labels: All classes of the task; by default those that occur.
        metric: The score to compare: informedness, nit, accuracy or any other that scoring returns.
        confidence_level: How often an interval should contain the true value, between 0 and 1.

    Returns
    -------
        a, b and difference; its standard_error, confidence_interval and p_value; gained and lost,
        the numbers of samples that only B and only A got right; n_different, the number of
        different answers; scores_a and scores_b, all scores of each; summary, which explains the
        result; signature; warnings.
    """
    columns = references, predictions_a, predictions_b
    models = {"predictions_a": predictions_a, "predictions_b": predictions_b}
    tables = tables_of_models(references, models, labels)
    with charts.noting() as notes:
        made = informedness.compare(
            *columns,
            metric=metric,
            labels=labels,
            confidence_level=confidence_level,
            n_resamples=n_swaps(columns, *tables),
        )
        a, b = (Report.from_table(table).to_dict() for table in tables)
    return {
        **made.to_dict(),
        "scores_a": {name: a[name] for name in REPORTED},
        "scores_b": {name: b[name] for name in REPORTED},
        "warnings": notes,
    }


def slices(
    references: list[str | int],
    predictions: list[str | int],
    by: list[str | int],
    labels: list[str | int] | None = None,
) -> dict[str, Any]:
    """Score each slice of the samples, for example each type of question, and all samples together.

    Every slice is scored with the classes of the whole, so that the NIT of slices can be compared.
    Scores from few samples are imprecise: compare n_samples before you compare scores.

    Args:
        references: The true labels, up to 100,000.
        predictions: The predicted labels, one per reference, in the same order.
        by: The slice of each sample, with at most 1,000 different slices.
        labels: All classes of the task; by default those that occur.

    Returns
    -------
        slices, one for each value of by: its name as slice, n_samples, n_classes,
        class_entropy_bits, and every score (null where undefined, for example with one class);
        overall, the same for all samples; summary, on how to read them; warnings.
    """
    table_of_labels(references, predictions, labels)  # within the limits
    column = check_labels(by, "slices")
    if (n := len(set(column.tolist()))) > MAX_CLASSES:
        raise Refusal(f"At most {MAX_CLASSES:,d} slices can be scored here, got {n:,d}.")
    with charts.noting() as notes:
        made = informedness.report(references, predictions, by=column, labels=labels)
    return {**made.to_dict(), "summary": " ".join(made.text_lines()), "warnings": notes}


def n_swaps(
    columns: Sequence[Sequence[Any]], first: ContingencyTable, second: ContingencyTable
) -> int:
    """Return how many swaps a comparison uses, which its signature states.

    Answers of very many kinds get fewer swaps, so that the comparison takes about a second.
    """
    size = len(set(zip(*columns, strict=True))) + 3 * len((first + second).counts)
    return min(9999, max(100, MOST_SWAPPED // size))


def register(demo: gr.Blocks) -> None:
    """Add the endpoints to the page being built, with descriptions and examples of arguments."""
    for endpoint in (score, score_matrix, simulate, compare, slices):
        added = api(refusing(endpoint, plain=True), api_name=endpoint.__name__)
        _, about, _ = gradio.utils.get_function_description(endpoint)
        examples = EXAMPLES[endpoint.__name__]
        for component, name in zip(added["inputs"], about, strict=True):
            argument: Any = demo.blocks[component]
            argument._api_info["additional_description"] = about[name]
            if name in examples:
                argument.example_payload = functools.partial(copy.copy, examples[name])


class Tools(gradio.mcp.GradioMCPServer):
    """The MCP server, answering in JSON; Gradio would send the repr of Python objects."""

    def postprocess_output_data(self, data: Any, root_url: str) -> Any:
        """Return the outputs of a tool as its content."""
        texts = [json.dumps(output, ensure_ascii=False) for output in data]
        return super().postprocess_output_data(texts, root_url)

    def get_fn_description(self, block_fn: Any, tool_name: str) -> Any:
        """Return the descriptions of a tool, including what it returns, and of its arguments."""
        description, arguments = super().get_fn_description(block_fn, tool_name)
        *_, returns = gradio.utils.get_function_description(block_fn.fn)
        return f"{description} Returns: {' '.join(returns)}", arguments

    def get_input_schema(self, tool_name: str, parameters: dict[str, str] | None = None) -> Any:
        """Return the schema of a tool, with each argument described only once."""
        schema, positions = super().get_input_schema(tool_name, parameters)
        for argument in schema["properties"].values():
            argument.pop("additional_description", None)
        return schema, positions


def serve_tools() -> bool:
    """Return whether the endpoints can be tools, which needs the package `mcp`."""
    gradio.mcp.GradioMCPServer = Tools  # type: ignore[misc]
    # Tools call their endpoints through it; on a busy machine its own 5 seconds are too short.
    patient = functools.partial(gradio.mcp.Client, httpx_kwargs={"timeout": 300})  # type: ignore[attr-defined]
    gradio.mcp.Client = patient  # type: ignore[attr-defined]
    return importlib.util.find_spec("mcp") is not None
