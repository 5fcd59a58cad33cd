"""What the page draws: scores, squares, matrices, comparisons and simulations."""

import re
from collections import Counter

import numpy as np
import pytest
from drawn import COLUMNS, METRICS, compare, estimate, execute, parsed, report, table_of_labels
from scipy.stats import entropy

from informedness import ContingencyTable
from informedness.statistics.registry import REPORTED, score_named

pytestmark = pytest.mark.full

MANY = (["ham"] * 60 + ["spam"] * 40, ["ham"] * 50 + ["spam"] * 45 + ["ham"] * 5)
MODELS = (
    ["ham"] * 60 + ["spam"] * 40 + ["eggs"] * 20,
    ["ham"] * 55 + ["spam"] * 30 + ["eggs"] * 15 + ["ham"] * 10 + ["eggs"] * 10,
    ["ham"] * 66 + ["spam"] * 31 + ["eggs"] * 23,
)
REVERSED = ["ham", "spam"] * 30, ["spam", "ham"] * 30
# Informedness 0.67, above accuracy 0.6
ABOVE = ["a"] * 2 + ["b"] * 6 + ["c"] * 2, ["a"] * 2 + ["a"] * 2 + ["b"] * 2 + ["c"] * 4
SPAM = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
WEIGHTS = ContingencyTable.from_matrix([[30.5, 20], [3, 40]], labels=["ham", "spam"])


def samples_of(k):
    """Return k classes of 40 samples each; 3 of the last and 11 of the first are mistaken."""
    names = [f"class {i:03d}" for i in range(k)]
    references = [name for name in names for _ in range(40)]
    return names, references, [names[1]] * 11 + references[11:-3] + [names[0]] * 3


def numbers_of(text):
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text)]


def shown_as(*values):
    return pytest.approx(list(values), abs=5.1e-4)


def drawn_table(page, table):
    return parsed(page.charts.draw_score(table))


def drawn_score(page, *columns):
    return drawn_table(page, table_of_labels(*columns))


def drawn_matrix(page, matrix, labels=None):
    return drawn_table(page, ContingencyTable.from_matrix(matrix, labels=labels))


# Sentences, intervals and warnings


@pytest.mark.parametrize("metric", METRICS)
def test_a_score_stands_with_the_others_and_the_rates_of_classes(page_of, metric):
    shown, wanted = drawn_score(page_of(metric), *COLUMNS), report(*COLUMNS)
    value = wanted.scores[metric]
    assert shown.id("score").text in (f"{value:.2f}", f"{value:.3f}")
    lead = "Right 60% of the time. Always answering ham would be right 40% of the time."
    assert shown.id("lead").text == lead
    rows = shown.all(".//details[@data-fold='All scores']//tbody/tr")
    assert [x.all("td")[0].text for x in rows] == [f"{wanted[name]:.3f}" for name in REPORTED]
    bars = [bar.text for bar in shown.all(".//table[@class='bars']//tr")]
    assert [bar.split()[0] for bar in bars] == [row["label"] for row in wanted.per_class]
    rates = [row["tpr_minus_fpr"] for row in wanted.per_class]
    assert [numbers_of(bar)[-1] for bar in bars] == shown_as(*rates)
    assert not drawn_score(page_of(metric), *MANY).all(".//table[@class='bars']")  # two classes


def test_a_verdict_is_that_of_the_package_and_never_that_more_is_known_than_right(page_of):
    page = page_of("informedness")
    said = report(*COLUMNS).summary.partition("; Informedness")[2].partition(": ")[2]
    assert drawn_score(page, *COLUMNS).id("verdict").text.lower() == said.lower()
    wanted = report(*ABOVE)
    assert wanted.scores["accuracy"] < wanted.scores["informedness"]
    assert "above accuracy, so it is no share of the answers" in wanted.summary
    assert not drawn_score(page, *ABOVE).has("verdict")
    cannot = drawn_score(page_of("nit"), *COLUMNS).id("verdict").text
    assert cannot == "Cannot be told from guessing on 5 samples."
    assert not drawn_score(page_of("nit"), *MANY).has("verdict")
    constant = drawn_score(page_of("nit"), MANY[0], ["ham"] * 100).id("verdict").text
    assert constant == "No better than guessing."


