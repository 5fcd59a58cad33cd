"""What people do with the page, in a browser, in the app as it is staged and served."""

import json
import re
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import openpyxl
import pytest
from axe_playwright_python.sync_playwright import Axe
from drawn import BETTER, GOLD, METRICS, MODEL, rows_of
from playwright.sync_api import Locator, Page, expect

from informedness import ContingencyTable, compare, estimate, report
from informedness.logs.reading import read_log
from informedness.text.render import shown as as_shown

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

ROLES = ("References", "Predictions")
LOG = Path(__file__).resolve().parents[2] / "examples/runs/inspect/choice_knows-half.eval"
EXAMPLES = Path(__file__).resolve().parents[2] / "spaces/page/examples.json"
HOSTILE = [
    "<script>window.executed = 1</script>",
    '<img src="x" onerror="window.executed = 2">',
    '"><svg onload="window.executed = 3">',
    "' autofocus onfocus='window.executed = 4",
    "${window.executed = 5}`",
    '{{constructor.constructor("window.executed = 6")()}}',
    "$\\frac{$",
    "=cmd|' /C calc'!A0",
    "[link](javascript:window.executed=7)",
    "p\u0430yp\u0430l",  # with the Cyrillic letter
    "\u05e9\u05dc\u05d5\u05dd",  # right to left
]


def tab(page: Page, name: str) -> None:
    page.get_by_role("tab", name=name, exact=True).click()


def button(page: Page, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{name}\b"))


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Rows of a table")


def menu(page: Page, role: str) -> Locator:
    return page.get_by_label(f"Column of {role}").locator("visible=true")


def count_in(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix that is typed; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


def paste(page: Page, *columns: list[str]) -> None:
    """Paste a table of one model or two, wait for its columns, and press the button."""
    header = ["label", "prediction", "second"][: len(columns)]
    tab(page, "Paste")
    box(page).fill("")
    expect(menu(page, "references")).to_have_value("")
    box(page).fill(rows_of("\t".join(header), *columns, sep="\t"))
    expect(menu(page, "references")).to_have_value(header[0])
    page.locator("button[id$=-paste]:visible").click()


def paste_into(field: Locator, text: str) -> None:
    field.click()
    pasted = """(field, text) => {
        const clipboardData = new DataTransfer();
        clipboardData.setData("text/plain", text);
        field.dispatchEvent(
            new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
        );
    }"""
    field.evaluate(pasted, text)


def shows(page: Page, value: float) -> None:
    """Wait for the score, as an answer to the inputs as they are."""
    score = page.locator("#result:not([data-stale]) #score")
    expect(score).to_have_text(re.compile(f"^({value:.2f}|{value:.3f})$"))


def shows_matrix(page: Page, matrix: list[list[int]]) -> None:
    shows(page, ContingencyTable.from_matrix(matrix).informedness())


def is_stale(page: Page, result: str = "result") -> None:
    expect(page.locator(f"#{result}")).to_have_attribute("data-stale", "")


def refused(page: Page, name: str, sentence: str, result: str = "result") -> None:
    """Wait for a refusal; the result that still stands is of other inputs."""
    expect(page.locator(f"#refusal-{name}")).to_contain_text(sentence)
    is_stale(page, result)
    expect(page.get_by_test_id("toast-body")).to_have_count(0)


@contextmanager
def changing(page: Page) -> Iterator[None]:
    """Wait until the result has become one of other inputs."""
    changes = "document.getElementById('result').changes"
    before = page.evaluate(f"{changes} ?? 0")
    yield
    page.wait_for_function(f"{changes} > {before}")


@contextmanager
def answered_later(page: Page) -> Iterator[None]:
    """Hold back what is asked until the end of the block."""
    page.evaluate("""() => {
        const { fetch } = window, end = new Promise((go) => { window.release = go; });
        window.fetch = async (...request) => (await end, fetch(...request));
    }""")
    yield
    page.evaluate("release()")


def note_answer(page: Page) -> None:
    """Let `hasAnswered` become true once an answer has been drawn."""
    page.evaluate("""() => {
        const { answered } = results, drawn = () => { window.hasAnswered = true; };
        results.answered = (...about) => {
            requestAnimationFrame(() => requestAnimationFrame(drawn));
            return answered(...about);
        };
    }""")


# Links


def test_hostile_labels_are_text_in_every_place_and_in_the_link_that_shows_the_same(visit):
    # a class that is only predicted is not part of k: the link must keep it that way
    columns = [*HOSTILE[1:], HOSTILE[2]], [*HOSTILE[1:], HOSTILE[0]]
    page = visit("nit")
    paste(page, *columns)
    shows(page, report(*columns).scores["nit"])
    _, *labels = page.locator("#result-details .heat thead th").all_text_contents()
    assert sorted(map(str.strip, labels)) == sorted(map(as_shown, HOSTILE))
    told = page.locator("#result-details").all_text_contents()
    visit("nit", page.locator("#link").get_attribute("href"))
    shows(page, report(*columns).scores["nit"])
    assert page.locator("#result-details").all_text_contents() == told
    names = [count_in(page, i, -1).input_value() for i in range(len(HOSTILE))]
    assert page.locator("#grid thead bdi").all_inner_texts() == names
    assert sorted(names) == sorted(HOSTILE)
    count_in(page, 0, 0).fill(HOSTILE[1])
    refused(page, "matrix", HOSTILE[1][:40])


def test_two_models_are_compared_and_a_link_compares_them_again(visit, app):
    page = visit(query="?")
    verdict = page.locator("#comparison:not([data-stale]) #verdict")
    tab(page, "Compare")
    expect(box(page)).to_have_value(re.compile("ham"))  # the example would replace what comes early
    expect(verdict).to_contain_text("B is better")
    paste(page, GOLD, MODEL, [*BETTER[1:], ""])
    refused(page, "compare-paste", "must have a value in every row", "comparison")
    paste(page, GOLD, MODEL, BETTER)
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER)))
    expect(page.locator("#refusal-compare-paste")).to_be_hidden()
    page.goto(app("informedness") + page.locator("#link-models").get_attribute("href"))
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER)))
    expect(menu(page, "predictions B")).to_have_value("model B")


