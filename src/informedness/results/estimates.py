"""Scores with their standard error and confidence interval.

`statistics/intervals.py` makes the intervals; `tests/studies/COVERAGE.md` measures how often each
covers the true value.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from statistics import NormalDist
from typing import Any, Literal, overload

import numpy as np

from ..contingency import ContingencyTable
from ..core.labels import Label, plain_label, show
from ..core.scores import Average, ZeroDivision
from ..core.table import Table
from ..inputs.containers import read_task
from ..statistics.intervals import (
    Interval,
    check_has_interval,
    check_level,
    interval_of,
    intervals_by_class,
    too_few,
    warn_of_few,
    warn_of_intervals,
)
from ..statistics.registry import averaged_score, score_named
from ..statistics.score import Score, effective_sample_size
from ..statistics.swaps import error_of_groups
from .layout import Result, Rows, finite, interval_fields
from .rows import FEW_GROUPS, count_triples, read_rows, sizes_digest, table_of
from .text import rounded, shown, shown_interval


@dataclass(frozen=True)
class Estimate(Result):
    """A score with its standard error and confidence interval.

    Attributes
    ----------
    metric : str
        One of `informedness.SCORES`.
    value : float
        The score, as returned by the function of this name.
    standard_error : float
        Of the score, in its units, by the delta method; nan if the score is undefined, 0 if all
        predictions are right.
    confidence_interval : (float, float)
        Lower and upper end; it contains the value. Nan if the score is undefined, and for NIT and
        EMA if too little is known about the classes.
    confidence_level : float
        Share of such intervals that should contain the true value.
    effective_sample_size : float
        (sum w)^2 / sum w^2 for weights w; without weights, the number of samples.
    independence_p_value : float or None
        For NIT, the p-value of Pearson's chi-squared against all tables with the same margins: the
        chance that a guesser's predictions are associated with the references at least as strongly.
        None for other scores.
    label : label or None
        The class, if the score is of a single class.
    signature : str
        Everything that determines the number, in one line.
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    effective_sample_size: float
    independence_p_value: float | None
    label: Label | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON; undefined numbers are None."""
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["confidence_interval"] = list(self.confidence_interval)
        plain["label"] = plain_label(self.label)
        return {name: finite(value) for name, value in plain.items()}

    def __str__(self) -> str:
        """Return the value, its standard error and its interval on one line."""
        low, high = self.confidence_interval
        name = self.metric if self.label is None else f"{self.metric} of {show(self.label)}"
        error = f"{self.value:.4f} ± {self.standard_error:.4f}"
        if math.isnan(low):
            return f"{name} {error} (no interval)"
        return f"{name} {error} ({low:.4f} to {high:.4f}, {self.confidence_level:.4g})"

    def text_tables(self) -> list[Rows]:
        """Return a table of one row."""
        name = self.metric if self.label is None else f"{self.metric} of {shown(self.label)}"
        head = ["", "value", "± SE", f"{100 * self.confidence_level:.6g}% interval"]
        interval = shown_interval(self.standard_error, self.confidence_interval)
        return [[head, [name, rounded(self.value, 4), *interval]]]

    def text_lines(self) -> list[str]:
        """Return the signature."""
        return [self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return one record."""
        fields_of_interval = interval_fields(self.standard_error, self.confidence_interval)
        plain = {"metric": self.metric, "label": plain_label(self.label), "value": self.value}
        return [{**plain, **fields_of_interval, "confidence_level": self.confidence_level}]


