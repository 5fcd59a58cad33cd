"""No input of the page is scored as something it is not."""

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Locator, Page, expect

from informedness import ContingencyTable, compare, report

GOLD = ["a", "a", "b", "b", "c"] * 4
MODEL = ["a", "b", "b", "b", "a"] * 4
BETTER = ["a", "a", "b", "b", "a"] * 4
HOSTILE = '<img src="x" onerror="window.executed = 1">${window.executed = 2}{{value}}'


@pytest.fixture
def visit(app: Callable[[str], str], browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return the function that opens the page; no script on it may fail."""
    contexts = []
    failed: list[str] = []

    def opened(metric: str = "informedness", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.set_default_timeout(15_000)
        page.goto(app(metric))
        page.locator("#score").wait_for()
        return page

    yield opened
    executed = [page.evaluate("window.executed ?? null") for c in contexts for page in c.pages]
    for context in contexts:
        context.close()
    assert failed == []
    assert set(executed) <= {None}


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def score_of(references: list[str], predictions: list[str]) -> str:
    return f"{report(references, predictions).scores['informedness']:.3f}"


def shows(page: Page, score: str) -> None:
    """Wait for the score, as an answer to the inputs as they are."""
    expect(page.locator("#score")).to_have_text(score)
    expect(page.locator("#result")).not_to_have_attribute("data-stale", "")


def is_stale(page: Page, result: str = "result") -> None:
    expect(page.locator(f"#{result}")).to_have_attribute("data-stale", "")


def refused(page: Page, name: str, sentence: str, result: str = "result") -> None:
    """Wait for a refusal below its button; the result that stands is of other inputs."""
    expect(page.locator(f"#refusal-{name}")).to_contain_text(sentence)
    is_stale(page, result)
    expect(page.get_by_test_id("toast-body")).to_have_count(0)


# Columns of a file


def send(page: Page, path: Path, header: str, *columns: list[Any], separator: str = ",") -> None:
    lines = [separator.join(map(str, row)) for row in zip(*columns, strict=True)]
    path.write_text("\n".join([header, *lines]), "utf-8")
    tab(page, "File")
    page.locator("input[type=file]").first.set_input_files(path)


def choose(page: Page, role: str, name: str) -> None:
    page.get_by_label(f"Column of {role}").click()
    page.get_by_role("option", name=name, exact=True).last.click()
    expect(page.get_by_label(f"Column of {role}")).to_have_value(name)
    page.wait_for_timeout(300)  # the result is greyed a moment later


def preview(page: Page) -> list[list[str]]:
    rows = page.locator(".columns tr").all()
    return [row.locator("th, td").all_inner_texts() for row in rows]


@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_a_file_shows_its_first_rows_under_their_roles_before_it_is_scored(
    visit, tmp_path, separator
):
    page = visit()
    header = separator.join(["text", "predicted_label", "true_label"])
    texts = [f"text {i}" for i in range(20)]
    send(page, tmp_path / "m.csv", header, texts, MODEL, GOLD, separator=separator)
    expect(page.locator(".columns caption")).to_have_text("First 4 of 20 rows")
    head, first, second, *_ = preview(page)
    assert [cell.split() for cell in head[1:]] == [
        ["References", "column", "true_label"],
        ["Predictions", "column", "predicted_label"],
    ]
    assert first == ["Line 2", "a", "a"]
    assert second == ["Line 3", "a", "b"]
    is_stale(page)  # the example that is still shown is not of this file
    page.locator("#score-file").click()
    shows(page, score_of(GOLD, MODEL))
    said = "References: column 'true_label'. Predictions: column 'predicted_label'."
    expect(page.locator("#result .note").first).to_have_text(said)


def test_the_rows_shown_follow_the_columns_chosen_and_the_result_is_greyed(visit, tmp_path):
    page = visit()
    send(page, tmp_path / "m.csv", "gold,pred,other", GOLD, MODEL, GOLD)
    expect(page.locator(".columns thead th").last).to_contain_text("pred")
    page.locator("#score-file").click()
    shows(page, score_of(GOLD, MODEL))
    choose(page, "predictions", "other")
    expect(page.locator(".columns thead th").last).to_contain_text("other")
    is_stale(page)
    page.locator("#score-file").click()
    shows(page, "1.000")


def test_a_role_that_no_name_tells_stays_open_and_nothing_is_scored(visit, tmp_path):
    page = visit()
    send(page, tmp_path / "m.csv", "gold,bert,gpt", GOLD, MODEL, MODEL)
    expect(page.locator(".columns thead th").last).to_contain_text("no column yet")
    page.locator("#score-file").click()
    refused(page, "file", "Choose the column of predictions: the header does not say")


def test_one_column_is_never_both(visit, tmp_path):
    page = visit()
    send(page, tmp_path / "m.csv", "gold,pred", GOLD, MODEL)
    expect(page.get_by_label("Column of predictions")).to_have_value("pred")
    choose(page, "predictions", "gold")
    page.locator("#score-file").click()
    refused(page, "file", "The column 'gold' cannot be both references and predictions")


FLAGS = [[int(label == wanted) for label in GOLD] for wanted in "abc"]
GUESSED = [[int(label == wanted) for label in MODEL] for wanted in "abc"]
SHARES = [0.05 * i for i in range(20)]


@pytest.mark.parametrize(
    ("header", "columns", "names", "sentence"),
    [
        (
            "a,b,c,p_a,p_b,p_c",
            [*FLAGS, *GUESSED],
            ["a", "p_a"],
            "Each row has a single 1 in the columns 'a', 'b', 'c': these are one-hot encoded",
        ),
        (
            "text,ham,spam",
            [GOLD, FLAGS[0], [1 - flag for flag in FLAGS[0]]],
            ["ham", "spam"],
            "Each row has a single 1 in the columns 'ham', 'spam'",
        ),
        (
            "gold,pred",
            [['"[0, 1]"', '"[1, 0]"'] * 10, ['"[0, 1]"'] * 20],
            ["gold", "pred"],
            "The references are lists, such as '[0, 1]'",
        ),
        ("gold,pred", [FLAGS[0], SHARES], ["gold", "pred"], "The predictions are numbers with dec"),
        ("gold,pred", [SHARES, SHARES], ["gold", "pred"], "and nearly all differ: turn scores"),
    ],
    ids=["one-hot", "one-hot of two", "lists", "scores", "two columns of scores"],
)
def test_one_hot_and_score_columns_are_refused_with_the_reason(
    visit, tmp_path, header, columns, names, sentence
):
    page = visit()
    send(page, tmp_path / "m.csv", header, *columns)
    expect(page.locator(".columns")).to_be_visible()
    for role, name in zip(("references", "predictions"), names, strict=True):
        choose(page, role, name)
    page.locator("#score-file").click()
    refused(page, "file", sentence)


def test_a_model_that_is_always_wrong_of_two_classes_is_not_taken_for_one_hot(visit, tmp_path):
    page = visit()
    send(page, tmp_path / "m.csv", "gold,pred", FLAGS[0], [1 - flag for flag in FLAGS[0]])
    expect(page.locator(".columns")).to_be_visible()
    page.locator("#score-file").click()
    shows(page, "-1.000")


def test_an_identifier_is_not_guessed_and_is_scored_with_a_warning_where_it_is_chosen(
    visit, tmp_path
):
    page = visit()
    names = [f"x{i}" for i in range(20)]
    send(page, tmp_path / "m.csv", "label,pred", names, MODEL)
    expect(page.get_by_label("Column of predictions")).to_have_value("pred")
    expect(page.get_by_label("Column of references")).to_have_value("")
    choose(page, "references", "label")
    warning = "'label' holds 20 different labels in 20 rows: are these identifiers or texts?"
    expect(page.locator(".columns .note")).to_contain_text(warning)
    page.locator("#score-file").click()
    shows(page, "0.000")
    expect(page.locator("#result .note").first).to_contain_text(warning)


@pytest.mark.parametrize(
    ("header", "names"),
    [
        ("gold,pred_a,pred_b", ["gold", "pred_a", "pred_b"]),
        ("id,bert,gold,gpt", ["gold", "bert", "gpt"]),  # the only ones left beside an identifier
        ("gold,bert,gpt,other", ["gold", None, None]),
        ("bert,gpt,other", [None, None, None]),
        ("gold,pred_a,other", ["gold", None, None]),
    ],
)
def test_a_file_of_two_models_is_read_by_the_roles_of_its_columns(
    monkeypatch, tmp_path, header, names
):
    monkeypatch.syspath_prepend(Path(__file__).resolve().parents[2] / "spaces" / "page")
    import columns

    row = "abcd"[: len(header.split(","))]
    path = tmp_path / "m.csv"
    path.write_text("\n".join([header, *[",".join(row)] * 3]), "utf-8")
    header, rows = columns.read_upload(path)
    assert columns.guessed_columns(header, rows, models=2) == names


# The matrix


def cell(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


def grid(page: Page) -> tuple[list[str], list[list[str]]]:
    """Return the names and the counts of the matrix."""
    rows = [
        [box.input_value() for box in row.locator("input").all()]
        for row in page.locator("#grid tbody tr").all()
    ]
    return [row[0] for row in rows], [row[1:] for row in rows]


def paste_into(box: Locator, text: str) -> None:
    """Paste as a spreadsheet does."""
    box.click()
    box.evaluate(
        """(box, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const options = { clipboardData, bubbles: true, cancelable: true };
            box.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def score_of_matrix(matrix: list[list[int]]) -> str:
    return f"{ContingencyTable.from_matrix(matrix).informedness():.3f}"


@pytest.fixture
def matrix(visit) -> Page:
    """Return the page with its matrix of ham (90, 0) and spam (10, 0)."""
    page = visit()
    tab(page, "Matrix")
    page.get_by_role("button", name="Looks good").click()
    shows(page, "0.000")
    return page


@pytest.mark.parametrize("come", ["click", "tab", "touch"])
def test_whoever_comes_to_a_cell_and_types_replaces_its_count(visit, come):
    page = visit(has_touch=come == "touch")
    page.get_by_role("button", name="Looks good").click()
    shows(page, "0.000")
    box = cell(page, 1, 0)
    expect(box).to_have_value("10")
    if come == "tab":
        cell(page, 1, -1).focus()
        page.keyboard.press("Tab")
    else:
        (box.tap if come == "touch" else box.click)()
    page.keyboard.type("25")
    expect(box).to_have_value("25")
    cell(page, 1, 1).click()
    page.keyboard.type("7")
    shows(page, score_of_matrix([[90, 0], [25, 7]]))  # as one types, without the button


def test_the_keyboard_goes_through_the_matrix_and_a_second_click_places_the_caret(matrix):
    cell(matrix, 0, 0).focus()
    for keys, place in (
        (["ArrowDown"], "1 0"), (["Tab"], "1 1"), (["ArrowUp"], "0 1"), (["Enter"], "1 1")
    ):  # fmt: skip
        for key in keys:
            matrix.keyboard.press(key)
        focused = "Object.values(document.activeElement.dataset).join(' ')"
        assert matrix.evaluate(focused) == place
    box = cell(matrix, 0, 0)
    box.click()
    selected = "box => box.selectionEnd - box.selectionStart"
    assert box.evaluate(selected) == 2
    box.click()
    assert box.evaluate(selected) == 0


def test_a_class_keeps_its_counts_under_a_new_name(matrix):
    cell(matrix, 1, 1).fill("5")
    box = cell(matrix, 1, -1)
    box.click()
    matrix.keyboard.type("junk")
    shows(matrix, score_of_matrix([[90, 0], [10, 5]]))
    expect(matrix.locator("#result .heat tbody th")).to_have_text(["ham", "junk"])
    expect(matrix.locator("#grid thead bdi")).to_have_text(["ham", "junk"])
    expect(cell(matrix, 1, 0)).to_have_attribute("aria-label", "Reference junk, prediction ham")
    assert grid(matrix) == (["ham", "junk"], [["90", "0"], ["10", "5"]])


def test_classes_are_added_and_removed_with_their_counts_and_that_can_be_undone(matrix):
    matrix.get_by_role("button", name="Add a class").click()
    matrix.keyboard.type("eggs")  # into its name
    cell(matrix, 2, 2).fill("4")
    shows(matrix, score_of_matrix([[90, 0, 0], [10, 0, 0], [0, 0, 4]]))
    matrix.get_by_role("button", name="Remove class spam").click()
    shows(matrix, score_of_matrix([[90, 0], [0, 4]]))
    assert grid(matrix) == (["ham", "eggs"], [["90", "0"], ["0", "4"]])
    matrix.get_by_role("button", name="Undo").click()
    shows(matrix, score_of_matrix([[90, 0, 0], [10, 0, 0], [0, 0, 4]]))
    assert grid(matrix)[0] == ["ham", "spam", "eggs"]


COUNTS = [["1200", "2", "0"], ["3", "40", "1"], ["0", "0", "8"]]


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("1,200\t2\t0\n3\t40\t1\n0\t0\t8\n", ["ham", "spam", "class 3"]),
        ("\tx\ty\tz\r\nx\t1,200\t2\t0\r\ny\t3\t40\t1\r\nz\t0\t0\t8\r\n", ["x", "y", "z"]),
        ("x\ty\tz\n1 200\t2\t\n3\t40\t1\n\t\t8", ["x", "y", "z"]),
        ("x\t1'200\t2\t0\ny\t3\t40\t1\nz\t0\t0\t8", ["x", "y", "z"]),
        ("true\tx\tz\ty\nx\t1200\t0\t2\ny\t3\t1\t40\nz\t0\t8\t0", ["x", "y", "z"]),
        (
            "\t0\t1\t2\tAll\n0\t1200\t2\t0\t1202\n1\t3\t40\t1\t44\n2\t0\t0\t8\t8\n"
            "All\t1203\t42\t9\t1254",
            ["0", "1", "2"],
        ),
        ("\tx\ty\tall\nx\t1200\t2\t0\ny\t3\t40\t1\nall\t0\t0\t8", ["x", "y", "all"]),
        ("array([[1200,    2,    0],\n       [3, 40, 1],\n       [0, 0, 8]])", ["ham", "spam"]),
        (",x,y,z\nx,1200,2,0\ny,3,40,1\nz,0,0,8", ["x", "y", "z"]),
    ],
    ids=[
        "counts",
        "names",
        "above",
        "left",
        "other order",
        "totals",
        "no totals",
        "Python",
        "commas",
    ],
)
def test_a_pasted_block_takes_the_place_of_the_matrix(matrix, text, names):
    paste_into(cell(matrix, 0, 0), text)
    shows(matrix, score_of_matrix([list(map(int, row)) for row in COUNTS]))
    labels, cells = grid(matrix)
    assert labels[: len(names)] == names
    read = [[re.sub(r"\D", "", text) or "0" for text in row] for row in cells]
    assert read == COUNTS


