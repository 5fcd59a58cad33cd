"""The command line: files as they are, exit codes, and nothing but the result on stdout."""

import csv
import gzip
import json
import os
import pty
import re
import subprocess
import sys
from functools import partial

import pandas as pd
import pytest

from informedness import informedness_score, report

COLUMNS = ["--references", "gold", "--predictions", "model"]
ROWS = [("ham", "ham")] * 90 + [("spam", "ham")] * 10
TEXT = str(report(*zip(*ROWS, strict=True))) + "\n"


@pytest.fixture
def run(command):
    return partial(command, "report")


def write(path, rows, names=("gold", "model"), **options):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file, **options).writerows([names, *rows])
    return path


@pytest.fixture
def files(tmp_path):
    """The same predictions in every format."""
    frame = pd.DataFrame(ROWS, columns=["gold", "model"])
    frame.to_csv(tmp_path / "p.csv")
    frame.to_csv(tmp_path / "p.tsv", sep="\t")
    frame.to_json(tmp_path / "p.jsonl", orient="records", lines=True)
    frame.to_parquet(tmp_path / "p.parquet")
    return tmp_path


@pytest.mark.parametrize("ending", ["csv", "tsv", "jsonl", "parquet"])
def test_every_format_gives_the_same_report(run, files, ending):
    assert run(files / f"p.{ending}", *COLUMNS) == (0, TEXT, "")


def test_the_format_can_be_named(run, files):
    renamed = (files / "p.tsv").rename(files / "predictions.txt")
    assert run(renamed, *COLUMNS, "--format-in", "tsv") == (0, TEXT, "")
    code, output, errors = run(renamed, *COLUMNS)
    assert (code, output) == (2, "")
    assert "give it with --format-in" in errors


@pytest.mark.parametrize("output", ["json", "csv", "markdown"])
def test_every_output_is_that_of_the_report(run, files, output):
    result = report(*zip(*ROWS, strict=True))
    expected = {
        "json": json.dumps(result.to_dict(), indent=2) + "\n",
        "csv": result.to_csv(),
        "markdown": result.to_markdown() + "\n",
    }[output]
    assert run(files / "p.csv", *COLUMNS, "--output", output) == (0, expected, "")


def test_several_files_are_one_set(run, tmp_path):
    first = write(tmp_path / "1.csv", ROWS[:95])
    second = write(tmp_path / "2.csv", ROWS[95:])
    assert run(first, second, *COLUMNS) == (0, TEXT, "")


def test_text_is_text_unless_integers_are_asked_for(run, tmp_path):
    path = write(tmp_path / "p.csv", [("001", "1"), ("1", "1"), ("2", "2")])
    classes = json.loads(run(path, *COLUMNS, "--output", "json")[1])["per_class"]
    assert [row["label"] for row in classes] == ["001", "1", "2"]
    classes = json.loads(run(path, *COLUMNS, "--output", "json", "--numeric")[1])["per_class"]
    assert [row["label"] for row in classes] == [1, 2]


def test_numeric_refuses_what_is_no_integer(run, tmp_path):
    for text in ("1.0", "x", "", " 1", "1_000", "٣"):
        path = write(tmp_path / "p.csv", [("1", "1"), ("2", text)])
        code, output, errors = run(path, *COLUMNS, "--numeric", "--keep-empty")
        assert (code, output) == (2, "")
        assert "`predictions` must hold integers (--numeric)" in errors


