"""The command line where only Unix can try it: signals, shells, pipes and full disks.

Covers src: __main__.py, cli.py.
"""

import itertools
import os
import re
import signal
import subprocess
import sys
from pathlib import Path
from threading import Thread

import pytest

from inputs.cli_cases import refused, write

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFO, sh or /dev/full")

PAIR = ["p.csv", "-r", "gold", "-p", "model"]
# A disk with room for this many bytes of a file, and little more memory than there is in use.
LIMITED = """
import re, resource, sys
import informedness.commands.run, informedness.files.counting
from informedness.cli import main
in_use = int(re.search(r"VmSize: *(.*) kB", open("/proc/self/status").read())[1]) << 10
limit = {limit}
resource.setrlimit(resource.{name}, (limit, limit))
sys.exit(main(sys.argv[1:]))
"""
SMALL_DISK = LIMITED.format(name="RLIMIT_FSIZE", limit=3000)
SMALL_MEMORY = LIMITED.format(name="RLIMIT_AS", limit="in_use + (1 << 24)")


@pytest.fixture(autouse=True)
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write(tmp_path / "p.csv", [("a", "a"), ("b", "a"), ("b", "b")] * 20)


def ended(*command):
    result = subprocess.run(command, capture_output=True, text=True)
    return result.returncode, result.stdout, result.stderr


@pytest.mark.slow
def test_a_figure_that_cannot_be_written_is_an_error_of_one_line():
    told = ended(sys.executable, "-c", SMALL_DISK, "report", *PAIR, "--plot", "figures")
    refused(told, "File too large")


def test_an_interrupt_is_one_line():
    os.mkfifo("fifo.csv")
    process = subprocess.Popen(
        [sys.executable, "-m", "informedness", "report", "fifo.csv", *PAIR[1:]],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's "&" ignores it
    )
    with Path("fifo.csv").open("w"):  # once the command reads, which then waits
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == (b"", b"informedness: interrupted\n")
    assert process.returncode == 130


@pytest.mark.slow
def test_a_closed_or_full_standard_output_is_reported():
    write(Path("one.csv"), [("a", "b")] * 60)  # of which there are warnings

    def in_shell(file, redirection):
        line = f"'{sys.executable}' -m informedness report {file} -r gold -p model {redirection}"
        return ended("sh", "-c", line)

    refused(in_shell("p.csv", ">&-"), "error: standard output is closed\n")
    refused(in_shell("p.csv", ">/dev/full"), "error: standard output: ")
    assert in_shell("p.csv", "| true")[2] == ""  # a pipe that is closed ends it quietly
    assert in_shell("one.csv", "2>&-") == in_shell("one.csv", "2>/dev/null")


def test_closed_input_and_full_memory_are_one_line_each():
    line = f"'{sys.executable}' -m informedness report - -r gold -p model --input-format csv <&-"
    refused(
        ended("sh", "-c", line), "error: -: standard input is closed: pass the path of a file\n"
    )
    rows = "".join(f'{{"gold": "a{i}", "model": "b{i}"}}\n' for i in range(200_000))
    Path("p.jsonl").write_text(rows)
    told = ended(sys.executable, "-c", SMALL_MEMORY, "report", "p.jsonl", *PAIR[1:])
    refused(told, "error: there is too little memory\n")


@pytest.mark.parametrize(
    "name", ["\x1b[2Jx", "a\nZb", "x\u202ey", "a\x9bz", "`labels` x", '(unknown="a"']
)
def test_file_and_column_names_print_as_one_safe_line(name, command):
    """Also of models and slices; labels are shown by the same function."""
    Path("data").mkdir()
    rows = [(x, y, z) for x, y, z in itertools.product(["u", "v", name], repeat=3)] * 3
    write(Path("data", f"{name}.csv"), rows, ("gold", name, "other"))
    given = "data", "-r", "gold", "-p"
    lines = [
        ("report", *given, "nope"),
        ("report", *given, name),
        ("report", *given, name, "other", "--format", "markdown"),
        ("report", *given, "other", "--by", name),
        ("report", "data", f"--{name}"),
        ("report", *given, "other", "--metric", "nit"),
        ("report", *given, name, "--labels", "u", "v"),
        ("report", *given, name, "other", "--by-task", "gold"),
        ("report", "data"),
        ("compare", *given, name, "other"),
    ]
    codes, outputs, errors = zip(*(command(*line) for line in lines), strict=True)
    assert codes == (2, 0, 0, 0, 2, 0, 2, 0, 2, 0)
    text = "".join((*outputs, *errors))
    assert text.replace("\n", "").isprintable()
    assert not re.search(r"--labels` x|--unknown a|^Zb", text, re.MULTILINE)
    literal = repr(name) if name.isprintable() else ascii(name)
    assert literal in outputs[1]
    assert literal in outputs[3]


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_pipes_are_joined_and_checked_like_files(command, tmp_path):
    line = ["--on", "id", "-r", "gold", "-p", "model", "--input-format", "csv"]
    for references, code in (("ab", 0), ("bb", 2)):
        texts = {"a": "id,gold\n1,a\n2,b\n", "b": "id,gold,model\n1,{},a\n2,{},a\n"}
        for name, text in texts.items():
            pipe = tmp_path / f"{name}{code}"
            os.mkfifo(pipe)
            of_pipe = text.format(*references).encode()
            Thread(target=pipe.write_bytes, args=(of_pipe,), daemon=True).start()
        paths = [tmp_path / f"{name}{code}" for name in texts]
        given = "report", *paths, *line, "--metric", "accuracy", "--unknown", "wrong"
        assert command(*given)[0] == code
