"""The class in generated text, the names of positions, and answers that are none of the classes.

Every format and path gives one table. `TEXTS` are six answers with references A B C A B D, of which
the table is counted by hand: the first match says A B B D, one text has no match, and one names E,
which is no class.
"""

import itertools
import json
import re
from contextlib import nullcontext
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import mutual_info_score

from cli_cases import without_read
from file_cases import SIZES, WRITERS, columns, read_columns, table_of
from golden import close
from informedness import compare, leaderboard, report
from informedness.inputs.text_labels import extracted
from informedness.results.report import Report
from informedness.warnings import InformednessWarning
from tables import table_of_labels

CHOICES = ["A", "B", "C", "D"]
GOLD = [0, 1, 2, 0, 1, 3]
TEXTS = [
    "The answer is A. Not that the answer is C.",
    "So\nthe answer is B",
    "The answer is B.",
    "I cannot answer that.",
    "The answer is E.",
    "the answer is D, I think",
]
PATTERN = r"(?i)answer is ([A-Z])"
FIRST = ["A", "B", "B", None, "E", "D"]


def counted(references, answers):
    """Return the table of answers, of which None and what is no choice are wrong."""
    says = [answer or "nothing" for answer in answers]
    return table_of_labels(references, says, labels=CHOICES, unknown="wrong")


OPTIONS = {"extract": PATTERN, "choices": CHOICES, "unknown": "wrong"}
EXPECTED = counted([CHOICES[x] for x in GOLD], FIRST)


def write(path, gold, model):
    WRITERS[path.name](columns(gold, model), path)
    return path


def tables_of(path, **options):
    """Return the table of a file, that of its columns read whole being the same."""
    table = table_of(path, **options)
    read, task, _ = read_columns(path, **options)
    how = {"labels": task.classes, "ignore_index": task.ignored, "unknown": task.unknown}
    assert table == table_of_labels(*read.values(), **how)
    return table


@pytest.mark.parametrize("size", ["as it is", "in pieces"])
def test_every_format_gives_the_table_of_its_answers(size, monkeypatch, tmp_path):
    for setting in SIZES[size]:
        monkeypatch.setattr(*setting)
    for name in WRITERS:
        path = write(tmp_path / name, GOLD * 10, TEXTS * 10)
        table = tables_of(path, **OPTIONS, numeric=name.endswith(("csv", "tsv")))
        assert table == sum([EXPECTED] * 9, start=EXPECTED), name
        assert table.labels == (*CHOICES, None)
    # rows A B C D, columns A B C D and the two answers that are none
    assert EXPECTED.to_dense().tolist()[:4] == [
        [1, 0, 0, 0, 1],
        [0, 1, 0, 0, 1],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0],
    ]


def test_the_first_group_of_the_first_match_is_the_answer(tmp_path):
    texts = [*TEXTS[:5], "the answer is D"]
    path = write(tmp_path / "p.jsonl", [CHOICES[x] for x in GOLD], texts)
    for pattern, answers in (
        (PATTERN, FIRST),
        ("(?is).*answer is ([A-Z])", ["C", *FIRST[1:]]),  # the last match
        (re.compile("answer is ([A-Z])", re.IGNORECASE), FIRST),
        ("(?i)answer is (?:(A)|[A-Z])", ["A", None, None, None, None, None]),  # a group left out
    ):
        assert extracted(texts, re.compile(pattern)) == answers
        table = tables_of(path, extract=pattern, labels=CHOICES, unknown="wrong")
        assert table == counted([CHOICES[x] for x in GOLD], answers)


def test_references_are_left_as_they_are(tmp_path):
    path = write(tmp_path / "p.jsonl", ["is A", "is B"], ["it is A", "so it is B"])
    assert tables_of(path, extract="is .").labels == ("is A", "is B")
    with pytest.warns(InformednessWarning, match="none in common"):
        assert tables_of(path, extract="is (.)").labels == ("A", "B", "is A", "is B")
    path = write(tmp_path / "p.jsonl", ["A", "B"], [7, 8])
    with pytest.raises(ValueError, match="`extract` needs text, got 7 in `predictions`"):
        table_of(path, extract="A")


def test_integers_can_be_taken_out_of_text(tmp_path):
    path = write(tmp_path / "p.csv", ["01", "2", "2"], ["so 1.", "It is 2", "none"])
    with pytest.raises(ValueError, match="found none in 'none' of `predictions`"):
        tables_of(path, extract=r"\d+", numeric=True)
    for labels in ([1, 2], ["1", "2"], [0, 1, 2]):
        table = tables_of(path, extract=r"\d+", numeric=True, labels=labels, unknown="wrong")
        given = {"labels": [*map(int, labels)], "unknown": "wrong"}
        assert table == table_of_labels([1, 2, 2], [1, 2, 99], **given)


