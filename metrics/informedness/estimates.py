"""Scores with their standard error and confidence interval, and the line that says what each is.

How the intervals are made is in `intervals.py`; how often each covers the truth is measured in
`tests/studies/COVERAGE.md`.
"""

from __future__ import annotations

import hashlib
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any, Literal, NamedTuple, overload

import numpy as np

from . import contingency, intervals, reading
from .coding import Label
from .contingency import Average, ContingencyTable, Numbers, reweighted
from .intervals import Interval, Score
from .reading import InformednessWarning, check_choice, plain_label, show, warn

__version__ = "0.1.0"

METRICS = (
    "informedness",
    "markedness",
    "nit",
    "accuracy",
    "balanced_accuracy",
    "matthews_corrcoef",
)

_AVERAGES: dict[str, Average] = {"informedness": "bias", "markedness": "prevalence"}


class IntervalWarning(InformednessWarning):
    """An interval is known to cover the truth less often than it says on tables like this one."""


@dataclass(frozen=True)
class Estimate:
    """A score with its standard error and confidence interval.

    Attributes
    ----------
    metric : str
        One of `METRICS`.
    value : float
        The score, as the function of this name gives it.
    standard_error : float
        Of the score, in its units, by the delta method; nan where the score is undefined. Where
        all predictions are right it is 0, but for NIT of classes that are not equally common.
    confidence_interval : (float, float)
        Low and high end; it contains the value. Nan where the score is undefined.
    confidence_level : float
        Share of such intervals that should contain the truth.
    method : {"delta", "bootstrap"}
        What made the interval.
    n_resamples, seed : int or None
        Of the bootstrap.
    effective_sample_size : float
        (sum w)^2 / sum w^2 for weights w: the number of samples where there are no weights.
    independence_p_value : float or None
        For NIT the p-value of the G test, 2 N MI against chi-squared: the chance that a guesser
        passes on as much information. None for other scores.
    label : label or None
        The class that the score is of, where it is of one class.
    signature : str
        All that decides the number, in a line.
    """

    metric: str
    value: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    method: str
    n_resamples: int | None
    seed: int | None
    effective_sample_size: float
    independence_p_value: float | None
    label: Label | None
    signature: str

    def to_dict(self) -> dict[str, Any]:
        """Return all fields as plain values for JSON; undefined numbers are None."""
        plain: dict[str, Any] = {field.name: getattr(self, field.name) for field in fields(self)}
        plain["confidence_interval"] = list(self.confidence_interval)
        plain["label"] = plain_label(self.label)
        return {name: _finite(value) for name, value in plain.items()}

    def __str__(self) -> str:
        """Return the value, its standard error and its interval in a line."""
        low, high = self.confidence_interval
        name = self.metric if self.label is None else f"{self.metric} of {show(self.label)}"
        error = f"{self.value:.4f} ± {self.standard_error:.4f}"
        return f"{name} {error} ({low:.4f} to {high:.4f}, {self.confidence_level:.4g})"


def _finite(value: Any) -> Any:
    if isinstance(value, list):
        return [_finite(entry) for entry in value]
    return None if isinstance(value, float) and math.isnan(value) else value


