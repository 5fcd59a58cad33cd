"""Choose classes from probabilities so that the expected Informedness is highest.

The most probable class is the best answer for accuracy. Informedness weights a class by how rare it
is, so the best answer is a class whose probability is high compared with its prevalence.
"""

from typing import Any, Literal

import numpy as np

from .core.labels import Codes, NoSamplesError, Numbers, as_array, check_choice, show

_TOLERANCE = 1e-3  # of a sum of probabilities: float16 is accurate to 5e-4


def informed_decisions(
    probabilities: Any,
    *,
    average: Literal["prevalence", "macro"] = "prevalence",
    prevalence: Any = None,
) -> Codes:
    r"""Choose the class of each sample so that the expected Informedness is highest.

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
        nothing, and only the classes that are easiest to tell apart would be predicted.
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
        raise ValueError(
            f"`probabilities` must have a column for each class, got an array of shape {p.shape}: "
            "for p of class 1, pass np.column_stack([1 - p, p])"
        )
    if not len(p):
        raise NoSamplesError(f"`probabilities` must have at least one row, got shape {p.shape}")
    sums = p.sum(axis=1)
    off = np.abs(sums - 1) > _TOLERANCE
    if off.any():
        raise ValueError(
            f"each row of `probabilities` must sum to 1, got {sums[off][0]:.6g} in row "
            f"{int(off.argmax())}: for logits, pass their softmax; for classes that are not "
            "exclusive, call once per class with two columns"
        )
    return p


def _read_prevalence(prevalence: Any, k: int) -> Numbers:
    if hasattr(prevalence, "iloc") and not prevalence.index.is_monotonic_increasing:
        raise ValueError(
            "`prevalence` must have the order of the columns of `probabilities`, got the index "
            f"{show(list(prevalence.index))}: pass prevalence.sort_index() if the columns are "
            "sorted, or prevalence.to_numpy()"
        )
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
