"""Score two sequences of labels, and choose classes from probabilities, as in scikit-learn.

The functions that score take `(y_true, y_pred)`, followed by options. If a name ends in `_score`, a
higher value is better. All scores are computed from a contingency table, as in the `evaluate`
modules.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np

from .core.labels import Codes, Label, NoSamplesError, Numbers, as_array, check_choice, show
from .core.scores import Average, ZeroDivision, informedness, nit
from .tables.contingency import OneAverage, SampleOptions, table_of_labels
from .tables.label_options import to_class_names

if TYPE_CHECKING:
    from typing_extensions import Unpack

    from .inference.entropy import EntropyTriangle


_TOLERANCE = 1e-3  # for sums of probabilities, because float16 is accurate to 5e-4


class InformednessOptions(SampleOptions, total=False):
    """Types of the options of `informedness_score`, except `average`."""

    prior_mode: str


@overload
def informedness_score(
    y_true: Any, y_pred: Any, *, average: None, **options: Unpack[InformednessOptions]
) -> list[float]: ...
@overload
def informedness_score(
    y_true: Any, y_pred: Any, *, average: OneAverage = ..., **options: Unpack[InformednessOptions]
) -> float: ...
def informedness_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    average: Average = "bias",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    zero_division: ZeroDivision = "warn",
) -> Any:
    r"""Compute multi-class Bookmaker Informedness: how much better predictions are than guesses.

    .. math:: I = \sum_c \beta_c (TPR_c - FPR_c)

    with :math:`\beta_c` the share of class c among the predictions. Perfect predictions score 1,
    and guessing scores 0. The score can be negative. For two classes, Informedness is Youden's J,
    which equals 2 balanced accuracy - 1. It is then negative if predictions are worse than guesses.

    The classes are `labels`, or by default the labels of the references. An out-of-class prediction
    for a sample of class i counts as wrong, and is distributed over the other classes c in shares
    :math:`\pi_c / (1 - \pi_i)`.

    Guesses, constant or random, score 0 on average. A classifier that knows a share x of each class
    and guesses the other samples scores x on average. With the default `average`, the mean score of
    N samples of k classes is too high by :math:`x (1 - x) (k - 2) / N`. The averages "prevalence"
    and "macro" do not have this bias.

    With three or more classes, the default score can exceed accuracy. It is then not a share of the
    predictions. It can also decrease if a mistake is corrected. To optimise a model for three or
    more classes, use "prevalence": neither can happen with this average.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        References: integers, strings or bytes, in any container. Shape (n_samples, 1) is flattened.
    y_pred : array-like of shape (n_samples,)
        Predictions: labels of the same type as the references.
    labels : sequence of labels, optional
        The classes of the task, in order. By default the sorted labels of the references. If
        `labels` is passed, any other label in a sample that is not dropped is an error, except for
        predictions with unknown="wrong".
    average : {"bias", "prevalence", "macro"} or None
        Weights of the classes. "bias" weights a class by its share of the predictions (Powers
        2003). "prevalence" weights it by its share of the references (Powers 2011, eq. 42, as cited
        by the R package yardstick). "macro" gives all classes in the references the same weight.
        None returns TPR - FPR of each class, in the order of the labels, or with
        prior_mode="odds" the value of each class at these odds. For two classes all averages
        are equal, except with "odds".
    prior : mapping of class to probability or count, optional
        Class shares that the score assumes, for example those of the training data. Each class in
        the references needs a probability strictly between 0 and 1, or a count above 0.
        Probabilities must sum to 1 (within 1e-6).
    prior_mode : {"reweight", "odds"}
        "reweight" first reweights the references so that the class shares equal the prior. Perfect
        predictions then score 1, and guessing scores 0. With "odds", a correct prediction of a
        class with prior q gains 1/q, and a wrong prediction of it loses 1/(1-q). These odds are
        equation 4 of Vickers et al. (2023), summed as in Powers and not by their equation 5. With
        "odds", perfect predictions can score other than 1, and guesses other than 0, unless the
        prior is the prevalence.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, finite and not negative. A weight of 0 drops the sample. A weight of n gives the
        same score as n copies of the sample, but not the same standard error.
    ignore_index : label, optional
        Samples with this *reference* are dropped, for example -100 for padded tokens.
    unknown : {"error", "wrong"}
        Whether predictions that are missing or not among `labels` are errors, or count as wrong.
        With "wrong", all such predictions are a single outcome, whatever their labels. Without
        `labels`, a prediction that no reference has counts as wrong with either value.
    zero_division : {"warn", 0.0, nan}
        The value to return if all references are of one class, because the score is then undefined.
        "warn" returns 0.0 and issues an `UndefinedMetricWarning`. A number is returned without this
        warning and that of a single sample.

    Returns
    -------
    float, or list of float if `average` is None
        Dimensionless, from -1 to 1; values with "odds" can be outside this range. A class of
        `labels` without references counts as 0. If such classes are predicted, there is an
        `UndefinedMetricWarning`. If they have more than 5% of the predictions, the warning also
        gives the score with these classes treated as out of class. It does not if `average` is None
        or a prior has the mode "odds".

    Warns
    -----
    UndefinedMetricWarning
        In the cases above, for out-of-class predictions, and for a single sample. With
        unknown="wrong", out-of-class predictions lead to a warning only if no prediction is a
        class. A single sample scores the same whether it is correct or wrong, so a mean of such
        scores is meaningless.
    LabelsWarning
        Without `labels`, if a value such as 'nan' or -100 counts as a label, if two labels look
        alike, or if nearly all references are different texts. With or without `labels`, if the
        names of two columns suggest that references and predictions are swapped.
    InformednessWarning
        If the score x with the default average, minus x (1 - x) (k - 2) / N, exceeds accuracy by
        more than max(0.05, 1 / sqrt(N)), except with prior_mode="odds". Also if `prior` has classes
        without references.

    Raises
    ------
    TypeError
        If `y_true`, `y_pred` or `labels` is an iterator.
    ValueError
        If lengths or label types differ, or if there are no samples. If a value is not a label, for
        example a score, a missing value or a row of logits. If a label is not among `labels`. If a
        weight, the prior or another option is not valid. If a prediction is out of class and a
        prior has the mode "odds".

    See Also
    --------
    markedness_score : Informedness with references and predictions swapped.
    nit_score : Information transferred, even if classes are renamed.

    References
    ----------
    Powers (2003), "Recall and Precision versus the Bookmaker". Powers (2011), "Evaluation: from
    precision, recall and F-measure to ROC, informedness, markedness & correlation", eq. 42.

    Examples
    --------
    Always answering "ham" is correct in nine of ten cases, but it is only a guess:

    >>> informedness_score(["ham"] * 9 + ["spam"], ["ham"] * 10)
    0.0
    >>> informedness_score([0, 0, 1, 2, 2], [0, 0, 1, 2, 1], average=None)
    [1.0, 0.75, 0.5]
    """
    table = table_of_labels(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    prior = to_class_names(prior, y_true, y_pred)
    return informedness(
        table, average=average, prior=prior, prior_mode=prior_mode, zero_division=zero_division
    )


@overload
def markedness_score(
    y_true: Any, y_pred: Any, *, average: None, **options: Unpack[SampleOptions]
) -> list[float]: ...
@overload
def markedness_score(
    y_true: Any, y_pred: Any, *, average: OneAverage = ..., **options: Unpack[SampleOptions]
) -> float: ...
def markedness_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    average: Average = "prevalence",
    prior: Mapping[Any, float] | None = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    zero_division: ZeroDivision = "warn",
) -> Any:
    r"""Compute multi-class markedness: how far predictions can be trusted.

    .. math:: M = \sum_c \pi_c (precision_c + NPV_c - 1)

    with :math:`\pi_c` the prevalence of class c. It is Informedness with references and predictions
    swapped. Perfect predictions score 1, guessing scores 0, and scores can be negative.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`, except that `unknown` must be "error".
    average : {"prevalence", "bias", "macro"} or None
        Weights of the classes. "prevalence" weights a class by its share of the references, and
        "bias" by its share of the predictions. "macro" gives all predicted labels the same weight.
        None returns a value for each label of the references or predictions, also for labels that
        are out of class. The order is that of `labels`, or by default sorted.
    prior : mapping of class to probability or count, optional
        Class shares to which the references are reweighted before scoring.
    zero_division : {"warn", 0.0, nan}
        The value to return if all predictions are of one class, because markedness is then
        undefined. "warn" returns 0.0 and issues an `UndefinedMetricWarning`.

    Returns
    -------
    float, or list of float if `average` is None
        Dimensionless, from -1 to 1. A class of the references that is never predicted counts as 0.

    Warns
    -----
    UndefinedMetricWarning
        If a class of the references is never predicted, or all predictions are of one class. Also
        for out-of-class predictions, and for a single sample.
    LabelsWarning, InformednessWarning
        As in `informedness_score`, but not for a score above accuracy.

    Raises
    ------
    TypeError, ValueError
        As in `informedness_score`. Also ValueError if `unknown` is "wrong".

    References
    ----------
    Powers (2011), "Evaluation: from precision, recall and F-measure to ROC, informedness,
    markedness & correlation".

    Examples
    --------
    >>> markedness_score([0, 0, 0, 1], [0, 0, 1, 1])
    0.5
    """
    from .inference.registry import score_with_average

    score = score_with_average("markedness", average, unknown)
    table = table_of_labels(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    prior = to_class_names(prior, y_true, y_pred)
    return score.value(table, prior=prior, zero_division=zero_division)


def nit_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    zero_division: ZeroDivision = "warn",
) -> float:
    r"""Compute Normalised Information Transfer (NIT), a measure of transferred information.

    .. math:: NIT = 2^{MI} / k

    with MI the mutual information of references and predictions in bits, and k the number of
    classes in `labels`, or by default in the references. Perfect predictions score
    2^H(references) / k, which is 1 only for balanced classes. **Guessing scores 1/k, not 0.** The
    score does not change if the predicted classes are renamed consistently. For two classes,
    predictions that are all wrong therefore score the same as predictions that are all correct.

    Parameters
    ----------
    y_true, y_pred, sample_weight, ignore_index, unknown
        As in `informedness_score`.
    labels : sequence of labels, optional
        The classes of the task. All of them count in k, even if they do not occur.
    zero_division : {"warn", 1.0, nan}
        The value to return if there is only one class. NIT is then 1.0 by definition. "warn"
        returns 1.0 and issues an `UndefinedMetricWarning`.

    Returns
    -------
    float
        Dimensionless, from 1/k to 1. With few samples the score is too high. For guesses, the bias
        is about 5% with 10 (k - 1)^2 samples. Use at least this number of samples.

    Warns
    -----
    UndefinedMetricWarning
        If there is only one class, or only one sample. Also if predictions are out of class, as in
        `informedness_score`, because each of their labels counts as information. With
        unknown="wrong" all such predictions are a single outcome.
    LabelsWarning
        As in `informedness_score`.

    Raises
    ------
    TypeError, ValueError
        As in `informedness_score`.

    References
    ----------
    Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful:
    the normalized information transfer factor explains the accuracy paradox", PLoS ONE 9(1).

    Examples
    --------
    >>> nit_score(["ham"] * 9 + ["spam"], ["ham"] * 10)
    0.5
    >>> nit_score([0, 0, 1, 1], [0, 0, 1, 1]), nit_score([0, 0, 1, 1], [1, 1, 0, 0])
    (1.0, 1.0)
    """
    table = table_of_labels(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    return nit(table, zero_division=zero_division)


def ema_score(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
) -> float:
    r"""Compute entropy-modulated accuracy (EMA).

    It is 1 over the effective number of classes that remain possible after a prediction.

    .. math:: EMA = 2^{-H(ref|pred)}

    Perfect predictions score 1, and guessing scores 2^-H(references). The score does not change if
    the predicted classes are renamed consistently.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.

    Returns
    -------
    float
        Dimensionless, above 0 and at most 1. It equals NIT k / 2^H(references).

    Warns
    -----
    UndefinedMetricWarning
        As in `nit_score`, for a single sample and for out-of-class predictions.
    LabelsWarning
        As in `informedness_score`.

    Raises
    ------
    TypeError, ValueError
        As in `informedness_score`.

    References
    ----------
    Valverde-Albacete and Pelaez-Moreno (2014), PLoS ONE 9(1).

    Examples
    --------
    >>> ema_score([0, 0, 1, 1], [0, 0, 1, 1]), ema_score([0, 0, 1, 1], [0, 0, 0, 0])
    (1.0, 0.5)
    """
    table = table_of_labels(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    from .inference.entropy import EMA

    return float(EMA.value(table))


def entropy_triangle(
    y_true: Any,
    y_pred: Any,
    *,
    labels: Any = None,
    sample_weight: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
) -> EntropyTriangle:
    r"""Compute the coordinates of a classifier in the entropy triangle.

    They measure class imbalance, transferred information and lost information.

    .. math:: (2L - H_{ref} - H_{pred}, \; 2 MI, \; H(ref|pred) + H(pred|ref)) \;/\; 2L

    with L the log2 of the number of classes. The classes are `labels`, or by default all labels of
    the references and the predictions. With unknown="wrong", out-of-class predictions count as one
    additional class.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.

    Returns
    -------
    EntropyTriangle
        Named tuple `(delta_h, two_mi, vi)` of numbers from 0 to 1 with a sum of 1; all are nan for
        one class. For balanced classes, a perfect classifier is at (0, 1, 0), and a uniform random
        guesser is at (0, 0, 1). If nearly all references are of one class, a classifier that always
        predicts this class is near (1, 0, 0).

    Warns
    -----
    UndefinedMetricWarning
        For out-of-class predictions, as in `informedness_score`.
    LabelsWarning
        As in `informedness_score`.

    Raises
    ------
    TypeError, ValueError
        As in `informedness_score`.

    References
    ----------
    Valverde-Albacete and Pelaez-Moreno (2014), PLoS ONE 9(1).

    Examples
    --------
    >>> entropy_triangle([0, 0, 1, 1], [0, 0, 1, 1])
    EntropyTriangle(delta_h=0.0, two_mi=1.0, vi=0.0)
    """
    table = table_of_labels(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    from .inference.entropy import triangle_of

    return triangle_of(table)


def informed_decisions(
    probabilities: Any,
    *,
    average: Literal["prevalence", "macro"] = "prevalence",
    prevalence: Any = None,
) -> Codes:
    r"""Choose the class of each sample so that the expected Informedness is highest.

    Choosing the most probable class maximises accuracy. Informedness gives more weight to rare
    classes. To maximise it, choose a class whose probability is high compared with its prevalence.

    With :math:`p_{ic}` the probability that sample i is of class c, :math:`\pi_c` the prevalence,
    and :math:`d_{ic}` 1 if class c is predicted, else 0, the expected :math:`TPR_c - FPR_c` is

    .. math:: \frac{1}{N} \sum_i d_{ic} \, g_{ic}, \qquad
              g_{ic} = \frac{p_{ic} - \pi_c}{\pi_c (1 - \pi_c)}

    A decision affects only the term of the chosen class, and the weights of the classes are fixed.
    Therefore, for given prevalences, the best decision for a sample does not depend on other
    samples. For "prevalence", it is the class with the highest
    :math:`\pi_c g_{ic} = (p_{ic} - \pi_c) / (1 - \pi_c)`. For "macro", it is the class with the
    highest :math:`g_{ic}`. With two classes and either average, it is the class whose probability
    exceeds its prevalence.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        Calibrated probabilities: 30% of the samples with a probability of 0.3 for a class belong to
        it. Each row must sum to 1 (within 1e-3).
    average : {"prevalence", "macro"}
        The average to maximise, as in `informedness_score`. The default there, "bias", is
        not supported, because its weights depend on the decisions. A class that is never predicted
        would cost nothing, so only the classes that are easiest to distinguish would be predicted.
    prevalence : array-like of shape (n_classes,), optional
        Class shares in the population of the samples, with a sum of 1 (within 1e-3). By default the
        mean of the probabilities. If samples arrive one at a time, pass the shares of the training
        data. A class with prevalence 0 is never predicted.

    Returns
    -------
    int64 array of shape (n_samples,)
        Column of the class chosen for each sample. With scikit-learn, `classifier.classes_[...]`
        gives the labels.

    Raises
    ------
    ValueError
        If `probabilities` has another shape, no rows or fewer than two columns. If a probability is
        not between 0 and 1, or if a row does not sum to 1. If `prevalence` or `average` is not
        valid.

    Examples
    --------
    The last sample gets class 1, whose probability of 0.4 is twice its prevalence of 0.2. Class 0
    has a probability of 0.6, below its prevalence of 0.8:

    >>> informed_decisions([[0.9, 0.1], [0.9, 0.1], [0.6, 0.4]])
    array([0, 0, 1])
    """
    check_choice("average", average, ("prevalence", "macro"))
    p = _read_probabilities(probabilities)
    pi = p.mean(axis=0) if prevalence is None else _read_prevalence(prevalence, p.shape[1])
    if pi.max() >= 1:  # all samples are of one class
        return np.full(len(p), np.argmax(pi))
    present = np.flatnonzero(pi > 0)
    gains = (p[:, present] - pi[present]) / (1 - pi[present])
    if average == "macro":
        gains = gains / pi[present]
    return np.asarray(present[gains.argmax(axis=1)])


def _read_probabilities(probabilities: Any) -> Numbers:
    """Read probabilities of shape (n_samples, n_classes), each row with a sum of 1."""
    p = _read_shares(probabilities, "probabilities", "For logits pass their softmax")
    if p.ndim != 2 or p.shape[1] == 1:
        remedy = "For p of class 1, pass np.column_stack([1 - p, p])."
        rule = "must have a column for each class"
        raise ValueError(f"`probabilities` {rule}, got an array of shape {p.shape}. {remedy}")
    if not len(p):
        raise NoSamplesError(f"`probabilities` must have at least one row, got shape {p.shape}")
    sums = p.sum(axis=1)
    is_off = np.abs(sums - 1) > _TOLERANCE
    if is_off.any():
        got = f"{sums[is_off][0]:.6g} in row {int(is_off.argmax())}. For logits pass their softmax"
        raise ValueError(f"each row of `probabilities` must sum to 1, got {got}")
    return p


def _read_prevalence(prevalence: Any, k: int) -> Numbers:
    """Read the prevalences of k classes, with a sum of 1."""
    # the index of `value_counts` is sorted by frequency, not in the order of the classes
    if hasattr(prevalence, "iloc") and not prevalence.index.is_monotonic_increasing:
        rule = f"must have a sorted index, got {show([*prevalence.index])}"
        remedy = "If the values have the order of the columns, pass prevalence.to_numpy()"
        raise ValueError(f"`prevalence` {rule}. {remedy}")
    pi = _read_shares(prevalence, "prevalence", "Pass shares, not counts")
    if pi.shape != (k,):
        raise ValueError(f"`prevalence` must be {k} numbers, one per class, got shape {pi.shape}")
    if abs(pi.sum() - 1) > _TOLERANCE:
        raise ValueError(f"`prevalence` must sum to 1, got {pi.sum():.6g}")
    return pi


def _read_shares(values: Any, name: str, remedy: str) -> Numbers:
    """Read an array of numbers between 0 and 1; `remedy` ends the message for other numbers."""
    array = as_array(values, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got {show(values)}")
    array = array.astype(np.float64)
    bad = ~((array >= 0) & (array <= 1 + _TOLERANCE))
    if bad.any():
        raise ValueError(f"`{name}` must be between 0 and 1, got {array[bad][0]:.6g}. {remedy}")
    return array
