"""Check that a release is consistent, build it, and compute scores with both archives.

python spaces/release.py 0.2.0               check, build into dist/, install and score
python spaces/release.py 0.2.0 --check       only check
python spaces/release.py 0.2.0 --org ORG     check also that the Spaces of ORG can be tagged

Nothing is tagged or uploaded. The commit is built, whatever else is in the folder, and the archives
go to dist/ only after everything has worked.
"""

import argparse
import json
import math
import os
import re
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from sync import ROOT, SOURCE, stale_copies

sys.path.insert(0, str(SOURCE.parent))
from informedness import ContingencyTable, __version__
from informedness.statistics.registry import MODULES

# Four uneven classes: the averages of Informedness differ, and so do rows and columns.
TABLE = ((12, 1, 0, 2), (3, 7, 1, 0), (0, 2, 20, 1), (4, 0, 0, 5))
PAIRS = [(i, j) for i, row in enumerate(TABLE) for j, n in enumerate(row) for _ in range(n)]
REFERENCES, PREDICTIONS = [i for i, _ in PAIRS], [j for _, j in PAIRS]

# What a user does after installing it; standard input: [modules, references, predictions].
WITH_THE_PACKAGE = """
import json, sys
import informedness
modules, references, predictions = json.load(sys.stdin)
samples = {"references": references, "predictions": predictions}
table = informedness.ContingencyTable.from_labels(**samples)
scores = {name: getattr(table, name)() for name in modules}
signatures = [informedness.report(table).signature]
"""
WITH_EVALUATE = """
import evaluate
for name in modules:
    found = evaluate.load(name).compute(**samples, return_signature=True)
    scores[name] = found[name]
    signatures.append(found[f"{name}_signature"])
"""
ANSWER = "print(json.dumps([informedness.__file__, scores, signatures]))"


class ReleaseError(Exception):
    """The message says what is wrong, one sentence per line."""


def problems(version: str) -> Iterator[str]:
    """Yield the reasons not to release this version from this checkout."""
    if changes := _git("status", "--porcelain", "--untracked-files=normal").splitlines():
        yield f"not committed: {', '.join(line[3:] for line in changes)}"
    if version != __version__:
        yield f"the code is version {__version__}: set `__version__`, run `python spaces/sync.py`"
    for _, copy in stale_copies():
        yield f"{copy.relative_to(ROOT)} is not a copy of the helper: run `python spaces/sync.py`"
    yield from _dated(version)
    yield from _owned()
    yield from _shown(version)
    yield from _tagged(version)


def _dated(version: str) -> Iterator[str]:
    """Yield where the change log and the citation do not have this version and the same date."""
    newest = re.search(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    entry = newest[1] if newest else ""
    match = re.fullmatch(re.escape(version) + r" \((\d{4}-\d\d-\d\d)\)", entry)
    if not match:
        yield f"CHANGELOG.md must begin with the entry `{version} (YYYY-MM-DD)`, got {entry!r}"
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    lines = [f"version: {version}", *([f"date-released: {match[1]}"] if match else [])]
    for line in lines:
        if f"\n{line}\n" not in citation:
            yield f"CITATION.cff must contain the line `{line}`"


def _owned() -> Iterator[str]:
    """Yield the lines that still name no owner, or install from a clone."""
    for name in ("pyproject.toml", "README.md"):
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1):
            if "OWNER" in line and not line.startswith("#"):
                yield f"{name}, line {number}: replace OWNER with your account"
            if "Not released yet" in line or "git clone" in line:
                how = '`pip install "informedness[all]"` from now on'
                yield f"{name}, line {number}: the package is installed by {how}"


def name_on_the_index() -> str:
    """Return whether the package index has the name of this package."""
    command = (sys.executable, "-m", "pip", "index", "versions", "informedness")
    result = subprocess.run(command, capture_output=True, text=True)
    if result.returncode == 0:
        versions = result.stdout.splitlines()[0]
        return f"The package index has {versions}: make sure that this project is yours."
    if "No matching distribution" in result.stderr:
        return (
            "The name informedness is free on the package index: upload first, because until then "
            "anyone can take it, and whoever follows the README would install theirs."
        )
    return "The package index did not answer: is the name informedness yours there, or free?"


def _shown(version: str) -> Iterator[str]:
    """Yield the signatures, in documents and docstrings, that name another version."""
    signature = r"\|v:[0-9][0-9A-Za-z.+-]*[0-9A-Za-z]"
    # the change log and the tests may mention older versions
    where = ("--", ":!CHANGELOG.md", ":!tests")
    for line in _git("grep", "--no-color", "-nIoE", signature, *where, codes=(0, 1)).splitlines():
        place, _, shown = line.rpartition(":|v:")
        if shown != version:
            yield f"{place.replace(':', ', line ')}: the signature has version {shown}"


def _tagged(version: str) -> Iterator[str]:
    """Yield the repositories, here and remote, where another commit has the tag."""
    tag, head = f"refs/tags/release-{version}", _git("rev-parse", "HEAD").strip()
    for remote in (".", *_git("remote").split()):
        lines = _git("ls-remote", remote, tag, f"{tag}^{{}}").splitlines()
        commits = [line.split("\t")[0] for line in lines]
        if commits and commits[-1] != head:  # after a tag with a message comes the commit
            where = "" if remote == "." else f" on {remote}"
            yield (
                f"the tag release-{version}{where} is already on commit {commits[-1][:7]}, this is "
                f"{head[:7]}: release under a new version number"
            )


