"""The command line: files as they are, exit codes, and nothing but the result on stdout."""

import io
import itertools
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from functools import partial
from inspect import signature
from pathlib import Path
from unittest.mock import Mock

import pyarrow.parquet
import pytest

from cli_cases import refused, without_read, write
from informedness import (
    __version__,
    cli,
    commands,
    compare,
    estimate,
    informedness_score,
    report,
    slices,
    table_from_file,
)
from informedness.inputs.joined import joined_rows
from informedness.inputs.open import FORMATS as PATH_FORMATS
from informedness.logs.reading import READERS, read_log
from informedness.results.slices import Slices
from informedness.statistics.registry import SCORES

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
        for options, expected in (["--input-format", "csv"], (0, TEXT)), ([], (2, "")):
            monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(renamed.open("rb")))
            code, output, *_ = run(path, *COLUMNS, *options)
            assert (code, without_read(output) if output else output) == expected
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
            assert (code, told) == (0, "")
            if output == "json":
                found = json.loads(out)
                (read,) = found.pop("read")
                assert (read["n_rows"], read["columns"][0]["labels"]) == (
                    100,
                    [["ham", 90], ["spam", 10]],
                )
                assert found == json.loads(shown)
            elif output == "markdown":
                assert out.startswith(f"```text\n{file}: 100 rows\n")
                assert out.endswith(f"\n```\n\n{shown}")
            else:
                assert (without_read(out) if output == "text" else out) == shown


def test_text_is_text_unless_integers_are_asked_for(run, tmp_path):
    path = write(tmp_path / "p.csv", [("001", "1"), ("1", "1"), ("2", "2")])
    for options, label in ([], "001"), (["--numeric"], 1):
        output = run(path, *COLUMNS, "--format", "json", *options)[1]
        assert json.loads(output)["per_class"][0]["label"] == label
    # as pandas writes integers with a gap
    write(path, [("0", "0.0"), ("1", "1.0"), ("1", "0.0"), ("1", "")])
    wrong = ["--unknown", "wrong", "--labels", 0, 1]
    for options, score in (["--drop-null"], "0.75"), (wrong, "0.6666666666666666"):
        code, output, told = run(path, *COLUMNS, *options, "--metric", "balanced_accuracy")
        assert (code, output) == (0, f"{score}\n")
        assert "text read as integers" in told
    write(path, [("0", "0.0"), ("1", "1.0"), ("1", "0.")])
    code, output, told = run(path, *COLUMNS, "--metric", "informedness")
    assert (code, output, "none in common" in told) == (0, "0.0\n", True)
    assert run(path, *COLUMNS, "--numeric", "--metric", "informedness")[1] == "0.5\n"
    for text in ("1.5", "x", "", " 1", "1_000", "٣"):
        result = run(write(path, [("1", text)]), *COLUMNS, "--numeric", "--keep-missing")
        refused(result, f"`--predictions` must hold integers with --numeric, got {text!r}")


def test_a_file_that_cannot_be_scored_is_an_error_that_names_it(run, tmp_path):
    refused(run(tmp_path / "p.csv", *COLUMNS), "p.csv: No such file or directory")
    for name, content, message in (
        (
            "p.csv",
            "gold,modle\na,b\n",
            "'gold', 'modle' (did you mean 'modle'?)\n  informedness report",
        ),
        ("p.csv", "gold,x\na,b\n", "'model', which does not exist; the columns are 'gold', 'x'\n"),
        ("p.csv", "gold,model,w\na,a,heavy\n", "'heavy'"),
        ("p.jsonl", '{"gold": 1, "model": "1", "w": 1}\n', "same type as `--references`, got str"),
    ):
        (tmp_path / name).write_text(content)
        result = run(tmp_path / name, *COLUMNS, *["--weights", "w"] * ("w" in content))
        refused(result, f"error: {tmp_path / name}: ", message)


