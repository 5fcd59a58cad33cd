"""`informedness compare`: two columns or two files, joined; the numbers are those of `compare`."""

import json
import random
import re
from functools import partial

import pyarrow as pa
import pyarrow.parquet
import pytest

import cli_cases
from cli_cases import refused
from informedness import SCORES as METRICS
from informedness import compare

REFERENCES = ["ham"] * 90 + ["spam"] * 30
A = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 15 + ["spam"] * 15
B = ["ham"] * 86 + ["spam"] * 4 + ["ham"] * 8 + ["spam"] * 22
ROWS = list(zip(REFERENCES, A, B, strict=True))
COLUMNS = ["--references", "gold", "--predictions", "a", "b"]
JOINED = ["--on", "id", "--references", "gold", "--predictions", "model"]
NAMES = ("id", "gold", "model")


@pytest.fixture
def run(command):
    return partial(command, "compare")


@pytest.fixture
def result_of(run):
    """Return a function that runs a comparison without a warning and gives its JSON."""

    def result(*arguments):
        code, output, errors = run(*arguments, "--output", "json")
        assert (code, errors) == (0, "")
        return json.loads(output)

    return result


def write(path, rows, names=("gold", "a", "b")):
    return cli_cases.write(path, rows, names)


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
    return write(tmp_path / "A.csv", first, NAMES), write(tmp_path / "B.csv", second, NAMES)


def test_the_json_is_the_comparison_by_every_metric(result_of, file):
    expected = compare(REFERENCES, A, B)
    assert expected.n_samples == 120
    assert result_of(file, *COLUMNS) == expected.to_dict()
    for metric in METRICS:
        expected = compare(REFERENCES, A, B, metric=metric).to_dict()
        assert result_of(file, *COLUMNS, "--metric", metric) == expected


def test_the_text_shows_all_of_it_and_the_sentence_last(run, file):
    result = compare(REFERENCES, A, B)
    low, high = result.confidence_interval
    code, output, errors = run(file, *COLUMNS)
    assert (code, errors) == (0, "")
    assert output.endswith(f"\n\n{result.signature}\n\n{result}\n")
    lines = [" ".join(line.split()) for line in output.splitlines()]
    assert lines[:3] == ["N 120", f"A: a {result.a:.4f}", f"B: b {result.b:.4f}"]
    error = f"± {result.standard_error:.4f} ({low:.4f} to {high:.4f})"
    assert lines[3] == f"Difference {result.difference:+.4f} {error}"
    assert lines[4] == f"p-value ({result.test}) {result.p_value:.4f}"


def test_options_reach_the_comparison(result_of, tmp_path):
    references = [str(i % 3) for i in range(90)]
    a = [str(i % 3 if i % 5 else (i + 1) % 3) for i in range(90)]
    b = [str(i % 3) if i % 7 else "refused" for i in range(90)]
    references[10] = references[20] = "-100"
    path = write(tmp_path / "p.csv", zip(references, a, b, strict=True))
    given = ["--labels", "2", "1", "0", "--unknown", "wrong", "--ignore-index=-100"]
    given += ["--average", "macro", "--confidence-level", "0.8", "--seed", "3"]
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
    assert result_of(path, *COLUMNS, *given) == expected.to_dict()


def test_two_files_are_joined_on_the_identifier_in_any_order(result_of, run, two, monkeypatch):
    assert result_of(*two, *JOINED) == compare(REFERENCES, A, B).to_dict()
    monkeypatch.chdir(two[0].parent)
    text = run("A.csv", "B.csv", *JOINED)[1]
    assert "\nA: A.csv " in text
    assert "\nB: B.csv " in text


def test_long_names_are_not_cut_where_that_would_make_them_one(run, tmp_path):
    first, second = (f"{'a' * 100}{i}{'b' * 100}" for i in range(2))
    path = write(tmp_path / "p.csv", ROWS, ("gold", first, second))
    text = run(path, "--references", "gold", "--predictions", first, second)[1]
    assert f"\nB: {second} " in text


def test_the_columns_of_two_files_may_have_names_of_their_own(run, two, tmp_path):
    a, b = two
    renamed = tmp_path / "renamed.csv"
    renamed.write_text(b.read_text().replace("id,gold,model", "id,gold,model_b"))
    expected = run(a, b, *JOINED, "--output", "json")
    assert run(a, renamed, *JOINED, "model_b", "--output", "json") == expected
    refused(run(a, renamed, *JOINED), f"{renamed}: `predictions`: column 'model' does not exist")


