"""Provide scorers for scikit-learn, and estimate scores of cross-validated predictions.

`informedness_scorer` and `nit_scorer` have default options. For other options call `make_scorer`,
for example `make_scorer(informedness_score, average="macro")`.
"""

from collections.abc import Mapping
from numbers import Integral
from typing import Any, Literal

import numpy as np

from .core.labels import check_choice, check_same_order, show
from .errors import optional_import
from .functions import informedness_score, nit_score
from .inference.registry import score_with_average, scores_with_average
from .inference.score import Score, check_level
from .results.estimate import Estimate, estimate
from .tables.contingency import OneAverage, table_of_labels
from .tables.label_options import read_labels

with optional_import("scorers need scikit-learn 1.5 or newer", "scikit-learn>=1.5"):
    from sklearn.metrics import make_scorer
    from sklearn.model_selection import StratifiedGroupKFold, check_cv, cross_val_predict

informedness_scorer: Any = make_scorer(informedness_score)
nit_scorer: Any = make_scorer(nit_score)


def multimetric_scorers(
    *metrics: str, labels: Any = None, average: Literal["default", OneAverage] = "default"
) -> dict[str, Any]:
    """Make a dict of scorers for several scores, for the argument `scoring` of scikit-learn.

    scikit-learn then predicts once for all scores. A search for the best value of a single score,
    such as `HalvingGridSearchCV`, needs one scorer: `scoring=multimetric_scorers(...)["nit"]`.

    Parameters
    ----------
    *metrics : str
        Names of scores, as in `estimate`.
    labels : sequence of labels, optional
        The classes of the task, as in `informedness_score`. By default, the classes are
        those of each fold. If a fold lacks a class, NIT then divides by a smaller number.
    average : {"bias", "prevalence", "macro"}, optional
        Average for the scores that have averages; each score has a default.

    Raises
    ------
    ValueError
        If a score is unknown or named twice, if there are no names, or if the average is not valid.
        Also if an average is passed but no score has averages.

    Examples
    --------
    >>> from sklearn.dummy import DummyClassifier
    >>> from sklearn.model_selection import cross_validate
    >>> samples, references = [[0]] * 100, ["ham"] * 90 + ["spam"] * 10
    >>> scoring = multimetric_scorers("accuracy", "informedness", "nit")
    >>> result = cross_validate(DummyClassifier(), samples, references, scoring=scoring)
    >>> float(result["test_accuracy"].mean()), float(result["test_informedness"].mean())
    (0.9, 0.0)
    """
    if not metrics:
        raise ValueError("`metrics` must name at least one score, got none")
    check_choice("average", average, ("default", "bias", "prevalence", "macro"))
    scores = scores_with_average(metrics, average, argument="metrics")
    return {x.name: make_scorer(_score_of_labels, score=x, labels=labels) for x in scores}


def _score_of_labels(
    y_true: Any, y_pred: Any, *, score: Score, labels: Any, sample_weight: Any = None
) -> Any:
    """Compute a score of predictions, with the arguments that `make_scorer` needs."""
    return score.value(table_of_labels(y_true, y_pred, labels, sample_weight, None, "error"))


def cross_val_estimate(
    estimator: Any,
    X: Any,
    y: Any,
    *,
    metric: str = "informedness",
    cv: Any = None,
    groups: Any = None,
    sample_weight: Any = None,
    labels: Any = None,
    average: Literal["bias", "prevalence", "macro", "default"] = "default",
    confidence_level: float = 0.95,
    n_jobs: int | None = None,
    params: Mapping[str, Any] | None = None,
) -> Estimate:
    """Estimate a score of cross-validated predictions, with all folds in one table.

    Scores of small folds should not be averaged. A fold that lacks a class is a different task, and
    a fold of one sample, as in leave-one-out, has only one class. Instead, each sample is predicted
    by a model that was not trained on it, and all predictions are scored together.

    The interval is computed as in `estimate`. It says how far this score may be from the score on
    all samples of this kind, as if one classifier had made all predictions. It does not include the
    variation of models with their training samples. No unbiased estimate of this variation is
    possible from one cross-validation, because the models of the folds share most of their training
    samples (Bengio and Grandvalet 2004).

    Parameters
    ----------
    estimator : classifier
        The classifier to evaluate. It is cloned for each fold.
    X : array-like of shape (n_samples, n_features)
        Features of the samples.
    y : array-like of shape (n_samples,)
        References. By default, their classes are declared as `labels`.
    metric, labels, confidence_level
        As in `estimate`.
    average : {"bias", "prevalence", "macro"}, optional
        As in `estimate`.
    cv : int, splitter or iterable, optional
        As in `cross_val_predict`. Each sample must be in exactly one test fold, unlike in
        repeated folds, random splits and time series splits. With `groups`, an integer or None
        means folds that do not split groups.
    groups : array-like of shape (n_samples,), optional
        The group of each sample. The groups are passed to the splitter, and the standard error
        allows for samples of a group that are not independent.
    sample_weight : array-like of shape (n_samples,), optional
        Weights for the score only. To fit models with weights, pass those weights in `params`.
    n_jobs, params
        As in `cross_val_predict`.

    Returns
    -------
    Estimate

    Raises
    ------
    ValueError
        As in `estimate`, and if `cv` puts a sample into several test folds or none.

    Warns
    -----
    IntervalWarning
        As in `estimate`.
    UndefinedMetricWarning, LabelsWarning, InformednessWarning
        As in `informedness_score`.

    References
    ----------
    Bengio and Grandvalet (2004), "No unbiased estimator of the variance of K-fold
    cross-validation".

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.model_selection import LeaveOneOut
    >>> from sklearn.naive_bayes import GaussianNB
    >>> print(cross_val_estimate(GaussianNB(), *load_iris(return_X_y=True), cv=LeaveOneOut()))
    informedness 0.9301, standard error 0.0262, 95% interval 0.8533 to 0.9814
    """
    # check the options first, because fitting may take long
    score_with_average(metric, average)
    check_level(confidence_level)
    options: dict[str, Any] = {"sample_weight": sample_weight, "groups": groups}
    check_same_order({"X": X, "y": y, **options})
    classes = sorted({*read_labels(y, "y").tolist()}) if labels is None else labels
    if groups is not None and (cv is None or isinstance(cv, Integral)):
        cv = StratifiedGroupKFold(5 if cv is None else cv)
    splits = list(check_cv(cv, y, classifier=True).split(X, y, groups))
    times = np.bincount(np.concatenate([test for _, test in splits]), minlength=len(y))
    if n_other := np.count_nonzero(times != 1):
        got = f"got {show(cv)}, which puts {n_other} of {len(y)} samples into none or several"
        remedy = f"For such splits use cross_validate(scoring=multimetric_scorers({metric!r}))"
        raise ValueError(f"`cv` must put each sample into exactly one test fold, {got}. {remedy}")
    predictions = cross_val_predict(estimator, X, y, cv=splits, n_jobs=n_jobs, params=params)
    table_of_labels(y, predictions, labels, sample_weight, None, "error")  # warns about labels
    options |= {"labels": classes, "confidence_level": confidence_level}
    return estimate(y, predictions, metric, average=average, **options)
