"""The list of columns, and the line below it: it scores what it names, or has names to replace.

Covers src: commands/missing_columns.py, files/reading.py.
"""

import shlex
import shutil
from pathlib import Path

import pandas as pd
import pytest

# small files of the form of published ones
PUBLISHED = Path(__file__).parents[1] / "inputs" / "published"
GOLD, BERT, GPT = ["ham", "spam"] * 3, ["ham", "ham", "spam"] * 2, ["spam", "ham", "ham"] * 2
RIGHT = ["ham" if label == answer else "spam" for label, answer in zip(GOLD, BERT, strict=True)]
LONG = ["ham", "ham", "spam", "spam", "ham", "ham"]
IDS = ["1", "1", "2", "2", "3", "3"]


def cells(separator=",", /, **columns):
    rows = [columns, *zip(*columns.values(), strict=True)]
    return "".join(f"{separator.join(row)}\n" for row in rows)


LISTS = pd.DataFrame({"gold": GOLD, "bert": BERT, "out": [[x, x] for x in BERT]})
SAID = pd.DataFrame({"gold": GOLD, "out": [{"says": x, "all": [x, x]} for x in BERT]})
FILES = {
    "pandas.csv": cells(**{"": "012345"}, gold=GOLD, bert=BERT),
    "semicolon.csv": cells(";", **{"": "012345"}, gold=GOLD, bert=BERT),
    "rows.jsonl": SAID.to_json(orient="records", lines=True),
    "rows.parquet": LISTS.to_parquet(),
    "headless.csv": cells(spam=GOLD, ham=BERT),
    "latin.csv": cells(Gefühl=["gut", "böse"] * 3, bert=["gut"] * 5 + ["böse"]).encode("cp1252"),
    "a.csv": cells(id="abcdef", gold=GOLD, pred=BERT),
    "b.csv": cells(id="fbcdea", gold=[GOLD[-1], *GOLD[1:-1], GOLD[0]], pred=GPT),
    "truth.csv": cells(id="abcdef", gold=GOLD),
    "bert.csv": cells(id="fbcdea", bert=BERT),
    "index.csv": cells(**{"": "012345"}, gold=GOLD),
    "answers.csv": cells(**{"": "012345"}, bert=BERT),
    "shorter.csv": cells(bert=BERT[:-1]),
    "three.csv": cells(gold=GOLD, bert=BERT, gpt=GPT),
    "preds.csv": cells(gold=GOLD, bert_pred=BERT, gpt_pred=["ham"] * 6, other=GPT),
    "tied.csv": cells(gold=["a", "b", "tie"] * 2, left=["a", "a", "b"] * 2),
    "scored.csv": cells(gold="010011", pred="011011", pred_score=["1.0", "0.8"] * 3),
    "dash.csv": cells(gold=GOLD, pred=BERT),
    "long.csv": cells(id=IDS, model=["bert", "gpt"] * 3, gold=LONG, pred=BERT),
    "cells.csv": cells(gold=["ham", "spam"] * 3, pred=["ham", "spam", "none"] * 2, n="981742"),
    "case.csv": cells(gold=GOLD, pred=[*BERT[:-1], "Spam"]),
    "letters.csv": cells(gold="AaBbAaBb", pred="AABbAaBb"),
    "letter.csv": cells(gold="ABABABAB", pred="aBABABAA"),
    "blanks.csv": cells(gold=GOLD, pred=[*BERT[:-1], "spam "]),
    "stray.csv": cells(gold=GOLD, pred=[*BERT[:-1], "I refuse"]),
    "gaps.csv": cells(gold=GOLD, bert=[*BERT[:-1], ""]),
    "unlabelled.csv": cells(gold=[*GOLD[:-1], ""], bert=BERT),
    "floats.csv": cells(gold="010011", pred=["0.0", "1.0", "1.0"] * 2, hard="011011"),
    "flags.csv": cells(gold=["yes", "no"] * 3, split=["yes", "yes", "no"] * 2),
    "two.csv": cells(gold=GOLD, label=GOLD[::-1], bert=BERT),
    "names.csv": cells(label="010101", label_text=GOLD, pred=BERT),
    "one.csv": cells(gold=["ham"] * 6, bert=BERT),
    "texts.csv": cells(gold="abcdef", bert="abcdef"),
    "counts.csv": cells(gold=["ham", "ham", "spam", "spam"], pred=["ham", "spam"] * 2, n="9817"),
    "double.csv": "gold,bert,berts,bert\n" + "ham,ham,ham,ham\nspam,spam,ham,x\n" * 3,
    "same.csv": "gold,pred,gold,n,n\n" + "ham,ham,ham,2,2\nspam,ham,spam,2,2\n" * 3,
    "right.csv": cells(label=GOLD, x=BERT, is_right=RIGHT),
}
"""Beside them is what is in `PUBLISHED`."""
NO_NAMES, NO_MODEL = "-r TRUE -p MODEL", "-r gold -p MODEL"
# what the line has behind what was typed, what else is said
LISTED = {
    # a column called references, others called predictions or with its labels
    "pandas.csv": ("-r gold -p bert", "pandas.csv: 6 rows\n", "\n''  "),
    "semicolon.csv": ("-r gold -p bert",),
    "rows.jsonl": ("-r gold -p out.says", "\nout.all  "),
    "rows.parquet": ("-r gold -p bert", "\nout  "),
    "preds.csv": (
        "-r gold -p bert_pred gpt_pred",
        "gold, bert_pred and other have the same labels.",
    ),
    "floats.csv": ("-r gold -p pred",),
    "right.csv": ("-r label -p MODEL", "in place of MODEL:"),
    "long.csv": ("-r gold -p pred --by model", "\nmodel  "),
    "cells.csv": ("-r gold -p pred",),
    "same.csv": ("-r gold -p pred",),
    "double.csv": ("-r gold -p bert", "\nbert.1  "),
    "constant_model.csv": ("-r true_label -p bert_pred finbert_pred",),
    "wide.csv": ("-r label -p prediction", "\nlabel  ", "\nand 2 more columns\n"),
    "pred_obs.csv": ("-r obs -p pred",),
    "scored.csv": ("-r gold -p pred",),
    "three.csv": ("-r gold -p bert gpt", "gold, bert and gpt have the same labels."),
    "case.csv": ("-r gold -p pred",),
    "blanks.csv": ("-r gold -p pred",),
    "letters.csv": ("-r gold -p pred",),
    "letter.csv": ("-r gold -p pred",),
    "stray.csv": ("-r gold -p pred",),
    "gaps.csv": ("-r gold -p bert --unknown wrong", "; 1 empty"),
    "gaps.csv --drop-null": ("-r gold -p bert", "; 1 empty"),
    "gaps.csv --keep-missing": ("-r gold -p bert", "; 1 empty"),
    "unlabelled.csv": ("-r gold -p bert", "; 1 empty"),
    "counts.csv": ("-r gold -p pred",),
    # several readings, or none
    "flags.csv": (NO_MODEL,),
    "names.csv": (NO_NAMES,),
    "two.csv": (NO_NAMES,),
    "tied.csv": (NO_MODEL,),
    "one.csv": (NO_NAMES,),
    "texts.csv": (NO_NAMES,),
    "headless.csv": (NO_NAMES, "'spam' and 'ham' name columns, but are also labels"),
    "human_judge.csv": (NO_NAMES, "human_label and judge_label have the same labels."),
    "text_and_integers.json": ("-r Label -p preds",),
    "names_and_confidences.jsonl": ("-r instance.label -p MODEL", "\nprediction.displayNames  "),
    "events.jsonl": (
        "-r data.expected -p data.picked data.sampled --unknown wrong",
        "\ndata.picked  ",
        "\ndata.expected  ",
    ),
    # verdicts
    "correct_column.csv": ("-r label -p MODEL", "; says whether label = answer\n"),
    "correct_column.jsonl": ("-r label -p MODEL", "; says whether label = answer\n"),
    "verdict_column.csv": ("-r target -p MODEL", "; says whether target = completion\n"),
    "correct_binary.csv": ("-r label -p prediction", "; says whether label = prediction\n"),
    # two files
    "truth.csv bert.csv": ("-r gold -p bert --on id",),
    "gold.csv submission.csv": ("-r label -p label --on id",),
    "index.csv answers.csv": ("-r gold -p bert --on ''",),
    "y_test.csv y_pred.csv": ("-r y_test -p y_pred", "y_test.csv: 6 rows and y_pred.csv: 6 rows"),
    "a.csv b.csv": ("-r gold -p pred --on id",),
    "a.csv b.csv three.csv": (NO_MODEL,),
    # what was typed
    "--strip -- dash.csv": ("--strip -r gold -p pred -- dash.csv",),
    "latin.csv --encoding cp1252": (NO_NAMES, "\nGefühl  "),
}
# what is no question alone
REFUSED = {
    "report three.csv -r gold": "-r gold -p bert gpt",
    "report dash.csv -r gold": "-r gold -p pred",
    "report three.csv -p gpt": "-p gpt -r gold",
    "report dash.csv --format json": "--format json -r gold -p pred",
    "report dash.csv --metric nit": "--metric nit -r gold -p pred",
    "report long.csv --metric nit": "--metric nit -r gold -p pred",
    "report dash.csv --at-least 0.5 --metric nit": "-r gold -p pred",
    "report dash.csv -o out.txt": "-o out.txt -r gold -p pred",
    "report dash.csv --by type": "--by type -r gold -p pred",
    "report truth.csv bert.csv --on id": "--on id -r gold -p bert",
    "report truth.csv bert.csv --on name": "--on name -r gold -p bert",
    "compare preds.csv": "-r gold -p bert_pred gpt_pred",
    "compare three.csv": "-r gold -p bert gpt",
    "compare tied.csv": "-r gold -p MODEL_A MODEL_B",
    "compare a.csv b.csv": "-r gold -p pred --on id",
    "compare truth.csv bert.csv": "-r gold -p MODEL --on id",
}


