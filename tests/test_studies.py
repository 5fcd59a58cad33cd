"""The studies of coverage run; what they found is in tests/studies/."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

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


def rows_of(page, section):
    """Return the rows of numbers under a heading, each a list of cells."""
    text = (STUDIES / page).read_text(encoding="utf-8").split(f"\n## {section}\n")[1]
    lines = text.split("\n## ")[0].splitlines()
    return [line.strip("| ").split(" | ") for line in lines if re.match(r"\| \d+ \| \d+ \|", line)]


def test_the_interval_of_informedness_covers_as_promised_in_the_study():
    rows = rows_of("COVERAGE.md", "Informedness")
    assert len(rows) == 4 * 4 * 3 * 4
    covered = {tuple(row[:4]): (float(row[6].split()[0]), float(row[5])) for row in rows}
    large = [share for (_, n, *_), (share, _) in covered.items() if int(n) >= 200]
    assert sum(0.93 <= share <= 0.98 for share in large) >= 0.9 * len(large)
    assert all(warned > 0.9 for share, warned in covered.values() if share < 0.9)


def test_the_interval_of_nit_covers_or_warns_in_the_study():
    rows = rows_of("COVERAGE.md", "NIT")
    assert all(float(row[5]) > 0.75 for row in rows if float(row[6].split()[0]) < 0.9)


@pytest.mark.parametrize("metric", ["Informedness", "NIT"])
def test_the_test_of_two_equal_models_errs_as_often_as_it_says_in_the_study(metric):
    rows = rows_of("COMPARISON.md", f"{metric}, neither is better")
    assert len(rows) == 3 * 3 * 2
    rejected = {tuple(row[:3]): (float(row[4]), float(row[5])) for row in rows}
    assert all(share <= 0.06 for _, share in rejected.values())
    assert all(share >= 0.04 for differ, share in rejected.values() if differ >= 60)