@overload
def estimate(
    table: ContingencyTable,
    metric: str = ...,
    *,
    average: None,
    prior: Mapping[Any, float] | None = ...,
    zero_division: ZeroDivision = ...,
    confidence_level: float = ...,
    ignore_index: Label | None = ...,
) -> list[Estimate]: ...
@overload
def estimate(
    table: ContingencyTable,
    metric: str = ...,
    *,
    average: Literal["bias", "prevalence", "macro", "default"] = ...,
    prior: Mapping[Any, float] | None = ...,
    zero_division: ZeroDivision = ...,
    confidence_level: float = ...,
    ignore_index: Label | None = ...,
) -> Estimate: ...
def estimate(
    table: ContingencyTable,
    metric: str = "informedness",
    *,
    average: Average | Literal["default"] = "default",
    prior: Mapping[Any, float] | None = None,
    zero_division: ZeroDivision = "warn",
    confidence_level: float = 0.95,
    ignore_index: Label | None = None,
) -> Estimate | list[Estimate]:
    r"""Return a score of a table with its standard error and confidence interval.

    .. math:: SE^2 = \Big(\sum_{ij} p_{ij} g_{ij}^2 - (\sum_{ij} p_{ij} g_{ij})^2\Big) / N

    with g the gradient of the score with respect to the shares p of the cells. For two classes the
    SE of Informedness is :math:`\sqrt{TPR(1-TPR)/n_1 + TNR(1-TNR)/n_0}`. For weighted samples,
    :math:`SE^2 = \sum w^2 (g - \bar g)^2 / (\sum w)^2`.

    Parameters
    ----------
    table : ContingencyTable
        Built from samples, counts, or weights with their squares.
    metric : str
        The score, one of `informedness.SCORES`.
    average : {"bias", "prevalence", "macro"} or None, optional
        For Informedness and markedness, as in their functions; by default each one's own default.
        None gives a list with one estimate per class, in label order.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for an average of Informedness.
    zero_division : {"warn", 0.0, nan}
        Value of Informedness and markedness if undefined; for NIT "warn", 1.0 or nan.
    confidence_level : float
        Between 0 and 1.
    ignore_index : label, optional
        What was ignored when the table was made, for the signature.

    Returns
    -------
    Estimate, or list of Estimate where `average` is None

    Raises
    ------
    ValueError
        If an option is not valid, or the table holds sums of weights without `squared_weights`.

    Warns
    -----
    IntervalWarning
        If the interval is known to cover the true value too rarely: with fewer than 50 samples.
        With a prior, also with fewer than 5 references of a class (below 3 the ends are nan). For
        NIT and EMA without declared classes, also with fewer than 5 references of a class, since
        other classes may have none (the ends are nan below 3 for NIT, and with fewer than 5 samples
        outside the largest class for EMA); and, if two or more different predictions are not among
        the references, with fewer than 10 (k - 1) samples for each of them.

    References
    ----------
    Wilson (1927), "Probable inference, the law of succession, and statistical inference"; Newcombe
    (1998), "Interval estimation for the difference between independent proportions"; Zou and Donner
    (2008), "Construction of confidence limits about effect measures"; Hall (1992), "On the removal
    of skewness by transformation"; for NIT and EMA Chao, Wang and Jost (2013), "Entropy and the
    species accumulation curve".

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> print(estimate(table))
    informedness 0.7333 ± 0.1292 (0.3767 to 0.9257, 0.95)
    """
    if not isinstance(table, Table):
        raise TypeError(
            f"`table` must be a ContingencyTable, got {show(table)}: estimate_from_labels takes "
            "references and predictions"
        )
    score = averaged_score(metric, average)
    check_level(confidence_level)
    by_class = bool(score.averages) and score.average is None
    check_has_interval(score, prior)
    value = score.value(table, prior=prior, zero_division=zero_division)
    if by_class:
        intervals = intervals_by_class(table, score, confidence_level, value)
    else:
        intervals = [interval_of(table, score, confidence_level, prior)._replace(value=value)]
    line = score.signature(
        table,
        prior=prior,
        zero_division=zero_division,
        ignore_index=ignore_index,
        interval=f"ci:{float(confidence_level)!r}",
    )
    warn_of_intervals(table, score, intervals, prior)
    made = _estimate_of(table, score, intervals[0], confidence_level, line)
    if not by_class:
        return made
    return [
        replace(
            made,
            value=interval.value,
            standard_error=interval.standard_error,
            confidence_interval=(interval.low, interval.high),
            label=label,
            signature=f"{line}|class:{show(label)}",
        )
        for label, interval in zip(table.labels, intervals, strict=True)
    ]


