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
    """Return the outputs that are text, and of what is a picture that there is one.

    What a cell prints is one text: Jupyter splits it where the machine is slow.
    """
    found = []
    for cell in notebook.cells:
        outputs = cell.get("outputs", [])
        found.append("".join(output.get("text", "") for output in outputs))
        shown = [output["data"] for output in outputs if "data" in output]
        found += [data.get("text/html") or sorted(data) for data in shown]
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
