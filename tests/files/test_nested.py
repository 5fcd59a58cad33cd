"""Nested columns and the argmax of lists, in every format.

`CASES` are rows, the ways to references and predictions in them, and their labels or the message.

Covers src: files/columns.py, files/json_and_excel.py.
"""

import json
import random
import sys
from functools import partial

import pyarrow as pa
import pyarrow.parquet
import pytest

from informedness.files.columns import flatten_column
from inputs.file_cases import WRITERS, check_read, read_columns, refused, write_arrow_file

INF = float("inf")
ROWS = [
    {
        "doc": {"label": label, "name": "abc"[label], "answers": ["x", "abc"[label]]},
        "model": {"logprobs": scores, "parts": [{"text": "abc"[says], "n": 1}]},
        "other": label,
    }
    for label, says, scores in [
        (0, 0, [-1.0, -2.0, -3.0]),
        (1, 0, [-0.5, -0.5]),  # the first of equals
        (2, 2, [-3.0, -INF, 0.0]),
        (1, 1, [-INF, -7.25, -8.0, -9.0]),
    ]
]
NUMBERS, LETTERS = ([0, 1, 2, 1], [0, 0, 2, 1]), ("abcb", "aacb")
NULLS = [
    {"gold": "a", "doc": {"name": "a", "inner": {"names": ["a", "b"]}, "lp": [1.0, 0.0]}},
    {"gold": "a", "doc": {"name": None, "inner": {"names": None}, "lp": None}},
    {"gold": "b", "doc": {"name": "b", "inner": None, "lp": None}},
    {"gold": "b", "doc": None},
    {"gold": "b", "doc": {"name": "a", "inner": {"names": [None, "b"]}, "lp": [0.0, 1.0]}},
]
NULLS = [row | {"code": code} for row, code in zip(NULLS, [0, 0, 1, 1, 1], strict=True)]
OF_NULLS = r"None \(null\) or nan in {} of 5 rows of column '{}'"
OF_EMPTY = r"None \(null\) or nan in 2 of 4 rows of column '{}'"
LEFT = {"drop_null": True}
WHOLE = [
    {
        "doc.label": "a",
        "doc": {"label": "b", "x.y": "c", "x": {"y": "d"}},
        "argmax:lp": "e",
        "lp": [1.0],
        "u.v": {"w": "f"},
        "u": {"v": {"w": "g"}},
    }
]
NO_NUMBERS = [
    *(["a", "b"], "text", [True, False], [[1.0], [2.0]], {"a": True, "b": True}, {"a": "1"}),
    *([{"label": "a"}], [{"a": "x", "b": "y"}], [{"a": 1, "b": 2}], [{"a": "x", "b": 1, "c": 2}]),
    *([{"a": "x", "b": 1}, {"a": "y"}], [{"a": "x", "b": "y", "c": 1}]),
]
BY_NAME = [
    {
        "cats": {"ham": 1.0 * (x == "ham"), "spam": 1.0 * (x == "spam"), "a.b": 0.0},
        "truths": {"ham": x == "ham", "spam": x == "spam"},
        "out": [{"label": "ham", "score": s}, {"label": "spam", "score": 0.5}],
        "tokens": [{"token": "ham", "bytes": [1], "logprob": s}, {"token": "spam", "logprob": 0.5}],
        "probs": [[{"prob": 0.5, "label": 7}, {"prob": s, "label": 8}]],
    }
    for x, s in (("ham", 0.9), ("spam", 0.5), ("ham", 0.25))
]
SPARSE = [  # an empty list on the way is missing
    {"gold": "a", "x": [{"y": ["a"]}], "s": [{"label": "a", "score": 1.0}]},
    {"gold": "a", "x": [], "s": []},
    {"gold": "b", "x": [{"y": []}], "s": [{"label": "a", "score": 1.0}]},
    {"gold": "b", "x": [{"y": ["a"]}], "s": [{"label": "b", "score": 0.5}]},
]
SEVERAL = "doc", "doc.answers", "model.parts"


def third(value):
    return [{"gold": 1, "x": [0.5, 1.0]}, {"gold": 1, "x": None}, {"gold": 1, "x": value}]