def test_a_block_that_fits_fills_the_cells_from_where_it_is_pasted(matrix):
    paste_into(cell(matrix, 0, 1), "3\n4")
    shows(matrix, score_of_matrix([[90, 3], [10, 4]]))
    paste_into(cell(matrix, 1, -1), "junk\nfraud")
    expect(matrix.locator("#grid .said")).to_have_text("Pasted 2 names.")
    assert grid(matrix) == (
        ["ham", "junk", "fraud"],
        [["90", "3", "0"], ["10", "4", "0"], ["0", "0", "0"]],
    )


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("1\t2\t3\n4\t5\t6", "A 2 × 3 block does not fit here"),  # noqa: RUF001
        (
            "\ta\tb\na\t1\t2\nc\t3\t4",
            "in this block the rows are 'a', 'c' and the columns 'a', 'b'",
        ),
        ("1\t2\n3", "Row 2 of the block has 1 cells, but the first has 2"),
        ("1,234\n5,678", "1,234 could be one count with a thousands separator, or several"),
        (
            "\n".join(["1\t" * 30 + "1"] * 31),
            "The grid holds at most 30 classes, this block has 31",
        ),
    ],
)
def test_a_block_that_is_no_matrix_is_refused_and_changes_nothing(matrix, text, sentence):
    before = grid(matrix)
    paste_into(cell(matrix, 0, 0), text)
    expect(matrix.locator("#grid .said")).to_contain_text(sentence)
    assert grid(matrix) == before


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("ten", "ten (row spam, column ham) is not a count"),
        (
            "1.234",
            "1.234 (row spam, column ham) could be a number of thousands or have three decimals",
        ),
        ("90%", "90% (row spam, column ham) is not a count"),
        ("-1", "The matrix must be finite and not negative"),
    ],
)
def test_what_is_no_count_is_refused_below_the_button_and_greys_the_result(matrix, text, sentence):
    cell(matrix, 1, 0).fill(text)
    refused(matrix, "matrix", sentence)
    cell(matrix, 1, 0).fill("1,234")
    shows(matrix, score_of_matrix([[90, 0], [1234, 0]]))
    expect(matrix.locator("#refusal-matrix")).to_be_hidden()