def test_there_is_a_link_to_every_tab_example_and_simulation(visit, app):
    page, url = visit(query="?"), app("informedness")
    page.goto(f"{url}?tab=simulate&spam=0&known=\u0661")  # not within the ranges
    expect(page.locator("#simulation .refusal")).to_have_text(
        "known must be 0 to 100 in a link, got \u0661."
    )
    expect(page.locator("#known b")).to_have_text("40%")
    page.goto(f"{url}?tab=simulate&spam=25&known=60")
    expect(page.locator("#simulation")).to_contain_text("The filter knows 60% of the answers")
    link = page.locator("#simulation [target]").get_attribute("href")
    assert link == "?tab=simulate&spam=25&known=60"
    for name in ("Guess", "Use it"):
        page.goto(f"{url}?tab={name.split()[0].lower()}")
        expect(page.get_by_role("tab", selected=True).first).to_have_text(name)
    tab(page, "Compare")
    assert page.url == f"{url}?tab=compare"  # the address is a link, too
    visit(query="?example=5")
    shows(page, -1.0)
    expect(page.locator("#examples input:checked")).to_have_value("Labels swapped")
    code = page.locator("#result-details .python").text_content()
    tab(page, "Use it")
    expect(page.locator("#code .python")).to_have_text(code)


# What is seen


@pytest.mark.parametrize("metric", METRICS)
def test_a_phone_shows_the_whole_story_first_then_the_inputs_then_folded_details(visit, metric):
    page = visit(metric, "?", width=390)
    picture = {"informedness": ".squares figure", "nit": "#scale .tall"}[metric]
    story = "#result .told", "#lead", picture, "#score", "#scale .ends"

    def place(part: str) -> Any:
        return page.locator(part).last.bounding_box()

    tops = [place(part)["y"] for part in (*story, "#asked", "#result-details")]
    assert tops == sorted(tops)
    expect(page.locator("#result-details [open]")).to_have_count(0)
    for name, parts in (
        ("Score", story),
        ("Guess", ["#guess .answers", "#guess .answer"]),
        ("Simulate", ["#spam", "#simulation .moving >> visible=true"]),
    ):
        tab(page, name)
        page.evaluate("scrollTo(0, 0)")
        assert [x for x in parts if place(x)["y"] + place(x)["height"] > 844] == []


def test_the_examples_are_steps_by_a_button_and_by_arrow_keys_and_what_was_unfolded_stays(visit):
    page = visit(query="?")
    marked, told = page.locator("#examples input:checked"), page.locator("#result .told")
    fold = page.locator("[data-fold=Matrix]").first
    fold.locator("summary").click()
    button(page, "Next").click()
    expect(marked).to_have_value("web_of_lies")
    marked.focus()
    page.keyboard.press("ArrowLeft")  # one stop of the tab key for all of them
    expect(marked).to_have_value("Looks good")
    expect(told).to_contain_text("answers ham (not spam) to every message")
    page.locator("#examples").get_by_text("Labels swapped").click()
    shows(page, -1.0)
    expect(page).to_have_url(re.compile(r"\?example=5$"))
    expect(fold).to_have_attribute("open", "")
    button(page, "Guess").click()  # after the last step
    expect(page.locator("#guess")).to_be_visible()
    tab(page, "Score")
    count_in(page, 0, 0).fill("50")
    expect(marked).to_have_count(0)
    expect(told).to_have_count(0)