@overload
def estimate(
    table: ContingencyTable,
    metric: str = ...,
    *,
    average: None,
    prior: Mapping[Any, float] | None = ...,
    zero_division: Literal["warn"] | float = ...,
    confidence_level: float = ...,
    method: str = ...,
    n_resamples: int = ...,
    seed: int = ...,
    ignore_index: Label | None = ...,
) -> list[Estimate]: ...
@overload
def estimate(
    table: ContingencyTable,
    metric: str = ...,
    *,
    average: Literal["bias", "prevalence", "macro", "default"] = ...,
    prior: Mapping[Any, float] | None = ...,
    zero_division: Literal["warn"] | float = ...,
    confidence_level: float = ...,
    method: str = ...,
    n_resamples: int = ...,
    seed: int = ...,
    ignore_index: Label | None = ...,
) -> Estimate: ...
def estimate(
    table: ContingencyTable,
    metric: str = "informedness",
    *,
    average: Average | Literal["default"] = "default",
    prior: Mapping[Any, float] | None = None,
    zero_division: Literal["warn"] | float = "warn",
    confidence_level: float = 0.95,
    method: str = "auto",
    n_resamples: int = 9999,
    seed: int = 0,
    ignore_index: Label | None = None,
) -> Estimate | list[Estimate]:
    r"""Return a score of a table with its standard error and confidence interval.

    .. math:: SE^2 = \Big(\sum_{ij} p_{ij} g_{ij}^2 - (\sum_{ij} p_{ij} g_{ij})^2\Big) / N

    with g the gradient of the score with respect to the shares p of the cells. For two classes the
    SE of Informedness is :math:`\sqrt{TPR(1-TPR)/n_1 + TNR(1-TNR)/n_0}`. Weighted samples:
    :math:`SE^2 = \sum w^2 (g - \bar g)^2 / (\sum w)^2`; a weight of 3 is no three samples.

    Parameters
    ----------
    table : ContingencyTable
        Of samples, counts, or weights whose squares it knows.
    metric : {"informedness", "markedness", "nit", "accuracy", "balanced_accuracy", \
"matthews_corrcoef"}
        The score.
    average : {"bias", "prevalence", "macro"} or None, optional
        Of Informedness and markedness, as their functions take it; by default what is theirs.
        None gives a list, one estimate for each class in label order.
    prior : mapping of class to probability, optional
        Class shares to which the references are reweighted, for an average of Informedness.
    zero_division : {"warn", 0.0, nan}
        Value of Informedness and markedness where they are undefined; of NIT "warn", 1.0 or nan.
    confidence_level : float
        Between 0 and 1.
    method : {"auto", "delta", "bootstrap"}
        "delta" is closed: value ± z SE, SE of the table and one pseudo-sample together; for NIT on
        the logarithmic scale, with bias and SE by the jackknife. "bootstrap" draws the cells
        anew, each time with a pseudo-sample, and takes quantiles around the value. "auto" is what
        covers best: "delta" for NIT, "bootstrap" for all others.
    n_resamples, seed : int
        Of the bootstrap. The seed decides its result wholly, for one version of numpy.
    ignore_index : label, optional
        What was ignored when the table was made, for the signature.

    Returns
    -------
    Estimate, or list of Estimate where `average` is None

    Raises
    ------
    TypeError
        If the table is none; `estimate_from_labels` takes references and predictions.
    ValueError
        If an option is not valid, or the table holds sums of weights without `squared_weights`.

    Warns
    -----
    IntervalWarning
        If the interval is known to cover too little, with k the classes in the references: fewer
        than 50 samples, or than 10 outside the largest class; for scores other than accuracy and
        NIT fewer than k^2 samples; for NIT fewer than 10 (k - 1)^2 samples, than k (k - 1) wrong
        predictions unless there are none, or than 10 (k - 1) samples for each different prediction
        that is not among the references.

    References
    ----------
    Efron (1987), "Better bootstrap confidence intervals", for the levels of the quantiles; Rubin
    (1981), "The Bayesian bootstrap".

    Examples
    --------
    >>> table = ContingencyTable.from_matrix([[84, 6], [2, 8]], labels=["ham", "spam"])
    >>> print(estimate(table))
    informedness 0.7333 ± 0.1292 (0.3838 to 0.8983, 0.95)
    """
    if not isinstance(table, ContingencyTable):
        raise TypeError(
            f"`table` must be a ContingencyTable, got {show(table)}: estimate_from_labels takes "
            "references and predictions"
        )
    check_choice("method", method, ("auto", "delta", "bootstrap"))
    average = checked_average(metric, average)
    level, n_resamples, seed = checked_resampling(confidence_level, n_resamples, seed)
    if prior is not None and (metric != "informedness" or average is None):
        raise ValueError(
            "`prior` must be left out, except for an average of Informedness: "
            f"got one for {metric!r}, average={average!r}"
        )
    if method == "auto":
        method = "delta" if metric == "nit" else "bootstrap"
    how = f"ci:{method},{level!r}"
    if method == "bootstrap":
        how += f",{n_resamples},seed:{seed}"
    intervals.squared_weights(table)  # refuses a table that does not know them
    shares = None if prior is None else reading.read_prior(prior, table)
    line = signature(
        table,
        metric,
        average=average,
        prior=prior,
        zero_division=zero_division,
        ignore_index=ignore_index,
        interval=how,
    )
    options = _Options(level, method, n_resamples, seed, line)
    if metric not in _AVERAGES:
        settings = {"zero_division": zero_division} if metric == "nit" else {}
        value = getattr(contingency, metric)(table, **settings)
        made = _estimate(table, Score(metric), value, options)
        _warn_of_few([table], [made])
        return made
    scored = table if shares is None else reweighted(table, shares)
    values: Any = getattr(contingency, metric)(scored, average=average, zero_division=zero_division)
    if average is None:
        tables = [_one_against_rest(table, code) for code in range(len(table.labels))]
        each = [
            _estimate(rest, Score(metric, "bias"), value, options, label)
            for rest, value, label in zip(tables, values, table.labels, strict=True)
        ]
        _warn_of_few(tables, each)
        return each
    shares = None if shares is None else np.nan_to_num(shares)
    made = _estimate(table, Score(metric, average, shares), values, options)
    _warn_of_few([table], [made])
    return made


