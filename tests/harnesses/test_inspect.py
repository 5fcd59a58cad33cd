"""The scores of informedness.inspect_ai in Inspect itself, and the logs of runs that went wrong.

Covers src: inspect_ai.py.
"""

import math
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from inspect_ai import Epochs, eval_retry, scorer
from inspect_ai.model import ModelAPI, get_model, modelapi
from inspect_ai.scorer import Score, accuracy, choice, includes, match
from inspect_ai.solver import generate
from inspect_logs import MemoryDataset, Sample, Task, by_letter, eval, model, output, run, saying

import informedness.inspect_ai
from informedness import read_log
from informedness.inspect_ai import with_target
from informedness.logs.runs import how_found
from informedness.warnings import InformednessWarning
from inputs.tables import score_of

METRICS = ("informedness", "informedness_stderr", "nit", "nit_stderr")


def metrics_of(log):
    assert log.status == "success", log.error
    metrics = [metric for each in log.results.scores for metric in each.metrics.items()]
    return {name: metric.value for name, metric in metrics}


def words(scorer):
    """Sixty questions to be answered by Yes or No, of which the first twenty have Yes."""
    targets = ["Yes"] * 20 + ["No"] * 40
    samples = [Sample(id=f"q{i:02}", input=f"Is it {i}?", target=x) for i, x in enumerate(targets)]
    return Task(dataset=MemoryDataset(samples), solver=generate(), scorer=scorer)


def answering(form):
    """A model that is right but at every fourth question; every second answer is in lower case."""

    def respond(asked):
        i = int(asked.split()[-1].rstrip("?"))
        said = "Yes" if (i < 20) == (i % 4 > 0) else "No"
        return form.format(said.lower() if i % 2 else said, i)

    return saying("m", respond)


def grader(grade):
    """A model that grades: by what it is asked, or always the same."""

    def respond(asked):
        target = re.search(r"\[(?:criterion|expert)\]: (\w+)", asked.casefold())[1]
        return f"GRADE: {grade or 'IC'[f'say {target} ' in asked.casefold()]}"

    return saying("m", respond)


@pytest.mark.parametrize(
    ("own", "form"),
    [
        (scorer.model_graded_qa(model=grader("P"), partial_credit=True), "I say {} for {}"),
        (scorer.includes(), "No or yes: {}"),
    ],
)
def test_what_a_model_grades_or_any_text_gets_right_has_no_score(tmp_path, own, form):
    with pytest.warns(InformednessWarning, match=r"contradicts the answer in \d+ of 60"):
        found = metrics_of(run(words(with_target(own)), answering(form), str(tmp_path)))
    assert all(math.isnan(found[name]) for name in METRICS)
    with pytest.raises(ValueError, match="and verdict"):
        read_log(tmp_path)
    (answers,) = read_log(tmp_path, extract="(?i)(?:say|yes:) (yes|no)", ignore_case=True)
    assert answers.table.informedness() == pytest.approx(1 / 2)


def valued(value, is_answered=True, metrics=None):
    """A scorer with a value for right and wrong answers, which may not log the answer."""

    @scorer.scorer(metrics=metrics or [accuracy()])
    def own():
        async def score(state, target):
            said = state.output.completion
            is_right = target.text.casefold() == said.casefold()
            return Score(value=value(is_right), answer=said if is_answered else None)

        return score

    return own()


VALUES = ["CI", "CN", (True, False), (1.0, 0), ("true", "FALSE"), ("Yes", "no"), "10"]
VALUES += [("1e0", "-0.0"), ("C", "what?"), "Cc", ("C", "inf")]


@pytest.mark.parametrize("values", VALUES)
def test_a_value_counts_as_for_the_accuracy(tmp_path, values):
    scorer = valued(lambda is_right: values[not is_right])
    found = metrics_of(run(words([scorer, with_target(scorer)]), answering("{}"), str(tmp_path)))
    assert found["accuracy"] == 0.75
    for answers in read_log(tmp_path):
        assert answers.table.informedness() == pytest.approx(found["informedness"]) == 1 / 2
        assert score_of(answers.table, "accuracy") == 0.75
        assert "; accuracy matches the harness." in how_found(answers)