@pytest.fixture
def run(command, tmp_path, monkeypatch):
    """Return a function that runs a command line beside the files."""
    monkeypatch.chdir(shutil.copytree(PUBLISHED, tmp_path / "files"))
    for name, text in FILES.items():
        Path(name).write_bytes(text if isinstance(text, bytes) else text.encode())
    return lambda line: command(*shlex.split(line))


@pytest.mark.parametrize("files", LISTED)
def test_the_list_ends_with_a_line_that_works_or_has_places(files, run):
    wanted, *said = LISTED[files]
    code, output, errors = run(f"report {files}")
    assert (code, errors) == (0, "")
    assert [part for part in said if part not in output] == []
    line = output.splitlines()[-1]
    given = "" if files.startswith("-") else f"{files} "
    assert line == f"  informedness report {given}{wanted}"
    if "TRUE" not in line and "MODEL" not in line:
        code, output, errors = run(line.partition(" informedness ")[2])
        # a missing reference has no remedy that is right for every file
        assert code == 0 or "--numeric" in errors or "`--references` must have a value" in errors
        assert "says in each row" not in errors


@pytest.mark.parametrize("line", REFUSED)
def test_the_list_is_an_error_if_more_is_asked(line, run):
    code, output, errors = run(line)
    assert (code, output) == (2, "")
    assert errors.startswith("informedness: error: `--references` and `--predictions` must name")
    assert errors.endswith(f" {REFUSED[line]}\n")


