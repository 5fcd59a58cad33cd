"""Scores of two sequences of labels, and decisions from probabilities, as in scikit-learn.

The scores take `(y_true, y_pred)`, then options. If a name ends in `_score`, higher is better.
Every score is computed from a `ContingencyTable`, so all agree with each other and with the
`evaluate` modules, which read the same table.
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


_TOLERANCE = 1e-3  # of a sum of probabilities: float16 is accurate to 5e-4


class InformednessOptions(SampleOptions, total=False):
    """Extra options of `informedness_score`, for type checkers."""

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
    r"""Score how much better than guessing predictions are: multi-class Bookmaker Informedness.

    .. math:: I = \sum_c \beta_c (TPR_c - FPR_c)

    with :math:`\beta_c` the share of predictions of class c. Perfect predictions score 1,
    guessing scores 0. For two classes it is Youden's J, 2 balanced accuracy - 1, and negative for
    predictions worse than guessing.

    An out-of-class prediction counts as wrong, distributed over the other classes in their shares
    :math:`\pi_c / (1 - \pi_i)`. The classes are `labels`, or by default those of the references.

    Any guesser among the classes, constant or random, scores 0 on average. A classifier that knows
    a share x of each class and guesses the rest scores x on average. The default `average` is too
    high by :math:`x (1 - x) (k - 2) / N` for N samples of k classes; "prevalence" and "macro" are
    not. With three or more classes the default can exceed accuracy, and is then not a share of the
    predictions. It can also fall when a mistake is corrected. To train with three or more classes,
    take "prevalence", which does neither.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        References: integers, strings or bytes, in any container. (n_samples, 1) is flattened.
    y_pred : array-like of shape (n_samples,)
        Predictions, labels of the same type.
    labels : sequence of labels, optional
        The classes of the task, in order; any other label is an error. By default the labels of
        the references, sorted.
    average : {"bias", "prevalence", "macro"} or None
        How classes are weighted: by their share of the predictions (Powers 2003), by their share of
        the references (Powers 2011, eq. 42, as the R package yardstick cites it), or equally over
        the classes in the references. None gives TPR - FPR of each class, in label order. All
        averages agree for two classes, and can differ for more.
    prior : mapping of class to probability or count, optional
        Class shares to score under, for example those of the training data. It must cover every
        class in the references. Probabilities are strictly between 0 and 1 and sum to 1 (within
        1e-6).
    prior_mode : {"reweight", "odds"}
        "reweight" reweights the references so that their shares are the prior, then scores as
        usual: perfect predictions still score 1 and guessing 0. With "odds" a correct prediction
        of a class with prior q gains 1/q, and a wrong one loses 1/(1-q). These odds are equation 4
        of Vickers et al. (2023), summed as Powers does and not by their equation 5. Perfect
        predictions then score 1 and guessing 0 only if the prior is the prevalence.
    sample_weight : array-like of shape (n_samples,), optional
        Weights, finite and not negative; 0 drops a sample. Whole numbers give the same score as
        repeating each sample so often, but not the same standard error.
    ignore_index : label, optional
        Drops the samples whose *reference* equals it, for example -100 for padded tokens.
    unknown : {"error", "wrong"}
        Whether a prediction that is missing, or outside `labels`, is an error or counts as a wrong
        one. With "wrong" all such predictions are one outcome, however each is spelled, and the
        classes are `labels`, or else those of the references.
    zero_division : {"warn", 0.0, nan}
        The score if all references are of one class, which leaves it undefined. "warn" returns 0.0
        with an `UndefinedMetricWarning`.

    Returns
    -------
    float, or list of float where `average` is None
        Dimensionless, from -1 to 1. A class of `labels` that no reference has counts as 0, with an
        `UndefinedMetricWarning` if it is predicted; above 5% of the predictions, the warning
        also gives the score if that class is treated as out of class.

    Warns
    -----
    UndefinedMetricWarning
        As above, and for a single sample, which scores the same whether it is correct or wrong, so
        a mean of such scores says nothing.
    LabelsWarning
        If text such as 'nan' counts as a class, if two labels differ only in case or surrounding
        whitespace, or if the names of two columns say that references and predictions are swapped.
    InformednessWarning
        If the default average exceeds accuracy by more than max(0.05, 1 / sqrt(N)), after
        subtracting x (1 - x) (k - 2) / N.

    Raises
    ------
    ValueError
        If lengths or types of label differ, something is not a label (a score, a missing value,
        a row of logits), a label is outside `labels`, there is no sample, a weight, the prior or
        an option is not valid, or `prior_mode` is "odds" and a prediction is out of class. The
        message names the argument and the value.

    See Also
    --------
    markedness_score : How far a prediction can be trusted; Informedness with roles swapped.
    nit_score : Information transferred, even if classes are renamed.

    References
    ----------
    Powers (2003), "Recall and Precision versus the Bookmaker". Powers (2011), "Evaluation: from
    precision, recall and F-measure to ROC, informedness, markedness & correlation", eq. 42.

    Examples
    --------
    Always answering "ham" is correct nine times in ten, but only a guess:

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
    r"""Score how far a prediction can be trusted: multi-class markedness.

    .. math:: M = \sum_c \pi_c (precision_c + NPV_c - 1)

    with :math:`\pi_c` the prevalence of class c: informedness with references and predictions
    swapped. Perfect predictions score 1, guessing scores 0; it can be negative.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.
    average : {"prevalence", "bias", "macro"} or None
        How classes are weighted: by their share of the references, by their share of the
        predictions, or equally over the classes predicted. None gives one value per class, in label
        order.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted first.
    zero_division : {"warn", 0.0, nan}
        The score if all predictions are of one class, which leaves it undefined.

    Returns
    -------
    float, or list of float where `average` is None
        Dimensionless, at most 1. A class in the references that is never predicted counts as 0,
        with an `UndefinedMetricWarning` that names it.

    Raises
    ------
    ValueError
        As `informedness_score`, and for `unknown="wrong"`.

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
    r"""Score the information passed on, per class: Normalised Information Transfer (NIT).

    .. math:: NIT = 2^{MI} / k

    with MI the mutual information of references and predictions in bits, and k the number of
    classes in the references, or in `labels` if given. Perfect predictions score
    2^H(references) / k, so 1 only for balanced classes. **Guessing scores 1/k, not 0.** Renaming
    the predictions consistently changes nothing: on two classes, all wrong scores the same as all
    right.

    Parameters
    ----------
    y_true, y_pred, sample_weight, ignore_index, unknown
        As in `informedness_score`.
    labels : sequence of labels, optional
        The classes of the task. All of them count in k, even those that do not occur.
    zero_division : {"warn", 1.0, nan}
        The score if there is only one class: 1.0 by definition. "warn" returns 1.0 with an
        `UndefinedMetricWarning`.

    Returns
    -------
    float
        Dimensionless, from 1/k to 1. With few samples it is too high: trust it from about
        10 (k - 1)^2 samples, where it is 5% too high.

    Warns
    -----
    UndefinedMetricWarning
        For one class; for one sample, as in `informedness_score`; and if predictions are not
        classes of the references, since each counts as information. With unknown="wrong" all of
        them are one outcome.

    Raises
    ------
    ValueError
        As `informedness_score`.

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
    r"""Score the reciprocal of the choices a prediction leaves open: entropy-modulated accuracy.

    .. math:: EMA = 2^{-H(ref|pred)}

    Perfect predictions score 1, guessing scores 2^-H(references). Renaming the predictions
    consistently changes nothing.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.

    Returns
    -------
    float
        Dimensionless, above 0 and at most 1. It is NIT k / 2^H(references), and warns about
        predictions outside the references as `nit_score` does.

    Raises
    ------
    ValueError
        As `informedness_score`.

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
    r"""Locate a classifier in the entropy triangle: class imbalance, information, loss.

    .. math:: (2L - H_{ref} - H_{pred}, \; 2 MI, \; H(ref|pred) + H(pred|ref)) \;/\; 2L

    with L = log2 of the number of classes in the table: `labels` if given, otherwise all labels of
    the references and the predictions.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.

    Returns
    -------
    EntropyTriangle
        Named tuple `(delta_h, two_mi, vi)`, each from 0 to 1, that sums to 1; nan for one class.
        With balanced classes a perfect classifier is at (0, 1, 0), a uniform random guesser at
        (0, 0, 1).
        If nearly all references are of one class, always predicting it is near (1, 0, 0).

    Raises
    ------
    ValueError
        As `informedness_score`.

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

    The most probable class is the best answer for accuracy. Informedness gives more weight to rare
    classes, so the best answer is a class whose probability is high compared with its prevalence.

    With :math:`p_{ic}` the probability that sample i is of class c, :math:`\pi_c` the prevalence,
    and :math:`d_{ic}` 1 where c is predicted, the expected :math:`TPR_c - FPR_c` is

    .. math:: \frac{1}{N} \sum_i d_{ic} \, g_{ic}, \qquad
              g_{ic} = \frac{p_{ic} - \pi_c}{\pi_c (1 - \pi_c)}

    A decision adds only to the class it picks, and the weights of the classes are fixed, so each
    sample has a best answer of its own: the class with the highest :math:`\pi_c g_{ic} =
    (p_{ic} - \pi_c) / (1 - \pi_c)` for "prevalence", or the highest :math:`g_{ic}` for "macro".
    With two classes it is the one whose probability exceeds its prevalence, for either average.

    Parameters
    ----------
    probabilities : array-like of shape (n_samples, n_classes)
        Calibrated: of the samples given probability 0.3 for a class, 30% belong to it. Each row
        sums to 1 (within 1e-3).
    average : {"prevalence", "macro"}
        Average to maximise, as in `informedness_score`. Its default there, "bias", is not
        supported: its weights depend on the decisions, a class that is never predicted costs
        nothing, and only the classes that are easiest to distinguish would be predicted.
    prevalence : array-like of shape (n_classes,), optional
        Class shares in the population the samples come from, which sum to 1 (within 1e-3); by
        default the mean of the probabilities. If samples arrive one at a time, pass the shares of
        the training data. A class with prevalence 0 is never predicted.

    Returns
    -------
    int64 array of shape (n_samples,)
        Column of each class; with scikit-learn, `classifier.classes_[...]` gives the labels.

    Raises
    ------
    ValueError
        If `probabilities` have another shape, are empty, are not between 0 and 1 or do not sum to
        1; if `prevalence` or `average` is not valid.

    Examples
    --------
    A class at 0.4, twice its prevalence, beats one at 0.6 whose prevalence is 0.8:

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
    classes: Codes = present[gains.argmax(axis=1)]
    return classes


