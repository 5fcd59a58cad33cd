"""`make release` refuses what does not say the version, and tries what it builds.

All tests have one checkout, in which all is ready for version 7.8.9, and which is put back after
each.
"""

import importlib
import os
import re
import shutil
import subprocess
import sys
import zipfile
from datetime import date
from pathlib import Path

import pytest

from golden import BY_ID, close
from informedness import __version__
from space.hub import Hub
from test_package import files_of_a_wheel

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("release checkout")]

ROOT = Path(__file__).resolve().parent.parent
NOW = __version__
NEW = "7.8.9"
TODAY = date.today()
VERSION_FILE = "src/informedness/core/scores.py"
GIT = ("git", "-c", "user.name=Someone", "-c", "user.email=someone@example.org")


class Checkout:
    """A folder under version control, and what its owner runs there."""

    def __init__(self, folder):
        self.folder = folder

    def run(self, *command, **variables):
        # The path is the trap: what is installed must not be found there.
        env = {**os.environ, "PYTHONPATH": str(self.folder / "src"), **variables}
        return subprocess.run(command, cwd=self.folder, env=env, capture_output=True, text=True)

    def git(self, *arguments):
        result = self.run(*GIT, *arguments)
        assert result.returncode == 0, result.stderr
        return result.stdout

    def commit(self):
        self.git("add", "--all")
        self.git("commit", "--quiet", "--message=A change")

    def edit(self, name, old, new):
        path = self.folder / name
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new), "utf-8")

    def put_back(self):
        """Leave nothing but the first commit."""
        for name in self.git("tag").split():
            self.git("tag", "--delete", name)
        for name in self.git("remote").split():
            self.git("remote", "remove", name)
        first = self.git("rev-list", "--max-parents=0", "HEAD").strip()
        self.git("reset", "--quiet", "--hard", first)
        self.git("clean", "--quiet", "-d", "--force", "-x")

    def release(self):
        here = Path(sys.executable).parent
        return self.run(
            "make", "--old-file=.venv/.test", f"BIN={here}", "release", f"VERSION={NEW}"
        )


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """Prepare the version as CONTRIBUTING says."""
    ignored = (".git", ".venv", "build", "dist", "demo-output", "__pycache__", ".*_cache")
    folder = tmp_path_factory.mktemp("ready") / "checkout"
    shutil.copytree(ROOT, folder, ignore=shutil.ignore_patterns(*ignored))
    checkout = Checkout(folder)
    checkout.git("init", "--quiet", "--initial-branch=main")
    checkout.edit(VERSION_FILE, f'__version__ = "{NOW}"', f'__version__ = "{NEW}"')
    for path in [
        folder / VERSION_FILE,
        *folder.glob("metrics/*/README.md"),
        *(page for page in folder.glob("docs/*.md") if f"|v:{NOW}" in page.read_text("utf-8")),
    ]:
        checkout.edit(path, f"|v:{NOW}", f"|v:{NEW}")
    checkout.edit("pyproject.toml", "OWNER", "someone")
    clone = 'git clone https://github.com/OWNER/informedness\n    pip install "./informedness[all]"'
    checkout.edit("README.md", clone, 'pip install "informedness[all]"')
    checkout.edit("README.md", " Not released yet: install it from a clone.", "")
    assert checkout.run(sys.executable, "spaces/sync.py").returncode == 0
    citation = (folder / "CITATION.cff").read_text("utf-8")
    citation = re.sub(r"^date-released: .*\n", "", citation, flags=re.MULTILINE)
    dated = f"\nversion: {NEW}\ndate-released: {TODAY}\n"
    (folder / "CITATION.cff").write_text(citation.replace(f"\nversion: {NOW}\n", dated), "utf-8")
    entry = f"## {NEW} ({TODAY})\n\n- Something.\n\n## {NOW}"
    changes = (folder / "CHANGELOG.md").read_text("utf-8")
    (folder / "CHANGELOG.md").write_text(changes.replace(f"## {NOW}", entry, 1), "utf-8")
    checkout.commit()
    return checkout


@pytest.fixture
def checkout(ready):
    yield ready
    ready.put_back()


@pytest.fixture
def check(checkout, monkeypatch, capsys):
    """Return what checks a version of the checkout in this process, and the release's code."""
    monkeypatch.syspath_prepend(str(ROOT / "spaces"))
    release, sync = map(importlib.import_module, ("release", "sync"))
    source = checkout.folder / "src" / "informedness"
    monkeypatch.setattr(release, "ROOT", checkout.folder)
    monkeypatch.setattr(release, "__version__", NEW)
    monkeypatch.setattr(sync, "ROOT", checkout.folder)
    monkeypatch.setattr(sync, "HELPER", [source / "core" / path.name for path in sync.HELPER])

    def run(version=NEW):
        monkeypatch.setattr(sys, "argv", ["release.py", version, "--check"])
        code = release.main()
        return subprocess.CompletedProcess((), code, *capsys.readouterr())

    return run


def agreed(result):
    assert (result.returncode, result.stderr) == (0, "")
    assert f" has version {NEW} everywhere.\n" in result.stdout


def refusals(result):
    """Return the sentences that refuse."""
    assert (result.returncode, result.stdout) == (1, "")
    lines = result.stderr.splitlines()
    assert all(line.startswith("release: ") for line in lines)
    return [line.removeprefix("release: ") for line in lines]


