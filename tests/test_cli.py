"""The command line: files as they are, exit codes, and nothing but the result on stdout."""

import io
import itertools
import json
import os
import re
import subprocess
import sys
from functools import partial
from inspect import signature
from unittest.mock import Mock

import pytest

from cli_cases import refused, write
from informedness import __version__, cli, compare, informedness_score, report, table_from_file
from informedness.inputs.samples import joined_columns
from informedness.logs.reading import read_log
from informedness.results.slices import Slices

COLUMNS = ["--references", "gold", "--predictions", "model"]
ROWS = [("ham", "ham")] * 90 + [("spam", "ham")] * 10
TEXT = str(report(*zip(*ROWS, strict=True))) + "\n"


@pytest.fixture
def run(command):
    return partial(command, "report")


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "p.csv", ROWS)


def test_standard_input_and_files_without_an_ending_need_a_format(run, file, monkeypatch):
    renamed = file.rename(file.with_suffix(""))
    for path in (renamed, "-"):
        for options, expected in (["--input-format", "csv"], (0, TEXT, "")), ([], (2, "")):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(renamed.open("rb")))
            assert run(path, *COLUMNS, *options)[: len(expected)] == expected
    refused(run(renamed, *COLUMNS), "give it as --input-format\n")


def test_every_output_is_that_of_the_report(run, file):
    for level, options in ((None, []), (0.9, ["--confidence-level", 0.9])):
        result = report(*zip(*ROWS, strict=True), confidence_level=level)
        for output, shown in {
            "text": f"{result}\n",
            "json": json.dumps(result.to_dict(), indent=2) + "\n",
            "csv": result.to_csv(),
            "markdown": result.to_markdown() + "\n",
            "latex": result.to_latex() + "\n",
        }.items():
            code, out, told = run(file, *COLUMNS, *options, "--format", output)
            assert (code, out, told.count("warning: ")) == (0, shown, len(options) // 2)


def test_text_is_text_unless_integers_are_asked_for(run, tmp_path):
    path = write(tmp_path / "p.csv", [("001", "1"), ("1", "1"), ("2", "2")])
    for options, label in ([], "001"), (["--numeric"], 1):
        output = run(path, *COLUMNS, "--format", "json", *options)[1]
        assert json.loads(output)["per_class"][0]["label"] == label
    write(path, [("0", "0.0"), ("1", "1.0"), ("1", "0.")])  # as pandas writes a column with a gap
    refused(run(path, *COLUMNS), "no label in common", "got '0.' beside '0'", "--as-is scores")
    assert run(path, *COLUMNS, "--numeric", "--metric", "informedness")[1] == "0.5\n"
    for text in ("1.5", "x", "", " 1", "1_000", "٣"):
        result = run(write(path, [("1", text)]), *COLUMNS, "--numeric", "--keep-missing")
        refused(result, f"`--predictions` must hold integers with --numeric, got {text!r}")


def test_a_file_that_cannot_be_scored_is_an_error_that_names_it(run, tmp_path):
    refused(run(tmp_path / "p.csv", *COLUMNS), "p.csv: there is no such file")
    for name, content, message in (
        ("p.csv", "gold,model\na,b,c\n", "not readable as csv"),
        ("p.csv", "gold,x\na,b\n", "`--predictions`: column 'model' does not exist: the columns"),
        ("p.csv", "gold,model,w\na,a,heavy\n", "'heavy'"),
        ("p.jsonl", '{"gold": 1}\n', "line 1 has no 'model': its keys are 'gold'"),
        ("p.jsonl", '{"gold": 1, "model": "1", "w": 1}\n', "same type as `--references`, got str"),
    ):
        (tmp_path / name).write_text(content)
        result = run(tmp_path / name, *COLUMNS, *["--weights", "w"] * ("w" in content))
        refused(result, f"error: {tmp_path / name}: ", message)


def test_weights_labels_unknown_and_ignore_index_reach_the_table(run, tmp_path):
    rows = [("0", "0", 2), ("1", "1", 1), ("-100", "0", 9), ("1", "?", 1.5)]
    path = write(tmp_path / "p.csv", rows, names=("gold", "model", "w"))
    given = "--weights w --labels 1 0 --unknown wrong --ignore-index=-100 --format json"
    code, output, errors = run(path, *COLUMNS, *given.split())
    expected = report(
        ["0", "1", "1"],
        ["0", "1", "?"],
        labels=["1", "0"],
        unknown="wrong",
        sample_weight=[2, 1, 1.5],
        ignore_index="-100",
    )
    assert (code, json.loads(output), errors) == (0, expected.to_dict(), "")


def test_warnings_go_to_stderr_once_each(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "b")] * 60)
    code, output, errors = run(path, *COLUMNS, "--as-is")
    assert (code, "undefined" in output) == (0, True)
    assert re.fullmatch("(warning: ((?!zero_division).)*\n){3}", errors)
    assert len(set(errors.splitlines())) == 3


