"""The messages about files and frames in tests/messages.json, beyond those of inputs/messages.py.

Each case is a small file or frame, or a command that reads files, for a message or for a part of
one that depends on the data. Texts of other libraries are cut off, as their versions differ.
"""

import bz2
import codecs
import gzip
import io
import json
import lzma
import re
import sys
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any
from unittest import mock

import duckdb
import openpyxl
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet

import informedness as package
from informedness.files import delimited, reading
from informedness.files.counting import table_of_matrix
from inputs.file_cases import read_columns
from inputs.messages import Said, outcome_of, told_by

Cases = Iterator[tuple[str, Callable[[], Any]]]
NAMED = {"references": "gold", "predictions": "model"}
AB = {"labels": ["a", "b"]}
PLAIN = "gold,model\na,a\nb,b\na,b\n"
FOREIGN = {  # what stands before the text of another library, by case
    "gz cut off": "(gz):",
    "zst damaged": "(zst):",
    "no Parquet": "not readable as parquet:",
    "no workbook": "it is damaged:",
    "codes outside a dictionary": "is damaged:",
    "frame of objects of Python": "must hold columns of labels:",
}


def _write(files: Mapping[str, str | bytes]) -> None:
    for name, content in files.items():
        path = Path(name)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content if isinstance(content, bytes) else content.encode())


def _account_of(table: Any) -> str:
    return re.sub("  +", " ", str(table.read[0]))


def _read(path: Any, content: Any = None, **options: Any) -> str:
    """Count a file with this content, or a path as it is; return the account of what was read."""
    if content is not None:
        _write({path: content})
    return _account_of(package.table_from_file(path, **{**NAMED, **options}))


def _read_all(files: Mapping[str, str | bytes], path: Any = None, **options: Any) -> str:
    """Count these files into one table; `path` may be the folder that holds them."""
    _write(files)
    return _read(path or [*files], **options)


def _read_matrix(text: str, **options: Any) -> str:
    _write({"data.csv": text})
    return _account_of(table_of_matrix("data.csv", "csv", None, **{"labels": None, **options}))


def _frame(frame: Any, **options: Any) -> str:
    return _account_of(package.table_from_frame(frame, **{**NAMED, **options}))


def _without(name: str, call: Callable[..., Any], *values: Any, **options: Any) -> Any:
    """Call a function as if a package were missing."""
    with mock.patch.dict(sys.modules, {name: None}):
        return call(*values, **options)


def _csv(header: str, *rows: str) -> str:
    return "".join(f"{row}\n" for row in (header, *rows))


def _lines(*rows: Any) -> str:
    return "".join(f"{json.dumps(row)}\n" for row in rows)


def _pairs(*pairs: Any) -> str:
    return _lines(*({"gold": x, "model": y} for x, y in pairs))


def _table(references: Any = "abba", predictions: Any = "abbb", **more: Any) -> pa.Table:
    return pa.table({"gold": [*references], "model": [*predictions], **more})


def _parquet(table: pa.Table) -> bytes:
    stream = io.BytesIO()
    pa.parquet.write_table(table, stream)
    return stream.getvalue()


def _arrow(table: pa.Table, opened: Any = pa.ipc.new_file) -> bytes:
    stream = io.BytesIO()
    with opened(stream, table.schema) as writer:
        writer.write_table(table)
    return stream.getvalue()


def _stream(table: pa.Table) -> bytes:
    return _arrow(table, pa.ipc.new_stream)


def _workbook(**sheets: Any) -> bytes:
    """Return a workbook of these sheets, each a list of rows; without rows it is one of charts."""
    book, stream = openpyxl.Workbook(), io.BytesIO()
    for title, rows in sheets.items():
        sheet = book.create_chartsheet(title) if rows is None else book.create_sheet(title)
        for row in rows or ():
            sheet.append([*row])
        if rows is None:
            sheet.add_chart(openpyxl.chart.BarChart())
    book.remove(book.worksheets[0])
    book.save(stream)
    return stream.getvalue()


def _zip(name: str, content: str) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        archive.writestr(name, content)
    return stream.getvalue()


