"""No input of the page is scored as something it is not: what its modules read and refuse."""

import gzip
import re
import zipfile
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest
from drawn import BETTER, COLUMNS, GOLD, MODEL, Drawn, lines, parsed, rows_of
from starlette.datastructures import QueryParams

from file_cases import WRITERS
from golden import close
from informedness import ContingencyTable, compare, report
from kinds import KINDS, REFUSED, RIGHT

pytestmark = pytest.mark.full

ROLES = ("References", "Predictions")


def is_scored(drawn: Any, references: Any, predictions: Any, case: Any = None) -> Drawn:
    shown = parsed(drawn)
    wanted = report(references, predictions).scores["informedness"]
    assert shown.id("score").text in (f"{wanted:.2f}", f"{wanted:.3f}"), case
    return shown


def score_boxes(page: SimpleNamespace, *texts: str) -> Any:
    with page.charts.noting([]):
        return page.app.score_columns(*page.columns.split_samples(texts, ROLES))


def score_upload(page: SimpleNamespace, path: Any, *chosen: Any, meant: Any = ()) -> Any:
    with page.charts.noting(meant):
        labels = page.uploads.labels_of_upload({"path": str(path)}, chosen, ROLES)
        return page.app.score_columns(*labels)


@pytest.fixture
def upload(page: SimpleNamespace, tmp_path: Path) -> Any:
    """Return the function that scores two columns of a file with this content."""

    def scored(content: Any, *chosen: Any, name: str = "mine.csv", meant: Any = ()) -> Any:
        path = tmp_path / name
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        if not chosen:
            file = page.uploads.Upload({"path": str(path)})
            chosen = page.columns.guessed_columns(file.header, file.column)
        return score_upload(page, path, *chosen, meant=meant)

    return scored


# What is refused

NAMES = "gold", "model"
MORE = "On your computer there can be more: pip"
BOXES = {
    ("a\ta\n" * 100_001, ""): "got 100,001. On your computer there can be more: pip",
    ("a\n\nb", "a\na\nb"): "got an empty cell, or text such as NA in 1 of 3 rows",
    ("", ""): "References: this box is empty",
    ("a,b\nb,b", ""): "Predictions: this box is empty",
    ("a\tb\nc", ""): "Line 2 must have 2 columns, got 1",
}
LINKS = {
    "counts=1,2": "The link has counts, but no classes",
    "class=a&class=b&counts=1,2,3,x": "must hold 4 counts, one for each pair",
    "&".join(f"class={i}" for i in range(31)): "A link can hold at most 30 classes",
    "counts=" + "1," * 2000: "A link can hold at most 30 classes and 3,000 characters",
    f"class={'a' * 201}&counts=1": "A label can have at most 200 characters",
}
CELLS = {
    "ten": "Row spam, column ham: ten is not a count",
    "1,234": "write 1234 or 1,2340",
    "90%": "Row spam, column ham: 90% is not a count",
    "-1": "Row spam, column ham: -1 must be a count from 0",
    "1" * 19: "must be a count from 0 to below 1,000,000,000,000,000",
}
FILES = {
    ("gold,model\na,a\nb,b\n", "gold", "gold"): "The column 'gold' can have one role only",
    ("gold,model\na,a\n", *NAMES, None, "utf9"): '"Encoding of text" under Options must be',
    ("gold,model\n", *NAMES): "There must be a sample to score",
    ('gold,model\na,a\n"b,b\nb,b\n', *NAMES): "The row that begins in line 3 has a quoted",
    (b"gold,model\n\xe9,a\n", *NAMES): "at b'\\xe9,a\\n': give its encoding",
    ("gold,model\n" + "a,a\n" * 100_001, *NAMES): f"at most 100,000 rows. {MORE}",
    ("gold,model,n\na,a,100001\n", *NAMES, "n"): f"at most 100,000 rows. {MORE}",
    (gzip.compress(b"a,b\n" * 2_500_001), "a", "b"): "must hold at most 10,000,000 bytes",
    (lines([",".join("x" * 101)] * 2),): "A file can have at most 100 columns",
    ("label,prediction,gold\na,a,a\n",): "Choose the column of references",
    ("is_correct,pred_score,sample\n1,1,1\n",): "Choose the column of references",
    ("y_hat,class_id,y\na,1,a\n",): "Choose the column of references",
}


def test_what_cannot_be_scored_is_refused_in_a_sentence_that_says_what_to_do(page, upload):
    def score_cell(cell: str) -> Any:
        return page.app.score_grid(page.grid.grid_value(["ham", "spam"], [[90, 0], [cell, 0]]))

    twice = page.grid.grid_value(["a", "a"], [[1, 2], [3, 4]])
    cases = [
        *((score_boxes, [page, *boxes], said) for boxes, said in BOXES.items()),
        *((page.data.table_of_link, [QueryParams(x)], said) for x, said in LINKS.items()),
        *((score_cell, [cell], said) for cell, said in CELLS.items()),
        (page.app.score_grid, [twice], "Two classes are called 'a': give each its own name."),
        *((upload, case, said) for case, said in FILES.items()),
        (score_upload, [page, "/gone.csv", *NAMES], "this one is gone: send it again"),
    ]
    for ask, arguments, sentence in cases:
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            ask(*arguments)
        said = parsed(page.charts.draw("refusal", message=str(refused.value))).text
        assert sentence in said
        assert "`" not in said
        assert not isinstance(refused.value, page.columns.Splittable)  # no button would help


