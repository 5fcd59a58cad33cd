"""Make small wrong changes to the code, one at a time, and say which of them no test finds.

    python tests/mutants.py              # 40 changes, drawn by a fixed seed
    python tests/mutants.py --only 3 17  # two of these again, after writing a test
    python tests/mutants.py --list       # what is drawn

A change turns a comparison, an operator of arithmetic or two arguments around, or leaves out a part
of a string, in a copy of the checkout. The tests that cover the file run first, then golden outputs
and messages, then the tests of `make check`, up to the first that fails. A test that fails without
a change stops the script.
"""

import argparse
import ast
import copy
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("results", "commands", "logs", "files", "text")
OTHERS = [
    *((ast.Lt, ast.LtE), (ast.Gt, ast.GtE), (ast.Eq, ast.NotEq), (ast.In, ast.NotIn)),
    *((ast.Is, ast.IsNot), (ast.Add, ast.Sub), (ast.Mult, ast.Div), (ast.BitAnd, ast.BitOr)),
]
OTHER = dict(OTHERS) | {b: a for a, b in OTHERS} | {ast.FloorDiv: ast.Mult, ast.Mod: ast.Add}
OTHER |= {ast.Pow: ast.Mult}
QUICK = "not slow and not browser and not release"
# as `make check` leaves them out: they take longer to import than others to run
SLOW_TO_IMPORT = (
    "tests/space",
    "tests/integrations/test_trainer.py",
    "tests/integrations/test_torchmetrics.py",
)

# what is printed, and what messages say on each surface
GOLDEN = ("tests/results/test_golden_outputs.py", "tests/test_messages_as_before.py")


class Place(NamedTuple):
    """A part of a file that can be changed: the node'th of its tree, and which part of the node."""

    path: Path
    node: int
    part: int

    def changed(self) -> tuple[str, str]:
        """Return the changed file, and what is changed in a line."""
        tree = ast.parse(self.path.read_text("utf-8"))
        node = [*ast.walk(tree)][self.node]
        before = copy.deepcopy(node)
        if isinstance(node, ast.Compare):
            node.ops[self.part] = OTHER[type(node.ops[self.part])]()
        elif isinstance(node, (ast.BinOp, ast.AugAssign)):
            node.op = OTHER[type(node.op)]()
        elif isinstance(node, ast.Call):
            pair = slice(self.part, self.part + 2)
            node.args[pair] = node.args[pair][::-1]
        elif isinstance(node, ast.JoinedStr):
            del node.values[self.part]
        elif isinstance(node, ast.Constant):
            node.value = ""
        where = f"{self.path.relative_to(ROOT / 'src/informedness')}:{node.lineno}"
        return ast.unparse(tree), f"{where}: {ast.unparse(before)}  ->  {ast.unparse(node)}"


def places() -> list[Place]:
    """Return all places in the order of files and nodes."""
    files = [path for x in FOLDERS for path in sorted((ROOT / "src/informedness" / x).glob("*.py"))]
    return [Place(path, *x) for path in files for x in parts_of(ast.parse(path.read_text("utf-8")))]


def parts_of(tree: ast.Module) -> Iterator[tuple[int, int]]:
    """Yield the number of each node that can be changed, and of its part."""
    left_out = {id(x) for node in ast.walk(tree) for part in not_run(node) for x in ast.walk(part)}
    for number, node in enumerate(ast.walk(tree)):
        n_parts = 0 if id(node) in left_out else len(parts(node))
        yield from ((number, part) for part in range(n_parts) if parts(node)[part])


def parts(node: ast.AST) -> list[bool]:
    """Return of each part of a node whether changing it changes what the code does."""
    if isinstance(node, ast.Compare):
        return [True] * len(node.ops)
    if isinstance(node, (ast.BinOp, ast.AugAssign)):
        return [type(node.op) in OTHER]
    if isinstance(node, ast.Call):
        if ast.unparse(node.func) == "suppress":  # whose order does not matter
            return []
        texts = ["" if isinstance(x, ast.Starred) else ast.dump(x) for x in node.args]
        return [bool(a and b) and a != b for a, b in pairwise(texts)]
    if isinstance(node, ast.JoinedStr):
        return [True] * len(node.values)
    return [isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value != ""]


