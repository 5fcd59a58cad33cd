"""Every snippet of the README runs and prints what stands below it; so do the docstrings."""

import contextlib
import doctest
import importlib
import io
import pkgutil
import re
import shlex
from pathlib import Path

import pytest

import informedness
from informedness.cli import main

ROOT = Path(__file__).resolve().parent.parent
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def snippets(path):
    """Return (line, language, code, what it prints) of each fenced block that runs."""
    text = path.read_text(encoding="utf-8")
    blocks = [(text[: m.start()].count("\n") + 1, *m.groups()) for m in FENCE.finditer(text)]
    for number, (line, language, code) in enumerate(blocks):
        following = blocks[number + 1][1:] if number + 1 < len(blocks) else ("", "")
        if language == "python":
            yield line, code, following[1] if following[0] == "text" else ""
        elif language == "console":
            yield line, code, None


def output_of(code, names):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "README.md", "exec"), names)
    return printed.getvalue()


def write(path, header, rows):
    lines = [header, *(",".join(map(str, row)) for row in rows), ""]
    Path(path).write_text("\n".join(lines), encoding="utf-8")


def test_the_readme_prints_what_it_says(registered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    filtered = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
    rows = [("ham" if i < 90 else "spam", "ham", filtered[i]) for i in range(100)]
    write("predictions.csv", "label,model,filter", rows)
    write("a.csv", "id,label,model", [(i, *row[:2]) for i, row in enumerate(rows)])
    write("b.csv", "id,label,model", [(i, row[0], row[2]) for i, row in enumerate(rows)][::-1])
    names = {}
    ran = 0
    for line, code, expected in snippets(ROOT / "README.md"):
        ran += 1
        if expected is not None:
            assert output_of(code, names) == expected, f"README.md, line {line}"
            continue
        command, _, printed = code.partition("\n")
        program, *arguments = shlex.split(command.removeprefix("$ "))
        assert program == "informedness"
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert main(arguments) == 0
        assert printed in ("", output.getvalue()), f"README.md, line {line}"
    assert ran > 10


def test_every_text_block_belongs_to_a_snippet():
    languages = [block[0] for block in FENCE.findall((ROOT / "README.md").read_text("utf-8"))]
    for before, language in zip(["", *languages], languages, strict=False):
        assert language != "text" or before == "python"


MODULES = [name for _, name, _ in pkgutil.iter_modules(informedness.__path__) if name != "__main__"]


@pytest.mark.parametrize("name", MODULES)
def test_the_examples_in_docstrings_are_true(name):
    result = doctest.testmod(importlib.import_module(f"informedness.{name}"))
    assert result.failed == 0


@pytest.mark.parametrize(
    "name", [name for name in informedness.__all__ if name[0].islower() and "_" in name]
)
def test_every_public_score_has_a_docstring_with_all_its_parts(name):
    text = getattr(informedness, name).__doc__
    if name.endswith("_score"):
        sections = ("Parameters", "Returns", "Raises", "References", "Examples", ".. math::")
        assert not [part for part in sections if part not in text]


def test_no_link_between_documents_is_broken():
    for path in [ROOT / name for name in ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")]:
        for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
            assert (path.parent / target).exists(), f"{path.name} links to {target}"
