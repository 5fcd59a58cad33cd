"""Informedness and NIT as metrics of Inspect.

    from informedness.inspect_ai import with_target

    Task(dataset=..., solver=multiple_choice(), scorer=with_target(choice()))

Inspect passes scores to a metric without the targets of the samples. `with_target` makes a scorer
keep the target in the metadata of its scores. An answer that the scorer counts as right gets the
class of the target.
"""

from typing import Any

from .errors import optional_import, prefix_errors

with optional_import("informedness.inspect_ai needs Inspect", "inspect-ai>=0.3.241"):
    from inspect_ai import scorer as scoring
    from inspect_ai.scorer import Metric, SampleScore, Scorer, accuracy, stderr
    from inspect_ai.solver import TaskState
    from inspect_ai.util import registry_info

    # a decorator for metrics of the scores of all epochs; TypeError in older versions of Inspect
    _metric_of_epochs = scoring.metric(scores="unreduced")

from .core.labels import show
from .logs.answers import Answers, score_with_error
from .logs.inspect_logs import answer_and_verdict, classes_of, letters_of, targets_of
from .logs.verdicts import Sample, only_target

_KEY = "informedness"  # key in the metadata of a score


# Conversion of Inspect's scores. These functions must precede the metrics, which `_METRICS` makes
# on import.


def _metric(name: str, is_stderr: bool = False) -> Metric:
    """Make a metric of a score, or of its standard error; nan with fewer than two answers."""

    def value(scores: list[SampleScore]) -> scoring.Value:
        return score_with_error(_answers(scores) if len(scores) > 1 else None, name)[is_stderr]

    return value


def _answers(scores: list[SampleScore]) -> Answers | None:
    """Collect the answers; warn and return None if the verdicts do not show their classes.

    Raise ValueError if a score does not hold the target.
    """
    samples, targets = [], []
    for sample_score in scores:
        fields: Any = (sample_score.score.metadata or {}).get(_KEY)
        if fields is None:
            rule = f"the score of sample {show(sample_score.sample_id)} must hold the target"
            raise ValueError(f"{rule}. Use informedness.inspect_ai.with_target(scorer).")
        answer = answer_and_verdict(sample_score.score.value, sample_score.score.answer)
        samples.append(Sample(sample_score.sample_id, fields["target"], *answer))
        targets.append((fields["target"], letters_of(fields["choices"])))
    return Answers.from_harness(samples, classes_of(targets))


# Metrics and scorer for Inspect


@_metric_of_epochs
def informedness() -> Metric:
    """Multi-class Bookmaker Informedness: best 1, guessing level 0.

    The answer to each sample in each epoch counts, even if a reducer merges epochs. An out-of-class
    or missing answer counts as wrong. The classes are the letters of the choices if every target is
    one of them, otherwise the targets that occur. The score is nan for a single answer. It is also
    nan if all targets have the same class, for example while only a few samples are done. If the
    verdicts do not show the classes of the answers, the score is nan, and a warning says why.

    Raises
    ------
    ValueError
        During scoring, if the scores do not hold their targets.

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
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     log = eval(task, model=model, display="none", log_dir=folder)[0]
    >>> {name: metric.value for each in log.results.scores for name, metric in each.metrics.items()}
    {'accuracy': 0.5, 'informedness': 0.0}
    """
    return _metric("informedness")


@_metric_of_epochs
def informedness_stderr() -> Metric:
    """Standard error of `informedness` by the delta method, with epochs grouped by sample."""
    return _metric("informedness", is_stderr=True)


@_metric_of_epochs
def nit() -> Metric:
    """Normalised Information Transfer: at most 1, guessing level 1 / number of classes."""
    return _metric("nit")


@_metric_of_epochs
def nit_stderr() -> Metric:
    """Standard error of `nit` by the delta method, with epochs grouped by sample."""
    return _metric("nit", is_stderr=True)


_METRICS = [accuracy(), stderr(), informedness(), informedness_stderr(), nit(), nit_stderr()]


def with_target(scorer: Scorer) -> Scorer:
    """Wrap a scorer so that its scores keep the target for the metrics of this module.

    Results and logs show the name of the wrapped scorer if it was made by a function with Inspect's
    decorator `scorer`.

    Parameters
    ----------
    scorer : Scorer
        A scorer whose answers contain the class, such as `choice()`, `answer("letter")`,
        `pattern(...)`, `match()` or `includes()`. If a model grades the answers, they may
        contradict its verdicts, and the scores of this module are then nan.

    Raises
    ------
    ValueError
        During scoring, if a sample has several targets or none.

    Examples
    --------
    >>> from inspect_ai.scorer import choice
    >>> scorer = with_target(choice())
    """
    wrapper = _keep_target(scorer)
    if hasattr(scorer, "__registry_info__"):  # made by a function with the decorator @scorer
        registry_info(wrapper).name = registry_info(scorer).name
    return wrapper


@scoring.scorer(metrics=_METRICS, name="with_target")
def _keep_target(scorer: Scorer) -> Scorer:
    """Make a scorer that adds the target and the number of choices to the metadata of a score."""

    async def score(state: TaskState, target: scoring.Target) -> scoring.Score | None:
        with prefix_errors(f"sample {show(state.sample_id)}"):
            target_class = only_target(targets_of(list(target), letters_of(len(state.choices))))
        fields = {"target": target_class, "choices": len(state.choices)}
        scored = await scorer(state, target)
        if scored is None:
            return None
        return scored.model_copy(update={"metadata": {**(scored.metadata or {}), _KEY: fields}})

    return score
