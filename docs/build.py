"""Build the site into build/site: python docs/build.py.

Pages link to other files of the repository by relative paths, which is what works on a code host.
The site has some of these files as pages of its own, and the README as its first page, so all
pages are first gathered in build/pages, where each link leads to the page that was made from a
file, or else to the file on the code host.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
PAGES = ROOT / "build" / "pages"
# The files outside docs/ that are pages too. In the site they are where they are here, without
# the folder tests/.
OTHERS = [
    "CHANGELOG.md",
    "metrics/*/*.md",
    "metrics/*/*.svg",
    "spaces/screenshots/*.png",
    "tests/benchmarks/*.md",
    "tests/studies/*.md",
    "tests/studies/paper/*.md",
]
LINK = re.compile(r"(\]\()([^)#:\s]+)(?=[)#\s])")


def places() -> dict[Path, str]:
    """Return where each file is in the site."""
    inside = [path for path in DOCS.rglob("*") if path.suffix in (".md", ".css", ".svg")]
    first = {ROOT / "README.md": "index.md"}
    outside = [path for pattern in OTHERS for path in ROOT.glob(pattern)]
    return (
        first
        | {path: path.relative_to(DOCS).as_posix() for path in inside}
        | {path: path.relative_to(ROOT).as_posix().removeprefix("tests/") for path in outside}
    )


def repository() -> str:
    """Return the address of the repository, which the owner sets in pyproject.toml."""
    project = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return re.findall(r'^Repository = "(.*)"$', project, re.MULTILINE)[0]


def linked(text: str, path: Path, of: dict[Path, str], address: str) -> str:
    """Return the text of a page with the links that it needs in the site."""

    def link(match: re.Match[str]) -> str:
        target = Path(os.path.normpath(path.parent / match[2]))
        if target in of:
            here = Path(of[path]).parent
            return match[1] + Path(os.path.relpath(of[target], here)).as_posix()
        if target.exists() and target.is_relative_to(ROOT):
            return f"{match[1]}{address}/blob/main/{target.relative_to(ROOT).as_posix()}"
        raise SystemExit(f"{path.relative_to(ROOT)} links to {match[2]}, which is not there")

    return LINK.sub(link, text)


def gather() -> None:
    """Put all pages into build/pages."""
    shutil.rmtree(PAGES, ignore_errors=True)
    of, address = places(), repository()
    for path, place in of.items():
        (PAGES / place).parent.mkdir(parents=True, exist_ok=True)
        if path.suffix == ".md":
            text = linked(path.read_text(encoding="utf-8"), path, of, address)
            (PAGES / place).write_text(text, encoding="utf-8")
        else:
            shutil.copy(path, PAGES / place)


def main() -> int:
    """Build, and return the exit code."""
    gather()
    command = (sys.executable, "-m", "zensical", "build", "--strict", "--clean")
    paths = [str(DOCS), os.environ.get("PYTHONPATH", "")]  # docstrings.py is there
    env = {**os.environ, "REPOSITORY": repository(), "PYTHONPATH": os.pathsep.join(paths)}
    return subprocess.run(command, cwd=ROOT, env=env).returncode


if __name__ == "__main__":
    sys.exit(main())
