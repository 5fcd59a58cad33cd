"""The report: the same numbers as the functions, and a sentence that reads them right."""

import csv
import io
import itertools
import json
import math
import re
import warnings

import pytest

import by_table
import informedness
from golden import BY_ID
from informedness import SCORES as METRICS
from informedness import ContingencyTable, IntervalWarning, Report, estimate, report

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
MAJORITY = ["ham"] * 90 + ["spam"] * 10
FILTER = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8


def of(matrix, **options):
    return Report.from_table(ContingencyTable.from_matrix(matrix, **options))


def test_the_scores_are_those_of_the_functions():
    vector = BY_ID["asym_k4"]
    result = report(*vector.samples())
    table = ContingencyTable.from_labels(*vector.samples())
    for name, value in result.scores.items():
        assert value == getattr(by_table, name)(table)
    assert list(result.scores) == [name for name in METRICS if name != "markedness"]
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
            "f1": 40 / 230,
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
    "worse than guessing": (
        [[10, 80], [5, 5]],
        "Accuracy 0.15, but always answering 'ham' would score 0.90; Informedness -0.39: "
        "worse than guessing.",
    ),
    "a hair below zero is not -0.00": (
        [[8990, 10], [1000, 0]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.00 "
        "(95% interval -0.003 to 0.003): cannot be told from guessing on 10,000 samples.",
    ),
    "chance inside the interval": (
        [[6, 5], [1, 2]],
        "Accuracy 0.57, but always answering 'ham' would score 0.79; Informedness 0.21 "
        "(95% interval -0.58 to 0.82): cannot be told from guessing on 14 samples.",
    ),
    "undefined": (
        [[60, 40], [0, 0]],
        "All references are 'ham': with one class there is nothing to tell apart, so Informedness "
        "is undefined, whatever the accuracy (0.60).",
    ),
    "few samples": (
        [[9, 0], [1, 0]],
        "Accuracy 0.90, but always answering 'ham' would score 0.90 too; Informedness 0.00: "
        "nothing here is informed (10 samples: scores from few samples are imprecise).",
    ),
}


def test_the_sentence_reads_the_result():
    for name, (matrix, sentence) in SENTENCES.items():
        assert of(matrix, labels=["ham", "spam"]).sentence == sentence, name


def test_the_sentence_of_nit_says_how_far_it_is_from_chance_to_the_best():
    for matrix, sentence in (
        (
            [[84, 6], [2, 8]],
            "NIT 0.572: 37% of the way from chance, 0.500, to the best that these class shares "
            "allow, 0.692.",
        ),
        # chance inside the interval
        ([[30, 20], [25, 25]], "cannot be told from guessing on 100 samples; "),
        # chance at its end, and a test that tells more
        (
            [[40, 20], [20, 30]],
            "NIT 0.518: guessing is unlikely, p = 0.005; 4% of the way from chance, 0.500, to the "
            "best that these class shares allow, 0.996.",
        ),
    ):
        assert sentence in of(matrix, labels=["ham", "spam"]).sentence_of("nit")


@pytest.mark.slow
def test_a_share_is_claimed_of_informedness_only_where_chance_lies_outside_the_interval():
    for level, a, b, c, times in itertools.product(
        (None, 0.8, 0.95), (0, 4), (1, 3), (0, 2), (1, 10)
    ):
        matrix = [[times * (a + 1), times * b], [times * c, times]]
        table = ContingencyTable.from_matrix(matrix)
        result = Report.from_table(table, level)
        for name, chance in (("informedness", 0), ("nit", 0.5)):
            made = estimate(table, name, confidence_level=level or 0.95)
            low, high = made.confidence_interval
            inside = low <= chance <= high
            if name == "nit":
                inside = inside and made.independence_p_value >= 1 - made.confidence_level
            said = result.sentence_of(name)
            assert ("cannot be told from guessing" in said) == inside, (matrix, said)
            assert not (inside and "of the decisions are informed" in said)


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
    assert "spam       0.1000  0.0000  0.0000  0.0000   0.0000  undefined  0.0000\n" in text
    assert text.endswith(
        "\n\nNIT 0.500: nothing here is informed; 0% of the way from chance, 0.500, to the best "
        "that these class shares allow, 0.692.\n\nreport|k:2|n:100|labels:observed|v:"
        + informedness.__version__
    )


def test_the_text_of_many_classes_says_how_many_it_leaves_out():
    labels = list(range(60))
    result = report(labels, labels)
    assert "and 10 more (JSON and CSV list all)" in str(result)
    assert len(result.to_dict()["per_class"]) == 60


def test_the_csv_has_one_number_a_row():
    rows = list(csv.DictReader(io.StringIO(report(MAJORITY, ["ham"] * 100).to_csv())))
    numbers = {(row["score"], row["class"]): row["value"] for row in rows}
    assert float(numbers["informedness", ""]) == 0
    assert float(numbers["tpr", "ham"]) == 1
    assert numbers["precision", "spam"] == ""
    assert len(numbers) == len(rows) == 13 + 2 * 7


