"""The class in generated text, and the names of positions: every format and path gives one table.

`TEXTS` are six answers with references A B C A B D, of which the table is counted by hand: the
first match says A B B D, one text has no match, and one names E, which is no class.
"""

import json
import re

import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import COLUMNS, SIZES, WRITERS, columns, table_of
from informedness import ContingencyTable, compare, leaderboard, table_from_file
from informedness.inputs import readers
from informedness.inputs.answered import extracted, label_options
from informedness.inputs.samples import read_columns
from informedness.results.report import Report

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
LAST = ["C", "B", "B", None, "E", "D"]


def counted(references, answers):
    """Return the table of answers, of which None and what is no choice are wrong."""
    says = [answer or "nothing" for answer in answers]
    return ContingencyTable.from_labels(references, says, labels=CHOICES, unknown="wrong")


EXPECTED = counted([CHOICES[x] for x in GOLD], FIRST)


def write(path, gold, model):
    WRITERS[path.name](columns(gold, model), path)
    return path


def tables_of(path, **options):
    """Return the table of a file, that of its columns read whole being the same."""
    table = table_of(path, **options)
    how = label_options(**options)
    read = read_columns(path, COLUMNS, options=how)
    is_integer = read["references"].kind == "integers"
    assert table == ContingencyTable.from_labels(
        read["references"],
        read["predictions"],
        labels=how.classes(is_integer),
        ignore_index=how.ignored(is_integer),
        unknown=how.unknown,
    )
    return table


@pytest.mark.parametrize("size", ["as it is", "in pieces"])
def test_every_format_gives_the_table_of_its_answers(size, monkeypatch, tmp_path):
    for setting, value in SIZES[size].items():
        monkeypatch.setattr(readers, setting, value)
    options = {"extract": PATTERN, "choices": CHOICES, "unknown": "wrong"}
    for name in WRITERS:
        path = write(tmp_path / name, GOLD * 10, TEXTS * 10)
        table = tables_of(path, **options, numeric=name.endswith(("csv", "tsv")))
        assert table == sum([EXPECTED] * 9, start=EXPECTED), name
        assert table.labels == (*CHOICES, None)
    # rows A B C D, columns A B C D and the two answers that are none
    assert EXPECTED.to_dense().tolist()[:4] == [
        [1, 0, 0, 0, 1],
        [0, 1, 0, 0, 1],
        [0, 1, 0, 0, 0],
        [0, 0, 0, 1, 0],
    ]


@pytest.mark.parametrize(
    ("pattern", "answers"),
    [
        (PATTERN, FIRST),
        ("(?is).*answer is ([A-Z])", LAST),
        (re.compile("answer is ([A-Z])", re.IGNORECASE), FIRST),
        ("(?i)answer is (?:(A)|[A-Z])", ["A", None, None, None, None, None]),  # a group left out
    ],
)
def test_the_first_group_of_the_first_match_is_the_answer(pattern, answers, tmp_path):
    texts = [*TEXTS[:5], "the answer is D"]
    assert extracted(texts, re.compile(pattern)) == answers
    path = write(tmp_path / "p.jsonl", [CHOICES[x] for x in GOLD], texts)
    table = tables_of(path, extract=pattern, labels=CHOICES, unknown="wrong")
    assert table == counted([CHOICES[x] for x in GOLD], answers)


