"""By bare name from anywhere: registered whole, up and down, and undone.

Covers src: registration.py.
"""

import importlib
import os
import shutil
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import evaluate
import pytest

import informedness
from informedness import registration
from informedness.inference.registry import MODULES, module_path

ROOT = Path(__file__).resolve().parents[2]
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
    return sorted(path for path in folder.glob("*") if path.is_dir() and path.name[0] != "_")


class Refusing(SimpleHTTPRequestHandler):
    """A hub that answers everything with the status of its server."""

    def send_head(self):
        self.send_error(self.server.status)


@pytest.mark.slow
def test_a_registered_module_loads_by_bare_name(cache, tmp_path, monkeypatch):
    informedness.register()
    monkeypatch.chdir(tmp_path)
    assert scores_by_bare_name(cache) == SCORES
    with ThreadingHTTPServer(("127.0.0.1", 0), Refusing) as hub:
        threading.Thread(target=hub.serve_forever, daemon=True).start()
        endpoint = f"http://127.0.0.1:{hub.server_port}"
        url = f"{endpoint}/spaces/{{path}}/resolve/{{revision}}/{{name}}"
        monkeypatch.setattr(evaluate.config, "HF_EVALUATE_OFFLINE", False)
        monkeypatch.setattr(evaluate.config, "HF_ENDPOINT", endpoint)
        monkeypatch.setattr(evaluate.config, "HUB_EVALUATE_URL", url)
        for hub.status in (401, 404):
            assert scores_by_bare_name(cache) == SCORES, hub.status
        hub.shutdown()
    assert scores_by_bare_name(cache) == SCORES  # from a port that refuses


def test_registering_again_touches_nothing(cache, monkeypatch):
    rename = Path.rename

    def register_first(staged, copy):
        monkeypatch.setattr(Path, "rename", rename)
        informedness.register()
        rename(staged, copy)

    monkeypatch.setattr(Path, "rename", register_first)
    registered = informedness.register()
    states = {path: path.stat().st_mtime_ns for path in cache.rglob("*")}
    assert informedness.register() == registered
    assert {path: path.stat().st_mtime_ns for path in cache.rglob("*")} == states


def test_the_version_registered_last_loads_up_and_down(cache, tmp_path, monkeypatch):
    for version in ("0.25", "0.75", "0.25"):
        folder = tmp_path / version
        for name in MODULES:
            shutil.copytree(module_path(name), folder / name, dirs_exist_ok=True)
            protocol = folder / name / "protocol.py"
            source = protocol.read_text("utf-8").replace("{name: value}", f"{{name: {version}}}")
            protocol.write_text(source, "utf-8")
        with monkeypatch.context() as patch:
            patch.setattr(registration, "module_path", lambda name, in_=folder: str(in_ / name))
            informedness.register()
        assert scores_by_bare_name(cache)["informedness"] == float(version)
        for copy in copies(cache):  # a date in the future does not win either
            os.utime(copy / "informedness.py", (1e10, 1e10))
    assert len(copies(cache)) == 2


def lack_a_helper(copy):
    (copy / "table.py").unlink()


def change_a_helper(copy):
    path = copy / "scores.py"  # of the same size, and in the same second
    path.write_text(path.read_text("utf-8").replace("min(max(value, -1.0)", "min(max(value, +9.0)"))


@pytest.mark.parametrize("damage", [lack_a_helper, change_a_helper])
def test_a_changed_copy_is_replaced_and_named(damage, cache, command):
    made = informedness.register()
    damage(Path(made["nit"]))
    code, output, told = command("register")
    assert (code, output.count("loads"), told.count("\n")) == (0, 2, 1)
    assert told.startswith(f"warning: replaced changed or missing files of {made['nit']}: ")
    assert scores_by_bare_name(cache) == SCORES


# With transformers, `import evaluate` imports torch too, which takes seconds.
AFTER_AN_UPGRADE = """
import sys, warnings
sys.modules["transformers"] = None
import evaluate
metrics = [evaluate.load("nit"), evaluate.load("informedness", average="macro")]
sides = {"predictions": [0, 1, 1], "references": [0, 1, 0]}
with warnings.catch_warnings(record=True) as notes:
    warnings.simplefilter("always")
    made = [m.compute(**sides, return_signature=x) for x in (False, True) for m in metrics]
print(*(x for one in made[2:] for x in one.values()), [str(note.message) for note in notes])
print(metrics[1].compute(**sides, confidence_level=0.9))
"""


