"""Informedness and NIT as a metric of HELM.

Add the metric to the metrics of a run spec:

    MetricSpec("informedness.helm.InformednessMetric", {"labels": ["Yes", "No"]})
"""

import math
from collections.abc import Sequence
from typing import Any

from .errors import optional_import

with optional_import("informedness.helm needs HELM", "crfm-helm>=0.5.16"):
    from helm.benchmark.metrics.evaluate_instances_metric import EvaluateInstancesMetric
    from helm.benchmark.metrics.evaluate_reference_metrics import normalize_text
    from helm.benchmark.metrics.metric import MetricName
    from helm.benchmark.metrics.statistic import Stat

from .functions import informedness_score, nit_score


class InformednessMetric(EvaluateInstancesMetric):  # type: ignore[misc]
    """Informedness and NIT of generated text, or of multiple choice with all choices in the prompt.

    Answers are normalised as in HELM's `ClassificationMetric`: case, punctuation and extra
    whitespace are ignored. An out-of-class answer counts as wrong. Each split and each
    perturbation has its own scores. An undefined score is omitted, for example if all correct
    references are of one class.

    Parameters
    ----------
    labels : sequence of str, optional
        The classes of the task; by default the correct references of all instances that are scored
        together.

    Examples
    --------
    >>> InformednessMetric(labels=["Yes", "No"]).labels
    ['yes', 'no']
    """

    def __init__(self, labels: Sequence[str] | None = None) -> None:
        self.labels = None if labels is None else [_normalize(label) for label in labels]

    def evaluate_instances(self, request_states: Sequence[Any], eval_cache_path: str) -> list[Any]:
        """Score the answers to all instances of a split or a perturbation.

        Raises
        ------
        ValueError
            If there are no requests, if each choice is a separate request, or if an instance does
            not have exactly one correct reference. If that reference is not among `labels`.
        """
        del eval_cache_path  # needed only by metrics that query a model
        references = [_reference(state) for state in request_states]
        predictions = [_prediction(state) for state in request_states]
        if not references:
            raise ValueError("`request_states` must hold requests, got none. Use a joint adapter.")
        options: dict[str, Any] = {"labels": self.labels, "unknown": "wrong"}
        stats = []
        for name, function in (("informedness", informedness_score), ("nit", nit_score)):
            score = function(references, predictions, zero_division=math.nan, **options)
            if not math.isnan(score):
                stats.append(Stat(MetricName(name)).add(score))
        return stats


def _reference(state: Any) -> str:
    """Read the class of an instance; raise ValueError unless exactly one reference is correct."""
    texts = [reference.output.text for reference in state.instance.all_correct_references]
    if len(texts) != 1:
        raise ValueError(f"instance {state.instance.id} must have one right answer, got {texts}")
    return _normalize(texts[0])


def _prediction(state: Any) -> str:
    """Read the likeliest completion, or the text of the choice if the completion is its letter."""
    if state.reference_index is not None:
        raise ValueError("a request must contain all choices, got one. Use a joint adapter.")
    text = max(state.result.completions, key=lambda completion: completion.logprob).text
    return _normalize((state.output_mapping or {}).get(text.strip(), text))


def _normalize(text: str) -> str:
    """Normalise text as `ClassificationMetric` does; keep articles, because "A" can be a class."""
    return str(normalize_text(text, should_remove_articles=False))
