"""What all harnesses share: the kept logs are what they write, and each score is as they count.

`make test-harnesses` runs this folder, in an environment of its own; `make test` does not. There,
`PYTHONPATH=tests python tests/harnesses/test_every_harness.py` writes examples/runs anew.
"""

import doctest
import importlib
import os
import statistics

os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1")  # lighteval reads these once

import inspect_logs
import lighteval_logs
import lm_eval_logs
import pytest
from arithmetic import GOLDS, LETTERS, LOG, LOGS, SAID
from inspect_ai import scorer
from inspect_ai.scorer import choice
from inspect_ai.solver import multiple_choice
from lighteval.main_inspect import get_inspect_ai_task
from lighteval.metrics.metrics import Metrics
from lighteval.metrics.metrics_sample import SampleLevelComputation
from lighteval.metrics.normalizations import LogProbCharNorm, helm_normalizer
from lighteval.metrics.utils.metric_utils import SampleLevelMetric
from lighteval.tasks.requests import Doc, SamplingMethod
from lm_eval.api.task import ConfigurableTask
from test_inspect import answering, grader, metrics_of, words
from test_lm_eval import CHOICES, FOLDED, config, of_metrics, result_of

from informedness import estimate, read_log
from informedness.inspect_ai import with_target
from informedness.lm_eval import Task
from informedness.logs.reading import READERS
from informedness.warnings import InformednessWarning
from inputs.tables import score_of
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore::informedness.warnings.IntervalWarning")
SCRIPTS = {"lm-eval": lm_eval_logs, "lighteval": lighteval_logs, "inspect": inspect_logs}


@pytest.mark.parametrize("harness", LOG)
def test_the_kept_logs_hold_what_the_harness_writes_now(tmp_path, harness):
    SCRIPTS[harness].make(tmp_path)
    reader = READERS[harness]
    made, kept = (
        {
            path.relative_to(folder): list(reader.read_log(path))
            for path in folder.rglob("*")
            if reader.is_log(path) and not path.name.startswith("results_")
        }
        for folder in (tmp_path, LOGS / harness)
    )
    assert made == kept


# Each runs `knows-half`, in Inspect a model that is wrong at every fourth question, whose answers
# have a form, and returns the accuracy by the harness, and our scores if it has them.


def in_lm_eval(own, form, folder):
    """Run with our scores, and without them."""
    options, changes = own
    metrics = of_metrics("exact_match", **options)
    changes = {**changes, "generation_kwargs": {"until": ["\n"], "form": form}}
    task = Task(config(**changes, metric_list=metrics))
    found = result_of("knows-half", task, folder=folder / "ours")
    plain = config(**changes | {"metric_list": metrics[:1], "class": None})
    result_of("knows-half", ConfigurableTask(config=plain), folder=folder / "plain")
    found = {name.partition(",")[0]: value for name, value in found.items()}
    return {**found, "accuracy": found["exact_match"]}


def in_lighteval(own, form, folder):
    task = "arithmetic_text" if form else "arithmetic"
    results = lighteval_logs.run(task, "knows-half", folder, [own], form or "")
    return {"accuracy": results["all"][own.metric_name]}


def in_inspect(own, form, folder):
    task = words([own, with_target(own)])
    return metrics_of(inspect_logs.run(task, answering(form), str(folder)))


RUN = {"lm-eval": in_lm_eval, "lighteval": in_lighteval, "inspect": in_inspect}


def exact(**options):
    return Metrics.exact_match(sample_params={"strip_strings": False, **options})


def filtered(pattern, **options):
    steps = [{"function": "regex", "regex_pattern": pattern, **options}, {"function": "take_first"}]
    return {"filter_list": [{"name": "letter", "filter": steps}]}


