"""A third metric, made by the steps of CONTRIBUTING in a copy of the checkout, and nothing else.

It is the geometric mean of the recalls: a plain function, which inherits nothing and has no
gradient.
"""

import json
import os
import re
import shutil
import subprocess
import sys

import pytest
from checkout import copied, edit

pytestmark = pytest.mark.full

NAME, TITLE = "geometric_mean", "G-mean"

FORMULA = '''"""The geometric mean of the recalls of the classes in the references."""

from .table import Table


def geometric_mean(table: Table) -> float:
    """Return it, from 0 to 1."""
    there = table.reference_totals > 0
    recalls = table.hits[there] / table.reference_totals[there]
    return float(recalls.prod() ** (1 / len(recalls)))
'''
COLUMNS = {"references": [*"aabbb"], "predictions": [*"abbba"]}  # recalls of 1/2 and 2/3
CASES = [{**COLUMNS, "options": {}, "value": 3**-0.5, "source": "by hand"}]
ASK = """
import sys
sys.path.insert(0, "spaces")
from gradio_client import Client
from screenshots import running

with running("geometric_mean") as (address, *_):
    answer = Client(address, verbose=False).predict([*"abab"], [*"abbb"], None, api_name="/score")
    print(round(answer["geometric_mean"], 3))
"""
# Without a gradient: shown everywhere, refused by name where an interval or a test is asked for.
USE = """
import informedness
y, p, by = ["a", "b"] * 30, ["a", "b", "b", "b"] * 15, [0, 1] * 30
report = informedness.report(y, p, confidence_level=0.95)
by_halves = informedness.slices(y, p, by=by, confidence_level=0.9)
scores = [made.scores["geometric_mean"] for made in (report, by_halves.overall)]
print(*(round(score, 3) for score in scores), "geometric_mean" in report.estimates)
print([line for line in str(report).splitlines() if "G-mean" in line][0].split())
for ask in (
    lambda: informedness.estimate(y, p, metric="geometric_mean"),
    lambda: informedness.compare(y, p, y, metric="geometric_mean"),
    lambda: informedness.leaderboard(y, {"a": y, "b": p}, metric="geometric_mean"),
    lambda: informedness.slices(y, p, by=by, vs_rest="geometric_mean"),
):
    try:
        ask()
    except ValueError as error:
        print(str(error).partition(",")[0])
"""


def run(folder, *arguments):
    """Return what Python prints in the copy, whose package comes first."""
    own = {"PYTHONPATH": str(folder / "src"), "HF_HOME": str(folder / ".home")}
    env = {**os.environ, **own, "PYTHONWARNINGS": "ignore", "HF_EVALUATE_OFFLINE": "1"}
    command = [sys.executable, *arguments]
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the checkout after the steps of "Add a metric" in CONTRIBUTING."""
    folder = copied(tmp_path_factory.mktemp("copy"))
    own = shutil.copytree(folder / "metrics/nit", folder / "metrics" / NAME)
    (own / "formula.py").write_text(FORMULA, "utf-8")
    edit(own / "README.md", "title: NIT", f"title: {TITLE}")
    script = (own / "nit.py").rename(own / f"{NAME}.py")
    examples = re.search(r"Examples:\n(.*?)\"\"\"", script.read_text("utf-8"), re.S)[1]
    helper = "from .scores import nit\n"
    for old, new in {
        examples: "\n    >>> 1 + 1\n    2\n",
        helper: f"from .formula import {NAME}\n{helper}",
        "nit(table, zero_division=zero_division)": f"{NAME}(table)",
        '"nit"': f'"{NAME}"',
        "class NIT(": "class GeometricMean(",
    }.items():
        edit(script, old, new)
    entry = f'    "{NAME}": Entry("formula.py:{NAME}", is_module=True, title="{TITLE}"),\n'
    registry = folder / "src/informedness/statistics/registry.py"
    edit(registry, '    "ema": Entry(', f'{entry}    "ema": Entry(')
    (folder / "tests/golden_cases").mkdir()
    (folder / f"tests/golden_cases/{NAME}.json").write_text(json.dumps(CASES), "utf-8")
    run(folder, "spaces/sync.py")
    run(folder, "-m", "ruff", "check", "--fix", "metrics")
    return folder


def test_a_score_without_a_gradient_is_shown_and_has_no_interval(copy):
    said = run(copy, "-c", USE).splitlines()
    assert said[:2] == ["0.707 0.707 False", "['G-mean', '0.7071']"]
    assert said[2:] == ["'geometric_mean' has no standard error"] * 4


@pytest.mark.release
def test_a_third_metric_is_tested_and_served_like_the_others(copy):
    run(copy, "-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_every_module.py")
    assert run(copy, "-c", ASK) == "0.707\n"
