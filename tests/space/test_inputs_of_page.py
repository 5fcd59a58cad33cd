"""No input of the page is scored as something it is not: what its modules read and refuse."""

import gzip
import re
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from drawn import BETTER, COLUMNS, GOLD, MODEL, Drawn, lines, parsed, rows_of
from starlette.datastructures import QueryParams

from file_cases import WRITERS
from informedness import ContingencyTable, compare, report

DROP = "Leave out rows with missing values"
EACH = "Each row is one sample, whatever the other columns hold"
FLAGS = [[int(label == wanted) for label in GOLD] for wanted in "abc"]
GUESSED = [[int(label == wanted) for label in MODEL] for wanted in "abc"]
SHARES = [0.05 * i for i in range(20)]


def is_scored(drawn: str, references: Any, predictions: Any, case: Any = None) -> Drawn:
    shown = parsed(drawn)
    wanted = report(references, predictions).scores["informedness"]
    assert shown.id("score").text in (f"{wanted:.2f}", f"{wanted:.3f}"), case
    return shown


def refuses(page: SimpleNamespace, ask: Callable[..., Any], *cases: tuple[Any, str]) -> None:
    """Each case must be refused with its sentence, which names nothing of Python."""
    for arguments, sentence in cases:
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            ask(*arguments)
        said = parsed(page.asking.draw_refusal(str(refused.value))).text
        assert sentence in said
        assert "`" not in said


# Boxes


LISTS = {
    "commas": ("a, b, a, c", "a, b, a, a"),
    "Python": ("['a', 'b', 'a', 'c']", "a;b;a;a"),
    "numpy": ("[a b\n a c]", "a\nb\na\na"),
    "columns and a header": ("pred;id;gold\na;1;a\nb;2;b\na;3;a\na;4;c", ""),
}


def test_a_list_in_one_line_is_split_by_a_button_and_never_without_it(page):
    for name, texts in LISTS.items():
        with pytest.raises(page.columns.Splittable, match="write one label per line, not"):
            page.app.score_boxes(*texts)
        split = page.asking.split_pasted(*texts)
        assert split == [lines("abac"), lines("abaa")], name
        is_scored(page.app.score_boxes(*split), list("abac"), list("abaa"), name)


def test_boxes_are_refused_in_a_sentence_that_says_the_limit(page):
    long = f"{'a' * 99}\n" * 20_001
    said = "A box can hold at most 2,000,000 characters, References has 2,000,100"
    refuses(
        page,
        page.app.score_boxes,
        (("a\ta\n" * 100_001, ""), "At most 100,000 rows can be scored here, got 100,001"),
        ((long, ""), said),
        (("a\n\nb", ""), "References: line 2 is empty"),
        (("", ""), "References: this box is empty"),
        (("a\tb\nc", ""), "Line 2 must have 2 columns, got 1"),
        (("label\na\nb", "prediction\na\nb"), "('label', 'prediction') looks like a header"),
    )
    with pytest.raises(page.limits.Refusal) as refused:
        page.app.score_boxes("label\na\nb", "prediction\na\nb")
    assert not isinstance(refused.value, page.columns.Splittable)  # no button would help
    classes = lines(f"{i}\t{i}\ta" for i in range(1001))
    refuses(
        page,
        page.compare_tab.compare_boxes,
        (("a\tb", "", ""), "Line 1 must have 3 columns, got 2"),
        (("label\tbert\tgpt\na\ta\tb", "", ""), "('label', 'bert', 'gpt') looks like a"),
        ((classes, "", ""), "At most 1,000 classes can be scored here"),
    )


def test_a_broken_link_is_refused_in_a_sentence(page):
    for query, sentence in (
        ("counts=1,2", "The link has counts, but no classes"),
        ("class=a&class=b&counts=1,2,3,x", "must hold 4 counts, one for each pair"),
        ("&".join(f"class={i}" for i in range(31)), "A link can hold at most 30 classes"),
        ("counts=" + "1," * 2000, "A link can hold at most 30 classes and 3,000 characters"),
        (f"class={'a' * 201}&counts=1", "A label can have at most 200 characters"),
    ):
        refuses(page, page.data.table_of_link, ((QueryParams(query),), sentence))


# Files


@pytest.fixture
def upload(page: SimpleNamespace, tmp_path: Path) -> Any:
    """Return the function that scores two columns of a file with this content."""

    def scored(content: str | bytes, *chosen: Any, name: str = "mine.csv") -> str:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if not chosen:
            file = page.uploads.Upload({"path": str(path)})
            chosen = page.columns.guessed_columns(file.header, file.column)
        return page.app.score_upload({"path": str(path)}, *chosen)

    return scored


