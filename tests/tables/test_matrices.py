"""Confusion matrices in text are read as spreadsheets, programs and papers write them, or refused.

Covers src: tables/matrix.py.
"""

import json
import re

import numpy as np
import pandas as pd
import pytest

from informedness import ContingencyTable
from inputs.cases import warned

COUNTS = np.array([[90, 10], [5, 95]])
NAMES = ["ham", "not spam"]
FRAME = pd.DataFrame(COUNTS, NAMES, NAMES)
CROSSTAB = FRAME.rename_axis(index="Actual", columns="Predicted")
PAPER = r"""\begin{table}[h]\caption{Confusion}
\begin{tabular}{@{}llcc@{}}
\toprule
 & & \multicolumn{2}{c}{Predicted} \\ \cmidrule(lr){3-4}
 & & ham & not spam \\ \midrule
\multirow{2}{*}{Actual} & ham & \textbf{90} & 10 (10\%) \\
 & not spam & 5 & $95$ \\ \bottomrule
\end{tabular}\end{table}"""
NAMED = {
    "CSV": FRAME.to_csv(),
    "semicolons": FRAME.to_csv(sep=";"),
    "tabs": FRAME.to_csv(sep="\t"),
    "crosstab": CROSSTAB.to_csv(),
    "frame": str(FRAME),
    "printed crosstab": str(CROSSTAB),
    "in another order": ",not spam,ham\nham,10,90\nnot spam,95,5",
    "short header": "ham,not spam\nham,90,10\nnot spam,5,95",
    "write.table": '"ham" "not spam"\n"ham" 90 10\n"not spam" 5 95',
    "Markdown": "| |ham|not spam|\n|--|--|--|\n|ham|90|10|\n|not spam|5|95|",
    "database": " x | ham | not spam\n---+---+---\n ham | 90 | 10\n not spam | 5 | 95",
    "LaTeX": " & ham & not spam \\\\ \\hline ham & 90 & 10 \\\\ not spam & 5 & 95 \\\\",
    "a paper": PAPER,
    "sheet": "\t\tPredicted\t\n\t\tham\tnot spam\nActual\tham\t90\t10\n\tnot spam\t5\t95",
    "levels": pd.concat({"Actual": pd.concat({"Predicted": FRAME}, axis=1)}).to_csv(),
    "empty cells around": ",,,,\n,,ham,not spam,\n,ham,90,10,\n,not spam,5,95,\n,,,,",
    "shares": ",ham,not spam\nham,90 (90%),10 (10%)\nnot spam,5(5.0%),95 (95 %)",
    "sides": ",Predicted ham,Predicted not spam\nActual ham,90,10\nActual not spam,5,95",
    "one side": ",pred_ham,pred_not spam\nham,90,10\nnot spam,5,95",
    "sides behind": ",ham (predicted),not spam (predicted)\nham (true),90,10\nnot spam (true),5,95",
}
ONE_WORD = {
    "R": "      Predicted\nActual ham spam\n  ham   90   10\n  spam   5   95",
    "R without names": "      \n       ham spam\n  ham   90   10\n  spam   5   95",
    "shares": "ham spam\nham 90 (90%) 10 (10%)\nspam 5 (5%) 95 (95%)",
    "numbers": "    0   1\n0  90  10\n1   5  95",
    "ground truth": ",Predicted 0,Predicted 1\nGround Truth 0,90,10\nGround Truth 1,5,95",
}
UNNAMED = {
    "numpy": str(COUNTS),
    "repr": f"cm = np.{COUNTS!r}",
    "tensor": "tensor([[90, 10],\n        [ 5, 95]], device='cuda:0')",
    "JSON": "[[90, 10], [5, 95]]",
    "Matlab": "cm = [90 10; 5 95];",
    "Matlab in lines": "[90, 10\n 5, 95]",
    "Matlab's display": "cm =\n\n    90    10\n     5    95\n",
    "LaTeX": r"\begin{bmatrix} 90 & 10 \\ 5 & 95 \end{bmatrix}",
    "R": "     [,1] [,2]\n[1,]   90   10\n[2,]    5   95",
    "blanks": "90 10\n5 95",
    "CSV": "90,10\n5,95",
}


@pytest.mark.parametrize("text", [*NAMED.values(), *ONE_WORD.values(), *UNNAMED.values()])
def test_a_matrix_in_text_is_the_matrix_that_it_shows(text):
    table, said = warned(ContingencyTable.from_matrix, text)
    names = (text in NAMED.values() and NAMES) or ["0", "1"]
    if "spam" in text and text not in NAMED.values():
        names = ["ham", "spam"]
    if text in UNNAMED.values():
        names = [0, 1]
    assert (list(table.labels), table.to_dense().tolist()) == (names, COUNTS.tolist())
    assert said == ""


