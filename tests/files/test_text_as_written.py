"""Text files as people and programs write them: their labels are read as they stand, or refused.

`CASES` are the text of a file, its options, and its references and predictions or the message.

Covers src: files/delimited.py, text/layout.py.
"""

import itertools

import pytest

from inputs.file_cases import COLUMNS, SIZES, check_read, refused, refused_as, table_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")  # see test_every_path.py


def of(columns, *rows):
    """Return CSV with columns gold, model, text and w, in this order of their first letters."""
    names = {"g": "gold", "m": "model", "t": "text", "w": "w"}
    return "\n".join([",".join(names.get(x, x) for x in columns), *rows, ""])


def lines(*values):
    """Return JSON lines of which both labels are these values."""
    return "".join(f'{{"gold": {x}, "model": {x}}}\n' for x in values)


QUOTED = "the row that begins in line {} has a quoted field that is not well formed"
TWO_ROWS = "the row that begins in line {} has a quoted field whose lines look like rows"
THIRD = TWO_ROWS.format(3)
ROWS_OF_ANSWER = "b,b,ok\na,a,ok"  # of a model, which look like rows of the file
NO_UTF8 = r"not text in UTF-8, .*: pass the file's encoding as `encoding`"
EMPTY = of("gm", "a,a", '"b",""', ",b", '"a","b"', "b,b", "a,")
NULLS = (
    r"`references` must have a value in every row, got an empty cell or text such as NA in 1 of 6 "
    r"rows of column 'gold', first in row 3 of the data; `predictions` .* in 2 of 6 rows of column "
    r"'model'\. "
    'With unknown="wrong" a missing prediction counts as wrong; leaving it out can flatter a model '
    r"that gives up on hard samples\. With drop_null=True such rows are left out\. "
    r"With keep_missing=True such text is a label\.$"
)
ROWS = "göld,model\na,a\n"
GÖLD = {"references": "göld"}
DOTS = "doc.label,argmax:x\na,a\nb,b\n"
LONG = "x" * 140_000

