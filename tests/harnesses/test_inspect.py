"""Inspect itself: the kept logs are what it writes, read as it reads them, and its metrics ours."""

import importlib
import math
import os
import re
import subprocess
import sys
from importlib.metadata import entry_points
from pathlib import Path

import inspect_logs
import pytest
from inspect_ai import eval_retry, scorer
from inspect_ai.log import read_eval_log
from inspect_ai.model import ModelAPI, get_model, modelapi
from inspect_ai.scorer import Score, choice
from inspect_ai.solver import generate
from inspect_logs import by_letter, model, run

import informedness.inspect_ai
from informedness import estimate
from informedness import read_log as read
from informedness.inspect_ai import with_target
from informedness.warnings import InformednessWarning
from tables import score_of

LOGS = Path(__file__).parents[2] / "examples" / "runs" / "inspect"
METRICS = ("informedness", "informedness_stderr", "nit", "nit_stderr")


def metrics_of(log):
    assert log.status == "success", log.error
    metrics = [metric for each in log.results.scores for metric in each.metrics.items()]
    return {name: metric.value for name, metric in metrics}


# The reader


def test_the_kept_logs_are_what_inspect_writes_now_but_for_versions(tmp_path):
    made = inspect_logs.logs(str(tmp_path))
    assert sorted(made) == sorted(path.name for path in LOGS.iterdir())
    for name, log in made.items():
        kept = read_eval_log(str(LOGS / name))
        kept.eval.packages = log.eval.packages
        new, old = (x.model_dump(exclude={"location", "etag"}) for x in (log, kept))
        assert new == old


WRONG = ["What is 3 + 4?"]


@modelapi("fails")
class Fails(ModelAPI):
    """Always says B, and fails at one question; a retry would make mockllm without its answers."""

    async def generate(self, input, **_):
        if any(text in input[-1].text for text in WRONG):
            raise RuntimeError("no connection")
        return inspect_logs.output("fails", "ANSWER: B")


def test_samples_without_a_score_are_left_out_as_inspect_does(tmp_path):
    """Because of an error, or because the scorer gave none."""

    @scorer.scorer(metrics=[scorer.accuracy()])
    def sometimes():
        async def score(state, target):
            right = "C" if state.output.completion.endswith(target.text) else "I"
            return Score.unscored() if target.text == "D" else Score(value=right, answer="B")

        return score

    task = by_letter(with_target(sometimes()), n=10, fail_on_error=False)
    found = metrics_of(run(task, get_model("fails/b"), str(tmp_path)))
    with pytest.warns(InformednessWarning, match="3 of 10 samples of .* have no score, because"):
        (answers,) = read(tmp_path)
    assert (answers.n_left_out, score_of(answers.table, "accuracy")) == (3, found["accuracy"])
    assert answers.table.informedness() == pytest.approx(found["informedness"])


OF_A_FILE = """
from inspect_ai import task
from inspect_logs import by_letter

@task
def sums():
    return by_letter(n=5)
"""


def test_an_interrupted_run_is_refused_and_its_retry_is_read(tmp_path, monkeypatch):
    """By Inspect's own `eval_retry`, which the refusal names."""
    monkeypatch.chdir(tmp_path)  # where Inspect finds the file of the task
    Path("sums.py").write_text(OF_A_FILE)
    options = {"display": "none", "log_dir": str(tmp_path)}
    (log,) = inspect_logs.eval("sums.py", model="fails/b", **options)
    refusal = "must have status 'success', got 'error': `inspect eval-retry` it"
    with pytest.raises(ValueError, match=refusal):
        read(tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "WRONG", [])
    (retried,) = eval_retry(log, **options)
    with pytest.warns(InformednessWarning, match=f"left out: .*{refusal}"):
        (of_retry,) = read(tmp_path)
    assert metrics_of(retried)["accuracy"] == score_of(of_retry.table, "accuracy") == 0.4


def words(scorer):
    """Sixty questions to be answered by Yes or No, of which the first twenty have Yes."""
    samples = [
        inspect_logs.Sample(id=f"q{i:02}", input=f"Is it {i}?", target="Yes" if i < 20 else "No")
        for i in range(60)
    ]
    dataset = inspect_logs.MemoryDataset(samples)
    return inspect_logs.Task(dataset=dataset, solver=generate(), scorer=scorer)


def saying(respond):
    """A model that says what a function makes of the last message."""

    def output(messages, *_):
        return inspect_logs.output("m", respond(messages[-1].text))

    return get_model("mockllm/m", custom_outputs=output, memoize=False)


def answering(form):
    """A model that is right but at every fourth question; every second answer is in lower case."""

    def respond(asked):
        i = int(asked.split()[-1].rstrip("?"))
        said = "Yes" if (i < 20) == (i % 4 > 0) else "No"
        return form.format(said.lower() if i % 2 else said, i)

    return saying(respond)


def grader(grade):
    """A model that grades: by what it is asked, or always the same."""

    def respond(asked):
        target = re.search(r"\[(?:criterion|expert)\]: (\w+)", asked.casefold())[1]
        return f"GRADE: {grade or 'IC'[f'say {target} ' in asked.casefold()]}"

    return saying(respond)


