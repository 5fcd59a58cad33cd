"""The scores of informedness.helm in a run of HELM, which wants no network.

Covers src: helm.py.
"""

import doctest
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
import sums

import informedness.helm
from informedness import nit_score

DEPLOYED = """
model_deployments:
  - name: sums/said
    model_name: simple/model1
    tokenizer_name: simple/tokenizer1
    max_sequence_length: 2048
    client_spec:
      class_name: sums.Says
"""
HERE = Path(__file__).resolve().parent


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    """Return the folder of two runs of `helm-run`: words, and choices."""
    folder = tmp_path_factory.mktemp("helm")
    (folder / "local").mkdir()
    (folder / "local" / "model_deployments.yaml").write_text(DEPLOYED)
    command = [str(Path(sys.executable).with_name("helm-run")), "--suite", "s", "--plugins", "sums"]
    said = "model=simple/model1,model_deployment=sums/said"
    command += ["--run-entries", f"sums:{said}", f"sums:choices=yes,{said}"]
    command += ["--max-eval-instances", "100", "--local-path", "local", "--disable-cache"]
    path = {**os.environ, "PYTHONPATH": str(HERE)}
    ran = subprocess.run(command, cwd=folder, env=path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    return folder / "benchmark_output" / "runs" / "s"


def scores_in(run):
    stats = json.loads((run / "stats.json").read_text())
    return {x["name"]["name"]: x["mean"] for x in stats if x["name"]["split"] == "test"}


@pytest.mark.parametrize("kind", ["words", "choices"])
def test_scores_in_a_run_are_those_of_its_answers(runs, kind):
    """Of 20 yes 13 are right, of 40 no 26; two and four of the others say perhaps."""
    (run,) = runs.glob(f"{kind}*")
    found = scores_in(run)
    options = {"labels": ["Yes", "No"], "unknown": "wrong"}
    assert found["informedness"] == pytest.approx(13 / 20 + 26 / 40 - 1, abs=1e-12)
    assert found["nit"] == pytest.approx(nit_score(sums.GOLD, sums.SAID, **options), abs=1e-12)


def test_a_report_on_the_answers_of_a_run_has_its_score(runs):
    (run,) = runs.glob("words*")
    columns = ["-r", "instance.references.0.output.text", "-p", "result.completions.0.text"]
    labels = ["--labels", "Yes", "No", "--unknown", "wrong", "--ignore-case", "--strip"]
    command = [sys.executable, "-m", "informedness", "report", str(run / "scenario_state.json")]
    command += ["--rows", "request_states", *columns, *labels, "--metric", "informedness"]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    assert float(ran.stdout) == pytest.approx(scores_in(run)["informedness"]), ran.stderr


def test_the_examples_in_docstrings_are_true():
    result = doctest.testmod(informedness.helm)
    assert (result.failed, result.attempted > 0) == (0, True)
