"""What `spaces/publish.py` sends to the Hub, `evaluate` loads from there by name.

The unmodified clients, each a process of its own, talk to a stand-in on loopback.
"""

import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from hub import LOAD, Commit, Hub, HubError

from golden import BY_ID, close

ROOT = Path(__file__).resolve().parents[2]
WRITER, STRANGER = "hf_writerTokenOfTheTests", "hf_strangerTokenOfTheTests"
VECTOR = BY_ID["asym_k4"]
GOLDEN = {"informedness": VECTOR.exact["informedness"], "nit": VECTOR.info["NIT_k_ref"]}


class Person:
    """Someone with a clone of the project, a token perhaps, and caches that start empty."""

    def __init__(self, folder: Path, hub: str, token: str | None = WRITER) -> None:
        kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
        self.env = {
            **kept,
            "HF_HOME": str(folder / "hf"),
            "HF_ENDPOINT": hub,
            "HF_UPDATE_DOWNLOAD_COUNTS": "0",
            "HF_HUB_DISABLE_TELEMETRY": "1",
            "NO_PROXY": "127.0.0.1",
            **({"HF_TOKEN": token} if token else {}),
        }
        self.token = token
        self.folder = folder
        self.clone = folder / "clone"
        for part in ("spaces", "metrics", "src"):
            ignored = shutil.ignore_patterns("__pycache__", "screenshots")
            shutil.copytree(ROOT / part, self.clone / part, ignore=ignored)
        self.set_version("0.2.0")

    def run(self, *command: str | Path, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [sys.executable, *command],
            input=stdin,
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=120,
        )

    def publish(self, *options: str) -> subprocess.CompletedProcess[str]:
        script = self.clone / "spaces" / "publish.py"
        result = self.run(script, "--org", "org", *options)
        assert not self.token or self.token not in result.stdout + result.stderr
        return result

    def load(self, name: str, revision: str | None = None) -> subprocess.CompletedProcess[str]:
        return self.run("-c", LOAD, stdin=json.dumps([name, revision, VECTOR.samples()]))

    def change_card(self, line: str, other: str) -> None:
        card = self.clone / "metrics" / "nit" / "README.md"
        text = card.read_text("utf-8")
        assert f"\n{line}\n" in text
        card.write_text(text.replace(f"\n{line}\n", f"\n{other}\n", 1), "utf-8")

    def set_version(self, version: str) -> None:
        for folder in ("src/informedness/core", "metrics/informedness", "metrics/nit"):
            helper = self.clone / folder / "scores.py"
            line = re.compile(r'^__version__ = ".*"$', re.MULTILINE)
            text, n_lines = line.subn(f'__version__ = "{version}"', helper.read_text("utf-8"))
            assert n_lines == 1
            helper.write_text(text, "utf-8")

    def change_helper(self) -> None:
        """Let the helper, which the metric script imports, give another score."""
        for folder in ("src/informedness/core", "metrics/informedness", "metrics/nit"):
            with (self.clone / folder / "scores.py").open("a") as helper:
                helper.write('\nScore.value = lambda *table, **options: "changed"\n')


@pytest.fixture
def hub() -> Iterator[Hub]:
    with Hub({WRITER: {"org"}, STRANGER: set()}).running() as hub:
        yield hub


@pytest.fixture
def person(tmp_path: Path, hub: Hub) -> Person:
    return Person(tmp_path, hub.url)


