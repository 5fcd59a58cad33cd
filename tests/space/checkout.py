"""Scripts of spaces/, run in this process, in this checkout or in a copy that a test may change."""

import contextlib
import io
import re
import runpy
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from unittest import mock

ROOT = Path(__file__).resolve().parents[2]
OWN = ("build", "sync")  # modules of the scripts, which are those of the same checkout


@dataclass(frozen=True)
class Result:
    """What a command returned and printed."""

    returncode: int
    stdout: str
    stderr: str


GIT = ("git", "-c", "user.name=Someone", "-c", "user.email=someone@example.org")


def git(folder: Path, *arguments: str) -> None:
    subprocess.run([*GIT, *arguments], cwd=folder, check=True, capture_output=True)


def copied(folder: Path) -> Path:
    """Return a copy of what the scripts read, with all of it committed."""
    for part in ("spaces", "metrics", "src"):
        ignored = shutil.ignore_patterns("__pycache__", "screenshots")
        shutil.copytree(ROOT / part, folder / part, ignore=ignored)
    git(folder, "init", "--quiet")
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message=All")
    return folder


def run_script(project: Path, name: str, *arguments: object) -> Result:
    """Run a script as `python spaces/NAME.py` does, with the package that is imported here."""
    script = project / "spaces" / f"{name}.py"
    output, errors, code = io.StringIO(), io.StringIO(), None
    others = {name: sys.modules.pop(name) for name in OWN if name in sys.modules}
    with (
        mock.patch.object(sys, "path", [str(script.parent), *sys.path]),
        mock.patch.object(sys, "argv", [str(script), *map(str, arguments)]),
        contextlib.redirect_stdout(output),
        contextlib.redirect_stderr(errors),
    ):
        try:
            runpy.run_path(str(script), run_name="__main__")
        except SystemExit as end:
            code = end.code
    for module in OWN:
        sys.modules.pop(module, None)
    sys.modules.update(others)
    assert isinstance(code, int), code
    return Result(code, output.getvalue(), errors.getvalue())


def refused(result: Result) -> str:
    """Return the one sentence that refuses."""
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"(build|publish): [^\n]+\n", result.stderr), result.stderr
    return result.stderr
