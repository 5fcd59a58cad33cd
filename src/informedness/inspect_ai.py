"""Informedness and NIT as metrics of Inspect.

    from informedness.inspect_ai import with_target

    Task(dataset=..., solver=multiple_choice(), scorer=with_target(choice()))

A metric of Inspect sees answers without their targets: `with_target` makes a scorer keep the target
in the metadata of its scores.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

try:
    from inspect_ai.scorer import (
        Metric,
        SampleScore,
        Score,
        Scorer,
        Target,
        Value,
        accuracy,
        metric,
        scorer,
        stderr,
    )
    from inspect_ai.solver import TaskState

    _every_epoch = metric(scores="unreduced")
except (ImportError, TypeError) as error:  # the latter from older versions
    raise ImportError(
        "informedness.inspect_ai needs Inspect: pip install 'inspect-ai>=0.3.241'"
    ) from error

from .core.labels import Label, read_classes, read_column, show, warn
from .logs.answers import Answers, naming
from .logs.inspect_ai import NAME, classes_of, gold_of, letters_of, verdict_of
from .results.rows import count_triples, read_rows
from .statistics.registry import score_named
from .statistics.swaps import error_of_groups

_KEY = "informedness"  # in the metadata of a score


# From the scores of Inspect to ours. This stands first: `with_target` below makes metrics at once.


def _metric(of: Callable[[Answers, str], float], name: str, labels: Sequence[str] | None) -> Metric:
    """Return a metric that is nan unless there are at least two answers to count."""
    classes = None
    if labels is not None:
        classes = read_classes(labels, "labels", read_column([""], "references"), "references")

    def value(scores: list[SampleScore]) -> Value:
        answers = _answers(scores, classes) if len(scores) > 1 else None
        return math.nan if answers is None else of(answers, name)

    return value


def _answers(scores: list[SampleScore], classes: tuple[Label, ...] | None) -> Answers | None:
    """Return the answers to count; None, with a warning, if they are not classes."""
    golds, letters, verdicts = [], [], []
    for each in scores:
        kept: Any = (each.score.metadata or {}).get(_KEY)
        if kept is None:
            raise ValueError(
                f"the score of sample {show(each.sample_id)} must hold its target, and does not: "
                "use scorer=with_target(...) of informedness.inspect_ai around the task's scorer"
            )
        golds.append(kept["target"])
        letters.append(letters_of(kept["choices"]))
        verdicts.append(verdict_of(each.score.value, each.score.answer))
    right = [x.answer == gold for x, gold in zip(verdicts, golds, strict=True) if x.is_right]
    if right and not any(right):
        warn(
            "no score: the answers that the scorer counts as right are not the targets but texts "
            "around them; use a scorer that finds the class, such as answer('letter') or pattern"
        )
        return None
    return Answers(
        harness=NAME,
        task="",
        model="",
        how="",
        ids=tuple(str(each.sample_id) for each in scores),
        references=tuple(golds),
        predictions=tuple(verdict.answer for verdict in verdicts),
        prompts=(),
        choices=classes or classes_of(golds, letters),
    )


def _value(answers: Answers, name: str) -> float:
    return answers.table().score(name, zero_division=math.nan)


def _error(answers: Answers, name: str) -> float:
    table, of_score = answers.table(), score_named(name).with_interval()
    error = of_score.interval(table, 0.95).standard_error
    n_samples = len(set(answers.ids))
    if math.isnan(error) or n_samples == len(answers.ids):
        return error
    if n_samples == 1:
        return math.nan
    # answers to one question are not independent
    rows = read_rows(len(answers.ids), None, None, answers.ids)
    references = read_column(answers.references, "references")
    predictions = read_column(answers.known_predictions(), "predictions")
    triples, _ = count_triples(table, [references, predictions, predictions], None, rows)
    return error_of_groups(table, of_score, triples)[1]


# What Inspect takes


@_every_epoch
def informedness(labels: Sequence[str] | None = None) -> Metric:
    """Multi-class Bookmaker Informedness: best 1, chance 0.

    The answer of each sample in each epoch counts, even if a reducer makes one value of several
    epochs. An answer that is not a class is wrong, and so is no answer. The score is nan for one
    sample, and if all targets are of one class, for example while only a few samples are done.

    Parameters
    ----------
    labels : sequence of str, optional
        The classes; by default the letters of the choices, or else the targets that occur.

    Raises
    ------
    ValueError
        If `labels` are not distinct texts; during scoring, if the scores do not hold their targets,
        or a target is not in `labels`.

    Examples
    --------
    >>> import tempfile
    >>> from inspect_ai import Task, eval
    >>> from inspect_ai.dataset import Sample
    >>> from inspect_ai.model import ModelOutput, ModelUsage, get_model
    >>> from inspect_ai.scorer import accuracy, choice
    >>> from inspect_ai.solver import multiple_choice
    >>> def always_b(*_):
    ...     output = ModelOutput.from_content("mockllm", "ANSWER: B")
    ...     output.usage = ModelUsage()
    ...     return output
    >>> task = Task(
    ...     dataset=[Sample("1 + 1", ["2", "3"], target="A"), Sample("2", ["1", "2"], target="B")],
    ...     solver=multiple_choice(),
    ...     scorer=with_target(choice()),
    ...     metrics=[accuracy(), informedness()],
    ... )
    >>> model = get_model("mockllm/model", custom_outputs=always_b)
    >>> log = eval(task, model=model, display="none", log_dir=tempfile.mkdtemp())[0]
    >>> {name: metric.value for each in log.results.scores for name, metric in each.metrics.items()}
    {'accuracy': 0.5, 'informedness': 0.0}
    """
    return _metric(_value, "informedness", labels)


@_every_epoch
def informedness_stderr(labels: Sequence[str] | None = None) -> Metric:
    """Standard error of `informedness`, by the delta method; epochs are grouped by sample.

    Parameters
    ----------
    labels : sequence of str, optional
        As for `informedness`.
    """
    return _metric(_error, "informedness", labels)


@_every_epoch
def nit(labels: Sequence[str] | None = None) -> Metric:
    """Normalised Information Transfer: chance 1 / number of classes, best 1.

    Parameters
    ----------
    labels : sequence of str, optional
        As for `informedness`. All of them count, even those that are never the target.
    """
    return _metric(_value, "nit", labels)


@_every_epoch
def nit_stderr(labels: Sequence[str] | None = None) -> Metric:
    """Standard error of `nit`, by the delta method; epochs are grouped by sample.

    Parameters
    ----------
    labels : sequence of str, optional
        As for `informedness`.
    """
    return _metric(_error, "nit", labels)


@scorer(metrics=[accuracy(), stderr(), informedness(), informedness_stderr(), nit(), nit_stderr()])
def with_target(scorer: Scorer) -> Scorer:
    """Score as another scorer does, and keep the target for the metrics of this module.

    Parameters
    ----------
    scorer : Scorer
        One that answers with the class it found, such as `choice()`, `answer("letter")` or
        `pattern(...)`.

    Raises
    ------
    TypeError
        If `scorer` is not a scorer.
    ValueError
        During scoring, if a sample has several targets or none.

    Examples
    --------
    >>> from inspect_ai.scorer import choice
    >>> scorer = with_target(choice())
    """
    if not callable(scorer):
        raise TypeError(f"`scorer` must be a scorer, such as choice(), got {show(scorer)}")

    async def score(state: TaskState, target: Target) -> Score | None:
        with naming(f"sample {show(state.sample_id)}"):
            gold = gold_of(list(target), letters_of(len(state.choices)))
        kept = {"target": gold, "choices": len(state.choices)}
        scored = await scorer(state, target)
        if scored is None:
            return None
        return scored.model_copy(update={"metadata": {**(scored.metadata or {}), _KEY: kept}})

    return score