class _Options(NamedTuple):
    level: float
    method: str
    n_resamples: int
    seed: int
    signature: str


def checked_average(metric: str, average: Any) -> Average:
    """Return the average of a metric, None where it has none, or raise ValueError."""
    check_choice("metric", metric, METRICS)
    if isinstance(average, str) and average == "default":
        return _AVERAGES.get(metric)
    if metric not in _AVERAGES:
        raise ValueError(f"`average` must be left out for {metric!r}, got {show(average)}")
    check_choice("average", average, ("bias", "prevalence", "macro", None))
    return average  # type: ignore[no-any-return]


def checked_resampling(
    confidence_level: Any, n_resamples: Any, seed: Any
) -> tuple[float, int, int]:
    """Return the options as numbers, or raise ValueError."""
    number = isinstance(confidence_level, (int, float, np.floating))
    if not number or not (confidence_level > 0 and 1 + confidence_level < 2):
        raise ValueError(
            f"`confidence_level` must lie between 0 and 1, as 0.95, got {show(confidence_level)}"
        )
    for name, number, least in (("n_resamples", n_resamples, 100), ("seed", seed, 0)):
        whole = isinstance(number, (int, np.integer)) and not isinstance(number, bool)
        if not whole or number < least:
            raise ValueError(f"`{name}` must be an integer from {least} on, got {show(number)}")
    return float(confidence_level), int(n_resamples), int(seed)


def _one_against_rest(table: ContingencyTable, code: int) -> ContingencyTable:
    """Return the table of two classes, this one and all others together."""
    sides = [(side == code, side != code) for side in (table.rows, table.columns)]

    def collapsed(amounts: Numbers) -> list[list[Any]]:
        return [[amounts[row & column].sum() for column in sides[1]] for row in sides[0]]

    squares = None if table.squared_weights is None else collapsed(table.squared_weights)
    return ContingencyTable.from_matrix(collapsed(table.counts), squared_weights=squares)


def _estimate(
    table: ContingencyTable,
    score: Score,
    value: float,
    options: _Options,
    label: Label | None = None,
) -> Estimate:
    size = intervals.effective_sample_size(table)
    one_class, one_prediction = (
        np.count_nonzero(side) == 1 for side in (table.reference_totals, table.prediction_totals)
    )
    undefined = {
        "accuracy": False,
        "markedness": one_prediction,
        "matthews_corrcoef": one_class or one_prediction,
    }
    interval, p_value = Interval(math.nan, math.nan, math.nan), None
    resamples = (options.n_resamples, options.seed) if options.method == "bootstrap" else None
    if not undefined.get(score.metric, one_class):
        if score.metric == "nit":
            p_value = intervals.g_test(table)
            interval = intervals.nit_interval(table, value, options.level, resamples)
        else:
            of, transposed = score.oriented()
            oriented = table.transpose() if transposed else table
            if resamples is None:
                interval = intervals.delta_interval(oriented, of, value, options.level)
            else:
                interval = intervals.bootstrap_interval(
                    oriented, of, value, options.level, *resamples
                )
    return Estimate(
        metric=score.metric,
        value=value,
        standard_error=interval.standard_error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=options.level,
        method=options.method,
        n_resamples=resamples[0] if resamples else None,
        seed=resamples[1] if resamples else None,
        effective_sample_size=size,
        independence_p_value=p_value,
        label=label,
        signature=options.signature
        if label is None
        else f"{options.signature}|class:{show(label)}",
    )


def _warn_of_few(tables: list[ContingencyTable], made: list[Estimate]) -> None:
    """Warn, once for all classes, where the study shows that intervals cover too little."""
    pairs = zip(tables, made, strict=True)
    found = [(one, few) for table, one in pairs if (few := too_few(table, one))]
    if not found:
        return
    one, few = found[0]
    of = one.metric if one.label is None else f"{one.metric} of {show(one.label)}"
    if len(found) > 1:
        of += f" and {len(found) - 1} more class{'es' * (len(found) > 2)}"
    warn(
        f"the interval of {of} may cover the truth less often than it says: {few}", IntervalWarning
    )


