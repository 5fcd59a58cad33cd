"""No input of the page is scored as something it is not: what its modules read and refuse."""

import gzip
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from drawn import BETTER, GOLD, MODEL, Drawn, given, parsed, rows_of
from pyarrow import feather
from starlette.datastructures import QueryParams

from informedness import ContingencyTable, report
from inputs.cases import KINDS, OUTSIDE, REFUSED, RIGHT
from inputs.file_cases import WRITERS

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

NAMES = "gold", "model"
ROLES = ("references", "predictions")


@pytest.fixture
def send(tmp_path: Path) -> Any:
    """Return the function that writes a file, and returns it as Gradio hands it over."""

    def written(content: str | bytes, name: str = "mine.csv") -> dict[str, str]:
        content = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(content)
        return {"path": str(tmp_path / name)}

    return written


def score(page: SimpleNamespace, sent: Any, *chosen: Any, part: Any = None, **options: Any) -> Any:
    *names, counts, encoding = [*chosen, *[None] * (4 - len(chosen))]
    form = options.pop("form", None)
    with page.reading.opened(ROLES, sent, form, encoding, part) as table:
        return page.app.score_answers(table.read(ROLES, names, counts, **options))


def shown(page: SimpleNamespace, sent: Any, door: str = "mine", **how: Any) -> dict[str, Any]:
    """Return what a door shows of a text or a file."""
    own, part = page.app.DOORS[door], "box" if isinstance(sent, str) else "file"
    return page.form.read(own, given(own, **{part: sent}, **how))


def seen(page: SimpleNamespace, sent: Any, **how: Any) -> tuple[Any, ...]:
    """Return what is seen of a table: its form, the menus of its columns, and what is said."""
    found = shown(page, sent, **how)
    said = re.sub("<pre.*</pre>", "", found["account"], flags=re.S)  # the first lines of a file
    menus = [found.get(f"column {role}", {}).get("value") for role in ROLES]
    return found.get("form"), menus, parsed(said + found["refusal"]).text


def is_scored(drawn: Any, references: Any, predictions: Any, case: Any = None) -> Drawn:
    result, value = parsed(drawn), report(references, predictions).scores["informedness"]
    assert result.id("score").text.replace("\u2212", "-") in (f"{value:.2f}", f"{value:.3f}"), case
    return result


# What it is

FORMS = {  # of a text, None where it asks
    "label,prediction\na,a\nb,b\nb,a": "names",
    '[{"label": "a", "prediction": "b"}]': "names",
    '{"y_true": ["a", "b"], "y_pred": ["b", "b"]}': "names",
    "predicted  ham  spam\nactual\nham        90     1\nspam        5     4\n": "matrix",
    "[[90, 10], [5, 95]]": "matrix",
    "y_true = [1, 0, 1]\ny_pred = np.array([1, 1, 1])": "lists",
    "0    a\n1    b\nName: y, Length: 2, dtype: object": "lists",
    "a, b, a, b": "lists",
    "not spam\nspam\nnot spam": "lists",
    "a\ta\nb\tb\nb\ta": None,
    "90 10\n5 95": None,
    "bert,gpt,more\na,b,c": None,
}


@pytest.mark.parametrize("text", FORMS)
def test_a_text_is_recognised_by_its_form_or_asked_about(page, text):
    found, form = shown(page, text), FORMS[text]
    assert found.get("form") == form
    said = parsed(found["account"] + found["refusal"])
    if form is None:
        assert "say what it is" in said.text
        buttons = [button["data-to"] for button in said.of("remedy")]
        assert buttons == ["names", "rows", *["matrix"] * ("90" in text), "lists"]
        chosen = shown(page, text, form="rows", key=found["key"])
        assert (chosen["form"], "say what it is" in chosen["refusal"]) == ("rows", False)
    elif "," in text or "\t" in text or form == "matrix":
        name = page.form.FORMS[form]
        assert said.text.startswith(("JSON" if text.startswith(("[{", "{")) else name, "Not"))


