"""What people do with the page, in a browser, in the app as it is staged and served."""

import json
import re
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

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


def button(page: Page | Locator, name: str) -> Locator:
    return page.get_by_role("button", name=re.compile(rf"^{name}\b")).locator("visible=true")


def box(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Paste anything").locator("visible=true")


def menu(page: Page, role: str) -> Locator:
    return page.get_by_label(f"Column of {role}").locator("visible=true")


def account(page: Page, door: str = "mine") -> Locator:
    """Return the line that says what was recognised; what is below it unfolds."""
    return page.locator(f"#{door}-account")


def options(page: Page) -> None:
    """Unfold the options of the open door."""
    if not page.get_by_label("What is meant").locator("visible=true").count():
        button(page, "Options").click()


def count_in(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix that is typed; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


def paste(page: Page, *columns: list[str]) -> None:
    """Paste a table of one model or two, and wait for its columns."""
    header = ["label", "prediction", "second"][: len(columns)]
    tab(page, "Score mine" if len(columns) == 2 else "Compare two")
    box(page).fill(rows_of("\t".join(header), *columns, sep="\t"))
    expect(menu(page, "references")).to_have_value(header[0])


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


def open_matrix(page: Page, text: str = "\tham\tspam\nham\t90\t0\nspam\t10\t0") -> None:
    """Paste a matrix, which opens in the grid."""
    tab(page, "Score mine")
    box(page).fill(text)
    expect(page.locator("#grid")).to_be_visible()
    expect(box(page)).to_have_value("")


def shows(page: Page, value: float, door: str = "mine") -> None:
    """Wait for the score, as an answer to the inputs as they are."""
    fresh = "" if door == "why" else f"#{door}-bench:not([data-stale]) "
    texts = "|".join(f"{value:.{n}f}".replace("-", "\u2212") for n in (2, 3))
    expect(page.locator(f"{fresh}#{door} .score")).to_have_text(re.compile(f"^({texts})$"))


def shows_matrix(page: Page, matrix: list[list[int]]) -> None:
    shows(page, ContingencyTable.from_matrix(matrix).informedness())


def is_stale(page: Page, door: str = "mine") -> None:
    expect(page.locator(f"#{door}-bench")).to_have_attribute("data-stale", "")


def refused(page: Page, sentence: str, door: str = "mine") -> None:
    """Wait for a refusal, beside which there is no result."""
    expect(page.locator(f"#{door}-refusal")).to_contain_text(sentence)
    expect(page.locator(f"#{door} .viz")).to_have_count(0)
    expect(page.get_by_test_id("toast-body")).to_have_count(0)


def remedy(page: Page, text: str) -> None:
    """Press a button that is offered for a refusal or a warning."""
    page.locator(".remedy:visible", has_text=text).click()


# Links


def test_hostile_labels_are_text_in_every_place_and_link(visit):
    # a class that is only predicted is not part of k: the link must keep it that way
    columns = [*HOSTILE[1:], HOSTILE[2]], [*HOSTILE[1:], HOSTILE[0]]
    page = visit("nit")
    paste(page, *columns)
    shows(page, report(*columns).scores["nit"])
    _, *labels, _ = page.locator("#mine .heat thead th").all_text_contents()
    assert sorted(map(str.strip, labels)) == sorted(map(as_shown, HOSTILE))
    told = page.locator("#mine-details").all_text_contents()
    visit("nit", page.locator("#mine-details .link").get_attribute("href"))
    shows(page, report(*columns).scores["nit"])
    assert page.locator("#mine-details").all_text_contents() == told
    names = [count_in(page, i, -1).input_value() for i in range(len(HOSTILE))]
    assert page.locator("#grid thead bdi").all_inner_texts() == names
    assert sorted(names) == sorted(HOSTILE)
    count_in(page, 0, 0).fill(HOSTILE[1])
    refused(page, HOSTILE[1][:40])


def test_two_models_are_compared_and_a_link_does_so_again(visit, app):
    page = visit(query="?")
    verdict = page.locator("#compare-bench:not([data-stale]) .verdict")
    paste(page, GOLD, MODEL, [*BETTER[1:], ""])
    refused(page, "must have a value in every row", "compare")
    paste(page, GOLD, MODEL, BETTER)
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER).summary).replace(" -", " \u2212"))
    expect(page.locator("#compare-refusal")).to_be_hidden()
    page.goto(app("informedness") + page.locator("#compare-details .link").get_attribute("href"))
    expect(verdict).to_have_text(str(compare(GOLD, MODEL, BETTER).summary).replace(" -", " \u2212"))
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
    opened = {"guess": "Guess", "use": "Use it", "mine": "Score mine", "paste": "Score mine"}
    for name, title in opened.items():
        page.goto(f"{url}?tab={name}")
        selected = page.get_by_role("tab", selected=True, name=title)
        expect(selected).to_be_visible()
    tab(page, "Compare two")
    assert page.url == f"{url}?tab=compare"  # the address is a link, too
    visit(query="?example=5")
    shows(page, -1.0, "why")
    expect(page.locator("#examples input:checked")).to_have_value("All swapped")
    page.goto(f"{url}?example=9")
    expect(page.locator("#why-refusal")).to_contain_text("There are 5 examples")


