"""The package itself: what it exports, imports, costs and carries.

Covers src: __init__.py, errors.py.
"""

import email
import importlib
import os
import re
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pandas as pd
import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder
from sklearn.naive_bayes import GaussianNB

import informedness
from informedness import ContingencyTable, Tally
from informedness.scorers import cross_val_estimate
from space.checkout import copied

ROOT = Path(__file__).resolve().parent.parent
RUNS = ROOT / "examples" / "runs"


def loaded_by(code):
    """Return the modules that a new process has loaded after some code."""
    command = [sys.executable, "-c", f"{code}\nimport sys; print(*sys.modules)"]
    return {*subprocess.run(command, capture_output=True, text=True, check=True).stdout.split()}


def test_scores_and_intervals_load_only_numpy():
    code = (
        "from informedness import compare, corrected_rate, estimate, nit_score, report\n"
        "a, b = [0, 1] * 40, [0, 0, 1, 1] * 20\n"
        "nit_score(a, b), estimate(a, b), compare(a, b, a), report(a, b)\n"
        "corrected_rate(a, a, b, positive=1)\n"
        "from informedness.trainer import ComputeMetrics; ComputeMetrics('nit')((a, b))\n"
    )
    loaded = loaded_by(code) - loaded_by("import numpy")
    installed = {name.partition(".")[0] for name in loaded} - sys.stdlib_module_names
    assert installed - {"numpy"} == {"informedness"}
    assert not {"informedness.cli", "informedness.files.counting", "urllib.request"} & loaded


def test_the_command_line_loads_what_a_command_needs(tmp_path):
    for given in (["--help"], ["report", "--help"]):
        assert "numpy" not in loaded_by(f"from informedness.cli import main; main({given})")
    given = ["report", *(str(tmp_path / f"{side}.txt") for side in "rp")]
    for path in given[1:]:
        Path(path).write_text("a\nb\n")
    loaded = loaded_by(f"from informedness.cli import main; main({given})")
    later = "logs.reading", "plots", "registration", "results.comparison", "results.slices"
    later = {f"informedness.{name}" for name in later} | {"importlib.metadata", "pandas"}
    assert not (loaded - loaded_by("import numpy")) & later
    assert "informedness.results.report" in loaded
    for name, text in (("p.csv", "g,m\na,a\nb,b\n"), ("p.jsonl", '{"g": "a", "m": "a"}\n' * 2)):
        (tmp_path / name).write_text(text)
        given = ["report", str(tmp_path / name), "-r", "g", "-p", "m"]
        loaded = loaded_by(f"from informedness.cli import main; main({given})")
        assert not {"pandas", "pyarrow.dataset", "narwhals"} & loaded


def files_in(folder, name):
    """Return the names that a wheel has for the files of a folder."""
    files = (
        path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts
    )
    return {f"{name}/{path.relative_to(folder).as_posix()}" for path in files}


@pytest.mark.slow
def test_archives_carry_package_and_modules_only(tmp_path):
    """`test_release.py` installs them."""
    how = {"directory": str(tmp_path), "versions": ["standard"]}
    (path,) = WheelBuilder(str(ROOT)).build(**how)
    wheel = zipfile.ZipFile(path)
    package = {name for name in wheel.namelist() if ".dist-info/" not in name}
    modules = files_in(ROOT / "metrics", "informedness/metrics")
    assert package == files_in(ROOT / "src" / "informedness", "informedness") | modules
    about = {name.rpartition("dist-info/")[2]: name for name in {*wheel.namelist()} - package}
    assert "licenses/LICENSE" in about
    said = email.message_from_bytes(wheel.read(about["METADATA"]))
    required = [line for line in said.get_all("Requires-Dist") if "extra ==" not in line]
    assert required == ["numpy>=1.25"]
    (path,) = SdistBuilder(str(ROOT)).build(**how)
    with tarfile.open(path) as archive:
        top = {name.split("/")[1] for name in archive.getnames()}
    texts = {"CHANGELOG.md", "CITATION.cff", "LICENSE", "README.md"}
    assert (
        top
        == {"src", "metrics", "hatch_build.py", "pyproject.toml", "PKG-INFO", ".gitignore"} | texts
    )


def test_the_names_of_the_package_are_the_public_ones():
    assert dir(informedness) == sorted(["__version__", *informedness.__all__])
    assert all(hasattr(informedness, name) for name in dir(informedness))