def test_a_pasted_matrix_goes_into_the_grid_and_is_scored_there(page):
    found = shown(page, "predicted  ham  spam\nactual\nham        90     1\nspam        5     4\n")
    assert found["grid"]["value"]["cells"] == [["90", "1"], ["5", "4"]]
    assert (found["box"], found["refusal"]) == ("", "")
    again = shown(page, "", form="matrix", key=found["key"], grid=found["grid"]["value"])
    assert again["story"] == found["story"]
    assert not parsed(found["story"]).of("heat")  # the grid itself is the heat map


def test_new_text_keeps_columns_that_it_has(page):
    first = shown(page, rows_of("bert,gold,gpt", MODEL, GOLD, BETTER))
    chosen = {"column references": "gold", "column predictions": "gpt", "key": first["key"]}
    assert seen(page, rows_of("gold,gpt,x", GOLD, BETTER, MODEL), **chosen)[1] == ["gold", "gpt"]
    assert seen(page, rows_of("label,guess", GOLD, MODEL), **chosen)[1] == ["label", "guess"]
    key = seen(page, "a\ta\nb\tb", form="rows", **chosen)
    assert key[0] is None


def test_the_newer_of_a_text_and_a_file_counts(page, send):
    file, text = send(rows_of("gold,model", GOLD, MODEL)), rows_of("label,guess", GOLD, BETTER)
    of_file = shown(page, file)
    newer = shown(page, text, file=file, key=of_file["key"])
    assert (newer["file"], newer["column predictions"]["value"]) == (None, "guess")
    newer = shown(page, file, box=text, key=shown(page, text)["key"])
    assert (newer["box"], newer["column predictions"]["value"]) == ("", "model")


REMEDIES = {  # of what is refused or doubted, the button that helps
    "gold,model\na,a\nb,\nb,b": ("meant", "unknown"),
    "gold,model\na,A\nb,B\nb,B": ("meant", "ignore_case"),
    "gold,model,n\na,a,90\na,b,10\nb,b,45\nb,a,5\n": ("counts", "n"),
}


@pytest.mark.parametrize("text", REMEDIES)
def test_a_refusal_or_a_warning_offers_remedies_as_buttons(page, text):
    found, (part, value) = shown(page, text), REMEDIES[text]
    buttons = parsed(found["refusal"] + found["story"]).of("remedy")
    assert (part, value) in [(button["data-set"], button["data-to"]) for button in buttons]
    how = {part: [value] if part == "meant" else value, "key": found["key"]}
    helped = shown(page, text, **how)
    assert helped["refusal"] == ""
    assert "remedy" not in helped["story"]
    if part == "counts":
        assert "not used" not in helped["account"]


# What is refused

MORE = "at most 100,000 rows. On your computer there can be more: pip"
PASTED = {
    "gold\tmodel\n" + "a\ta\n" * 100_001: MORE,
    "label\na\nb": "a column each for references and predictions, and this one has 'label'.",
    "gold\tmodel\n\ud800\ta": "is not text in UTF-8",
}
LINKS = {
    "example=7": "There are 5 examples",
    "counts=1,2": "The link has counts, but no classes",
    "class=a&class=b&counts=1,2,3,x": "must hold 4 counts, one for each pair",
    "&".join(f"class={i}" for i in range(31)): "A link can hold at most 30 classes",
    "class=a&class=b&tab=compare&counts=1,2,3,4": "must hold 8 counts",
    "class=a&class=b&tab=compare&counts=" + ",".join(["20000"] * 8): "at most 100,000 samples",
    "counts=" + "1," * 2000: "A link can hold at most 30 classes and 3,000 characters",
    f"class={'a' * 201}&counts=1": "A label can have at most 200 characters",
}
CELLS = {
    "ten": "Row 'spam', column 'ham': 'ten' is not a count",
    "1,234": "write 1234 or 1,2340",
    "-1": "Row 'spam', column 'ham': '-1' must be a count from 0",
    "1" * 19: "must be a count from 0 to below 1,000,000,000,000,000",
}
FILES = {
    (
        "gold,model\na,a\nb,b\n",
        "gold",
        "gold",
    ): "Predictions must not be the same column as references, got 'gold' for both.",
    ("gold,model\na,a\n", *NAMES, None, "utf9"): 'encoding as "Encoding of text" under Options',
    (gzip.compress(b"a,b\n" * 2_500_001), "a", "b"): "must hold at most 10,000,000 bytes unpacked",
    ("\n".join([",".join("x" * 101)] * 2),): "A file can have at most 100 columns",
    ("label,prediction,gold\na,a,a\n",): "Choose the column of references",
    ("text,gold,bert\na,1,a\n",): "Choose the column of predictions",
}