def test_rows_that_are_shares_are_scored_with_a_warning(matrix):
    paste_into(cell(matrix, 0, 0), "0.9\t0.1\n0.25\t0.75")
    shows(matrix, "0.650")
    expect(matrix.locator("#result .note").first).to_contain_text("Each row sums to 1")


def test_names_in_the_matrix_execute_nothing(matrix):
    paste_into(cell(matrix, 0, 0), f"\t{HOSTILE}\tb\n{HOSTILE}\t5\t1\nb\t1\t5")
    shows(matrix, score_of_matrix([[5, 1], [1, 5]]))
    assert matrix.locator("#grid thead bdi").first.inner_text() == HOSTILE
    cell(matrix, 0, 0).fill(HOSTILE)
    refused(matrix, "matrix", HOSTILE[:40])


# Lists


def paste(page: Page, references: str, predictions: str) -> None:
    tab(page, "Paste")
    page.get_by_role("textbox", name="References").fill(references)
    page.get_by_role("textbox", name="Predictions").fill(predictions)
    page.locator("#score-columns").click()


def boxes(page: Page) -> list[list[str]]:
    names = "References", "Predictions"
    found = [page.get_by_role("textbox", name=name).input_value() for name in names]
    return [text.split("\n") for text in found]


@pytest.mark.parametrize(
    ("references", "predictions"),
    [
        ("a, b, a, c", "a, b, a, a"),
        ("a b a c", "a;b;a;a"),
        ("['a', 'b', 'a', 'c']", "a\nb\na\na"),
        ("[a b\n a c]", '["a", "b", "a", "a"]'),
        ("a,a\nb,b\na,a\nc,a", ""),
        ("pred;id;gold\na;1;a\nb;2;b\na;3;a\na;4;c", ""),
    ],
    ids=["commas", "blanks", "Python", "numpy", "columns", "columns and a header"],
)
def test_a_list_in_one_line_is_split_by_a_button_and_never_without_it(
    visit, references, predictions
):
    page = visit()
    paste(page, references, predictions)
    refused(page, "columns", "write one label per line, not")
    page.locator("#split").click()
    shows(page, score_of(list("abac"), list("abaa")))
    assert boxes(page) == [list("abac"), list("abaa")]
    expect(page.locator("#split")).to_be_hidden()
    expect(page.locator("#refusal-columns")).to_be_hidden()