@pytest.mark.parametrize(("metric", "scheme"), [("informedness", "light"), ("nit", "dark")])
def test_the_whole_page_has_no_finding_of_axe_and_fits_on_every_size(visit, metric, scheme):
    page = visit(metric)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    visit(metric, "?")
    contents = "#guess", "#simulation", "#difference", "#score"
    for name, content in zip(("Guess", "Simulate", "Compare", "Score"), contents, strict=True):
        tab(page, name)
        expect(page.locator(content)).to_be_visible()
        for file in page.locator("[role=tab]:visible", has_text=re.compile("^File$")).all():
            file.click()
            button(page, "Options").click()
        for fold in page.locator(".folds summary:visible, #simulation summary:visible").all():
            fold.click()
    tab(page, "Use it")
    expect(page.locator("#card")).to_contain_text(f'{metric} = evaluate.load("{metric}")')
    picture = page.locator("img[alt]:visible").first
    assert picture.evaluate("image => image.naturalWidth") > 200
    page.add_style_tag(content="[role=tabpanel] { display: block !important }")  # all at once
    expect(page.locator(", ".join(contents)).last).to_be_visible()
    found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
    for width in (320, 899, 900, 1920):
        page.set_viewport_size({"width": width, "height": 800})
        page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
        page.wait_for_function("""[...document.querySelectorAll(".story .viz *")].every(
            (part) => part.getBoundingClientRect().right <= innerWidth)""")  # nothing is cut off
    expect(button(page, "Use via API")).to_be_visible()


