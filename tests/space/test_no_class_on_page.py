"""What the page and its endpoints say of answers that are no class, and of classes without samples.

The oracle is `reference.of_answers`, the definition in fractions.
"""

import re
from collections import Counter

import pytest
from drawn import METRICS, parsed
from hypothesis import strategies as st

from informedness import compare, report
from informedness.inference.registry import score_named
from informedness.results.report import Report
from inputs.laws import law
from inputs.tables import table_of, table_of_labels
from oracles.reference import of_answers

pytestmark = [pytest.mark.full, pytest.mark.filterwarnings("ignore:informedness. ")]

TEXTS = ["ok"] * 900 + ["toxic"] * 100
UNSURE = ["ok"] * 890 + ["unsure"] * 10 + ["ok"] * 20 + ["unsure"] * 80
THREE = ["ok", "toxic", "unsure"]
COUNTS = [[890, 0, 10], [20, 0, 80], [0, 0, 0]]
WORTH = "9.0% of the predictions are 'unsure', which no reference has: Informedness is 0.718; if "
COMMA = "ham, where spam"


def half(n, known="a", other="b", answer="I cannot"):
    """Return 100 samples of two classes, all answered right but for n of each class."""
    columns = [known] * 50 + [other] * 50, [known] * (50 - n) + [answer] * n + [other] * (50 - n)
    return columns[0], [*columns[1], *[answer] * n]


EVEN = ["a"] * 40 + ["b"] * 40 + ["c"] * 20, ["a"] * 40 + ["b"] * 40 + ["I cannot"] * 20
CASES = {  # the squares of a table
    "a third": (half(15), {"known": 70, "wrong": 30}),
    "most": (half(30), {"known": 40, "wrong": 60}),
    "a model that never says toxic": ((TEXTS, UNSURE), {"lucky": 89, "wrong": 11}),
    "more is known than right": (EVEN, {"known": 80, "wrong": 20}),
    "answers to one class": (
        ([COMMA] * 50 + ["b"] * 50, [COMMA] * 50 + ["?"] * 50),
        {"right": 50, "wrong": 50},
    ),
    "none": (half(50), {"wrong": 100}),
    "given answers that are worse than guesses": (
        (["a"] * 50 + ["b"] * 50, ["b"] * 45 + ["?"] * 5 + ["a"] * 45 + ["?"] * 5),
        {"wrong": 100},
    ),
    "few": (half(2), {"known": 92, "lucky": 4, "wrong": 4}),
}


def drawn(page, table, **how):
    return parsed(page.charts.draw_score(table, **how))


def squares_of(shown):
    """Return how many squares of the model there are of each kind."""
    field = shown.all(".//div[@class='field']")[0]
    return dict(Counter(square["class"] for square in field.all("i")))


def text_of(shown, part):
    return shown.id(part).text if shown.has(part) else ""


@pytest.mark.parametrize("name", CASES)
def test_many_predictions_out_of_class_have_squares(page_of, name):
    columns, squares = CASES[name]
    table = table_of_labels(*columns)
    n = round(100 * table.out_of_class_totals.sum() / table.n_samples)
    n = n if n > 5 else None
    for metric in METRICS:
        shown = drawn(page_of(metric), table)
        phrase = Report.from_table(table).summary_of(metric).values["phrase"]
        assert shown.id("verdict").text[1:].startswith(phrase[1:])
        given, size = table.out_of_class_totals.sum(), table.n_samples
        assert text_of(shown, "out-of-class") == (
            f"{given} of {size:,d} answers are out of class: wrong." if n else ""
        )
    shown = drawn(page_of("informedness"), table)
    assert squares_of(shown) == squares
    (box,) = shown.all(".//div[@class='squares']")
    assert f"{squares['wrong']} wrong" in box.text


