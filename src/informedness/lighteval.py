"""Informedness and NIT as metrics of lighteval's tasks.

    from informedness.lighteval import loglikelihood_informedness

    LightevalTaskConfig(..., metrics=[loglikelihood_informedness])

There are three metrics for each score. `loglikelihood_informedness` and `loglikelihood_nit` take
the likeliest choice, whatever its length. `extractive_informedness` and `extractive_nit` take
the letter that lighteval's extractive match finds in a generated text, if the choices are
letters. `generative_informedness` and `generative_nit` take the text itself, which must be one of
the choices. An answer that is none of the choices is wrong, and a warning says how many there are.
 For another average, or text that needs cleaning first, build a metric as lighteval does:

    CorpusLevelMetric(
        metric_name="informedness_of_stripped_text",
        sample_level_fn=TextPreparator(normalize_pred=str.strip),
        corpus_level_fn=ScoreOfCorpus("informedness_of_stripped_text", average="macro"),
        category=SamplingMethod.GENERATIVE,
        higher_is_better=True,
    )

The standard errors use the delta method, like those of `informedness.estimate`. lighteval itself
would bootstrap them, and then divide the spread of its draws by the root of their number: with its
1000 draws that is 32 times too small. It does not do so for scores that come in a dict, like
these.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

try:
    from lighteval.metrics.metrics import Metrics
    from lighteval.metrics.metrics_corpus import CorpusLevelComputation
    from lighteval.metrics.sample_preparator import (
        CorpusMetricInput,
        GenerativePreparator,
        Preparator,
    )
    from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
    from lighteval.models.model_output import ModelResponse
    from lighteval.tasks.requests import SamplingMethod
except ImportError as error:
    raise ImportError("informedness.lighteval needs lighteval: pip install lighteval") from error

from .contingency import ContingencyTable
from .core.labels import warn
from .core.scores import Average
from .logs.lighteval import gold_of, likeliest, stripped, texts_of
from .statistics.registry import averaged_score

_NO_CHOICE = -1


@dataclass
class ChoiceInput(CorpusMetricInput):  # type: ignore[misc]
    """The right choice of a sample and the chosen one, by position.

    Attributes
    ----------
    gold, pred : int
        `pred` is -1 if the answer is none of the choices.
    n_choices : int
    """

    gold: int
    pred: int
    n_choices: int


class _Preparator(Preparator):  # type: ignore[misc]
    """Finds the answer to a sample."""

    category = SamplingMethod.GENERATIVE

    # lighteval looks answers up in its cache by this; an address in it would differ in each run
    __str__ = GenerativePreparator.__str__

    def answer(self, doc: Any, model_response: Any, choices: list[str]) -> int:
        """Return the position of the choice that is the answer, -1 if it is none of them."""
        raise NotImplementedError

    def prepare(self, doc: Any, model_response: Any, **kwargs: Any) -> ChoiceInput:
        """Return the choices of a sample.

        Raises
        ------
        ValueError
            If there are several right choices, or no answer.
        """
        choices = stripped(doc.choices)
        gold = gold_of(doc.gold_index, choices)
        return ChoiceInput(gold, self.answer(doc, model_response, choices), len(choices))


class ChoicePreparator(_Preparator):
    """Takes the choice with the highest log-probability, the first if several are equal.

    It is not normalised by the length of the choice.
    """

    category = SamplingMethod.LOGPROBS

    def answer(self, doc: Any, model_response: Any, choices: list[str]) -> int:
        """Return the position of the likeliest choice."""
        return likeliest(model_response.logprobs, len(choices))


class TextPreparator(_Preparator):
    """Takes the choice that was generated as text, without reasoning if lighteval takes that out.

    If there are several generations the first counts, as in lighteval's own corpus scores.

    Parameters
    ----------
    normalize_pred : callable, optional
        Turns a generated text into what is looked up among the choices, for example `str.strip`.
    """

    def __init__(self, normalize_pred: Callable[[str], str] | None = None) -> None:
        self.normalize_pred = normalize_pred

    def answer(self, doc: Any, model_response: Any, choices: list[str]) -> int:
        """Return the position of the choice that is the text."""
        text = texts_of(model_response.final_text)[0]
        return _position(
            text if self.normalize_pred is None else self.normalize_pred(text), choices
        )


class ExtractivePreparator(_Preparator):
    """Takes the choice that lighteval's extractive match finds in the generated text.

    What it found is logged in `doc.specific`, and so in the details, as by that metric itself. If
    there are several generations the first counts.

    Parameters
    ----------
    match : MultilingualExtractiveMatchMetric, optional
        How to extract; by default as `Metrics.gpqa_instruct_metric` does, which finds letters in
        English text.
    """

    def __init__(self, match: Any = None) -> None:
        self.match = Metrics.gpqa_instruct_metric.value.sample_level_fn if match is None else match

    def answer(self, doc: Any, model_response: Any, choices: list[str]) -> int:
        """Return the position of the choice that is found in the text."""
        text = texts_of(model_response.final_text)[0]
        self.match.compute(doc, ModelResponse(text=[text]))
        found = doc.specific["extracted_predictions"]
        return _position(found[0] if found else None, choices)


def _position(text: str | None, choices: list[str]) -> int:
    return choices.index(text) if text in choices else _NO_CHOICE


class ScoreOfCorpus(CorpusLevelComputation):  # type: ignore[misc]
    """A score of all samples together, with its standard error.

    Parameters
    ----------
    name : str
        What results call the score: the `metric_name` of the metric it is in.
    score : str
        One of `informedness.SCORES`.
    average : {"bias", "prevalence", "macro", "default"}
        For Informedness and markedness, as in their functions; by default their own.

    Examples
    --------
    >>> right, wrong = ChoiceInput(0, 0, 2), ChoiceInput(1, 0, 2)
    >>> ScoreOfCorpus("informedness").compute_corpus([right, right, wrong])
    {'informedness': 0.0, 'informedness_stderr': 0.0}
    """

    def __init__(
        self,
        name: str,
        score: str = "informedness",
        average: Average | Literal["default"] = "default",
    ) -> None:
        if average is None:
            raise ValueError("`average` must not be None: lighteval shows one number per score")
        averaged_score(score, average)
        self.name, self.score, self.average = name, score, average

    def compute_corpus(self, items: list[ChoiceInput]) -> dict[str, float]:
        """Return the score and its standard error, which is nan if the score is undefined."""
        unknown = sum(item.pred == _NO_CHOICE for item in items)
        if unknown:
            warn(
                f"{unknown} of {len(items)} answers are none of the choices, so counted as wrong "
                f"in {self.name}"
            )
        table = ContingencyTable.from_labels(
            references=[item.gold for item in items],
            predictions=[item.pred for item in items],
            labels=range(max(item.n_choices for item in items)),
            unknown="wrong",
        )
        score = averaged_score(self.score, self.average)
        value = score.value(table)
        error = score.with_interval().interval(table, 0.95).standard_error
        return {self.name: value, f"{self.name}_stderr": error}


def _metric(name: str, preparator: _Preparator) -> CorpusLevelMetric:
    # The names differ by how answers are found: lighteval joins the samples of equal names.
    return CorpusLevelMetric(
        metric_name=name,
        sample_level_fn=preparator,
        corpus_level_fn=ScoreOfCorpus(name, name.rpartition("_")[2]),
        category=preparator.category,
        higher_is_better=True,
    )


loglikelihood_informedness = _metric("loglikelihood_informedness", ChoicePreparator())
loglikelihood_nit = _metric("loglikelihood_nit", ChoicePreparator())
extractive_informedness = _metric("extractive_informedness", ExtractivePreparator())
extractive_nit = _metric("extractive_nit", ExtractivePreparator())
generative_informedness = _metric("generative_informedness", TextPreparator())
generative_nit = _metric("generative_nit", TextPreparator())
