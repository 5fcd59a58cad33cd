"""The class in generated text, the names of positions, and answers that are none of the classes.

Covers src: tables/label_warnings.py, tables/label_options.py.
"""

import itertools
import re
from fractions import Fraction

import numpy as np
import pytest
from sklearn.metrics import accuracy_score, mutual_info_score

from informedness import nit_score, report
from inputs.file_cases import SIZES, WRITERS, columns, read_columns, table_of
from inputs.tables import table_of_labels
from oracles.golden import close

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py

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
GOLD_NAMES = [CHOICES[x] for x in GOLD]
OPTIONS = {"extract": PATTERN, "choices": CHOICES, "unknown": "wrong"}
WRONG = {"labels": CHOICES, "unknown": "wrong"}


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
@pytest.mark.parametrize("name", WRITERS)
def test_every_format_gives_the_table_of_its_answers(name, size, monkeypatch, tmp_path):
    for setting in SIZES[size]:
        monkeypatch.setattr(*setting)
    numeric, path = name.endswith(("csv", "tsv")), tmp_path / name
    table = tables_of(write(path, GOLD * 10, TEXTS * 10), **OPTIONS, numeric=numeric)
    # rows A B C D, columns A B C D and the two answers that are none: no match, and E
    by_hand = [1, 0, 0, 0, 1], [0, 1, 0, 0, 1], [0, 1, 0, 0, 0], [0, 0, 0, 1, 0], [0] * 5
    assert (table.to_dense() == np.multiply(by_hand, 10)).all()
    assert table.labels == (*CHOICES, None)
    expected = table_of_labels(["A", "B", "D"], ["A", "C", "D"], labels=CHOICES)
    for gold, model in itertools.product(([0, 1, 3], [*"ABD"]), ([0, 2, 3], [*"ACD"])):
        write(path, gold, model)
        assert tables_of(path, choices=CHOICES, numeric=numeric) == expected, (gold, model)


ASKED, FOUND = (GOLD_NAMES, TEXTS), (GOLD_NAMES, [*TEXTS[:5], "the answer is D"])
ONLY_A = ["A", *[None] * 5]  # a group that takes part in one match
FIRST_AND_LAST = ["A", "B"], ["A", "A"], CHOICES  # of three samples
A_TO_C, OF_CHOICES, OR_WRONG = [0, 1, 2, 1], {"choices": CHOICES}, OPTIONS | {"extract": None}
NUMBERED = ["01", "2", "2"], ["so 1.", "It is 2", "none"]
DIGITS = {"extract": r"\d+", "numeric": True}
SPELT, FOLDED = (["Yes", "no", "no"], ["yes ", " No", "YES"]), {"ignore_case": True, "strip": True}
NAMED = ["YES", "No"]
NO_POSITION = "`references` .* their positions from 0 to 3, got"
# References and predictions as they stand there, options, and what they are or the message
CASES = [
    # the first group of the first match is the answer
    (*FOUND, WRONG | {"extract": PATTERN}, (GOLD_NAMES, FIRST, CHOICES)),
    (*FOUND, WRONG | {"extract": re.compile("is ([A-Z])", re.I)}, (GOLD_NAMES, FIRST, CHOICES)),
    (*FOUND, WRONG | {"extract": "(?i)answer is (?:(A)|[A-Z])"}, (GOLD_NAMES, ONLY_A, CHOICES)),
    # references are left as they are
    (["is A"], ["it is A"], {"extract": "is ."}, (["is A"], ["is A"], None)),
    (["is A"], ["it is A"], {"extract": "is (.)"}, (["is A"], ["A"], None)),
    (["A", "B"], [7, 8], {"extract": "A"}, "`extract` needs text, got 7 in `predictions`"),
    # integers taken out of text
    (*NUMBERED, DIGITS, "found no answer in 'none' of `predictions`"),
    *(
        (*NUMBERED, DIGITS | WRONG | {"labels": x}, ([1, 2, 2], [1, 2, None], [*map(int, x)]))
        for x in ([1, 2], ["1", "2"])
    ),
    # case and blanks are ignored where asked for
    (*SPELT, FOLDED, (["yes", "no", "no"], ["yes", "no", "yes"], None)),
    (*SPELT, FOLDED | {"labels": NAMED}, (["YES", "No", "No"], ["YES", "No", "YES"], NAMED)),
    (
        *SPELT,
        FOLDED | {"labels": ["no", "No"]},
        "`labels` must be distinct, also without the case and whitespace",
    ),
    (
        ["1", "x"],
        ["1", "2"],
        DIGITS | WRONG | {"labels": [1, 2]},
        "`references` must hold int.*'x'",
    ),
    # what cannot be meant
    (*ASKED, {"extract": "(a"}, r"`extract` must be a regular expression .*'\(a': .* position 0"),
    (*ASKED, {"extract": b"a"}, "`extract` must be a regular expression of text, got b'a'"),
    (
        *ASKED,
        {"extract": PATTERN},
        "found no answer in 'I cannot answer that.' of `predictions`. Pass",
    ),
    (*ASKED, OF_CHOICES | WRONG, "`choices` lists the classes of the task. Leave"),
    (*ASKED, {"choices": "ABCD"}, "`choices` must be a sequence of labels"),
    (*ASKED, {"choices": [1, 2]}, r"`choices` must hold text, the name of each .* \[1, 2\]"),
    (*ASKED, {"choices": ["A", "A"]}, "`choices` must be distinct, also without"),
    (*ASKED, {"choices": ["A", "1"], "numeric": True}, "`choices` must not hold integers .*'1'"),
    # choices keep their order; what is none of them is refused by name, or wrong on request
    ([0, 1], [0, 0], {"choices": ["y", "m", "n"]}, (["y", "m"], ["y", "y"], ["y", "m", "n"])),
    ([0, 4], [0, 0], OF_CHOICES, f"{NO_POSITION} 4$"),
    ([0, 1], [0, -1], OF_CHOICES, "`predictions` must hold names .* got -1$"),
    ([0, 1], ["A", "a"], OF_CHOICES, "`choices` must list every prediction; 'a' is .*unknown=\"w"),
    (["0", "1"], [0, 1], OF_CHOICES, "got '0'. numeric=True .* such text as a position"),
    (A_TO_C, [0, 4, -1, 1], OR_WRONG, (["A", "B", "C", "B"], ["A", None, None, "B"], CHOICES)),
    ([0, 4, -1, 1], A_TO_C, OR_WRONG, "`references` must hold names"),
    ([*"AE0B"], A_TO_C, OR_WRONG, "`references` must hold names|every reference"),
    # a reference is ignored by its name whether it is a choice or not
    ([0, -100, 1], [0, 1, 0], OF_CHOICES | {"ignore_index": "-100"}, FIRST_AND_LAST),
    (["A", "x", "B"], [0, 1, 0], OF_CHOICES | {"ignore_index": "x"}, FIRST_AND_LAST),
    ([0, 2, 1], [0, 1, 0], OF_CHOICES | {"ignore_index": "C"}, FIRST_AND_LAST),
    (["A", "C", "B"], [0, 1, 0], OF_CHOICES | {"ignore_index": "C"}, FIRST_AND_LAST),
]


