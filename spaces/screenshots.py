"""Take the screenshots of both Spaces for the README, from the running apps.

python spaces/screenshots.py

This needs gradio, playwright and Chromium on the system. The pictures go to spaces/screenshots/,
in 128 colours to keep them small.
"""

import io
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from build import MODULES, space_files, stage
from PIL import Image
from playwright.sync_api import Browser, sync_playwright

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
VIEWS: dict[str, dict[str, Any]] = {
    "phone": {"color_scheme": "light", "viewport": {"width": 390, "height": 844}},
    "tablet": {"color_scheme": "dark", "viewport": {"width": 768, "height": 1024}},
    "desktop": {"color_scheme": "light", "viewport": {"width": 1280, "height": 800}},
}

STARTED = re.compile(r"Running on local URL: +(http://127\.0\.0\.1:\d+).*public link", re.DOTALL)
LIMIT = 600  # seconds for a start on a busy machine


@contextmanager
def running(metric: str) -> Iterator[tuple[str, Path]]:
    """Serve the Space of a metric from a staged folder; yield its address and its log."""
    with tempfile.TemporaryDirectory(prefix=f"space-{metric}-") as folder:
        staged = Path(folder, "staged")
        stage(space_files(metric), staged)
        with serving(staged, sys.executable, dict(os.environ)) as served:
            yield served


@contextmanager
def serving(
    staged: Path, python: str | Path, environment: dict[str, str]
) -> Iterator[tuple[str, Path]]:
    """Serve a Space from its folder; yield its address, and its log next to the folder."""
    log, own = staged.with_name("log"), {"GRADIO_TEMP_DIR": str(staged.with_name("uploads"))}
    # a range of ports per process: if two apps share a port, the second one never responds
    own["GRADIO_SERVER_PORT"] = str(10_000 + os.getpid() * 100 % 20_000)
    with log.open("w") as output:
        streams: dict[str, Any] = {"stdout": output, "stderr": output}
        command = [python, "-u", "app.py"]
        process = subprocess.Popen(command, cwd=staged, env=environment | own, **streams)
    try:
        yield f"{address_of(process, log)}/", log
    finally:
        process.terminate()
        process.wait(timeout=LIMIT)


def address_of(process: subprocess.Popen[bytes], log: Path) -> str:
    """Wait for an app to print its address."""
    end = time.monotonic() + LIMIT
    while process.poll() is None and time.monotonic() < end:
        if started := STARTED.search(log.read_text("utf-8")):
            return started[1]
        time.sleep(0.05)
    raise RuntimeError(f"the app did not start:\n{log.read_text('utf-8')}")


@contextmanager
def chromium() -> Iterator[Browser]:
    """Start the headless Chromium of the system, or that of playwright."""
    path = next(filter(None, map(shutil.which, CHROMIUM)), None)
    with sync_playwright() as api, api.chromium.launch(executable_path=path) as browser:
        yield browser


def main() -> None:
    """Take all pictures, of the third example."""
    folder = Path(__file__).resolve().parent / "screenshots"
    with chromium() as browser:
        for metric in MODULES:
            with running(metric) as (address, *_):
                for view, options in VIEWS.items():
                    page = browser.new_page(**options)
                    page.goto(f"{address}?example=3")
                    page.locator("#why .told").filter(has_text="finds most").wait_for()
                    page.mouse.move(0, 0)
                    page.wait_for_timeout(500)  # until colour transitions have ended
                    path = folder / f"{metric}-{view}.png"
                    picture = Image.open(io.BytesIO(page.screenshot(full_page=True)))
                    picture.convert("RGB").quantize(128).save(path, optimize=True)
                    page.close()
                    print(f"{path}: {path.stat().st_size / 1000:.0f} kB")


if __name__ == "__main__":
    main()
