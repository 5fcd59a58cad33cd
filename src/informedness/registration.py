"""Register the metrics with `evaluate`, so that `evaluate.load("informedness")` finds them.

`evaluate` searches its module cache for names that it finds nowhere else. There each copy of a
module is a folder whose name has 64 characters, and `evaluate` loads the newest copy. `register`
writes a new copy in one atomic step.
"""

import hashlib
import os
import shutil
import tempfile
from collections.abc import Collection
from contextlib import suppress
from pathlib import Path

from .core.labels import warn
from .errors import optional_import
from .inference.registry import MODULES, module_path

_MARK = "registered_by_informedness"  # a file in each copy, which lists the other files


def register() -> dict[str, str]:
    """Make `evaluate.load("informedness")` and `evaluate.load("nit")` work, also offline.

    This function may be called repeatedly, and by several processes at once. It does not write an
    intact copy again, and replaces the damaged files of a copy. `evaluate` loads the version that
    was registered last.

    Returns
    -------
    dict of str to str
        The name of each metric, and the folder from which `evaluate` loads it.

    Warns
    -----
    InformednessWarning
        If files of a copy were changed or missing, and were replaced.

    Raises
    ------
    ImportError
        If `evaluate` is not installed.
    OSError
        If the cache cannot be written.
    """
    registered = {}
    for name, folder in _cache_folders().items():
        files = _module_files(name)
        digest = hashlib.sha256(b"".join(f"{k}\0".encode() + v for k, v in sorted(files.items())))
        copy = folder / digest.hexdigest()
        try:
            _put_in_place(copy, files, f"{name}.py")
        except OSError as error:
            remedy = "set HF_MODULES_CACHE to a folder that can be written"
            raise OSError(f"cannot register {name!r} in {folder} ({error}): {remedy}") from error
        registered[name] = str(copy)
    return registered


def unregister() -> list[str]:
    """Remove the files that `register` put into the cache of `evaluate`, and no others.

    Returns
    -------
    list of str
        The folders of the copies, including those kept because they contain other files.

    Warns
    -----
    InformednessWarning
        If the folder of a copy contains other files. The folder and these files are kept.

    Raises
    ------
    ImportError
        If `evaluate` is not installed.
    OSError
        If the cache cannot be written, or a folder is a symbolic link. No file is removed if a
        folder is a symbolic link.
    """
    folders = _cache_folders().values()
    ours = [copy for folder in folders for copy in _copies(folder) if (copy / _MARK).exists()]
    parts = [part for copy in ours for part in (copy.parent, copy, copy / "__pycache__")]
    if links := [part for part in parts if part.is_symlink()]:
        raise OSError(f"{links[0]} is a symbolic link, which `register` never makes: unlink it")
    for copy in ours:
        names = (copy / _MARK).read_text("utf-8", "replace").split()
        if others := _remove(copy, [_MARK, *names]):
            why = "move it away, or `evaluate` loads no other copy"
            warn(f"left {copy}, which has other files ({', '.join(others)}): {why}")
    _remove_unused({copy.parent for copy in ours})
    return [*map(str, ours)]


def _remove_unused(folders: Collection[Path]) -> None:
    """Remove folders without copies, with the temporary files of processes that were killed."""
    for folder in folders:
        if not _copies(folder):
            for staged in folder.glob(".staged-*"):
                shutil.rmtree(staged, ignore_errors=True)
            _remove(folder, ["__init__.py"])


def _remove(folder: Path, names: Collection[str]) -> list[str]:
    """Remove files and their compiled versions from a folder, and the folder if it is then empty.

    Return the names of the files that remain.
    """
    for path in [*folder.glob("*"), *folder.glob("__pycache__/*")]:
        source = path.name if path.parent == folder else f"{path.name.partition('.')[0]}.py"
        if source in names and not path.is_dir():
            path.unlink()
    for emptied in (folder / "__pycache__", folder):
        with suppress(OSError):  # the folder contains other files
            emptied.rmdir()
    return sorted(path.name for path in folder.glob("*"))


def _cache_folders() -> dict[str, Path]:
    """Map each metric to the folder in the cache that contains its copies."""
    with optional_import("registering needs evaluate", "evaluate>=0.4.6", "datasets>=4.0"):
        from evaluate import config
    modules = Path(config.HF_MODULES_CACHE) / str(config.MODULE_NAME_FOR_DYNAMIC_MODULES)
    return {name: modules / "metrics" / f"evaluate-metric--{name}" for name in MODULES}


def _module_files(name: str) -> dict[str, bytes]:
    """Read the contents of a copy by file name: scripts, `__init__.py` and the list of files."""
    files = {path.name: path.read_bytes() for path in Path(module_path(name)).glob("*.py")}
    files["__init__.py"] = b""
    return {**files, _MARK: "\n".join(sorted(files)).encode()}


def _copies(folder: Path) -> list[Path]:
    """List the folders that `evaluate` considers copies of a module."""
    return [path for path in folder.glob("*") if len(path.name) == 64] if folder.is_dir() else []


def _damaged_files(copy: Path, files: dict[str, bytes]) -> list[str]:
    """List the files of a copy that are missing or have other contents."""
    paths = {name: copy / name for name in files}
    return [x for x in files if not paths[x].is_file() or paths[x].read_bytes() != files[x]]


def _put_in_place(copy: Path, files: dict[str, bytes], script: str) -> None:
    """Write a copy if it is damaged, and make it the newest copy, which `evaluate` loads.

    Several processes may do this at once.
    """
    if damaged := _damaged_files(copy, files):
        _write_copy(copy, files, damaged)
    times = [(other / script).stat().st_mtime for other in _copies(copy.parent) if other != copy]
    if times and max(times) >= (copy / script).stat().st_mtime:
        os.utime(copy / script, (max(times) + 1, max(times) + 1))


def _write_copy(copy: Path, files: dict[str, bytes], damaged: list[str]) -> None:
    """Write a new copy, or replace the damaged files of an existing copy and keep other files."""
    folder, is_new = copy.parent, not copy.exists()
    folder.mkdir(parents=True, exist_ok=True)
    for package in (folder.parents[1], folder.parent, folder):
        (package / "__init__.py").touch()
    with tempfile.TemporaryDirectory(dir=folder, prefix=".staged-") as staging:
        staged = Path(staging) / copy.name
        staged.mkdir()
        for name, content in files.items():
            (staged / name).write_bytes(content)
        if copy.is_dir() and not copy.is_symlink():
            for name in damaged:
                (staged / name).replace(copy / name)
        elif not is_new:
            copy.unlink(missing_ok=True)  # another process may have removed it
        if not is_new:
            warn(f"replaced changed or missing files of {copy}: {', '.join(damaged)}")
        try:
            staged.rename(copy)
        except OSError:
            if _damaged_files(copy, files):  # otherwise another process has written the copy
                raise