CALLS = [  # of programs
    ("score", [["a"] * 100_001] * 2, "At most 100,000 rows can be scored here, got 100,001."),
    ("score", [["a" * 201, "b"], ["a", "b"]], "A label can have at most 200 characters, but one"),
    ("score", [list(range(1001))] * 2, "At most 1,000 classes can be scored here, got 1,001"),
    ("score", [["\ud800"], ["a"]], "surrogates not allowed"),
    ("score_matrix", [[[1] * 1001] * 1001], "At most 1,000 classes can be scored here, got 1,001"),
]


def test_refusals_say_what_to_do(page, send):
    def score_cell(cell: str) -> Any:
        return page.app.score_grid(page.data.grid_value(["ham", "spam"], [[90, 0], [cell, 0]]))

    def open_link(query: str) -> Any:
        request = SimpleNamespace(query_params=QueryParams(query))
        found = page.app.open_link(request)
        if "mine grid" in found:
            page.app.score_grid(found["mine grid"]["value"])

    twice = page.data.grid_value(["a", "a"], [[1, 2], [3, 4]])
    cases = [
        *((score, [page, text], said) for text, said in PASTED.items()),
        *((open_link, [x], said) for x, said in LINKS.items()),
        *((score_cell, [cell], said) for cell, said in CELLS.items()),
        (page.app.score_grid, [twice], "Two classes are called 'a': give each its own name."),
        *((lambda x, *chosen: score(page, send(x), *chosen), x, y) for x, y in FILES.items()),
        (score, [page, {"path": "/gone.csv"}, *NAMES], "this one is gone: send it again"),
        *((getattr(page.endpoints, name), columns, said) for name, columns, said in CALLS),
    ]
    for ask, arguments, sentence in cases:
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            ask(*arguments)
        said = page.charts.sentence(refused.value)
        assert sentence in said
        assert not re.search(r"`|\b\w+=[\w\"']|pasted\.csv|/tmp/", said), said


def test_menus_are_filled_even_if_reading_fails(page, send):
    for content, sentence in (
        ("label,prediction\nspät,früh\n".encode("cp1252"), "pass the file's encoding as"),
        ("label,prediction\n" + "a,a\n" * 100_001, "at most 100,000 rows"),
        ("label,prediction\n", "at least one sample to score, got 0 samples"),
        ('[{"label": "a", "prediction": 0.5}]', "a score, not a label"),
    ):
        sent = send(content, "mine.json" if sentence.startswith("a score") else "mine.csv")
        _, names, said = seen(page, sent)
        assert names == LABELLED
        assert sentence in said


# What unpacks to more than there is

TRIAL = Path(__file__).resolve().parents[2] / "spaces/page/trial.py"
# A process begins with the memory of the one that starts it, which here is that of all tests.
MEASURE = """
import os, sys
process = os.posix_spawn(sys.executable, [sys.executable, *sys.argv[1:]], os.environ)
_, status, usage = os.wait4(process, 0)
print()  # after what the process printed
print(os.waitstatus_to_exitcode(status), usage.ru_maxrss)
"""


def tried(path: Path, kind: str) -> tuple[int, int]:
    """Return the exit code of a trial, and how many bytes it took."""
    env = {**os.environ, "PYTHONPATH": str(TRIAL.parents[2] / "src")}
    command = [sys.executable, "-c", MEASURE, TRIAL, path, kind, "10000000"]
    output = subprocess.run(command, env=env, capture_output=True, check=True).stdout
    code, kilobytes = map(int, output.split()[-2:])
    return code, kilobytes * 1024


