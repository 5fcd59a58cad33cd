"""Informedness and NIT in lighteval, each with its standard error.

Usage in a file of custom tasks:

    from lighteval.tasks.tasks.arc import arc_challenge
    from informedness.lighteval import with_scores

    TASKS_TABLE = [with_scores(arc_challenge, name="arc_scored")]

Both scores are computed from all answers together. They use the answers and the verdicts of a
metric of the task. An answer that the metric counts as right gets the class of the target.
"""

from dataclasses import replace
from typing import Any

from .errors import optional_import

with optional_import("informedness.lighteval needs lighteval 0.13 or newer", "lighteval>=0.13"):
    from lighteval.metrics.metrics import Metrics
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric, SampleLevelMetric
    from lighteval.tasks.lighteval_task import LightevalTaskConfig
    from lighteval.tasks.requests import SamplingMethod

from .core.labels import warn
from .logs.answers import Answers, score_with_error
from .logs.lighteval_logs import CHOICE_METRICS, TEXT_METRICS, read_sample
from .logs.verdicts import DAMAGES, Sample, SeveralTargetsError, SkippedSamples, first_known
from .messages import with_subject

_SCORES = ("informedness", "nit")
_KNOWN = {SamplingMethod.LOGPROBS: CHOICE_METRICS, SamplingMethod.GENERATIVE: TEXT_METRICS}


def scores_of(metric: Any, name: str = "") -> CorpusLevelMetric:
    """Make a metric that computes Informedness and NIT with the verdicts of another metric.

    The results contain `informedness` and `nit`, each with its standard error by the delta method.
    An out-of-class answer counts as wrong. Samples with several right answers do not count, and a
    warning says how many there are. If they are more than one in five, if an answer cannot be read,
    or if the verdicts do not show the classes of the answers, the scores are nan, and a warning
    says why. An undefined score is also nan.

    Parameters
    ----------
    metric : Metrics or SampleLevelMetric
        A metric that counts the answer to each sample as right or wrong, such as
        `Metrics.loglikelihood_acc` or `Metrics.exact_match`.
    name : str
        Prefix of the names of the scores; an underscore follows it. It is needed if a task has
        scores for two metrics.

    Returns
    -------
    CorpusLevelMetric
        Metric to list together with `metric` in the `metrics` of a task.

    Raises
    ------
    ValueError
        If `metric` is not a `SampleLevelMetric`, scores samples in batches, or uses neither
        log-probabilities nor generated text.

    Examples
    --------
    >>> scores_of(Metrics.loglikelihood_acc).metric_name
    'informedness'
    """
    metric = metric.value if isinstance(metric, Metrics) else metric
    is_by_sample = isinstance(metric, SampleLevelMetric) and not metric.batched_compute
    if not is_by_sample or metric.category not in _KNOWN:
        rule = "must score log-probabilities or generated text of each sample separately"
        raise ValueError(f"`metric` {rule}, got {getattr(metric, 'metric_name', metric)}")
    prefix = f"{name}_" if name else ""
    title = f"{prefix}{_SCORES[0]}"
    return CorpusLevelMetric(title, True, metric.category, _Sample(metric), _Corpus(prefix))


def with_scores(config: LightevalTaskConfig, name: str) -> LightevalTaskConfig:
    """Add Informedness and NIT to a task of lighteval.

    Parameters
    ----------
    config : LightevalTaskConfig
        A task, such as one of `lighteval.tasks.tasks`.
    name : str
        Name of the new task; lighteval rejects two tasks with the same name.

    Returns
    -------
    LightevalTaskConfig
        The task with scores that use the verdicts of one of its metrics, such as an accuracy for
        log-probabilities or an exact match for generated text. If the task has metrics of both
        kinds, the scores of generated text are `text_informedness` and `text_nit`. List the task in
        the `TASKS_TABLE` of the file passed with `--custom-tasks`.

    Raises
    ------
    ValueError
        If none of the task's metrics says which answers are right. Also as in `scores_of`.
    """
    added: list[CorpusLevelMetric] = []
    for category, known in _KNOWN.items():
        by_name = {x.metric_name: x for x in config.metrics if x.category is category}
        shortest_first = sorted((x for x in by_name if isinstance(x, str)), key=len)
        if metric := first_known(shortest_first, known):
            added.append(scores_of(by_name[metric], "text" if added else ""))
    if not added:
        names = ", ".join(str(metric.metric_name) for metric in config.metrics)
        raise ValueError(f"task {config.name} must have an accuracy or exact match, got {names}")
    return replace(config, name=name, metrics=(*config.metrics, *added))


class _Sample(SampleLevelComputation):  # type: ignore[misc]
    """Collect the reference, answer and verdict of a sample, as from a log of the same run."""

    def __init__(self, metric: SampleLevelMetric) -> None:
        self.metric = metric

    def compute(self, model_response: Any, doc: Any, **_: Any) -> dict[str, Any]:
        # compute the metric first, because an extractive match stores its results in doc.specific
        name = self.metric.metric_name
        verdict = float(self.metric.compute_sample(model_response=model_response, doc=doc)[name])
        doc_fields = {field: getattr(doc, field) for field in ("choices", "gold_index", "specific")}
        row = {"doc": doc_fields, "model_response": vars(model_response)}
        row |= {"id": "", "verdict": verdict, "prompt": ""}
        is_text = self.metric.category is SamplingMethod.GENERATIVE
        is_extracted = (doc.specific or {}).get("extracted_predictions") is not None
        sample, error, has_several = Sample("", None, None), "", False
        try:
            sample = read_sample(row, name, is_text, is_extracted)
        except DAMAGES as damage:  # raising it would end a run that may have taken hours
            error, has_several = str(damage), isinstance(damage, SeveralTargetsError)
        item = {"reference": sample.reference, "prediction": sample.prediction, "verdict": verdict}
        return {**item, "choices": [*sample.choices], "error": error, "has_several": has_several}

    def __str__(self) -> str:  # the method of the base class needs a `__name__`
        return f"{type(self).__name__}({self.metric.metric_name})"


class _Corpus(CorpusLevelComputation):  # type: ignore[misc]
    """Score all samples; return a dict, so that lighteval does not bootstrap standard errors."""

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def compute_corpus(self, items: list[dict[str, Any]]) -> dict[str, float]:
        answers = _answers(items)
        scores: dict[str, float] = {}
        for name in _SCORES:
            value, error = score_with_error(answers, name)
            scores |= {f"{self.prefix}{name}": value, f"{self.prefix}{name}_stderr": error}
        return scores


def _answers(items: list[dict[str, Any]]) -> Answers | None:
    """Collect the answers; warn and return None if they cannot be scored.

    Also warn if samples do not count because they have several right answers.
    """
    skipped = SkippedSamples(item["error"] for item in items if item["has_several"])
    errors = [item["error"] for item in items if item["error"] and not item["has_several"]]
    try:
        if errors:
            raise ValueError(f"{errors[0]}; {len(errors)} of {len(items)} samples cannot be read")
        skipped.check(len(items))
    except ValueError as error:
        warn(with_subject("no score", error))
        return None
    if skipped:
        warn(f"{len(skipped)} of {len(items)} samples have several right answers, and do not count")
    names = "reference", "prediction", "verdict", "choices"
    rows = ([i, *(item[k] for k in names)] for i, item in enumerate(items) if not item["error"])
    samples = [Sample(*row[:4])._replace(choices=tuple(row[4])) for row in rows]
    return Answers.from_harness(samples)
