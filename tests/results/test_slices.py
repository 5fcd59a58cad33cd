"""Slices: each row is the report of its samples alone, counted in one pass.

Covers src: results/slices.py, tables/contingency.py.
"""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import f1_score

import informedness
from informedness import estimate, leaderboard, report, slices
from informedness.inference.significance import holm
from informedness.results.slices import Slices
from informedness.warnings import collected
from inputs.sources import reader_of
from inputs.tables import table_of_labels

N = 600
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


RNG = np.random.default_rng(0)
CODES, XYZ = RNG.integers(0, 3, N), np.array(["x", "y", "z"])
FRAME = pd.DataFrame(
    {
        "gold": XYZ[CODES],
        "model": XYZ[np.where(RNG.random(N) < 0.6, CODES, CODES[::-1])],
        "type": np.array(["color", "count", "yes/no"])[RNG.integers(0, 3, N)],
        "half": np.arange(N) % 2,
        "weight": RNG.integers(1, 5, N) / 4,
    }
)
BY = {"type": FRAME["type"], "half": FRAME["half"]}


def of(frame):
    return frame["gold"], frame["model"]


@pytest.mark.parametrize("weight", [None, "weight"])
def test_a_slice_is_the_report_of_its_samples_alone(weight):
    """With the classes of all samples, beside which some answers are wrong."""
    has_z = (FRAME["gold"] == "z") | (FRAME["model"] == "z")
    frame = FRAME[~has_z | (FRAME["type"] != "yes/no")]
    frame = frame.assign(model=frame["model"].where(frame["weight"] > 0.25, "none"))
    how = {"labels": list(XYZ), "unknown": "wrong", "confidence_level": 0.9}
    sliced = slices(*of(frame), by=frame["type"], sample_weight=weight and frame[weight], **how)
    assert [*sliced] == [row.name for row in sliced.rows] == ["color", "count", "yes/no"]
    for row, record in zip([*sliced.rows, sliced.overall], sliced.records(), strict=True):
        part = frame if row.name is None else frame[frame["type"] == row.name]
        weights = weight and part[weight]
        alone = report(*of(part), sample_weight=weights, **how)
        scores = {name: alone.scores[name] for name in row.scores}
        assert row.scores == pytest.approx(scores, abs=1e-12)
        for name, made in row.estimates.items():
            ends = alone.estimates[name].confidence_interval
            assert made.confidence_interval == pytest.approx(ends, abs=1e-9), name
        macro = {"average": "macro", "labels": part["gold"].unique()}
        f1 = f1_score(*of(part), sample_weight=weights, **macro)
        assert row.scores["f1_macro"] == pytest.approx(f1, abs=1e-12)
        assert row.class_entropy == pytest.approx(alone.class_entropy, abs=1e-12)
        assert row.table == alone.table
        share = np.average(part["model"] == "none", weights=weights)
        assert record["out_of_class_share"] == pytest.approx(share, abs=1e-12)
        assert record["class_entropy_bits"] == row.class_entropy


