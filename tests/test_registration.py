"""By bare name from anywhere: registered whole, by many at once, up and down, and undone."""

import json
import os
import shutil
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

import informedness
from informedness.scores.registry import MODULES

LOAD = """
import evaluate
for name in ("informedness", "nit"):
    scores = evaluate.load(name).compute(predictions=["a", "b", "b"], references=["a", "b", "a"])
    print({score: round(value, 12) for score, value in scores.items()})
"""
SCORES = ["{'informedness': 0.5}", "{'nit': 0.595275394488}"]


@pytest.fixture
def cache(tmp_path):
    return tmp_path / "modules"


# With transformers, `import evaluate` imports torch too, which takes seconds in each process.
LIGHT = "import sys; sys.modules['transformers'] = None\n"


def run(code, cache, cwd="/", **environment):
    """Run Python in a fresh process whose cache of modules is `cache`."""
    return subprocess.run(
        [sys.executable, "-c", LIGHT + code],
        cwd=cwd,
        env={**os.environ, "HF_MODULES_CACHE": str(cache), **environment},
        capture_output=True,
        text=True,
    )


def register(cache, package=None, **environment):
    """Register in a fresh process, from the checkout or from a copy of the package."""
    if package is not None:
        environment["PYTHONPATH"] = str(package)
    result = run("import informedness; print(informedness.register())", cache, **environment)
    assert result.returncode == 0, result.stderr
    return result


def copies(cache, name="informedness"):
    folder = cache / "evaluate_modules" / "metrics" / f"evaluate-metric--{name}"
    return sorted(path for path in folder.glob("*") if len(path.name) == 64)