def not_run(node: ast.AST) -> list[ast.AST]:
    """Return what of a node is a docstring, a type, or a part of a string with other parts."""
    found: list[ast.AST | None] = []
    if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant):
        found.append(node.value)
    if isinstance(node, ast.JoinedStr):
        found += [x for x in node.values if isinstance(x, ast.Constant)]
    if isinstance(node, ast.FormattedValue):
        found.append(node.format_spec)
    found += [getattr(node, name, None) for name in ("annotation", "returns")]
    return [x for x in found if isinstance(x, ast.AST)]


def covering(path: Path) -> list[str]:
    """List the test files that have a file's name, or say that they cover it."""
    name = path.relative_to(ROOT / "src/informedness").as_posix()
    found = []
    for test in sorted((ROOT / "tests").rglob("test_*.py")):
        header = ast.get_docstring(ast.parse(test.read_text("utf-8"))) or ""
        covered = re.split(r"[,\s]+", header.partition("Covers src: ")[2].replace(". ", " "))
        if name in [x.removesuffix(".") for x in covered] or test.stem == f"test_{path.stem}":
            found.append(test.relative_to(ROOT).as_posix())
    return found


def why_found(tree: Path, tests: list[str], limit: float) -> str:
    """Return the first test that fails in a tree, or empty if none does."""
    ignored = [f"--ignore={x}" for x in (*SLOW_TO_IMPORT, *tests)]
    slow = "slow and not browser and not release"
    rounds = [[*tests, "-m", QUICK], [*tests, "-m", slow]] if tests else []
    rounds += [[*GOLDEN], ["-m", QUICK, *ignored]]
    environment = os.environ | {"PYTHONPATH": str(tree / "src"), "OMP_NUM_THREADS": "1"}
    given = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider"]
    for chosen in rounds:
        try:
            done = subprocess.run(
                [*given, *chosen],
                cwd=tree,
                env=environment,
                capture_output=True,
                text=True,
                timeout=limit,
            )
        except subprocess.TimeoutExpired:
            return f"more than {limit:g} seconds"
        if done.returncode not in (0, 5):  # 5: there is none of these
            lines = re.findall(r"^(?:FAILED|ERROR) (.*)", done.stdout, re.M)
            return lines[0] if lines else (done.stdout + done.stderr)[-300:]
    return ""


def main() -> int:
    """Change the code at each place that is drawn; return 1 if more than two changes are missed."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--seed", type=int, default=48)
    parser.add_argument("--number", type=int, default=40)
    parser.add_argument("--limit", type=float, default=600, help="seconds for tests, each round")
    parser.add_argument("--only", type=int, nargs="+", help="numbers of the list, from 1")
    parser.add_argument("--list", action="store_true", help="only say what is drawn")
    given = parser.parse_args()
    every = places()
    drawn = random.Random(given.seed).sample(every, given.number)
    numbered = [x for x in enumerate(drawn, start=1) if x[0] in (given.only or range(len(every)))]
    print(f"{len(drawn)} of {len(every):,} places, seed {given.seed}", flush=True)
    if given.list:
        print(*(f"{i:3d}  {place.changed()[1]}" for i, place in numbered), sep="\n")
        return 0

    missed = []
    with tempfile.TemporaryDirectory(prefix="mutants-") as folder:
        tree = Path(folder, "tree")
        ignored = shutil.ignore_patterns(
            ".venv", ".git", "build", "dist", "__pycache__", ".*_cache"
        )
        shutil.copytree(ROOT, tree, ignore=ignored)
        for path in {place.path for _, place in numbered}:  # as they are, without comments
            same = ast.unparse(ast.parse(path.read_text("utf-8")))
            (tree / path.relative_to(ROOT)).write_text(same, "utf-8")
        covers = sorted({test for _, place in numbered for test in covering(place.path)})
        if reason := why_found(tree, covers, 10 * given.limit):
            raise SystemExit(f"a test fails without a change: {reason}")
        for i, place in numbered:
            target = tree / place.path.relative_to(ROOT)
            same = target.read_text("utf-8")
            text, said = place.changed()
            target.write_text(text, "utf-8")
            reason = why_found(tree, covering(place.path), given.limit)
            target.write_text(same, "utf-8")
            missed += [] if reason else [i]
            print(f"{i:3d}  {said}\n     {reason or 'NOT FOUND'}", flush=True)
    print(f"{len(numbered) - len(missed)} of {len(numbered)} found; not found: {missed}")
    return len(missed) > 2


if __name__ == "__main__":
    sys.exit(main())