def _read_probabilities(probabilities: Any) -> Numbers:
    p = _read_shares(probabilities, "probabilities", "for logits, pass their softmax")
    if p.ndim != 2 or p.shape[1] == 1:
        remedy = "For p of class 1, pass np.column_stack([1 - p, p])."
        rule = "must have a column for each class"
        raise ValueError(f"`probabilities` {rule}, got an array of shape {p.shape}. {remedy}")
    if not len(p):
        raise NoSamplesError(f"`probabilities` must have at least one row, got shape {p.shape}")
    sums = p.sum(axis=1)
    off = np.abs(sums - 1) > _TOLERANCE
    if off.any():
        got = f"{sums[off][0]:.6g} in row {int(off.argmax())}. For logits pass their softmax"
        remedy = "For classes that are not exclusive, call once per class with two columns."
        raise ValueError(f"each row of `probabilities` must sum to 1, got {got}. {remedy}")
    return p


def _read_prevalence(prevalence: Any, k: int) -> Numbers:
    if hasattr(prevalence, "iloc") and not prevalence.index.is_monotonic_increasing:
        rule = "must have the order of the columns of `probabilities`"
        remedy = "Pass prevalence.to_numpy(), or prevalence.sort_index() for sorted columns."
        got = f"the index {show(list(prevalence.index))}"
        raise ValueError(f"`prevalence` {rule}, got {got}. {remedy}")
    pi = _read_shares(prevalence, "prevalence", "pass shares, not counts")
    if pi.shape != (k,):
        raise ValueError(f"`prevalence` must be {k} numbers, one per class, got shape {pi.shape}")
    if abs(pi.sum() - 1) > _TOLERANCE:
        raise ValueError(f"`prevalence` must sum to 1, got {pi.sum():.6g}")
    return pi


def _read_shares(values: Any, name: str, remedy: str) -> Numbers:
    array = as_array(values, name)
    if array.dtype.kind not in "biuf":
        raise ValueError(f"`{name}` must hold numbers, got {show(values)}")
    array = array.astype(np.float64)
    bad = ~((array >= 0) & (array <= 1 + _TOLERANCE))
    if bad.any():
        raise ValueError(f"`{name}` must be between 0 and 1, got {array[bad][0]:.6g}: {remedy}")
    return array
