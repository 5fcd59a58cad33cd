"""Nested columns and the argmax of lists, named on the command line and in Python, in every format.

`ROWS` are four samples, of which the table is counted by hand: gold 0, 1, 2, 1.
"""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import (
    read_columns,
    refused_as,
    write_arrow_file,
    write_arrow_stream,
    write_json_lines,
)
from informedness import table_from_file
from tables import table_of_labels

ROWS = [
    {
        "doc": {"label": label, "name": "abc"[label], "answers": ["x", "abc"[label]]},
        "model_response": {"logprobs": scores, "parts": [{"text": "abc"[says], "n": 1}]},
        "other": label,
    }
    for label, says, scores in [
        (0, 0, [-1.0, -2.0, -3.0]),
        (1, 0, [-0.5, -0.5]),  # the first of equals
        (2, 2, [-3.0, float("-inf"), 0.0]),
        (1, 1, [float("-inf"), -7.25, -8.0, -9.0]),
    ]
]
GOLD, SAYS = [0, 1, 2, 1], [0, 0, 2, 1]
NUMBERS = table_of_labels(GOLD, SAYS)
LETTERS = table_of_labels(["abc"[x] for x in GOLD], ["abc"[x] for x in SAYS])

WRITERS = {
    "p.parquet": lambda table, path: pa.parquet.write_table(table, path, row_group_size=3),
    "plain.parquet": lambda table, path: pa.parquet.write_table(table, path, use_dictionary=False),
    "p.arrow": write_arrow_file,
    "stream.arrow": write_arrow_stream,
    "p.jsonl": write_json_lines,
    "p.json": lambda table, path: path.write_text(json.dumps(table.to_pylist())),
}


@pytest.fixture
def files(tmp_path):
    """Return a function that writes rows in every format and gives the paths."""

    def write(rows):
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
        for name, writer in WRITERS.items():
            writer(table, tmp_path / name)
        return [tmp_path / name for name in WRITERS]

    return write


def table_of(path, references, predictions, **options):
    """Return the table that both ways to read files give."""
    names = {"references": references, "predictions": predictions}
    read = read_columns(path, names, drop_null=options.get("drop_null", False)).columns
    table = table_from_file(path, **names, **options)
    assert table_of_labels(read["references"], read["predictions"]) == table
    return table


def refused(path, references, predictions, message, **options):
    """See that both ways to read files refuse these columns with this message."""
    names = {"references": references, "predictions": predictions}
    refused_as(path, f"(?s)^{path}: .*{message}", names=names, **options)


def test_nested_columns_give_the_table_of_their_values(files):
    for path in files(ROWS):
        for references, predictions, expected in (
            ("doc.label", "argmax:model_response.logprobs", NUMBERS),
            ("other", "argmax:model_response.logprobs", NUMBERS),
            ("doc.name", "model_response.parts.0.text", LETTERS),
            ("doc.answers.1", "model_response.parts.0.text", LETTERS),
        ):
            assert table_of(path, references, predictions) == expected, (path, references)


def test_the_argmax_and_elements_are_exact_in_every_kind_of_list(files):
    gold = [1, 0, 0, 1]
    for kind in (
        pa.list_(pa.float32()),
        pa.large_list(pa.float64()),
        pa.list_(pa.int64()),
        pa.list_(pa.float64(), 2),
    ):
        larger = [2**53 + 1, 2**53] if kind == pa.list_(pa.int64()) else [3, 2]
        scores = pa.array([[1, 2], larger, [5, 5], [-4, -3]], kind)
        elements = pa.array([[x, 7] for x in gold], kind)
        for path in files(pa.table({"gold": gold, "scores": scores, "lists": elements})):
            for name in ("argmax:scores", "lists.0"):
                assert table_of(path, "gold", name) == table_of_labels(gold, gold), (path, kind)


def test_text_within_structs_and_lists_is_read_whatever_its_type(tmp_path):
    both, first = (table_of_labels(x, x) for x in (["a", "b"], ["a"]))
    path = tmp_path / "p.arrow"
    for text in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        inner = pa.struct([("name", text), ("names", pa.list_(text))])
        values = [{"name": "a", "names": ["x", "a"]}, {"name": None, "names": ["b", "b"]}]
        write_arrow_file(pa.table({"gold": ["a", "b"], "doc": pa.array(values, inner)}), path)
        assert table_of(path, "gold", "doc.names.1") == both, text
        assert table_of(path, "gold", "doc.name", drop_null=True) == first, text


