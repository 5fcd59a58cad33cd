"""`informedness compare`: two columns or two files, joined; the numbers are those of `compare`."""

import csv
import json
import random
import re
import subprocess
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet
import pytest

from informedness import SCORES as METRICS
from informedness import compare

REFERENCES = ["ham"] * 90 + ["spam"] * 30
A = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 15 + ["spam"] * 15
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 8 + ["spam"] * 22
ROWS = list(zip(REFERENCES, A, B, strict=True))
COLUMNS = ["--references", "gold", "--predictions", "a", "b"]
JOINED = ["--on", "id", "--references", "gold", "--predictions", "model"]


@pytest.fixture
def run(command):
    return partial(command, "compare")


def write(path, rows, names=("gold", "a", "b")):
    with path.open("w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *rows])
    return path


def write_parquet(path, **columns):
    pyarrow.parquet.write_table(pa.table(columns), path)
    return path


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "both.csv", ROWS)


@pytest.fixture
def two(tmp_path):
    """A file of each model, the second in another order."""
    first = [(f"s{i}", r, a) for i, (r, a, _) in enumerate(ROWS)]
    second = [(f"s{i}", r, b) for i, (r, _, b) in enumerate(ROWS)]
    random.Random(0).shuffle(second)
    names = ("id", "gold", "model")
    return write(tmp_path / "A.csv", first, names), write(tmp_path / "B.csv", second, names)


def refused(result, *parts):
    """Assert that the command ended with an error, each of these in its one line."""
    code, output, errors = result
    assert (code, output) == (2, "")
    assert errors.startswith("informedness: error: ")
    assert errors.count("\n") == 1
    for part in parts:
        assert part in errors


def test_the_json_is_the_comparison(run, file):
    expected = compare(REFERENCES, A, B).to_dict()
    assert expected["n_samples"] == 120
    code, output, errors = run(file, *COLUMNS, "--output", "json")
    assert (code, json.loads(output), errors) == (0, expected, "")


def test_the_text_shows_all_of_it_and_the_sentence_last(run, file):
    result = compare(REFERENCES, A, B)
    low, high = result.confidence_interval
    code, output, errors = run(file, *COLUMNS)
    assert (code, errors) == (0, "")
    *_, signature, blank, sentence = lines = output.splitlines()
    assert (signature, blank, sentence) == (result.signature, "", str(result))
    rows = dict(line.rsplit("  ", 1) for line in lines[:8] if not line.startswith("Diff"))
    assert {name.strip(): value.strip() for name, value in rows.items()} == {
        "N": "120",
        "A: a": f"{result.a:.4f}",
        "B: b": f"{result.b:.4f}",
        f"p-value ({result.test})": f"{result.p_value:.4f}",
        "Gained by B": str(result.gained),
        "Lost by B": str(result.lost),
        "Answered differently": str(result.n_different),
    }
    assert lines[3].split() == [
        "Difference",
        f"{result.difference:+.4f}",
        "±",
        f"{result.standard_error:.4f}",
        f"({low:.4f}",
        "to",
        f"{high:.4f})",
    ]


@pytest.mark.parametrize("metric", METRICS)
def test_every_metric_can_be_compared(run, file, metric):
    code, output, _ = run(file, *COLUMNS, "--metric", metric, "--output", "json")
    assert (code, json.loads(output)) == (0, compare(REFERENCES, A, B, metric=metric).to_dict())


def test_options_reach_the_comparison(run, tmp_path):
    references, a, b = (
        [str(i % 3) for i in range(90)],
        [str(i % 3 if i % 5 else (i + 1) % 3) for i in range(90)],
        [str(i % 3) if i % 7 else "refused" for i in range(90)],
    )
    references[10] = references[20] = "-100"
    path = write(tmp_path / "p.csv", zip(references, a, b, strict=True))
    code, output, errors = run(
        path,
        *COLUMNS,
        *["--labels", "2", "1", "0", "--unknown", "wrong", "--ignore-index=-100"],
        *["--average", "macro", "--confidence-level", "0.8", "--seed", "3", "--output", "json"],
    )
    expected = compare(
        references,
        a,
        b,
        labels=["2", "1", "0"],
        unknown="wrong",
        ignore_index="-100",
        average="macro",
        confidence_level=0.8,
        seed=3,
    )
    assert (code, json.loads(output), errors) == (0, expected.to_dict(), "")
    for part in ("avg:macro", "ignore:'-100'", "unknown:wrong", "permutation,0.8", "seed:3"):
        assert part in expected.signature


