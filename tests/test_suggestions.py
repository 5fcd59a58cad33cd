"""A line that an error prints to paste: it works, or the error says which words to replace."""

import re
import shlex
from pathlib import Path

import pytest

GOLD, BERT = ["ham", "spam"] * 3, ["ham", "ham", "spam"] * 2


def cells(*columns, names=("gold", "bert"), separator=","):
    return "".join(f"{separator.join(row)}\n" for row in (names, *zip(*columns, strict=True)))


FILES = {
    "pandas.csv": cells("012345", GOLD, BERT, names=["", "gold", "bert"]),
    "semicolon.csv": cells("012345", GOLD, BERT, names=["", "gold", "bert"], separator=";"),
}
# what is given, the line to paste (None: there is none), and what the error says
SUGGESTED = {
    "report pandas.csv": ("report pandas.csv -r gold -p bert", "\n''   "),
    "report semicolon.csv": ("report semicolon.csv -r gold -p bert", "\n''   "),
    "compare pandas.csv": (None, "\n''   "),
}


@pytest.fixture
def run(command, tmp_path, monkeypatch):
    """Return a function that runs a command line beside the files."""
    monkeypatch.chdir(tmp_path)
    for name, text in FILES.items():
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return lambda line: command(*shlex.split(line))


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("line", SUGGESTED)
def test_a_line_to_paste_works_or_the_error_says_which_words_to_replace(line, run):
    suggested, *said = SUGGESTED[line]
    code, output, errors = run(line)
    assert (code, output) == (2, "")
    assert all(part in errors for part in said)
    found = re.findall("^  informedness (.*)$", errors, re.MULTILINE)
    assert found == ([] if suggested is None else [suggested])
    for line in found:
        assert run(line)[0] == 0


@pytest.mark.parametrize(
    ("names", "is_warned"), [(["spam", "ham"], True), (["spam", "bert"], False), (["0", "1"], True)]
)
def test_columns_whose_names_are_all_labels_in_the_rows_are_warned_of(names, is_warned, run):
    sides = [GOLD, BERT] if "spam" in names else [[*"010110"], [*"001100"]]
    Path("headless.csv").write_text(cells(*sides, names=names))
    code, _, errors = run(f"report headless.csv -r {names[0]} -p {names[1]}")
    said = f"the names {names[0]!r} and {names[1]!r} are also labels in the rows: if there is no "
    assert (code, said in errors) == (0, is_warned)
