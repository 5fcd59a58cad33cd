"""Nested columns and the argmax of lists, named on the command line and in Python, in every format.

`ROWS` are four samples, of which the table is counted by hand: gold 0, 1, 2, 1.
"""

import json

import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import refused_as
from informedness import ContingencyTable, table_from_file
from informedness.inputs import readers
from informedness.inputs.samples import read_columns
from test_files import SIZES, write_arrow_file, write_arrow_stream, write_json_lines

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
NUMBERS = ContingencyTable.from_labels(GOLD, SAYS)
LETTERS = ContingencyTable.from_labels(["abc"[x] for x in GOLD], ["abc"[x] for x in SAYS])


def write_parquet(table, path):
    pa.parquet.write_table(table, path, row_group_size=3)


WRITERS = {
    "p.parquet": write_parquet,
    "plain.parquet": lambda table, path: pa.parquet.write_table(table, path, use_dictionary=False),
    "p.arrow": write_arrow_file,
    "stream.arrow": write_arrow_stream,
    "p.jsonl": write_json_lines,
    "p.json": lambda table, path: path.write_text(json.dumps(table.to_pylist())),
}


@pytest.fixture(params=WRITERS)
def write(request, tmp_path):
    def write(rows):
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
        WRITERS[request.param](table, tmp_path / request.param)
        return tmp_path / request.param

    return write


def table_of(path, references, predictions, **options):
    """Return the table that both ways to read files give."""
    names = {"references": references, "predictions": predictions}
    read = read_columns(path, names, drop_null=options.get("drop_null", False))
    table = table_from_file(path, **names, **options)
    assert ContingencyTable.from_labels(read["references"], read["predictions"]) == table
    return table


@pytest.mark.parametrize(
    ("references", "predictions", "expected"),
    [
        ("doc.label", "argmax:model_response.logprobs", NUMBERS),
        ("other", "argmax:model_response.logprobs", NUMBERS),
        ("doc.name", "model_response.parts.0.text", LETTERS),
        ("doc.answers.1", "model_response.parts.0.text", LETTERS),
    ],
)
def test_nested_columns_give_the_table_of_their_values(write, references, predictions, expected):
    assert table_of(write(ROWS), references, predictions) == expected


LISTS = {
    "lists": pa.list_(pa.float32()),
    "large lists": pa.large_list(pa.float64()),
    "lists of integers": pa.list_(pa.int64()),
    "fixed lists": pa.list_(pa.float64(), 2),
}


@pytest.mark.parametrize("kind", LISTS)
def test_the_argmax_is_exact_in_every_kind_of_list(write, kind):
    values = [[1, 2], [2**53 + 1, 2**53], [5, 5], [-4, -3]]
    if kind != "lists of integers":
        values[1] = [3, 2]
    table = pa.table({"gold": [1, 0, 0, 1], "scores": pa.array(values, LISTS[kind])})
    expected = ContingencyTable.from_labels([1, 0, 0, 1], [1, 0, 0, 1])
    assert table_of(write(table), "gold", "argmax:scores") == expected


def test_an_element_of_every_kind_of_list_is_its_value(write):
    for kind in LISTS.values():
        table = pa.table({"gold": [1, 2], "lists": pa.array([[1, 0], [2, 0]], kind)})
        assert table_of(write(table), "gold", "lists.0").n_samples == 2
        assert table_of(write(table), "gold", "lists.0").informedness() == 1


@pytest.mark.parametrize("text", [pa.string(), pa.large_string(), pa.string_view()])
def test_text_within_structs_and_lists_is_read_as_dictionaries_are(write, text):
    inner = pa.struct([("name", text), ("names", pa.list_(text))])
    values = [{"name": "a", "names": ["x", "a"]}, {"name": None, "names": ["b", "b"]}]
    try:
        path = write(pa.table({"gold": ["a", "b"], "doc": pa.array(values, inner)}))
    except pa.ArrowNotImplementedError:
        pytest.skip(f"this version of pyarrow does not write {text} to Parquet")
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "b"])
    assert table_of(path, "gold", "doc.names.1") == expected
    expected = ContingencyTable.from_labels(["a"], ["a"])
    assert table_of(path, "gold", "doc.name", drop_null=True) == expected


def test_dictionaries_within_structs_are_read(tmp_path):
    codes = pa.array(["a", "b", "a"]).dictionary_encode()
    doc = pa.StructArray.from_arrays([codes], ["name"], mask=pa.array([False, False, True]))
    write_arrow_file(pa.table({"gold": ["a", "b", "b"], "doc": doc}), tmp_path / "p.arrow")
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "b"])
    assert table_of(tmp_path / "p.arrow", "gold", "doc.name", drop_null=True) == expected


