"""Stage the Space of a metric: a folder that works alone, exactly as `publish.py` sends it.

python spaces/build.py informedness DEST [--repo-id someone/informedness]
python spaces/build.py informedness

With --repo-id, the name of the Space on the Hub, the card says how to load the metric from there.

DEST must be new or empty. Without it, this prints the requirements of the page, so that pip can
find versions for the current Python. The Hub installs the exact versions of `requirements.txt`.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

from packaging.requirements import Requirement
from sync import ROOT, SOURCE, stale_copies

sys.path.insert(0, str(SOURCE.parent))
from informedness.inference.registry import MODULES as MODULES  # for other scripts too
from informedness.inference.registry import score_named

PAGE = ROOT / "spaces" / "page"
LOCK = ROOT / "spaces" / "requirements.txt"  # exact versions, written by `make lock`
_KINDS = {".py", ".css", ".html", ".js", ".json", ".md", ".svg"}
_HUB = "https://huggingface.co/spaces"
PACKAGE = "package"  # the folder of a Space from which its page imports the package

# The page does not need these. `evaluate.load` needs them, but does not read the requirements of a
# Space, so whoever loads a metric has them already.
_ONLY_TO_LOAD = {"datasets", "evaluate"}


class Refused(Exception):  # noqa: N818
    """The task cannot be done; the message says why."""


def space_files(metric: str, repo_id: str | None = None) -> dict[str, bytes]:
    """Collect the files of a metric's Space, sorted by name.

    With a `repo_id`, the name of the Space on the Hub, the card uses that name.
    """
    if stale := stale_copies():
        raise Refused(f"{stale[0][1]} differs from {stale[0][0]}: run `python spaces/sync.py`")
    folders = {
        ROOT / "metrics" / metric: "",
        PAGE: "",
        SOURCE: f"{PACKAGE}/informedness/",
        ROOT / "metrics": f"{PACKAGE}/informedness/metrics/",  # as in a wheel
    }
    files = {
        f"{prefix}{path.relative_to(folder).as_posix()}": path.read_bytes()
        for path in _files()
        for folder, prefix in folders.items()
        if path.is_relative_to(folder) and path.suffix in _KINDS
    }
    if repo_id is not None:
        files["README.md"] = named(files["README.md"].decode(), metric, repo_id).encode()
    files["requirements.txt"] = LOCK.read_bytes()
    return dict(sorted(files.items()))


def space_needs(metric: str) -> list[str]:
    """List the requirements of a metric's Space."""
    needs = (ROOT / "metrics" / metric / "requirements.txt").read_text("utf-8").splitlines()
    needs = [need for need in needs if Requirement(need).name not in _ONLY_TO_LOAD]
    needs += ["openpyxl>=3.1", "pyarrow>=20", "backports.zstd>=1.0"]  # for uploads
    # the Hub always installs this version
    return [*needs, f"gradio[mcp]=={card_value(metric, 'sdk_version')}"]


def card_value(metric: str, key: str) -> str:
    """Read a value from the front matter of a metric's card."""
    card = (ROOT / "metrics" / metric / "README.md").read_text("utf-8")
    (value,) = re.findall(f'^{key}: "(.*)"$', card, re.MULTILINE)
    return str(value)


def _files() -> list[Path]:
    """List the files of the checkout that git does not ignore."""
    listed = git("ls-files", "-z", "--cached", "--others", "--exclude-standard").split("\0")
    return [ROOT / name for name in listed if name and (ROOT / name).is_file()]


def git(*arguments: str) -> str:
    """Run git in the checkout, and return its output."""
    command = ("git", "-C", str(ROOT), *arguments)
    result = subprocess.run(command, capture_output=True, encoding="utf-8")
    if result.returncode:
        raise Refused(f"git {arguments[0]}: {' '.join(result.stderr.split())}")
    return result.stdout


def named(card: str, metric: str, repo_id: str) -> str:
    """Adapt a card to the Space of this name: how to load it, and related links."""
    owner, _, name = repo_id.partition("/")
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", owner, re.ASCII) or name != metric:
        raise Refused(
            f"`--repo-id` must be OWNER/{metric}, because `evaluate` looks for {metric}.py, "
            f"got {repo_id!r}"
        )
    spaces = ", ".join(f"[{score_named(x).title}]({_HUB}/{owner}/{x})" for x in MODULES)
    host = f"https://{re.sub('[^a-z0-9]', '-', repo_id.lower())}.hf.space"
    where = f"""\
This loads it from [its Space]({_HUB}/{repo_id}). With the Python package `informedness` installed,
`informedness register` makes the short name work too, even offline.

[Source]({_HUB}/{repo_id}/tree/main) · [package]({_HUB}/{repo_id}/tree/main/{PACKAGE}) ·
Spaces: {spaces} · [API]({host}/?view=api) · MCP server: `{host}/gradio_api/mcp/`
"""
    for module in MODULES:
        card = card.replace(f'evaluate.load("{module}"', f'evaluate.load("{owner}/{module}"')
    card = re.sub("<!-- where -->\n.*?<!-- /where -->\n", lambda _: where, card, flags=re.S)
    return card.replace("OWNER/", f"{owner}/")


def stage(files: dict[str, bytes], destination: Path) -> None:
    """Write the files into a new or empty folder."""
    if destination.exists() and any(destination.iterdir()):
        raise Refused(f"{destination} is not empty: build into a new folder, or delete it first")
    for name, content in files.items():
        (destination / name).parent.mkdir(parents=True, exist_ok=True)
        (destination / name).write_bytes(content)


def main() -> None:
    """Build, or exit with the reason why not."""
    parser = argparse.ArgumentParser(description="Stage the Space of a metric in a folder.")
    parser.add_argument("metric", choices=MODULES)
    parser.add_argument("destination", type=Path, nargs="?", metavar="DEST", help="an empty folder")
    parser.add_argument("--repo-id", metavar="OWNER/METRIC", help="the name on the Hub")
    options = parser.parse_args()
    if options.destination is None:
        return print(*space_needs(options.metric), sep="\n")
    try:
        stage(space_files(options.metric, options.repo_id), options.destination)
    except (Refused, OSError) as error:
        sys.exit(f"build: {error}")


if __name__ == "__main__":
    main()