def test_a_finger_finds_targets_of_44_pixels_and_the_card_is_folded(visit):
    page = visit(query="?example=4", width=390)
    targets = "#examples label", ".copy", "[role=tab]", "summary", "#grid input", "#grid button"
    for target in (*targets, "button.primary"):
        for one in page.locator(f"{target} >> visible=true").all():
            assert one.bounding_box()["height"] >= 44, target
    cut_off = page.locator("#grid .scrolled")
    assert cut_off.evaluate("x => x.scrollWidth > x.clientWidth")
    assert cut_off.evaluate("x => getComputedStyle(x).backgroundImage").count("gradient") == 4
    tab(page, "Use it")
    expect(page.locator("#card")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") < 3300  # half of the whole card


def test_with_colours_that_the_system_forces_the_legend_the_cross_and_the_button_are_seen(visit):
    page = visit(query="?")
    page.emulate_media(forced_colors="active")
    style = "(one, name) => getComputedStyle(one).getPropertyValue(name)"
    cross, square = (page.locator(f"#result .key .{kind}") for kind in ("wrong", "lucky"))
    expect(page.locator("#score-matrix")).to_have_css("border-top-width", "2px")  # in a transition
    assert "gradient" in cross.evaluate(style, "background-image")
    assert square.evaluate(style, "border-top-color") == "rgb(0, 114, 178)"
    page.emulate_media(forced_colors="none")


# Tables


def test_a_result_is_stale_until_it_is_of_the_inputs_and_comes_into_view_if_nobody_goes_on(visit):
    """Who changes the inputs while it is computed would have them taken from under the pointer."""
    page = visit(query="?", width=390)
    note_answer(page)
    tab(page, "Paste")
    refusal, score = page.locator("#refusal-score-paste"), page.locator("#score-paste")
    box(page).fill("label,prediction\na,\nb,b")
    expect(refusal).to_contain_text("an empty cell, or text such as NA in 1 of 2 rows")
    tops = [x.bounding_box()["y"] for x in (box(page), refusal, button(page, "Options"))]
    assert tops == sorted(tops)
    expect(refusal).to_be_in_viewport()
    first = page.get_by_label("The first row is data")
    expect(first).to_be_visible()  # the refusal named a switch under Options, which opened
    score.scroll_into_view_if_needed()
    expect(refusal).not_to_be_in_viewport()
    score.click()
    expect(refusal).to_be_in_viewport()
    box(page).fill("a\tb\nb\tb\na\ta\nb\tb")
    expect(menu(page, "references")).to_have_value("column 1")
    expect(page.locator(".seen:visible")).to_contain_text(re.compile("4 rows.*a 2, b 2", re.S))
    expect(refusal).to_be_hidden()
    shows(page, 0.5)  # without the button, as in the matrix
    with answered_later(page):
        score.click()
        with changing(page):
            first.uncheck()
        is_stale(page)
    page.wait_for_function("window.hasAnswered")
    shows(page, 1.0)
    expect(first).to_be_in_viewport()
    expect(menu(page, "references")).to_have_value("a")
    score.click()
    expect(page.locator("#lead")).to_be_in_viewport()
    button(page, "Options").click()


def test_a_file_shows_its_columns_and_is_scored_by_those_chosen(visit, app, tmp_path):
    page, names = visit(query="?"), ("text", "prediction", "label", "gold", HOSTILE[0])
    counts = [1, 9] * 10
    columns = [f"text {i}" for i in range(20)], MODEL, GOLD, BETTER, counts
    path = tmp_path / "<img src=x onerror=window.executed=8>.csv"
    path.write_text(rows_of(";".join(names), *columns, sep=";"), "utf-8")
    tab(page, "File")
    with changing(page):
        page.locator("input[type=file]").set_input_files(path)
    expect(page.locator(".seen:visible")).to_contain_text(
        "columns: text, prediction, label, gold, "
    )
    is_stale(page)  # the example that is still shown is not of this file
    columns = ["column 1", "column 2", None, [], "", "", "default", 0.95]
    url, pasted = app("informedness"), ["a\ta\nb\tb", "", None, None, *columns]
    for i in range(21):  # more other visitors than the server keeps
        assert "process_completed" in called(url, "score-paste", pasted, f"other-{i}")
    page.locator("#score-file").click()
    refused(page, "score-file", "Choose the column of references: the header does not say")
    button(page, "Options").click()
    for role, name in (("references", "label"), ("counts", HOSTILE[0])):
        with changing(page):
            menu(page, role).click()
            page.get_by_role("option", name=name, exact=True).last.click()
            expect(menu(page, role)).to_have_value(name)
    page.locator("#score-file").click()
    gold, model = (np.repeat(column, counts).tolist() for column in (GOLD, MODEL))
    shows(page, report(gold, model).scores["informedness"])
    expect(page.locator("#result .taken")).to_contain_text("not used: text, gold")


def open_file(page: Page, path: Path) -> None:
    """Put a file in place of the one that is there."""
    tab(page, "File")
    for clear in page.get_by_label("Clear").locator("visible=true").all():
        clear.click()
    page.locator("input[type=file]").first.set_input_files(path)


def test_a_log_is_read_by_its_harness_and_a_workbook_by_its_sheet_as_chosen(visit, tmp_path):
    page, seen, button_ = visit(query="?"), ".seen:visible", "#score-file"
    log = tmp_path / "samples_spam_2026-01-01T00-00-00.jsonl"
    asked = {"gen_args_0": {"arg_0": "Is it spam?", "arg_1": {"until": ["."]}}}
    targets, answers = ["yes", "no"] * 30, {"none": ["yes", "no", "hm"] * 20, "last": ["no"] * 60}
    rows = [
        {"doc_id": i, "target": target, "filtered_resps": [answers[name][i]], "filter": name}
        | {"arguments": asked, "prompt_hash": "1", "doc_hash": str(i)}
        for name in answers
        for i, target in enumerate(targets)
    ]
    log.write_text("\n".join(map(json.dumps, rows)))
    open_file(page, log)
    choice = page.get_by_label("Sheet of the workbook, or run in the log").locator("visible=true")
    expect(page.locator("#refusal-score-file")).to_contain_text("spam; spam, last")
    choice.click()
    page.get_by_role("option", name="spam", exact=True).click()
    expect(page.locator(seen)).to_contain_text("the text after filter 'none'")
    page.locator(button_).click()
    known = {"labels": ["no", "yes"], "unknown": "wrong"}
    shows(page, report(targets, answers["none"], **known).scores["informedness"])
    open_file(page, LOG)
    expect(page.locator(seen)).to_contain_text("what scorer 'choice' logged as the answer")
    page.locator(button_).click()
    shows(page, read_log(LOG)[0].report().scores["informedness"])
    book = openpyxl.Workbook()
    for name, model in (("First", MODEL), ("Second", BETTER)):
        sheet = book.create_sheet(name)
        for row in [("gold", "model"), *zip(GOLD, model, strict=True)]:
            sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    open_file(page, tmp_path / "two.xlsx")
    expect(page.locator("#refusal-score-file")).to_contain_text('name one as "Sheet of the')
    choice.click()
    page.get_by_role("option", name="Second").click()
    expect(page.locator(seen)).to_contain_text("sheet Second: 20 rows")
    page.locator(button_).click()
    shows(page, report(GOLD, BETTER).scores["informedness"])


def lists(page: Page) -> Iterator[Locator]:
    """Return the boxes of references and of predictions."""
    tab(page, "Lists")
    for role in ROLES:
        box = page.get_by_role("textbox", name=re.compile(f"^{role}"))
        yield box.locator("visible=true")


def test_a_late_answer_leaves_the_refusal_of_newer_inputs(visit):
    page, held = visit(query="?"), list[Any]()
    truth, model = lists(page)
    truth.fill(repr(GOLD))
    model.fill("\n".join(MODEL))
    shows(page, report(GOLD, MODEL).scores["informedness"])
    note_answer(page)
    page.route("**/queue/join*", lambda x: x.continue_() if held else held.append(x))
    page.locator("#score-lists").click()
    truth.fill("a, b")
    refusal = page.locator("#refusal-score-lists")
    expect(refusal).to_contain_text("references 2, predictions 20")
    held[0].continue_()
    page.unroute("**/queue/join*")
    page.wait_for_function("window.hasAnswered")
    expect(refusal).to_contain_text("references 2, predictions 20")
    is_stale(page)


def test_lists_are_scored_side_by_side_or_as_python_and_a_matrix_opens_where_it_belongs(visit):
    page = visit(query="?")
    truth, model = lists(page)
    truth.fill(repr(GOLD))
    model.fill("\n".join(MODEL))
    expect(page.locator(".seen:visible")).to_contain_text("20 rows")
    page.locator("#score-lists").click()
    shows(page, report(GOLD, MODEL).scores["informedness"])
    truth.fill("a, b")
    expect(page.locator("#refusal-score-lists")).to_contain_text("references 2, predictions 20")
    tab(page, "Paste")
    box(page).fill(f"y_true = {GOLD}\ny_pred = np.array({BETTER}, dtype=object)")
    expect(menu(page, "references")).to_have_value("y_true")
    page.locator("#score-paste").click()
    shows(page, report(GOLD, BETTER).scores["informedness"])
    box(page).fill("predicted  ham  spam\nactual\nham        90     1\nspam        5     4\n")
    expect(page.locator("#grid")).to_be_visible()
    shows_matrix(page, [[90, 1], [5, 4]])


def test_a_paste_of_many_lines_becomes_a_file_of_which_the_first_are_shown(visit):
    page = visit(query="?")
    tab(page, "Paste")
    for i in (1, 2):  # the second time, the first file is there
        tab(page, "Paste")
        paste_into(box(page), rows_of("gold,model", GOLD * 250 * i, MODEL * 250 * i))
        expect(page.locator(".seen:visible")).to_contain_text(
            re.compile(f"gold,model\\s+a,a.*{5000 * i:,d} rows", re.S)
        )
    tab(page, "Paste")
    expect(box(page)).to_have_value("")
    paste_into(box(page), rows_of("gold,model", GOLD, MODEL))
    expect(box(page)).to_be_visible()  # few lines are left to the browser


def test_a_warning_offers_the_switch_that_does_it_and_counts_come_with_a_button(visit):
    page = visit(query="?")
    tab(page, "Paste")
    score, refusal = page.locator("#score-paste"), page.locator("#refusal-score-paste")
    for model, offered in (
        (map(str.upper, MODEL), "Ignore upper and lower case"),
        ((f" {x}" for x in MODEL), "Ignore blanks around labels"),
    ):
        box(page).fill(rows_of("gold\tmodel", GOLD, model, sep="\t"))
        expect(refusal).to_contain_text(f'"{offered}" under Options')
        page.get_by_label(offered).locator("visible=true").check()
        score.click()
        shows(page, report(GOLD, MODEL).scores["informedness"])
    two, scores = ["ham", "spam"] * 10, [0.1, 0.9, 0.4, 0.3, 0.7] * 4
    box(page).fill(rows_of("gold,model", two, scores))
    expect(refusal).to_contain_text('"Threshold" under Options')
    for name, text in (("^Threshold", "0.35"), ("^Classes", "ham, spam")):
        page.get_by_role("textbox", name=re.compile(name)).locator("visible=true").fill(text)
    score.click()
    cut = [two[x > 0.35] for x in scores]
    shows(page, report(two, cut).scores["informedness"])
    visit(query="?")
    tab(page, "Paste")
    box(page).fill("gold,model,n\na,a,90\na,b,10\nb,b,45\nb,a,5\n")
    use = button(page, "Use column 'n' as counts")
    expect(use).to_be_visible()
    score.click()
    doubt = page.locator("#result .warning").first
    expect(doubt).to_contain_text("are these counts?")
    assert doubt.bounding_box()["y"] < page.locator("#score").bounding_box()["y"]
    expect(page.locator("#score.big")).to_have_count(0)
    use.click()
    shows_matrix(page, [[90, 10], [5, 45]])
    expect(page.locator("#score.big")).to_have_count(1)


def test_the_average_and_the_level_of_the_interval_are_chosen_and_stay_in_the_link(visit):
    page, matrix = visit(query="?"), [[9, 1, 0], [2, 7, 3], [0, 1, 27]]
    table = ContingencyTable.from_matrix(matrix)
    paste_into(count_in(page, 0, 0), "\n".join("\t".join(map(str, row)) for row in matrix))
    shows_matrix(page, matrix)
    button(page, "Options").click()
    for label, choice in (("Average over classes", "prevalence"), ("Interval", "99%")):
        page.get_by_role("combobox", name=label).locator("visible=true").click()
        page.get_by_role("option", name=choice).click()
    made = estimate(table, average="prevalence", confidence_level=0.99)
    low, high = made.confidence_interval
    interval = page.locator("#interval")
    expect(interval).to_contain_text(f"99% interval {low:.2f} to {high:.2f}")
    shows(page, made.value)
    href = page.locator("#link").get_attribute("href")
    page.locator("[data-fold=Classes] summary").click()
    rates = page.locator("[data-fold=Classes] table").last.locator("tbody tr").first
    (first, *_) = report(table).per_class
    wanted = [f"{first[rate]:.3f}" for rate in ("precision", "tpr", "f1")]
    assert rates.locator("td").all_inner_texts() == wanted
    visit(query=href)
    expect(interval).to_contain_text(f"99% interval {low:.2f} to {high:.2f}")


def test_cells_are_typed_over_and_classes_named_added_removed_and_pasted_and_undone(visit):
    """Whoever comes to a cell by mouse, key or touch and types replaces what is in it."""
    page = visit(query="?")
    said, fields = page.locator("#grid .said"), page.locator("#grid tbody input")
    expect(count_in(page, 1, 0)).to_have_value("10")  # the example would undo what comes earlier
    count_in(page, 1, -1).click()
    page.keyboard.type("junk")
    page.keyboard.press("Tab")
    page.keyboard.type("12")
    count_in(page, 1, 1).tap()
    page.keyboard.type("5")
    shows_matrix(page, [[90, 0], [12, 5]])  # as one types, without the button
    expect(page.locator("#result-details .heat tbody th")).to_have_text(["ham", "junk"])
    button(page, "Add a class").click()
    page.keyboard.type("eggs")  # into its name
    for column, count in enumerate("124"):
        count_in(page, 2, column).fill(count)
    shows_matrix(page, [[90, 0, 0], [12, 5, 0], [1, 2, 4]])
    button(page, "Remove class junk").click()
    shows_matrix(page, [[90, 0], [1, 4]])
    assert [x.input_value() for x in fields.all()] == ["ham", "90", "0", "eggs", "1", "4"]
    button(page, "Undo").click()
    shows_matrix(page, [[90, 0, 0], [12, 5, 0], [1, 2, 4]])
    assert [x.input_value() for x in fields.all()][::4] == ["ham", "junk", "eggs"]
    paste_into(count_in(page, 0, 0), "Predicted / actual\tx\ty\nx\t5\t1\ny\t2\t4")
    shows_matrix(page, [[5, 1], [2, 4]])
    expect(said).to_contain_text("the names say the opposite")
    paste_into(count_in(page, 0, 0), "0,9\t0,1\n0,25\t0,75")  # decimal commas
    shows(page, 0.65)
    expect(page.locator("#result .warning")).to_contain_text(
        ["sums to 1: if these are shares", "no interval"]
    )
    button(page, "Undo").click()
    shows_matrix(page, [[5, 1], [2, 4]])
    paste_into(count_in(page, 0, 0), "\ta\tb\na\t1.200\t1\nb\t2\t4")
    expect(said).to_contain_text("could be a number of thousands")
    expect(said).to_have_class(re.compile("refusal"))


# The game of guessing, and the simulation


def test_who_always_answers_ham_is_often_right_and_scores_0_until_clues_are_shown(visit):
    page = visit(query="?")
    tab(page, "Guess")
    board = page.locator("#guess")
    expect(board).to_contain_text("Message 1: hidden. Guess!")
    button(page, "Ham").focus()
    page.keyboard.press("Enter")
    expect(board).to_contain_text(re.compile("Message 1 was (ham|spam), you said ham"))
    expect(board.locator(".number")).to_have_count(1)  # after one answer, others would jump
    button(page, "Always ham").click()
    expect(board.locator(".number")).to_have_text(["80%Accuracy", "0.00Informedness"])
    expect(board).to_contain_text("No better than guessing")
    expect(button(page, "Ham")).to_be_disabled()
    button(page, "Start again").click()
    button(page, "Show clues").click()
    expect(button(page, "Hide clues")).to_be_visible()
    messages = dict(json.loads(EXAMPLES.read_text("utf-8"))["guess"])
    for i in range(20):
        said = board.locator(".lead")
        expect(said).to_contain_text(f"Message {i + 1}: \u201c")
        label = messages[said.inner_text().partition("\u201c")[2].rstrip("\u201d")]
        button(page, label.capitalize()).click()
    expect(board.locator(".number")).to_have_text(["100%Accuracy", "1.00Informedness"])


def simulated(spam: float, known: float) -> list[str]:
    """Return what the page shows of the scores of the filter, then of always ham."""
    shares, shown = (1 - spam / 100, spam / 100), []
    for share in (known / 100, None):
        cells = [[0.0, 0.0], [0.0, 0.0]]
        for i, j in np.ndindex(2, 2):
            drawn = (j == 0) if share is None else share * (i == j) + (1 - share) * shares[j]
            cells[i][j] = shares[i] * drawn
        scores = report(ContingencyTable.from_matrix(cells)).scores
        names = "accuracy", "informedness", "nit", "f1_macro"
        shown += [
            f"{scores[name]:.0%}" if name == "accuracy" else f"{scores[name] + 1e-9:.2f}"
            for name in names
        ]
    return shown


def test_handles_move_squares_and_numbers_in_the_browser_and_leave_a_trace_and_an_address(visit):
    page, asked = visit("nit", "?"), list[str]()
    tab(page, "Simulate")
    page.wait_for_load_state("networkidle")  # the page itself is asked for
    page.on("request", lambda request: asked.append(request.url))
    slider, numbers = page.locator("#spam input"), page.locator("#simulation [data-of] > b")
    box = slider.bounding_box()
    y, at = box["y"] + box["height"] / 2, box["x"] + 8 + 9 / 49 * (box["width"] - 16)
    page.mouse.move(at, y)
    page.mouse.down()
    for i in range(1, 31):
        page.mouse.move(at + i * (box["width"] - 16) / 49, y)
    spam = slider.input_value()
    assert 38 <= int(spam) <= 42
    ends = [
        [float(x.evaluate(f"x => x.style.getPropertyValue('--{end}')")) for end in ("from", "to")]
        for x in page.locator("[data-of^=filter]").all()
    ]  # accuracy, Informedness, NIT, F1
    assert ends[0] == pytest.approx([1 - 1.2 * int(spam) / 100 * (1 - int(spam) / 100), 0.892])
    assert ends[1] == [0.4, 0.4]
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"\?tab=simulate&spam={spam}&known=40$"))
    assert asked == []
    for known in ("0", "72", "100"):
        page.locator("#known input").fill(known)
        order = [0, 1, 2, 4, 5, 6, 3, 7]  # F1 is in the fold
        assert [numbers.all_text_contents()[order.index(i)] for i in range(8)] == simulated(
            float(spam), float(known)
        )


