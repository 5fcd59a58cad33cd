"""By bare name from anywhere: registered whole, by many at once, up and down, and undone."""

import importlib
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import evaluate
import filelock
import pytest

import informedness
from informedness import registration
from informedness.statistics.registry import MODULES

SCORES = {"informedness": 0.5, "nit": pytest.approx(0.595275394488, abs=1e-12)}


def forget_loaded_modules():
    """Forget what evaluate has loaded, as a new process would not know it; return it."""
    importlib.invalidate_caches()
    names = [name for name in sys.modules if name.partition(".")[0] == "evaluate_modules"]
    return {name: sys.modules.pop(name) for name in names}


@pytest.fixture
def cache(tmp_path, monkeypatch):
    """Return the folder of evaluate's modules, another one for each test."""
    folder = tmp_path / "modules"
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", folder)
    monkeypatch.setattr(sys, "path", [str(folder), *sys.path])
    forgotten = forget_loaded_modules()
    yield folder
    forget_loaded_modules()
    sys.modules.update(forgotten)


def scores_by_bare_name(cache):
    """Return both scores as a process that has loaded nothing yet gets them."""
    forget_loaded_modules()
    scores = {}
    for name in ("informedness", "nit"):
        metric = evaluate.load(name)
        assert Path(sys.modules[type(metric).__module__].__file__).is_relative_to(cache)
        scores |= metric.compute(predictions=["a", "b", "b"], references=["a", "b", "a"])
    return scores


def copies(cache, name="informedness"):
    folder = cache / "evaluate_modules" / "metrics" / f"evaluate-metric--{name}"
    return sorted(path for path in folder.glob("*") if len(path.name) == 64)


def staged(cache):
    return list(cache.rglob(".staged-*"))


def state(folder):
    return {path: path.stat().st_mtime_ns for path in folder.rglob("*")}


def install(version, folder, monkeypatch):
    """Let the modules be those of another version, whose scores are `version`."""
    for name in MODULES:
        (folder / version / name).mkdir(parents=True, exist_ok=True)
        for path in Path(informedness.module_path(name)).glob("*.py"):
            source = path.read_text("utf-8")
            source = source.replace("{name: value}", f"{{name: {version}}}")
            (folder / version / name / path.name).write_text(source, "utf-8")
    monkeypatch.setattr(registration, "module_path", lambda name: str(folder / version / name))


def test_a_registered_module_loads_by_bare_name_whatever_the_hub_says(
    cache, tmp_path, monkeypatch, hub_that_answers
):
    informedness.register()
    monkeypatch.chdir(tmp_path)
    assert scores_by_bare_name(cache) == SCORES
    monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", False)
    with socket.socket() as taken:  # a port that is bound and not listened to refuses
        taken.bind(("127.0.0.1", 0))
        refuses = f"http://127.0.0.1:{taken.getsockname()[1]}"
        for endpoint in (refuses, hub_that_answers(401), hub_that_answers(404)):
            monkeypatch.setattr(evaluate.config, "HF_ENDPOINT", endpoint)
            url = f"{endpoint}/spaces/{{path}}/resolve/{{revision}}/{{name}}"
            monkeypatch.setattr(evaluate.config, "HUB_EVALUATE_URL", url)
            assert scores_by_bare_name(cache) == SCORES, endpoint


def test_registering_again_touches_nothing(cache):
    registered = informedness.register()
    before = state(cache)
    assert informedness.register() == registered
    assert state(cache) == before


def test_a_damaged_copy_is_repaired(cache):
    informedness.register()
    (copy,) = copies(cache)
    script = copy / "informedness.py"
    for damage in (
        lambda: script.write_bytes(script.read_bytes()[:500]),
        script.unlink,
        (copy / "labels.py").unlink,
        # half a copy of another version
        (copy.parent / ("0" * 64)).mkdir,
    ):
        damage()
        informedness.register()
        assert copies(cache) == [copy]
        assert scores_by_bare_name(cache) == SCORES


def test_the_version_registered_last_loads_up_and_down(cache, tmp_path, monkeypatch):
    for version in ("0.25", "0.75", "0.25"):
        install(version, tmp_path, monkeypatch)
        informedness.register()
        assert scores_by_bare_name(cache)["informedness"] == float(version)
    both = copies(cache)
    assert len(both) == 2
    for copy in both:  # a date in the future does not win either
        os.utime(copy / "informedness.py", (time.time() + 1e6,) * 2)
    install("0.75", tmp_path, monkeypatch)
    informedness.register()
    assert scores_by_bare_name(cache)["informedness"] == 0.75


