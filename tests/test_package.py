"""The package itself: what it exports, imports, costs and carries."""

import ast
import contextlib
import email
import functools
import importlib
import io
import json
import subprocess
import sys
import zipfile
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hatchling.builders.wheel import WheelBuilder

import informedness
from informedness import (
    compare,
    estimate_from_labels,
    informedness_score,
    nit_score,
    report,
    table_from_file,
    table_from_frame,
)
from informedness.cli import main
from informedness.scores.registry import MODULES

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "informedness"


@functools.cache
def loaded_by(code):
    """Return the modules that a new process has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}


def test_what_is_exported_is_there():
    """`test_site.py` compares it with the reference."""
    assert all(hasattr(informedness, name) for name in informedness.__all__)
    assert {*informedness.__all__} <= {*dir(informedness)}


def test_there_is_one_version():
    assert metadata.version("informedness") == informedness.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {informedness.__version__}\n" in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {informedness.__version__}" in changelog


def test_scores_and_intervals_load_numpy_and_nothing_else_that_is_installed():
    code = (
        "from informedness import compare, estimate_from_labels, nit_score, report\n"
        "a, b = [0, 1] * 40, [0, 0, 1, 1] * 20\n"
        "nit_score(a, b), estimate_from_labels(a, b), compare(a, b, a), report(a, b)\n"
    )
    loaded = loaded_by(code) - loaded_by("import numpy")
    installed = {name.partition(".")[0] for name in loaded} & {*metadata.packages_distributions()}
    assert installed - {"numpy"} == {"informedness"}


def test_what_a_score_does_not_need_is_loaded_at_first_use():
    loaded = loaded_by("import informedness as i; i.nit_score([0, 1], [0, 1])")
    assert "informedness.core.table" in loaded
    later = {f"informedness.{name}" for name in ("cli", "inputs", "registration", "results")}
    later |= {"_hashlib", "shutil", "statistics", "tempfile", "urllib.request"}
    assert not (loaded - loaded_by("import numpy")) & later


def break_everywhere(monkeypatch, name, change):
    """Put `change(real function)` in the place of a function of the helper, in all its copies."""
    for module in [*sys.modules.values()]:
        real = vars(module).get(name)
        if getattr(real, "__module__", "").endswith((".labels", ".table")):
            monkeypatch.setattr(module, name, change(real))


REFERENCES, PREDICTIONS = list("aabbcab"), list("aabccba")


@pytest.fixture
def by_path(load, tmp_path):
    """Return functions that score the samples above, each on its own way to a table."""
    columns = {"gold": REFERENCES, "model": PREDICTIONS, "other": REFERENCES}
    file = tmp_path / "predictions.jsonl"
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    metrics = {name: load(name) for name in MODULES}

    def piecewise(metric):
        metric.add(reference=REFERENCES[0], prediction=PREDICTIONS[0])
        metric.add_batch(references=REFERENCES[1:], predictions=PREDICTIONS[1:])
        return metric.compute()

    def command(*arguments):
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            assert main([*map(str, arguments), "--output", "json"]) == 0
        return json.loads(output.getvalue())

    two = REFERENCES, PREDICTIONS
    names = ("--references", "gold", "--predictions", "model")

    def scores_of(table):
        return table.informedness(), table.nit()

    return {
        "function": lambda: (informedness_score(*two), nit_score(*two)),
        "module": lambda: [
            metric.compute(references=two[0], predictions=two[1]) for metric in metrics.values()
        ],
        "module, in pieces": lambda: [piecewise(metric) for metric in metrics.values()],
        "report": lambda: report(*two).scores,
        "estimate": lambda: estimate_from_labels(*two).value,
        "compare": lambda: compare(*two, columns["other"]).to_dict(),
        "file": lambda: scores_of(table_from_file(file, references="gold", predictions="model")),
        "frame": lambda: scores_of(
            table_from_frame(pd.DataFrame(columns), references="gold", predictions="model")
        ),
        "command line": lambda: command("report", file, *names),
        "command line, compare": lambda: command("compare", file, *names, "other"),
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", ["read_column", "count_pairs"])
def test_labels_become_codes_in_one_place_and_codes_become_counts_in_one(
    name, by_path, monkeypatch
):
    def misread(real):
        """Take the last label of a column for its first."""

        def read(*args):
            column = real(*args)
            if column is args[0]:  # one that was read before
                return column
            return column[np.arange(len(column)) % max(1, len(column) - 1)]

        return read

    def miscount(real):
        """Leave out the samples of one cell."""

        def count(*args):
            labels, cells = real(*args)
            return labels, type(cells)(*(None if side is None else side[1:] for side in cells))

        return count

    right = {path: repr(score()) for path, score in by_path.items()}
    break_everywhere(monkeypatch, name, {"read_column": misread, "count_pairs": miscount}[name])
    wrong = {path for path, score in by_path.items() if repr(score()) != right[path]}
    # a data frame's own engine counts it
    assert wrong == {*by_path} - ({"frame"} if name == "count_pairs" else set())


LAYERS = ("core.labels", "core.table", "core.scores", "core.information", "core.intervals")
LAYERS += (
    "core.protocol",
    "contingency",
    "decisions",
    "slicing",
    "tally",
    "scores",
    "results",
    "plots",
    "inputs",
    "logs",
    "trainer",
    "registration",
    "scorers",
    "torchmetrics",
    "lm_eval",
    "lighteval",
    "inspect_ai",
    "",
    "cli",
    "__main__",
)


def layer(module):
    """Return the place in `LAYERS` of a module, or of its folder; "" is the package itself."""
    return LAYERS.index(module if module in LAYERS else module.partition(".")[0])


def imports(path):
    """Return the modules of the package that a file imports, at its top or anywhere else."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folder = path.relative_to(SOURCE).parts[: -node.level]
            name = ".".join([*folder, *filter(None, [node.module])])
            below = (".".join(filter(None, [name, alias.name])) for alias in node.names)
            modules = {x for x in below if (SOURCE / f"{x.replace('.', '/')}.py").is_file()}
            yield from modules or {name}


