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
WRITER = "hf_writerTokenOfTheTests"


def git_oid(content: bytes) -> str:
    return hashlib.sha1(b"blob %d\0" % len(content) + content).hexdigest()


class HubError(Exception):
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

    def answer(self, rest: list[str], asked: list[Any]) -> Any:
        """Answer what is asked of this repository; its lines are `asked`."""
        match rest:
            case ["refs"]:
                tags = [{"name": x, "ref": x, "targetCommit": y} for x, y in self.tags.items()]
                return {"branches": [], "converts": [], "tags": tags}
            case ["tree", revision]:
                files, file = self.commits[self.at(revision)].items(), {"type": "file"}
                return [{**file, "path": x, "size": len(y), "oid": git_oid(y)} for x, y in files]
            case ["resolve", revision, *parts]:
                files = self.commits[self.at(revision)]
                if "/".join(parts) not in files:
                    raise HubError(404, "Entry not found", "EntryNotFound")
                return files["/".join(parts)]
            case ["tag", revision]:
                self.tags[asked[0]["tag"]] = self.at(revision)
                return {}
            case ["preupload", _]:
                way = {"uploadMode": "regular", "shouldIgnore": False}
                oids = {path: git_oid(content) for path, content in self.files.items()}
                paths = [file["path"] for file in asked[0]["files"]]
                return {"files": [{"path": x, "oid": oids.get(x), **way} for x in paths]}
            case ["commit", _]:
                self.commit(self.changed(asked))
                return {"success": True, "commitOid": self.head, "commitUrl": f"commit/{self.head}"}
        oid = self.at(rest[-1] if rest else "main")
        siblings = [{"rfilename": path} for path in self.commits[oid]]
        return {"id": "", "sha": oid, "sdk": self.sdk, "siblings": siblings}

    def changed(self, lines: list[Any]) -> Files:
        files = dict(self.files)
        for kind, value in ((line["key"], line["value"]) for line in lines):
            if value.get("parentCommit", self.head) != self.head:
                raise HubError(412, "A commit has happened since. Please refresh and try again.")
            if kind == "file":
                files[value["path"]] = base64.b64decode(value["content"])
            elif kind == "deletedFile":
                del files[value["path"]]
        return files


class Hub:
    """What the server holds; the writer may write to it.

    `requests` lists what was asked, as (method, path). `before` maps a path to what happens, or the
    refusal that is raised, before it is answered.
    """

    def __init__(self) -> None:
        self.spaces: dict[str, Space] = {}
        self.requests: list[tuple[str, str]] = []
        self.before: dict[str, HubError | Callable[[], None]] = {}

    @contextmanager
    def running(self) -> Iterator["Hub"]:
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
        return [path for method, path in self.requests if method not in ("GET", "HEAD")]

    def answer(self, path: str, body: bytes, token: str | None) -> Any:
        if isinstance(happens := self.before.get(path, lambda: None), HubError):
            raise happens
        happens()
        if path == "/api/validate-yaml":
            return {"errors": [], "warnings": []}
        if body and token != WRITER:
            raise HubError(403, "You don't have the rights to write to it")
        asked = [json.loads(line) for line in body.splitlines()]
        match path.removeprefix("/api").strip("/").split("/"):
            case ["repos", "create"]:
                repo_id = f"{asked[0]['organization']}/{asked[0]['name']}"
                self.spaces[repo_id] = Space(asked[0]["sdk"])
                return {"url": f"{self.url}/spaces/{repo_id}", "name": repo_id}
            case ["spaces", owner, name, *rest] if f"{owner}/{name}" in self.spaces:
                return self.spaces[f"{owner}/{name}"].answer(rest, asked)
        raise HubError(404, "Repository not found", "RepoNotFound")


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
