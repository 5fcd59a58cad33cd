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
