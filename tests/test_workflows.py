"""What the workflows run can pass: each finds what it installs, on the systems it names.

That actions are pinned and checkouts keep no token is what zizmor tells, in a workflow of its own;
that tests import only what is installed, `make test-oldest`.
"""

import os
import re
import shutil
import subprocess
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


def test_other_systems_install_the_group_of_lowest_versions():
    assert INSTALL == "python -m pip install . --group test-scores"
    assert "--group test-scores" in MAKEFILE.partition("$(VENV)/oldest/.done: ")[2]


def test_files_for_every_system_are_portable():
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


def test_a_release_is_built_tried_and_attested():
    jobs = yaml.safe_load((WORKFLOWS / "publish.yml").read_text("utf-8"))["jobs"]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert commands == ["python -m pip install --group build", "python -m build"]
    assert [need[:7] for need in GROUPS["build"]] == ["build=="]
    uploads = [name for name, job in jobs.items() if "upload-artifact" in str(job)]
    assert uploads == ["build"]
    assert jobs["publish"]["needs"] == ["build", "try"]
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    assert "gh-action-pypi-publish" in str(jobs["publish"])


COMMANDS = [  # which a shell or make may run; all but those with blanks can be the name of a tag
    *('1.0";touch${IFS}run;"', "1.0';touch${IFS}run;'", "$(touch${IFS}run)", "`touch${IFS}run`"),
    *(
        "$(shell${IFS}touch${IFS}run)",
        "$(shell touch run)",
        "$$(touch${IFS}run)",
        "$(info;x)",
        "$$",
    ),
    *(
        "1.0;touch${IFS}run",
        "1.0&&touch${IFS}run",
        "1.0|tee${IFS}run",
        "1.0>run",
        "$HOME",
        "${VENV}",
    ),
    *(
        '"',
        "'",
        "\\",
        "#1.0",
        "1.0!",
        "{1,2}",
        "1.0\ntouch run",
        "ü",
        "a b",
        "--check",
        "1.0=2",
        "@",
    ),
]


@pytest.mark.parametrize("name", ["0.2.0", *COMMANDS])
def test_the_name_of_a_tag_reaches_the_release_as_it_is(tmp_path, name):
    """Run as the workflow runs it, with a program for Python that writes what it is given."""
    shutil.copy(ROOT / "Makefile", tmp_path)
    (tmp_path / "pyproject.toml").touch()
    python = tmp_path / ".venv" / "bin" / "python"
    python.parent.mkdir(parents=True)
    python.write_text('#!/bin/sh\nprintf "%s\\0" "$@" >> given\n')
    python.chmod(0o755)
    (tmp_path / ".venv" / ".test").touch()
    job = yaml.safe_load((WORKFLOWS / "publish.yml").read_text("utf-8"))["jobs"]["try"]
    (command,) = (step["run"] for step in job["steps"] if "run" in step)
    env = os.environ | {"GITHUB_REF_NAME": f"release-{name}"}
    subprocess.run(["bash", "-e", "-c", command], cwd=tmp_path, env=env, check=True)
    given = (tmp_path / "given").read_text("utf-8").split("\0")
    assert given == ["spaces/release.py", name, "--archives", "dist", ""]
    made = {"Makefile", "pyproject.toml", ".venv", "given"}
    assert {path.name for path in tmp_path.iterdir()} == made