def test_warnings_go_to_stderr_once_each(run, tmp_path):
    path = write(tmp_path / "p.csv", [("a", "b")] * 60)
    code, output, errors = run(path, *COLUMNS)
    assert (code, "undefined" in output) == (0, True)
    assert re.fullmatch("(warning: ((?!zero_division).)*\n){3}", errors)
    assert len(set(errors.splitlines())) == 3
    refused(run(path, *COLUMNS, "--strict"), *(line[9:] for line in errors.splitlines()))


def in_shell(redirections, *arguments, **how):
    command = " ".join([f"'{sys.executable}' -m informedness", *map(str, arguments)])
    result = subprocess.run(["sh", "-c", f"{command} {redirections}"], capture_output=True, **how)
    return result.returncode, result.stdout.decode(), result.stderr.decode()


def test_help_is_short_and_names_what_there_is(command):
    assert command("--version")[:2] == (0, f"informedness {__version__}\n")
    assert all(f"\n  {name} " in command("--help")[1] for name in cli.COMMANDS)
    for name in ("report", "compare"):
        code, output, _ = command(name, "--help")
        assert (code, output.count("\n") <= 42, "--task" in output) == (0, True, False)
        everything = command(name, "--help-all")[1]
        known = {*cli._parser(name, True)._option_string_actions} - {"-h", "--help", "--help-all"}
        assert all(f" {option}" in everything for option in known)
        assert all(score in everything for score in SCORES)
    known = {x.dest: x.choices for x in cli._parser("report", True)._actions}
    assert known["file_format"] == sorted({*PATH_FORMATS.values()})
    assert known["harness"] == [*READERS]
    assert "usage: informedness register\n" in command("register", "--help")[1]


ONE = "p.csv -r gold -p a"


def test_what_cannot_work_is_an_error_of_one_line_before_anything_is_read(command):
    for arguments, message in (
        ("", "the command must be one of report, compare, register, unregister; see `"),
        ("reprot p.csv", "got 'reprot' (did you mean report?)"),
        ("report", "name a file, a folder or -"),
        ("register p.csv", "register takes no file, got 'p.csv'"),
        ("report p.csv --meric nit", "no option --meric (did you mean --metric?); `informedness r"),
        ("report p.csv --output json", "there is no option --output; `informedness report --help`"),
        ("report p.csv -r a -p b --by c --vs-rest J", "`--vs-rest` must be one of ('accuracy', "),
        ("report p.csv -r a -p b --by c --vs-rest f1", "got 'f1': did you mean 'f1_macro'?"),
        ("report p.csv -r a -p b --metric kappa", "got 'kappa': did you mean 'cohen_kappa'?"),
        ("compare p.csv -r a -p b c --metric MCC", "did you mean 'matthews_corrcoef'?"),
        ("report p.csv -r", "error: `--references`: expected one argument; `informedness report -"),
        ("report p.csv --metric informedness --average weighted", "is scikit-learn's 'weighted'"),
        (f"report {ONE} --task x", "`--task` is for logs"),
        ("report refs.txt preds.txt --weights w", "`--weights` is for columns: give --references"),
        ("report p.jsonl --drop-null", "`--drop-null` is for columns"),
        (f"report {ONE} b --by x", "`--by` is for one model"),
        (f"report {ONE} --vs-rest nit", "`--vs-rest` is for slices: add --by"),
        (f"report {ONE} --average macro", "`--average` is for one score: add --metric"),
        (f"report {ONE} --by x --metric nit", "`--by` is for all scores, and --metric"),
        (f"report {ONE} --plot x --metric nit", "`--plot` is for all scores, and --metric"),
        (f"report {ONE} --plot x --by x", "intervals of slices: add --confidence-level 0.95"),
        (f"report {ONE} a", "`--predictions` must name each column once, got 'a' twice"),
        (f"report {ONE} --confidence-level 95", "`--confidence-level` must lie between 0"),
        (f"report {ONE} --metric nit --average macro", "`--average` must be left out for"),
    ):
        refused(command(*arguments.split()), message)


