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
from pathlib import Path
from typing import Any

from build import Refused, git
from sync import ROOT, stale_copies

from informedness import __version__, report  # of this checkout, which `build` puts first

# Four unbalanced classes, so that averages of Informedness differ, and rows and columns too.
TABLE = ((12, 1, 0, 2), (3, 7, 1, 0), (0, 2, 20, 1), (4, 0, 0, 5))
PAIRS = [(i, j) for i, row in enumerate(TABLE) for j, n in enumerate(row) for _ in range(n)]
REFERENCES, PREDICTIONS = [i for i, _ in PAIRS], [j for _, j in PAIRS]

# The first steps of a user after installing it. Standard input has the samples and the
# version. With an argument, evaluate computes the scores too.
TRIAL = """
import json, sys
import informedness
samples, version = json.load(sys.stdin)
report = informedness.report(*samples.values())
assert report.signature.endswith(f"|v:{version}"), report.signature
if sys.argv[1:]:
    import evaluate
    scores = evaluate.combine(["informedness", "nit"]).compute(**samples)
    assert all(abs(report[name] - score) < 1e-12 for name, score in scores.items()), scores
print(f"informedness {report['informedness']}, nit {report['nit']}")
"""


def problems(version: str) -> Iterator[str]:
    """Yield the reasons not to release this version from this checkout."""
    if changes := git("status", "--porcelain", "--untracked-files=normal").splitlines():
        yield f"not committed: {', '.join(line[3:] for line in changes)}"
    if version != __version__:
        yield f"the code is version {__version__}: set `__version__`, run `python spaces/sync.py`"
    for _, copy in stale_copies():
        yield f"{copy.relative_to(ROOT)} is not a copy of the helper: run `python spaces/sync.py`"
    (entry,) = re.findall("^## (.*)$", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.M)[:1]
    name, _, date = entry.rstrip(")").partition(" (")
    if name != version or not re.fullmatch(r"\d{4}-\d\d-\d\d", date):
        yield f"CHANGELOG.md must begin with the entry `{version} (YYYY-MM-DD)`, got {entry!r}"
    citation = (ROOT / "CITATION.cff").read_text("utf-8").splitlines()
    for line in (f"version: {version}", f"date-released: {date}"):
        if line not in citation:
            yield f"CITATION.cff must contain the line `{line}`"
    signature, placeholder = r"\|v:[0-9][0-9A-Za-z.+-]*[0-9A-Za-z]", "OWNER|not released yet"
    # the change log and the tests may mention older versions
    where = ("--", ":!CHANGELOG.md", ":!tests")
    for line in git("grep", "-nIoE", f"{signature}|^[^#].*({placeholder})", *where).splitlines():
        file, number, text = line.split(":", 2)
        is_shown = file in ("pyproject.toml", "README.md", "docs/continuous-integration.md")
        if text.startswith("|v:") and text != f"|v:{version}":
            yield f"{file}, line {number}: the signature has version {text[3:]}"
        elif is_shown and re.search(placeholder, text):
            yield f'{file}, line {number}: name your account, and install "informedness[all]"'


def build(work: Path) -> Path:
    """Build the wheel and the source archive of the commit, and return their folder."""
    git("archive", "--prefix=source/", "-o", str(work / "source.tar"), "HEAD")
    shutil.unpack_archive(work / "source.tar", work)
    _run(work, sys.executable, "-m", "build", "--outdir", work / "dist", work / "source")
    return work / "dist"


def archives_in(folder: Path, version: str) -> list[Path]:
    """Find the wheel and the source archive in a folder, which must not hold anything else."""
    names = {f"informedness-{version}-py3-none-any.whl", f"informedness-{version}.tar.gz"}
    archives = sorted(path.resolve() for path in folder.iterdir())
    if {path.name for path in archives} != names:
        raise Refused(f"{folder} must hold {' and '.join(sorted(names))} alone, got {archives}")
    return archives


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
    samples = {"references": REFERENCES, "predictions": PREDICTIONS}
    command = (*installed, "python", "-c", TRIAL, *filter(None, [extra]))
    found = _run(home, *command, stdin=json.dumps([samples, version])).strip()
    scores = report(REFERENCES, PREDICTIONS)
    wanted = f"informedness {scores['informedness']}, nit {scores['nit']}"
    if found != wanted:
        raise Refused(f"{archive.name} must score {wanted}, got {found}")
    return f"{archive.name}{extra} installs and scores: {found}"


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
    if reasons := [*problems(version)]:
        raise Refused("\n".join(reasons))
    commit = git("rev-parse", "--short", "HEAD").strip()
    print(f"Commit {commit} has version {version} everywhere.", flush=True)
    if options.check:
        return
    with tempfile.TemporaryDirectory(prefix="release-") as folder:
        work = Path(folder).resolve()
        for archive in archives_in(options.archives or build(work), version):
            print(score_with(archive, version, work), flush=True)
        if options.archives is None:
            shutil.copytree(work / "dist", ROOT / "dist", dirs_exist_ok=True)
    print("Nothing has been tagged or uploaded. CONTRIBUTING.md lists the next steps.")


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
