"""Every message reads as tests/messages.json says, in Python and on the command line.

`make messages` writes the file anew: look at each change of it. Inputs are in inputs/messages.py,
inputs/messages_of_files.py and inputs/messages_of_logs.py.
"""

import json
import os
from pathlib import Path

import pytest

from inputs.messages import command_messages, python_messages
from inputs.messages_of_files import file_messages
from inputs.messages_of_logs import log_messages

pytestmark = [pytest.mark.full, pytest.mark.slow]
GOLDEN = Path(__file__).parent / "messages.json"


def are_as_before(surface, said):
    """See that messages are those of the file, or write them into it if so asked."""
    golden = json.loads(GOLDEN.read_text("utf-8"))
    if os.environ.get("WRITE_MESSAGES"):
        golden[surface] = said
        GOLDEN.write_text(f"{json.dumps(golden, indent=1, ensure_ascii=False)}\n", "utf-8")
    assert said == golden[surface]


@pytest.mark.parametrize(
    ("surface", "messages"),
    [
        ("Python", python_messages),
        ("command line", command_messages),
        ("files", file_messages),
        ("logs and results", log_messages),
    ],
)
def test_messages_are_as_before(surface, messages, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    are_as_before(surface, messages())