def published(result: subprocess.CompletedProcess[str]) -> str:
    """Return what publishing printed, once it went well."""
    assert (result.returncode, result.stderr) == (0, "")
    return result.stdout


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence that refuses."""
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"publish: [^\n]+\n", result.stderr), result.stderr
    return result.stderr


def computed(result: subprocess.CompletedProcess[str]) -> dict[str, float]:
    """Return what a metric computed that did load."""
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_what_is_published_loads_by_name_and_computes_the_golden_values(person, hub):
    output = published(person.publish())
    for name in ("informedness", "nit"):
        assert f"{hub.url}/spaces/org/{name}\n" in output
        assert f'evaluate.load("org/{name}")\n' in output
        scores = computed(person.load(f"org/{name}"))
        assert scores == {name: close(GOLDEN[name])}


def test_a_space_holds_what_the_build_makes_and_the_file_of_the_hub(person, hub):
    published(person.publish("--metric", "nit"))
    assert list(hub.spaces) == ["org/nit"]
    build = person.clone / "spaces" / "build.py"
    person.run(build, "nit", "built", "--repo-id", "org/nit")
    folder = person.folder / "built"
    paths = [path for path in folder.rglob("[!.]*") if path.is_file()]
    built = {path.relative_to(folder).as_posix(): path.read_bytes() for path in paths}
    there = hub.spaces["org/nit"].head.files
    assert there.pop(".gitattributes")
    assert there == built
    assert 'evaluate.load("org/nit")' in there["README.md"].decode()


def test_publishing_the_same_again_sends_nothing(person, hub):
    published(person.publish())
    hub.requests.clear()
    assert published(person.publish()).count("nothing changed") == 2
    assert hub.sent == []


def test_only_what_changed_is_sent_and_what_is_gone_is_removed(person, hub):
    published(person.publish("--metric", "informedness"))
    space = hub.spaces["org/informedness"]
    before = dict(space.head.files)
    space.head.files["charts/old.py"] = b"left from an older version\n"
    (person.clone / "spaces" / "page" / "app.py").write_text("print('another app')\n")
    output = published(person.publish("--metric", "informedness"))
    assert output.splitlines()[1:3] == ["  ~ app.py", "  - charts/old.py"]
    assert len(space.history) == 3
    assert space.head.files == {**before, "app.py": b"print('another app')\n"}


def test_the_newest_state_loads_by_name_and_a_release_by_its_revision(person):
    """Also when only a helper changed and the older state is in the cache."""
    output = published(person.publish("--metric", "informedness", "--release", "0.2.0"))
    assert 'evaluate.load("org/informedness", revision="release-0.2.0")\n' in output
    golden = {"informedness": close(GOLDEN["informedness"])}
    assert computed(person.load("org/informedness")) == golden
    person.change_helper()
    person.set_version("0.3.0")
    published(person.publish("--metric", "informedness", "--release", "0.3.0"))
    assert computed(person.load("org/informedness")) == {"informedness": "changed"}
    assert computed(person.load("org/informedness", "release-0.2.0")) == golden


def test_the_tag_is_never_one_that_evaluate_asks_for_by_its_own_version(person, hub):
    """A tag v0.4.6 would keep every user of evaluate 0.4.6 on this state of the Space."""
    person.set_version("0.4.6")
    published(person.publish("--release", "0.4.6"))
    for space in hub.spaces.values():
        assert space.tags == {"release-0.4.6": space.head.oid}


def test_a_release_is_made_once_and_never_moved(person, hub):
    published(person.publish("--release", "0.2.0"))
    hub.requests.clear()
    assert published(person.publish("--release", "0.2.0")).count("nothing changed") == 2
    person.change_helper()
    assert "the tag release-0.2.0 is already on" in refused(person.publish("--release", "0.2.0"))
    assert hub.sent == []


def test_a_release_of_another_commit_is_not_moved_to_one_with_the_same_files(person, hub):
    published(person.publish("--metric", "nit"))
    space = hub.spaces["org/nit"]
    space.tags["release-0.2.0"] = space.history[-1].oid
    hub.requests.clear()
    refusal = refused(person.publish("--metric", "nit", "--release", "0.2.0"))
    assert f"is already on another state of it (commit {space.history[-1].oid[:7]})" in refusal
    assert hub.sent == []


def test_what_is_published_already_can_be_released_later(person, hub):
    published(person.publish("--metric", "nit"))
    hub.requests.clear()
    published(person.publish("--metric", "nit", "--release", "0.2.0"))
    assert hub.sent == [f"/api/spaces/org/nit/tag/{hub.spaces['org/nit'].head.oid}"]


def test_a_private_space_loads_with_the_token_and_is_refused_without(person, hub, tmp_path):
    published(person.publish("--metric", "nit", "--private"))
    assert hub.spaces["org/nit"].private
    assert computed(person.load("org/nit"))["nit"] == close(GOLDEN["nit"])
    other = Person(tmp_path / "other", hub.url, token=None).load("org/nit")
    assert other.returncode == 1
    assert "org/nit" in other.stderr.splitlines()[-1]


def test_a_dry_run_says_what_would_change_and_sends_nothing(person, hub):
    output = published(person.publish("--dry-run", "--release", "0.2.0"))
    assert "org/nit (new)\n" in output
    assert "  + nit.py\n" in output
    assert "  tag release-0.2.0\n" in output
    assert hub.spaces == {}
    published(person.publish())
    before = {name: space.head.oid for name, space in hub.spaces.items()}
    (person.clone / "spaces" / "page" / "app.py").write_text("print('another app')\n")
    hub.requests.clear()
    assert published(person.publish("--dry-run")).count("  ~ app.py\n") == 2
    assert hub.sent == []
    assert {name: space.head.oid for name, space in hub.spaces.items()} == before


def test_the_token_of_the_cached_login_serves_too(person, hub):
    del person.env["HF_TOKEN"]
    person.env["HF_HUB_DISABLE_IMPLICIT_TOKEN"] = "1"  # the clients' own choice when they read
    cached = Path(person.env["HF_HOME"]) / "token"
    cached.parent.mkdir()
    cached.write_text(WRITER)
    published(person.publish())
    assert list(hub.spaces) == ["org/informedness", "org/nit"]


def test_without_a_token_nothing_is_asked(tmp_path, hub):
    sentence = refused(Person(tmp_path, hub.url, token=None).publish())
    assert "there is no token: run `hf auth login`, or set HF_TOKEN" in sentence
    assert hub.requests == []


@pytest.mark.parametrize("token", ["hf_unknown", "hf_torn\x0bapart", "hf_caf\u00e9"])
def test_a_token_that_is_none_is_refused_without_showing_it(tmp_path, hub, token):
    sentence = refused(Person(tmp_path, hub.url, token=token).publish())
    assert "the Hub does not accept the token" in sentence or "the token has char" in sentence
    assert "hf_" not in sentence
    assert hub.sent == []


def test_a_token_without_the_right_is_refused(tmp_path, person, hub):
    stranger = Person(tmp_path / "stranger", hub.url, token=STRANGER)
    sentence = "the token has no write access to Spaces of org"
    assert sentence in refused(stranger.publish())
    assert hub.spaces == {}
    published(person.publish("--metric", "nit"))
    stranger.change_helper()
    assert sentence in refused(stranger.publish("--metric", "nit"))
    assert len(hub.spaces["org/nit"].history) == 2


def test_no_network_is_said_in_one_sentence(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"http://127.0.0.1:{taken.getsockname()[1]}"
    sentence = refused(Person(tmp_path, address).publish())
    assert f"cannot reach the Hub at {address}" in sentence


def test_a_hub_that_never_answers_is_not_waited_for_for_ever(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        address = f"http://127.0.0.1:{silent.getsockname()[1]}"
        person = Person(tmp_path, address)
        script = person.clone / "spaces" / "publish.py"
        text = script.read_text("utf-8")
        assert "_TIMEOUT = 30" in text
        script.write_text(text.replace("_TIMEOUT = 30", "_TIMEOUT = 1"), "utf-8")
        assert f"cannot reach the Hub at {address} (timed out)" in refused(person.publish())


def test_a_client_that_is_told_to_stay_offline_says_so(person, hub):
    person.env["HF_HUB_OFFLINE"] = "1"
    sentence = refused(person.publish())
    assert "cannot reach the Hub" in sentence
    assert "HF_HUB_OFFLINE" in sentence
    assert hub.requests == []


def test_an_incomplete_clone_is_said_in_one_sentence(person, hub):
    (person.clone / "metrics" / "nit" / "requirements.txt").unlink()
    assert "requirements.txt" in refused(person.publish("--metric", "nit"))
    assert hub.requests == []


@pytest.mark.parametrize("sdk", ["static", "docker"])
def test_a_space_of_another_kind_is_left_alone(person, hub, sdk):
    """Also the other Space, which could be published: all is planned before anything is sent."""
    hub.add_space("org/nit", sdk)
    sentence = refused(person.publish())
    assert f"org/nit: it is a Space of another kind ({sdk}, not gradio)" in sentence
    assert hub.sent == []


def test_a_gradio_space_of_something_else_is_left_alone(person, hub):
    hub.add_space("org/nit", "gradio").head.files["parasites.py"] = b"pass\n"
    sentence = refused(person.publish())
    assert "org/nit: it is a Space of another kind (there is no nit.py in it)" in sentence
    assert hub.sent == []


def test_a_public_space_is_not_taken_for_private(person, hub):
    published(person.publish("--metric", "nit"))
    hub.requests.clear()
    assert "it is already public" in refused(person.publish("--metric", "nit", "--private"))
    assert hub.sent == []


def test_code_is_released_under_its_own_version_only(person, hub):
    """Else the tag would say one version, and the signatures of what it holds another."""
    sentence = refused(person.publish("--release", "0.3.0"))
    assert "--release must be the version of the code, 0.2.0, got 0.3.0" in sentence
    assert hub.requests == []


@pytest.mark.parametrize("release", ["v0.2.0", "0.2", "0.2.0\n", "", "\u0660.\u0662.\u0660"])
def test_a_release_is_three_numbers(person, hub, release):
    sentence = refused(person.publish("--release", release))
    assert "--release must be three numbers, for example 0.2.0" in sentence
    assert hub.requests == []


@pytest.mark.parametrize(
    ("path", "error", "sentence"),
    [
        ("/api/repos/create", HubError(402, "Subscribe"), "org needs a paid plan"),
        ("/api/repos/create", HubError(409, "Exists"), "someone else changed it at the same time"),
        ("/api/spaces/org/informedness", HubError(500, "Oh no"), "the Hub answered 500 (Oh no)"),
    ],
)
def test_other_refusals_of_the_hub_are_one_sentence_each(person, hub, path, error, sentence):
    if path != "/api/repos/create":
        hub.add_space("org/informedness", "gradio")
    hub.faults[path] = error
    assert sentence in refused(person.publish())


def test_a_commit_of_someone_else_in_between_is_not_undone(tmp_path):
    class BusyHub(Hub):
        def post(self, path: str, body: bytes, token: str | None) -> Any:
            answer = super().post(path, body, token)
            if path == "/api/spaces/org/nit/preupload/main":
                head = self.spaces["org/nit"].head
                files = {**head.files, "nit.py": b"pass\n"}
                self.spaces["org/nit"].head = Commit(files, "by someone else", head)
            return answer

    with BusyHub({WRITER: {"org"}}).running() as hub:
        hub.add_space("org/nit", "gradio")
        refusal = refused(Person(tmp_path, hub.url).publish("--metric", "nit"))
        assert "someone else changed it at the same time: run this again" in refusal
        assert hub.spaces["org/nit"].head.message == "by someone else"


def test_a_name_that_no_organisation_has_is_refused(person, hub):
    assert "must be OWNER/informedness" in refused(person.publish("--org", "o rg"))
    assert hub.requests == []


def test_a_card_that_cannot_be_built_is_refused_before_anything_is_asked(person, hub):
    person.change_card("sdk: gradio", "sdk: static")
    assert "`sdk` must be gradio, got 'static'" in refused(person.publish())
    assert hub.requests == []


def test_a_card_that_the_hub_refuses_is_refused_with_its_reason(person, hub):
    hub.add_space("org/nit", "gradio")
    person.change_card("colorFrom: indigo", "colorFrom: teal")
    sentence = refused(person.publish("--metric", "nit"))
    assert 'org/nit: Invalid metadata in README.md. - "colorFrom" must be one of' in sentence
    assert len(hub.spaces["org/nit"].history) == 1


def test_what_went_well_before_a_refusal_is_said(person, hub):
    hub.add_space("org/nit", "gradio")
    hub.faults["/api/spaces/org/nit/commit/main"] = HubError(503, "")
    result = person.publish()
    assert result.returncode == 1
    assert 'evaluate.load("org/informedness")\n' in result.stdout
    assert "org/nit" not in result.stdout
    assert result.stderr == "publish: org/nit: the Hub answered 503 (without a reason)\n"
