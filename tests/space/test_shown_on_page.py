"""What the page draws: scores, squares, matrices, comparisons and simulations."""

import csv
import re
from collections import Counter
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from build import space_files
from drawn import COLUMNS, METRICS, given, parsed
from scipy.stats import entropy

from informedness import ContingencyTable, compare, estimate, report
from informedness.inference.registry import REPORTED, score_named
from inputs.tables import table_of_labels

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]


ROOT = Path(__file__).resolve().parents[2]


def matrix(cells, labels="ab"):
    return ContingencyTable.from_matrix(cells, labels=list(labels))


MODELS = (
    ["ham"] * 60 + ["spam"] * 40 + ["eggs"] * 20,
    ["ham"] * 55 + ["spam"] * 30 + ["eggs"] * 15 + ["ham"] * 10 + ["eggs"] * 10,
    ["ham"] * 66 + ["spam"] * 31 + ["eggs"] * 23,
)
FEW = table_of_labels(*COLUMNS)
MANY = table_of_labels(["ham"] * 60 + ["spam"] * 40, ["ham"] * 50 + ["spam"] * 45 + ["ham"] * 5)
HAM, SPAM = (matrix(x, ("ham", "spam")) for x in ([[90, 0], [10, 0]], [[84, 6], [2, 8]]))
REVERSED = matrix([[0, 50], [50, 0]])
ABOVE = matrix([[2, 0, 0], [2, 2, 2], [0, 0, 2]], "abc")  # Informedness 0.67, accuracy 0.6
OPEN = table_of_labels(*[["a"] * 40 + ["b"] * 40 + ["c"] * 2] * 2)  # there may be more classes
THREE = matrix([[6, 0, 0], [0, 1, 2], [4, 2, 6]], "abc")
SWAPPED = matrix([[100, 0, 0], [0, 0, 100], [0, 100, 0]], "abc")
WEIGHTS = matrix([[30.5, 20], [3, 40]])
# of 500 classes with 4 samples each, a third are known
GUESSED = table_of_labels(np.arange(2000) % 500, np.arange(2000) // 3 * 3 % 500)


def samples_of(k):
    """Return k classes of 40 samples each; 3 of the last and 11 of the first are mistaken."""
    names = [f"class {i:03d}" for i in range(k)]
    references = np.repeat(names, 40).tolist()
    return names, references, [names[1]] * 11 + references[11:-3] + [names[0]] * 3


def numbers_of(text):
    return [float(found) for found in re.findall(r"-?\d+(?:\.\d+)?", text.replace("\u2212", "-"))]


def drawn(page, table, **how):
    return parsed(page.charts.draw_score(table, **how))


SAID = [  # in a part of the page, None if it is not there; all of it, by a regular expression
    (
        "informedness",
        FEW,
        "lead",
        r"Of 100 answers, 60 are right, like 47 known .* would be right 40% of .*\.",
    ),
    ("informedness", SPAM, "interval", "95% interval 0.41 to 0.995; only 10 samples are spam"),
    ("informedness", GUESSED, "interval", ".*its upper end, as chance adds.*"),
    ("nit", matrix(OPEN.to_dense(), "abc"), "interval", "95% interval 0.*only 2 samples are c"),
    ("informedness", WEIGHTS, "interval", "has no interval: these are weights, not counts of .*"),
    ("informedness", ABOVE, "verdict", "Above accuracy, .*"),  # more is known than right
    ("informedness", SPAM, "verdict", "Like a model that knows 73% of each class .*"),
    ("nit", FEW, "verdict", "Cannot be distinguished from guessing on 5 samples."),
    ("nit", HAM, "verdict", "No better than guessing: every answer is the same."),
    ("nit", SPAM, "interval", "95% interval 0.502 to 0.66; only 10 samples are spam"),  # not chance
    ("nit", REVERSED, "interval", "95% interval 0.84 to 1.00"),  # no class is rarer
    ("nit", THREE, "verdict", "Differs from guessing, which scores 0.333; .*"),
    ("informedness", SWAPPED, "verdict", "Its interval contains 0, but the predictions are not .*"),
    ("nit", WEIGHTS, "verdict", "Not tested against guessing, .*"),
    ("nit", matrix([[18, 12], [12, 18]]), "chance-test", r"Test against chance: p = 0\.\d{3}\..*"),
    ("informedness", MANY, "chance-test", None),
]


@pytest.mark.parametrize(("metric", "table", "part", "said"), SAID)
def test_a_score_is_said_with_its_interval_and_what_it_means(page_of, metric, table, part, said):
    shown, value = drawn(page_of(metric), table), report(table).scores[metric]
    assert shown.id("score").text in (f"{value:.2f}", f"{value:.3f}")
    assert shown.has(part) == (said is not None)
    assert said is None or re.fullmatch(said, shown.id(part).text)
    made = score_named(metric) if table.is_weighted else estimate(table, metric=metric)
    signature = made.signature(table) if table.is_weighted else made.signature
    assert shown.id("signature").text == signature
    if ends := re.findall(r"% interval (\S+) to ([^;]+)", shown.id("interval").text):
        low, high = (float(end.replace("\u2212", "-")) for end in ends[0])
        assert (low, high) == pytest.approx(made.confidence_interval, abs=0.0051)
    if said and part == "chance-test":
        (p_value,) = numbers_of(shown.id(part).text)
        assert p_value == pytest.approx(report(table).guessing_p_value, abs=5.1e-4)


def test_warnings_stand_below_in_words_of_the_page(page_of):
    (note,) = drawn(page_of("nit"), MANY, is_grid=True).notes()
    assert note.endswith('pass "Classes without references count, too".')
    said = "There is no interval of nit: 2 references of the rarest class"
    assert said in drawn(page_of("nit"), OPEN).notes()[0]


def test_a_score_stands_with_the_others_and_the_rates_of_classes(page):
    shown, wanted = drawn(page, FEW), report(FEW)
    rows = shown.all(".//details[@data-fold='All scores']//tbody/tr")
    assert [x.all("td")[0].text for x in rows] == [f"{wanted[name]:.3f}" for name in REPORTED]
    bars = [bar.text for bar in shown.all(".//table[@class='bars']//tr")]
    assert [bar.split()[0] for bar in bars] == [row["label"] for row in wanted.per_class]
    rates = [row["tpr_minus_fpr"] for row in wanted.per_class]
    assert [numbers_of(bar)[-1] for bar in bars] == pytest.approx(rates, abs=5.1e-4)
    assert not drawn(page, MANY).all(".//table[@class='bars']")  # two classes


def test_the_scale_includes_chance_best_and_interval(page_of):
    for metric, table, wanted in (
        ("nit", SPAM, ["0.50 guessing", "0.69 all passed on"]),
        ("informedness", REVERSED, ["-1 always wrong", "0 guessing", "1 best possible"]),
        ("nit", REVERSED, ["0.50 guessing", "1.00 all passed on"]),
    ):
        ends = drawn(page_of(metric), table).id("scale").all(".//p[@class='ends small']/span")
        assert [end.text for end in ends] == wanted
    table = matrix([[50, 50], [48, 52]])
    low, high = estimate(table).confidence_interval
    assert low < 0 < table.informedness() < high
    (line,) = drawn(page_of("informedness"), table).all(".//div[@class='line']")
    found = [numbers_of(x["style"]) for x in (*line.all("i"), *line.all("b"))]
    wanted = [0, high - low], [-low], [table.informedness() - low]  # and not cut at 0
    for places, lengths in zip(found, wanted, strict=True):
        assert places == pytest.approx([100 * x / (1 - low) for x in lengths], abs=0.02)


def test_nit_is_drawn_as_uncertainty_that_is_passed_on_or_lost(page_of):
    """As long as the bits are; by scipy's entropies."""
    shown = drawn(page_of("nit"), SPAM)
    assert not shown.all(".//figure")
    whole = entropy([90, 10], base=2)
    passed = whole + entropy([86, 14], base=2) - entropy([84, 6, 2, 8], base=2)
    said = shown.id("scale").text
    for bits in (f"answer: {whole:.3f}", f"passed on: {passed:.3f}", f"lost: {whole - passed:.3f}"):
        assert f"{bits} bits" in said
    (line,) = shown.all(".//div[@class='line tall']")
    (at, width), (point, rest) = (numbers_of(x["style"]) for x in line.all("i"))
    assert point == pytest.approx(at + width, abs=0.02)
    assert width / (width + rest) == pytest.approx(passed / whole, abs=0.001)
    assert shown.id("score").text == f"{2**passed / 2:.2f}" == "0.57"
    assert shown.id("of").text == f"of {2**whole / 2:.2f}"
    assert f"pass on {passed / whole:.0%}. " in shown.id("meaning").text
    all_but_rounding = table_of_labels(["a"] * 90 + ["b"] * 10, ["a"] * 90 + ["c"] * 10)
    assert "pass on 100%. " in drawn(page_of("nit"), all_but_rounding).id("meaning").text


def test_known_and_lucky_are_told_apart_where_they_can_be(page):
    for table, why, *wanted in (
        (SPAM, "", {"known": 73, "lucky": 19, "wrong": 8}, {"lucky": 90, "wrong": 10}),
        (REVERSED, "Informedness is below 0", {"wrong": 100}),
        (ABOVE, "Informedness is above accuracy, which can", {"right": 60, "wrong": 40}),
        (matrix([[4, 1], [0, 0]]), "With one class there is nothing", {"right": 80, "wrong": 20}),
    ):
        (squares,) = drawn(page, table).all(".//div[@class='squares']")
        assert why in squares.text
        for field, counts in zip(squares.all(".//div[@class='field']"), wanted, strict=False):
            assert Counter(square["class"] for square in field.all("i")) == counts
            listed = re.findall(r"([1-9]\d*) (known|lucky|right|wrong)", field["aria-label"])
            assert {kind: int(n) for n, kind in listed} == counts


def test_a_matrix_names_commonest_and_confused_classes(page):
    for k in (10, 500):
        names, *columns = samples_of(k)
        (shown,) = drawn(page, table_of_labels(*columns)).all(".//div[@class='matrix']")
        heat = next(table for table in shown.all(".//table") if "heat" in table["class"])
        assert [name.text for name in heat.all("tbody/tr/th")] == names[:30]
        assert "1128%" in heat.all("tbody/tr/td")[1].text
        pairs = ["class 000 \u2192 class 001, 11 of 40", f"{names[-1]} \u2192 class 000, 3 of 40"]
        assert [line.text for line in shown.all(".//li")] == pairs
        assert ("Only the 30 of 500 classes with the most" in shown.text) == (k == 500)


def test_two_examples_are_published_answers(page):
    with (ROOT / "examples/bbh.csv").open(encoding="utf-8") as file:
        rows = [(row["task"], row["target"], row["direct"]) for row in csv.DictReader(file)]
    for name, task, accuracy, average in (
        ("A language model that guesses", "web_of_lies", "52 are right", "default"),
        # by bias it would be above accuracy
        ("32% right, yet no guesses", "geometric_shapes", "32 are right", "prevalence"),
    ):
        _, references, predictions = zip(*(row for row in rows if row[0] == task), strict=True)
        result = page.app.open_example(name)
        labels, story, matrix = (page.app.SCORED[name][x] for x in ("labels", "story", "matrix"))
        cells = Counter(zip(references, predictions, strict=True))
        assert matrix == [[cells[i, j] for j in labels] for i in labels]
        table = table_of_labels(references, predictions)
        drawn_parts = page.charts.draw_score(table, story, average=average)
        assert all(part in result for part in drawn_parts)
        assert accuracy in parsed(result).id("lead").text
    assert "26 of 250 answers are out of class" in parsed(result).text
    assert "Informedness by prevalence 95% interval" in parsed(result).text
    assert parsed(result).id("by-default").text.endswith(f"it is {table.informedness():.2f}.")
    by_bias = parsed(page.charts.draw_score(table))
    assert by_bias.id("verdict").text.startswith("Above accuracy")


@pytest.mark.parametrize("metric", METRICS)
def test_formula_and_links_come_from_the_card(page_of, metric):
    app = page_of(metric).app
    said = app.said_by_the_card()
    formula = {
        "informedness": "= sum over classes c of bias_c * (TPR_c - FPR_c)",
        "nit": "= 2^MI / k",
    }
    assert (said["formula"], said["others"]) == (formula[metric], [])
    card = space_files(metric, f"someone/{metric}")["README.md"].decode()
    with mock.patch.object(app, "CARD", card):
        others = app.said_by_the_card()["others"]
    heading = parsed(app.charts.draw("heading", title=app.TITLE, about="It", others=others))
    (other,) = {*METRICS} - {metric}
    (link,) = heading.all(".//a")
    assert link["href"] == f"https://huggingface.co/spaces/someone/{other}"
    assert link.text == score_named(other).title


def test_squares_within_the_interval_fade(page):
    for table, n_known in ((SPAM, 41), (FEW, 0), (matrix([[50, 0], [0, 50]]), 92)):
        low, high = estimate(table).confidence_interval
        field = drawn(page, table).all(".//div[@class='field']")[0]
        kinds = Counter(square["class"] for square in field.all("i"))
        unsure = [i for i, one in enumerate(field.all("i")) if "data-unsure" in one.element.attrib]
        last = min(np.ceil(100 * high), kinds["known"] + kinds["lucky"])
        assert unsure == [*range(n_known, int(last))]
        assert n_known == max(np.floor(100 * low), 0)
    for table in (WEIGHTS, HAM, REVERSED):  # nothing known is uncertain
        assert "may be either" not in drawn(page, table).text


def test_the_key_has_three_entries(page):
    for table in (SPAM, HAM, FEW, matrix([[50, 0], [0, 50]])):
        result = drawn(page, table)
        (squares,) = result.of("squares")
        key = [part.text for part in squares.all("p[@class='key small']/span")]
        assert key == ["known", "lucky", "wrong"]
        is_faded = any("data-unsure" in x.element.attrib for x in squares.all(".//i"))
        assert [part.text.count("faded") for part in result.of("faded")] == [1] * is_faded


def test_recall_and_false_positive_rate_stand_at_the_margins(page):
    for table in (SPAM, THREE, FEW):
        rates = report(table).per_class
        (heat,) = drawn(page, table).of("heat")
        recalls = [row.of("rate")[0].text for row in heat.all("tbody/tr")]
        assert recalls == [f"{row['tpr']:.3f}" for row in rates]
        bottom = [cell.text for cell in heat.all("tfoot/tr/td")]
        assert bottom == [*(f"{row['fpr']:.3f}" for row in rates), ""]
    beside = parsed(page.app.score_grid(page.data.grid_value([*"ab"], [[9, 1], [2, 8]])))
    assert not beside.of("heat")
    assert "data-rates" in beside.of("rates")[0].element.attrib


def test_wrong_cells_are_outlined_unless_empty(page):
    cells = drawn(page, THREE).all(".//table[@class='heat']/tbody/tr/td")
    kinds = ["hit", "", "", "", "hit", "miss", "miss", "miss", "hit"]
    assert [cell["class"] for cell in cells if cell["class"] != "rate"] == kinds


def test_the_ends_of_the_handles_are_said_and_bars_have_no_knob(page):
    simulation = parsed(page.charts.draw("simulation", value=None))
    ends = [end.text for end in simulation.all(".//span[@class='ends small']/i")]
    assert ends == ["1%", "50%, as many as ham", "0%", "100%"]
    assert not simulation.all(".//i[@class='dot']")


def test_labels_that_differ_in_case_get_a_remedy(page):
    twice = ["Ham"] * 20 + ["ham"] * 20 + ["spam"] * 20
    answers = page.data.Answers("60 rows", table=page.data.table_of_labels(twice, twice))
    (warning,) = parsed(page.app.score_answers(answers)).notes()
    assert 'Read files with "Ignore upper and lower case" under Options or' in warning


def test_emoji_are_shown_as_typed_and_what_hides_is_not(page):
    astronaut, wave = "\U0001f469\U0001f3fd\u200d\U0001f680", "\U0001f44b\U0001f3fd"
    shown = drawn(page, table_of_labels([astronaut, wave, astronaut], [astronaut, wave, wave]))
    assert [x.text for x in shown.all(".//tbody/tr/th")][:2] == [wave, astronaut]
    door = page.app.DOORS["mine"]
    found = page.form.read(door, given(door, box=f"label,prediction\n{astronaut},{wave}"))
    assert f"label {astronaut} 1" in parsed(found["account"]).text
    for hidden in ("ham\u200dspam", "\u200d", "ham\u202espam", f"{wave}\u200b"):
        assert page.charts.shown(hidden) == ascii(hidden)


def compared(page, columns):
    return parsed(page.charts.draw_comparison(page.data.Answers(columns=columns)))


@pytest.mark.parametrize("metric", METRICS)
def test_the_numbers_of_a_comparison_are_those_of_the_package(page_of, metric):
    made = compare(*MODELS, metric=metric)
    shown = compared(page_of(metric), MODELS)
    guessing, high = (end.text for end in shown.id("difference").all("p")[0].all("span"))
    assert guessing == {"informedness": "0 guessing", "nit": "0.333 guessing"}[metric]
    best = report(MODELS[0], MODELS[0]).scores[metric]
    assert high == f"{best:.3g} best possible"
    wrong = [{"ham": "spam", "spam": "eggs", "eggs": "ham"}[label] for label in MODELS[0]]
    ends = compared(page_of(metric), (MODELS[0], wrong, MODELS[1])).id("difference").all("p")[0]
    below = {"informedness": ["-1", "0 guessing"], "nit": ["0.333 guessing"]}[metric]
    assert [end.text for end in ends.all("span")][:-1] == below
    widths = [numbers_of(bar["style"])[0] for bar in shown.id("difference").all(".//dd/i")]
    assert widths == pytest.approx([100, 100 * made.lost / made.gained], abs=0.06)
    low, high = made.confidence_interval
    assert [row.all("td")[0].text for row in shown.id("paired").all("tbody/tr")] == [
        f"{made.difference:+.3f}".replace("-", "\u2212"),
        f"{made.standard_error:.3f}",
        f"{low:.3f} to {high:.3f}".replace("-", "\u2212"),
        "p < 0.001" if made.p_value < 0.001 else f"p = {made.p_value:.3f}",
        f"{made.test} test",
        str(made.gained),
        str(made.lost),
        f"{made.n_different} of 120",
    ]
    assert shown.id("paired-signature").text == made.signature
    side_by_side = [cell.text for cell in shown.all(".//tr[@class='own']/td")]
    texts = [f"{x:.3f}" for x in (made.a, made.b, made.difference)]
    assert side_by_side == [text.replace("-", "\u2212") for text in texts]


def test_a_comparison_needs_two_classes(page):
    with pytest.raises(ValueError, match="needs references of at least two classes"):
        compared(page, (["ham"] * 3, ["ham"] * 3, ["ham", "ham", "spam"]))


@pytest.mark.parametrize("metric", METRICS)
def test_python_code_reproduces_a_result(page_of, metric):
    page, names = page_of(metric), {}
    declared = table_of_labels([*"aab"], ["a", "x", None], labels=[*"abc"], unknown="wrong")
    missing = table_of_labels([*"aabb"], ["a", None, "b", "b"], unknown="wrong")
    quoted = table_of_labels(["it's", "b", "b"], ["it's", "c", "b"])
    for table in (SPAM, quoted, WEIGHTS, declared, missing):
        exec(page.links.code_of(table).replace("print(", "made = ("), names)
        assert names["made"].scores == report(table).scores
        assert names["table"] == table
    assert page.links.code_of(table_of_labels(*samples_of(31)[1:])) == ""
    unknown = ["ham", "ham", "spam"], ["ham", None, "spam"], ["spam", "ham", "odd"]
    labels = {"labels": ("ham", "spam", "eggs"), "unknown": "wrong"}
    for columns, task_options in (MODELS, {}), (unknown, labels):
        code = page.links.code_of_models(
            page.data.Answers(columns=columns, task_options=task_options)
        )
        exec(code.replace("print(", "made = ("), names)
        assert str(names["made"]) == str(compare(*columns, metric=metric, **task_options))
