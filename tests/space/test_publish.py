"""What `spaces/publish.py` sends to the Hub, `evaluate` loads from there by name.

The unmodified clients talk to a stand-in on loopback.
"""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
from checkout import ROOT, Result, copied, git, refused, run_script
from hub import LOAD, Commit, Hub, HubError
from huggingface_hub import constants

import informedness
from golden import BY_ID, close
from test_documents import functions_of

WRITER, STRANGER = "hf_writerTokenOfTheTests", "hf_strangerTokenOfTheTests"
VECTOR = BY_ID["asym_k4"]
GOLDEN = {"informedness": VECTOR.exact["informedness"], "nit": VECTOR.info["NIT_k_ref"]}


class Person:
    """Someone who publishes this checkout, or a copy of it once they change something."""

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.folder, self.monkeypatch = folder, monkeypatch
        self.clone = ROOT
        monkeypatch.setattr(informedness, "__version__", "0.2.0")

    def ask(self, hub: str, token: str | None) -> None:
        """Use this Hub and this token."""
        self.monkeypatch.setattr(constants, "ENDPOINT", hub)
        self.monkeypatch.setattr(constants, "HF_TOKEN_PATH", str(self.folder / "token"))
        if token:
            self.monkeypatch.setenv("HF_TOKEN", token)
        else:
            self.monkeypatch.delenv("HF_TOKEN", raising=False)
        huggingface_hub.close_session()

    def publish(self, *options: str) -> Result:
        result = run_script(self.clone, "publish", "--org", "org", *options)
        assert os.environ.get("HF_TOKEN", WRITER) not in result.stdout + result.stderr
        return result

    def own(self) -> None:
        """Go on with a copy of the checkout."""
        if self.clone == ROOT:
            self.clone = copied(self.folder / "clone")

    def release(self, *options: str) -> Result:
        """Publish a release from the commit of its tag, with what was changed committed."""
        self.own()
        git(self.clone, "commit", "--quiet", "--allow-empty", "--all", "--message=Release")
        git(self.clone, "tag", "--force", "release-0.2.0")
        return self.publish("--release", "0.2.0", *options)

    def edit(self, name: str, old: str, new: str) -> None:
        """Replace a text of a file, in a copy of the checkout."""
        self.own()
        text = (self.clone / name).read_text("utf-8")
        assert old in text
        (self.clone / name).write_text(text.replace(old, new, 1), "utf-8")

    def change_app(self) -> None:
        self.edit("spaces/page/app.py", "import sys\n", "import sys  # another app\n")


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub({WRITER: {"org"}, STRANGER: set()}).running() as hub:
        yield hub
    huggingface_hub.close_session()


@pytest.fixture
def somebody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Person:
    """Someone whom no Hub knows yet."""
    for name in ("NO_PROXY", "no_proxy"):
        monkeypatch.setenv(name, "127.0.0.1")
    return Person(tmp_path, monkeypatch)


@pytest.fixture
def person(somebody: Person, hub: Hub) -> Person:
    somebody.ask(hub.url, WRITER)
    return somebody


def published(result: Result) -> str:
    """Return what publishing printed, once it went well."""
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


# Publish and load