def test_a_slice_of_one_class_is_undefined_and_marked():
    frame = pd.concat([FRAME, FRAME[FRAME["gold"] == "x"].head(20).assign(type="only x")])
    with collected() as notes:
        slices(*of(FRAME), by=np.arange(N) // 50)  # which are large enough
        sliced = slices(*of(frame), by=frame["type"], vs_rest="nit", confidence_level=0.95)
    small = "slices with fewer than 50 samples (marked with *): 1 of 4"
    undefined = "slices with references of only one class: 1 of 4"
    assert [*map(str, notes)] == [f"informedness: {small}; {undefined}"]
    assert math.isnan(sliced["only x"].scores["informedness"])
    assert not math.isnan(sliced["only x"].scores["accuracy"])
    (line, *_) = (line for line in str(sliced).splitlines() if line.startswith("only x"))
    assert {"20*", "--"} <= {*line.split()}
    assert sliced.to_dict()["slices"][2]["informedness"] is None


@pytest.mark.slow
@pytest.mark.parametrize(("weights", "ignored"), [(None, None), ("weight", "none")])
def test_files_and_frames_give_the_tables_of_the_labels(weights, ignored, tmp_path):
    # ignored samples are in no slice
    frame = pd.concat([FRAME, FRAME.head(1).assign(gold="none", type="last")])
    wanted = [
        (name, table_of_labels(*of(part), sample_weight=weights and part[weights]))
        for name, part in frame[frame["gold"] != ignored].groupby(["type", "half"])
    ]
    assert (("last", 0) in dict(wanted)) == (ignored is None)
    for source in ("p.csv", "p.parquet", "p.jsonl", "pandas", "polars lazy", "duckdb"):
        read = reader_of(source, frame.to_dict("list"), tmp_path)
        found = read(by=["type", "half"], weights=weights, ignore_index=ignored).items()
        found = [((kind, int(half)), table) for (kind, half), table in found]  # text in CSV
        assert found == wanted, source


def test_slices_by_columns_of_a_frame_have_their_names():
    wanted = slices(*of(FRAME), by={name: x.tolist() for name, x in BY.items()}).to_dict()
    for frame in (FRAME, pl.from_pandas(FRAME)):
        assert slices(*of(FRAME), by=frame[["type", "half"]]).to_dict() == wanted
        assert slices(*of(FRAME), by=frame["type"]).by == ("type",)
    assert slices(*of(FRAME), by=FRAME["type"].tolist()).by == ("slice",)


TABLE, PAIR = report(*of(FRAME)).table, ("a", "b")


@pytest.mark.parametrize(
    ("tables", "by", "said"),
    [
        *((x, "type", "`tables` must map at least one slice") for x in ({}, [TABLE], {"a": [0]})),
        ({None: TABLE}, "type", "`tables` must hold labels"),
        (
            {PAIR: TABLE},
            "type",
            r"`by` must name one column per value of slice \('a', 'b'\), got 'type'",
        ),
        ({"a": TABLE}, ["type", "half"], "`by` must name one column per value of slice 'a', got"),
        (None, {1: FRAME["type"], "1": FRAME["half"]}, "name each column once, got '1' twice"),
        (None, ["a", "b"], "`by` must have a value for each sample, got 2"),
    ],
)
def test_impossible_slice_columns_are_refused(tables, by, said):
    with pytest.raises(ValueError, match=said):
        slices(*of(FRAME), by=by) if tables is None else Slices.from_tables(tables, by=by)


def test_the_rest_is_all_other_samples():
    references, by = np.arange(4000) % 2, np.array(["b"] * 1000 + ["a", "a", "c"] * 1000)
    right = np.random.default_rng(1).random(4000) < np.where(by == "b", 0.76, 0.7)
    predictions = np.where(right, references, 1 - references)
    sliced = slices(references, predictions, by=by, vs_rest="accuracy")
    assert "vs rest: Accuracy minus that of all other samples; p is " in str(sliced)
    row = sliced["b"]
    sides = right[by == "b"], right[by != "b"]
    assert row.difference == pytest.approx(sides[0].mean() - sides[1].mean(), abs=1e-12)
    counts = [[side.sum(), (~side).sum()] for side in sides]
    wanted = 3 * stats.chi2_contingency(counts, correction=False).pvalue
    assert 0.0005 < wanted < 0.6
    assert row.p_value == pytest.approx(wanted, rel=0.15)
    alone = slices(references, predictions, by=[0] * 4000, vs_rest="accuracy")
    assert math.isnan(alone[0].difference)  # there is no rest


@pytest.mark.parametrize("metric", ["accuracy", "informedness", "f1_macro", "nit"])
def test_the_rest_counts_samples_not_weights(metric):
    part = FRAME["type"] == "color"
    sides = FRAME["gold"], FRAME["model"].mask(part & (FRAME["half"] == 0), "x")
    plain, *weighted = (
        slices(*sides, sample_weight=weights, by=part, vs_rest=metric, labels=list(XYZ))
        for weights in (None, np.where(part, 1, 0.5), np.where(part, 1, 4))
    )
    for other, row in ((x[name], row) for x in weighted for name, row in plain.items()):
        assert row.p_value < 1
        assert other.difference == pytest.approx(row.difference, abs=1e-12)
        assert other.p_value == pytest.approx(row.p_value, abs=1e-6)


def test_holm_corrects_as_r_does():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.01, math.nan, 0.04]) == pytest.approx([0.02, math.nan, 0.04], nan_ok=True)


