"""Stage the Space of a metric: a folder that works alone, exactly as `publish.py` sends it.

python spaces/build.py informedness DEST [--repo-id someone/informedness]

With --repo-id, its name on the Hub, the card and the page say how to load it from there.

DEST is created, or updated if everything in it comes from an earlier build. Anything else in it is
never touched: the build stops and names it.
"""

import argparse
import hashlib
import json
import re
import sys
from pathlib import Path
from typing import Any

import yaml
from sync import ROOT, SOURCE, stale_copies

sys.path.insert(0, str(SOURCE.parent))
from informedness.statistics.registry import MODULES as MODULES  # for publish.py too
from informedness.statistics.registry import score_named

PAGE = ROOT / "spaces" / "page"
_HUB = "https://huggingface.co/spaces"
PACKAGE = "package"  # the folder of a Space from which its page imports the package

# What the Hub needs, and what people search for there.
_CARD_KEYS = {
    "title": str,
    "sdk": str,
    "sdk_version": str,
    "python_version": str,
    "app_file": str,
    "tags": list,
    "description": str,
}
# Anyone who loads a metric has these already, and the page does not need them; `evaluate.load` does
# not read the requirements of a Space.
_ONLY_TO_LOAD = {"datasets", "evaluate"}
_MANIFEST = ".build.json"  # the files of the last build, with digests; never uploaded
_LEFT_BY_RUNNING = {"__pycache__", ".gradio"}


class BuildError(Exception):
    """The message says what is wrong, in one sentence."""


def space_files(metric: str, repo_id: str | None = None) -> dict[str, bytes]:
    """Return the files of a metric's Space by name, sorted by name.

    With a `repo_id`, its name on the Hub, the card uses that name wherever a reader needs it.
    """
    if stale := stale_copies():
        raise BuildError(f"{stale[0][1]} differs from {stale[0][0]}: run `python spaces/sync.py`")
    folder = ROOT / "metrics" / metric
    own = (folder / "README.md", *folder.glob("*.py"), *folder.glob("*.svg"))
    paths = {path.name: path for path in own}
    page = [path for kind in ("*.py", "*.css", "*.js", "*.html") for path in PAGE.rglob(kind)]
    paths |= {path.relative_to(PAGE).as_posix(): path for path in page}
    package = {path: path.relative_to(SOURCE) for path in SOURCE.rglob("*.py")}
    for path in ROOT.glob("metrics/*/*.py"):  # formulas that stand in a metric's folder
        if path.stem != path.parent.name and not (SOURCE / "core" / path.name).is_file():
            package[path] = path.relative_to(ROOT)
    for path, name in package.items():
        paths[f"{PACKAGE}/informedness/{name.as_posix()}"] = path
    files = {name: path.read_bytes() for name, path in paths.items()}
    card = front_matter(files["README.md"].decode("utf-8"), f"{folder / 'README.md'}")
    if card["app_file"] not in files:
        raise BuildError(
            f"{folder / 'README.md'}: the `app_file` {card['app_file']!r} does not exist"
        )
    if repo_id is not None:
        files["README.md"] = named(files["README.md"].decode("utf-8"), metric, repo_id).encode()
    needs = (folder / "requirements.txt").read_text("utf-8").splitlines()
    needs = [need for need in needs if re.split(r"[^\w-]", need)[0] not in _ONLY_TO_LOAD]
    needs.append(f"gradio[mcp]=={card['sdk_version']}")  # the version that the Hub installs anyway
    files["requirements.txt"] = "".join(f"{need}\n" for need in needs).encode()
    return dict(sorted(files.items()))


