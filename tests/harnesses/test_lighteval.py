"""lighteval shows the scores of its tasks, and its logs are still those that are kept.

It wants an environment with lighteval: python -m pytest tests/harnesses/test_lighteval.py.
"""

import math
import os
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")  # lighteval reads these once

import lighteval_logs
import pyarrow.parquet
import pytest
from lighteval.metrics.metrics import Metrics
from lighteval.metrics.utils.metric_utils import CorpusLevelMetric
from lighteval.models.model_output import ModelResponse
from lighteval.tasks.requests import Doc, SamplingMethod

from informedness import InformednessWarning, UndefinedMetricWarning
from informedness.lighteval import (
    ChoiceInput,
    ChoicePreparator,
    ExtractivePreparator,
    ScoreOfCorpus,
    TextPreparator,
    extractive_informedness,
    generative_informedness,
    loglikelihood_informedness,
    loglikelihood_nit,
)
from informedness.logs.lighteval import is_log, read_log

KEPT = Path(__file__).parents[1] / "logs" / "lighteval"

# 2^MI / 4 of who knows half, where B has 2/5 of the samples and 7/10 of the answers
MI_OF_HALF = 0.3 * math.log2(0.1 / (0.2 * 0.1)) + 0.3 * math.log2(0.1 / (0.2 * 0.7))
MI_OF_HALF += 0.4 * math.log2(0.4 / (0.4 * 0.7))
NIT_OF_HALF = 2**MI_OF_HALF / 4


def results_of(task, model, folder, metrics=None):
    found = lighteval_logs.run(task, model, folder, metrics).get_results()["results"]
    (results,) = (x for name, x in found.items() if name != "all")
    return results


def answers_in(folder):
    (log,) = filter(is_log, folder.rglob("*"))
    return list(read_log(log))


def doc(gold=1, choices=("A", "B", "C", "D")):
    return Doc(query="What is 1 + 1?", choices=list(choices), gold_index=gold, id="7")


def test_the_kept_logs_are_what_lighteval_writes(tmp_path):
    made = lighteval_logs.make(tmp_path)
    kept = [tmp_path / path.relative_to(KEPT) for path in KEPT.rglob("*.parquet")]
    assert sorted(made) == sorted(kept)
    for path in made:
        new, old = map(pyarrow.parquet.read_table, (path, KEPT / path.relative_to(tmp_path)))
        assert new.to_pylist() == old.to_pylist()


@pytest.mark.parametrize("task", lighteval_logs.MODELS)
@pytest.mark.parametrize("model", ["always-b", "knows-half"])
def test_lighteval_shows_the_scores_of_the_design_and_of_the_log(tmp_path, task, model):
    wanted = [24 / 60, 0, 1 / 4] if model == "always-b" else [42 / 60, 1 / 2, NIT_OF_HALF]
    results = results_of(task, model, tmp_path)
    shown = [value for name, value in results.items() if not name.endswith("_stderr")]
    assert shown == pytest.approx(wanted)
    (answers,) = answers_in(tmp_path)
    names = [metric.metric_name for metric in lighteval_logs.METRICS[task][1:]]
    assert answers.model == model
    for name, score in zip(names, ("informedness", "nit"), strict=True):
        made = answers.table().estimate(score)
        assert results[name] == pytest.approx(made.value)
        assert results[f"{name}_stderr"] == pytest.approx(made.standard_error)


def test_refusals_count_as_wrong_and_are_told(tmp_path):
    with pytest.warns(InformednessWarning, match="60 of 60 answers are none of the choices"):
        results = results_of("arithmetic_text", "refuses", tmp_path)
    assert results["generative_informedness"] == 0
    assert results["generative_nit"] == 0.25


def test_a_task_may_have_metrics_of_each_kind(tmp_path):
    metrics = [loglikelihood_informedness, extractive_informedness, generative_informedness]
    with pytest.warns(InformednessWarning, match="in generative_informedness"):
        results = results_of("arithmetic_sentence", "knows-half", tmp_path, metrics)
    assert [results[x.metric_name] for x in metrics] == pytest.approx([1 / 2, 1 / 2, 0])
    scored, text = answers_in(tmp_path)
    assert (scored.variant, text.variant) == ("log-probabilities", "text")
    assert scored.predictions == text.predictions


