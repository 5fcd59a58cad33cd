"""The verdict claims nothing that a model which fits the table could refute.

Oracles: models that know a share of each class and guess the rest, drawn at random, and models made
to refute a sentence. Covers src: results/summary.py.
"""

import numpy as np
import pytest

from informedness import ContingencyTable, report
from informedness.results.report import Report
from informedness.results.summary import (
    drop_out_of_class,
    with_constant_predictions,
    with_perfect_predictions,
)
from inputs.tables import table_of

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")
ROTATED = [[0, 30, 0], [0, 0, 30], [30, 0, 0]]


def drawn(rng, shares, known, guess, n, refused=0.0):
    """Return a table of a model that knows a share of each class and guesses the rest."""
    references = rng.choice(len(shares), n, p=shares)
    guesses = rng.choice(len(shares), n, p=guess)
    predictions = np.where(rng.random(n) < known, references, guesses)
    predictions[rng.random(n) < refused] = -1
    labels = range(len(shares))
    columns = {"references": references, "predictions": predictions}
    return ContingencyTable.from_labels(**columns, labels=labels, unknown="wrong")


def code_of(matrix, **options):
    return report(table_of(matrix), **options).summary.code


@pytest.mark.parametrize("k", [2, 3, 8])
@pytest.mark.parametrize("refused", [0.0, 0.3])
def test_a_guesser_is_told_from_guessing_in_one_of_20(k, refused):
    """Whatever it guesses, and whether or not it refuses some samples at random."""
    rng = np.random.default_rng(k)
    codes = []
    for _ in range(200):
        shares, guess = rng.dirichlet(np.full(k, 2.0), 2)
        codes.append(Report.from_table(drawn(rng, shares, 0, guess, 150, refused)).summary.code)
    assert codes.count("guessing") >= 182  # fewer happen to one of 1,000 such tests at 5%


@pytest.mark.parametrize("k", [2, 3, 8])
def test_the_share_is_that_of_a_model_that_knows_it(k):
    """By prevalence for three or more classes, whatever such a model guesses."""
    rng = np.random.default_rng(k)
    title = "Informedness" if k == 2 else "Informedness (prevalence)"
    for _ in range(20):
        shares, guess = rng.dirichlet(np.full(k, 5.0), 2)
        known = rng.uniform(0.2, 0.95)
        found = Report.from_table(drawn(rng, shares, known, guess, 200_000)).summary
        percent = int(found.values["phrase"].split("%")[0].split()[-1])
        assert abs(percent - 100 * known) <= 1.5
        assert found == f"{title}: {found.values['phrase']}."


def test_only_two_classes_are_worse_than_guessing():
    """A rotation of three scores below 0, and yet gives every class away."""
    assert code_of([[5, 60], [50, 5]]) == "worse"
    assert code_of(ROTATED) == "below guessing"
    assert report(table_of(ROTATED))["nit"] == pytest.approx(1)
    assert code_of([[5, 60], [50, 5]], confidence_level=0.99) == "worse"


def test_an_interval_with_0_is_no_share_though_predictions_are_related():
    assert code_of([[0, 20, 0], [20, 0, 0], [0, 0, 20]]) == "contains 0"


def test_every_prediction_is_right_only_without_a_single_error():
    assert code_of([[60, 0], [0, 40]]) == "all correct"
    assert code_of([[6000, 0], [1, 3999]]) == "share"
    assert code_of([[1, 0], [0, 1]]) == "guessing"  # two samples that a guesser may get right


def test_a_score_above_accuracy_is_no_share_of_the_predictions():
    groups = np.kron(np.eye(2, dtype=int), [[100, 0, 0, 0, 0]] * 5)
    assert code_of(groups, average="bias") == "above accuracy"
    assert code_of(groups) == "share"
    assert (
        report(table_of(groups))["informedness_prevalence"] <= report(table_of(groups))["accuracy"]
    )


def test_what_cannot_be_known_is_not_said():
    assert code_of([[40, 10], [0, 0]]) == "one class"
    untested = report(table_of([[40.5, 10.25], [9, 30]]))  # weights without their squares
    assert untested.summary.code == "untested"
    assert untested.summary_of("nit").code == "untested"
    refused = report([*"ab"] * 50, [None] * 100, labels=[*"ab"], unknown="wrong")
    assert (refused.summary.code, refused["informedness"]) == ("out of class", -1)
    constant = report(["ham"] * 90 + ["spam"] * 10, ["ham"] * 100)
    assert constant.summary == "Informedness: cannot be distinguished from guessing on 100 samples."


def test_one_that_refuses_is_judged_by_the_others():
    """Half right of those given, though its refusals alone tell the classes apart."""
    references = ["yes"] * 200 + ["no"] * 200
    answers = ["yes", "no"] * 50 + ["?"] * 100 + ["yes", "no"] * 100
    made = report(references, answers, labels=["yes", "no"], unknown="wrong")
    phrase = "the predictions in class, for 300 samples, cannot be distinguished from guessing"
    assert made.summary == f"Informedness: {phrase}."
    assert made.notes[0].startswith("25.0% of predictions (100) are out of class")


def test_groups_are_judged_by_their_interval():
    references, predictions = np.array([0, 1] * 100), np.array([0, 1, 0, 1, 1, 0, 1, 0] * 25)
    groups, how = np.arange(200) // 8, {"confidence_level": 0.95}
    assert report(references, predictions, groups=groups, **how).summary.code == "guessing"
    assert report(references, references, groups=groups, **how).summary.code == "all correct"


def test_nit_is_said_to_differ_from_what_guessing_scores():
    made = report(["ham"] * 900 + ["spam"] * 100, ["ham"] * 840 + ["spam"] * 60 + ["spam"] * 100)
    levels = "which scores 0.500; perfect predictions score 0.692"
    assert made.summary_of("nit") == f"NIT: differs from guessing, {levels}."
    guessed = report([*"abab"] * 30, [*"aabb"] * 30).summary_of("nit")
    assert guessed == "NIT: cannot be distinguished from guessing on 120 samples."


def test_tables_of_some_predictions_keep_the_references():
    table = table_of([[30, 5], [10, 20]])
    assert with_perfect_predictions(table).informedness() == 1
    assert with_constant_predictions(table).counts.tolist() == [35, 30]
    assert drop_out_of_class(table).counts.tolist() == table.counts.tolist()