# What is seen


@pytest.mark.parametrize("size", [(1280, 720), (390, 844)])
@pytest.mark.parametrize("metric", METRICS)
def test_the_first_view_has_the_verdict_and_the_picture(visit, metric, size):
    page = visit(metric, "?", width=size[0])
    page.set_viewport_size({"width": size[0], "height": size[1]})
    first = {"informedness": "#why .field i >> nth=0", "nit": "#why .scale .tall"}[metric]
    parts = "#why .score", "#why .verdict", "#why .interval", "#why .lead", first

    def place(part: str) -> Any:
        return page.locator(part).bounding_box()

    tops = [place(part)["y"] for part in (*parts[3:], "#why-details")]
    assert tops == sorted(tops)
    assert [x for x in parts if place(x)["y"] + place(x)["height"] > size[1]] == []
    expect(page.locator("#why-details [open]")).to_have_count(0)
    for name, parts in (
        ("Guess", ["#guess .answers", "#guess .answer >> nth=0"]),
        ("Simulate", ["#spam", "#simulation .moving >> nth=0"]),
    ):
        tab(page, name)
        page.evaluate("scrollTo(0, 0)")
        assert [x for x in parts if place(x)["y"] + place(x)["height"] > size[1]] == []


def test_examples_are_chosen_by_arrow_keys_and_folds_stay(visit):
    page = visit(query="?")
    marked, told = page.locator("#examples input:checked"), page.locator("#why .told")
    fold = page.locator("#why-details [data-fold=Classes]")
    fold.locator("summary").click()
    page.locator("#examples").get_by_text("A language model").click()
    expect(marked).to_have_value("A language model that guesses")
    marked.focus()
    page.keyboard.press("ArrowLeft")  # one stop of the tab key for all of them
    expect(marked).to_have_value("90% right, knows nothing")
    expect(told).to_contain_text("answers ham (not spam) to every message")
    page.locator("#examples").get_by_text("All swapped").click()
    shows(page, -1.0, "why")
    expect(page).to_have_url(re.compile(r"\?example=5$"))
    expect(fold).to_have_attribute("open", "")