def test_a_verdict_named_as_predictions_is_warned_of(run):
    for files, verdict, agreed in (
        ("correct_column.jsonl -r label -p", "correct", "'label' and 'answer'"),
        ("correct_column.csv -r label -p", "correct", "'label' and 'answer'"),
        ("verdict_column.csv -r target -p", "verdict", "'target' and 'completion'"),
        ("correct_binary.csv -r label -p", "correct", "'label' and 'prediction'"),
    ):
        said = f"{verdict!r} says in each row whether {agreed} agree"
        assert said in run(f"report {files} {verdict}")[2]
        assert run(f"report {files} {verdict} --strict")[0] == 2
    assert "agree" not in run("report correct_binary.csv -r label -p prediction")[2]
    assert "agree" not in run("report double.csv -r gold -p berts")[2]


def test_only_the_first_rows_are_looked_at(run):
    """A file sorted by class has one label there."""
    rows = [*["a,a"] * 10_000, *["b,a"] * 10_000]
    for name, lines in (("sorted.csv", rows), ("mixed.csv", rows[::2][::-1] + rows[1::2])):
        Path(name).write_text("\n".join(["gold,pred", *lines]))
    output = run("report sorted.csv")[1]
    assert output.startswith("sorted.csv: the first 10,000 rows\n")
    assert output.endswith("-r TRUE -p MODEL\n")
    assert run("report mixed.csv")[1].endswith("-r gold -p pred\n")


@pytest.mark.parametrize(
    "text",
    [
        ",Predicted a,Predicted b,Total\nActual a,8,2,10\nActual b,1,9,10\nTotal,9,11,20\n",
        ",a,b,Total\na,8,2,10\nb,1,9,10\n",
        ",a,b\na,8,2\nb,1,9\nTotal,9,11\n",
        "8,2\n1,9\n",
        ",a,b\na,80%,20%\nb,10%,90%\n",
    ],
)
def test_the_list_says_what_a_matrix_must_have(text, run):
    Path("p.csv").write_text(text, "utf-8")
    assert (
        "A matrix must have counts, the same names above and on the left, and no totals. If a"
        in run("report p.csv")[1]
    )
    Path("p.csv").write_text("id,gold,model\n1,a,b\n2,b,b\n", "utf-8")
    assert "matrix" not in run("report p.csv")[1]


