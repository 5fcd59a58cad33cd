"""`make release` refuses what does not say the version, and tries what it builds.

All tests have one checkout, in which all is ready for version 7.8.9, and which is put back after
each.
"""

import os
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from datetime import date
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder
from hatchling.builders.wheel import WheelBuilder

import informedness
from oracles.golden import BY_ID, close
from space.checkout import commit, copied, edit, git, refused, run_script

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("release checkout")]

NOW, NEW, TODAY = informedness.__version__, "7.8.9", date.today()
CLONE, UNRELEASED = 'pip install ".[all]"', "  # not released yet; replace OWNER"
FROM_URL = (
    'pip install "informedness[all] @ git+https://github.com/OWNER/informedness"  # replace OWNER'
)
FROM_CLONE = '"informedness[cli] @ git+https://github.com/OWNER/informedness"'
INSTALL = 'pip install "informedness[all]"'


@pytest.fixture(scope="module")
def ready(tmp_path_factory):
    """Prepare the version as CONTRIBUTING says."""
    folder = copied(tmp_path_factory.mktemp("ready"))
    scores = folder / "src/informedness/core/scores.py"
    edit(scores, f'__version__ = "{NOW}"', f'__version__ = "{NEW}"')
    signed = folder / "src/informedness/inference/score.py"
    shown = [
        path for x in ("metrics/*/README.md", "docs/*.md", "*/*.ipynb") for path in folder.glob(x)
    ]
    for path in (signed, *shown):
        if f"|v:{NOW}" in path.read_text("utf-8"):
            edit(path, f"|v:{NOW}", f"|v:{NEW}")
    edit(folder / "pyproject.toml", "OWNER", "someone")
    edit(folder / "README.md", UNRELEASED, "")
    edit(folder / "README.md", CLONE, INSTALL)
    edit(folder / "README.md", FROM_URL, INSTALL)
    edit(folder / "README.md", "/OWNER/", "/someone/")
    edit(folder / "docs/continuous-integration.md", FROM_CLONE, '"informedness[cli]"')
    edit(folder / "docs/continuous-integration.md", "; replace OWNER", "")
    dated = f"\nversion: {NEW}\ndate-released: {TODAY}\n"
    edit(folder / "CITATION.cff", f"\nversion: {NOW}\n", dated)
    edit(folder / "CHANGELOG.md", f"## {NOW}", f"## {NEW} ({TODAY})\n\n- Something.\n\n## {NOW}")
    run_script(folder, "sync")
    commit(folder)
    git(folder, "tag", "ready")
    return folder


@pytest.fixture
def checkout(ready, monkeypatch):
    monkeypatch.setattr(informedness, "__version__", NEW)
    yield ready
    git(ready, "reset", "--quiet", "--hard", "ready")
    git(ready, "clean", "--quiet", "-d", "--force", "-x")


CHANGES = {
    "the citation": ("CITATION.cff", f"version: {NEW}", f"version: {NEW}0", f"`version: {NEW}`"),
    "its date": ("CITATION.cff", f"d: {TODAY}", "d: 2020-01-01", f"`date-released: {TODAY}`"),
    "no entry": ("CHANGELOG.md", f"## {NEW} ", "## Next ", f"the entry `{NEW} (YYYY-MM-DD)`"),
    "a longer number": ("docs/files.md", f"|v:{NEW}", f"|v:{NEW}.1", f"has version {NEW}.1"),
    "a card": ("metrics/nit/README.md", f"|v:{NEW}", f"|v:{NOW}", f"signature has version {NOW}"),
    "the owner": ("pyproject.toml", "github.com/someone", "github.com/OWNER", "name your account"),
    "a clone": ("README.md", INSTALL, INSTALL + UNRELEASED, 'install "informedness[all]"'),
    "a copy": ("metrics/nit/labels.py", "\n", "\n\n", "metrics/nit/labels.py is not a copy"),
}


def test_an_inconsistent_version_is_refused_and_named(checkout):
    def said(version=NEW):
        return refused(run_script, checkout, "release", version, "--check")

    assert f" has version {NEW} everywhere.\n" in run_script(checkout, "release", NEW, "--check")
    assert f"is version {NEW}" in said(f"v{NEW}")[0]
    found = " ".join(said("7.9.0"))
    for part in (f"is version {NEW}", "CHANGELOG.md", "CITATION.cff", "docs/files.md, line "):
        assert part in found
    for name, (path, old, new, sentence) in CHANGES.items():
        edit(checkout / path, old, new)
        commit(checkout)
        found = said()
        assert found, name
        assert all(path in line and sentence in line for line in found), name
        git(checkout, "reset", "--quiet", "--hard", "ready")
    edit(checkout / "LICENSE", "Apache", "Another")
    (checkout / "src/informedness/extra.py").write_text("")
    assert said() == ["release: not committed: LICENSE, src/informedness/extra.py"]