@pytest.mark.slow
def test_a_metric_of_an_older_version_warns_and_signs_with_it(tmp_path):
    """Two versions in one environment, of which the newer scores otherwise."""
    now, remedy = informedness.__version__, "After an upgrade, run `informedness register`"
    for part in ("src", "metrics"):
        shutil.copytree(ROOT / part, tmp_path / part)
    kept = {"PYTHONPATH": str(tmp_path / "src"), "HF_MODULES_CACHE": str(tmp_path / "modules")}

    def run(*arguments):
        how = {"env": os.environ | kept, "capture_output": True, "text": True}
        return subprocess.run([sys.executable, *arguments], **how)

    def upgrade(path):
        text = path.read_text("utf-8").replace(f'"{now}"', '"7.8.9"')
        path.write_text(text.replace("- false_positives /", "- 2 * false_positives /"), "utf-8")

    assert run("-m", "informedness", "register").returncode == 0
    upgrade(tmp_path / "src/informedness/core/scores.py")
    used = run("-c", AFTER_AN_UPGRADE)
    assert (used.returncode, used.stdout.count(f"|v:{now} ")) == (1, 2)
    package = "the installed package informedness is version 7.8.9"
    assert used.stdout.count(f"is version {now}, and {package}. ") == used.stdout.count(remedy) == 1
    assert remedy in used.stderr.splitlines()[-1]
    for name in MODULES:
        upgrade(tmp_path / "metrics" / name / "scores.py")
    assert run("-m", "informedness", "register").returncode == 0
    used = run("-c", AFTER_AN_UPGRADE)
    assert (used.returncode, used.stdout.count("|v:7.8.9 "), "[]\n" in used.stdout) == (0, 2, True)


def test_a_cache_that_cannot_be_written_is_a_clear_error(tmp_path, monkeypatch):
    (tmp_path / "file").touch()
    monkeypatch.setattr(evaluate.config, "HF_MODULES_CACHE", tmp_path / "file" / "modules")
    message = r"^cannot register 'informedness' in .*set HF_MODULES_CACHE to a folder"
    with pytest.raises(OSError, match=message):
        informedness.register()


def test_commands_register_and_remove_only_their_copies(cache, command):
    folder = cache / "evaluate_modules" / "metrics" / "evaluate-metric--nit"
    made = informedness.register()
    loads = "".join(f'evaluate.load("{name}") loads {copy}\n' for name, copy in made.items())
    assert command("register") == (0, loads, "")
    other = Path(made["informedness"]).with_name("f" * 64)
    other.mkdir()
    (other / "informedness.py").write_text("# from the Hub")
    removed = "".join(f"removed the copy in {copy}\n" for copy in made.values())
    assert command("unregister") == (0, removed, "")
    assert copies(cache) == [other]
    assert not folder.exists()
    assert command("unregister") == (0, "nothing was registered\n", "")


MINE = ["mine.txt", "mine.py", "notes/nit.py", "__pycache__/mine.cpython-311.pyc", "../mine.txt"]


def test_files_of_others_outlive_unregister_and_register(cache, command):
    made = informedness.register()
    assert scores_by_bare_name(cache) == SCORES  # so that Python compiles them
    copy = Path(made["nit"])
    for name in MINE:
        (copy / name).parent.mkdir(exist_ok=True)
        (copy / name).write_text(name)
    for path in copy.parent / "nit.py", copy.parent / "registered_by_informedness":
        path.write_text("of somebody else")  # as files of a copy are called
    theirs = {path: path.read_text() for path in cache.rglob("*mine*")}
    mark = copy / "registered_by_informedness"
    mark.write_text(f"{mark.read_text()}\n../mine.txt\nnotes\n../nit.py")

    code, removed, told = command("unregister")
    assert (code, removed) == (0, "".join(f"removed the copy in {x}\n" for x in made.values()))
    left = (
        "(__pycache__, mine.py, mine.txt, notes): move the folder away, or `evaluate` cannot load "
        "any other copy"
    )
    assert told == f"warning: kept {copy}, which has other files {left}\n"
    assert {path for path in copy.rglob("*") if path.is_file()} == {copy / x for x in MINE[:-1]}
    assert not Path(made["informedness"]).parent.exists()
    assert (copy.parent / "nit.py").exists()

    assert command("register")[0] == 0
    assert scores_by_bare_name(cache) == SCORES
    (copy / "nit.py").unlink()
    assert command("register")[0] == 0
    assert scores_by_bare_name(cache) == SCORES
    assert {path: path.read_text() for path in theirs} == theirs


@pytest.mark.parametrize("linked", ["..", ".", "__pycache__"])
def test_nothing_is_removed_from_a_linked_folder(linked, cache, tmp_path):
    copy = Path(informedness.register()["nit"])
    (copy / "__pycache__").mkdir()
    (copy / "__pycache__" / "nit.cpython-311.pyc").touch()
    place = {"..": copy.parent, ".": copy, "__pycache__": copy / "__pycache__"}[linked]
    place.rename(tmp_path / "elsewhere")
    place.symlink_to(tmp_path / "elsewhere", target_is_directory=True)
    before = {*tmp_path.rglob("*")}
    with pytest.raises(OSError, match=f"^{place} is a symbolic link, .*: unlink it$"):
        informedness.unregister()
    assert {*tmp_path.rglob("*")} == before


def test_a_linked_cache_is_registered_in_and_unregistered_from(cache, tmp_path):
    (tmp_path / "of_the_disk").mkdir()
    cache.symlink_to(tmp_path / "of_the_disk", target_is_directory=True)
    made = informedness.register()
    assert informedness.unregister() == [*made.values()]
    assert not [*cache.rglob("*--nit*")]


def test_the_folder_of_no_metric_is_refused():
    with pytest.raises(ValueError, match=r"`name` must be one of .*'informedness', 'nit'.* 'f1'"):
        module_path("f1")