STATES = {  # what is done in the open page
    "examples": lambda page: None,
    "guess": lambda page: (tab(page, "Guess"), button(page, "Always ham").click()),
    "simulate": lambda page: tab(page, "Simulate"),
    "nothing": lambda page: tab(page, "Score mine"),
    "a table": lambda page: (paste(page, GOLD, MODEL), options(page)),
    "asked": lambda page: (tab(page, "Score mine"), box(page).fill("a\tb\nb\tb\na\ta")),
    "refused": lambda page: (tab(page, "Score mine"), box(page).fill("gold,model\na,\nb,b")),
    "lists": lambda page: (tab(page, "Score mine"), box(page).fill("a, b, a")),
    "a matrix": open_matrix,
    "counts": lambda page: (tab(page, "Score mine"), box(page).fill(PAIRS)),
    "compare": lambda page: paste(page, GOLD, MODEL, BETTER),
    "use": lambda page: tab(page, "Use it"),
}
PAIRS = "gold,model,n\na,a,90\na,b,10\nb,b,45\nb,a,5\n"


@pytest.mark.parametrize(("metric", "scheme"), [("informedness", "light"), ("nit", "dark")])
def test_no_state_has_a_finding_of_axe_and_all_fit(visit, metric, scheme):
    page = visit(metric)
    page.emulate_media(color_scheme=scheme, reduced_motion="reduce")
    assert page.evaluate("document.documentElement.lang") == "en"
    for name, do in STATES.items():
        visit(metric, "?")
        do(page)
        if name not in ("examples", "guess", "simulate", "nothing", "use"):
            expect(page.locator(".viz:visible").last).to_be_visible()
            page.wait_for_timeout(300)
        for fold in page.locator(".folds summary:visible, #simulation summary:visible").all():
            fold.click()
        found = Axe().run(page, options={"resultTypes": ["violations"]}).response["violations"]
        assert [(one["id"], one["nodes"][0]["html"]) for one in found] == [], name
        for width in (320, 899, 900, 1920):
            page.set_viewport_size({"width": width, "height": 800})
            page.wait_for_function("document.documentElement.scrollWidth <= innerWidth")
            page.wait_for_function("""[...document.querySelectorAll(".story .viz *")].every(
                (part) => part.closest(".unseen, .wide")
                    || part.getBoundingClientRect().right <= innerWidth)""")
    expect(page.locator("#card")).to_contain_text(f'{metric} = evaluate.load("{metric}")')
    picture = page.locator("#card img[alt]").first
    assert picture.evaluate("image => image.naturalWidth") > 200
    expect(button(page, "Use via API")).to_be_visible()