IGNORED = {"ignore_case": True}
OF_LM_EVAL = [
    ("{}", {}, {}),
    ("{lower}", IGNORED, {}),
    ("{lower}!", {**IGNORED, "ignore_punctuation": True}, {}),
    ("{}7", {"ignore_numbers": True}, {}),
    ("I say {}", {"regexes_to_ignore": ["I say "]}, {}),
    ("I say {lower}", IGNORED, filtered("say (.)")),
    (" {} ", {}, filtered("([A-D])", group_select=-1)),
]
OF_LIGHTEVAL = [
    (None, Metrics.loglikelihood_acc.value),
    ("  {} ", Metrics.exact_match.value),  # which strips
    ("{}", exact(normalize_pred=str.upper)),
    ("({})!", exact(normalize_pred=helm_normalizer, normalize_gold=helm_normalizer)),
    ("{}", Metrics.f1_score.value),
    (" {}", Metrics.pass_at_k(sample_params={"k": 1, "n": 1})),
    ("{}, I think", exact(type_exact_match="prefix")),
    ("Surely {}", exact(type_exact_match="suffix")),
    ("I think the answer is ({}).", Metrics.gpqa_instruct_metric.value),
]
OF_INSPECT = [
    ("ANSWER: {}", scorer.answer("word")),
    ("ANSWER: {}", scorer.answer("line")),
    ("it is {}", scorer.pattern(r"is (\w+)")),
    ("The {}!", scorer.exact()),
    ("I say {}.", scorer.match()),
    ("{}, for {}", scorer.match("begin")),
    ("{}.", scorer.match("exact")),
    ("{1}: I say {0} to it", scorer.match("any")),
    ("I say {} for {}", scorer.includes()),
    ("The {}.", scorer.f1()),
    ("I say {} for {}", scorer.model_graded_fact(model=grader(None))),
    ("I say {} for {}", scorer.model_graded_qa(model=grader(None))),
]
CASES = [  # harness, scorer or metric, form of the answers, accuracy, how many are unknown
    *(
        ("lm-eval", (x, {**y, **z}), form, 0.7, 0)
        for form, x, y in OF_LM_EVAL
        for z in ({}, FOLDED)
    ),
    *(("lm-eval", ({}, changes), "{lower}", 0, 60) for changes in ({}, FOLDED)),
    *(("lighteval", own, form, 0.7, 0) for form, own in OF_LIGHTEVAL),
    ("lighteval", exact(), "  {}", 0, 60),  # which does not strip
    *(("inspect", own, form, 0.75, 0) for form, own in OF_INSPECT),
    # which see case: every second answer is in lower case
    ("inspect", scorer.match(ignore_case=False), "{}", 0.25, 30),
    ("inspect", scorer.pattern(r"(\w+)", ignore_case=False), "{}", 0.25, 30),
    ("inspect", scorer.includes(ignore_case=False), "I say  {} for {}", 0.25, 30),
]


@pytest.mark.parametrize(("harness", "own", "form", "accuracy", "n_unknown"), CASES)
def test_the_accuracy_is_that_of_the_harness(tmp_path, harness, own, form, accuracy, n_unknown):
    """Informedness is 0.5 by hand if all answers are known: here 15/20 - 10/40 in Inspect."""
    found = RUN[harness](own, form, tmp_path)
    assert found["accuracy"] == close(accuracy)
    folders = [tmp_path / x for x in ("ours", "plain")] if harness == "lm-eval" else [tmp_path]
    for answers in (answers for folder in folders for answers in read_log(folder)):
        assert answers.unknown().total() == n_unknown
        assert score_of(answers.table, "accuracy") == close(accuracy)
        assert n_unknown or answers.table.informedness() == close(0.5)
        for name in {"informedness", "nit"} & {*found}:
            made = estimate(answers.table, metric=name)
            assert found[name] == close(made.value)
            assert found[f"{name}_stderr"] == close(made.standard_error)


LENGTHS = "acc", "acc_norm", "acc_bytes", "acc_mutual_info"


@pytest.mark.parametrize("metrics", [*([name] for name in LENGTHS), ["acc", "acc_mutual_info"]])
def test_the_likeliest_choice_is_that_of_the_metric_of_lm_eval(tmp_path, metrics):
    changes = CHOICES | {"doc_to_choice": ["A", "Bb", "C" * 6, "Ä" * 4]}
    task = Task(config(**changes, metric_list=of_metrics(*metrics)))
    found = result_of("knows-half", task, folder=tmp_path)
    (answers,) = read_log(tmp_path)
    assert score_of(answers.table, "accuracy") == close(found[f"{metrics[0]},none"])
    assert answers.table.informedness() == close(found["informedness,none"])


