"""The functions inside scikit-learn: scorers, cross-validation, grid search."""

import pytest
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score, make_scorer
from sklearn.model_selection import GridSearchCV, cross_validate

from informedness import informedness_score, markedness_score, nit_score

SCORERS = {
    "informedness": make_scorer(informedness_score),
    "markedness": make_scorer(markedness_score, zero_division=0.0),
    "nit": make_scorer(nit_score, labels=[0, 1, 2]),
}


@pytest.mark.slow
def test_cross_validation_scores_a_classifier_high_and_a_dummy_at_chance():
    samples, labels = load_iris(return_X_y=True)
    scores = cross_validate(LogisticRegression(max_iter=1000), samples, labels, scoring=SCORERS)
    assert (scores["test_informedness"] > 0.8).all()
    assert (scores["test_nit"] > 0.7).all()
    with pytest.warns(UserWarning, match="among the references but not the predictions"):
        scores = cross_validate(DummyClassifier(), samples, labels, scoring=SCORERS)
    assert scores["test_informedness"].tolist() == [0.0] * 5
    assert scores["test_nit"] == pytest.approx([1 / 3] * 5)


@pytest.mark.slow
def test_grid_search_picks_by_informedness():
    samples, labels = load_iris(return_X_y=True)
    search = GridSearchCV(
        LogisticRegression(max_iter=1000), {"C": [1e-6, 1.0]}, scoring=SCORERS["informedness"]
    )
    search.fit(samples, labels)
    assert search.best_params_ == {"C": 1.0}
    assert search.best_score_ > 0.9


def test_scorers_pass_sample_weight_on():
    samples, labels = load_iris(return_X_y=True)
    two = labels < 2
    samples, labels = samples[two][:, :1], labels[two]
    classifier = LogisticRegression().fit(samples, labels)
    weights = (labels + 1) * 0.5
    score = SCORERS["informedness"](classifier, samples, labels, sample_weight=weights)
    expected = balanced_accuracy_score(
        labels, classifier.predict(samples), sample_weight=weights, adjusted=True
    )
    assert score == pytest.approx(expected, abs=1e-12)
    assert isinstance(score, float)
