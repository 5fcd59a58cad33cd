"""Slices: each row is the report of its samples alone, counted in one pass."""

import math
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy import stats
from sklearn.metrics import f1_score

from informedness import (
    ContingencyTable,
    nit_score,
    report,
    slices,
    table_from_file,
    table_from_frame,
)
from informedness.results.slices import Slices
from informedness.statistics.paired import holm
from informedness.warnings import InformednessWarning

N = 600
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


RNG = np.random.default_rng(0)
CODES = RNG.integers(0, 3, N)
FRAME = pd.DataFrame(
    {
        "label": np.array(["x", "y", "z"])[CODES],
        "model": np.array(["x", "y", "z"])[np.where(RNG.random(N) < 0.6, CODES, CODES[::-1])],
        "type": np.array(["color", "count", "yes/no"])[RNG.integers(0, 3, N)],
        "half": np.arange(N) % 2,
        "weight": RNG.integers(1, 5, N) / 4,
    }
)
BY = {"type": FRAME["type"], "half": FRAME["half"]}


def of(frame):
    return frame["label"], frame["model"]


def test_a_slice_is_the_report_of_its_samples_alone():
    has_z = (FRAME["label"] == "z") | (FRAME["model"] == "z")
    frame = FRAME[~has_z | (FRAME["type"] != "yes/no")]
    for weights in (None, frame["weight"]):
        sliced = slices(*of(frame), by=frame["type"], sample_weight=weights)
        assert [row.name for row in sliced.rows] == ["color", "count", "yes/no"]
        for row in sliced.rows:
            part = frame["type"] == row.name
            of_part = None if weights is None else weights[part]
            alone = report(*of(frame[part]), labels=["x", "y", "z"], sample_weight=of_part)
            assert row.scores == pytest.approx(alone.scores, abs=1e-12)
            assert row.class_entropy == pytest.approx(alone.class_entropy, abs=1e-12)
            assert row.table == alone.table
        assert "\n\nk counts the classes of all samples. " in str(sliced)
        whole = report(*of(frame), sample_weight=weights)
        assert sliced.overall.scores == whole.scores
        assert sliced.overall.table == whole.table


def test_a_slice_of_one_class_is_undefined_and_marked_as_small():
    name = "only x" + " x" * 100
    frame = pd.concat([FRAME, FRAME[FRAME["label"] == "x"].head(20).assign(type=name)])
    sliced = slices(*of(frame), by=frame["type"], vs_rest="nit", confidence_level=0.95)
    assert math.isnan(sliced[name].scores["informedness"])
    assert not math.isnan(sliced[name].scores["accuracy"])
    lines = str(sliced).partition("k counts the classes")[0].splitlines()
    assert max(map(len, lines)) <= 80
    of_slice = "".join(line for line in lines if line.startswith("only x"))
    assert "20*" in of_slice
    assert " -- " in of_slice
    assert sliced.to_dict()["slices"][2]["informedness"] is None


def test_f1_of_a_slice_is_the_mean_over_classes_and_not_over_unknown_answers():
    predictions = FRAME["model"].where(FRAME["weight"] > 0.25, "none")
    labels = ["x", "y", "z"]
    sliced = slices(FRAME["label"], predictions, by=BY["type"], labels=labels, unknown="wrong")
    for row in sliced.rows:
        part = FRAME["type"] == row.name
        wanted = f1_score(FRAME["label"][part], predictions[part], labels=labels, average="macro")
        assert row.scores["f1_macro"] == pytest.approx(wanted, abs=1e-12), row.name