def test_squares_without_known_answers_are_explained(page):
    above = [[2, 0, 0, 1], [2, 2, 2, 1], [0, 0, 2, 1], [0] * 4]
    for table, why in (
        (
            table_of_labels(*CASES["given answers that are worse than guesses"][0]),
            "Informedness of the answers given is below 0",
        ),
        (table_of_labels(*CASES["answers to one class"][0]), "With one class among the answers"),
        (table_of(above), "Informedness of the answers given is above their accuracy"),
    ):
        (line,) = drawn(page, table).all(".//p[@class='small why']")
        assert line.text.startswith(why)


@pytest.mark.parametrize("metric", METRICS)
def test_many_predictions_out_of_class_get_a_remedy(page_of, metric):
    """Without `labels`, the score is the one that the warning has."""
    page = page_of(metric)
    score, matrix = page.endpoints.score, page.endpoints.score_matrix
    for table in (table_of_labels(TEXTS, UNSURE, labels=THREE), table_of(COUNTS, labels=THREE)):
        way_out = 'leave out "Classes without references count, too"'
        said = f"{WORTH}such labels are not classes, {way_out}: the score is then -0.011."
        assert said.replace(" -", " \u2212") in drawn(page, table, is_grid=True).notes()
    alone = drawn(page_of("informedness"), table_of_labels(TEXTS, UNSURE))
    assert alone.id("score").text == "\u22120.01"
    said = f"{WORTH}such labels are not classes, leave out `labels`: the score is then -0.011"
    for function, columns in ((score, (TEXTS, UNSURE)), (matrix, [COUNTS])):
        result, without = function(*columns, THREE), function(*columns)
        assert result["warnings"].count(said) == 1
        values = result["informedness"], without["informedness"]
        assert [f"{value:.3f}" for value in values] == ["0.718", "-0.011"]
    result = page.endpoints.compare(TEXTS, TEXTS, UNSURE, THREE, "informedness")
    assert [said in note for note in result["warnings"]].count(True) == 1


def test_few_predictions_out_of_class_are_named(page):
    few = ["ok"] * 900 + ["toxic"] * 60 + ["unsure"] * 40
    (note,) = page.endpoints.score(TEXTS, few, THREE)["warnings"]
    lacking = "classes of the predictions that the references lack"
    assert note == f"{lacking} count as 0 in Informedness: 'unsure'"
    assert drawn(page, table_of_labels(TEXTS, few, labels=THREE), is_grid=True).notes() == [
        f"C{note[1:].replace('`', '')}."
    ]


@pytest.mark.parametrize("metric", METRICS)
def test_a_label_that_is_no_class_is_counted_as_none(page_of, metric):
    page = page_of(metric)
    texts = drawn(page, table_of_labels(TEXTS, UNSURE))
    assert not texts.all(".//table[@class='bars']")
    (fold,) = drawn(page, table_of_labels(*EVEN)).all(".//details[@data-fold='Classes']")
    assert fold.all("summary")[0].text == "Classes 3 classes"
    names = [f"class {i:02d}" for i in range(31)]
    for answers in ["I cannot"], [f"odd {i}" for i in range(40)], [None]:
        columns = [*names * 2, *["class 00"] * len(answers)], [*names * 2, *answers]
        shown = drawn(page, table_of_labels(*columns, unknown="wrong"))
        assert "Only the 30 of 31 classes with the most references are shown." in shown.text
        (matrix,) = shown.all(".//div[@class='matrix']//table")
        heads, first = matrix.all("thead/tr/th"), matrix.all("tbody/tr")[0]
        assert [head.text for head in heads[1:-2]] == names[:30]
        assert heads[-2].text == "out of class"
        assert len(first.all("*")) == len(heads)
        assert first.all("td")[-2].text.startswith(str(len(answers)))


def test_sentences_of_nit_hold_with_unanswered_classes(page_of):
    shown = drawn(page_of("nit"), table_of_labels(*half(15)))
    assert "predictions pass on 70%" in shown.id("meaning").text
    assert "|k:2|" in shown.id("signature").text
    (triangle,) = shown.all(".//div[@class='triangle']")
    assert "the classes are uneven" not in triangle.text
    assert "missing, because some labels are commoner than others" in triangle.text


