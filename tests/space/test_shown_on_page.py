"""What the page shows of a result: sentences, squares, matrices and simulations."""

import base64
import io
import itertools
import re
import time

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import expect
from test_app import (
    METRICS,
    charts,  # noqa: F401
    fill_at_once,
    numbers_of,
    paste,
    paste_models,
    rounded,
    shows,
    tab,
    visit,  # noqa: F401
)

from informedness import ContingencyTable, Report, compare, estimate

FILTER = ["ham"] * 90 + ["spam"] * 10, ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
GUESSED = ["ham", "spam"] * 6, ["ham", "spam"] * 3 + ["ham", "ham", "spam", "spam", "spam", "ham"]
REVERSED = ["ham", "spam"] * 30, ["spam", "ham"] * 30
# Informedness 0.67, above accuracy 0.6
ABOVE = ["a"] * 2 + ["b"] * 6 + ["c"] * 2, ["a"] * 2 + ["a"] * 2 + ["b"] * 2 + ["c"] * 4


def squares_of(page, which=0):
    """Return how many squares of each kind are drawn."""
    field = page.locator("#fields .squares").nth(which).locator("svg")
    drawn = {}
    for path in field.locator("path").all():
        steps = path.get_attribute("d")
        starts = len(re.findall(r"M", steps))
        drawn[path.get_attribute("class")] = starts
    assert sum(drawn.values()) == 100
    said = field.get_attribute("aria-label")
    listed = [int(n) for n in re.findall(r"(\d+) (?:known|lucky|right|wrong)", said)]
    assert listed == list(drawn.values())
    return drawn


# Sentences


@pytest.mark.parametrize("metric", METRICS)
def test_a_score_whose_interval_holds_chance_is_not_said_to_be_informed(visit, metric):  # noqa: F811
    page = visit(metric)
    paste(page, *GUESSED)
    expect(page.locator("#signature")).to_contain_text("n:12")
    low, high = estimate(ContingencyTable.from_labels(*GUESSED)).confidence_interval
    assert low < 0 < high
    said = page.locator("#result .say").inner_text()
    assert "cannot be told from guessing on 12 samples" in said
    assert "informed, the rest guessed" not in page.locator("#result").inner_text()


def test_the_page_of_nit_opens_with_how_far_it_is_from_chance_to_the_best(visit):  # noqa: F811
    page = visit("nit")
    expect(page.locator("#result .say")).to_have_text(
        "NIT 0.572: 37% of the way from chance, 0.500, to the best that these class shares allow, "
        "0.692."
    )


def test_the_scale_of_nit_starts_at_chance(visit):  # noqa: F811
    page = visit("nit")
    scale = page.locator("#scale svg")
    expect(scale).to_have_attribute("aria-label", re.compile(r"on a scale from 0\.5 to 1: "))
    assert scale.locator("text").all_text_contents()[-2:] == ["0.5", "1"]


@pytest.mark.parametrize("metric", METRICS)
def test_no_error_of_nought_stands_beside_an_interval_that_is_wide(visit, metric):  # noqa: F811
    page = visit(metric)
    paste(page, ["ham", "spam"] * 20, ["ham", "spam"] * 20)
    shows(page, 1.0)
    assert "0.000" not in page.locator("#interval").inner_text()
    expect(page.locator("#interval")).to_contain_text("95% interval")


def test_one_sample_is_not_said_to_be_several(visit):  # noqa: F811
    page = visit()
    paste(page, ["ham"], ["ham"])
    expect(page.locator("#result h3", has_text="1 sample:")).to_be_visible()
    assert "1 samples" not in page.locator("#result").inner_text()


# A hundred squares


@pytest.mark.parametrize("metric", METRICS)
def test_the_landing_state_knows_something_beside_a_guesser_that_is_as_often_right(visit, metric):  # noqa: F811
    page = visit(metric)
    assert squares_of(page) == {"known": 73, "lucky": 19, "wrong": 8}
    assert squares_of(page, 1) == {"known": 0, "lucky": 90, "wrong": 10}
    expect(page.get_by_role("tab", name="Matrix", exact=True)).to_have_attribute(
        "aria-selected", "true"
    )
    expect(page.locator("#grid")).to_be_visible()
    page.locator("#score-matrix").click()
    page.locator("#result .note").wait_for(state="detached")  # the story is the example's
    shows(page, Report.from_table(ContingencyTable.from_labels(*FILTER)).scores[metric])


