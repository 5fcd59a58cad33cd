"""Informedness and NIT in EleutherAI's lm-evaluation-harness, each with its standard error.

Usage in the YAML file of a new task, or of a task that includes another task:

    class: !function informedness.lm_eval.Task
    metric_list:
      - metric: acc
      - metric: informedness
      - metric: nit

Both scores are computed from all answers together, and are never means over samples. They use the
answers and the verdicts of another metric of the task, such as `acc` or `exact_match`. An answer
that the metric counts as right gets the class of the target.

A task with a custom `process_results` cannot use `Task`. Its `process_results` must return the same
pair (target, answer) for a score and for its standard error. Its `metric_list` must name functions
of this module as aggregations:

    metric_list:
      - metric: informedness
        aggregation: !function informedness.lm_eval.informedness
        higher_is_better: true
      - metric: informedness_stderr
        aggregation: !function informedness.lm_eval.informedness_stderr
        higher_is_better: false

On import, this module registers its metrics and aggregations with lm-eval. It changes nothing else
in lm-eval.
"""

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

from .errors import optional_import, prefix_errors

with optional_import("informedness.lm_eval needs lm-eval 0.4.13 or newer", "lm-eval>=0.4.13"):
    from lm_eval.api.registry import register_aggregation, register_metric
    from lm_eval.api.task import ConfigurableTask

from .core.labels import Label, check_choice, show
from .inference.registry import score_named
from .logs.answers import Answers
from .logs.lm_eval_logs import CHOICE_METRICS, TEXT_METRICS
from .logs.verdicts import Sample, first_known, likeliest_choice


