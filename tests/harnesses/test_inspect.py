"""Inspect itself: the kept logs are what it writes, read as it reads them, and its metrics ours."""

import doctest
import importlib
import math
import os
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import inspect_logs
import pytest
from inspect_ai.log import read_eval_log, recompute_metrics, write_eval_log
from inspect_ai.scorer import Score, accuracy, answer, choice, includes, pattern, scorer
from inspect_logs import by_letter, in_words, model, run

import informedness.inspect_ai
from informedness.inspect_ai import nit, nit_stderr, with_target
from informedness.logs.inspect_ai import is_log, read_log

LOGS = Path(__file__).parents[1] / "logs" / "inspect"
METRICS = ("informedness", "informedness_stderr", "nit", "nit_stderr")
NAMES = sorted(path.name for path in LOGS.iterdir())


def metrics_of(log):
    assert log.status == "success", log.error
    return {
        name: metric.value for each in log.results.scores for name, metric in each.metrics.items()
    }


def log_in(folder):
    (path,) = filter(is_log, folder.rglob("*"))
    return path


# The reader


def test_the_kept_logs_are_what_inspect_writes_now_but_for_versions(tmp_path):
    made = inspect_logs.logs(str(tmp_path))
    assert sorted(made) == NAMES
    for name, log in made.items():
        kept = read_eval_log(str(LOGS / name))
        kept.eval.packages = log.eval.packages
        assert kept.model_dump(exclude={"location", "etag"}) == log.model_dump(
            exclude={"location", "etag"}
        )


@pytest.mark.parametrize("name", NAMES)
def test_answers_are_those_that_inspect_reads(name):
    log = read_eval_log(str(LOGS / name))
    read = [
        (x.model, x.task, x.epoch or 1, x.variant or "choice", *row)
        for x in read_log(LOGS / name)
        for row in zip(x.ids, x.references, x.predictions, strict=True)
    ]
    run_of = log.eval.model, log.eval.task
    logged = [
        (*run_of, sample.epoch, scorer, sample.id, sample.target, score.answer or None)
        for sample in log.samples
        for scorer, score in sample.scores.items()
    ]
    assert sorted(read, key=str) == sorted(logged, key=str)


@pytest.mark.parametrize("log_format", ["eval", "json"])
def test_a_log_as_inspect_leaves_it_is_read_too(tmp_path, log_format):
    """With its events, repeated entries and all, limited to some samples."""
    run(by_letter(), model("knows-half"), str(tmp_path), log_format, limit=7)
    (answers,) = read_log(log_in(tmp_path))
    assert answers.predictions == ("A", "B", "C", "B", "D", "B", "B")


def test_samples_that_inspect_took_for_errors_are_refused(tmp_path):
    def fail(messages, *_):
        if "What is 3 + 4?" in messages[-1].text:
            raise RuntimeError("no connection")
        return inspect_logs.output("knows-half", "ANSWER: B")

    failing = inspect_logs.get_model("mockllm/model", custom_outputs=fail, memoize=False)
    run(by_letter(n=5, fail_on_error=False), failing, str(tmp_path))
    with pytest.raises(ValueError, match=r"^1 of 5 samples, .* 'sum-02', ended in an error"):
        list(read_log(log_in(tmp_path)))


def test_samples_that_a_scorer_left_unscored_are_refused(tmp_path):
    @scorer(metrics=[accuracy()])
    def sometimes():
        async def score(state, target):
            return Score.unscored() if target.text == "C" else Score(value="C", answer=target.text)

        return score

    run(by_letter(sometimes(), n=5), model("always-b"), str(tmp_path))
    with pytest.raises(
        ValueError, match=r"^1 of 5 samples, .* have no score of scorer 'sometimes'"
    ):
        list(read_log(log_in(tmp_path)))


@pytest.mark.parametrize("name", ["log.eval", "log.json"])
@pytest.mark.parametrize(
    ("field", "value", "message"),
    [("samples", None, "no samples"), ("status", "cancelled", "ended with status 'success'")],
)
def test_logs_without_samples_or_success_are_refused(tmp_path, name, field, value, message):
    log = read_eval_log(str(LOGS / NAMES[0]))
    setattr(log, field, value)
    write_eval_log(log, str(tmp_path / name))
    with pytest.raises(ValueError, match=message):
        list(read_log(log_in(tmp_path)))


# The metrics


@pytest.mark.parametrize(
    ("name", "informedness", "nit"),
    [("refuses", 0, 1 / 4), ("always-b", 0, 1 / 4), ("knows-half", 1 / 2, None)],
)
def test_metrics_are_those_of_the_answers_in_the_log(tmp_path, name, informedness, nit):
    log = run(by_letter(with_target(choice())), model(name), str(tmp_path))
    found = metrics_of(log)
    assert found["informedness"] == pytest.approx(informedness, abs=1e-12)
    assert nit is None or found["nit"] == pytest.approx(nit)
    (answers,) = read_log(log_in(tmp_path))
    for metric in ("informedness", "nit"):
        wanted = answers.table().estimate(metric)
        assert found[metric] == wanted.value
        assert found[f"{metric}_stderr"] == wanted.standard_error