def _cases_of_paths() -> Cases:
    two = {"two/x.csv": PLAIN, "two/y.tsv": PLAIN.replace(",", "\t")}
    yield "folder of two formats", lambda: _read_all(two, "two")
    yield "no path", lambda: _read([])
    yield "a number as path", lambda: _read(3)
    yield "an empty path", lambda: _read([""])
    yield "no such format", lambda: _read("data.csv", PLAIN, file_format="xml")

    def read_link() -> None:
        Path("links").mkdir()
        Path("links/x.csv").symlink_to("nowhere.csv")
        _read("links")

    yield "folder with a broken link", read_link
    hidden = {"hidden/.x.csv": PLAIN, "hidden/README.md": "x"}
    yield "folder without data", lambda: _read_all(hidden, "hidden")
    one, four = ".x.csv", ("LICENSE", "README.md", "_x.csv", "~$x.csv")
    for name, left_out in (("one", [one]), ("four", four)):
        files = dict.fromkeys((f"{name}/{x}" for x in ("part.csv", *left_out)), PLAIN)
        yield f"folder that leaves out {name}", lambda x=files, y=name: _read_all(x, y)
    for name, listed in (("two", "cab"), ("one", "ba")):
        state = json.dumps({"_data_files": [{"filename": f"{x}.arrow"} for x in listed]})
        files = {f"lacks {name}/state.json": state, f"lacks {name}/a.arrow": _stream(_table())}
        yield f"folder that lacks {name}", lambda x=files, y=name: _read_all(x, f"lacks {y}")
    broken = {"broken/state.json": "x", "broken/a.arrow": _stream(_table())}
    yield "folder with a broken list", lambda: _read_all(broken, "broken")
    yield "encoding of Parquet", lambda: _read("x.parquet", _parquet(_table()), encoding="utf-8")
    yield "no_quotes of JSON", lambda: _read("x.jsonl", _pairs("aa"), no_quotes=True)
    yield "rows of Parquet", lambda: _read("x.parquet", _parquet(_table()), rows="x")
    yield "ZIP archive", lambda: _read("zipped.csv", _zip("x.csv", PLAIN))

    def read_closed() -> None:
        with mock.patch.object(sys, "stdin", None):
            _read("-", file_format="csv")

    yield "closed standard input", read_closed
    # compression, and text in other encodings
    noise = "".join(f"{x},{x * x % 97}\n" for x in range(999))
    packed = gzip.compress(noise.encode())
    yield "gz cut off", lambda: _read("x.csv.gz", packed[:-9])
    packed_xz = lzma.compress(noise.encode())
    yield "xz cut off", lambda: _read("x.csv.xz", packed_xz[:-9])
    yield "zst damaged", lambda: _read("x.csv.zst", b"\x28\xb5\x2f\xfd" + b"x" * 99)

    def list_unpacked(name: str, content: bytes) -> None:
        _write({name: content})
        reading.first_rows(name, max_bytes=1234)

    yield "gz too large", lambda: list_unpacked("x.csv.gz", packed)
    sheet = _workbook(x=[["gold", "model"], ["a", "a"]])
    yield "workbook too large", lambda: list_unpacked("x.xlsx", sheet)
    yield "header in Latin-1", lambda: _read("x.csv", "göld,model\na,a\n".encode("latin-1"))
    lost = {"references": "g\ufffdld"}
    yield "header with a lost character", lambda: _read("x.csv", "g\ufffdld,model\na,a\n", **lost)
    yield "NUL in the header", lambda: _read("x.csv", "go\0ld,model\na,a\n")
    yield "row in Latin-1", lambda: _read("x.csv", f"{PLAIN}a,für Elise,\n".encode("latin-1"))
    yield "NUL", lambda: _read("x.csv", f"{PLAIN}a,b\0\n")
    yield "UTF-16 without its mark", lambda: _read("x.csv", PLAIN.encode("utf-16-le"))
    utf_16 = codecs.BOM_UTF16_LE + PLAIN.encode("utf-16-le")
    yield "UTF-16 cut off", lambda: _read("x.csv", utf_16[:-1])
    # packages that are missing, and memory
    yield "without pyarrow", lambda: _without("pyarrow", _read, "x.csv", PLAIN)
    packed_bz2 = bz2.compress(PLAIN.encode())
    yield "without pyarrow for bz2", lambda: _without("pyarrow", _read, "x.csv.bz2", packed_bz2)
    yield "without openpyxl", lambda: _without("openpyxl", _read, "x.xlsx", sheet)
    yield "without narwhals", lambda: _without("narwhals", _frame, pd.DataFrame())
    joined = "compare", "ids.jsonl", "numbers.jsonl", "--on", "id", *COLUMNS.split()
    yield "without pyarrow to join", lambda: "\n".join(_without("pyarrow", told_by, *joined))
    result = package.report([*"abba"], [*"abbb"])
    yield "without pandas", lambda: _without("pandas", result.to_pandas)

    def read_without_memory() -> None:
        with mock.patch.object(reading, "Delimited", side_effect=MemoryError):
            _read("x.csv", PLAIN)

    yield "without memory", read_without_memory

    def read_many() -> None:
        _write({"x.csv": PLAIN})
        read_columns("x.csv", most_rows=2)

    yield "too many rows", read_many


