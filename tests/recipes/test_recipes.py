"""The recipes run with the libraries they name, and print what stands below them."""

import io
import re
from contextlib import redirect_stdout
from pathlib import Path

PAGE = Path(__file__).resolve().parents[2] / "docs" / "recipes.md"
FENCES = re.compile(r"^```py\n(.*?)^```$(?:\n+```text\n(.*?)^```$)?", re.MULTILINE | re.DOTALL)


def test_the_recipes_print_what_they_say(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    for code, expected in FENCES.findall(PAGE.read_text(encoding="utf-8")):
        printed = io.StringIO()
        with redirect_stdout(printed):
            exec(compile(code, PAGE.name, "exec"), names)
        assert printed.getvalue().endswith(expected), code  # the Trainer prints its logs, too
