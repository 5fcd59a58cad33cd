"""Copies of this checkout that a test may change, and scripts of spaces/, run in this process."""

import contextlib
import io
import runpy
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest import mock

import pytest

ROOT = Path(__file__).resolve().parents[2]
GIT = ("git", "-c", "user.name=Someone", "-c", "user.email=someone@example.org")


def git(folder: Path, *arguments: str) -> str:
    result = subprocess.run([*GIT, *arguments], cwd=folder, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def commit(folder: Path) -> None:
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--allow-empty", "--message=All")


def copied(folder: Path) -> Path:
    """Return a copy of what git has here, with what is not committed yet, in one commit."""
    for name in git(ROOT, "ls-files", "--cached", "--others", "--exclude-standard").splitlines():
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_bytes((ROOT / name).read_bytes())
    git(folder, "init", "--quiet", "--initial-branch=main")
    commit(folder)
    return folder


def edit(path: Path, old: str, new: str) -> None:
    text = path.read_text("utf-8")
    assert old in text
    path.write_text(text.replace(old, new), "utf-8")


def run_script(project: Path, name: str, *arguments: object) -> str:
    """Run a script as `python spaces/NAME.py` does, with the package that is imported here."""
    script, output = project / "spaces" / f"{name}.py", io.StringIO()
    own = "build", "sync"  # which must be those of the same checkout
    others = {module: sys.modules.pop(module) for module in own if module in sys.modules}
    try:
        with (
            mock.patch.object(sys, "path", [str(script.parent), *sys.path]),
            mock.patch.object(sys, "argv", [str(script), *map(str, arguments)]),
            contextlib.redirect_stdout(output),
        ):
            runpy.run_path(str(script), run_name="__main__")
    except SystemExit as end:
        if end.code:
            raise
    finally:
        for module in own:
            sys.modules.pop(module, None)
        sys.modules.update(others)
    return output.getvalue()


def refused(run: Callable[..., str], *arguments: object) -> list[str]:
    """Return the sentences with which a script ends."""
    with pytest.raises(SystemExit) as end:
        run(*arguments)
    return str(end.value.code).splitlines()
