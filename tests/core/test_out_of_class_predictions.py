"""Answers that are no class count as wrong, spread over the other classes, on every path.

The oracle is `reference.of_answers`, the definition in fractions.

Covers src: core/table.py, inference/score.py.
"""

import math
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
import sklearn.metrics as peer
from hypothesis import strategies as st

import informedness as package
from informedness import (
    ContingencyTable,
    compare,
    estimate,
    informedness_score,
    markedness_score,
    report,
    slices,
)
from informedness.trainer import ComputeMetrics
from inputs.answers import inside
from inputs.cases import warned
from inputs.laws import law
from inputs.tables import table_of_labels
from oracles.golden import close as near
from oracles.reference import of_answers

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ", "ignore:y_pred contains classes")
AVERAGES = ("bias", "prevalence", "macro")

# How many are answered so, None for what is no class: of 900 references "ok", of 100 "toxic"
ROWS = [
    ({"ok": 900}, {"ok": 100}, 0),
    ({"ok": 890, None: 10}, {"ok": 20, None: 80}, 890 / 900 - 1),
    ({"ok": 860, "toxic": 40}, {"ok": 45, "toxic": 55}, 860 / 900 + 0.55 - 1),
    ({"ok": 900}, {None: 100}, 0),
]
WRONG = {"labels": ["ok", "toxic"], "unknown": "wrong"}
WAYS = {  # what is answered there, and the options
    "declared, missing": (None, WRONG),
    "declared, said": ("I cannot", WRONG),
    "undeclared, said": ("I cannot", {}),
    "undeclared, missing": (None, {"unknown": "wrong"}),
}


def samples_of(of_ok, of_toxic, said):
    """Return references and answers, shuffled, so that each part has some of all."""
    rows = {"ok": of_ok, "toxic": of_toxic}
    pairs = [
        (r, said if p is None else p) for r in rows for p, n in rows[r].items() for _ in range(n)
    ]
    random.Random(0).shuffle(pairs)
    return tuple(map(list, zip(*pairs, strict=True)))


def merged(r, p, options, size=50):
    """Return the table of a tally of batches, and the sum of their tables."""
    tally, tables = package.Tally(**options), []
    for start in range(0, len(r), size):
        sides = {"references": r[start : start + size], "predictions": p[start : start + size]}
        tally.update(**sides)
        tables.append(table_of_labels(**sides, **options))
    return tally.table, sum(tables)


def ids_of(labels):
    return np.array([["ok", "toxic", "unsure", "I cannot", None].index(x) for x in labels])


def by_trainer(r, p, how):
    how = how | ({"labels": range(len(how["labels"]))} if "labels" in how else {})
    ids = [ids_of(side) if isinstance(side, list) else side for side in (p, r)]
    return ComputeMetrics("informedness", **how)(tuple(ids))["informedness"]


def of_slices(r, p, how, by=None):
    """Return the score of all, with slices that lack classes."""
    return slices(r, p, by=r if by is None else by, **how).overall.scores["informedness"]


def of_running_harness(r, p):
    """Return the score in a metric of Inspect or lm-eval."""
    rows = [(i, *pair, None) for i, pair in enumerate(zip(r, p, strict=True))]
    return inside(rows).table.informedness()


PATHS = {
    "function": lambda r, p, how: informedness_score(r, p, **how),
    "estimate": lambda r, p, how: estimate(r, p, **how).value,
    "report": lambda r, p, how: report(r, p, confidence_level=0.95, **how)["informedness"],
    "compare with a": lambda r, p, how: compare(r, p, r, **how).a,
    "compare with b": lambda r, p, how: compare(r, r, p, **how).b,
    "leaderboard": lambda r, p, how: package.leaderboard(r, {"A": p}, **how).models[0].value,
    "slices": of_slices,
    "one slice": lambda r, p, how: of_slices(r, p, how, [0] * len(r)),
    "tally": lambda r, p, how: merged(r, p, how)[0].informedness(),
    "sum of tables": lambda r, p, how: merged(r, p, how)[1].informedness(),
    "trainer": by_trainer,
    "running harness": lambda r, p, _: of_running_harness(r, p),
}


