"""The package itself: what it exports, imports, costs and carries."""

import ast
import os
import subprocess
import sys
import venv
import zipfile
from importlib import metadata
from pathlib import Path

import pytest

import informedness

ROOT = Path(__file__).resolve().parent.parent
SOURCE = ROOT / "src" / "informedness"


def python(code, executable=sys.executable, **options):
    return subprocess.run(
        [executable, "-c", code], capture_output=True, text=True, check=True, **options
    ).stdout


def test_what_is_exported():
    assert sorted(informedness.__all__) == informedness.__all__
    assert set(informedness.__all__) == {
        "Comparison",
        "ContingencyTable",
        "EntropyTriangle",
        "Estimate",
        "InformednessWarning",
        "IntervalWarning",
        "NoSamplesError",
        "Report",
        "UndefinedMetricWarning",
        "compare",
        "ema_score",
        "entropy_triangle",
        "estimate",
        "estimate_from_labels",
        "informedness_score",
        "markedness_score",
        "module_path",
        "nit_score",
        "register",
        "report",
        "table_from_file",
        "table_from_frame",
        "unregister",
    }
    assert all(hasattr(informedness, name) for name in informedness.__all__)


def test_there_is_one_version():
    assert metadata.version("informedness") == informedness.__version__
    citation = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert f"\nversion: {informedness.__version__}\n" in citation
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert f"## {informedness.__version__}" in changelog


def test_importing_loads_numpy_and_nothing_heavy():
    modules = python("import sys, informedness; print(*sys.modules)").split()
    heavy = {"evaluate", "datasets", "pandas", "sklearn", "torch", "pyarrow", "rich", "scipy"}
    assert "numpy" in modules
    assert not heavy & set(modules)


def test_importing_takes_no_more_than_a_third_longer_than_numpy():
    # In instructions of the import machinery, not in seconds: modules beyond numpy's own. The time
    # is in the benchmarks.
    code = "import sys, {}; print(sum(1 for name in sys.modules))"
    alone, ours = (int(python(code.format(name))) for name in ("numpy", "informedness"))
    assert ours < 1.3 * alone


def test_no_code_changes_the_filters_of_warnings():
    # `catch_warnings` does, for the whole process: in threads they stay changed for good
    for path in SOURCE.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for name in ("catch_warnings", "simplefilter", "filterwarnings"):
            assert name not in text, path


def test_the_only_dependency_is_numpy():
    requires = metadata.requires("informedness")
    assert [line for line in requires if "extra ==" not in line] == ["numpy>=1.24"]
    extras = set(metadata.metadata("informedness").get_all("Provides-Extra"))
    assert {"evaluate", "cli", "all", "test"} <= extras


def definitions(predicate):
    """Return the functions of the package in whose body some node satisfies `predicate`."""
    return {
        f"{path.stem}.{function.name}"
        for path in SOURCE.glob("*.py")
        for function in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(function, ast.FunctionDef) and any(map(predicate, ast.walk(function)))
    }


def calls(*names):
    """Return a predicate for nodes that call `np.NAME`."""
    return lambda node: (
        isinstance(node, ast.Call)
        and getattr(node.func, "attr", getattr(node.func, "id", "")) in names
    )


def test_labels_become_codes_in_one_place_and_codes_become_counts_in_one():
    """Labels become codes in `coding.code_*` and pairs are counted under `coding.count_pairs`.

    To sort out distinct values takes `np.unique`, a dict that numbers its keys, or pyarrow's
    dictionary; to count takes `bincount`, `add.at` or a `Counter`.
    """
    names = ("unique", "defaultdict", "setdefault", "searchsorted", "factorize", "union1d")
    assert definitions(calls(*names, "dictionary_encode")) == {
        "coding.code_objects",
        "coding.code_arrow",  # pyarrow's own coding
        "coding.code_integers",
        "coding._code_few",  # for code_integers
        "coding.join_columns",  # of columns that are coded already
        "coding._merged",  # of the labels of two columns
        "coding._count_sorted",
        "intervals.resampled",  # chances to classes
        "intervals.cell_at",  # cells to their places in a table
        "comparison._count_triples",  # cells to their places in a table
        "comparison._interval",  # chances to classes
    }
    assert definitions(calls("bincount", "histogram2d", "at", "Counter", "value_counts")) == {
        "coding.code_integers",  # which integers occur
        "coding._count_small",
        "coding._count_diagonal",
        "coding._count_sorted",
        "coding.sum_by",  # of cells by class
    }
    assert definitions(calls("count_pairs")) == {
        "contingency.from_labels",
        "comparison._count_triples",
    }
    users = definitions(calls("code_objects", "code_text"))
    assert users == {"reading.read_column", "coding.code_text", "coding._code_words"}


def imports(path):
    """Return the modules of the package that a file imports."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            yield from [node.module] if node.module else [alias.name for alias in node.names]


def test_imports_point_one_way():
    order = ["coding", "reading", "contingency", "intervals", "estimates", "protocol", "scores"]
    order += ["comparison", "registration", "report", "columns", "frames"]
    order += ["paths", "quotes", "readers", "files", "samples", "__init__", "cli", "__main__"]
    for path in SOURCE.glob("*.py"):
        for module in imports(path):
            if module == "__version__":
                continue
            assert order.index(module) < order.index(path.stem), f"{path.stem} imports {module}"


def test_no_file_of_the_helper_imports_more_than_numpy():
    for name in ("coding", "reading", "contingency", "intervals", "estimates"):
        tree = ast.parse((SOURCE / f"{name}.py").read_text(encoding="utf-8"))
        modules = set()
        for node in ast.walk(tree):
            if isinstance(node, ast.Import):
                modules |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                modules.add(node.module)
        roots = {module.partition(".")[0] for module in modules}
        assert roots - set(sys.stdlib_module_names) == {"numpy"}


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


def test_the_wheel_made_from_the_sdist_carries_package_and_modules_and_nothing_else(wheel):
    names = set(zipfile.ZipFile(wheel).namelist())
    package = {name for name in names if ".dist-info/" not in name}
    expected = {f"informedness/{path.name}" for path in SOURCE.iterdir() if path.is_file()}
    for folder in (ROOT / "metrics").iterdir():
        files = (path for path in folder.iterdir() if path.is_file())
        expected |= {f"informedness/metrics/{folder.name}/{path.name}" for path in files}
    assert package == expected
    assert any(name.endswith("licenses/LICENSE") for name in names)


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
        "    print(metric.compute(predictions=['a', 'b', 'b'], references=['a', 'b', 'a']))"
    )
    output = python(code, executable, env=environment, cwd="/")
    assert output == "{'informedness': 0.5}\n{'nit': 0.5952753944880749}\n"


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
    ):
        result = subprocess.run(
            [sys.executable, "-c", code.format(module, arguments)], capture_output=True, text=True
        )
        assert result.returncode == 2
        assert f"pip install 'informedness[{extra}]'" in result.stderr
