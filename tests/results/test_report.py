"""The report: the same numbers as the functions, and a sentence that reads them right.

Covers src: results/report.py.
"""

import csv
import io
import json
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import numpy as np
import pytest

from informedness import estimate, report
from informedness.warnings import UndefinedMetricWarning, collected
from inputs.tables import table_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
MAJORITY = ["ham"] * 90 + ["spam"] * 10
FILTER = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8


def test_the_rates_of_a_class_are_those_of_the_table():
    """Of which test_properties.py has prevalence, bias, TPR and FPR."""
    first, _ = report(table_of([[20, 10], [180, 1820]], labels=["ill", "well"])).per_class
    found = [first[name] for name in ("label", "support", "tpr_minus_fpr", "precision", "f1")]
    assert found == ["ill", 30, *map(pytest.approx, (20 / 30 - 180 / 2000, 20 / 200, 40 / 230))]


def numbers_of(result):
    """Return the values of a report's CSV by score and class."""
    rows = list(csv.DictReader(io.StringIO(result.to_csv(), newline="")))
    numbers = {(row["score"], row["class"]): row["value"] for row in rows}
    assert len(numbers) == len(rows)
    return numbers


def plain_of(result):
    """Return the plain values of a report, which JSON leaves as they are."""
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    return plain


def test_json_and_csv_hold_every_number_or_none():
    numbers = numbers_of(report(MAJORITY, ["ham"] * 100))

    assert (numbers["informedness", ""], numbers["tpr", "ham"]) == ("0.0", "1.0")
    assert numbers["signature", ""].startswith("report|k:2|n:100|")
    assert (numbers["precision", "spam"], len(numbers)) == ("", 15 + 2 * 8)
    for table, said in (
        (report(MAJORITY, FILTER).table, "N 100, 2 classes"),
        (table_of([[5.5, 1]] * 2), "unknown N, total weight 13"),
    ):
        assert report(table).text_blocks()[0].startswith(said)
    plain = plain_of(report(table_of([[3, 0], [0, 0]], labels=[0, 1])))
    assert (plain["cohen_kappa"], plain["per_class"][1]["tpr"]) == (None, None)
    records = {row["score"]: row["value"] for row in report(MAJORITY, FILTER).records()}
    assert records == {name: plain_of(report(MAJORITY, FILTER))[name] for name in records}
    undefined = report(["a", "a"], ["a", "b"], confidence_level=0.95)
    assert plain_of(undefined)["per_class"][0]["tpr_minus_fpr_confidence_interval"] is None
    assert numbers_of(undefined)["informedness_confidence_interval_low", ""] == ""
    assert undefined.summary_of("nit").endswith("so the model may be guessing.")
    plain = plain_of(report(["a", "b"], ["a", "?"], labels=["a", "b"], unknown="wrong"))
    assert (plain["n_classes"], plain["n_out_of_class"]) == (2, 1)
    assert [row["label"] for row in plain["per_class"]] == ["a", "b"]
    plain = plain_of(report([0, 1], [0, 1], sample_weight=[0.5, 2]))
    assert (plain["n_samples"], plain["total_weight"]) == (2, 2.5)
    many = report(range(60), range(60))
    assert "and 10 more in JSON" in str(many)
    assert len(plain_of(many)["per_class"]) == 60


def test_up_to_eight_classes_show_a_matrix_with_totals():
    """Answers that are no class are its last column before the totals."""
    references, answers = [*range(8)] * 3, [*range(6), -1, 9] * 2 + [*range(8)]
    _, of_classes, (head, *rows) = report(references, answers).text_tables()
    assert head[1:] == [*"01234567", "out of class", "total"]
    cells = np.array([row[1:] for row in rows], dtype=int)
    for own in (cells, cells.T):
        assert (own[-1] == own[:-1].sum(axis=0)).all()
    assert [row[1] for row in of_classes[1:]] == [row[-1] for row in rows[:-1]] == ["3"] * 8
    assert cells[:-1, -2].tolist() == [0] * 6 + [2] * 2
    assert len(report([*references, 8], [*answers, 8]).text_tables()) == 2


