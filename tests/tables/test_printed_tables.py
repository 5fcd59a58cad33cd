"""Tables in Markdown, between blanks or with padded separators are read as what they show."""

import json

import pytest

from informedness import table_from_file
from informedness.files.joining import whole_columns
from informedness.files.reading import read_files
from informedness.files.samples import Samples
from inputs.cases import warned
from inputs.frame_cases import COLUMNS
from inputs.tables import table_of_labels

GOLD = ["ham", "ham", "not spam", "-", "a, b"]
MODEL = ["ham", "spam", "not spam", "-", "a, b"]
WORDS = ["ham", "ham", "spam", "ham"], ["ham", "spam", "spam", "spam"]


def lines_of(line, head, *sides, sep="\n"):
    return sep.join([head, *(line.format(*pair) for pair in zip(*sides, strict=True))]) + sep


OF_R = ["ham", "not spam"], ["not spam", "ham"]
RULE = "+------+------+\n"
TABLES = {
    "Markdown": (lines_of("| {} | {} |", "| gold | model |\n|---|:-:|", GOLD, MODEL), GOLD, MODEL),
    "bare Markdown": (lines_of("{}|{}", "gold|model\n-----|-----", GOLD, MODEL), GOLD, MODEL),
    "one dash": (
        lines_of("|{}|{}|", "|gold|model|\r\n|-|-|", GOLD, MODEL, sep="\r\n"),
        GOLD,
        MODEL,
    ),
    "escaped": ("|gold|model|\n|--|--|\n|a\\|b|a\\|b|\n|c|a\\|b|\n", ["a|b", "c"], ["a|b", "a|b"]),
    "database": (
        lines_of("| {} | {} |", "+--+--+\n|gold|model|\n+--+--+", *WORDS) + "+--+--+",
        *WORDS,
    ),
    "psql": (lines_of(" {} | {}", "\n gold | model\n------+------", *WORDS), *WORDS),
    "blanks": (lines_of("{}    {}", "gold   model", GOLD, MODEL), GOLD, MODEL),
    "no-break": (lines_of("{}\u00a0{}", "gold\u00a0model", GOLD, MODEL), GOLD, MODEL),
    "R": ('"gold" "model"\n"1" "ham" "not spam"\n"2" "not spam" "ham"\n', *OF_R),
    "CoNLL": ('token gold model\nStrep ham ham\n, ham spam\n\n" spam spam \nis ham spam\n', *WORDS),
    "signs": ("token gold model\nx + -\n+ - +\ny - -\n", ["+", "-", "-"], ["-", "+", "-"]),
    "a, b": (lines_of("{}, {}", "gold, model", *WORDS), *WORDS),
    "a; b": (lines_of('"{}" ; "{}"', "gold ; model", GOLD, MODEL), GOLD, MODEL),
    "blank lines": (lines_of("{},{}", "\n\ngold,model", *WORDS), *WORDS),
    # and what is no layout
    "padded": (lines_of("{}, {}", "gold,model", *WORDS), WORDS[0], [f" {x}" for x in WORDS[1]]),
    "dashes": ("gold|model\n-|-\nx|-\n", ["-", "x"], ["-", "-"]),
    "text": ('gold,model\n"a, b","a, b"\n"a  b","a, b"\n', ["a, b", "a  b"], ["a, b"] * 2),
    "semicolons": ("gold,model\na;b,a;b\nc;d,a;b\n", ["a;b", "c;d"], ["a;b", "a;b"]),
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_laid_out_for_readers_is_the_table_that_it_shows(name, tmp_path):
    text, references, predictions = TABLES[name]
    path = tmp_path / "p.csv"
    path.write_text(text, "utf-8", newline="")
    options = {"labels": sorted({*references, *predictions}, key=str)}
    made = table_from_file(path, **COLUMNS, **options)
    assert made == table_of_labels(references, predictions, **options)


def test_without_quotes_those_between_blanks_are_part_of_labels(tmp_path):
    path = tmp_path / "p.conll"
    path.write_text('token gold model\n"a "a "a\n, b "b"\n" b b\n', "utf-8")
    table = table_from_file(path, **COLUMNS, no_quotes=True, labels=['"a', "b", '"b"'])
    assert table.to_dense().tolist() == [[1, 0, 0], [0, 1, 1], [0, 0, 0]]


@pytest.mark.parametrize("mark", ",;")
def test_without_quotes_those_beside_a_padded_separator_are_part_of_labels(mark, tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(lines_of(f"{{}}{mark} {{}}", f"gold{mark} model", ['"a', "b"], ['"a', '"a']))
    table = table_from_file(path, **COLUMNS, no_quotes=True, labels=['"a', "b"])
    assert table.to_dense().tolist() == [[1, 0], [1, 0]]


REFUSED = {
    "@relation r\n\n@attribute gold {a}\n@data\na,a\n": "the file is in the ARFF format",
    "% c\n@RELATION r\n@data\n": "the file is in the ARFF format",
    "Results of run 5\ngold,model\na,a\nb,a\n": "the columns are 'Results of run 5'",
    "\nResults\n\n|gold|model|\n|a|a|\n|b|a|\n": "the columns are 'Results'",
    "|gold|model|\n|--|--|\n|a|a|\n|gold|model|\n|---|---|\n|a|b|\n": "begins another table",
    "   gold model\n0   ham   ham\n1   ham  spam": "this is a printed data frame: save it as CSV",
    "       gold     model\n0       ham  not spam\n1  not spam       ham": "printed data frame",
    " gold | model\n----|----\n a | a\n(1 row)\n": "each row must have 2 cells",
    "|gold|model|\n|--|--|\n|a|\udcff|\n": "is not text in UTF-8",
}


@pytest.mark.parametrize("text", REFUSED)
def test_what_is_no_row_of_such_a_table_is_refused_and_said(text, tmp_path):
    (tmp_path / "p.csv").write_bytes(text.encode("utf-8", "surrogateescape"))
    with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
        table_from_file(tmp_path / "p.csv", **COLUMNS)
    assert REFUSED[text] in str(refused.value)


def test_a_single_column_may_hold_what_could_separate_columns(tmp_path):
    (tmp_path / "p.csv").write_text("label\na|b\nc|d\na|b\n")
    samples = Samples({"references": "label"})
    columns, _, _ = whole_columns(samples, read_files(tmp_path / "p.csv", samples))
    assert columns["references"].tolist() == ["a|b", "c|d", "a|b"]


def test_repeated_documents_of_filters_warn(tmp_path):
    path, two = tmp_path / "p.jsonl", ("none", "last")
    names = {"references": "target", "predictions": "filtered_resps.0"}
    for filters, options, n_warnings in (
        (two, {}, 1),
        (two, {"by": "filter"}, 0),
        (two[:1], {}, 0),
    ):
        rows = [
            {"doc_id": i, "target": x, "filtered_resps": [x], "filter": name}
            for name in filters
            for i, x in enumerate("aabb")
        ]
        path.write_text("\n".join(map(json.dumps, rows)))
        said = warned(table_from_file, path, **names, **options)[1]
        assert said.count("a log of lm-eval has a row per document and filter") == n_warnings
