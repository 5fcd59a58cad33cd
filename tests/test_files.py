"""Files of any size and format give the table of their samples, exactly, or an error."""

import warnings

import openpyxl
import pyarrow as pa
import pyarrow.parquet
import pytest

from file_cases import (
    COLUMNS,
    SIZES,
    TEXT,
    WRITERS,
    columns,
    refused,
    refused_as,
    table_of,
    write_arrow_file,
    write_csv,
    write_json_lines,
)
from informedness import table_from_file
from informedness.warnings import InformednessWarning
from kinds import MISSING
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batches(request, monkeypatch):
    """Read files as users do, and in batches so small that every file has many."""
    for setting in request.param:
        monkeypatch.setattr(*setting)


LONG = ["a", "b", "long " * 9, None]
TYPES = [
    pa.array([1, -1, 2, None], pa.int8()),
    pa.array([2**64 - 1, 2**63, 0, None], pa.uint64()),
    pa.array(["a", "b", "a\0", None], pa.large_string()),
    pa.array(LONG, pa.string_view()),
    pa.array(LONG, pa.string_view()).dictionary_encode(),
    pa.array([b"a", b"b", b"\xff" * 45, None], pa.binary_view()),
    pa.array([b"ab", b"cd", b"e\0", None], pa.binary(2)),
    pa.array(["b", "a", "b", None], pa.dictionary(pa.int32(), pa.string())),
    pa.array([7, -1, 7, None], pa.dictionary(pa.int8(), pa.int64())),
    pa.array([30, 10, 30, None], pa.dictionary(pa.int32(), pa.int64(), ordered=True)),
    pa.array(["a", "a", "b", None], pa.run_end_encoded(pa.int32(), pa.string())),
]


@pytest.mark.parametrize("name", ["p.parquet", "p.arrow", "stream.arrow"])
def test_every_type_of_label_is_read_as_it_is_and_its_nulls_are_dropped(batches, name, tmp_path):
    for array in TYPES:
        for sides in ((array[:2], array[1:3]), (array, array)):
            try:
                WRITERS[name](columns(*sides), tmp_path / name)
            except pa.ArrowNotImplementedError:  # as low versions say of views of text
                assert name == "p.parquet"
                continue
            labels = ([x for x in side.to_pylist() if x is not None] for side in sides)
            found = table_of(tmp_path / name, drop_null=sides[0] is array)
            assert found == table_of_labels(*labels), array.type


def test_dictionaries_may_differ_between_columns_and_batches(tmp_path):
    names = [f"class {i}" for i in range(200)]  # more than codes of 8 bits tell apart
    codes = pa.array(range(100), pa.int8())
    parts = [pa.DictionaryArray.from_arrays(codes, pa.array(x)) for x in (names[:100], names[100:])]
    table = pa.concat_tables([columns(part, part) for part in parts])
    with pa.ipc.new_stream(tmp_path / "p.arrow", table.schema) as writer:
        writer.write_table(table)
    # and pyarrow has no dictionary of this encoding
    how = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
    table = pa.table({"gold": names, "model": names})
    pa.parquet.write_table(table, tmp_path / "p.parquet", **how)
    for name in ("p.arrow", "p.parquet"):
        assert table_of(tmp_path / name) == table_of_labels(names, names)


HEAD, ROW = ["gold", "model"], ["a", "a"]
SHEETS = [
    ([[HEAD, ROW], [HEAD, ROW]], "one sheet must have these columns, got 'Sheet1', 'Sheet2'"),
    ([[["A title"], HEAD, ROW]], "'gold', which does not exist; .* columns are 'A title'"),
    ([[[*HEAD, "gold"], [*ROW, "b"]]], "column 'gold', which occurs twice"),
    ([[HEAD, ROW, ["b"]]], r"None \(null\) or nan in 1 of 2 rows of column 'model'"),
    ([[]], "column 'gold', which does not exist"),
]


def test_a_sheet_is_read_if_it_is_the_one_with_the_columns_at_its_top(tmp_path):
    for sheets, message in SHEETS:
        book = openpyxl.Workbook()
        book.remove(book.active)
        for number, rows in enumerate(sheets, start=1):
            sheet = book.create_sheet(f"Sheet{number}")
            for cells in rows:
                sheet.append(cells)
        book.save(tmp_path / "p.xlsx")
        refused(tmp_path / "p.xlsx", f".*{message}")


# Several files, folders


def test_a_folder_and_a_list_of_files_are_one_data_set(tmp_path):
    for number in range(4):  # in folders within, as Spark writes them
        path = tmp_path / f"day={number % 2}" / f"part-{number:05}.snappy.parquet"
        path.parent.mkdir(exist_ok=True)
        piece = slice(number * 125, (number + 1) * 125)
        pa.parquet.write_table(columns(*TEXT[:, piece].tolist()), path)
    whole = table_of_labels(*TEXT)
    files = sorted(tmp_path.rglob("part-0*.parquet"))
    for path in (str(tmp_path), [tmp_path / "day=0", *map(str, files[2:])]):
        assert table_of(path, keep_missing=True) == whole