@pytest.mark.parametrize("metric", METRICS)
def test_a_comparison_shows_out_of_class_shares(page_of, metric):
    columns = TEXTS, TEXTS[:950] + ["ok"] * 50, UNSURE
    page = page_of(metric)
    made = compare(*columns, metric=metric)
    shown, all_classes = (
        parsed(page.charts.draw_comparison(page.data.Answers(columns=sides)))
        for sides in (columns, (TEXTS, TEXTS, columns[1]))
    )
    assert all(note in shown.id("notes").text for note in made.notes)
    assert "9.0% of the predictions of B are out of class" in shown.id("notes").text
    assert "out of class" not in all_classes.id("notes").text


def test_endpoints_say_which_classes_they_use(page):
    for endpoint in (page.endpoints.score, page.endpoints.compare):
        assert "by default those of the references." in endpoint.__doc__


LABELS = ["a", "b", "c"]


@st.composite
def answered(draw):
    """Return references, answers of which some are no class, and classes if they are declared."""
    n = draw(st.integers(2, 60))
    sides = st.sampled_from(LABELS), st.sampled_from([*LABELS, "I cannot", "?"])
    columns = (draw(st.lists(side, min_size=n, max_size=n)) for side in sides)
    return *columns, draw(st.sampled_from([None, [*LABELS, "I cannot", "?", "rare"]]))


@law(examples=30, sample=answered())
def test_page_and_programs_show_the_report(page_of, sample):
    references, predictions, labels = sample
    made = report(references, predictions, labels=labels, confidence_level=0.95)
    exact = float(of_answers(references, predictions, classes=labels))
    for metric in METRICS:
        page, score = page_of(metric), score_named(metric)
        value = made[metric] if metric == "nit" else pytest.approx(exact, abs=1e-12)
        sentence = made.summary if metric == "informedness" else made.summary_of(metric)
        result = page.endpoints.score(*sample)
        assert (made.to_dict() | {metric: value, "summary": sentence}).items() <= result.items()
        shown = drawn(page, made.table)
        texts = {"undefined"} if score.why_undefined(made.table) else texts_of(made[metric])
        assert shown.id("score").text.replace("\u2212", "-") in texts
        text = shown.id("interval").text.replace("\u2212", "-")
        ends = re.findall(r"% interval (\S+) to ([^;]+)", text)
        interval = made.estimates[metric].confidence_interval
        assert all(tuple(map(float, pair)) == pytest.approx(interval, abs=0.0051) for pair in ends)


def texts_of(value):
    """Return a score as the page may show it."""
    return {f"{round(value, digits) + 0.0:.{digits}f}" for digits in (2, 3)}


@law(examples=30, sample=answered())
def test_there_are_always_a_hundred_squares(page_of, sample):
    references, predictions, labels = sample
    table = table_of_labels(references, predictions, labels=labels)
    classes = LABELS if labels else set(references)
    n_outside = 0 if labels else sum(answer not in classes for answer in predictions)
    share, n = n_outside / len(references), len(labels or classes)
    wanted = round(100 * share) if share > 0.05 else 0
    squares, shown = (drawn(page_of(metric), table) for metric in METRICS)
    assert sum(squares_of(squares).values()) == 100
    assert squares_of(squares).get("wrong", 0) >= wanted
    verb = "is" if n_outside == 1 else "are"
    lead = f"{n_outside} of {len(references)} answers {verb} out of class: wrong." if wanted else ""
    assert text_of(squares, "out-of-class") == text_of(shown, "out-of-class") == lead
    folds = squares.all(".//details[@data-fold='Classes']")
    assert [x.all("summary/span")[0].text for x in folds] == [f"{n} class{'es' * (n > 1)}"]
    assert f"|k:{n}|" in shown.id("signature").text
