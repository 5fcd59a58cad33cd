"""The studies of coverage run, and a few cells find the same as all cells did."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from informedness.inference.registry import SCORES

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parents[1] / "studies"


@pytest.fixture
def study(monkeypatch):
    """Return a function that imports a study; pytest-cov has a module "coverage" too."""
    monkeypatch.syspath_prepend(str(STUDIES))
    monkeypatch.delitem(sys.modules, "coverage", raising=False)
    return importlib.import_module


WAYS = ["Declared", "Observed", "Random weights", "Stratified", "Even prior", "By class"]
TESTED = ["Neither is better", "Forty equal models", "B is better", "A slice against the rest"]
TESTED += ["Answers that are no class", *(f"Cells of {x}" for x in SCORES)]
PAGES = {
    "comparison": ("--runs 2 --corner --forty 8 --no-class 2", TESTED),
    "groups": (
        "--runs 2 --groups 10 --classes 2",
        ["One class in each group", "Gate", "Suites", "Informedness", "NIT"],
    ),
    "suites": ("--runs 2", ["Neither is better", "Tasks drawn anew"]),
    "decisions": ("--runs 2 --cells 8", ["B is worse by the margin", "B is as good"]),
    "rate_behind_a_judge": ("--runs 9 --every 45", ["Coverage", "The cells that cover it least"]),
    "coverage": ("--tables 10 --cells 2 2", [*WAYS, "Many classes", "Few samples", "No class"]),
}


@pytest.mark.parametrize("name", PAGES)
def test_a_study_writes_a_table_for_each_way_and_score(name, tmp_path):
    (options, sections), page = PAGES[name], tmp_path / "page.md"
    command = [sys.executable, STUDIES / f"{name}.py", *options.split(), "--output", page]
    subprocess.run(command, check=True, capture_output=True)
    parts = re.split("^## ", page.read_text(encoding="utf-8"), flags=re.M)[1:]
    rows = {part.split("\n")[0]: len(re.findall(r"^\|.*\d", part, re.M)) for part in parts}
    assert [x for x in sections if not rows.get(x)] == []


def test_new_cells_keep_the_other_sections_of_a_page(tmp_path):
    """The line on how they were made counts, too."""
    for name, options, heading in (
        ("coverage", ["--tables", "10", "--cells", "2", "2", "--ways", "no class"], "No class"),
        ("comparison", ["--runs", "2", "--no-class", "2"], "Answers that are no class"),
    ):
        page = tmp_path / "page.md"
        before = (STUDIES / f"{name.upper()}.md").read_text(encoding="utf-8")
        page.write_text(before, encoding="utf-8")
        command = [sys.executable, STUDIES / f"{name}.py", *options, "--add", "--output", page]
        subprocess.run(command, check=True, capture_output=True)
        (old_head, *old), (head, *new) = (
            text.split("\n\n## ") for text in (before, page.read_text(encoding="utf-8"))
        )
        assert head.split("\n\n")[:2] == old_head.split("\n\n")[:2]
        assert "minutes on" in head.split("\n\n")[-1].replace("\n", " ")
        same = [[x.rstrip("\n") for x in y if not x.startswith(heading)] for y in (old, new)]
        assert same[0] == same[1]
        (added,) = [x for x in new if x.startswith(heading)]
        assert " ".join(map(str, options[:2])) in added


def test_intervals_at_95_percent_cover_in_about_95_percent(study):
    """In these populations they covered 0.02 to 0.9 without a warning."""
    for cell in (
        ("declared", 2, 500, "98%", "seldom predicts"),
        ("declared", 7, 100, "98%", "falls to the largest"),
        ("random weights", 7, 500, "zipf", "uneven"),
        ("no class", 3, 150, "95%", "knows 0.6", (0.2, "of the rarest class")),
    ):
        _, found = study("coverage").run((cell, None, 200))
        assert found
        for (name, warned), (coverage, printed, *_) in found.items():
            if printed >= 60:
                assert coverage >= (0.83 if warned else 0.87), (cell, name)  # 3 errors below


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_comparisons_have_their_level_and_good_power(study):
    comparison = study("comparison")
    for place in (
        ("alike", 4, 200, "even", 0.4, "informedness", "plain"),
        # 33% and more if the gradient is that of both tables together
        ("renamed", 10, 1000, "even", 0.4, "nit", "plain"),
        ("alike", 4, 200, "even", 0.4, "informedness", "groups"),
        ("alike", 3, 150, "even", 0.4, "informedness", "both, 20% of all"),
    ):
        _, found = comparison.cell((place, 400))
        seen = found["without"]
        assert seen["done"] >= 0.99 * 400, place  # not warned of
        assert seen["covered"] >= 0.91 * 400, place
        assert seen["rejected"] <= 0.09 * 400, place
    # 0.8, as often as by McNemar's test, less 3 standard errors
    _, found = comparison.better_cell(((3, 1000, "even"), "informedness", 200))
    assert found["power"] > 0.71
    assert found["covered"] > 0.9