def test_files_of_several_formats_can_be_listed_but_not_lie_in_one_folder(tmp_path):
    refused_as([], "`path` must name at least one file")
    refused(tmp_path, "the folder must hold files")
    write_csv(columns(["a", "b"], ["a", "a"]), tmp_path / "p.csv")
    write_json_lines(columns(["a"], ["b"]), tmp_path / "p.jsonl")
    expected = table_of_labels(["a", "b", "a"], ["a", "a", "b"])
    assert table_of([tmp_path / "p.csv", tmp_path / "p.jsonl"]) == expected
    refused(tmp_path, ".*must have one format, got csv, jsonl")
    (tmp_path / "p.csv").rename(tmp_path / "part-00000")
    (tmp_path / "p.jsonl").unlink()
    assert table_of(tmp_path, file_format="csv") == table_of_labels(["a", "b"], ["a", "a"])
    refused_as(tmp_path, r"`file_format` must be one of .*'jsonl'.*, got 'xml'", file_format="xml")


def test_files_with_labels_of_other_types_are_refused_by_name(tmp_path):
    pa.parquet.write_table(columns([1, 2], [1, 1]), tmp_path / "1.parquet")
    pa.parquet.write_table(columns(["1", "2"], ["1", "1"]), tmp_path / "2.parquet")
    said = r"2\.parquet: in the rows from 2 on: `references` .* got strings .* but integers"
    for by, message in ((None, said), ("gold", "`by` must hold labels of the same type as `by be")):
        with pytest.raises(ValueError, match=message):
            table_of(tmp_path, by=by)


# What is left out: ignored samples, weightless samples, nulls


def test_only_a_data_set_of_which_nothing_is_left_is_refused(batches, tmp_path):
    path = tmp_path / "1.parquet"
    references, weights = [-100] * 40 + [1, 0] + [5] * 40, [1.0] * 42 + [0.0] * 40
    pa.parquet.write_table(columns(references, [1] * 82, weights), path, row_group_size=10)
    table = table_of(path, weights="w", ignore_index=-100)
    assert table == table_of_labels([1, 0], [1, 1], sample_weight=[1, 1])
    pa.parquet.ParquetWriter(path, columns([1], [1]).schema).close()
    with pytest.raises(ValueError, match=r"1\.parquet: there must be a sample to score, got 0"):
        table_of(tmp_path)
    pa.parquet.write_table(columns([2] * 40, [1] * 40), tmp_path / "2.parquet")
    assert table_of(tmp_path).n_samples == 40
    with pytest.raises(ValueError, match=r"1\.parquet and 1 more: .* 40 samples, of which none is"):
        table_of(tmp_path, ignore_index=2)
    for end in ("", "\n", "\r\n"):
        (tmp_path / "p.csv").write_text(f"gold,model{end}", newline="")
        with pytest.raises(ValueError, match="there must be a sample to score, got 0"):
            table_of(tmp_path / "p.csv")


def test_a_warning_of_many_batches_comes_once_at_the_line_of_the_caller(batches, tmp_path):
    for name in ("p.parquet", "p.jsonl"):
        WRITERS[name](columns([-100, 1, 2] * 40, [1, 1, 2] * 40), tmp_path / name)
        with pytest.warns(InformednessWarning, match="-100 in `references` counts") as caught:
            table_from_file(tmp_path / name, **COLUMNS)
        assert [one.filename for one in caught] == [__file__]


def test_nulls_of_several_files_are_refused_with_their_number_and_the_first_name(batches, tmp_path):
    big = 2**53 + 1
    gold, model = [big, None, 1, big] * 20, [big, big, None, 1] * 20
    for i, rows in enumerate(((gold, model), ([1], [1]), ([1], [None]))):
        write_arrow_file(columns(*rows), tmp_path / f"{i}.arrow")
    said = "`references` .* in 20 of 82 rows of column 'gold'; `predictions` .* in 21 of 82 rows"
    with pytest.raises(ValueError, match=f"^{tmp_path}/0.arrow and 1 more: {said}"):
        table_of(tmp_path)
    expected = table_of_labels([big, big] * 20 + [1], [big, 1] * 20 + [1])
    assert table_of(tmp_path, drop_null=True) == expected


@pytest.mark.parametrize("missing", MISSING)  # test_every_path.py refuses them
def test_text_for_a_missing_value_is_a_null_in_text_files_unless_it_is_meant(missing, tmp_path):
    gold, model, path = ["a", missing, "b", "a"], ["a", "a", missing, "b"], tmp_path / "p.csv"
    write_csv(columns(gold, model), path)
    assert table_of(path, drop_null=True) == table_of_labels(["a", "a"], ["a", "b"])
    whole = table_of_labels(gold, model)
    for options in ({"labels": ["a", "b", missing]}, {"ignore_index": missing}):
        assert table_of(path, **options) == table_of_labels(gold, model, **options)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert table_of(path, keep_missing=True) == whole