def test_a_score_has_its_interval_once_with_the_class_that_has_few_samples(page_of):
    page, own = page_of("nit"), page_of("informedness")
    (note,) = drawn_score(page, *MANY).notes()
    assert note.startswith("The interval of nit may cover the truth less often than it says: 100")
    assert note.endswith("; list all classes in a matrix.")
    table = ContingencyTable.from_matrix([[6, 0, 0], [0, 1, 2], [4, 2, 6]], labels=list("abc"))
    wanted = estimate(table, metric="nit")
    shown = drawn_table(page, table)
    assert shown.id("signature").text == wanted.signature
    interval = "{:.2f} to {:.2f}".format(*wanted.confidence_interval)
    assert shown.id("interval").text == f"95% interval {interval}; only 3 samples are b"
    assert shown.text.count(interval) == 1
    said = "95% interval 0.41 to 0.995; only 10 samples are spam"  # not 1.00
    assert drawn_table(own, SPAM).id("interval").text == said
    many = drawn_matrix(own, [[99_000, 990], [2, 8]], ["ham", "spam"])  # many samples, few of spam
    assert many.id("interval").text.endswith("; only 10 samples are spam")
    many = drawn_matrix(page, [[6000, 4000], [3000, 7000]]).id("interval").text
    assert re.fullmatch(r"95% interval 0.5\d\d to 0.5\d\d", many)


def test_a_score_at_the_end_of_its_interval_is_explained(page):
    random = np.random.default_rng(0)
    references, guesses = random.integers(0, 500, 2000), random.integers(0, 500, 2000)
    table = table_of_labels(references, np.where(random.random(2000) < 0.4, references, guesses))
    made = estimate(table)
    assert made.value == made.confidence_interval[1] < 1
    said = drawn_table(page, table).id("interval").text
    assert "the score is its upper end, because chance adds to it" in said


def test_nit_of_classes_that_are_not_known_has_no_interval_until_they_are_declared(page_of):
    page, references = page_of("nit"), ["a"] * 40 + ["b"] * 40 + ["c"] * 2
    table = table_of_labels(references, references)
    shown = drawn_table(page, table)
    assert shown.id("signature").text == estimate(table, metric="nit").signature
    assert shown.id("interval").text == ""
    assert shown.notes()[0].startswith("There is no interval of nit: only 2 references of the rare")
    grid = page.grid.grid_value("abc", table.to_dense().tolist())
    declared = parsed(page.app.score_grid(grid))
    assert "95% interval" in declared.id("interval").text
    table = table_of_labels(references, references, labels=list("abc"))
    assert declared.id("signature").text == estimate(table, metric="nit").signature


def test_nit_shows_the_p_value_of_chance_and_informedness_does_not(page_of):
    columns = ["a", "b"] * 30, ["a", "b"] * 18 + ["b", "a"] * 12
    wanted = estimate(table_of_labels(*columns), metric="nit")
    assert 0.01 < wanted.independence_p_value < 0.99
    shown = drawn_score(page_of("nit"), *columns)
    assert numbers_of(shown.id("chance-test").text) == shown_as(wanted.independence_p_value)
    assert not drawn_score(page_of("informedness"), *columns).has("chance-test")


def test_the_scale_reaches_from_chance_to_the_best_and_as_far_as_the_interval(page_of):
    swapped = ContingencyTable.from_matrix([[0, 50], [50, 0]])
    for metric, table, wanted in (
        ("nit", SPAM, ["0.50 guessing", "0.69 all passed on"]),
        ("informedness", SPAM, ["0 guessing", "1 best possible"]),
        ("informedness", swapped, ["-1 always wrong", "0 guessing", "1 best possible"]),
        ("nit", swapped, ["0.50 guessing", "1.00 all passed on"]),
    ):
        ends = drawn_table(page_of(metric), table).id("scale").all(".//p[@class='ends small']/span")
        assert [end.text for end in ends] == wanted
    table = ContingencyTable.from_matrix([[50, 50], [48, 52]])
    low, high = estimate(table).confidence_interval
    assert low < 0 < table.informedness() < high
    drawn = drawn_table(page_of("informedness"), table).id("scale")
    line = next(x for x in drawn.all("div") if x["class"] == "line")
    band, chance, dot = (numbers_of(x["style"]) for x in (*line.all("i"), *line.all("b")))
    wanted = [0, high - low], [-low], [table.informedness() - low]  # and not cut at 0
    for found, lengths in zip((band, chance, dot), wanted, strict=True):
        assert found == pytest.approx([100 * x / (1 - low) for x in lengths], abs=0.02)


