"""Try compressed uploads in a process with little memory before the page reads them.

A small file can unpack to gigabytes, whatever size it declares, and would end the page for
everyone. Logs are read only there: a search for answers in hostile text can take minutes, during
which Python does nothing else.
"""

import functools
import os
import pickle
import subprocess
import sys
from pathlib import Path
from typing import Any

UNPACKING = ("arrow", "parquet")  # other tables are read in parts, and cannot grow
SECONDS = 20
MEMORY = 1 << 30  # bytes of address space; much of it is never used
MOST_TIMES = 10  # limit of decoded columns, in largest file sizes
_TOO_LARGE = 3  # as an exit code


def is_small(path: str, kind: str, max_bytes: int) -> bool:
    """Say whether a file can be decoded within the limits, or is damaged: its reader says how."""
    return kind not in UNPACKING or _tried(path, kind, max_bytes) is not None


def runs_of_log(path: str, max_bytes: int) -> tuple[list[Any], list[Warning]] | None:
    """Read the runs in a log, and warnings; None if it takes too much memory or time.

    Raises
    ------
    ValueError
        As `read_log` does.
    """
    said = _tried(path, "log", max_bytes)
    found = None if said is None else pickle.loads(said)  # written below
    if isinstance(found, ValueError):
        raise found
    return found


@functools.lru_cache(8)
def _tried(path: str, kind: str, max_bytes: int) -> bytes | None:
    """Run a trial and return its output; None if it takes too much memory or time."""
    few_threads = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}  # each takes memory
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **few_threads}
    command = [sys.executable, __file__, path, kind, str(max_bytes)]
    try:
        tried = subprocess.run(command, env=env, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        return None
    if tried.returncode == 1:  # Python ended with a traceback
        raise RuntimeError(tried.stderr.decode(errors="replace"))
    return None if tried.returncode else tried.stdout


def main(path: str, kind: str, max_bytes: str) -> int:
    """Decode a file without keeping the result; return the exit code."""
    import resource

    sys.path.pop(0)  # this folder, where a Space has informedness.py, a script
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import pyarrow.parquet

    from informedness.files.arrow import open_native
    from informedness.files.opening import open_whole

    try:
        if kind == "log":
            return _print_runs(Path(path))
        with open_whole(path, kind, None, int(max_bytes)) as stream:
            if kind == "parquet":
                batches = pyarrow.parquet.ParquetFile(open_native(stream)).iter_batches()
            elif stream.read(6) == b"ARROW1":
                reader = pyarrow.ipc.open_file(open_native(stream))
                batches = map(reader.get_batch, range(reader.num_record_batches))
            else:
                stream.seek(0)
                batches = pyarrow.ipc.open_stream(open_native(stream))
            n_bytes = 0
            for batch in batches:
                n_bytes += batch.nbytes
                if n_bytes > MOST_TIMES * int(max_bytes):
                    return _TOO_LARGE
    except MemoryError:
        return _TOO_LARGE
    except (ValueError, OSError, pyarrow.ArrowException):  # damage
        return 0
    return 0


def _print_runs(path: Path) -> int:
    """Pickle the runs of a log, or the error of its reader, to stdout; return the exit code."""
    from informedness.logs.reading import read_log
    from informedness.messages import message_of
    from informedness.warnings import collected

    try:
        with collected() as notes:
            found: Any = read_log(path), notes
    except ValueError as error:
        found = ValueError(message_of(error))
    pickle.dump(found, sys.stdout.buffer)
    sys.stdout.flush()
    return 0


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # Arrow's threads may abort an orderly end
