"""What type checkers say of a user's file beside the installed package."""

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import informedness
from test_documents import ROOT, snippets

pytestmark = [pytest.mark.full, pytest.mark.slow]

EXACT = """# pyright: strict
from typing import assert_type

from informedness import ContingencyTable, Tally, estimate, informedness_score
from informedness import markedness_score, nit_score, table_from_frame
from informedness.results.estimate import Estimate
from informedness.results.slices import Slices

table = ContingencyTable.from_matrix([[84, 6], [2, 8]])
value: float = table.informedness(average="macro", prior={0: 0.5, 1: 0.5})
values: list[float] = markedness_score([0, 1], [0, 1], average=None)
values += [value, estimate(table, metric="markedness").value, informedness_score([0, 1], [0, 1])]
assert_type(table.nit(zero_division=float("nan")), float)
assert_type(nit_score([0, 1], [0, 1], zero_division=1.0), float)
assert_type(estimate(table), Estimate)
assert_type(estimate(table, average=None), list[Estimate])
assert_type(estimate([0, 1], [0, 1], average=None), list[Estimate])
assert_type(estimate(table).confidence_interval, tuple[float, float])
assert_type((Tally() + Tally()).table, ContingencyTable)
tables = table_from_frame(None, references="r", predictions="p", by="type")
assert_type(Slices.from_tables(tables), Slices)
whole: ContingencyTable = table_from_frame(None, references="r", predictions="p")
"""


# An installed package is not complained of. What is not ours has no types here: that is quicker,
# and evaluate says that a score may be None.
MYPY = """[mypy]
strict = True
ignore_missing_imports = True
[mypy-informedness.*]
ignore_errors = True
[mypy-evaluate.*,datasets.*,sklearn.*,duckdb.*]
follow_imports = skip
disallow_subclassing_any = False
"""
PYRIGHT = {"extraPaths": [str(ROOT / "src")], "typeCheckingMode": "standard"}
UNTYPED = "from typing import Any\ndef __getattr__(name: str) -> Any: ...\n"


# What a snippet takes from the one before it, and functions that a reader writes without types.
OF_A_PART = """# mypy: disable-error-code="name-defined, no-untyped-def, no-untyped-call"
# pyright: reportUndefinedVariable=false
"""
MISTAKES = (
    "a: float = estimate(table, average=None)",
    "b = ContingencyTable.from_labels([0, 1], [0, 1])",
    "c = table.nit(average=None)",
    "d = table.informedness(average='weighted')",
)


PAGES = ("README.md", "docs/files.md", "docs/slices.md", "docs/undefined.md")


@pytest.mark.parametrize("checker", ["mypy", "pyright"])
def test_snippets_are_typed_types_are_exact_by_average_and_mistakes_are_seen(checker, tmp_path):
    found = [snippet for page in PAGES for snippet in snippets(ROOT / page)]
    pieces = [code for _, code, expected in found if expected is not None]
    files = {f"snippet_{n}.py": OF_A_PART + code for n, code in enumerate(pieces)}
    files |= {f"mistake_{n}.py": f"{EXACT}{line}\n" for n, line in enumerate(MISTAKES)}
    files["exact.py"] = EXACT
    for name, code in files.items():
        (tmp_path / name).write_text(code, encoding="utf-8")
    for name in ("evaluate", "duckdb"):
        (tmp_path / "typings" / name).mkdir(parents=True)
        (tmp_path / "typings" / name / "__init__.pyi").write_text(UNTYPED, encoding="utf-8")
    (tmp_path / "mypy.ini").write_text(MYPY, encoding="utf-8")
    (tmp_path / "pyrightconfig.json").write_text(json.dumps(PYRIGHT), encoding="utf-8")
    # of pyright that there is a newer one
    environment = {"MYPYPATH": str(ROOT / "src"), "PYRIGHT_PYTHON_IGNORE_WARNINGS": "1"}
    options = ["--pythonpath", sys.executable] if checker == "pyright" else []
    command = [sys.executable, "-m", checker, *options, *files]
    how = {"cwd": tmp_path, "env": os.environ | environment}
    result = subprocess.run(command, capture_output=True, text=True, **how)
    errors = re.findall(r"(\w+\.py):\d+.* error: ", result.stdout)
    assert {*errors} == {name for name in files if name.startswith("mistake")}, result


def test_every_public_name_is_imported_where_type_checkers_look():
    tree = ast.parse(Path(informedness.__file__).read_text())
    (block,) = (x.body for x in tree.body if isinstance(x, ast.If))
    found = {f"{x.module}.{x.names[0].asname}" for x in block}
    modules = {name: getattr(informedness, name).__module__ for name in informedness.__all__}
    wanted = {f"{module.removeprefix('informedness.')}.{x}" for x, module in modules.items()}
    assert found == wanted | {"core.scores.__version__"}