def test_there_is_one_warning_for_all_slices():
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        slices(*of(FRAME), by=np.arange(N) // 10)
    (message,) = [str(x.message) for x in caught if issubclass(x.category, InformednessWarning)]
    assert message == ("informedness: of 60 slices, 60 have fewer than 50 samples (marked with *)")


@pytest.mark.slow
def test_files_and_frames_give_the_tables_of_the_labels(tmp_path):
    # ignored samples are in no slice
    frame = pd.concat([FRAME, FRAME.head(1).assign(label="none", type="last")])
    path = {kind: str(tmp_path / f"p.{kind}") for kind in ("csv", "parquet", "jsonl")}
    frame.to_csv(path["csv"])
    frame.to_parquet(path["parquet"], row_group_size=100)
    frame.to_json(path["jsonl"], orient="records", lines=True)
    of_polars = pl.from_pandas(frame)
    frames = [frame, of_polars, of_polars.lazy(), duckdb.from_df(frame)]
    for weights, ignored in ((None, None), ("weight", "none")):
        wanted = []
        for name, part in frame[frame["label"] != ignored].groupby(["type", "half"]):
            how = {"references": part["label"], "predictions": part["model"]}
            how |= {"sample_weight": weights and part[weights]}
            wanted.append((name, ContingencyTable.from_labels(**how)))
        assert (("last", 0) in dict(wanted)) == (ignored is None)
        columns = {"references": "label", "predictions": "model", "weights": weights}
        columns |= {"by": ["type", "half"], "ignore_index": ignored}
        for each in frames:
            assert list(table_from_frame(each, **columns).items()) == wanted, type(each)
        for kind, file in path.items():
            found = table_from_file(file, **columns)
            if kind == "csv":  # text
                found = {(name[0], int(name[1])): table for name, table in found.items()}
            assert list(found.items()) == wanted, kind


@pytest.mark.parametrize("frame", [FRAME, pl.from_pandas(FRAME)], ids=["pandas", "polars"])
def test_slices_by_columns_of_a_frame_have_their_names(frame):
    for names in (["type"], ["type", "half"]):
        wanted = slices(*of(FRAME), by={name: FRAME[name].tolist() for name in names})
        assert slices(*of(FRAME), by=frame[names]).to_dict() == wanted.to_dict()
    assert slices(*of(FRAME), by=frame["type"]).by == ("type",)
    assert slices(*of(FRAME), by=FRAME["type"].tolist()).by == ("slice",)


TABLE, PAIR = report(*of(FRAME)).table, ("a", "b")


@pytest.mark.parametrize(
    ("tables", "by", "said"),
    [
        ({}, "type", "`tables` must map at least one slice to its"),
        ([TABLE], "type", "`tables` must map at least one slice to its"),
        ({"a": [0, 1]}, "type", "`tables` must map at least one slice to its"),
        ({None: TABLE}, "type", "`tables` must hold labels"),
        ({math.nan: TABLE}, "type", "`tables` must hold labels"),
        ({PAIR: TABLE}, "type", r"`by` must name the 2 columns of slice \('a', 'b'\), got 'type'"),
        ({"a": TABLE}, ["type", "half"], "`by` must name the 1 columns of slice 'a', got"),
        ({PAIR: TABLE}, ["type", "type"], "`by` must name each column once, got 'type' twice"),
    ],
)
def test_tables_that_are_no_slices_by_these_columns_are_refused(tables, by, said):
    with pytest.raises(ValueError, match=said):
        Slices.from_tables(tables, by=by)


def test_columns_that_are_no_slices_of_the_samples_are_refused():
    with pytest.raises(ValueError, match="`by` names column 'kind', which does not exist"):
        table_from_frame(FRAME, by="kind", references="label", predictions="model")
    with pytest.raises(ValueError, match="`by` must name each column once, got '1' twice"):
        slices(*of(FRAME), by={1: FRAME["type"], "1": FRAME["half"]})
    with pytest.raises(ValueError, match="`by` must have a value for each sample, got 2"):
        slices(*of(FRAME), by=["a", "b"])


def test_the_rest_is_all_other_samples_and_the_p_value_near_that_of_two_proportions():
    """Of accuracy, against the chi-squared test of two proportions."""
    references, by = np.arange(4000) % 2, np.array(["b"] * 1000 + ["a", "a", "c"] * 1000)
    right = np.random.default_rng(1).random(4000) < np.where(by == "b", 0.76, 0.7)
    predictions = np.where(right, references, 1 - references)
    row = slices(references, predictions, by=by, vs_rest="accuracy")["b"]
    of_row, rest = right[by == "b"], right[by != "b"]
    assert row.difference == pytest.approx(of_row.mean() - rest.mean(), abs=1e-12)
    counts = [[sum(side), sum(~side)] for side in (of_row, rest)]
    wanted = 3 * stats.chi2_contingency(counts, correction=False).pvalue
    assert 0.0005 < wanted < 0.6
    assert row.p_value == pytest.approx(wanted, rel=0.15)
    alone = slices(references, predictions, by=[0] * 4000, vs_rest="accuracy")
    assert math.isnan(alone[0].difference)  # there is no rest
    with pytest.raises(KeyError):
        alone["a"]


def test_the_rest_of_a_slice_is_as_many_samples_as_it_has_whatever_each_of_them_weighs():
    part = FRAME["type"] == "color"
    predictions = FRAME["model"].mask(part & (FRAME["half"] == 0), "x")
    for metric in ("accuracy", "informedness", "f1_macro", "nit"):
        options = {"by": part, "vs_rest": metric, "labels": ["x", "y", "z"]}
        plain, *weighted = (
            slices(FRAME["label"], predictions, sample_weight=weights, **options).rows
            for weights in (None, np.where(part, 1, 0.5), np.where(part, 1, 4))
        )
        for rows in weighted:
            for row, other in zip(rows, plain, strict=True):
                assert row.difference == pytest.approx(other.difference, abs=1e-12), metric
                assert row.p_value == pytest.approx(other.p_value, abs=1e-6), metric
                assert other.p_value < 1, metric


def test_holm_corrects_as_r_does():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.01, math.nan, 0.04])[::2] == pytest.approx([0.02, 0.04])
    assert math.isnan(holm([0.01, math.nan])[1])