@pytest.mark.parametrize("way", WAYS)
def test_every_path_counts_what_is_no_class_as_wrong(way):
    """By hand; test_every_path.py has modules, files, frames and commands."""
    said, options = WAYS[way]
    for *cells, wanted in ROWS:
        sides = samples_of(*cells, said)
        found = {name: path(*sides, options) for name, path in PATHS.items()}
        assert found == {name: near(wanted) for name in PATHS}


# Laws, of tables that are drawn

SIZES, WEIGHTS = st.integers(2, 6), st.lists(st.integers(1, 12).map(lambda x: x / 4), min_size=1)


@st.composite
def answered(draw, sizes=SIZES, times=None, absent=False):
    """Draw references of every class, answers of which some are no class, and options.

    One more class may be declared, which no reference has, if it may be `absent`.
    """
    names = [*"fedcba"][: draw(sizes)]
    references = names * times if times else names + draw(st.lists(st.sampled_from(names)))
    is_declared, lacks = draw(st.booleans()), draw(st.booleans())
    answers = st.sampled_from(names + ["", "?"] + [None] * lacks + ["z"] * absent)
    n, options = len(references), {"unknown": "wrong"} if is_declared or lacks else {}
    if is_declared:
        options["labels"] = draw(st.permutations(names + ["z"] * absent))
    return references, draw(st.lists(answers, min_size=n, max_size=n)), options


def value_of(references, predictions, options, average, weights=None):
    how = options | {"average": average, "sample_weight": weights}
    return informedness_score(references, predictions, **how)


@pytest.mark.slow
@law(drawn=answered(absent=True), weights=WEIGHTS, shares=st.none() | st.permutations(range(1, 7)))
def test_every_average_is_the_definition_in_fractions(drawn, weights, shares):
    """Also by class, with weights of which every fifth is 0, and the shares of a prior."""
    (references, _, options), n = drawn, len(drawn[0])
    zeros = np.resize(weights, n) * (np.arange(n) % 5 > 0)
    for given in (None, zeros.tolist()):
        there = sorted({r for r, w in zip(references, given or references, strict=True) if w})
        if len(there) > 1:
            prior = shares and {x: shares["abcdef".index(x)] for x in there}
            how = {"prior": prior, "sample_weight": given, **options}
            for average in (*AVERAGES, None):
                exact = of_answers(*drawn[:2], given, options.get("labels"), average, prior)
                exact = near(np.float64(exact).tolist())
                assert informedness_score(*drawn[:2], average=average, **how) == exact
                assert (
                    average is None or estimate(*drawn[:2], average=average, **how).value == exact
                )


@law(two=answered(st.just(2)), even=answered(times=3))
def test_informedness_agrees_with_balanced_accuracy(two, even):
    """That of scikit-learn, which warns of such answers, whatever was answered."""
    for drawn, averages in ((two, AVERAGES), (even, ("prevalence", "macro"))):
        wanted = peer.balanced_accuracy_score(drawn[0], [*map(str, drawn[1])], adjusted=True)
        assert [value_of(*drawn, x) for x in averages] == near([wanted] * len(averages))
    assert len({*np.round(value_of(*two, None), 12)}) == 1


