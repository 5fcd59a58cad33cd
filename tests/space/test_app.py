"""The page people use and the endpoints programs call, in the app as it is staged and served."""

import itertools
import json
import math
import re
import sys
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import quote, urlencode

import pytest
from playwright.sync_api import Browser, Locator, Page, Request, expect

from golden import BY_ID, VECTORS, close
from informedness import ContingencyTable, Report, compare, estimate, report
from informedness.core.scores import signature_of
from informedness.scores.registry import REPORTED, score_named

METRICS = ("informedness", "nit")
TITLES = {"informedness": "Informedness", "nit": "NIT"}
COLUMNS = (["ham", "ham", "spam", "spam", "eggs"], ["ham", "spam", "spam", "spam", "ham"])
MANY = (["ham"] * 60 + ["spam"] * 40, ["ham"] * 50 + ["spam"] * 45 + ["ham"] * 5)
EXECUTED = "window.executed"
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
    "paypal",
    "p\u0430yp\u0430l",  # with the Cyrillic letter
    "\u05e9\u05dc\u05d5\u05dd",  # right to left
]
OVERRIDE = "ham\u202emaps"  # would turn the rest of the line around


@pytest.fixture
def visit(app: Callable[[str], str], browser: Browser) -> Iterator[Callable[..., Page]]:
    """Return the function that opens a page; whatever pages do, they stay on their host."""
    contexts = []
    requested: list[str] = []
    failed: list[str] = []

    def listen(request: Request) -> None:
        requested.append(request.url)

    def opened(metric: str = "informedness", query: str = "", **options: Any) -> Page:
        context = browser.new_context(**{"viewport": {"width": 1200, "height": 900}, **options})
        contexts.append(context)
        context.on("request", listen)
        page = context.new_page()
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.set_default_timeout(15_000)
        page.goto(app(metric) + query)
        page.locator("#score").wait_for()
        return page

    yield opened
    hidden = [page.evaluate(f"{EXECUTED} ?? null") for c in contexts for page in c.pages]
    for context in contexts:
        context.close()
    outside = {url for url in requested if not re.match(r"http://127\.0\.0\.1:|data:|blob:", url)}
    assert (outside, failed) == (set(), [])
    assert set(hidden) <= {None}


def tab(page: Page, *names: str) -> None:
    for name in names:
        page.get_by_role("tab", name=name, exact=True).click()


def paste(page: Page, references: list[str], predictions: list[str]) -> None:
    tab(page, "Paste")
    page.get_by_role("textbox", name="References").fill("\n".join(references))
    page.get_by_role("textbox", name="Predictions").fill("\n".join(predictions))
    page.locator("#score-columns").click()


def fill_at_once(box: Locator, text: str) -> None:
    """Fill a box as a program would: past the browser's own maxlength, and faster than typing."""
    box.evaluate("(e, text) => { e.value = text; e.dispatchEvent(new Event('input')); }", text)


def shows(page: Page, value: float) -> None:
    expect(page.locator("#score")).to_have_text(f"{value:.3f}")


def heat_labels(area: Locator) -> list[str]:
    """Return the labels of the rows of the first heat map."""
    return area.locator(".heat").first.locator("tbody th").all_inner_texts()


def refusal(page: Page, sentence: str) -> None:
    said = page.locator("[role=alert].refusal, [data-testid=toast-body]")
    expect(said.filter(has_text=sentence).locator("visible=true")).to_have_count(1)


def count_in(page: Page, row: int, column: int) -> Locator:
    """Return a count of the matrix that is typed; column -1 holds the names."""
    return page.locator(f'#grid input[data-row="{row}"][data-column="{column}"]')


# What people do with the page


@pytest.mark.parametrize("metric", METRICS)
def test_pasted_columns_give_the_score_of_the_package(visit, metric):
    page = visit(metric)
    wanted = report(*COLUMNS)
    paste(page, *COLUMNS)
    shows(page, wanted.scores[metric])
    sentence = wanted.sentence if metric == "informedness" else wanted.sentence_of(metric)
    assert sentence in page.locator("#result").inner_text()
    for name, title in (("accuracy", "Accuracy"), ("ema", "EMA"), ("f1_macro", "F1-macro")):
        row = page.locator("#result").get_by_role("row", name=title, exact=False).first
        assert f"{wanted.scores[name]:.3f}" in row.inner_text()


def test_the_scale_shows_chance_and_the_best_value_these_references_allow(visit):
    page = visit("nit")
    paste(page, ["ham"] * 9 + ["spam"], ["ham"] * 9 + ["spam"])
    shows(page, 0.692)
    scale = page.get_by_role("img", name="NIT 0.692")
    expect(scale).to_have_attribute("aria-label", re.compile("chance is 0.5, .* here is 0.692"))


def numbers_of(text: str) -> list[float]:
    return [float(found) for found in re.findall(r"-?\d+\.\d+", text)]


def rounded(*values: float) -> list[float]:
    return [pytest.approx(value, abs=5.1e-4) for value in values]


