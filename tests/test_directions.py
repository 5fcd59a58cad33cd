"""The folders of the package are floors: a file uses its own floor and those below, never above."""

import ast
import re
from pathlib import Path

import pytest

import informedness

PACKAGE = Path(informedness.__file__).parent
TESTS = Path(__file__).parent
ROOT = TESTS.parent
FLOORS = [  # the lowest first; what shares a floor does not know each other
    ["core"],
    ["messages"],
    ["errors", "warnings"],
    ["text"],
    ["tables", "inference"],
    ["results", "files"],
    ["functions", "multilabel", "logits", "registration", "logs", "plots"],
    ["trainer", "scorers", "helm", "inspect_ai", "lighteval", "lm_eval"],
    ["torchmetrics"],
    ["commands"],
    ["cli"],
    ["__main__"],
    ["__init__"],
]
UPWARDS = {  # what may use a higher floor, and why
    # a copy of it beside a metric asks the package, where there is one, for intervals and warnings
    "core/protocol.py": {"results"}
}
WITH_OTHERS = ("CHANGELOG.md", "test_release.py", "test_cards.py", "test_publish.py")
WITH_GPU = "tests/benchmarks/RESULTS_GPU.md"  # written where there is one
FLOOR_OF = {room: floor for floor, rooms in enumerate(FLOORS) for room in rooms}
FILES = sorted(PACKAGE.rglob("*.py"))
NAMED = re.compile(
    r"(?<![\w/.*-])(?:tests|src|docs|spaces|metrics|examples)/[\w./-]+\.(?:py|md|txt|json)\b"
)


def room_of(module: str) -> str:
    """Return the folder or the file of the package that a dotted name below it begins with."""
    room = module.partition(".")[0]
    return room if room in FLOOR_OF else "__init__"


def header_of(path: Path) -> str:
    """Return what stands at the head of a file of Python."""
    return ast.get_docstring(ast.parse(path.read_text("utf-8"))) or ""


def rooms_used(path: Path) -> set[str]:
    """Return the rooms of the package that a file imports or names, inside functions too."""
    place = path.relative_to(PACKAGE).with_suffix("").parts
    rooms = set()
    for node in ast.walk(ast.parse(path.read_text("utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level:
            folders = place[: len(place) - node.level]
            named = [node.module] if node.module else [alias.name for alias in node.names]
            rooms |= {room_of(".".join([*folders, name])) for name in named}
        elif isinstance(node, ast.Constant) and is_module(node.value):
            rooms.add(room_of(node.value.removeprefix("informedness.")))
    return rooms


def is_module(value: object) -> bool:
    """Return whether a constant is the dotted name of a module of the package."""
    if not isinstance(value, str) or not re.fullmatch(r"\w+(\.\w+)+", value):
        return False
    place = value.removeprefix("informedness.").replace(".", "/")
    return (PACKAGE / f"{place}.py").is_file() or (PACKAGE / place).is_dir()


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_a_file_imports_only_its_own_and_lower_floors(path):
    place = path.relative_to(PACKAGE).with_suffix("").parts
    own = room_of(place[0])
    above = {room for room in rooms_used(path) - {own} if FLOOR_OF[room] >= FLOOR_OF[own]}
    assert above == UPWARDS.get(path.relative_to(PACKAGE).as_posix(), set())


def covered_by(test: Path) -> list[str]:
    """Return the files of the package that the head of a test says it covers."""
    return re.findall(r"[\w/]+\.py", header_of(test).partition("Covers src: ")[2])


def test_every_file_that_is_named_exists():
    """The history names files that are gone; WITH_OTHERS name files of copies that they make."""
    folders = ("src", "docs", "spaces", "metrics", "examples", "tests")
    pages = [path for folder in folders for path in (ROOT / folder).rglob("*.*")]
    pages += [*ROOT.glob("*.md"), ROOT / "Makefile", ROOT / "pyproject.toml"]
    pages = [
        x for x in pages if x.suffix in (".py", ".md", ".toml", "") and x.name not in WITH_OTHERS
    ]
    missing = {
        (path.relative_to(ROOT).as_posix(), name)
        for path in pages
        for name in NAMED.findall(path.read_text("utf-8"))
        if not (ROOT / name).exists()
    }
    assert {name for _, name in missing} <= {WITH_GPU, "spaces/NAME.py"}, missing


def test_tests_cover_files_that_exist():
    for test in TESTS.rglob("test_*.py"):
        for name in covered_by(test):
            assert (PACKAGE / name).is_file(), (test.name, name)


def test_tests_lie_in_folders_that_mirror_the_source():
    folders = {path.name for path in PACKAGE.iterdir() if path.is_dir()} - {"__pycache__"}
    assert folders <= {path.name for path in TESTS.iterdir()}
    covered = [name for test in TESTS.glob("*/test_*.py") for name in covered_by(test)]
    assert folders <= {name.partition("/")[0] for name in covered}