def test_squares_of_every_simulation_are_a_hundred_that_agree_with_its_numbers(visit):
    page = visit(query="?")
    tab(page, "Simulate")
    wrong = page.evaluate("""() => {
        const [spam, known] = document.querySelectorAll("#simulation input"), wrong = [];
        const count = (kind) => document.querySelectorAll(`#filter .field ${kind}`).length;
        for (let s = 1; s <= 50; s += 1) for (let k = 0; k <= 100; k += 1) {
            [spam.value, known.value] = [s, k];
            known.dispatchEvent(new Event("input", { bubbles: true }));
            const accuracy = document.querySelector("[data-of='filter accuracy'] b").textContent;
            const right = accuracy === "over 99%" ? 100 : parseInt(accuracy);
            const counts = [".ham", ".spam", ".known", ".wrong"].map(count);
            if (`${counts}` !== `${[100 - s, s, k, 100 - right]}`) wrong.push([s, k, counts]);
        }
        return wrong;
    }""")
    assert wrong == []


# What lasts


def test_back_returns_to_the_tab_before_and_each_step_leads_to_the_next(visit, app):
    page, url = visit(query="?"), app("informedness")
    for link, query in (
        ("Guess", "?tab=guess"),
        ("Next: Simulate", "?tab=simulate"),
        ("Next: your own data", "?tab=paste"),
    ):
        page.get_by_role(
            "link" if link.startswith("Next") else "tab", name=link, exact=True
        ).click()
        expect(page).to_have_url(url + query)
    expect(box(page)).to_be_visible()
    for query, shown in (("simulate", "#simulation"), ("guess", "#guess")):
        page.go_back()
        expect(page).to_have_url(f"{url}?tab={query}")
        expect(page.locator(shown)).to_be_visible()
    page.goto(f"{url}?tab=paste")
    expect(box(page)).to_be_visible()