@pytest.mark.parametrize(
    ("columns", "keys"),
    [
        (("accuracy", "by_accuracy"), ["by_accuracy", "by_by_accuracy"]),
        (("p_value", "half"), ["by_p_value", "half"]),
    ],
)
def test_columns_named_like_a_field_lose_nothing_in_any_format(columns, keys):
    """Each column has a key of its own, under which each format holds the names of its slices."""
    options = {"confidence_level": 0.95, "vs_rest": "nit"}
    plain = slices(*of(FRAME), by=BY, **options)
    fields = [field for field in plain.records()[0] if field not in BY]
    assert {"n_classes", "accuracy", "nit", "nit_low", "difference", "p_value"} <= {*fields}
    sliced = slices(*of(FRAME), by=dict(zip(columns, BY.values(), strict=True)), **options)
    wanted = [
        {keys[0]: record["type"], keys[1]: record["half"]} | {x: record[x] for x in fields}
        for record in plain.records()
    ]
    assert sliced.records() == wanted
    made = sliced.to_dict()
    assert (made["by"], made["slices"], made["overall"]) == (keys, wanted[:-1], wanted[-1])
    assert made["vs_rest"] == "nit"


def test_k_of_a_slice_is_that_of_the_whole_where_answers_are_outside_the_references():
    references = ["yes", "no"] * 100
    predictions = ["yes", "no"] * 80 + ["maybe", "perhaps"] * 20
    one = slices(references, predictions, by=["all"] * 200, confidence_level=0.9, vs_rest="nit")
    row, whole = one.rows[0], one.overall
    assert row.n_classes == whole.n_classes == 2
    assert row.scores["nit"] == pytest.approx(nit_score(references, predictions), abs=1e-12)
    assert row.estimates["nit"].value == row.scores["nit"]
    low, high = row.estimates["nit"].confidence_interval
    assert low <= row.scores["nit"] <= high <= 1
    halves = slices(references, predictions, by=["a", "b"] * 100, vs_rest="nit")
    assert math.isnan(halves["a"].scores["informedness"])
    predictions = ["yes", "no"] * 80 + ["maybe"] * 40
    parts = slices(references, predictions, by=["a"] * 160 + ["b"] * 40, vs_rest="nit")
    assert parts["a"].scores["nit"] == pytest.approx(1)
    assert parts["b"].scores["nit"] == pytest.approx(0.5)
    assert parts["a"].difference == pytest.approx(0.5)


def test_small_slices_of_many_classes_are_marked_and_are_no_difference():
    rng = np.random.default_rng(0)
    references = rng.integers(0, 50, 4000)
    knows = rng.random(4000) < 0.12
    predictions = np.where(knows, references, rng.integers(0, 50, 4000))
    made = slices(references, predictions, by=[0] * 200 + [1] * 3800, vs_rest="nit")
    assert made[0].scores["nit"] > 2 * made[1].scores["nit"]
    assert made[0].p_value > 0.05
    assert f"{made[0].scores['nit']:.3f}^" in str(made)
    assert "^ NIT: chance adds more to it than its standard error" in str(made)