def test_imports_point_one_way():
    graph = {}
    for path in SOURCE.rglob("*.py"):
        module = ".".join(path.relative_to(SOURCE).with_suffix("").parts)
        if path.name == "__init__.py":
            module = module.removesuffix("__init__").removesuffix(".")
        graph[module] = {*imports(path)}
        for other in graph[module]:
            assert layer(other) <= layer(module), f"{module} imports {other}"
    TopologicalSorter(graph).prepare()  # raises CycleError, within a folder too


def test_copies_of_the_helpers_are_in_step(monkeypatch):
    monkeypatch.syspath_prepend(str(ROOT / "spaces"))
    assert importlib.import_module("sync").stale_copies() == []


def files_of_a_wheel(root):
    """Return the names that a wheel made from a checkout has, its metadata aside."""
    source = root / "src" / "informedness"
    files = (path for path in source.rglob("*") if "__pycache__" not in path.parts)
    names = {
        f"informedness/{path.relative_to(source).as_posix()}" for path in files if path.is_file()
    }
    for folder in (root / "metrics").iterdir():
        files = (path for path in folder.iterdir() if path.is_file())
        names |= {f"informedness/metrics/{folder.name}/{path.name}" for path in files}
    return names


@pytest.mark.slow
def test_the_wheel_carries_package_and_modules_and_nothing_else(tmp_path):
    """`test_release.py` installs one."""
    (path,) = WheelBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"])
    wheel = zipfile.ZipFile(path)
    package = {name for name in wheel.namelist() if ".dist-info/" not in name}
    assert package == files_of_a_wheel(ROOT)
    about = {name.rpartition("dist-info/")[2]: name for name in {*wheel.namelist()} - package}
    assert "licenses/LICENSE" in about
    commands = wheel.read(about["entry_points.txt"]).decode()
    assert "[console_scripts]\ninformedness = informedness.cli:main\n" in commands
    said = email.message_from_bytes(wheel.read(about["METADATA"]))
    required = [line for line in said.get_all("Requires-Dist") if "extra ==" not in line]
    assert required == ["numpy>=1.24"]
    assert {"evaluate", "cli", "all", "test"} <= {*said.get_all("Provides-Extra")}


def test_a_missing_extra_is_named(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("r,p\na,a\n")
    cases = {
        "pyarrow": ["report", str(file), "--references", "r", "--predictions", "p"],
        "evaluate": ["register"],
        "matplotlib": ["report", "-", "--plot", str(tmp_path / "pictures")],
    }
    code = (
        "import sys\nfrom informedness.cli import main\n"
        f"for module, arguments in {cases!r}.items():\n"
        "    sys.modules[module] = None\n"
        "    assert main(arguments) == 2\n"
        "    del sys.modules[module]"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    said = [line for line in result.stderr.splitlines() if "pip install" in line]
    for line, extra in zip(said, ("cli", "evaluate", "plot"), strict=True):
        assert f"pip install 'informedness[{extra}]'" in line