def test_two_text_files_of_a_label_a_line_are_scored(command, tmp_path):
    references, predictions = ["a b", "b", "b", "a b"] * 20, ["a b", "b", "a b", "a b"] * 20
    files = [tmp_path / "refs.txt", tmp_path / "preds.txt"]
    files[0].write_text("\n".join(references) + "\n")
    files[1].write_bytes("\r\n".join(predictions).encode())
    assert without_read(command("report", *files)[1]) == f"{report(references, predictions)}\n"
    score = informedness_score(references, predictions)
    assert command("report", *files, "--metric", "informedness")[:2] == (0, f"{score!r}\n")
    for wrong in ([*files, "-r", "label"], files[:1]):
        refused(command("report", *wrong), "two text files (.txt), of references and of predict")
    refused(
        command("report", *files, "--numeric"), "`references` must hold integers with --numeric"
    )
    # of a sample with a label missing on either side nothing is left
    files[0].write_text("NA\n\n" + "\n".join(references))
    files[1].write_text("a b\n\n" + "\n".join([*predictions[:-1], ""]) + "\n")
    said = f"`references` must have a value in every row, .* in 2 of 82 rows of column '{files[0]}'"
    code, output, told = command("report", *files)
    assert (code, output) == (2, "")
    assert re.search(said, told)
    assert command("report", *files, "--keep-missing")[0] == 0
    code, output, told = command("report", *files, "--drop-null")
    assert "2 files" not in output.splitlines()[0]
    assert (
        "82 rows, 2 left out (no reference), 1 left out (no prediction)" in output.splitlines()[0]
    )
    left = report(references[:-1], predictions[:-1])
    wanted = str(left).replace("|v:", "|left-out:3|v:")
    assert (without_read(output), told) == (f"{wanted}\n", "")
    files[1].write_text("a b\n")
    refused(command("report", *files), "number of lines, one per sample, got 82 in ")


def test_what_may_be_a_mistake_is_scored_shown_and_warned_of_and_an_error_if_strict(
    command, tmp_path
):
    rows = [("a", "a", "b", 90), ("a", "b", "b", 10), ("b", "a", "a", 5), ("b", "b", "b", 45)]
    names = ("gold", "model", "other", "n")
    file = write(tmp_path / "p.csv", rows, names)
    samples = write(tmp_path / "all.csv", [row for row in rows for _ in range(row[3])], names)
    for options in (COLUMNS, [*COLUMNS, "other"], [*COLUMNS, "--by", "other"]):
        code, output, told = command("report", file, *options)
        assert (code, f"{file}: 4 rows" in output, "not used: " in output) == (0, True, True)
        assert "column 'n' is called a count: name it as `--counts` if each row" in told
        refused(command("report", file, *options, "--strict"), "column 'n' is called a count")
        code, counted, _ = command("report", file, *options, "--counts", "n")
        assert without_read(counted) == without_read(command("report", samples, *options)[1])
    pair = [*COLUMNS, "other", "--format", "json"]
    counted, every = (
        json.loads(command("compare", *given, *pair)[1]) | {"read": []}
        for given in ([file, "--counts", "n"], [samples])
    )
    assert counted == every
    refused(
        command("compare", file, samples, *COLUMNS, "--on", "n", "--counts", "n"),
        "`--counts` is for rows without identifiers",
    )
    refused(command("report", file, *COLUMNS, "--counts", "gold"), "a column of its own")
    assert "called a count" in command("report", file, *COLUMNS, "--weights", "n")[2]
    copied = shutil.copy(samples, tmp_path / "b.csv")
    code, output, told = command("report", samples, copied, *COLUMNS)
    assert (code, output.splitlines()[0], told) == (0, f"{samples} and {copied}: 300 rows", "")
    told = command("report", samples, "-r", "model", "-p", "gold")[2]
    assert told == ""
    swapped = write(tmp_path / "s.csv", rows * 2, ("prediction", "label", "x", "y"))
    told = command("report", swapped, "-r", "prediction", "-p", "label")[2]
    assert "the names say the opposite: swap them" in told
    write(file, [("yes", *"11"), ("no", *"00")] * 9, names[:3])
    code, output, told = command("compare", file, *COLUMNS, "other")
    assert (code, told.count("none in common")) == (0, 2)
    assert "0 9, 1 9 (no class of the references)" in output


