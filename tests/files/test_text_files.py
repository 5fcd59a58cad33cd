"""Text files of one label per line, and what is said of those that have something else in them.

The files are small, of the form of published ones; right ones of their kind are read.

Covers src: files/joining.py, files/samples.py.
"""

import shlex
import shutil
import warnings
from pathlib import Path

import datasets
import evaluate
import pandas as pd
import pytest

from informedness import informedness_score, report, table_from_frame
from informedness.warnings import LabelsWarning

PUBLISHED = Path(__file__).parents[1] / "inputs" / "published"
SEVERAL = "expected one label in each line, got several cells in"
# the references, the predictions, what is said
LINES = {
    "a tab in one file": ("ham\nspam\nham\n", "ham\t0.9\nspam\t0.8\nspam\t0.7\n", SEVERAL),
    "a tab in both files": ("1\tham\n2\tspam\n", "1\tham\n2\tham\n", SEVERAL),
    "three cells": ("a 0 x\na 0 y\nb 0 x\n", "a 0 x\na 1 y\nb 0 x\n", SEVERAL),
    "keys": ("a x\nb y\nc x\nd x\n", "a x\nb x\nc x\nd x\n", SEVERAL),
    "two words": ("not hate\nis hate\n" * 3, "is hate\nnot hate\n" * 3, ""),
    "three words": ("not at all\nyes of course\n" * 3, "not at all\n" * 6, ""),
    "words of some": (
        "New York\nRome\n" * 3,
        "Rome\nNew York City\n" * 3,
        "labels that are not classes",
    ),
    "four classes": ("a x\nb x\nc x\nd x\n" * 2, "a x\n" * 8, ""),
    "a header": (
        "label\n" + "ham\nspam\n" * 3,
        "label\n" + "ham\n" * 6,
        "only the first line has 'label'",
    ),
    "two headers": (
        "gold\n" + "a\nb\n" * 3,
        "pred\n" + "a\n" * 6,
        "only the first line has 'gold' and 'pred'",
    ),
    "a first label": ("ham\n" + "a\nb\n" * 3 + "ham\n", "ham\n" + "a\n" * 7, ""),
    "a first number": ("7\n" + "0\n1\n" * 3, "7\n" + "0\n" * 6, ""),
    "many classes": ("ham\na\nb\nc\nd\n", "ham\na\nb\nd\nd\n", ""),
    "an empty line": ("ham\nspam\nham\n", "ham\nham\nham\n\n\n", ""),
    "a line too many": ("ham\nspam\nham\n", "ham\nham\nham\n\nspam\n", "3 in r.txt, 5 in p.txt"),
}


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("case", LINES)
def test_lines_are_labels_unless_their_form_says_more(case, command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    references, predictions, said = LINES[case]
    Path("r.txt").write_text(references)
    Path("p.txt").write_text(predictions)
    code, output, errors = command("report", "r.txt", "p.txt", "--metric", "accuracy")
    is_error = "cells" in said or "line too" in case
    assert code == 2 * is_error
    assert said in errors
    assert ("warning" in errors) == (bool(said) and not is_error)
    if not is_error:
        pairs = zip(references.splitlines(), predictions.splitlines(), strict=False)
        right = [true == answer for true, answer in pairs]
        assert float(output) == pytest.approx(sum(right) / len(right), abs=1e-12)


PUBLISHED_LINES = {
    "table_gold.txt table_pred.txt": SEVERAL,
    "qrels_gold.txt qrels_pred.txt": SEVERAL,
    "wsd_gold.key.txt wsd_pred.key.txt": SEVERAL,
    "header_gold.txt header_pred.txt --strict": "only the first line has 'label'. If it is",
    "fasttext_gold.txt fasttext_pred.txt": r"`--extract` '__label__\S+' finds the label",
    "text_and_integers.json -r Label -p preds": "--numeric reads text as integers",
    "joined_end_to_end.csv -r label -p model": "the header occurs 2 times, as in files joined end",
    "joined_end_to_end.csv": "the header occurs 2 times",
}


@pytest.mark.parametrize("line", PUBLISHED_LINES)
def test_what_is_wrong_with_files_of_a_form_is_said(line, command, tmp_path, monkeypatch):
    monkeypatch.chdir(shutil.copytree(PUBLISHED, tmp_path / "files"))
    code, output, errors = command("report", *shlex.split(line), "--metric", "informedness")
    assert (code, output) == (2, "")
    assert PUBLISHED_LINES[line] in errors
    names_options = "the column that identifies samples as `--on`" in errors
    assert names_options == (PUBLISHED_LINES[line] == SEVERAL)


def test_files_of_a_form_are_scored_as_the_messages_say(command, tmp_path, monkeypatch):
    monkeypatch.chdir(shutil.copytree(PUBLISHED, tmp_path / "files"))
    for given, accuracy in (
        (["table_gold.txt", "table_pred.txt", "--on", "id", "-r", "label", "-p", "label"], 5 / 6),
        (["fasttext_gold.txt", "fasttext_pred.txt", "--extract", r"__label__\S+"], 11 / 12),
        (["text_and_integers.json", "-r", "Label", "-p", "preds", "--numeric"], 1 / 2),
    ):
        output = command("report", *given, "--metric", "accuracy")[1]
        assert float(output) == pytest.approx(accuracy, abs=1e-12)


def test_data_frames_in_place_of_columns_name_what_takes_them():
    frame = pd.DataFrame({"label": ["a", "b"], "pred": ["a", "a"]})
    for score in (report, informedness_score):
        with pytest.raises(
            ValueError, match=r"Pass one column, such as 'label', .* to table_from_frame\.$"
        ):
            score(frame, frame)
        with pytest.raises(ValueError, match="argmax"):
            score(frame.to_numpy(), frame.to_numpy())


OWN = [f"text {i}" for i in range(60)]
SAID = "60 of 60 `{}` are different labels, like texts or identifiers"


def module_score(references, predictions, **options):
    metric = evaluate.load(str(Path(__file__).parents[2] / "metrics" / "nit"))
    return metric.compute(references=references, predictions=predictions, **options)


def frame_score(references, predictions, **options):
    frame = pd.DataFrame({"a": references, "b": predictions})
    return table_from_frame(frame, references="a", predictions="b", **options)


@pytest.mark.parametrize(
    ("score", "name"),
    [(informedness_score, "y_true"), (module_score, "references"), (frame_score, "references")],
)
def test_references_that_are_nearly_all_different_are_warned_of(score, name):
    with pytest.warns(LabelsWarning, match=SAID.format(name)):
        score(OWN, OWN)
    with warnings.catch_warnings():  # as right as any
        warnings.simplefilter("error", LabelsWarning)
        score(OWN, OWN, labels=OWN)
        score(OWN[:49], OWN[:49])
        score([*OWN[:50], *OWN[:10]], [*OWN[:50], *OWN[:10]])
        score([*range(60)], [*range(60)])


def test_names_of_a_class_label_are_declared_classes():
    features = datasets.Features({"label": datasets.ClassLabel(names=OWN)})
    column = datasets.Dataset.from_dict({"label": [*range(60)]}, features=features)["label"]
    with warnings.catch_warnings():
        warnings.simplefilter("error", LabelsWarning)
        informedness_score(column, column)


def test_files_of_texts_are_warned_of_and_open_questions_refused(command, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("r.txt").write_text("\n".join(OWN))
    Path("p.txt").write_text("\n".join(OWN))
    assert SAID.format("references") in command("report", "r.txt", "p.txt")[2]
    code, output, errors = command("report", PUBLISHED / "open_questions.json")
    assert (code, output) == (2, "")
    assert "the targets are free text, not classes: 6 different targets in 6" in errors


@pytest.fixture
def book(tmp_path, monkeypatch):
    """Return a function that writes a workbook of these sheets."""
    monkeypatch.chdir(tmp_path)

    def write_book(**sheets):
        with pd.ExcelWriter("p.xlsx") as writer:
            for name, rows in sheets.items():
                pd.DataFrame(rows).to_excel(writer, sheet_name=name, header=False, index=False)

    return write_book


NUMBERS = [[i % 2, i // 2 % 2] for i in range(20)]
GIVEN = "p.xlsx", "-r", "label", "-p", "pred", "--metric", "accuracy"


def test_a_row_below_the_table_of_a_workbook_is_named(book, command):
    rest = "where the rows above have labels such as 0. Delete totals and notes at the end."
    for below, said in (
        (["Total", "ten"], f"`--references`: row 21 of the data has 'Total' {rest}"),
        ([0, 0.55], f"`--predictions`: row 21 of the data has 0.55 {rest}"),
    ):
        book(data=[["label", "pred"], *NUMBERS, below])
        errors = command("report", *GIVEN)[2]
        assert said in errors
        assert "argmax" not in errors
    book(data=[["label", "pred"], *NUMBERS[:10], ["a", "b"], *NUMBERS[10:]])
    assert "where the rows above" not in command("report", *GIVEN)[2]


def test_other_sheets_of_a_workbook_are_named(book, command):
    book(about=[["made", "by", "me"], [1, 2, 3]], data=[["label", "pred"], *NUMBERS])
    assert command("report", *GIVEN)[:2] == (0, "0.5\n")
    errors = command("report", "p.xlsx", "-r", "label", "-p", "preds")[2]
    assert "p.xlsx: sheet 'about' (`--rows` may be 'about', 'data'): `--ref" in errors
    assert "p.xlsx, sheet about (of about, data): 1 row\n" in command("report", "p.xlsx")[1]


def test_columns_of_one_name_in_a_workbook_are_numbered(book, command):
    rows = [[a, b, b] for a, b in NUMBERS]
    book(data=[["label", "pred", "label"], *rows])
    _, output, errors = command("report", *GIVEN)
    assert (output, "To choose one, name it 'label' or 'label.1'" in errors) == ("0.5\n", True)
    given = [x.replace("label", "label.1") for x in GIVEN]
    _, output, errors = command("report", *given)
    assert (output, "several columns" in errors) == ("1.0\n", False)
    book(data=[["label", "pred", "label"], *([a, b, a] for a, b in NUMBERS)])
    assert "several columns" not in command("report", *GIVEN)[2]


ALIKE = [("café", "cafe\u0301"), ("ham", "h\u200bam"), ("non-toxic", "non\u2011toxic")]


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(("label", "other"), ALIKE)
def test_labels_that_look_alike_are_told_apart_in_the_message(label, other, tmp_path, command):
    references, predictions = [label, "no"] * 4, [label, other, "no", "no"] * 2
    with pytest.warns(LabelsWarning) as noted:
        informedness_score(references, predictions)
    said = {f"{x!a} and {y!a} look alike" for x, y in ((label, other), (other, label))}
    assert any(words in str(note.message) for words in said for note in noted)
    path = tmp_path / "p.csv"
    path.write_text("\n".join(["gold,pred", *[f"{label},{other}"] * 3, f"{label}s,{other}s"]))
    errors = command("report", path, "-r", "gold", "-p", "pred")[2]
    assert ascii(other) in errors
    assert "look alike" in errors
