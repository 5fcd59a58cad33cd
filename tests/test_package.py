"""The package itself: what it exports, imports, costs and carries."""

import ast
import contextlib
import io
import json
import os
import subprocess
import sys
import venv
import zipfile
from graphlib import TopologicalSorter
from importlib import metadata
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

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


def python(code, executable=sys.executable, **options):
    return subprocess.run(
        [executable, "-c", code], capture_output=True, text=True, check=True, **options
    ).stdout


def loaded_by(code):
    """Return the modules that a new process has loaded after some code."""
    return {*python(f"{code}\nimport sys; print(*sys.modules)").split()}


def test_what_is_exported():
    assert set(informedness.__all__) == {
        "Answers",
        "Comparison",
        "ContingencyTable",
        "EntropyTriangle",
        "Estimate",
        "InformednessWarning",
        "IntervalWarning",
        "Leaderboard",
        "LogReport",
        "NoSamplesError",
        "Report",
        "SCORES",
        "Slices",
        "Tally",
        "UndefinedMetricWarning",
        "compare",
        "compare_answers",
        "ema_score",
        "entropy_triangle",
        "estimate",
        "estimate_from_labels",
        "informed_decisions",
        "informedness_score",
        "leaderboard",
        "markedness_score",
        "module_path",
        "nit_score",
        "plot_ability_curves",
        "plot_confusion",
        "plot_entropy_triangle",
        "plot_intervals",
        "plot_per_class",
        "read_log",
        "register",
        "report",
        "score",
        "table_from_file",
        "table_from_frame",
        "unregister",
    }
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
    loaded = loaded_by(code) - loaded_by("pass")
    installed = {name.partition(".")[0] for name in loaded} & {*metadata.packages_distributions()}
    assert installed - {"informedness"} == {"numpy"}


def test_what_a_score_does_not_need_is_loaded_at_first_use():
    loaded = loaded_by("import informedness as i; i.nit_score([0, 1], [0, 1])")
    assert "informedness.core.table" in loaded
    later = {f"informedness.{name}" for name in ("cli", "inputs", "registration", "results")}
    later |= {"_hashlib", "shutil", "statistics", "tempfile", "urllib.request"}
    assert not (loaded - loaded_by("import numpy")) & later


def test_the_only_dependency_is_numpy():
    requires = metadata.requires("informedness")
    assert [line for line in requires if "extra ==" not in line] == ["numpy>=1.24"]
    extras = set(metadata.metadata("informedness").get_all("Provides-Extra"))
    assert {"evaluate", "cli", "all", "test"} <= extras


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


def test_copies_of_the_helpers_are_in_step():
    result = subprocess.run([sys.executable, ROOT / "spaces" / "sync.py", "--check"])
    assert result.returncode == 0


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "build", "--outdir", str(folder), str(ROOT)],
        check=True,
        capture_output=True,
    )
    (path,) = folder.glob("*.whl")
    return path


@pytest.mark.slow
def test_the_wheel_made_from_the_sdist_carries_package_and_modules_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if ".dist-info/" not in name}
    files = (path for path in SOURCE.rglob("*") if "__pycache__" not in path.parts)
    expected = {
        f"informedness/{path.relative_to(SOURCE).as_posix()}" for path in files if path.is_file()
    }
    for folder in (ROOT / "metrics").iterdir():
        files = (path for path in folder.iterdir() if path.is_file())
        expected |= {f"informedness/metrics/{folder.name}/{path.name}" for path in files}
    assert package == expected
    assert any(name.endswith("licenses/LICENSE") for name in names)


@pytest.mark.slow
def test_the_installed_wheel_registers_and_loads_by_bare_name_away_from_the_checkout(
    wheel, tmp_path
):
    # With numpy and evaluate of this environment: only the wheel is new.
    venv.create(tmp_path / "env", with_pip=True, system_site_packages=False)
    executable = tmp_path / "env" / "bin" / "python"
    pip = [executable, "-m", "pip", "install", "--quiet", "--no-deps", str(wheel)]
    subprocess.run(pip, check=True)
    site = python("import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    new = python("import sysconfig; print(sysconfig.get_path('purelib'))", executable).strip()
    environment = {
        **os.environ,
        "PYTHONPATH": os.pathsep.join([new, site]),
        "HF_HOME": str(tmp_path / "home"),
        "HF_EVALUATE_OFFLINE": "1",
    }
    where = python(
        "import informedness; print(informedness.__file__)", executable, env=environment, cwd="/"
    )
    assert where.startswith(str(tmp_path))
    command = tmp_path / "env" / "bin" / "informedness"
    subprocess.run([command, "register"], check=True, env=environment, cwd="/")
    code = (
        "import evaluate\n"
        "for name in ('informedness', 'nit'):\n"
        "    metric = evaluate.load(name)\n"
        "    scores = metric.compute(predictions=['a', 'b', 'b'], references=['a', 'b', 'a'])\n"
        "    print({score: round(value, 12) for score, value in scores.items()})"
    )
    output = python(code, executable, env=environment, cwd="/")
    assert output == "{'informedness': 0.5}\n{'nit': 0.595275394488}\n"


def test_a_missing_extra_is_named(tmp_path):
    file = tmp_path / "p.csv"
    file.write_text("r,p\na,a\n")
    code = (
        "import sys; sys.modules[{!r}] = None\n"
        "from informedness.cli import main; sys.exit(main({!r}))"
    )
    for module, arguments, extra in (
        ("pyarrow", ["report", str(file), "--references", "r", "--predictions", "p"], "cli"),
        ("evaluate", ["register"], "evaluate"),
        ("matplotlib", ["report", "-", "--plot", str(tmp_path / "pictures")], "plot"),
    ):
        result = subprocess.run(
            [sys.executable, "-c", code.format(module, arguments)], capture_output=True, text=True
        )
        assert result.returncode == 2
        assert f"pip install 'informedness[{extra}]'" in result.stderr
