"""Generated text, positions of choices and nested columns on the command line."""

import json

import pytest

from informedness import compare, leaderboard, report
from informedness.contingency import ContingencyTable
from informedness.results.report import Report
from test_answered import CHOICES, EXPECTED, GOLD, PATTERN, TEXTS, write

ARGUMENTS = ["--references", "doc.gold", "--extract", PATTERN, "--unknown", "wrong"]
ROWS = [
    {
        "doc": {"gold": gold, "id": i},
        "a": {"text": text},
        "b": ["x", "the answer is B"],
        "s": scores,
    }
    for i, (gold, text, scores) in enumerate(
        zip(GOLD * 20, TEXTS * 20, [[0.5, 0.5], [-1.0, 2.0, 1.0]] * 60, strict=True)
    )
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


def test_a_report_on_scores_takes_their_argmax(command, path):
    expected = report(GOLD * 20, [0, 1] * 60)
    given = [path, "-r", "doc.gold", "-p", "argmax:s"]
    assert command("report", *given)[:2] == (0, f"{expected}\n")


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


def test_text_files_take_the_same_options(command, tmp_path):
    gold, says = tmp_path / "gold.txt", tmp_path / "says.txt"
    gold.write_text("".join(f"{x}\n" for x in GOLD))
    says.write_text("".join(text.replace("\n", " ") + "\n" for text in TEXTS))
    given = [gold, says, "--extract", PATTERN, "--choices", *CHOICES, "--unknown", "wrong"]
    expected = Report.from_table(EXPECTED)
    assert command("report", *given, "--numeric")[:2] == (0, f"{expected}\n")


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
        (
            ["--choices", *"ABC"],
            "`--choices` must hold every reference or its position from 0 to 2",
        ),
        (["--choices", *"A1", "--numeric"], "hold integers together with --numeric, which reads"),
    ):
        code, output, errors = command("report", path, "-r", "doc.gold", "-p", "a.text", *options)
        assert (code, output) == (2, ""), options
        assert message in errors
