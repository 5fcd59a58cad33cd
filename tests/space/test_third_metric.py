"""A third metric, made by the steps of CONTRIBUTING in a copy of the checkout."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from golden import VECTORS

ROOT = Path(__file__).resolve().parents[2]
NAME = "markedness"

LOAD = """
import evaluate, informedness
informedness.register()
inputs = {"references": ["a", "b", "a", "b"], "predictions": ["a", "b", "b", "b"]}
result = evaluate.load("markedness").compute(**inputs)["markedness"]
score = informedness.report(*inputs.values()).scores["markedness"]
print({"markedness": round(result, 3)}, round(score, 3))
"""


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the checkout as git has it, with what is not committed yet."""
    folder = tmp_path_factory.mktemp("copy")
    listed = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    files = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True)
    for name in files.stdout.splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    make_third_metric(folder)
    run(folder, sys.executable, "spaces/sync.py")
    return folder


def run(folder, *command):
    """Return what a command prints in the copy, whose package comes first."""
    environment = {
        **os.environ,
        "PYTHONPATH": str(folder / "src"),
        "HF_HOME": str(folder / ".home"),
        "HF_EVALUATE_OFFLINE": "1",
    }
    result = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make_third_metric(folder):
    """Carry out the steps of "Add a metric" in CONTRIBUTING."""
    own = folder / "metrics" / NAME
    own.mkdir()
    formula = (folder / "src/informedness/scores/markedness.py").read_text("utf-8")
    (own / "formula.py").write_text(formula.replace("from ..core.", "from ."), "utf-8")
    script = (folder / "metrics/nit/nit.py").read_text("utf-8")
    script = script.replace(
        "from .scores import NIT\n", "from .formula import MARKEDNESS\nfrom .scores import Score\n"
    )
    examples = 'Examples:\n\n    >>> 1 + 1\n    2\n"""'
    script = re.sub(r"Examples:\n.*?\"\"\"", examples, script, count=1, flags=re.S)
    script = script.replace("NIT,", "MARKEDNESS,").replace("class Nit(", "class Markedness(")
    (own / f"{NAME}.py").write_text(script.replace("nit", NAME), "utf-8")
    card = (folder / "metrics/nit/README.md").read_text("utf-8")
    (own / "README.md").write_text(card.replace("title: NIT", "title: Markedness"), "utf-8")
    (own / "requirements.txt").write_bytes((folder / "metrics/nit/requirements.txt").read_bytes())

    registry = folder / "src/informedness/scores/registry.py"
    text = registry.read_text("utf-8")
    entry = '    "markedness": Entry("formula.py:MARKEDNESS", is_module=True),\n'
    registry.write_text(re.sub(r'    "markedness": Entry\(.*\n', entry, text), "utf-8")

    cases = [
        {
            "references": vector.samples()[0],
            "predictions": vector.samples()[1],
            "options": {},
            "value": float(vector.exact["markedness"]),
            "source": f"vectors.json, {vector.id}: exact fractions",
        }
        for vector in VECTORS[:5]
        if vector.is_counts and vector.exact["markedness"] is not None
    ]
    (folder / "tests/golden_cases").mkdir()
    (folder / f"tests/golden_cases/{NAME}.json").write_text(json.dumps(cases), "utf-8")


def test_a_third_metric_loads_and_is_reported_with_the_same_value(copy):
    computed = run(copy, sys.executable, "-c", LOAD)
    assert computed == "{'markedness': 0.667} 0.667\n"


@pytest.mark.release
def test_a_third_metric_is_tested_like_the_others(copy):
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_every_module.py")
    run(copy, sys.executable, *tests)
