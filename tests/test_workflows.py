"""What the workflows run can pass: each finds what it installs, on the systems it names.

That actions are pinned and checkouts keep no token is what zizmor tells, in a workflow of its own;
that tests import only what is installed, `make test-oldest`.
"""

import re
from pathlib import Path

import pytest
import tomllib
import yaml

pytestmark = pytest.mark.full  # tomllib is of Python 3.11

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
WORKFLOWS = ROOT / ".github" / "workflows"
MAKEFILE = (ROOT / "Makefile").read_text("utf-8")
TEXTS = "".join(path.read_text("utf-8") for path in WORKFLOWS.glob("*.yml"))
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
GROUPS = PROJECT["dependency-groups"]
CELL = yaml.safe_load((WORKFLOWS / "ci.yml").read_text("utf-8"))["jobs"]["scores"]
_, INSTALL, COMMAND = (step["run"] for step in CELL["steps"] if "run" in step)
OF_UNIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}


def test_other_systems_install_the_group_that_is_tried_with_the_lowest_versions():
    assert INSTALL == "python -m pip install . --group test-scores"
    assert "--group test-scores" in MAKEFILE.partition("$(VENV)/oldest/.done: ")[2]


def test_the_files_that_run_on_every_system_are_there_and_import_nothing_of_one_system():
    assert '-m "not slow and not browser and not full"' in COMMAND
    named = [ROOT / word for word in COMMAND.split() if word.endswith(".py")]
    assert named
    shared = [*TESTS.glob("inputs/*.py"), *TESTS.glob("oracles/*.py"), *ROOT.glob("src/**/*.py")]
    for path in (*named, TESTS / "conftest.py", *shared):
        text = path.read_text("utf-8")
        assert not re.search(r"^pytestmark = .*mark\.full", text, re.M), path
        assert not {*re.findall(r"^(?:import|from) (\w+)", text, re.M)} & OF_UNIX, path


def test_every_python_that_the_classifiers_name_has_a_cell():
    project = PROJECT["project"]
    said = {x.rpartition(" ")[2] for x in project["classifiers"] if "Python :: 3." in x}
    cells = {x.rstrip("t") for x in CELL["strategy"]["matrix"]["python"]}
    assert cells == said
    assert min(said, key=lambda x: int(x[2:])) == project["requires-python"].removeprefix(">=")


def test_every_long_test_is_in_a_workflow():
    targets = re.findall(r"^(test-[\w-]+):(?! export)", MAKEFILE, re.M)
    assert [x for x in targets if not re.search(rf"\b{x}\b", TEXTS)] == []


def test_a_release_is_built_alone_tried_elsewhere_and_published_with_attestations():
    jobs = yaml.safe_load((WORKFLOWS / "publish.yml").read_text("utf-8"))["jobs"]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert commands == ["python -m pip install --group build", "python -m build"]
    assert [need[:7] for need in GROUPS["build"]] == ["build=="]
    uploads = [name for name, job in jobs.items() if "upload-artifact" in str(job)]
    assert uploads == ["build"]
    assert jobs["publish"]["needs"] == ["build", "try"]
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    assert "gh-action-pypi-publish" in str(jobs["publish"])