CSV = [
    # a quote that swallows rows
    (of("gm", 'a,"a', '"b",b', "c,c"), QUOTED.format(2)),
    (of("gm", "a,a", '"a "fine" thing",b'), QUOTED.format(3)),
    (of("gm", '"a\n",b', '"a\n"" and so on,b', "c,c"), QUOTED.format(4)),
    (of("gmt", "b,b,ok", 'a,a,"Hi', "b,b,ok", 'a,b,fine"'), TWO_ROWS.format(3)),
    (of("tgm", "ok,b,b", '"Hi,b,b', "ok,a,b", 'so",a,b'), TWO_ROWS.format(3)),
    (of("gm", "a,b", "b,a", '"a,b', "b,b", "a,a", 'b",a'), TWO_ROWS.format(4)),
    # also where no label of the rows is one of the others
    (of("gmt", "a,a,ok", 'a,a,"Hi', *["b,b,ok", "b,a,so"] * 9, 'c,c,fine"', "c,a,ok"), THIRD),
    (of("gmt", "a,answer 1,ok", 'a,answer 2,"Hi', "b,answer 3,ok", 'b,answer 4,"'), THIRD),
    # or others are in quotes for a separator in them
    (of("gmt", "b,b,ok", 'a,a,"Hi', "b,a,ok", 'a,b,fine"', 'b,a,"well, so"'), THIRD),
    # a text that is a quote, as in CoNLL, with empty lines between sentences
    (of("tgm", "so,a,a", '",a,a', "it,b,b", "", '",a,b', "is,b,a"), THIRD),
    # rows in an answer of a model, and other text in lines or in quotes, or a header in quotes
    (of("gmt", 'a,b,"Well, here:', f'{ROWS_OF_ANSWER}"', "b,b,ok"), ("ab", "bb")),
    (of("gmt", 'a,b,"Here:', f'{ROWS_OF_ANSWER}"', 'b,b,"So', 'it is"'), ("ab", "bb")),
    ('"gold","model","text"\na,b,"Here:\n' + ROWS_OF_ANSWER + '"\nb,b,ok\n', ("ab", "bb")),
    ('gold,model,text\r\na,b,"Here:\n' + ROWS_OF_ANSWER + '"\r\nb,b,ok\r\n', ("ab", "bb")),
    (of("gmt", 'a,b,"Yes', 'x,y,z"', 'b,b,"ok, so"'), ("ab", "bb")),
    # quotes of which nothing is wrong
    (of("tgm", '"Dear a,\nwell, b, a\nyes, no, no\nso",a,a', "b,b,b"), ("ab", "ab")),
    (of("gmt", 'a,b,"Hello\nworld"', 'b,a,"So\n"', 'a,a,"\n,,\n"'), ("aba", "baa")),
    *((of("gm", f"{x},{x}"), ([x], [x])) for x in ('a "fine" thing', '6""')),
    # more than a reader of Python takes
    (of(["g", "m", f'"{LONG}"'], f'a,"{LONG}",b'), ("a", [LONG])),
    (of(["g", "m", LONG * 40], "a,a,b"), "each row and the header must have at most 4,194,304"),
    # what stands around the rows
    (f"# {ROWS}{ROWS}", "'göld', which does not exist; .* columns are '# göld'", GÖLD),
    (f"\n{ROWS}", ("a", "a"), GÖLD),
    (f"{ROWS}(2 rows)", r"each row must have 2 cells, .* got 1 in '\(2 rows\)'", GÖLD),
    ("", "the columns are none"),
    ("x," * 99_999, "the columns are 'x', .* and 99,960 more"),
    (ROWS.encode("utf-16-le"), NO_UTF8, GÖLD),
    (ROWS.encode("latin-1"), r"line 1 is not text in UTF-8, at b'g\\xf6ld.*as 'cp1252'", GÖLD),
    (of("gmg", "a,a,a", "b,a,b"), ("ab", "aa")),
    (of("gmg", "a,a,b"), ("b", "a"), {"references": "gold.1"}),
    # empty cells, whoever wrote them, and what only looks so
    (EMPTY, NULLS),
    (EMPTY, ("aab", "abb"), {"drop_null": True}),
    (EMPTY, ([*"ab", "", *"aba"], ["a", "", *"bbb", ""]), {"keep_missing": True}),
    (of("gm", " ,Na", "none,NONE", "-1, "), ([" ", "none", "-1"], ["Na", "NONE", " "])),
    # integers in text, and in options
    (of("gm", "001,1", "1,1", f"{2**64 - 1},1"), ([1, 1, 2**64 - 1], [1] * 3), {"numeric": True}),
    (of("gm", f"1,{2**64}"), "`predictions` .* integers of at most 64 bits", {"numeric": True}),
    # names with dots and colons
    (DOTS, ("ab", "ab"), {"references": "doc.label", "predictions": "argmax:x"}),
    (DOTS, r"'doc\.name', which does not .* are 'doc\.label'", {"references": "doc.name"}),
]
TYPES = [
    ('"a"', "1", "type"),
    ("1", "18446744073709551616", "64 bits, got 18446744073709551616"),
    ("1", "0.7", r"0\.7.*a score, not a label"),
    ("1", "NaN", "`references` must have a value in every row"),
    ('"a"', "{}", "line .* 'gold' holds several values, {}: name a field"),
]
DOCUMENT = '{"run": {"n": 1, "rows": [{"gold": "a", "model": "a"}]}, "tags": ["x"]}'
WITHIN = {"references": "doc.gold", "predictions": "says.model"}
JSON = [
    # of two types, in one batch and in the next
    *((lines(*[x] * n, y), said) for x, y, said in TYPES for n in (1, 11)),
    # read in two ways, or in none
    (lines('"a"', '"a", "gold": "b"'), "line 2 is not JSON: the key '(gold|model)' occurs twice"),
    (lines('"a"', "[" * 100_000), "line 2 is not JSON: "),
    # an absent key is a null, unless no row has it
    ('{"gold": "b"}\n' + lines('"a"'), ("a", "a"), {"drop_null": True}),
    (lines('"a"', '"b"') + '{"gold": "a"}', r"None \(null\) or nan in 1 of 3 rows of column 'mo"),
    ('{"gold": "b"}\n{"gold": "a", "modell": "a"}', "line 1 has no 'model'; its keys are 'gold'$"),
    # a table by column, as pandas writes it or as lists
    ('{"gold": {"0": "a", "7": "b"}, "model": {"0": "b", "7": "b"}}', ("ab", "bb")),
    ('{"gold": ["a", "b"],\n "model": ["b", "b"]}', ("ab", "bb")),
    ('{"gold": ["a", "b"], "model": ["b"]}', "line 1: 'gold' holds several values"),
    ('{"gold": ["a"], "model": ["b"]}\n' * 2, "line 1: 'gold' holds several values"),
    # rows within a document, of which one list has some
    (DOCUMENT, r"Pass the path to its rows as `rows`: 'run.rows' \(1 row\)$"),
    (DOCUMENT, ("a", "a"), {"rows": "run.rows"}),
    ('{"doc": {"gold": "a"}, "says": {"model": "a"}}', ("a", "a"), WITHIN),
    ('{\n"a": [{"x": 1}], "b": [{"x": 1}]}', r"`rows`: 'a' \(1 row\) or 'b' \(1 row\)"),
    ('{"gold": "a", "model": "a", "says": [{"x": 1}]}', ("a", "a")),
    # UTF-8 alone; half a character is text like any other
    ('\ufeff{"gold": "é\\ud83d\\ude00", "model": "é😀"}', (["é😀"], ["é😀"])),
    ("\n{é".encode("latin-1"), "line 2 is not JSON: line 2 is not text in UTF-8"),
    (b'\n{"gold": "\xed\xa0\x80"}', "line 2 is not JSON: line 2 is not text in UTF-8"),
    ('{"gold": "\\ud800", "model": "a", "text": "\\ud800"}\n', (["\ud800"], ["a"])),
    # lines or an array, whatever the file is called
    (f"[{lines('1')}, {lines('2')}]", ([1, 2], [1, 2])),
    ('[{"gold": 1, "model": 1}, {"gold": 2, "model": null}]', ([1], [1]), {"drop_null": True}),
    (f"[{lines('1')}, 3]", "entry 1 must be a JSON object, got 3"),
    ("[{", "the file is not JSON"),
    ("{}", "line 1 has no 'gold'; its keys are none"),
]
CASES = [
    *((name, *case) for name in ("p.csv", "p.tsv") for case in CSV),
    *((name, *case) for name in ("p.json", "p.jsonl") for case in JSON),
]


