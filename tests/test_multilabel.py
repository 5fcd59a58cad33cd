"""Several labels per sample: each label's score is that of its column, and nothing is pooled.

Covers src: multilabel.py.
"""

import math
from types import SimpleNamespace

import numpy as np
import pandas as pd
import polars as pl
import pytest
import sklearn.metrics as sk

from informedness import NoSamplesError, per_label
from informedness.trainer import ComputeMetrics
from informedness.warnings import UndefinedMetricWarning

GENERATOR = np.random.default_rng(0)
REFERENCES = (GENERATOR.random((200, 3)) < [0.5, 0.1, 0.3]).astype(int)
PREDICTIONS = np.where(GENERATOR.random((200, 3)) < 0.3, 1 - REFERENCES, REFERENCES)
NAMES = ["joy", "fear", "anger"]


def test_each_label_is_scored_and_the_mean_is_plain():
    columns = list(zip(REFERENCES.T, PREDICTIONS.T, strict=True))
    for metric, peer in (
        ("cohen_kappa", sk.cohen_kappa_score),
        ("accuracy", sk.accuracy_score),
        ("informedness", lambda *pair: sk.balanced_accuracy_score(*pair, adjusted=True)),
    ):
        wanted = [peer(*pair) for pair in columns]
        made = per_label(REFERENCES, PREDICTIONS, metric)
        assert list(made.scores.values()) == pytest.approx(wanted, abs=1e-12)
        assert made.mean == pytest.approx(math.fsum(wanted) / 3, abs=1e-12)
    for table, pair in zip(made.tables.values(), columns, strict=True):
        assert table.to_dense().tolist() == sk.confusion_matrix(*pair).tolist()
    for convert in (np.ndarray.tolist, pd.DataFrame, lambda x: x.astype(bool), np.float32):
        assert per_label(convert(REFERENCES), convert(PREDICTIONS)) == made


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_name_labels_in_the_same_order(frame):
    sides = REFERENCES, PREDICTIONS
    references, predictions = (frame(dict(zip(NAMES, side.T, strict=True))) for side in sides)
    made = per_label(*sides, names=NAMES)
    assert per_label(references, predictions) == per_label(references, PREDICTIONS) == made
    with pytest.raises(ValueError, match=r"the columns of `y_true`, \['joy', .*, got \['a"):
        per_label(references, predictions[["anger", "joy", "fear"]])
    if frame is pd.DataFrame:
        with pytest.raises(ValueError, match="must have its index in the order of `y_true`"):
            per_label(references, references[::-1])


def test_a_label_without_a_score_is_left_out_of_the_mean():
    references, predictions = REFERENCES.copy(), PREDICTIONS.copy()
    references[:, 1] = 0
    scores = per_label(REFERENCES, PREDICTIONS, names=NAMES).scores
    wanted = scores | {"fear": 0.0}, pytest.approx((scores["joy"] + scores["anger"]) / 2)
    with pytest.warns(UndefinedMetricWarning, match="for some labels. The mean leaves out 'fear'."):
        made = per_label(references, predictions, names=NAMES)
    assert (made.scores, made.mean) == wanted
    assert per_label(references, predictions, "accuracy").scores["1"] > 0  # needs no second class
    references[:, 1], predictions[:, 1] = -1, 7  # nobody looks there
    config = SimpleNamespace(num_labels=3, id2label=dict(enumerate(NAMES)))
    metric = ComputeMetrics("informedness", multilabel=True, ignore_index=-1, config=config)
    with pytest.warns(UndefinedMetricWarning, match="'fear'"):
        found = metric((predictions, references))
    with pytest.warns(UndefinedMetricWarning, match="'fear'"):
        made = per_label(references, predictions, names=NAMES, ignore_index=-1)
    assert (made.scores, made.mean, [*made.tables]) == (*wanted, ["joy", "anger"])
    assert (found, metric.table) == ({"informedness": made.mean}, made.tables)


EMPTY = np.full_like(REFERENCES, -1)
REFUSED = [
    (REFERENCES, PREDICTIONS[:, :2], {}, r"n_labels\), got \(200, 2\) and \(200, 3\)"),
    (REFERENCES[0], PREDICTIONS[0], {}, r"got \(3,\) and \(3,\)"),
    (REFERENCES, PREDICTIONS * 0.7, {}, "`y_pred` must be 0 or 1 .* got 0.7"),
    (REFERENCES - 1, PREDICTIONS, {}, "`y_true` must be 0 or 1 .* got -1"),
    (REFERENCES, PREDICTIONS, {"names": "ab"}, r"`names` must name 3 labels, got \['a', 'b'\]"),
    (REFERENCES, PREDICTIONS, {"names": "aab"}, "`names` must list each label once; 'a'"),
    (REFERENCES, PREDICTIONS, {"metric": "f1"}, "got 'f1'; did you mean 'f1_macro'"),
    (REFERENCES[:0], PREDICTIONS[:0], {}, "one sample to score"),
    (EMPTY, EMPTY, {"ignore_index": -1}, "one sample to score"),
]


@pytest.mark.parametrize(("references", "predictions", "options", "said"), REFUSED)
def test_what_is_no_table_of_labels_is_refused(references, predictions, options, said):
    with pytest.raises(NoSamplesError if "sample" in said else ValueError, match=said):
        per_label(references, predictions, **options)
