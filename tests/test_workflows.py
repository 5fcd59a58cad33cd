"""What the workflows run can pass: each file finds what they install, on the systems they name."""

import ast
import functools
import re
import subprocess
import sys
from importlib import metadata
from pathlib import Path

import pytest
import tomllib
import yaml
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

pytestmark = pytest.mark.full  # tomllib is of Python 3.11, and the group `test` has what it maps

ROOT = Path(__file__).resolve().parent.parent
TESTS = ROOT / "tests"
HERE = [TESTS, TESTS / "space", ROOT / "spaces", ROOT / "examples", ROOT / "src"]
WORKFLOWS = ROOT / ".github" / "workflows"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
CELL = yaml.safe_load((WORKFLOWS / "ci.yml").read_text("utf-8"))["jobs"]["scores"]
_, INSTALL, COMMAND = (step["run"] for step in CELL["steps"] if "run" in step)
OF_UNIX = {"fcntl", "grp", "posix", "pty", "pwd", "resource", "syslog", "termios", "tty"}
OUT = re.compile(r"pytest\.mark\.full\b")  # of what these runs take


def group(name):
    """Return the requirements of a dependency group, those of the groups it includes too."""
    for need in PROJECT["dependency-groups"][name]:
        yield from [need] if isinstance(need, str) else group(need["include-group"])


def installed_by(name):
    """Return the names of the distributions that come with a group, theirs included."""
    needs = [Requirement("informedness"), *map(Requirement, group(name))]
    for one in needs:  # those of the needs too
        for need in map(Requirement, metadata.requires(one.name) or []):
            extras = {*one.extras, ""}
            is_of_these = any(not need.marker or need.marker.evaluate({"extra": x}) for x in extras)
            needs += [need] if is_of_these and need not in needs else []
    return {canonicalize_name(need.name) for need in needs}


def imports(tree, is_test):
    """Yield what is imported; of the package only what is imported with the module.

    What a `try` catches may be missing, and tests that are left out may import what they like.
    """
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and not node.level:
            yield from (node.module, *(f"{node.module}.{alias.name}" for alias in node.names))
        elif isinstance(node, ast.Try) and "ImportError" in ast.unparse(node.handlers):
            continue
        elif isinstance(node, ast.FunctionDef | ast.ClassDef | ast.Lambda):
            marks = " ".join(map(ast.unparse, getattr(node, "decorator_list", [])))
            yield from imports(node, is_test) if is_test and not OUT.search(marks) else ()
        else:
            yield from imports(node, is_test)


def reached(path):
    """Return the modules of others that a file imports, itself or by files of ours."""
    others, paths = set(), [path, TESTS / "conftest.py"]
    for path in paths:  # those that a file imports too
        for parts in (name.split(".") for name in names_in(path)):
            ours = [h for h in HERE if (h / parts[0]).exists() or (h / f"{parts[0]}.py").exists()]
            others |= set() if ours else {parts[0]}
            places = (h.joinpath(*parts) for h in ours)
            files = (y for x in places for y in (x.with_suffix(".py"), x / "__init__.py"))
            paths += [x for x in files if x.is_file() and x not in paths]
    return others


@functools.cache
def names_in(path):
    is_test = TESTS in path.parents and path.name != "conftest.py"  # a fixture is asked for
    return {*imports(ast.parse(path.read_text("utf-8")), is_test)}


def is_left_out(path):
    marks = re.search(r"^pytestmark = .*?^$", path.read_text("utf-8"), re.M | re.S)
    return bool(marks and OUT.search(marks[0]))


FILES = [x for x in sorted(TESTS.glob("**/test_*.py")) if x.parent in (TESTS, TESTS / "space")]


@pytest.mark.slow
def test_files_import_what_the_group_of_the_workflow_installs():
    """The same group is installed with the lowest versions."""
    assert INSTALL == "python -m pip install . --group test-scores"
    assert "--group test-scores" in (ROOT / "Makefile").read_text("utf-8")
    names, installed = metadata.packages_distributions(), installed_by("test-scores")
    for path in FILES:
        others = reached(path) - sys.stdlib_module_names
        missing = {x for x in others if not {*map(canonicalize_name, names.get(x, []))} & installed}
        assert is_left_out(path) or not missing, (path, missing)


def test_the_files_that_run_on_every_system_are_there_and_import_nothing_of_one_system():
    assert '-m "not slow and not browser and not full"' in COMMAND
    named = [ROOT / x for x in COMMAND.split() if x.endswith(".py")]
    assert {*named} <= {*FILES}
    for path in named:
        assert not is_left_out(path)
        assert not reached(path) & OF_UNIX, path


def test_every_python_that_the_classifiers_name_has_a_cell():
    project = PROJECT["project"]
    said = {x.rpartition(" ")[2] for x in project["classifiers"] if "Python :: 3." in x}
    cells = {x.rstrip("t") for x in CELL["strategy"]["matrix"]["python"]}
    assert cells == said
    assert min(said, key=lambda x: int(x[2:])) == project["requires-python"].removeprefix(">=")


def test_every_action_is_pinned_to_a_digest_with_its_version_beside_it():
    for path in WORKFLOWS.glob("*.yml"):
        for line in re.findall(r"uses: (.*)", path.read_text("utf-8")):
            assert re.fullmatch(r"[\w-]+/[\w-]+@[0-9a-f]{40}  # v\d+\.\d+\.\d+", line), line


def test_groups_are_no_extras_of_users_and_each_is_installed_by_a_command():
    groups, project = PROJECT["dependency-groups"], PROJECT["project"]
    assert not groups.keys() & project["optional-dependencies"].keys()
    texts = [path.read_text("utf-8") for path in (*WORKFLOWS.glob("*.yml"), ROOT / "Makefile")]
    named = {*re.findall(r"(?:--group|\(INSTALL\)) ([\w-]+)", "".join(texts))}
    needs = [need for needs in groups.values() for need in needs if isinstance(need, dict)]
    assert named | {need["include-group"] for need in needs} == groups.keys()


def test_a_release_is_built_alone_tried_elsewhere_and_published_with_attestations():
    jobs = yaml.safe_load((WORKFLOWS / "publish.yml").read_text("utf-8"))["jobs"]
    commands = [step["run"] for step in jobs["build"]["steps"] if "run" in step]
    assert commands == ["python -m pip install --group build", "python -m build"]
    assert [need[:7] for need in group("build")] == ["build=="]
    uploads = [name for name, job in jobs.items() if "upload-artifact" in str(job)]
    assert uploads == ["build"]
    assert jobs["publish"]["needs"] == ["build", "try"]
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    assert "gh-action-pypi-publish" in str(jobs["publish"])


def test_no_checkout_keeps_its_token_and_every_long_test_is_in_a_workflow():
    texts = [path.read_text("utf-8") for path in WORKFLOWS.glob("*.yml")]
    checkouts = re.findall(r"actions/checkout@.*\n(.*\n.*\n)", "".join(texts))
    assert {" ".join(x.split()) for x in checkouts} == {"with: persist-credentials: false"}
    targets = re.findall(
        r"^(test-[\w-]+):(?! export)", (ROOT / "Makefile").read_text("utf-8"), re.M
    )
    assert [x for x in targets if not re.search(rf"\b{x}\b", "".join(texts))] == []


@pytest.mark.slow
def test_tests_are_collected_without_xdist():
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:xdist", "--collect-only"]
    result = subprocess.run([*command, str(TESTS / "test_release.py")], capture_output=True)
    assert result.returncode == 0, result.stdout