def build(work: Path) -> list[Path]:
    """Build the commit and return the wheel and the source archive it is made from."""
    _git("archive", "--prefix=source/", "-o", str(work / "source.tar"), "HEAD")
    shutil.unpack_archive(work / "source.tar", work)
    command = (sys.executable, "-m", "build", "--outdir", work / "dist", work / "source")
    _run("building", *command, cwd=work)
    return sorted((work / "dist").iterdir())


def score_with(archive: Path, version: str, work: Path) -> str:
    """Install an archive into an empty environment, compute scores with it, and report them.

    The source archive with its dependencies only; the wheel, which is made from it, with evaluate.
    """
    home = work / f"environment-{archive.name}"
    venv.create(home, symlinks=True)
    python, command = (home / "bin" / name for name in ("python", "informedness"))
    pip = (sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-compile")
    extra = "[evaluate]" if archive.suffix == ".whl" else ""
    doing = f"{archive.name}{extra}:"
    _run(f"{doing} installing", *pip, f"{archive}{extra}", cwd=home)
    said = _run(f"{doing} informedness --version", command, "--version", cwd=home)
    if said != f"informedness {version}\n":
        raise ReleaseError(f"{doing} informedness --version says {said.strip()!r}")
    code = WITH_THE_PACKAGE + ANSWER
    if extra:
        _run(f"{doing} informedness register", command, "register", cwd=home)
        code = WITH_THE_PACKAGE + WITH_EVALUATE + ANSWER
    question = json.dumps([MODULES, REFERENCES, PREDICTIONS])
    answer = _run(f"{doing} scoring", python, "-c", code, cwd=home, stdin=question)
    origin, scores, signatures = json.loads(answer)
    if not Path(origin).is_relative_to(home):
        raise ReleaseError(f"{doing} the package comes from {origin}")
    table = ContingencyTable.from_matrix(TABLE)
    expected = {"informedness": table.informedness(), "nit": table.nit()}
    if not all(math.isclose(scores[name], expected[name], abs_tol=1e-12) for name in MODULES):
        raise ReleaseError(f"{doing} the scores are {scores}, but the checkout has {expected}")
    if wrong := [line for line in signatures if not line.endswith(f"|v:{version}")]:
        raise ReleaseError(f"{doing} a signature has another version: {wrong[0]}")
    said = ", ".join(f"{name} {value}" for name, value in scores.items())
    return f"{archive.name}{extra} installs and scores: {said}"


def _run(
    doing: str, *command: str | Path, cwd: Path, stdin: str = "", codes: tuple[int, ...] = (0,)
) -> str:
    """Run a command without access to this checkout or the user's caches; return its output."""
    kept = {key: x for key, x in os.environ.items() if not key.startswith(("PYTHON", "HF_"))}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE"), "1")
    env = {**kept, **offline, "HF_HOME": str(cwd / "hf"), "GIT_TERMINAL_PROMPT": "0"}
    result = subprocess.run(command, cwd=cwd, env=env, input=stdin, capture_output=True, text=True)
    if result.returncode not in codes:
        said = (result.stdout + result.stderr).strip()
        raise ReleaseError(f"{doing} failed (exit code {result.returncode}):\n{said}")
    return result.stdout


def _git(*arguments: str, codes: tuple[int, ...] = (0,)) -> str:
    return _run(f"git {arguments[0]}", "git", *arguments, cwd=ROOT, codes=codes)


def run(options: argparse.Namespace) -> None:
    """Check everything before building anything, then build and score."""
    version = options.version
    if not re.fullmatch(r"\d+\.\d+\.\d+", version, re.ASCII):
        raise ReleaseError(f"the version must be three numbers, for example 0.2.0, got {version!r}")
    if found := [*problems(version)]:
        raise ReleaseError("\n".join(found))
    commit = _git("rev-parse", "--short", "HEAD").strip()
    print(f"Commit {commit} has version {version} everywhere.", flush=True)
    if options.org:
        script = ROOT / "spaces" / "publish.py"
        wishes = ["--org", options.org, "--release", version, "--dry-run"]
        if subprocess.run([sys.executable, script, *wishes]).returncode:
            raise ReleaseError(f"the Spaces of {options.org} cannot be tagged release-{version}")
    if options.check:
        return
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        work = Path(folder).resolve()
        archives = build(work)
        with ThreadPoolExecutor() as pool:
            for line in pool.map(lambda archive: score_with(archive, version, work), archives):
                print(line, flush=True)
        (ROOT / "dist").mkdir(exist_ok=True)
        for archive in archives:
            shutil.copy(archive, ROOT / "dist")
    names = " ".join(f"dist/{archive.name}" for archive in archives)
    org = options.org or "your-name"
    print(name_on_the_index())
    print(
        f"Nothing has been tagged or uploaded. Next, from this commit:\n"
        f"  twine upload {names}\n"
        f"  git tag release-{version} {commit}, and push it\n"
        f'  make publish ORG={org} OPTIONS="--release {version}"'
    )


def main() -> int:
    """Release, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check, build and try a release; upload nothing.")
    parser.add_argument("version", metavar="X.Y.Z", help="the version to release")
    parser.add_argument("--check", action="store_true", help="only check, build nothing")
    parser.add_argument("--org", help="also check that the Spaces of this account can be tagged")
    try:
        run(parser.parse_args())
    except (ReleaseError, OSError) as error:
        for line in str(error).splitlines():
            print(f"release: {line}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
