"""Answers that are none of the classes: how many they are, and the scores without them."""

import csv
import io
from fractions import Fraction

import numpy as np
from sklearn.metrics import mutual_info_score

from golden import close
from informedness import report
from informedness.results.report import Report
from tables import table_of_labels, table_of_pairs

OPTIONS = {"labels": ["A", "B"], "unknown": "wrong"}
REFUSAL = "I cannot answer that."

# reference, answer, how many
COUNTS = [
    ("A", "A", 5),
    ("A", "B", 1),
    ("A", REFUSAL, 2),
    ("B", "A", 2),
    ("B", "B", 6),
    ("B", REFUSAL, 3),
    ("B", "C", 1),
]
REFERENCES = [reference for reference, _, n in COUNTS for _ in range(n)]
ANSWERS = [answer for _, answer, n in COUNTS for _ in range(n)]

# Of all, by their answers: J_A = 5/8 - 2/12 and J_B = 6/12 - 1/8 of 7 answers each, 0 of 6.
INFORMEDNESS = Fraction(7, 20) * (
    Fraction(5, 8) - Fraction(2, 12) + Fraction(6, 12) - Fraction(1, 8)
)
# Of the 14 answered: Youden's J of two classes.
WITHOUT = Fraction(5, 6) + Fraction(6, 8) - 1


def line_of(result):
    """Return the line of the text that is about unknown answers."""
    (line,) = [line for line in result.text_lines() if "none of the classes" in line]
    return line


def test_the_scores_without_unknown_answers_are_those_of_the_others():
    result = report(REFERENCES, ANSWERS, **OPTIONS)
    assert result.scores["informedness"] == close(INFORMEDNESS)
    known = [answer in "AB" for answer in ANSWERS]
    pair = np.array(REFERENCES)[known], np.array(ANSWERS)[known]
    unknown = result.unknown
    assert (unknown.n_samples, unknown.share) == (6, 0.3)
    assert unknown.informedness == close(WITHOUT)
    assert unknown.nit == close(np.exp(mutual_info_score(*pair)) / 2)
    assert unknown.answered == table_of_labels(*pair, labels=["A", "B"])


def test_a_line_plain_values_and_csv_say_how_many_and_what_they_cost():
    result = report(REFERENCES, ANSWERS, **OPTIONS)
    line = line_of(result)
    assert line.startswith("6 of 20 answers (30.0%) were none of the classes; on the 14 answered ")
    assert "0.583 rather than 0.292" in line
    assert line_of(result) in str(result)
    plain = result.to_dict()
    rows = {row["score"]: row for row in csv.DictReader(io.StringIO(result.to_csv()))}
    unknown = result.unknown
    for name, value in zip(
        ("n_unknown", "unknown_share", "informedness_without_unknown", "nit_without_unknown"),
        (6, 0.3, unknown.informedness, unknown.nit),
        strict=True,
    ):
        assert plain[name] == value, name
        assert (rows[name]["class"], float(rows[name]["value"])) == ("", value)


def test_nothing_is_added_where_every_answer_is_a_class():
    known = ["A" if answer not in "AB" else answer for answer in ANSWERS]
    for options in ({}, {"labels": ["A", "B"]}, OPTIONS):
        result = report(REFERENCES, known, **options)
        assert result.unknown is None, options
        assert not any("unknown" in name for name in result.to_dict())
        assert "none of the classes" not in str(result)


def test_a_class_whose_samples_all_go_stays_one_of_the_classes():
    pair = list("AABBCC"), list("AABB") + [REFUSAL] * 2
    result = report(*pair, labels=list("ABC"), unknown="wrong")
    assert result.scores["informedness"] == close(2 / 3)
    assert result.unknown.informedness == 1.0
    assert result.unknown.nit == close(2 / 3)  # of three classes, as before


def test_where_too_little_is_left_to_score_it_says_why():
    result = report(["A", "B", "B"], [REFUSAL] * 3, **OPTIONS)
    assert "nothing is left to score without them" in line_of(result)
    plain = result.to_dict()
    assert (plain["n_unknown"], plain["unknown_share"]) == (3, 1.0)
    assert plain["informedness_without_unknown"] is plain["nit_without_unknown"] is None
    result = report(["A", "A", "B"], ["A", "B", REFUSAL], **OPTIONS)
    assert "all references of the 2 answered are 'A'" in line_of(result)
    assert result.to_dict()["informedness_without_unknown"] is None
    assert result.to_dict()["nit_without_unknown"] == 0.5  # 1/k of the two declared


def test_of_weighted_samples_the_share_is_that_of_the_weight():
    weights = [1, 0.5, 2, 0.5]
    result = report(list("AABB"), list("ABB?"), sample_weight=weights, **OPTIONS)
    assert (result.unknown.n_samples, result.unknown.share) == (None, 0.125)
    assert result.to_dict()["n_unknown"] is None
    # recall 1/1.5 of A and 1 of B
    assert result.unknown.informedness == close(2 / 3)
    assert line_of(result).startswith("Answers with 12.5% of the weight were none of the classes")


def test_a_share_is_not_rounded_to_none_or_all():
    for counts, share in (([2999, 1], "(less than 0.1%)"), ([1, 2999], "(more than 99.9%)")):
        table = table_of_pairs(["A", "B"], ["A", "?"], counts, **OPTIONS)
        assert share in line_of(Report.from_table(table))
