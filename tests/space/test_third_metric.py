"""A third metric, made by the steps of CONTRIBUTING in a copy of the checkout, and nothing else.

It is the geometric mean of the recalls: a plain function, which inherits nothing and has no
gradient.
"""

import json
import math
import os
import re
import shutil
import subprocess
import sys
from fractions import Fraction

import pytest
from checkout import ROOT, copied, edit

from golden import VECTORS

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
ASK = """
import sys
sys.path.insert(0, "spaces")
from gradio_client import Client
from screenshots import running

with running("geometric_mean") as (address, *_):
    client = Client(address, verbose=False)
    labels = ["a", "b", "a", "b"], ["a", "b", "b", "b"]
    print(round(client.predict(*labels, None, api_name="/score")["geometric_mean"], 3))
"""
# Without a gradient: shown everywhere, refused by name where an interval or a test is asked for.
USE = """
import evaluate, informedness
y, p = ["a", "b"] * 30, ["a", "b", "b", "b"] * 15
informedness.register()
metric = evaluate.load("geometric_mean")
report = informedness.report(y, p, confidence_level=0.95)
by_halves = informedness.slices(y, p, by=[0, 1] * 30, confidence_level=0.9)
scores = [metric.compute(references=y, predictions=p)["geometric_mean"]]
scores += [made.scores["geometric_mean"] for made in (report, by_halves.overall)]
print(*(round(score, 3) for score in scores), "geometric_mean" in report.estimates)
print([line for line in str(report).splitlines() if "G-mean" in line][0].split())
table = informedness.ContingencyTable.from_labels(references=y, predictions=p)
named = {"metric": "geometric_mean"}
for ask in (
    lambda: metric.compute(references=y, predictions=p, confidence_level=0.9),
    lambda: informedness.estimate(table, **named),
    lambda: informedness.compare(y, p, y, **named),
    lambda: informedness.leaderboard(y, {"a": y, "b": p}, **named),
    lambda: informedness.slices(y, p, by=[0, 1] * 30, vs_rest="geometric_mean"),
    lambda: informedness.estimate(y, p, groups=range(60), **named),
):
    try:
        ask()
    except ValueError as error:
        print(str(error).partition(",")[0])
"""
REFUSAL = "'geometric_mean' has no standard error"


@pytest.fixture(scope="module")
def copy(tmp_path_factory):
    """Return a copy of the checkout in which the third metric is made."""
    folder = copied(tmp_path_factory.mktemp("copy"))
    make_third_metric(folder)
    run(folder, sys.executable, "spaces/sync.py")
    run(folder, sys.executable, "-m", "ruff", "check", "--fix", "metrics")
    return folder


def run(folder, *command):
    """Return what a command prints in the copy, whose package comes first."""
    own = {"PYTHONPATH": str(folder / "src"), "HF_HOME": str(folder / ".home")}
    env = {**os.environ, **own, "PYTHONWARNINGS": "ignore", "HF_EVALUATE_OFFLINE": "1"}
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout + result.stderr
    return result.stdout


def make_third_metric(folder):
    """Carry out the steps of "Add a metric" in CONTRIBUTING."""
    own = shutil.copytree(folder / "metrics/nit", folder / "metrics" / NAME)
    (own / "formula.py").write_text(FORMULA, "utf-8")
    edit(own / "README.md", "title: NIT", f"title: {TITLE}")
    script = (own / "nit.py").rename(own / f"{NAME}.py")
    edit(
        script,
        "from .scores import nit\n",
        f"from .formula import {NAME}\nfrom .scores import nit\n",
    )
    edit(script, "nit(table, zero_division=zero_division)", f"{NAME}(table)")
    edit(script, '"nit"', f'"{NAME}"')
    edit(script, "class NIT(", "class GeometricMean(")
    examples = re.search(r"Examples:\n(.*?)\"\"\"", script.read_text("utf-8"), re.S)[1]
    edit(script, examples, "\n    >>> 1 + 1\n    2\n")
    entry = f'    "{NAME}": Entry("formula.py:{NAME}", is_module=True, title="{TITLE}"),\n'
    registry = folder / "src/informedness/statistics/registry.py"
    edit(registry, '    "ema": Entry(', f'{entry}    "ema": Entry(')
    cases = []
    for vector in [vector for vector in VECTORS if vector.is_counts][:5]:
        recalls = [Fraction(row[i], sum(row)) for i, row in enumerate(vector.table) if sum(row)]
        columns = dict(zip(("references", "predictions"), vector.samples(), strict=True))
        value = float(math.prod(recalls)) ** (1 / len(recalls))
        source = f"vectors.json, {vector.id}: exact fractions"
        cases.append({**columns, "options": {}, "value": value, "source": source})
    (folder / "tests/golden_cases").mkdir()
    (folder / f"tests/golden_cases/{NAME}.json").write_text(json.dumps(cases), "utf-8")


def test_the_steps_are_those_of_the_document():
    text = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
    steps = text.partition("## Add a metric\n")[2].partition("\n## ")[0]
    for name in ("metrics/NAME/formula.py", "registry.py", "golden_cases/NAME.json", "sync.py"):
        assert name in steps


def test_a_score_without_a_gradient_is_shown_and_has_no_interval(copy):
    said = run(copy, sys.executable, "-c", USE).splitlines()
    assert said[:2] == ["0.707 0.707 0.707 False", "['G-mean', '0.7071']"]
    assert said[2:] == [REFUSAL] * 6


@pytest.mark.release
def test_a_third_metric_is_tested_and_served_like_the_others(copy):
    tests = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "tests/test_every_module.py")
    run(copy, sys.executable, *tests)
    assert run(copy, sys.executable, "-c", ASK) == "0.707\n"