def test_a_workbook_that_unpacks_to_too_much_is_refused(upload, tmp_path):
    with zipfile.ZipFile(tmp_path / "bomb", "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/worksheets/sheet1.xml", b" " * 10_000_001)
    content = (tmp_path / "bomb").read_bytes()
    with pytest.raises(ValueError, match="this one has 10,000,001"):
        upload(content, "a", "b", name="bomb.xlsx")


def test_a_list_in_one_line_is_split_by_a_button_and_never_without_it(page):
    for texts in (
        ("a, b, a, c", "a, b, a, a"),
        ("['a', 'b', 'a', 'c']", "a;b;a;a"),
        ("[a b\n a c]", "a\nb\na\na"),
    ):
        with pytest.raises(page.columns.Splittable, match="write one label per line, not"):
            score_boxes(page, *texts)
        split = page.asking.split_pasted(*texts)
        assert split == [lines("abac"), lines("abaa")]
        is_scored(score_boxes(page, *split), list("abac"), list("abaa"), texts)


def test_what_the_form_shows_is_refused_and_what_the_table_shows_stands_among_the_notes(page):
    for title, kind in KINDS.items():
        boxes = ["\n".join("" if x is None else str(x) for x in side) for side in kind.sides()]
        calls = {False: lambda pair: page.endpoints.score(*pair)}
        # these separate pasted text
        if not any(x in text for text in boxes for x in '\r\ufeff"\xa0'):
            calls[True] = lambda pair: parsed(score_boxes(page, *pair))
        for is_text, call in calls.items():
            expected, given = (kind.text, boxes) if is_text else (kind.typed, kind.sides())
            if expected == REFUSED:
                with pytest.raises((ValueError, TypeError)):
                    call(given)
                continue
            found = call(given)
            notes = found.notes() if is_text else found["warnings"]
            if expected == RIGHT:
                wanted = kind.wanted(is_text)
                value = found.id("score").text if is_text else found["informedness"]
                assert f"{wanted:.2f}" in value if is_text else value == close(wanted), title
            assert (expected in " ".join(notes)) == (expected != RIGHT), title


# Files


def test_columns_are_guessed_by_their_roles_and_shown(page, upload):
    for header, *guessed in (
        ("text;predicted_label;true_label", "true_label", "predicted_label"),
        ("id|yPred|yTrue", "yTrue", "yPred"),
        ("reference_id\toutput\ttarget", "target", "output"),
    ):
        separator = re.search(r"[,;|\t]", header)[0]
        content = rows_of(header, list("12345"), COLUMNS[1], COLUMNS[0], separator=separator)
        shown = is_scored(upload(content), *COLUMNS, header)
        said = rf"references +{guessed[0]} .*predictions +{guessed[1]} "
        assert re.search(said, shown.notes()[0], re.DOTALL)


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
    sent, roles = {"path": str(path)}, page.compare_tab.ROLES
    columns = page.uploads.labels_of_upload(sent, ["gold", "bert", "gpt"], roles)
    shown = parsed(page.compare_tab.compared(*columns))
    assert shown.id("verdict").text == str(compare(GOLD, MODEL, BETTER))
    said = "references +gold .*predictions A +bert .*predictions B +gpt "
    assert re.search(said, shown.notes()[0], re.DOTALL)


def test_an_upload_is_read_as_the_command_line_reads_files(page, upload, tmp_path):
    for name, write in WRITERS.items():
        write(pa.table({"gold": GOLD, "model": MODEL}), tmp_path / name)
        is_scored(upload((tmp_path / name).read_bytes(), *NAMES, name=name), GOLD, MODEL)
    text = rows_of("gold,model", GOLD, MODEL)
    for content, *chosen in (
        (gzip.compress(text.encode()),),
        (text.encode("utf-16"),),
        ("\ufeff" + text.replace("\n", "\r"),),
        ("sep=;\n" + text.replace(",", ";"),),
        (text.replace("gold", "göld").encode("cp1252"), "göld", "model", None, "cp1252"),
        (text + "\n,\nNA,a\n", *NAMES, None, None),
    ):
        scored = upload(content, *(chosen or NAMES), name="mine.txt", meant=["drop_null"])
        is_scored(scored, GOLD, MODEL, content)
    nested = '{"doc": {"gold": "a"}, "model": "b"}\n{"doc": {"gold": "b"}, "model": "b"}'
    is_scored(upload(nested, "doc.gold", "model", name="mine.jsonl"), list("ab"), list("bb"))


