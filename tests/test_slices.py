"""Slices: each row is the report of its samples alone, counted in one pass."""

import itertools
import json
import math
import warnings

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy import stats

from informedness import SCORES as METRICS
from informedness import (
    InformednessWarning,
    Slices,
    estimate,
    report,
    score,
    table_from_file,
    table_from_frame,
)
from informedness.cli import main
from informedness.results.several import holm

N = 600
SCORES = [name for name in METRICS if name != "markedness"]
pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")


def samples(seed=0, k=3, n=N):
    rng = np.random.default_rng(seed)
    references = rng.integers(0, k, n)
    predictions = np.where(rng.random(n) < 0.6, references, rng.integers(0, k, n))
    return pd.DataFrame(
        {
            "label": np.array(["x", "y", "z", "w"])[references],
            "model": np.array(["x", "y", "z", "w"])[predictions],
            "type": np.array(["color", "count", "yes/no"])[rng.integers(0, 3, n)],
            "half": np.arange(n) % 2,
            "weight": rng.integers(1, 5, n) / 4,
        }
    )


FRAME = samples()
BY = {"type": FRAME["type"], "half": FRAME["half"]}


def of(frame):
    return frame["label"], frame["model"]


def test_a_slice_is_the_report_of_its_samples_alone():
    for weights, classes in itertools.product((None, FRAME["weight"]), ("all", "slice")):
        slices = report(*of(FRAME), by=FRAME["type"], classes=classes, sample_weight=weights)
        assert [row.name for row in slices.rows] == ["color", "count", "yes/no"]
        for row in slices.rows:
            part = FRAME["type"] == row.name
            labels = ["x", "y", "z"] if classes == "all" else None
            of_part = None if weights is None else weights[part]
            alone = report(*of(FRAME[part]), labels=labels, sample_weight=of_part)
            assert row.scores == pytest.approx(alone.scores, abs=1e-12)
            assert row.class_entropy == pytest.approx(alone.class_entropy, abs=1e-12)
            assert row.table == alone.table
        whole = report(*of(FRAME), sample_weight=weights)
        assert slices.whole.scores == whole.scores
        assert slices.whole.table == whole.table


@settings(deadline=None)
@example([(0, 0, 1), (1, 0, 0), (1, 0, 0), (1, 1, 1)], "slice")  # k differs between slices
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 3), st.integers(0, 3)), min_size=1),
    st.sampled_from(["all", "slice"]),
)
def test_slices_scored_together_are_those_scored_one_by_one(rows, classes):
    by, references, predictions = zip(*rows, strict=True)
    for row in report(references, predictions, by=by, classes=classes).rows:
        totals = row.table.reference_totals, row.table.prediction_totals
        for name in SCORES:
            if not math.isnan(row.scores[name]):
                assert row.scores[name] == pytest.approx(score(row.table, name), abs=1e-12)
            else:
                assert 1 in map(np.count_nonzero, totals)


def test_a_slice_of_one_class_is_undefined_and_a_small_one_is_marked():
    frame = pd.concat([FRAME, FRAME[FRAME["label"] == "x"].head(20).assign(type="only x")])
    slices = report(*of(frame), by=frame["type"])
    row = slices["only x"]
    assert math.isnan(row.scores["informedness"])
    assert not math.isnan(row.scores["accuracy"])
    line = next(line for line in str(slices).splitlines() if line.startswith("only x"))
    assert "20*" in line
    assert " -- " in line
    assert slices.to_dict()["slices"][2]["informedness"] is None


def test_there_is_one_warning_for_all_slices():
    by = [f"slice {i}" for i in range(60) for _ in range(10)]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report(*of(FRAME), by=by)
    (message,) = [str(x.message) for x in caught if issubclass(x.category, InformednessWarning)]
    assert message == "informedness: 60 slices, 60 with fewer than 50 samples: they are marked"


def test_classes_of_the_whole_count_in_a_slice_that_lacks_one():
    references, predictions = ["a", "b", "a", "c"] * 20, ["a", "b", "b", "c"] * 20
    by = (["one"] * 3 + ["two"]) * 20
    for classes, labels in (("all", ["a", "b", "c"]), ("slice", None)):
        made = report(references, predictions, by=by, classes=classes)["one"]
        alone = report(references[:3] * 20, predictions[:3] * 20, labels=labels)
        assert made.scores["nit"] == pytest.approx(alone.scores["nit"])


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
    for weights, ignored in itertools.product((None, "weight"), ("none", None)):
        options = {"ignore_index": ignored, "classes": "slice"}
        by, weight = {"type": frame["type"], "half": frame["half"]}, weights and frame[weights]
        made = report(*of(frame), by=by, sample_weight=weight, **options)
        wanted = [(row.name, row.table) for row in made.rows]
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


