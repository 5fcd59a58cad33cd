"""The scores inside scikit-learn: scorers of folds, and one table of all folds.

Covers src: scorers.py.
"""

import copy
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as select
from sklearn.datasets import load_iris
from sklearn.naive_bayes import GaussianNB

from informedness import estimate, informedness_score, nit_score, scorers
from informedness.inference.registry import SCORES
from informedness.warnings import LabelsWarning
from inputs.tables import score_of, table_of_labels

SAMPLES, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2, len(LABELS))
ONCE = [(np.arange(150), np.arange(150))]  # of which all is learnt and predicted


@pytest.fixture
def watched():
    """Return a class of models that notes what they are fitted on and predict."""

    class Watched(GaussianNB):
        fitted, predicted = [], []

        def fit(self, X, y):
            self.fitted.append({*X[:, -1]})
            return super().fit(X, y)

        def predict(self, X):
            self.predicted.append({*X[:, -1]})
            return super().predict(X)

    return Watched


def test_several_scores_come_from_one_prediction(watched):
    scoring = pickle.loads(pickle.dumps(scorers.multimetric_scorers(*SCORES)))
    found = select.cross_validate(watched(), SAMPLES, NAMES, scoring=scoring, cv=ONCE)
    assert len(watched.predicted) == 1
    table = table_of_labels(NAMES, GaussianNB().fit(SAMPLES, NAMES).predict(SAMPLES))
    for name in SCORES:
        assert found[f"test_{name}"].tolist() == [score_of(table, name)]


@pytest.mark.parametrize("average", ["bias", "prevalence", "macro"])
def test_scorers_take_an_average_where_there_is_one(average):
    scoring = scorers.multimetric_scorers("accuracy", "informedness", average=average)
    odd = np.where(np.arange(150) % 5 > 0, LABELS, 0)
    model = GaussianNB().fit(SAMPLES, odd)
    found = {name: scorer(model, SAMPLES, LABELS) for name, scorer in scoring.items()}
    predictions = model.predict(SAMPLES)
    assert found["informedness"] == informedness_score(LABELS, predictions, average=average)
    assert found["accuracy"] == pytest.approx(np.mean(predictions == LABELS))
    for names, wrong in ((["nit"], average), (["informedness"], None)):
        with pytest.raises(ValueError, match="`average` must be"):
            scorers.multimetric_scorers(*names, average=wrong)


@pytest.mark.filterwarnings("ignore:informedness. ")
def test_declared_classes_count_in_folds_that_lack_them():
    two, classifier = LABELS < 2, GaussianNB().fit(SAMPLES, LABELS)
    for labels, wanted in (([0, 1, 2], 2 / 3), (None, 1.0)):
        scorer = scorers.multimetric_scorers("nit", labels=labels)["nit"]
        assert scorer(classifier, SAMPLES[two], LABELS[two]) == pytest.approx(wanted)


@sklearn.config_context(enable_metadata_routing=True)
def test_weights_are_routed_to_a_scorer_that_requests_them():
    predictions = GaussianNB().fit(SAMPLES[:, :1], LABELS).predict(SAMPLES[:, :1])
    model = GaussianNB().set_fit_request(sample_weight=False)
    for scorer, score in (
        (scorers.informedness_scorer, informedness_score),
        (scorers.nit_scorer, nit_score),
        (scorers.multimetric_scorers("nit")["nit"], nit_score),
    ):
        how = {"cv": ONCE, "params": {"sample_weight": WEIGHTS}}
        how["scoring"] = copy.deepcopy(scorer).set_score_request(sample_weight=True)
        found = select.cross_validate(model, SAMPLES[:, :1], LABELS, **how)
        assert found["test_score"] == score(LABELS, predictions, sample_weight=WEIGHTS)


@pytest.mark.filterwarnings("ignore:informedness. 'NA' in `y_pred`")  # and in `y_true`, as expected
def test_the_estimate_pools_predictions_of_all_folds():
    options = {"sample_weight": WEIGHTS, "average": "macro", "confidence_level": 0.9}
    fits = {"cv": 7, "params": {"sample_weight": np.where(LABELS == 1, 100.0, 1.0)}}
    data = GaussianNB(), SAMPLES[:, :1], NAMES
    predictions = select.cross_val_predict(*data, **fits)
    labels = ["setosa", "versicolor", "virginica"]
    found = scorers.cross_val_estimate(*data, **fits, **options)
    assert found == estimate(NAMES, predictions, labels=labels, **options)
    named = scorers.cross_val_estimate(*data, **fits, metric="nit")
    assert named == estimate(NAMES, predictions, "nit", labels=labels)
    with pytest.warns(LabelsWarning, match=r"'NA' in `y_\w+` counts as a label"):
        scorers.cross_val_estimate(
            GaussianNB(), SAMPLES, ["NA" if x == "setosa" else x for x in NAMES]
        )


def test_groups_are_not_split_and_the_error_is_by_groups(watched):
    groups, rng = np.repeat(np.arange(30), 5), np.random.default_rng(0)
    labels = rng.integers(0, 3, 30)[groups]
    samples = np.column_stack([labels + rng.normal(size=150), groups])
    for cv, n_folds in ((None, 5), (6, 6), (select.GroupKFold(4), 4)):
        watched.fitted.clear()
        watched.predicted.clear()
        found = scorers.cross_val_estimate(watched(), samples, labels, cv=cv, groups=groups)
        assert "groups:30|" in found.signature
        assert len(watched.fitted) == n_folds
        assert not any(x & y for x, y in zip(watched.fitted, watched.predicted, strict=True))


def test_what_is_not_valid_is_refused_before_anything_is_fitted(watched):
    for changed, message in (
        ({"metric": "f1"}, r"must be one of .*, got 'f1'"),
        ({"metric": "nit", "average": "macro"}, "`average` must be left out"),
        ({"confidence_level": 95}, "`confidence_level`"),
        ({"y": np.linspace(0, 1, 150)}, "`y` must hold labels .* a score, not a label"),
        ({"cv": select.ShuffleSplit(3)}, "`cv` must .*, got ShuffleSplit.* For such splits"),
        ({"cv": select.RepeatedStratifiedKFold()}, "150 of 150 samples into none or several"),
        ({"cv": select.TimeSeriesSplit(4)}, "puts 30 of 150"),
        ({"cv": [(range(100), range(100, 150))]}, "puts 100 of 150"),
    ):
        with pytest.raises(ValueError, match=message):
            scorers.cross_val_estimate(watched(), **{"X": SAMPLES, "y": LABELS} | changed)
    assert not watched.fitted
    for names, message in (
        ([], "must name at least"),
        (["f1"], "`metrics` .*'f1'"),
        (["nit"] * 2, "each score"),
    ):
        with pytest.raises(ValueError, match=message):
            scorers.multimetric_scorers(*names)