def test_a_finger_finds_targets_of_44_pixels(visit):
    page = visit(query="?", width=390)
    targets = "#examples label", ".copy", "[role=tab]", "summary", "#grid input", "#grid button"
    open_matrix(page, str([[12345] * 9] * 9))
    for target in (*targets, "button.primary"):
        for one in page.locator(f"{target} >> visible=true").all():
            assert one.bounding_box()["height"] >= 44, target
    cut_off = page.locator("#grid .scrolled")
    assert cut_off.evaluate("x => x.scrollWidth > x.clientWidth")
    assert cut_off.evaluate("x => getComputedStyle(x).backgroundImage").count("gradient") == 4
    tab(page, "Use it")
    expect(page.locator("#card")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollHeight") < 3300  # half of the whole card


def test_forced_colours_leave_the_key_the_cross_and_the_button(visit):
    page = visit(query="?")
    page.emulate_media(forced_colors="active")
    style = "(one, name) => getComputedStyle(one).getPropertyValue(name)"
    cross, square = (page.locator(f"#why .key .{kind}") for kind in ("wrong", "lucky"))
    assert "gradient" in cross.evaluate(style, "background-image")
    assert square.evaluate(style, "border-top-color") == "rgb(0, 114, 178)"
    assert page.locator("#why .line").evaluate(style, "forced-color-adjust") == "none"
    tab(page, "Score mine")
    expect(page.locator("#mine-button")).to_have_css("border-top-width", "2px")  # in a transition
    page.emulate_media(forced_colors="none")


# Tables


def test_the_form_of_a_paste_is_shown_and_can_be_changed(visit):
    page = visit(query="?", width=390)
    tab(page, "Score mine")
    refusal, names = page.locator("#mine-refusal"), page.get_by_label("Table with names above")
    box(page).fill("label,prediction\na,\nb,b")
    expect(refusal).to_contain_text("an empty cell or text such as NA in 1 of 2 rows")
    tops = [x.bounding_box()["y"] for x in (box(page), refusal, button(page, "Score"))]
    assert tops == sorted(tops)
    box(page).fill("a\tb\nb\tb\na\ta\nb\tb")
    refused(page, "The first row may hold the names of the columns, or be data: say what it is.")
    expect(names).not_to_be_checked()
    remedy(page, "Table without names")
    shows(page, 0.5)
    expect(menu(page, "references")).to_have_value("column 1")
    expect(account(page)).to_contain_text("Table without names: 4 rows")
    names.check()
    shows(page, 1.0)
    expect(menu(page, "references")).to_have_value("a")
    page.locator("#mine-button").scroll_into_view_if_needed()
    page.locator("#mine-button").click()
    expect(page.locator("#mine .verdict")).to_be_in_viewport()


def test_a_file_shows_its_columns_and_is_scored_by_those_chosen(visit, app, tmp_path):
    page, names = visit(query="?"), ("text", "prediction", "label", "gold", HOSTILE[0])
    counts = [1, 9] * 10
    columns = [f"text {i}" for i in range(20)], MODEL, GOLD, BETTER, counts
    path = tmp_path / "<img src=x onerror=window.executed=8>.csv"
    path.write_text(rows_of(";".join(names), *columns, sep=";"), "utf-8")
    tab(page, "Score mine")
    page.locator("input[type=file]").first.set_input_files(path)
    refused(page, "Choose the column of references: the header does not say")
    expect(account(page)).to_contain_text("columns: text, prediction, label, gold, ")
    options(page)
    for role, name in (("references", "label"), ("counts", HOSTILE[0])):
        menu(page, role).click()
        page.get_by_role("option", name=name, exact=True).last.click()
        expect(menu(page, role)).to_have_value(name)
    gold, model = (np.repeat(column, counts).tolist() for column in (GOLD, MODEL))
    shows(page, report(gold, model).scores["informedness"])
    account(page).locator("summary").click()
    expect(account(page)).to_contain_text("not used: text, gold")


def open_file(page: Page, path: Path) -> None:
    """Put a file in place of the one that is there."""
    tab(page, "Score mine")
    for clear in page.get_by_label("Clear").locator("visible=true").all():
        clear.click()
    page.locator("input[type=file]").first.set_input_files(path)


def test_logs_and_sheets_of_workbooks_can_be_chosen(visit, tmp_path):
    page = visit(query="?")
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
    refused(page, "spam; spam, last")
    choice.click()
    page.get_by_role("option", name="spam", exact=True).click()
    known = {"labels": ["no", "yes"], "unknown": "wrong"}
    shows(page, report(targets, answers["none"], **known).scores["informedness"])
    expect(account(page)).to_contain_text("the text after filter 'none'")
    open_file(page, LOG)
    shows(page, read_log(LOG)[0].report().scores["informedness"])
    expect(account(page)).to_contain_text("what scorer 'choice' logged as the answer")
    book = openpyxl.Workbook()
    for name, model in (("First", MODEL), ("Second", BETTER)):
        sheet = book.create_sheet(name)
        for row in [("gold", "model"), *zip(GOLD, model, strict=True)]:
            sheet.append(row)
    book.save(tmp_path / "two.xlsx")
    open_file(page, tmp_path / "two.xlsx")
    refused(page, 'pass one as "Sheet of the')
    choice.click()
    page.get_by_role("option", name="Second").click()
    shows(page, report(GOLD, BETTER).scores["informedness"])
    expect(account(page)).to_contain_text("sheet Second (of Sheet, First, Second): 20 rows")


def second_list(page: Page) -> Locator:
    return page.get_by_role("textbox", name="List of predictions").locator("visible=true")


def test_lists_are_scored_side_by_side_or_by_their_names(visit):
    page = visit(query="?")
    tab(page, "Score mine")
    box(page).fill(repr(GOLD))
    refused(
        page, "This is a list of 20 references. Put the list of predictions into the box below it"
    )
    second_list(page).fill("\n".join(MODEL))
    shows(page, report(GOLD, MODEL).scores["informedness"])
    second_list(page).fill("a, b")
    refused(page, "references 20, predictions 2")
    box(page).fill(f"y_true = {GOLD}\ny_pred = np.array({BETTER}, dtype=object)")
    shows(page, report(GOLD, BETTER).scores["informedness"])
    expect(menu(page, "references")).to_have_value("y_true")
    expect(second_list(page)).to_have_count(0)
    open_matrix(page, "predicted  ham  spam\nactual\nham        90     1\nspam        5     4\n")
    shows_matrix(page, [[90, 1], [5, 4]])


def test_a_paste_of_many_lines_becomes_a_file(visit):
    page = visit(query="?")
    tab(page, "Score mine")
    for i in (1, 2):  # the second time, the first file is there
        paste_into(box(page), rows_of("gold,model", GOLD * 250 * i, MODEL * 250 * i))
        expect(account(page)).to_contain_text(re.compile(f"{5000 * i:,d} rows"))
        expect(account(page)).to_contain_text(re.compile("gold,model\\s+a,a", re.S))
    expect(box(page)).to_have_value("")
    box(page).fill(rows_of("gold,model", GOLD, MODEL))
    expect(account(page)).to_contain_text("20 rows")
    expect(page.get_by_label("Clear").locator("visible=true")).to_have_count(0)  # the file is gone


def test_remedies_are_buttons_and_other_switches_are_options(visit):
    page = visit(query="?")
    tab(page, "Score mine")
    for model, offered in (
        (map(str.upper, MODEL), "Ignore case"),
        ((f" {x}" for x in MODEL), "Ignore blanks"),
    ):
        box(page).fill(rows_of("gold\tmodel", GOLD, model, sep="\t"))
        remedy(page, offered)
        shows(page, report(GOLD, MODEL).scores["informedness"])
    visit(query="?tab=mine")
    two, scores = ["ham", "spam"] * 10, [0.1, 0.9, 0.4, 0.3, 0.7] * 4
    box(page).fill(rows_of("gold,model", two, scores))
    refused(page, '"Threshold" under Options')
    options(page)
    for name, text in (("^Threshold", "0.35"), ("^Classes", "ham, spam")):
        page.get_by_role("textbox", name=re.compile(name)).locator("visible=true").fill(text)
    cut = [two[x > 0.35] for x in scores]
    shows(page, report(two, cut).scores["informedness"])
    visit(query="?tab=mine")
    box(page).fill(PAIRS)
    doubt = page.locator("#mine .warning").first
    expect(doubt).to_contain_text("as in a table of counts")
    assert doubt.bounding_box()["y"] < page.locator("#mine .score").bounding_box()["y"]
    expect(page.locator("#mine .score.big")).to_have_count(0)
    remedy(page, "Use column 'n' as counts")
    shows_matrix(page, [[90, 10], [5, 45]])
    expect(page.locator("#mine .score.big")).to_have_count(1)
    expect(account(page)).not_to_contain_text("not used")


def test_the_average_and_the_level_are_chosen_and_in_the_link(visit):
    page, matrix = visit(query="?"), [[9, 1, 0], [2, 7, 3], [0, 1, 27]]
    table = ContingencyTable.from_matrix(matrix)
    open_matrix(page, str(matrix))
    shows_matrix(page, matrix)
    options(page)
    for label, choice in (("Average over classes", "prevalence"), ("Interval", "99%")):
        page.get_by_role("combobox", name=label).locator("visible=true").click()
        page.get_by_role("option", name=choice).click()
    made = estimate(table, average="prevalence", confidence_level=0.99)
    low, high = made.confidence_interval
    interval = page.locator("#mine .interval")
    expect(interval).to_contain_text(f"99% interval {low:.2f} to {high:.2f}")
    shows(page, made.value)
    href = page.locator("#mine-details .link").get_attribute("href")
    page.locator("#mine-details [data-fold=Classes] summary").click()
    rates = page.locator("#mine-details [data-fold=Classes] table").last.locator("tbody tr").first
    (first, *_) = report(table).per_class
    wanted = [f"{first[rate]:.3f}" for rate in ("precision", "tpr", "f1")]
    assert rates.locator("td").all_inner_texts() == wanted
    visit(query=href)
    expect(interval).to_contain_text(f"99% interval {low:.2f} to {high:.2f}")


def test_cells_are_typed_named_added_removed_pasted_and_undone(visit):
    """Whoever comes to a cell by mouse, key or touch and types replaces what is in it."""
    page = visit(query="?")
    fields = page.locator("#grid tbody input")
    tab(page, "Score mine")
    page.get_by_label("Matrix of counts").check()  # and nothing is scored yet
    expect(page.locator("#grid")).to_be_visible()
    expect(page.locator("#mine .viz, #mine-refusal .viz")).to_have_count(0)
    open_matrix(page)
    count_in(page, 1, 0).click()
    count_in(page, 1, -1).click()
    page.keyboard.type("junk")
    page.keyboard.press("Tab")
    page.keyboard.type("12")
    count_in(page, 1, 1).tap()
    page.keyboard.type("5")
    shows_matrix(page, [[90, 0], [12, 5]])  # as one types, without the button
    expect(page.locator("#mine .heat")).to_have_count(0)
    margins = page.locator("#grid .rate")
    expect(margins).to_have_text(["recall", "1.000", "0.294", "0.706", "0.000"])
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
    expect(page.locator("#mine .warning")).to_contain_text("the names suggest the opposite")
    expect(account(page)).to_have_text(re.compile("Pasted a matrix of 2 classes, with their names"))
    paste_into(count_in(page, 0, 0), "0,9\t0,1\n0,25\t0,75")  # decimal commas
    shows(page, 0.65)
    expect(page.locator("#mine .warning")).to_contain_text(
        ["sums to about 1. If its cells are shares", "no interval"]
    )
    button(page, "Undo").click()
    shows_matrix(page, [[5, 1], [2, 4]])


# The game of guessing, and the simulation


def test_who_always_answers_ham_scores_0_until_clues_are_shown(visit):
    page, asked = visit(query="?"), list[str]()
    tab(page, "Guess")
    page.wait_for_load_state("networkidle")  # the page itself is asked for
    page.on("request", lambda request: asked.append(request.url))
    board = page.locator("#guess")
    numbers = board.locator(".number:visible")
    expect(board).to_contain_text("Message 1: hidden. Guess!")
    button(page, "Ham").focus()
    page.keyboard.press("Enter")
    expect(board).to_contain_text(re.compile("Message 1 was (ham|spam), you said ham"))
    expect(numbers).to_have_count(1)  # after one answer, others would jump
    button(page, "Always ham").click()
    expect(numbers).to_have_text(["80%Accuracy", "0.00Informedness"])
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
    expect(numbers).to_have_text(["100%Accuracy", "1.00Informedness"])
    assert asked == []


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


def test_handles_move_squares_and_leave_a_trace_and_an_address(visit):
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
    assert ends[1] == pytest.approx([0.4, 0.4])
    page.mouse.up()
    expect(page).to_have_url(re.compile(rf"\?tab=simulate&spam={spam}&known=40$"))
    assert asked == []
    for known in ("0", "72", "100"):
        page.locator("#known input").fill(known)
        order = [0, 1, 2, 4, 5, 6, 3, 7]  # F1 is in the fold
        assert [numbers.all_text_contents()[order.index(i)] for i in range(8)] == simulated(
            float(spam), float(known)
        )


def test_squares_of_every_simulation_agree_with_its_numbers(visit):
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


def test_back_returns_to_the_tab_before_and_links_lead_on(visit, app):
    page, url = visit(query="?"), app("informedness")
    for link, query in (
        ("Guess", "?tab=guess"),
        ("Next: Simulate", "?tab=simulate"),
        ("Next: your own data", "?tab=mine"),
    ):
        role = "link" if link.startswith("Next") else "tab"
        page.get_by_role(role, name=link, exact=True).click()
        expect(page).to_have_url(url + query)
    expect(box(page)).to_be_visible()
    for query, shown in (("simulate", "#simulation"), ("guess", "#guess")):
        page.go_back()
        expect(page).to_have_url(f"{url}?tab={query}")
        expect(page.locator(shown)).to_be_visible()


def test_back_returns_to_the_example_before_also_after_a_reload(visit, app):
    page, url = visit(query="?"), app("informedness")
    chips = page.locator("#examples label")
    expect(chips.nth(0)).to_contain_class("selected")
    for number in (2, 3):
        chips.nth(number - 1).click()
        expect(chips.nth(number - 1)).to_contain_class("selected")
        expect(page).to_have_url(f"{url}?example={number}")
    tab(page, "Simulate")
    page.reload()
    expect(page.locator("#simulation")).to_be_visible()
    for number in (3, 2):
        page.go_back()
        expect(page).to_have_url(f"{url}?example={number}")
        expect(chips.nth(number - 1)).to_contain_class("selected")


def test_inputs_outlive_a_reload_and_are_read_again(visit):
    page = visit(query="?")
    paste(page, [x.upper() for x in GOLD], MODEL)
    remedy(page, "Ignore case")
    shows(page, report(GOLD, MODEL).scores["informedness"])
    pasted = box(page).input_value()
    assert "label" not in page.url.replace("?tab=mine", "")
    page.reload()
    expect(box(page)).to_have_value(pasted)
    shows(page, report(GOLD, MODEL).scores["informedness"])  # with the option
    expect(menu(page, "references")).to_have_value("label")
    box(page).fill("label,prediction\nham,\nspam,ham\n")
    refused(page, "must have a value in every row")
    page.reload()
    refused(page, "must have a value in every row")
    open_matrix(page)
    count_in(page, 1, 1).fill("30")
    shows_matrix(page, [[90, 0], [10, 30]])
    tab(page, "See why")
    page.reload()
    tab(page, "Score mine")
    shows_matrix(page, [[90, 0], [10, 30]])
    expect(count_in(page, 1, 1)).to_have_value("30")
    verdict = page.locator("#compare-bench:not([data-stale]) .verdict")
    paste(page, GOLD, MODEL, BETTER)
    said = str(compare(GOLD, MODEL, BETTER).summary).replace(" -", " \u2212")
    expect(verdict).to_have_text(said)
    tab(page, "Use it")
    page.reload()
    page.go_back()
    expect(box(page)).to_have_value(re.compile("^label\tprediction\tsecond"))
    expect(verdict).to_have_text(said)
    visit(query="?example=5")
    shows(page, -1.0, "why")
    visit(query="?class=a&class=b&counts=5,1,2,4")
    shows_matrix(page, [[5, 1], [2, 4]])
    count_in(page, 0, 0).fill("6")  # no longer what the address says
    shows_matrix(page, [[6, 1], [2, 4]])
    page.reload()
    shows_matrix(page, [[6, 1], [2, 4]])


def test_a_result_is_copied_in_every_form(visit, app):
    page = visit(query="?example=3")
    shows(page, 0.73, "why")
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])

    def copied(button: Locator) -> str:
        button.click()
        expect(button).to_have_attribute("data-done", "copied")
        return page.evaluate("navigator.clipboard.readText()")

    made = report(
        ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"]),
        confidence_level=0.95,
    )
    forms = page.locator("#why .copies")
    text = (
        "Informedness 0.73, 95% interval 0.41 to 0.995, 100 samples; accuracy 92%, always ham 90%"
    )
    assert copied(button(forms, "Copy as text")) == text
    forms.locator("summary").click()
    row = r"Informedness & 0.73 & [0.41, 0.995] & 92.0\% & 100 samples \\"
    assert copied(button(forms, "LaTeX row")) == row
    assert copied(button(forms, "Markdown")) == made.to_markdown()
    assert json.loads(copied(button(forms, "JSON"))) == made.to_dict() | {"warnings": []}
    assert copied(button(forms, "Citation")).startswith(f"{text}. D. M. W. Powers (2003)")
    assert (
        copied(button(forms, "Copy link"))
        == f"{app('informedness')}?class=ham&class=spam&counts=84,6,2,8"
    )
    with page.expect_download() as saved:
        forms.get_by_role("link", name="SVG").click()
    drawn = ElementTree.parse(saved.value.path())
    assert len(re.findall("M", "".join(x.get("d", "") for x in drawn.iter()))) == 200  # squares
    for fold, part in (
        ("The same in Python", ".python code"),
        ("Link and signature", ".signature"),
    ):
        place = page.locator(f"#why-details [data-fold='{fold}']")
        place.locator("summary").click()
        assert (
            copied(place.get_by_role("button", name="Copy")) == place.locator(part).text_content()
        )
    tab(page, "Compare two")
    button(page, "An example").click()
    rows = json.loads(EXAMPLES.read_text("utf-8"))["compare"]
    models = compare(*zip(*(row[:3] for row in rows for _ in range(row[3])), strict=True))
    said = copied(button(page.locator("#compare .copies"), "Copy as text"))
    assert said == f"Informedness: A {models.a:.3f}, B {models.b:.3f}; {models.summary}"