def test_a_first_line_that_is_a_header_is_noticed(visit):
    page = visit()
    paste(page, "label\na\nb", "prediction\na\nb")
    refused(page, "columns", "The first line ('label', 'prediction') looks like a header")
    expect(page.locator("#split")).to_be_hidden()


def test_a_refusal_names_the_line_and_goes_when_it_is_mended(visit):
    page = visit()
    paste(page, "a\n\nb", "a\nb\nb")
    refused(page, "columns", "References: line 2 is empty")
    below = page.locator("#refusal-columns").bounding_box()
    button = page.locator("#score-columns").bounding_box()
    assert 0 < below["y"] - (button["y"] + button["height"]) < 40
    paste(page, "a\na\nb", "a\nb\nb")
    shows(page, score_of(list("aab"), list("abb")))
    expect(page.locator("#refusal-columns")).to_be_hidden()


def test_columns_pasted_side_by_side_say_which_was_taken_for_which(visit):
    page = visit()
    paste(page, "a\ta\nb\tb\na\tb", "")
    shows(page, score_of(list("aba"), list("abb")))
    expect(page.locator("#result .note").first).to_have_text(
        "The first column was read as references, the second as predictions."
    )


# Comparison


ROLES = ("References", "Predictions A", "Predictions B")


def compared(page: Page, *columns: list[str]) -> None:
    """Wait for a comparison, as an answer to the inputs as they are."""
    expect(page.locator("#verdict")).to_have_text(str(compare(*columns)))
    expect(page.locator("#comparison")).not_to_have_attribute("data-stale", "")