def test_every_epoch_counts_and_the_error_is_by_sample(tmp_path):
    """Two epochs with the same answers are the same scores, with the error of 20 samples."""

    def found(epochs, *names):
        task = by_letter(with_target(choice()), n=20, epochs=epochs)
        return metrics_of(run(task, model(*names), str(tmp_path)))

    once, twice = found(1, "knows-half"), found(2, "knows-half")
    mixed = found(2, "knows-half", "always-b")
    for metric in ("informedness", "nit"):
        assert twice[metric] == pytest.approx(once[metric])
        error = once[f"{metric}_stderr"] * math.sqrt(20 / 19)
        assert twice[f"{metric}_stderr"] == pytest.approx(error)
    assert mixed["informedness"] == pytest.approx(1 / 4)  # half of a half, and B's FPR 3/4


def test_a_metric_takes_its_classes_and_no_other(tmp_path):
    """NIT of a constant is 1 / k; what is no class is a wrong answer."""
    task = by_letter(with_target(choice()), metrics=[nit(labels=[*"ABCDE"]), nit_stderr()])
    assert metrics_of(run(task, model("always-b"), str(tmp_path)))["nit"] == pytest.approx(1 / 5)


@pytest.mark.parametrize("labels", ["AB", [], ["A", "A"], [1, 2]])
def test_what_is_no_class_or_scorer_is_refused_before_the_run(labels):
    with pytest.raises(ValueError, match="`labels` must "):
        nit(labels=labels)
    with pytest.raises(TypeError, match=r"`scorer` must be a scorer, .* got 'choice'"):
        with_target("choice")


def test_targets_in_words_are_the_classes(tmp_path):
    task = in_words(with_target(pattern(r"ANSWER: (\w)")))
    for sample in task.dataset:
        sample.choices = None
    found = metrics_of(run(task, model("knows-half"), str(tmp_path)))
    assert found["informedness"] == pytest.approx(1 / 2)


def test_what_cannot_be_scored_ends_the_run_with_what_to_do(tmp_path):
    of_several = by_letter(with_target(choice()), n=3)
    of_several.dataset[0].target = ["A", "B"]
    bare = by_letter(n=3, metrics=[informedness.inspect_ai.informedness()])
    of_two = by_letter(with_target(choice()), n=3, metrics=[nit(labels=["A", "B"])])
    for task, message in (
        (of_several, "must have one right answer"),
        (bare, "use scorer=with_target(...) of informedness.inspect_ai"),
        (of_two, "`labels` must list every reference, 'C' is missing"),
    ):
        log = run(task, model("always-b"), str(tmp_path))
        assert log.status == "error"
        assert message in log.error.message
        assert task is of_several or len(log.samples) == 3


@pytest.mark.filterwarnings("ignore:informedness. no score")
def test_texts_around_a_class_get_no_score(tmp_path):
    found = metrics_of(run(in_words(with_target(includes())), model("knows-half"), str(tmp_path)))
    assert found["accuracy"] > 0
    assert all(math.isnan(found[name]) for name in METRICS)


@pytest.mark.filterwarnings("error:informedness. ")
@pytest.mark.parametrize(("epochs", "nit"), [(1, math.nan), (2, 1 / 4)])
def test_targets_of_one_class_give_no_informedness_and_do_not_end_the_run(tmp_path, epochs, nit):
    """Nor does one answer alone give NIT, of which a right and a wrong one have the same."""
    task = by_letter(with_target(choice()), n=1, epochs=epochs)
    found = metrics_of(run(task, model("knows-half"), str(tmp_path)))
    assert found.pop("accuracy") == 1
    assert found.pop("nit") == pytest.approx(nit, nan_ok=True)
    assert all(math.isnan(found[name]) for name in METRICS if name != "nit")


def test_a_log_that_was_scored_again_has_the_same_scores(tmp_path):
    """Not with `choice()`, which needs what `multiple_choice()` marked while the model answered."""
    from inspect_ai import score

    log = run(by_letter(n=20), model("knows-half"), str(tmp_path))
    again = score(log, with_target(answer("letter")), action="overwrite", display="none")
    assert metrics_of(again)["informedness"] == pytest.approx(1 / 2)
    before = metrics_of(again)
    recompute_metrics(again)
    assert metrics_of(again) == before


def test_inspect_finds_the_metrics_of_a_log_in_the_installed_package(tmp_path):
    """In a process that has not imported the module."""
    if "informedness" not in entry_points(group="inspect_ai").names:
        pytest.skip("informedness is not installed here")
    log = run(by_letter(with_target(choice()), n=20), model("knows-half"), str(tmp_path))
    code = (
        "import sys; from inspect_ai.log import *; log = read_eval_log(sys.argv[1]); "
        "log.results.scores.clear(); recompute_metrics(log); "
        "print(sorted(name for each in log.results.scores for name in each.metrics))"
    )
    command = [sys.executable, "-c", code, log.location]
    done = subprocess.check_output(command, text=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.strip() == str(sorted([*METRICS, "accuracy", "stderr"]))


def test_an_inspect_that_is_too_old_is_refused_by_name(monkeypatch):
    """By the decorator, which took no `scores` before 0.3.241."""
    monkeypatch.setattr("inspect_ai.scorer.metric", lambda name=None: name)
    monkeypatch.delitem(sys.modules, "informedness.inspect_ai")
    with pytest.raises(ImportError, match=r"pip install 'inspect-ai>=0\.3\.241'"):
        importlib.import_module("informedness.inspect_ai")


@pytest.mark.parametrize("name", ["inspect_ai", "lighteval", "lm_eval"])
def test_the_examples_in_docstrings_are_true(tmp_path, monkeypatch, name):
    monkeypatch.chdir(tmp_path)
    result = doctest.testmod(importlib.import_module(f"informedness.{name}"))
    assert (result.failed, result.attempted > 0) == (0, True)
