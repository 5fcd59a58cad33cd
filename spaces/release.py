"""Check that a release is consistent, build it, and compute scores with both archives.

python spaces/release.py 0.2.0               check, build into dist/, install and score
python spaces/release.py 0.2.0 --check       only check
python spaces/release.py 0.2.0 --archives dist    install and score with archives built elsewhere

Nothing is tagged or uploaded. Only the commit is built, without other files of the folder. The
archives go to dist/ only after everything has worked.
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from build import MODULES, Refused, git
from sync import ROOT, stale_copies

from informedness import __version__, report  # of this checkout, which `build` puts first

# Four unbalanced classes, so that averages of Informedness differ, and rows and columns too.
TABLE = ((12, 1, 0, 2), (3, 7, 1, 0), (0, 2, 20, 1), (4, 0, 0, 5))
PAIRS = [(i, j) for i, row in enumerate(TABLE) for j, n in enumerate(row) for _ in range(n)]
REFERENCES, PREDICTIONS = [i for i, _ in PAIRS], [j for _, j in PAIRS]

# The first steps of a user after installing it. Standard input has samples, the version, and the
# score of each module. With an argument, evaluate computes the scores too.
TRIAL = """
import json, sys
import informedness
assert "site-packages" in informedness.__file__, informedness.__file__
samples, version, wanted = json.load(sys.stdin)
report = informedness.report(*samples.values())
results = [{**report, **{f"{name}_signature": report.signature for name in wanted}}]
if sys.argv[1:]:
    import evaluate
    results += [evaluate.combine([*wanted]).compute(**samples, return_signature=True)]
for result in results:
    assert all(abs(result[name] - wanted[name]) < 1e-12 for name in wanted), (result, wanted)
    assert all(result[f"{name}_signature"].endswith(f"|v:{version}") for name in wanted), result
print(", ".join(f"{name} {result[name]}" for name in wanted))
"""


def problems(version: str) -> Iterator[str]:
    """Yield the reasons not to release this version from this checkout."""
    if changes := git("status", "--porcelain", "--untracked-files=normal").splitlines():
        yield f"not committed: {', '.join(line[3:] for line in changes)}"
    if version != __version__:
        yield f"the code is version {__version__}: set `__version__`, run `python spaces/sync.py`"
    for _, copy in stale_copies():
        yield f"{copy.relative_to(ROOT)} is not a copy of the helper: run `python spaces/sync.py`"
    yield from _dated(version)
    yield from _unreleased()
    yield from _shown(version)


def _dated(version: str) -> Iterator[str]:
    """Yield the reasons if change log and citation lack this version or differ in its date."""
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


def _unreleased() -> Iterator[str]:
    """Yield the lines that still have a placeholder for the owner, or say "not released yet"."""
    for name in ("pyproject.toml", "README.md", "docs/continuous-integration.md"):
        for number, line in enumerate((ROOT / name).read_text("utf-8").splitlines(), 1):
            match = re.search("OWNER|not released yet", line)
            if match and not line.startswith("#"):
                yield (
                    f"{name}, line {number}: {match[0]!r} ends with a release: name your account, "
                    'and install by `pip install "informedness[all]"`'
                )


def _shown(version: str) -> Iterator[str]:
    """Yield the signatures, in documents and docstrings, that name another version."""
    signature = r"\|v:[0-9][0-9A-Za-z.+-]*[0-9A-Za-z]"
    # the change log and the tests may mention older versions
    where = ("--", ":!CHANGELOG.md", ":!tests")
    for line in git("grep", "--no-color", "-nIoE", signature, *where).splitlines():
        place, _, shown = line.rpartition(":|v:")
        if shown != version:
            yield f"{place.replace(':', ', line ')}: the signature has version {shown}"


def build(work: Path) -> list[Path]:
    """Build the commit and return the wheel and the source archive it is made from."""
    git("archive", "--prefix=source/", "-o", str(work / "source.tar"), "HEAD")
    shutil.unpack_archive(work / "source.tar", work)
    _run(work, sys.executable, "-m", "build", "--outdir", work / "dist", work / "source")
    return sorted((work / "dist").iterdir())


def built_before(folder: Path, version: str) -> list[Path]:
    """Find the wheel and the source archive in a folder, which must not hold anything else."""
    names = [f"informedness-{version}-py3-none-any.whl", f"informedness-{version}.tar.gz"]
    archives = sorted(folder.iterdir())
    if [archive.name for archive in archives] != names:
        held = ", ".join(archive.name for archive in archives) or "nothing"
        raise Refused(f"{folder} must hold {' and '.join(names)}, got {held}")
    return [archive.resolve() for archive in archives]


def score_with(archive: Path, version: str, work: Path) -> str:
    """Install an archive into an empty environment, compute scores with it, and report them.

    The source archive is installed with its dependencies only, the wheel also with evaluate.
    """
    home = work / f"home-{archive.name}"
    home.mkdir()
    extra = "[evaluate]" if archive.suffix == ".whl" else ""
    uv = (sys.executable, "-m", "uv", "run", "--quiet", "--isolated", "--no-project", "--python")
    installed = (*uv, sys.executable, "--with", f"informedness{extra} @ {archive.as_uri()}")
    _run(home, *installed, "informedness", "register" if extra else "--version")
    scores = report(REFERENCES, PREDICTIONS)
    samples = {"references": REFERENCES, "predictions": PREDICTIONS}
    question = json.dumps([samples, version, {name: scores[name] for name in MODULES}])
    answer = _run(home, *installed, "python", "-c", TRIAL, *filter(None, [extra]), stdin=question)
    return f"{archive.name}{extra} installs and scores: {answer.strip()}"


def _run(folder: Path, *command: str | Path, stdin: str = "") -> str:
    """Run a command without access to this checkout or the user's caches; return its output."""
    kept = {key: x for key, x in os.environ.items() if not key.startswith(("PYTHON", "HF_"))}
    offline = dict.fromkeys(("HF_HUB_OFFLINE", "HF_EVALUATE_OFFLINE"), "1")
    options: dict[str, Any] = {"cwd": folder, "env": {**kept, **offline, "HF_HOME": str(folder)}}
    result = subprocess.run(command, input=stdin, capture_output=True, text=True, **options)
    if result.returncode:
        raise Refused(f"{command[2]} {command[3]} failed:\n{result.stdout}{result.stderr}")
    return str(result.stdout)