@pytest.mark.slow
@law(drawn=answered(absent=True), weights=st.none() | WEIGHTS)
def test_the_standard_error_is_by_the_delta_method(drawn, weights):
    """By a step so small that its square is nothing, which fractions allow."""
    (_, _, options), n, step = drawn, len(drawn[0]), Fraction(1, 10**15)
    sums = [*map(Fraction, np.resize([1] if weights is None else weights, n).tolist())]
    given = None if weights is None else [*map(float, sums)]

    def exact(average, moved=None):
        w = [x + step * (i == moved) for i, x in enumerate(sums)]
        return of_answers(*drawn[:2], w, options.get("labels"), average)

    for average in AVERAGES:
        value = exact(average)
        slopes = [float((exact(average, i) - value) / step * sum(sums)) for i in range(n)]
        wanted = math.hypot(*map(float.__mul__, map(float, sums), slopes)) / float(sum(sums))
        made = estimate(*drawn[:2], average=average, sample_weight=given, **options)
        assert made.standard_error == pytest.approx(wanted, rel=1e-8, abs=1e-8)


# Declared classes that no reference has, slices, and what stays

UNSURE = samples_of({"ok": 890, "unsure": 10}, {"ok": 20, "unsure": 80}, None)
FEW = samples_of({"ok": 900}, {"toxic": 50, "unsure": 50}, None)
THREE = {"labels": ["ok", "toxic", "unsure"]}
TENS = np.repeat(np.arange(100), 10)  # of which the model only knows the group of ten
SAID = [
    (
        *(UNSURE, THREE),
        "9.0% of the predictions are 'unsure', which no reference has: Informedness is 0.718; if "
        "such labels are not classes, leave out `labels`: the score is then -0.011",
    ),
    (
        *(FEW, THREE),
        "classes of the predictions that the references lack count as 0 in Informedness: 'unsure'",
    ),
    (
        *((TENS, TENS // 10 * 10), {}),
        "Informedness 0.909 is above accuracy (0.100), so it is not a share of the predictions: "
        'the model uses 10 of the 100 classes, and average="prevalence" gives 0.091',
    ),
]


@pytest.mark.parametrize(("sides", "options", "said"), SAID)
def test_every_path_says_once_what_a_score_does_not_show(sides, options, said):
    """A class without references, also where slices lack it, and a score above accuracy."""
    wanted = near(float(of_answers(*sides, classes=options.get("labels"))))
    for name in PATHS.keys() - {"running harness"}:
        told = said.replace("'unsure'", "2") if name == "trainer" else said
        with pytest.warns(UserWarning, match="informedness: ") as caught:
            assert PATHS[name](*sides, options) == wanted, name
        which = f"`y_pred_{name[-1]}`: " if name.startswith("compare") else ""
        which = "`y_pred['A']`: " if name == "leaderboard" else which
        found = [str(x.message) for x in caught if told in str(x.message)]
        assert found == [f"informedness: {which}{told}"], name
    assert informedness_score(*UNSURE, average=None, **THREE)[2] == 0


def test_in_class_predictions_keep_all_classes():
    """Among them with no answer of a class, in groups, without squares of weights, or with none."""
    r = ["a"] * 40 + ["b"] * 40 + ["c"] * 20
    for options in ({}, {"labels": [*"abc"]}):
        made = report(r, r[:80] + [None] * 20, unknown="wrong", **options)
        assert made.out_of_class["nit_in_class"] == near(2 / 3)
        assert made.summary_of("nit").endswith("scores 0.333; perfect predictions score 0.957.")
    weighed = package.ContingencyTable.from_matrix([[89.5, 0, 10], [20, 40.5, 8], [0, 0, 0]])
    assert report(weighed).summary.code == "untested"
    none = report([*"ab"] * 50, [None] * 100, sample_weight=[2.0] * 100, unknown="wrong")
    assert none.summary.endswith("all predictions are out of class and count as wrong.")
    few = [*"ab"] * 18 + [*"ba"] * 12 + [None] * 40
    made = {x: report([*"ab"] * 50, few, unknown="wrong", confidence_level=x) for x in (0.5, 0.999)}
    may_be_guesses = {x: "cannot be distinguished from guessing" in made[x].summary for x in made}
    assert may_be_guesses == {0.5: True, 0.999: True}


def test_tables_with_other_classes_are_not_equal():
    table = table_of_labels([*"aab"], [*"abc"])
    known = np.ones(3, dtype=bool)
    assert table != replace(table, class_mask=known)
    how = {"labels": [*"az"], "zero_division": math.nan}
    value, said = warned(informedness_score, ["a"] * 10, [*"az"] * 5, **how)
    assert (math.isnan(value), said) == (True, "")


def test_a_class_of_a_matrix_that_never_occurs_is_not_warned_of():
    table, said = warned(ContingencyTable.from_matrix, [[5, 1, 0], [0, 2, 0], [0, 0, 0]])
    assert (table.n_classes, said) == (2, "")


def test_a_training_loop_warns_once_over_its_evaluations():
    """As one of torchmetrics does, by the same function."""
    r, p = map(ids_of, UNSURE)
    compute_metrics = ComputeMetrics("informedness", "nit", labels=range(3))
    said = "".join(warned(compute_metrics, (p, r))[1] for _ in range(3))
    assert said.count("9.0% of the predictions are 2, which no reference has") == 1


def test_slices_take_the_classes_of_all_references():
    """Of which the first lacks c, which it predicts; x is no class there either."""
    r, p, parts = [*"aabbabcabc"], [*"abcbxbcacc"], (slice(6), slice(6, 10))
    wanted = [float(of_answers(r[x], p[x], classes="abc")) for x in parts]
    assert wanted[0] != float(of_answers(r[:6], p[:6]))
    for options in ({}, {"unknown": "wrong"}, {"labels": [*"cab"], "unknown": "wrong"}):
        made = slices(r, p, by=[0] * 6 + [1] * 4, **options).rows
        assert [row.scores["informedness"] for row in made] == near(wanted)
        assert {row.n_classes for row in made} == {3}


def test_prior_odds_and_markedness_refuse_them():
    odds = {"prior": {"ok": 0.5, "toxic": 0.5}, "prior_mode": "odds"}
    for said, options in WAYS.values():
        sides = samples_of(*ROWS[1][:2], said)
        with pytest.raises(ValueError, match='`prior_mode` must be "reweight"'):
            informedness_score(*sides, **odds, **options)
        for call in (markedness_score, lambda r, p, **how: estimate(r, p, "markedness", **how)):
            if options:
                with pytest.raises(ValueError, match="markedness"):
                    call(*sides, **options)
    sides = samples_of(*ROWS[2][:2], None)  # all of which are classes
    assert informedness_score(*sides, **odds, **WRONG) == informedness_score(*sides, **odds)


def test_unknown_wrong_without_labels_adds_one_column_silently():
    sides = [*"aab"] * 9 + ["c"], [*"aab"] * 9 + ["x"]
    table, said = warned(table_of_labels, *sides)
    same, nothing = warned(table_of_labels, *sides, unknown="wrong")
    assert (same.labels, same.n_classes, nothing) == ((*"abc", None), table.n_classes, "")
    assert same.to_dense().tolist() == table.to_dense().tolist()
    assert "has labels that are not classes of `references`" in said

    for answers, wanted in (
        (["a", "b", None, "?"], ""),
        ([None, "x", "y", "?"], "has labels that are not classes of"),
    ):
        said = warned(informedness_score, [*"aabb"], answers, unknown="wrong")[1]
        assert (wanted in said, said == "") == (True, wanted == "")


def test_text_for_missing_values_is_warned_of_unless_wrong():
    answers, said = ["a", "b", "a", "b"], "'' in `y_{}` counts as a label"
    for references, unknown, of_sides in (
        (answers, "error", ["pred"]),
        (answers, "wrong", []),
        ([*answers[:3], ""], "wrong", ["true", "pred"]),
    ):
        told = warned(informedness_score, references, ["a", "", "a", "a"], unknown=unknown)[1]
        assert [x for x in ("true", "pred") if said.format(x) in told] == of_sides