def test_nit_is_drawn_as_uncertainty_that_is_passed_on_or_lost(page_of):
    """As long as the bits are; by scipy's entropies."""
    shown = drawn_table(page_of("nit"), SPAM)
    assert not shown.all(".//figure")
    whole = entropy([90, 10], base=2)
    passed = whole + entropy([86, 14], base=2) - entropy([84, 6, 2, 8], base=2)
    said = shown.id("scale").text
    for bits in (f"answer: {whole:.3f}", f"passed on: {passed:.3f}", f"lost: {whole - passed:.3f}"):
        assert f"{bits} bits" in said
    line = next(x for x in shown.id("scale").all("div") if x["class"] == "line tall")
    (at, width), (point, rest) = (numbers_of(x["style"]) for x in line.all("i"))
    assert point == pytest.approx(at + width, abs=0.02)
    assert width / (width + rest) == pytest.approx(passed / whole, abs=0.001)
    assert shown.id("score").text == f"{2**passed / 2:.2f}" == "0.57"
    assert f"0.57 of {2**whole / 2:.2f}" in said
    assert f"pass on {passed / whole:.0%} of" in shown.id("meaning").text


@pytest.mark.parametrize("metric", METRICS)
def test_weights_have_no_interval(page_of, metric):
    weighted = drawn_table(page_of(metric), WEIGHTS)
    no_interval = "has no interval: these are weights, not counts of samples"
    assert weighted.id("interval").text == no_interval
    assert weighted.id("signature").text == score_named(metric).signature(WEIGHTS)


# A hundred squares


def squares_of(shown, which=0):
    """Return how many squares of each kind are drawn."""
    field = shown.all(".//div[@class='field']")[which]
    drawn = Counter(square["class"] for square in field.all("i"))
    assert sum(drawn.values()) == 100
    listed = re.findall(r"([1-9]\d*) (?:known|lucky|right|wrong)", field["aria-label"])
    assert list(map(int, listed)) == list(drawn.values())
    return drawn


def test_known_and_lucky_are_told_apart_where_they_can_be(page):
    shown = drawn_table(page, SPAM)
    assert squares_of(shown) == {"known": 73, "lucky": 19, "wrong": 8}
    assert squares_of(shown, 1) == {"lucky": 90, "wrong": 10}
    for columns, why in (
        (REVERSED, "Informedness is below 0"),
        (ABOVE, "Informedness is above accuracy, which can happen with several"),
        ((["a"] * 5, ["a"] * 4 + ["b"]), "With one class there is nothing to know"),
    ):
        shown = drawn_score(page, *columns)
        assert why in shown.all(".//div[@class='squares']")[0].text
        right = sum(a == b for a, b in zip(*columns, strict=True)) / len(columns[0])
        wanted = {"right": round(100 * right), "wrong": 100 - round(100 * right)}
        assert squares_of(shown) == {kind: n for kind, n in wanted.items() if n}, why


# Matrices of many classes


def test_a_matrix_has_the_names_of_its_commonest_classes_and_tells_the_confused_pair(page):
    for k in (10, 500):
        names, *columns = samples_of(k)
        (matrix,) = drawn_score(page, *columns).all(".//div[@class='matrix']")
        heat = next(table for table in matrix.all(".//table") if "heat" in table["class"])
        assert [name.text for name in heat.all("tbody/tr/th")] == names[:30]
        assert "1128%" in heat.all("tbody/tr/td")[1].text
        pairs = ["class 000 \u2192 class 001, 11 of 40", f"{names[-1]} \u2192 class 000, 3 of 40"]
        assert [line.text for line in matrix.all(".//li")] == pairs
        assert ("Only the 30 of 500 classes with the most" in matrix.text) == (k == 500)