def not_compared(page: Page, way: str, sentence: str) -> None:
    refused(page, f"compare-{way}", sentence, "comparison")
    below = page.locator(f"#refusal-compare-{way}").bounding_box()
    button = page.locator(f"#compare-{way}").bounding_box()
    assert 0 < below["y"] - (button["y"] + button["height"]) < 40


def fill_models(page: Page, *texts: str) -> None:
    """Fill the boxes of the comparison, which open with an example."""
    for name, text in zip(ROLES, texts, strict=True):
        box = page.get_by_role("textbox", name=name)
        expect(box).to_have_value(re.compile("ham"))
        box.fill(text)


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("separator", [",", ";"])
def test_two_models_in_a_file_are_compared_under_the_names_of_their_columns(
    visit, tmp_path, separator
):
    page = visit()
    tab(page, "Compare")
    header = separator.join(["id", "bert", "gold", "gpt"])
    numbers = [f"x{i}" for i in range(20)]
    columns = numbers, MODEL, GOLD, BETTER
    send(page, tmp_path / "m.csv", header, *columns, separator=separator)
    expect(page.locator(".columns caption")).to_have_text("First 4 of 20 rows")
    head, first, *_ = preview(page)
    chosen = ["gold", "bert", "gpt"]
    assert [cell.split() for cell in head[1:]] == [
        [*role.split(), "column", name] for role, name in zip(ROLES, chosen, strict=True)
    ]
    assert first == ["Line 2", "a", "a", "a"]
    is_stale(page, "comparison")  # the example that is still shown is not of this file
    page.locator("#compare-file").click()
    compared(page, GOLD, MODEL, BETTER)
    said = "References: column 'gold'. Predictions A: column 'bert'. Predictions B: column 'gpt'."
    expect(page.locator("#comparison .note").first).to_have_text(said)
    choose(page, "predictions A", "gpt")
    is_stale(page, "comparison")
    page.locator("#compare-file").click()
    not_compared(page, "file", "The column 'gpt' cannot be both predictions A and predictions B")
    choose(page, "predictions B", "bert")
    page.locator("#compare-file").click()
    compared(page, GOLD, BETTER, MODEL)


