"""What type checkers say of a user's file beside the installed package."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import informedness

pytestmark = [pytest.mark.full, pytest.mark.slow]
SRC = Path(__file__).resolve().parent.parent / "src"

# A name that type checkers do not find has the type Any, which is none of these.
EXACT = """# pyright: strict
from typing import assert_type

from informedness import ContingencyTable, NoSamplesError, Tally, compare, corrected_rate
from informedness import compare_tasks
from informedness import ema_score, entropy_triangle, estimate, informed_decisions
from informedness import informedness_score, leaderboard, markedness_score, nit_score
from informedness import per_label, read_log, register, report, slices, table_from_file
from informedness import table_from_frame, unregister
from informedness.core.labels import Codes
from informedness.logs.answers import Answers
from informedness.multilabel import LabelScores
from informedness.results.comparison import Comparison
from informedness.results.estimate import Estimate
from informedness.results.leaderboard import Leaderboard
from informedness.results.report import Report
from informedness.results.slices import Slices
from informedness.results.suite import SuiteComparison
from informedness.inference.entropy import EntropyTriangle

a, b = [0, 1], [0, 1]
table = ContingencyTable.from_matrix([[84, 6], [2, 8]])
value: float = table.informedness(average="macro", prior={0: 0.5, 1: 0.5})
values: list[float] = [value, informedness_score(a, b), *markedness_score(a, b, average=None)]
assert_type((informedness_score.__name__, markedness_score.__name__), tuple[str, str])
assert_type((table_from_file.__name__, table_from_frame.__name__), tuple[str, str])
assert_type(table.nit(zero_division=float("nan")), float)
assert_type((nit_score(a, b, zero_division=1.0), ema_score(a, b)), tuple[float, float])
assert_type(entropy_triangle(a, b), EntropyTriangle)
assert_type((estimate(table), estimate(a, b)), tuple[Estimate, Estimate])
assert_type(estimate(table, average=None), list[Estimate])
assert_type(estimate(table).confidence_interval, tuple[float, float])
assert_type(corrected_rate(a, b, (1, 2), positive=1), Estimate)
assert_type((compare(a, b, b), report(a, b)), tuple[Comparison, Report])
assert_type(compare_tasks({"one": (a, b, b), "two": (a, b, b)}), SuiteComparison)
assert_type((leaderboard(a, {"a": b}), slices(a, b, by=a)), tuple[Leaderboard, Slices])
assert_type((Tally() + Tally()).table, ContingencyTable)
tables = table_from_frame(None, references="r", predictions="p", by="type")
whole: ContingencyTable = table_from_file("p.csv", references="r", predictions="p")
assert_type((Slices.from_tables(tables), Slices.from_tables({0: whole})), tuple[Slices, Slices])
assert_type(read_log("LOGS", harness="inspect", choices=["A"]), list[Answers])
assert_type((per_label([a], [b]), informed_decisions([[1.0]])), tuple[LabelScores, Codes])
assert_type((register(), unregister()), tuple[dict[str, str], list[str]])
error: ValueError = NoSamplesError()
"""
MISTAKES = """
m1: float = estimate(table, average=None)
m2 = ContingencyTable.from_labels([0, 1], [0, 1])
m3 = table.nit(average=None)
m4 = table.informedness(average="weighted")
m5: int = informedness_score(a, a)
m6: list[float] = markedness_score(a, a, average="macro")
m7: float = table.informedness(average=None)
m8 = markedness_score(a, a, prior_mode="odds")
"""

# An installed package is not complained of; what it only mentions takes most of the time.
MYPY = """[mypy]
strict = True
[mypy-informedness.*]
ignore_errors = True
[mypy-torch.*,matplotlib.*,IPython.*,dask.*,polars.*,narwhals.*,hypothesis.*]
follow_imports = skip
"""


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_public_types_are_exact_and_mistakes_are_seen(checker, tmp_path):
    settings = {"mypy.ini": MYPY, "pyrightconfig.json": json.dumps({"extraPaths": [str(SRC)]})}
    for name, text in (settings | {"user.py": EXACT + MISTAKES}).items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    # of pyright that there is a newer one
    environment = {"MYPYPATH": str(SRC), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    options = ["--pythonpath", sys.executable] if checker == "pyright" else []
    command = [sys.executable, "-m", checker, *options, "user.py"]
    how = {"cwd": tmp_path, "env": os.environ | environment}
    result = subprocess.run(command, capture_output=True, text=True, **how)
    lines = [int(line) for line in re.findall(r"user\.py:(\d+).* error: ", result.stdout)]
    first, n = EXACT.count("\n") + 2, MISTAKES.count("\n") - 1
    assert sorted({*lines}) == [*range(first, first + n)], result.stdout
    assert {*informedness.__all__} <= {*re.findall(r"\w+", EXACT.partition("\n\n")[2])}