def test_the_squares_move_with_every_input(visit):  # noqa: F811
    page = visit()
    paste(page, ["a", "b"] * 50, ["a", "b"] * 40 + ["b", "a"] * 10)
    shows(page, 0.6)
    assert squares_of(page) == {"known": 60, "lucky": 20, "wrong": 20}
    page.get_by_role("button", name="Looks good").click()
    shows(page, 0.0)
    assert squares_of(page) == {"known": 0, "lucky": 90, "wrong": 10}


@pytest.mark.parametrize(
    ("columns", "why"),
    [
        (REVERSED, "Informedness is below 0"),
        (ABOVE, "Informedness is above accuracy, which can happen with several"),
        ((["a"] * 5, ["a"] * 4 + ["b"]), "With one class there is nothing to know"),
    ],
    ids=["below 0", "above accuracy", "one class"],
)
def test_where_known_and_lucky_cannot_be_told_apart_only_right_and_wrong_are_shown(
    visit,  # noqa: F811
    columns,
    why,
):
    page = visit()
    paste(page, *columns)
    field = page.locator("#fields .squares").first
    expect(field).to_contain_text(why)
    right = sum(a == b for a, b in zip(*columns, strict=True)) / len(columns[0])
    assert squares_of(page) == {"right": round(100 * right), "wrong": 100 - round(100 * right)}


def test_a_hundred_squares_are_rounded_by_largest_remainder(charts):  # noqa: F811
    from squares import hundred

    assert hundred([1, 1, 1]) == [34, 33, 33]
    assert hundred([0.735, 0.184, 0.081]) == [74, 18, 8]
    for a, b in itertools.product(range(0, 38), repeat=2):
        shares = [a / 80, b / 80, (80 - a - b) / 80]
        counts = hundred(shares)
        assert sum(counts) == 100
        assert all(abs(n - 100 * x) < 1 for n, x in zip(counts, shares, strict=True))


# Matrices of many classes


def samples_of(k, confused=11):
    """Return 40 samples of each class, of which some of the first are taken for the second."""
    names = [f"class {i:03d}" for i in range(k)]
    references = [name for name in names for _ in range(40)]
    predictions = [names[1]] * confused + references[confused:]
    return names, references, predictions


@pytest.mark.parametrize(("k", "numbers"), [(4, True), (5, True), (10, True), (11, False)])
def test_a_matrix_has_its_own_row_from_five_classes_on_and_colours_alone_beyond_ten(
    visit,  # noqa: F811
    k,
    numbers,
):
    page = visit()
    names, *columns = samples_of(k)
    paste(page, *columns)
    matrix = page.locator("#result .matrix")
    expect(matrix.locator("tbody th")).to_have_text(names)
    assert matrix.evaluate("e => e.parentElement.classList.contains('pair')") == (k < 5)
    assert (matrix.locator(".slanted").count() == 1) == (k >= 5)
    cell = matrix.locator("tbody td").nth(1)
    assert ("28%" in cell.inner_text()) == numbers
    if not numbers:
        assert cell.get_attribute("title") == "class 000 \u2192 class 001, 11 of 40"
    if k >= 5:
        confused = matrix.locator(".confused li")
        expect(confused).to_have_text(["class 000 \u2192 class 001, 11 of 40"])


@pytest.mark.parametrize("width", [390, 1200])
def test_the_names_of_rows_stay_while_a_matrix_scrolls(visit, width):  # noqa: F811
    page = visit(viewport={"width": width, "height": 800})
    _, *columns = samples_of(30)
    paste(page, *columns)
    name = page.locator("#result .heat tbody th").first
    expect(page.locator("#result .heat tbody th")).to_have_count(30)
    before = name.bounding_box()["x"]
    page.locator("#result .matrix .wide").evaluate("e => { e.scrollLeft = 150; }")
    assert name.bounding_box()["x"] == pytest.approx(before, abs=1)
    assert page.evaluate("document.documentElement.scrollWidth") <= width


def pixels_of(address):
    """Return the picture of a table as Pillow reads it: red, green, blue, opacity."""
    kind, _, data = address.partition(",")
    assert kind == "data:image/png;base64"
    return Image.open(io.BytesIO(base64.b64decode(data))).convert("RGBA")