@pytest.mark.parametrize("value", ["good", [1.0, 0.0], {"a": 1.0}, "0.5"])
def test_a_value_that_does_not_say_what_is_right_gives_no_score(tmp_path, value):
    """The harness takes all but the last for 0. A log has a score by "a"."""
    scorer = valued(lambda is_right: value if is_right else "I")
    with pytest.warns(InformednessWarning, match=r"no score: .* contradicts .* several values"):
        found = metrics_of(run(words(with_target(scorer)), answering("{}"), str(tmp_path)))
    assert all(math.isnan(found[name]) for name in METRICS)
    assert found["accuracy"] == (0.375 if value == "0.5" else 0)
    if not isinstance(value, dict):
        with pytest.raises(ValueError, match="target 'Yes' and verdict "):
            read_log(tmp_path)


def test_named_values_are_variants(tmp_path):
    def value(is_right):
        return {"a": float(is_right), "b": 0.3, "c": "I" if is_right else None, "d": math.nan}

    metrics = {name: [accuracy()] for name in "abcd"}
    log = run(words(valued(value, metrics=metrics)), answering("{}"), str(tmp_path))
    values = {each.name: each.metrics["accuracy"].value for each in log.results.scores}
    assert values["a"] == 0.75
    (answers,) = read_log(tmp_path, variant="a")
    assert score_of(answers.table, "accuracy") == values["a"]
    for name in "bc":
        with pytest.raises(ValueError, match=f", {name}: the harness's verdict contradicts"):
            read_log(tmp_path, variant=name)
    with pytest.raises(ValueError, match="`variant` must be one of 'a', 'b', 'c', got 'd'"):
        read_log(tmp_path, variant="d")


def test_the_class_is_found_in_the_completion(tmp_path):
    found = metrics_of(run(words(valued(bool, False)), answering("{}"), str(tmp_path)))
    with pytest.raises(
        ValueError, match="the log has no answer for 45 of 60 samples that the harness"
    ):
        read_log(tmp_path)
    (answers,) = read_log(tmp_path, extract="(?i)yes|no", ignore_case=True)
    assert score_of(answers.table, "accuracy") == found["accuracy"]
    assert "finds in what scorer 'own' logged as the answer, or the completion" in how_found(
        answers
    )
    assert "the harness" not in how_found(answers)


def test_samples_with_several_targets_are_left_out(tmp_path):
    task = words(scorer.match())
    for sample in task.dataset[:12]:
        sample.target = ["Yes", "Certainly"]
    run(task, answering("{}"), str(tmp_path / "few"))
    with pytest.warns(InformednessWarning, match="12 of 60 samples of .* several right answers"):
        (answers,) = read_log(tmp_path / "few")
    assert (len(answers.ids), answers.left_out.total()) == (48, 12)
    assert score_of(answers.table, "accuracy") == 0.75
    task.dataset[12].target = ["Yes", "Certainly"]
    run(task, answering("{}"), str(tmp_path / "many"))
    with pytest.raises(
        ValueError, match=r"'q00': .* exactly one .*; 13 of 60 samples have several"
    ):
        read_log(tmp_path / "many")


WRONG = ["What is 3 + 4?"]


@modelapi("fails")
class Fails(ModelAPI):
    """Always says B, and fails at one question; a retry would make mockllm without its answers."""

    async def generate(self, input, **_):
        if any(text in input[-1].text for text in WRONG):
            raise RuntimeError("no connection")
        return output("fails", "ANSWER: B")


@scorer.scorer(metrics=[])
def sometimes():
    """A scorer of models that say B, which leaves out targets D."""

    async def score(state, target):
        right = "C" if target.text == "B" else "I"
        return Score.unscored() if target.text == "D" else Score(value=right, answer="B")

    return score


def test_samples_without_a_score_are_left_out_as_inspect_does(tmp_path):
    task = by_letter(with_target(sometimes()), n=10, fail_on_error=False)
    found = metrics_of(run(task, get_model("fails/b"), str(tmp_path)))
    message = "3 of 10 samples of .* have no score, and do not"
    with pytest.warns(InformednessWarning, match=message):
        (answers,) = read_log(tmp_path)
    assert "; accuracy matches the harness for the samples that count" in how_found(answers)
    assert (answers.left_out.total(), score_of(answers.table, "accuracy")) == (3, found["accuracy"])
    assert answers.table.informedness() == pytest.approx(found["informedness"])