def in_shell(redirections, *arguments, **how):
    command = " ".join([f"'{sys.executable}' -m informedness", *map(str, arguments)])
    result = subprocess.run(["sh", "-c", f"{command} {redirections}"], capture_output=True, **how)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def usage_error(command, capsys, *arguments):
    """Return what bad usage prints, after seeing that it is exit code 2."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as raised:
        command(*arguments)
    output, errors = capsys.readouterr()
    assert (raised.value.code, output, errors[:19]) == (2, "", "usage: informedness")
    return errors


def test_bad_usage_is_exit_code_2(command, capsys):
    assert in_shell("", "--version") == (0, f"informedness {__version__}\n", "")
    for arguments, message in (
        ("", "required: COMMAND"),
        ("no-such-command", "invalid choice"),
        ("report p.csv --confidence-level high", "invalid float"),
        ("compare p.csv --format csv", "--format: invalid choice"),
        ("report p.csv --average weighted", '"prevalence" is scikit-learn\'s "weighted"'),
    ):
        assert message in usage_error(command, capsys, *arguments.split())


def test_two_text_files_of_a_label_a_line_are_scored(command, tmp_path):
    references, predictions = ["a b", "b", "b", "a b"] * 20, ["a b", "b", "a b", "a b"] * 20
    files = [tmp_path / "refs.txt", tmp_path / "preds.txt"]
    files[0].write_text("\n".join(references) + "\n")
    files[1].write_bytes("\r\n".join(predictions).encode())
    assert command("report", *files)[1] == f"{report(references, predictions)}\n"
    score = informedness_score(references, predictions)
    assert command("report", *files, "--metric", "informedness")[:2] == (0, f"{score!r}\n")
    for wrong in ([*files, "-r", "label"], files[:1]):
        refused(command("report", *wrong), "two text files (.txt), of references and of predict")
    refused(command("report", *files, "--numeric"), "refs.txt: `references` must hold integers")
    # of a sample with a label missing on either side nothing is left
    files[0].write_text("NA\n\n" + "\n".join(references))
    files[1].write_text("a b\n\n" + "\n".join([*predictions[:-1], ""]) + "\n")
    said = f"{files[0]}: line 1 must hold a label, got 'NA', and 1 more like it: --drop-null leaves"
    refused(command("report", *files), said, "--keep-missing reads it as a label")
    _, output, told = command("report", *files, "--drop-null", "--format", "json")
    assert json.loads(output) == report(references[:-1], predictions[:-1]).to_dict()
    assert "warning: 3 of 82 samples are left out" in told
    files[1].write_text("a b\n")
    refused(command("report", *files), "as many lines, one per sample, got 82 in ")


def test_what_was_probably_not_meant_is_refused_with_the_option_that_says_it_was(command, tmp_path):
    rows = [("a", "a", "b", 90), ("a", "b", "b", 10), ("b", "a", "a", 5), ("b", "b", "b", 45)]
    names = ("gold", "model", "other", "n")
    file = write(tmp_path / "p.csv", rows, names)
    samples = write(tmp_path / "all.csv", [row for row in rows for _ in range(row[3])], names)
    for options in (COLUMNS, [*COLUMNS, "other"], [*COLUMNS, "--by", "other"]):
        said = f"{file}: column 'n' holds whole numbers", "name it as `--counts` if a row stands"
        refused(command("report", file, *options), *said, "--each-row-a-sample counts each row")
        counted = command("report", file, *options, "--counts", "n")
        assert counted == command("report", samples, *options, "--each-row-a-sample")
        assert counted[0] == 0
    pair = [*COLUMNS, "other", "--format", "json"]
    counted = command("compare", file, *pair, "--counts", "n")
    assert counted == command("compare", samples, *pair, "--each-row-a-sample")
    refused(
        command("compare", file, file, *COLUMNS, "--on", "n", "--counts", "n"),
        "`--counts` is for rows without identifiers",
    )
    write(file, [("yes", *"11"), ("no", *"00")] * 9, names[:3])
    unlike = ["compare", file, *COLUMNS, "other"]
    refused(command(*unlike), "no label in common with", "--as-is scores the labels as they are")
    assert command(*unlike, "--as-is")[0] == 0


def test_a_file_is_never_taken_for_a_label(run, capsys, tmp_path):
    rows = [("cat", "cat"), ("dog", "eel"), ("eel", "eel")]
    path = write(tmp_path / "p.csv", rows)
    expected = report(*zip(*rows, strict=True), labels=["cat", "dog", "eel"])
    for arguments in (
        [path, "--labels", "cat", "--labels", "dog", "eel", *COLUMNS],
        [*COLUMNS, "--labels", "cat", "dog", "eel", "--", path],
        [*COLUMNS, "--labels=cat", "--labels=dog", "--labels=eel", path],
    ):
        assert run(*arguments)[:2] == (0, f"{expected}\n"), arguments
    for last in (path, tmp_path, "-", "part-2.csv"):
        said = usage_error(run, capsys, path, *COLUMNS, "--labels", "cat", "dog", "eel", last)
        assert f"argument --labels: '{last}' looks like a file among its values" in said
        assert f"at the end after `--`: --labels cat dog eel -- {last}" in said


# Messages


def test_what_cannot_work_is_refused_before_anything_is_read(run):
    columns = "p.csv -r gold -p a"
    for given, message in (
        (f"{columns} --task x", "`--task` is for logs"),
        ("refs.txt preds.txt --weights w", "`--weights` is for columns: give --references"),
        ("p.jsonl --drop-null", "`--drop-null` is for columns"),
        (f"{columns} b --by x", "`--by` is for one model"),
        (f"{columns} --slice-classes all", "`--slice-classes` is for slices: add --by"),
        (f"{columns} --average macro", "`--average` is for one score: add --metric"),
        (f"{columns} --by x --metric nit", "`--by` is for all scores, and --metric"),
        (f"{columns} --plot x --metric nit", "`--plot` is for all scores, and --metric"),
        (f"{columns} --plot x --by x", "the intervals of slices: add --confidence-level 0.95"),
        (f"{columns} a", "`--predictions` must name each column once, got 'a' twice"),
        (f"{columns} --confidence-level 95", "`--confidence-level` must lie between 0"),
        (f"{columns} --metric nit --average macro", "`--average` must be left out for"),
    ):
        refused(run(*given.split()), message)


def test_a_message_about_an_argument_names_the_option_that_sets_it(command, monkeypatch):
    """On every path: options are kept by the names that the arguments have in Python."""
    functions = (table_from_file, read_log, compare, joined_columns)
    functions += (Slices.from_tables, Slices.sorted_by)
    arguments = {name for function in functions for name in signature(function).parameters}
    same = {"y_true": "references", "sample_weight": "weights"}
    same |= dict.fromkeys(("y_pred", "y_pred_a", "y_pred_b", "predictions_b"), "predictions")
    for reader, *models in (("table_from_file", "a"), ("read_columns", "a", "b")):
        given = ["compare" if len(models) > 1 else "report", "p.csv", "-r", "gold", "-p", *models]
        known = cli._parser().parse_args(given).known
        named = {x.dest: [x.metavar, *x.option_strings][-1] for x in known}
        assert {*named} - arguments <= {"help", "plot", "format", "as_is"}
        named |= {name: named[dest] for name, dest in same.items() if dest in named}
        for argument, option in named.items():
            said = f"`{{0}}`, `{{0}} of b`: pass {{0}}=-1 or {{0}}=True, not '{argument}'"
            wrong = Mock(side_effect=ValueError(said.format(argument)))
            monkeypatch.setattr(cli, reader, wrong)
            refused(command(*given), said.format(option).replace("=True", ""))


@pytest.mark.slow
def test_streams_that_are_closed_or_full_lose_no_result_in_silence(file):
    arguments = ["report", file, *COLUMNS]
    closed = (2, "", "informedness: error: standard output is closed\n")
    assert in_shell(">&-", *arguments) == closed
    refused(in_shell(">/dev/full", *arguments), "error: standard output: ")
    assert in_shell("| true", *arguments)[2] == ""  # a pipe that is closed ends it quietly
    for where in ("<&-", "2>&-"):
        assert in_shell(where, *arguments) == (0, TEXT, "")
    closed = (2, "", "informedness: error: -: standard input is closed\n")
    assert in_shell("<&-", "report", "-", *COLUMNS, "--input-format", "csv") == closed
    write(file, [("a", "b")] * 60)
    code, output, errors = in_shell("2>/dev/full", *arguments, "--as-is")  # of warnings
    assert (code, "undefined" in output, errors) == (0, True, "")


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. ")
def test_output_for_programs_is_utf_8_and_labels_a_terminal_cannot_show_are_escaped(file):
    labels = ["naïve", "日本", "b"] * 20
    write(file, zip(labels, labels, labels, strict=True), ("gold", "model", "source"))
    results = {(): report(labels, labels)}
    results[("--by", "source")] = report(labels, labels, by={"source": labels})

    environment = {**os.environ, "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    given = [sys.executable, "-m", "informedness", "report", file, *COLUMNS, "--metric", "nit"]
    given += ["--labels", *labels[:3]]
    assert (
        subprocess.run(given, env=environment, capture_output=True, check=True).stdout == b"1.0\n"
    )

    def printed(encoding, *options):
        environment = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
        command = [sys.executable, "-m", "informedness", "report", file, *COLUMNS, *options]
        return subprocess.run(command, capture_output=True, env=environment, check=True).stdout

    for encoding, (options, result) in itertools.product(("ascii", "latin-1"), results.items()):
        for output in ("csv", "markdown", "latex", "json"):
            wanted = cli._FORMATS[output](result) + "\n"
            assert printed(encoding, *options, "--format", output).decode() == wanted, output
    # this one was asked for, and holds all labels too
    assert printed("utf-16", "--format", "csv").decode("utf-16") == results[()].to_csv()
    for encoding, label in (
        ("ascii", rb"na\xefve"),
        ("latin-1", b"na\xefve"),
        ("utf-8", b"na\xc3\xaf"),
    ):
        assert label in printed(encoding)


def test_half_of_a_surrogate_pair_is_refused_where_it_would_be_data(run, file, monkeypatch):
    for output, code in (("csv", 2), ("text", 0)):
        monkeypatch.setitem(cli._FORMATS, output, lambda result: "\udce9")
        written = io.TextIOWrapper(io.BytesIO(), "utf-8")
        monkeypatch.setattr(sys, "stdout", written)
        result = run(file, *COLUMNS, "--format", output)
        assert result[0] == code
        assert written.buffer.getvalue() == rb"\udce9" * (code == 0) + b"\n" * (code == 0)
        assert ("error: standard output: " in result[2]) == (code == 2)