def run(options: argparse.Namespace) -> None:
    """Check everything before building anything, then build and score."""
    version = options.version
    if not re.fullmatch(r"\d+\.\d+\.\d+", version, re.ASCII):
        raise Refused(f"the version must be three numbers, for example 0.2.0, got {version!r}")
    if reasons := [*problems(version)]:
        raise Refused("\n".join(reasons))
    commit = git("rev-parse", "--short", "HEAD").strip()
    print(f"Commit {commit} has version {version} everywhere.", flush=True)
    if options.check:
        return
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        work = Path(folder).resolve()
        archives = built_before(options.archives, version) if options.archives else build(work)
        with ThreadPoolExecutor() as pool:
            for line in pool.map(lambda archive: score_with(archive, version, work), archives):
                print(line, flush=True)
        if options.archives is None:
            (ROOT / "dist").mkdir(exist_ok=True)
            for archive in archives:
                shutil.copy(archive, ROOT / "dist")
    publish = f'make publish ORG=your-name OPTIONS="--release {version}'
    print(
        "Nothing has been tagged or uploaded. Next, from this commit, if the name informedness on "
        "the package index is yours or free:\n"
        f'  {publish} --dry-run"\n'
        f"  git tag release-{version} {commit}, and push it\n"
        f"  twine upload {' '.join(f'dist/{archive.name}' for archive in archives)}\n"
        f'  {publish}"'
    )


def main() -> None:
    """Check and build a release, or exit with the reason why not."""
    parser = argparse.ArgumentParser(description="Check, build and try a release; upload nothing.")
    parser.add_argument("version", metavar="X.Y.Z", help="the version to release")
    parser.add_argument("--check", action="store_true", help="only check, build nothing")
    parser.add_argument("--archives", type=Path, metavar="DIR", help="try these, build nothing")
    try:
        run(parser.parse_args())
    except (Refused, OSError) as error:
        sys.exit("\n".join(f"release: {line}" for line in str(error).splitlines()))


if __name__ == "__main__":
    main()