def test_predictions_in_a_file_of_their_own_are_joined_on_identifiers(command, tmp_path):
    gold = write(tmp_path / "gold.csv", [("1", "a"), ("2", "b"), ("3", "b")], ("key", "label"))
    lines = [{"key": str(i), "says": {"text": x}} for i, x in ((3, "b"), (1, "a"), (2, "a"))]
    (tmp_path / "out.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in lines))
    run = ["report", gold, tmp_path / "out.jsonl", "--on", "key", "-r", "label", "-p", "says.text"]
    code, output, _ = command(*run)
    assert code == 0
    assert without_read(output) == f"{report(list('abb'), list('aab'))}\n"
    (tmp_path / "out.jsonl").write_text("".join(f"{json.dumps(x)}\n" for x in lines[:2]))
    refused(command(*run), "`--on` 'key': 1 of 3 in", "such as '2'")
    # an answer that is not there is a wrong one, if asked
    code, output, _ = command(
        *run, "--unknown", "wrong", "--labels", "a", "b", "--metric", "accuracy"
    )
    assert (code, output) == (0, f"{2 / 3}\n")
    refused(command(*run[:2], *run[3:]), "`--on` needs two files, got 1")


def test_files_stand_anywhere_and_are_never_taken_for_labels(run, tmp_path):
    rows = [("cat", "cat"), ("dog", "eel"), ("eel", "eel")]
    path = write(tmp_path / "p.csv", rows)
    expected = report(*zip(*rows, strict=True), labels=["cat", "dog", "eel"])
    labels = ["--labels", "cat", "dog", "eel"]
    for arguments in (
        [path, "--labels", "cat", "--labels", "dog", "eel", *COLUMNS],
        [*COLUMNS, *labels, "--", path],
        [*COLUMNS, *labels, path],
        [*labels, *COLUMNS, path],
        ["--labels=cat", COLUMNS[0], "gold", path, "--labels=dog", "--labels=eel", *COLUMNS[2:]],
    ):
        assert without_read(run(*arguments)[1]) == f"{expected}\n", arguments
    for last in (path, tmp_path, "-", "part-2.csv"):
        said = f"error: '{last}' looks like a file among the values of `--labels`: put all files"
        refused(
            run(path, *COLUMNS, *labels, last),
            said,
            f"at the end as in `--labels cat dog eel -- {last}`; if it is a value",
        )


def test_without_columns_those_of_a_file_are_shown_and_nothing_is_scored(command, tmp_path):
    names = ("label", "model", "text")
    rows = [(*"aa", "x" * 99), (*"ab", "y"), (*"bb", "")] * 2
    paths = [write(tmp_path / "p.csv", rows, names), tmp_path / "p.jsonl", tmp_path / "p.parquet"]
    objects = [dict(zip(names, row, strict=True)) | {"of": [1]} for row in rows]
    paths[1].write_text("".join(f"{json.dumps(row)}\n" for row in objects))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(objects), paths[2])
    for path in paths:
        for name, models in (("report", "model"), ("compare", "model OTHER")):
            code, output, errors = command(name, path)
            assert (code, output) == (2, "")
            assert f"must name columns of {path}; in its first 10,000 rows" in errors
            assert re.search("^label +2 +yes +'a', 'b'$", errors, re.MULTILINE)
            assert re.search("^text +[23] +'xx.{9,}xx', 'y'", errors, re.MULTILINE)
            assert errors.endswith(f"\n  informedness {name} {path} -r label -p {models}\n")
            assert command(name, path, "-r", "label")[2].endswith(f" -r label -p {models}\n")
            assert bool(re.search(r"^of(\.0)?\b", errors, re.MULTILINE)) == (path != paths[0])
    deep = {"custom_id": "1", "response": {"body": {"choices": [{"message": {"content": "a"}}]}}}
    paths[1].write_text(f"{json.dumps(deep)}\n")
    assert re.search(
        r"^response\.body\.choices\.0\.message\.content +1 ", command("report", paths[1])[2], re.M
    )
    (tmp_path / "few.csv").write_text("a,b\n1,x\n")
    assert command("report", tmp_path / "few.csv")[2].endswith("-r LABEL -p MODEL\n")


