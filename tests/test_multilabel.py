"""Several labels per sample: each label's score is that of its column, and nothing is pooled."""

import math

import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.metrics import balanced_accuracy_score, cohen_kappa_score

from informedness import NoSamplesError, per_label
from informedness.trainer import ComputeMetrics
from informedness.warnings import UndefinedMetricWarning

GENERATOR = np.random.default_rng(0)
REFERENCES = (GENERATOR.random((200, 3)) < [0.5, 0.1, 0.3]).astype(int)
PREDICTIONS = np.where(GENERATOR.random((200, 3)) < 0.3, 1 - REFERENCES, REFERENCES)
NAMES = ["joy", "fear", "anger"]


def test_each_label_is_scored_by_its_column_and_the_mean_is_plain():
    columns = list(zip(REFERENCES.T, PREDICTIONS.T, strict=True))
    for metric, peer in (
        ("informedness", lambda *x: balanced_accuracy_score(*x, adjusted=True)),
        ("cohen_kappa", cohen_kappa_score),
    ):
        wanted = [peer(*pair) for pair in columns]
        made = per_label(REFERENCES, PREDICTIONS, metric, names=NAMES)
        assert list(made.scores) == NAMES
        assert list(made.scores.values()) == pytest.approx(wanted, abs=1e-12)
        assert made.mean == pytest.approx(math.fsum(wanted) / 3, abs=1e-12)
    for name, (references, predictions) in zip(NAMES, columns, strict=True):
        counts = np.zeros((2, 2), int)
        np.add.at(counts, (references, predictions), 1)
        assert made.tables[name].to_dense().tolist() == counts.tolist()


def test_containers_give_one_result_and_the_trainer_gives_the_same():
    made = per_label(REFERENCES, PREDICTIONS)
    for convert in (np.ndarray.tolist, pd.DataFrame, lambda x: x.astype(bool), np.float32):
        assert per_label(convert(REFERENCES), convert(PREDICTIONS)).scores == made.scores
    compute_metrics = ComputeMetrics("informedness", multilabel=True, per_label=True)
    scores = compute_metrics((PREDICTIONS, REFERENCES))
    assert scores.pop("informedness") == made.mean
    assert list(scores.values()) == list(made.scores.values())


@pytest.mark.parametrize("frame", [pd.DataFrame, pl.DataFrame])
def test_data_frames_name_the_labels_and_must_have_them_in_the_same_order(frame):
    references, predictions = (
        frame(dict(zip(NAMES, x.T, strict=True))) for x in (REFERENCES, PREDICTIONS)
    )
    made = per_label(references, predictions)
    assert made.scores == per_label(REFERENCES, PREDICTIONS, names=NAMES).scores
    assert per_label(references, PREDICTIONS).scores == made.scores
    with pytest.raises(
        ValueError, match=r"must have the columns of `y_true`, \['joy', .*, got \['a"
    ):
        per_label(references, predictions[["anger", "joy", "fear"]])


def test_data_frames_must_have_their_samples_in_the_same_order():
    references = pd.DataFrame(REFERENCES)
    with pytest.raises(ValueError, match="must have its index in the order of `y_true`"):
        per_label(references, references[::-1])


def test_a_label_without_a_score_is_named_and_left_out_of_the_mean():
    references, predictions = REFERENCES.copy(), PREDICTIONS.copy()
    references[:, 1] = 0
    with pytest.warns(UndefinedMetricWarning, match="all the same: 'fear' left out of the mean"):
        made = per_label(references, predictions, names=NAMES)
    assert made.scores["fear"] == 0
    assert made.mean == pytest.approx((made.scores["joy"] + made.scores["anger"]) / 2)
    references[:, 1] = -1
    predictions[:, 1] = 7  # nobody looks there
    with pytest.warns(UndefinedMetricWarning, match="'fear'"):
        ignored = per_label(references, predictions, names=NAMES, ignore_index=-1)
    assert (ignored.mean, list(ignored.tables)) == (made.mean, ["joy", "anger"])


EMPTY = np.full_like(REFERENCES, -1)
REFUSED = [
    (REFERENCES, PREDICTIONS[:, :2], {}, r"n_labels\), got \(200, 2\) and \(200, 3\)"),
    (REFERENCES[0], PREDICTIONS[0], {}, r"got \(3,\) and \(3,\)"),
    (REFERENCES, PREDICTIONS * 0.7, {}, "y_pred must be 0 or 1 .* got 0.7"),
    (REFERENCES - 1, PREDICTIONS, {}, "y_true must be 0 or 1 .* got -1"),
    (REFERENCES, PREDICTIONS, {"names": "ab"}, r"`names` must name 3 labels, got \['a', 'b'\]"),
    (REFERENCES, PREDICTIONS, {"names": "aab"}, "`names`"),
    (REFERENCES, PREDICTIONS, {"metric": "f1"}, "did you mean 'f1_macro'"),
    (REFERENCES[:0], PREDICTIONS[:0], {}, "a sample to score"),
    (EMPTY, EMPTY, {"ignore_index": -1}, "a sample to score"),
]


@pytest.mark.parametrize(("references", "predictions", "options", "said"), REFUSED)
def test_what_is_no_table_of_labels_is_refused(references, predictions, options, said):
    with pytest.raises(NoSamplesError if "sample" in said else ValueError, match=said):
        per_label(references, predictions, **options)