def test_references_are_left_as_they_are(tmp_path):
    path = write(tmp_path / "p.jsonl", ["is A", "is B"], ["it is A", "so it is B"])
    assert tables_of(path, extract="is .").labels == ("is A", "is B")
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
        classes = [*map(int, labels)]
        expected = ContingencyTable.from_labels(
            [1, 2, 2], [1, 2, 99], labels=classes, unknown="wrong"
        )
        assert table == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"extract": "(a"}, r"`extract` must be a regular expression, got '\(a': .* at position 0"),
        ({"extract": b"a"}, "`extract` must be a regular expression of text, got b'a'"),
        ({"extract": PATTERN}, "found none in 'I cannot answer that.' of `predictions`: pass unk"),
        ({"extract": PATTERN, "unknown": "wrong"}, "only with `labels`"),
        ({"choices": CHOICES, "labels": CHOICES}, "`choices` are the classes of the task: give"),
        ({"choices": "ABCD"}, "`choices` must be a sequence of labels"),
        ({"choices": [1, 2]}, r"`choices` must hold text, the name of each position, got \[1, 2\]"),
        ({"choices": ["A", "A"]}, "`choices` must list each class once, 'A' is listed twice"),
        ({"choices": ["A", "1"], "numeric": True}, "`choices` must not hold integers .* got '1'"),
    ],
)
def test_what_cannot_be_meant_is_refused(options, message, tmp_path):
    path = write(tmp_path / "p.jsonl", [CHOICES[x] for x in GOLD], TEXTS)
    with pytest.raises(ValueError, match=message):
        table_of(path, **options)


def test_positions_and_names_of_choices_are_one_and_keep_their_order(tmp_path):
    expected = ContingencyTable.from_labels(["A", "B", "D"], ["A", "C", "D"], labels=CHOICES)
    for name in WRITERS:
        numeric = name.endswith(("csv", "tsv"))
        for sides in (
            ([0, 1, 3], ["A", "C", "D"]),
            (["A", "B", "D"], [0, 2, 3]),
            ([0, 1, 3], [0, 2, 3]),
            (["A", "B", "D"], ["A", "C", "D"]),
        ):
            path = write(tmp_path / name, *sides)
            assert tables_of(path, choices=CHOICES, numeric=numeric) == expected, (name, sides)
    path = write(tmp_path / "p.jsonl", [0, 1], [0, 0])
    assert tables_of(path, choices=["yes", "maybe", "no"]).labels == ("yes", "maybe", "no")


@pytest.mark.parametrize(
    ("gold", "model", "message"),
    [
        ([0, 4], [0, 0], "every reference or its position from 0 to 3, got 4$"),
        ([0, -1], [0, 0], "every reference or its position from 0 to 3, got -1$"),
        ([0, 1], ["A", "a"], "every prediction .*, got 'a': pass unknown=\"wrong\""),
        (["0", "1"], [0, 1], "got '0': numeric=True .* reads such text as a position"),
    ],
)
def test_what_is_no_choice_is_refused_by_name(gold, model, message, tmp_path):
    path = write(tmp_path / "p.jsonl", gold, model)
    with pytest.raises(ValueError, match=message):
        table_of(path, choices=CHOICES)


def test_predictions_that_are_no_choice_can_be_wrong_answers_and_references_cannot(tmp_path):
    for model in ([0, 4, -1, 1], ["A", "E", "0", "B"]):
        path = write(tmp_path / "p.jsonl", [0, 1, 2, 1], model)
        table = tables_of(path, choices=CHOICES, unknown="wrong")
        assert table == counted(["A", "B", "C", "B"], ["A", None, None, "B"])
        path = write(tmp_path / "p.jsonl", model, [0, 1, 2, 1])
        with pytest.raises(ValueError, match="`choices` must hold every reference"):
            table_of(path, choices=CHOICES, unknown="wrong")


def test_a_reference_is_ignored_by_its_name_whether_it_is_a_choice_or_not(tmp_path):
    for gold, ignore_index in (
        ([0, -100, 1], -100),
        ([0, -100, 1], "-100"),
        (["A", "x", "B"], "x"),
        ([0, 2, 1], "C"),
        (["A", "C", "B"], "C"),
    ):
        path = write(tmp_path / "p.jsonl", gold, [0, 1, 0])
        table = tables_of(path, choices=CHOICES, ignore_index=ignore_index)
        expected = ContingencyTable.from_labels(["A", "B"], ["A", "A"], labels=CHOICES)
        assert table == expected, (gold, ignore_index)


def test_slices_have_the_tables_of_their_answers(tmp_path):
    path = tmp_path / "p.jsonl"
    rows = zip(GOLD * 2, TEXTS * 2, "uv" * 6, strict=True)
    path.write_text("".join(json.dumps({"g": g, "m": m, "s": s}) + "\n" for g, m, s in rows))
    names = {"references": "g", "predictions": "m", "by": "s"}
    options = {"extract": PATTERN, "choices": CHOICES, "unknown": "wrong"}
    tables = table_from_file(path, **names, **options)
    for at, name in enumerate("uv"):
        expected = counted([CHOICES[x] for x in GOLD * 2][at::2], (FIRST * 2)[at::2])
        assert tables[name] == expected


