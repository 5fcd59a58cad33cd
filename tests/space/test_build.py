"""What `spaces/build.py` stages is a Space that works alone, with what it asks for and no more."""

import os
import re
import shutil
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).resolve().parents[2]
METRICS = ("informedness", "nit")
KEYS = ("title", "sdk", "sdk_version", "python_version", "app_file", "tags", "description")


def run_build(
    project: Path, metric: str, folder: Path, *options: str
) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, project / "spaces" / "build.py", metric, folder, *options]
    return subprocess.run(command, capture_output=True, text=True, timeout=60)


def built(result: subprocess.CompletedProcess[str]) -> None:
    assert (result.returncode, result.stdout, result.stderr) == (0, "", "")


def refused(result: subprocess.CompletedProcess[str]) -> str:
    """Return the one sentence that refuses."""
    assert (result.returncode, result.stdout) == (1, "")
    assert re.fullmatch(r"build: [^\n]+\n", result.stderr), result.stderr
    return result.stderr


def contents(folder: Path) -> dict[str, bytes]:
    files = [path for path in folder.rglob("*") if path.is_file()]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Both Spaces, each in a folder of its name."""
    folder = tmp_path_factory.mktemp("staged")
    for metric in METRICS:
        built(run_build(ROOT, metric, folder / metric))
    return folder


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A copy of the project that a test may change."""
    for part in ("spaces", "metrics", "src"):
        ignored = shutil.ignore_patterns("__pycache__", "screenshots")
        shutil.copytree(ROOT / part, tmp_path / "project" / part, ignore=ignored)
    return tmp_path / "project"


@pytest.mark.parametrize("metric", METRICS)
def test_two_builds_are_the_same_bytes(staged, tmp_path, project, metric):
    """Also from another clone, whose files have other times."""
    for path in project.rglob("*"):
        os.utime(path, (1, 1))
    built(run_build(project, metric, tmp_path / "again"))
    assert contents(tmp_path / "again") == contents(staged / metric)


@pytest.mark.parametrize("metric", METRICS)
def test_the_folder_has_the_script_its_helpers_and_the_app(staged, metric):
    names = set(contents(staged / metric))
    package = {f"package/informedness/{part}" for part in ("__init__.py", "results/report.py")}
    folder = ROOT / "spaces" / "page"
    page = {
        path.relative_to(folder).as_posix() for path in folder.rglob("*.*") if path.suffix != ".pyc"
    }
    assert page >= {"app.py", "charts.py", "page.css", "templates/score.html"}
    assert names >= {f"{metric}.py", "README.md"} | page | package
    script = (staged / metric / f"{metric}.py").read_text("utf-8")
    assert names >= {f"{helper}.py" for helper in re.findall(r"^from \.(\w+) ", script, re.M)}
    assert len([name for name in METRICS if f"{name}.py" in names]) == 1


@pytest.mark.parametrize("metric", METRICS)
def test_the_front_matter_says_what_the_hub_needs(staged, metric):
    card = yaml.safe_load((staged / metric / "README.md").read_text("utf-8").split("---\n")[1])
    assert all(card[key] for key in KEYS)
    assert (card["sdk"], card["python_version"]) == ("gradio", "3.12")
    assert card["app_file"] in contents(staged / metric)
    assert {"evaluate", "metric"} <= set(card["tags"])
    requirements = (staged / metric / "requirements.txt").read_text("utf-8").splitlines()
    # not evaluate and datasets, which whoever loads the metric has, and the page does not use
    assert requirements == ["numpy>=1.24", f"gradio[mcp]=={card['sdk_version']}"]


@pytest.mark.parametrize("metric", METRICS)
def test_a_space_with_a_name_says_it_wherever_its_reader_would_have_to(tmp_path, metric):
    built(run_build(ROOT, metric, tmp_path / "space", "--repo-id", f"Some.One/{metric}"))
    card = (tmp_path / "space" / "README.md").read_text("utf-8")
    loads = re.findall(r'evaluate\.load\("(.*?)"', card)
    assert set(loads) <= {f"Some.One/{name}" for name in METRICS}
    assert loads[0] == f"Some.One/{metric}"
    assert f'Client("Some.One/{metric}")' in card
    assert "OWNER" not in card
    other = METRICS[METRICS.index(metric) - 1]
    hub, host = "https://huggingface.co/spaces/Some.One", f"https://some-one-{metric}.hf.space"
    links = set(re.findall(r"https://[^)\s`]+(?:hf\.space|spaces/)[^)\s`]*", card))
    assert links == {
        f"{hub}/{metric}",
        f"{hub}/{metric}/tree/main",
        f"{hub}/{metric}/tree/main/package",
        f"{hub}/{other}",
        f"{host}/?view=api",
        f"{host}/gradio_api/mcp/",
    }


@pytest.mark.parametrize("repo_id", ["nit", "someone/other", "/nit", "a/b/nit", "so me/nit", ""])
def test_a_name_under_which_the_metric_would_not_load_is_refused(tmp_path, repo_id):
    sentence = refused(run_build(ROOT, "nit", tmp_path / "nit", "--repo-id", repo_id))
    assert "`--repo-id` must be OWNER/nit, because `evaluate` looks for nit.py" in sentence
    assert f"got {repo_id!r}" in sentence
    assert not (tmp_path / "nit").exists()


@pytest.mark.parametrize("key", KEYS)
def test_a_card_without_a_key_is_refused_by_its_name(project, tmp_path, key):
    card = project / "metrics" / "nit" / "README.md"
    card.write_text(re.sub(rf"\n{key}:.*", "", card.read_text("utf-8"), count=1), "utf-8")
    sentence = refused(run_build(project, "nit", tmp_path / "nit"))
    assert f"{card}: the front matter" in sentence
    assert f"`{key}`" in sentence or key in ("description", "tags")  # their next lines are left
    assert not (tmp_path / "nit").exists()