def test_an_interrupted_run_is_refused_and_its_retry_is_read(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)  # where Inspect finds the file of the task
    imports = "from inspect_ai import task\nfrom inspect_logs import by_letter\n"
    Path("sums.py").write_text(f"{imports}@task\ndef sums():\n    return by_letter(n=5)\n")
    options = {"display": "none", "log_dir": str(tmp_path)}
    (log,) = eval("sums.py", model="fails/b", **options)
    refusal = r"`status` must be 'success', got 'error': RuntimeError\('no connection'\)"
    with pytest.raises(ValueError, match=refusal):
        read_log(tmp_path)
    monkeypatch.setattr(sys.modules[__name__], "WRONG", [])
    (retried,) = eval_retry(log, **options)
    with pytest.warns(InformednessWarning, match=f"left out: .*{refusal}"):
        (of_retry,) = read_log(tmp_path)
    assert metrics_of(retried)["accuracy"] == score_of(of_retry.table, "accuracy") == 0.4


def test_what_cannot_be_scored_ends_the_run_with_what_to_do(tmp_path):
    of_several = by_letter(with_target(choice()), n=3)
    of_several.dataset[0].target = ["A", "B"]
    bare = by_letter(n=3, metrics=[informedness.inspect_ai.informedness()])
    for task, message in (
        (of_several, "must have exactly one right answer"),
        (bare, "Use informedness.inspect_ai.with_target"),
    ):
        log = run(task, model("always-b"), str(tmp_path))
        assert (log.status, message in log.error.message) == ("error", True)
    assert len(log.samples) == 3  # which are not lost


def scores_of(folder, *names, n=20, epochs=2):
    """Run the first questions with our metrics; return these."""
    task = by_letter(with_target(choice()), n=n, epochs=epochs)
    return metrics_of(run(task, model(*names), str(folder)))


def test_every_epoch_counts_and_the_error_is_by_sample(tmp_path):
    """Two epochs with the same answers are the same scores.

    All mistakes are in three classes of four questions each: m / (m - 1) with m = 4.
    """
    once = scores_of(tmp_path / "once", "knows-half", epochs=1)
    twice = scores_of(tmp_path / "twice", "knows-half")
    mixed = scores_of(tmp_path / "mixed", "knows-half", "always-b")
    assert mixed["informedness"] == pytest.approx(1 / 4)  # half of a half, and B's FPR 3/4
    assert twice["informedness_stderr"] == pytest.approx(
        once["informedness_stderr"] * math.sqrt(4 / 3)
    )
    for folder, found in (("twice", twice), ("mixed", mixed)):
        (pooled,) = read_log(tmp_path / folder, epochs="pooled")
        made = pooled.report(0.95).estimates
        for metric in ("informedness", "nit"):
            assert folder == "mixed" or found[metric] == pytest.approx(once[metric])
            assert made[metric].value == pytest.approx(found[metric])
            assert made[metric].standard_error == pytest.approx(found[f"{metric}_stderr"])


@pytest.mark.parametrize("reducer", ["mean", "mode"])
def test_of_epochs_each_verdict_is_claimed_if_a_mean_is_taken(tmp_path, reducer):
    """By another reducer the accuracy is another one, and so nothing is claimed."""
    task = by_letter(n=20, epochs=Epochs(3, reducer))
    log = run(task, model("knows-half", "always-b"), str(tmp_path))
    assert metrics_of(log)["accuracy"] == pytest.approx(0.5 if reducer == "mean" else 0.4)
    (pooled,) = read_log(tmp_path, epochs="pooled")
    assert score_of(pooled.table, "accuracy") == 0.5
    for answers in (pooled, *read_log(tmp_path)):
        said = "; per-epoch verdicts match the harness." in how_found(answers)
        assert said == (reducer == "mean")