def test_dashes_are_0_and_thousands_may_be_separated():
    for text in ("\ta\tb\na\t1 200\t\u2013\nb\t-\t1.200.000", ",a,b\na,1200,\nb,\u2014,1200000"):
        table = ContingencyTable.from_matrix(text)
        assert table.to_dense().tolist() == [[1200, 0], [0, 1200000]]


SWAPPED = {
    "caret": "          Reference\nPrediction ham spam\n      ham   90    5\n      spam  10   95\n",
    "names": ",Actual a,Actual b\nPredicted a,28,5\nPredicted b,19,6\n",
    "corner": "Predicted / Actual,a,b\na,28,5\nb,19,6\n",
}


@pytest.mark.parametrize("name", SWAPPED)
def test_rows_that_are_called_predictions_give_a_warning(name):
    assert (
        "the names suggest the opposite" in warned(ContingencyTable.from_matrix, SWAPPED[name])[1]
    )


COMMANDS = [r"\cellcolor{gray!20} 90", r"\phantom{1}90", r"90~(90\%)", r"{\bf 90}", r"\num{$90$}"]


@pytest.mark.parametrize("cell", COMMANDS)
def test_commands_of_latex_around_a_count_are_left_out(cell):
    table = ContingencyTable.from_matrix(rf"{cell} & 10 \\[2pt] 5 & 95 \\ \bottomrule")
    assert table.to_dense().tolist() == COUNTS.tolist()


REFUSED = {
    r"90\textsuperscript{2} & 10 \\ 5 & 95": "'90 2' is not a count",
    r"90$^{2}$ & 10 \\ 5 & 95": "'90\\^ 2' is not a count",
    r"\multicolumn{2}{c}{90} \\ 5 & 95": "with class names above and on the left or without",
    ",a,b,Total\na,90,10,100\nb,5,95,100\nTotal,95,105,200": "are totals",
    ",a,b,Total\na,90,10,100\nb,5,95,100": "must be square, .* ',ham,spam",
    "a,b\n90,10\n5,95": "with class names above and on the left or without",
    "a,90,10\nb,5,95": "with class names above and on the left or without",
    ",a,a\na,90,10\na,5,95": "'a' is listed twice",
    ",a,b\na,1,2\nc,3,4": r"got \['a', 'b'\] and \['a', 'c'\]",
    ",Model a,Model b\nSystem a,1,2\nSystem b,3,4": "the same names",
    ",a,b\na,90,\nb,nan,95": "'nan' is not a count",
    ",a,b\na,90%,10%\nb,5%,95%": "'90%' is not a count",
    "a\tb\na\t1,234\t5\nb\t6\t7": "1,234 may be 1234 or a decimal: write 1234 or 1,2340",
    "1,234\n5,678": "with class names above and on the left or without",
    "-1 2\n3 4": "must be finite and not negative, got -1",
    "matrix(c(90, 10, 5, 95), nrow = 2)": "with class names above and on the left or without",
    "[[90 ... 10]\n [ 5 ... 95]]": "with class names above and on the left or without",
    "[[[90, 10], [5, 95]]]": "with class names above and on the left or without",
    "10\n5 95": "with class names above and on the left or without",
    "cm.csv": "with class names above and on the left or without",
}


@pytest.mark.parametrize("text", REFUSED)
def test_text_without_a_matrix_is_refused_with_a_remedy(text):
    with pytest.raises(ValueError, match=REFUSED[text]):
        ContingencyTable.from_matrix(text)


def test_side_names_in_each_class_of_a_frame_are_dropped():
    frame = FRAME.add_prefix("Predicted ").rename("Actual {}".format)
    assert ContingencyTable.from_matrix(frame) == ContingencyTable.from_matrix(FRAME)
    text = FRAME.to_csv()
    table = ContingencyTable.from_matrix(text, labels=NAMES[::-1], squared_weights=COUNTS)
    assert table == ContingencyTable.from_matrix(FRAME, labels=NAMES[::-1], squared_weights=COUNTS)


MATRIX = (
    ",negative,neutral,positive\nnegative,353,128,18\nneutral,108,239,116\npositive,34,146,353\n"
)
SIDES = ",Predicted yes,Predicted no\nActual yes,28,5\nActual no,19,6\n"
FILES = {  # and the sums of their rows and columns
    MATRIX: ("positive 533, negative 499, neutral 463", "neutral 513, negative 495, positive 487"),
    SIDES: ("yes 33, no 25", "yes 47, no 11"),
    SIDES.replace(",", ";"): ("yes 33, no 25", "yes 47, no 11"),
    ONE_WORD["R"]: ("ham 100, spam 100", "spam 105, ham 95"),
    ",0,1\n0,90.0,10.0\n1,5.0,95.0\n": ("0 100, 1 100", "1 105, 0 95"),
}