def test_a_metric_can_be_built_as_lighteval_builds_them(tmp_path):
    name = "macro_of_text"
    metric = CorpusLevelMetric(
        metric_name=name,
        sample_level_fn=TextPreparator(normalize_pred=str.lower),
        corpus_level_fn=ScoreOfCorpus(name, average="macro"),
        category=SamplingMethod.GENERATIVE,
        higher_is_better=True,
    )
    with pytest.warns(InformednessWarning, match=f"in {name}"):  # no choice is in lower case
        results = results_of("arithmetic_text", "always-b", tmp_path, [metric])
    assert results == {name: 0, f"{name}_stderr": 0}


def test_a_choice_that_is_never_right_is_a_class_all_the_same():
    items = [ChoiceInput(0, 0, 4), ChoiceInput(1, 1, 4)]
    right = ScoreOfCorpus("nit", "nit").compute_corpus(items)
    assert right["nit"] == pytest.approx(2**1 / 4)


def test_all_references_of_one_class_leave_no_standard_error():
    with pytest.warns(UndefinedMetricWarning, match="all references are 1"):
        shown = ScoreOfCorpus("informedness").compute_corpus([ChoiceInput(1, 1, 2)] * 3)
    assert shown["informedness"] == 0
    assert math.isnan(shown["informedness_stderr"])


@pytest.mark.parametrize(
    "metric", [loglikelihood_nit, extractive_informedness, generative_informedness]
)
def test_lighteval_finds_cached_answers_of_another_run(metric):
    written = [str(metric.sample_level_fn), str(metric.corpus_level_fn)]
    assert not any(" at 0x" in text for text in written)  # its cache goes by these


def test_the_likeliest_choice_is_as_lighteval_takes_it():
    response = ModelResponse(logprobs=[-2.0, -1.0, -1.0, -3.0])
    assert ChoicePreparator().prepare(doc(gold=[1]), response) == ChoiceInput(1, 1, 4)
    accuracy = Metrics.loglikelihood_acc.value.sample_level_fn
    assert accuracy.compute(doc=doc(gold=1), model_response=response) == 1
    assert accuracy.compute(doc=doc(gold=2), model_response=response) == 0


def test_text_counts_without_its_reasoning_and_the_first_of_several():
    response = ModelResponse(text=["<think>A</think>C", "D"], text_post_processed=["C", "D"])
    choices = [" A", " B", " C", " D"]
    assert TextPreparator().prepare(doc(1, choices), response) == ChoiceInput(1, 2, 4)
    assert ExtractivePreparator().prepare(doc(), response) == ChoiceInput(1, 2, 4)


def test_what_was_extracted_is_noted_as_by_lightevals_own_metric():
    response = ModelResponse(text=["First A, no: the answer is (C)."])
    ours, theirs = doc(), doc()
    assert ExtractivePreparator().prepare(ours, response) == ChoiceInput(1, 2, 4)
    Metrics.gpqa_instruct_metric.value.sample_level_fn.compute(theirs, response)
    assert ours.specific == theirs.specific


@pytest.mark.parametrize(
    ("preparator", "response"),
    [
        (ChoicePreparator(), ModelResponse(logprobs=[-1.0, -2.0, -3.0, -4.0])),
        (TextPreparator(), ModelResponse(text=["A"])),
        (ExtractivePreparator(), ModelResponse(text=["A"])),
    ],
)
def test_samples_that_cannot_be_scored_are_refused(preparator, response):
    with pytest.raises(ValueError, match=r"must have one right answer .*, got \[0, 1\]"):
        preparator.prepare(doc(gold=[0, 1]), response)
    with pytest.raises(ValueError, match="`gold_index` must be one of 4 choices, got -1"):
        preparator.prepare(doc(gold=-1), response)
    with pytest.raises(ValueError, match="`choices` must list the texts of at least two"):
        preparator.prepare(doc(0, ["A"]), response)
    with pytest.raises(ValueError, match=r"`text` must be|`logprobs` must hold"):
        preparator.prepare(doc(), ModelResponse())


def test_an_average_by_class_is_refused():
    with pytest.raises(ValueError, match="`average` must not be None"):
        ScoreOfCorpus("informedness", average=None)
