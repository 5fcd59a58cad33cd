"""A stand-in for the Hugging Face Hub on loopback: repositories, history, tags and refusals.

It answers what `huggingface_hub` asks when it publishes and what `evaluate` asks when it loads,
as the Hub does it, so that the unmodified clients run against it with HF_ENDPOINT.
"""

import base64
import hashlib
import json
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

Files = dict[str, bytes]
WRITER, STRANGER = "hf_writerTokenOfTheTests", "hf_strangerTokenOfTheTests"


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class HubError(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Space:
    """A repository as the Hub makes it, with two files of its own in it."""

    def __init__(self, sdk: str) -> None:
        self.sdk = sdk
        self.commits: dict[str, Files] = {}  # by their id, the newest last
        self.tags: dict[str, str] = {}
        self.commit({".gitattributes": b"*.bin filter=lfs\n", "README.md": b"# New\n"})

    def commit(self, files: Files) -> None:
        self.commits[hashlib.sha1(f"{len(self.commits)} {files}".encode()).hexdigest()] = files

    @property
    def head(self) -> str:
        return list(self.commits)[-1]

    @property
    def files(self) -> Files:
        return self.commits[self.head]

    def at(self, revision: str) -> str:
        oid = self.head if revision == "main" else self.tags.get(revision, revision)
        if oid not in self.commits:
            raise HubError(404, f"Invalid rev id: {revision}", "RevisionNotFound")
        return oid

    def get(self, topic: str, revision: str) -> Any:
        """Answer a GET of the API."""
        if topic == "refs":
            tags = [{"name": x, "ref": x, "targetCommit": y} for x, y in self.tags.items()]
            return {"branches": [], "converts": [], "tags": tags}
        oid = self.at(revision)
        if topic == "tree":
            files = self.commits[oid].items()
            file = {"type": "file"}
            return [{**file, "path": x, "size": len(y), "oid": git_oid(y)} for x, y in files]
        return {"id": "", "sha": oid, "sdk": self.sdk}

    def post(self, topic: str, revision: str, asked: list[Any]) -> Any:
        """Answer a POST of the API, whose lines are `asked`."""
        if topic == "tag":
            self.tags[asked[0]["tag"]] = self.at(revision)
            return {}
        if topic == "preupload":
            way = {"uploadMode": "regular", "shouldIgnore": False}
            return {"files": [{"path": file["path"], **way} for file in asked[0]["files"]]}
        files = dict(self.files)
        for kind, value in ((line["key"], line["value"]) for line in asked):
            if value.get("parentCommit", self.head) != self.head:
                raise HubError(412, "A commit has happened since. Please refresh and try again.")
            if kind == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif kind == "deletedFile":
                del files[value["path"]]
        self.commit(files)
        return {"success": True, "commitOid": self.head, "commitUrl": f"commit/{self.head}"}


class Hub:
    """What the server holds; the writer may write to `org`, a stranger nowhere.

    `requests` lists what was asked, as (method, path). `before` maps a path to what happens, or the
    refusal that is raised, before it is answered.
    """

    def __init__(self) -> None:
        self.spaces: dict[str, Space] = {}
        self.requests: list[tuple[str, str]] = []
        self.before: dict[str, HubError | Callable[[], None]] = {}

    @contextmanager
    def running(self) -> Iterator["Hub"]:
        """Serve on a free port of loopback."""
        handler = type("Handler", (_Handler,), {"hub": self})
        with HTTPServer(("127.0.0.1", 0), handler) as server:
            self.url = f"http://127.0.0.1:{server.server_port}"
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
            thread.start()
            try:
                yield self
            finally:
                server.shutdown()
                thread.join()

    @property
    def sent(self) -> list[str]:
        """The paths of all requests that could change something."""
        return [path for method, path in self.requests if method not in ("GET", "HEAD")]

    def find(self, repo_id: str) -> Space:
        if repo_id not in self.spaces:
            raise HubError(404, "Repository not found", "RepoNotFound")
        return self.spaces[repo_id]

    def answer(self, path: str, body: bytes, token: str | None) -> Any:
        """Return the content of a file, or what becomes JSON."""
        if isinstance(happens := self.before.get(path, lambda: None), HubError):
            raise happens
        happens()
        if token not in (None, WRITER, STRANGER):
            raise HubError(401, "Invalid credentials in Authorization header")
        asked = [json.loads(line) for line in body.splitlines()]
        if asked and token != WRITER and "validate-yaml" not in path:
            raise HubError(403, "You don't have the rights to write to it")
        match path.strip("/").split("/"):
            case ["api", "validate-yaml"]:
                return {"errors": [], "warnings": []}
            case ["api", "repos", "create"]:
                repo_id = f"{asked[0]['organization']}/{asked[0]['name']}"
                self.spaces[repo_id] = Space(asked[0]["sdk"])
                return {"url": f"{self.url}/spaces/{repo_id}", "name": repo_id}
            case ["api", _, owner, name, *rest]:
                space, (topic, revision, *_) = self.find(f"{owner}/{name}"), [*rest, "", "main"]
                return space.post(topic, revision, asked) if asked else space.get(topic, revision)
            case ["spaces", owner, name, "resolve", revision, *parts]:
                space = self.find(f"{owner}/{name}")
                files = space.commits[space.at(revision)]
                if "/".join(parts) not in files:
                    raise HubError(404, "Entry not found", "EntryNotFound")
                return files["/".join(parts)]
        raise HubError(404, f"this stand-in has no {path}")


class _Handler(BaseHTTPRequestHandler):
    hub: Hub

    def _answer(self) -> None:
        path, status, headers = unquote(urlsplit(self.path).path), 200, {}
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        token = self.headers.get("Authorization", "").removeprefix("Bearer ") or None
        self.hub.requests.append((self.command, path))
        try:
            answer = self.hub.answer(path, body, token)
        except HubError as refusal:
            status, answer = refusal.status, {"error": refusal.message}
            headers = {"X-Error-Message": refusal.message, "X-Error-Code": refusal.code}
        content = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
        headers |= {"Content-Length": str(len(content)), "ETag": f'"{git_oid(content)}"'}
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""
