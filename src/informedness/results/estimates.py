"""Scores with their standard error and confidence interval."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, TypedDict, overload

from ..core.labels import Label, show
from ..core.scores import Average, ZeroDivision
from ..core.table import Table
from ..functions import table_given
from ..inputs.answered import by_name
from ..statistics.intervals import check_level
from ..statistics.paired import CellPairs, of_groups
from ..statistics.registry import averaged_score, reported_intervals
from ..statistics.score import Score, ScoreWithInterval
from ..statistics.sums import effective_sample_size
from .layout import Measured, Rows, as_json
from .rows import groups_signature, read_samples, too_few_groups
from .text import interval_heads, rounded, shown

if TYPE_CHECKING:
    from typing_extensions import Unpack

Averaged: TypeAlias = Literal["default", "bias", "prevalence", "macro"]


@dataclass(frozen=True, repr=False)
class Estimate(Measured):
    """A score with its standard error and confidence interval.

    Attributes
    ----------
    metric : str
        The name of the score.
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
        For NIT, the chance that a guesser's predictions are associated with the references at least
        as strongly, by Pearson's chi-squared. None for other scores.
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

    def times(self, factor: float, best: float) -> Estimate:
        """Return the estimate of a score that is so many times this one, and at most the best."""
        low, high = self.confidence_interval
        ends = factor * low, min(factor * high, best)
        value, error = factor * self.value, factor * self.standard_error
        return replace(self, value=value, standard_error=error, confidence_interval=ends)

    def __str__(self) -> str:
        """Return the value, its standard error and its interval on one line."""
        name = self.metric if self.label is None else f"{self.metric} of {show(self.label)}"
        interval = self.shown()[1]
        if not math.isnan(self.confidence_interval[0]):
            interval = f"{interval[:-1]}, {self.confidence_level:.4g})"
        return f"{name} {self.value:.4f} ± {self.standard_error:.4f} {interval}"

    def text_tables(self) -> list[Rows]:
        """Return a table of one row."""
        name = self.metric if self.label is None else f"{self.metric} of {shown(self.label)}"
        head = ["", "value", *interval_heads(self.confidence_level)]
        return [[head, [name, rounded(self.value, 4), *self.shown()]]]

    def text_lines(self) -> list[str]:
        """Return the signature."""
        return [self.signature]

    def records(self) -> list[dict[str, Any]]:
        """Return one record."""
        plain = {"metric": self.metric, "label": as_json(self.label), "value": self.value}
        return [{**plain, **self.fields(), "confidence_level": self.confidence_level}]


def estimate_of(
    table: Table,
    metric: str,
    average: Average | Literal["default"],
    prior: Mapping[Any, float] | None,
    zero_division: ZeroDivision,
    confidence_level: float,
    ignore_index: Label | None,
    in_groups: CellPairs | None = None,
) -> Estimate | list[Estimate]:
    """Return what `estimate` does of a table, or of these samples in groups."""
    score = averaged_score(metric, average)
    check_level(confidence_level)
    score = score.with_interval(prior)
    options: dict[str, Any] = {"prior": prior, "zero_division": zero_division}
    value = score.value(table, **options)
    settings, judged, few_groups = f"ci:{float(confidence_level)!r}", table, ""
    if in_groups is not None:
        few_groups = too_few_groups(in_groups)
        settings = f"{groups_signature(in_groups)}|{settings}"
        judged, error = of_groups(table, score, in_groups, confidence_level)
    line = score.signature(table, **options, ignore_index=ignore_index, interval=settings)
    by_class = score.average is None
    values, labels = (value, table.labels) if by_class else ([value], (None,))
    intervals = score.intervals(judged, confidence_level, prior)
    score.warn_of_intervals(judged, intervals, prior, few_groups)
    made = []
    for x, label, interval in zip(values, labels, intervals, strict=True):
        own = f"{line}|class:{show(label)}" if by_class else line
        interval = interval._replace(value=x)
        one = estimate_silently(table, score, confidence_level, own, interval)
        made.append(replace(one, label=label))
    if in_groups is not None:
        return replace(made[0], standard_error=error, independence_p_value=None)
    return made if by_class else made[0]


def estimates_of(table: Table, level: float, ignored: Label | None = None) -> dict[str, Estimate]:
    """Return the estimates of the scores of a report, without a warning."""
    how = {"ignore_index": ignored, "interval": f"ci:{float(level)!r}"}
    signed = [(score, score.signature(table, **how)) for score in reported_intervals()]
    return {score.name: estimate_silently(table, score, level, line) for score, line in signed}


def value_or_nan(table: Table, score: Score) -> float:
    """Return a score, without a warning, or nan where it is undefined."""
    return math.nan if score.undefined(table) else float(score.rounded(table))


