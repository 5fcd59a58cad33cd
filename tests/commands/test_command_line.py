"""The command line: files as they are, exit codes, and nothing but the result on stdout.

All of it runs on every system; `test_command_line_on_unix.py` has what only Unix can try.

Covers src: cli.py, commands/console.py, commands/run.py, commands/reading.py,
commands/request.py.
"""

import io
import json
import lzma
import os
import random
import re
import shlex
import sys
from itertools import product
from pathlib import Path

import pyarrow
import pyarrow.parquet
import pytest

from informedness import __version__, cli, compare, estimate, leaderboard, report, slices
from informedness import informedness_score as score_of
from informedness.files.joining import joined_rows, whole_columns
from informedness.files.opening import FORMATS
from informedness.files.samples import Samples
from informedness.inference.registry import SCORES
from informedness.logs.reading import READERS, read_log
from informedness.results.report import Report
from informedness.tables.label_options import LabelOptions
from inputs.cli_cases import refused, without_read
from inputs.file_cases import WRITERS, write_csv

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # of the functions beside it

GOLD = ["ham"] * 90 + ["spam"] * 30
A = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 15 + ["spam"] * 15
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 8 + ["spam"] * 22
TYPE, DOC = ["x", "y"] * 60, [f"0{i % 25}" for i in range(120)]
IDS = [f"s{i}" for i in range(120)]
ABC = {"gold": [*"aaaabbbccc"], "a": [*"aabcbbacca"], "b": [*"aaaabbcccc"]}
RUN = Path(__file__).parents[2] / "examples/runs/lm-eval/knows-half"
TRAIN = "train.csv" if os.name == "nt" else "train:1.csv"  # only the last colon is ours


