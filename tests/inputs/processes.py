"""Forked processes, whose exit codes tests look at."""

import os
import signal
import time

import pytest


def forked(work):
    """Return the number of a forked process that does this work, and exits with 0 after it."""
    child = os.fork()
    if not child:
        code = 1
        try:
            work()
            code = 0
        finally:
            os._exit(code)
    return child


def exit_codes(children):
    """Return the exit codes of processes; None for each that hangs, which is killed."""
    codes, deadline = dict.fromkeys(children), time.monotonic() + 60
    while None in codes.values() and time.monotonic() < deadline:
        for child in [x for x, code in codes.items() if code is None]:
            ended, status = os.waitpid(child, os.WNOHANG)
            codes[child] = os.waitstatus_to_exitcode(status) if ended else None
        time.sleep(0.01)
    for child in [x for x, code in codes.items() if code is None]:
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
    return [*codes.values()]


forking = pytest.mark.skipif(not hasattr(os, "fork"), reason="Windows has no fork")
ignoring_threads = pytest.mark.filterwarnings("ignore:This process .* is multi-threaded")
