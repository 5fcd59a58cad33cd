"""The command line: files as they are, exit codes, and nothing but the result on stdout."""

import csv
import io
import json
import os
import random
import re
import shlex
import signal
import subprocess
import sys
from pathlib import Path
from unittest.mock import Mock

import pyarrow
import pyarrow.parquet
import pytest

from cli_cases import refused, without_read
from informedness import __version__, cli, commands, compare, estimate, leaderboard, report, slices
from informedness import informedness_score as score_of
from informedness.inputs.open import FORMATS
from informedness.logs.reading import READERS, read_log
from informedness.statistics.registry import SCORES

GOLD = ["ham"] * 90 + ["spam"] * 30
A = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 15 + ["spam"] * 15
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 8 + ["spam"] * 22
TYPE, DOC = ["x", "y"] * 60, [f"0{i % 25}" for i in range(120)]
IDS = [f"s{i}" for i in range(120)]
ABC = {"gold": [*"aaaabbbccc"], "a": [*"aabcbbacca"], "b": [*"aaaabbcccc"]}
RUN = shlex.quote(str(Path(__file__).parents[1] / "examples/runs/lm-eval/knows-half"))


def write(name, **columns):
    """Write columns as CSV."""
    with Path(name).open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([columns, *zip(*columns.values(), strict=True)])


