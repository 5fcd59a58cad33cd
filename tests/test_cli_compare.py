"""`informedness compare`: two columns or two files, joined; the numbers are those of `compare`."""

import json
import random
import re
from functools import partial

import pyarrow.parquet
import pytest

from cli_cases import refused, without_read, write
from informedness import compare
from informedness.statistics.registry import SCORES as METRICS

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
        code, output, errors = run(*arguments, "--format", "json")
        assert (code, errors) == (0, "")
        found = json.loads(output)
        assert len(found.pop("read")) == 1
        return found

    return result


@pytest.fixture
def file(tmp_path):
    return write(tmp_path / "both.csv", ROWS, ("gold", "a", "b"))


@pytest.fixture
def two(tmp_path):
    """A file of each model, the second in another order."""
    first = [(f"s{i}", r, a) for i, (r, a, _) in enumerate(ROWS)]
    second = [(f"s{i}", r, b) for i, (r, _, b) in enumerate(ROWS)]
    random.Random(0).shuffle(second)
    return write(tmp_path / "A.csv", first, NAMES), write(tmp_path / "B.csv", second, NAMES)


def test_the_json_and_the_text_are_of_the_comparison_by_every_metric(result_of, run, file):
    result = compare(REFERENCES, A, B)
    assert result_of(file, *COLUMNS) == result.to_dict()
    code, output, errors = run(file, *COLUMNS)
    assert (code, errors) == (0, "")
    output = without_read(output)
    assert re.match(rf"N +120\nA: a +{result.a:.4f}\nB: b +{result.b:.4f}\n", output)
    assert output.endswith(f"\n\n{result.signature}\n\n{result}\n")
    for metric in METRICS:
        expected = compare(REFERENCES, A, B, metric=metric).to_dict()
        assert result_of(file, *COLUMNS, "--metric", metric) == expected


def test_options_reach_the_comparison(result_of, file):
    text = file.read_text().replace("ham,ham,ham", "-100,ham,ham", 2)
    file.write_text(text.replace("spam,spam,spam", "spam,spam,refused", 3))
    gold, a, b = zip(*(row.split(",") for row in file.read_text().split()[1:]), strict=True)
    given = ["--labels", "spam", "ham", "--unknown", "wrong", "--ignore-index=-100"]
    given += ["--average", "macro", "--confidence-level", "0.8"]
    options = {"labels": ["spam", "ham"], "unknown": "wrong", "ignore_index": "-100"}
    expected = compare(gold, a, b, **options, average="macro", confidence_level=0.8)
    assert result_of(file, *COLUMNS, *given) == expected.to_dict()


def test_two_files_are_joined_on_the_identifier_in_any_order(result_of, run, two, monkeypatch):
    monkeypatch.chdir(two[0].parent)
    files = ["A.csv", "B.csv"]
    expected = compare(REFERENCES, A, B).to_dict()
    assert result_of(*files, *JOINED) == expected
    assert re.search("^A: A.csv .*\nB: B.csv ", run(*files, *JOINED)[1], re.MULTILINE)
    # a column of predictions may have a name of its own in each file
    two[1].write_text(two[1].read_text().replace("id,gold,model", "id,gold,model_b"))
    assert result_of(*files, *JOINED, "model_b") == expected
    text = run(*files, *JOINED, "model_b")[1]
    assert re.search("^A: A.csv, model .*\nB: B.csv, model_b ", text, re.MULTILINE)
    refused(run(*files, *JOINED), "B.csv: `--predictions` names column 'model', which")


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_numeric_leaves_identifiers_as_they_are(run, tmp_path):
    a = write(tmp_path / "a.csv", [("01", "1", "01"), ("1", "02", "2"), ("x", "2", "1")], NAMES)
    b = write(tmp_path / "b.csv", [("x", "2", "2"), ("1", "2", "2"), ("01", "1", "1")], NAMES)
    code, output, _ = run(a, b, *JOINED, "--numeric", "--format", "json")
    assert code == 0
    expected = compare([1, 2, 2], [1, 2, 1], [1, 2, 2]).to_dict()
    assert json.loads(output) | {"read": []} == expected | {"read": []}