@pytest.mark.parametrize("metric", METRICS)
def test_a_pasted_score_has_the_interval_and_the_signature_of_the_package(visit, metric):
    page = visit(metric)
    wanted = estimate(ContingencyTable.from_labels(*MANY), metric)
    paste(page, *MANY)
    expect(page.locator("#signature")).to_have_text(wanted.signature)
    shows(page, wanted.value)
    said = page.locator("#interval").inner_text()
    assert "standard error" in said
    ends = wanted.confidence_interval
    error, low, high = said.partition("95% interval")[0], *numbers_of(said)[1:]
    assert [*numbers_of(error), low, high] == rounded(wanted.standard_error, *ends)
    scale = page.locator("#scale svg").get_attribute("aria-label")
    assert "95% interval" in scale
    assert numbers_of(scale)[:3] == rounded(wanted.value, *ends)
    assert "may cover" not in page.locator("#result").inner_text()


def test_a_matrix_has_the_interval_and_a_warning_where_samples_are_few(visit):
    matrix = [[6, 0, 0], [0, 1, 2], [4, 2, 6]]
    page = visit("nit")
    with pytest.warns(UserWarning, match="21 samples") as caught:
        wanted = estimate(ContingencyTable.from_matrix(matrix, labels=["a", "b", "c"]), "nit")
    page.get_by_role("button", name="Averages disagree").click()
    expect(page.locator("#signature")).to_have_text(wanted.signature)
    said = numbers_of(page.locator("#interval").inner_text())
    assert said == rounded(wanted.standard_error, *wanted.confidence_interval)
    notes = page.locator("#result .note").all_inner_texts()
    warned = str(caught[0].message).removeprefix("informedness: ")
    assert warned.replace("of nit", "of NIT") in notes


def test_nit_of_classes_that_are_not_known_has_no_interval_until_they_are_declared(visit):
    references = ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    page = visit("nit")
    with pytest.warns(UserWarning, match="there is no interval of nit: 2 ref") as caught:
        wanted = estimate(ContingencyTable.from_labels(references, references), "nit")
    paste(page, references, references)
    expect(page.locator("#signature")).to_have_text(wanted.signature)
    why = str(caught[0].message).partition("of nit: ")[2]
    why = why.replace("labels= with", "a matrix with")  # which is where the page has its classes
    error = f"{wanted.standard_error:.3f}"
    expect(page.locator("#interval")).to_have_text(
        f"± {error} (standard error), no interval: {why}"
    )
    assert page.locator("#result .note").count() == 0  # it is said once
    for word in ("nan", "undefined"):
        assert word not in page.locator("#result").inner_text().lower()
    scale = page.locator("#scale svg")
    assert "no interval" in scale.get_attribute("aria-label")
    assert scale.locator("rect").count() == 0
    page.goto(page.url.partition("?")[0] + page.locator("#link").get_attribute("href"))
    expect(page.locator("#interval")).to_contain_text("no interval")
    page.locator("#score-matrix").click()
    expect(page.locator("#interval")).to_contain_text("95% interval")
    declared = estimate(
        ContingencyTable.from_labels(references, references, labels=list("abc")), "nit"
    )
    expect(page.locator("#signature")).to_have_text(declared.signature)


def test_nit_shows_the_p_value_of_chance_and_informedness_does_not(visit):
    columns = ["a", "b"] * 30, ["a", "b"] * 18 + ["b", "a"] * 12
    wanted = estimate(ContingencyTable.from_labels(*columns), "nit")
    assert 0.01 < wanted.independence_p_value < 0.99
    page = visit("nit")
    paste(page, *columns)
    expect(page.locator("#signature")).to_have_text(wanted.signature)
    shown = page.locator("#chance-test").inner_text()
    assert numbers_of(shown) == rounded(wanted.independence_p_value)
    page = visit("informedness")
    paste(page, *columns)
    expect(page.locator("#signature")).to_contain_text("n:60")
    assert page.locator("#chance-test").count() == 0


def test_a_click_selects_the_whole_signature(visit):
    page = visit()
    line = page.locator("#signature")
    line.click()
    assert page.evaluate("getSelection().toString().trim()") == line.inner_text()


@pytest.mark.parametrize(
    "columns",
    [
        (["true", "false"], ["true", "false"]),
        (["LABEL_0", "LABEL_1"], ["LABEL_0", "LABEL_1"]),
        (["model", "human", "model"], ["model", "human", "human"]),
        (["output", "ham", "spam"], ["ham", "ham", "spam"]),
    ],
)
def test_labels_with_words_of_a_header_are_labels(visit, columns):
    page = visit()
    paste(page, *columns)
    shows(page, report(*columns).scores["informedness"])


def test_columns_pasted_together_are_split_at_their_tabs(visit):
    page = visit()
    lines = ["\t".join(pair) for pair in zip(*COLUMNS, strict=True)]
    paste(page, lines, [])
    shows(page, report(*COLUMNS).scores["informedness"])


