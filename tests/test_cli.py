"""The command line: files as they are, exit codes, and nothing but the result on stdout."""

import io
import json
import os
import re
import subprocess
import sys
from functools import partial

import pandas as pd
import pytest

from cli_cases import refused, write
from informedness import __version__, informedness_score, report

COLUMNS = ["--references", "gold", "--predictions", "model"]
ROWS = [("ham", "ham")] * 90 + [("spam", "ham")] * 10
TEXT = str(report(*zip(*ROWS, strict=True))) + "\n"


@pytest.fixture
def run(command):
    return partial(command, "report")


@pytest.fixture
def files(tmp_path):
    """The same predictions in several formats."""
    frame = pd.DataFrame(ROWS, columns=["gold", "model"])
    frame.to_csv(tmp_path / "p.csv")
    frame.to_csv(tmp_path / "p.tsv", sep="\t")
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "p.parquet")
    return tmp_path


def test_every_format_gives_the_same_report_and_can_be_named(run, files):
    for ending in ("csv", "tsv", "jsonl", "parquet"):
        assert run(files / f"p.{ending}", *COLUMNS) == (0, TEXT, ""), ending
    renamed = (files / "p.tsv").rename(files / "predictions.txt")
    assert run(renamed, *COLUMNS, "--format-in", "tsv") == (0, TEXT, "")
    refused(run(renamed, *COLUMNS), "give it with --format-in\n")


def test_every_output_is_that_of_the_report(run, files):
    for level, options in ((None, []), (0.9, ["--confidence-level", 0.9])):
        result = report(*zip(*ROWS, strict=True), confidence_level=level)
        for output, shown in {
            "text": f"{result}\n",
            "json": json.dumps(result.to_dict(), indent=2) + "\n",
            "csv": result.to_csv(),
            "markdown": result.to_markdown() + "\n",
        }.items():
            assert run(files / "p.csv", *COLUMNS, *options, "--output", output) == (0, shown, "")


def test_text_is_text_unless_integers_are_asked_for(run, tmp_path):
    path = write(tmp_path / "p.csv", [("001", "1"), ("1", "1"), ("2", "2")])
    for options, labels in ([], ["001", "1", "2"]), (["--numeric"], [1, 2]):
        classes = json.loads(run(path, *COLUMNS, "--output", "json", *options)[1])["per_class"]
        assert [row["label"] for row in classes] == labels


def test_numeric_refuses_what_is_no_integer(run, tmp_path):
    for text in ("1.0", "x", "", " 1", "1_000", "٣"):
        path = write(tmp_path / "p.csv", [("1", "1"), ("2", text)])
        result = run(path, *COLUMNS, "--numeric", "--keep-empty")
        refused(result, "`predictions` must hold integers (--numeric)")


def test_a_file_that_cannot_be_scored_is_an_error_that_names_it(run, tmp_path):
    for name, content, message in (
        ("p.csv", b"gold,model\na,b,c\n", "not readable as csv"),
        ("p.csv", b"gold,model\n\xff,a\n", "not readable as csv"),
        ("p.csv", b"gold,x\na,b\n", "`predictions`: column 'model' does not exist: the columns"),
        ("p.csv", b"gold,model,gold\na,b,a\n", "column 'gold' occurs twice"),
        ("p.csv", b"gold,model\n", "there must be a sample to score, got 0 samples"),
        ("p.jsonl", b'{"gold": 1}\n', "line 1 has no 'model': its keys are 'gold'"),
        ("p.jsonl", b"[1, 2]\n", "line 1 must be a JSON object, got [1, 2]"),
        ("p.jsonl", b'{"gold": 1, "model": "1"}\n', "labels of the same type as `references`"),
    ):
        (tmp_path / name).write_bytes(content)
        refused(run(tmp_path / name, *COLUMNS), f"error: {tmp_path / name}: ", message)


def test_a_file_that_is_not_there_and_a_weight_that_is_no_number_are_errors(run, tmp_path):
    refused(run(tmp_path / "p.csv", *COLUMNS), "No such file")
    path = write(tmp_path / "p.csv", [("a", "a", "heavy")], names=("gold", "model", "w"))
    refused(run(path, *COLUMNS, "--weights", "w"), "heavy")