OVERRIDDEN = {  # what is refused in a file or in boxes, and the controls that score it all the same
    "gold,model\na,a\nb,a\nNA,b": ("drop_null", "keep_missing"),
    ("a\nNA\nb\n\n", "a\na\nb\n\n", "b\na\nb\n\n"): ("drop_null", "keep_missing"),
}


def test_a_refusal_names_the_controls_that_override_it_and_they_do(page, upload):
    def shown(given: Any, meant: Any) -> Any:
        if isinstance(given, str):
            return upload(given, *given.partition("\n")[0].split(",")[:2], meant=meant)
        with page.charts.noting(meant):
            columns = page.columns.split_samples(given, page.compare_tab.ROLES)
            return page.compare_tab.compared(*columns)

    for given, controls in OVERRIDDEN.items():
        with pytest.raises(ValueError) as refused:  # noqa: PT011 (its words are checked below)
            shown(given, [])
        said = page.charts.sentence(str(refused.value))
        for control in controls:
            assert f'"{page.limits.MEANT[control]}" under Options' in said, given
            assert "samples" in parsed(shown(given, [control])).text, given


# The matrix

COUNTS = [[1200, 2, 0], [3, 40, 1], [0, 0, 8]]
BLOCKS = {  # what is pasted over the classes ham and spam, and the classes then
    "1\u202f200\t2\t0\n3\t40\t1\n0\t0\t8\n": ["ham", "spam", "class 3"],
    "\tx\ty\tz\r\nx\t1 200\t2\t0\r\ny\t3\t40\t1\r\nz\t0\t0\t8\r\n": ["x", "y", "z"],
    ",x,y,z\nx,1200,2,0\ny,3,40,1\nz,0,0,8": ["x", "y", "z"],
    "true\tx\tz\ty\nx\t1200\t\t2\ny\t3\t1\t40\nz\t0\t8\t0": ["x", "y", "z"],  # in another order
    "\tx\ty\tall\nx\t1200\t2\t0\ny\t3\t40\t1\nall\t0\t0\t8": ["x", "y", "all"],  # no totals
    "Actual \\ Predicted\tx\ty\tz\nx\t1200\t2\t0\ny\t3\t40\t1\nz\t0\t0\t8": ["x", "y", "z"],
    "array([[1200,    2,    0],\n       [3, 40, 1],\n       [0, 0, 8]])": [
        "ham",
        "spam",
        "class 3",
    ],
}
NO_BLOCKS = {
    "\t0\t1\tAll\n0\t90\t2\t92\n1\t3\t40\t43\nAll\t93\t42\t135": "are the sums of the others",
    "1\t2\t3\n4\t5\t6": "this block has 2 rows and 3 columns of counts",
    "x\ty\n1\t2\n3\t4": "this block has 3 rows and 2 columns of counts",
    "1\t2\t3\n4\t5": "This block is no matrix, whose rows have equally many cells",
    "ham\nspam": "This block is no matrix",
    "\ta\tb\na\t1\t2\nc\t3\t4": "the rows are 'a', 'c' and the columns 'a', 'b'",
    "1,234\n5,678": "1,234 could be one count with a thousands separator, or several",
    lines(["1\t" * 30 + "1"] * 31): "The grid holds at most 30 classes, this matrix has 31",
}


def test_a_pasted_block_takes_the_place_of_the_matrix_or_is_refused(page):
    wanted = ContingencyTable.from_matrix(COUNTS).informedness()
    for text, labels in BLOCKS.items():
        grid = page.app.read_block({"labels": ["ham", "spam"], "text": text})
        assert (grid["labels"], page.grid.read_grid(grid)[1]) == (labels, COUNTS), text
        assert parsed(page.app.score_grid(grid)).id("score").text == f"{wanted:.2f}", text
    for text, sentence in NO_BLOCKS.items():
        assert sentence in page.app.read_block({"labels": [], "text": text})["refused"]


def test_a_simulation_in_which_one_class_is_half_of_all_has_no_totals(page):
    for sizes in ([0.25, 0.25, 0.5], [0.1, 0.2, 0.2, 0.5]):
        table = page.simulate.expected_table(sizes, 0)
        assert table.reference_totals.tolist() == pytest.approx(sizes)
        assert page.simulate.draw_again(table, 100, 3)[2].total == 100


def test_a_simulation_says_what_shares_it_can_have(page):
    assert page.simulate.read_shares("9, 1") == pytest.approx([90, 10])
    for written, sentence in (
        (", ".join(["1"] * 51), "A simulation needs 2 to 50 classes, got 51"),
        ("1, 0", "The share of each class must be at least 1e-06"),
        ("1, -1", "none below 0"),
        (f"1{'0' * 308}, 9{'0' * 308}", "with a sum below 1e308"),
    ):
        with pytest.raises(ValueError, match=sentence):
            page.simulate.read_shares(written)