def run_elsewhere(hub: Hub, folder: Path, code: str, asked: Any = None, **variables: str) -> str:
    """Return what code prints for someone with empty caches."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    environment = {
        **kept,
        "HF_HOME": str(folder / "hf"),
        "HF_ENDPOINT": hub.url,
        "HF_UPDATE_DOWNLOAD_COUNTS": "0",
        "HF_HUB_DISABLE_TELEMETRY": "1",
        "NO_PROXY": "127.0.0.1",
        **variables,
    }
    command, given = [sys.executable, "-c", code], json.dumps(asked)
    result = subprocess.run(command, input=given, env=environment, capture_output=True, text=True)
    if result.returncode:
        raise RuntimeError(result.stderr.splitlines()[-1])
    return result.stdout


def load(hub: Hub, folder: Path, *modules: Any) -> list[dict[str, float]]:
    """Return what modules, each with its revision, compute."""
    return json.loads(run_elsewhere(hub, folder, LOAD, [modules, VECTOR.samples()]))


def test_what_is_published_loads_by_name_and_a_release_also_by_its_revision(person, hub, tmp_path):
    output = published(person.release())
    for name in GOLDEN:
        assert f"{hub.url}/spaces/org/{name}\n" in output
        assert f'evaluate.load("org/{name}", revision="release-0.2.0")\n' in output
    space = hub.spaces["org/nit"]
    space.head = Commit({**space.head.files, "nit.py": b"raise ValueError"}, "later", space.head)
    asked = [("org/informedness", None), ("org/nit", "release-0.2.0")]
    loaded = load(hub, tmp_path, *asked)
    assert loaded == [{name: close(value)} for name, value in GOLDEN.items()]


# What is sent


def test_a_space_holds_what_the_build_makes_and_the_file_of_the_hub(person, hub, tmp_path):
    published(person.publish("--private"))
    assert [space.private for space in hub.spaces.values()] == [True, True]
    folder = tmp_path / "built"
    run_script(ROOT, "build", "nit", folder, "--repo-id", "org/nit")
    paths = [path for path in folder.rglob("[!.]*") if path.is_file()]
    built = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    there = hub.spaces["org/nit"].head.files
    assert there.pop(".gitattributes")
    assert there == built
    assert 'evaluate.load("org/nit")' in there["README.md"].decode()


def test_only_what_changed_is_sent_and_what_is_gone_is_removed(person, hub):
    published(person.publish())
    hub.requests.clear()
    assert published(person.publish()).count("nothing changed") == 2
    assert hub.sent == []
    space = hub.spaces["org/informedness"]
    before = dict(space.head.files)
    space.head.files["charts/old.py"] = b"left from an older version\n"
    person.change_app()
    output = published(person.publish())
    assert output.splitlines()[1:3] == ["  ~ app.py", "  - charts/old.py"]
    assert len(space.history) == 3
    changed = (person.clone / "spaces/page/app.py").read_bytes()
    assert space.head.files == {**before, "app.py": changed}


def test_a_dry_run_says_what_would_change_and_sends_nothing(person, hub):
    person.own()
    output = published(person.publish("--dry-run", "--release", "0.2.0"))
    for said in ("org/nit (new)\n", "  + nit.py\n", "  tag release-0.2.0\n"):
        assert said in output
    assert hub.spaces == {}
    published(person.publish())
    person.change_app()
    hub.requests.clear()
    assert published(person.publish("--dry-run")).count("  ~ app.py\n") == 2
    assert hub.sent == []


# Releases


def test_a_release_is_made_once_and_never_moved(person, hub):
    """A tag v0.4.6 would keep every user of evaluate 0.4.6 on this state of the Space."""
    published(person.publish())
    hub.requests.clear()
    published(person.release())  # of what is there
    heads = {name: space.head.oid for name, space in hub.spaces.items()}
    assert hub.sent == [f"/api/spaces/{name}/tag/{oid}" for name, oid in heads.items()]
    space = hub.spaces["org/informedness"]
    assert space.tags == {"release-0.2.0": space.head.oid}
    hub.requests.clear()
    assert published(person.release()).count("nothing changed") == 2
    person.change_app()
    for commit in (space.head, space.history[-1]):
        space.tags["release-0.2.0"] = commit.oid
        refusal = refused(person.release())
        assert (
            f"release-0.2.0 is already on another state of it (commit {commit.oid[:7]})" in refusal
        )
    assert hub.sent == []


def test_a_release_is_sent_from_the_commit_of_its_tag_and_from_nothing_else(person, hub):
    person.own()
    wanted = ("--release", "0.2.0")
    assert "the tag release-0.2.0 on this commit" in refused(person.publish(*wanted))
    published(person.publish(*wanted, "--dry-run"))  # before it is tagged
    git(person.clone, "tag", "--annotate", "release-0.2.0", "--message=With a message")
    hidden = person.clone / "spaces" / "page" / "mine.css"
    for name in (hidden, person.clone / "spaces" / "page" / "page.css"):
        text = name.read_text("utf-8") if name.exists() else ""
        name.write_text(f"{text}p {{}}\n", "utf-8")
        assert f"needs all committed, got {'M' if text else '??'}" in " ".join(
            refused(person.publish(*wanted)).split()
        )
        name.write_text(text, "utf-8") if text else name.unlink()
    hidden.write_text("p {}\n", "utf-8")
    (person.clone / ".git" / "info" / "exclude").write_text("mine.css\n", "utf-8")
    published(person.publish(*wanted))
    assert "mine.css" not in hub.spaces["org/nit"].head.files
    git(person.clone, "commit", "--quiet", "--allow-empty", "--message=Later")
    for options in (wanted, (*wanted, "--dry-run")):
        assert "and it is on commit " in refused(person.publish(*options))


# What is refused, in one sentence


def test_the_token_is_that_of_the_environment_or_of_the_login_and_there_must_be_one(person, hub):
    person.ask(hub.url, None)
    sentence = refused(person.publish())
    assert "there is no token: run `hf auth login`, or set HF_TOKEN" in sentence
    assert hub.requests == []
    Path(constants.HF_TOKEN_PATH).write_text(WRITER)
    published(person.publish())
    assert list(hub.spaces) == ["org/informedness", "org/nit"]


def test_what_is_asked_is_refused_before_anything_is_sent(person, hub):
    # Else the tag would say one version, and the signatures of what it holds another.
    other = "--release must be the version of the code, 0.2.0, got "
    for release in ("v0.2.0", "0.2", "0.2.0\n", "0.3.0"):
        assert f"{other}{release!r}" in refused(person.publish("--release", release))
    assert "must be OWNER/informedness" in refused(person.publish("--org", "o rg"))
    for token, said in (
        ("hf_unknown", "the Hub does not accept the token"),
        ("hf_torn\x0bapart", "the token has char"),
        (STRANGER, "the token has no write access to Spaces of org"),
    ):
        person.ask(hub.url, token)
        sentence = refused(person.publish())
        assert said in sentence
        assert "hf_" not in sentence
    person.ask(hub.url, WRITER)
    for path, error, sentence in (
        ("/api/repos/create", HubError(402, "Subscribe"), "org needs a paid plan"),
        ("/api/repos/create", HubError(409, "Exists"), "someone else changed it at the same time"),
        ("/api/spaces/org/informedness", HubError(500, "Oh no"), "the Hub answered 500 (Oh no)"),
        ("/api/spaces/org/informedness", HubError(503, ""), "the Hub answered 503 (without a reas"),
    ):
        hub.faults = {path: error}
        assert sentence in refused(person.publish())
    assert hub.spaces == {}
    hub.requests.clear()
    person.edit("metrics/nit/labels.py", "\n", "\n\n")
    assert "labels.py: run `python spaces/sync.py`" in refused(person.publish())
    assert hub.requests == []


def test_a_hub_that_is_not_there_or_never_answers_is_said_in_one_sentence(somebody):
    with socket.socket() as taken, socket.create_server(("127.0.0.1", 0)) as silent:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        somebody.edit("spaces/publish.py", "_TIMEOUT = 30", "_TIMEOUT = 1")
        for server in (taken, silent):
            address = f"http://127.0.0.1:{server.getsockname()[1]}"
            somebody.ask(address, WRITER)
            said = refused(somebody.publish())
            assert f"cannot reach the Hub at {address}" in said
            assert "(timed out)" in said or server is taken


# What is left alone


def test_a_space_of_another_kind_or_that_is_public_is_left_alone(person, hub):
    """Also the other Space, which could be published: all is planned before anything is sent."""
    hub.add_space("org/nit", "docker")
    sentence = refused(person.publish())
    assert "org/nit: it is a Space of another kind (docker, not gradio)" in sentence
    hub.add_space("org/nit", "gradio")
    assert "it is already public" in refused(person.publish("--private"))
    hub.spaces["org/nit"].head.files["parasites.py"] = b"pass\n"
    sentence = refused(person.publish())
    assert "org/nit: it is a Space of another kind (there is no nit.py in it)" in sentence
    assert hub.sent == []


def test_a_commit_of_someone_else_in_between_is_not_undone(somebody):
    class BusyHub(Hub):
        def post(self, path: str, body: bytes, token: str | None) -> Any:
            answer = super().post(path, body, token)
            if path == "/api/spaces/org/informedness/preupload/main":
                head = self.spaces["org/informedness"].head
                files = {**head.files, "informedness.py": b"pass\n"}
                self.spaces["org/informedness"].head = Commit(files, "by someone else", head)
            return answer

    with BusyHub({WRITER: {"org"}}).running() as hub:
        hub.add_space("org/informedness", "gradio")
        somebody.ask(hub.url, WRITER)
        refusal = refused(somebody.publish())
        assert "someone else changed it at the same time: run this again" in refusal
        assert hub.spaces["org/informedness"].head.message == "by someone else"


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