def test_json_lines_have_types_of_their_own(run, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text(
        '{"gold": "2020-01-01", "model": "2020-01-01"}\n\n{"gold": "x", "model": "x"}\n'
    )
    classes = json.loads(run(path, *COLUMNS, "--output", "json")[1])["per_class"]
    assert [row["label"] for row in classes] == ["2020-01-01", "x"]
    path.write_text('{"gold": 1, "model": "1"}\n')
    code, _, errors = run(path, *COLUMNS)
    assert code == 2
    assert "`predictions` must hold labels of the same type as `references`" in errors


def test_csv_labels_may_hold_anything_quoted(run, tmp_path):
    labels = ["a,b", 'say "x"', "two\nlines", "", "NA", "null", "  x ", "é"]
    path = write(tmp_path / "p.csv", [(label, label) for label in labels])
    output = run(path, *COLUMNS, "--keep-empty", "--output", "json")[1]
    classes = json.loads(output)["per_class"]
    assert [row["label"] for row in classes] == sorted(labels)


def test_a_byte_order_mark_is_no_part_of_the_first_column(run, tmp_path):
    path = write(tmp_path / "p.csv", ROWS)
    path.write_bytes(b"\xef\xbb\xbf" + path.read_bytes())
    assert run(path, *COLUMNS) == (0, TEXT, "")


@pytest.mark.parametrize("ending", ["csv", "jsonl", "parquet"])
def test_an_unknown_column_is_answered_with_the_columns_there_are(run, files, ending):
    code, output, errors = run(files / f"p.{ending}", "--references", "gold", "--predictions", "x")
    assert (code, output) == (2, "")
    assert "'x'" in errors
    assert "'gold', 'model'" in errors


def test_a_column_that_stands_twice_is_refused(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "b", "a")], names=("gold", "model", "gold"))
    code, _, errors = run(path, *COLUMNS)
    assert code == 2
    assert "column 'gold' occurs twice" in errors


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("p.csv", b"gold,model\na,b,c\n", "not readable as csv"),
        ("p.csv", b"gold,model\n\xff,a\n", "not readable as csv"),
        ("p.csv", b"", "column 'gold' does not exist"),
        ("p.csv", b"gold,model\n", "there must be a sample to score, got 0 samples"),
        ("p.parquet", b"PAR1 not really", "not readable as parquet"),
        ("p.jsonl", b'{"gold": 1}\n', "line 1 has no 'model': its keys are 'gold'"),
        ("p.jsonl", b"[1, 2]\n", "line 1 must be a JSON object, got [1, 2]"),
        ("p.jsonl", b'{"gold": 1, "model": 1}\n{"gold"\n', "line 2 is not JSON"),
        (
            "p.jsonl",
            b'{"gold": "a", "model": null}\n',
            "got None (null) in 1 of 1 rows of column 'model'",
        ),
    ],
)
def test_a_damaged_file_is_an_error_that_names_it(run, tmp_path, name, content, message):
    path = tmp_path / name
    path.write_bytes(content)
    code, output, errors = run(path, *COLUMNS)
    assert (code, output) == (2, "")
    assert errors.startswith(f"informedness: error: {path}: ")
    assert message in errors


def test_a_file_that_is_not_there_is_an_error(run, tmp_path):
    code, output, errors = run(tmp_path / "p.csv", *COLUMNS)
    assert (code, output) == (2, "")
    assert "No such file" in errors


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


@pytest.mark.parametrize("output", ["text", "json", "csv", "markdown"])
def test_a_confidence_level_gives_the_report_with_it(run, files, output):
    options = ["--confidence-level", "0.9", "--output", output]
    result = report(*zip(*ROWS, strict=True), confidence_level=0.9)
    expected = {
        "text": str(result) + "\n",
        "json": json.dumps(result.to_dict(), indent=2) + "\n",
        "csv": result.to_csv(),
        "markdown": result.to_markdown() + "\n",
    }[output]
    assert run(files / "p.csv", *COLUMNS, *options) == (0, expected, "")


def test_the_intervals_in_json_are_those_of_the_modules(run, files, load):
    plain = json.loads(
        run(files / "p.csv", *COLUMNS, "--confidence-level", "0.95", "--output", "json")[1]
    )
    references, predictions = zip(*ROWS, strict=True)
    for name in ("informedness", "nit"):
        result = load(name).compute(
            references=references,
            predictions=predictions,
            confidence_level=0.95,
            return_signature=True,
        )
        *_, how, version = result.pop(f"{name}_signature").split("|")
        assert how.startswith("ci:")
        assert plain["signature"].endswith(f"|{version}")
        assert result == {key: plain[key] for key in result}


@pytest.mark.parametrize(("numeric", "ignored"), [([], "-100"), (["--numeric"], -100)])
def test_the_signature_is_that_of_the_same_report_in_python(run, tmp_path, numeric, ignored):
    convert = int if numeric else str
    rows = [(0, 0), (1, 1), (1, 0), (-100, 1)]
    path = write(tmp_path / "p.csv", rows)
    result = json.loads(run(path, *COLUMNS, *numeric, "--ignore-index=-100", "--output", "json")[1])
    columns = [[convert(label) for label in column] for column in zip(*rows, strict=True)]
    assert result["signature"] == report(*columns, ignore_index=ignored).signature
    assert f"|ignore:{ignored!r}|" in result["signature"]


