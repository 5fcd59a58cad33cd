"""What people do with the page, in a browser, in the app as it is staged and served."""

import itertools
import json
import re
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest
from axe_playwright_python.sync_playwright import Axe
from drawn import BETTER, GOLD, HOSTILE, METRICS, MODEL, OVERRIDE, lines, post, rows_of
from playwright.sync_api import Locator, Page, expect

from informedness import ContingencyTable, compare, report
from informedness.statistics.registry import REPORTED

pytestmark = pytest.mark.full

CONTENTS = {
    "Simulate": "#over-ability",
    "Compare": "#difference",
    "Use it": "#card",
    "Score": "#score",
}
WIDTHS = (320, 899, 900, 1920)
ROLES = ("References", "Predictions A", "Predictions B")


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
    score = page.locator("#result:not([data-stale]) #score")
    expect(score).to_have_text(re.compile(f"^({value:.2f}|{value:.3f})$"))


def shows_matrix(page: Page, matrix: list[list[int]]) -> None:
    shows(page, ContingencyTable.from_matrix(matrix).informedness())


def example(page: Page, name: str) -> None:
    page.locator("#examples").get_by_text(name).click()


def unfold(page: Page, name: str) -> None:
    page.locator(f"[data-fold='{name}']:visible > summary").click()


def compared(page: Page, *columns: list[str]) -> None:
    """Wait for a comparison, as an answer to the inputs as they are."""
    verdict = page.locator("#comparison:not([data-stale]) #verdict")
    expect(verdict).to_have_text(str(compare(*columns)))


def is_stale(page: Page, result: str = "result") -> None:
    expect(page.locator(f"#{result}")).to_have_attribute("data-stale", "")


def refused(page: Page, name: str, sentence: str, result: str = "result") -> None:
    """Wait for a refusal; the result that still stands is of other inputs."""
    expect(page.locator(f"#refusal-{name}")).to_contain_text(sentence)
    is_stale(page, result)
    expect(page.get_by_test_id("toast-body")).to_have_count(0)


def changes_of(page: Page, result: str) -> int:
    return page.evaluate("name => document.getElementById(name).changes ?? 0", result)


def await_change(page: Page, result: str, before: int) -> None:
    changed = "([name, n]) => document.getElementById(name).changes > n"
    page.wait_for_function(changed, arg=[result, before])


def send(page: Page, path: Path, content: str) -> None:
    """Send a file in the File tab of a page that has none yet, and wait for its first rows."""
    path.write_text(content, "utf-8")
    tab(page, "File")
    before = changes_of(page, "result")
    page.locator("input[type=file]").set_input_files(path)
    await_change(page, "result", before)
    expect(page.locator(".columns")).to_be_visible()


def choose(page: Page, role: str, name: str) -> None:
    before = changes_of(page, "result")
    page.get_by_label(f"Column of {role}").click()
    page.get_by_role("option", name=name, exact=True).last.click()
    expect(page.get_by_label(f"Column of {role}")).to_have_value(name)
    await_change(page, "result", before)


def hold(page: Page, text: str) -> list[Any]:
    """Hold back each request to the server with this text; return the list where they will be."""
    held: list[Any] = []

    def keep(route: Any) -> None:
        is_asked = text in (route.request.post_data or "")
        held.append(route) if is_asked else route.continue_()

    page.route("**/queue/join*", keep)
    return held


def release(page: Page, held: list[Any]) -> None:
    """Wait for a request that is held back, and let it through."""
    end = time.monotonic() + 300
    while not held:
        assert time.monotonic() < end
        page.evaluate("null")  # lets requests through
    held[0].continue_()
    page.unroute("**/queue/join*")


# Scores