@pytest.fixture(autouse=True)
def files(tmp_path, monkeypatch):
    """Write the same answers into several files of a new working directory."""
    monkeypatch.chdir(tmp_path)
    write("p.csv", gold=GOLD, a=A, b=B, type=TYPE, doc=DOC)
    write("a.csv", id=IDS, gold=GOLD, model=A, doc=DOC)
    rows = random.Random(0).sample([*zip(IDS, GOLD, B, strict=True)], 120)
    write("b.csv", id=[x[0] for x in rows], gold=[x[1] for x in rows], model=[x[2] for x in rows])
    says = ({"id": name, "says": {"text": label}} for name, _, label in rows)
    Path("out.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in says))
    Path("gold.txt").write_text("\n".join(GOLD) + "\n")
    Path("a.txt").write_bytes("\r\n".join(A).encode())
    columns = {"id": range(120), "gold": GOLD, "a": A, "b": [None, *B[1:]]}
    pyarrow.parquet.write_table(pyarrow.table(columns), "null.parquet")
    write("abc.csv", **ABC)
    write("train:1.csv", label=[*"abbcccccc?"])


@pytest.fixture
def run(command):
    """Return a function that runs a command line, which is one string."""
    return lambda line: command(*shlex.split(line))


# Results

PAIR, TWO, OUT = "p.csv -r gold -p a", "ham spam", "--metric informedness"
JOINED = "a.csv b.csv --on id -r gold -p model"
PRIOR, SHARES = "--prior train:1.csv:label --ignore-index ?", {"a": 1, "b": 2, "c": 6}
WRONG = {"labels": ["ham", "spam"], "unknown": "wrong"}
RESULTS = {
    f"report {PAIR}": lambda: report(GOLD, A),
    f"report {PAIR} --confidence-level 0.9": lambda: report(GOLD, A, confidence_level=0.9),
    "report gold.txt a.txt": lambda: report(GOLD, A),
    f"report {JOINED}": lambda: report(GOLD, B),
    "report a.csv out.jsonl --on id -r gold -p says.text": lambda: report(GOLD, B),
    f"report {PAIR} b": lambda: leaderboard(GOLD, {"a": A, "b": B}),
    f"report {PAIR} --by type": lambda: slices(GOLD, A, by={"type": TYPE}),
    f"report {PAIR} --metric ema --confidence-level 0.9": lambda: estimate(
        GOLD, A, "ema", confidence_level=0.9
    ),
    f"report abc.csv -r gold -p a {PRIOR} {OUT} --confidence-level 0.9": lambda: estimate(
        ABC["gold"], ABC["a"], prior=SHARES, ignore_index="?", confidence_level=0.9
    ),
    f"report {RUN} --task arithmetic_letters {OUT} --average macro --confidence-level 0.9": (
        lambda: read_log(*shlex.split(RUN), task="arithmetic_letters")[0].estimate(
            "informedness", 0.9, "macro"
        )
    ),
    **{
        f"compare {PAIR} b --metric {name}": lambda name=name: compare(GOLD, A, B, metric=name)
        for name in SCORES
    },
    f"compare {PAIR} b --labels {TWO} --average macro --confidence-level 0.8": lambda: compare(
        GOLD, A, B, labels=["ham", "spam"], average="macro", confidence_level=0.8
    ),
    f"compare {PAIR} b --groups doc": lambda: compare(GOLD, A, B, groups=DOC),
    f"compare {JOINED}": lambda: compare(GOLD, A, B),
    f"compare {JOINED} model": lambda: compare(GOLD, A, B),
    f"compare {JOINED} --groups doc": lambda: compare(GOLD, A, B, groups=DOC),
    f"compare abc.csv -r gold -p a b {PRIOR}": lambda: compare(
        *ABC.values(), prior=SHARES, ignore_index="?"
    ),
    f"compare null.parquet -r gold -p a b --labels {TWO} --unknown wrong": lambda: compare(
        GOLD, A, ["?", *B[1:]], **WRONG
    ),
    "compare abc.csv -r gold -p a b --ignore-index=a": lambda: compare(
        *ABC.values(), ignore_index="a"
    ),
}
# the files anywhere, and values after an option or with it
for line in (
    "--labels=ham -r gold p.csv --labels=spam -p a",
    f"-r gold -p a --labels {TWO} p.csv",
    f"-r gold -p a --labels {TWO} -- p.csv",
    "p.csv --labels ham --labels spam -r gold -p a",
):
    RESULTS[f"report {line}"] = lambda: report(GOLD, A, labels=["ham", "spam"])


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("line", RESULTS)
def test_a_command_gives_the_result_of_the_function(line, run):
    code, output, _ = run(f"{line} --format json")
    wanted = json.loads(json.dumps(RESULTS[line]().to_dict()))
    assert (code, json.loads(output) | {"read": []}) == (0, wanted | {"read": []})


NUMBERS = {
    f"{PAIR} {OUT}": score_of(GOLD, A),
    f"gold.txt a.txt {OUT}": score_of(GOLD, A),
    f"abc.csv -r gold -p a {PRIOR} {OUT} --prior-mode odds": score_of(
        ABC["gold"], ABC["a"], prior=SHARES, prior_mode="odds"
    ),
    f"abc.csv -r gold -p a {PRIOR} {OUT}": score_of(ABC["gold"], ABC["a"], prior=SHARES),
    f"zeros.csv -r gold -p a {OUT}": 0.0,  # 001 is not 1
    f"zeros.csv -r gold -p a {OUT} --numeric": 1.0,
    # as pandas writes integers with a gap: read as integers without being asked
    "gaps.csv -r gold -p a --metric balanced_accuracy --drop-null": 0.75,
    "gaps.csv -r gold -p a --metric balanced_accuracy --unknown wrong --labels 0 1": 2 / 3,
    # an answer that the second file lacks is a wrong one, if asked
    f"a.csv few.csv --on id -r gold -p model --metric accuracy --unknown wrong --labels {TWO}": 0.5,
}


@pytest.mark.parametrize("line", NUMBERS)
def test_one_number_is_printed_alone(line, run):
    write("zeros.csv", gold=["001", "002"], a=["1", "2"])
    write("gaps.csv", gold=["0", "1", "1", "1"], a=["0.0", "1.0", "0.0", ""])
    write("few.csv", id=IDS[:60], model=GOLD[:60])
    code, output, _ = run(f"report {line}")
    assert (code, float(output)) == (0, pytest.approx(NUMBERS[line], abs=1e-12))


def test_every_output_is_that_of_the_result_with_what_was_read_before_it(run):
    result = report(GOLD, A, confidence_level=0.9)
    for output, shown in {
        "text": f"{result}\n",
        "csv": result.to_csv(),
        "markdown": result.to_markdown() + "\n",
        "latex": result.to_latex() + "\n",
    }.items():
        code, out, told = run(f"report {PAIR} --confidence-level 0.9 --format {output}")
        assert (code, told) == (0, "")
        if output != "csv":  # which is for programs
            shown = shown.replace("`labels", "`--labels")
        if output == "markdown":
            assert out.startswith("```text\np.csv: 120 rows\n")
            assert out.endswith(f"\n```\n\n{shown}")
        else:
            assert (without_read(out) if output == "text" else out) == shown
    (read,) = json.loads(run(f"report {PAIR} --format json")[1])["read"]
    assert (read["n_rows"], read["columns"][0]["labels"]) == (120, [["ham", 90], ["spam", 30]])


def test_the_text_of_a_comparison_ends_with_its_sentence_and_names_both(run):
    result = compare(GOLD, A, B, groups=DOC)
    output = without_read(run(f"compare {PAIR} b --groups doc")[1])
    assert re.match(rf"N +120\n(Groups +25\n)?A: a +{result.a:.4f}\nB: b +{result.b:.4f}\n", output)
    assert output.endswith(f"\n\n{result.signature}\n\n{result}\n")
    assert re.search("^A: a.csv .*\nB: b.csv ", run(f"compare {JOINED}")[1], re.MULTILINE)
    # a column may have a name of its own in each file
    Path("b.csv").write_text(Path("b.csv").read_text().replace("id,gold,model", "id,gold,other"))
    output = run(f"compare {JOINED} other")[1]
    assert re.search("^A: a.csv, model .*\nB: b.csv, other ", output, re.MULTILINE)


def test_options_of_python_are_named_as_on_the_command_line_in_results_warnings_and_errors(
    run, monkeypatch
):
    groups = [f"{i // 10 * 10}" for i in range(100)] * 10
    write("many.csv", gold=[*map(str, range(100))] * 10, a=groups)
    for output in ("text", "markdown", "latex"):
        shown = run(f"report many.csv -r gold -p a --format {output}")[1]
        assert "100 classes, and --average prevalence gives 0.091" in shown
    text = "with `{y_pred}` of b, `{sample_weight}`, {unknown}, {numeric}, {ignore_index}."
    python = {"y_pred": "y_pred", "sample_weight": "sample_weight", "unknown": 'unknown="wrong"'}
    python |= {"numeric": "numeric=True", "ignore_index": "ignore_index=-100"}
    options = {"y_pred": "--predictions", "sample_weight": "--weights"}
    options |= {"unknown": "--unknown wrong", "numeric": "--numeric"}
    options |= {"ignore_index": "--ignore-index=-100"}
    wrong = Mock(side_effect=ValueError(text.format(**python) + " not 'labels' or unknown"))
    monkeypatch.setattr("informedness.inputs.samples.read_files", wrong)
    refused(run(f"report {PAIR}"), text.format(**options) + " not 'labels' or unknown")


# Refusals

LISTED = "must name columns of "
ERRORS = {
    "": "the command must be one of report, compare, register, unregister; see `",
    "reprot p.csv": "got 'reprot'",
    "report": "name a file, a folder or -",
    "register p.csv": "unrecognized arguments: p.csv",
    "report p.csv --output json": "unrecognized arguments: --output json; `informedness report --h",
    "report p.csv -r": "error: `--references`: expected one argument; `informedness report --help`",
    "report none.csv -r gold -p a": "none.csv: No such file or directory",
    "report p -r gold -p a": "give it as --input-format\n",
    "report p.csv -r a -p b --by c --vs-rest J": "`--vs-rest` must be one of ('accuracy', ",
    "report p.csv -r a -p b --metric kappa": "got 'kappa': did you mean 'cohen_kappa'?",
    "compare p.csv -r a -p b c --metric MCC": "did you mean 'matthews_corrcoef'?",
    f"report p.csv {OUT} --average weighted": "invalid choice: 'weighted' (choose from ",
    f"report {PAIR} --metric nit --average macro": "`--average` must be left out for",
    f"report {PAIR} --confidence-level 95": "`--confidence-level` must lie between 0",
    # what does not go together
    f"report {PAIR} --task x": "`--task` is for logs",
    "report gold.txt a.txt --weights w": "`--weights` is for columns: give --references",
    "report p.jsonl --drop-null": "`--drop-null` is for columns",
    f"report {PAIR} b --by x": "`--by` is for one model",
    f"report {PAIR} --vs-rest nit": "`--vs-rest` is for slices: add --by",
    f"report {PAIR} --average macro": "`--average` is for one score: add --metric",
    f"report {PAIR} --by x --metric nit": "`--by` is for all scores, and --metric",
    f"report {PAIR} --plot x --metric nit": "`--plot` is for all scores, and --metric",
    f"report {PAIR} --plot x --by x": "intervals of slices: add --confidence-level 0.95",
    f"compare {JOINED} --counts n": "`--counts` is for rows without identifiers",
    f"report {PAIR} {PRIOR}": "`--prior` is for one score of one model: add --metric",
    f"report {PAIR} b {PRIOR} --metric nit": "`--prior` is for one score of one model",
    f"report {PAIR} --prior-mode odds --metric nit": "`--prior-mode` is for a --prior",
    f"report {PAIR} {PRIOR} --prior-mode odds --metric nit": "`--prior-mode` must be one of",
    f"report {PAIR} --prior label --metric nit": "`--prior` must be FILE:COLUMN, as",
    f"report {PAIR} --prior train:1.csv:x --metric nit": "`--prior`: train:1.csv: ",
    # columns and files
    f"report {PAIR} a": "`--predictions` must name each column once, got 'a' twice",
    f"report {PAIR} --counts gold": "a column of its own",
    "report p.csv -r gold -p A": "'A', which does not exist; the columns are 'gold', 'a', 'b', 't",
    "report p.csv -r gold -p typ": "\n  informedness report p.csv -r gold -p type\n",
    "report a.csv -r gold -p model --weights doc --on": "`--on`: expected one argument",
    f"report {PAIR} --on id": "`--on` needs two files, got 1",
    f"report {PAIR} --weights type": "p.csv: not readable as csv: `--counts` and `--weights` must",
    f"report {PAIR} --numeric": "`--references` must hold integers with --numeric, got 'ham'",
    "report gold.txt a.txt --numeric": "`references` must hold integers with --numeric, got 'ham'",
    "report gold.txt a.txt -r label": "two text files (.txt), of references and of predictions",
    "report gold.txt": "two text files (.txt), of references and of predictions",
    "report gold.txt gold.txt": "FILE must name two files, got gold.txt twice",
    "compare p.csv p.csv -r gold -p a --on doc": "FILE must name two files, got p.csv twice",
    "report null.parquet -r gold -p b": (
        "null.parquet: `--predictions` must have a value in every row, got None (null) or nan in 1 "
        "of 120 rows of column 'b': --unknown wrong with `--labels` counts"
    ),
    "report null.parquet -r gold -p b ": (
        f"\n  informedness report null.parquet -r gold -p b --unknown wrong --labels {TWO}\n"
    ),
    f"report {PAIR} --extract (x)": "pass --unknown wrong with `--labels` or `--choices`",
    f"report {PAIR} --labels ham,spam": f"blanks between classes: write --labels {TWO}\n",
    **{
        f"report {PAIR} --labels {TWO} {last}": (
            f"error: '{last}' looks like a file among the values of `--labels`: put all files "
            f"before the options; if it is a value, give it on its own as --labels={last}\n"
        )
        for last in ("p.csv", ".", "-", "part-2.csv")
    },
    # two models
    f"compare {PAIR}": "must name two columns, or with --on one in each of two files, got 1: a",
    f"compare {PAIR} x": "`--predictions` names column 'x', which does not exist",
    f"compare {PAIR} b --on a": "`--on` needs two files",
    f"compare {PAIR} b --groups x": "`--groups` names column 'x', which does not exist",
    f"compare {PAIR} b --ignore-index ham": "`--references` must have at least two classes",
    "compare .": "there must be two logs of harnesses, got 1 files",
    "compare a.csv p.csv --on id -r gold -p model": "p.csv: `--on` names column 'id', which does",
    "compare null.parquet a.csv --on id -r gold -p a model": (
        "`--on of a.csv` must hold labels of the same type as `--on of null.parquet`, got strings"
    ),
    # of which nothing is left to see
    "report empty.csv": "empty.csv: the file has no rows",
    "report head.csv": "head.csv: the file has no rows",
}


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("line", ERRORS)
def test_what_cannot_work_is_an_error_of_one_line(line, run):
    Path("p").write_bytes(Path("p.csv").read_bytes())
    Path("empty.csv").touch()
    Path("head.csv").write_text("gold,a\n")
    refused(run(line), ERRORS[line])


def test_standard_input_needs_a_format(run, monkeypatch):
    content = Path("p.csv").read_bytes()
    for options, expected in ((" --input-format csv", 0), ("", 2)):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))
        code, output, _ = run(f"report - -r gold -p a{options}")
        assert code == expected
    assert output == ""


