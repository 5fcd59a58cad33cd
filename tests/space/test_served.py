"""How the page travels: compressed on the wire, and into a frame of another page."""

import gzip
import json
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from drawn import LIMIT
from playwright.sync_api import expect

# The host's side of iframe-resizer 4, as far as it scrolls; the app brings the other side.
HOST = """<!doctype html>
<h1 style="height: 300px">A page around</h1>
<iframe src="%s" style="width: 390px; height: 3200px; border: 0" scrolling="no"></iframe>
<script>
const frame = document.querySelector("iframe");
const settings = "f:8:false:false:32:true:true:null:bodyOffset:null:null:0:false:parent:scroll";
window.asked = [];
addEventListener("message", ({ data }) => {
  const [, y, , what] = String(data).split(":");
  if (what === "scrollToOffset") asked.push(Number(y));
});
function meet() { frame.contentWindow.postMessage("[iFrameSizer]" + settings, "*"); }
</script>"""


@pytest.fixture
def host(app: Callable[[str], str]) -> Iterator[str]:
    """The address of a page of another origin, with the app in a frame."""
    body = (HOST % app("informedness")).encode()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            """Keep the tests' output clean."""

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://localhost:{server.server_port}/"
        server.shutdown()


def test_in_a_frame_as_high_as_its_content_the_score_comes_into_view(browser, host):
    page = browser.new_page(viewport={"width": 400, "height": 500})
    page.set_default_timeout(LIMIT)
    page.goto(host)
    frame = page.frames[1]
    score = frame.locator("#score")
    score.wait_for()
    for in_a_sizer, example in ((False, "Averages disagree"), (True, "Labels swapped")):
        if in_a_sizer:
            page.evaluate("scrollTo(0, 0)")
            meet(page, frame)
        expect(score).not_to_be_in_viewport()
        # not a click, before which the test's own browser would scroll
        frame.get_by_role("button", name=example).evaluate("button => button.click()")
        page.wait_for_function("scrollY > 0")
        expect(score).to_be_in_viewport()
    page.wait_for_function("asked.length")
    (asked,) = page.evaluate("asked")
    top = score.evaluate("score => score.getBoundingClientRect().top")
    assert asked == pytest.approx(top, abs=2)
    page.close()


def meet(page, frame):
    """Greet the app's script, which loads last, until it answers."""
    end = time.monotonic() + LIMIT / 1000
    while not frame.evaluate("!!window.parentIFrame"):
        assert time.monotonic() < end
        page.evaluate("meet()")


def ask(url: str, encodings: str) -> urllib.request.Request:
    return urllib.request.Request(url, headers={"Accept-Encoding": encodings})


def test_the_page_is_compressed_to_a_fifth(app):
    with urllib.request.urlopen(ask(app("nit"), "gzip, br")) as answer:
        assert answer.headers["content-encoding"] == "gzip"
        sent = answer.read()
    with urllib.request.urlopen(ask(app("nit"), "identity")) as answer:
        plain = answer.read()
    assert len(gzip.decompress(sent)) == pytest.approx(len(plain), rel=0.01)
    assert len(sent) < len(plain) / 5


def test_scripts_and_styles_are_compressed_as_gradio_does(app):
    with urllib.request.urlopen(ask(app("nit") + "theme.css", "gzip, br")) as answer:
        assert answer.headers["content-encoding"] == "br"


def test_a_stream_of_events_arrives_as_it_is_sent(app):
    """The heartbeat never ends."""
    url = app("nit") + "gradio_api/heartbeat/someone"
    with urllib.request.urlopen(ask(url, "gzip, br"), timeout=60) as answer:
        assert answer.headers["content-type"].startswith("text/event-stream")
        assert answer.headers["content-encoding"] is None
        assert answer.readline().startswith(b"data: ")


def test_a_call_is_answered_to_who_takes_compressed_answers_too(app):
    url = app("nit") + "gradio_api/call/score"
    body = json.dumps({"data": [["a", "b"], ["a", "b"], None, 0.95]}).encode()
    headers = {"Content-Type": "application/json", "Accept-Encoding": "gzip"}
    with urllib.request.urlopen(urllib.request.Request(url, body, headers)) as answer:
        event = json.load(answer)["event_id"]
    with urllib.request.urlopen(ask(f"{url}/{event}", "gzip")) as answer:
        assert answer.headers["content-encoding"] is None
        assert b'"nit": 1.0' in answer.read()