def test_text_is_text_unless_integers_are_asked_for(run, tmp_path):
    rows = [("1", "001", "1"), ("2", "2", "2"), ("1", "1", "2"), ("-100", "1", "1")] * 10
    path = write(tmp_path / "p.csv", rows)
    options = ["--ignore-index=-100", "--output", "json"]
    text = json.loads(run(path, *COLUMNS, *options)[1])
    numbers = json.loads(run(path, *COLUMNS, *options, "--numeric", "--labels", "1", "2")[1])
    columns = [list(column) for column in zip(*rows, strict=True)]
    integers = [list(map(int, column)) for column in columns]
    with pytest.warns(UserWarning, match="'001'"):
        assert text == compare(*columns, ignore_index="-100").to_dict()
    assert numbers == compare(*integers, ignore_index=-100, labels=[1, 2]).to_dict()
    assert text["a"] < numbers["a"] == 1


def test_parts_of_several_formats_are_one_set(run, file, tmp_path):
    expected = run(file, *COLUMNS)
    first = write(tmp_path / "1.csv", ROWS[:50])
    references, a, b = map(list, zip(*ROWS[50:], strict=True))
    second = write_parquet(tmp_path / "2.parquet", b=b, a=a, gold=references)
    assert run(first, second, *COLUMNS) == expected
    folder = tmp_path / "folder"
    folder.mkdir()
    write(folder / "part-0.csv", ROWS[:7])
    write(folder / "part-1.csv", ROWS[7:])
    assert run(folder, *COLUMNS) == expected


def test_standard_input_is_read(run, file):
    command = [sys.executable, "-m", "informedness", "compare", "-", *COLUMNS, "--format-in", "csv"]
    result = subprocess.run(command, input=file.read_bytes(), capture_output=True)
    assert (result.returncode, result.stderr) == (0, b"")
    assert result.stdout.decode() == run(file, *COLUMNS)[1]


def test_two_files_are_joined_on_the_identifier_in_any_order(run, two, file):
    a, b = two
    code, output, errors = run(a, b, *JOINED, "--output", "json")
    assert (code, errors) == (0, "")
    assert json.loads(output) == compare(REFERENCES, A, B).to_dict()