def test_no_command_is_suggested_if_no_class_has_been_seen(run):
    assert run(f"report {PAIR} --extract '(x)'")[2].endswith("such predictions as wrong answers\n")


def test_identifiers_of_one_file_alone_or_that_repeat_are_counted(run):
    head, *rows = Path("b.csv").read_text().splitlines(keepends=True)
    kept = [row for row in rows if row.split(",")[0] not in ("s3", "s50", "s119")]
    for changed, *said in (
        (
            [*kept, "new,ham,ham\n"],
            "3 of 120 in a.csv not in b.csv, such as 's",
            "; 1 of 118 in b.csv not in a.csv, such as 'new'; both must hold the same samples",
        ),
        ([*rows, rows[4], rows[8], rows[4]], "3 of 123 rows of b.csv repeat an identifier"),
        (
            "".join(rows).replace(",ham,", ",spam,", 2),
            "the references of 2 of 120 samples differ between a.csv and b.csv, such as 'ham' and ",
        ),
    ):
        Path("b.csv").write_text("".join([head, *changed]))
        refused(run(f"compare {JOINED}"), f"`--on` 'id': {said[0]}", *said)


def test_numeric_leaves_identifiers_as_they_are(run):
    write("a.csv", id=["01", "1", "x"], gold=["1", "02", "2"], model=["01", "2", "1"])
    write("b.csv", id=["x", "1", "01"], gold=["2", "2", "1"], model=["2", "2", "1"])
    output = json.loads(run(f"compare {JOINED} --numeric --format json")[1])
    with pytest.warns(UserWarning, match="informedness: "):
        wanted = compare([1, 2, 2], [1, 2, 1], [1, 2, 2]).to_dict()
    assert output | {"read": []} == wanted | {"read": []}


