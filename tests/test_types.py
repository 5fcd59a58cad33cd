"""What a type checker says of a user's file beside the installed package."""

import os
import subprocess
import sys

import pytest

from test_documents import ROOT, snippets

pytestmark = pytest.mark.slow

EXACT = """
from typing import assert_type

from informedness import Comparison, ContingencyTable, Estimate, NoSamplesError, Report, compare
from informedness import ema_score, estimate, estimate_from_labels, informedness_score, score
from informedness import markedness_score, nit_score, report, table_from_file, table_from_frame

table = ContingencyTable.from_matrix([[84, 6], [2, 8]])
assert_type(table.informedness(), float)
assert_type(table.informedness(average="macro", prior={0: 0.5, 1: 0.5}), float)
assert_type(table.informedness(average=None), list[float])
assert_type(score(table, "markedness"), float)
assert_type(score(table, "markedness", average=None), list[float])
assert_type(table.nit(zero_division=float("nan")), float)
assert_type(ema_score([0, 1], [0, 1]), float)
assert_type(compare([0, 1], [0, 1], [0, 1], metric="ema"), Comparison)
assert_type(report([0, 1], [0, 1], confidence_level=0.9), Report)
assert_type(table_from_file("p.csv", references="r", predictions="p"), ContingencyTable)
assert_type(table_from_frame(None, references="r", predictions="p"), ContingencyTable)
assert_type(table + table, ContingencyTable)
assert_type(informedness_score([0, 1], [0, 1]), float)
assert_type(informedness_score([0, 1], [0, 1], average=None), list[float])
assert_type(markedness_score([0, 1], [0, 1], average="bias"), float)
assert_type(markedness_score([0, 1], [0, 1], average=None), list[float])
assert_type(nit_score([0, 1], [0, 1], zero_division=1.0), float)
assert_type(estimate(table), Estimate)
assert_type(estimate(table, "nit", confidence_level=0.9), Estimate)
assert_type(estimate(table, average=None), list[Estimate])
assert_type(estimate_from_labels([0, 1], [0, 1], "markedness", average="bias"), Estimate)
assert_type(estimate_from_labels([0, 1], [0, 1], average=None), list[Estimate])
assert_type(sum([table, table], start=table), ContingencyTable)
low, high = estimate(table).confidence_interval
assert_type(low, float)
try:
    pass
except NoSamplesError as error:
    assert_type(error, NoSamplesError)
"""


# an installed package is not complained of; what is not ours has no types here, which is quicker
# and as a reader without stubs has it
CONFIGURATION = """[mypy]
ignore_missing_imports = True
[mypy-informedness.*]
ignore_errors = True
[mypy-evaluate.*,datasets.*,sklearn.*,duckdb.*]
follow_imports = skip
disallow_subclassing_any = False
"""


@pytest.fixture(scope="module")
def complaints(tmp_path_factory):
    """Return a function that gives what mypy says of files, each one piece of code."""
    folder = tmp_path_factory.mktemp("user")
    (folder / "mypy.ini").write_text(CONFIGURATION, encoding="utf-8")
    environment = {**os.environ, "MYPYPATH": str(ROOT / "src")}

    def complaints(*pieces, ignore=()):
        names = [f"user_{number}.py" for number in range(len(pieces))]
        for name, code in zip(names, pieces, strict=True):
            (folder / name).write_text(code, encoding="utf-8")
        options = ["--strict", *(f"--disable-error-code={code}" for code in ignore)]
        result = subprocess.run(
            [sys.executable, "-m", "mypy", *options, *names],
            cwd=folder,
            capture_output=True,
            text=True,
            env=environment,
        )
        assert result.returncode in (0, 1), result.stdout + result.stderr
        lines = [line for line in result.stdout.splitlines() if ": error: " in line]
        assert all(line.startswith("user_") for line in lines)
        return lines

    return complaints


def test_the_snippets_of_the_readme_are_typed(complaints):
    pieces = [code for _, code, expected in snippets(ROOT / "README.md") if expected is not None]
    assert sum("informedness" in code for code in pieces) > 8
    # what a snippet takes from the one before it, and functions that a reader writes without types
    ignore = ["name-defined", "no-untyped-def", "no-untyped-call"]
    assert complaints(*pieces, ignore=ignore) == []


def test_types_are_exact_by_average(complaints):
    assert complaints(EXACT) == []


def test_mistakes_are_seen(complaints):
    mistakes = [
        "a: float = informedness_score([0], [0], average=None)",
        "b = estimate([0, 1], [0, 1])",
        "c = table.nit(average=None)",
        "d = table.informedness(average='weighted')",
    ]
    assert len(complaints(*(EXACT + line + "\n" for line in mistakes))) == len(mistakes)