def make_release(checkout):
    """Release in a process whose path has the checkout: what is installed must not come from it."""
    here, env = Path(sys.executable).parent, {**os.environ, "PYTHONPATH": str(checkout / "src")}
    command = ["make", "--old-file=.venv/.test", f"BIN={here}", "release", f"VERSION={NEW}"]
    return subprocess.run(command, cwd=checkout, env=env, capture_output=True, text=True)


@pytest.mark.release
def test_both_archives_install_and_score(checkout):
    """The wheel with evaluate too, which loads both modules by bare name."""
    (checkout / ".git/info/exclude").write_text("/src/informedness/mine.py\n")
    (checkout / "src/informedness/mine.py").write_text("")  # there, but not of the commit
    result = make_release(checkout)
    assert result.returncode == 0, result.stderr
    wheel, source = f"informedness-{NEW}-py3-none-any.whl", f"informedness-{NEW}.tar.gz"
    vector = BY_ID["asym_k4"]
    said = re.findall(r"(\S+) installs and scores: informedness (\S+), nit (\S+)\n", result.stdout)
    assert [name for name, *_ in said] == [f"{wheel}[evaluate]", source]
    for _, *scores in said:
        wanted = vector.exact["informedness"], vector.info["NIT_k_ref"]
        assert list(map(float, scores)) == list(map(close, wanted))
    assert {path.name for path in (checkout / "dist").iterdir()} == {wheel, source}
    assert [dead_links(path) for path in (checkout / "dist").iterdir()] == [[], []]
    names = zipfile.ZipFile(checkout / "dist" / wheel).namelist()
    assert "informedness/mine.py" not in names
    assert git(checkout, "tag") == "ready\n"
    assert "Nothing has been tagged or uploaded" in result.stdout


def metadata_of(archive: Path) -> str:
    """Return the metadata of an archive, which the package index shows."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            (name,) = (x for x in wheel.namelist() if x.endswith(".dist-info/METADATA"))
            return wheel.read(name).decode()
    with tarfile.open(archive) as source:
        content = source.extractfile(f"{archive.name.removesuffix('.tar.gz')}/PKG-INFO")
        return content.read().decode() if content else ""


def dead_links(archive: Path) -> list[str]:
    """Return the links in the metadata of an archive that do not lead from the package index."""
    relative = r"""\]\((?!https:|#)[^)]*|(?:src|srcset|href)=["'](?!https:|#)[^"']*"""
    return re.findall(relative, metadata_of(archive))


LINKS = "[one](docs/a.md#b), ![two](docs/c.png), [three](#d), [four](https://e.org/f)"
ABSOLUTE = "[one]({0}/blob/{1}/docs/a.md#b), ![two]({0}/raw/{1}/docs/c.png), [three](#d), [four]("


def test_the_package_readme_links_to_the_tag(checkout, tmp_path):
    """Built in the checkout and from the source archive, as a wheel is."""
    (checkout / "README.md").write_text(LINKS)
    (source,) = SdistBuilder(str(checkout)).build(directory=str(tmp_path), versions=["standard"])
    shutil.unpack_archive(source, tmp_path, filter="data")
    folder = str(tmp_path / f"informedness-{NEW}")
    (wheel,) = WheelBuilder(folder).build(directory=str(tmp_path), versions=["standard"])
    text = ABSOLUTE.format("https://github.com/someone/informedness", f"release-{NEW}")
    for archive in (source, wheel):
        assert text in metadata_of(Path(archive))
        assert dead_links(Path(archive)) == []
    edit(checkout / "pyproject.toml", "[tool.hatch.metadata.hooks.custom]", "")
    edit(checkout / "pyproject.toml", '"version", "readme"', '"version"')
    edit(checkout / "pyproject.toml", "[project]", '[project]\nreadme = "README.md"')
    (wheel,) = WheelBuilder(str(checkout)).build(directory=str(tmp_path), versions=["standard"])
    assert dead_links(Path(wheel)) == ["](docs/a.md#b", "](docs/c.png"]


@pytest.mark.release
def test_archives_built_elsewhere_are_tried_and_others_refused(checkout, tmp_path):
    for builder in (WheelBuilder, SdistBuilder):
        [*builder(str(checkout)).build(directory=str(tmp_path), versions=["standard"])]
    given = "release", NEW, "--archives", tmp_path
    assert run_script(checkout, *given).count(" installs and scores: ") == 2
    assert not (checkout / "dist").exists()
    (tmp_path / "other.whl").touch()
    assert refused(run_script, checkout, *given)[-1].count("other.whl") == 1


@pytest.mark.release
def test_an_undeclared_requirement_is_refused(checkout):
    """It works in every checkout, where the tests need more."""
    edit(
        checkout / "src/informedness/tables/contingency.py",
        "import numpy",
        "import rich\nimport numpy",
    )
    commit(checkout)
    result = make_release(checkout)
    assert result.returncode == 2
    assert "No module named 'rich'\n" in result.stderr
    assert not (checkout / "dist").exists()
