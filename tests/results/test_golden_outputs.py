"""What the command line prints is what has been read: `make outputs` writes tests/results/outputs/.

Covers src: results/, text/, commands/.
"""

import re

import pytest

from results.golden_outputs import COMMANDS, OUTPUTS, outputs

pytestmark = [pytest.mark.slow, pytest.mark.full]  # older numpy has other last digits


def without_last_digits(texts: dict[str, str]) -> dict[str, str]:
    """Return the texts with 12 digits of each long number; processors differ in the others."""
    long_number = re.compile(r"-?\d+\.\d{12,}(?:e-?\d+)?")
    return {
        name: long_number.sub(lambda number: f"{float(number[0]):.12g}", text)
        for name, text in texts.items()
    }


def test_the_command_line_prints_the_golden_outputs():
    committed = {path.stem: path.read_text("utf-8") for path in OUTPUTS.glob("*.txt")}
    assert [*sorted(committed)] == [*COMMANDS]
    assert without_last_digits(outputs()) == without_last_digits(committed)