@pytest.mark.parametrize(("name", "separator"), [("mine.csv", ","), ("mine.tsv", "\t")])
def test_an_uploaded_file_is_scored_by_the_columns_chosen(visit, tmp_path, name, separator):
    rows = [("id", "gold", "system"), *zip("12345", *COLUMNS, strict=True)]
    path = tmp_path / name
    path.write_text("\n".join(map(separator.join, rows)), "utf-8")
    page = visit()
    tab(page, "File")
    page.locator("input[type=file]").first.set_input_files(path)
    expect(page.get_by_label("Column of references")).to_have_value("gold")
    page.get_by_label("Column of predictions").click()
    page.get_by_role("option", name="system").click()
    page.locator("#score-file").click()
    shows(page, report(*COLUMNS).scores["informedness"])


def upload(page: Page, path: Path, content: str) -> None:
    """Send a file in the File tab."""
    path.write_text(content, "utf-8")
    tab(page, "File")
    page.locator("input[type=file]").first.set_input_files(path)


@pytest.mark.parametrize(
    ("header", "guessed"),
    [
        ("text,predicted_label,true_label", ("true_label", "predicted_label")),
        ("text;predicted_label;true_label", ("true_label", "predicted_label")),
        ("id|yPred|yTrue", ("yTrue", "yPred")),
        ("y_hat,class_id,y", ("", "y_hat")),
        ("reference_id\toutput\ttarget", ("target", "output")),
        ("label,prediction,gold", ("", "prediction")),  # two may be the references
        ("is_correct,pred_score,sample", ("", "")),
    ],
)
def test_columns_are_guessed_by_their_roles_shown_and_never_one_for_both(
    visit, tmp_path, header, guessed
):
    page = visit()
    separator = re.search(r"[,;|\t]", header)[0]
    rows = zip("12345", COLUMNS[1], COLUMNS[0], strict=True)
    upload(page, tmp_path / "mine.csv", "\n".join([header, *map(separator.join, rows)]))
    expect(page.locator(".columns caption")).to_be_visible()  # the file has come
    for role, name in zip(("references", "predictions"), guessed, strict=True):
        expect(page.get_by_label(f"Column of {role}")).to_have_value(name)
    page.locator("#score-file").click()
    if "" in guessed:
        refusal(page, "Choose the column of ")
        return
    shows(page, report(*COLUMNS).scores["informedness"])
    said = f"References: column '{guessed[0]}'. Predictions: column '{guessed[1]}'."
    expect(page.locator("#result .note").first).to_contain_text(said)


def test_one_column_is_refused_for_both_roles(visit, tmp_path):
    page = visit()
    upload(page, tmp_path / "mine.csv", "gold,system\na,a\nb,b\n")
    for role in ("references", "predictions"):
        page.get_by_label(f"Column of {role}").click()
        page.get_by_role("option", name="gold").last.click()
    page.locator("#score-file").click()
    refusal(page, "The column 'gold' cannot be both")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        ("ham,spam\nham,ham\nspam,spam\n", "'ham' is both a label and the name of a column"),
        ("gold,model\na,a\n,b\n", "Line 3 is empty in the column 'gold'"),
        ('gold,model\na,a\n"a\nb",b\n', "Line 3 has a label that spans several lines"),
    ],
    ids=["no header", "empty cell", "lines in a label"],
)
def test_the_columns_of_a_file_must_be_labels_below_a_header(visit, tmp_path, content, sentence):
    page = visit()
    upload(page, tmp_path / "mine.csv", content)
    for role, number in (("references", 0), ("predictions", 1)):
        page.get_by_label(f"Column of {role}").click()
        page.get_by_role("option").nth(number).click()
    page.locator("#score-file").click()
    refusal(page, sentence)


def test_a_matrix_is_entered_with_its_rows_as_references(visit):
    page = visit()
    tab(page, "Matrix")
    page.get_by_role("button", name="Add a class").click()
    for i, name in enumerate("xyz"):
        count_in(page, i, -1).fill(name)
    page.get_by_text("rows are references").first.wait_for()
    matrix = [[5, 0, 0], [0, 3, 1], [0, 0, 2]]
    for (i, row), j in itertools.product(enumerate(matrix), range(3)):
        count_in(page, i, j).fill(str(row[j]))
    page.locator("#score-matrix").click()
    wanted = Report.from_table(ContingencyTable.from_matrix(matrix, labels=["x", "y", "z"]))
    shows(page, wanted.scores["informedness"])
    rows = page.locator("#result .heat tbody tr").all_inner_texts()
    assert [re.findall(r"\w+%?", row) for row in rows] == [
        ["x", "5", "100%", "0", "0%", "0", "0%"],
        ["y", "0", "0%", "3", "75%", "1", "25%"],
        ["z", "0", "0%", "0", "0%", "2", "100%"],
    ]


def test_the_bars_are_tpr_minus_fpr_of_each_class(visit):
    page = visit()
    paste(page, *COLUMNS)
    wanted = report(*COLUMNS)
    shows(page, wanted.scores["informedness"])
    bars = page.locator("#result .bars tr").all_inner_texts()
    shown = [(bar.split()[0], float(bar.split()[-1])) for bar in bars]
    assert shown == [
        (row["label"], pytest.approx(row["tpr_minus_fpr"], abs=5e-4)) for row in wanted.per_class
    ]