LISTS = [[1, 2], [3, 2], [5, 5], [-4, -3]]
OF_TYPES = pa.list_(pa.float32()), pa.large_list(pa.float64()), pa.list_(pa.int8(), 2)
OF_LISTS = [pa.table({"x": pa.array(LISTS, x)}) for x in OF_TYPES]
CASES = [
    (ROWS, "doc.label", "argmax:model.logprobs", NUMBERS),
    (ROWS, "doc.name", "model.parts.0.text", LETTERS),
    (ROWS, "doc.answers.1", "model.parts.0.text", LETTERS),
    *((table, "argmax:x", "x.0", ([1, 0, 0, 1], [1, 3, 5, -4])) for table in OF_LISTS),
    ([{"x": [2**53, 2**53 + 1]}], "argmax:x", "x.0", ([1], [2**53])),
    # a null on the way is a null, and has no argmax
    (NULLS, "gold", "doc.name", OF_NULLS.format(2, "doc.name")),
    (NULLS, "gold", "doc.name", ("abb", "aba"), LEFT),
    (NULLS, "gold", "doc.inner.names.0", OF_NULLS.format(4, "doc.inner.names.0")),
    (NULLS, "gold", "doc.inner.names.0", ("a", "a"), LEFT),
    (NULLS, "code", "argmax:doc.lp", OF_NULLS.format(3, "argmax:doc.lp")),
    (NULLS, "code", "argmax:doc.lp", ([0, 1], [0, 1]), LEFT),
    (SPARSE, "gold", "x.0.y.0", OF_EMPTY.format("x.0.y.0")),
    (SPARSE, "gold", "argmax:s", r"in 1 of 4 rows of column 'argmax:s'"),
    (SPARSE, "gold", "x.0.y.0", ("ab", "aa"), LEFT),
    (SPARSE, "gold", "argmax:s", ("abb", "aab"), LEFT),
    # numbers by name, in references too; the first of equals
    (BY_NAME, "argmax:cats", "argmax:out", (["ham", "spam", "ham"], ["ham", "ham", "spam"])),
    (BY_NAME, "argmax:truths", "argmax:out", (["ham", "spam", "ham"], ["ham", "ham", "spam"])),
    (BY_NAME, "argmax:cats", "argmax:tokens", (["ham", "spam", "ham"], ["ham", "ham", "spam"])),
    (BY_NAME, "argmax:probs.0", "argmax:probs", "'probs' must be a list or an object of n"),
    (BY_NAME, "argmax:probs.0", "argmax:out", "same type"),
    # a column of the whole name comes first, at every level
    (WHOLE, "doc.label", "doc.x.y", ("a", "c")),
    (WHOLE, "argmax:lp", "u.v.w", ("e", "f")),
    # a way that breaks is answered with what is there
    (ROWS, "other", "doc.lable", "doc.lable'.*the fields of 'doc' are .*'label'"),
    (ROWS, "other", "doc.label.x", "doc.label.x'.*'doc.label' is [012], which has no 'x'"),
    (ROWS, "other", "doc.answers.-1", r"'doc.answers' is \['x', '[abc]'\], which has no '-1'"),
    (ROWS, "other", "doc.answers.2", r"'doc\.answers' is \['x', '[abc]'\], which has no '2'"),
    # a list without the element or the greatest number is named by its row
    (
        third([1.0]),
        "gold",
        "x.1",
        r"(row 2|line 3|entry 2) has no 'x\.1'; 'x' is \[1\.0\], which has no '1'",
    ),
    (third([1.0, INF - INF]), "gold", "argmax:x", r"(row 2|line 3|entry 2).* got \[1.0, nan]"),
    *(
        ([{"gold": 1, "x": x}], "gold", "argmax:x", "'x' must be a list or an object of n")
        for x in NO_NUMBERS
    ),
    # what has several values is refused where it is read, and may stand beside
    *((ROWS, "other", x, f"(column '{x}' of|'{x}' holds several).*argmax:") for x in SEVERAL),
]


def test_nested_columns_may_be_absent_in_some_rows():
    found = flatten_column("doc", [{"a": 1, "b": None}, None, {"a": {"c": 2}}])
    assert found == {"doc.a": [1, None, None], "doc.b": [None] * 3, "doc.a.c": [None, None, 2]}
    assert flatten_column("doc", [None, None]) == {"doc": [None, None]}


FORMATS = {name: WRITERS[name] for name in ("p.arrow", "stream.arrow", "p.jsonl", "p.json")}
FORMATS["p.parquet"] = partial(pa.parquet.write_table, row_group_size=2)
FORMATS["plain.parquet"] = partial(pa.parquet.write_table, use_dictionary=False)


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("name", FORMATS)
def test_a_nested_path_leads_to_its_values_or_is_refused(name, tmp_path):
    path = tmp_path / name
    for rows, references, predictions, expected, *options in CASES:
        table = rows if isinstance(rows, pa.Table) else pa.Table.from_pylist(rows)
        FORMATS[name](table, path)
        names = {"references": references, "predictions": predictions}
        if isinstance(expected, str):
            refused(path, f".*{expected}", names=names, **dict(*options))
        else:
            check_read(path, expected, names, **dict(*options))


def test_a_path_in_columns_of_one_name_is_refused(tmp_path):
    doc = pa.array([{"name": "a"}, {"name": "b"}])
    table = pa.table([doc, doc, pa.array(["a", "b"])], names=["doc", "doc", "model"])
    pa.parquet.write_table(table, tmp_path / "p.parquet")
    names = {"references": "doc.name", "predictions": "model"}
    refused(tmp_path / "p.parquet", ".*'doc.name', which is not unique", names=names)


def test_text_within_structs_and_lists_is_read_whatever_its_type(tmp_path):
    path = tmp_path / "p.arrow"
    for text in (pa.large_string(), pa.string_view(), pa.dictionary(pa.int32(), pa.string())):
        inner = pa.struct([("name", text), ("names", pa.list_(text))])
        values = [{"name": "a", "names": ["x", "a"]}, {"name": None, "names": ["b", "b"]}]
        write_arrow_file(pa.table({"gold": ["a", "b"], "doc": pa.array(values, inner)}), path)
        check_read(path, ("ab", "ab"), {"references": "gold", "predictions": "doc.names.1"})
        check_read(path, ("a", "a"), {"references": "gold", "predictions": "doc.name"}, **LEFT)


