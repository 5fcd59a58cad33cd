"""Pictures of the command line are written whole, or not at all and by name."""

import subprocess
import sys

import pytest

from cli_cases import refused, write

ROWS = [("ham", "ham")] * 90 + [("spam", "ham")] * 10
COLUMNS = ["-r", "gold", "-p", "model"]
# A disk with room for this many bytes of a file.
SMALL_DISK = """
import resource, sys
from informedness.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
sys.exit(main(sys.argv[1:]))
"""


def test_a_picture_goes_into_a_folder_and_a_name_of_a_picture_is_refused(command, tmp_path):
    file = write(tmp_path / "p.csv", ROWS)
    for name in ("p.png", "p.svg", "a/p.pdf"):
        result = command("report", file, *COLUMNS, "--plot", tmp_path / name)
        refused(result, "--plot must name a folder for PNG files, got ", name)
    assert [path.name for path in tmp_path.iterdir()] == ["p.csv"]
    assert command("report", file, *COLUMNS, "--plot", tmp_path / "version.2")[0] == 0
    assert {path.suffix for path in (tmp_path / "version.2").iterdir()} == {".png"}


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no limit on files")
def test_a_picture_that_finds_no_room_is_named_and_leaves_no_part_of_it(tmp_path):
    file, folder = write(tmp_path / "p.csv", ROWS), tmp_path / "pictures"
    asked = ["report", file, *COLUMNS, "--plot", folder]
    result = subprocess.run(
        [sys.executable, "-c", SMALL_DISK, *asked], capture_output=True, text=True
    )
    refused((result.returncode, result.stdout, result.stderr), f"{folder / 'confusion.png'}: ")
    assert not [*folder.iterdir()]