def test_a_model_that_no_name_tells_stays_open_and_nothing_is_compared(visit, tmp_path):
    page = visit()
    tab(page, "Compare")
    page.locator("#asked-models").get_by_role("tab", name="File").click()
    page.locator("#compare-file").click()
    not_compared(page, "file", "Upload a CSV or TSV file, then choose its columns.")
    send(page, tmp_path / "m.csv", "gold,bert,gpt,other", GOLD, MODEL, BETTER, MODEL)
    expect(page.locator(".columns thead th").last).to_contain_text("no column yet")
    page.locator("#compare-file").click()
    not_compared(page, "file", "Choose the column of predictions A: the header does not say")


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_comparison_is_greyed_as_one_types_and_refused_below_its_button(visit):
    page = visit()
    tab(page, "Compare")
    texts = ["\n".join(column) for column in (GOLD, MODEL, BETTER)]
    fill_models(page, texts[0], texts[1], texts[2] + "\na")
    is_stale(page, "comparison")
    page.locator("#compare-columns").click()
    not_compared(page, "columns", "Predictions B: Mismatch in the number of predictions (21)")
    page.get_by_role("textbox", name="Predictions B").fill(texts[2])
    page.locator("#compare-columns").click()
    compared(page, GOLD, MODEL, BETTER)
    expect(page.locator("#refusal-compare-columns")).to_be_hidden()
    expect(page.locator("#verdict")).to_be_in_viewport()


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(
    "texts",
    [
        [", ".join(GOLD), str(MODEL), " ".join(BETTER)],
        [
            "\n".join(["gpt;gold;bert", *map(";".join, zip(BETTER, GOLD, MODEL, strict=True))]),
            "",
            "",
        ],
    ],
    ids=["lists", "columns and a header"],
)
def test_lists_of_two_models_are_split_by_a_button_and_never_without_it(visit, texts):
    page = visit()
    tab(page, "Compare")
    fill_models(page, *texts)
    page.locator("#compare-columns").click()
    not_compared(page, "columns", "write one label per line, not")
    page.locator("#split-models").click()
    first, second = (MODEL, BETTER) if texts[1] else (BETTER, MODEL)
    compared(page, GOLD, first, second)
    expect(page.locator("#split-models")).to_be_hidden()


