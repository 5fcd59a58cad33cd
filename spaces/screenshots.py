"""Take the screenshots of both Spaces for the README, from the running apps.

python spaces/screenshots.py

This needs gradio, playwright and Chromium on the system. The pictures go to spaces/screenshots/,
in 128 colours to keep them small.
"""

import io
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import Browser, Page, sync_playwright

SPACES = Path(__file__).resolve().parent
CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
VIEWS: dict[str, dict[str, Any]] = {
    "light": {"color_scheme": "light", "viewport": {"width": 1300, "height": 900}},
    "dark": {"color_scheme": "dark", "viewport": {"width": 1300, "height": 900}},
    "phone": {"color_scheme": "light", "viewport": {"width": 375, "height": 812}},
}


@contextmanager
def running(metric: str) -> Iterator[tuple[str, Path, int]]:
    """Serve the Space of a metric from a staged folder; yield its address, log and process id."""
    with tempfile.TemporaryDirectory(prefix=f"space-{metric}-") as folder, socket.socket() as probe:
        staged, log = Path(folder, "staged"), Path(folder, "log")
        subprocess.run([sys.executable, SPACES / "build.py", metric, staged], check=True)
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        environment = {
            **os.environ,
            "GRADIO_SERVER_PORT": str(port),
            "GRADIO_TEMP_DIR": str(Path(folder, "uploads")),
        }
        with log.open("w") as output:
            process = subprocess.Popen(
                [sys.executable, "app.py"],
                cwd=staged,
                env=environment,
                stdout=output,
                stderr=output,
            )
        try:
            _await_answer(f"http://127.0.0.1:{port}/", process, log)
            yield f"http://127.0.0.1:{port}/", log, process.pid
        finally:
            process.terminate()
            process.wait(timeout=20)


def _await_answer(address: str, process: subprocess.Popen[bytes], log: Path) -> None:
    end = time.monotonic() + 60
    while time.monotonic() < end and process.poll() is None:
        try:
            urllib.request.urlopen(address, timeout=5).close()
            return
        except OSError:
            time.sleep(0.1)
    raise RuntimeError(f"the app does not answer at {address}:\n{log.read_text()}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Yield a headless Chromium of the system."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    if path is None:
        raise RuntimeError(
            f"no Chromium found on this machine (looked for {', '.join(CHROMIUM)}): "
            "install one with apt-get install chromium"
        )
    options = (
        "--no-sandbox --disable-dev-shm-usage --disable-background-networking --disable-quic "
        "--no-first-run --disable-component-update --disable-sync"
    )
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=options.split())
        try:
            yield browser
        finally:
            browser.close()


def open_example(page: Page, address: str) -> None:
    """Show the result of the three-class example."""
    page.goto(address)
    page.get_by_role("button", name="Averages disagree").click()
    page.get_by_text("Three classes, one of which").wait_for()
    page.mouse.move(0, 0)
    page.wait_for_timeout(500)  # the last transitions of colour


def main() -> None:
    """Take all pictures."""
    folder = SPACES / "screenshots"
    folder.mkdir(exist_ok=True)
    with chromium() as browser:
        for metric in ("informedness", "nit"):
            with running(metric) as (address, *_):
                for view, options in VIEWS.items():
                    page = browser.new_page(**options)
                    open_example(page, address)
                    path = folder / f"{metric}-{view}.png"
                    picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
                    picture.convert("RGB").quantize(128).save(path, optimize=True)
                    page.close()
                    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