def test_integers_join_integers_and_never_text(result_of, run, tmp_path):
    a = write_parquet(tmp_path / "a.parquet", id=range(120), gold=REFERENCES, model=A)
    b = write_parquet(
        tmp_path / "b.parquet", id=range(119, -1, -1), gold=REFERENCES[::-1], model=B[::-1]
    )
    assert result_of(a, b, *JOINED) == compare(REFERENCES, A, B).to_dict()
    text = write(tmp_path / "b.csv", zip(range(120), REFERENCES, B, strict=True), NAMES)
    message = f"`on of {text}` must hold labels of the same type as"
    refused(run(a, text, *JOINED), message)
    refused(run(a, text, *JOINED, "--numeric"), "must hold")


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_numeric_leaves_identifiers_as_they_are(run, tmp_path):
    a = write(tmp_path / "a.csv", [("01", "1", "01"), ("1", "2", "2"), ("x", "2", "1")], NAMES)
    b = write(tmp_path / "b.csv", [("x", "2", "2"), ("1", "02", "2"), ("01", "1", "1")], NAMES)
    code, output, _ = run(a, b, *JOINED, "--numeric", "--output", "json")
    assert code == 0
    assert json.loads(output) == compare([1, 2, 2], [1, 2, 1], [1, 2, 2]).to_dict()


def test_identifiers_of_one_file_alone_or_that_repeat_are_counted(run, two):
    a, b = two
    head, *rows = b.read_text().splitlines(keepends=True)
    kept = [row for row in rows if row.split(",")[0] not in ("s3", "s50", "s119")]
    b.write_text("".join([head, *kept, "new,ham,ham\n"]))
    refused(
        run(a, b, *JOINED),
        f"`--on id`: 3 of 120 in {a} are not in {b} (such as 's",
        f", 1 of 118 in {b} is not in {a} (such as 'new'): both must hold the same samples",
    )
    b.write_text("".join([head, *rows, rows[4], rows[8], rows[4]]))
    for pair in ((a, b), (b, a)):
        refused(run(*pair, *JOINED), f"`--on id`: 3 of 123 rows of {b} repeat an identifier")


def test_references_that_differ_are_counted(run, two):
    a, b = two
    b.write_text(b.read_text().replace(",ham,", ",spam,", 2))
    refused(
        run(a, b, *JOINED),
        f"`--on id`: the references of 2 of 120 samples differ between {a} and {b}, "
        "such as 'ham' and 'spam' for 's",
    )


def test_nulls_are_an_error_or_left_out(result_of, run, tmp_path):
    nulls = [None, *B[1:]]
    path = write_parquet(tmp_path / "p.parquet", gold=REFERENCES, a=A, b=nulls)
    refused(
        run(path, *COLUMNS),
        f"{path}: `predictions_b` must have a value in every row",
        "got None (null) in 1 of 120 rows of column 'b'",
        "--drop-null",
    )
    expected = compare(REFERENCES[1:], A[1:], B[1:]).to_dict()
    assert result_of(path, *COLUMNS, "--drop-null") == expected
    a = write_parquet(tmp_path / "a.parquet", id=range(120), gold=REFERENCES, model=A)
    b = write_parquet(tmp_path / "b.parquet", id=range(120), gold=REFERENCES, model=nulls)
    refused(
        run(a, b, *JOINED, "--drop-null"),
        f"1 of 120 in {a} is not in {b} (such as 0), 0 of 119 in {b} are not in {a}: both "
        "must hold the same samples, and rows with a null are left out",
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["a"], "`--predictions` must name two columns, for A and for B, got 1: a"),
        (["a", "x"], "`predictions_b`: column 'x' does not exist"),
        (["a", "b", "--on", "a"], "`--on` needs two files"),
        (["a", "b", "--n-resamples", "9"], "`--n-resamples` must be an integer of"),
        (["a", "b", "--groups", "x"], "`--groups`: column 'x' does not exist"),
        (["a", "b", "--metric", "nit", "--average", "bias"], "`--average` must be"),
        (["a", "b", "--unknown", "wrong"], "only with `--labels`"),
        (["a", "b", "--labels", "ham"], "'spam' is missing"),
        (["a", "b", "--ignore-index", "ham"], "must have at least two classes"),
    ],
)
def test_what_cannot_be_compared_is_refused(run, file, arguments, message):
    refused(run(file, "--references", "gold", "--predictions", *arguments), message)


GROUPS = [f"0{i % 25}" for i in range(120)]


def test_groups_are_a_column_of_text_that_of_the_first_of_two_files(result_of, run, two, tmp_path):
    rows = [(*row, group) for row, group in zip(ROWS, GROUPS, strict=True)]
    path = write(tmp_path / "p.csv", rows, ("gold", "a", "b", "document"))
    options = ["--groups", "document", "--n-resamples", "500"]
    expected = compare(REFERENCES, A, B, groups=GROUPS, n_resamples=500).to_dict()
    assert result_of(path, *COLUMNS, *options) == expected
    assert re.search("^Groups +25$", run(path, *COLUMNS, *options)[1], re.MULTILINE)
    rows = [(f"s{i}", r, a, group) for i, (r, a, _, group) in enumerate(rows)]
    random.Random(1).shuffle(rows)
    write(two[0], rows, (*NAMES, "document"))
    assert result_of(*two, *JOINED, *options) == expected