@pytest.mark.parametrize(
    ("line", "other", "sentence"),
    [
        ('python_version: "3.12"', "python_version: 3.10", "must be text in quotes, got 3.1\n"),
        ('sdk_version: "6.31.0"', 'sdk_version: "6"', "must be a full version"),
        ("sdk: gradio", "sdk: static", "`sdk` must be gradio, got 'static'"),
        ("app_file: app.py", "app_file: main.py", "the `app_file` 'main.py' does not exist"),
        ("- metric\n", "- score\n", "`tags` lacks metric"),
        ("title: NIT", "title: [", "the front matter is not YAML"),
        ("---\ntitle", "title", "there is no front matter"),
    ],
)
def test_a_card_that_would_not_run_is_refused(project, tmp_path, line, other, sentence):
    card = project / "metrics" / "nit" / "README.md"
    text = card.read_text("utf-8")
    assert line in text
    card.write_text(text.replace(line, other, 1), "utf-8")
    assert sentence in refused(run_build(project, "nit", tmp_path / "nit"))


def test_a_copy_of_a_helper_out_of_step_is_refused(project, tmp_path):
    with (project / "src" / "informedness" / "core" / "table.py").open("a") as helper:
        helper.write("# newer\n")
    sentence = refused(run_build(project, "nit", tmp_path / "nit"))
    assert "table.py: run `python spaces/sync.py`" in sentence


def test_an_older_build_is_brought_up_to_date(project, tmp_path):
    folder = tmp_path / "nit"
    folder.mkdir()
    older = project / "src" / "informedness" / "older.py"
    older.write_text("pass\n")
    built(run_build(project, "nit", folder))
    assert (folder / "package" / "informedness" / "older.py").exists()
    (folder / "__pycache__").mkdir()  # someone ran the app
    older.unlink()
    (project / "spaces" / "app.py").write_text("print('newer')\n")
    built(run_build(project, "nit", folder))
    built(run_build(project, "nit", tmp_path / "fresh"))
    assert contents(folder) == contents(tmp_path / "fresh")


def test_a_build_that_was_cut_short_can_be_repeated(staged, tmp_path):
    """It left whole files, but not the list of them."""
    shutil.copytree(staged / "nit", tmp_path / "nit")
    (tmp_path / "nit" / ".build.json").unlink()
    (tmp_path / "nit" / "app.py").unlink()
    built(run_build(ROOT, "nit", tmp_path / "nit"))
    assert contents(tmp_path / "nit") == contents(staged / "nit")


@pytest.mark.parametrize("name", ["notes.txt", "app.py", "requirements.txt", "sub/app.py"])
@pytest.mark.parametrize("over_a_build", [False, True])
def test_what_is_not_from_a_build_is_never_touched(project, tmp_path, name, over_a_build):
    folder = tmp_path / "nit"
    if over_a_build:
        built(run_build(project, "nit", folder))
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("mine\n")
    before = contents(folder)
    (project / "spaces" / "app.py").write_text("print('newer')\n")
    sentence = refused(run_build(project, "nit", folder))
    assert f"{folder / name} does not come from a build" in sentence
    assert contents(folder) == before


def test_a_file_in_the_place_of_the_folder_is_refused(tmp_path):
    (tmp_path / "nit").write_text("mine\n")
    assert str(tmp_path / "nit") in refused(run_build(ROOT, "nit", tmp_path / "nit"))
    assert (tmp_path / "nit").read_text() == "mine\n"


@pytest.fixture(scope="module")
def environment(staged: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The Python of an environment that has the requirements of the Spaces, and nothing else."""
    needs = [(staged / metric / "requirements.txt").read_bytes() for metric in METRICS]
    assert needs[0] == needs[1]
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", folder], check=True)
    python = folder / "bin" / "python"
    requirements = staged / METRICS[0] / "requirements.txt"
    install = [python, "-m", "pip", "install", "--quiet", "--no-compile", "-r", requirements]
    subprocess.run(install, check=True)
    return python


def answer(url: str) -> int | None:
    try:
        with urllib.request.urlopen(url, timeout=5) as response:
            return response.status
    except (urllib.error.URLError, ConnectionError, TimeoutError):
        return None


def test_each_space_serves_with_its_own_requirements_alone(environment, staged, tmp_path):
    """One test, because workers would not share the environment."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("HF_", "PYTHON", "GRADIO_"))}
    env = {**kept, "HF_HOME": str(tmp_path), "NO_PROXY": "127.0.0.1"}
    absent = "import evaluate", "import datasets", "import pyarrow"
    assert all(subprocess.run([environment, "-c", line], env=env).returncode for line in absent)
    for metric in METRICS:
        space = shutil.copytree(staged / metric, tmp_path / metric)
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        with (tmp_path / f"{metric}.log").open("w+") as log:
            app = subprocess.Popen(
                [environment, "app.py"],
                cwd=space,
                env={**env, "GRADIO_SERVER_PORT": str(port)},
                stdout=log,
                stderr=subprocess.STDOUT,
            )
            try:
                limit = time.monotonic() + 90
                while answer(f"http://127.0.0.1:{port}/") != 200:
                    assert app.poll() is None, (tmp_path / f"{metric}.log").read_text()
                    assert time.monotonic() < limit, (tmp_path / f"{metric}.log").read_text()
                    time.sleep(0.2)
                assert answer(f"http://127.0.0.1:{port}/gradio_api/mcp/schema") == 200
            finally:
                app.terminate()
                app.wait(timeout=30)