def _cases_of_text() -> Cases:
    gm, gmt = "gold,model", "gold,model,text"
    texts = {
        "an open quote in the last row": _csv(gm, 'a,"a', "b,b"),
        "text after a closing quote": _csv(gm, "a,a", '"a "fine" thing",b', "b,b"),
        "a quote that holds rows": _csv(gmt, "b,b,ok", 'a,a,"Hi', "b,b,ok", 'a,b,fine"'),
        "a quote that holds rows, beside others": _csv(
            gmt, "b,b,ok", 'a,a,"Hi', "b,a,ok", 'a,b,fine"', 'b,a,"well, so"'
        ),
        "three headers": _csv(gm, "a,a", gm, "b,b", gm, "a,b"),
        "columns that differ": _csv("gold,model,gold,model", "a,a,a,a", "b,b,a,b"),
        "a row too short": _csv(gm, "a,a", "(2 rows)"),
        "no label in any row": _csv(gm, ",", ","),
        "missing references": _csv(gm, "a,a", ",b", "NA,b"),
        "missing on both sides": _csv(gm, "a,a", ",b", "b,", "a,NA"),
        "a header that is a row": _csv("a,b", "a,b", "b,a", "b,b"),
        "names that say the opposite": _csv("predicted,true", "a,a", "b,b"),
        "unlike spellings": _csv(gm, *["ice-cream,ice\u2010cream", "tea,tea"] * 3),
        "fastText": _csv(gm, "__label__a,so __label__a", "__label__b,so __label__b"),
        "scores for labels": _csv(gm, "a,0.25", "b,0.75"),
        "decimal commas": _csv("gold;model", "a;0,25", "b;0,75"),
        "long text": _csv(gm, f"a,{'It is a. ' * 5}", f"b,{'It is b. ' * 5}"),
        "numbers for names": _csv(gm, "a,0", "b,1"),
        "other names": _csv(gm, "a,c", "b,d"),
    }
    for name, text in texts.items():
        options = {"references": "predicted", "predictions": "true"} if "predicted" in text else {}
        if text.startswith("a,b"):
            options = {"references": "a", "predictions": "b"}
        yield name, lambda x=text, y=options: _read("data.csv", x, **y)

    def read_long(text: str) -> None:
        with mock.patch.object(delimited, "BLOCK", 200):
            _read("data.csv", text)

    yield "a header too long", lambda: read_long(_csv(f"gold,model,{'x' * 999}", "a,a,b"))
    yield "a row longer than a block", lambda: read_long(_csv(gmt, f"a,a,{'x' * 999}", "b,b,b"))
    many = _csv("\t".join(f"x{i}" for i in range(45)))
    yield "many columns", lambda: _read("data.tsv", many, references="x99", predictions="y")
    yield "similar names", lambda: _read("data.csv", PLAIN, references="golt", predictions="modle")
    numbers = "gold,model,n\n1,1,2\n0,1,{}\n"
    for name, cell in (("text", "x"), ("a decimal comma", '"1,5"'), ("nothing", "")):
        text = numbers.format(cell)
        yield f"weights of {name}", lambda x=text: _read("data.csv", x, weights="n")
        yield f"counts of {name}", lambda x=text: _read("data.csv", x, counts="n")
    names = {"weights": "n", "drop_null": True}
    yield "all of weight 0", lambda: _read("data.csv", "gold,model,n\na,a,0\nb,,1\n", **names)
    yield "nothing is ignored", lambda: _read("data.csv", PLAIN, ignore_index="c")
    scores = _csv("gold,a,b", "a,0.9,0.1", "b,0.2,{}")
    several = {"predictions": "argmax:b,a"}
    for name, options in {
        "too few classes": {"labels": ["a"]},
        "no classes": {},
        "a threshold": {**AB, "threshold": 0.5},
        "classes in another order": AB,
    }.items():
        how = several | options
        yield f"scores with {name}", lambda x=how: _read("data.csv", scores.format("0.8"), **x)
    for name, cell in (("text", "x"), ("a decimal comma", '"0,5"')):
        text, how = scores.format(cell), several | {"labels": ["b", "a"]}
        yield f"scores of {name}", lambda x=text, y=how: _read("data.csv", x, **y)
    yield "choices listed twice", lambda: _read("data.csv", PLAIN, choices=["a", "b", "a"])
    yield (
        "prediction outside choices",
        lambda: _read("data.csv", f"{PLAIN}a,c\n", choices=["a", "b"]),
    )
    texts = _csv("gold,model", "a,1", "b,x")
    yield "texts beside choices", lambda: _read("data.csv", texts, choices=["a", "b"])
    verdicts = _csv("gold,right,predicted", *["1,1,1", "0,1,0", "1,0,0", "0,0,1"] * 2)
    yield "a verdict", lambda: _read("data.csv", verdicts, predictions="right")
    # what an account says
    truths = _csv("gold,model", "1.0,True", "0.0,False", "1.0,False")
    yield "truths and numbers", lambda: _read("data.csv", truths)
    wholes = _csv("gold,model", "1.0,1", "0.5,2", "a,1.0")
    yield "numbers and text", lambda: _read("data.csv", wholes, unknown="wrong")
    yield "numbers", lambda: _read("data.csv", _csv(gm, "1,1", "2,02"), numeric=True)
    above = {"predictions": "b", "threshold": 0.5, **AB}
    yield "scores above a threshold", lambda: _read("data.csv", scores.format("0.8"), **above)
    answers = _csv(gm, "a,it is a", "b,it is b", "a,who knows", "b,")
    found = {"extract": "[ab]$", "unknown": "wrong"}
    yield "answers extracted", lambda: _read("data.csv", answers, **found)
    gaps = _csv("gold,model,n", "a,a,1.5", "b,,2", "a,b,", ",b,1", "b,b,0", "c,c,2")
    kept = {"weights": "n", "drop_null": True, "ignore_index": "c"}
    yield "rows left out", lambda: _read("data.csv", gaps, **kept)
    kept = {"unknown": "wrong", "weights": "n", "drop_null": True}
    yield "predictions missing", lambda: _read("data.csv", gaps, **kept)
    many = _csv(gm, *(f"c{i},d{i}" for i in range(12)), "c0,c0")
    classes = [f"c{i}" for i in range(12)]
    yield "many labels", lambda: _read("data.csv", many, labels=classes, unknown="wrong")
    unused = ",".join(f"x{i}" for i in range(25))
    wide = _csv(f"gold,model,{unused}", *(f"{x},{x}{',' * 25}" for x in "ab"))
    yield "many columns are not used", lambda: _read("data.csv", wide)
    third = _csv(",a,b,c", "a,9,1,2", "b,2,8,1", "c,0,0,0")
    yield "matrix with a third column", lambda: _read_matrix(third, unknown="wrong")
    yield "matrix of weights", lambda: _read_matrix(third.replace("9", "9.5"))
    yield "matrix of labels", lambda: _read_matrix(third, labels=["a", "b", "d"])
    # several files
    two = {"a.csv": PLAIN, "b.csv": _csv("gold,says", "a,a")}
    yield "a column in one of two files", lambda: _read_all(two)
    for n in (2, 3):
        files = {f"{i}.csv": _csv(gm, "a,") for i in range(n)}
        yield f"missing in {n} files", lambda x=files: _read_all(x)
    for n in (2, 3):
        files = {f"{i}.csv": PLAIN for i in range(n)}
        yield f"{n} files", lambda x=files: _read_all(x)
    half = {"a.csv": PLAIN, "b.csv": _csv(gm, "a,a", "b,")}
    yield "missing in one of two files", lambda: _read_all(half)


