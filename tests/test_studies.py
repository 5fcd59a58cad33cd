"""The studies of coverage run, and some of their cells find what all of them found at length."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

from informedness.core import information

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parent / "studies"


@pytest.mark.parametrize(
    ("name", "options", "rows"),
    [("comparison", ["--runs", "4", "--n-resamples", "100", "--corner"], 90)],
)
def test_a_study_runs_and_writes_a_row_for_each_cell(name, options, rows, tmp_path):
    page = tmp_path / "page.md"
    command = [sys.executable, STUDIES / f"{name}.py", *options, "--output", page]
    subprocess.run(command, check=True, capture_output=True)
    assert (
        len(re.findall(r"^\|( [a-z ]+ \|)? \d+ \| \d+ \|", page.read_text(encoding="utf-8"), re.M))
        == rows
    )


@pytest.fixture
def cell_of(monkeypatch):
    """Return what runs one cell of a study, by its name."""
    monkeypatch.syspath_prepend(str(STUDIES))
    return lambda name: importlib.import_module(name).cell


def test_the_study_of_coverage_writes_a_table_for_each_way(tmp_path):
    page = tmp_path / "page.md"
    options = ["--tables", "10", "20", "--k", "2", "--n", "100", "--output", page]
    subprocess.run([sys.executable, STUDIES / "coverage.py", *options], check=True)
    text = page.read_text(encoding="utf-8")
    parts = re.split("^## ", text, flags=re.M)[1:]
    ways = ["Declared", "Observed", "Random weights", "Stratified", "Even prior", "By class"]
    names = [part.partition("\n")[0] for part in parts]
    assert names == [*ways, "By kind of classifier", "The test of chance"]
    for part in parts[:6]:
        assert re.search(r"^\| [a-z_ ,]+ \| no \| \d+ \| \d+ \| [01]\.\d{3} \|", part, re.M)


# Where intervals covered 0.02 to 0.9 without a word, and a few that are easy.
CORNER = [
    ("declared", 50, 2000, "98%", "neighbours"),
    ("declared", 20, 500, "98%", "falls to the largest"),
    ("declared", 7, 100, "90%", "digits"),
    ("declared", 4, 500, "even", "knows 0.995"),
    ("declared", 7, 500, "zipf", "one missed"),
    ("observed", 20, 100, "geometric", "falls to the largest"),
    ("random weights", 7, 500, "zipf", "uneven"),
    ("stratified", 7, 500, "even", "seldom predicts"),
    ("even prior", 7, 500, "geometric", "knows 0.6"),
    ("by class", 7, 500, "98%", "never predicts"),
]


@pytest.mark.parametrize("cell", CORNER, ids=str)
def test_intervals_at_95_percent_cover_the_truth_in_about_as_many_tables(cell, monkeypatch):
    monkeypatch.syspath_prepend(str(STUDIES))
    monkeypatch.setattr(information, "_MOST_PERMUTED", 0)  # as the study does, and sets itself
    _, _, found, _ = importlib.import_module("coverage").run((cell, None, 200, 1))
    assert found
    for (name, warned), (_, _, printed, covered, _) in found.items():
        if printed >= 60:
            assert covered / printed >= (0.83 if warned else 0.87), name  # 3 errors below


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(
    "place",
    [
        ("alike", 4, 200, "even", 0.4, "informedness"),
        ("alike", 10, 1000, "even", 0.2, "nit"),
        ("renamed", 10, 1000, "even", 0.4, "nit"),  # 33% and more where swaps are not studentised
        ("constant", 4, 1000, "90%", 0.05, "informedness"),
        ("one class", 4, 1000, "even", 0.2, "matthews_corrcoef"),
    ],
    ids=str,
)
def test_models_of_one_score_differ_at_5_percent_in_about_as_many_comparisons(place, cell_of):
    row = cell_of("comparison")((place, 400, 199, 0))
    assert row["rejected"] <= 0.09
    assert row["covered"] >= 0.91
    assert row["warned"] < 0.5


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(("metric", "power"), [("informedness", 0.8), ("nit", 0.79)])
def test_a_better_model_is_found_as_often_as_by_swaps_that_are_not_studentised(
    metric, power, cell_of
):
    row = cell_of("comparison")((("better", 3, 1000, "even", 0.0, metric), 1600, 199, 0))
    assert row["rejected"] >= power - 0.06  # 400 pairs: a standard error of 0.02
    assert row["covered"] >= 0.91
