"""lighteval shows the scores of its tasks, and its logs are still those that are kept.

It wants an environment with lighteval: python -m pytest tests/harnesses/test_lighteval.py.
"""

import math
import os
import statistics
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")  # lighteval reads these once

import lighteval_logs
import pyarrow.parquet
import pytest
from lighteval.metrics.dynamic_metrics import LogLikelihoodAccMetric
from lighteval.metrics.metrics import Metrics
from lighteval.metrics.metrics_sample import ExactMatches
from lighteval.metrics.normalizations import LogProbCharNorm, LogProbTokenNorm, helm_normalizer
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from informedness import InformednessWarning, estimate, read_log
from informedness.lighteval import FoundAnswer, ScoreOfCorpus, informedness, nit
from tables import score_of

KEPT = Path(__file__).parents[2] / "examples" / "runs" / "lighteval"


def results_of(task, model, folder, *options):
    found = lighteval_logs.run(task, model, folder, *options).get_results()["results"]
    (results,) = (x for name, x in found.items() if name != "all")
    return results


def doc(gold=1, choices=("A", "B", "C", "D")):
    return Doc(query="What is 1 + 1?", choices=list(choices), gold_index=gold, id="7")


def test_the_kept_logs_are_what_lighteval_writes(tmp_path):
    made = lighteval_logs.make(tmp_path)
    kept = [tmp_path / path.relative_to(KEPT) for path in KEPT.rglob("*.parquet")]
    assert sorted(made) == sorted(kept)
    for path in made:
        new, old = map(pyarrow.parquet.read_table, (path, KEPT / path.relative_to(tmp_path)))
        assert new.to_pylist() == old.to_pylist()


def test_refusals_count_as_wrong_and_are_told(tmp_path):
    with pytest.warns(InformednessWarning, match="60 of 60 answers are none of the choices"):
        results = results_of("arithmetic_text", "refuses", tmp_path)
    assert results["informedness_of_em"] == 0
    assert results["nit_of_em"] == 0.25


def exact(**options):
    return SampleLevelMetric(
        metric_name="em",
        sample_level_fn=ExactMatches(**options),
        category=SamplingMethod.GENERATIVE,
        corpus_level_fn=statistics.mean,
        higher_is_better=True,
    )


@pytest.mark.parametrize(
    ("own", "form", "accuracy"),
    [
        (Metrics.loglikelihood_acc.value, None, 0.7),
        (Metrics.exact_match.value, "  {} ", 0.7),  # which strips
        (exact(), "  {}", 0),  # which does not
        (exact(normalize_pred=str.upper), "{}", 0.7),
        (exact(normalize_pred=helm_normalizer, normalize_gold=helm_normalizer), "({})!", 0.7),
        (Metrics.f1_score.value, "{}", 0.7),
        (Metrics.pass_at_k(sample_params={"k": 1, "n": 1}), " {}", 0.7),
        (exact(type_exact_match="prefix"), "{}, I think", 0.7),
        (exact(type_exact_match="suffix"), "Surely {}", 0.7),
        (Metrics.gpqa_instruct_metric.value, "I think the answer is ({}).", 0.7),
    ],
)
@pytest.mark.filterwarnings("ignore:informedness. .* are none of the choices")
def test_accuracy_is_that_of_the_metric_beside(tmp_path, own, form, accuracy):
    metrics = [own, informedness(own), nit(own)]
    task = "arithmetic_text" if form else "arithmetic"
    results = results_of(task, "knows-half", tmp_path, metrics, form)
    assert results[own.metric_name] == pytest.approx(accuracy)
    (answers,) = read_log(tmp_path)
    assert score_of(answers.table(), "accuracy") == pytest.approx(accuracy)
    for name in ("informedness", "nit"):
        made, shown = estimate(answers.table(), metric=name), f"{name}_of_{own.metric_name}"
        assert results[shown] == pytest.approx(made.value, abs=1e-12)
        assert results[f"{shown}_stderr"] == pytest.approx(made.standard_error, abs=1e-12)