def test_weights_labels_unknown_and_ignore_index_reach_the_table(run, tmp_path):
    rows = [("0", "0", 2), ("1", "1", 1), ("-100", "0", 9), ("1", "?", 1.5)]
    path = write(tmp_path / "p.csv", rows, names=("gold", "model", "w"))
    options = ["--weights", "w", "--labels", "1", "0", "--unknown", "wrong"]
    code, output, errors = run(path, *COLUMNS, *options, "--ignore-index=-100", "--output", "json")
    result = json.loads(output)
    assert (code, errors) == (0, "")
    expected = report(
        ["0", "1", "-100", "1"],
        ["0", "1", "0", "?"],
        labels=["1", "0"],
        unknown="wrong",
        sample_weight=[2, 1, 9, 1.5],
        ignore_index="-100",
    )
    assert result == expected.to_dict()
    assert result["n_samples"] == 3


def test_the_cost_of_unknown_answers_is_in_every_output(run, tmp_path):
    rows = [("yes", "yes")] * 3 + [("no", "no")] * 2 + [("no", "I cannot say.")]
    path = write(tmp_path / "p.csv", rows)
    options = ["--labels", "yes", "no", "--unknown", "wrong", "--output"]
    said = "1 of 6 answers (16.7%) was none of the classes; on the 5 answered"
    for output in ("text", "markdown", "latex"):
        assert said in run(path, *COLUMNS, *options, output)[1].replace("\\", "")
    plain = json.loads(run(path, *COLUMNS, *options, "json")[1])
    assert (plain["n_unknown"], plain["informedness_without_unknown"]) == (1, 1.0)
    assert "\nn_unknown,,1\n" in run(path, *COLUMNS, *options, "csv")[1]
    assert "unknown" not in run(path, *COLUMNS, "--output", "json")[1]


def test_a_bad_confidence_level_is_refused_before_anything_is_read(run, tmp_path):
    result = run(tmp_path / "not there.csv", *COLUMNS, "--confidence-level", "95")
    refused(result, "`--confidence-level` must lie between 0 and 1")


def test_warnings_go_to_stderr_once_each(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "b")] * 60)
    code, output, errors = run(path, *COLUMNS)
    assert code == 0
    assert "undefined" in output
    lines = errors.splitlines()
    assert len(lines) == len(set(lines)) == 3
    assert all(line.startswith("warning: ") for line in lines)
    path = write(tmp_path / "p.csv", [("a", "a"), ("b", "b"), ("b", "a")] * 10)
    code, _, errors = run(path, *COLUMNS, "--confidence-level", "0.95")
    assert code == 0
    (line,) = errors.splitlines()
    assert line.startswith("warning: the intervals of accuracy, ")


def informedness(*arguments, **options):
    command = [sys.executable, "-m", "informedness", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, **options)


def test_standard_input_is_read(run, files, monkeypatch):
    data = (files / "p.parquet").read_bytes()
    for options, expected in (["--format-in", "parquet"], (0, TEXT, "")), ([], (2, "")):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
        assert run("-", *COLUMNS, *options)[: len(expected)] == expected


def test_the_version_is_printed():
    assert informedness("--version").stdout.decode() == f"informedness {__version__}\n"


def test_bad_usage_is_exit_code_2(command, capsys):
    for arguments in (
        [],
        ["no-such-command"],
        ["report", "x.csv", *COLUMNS, "--confidence-level", "high"],
        ["compare", "x.csv", *COLUMNS, "x", "--output", "csv"],
    ):
        with pytest.raises(SystemExit) as raised:
            command(*arguments)
        output, errors = capsys.readouterr()
        assert (raised.value.code, output) == (2, ""), arguments
        assert "usage: informedness" in errors


@pytest.mark.slow
def test_labels_that_the_terminal_cannot_show_are_escaped(tmp_path):
    path = write(tmp_path / "p.csv", [("é", "é"), ("b", "b")])
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = informedness("report", path, *COLUMNS, env=environment)
    assert result.returncode == 0
    assert rb"\xe9 " in result.stdout