def test_labels_are_escaped_in_markdown():
    for label, in_text, in_markdown in (
        ("a|b", "a|b", r"a\|b"),
        ("<script>", "<script>", r"&lt;script>"),
        ("[x](y)", "[x](y)", r"\[x\](y)"),
        (" a", "' a'", "' a'"),
        ("\x1b[31m", r"'\x1b[31m'", r"'\\x1b\[31m'"),
    ):
        result = report([label, "z"], [label, "z"])
        assert f"\n{in_text} " in str(result)
        assert f"| {in_markdown} |" in result.to_markdown()


def test_a_label_with_a_carriage_return_is_one_field_of_the_csv():
    labels = ["a\rb", "\r", "a\r\nb", "a\nb", 'a"\r', "plain"]
    text = report(labels, labels).to_csv()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["class"] for row in rows if row["score"] == "tpr"] == sorted(labels)
    assert "\r\nscore" not in text


def test_a_level_adds_numbers_and_changes_none():
    plain, full = (report(MAJORITY, FILTER, confidence_level=x) for x in (None, 0.95))
    assert [*full.estimates] == [*full.scores] == [*plain.scores]
    numbers, in_json = numbers_of(full), plain_of(full)
    for name, made in full.estimates.items():
        assert made == estimate(full.table, metric=name)
        assert made.value == full.scores[name] == plain.scores[name]
        assert float(numbers[f"{name}_standard_error", ""]) == made.standard_error
        ends = [float(numbers[f"{name}_confidence_interval_{end}", ""]) for end in ("low", "high")]
        assert [*made.confidence_interval] == ends == in_json[f"{name}_confidence_interval"]
    classes = estimate(full.table, average=None)
    for row, wide, made in zip(plain.per_class, full.per_class, classes, strict=True):
        assert row.items() <= wide.items()
        assert wide["tpr_minus_fpr_standard_error"] == made.standard_error
        low, _ = ends = wide["tpr_minus_fpr_confidence_interval"]
        assert tuple(ends) == made.confidence_interval
        assert float(numbers["tpr_minus_fpr_confidence_interval_low", row["label"]]) == low
    of_table, of_classes, *_ = full.text_tables()
    assert of_table[0][1:] == ["value", "± SE", "95% interval", "guessing", "best"]
    assert "TPR-FPR" not in of_classes[0]  # of two classes the Informedness

    wide = report(table_of([[679, 14, 7], [70, 120, 10], [63, 18, 19]]), confidence_level=0.95)
    for row, made in zip(
        wide.text_tables()[1][1:], estimate(wide.table, average=None), strict=True
    ):
        assert made.shown(3)[1] in row
    assert wide.estimates["informedness_prevalence"] == estimate(wide.table, average="prevalence")


def test_threads_collect_only_their_own_warnings():
    inside = Barrier(2, timeout=60)

    def of_constant(label):
        with collected() as notes:
            inside.wait()
            report([label] * 3, [label] * 3)
            inside.wait()
        return [str(note) for note in notes]

    with ThreadPoolExecutor(2) as threads:
        of_a, of_b = threads.map(of_constant, "ab")
    assert "all references are 'a'" in of_a[0]
    assert "all references are 'b'" in of_b[0]
    with pytest.raises(ValueError, match="got 0 samples"), collected():
        report([], [])
    with pytest.warns(UndefinedMetricWarning):
        report([0, 0], [0, 0])


def test_a_missing_score_is_a_key_error():
    result = report(MAJORITY, ["ham"] * 100)
    assert result.get("f1") is None
    with pytest.raises(KeyError, match="markedness"):  # which is no score of a report
        result["markedness"]
    for data in ("p.csv", {"gold": [0, 1]}):
        with pytest.raises(ValueError, match=r"table_from_file"):
            report(data)