def _cases_of_json() -> Cases:
    def of(*pairs: Any, **options: Any) -> Callable[[], str]:
        return lambda: _read("data.jsonl", _pairs(*pairs), **options)

    def document(value: Any, **options: Any) -> Callable[[], str]:
        text = value if isinstance(value, str) else json.dumps(value)
        return lambda: _read("data.json", text, **options)

    row = {"gold": "a", "model": "a"}
    yield "types of references", of(("a", "a"), (1, "a"))
    yield "types of both", of(("1", 1), ("0", 0))
    yield "types that numeric cannot help", of(("a", 1), ("b", 0))
    two = {"a.jsonl": _pairs((1, 1)) * 2, "b.jsonl": _pairs("aa") * 2}
    yield "types of two files", lambda: _read_all(two)
    yield "types of two files to slice by", lambda: _read_all(two, by="gold")
    yield "null", of(("a", None), (None, "b"), "aa")
    yield "an integer too large", of((1, 2**64))
    yield "a score for a label", of((1, 0.7))
    yield "a line of a number", lambda: _read("data.jsonl", f"{_pairs('aa')}3\n")
    yield "an entry of a number", document([row, 3])
    yield "Latin-1", lambda: _read("data.jsonl", f"{_pairs('aa')}{{é}}".encode("latin-1"))
    yield "an absent value in an object", of(({"x": "a"}, "a"), references="gold.y")
    yield "an absent object", of(("a", "a"), references="god.y")
    yield "no field in text", of(("a", "a"), references="gold.y")
    yield "no field deep in text", of(({"x": {"y": "a"}}, "a"), references="gold.x.y.z")
    yield "no element in a list", of((["a", "b"], "a"), references="gold.2")
    yield "no column for several", of(("a", "a"), references="argmax:gold,model")
    objects = [{"label": "a", "score": 0.5}, {"label": "b", "score": None}]
    for name, value in {"text": "x", "null": [0.5, None], "objects": objects}.items():
        yield f"argmax of {name}", of(("a", value), predictions="argmax:model")
    # documents
    yield "rows at a path", document({"run": {"rows": [row]}, "n": 1})
    yield "rows at two paths", document({"a": [row], "b": [row, row]})
    yield "rows in an object", document({"run": {"rows": {"1": row, "2": row}}})
    yield "no list of rows", document({"a": {"b": "x"}}, rows="a.b")
    yield "no such rows", document({"a": {"b": [row]}}, rows="a.c")
    yield "no such rows in a list", document([row], rows="a")
    yield "no such rows in text", document({"a": {"b": "x"}}, rows="a.b.c")
    table = {"columns": ["gold", "model"], "data": [["a", "a"], ["b"]]}
    yield "a row without a cell", document(table, rows="data")
    stored = {"gold": ["a", "b"], "model": ["b", ["x"]]}
    yield "a list in a table by column", document(stored)
    yield "an array that does not end", document("[{")
    logs = [{"doc_id": 0, "filter": x} | row for x in ("none", "strict")]
    yield "filters of lm-eval", lambda: _read("data.jsonl", _lines(*logs))