def test_one_score_comes_with_its_interval_if_there_is_a_level(run, file):
    made = estimate(*zip(*ROWS, strict=True), "ema", confidence_level=0.9)
    given = [file, *COLUMNS, "--metric", "ema", "--confidence-level", 0.9]
    assert run(*given)[:2] == (0, f"{made}\n")
    assert json.loads(run(*given, "--format", "json")[1]) == made.to_dict()
    log = Path(__file__).parents[1] / "examples/runs/lm-eval/knows-half"
    (answers,) = read_log(log, task="arithmetic_letters")
    asked = "--task arithmetic_letters --metric informedness --average macro --confidence-level 0.9"
    made = answers.estimate("informedness", 0.9, "macro")
    assert run(log, *asked.split())[:2] == (0, f"{made}\n")


def test_a_prior_is_counted_from_the_labels_of_a_file(command, tmp_path):
    references, predictions = list("aaaabbbccc"), list("aabcbbacca")
    other = list("aaaabbcccc")
    rows = zip(references, predictions, other, strict=True)
    file = write(tmp_path / "p.csv", rows, ("gold", "model", "other"))
    train = write(tmp_path / "train:1.csv", [*"abbcccccc", "?"], ("label",))
    prior = {"a": 1, "b": 2, "c": 6}
    given = "--prior", f"{train}:label", "--ignore-index", "?"
    for mode in ("reweight", "odds"):
        wanted = informedness_score(references, predictions, prior=prior, prior_mode=mode)
        run = ("report", file, *COLUMNS, *given, "--metric", "informedness", "--prior-mode", mode)
        code, output, told = command(*run)
        assert (code, float(output)) == (0, pytest.approx(wanted, abs=1e-12))
        assert f"{train}: 10 rows, 1 left out (ignored)\nreferences  label  c 6, b 2, a 1" in told
    assert wanted != informedness_score(references, predictions)
    made = estimate(references, predictions, prior=prior, ignore_index="?", confidence_level=0.9)
    run = "report", file, *COLUMNS, *given, "--metric", "informedness", "--confidence-level", "0.9"
    assert command(*run)[1] == f"{made}\n"
    made = compare(references, predictions, other, prior=prior, ignore_index="?")
    output = command("compare", file, *COLUMNS, "other", *given, "--format", "json")[1]
    assert json.loads(output) | {"read": []} == made.to_dict() | {"read": []}
    report_of = partial(command, "report", file, *COLUMNS)
    for options, said in (
        (given, "`--prior` is for one score of one model: add --metric"),
        (("other", *given, "--metric", "nit"), "`--prior` is for one score of one model"),
        (("--prior-mode", "odds", "--metric", "nit"), "`--prior-mode` is for a --prior"),
        ((*given, "--prior-mode", "odds", "--metric", "nit"), "`--prior-mode` must be one of"),
        (("--prior", "label", "--metric", "nit"), "`--prior` must be FILE:COLUMN, as"),
        (("--prior", f"{train}:x", "--metric", "nit"), f"`--prior`: {train}: "),
    ):
        refused(report_of(*options), said)


def test_one_file_on_both_sides_is_refused_and_one_column_is_shown(command, file):
    code, output, _ = command("report", file, "-r", "gold", "-p", "gold")
    assert (code, output.count("gold  ham 90, spam 10")) == (0, 2)
    texts = [file.rename(file.with_suffix(".txt"))] * 2
    for given in (["report", *texts], ["compare", *texts, *COLUMNS, "--on", "gold"]):
        refused(command(*given), f"FILE must name two files, got {texts[0]} twice")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFO in its files")
def test_an_interrupt_is_one_line(tmp_path):
    os.mkfifo(tmp_path / "p.csv")
    command = [sys.executable, "-m", "informedness", "report", tmp_path / "p.csv", *COLUMNS]
    process = subprocess.Popen(
        command,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's "&" ignores it
    )
    with (tmp_path / "p.csv").open("w"):  # once the command reads, which then waits
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == (b"", b"informedness: interrupted\n")
    assert process.returncode == 130