def test_the_text_calls_models_by_their_columns_and_files(run, two, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    a, b = (path.name for path in two)
    text = run(a, b, *JOINED)[1]
    assert f"\nA: {a} " in text
    assert f"\nB: {b} " in text


def test_names_that_are_long_are_cut_in_the_text_unless_that_makes_them_one(run, tmp_path):
    a, b = "a" * 200, "a" * 100 + "b" * 100
    path = write_parquet(tmp_path / "p.parquet", **{"gold": REFERENCES, a: A, b: B})
    text = run(path, "--references", "gold", "--predictions", a, b)[1]
    assert max(map(len, text.split("\n\n")[0].splitlines())) < 110
    assert re.search(r"^B: a{29}\.\.\.b{29}  ", text, re.MULTILINE)
    alike = [f"{'a' * 100}{i}{'b' * 100}" for i in range(2)]
    path = write_parquet(tmp_path / "p.parquet", gold=REFERENCES, **{alike[0]: A, alike[1]: B})
    text = run(path, "--references", "gold", "--predictions", *alike)[1]
    assert f"\nA: {alike[0]} " in text
    assert f"\nB: {alike[1]} " in text


def test_the_columns_of_two_files_may_have_names_of_their_own(run, two, tmp_path, monkeypatch):
    a, b = two
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(b.read_text().replace("id,gold,model", "id,gold,model_b"))
    expected = run(a, b, *JOINED, "--output", "json")
    assert run(a, renamed, *JOINED, "model_b", "--output", "json") == expected
    monkeypatch.chdir(tmp_path)
    assert "\nB: renamed.csv, model_b " in run(a, "renamed.csv", *JOINED, "model_b")[1]
    refused(run(a, renamed, *JOINED), f"{renamed}: `predictions`: column 'model' does not exist")


def test_integers_join_integers_and_never_text(run, two, tmp_path):
    a = write_parquet(tmp_path / "a.parquet", id=range(120), gold=REFERENCES, model=A)
    order = list(range(119, -1, -1))
    rows = {"gold": [REFERENCES[i] for i in order], "model": [B[i] for i in order]}
    b = write_parquet(tmp_path / "b.parquet", id=order, **rows)
    expected = compare(REFERENCES, A, B).to_dict()
    assert json.loads(run(a, b, *JOINED, "--output", "json")[1]) == expected
    text = write(
        tmp_path / "b.csv", zip(order, *rows.values(), strict=True), ("id", "gold", "model")
    )
    for options in ([], ["--numeric"]):
        refused(
            run(a, text, *JOINED, *options),
            "must hold" if options else f"`on of {text}` must hold labels of the same type as",
        )


def test_numeric_leaves_identifiers_as_they_are(run, tmp_path):
    names = ("id", "gold", "model")
    a = write(tmp_path / "a.csv", [("01", "1", "01"), ("1", "2", "2"), ("x", "2", "1")], names)
    b = write(tmp_path / "b.csv", [("x", "2", "2"), ("1", "02", "2"), ("01", "1", "1")], names)
    code, output, _ = run(a, b, *JOINED, "--numeric", "--output", "json")
    assert code == 0
    assert json.loads(output) == compare([1, 2, 2], [1, 2, 1], [1, 2, 2]).to_dict()


def lines_of(path):
    return path.read_text().splitlines(keepends=True)


def test_identifiers_of_one_file_alone_are_counted_on_both_sides(run, two):
    a, b = two
    head, *rows = lines_of(b)
    missing = [row for row in rows if row.split(",")[0] in ("s3", "s50", "s119")]
    b.write_text("".join([head, *(row for row in rows if row not in missing), "new,ham,ham\n"]))
    refused(
        run(a, b, *JOINED),
        f"`--on id`: 3 of 120 in {a} are not in {b} (such as 's",
        f", 1 of 118 in {b} is not in {a} (such as 'new'): both must hold the same samples",
    )
    head, *rows = lines_of(a)
    b.write_text("".join([head, *rows, "new,ham,ham\n"]))
    refused(run(a, b, *JOINED), f"`--on id`: 0 of 120 in {a} are not in {b}, 1 of 121 in {b} is")


def test_repeated_identifiers_are_counted(run, two):
    a, b = two
    rows = lines_of(b)
    b.write_text("".join([*rows, rows[5], rows[9], rows[5]]))
    for pair in ((a, b), (b, a)):
        refused(run(*pair, *JOINED), f"`--on id`: 3 of 123 rows of {b} repeat an identifier")


def test_references_that_differ_are_counted(run, two):
    a, b = two
    changed = [row.replace(",ham,", ",spam,", 1) for row in lines_of(b)[:40]]
    n_changed = sum(x != y for x, y in zip(changed, lines_of(b), strict=False))
    b.write_text("".join([*changed, *lines_of(b)[40:]]))
    assert n_changed > 1
    refused(
        run(a, b, *JOINED),
        f"`--on id`: the references of {n_changed} of 120 samples differ between {a} and {b}, "
        "such as 'ham' and 'spam' for 's",
    )


def test_nulls_are_an_error_or_left_out(run, tmp_path):
    nulls = [None, *B[1:]]
    path = write_parquet(tmp_path / "p.parquet", gold=REFERENCES, a=A, b=nulls)
    refused(
        run(path, *COLUMNS),
        f"{path}: `predictions_b` must have a value in every row, got None (null) in 1 of 120 rows "
        "of column 'b': --drop-null leaves out",
    )
    code, output, _ = run(path, *COLUMNS, "--drop-null", "--output", "json")
    assert (code, json.loads(output)) == (0, compare(REFERENCES[1:], A[1:], B[1:]).to_dict())
    ids = list(range(120))
    a = write_parquet(tmp_path / "a.parquet", id=ids, gold=REFERENCES, model=A)
    b = write_parquet(tmp_path / "b.parquet", id=ids, gold=REFERENCES, model=nulls)
    refused(run(a, b, *JOINED), f"{b}: `predictions` must have a value in every row")
    refused(
        run(a, b, *JOINED, "--drop-null"),
        f"1 of 120 in {a} is not in {b} (such as 0), 0 of 119 in {b} are not in {a}: both "
        "must hold the same samples, and rows with a null are left out",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--predictions", "a"],
            "`--predictions` must name two columns, for A and for B, got 1: a",
        ),
        (["--predictions", "a", "b", "b"], "must name two columns, for A and for B, got 3: a b b"),
        (["--predictions", "a", "x"], "`predictions_b`: column 'x' does not exist"),
        (["--predictions", "a", "b", "--on", "a"], "`--on` needs two files"),
        (["--predictions", "a", "b", "--confidence-level", "95"], "`--confidence-level` must lie"),
        (["--predictions", "a", "b", "--seed", "-1"], "`--seed` must be an integer of at least 0"),
        (
            ["--predictions", "a", "b", "--metric", "nit", "--average", "bias"],
            "`--average` must be",
        ),
        (["--predictions", "a", "b", "--unknown", "wrong"], "only with `--labels`"),
        (["--predictions", "a", "b", "--numeric"], "must hold integers (--numeric), got 'ham'"),
        (["--predictions", "a", "b", "--labels", "ham"], "'spam' is missing"),
        (["--predictions", "a", "b", "--ignore-index", "ham"], "must have at least two classes"),
    ],
)
def test_what_cannot_be_compared_is_refused(run, file, arguments, message):
    refused(run(file, "--references", "gold", *arguments), message)