def test_what_cannot_be_meant_is_refused(tmp_path):
    path = write(tmp_path / "p.jsonl", [CHOICES[x] for x in GOLD], TEXTS)
    for options, message in (
        (
            {"extract": "(a"},
            r"`extract` must be a regular expression of text, got '\(a': .* position 0",
        ),
        ({"extract": b"a"}, "`extract` must be a regular expression of text, got b'a'"),
        ({"extract": PATTERN}, "found none in 'I cannot answer that.' of `predictions`: pass unk"),
        ({"extract": PATTERN, "unknown": "wrong"}, "only with `labels`"),
        ({"choices": CHOICES, "labels": CHOICES}, "`choices` are the classes of the task: give"),
        ({"choices": "ABCD"}, "`choices` must be a sequence of labels"),
        ({"choices": [1, 2]}, r"`choices` must hold text, the name of each position, got \[1, 2\]"),
        ({"choices": ["A", "A"]}, "`choices` must list each class once, 'A' is listed twice"),
        ({"choices": ["A", "1"], "numeric": True}, "`choices` must not hold integers .* got '1'"),
    ):
        with pytest.raises(ValueError, match=message):
            table_of(path, **options)


def test_positions_and_names_of_choices_are_one_and_keep_their_order(tmp_path):
    expected = table_of_labels(["A", "B", "D"], ["A", "C", "D"], labels=CHOICES)
    for name, gold, model in itertools.product(
        WRITERS, ([0, 1, 3], ["A", "B", "D"]), ([0, 2, 3], ["A", "C", "D"])
    ):
        path = write(tmp_path / name, gold, model)
        numeric = name.endswith(("csv", "tsv"))
        assert tables_of(path, choices=CHOICES, numeric=numeric) == expected, (path, gold, model)
    path = write(tmp_path / "p.jsonl", [0, 1], [0, 0])
    assert tables_of(path, choices=["yes", "maybe", "no"]).labels == ("yes", "maybe", "no")


def test_what_is_no_choice_is_refused_by_name_or_a_wrong_answer_on_request(tmp_path):
    for gold, model, message in (
        ([0, 4], [0, 0], "`references` .* their positions from 0 to 3, got 4$"),
        ([0, -1], [0, 0], "`references` .* their positions from 0 to 3, got -1$"),
        ([0, 1], ["A", "a"], "`choices` must list every prediction, 'a' is missing: .*unknown=\"w"),
        (["0", "1"], [0, 1], "got '0': numeric=True .* such text as a position"),
    ):
        with pytest.raises(ValueError, match=message):
            table_of(write(tmp_path / "p.jsonl", gold, model), choices=CHOICES)
    for model in ([0, 4, -1, 1], ["A", "E", "0", "B"]):
        path = write(tmp_path / "p.jsonl", [0, 1, 2, 1], model)
        table = tables_of(path, choices=CHOICES, unknown="wrong")
        assert table == counted(["A", "B", "C", "B"], ["A", None, None, "B"])
        path = write(tmp_path / "p.jsonl", model, [0, 1, 2, 1])
        with pytest.raises(ValueError, match=r"`references` must hold names|every reference"):
            table_of(path, choices=CHOICES, unknown="wrong")


def test_a_reference_is_ignored_by_its_name_whether_it_is_a_choice_or_not(tmp_path):
    expected = table_of_labels(["A", "B"], ["A", "A"], labels=CHOICES)
    for gold, ignore_index in (
        ([0, -100, 1], -100),
        ([0, -100, 1], "-100"),
        (["A", "x", "B"], "x"),
        ([0, 2, 1], "C"),
        (["A", "C", "B"], "C"),
    ):
        path = write(tmp_path / "p.jsonl", gold, [0, 1, 0])
        assert tables_of(path, choices=CHOICES, ignore_index=ignore_index) == expected, gold


# On the command line, with nested columns

ROWS = [
    {"doc": {"gold": gold, "id": i}, "a": {"text": text}, "b": ["x", "the answer is B"]}
    for i, (gold, text) in enumerate(zip(GOLD * 20, TEXTS * 20, strict=True))
]
GOLD_NAMES = [CHOICES[x] for x in GOLD] * 20
SAYS_A = ["A", "B", "B", "?", "?", "D"] * 20  # "?" is no class
SAYS_B = ["B"] * 120


