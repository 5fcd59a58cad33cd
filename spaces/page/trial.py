"""Uploads of formats that unpack are decoded once in a process with little memory, before here.

A small file can take gigabytes, whatever it says that it holds, and what takes all memory ends the
page for everyone.
"""

import functools
import os
import subprocess
import sys
from collections import deque
from pathlib import Path

UNPACKING = ("arrow", "parquet", "eval")  # other kinds are read in parts, and can be no larger
MEMORY = 1 << 30  # bytes of addresses; much of it is never used
MOST_TIMES = 10  # as large as a file may be, its columns may be once decoded
_TOO_LARGE = 3  # as an exit code


@functools.lru_cache
def is_small(path: str, kind: str, most_bytes: int) -> bool:
    """Return whether a file can be decoded; one that is damaged can, as its reader says more."""
    if kind not in UNPACKING:
        return True
    few_threads = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}  # each takes addresses
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **few_threads}
    command = [sys.executable, __file__, path, kind, str(most_bytes)]
    try:
        tried = subprocess.run(command, env=env, capture_output=True, timeout=20)
    except subprocess.TimeoutExpired:
        return False
    if tried.returncode == 1:  # of a traceback
        raise RuntimeError(tried.stderr.decode(errors="replace"))
    return tried.returncode == 0


def main(path: str, kind: str, most_bytes: str) -> int:
    """Decode a file, keep nothing, and return the exit code."""
    import resource

    sys.path.pop(0)  # this folder, where a Space has informedness.py, a script
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import pyarrow.parquet

    from informedness.files.arrow import native
    from informedness.files.open import open_whole
    from informedness.logs.inspect_ai import read_log

    try:
        if kind == "eval":
            deque(read_log(Path(path)), maxlen=0)
            return 0
        with open_whole(path, kind, None, int(most_bytes)) as stream:
            if kind == "parquet":
                batches = pyarrow.parquet.ParquetFile(native(stream)).iter_batches()
            elif stream.read(6) == b"ARROW1":
                reader = pyarrow.ipc.open_file(native(stream))
                batches = map(reader.get_batch, range(reader.num_record_batches))
            else:
                stream.seek(0)
                batches = pyarrow.ipc.open_stream(native(stream))
            n_bytes = 0
            for batch in batches:
                n_bytes += batch.nbytes
                if n_bytes > MOST_TIMES * int(most_bytes):
                    return _TOO_LARGE
    except MemoryError:
        return _TOO_LARGE
    except (ValueError, OSError, pyarrow.ArrowException):  # damage
        return 0
    return 0


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # threads of Arrow's may abort an orderly end
