"""A stand-in for the Hugging Face Hub on loopback: repositories, history, tags and refusals.

It answers what `huggingface_hub` asks when it publishes and what `evaluate` asks when it loads,
as the Hub does it, so that the unmodified clients run against it with HF_ENDPOINT.
"""

import base64
import hashlib
import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import unquote, urlsplit

# Someone who loads metrics; standard input: [[[module, revision], ...], [references, predictions]].
LOAD = """
import json, sys
import evaluate
modules, (references, predictions) = json.load(sys.stdin)
metrics = [evaluate.load(module, revision=revision) for module, revision in modules]
scores = [metric.compute(references=references, predictions=predictions) for metric in metrics]
print(json.dumps(scores))
"""

Files = dict[str, bytes]


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class HubError(Exception):
    """An answer with an error status."""

    def __init__(self, status: int, message: str, code: str = "") -> None:
        super().__init__(message)
        self.status, self.message, self.code = status, message, code


class Space:
    """A repository as the Hub makes it, with two files of its own in it."""

    def __init__(self, repo_id: str, sdk: str) -> None:
        self.commits: dict[str, Files] = {}  # by their id, the newest last
        self.tags: dict[str, str] = {}
        card = f"---\ntitle: {repo_id.split('/')[1]}\nsdk: {sdk}\n---\n".encode()
        self.commit({".gitattributes": b"*.bin filter=lfs\n", "README.md": card})

    def commit(self, files: Files) -> None:
        oid = hashlib.sha1(f"{len(self.commits)} {files}".encode()).hexdigest()
        self.commits[oid] = files

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