def test_a_short_interval_is_warned_of_as_other_things_are(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "a"), ("b", "b"), ("b", "a")] * 10)
    code, _, errors = run(path, *COLUMNS, "--confidence-level", "0.95")
    assert code == 0
    (line,) = errors.splitlines()
    assert line.startswith("warning: the intervals of accuracy, ")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--confidence-level", "95"], "`--confidence-level` must lie between 0 and 1"),
        (["--confidence-level", "nan"], "`--confidence-level` must lie between 0 and 1"),
    ],
)
def test_a_bad_confidence_level_is_refused_before_anything_is_read(run, tmp_path, options, message):
    code, output, errors = run(tmp_path / "not there.csv", *COLUMNS, *options)
    assert (code, output) == (2, "")
    assert errors.startswith("informedness: error: ")
    assert message in errors


def test_a_weight_that_is_no_number_is_refused(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "a", "heavy")], names=("gold", "model", "w"))
    code, _, errors = run(path, *COLUMNS, "--weights", "w")
    assert code == 2
    assert "heavy" in errors


def test_warnings_go_to_stderr_once_each(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "b")] * 60)
    code, output, errors = run(path, *COLUMNS)
    assert code == 0
    assert "undefined" in output
    lines = errors.splitlines()
    assert len(lines) == len(set(lines)) == 3
    assert all(line.startswith("warning: ") for line in lines)


def informedness(*arguments, **options):
    command = [sys.executable, "-m", "informedness", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, **options)


def test_standard_input_is_read(files):
    data = (files / "p.parquet").read_bytes()
    result = informedness("report", "-", *COLUMNS, "--format-in", "parquet", input=data)
    assert (result.returncode, result.stdout.decode(), result.stderr) == (0, TEXT, b"")
    assert informedness("report", "-", *COLUMNS, input=data).returncode == 2


def test_the_version_is_printed():
    import informedness as package

    assert informedness("--version").stdout.decode() == f"informedness {package.__version__}\n"


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["report"],
        ["no-such-command"],
        ["report", "x.csv", *COLUMNS, "--confidence-level", "high"],
        ["compare", "x.csv", *COLUMNS, "x", "--metric", "f1_micro"],
        ["compare", "x.csv", *COLUMNS, "x", "--output", "csv"],
    ],
)
def test_bad_usage_is_exit_code_2(arguments):
    result = informedness(*arguments)
    assert (result.returncode, result.stdout) == (2, b"")
    assert b"usage: informedness" in result.stderr


def test_a_closed_pipe_ends_it_quietly(files):
    command = (
        f"'{sys.executable}' -m informedness report '{files}/p.csv' {' '.join(COLUMNS)} | true"
    )
    result = subprocess.run(command, shell=True, capture_output=True)
    assert result.stderr == b""


def test_labels_that_the_terminal_cannot_show_are_escaped(tmp_path):
    path = write(tmp_path / "p.csv", [("é", "é"), ("b", "b")])
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"}
    result = informedness("report", path, *COLUMNS, env=environment)
    assert result.returncode == 0
    assert rb"\xe9 " in result.stdout


@pytest.mark.slow
def test_a_long_file_has_a_progress_bar_on_a_terminal_and_none_in_a_pipe(tmp_path):
    path = tmp_path / "long.csv"
    label = "long " * 2000
    path.write_text("gold,model\n" + f"{label},{label}\nspam,{label}\n" * 2000)
    piped = informedness("report", path, *COLUMNS)
    assert (piped.returncode, piped.stderr) == (0, b"")
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "informedness", "report", str(path), *COLUMNS]
    shown = subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=follower, env={**os.environ, "TERM": "xterm"}
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            chunk = os.read(leader, 1 << 16)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    assert b"long.csv" in seen
    assert b"%" in seen
    assert shown.communicate()[0] == piped.stdout
    os.close(leader)


