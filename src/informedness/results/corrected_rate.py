"""Estimate the true rate of a label among answers that only a judge has labelled."""

import math
from typing import Any

import numpy as np

from ..core.labels import Label, Numbers, read_column, show, warn
from ..core.table import is_real
from ..inference.score import (
    INFORMEDNESS,
    Interval,
    check_level,
    normal_quantile,
    shortage_message,
    signature_of,
    wilson_margin,
)
from ..tables.contingency import ContingencyTable, read_whole, table_of_labels
from ..tables.label_options import read_other_predictions, to_class_names
from ..warnings import IntervalWarning
from .estimate import Estimate
from .models import settings_of


def corrected_rate(
    y_true: Any,
    y_pred: Any,
    judged: Any,
    *,
    positive: Label,
    confidence_level: float = 0.95,
    groups: None = None,
    prior: None = None,
) -> Estimate:
    r"""Estimate the true rate of a label among answers that only a judge has labelled.

    .. math:: \theta = (q - FPR) / (TPR - FPR)

    where q is the share of `positive` among the judge's labels of these answers. TPR and FPR are
    the shares that the judge calls positive among answers that people call positive, and among the
    others. The rate is clipped to 0 and 1. The judge must have the same error rates on these
    answers as on the labelled ones.

    The interval contains all rates :math:`\theta` for which
    :math:`q - \theta\,TPR - (1 - \theta)\,FPR` is within its margin of error of 0. This margin adds
    in quadrature the Wilson margins of q, :math:`\theta\,TPR` and
    :math:`(1 - \theta)\,FPR` on the side towards 0. Nothing is divided by J = TPR - FPR,
    so a judge hardly better than guessing gives an interval from 0 to 1.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_labelled,)
        Labels by people and by the judge for the same answers: integers, strings or bytes, in any
        container.
    judged : array-like of shape (n_judged,), or tuple of two integers
        The judge's labels of the other answers; or the number of `positive` ones and the total. A
        tuple of two numbers is always read as these counts.
    positive : label
        The label whose rate is estimated. All other labels count as negative in all three
        columns, and so do missing labels of the judge. A missing label in `y_true` is an error.
    confidence_level : float
        Between 0 and 1.
    groups, prior : None
        Not available: either raises ValueError.

    Returns
    -------
    Estimate
        The rate, from 0 to 1. If J is not above 0, or `y_true` is all positive or all negative,
        the value is nan and the interval 0 to 1. If no rate fits the judge's
        labels, the value is 0 or 1 and the interval 0 to 1. `label` is `positive`,
        `effective_sample_size` the number of labelled answers, and `standard_error` uses the
        delta method.

    Raises
    ------
    ValueError
        As in `informedness_score`; if `positive` is not a label of `y_true` or `y_pred`, if
        `judged` is empty, shares no label with them or is not a pair of counts, or if `groups` or
        `prior` is given.

    Warns
    -----
    IntervalWarning
        With fewer than 100 labelled answers, fewer than 5 positive or negative ones, if the
        interval of J contains 0, if J is not above 0, or if no rate fits the judge's labels.

    References
    ----------
    Rogan and Gladen (1978), "Estimating prevalence from the results of a screening test"; Zou and
    Donner (2008), "Construction of confidence limits about effect measures"; for another interval
    Lang and Reiczigel (2014), "Confidence limits for prevalence of disease adjusted for estimated
    sensitivity and specificity".

    Examples
    --------
    The judge calls 90 of 100 good answers good, 20 of 100 bad ones, and 600 of 1,000 others:

    >>> people = ["good"] * 100 + ["bad"] * 100
    >>> judge = ["good"] * 90 + ["bad"] * 10 + ["good"] * 20 + ["bad"] * 80
    >>> print(corrected_rate(people, judge, (600, 1000), positive="good"))
    corrected_rate of 'good' 0.5714, standard error 0.0411, 95% interval 0.4870 to 0.6597
    """
    if groups is not None or prior is not None:
        reason = "this interval is for unrelated answers, at their own rate"
        raise ValueError(f"`groups` and `prior` must be left out: {reason}")
    check_level(confidence_level)
    table = table_of_labels(y_true, y_pred, None, None, None, "wrong")
    label: Any = read_column([to_class_names(positive, y_true, y_pred)], "positive").example()
    if label not in table.labels:
        raise ValueError(f"`positive` must be one of {show(table.labels)}, got {show(label)}")
    n_called, n_judged = _counted(judged, label, table.labels, y_true, y_pred)
    code = table.labels.index(label)
    sizes = np.array([n_judged, table.reference_totals[code], table.other_references[code]])
    counts = np.array([n_called, table.hits[code], table.false_positives[code]])
    of_two = ContingencyTable.from_matrix(np.array([counts, sizes - counts]).T[1:], labels=[1, 0])
    j = INFORMEDNESS.interval(of_two, confidence_level)

    caveats = [shortage_message(float(sizes[1:].sum()), 100, "labelled answer")]
    caveats.append(
        shortage_message(float(sizes[1:].min()), 5, "labelled answer", " of the rarer kind")
    )
    if j.low <= 0:
        caveats.append(f"J is {j.value:.2f} ({j.low:.2f} to {j.high:.2f}), not surely above 0")
    rate = Interval(*[math.nan] * 4)
    if j.value > 0:
        rate = _corrected(counts / sizes, sizes, normal_quantile(confidence_level))
        if math.isnan(rate.low):
            caveats.append("no rate fits, so the judge's errors are not those on labelled answers")
    if caveat := "; ".join(filter(None, caveats)):
        warn(f"the corrected rate of {show(label)} is in doubt: {caveat}", IntervalWarning)

    interval = (0.0, 1.0) if math.isnan(rate.low) else (rate.low, rate.high)
    settings = f"judged:{n_judged}|{settings_of(confidence_level)}"
    line = f"{signature_of('corrected_rate', table, interval=settings)}|class:{show(label)}"
    level = float(confidence_level)
    size = float(table.total)
    return Estimate("corrected_rate", *rate[:2], interval, level, size, label, line, caveat)