# The first process dies when it moves a copy into place. Then eight register at once, and the last
# one loads by bare name, with nothing but its cache. Without transformers, which evaluate imports
# if it is there, and torch with it, all this takes seconds less.
PROCESSES = """
import multiprocessing, os, pathlib, sys
sys.modules["transformers"] = None
import evaluate
import informedness

def register(at_once):
    at_once.wait()
    informedness.register()

def die():
    pathlib.Path.rename = pathlib.Path.replace = lambda *_: os._exit(9)
    informedness.register()

def code(processes):
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    return [process.exitcode for process in processes]

context = multiprocessing.get_context("fork")
print(code([context.Process(target=die)]))
print([path.name[:8] for path in pathlib.Path(sys.argv[1]).rglob(".staged-*")])
at_once = context.Barrier(8)
print(code([context.Process(target=register, args=(at_once,)) for _ in range(8)]))
samples = {"predictions": ["a", "b", "b"], "references": ["a", "b", "a"]}
print(evaluate.load("informedness").compute(**samples))
"""


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "fork"), reason="there is no fork on this system")
def test_eight_processes_may_register_at_once_after_one_that_was_killed(tmp_path):
    cache = tmp_path / "modules"
    result = subprocess.run(
        [sys.executable, "-c", PROCESSES, str(cache)],
        cwd=tmp_path,
        env={**os.environ, "HF_MODULES_CACHE": str(cache)},
        capture_output=True,
        text=True,
    )
    assert result.stdout.splitlines() == [
        "[9]",
        "['.staged-']",
        str([0] * 8),
        "{'informedness': 0.5}",
    ], result.stderr
    assert len(copies(cache)) == 1
    assert not staged(cache)


def test_what_a_killed_process_leaves_behind_goes_with_the_next_one(cache):
    informedness.register()
    (copy,) = copies(cache)
    (copy.parent / ".staged-x").mkdir()  # killed after the copy was in place
    informedness.register()
    assert not staged(cache)
    assert scores_by_bare_name(cache) == SCORES
    shutil.rmtree(copy)
    (copy.parent / ".staged-x").mkdir()  # killed before that
    assert str(copy) not in informedness.unregister()
    assert not list(cache.rglob("evaluate-metric--*"))


@pytest.mark.parametrize("call", [informedness.register, informedness.unregister])
def test_a_copy_that_is_being_made_is_left_alone(cache, monkeypatch, call):
    rename, lock = Path.rename, filelock.FileLock
    at_rename, may_rename, at_lock = (threading.Event() for _ in range(3))

    def wait(path, target):
        at_rename.set()
        assert may_rename.wait(300)
        return rename(path, target)

    def tell(path):
        at_lock.set()
        return lock(path)

    monkeypatch.setattr(Path, "rename", wait)
    with ThreadPoolExecutor(2) as pool:
        making = pool.submit(informedness.register)
        try:
            assert at_rename.wait(300)
            monkeypatch.setattr(filelock, "FileLock", tell)
            other = pool.submit(call)
            assert at_lock.wait(300)
            assert not other.done()
            assert staged(cache)
        finally:
            may_rename.set()
    making.result()
    other.result()
    assert not staged(cache)
    informedness.register()
    assert scores_by_bare_name(cache) == SCORES


def test_without_evaluate_or_filelock_the_extra_is_named(command, monkeypatch):
    for call in ("register", "unregister"):
        for missing in ("evaluate", "filelock"):
            with monkeypatch.context() as patch:
                patch.setitem(sys.modules, missing, None)
                code, output, errors = command(call)
                with pytest.raises(ImportError, match=r"^registering needs Hugging Face"):
                    getattr(informedness, call)()
            assert (code, output) == (2, "")
            assert "pip install 'informedness[evaluate]'" in errors
            assert missing in errors


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "file" / "modules")
    message = r"^cannot register 'informedness' in .*set HF_MODULES_CACHE to one that is"
    with pytest.raises(OSError, match=message):
        informedness.register()


def test_unregister_removes_what_register_made_and_nothing_else(cache):
    informedness.register()
    (copy,) = copies(cache)
    mark = json.loads((copy / "informedness.json").read_text())
    assert mark == {"registered by": "informedness"}
    other = copy.parent / ("f" * 64)
    other.mkdir()
    (other / "informedness.py").write_text("# from the Hub")
    assert len(informedness.unregister()) == 2
    assert copies(cache) == [other]
    assert copies(cache, "nit") == []
    assert informedness.unregister() == []
    with pytest.raises(FileNotFoundError):
        evaluate.load("nit")


@pytest.mark.parametrize("name", MODULES)
def test_module_path_is_a_folder_that_evaluate_loads(name):
    path = informedness.module_path(name)
    assert Path(path).is_absolute()
    metric = evaluate.load(path)
    assert list(metric.compute(references=[0, 1], predictions=[0, 1])) == [name]


def test_module_path_refuses_a_metric_there_is_not():
    with pytest.raises(ValueError, match=r"`name` must be one of .*'informedness', 'nit'.* 'f1'"):
        informedness.module_path("f1")