@pytest.mark.parametrize("metric", METRICS)
def test_examples_load_with_a_click_and_tell_their_story(visit, metric):
    page = visit(metric)
    for name, matrix in (
        ("Same model, balanced classes", [[50, 0], [50, 0]]),
        ("Averages disagree", [[6, 0, 0], [0, 1, 2], [4, 2, 6]]),
        ("Labels swapped", [[0, 50], [50, 0]]),
        ("Looks good", [[90, 0], [10, 0]]),
    ):
        page.get_by_role("button", name=name).click()
        shows(page, Report.from_table(ContingencyTable.from_matrix(matrix)).scores[metric])
        expect(count_in(page, 0, 0)).to_have_value(str(matrix[0][0]))


def test_the_point_of_the_simulation_moves_with_the_slider(visit):
    page = visit()
    tab(page, "Simulate")
    point = page.locator("#over-ability .handle")
    before = [float(point.get_attribute(name)) for name in ("cx", "cy")]
    slider = page.locator("#ability input[type=range]")
    slider.focus()
    for _ in range(10):
        page.keyboard.press("ArrowRight")
    expect(page.locator("#simulation")).to_contain_text("Ability = 0.50")
    after = [float(point.get_attribute(name)) for name in ("cx", "cy")]
    assert after[0] > before[0]  # more ability
    assert after[1] < before[1]  # a higher score
    row = page.locator("#over-ability tr.own")
    expect(row).to_contain_text("0.500")  # knowing half the answers is Informedness 0.5


def test_the_simulation_has_as_many_sizes_as_classes(visit):
    page = visit()
    tab(page, "Simulate")
    page.get_by_label("number input for Number of classes").fill("4")
    page.keyboard.press("Tab")
    expect(page.locator("#simulation-shares .heat tbody tr")).to_have_count(4)
    expect(page.locator(".shares .share")).to_have_count(4)


def paste_models(page: Page, *columns: list[str]) -> None:
    tab(page, "Compare")
    names = ("References", "Predictions A", "Predictions B")
    for name in names:  # with the example in them, which would take the place of what comes early
        expect(page.get_by_role("textbox", name=name)).to_have_value(re.compile("ham"))
    for name, column in itertools.zip_longest(names, columns, fillvalue=[]):
        fill_at_once(page.get_by_role("textbox", name=name), "\n".join(column))
    page.locator("#compare-columns").click()


def test_two_sets_of_predictions_are_compared_side_by_side(visit):
    page = visit()
    paste_models(page, COLUMNS[0], COLUMNS[1], COLUMNS[0])
    score = report(*COLUMNS).scores["informedness"]
    row = page.locator("#comparison tr.own")
    expect(row).to_contain_text("1.000")
    numbers = re.findall(r"\d\.\d{3}", row.inner_text())
    assert numbers == [f"{score:.3f}", "1.000", f"{1 - score:.3f}"]


def paired_rows(page: Page) -> dict[str, str]:
    """Return the table of the paired result."""
    rows = page.locator("#paired tr").all()
    return {row.locator("th").inner_text(): row.locator("td").inner_text() for row in rows}


REFERENCES = ["ham"] * 60 + ["spam"] * 40 + ["eggs"] * 20
MODELS = (
    REFERENCES,
    ["ham"] * 55 + ["spam"] * 30 + ["eggs"] * 15 + ["ham"] * 10 + ["eggs"] * 10,
    ["ham"] * 66 + ["spam"] * 31 + ["eggs"] * 23,
)


@pytest.mark.parametrize("metric", METRICS)
def test_two_models_on_the_same_samples_get_the_paired_result_of_the_package(visit, metric):
    wanted = compare(*MODELS, metric=metric)
    assert 0 < wanted.lost < wanted.gained
    page = visit(metric)
    paste_models(page, *MODELS)
    expect(page.locator("#verdict")).to_have_text(str(wanted))
    expect(page.locator("#paired-signature")).to_have_text(wanted.signature)
    rows = paired_rows(page)
    difference = numbers_of(rows["B \u2212 A"])
    assert difference == rounded(wanted.difference, wanted.standard_error)
    assert numbers_of(rows["95% interval"]) == rounded(*wanted.confidence_interval)
    p_value = "< 0.001" if wanted.p_value < 0.001 else f"{wanted.p_value:.3f}"
    assert rows["p-value"] == p_value
    assert rows["Gained: B right, A wrong"] == str(wanted.gained)
    assert rows["Lost: A right, B wrong"] == str(wanted.lost)
    assert rows["Different answers"] == f"{wanted.n_different} of 120"


@pytest.mark.parametrize("metric", METRICS)
def test_a_comparison_shows_what_the_package_warns_of(visit, metric):
    page = visit(metric)
    columns = ["a", "b"] * 20, ["a", "b"] * 10 + ["b", "a"] * 10, ["a", "b"] * 15 + ["b", "a"] * 5
    with pytest.warns(UserWarning, match="40 samples, where 50 are wanted") as caught:
        compare(*columns, metric=metric)
    paste_models(page, *columns)
    expect(page.locator("#verdict")).to_contain_text("10 samples gained, 0 lost")
    warned = [str(warning.message).removeprefix("informedness: ") for warning in caught]
    warned = [text.replace(f"of {metric} may", f"of {TITLES[metric]} may") for text in warned]
    assert page.locator("#comparison .note").all_inner_texts() == warned


