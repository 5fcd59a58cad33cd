"""The accuracy read from logs of lighteval is its own, and its logs are still those that are kept.

It wants an environment with lighteval: python -m pytest tests/harnesses/test_lighteval.py.
"""

import os
from pathlib import Path

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")  # lighteval reads these once

import lighteval_logs
import pyarrow.parquet
import pytest
from arithmetic import GOLDS, SAID
from inspect_ai import eval as inspect_eval
from inspect_ai.dataset import Sample
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice
from inspect_logs import model as inspect_model
from lighteval.main_inspect import get_inspect_ai_task
from lighteval.metrics.metrics import Metrics
from lighteval.metrics.metrics_sample import ExactMatches
from lighteval.metrics.normalizations import LogProbCharNorm, helm_normalizer
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.requests import Doc, SamplingMethod

from cases import informedness
from informedness import read_log
from informedness.inspect_ai import with_target
from tables import score_of

KEPT = Path(__file__).parents[2] / "examples" / "runs" / "lighteval"


def results_of(task, model, folder, *options):
    found = lighteval_logs.run(task, model, folder, *options).get_results()["results"]
    (results,) = (x for name, x in found.items() if name != "all")
    return results


def test_the_kept_logs_are_what_lighteval_writes(tmp_path):
    made = lighteval_logs.make(tmp_path)
    kept = [tmp_path / path.relative_to(KEPT) for path in KEPT.rglob("*.parquet")]
    assert sorted(made) == sorted(kept)
    for path in made:
        new, old = map(pyarrow.parquet.read_table, (path, KEPT / path.relative_to(tmp_path)))
        assert new.to_pylist() == old.to_pylist()


def mean(values):  # by name, so that it can be sent to other processes
    return sum(values) / len(values)


def exact(**options):
    return SampleLevelMetric(
        metric_name="em",
        sample_level_fn=ExactMatches(**options),
        category=SamplingMethod.GENERATIVE,
        corpus_level_fn=mean,
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
def test_the_accuracy_of_a_log_is_that_of_its_metric(tmp_path, own, form, accuracy):
    task = "arithmetic_text" if form else "arithmetic"
    results = results_of(task, "knows-half", tmp_path, own, form)
    assert results[own.metric_name] == pytest.approx(accuracy)
    (answers,) = read_log(tmp_path)
    assert score_of(answers.table, "accuracy") == pytest.approx(accuracy)


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
    results = results_of("arithmetic", "knows-half", tmp_path, own)
    (answers,) = read_log(tmp_path)
    accuracy = score_of(answers.table, "accuracy")
    assert accuracy == pytest.approx(results[own.metric_name])


@pytest.mark.parametrize("model", ["always-b", "knows-half"])
def test_lighteval_eval_writes_logs_of_inspect_whose_score_is_that_of_the_answers(tmp_path, model):
    """Read from the log, and by the scorer that the task names."""

    def sample(line):
        asked = {"choices": line["choices"], "target": line["answer"], "id": line["id"]}
        return Sample(line["question"], **asked)

    solved = {"solver": [multiple_choice()], "scorer": with_target(choice()), "metrics": []}
    config = lighteval_logs.config_of("arithmetic", tmp_path, sample_fields=sample, **solved)
    task = get_inspect_ai_task(config)
    logs = tmp_path / "logs"
    (log,) = inspect_eval(task, model=inspect_model(model), log_dir=str(logs), display="none")
    wanted = pytest.approx(float(informedness(list(GOLDS), list(SAID[model]))), abs=1e-12)
    (answers,) = read_log(logs)
    assert (answers.harness, answers.table.informedness()) == ("inspect", wanted)
    values = {name: x.value for each in log.results.scores for name, x in each.metrics.items()}
    assert values["informedness"] == wanted