def test_text_in_a_dictionary_that_no_row_has_is_not_looked_at(tmp_path):
    path = tmp_path / "p.arrow"
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 2]), pa.array(["is A", "refused", "is B"]))
    table = pa.table({"gold": ["A", "B"], "model": codes})
    with pa.ipc.new_file(path, table.schema) as writer:
        writer.write_table(table)
    assert tables_of(path, extract="is (.)").informedness() == 1


# On the command line, with nested columns

ARGUMENTS = ["--references", "doc.gold", "--extract", PATTERN, "--unknown", "wrong"]
ROWS = [
    {"doc": {"gold": gold, "id": i}, "a": {"text": text}, "b": ["x", "the answer is B"]}
    for i, (gold, text) in enumerate(zip(GOLD * 20, TEXTS * 20, strict=True))
]
GOLD_NAMES = [CHOICES[x] for x in GOLD] * 20
SAYS_A = ["A", "B", "B", "?", "?", "D"] * 20  # "?" is no class
SAYS_B = ["B"] * 120
DECLARED = {"labels": CHOICES, "unknown": "wrong"}


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def test_a_report_on_generated_text_is_that_of_its_answers(command, path):
    expected = Report.from_table(sum([EXPECTED] * 19, start=EXPECTED))
    given = [path, *ARGUMENTS, "-p", "a.text", "--choices", *CHOICES]
    assert command("report", *given) == (0, f"{expected}\n", "")


def test_columns_of_generated_text_are_ranked(command, path):
    models = {"a.text": SAYS_A, "b.1": SAYS_B}
    expected = leaderboard(GOLD_NAMES, models, **DECLARED)
    given = [path, *ARGUMENTS, "-p", "a.text", "b.1", "--choices", *CHOICES]
    assert command("report", *given)[:2] == (0, f"{expected}\n")


def test_two_models_are_compared_by_their_answers(command, path):
    expected = compare(GOLD_NAMES, SAYS_A, SAYS_B, n_resamples=199, **DECLARED).to_dict()
    given = [*ARGUMENTS, "-p", "a.text", "b.1", "--choices", *CHOICES, "--n-resamples", "199"]
    other = path.with_name("q.jsonl")
    other.write_text("".join(f"{json.dumps(row)}\n" for row in ROWS[::-1]))
    for files in ([path], [path, other, "--on", "doc.id"]):
        code, output, _ = command("compare", *files, *given, "--output", "json")
        assert (code, json.loads(output)) == (0, json.loads(json.dumps(expected)))


def test_an_ignored_reference_beside_choices_is_told_in_the_signature(command, tmp_path):
    path = write(tmp_path / "p.jsonl", [0, 1, -100], ["A", "B", "B"])
    given = [path, "-r", "gold", "-p", "model", "--choices", "A", "B", "--ignore-index", "-100"]
    table = ContingencyTable.from_labels(["A", "B"], ["A", "B"], labels=["A", "B"])
    expected = Report.from_table(table, ignore_index="-100")
    code, output, errors = command("report", *given, "--output", "json")
    assert (code, json.loads(output), errors) == (0, json.loads(json.dumps(expected.to_dict())), "")


def test_refusals_name_the_options(command, path):
    for options, message in (
        (["--extract", "(a"], "`--extract` must be a regular expression, got '(a': "),
        (["--extract", "is (A)"], "pass --unknown wrong with `--labels` or `--choices` to count"),
        (["--choices", "A", "--labels", "A"], "`--choices` are the classes of the task: give them"),
        (["--choices", *"A1", "--numeric"], "hold integers together with --numeric, which reads"),
    ):
        code, output, errors = command("report", path, "-r", "doc.gold", "-p", "a.text", *options)
        assert (code, output) == (2, ""), options
        assert message in errors
