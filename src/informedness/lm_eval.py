"""Informedness and NIT in EleutherAI's lm-evaluation-harness, each with its standard error.

In the YAML file of a task, a new one or one that includes another:

    class: !function informedness.lm_eval.Task
    metric_list:
      - metric: acc
      - metric: informedness
      - metric: nit

Both scores are computed from all answers together, and are never means over samples. A task with
its own `process_results` returns pairs instead, and names a function of this module as their
aggregation:

    metric_list:
      - metric: informedness
        aggregation: !function informedness.lm_eval.informedness
        higher_is_better: true
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from functools import partial
from typing import Any

import numpy as np

try:
    from lm_eval.api.registry import register_aggregation, register_metric
    from lm_eval.api.task import ConfigurableTask
except ImportError as error:
    raise ImportError(
        "informedness.lm_eval needs lm-eval 0.4.13 or newer: pip install 'lm-eval>=0.4.13'"
    ) from error

from .contingency import ContingencyTable
from .core.labels import Label, show
from .logs.answers import classes_of_choices, naming, not_one

_NO_CHOICE = -1  # stands for a generated answer that is none of the choices of its document


def informedness(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float:
    """Return the Informedness of all answers of a task.

    Parameters
    ----------
    pairs : iterable of (gold, predicted)
        What `process_results` returned for each document.
    labels : sequence of labels, optional
        The classes of the task; by default the golds that occur. Any other answer is wrong.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `informedness.informedness_score`.

    Examples
    --------
    >>> informedness([("A", "A"), ("A", "B"), ("B", "B"), ("B", "I cannot say")])
    0.125
    """
    return _table(pairs, labels).score("informedness")


def nit(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float:
    """Return the Normalised Information Transfer of all answers of a task.

    Parameters
    ----------
    pairs, labels
        As for `informedness`. Every class counts in k, even one that is never gold: give `labels`
        if there may be such classes.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        As `informedness.nit_score`.
    """
    return _table(pairs, labels).score("nit")


def informedness_stderr(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float | str:
    """Return the standard error of `informedness`, "N/A" if the score is undefined.

    Parameters
    ----------
    pairs, labels
        As for `informedness`.

    Returns
    -------
    float or "N/A"
        As `informedness.estimate` has it, by the delta method.
    """
    return _standard_error(pairs, "informedness", labels)


def nit_stderr(pairs: Iterable[tuple[Label, Label]], labels: Any = None) -> float | str:
    """Return the standard error of `nit`, "N/A" if the score is undefined.

    Parameters
    ----------
    pairs, labels
        As for `nit`.

    Returns
    -------
    float or "N/A"
        As `informedness.estimate` has it, by the delta method.
    """
    return _standard_error(pairs, "nit", labels)


def _standard_error(pairs: Any, metric: str, labels: Any) -> float | str:
    error = _table(pairs, labels).estimate(metric).standard_error
    return "N/A" if math.isnan(error) else error


def _table(pairs: Any, labels: Any) -> ContingencyTable:
    golds, predicted = zip(*pairs, strict=True)
    classes = sorted(set(golds)) if labels is None else labels
    return ContingencyTable.from_labels(
        references=golds, predictions=predicted, labels=classes, unknown="wrong"
    )


def _pair_of_lists(references: Sequence[Any], predictions: Sequence[Any]) -> tuple[Any, Any]:
    """Return the gold and the answer of one document, which the harness passes as lists."""
    return references[0], predictions[0]


_SCORES = {"informedness": informedness, "nit": nit}
_ERRORS = {"informedness_stderr": informedness_stderr, "nit_stderr": nit_stderr}

for _name, _function in {**_SCORES, **_ERRORS}.items():
    register_aggregation(_name)(_function)
for _name in _SCORES:
    # Without this the harness takes evaluate's module of that name, and averages over samples.
    register_metric(metric=_name, higher_is_better=True, aggregation=_name)(_pair_of_lists)


class Task(ConfigurableTask):  # type: ignore[misc]
    """A YAML task whose `metric_list` may name `informedness` and `nit`.

    Everything else works as in a task without `class:`. If choices are scored (multiple_choice),
    the answer is the likeliest choice, as for `acc`, and the classes are the positions of the
    choices. If text is generated, the classes are the choices if `doc_to_choice` gives the same
    ones for all documents, their positions if it does not, and without it the targets of all
    documents; an answer outside them is wrong and counts as a class of its own. Each score has its
    standard error by the delta method, for every filter.

    Parameters
    ----------
    config : dict
        The YAML.

    Raises
    ------
    ValueError
        If `metric_list` has neither score, or gives one an option or another aggregation; if there
        is a `process_results`, or an `output_type` without classes; if a document has no right
        answer or several.
    """

    def __init__(self, config: dict[str, Any]) -> None:
        super().__init__(config={key: x for key, x in config.items() if key != "class"})
        docs = []
        with naming(self.task_name):
            self._check_config()
            for number, doc in enumerate(self.task_docs):
                with naming(f"document {number}"):
                    docs.append(self._gold_and_choices(doc))
        self._classes: Sequence[Label] = sorted({gold for gold, _ in docs})
        if self.config.doc_to_choice is not None:
            choices = [choices for _, choices in docs]
            self._classes = classes_of_choices(choices)
            if self.OUTPUT_TYPE == "multiple_choice":
                self._classes = range(max(map(len, choices)))

    def _listed(self) -> list[str]:
        return [name for name in _SCORES if name in self._metric_fn_list]

    def _check_config(self) -> None:
        if not self._listed():
            raise ValueError(
                f"`metric_list` must name {' or '.join(_SCORES)}, got "
                f"{show(list(self._metric_fn_list))}: add one, or leave out `class`"
            )
        for name in self._listed():
            options = self._metric_fn_kwargs[name]
            if options:
                raise ValueError(f"{name} takes no options, got {show(options)}: leave them out")
            if self._aggregation_list.get(name) is not _SCORES[name]:
                raise ValueError(
                    f"the aggregation of {name} must be {name}: a mean is another number"
                )
        if self.config.process_results is not None:
            raise ValueError(
                "`process_results` must be left out with this `class`; or leave out `class`, and "
                "name informedness.lm_eval.informedness as the aggregation of pairs"
            )
        if self.OUTPUT_TYPE not in ("multiple_choice", "generate_until"):
            raise ValueError(
                f"`output_type` must be multiple_choice or generate_until, got {self.OUTPUT_TYPE}"
            )

    def _gold_and_choices(self, doc: Any) -> tuple[Any, list[str]]:
        """Return the right answer (its position if there are choices) and the choices."""
        gold = self.doc_to_text(doc) if self.multiple_input else self.doc_to_target(doc)
        if isinstance(gold, (list, tuple)):
            raise not_one(gold)
        if self.config.doc_to_choice is None:
            return str(gold), []
        choices = list(self.doc_to_choice(doc))
        if isinstance(gold, str) and gold in choices:
            gold = choices.index(gold)
        if not isinstance(gold, int) or not 0 <= gold < len(choices):
            raise ValueError(
                "the target must be one of the choices or its position, from 0 to "
                f"{len(choices) - 1}, got {show(gold)} for {show(choices)}"
            )
        return int(gold), choices

    def _pair(self, doc: Any, results: Sequence[Any]) -> tuple[Label, Label]:
        """Return the gold and the predicted class of a document."""
        gold, choices = self._gold_and_choices(doc)
        if self.OUTPUT_TYPE == "multiple_choice":
            # behind these are those without a prompt, where acc_mutual_info is asked for
            likelihoods = [likelihood for likelihood, _ in results[: len(choices)]]
            return gold, int(np.argmax(likelihoods))
        answer = results[0]
        if not isinstance(answer, str):
            raise ValueError(
                f"an answer in {self.task_name} must be text after its filters, got "
                f"{show(answer)}: end the filters with take_first"
            )
        if not choices:
            return gold, answer
        if isinstance(self._classes[0], str):
            return choices[gold], answer
        if answer == choices[gold]:
            return gold, gold
        return gold, choices.index(answer) if answer in choices else _NO_CHOICE

    def process_results(self, doc: Any, results: Any) -> dict[str, Any]:
        """Return what the harness itself returns, and the pair of gold and predicted class."""
        values: dict[str, Any] = dict(super().process_results(doc, results))
        for name in self._listed():
            values[name] = self._pair(doc, results)
            # The harness reports a metric under its name and the error it knows of, here none,
            # under this one: what is aggregated after it takes that place.
            values[f"{name}_stderr"] = values[name]
        return values

    def aggregation(self) -> dict[str, Any]:
        """Return the function of each metric, and of the standard errors."""
        ours = {
            name: partial(function, labels=self._classes)
            for name, function in {**_SCORES, **_ERRORS}.items()
        }
        return {**super().aggregation(), **ours}