def test_three_columns_of_a_spreadsheet_are_compared_from_the_first_box(visit):
    page = visit()
    paste_models(page, ["\t".join(row) for row in zip(*MODELS, strict=True)])
    expect(page.locator("#verdict")).to_have_text(str(compare(*MODELS)))


def test_models_of_many_kinds_of_answers_are_swapped_less_and_the_signature_says_so(visit):
    labels = [f"c{i}" for i in range(300)]
    columns = labels, [*labels[:200], *labels[:100]], [*labels[:250], *labels[:50]]
    page = visit()
    paste_models(page, *columns)
    signature = page.locator("#paired-signature")
    expect(signature).to_contain_text("|n:300|")
    n_resamples = int(re.search(r"resamples:(\d+)", signature.inner_text())[1])
    assert 100 <= n_resamples < 9999
    wanted = compare(*columns, n_resamples=n_resamples)
    expect(signature).to_have_text(wanted.signature)
    expect(page.locator("#verdict")).to_have_text(str(wanted))


def test_references_of_one_class_have_scores_side_by_side_and_no_verdict(visit):
    page = visit()
    paste_models(page, ["ham"] * 3, ["ham"] * 3, ["ham", "ham", "spam"])
    expect(page.locator("#comparison .note").first).to_contain_text("all references are 'ham'")
    row = page.locator("#comparison tr", has_text="Accuracy").first
    expect(row).to_contain_text("0.667")
    assert page.locator("#verdict, #paired").count() == 0


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("metric", METRICS)
def test_a_shared_link_shows_the_same_result_to_somebody_else(visit, metric):
    # a class that is only predicted is not part of k: the link must keep it that way
    columns = ["no", "no", "yes"], ["no", "maybe", "yes"]
    page = visit(metric)
    paste(page, *columns)
    shows(page, report(*columns).scores[metric])
    link = page.locator("#link").get_attribute("href")
    other = visit(metric, link)
    shows(other, report(*columns).scores[metric])
    expect(other.locator("#result .heat tbody th").first).to_have_text("maybe")
    assert other.locator("#result").inner_text() == page.locator("#result").inner_text()


def test_the_card_and_the_lines_of_python_are_there_to_copy(visit):
    page = visit("nit")
    tab(page, "Use it")
    code = page.get_by_label("Code input container")
    expect(page.locator(".cm-content").first).to_contain_text('nit = evaluate.load("nit")')
    expect(page.get_by_role("heading", name="Metric Card for NIT")).to_be_visible()
    expect(page.get_by_text("sdk_version")).to_have_count(0)
    assert code.count() == 1


# Labels are text


def test_pasted_labels_execute_nothing_and_appear_as_text(visit):
    page = visit()
    columns = [*HOSTILE, HOSTILE[0]], [*HOSTILE, HOSTILE[1]]
    paste(page, *columns)
    shows(page, report(*columns).scores["informedness"])
    assert sorted(heat_labels(page.locator("#result"))) == sorted(HOSTILE)
    assert page.locator("#result script, #result img:not([role]), #result svg[onload]").count() == 0
    tab(page, "Compare")
    expect(page.locator("#compare-columns")).to_be_visible()
    for box in page.locator("textarea").all():
        if box.is_visible():
            box.fill("\n".join(HOSTILE))
    page.locator("#compare-columns").click()
    expect(page.locator("#comparison .heat").first).to_contain_text(HOSTILE[1])


@pytest.mark.parametrize("metric", METRICS)
def test_labels_of_a_link_execute_nothing_in_the_matrix_they_fill(visit, metric):
    n = len(HOSTILE)
    counts = [str(int(i == j)) for i in range(n) for j in range(n)]
    query = [("class", label) for label in HOSTILE] + [("counts", ",".join(counts))]
    page = visit(metric, f"?{urlencode(query, safe=',')}")
    shows(page, 1.0)
    expect(page.locator("#grid thead bdi").nth(1)).to_have_text(HOSTILE[1])
    expect(count_in(page, 0, -1)).to_have_value(HOSTILE[0])
    assert heat_labels(page.locator("#result")) == HOSTILE
    page.locator("#score-matrix").click()
    expect(page.locator("#link")).to_be_visible()
    expect(page.get_by_test_id("toast-body")).to_have_count(0)
    shows(page, 1.0)


def test_characters_that_turn_a_line_around_are_spelt_out(visit):
    page = visit()
    paste(page, ["ham", OVERRIDE], ["ham", OVERRIDE])
    expect(page.locator("#result .heat")).to_contain_text(r"'ham\u202emaps'")
    assert "\u202e" not in page.locator("#result").inner_text()


