"""What visitors can do to the server and to each other, by sending what the page never sends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import gradio as gr
import httpx
import pytest
from build import ROOT
from screenshots import serving
from visitors import HARMLESS, HOSTILE, Visitor, asked, longest_wait, post

pytestmark = pytest.mark.full

SECRET = "canary"


@pytest.fixture
def paths(tmp_path: Path) -> list[str]:
    """Return the path of a table, of JSON, and of their folder, none of which was uploaded."""
    (tmp_path / "secret.csv").write_text(f"label,prediction\n{SECRET},{SECRET}\nb,b\n")
    (tmp_path / "secret.json").write_text(json.dumps([{"label": SECRET, "prediction": "b"}] * 2))
    return [str(tmp_path / "secret.csv"), str(tmp_path / "secret.json"), str(tmp_path)]


def hostile(paths: list[str]) -> list[Any]:
    meta = {"meta": {"_type": "gradio.FileData"}}
    files = [{"path": path} for path in paths]
    nested = json.loads("[" * 300 + "]" * 300)
    return [files[0], *({**file, **meta} for file in files), [files[0]], nested]


def test_no_event_takes_a_file_of_the_server(app, paths):
    visitor, n_inputs = Visitor(app("informedness"), "stranger"), 0
    file, *others = hostile(paths)
    for event in visitor.events:
        values = visitor.values(event)
        calls = [
            [*values[:place], sent, *values[place + 1 :]]
            for place in range(len(values))
            for sent in (file, others[(n_inputs + place) % len(others)])
        ]
        for start in range(0, len(calls), 50):  # the queue has room for a hundred
            for answer in visitor.answers(event, *calls[start : start + 50]):
                assert SECRET not in json.dumps(answer), event
                assert answer["output"].get("title") == "Not scored", event
        n_inputs += len(values)
    assert n_inputs > 50
    visitor.answers(visitor.events[0], visitor.values(visitor.events[0]))  # which is still alive


def test_inputs_have_the_type_of_their_component(page):
    """Such as the labels of an endpoint, a number and a matrix."""
    check, labels, matrix = page.kinds.check, page.endpoints.Labels | None, list[list[float]] | str
    for kind, values in {
        labels: (["a", 1, True, None], [], "[1, 2]", None),
        float: (1, 0.5),
        matrix: ([[1, 0.5], []],),
    }.items():
        for value in values:
            check([kind], ["x"], [value])
    for kind, values in {
        labels: ([1.5], ["a" * 10_000_001], {}, [["a"]], [{}], 1, True, ["\ud800"]),
        float: (True, "1", float("nan"), float("inf")),
        matrix: ([[1, None]], [["1"]]),
    }.items():
        for value in values:
            with pytest.raises(ValueError, match="x: "):
                check([kind], ["x"], [value])


def test_addresses_that_the_page_does_not_need_are_closed(app, paths):
    url = f"{app('informedness')}gradio_api/"
    folder = paths[2]
    for address in (
        *(f"file={x}" for x in (*paths, "/etc/passwd", f"{folder}/../x", f"{url}info")),
        f"proxy={url}info",
        "deep_link?session_hash=stranger",
        "stream/a/b/1/playlist.m3u8",
        "custom_component/a/client/b/c",
        "runs",
        "queue/../run/score",
    ):
        assert asked(f"{url}{address}")[0] in (403, 404), address
    call = {"data": [["a", "b"], ["a", "b"]], "fn_index": 0, "session_hash": "stranger"}
    for address in (
        "run/score",
        "api/score",
        "component_server",
        "process_recording",
        "vibe-edit",
        "stream/a",
    ):
        assert post(f"{url}{address}", call)[0] == 404, address
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    own = head + b"mine\r\n--x--\r\n"
    (path,) = json.loads(post(f"{url}upload", own, "multipart/form-data; boundary=x")[1])
    assert asked(f"{url}file={path}") == (200, "mine")
    status, said = asked(f"{url}file={Path(path).parent}/../../lock")
    assert status in (403, 404), said


def test_scripts_of_gradio_are_sent_whole_and_no_other_files(app, page):
    with httpx.Client(base_url=app("informedness")) as client:
        for file in sorted(page.limits.ASSETS.glob("Index-*.*s*"))[:20]:
            for encoding in ("gzip", "identity"):
                sent = client.get(f"assets/{file.name}", headers={"accept-encoding": encoding})
                assert (sent.status_code, sent.content) == (200, file.read_bytes()), file.name
                assert "content-security-policy" in sent.headers
        for path in (
            "assets/none.js",
            "assets/..%2f..%2fapp.py",
            "assets/%2e%2e/app.js",
            "assets/",
        ):
            assert client.get(path).status_code in (400, 403, 404), path


def test_only_codecs_of_text_are_encodings(page):
    kind = page.kinds.kind_of(gr.Dropdown(page.limits.WORDS["encodings"]))
    for name in ("utf-8", "cp1252", "koi8-r", "shift_jis", "gb18030", None):
        page.kinds.check([kind], ["Encoding"], [name])
    for name in ("punycode", "idna", "unicode_escape", "zip", "rot13", "utf-7", "x" * 40, "a\0"):
        with pytest.raises(ValueError, match="Encoding: "):
            page.kinds.check([kind], ["Encoding"], [name])


def test_a_start_deletes_the_uploads_of_stopped_processes_alone(tmp_path):
    code = (
        "import os, uploads; uploads.take_folder(); print(os.environ['GRADIO_TEMP_DIR']); input()"
    )
    environment = {**os.environ, "GRADIO_TEMP_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = str(ROOT / "spaces/page")
    (tmp_path / "mine").mkdir()
    started = []

    def start() -> Path:
        pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
        process = subprocess.Popen(
            [sys.executable, "-c", code], env=environment, text=True, **pipes
        )
        started.append(process)
        folder = Path(process.stdout.readline().strip())
        (folder / "upload.csv").write_text("a,b\n")
        return folder

    try:
        first, second = start(), start()
        started[0].send_signal(getattr(signal, "SIGKILL", signal.SIGTERM))
        started[0].wait()
        assert first.exists()
        third = start()
        assert [x.exists() for x in (first, first.parent)] == [False, False]
        assert all((x / "upload.csv").exists() for x in (second, third))
        assert len({first.parent, second.parent, third.parent}) == 3
    finally:
        for process in started:
            process.kill()
            process.communicate()
    assert (tmp_path / "mine").exists()


def test_hostile_text_lets_no_other_visitor_wait():
    """At most twice as long as harmless text of that length does."""
    from screenshots import running

    with running("informedness") as (url, log):
        limit = max(10, 2 * longest_wait(url, HARMLESS))
        assert longest_wait(url, HOSTILE, limit) <= limit
        assert "Traceback" not in log.read_text("utf-8")


SMALL_APP = """
import sys
import gradio as gr
import informedness  # before a folder that has a script of this name
sys.path.insert(0, {folder!r})
import kinds
kinds.STREAM_END = 3
with kinds.Page(analytics_enabled=False) as demo:
    box = gr.Textbox()
    box.change(lambda text: text, box, box)
demo.queue().launch(ssr_mode=False)
"""


def test_a_call_waits_until_the_end_of_the_last_stream_was_read(page, tmp_path):
    folder = Path(page.kinds.__file__).parent
    (tmp_path / "small").mkdir()
    (tmp_path / "small" / "app.py").write_text(SMALL_APP.format(folder=str(folder)))
    with serving(tmp_path / "small", sys.executable, dict(os.environ)) as (url, _):
        visitor = Visitor(url, "quick")
        (event,) = visitor.events
        for is_second in (False, True):
            start = time.monotonic()
            visitor.send(event, ["a"])
            assert (time.monotonic() - start > 1) is is_second
            assert visitor.received(1)[0]["success"]
