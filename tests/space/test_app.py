"""What people do with the page, in a browser, in the app as it is staged and served."""

import itertools
import json
import re
import time
import urllib.request
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from axe_playwright_python.sync_playwright import Axe
from drawn import (
    BETTER,
    GOLD,
    HOSTILE,
    MANY,
    METRICS,
    MODEL,
    MODELS,
    OVERRIDE,
    lines,
    numbers_of,
    post,
    rounded,
    rows_of,
    samples_of,
)
from playwright.sync_api import Locator, Page, expect

from informedness import ContingencyTable, Report, compare, estimate, report
from informedness.scores.registry import REPORTED

TITLES = {"informedness": "Informedness", "nit": "NIT"}
TABS = ("Simulate", "Compare", "Use it", "Score")
ROLES = ("References", "Predictions A", "Predictions B")
PHONE = {"viewport": {"width": 375, "height": 700}, "has_touch": True, "is_mobile": True}


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()
    chosen = page.get_by_role("tab", name=name, exact=True)
    expect(chosen).to_have_attribute("aria-selected", "true")


def box(page: Page, name: str) -> Locator:
    return page.get_by_role("textbox", name=name)


def paste(page: Page, references: list[str], predictions: list[str]) -> None:
    tab(page, "Paste")
    box(page, "References").fill(lines(references))
    box(page, "Predictions").fill(lines(predictions))
    page.locator("#score-columns").click()


def open_comparison(page: Page) -> None:
    """Wait for the boxes with their example, which would take the place of what comes early."""
    tab(page, "Compare")
    for name in ROLES:
        expect(box(page, name)).to_have_value(re.compile("ham"))


def paste_models(page: Page, *columns: list[str]) -> None:
    for name, column in itertools.zip_longest(ROLES, columns, fillvalue=[]):
        box(page, name).fill(lines(column))
    page.locator("#compare-columns").click()


def shows(page: Page, value: float) -> None:
    """Wait for the score, as an answer to the inputs as they are."""
    expect(page.locator("#score")).to_have_text(f"{value:.3f}")
    expect(page.locator("#result")).not_to_have_attribute("data-stale", "")


def shows_matrix(page: Page, matrix: list[list[int]], metric: str = "informedness") -> None:
    shows(page, Report.from_table(ContingencyTable.from_matrix(matrix)).scores[metric])


def compared(page: Page, *columns: list[str]) -> None:
    """Wait for a comparison, as an answer to the inputs as they are."""
    expect(page.locator("#verdict")).to_have_text(str(compare(*columns)))
    expect(page.locator("#comparison")).not_to_have_attribute("data-stale", "")


def is_stale(page: Page, result: str = "result") -> None:
    expect(page.locator(f"#{result}")).to_have_attribute("data-stale", "")


def refused(page: Page, name: str, sentence: str, result: str = "result") -> None:
    """Wait for a refusal just below its button; the result that stands is of other inputs."""
    expect(page.locator(f"#refusal-{name}")).to_contain_text(sentence)
    is_stale(page, result)
    expect(page.get_by_test_id("toast-body")).to_have_count(0)


def is_below_its_button(page: Page, name: str, button: str) -> None:
    below = page.locator(f"#refusal-{name}").bounding_box()
    above = page.locator(f"#{button}").bounding_box()
    assert 0 < below["y"] - (above["y"] + above["height"]) < 40


def changes_of(page: Page, result: str) -> int:
    return page.evaluate("name => document.getElementById(name).changes ?? 0", result)


def await_change(page: Page, result: str, before: int) -> None:
    changed = "([name, n]) => document.getElementById(name).changes > n"
    page.wait_for_function(changed, arg=[result, before])


def send(page: Page, path: Path, content: str, result: str = "result") -> None:
    """Send a file in the File tab of the tab that is open, and wait for its first rows."""
    path.write_text(content, "utf-8")
    page.locator("[role=tab]:visible", has_text=re.compile("^File$")).click()
    before = changes_of(page, result)
    page.locator("input[type=file]").first.set_input_files(path)
    await_change(page, result, before)
    expect(page.locator(".columns")).to_be_visible()


def choose(page: Page, role: str, name: str, result: str = "result") -> None:
    before = changes_of(page, result)
    page.get_by_label(f"Column of {role}").click()
    page.get_by_role("option", name=name, exact=True).last.click()
    expect(page.get_by_label(f"Column of {role}")).to_have_value(name)
    await_change(page, result, before)


# Scores


