"""Execute the notebook of the examples in place: `make notebook`."""

from pathlib import Path

import nbformat
from nbclient import NotebookClient

NOTEBOOK = Path(__file__).with_name("paper.ipynb")


def executed(path: Path) -> nbformat.NotebookNode:
    """Return a notebook with its outputs as they are now, and nothing that differs by machine."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, kernel_name="python3", resources={"metadata": {"path": "."}}).execute()
    notebook.metadata.pop("widgets", None)
    notebook.metadata["language_info"] = {"name": "python"}
    for cell in notebook.cells:
        cell.metadata.clear()
        for output in cell.get("outputs", []):
            if "text/html" in output.get("data", {}):
                del output["data"]["text/plain"]  # a thousand characters of dataclass
    return notebook


if __name__ == "__main__":
    nbformat.write(executed(NOTEBOOK), NOTEBOOK)