def test_rows_without_a_label_are_left_out_if_asked_and_the_signature_says_so(run):
    left = str(report(GOLD[1:], B[1:])).replace("|v:", "|left-out:1|v:")
    code, output, _ = run("report null.parquet -r gold -p b --drop-null")
    assert (code, without_read(output)) == (0, f"{left}\n")
    assert "120 rows, 1 left out (no prediction)" in output
    output = json.loads(run("compare null.parquet -r gold -p a b --drop-null --format json")[1])
    wanted = compare(GOLD[1:], A[1:], B[1:]).to_dict()
    wanted["signature"] = wanted["signature"].replace("|v:", "|left-out:1|v:")
    assert output | {"read": []} == wanted | {"read": []}
    Path("a.txt").write_text("\n".join([*A[:-1], ""]) + "\n")
    refused(run("report gold.txt a.txt"), "in 1 of 120 rows of column 'a.txt'")
    assert run("report gold.txt a.txt --keep-missing")[0] == 0
    assert "120 rows, 1 left out (no prediction)" in run("report gold.txt a.txt --drop-null")[1]
    Path("a.txt").write_text("ham\n")
    refused(run("report gold.txt a.txt"), "number of lines, one per sample, got 120 in ")


def test_what_may_be_a_mistake_is_scored_and_warned_of_once_and_an_error_if_strict(run):
    write("n.csv", gold=["ham", "ham", "spam", "spam"], a=["ham", "spam"] * 2, n=[84, 6, 15, 15])
    for options in ("", " n", " --by n"):
        code, output, told = run(f"report n.csv -r gold -p a{options}")
        assert (code, "n.csv: 4 rows" in output) == (0, True)
    code, output, told = run("report n.csv -r gold -p a")
    assert "not used: n" in output
    assert "column 'n' is called a count: name it as `--counts` if each row" in told
    refused(run("report n.csv -r gold -p a --strict"), "column 'n' is called a count")
    counted = run("report n.csv -r gold -p a --counts n")
    assert (counted[0], without_read(counted[1])) == (0, f"{report(GOLD, A)}\n")
    write("s.csv", prediction=GOLD, label=A)
    assert "the names say the opposite: swap them" in run("report s.csv -r prediction -p label")[2]
    write("none.csv", gold=["yes", "no"] * 9, a=["0", "1"] * 9, b=["1", "0"] * 9)
    code, output, told = run("compare none.csv -r gold -p a b")
    assert (code, told.count("none in common")) == (0, 2)
    assert "0 9, 1 9 (no class of the references)" in output
    write("one.csv", gold=["a"] * 60, a=["b"] * 60)
    code, output, told = run("report one.csv -r gold -p a")
    assert (code, "undefined" in output) == (0, True)
    assert re.fullmatch("(warning: ((?!zero_division).)*\n){3}", told)
    assert len(set(told.splitlines())) == 3
    refused(run("report one.csv -r gold -p a --strict"), *(x[9:] for x in told.splitlines()))
    # and these are none
    Path("again.csv").write_bytes(Path("p.csv").read_bytes())
    code, output, told = run("report p.csv again.csv -r gold -p a")
    assert (code, output.splitlines()[0], told) == (0, "p.csv and again.csv: 240 rows", "")
    code, output, _ = run("report p.csv -r gold -p gold")
    assert (code, output.count("gold  ham 90, spam 30")) == (0, 2)


