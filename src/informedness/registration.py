"""Registration: `evaluate.load("informedness")` and `evaluate.load("nit")` from anywhere, by name.

`evaluate` looks for a bare name last in its cache of modules, where it takes the newest copy in a
folder named with 64 hexadecimal digits. `register` puts such a copy there, whole or not at all.
"""

import hashlib
import json
import os
import shutil
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .statistics.registry import MODULES, module_path

_MARK = {"registered by": "informedness"}
_STAGED = ".staged-"


def register() -> dict[str, str]:
    """Put both modules where `evaluate.load` finds them by bare name, online or offline.

    Safe to call from many processes at once, and again at any time: a copy already in place is left
    alone, so a read-only cache that has it is fine; a damaged copy is repaired; the version
    registered last is the one that loads.

    Returns
    -------
    dict of str to str
        Each metric's name and the folder it loads from.

    Raises
    ------
    ImportError
        If `evaluate` or `filelock` is not installed.
    OSError
        If the cache cannot be written.
    """
    registered = {}
    for name, folder in _cache_folders().items():
        files = _module_files(name)
        digest = hashlib.sha256(b"".join(f"{k}\0".encode() + v for k, v in sorted(files.items())))
        copy = folder / digest.hexdigest()
        try:
            if not _is_in_place(copy, files) or (_staged(folder) and os.access(folder, os.W_OK)):
                folder.mkdir(parents=True, exist_ok=True)
                with _locked(folder):
                    if not _is_in_place(copy, files):  # else another process was faster
                        _put_in_place(copy, files)
        except OSError as error:
            raise OSError(
                f"cannot register {name!r} in {folder} ({error}): make that folder writable, "
                "or set HF_MODULES_CACHE to one that is"
            ) from error
        registered[name] = str(copy)
    return registered


def unregister() -> list[str]:
    """Remove what `register` put into the cache of `evaluate`, and nothing else.

    Returns
    -------
    list of str
        The folders removed.

    Raises
    ------
    ImportError
        If `evaluate` or `filelock` is not installed.
    OSError
        If the cache cannot be written.
    """
    removed = []
    for name, folder in _cache_folders().items():
        if not (_ours(folder, name) or _staged(folder)):
            continue
        with _locked(folder):
            for copy in _ours(folder, name):
                shutil.rmtree(copy)
                removed.append(str(copy))
            if not _copies(folder):
                shutil.rmtree(folder)
        if not folder.exists():
            Path(f"{folder}.lock").unlink(missing_ok=True)
    return removed


def _cache_folders() -> dict[str, Path]:
    """Return the folder of all cached copies of each metric."""
    try:
        import filelock  # noqa: F401 the extra has both
        from evaluate import config
    except ImportError as error:
        raise ImportError(
            f"registering needs Hugging Face evaluate ({error}): "
            "pip install 'informedness[evaluate]'"
        ) from error
    modules = Path(config.HF_MODULES_CACHE) / str(config.MODULE_NAME_FOR_DYNAMIC_MODULES)
    return {name: modules / "metrics" / f"evaluate-metric--{name}" for name in MODULES}


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder, and remove what killed processes left in it."""
    from filelock import FileLock

    with FileLock(f"{folder}.lock"):
        for left in _staged(folder):  # made only under the lock, so no process is using it
            shutil.rmtree(left)
        yield


def _module_files(name: str) -> dict[str, bytes]:
    """Return the files of a copy: the module's scripts, its package mark, and ours."""
    files = {path.name: path.read_bytes() for path in Path(module_path(name)).glob("*.py")}
    return {**files, "__init__.py": b"", f"{name}.json": json.dumps(_MARK).encode()}


def _copies(folder: Path) -> list[Path]:
    """Return the folders that evaluate takes for copies of the module."""
    return [path for path in folder.glob("*") if len(path.name) == 64] if folder.is_dir() else []


def _staged(folder: Path) -> list[Path]:
    """Return the folders of copies that are being made, or were when a process was killed."""
    return list(folder.glob(f"{_STAGED}*"))


def _ours(folder: Path, name: str) -> list[Path]:
    """Return the copies that `register` made."""
    return [copy for copy in _copies(folder) if _is_ours(copy, name)]


def _is_ours(copy: Path, name: str) -> bool:
    try:
        return bool(json.loads((copy / f"{name}.json").read_bytes()) == _MARK)
    except (OSError, ValueError):
        return False


def _script(copy: Path) -> Path:
    return copy / f"{copy.parent.name.removeprefix('evaluate-metric--')}.py"


def _is_in_place(copy: Path, files: dict[str, bytes]) -> bool:
    """Whether evaluate would load this copy, whole."""
    for name, content in files.items():
        if not (copy / name).is_file() or (copy / name).read_bytes() != content:
            return False
    others = [_script(other) for other in _copies(copy.parent) if other != copy]
    newest = _script(copy).stat().st_mtime
    return all(other.is_file() and other.stat().st_mtime < newest for other in others)


def _put_in_place(copy: Path, files: dict[str, bytes]) -> None:
    folder = copy.parent
    for package in (folder.parents[1], folder.parent, folder):
        (package / "__init__.py").touch()
    newest = time.time()
    for other in _copies(folder):
        if not _script(other).is_file():
            # an incomplete copy, on which evaluate fails before it looks at complete ones
            if other != copy:
                shutil.rmtree(other)
        elif other != copy:
            newest = max(newest, _script(other).stat().st_mtime + 1)
    with tempfile.TemporaryDirectory(dir=folder, prefix=_STAGED) as staging:
        staged = Path(staging) / copy.name
        staged.mkdir()
        for name, content in files.items():
            (staged / name).write_bytes(content)
        os.utime(staged / _script(copy).name, (newest, newest))
        if not copy.exists():
            staged.rename(copy)
            return
        # the script goes last: with it the copy becomes the one that loads
        for name in sorted(files, key=lambda name: name == _script(copy).name):
            (staged / name).replace(copy / name)