class Hub:
    """The server and what it holds.

    `tokens` maps each token to the namespaces it may write to. `requests` lists what was asked, as
    (method, path). `faults` maps an API path to the refusal it gets, whoever asks.
    """

    def __init__(self, tokens: dict[str, set[str]]) -> None:
        self.tokens = tokens
        self.spaces: dict[str, Space] = {}
        self.requests: list[tuple[str, str]] = []
        self.faults: dict[str, HubError] = {}
        self.lock = threading.Lock()

    @contextmanager
    def running(self) -> Iterator["Hub"]:
        """Serve on a free port of loopback."""
        handler = type("Handler", (_Handler,), {"hub": self})
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
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

    def add_space(self, repo_id: str, sdk: str) -> Space:
        self.spaces[repo_id] = Space(repo_id, sdk)
        return self.spaces[repo_id]

    def find(self, repo_id: str, token: str | None, write: bool = False) -> Space:
        """Return a Space, if there is one and, to write, if the owner of the token may."""
        if repo_id not in self.spaces:
            if token:
                raise HubError(404, "Repository not found", "RepoNotFound")
            raise HubError(401, "Invalid username or password.")
        if write:
            self.check(repo_id, token)
        return self.spaces[repo_id]

    def check(self, repo_id: str, token: str | None) -> None:
        if repo_id.split("/")[0] not in self.tokens.get(token or "", ()):
            raise HubError(403, f"You don't have the rights to write to {repo_id}")

    def create(self, asked: dict[str, Any], token: str | None) -> dict[str, Any]:
        repo_id = f"{asked['organization']}/{asked['name']}"
        self.check(repo_id, token)
        self.add_space(repo_id, asked.get("sdk", "none"))  # a model has none
        return {"url": f"{self.url}/spaces/{repo_id}", "name": repo_id}

    def commit(self, repo_id: str, space: Space, lines: list[dict[str, Any]]) -> dict[str, Any]:
        files = dict(space.files)
        (header,) = (line["value"] for line in lines if line["key"] == "header")
        if header.get("parentCommit", space.head) != space.head:
            raise HubError(412, "A commit has happened since. Please refresh and try again.")
        for line in lines:
            path = line["value"].get("path")
            if line["key"] == "file":
                files[path] = base64.b64decode(line["value"]["content"])
            elif line["key"] == "deletedFile":
                del files[path]
        space.commit(files)
        url = f"{self.url}/spaces/{repo_id}/commit/{space.head}"
        return {"success": True, "commitOid": space.head, "commitUrl": url}

    def get(self, path: str, token: str | None) -> Any:
        """Answer a GET of the API."""
        repo_id, topic, revision = _parts(path, "refs|revision|tree")
        space = self.find(repo_id, token)
        if topic == "refs":
            tags = [
                {"name": x, "ref": f"refs/tags/{x}", "targetCommit": space.tags[x]}
                for x in space.tags
            ]
            return {"branches": [], "converts": [], "tags": tags}
        oid = space.at(revision or "main")
        if topic == "tree":
            return [
                {"type": "file", "path": name, "size": len(content), "oid": git_oid(content)}
                for name, content in space.commits[oid].items()
            ]
        sdk = re.search(rb"^sdk: *(\w+)", space.files["README.md"], re.MULTILINE)
        siblings = [{"rfilename": name} for name in space.commits[oid]]
        return {"id": repo_id, "sha": oid, "sdk": sdk and sdk[1].decode(), "siblings": siblings}

    def post(self, path: str, body: bytes, token: str | None) -> Any:
        """Answer a POST of the API."""
        if path == "/api/repos/create":
            return self.create(json.loads(body), token)
        if path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        repo_id, topic, revision = _parts(path, "preupload|commit|tag")
        space = self.find(repo_id, token, write=True)
        if topic == "commit":
            return self.commit(repo_id, space, [json.loads(line) for line in body.splitlines()])
        oid, asked = space.at(revision), json.loads(body)
        if topic == "tag":
            space.tags[asked["tag"]] = oid
            return {}
        way = {"uploadMode": "regular", "shouldIgnore": False}
        return {"files": [{"path": file["path"], **way} for file in asked["files"]]}

    def resolve(self, path: str, token: str | None) -> tuple[bytes, dict[str, str]]:
        """Return a file of a Space and the headers that go with it."""
        repo_id, _, revision_and_name = path.removeprefix("/spaces")[1:].partition("/resolve/")
        revision, _, name = revision_and_name.partition("/")
        space = self.find(repo_id, token)
        oid = space.at(revision)
        if name not in space.commits[oid]:
            raise HubError(404, "Entry not found", "EntryNotFound")
        content = space.commits[oid][name]
        return content, {"ETag": f'"{git_oid(content)}"', "X-Repo-Commit": oid}

    def answer(
        self, method: str, path: str, body: bytes, header: str
    ) -> tuple[bytes, dict[str, str]]:
        """Return what is asked for, and the headers that go with it."""
        token = header.removeprefix("Bearer ") or None
        if path in self.faults:
            raise self.faults[path]
        if token and token not in self.tokens:
            raise HubError(401, "Invalid credentials in Authorization header")
        if "/resolve/" in path:
            return self.resolve(path, token)
        found = self.post(path, body, token) if method == "POST" else self.get(path, token)
        return json.dumps(found).encode(), {}


def _parts(path: str, topics: str) -> tuple[str, str, str]:
    """Return the repository, the topic and the revision in a path of the API."""
    match = re.fullmatch(rf"/api/\w+/([^/]+/[^/]+)(?:/({topics})(?:/(.*))?)?", path)
    if not match:
        raise HubError(404, f"this stand-in has no {path}")
    return match[1], match[2], match[3]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    hub: Hub

    def _answer(self) -> None:
        path, status = unquote(urlsplit(self.path).path), 200
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        with self.hub.lock:
            self.hub.requests.append((self.command, path))
            try:
                header = self.headers.get("Authorization", "")
                content, headers = self.hub.answer(self.command, path, body, header)
            except HubError as refusal:
                status, content = refusal.status, json.dumps({"error": refusal.message}).encode()
                headers = {"X-Error-Message": refusal.message, "X-Error-Code": refusal.code}
        self.send_response(status)
        for name, value in {"Content-Length": str(len(content)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    do_GET = do_HEAD = do_POST = _answer  # noqa: N815

    def log_message(self, *_: Any) -> None:
        """Keep the tests' output clean."""
