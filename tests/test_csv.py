"""CSV and TSV: no quote swallows rows, and an empty cell is a null unless it is asked for."""

import csv
import itertools

import pyarrow as pa
import pyarrow.csv
import pytest

from file_cases import COLUMNS, refused, refused_as, table_of, write_json_lines
from informedness.inputs.readers import DELIMITERS
from informedness.inputs.samples import read_columns
from tables import table_of_labels

# Quotes


def test_a_quote_that_swallows_rows_is_refused_with_its_line(tmp_path):
    for rows, line in (
        (["a,a", '"b,b', "c,c"], 3),
        (['a,"a', '"b",b', "c,c"], 2),
        (['a,"', 'b,"b"', "c,c", "d,d"], 2),
        (["a,a", '"a "fine" thing",b'], 3),
        (['"a\n",b', '"a\n"" and so on,b', "c,c"], 4),
    ):
        text = "\n".join(["gold,model", *rows, ""])
        for kind, delimiter in DELIMITERS.items():
            path = tmp_path / f"p.{kind}"
            path.write_text(text.replace(",", delimiter))
            refused(path, f"the row that begins in line {line} has a quoted field that is not well")


def test_a_quote_within_a_field_is_text(tmp_path):
    labels = ['5"', 'a "fine" thing', 'b"', '6""']
    (tmp_path / "p.csv").write_text("gold,model\n" + "".join(f"{x},{x}\n" for x in labels))
    assert table_of(tmp_path / "p.csv") == table_of_labels(labels, labels)


def test_cells_and_names_may_be_longer_than_a_reader_of_python_allows(tmp_path):
    limit, long = csv.field_size_limit(), "x" * 140_000
    path = tmp_path / "p.csv"
    for cell in (f'"{long}"', f'{long}"'):
        path.write_text(f'gold,model,"{long}"\na,{cell},b\n')
        assert table_of(path).n_samples == 1
    path.write_text(f"gold,model,{long * 40}\na,a,b\n")
    refused(path, "not readable as csv: field larger than field limit")
    assert csv.field_size_limit() == limit


# What stands around the rows


def test_the_header_says_what_separates_columns(tmp_path):
    for name, delimiter in itertools.product(("p.csv", "p.tsv"), ",;\t|"):
        for start, end in itertools.product(("", f"sep={delimiter}\n"), ("\n", "\r\n", "\r")):
            for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32"):
                text = f'{start}gold,model\n"a{delimiter}",é\nb,a\n'
                text = text.replace("gold,", f"gold{delimiter}").replace(",é", f"{delimiter}é")
                text = text.replace("b,", f"b{delimiter}").replace("\n", end)
                (tmp_path / name).write_bytes(text.encode(encoding))
                check_read(tmp_path / name, ([f"a{delimiter}", "b"], ["é", "a"]))


def test_an_error_names_what_hides_the_columns(tmp_path):
    path = tmp_path / "p.csv"
    rows = "göld,model\na,a\n"
    for text, message in (
        (f"A title\n\n{rows}", "row 3 has them"),
        (f"# {rows}{rows}", "row 3 has them"),
        (f"# by a, b and c\n{rows.replace(',', ';')}", "row 2 has them"),
        (f"\n{rows}", "row 2 has them"),
        (f"\ufeff\ufeff{rows}", r"'\\ufeffgöld.*has a byte order mark"),
        (rows.encode("utf-16-le"), "character of code 0, as in UTF-16 .* 'utf-16-le' as encoding="),
        (rows.encode("utf-16-be"), "'utf-16-be' as encoding="),
        (rows.encode("latin-1"), r"b'g\\xf6ld' would be 'göld' in cp1252, 'gцld' in cp1251"),
    ):
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        with pytest.raises(ValueError, match=f"^{path}: .*{message}"):
            table_of(path, references="göld")
    path.write_text("gold,model,gold\na,a,b\n")
    refused(path, ".*column 'gold' occurs twice: the columns are 'gold', 'model', 'gold'$")