NULLS = [
    {"gold": "a", "doc": {"name": "a", "inner": {"names": ["a", "b"]}, "lp": [1.0, 0.0]}},
    {"gold": "a", "doc": {"name": None, "inner": {"names": None}, "lp": None}},
    {"gold": "b", "doc": {"name": "b", "inner": None, "lp": None}},
    {"gold": "b", "doc": None},
    {"gold": "b", "doc": {"name": "a", "inner": {"names": [None, "b"]}, "lp": [0.0, 1.0]}},
]


@pytest.mark.parametrize(
    ("name", "n_nulls", "left"),
    [
        ("doc.name", 2, (["a", "b", "b"], ["a", "b", "a"])),
        ("doc.inner.names.0", 4, (["a"], ["a"])),
        ("doc.inner.names.1", 3, (["a", "b"], ["b", "b"])),
    ],
)
def test_a_null_on_the_way_is_a_null(write, name, n_nulls, left):
    path = write(NULLS)
    with pytest.raises(
        ValueError, match=rf"None \(null\) in {n_nulls} of 5 rows of column '{name}'"
    ):
        table_from_file(path, references="gold", predictions=name)
    expected = ContingencyTable.from_labels(*left)
    assert table_of(path, "gold", name, drop_null=True) == expected


def test_a_null_for_a_list_has_no_argmax_and_is_a_null(write):
    rows = [row | {"gold": code} for code, row in zip([0, 0, 1, 1, 1], NULLS, strict=True)]
    path = write(rows)
    with pytest.raises(ValueError, match=r"None \(null\) in 3 of 5 rows of column 'argmax:doc.lp'"):
        table_from_file(path, references="gold", predictions="argmax:doc.lp")
    expected = ContingencyTable.from_labels([0, 1], [0, 1])
    assert table_of(path, "gold", "argmax:doc.lp", drop_null=True) == expected


def test_a_column_of_the_whole_name_comes_first_at_every_level(write):
    rows = [
        {
            "doc.label": "a",
            "doc": {"label": "b", "x.y": "c", "x": {"y": "d"}},
            "argmax:lp": "e",
            "lp": [1.0],
            "u.v": {"w": "f"},
            "u": {"v": {"w": "g"}},
        }
    ]
    path = write(rows)
    read = {"a": "doc.label", "c": "doc.x.y", "e": "argmax:lp", "f": "u.v.w"}
    for label, name in read.items():
        assert table_of(path, name, name).labels == (label,)


@pytest.mark.parametrize("first", [{"doc.label": "a"}, {"doc": {"label": "a"}}])
def test_json_in_which_a_name_means_two_things_is_refused(first, tmp_path):
    path = tmp_path / "p.jsonl"
    both = [
        {"doc": None} | first,
        {"doc.label": "b"} if "doc" in first else {"doc": {"label": "b"}},
    ]
    path.write_text("".join(json.dumps(row) + "\n" for row in both))
    with pytest.raises(
        ValueError, match=r"line 2 has 'doc\.label' in another place than those before"
    ):
        table_of(path, "doc.label", "doc.label")


@pytest.mark.parametrize(
    ("name", "there"),
    [
        ("dok.label", "'doc', 'model_response', 'other'"),
        ("doc.lable", "the fields of 'doc' are .*'label'"),
        ("doc.label.x", "'doc.label' is .*, which has no fields"),
        ("doc.answers.first", r"'doc\.answers' is a list, whose elements are 'doc\.answers\.0'"),
        ("doc.answers.-1", r"'doc\.answers' is a list, whose elements"),
        ("model_response.parts.0.txt", r"the fields of 'model_response\.parts\.0' are .*'text'"),
        ("doc.answers.2", r"'doc\.answers' is a list of length 2"),
    ],
)
def test_a_way_that_breaks_is_answered_with_what_is_there(write, name, there):
    path = write(ROWS)
    with pytest.raises(ValueError, match=rf"(?s)^{path}: .*{name}'.*{there}"):
        table_of(path, "other", name)


def test_a_list_that_is_too_short_is_named_by_its_row(write):
    path = write([{"gold": 1, "x": [1, 1]}, {"gold": 1, "x": None}, {"gold": 1, "x": [1]}])
    names = {"references": "gold", "predictions": "x.1"}
    with pytest.raises(
        ValueError, match=r"(row|line|entry) \d has no 'x\.1': 'x' is a list of length 1"
    ):
        table_from_file(path, **names, drop_null=True)


BAD = {"empty": [], "null": [1.0, None], "nan": [1.0, float("nan")]}


