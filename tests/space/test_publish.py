"""What `build.py` stages is a Space that works alone; what `publish.py` sends loads by name.

The unmodified clients of the Hub talk to a stand-in on loopback.
"""

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import huggingface_hub
import pytest
import yaml
from build import LOCK, space_needs
from checkout import ROOT, commit, copied, edit, git, refused, run_script
from drawn import METRICS
from hub import WRITER, Hub, HubError, Space
from huggingface_hub import constants
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

import informedness
from oracles.golden import BY_ID, close

VECTOR = BY_ID["asym_k4"]
GOLDEN = {"informedness": VECTOR.exact["informedness"], "nit": VECTOR.info["NIT_k_ref"]}
SPACES, HOST = "https://huggingface.co/spaces/Some.One", "https://some-one-nit.hf.space"
TAG, RELEASE = "release-0.2.0", ("--release", "0.2.0")


# What is staged


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both Spaces, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("staged")
    for metric in METRICS:
        assert run_script(ROOT, "build", metric, folder / metric) == ""
    return folder


@pytest.mark.parametrize("metric", METRICS)
def test_card_and_lock_have_the_same_versions(staged, metric):
    versions = dict(line.split("==") for line in LOCK.read_text("utf-8").splitlines())
    # not what whoever loads it has, and what the page does not use
    assert not {"evaluate", "datasets"} & {*versions}
    needs = map(Requirement, space_needs(metric))
    locked = [versions[canonicalize_name(need.name)] in need.specifier for need in needs]
    assert all(locked)
    assert (staged / metric / "requirements.txt").read_bytes() == LOCK.read_bytes()
    card = yaml.safe_load((staged / metric / "README.md").read_text("utf-8").split("---\n")[1])
    assert (card["python_version"], card["sdk_version"]) == ("3.12", versions["gradio"])


def test_the_card_of_a_named_space_has_its_name(tmp_path):
    run_script(ROOT, "build", "nit", tmp_path / "space", "--repo-id", "Some.One/nit")
    card = (tmp_path / "space/README.md").read_text("utf-8")
    loads = re.findall(r'evaluate\.load\("(.*?)"', card)
    assert set(loads) <= {f"Some.One/{name}" for name in METRICS}
    assert loads[0] == "Some.One/nit"
    assert "OWNER" not in card
    links = set(re.findall(r"https://[^)\s`]+(?:hf\.space|spaces/)[^)\s`]*", card))
    of_the_space = {f"{SPACES}/nit{rest}" for rest in ("", "/tree/main", "/tree/main/package")}
    programs = {f"{HOST}/?view=api", f"{HOST}/gradio_api/mcp/"}
    assert links == of_the_space | programs | {f"{SPACES}/informedness"}


def test_a_full_folder_is_never_changed(tmp_path):
    (tmp_path / "notes.txt").write_text("mine\n")
    assert f"{tmp_path} is not empty" in refused(run_script, ROOT, "build", "nit", tmp_path)[0]
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine\n"]