def test_files_that_unpack_to_too_much_are_refused(page, tmp_path):
    book, bomb = tmp_path / "bomb.xlsx", tmp_path / "bomb.parquet"
    with zipfile.ZipFile(book, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 10_000_001)
    with pytest.raises(ValueError, match="at most 10,000,000 bytes unpacked, got more"):
        score(page, {"path": str(book)}, "a", "b")
    # one label of 9 MB in 20,000 rows: the file says 9 MB, and decoding takes 180 GB
    label = pa.DictionaryArray.from_arrays(pa.array([0] * 20_000, pa.int32()), ["a" * 9_000_000])
    table = pa.table({"gold": label, "model": ["a"] * 20_000})
    pq.write_table(table, bomb, compression="zstd", store_schema=False)
    assert bomb.stat().st_size < 10_000
    with pytest.raises(ValueError, match="takes too much memory or time"):
        score(page, {"path": str(bomb)}, *NAMES)
    # of the others memory would do, for one visitor at a time
    label = pa.array(["a" * 60_000_000]).dictionary_encode()
    packed = {"parquet": bomb, "arrow": tmp_path / "bomb.arrow"}
    options = pa.ipc.IpcWriteOptions(compression="zstd")
    with pa.ipc.new_stream(
        packed["arrow"], pa.schema({"gold": label.type, "model": label.type}), options=options
    ) as writer:
        writer.write_table(pa.table({"gold": label, "model": label}))
    for kind, path in packed.items():
        assert path.stat().st_size < 20_000
        code, n_bytes = tried(path, kind)
        assert code != 0
        assert n_bytes < 1 << 30