def test_no_samples_are_refused(run, tmp_path):
    refused(run(write(tmp_path / "p.csv", []), *COLUMNS), "there must be a sample to score")
    empty = write(tmp_path / "empty.csv", [], ("id", "gold", "model"))
    refused(run(empty, empty, *JOINED), "there must be a sample to score")


def test_labels_of_one_type_in_all_parts(run, tmp_path):
    first = write_parquet(tmp_path / "1.parquet", gold=[0, 1], a=[0, 1], b=[0, 1])
    second = write_parquet(tmp_path / "2.parquet", gold=["0", "1"], a=["0", "1"], b=["0", "1"])
    refused(
        run(first, second, *COLUMNS),
        f"{second}: `references` must hold labels of the same type as `references before`",
    )


def test_warnings_go_to_stderr_once_each(run, tmp_path):
    rows = [("a", "a", "c"), ("b", "b", "b"), ("a", "c", "a")] * 20
    code, _, errors = run(write(tmp_path / "p.csv", rows), *COLUMNS)
    assert code == 0
    among = "among the predictions but not the references, so counted as 0 in Informedness"
    assert errors == f"warning: {among}: 'c'\n"


@pytest.mark.parametrize("order", ["before", "behind", "separated", "one by one"])
def test_files_may_stand_before_or_behind_the_predictions(run, tmp_path, order):
    path = write(tmp_path / "p.csv", ROWS)
    expected = run(path, *COLUMNS)
    assert expected[0] == 0
    arguments = {
        "before": [path, "--references", "gold", "--predictions", "a", "b"],
        "behind": ["--predictions", "a", "b", "--references", "gold", path],
        "separated": ["--references", "gold", "--predictions", "a", "b", "--", path],
        "one by one": ["--predictions=a", "--predictions=b", "--references=gold", path],
    }[order]
    assert run(*arguments) == expected


def test_a_file_is_never_taken_for_a_column(run, capsys, tmp_path):
    a, b = tmp_path / "a.csv", tmp_path / "b.csv"
    with pytest.raises(SystemExit):
        run("--on", "id", "--references", "gold", "--predictions", "model", a, b)
    errors = capsys.readouterr().err
    assert f"argument -p/--predictions: '{a}' looks like a file among its values" in errors
    assert f"--predictions model -- {a} {b}" in errors


GROUPS = [f"0{i % 25}" for i in range(120)]


def test_groups_are_a_column_of_text(run, tmp_path):
    rows = [(*row, group) for row, group in zip(ROWS, GROUPS, strict=True)]
    path = write(tmp_path / "p.csv", rows, ("gold", "a", "b", "document"))
    options = ["--groups", "document", "--n-resamples", "500"]
    expected = compare(REFERENCES, A, B, groups=GROUPS, n_resamples=500)
    code, output, _ = run(path, *COLUMNS, *options, "--output", "json")
    assert (code, json.loads(output)) == (0, expected.to_dict())
    text = run(path, *COLUMNS, *options)[1].splitlines()
    assert text[1].split() == ["Groups", "25"]
    refused(run(path, *COLUMNS, "--groups", "x"), "`--groups`: column 'x' does not exist")
    refused(run(path, *COLUMNS, "--n-resamples", "9"), "`--n-resamples` must be an integer of")


def test_groups_of_joined_files_are_those_of_the_first(run, two, tmp_path):
    a, b = two
    rows = [(f"s{i}", r, x, group) for i, ((r, x, _), group) in
            enumerate(zip(ROWS, GROUPS, strict=True))]  # fmt: skip
    random.Random(1).shuffle(rows)
    write(a, rows, ("id", "gold", "model", "document"))
    code, output, _ = run(a, b, *JOINED, "--groups", "document", "--output", "json")
    assert (code, json.loads(output)) == (0, compare(REFERENCES, A, B, groups=GROUPS).to_dict())
