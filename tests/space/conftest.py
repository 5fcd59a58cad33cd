"""The app of each Space, started from its staged folder, and a browser in front of it."""

import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "spaces"))


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark what is in this folder: all is slow, what opens a page needs the browser."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.slow)
            if "browser" in getattr(item, "fixturenames", ()):
                item.add_marker(pytest.mark.browser)


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


@pytest.fixture(scope="session")
def browser() -> Iterator[object]:
    """Return a headless Chromium; a machine without one fails the test and says so."""
    from playwright.sync_api import expect
    from screenshots import chromium

    expect.set_options(timeout=20_000)  # a busy machine is slow, not wrong
    with chromium() as started:
        yield started
