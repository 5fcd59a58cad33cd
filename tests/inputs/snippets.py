"""Blocks of code in documents, and what stands below them as printed."""

import itertools
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(path):
    """Return (line, code, what it prints) of each block that runs; None for commands."""
    text = path.read_text(encoding="utf-8")
    blocks = [(text[: m.start()].count("\n") + 1, *m.groups()) for m in FENCE.finditer(text)]
    for (line, language, code), following in itertools.pairwise([*blocks, (0, "", "")]):
        if language == "python":
            yield line, code, following[2] if following[1] == "text" else ""
        elif language == "console":
            yield line, code, None
