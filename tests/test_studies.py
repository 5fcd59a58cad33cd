"""The studies of coverage run, and some of their cells find what all of them found at length."""

import importlib
import re
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.slow

STUDIES = Path(__file__).parent / "studies"


@pytest.mark.parametrize(
    ("name", "options", "rows"),
    [
        ("coverage", ["--runs", "2", "--n-resamples", "100", "--only", "2,50", "--no-plot"], 24),
        ("comparison", ["--runs", "4", "--n-resamples", "100", "--only", "2"], 24),
    ],
)
def test_a_study_runs_and_writes_a_row_for_each_cell(name, options, rows, tmp_path):
    page = tmp_path / "page.md"
    command = [sys.executable, STUDIES / f"{name}.py", *options, "--output", page]
    subprocess.run(command, check=True, capture_output=True)
    assert len(re.findall(r"^\| 2 \| \d+ \|", page.read_text(encoding="utf-8"), re.M)) == rows


@pytest.fixture
def cell_of(monkeypatch):
    """Return what runs one cell of a study, by its name."""
    monkeypatch.syspath_prepend(str(STUDIES))
    return lambda name: importlib.import_module(name).cell


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(
    "place",
    [(2, 200, "majority", 0.2), (3, 200, "geometric", 0.6), (5, 1000, "even", 0.95)],
    ids=str,
)
def test_intervals_at_95_percent_cover_the_truth_in_about_as_many_tables(place, cell_of):
    row = cell_of("coverage")((place, 300, 599, 0))  # a standard error of 0.013
    covered = row["coverage"]
    assert 0.91 <= covered["informedness", "auto"] <= 0.99
    assert covered["nit", "auto"] >= 0.91  # wide near chance, on purpose


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_an_interval_that_covers_too_little_comes_with_a_warning(cell_of):
    row = cell_of("coverage")(((10, 200, "even", 0.95), 100, 199, 0))
    assert row["coverage"]["nit", "auto"] < 0.8
    assert row["warned"]["nit"] > 0.95
    assert row["warned"]["informedness"] < 0.05


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("metric", ["informedness", "nit"])
def test_two_equal_models_differ_at_5_percent_in_about_as_many_comparisons(metric, cell_of):
    row = cell_of("comparison")(((3, 200, "even", False), metric, 400, 999, 0))
    assert 0.02 <= row["rejected"] <= 0.09
    assert row["covered"] >= 0.91
    better = cell_of("comparison")(((3, 200, "even", True), metric, 100, 999, 0))
    assert better["rejected"] > 2 * row["rejected"]
