"""A folder for what visitors send to this process; those that stopped processes left are deleted.

Locks tell which processes still run, because their numbers are used again.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_HELD: list[FileLock] = []  # until the process ends


def take_folder() -> None:
    """Let Gradio and `tempfile` use a new folder, and delete those of processes that have ended."""
    shared = Path(os.environ.get("GRADIO_TEMP_DIR") or tempfile.gettempdir())
    user = os.getuid() if hasattr(os, "getuid") else 0
    parent = shared / f"informedness-{user}"
    parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    if parent.is_symlink() or parent.stat().st_uid != user:
        raise PermissionError(f"{parent} belongs to another user: set GRADIO_TEMP_DIR.")
    with FileLock(parent / "lock"):
        for folder in filter(Path.is_dir, parent.iterdir()):
            with suppress(Timeout), FileLock(folder / "lock", timeout=0):
                shutil.rmtree(folder, ignore_errors=True)
        own = Path(tempfile.mkdtemp(dir=parent))
        _HELD.append(FileLock(own / "lock"))
        _HELD[0].acquire()
    for name in ("uploads", "pasted"):
        (own / name).mkdir()
    os.environ["GRADIO_TEMP_DIR"] = str(own / "uploads")
    tempfile.tempdir = str(own / "pasted")