def _cases_of_binaries() -> Cases:
    plain = _table()
    stream, parquet, file = _stream(plain), _parquet(plain), _arrow(plain)
    yield "stream cut off", lambda: _read("x.arrow", stream[:-9])
    yield "streams joined", lambda: _read("x.arrow", stream * 2)
    yield "files of Parquet joined", lambda: _read("x.parquet", parquet * 2)
    yield "files of Arrow joined", lambda: _read("x.arrow", file * 2)
    yield "no Parquet", lambda: _read("x.parquet", PLAIN)
    kinds = {"list": pa.list_(pa.field("x", pa.string())), "map": pa.map_("str", "float")}
    for name, kind in (kinds | {"struct": pa.struct({"x": pa.string()})}).items():
        column = pa.nulls(2, kind)
        nested = _arrow(pa.table({"gold": column, "model": [*"ab"]}))
        yield f"column of type {name}", lambda x=nested: _read("x.arrow", x)
    feature = {"_type": "ClassLabel", "names": ["a", "b"]}
    features = json.dumps({"info": {"features": {"gold": feature, "model": feature}}})
    classes = _parquet(_table([0, 1], [1, 1]).replace_schema_metadata({"huggingface": features}))
    yield "positions of classes", lambda: _read("x.parquet", classes)
    two = _parquet(_table([{"x": ["a"]}, {"x": ["a", "b"]}], "ab"))
    yield "two values in a row", lambda: _read("x.parquet", two, references="gold.x")
    yield "no field in a row", lambda: _read("x.parquet", two, references="gold.y")
    codes = pa.DictionaryArray.from_arrays(pa.array([0, 7]), pa.array(["a", "b"]), safe=False)
    yield "codes outside a dictionary", lambda: _frame(pa.table({"gold": codes, "model": codes}))
    # workbooks
    rows = [["gold", "model"], ["a", "a"], ["b", "b"]]
    books = {
        "only charts": ({"x": None}, {}),
        "no such sheet": ({"x": rows, "y": rows}, {"rows": "z"}),
        "the same columns in two sheets": ({"x": rows, "y": rows, "z": [["n"], [1]]}, {}),
        "a sheet without a column": ({"x": rows, "y": [["gold", "modle"]]}, {"rows": "y"}),
        "a sheet with repeated columns": ({"x": [["gold", "model", "model"], [*"aab"]]}, {}),
        "a total": ({"x": [*rows, ["total", 2]]}, {}),
        "a total without a label": ({"x": [*rows * 20, [3, 2]]}, {}),
        "a null": ({"x": [*rows, ["a", None]]}, {}),
        "no scores": ({"x": rows}, {"predictions": "argmax:model"}),
        "two sheets": ({"x": rows, "y": [["n"], [1]]}, {}),
    }
    for name, (sheets, options) in books.items():
        book = _workbook(**sheets)
        yield f"workbook with {name}", lambda x=book, y=options: _read("x.xlsx", x, **y)
    yield "no workbook", lambda: _read("x.xlsx", PLAIN)