def test_a_label_in_markdown_is_text():
    for label, shown in (
        ("a|b", r"a\|b"),
        ("<script>", r"&lt;script>"),
        ("[x](y)", r"\[x\](y)"),
        ("*a* _b_", r"\*a\* \_b\_"),
        ("line\nbreak", r"'line\\nbreak'"),
    ):
        assert f"| {shown} |" in report([label, "z"], [label, "z"]).to_markdown()


def test_a_label_that_would_not_show_in_text_is_quoted():
    for label, shown in (("", "''"), (" a", "' a'"), ("\x1b[31m", r"'\x1b[31m'"), (b"a", "b'a'")):
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


# With a confidence level


def test_the_estimates_are_those_of_estimate():
    vector = BY_ID["asym_k4"]
    table = ContingencyTable.from_labels(*vector.samples())
    result = report(*vector.samples(), confidence_level=0.9)
    assert list(result.estimates) == list(result.scores)
    for name, made in result.estimates.items():
        assert made == estimate(table, name, confidence_level=0.9)
        assert result.scores[name] == made.value
    classes = estimate(table, average=None, confidence_level=0.9)
    for row, made in zip(result.per_class, classes, strict=True):
        assert row["tpr_minus_fpr"] == pytest.approx(made.value, abs=1e-12)
        assert row["tpr_minus_fpr_standard_error"] == made.standard_error
        assert row["tpr_minus_fpr_confidence_interval"] == made.confidence_interval


def test_the_numbers_are_the_same_with_a_confidence_level_and_without():
    plain, full = (report(MAJORITY, FILTER, confidence_level=x).to_dict() for x in (None, 0.95))
    for row, wide in zip(plain.pop("per_class"), full["per_class"], strict=True):
        assert row.items() <= wide.items()
    del plain["signature"], plain["sentence"]
    assert plain.items() <= full.items()
    added = {f"{name}_{what}" for name in set(METRICS) - {"markedness"}
             for what in ("standard_error", "confidence_interval")}  # fmt: skip
    common = {"confidence_level", "per_class", "sentence", "signature"}
    assert set(full) - set(plain) == common | added


def test_the_text_shows_error_and_interval_beside_the_value():
    result = report(MAJORITY, FILTER, confidence_level=0.95)
    made = result.estimates["informedness"]
    low, high = made.confidence_interval
    lines = str(result).splitlines()
    shown = f"0.7333  ± {made.standard_error:.4f}  ({low:.4f} to {high:.4f})"
    assert f"Informedness            {shown}" in lines
    assert "F1-macro                0.8106  ± 0.0613  (0.6583 to 0.9259)" in lines
    assert "Confidence level          0.95" in lines
    assert any("TPR-FPR      ± SE        95% interval  precision" in line for line in lines)
    assert f"; Informedness 0.73 ({low:.2f} to {high:.2f}): about 73%" in result.sentence
    markdown = result.to_markdown()
    assert f"| Informedness | 0.7333 | ± {made.standard_error:.4f} | ({low:.4f} to " in markdown
    assert "| F1-macro | 0.8106 | ± 0.0613 | (0.6583 to 0.9259) |" in markdown


def test_the_csv_has_the_ends_of_an_interval_in_rows_of_their_own():
    result = report(MAJORITY, FILTER, confidence_level=0.95)
    rows = list(csv.DictReader(io.StringIO(result.to_csv())))
    numbers = {(row["score"], row["class"]): row["value"] for row in rows}
    assert len(numbers) == len(rows)
    for name, made in result.estimates.items():
        assert float(numbers[f"{name}_standard_error", ""]) == made.standard_error
        ends = [float(numbers[f"{name}_confidence_interval_{end}", ""]) for end in ("low", "high")]
        assert tuple(ends) == made.confidence_interval
    row = result.per_class[1]
    ends = row["tpr_minus_fpr_confidence_interval"]
    assert float(numbers["tpr_minus_fpr_confidence_interval_low", "spam"]) == ends[0]
    assert float(numbers["tpr_minus_fpr_confidence_interval_high", "spam"]) == ends[1]


def test_undefined_intervals_are_none_in_json_and_said_to_be_missing_in_text():
    result = report(["a", "a"], ["a", "b"], confidence_level=0.95)
    plain = result.to_dict()
    assert json.loads(json.dumps(plain, allow_nan=False)) == plain
    assert plain["informedness_standard_error"] is None
    assert plain["informedness_confidence_interval"] is None
    assert plain["accuracy_standard_error"] > 0
    assert plain["per_class"][0]["tpr_minus_fpr_confidence_interval"] is None
    assert "Informedness            0.0000                 (no interval)\n" in str(result)
    assert "informedness_confidence_interval_low,,\n" in result.to_csv()


