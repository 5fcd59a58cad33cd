"""What all tests share: caches of their own, and the metrics by name."""

import atexit
import os
import re
import shutil
import sys
import tempfile
from pathlib import Path

# Before anything imports evaluate: it reads these once.
_HOME = tempfile.mkdtemp(prefix="informedness-tests-")
os.environ.update(HF_HOME=_HOME, HF_EVALUATE_OFFLINE="1", HF_UPDATE_DOWNLOAD_COUNTS="0")
for name in ("HF_MODULES_CACHE", "HF_METRICS_CACHE", "HF_ENDPOINT", "HF_TOKEN"):
    os.environ.pop(name, None)
atexit.register(shutil.rmtree, _HOME, ignore_errors=True)

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "spaces"))

import pytest

import informedness
from informedness.cli import main
from inputs.modules_of_evaluate import write_modules


def pytest_ignore_collect(collection_path, config):
    """Do not open what is left out as a whole: what it imports may not be installed.

    That is a file, or a folder whose conftest.py has the mark.
    """
    if "not full" not in config.option.markexpr:
        return None
    marked = collection_path / "conftest.py" if collection_path.is_dir() else collection_path
    if marked.suffix != ".py" or not marked.is_file():
        return None
    marks = re.search(r"^pytestmark = .*?^$", marked.read_text("utf-8"), re.M | re.S)
    return True if marks and "pytest.mark.full" in marks[0] else None


def pytest_collection_modifyitems(items):
    """One process has the browser and what opens a page, one what else is of the page."""
    for item in items:
        needs_browser = "browser" in getattr(item, "fixturenames", ())
        if is_of_page := item.path.parent.name == "space":
            item.add_marker(pytest.mark.slow)
        if needs_browser:
            item.add_marker(pytest.mark.browser)
        if needs_browser or is_of_page:
            item.add_marker(pytest.mark.xdist_group("page" if needs_browser else "space"))


@pytest.hookimpl(tryfirst=True)
def pytest_warning_recorded(warning_message):
    """Let xdist pass on warnings whose classes are those of modules that evaluate has made."""
    if warning_message.category.__module__.startswith("evaluate_modules"):
        warning_message.message = UserWarning(str(warning_message.message))
        warning_message.category = UserWarning


@pytest.fixture(scope="session")
def browser():
    """Return a headless Chromium; a machine without one fails the test and says so."""
    from playwright.sync_api import expect
    from screenshots import chromium

    expect.set_options(timeout=300_000)  # a busy machine is slow, not wrong
    with chromium() as started:
        yield started


@pytest.fixture(scope="session")
def registered():
    """Register both modules, so that `evaluate.load` finds them by bare name, and two of evaluate.

    Those are on the Hub, which tests do not ask.
    """
    folders = informedness.register()
    write_modules(Path(folders["nit"]).parents[2])
    return folders


@pytest.fixture(scope="session")
def load(registered):
    import evaluate

    return evaluate.load


@pytest.fixture
def command(capsys):
    """Return a function that runs the command line and gives code, stdout and stderr."""

    def run(*arguments):
        code = main(list(map(str, arguments)))
        return code, *capsys.readouterr()

    return run