def test_two_text_files_of_a_label_a_line_are_scored(command, tmp_path):
    references, predictions = ["a b", "b", "b", "a b"] * 20, ["a b", "b", "a b", "a b"] * 20
    files = [tmp_path / "refs.txt", tmp_path / "preds.txt"]
    files[0].write_text("\n".join(references) + "\n")
    files[1].write_bytes("\r\n".join(predictions).encode())
    assert command("report", *files)[1] == f"{report(references, predictions)}\n"
    score = informedness_score(references, predictions)
    assert command("report", *files, "--score", "informedness")[:2] == (0, f"{score!r}\n")
    assert command("report", *files, "-r", "label")[0] == 2
    result = command("report", files[0])
    refused(result, "two text files (.txt), of references and of predictions")
    files[1].write_text("a b\n\nb\n")
    result = command("report", *files)
    refused(result, f"{files[1]}: line 2 must hold a label, and is empty")


LABELS = [("cat", "cat"), ("dog", "eel"), ("eel", "eel")]


def test_a_file_is_never_taken_for_a_label(run, capsys, tmp_path):
    path = write(tmp_path / "p.csv", LABELS)
    expected = report(*zip(*LABELS, strict=True), labels=["cat", "dog", "eel"])
    for arguments in (
        [path, "--labels", "cat", "--labels", "dog", "eel", *COLUMNS],
        [*COLUMNS, "--labels", "cat", "dog", "eel", "--", path],
        [*COLUMNS, "--labels=cat", "--labels=dog", "--labels=eel", path],
    ):
        assert run(*arguments)[:2] == (0, f"{expected}\n"), arguments
    capsys.readouterr()
    for last in (path, tmp_path, "-", "part-2.csv"):
        with pytest.raises(SystemExit) as raised:
            run(path, *COLUMNS, "--labels", "cat", "dog", "eel", last)
        output, errors = capsys.readouterr()
        assert (raised.value.code, output) == (2, "")
        assert f"argument --labels: '{last}' looks like a file among its values" in errors
        assert f"at the end after `--`: --labels cat dog eel -- {last}" in errors


def test_messages_speak_of_the_options_of_the_command_line(run, tmp_path):
    for rows, options, message in (
        (
            [("a", "a"), ("b", "?")],
            ["--labels", "a", "b"],
            "`--labels` must list every prediction, '?' is missing: add it, or pass "
            "--unknown wrong to count such predictions as wrong answers",
        ),
        (
            [("a", "a")],
            ["--unknown", "wrong"],
            '`--unknown` can be "wrong" only with `--labels`, the known classes',
        ),
        (
            [(-100, 1), (1, 1), (2, 2)],
            ["--numeric"],
            "warning: -100 among the references counts as a class: --ignore-index=-100 drops it",
        ),
    ):
        _, _, errors = run(write(tmp_path / "p.csv", rows), *COLUMNS, *options)
        assert message in errors
        assert not re.search(r"\w=(True|\")|zero_division|file_format|ignore_index", errors)


# Streams that are closed or full


def in_shell(redirections, *arguments):
    command = " ".join([f"'{sys.executable}' -m informedness", *map(str, arguments)])
    result = subprocess.run(["sh", "-c", f"{command} {redirections}"], capture_output=True)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


@pytest.mark.slow
def test_streams_that_are_closed_or_full_lose_no_result_in_silence(files):
    arguments = ["report", files / "p.csv", *COLUMNS]
    closed = (2, "", "informedness: error: standard output is closed\n")
    assert in_shell(">&-", *arguments) == closed
    refused(in_shell(">/dev/full", *arguments), "error: standard output: ")
    assert in_shell("| true", *arguments)[2] == ""  # a pipe that is closed ends it quietly
    for where in ("<&-", "2>&-"):
        assert in_shell(where, *arguments) == (0, TEXT, "")
    closed = (2, "", "informedness: error: -: standard input is closed\n")
    assert in_shell("<&-", "report", "-", *COLUMNS, "--format-in", "csv") == closed
    write(files / "p.csv", [("a", "b")] * 60)
    code, output, errors = in_shell("2>/dev/full", *arguments)  # of warnings
    assert (code, "undefined" in output, errors) == (0, True, "")