@pytest.mark.parametrize("size", ["as it is", "in pieces"])
@pytest.mark.parametrize("case", CASES)
def test_a_file_is_read_as_it_was_written_or_refused_by_name(case, size, monkeypatch, tmp_path):
    name, text, expected, *options = case
    path, options = tmp_path / name, COLUMNS | dict(*options)
    names = {x: options.pop(x) for x in COLUMNS}
    if size == "in pieces" and (name.endswith("json") or len(text) < 200):  # as long as a row is
        for setting in SIZES[size]:
            monkeypatch.setattr(*setting)
    if name == "p.tsv" and isinstance(text, str):
        text = text.replace(",", "\t")
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    if isinstance(expected, str):
        refused(path, f".*{expected}", names=names, **options)
    else:
        check_read(path, expected, names, **options)


def test_the_header_says_what_separates_columns(tmp_path):
    ends, encodings = ("\n", "\r\n", "\r"), ("utf-8", "utf-8-sig", "utf-16", "utf-32")
    for name, sep in itertools.product(("p.csv", "p.tsv"), ",;\t|"):
        for is_said, end, encoding in itertools.product((False, True), ends, encodings):
            rows = [*[f"sep={sep}"] * is_said, f"gold{sep}model", f'"a{sep}"{sep}é', f"b{sep}b", ""]
            (tmp_path / name).write_bytes(end.join(rows).encode(encoding))
            check_read(tmp_path / name, ([f"a{sep}", "b"], ["é", "b"]))


def test_other_encodings_are_read_only_if_named(tmp_path):
    words = {"cp1252": "schön", "cp1251": "хорошо", "cp932": "肯定", "gb18030": "正面"}
    for encoding, word in (words | {"utf-16-le": "schön"}).items():
        for name, text in (("p.csv", of("gm", f"a,{word}")), ("p.jsonl", lines(f'"{word}"'))):
            (tmp_path / name).write_bytes(text.encode(encoding))
            refused(tmp_path / name, ".*is not text in UTF-8.*`encoding`")
            expected = "a" if name == "p.csv" else [word], [word]
            check_read(tmp_path / name, expected, encoding=encoding)
    for encoding, message in (
        ("ascii", "text in 'ascii': .* codec can"),
        ("x", "unknown encoding"),
    ):
        refused_as(tmp_path / "p.jsonl", message, encoding=encoding)
    (tmp_path / "p.parquet").touch()
    refused_as(
        tmp_path / "p.parquet", "text formats, not for parquet: leave it out", encoding="cp1252"
    )


def test_an_empty_weight_is_null_even_if_text_is_kept(tmp_path):
    path = tmp_path / "p.csv"
    path.write_text(of("gmw", "a,a,1", "b,b,", "b,a,2"))
    with pytest.raises(ValueError, match="in 1 of 3 rows of column 'w'"):
        table_of(path, weights="w", keep_missing=True)


def test_a_quote_is_plain_text_in_files_without_quotes(tmp_path):
    """As in CoNLL, where a token may be one."""
    rows = [('"', "O"), ("O", 'B-"x'), ('B-"x', '"'), ("5'", "O"), ('"x"', '"x"')]

    for name, sep in (("p.csv", ","), ("p.tsv", "\t")):
        lines_of_file = (f"{sep.join(row)}\n" for row in [("gold", "model"), *rows])
        (tmp_path / name).write_text("".join(lines_of_file))
        check_read(tmp_path / name, [*zip(*rows, strict=True)], no_quotes=True)
        refused_as(tmp_path / name, r"line 2 .* With no_quotes=True all quotes")
    (tmp_path / "p.jsonl").write_text(lines('"a"'))
    refused_as(tmp_path / "p.jsonl", "`no_quotes` is for CSV and TSV", no_quotes=True)


def test_a_command_takes_quotes_as_text_if_told(tmp_path, command):
    """The error says how, and the columns are listed so."""
    path = tmp_path / "p.tsv"
    path.write_text(of("tgm", "a,a,a", '",a,b', "it,b,b").replace(",", "\t"))
    given = ("report", path, "-r", "gold", "-p", "model", "--metric", "accuracy")
    assert "With --no-quotes all quotes are text.\n" in command(*given)[2]
    assert command(*given, "--no-quotes")[:2] == (0, f"{2 / 3!r}\n")
    assert "\ntext " in command("report", path, "--no-quotes")[1]