@pytest.mark.parametrize(
    ("own", "form"),
    [
        (scorer.answer("word"), "ANSWER: {}"),
        (scorer.answer("line"), "ANSWER: {}"),
        (scorer.pattern(r"is (\w+)"), "it is {}"),
        (scorer.exact(), "The {}!"),
        (scorer.match(), "I say {}."),
        (scorer.match("begin"), "{}, for {}"),
        (scorer.match("exact"), "{}."),
        (scorer.match("any"), "{1}: I say {0} to it"),
        (scorer.includes(), "I say {} for {}"),
        (scorer.f1(), "The {}."),
        (scorer.model_graded_fact(model=grader(None)), "I say {} for {}"),
        (scorer.model_graded_qa(model=grader(None)), "I say {} for {}"),
        # which see case
        (scorer.match(ignore_case=False), "{}"),
        (scorer.pattern(r"(\w+)", ignore_case=False), "{}"),
        (scorer.includes(ignore_case=False), "I say  {} for {}"),
    ],
)
def test_accuracy_is_that_of_the_scorer(tmp_path, own, form):
    """Yes: 15 of 20 found, and 10 of 40 others called so.

    With case 30 are unknown, and of the others 5 of 10 and 10 of 20 right.
    """
    sees_case = form in ("{}", "I say  {} for {}")
    log_format = "json" if sees_case else "eval"
    task = words([own, with_target(own)])
    found = metrics_of(run(task, answering(form), str(tmp_path), log_format))
    assert found["accuracy"] == (0.25 if sees_case else 0.75)
    if not sees_case:
        assert found["informedness"] == pytest.approx(15 / 20 - 10 / 40)
    for answers in read(tmp_path):
        assert answers.unknown().total() == 30 * sees_case
        assert score_of(answers.table, "accuracy") == found["accuracy"]
        for score in ("informedness", "nit"):
            made = estimate(answers.table, metric=score)
            assert found[score] == pytest.approx(made.value, abs=1e-12)
            assert found[f"{score}_stderr"] == pytest.approx(made.standard_error, abs=1e-12)


@pytest.mark.parametrize(
    ("own", "form"),
    [
        (scorer.model_graded_qa(model=grader("C")), "I say {} for {}"),
        (scorer.model_graded_qa(model=grader("P"), partial_credit=True), "I say {} for {}"),
        (scorer.includes(), "No or yes: {}"),
    ],
)
def test_what_a_model_grades_or_any_text_gets_right_has_no_score(tmp_path, own, form):
    with pytest.warns(InformednessWarning, match=r"does not fit the answer in \d+ of 60"):
        found = metrics_of(run(words(with_target(own)), answering(form), str(tmp_path)))
    assert all(math.isnan(found[name]) for name in METRICS)
    with pytest.raises(ValueError, match="is right, with verdict"):
        read(tmp_path)
    (answers,) = read(tmp_path, extract="(?i)(?:say|yes:) (yes|no)", ignore_case=True)
    assert answers.table.informedness() == pytest.approx(1 / 2)


# The metrics


def test_every_epoch_counts_and_the_error_is_by_sample(tmp_path):
    """Two epochs with the same answers are the same scores, with the error of 20 samples."""

    def found(epochs, *names):
        folder = str(tmp_path / f"{epochs}-{len(names)}")
        task = by_letter(with_target(choice()), n=20, epochs=epochs)
        return metrics_of(run(task, model(*names), folder))

    once, twice = found(1, "knows-half"), found(2, "knows-half")
    mixed = found(2, "knows-half", "always-b")
    assert mixed["informedness"] == pytest.approx(1 / 4)  # half of a half, and B's FPR 3/4
    (pooled,) = read(tmp_path / "2-2", epochs="pooled")
    made = pooled.report(0.95).estimates
    for metric in ("informedness", "nit"):
        assert twice[metric] == pytest.approx(once[metric])
        error = once[f"{metric}_stderr"] * math.sqrt(20 / 19)
        assert twice[f"{metric}_stderr"] == pytest.approx(error)
        assert made[metric].value == pytest.approx(mixed[metric])
        assert made[metric].standard_error == pytest.approx(mixed[f"{metric}_stderr"])


def test_groups_of_samples_have_scores_of_their_own(tmp_path):
    groups = scorer.grouped(informedness.inspect_ai.informedness(), "known")
    task = by_letter(with_target(choice()), metrics=[groups])
    for i, sample in enumerate(task.dataset):
        sample.metadata = {"known": "yes" if i % 2 == 0 else "no"}
    found = metrics_of(run(task, model("knows-half"), str(tmp_path)))
    assert found == {"yes": 1, "no": 0, "all": pytest.approx(1 / 2)}


def test_what_cannot_be_scored_ends_the_run_with_what_to_do(tmp_path):
    of_several = by_letter(with_target(choice()), n=3)
    of_several.dataset[0].target = ["A", "B"]
    bare = by_letter(n=3, metrics=[informedness.inspect_ai.informedness()])
    for task, message in (
        (of_several, "must have one right answer"),
        (bare, "use informedness.inspect_ai.with_target"),
    ):
        log = run(task, model("always-b"), str(tmp_path))
        assert (log.status, message in log.error.message) == ("error", True)
        assert task is of_several or len(log.samples) == 3


@pytest.mark.filterwarnings("error:informedness. ")
@pytest.mark.parametrize(("epochs", "nit"), [(1, math.nan), (2, 1 / 4)])
def test_targets_of_one_class_give_no_informedness_and_do_not_end_the_run(tmp_path, epochs, nit):
    """Nor does one answer alone give NIT, of which a right and a wrong one have the same."""
    task = by_letter(with_target(choice()), n=1, epochs=epochs)
    found = metrics_of(run(task, model("knows-half"), str(tmp_path)))
    assert found.pop("accuracy") == 1
    assert found.pop("nit") == pytest.approx(nit, nan_ok=True)
    assert all(math.isnan(found[name]) for name in METRICS if name != "nit")


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