def test_a_damaged_file_is_refused_by_the_list_as_by_a_report(run):
    rows = ["gold,pred", *["a,a"] * 3, "a,a,a"]
    Path("ragged.csv").write_text("\n".join(rows))
    whole = pd.DataFrame({"gold": GOLD, "pred": BERT}).to_parquet()
    Path("cut.parquet").write_bytes(whole[: len(whole) // 2] + whole[-8:])
    for name in ("ragged.csv", "cut.parquet"):
        listed, scored = run(f"report {name}"), run(f"report {name} -r gold -p pred")
        assert listed[:2] == scored[:2] == (2, "")
        assert listed[2] == scored[2]
        assert f"{name}: not readable as" in listed[2]


def test_weights_of_files_that_are_read_row_by_row(run):
    Path("true.csv").write_text("true,w\na,1\nb,2\na,3\n")
    Path("said.csv").write_text("said\na\nb\nb\n")
    line = "report true.csv said.csv -r true -p said --weights w --metric accuracy"
    assert float(run(line)[1]) == 3 / 6


def test_files_without_a_common_column_are_scored_row_by_row(run):
    code, output, errors = run("report y_test.csv y_pred.csv -r y_test -p y_pred --metric accuracy")
    true, answers = (pd.read_csv(f"{x}.csv")[x] for x in ("y_test", "y_pred"))
    assert (code, float(output)) == (0, (true == answers).mean())
    assert errors.startswith("y_test.csv and y_pred.csv (rows paired by position): 6 rows\n")
    errors = run("report y_test.csv shorter.csv -r y_test -p bert")[2]
    assert (
        "expected the same number of rows in each file, got 6 in y_test.csv, 5 in shorter.csv"
        in errors
    )
    line = "report index.csv answers.csv -r gold -p bert --on '' --metric accuracy"
    assert float(run(line)[1]) == pytest.approx(3 / 6, abs=1e-12)


def test_of_columns_of_one_name_either_is_read_if_they_are_equal(run):
    line = "report {} -r gold -p {} --metric accuracy"
    assert run(line.format("same.csv", "pred"))[0] == 0
    assert "several columns" not in run(line.format("same.csv", "pred --weights n"))[2]
    for name, accuracy, is_warned in (("bert", 1, True), ("bert.1", 1 / 2, False)):
        _, output, errors = run(f"{line.format('double.csv', name)} --unknown wrong")
        assert float(output) == accuracy
        assert ("To choose one, name it 'bert' or 'bert.1'" in errors) == is_warned


def test_an_unknown_column_is_an_error_that_names_a_close_one(run):
    for line, said in {
        "report three.csv -r golden -p gtp": "(did you mean 'gold' or 'gpt'?)",
        "report rows.jsonl -r gold -p out.say": "(did you mean 'says'?)",
        "report truth.csv bert.csv -r gold -p bert": "and `--on` joins two",
        "report three.csv golden": "golden: No such file",
        "report latin.csv -r gold -p bert": "pass the file's encoding as `--encoding`",
    }.items():
        code, output, errors = run(line)
        assert (code, output) == (2, "")
        assert said in errors


def test_a_header_made_of_labels_is_warned_of(run):
    for first, second, sides, is_warned in (
        ("spam", "ham", [GOLD, BERT], True),
        ("spam", "bert", [GOLD, BERT], False),
        ("0", "1", ["010110", "001100"], True),
    ):
        Path("p.csv").write_text(cells(**{first: sides[0], second: sides[1]}))
        code, _, errors = run(f"report p.csv -r {first} -p {second}")
        said = f"{first!r} and {second!r} name columns, but are also labels"
        assert (code, said in errors) == (0, is_warned)


def test_labels_that_differ_in_case_warn_with_a_remedy(run):
    code, _, errors = run("report case.csv -r gold -p pred")
    assert (code, "with --ignore-case or --strip" in errors) == (0, True)
    assert "differ only" not in run("report case.csv -r gold -p pred --ignore-case")[2]


def test_a_header_that_is_not_text_is_refused_by_its_line(run):
    Path("null.csv").write_bytes(b"go\0ld,bert\nham,ham\nspam,ham\n")
    code, output, error = run("report null.csv")
    assert (code, output) == (2, "")
    assert "line 1 is not text in UTF-8" in error