@pytest.mark.parametrize("k", [31, 500])
def test_the_picture_of_a_matrix_has_a_point_for_each_cell_that_is_not_empty(charts, k):  # noqa: F811
    _, *columns = samples_of(k)
    table = ContingencyTable.from_labels(*columns)
    picture = pixels_of(charts.heat_map(table)["picture"])
    assert picture.size == (k, k)
    filled = {(x, y) for x in range(k) for y in range(k) if picture.getpixel((x, y))[3]}
    assert filled == {(1, 0), *((i, i) for i in range(k))}  # x is the prediction, y the reference
    red, _, blue, weak = picture.getpixel((1, 0))
    assert red > blue
    red, _, blue, strong = picture.getpixel((1, 1))
    assert blue > red
    assert strong == 255
    assert 80 < weak < 160  # 11 of 40


def test_a_thousand_classes_are_a_picture_on_the_page(visit):  # noqa: F811
    page = visit()
    _, *columns = samples_of(1000)
    tab(page, "Paste")
    for name, column in zip(("References", "Predictions"), columns, strict=True):
        box = page.get_by_role("textbox", name=name)
        fill_at_once(box, "\n".join(column))
    page.locator("#score-columns").click()
    picture = page.locator("#result .picture")
    picture.wait_for()
    assert "1000 by 1000 classes" in " ".join(picture.get_attribute("alt").split())
    assert pixels_of(picture.get_attribute("src")).size == (500, 500)
    expect(page.locator("#result .confused li")).to_have_count(1)


@pytest.mark.parametrize("metric", METRICS)
def test_a_thousand_classes_are_drawn_in_half_a_second_of_computing(charts, metric):  # noqa: F811
    _, *columns = samples_of(1000)
    start = time.process_time()
    drawn = charts.draw_score(ContingencyTable.from_labels(*columns), metric, "no link")
    assert time.process_time() - start < 0.5
    assert len(drawn) < 200_000


# Comparison


@pytest.mark.parametrize("metric", METRICS)
def test_the_comparison_opens_on_a_hundred_samples_in_which_something_is_shown(visit, metric):  # noqa: F811
    page = visit(metric)
    tab(page, "Compare")
    expect(page.locator("#verdict")).to_contain_text("B is better")
    expect(page.locator("#paired")).to_contain_text("of 100")
    assert page.locator("#comparison .note").count() == 0


def places(drawing):
    """Return where in the picture of a comparison the difference and its interval lie, from -1."""
    band = drawing.locator("rect").first
    x, width = (float(band.get_attribute(name)) for name in ("x", "width"))
    point = float(drawing.locator("circle").nth(2).get_attribute("cx"))
    return [(at - 200) / 160 for at in (point, x, x + width)]


@pytest.mark.parametrize("metric", METRICS)
def test_a_comparison_is_drawn_as_the_package_finds_it(visit, metric):  # noqa: F811
    columns = (
        ["ham"] * 60 + ["spam"] * 60,
        ["ham"] * 50 + ["spam"] * 50 + ["ham"] * 20,
        ["ham"] * 55 + ["spam"] * 65,
    )
    made = compare(*columns, metric=metric)
    page = visit(metric)
    paste_models(page, *columns)
    expect(page.locator("#verdict")).to_have_text(str(made))
    drawing = page.locator("#difference svg")
    step = float(drawing.locator("text", has_text="+").text_content())
    wanted = [made.difference, *made.confidence_interval]
    assert [step * place for place in places(drawing)] == rounded(*wanted)
    low = {"informedness": -1, "nit": 0.5}[metric]
    circles = [float(x.get_attribute("cx")) for x in drawing.locator("circle").all()[:2]]
    scores = [low + (x - 40) / 320 * (1 - low) for x in circles]
    assert scores == rounded(made.a, made.b)
    drawn = drawing.text_content()
    assert f"{made.lost} lost" in drawn
    assert f"{made.gained} gained" in drawn
    said = drawing.get_attribute("aria-label")
    assert f"only B got right: {made.gained}." in said


# Simulation


def ability_of(page):
    return float(page.locator("#ability input[type=range]").input_value())