def _cases_of_columns_and_frames() -> Cases:
    def of(**options: Any) -> Callable[[], str]:
        return lambda: _read("data.csv", PLAIN, **options)

    yield "a number as a column", of(references=0.5)
    yield "no name of a column", of(predictions=None)
    yield "weights and counts", of(weights="n", counts="n")
    yield "a list as weights", of(weights=["n"])
    yield "no columns to slice by", of(by=[])
    yield "several columns of weights", of(weights="argmax:a,b")
    yield "several columns of references", of(references="argmax:a,b")
    yield "weights in the column of predictions", of(weights="model")
    frame = pd.DataFrame([["a", "b", "a"]], columns=["gold", "gold", "model"])
    yield "frame with a column twice", lambda: _frame(frame)
    yield "frame with a column twice and one too few", lambda: _frame(frame, predictions="modle")
    objects = pl.DataFrame({"gold": pl.Series([{1}, {2}], dtype=pl.Object), "model": ["a", "b"]})
    yield "frame of objects", lambda: _frame(objects)
    mixed = pd.DataFrame({"gold": ["a", 1, {2}], "model": [*"aab"]})
    yield "frame of objects of Python", lambda: _frame(mixed)
    nulls = pd.DataFrame({"gold": ["a", None, "b"], "model": ["a", "b", None]})
    yield "frame with nulls", lambda: _frame(nulls)
    types = pl.DataFrame({"gold": ["1", "0"], "model": [1, 0]})
    yield "frame of types", lambda: _frame(types)
    yield "frame without samples", lambda: _frame(types[:0])
    names = pd.DataFrame({"gold": [*"abba"], "n": [0.5, 0.1, 0.2, 0.9]})
    how = {"predictions": "n", "threshold": 0.3}
    yield "frame of scores", lambda: _frame(names, **how)
    pairs = "select * from (values ('a', 'a'), ('b', 'a')) t(gold, model)"
    lazy = f"select gold collate {{}} as gold, model from ({pairs})"
    for collation in ("nocase", "noaccent"):
        query = duckdb.connect().sql(lazy.format(collation))
        yield f"collation {collation}", lambda x=query: _frame(x)