def test_a_missing_or_broken_extra_is_named(tmp_path, monkeypatch, command):
    file = tmp_path / "p.csv"
    file.write_text("r,p\na,a\n")
    scored = ["report", file, "-r", "r", "-p", "p"]
    detail, inspect = (next(RUNS.glob(f"*/{x}")) for x in ("details/*/*/*", "*knows*.eval"))
    archives = [] if sys.version_info >= (3, 14) else ["backports.zstd"]  # as that Python opens
    for module, needed, arguments in (
        *((name, "backports-zstd>=1.0", ["report", inspect]) for name in archives),
        ("pyarrow", "pyarrow>=20", ["report", detail]),
        ("pyarrow", "pyarrow>=20", scored),
        ("evaluate", "evaluate>=0.4.6", ["register"]),
        ("matplotlib", "matplotlib>=3.8", ["report", "-", "--plot", tmp_path / "pictures"]),
    ):
        monkeypatch.setitem(sys.modules, module, None)
        code, _, errors = command(*arguments)
        assert (code, f"import of {module} halted" in errors) == (2, True)
        assert f"'{needed}'" in errors.partition(": pip install ")[2]
    # as pyarrow does beside a numpy that is too old
    (tmp_path / "pyarrow.py").write_text("raise AttributeError('found numpy 1.26')")
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.delitem(sys.modules, "pyarrow")
    assert "needs pyarrow (found numpy 1.26): pip" in command(*scored)[2]
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(ImportError, match=r"to_pandas needs pandas \(.*\): pip install 'pandas'"):
        informedness.report([0, 1], [0, 1]).to_pandas()
    for absent, needed, module in (
        ("sklearn.metrics", "scikit-learn>=1.5", "informedness.scorers"),
        ("torch", "torchmetrics>=1.0", "informedness.torchmetrics"),
        ("lm_eval", "lm-eval>=0.4.13", "informedness.lm_eval"),
        ("inspect_ai", "inspect-ai>=0.3.241", "informedness.inspect_ai"),
        ("lighteval.metrics.metrics", "lighteval>=0.13", "informedness.lighteval"),
        ("helm.benchmark", "crfm-helm>=0.5.16", "informedness.helm"),
    ):
        monkeypatch.setitem(sys.modules, absent, None)
        monkeypatch.delitem(sys.modules, module, raising=False)
        with pytest.raises(ImportError, match=f"pip install '?{needed}"):
            importlib.import_module(module)


def test_messages_name_the_versions_of_the_extras():
    project = (ROOT / "pyproject.toml").read_text("utf-8").replace("backports.", "backports-")
    extras = project.partition("[project.optional-dependencies]")[2].partition("[project.")[0]
    wanted = set(re.findall(r"\"([\w-]+>=[\d.]+)", extras)) - {"msgspec>=0.18"}
    source = "".join(path.read_text("utf-8") for path in (ROOT / "src").rglob("*.py"))
    calls = re.findall(r"optional_import\((.*)\):$", source, re.MULTILINE)
    assert wanted <= set(re.findall(r"[\"']([\w-]+>=[\d.]+)[\"']", "".join(calls)))


def test_one_index_in_two_orders_is_refused_everywhere(load):
    first = pd.Series([0, 1] * 30)
    other = first.sample(frac=1, random_state=0)
    pair, module = {"references": first, "predictions": first}, load("nit")
    for name, run, *given, options in (
        ("y_pred", informedness.nit_score, first, other, {}),
        ("sample_weight", informedness.ema_score, first, first, {"sample_weight": other}),
        ("counts", ContingencyTable.from_counts, pair | {"counts": other}),
        ("n_samples", ContingencyTable.from_counts, pair | {"counts": first, "n_samples": other}),
        ("sample_weight", Tally().update, pair | {"sample_weight": other}),
        ("predictions", module.compute, pair | {"predictions": other}),
        ("sample_weight", module.add_batch, pair | {"sample_weight": other}),
        ("groups", informedness.estimate, first, first, {"groups": other}),
        ("y_pred_b", informedness.compare, first, first, other, {}),
        ("groups", informedness.compare, first, first, 1 - first, {"groups": other}),
        (r"by\['y'\]", informedness.slices, first, first, {"by": {"y": other}}),
        (r"y_pred\['a'\]\[1\]", informedness.leaderboard, first, {"a": [first, other]}, {}),
        ("y", cross_val_estimate, GaussianNB(), first.to_frame(), other, {}),
    ):
        message = rf"^`{name}` must have .* Pass {name}\.loc\[.*to_numpy"
        with pytest.raises(ValueError, match=message):
            run(*given, **options)
    by_position = informedness.nit_score(first.tolist(), other.tolist())
    for same in (other.to_numpy(), other.reset_index(drop=True)):
        assert informedness.nit_score(first, same) == by_position
    assert informedness.nit_score(first[:30], first[30:]) == 1  # other samples


@pytest.mark.release
@pytest.mark.full
def test_quick_tests_pass_in_an_odd_environment(tmp_path):
    folder = copied(tmp_path / "a blank and ö")
    kept = {x: value for x, value in os.environ.items() if not x.startswith(("HF_", "LC_", "LANG"))}
    odd = {"HOME": "/dev/null", "LC_ALL": "C", "TZ": "Pacific/Chatham"}
    env = {**kept, **odd, "PYTHONPATH": str(folder / "src")}
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider"]
    command += ["-m", "not slow and not browser and not full and not release", "tests"]
    result = subprocess.run(command, cwd=folder, env=env, capture_output=True, encoding="utf-8")
    assert result.returncode == 0, result.stdout[-4000:]