def test_back_returns_from_an_example_to_the_one_before_also_after_a_reload(visit, app):
    page, url = visit(query="?"), app("informedness")
    chips = page.locator("#examples label")
    expect(chips.nth(0)).to_contain_class("selected")
    for number in (2, 3):
        page.locator("#next").click()
        expect(chips.nth(number - 1)).to_contain_class("selected")
        expect(page).to_have_url(f"{url}?example={number}")
    tab(page, "Simulate")
    page.reload()
    expect(page.locator("#simulation")).to_be_visible()
    for number in (3, 2):
        page.go_back()
        expect(page).to_have_url(f"{url}?example={number}")
        expect(chips.nth(number - 1)).to_contain_class("selected")


def test_what_was_pasted_or_typed_and_its_result_outlive_a_reload_and_an_example_or_a_link_does_not(
    visit,
):
    page = visit(query="?")
    paste(page, GOLD, MODEL)
    shows(page, report(GOLD, MODEL).scores["informedness"])
    pasted, details = box(page).input_value(), page.locator("#result-details").inner_text()
    assert "label" not in page.url
    page.reload()
    expect(box(page)).to_have_value(pasted)
    shows(page, report(GOLD, MODEL).scores["informedness"])
    assert page.locator("#result-details").inner_text() == details
    expect(menu(page, "references")).to_have_value("label")
    box(page).fill("label\nham\nspam\n")
    lacking = page.locator("#refusal-score-paste")
    expect(lacking).to_contain_text("this one has 'label'")
    page.reload()
    expect(box(page)).to_have_value("label\nham\nspam\n")
    expect(lacking).to_contain_text("this one has 'label'")
    is_stale(page)
    tab(page, "Matrix")
    count_in(page, 1, 1).fill("30")
    shows_matrix(page, [[90, 0], [10, 30]])
    tab(page, "Guess")
    page.reload()
    tab(page, "Score")
    shows_matrix(page, [[90, 0], [10, 30]])
    expect(count_in(page, 1, 1)).to_have_value("30")
    tab(page, "Compare")
    verdict = page.locator("#comparison:not([data-stale]) #verdict")
    paste(page, GOLD, MODEL, BETTER)
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER)))
    tab(page, "Use it")
    page.reload()
    page.go_back()  # the box was drawn with the example
    expect(box(page)).to_have_value(re.compile("^label\tprediction\tsecond"))
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER)))
    visit(query="?example=5")
    shows(page, -1.0)
    visit(query="?class=a&class=b&counts=5,1,2,4")
    shows_matrix(page, [[5, 1], [2, 4]])
    count_in(page, 0, 0).fill("6")  # no longer what the address says
    shows_matrix(page, [[6, 1], [2, 4]])
    page.reload()
    shows_matrix(page, [[6, 1], [2, 4]])


