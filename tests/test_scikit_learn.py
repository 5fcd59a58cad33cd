"""The scores inside scikit-learn: scorers, cross-validation, searches, thresholds."""

import copy
import pickle

import numpy as np
import pytest
import sklearn
import sklearn.model_selection as select
from sklearn.datasets import load_iris
from sklearn.experimental import enable_halving_search_cv  # noqa: F401
from sklearn.naive_bayes import GaussianNB

from informedness import estimate, informedness_score, nit_score
from informedness.scorers import (
    cross_val_estimate,
    informedness_scorer,
    multimetric_scorers,
    nit_scorer,
)
from informedness.statistics.registry import SCORES
from informedness.warnings import LabelsWarning
from tables import score_of, table_of_labels

SAMPLES, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
GRID = {"var_smoothing": [1e3, 1e-9]}
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2, len(LABELS))


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_scorer_gives_the_score_of_each_fold_pickled_too():
    for scorer, function in ((informedness_scorer, informedness_score), (nit_scorer, nit_score)):
        again = pickle.loads(pickle.dumps(scorer))
        scores = select.cross_val_score(GaussianNB(), SAMPLES, NAMES, scoring=again)
        for score, (train, test) in zip(
            scores, select.StratifiedKFold().split(SAMPLES, NAMES), strict=True
        ):
            predictions = GaussianNB().fit(SAMPLES[train], NAMES[train]).predict(SAMPLES[test])
            assert score == function(NAMES[test], predictions)


class Counting(GaussianNB):
    """Counts how often it predicts."""

    n_predictions = 0

    def predict(self, X):
        type(self).n_predictions += 1
        return super().predict(X)


def test_several_scores_are_of_one_prediction_and_are_those_of_its_table():
    before = Counting.n_predictions
    scoring = pickle.loads(pickle.dumps(multimetric_scorers(*SCORES)))
    split = [(np.arange(150), np.arange(150))]
    found = select.cross_validate(Counting(), SAMPLES, NAMES, scoring=scoring, cv=split)
    assert Counting.n_predictions == before + 1
    table = table_of_labels(NAMES, GaussianNB().fit(SAMPLES, NAMES).predict(SAMPLES))
    assert {name: found[f"test_{name}"][0] for name in SCORES} == {
        name: score_of(table, name) for name in SCORES
    }


SEVERAL = multimetric_scorers("informedness", "nit")


@pytest.mark.parametrize(
    ("make", "scoring", "refit"),
    [
        (select.GridSearchCV, SEVERAL, "informedness"),
        (select.GridSearchCV, informedness_scorer, True),
        (select.HalvingGridSearchCV, SEVERAL["informedness"], True),
    ],
)
def test_one_score_or_several_go_into_every_search(make, scoring, refit):
    search = make(GaussianNB(), GRID, scoring=scoring, refit=refit).fit(SAMPLES, NAMES)
    assert search.best_params_ == {"var_smoothing": 1e-9}
    assert search.score(SAMPLES, NAMES) == informedness_score(NAMES, search.predict(SAMPLES))


@pytest.mark.filterwarnings("ignore:informedness. ")
@pytest.mark.parametrize(("labels", "wanted"), [([0, 1, 2], 2 / 3), (None, 1.0)])
def test_declared_classes_count_in_folds_that_lack_them(labels, wanted):
    two, classifier = LABELS < 2, GaussianNB().fit(SAMPLES, LABELS)
    scorer = multimetric_scorers("nit", labels=labels)["nit"]
    assert scorer(classifier, SAMPLES[two], LABELS[two]) == pytest.approx(wanted)


@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize("scorer", [informedness_scorer, multimetric_scorers("nit")["nit"]])
def test_weights_are_routed_to_a_scorer_that_requests_them(scorer):
    score = nit_score if "nit" in repr(scorer) else informedness_score
    found = {}
    for is_requested in (True, False):
        result = select.cross_validate(
            GaussianNB().set_fit_request(sample_weight=True),
            SAMPLES[:, :1],
            LABELS,
            scoring=copy.deepcopy(scorer).set_score_request(sample_weight=is_requested),
            params={"sample_weight": WEIGHTS},
            return_estimator=True,
            return_indices=True,
        )
        found[is_requested] = result["test_score"].tolist()
        for i, test in enumerate(result["indices"]["test"]):
            weights = WEIGHTS[test] if is_requested else None
            predictions = result["estimator"][i].predict(SAMPLES[test, :1])
            wanted = score(LABELS[test], predictions, sample_weight=weights)
            assert found[is_requested][i] == wanted
    assert found[True] != found[False]