CHANGES = {
    "the citation": ("CITATION.cff", f"version: {NEW}", f"version: {NOW}", f"`version: {NEW}`"),
    "its date": ("CITATION.cff", f"d: {TODAY}", "d: 2020-01-01", f"`date-released: {TODAY}`"),
    "no entry": ("CHANGELOG.md", f"## {NEW} ", "## Next ", f"the entry `{NEW} (YYYY-MM-DD)`"),
    "an older entry": ("CHANGELOG.md", f"## {NEW}", f"## 8.0.0 (next)\n\n## {NEW}", "got '8.0.0"),
    "a longer number": ("docs/files.md", f"|v:{NEW}", f"|v:{NEW}.1", f"has version {NEW}.1"),
    "a card": ("metrics/nit/README.md", f"|v:{NEW}", f"|v:{NOW}", f"signature has version {NOW}"),
    "a page": ("docs/files.md", f"|v:{NEW}", "|v:1.0", "the signature has version 1.0"),
    "the owner": ("pyproject.toml", "github.com/someone", "github.com/OWNER", "replace OWNER"),
    "the name": (
        "README.md",
        "pip install",
        "git clone",
        'installed by `pip install "informedness[',
    ),
    "a copy": ("metrics/nit/labels.py", "\n", "\n\n", "metrics/nit/labels.py is not a copy"),
}


def test_what_does_not_say_the_version_is_refused_and_named(checkout, check):
    for name, (path, old, new, sentence) in CHANGES.items():
        checkout.edit(path, old, new)
        checkout.commit()
        found = refusals(check())
        assert found, name
        assert all(path in line and sentence in line for line in found), name
        checkout.put_back()


def test_what_agrees_with_itself_is_refused_under_another_version_or_if_not_committed(
    checkout, check
):
    agreed(check())
    checkout.git("tag", f"release-{NEW}")
    agreed(check())
    assert "the version must be three numbers" in refusals(check("v7.8.9"))[0]
    found = "\n".join(refusals(check("7.9.0")))
    for said in (
        f"the code is version {NEW}",
        "CHANGELOG.md",
        "CITATION.cff",
        "docs/files.md, line ",
    ):
        assert said in found
    checkout.edit("LICENSE", "Apache", "Another")
    (checkout.folder / "src" / "informedness" / "extra.py").write_text("")
    assert refusals(check()) == ["not committed: LICENSE, src/informedness/extra.py"]


def test_a_tag_of_another_commit_is_not_taken(checkout, check, tmp_path):
    """Here and on the remote, then on the remote alone."""
    checkout.git("tag", "--annotate", "--message=It", f"release-{NEW}")
    before = checkout.git("rev-parse", "--short=7", "HEAD").strip()
    checkout.git("clone", "--quiet", "--bare", ".", str(tmp_path / "remote"))
    checkout.git("remote", "add", "origin", str(tmp_path / "remote"))
    checkout.git("commit", "--quiet", "--allow-empty", "--message=Later")
    here, there = (
        f"the tag release-{NEW}{where} is already on commit {before}, this is "
        for where in ("", " on origin")
    )
    found = refusals(check())
    assert [here in found[0], there in found[1]] == [True, True]
    checkout.git("tag", "--delete", f"release-{NEW}")
    (found,) = refusals(check())
    assert there in found


@pytest.mark.release
def test_the_spaces_are_looked_at_and_left_as_they_are(checkout):
    command = (sys.executable, "spaces/release.py", NEW, "--check", "--org", "org")
    with Hub({"hf_token": {"org"}}).running() as hub:
        here = {"HF_ENDPOINT": hub.url, "HF_TOKEN": "hf_token", "NO_PROXY": "127.0.0.1"}
        result = checkout.run(*command, **here)
        agreed(result)
        assert result.stdout.count(f"  tag release-{NEW}\n") == 2
        assert (hub.spaces, hub.sent) == ({}, [])
        hub.add_space("org/nit", "docker")
        result = checkout.run(*command, **here)
    assert result.returncode == 1
    assert f"release: the Spaces of org cannot be tagged release-{NEW}\n" in result.stderr


@pytest.mark.release
def test_both_archives_of_the_commit_install_and_score_and_nothing_is_tagged(checkout):
    """The wheel with evaluate too, which loads both modules by bare name."""
    expected = files_of_a_wheel(checkout.folder)
    exclude = checkout.folder / ".git" / "info" / "exclude"
    exclude.write_text("/src/informedness/mine.py\n")  # there, but not of the commit
    (checkout.folder / "src" / "informedness" / "mine.py").write_text("")
    result = checkout.release()
    agreed(result)
    wheel, source = f"informedness-{NEW}-py3-none-any.whl", f"informedness-{NEW}.tar.gz"
    vector = BY_ID["asym_k4"]
    said = re.findall(r"(\S+) installs and scores: informedness (\S+), nit (\S+)\n", result.stdout)
    assert [name for name, *_ in said] == [f"{wheel}[evaluate]", source]
    for _, informedness, nit in said:
        assert float(informedness) == close(vector.exact["informedness"])
        assert float(nit) == close(vector.info["NIT_k_ref"])
    assert {path.name for path in (checkout.folder / "dist").iterdir()} == {wheel, source}
    names = zipfile.ZipFile(checkout.folder / "dist" / wheel).namelist()
    assert {name for name in names if ".dist-info/" not in name} == expected
    assert checkout.git("tag") == ""
    assert "Nothing has been tagged or uploaded" in result.stdout
    assert "package index" in result.stdout


@pytest.mark.release
def test_a_package_that_needs_what_it_does_not_declare_is_refused(checkout):
    """It works in every checkout, where the tests need more."""
    path = checkout.folder / "src" / "informedness" / "__init__.py"
    path.write_text(f"import rich  # noqa\n{path.read_text('utf-8')}", "utf-8")
    checkout.commit()
    result = checkout.release()
    assert result.returncode == 2
    assert f" has version {NEW} everywhere.\n" in result.stdout
    assert "release: ModuleNotFoundError: No module named 'rich'\n" in result.stderr
    assert not (checkout.folder / "dist").exists()