def test_file_names_and_headers_execute_nothing(visit, tmp_path):
    path = tmp_path / "<img src=x onerror=window.executed=8>.csv"
    header = f'"{HOSTILE[1].replace(chr(34), chr(34) * 2)}",<script>window.executed = 9</script>'
    path.write_text(f"{header}\nham,ham\nspam,spam\n", "utf-8")
    page = visit()
    tab(page, "File")
    page.locator("input[type=file]").first.set_input_files(path)
    for label, name in (("references", HOSTILE[1]), ("predictions", "<script>window.executed = 9")):
        page.get_by_label(f"Column of {label}").click()
        page.get_by_role("option", name=name).last.click()
    page.locator("#score-file").click()
    shows(page, 1.0)


def test_a_refusal_shows_the_label_it_names_as_text(visit):
    label = "<img src=x onerror=window.executed=10>"
    page = visit(query=f"?class={quote(label)}&class={quote(label)}&counts=1,0,0,1")
    refusal(page, f"list each class once, '{label}' is listed twice")


# Everybody can use it


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_phone_shows_every_tab_without_scrolling_sideways(visit, metric, scheme):
    page = visit(metric, viewport={"width": 375, "height": 700}, color_scheme=scheme)
    tab(page, "Paste")
    names = "\n".join(["a rather long name of a class, " * 6, *"abcdefghijkl"])
    page.get_by_role("textbox", name="References").fill(names)
    page.get_by_role("textbox", name="Predictions").fill(names)
    page.locator("#score-columns").click()
    expect(page.locator("#result .heat tbody tr")).to_have_count(13)
    expect(page.locator("#score")).to_be_in_viewport()  # brought there, below the buttons
    scrolled = "e => { const box = e.parentElement; box.scrollLeft = 99; return box.scrollLeft; }"
    assert page.locator("#result .heat").evaluate(scrolled) == 99  # within its own box
    for name in ("Score", "Simulate", "Compare", "Use it"):
        tab(page, name)
        page.wait_for_timeout(200)
        width = page.evaluate("document.documentElement.scrollWidth")
        assert width <= 375, (name, width)


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


@pytest.mark.parametrize("metric", METRICS)
def test_every_control_and_every_chart_has_a_name(visit, metric):
    page = visit(metric)
    unnamed = """() => [...document.querySelectorAll('input, textarea, button')].filter(e =>
        e.offsetParent && !e.labels?.length && !e.ariaLabel && !e.innerText && !e.title
    ).map(e => e.outerHTML)"""
    for name in ("Simulate", "Compare", "Use it", "Score"):
        tab(page, name)
        assert page.evaluate(unnamed) == []
    for chart in page.locator("svg[role=img]").all():
        assert len(chart.get_attribute("aria-label")) > 40
    drawn = "svg:not([role=img]):not([aria-hidden=true] *)"
    undescribed = page.locator(", ".join(f"#{x} {drawn}" for x in ("result", "simulation")))
    expect(undescribed).to_have_count(0)  # once the wheel of a page that loads is gone


def test_the_browser_is_told_to_load_nothing_from_another_host(app):
    with urllib.request.urlopen(app("nit")) as answer:
        policy, page = answer.headers["content-security-policy"], answer.read().decode()
    assert policy.startswith("default-src 'self' ")
    assert "http" not in policy
    assert not re.search(
        r'(preconnect|stylesheet|src)="?[^>]*https?://(?!127)', page.split("<body")[0]
    )


# Limits


@pytest.mark.parametrize(
    ("references", "sentence"),
    [
        ("a\ta\n" * 100_001, "At most 100,000 rows can be scored here, got 100,001"),
        (
            f"{'a' * 99}\n" * 20_001,
            "A box can hold at most 2,000,000 characters, References has 2,000,100",
        ),
        ("a\n\nb", "References: line 2 is empty"),
        ("", "References: this box is empty"),
        ("a\tb\nc", "Line 2 must have 2 columns, got 1"),
        ("prediction\treference\na\tb\nb\tb", "('prediction', 'reference') looks like a header"),
        ("\nham\nspam", "References: line 1 is empty"),
        ("ham, ham, spam", "References: write one label per line, not 'ham, ham, spam' on"),
    ],
)
def test_the_page_refuses_in_a_sentence_that_says_the_limit(visit, references, sentence):
    page = visit()
    tab(page, "Paste")
    fill_at_once(page.get_by_role("textbox", name="References"), references)
    page.locator("#score-columns").click()
    refusal(page, sentence)


@pytest.mark.parametrize(
    ("columns", "sentence"),
    [
        (["a\tb"], "Line 1 must have 3 columns, got 2"),
        (
            ["label\tbert\tgpt", "a\ta\tb", "b\tb\tb"],
            "('label', 'bert', 'gpt') looks like a header",
        ),
        (["a\tb\tb"] * 100_001, "At most 100,000 rows can be scored here, got 100,001"),
        ([f"{i}\t{i}\ta" for i in range(1001)], "At most 1,000 classes can be scored here"),
    ],
    ids=["columns", "header", "rows", "classes"],
)
def test_a_comparison_is_refused_in_a_sentence_that_says_the_limit(visit, columns, sentence):
    page = visit()
    paste_models(page, columns)
    refusal(page, sentence)


