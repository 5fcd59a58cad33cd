"""A line that an error prints to paste: it works, or the error says which words to replace.

Covers src: commands/missing_columns.py.
"""

import re
import shlex
from pathlib import Path

import pandas as pd
import pytest

GOLD, BERT, GPT = ["ham", "spam"] * 3, ["ham", "ham", "spam"] * 2, ["spam", "ham", "ham"] * 2
MANY = [f"c{i % 30}" for i in range(90)]


def cells(separator=",", /, **columns):
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(f"{separator.join(row)}\n" for row in rows)


LISTS = pd.DataFrame({"gold": GOLD, "bert": BERT, "out": [[x] for x in BERT]})
SAID = pd.DataFrame({"gold": GOLD, "out": [{"says": x, "all": [x, x]} for x in BERT]})
FILES = {
    "pandas.csv": cells(**{"": "012345"}, gold=GOLD, bert=BERT),
    "index.csv": cells(**{"": "012345"}, gold=GOLD, bert=GPT),
    "semicolon.csv": cells(";", **{"": "012345"}, gold=GOLD, bert=BERT),
    "rows.jsonl": SAID.to_json(orient="records", lines=True),
    "rows.parquet": LISTS.to_parquet(),
    "headless.csv": cells(spam=GOLD, ham=BERT),
    "twice.csv": "ham,ham\n" + cells(spam=GOLD, ham=BERT),
    "latin.csv": cells(Gefühl=["gut", "böse"] * 3, bert=["gut"] * 5 + ["böse"]).encode("cp1252"),
    "a.csv": cells(id="abcdef", gold=GOLD, pred=BERT),
    "b.csv": cells(id="fbcdea", gold=[GOLD[-1], *GOLD[1:-1], GOLD[0]], pred=GPT),
    "part.csv": cells(id="ghijkl", gold=GOLD, pred=GPT),
    "spelt.csv": cells(gold=GOLD, bert=[*BERT[:-1], "HAM"]),
    "ints.csv": cells(id="123456", gold=GOLD, pred=BERT),
    "floated.csv": cells(id=[f"{i}.0" for i in range(1, 7)], gold=GOLD, pred=GPT),
    "gold.csv": cells(id="abcdef", gold=GOLD),
    "bert.csv": cells(id="fbcdea", bert=BERT),
    "three.csv": cells(gold=GOLD, bert=BERT, gpt=GPT),
    "always.csv": cells(gold=GOLD, bert=BERT, ham=["ham"] * 6),
    "long.csv": cells(gold=GOLD, model=["bert", "gpt"] * 3),
    "case.csv": cells(gold=[x.upper() for x in GOLD], bert=BERT, gpt=GPT),
    "floats.csv": cells(gold="010011", hard=["0.0", "1.0", "1.0"] * 2),
    "half.csv": cells(gold=GOLD, half=[*BERT[:3], *"xyz"], other=[*BERT[:2], *"xyzx"]),
    "key.csv": cells(answer_key=GOLD, bert=BERT),
    "gaps.csv": cells(gold=GOLD, bert=[*BERT[:-1], ""]),
    "many.csv": cells(gold=MANY, bert=[*MANY[1:], "NA"]),
    "asked.csv": cells(gold=["?", *GOLD[1:]], bert=["", *BERT[1:-1], ""]),
    "one.csv": cells(gold=["ham"] * 6, bert=BERT),
    "texts.csv": cells(gold="abcdef", bert="abcdef"),
    "two.csv": cells(gold=GOLD, label=GOLD[::-1], bert=BERT),
    "flat.csv": cells(gold=GOLD, label=["ham"] * 6, bert=BERT),
    "double.csv": "gold,bert,berts,bert\n" + "ham,ham,ham,ham\nspam,spam,ham,x\n" * 3,
    "codes.csv": cells(gold="010011", bert="011011"),
}
PAIR, NAMES = "-r gold -p bert", "--references gold --predictions"
FROM_LIST = "from this list"
# what is given, what the line to paste has beside it (None: there is no line), what the error says
SUGGESTED = {
    # no columns are named
    "report pandas.csv": (f"{NAMES} bert", "\n''   "),
    "compare pandas.csv": (None, "\n''   ", FROM_LIST),
    "report semicolon.csv": (f"{NAMES} bert",),
    "report rows.jsonl": (f"{NAMES} out.says out.all.0", "\nout.all.0 "),
    "report rows.parquet": (f"{NAMES} bert", "\nout "),
    "report --strip -- three.csv": (f"{NAMES} bert gpt",),
    "compare three.csv": (f"{NAMES} bert gpt", "first 10,000 rows", "'ham', 'spam'\n"),
    "compare always.csv": (None, FROM_LIST),  # of one label
    "report always.csv": (f"{NAMES} bert",),
    "report half.csv": (f"{NAMES} half --unknown wrong",),
    "report spelt.csv": (None, FROM_LIST),  # it would warn of HAM
    "report long.csv": (None, FROM_LIST),
    "report three.csv -r gold": ("report three.csv -r gold --predictions bert gpt",),
    "report three.csv -p gpt": ("report three.csv -p gpt --references gold",),
    "report three.csv -p gtp": (None, FROM_LIST),
    "compare three.csv -p gpt": (None, FROM_LIST),
    "report headless.csv": (None, "\n'spam' and 'ham' are names of columns and labels in"),
    "report twice.csv": (None, "there must be rows with labels, and a name above each column"),
    "report latin.csv": (None, "latin.csv: not readable as csv: line 1 is not text", "--encoding"),
    "report case.csv": (None, FROM_LIST),
    "report two.csv": (None, FROM_LIST),
    "report one.csv": (None, FROM_LIST),
    "report flat.csv": (f"{NAMES} bert",),
    "report texts.csv": (None, FROM_LIST),
    "report floats.csv": (f"{NAMES} hard",),
    "report gaps.csv": (f"{NAMES} bert --unknown wrong", "; 1 empty"),
    "report key.csv": ("--references answer_key --predictions bert", "\nanswer_key "),
    "report three.csv --by typ": (None, FROM_LIST),
    "report gold.csv bert.csv --on name": (None, FROM_LIST),
    "report three.csv gold bert": (f"{NAMES} bert",),
    "report three.csv golden": (None, "golden: No such file"),
    "report gold.csv bert.csv --on id": (f"{NAMES} bert", "\ngold ", "\nbert "),
    "compare a.csv b.csv --on id": (f"{NAMES} pred",),
    "compare a.csv b.csv": (f"{NAMES} pred --on id",),
    "compare ints.csv floated.csv": (f"{NAMES} pred --on ID", "a sample in place of ID"),
    "report gold.csv bert.csv": (f"{NAMES} bert --on id", "\ngold ", "\nbert "),
    "report a.csv b.csv": (None, "both files have the same values of id: if it identifies"),
    "report a.csv part.csv": (f"{NAMES} pred",),
    "report pandas.csv index.csv": (f"{NAMES} bert",),
    "report a.csv b.csv three.csv": (None, FROM_LIST),
    # they are, but do not exist
    "report latin.csv -r Gefühl -p bert": (None, "line 1 is not text in UTF-8", "--encoding"),
    "report three.csv -r golden -p gtp": ("report three.csv -r gold -p gpt",),
    "report three.csv -r gol -p golda": (None, "'golda', which does not exist"),
    "report double.csv -r gold -p bert": (None, "'bert', which occurs twice"),
    "report double.csv -r golden -p ber": ("report double.csv -r gold -p berts",),
    "report double.csv": (None, "several by this name"),
    "report three.csv -r bert -p berta": (None, "'berta', which does not exist"),
    "report gold.csv bert.csv -r gold -p bert": (None, "gold.csv: ", "to join two, give `--on` a"),
    "compare a.csv bert.csv --on id -r gold -p preds": (None, "did you mean 'pred'?"),
    "report rows.jsonl -r gold -p out.say": ("report rows.jsonl -r gold -p out.says",),
    "report rows.jsonl -r gold -p out.all": (None, "line 1: 'out.all' holds several values, ["),
    # values are missing, or no classes
    f"report gaps.csv {PAIR}": ("--unknown wrong", "1 of 6 rows of column 'bert', first in row 6"),
    f"report asked.csv {PAIR} --ignore-index ?": ("--unknown wrong",),
    f"report many.csv {PAIR}": ("--unknown wrong",),
    f"report gaps.csv {PAIR} --labels ham": (None, "--unknown wrong counts a missing"),
    f"report codes.csv {PAIR} --choices no yes": (None, "--numeric reads such text as a position"),
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
    wanted, *said = SUGGESTED[line]
    code, output, errors = run(line)
    assert (code, output) == (2, "")
    assert [part for part in said if part not in errors] == []
    pasted = re.findall("^  informedness (.*)$", errors, re.MULTILINE)
    assert len(pasted) == (wanted is not None)
    assert all(line.endswith(wanted) or f" {wanted} -- " in line for line in pasted)
    for line in pasted:
        assert run(line.replace(" ID", " id") if "in place of ID" in errors else line)[0] == 0


def test_columns_whose_names_are_all_labels_in_the_rows_are_warned_of(run):
    for first, second, sides, is_warned in (
        ("spam", "ham", [GOLD, BERT], True),
        ("spam", "bert", [GOLD, BERT], False),
        ("0", "1", ["010110", "001100"], True),
    ):
        Path("p.csv").write_text(cells(**{first: sides[0], second: sides[1]}))
        code, _, errors = run(f"report p.csv -r {first} -p {second}")
        said = f"{first!r} and {second!r} are names of columns and labels in the rows: if there is"
        assert (code, said in errors) == (0, is_warned)


def test_labels_that_differ_in_case_are_warned_of_with_the_options_that_make_them_one(run):
    Path("p.csv").write_text(cells(gold=GOLD, bert=[*BERT[:-1], "Spam"]))
    code, _, errors = run("report p.csv -r gold -p bert")
    assert (code, "with --ignore-case or --strip\n" in errors) == (0, True)
    assert "differ only" not in run("report p.csv -r gold -p bert --ignore-case")[2]