@pytest.mark.parametrize("kind", BAD)
def test_a_list_without_a_greatest_number_is_refused_with_its_value(write, kind):
    path = write(
        [{"gold": 1, "x": [0.5, 1.0]}, {"gold": 1, "x": None}, {"gold": 1, "x": BAD[kind]}]
    )
    shown = str(BAD[kind]).replace("[", r"\[")
    with pytest.raises(ValueError, match=rf"(row 2|line 3|entry 2): 'x' must be .* got {shown}"):
        table_from_file(path, references="gold", predictions="argmax:x", drop_null=True)


@pytest.mark.parametrize("value", [["a", "b"], "text", 3, {"a": 1}, [True, False], [[1.0], [2.0]]])
def test_the_argmax_of_what_is_no_list_of_numbers_is_refused(write, value):
    path = write([{"gold": 1, "x": value}])
    with pytest.raises(ValueError, match="'x' must be a list of numbers"):
        table_of(path, "gold", "argmax:x")


def test_csv_has_no_nested_columns_but_names_with_dots(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("doc.label,argmax:x\na,a\nb,b\n")
    expected = ContingencyTable.from_labels(["a", "b"], ["a", "b"])
    assert table_of(path, "doc.label", "argmax:x") == expected
    with pytest.raises(
        ValueError, match=r"'doc\.name' does not exist: the columns are 'doc\.label'"
    ):
        table_of(path, "doc.name", "argmax:x")


def test_a_field_that_stands_twice_is_no_column(tmp_path):
    doc = pa.StructArray.from_arrays([pa.array([1]), pa.array([2])], ["x", "x"])
    write_arrow_file(pa.table({"gold": [1], "doc": doc}), tmp_path / "p.arrow")
    with pytest.raises(ValueError, match=r"column 'doc\.x' does not exist: 'x' occurs twice"):
        table_of(tmp_path / "p.arrow", "gold", "doc.x")


def test_parquet_reads_only_the_fields_that_are_wanted(tmp_path):
    path = tmp_path / "p.parquet"
    rows = [{"doc": {"label": "ab"[i % 2], "text": f"{i:0100}", "n": i}} for i in range(2000)]
    table = pa.Table.from_pylist(rows)
    pa.parquet.write_table(table, path, use_dictionary=["doc.label"], compression=None)
    chunks = pa.parquet.read_metadata(path).row_group(0)
    of_text = next(
        chunks.column(i) for i in range(3) if chunks.column(i).path_in_schema == "doc.text"
    )
    data = bytearray(path.read_bytes())
    at = of_text.data_page_offset
    data[at : at + of_text.total_compressed_size] = b"\xff" * of_text.total_compressed_size
    path.write_bytes(data)
    assert table_of(path, "doc.label", "doc.label").n_samples == 2000
    refused_names = {"references": "doc.label", "predictions": "doc.text"}
    with pytest.raises(ValueError, match="not readable as parquet"):
        table_from_file(path, **refused_names)


def test_fields_of_elements_are_read_without_those_beside_them(tmp_path):
    path = tmp_path / "p.parquet"
    rows = [{"x": [{"t": "ab"[i % 2], "u": [f"{i:0100}"]}]} for i in range(2000)]
    pa.parquet.write_table(pa.Table.from_pylist(rows), path, compression=None, use_dictionary=False)
    data = path.read_bytes()
    path.write_bytes(data.replace(b"0" * 96, b"\xff" * 96))  # no UTF-8
    assert table_of(path, "x.0.t", "x.0.t").n_samples == 2000
    with pytest.raises(ValueError, match="not readable as parquet"):
        table_from_file(path, references="x.0.t", predictions="x.0.u.0")


def test_a_list_is_refused_with_how_to_name_what_is_in_it(tmp_path):
    pa.parquet.write_table(pa.table({"gold": [1], "model": [[0.5]]}), tmp_path / "p.parquet")
    refused_as(tmp_path / "p.parquet", "one value per row.*argmax:NAME")


def test_a_file_of_many_row_groups_and_batches_is_read_as_one(monkeypatch, write):
    for name, size in SIZES["in pieces"].items():
        monkeypatch.setattr(readers, name, size)
    rows = [row | {"doc.label": "abc"[row["other"]]} for row in ROWS * 25]
    path = write(rows)
    table = table_of(path, "doc.label", "model_response.parts.0.text")
    assert table == sum([LETTERS] * 24, start=LETTERS)
    table = table_of(path, "other", "argmax:model_response.logprobs")
    assert table == sum([NUMBERS] * 24, start=NUMBERS)
    rows[77] = rows[77] | {"model_response": {"logprobs": [], "parts": [{"text": "a", "n": 1}]}}
    with pytest.raises(ValueError, match=r"(row 77|line 78|entry 77): 'model_response\.logprobs'"):
        table_of(write(rows), "other", "argmax:model_response.logprobs")
