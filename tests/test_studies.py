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
        ("comparison", ["--runs", "4", "--n-resamples", "100", "--corner"], 90),
    ],
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