def test_the_page_asks_a_busy_server_again(visit):
    page, busy, refused = visit(query="?"), visit().locator("#busy"), []
    open_matrix(page)

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


def test_a_result_of_other_inputs_is_hidden_within_a_second(visit):
    page, held = visit(query="?"), list[Any]()
    paste(page, GOLD, MODEL)
    shows(page, report(GOLD, MODEL).scores["informedness"])
    page.route("**/queue/join*", lambda route: held.append(route))
    box(page).fill(rows_of("label\tprediction", GOLD, BETTER, sep="\t"))
    is_stale(page)
    expect(page.locator("#mine .score")).to_have_css("visibility", "hidden")
    assert page.locator("#mine .viz").evaluate("x => getComputedStyle(x).opacity") == "1"
    held[0].continue_()
    page.unroute("**/queue/join*")
    shows(page, report(GOLD, BETTER).scores["informedness"])


def test_a_refusal_is_gone_with_the_next_result(visit):
    page = visit(query="?")
    open_matrix(page)
    count_in(page, 1, 1).fill("ten")
    refused(page, "is not a count")
    count_in(page, 1, 1).fill("10")
    shows_matrix(page, [[90, 0], [10, 10]])
    expect(page.locator("[id$=-refusal]:visible")).to_have_count(0)


# What the server refuses


def post(url: str, body: Any, content_type: str = "application/json") -> tuple[int, str]:
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


def test_the_server_limits_requests_and_hosts(app):
    with urllib.request.urlopen(app("informedness")) as answer:
        policy = answer.headers["content-security-policy"]
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    url = app("informedness") + "gradio_api/"
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    for size, wanted in ((9_500_000, 200), (11_000_000, 413)):
        body = head + b"a" * size + b"\r\n--x--\r\n"
        assert post(f"{url}upload", body, "multipart/form-data; boundary=x")[0] == wanted
    status, said = post(f"{url}call/score", b"a" * 20_000_001)
    assert status == 413
    assert said == "A request can have at most 20,000,000 bytes, and must say how many."
    chunks = iter([b'{"data": ["', *[b"a" * 1_000_000] * 21, b'"]}'])  # sent without a length
    assert post(f"{url}call/score", chunks)[0] == 413