# Labels are text


def test_what_a_person_sends_is_escaped_wherever_it_is_drawn(page):
    templates = page.charts.TEMPLATES
    assert templates.autoescape is True
    for name in templates.list_templates():
        source, *_ = templates.loader.get_source(templates, name)
        assert not re.search(r"\bsafe\b|autoescape|=\{\{", source), name  # or outside quotes


# Comparison


@pytest.mark.parametrize("metric", METRICS)
def test_the_numbers_of_a_comparison_are_those_of_the_package(page_of, metric):
    made = compare(*MODELS, metric=metric)
    assert 0 < made.lost < made.gained
    compared = page_of(metric).compare_tab.compared
    drawn = parsed(compared(MODELS))
    low, high = (float(end.text) for end in drawn.id("difference").all("p")[0].all("span"))
    assert low <= min(made.a, made.b) < low + 0.1 < high < max(made.a, made.b) + 0.1
    perfect = parsed(compared((MODELS[0], MODELS[0], MODELS[1])))
    assert perfect.id("difference").all("p")[0].all("span")[1].text == "1.0"  # not above the best
    widths = [numbers_of(bar["style"])[0] for bar in drawn.id("difference").all(".//dd/i")]
    assert widths == pytest.approx([100, 100 * made.lost / made.gained], abs=0.06)
    cells = drawn.id("paired").all("tbody/tr")
    rows = {row.all("th")[0].text: row.all("td")[0].text for row in cells}
    wanted = [made.difference, made.standard_error, *made.confidence_interval]
    named = ("B \u2212 A", "Standard error", "95% interval")
    assert numbers_of(" ".join(rows[name] for name in named)) == shown_as(*wanted)
    assert rows["p-value"] == ("p < 0.001" if made.p_value < 0.001 else f"p = {made.p_value:.3f}")
    counts = rows["Gained: B right, A wrong"], rows["Lost: A right, B wrong"]
    assert counts == (str(made.gained), str(made.lost))
    assert rows["Different answers"] == f"{made.n_different} of 120"


def test_references_of_one_class_have_scores_side_by_side_and_no_verdict(page):
    shown = parsed(page.compare_tab.compared((["ham"] * 3, ["ham"] * 3, ["ham", "ham", "spam"])))
    assert "All references are ham: with one class" in shown.text
    assert shown.notes() == []
    rows = {row.all("th")[0].text: row.text for row in shown.all(".//tbody/tr")}
    assert "0.667" in rows["Accuracy"]
    assert not shown.has("verdict")


# Emoji


def test_emoji_are_shown_as_typed_and_what_hides_is_not(page):
    astronaut, wave = "\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f44b\U0001f3fd"
    shown = drawn_score(page, [astronaut, wave, astronaut], [astronaut, wave, wave])
    assert astronaut in shown.id("lead").text
    assert [x.text for x in shown.all(".//tbody/tr/th")][:2] == [wave, astronaut]
    for hidden in ("ham\u200dspam", "\u200d", "ham\u202espam", f"{wave}\u200b"):
        assert page.data.shown(hidden) == ascii(hidden)


# The same in Python


@pytest.mark.parametrize("metric", METRICS)
def test_lines_of_python_have_the_counts_and_the_score_of_a_result(page_of, metric):
    page = page_of(metric)
    tables = {
        "declared": SPAM,
        "observed": table_of_labels(["it's", "b", "b"], ["it's", "c", "b"]),
        "weights": WEIGHTS,
    }
    for title, table in tables.items():
        names = {}
        execute(page.links.code_of(table).replace("print(", "made = ("), names)
        assert names["made"].scores == report(table).scores, title
        assert names["table"].labels == table.labels, title
    assert page.links.code_of(table_of_labels(*samples_of(31)[1:])) == ""
    execute(page.links.code_of_models(MODELS).replace("print(", "made = ("), names)
    assert str(names["made"]) == str(compare(*MODELS, metric=metric))
