"""The site builds, its reference is complete, and it asks no other server."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import informedness
from space.checkout import copied

pytestmark = [pytest.mark.full, pytest.mark.xdist_group("page")]  # which has the browser

ROOT = Path(__file__).resolve().parents[2]


def public(module):
    """Return the public names that a module defines."""
    text = (ROOT / "src" / "informedness" / f"{module}.py").read_text(encoding="utf-8")
    found = re.findall(r"^(?:(?:def|class) ([A-Za-z]\w+)|([a-z]\w+): Any)", text, re.MULTILINE)
    return {f"informedness.{module}.{name or variable}" for name, variable in found}


def test_the_reference_has_each_public_name_once():
    page = (ROOT / "docs" / "reference.md").read_text(encoding="utf-8")
    found = re.findall(r"^::: (\S+)$", page, re.MULTILINE)
    names = [
        *informedness.__all__,
        "helm",
        "inspect_ai",
        "lighteval",
        "lm_eval",
    ]  # these as a whole
    wanted = {f"informedness.{name}" for name in names}
    assert wanted.union(*map(public, ("trainer", "torchmetrics", "scorers"))) <= {*found}
    assert len(found) == len({*found})
    for name in {*found} - wanted:  # such as what functions return
        module, _, attribute = name.rpartition(".")
        assert hasattr(import_module(module), attribute), name


def build(folder):
    pytest.importorskip("zensical", reason="the site is built on Python 3.11 or newer")
    command = [sys.executable, "docs/build.py"]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True)


@pytest.fixture(scope="module")
def site(tmp_path_factory):
    folder = copied(tmp_path_factory.mktemp("site"))
    result = build(folder)
    assert result.returncode == 0, result.stdout + result.stderr
    return folder / "build" / "site"


@pytest.mark.slow
def test_links_lead_to_pages_or_the_repository(site):
    for page, link in (
        ("which-number", 'href="../studies/paper/TEXTS/"'),
        ("slices", "/blob/main/examples/paper.ipynb"),
    ):
        assert link in (site / page / "index.html").read_text(encoding="utf-8")
    for page in ("studies/paper/TEXTS", "CHANGELOG"):
        assert (site / page / "index.html").exists()
    text = (site / "reference" / "index.html").read_text(encoding="utf-8")
    assert not re.search(":math:|[.]{2} math::", text)
    assert text.count("<math") > 10


@pytest.mark.slow
def test_a_broken_link_fails_the_build_and_is_named(tmp_path):
    page = copied(tmp_path) / "docs" / "performance.md"
    text = page.read_text(encoding="utf-8")
    for target, said in (
        ("nothing.md", "links to nothing.md, which is not there"),
        ("files.md#nothing", "anchor does not exist"),
    ):
        page.write_text(f"{text}\n[x]({target})\n", encoding="utf-8")
        result = build(tmp_path)
        assert result.returncode == 1
        assert said in result.stderr


@pytest.mark.slow
def test_pages_fit_a_phone_and_ask_no_server(site, browser):
    asked, wide = [], []
    page = browser.new_page(viewport={"width": 390, "height": 844})
    page.on("request", lambda request: asked.append(request.url))
    for path in sorted(site.rglob("index.html")):
        page.goto(path.as_uri())
        if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
            wide.append(path.parent.name)
    page.close()
    assert wide == [url for url in asked if not url.startswith(("file:", "data:"))] == []
