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
from typing import Any

UNPACKING = ("arrow", "parquet")  # other tables are read in parts, and cannot grow
SECONDS = 20
MEMORY = 1 << 30  # bytes of address space; much of it is never used
MOST_TIMES = 10  # limit of decoded columns, in largest file sizes
TOO_MUCH = "The file takes too much memory or time once it is unpacked."
_TOO_LARGE = 3  # as an exit code


@functools.lru_cache(8)
def run_trial(path: str, kind: str, max_bytes: int) -> Any:
    """Decode a file in a process of its own; return the runs of a log, and warnings.

    Raises
    ------
    ValueError
        If it takes too much memory or time; of a log also as `read_log` does.
    """
    few_threads = {"OMP_NUM_THREADS": "1", "ARROW_IO_THREADS": "1"}  # each takes memory
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), **few_threads}
    command = [sys.executable, __file__, path, kind, str(max_bytes)]
    try:
        tried = subprocess.run(command, env=env, capture_output=True, timeout=SECONDS)
    except subprocess.TimeoutExpired:
        raise ValueError(TOO_MUCH) from None
    if tried.returncode == 1:  # Python ended with a traceback
        raise RuntimeError(tried.stderr.decode(errors="replace"))
    found = ValueError(TOO_MUCH) if tried.returncode else pickle.loads(tried.stdout)
    if isinstance(found, ValueError):
        raise found
    return found


def main(path: str, kind: str, max_bytes: str) -> int:
    """Decode a file, print the pickled runs of a log, and return the exit code."""
    import resource

    sys.path.pop(0)  # this folder, where a Space has informedness.py, a script
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    import pyarrow

    from informedness.logs.reading import read_log
    from informedness.messages import message_of
    from informedness.warnings import collected

    found: Any = None
    try:
        if kind == "log":
            with collected() as notes:
                found = read_log(path), notes
        elif decoded_bytes(path, kind, int(max_bytes)) > MOST_TIMES * int(max_bytes):
            return _TOO_LARGE
    except MemoryError:
        return _TOO_LARGE
    except (ValueError, OSError, pyarrow.ArrowException) as error:  # the reader of tables says it
        found = ValueError(message_of(error)) if kind == "log" else None
    pickle.dump(found, sys.stdout.buffer)
    sys.stdout.flush()
    return 0


def decoded_bytes(path: str, kind: str, max_bytes: int) -> int:
    """Decode all columns of a file, and return their size in memory."""
    import pyarrow.parquet

    from informedness.files.arrow import open_native
    from informedness.files.opening import open_whole

    with open_whole(path, kind, None, max_bytes) as stream:
        if kind == "parquet":
            batches = pyarrow.parquet.ParquetFile(open_native(stream)).iter_batches()
            return sum(batch.nbytes for batch in batches)
        is_file = stream.read(6) == b"ARROW1"
        stream.seek(0)
        open_table = pyarrow.ipc.open_file if is_file else pyarrow.ipc.open_stream
        return int(open_table(open_native(stream)).read_all().nbytes)


if __name__ == "__main__":
    os._exit(main(*sys.argv[1:]))  # Arrow's threads may abort an orderly end
