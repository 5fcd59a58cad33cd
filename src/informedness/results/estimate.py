"""Scores with their standard error and confidence interval."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING, Any, Literal, TypeAlias, overload

import numpy as np

from ..core.labels import Label, show
from ..core.scores import Average, ZeroDivision, __version__, check_zero_division
from ..core.table import Table
from ..inference.registry import SAME_VERSION, score_with_average, warn_of_version
from ..inference.score import (
    Interval,
    Prior,
    Score,
    check_level,
    effective_sample_size,
    signature_of,
    warn_of_caveats,
)
from ..inference.significance import CellPairs, n_groups, with_design_effects
from ..tables.contingency import SampleOptions
from ..tables.label_options import to_class_names
from ..tables.label_warnings import warn_of_nulls, warn_of_own_labels
from ..text.layout import Measured, Rows
from ..text.render import as_json, interval_heads, rounded, shown
from .models import settings_of, table_in_groups, too_few_groups, too_few_of_a_class

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
        Delta-method error in units of the score; nan if the score is undefined, 0 if all
        predictions are right.
    confidence_interval : (float, float)
        Lower and upper end; contains the value. Nan if the score is undefined, and for NIT and
        EMA if too little is known about the classes.
    confidence_level : float
        Share of such intervals that should contain the true value.
    effective_sample_size : float
        (sum w)^2 / sum w^2 for weights w; without weights, the number of samples.
    label : label or None
        The class, if the score is of a single class.
    signature : str
        A line that records the options, the number of samples and the version.
    caveat : str
        Why the interval may cover the true value too rarely, as `estimate` warns; empty if no
        reason is known.
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    effective_sample_size: float
    label: Label | None
    signature: str
    caveat: str = field(default="", repr=False)
    n_classes: int = field(default=0, repr=False)

    def __str__(self) -> str:
        """Return the value, its standard error and its interval on one line."""
        name = self.metric if self.label is None else f"{self.metric} of {show(self.label)}"
        interval = self.interval_in_words()[1:-1]
        error = f", standard error {self.standard_error:.4f}" if self.standard_error > 0 else ""
        return f"{name} {self.value:.4f}{error}, {interval}"

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
        plain = {"metric": self.metric, "label": as_json(self.label), "value": as_json(self.value)}
        return [{**plain, **self.fields(), "confidence_level": self.confidence_level}]


def estimates_of(
    table: Table,
    score: Score,
    level: float,
    pairs: CellPairs | None = None,
    *,
    prior: Prior = None,
    **signed: Any,
) -> list[Estimate]:
    """Estimate a score, or the scores of its classes, without warnings.

    `pairs` are the samples in groups; `signed` holds further options for the signature.
    """
    check_level(level)
    judged, error, caveat = table, None, too_few_groups(pairs)
    if pairs is not None:
        judged, error, fewest = with_design_effects(table, score, pairs)
        caveat = caveat or too_few_of_a_class(fewest)
    intervals = score.intervals(judged, level, prior, error)
    if pairs is not None and n_groups(pairs) == 1:  # one group shows no spread between groups
        intervals = [Interval(intervals[0].value, *[math.nan] * 3)]
    size = effective_sample_size(table)
    caveat = caveat or score.caveat(judged, prior)
    line = score.signature(table, prior=prior, interval=settings_of(level, pairs), **signed)
    labels = score.class_labels(table) if score.average is None else (None,)

    estimates = []
    for label, (value, own_error, low, high) in zip(labels, intervals, strict=True):
        signature = line if label is None else f"{line}|class:{show(label)}"
        interval = own_error if error is None else error, (low, high), float(level)
        own_caveat = "" if math.isnan(own_error) else caveat
        described: Any = label, signature, own_caveat, table.n_classes
        estimates.append(Estimate(score.name, value, *interval, size, *described))
    return estimates


def reported_estimates(
    table: Table, level: float | None, scores: Mapping[str, Score], **options: Any
) -> dict[str, Estimate]:
    """Estimate some scores without warnings; {} without a level."""
    if level is None:
        return {}
    return {name: estimates_of(table, x, level, **options)[0] for name, x in scores.items()}


def has_known_errors(table: Table) -> bool:
    """Return whether standard errors can be computed: the squares of weights are known."""
    return not table.is_weighted or table.squared_weights is not None


def warn_of(estimates: Iterable[Estimate]) -> None:
    """Warn about intervals with a caveat, once per caveat."""
    warn_of_caveats([(x.metric, x.caveat, math.isnan(x.confidence_interval[0])) for x in estimates])


def estimate_of(
    table: Table,
    score: Score,
    level: float,
    pairs: CellPairs | None = None,
    *,
    prior: Prior = None,
    zero_division: ZeroDivision = "warn",
    ignore_index: Label | None = None,
) -> list[Estimate]:
    """Estimate a score of a table, or of samples in groups, as `estimate` does; return a list."""
    check_zero_division(zero_division, score.stand_in)
    options: dict[str, Any] = {"prior": prior, "zero_division": zero_division}
    value = score.value(table, **options)
    estimates = estimates_of(table, score, level, pairs, ignore_index=ignore_index, **options)
    warn_of(estimates)
    values = value if score.average is None else [value]
    return [replace(one, value=own) for one, own in zip(estimates, values, strict=True)]


class Options(SampleOptions, total=False):
    """Extra options of `estimate`, for type checkers."""

    groups: Any
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
    r"""Compute a score with its standard error and confidence interval.

    .. math:: SE^2 = \Big(\sum_{ij} p_{ij} g_{ij}^2 - (\sum_{ij} p_{ij} g_{ij})^2\Big) / N

    where g is the gradient of the score with respect to the shares p of the cells. For two classes
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
        computed from sums by class and group. The interval divides sample counts by the design
        effect of their class. Groups cannot be combined with a prior or `average=None`.
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
    Estimate, or list of Estimate if `average` is None

    Raises
    ------
    ValueError
        As in `informedness_score`; if an option is not valid, there are fewer than two groups, or a
        table holds sums of weights without `squared_weights`.

    Warns
    -----
    IntervalWarning
        If the interval may cover the true value too rarely, or is nan, for example with fewer
        than 5 references outside the largest class, with fewer than 10 groups, or with fewer than
        5 effective groups of classes that carry more than a tenth of the variance.

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
    informedness 0.7333, standard error 0.1292, 95% interval 0.4112 to 0.9953
    """
    score = score_with_average(metric, average, unknown).require_interval(prior)
    if groups is not None and prior is not None:
        raise ValueError("`prior` must be left out if `groups` is given")
    if groups is not None and average is None:
        raise ValueError("`average` must be one that gives a number if `groups` is given")
    options = labels, sample_weight, ignore_index, unknown
    table, pairs = table_in_groups(y_true, y_pred, groups, *options)
    prior, ignore_index = (to_class_names(x, y_true, y_pred) for x in (prior, ignore_index))
    signed: dict[str, Any] = {"zero_division": zero_division, "ignore_index": ignore_index}
    estimates = estimate_of(table, score, confidence_level, pairs, prior=prior, **signed)
    return estimates if average is None else estimates[0]


def warn_of_module(own_table: Any, version: str) -> None:
    """Warn if a metric module has another version, or if its references are not classes."""
    warn_of_version(version)
    warn_of_nulls(own_table)
    if not own_table.is_declared:
        own = own_table.n_classes, own_table.n_samples, own_table.labels[0]
        warn_of_own_labels(*own, "references")


def add_companions(
    scored: Mapping[str, Any],
    own_table: Any,
    level: float | None,
    return_signature: bool,
    options: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Compute the interval and the signature that a metric module returns with its score.

    `scored` maps the name of the score to its value. `own_table`, of the module's copy of the
    class, `options` and `version` come from the module.

    Raises
    ------
    ValueError
        If the level is not valid, or the options leave no interval.
    RuntimeError
        If this package computes another score.
    """
    if level is None and not return_signature:
        return {}  # plain scores must not depend on the fields of this version's tables
    ((name, value),) = scored.items()
    table = Table(*(getattr(own_table, field.name) for field in fields(Table)))
    companions: dict[str, Any] = {}
    if level is not None:
        estimates = _estimates_of_module(name, value, table, level, options, version)
        errors = [one.standard_error for one in estimates]
        ends = [[*one.confidence_interval] for one in estimates]
        is_by_class = isinstance(value, list)
        companions[f"{name}_standard_error"] = errors if is_by_class else errors[0]
        companions[f"{name}_confidence_interval"] = ends if is_by_class else ends[0]
    if return_signature:
        how = {**options, "interval": settings_of(level), "version": version}
        companions[f"{name}_signature"] = signature_of(name, table, **how)
    return companions


def _estimates_of_module(
    name: str, value: Any, table: Table, level: float, options: Mapping[str, Any], version: str
) -> list[Estimate]:
    """Estimate a module's score, after a check that this package computes the same value."""
    if options.get("prior_mode", "") == "odds":
        raise ValueError('`confidence_level` must be left out with prior_mode="odds"')
    prior = options.get("prior")
    score = score_with_average(name, options.get("average", "default")).require_interval(prior)
    estimates = estimates_of(table, score, level, prior=prior)
    own_values = [one.value for one in estimates]
    is_close = np.allclose(own_values, value, rtol=0, atol=1e-12, equal_nan=True)
    if not is_close and not score.undefined(table):
        raise RuntimeError(
            f"the metric {name!r} of version {version} scores {value}, and the installed package, "
            f"version {__version__}, scores {own_values}: {SAME_VERSION}"
        )
    warn_of(estimates)
    return estimates