def test_damaged_compressed_text_is_refused_with_the_name_of_the_file(run, tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes(gzip.compress(b"gold,model\na,a\n")[:-9])
    code, output, errors = run(path, *COLUMNS)
    assert (code, output) == (2, "")
    assert str(path) in errors


def test_two_text_files_of_a_label_a_line_are_scored(command, tmp_path):
    references, predictions = ["a b", "b", "b", "a b"] * 20, ["a b", "b", "a b", "a b"] * 20
    files = [tmp_path / "refs.txt", tmp_path / "preds.txt"]
    files[0].write_text("\n".join(references) + "\n")
    files[1].write_bytes("\r\n".join(predictions).encode())
    assert command("report", *files)[1] == f"{report(references, predictions)}\n"
    score = informedness_score(references, predictions)
    assert command("report", *files, "--score", "informedness")[:2] == (0, f"{score!r}\n")
    assert command("report", *files, "-r", "label")[0] == 2
    code, _, errors = command("report", files[0])
    assert code == 2
    assert "two text files (.txt), of references and of predictions" in errors
    files[1].write_text("a b\n\nb\n")
    code, _, errors = command("report", *files)
    assert code == 2
    assert f"{files[1]}: line 2 must hold a label, and is empty" in errors


LABELS = [("cat", "cat"), ("dog", "eel"), ("eel", "eel")]


@pytest.mark.parametrize("where", ["before", "behind", "separated", "one by one", "by ="])
def test_files_may_stand_before_or_behind_the_labels(run, tmp_path, where):
    path = write(tmp_path / "p.csv", LABELS)
    arguments = {
        "before": [path, *COLUMNS, "--labels", "cat", "dog", "eel"],
        "behind": ["--labels", "cat", "dog", "eel", *COLUMNS, "--", path],
        "separated": [*COLUMNS, "--labels", "cat", "dog", "eel", "--", path],
        "one by one": [path, "--labels", "cat", "--labels", "dog", "eel", *COLUMNS],
        "by =": [*COLUMNS, "--labels=cat", "--labels=dog", "--labels=eel", path],
    }[where]
    expected = report(*zip(*LABELS, strict=True), labels=["cat", "dog", "eel"])
    code, output, errors = run(*arguments)
    assert (code, output) == (0, f"{expected}\n")
    assert "--labels" not in errors


@pytest.mark.parametrize("kind", ["file", "folder", "standard input", "not there"])
@pytest.mark.parametrize("others", [False, True])
def test_a_file_is_never_taken_for_a_label(run, capsys, tmp_path, kind, others):
    path = write(tmp_path / "p.csv", LABELS)
    last = {"file": path, "folder": tmp_path, "standard input": "-", "not there": "part-2.csv"}[
        kind
    ]
    first = [path] if others else []
    with pytest.raises(SystemExit) as raised:
        run(*first, *COLUMNS, "--labels", "cat", "dog", "eel", last)
    assert raised.value.code == 2
    output, errors = capsys.readouterr()
    assert output == ""
    assert f"argument --labels: '{last}' looks like a file among its values" in errors
    assert f"at the end after `--`: --labels cat dog eel -- {last}" in errors
    assert f"if it is a value, give it on its own: --labels={last}" in errors


def test_a_label_may_have_the_name_of_a_folder_where_it_is_given_alone(run, tmp_path, monkeypatch):
    for name in ("cat", "dog"):
        (tmp_path / name).mkdir()
    write(tmp_path / "p.csv", LABELS[:1])
    monkeypatch.chdir(tmp_path)
    code, output, _ = run("p.csv", *COLUMNS, "--labels=cat", "--labels=dog", "--output", "json")
    assert (code, json.loads(output)["n_classes"]) == (0, 2)


def test_labels_may_be_empty_long_or_any_text(run, tmp_path):
    labels = ["a", "", "x" * 5000, "a\0b", "é", "-1", "a b"]
    path = write(tmp_path / "p.csv", [(label, label) for label in ("a", "é", "-1")])
    arguments = [path, *COLUMNS, "--output", "json", "--labels", *labels]
    code, output, _ = run(*arguments)
    assert code == 0
    assert [row["label"] for row in json.loads(output)["per_class"]] == labels


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
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
        ([("a", "a")], ["--confidence-level", "2"], "`--confidence-level` must lie between"),
        ([("a", "a"), ("a", "a")], [], "warning: all references are 'a'"),
    ],
)
def test_messages_speak_of_the_options_of_the_command_line(run, tmp_path, rows, options, message):
    _, _, errors = run(write(tmp_path / "p.csv", rows), *COLUMNS, *options)
    assert message in errors
    assert not re.search(r"\w=(True|\")|zero_division|file_format|ignore_index", errors)