@pytest.mark.parametrize(("gold", "model", "options", "expected"), CASES)
def test_answers_are_found_as_the_options_say_or_refused(gold, model, options, expected, tmp_path):
    path = write(tmp_path / "p.jsonl", gold, model)
    if isinstance(expected, str):
        with pytest.raises(ValueError, match=expected):
            table_of(path, **options)
    else:
        *sides, labels = expected
        unknown = options.get("unknown", "error")
        assert tables_of(path, **options) == table_of_labels(*sides, labels=labels, unknown=unknown)


# Predictions out of class: how many they are, and the scores without them

KNOWN = "A" * 6 + "B" * 8, "AAAAAB" + "AABBBBBB"
YOUDEN, NIT = Fraction(5, 6) + Fraction(6, 8) - 1, np.exp(mutual_info_score(*map(list, KNOWN))) / 2
MANY = KNOWN[0] + "AABBBB", KNOWN[1] + "??????"
WEIGHTED = {"sample_weight": [1, 0.5, 2, 0.5]}
OF_WEIGHT = nit_score([*"AAB"], [*"ABB"], sample_weight=[1, 0.5, 2])
AS_A_SHARE = "30.0% of predictions (6) are out of class and count as wrong; without them: "
UNDEFINED = "out of class and count as wrong."
UNKNOWN = [  # with their number and share, the scores without them, and what is said
    (*MANY, {}, (6, 0.3, YOUDEN, NIT), f"{AS_A_SHARE}Informedness 0.583, NIT "),
    (
        "AABBCC",
        "AABB??",
        {},
        (2, 1 / 3, 1, 2 / 3),
        "them: Informedness (prevalence) 1.000, NIT",
    ),  # of three classes, as before
    ("AAB", "AB?", {}, (1, 1 / 3, None, 0.5), UNDEFINED),  # 1/k of the two declared
    ("ABB", "???", {}, (3, 1, None, None), UNDEFINED),
    # recall 1/1.5 of A and 1 of B
    (
        "AABB",
        "ABB?",
        WEIGHTED,
        (None, 0.125, 2 / 3, OF_WEIGHT),
        "12.5% of predictions are out of class",
    ),
]


@pytest.mark.parametrize(("references", "answers", "weights", "expected", "said"), UNKNOWN)
def test_scores_without_out_of_class_are_of_the_others(
    references, answers, weights, expected, said
):
    labels = sorted({*references})
    result = report([*references], [*answers], labels=labels, unknown="wrong", **weights)
    plain = result.to_dict()
    names = "n_out_of_class", "out_of_class_share", "informedness_in_class", "nit_in_class"
    assert [plain[x] for x in names] == [x if x is None else close(x) for x in expected]
    kept = [i for i, answer in enumerate(answers) if answer in labels]
    wanted = None
    if kept:
        sides = ([side[i] for i in kept] for side in (references, answers))
        weight = weights.get("sample_weight", [1] * len(answers))
        wanted = close(accuracy_score(*sides, sample_weight=[weight[i] for i in kept]))
    assert plain["accuracy_in_class"] == wanted
    assert all(f"{name},," in result.to_csv() for name in names)
    (note,) = [note for note in result.notes if "out of class" in note]
    assert said in note
    assert ", Accuracy " in note or said == UNDEFINED or len(labels) == 1
    assert note in str(result)


def test_nothing_is_added_where_every_answer_is_a_class():
    result = report(*map(list, KNOWN), labels=["A", "B"], unknown="wrong")
    assert not any("unknown" in name for name in result.to_dict())
    assert "out of class" not in str(result)