def test_an_unscored_value_of_several_is_not_wrong(tmp_path):
    """Neither in an epoch that has none nor in samples that have it in another epoch."""

    def value(is_right):
        asked.append(is_right)
        return {"right": math.nan if len(asked) % 7 == 0 else float(is_right), "none": None}

    asked = []
    metrics = {"right": [accuracy()], "none": [accuracy()]}
    task = words(valued(value, metrics=metrics))
    task.epochs = 2
    log = run(task, answering("{}"), str(tmp_path))
    (recorded,) = (x for x in log.results.scores if x.name == "right")
    with pytest.warns(InformednessWarning, match="right, epoch . have no score, and do not count"):
        read = read_log(tmp_path, variant="right")
    for answers in read:
        assert answers.metric.counted == (60, pytest.approx(recorded.metrics["accuracy"].value))
        assert "; per-epoch verdicts match the harness" in how_found(answers)


def quiz_runs(folder, *runs):
    """Write a task to a file, and run it with these arguments and options."""
    source = """
from inspect_ai import Task, task
from test_inspect import words
from inspect_ai.scorer import match

@task
def quiz(subject="maths", cot=False):
    return Task(dataset=words(None).dataset, scorer=match())
"""
    (folder / "quiz_task.py").write_text(source)
    for arguments, options in runs:
        of = options.pop("model", None) or answering("{}")
        eval("quiz_task.py", of, task_args=arguments, log_dir="runs", display="none", **options)


@pytest.mark.parametrize(
    ("runs", "names", "n_latest"),
    [
        (
            [({"subject": "law"}, {}), ({"subject": "art", "cot": True}, {}), ({}, {})],
            ["(subject=law, cot=False)", "(subject=art, cot=True)", "(subject=maths, cot=False)"],
            3,
        ),
        ([({}, {}), ({}, {"temperature": 0.5})], ["", ", temperature=0.5"], 2),
        ([({}, {"limit": 20}), ({}, {})], [", samples=20", ", samples=60"], 2),
        ([({}, {"seed": 1, "max_connections": 2}), ({}, {"seed": 2})], None, 1),
    ],
)
def test_runs_of_a_task_are_named_by_what_differs(tmp_path, monkeypatch, runs, names, n_latest):
    monkeypatch.chdir(tmp_path)
    quiz_runs(tmp_path, *((arguments, dict(options)) for arguments, options in runs))
    read = read_log("runs")
    read_names = [answers.name.removeprefix("mockllm/m, quiz") for answers in read]
    if names is None:
        assert all(
            re.fullmatch(r", \d{4}-\d\d-\d\dT\d\d:\d\d:\d\d|, .*eval", x) for x in read_names
        )
        assert len({*read_names}) == 2
    else:
        assert sorted(read_names) == sorted(names)  # runs of one second have no order
    assert len(read_log("runs", latest=True)) == n_latest


@pytest.mark.filterwarnings("error:informedness. ")
@pytest.mark.parametrize(("epochs", "nit"), [(1, math.nan), (2, 1 / 4)])
def test_targets_of_one_class_do_not_end_the_run(tmp_path, epochs, nit):
    """Nor does one answer alone give NIT, of which a right and a wrong one have the same."""
    found = scores_of(tmp_path, "knows-half", n=1, epochs=epochs)
    assert found.pop("accuracy") == 1
    assert found.pop("nit") == pytest.approx(nit, nan_ok=True)
    assert all(math.isnan(found[name]) for name in METRICS if name != "nit")


def test_inspect_finds_metrics_in_the_installed_package(tmp_path):
    log = run(by_letter(with_target(choice()), n=20), model("knows-half"), str(tmp_path))
    code = (
        "import sys; from inspect_ai.log import *; log = read_eval_log(sys.argv[1]); "
        "log.results.scores.clear(); recompute_metrics(log); "
        "print(sorted(name for each in log.results.scores for name in each.metrics))"
    )
    command = [sys.executable, "-c", code, log.location]
    done = subprocess.check_output(command, text=True, env={**os.environ, "PYTHONPATH": ""})
    assert done.strip() == str(sorted([*METRICS, "accuracy", "stderr"]))


def test_scorers_keep_their_names_with_target(tmp_path):
    scorers = [match(), with_target(match(location="any")), with_target(includes())]
    log = run(words(scorers), answering("{}"), str(tmp_path))
    names = ["match", "match1", "includes"]
    assert [*dict.fromkeys(score.name for score in log.results.scores)] == names
    assert [answers.origin.variant for answers in read_log(tmp_path)] == names