CASES = (
    _cases_of_paths,
    _cases_of_text,
    _cases_of_json,
    _cases_of_binaries,
    _cases_of_columns_and_frames,
)

# The command line

FILES = {
    "c.csv": PLAIN,
    "d.csv": _csv("gold,model", "a,a", "b,b", "a,a"),
    "rows.csv": _csv("gold,model", "a,a"),
    "header.csv": _csv("id,gold,model"),
    "empty.csv": "",
    "blank.csv": _csv("gold,model", ",", ","),
    "ids.csv": _csv("id,gold,model,w", "1,a,a,1", "2,b,b,2", "3,a,b,1"),
    "weighted.csv": _csv("id,gold,model,w", "1,a,a,1", "2,b,b,3", "3,a,b,1"),
    "less.csv": _csv("id,model", "1,a", "2,b"),
    "more.csv": _csv("id,model", *(f"{i},a" for i in range(1, 6))),
    "others.csv": _csv("id,gold,model", "2,b,a", "3,a,a", "4,b,b"),
    "golds.csv": _csv("gold", *"aba"),
    "models.csv": _csv("model", *"abb"),
    "ids.jsonl": _lines(*({"id": str(i), "gold": "a", "model": "a"} for i in (1, 2, 3))),
    "numbers.jsonl": _lines(*({"id": i, "gold": i % 2, "model": 1} for i in (1, 2, 3))),
    "lines.txt": "a\nb\na\n",
    "latin.txt": "a\nb\nf\xfcr\n".encode("latin-1"),
    "nul.txt": "a\nb\0\na\n",
    "tabs.txt": "1\ta\n2\tb\n3\ta\n",
    "words.txt": "it is a\nit is b\nit is c\n",
    "names.txt": "1 a\n2 b\n3 a\n4 b\n",
    "headed.txt": "label\na\nb\na\nb\na\n",
    "guessed.txt": "guess\na\nb\na\na\na\n",
    "fastText.txt": "__label__a\n__label__b\n__label__a\n",
    "shares.csv": _csv(",a,b", "a,0.9,0.1", "b,0.2,0.8"),
    "totals.csv": _csv(",a,b,total", "a,9,1,10", "b,2,8,10", "total,11,9,20"),
    "nested.json": json.dumps({"run": {"rows": [{"gold": "a", "model": {"x": ["a"], "y": []}}]}}),
    "paths.json": json.dumps({"x": [{"gold": "a"}], "y": [{"gold": "a"}] * 2}),
    "many.csv": _csv("gold,model", *["a,a", "b,b"] * 5001),
    "wide.csv": _csv(
        ",".join(["gold", "model", *(f"x{i}" for i in range(42))]),
        *[",".join([x, x, *["1"] * 42]) for x in "abab"],
    ),
    "alike.csv": _csv("id,true label,x,y", *["1,good,good,bad", "2,bad,good,good"] * 2),
    "verdict.csv": _csv(
        "gold,correct,model", *["good,1,good", "bad,1,bad", "good,0,bad", "bad,0,good"] * 2
    ),
    "unnamed.csv": _csv("a,b", *["a,b", "b,a", "a,a", "b,b"]),
    "counts.csv": _csv("x,a,b", "a,9,1", "b,2,8"),
    "gaps.csv": _csv("gold,pred,n", *["good,good,1", "bad,,2", "bad,bad,"] * 2),
    "systems.csv": _csv(
        "system,item,gold,pred",
        *(f"{x},{i},{'good' if i % 2 else 'bad'},good" for x in "AB" for i in range(4)),
    ),
    "two.xlsx": _workbook(x=[["gold", "model"], ["a", "a"], ["b", "b"]], y=[["n"]]),
}
COLUMNS = "-r gold -p model"
COMMANDS = {
    # joined files
    "joined with a header alone": f"compare ids.csv header.csv --on id {COLUMNS}",
    "joined without a row": f"report ids.csv less.csv --on id {COLUMNS}",
    "joined without a row, wrong": f"report ids.csv less.csv --on id {COLUMNS} --unknown wrong",
    "joined with more rows": f"report ids.csv more.csv --on id {COLUMNS}",
    "joined without rows on both sides": f"compare ids.csv others.csv --on id {COLUMNS}",
    "joined with other weights": f"report ids.csv weighted.csv --on id {COLUMNS} --weights w",
    "joined with JSON": f"compare ids.csv ids.jsonl --on id {COLUMNS}",
    "joined with JSON of numbers": f"compare ids.jsonl numbers.jsonl --on id {COLUMNS}",
    "joined by position": f"report golds.csv models.csv {COLUMNS}",
    "joined by position, of lengths": f"report golds.csv less.csv {COLUMNS}",
    # lines
    "lines in Latin-1": "report lines.txt latin.txt",
    "lines with NUL": "report nul.txt lines.txt",
    "lines of cells": "report lines.txt tabs.txt",
    "lines of words": "report words.txt words2.txt",
    "lines of sentences": "report words.txt lines.txt",
    "lines of identifiers": "report names.txt names2.txt",
    "lines with a header": "report headed.txt guessed.txt",
    "lines with one header": "report headed.txt headed2.txt",
    "lines of a file listed twice": "report lines.txt ./lines.txt",
    "lines of fastText": "report fastText.txt lines.txt",
    # columns to choose, in a list
    "list of columns": "compare c.csv",
    "list of no columns": "report empty.csv",
    "list of empty columns": "report blank.csv",
    "list of two empty files": "report blank.csv empty.csv",
    "list of two files": "compare ids.csv less.csv",
    "list of rows in a document": "compare nested.json",
    "list of rows at two paths": "compare paths.json",
    "list of a long file": "compare many.csv",
    "list of a wide file": "compare wide.csv",
    "list of columns alike": "compare alike.csv",
    "list with a verdict": "compare verdict.csv",
    "list without a header": "compare unnamed.csv",
    "list of a matrix": "compare counts.csv --strict",
    "list of a matrix of totals": "compare totals.csv",
    "list with gaps": "report gaps.csv --metric nit",
    "list of models": "report systems.csv --confidence-level 0.9",
    "list of a workbook": "compare two.xlsx",
    "list of no words": "compare words.txt",
    # what is said of the files that were read
    "read three files": f"report c.csv d.csv c.csv.txt {COLUMNS} --by-file",
    "read a folder": f"report parts {COLUMNS}",
    "read a sheet": f"report two.xlsx {COLUMNS}",
    "references outside in two files": f"report c.csv d.csv {COLUMNS} --labels a c",
    "read shares": "report shares.csv",
    "read totals": "report totals.csv",
    "read nothing": f"report header.csv {COLUMNS}",
    "read only ignored": f"report rows.csv {COLUMNS} --ignore-index a",
}


def file_messages() -> dict[str, Said]:
    """Return what is said of files and frames, in the current folder, in which they are written."""
    _write({**FILES, **{f"{x}2.txt": FILES[f"{x}.txt"] for x in ("headed", "words", "names")}})
    _write({"c.csv.txt": PLAIN, **{f"parts/{i}.csv": PLAIN for i in range(3)}})
    said = {name: outcome_of(call) for cases in CASES for name, call in cases()}
    for name, end in FOREIGN.items():
        said[name] = ["".join(line.partition(end)[:2]) for line in said[name]]
    for name, command in COMMANDS.items():
        said[f"command: {name}"] = told_by(*command.split())
    return said
