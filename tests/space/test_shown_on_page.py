"""What the page shows of a result: sentences, squares, matrices and simulations."""

import itertools
import re

import pytest
from playwright.sync_api import expect
from test_app import METRICS, charts, numbers_of, paste, shows, tab, visit  # noqa: F401

from informedness import ContingencyTable, Report, estimate

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
        (ABOVE, "Informedness is above accuracy, as several classes allow"),
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