def test_messages_about_nulls_and_formats_name_the_option(run, tmp_path):
    path = tmp_path / "p.jsonl"
    path.write_text('{"gold": "a", "model": null}\n')
    assert ": --drop-null leaves out rows with missing values\n" in run(path, *COLUMNS)[2]
    assert "give it with --format-in\n" in run(path.rename(tmp_path / "p.txt"), *COLUMNS)[2]


def test_what_the_user_wrote_is_not_translated(run, tmp_path):
    folder = tmp_path / "unknown=wrong"
    folder.mkdir()
    path = write(folder / "labels=3.csv", [("a", "drop_null=True")], names=("gold", "seed=3"))
    columns = ["--references", "gold", "--predictions", "seed=3", "--labels", "a"]
    _, _, errors = run(path, *columns)
    assert f"{path}: " in errors
    assert "'drop_null=True' is missing" in errors
    _, _, errors = run(path, *COLUMNS)
    assert "the columns are 'gold', 'seed=3'" in errors


LONG = ["a" * 200 + str(number) + "b" * 200 for number in range(3)]


@pytest.mark.parametrize("confidence", [[], ["--confidence-level", "0.9"]])
def test_a_long_label_is_cut_in_the_text_and_whole_elsewhere(run, tmp_path, confidence):
    path = write(tmp_path / "p.csv", [(label, label) for label in LONG])
    output = run(path, *COLUMNS, *confidence)[1]
    table = output.split("\n\n")[1]
    assert max(map(len, table.splitlines())) < 130
    assert len(re.findall(r"^a+\.\.\.b+ ", table, re.MULTILINE)) == 3
    assert max(map(len, output.splitlines())) < 300  # the sentence, too
    for form in ("json", "csv", "markdown"):
        output = run(path, *COLUMNS, *confidence, "--output", form)[1]
        assert all(label in output for label in LONG)


def in_shell(redirections, *arguments):
    command = " ".join([f"'{sys.executable}' -m informedness", *map(str, arguments)])
    return subprocess.run(["sh", "-c", f"{command} {redirections}"], capture_output=True, text=True)


def test_a_closed_standard_output_is_an_error(files):
    result = in_shell(">&-", "report", files / "p.csv", *COLUMNS)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "informedness: error: standard output is closed\n"


def test_a_full_standard_output_is_an_error(files):
    result = in_shell(">/dev/full", "report", files / "p.csv", *COLUMNS)
    assert result.returncode == 2
    assert result.stderr.startswith("informedness: error: standard output: ")
    assert len(result.stderr.splitlines()) == 1


@pytest.mark.slow
@pytest.mark.parametrize("where", ["2>&-", "2>/dev/full"])
def test_warnings_that_cannot_be_shown_leave_the_output_alone(tmp_path, where):
    path = write(tmp_path / "p.csv", [("a", "b")] * 60)
    arguments = ["report", path, *COLUMNS, "--output", "json"]
    result = in_shell(where, *arguments)
    assert (result.returncode, result.stdout) == (0, in_shell("2>/dev/null", *arguments).stdout)
    assert json.loads(result.stdout)["n_samples"] == 60
    result = in_shell(where, "report", tmp_path / "not there.csv", *COLUMNS)
    assert (result.returncode, result.stdout) == (2, "")


@pytest.mark.slow
@pytest.mark.parametrize("command", ["report", "compare"])
def test_a_closed_standard_input_is_an_error_where_it_is_to_be_read(files, command):
    columns = [*COLUMNS, "gold"] if command == "compare" else COLUMNS
    result = in_shell("<&-", command, "-", *columns, "--format-in", "csv")
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr == "informedness: error: -: standard input is closed\n"
    assert in_shell("<&-", command, files / "p.csv", *columns).returncode == 0
