"""The scores inside scikit-learn: scorers, cross-validation, searches, thresholds."""

import copy
import itertools
import pickle

import numpy as np
import pytest
import sklearn
from sklearn.datasets import load_iris
from sklearn.metrics import roc_curve
from sklearn.model_selection import (
    GridSearchCV,
    GroupKFold,
    ShuffleSplit,
    cross_val_predict,
    cross_val_score,
    cross_validate,
)
from sklearn.naive_bayes import GaussianNB

from informedness import SCORES, estimate_from_labels, informedness_score, nit_score
from informedness.scorers import (
    MultimetricScorer,
    cross_val_estimate,
    informedness_scorer,
    nit_scorer,
)
from tables import table_of_labels

SAMPLES, LABELS = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[LABELS]
WEIGHTS = np.random.default_rng(0).uniform(0.5, 2, len(LABELS))


def only_since(major, minor):
    there = tuple(map(int, sklearn.__version__.split(".")[:2])) >= (major, minor)
    return pytest.mark.skipif(not there, reason=f"scikit-learn has it since {major}.{minor}")


@pytest.fixture
def routing():
    with sklearn.config_context(enable_metadata_routing=True):
        yield


def test_a_scorer_gives_the_score_of_each_fold_pickled_too():
    splits = [(np.arange(i % 3, 150, 3), np.arange((i + 1) % 3, 150, 3)) for i in range(3)]
    for scorer, function in ((informedness_scorer, informedness_score), (nit_scorer, nit_score)):
        again = pickle.loads(pickle.dumps(scorer))
        scores = cross_val_score(GaussianNB(), SAMPLES, NAMES, scoring=again, cv=splits)
        for score, (train, test) in zip(scores, splits, strict=True):
            predictions = GaussianNB().fit(SAMPLES[train], NAMES[train]).predict(SAMPLES[test])
            assert score == function(NAMES[test], predictions)


class Counting(GaussianNB):
    """Counts how often it predicts."""

    n_predictions = 0

    def predict(self, X):
        type(self).n_predictions += 1
        return super().predict(X)


def test_several_scores_are_of_one_prediction_and_are_those_of_its_table():
    classifier = Counting().fit(SAMPLES, NAMES)
    before = Counting.n_predictions
    scorer = pickle.loads(pickle.dumps(MultimetricScorer(*SCORES)))
    found = scorer(classifier, SAMPLES, NAMES, sample_weight=WEIGHTS)
    assert Counting.n_predictions == before + 1
    table = table_of_labels(NAMES, classifier.predict(SAMPLES), sample_weight=WEIGHTS)
    assert found == {name: table.score(name) for name in SCORES}


def test_several_scores_go_into_cross_validation_and_search():
    scorer = MultimetricScorer("informedness", "nit", "accuracy")
    scores = cross_validate(GaussianNB(), SAMPLES, NAMES, scoring=scorer)
    one_by_one = {"informedness": informedness_scorer, "nit": nit_scorer, "accuracy": "accuracy"}
    expected = cross_validate(GaussianNB(), SAMPLES, NAMES, scoring=one_by_one)
    for name in one_by_one:
        assert scores[f"test_{name}"] == pytest.approx(expected[f"test_{name}"], abs=1e-12)
    for scoring, refit in ((scorer, "informedness"), (informedness_scorer, True)):
        search = GridSearchCV(
            GaussianNB(), {"var_smoothing": [1e3, 1e-9]}, scoring=scoring, refit=refit
        ).fit(SAMPLES, NAMES)
        assert search.best_params_ == {"var_smoothing": 1e-9}
        assert search.score(SAMPLES, NAMES) == informedness_score(NAMES, search.predict(SAMPLES))


def test_declared_classes_count_in_folds_that_lack_them():
    two = LABELS < 2
    classifier = GaussianNB().fit(SAMPLES, LABELS)
    found = MultimetricScorer("nit", labels=[0, 1, 2])(classifier, SAMPLES[two], LABELS[two])
    assert found == {"nit": pytest.approx(2 / 3)}
    assert MultimetricScorer("nit")(classifier, SAMPLES[two], LABELS[two]) == {"nit": 1.0}