def test_text_says_why_there_is_no_interval_and_what_to_do():
    references = ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    with pytest.warns(IntervalWarning) as caught:
        observed = report(references, references, confidence_level=0.95)
    why = (
        ": 2 references of the rarest class, where 5 are wanted to know of all classes; about 200 "
        "samples would do, or labels= with all classes"
    )
    assert f"informedness: there is no interval of nit{why}" in [str(w.message) for w in caught]
    error = f"± {observed.estimates['nit'].standard_error:.4f}"
    assert re.search(rf"^NIT .*{error} +\(no interval\)$", str(observed), re.M)
    for text in (str(observed), observed.to_markdown()):
        assert f"\n\nNo interval of NIT{why}.\n\n" in text
        assert "nan" not in text
        assert "undefined" not in text
    assert str(observed.estimates["nit"]).endswith(" (no interval)")
    declared = report(references, references, labels=["a", "b", "c"], confidence_level=0.95)
    assert "o interval" not in str(declared)


def test_every_report_ends_in_its_signature():
    options = {"labels": ["ham", "spam", "scam"], "ignore_index": "scam"}
    table = ContingencyTable.from_labels(MAJORITY, FILTER, **options)
    plain = report(MAJORITY, FILTER, **options)
    assert plain.signature == by_table.signature(table, "report", ignore_index="scam")
    full = report(MAJORITY, FILTER, **options, confidence_level=0.9)
    how = "ci:0.9"
    assert full.signature == by_table.signature(table, "report", ignore_index="scam", interval=how)
    assert "|ignore:'scam'|" in plain.signature
    for result in (plain, full):
        assert str(result).splitlines()[-1] == result.signature
        bare = result.to_markdown().splitlines()[-1].replace("\\", "")
        assert bare == result.signature
        assert result.to_dict()["signature"] == result.signature
        rows = list(csv.DictReader(io.StringIO(result.to_csv())))
        assert [row["value"] for row in rows if row["score"] == "signature"] == [result.signature]


def test_one_warning_covers_all_scores_that_lack_the_same():
    with pytest.warns(IntervalWarning) as caught:
        report(["a", "b", "b"] * 10, ["a", "b", "a"] * 10, confidence_level=0.95)
    messages = [str(warning.message).removeprefix("informedness: ") for warning in caught]
    assert messages == [
        "the intervals of accuracy, balanced_accuracy, f1_macro, cohen_kappa, matthews_corrcoef, "
        "informedness, nit, ema may cover the truth less often than they say: 30 samples, where 50 "
        "are wanted"
    ]
    assert {warning.filename for warning in caught} == {__file__}


def test_an_undefined_score_is_warned_of_once_and_not_also_as_too_short():
    counts = []
    for level in (None, 0.95):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            report(["a", "a"], ["a", "b"], confidence_level=level)
        counts.append(
            sorted(str(one.message) for one in caught if one.category is not IntervalWarning)
        )
    assert counts[0] == counts[1]
    assert len(counts[0]) == 3
    (message,) = [str(one.message) for one in caught if one.category is IntervalWarning]
    assert message.startswith("informedness: the interval of accuracy may cover the truth less")


def test_a_bad_level_is_refused():
    with pytest.raises(ValueError, match=r"`confidence_level` must lie between 0 and 1, .* got 95"):
        report(MAJORITY, FILTER, confidence_level=95)


def test_sums_of_weights_without_their_squares_have_scores_but_no_intervals():
    table = ContingencyTable.from_matrix([[8.5, 1], [1, 9]])
    assert Report.from_table(table).scores["informedness"] > 0
    with pytest.raises(ValueError, match="`table` must know the sums of the squared weights"):
        Report.from_table(table, 0.95)


def test_a_report_leaves_the_filters_of_warnings_alone(monkeypatch):
    """They are those of the process: in threads they would stay changed for good."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        filters = list(warnings.filters)
        monkeypatch.delattr(warnings, "catch_warnings")
        Report.from_table(ContingencyTable.from_matrix([[8, 1, 1], [0, 9, 1], [0, 0, 0]]), 0.95)
        assert warnings.filters == filters
    assert len(caught) == 2


def test_a_label_with_a_carriage_return_is_one_field_of_the_csv():
    labels = ["a\rb", "\r", "a\r\nb", "a\nb", 'a"\r', "plain"]
    text = report(labels, labels).to_csv()
    rows = list(csv.DictReader(io.StringIO(text, newline="")))
    assert [row["class"] for row in rows if row["score"] == "tpr"] == sorted(labels)
    assert "\nprevalence,plain,0" in text
    assert "\r\nscore" not in text
    assert text.endswith("\n")
    assert not text.endswith("\r\n")