@pytest.mark.release
@pytest.mark.full
def test_a_space_serves_with_its_own_requirements_alone(staged, tmp_path):
    from screenshots import serving

    python, uv = tmp_path / "venv/bin/python", [sys.executable, "-m", "uv", "--quiet"]
    there = next(Path.home().glob(".pyenv/versions/3.12.*/bin/python"), "3.12")  # as the card says
    own = ["--python", python]
    for command in (
        ["venv", "--python", there, tmp_path / "venv"],
        ["pip", "install", *own, "--no-deps", "-r", LOCK],
        ["pip", "check", *own],
    ):
        subprocess.run([*uv, *command], check=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PYTHON", "GRADIO_"))}
    env = {**kept, "HF_HOME": str(tmp_path), "NO_PROXY": "127.0.0.1"}
    for metric in METRICS:
        space = shutil.copytree(staged / metric, tmp_path / metric)
        with serving(space, python, env) as (address, _):
            for path in ("", "gradio_api/mcp/schema"):
                with urllib.request.urlopen(address + path) as answer:
                    assert answer.status == 200


@pytest.mark.release
@pytest.mark.full
def test_make_space_starts_the_page(tmp_path):
    """Not from the versions locked for the Hub, which need a newer Python."""
    from screenshots import address_of

    needs, log, folder = tmp_path / "needs", tmp_path / "log", copied(tmp_path / "clone")
    needs.write_text("\n".join({need for metric in METRICS for need in space_needs(metric)}))
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--dry-run", "--ignore-installed"]
    pip += ["--python-version", "3.10", "--only-binary=:all:", "--target", str(tmp_path / "none")]
    subprocess.run([*pip, "-r", needs], check=True)
    command = ["make", "--old-file=.venv/.publish", f"BIN={Path(sys.executable).parent}", "space"]
    with log.open("w") as output:
        streams: dict[str, Any] = {"stdout": output, "stderr": output}
        process = subprocess.Popen(command, cwd=folder, start_new_session=True, **streams)
    try:
        proxies = urllib.request.ProxyHandler({})
        with urllib.request.build_opener(proxies).open(address_of(process, log)) as answer:
            assert answer.status == 200
    finally:
        os.killpg(process.pid, signal.SIGTERM)
        process.wait()


# What is sent


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


@pytest.fixture
def hub(ask: Any) -> Iterator[Hub]:
    with Hub().running() as hub:
        ask(hub.url)
        yield hub


@pytest.fixture
def clone(hub: Hub, tmp_path: Path) -> Path:
    """Return a copy of the checkout, in the commit of a release."""
    folder = copied(tmp_path / "clone")
    git(folder, "tag", TAG)
    return folder


def publish(project: Path, *options: str) -> str:
    return run_script(project, "publish", "--org", "org", *options)


def change_app(clone: Path) -> None:
    edit(clone / "spaces/page/app.py", "import sys\n", "import sys  # another app\n")


def said_once(project: Path, *options: str) -> str:
    """Return the one sentence that refuses, which never has a token."""
    (sentence,) = refused(publish, project, *options)
    assert sentence.startswith("publish: ")
    assert "hf_" not in sentence
    return sentence


LOAD = """
import json, sys
import evaluate
modules, (references, predictions) = json.load(sys.stdin)
metrics = [evaluate.load(module, revision=revision) for module, revision in modules]
scores = [metric.compute(references=references, predictions=predictions) for metric in metrics]
print(json.dumps(scores))
"""


def loaded(hub: Hub, folder: Path, *modules: tuple[str, str | None]) -> Any:
    """Return the scores of the vector by these modules, for someone with empty caches."""
    kept = {key: value for key, value in os.environ.items() if not key.startswith("HF_")}
    own = {"HF_HOME": str(folder), "HF_ENDPOINT": hub.url, "NO_PROXY": "127.0.0.1"}
    env = {**kept, **own, "HF_UPDATE_DOWNLOAD_COUNTS": "0", "HF_HUB_DISABLE_TELEMETRY": "1"}
    how: dict[str, Any] = {"env": env, "capture_output": True, "text": True}
    asked = json.dumps([modules, VECTOR.samples()])
    result = subprocess.run([sys.executable, "-c", LOAD], input=asked, **how)
    assert result.returncode == 0, result.stderr
    return json.loads(result.stdout)


def test_published_modules_load_by_name_and_revision(clone, hub, tmp_path, monkeypatch):
    """Published with the token of the login, as there is none in the environment."""
    monkeypatch.delenv("HF_TOKEN")
    Path(constants.HF_TOKEN_PATH).write_text(WRITER)
    output = publish(clone, *RELEASE)
    for name in GOLDEN:
        assert f"{hub.url}/spaces/org/{name}\n" in output
        assert f'evaluate.load("org/{name}", revision="{TAG}")\n' in output
    space = hub.spaces["org/nit"]
    space.commit({**space.files, "nit.py": b"raise ValueError"})
    scores = loaded(hub, tmp_path, ("org/informedness", None), ("org/nit", TAG))
    assert scores == [{name: close(value)} for name, value in GOLDEN.items()]


def test_a_dry_run_lists_what_a_space_then_holds(clone, hub, tmp_path, monkeypatch):
    monkeypatch.delenv("HF_TOKEN")  # a dry run needs no token, no Hub, and no tag
    git(clone, "tag", "--delete", TAG)
    listed = publish(clone, "--dry-run", *RELEASE)
    assert hub.requests == []
    monkeypatch.setenv("HF_TOKEN", WRITER)
    publish(clone)
    hub.requests.clear()
    assert publish(clone).count("nothing changed") == 2
    space, name = hub.spaces["org/informedness"], "org/informedness"
    before, built = dict(space.files), tmp_path / "built"
    run_script(clone, "build", "informedness", built, "--repo-id", name)
    paths = sorted(path for path in built.rglob("*") if path.is_file())
    wanted = {path.relative_to(built).as_posix(): path.read_bytes() for path in paths}
    assert before == wanted | {".gitattributes": before[".gitattributes"]}
    sizes = "".join(f"  {x}, {len(wanted[x]):,} bytes\n" for x in sorted(wanted))
    assert f"{name} would hold, in {len(wanted)} files:\n{sizes}" in listed
    space.files["charts/old.py"] = b"left from an older version\n"
    change_app(clone)
    assert publish(clone).splitlines()[::3] == [f"{x}: updated" for x in hub.spaces]
    assert len(space.commits) == 3
    assert space.files == {**before, "app.py": (clone / "spaces/page/app.py").read_bytes()}


def test_a_release_is_made_once_and_never_moved(clone, hub):
    """A tag v0.4.6 would keep every user of evaluate 0.4.6 on this state of the Space."""
    publish(clone)
    hub.requests.clear()
    publish(clone, *RELEASE)  # of what is there
    heads = {name: space.head for name, space in hub.spaces.items()}
    tagged = [path for path in hub.sent if "/tag/" in path]
    assert tagged == [f"/api/spaces/{name}/tag/{oid}" for name, oid in heads.items()]
    space = hub.spaces["org/informedness"]
    assert space.tags == {TAG: space.head}
    hub.requests.clear()
    assert publish(clone, *RELEASE).count(f"is {TAG} already, and stays as it is") == 2
    older, newest = space.commits
    said = f"{TAG} is already on another state of org/informedness (commit"
    space.tags[TAG] = older
    assert f"{said} {older[:7]})" in said_once(clone, *RELEASE)
    space.tags[TAG] = newest
    change_app(clone)
    commit(clone)
    git(clone, "tag", "--force", TAG)
    assert publish(clone, *RELEASE).count("stays as it is") == 2
    assert hub.sent == []


def test_a_release_is_sent_only_from_its_tag(clone, hub):
    git(clone, "tag", "--delete", TAG)
    assert f"needs the tag {TAG} on this commit" in said_once(clone, *RELEASE)
    git(clone, "tag", "--annotate", TAG, "--message=With a message")
    (clone / "spaces/page/mine.css").write_text("p {}\n", "utf-8")
    assert "needs all committed, got ?? spaces" in said_once(clone, *RELEASE)
    (clone / ".git/info/exclude").write_text("mine.css\n", "utf-8")
    publish(clone, *RELEASE)
    assert "mine.css" not in hub.spaces["org/nit"].files
    change_app(clone)
    assert "needs all committed, got M spaces" in said_once(clone, *RELEASE)
    commit(clone)
    assert "on this commit" in said_once(clone, *RELEASE)


# What is refused, in one sentence, and left alone


def test_what_is_asked_is_refused_before_anything_is_sent(clone, hub, ask, monkeypatch):
    # Else the tag would say one version, and the signatures of what it holds another.
    for release in ("v0.2.0", "0.2.0\n", "0.3.0"):
        sentence = said_once(ROOT, "--release", release)
        assert f"must be 0.2.0, as in the code, got {' '.join(repr(release).split())}" in sentence
    assert "must be OWNER/informedness" in said_once(ROOT, "--org", "o rg")
    edit(clone / "metrics/nit/labels.py", "\n", "\n\n")
    assert "labels.py: run `python spaces/sync.py`" in said_once(clone)
    monkeypatch.delenv("HF_TOKEN")
    assert "no token found" in said_once(ROOT)
    assert hub.requests == []
    create, info = "/api/repos/create", "/api/spaces/org/informedness"
    for token, before, said in (
        (WRITER, {create: HubError(401, "Invalid")}, "401 .*Invalid"),
        ("hf_torn\x0bapart", {}, r"cannot be reached \(LocalProtocolError\)"),
        ("hf_stranger", {}, "403 .*You don't have the rights"),
        (WRITER, {create: HubError(402, "Subscribe")}, "402 .*Subscribe"),
        (WRITER, {info: HubError(503, "")}, "503 "),
    ):
        ask(hub.url, token)
        hub.before = before
        assert re.search(said, said_once(ROOT))
    assert hub.spaces == {}


def test_a_hub_that_does_not_answer_is_said(clone, ask):
    edit(clone / "spaces/publish.py", "timeout=30", "timeout=1")
    with socket.socket() as taken, socket.create_server(("127.0.0.1", 0)) as silent:
        taken.bind(("127.0.0.1", 0))  # and does not listen
        for server, why in ((taken, "ConnectError"), (silent, "ReadTimeout")):
            ask(f"http://127.0.0.1:{server.getsockname()[1]}")
            assert f"the Hub cannot be reached ({why})" in said_once(clone)


def test_other_spaces_are_never_replaced(hub):
    hub.spaces["org/nit"] = Space("gradio")
    hub.spaces["org/nit"].files["parasites.py"] = b"pass\n"
    assert "org/nit is another Space, without nit.py" in said_once(ROOT)
    assert hub.sent == []


def test_a_commit_of_someone_else_in_between_is_not_undone(hub):
    space = hub.spaces["org/informedness"] = Space("gradio")
    theirs = {**space.files, "informedness.py": b"pass\n"}
    preupload = "/api/spaces/org/informedness/preupload/main"
    hub.before[preupload] = lambda: space.commit(theirs)
    sentence = said_once(ROOT)
    assert "A commit has happened since" in sentence
    assert space.files == theirs
