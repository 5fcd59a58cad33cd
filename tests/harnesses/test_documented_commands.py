"""The commands that docs/language-models.md shows for each harness, and what they log.

MODEL and TASK are what is here: the model is a tiny one without training, or says B.
"""

import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from informedness import read_log
from informedness.logs.runs import how_found

HERE = Path(__file__).resolve().parent
PAGE = (HERE.parents[1] / "docs" / "language-models.md").read_text("utf-8")
(BLOCK,) = re.findall("```bash\n(lm_eval .*?)```", PAGE, re.S)
COMMANDS = {line.split(" --")[0]: line for line in BLOCK.replace("\\\n", "").splitlines()}
WITH_MODEL = "import inspect_logs; from inspect_ai._cli.main import main; main()"
TASK_FILE = """
from inspect_ai import task
from inspect_logs import by_letter

@task
def sums():
    return by_letter()
"""


def run_documented(name, folder, model, task, *more, beside=""):
    """Run a command with this model and task, and return its exit code and what it printed."""
    words = shlex.split(COMMANDS[name].replace("MODEL", str(model)).replace("TASK", task))
    program = {
        "lm_eval": [str(Path(sys.executable).with_name("lm_eval"))],
        "lighteval": [sys.executable, str(HERE / "lighteval_command.py")],  # with tasks from here
        "inspect": [sys.executable, "-c", WITH_MODEL],
    }[words[0]]
    path = os.pathsep.join(filter(None, (beside, str(HERE))))
    ran = subprocess.run(
        [*program, *words[1:], *more],
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    return ran.returncode, ran.stdout + ran.stderr


@pytest.mark.parametrize(
    ("name", "task", "more", "harness"),
    [
        (
            "lm_eval run",
            "arithmetic_plain",
            ["--include_path", str(HERE / "lm_eval_tasks")],
            "lm-eval",
        ),
        ('lighteval accelerate "model_name=MODEL" TASK', "arithmetic", [], "lighteval"),
        ("inspect eval TASK.py", "sums", ["--display", "none"], "inspect"),
        ("lighteval eval MODEL TASK", "arithmetic", [], "inspect"),
    ],
)
def test_what_a_documented_command_logs_is_read(tmp_path, tiny, name, task, more, harness):
    (tmp_path / "sums.py").write_text(TASK_FILE)
    model = "always/b" if harness == "inspect" else tiny
    beside = str(Path(sys.prefix, "inspect-0.3.220")) if name.startswith("lighteval eval") else ""
    code, printed = run_documented(name, tmp_path, model, task, *more, beside=beside)
    assert code == 0, printed
    (answers,) = read_log(tmp_path / "runs")
    assert answers.origin.harness == harness
    assert "accuracy matches the harness" in how_found(answers)


def test_lighteval_eval_cannot_start_with_the_newest_inspect(tmp_path):
    """If it can, the page need not say so."""
    name = "lighteval eval MODEL TASK"
    code, printed = run_documented(name, tmp_path, "always/b", "arithmetic")
    assert code != 0
    assert "Unknown GenerateConfig field" in printed
    assert 'pip install lighteval "inspect-ai<0.3.221" requests' in PAGE
