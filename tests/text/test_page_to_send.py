"""The page to send: one file that shows what a notebook shows, on every screen and on paper.

Covers src: text/layout.py.
"""

import re
from xml.etree import ElementTree

import pytest
from test_layout import BY, FIRST, REFERENCES, RESULTS, WIDE, each_result

from informedness import leaderboard, report, slices

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
INTERVAL = re.compile(r"\((-?[\d.]+) to (-?[\d.]+)\)")


def test_an_html_page_loads_and_runs_nothing():
    for name, made in RESULTS.items():
        page = made().to_html()
        root = ElementTree.fromstring(re.sub(r"<!DOCTYPE html>|<meta[^>]*>", "", page))
        tags = {element.tag for element in root.iter()}
        assert not tags & {"script", "link", "img", "svg", "iframe", "a"}, name
        assert not re.search(r"https?:|url\(|@import|src=", page), name
        shown = "".join(ElementTree.fromstring(f"<div>{made()._repr_html_()}</div>").itertext())
        assert "".join(shown.split()) in "".join("".join(root.itertext()).split()), name
    assert not re.search(" (style|id)=", RESULTS["report"]()._repr_html_())


def test_bars_lie_at_their_intervals_on_one_scale():
    for made, lowest in (
        (slices(REFERENCES, FIRST, by=BY, confidence_level=0.95), 0),
        (report(REFERENCES, FIRST[::-1], confidence_level=0.95), -1),
    ):
        page = made.to_html()
        cells = re.findall(r"<td>(\([^<]*\))<i [^>]*margin-left:([\d.]+)%;width:([\d.]+)%", page)
        assert len(cells) == len(INTERVAL.findall("".join(re.findall("<td>[^<]*<", page)))) > 1
        for text, *drawn in cells:
            low, high = map(float, INTERVAL.fullmatch(text).groups())
            start, width = map(float, drawn)
            assert start == pytest.approx(100 * (low - lowest) / (1 - lowest), abs=0.1)
            assert width == pytest.approx(100 * (high - low) / (1 - lowest), abs=0.1)
        assert f"<p>Bars show intervals, from {lowest} to 1.</p>" in page


def test_bars_start_at_zero_if_an_interval_does():
    board = leaderboard([0, 1] * 30, {"never right": [1, 0] * 30}, metric="accuracy")
    assert re.search(r">\(0\.0000 to 0\.\d+\)<i [^>]*margin-left:0\.0%", board.to_html())


@pytest.mark.full
def test_axe_finds_nothing_and_no_page_is_wider_than_a_phone(browser, tmp_path):
    from axe_playwright_python.sync_playwright import Axe

    made = RESULTS | {"wide": WIDE["wide slices"]}
    page = browser.new_page()
    for name, result in made.items():
        path = tmp_path / f"{name}.html"
        path.write_text(result().to_html(), encoding="utf-8")
        page.goto(path.as_uri())
        for width, scheme in ((320, "light"), (1000, "dark")):
            page.set_viewport_size({"width": width, "height": 800})
            page.emulate_media(color_scheme=scheme)
            options = {"resultTypes": ["violations"]}
            violations = Axe().run(page, options=options).response["violations"]
            assert [one["id"] for one in violations] == [], (name, width)
            assert page.evaluate("document.documentElement.scrollWidth") == width, name
    page.emulate_media(media="print", color_scheme="dark")

    assert page.evaluate("getComputedStyle(document.body).backgroundColor") == "rgb(255, 255, 255)"
    page.close()


@each_result
def test_the_verdict_follows_the_scores(name):
    shown = RESULTS[name]()._repr_html_()
    verdict = {"report": "Informedness: like", "comparison": "B is better"}.get(name, "")
    assert f"</table></div>\n<p>{verdict}" in shown or not verdict


def test_a_command_writes_any_format_to_a_file_and_says_so(command, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model\n" + "a,a\nb,a\nb,b\na,b\n" * 30)
    given = ("report", path, "-r", "gold", "-p", "model")
    for output, start in (("html", "<!DOCTYPE html>"), ("json", "{"), ("text", f"{path}: 120")):
        written = tmp_path / f"out.{output}"
        code, printed, told = command(*given, "--format", output, "-o", written)
        assert (code, printed) == (0, "")
        assert f"wrote {written}" in told
        text = command(*given, "--format", output)[1]
        assert written.read_text(encoding="utf-8") == text
        assert text.startswith(start)
        assert output != "html" or f"<pre>{path}: 120 rows\n" in text
    code, _, told = command(*given, "-o", tmp_path / "none" / "x.html")
    assert (code, "No such file" in told) == (2, True)