def test_without_columns_those_of_a_file_are_shown_with_a_command_that_keeps_what_was_given(run):
    columns = {"label": [*"aabaab"], "model": [*"abbabb"], "text": ["x" * 99, "y", ""] * 2}
    write("c.csv", **columns)
    rows = zip(*columns.values(), strict=True)
    objects = [dict(zip(columns, row, strict=True)) | {"of": [1]} for row in rows]
    Path("c.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in objects))
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(objects), "c.parquet")
    for path in ("c.csv", "c.jsonl", "c.parquet"):
        for name, model in (("report", "model"), ("compare", "model OTHER")):
            for given, added in (
                ("", f" -r label -p {model}"),
                (" -r label", f" -r label -p {model}"),
                (" --strip -r text", f" --strip -r text -p label{' model' * (name[0] == 'c')}"),
                (" -p model", " -p model -r label"),
            ):
                code, output, errors = run(f"{name} {path}{given}")
                assert (code, output) == (2, "")
                assert f"must name columns of {path}; in its first 10,000 rows" in errors
                assert re.search("^label +2 +yes +'a', 'b'$", errors, re.MULTILINE)
                assert re.search("^text +[23] +'xx.{9,}xx', 'y'", errors, re.MULTILINE)
                assert errors.endswith(f"\n  informedness {name} {path}{added}\n")
            assert bool(re.search(r"^of(\.0)?\b", errors, re.MULTILINE)) == (path != "c.csv")
    deep = {"response": {"choices": [{"message": {"content": "a"}}]}}
    Path("c.jsonl").write_text(f"{json.dumps(deep)}\n")
    told = run("report c.jsonl")[2]
    assert re.search(r"^response\.choices\.0\.message\.content +1 ", told, re.MULTILINE)
    assert told.endswith("-r LABEL -p MODEL\n")


