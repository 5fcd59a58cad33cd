"""What the command line prints is what has been read: `make outputs` writes tests/results/outputs/.

Covers src: results/, text/, commands/.
"""

import pytest

from results.golden_outputs import COMMANDS, OUTPUTS, outputs

pytestmark = [pytest.mark.slow, pytest.mark.full]  # older numpy has other last digits


def test_the_command_line_prints_the_golden_outputs():
    committed = {path.stem: path.read_text("utf-8") for path in OUTPUTS.glob("*.txt")}
    assert [*sorted(committed)] == [*COMMANDS]
    assert outputs() == committed
