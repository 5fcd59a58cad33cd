"""CSV and TSV: no quote swallows rows, and an empty cell is a null unless it is asked for."""

import csv
import io

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.csv
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from file_cases import COLUMNS, refused, table_of
from informedness import ContingencyTable
from informedness.inputs import quotes
from informedness.inputs.readers import DELIMITERS
from informedness.inputs.samples import read_columns

OPTIONS = ["--references=gold", "--predictions=model"]


# Quotes


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        (["a,a", '"b,b', "c,c"], "begins in line 3 does not end"),
        (['a,"a', '"b",b', "c,c"], "begins in line 2 continues after its closing quote"),
        (['a,"', 'b,"b"', "c,c", "d,d"], "begins in line 2 continues after its closing quote"),
        (["a,a", '"a "fine" thing",b'], "begins in line 3 continues after its closing quote"),
        (['"a\n",b', '"a\n"" and so on,b', "c,c"], "begins in line 4 does not end"),
    ],
)
def test_a_quote_that_swallows_rows_is_refused_with_its_line(rows, message, tmp_path):
    text = "\n".join(["gold,model", *rows, ""])
    for kind, delimiter in DELIMITERS.items():
        path = tmp_path / f"p.{kind}"
        path.write_text(text.replace(",", delimiter))
        refused(path, f"the quoted field that {message}: a quote that is part")


def test_a_quote_within_a_field_is_text(tmp_path):
    labels = ['5"', 'a "fine" thing', 'b"', '6""']
    rows = "".join(f"{label},{label}\n" for label in labels)
    (tmp_path / "p.csv").write_text(f"gold,model\n{rows}")
    expected = ContingencyTable.from_labels(labels, labels)
    assert table_of(tmp_path / "p.csv") == expected


def test_the_header_may_stand_in_quotes_and_behind_a_byte_order_mark(tmp_path):
    path = tmp_path / "p.csv"
    for start in ("", "\ufeff"):
        for header in ('"gold","model"', "gold,model"):
            path.write_text(f"{start}{header}\na,a\nb,a\n", encoding="utf-8")
            assert table_of(path).n_samples == 2
        path.write_text(f'{start}"gold,model\na,a\nb,a\n', encoding="utf-8")
        refused(path, "the quoted field that begins in line 1 does not end")
    path.write_text(f"gold,model,{'x' * 140_000}\na,a,b\n")
    refused(path, "the header is not readable: field larger than field limit")


@example('"a\n""",b\n', 1)
@example('a""', 1)
@given(st.text('"",\n\rab', max_size=20), st.integers(1, 5))
def test_what_is_refused_is_what_a_strict_reader_refuses(text, block):
    expected = None
    try:
        list(csv.reader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        expected = "does not end" if "unexpected end" in str(error) else "continues after"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(quotes, "_BLOCK", block)
        if expected is None:
            quotes.check_quotes(io.BytesIO(text.encode()), ",")
        else:
            with pytest.raises(ValueError, match=expected):
                quotes.check_quotes(io.BytesIO(text.encode()), ",")


# Empty cells

GOLD = ["a", "b", None, "a", "b", "a"]
MODEL = ["a", None, "b", "b", "b", None]
WITHOUT_NULLS = ["a", "a", "b"], ["a", "b", "b"]
AS_TEXT = [[label or "" for label in labels] for labels in (GOLD, MODEL)]
FRAME = {"gold": GOLD, "model": MODEL}

WRITERS = {
    "pandas": lambda path, sep: pd.DataFrame(FRAME).to_csv(
        path,
        sep=sep,
        quoting=csv.QUOTE_ALL,  # empty cells, too
    ),
    "polars": lambda path, sep: pl.DataFrame(FRAME).write_csv(path, separator=sep),
    "pyarrow": lambda path, sep: pa.csv.write_csv(
        pa.table(FRAME), path, pa.csv.WriteOptions(delimiter=sep)
    ),
}


def check_read(path, expected, **options):
    """See that both ways to read files give these references and predictions."""
    table = table_of(path, **options)
    assert table == ContingencyTable.from_labels(*expected)
    read = read_columns(path, COLUMNS, **options)
    assert [column.tolist() for column in read.values()] == list(expected)


@pytest.mark.parametrize("writer", WRITERS)
def test_an_empty_cell_is_a_null_whoever_wrote_it_or_empty_text_on_request(writer, tmp_path):
    for kind, delimiter in DELIMITERS.items():
        path = tmp_path / f"p.{kind}"
        WRITERS[writer](path, delimiter)
        refused(
            path,
            r"`references` must have a value in every row, got None \(null\) or an empty cell in 1 "
            r"of 6 rows of column 'gold'; `predictions` .* in 2 of 6 rows of column 'model': "
            r"drop_null=True \(--drop-null\) leaves out rows with missing values, "
            r"keep_empty=True \(--keep-empty\) reads empty cells as empty text$",
        )
        check_read(path, WITHOUT_NULLS, drop_null=True)
        check_read(path, AS_TEXT, keep_empty=True)
        check_read(path, AS_TEXT, keep_empty=True, drop_null=True)


def test_an_empty_identifier_is_a_null(command, tmp_path):
    files = [tmp_path / "a.csv", tmp_path / "b.csv"]
    for file in files:
        file.write_text("id,gold,model\n1,x,x\n,y,x\n2,y,y\n")
    code, _, errors = command("compare", *files, *OPTIONS, "--on=id")
    assert code == 2
    assert "`on` must have a value in every row" in errors
    assert command("compare", *files, *OPTIONS, "--on=id", "--keep-empty")[0] == 0


def test_an_empty_weight_is_a_null_and_never_text(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model,w\na,a,1\nb,b,\nb,a,2\n")
    for given_option in ({}, {"keep_empty": True}):
        with pytest.raises(ValueError, match="in 1 of 3 rows of column 'w'"):
            table_of(path, weights="w", **given_option)
    table = table_of(path, weights="w", drop_null=True)
    assert table == ContingencyTable.from_labels(["a", "b"], ["a", "a"], sample_weight=[1, 2])


def test_what_only_looks_empty_is_a_label(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text("gold,model\n ,NA\nNA,null\nnan, \n")
    check_read(path, ([" ", "NA", "nan"], ["NA", "null", " "]))