def test_help_names_every_command_score_format_and_harness(run):
    assert run("--version")[:2] == (0, f"informedness {__version__}\n")
    assert all(f"\n  {name} " in run("--help")[1] for name in cli.COMMANDS)
    for name in ("report", "compare"):
        code, output, _ = run(f"{name} --help")
        assert code == 0
        for names in (SCORES, {*FORMATS.values()}, READERS):
            assert {*names} <= {*re.findall(r"[\w-]+", output)}
    assert "usage: informedness register\n" in run("register --help")[1]


# Figures


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:informedness. ")
def test_figures_are_written_and_the_output_is_what_it_is_without(run):
    for number, (options, names) in enumerate(
        (
            ("", ["confusion", "per_class", "entropy_triangle"]),
            (" b", ["intervals"]),
            (" --by type --confidence-level 0.9", ["intervals"]),
        )
    ):
        _, printed, told = run(f"report {PAIR}{options}")
        folder = Path(f"version.{number}", "figures")
        paths = [folder / f"{name}.png" for name in names]
        said = "".join(f"wrote {path}\n" for path in paths) + told
        assert run(f"report {PAIR}{options} --plot {folder}") == (0, printed, said)
        assert sorted(folder.iterdir()) == sorted(paths)
        assert {path.read_bytes()[:4] for path in paths} == {b"\x89PNG"}
    for name in ("p.png", "p.svg", "x/p.pdf"):
        refused(
            run(f"report {PAIR} --plot {name}"), f"must name a folder for PNG files, got {name}"
        )
        assert not Path(name).exists()