def test_identifiers_of_one_file_alone_or_that_repeat_are_counted(run, two):
    a, b = two
    head, *rows = b.read_text().splitlines(keepends=True)
    kept = [row for row in rows if row.split(",")[0] not in ("s3", "s50", "s119")]
    for changed, *said in (
        (
            [*kept, "new,ham,ham\n"],
            f"3 of 120 in {a} not in {b}, such as 's",
            f"; 1 of 118 in {b} not in {a}, such as 'new'; both must hold the same samples",
        ),
        ([*rows, rows[4], rows[8], rows[4]], f"3 of 123 rows of {b} repeat an identifier"),
        (
            "".join(rows).replace(",ham,", ",spam,", 2),
            f"the references of 2 of 120 samples differ between {a} and {b}, "
            "such as 'ham' and 'spam' for 's",
        ),
    ):
        b.write_text("".join([head, *changed]))
        refused(run(a, b, *JOINED), f"`--on` 'id': {said[0]}", *said)


def test_integers_are_joined_and_nulls_are_an_error_or_left_out(result_of, run, tmp_path):
    columns = {"id": range(120), "gold": REFERENCES, "a": A, "b": [None, *B[1:]]}
    a, b, text = (tmp_path / name for name in ("a.parquet", "b.parquet", "c.csv"))
    pyarrow.parquet.write_table(pyarrow.table(columns), a)
    pyarrow.parquet.write_table(pyarrow.table({name: x[::-1] for name, x in columns.items()}), b)
    write(text, zip(*columns.values(), strict=True), tuple(columns))
    refused(
        run(a, *COLUMNS),
        f"{a}: `--predictions` must have a value in every row",
        "in 1 of 120 rows of column 'b': --unknown wrong with `--labels` counts",
    )
    expected = compare(REFERENCES[1:], A[1:], B[1:]).to_dict()
    expected["signature"] = expected["signature"].replace("|v:", "|left-out:1|v:")
    assert result_of(a, *COLUMNS, "--drop-null") == expected
    joined = ["--on", "id", "--drop-null", *COLUMNS]
    assert result_of(a, b, *joined[:-2], "a", "a") == compare(REFERENCES, A, A).to_dict()
    assert result_of(a, b, *joined) == expected
    wrong = ["--unknown", "wrong", "--labels", "ham", "spam"]
    given = {"labels": ["ham", "spam"], "unknown": "wrong"}
    expected = compare(REFERENCES, A, ["?", *B[1:]], **given).to_dict()
    assert result_of(a, b, *joined, *wrong) == expected
    said = f"`--on of {text}` must hold labels of the same type as `--on of {a}`, got strings"
    refused(run(a, text, *joined), said)


def test_what_cannot_be_compared_is_refused(run, file):
    for given, message in (
        (
            "a",
            "`--predictions` must name two columns, or with --on one in each of two files, got 1",
        ),
        ("a x", "`--predictions` names column 'x', which does not exist"),
        ("a b --on a", "`--on` needs two files"),
        ("a b --groups x", "`--groups` names column 'x', which does not exist"),
        ("a b --ignore-index ham", "`--references` must have at least two classes"),
    ):
        refused(run(file, *COLUMNS[:3], *given.split()), message)
    refused(run(file.parent), "there must be two logs of harnesses, got 1 files")


def test_groups_are_a_column_of_text_that_of_the_first_of_two_files(result_of, run, two, tmp_path):
    groups = [f"0{i % 25}" for i in range(120)]
    rows = [(f"s{i}", *row, groups[i]) for i, row in enumerate(ROWS)]
    path = write(tmp_path / "p.csv", rows, ("id", "gold", "a", "model", "document"))
    options = ["--groups", "document"]
    expected = compare(REFERENCES, A, B, groups=groups).to_dict()
    given = [path, *COLUMNS[:3], "a", "model", *options]
    assert result_of(*given) == expected
    assert re.search("^Groups +25$", run(*given)[1], re.MULTILINE)
    assert result_of(path, two[1], *JOINED[:5], "a", "model", *options) == expected