@pytest.mark.parametrize("ignored", [None, False, True])
def test_the_normalisation_is_that_in_the_name_of_the_metric(tmp_path, monkeypatch, ignored):
    """As tasks of lighteval give it; a blank in front of a choice counts, or does not."""
    own = Metrics.loglikelihood_acc.value
    if ignored is not None:
        norm = LogProbCharNorm(ignore_first_space=ignored)
        own = Metrics.loglikelihood_acc(sample_params={"logprob_normalization": norm})

    def prompt(line, task_name=None):
        of_letters = lighteval_logs.LETTERS.index(line["answer"])
        return Doc(line["question"], [" A", "B--", "C----", "D"], of_letters, task_name=task_name)

    monkeypatch.setattr(lighteval_logs, "prompt", prompt)
    results = results_of("arithmetic", "knows-half", tmp_path, [own, informedness(own)])
    (answers,) = read_log(tmp_path)
    name = own.metric_name
    assert score_of(answers.table(), "accuracy") == pytest.approx(results[name])
    assert answers.table().informedness() == pytest.approx(results[f"informedness_of_{name}"])


@pytest.mark.parametrize("norm", [None, LogProbCharNorm(), LogProbTokenNorm()])
def test_the_likeliest_choice_is_that_of_the_accuracy_beside(norm):
    """Of equal ones the first; a long one is likelier by its length."""
    own = LogLikelihoodAccMetric(norm)
    response = ModelResponse(
        logprobs=[-2.0, -1.0, -1.0, -1.5], output_tokens=[[1], [1], [1], [1, 2, 3, 4]]
    )
    of_doc = doc(1, ("a", "b", "c", "four"))
    found = informedness(own).sample_level_fn.prepare(of_doc, response)
    assert (found.answer, found.verdict) == ((1, 1) if norm is None else (3, 0))


@pytest.mark.parametrize(
    ("score", "items", "value", "message"),
    [
        ("nit", [(0, "A", 0.0), (1, "A", 0.0)], math.nan, "in x: .* answer in 1 of 2"),
        ("informedness", [(1, 1, 1.0)] * 3, 0, "all references are 1"),
    ],
)
def test_answers_that_do_not_fit_or_are_of_one_class_have_no_error(score, items, value, message):
    found = [FoundAnswer(*item, ["A", "B"]) for item in items]
    with pytest.warns(InformednessWarning, match=message):
        shown = ScoreOfCorpus("x", score).compute_corpus(found)
    assert shown == pytest.approx({"x": value, "x_stderr": math.nan}, nan_ok=True)


@pytest.mark.parametrize("own", lighteval_logs.OWN)
def test_lighteval_finds_cached_answers_of_another_run(own):
    metric = nit(own)
    written = [str(metric.sample_level_fn), str(metric.corpus_level_fn)]
    assert not any(" at 0x" in text for text in written)  # its cache goes by these


def test_text_counts_without_its_reasoning_and_the_first_of_several():
    response = ModelResponse(text=["<think>A</think>C", "D"], text_post_processed=["C", "D"])
    for own in (Metrics.exact_match, Metrics.gpqa_instruct_metric):
        found = nit(own).sample_level_fn.prepare(doc(1), response)
        assert found == FoundAnswer(1, "C", 0.0, [*"ABCD"])


def test_what_says_no_right_or_wrong_is_refused():
    """`test_logs_lighteval.py` has what is refused of a sample."""
    with pytest.raises(ValueError, match=r"must have one right answer .*, got \[0, 1\]"):
        nit(Metrics.exact_match).sample_level_fn.prepare(doc([0, 1]), ModelResponse(text=["A"]))
    for own in (Metrics.mcc, Metrics.drop, "acc", None):
        with pytest.raises(ValueError, match="`of` must be a metric that scores each sample"):
            informedness(own)