@pytest.mark.parametrize(
    ("query", "sentence"),
    [
        ("class=a&counts=1,2", "must hold 1 counts"),
        ("class=a&class=b&counts=1,2,3,x", "must hold 4 counts, one for each pair"),
        ("&".join(f"class={i}" for i in range(31)), "A link can hold at most 30 classes"),
        ("counts=" + "1," * 2000, "A link can hold at most 30 classes and 3,000 characters"),
        (f"class={'a' * 201}&counts=1", "A label can have at most 200 characters"),
    ],
)
def test_a_broken_link_is_refused_in_a_sentence(visit, query, sentence):
    refusal(visit(query=f"?{query}"), sentence)


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (b"reference,prediction\na\n", "Line 2 must have 2 columns, got 1"),
        (b"reference,prediction\n", "must have a header and at least one row"),
        (b"prediction\na\n", "two columns, separated by commas, semicolons, tabs or vertical bars"),
        (b"a,b;c\nx,y;z\n", "could be separated by commas or by semicolons"),
        (b'gold,model\na,"b\nb,b\n",b\n', "Line 2 must have 2 columns, got 3"),
        (b'gold,model\na,a\n"b,b\nb,b\n', "The row that starts on line 3 could not be read"),
        (b"reference,prediction\n\xff,a\n", "must be UTF-8 text"),
        (b"reference,prediction\n" + b"a,a\n" * 100_001, "At most 100,000 rows"),
        (
            b",".join([b"x"] * 101) + b"\n" + b",".join([b"x"] * 101),
            "A file can have at most 100 columns",
        ),
    ],
)
def test_a_file_that_cannot_be_scored_is_refused_in_a_sentence(visit, tmp_path, content, sentence):
    path = tmp_path / "mine.csv"
    path.write_bytes(content)
    page = visit()
    tab(page, "File")
    page.locator("input[type=file]").first.set_input_files(path)
    refusal(page, sentence)


def post(url: str, body: bytes, content_type: str) -> tuple[int, str]:
    request = urllib.request.Request(url, body, {"Content-Type": content_type})
    try:
        with urllib.request.urlopen(request) as answer:
            return answer.status, answer.read().decode()
    except urllib.error.HTTPError as error:
        return error.code, error.read().decode()


@pytest.mark.parametrize(("size", "status"), [(9_000_000, 200), (11_000_000, 413)])
def test_the_server_itself_refuses_large_uploads(app, size, status):
    head = b'--x\r\nContent-Disposition: form-data; name="files"; filename="a.csv"\r\n\r\n'
    body = head + b"a" * size + b"\r\n--x--\r\n"
    url = app("informedness") + "gradio_api/upload"
    answer = post(url, body, "multipart/form-data; boundary=x")
    assert answer[0] == status
    assert "10000000 bytes" in answer[1] or status == 200


def test_half_a_character_is_refused(app):
    url = app("informedness") + "gradio_api/call/score"
    status, answer = post(url, b'{"data": [["\\ud800"], ["a"], null, 0.95]}', "application/json")
    assert status == 200
    with urllib.request.urlopen(f"{url}/{json.loads(answer)['event_id']}") as events:
        assert (
            "must be UTF-8 text, but one of them contains half a character"
            in events.read().decode()
        )


def test_the_server_refuses_any_request_above_20_million_bytes(app):
    body = json.dumps({"data": ["a" * 20_000_000]}).encode()
    url = app("informedness") + "gradio_api/call/score"
    status, sentence = post(url, body, "application/json")
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
    post(f"{url}gradio_api/queue/join", json.dumps(call).encode(), "application/json")
    with urllib.request.urlopen(f"{url}gradio_api/queue/data?session_hash={visitor}") as said:
        assert "process_completed" in said.read().decode()


def test_what_the_server_keeps_of_its_visitors_is_bounded():
    from screenshots import running

    with running("nit") as (url, _, process_id):
        for i in range(22):
            paste_as(url, f"early-{i}", "a" * 1_900_000)
        before = memory_of(process_id)
        for i in range(40):
            paste_as(url, f"later-{i}", "a" * 1_900_000)
        assert memory_of(process_id) - before < 110_000_000  # of 152 MB that they sent


def test_a_file_is_scored_after_many_other_visitors_came(visit, app, tmp_path):
    page = visit()
    rows = map(",".join, zip(*COLUMNS, strict=True))
    upload(page, tmp_path / "mine.csv", "\n".join(["gold,model", *rows]))
    expect(page.get_by_label("Column of references")).to_have_value("gold")
    for i in range(30):
        paste_as(app("informedness"), f"other-{i}", "a\nb")
    page.locator("#score-file").click()
    shows(page, report(*COLUMNS).scores["informedness"])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_each_score_has_a_line_of_its_own_and_one_that_is_not_listed_is_drawn_too(visit, scheme):
    page = visit(color_scheme=scheme)
    tab(page, "Simulate")
    lines = page.locator("#over-ability td path.line")
    style = "path => { const s = getComputedStyle(path); return [s.stroke, s.strokeDasharray]; }"
    styles = {line.get_attribute("class"): line.evaluate(style) for line in lines.all()}
    assert len(styles) == len(REPORTED)
    assert len({stroke for stroke, _ in styles.values()}) == len(REPORTED)
    assert len({dashes for _, dashes in styles.values()}) == len(REPORTED) - 1  # two have none
    third = lines.first
    third.evaluate("path => path.setAttribute('class', 'line line-third')")
    assert third.evaluate(style)[0] == third.evaluate("path => getComputedStyle(path).color")