def _counted(judged: Any, label: Label, labels: Any, *containers: Any) -> tuple[int, int]:
    """Count the judged answers with this label, and all of them."""
    if isinstance(judged, tuple) and len(judged) == 2 and all(map(is_real, judged)):
        n_called, n_judged = read_whole(judged, "judged").tolist()
        is_valid = n_called <= n_judged > 0
    else:
        column = read_other_predictions(judged, "judged", *containers).tolist()
        n_called, n_judged = column.count(label), len(column)
        is_valid = not {*column}.isdisjoint(labels)
    if not is_valid:
        rule = f"hold labels such as {show(labels)}, or be a tuple of two counts"
        counts = f"those judged {show(label)} and all of them"
        raise ValueError(f"`judged` must {rule}, {counts}, got {show(judged)}")
    return n_called, n_judged


def _corrected(shares: Numbers, sizes: Numbers, z: float) -> Interval:
    """Compute the rate from q, TPR and FPR, shape (3,); its interval is nan if no rate fits."""
    (q, tpr, fpr), variances = shares.tolist(), shares * (1 - shares) / sizes
    below, above = (wilson_margin(x, variances, sizes, z).tolist() for x in (shares, 1 - shares))

    def fits(rate: float) -> bool:
        gap = q - rate * tpr - (1 - rate) * fpr
        of_q, of_tpr, of_fpr = (below[0], *above[1:]) if gap > 0 else (above[0], *below[1:])
        return bool(abs(gap) <= math.hypot(of_q, rate * of_tpr, (1 - rate) * of_fpr))

    rate = min(max((q - fpr) / (tpr - fpr), 0.0), 1.0)
    error = math.sqrt(variances @ (1, rate**2, (1 - rate) ** 2)) / (tpr - fpr)
    bounds = []
    for end in (0.0, 1.0):
        inside = end if fits(end) else rate
        outside = end
        for _ in range(60):
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if fits(middle) else (inside, middle)
        bounds.append(inside if fits(rate) else math.nan)
    return Interval(rate, error, *bounds)
