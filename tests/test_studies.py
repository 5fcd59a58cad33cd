"""The studies of coverage run, and some of their cells find what all of them found at length."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from informedness.statistics.registry import SCORES

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parent / "studies"


@pytest.fixture
def study(monkeypatch):
    """Return what imports a study by its name; pytest-cov has a module "coverage" too."""
    monkeypatch.syspath_prepend(str(STUDIES))
    monkeypatch.delitem(sys.modules, "coverage", raising=False)
    return importlib.import_module


def test_a_study_writes_a_row_for_each_cell_and_a_table_for_each_way(tmp_path):
    few, text = ["--runs", "2"], {}
    for study, options in {
        "comparison": [*few, "--corner", "--forty", "8"],
        "groups": [*few, "--groups", "10"],
        "coverage": ["--tables", "10", "--cells", "2", "2"],
    }.items():
        page = tmp_path / "page.md"
        command = [sys.executable, STUDIES / f"{study}.py", *options, "--output", page]
        subprocess.run(command, check=True, capture_output=True)
        text[study] = page.read_text(encoding="utf-8")
    parts = re.split("^## ", text["comparison"], flags=re.M)[1:]
    rows = {part.split("\n")[0]: len(re.findall(r"^\| [a-z]", part, re.M)) - 1 for part in parts}
    titles = ["Neither is better", "Forty equal models", "B is better", "A slice against the rest"]
    assert [rows[title] for title in titles[1:]] == [18, 4, 4]
    assert all(6 <= rows.get(f"Cells of {metric}", 0) <= 12 for metric in SCORES)
    assert rows[titles[0]] >= len(SCORES)
    assert len(re.findall(r"^\| 10 \| ", text["groups"], re.M)) == 6
    parts = re.split("^## ", text["coverage"], flags=re.M)[1:]
    ways = {"Declared", "Observed", "Random weights", "Stratified", "Even prior", "By class"}
    ways |= {"Many classes", "Few samples"}
    rows = r"(?m)^\| [a-z_ ,]+ \| (no|yes) \| \d+ \| \d+ \| [01]\.\d{3} \|"
    assert {part.split("\n")[0] for part in parts if re.search(rows, part)} >= ways
    assert "| nit | slope |" in text["coverage"]


def test_intervals_at_95_percent_cover_the_truth_in_about_as_many_tables(study):
    """Of populations where they covered 0.02 to 0.9 without a word."""
    for cell in (
        ("declared", 2, 500, "98%", "seldom predicts"),
        ("declared", 7, 100, "98%", "falls to the largest"),
        ("random weights", 7, 500, "zipf", "uneven"),
    ):
        _, found = study("coverage").run((cell, None, 200))
        assert found
        for (name, warned), (coverage, printed, *_) in found.items():
            if printed >= 60:
                assert coverage >= (0.83 if warned else 0.87), (cell, name)  # 3 errors below


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_models_are_told_apart_at_5_percent_if_alike_and_as_often_as_can_be_if_not(study):
    comparison = study("comparison")
    for place in (
        ("alike", 4, 200, "even", 0.4, "informedness", "plain"),
        # 33% and more if the gradient is that of both tables together
        ("renamed", 10, 1000, "even", 0.4, "nit", "plain"),
        ("alike", 4, 200, "even", 0.4, "informedness", "groups"),
    ):
        _, found = comparison.cell((place, 400))
        seen = found["without"]
        assert seen["done"] == 400, place
        assert seen["covered"] >= 0.91 * 400, place
        assert seen["rejected"] <= 0.09 * 400, place
    # 0.8, as often as by McNemar's test, less 3 standard errors
    _, found = comparison.better_cell(((3, 1000, "even"), "informedness", 200))
    assert found["power"] > 0.71
    assert found["covered"] > 0.9