def test_columns_are_guessed_by_their_roles_shown_and_never_one_for_both(page, upload):
    for header, *guessed in (
        ("text;predicted_label;true_label", "true_label", "predicted_label"),
        ("id|yPred|yTrue", "yTrue", "yPred"),
        ("y_hat,class_id,y", None, "y_hat"),
        ("reference_id\toutput\ttarget", "target", "output"),
        ("label,prediction,gold", None, "prediction"),  # two may be the references
        ("is_correct,pred_score,sample", None, None),
    ):
        separator = re.search(r"[,;|\t]", header)[0]
        content = rows_of(header, list("12345"), COLUMNS[1], COLUMNS[0], separator=separator)
        if None in guessed:
            refuses(page, upload, ((content,), "Choose the column of "))
            continue
        shown = is_scored(upload(content), *COLUMNS, header)
        said = f"References: column '{guessed[0]}'. Predictions: column '{guessed[1]}'."
        assert said in shown.notes()[0]


def test_a_file_of_two_models_is_read_by_the_roles_of_its_columns(page, tmp_path):
    for header, names in (
        ("gold,pred_a,pred_b", ["gold", "pred_a", "pred_b"]),
        ("id,bert,gold,gpt", ["gold", "bert", "gpt"]),  # the only ones left beside an identifier
        ("gold,bert,gpt,other", ["gold", None, None]),
        ("bert,gpt,other", [None, None, None]),
    ):
        assert page.columns.guessed_columns(header.split(","), lambda _: "aab", models=2) == names
    path = tmp_path / "models.csv"
    path.write_text(rows_of("bert,gold,gpt", MODEL, GOLD, BETTER))
    shown = parsed(page.compare_tab.compare_upload({"path": str(path)}, "gold", "bert", "gpt"))
    assert shown.id("verdict").text == str(compare(GOLD, MODEL, BETTER))
    said = "References: column 'gold'. Predictions A: column 'bert'. Predictions B: column 'gpt'."
    assert shown.notes()[0] == said


def test_an_upload_is_read_as_the_command_line_reads_files(page, upload, tmp_path):
    for name, write in WRITERS.items():
        write(pa.table({"gold": GOLD, "model": MODEL}), tmp_path / name)
        is_scored(upload((tmp_path / name).read_bytes(), "gold", "model", name=name), GOLD, MODEL)
    text = rows_of("gold,model", GOLD, MODEL)
    for content, *chosen in (
        (gzip.compress(text.encode()),),
        (text.encode("utf-16"),),
        ("\ufeff" + text.replace("\n", "\r"),),
        ("sep=;\n" + text.replace(",", ";"),),
        (text.replace("gold", "göld").encode("cp1252"), "göld", "model", None, [], "cp1252"),
        (text + "\n,\nNA,a\n", "gold", "model", None, [DROP], None),
    ):
        is_scored(upload(content, *(chosen or ("gold", "model"))), GOLD, MODEL, content)
    counted = "gold,model,n\na,a,90\na,b,10\nb,b,45\nb,a,5\n"
    for given, score in ((["n"], 0.8), ([None, [EACH]], 0)):
        shown = parsed(upload(counted, "gold", "model", *given))
        assert float(shown.id("score").text) == score


def test_the_columns_of_a_file_must_be_labels_below_a_header(page, upload):
    names = "gold", "model"
    many = "gold,model\n" + "a,a\n" * 100_001
    refuses(
        page,
        upload,
        (("gold,model\na,a\nb,b\n", "gold", "gold"), "The column 'gold' cannot be both"),
        (("ham,spam\nham,ham\nspam,spam\n", "ham", "spam"), "'ham' is both a label and the name"),
        (("gold,model\na,a\n,b\n", *names), f"in 1 of 2 rows of column 'gold': the box '{DROP}'"),
        (("gold,model\na\n", *names), "Expected 2 columns, got 1: a"),
        (("gold,model\n", *names), "There must be a sample to score"),
        (("Results\ngold,model\na,a\n",), "got 'Results': take out what is above the header"),
        (('gold,model\na,a\n"b,b\nb,b\n', *names), "The row that begins in line 3 has a quoted"),
        ((b"gold,model\n\xe9,a\n", *names), "b'\\xe9' would be 'é' in cp1252"),
        (("gold,model\n0,0.0\n1,1.0\n", *names), "no label in common with"),
        (("gold,model,n\na,a,9\na,b,2\n", *names), "olumn 'n' holds whole numbers"),
        ((many, *names), "can be at most 100,000 rows"),
        (("gold,model,n\na,a,100001\n", *names, "n"), "can be at most 100,000 rows"),
        ((gzip.compress(b"a,b\n" * 2_500_001), "a", "b"), "must hold at most 10,000,000 bytes"),
        ((lines([",".join("x" * 101)] * 2),), "A file can have at most 100 columns"),
    )


