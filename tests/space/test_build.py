"""What `spaces/build.py` stages is a Space that works alone, with what it asks for and no more."""

import os
import re
import shutil
import subprocess
import sys
import urllib.request
from pathlib import Path

import pytest
import yaml
from build import LOCK, space_needs
from checkout import ROOT, refused, run_script
from drawn import METRICS
from packaging.requirements import Requirement
from screenshots import serving

pytestmark = pytest.mark.full

HUB, HOST = "https://huggingface.co/spaces/Some.One", "https://some-one-nit.hf.space"


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both Spaces, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("staged")
    for metric in METRICS:
        assert run_script(ROOT, "build", metric, folder / metric) == ""
    return folder


@pytest.mark.parametrize(("metric", "other"), [METRICS, METRICS[::-1]])
def test_the_folder_has_its_script_and_the_app_and_says_what_the_hub_needs(staged, metric, other):
    versions = dict(line.split("==") for line in LOCK.read_text("utf-8").splitlines())
    # not what whoever loads it has, and what the page does not use
    assert not {"evaluate", "datasets"} & {*versions}
    needs = map(Requirement, space_needs(metric))
    assert all(versions[need.name] in need.specifier for need in needs)
    files = staged / metric
    assert (files / "requirements.txt").read_bytes() == LOCK.read_bytes()
    names = {str(path.relative_to(files)) for path in files.rglob("*")}
    assert names >= {"page.css", "picture.svg", "templates/story.html", "package/informedness"}
    assert f"{other}.py" not in names
    script = (files / f"{metric}.py").read_text("utf-8")
    assert names >= {f"{helper}.py" for helper in re.findall(r"^from \.(\w+) ", script, re.M)}
    card = yaml.safe_load((files / "README.md").read_text("utf-8").split("---\n")[1])
    assert card["app_file"] in names
    assert (card["python_version"], card["sdk_version"]) == ("3.12", versions["gradio"])


def test_a_space_with_a_name_says_it_wherever_its_reader_would_have_to(tmp_path):
    run_script(ROOT, "build", "nit", tmp_path / "space", "--repo-id", "Some.One/nit")
    card = (tmp_path / "space/README.md").read_text("utf-8")
    loads = re.findall(r'evaluate\.load\("(.*?)"', card)
    assert set(loads) <= {f"Some.One/{name}" for name in METRICS}
    assert loads[0] == "Some.One/nit"
    assert "OWNER" not in card
    links = set(re.findall(r"https://[^)\s`]+(?:hf\.space|spaces/)[^)\s`]*", card))
    of_the_space = {f"{HUB}/nit{rest}" for rest in ("", "/tree/main", "/tree/main/package")}
    programs = {f"{HOST}/?view=api", f"{HOST}/gradio_api/mcp/"}
    assert links == of_the_space | programs | {f"{HUB}/informedness"}


def test_what_is_there_is_never_touched(tmp_path):
    (tmp_path / "notes.txt").write_text("mine\n")
    assert f"{tmp_path} is not empty" in refused(run_script, ROOT, "build", "nit", tmp_path)[0]
    assert [path.read_text() for path in tmp_path.iterdir()] == ["mine\n"]


@pytest.mark.release
def test_a_space_serves_with_its_own_requirements_alone(staged, tmp_path):
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