class InBrackets(SampleLevelComputation):
    """Right is the letter in brackets."""

    def compute(self, doc, model_response, **_):
        return float(f"({LETTERS[doc.gold_index]})" in model_response.text[0])


def test_a_custom_lighteval_metric_is_the_verdict_if_asked(tmp_path):
    kind = SamplingMethod.GENERATIVE
    own = SampleLevelMetric("my_acc", True, kind, InBrackets(), statistics.mean)
    assert in_lighteval(own, "A or ({})", tmp_path)["accuracy"] == close(0.7)
    with pytest.warns(
        InformednessWarning, match="log's my_acc .* was not used: pass `verdict` 'my_acc'"
    ):
        (answers,) = read_log(tmp_path)
    assert score_of(answers.table, "accuracy") == 0
    (answers,) = read_log(tmp_path, verdict="my_acc")
    assert score_of(answers.table, "accuracy") == close(0.7)
    with pytest.raises(ValueError, match=r"`verdict` must be a .*: 'my_acc', got 'em'"):
        read_log(tmp_path, verdict="em")


@pytest.mark.parametrize("n_several", [12, 13])
def test_lighteval_samples_with_several_right_are_left_out(tmp_path, monkeypatch, n_several):
    plain = lighteval_logs.prompt

    def prompt(line, task_name=None):
        doc = plain(line, task_name)
        doc.gold_index = [doc.gold_index, *[2] * (line["id"] < f"sum-{n_several:02}")]
        return doc

    monkeypatch.setattr(lighteval_logs, "prompt", prompt)
    in_lighteval(Metrics.loglikelihood_acc.value, None, tmp_path)
    if n_several > 12:
        with pytest.raises(ValueError, match=r"exactly one .*; 13 of 60 samples have several"):
            read_log(tmp_path)
        return
    with pytest.warns(InformednessWarning, match="12 of 60 samples of .* several right answers"):
        (answers,) = read_log(tmp_path)
    verdicts = (sample.verdict for sample in answers.samples)
    rows = answers.ids, answers.references, answers.predictions, verdicts
    for i, *row in zip(*rows, strict=True):
        gold, said = GOLDS[int(i)], SAID["knows-half"][int(i)]
        assert (int(i) >= 12, *row) == (True, gold, said, gold == said)


@pytest.mark.parametrize("ignored", [None, False, True])
def test_the_likeliest_choice_is_that_of_the_metric_of_lighteval(tmp_path, monkeypatch, ignored):
    """As its tasks give the normalisation, of which a blank in front may be a part."""
    own = Metrics.loglikelihood_acc.value
    if ignored is not None:
        norm = LogProbCharNorm(ignore_first_space=ignored)
        own = Metrics.loglikelihood_acc(sample_params={"logprob_normalization": norm})

    def prompt(line, task_name=None):
        position = LETTERS.index(line["answer"])
        return Doc(line["question"], [" A", "B--", "C----", "D"], position, task_name=task_name)

    monkeypatch.setattr(lighteval_logs, "prompt", prompt)
    accuracy = in_lighteval(own, None, tmp_path)["accuracy"]
    (answers,) = read_log(tmp_path)
    assert score_of(answers.table, "accuracy") == close(accuracy)


def test_lighteval_eval_writes_inspect_logs(tmp_path):
    def sample(line):
        asked = {"choices": line["choices"], "target": line["answer"], "id": line["id"]}
        return inspect_logs.Sample(line["question"], **asked)

    solved = {"solver": [multiple_choice()], "scorer": with_target(choice()), "metrics": []}
    config = lighteval_logs.config_of("arithmetic", tmp_path, sample_fields=sample, **solved)
    logs = str(tmp_path / "logs")
    log = inspect_logs.run(get_inspect_ai_task(config), inspect_logs.model("knows-half"), logs)
    (answers,) = read_log(logs)
    assert (answers.origin.harness, answers.table.informedness()) == ("inspect", close(0.5))
    assert metrics_of(log)["informedness"] == close(0.5)


@pytest.mark.parametrize("name", ["inspect_ai", "lighteval", "lm_eval"])
def test_the_examples_in_docstrings_are_true(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(f"informedness.{name}"))
    assert (result.failed, result.attempted > 0) == (0, True)


if __name__ == "__main__":
    for name, script in SCRIPTS.items():
        script.make(LOGS / name)
