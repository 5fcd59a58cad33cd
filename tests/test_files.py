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
from tables import table_of_labels

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def batches(request, monkeypatch):
    """Read files as users do, and in batches so small that every file has many."""
    for setting in request.param:
        monkeypatch.setattr(*setting)


VIEWS = pa.dictionary(pa.int32(), pa.string_view())
TYPES = [
    ([1, -1, 2], pa.int8()),
    ([2**64 - 1, 2**63, 0], pa.uint64()),
    (["a", "b", "a\0"], pa.large_string()),
    (["a", "b", "long " * 9], pa.string_view()),
    (["a", "b", "long " * 9], VIEWS),
    ([b"a", b"b", b"\xff" * 45], pa.binary_view()),
    ([b"ab", b"cd", b"e\0"], pa.binary(2)),
    (["b", "a", "b"], pa.dictionary(pa.int32(), pa.string())),
    ([7, -1, 7], pa.dictionary(pa.int8(), pa.int64())),
    ([30, 10, 30], pa.dictionary(pa.int32(), pa.int64(), ordered=True)),
    (["a", "a", "b"], pa.run_end_encoded(pa.int32(), pa.string())),
]


def test_every_type_of_label_is_read_as_it_is_and_its_nulls_are_dropped(batches, tmp_path):
    for labels, kind in TYPES:
        sides = labels, [*labels[2:], *labels[:2]]
        for nulls in ([], [None]):
            arrays = [pa.array([*side, *nulls], kind if kind != VIEWS else None) for side in sides]
            if kind == VIEWS:  # which is not made of a list
                arrays = [x.cast(pa.string_view()).dictionary_encode() for x in arrays]
            for name in ("p.parquet", "p.arrow", "stream.arrow"):
                try:
                    WRITERS[name](columns(*arrays), tmp_path / name)
                except pa.ArrowNotImplementedError:  # as low versions say of views of text
                    assert name == "p.parquet"
                    continue
                found = table_of(tmp_path / name, drop_null=bool(nulls))
                assert found == table_of_labels(*sides), (name, kind, nulls)


def test_dictionaries_may_differ_between_columns_and_batches(tmp_path):
    table = columns(pa.array([7, -1, 7]).dictionary_encode(), [7, 7, 2**62])
    write_arrow_file(table, tmp_path / "p.arrow")
    assert table_of(tmp_path / "p.arrow") == table_of_labels([7, -1, 7], [7, 7, 2**62])
    names = [f"class {i}" for i in range(200)]  # more than codes of 8 bits tell apart
    codes = pa.array(range(100), pa.int8())
    parts = [pa.DictionaryArray.from_arrays(codes, pa.array(x)) for x in (names[:100], names[100:])]
    table = pa.concat_tables([columns(part, part) for part in parts])
    with pa.ipc.new_stream(tmp_path / "p.arrow", table.schema) as writer:
        writer.write_table(table)
    # and pyarrow has no dictionary of this encoding
    options = {"use_dictionary": False, "column_encoding": "DELTA_BYTE_ARRAY"}
    pa.parquet.write_table(
        pa.table({"gold": names, "model": names}), tmp_path / "p.parquet", **options
    )
    for name in ("p.arrow", "p.parquet"):
        assert table_of(tmp_path / name) == table_of_labels(names, names)


def test_a_sheet_is_read_if_it_is_the_one_with_the_columns_at_its_top(tmp_path):
    head, row = ["gold", "model"], ["a", "a"]
    for sheets, message in (
        ([[head, row], [head, row]], "one sheet must have these columns, got 'Sheet1', 'Sheet2'"),
        (
            [[["A title"], head, row]],
            "column 'gold', which does not exist; .* columns are 'A title'",
        ),
        ([[[*head, "gold"], [*row, "b"]]], "column 'gold', which occurs twice"),
        ([[head, row, ["b"]]], r"None \(null\) or nan in 1 of 2 rows of column 'model'"),
        ([[]], "column 'gold', which does not exist"),
    ):
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
    refused_as(tmp_path / "no.csv", r"no\.csv", FileNotFoundError)
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
    with pytest.raises(ValueError, match=said):
        table_of(tmp_path)
    with pytest.raises(ValueError, match="`by` must hold labels of the same type as `by before`"):
        table_of(tmp_path, by="gold")


# What is left out: ignored samples, weightless samples, nulls


def test_only_a_data_set_of_which_nothing_is_left_is_refused(batches, tmp_path):
    path = tmp_path / "1.parquet"
    references, weights = [-100] * 40 + [1, 0] + [5] * 40, [1.0] * 42 + [0.0] * 40
    pa.parquet.write_table(columns(references, [1] * 82, weights), path, row_group_size=10)
    table = table_of(path, weights="w", ignore_index=-100)
    assert table == table_of_labels([1, 0], [1, 1], sample_weight=[1, 1])
    pa.parquet.write_table(columns([-100] * 40, [1] * 40), path)
    with pytest.raises(ValueError, match=r"1\.parquet: .*got 40 samples, of which none is left"):
        table_of(path, ignore_index=-100)
    pa.parquet.ParquetWriter(path, columns([1], [1]).schema).close()
    with pytest.raises(ValueError, match=r"1\.parquet: there must be a sample to score, got 0"):
        table_of(tmp_path)
    pa.parquet.write_table(columns([1, 2], [1, 2]), tmp_path / "2.parquet")
    assert table_of(tmp_path).n_samples == 2
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
    gold, model = [2**53 + 1, None, 1, 2**53 + 1] * 20, [2**53 + 1, 2**53 + 1, None, 1] * 20
    for i, rows in enumerate(((gold, model), ([1], [1]), ([1], [None]))):
        write_arrow_file(columns(*rows), tmp_path / f"{i}.arrow")
    said = "`references` .* in 20 of 82 rows of column 'gold'; `predictions` .* in 21 of 82 rows"
    with pytest.raises(ValueError, match=f"^{tmp_path}/0.arrow and 1 more: {said}"):
        table_of(tmp_path)
    left = [pair for pair in zip(gold, model, strict=True) if None not in pair]
    expected = table_of_labels(*zip(*left, (1, 1), strict=True))
    assert table_of(tmp_path, drop_null=True) == expected


NINE = ["NA", "N/A", "NaN", "nan", "None", "null", "NULL", "<NA>", "#N/A"]


def test_text_for_a_missing_value_is_a_null_in_text_files_unless_it_is_meant(batches, tmp_path):
    path = tmp_path / "p.csv"
    for missing in NINE:  # test_every_path.py refuses them
        gold, model = ["a", missing, "b", "a"] * 20, ["a", "a", missing, "b"] * 20
        write_csv(columns(gold, model), path)
        assert table_of(path, drop_null=True) == table_of_labels(["a"] * 40, ["a", "b"] * 20)
        for options in ({"labels": ["a", "b", missing]}, {"ignore_index": missing}):
            assert table_of(path, **options) == table_of_labels(gold, model, **options)
        expected = table_of_labels(gold, model)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert table_of(path, keep_missing=True) == expected