# One table of all folds


@pytest.mark.filterwarnings("ignore:informedness. 'NA' in `y_pred`")  # and in `y_true`, as expected
def test_the_estimate_is_of_the_predictions_of_all_folds_with_the_classes_of_all_references():
    options = {"sample_weight": WEIGHTS, "average": "macro", "confidence_level": 0.9}
    found = cross_val_estimate(GaussianNB(), SAMPLES, NAMES, cv=7, **options)
    predictions = select.cross_val_predict(GaussianNB(), SAMPLES, NAMES, cv=7)
    labels = ["setosa", "versicolor", "virginica"]
    assert found == estimate(NAMES, predictions, labels=labels, **options)
    with pytest.warns(LabelsWarning, match=r"'NA' in `y_\w+` counts as a class"):
        cross_val_estimate(GaussianNB(), SAMPLES, ["NA" if x == "setosa" else x for x in NAMES])
    named = cross_val_estimate(GaussianNB(), SAMPLES, NAMES, cv=7, metric="nit")
    assert named == estimate(NAMES, predictions, "nit", labels=labels)


@pytest.mark.parametrize("cv", [None, 6, select.GroupKFold(5)])
def test_groups_are_not_split_and_the_error_is_by_groups(cv):
    groups, rng = np.repeat(np.arange(30), 5), np.random.default_rng(0)
    labels = rng.integers(0, 3, 30)[groups]
    samples, trained_on = np.column_stack([labels + rng.normal(size=150), groups]), []

    class Watching(GaussianNB):
        def fit(self, X, y):
            trained_on.append({*X[:, 1]})
            return super().fit(X, y)

        def predict(self, X):
            assert not trained_on[-1] & {*X[:, 1]}
            return super().predict(X)

    found = cross_val_estimate(Watching(), samples, labels, cv=cv, groups=groups)
    assert len(trained_on) == (6 if cv == 6 else 5)
    assert "groups:30|" in found.signature


def test_models_are_fitted_with_the_weights_in_params():
    params = {"sample_weight": np.where(LABELS == 1, 100.0, 1.0)}
    data = GaussianNB(), SAMPLES[:, :1], LABELS
    found = cross_val_estimate(*data, params=params)
    predictions = select.cross_val_predict(*data, params=params)
    assert found == estimate(LABELS, predictions, labels=[0, 1, 2])
    assert found.value != cross_val_estimate(*data).value


class NeverFitted(GaussianNB):
    def fit(self, X, y):
        raise AssertionError("the fits come before the check")


def test_what_is_not_valid_is_refused_before_anything_is_fitted():
    for changed, message in (
        ({"metric": "f1"}, r"must be one of .*, got 'f1'"),
        ({"metric": "nit", "average": "macro"}, "`average` must be left out"),
        ({"confidence_level": 95}, "`confidence_level`"),
        ({"y": np.linspace(0, 1, 150)}, "`y` must hold labels .* a score, not a label"),
        ({"cv": select.ShuffleSplit(3)}, "`cv` must .*, got ShuffleSplit.* take KFold, .*"),
        ({"cv": select.RepeatedStratifiedKFold()}, "150 of 150 samples never or several times"),
        ({"cv": select.TimeSeriesSplit(4)}, "predicts 30 of 150"),
        ({"cv": [(range(100), range(100, 150))]}, "predicts 100 of 150"),
    ):
        with pytest.raises(ValueError, match=message):
            cross_val_estimate(NeverFitted(), **{"X": SAMPLES, "y": LABELS} | changed)
    for names, message in (((), "`metrics` must name at least"), (("nit", "f1"), ".*, got 'f1'")):
        with pytest.raises(ValueError, match=message):
            multimetric_scorers(*names)