def drag(page, chart, share, steps=4):
    """Drag the point of a chart to a place from 0 to 1 of its axis."""
    page.locator(f"#{chart} svg[role=img]").scroll_into_view_if_needed()
    handle = page.locator(f"#{chart} .handle").bounding_box()
    box = page.locator(f"#{chart} svg[role=img]").bounding_box()
    x, y = handle["x"] + handle["width"] / 2, handle["y"] + handle["height"] / 2
    page.mouse.move(x, y)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] * (165 + 300 * share) / 520, y, steps=steps)
    page.mouse.up()


def test_the_point_on_the_chart_is_dragged_to_another_ability(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    drag(page, "over-ability", 0.8)
    assert ability_of(page) == pytest.approx(0.8, abs=0.011)
    expect(page.locator("#over-ability caption")).to_have_text(f"Ability = {ability_of(page):.2f}")
    expect(page.locator("#over-ability tr.own")).to_contain_text(f"{ability_of(page):.3f}")
    expect(page.locator("#simulation .squares")).to_contain_text(
        f"{100 * ability_of(page):.0f} known"
    )


def test_the_second_simulation_is_the_score_over_the_share_of_a_class(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    drag(page, "over-share", 0.5)
    expect(page.locator("#shares input, #shares textarea")).to_have_value(re.compile(r"(49|50|51)"))
    written = page.locator("#shares input, #shares textarea").input_value()
    first, second = map(float, written.split(","))
    assert first + second == pytest.approx(100)
    table = expected(0.4, [first, second])
    expect(page.locator("#over-share tr", has_text="NIT")).to_contain_text(
        f"{Report.from_table(table).scores['nit']:.3f}"
    )
    expect(page.locator("#over-share tr.own")).to_contain_text("0.400")


def expected(ability, shares):
    """Return the table of a classifier that guesses like the classes."""
    shares = [share / sum(shares) for share in shares]
    cells = [
        [p * (ability * (i == j) + (1 - ability) * g) for j, g in enumerate(shares)]
        for i, p in enumerate(shares)
    ]
    return ContingencyTable.from_matrix(cells)


def test_the_border_of_two_classes_is_moved_with_the_keyboard_and_the_pointer(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    border = page.locator(".shares .border")
    border.focus()
    for _ in range(5):
        page.keyboard.press("ArrowLeft")
    box = page.locator("#shares input, #shares textarea")
    expect(box).to_have_value("85, 15")
    expect(border).to_be_focused()
    assert border.get_attribute("aria-valuenow") == "85.0"
    expect(page.locator(".shares .share").first).to_have_text("85%")
    expect(page.locator("#over-share caption")).to_have_text("Share of class 1 = 0.85")
    bar, at = page.locator(".shares").bounding_box(), border.bounding_box()
    page.mouse.move(at["x"] + 6, at["y"] + 20)
    page.mouse.down()
    page.mouse.move(bar["x"] + bar["width"] * 0.4, at["y"] + 20, steps=4)
    page.mouse.up()
    expect(box).to_have_value("40, 60")
    page.keyboard.press("Home")
    expect(box).to_have_value("1, 99")


def test_shares_are_typed_too_and_what_is_no_number_is_refused(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    box = page.locator("#shares input, #shares textarea")
    box.fill("50 30 20")
    page.keyboard.press("Tab")
    expect(page.locator(".shares .share")).to_have_text(["50%", "30%", "20%"])
    expect(page.locator("#simulation-shares .heat tbody tr")).to_have_count(3)
    box.fill("50, many")
    expect(page.get_by_test_id("toast-body").first).to_contain_text("The class shares must be numb")


def test_a_chart_that_is_pointed_at_tells_the_values_there(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    chart = page.locator("#over-ability")
    box = chart.locator("svg[role=img]").bounding_box()
    page.mouse.move(box["x"] + box["width"] * (165 + 300 * 0.7) / 520, box["y"] + 50)
    expect(chart.locator("caption")).to_have_text("Ability = 0.70")
    wanted = Report.from_table(expected(0.7, [90, 10])).scores
    for name in ("accuracy", "informedness", "nit"):
        expect(chart.locator(f"[data-score={name}]")).to_have_text(f"{wanted[name]:.3f}")
    page.mouse.move(5, 5)
    expect(chart.locator("caption")).to_have_text("Ability = 0.40")


def test_each_curve_is_named_where_it_begins_and_no_name_lies_on_another(visit):  # noqa: F811
    page = visit()
    tab(page, "Simulate")
    for chart in ("over-ability", "over-share"):
        names = page.locator(f"#{chart} text.name")
        expect(names).to_have_count(8)
        heights = sorted(float(name.get_attribute("y")) for name in names.all())
        assert all(b - a >= 17.9 for a, b in itertools.pairwise(heights))


@pytest.mark.parametrize("metric", METRICS)
def test_draws_show_how_far_the_score_jumps_with_few_samples_and_with_many(visit, metric):  # noqa: F811
    page = visit(metric)
    tab(page, "Simulate")
    page.locator("#shares input, #shares textarea").fill("50, 50")
    expect(page.locator("#over-share caption")).to_have_text("Share of class 1 = 0.50")
    spreads = []
    for n in ("20", "1000"):
        page.get_by_role("radio", name=n, exact=True).check()
        page.locator("#draw").click()
        said = page.locator("#sampled [role=status]")
        expect(said).to_contain_text(f"10 draws of {n} samples")
        least, most, truth = numbers_of(said.inner_text())[:3]
        assert truth == rounded(Report.from_table(expected(0.4, [50, 50])).scores[metric])[0]
        spreads.append(most - least)
        assert page.locator("#draws circle").count() == 10
    assert spreads[1] < spreads[0]
    before = said.inner_text()
    page.locator("#draw").click()
    expect(said).not_to_have_text(before)  # a new draw is another one


def test_a_draw_of_one_class_has_no_score_and_is_counted_apart(charts):  # noqa: F811
    both = ContingencyTable.from_matrix([[9, 1], [2, 8]], labels=["a", "b"])
    one = ContingencyTable.from_matrix([[9, 1], [0, 0]], labels=["a", "b"])
    drawn = " ".join(charts.draw_samples(0.7, [both, one, both], "informedness", 20).split())
    assert (
        "2 draws of 20 samples each from the same model: Informedness ranges from 0.700 to" in drawn
    )
    assert "In 1 more, all references were of one class" in drawn
    assert "0 draws of 20" in charts.draw_samples(0.7, [one], "informedness", 20)


def test_on_a_phone_the_chart_stands_before_the_controls(visit):  # noqa: F811
    page = visit(viewport={"width": 390, "height": 800})
    tab(page, "Simulate")
    chart, slider = page.locator("#over-ability"), page.locator("#ability")
    assert chart.bounding_box()["y"] < slider.bounding_box()["y"]
    svg = chart.locator("svg[role=img]").bounding_box()
    for text in chart.locator("svg[role=img] text").all():
        box = text.bounding_box()
        assert svg["x"] - 1 <= box["x"], text.text_content()
        assert box["x"] + box["width"] <= svg["x"] + svg["width"] + 1, text.text_content()


# For everybody


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing_serious_in_any_tab(visit, metric, scheme):  # noqa: F811
    page = visit(metric, color_scheme=scheme)
    for name in ("Simulate", "Compare", "Use it", "Score"):
        tab(page, name)
        page.wait_for_timeout(400)  # the last transitions of colour
        options = {"resultTypes": ["violations"]}
        found = Axe().run(page, options=options)
        serious = [
            (violation["id"], violation["nodes"][0]["html"])
            for violation in found.response["violations"]
            if violation["impact"] in ("serious", "critical")
        ]
        assert serious == [], name


def test_headings_go_down_one_level_at_a_time(visit):  # noqa: F811
    page = visit()
    for name in ("Score", "Simulate", "Compare", "Use it"):
        tab(page, name)
        headings = page.locator("h1:visible, h2:visible, h3:visible, h4:visible, h5:visible")
        levels = [
            int(level) for level in headings.evaluate_all("all => all.map(e => e.tagName[1])")
        ]
        assert levels[0] == 1
        assert levels.count(1) == 1
        assert all(b <= a + 1 for a, b in itertools.pairwise(levels)), (name, levels)


def test_nothing_moves_by_itself_for_who_wants_less_motion(visit):  # noqa: F811
    page = visit(reduced_motion="reduce")
    moving = """() => [...document.querySelectorAll("*")].filter(e => {
        const style = getComputedStyle(e);
        return Math.max(...style.transitionDuration.split(",").map(parseFloat)) > 0.01;
    }).length"""
    # Gradio's own loader, which asks otherwise, may still be there.
    page.wait_for_function(f"({moving})() === 0")