NULLS = [
    {"gold": "a", "doc": {"name": "a", "inner": {"names": ["a", "b"]}, "lp": [1.0, 0.0]}},
    {"gold": "a", "doc": {"name": None, "inner": {"names": None}, "lp": None}},
    {"gold": "b", "doc": {"name": "b", "inner": None, "lp": None}},
    {"gold": "b", "doc": None},
    {"gold": "b", "doc": {"name": "a", "inner": {"names": [None, "b"]}, "lp": [0.0, 1.0]}},
]


def test_a_null_on_the_way_is_a_null_and_has_no_argmax(files):
    rows = [row | {"code": code} for code, row in zip([0, 0, 1, 1, 1], NULLS, strict=True)]
    paths = files(rows)
    for gold, name, n_nulls, left in (
        ("gold", "doc.name", 2, (["a", "b", "b"], ["a", "b", "a"])),
        ("gold", "doc.inner.names.0", 4, (["a"], ["a"])),
        ("code", "argmax:doc.lp", 3, ([0, 1], [0, 1])),
    ):
        for path in paths:
            refused(
                path, gold, name, rf"None \(null\) or nan in {n_nulls} of 5 rows of column '{name}'"
            )
            assert table_of(path, gold, name, drop_null=True) == table_of_labels(*left), path


def test_a_column_of_the_whole_name_comes_first_at_every_level(files):
    row = {
        "doc.label": "a",
        "doc": {"label": "b", "x.y": "c", "x": {"y": "d"}},
        "argmax:lp": "e",
        "lp": [1.0],
        "u.v": {"w": "f"},
        "u": {"v": {"w": "g"}},
    }
    read = {"a": "doc.label", "c": "doc.x.y", "e": "argmax:lp", "f": "u.v.w"}
    for path in files([row]):
        for label, name in read.items():
            assert table_of(path, name, name).labels == (label,), path


def test_a_way_that_breaks_is_answered_with_what_is_there(files, tmp_path):
    paths = files(ROWS)
    for name, there in (
        ("doc.lable", "the fields of 'doc' are .*'label'"),
        ("doc.label.x", "'doc.label' is .*, which has no fields"),
        ("doc.answers.first", r"'doc\.answers' is a list, whose elements are 'doc\.answers\.0'"),
        ("doc.answers.-1", r"'doc\.answers' is a list, whose elements"),
        ("doc.answers.2", r"'doc\.answers' is a list of length 2"),
    ):
        for path in paths:
            refused(path, "other", name, f"{name}'.*{there}")
    doc = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    write_arrow_file(pa.table({"gold": [1], "doc": doc}), tmp_path / "p.arrow")
    refused(tmp_path / "p.arrow", "gold", "doc.x", "duplicate field names")


def test_a_list_that_is_too_short_or_has_no_greatest_number_is_named_by_its_row(files, tmp_path):
    for short, name, message in (
        ([1.0], "x.1", r"(row \d|line 3|entry 2) has no 'x\.1'; 'x' is a list of length 1"),
        ([], "argmax:x", r"(row 2|line 3|entry 2).* 'x' must be .* got \[\]"),
        ([1.0, float("nan")], "argmax:x", r"(row 2|line 3|entry 2).* 'x' must .* got \[1.0, nan]"),
    ):
        rows = [{"gold": 1, "x": [0.5, 1.0]}, {"gold": 1, "x": None}, {"gold": 1, "x": short}]
        for path in files(rows):
            refused(path, "gold", name, message, drop_null=True)
    for value in (["a", "b"], "text", {"a": 1}, [True, False], [[1.0], [2.0]]):
        for path in files([{"gold": 1, "x": value}]):
            refused(path, "gold", "argmax:x", "'x' must be a list of numbers")
    path = tmp_path / "p.csv"  # which has no nested columns, but names with dots
    path.write_text("doc.label,argmax:x\na,a\nb,b\n")
    assert table_of(path, "doc.label", "argmax:x") == table_of_labels(["a", "b"], ["a", "b"])
    message = r"'doc\.name', which does not exist; the columns are 'doc\.label'"
    refused(path, "doc.name", "argmax:x", message)
