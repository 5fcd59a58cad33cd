"""Registration: `evaluate.load("informedness")` and `evaluate.load("nit")` from anywhere, by name.

`evaluate` looks for a bare name last in its module cache, and loads the newest copy there in a
folder named with 64 hexadecimal digits. `register` puts such a copy there in one atomic step.
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

_MARK = "registered_by_informedness"  # file in each copy that lists the other files


def register() -> dict[str, str]:
    """Put both modules where `evaluate.load` finds them by bare name, online or offline.

    Safe to call repeatedly, and from many processes at once. An intact copy is left alone, so a
    read-only cache that has one is fine. A damaged copy is replaced. The version registered last is
    loaded.

    Returns
    -------
    dict of str to str
        Each metric's name and the folder it loads from.

    Warns
    -----
    InformednessWarning
        If files of a copy had changed or were missing, so it was replaced.

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
        The folders of the copies removed.

    Warns
    -----
    InformednessWarning
        If the folder of a copy has other files; the folder is kept with them.

    Raises
    ------
    ImportError
        If `evaluate` is not installed.
    OSError
        If the cache cannot be written, or a folder is a symbolic link (then nothing is
        removed).
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
    """Remove folders without copies, and staged files of killed processes in them."""
    for folder in folders:
        if not _copies(folder):
            for staged in folder.glob(".staged-*"):
                shutil.rmtree(staged, ignore_errors=True)
            _remove(folder, ["__init__.py"])


def _remove(folder: Path, names: Collection[str]) -> list[str]:
    """Remove files, their compiled versions and an empty folder; return the remaining names."""
    for path in [*folder.glob("*"), *folder.glob("__pycache__/*")]:
        source = path.name if path.parent == folder else f"{path.name.partition('.')[0]}.py"
        if source in names and not path.is_dir():
            path.unlink()
    for emptied in (folder / "__pycache__", folder):
        with suppress(OSError):  # it holds other files
            emptied.rmdir()
    return sorted(path.name for path in folder.glob("*"))


def _cache_folders() -> dict[str, Path]:
    """Find the folder of all cached copies of each metric."""
    with optional_import("registering needs Hugging Face evaluate", "informedness[evaluate]"):
        from evaluate import config
    modules = Path(config.HF_MODULES_CACHE) / str(config.MODULE_NAME_FOR_DYNAMIC_MODULES)
    return {name: modules / "metrics" / f"evaluate-metric--{name}" for name in MODULES}


def _module_files(name: str) -> dict[str, bytes]:
    """Collect the files of a copy: the module's scripts, `__init__.py` and our marker."""
    files = {path.name: path.read_bytes() for path in Path(module_path(name)).glob("*.py")}
    files["__init__.py"] = b""
    return {**files, _MARK: "\n".join(sorted(files)).encode()}


def _copies(folder: Path) -> list[Path]:
    """List the folders that evaluate considers copies of the module."""
    return [path for path in folder.glob("*") if len(path.name) == 64] if folder.is_dir() else []


def _damaged_files(copy: Path, files: dict[str, bytes]) -> list[str]:
    """List the files that are missing from a copy, or differ in it."""
    paths = {name: copy / name for name in files}
    return [x for x in files if not paths[x].is_file() or paths[x].read_bytes() != files[x]]


def _put_in_place(copy: Path, files: dict[str, bytes], script: str) -> None:
    """Make a copy the newest, which is loaded; several processes may do so at once."""
    if damaged := _damaged_files(copy, files):
        _write_copy(copy, files, damaged)
    times = [(other / script).stat().st_mtime for other in _copies(copy.parent) if other != copy]
    if times and max(times) >= (copy / script).stat().st_mtime:
        os.utime(copy / script, (max(times) + 1, max(times) + 1))


def _write_copy(copy: Path, files: dict[str, bytes], damaged: list[str]) -> None:
    """Write a whole copy, or replace the damaged files of an existing one and keep its others."""
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
            copy.unlink(missing_ok=True)  # another process may be faster
        if not is_new:
            warn(f"replaced changed or missing files of {copy}: {', '.join(damaged)}")
        try:
            staged.rename(copy)
        except OSError:
            if _damaged_files(copy, files):  # else a faster process has made it
                raise