def count_in(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix that is typed; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


def grid(page: Page) -> list[str]:
    """Return what is in the fields of the matrix, names and counts, row by row."""
    return [field.input_value() for field in page.locator("#grid tbody input").all()]


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_shared_link_shows_the_same_result_to_somebody_else(visit):
    # a class that is only predicted is not part of k: the link must keep it that way
    columns = ["no", "no", "yes"], ["no", HOSTILE[1], "yes"]
    page = visit("nit")
    paste(page, *columns)
    shows(page, report(*columns).scores["nit"])
    told = page.locator("#result, #result-details").all_text_contents()
    visit("nit", page.locator("#link").get_attribute("href"))
    shows(page, report(*columns).scores["nit"])
    expect(page.locator("#result-details .heat tbody th").first).to_have_text(HOSTILE[1])
    expect(count_in(page, 0, -1)).to_have_value(HOSTILE[1])
    assert page.locator("#result, #result-details").all_text_contents() == told


# The story


def box_of(page: Page, selector: str) -> dict[str, float]:
    return page.locator(selector).first.bounding_box()


@pytest.mark.parametrize("metric", METRICS)
def test_a_phone_shows_the_whole_story_first_then_the_inputs_then_folded_details(visit, metric):
    page = visit(metric, "?", width=390)
    tops = []
    for part in ("#lead", ".squares figure", "#score", "#scale"):
        box = box_of(page, part)
        tops.append(box["y"])
        assert box["y"] + box["height"] <= 844, part
    fields = [page.locator("#result figure svg").nth(i).bounding_box() for i in (0, 1)]
    assert fields[0]["y"] == fields[1]["y"]
    assert fields[0]["x"] + fields[0]["width"] <= fields[1]["x"]
    tops += [box_of(page, part)["y"] for part in ("#asked", "#result-details")]
    assert tops == sorted(tops)
    expect(page.locator("#result-details [open]")).to_have_count(0)
    assert page.locator("#result-details h3").first.inner_text() == "Matrix"
    assert page.locator("#result .key").count() == 1
    tab(page, "Simulate")
    page.evaluate("scrollTo(0, 0)")
    for part in ("#ability", "#over-ability > svg", "#over-ability table"):
        box = box_of(page, part)
        assert box["y"] + box["height"] <= 844, part
    sizes = "all => all.map(one => one.getBoundingClientRect().height)"
    assert min(page.locator("#over-ability text").evaluate_all(sizes)) >= 12
    page.set_viewport_size({"width": 1280, "height": 800})
    tab(page, "Score")
    assert box_of(page, "#asked")["x"] < box_of(page, "#result")["x"]
    assert abs(box_of(page, "#asked")["y"] - box_of(page, "#result")["y"]) < 24


def test_the_chip_of_the_example_that_is_open_is_marked_and_what_was_unfolded_stays_so(visit):
    page = visit(query="?")
    marked = page.locator("#examples input:checked")
    expect(marked).to_have_value("Knows something")
    unfold(page, "Matrix")
    example(page, "Labels swapped")
    expect(page.locator("#score")).to_have_text("-1.000")
    expect(marked).to_have_value("Labels swapped")
    expect(page.locator("#result .told")).to_contain_text("Every answer is wrong")
    expect(page.locator("[data-fold=Matrix]").first).to_have_attribute("open", "")
    count_in(page, 0, 0).fill("50")
    expect(marked).to_have_count(0)
    expect(page.locator("#result .told")).to_have_count(0)
    example(page, "Labels swapped")
    expect(marked).to_have_value("Labels swapped")
    shows(page, -1.0)  # else this answer would come into the next test


YES_NO = ["yes", "no"] * 10
GROUPS = [label for label in "abcdefghij" for _ in range(10)]
MEANT = {  # references, predictions, what is said, and where
    "more known than right": (GROUPS, ["a"] * 50 + ["f"] * 50, "Above accuracy", "#verdict"),
    "one class": (["a"] * 20, ["a"] * 19 + ["b"], "nothing to tell apart", "#lead"),
    "missing": ([*YES_NO, "NA"], [*YES_NO, "no"], "Leave out rows", "refused"),
    "scores": (YES_NO, [f"0.{i}" for i in range(10, 30)], "none in common with", ".warning"),
    "nothing in common": (YES_NO, ["1", "0"] * 10, "none in common with", ".warning"),
    "another case": (["yes", "no", "Yes"], ["yes", "no", "yes"], "differ only in case", ".warning"),
}
TOTALS = "\ta\tb\tTotal\na\t5\t1\t6\nb\t2\t4\t6\nTotal\t7\t5\t12"
BLOCKS = {  # pasted into the matrix, and why they are refused
    "Predicted / actual\ta\tb\na\t1\t2\nb\t3\t4": "swap rows and columns if it is right",
    TOTALS: "are the sums of the others",
    TOTALS.replace("5", "1.200"): "1.200 could be a number of thousands",
}


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_labels_and_matrices_that_may_not_be_what_was_meant_are_told_or_refused(visit):
    page = visit()
    for name, (references, predictions, sentence, where) in MEANT.items():
        paste(page, references, predictions)
        if where == "refused":
            refused(page, "score-columns", sentence)
        else:
            found = page.locator(f"#result {where}", has_text=sentence)
            expect(found, name).to_have_count(1)
    tab(page, "Matrix")
    for text, sentence in BLOCKS.items():
        paste_into(count_in(page, 0, 0), text)
        expect(page.locator("#grid .said")).to_contain_text(sentence)
    paste_into(count_in(page, 0, 0), "\ta\tb\na\t5\t1\nb\t2\t4")
    shows_matrix(page, [[5, 1], [2, 4]])
    paste_into(count_in(page, 0, 0), "0,9\t0,1\n0,25\t0,75")  # decimal commas
    shows(page, 0.65)
    expect(
        page.locator("#result .warning", has_text="sums to 1: if these are shares")
    ).to_have_count(1)
    page.keyboard.press("Control+z")
    shows_matrix(page, [[5, 1], [2, 4]])


# Results that are no longer of their inputs, and refusals


def test_a_result_is_stale_until_it_is_of_the_inputs_as_they_are(visit):
    """Also when its inputs change while it is being computed."""
    page = visit()
    page.evaluate("""() => {
        const result = document.getElementById("result");
        let asked = result.asked;
        Object.defineProperty(result, "asked", {
            get: () => { window.hasAnswered = true; return asked; },
            set: (value) => { asked = value; },
        });
    }""")
    held = hold(page, "a\\nb")
    paste(page, ["a", "b", "a"], ["a", "b", "b"])
    before = changes_of(page, "result")
    box(page, "Predictions").fill("a\nb\na")
    await_change(page, "result", before)
    is_stale(page)
    release(page, held)
    expect(page.locator("#score")).to_have_text("0.50")
    page.wait_for_function("window.hasAnswered")
    is_stale(page)
    page.locator("#score-columns").click()
    shows(page, 1.0)


def test_a_result_comes_into_view_unless_somebody_has_gone_on_to_something_else(visit):
    """Else it would take away the tab under the pointer that presses it."""
    page = visit(query="?", width=390)
    paste(page, GOLD, MODEL)
    score = report(GOLD, MODEL).scores["informedness"]
    shows(page, score)
    expect(page.locator("#lead")).to_be_in_viewport()
    box(page, "References").fill(lines(GOLD).upper())
    held = hold(page, "A\\n")
    box(page, "Predictions").fill(lines(MODEL).upper())
    page.locator("#score-columns").click()
    page.get_by_role("tab", name="File", exact=True).hover()
    page.mouse.down()
    release(page, held)
    shows(page, score)
    page.evaluate("new Promise((go) => requestAnimationFrame(() => requestAnimationFrame(go)))")
    page.mouse.up()
    expect(page.locator("input[type=file]")).to_be_attached()


def test_a_refusal_stands_until_it_is_mended_and_a_list_can_be_split(visit):
    page = visit()
    paste(page, ["a", "", "b"], ["a", "b", "b"])
    refused(page, "score-columns", "an empty cell, or text such as NA in 1 of 3 rows")
    expect(page.locator("#score-split")).to_be_hidden()
    paste(page, ["a, b, a, c"], ["[a b", " a a]"])
    refused(page, "score-columns", "write one label per line, not")
    page.locator("#score-split").click()
    shows(page, report(list("abac"), list("abaa")).scores["informedness"])
    pasted = [box(page, name).input_value().split("\n") for name in ("References", "Predictions")]
    assert pasted == [list("abac"), list("abaa")]
    expect(page.locator("#refusal-score-columns")).to_be_hidden()


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_comparison_is_stale_as_one_types_and_refused(visit):
    page = visit(query="?")
    open_comparison(page)
    expect(page.locator("#verdict").last).to_contain_text("B is better")
    paste_models(page, GOLD, MODEL, [*BETTER, "a"])
    sentence = "20 in References, 20 in Predictions A, 21 in Predictions B"
    refused(page, "compare-columns", sentence, "comparison")
    box(page, "Predictions B").fill(lines(BETTER))
    page.locator("#compare-columns").click()
    compared(page, GOLD, MODEL, BETTER)
    signature = compare(GOLD, MODEL, BETTER).signature
    expect(page.locator("#paired-signature")).to_have_text(signature)
    expect(page.locator("#refusal-compare-columns")).to_be_hidden()
    box(page, "Predictions A").fill("a")
    is_stale(page, "comparison")


# Files


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_a_file_shows_its_columns_and_is_scored_by_those_chosen(visit, app, tmp_path):
    page = visit(query="?")
    texts = [f"text {i}" for i in range(20)]
    content = rows_of("text;prediction;label;gold", texts, MODEL, GOLD, BETTER, separator=";")
    send(page, tmp_path / "m.csv", content)
    expect(page.locator(".columns caption")).to_have_text("First 4 of 20 rows")
    is_stale(page)  # the example that is still shown is not of this file
    paste_as_many(app("informedness"), "a\nb", 21)  # more visitors than the server keeps
    page.locator("#score-file").click()
    refused(page, "score-file", "Choose the column of references: the header does not say")
    choose(page, "references", "label")
    page.locator("#score-file").click()
    shows(page, report(GOLD, MODEL).scores["informedness"])
    expect(page.locator("#result .taken")).to_contain_text("not used: text, gold")
    choose(page, "references", "prediction")
    page.locator("#score-file").click()
    refused(page, "score-file", "The column 'prediction' can have one role only")
    choose(page, "predictions", "label")
    page.locator("#score-file").click()
    shows(page, report(MODEL, GOLD).scores["informedness"])
    expect(page.locator("#result .taken")).to_contain_text("the names say the opposite")
    choose(page, "references", "gold")
    page.locator("#score-file").click()
    shows(page, report(BETTER, GOLD).scores["informedness"])
    choose(page, "references", "text")
    expect(page.locator(".columns tbody")).to_contain_text("text 3")


def test_a_column_of_counts_is_read_as_counts_only_if_it_is_chosen(visit, tmp_path):
    page = visit(query="?")
    send(page, tmp_path / "m.csv", "gold,model,count\na,a,90\na,b,10\nb,b,45\nb,a,5\n")
    page.locator("#score-file").click()
    shows(page, 0.0)
    expect(page.locator("#result .taken")).to_contain_text('name it as "Column of counts"')
    page.get_by_role("button", name="Options").click()
    choose(page, "counts", "count")
    page.locator("#score-file").click()
    shows(page, 0.8)


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
    page = visit()
    for i, come in enumerate(("click", "tab", "touch")):
        example(page, "Looks good")
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


def test_names_of_fourteen_letters_are_not_cut_and_longer_ones_leave_both_fields_as_large(visit):
    names = ["Spätzündung beim Anlassen", *(f"Wiederholung {i}{i}" for i in range(5))]
    query = f"?counts={','.join(['7'] * 36)}&" + "&".join(f"class={x}" for x in names)
    page = visit(query=query, width=390)
    shows(page, 0.0)
    expect(page.locator("#lead")).to_contain_text(names[0])
    fields = [page.locator("#result figure svg").nth(i).bounding_box() for i in (0, 1)]
    assert fields[0]["width"] == fields[1]["width"]
    assert fields[1]["x"] + fields[1]["width"] <= 390
    unfold(page, "Matrix")
    heads = page.locator("#result-details .heat thead .label")
    expect(heads).to_have_text(names)
    cut = "all => all.slice(1).filter(one => one.scrollHeight > one.clientHeight + 1).length"
    assert heads.evaluate_all(cut) == 0


def test_classes_are_named_added_and_removed_with_their_counts_and_that_can_be_undone(visit):
    page = visit()
    example(page, "Looks good")
    expect(count_in(page, 1, 0)).to_have_value("10")  # what comes later would undo what is typed
    count_in(page, 1, 1).fill("5")
    count_in(page, 1, -1).click()
    page.keyboard.type("junk")
    shows_matrix(page, [[90, 0], [10, 5]])
    expect(page.locator("#result-details .heat tbody th")).to_have_text(["ham", "junk"])
    page.get_by_role("button", name="Add a class").click()
    page.keyboard.type("eggs")  # into its name
    for column, count in enumerate("124"):
        count_in(page, 2, column).fill(count)
    shows_matrix(page, [[90, 0, 0], [10, 5, 0], [1, 2, 4]])
    page.get_by_role("button", name="Remove class junk").click()
    shows_matrix(page, [[90, 0], [1, 4]])
    assert grid(page) == ["ham", "90", "0", "eggs", "1", "4"]
    page.get_by_role("button", name="Undo").click()
    shows_matrix(page, [[90, 0, 0], [10, 5, 0], [1, 2, 4]])
    assert grid(page)[::4] == ["ham", "junk", "eggs"]


# Simulation


def shares_box(page: Page) -> Locator:
    return page.locator("#shares input, #shares textarea")


def test_a_simulation_has_the_ability_and_the_shares_that_are_set_and_draws_anew(visit):
    page = visit(query="?")
    tab(page, "Simulate")
    chart = page.locator("#over-ability")
    shown = ["Accuracy", "F1-macro", "Informedness", "NIT"]
    expect(chart.locator("th")).to_have_text(shown)
    page.locator("#draw").click()
    said = page.locator("#sampled [role=status]")
    expect(said).to_contain_text(re.compile(r"\d+ draws of 50 samples"))  # some may be of one class
    page.locator("#ability input[type=range]").focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(chart.locator("caption")).to_have_text("Ability = 50%")
    expect(chart.locator("[data-score=informedness]")).to_have_text("0.500")
    is_stale(page, "sampled")  # these are draws of another model
    before = said.inner_text()
    page.locator("#draw").click()
    expect(said).not_to_have_text(before)
    expect(said).to_contain_text("the model itself scores 0.500")
    expect(page.locator("#sampled")).not_to_have_attribute("data-stale", "")
    page.locator(".shares .border").focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    expect(shares_box(page)).to_have_value("85, 15")
    cells = [[0.85 * 0.925, 0.85 * 0.075], [0.15 * 0.425, 0.15 * 0.575]]  # of ability 0.5
    nit = f"{ContingencyTable.from_matrix(cells).nit():.3f}"
    expect(page.locator("#over-share tr", has_text="NIT")).to_contain_text(nit)
    shares_box(page).fill("50, 10, 10, 10, 10, 10")
    page.keyboard.press("Tab")
    cells = page.locator("#simulation-shares .heat td")
    expect(cells).to_have_count(36)
    expect(cells.first).to_have_text(re.compile(r"^\d+%$"))
    expect(page.locator("#simulation-shares")).not_to_contain_text("Most confused")
    page.get_by_label("Show all scores").check()
    expect(chart.locator("th")).to_have_count(len(REPORTED))


def test_shares_are_read_as_meant_or_refused_under_their_box(visit):
    page = visit()
    tab(page, "Simulate")
    parts = page.locator(".shares .share")
    for written, wanted in (
        ("33,3; 66,7", ["33.3%", "66.7%"]),
        ("1;1;2", ["25%", "25%", "50%"]),
        ("92.9 7.1", ["92.9%", "7.1%"]),
    ):
        shares_box(page).fill(written)
        page.keyboard.press("Enter")
        expect(parts).to_have_text(wanted)
        expect(page.locator("#refusal-shares")).to_be_hidden()
    box = parts.last.bounding_box()  # too narrow for its number, which is out of sight
    assert parts.last.locator("b").bounding_box()["y"] >= box["y"] + box["height"]
    for written, sentence in (
        ("33,3 66,7", "could separate shares or decimals"),
        ("-5, 105", "none below 0"),
        ("0, 0", "not all 0"),
        ("nan, 1", "must be a list of numbers"),
        ("50, many", "must be numbers, for example 90, 10"),
        ("100", "2 to 50 classes"),
    ):
        shares_box(page).fill(written)
        page.keyboard.press("Enter")
        refused(page, "shares", sentence, "simulation")
        is_stale(page, "share-bar")
        expect(parts).to_have_text(["92.9%", "7.1%"])


# Labels are text


def test_labels_in_boxes_cells_and_files_execute_nothing_and_appear_as_text(visit, tmp_path):
    page = visit(query="?")
    columns = [*HOSTILE, HOSTILE[0]], [*HOSTILE, HOSTILE[1]]
    paste(page, *columns)
    shows(page, report(*columns).scores["informedness"])
    labels = page.locator("#result-details .heat tbody th").all_text_contents()
    assert sorted(map(str.strip, labels)) == sorted(HOSTILE)
    assert page.locator(".viz script, .viz img:not([role]), .viz svg[onload]").count() == 0
    paste(page, ["ham", OVERRIDE], ["ham", OVERRIDE])
    expect(page.locator("#result-details .heat")).to_contain_text(r"'ham\u202emaps'")
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
    expect(page.locator("#comparison-details .heat").first).to_contain_text(HOSTILE[1])


# Everybody can use it


@pytest.mark.parametrize(("metric", "scheme"), [("informedness", "light"), ("nit", "dark")])
def test_the_whole_page_has_no_finding_of_axe_and_fits_on_every_size(visit, metric, scheme):
    page = visit(metric)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    visit(metric, "?")
    for name, content in CONTENTS.items():
        tab(page, name)
        expect(page.locator(content).first).to_be_visible()
        for file in page.locator("[role=tab]:visible", has_text=re.compile("^File$")).all():
            file.click()
            page.get_by_role("button", name="Options").click()
        for fold in page.locator(".folds summary:visible").all():
            fold.click()
    tab(page, "Use it")
    expect(page.locator("#card")).to_contain_text(f'{metric} = evaluate.load("{metric}")')
    picture = page.locator("img[alt]:visible").first
    assert picture.evaluate("image => image.naturalWidth") > 200
    page.add_style_tag(content="[role=tabpanel] { display: block !important }")  # all at once
    expect(page.locator("#card, #score, #over-ability, #difference").last).to_be_visible()
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    for width in WIDTHS:
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
    expect(page.get_by_role("button", name="Use via API")).to_be_visible()
    visit(metric, "?")


# What the server refuses and keeps


def test_the_browser_is_told_to_load_nothing_from_another_host(app):
    with urllib.request.urlopen(app("nit")) as answer:
        policy, page = answer.headers["content-security-policy"], answer.read().decode()
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    assert not re.search(
        r'(preconnect|stylesheet|src)="?[^>]*https?://(?!127)', page.split("<body")[0]
    )


def test_the_server_itself_refuses_large_uploads_and_requests(app):
    url = app("informedness") + "gradio_api/"
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    for size, wanted in ((9_000_000, 200), (11_000_000, 413)):
        body = head + b"a" * size + b"\r\n--x--\r\n"
        status, said = post(f"{url}upload", body, "multipart/form-data; boundary=x")
        assert status == wanted
        assert "10000000 bytes" in said or status == 200
    body = json.dumps({"data": ["a" * 20_000_000]}).encode()
    status, said = post(f"{url}call/score", body)
    assert status == 413
    assert said.startswith("A request can have at most 20,000,000 bytes, this one has 20,0")


def paste_as_many(url: str, text: str, visitors: int) -> None:
    """Score a text in both boxes, as so many other visitors."""
    with urllib.request.urlopen(f"{url}config") as answer:
        config = json.load(answer)
    boxes = [x["id"] for x in config["components"] if x["type"] == "textbox"]
    event = next(x["id"] for x in config["dependencies"] if x["inputs"] == boxes[:2])
    for i in range(visitors):
        call = {"data": [text, text], "fn_index": event, "session_hash": f"other-{i}"}
        post(f"{url}gradio_api/queue/join", json.dumps(call).encode())
        with urllib.request.urlopen(f"{url}gradio_api/queue/data?session_hash=other-{i}") as said:
            assert "process_completed" in said.read().decode()