def informedness(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float:
    """Compute Informedness from all answers of a task.

    Parameters
    ----------
    pairs : iterable of (target, answer)
        The pair that `process_results` returned for each document. A pair of `Task` is a list that
        may also hold a verdict and choices.
    labels : sequence of labels, optional
        The classes of the task; by default the targets that occur. Out-of-class answers count as
        wrong.

    Returns
    -------
    float
        The score; 0 if it is undefined, and nan if the verdicts of `Task` do not show the classes
        of its answers, for example because a model grades them. Both cases lead to a warning.

    Raises
    ------
    ValueError
        As in `informedness.informedness_score`.

    Examples
    --------
    >>> informedness([("A", "A"), ("A", "B"), ("B", "B"), ("B", "I cannot say")])
    0.0
    """
    return _score(pairs, labels, "informedness")


def nit(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float:
    """Compute Normalised Information Transfer from all answers of a task.

    Parameters
    ----------
    pairs, labels
        As in `informedness`. NIT depends on the number of classes, so pass `labels` if a class may
        never be a target.

    Returns
    -------
    float
        The score; 1 if it is undefined, and nan as in `informedness`. Both cases lead to a warning.

    Raises
    ------
    ValueError
        As in `informedness.nit_score`.
    """
    return _score(pairs, labels, "nit")


def informedness_stderr(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float | str:
    """Estimate the standard error of `informedness` by the delta method; "N/A" if it is nan."""
    return _standard_error(pairs, labels, "informedness")


def nit_stderr(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float | str:
    """Estimate the standard error of `nit` by the delta method; "N/A" if it is nan."""
    return _standard_error(pairs, labels, "nit")


def _score(pairs: Any, labels: Any, metric: str) -> float:
    answers = _answers(pairs, labels)
    return math.nan if answers is None else float(score_named(metric).value(answers.table))


def _standard_error(pairs: Any, labels: Any, metric: str) -> float | str:
    answers = _answers(pairs, labels)
    error = math.nan if answers is None else answers.standard_error(metric)
    return "N/A" if math.isnan(error) else error


def _answers(pairs: Any, labels: Any) -> Answers | None:
    """Collect answers from pairs, or from the lists of `Task`, which add verdicts and choices.

    If the verdicts do not show the classes of the answers, warn and return None.
    """
    samples = [Sample(i, *x[:3])._replace(choices=tuple(*x[3:])) for i, x in enumerate(pairs)]
    classes = sorted({x.reference for x in samples}) if labels is None else labels
    return Answers.from_harness(samples, choices=tuple(classes))


def _pair_from_lists(references: Sequence[Any], predictions: Sequence[Any]) -> tuple[Any, Any]:
    """Pair the target and the answer of a document, which lm-eval passes as lists of length 1."""
    return references[0], predictions[0]


_SCORES = {"informedness": informedness, "nit": nit}
_FUNCTIONS = _SCORES | {"informedness_stderr": informedness_stderr, "nit_stderr": nit_stderr}
for _name, _function in _FUNCTIONS.items():
    register_aggregation(_name)(_function)
    # Otherwise lm-eval would load the module of that name from evaluate, and average over samples.
    _options = {"higher_is_better": _name in _SCORES, "aggregation": _name}
    register_metric(metric=_name, **_options)(_pair_from_lists)


class Task(ConfigurableTask):  # type: ignore[misc]
    """A YAML task whose `metric_list` may name `informedness` and `nit`.

    Otherwise it works like a task without `class:`. For `multiple_choice`, the answer is the
    likeliest choice by the first of `acc`, `acc_norm`, `acc_bytes` and `acc_mutual_info` that is
    listed, or by `acc` if none is listed. With `doc_to_choice`, the classes are the positions of
    the choices. Without it, they are the targets of all documents.

    For generated text, an answer that `exact_match`, `acc` or `em` counts as right gets the class
    of the target, even if the texts differ, for example in case. An out-of-class answer counts as
    wrong. In NIT, all out-of-class answers are one additional label. Each score has its standard
    error by the delta method, for every filter.

    Parameters
    ----------
    config : dict
        The parsed YAML.

    Raises
    ------
    ValueError
        If `metric_list` gives `informedness` or `nit` an option or another aggregation. If the task
        has its own `process_results`, or an `output_type` other than "multiple_choice" and
        "generate_until". If a document does not have exactly one right answer, or its right answer
        is not one of its choices. During the run, if a filter does not return text.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config={key: x for key, x in config.items() if key != "class"})
        docs = []
        with prefix_errors(self.task_name):
            self._check_config()
            for number, doc in enumerate(self.task_docs):
                with prefix_errors(f"document {number}"):
                    docs.append(self._target_and_choices(doc))
        self._classes: Sequence[Label] = sorted({target for target, _ in docs})
        if self.config.doc_to_choice is not None:
            self._classes = range(max(len(choices) for _, choices in docs))

    def _listed_scores(self) -> list[str]:
        return [name for name in _SCORES if name in self._metric_fn_list]

    def _check_config(self) -> None:
        for name in self._listed_scores():
            options, aggregation = self._metric_fn_kwargs[name], self._aggregation_list.get(name)
            if options or aggregation is not _SCORES[name]:
                got = show(options or aggregation)
                raise ValueError(f"{name} must not have options or another aggregation, got {got}")
        if self.config.process_results is not None:
            raise ValueError("`process_results` cannot be combined with informedness.lm_eval.Task")
        check_choice("output_type", self.OUTPUT_TYPE, ("multiple_choice", "generate_until"))

    def _target_and_choices(self, doc: Any) -> tuple[Any, list[str]]:
        """Read the target of a document and its choices; with choices, the target is a position."""
        target = self.doc_to_text(doc) if self.multiple_input else self.doc_to_target(doc)
        if isinstance(target, (list, tuple)):
            raise ValueError(f"the document must have one right answer, got {show(target)}")
        if self.config.doc_to_choice is None:
            return str(target), []
        choices = list(self.doc_to_choice(doc))
        if isinstance(target, str) and target in choices:
            target = choices.index(target)
        if not isinstance(target, int) or not 0 <= target < len(choices):
            raise ValueError(f"the target must be one of {show(choices)}, got {show(target)}")
        return int(target), choices

    def _answer(self, doc: Any, results: Sequence[Any], values: dict[str, Any]) -> list[Any]:
        """Collect the target, answer and verdict of a document, and for text its choices."""
        target, choices = self._target_and_choices(doc)
        is_text = self.OUTPUT_TYPE != "multiple_choice"
        metric = first_known([*values], TEXT_METRICS if is_text else CHOICE_METRICS)
        verdict = float(values[metric]) if metric else None
        if not is_text:
            logprobs = [logprob for logprob, _ in results]
            return [target, likeliest_choice(metric or "acc", logprobs, choices), verdict]
        if not isinstance(results[0], str):
            raise ValueError(f"the filter must return text, got {show(results[0])}: add take_first")
        return [target, results[0], verdict, *([choices] if choices else ())]

    def process_results(self, doc: Any, results: Any) -> dict[str, Any]:
        """Add target, answer and verdict to the values, for each listed score and its error."""
        values: dict[str, Any] = dict(super().process_results(doc, results))
        for name in self._listed_scores():
            # lm-eval estimates standard errors only for its own aggregations. Those of these scores
            # are therefore metrics, too.
            values[name] = values[f"{name}_stderr"] = self._answer(doc, results, values)
        return values

    def aggregation(self) -> dict[str, Any]:
        """Add the aggregations of this module, with the classes, to those of other metrics."""
        added = {k: partial(score, labels=self._classes) for k, score in _FUNCTIONS.items()}
        return {**super().aggregation(), **added}