def test_columns_named_like_a_field_get_their_own_key():
    plain, sliced = (
        slices(*of(FRAME), by=dict(zip(names, BY.values(), strict=True)), vs_rest="nit")
        for names in (BY, ("signature", "by_p_value"))
    )
    keys = ["by_signature", "by_by_p_value"]
    wanted = [
        dict(zip(keys, (row.pop(x) for x in BY), strict=True)) | row for row in plain.records()
    ]
    assert sliced.records() == wanted
    made = sliced.to_dict()
    assert (made["by"], made["slices"], made["overall"]) == (keys, wanted[:-1], wanted[-1])


def test_k_of_a_slice_is_that_of_the_whole():
    references, answers = ["yes", "no"] * 100, ["yes", "no"] * 80 + ["maybe"] * 40
    options = {"vs_rest": "nit", "confidence_level": 0.9}
    parts = slices(references, answers, by=["a"] * 160 + ["b"] * 40, **options)
    found = parts["a"].scores["nit"], parts["b"].scores["nit"], parts["a"].difference
    assert found == pytest.approx((1, 0.5, 0.5))
    for row in (*parts.rows, parts.overall):
        low, high = row.estimates["nit"].confidence_interval
        assert (row.n_classes, low <= row.scores["nit"] <= high <= 1) == (2, True)


def test_small_slices_are_marked_and_show_no_difference():
    rng = np.random.default_rng(0)
    references, guesses = rng.integers(0, 50, (2, 4000))
    answers = np.where(rng.random(4000) < 0.12, references, guesses)
    made = slices(references, answers, by=[0] * 200 + [1] * 3800, vs_rest="nit")
    assert made[0].scores["nit"] > 2 * made[1].scores["nit"]
    assert made[0].p_value > 0.05
    assert f"{made[0].scores['nit']:.3f}^" in str(made)


def test_a_mark_of_all_samples_alone_has_a_note():
    references = [1, 2, 2, 0, 2, 2, 0, 1, 2, 0, 0]
    predictions = [1, 2, 0, 0, 2, 0, 0, 0, 1, 2, 1]
    made = slices(references, predictions, by=[0, 1, 1, 0, 0, 0, 1, 1, 0, 0, 1])
    marked = [row[0] for row in made.text_tables()[0] if row[-1].endswith("^")]
    assert (marked, "NIT^: " in str(made)) == (["all"], True)


def test_slices_of_counts_beyond_2_53_score_as_their_table_does():
    table = TABLE.from_matrix([[10**17, 1], [1, 2]], labels=[0, 1])
    row = Slices.from_tables(dict.fromkeys(range(9), table))[8]
    assert row.scores["informedness"] == pytest.approx(2 / 3, abs=1e-12)
    assert row.scores == pytest.approx(report(table).scores, abs=1e-12)


def test_tables_without_a_name_are_slices():
    table = TABLE.from_matrix([[3, 1], [1, 2]], labels=[0, 1])
    made = Slices.from_tables({"easy": table})
    assert made.by == ("slice",)
    assert str(made).splitlines()[0].split()[0] == "slice"


# The average of Informedness, and samples in groups