def state(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


@pytest.fixture(scope="module")
def version(tmp_path_factory):
    """Return a function that copies the package with its modules, as a wheel has them, changed."""

    def make(text):
        root = tmp_path_factory.mktemp("version")
        package = root / "informedness"
        shutil.copytree(Path(informedness.__file__).parent, package, dirs_exist_ok=True)
        for name in MODULES:
            (package / "metrics" / name).mkdir(parents=True)
            for path in Path(informedness.module_path(name)).glob("*.py"):
                source = path.read_text(encoding="utf-8")
                (package / "metrics" / name / path.name).write_text(
                    source.replace("{score.name: values}", f"{{score.name: {text}}}"),
                    encoding="utf-8",
                )
        return root

    return make


def test_a_registered_module_loads_by_bare_name_from_any_folder(cache, tmp_path):
    register(cache)
    assert run(LOAD, cache, cwd=tmp_path).stdout.splitlines() == SCORES


def test_it_loads_where_the_hub_cannot_be_reached(cache, tmp_path):
    register(cache)
    with socket.socket() as taken:  # a port that is bound and not listened to refuses
        taken.bind(("127.0.0.1", 0))
        endpoint = f"http://127.0.0.1:{taken.getsockname()[1]}"
        result = run(LOAD, cache, HF_EVALUATE_OFFLINE="0", HF_ENDPOINT=endpoint)
    assert result.stdout.splitlines() == SCORES


@pytest.mark.parametrize("status", [401, 404])
def test_it_loads_where_the_hub_says_no(cache, status, hub_that_answers):
    register(cache)
    endpoint = hub_that_answers(status)
    result = run(LOAD, cache, HF_EVALUATE_OFFLINE="0", HF_ENDPOINT=endpoint)
    assert result.stdout.splitlines() == SCORES, result.stderr


def test_registering_again_touches_nothing(cache):
    register(cache)
    before = state(cache)
    register(cache)
    assert state(cache) == before


@pytest.mark.parametrize("damage", ["half a script", "no script", "no helper"])
def test_a_damaged_copy_is_repaired(cache, damage):
    register(cache)
    (copy,) = copies(cache)
    if damage == "half a script":
        script = copy / "informedness.py"
        script.write_bytes(script.read_bytes()[:500])
    else:
        (copy / ("informedness.py" if damage == "no script" else "labels.py")).unlink()
    register(cache)
    assert copies(cache) == [copy]
    assert run(LOAD, cache).stdout.splitlines() == SCORES


def test_half_a_copy_of_another_version_does_not_stand_in_the_way(cache):
    register(cache)
    (copy,) = copies(cache)
    (copy.parent / ("0" * 64)).mkdir()
    register(cache)
    assert copies(cache) == [copy]
    assert run(LOAD, cache).stdout.splitlines() == SCORES


def test_the_version_registered_last_loads_up_and_down(cache, version):
    for text in ("0.25", "0.75", "0.25"):
        register(cache, version(text))
        first, _ = run(LOAD, cache).stdout.splitlines()
        assert first == f"{{'informedness': {text}}}"
    assert len(copies(cache)) == 2


def test_a_copy_dated_in_the_future_does_not_win(cache, version):
    register(cache, version("0.25"))
    (copy,) = copies(cache)
    future = time.time() + 1e6
    os.utime(copy / "informedness.py", (future, future))
    register(cache)
    assert run(LOAD, cache).stdout.splitlines() == SCORES


def test_eight_processes_may_register_at_once(cache):
    code = LIGHT + "import informedness; informedness.register()"
    environment = {**os.environ, "HF_MODULES_CACHE": str(cache)}
    processes = [subprocess.Popen([sys.executable, "-c", code], env=environment) for _ in range(8)]
    assert [process.wait(timeout=600) for process in processes] == [0] * 8
    assert len(copies(cache)) == 1
    assert not list(cache.rglob(".staged-*"))
    assert run(LOAD, cache).stdout.splitlines() == SCORES


# How a copy is moved into place is replaced: by the end of the process, or by waiting.
DIES = """
import os, pathlib
for how in ("rename", "replace"):
    setattr(pathlib.Path, how, lambda *_: os._exit(9))
import informedness
informedness.register()
"""
WAITS = """
import pathlib, time
rename = pathlib.Path.rename
def wait(path, target):
    print(flush=True)
    time.sleep(3)
    return rename(path, target)
pathlib.Path.rename = wait
import informedness
informedness.register()
"""

pytestmark = pytest.mark.slow


def staged(cache):
    return list(cache.rglob(".staged-*"))


def test_what_a_killed_process_leaves_behind_goes_with_the_next_one(cache):
    assert run(DIES, cache).returncode == 9
    assert staged(cache)
    register(cache)
    assert not staged(cache)
    assert run(LOAD, cache).stdout.splitlines() == SCORES
    (copy,) = copies(cache)
    (copy.parent / ".staged-x").mkdir()  # killed after the copy was in place
    register(cache)
    assert not staged(cache)


def test_unregister_removes_what_a_killed_process_leaves_behind(cache):
    assert run(DIES, cache).returncode == 9
    result = run("import informedness; print(informedness.unregister())", cache)
    assert (result.stdout, result.stderr) == ("[]\n", "")
    assert not list(cache.rglob("evaluate-metric--*"))


@pytest.mark.parametrize("call", ["register", "unregister"])
def test_a_copy_that_is_being_made_is_left_alone(cache, call):
    environment = {**os.environ, "HF_MODULES_CACHE": str(cache)}
    command = [sys.executable, "-c", LIGHT + WAITS]
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as making:
        making.stdout.readline()
        assert staged(cache)
        assert run(f"import informedness; informedness.{call}()", cache).returncode == 0
        assert making.wait(timeout=60) == 0
    assert not staged(cache)
    register(cache)
    assert run(LOAD, cache).stdout.splitlines() == SCORES


@pytest.mark.parametrize("call", ["register", "unregister"])
@pytest.mark.parametrize("missing", ["evaluate", "filelock"])
def test_without_evaluate_or_filelock_the_extra_is_named(cache, missing, call):
    code = f"sys.modules[{missing!r}] = None\nimport informedness.cli\n"
    result = run(f"{code}sys.exit(informedness.cli.main([{call!r}]))", cache)
    assert (result.returncode, result.stdout) == (2, "")
    assert "pip install 'informedness[evaluate]'" in result.stderr
    assert missing in result.stderr
    result = run(f"{code}informedness.{call}()", cache)
    assert "\nImportError: registering needs Hugging Face evaluate" in result.stderr


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path):
    file = tmp_path / "file"
    file.touch()
    result = run("import informedness; informedness.register()", file / "modules")
    assert "OSError: cannot register 'informedness' in " in result.stderr
    assert "set HF_MODULES_CACHE to one that is" in result.stderr


def test_unregister_removes_what_register_made_and_nothing_else(cache):
    register(cache)
    (copy,) = copies(cache)
    other = copy.parent / ("f" * 64)
    other.mkdir()
    (other / "informedness.py").write_text("# from the Hub")
    result = run("import informedness; print(len(informedness.unregister()))", cache)
    assert result.stdout == "2\n"
    assert copies(cache) == [other]
    assert copies(cache, "nit") == []
    assert run("import informedness; print(informedness.unregister())", cache).stdout == "[]\n"
    assert "FileNotFoundError" in run("import evaluate; evaluate.load('nit')", cache).stderr


@pytest.mark.parametrize("name", MODULES)
def test_module_path_is_a_folder_that_evaluate_loads(name, load):
    path = informedness.module_path(name)
    assert Path(path).is_absolute()
    assert list(load(path).compute(references=[0, 1], predictions=[0, 1])) == [name]


def test_module_path_refuses_a_metric_there_is_not():
    with pytest.raises(ValueError, match=r"`name` must be one of .*'informedness', 'nit'.* 'f1'"):
        informedness.module_path("f1")


def test_the_mark_of_a_copy_names_who_registered_it(cache):
    register(cache)
    (copy,) = copies(cache)
    mark = json.loads((copy / "informedness.json").read_text())
    assert mark == {"registered by": "informedness"}