def test_a_result_is_copied_as_a_sentence_as_markdown_as_json_and_as_a_link(visit, app):
    page = visit(query="?example=3")
    shows(page, 0.73)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(button: Locator) -> str:
        button.click()
        expect(button).to_have_attribute("data-done", "copied")
        return page.evaluate("navigator.clipboard.readText()")

    made = report(
        ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"]),
        confidence_level=0.95,
    )
    forms = page.locator("#result .copies")
    assert copied(button(forms, "Sentence")) == (
        "Informedness 0.73, 95% interval 0.41 to 0.995, 100 samples; accuracy 92%, always ham 90%"
    )
    assert copied(button(forms, "Markdown")) == made.to_markdown()
    assert json.loads(copied(button(forms, "JSON"))) == made.to_dict() | {"warnings": []}
    assert (
        copied(button(forms, "Link"))
        == f"{app('informedness')}?class=ham&class=spam&counts=84,6,2,8"
    )
    for fold, part in (
        ("The same in Python", ".python code"),
        ("Link and signature", "#signature"),
    ):
        place = page.locator(f"#result-details [data-fold='{fold}']")
        place.locator("summary").click()
        assert (
            copied(place.get_by_role("button", name="Copy")) == place.locator(part).text_content()
        )
    tab(page, "Compare")
    rows = json.loads(EXAMPLES.read_text("utf-8"))["compare"]
    models = compare(*zip(*(row[:3] for row in rows for _ in range(row[3])), strict=True))
    said = copied(button(page.locator("#comparison .copies"), "Sentence"))
    assert said == f"Informedness: A {models.a:.3f}, B {models.b:.3f}; {models}"