@pytest.mark.parametrize("kind", ["parquet", "arrow"])
def test_large_and_damaged_files_pass_the_trial(kind, tmp_path):
    path, table = tmp_path / "p", pa.table({"gold": [*range(5)] * 60_000})
    write = {"parquet": pq.write_table, "arrow": feather.write_feather}[kind]
    write(table, str(path))
    assert tried(path, kind)[0] == 0
    path.write_bytes(path.read_bytes()[: path.stat().st_size // 2])
    assert tried(path, kind)[0] == 0


@pytest.mark.parametrize("title", KINDS)
def test_kinds_of_labels_are_refused_or_noted(page, title):
    kind = KINDS[title]
    sides = [["" if x is None else x for x in side] for side in kind.sides()]
    pasted = rows_of("gold\tmodel", *sides, sep="\t")
    are_apart = not {*kind.references} & {*kind.predictions}
    for is_text, expected in enumerate((kind.typed, kind.text)):
        if is_text and are_apart and expected == OUTSIDE:
            expected = REFUSED  # as in files
        if expected == REFUSED:
            with pytest.raises((ValueError, TypeError)):
                score(page, pasted) if is_text else page.endpoints.score(*kind.sides())
            continue
        if is_text:
            drawn = parsed(score(page, pasted))
            notes = drawn.notes()
            value, tolerance = float(drawn.id("score").text.replace("\u2212", "-")), 0.0051
            words = r"`|\w=|zero_division|drop_null|keep_missing|from_counts"
            assert not re.search(words, " ".join(notes)), notes
        else:
            result = page.endpoints.score(*kind.sides())
            notes, value, tolerance = result["warnings"], result["informedness"], 1e-12
        if expected == RIGHT:
            assert value == pytest.approx(kind.wanted(bool(is_text))[0], rel=0, abs=tolerance)
        assert (expected in " ".join(notes)) == (expected != RIGHT)


# Columns


def test_columns_are_guessed_by_name_and_shown(page, send):
    for header, *names in (
        ("text,predicted_label,true_label", "true_label", "predicted_label"),
        ("reference_id,output,target", "target", "output"),
        ("gold,pred_a,pred_b", "gold", "pred_a", "pred_b"),
        ("id,bert,gold,gpt", "gold", "bert", "gpt"),  # the only ones left beside an identifier
        ("bert,gpt,other", "bert", "gpt", "other"),  # as many as are needed, in this order
        ("bert,gpt,other,more", None, None, None),
    ):
        assert page.reading.choose_columns([None] * len(names), header.split(",")) == names
    text = rows_of("text|yPred|yTrue", range(20), MODEL, GOLD, sep="|")
    found = shown(page, send(text))
    is_scored(found["story"], GOLD, MODEL)
    assert re.search("references +yTrue .*predictions +yPred ", parsed(found["account"]).text)
    taken = parsed(
        shown(page, rows_of("bert,gold,gpt", MODEL, GOLD, BETTER), "compare")["account"]
    ).text
    assert re.search("references +gold .*predictions A +bert .*predictions B +gpt ", taken)


def test_counts_are_used_only_if_chosen(page):
    text = "gold,model,count\na,a,90\na,b,10\nb,b,45\nb,a,5\n"
    drawn = is_scored(score(page, text), [*"aabb"], [*"abba"])
    assert (
        "as in a table of counts: if it is one, name 'count' as \"Column of counts\" under"
        in drawn.notes()[0]
    )
    assert parsed(score(page, text, *NAMES, "count")).id("score").text == "0.80"


def test_rows_that_stand_for_samples_are_not_refused_for_them(page):
    n_rows = 12_345
    true, model = ([x[i % len(x)] for i in range(n_rows)] for x in ("ab", "ababababaa"))
    text = rows_of("gold,model,n", true, model, [100] * n_rows)
    shown = parsed(score(page, text, *NAMES, "n"))
    assert "1,234,500 samples" in shown.text
    value = report(true, model).scores["informedness"]
    assert shown.id("score").text in (f"{value:.2f}", f"{value:.3f}")
    many = rows_of("gold,model,n", range(1001), range(1001), [1] * 1001)
    with pytest.raises(ValueError, match="At most 1,000 classes"):
        score(page, many, *NAMES, "n")


def test_a_threshold_may_be_0_as_that_of_logits_is(page):
    text = "gold,model\na,-1.5\nb,2.5\nb,-0.5\na,-0.25\n"
    drawn = score(page, text, threshold="0", classes="a, b")
    is_scored(drawn, [*"abba"], [*"abaa"])


OBJECTS = [{"label": x, "prediction": y} for x, y in zip(GOLD, MODEL, strict=True)]
LABELLED, NUMBERED = ["label", "prediction"], ["column 1", "column 2"]
TABLES = {  # the same samples, as they are pasted or sent in a file, and the columns that are found
    "tab.tsv": (rows_of("label\tprediction", GOLD, MODEL, sep="\t"), LABELLED),
    "list.json": (json.dumps(OBJECTS), LABELLED),
    "more.txt": (rows_of("text\tlabel\tprediction", range(20), GOLD, MODEL, sep="\t"), LABELLED),
    "quotes.txt": (rows_of('"label","prediction"', GOLD, MODEL), LABELLED),
    "other names.csv": (rows_of("bert,gold", MODEL, GOLD), ["gold", "bert"]),
}
WITHOUT_NAMES = {
    "no header.txt": rows_of("a\ta", GOLD[1:], MODEL[1:], sep="\t"),
    "separator.txt": "sep=;\n" + rows_of("a;a", GOLD[1:], MODEL[1:], sep=";"),
    "numbers.csv": "0,1\n1,1\n0,0",
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_says_the_same_pasted_and_uploaded(page, send, name):
    text, wanted = TABLES[name]
    sent = send(text, name)
    found, names, said = seen(page, text)
    assert seen(page, sent) == (found, names, said)
    assert (found, names) == ("names", wanted)
    assert score(page, text) == score(page, sent)
    is_scored(score(page, text), GOLD, MODEL)


@pytest.mark.parametrize("name", WITHOUT_NAMES)
def test_a_table_without_names_is_asked_about_and_read_as_said(page, send, name):
    text = WITHOUT_NAMES[name]
    for sent in (text, send(text, name)):
        form, _, said = seen(page, sent)
        assert form is None
        assert "The first row may hold the names" in said
        key = shown(page, sent)["key"]
        form, names, said = seen(page, sent, form="rows", key=key)
        assert (form, names) == ("rows", NUMBERED)
    if "numbers" not in name:
        is_scored(score(page, text, form="rows"), GOLD, MODEL)


def test_an_upload_is_read_as_the_command_line_reads_files(page, send, tmp_path):
    for name, write in WRITERS.items():
        write(pa.table({"gold": GOLD, "model": MODEL}), tmp_path / name)
        is_scored(score(page, {"path": str(tmp_path / name)}, *NAMES), GOLD, MODEL, name)
    sent = send(rows_of("göld,model", GOLD, MODEL).encode("cp1252"))
    is_scored(score(page, sent, "göld", "model", None, "cp1252"), GOLD, MODEL)
    nested = '{"doc": {"gold": "a"}, "model": "a"}\n{"doc": {"gold": "b"}, "model": "b"}'
    is_scored(score(page, send(nested, "mine.jsonl"), "doc.gold", "model"), [*"ab"], [*"ab"])


def test_missing_values_are_refused_with_remedies(page, send):
    for text in ("gold,model\na,a\nb,a\nNA,b", "gold,model\na,a\nb,a\na,"):
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            score(page, text)
        said = page.charts.sentence(refused.value)
        for control, n in (("drop_null", 2), ("keep_missing", 3)):
            assert f'"{page.limits.MEANT[control]}" under Options' in said, text
            assert f"{n} samples" in parsed(score(page, text, meant=[control])).text, text


FRAMES = {  # as pandas prints them, with blanks in cells and without
    "   gold model\n0   ham   ham\n1   ham  spam\n2  spam  spam\n": ["ham", "spam"],
    "       gold     model\n0       ham  not spam\n1  not spam  not spam\n": ["ham", "not spam"],
}


def test_a_printed_data_frame_that_is_pasted_is_scored(page):
    for text, labels in FRAMES.items():
        said = parsed(score(page, text)).text
        assert f"{len(text.splitlines()) - 1} samples" in said
        assert all(label in said for label in labels)
    with pytest.raises(ValueError, match="leaves out rows: paste all of them"):
        score(page, " gold model\n0 a a\n1 b a\n.. ... ...\n9 a a\n")


COUNTS = [[1200, 2, 0], [3, 40, 1], [0, 0, 8]]
BLOCKS = {  # what is pasted over the classes ham and spam, and the classes then
    "1\u202f200\t2\t0\n3\t40\t1\n0\t0\t8\n": "ham spam class 3",
    "\tx\ty\tz\r\nx\t1 200\t2\t0\r\ny\t3\t40\t1\r\nz\t0\t0\t8\r\n": "x y z",
    ",x,y,z\nx,1200,2,0\ny,3,40,1\nz,0,0,8": "x y z",
    "true\tx\tz\ty\nx\t1200\t\t2\ny\t3\t1\t40\nz\t0\t8\t0": "x y z",  # in another order
    "\tx\ty\tall\nx\t1200\t2\t0\ny\t3\t40\t1\nall\t0\t0\t8": "x y all",  # no totals
    "Actual \\ Predicted\tx\ty\tz\nx\t1200\t2\t0\ny\t3\t40\t1\nz\t0\t0\t8": "x y z",
    "  & x & y & z \\\\ x & 1200 (100\\%) & 2 & - \\\\ y & 3 & 40 & 1 \\\\ z & 0 & 0 & 8": "x y z",
    "[1200 2 0; 3 40 1; 0 0 8]": "ham spam class 3",
    "array([[1200,    2,    0],\n       [3, 40, 1],\n       [0, 0, 8]])": "ham spam class 3",
}
NO_BLOCKS = {
    "\t0\t1\tAll\n0\t90\t2\t92\n1\t3\t40\t43\nAll\t93\t42\t135": "pass the names of the classes",
    "1\t2\t3\n4\t5\t6": "must be square, with class names",
    "1\t2\t3\n4\t5": "must be square, with class names",
    "ham\nspam": "must be square, with class names",
    "\ta\tb\na\t1\t2\nc\t3\t4": "got ['a', 'b'] and ['a', 'c']",
    "1,234\n5,678": "must be square, with class names",
    "1\t2\n3\tfour": "Row 'class 2', column 'class 2': 'four' is not a count",
    "\n".join(["1\t" * 30 + "1"] * 31): "The grid holds at most 30 classes, this matrix has 31",
}


def test_a_pasted_block_replaces_the_matrix_or_is_refused(page):
    wanted = ContingencyTable.from_matrix(COUNTS).informedness()
    for text, labels in BLOCKS.items():
        grid, _ = page.data.pasted_matrix(text, ["ham", "spam"])
        assert (" ".join(grid["labels"]), page.data.read_grid(grid)[1]) == (labels, COUNTS), text
        assert parsed(page.app.score_grid(grid)).id("score").text == f"{wanted:.2f}", text
    for text, sentence in NO_BLOCKS.items():
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            page.data.pasted_matrix(text, [])
        assert sentence in page.charts.paste_sentence(refused.value)