def named(card: str, metric: str, repo_id: str) -> str:
    """Return a card for the Space of this name: how to load it, and related links."""
    owner, _, name = repo_id.partition("/")
    if not re.fullmatch(r"[A-Za-z0-9][\w.-]*", owner, re.ASCII) or name != metric:
        raise BuildError(
            f"`--repo-id` must be OWNER/{metric}, because `evaluate` looks for {metric}.py, "
            f"got {repo_id!r}"
        )
    others = ", ".join(
        f"[{score_named(other).title}]({_HUB}/{owner}/{other})"
        for other in MODULES
        if other != metric
    )
    host = f"https://{re.sub('[^a-z0-9]', '-', repo_id.lower())}.hf.space"
    where = f"""\
This loads it from [its Space]({_HUB}/{repo_id}). With the Python package `informedness` installed,
`informedness register` makes the short name work too, even offline.

[Source]({_HUB}/{repo_id}/tree/main) · [package]({_HUB}/{repo_id}/tree/main/{PACKAGE}) ·
other Spaces: {others} · [API]({host}/?view=api) · MCP server: `{host}/gradio_api/mcp/`
"""
    for module in MODULES:
        card = card.replace(f'evaluate.load("{module}"', f'evaluate.load("{owner}/{module}"')
    card = re.sub("<!-- where -->\n.*?<!-- /where -->\n", lambda _: where, card, flags=re.S)
    return card.replace("OWNER/", f"{owner}/")


def front_matter(text: str, source: str) -> dict[str, Any]:
    """Return the front matter of a card, after checking that the Hub can run the Space with it."""
    match = re.match(r"---\n(.*?\n)---\n", text, re.DOTALL)
    if not match:
        raise BuildError(f"{source}: there is no front matter between two lines of ---")
    try:
        card = yaml.safe_load(match[1])
    except yaml.YAMLError as error:
        problem = " ".join(str(error).split())
        raise BuildError(f"{source}: the front matter is not YAML ({problem})") from error
    card = card if isinstance(card, dict) else {}
    for key, kind in _CARD_KEYS.items():
        if not card.get(key):
            raise BuildError(f"{source}: the front matter has no `{key}`")
        if not isinstance(card[key], kind):  # 3.10 without quotes is the number 3.1
            name = "text in quotes" if kind is str else "a list"
            raise BuildError(f"{source}: `{key}` must be {name}, got {card[key]!r}")
    if card["sdk"] != "gradio":
        raise BuildError(f"{source}: `sdk` must be gradio, got {card['sdk']!r}")
    if not re.fullmatch(r"\d+\.\d+\.\d+", card["sdk_version"]):
        raise BuildError(f"{source}: `sdk_version` must be a full version, for example 6.31.0")
    if absent := [tag for tag in ("evaluate", "metric") if tag not in card["tags"]]:
        raise BuildError(f"{source}: `tags` lacks {', '.join(absent)}")
    return card


def stage(files: dict[str, bytes], destination: Path) -> None:
    """Make the folder hold exactly these files, unless it has some that no build wrote."""
    try:
        written = json.loads((destination / _MANIFEST).read_text("utf-8"))
    except FileNotFoundError:
        written = {}
    for path in sorted(destination.rglob("*")):
        name = path.relative_to(destination).as_posix()
        if name == _MANIFEST or _LEFT_BY_RUNNING & {*Path(name).parts} or _is_folder(path):
            continue
        ours = {_digest(files[name])} if name in files else set()
        if not path.is_file() or _digest(path.read_bytes()) not in ours | {written.get(name)}:
            raise BuildError(f"{path} does not come from a build: move it away or build elsewhere")
    for name in written.keys() - files.keys():
        (destination / name).unlink(missing_ok=True)
    for name, content in files.items():
        (destination / name).parent.mkdir(parents=True, exist_ok=True)
        (destination / name).write_bytes(content)
    manifest = {name: _digest(content) for name, content in files.items()}
    (destination / _MANIFEST).write_text(json.dumps(manifest, indent=1) + "\n", "utf-8")


def _is_folder(path: Path) -> bool:
    """Return whether a path is a folder that is not empty; its entries are checked one by one."""
    return path.is_dir() and not path.is_symlink() and any(path.iterdir())


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def main() -> int:
    """Build, and return the exit code."""
    parser = argparse.ArgumentParser(description="Stage the Space of a metric in a folder.")
    parser.add_argument("metric", choices=MODULES)
    parser.add_argument(
        "destination", type=Path, metavar="DEST", help="new, empty, or from an earlier build"
    )
    parser.add_argument(
        "--repo-id", metavar="OWNER/METRIC", help="the name on the Hub, for the card and the page"
    )
    options = parser.parse_args()
    try:
        stage(space_files(options.metric, options.repo_id), options.destination)
    except (BuildError, OSError) as error:
        print(f"build: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