def estimate_silently(table: Table, score: Score, level: float, line: str) -> Estimate:
    """Return an estimate without a warning; `lack_of` says what it would say."""
    return _estimate_of(table, score, interval_of(table, score, level), level, line)


def lack_of(table: Table, made: Estimate) -> str:
    """Return what the table has too few of for the interval, empty if nothing is known."""
    if math.isnan(made.standard_error):
        return ""
    return too_few(table, score_named(made.metric))


def _estimate_of(
    table: Table, score: Score, interval: Interval, level: float, line: str
) -> Estimate:
    return Estimate(
        metric=score.name,
        value=interval.value,
        standard_error=interval.standard_error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=float(level),
        effective_sample_size=effective_sample_size(table),
        independence_p_value=interval.independence_p_value if score.name == "nit" else None,
        label=None,
        signature=line,
    )


@overload
def estimate_from_labels(
    y_true: Any,
    y_pred: Any,
    metric: str = ...,
    *,
    labels: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    ignore_index: Label | None = ...,
    unknown: str = ...,
    average: None,
    prior: Mapping[Any, float] | None = ...,
    zero_division: ZeroDivision = ...,
    confidence_level: float = ...,
) -> list[Estimate]: ...
@overload
def estimate_from_labels(
    y_true: Any,
    y_pred: Any,
    metric: str = ...,
    *,
    labels: Any = ...,
    sample_weight: Any = ...,
    groups: Any = ...,
    ignore_index: Label | None = ...,
    unknown: str = ...,
    average: Literal["bias", "prevalence", "macro", "default"] = ...,
    prior: Mapping[Any, float] | None = ...,
    zero_division: ZeroDivision = ...,
    confidence_level: float = ...,
) -> Estimate: ...
def estimate_from_labels(
    y_true: Any,
    y_pred: Any,
    metric: str = "informedness",
    *,
    labels: Any = None,
    sample_weight: Any = None,
    groups: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    average: Average | Literal["default"] = "default",
    prior: Mapping[Any, float] | None = None,
    zero_division: ZeroDivision = "warn",
    confidence_level: float = 0.95,
) -> Estimate | list[Estimate]:
    r"""Return a score with its standard error and confidence interval.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`.
    groups : array-like of shape (n_samples,), optional
        The group each sample belongs to, for example the document of a question. The error is then
        computed from sums over each of the C groups, :math:`SE^2 = \frac{C}{C-1} \sum_c (\sum_{t
        \in c} w_t (g_t - \bar g))^2 / (\sum w)^2`, and the interval is the value ± t SE, with the
        SE of the samples and one pseudo-group together, and t with C - 1 degrees of freedom; for
        NIT and EMA it is on the logarithmic scale, around the jackknifed value. It cannot be
        combined with a prior or `average=None`, and there is no `independence_p_value`, which
        assumes independent samples.
    metric, average, prior, zero_division, confidence_level
        As in `estimate`, which does the same for a `ContingencyTable`.

    Returns
    -------
    Estimate, or list of Estimate where `average` is None

    Raises
    ------
    ValueError
        As `informedness_score` and `estimate`, and if there are fewer than two groups.

    Warns
    -----
    IntervalWarning
        As `estimate`, and if there are fewer than 20 groups.

    Examples
    --------
    >>> references = ["ham"] * 90 + ["spam"] * 10
    >>> predictions = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
    >>> result = estimate_from_labels(references, predictions)
    >>> print(f"{result.value:.2f} ± {result.standard_error:.2f}")
    0.73 ± 0.13
    """
    if groups is not None:
        return _estimate_of_groups(
            (y_true, y_pred, groups, sample_weight),
            {"labels": labels, "ignore_index": ignore_index, "unknown": unknown},
            averaged_score(metric, average),
            confidence_level,
            prior,
            zero_division,
        )
    table = ContingencyTable.from_labels(
        y_true,
        y_pred,
        labels=labels,
        sample_weight=sample_weight,
        ignore_index=ignore_index,
        unknown=unknown,
    )
    return estimate(
        table,
        metric,
        average=average,
        prior=prior,
        zero_division=zero_division,
        confidence_level=confidence_level,
        ignore_index=ignore_index,
    )


