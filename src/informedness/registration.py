"""Register the metrics with `evaluate`, so that `evaluate.load("informedness")` finds them.

`evaluate` searches its module cache for names that it finds nowhere else. In the cache, each copy
of a module is a folder whose name has 64 characters. `evaluate` loads the newest copy. `register`
writes a new copy in one atomic step.
"""

import hashlib
import os
import tempfile
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
        files = {path.name: path.read_bytes() for path in Path(module_path(name)).glob("*.py")}
        files[_MARK] = "\n".join(sorted(files)).encode()
        digest = hashlib.sha256(b"".join(f"{k}\0".encode() + v for k, v in sorted(files.items())))
        copy = folder / digest.hexdigest()
        try:
            _write_copy(copy, files)
            _make_newest(copy / f"{name}.py")
        except OSError as error:
            remedy = "set HF_MODULES_CACHE to a folder that can be written"
            raise OSError(f"cannot register {name!r} in {folder} ({error}): {remedy}") from error
        registered[name] = str(copy)
    return registered


def unregister() -> list[str]:
    """Remove the files that `register` put into the cache of `evaluate`.

    Their compiled versions are also removed, but no other files.

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
    copies = [mark.parent for folder in folders for mark in folder.glob(f"*/{_MARK}")]
    parts = [part for copy in copies for part in (copy.parent, copy, copy / "__pycache__")]
    if links := [part for part in parts if part.is_symlink()]:
        raise OSError(f"{links[0]} is a symbolic link, which `register` never makes: unlink it")
    for copy in copies:
        if kept := _remove(copy):
            remedy = "move the folder away, or `evaluate` cannot load any other copy"
            warn(f"kept {copy}, which has other files ({', '.join(kept)}): {remedy}")
    return [*map(str, copies)]


def _remove(copy: Path) -> list[str]:
    """Remove the files of a copy and their compiled versions, and folders that are then empty.

    Return the names of the other files and folders in the copy.
    """
    names = {_MARK, *(copy / _MARK).read_text("utf-8", "replace").split()}
    for path in [*copy.iterdir(), *copy.glob("__pycache__/*")]:
        source = path.name if path.parent == copy else f"{path.name.partition('.')[0]}.py"
        if source in names and path.is_file():
            path.unlink()
    for folder in (copy / "__pycache__", copy, copy.parent):
        with suppress(OSError):  # the folder contains other files or copies
            folder.rmdir()
    return sorted(path.name for path in copy.glob("*"))


def _cache_folders() -> dict[str, Path]:
    """Map each metric to the folder in the cache that contains its copies."""
    with optional_import("registering needs evaluate", "evaluate>=0.4.6", "datasets>=4.0"):
        from evaluate import config
    modules = Path(config.HF_MODULES_CACHE) / str(config.MODULE_NAME_FOR_DYNAMIC_MODULES)
    return {name: modules / "metrics" / f"evaluate-metric--{name}" for name in MODULES}


def _write_copy(copy: Path, files: dict[str, bytes]) -> None:
    """Write a new copy in one step, or replace the damaged files of an existing copy.

    Several processes may call this function at once.
    """
    damaged = [x for x in files if not (copy / x).is_file() or (copy / x).read_bytes() != files[x]]
    if not damaged:
        return
    if copy.exists():
        warn(f"replaced changed or missing files of {copy}: {', '.join(damaged)}")
    copy.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=copy.parent, prefix=".staged-") as staging:
        staged = Path(staging) / copy.name
        staged.mkdir()
        for name, content in files.items():
            (staged / name).write_bytes(content)
        try:
            staged.rename(copy)
        except OSError:  # the copy is damaged, or another process has written it
            for name in damaged:
                (staged / name).replace(copy / name)


def _make_newest(script: Path) -> None:
    """Make a script newer than the same script in other copies: `evaluate` loads the newest."""
    copies = script.parent.parent.glob(f"*/{script.name}")
    newest = max((copy.stat().st_mtime for copy in copies if copy != script), default=0)
    if newest >= script.stat().st_mtime:
        os.utime(script, (newest + 1, newest + 1))