# A disk with room for this many bytes of a file.
SMALL_DISK = """
import resource, sys
from informedness.cli import main
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, 3000))
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no limit on files")
def test_a_figure_that_finds_no_room_is_named_and_leaves_no_part_of_it():
    command = [sys.executable, "-c", SMALL_DISK, "report", *PAIR.split(), "--plot", "figures"]
    result = subprocess.run(command, capture_output=True, text=True)
    refused((result.returncode, result.stdout, result.stderr), "figures/confusion.png: ")
    assert not [*Path("figures").iterdir()]


# Streams


@pytest.mark.skipif(os.name == "nt", reason="Windows has no FIFO in its files")
def test_an_interrupt_is_one_line():
    os.mkfifo("fifo.csv")
    process = subprocess.Popen(
        [sys.executable, "-m", "informedness", "report", "fifo.csv", "-r", "gold", "-p", "a"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # a shell's "&" ignores it
    )
    with Path("fifo.csv").open("w"):  # once the command reads, which then waits
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=120) == (b"", b"informedness: interrupted\n")
    assert process.returncode == 130


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="for a shell of Unix")
def test_standard_output_that_is_closed_or_full_loses_no_result_in_silence():
    def in_shell(redirection):
        command = f"'{sys.executable}' -m informedness report {PAIR} {redirection}"
        result = subprocess.run(["sh", "-c", command], capture_output=True, text=True)
        return result.returncode, result.stdout, result.stderr

    refused(in_shell(">&-"), "error: standard output is closed\n")
    refused(in_shell(">/dev/full"), "error: standard output: ")
    assert in_shell("| true")[2] == ""  # a pipe that is closed ends it quietly
    assert in_shell("--strip 2>&-") == in_shell("--strip 2>/dev/null")  # no warning in the result


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_output_for_programs_is_utf_8_and_labels_a_terminal_cannot_show_are_escaped(
    monkeypatch, capsys
):
    labels = ["naïve", "日本", "b"] * 20
    write("l.csv", gold=labels, model=labels, source=labels)
    results = {"": report(labels, labels)}
    results["--by source"] = slices(labels, labels, by={"source": labels})

    def printed(encoding, options):
        written = io.TextIOWrapper(io.BytesIO(), encoding)
        monkeypatch.setattr(sys, "stdout", written)
        code = cli.main(["report", "l.csv", "-r", "gold", "-p", "model", *options.split()])
        return code, written.buffer.getvalue()

    for options, result in results.items():
        for output in ("csv", "latex"):
            wanted = commands.FORMATS[output](result) + "\n"
            assert printed("ascii", f"{options} --format {output}") == (0, wanted.encode())
        code, found = printed("ascii", f"{options} --format json")
        wanted = json.loads(commands.FORMATS["json"](result))
        assert (code, json.loads(found) | {"read": []}) == (0, wanted | {"read": []})
    # this one was asked for, and holds all labels too
    assert printed("utf-16", "--format csv")[1].decode("utf-16") == results[""].to_csv()
    for encoding, label in ("ascii", rb"na\xefve"), ("latin-1", b"na\xefve"), ("utf-8", b"na\xc3"):
        assert label in printed(encoding, "")[1]
    for output, result in (("csv", (2, b"")), ("text", (0, b"\\udce9\n"))):
        monkeypatch.setitem(commands.FORMATS, output, lambda result: "\udce9")  # half of a pair
        assert printed("utf-8", f"--format {output}") == result
    assert "error: standard output: " in capsys.readouterr().err
