"""The report: the same numbers as the functions, and a sentence that reads them right."""

import csv
import io
import json
import math
import warnings

import pytest

import informedness
from golden import BY_ID
from informedness import ContingencyTable, Report, contingency, report

MAJORITY = ["ham"] * 90 + ["spam"] * 10


def of(matrix, **options):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return Report.from_table(ContingencyTable.from_matrix(matrix, **options))


def test_the_scores_are_those_of_the_functions():
    vector = BY_ID["asym_k4"]
    result = report(*vector.samples())
    table = ContingencyTable.from_labels(*vector.samples())
    for name, value in result.scores.items():
        assert value == getattr(contingency, name)(table)
    assert list(result.scores) == [
        "accuracy",
        "balanced_accuracy",
        "f1_macro",
        "cohen_kappa",
        "matthews_corrcoef",
        "informedness",
        "nit",
        "ema",
    ]
    assert result.class_entropy == pytest.approx(vector.info["H_ref"], abs=1e-12)


def test_the_per_class_rates_are_those_of_the_table():
    (first, second) = of([[20, 10], [180, 1820]], labels=["ill", "well"]).per_class
    assert first == pytest.approx(
        {
            "label": "ill",
            "prevalence": 30 / 2030,
            "bias": 200 / 2030,
            "tpr": 20 / 30,
            "fpr": 180 / 2000,
            "tpr_minus_fpr": 20 / 30 - 180 / 2000,
            "precision": 20 / 200,
        }
    )
    assert second["precision"] == 1820 / 1830


SENTENCES = {
    "always the majority": (
        [[90, 0], [10, 0]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.00: "
        "nothing here is informed.",
    ),
    "perfect": (
        [[90, 0], [0, 10]],
        "Accuracy 1.00, where always answering 'ham' would score 0.90; Informedness 1.00: "
        "every decision is informed.",
    ),
    "good": (
        [[89, 1], [1, 9]],
        "Accuracy 0.98, where always answering 'ham' would score 0.90; Informedness 0.89: "
        "about 89% of the decisions are informed, the rest guessed.",
    ),
    "middling, with the accuracy of the majority": (
        [[85, 5], [5, 5]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.44: "
        "about 44% of the decisions are informed, the rest guessed.",
    ),
    "middling, with less accuracy than the majority": (
        [[60, 30], [1, 9]],
        "Accuracy 0.69, but always answering 'ham' would score 0.90; Informedness 0.57: "
        "about 57% of the decisions are informed, the rest guessed.",
    ),
    "worse than guessing": (
        [[10, 80], [5, 5]],
        "Accuracy 0.15, but always answering 'ham' would score 0.90; Informedness -0.39: "
        "worse than guessing.",
    ),
    "a hair below zero is not -0.00": (
        [[8990, 10], [1000, 0]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.00: "
        "nothing here is informed.",
    ),
    "undefined": (
        [[60, 40], [0, 0]],
        "All references are 'ham': with one class there is nothing to tell apart, so Informedness "
        "is undefined, whatever the accuracy (0.60).",
    ),
    "few samples": (
        [[9, 0], [1, 0]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.00: "
        "nothing here is informed (10 samples are few: take it as a rough figure).",
    ),
}


@pytest.mark.parametrize("name", SENTENCES)
def test_the_sentence_reads_the_result(name):
    matrix, sentence = SENTENCES[name]
    assert of(matrix, labels=["ham", "spam"]).sentence == sentence


def test_the_dictionary_is_json_with_nothing_undefined_left_in_it():
    result = of([[3, 0], [0, 0]], labels=["a", "b"])
    assert math.isnan(result.scores["cohen_kappa"])
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["cohen_kappa"] is None
    assert plain["per_class"][1]["tpr"] is None
    assert plain["informedness"] == 0.0


def test_the_text_shows_every_score_and_class():
    text = str(report(MAJORITY, ["ham"] * 100))
    assert "Informedness            0.0000\n" in text
    assert "spam       0.1000  0.0000  0.0000  0.0000   0.0000  undefined\n" in text
    assert text.endswith("nothing here is informed.")


def test_the_text_of_many_classes_says_how_many_it_leaves_out():
    labels = list(range(60))
    result = report(labels, labels)
    assert "and 10 more classes (JSON and CSV list all)" in str(result)
    assert len(result.to_dict()["per_class"]) == 60


def test_the_csv_has_one_number_a_row():
    rows = list(csv.DictReader(io.StringIO(report(MAJORITY, ["ham"] * 100).to_csv())))
    numbers = {(row["score"], row["class"]): row["value"] for row in rows}
    assert float(numbers["informedness", ""]) == 0
    assert float(numbers["tpr", "ham"]) == 1
    assert numbers["precision", "spam"] == ""
    assert len(numbers) == len(rows) == 12 + 2 * 6


@pytest.mark.parametrize(
    ("label", "shown"),
    [
        ("a|b", r"a\|b"),
        ("<script>", r"&lt;script>"),
        ("[x](y)", r"\[x\](y)"),
        ("*a* _b_", r"\*a\* \_b\_"),
        ("line\nbreak", r"'line\\nbreak'"),
    ],
)
def test_a_label_in_markdown_is_text(label, shown):
    assert f"| {shown} |" in report([label, "z"], [label, "z"]).to_markdown()


@pytest.mark.parametrize(
    ("label", "shown"), [("", "''"), (" a", "' a'"), ("\x1b[31m", r"'\x1b[31m'"), (b"a", "b'a'")]
)
def test_a_label_that_would_not_show_in_text_is_quoted(label, shown):
    other = b"z" if isinstance(label, bytes) else "z"
    assert f"\n{shown} " in str(report([label, other], [label, other]))


def test_weights_show_as_weights():
    result = report([0, 1], [0, 1], sample_weight=[0.5, 2])
    assert "Total weight" in str(result)
    assert (result.to_dict()["n_samples"], result.to_dict()["total_weight"]) == (2, 2.5)


def test_unknown_answers_have_a_row_of_their_own():
    result = report(["a", "b"], ["a", "?"], labels=["a", "b"], unknown="wrong")
    assert "(outside the labels)" in str(result)
    assert result.to_dict()["n_classes"] == 2
    assert result.to_dict()["per_class"][2]["label"] is None


def test_warnings_point_at_the_line_that_asked():
    with pytest.warns(informedness.UndefinedMetricWarning) as caught:
        report(["a", "a"], ["a", "b"])
    assert {warning.filename for warning in caught} == {__file__}