def test_text_in_another_encoding_is_read_if_it_is_named_and_else_shown_in_likely_ones(tmp_path):
    for encoding, word, seen in (
        ("cp1252", "schön", "b'sch.*n' would be 'schön' in cp1252, 'schцn' in cp1251"),
        ("cp1251", "хорошо", ".*'хорошо' in cp1251"),
        ("cp932", "肯定", ".*'肯定' in cp932"),
        ("gb18030", "正面", ".*'正面' in gb18030"),
        ("utf-16-le", "schön", ".*give 'utf-16-le' as"),
    ):
        for name in ("p.csv", "p.jsonl"):
            is_csv = name.endswith("csv")
            line = "a,{0}\nb,{0}\n" if is_csv else '{{"gold": "a", "model": "{0}"}}\n' * 2
            text = "gold,model\n" * is_csv + line.format(word)
            (tmp_path / name).write_bytes(text.encode(encoding))
            refused(tmp_path / name, f".*{seen}.*encoding=")
            table = table_of(tmp_path / name, encoding=encoding)
            assert (table.n_samples, word in table.labels) == (2, True)
    for encoding, message in (("ascii", "is not in the encoding ascii"), ("x", "Python knows")):
        refused_as(tmp_path / "p.jsonl", message, encoding=encoding)
    write_json_lines(pa.table({"gold": ["a"]}), tmp_path / "p.parquet")
    refused_as(tmp_path / "p.parquet", "and parquet is none: leave it out", encoding="cp1252")


def test_files_joined_into_one_are_refused(tmp_path):
    parts = ["gold,model,id\na,a,1\nb,b,2\n", "gold,model,id\nb,a,3\n"]
    for mark, message in (
        ("", "the header is repeated in 1 rows"),
        ("\ufeff", ".* has a byte order"),
    ):
        path = tmp_path / "p.csv"
        path.write_text(parts[0] + mark + parts[1])
        refused(path, message)
        path.write_text(parts[0] + mark + "b,a,3\n")  # without its header
        if mark:
            refused(path, message)
    path.write_text(parts[0] + "gold,a,3\nb,model,4\n")  # each a class of the same name
    assert table_of(path).n_samples == 4


# Empty cells

CELLS = 'gold,model\na,a\n"b",""\n,b\n"a","b"\nb,b\na,\n'
WITHOUT_NULLS = ["a", "a", "b"], ["a", "b", "b"]
AS_TEXT = [["a", "b", "", "a", "b", "a"], ["a", "", "b", "b", "b", ""]]


def check_read(path, expected, **options):
    """See that both ways to read files give these references and predictions."""
    assert table_of(path, **options) == table_of_labels(*expected)
    read = read_columns(path, COLUMNS, **options)
    assert [column.tolist() for column in read.values()] == list(expected)


def test_an_empty_cell_is_a_null_whoever_wrote_it_or_empty_text_on_request(tmp_path):
    for kind, delimiter in DELIMITERS.items():
        path = tmp_path / f"p.{kind}"
        path.write_text(CELLS.replace(",", delimiter))
        refused(
            path,
            r"`references` must have a value in every row, got None \(null\), an empty cell or "
            r"text such as NA in 1 of 6 rows of column 'gold'; `predictions` .* in 2 of 6 rows of "
            r"column 'model': "
            r"drop_null=True leaves out rows with missing values, "
            r"keep_missing=True reads such text as labels$",
        )
        check_read(path, WITHOUT_NULLS, drop_null=True)
        check_read(path, AS_TEXT, keep_missing=True)
        check_read(path, AS_TEXT, keep_missing=True, drop_null=True)


def test_an_empty_weight_is_a_null_and_never_text(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model,w\na,a,1\nb,b,\nb,a,2\n")
    for given_option in ({}, {"keep_missing": True}):
        with pytest.raises(ValueError, match="in 1 of 3 rows of column 'w'"):
            table_of(path, weights="w", **given_option)
    table = table_of(path, weights="w", drop_null=True)
    assert table == table_of_labels(["a", "b"], ["a", "a"], sample_weight=[1, 2])


def test_what_only_looks_empty_is_a_label(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model\n ,Na\nnone,NONE\n-1, \n")
    check_read(path, ([" ", "none", "-1"], ["Na", "NONE", " "]))