def too_few(table: ContingencyTable, made: Estimate) -> str:
    """Return what the table has too few of for this interval, empty if nothing is known."""
    if math.isnan(made.standard_error):
        return ""
    size, shares = made.effective_sample_size, table.reference_totals / table.total
    k = np.count_nonzero(shares)
    wanted = [
        (50, size, "samples"),
        (10, size * (1 - shares.max()), "samples outside the largest class"),
    ]
    if made.metric == "nit":
        wrong = size * (1 - float(table.hits.sum() / table.total))
        wanted.append((10 * (k - 1) ** 2, size, f"samples of {k} classes"))
        wanted.append((k * (k - 1) * (wrong > 0), wrong, f"wrong predictions of {k} classes"))
        n_outside, least = contingency.outside_references(table)
        wanted.append((least, size, f"samples for {n_outside} predictions outside the references"))
    elif made.metric != "accuracy":  # a bias of the order of k / N beside an error of 1 / sqrt(N)
        wanted.append((k**2, size, f"samples of {k} classes"))
    for least, there, what in wanted:
        if there < least - 1e-6:
            return f"{there:.4g} {what}, where {least:g} are wanted"
    return ""


def result_of(
    metric: str,
    table: ContingencyTable,
    confidence_level: float | None,
    return_signature: bool,
    *,
    ignore_index: Label | None = None,
    **settings: Any,
) -> dict[str, Any]:
    """Return what the module of a metric computes: the score, with what was asked for beside it.

    `settings` are those of the score's function in `contingency`.
    """
    line = ""
    if confidence_level is None:
        found = {metric: getattr(contingency, metric)(table, **settings)}
        if return_signature:
            line = signature(table, metric, ignore_index=ignore_index, **settings)
    else:
        if settings.pop("prior_mode", "reweight") != "reweight":
            raise ValueError('`confidence_level` must be left out beside prior_mode="odds"')
        made = estimate(
            table, metric, confidence_level=confidence_level, ignore_index=ignore_index, **settings
        )
        each = made if isinstance(made, list) else [made]
        values = [
            [x.value for x in each],
            [x.standard_error for x in each],
            [list(x.confidence_interval) for x in each],
        ]
        names = metric, f"{metric}_standard_error", f"{metric}_confidence_interval"
        found = {
            name: entries if made is each else entries[0]
            for name, entries in zip(names, values, strict=True)
        }
        line = each[0].signature.partition("|class:")[0]
    return {**found, f"{metric}_signature": line} if return_signature else found


def signature(
    table: ContingencyTable,
    metric: str,
    *,
    average: Average | Literal["default"] = "default",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: Any = "warn",
    ignore_index: Label | None = None,
    interval: str | None = None,
) -> str:
    """Return all that decides a number in a line; two settings that can differ never share one.

    Examples
    --------
    >>> signature(ContingencyTable.from_labels(["a", "b"], ["a", "a"]), "nit")
    'nit|k:2|n:2|labels:observed|v:0.1.0'
    """
    names = [label for label in table.labels if label is not None]
    if average == "default":
        average = _AVERAGES.get(metric)
    parts = [metric]
    if metric in _AVERAGES:
        parts.append(f"avg:{str(average).lower()}")
    parts.append(f"k:{len(names)}")
    parts.append("n:?" if table.n_samples is None else f"n:{table.n_samples}")
    if table.counts.dtype.kind == "f":
        sums = [table.counts]
        if interval is not None and table.squared_weights is not None:
            sums.append(table.squared_weights)
        digest = _digest([[_rounded(x) for x in amounts.tolist()] for amounts in sums])
        parts.append(f"weight:{_rounded(table.total)},{digest}")
    parts.append(f"labels:{_digest(names)}" if table.declared else "labels:observed")
    if None in table.labels:
        parts.append("unknown:wrong")
    if ignore_index is not None:
        ignored = reading.read_column([ignore_index], "ignore_index").example()
        parts.append("ignore:" + ascii(ignored).replace("|", "\\x7c"))
    if prior is not None:
        shares = [(label, float(prior[label])) for label in names if label in prior]
        parts.append(f"prior:{prior_mode}-{_digest(shares)}")
    elif metric == "informedness":
        parts.append("prior:test")
    stand_in = {"informedness": 0.0, "markedness": 0.0, "nit": 1.0}.get(metric)
    if stand_in is not None and math.isnan(reading.check_zero_division(zero_division, stand_in)):
        parts.append("zero:nan")
    if interval is not None:
        parts.append(interval)
    return "|".join([*parts, f"v:{__version__}"])


def _rounded(amount: float) -> str:
    """Return 6 digits, the same in whatever order the amount was summed, also of 1234.565."""
    return f"{float(f'{amount:.12g}'):.6g}"


def _digest(values: Any) -> str:
    """Return eight hexadecimal digits that stand for the values and their order."""
    return hashlib.sha256(ascii(values).encode()).hexdigest()[:8]
