"""What `spaces/publish.py` sends to the Hub, `evaluate` loads from there by name.

The unmodified clients talk to a stand-in on loopback.
"""

import json
import os
import re
import socket
import subprocess
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from checkout import ROOT, commit, copied, edit, git, refused, run_script
from hub import LOAD, Hub, HubError
from huggingface_hub import constants

import informedness
from golden import BY_ID, close
from test_documents import functions_of

WRITER, STRANGER = "hf_writerTokenOfTheTests", "hf_strangerTokenOfTheTests"
VECTOR = BY_ID["asym_k4"]
GOLDEN = {"informedness": VECTOR.exact["informedness"], "nit": VECTOR.info["NIT_k_ref"]}
RELEASE = ("--release", "0.2.0")


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub({WRITER: {"org"}, STRANGER: set()}).running() as hub:
        yield hub


@pytest.fixture
def ask(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Any]:
    """Return the function that lets this process use a Hub and a token."""
    monkeypatch.setattr(informedness, "__version__", "0.2.0")
    monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(tmp_path / "token"))
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")

    def asked(url: str, token: str = WRITER) -> None:
        monkeypatch.setattr(constants, "ENDPOINT", url)
        monkeypatch.setenv("HF_TOKEN", token)
        huggingface_hub.close_session()

    yield asked
    huggingface_hub.close_session()


def publish_from(project: Path, *options: str) -> str:
    return run_script(project, "publish", "--org", "org", *options)


@pytest.fixture
def publish(hub: Hub, ask: Any) -> Any:
    """Return the function that publishes this checkout."""
    ask(hub.url)
    return partial(publish_from, ROOT)


@pytest.fixture
def clone(publish: Any, tmp_path: Path) -> Path:
    """Return a copy of the checkout, in the commit of a release."""
    folder = copied(tmp_path / "clone")
    git(folder, "tag", "release-0.2.0")
    return folder


def change_app(clone: Path) -> None:
    edit(clone / "spaces/page/app.py", "import sys\n", "import sys  # another app\n")


def said_once(run: Any, *arguments: object) -> str:
    """Return the one sentence that refuses, which never has a token."""
    (sentence,) = refused(run, *arguments)
    assert sentence.startswith("publish: ")
    assert "hf_" not in sentence
    return sentence


# Publish and load


