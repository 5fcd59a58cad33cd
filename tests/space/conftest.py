"""The page of each Space: its modules in this process, its running app, and a browser in front."""

import importlib
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest import mock

import pytest
from build import space_files, stage
from drawn import LIMIT, METRICS
from playwright.sync_api import Error

pytestmark = pytest.mark.full  # leaves out the folder: what it imports may not be installed


@pytest.fixture(scope="session")
def app() -> Iterator[Callable[[str], str]]:
    """Return the function that gives the address of a metric's running app."""
    from screenshots import running

    with ExitStack() as stack:
        served = {metric: stack.enter_context(running(metric)) for metric in METRICS}
        yield lambda metric: served[metric][0]
        printed = "".join(log.read_text("utf-8") for _, log in served.values())
    assert "Traceback" not in printed, printed


def imported_from(folder: Path) -> SimpleNamespace:
    """Import the modules of a staged page, and leave no trace of their common names."""
    with mock.patch.object(sys, "path", [str(folder), *sys.path]):
        importlib.import_module("app")
    found = [*sys.modules.items()]
    ours = {x: y for x, y in found if str(folder) in str(getattr(y, "__file__", ""))}
    for name in ours:
        del sys.modules[name]
    return SimpleNamespace(**ours)


@pytest.fixture(scope="session")
def page_of(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], SimpleNamespace]:
    """Return the function that gives the modules of a metric's page, from its staged folder."""
    found = {}
    for metric in METRICS:
        folder = tmp_path_factory.mktemp("page") / metric
        stage(space_files(metric), folder)
        found[metric] = imported_from(folder)
    return found.__getitem__


@pytest.fixture
def page(page_of: Callable[[str], SimpleNamespace]) -> SimpleNamespace:
    """The modules of the page of Informedness."""
    return page_of("informedness")


@pytest.fixture(scope="session")
def opened(app: Callable[[str], str], browser: Any) -> dict[str, Any]:
    """The page of each metric, opened once, and what is not as it should be, whatever tests do."""
    found = {}
    for metric in METRICS:
        page, url, faults = browser.new_context(has_touch=True).new_page(), app(metric), list[Any]()
        page.set_default_timeout(LIMIT)
        own = (url, "data:", "blob:")
        page.on("request", lambda x, y=faults, own=own: x.url.startswith(own) or y.append(x.url))
        page.on("pageerror", lambda error, y=faults: y.append(error))
        page.goto(url)
        found[metric] = page, url, faults
    return found


@pytest.fixture
def visit(opened: dict[str, Any]) -> Iterator[Callable[..., Any]]:
    """Return the function that goes to a page; whatever pages do, they stay on their host.

    A page is as the last test left it, unless a query is given: "?" loads it anew.
    """

    def visited(metric: str = "informedness", query: str = "", width: int = 1200) -> Any:
        page, url, _ = opened[metric]
        page.set_viewport_size({"width": width, "height": 844})
        page.locator("#doors [role=tab]").first.wait_for()
        if query:
            # what a late answer does to the address would end the navigation
            page.evaluate("history.pushState = history.replaceState = () => {}")
            try:
                page.goto(url + query)
            except Error:  # something of Gradio's ended the navigation
                page.goto(url + query)
        page.locator("#doors [role=tab]").first.wait_for()
        return page

    yield visited
    for page, _, faults in opened.values():
        found = [*faults, page.evaluate("window.executed ?? null")]  # by hostile labels
        faults.clear()
        assert found == [None]