def test_a_server_that_is_busy_is_asked_again_and_the_page_says_so(visit):
    page, busy, refused = visit(query="?"), visit().locator("#busy"), []

    def full(route: Any) -> None:
        if len(refused) > 1:
            return route.continue_()
        refused.append(route.request)
        return route.fulfill(status=503, json={"detail": "Queue is full."})

    page.wait_for_load_state("networkidle")
    page.route("**/queue/join*", full)
    count_in(page, 1, 1).fill("10")
    expect(busy).to_be_visible()
    shows_matrix(page, [[90, 0], [10, 10]])
    expect(busy).to_be_hidden()
    page.unroute("**/queue/join*")
    assert len(refused) == 2


def test_a_refusal_is_gone_with_the_next_result_wherever_it_comes_from(visit):
    page = visit(query="?example=9")
    expect(page.locator("#refusal-link")).to_contain_text("There are 5 examples")
    count_in(page, 1, 1).fill("ten")
    refused(page, "matrix", "is not a count")
    page.locator("#examples").get_by_text("Labels swapped").click()
    shows(page, -1.0)
    expect(page.locator("[id^=refusal]:visible")).to_have_count(0)


# What the server refuses


def post(url: str, body: Any, content_type: str = "application/json") -> tuple[int, str]:
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def called(url: str, name: str, data: list[Any], visitor: str) -> str:
    """Return what the server answers to a click on a button."""
    with urllib.request.urlopen(f"{url}config") as answer:
        config = json.load(answer)
    (own,) = (x["id"] for x in config["components"] if x["props"].get("elem_id") == name)
    event = next(x["id"] for x in config["dependencies"] if [own, "click"] in x["targets"])
    call = {"data": data, "fn_index": event, "session_hash": visitor}
    post(f"{url}gradio_api/queue/join", json.dumps(call).encode())
    with urllib.request.urlopen(f"{url}gradio_api/queue/data?session_hash={visitor}") as said:
        return said.read().decode()


def test_the_server_refuses_large_uploads_and_requests_and_lets_no_browser_ask_other_hosts(app):
    with urllib.request.urlopen(app("informedness")) as answer:
        policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    url = app("informedness") + "gradio_api/"
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    for size, wanted in ((9_000_000, 200), (11_000_000, 413)):
        body = head + b"a" * size + b"\r\n--x--\r\n"
        assert post(f"{url}upload", body, "multipart/form-data; boundary=x")[0] == wanted
    status, said = post(f"{url}call/score", b"a" * 20_000_001)
    assert status == 413
    assert said == "A request can have at most 20,000,000 bytes, this has 20,000,001."
    chunks = iter([b'{"data": ["', *[b"a" * 1_000_000] * 21, b'"]}'])  # sent without a length
    assert post(f"{url}call/score", chunks)[0] == 400