def test_one_hot_and_score_columns_are_refused_with_the_reason(page, upload):
    one_hot = rows_of("a,b,c,p_a,p_b,p_c", *FLAGS, *GUESSED)
    said = "Each row has a single 1 in the columns 'a', 'b', 'c': these are one-hot encoded"
    refuses(page, upload, ((one_hot, "a", "p_a"), said))
    scores = rows_of("gold,pred", SHARES, SHARES)
    refuses(page, upload, ((scores, "gold", "pred"), "are decimals: pass classes"))
    others = [1 - flag for flag in FLAGS[0]]
    is_scored(upload(rows_of("gold,pred", FLAGS[0], others)), FLAGS[0], others)  # always wrong


# The matrix

COUNTS = [["1200", "2", "0"], ["3", "40", "1"], ["0", "0", "8"]]
TOTALS = (
    "\t0\t1\t2\tAll\n0\t1200\t2\t0\t1202\n1\t3\t40\t1\t44\n2\t0\t0\t8\t8\nAll\t1203\t42\t9\t1254"
)
BLOCKS = {
    "counts": ("1\u202f200\t2\t0\n3\t40\t1\n0\t0\t8\n", ["ham", "spam", "class 3"]),
    "names": ("\tx\ty\tz\r\nx\t1 200\t2\t0\r\ny\t3\t40\t1\r\nz\t0\t0\t8\r\n", ["x", "y", "z"]),
    "above": ("x\ty\tz\n1 200\t2\t\n3\t40\t1\n\t\t8", ["x", "y", "z"]),
    "commas": (",x,y,z\nx,1200,2,0\ny,3,40,1\nz,0,0,8", ["x", "y", "z"]),
    "other order": ("true\tx\tz\ty\nx\t1200\t0\t2\ny\t3\t1\t40\nz\t0\t8\t0", ["x", "y", "z"]),
    "totals": (TOTALS, ["0", "1", "2"]),
    "no totals": ("\tx\ty\tall\nx\t1200\t2\t0\ny\t3\t40\t1\nall\t0\t0\t8", ["x", "y", "all"]),
    "a corner": (
        "Actual \\ Predicted\tx\ty\tz\nx\t1200\t2\t0\ny\t3\t40\t1\nz\t0\t0\t8",
        ["x", "y", "z"],
    ),
    "Python": (
        "array([[1200,    2,    0],\n       [3, 40, 1],\n       [0, 0, 8]])",
        ["ham", "spam", "class 3"],
    ),
}


def test_a_pasted_block_takes_the_place_of_the_matrix(page):
    counts = [list(map(int, row)) for row in COUNTS]
    wanted = ContingencyTable.from_matrix(counts).informedness()
    for name, (text, labels) in BLOCKS.items():
        grid = page.app.read_block({"labels": ["ham", "spam"], "text": text})
        assert (grid["labels"], page.grid.read_grid(grid)[1]) == (labels, counts), name
        shown = parsed(page.app.score_grid(grid))
        assert shown.id("score").text == f"{wanted:.2f}", name


def test_a_block_that_is_no_matrix_is_refused(page):
    for text, sentence in (
        ("1\t2\t3\n4\t5\t6", "this block has 2 rows and 3 columns of counts"),
        ("1\t2\t3\n4\t5", "This block is no matrix, whose rows have equally many cells"),
        ("ham\nspam", "This block is no matrix"),
        ("\ta\tb\na\t1\t2\nc\t3\t4", "the rows are 'a', 'c' and the columns 'a', 'b'"),
        (
            "predicted\ta\tb\na\t1\t2\nb\t3\t4",
            "the corner of this block says 'predicted': swap its",
        ),
        ("1,234\n5,678", "1,234 could be one count with a thousands separator, or several"),
        (lines(["1\t" * 30 + "1"] * 31), "The grid holds at most 30 classes, this matrix has 31"),
    ):
        assert sentence in page.app.read_block({"labels": [], "text": text})["refused"]


def test_a_simulation_in_which_one_class_is_half_of_all_has_no_totals(page):
    for sizes in ([0.25, 0.25, 0.5], [0.1, 0.2, 0.2, 0.5]):
        table = page.simulate.expected_table(sizes, 0)
        assert table.reference_totals.tolist() == pytest.approx(sizes)
        assert page.simulate.draw_again(table, 100, 3)[2].total == 100


def test_what_is_no_count_is_refused_with_its_place(page):
    for cell, sentence in (
        ("ten", "Row spam, column ham: ten is not a count"),
        ("1,234", "write 1234 or 1,2340"),
        ("1.234", "Row spam, column ham: 1.234 could be a number of thousands or have three"),
        ("90%", "Row spam, column ham: 90% is not a count"),
        ("-1", "Row spam, column ham: -1 must be a count from 0"),
        ("1" * 19, "must be a count from 0 to below 1,000,000,000,000,000"),
    ):
        grid = page.grid.grid_value(["ham", "spam"], [[90, 0], [cell, 0]])
        refuses(page, page.app.score_grid, ((grid,), sentence))
    twice = page.grid.grid_value(["a", "a"], [[1, 2], [3, 4]])
    sentence = "Two classes are called 'a': give each its own name."
    refuses(page, page.app.score_grid, ((twice,), sentence))