@pytest.mark.parametrize("metric", METRICS)
def test_pasted_columns_give_what_the_package_finds(visit, metric):
    page = visit(metric)
    wanted, made = report(*MANY), estimate(ContingencyTable.from_labels(*MANY), metric)
    paste(page, *MANY)
    expect(page.locator("#signature")).to_have_text(made.signature)
    shows(page, wanted.scores[metric])
    sentence = wanted.sentence if metric == "informedness" else wanted.sentence_of(metric)
    assert sentence in page.locator("#result").inner_text()
    page.locator("#signature").click()  # selects all of it
    assert page.evaluate("getSelection().toString().trim()") == made.signature


def count_in(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix that is typed; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


def grid(page: Page) -> tuple[list[str], list[list[str]]]:
    """Return the names and the counts of the matrix."""
    rows = [
        [field.input_value() for field in row.locator("input").all()]
        for row in page.locator("#grid tbody tr").all()
    ]
    return [row[0] for row in rows], [row[1:] for row in rows]


def test_the_page_opens_on_a_filter_and_examples_load_with_a_click(visit):
    page = visit("nit")
    expect(page.get_by_role("tab", name="Matrix", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(page.locator("#grid")).to_be_visible()
    page.locator("#score-matrix").click()
    page.locator("#result .note").wait_for(state="detached")  # the story is the example's
    shows_matrix(page, [[84, 6], [2, 8]], "nit")
    for name, matrix, story in (
        ("Same model, balanced classes", [[50, 0], [50, 0]], "on data where spam is just as"),
        ("Averages disagree", [[6, 0, 0], [0, 1, 2], [4, 2, 6]], "Three classes, one of which"),
        ("Labels swapped", [[0, 50], [50, 0]], "Every answer is wrong"),
        ("Looks good", [[90, 0], [10, 0]], "A model that always answers ham"),
    ):
        page.get_by_role("button", name=name).click()
        expect(page.locator("#result .note").first).to_contain_text(story)
        shows_matrix(page, matrix, "nit")
        expect(count_in(page, 0, 0)).to_have_value(str(matrix[0][0]))


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_shared_link_shows_the_same_result_to_somebody_else(visit):
    # a class that is only predicted is not part of k: the link must keep it that way
    columns = ["no", "no", "yes"], ["no", "maybe", "yes"]
    page = visit("nit")
    paste(page, *columns)
    shows(page, report(*columns).scores["nit"])
    link = page.locator("#link").get_attribute("href")
    result = page.locator("#result").inner_text()
    other = visit("nit", link)
    shows(other, report(*columns).scores["nit"])
    expect(other.locator("#result .heat tbody th").first).to_have_text("maybe")
    assert other.locator("#result").inner_text() == result


@pytest.mark.parametrize("metric", METRICS)
def test_two_models_on_the_same_samples_get_the_paired_result_of_the_package(visit, metric):
    wanted = compare(*MODELS, metric=metric)
    assert 0 < wanted.lost < wanted.gained
    page = visit(metric)
    open_comparison(page)
    expect(page.locator("#verdict")).to_contain_text("B is better")
    paste_models(page, lines(map("\t".join, zip(*MODELS, strict=True))).split("\n"))
    expect(page.locator("#verdict")).to_have_text(str(wanted))  # three columns in the first box
    expect(page.locator("#comparison .note").first).to_contain_text("The first column was read as")
    paste_models(page, *MODELS)
    expect(page.locator("#comparison .note")).to_have_count(0)
    expect(page.locator("#paired-signature")).to_have_text(wanted.signature)
    own = page.locator("#comparison tr.own")
    assert numbers_of(own.inner_text()) == rounded(wanted.a, wanted.b, wanted.difference)


# Results that are no longer of their inputs, and refusals


def test_a_result_is_grey_until_it_is_of_the_inputs_as_they_are(visit):
    """Also when its inputs change while it is being computed."""
    page = visit()
    held = []

    def hold(route: Any) -> None:
        is_asked = "a\\nb" in (route.request.post_data or "")
        held.append(route) if is_asked else route.continue_()

    page.evaluate("""() => {
        const result = document.getElementById("result");
        let asked = result.asked;
        Object.defineProperty(result, "asked", {
            get: () => { window.hasAnswered = true; return asked; },
            set: (value) => { asked = value; },
        });
    }""")
    page.route("**/queue/join*", hold)
    paste(page, ["a", "b", "a"], ["a", "b", "b"])
    end = time.monotonic() + 300
    while not held:
        assert time.monotonic() < end
        page.evaluate("null")  # lets requests through
    before = changes_of(page, "result")
    box(page, "Predictions").focus()
    page.keyboard.press("Backspace")
    page.keyboard.type("a")
    await_change(page, "result", before + 1)
    is_stale(page)
    opacity = page.locator("#result .viz").evaluate("e => getComputedStyle(e).opacity")
    assert float(opacity) < 0.6
    held[0].continue_()
    expect(page.locator("#score")).to_have_text("0.500")
    page.wait_for_function("window.hasAnswered")
    is_stale(page)
    page.unroute("**/queue/join*")
    page.locator("#score-columns").click()
    shows(page, 1.0)


def test_a_refusal_stands_below_its_button_until_it_is_mended_and_a_list_can_be_split(visit):
    page = visit()
    paste(page, ["a", "", "b"], ["a", "b", "b"])
    refused(page, "columns", "References: line 2 is empty")
    is_below_its_button(page, "columns", "score-columns")
    expect(page.locator("#split")).to_be_hidden()
    paste(page, ["a", "a", "b"], ["a", "b", "b"])
    shows(page, 0.5)
    expect(page.locator("#refusal-columns")).to_be_hidden()
    paste(page, ["a, b, a, c"], ["[a b", " a a]"])
    refused(page, "columns", "write one label per line, not")
    page.locator("#split").click()
    shows(page, report(list("abac"), list("abaa")).scores["informedness"])
    pasted = [box(page, name).input_value().split("\n") for name in ("References", "Predictions")]
    assert pasted == [list("abac"), list("abaa")]
    expect(page.locator("#split")).to_be_hidden()
    expect(page.locator("#refusal-columns")).to_be_hidden()


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_comparison_is_greyed_as_one_types_and_refused_below_its_button(visit):
    page = visit()
    open_comparison(page)
    paste_models(page, GOLD, MODEL, [*BETTER, "a"])
    sentence = "Predictions B: Mismatch in the number of predictions (21)"
    refused(page, "compare-columns", sentence, "comparison")
    is_below_its_button(page, "compare-columns", "compare-columns")
    box(page, "Predictions B").fill(lines(BETTER))
    page.locator("#compare-columns").click()
    compared(page, GOLD, MODEL, BETTER)
    expect(page.locator("#refusal-compare-columns")).to_be_hidden()
    expect(page.locator("#verdict")).to_be_in_viewport()
    box(page, "Predictions A").fill("a")
    is_stale(page, "comparison")
    paste_models(page, [", ".join(GOLD)], [str(BETTER)], [" ".join(MODEL)])
    refused(page, "compare-columns", "write one label per line, not", "comparison")
    page.locator("#split-models").click()
    compared(page, GOLD, BETTER, MODEL)
    expect(page.locator("#split-models")).to_be_hidden()


# Files


def preview(page: Page) -> list[list[str]]:
    rows = page.locator(".columns tr").all()
    return [" ".join(row.locator("th, td").all_inner_texts()).split() for row in rows]


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_file_shows_its_columns_under_their_roles_and_is_scored_by_those_chosen(
    visit, app, tmp_path
):
    page = visit()
    texts = [f"text {i}" for i in range(20)]
    content = rows_of("text;predicted_label;true_label", texts, MODEL, GOLD, separator=";")
    send(page, tmp_path / "m.csv", content)
    expect(page.locator(".columns caption")).to_have_text("First 4 of 20 rows")
    head, first, second, *_ = preview(page)
    roles = "References column true_label Predictions column predicted_label"
    assert " ".join(head).endswith(roles)
    assert first == ["Line", "2", "a", "a"]
    assert second == ["Line", "3", "a", "b"]
    is_stale(page)  # the example that is still shown is not of this file
    for i in range(21):  # more visitors than the server keeps
        paste_as(app("informedness"), f"other-{i}", "a\nb")
    page.locator("#score-file").click()
    shows(page, report(GOLD, MODEL).scores["informedness"])
    said = "References: column 'true_label'. Predictions: column 'predicted_label'."
    expect(page.locator("#result .note").first).to_have_text(said)
    choose(page, "references", "predicted_label")
    expect(page.locator(".columns thead th").first).to_contain_text("predicted_label")
    page.locator("#score-file").click()
    refused(page, "file", "The column 'predicted_label' cannot be both references and predictions")
    is_below_its_button(page, "file", "score-file")
    choose(page, "predictions", "true_label")
    page.locator("#score-file").click()
    shows(page, report(MODEL, GOLD).scores["informedness"])
    page = visit()
    send(page, tmp_path / "ids.csv", rows_of("label,pred", texts, MODEL))
    expect(page.get_by_label("Column of predictions")).to_have_value("pred")
    expect(page.get_by_label("Column of references")).to_have_value("")
    expect(page.locator(".columns thead th").first).to_contain_text("no column yet")
    page.locator("#score-file").click()
    refused(page, "file", "Choose the column of references: the header does not say")
    choose(page, "references", "label")
    warning = "'label' holds 20 different labels in 20 rows: are these identifiers or texts?"
    expect(page.locator(".columns .note")).to_contain_text(warning)
    page.locator("#score-file").click()
    shows(page, 0.0)
    expect(page.locator("#result .note").first).to_contain_text(warning)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_two_models_in_a_file_are_compared_under_the_names_of_their_columns(visit, tmp_path):
    page = visit()
    tab(page, "Compare")
    numbers = [f"x{i}" for i in range(20)]
    content = rows_of("id,bert,gold,gpt", numbers, MODEL, GOLD, BETTER)
    send(page, tmp_path / "m.csv", content, "comparison")
    head, first, *_ = preview(page)
    chosen = zip(ROLES, ["gold", "bert", "gpt"], strict=True)
    assert " ".join(head).endswith(" ".join(f"{role} column {name}" for role, name in chosen))
    assert first == ["Line", "2", "a", "a", "a"]
    is_stale(page, "comparison")  # the example that is still shown is not of this file
    page.locator("#compare-file").click()
    compared(page, GOLD, MODEL, BETTER)
    said = "References: column 'gold'. Predictions A: column 'bert'. Predictions B: column 'gpt'."
    expect(page.locator("#comparison .note").first).to_have_text(said)
    choose(page, "predictions A", "gpt", "comparison")
    page.locator("#compare-file").click()
    sentence = "The column 'gpt' cannot be both predictions A and predictions B"
    refused(page, "compare-file", sentence, "comparison")
    is_below_its_button(page, "compare-file", "compare-file")
    choose(page, "predictions B", "bert", "comparison")
    page.locator("#compare-file").click()
    compared(page, GOLD, BETTER, MODEL)


# The matrix


def paste_into(field: Locator, text: str) -> None:
    """Paste as a spreadsheet does."""
    field.click()
    field.evaluate(
        """(field, text) => {
            const clipboardData = new DataTransfer();
            clipboardData.setData("text/plain", text);
            const options = { clipboardData, bubbles: true, cancelable: true };
            field.dispatchEvent(new ClipboardEvent("paste", options));
        }""",
        text,
    )


def test_whoever_comes_to_a_cell_by_key_mouse_or_touch_and_types_replaces_its_count(visit):
    page = visit(has_touch=True)
    for i, come in enumerate(("click", "tab", "touch")):
        page.get_by_role("button", name="Looks good").click()
        shows(page, 0.0)
        expect(count_in(page, 1, 0)).to_have_value("10")
        if come == "tab":
            count_in(page, 1, -1).focus()
            page.keyboard.press("Tab")
        else:
            cell = count_in(page, 1, 0)
            (cell.tap if come == "touch" else cell.click)()
        page.keyboard.type(f"2{i}")
        expect(count_in(page, 1, 0)).to_have_value(f"2{i}")
        count_in(page, 1, 1).click()
        page.keyboard.type("7")
        shows_matrix(page, [[90, 0], [20 + i, 7]])  # as one types, without the button
    count_in(page, 0, 0).focus()
    moves = {"ArrowDown": "1 0", "Tab": "1 1", "ArrowUp": "0 1", "Enter": "1 1"}
    for key, place in moves.items():
        page.keyboard.press(key)
        focused = "Object.values(document.activeElement.dataset).join(' ')"
        assert page.evaluate(focused) == place
    selected = "field => field.selectionEnd - field.selectionStart"
    for length in (2, 0):  # the second click places the caret
        count_in(page, 0, 0).click()
        assert count_in(page, 0, 0).evaluate(selected) == length


def test_classes_are_named_added_and_removed_with_their_counts_and_that_can_be_undone(visit):
    page = visit()
    page.get_by_role("button", name="Looks good").click()
    shows(page, 0.0)
    count_in(page, 1, 1).fill("5")
    count_in(page, 1, -1).click()
    page.keyboard.type("junk")
    shows_matrix(page, [[90, 0], [10, 5]])
    expect(page.locator("#result .heat tbody th")).to_have_text(["ham", "junk"])
    expect(page.locator("#grid thead bdi")).to_have_text(["ham", "junk"])
    label = "Reference junk, prediction ham"
    expect(count_in(page, 1, 0)).to_have_attribute("aria-label", label)
    page.get_by_role("button", name="Add a class").click()
    page.keyboard.type("eggs")  # into its name
    for column, count in enumerate("124"):
        count_in(page, 2, column).fill(count)
    shows_matrix(page, [[90, 0, 0], [10, 5, 0], [1, 2, 4]])
    rows = page.locator("#result .heat tbody tr").all_inner_texts()  # of the references
    assert [re.findall(r"\w+%?", row) for row in rows] == [
        ["ham", "90", "100%", "0", "0%", "0", "0%"],
        ["junk", "10", "67%", "5", "33%", "0", "0%"],
        ["eggs", "1", "14%", "2", "29%", "4", "57%"],
    ]
    page.get_by_role("button", name="Remove class junk").click()
    shows_matrix(page, [[90, 0], [1, 4]])
    assert grid(page) == (["ham", "eggs"], [["90", "0"], ["1", "4"]])
    page.get_by_role("button", name="Undo").click()
    shows_matrix(page, [[90, 0, 0], [10, 5, 0], [1, 2, 4]])
    assert grid(page)[0] == ["ham", "junk", "eggs"]


def test_a_pasted_block_fills_the_matrix_or_is_refused_and_changes_nothing(visit):
    page = visit()
    said = page.locator("#grid .said")
    paste_into(count_in(page, 0, 0), "\tx\ty\tz\r\nx\t1,200\t2\t0\r\ny\t3\t40\t1\r\nz\t0\t0\t8\r\n")
    shows_matrix(page, [[1200, 2, 0], [3, 40, 1], [0, 0, 8]])
    before = ["x", "y", "z"], [["1,200", "2", "0"], ["3", "40", "1"], ["0", "0", "8"]]
    assert grid(page) == before
    paste_into(count_in(page, 1, 1), "1\t2\t3\n4\t5\t6")
    expect(said).to_contain_text("A 2 \u00d7 3 block does not fit here")
    assert grid(page) == before
    paste_into(count_in(page, 0, 2), "3\n4")
    shows_matrix(page, [[1200, 2, 3], [3, 40, 4], [0, 0, 8]])
    paste_into(count_in(page, 2, -1), "junk\nfraud")
    expect(said).to_have_text("Pasted 2 names.")
    assert grid(page)[0] == ["x", "y", "junk", "fraud"]
    count_in(page, 1, 0).fill("ten")
    refused(page, "matrix", "ten (row y, column x) is not a count")
    count_in(page, 1, 0).fill("1,234")
    shows_matrix(page, [[1200, 2, 3, 0], [1234, 40, 4, 0], [0, 0, 8, 0], [0, 0, 0, 0]])
    expect(page.locator("#refusal-matrix")).to_be_hidden()


# Simulation


def drag(page: Page, chart: str, share: float) -> None:
    """Drag the point of a chart to a place from 0 to 1 of its axis."""
    page.locator(f"#{chart} svg[role=img]").scroll_into_view_if_needed()
    handle = page.locator(f"#{chart} .handle").bounding_box()
    drawing = page.locator(f"#{chart} svg[role=img]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(drawing["x"] + drawing["width"] * (165 + 300 * share) / 520, y, steps=4)
    page.mouse.up()


def expected(ability: float, shares: list[float]) -> dict[str, float]:
    """Return the scores of a classifier that guesses like the classes."""
    shares = [share / sum(shares) for share in shares]
    cells = [
        [p * (ability * (i == j) + (1 - ability) * g) for j, g in enumerate(shares)]
        for i, p in enumerate(shares)
    ]
    return Report.from_table(ContingencyTable.from_matrix(cells)).scores


def test_the_ability_is_moved_by_slider_and_by_dragging_and_the_chart_tells_its_values(visit):
    page = visit()
    tab(page, "Simulate")
    chart = page.locator("#over-ability")
    slider = page.locator("#ability input[type=range]")
    point = chart.locator(".handle")
    before = [float(point.get_attribute(name)) for name in ("cx", "cy")]
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(chart.locator("caption")).to_have_text("Ability = 0.50")
    expect(chart.locator("tr.own")).to_contain_text("0.500")  # knowing half is Informedness 0.5
    after = [float(point.get_attribute(name)) for name in ("cx", "cy")]
    assert after[0] > before[0]  # more ability
    assert after[1] < before[1]  # a higher score
    drag(page, "over-ability", 0.8)
    ability = float(slider.input_value())
    assert ability == pytest.approx(0.8, abs=0.011)
    expect(chart.locator("caption")).to_have_text(f"Ability = {ability:.2f}")
    expect(chart.locator("tr.own")).to_contain_text(f"{ability:.3f}")
    known = f"{100 * ability:.0f} known"
    expect(page.locator("#simulation .squares")).to_contain_text(known)
    drawing = chart.locator("svg[role=img]").bounding_box()
    page.mouse.move(drawing["x"] + drawing["width"] * (165 + 300 * 0.7) / 520, drawing["y"] + 50)
    expect(chart.locator("caption")).to_have_text("Ability = 0.70")
    for name in ("accuracy", "informedness", "nit"):
        wanted = f"{expected(0.7, [90, 10])[name]:.3f}"
        expect(chart.locator(f"[data-score={name}]")).to_have_text(wanted)
    page.mouse.move(5, 5)
    expect(chart.locator("caption")).to_have_text(f"Ability = {ability:.2f}")


def test_class_shares_are_typed_counted_and_moved_with_the_keyboard_and_the_pointer(visit):
    page = visit()
    tab(page, "Simulate")
    border = page.locator(".shares .border")
    border.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    shares = page.locator("#shares input, #shares textarea")
    expect(shares).to_have_value("85, 15")
    expect(border).to_be_focused()
    assert border.get_attribute("aria-valuenow") == "85.0"
    expect(page.locator(".shares .share").first).to_have_text("85%")
    expect(page.locator("#over-share caption")).to_have_text("Share of class 1 = 0.85")
    bar, at = page.locator(".shares").bounding_box(), border.bounding_box()
    page.mouse.move(at["x"] + 6, at["y"] + 20)
    page.mouse.down()
    page.mouse.move(bar["x"] + bar["width"] * 0.4, at["y"] + 20, steps=4)
    page.mouse.up()
    expect(shares).to_have_value("40, 60")
    page.keyboard.press("Home")
    expect(shares).to_have_value("1, 99")
    expect(page.locator("#over-share caption")).to_have_text("Share of class 1 = 0.01")
    drag(page, "over-share", 0.5)
    expect(shares).to_have_value(re.compile(r"(49|50|51)"))
    first, second = map(float, shares.input_value().split(","))
    assert first + second == pytest.approx(100)
    nit = f"{expected(0.4, [first, second])['nit']:.3f}"
    expect(page.locator("#over-share tr", has_text="NIT")).to_contain_text(nit)
    expect(page.locator("#over-share tr.own")).to_contain_text("0.400")
    page.get_by_label("number input for Number of classes").fill("4")
    page.keyboard.press("Tab")
    expect(page.locator("#simulation-shares .heat tbody tr")).to_have_count(4)
    expect(page.locator(".shares .share")).to_have_count(4)
    shares.fill("50 30 20")
    page.keyboard.press("Tab")
    expect(page.locator(".shares .share")).to_have_text(["50%", "30%", "20%"])
    expect(page.locator("#simulation-shares .heat tbody tr")).to_have_count(3)
    page.locator("#draw").click()
    said = page.locator("#sampled [role=status]")
    expect(said).to_contain_text("10 draws of 50 samples")
    before = said.inner_text()
    page.locator("#draw").click()
    expect(said).not_to_have_text(before)  # a new draw is another one
    shares.fill("50, many")
    toast = page.get_by_test_id("toast-body").first
    expect(toast).to_contain_text("The class shares must be numb")


# Labels are text


def heat_labels(page: Page) -> list[str]:
    """Return the labels of the rows of the first heat map."""
    return page.locator("#result .heat").first.locator("tbody th").all_inner_texts()


def test_labels_in_boxes_cells_and_files_execute_nothing_and_appear_as_text(visit, tmp_path):
    page = visit()
    columns = [*HOSTILE, HOSTILE[0]], [*HOSTILE, HOSTILE[1]]
    paste(page, *columns)
    shows(page, report(*columns).scores["informedness"])
    assert sorted(heat_labels(page)) == sorted(HOSTILE)
    assert page.locator("#result script, #result img:not([role]), #result svg[onload]").count() == 0
    paste(page, ["ham", OVERRIDE], ["ham", OVERRIDE])
    expect(page.locator("#result .heat")).to_contain_text(r"'ham\u202emaps'")
    assert "\u202e" not in page.locator("#result").inner_text()
    header = f'"{HOSTILE[1].replace(chr(34), chr(34) * 2)}",<script>window.executed = 9</script>'
    path = tmp_path / "<img src=x onerror=window.executed=8>.csv"
    send(page, path, f"{header}\nham,ham\nspam,ham\nspam,spam\n")
    choose(page, "references", HOSTILE[1])
    choose(page, "predictions", "<script>window.executed = 9</script>")
    page.locator("#score-file").click()
    shows(page, 0.5)
    tab(page, "Matrix")
    paste_into(count_in(page, 0, 0), f"\t{HOSTILE[1]}\tb\n{HOSTILE[1]}\t5\t1\nb\t1\t5")
    shows_matrix(page, [[5, 1], [1, 5]])
    assert page.locator("#grid thead bdi").first.inner_text() == HOSTILE[1]
    count_in(page, 0, 0).fill(HOSTILE[1])
    refused(page, "matrix", HOSTILE[1][:40])
    open_comparison(page)
    paste_models(page, *[HOSTILE] * 3)
    expect(page.locator("#comparison .heat").first).to_contain_text(HOSTILE[1])


def test_labels_of_a_link_execute_nothing_in_the_matrix_they_fill(visit):
    n = len(HOSTILE)
    counts = [str(int(i == j)) for i in range(n) for j in range(n)]
    query = [("class", label) for label in HOSTILE] + [("counts", ",".join(counts))]
    page = visit(query=f"?{urlencode(query, safe=',')}")
    shows(page, 1.0)
    expect(page.locator("#grid thead bdi").nth(1)).to_have_text(HOSTILE[1])
    expect(count_in(page, 0, -1)).to_have_value(HOSTILE[0])
    assert heat_labels(page) == HOSTILE
    page.locator("#score-matrix").click()
    expect(page.locator("#link")).to_be_visible()
    shows(page, 1.0)
    label = "<img src=x onerror=window.executed=10>"
    page = visit(query=f"?class={quote(label)}&class={quote(label)}&counts=1,0,0,1")
    sentence = f"list each class once, '{label}' is listed twice"
    expect(page.locator("#refusal-link")).to_contain_text(sentence)


# Everybody can use it


@pytest.mark.parametrize(("metric", "scheme"), [("informedness", "light"), ("nit", "dark")])
def test_a_phone_shows_every_tab_without_scrolling_sideways(visit, metric, scheme):
    page = visit(metric, color_scheme=scheme, **PHONE)
    width = PHONE["viewport"]["width"]
    paste_into(count_in(page, 0, 0), lines(["\t".join(["1000"] * 8)] * 8))
    shows_matrix(page, [[1000] * 8] * 8, metric)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    last = count_in(page, 7, 7)
    last.tap()
    page.keyboard.type("5")
    expect(last).to_have_value("5")
    page.locator("#score-matrix").tap()
    expect(page.locator("#score")).to_be_in_viewport()  # brought there, below the buttons
    _, references, predictions = samples_of(12)
    long = "a rather long name of a class, " * 6
    paste(page, [*references, long], [*predictions, long])
    expect(page.locator("#result .heat tbody tr")).to_have_count(13)
    expect(page.locator("#score")).to_be_in_viewport()
    name = page.locator("#result .heat tbody th").first
    for size in (width, 1200, width):  # names of rows stay while a matrix scrolls in its own box
        page.set_viewport_size({"width": size, "height": 700})
        before = name.bounding_box()["x"]
        scroll = "e => { e.parentElement.scrollLeft = 99; return e.parentElement.scrollLeft; }"
        scrolled = page.locator("#result .heat").evaluate(scroll)
        assert scrolled == 99 or size == 1200
        assert name.bounding_box()["x"] == pytest.approx(before, abs=1)
        assert page.evaluate("document.documentElement.scrollWidth") <= size
    contents = ("#over-ability", "#verdict", ".cm-content", "#score")
    for name, content in zip(TABS, contents, strict=True):
        tab(page, name)
        expect(page.locator(content).first).to_be_visible()
        found = page.evaluate("document.documentElement.scrollWidth")
        assert found <= width, (name, found)
    tab(page, "Simulate")
    chart, slider = page.locator("#over-ability"), page.locator("#ability")
    expect(slider).to_be_visible()
    assert chart.bounding_box()["y"] < slider.bounding_box()["y"]
    outside = """svg => [...svg.querySelectorAll("text")].filter(text => {
        const [inner, outer] = [text.getBoundingClientRect(), svg.getBoundingClientRect()];
        return inner.left < outer.left - 1 || inner.right > outer.right + 1;
    }).map(text => text.textContent)"""
    assert chart.locator("svg[role=img]").evaluate(outside) == []


def test_the_keyboard_alone_reaches_and_presses_every_control(visit):
    page = visit()
    page.keyboard.press("Tab")
    focused = "document.activeElement.id || document.activeElement.innerText.trim()"
    wanted = ["Score", "Matrix", "score-matrix", "Looks good", "Labels swapped", "link"]
    for _ in range(150):  # round and round: what still loads is passed over once
        if page.evaluate(focused) == wanted[0]:
            wanted.pop(0)
        if not wanted:
            break
        if page.evaluate(focused) == "Labels swapped":
            page.keyboard.press("Enter")
            shows(page, -1.0)
        page.keyboard.press("Tab")
    assert wanted == []


UNNAMED = """() => [...document.querySelectorAll('input, textarea, button')].filter(e =>
    e.offsetParent && !e.labels?.length && !e.ariaLabel && !e.innerText && !e.title
).map(e => e.outerHTML)"""
MOVING = """() => [...document.querySelectorAll("*")].filter(e => {
    const style = getComputedStyle(e);
    return Math.max(...style.transitionDuration.split(",").map(parseFloat)) > 0.01;
}).length"""


@pytest.mark.parametrize(("metric", "scheme"), [("informedness", "light"), ("nit", "dark")])
def test_every_tab_is_named_in_order_still_and_without_serious_findings_of_axe(
    visit, metric, scheme
):
    page = visit(metric, color_scheme=scheme, reduced_motion="reduce")
    # Gradio's own loader, which asks otherwise, may still be there.
    page.wait_for_function(f"({MOVING})() === 0")
    for name in TABS:
        tab(page, name)
        assert page.evaluate(UNNAMED) == [], name
        headings = page.locator("h1:visible, h2:visible, h3:visible, h4:visible, h5:visible")
        levels = headings.evaluate_all("all => all.map(e => Number(e.tagName[1]))")
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), (name, levels)
        found = Axe().run(page, options={"resultTypes": ["violations"]})
        serious = [
            (violation["id"], violation["nodes"][0]["html"])
            for violation in found.response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == [], name
        if name == "Use it":
            heading = page.get_by_role("heading", name=f"Metric Card for {TITLES[metric]}")
            expect(heading).to_be_visible()
            expect(page.get_by_text("sdk_version")).to_have_count(0)
            expect(page.get_by_label("Code input container")).to_have_count(1)
            code = page.locator(".cm-content").first
            expect(code).to_contain_text(f'{metric} = evaluate.load("{metric}")')
    for chart in page.locator("svg[role=img]").all():
        assert len(chart.get_attribute("aria-label")) > 40
    drawn = "svg:not([role=img]):not([aria-hidden=true] *)"
    undescribed = page.locator(", ".join(f"#{x} {drawn}" for x in ("result", "simulation")))
    expect(undescribed).to_have_count(0)  # once the wheel of a page that loads is gone
    curves = page.locator("#over-ability td path.line")
    style = "path => { const s = getComputedStyle(path); return [s.stroke, s.strokeDasharray]; }"
    styles = {line.get_attribute("class"): line.evaluate(style) for line in curves.all()}
    assert len(styles) == len(REPORTED)
    assert len({stroke for stroke, _ in styles.values()}) == len(REPORTED)
    assert len({dashes for _, dashes in styles.values()}) == len(REPORTED) - 1  # two have none
    third = curves.first
    third.evaluate("path => path.setAttribute('class', 'line line-third')")  # a score not listed
    assert third.evaluate(style)[0] == third.evaluate("path => getComputedStyle(path).color")


# What the server refuses and keeps


def test_the_browser_is_told_to_load_nothing_from_another_host(app):
    with urllib.request.urlopen(app("nit")) as answer:
        policy, page = answer.headers["content-security-policy"], answer.read().decode()
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    assert not re.search(
        r'(preconnect|stylesheet|src)="?[^>]*https?://(?!127)', page.split("<body")[0]
    )


@pytest.mark.parametrize(("size", "status"), [(9_000_000, 200), (11_000_000, 413)])
def test_the_server_itself_refuses_large_uploads(app, size, status):
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    body = head + b"a" * size + b"\r\n--x--\r\n"
    url = app("informedness") + "gradio_api/upload"
    answer = post(url, body, "multipart/form-data; boundary=x")
    assert answer[0] == status
    assert "10000000 bytes" in answer[1] or status == 200


def test_the_server_refuses_any_request_above_20_million_bytes(app):
    body = json.dumps({"data": ["a" * 20_000_000]}).encode()
    status, sentence = post(app("informedness") + "gradio_api/call/score", body)
    assert status == 413
    assert sentence.startswith("A request can have at most 20,000,000 bytes, this one has 20,0")


def memory_of(process_id: int) -> int:
    """Return the bytes of memory that a process holds."""
    status = Path(f"/proc/{process_id}/status").read_text("utf-8")
    return 1024 * int(re.search(r"VmRSS:\s+(\d+)", status)[1])


def paste_as(url: str, visitor: str, text: str) -> None:
    """Score a text in both boxes, as another visitor."""
    with urllib.request.urlopen(f"{url}config") as answer:
        config = json.load(answer)
    boxes = [x["id"] for x in config["components"] if x["type"] == "textbox"]
    event = next(x["id"] for x in config["dependencies"] if x["inputs"] == boxes[:2])
    call = {"data": [text, text], "fn_index": event, "session_hash": visitor}
    post(f"{url}gradio_api/queue/join", json.dumps(call).encode())
    with urllib.request.urlopen(f"{url}gradio_api/queue/data?session_hash={visitor}") as said:
        assert "process_completed" in said.read().decode()


def test_what_the_server_keeps_of_its_visitors_is_bounded(app):
    url = app("nit")
    for i in range(22):
        paste_as(url, f"early-{i}", "a" * 1_900_000)
    before = memory_of(app.processes["nit"])
    for i in range(40):
        paste_as(url, f"later-{i}", "a" * 1_900_000)
    grown = memory_of(app.processes["nit"]) - before
    assert grown < 110_000_000  # of 152 MB that they sent
