"""The notebook of the examples gives what stands in it."""

import sys
from pathlib import Path

import nbformat
import pytest

pytestmark = pytest.mark.full
FOLDER = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(FOLDER))

from run_notebook import executed  # noqa: E402


def texts(notebook):
    """Return the outputs that are text, and of what is a picture that there is one."""
    found = []
    for cell in notebook.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            found.append(output.get("text") or data.get("text/html") or sorted(data))
    return found


@pytest.mark.slow
@pytest.mark.digits
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_prints_what_stands_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent / "src"))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the command line sets it for its pictures
    path = FOLDER / "paper.ipynb"
    committed = nbformat.read(path, as_version=4)
    again = executed(path)
    assert texts(again) == texts(committed)
    assert ["image/png", "text/plain"] in texts(committed)
    assert path.stat().st_size < 60_000
