"""Keep uploads in a folder of this process, and delete the folders of stopped processes.

Locks show which processes still run; process ids would not, because they are reused.
"""

import os
import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

_HELD: list[FileLock] = []  # until the process ends


def take_folder() -> None:
    """Set a new folder for Gradio and `tempfile`; delete folders of processes that have ended."""
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
