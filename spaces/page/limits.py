"""Define the metric of this Space and limits on its inputs, and refuse larger requests."""

import gzip
import json
import os
import re
from functools import lru_cache
from mimetypes import guess_type
from pathlib import Path
from typing import Any

import gradio
from starlette.datastructures import Headers
from starlette.responses import PlainTextResponse, Response

from informedness.inference.registry import MODULES

HERE = Path(__file__).resolve().parent
METRIC = next(name for name in MODULES if (HERE / f"{name}.py").is_file())  # its script is here

MAX_ROWS = 100_000
MAX_CLASSES = 1_000
MAX_LABEL = 200  # characters
MAX_TEXT = 2_000_000  # characters in one box
MAX_BLOCK = 100_000  # characters of a pasted matrix
MAX_FILE = 10_000_000  # bytes of an upload
MAX_BODY = 20_000_000  # bytes of any request
MAX_COLUMNS = 100  # of an upload
MAX_GRID = 30  # classes that can be edited on the page, and sent in a link
MAX_LINK = 3_000  # characters of a link's query
MAX_COUNT = 10**15  # in one cell of the matrix, so that the sum stays exact
MOST_VISITORS = 20  # Gradio keeps their last inputs, although nothing here reads them again

WORDS = json.loads((HERE / "words.json").read_text("utf-8"))
MEANT = WORDS["meant"]  # options of labels, by the argument that messages name
LEVEL, LEVELS = 0.95, (0.9, 0.95, 0.99)  # of intervals
EXAMPLES = json.loads((HERE / "examples.json").read_text("utf-8"))  # by tab of the page


class Refusal(ValueError):  # noqa: N818
    """The input cannot be scored; the message is for the person who sent it."""


ASSETS = Path(gradio.__file__).parent / "templates" / "frontend" / "assets"


@lru_cache(maxsize=500)
def load_asset(name: str) -> Response:
    """Compress a script or style of Gradio, to send it from memory.

    A page loads 50 one after the other. Each takes 1 ms, and 3 ms by Gradio's own route.
    """
    content, headers = (ASSETS / name).read_bytes(), {"content-encoding": "gzip"}
    return Response(gzip.compress(content), headers=headers, media_type=guess_type(name)[0])


class Guard:
    """Refuse large requests and closed addresses, and let browsers load nothing from other hosts.

    Gradio has addresses that fetch from other hosts, record, store states, or skip its queue.
    """

    CALLS = r"info|openapi\.json|call/.*|queue/.*|cancel|reset|upload|upload_progress|heartbeat/.*"
    OPEN = re.compile(
        r"/(config|theme\.css|favicon\.ico|manifest\.json|robots\.txt|(assets|static|pwa_icon)/.*|"
        rf"gradio_api/({CALLS}|startup-events|app_id|mcp(/.*)?)/?)?"
    )
    POLICY = b"default-src 'self' 'unsafe-inline' 'unsafe-eval' data: blob:"

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on, and add the policy to the response."""

        async def send_with_policy(message: Any) -> None:
            if message["type"] == "http.response.start":
                policy = (b"content-security-policy", self.POLICY)
                message = {**message, "headers": [*message.get("headers", []), policy]}
            await send(message)

        kept = f"/gradio_api/file={os.environ['GRADIO_TEMP_DIR']}{os.sep}"  # an upload
        path = scope.get("path", "/")
        headers = Headers(scope=scope) if scope["type"] == "http" else Headers()
        if int(headers.get("content-length", 0)) > MAX_BODY or "transfer-encoding" in headers:
            while (await receive()).get("more_body"):
                pass  # a client that is still sending would not see the response
            refusal = f"A request can have at most {MAX_BODY:,d} bytes, and must say how many."
            await PlainTextResponse(refusal, status_code=413)(scope, receive, send)
        elif not path.startswith(kept) and not self.OPEN.fullmatch(path):
            await PlainTextResponse("Not found.", status_code=404)(scope, receive, send)
        else:
            name = "".join(re.findall(r"\A/assets/([\w-]+\.(?:js|css))\Z", path))
            is_asset = "gzip" in headers.get("accept-encoding", "") and (ASSETS / name).is_file()
            app = load_asset(name) if is_asset else self.app
            await app(scope, receive, send_with_policy)
