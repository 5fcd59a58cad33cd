"""Informedness and NIT as metrics of lighteval's tasks, each beside one of lighteval's own.

    from informedness.lighteval import informedness, nit

    own = Metrics.exact_match
    LightevalTaskConfig(..., metrics=[own, informedness(own), nit(own)])

The answer to a sample is what the other metric takes it for. What that counts as right is the right
choice. What it counts as wrong is the choice that the text reads as, in a way that fits all its
verdicts, or none of the choices; a warning says how many there are of these. With log-probabilities
it is the likeliest choice, normalised as the other metric does it.

The standard errors use the delta method, like those of `informedness.estimate`. lighteval itself
would bootstrap them, and then divide the spread of its draws by the root of their number: with its
1000 draws that is 32 times too small. It does not do so for scores that come in a dict, like
these.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from .extras import needing

with needing("informedness.lighteval needs lighteval", "lighteval"):
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.metrics_sample import SampleLevelComputation
    from lighteval.metrics.normalizations import normalize_log_probs
    from lighteval.metrics.sample_preparator import CorpusMetricInput, Preparator
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric, MetricGrouping
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import SamplingMethod

from .core.labels import show, warn
from .logs.answers import Answers
from .logs.lighteval import gold_of, logprobs_of, stripped, texts_of
from .statistics.registry import score_named


def informedness(of: Any) -> CorpusLevelMetric:
    """Return the metric `informedness_of_X`: Bookmaker Informedness of the answers as X takes them.

    Parameters
    ----------
    of : Metrics or Metric
        One of lighteval's metrics that says of each sample whether it is right, such as
        `Metrics.loglikelihood_acc`, `Metrics.exact_match` or `Metrics.gpqa_instruct_metric`.

    Raises
    ------
    ValueError
        If the other metric says no such thing, or a model grades for it.
    """
    return _metric("informedness", of)


def nit(of: Any) -> CorpusLevelMetric:
    """Return the metric `nit_of_X`: Normalised Information Transfer of the answers as X takes them.

    Parameters
    ----------
    of
        As for `informedness`.

    Raises
    ------
    ValueError
        As `informedness`.
    """
    return _metric("nit", of)


def _metric(score: str, of: Any) -> CorpusLevelMetric:
    of = getattr(of, "value", of)
    function = getattr(of, "sample_level_fn", None)
    is_single = isinstance(function, SampleLevelComputation) and not isinstance(of, MetricGrouping)
    if not is_single or of.batched_compute:
        raise ValueError(
            "`of` must be a metric that scores each sample by itself as right or wrong, such as "
            f"Metrics.exact_match, got {show(of)}"
        )
    # The names differ by how answers are found: lighteval joins the samples of equal names.
    name = f"{score}_of_{of.metric_name}"
    return CorpusLevelMetric(
        metric_name=name,
        sample_level_fn=AnswerFinder(function, of.category),
        corpus_level_fn=ScoreOfCorpus(name, score),
        category=of.category,
        higher_is_better=True,
    )


@dataclass
class FoundAnswer(CorpusMetricInput):  # type: ignore[misc]
    """What was answered to a sample, and whether it is right.

    Attributes
    ----------
    gold : int
        The position of the right choice.
    answer : int or str or None
        The position of the likeliest choice, or a text, or None for none.
    verdict : float
        1 if the other metric counts it as right, 0 if as wrong.
    choices : list of str
    """

    gold: int
    answer: int | str | None
    verdict: float
    choices: list[str]


class AnswerFinder(Preparator):  # type: ignore[misc]
    """Finds what a metric takes for the answer to a sample.

    If there are several generations the first counts, as in lighteval's own corpus scores.
    """

    def __init__(self, metric: SampleLevelComputation, category: SamplingMethod) -> None:
        self.metric, self.category = metric, category

    def __str__(self) -> str:
        # lighteval looks answers up in its cache by this; an address would differ in each run
        return f"AnswerFinder({self.metric})"

    def prepare(self, doc: Any, model_response: Any, **kwargs: Any) -> FoundAnswer:
        """Return what was answered to a sample.

        Raises
        ------
        ValueError
            If there are several right choices, or no answer.
        """
        choices = stripped(doc.choices)
        gold = gold_of(doc.gold_index, choices)
        if self.category == SamplingMethod.LOGPROBS:
            answer: Any = self._likeliest(doc, model_response)
        else:
            answer = texts_of(model_response.final_text)[0]
            model_response = ModelResponse(text=[answer])
        verdict = self.metric.compute(doc=doc, model_response=model_response)
        if self.category != SamplingMethod.LOGPROBS:
            extracted = (doc.specific or {}).get("extracted_predictions")
            if extracted is not None and hasattr(self.metric, "pred_extraction_target"):
                answer = extracted[0] if extracted else None
        return FoundAnswer(gold, answer, float(verdict), choices)

    def _likeliest(self, doc: Any, model_response: Any) -> int:
        n = len(doc.choices)
        numbers = logprobs_of(model_response.logprobs, n)
        scores, alone = numbers[:n], numbers[n:] or None
        if normalization := getattr(self.metric, "logprob_normalization", None):
            tokens = model_response.output_tokens[:n]
            scores = normalize_log_probs(normalization, scores, alone, doc.choices, tokens)
        return scores.index(max(scores))


class ScoreOfCorpus(CorpusLevelComputation):  # type: ignore[misc]
    """A score of all samples together, with its standard error.

    Parameters
    ----------
    name : str
        What results call the score.
    score : str
        One of `informedness.SCORES`.

    Examples
    --------
    >>> right, wrong = FoundAnswer(0, 0, 1.0, ["a", "b"]), FoundAnswer(1, 0, 0.0, ["a", "b"])
    >>> ScoreOfCorpus("informedness", "informedness").compute_corpus([right, right, wrong])
    {'informedness': 0.0, 'informedness_stderr': 0.0}
    """

    def __init__(self, name: str, score: str) -> None:
        self.name, self.score = name, score

    def compute_corpus(self, items: list[FoundAnswer]) -> dict[str, float]:
        """Return the score and its standard error; nan if undefined or if nothing can be scored."""
        rows = [(i, x.gold, x.answer, x.verdict) for i, x in enumerate(items)]
        texts = tuple(tuple(item.choices) for item in items)
        choices = tuple(range(max(map(len, texts))))
        answers = Answers.inside(f" in {self.name}", rows, choices=choices, texts=texts)
        if answers is None:
            return {self.name: math.nan, f"{self.name}_stderr": math.nan}
        if unknown := answers.unknown().total():
            warn(
                f"{unknown} of {len(items)} answers are none of the choices, so counted as wrong "
                f"in {self.name}"
            )
        value = score_named(self.score).value(answers.table())
        error = answers.standard_error(self.score)
        return {self.name: value, f"{self.name}_stderr": error}