@only_since(1, 4)
@pytest.mark.usefixtures("routing")
@pytest.mark.parametrize(
    "scorer", [informedness_scorer, MultimetricScorer("informedness")], ids=["one", "several"]
)
def test_weights_are_routed_to_a_scorer_that_requests_them(scorer):
    def scores(is_requested):
        result = cross_validate(
            GaussianNB().set_fit_request(sample_weight=True),
            SAMPLES[:, :1],
            LABELS,
            scoring=copy.deepcopy(scorer).set_score_request(sample_weight=is_requested),
            params={"sample_weight": WEIGHTS},
            return_estimator=True,
            return_indices=True,
        )
        found = []
        for model, test in zip(result["estimator"], result["indices"]["test"], strict=True):
            weights = WEIGHTS[test] if is_requested else None
            predictions = model.predict(SAMPLES[test, :1])
            found.append(informedness_score(LABELS[test], predictions, sample_weight=weights))
        assert found in [result[name].tolist() for name in result if name.startswith("test_")]
        return found

    assert scores(True) != scores(False)
    with pytest.raises(ValueError, match=r"sample_weight.* not explicitly set"):
        scores(None)


@only_since(1, 5)
def test_the_threshold_tuned_for_informedness_is_the_youden_point_of_the_roc_curve():
    from sklearn.model_selection import TunedThresholdClassifierCV

    rare = (LABELS == 2) & (np.arange(150) % 3 > 0)
    classifier = GaussianNB().fit(SAMPLES[:, :2], rare)
    scores = classifier.predict_proba(SAMPLES[:, :2])[:, 1]
    fpr, tpr, thresholds = roc_curve(rare, scores, drop_intermediate=False)
    tuned = TunedThresholdClassifierCV(
        classifier,
        scoring=informedness_scorer,
        thresholds=thresholds[:0:-1],  # rising, without the first: it is infinite
        cv="prefit",
        refit=False,
        response_method="predict_proba",
    ).fit(SAMPLES[:, :2], rare)
    youden = np.argmax(tpr - fpr)
    assert tuned.best_threshold_ == thresholds[youden]
    assert tuned.best_score_ == pytest.approx((tpr - fpr)[youden], abs=1e-12)
    untuned = informedness_score(rare, classifier.predict(SAMPLES[:, :2]))
    assert tuned.best_score_ > untuned + 0.05


# One table of all folds


def test_the_estimate_is_of_the_predictions_of_all_folds_with_the_classes_of_all_references():
    options = {"sample_weight": WEIGHTS, "average": "macro", "confidence_level": 0.9}
    found = cross_val_estimate(GaussianNB(), SAMPLES, NAMES, cv=7, **options)
    predictions = cross_val_predict(GaussianNB(), SAMPLES, NAMES, cv=7)
    labels = ["setosa", "versicolor", "virginica"]
    assert found == estimate_from_labels(NAMES, predictions, labels=labels, **options)
    named = cross_val_estimate(GaussianNB(), SAMPLES, NAMES, cv=7, metric="nit")
    assert named == estimate_from_labels(NAMES, predictions, "nit", labels=labels)


def test_groups_are_not_split_and_the_error_is_by_groups():
    groups = np.repeat(np.arange(30), 5)
    generator = np.random.default_rng(0)
    labels = generator.integers(0, 3, 30)[groups]
    samples = np.column_stack([labels + generator.normal(size=150), groups])
    trained_on = []

    class Watching(GaussianNB):
        def fit(self, X, y):
            trained_on.append({*X[:, 1]})
            return super().fit(X, y)

        def predict(self, X):
            assert not trained_on[-1] & {*X[:, 1]}
            return super().predict(X)

    routings = [False, True][: 1 if sklearn.__version__.startswith("1.3") else 2]  # since 1.4
    for is_routing, cv in itertools.product(routings, (None, 6, GroupKFold(5))):
        trained_on.clear()
        with sklearn.config_context(enable_metadata_routing=is_routing):
            found = cross_val_estimate(Watching(), samples, labels, cv=cv, groups=groups)
        assert len(trained_on) == (cv if isinstance(cv, int) else 5), (is_routing, cv)
        assert "groups:30," in found.signature, (is_routing, cv)


@only_since(1, 4)
def test_models_are_fitted_with_the_weights_in_params():
    params = {"sample_weight": np.where(LABELS == 1, 100.0, 1.0)}
    data = GaussianNB(), SAMPLES[:, :1], LABELS
    found = cross_val_estimate(*data, params=params)
    predictions = cross_val_predict(*data, params=params)
    assert found == estimate_from_labels(LABELS, predictions, labels=[0, 1, 2])
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
        ({"cv": ShuffleSplit(3)}, "only works for partitions"),
    ):
        with pytest.raises(ValueError, match=message):
            cross_val_estimate(NeverFitted(), **{"X": SAMPLES, "y": LABELS} | changed)
    for names, message in (((), "`metrics` must name at least"), (("nit", "f1"), ".*, got 'f1'")):
        with pytest.raises(ValueError, match=message):
            MultimetricScorer(*names)