DRAWN = np.random.default_rng(5)
TRUE = DRAWN.integers(0, 3, 400)
ANSWERS = {
    name: np.where(DRAWN.random(400) < share, TRUE, DRAWN.integers(0, 3, 400))
    for name, share in (("a", 0.4), ("b", 0.5))
}
GROUPS, PARTS = np.arange(400) // 5, np.arange(400) // 100
AT_95 = {"confidence_level": 0.95}


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
@pytest.mark.parametrize("groups", [None, GROUPS])
def test_all_results_take_average_and_groups(average, groups):
    """In value, error, interval, sentence and signature; of a slice too, with all classes."""
    how = {"average": average, "groups": groups, **AT_95}
    wanted = estimate(TRUE, ANSWERS["a"], **how)
    made = report(TRUE, ANSWERS["a"], **how)
    interval = wanted.confidence_interval
    assert made["informedness"] == made.to_dict()["informedness"] == wanted.value
    assert made.estimates["informedness"].confidence_interval == interval
    assert made.summary.startswith(f"Informedness ({average}): like a model that knows ")
    ranked = leaderboard(TRUE, ANSWERS, average=average, groups=groups).models[-1]
    assert (ranked.value, ranked.estimate.confidence_interval) == (wanted.value, interval)
    assert ranked.accuracy == report(TRUE, ANSWERS["a"])["accuracy"]
    sliced = slices(TRUE, ANSWERS["a"], by=PARTS, **how)
    assert sliced.overall.estimates["informedness"].confidence_interval == interval
    for row in sliced.rows:
        part = row.name == PARTS
        own = how | {"groups": None if groups is None else GROUPS[part], "labels": range(3)}
        alone = estimate(TRUE[part], ANSWERS["a"][part], **own)
        assert row.scores["informedness"] == alone.value
        assert row.estimates["informedness"].standard_error == alone.standard_error
    in_groups = "" if groups is None else "groups:80|"
    ending = f"|k:3|n:400|labels:observed|{in_groups}ci:0.95|v:{informedness.__version__}"
    assert made.signature == f"report|avg:{average}{ending}"
    assert sliced.signature == f"slices|avg:{average}{ending}"
    assert {made.to_dict()["average"], sliced.to_dict()["average"]} == {average}


def test_a_slice_in_one_group_has_no_interval():
    made = slices(TRUE, ANSWERS["a"], by=GROUPS, groups=GROUPS, **AT_95)
    estimates = [row.estimates["informedness"] for row in made.rows]
    assert all(math.isnan(x.standard_error) for x in estimates)
    assert all(math.isnan(x.confidence_interval[0]) for x in estimates)
    for call in (
        lambda **how: slices(TRUE, TRUE, by=PARTS, **how),
        lambda **how: report(TRUE, TRUE, **how),
    ):
        with pytest.raises(ValueError, match="`groups` affect only intervals: pass a `conf"):
            call(groups=GROUPS)
        with pytest.raises(ValueError, match="`average` must be one of"):
            call(average=None)


# What guessing scores, and the order of slices


def test_guessing_is_a_column_for_accuracy():
    """It is the largest share of the references of a slice."""
    by = ["a"] * 60 + ["b"] * 60
    references = ["yes"] * 45 + ["no"] * 15 + ["yes", "no"] * 30
    head, *rows = slices(references, references, by=by).text_tables()[0]
    place = head.index("guessing")
    assert head[place - 1] == "Acc"
    assert [row[place] for row in rows] == ["0.750", "0.500", "0.625"]
    assert [row[0] for row in rows] == ["a", "b", "all"]


def test_slices_are_in_the_order_of_numbers_or_of_categories():
    references = [*"ab"] * 30
    in_text = slices(references, references, by=["9", "10", "100"] * 20)
    assert [*in_text] == ["9", "10", "100"]
    sizes = pd.Series(["small", "large", "medium"] * 20)
    sizes = sizes.astype(pd.CategoricalDtype(["small", "medium", "large"], ordered=True))
    assert [*slices(references, references, by=sizes)] == ["small", "medium", "large"]
    assert [*slices(references, references, by=sizes.astype(str))] == ["large", "medium", "small"]


def test_slices_without_a_score_are_last_if_sorted_by_it():
    by = ["one class"] * 20 + ["bad"] * 20 + ["good"] * 20
    references = ["a"] * 20 + [*"ab"] * 20
    predictions = ["a"] * 20 + [*"ba"] * 10 + [*"ab"] * 10
    made = slices(references, predictions, by=by, sort="informedness", confidence_level=0.95)
    assert [*made] == ["bad", "good", "one class"]
    names = [label.get_text() for label in made.plot().get_yticklabels()]
    assert names == ["bad*", "good*", "one class*", "all"]
    with pytest.raises(ValueError, match="`sort` must be one of"):
        slices(references, predictions, by=by, sort="ema")