def test_a_column_that_does_not_exist_or_occurs_twice_is_refused():
    options = {"references": "label", "predictions": "model"}
    with pytest.raises(ValueError, match="`by`: column 'kind' does not exist"):
        table_from_frame(FRAME, by="kind", **options)
    with pytest.raises(ValueError, match="`by` must name each column once, got 'type' twice"):
        table_from_frame(FRAME, by=["type", "type"], **options)
    with pytest.raises(ValueError, match="`by` must have a value for each sample, got 2"):
        report(*of(FRAME), by=["a", "b"])
    with pytest.raises(ValueError, match="`classes` must be one of"):
        report(*of(FRAME), by=FRAME["type"], classes="some")


def test_sorting_puts_undefined_values_last():
    frame = pd.concat([FRAME, FRAME[FRAME["label"] == "x"].assign(type="only x")])
    slices = report(*of(frame), by=frame["type"])
    for descending in (False, True):
        found = slices.sorted_by("informedness", descending=descending)
        values = [row.scores["informedness"] for row in found.rows]
        assert math.isnan(values[-1])
        assert values[:-1] == sorted(values[:-1], reverse=descending)
    with pytest.raises(ValueError, match="`column` must be one of"):
        slices.sorted_by("colour")


def test_intervals_of_slices_are_those_of_their_tables():
    slices = report(*of(FRAME), by=FRAME["type"], confidence_level=0.9)
    for row in (*slices.rows, slices.whole):
        wanted = estimate(row.table, "informedness", confidence_level=0.9)
        assert row.estimates["informedness"].confidence_interval == wanted.confidence_interval
    record = slices.records()[0]
    assert (
        record["informedness_low"]
        == slices.rows[0].estimates["informedness"].confidence_interval[0]
    )


def test_the_rest_is_all_other_samples_and_the_p_value_near_that_of_two_proportions():
    """Of accuracy, against the chi-squared test of two proportions."""
    n = 4000
    right = np.random.default_rng(1).random(n) < np.where(np.arange(n) < 1000, 0.76, 0.7)
    references = np.arange(n) % 2
    predictions = np.where(right, references, 1 - references)
    by = np.where(np.arange(n) < 1000, "a", "b")
    row = report(references, predictions, by=by, against_rest="accuracy")["a"]
    assert row.difference == pytest.approx(right[:1000].mean() - right[1000:].mean(), abs=1e-12)
    counts = [[right[:1000].sum(), right[1000:].sum()]]
    counts += [[1000 - counts[0][0], 3000 - counts[0][1]]]
    wanted = stats.chi2_contingency(counts, correction=False).pvalue
    assert 0.0005 < wanted < 0.2
    assert row.p_value == pytest.approx(min(1, 2 * wanted), rel=0.1)


def test_holm_corrects_as_r_does():
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([0.01, math.nan, 0.04])[::2] == pytest.approx([0.02, 0.04])
    assert math.isnan(holm([0.01, math.nan])[1])


def test_the_command_line_gives_the_same(tmp_path, capsys):
    path = str(tmp_path / "p.parquet")
    FRAME.to_parquet(path)
    columns = [path, "-r", "label", "-p", "model", "--by", "type", "half", "--output", "json"]
    assert main(["report", *columns]) == 0
    wanted = report(*of(FRAME), by=BY)
    assert json.loads(capsys.readouterr().out) == json.loads(json.dumps(wanted.to_dict()))
    assert main(["report", *columns, "--sort", "nit", "--descending"]) == 0
    found = [row["nit"] for row in json.loads(capsys.readouterr().out)["slices"]]
    assert found == sorted(found, reverse=True)
    assert main(["report", path, "-r", "label", "-p", "model", "--sort", "nit"]) == 2
    assert "add --by COLUMN" in capsys.readouterr().err
    assert main(["report", path, "-r", "label", "-p", "model", "--score", "nit"]) == 0
    assert float(capsys.readouterr().out) == report(*of(FRAME)).scores["nit"]


def test_long_names_stay_within_120_columns():
    frame = FRAME.assign(type=FRAME["type"].map(lambda name: name + " x" * 100))
    text = str(report(*of(frame), by=frame["type"], against_rest="nit", confidence_level=0.95))
    tables = text.partition("Classes (k)")[0]
    assert max(map(len, tables.splitlines())) <= 120


def test_tables_of_slices_come_from_a_mapping_too():
    parts = {name: report(*of(part)).table for name, part in FRAME.groupby("type")}
    found = Slices.from_tables(parts, by="type")
    assert found.records() == report(*of(FRAME), by={"type": FRAME["type"]}).records()
    with pytest.raises(ValueError, match="`tables` must hold at least one slice"):
        Slices.from_tables({})