@pytest.mark.parametrize("text", FILES)
@pytest.mark.parametrize("name", ["p.csv", "p.txt"])
def test_a_file_that_is_a_confusion_matrix_is_reported_as_one(text, name, command, tmp_path):
    path = tmp_path / name
    path.write_text(text)
    table = ContingencyTable.from_matrix(text)
    code, output, error = command("report", str(path), "--metric", "informedness")
    assert (code, float(output)) == (0, table.informedness())
    assert f"{path}, a confusion matrix: {table.n_classes} rows\n" in error
    for part, place, labels in zip(["ref", "pred"], ["rows", "columns"], FILES[text], strict=True):
        assert re.search(rf"^{part}\w+ +{place} +{labels}$", error, re.MULTILINE)
    assert f"|n:{table.n_samples}|" in command("report", str(path), "--confidence-level", "0.95")[1]


NO_MATRIX = {  # and what is said instead
    ",a,b\na,0.9,0.1\nb,0.05,0.95\n": "weights. Multiply shares by the total they are shares ",
    ",a,b,All\na,90,10,100\nb,5,95,100\nAll,95,105,200\n": "are totals",
    "90,10\n5,95\n": "must name columns",
    ",a,b\na,9,1\nc,5,9\n": "must name columns",
    ",a,b\na,1,-1\nb,1,1\n": "must name columns",
    "label,a,b\na,9,x\nb,5,9\n": "must name columns",
    ",a,b\na,9,1\n": "must name columns",
    f",{'a' * 150_000},b\na,9,1\n": "must name columns",  # too long for Python's csv
}


@pytest.mark.parametrize("text", NO_MATRIX)
def test_other_tables_are_no_confusion_matrices(text, command, tmp_path):
    (tmp_path / "p.csv").write_text(text)
    code, output, error = command("report", str(tmp_path / "p.csv"), "--metric", "accuracy")
    assert (code, output) == (2, "")
    assert NO_MATRIX[text] in error


def test_a_matrix_refuses_options_for_samples(command, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(MATRIX)
    for option in ("--numeric", "--ignore-case", "--strip", "--drop-null"):
        said = f"`{option}` applies only to samples, and the file is a confusion matrix"
        assert said in command("report", str(path), option)[2]
    assert "`--by` applies only to columns" in command("report", str(path), "--by", "x")[2]
    labels = ["positive", "neutral", "negative"]
    _, output, _ = command("report", str(path), "--labels", *labels, "--format", "json")
    assert [row["label"] for row in json.loads(output)["per_class"]] == labels


REFUSALS = ",ham,spam,none,unsure\nham,80,6,3,1\nspam,2,7,0,1\nnone,0,0,0,0\nunsure,0,0,0,0\n"


@pytest.mark.parametrize("labels", [None, ["spam", "ham"]])
def test_columns_without_references_count_as_wrong(labels, command, tmp_path):
    (tmp_path / "p.csv").write_text(REFUSALS)
    made = ContingencyTable.from_matrix(REFUSALS, labels=labels, unknown="wrong")
    pairs = {"ham": "hhhhhhhh" * 10 + "ssssss" + "xxxx", "spam": "hh" + "sssssss" + "x"}
    answers = {"h": "ham", "s": "spam", "x": None}
    references = [name for name, texts in pairs.items() for _ in texts]
    predictions = [answers[x] for texts in pairs.values() for x in texts]
    options = {"references": references, "predictions": predictions, "unknown": "wrong"}
    wanted = ContingencyTable.from_labels(**options, labels=labels)
    assert (made.informedness(), made.nit()) == (wanted.informedness(), wanted.nit())
    given = ["--unknown", "wrong", "--format", "json", *(["--labels", *labels] if labels else [])]
    code, output, errors = command("report", str(tmp_path / "p.csv"), *given)
    assert (code, errors) == (0, "")
    assert json.loads(output)["nit"] == wanted.nit()
    shown = command("report", str(tmp_path / "p.csv"), *given[:2], *given[4:])[1]
    assert "predictions  columns  ham 82, spam 13, other columns 5" in shown


def test_a_declared_matrix_refuses_columns_that_are_no_class(command, tmp_path):
    (tmp_path / "p.csv").write_text(REFUSALS)
    said = command("report", str(tmp_path / "p.csv"), "--labels", "ham", "spam")[2]
    assert "'none' is missing. Add it, or pass --unknown wrong" in said
    with pytest.raises(ValueError, match=r"'none' is missing\. Add it, or pass unknown="):
        ContingencyTable.from_matrix(REFUSALS, labels=["ham", "spam"])
    with pytest.raises(ValueError, match="`unknown` must be one of"):
        ContingencyTable.from_matrix(REFUSALS, unknown="ignore")


def test_a_matrix_may_have_any_extension_if_its_format_is_named(command, tmp_path):
    path = tmp_path / "p.md"
    path.write_text("| |ham|spam|\n|--|--|--|\n|ham|9|1|\n|spam|0|5|\n")
    code, output, _ = command("report", str(path), "--input-format", "csv", "--metric", "accuracy")
    assert (code, json.loads(output)) == (0, 14 / 15)