def lines_of(rng):
    """Return JSON lines, of which some are damaged or have the key of a label in several forms."""
    rare = rng.choice((0, 0.02))
    values = ['"a"', "null", "NaN", "1e400", str(2**70), '"\\ud800"', '["a"]', '{"a": 1}']
    spelled = '"g\\u006fld"', '"gold"', '"argmax:x"', '"doc.label"', '"other"'
    texts = '"é"', "[0.5]", '"gold"', '"it is \\"gold\\""', '"\\u0067"', '{"gold": 1}'
    odd = b'{"t": "\xff"}', b'{"t": "a\tb"}', b'{"t": [1,]}', b"[1]", b"", b" \r"

    def line():
        a, b = (rng.choice(values if rng.random() < rare else "01") for _ in "ab")
        gold = rng.choice(spelled) if rng.random() < rare else '"gold"'
        twice = f", {rng.choice(spelled[:2])}: {a}" if rng.random() < rare / 9 else ""
        doc = rng.choice((f'{{"label": {b}, "x.y": {a}}}', f'{{"x": {{"y": {a}}}}}'))
        rest = (
            f'"text": {rng.choice(texts if rare else texts[:2])}, "x": [0.5, {rng.choice("012")}]'
        )
        return f'{{{gold}: {a}, "model": {b}{twice}, "doc": {doc}, {rest}}}'.encode()

    lines = [line() for _ in range(rng.choice((3, 40, 300)))]
    if rng.random() < 0.3:
        lines.insert(rng.randrange(len(lines)), rng.choice(odd))
    return b"\n".join(lines)


def read_or_refused(path, **names):
    try:
        columns = read_columns(path, {"references": "gold"} | names, drop_null=True).columns
        return [column.tolist() for column in columns.values()]
    except ValueError as error:
        return str(error)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_json_lines_are_read_alike_without_msgspec(monkeypatch, tmp_path):
    pytest.importorskip("msgspec")
    rng, path = random.Random(0), tmp_path / "p.jsonl"
    for _ in range(60):
        path.write_bytes(lines_of(rng))
        for name in ("model", "doc.label", "doc.x.y", "argmax:x", "x.1"):
            read = read_or_refused(path, predictions=name)
            with monkeypatch.context() as patch:
                patch.setitem(sys.modules, "msgspec", None)
                assert read == read_or_refused(path, predictions=name), (name, path.read_bytes())


def test_a_repeated_key_is_refused_if_it_leads_to_a_label(tmp_path):
    pytest.importorskip("msgspec")
    lines = ['{"gold": "a", "doc": {"label": "a"}, "x": 1}', '{"gold": "b", "doc": {"label": "b"}}']
    path, names = tmp_path / "p.jsonl", {"references": "gold", "predictions": "doc.label"}
    path.write_text(
        "\n".join([*lines, *lines, '{"gold": "a", "doc": {"label": "a"}, "x": 1, "x": 2}'])
    )
    check_read(path, ("ababa", "ababa"), names)
    path.write_text(
        "\n".join([*lines, *lines, '{"gold": "a", "doc": {"label": "a", "label": "b"}}'])
    )
    refused(path, ".*line 5 is not JSON: the key 'label' occurs twice", names=names)


def test_the_line_of_an_error_is_named_in_a_long_file(tmp_path):
    rows = [{"gold": "ab"[i % 2], "text": "word " * (i % 70), "model": "a"} for i in range(5000)]
    lines = [*map(json.dumps, rows)]
    lines[700:702] = ["", '{"model": "a", "text": "gold", "gold": "a"}']  # read one by one
    path, names = tmp_path / "p.jsonl", {"references": "gold", "predictions": "model"}
    path.write_text("\n".join(lines))
    check_read(path, ("ab" * 350 + "a" + "ab" * 2149, "a" * 4999), names)
    path.write_text("\n".join([*lines, '{"gold": "a", "gold": "a", "model": "b"}']))
    refused(path, ".*line 5001 is not JSON: the key 'gold' occurs twice", names=names)
    path.write_text("\n".join([*lines, '{"gold": "a", "model": ["b"]}']))
    refused(path, ".*line 5001: 'model' holds several values", names=names)


def test_an_object_without_scores_is_missing(tmp_path):
    rows = [("a", {"a": 0.9}), ("a", {}), ("b", {"b": 1.0})]
    lines = [json.dumps({"gold": x, "cats": y}) for x, y in rows]
    (tmp_path / "p.jsonl").write_text("\n".join(lines))
    names = {"references": "gold", "predictions": "argmax:cats"}
    refused(tmp_path / "p.jsonl", ".* in 1 of 3 rows of column 'argmax:cats'", names=names)
    check_read(tmp_path / "p.jsonl", ("ab", "ab"), names, **LEFT)