def estimate_silently(
    table: Table, score: ScoreWithInterval, level: float, line: str = "", interval: Any = None
) -> Estimate:
    """Return an estimate without a warning, of the interval if it is known."""
    value, error, low, high = interval or score.interval(table, level)
    size = effective_sample_size(table)
    p_value = None if math.isnan(error) else score.p_value(table)
    return Estimate(score.name, value, error, (low, high), float(level), size, p_value, None, line)


class Options(TypedDict, total=False):
    """What else `estimate` takes, for type checkers."""

    labels: Any
    sample_weight: Any
    groups: Any
    ignore_index: Label | None
    unknown: str
    prior: Mapping[Any, float] | None
    zero_division: ZeroDivision
    confidence_level: float


@overload
def estimate(
    y_true: Any, y_pred: Any = ..., metric: str = ..., *, average: None, **options: Unpack[Options]
) -> list[Estimate]: ...
@overload
def estimate(
    y_true: Any,
    y_pred: Any = ...,
    metric: str = ...,
    *,
    average: Averaged = ...,
    **options: Unpack[Options],
) -> Estimate: ...
def estimate(
    y_true: Any,
    y_pred: Any = None,
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

    .. math:: SE^2 = \Big(\sum_{ij} p_{ij} g_{ij}^2 - (\sum_{ij} p_{ij} g_{ij})^2\Big) / N

    with g the gradient of the score with respect to the shares p of the cells. For two classes
    the SE of Informedness is :math:`\sqrt{TPR(1-TPR)/n_1 + TNR(1-TNR)/n_0}`. For weighted
    samples, :math:`SE^2 = \sum w^2 (g - \bar g)^2 / (\sum w)^2`.

    Parameters
    ----------
    y_true, y_pred, labels, sample_weight, ignore_index, unknown
        As in `informedness_score`; or a `ContingencyTable` alone in place of `y_true`, with
        `ignore_index` for the signature.
    metric : str
        The score: "accuracy", "balanced_accuracy", "f1_macro", "cohen_kappa",
        "matthews_corrcoef", "informedness", "markedness", "nit" or "ema".
    groups : array-like of shape (n_samples,), optional
        The group each sample belongs to, for example the document of a question. The error is then
        computed from sums over groups, and the interval is that of samples which count less, so
        that they have this error, by Student's t. It cannot be combined with a prior or
        `average=None`, and there is no `independence_p_value`, which assumes independent samples.
    average : {"bias", "prevalence", "macro"} or None, optional
        For Informedness and markedness, as in their functions; by default each one's own
        default. None gives a list with one estimate per class, in label order.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for an average of Informedness.
    zero_division : {"warn", 0.0, 1.0, nan}
        The value if the score is undefined: nan, or 0.0 for Informedness and markedness and 1.0
        for NIT. "warn" returns this number with a warning. Other scores ignore it.
    confidence_level : float
        Between 0 and 1.

    Returns
    -------
    Estimate, or list of Estimate where `average` is None

    Raises
    ------
    ValueError
        As `informedness_score`; if an option is not valid, there are fewer than two groups, or a
        table holds sums of weights without `squared_weights`.

    Warns
    -----
    IntervalWarning
        If the interval may cover the true value too rarely, or is nan, for example with fewer
        than 5 references outside the largest class, or fewer than 10 groups.

    References
    ----------
    Wilson (1927), "Probable inference, the law of succession, and statistical inference";
    Newcombe (1998), "Interval estimation for the difference between independent proportions";
    Zou and Donner (2008), "Construction of confidence limits about effect measures"; for NIT
    and EMA Chao, Wang and Jost (2013), "Entropy and the species accumulation curve".

    Examples
    --------
    >>> references = ["ham"] * 90 + ["spam"] * 10
    >>> predictions = ["ham"] * 84 + ["spam"] * 6 + ["ham"] * 2 + ["spam"] * 8
    >>> print(estimate(references, predictions))
    informedness 0.7333 ± 0.1292 (0.4112 to 0.9953, 0.95)
    """
    in_groups = None
    if groups is None:
        table = table_given(y_true, y_pred, labels, sample_weight, ignore_index, unknown)
    elif prior is not None:
        raise ValueError("`prior` must be left out if `groups` is given")
    elif average is None:
        raise ValueError("`average` must be one that gives a number if `groups` is given")
    else:
        beside = {"sample_weight": sample_weight, "groups": groups}
        given = labels, ignore_index, unknown
        samples = read_samples(y_true, {"y_pred": y_pred}, beside, *given)
        table, in_groups = samples.tables[0], samples.paired(0, 0)
    prior, ignore_index = (by_name(x, y_true, y_pred) for x in (prior, ignore_index))
    how = prior, zero_division, confidence_level, ignore_index, in_groups
    return estimate_of(table, metric, average, *how)
