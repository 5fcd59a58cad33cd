"""The app of each Space, started from its staged folder, and a browser in front of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest
from playwright.sync_api import expect

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spaces"))


@pytest.fixture(scope="session")
def app() -> Iterator[Callable[[str], str]]:
    """Return the function that gives the address of a metric's running app."""
    from screenshots import running

    addresses: dict[str, str] = {}
    logs: list[Path] = []
    with ExitStack() as stack:

        def address(metric: str) -> str:
            if metric not in addresses:
                addresses[metric], log, _ = stack.enter_context(running(metric))
                logs.append(log)
            return addresses[metric]

        yield address
        printed = "".join(log.read_text("utf-8") for log in logs)
    assert "Traceback" not in printed, printed


expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Return a headless Chromium; a machine without one fails the test and says so."""
    from screenshots import chromium

    with chromium() as started:
        yield started