def run_elsewhere(hub: Hub, folder: Path, code: str, asked: Any = None, **variables: str) -> str:
    """Return what code prints for someone with empty caches."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    off = {"HF_UPDATE_DOWNLOAD_COUNTS": "0", "HF_HUB_DISABLE_TELEMETRY": "1"}
    own = {"HF_HOME": str(folder / "hf"), "HF_ENDPOINT": hub.url, "NO_PROXY": "127.0.0.1"}
    command, env = [sys.executable, "-c", code], {**kept, **off, **own, **variables}
    given = json.dumps(asked)
    result = subprocess.run(command, input=given, env=env, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_what_is_published_loads_by_name_and_a_release_also_by_its_revision(clone, hub, tmp_path):
    output = publish_from(clone, *RELEASE)
    for name in GOLDEN:
        assert f"{hub.url}/spaces/org/{name}\n" in output
        assert f'evaluate.load("org/{name}", revision="release-0.2.0")\n' in output
    space = hub.spaces["org/nit"]
    space.commit({**space.files, "nit.py": b"raise ValueError"})
    modules = [("org/informedness", None), ("org/nit", "release-0.2.0")]
    loaded = run_elsewhere(hub, tmp_path, LOAD, [modules, VECTOR.samples()])
    assert json.loads(loaded) == [{name: close(value)} for name, value in GOLDEN.items()]


# What is sent


def test_a_space_holds_what_is_built_and_then_only_changes_are_sent(clone, hub, tmp_path):
    (clone / "spaces/page/notes.txt").write_text("mine\n")
    publish_from(clone)
    hub.requests.clear()
    assert publish_from(clone).count("nothing changed") == 2
    space, built = hub.spaces["org/informedness"], tmp_path / "built"
    before = dict(space.files)
    run_script(clone, "build", "informedness", built, "--repo-id", "org/informedness")
    files = {path.relative_to(built).as_posix(): path for path in built.rglob("[!.]*")}
    wanted = {name: path.read_bytes() for name, path in files.items() if path.is_file()}
    assert "notes.txt" not in wanted
    assert wanted | {".gitattributes": before[".gitattributes"]} == before
    space.files["charts/old.py"] = b"left from an older version\n"
    change_app(clone)
    changes = ["  ~ app.py", "  - charts/old.py"]
    assert publish_from(clone).splitlines()[1:3] == changes
    assert len(space.commits) == 3
    assert space.files == {**before, "app.py": (clone / "spaces/page/app.py").read_bytes()}


def test_a_dry_run_lists_the_files_of_each_space_and_asks_for_no_token_and_no_hub(
    clone, hub, tmp_path, monkeypatch
):
    git(clone, "tag", "--delete", "release-0.2.0")  # it may not be tagged yet
    monkeypatch.delenv("HF_TOKEN")
    output = publish_from(clone, "--dry-run", *RELEASE)
    assert hub.requests == []
    for name in GOLDEN:
        built = tmp_path / name
        run_script(clone, "build", name, built, "--repo-id", f"org/{name}")
        files = [path for path in built.rglob("*") if path.is_file()]
        assert f"org/{name} would hold, in {len(files)} files:\n" in output
        for path in files:
            size = path.stat().st_size
            assert f"  {path.relative_to(built).as_posix()}, {size:,} bytes\n" in output


# Releases


def test_a_release_is_made_once_and_never_moved(clone, hub):
    """A tag v0.4.6 would keep every user of evaluate 0.4.6 on this state of the Space."""
    publish_from(clone)
    hub.requests.clear()
    publish_from(clone, *RELEASE)  # of what is there
    heads = {name: space.head for name, space in hub.spaces.items()}
    assert hub.sent == [f"/api/spaces/{name}/tag/{oid}" for name, oid in heads.items()]
    space = hub.spaces["org/informedness"]
    assert space.tags == {"release-0.2.0": space.head}
    hub.requests.clear()
    assert publish_from(clone, *RELEASE).count("nothing changed") == 2
    change_app(clone)
    commit(clone)
    git(clone, "tag", "--force", "release-0.2.0")
    for oid in (space.head, next(iter(space.commits))):
        space.tags["release-0.2.0"] = oid
        sentence = said_once(publish_from, clone, *RELEASE)
        assert "release-0.2.0 is already on another state of org/informedness" in sentence
        assert oid[:7] in sentence
    assert hub.sent == []


def test_a_release_is_sent_from_the_commit_of_its_tag_and_from_nothing_else(clone, hub):
    git(clone, "tag", "--delete", "release-0.2.0")
    assert "needs the tag release-0.2.0 on this commit" in said_once(publish_from, clone, *RELEASE)
    git(clone, "tag", "--annotate", "release-0.2.0", "--message=With a message")
    hidden = clone / "spaces/page/mine.css"
    hidden.write_text("p {}\n", "utf-8")
    assert "needs all committed, got ?? spaces" in said_once(publish_from, clone, *RELEASE)
    (clone / ".git/info/exclude").write_text("mine.css\n", "utf-8")
    publish_from(clone, *RELEASE)
    assert "mine.css" not in hub.spaces["org/nit"].files
    change_app(clone)
    assert "needs all committed, got  M spaces" in said_once(publish_from, clone, *RELEASE)
    commit(clone)
    for options in (RELEASE, (*RELEASE, "--dry-run")):
        assert "on this commit" in said_once(publish_from, clone, *options)


# What is refused, in one sentence


def test_the_token_is_that_of_the_environment_or_of_the_login_and_there_must_be_one(
    publish, hub, ask, monkeypatch
):
    monkeypatch.delenv("HF_TOKEN")
    assert "there is no token: run `hf auth login`, or set HF_TOKEN" in refused(publish)[0]
    assert hub.requests == []
    Path(constants.HF_TOKEN_PATH).write_text(WRITER)
    publish()
    assert list(hub.spaces) == ["org/informedness", "org/nit"]


def test_what_is_asked_is_refused_before_anything_is_sent(publish, clone, hub, ask):
    # Else the tag would say one version, and the signatures of what it holds another.
    for release in ("v0.2.0", "0.2", "0.2.0\n", "0.3.0"):
        sentence = said_once(publish, "--release", release)
        assert f"must be the version of the code, 0.2.0, got {release!r}" in sentence
    assert "must be OWNER/informedness" in said_once(publish, "--org", "o rg")
    for token, said in (
        ("hf_unknown", "answered 401 at .*: Invalid credentials .*; create a token"),
        ("hf_torn\x0bapart", "the token has characters that no token can have"),
        (STRANGER, "answered 403 at .*: You don't have the rights .*; use a token with"),
    ):
        ask(hub.url, token)
        assert re.search(said, said_once(publish))
    ask(hub.url)
    for path, error, said in (
        ("/api/repos/create", HubError(402, "Subscribe"), "answered 402 at .*: Subscribe"),
        ("/api/spaces/org/informedness", HubError(503, ""), "answered 503 .*: without a reason"),
    ):
        hub.faults = {path: error}
        assert re.search(said, said_once(publish))
    assert hub.spaces == {}
    hub.requests.clear()
    edit(clone / "metrics/nit/labels.py", "\n", "\n\n")
    assert "labels.py: run `python spaces/sync.py`" in said_once(publish_from, clone)
    assert hub.requests == []


def test_a_hub_that_is_not_there_or_never_answers_is_said_in_one_sentence(clone, ask):
    edit(clone / "spaces/publish.py", "_TIMEOUT = 30", "_TIMEOUT = 1")
    with socket.socket() as taken, socket.create_server(("127.0.0.1", 0)) as silent:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        for server in (taken, silent):
            address = f"http://127.0.0.1:{server.getsockname()[1]}"
            ask(address)
            said = said_once(publish_from, clone)
            assert f"cannot reach the Hub at {address}" in said
            assert "(timed out)" in said or server is taken


# What is left alone


def test_a_space_of_another_kind_is_left_alone_and_so_is_the_other_space(publish, hub):
    hub.add_space("org/nit", "docker")
    assert "org/nit is a Space of another kind (of docker," in said_once(publish)
    hub.add_space("org/nit", "gradio").files["parasites.py"] = b"pass\n"
    assert "org/nit is a Space of another kind (of gradio, or without nit.py)" in said_once(publish)
    assert hub.sent == []


def test_a_commit_of_someone_else_in_between_is_not_undone(ask):
    class BusyHub(Hub):
        def post(self, path: str, body: bytes, token: str | None) -> Any:
            answer = super().post(path, body, token)
            if path == "/api/spaces/org/informedness/preupload/main":
                space = self.spaces["org/informedness"]
                space.commit({**space.files, "informedness.py": b"pass\n"})
            return answer

    with BusyHub({WRITER: {"org"}}).running() as hub:
        space = hub.add_space("org/informedness", "gradio")
        ask(hub.url)
        sentence = said_once(publish_from, ROOT)
        assert "answered 412 at " in sentence
        assert "someone else changed it at the same time: run this again" in sentence
        assert space.files["informedness.py"] == b"pass\n"


@pytest.mark.filterwarnings("ignore:informedness. ")  # of the snippets
@pytest.mark.full  # older clients ask huggingface.co, whatever HF_ENDPOINT says
def test_the_model_card_of_the_page_on_evaluate_is_pushed(hub, registered, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    functions_of("docs/evaluate.md")
    code = """
from huggingface_hub import ModelCard, create_repo
create_repo("org/my-filter")
ModelCard.load("my-filter.md").push_to_hub("org/my-filter")
(read,) = ModelCard.load("org/my-filter").data.eval_results
print(read.metric_type, read.metric_value, read.metric_config)
"""
    pushed = run_elsewhere(hub, tmp_path, code, HF_TOKEN=WRITER)
    assert pushed.startswith("informedness 0.7333 informedness|avg:bias|k:2|n:100|")