def _estimate_of_groups(
    samples: tuple[Any, Any, Any, Any],
    options: dict[str, Any],
    score: Score,
    level: float,
    prior: Any,
    zero_division: ZeroDivision,
) -> Estimate:
    """Return an estimate whose error is by groups."""
    y_true, y_pred, groups, sample_weight = samples
    for name, is_refused, wanted in (
        ("prior", prior is not None, "left out"),
        ("average", bool(score.averages) and score.average is None, "one that gives a number"),
    ):
        if is_refused:
            raise ValueError(f"`{name}` must be {wanted} if `groups` is given")
    check_level(level)
    check_has_interval(score)
    *pair, task = read_task(
        y_true, y_pred, options["labels"], options["ignore_index"], options["unknown"]
    )
    rows = read_rows(len(pair[0]), sample_weight, None, groups)
    columns = [side[rows.kept] for side in pair]
    table = table_of(columns[0], columns[1], rows, options)
    triples, n_groups = count_triples(table, [*columns, columns[1]], task.ignored, rows)
    value = score.value(table, zero_division=zero_division)
    line = score.signature(
        table,
        zero_division=zero_division,
        ignore_index=task.ignored,
        interval=f"groups:{n_groups},{sizes_digest(triples)}|ci:{float(level)!r}",
    )
    one_class = np.count_nonzero(table.reference_totals) == 1
    interval = Interval(value, math.nan, math.nan, math.nan)
    if not (score.undefined(table) or (one_class and score.over_classes)):
        centre, error, with_one = error_of_groups(table, score, triples)
        reach = t_quantile(level, n_groups - 1) * with_one
        low, high = centre - reach, centre + reach
        if not score.from_margins:
            low, high = (centre * math.exp(x * reach / value) for x in (-1, 1))
        low, high = max(low, score.lowest), min(high, score.best)
        interval = Interval(value, error, min(low, value), max(high, value))
    made = _estimate_of(table, score, interval, level, line)
    few = lack_of(table, made)
    if n_groups < FEW_GROUPS:
        few = few or f"{n_groups} groups, where {FEW_GROUPS} are wanted"
    warn_of_few(score.name, few)
    return made


def t_quantile(level: float, df: int) -> float:
    """Return the two-sided quantile of Student's t at a level, for a whole number of df.

    The probability is a finite sum (Abramowitz and Stegun 26.7.3 and 26.7.4), inverted by
    bisection.
    """
    z = NormalDist().inv_cdf((1 + level) / 2)
    if df > 1000:
        return z + (z**3 + z) / (4 * df) + (5 * z**5 + 16 * z**3 + 3 * z) / (96 * df**2)

    def chance(t: float) -> float:
        angle = math.atan(t / math.sqrt(df))
        square, term, total = math.cos(angle) ** 2, 1.0, 0.0
        if df % 2:
            term = math.cos(angle)
        for n in range(1 + df % 2, df - (1 - df % 2) + 1, 2):
            total += term
            term *= square * n / (n + 1)
        total *= math.sin(angle)
        return (angle + total) * 2 / math.pi if df % 2 else total

    low, high = 0.0, 1.0
    while chance(high) < level:
        high *= 2
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if chance(middle) < level else (low, middle)
    return (low + high) / 2