def write(name, **columns):
    write_csv(pyarrow.table(columns), name)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Write the same answers into several files, and others in which something is odd."""
    folder = tmp_path_factory.mktemp("files")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(folder)
        write("p.csv", gold=GOLD, a=A, b=B, type=TYPE, doc=DOC)
        Path("p").write_bytes(Path("p.csv").read_bytes())
        Path("latin.csv").write_bytes(Path("p.csv").read_bytes().replace(b"ham", b"h\xe4m"))
        write("a.csv", id=IDS, gold=GOLD, model=A, doc=DOC)
        rows = random.Random(0).sample([*zip(IDS, GOLD, B, strict=True)], 120)
        ids, gold, b = map(list, zip(*rows, strict=True))
        write("b.csv", id=ids, gold=gold, model=b)
        write("c.csv", id=ids, gold=gold, other=b)
        write("few.csv", id=IDS[:60], model=GOLD[:60])
        write("lacks.csv", id=[*IDS[3:], "new"], gold=[*GOLD[3:], "ham"], model=[*B[3:], "ham"])
        write("again.csv", id=[*IDS, "s2"], gold=[*GOLD, "ham"], model=[*B, "ham"])
        write("differs.csv", id=IDS, gold=["spam", "spam", *GOLD[2:]], model=B)
        write("0a.csv", id=["01", "1", "x"], gold=["1", "02", "2"], model=["01", "2", "1"])
        write("0b.csv", id=["x", "1", "01"], gold=["2", "2", "1"], model=["2", "2", "1"])
        says = ({"id": name, "says": {"text": label}} for name, _, label in rows)
        Path("out.jsonl").write_text("".join(f"{json.dumps(row)}\n" for row in says))
        Path("gold.txt").write_text("\n".join(GOLD) + "\n")
        Path("a.txt").write_bytes("\r\n".join(A).encode())
        Path("b.txt").write_text("\n".join(B) + "\n")
        Path("gap.txt").write_text("\n".join([*A[:-1], ""]) + "\n")
        columns = {"id": range(120), "gold": GOLD, "a": A, "b": [None, *B[1:]]}
        pyarrow.parquet.write_table(pyarrow.table(columns), "null.parquet")
        write("abc.csv", **ABC)
        write(TRAIN, label=[*"abbcccccc?"])
        write("gaps.csv", gold=["0", "1", "1", "1"], a=["0.0", "1.0", "0.0", ""])
        tens = [f"{i // 10 * 10}" for i in range(100)] * 10
        write("many.csv", gold=[*map(str, range(100))] * 10, a=tens)
        write("n.csv", gold=["ham"] * 2 + ["spam"] * 2, a=["ham", "spam"] * 2, n=[84, 6, 15, 15])
        write("swapped.csv", prediction=GOLD, label=A)
        write("other.csv", gold=["yes", "no"] * 9, a=["0", "1"] * 9, b=["1", "0"] * 9)
        write("one.csv", gold=["a"] * 60, a=["b"] * 60)
        write("scores.csv", gold=["a", "b"] * 30, a=["0.25", "0.75"] * 30)
        Path("empty.csv").touch()
    return folder


@pytest.fixture
def run(command, folder, monkeypatch):
    """Return a function that runs a command line, which is one string, beside the files."""
    monkeypatch.chdir(folder)
    return lambda line: command(*shlex.split(line))


# Results

PAIR, TWO, OUT = "p.csv -r gold -p a", "ham spam", "--metric informedness"
JOINED, LEVEL = "a.csv b.csv --on id -r gold -p model", "--confidence-level 0.9"
AT_90, ONE = {"confidence_level": 0.9}, (ABC["gold"], ABC["a"])
PRIOR, SHARES = f"--prior {TRAIN}:label --ignore-index ?", {"a": 1, "b": 2, "c": 6}
BY_PRIOR = {"prior": SHARES, "ignore_index": "?"}
LOGGED = f"report {shlex.quote(str(RUN))} --task arithmetic_letters {OUT} --average macro"
RESULTS = {
    f"report {PAIR} {LEVEL}": lambda: report(GOLD, A, **AT_90),
    "report gold.txt a.txt": lambda: report(GOLD, A),
    "report n.csv -r gold -p a --counts n": lambda: report(GOLD, A),
    f"report {JOINED}": lambda: report(GOLD, B),
    "report a.csv out.jsonl --on id -r gold -p says.text": lambda: report(GOLD, B),
    f"report {PAIR} b": lambda: leaderboard(GOLD, {"a": A, "b": B}),
    f"report {PAIR} --by type": lambda: slices(GOLD, A, by={"type": TYPE}),
    f"report {PAIR} --average macro {LEVEL}": lambda: report(GOLD, A, average="macro", **AT_90),
    f"report {PAIR} --groups doc {LEVEL}": lambda: report(GOLD, A, groups=DOC, **AT_90),
    f"report {PAIR} --groups doc {OUT} {LEVEL}": lambda: estimate(GOLD, A, groups=DOC, **AT_90),
    f"report {PAIR} --groups doc --ignore-index ham {LEVEL}": lambda: report(
        GOLD, A, groups=DOC, ignore_index="ham", **AT_90
    ),
    f"report {PAIR} b --groups doc": lambda: leaderboard(GOLD, {"a": A, "b": B}, groups=DOC),
    f"report {PAIR} --by type --groups doc --average macro {LEVEL}": lambda: slices(
        GOLD, A, by={"type": TYPE}, groups=DOC, average="macro", **AT_90
    ),
    f"report {PAIR} --metric ema {LEVEL}": lambda: estimate(GOLD, A, "ema", **AT_90),
    f"report abc.csv -r gold -p a {PRIOR} {OUT} {LEVEL}": lambda: estimate(
        *ONE, **BY_PRIOR, **AT_90
    ),
    f"{LOGGED} {LEVEL}": lambda: read_log(RUN, task="arithmetic_letters")[0].estimate(
        "informedness", 0.9, "macro"
    ),
    f"compare {PAIR} b --metric nit": lambda: compare(GOLD, A, B, metric="nit"),
    f"compare {PAIR} b --labels {TWO} --average macro {LEVEL}": lambda: compare(
        GOLD, A, B, labels=["ham", "spam"], average="macro", **AT_90
    ),
    "compare gold.txt a.txt b.txt": lambda: compare(GOLD, A, B),
    f"compare {JOINED} model": lambda: compare(GOLD, A, B),
    f"compare {JOINED} --groups doc": lambda: compare(GOLD, A, B, groups=DOC),
    # identifiers stay as they are
    "compare 0a.csv 0b.csv --on id -r gold -p model --numeric": lambda: compare(
        [1, 2, 2], [1, 2, 1], [1, 2, 2]
    ),
    f"compare abc.csv -r gold -p a b {PRIOR}": lambda: compare(*ABC.values(), **BY_PRIOR),
    f"compare null.parquet -r gold -p a b --labels {TWO} --unknown wrong": lambda: compare(
        GOLD, A, ["?", *B[1:]], labels=["ham", "spam"], unknown="wrong"
    ),
    # the signature says that a row is left out
    "report null.parquet -r gold -p b --drop-null": lambda: report(GOLD[1:], B[1:]),
    "report gold.txt gap.txt --drop-null": lambda: report(GOLD[:-1], A[:-1]),
    "compare null.parquet -r gold -p a b --drop-null": lambda: compare(GOLD[1:], A[1:], B[1:]),
    # the files anywhere, and values after an option or with it
    **{
        f"report {line}": lambda: report(GOLD, A, labels=["ham", "spam"])
        for line in (
            "--labels=ham -r gold p.csv --labels=spam -p a",
            f"-r gold -p a --labels {TWO} p.csv",
            f"-r gold -p a --labels {TWO} -- p.csv",
            "p.csv --labels ham --labels spam -r gold -p a",
        )
    },
}


@pytest.mark.parametrize("line", RESULTS)
def test_a_command_gives_the_result_of_the_function(line, run):
    code, output, _ = run(f"{line} --format json")
    left_out = "|left-out:1|v:" if "--drop-null" in line else "|v:"
    wanted = json.loads(json.dumps(RESULTS[line]().to_dict()).replace("|v:", left_out))
    assert (code, json.loads(output) | {"read": []}) == (0, wanted | {"read": []})


LATIN = "latin.csv -r gold -p a --encoding latin-1 --prior latin.csv:gold"
NUMBERS = {
    f"report {PAIR} {OUT}": score_of(GOLD, A),
    f"report abc.csv -r gold -p a {PRIOR} {OUT} --prior-mode odds": score_of(
        *ONE, prior=SHARES, prior_mode="odds"
    ),
    f"report {LATIN} {OUT}": score_of(GOLD, A),
    LOGGED: 0.5,  # of a model that knows half of the answers
    # as pandas writes integers with a gap: read as integers without being asked
    "report gaps.csv -r gold -p a --metric balanced_accuracy --drop-null": 0.75,
    "report gaps.csv -r gold -p a --metric balanced_accuracy --unknown wrong --labels 0 1": 2 / 3,
    # an answer that the second file lacks is a wrong one, if asked
    "report a.csv few.csv --on id -r gold -p model --metric accuracy --unknown wrong "
    f"--labels {TWO}": 0.5,
    "report gold.txt gap.txt --keep-missing --metric accuracy": 98 / 120,
}


@pytest.mark.parametrize("line", NUMBERS)
def test_one_number_is_printed_alone(line, run):
    code, output, _ = run(line)
    assert (code, float(output)) == (0, pytest.approx(NUMBERS[line], abs=1e-12))


def test_every_output_shows_the_account_then_the_result(run):
    result, found = report(GOLD, A, **AT_90), {}
    for output in ("text", "json", "csv", "markdown", "latex", "html"):
        code, found[output], told = run(f"report {PAIR} {LEVEL} --format {output}")
        assert (code, told) == (0, "")
    (read,) = json.loads(found["json"])["read"]
    assert (read["n_rows"], read["columns"][0]["labels"]) == (120, [["ham", 90], ["spam", 30]])
    assert found["csv"] == result.to_csv()
    before, _, found["markdown"] = found["markdown"].partition("\n```\n\n")
    assert before.startswith("```text\np.csv: 120 rows\n")
    found["text"] = without_read(found["text"])
    shown = {"text": f"{result}", "markdown": result.to_markdown(), "latex": result.to_latex()}
    for output, wanted in shown.items():
        assert found[output] == f"{wanted}\n".replace("`labels", "`--labels")


# What is said beside a result: on standard output, and on the other

NOTE = ["Informedness (bias)*: above accuracy, so it is not a share of the predictions."]
ABOVE = ["100 classes, and --average prevalence gives 0.091"]
SAID = {
    "compare a.csv c.csv --on id -r gold -p model other": (
        ["A: a.csv, model ", "B: c.csv, other "],
        [],
    ),
    **{f"report many.csv -r gold -p a --format {x}": (NOTE, ABOVE) for x in ("text", "latex")},
    "report p.csv p -r gold -p a --input-format csv": (["p.csv and p: 240 rows\n"], []),
    "report null.parquet -r gold -p b --drop-null": (["120 rows, 1 left out (no prediction)"], []),
    "report n.csv -r gold -p a --by n": (["n.csv: 4 rows\n"], ["*): 3 of 3"]),
    "report n.csv -r gold -p a": (
        ["not used: n"],
        ["as in a table of counts: if it is one, name 'n' as `--counts`"],
    ),
    "report swapped.csv -r prediction -p label": (
        [],
        ["the names suggest the opposite. Swap them"],
    ),
    "compare other.csv -r gold -p a b --metric nit": (
        ["0 9, 1 9 (out of class)"],
        [
            *["has labels that are not classes of `--references`: '0' and '1' (no prediction"] * 2,
            "the interval of",
        ],
    ),
    "report one.csv -r gold -p a --labels a --unknown wrong": (
        ["undefined"],
        ["no prediction is a class", "all references are 'a'", "there is only one class"],
    ),
}


@pytest.mark.parametrize("line", SAID)
def test_possible_mistakes_warn_once_and_fail_under_strict(line, run):
    """In words of the command line."""
    in_output, in_warnings = SAID[line]
    code, output, told = run(line)
    assert (code, "zero_division" in told) == (0, False)
    assert all(said in output for said in in_output)
    told = [x.removeprefix("warning: ") for x in told.splitlines()]
    assert all(said in x for said, x in zip(in_warnings, told, strict=True))
    if told:
        refused(run(f"{line} --strict"), *told)


# Refusals

ID, JOIN = "--on id -r gold -p model", "`--on` 'id': "
ERRORS = {
    "nonsense": "register, unregister, got 'nonsense'; see `informedness --help`",
    "reprot p.csv": "did you mean `report`?",
    "leaderboard p.csv": "did you mean `report -p a b c`?",
    "slices p.csv": "did you mean `report --by`?",
    "p.csv": "did you mean `informedness report p.csv`?",
    "report p.csv --refs gold": "did you mean `--references`?",
    "report p.csv --mteric nit": "did you mean `--metric`?",
    "report -r gold -p a p.csv --by b p.csv": "'p.csv' looks like a file among the values",
    "report": "name a file, a folder or -",
    "register p.csv": "unrecognized arguments: p.csv",
    "report p.csv -r": "error: `--references`: expected one argument; `informedness report --help`",
    "report p.csv -r gold -p gold": "`--predictions` must not be the same column as `--references`",
    "report '' -r gold -p a": "`FILE` must be a path or a sequence of paths, got ''",
    "report one.csv -r gold -p a": "none of the 60 `--predictions` ('b') is a class of the `--ref",
    "report none.csv -r gold -p a": "error: none.csv: ",  # and what the system says
    "report p -r gold -p a": "Pass the format as `--input-format`, or save",
    "report p.csv -r a -p b --by c --vs-rest J": "`--vs-rest` must be one of ('accuracy', ",
    f"report {PAIR} --metric nit --average macro": "`--average` must be left out for",
    f"report {PAIR} --confidence-level 95": "`--confidence-level` must be between 0",
    # what does not go together
    f"report {PAIR} --task x": "`--task` applies only to logs",
    "report gold.txt a.txt --weights w": "`--weights` applies only to columns. Add --ref",
    f"report {PAIR} --vs-rest nit": "`--vs-rest` applies only to slices. Add --by",
    f"report {PAIR} --groups doc --no-intervals": "only to intervals. Add",
    f"report {PAIR} --groups doc --weights w {LEVEL}": "only to samples without",
    f"report {PAIR} --by type --vs-rest nit --groups doc {LEVEL}": "`--vs-rest` assumes",
    f"report {PAIR} --plot x --metric nit": "`--plot` applies only to all scores. Leave out",
    f"report {PAIR} --plot x --by x --no-intervals": "intervals of slices. Add",
    f"compare {JOINED} --counts n": "`--counts` applies only to files that are not",
    f"report {PAIR} {PRIOR}": "`--prior` applies only to one score of one model. Name one --metric",
    f"report {PAIR} --prior-mode odds --metric nit": "one score without an interval. Add --metric",
    f"report {PAIR} {PRIOR} --prior-mode odds --metric nit": "`--prior-mode` must be one of",
    f"report {PAIR} --prior label --metric nit": "`--prior` must be FILE:COLUMN, as",
    f"report {PAIR} --prior {TRAIN}:x --metric nit": f"`--prior`: {TRAIN}: ",
    # columns and files; `labels` is no option here
    f"report {PAIR} a": "`--predictions` must name each column once, got 'a' twice",
    f"report {PAIR} --counts gold": "must name a column that no other argument names, got 'gold'",
    "report p.csv -r gold -p labels": "`--predictions` names column 'labels', which does not exist",
    f"report {PAIR} --on id": "`--on` needs two files, got 1",
    "report a.csv c.csv --on id -r gold -p model other": "only to one model. Name one",
    f"report {PAIR} --weights type": "p.csv: not readable as csv: `--weights` and `--counts` must",
    f"report {PAIR} --encoding `labels`": "is not text in '`labels`': unknown encoding: `labels`",
    f"report {PAIR} --numeric": "`--references` must hold integers with --numeric, got 'ham'",
    "report scores.csv -r gold -p a": "--threshold 0.5 turns scores into two classes. ",
    "compare gold.txt a.txt gold.txt": "gold.txt: each file must be listed once",
    "report gold.txt gold.txt": "gold.txt: each file must be listed once",
    "compare p.csv p.csv -r gold -p a --on doc": "p.csv: each file must be listed once",
    "report empty.csv": "empty.csv: 0 rows: there must be rows with labels, and",
    **{
        f"report {PAIR} --labels {TWO} {last}": f"'{last}' looks like a file among the values of"
        for last in ("p.csv", ".", "-", "part-2.csv")
    },
    # two models
    f"compare {PAIR}": "two columns, or with --on one column per file, got a. To rank models, use ",
    f"compare {PAIR} b --ignore-index ham": "`--references` must have at least two classes",
    "compare .": "there must be two logs of harnesses, got .\n",
    "compare a.csv p.csv --on id -r gold -p model": "p.csv: `--on` names column 'id', which does",
    "compare null.parquet a.csv --on id -r gold -p a model": "120 of 120 identifiers in null.p",
    f"compare a.csv lacks.csv {ID}": (
        "3 of 120 identifiers in a.csv cannot be found in lacks.csv, such as 's",
        "1 of 118 identifiers in lacks.csv cannot be found in a.csv, such as 'new'. Keep only the",
    ),
    f"compare a.csv again.csv {ID}": f"{JOIN}1 of 121 rows of again.csv repeat an identifier",
    f"compare a.csv differs.csv {ID}": f"{JOIN}the references of 2 of 120 samples differ between ",
}


@pytest.mark.parametrize("line", ERRORS)
def test_what_cannot_work_is_an_error_of_one_line(line, run):
    said = ERRORS[line] if isinstance(ERRORS[line], tuple) else (ERRORS[line],)
    result = run(line)
    refused(result, *said)
    assert result[2].endswith(said[-1]) or not said[-1].endswith("\n")


def test_standard_input_is_read_in_the_format_that_is_named(run, monkeypatch):
    content = io.BytesIO(Path("p.csv").read_bytes())
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(content))
    assert run(f"report - -r gold -p a --input-format csv {OUT}")[1] == f"{score_of(GOLD, A)}\n"


def test_help_names_every_command_score_format_and_harness(run):
    assert run("--version")[:2] == (0, f"informedness {__version__}\n")
    assert all(f"\n  {name} " in run("--help")[1] for name in cli.COMMANDS)
    assert run("") == run("help") == run("--help")
    for name in ("report", "compare"):
        code, output, _ = run(f"{name} --help")
        assert code == 0
        for names in (SCORES, {*FORMATS.values()}, READERS):
            assert {*names} <= {*re.findall(r"[\w-]+", output)}
    assert "usage: informedness register\n" in run("register --help")[1]


@pytest.mark.slow
def test_writing_figures_leaves_the_output_unchanged(run, tmp_path):
    for options, *names in (
        ("", "confusion", "per_class", "entropy_triangle"),
        (" b", "intervals"),
        (f" --by type {LEVEL}", "intervals"),
    ):
        _, printed, told = run(f"report {PAIR}{options}")
        folder = tmp_path / f"version.{len(options)}" / "figures"
        paths = [folder / f"{name}.png" for name in names]
        said = "".join(f"wrote {path}\n" for path in paths) + told
        plot = f"--plot {shlex.quote(str(folder))}"
        assert run(f"report {PAIR}{options} {plot}") == (0, printed, said)
        assert sorted(folder.iterdir()) == sorted(paths)
        assert {path.read_bytes()[:4] for path in paths} == {b"\x89PNG"}
    refused(run(f"report {PAIR} --plot p.svg"), "must name a folder for PNG files, got p.svg")
    assert not Path("p.svg").exists()


def test_output_for_programs_is_utf_8_and_terminals_get_escapes(monkeypatch, capsys, tmp_path):
    monkeypatch.chdir(tmp_path)
    labels = ["naïve", "日本", "b"] * 20
    write("l.csv", gold=labels, model=labels)

    def printed(encoding, options):
        written = io.TextIOWrapper(io.BytesIO(), encoding, newline="\n")
        monkeypatch.setattr(sys, "stdout", written)
        code = cli.main(["report", "l.csv", "-r", "gold", "-p", "model", *options.split()])
        return code, written.buffer.getvalue()

    assert "日本" in printed("ascii", "--format csv")[1].decode()
    for encoding, label in ("ascii", rb"na\xefve"), ("latin-1", b"na\xefve"), ("utf-8", b"na\xc3"):
        assert label in printed(encoding, "")[1]
    for name in ("to_csv", "__str__"):
        monkeypatch.setattr(Report, name, lambda result: "\udce9")  # half of a pair
    for output, result in (("csv", (2, b"")), ("text", (0, b"\\udce9\n"))):
        assert printed("utf-8", f"--format {output}") == result
    assert "error: standard output: " in capsys.readouterr().err


def test_undefined_scores_are_null_in_json(run, folder):
    (folder / "same.csv").write_text("gold,a\na,a\na,a\n")
    for metric, wanted in (("cohen_kappa", None), ("accuracy", 1.0)):
        code, output, _ = run(f"report same.csv -r gold -p a --metric {metric} --format json")
        assert (code, json.loads(output)) == (0, wanted)


def test_xz_files_are_read_and_unknown_endings_refused(run, folder):
    plain = (folder / "p.csv").read_bytes()
    (folder / "p.csv.xz").write_bytes(lzma.compress(plain))
    how = "-r gold -p a --metric accuracy"
    assert run(f"report p.csv.xz {how}")[:2] == (0, run(f"report p.csv {how}")[1])
    (folder / "p.sav").write_bytes(plain)
    refused(run(f"report p.sav {how}"), "save the data as CSV or Parquet")


# Two files joined by identifiers

IDS_OF_8, GOLD_OF_8, HALF = [*"12345678"], [*"abababab"], [*"abbaabba"]
ONE_SIDE = {"id": IDS_OF_8, "gold": GOLD_OF_8}
UNLIKE = {"id": IDS_OF_8, "gold": [*"abababbb"], "model": HALF}
FEWER = {name: column[1:] for name, column in UNLIKE.items()}
CODES = {"id": IDS_OF_8, "gold": [*"01010101"], "model": [*"01100110"]}
WITH_POINTS = {name: [f"{x}.0" for x in column] for name, column in CODES.items()}
WEIGHTED = CODES | {"weight": [1, 2, 0.5, 1, 1, 3, 1, 1]}
NUMBERED = {"id": [*range(6)], "gold": [*"ababab"]}
MORE = {"id": [*"01234567"], "model": [*"abbabbab"]}
AND_A_GAP = {"id": [*IDS_OF_8, "9"], "gold": [*GOLD_OF_8, ""], "model": [*HALF, "b"]}
TEXTS = [{"id": [0, 1], "gold": ["x", text], "model": ["x", text]} for text in ("1.0", "1")]
SIDES, WRONG, UNEQUAL = "-r gold -p model", "--unknown wrong", "the references of 1 of "
JOINS = [  # files, their columns, options, and the accuracy or what is said
    # identifiers match as integers and text, and predictions without a reference are left out
    ("0.json 1.csv", NUMBERED, MORE, SIDES, 0.5),
    # of the other file none may lack: its references would be missing answers
    (
        "0.csv 1.json",
        MORE,
        NUMBERED,
        "-r model -p gold",
        "2 of 8 identifiers in 0.csv cannot be found in 1.json",
    ),
    ("0.csv 1.json", MORE, NUMBERED, f"-r model -p gold {WRONG}", 3 / 8),
    # references that both files have are compared, whatever is left out
    ("0.csv 1.csv", ONE_SIDE, UNLIKE, SIDES, UNEQUAL),
    ("0.csv 1.csv", ONE_SIDE, FEWER, f"{SIDES} {WRONG}", UNEQUAL),
    ("0.csv 1.csv", ONE_SIDE, AND_A_GAP, SIDES, 0.5),
    ("0.csv 1.csv", ONE_SIDE, {"id": [], "gold": [], "model": []}, SIDES, "must have rows to join"),
    # both may be spelt as pandas writes integers beside an empty cell, but strings of JSON are not
    ("0.csv 1.csv", CODES, WITH_POINTS, SIDES, 0.5),
    ("0.csv 1.csv", WITH_POINTS, CODES, SIDES, 0.5),
    ("0.csv 1.csv", WEIGHTED, WITH_POINTS, f"{SIDES} --weights weight", 2 / 3),
    ("0.json 1.json", *TEXTS, SIDES, UNEQUAL),
]


KINDS_OF_IDS = {  # of two files; the second as they are in the first
    "text": lambda i: (f"é-{i}", f"é-{i}"),
    "integers beside text": lambda i: (i - 20, str(i - 20)),
    "integers": lambda i: (i - 20, i - 20),
    "large integers": lambda i: (2**62 + i, 2**62 + i),
    "decimals": lambda i: (f"{i}.0", str(i)),
    "missing ones": lambda i: (f"x{i}" if i else None, f"x{i}" if i else None),
}


@pytest.mark.parametrize("kind", KINDS_OF_IDS)
def test_identifiers_match_in_every_pair_of_formats(kind, tmp_path):
    rng = random.Random(0)
    first, second = zip(*map(KINDS_OF_IDS[kind], range(300)), strict=True)
    labels = {x: rng.choice("ab") for x in first}, {x: rng.choice("ab") for x in second}
    rows = [[*x.items()] for x in labels]
    expected = sorted(zip(*(x.values() for x in labels), strict=True))
    for names in product(("p.csv", "p.jsonl", "p.parquet"), repeat=2):
        for side, name, own, column in zip("ab", names, rows, ("gold", "model"), strict=True):
            rng.shuffle(own)
            ids, values = zip(*own, strict=True)
            WRITERS[name](pyarrow.table({"id": ids, column: values}), tmp_path / f"{side}{name}")
        paths = [tmp_path / f"{side}{name}" for side, name in zip("ab", names, strict=True)]
        samples = Samples({"references": "gold", "predictions": "model"}, LabelOptions())
        joined = joined_rows(
            paths, "id", [{"references": "gold"}, {"predictions": "model"}], samples
        )
        columns = whole_columns(samples, joined).columns.values()
        assert sorted(zip(*(x.tolist() for x in columns), strict=True)) == expected, names


@pytest.mark.parametrize(("names", "first", "second", "options", "expected"), JOINS)
def test_two_files_are_joined_by_identifiers_or_refused(
    names, first, second, options, expected, command, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    for name, columns in zip(names.split(), (first, second), strict=True):
        WRITERS[f"p{Path(name).suffix}"](pyarrow.table(columns), Path(name))
    result = command("report", *f"{names} --on id --metric accuracy {options}".split())
    if isinstance(expected, str):
        refused(result, expected)
    else:
        assert (result[0], float(result[1])) == (0, pytest.approx(expected, abs=1e-12))
        n_rows = max(len(columns["id"]) for columns in (first, second))
        assert f": {n_rows} rows" in result[2]  # those left out among them


def test_references_in_a_later_part_of_joined_predictions_are_not_read(command, tmp_path):
    (tmp_path / "gold.csv").write_text("id,gold\n1,a\n2,b\n3,a\n4,b\n")
    (tmp_path / "parts").mkdir()
    (tmp_path / "parts" / "0.csv").write_text("id,model\n1,a\n2,b\n")
    (tmp_path / "parts" / "1.csv").write_text("id,gold,model\n3,a,a\n4,b,a\n")
    line = f"{tmp_path / 'gold.csv'} {tmp_path / 'parts'} --on id -r gold -p model"
    code, output, _ = command("report", *line.split(), "--metric", "accuracy")
    assert (code, float(output)) == (0, 0.75)


# Names and values that look like arguments


@pytest.mark.parametrize("name", ["labels=1.csv", "drop_null=True", "on=.csv"])
def test_names_that_look_like_arguments_are_printed_unchanged(name, run, tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        write("b.csv", id=["1", "2", "3", "5"], gold=[*"abab"], model=[*"aaaa"])
        write("a.csv", id=[*"1234"], gold=[*"abab"], model=[*"aaaa"])
        Path("a.csv").rename(name)
        told = run(f"compare {name} b.csv --on id -r gold -p model --input-format csv")[2]
        for option, label in product(("labels", "choices"), ("the `labels`", 'by="x"')):
            write("c.csv", gold=[*"ab"], model=[label, "a"])
            Path("c.csv").replace(name)
            line = f"report {name} -r gold -p model --{option} a b --input-format csv"
            rule = f"{name}: `--{option}` must list every prediction; {label!r} is missing. Add "
            refused(run(line), f"{rule}it, or pass --unknown wrong to count such predictions as ")
    alone = f"1 of 4 identifiers in {name} cannot be found in b.csv, such as '4'. "
    other = f"1 of 4 identifiers in b.csv cannot be found in {name}, such as '5'. Keep"
    assert f"{alone}{other}" in told
