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
from checkout import ROOT, Result, refused, run_script
from drawn import METRICS
from screenshots import address_of

pytestmark = pytest.mark.full


def built(metric: str, folder: Path, *options: str) -> None:
    result = run_script(ROOT, "build", metric, folder, *options)
    assert result == Result(0, "", "")


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both Spaces, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("staged")
    for metric in METRICS:
        built(metric, folder / metric)
    return folder


def test_the_folder_has_the_script_its_helpers_and_the_app_and_says_what_the_hub_needs(staged):
    for metric, other in (METRICS, METRICS[::-1]):
        names = set(contents(staged / metric))
        page = {"app.py", "charts.py", "page.css", "picture.svg", "templates/story.html"}
        assert names >= {f"{metric}.py", "README.md", "package/informedness/__init__.py"} | page
        assert f"{other}.py" not in names
        script = (staged / metric / f"{metric}.py").read_text("utf-8")
        assert names >= {f"{helper}.py" for helper in re.findall(r"^from \.(\w+) ", script, re.M)}
        card = yaml.safe_load((staged / metric / "README.md").read_text("utf-8").split("---\n")[1])
        assert (card["sdk"], card["python_version"]) == ("gradio", "3.12")
        assert card["app_file"] in names
        assert {"evaluate", "metric"} <= set(card["tags"])
        requirements = (staged / metric / "requirements.txt").read_text("utf-8").splitlines()
        # each in one version; not evaluate and datasets, which whoever loads it has, and which the
        # page does not use
        versions = dict(line.split("==") for line in requirements)
        assert versions["gradio"] == card["sdk_version"]
        assert {"numpy", "openpyxl", "pyarrow", "mcp"} <= {*versions}
        assert not {"evaluate", "datasets"} & {*versions}


def test_a_space_with_a_name_says_it_wherever_its_reader_would_have_to(tmp_path):
    built("nit", tmp_path / "space", "--repo-id", "Some.One/nit")
    card = (tmp_path / "space" / "README.md").read_text("utf-8")
    loads = re.findall(r'evaluate\.load\("(.*?)"', card)
    assert set(loads) <= {f"Some.One/{name}" for name in METRICS}
    assert loads[0] == "Some.One/nit"
    assert "OWNER" not in card
    hub, host = "https://huggingface.co/spaces/Some.One", "https://some-one-nit.hf.space"
    links = set(re.findall(r"https://[^)\s`]+(?:hf\.space|spaces/)[^)\s`]*", card))
    of_the_space = {f"{hub}/nit{rest}" for rest in ("", "/tree/main", "/tree/main/package")}
    programs = {f"{host}/?view=api", f"{host}/gradio_api/mcp/"}
    assert links == of_the_space | programs | {f"{hub}/informedness"}


def test_what_is_there_is_never_touched(tmp_path):
    (tmp_path / "notes.txt").write_text("mine\n")
    assert f"{tmp_path} is not empty" in refused(run_script(ROOT, "build", "nit", tmp_path))
    assert contents(tmp_path) == {"notes.txt": b"mine\n"}


@pytest.mark.release
def test_a_space_serves_with_its_own_requirements_alone(staged, tmp_path):
    requirements = staged / "nit" / "requirements.txt"
    assert requirements.read_bytes() == (staged / "informedness/requirements.txt").read_bytes()
    python, uv = tmp_path / "venv" / "bin" / "python", [sys.executable, "-m", "uv", "--quiet"]
    there = next(Path.home().glob(".pyenv/versions/3.12.*/bin/python"), "3.12")  # as the card says
    subprocess.run([*uv, "venv", "--python", there, tmp_path / "venv"], check=True)
    install = [*uv, "pip", "install", "--python", python, "--no-deps", "-r", requirements]
    subprocess.run(install, check=True)
    subprocess.run([*uv, "pip", "check", "--python", python], check=True)
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PYTHON", "GRADIO_"))}
    env = {**kept, "HF_HOME": str(tmp_path), "NO_PROXY": "127.0.0.1", "PYTHONUNBUFFERED": "1"}
    absent = "import evaluate", "import datasets"
    assert all(subprocess.run([python, "-c", line], env=env).returncode for line in absent)
    space, log = shutil.copytree(staged / "nit", tmp_path / "nit"), tmp_path / "log"
    with log.open("w") as output:
        options = {"cwd": space, "env": env, "stdout": output, "stderr": output}
        app = subprocess.Popen([python, "app.py"], **options)
    try:
        address = address_of(app, log)
        for path in ("/", "/gradio_api/mcp/schema"):
            with urllib.request.urlopen(address + path) as answer:
                assert answer.status == 200
    finally:
        app.terminate()
        app.wait()
