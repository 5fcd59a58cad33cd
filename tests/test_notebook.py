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
    """Return what each cell prints, as one text: Jupyter splits it where the machine is slow.

    Of tables their HTML follows, and of pictures that they are there.
    """
    outputs = [cell.get("outputs", []) for cell in notebook.cells]
    printed = ["".join(one.get("text", "") for one in of_cell) for of_cell in outputs]
    shown = [one["data"] for of_cell in outputs for one in of_cell if "data" in one]
    return printed, [data.get("text/html") or sorted(data) for data in shown]


@pytest.mark.slow
@pytest.mark.digits
@pytest.mark.filterwarnings("ignore")
def test_the_notebook_prints_what_stands_in_it(tmp_path, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", str(FOLDER.parent / "src"))
    monkeypatch.delenv("MPLBACKEND", raising=False)  # the command line sets it for its pictures
    path = FOLDER / "paper.ipynb"
    committed = texts(nbformat.read(path, as_version=4))
    assert texts(executed(path)) == committed
    assert ["image/png", "text/plain"] in committed[1]
    assert path.stat().st_size < 60_000