def test_three_columns_pasted_side_by_side_say_which_was_taken_for_which(visit):
    page = visit()
    tab(page, "Compare")
    fill_models(page, "\n".join(map("\t".join, zip(GOLD, MODEL, BETTER, strict=True))), "", "")
    page.locator("#compare-columns").click()
    expect(page.locator("#comparison .note").first).to_have_text(
        "The first column was read as references, the second as predictions A and the third as "
        "predictions B."
    )


# Words


def test_what_the_page_says_holds_no_name_that_things_have_in_python(visit):
    page = visit("nit")
    tab(page, "Paste")
    few = "a\nb\nc\n" + "\n".join(map(str, range(6)))
    outside = "\n".join(f"x{i}" for i in range(9))
    pairs = [("a\nb\na", "a\nb\nb"), (few, outside), ("a\na", "a\nb"), ("a", "b")]
    for references, predictions in pairs:
        before = page.locator("#signature").inner_text()
        paste(page, references, predictions)
        expect(page.locator("#signature")).not_to_have_text(before)
        said = page.locator("#result p").all_inner_texts()
        assert len(said) > 5
        names = r"`|labels=|unknown=|zero_division|lm_eval"
        assert not [text for text in said if re.search(names, text)]
    assert any("the score of one sample" in text for text in said)
    tab(page, "Matrix")
    paste_into(cell(page, 0, 0), "a\tb\n1\t2\n3\t4")
    expect(page.locator("#result .heat tbody th")).to_have_text(["a", "b"])
    cell(page, 1, -1).fill("a")
    is_stale(page, "result")  # the page has taken the name
    page.locator("#score-matrix").click()
    refused(
        page, "matrix", "The names of the classes must list each class once, 'a' is listed twice"
    )


# Results that are no longer of their inputs


def test_a_result_is_greyed_as_soon_as_a_box_changes_until_it_is_scored_again(visit):
    page = visit()
    paste(page, "a\nb\na", "a\nb\nb")
    shows(page, "0.500")
    box = page.get_by_role("textbox", name="Predictions")
    box.focus()
    page.keyboard.type("x")
    is_stale(page)
    opacity = page.locator("#result .viz").evaluate("e => getComputedStyle(e).opacity")
    assert float(opacity) < 0.6
    page.keyboard.press("Backspace")
    page.locator("#score-columns").click()
    shows(page, "0.500")  # the same as before, yet of these inputs


def test_an_answer_to_inputs_that_have_changed_meanwhile_stays_grey(visit):
    page = visit()
    held = []

    def hold(route):
        is_asked = "a\\nb" in (route.request.post_data or "")
        held.append(route) if is_asked else route.continue_()

    page.route("**/queue/join*", hold)
    paste(page, "a\nb\na", "a\nb\nb")
    while not held:
        page.wait_for_timeout(50)
    page.get_by_role("textbox", name="Predictions").fill("a\nb\na")
    page.wait_for_timeout(300)
    held[0].continue_()
    expect(page.locator("#score")).to_have_text("0.500")
    page.wait_for_timeout(300)
    is_stale(page)
    page.unroute("**/queue/join*")
    page.locator("#score-columns").click()
    shows(page, "1.000")


def test_a_phone_scores_a_matrix_without_scrolling_sideways(visit):
    page = visit(viewport={"width": 390, "height": 844}, has_touch=True, is_mobile=True)
    tab(page, "Matrix")
    paste_into(cell(page, 0, 0), "\n".join("\t".join(["1000"] * 8) for _ in range(8)))
    shows(page, "0.000")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    last = cell(page, 7, 7)
    last.tap()
    page.keyboard.type("5")
    expect(last).to_have_value("5")
    page.locator("#score-matrix").tap()
    expect(page.locator("#score")).to_be_in_viewport()