def test_the_commands_score_answers(command, tmp_path):
    path, other = tmp_path / "p.jsonl", tmp_path / "q.jsonl"
    for file, rows in ((path, ROWS), (other, ROWS[::-1])):
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows))
    how = ["-r", "doc.gold", "--extract", PATTERN, "--unknown", "wrong", "--choices", *CHOICES]
    one = Report.from_table(sum([EXPECTED] * 19, start=EXPECTED))
    code, output, told = command("report", path, "-p", "a.text", *how)
    assert (code, without_read(output), told) == (0, f"{one}\n", "")
    read = (
        "B 40, A 20, D 20; E 20, no label 20 (none of the classes, so wrong); an answer extracted"
    )
    assert f"{read} from 100 of 120\n" in output
    declared = {"labels": CHOICES, "unknown": "wrong"}
    both = leaderboard(GOLD_NAMES, {"a.text": SAYS_A, "b.1": SAYS_B}, **declared)
    assert without_read(command("report", path, "-p", "a.text", "b.1", *how)[1]) == f"{both}\n"
    expected = compare(GOLD_NAMES, SAYS_A, SAYS_B, **declared).to_dict()
    for files in ([path], [path, other, "--on", "doc.id"]):
        given = ["-p", "a.text", "b.1", *how, "--format", "json"]
        code, output, _ = command("compare", *files, *given)
        found = json.loads(output)
        assert len(found.pop("read")) == 1
        assert (code, found) == (0, json.loads(json.dumps(expected)))


# Answers that are none of the classes: how many they are, and the scores without them

AB_OR_WRONG = {"labels": ["A", "B"], "unknown": "wrong"}
TIMES = {"AA": 5, "AB": 1, "A?": 2, "BA": 2, "BB": 6, "B?": 3, "BC": 1}  # reference, answer
REFERENCES, ANSWERS = ([pair[i] for pair, n in TIMES.items() for _ in range(n)] for i in (0, 1))


def line_of(result):
    """Return the line of the text that is about unknown answers."""
    (line,) = [line for line in result.text_lines() if "none of the classes" in line]
    assert line in str(result)
    return line


def test_the_scores_without_unknown_answers_are_those_of_the_others():
    result = report(REFERENCES, ANSWERS, **AB_OR_WRONG)
    unknown, plain = result.unknown, result.to_dict()
    known = list("A" * 6 + "B" * 8), list("AAAAAB" + "AABBBBBB")
    assert unknown.informedness == close(Fraction(5, 6) + Fraction(6, 8) - 1)  # Youden's J
    assert unknown.nit == close(np.exp(mutual_info_score(*known)) / 2)
    # of all J_A = 5/8 - 2/12 and J_B = 6/12 - 1/8 of 7 answers each, 0 of 6
    of_all = Fraction(7, 20) * (Fraction(5, 8) - Fraction(2, 12) + Fraction(3, 8))
    assert result.scores["informedness"] == close(of_all)
    line = line_of(result)
    assert line.startswith("30.0% of the answers (6) were none of the classes; without them ")
    assert "0.583 rather than 0.292" in line
    names = "n_unknown", "unknown_share", "informedness_without_unknown", "nit_without_unknown"
    assert [plain[x] for x in names] == [6, 0.3, unknown.informedness, unknown.nit]
    assert all(f"{name},," in result.to_csv() for name in names)


def test_nothing_is_added_where_every_answer_is_a_class():
    known = ["A" if answer not in "AB" else answer for answer in ANSWERS]
    for options in ({}, {"labels": ["A", "B"]}, AB_OR_WRONG):
        result = report(REFERENCES, known, **options)
        assert result.unknown is None, options
        assert not any("unknown" in name for name in result.to_dict())
        assert "none of the classes" not in str(result)


def test_where_little_is_left_the_classes_stay_and_what_is_undefined_is_none():
    for references, answers, share, informedness, nit in (
        ("AABBCC", "AABB??", 1 / 3, 1, 2 / 3),  # of three classes, as before
        ("AAB", "AB?", 1 / 3, None, 0.5),  # 1/k of the two declared
        ("ABB", "???", 1, None, None),
    ):
        labels = sorted({*references})
        with pytest.warns(InformednessWarning) if share == 1 else nullcontext():
            result = report([*references], [*answers], labels=labels, unknown="wrong")
        assert ("would be undefined rather than" in line_of(result)) == (informedness is None)
        plain = result.to_dict()
        assert (plain["n_unknown"], plain["unknown_share"]) == (answers.count("?"), close(share))
        found = plain["informedness_without_unknown"], plain["nit_without_unknown"]
        assert found == tuple(x if x is None else close(x) for x in (informedness, nit))


def test_of_weighted_samples_the_share_is_that_of_the_weight():
    weights = [1, 0.5, 2, 0.5]
    result = report(list("AABB"), list("ABB?"), sample_weight=weights, **AB_OR_WRONG)
    assert (result.unknown.n_samples, result.unknown.share) == (None, 0.125)
    assert result.to_dict()["n_unknown"] is None
    assert result.unknown.informedness == close(2 / 3)  # recall 1/1.5 of A and 1 of B
    assert line_of(result).startswith("12.5% of the answers (by weight) were none of the classes")
