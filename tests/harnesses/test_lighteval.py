"""The scores of informedness.lighteval in a run of lighteval, which wants no network.

Covers src: lighteval.py.
"""

import json
import math
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from lighteval.metrics.metrics import Metrics
from lighteval_logs import config_of, run

from informedness import read_log
from informedness.lighteval import scores_of, with_scores
from informedness.warnings import InformednessWarning
from inputs.tables import score_of

SENTENCE = "I think the answer is ({})."
HERE = Path(__file__).resolve().parent
LOCAL_TASK = """
from pathlib import Path

from lighteval.metrics.metrics import Metrics
from lighteval_logs import config_of

arc_challenge = config_of("arithmetic", Path("."), metrics=[Metrics.loglikelihood_acc])
"""
COMMAND = "import lighteval_logs; from lighteval.__main__ import app; app()"  # without its tasks
PAGE = (HERE.parents[1] / "docs" / "language-models.md").read_text("utf-8")


def in_run_and_log(folder, model, metric, form="{}", **more):
    """Return the results of a run with our scores, and the answers in its log."""
    results = run("sums", model, folder, [metric.value, scores_of(metric, **more)], form)
    (answers,) = read_log(folder)
    return results["sums:0"], answers


@pytest.mark.parametrize(
    ("model", "metric", "form"),
    [
        ("always-b", Metrics.loglikelihood_acc, "{}"),
        ("knows-half", Metrics.loglikelihood_acc, "{}"),
        ("knows-half", Metrics.exact_match, "{}"),
        ("refuses", Metrics.exact_match, "{}"),
        ("knows-half", Metrics.gpqa_instruct_metric, SENTENCE),
    ],
)
def test_scores_in_a_run_are_those_of_its_log(tmp_path, model, metric, form):
    found, answers = in_run_and_log(tmp_path, model, metric, form)
    for name in ("informedness", "nit"):
        assert found[name] == pytest.approx(score_of(answers.table, name), abs=1e-12)
        error = answers.standard_error(name)
        assert found[f"{name}_stderr"] == pytest.approx(error, abs=1e-12, nan_ok=True)
    known = {"always-b": 0, "knows-half": 0.5, "refuses": -17 / 48}  # spread over other classes
    assert found["informedness"] == pytest.approx(known[model], abs=1e-12)
    assert "informedness" not in answers.metric.shares


def test_a_metric_that_judges_no_single_sample_is_refused():
    for metric in (Metrics.loglikelihood_f1, Metrics.rouge_t5, Metrics.word_perplexity, "acc"):
        with pytest.raises(ValueError, match="`metric` must score"):
            scores_of(metric)


def test_answers_that_disagree_with_the_metric_give_nan(tmp_path):
    """The run goes on, and has the harness's own score."""
    with pytest.warns(InformednessWarning, match="no score: "):
        results = run(
            "sums",
            "knows-half",
            tmp_path,
            [Metrics.rougeL.value, scores_of(Metrics.rougeL)],
            SENTENCE,
        )
    assert math.isnan(results["sums:0"]["informedness"])
    assert results["sums:0"]["rougeL"] > 0


def test_a_task_can_have_scores_of_choices_and_of_text(tmp_path):
    metrics = [Metrics.loglikelihood_acc, Metrics.exact_match]
    config = with_scores(config_of("sums", tmp_path, metrics=metrics), name="scored")
    assert "_Sample(acc)" in str(config)
    assert (config.name, len(config.metrics)) == ("scored", 4)
    results = run("sums", "knows-half", tmp_path, [*config.metrics], "{}")["sums:0"]
    for name in ("informedness", "text_informedness"):
        assert results[name] == pytest.approx(0.5, abs=1e-12)
        assert 0 < results[f"{name}_stderr"] < 1
    config = config_of("sums", tmp_path, metrics=[Metrics.loglikelihood_f1])
    with pytest.raises(ValueError, match="task sums must have an accuracy or exact match, got "):
        with_scores(config, name="scored")


def test_the_documented_file_of_tasks_scores_a_run(tmp_path, tiny):
    (file,) = re.findall(r"```py\n(from lighteval\..*?)```", PAGE, re.S)
    (command,) = re.findall(r"\nlighteval (.* --custom-tasks .*)\n", PAGE)
    assert len(file.split("\n\n")) == 3
    names: dict[str, Any] = {}
    exec(file, names)  # lighteval's own task, whose data would be fetched
    (config,) = names["TASKS_TABLE"]
    assert [metric.metric_name for metric in config.metrics] == ["acc", "informedness"]

    module = file.replace("lighteval.tasks.tasks.arc", "local_task")
    (tmp_path / "tasks.py").write_text(module)
    (tmp_path / "local_task.py").write_text(LOCAL_TASK)
    words = shlex.split(command.replace("MODEL", str(tiny)))
    path = os.pathsep.join([str(HERE), str(tmp_path)])
    ran = subprocess.run(
        [sys.executable, "-c", COMMAND, *words],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    (answers,) = read_log(tmp_path / "runs")
    (file,) = (tmp_path / "runs").rglob("results_*.json")
    (found,) = (x for name, x in json.loads(file.read_text())["results"].items() if "arc" in name)
    assert found["informedness"] == pytest.approx(score_of(answers.table, "informedness"))
    assert "nit_stderr" in found