# Messages


def test_a_message_about_an_argument_names_the_option_that_sets_it(command, monkeypatch):
    """On every path: options are kept by the names that the arguments have in Python."""
    functions = (table_from_file, read_log, compare, joined_rows)
    functions += (informedness_score, Slices.from_tables)
    arguments = {name for function in functions for name in signature(function).parameters}
    same = {"y_true": "references", "sample_weight": "weights"}
    same |= dict.fromkeys(("y_pred", "y_pred_a", "y_pred_b", "predictions_b"), "predictions")
    for models in ("a", "ab"):
        given = ["compare" if len(models) > 1 else "report", "p.csv", "-r", "gold", "-p", *models]
        known = cli._parser(given[0], True)._actions
        named = {x.dest: x.option_strings[-1] for x in known} | {"path": "FILE"}
        assert {*named} - arguments <= {
            *("help", "help_all", "plot", "format", "strict", "each", "by_file")
        }
        named |= {name: named[dest] for name, dest in same.items() if dest in named}
        for argument, option in named.items():
            said = f"`{{0}}`, `{{0}} of b`: pass {{0}}=-1 or {{0}}=True, not '{argument}'"
            wrong = Mock(side_effect=ValueError(said.format(argument)))
            monkeypatch.setattr("informedness.inputs.samples.read_files", wrong)
            refused(command(*given), said.format(option).replace("=True", ""))


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="for a shell of Unix")
def test_streams_that_are_closed_or_full_lose_no_result_in_silence(file):
    arguments = ["report", file, *COLUMNS]
    closed = (2, "", "informedness: error: standard output is closed\n")
    assert in_shell(">&-", *arguments) == closed
    refused(in_shell(">/dev/full", *arguments), "error: standard output: ")
    assert in_shell("| true", *arguments)[2] == ""  # a pipe that is closed ends it quietly
    for where in ("<&-", "2>&-"):
        code, output, errors = in_shell(where, *arguments)
        assert (code, without_read(output), errors) == (0, TEXT, "")
    closed = (2, "", "informedness: error: -: standard input is closed\n")
    assert in_shell("<&-", "report", "-", *COLUMNS, "--input-format", "csv") == closed
    write(file, [("a", "b")] * 60)
    code, output, errors = in_shell("2>/dev/full", *arguments)  # of warnings
    assert (code, "undefined" in output, errors) == (0, True, "")


def test_output_for_programs_is_utf_8_and_labels_a_terminal_cannot_show_are_escaped(
    file, monkeypatch, capsys
):
    labels = ["naïve", "日本", "b"] * 20
    write(file, zip(labels, labels, labels, strict=True), ("gold", "model", "source"))
    results = {(): report(labels, labels)}
    results[("--by", "source")] = slices(labels, labels, by={"source": labels})

    def printed(encoding, *options):
        written = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", written)
        code = cli.main(["report", str(file), *COLUMNS, *options])
        return code, written.buffer.getvalue()

    for output, (options, result) in itertools.product(("csv", "latex", "json"), results.items()):
        wanted = commands.FORMATS[output](result) + "\n"
        code, found = printed("ascii", *options, "--format", output)
        if output == "json":
            wanted, found = json.loads(wanted), json.loads(found)
            assert len(found.pop("read")) == 1
        assert (code, found) == (0, wanted if output == "json" else wanted.encode()), output
    # this one was asked for, and holds all labels too
    assert printed("utf-16", "--format", "csv")[1].decode("utf-16") == results[()].to_csv()
    for encoding, label in (
        ("ascii", rb"na\xefve"),
        ("latin-1", b"na\xefve"),
        ("utf-8", b"na\xc3\xaf"),
    ):
        assert label in printed(encoding)[1]
    for output, result in (("csv", (2, b"")), ("text", (0, b"\\udce9\n"))):
        monkeypatch.setitem(commands.FORMATS, output, lambda result: "\udce9")  # half of a pair
        assert printed("utf-8", "--format", output) == result
    assert "error: standard output: " in capsys.readouterr().err