# The arithmetic of the drawings, and their text


@pytest.fixture(scope="session")
def charts(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return the app's module of drawings, beside the helpers of this package."""
    import importlib.util

    import informedness

    path = Path(__file__).resolve().parents[2] / "spaces" / "page" / "charts.py"
    sys.path.append(str(path.parent))
    spec = importlib.util.spec_from_file_location(f"{informedness.__name__}.charts", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def tags(drawn: str) -> list[tuple[str, list[str]]]:
    """Return each tag with the names of its attributes."""
    found = []
    parser = HTMLParser()
    parser.handle_starttag = lambda tag, pairs: found.append((tag, [name for name, _ in pairs]))
    parser.feed(drawn)
    return found


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize("metric", METRICS)
def test_what_a_person_sends_adds_no_tag_and_no_attribute(charts, metric):
    """In labels, the story of a table, warnings and links."""
    n = len(HOSTILE)
    drawn = []
    for texts in ([f"label {i}" for i in range(n)], HOSTILE):
        matrix = [[3 * (i != j) for j in range(n)] for i in range(n)]
        table = ContingencyTable.from_matrix(matrix, labels=texts)
        columns = texts * 3, texts * 3, texts[1:] * 3 + texts[:1] * 3
        made = compare(*columns, metric=metric)
        two = [ContingencyTable.from_labels(columns[0], column) for column in columns[1:]]
        drawn.append(
            charts.draw_score(table, metric, "?" + texts[1], texts[0])
            + charts.draw_score(table, metric, texts[1])
            + charts.draw_comparison(*two, metric, made, texts)
            + "".join(charts.draw_simulation(table, metric, *[(0.5, [0, 1], {metric: [0, 1]})] * 2))
            + charts.draw_heading(texts[0], texts[1])
        )
    assert tags(drawn[0]) == tags(drawn[1])
    assert len(tags(drawn[0])) > 1_000


def test_the_band_on_the_scale_lies_between_the_ends_of_the_interval(charts):
    table = ContingencyTable.from_labels(*MANY)
    low, high = estimate(table).confidence_interval
    drawn = charts.draw_score(table, "informedness", "no link")
    band = re.search(r'<rect x="([\d.]+)" y="26" width="([\d.]+)"', drawn)
    x, width = map(float, band.groups())
    ends = [(x - 34) / 166 - 1, (x + width - 34) / 166 - 1]  # the line is from -1 to 1
    assert ends == [pytest.approx(low, abs=1e-3), pytest.approx(high, abs=1e-3)]


@pytest.mark.parametrize("metric", METRICS)
def test_sums_of_weights_have_a_signature_and_no_interval(charts, metric):
    table = ContingencyTable.from_matrix([[30.5, 20], [3, 40]])
    drawn = charts.draw_score(table, metric, "no link")
    assert "No interval: these are weights" in drawn
    assert f'id="signature">{signature_of(score_named(metric), table)}<' in drawn
    assert "standard error" not in drawn
    assert "<rect" not in drawn


@pytest.mark.parametrize("vector", VECTORS, ids=BY_ID)
def test_what_the_classes_add_sums_to_the_information(charts, vector):
    table = ContingencyTable.from_matrix([[float(n) for n in row] for row in vector.table])
    parts = charts.class_information(table)
    assert len(parts) == vector.k
    assert math.fsum(parts) == close(vector.info["MI_bits"])


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(
    ("matrix", "corner"),
    [
        ([[5, 0], [0, 5]], 'cx="170.0" cy="28.0"'),
        ([[5, 5], [5, 5]], 'cx="50.0" cy="226.0"'),
        ([[10, 0], [0, 0]], 'cx="290.0" cy="226.0"'),
    ],
    ids=["perfect", "random", "one class"],
)
def test_the_corners_of_the_entropy_triangle(charts, matrix, corner):
    table = ContingencyTable.from_matrix(matrix, labels=["a", "b"])
    assert corner in charts.draw_score(table, "nit", "no link")


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_tables_beyond_twenty_classes_show_the_commonest(charts):
    labels = [f"c{i:02d}" for i in range(40) for _ in range(i + 1)]
    drawn = charts.draw_score(ContingencyTable.from_labels(labels, labels), "nit", "no link")
    assert "Only the 20 commonest of 40 classes" in drawn
    assert "c39" in drawn
    assert ">c19<" not in drawn


def test_one_class_alone_is_drawn_without_a_scale_and_with_a_warning(charts):
    table = ContingencyTable.from_labels(["a"] * 60, ["a"] * 60)
    for metric in METRICS:
        with pytest.warns(UserWarning, match="informedness: "):
            drawn = charts.draw_score(table, metric, "no link")
        assert "on a scale" not in drawn
        assert 'id="interval"' not in drawn
        assert f'id="signature">{metric}|' in drawn
        assert "nothing to tell apart" in drawn
