"""Define the interface of scores, the scores of hits and class totals, and their intervals.

Each score is an object that computes a number from a table. Reports, comparisons and figures use
only its interface. To add a score, write a subclass of one of the base classes below, and list an
instance in `REGISTRY`. The subclass must define the members listed with its base class:

    base class      members
    Score           name, title, exact_value, shortage, influences, interval_around
    ClassScore      name, title, exact_value, gradient
    EntropicScore   name, title, exact_value, signs, may_miss_classes, limits

Members with defaults, such as lowest, guessing_level, why_undefined, stand_in and averages, may be
overridden: see `Score`. docs/formulas.md has the formulas and the rules of intervals.

Cohen (1960), "A coefficient of agreement for nominal scales"; Gorodkin (2004),
"Comparing two K-category assignments by a K-category correlation coefficient".
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, NamedTuple, TypeAlias

import numpy as np

from ..core import scores
from ..core.labels import NAMES, Codes, Label, Numbers, check_choice, read_column, show, warn
from ..core.table import Classes, Table, labels_at, sum_by, sums_of_others
from ..warnings import IntervalWarning

Prior: TypeAlias = Mapping[Any, float] | None
Error: TypeAlias = float | None  # standard error for samples in groups; None without groups
FEW_SAMPLES = 50  # with fewer samples, each class should have at least five


class Interval(NamedTuple):
    """A score with its standard error and the ends of its confidence interval."""

    value: float
    standard_error: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def clip(self, lowest: float, highest: float) -> Interval:
        """Move the ends into the range from `lowest` to `highest`, but never past the value."""
        # max and min return the first argument if it is nan, so this order keeps nan
        low, high = max(self.low, lowest), min(self.high, highest)
        return self._replace(low=min(low, self.value), high=max(high, self.value))


def check_level(level: Any) -> None:
    """Raise ValueError unless a confidence level is a number between 0 and 1."""
    # (1 + level) / 2 must be below 1 after rounding, because `normal_quantile` fails for 1
    if not isinstance(level, (int, float, np.floating)) or not (level > 0 and 1 + level < 2):
        rule = "must be between 0 and 1, for example 0.95"
        raise ValueError(f"`confidence_level` {rule}, got {show(level)}")


def normal_quantile(level: float) -> float:
    """Compute z such that a standard normal variable is between -z and z with this probability."""
    from statistics import NormalDist  # deferred, because it imports many modules

    return NormalDist().inv_cdf((1 + level) / 2)


def squared_weights(table: Table) -> Numbers:
    """Get the sum of squared weights of each cell; without weights, it is the number of samples.

    Raises
    ------
    ValueError
        If the table has sums of weights without squared weights, or if a sum of squared weights is
        0 or not finite.
    """
    squares = table.squared_weights if table.is_weighted else table.counts
    if squares is None or not (0 < squares.min() <= squares.sum(dtype=np.float64) < math.inf):
        remedy = "Count labels with weights between 1e-150 and 1e150, or pass `squared_weights`."
        raise ValueError(f"`table` must hold squared weights for a standard error. {remedy}")
    return squares.astype(np.float64)


def has_standard_errors(table: Table) -> bool:
    """Check whether standard errors can be computed: weights must come with their squares."""
    return not table.is_weighted or table.squared_weights is not None


def effective_sample_size(table: Table) -> float:
    """Compute (sum w)^2 / sum w^2, which without weights is the number of samples."""
    total = float(table.total)
    return total * (total / float(squared_weights(table).sum()))  # total**2 may overflow


def with_prior(table: Table, prior: Prior) -> Table:
    """Reweight the references of a table to a prior, unless it is None."""
    return table if prior is None else scores.reweight(table, scores.read_prior(prior, table))


# Signatures


def signature_of(
    name: str,
    table: Table,
    *,
    average: str | None = "",
    prior: Prior = None,
    prior_mode: str = "",
    zero_division: scores.ZeroDivision = "warn",
    ignore_index: Label | None = None,
    interval: str | None = None,
    version: str = scores.__version__,
) -> str:
    """Record the options of a score in a line, such as 'nit|k:2|n:2|labels:observed|v:0.1.0'.

    `average` and `prior_mode` are empty for a score that does not have the option. For several
    scores, the average "default" means the default average of each score. `interval` has the
    confidence level and the number of groups, as in "groups:8|ci:0.95". A metric module from
    another version of the package passes its own `version`.
    """
    classes = [label for label in table.labels if label is not None]
    total = float(f"{table.total:.12g}")  # rounded, to be the same in any order of summing
    ignored = "" if ignore_index is None else ascii(read_column([ignore_index], "").example())
    prior_part = "prior:none" if prior_mode else ""
    if prior is not None:
        shares = scores.shares_of(prior)
        class_shares = [(label, shares[label]) for label in classes if label in shares]
        prior_part = f"prior:{prior_mode}-{_digest(class_shares)}"
    parts = [
        name,
        "" if average in ("", "default") else f"avg:{str(average).lower()}",
        f"k:{table.n_classes}",
        f"n:{'?' if table.n_samples is None else table.n_samples}",
        f"weight:{total:.6g}" if table.is_weighted else "",
        f"labels:{_digest(classes) if table.is_declared else 'observed'}",
        "unknown:wrong" if None in table.labels else "",
        "ignore:" + ignored.replace("|", "\\x7c") if ignored else "",
        prior_part,
        "zero:nan" if zero_division != zero_division else "",  # true only for nan
        interval,
        f"v:{version}",
    ]
    return "|".join(part for part in parts if part)


def _digest(values: Sequence[Any]) -> str:
    """Hash a sequence of values to eight hexadecimal digits."""
    return sha256(ascii(values).encode()).hexdigest()[:8]


# Scores


@dataclass(frozen=True)
class Score:
    """Base class of scores, which compute a value and an interval from a contingency table.

    Attributes
    ----------
    lowest, highest : float
        The ends of the range of the score.
    averages : tuple
        Allowed values of `average`, with the default first.
    prior_modes : tuple of str
        Values allowed for `prior_mode`.
    undefined_margins : tuple of {"references", "predictions"}
        The margins in which a single class makes the score undefined.
    stand_in : float
        The value returned by default if the score is undefined.
    is_label_sensitive : bool
        Whether the score changes if the predicted classes are renamed consistently. If not, groups
        need a design effect per cell, instead of one per row.
    allows_unknown : bool
        Whether the score allows unknown="wrong".
    mark_meaning : str
        Meaning of the mark that a value with a `caution` gets: * in reports and ^ elsewhere.
    average : {"bias", "prevalence", "macro", None, ""}
        Weights of the classes. None gives one value per class. Empty for a score without averages.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0
    averages: ClassVar[tuple[scores.Average, ...]] = ()
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight",)
    undefined_margins: ClassVar[tuple[str, ...]] = ()
    stand_in: ClassVar[float] = 0.0
    is_label_sensitive: ClassVar[bool] = True
    allows_unknown: ClassVar[bool] = True
    mark_meaning: ClassVar[str] = ""

    average: Any = ""

    def with_average(self, average: Any) -> Score:
        """Return the score with another average; raise ValueError if it is not allowed."""
        if not self.averages:
            raise ValueError(f"`average` must be left out for {self.name!r}, got {show(average)}")
        check_choice("average", average, self.averages)
        return self if average == self.average else replace(self, average=average)

    def orient(self, table: Table) -> tuple[Score, Table]:
        """Find the score and the table that the value is computed from.

        Markedness, for example, is Informedness of the transposed table.
        """
        return self, table

    def class_labels(self, table: Table) -> list[Any]:
        """List the classes that have a value each if `average` is None."""
        _, table = self.orient(table)
        return labels_at(table, table.is_class)

    def guessing_level(self, table: Table) -> float:
        """Compute the mean score of the best guesser in large samples.

        It does not depend on the predictions in `table`, which need not be guesses.
        """
        return 0.0

    def best_level(self, table: Table) -> float:
        """Compute the score of perfect predictions of the same references, if it is defined."""
        return self.highest

    def contains_guessing(self, table: Table, low: float, high: float) -> bool:
        """Check whether an interval contains the guessing level."""
        return low - 1e-12 <= self.guessing_level(table) <= high

    def why_undefined(self, table: Table) -> str:
        """Explain why the score is undefined for this table; "" if it is defined."""
        totals = {"references": table.reference_totals, "predictions": table.prediction_totals}
        options = self.title, self.stand_in, table
        reasons = (scores.why_one_class(*options, totals[x], x) for x in self.undefined_margins)
        return next(filter(None, reasons), "")

    def needs_another_class(self, table: Table) -> bool:
        """Check whether there is no interval because all references are of one class."""
        return np.count_nonzero(table.reference_totals) == 1

    def exact_value(self, table: Any) -> Any:
        """Apply the formula to a table, for which the score must be defined.

        A `ClassScore` also takes `ClassSums`.
        """
        raise NotImplementedError

    def clipped_value(self, table: Table) -> Any:
        """Compute the value of a table whose score is defined, clipped to the range of the score.

        Without clipping, rounding errors could move it out of the range. A list of values per class
        is not clipped.
        """
        score, table = self.orient(table)
        exact = np.asarray(score.exact_value(table)).tolist()
        return exact if isinstance(exact, list) else min(max(exact, self.lowest), self.highest)

    def value(self, table: Table, *, prior: Prior = None, zero_division: Any = "warn") -> Any:
        """Compute the score of a table; if `average` is None, a list with one value per class.

        By default, an undefined score has the value `stand_in`. Only Informedness, markedness and
        NIT use `zero_division`, and warn if they are undefined.
        """
        scored = with_prior(table, prior)
        return self.stand_in if self.why_undefined(scored) else self.clipped_value(scored)

    def value_or_nan(self, table: Table) -> float:
        """Compute the score of a table without a warning; nan if it is undefined."""
        return math.nan if self.why_undefined(table) else float(self.clipped_value(table))

    def caution(self, table: Table, value: float) -> str:
        """Explain why a value may be misleading; "" without a known reason."""
        return ""

    def signature(self, table: Table, **options: Any) -> str:
        """Record the options that affect the score in a line."""
        takes_mode = len(self.prior_modes) > 1 or options.get("prior") is not None
        options.setdefault("prior_mode", "reweight" if takes_mode else "")
        return signature_of(self.name, table, average=self.average, **options)

    # Intervals

    def require_interval(self, prior: Prior = None) -> Score:
        """Return this score, or raise ValueError if it has no interval with this prior."""
        if prior is not None:
            average = " with average=None" if self.average is None else ""
            raise ValueError(f"`prior` must be left out for an interval of {self.name!r}{average}")
        return self

    def shortage(self, table: Table, prior: Prior = None) -> str:
        """Describe a lack of samples for an interval; "" if there are enough samples."""
        raise NotImplementedError

    def caveat(self, table: Table, prior: Prior = None) -> str:
        """Explain why the interval may have low coverage; "" without a known reason."""
        return self.shortage(table, prior)

    def interval(
        self, table: Table, level: float, prior: Prior = None, error: Error = None
    ) -> Interval:
        """Compute the score of a table and its confidence interval.

        Pass the standard error as `error` if samples are in groups. The ends are nan if the score
        is undefined, or if `needs_another_class`. They are also nan if a class has too few
        references for the prior, or if too many classes may be missing from the samples.

        Raises
        ------
        ValueError
            If the prior is not valid, or if the table has sums of weights but no squared weights.
        """
        squared_weights(table)  # raises if they are missing
        score, table = self.orient(table)
        scored = with_prior(table, prior)
        if score.why_undefined(scored):
            return Interval(score.stand_in)
        if score.needs_another_class(table):
            return Interval(score.clipped_value(scored))
        return score.interval_around(table, scored, level, error).clip(self.lowest, self.highest)

    def interval_around(self, table: Table, scored: Table, level: float, error: Error) -> Interval:
        """Compute the interval of a defined score; its ends may be outside the range.

        `scored` is `table` itself, or the table after its references are reweighted to a prior.
        """
        raise NotImplementedError

    def influences(self, table: Table) -> tuple[Numbers, Numbers]:
        """Compute the influence of a sample in each cell, and bounds for one additional sample.

        The first is the derivative with respect to the share of the cell, up to an additive
        constant. The second estimates, for each cell, the largest N times the change of the score
        by one more sample with this reference. It holds for many samples; a class that has not
        occurred may change the score more.
        """
        raise NotImplementedError

    def sampling_bias(self, table: Table) -> tuple[float, float]:
        """Estimate the bias of the score in samples, and the variance of this estimate."""
        return 0.0, 0.0


# Shortages


def fewest_references(table: Table) -> float:
    """Compute the effective number of references of the rarest class that has references."""
    r = table.reference_totals.astype(np.float64)
    squares = sum_by(table.rows, squared_weights(table), len(r))
    return float((r[r > 0] ** 2 / squares[r > 0]).min())


def shortage_message(number: float, least: float, unit: str, qualifier: str = "") -> str:
    """Describe a lack of samples, with the recommended number; "" if there are enough.

    The number is effective, so weights may make it fractional. The qualifier follows the unit, as
    in "3 references of the rarest class".
    """
    if number >= least - 1e-6:
        return ""
    number_text, least_text = (f"{n:,.0f}" if n >= 1000 else f"{n:.4g}" for n in (number, least))
    units = unit if number_text == "1" else f"{unit}s"
    if "." in number_text:
        units = f"effective {units}"
    return f"{number_text} {units}{qualifier}, fewer than the recommended {least_text}"


def minority_shortage(table: Table, unit: str = "reference") -> str:
    """Describe a lack of samples outside the largest class; "" if there are at least five."""
    share = float(table.reference_totals.max()) / float(table.total)
    n_others = effective_sample_size(table) * (1 - share)
    return shortage_message(n_others, 5, unit, " outside the largest class")


def rarest_class_shortage(table: Table, unit: str = "reference", least: float = FEW_SAMPLES) -> str:
    """Describe a lack of samples of the rarest class.

    Return "" if this class has at least five samples, or the table at least `least` samples.
    """
    if effective_sample_size(table) >= least - 1e-6:
        return ""
    return shortage_message(fewest_references(table), 5, unit, " of the rarest class")


def warn_of_caveats(caveats: Iterable[tuple[str, str, bool]]) -> None:
    """Warn that intervals are missing or may have low coverage.

    Each caveat has the name of a score, the reason (empty for no warning), and whether the interval
    is missing. Scores with the same reason share a warning.
    """
    names_by_reason: dict[tuple[str, bool], list[str]] = {}
    for name, reason, is_missing in caveats:
        if reason:
            names_by_reason.setdefault((reason, is_missing), []).append(name)
    for (reason, is_missing), names in names_by_reason.items():
        subject = ", ".join(dict.fromkeys(names))
        text = f"there is no interval of {subject}"
        if not is_missing:
            words = ("intervals", "they say") if len(names) > 1 else ("interval", "it says")
            text = f"the {words[0]} of {subject} may cover the truth less often than {words[1]}"
        warn(f"{text}: {reason}", IntervalWarning)


# Scores computed from the hits and totals of classes


@dataclass
class ClassSums:
    """Sums of cells by class, with the attribute names of a `Table`.

    They may be the sums of n tables at once, so that a formula gives n scores. Arrays then have the
    shape (k, n) instead of (k,), and `total` has the shape (n,).
    """

    labels: Classes
    hits: Numbers
    reference_totals: Numbers
    prediction_totals: Numbers
    total: Any
    out_of_class_totals: Any = 0.0
    is_class: Any = np.True_
    distributed_false_positives = Table.distributed_false_positives

    def __post_init__(self) -> None:
        self.false_positives = self.prediction_totals - self.hits
        self.other_references = self.total - self.reference_totals


Sums: TypeAlias = Table | ClassSums


def transpose(sums: Any) -> Any:
    """Swap references and predictions; all labels of a table become classes."""
    if isinstance(sums, ClassSums):
        r, c = sums.reference_totals, sums.prediction_totals
        return replace(sums, reference_totals=c, prediction_totals=r)
    class_mask = np.ones(len(sums.labels), dtype=bool)
    return replace(sums, rows=sums.columns, columns=sums.rows, class_mask=class_mask)


def ratio_or_nan(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Divide elementwise; the result is nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


def ratio_or_zero(numerator: Any, denominator: Numbers) -> Numbers:
    """Divide elementwise; the result is 0 where the denominator is 0."""
    return np.where(denominator > 0, ratio_or_nan(numerator, denominator), 0.0)


def deviations(values: Numbers, mean: Any, scale: Numbers) -> Numbers:
    """Subtract a mean from values, and replace differences that are rounding errors by 0.

    Differences of at most 1e-14 of the scale count as rounding errors. Without this, the
    standard error of a constant predictor would be 1e-17 instead of 0.
    """
    differences = values - mean
    return np.where(np.abs(differences) > 1e-14 * scale, differences, 0.0)


class Gradient(NamedTuple):
    """Derivatives a_i + b_j + u_i [i = j] of a score with respect to the cell shares p_ij.

    If `m` is not None, the score distributes out-of-class predictions over the classes. The
    derivative with respect to their share for references of class i is then a_i + m_i.
    """

    a: Numbers
    b: Numbers
    u: Numbers
    m: Numbers | None = None

    def cell_slopes(self, table: Table) -> Numbers:
        """Compute the derivative with respect to the share of each cell."""
        i, j = table.rows, table.columns
        b = self.b[j] if self.m is None else np.where(table.is_class[j], self.b[j], self.m[i])
        return self.a[i] + b + self.u[i] * (i == j)

    def slope_ranges(self, table: Table) -> tuple[Numbers, Numbers]:
        """Find the minimum and maximum of b_j + u_i [i = j] over the columns j, for each row i.

        The range of the classes contains m_i, because m_i is a mean of b_j over the other classes.
        """
        b = np.where(table.is_class | (self.m is None), self.b, np.nan)  # nan sorts last
        lowest, highest = minima_of_others(b), -minima_of_others(-b)
        return np.fmin(lowest, b + self.u), np.fmax(highest, b + self.u)


def minima_of_others(values: Numbers) -> Numbers:
    """Find the minimum of all other values, for each value; a single value stays unchanged."""
    least, second = np.argsort(values)[[0, min(1, len(values) - 1)]]
    return np.where(np.arange(len(values)) == least, values[second], values[least])


class ClassScore(Score):
    """A score computed from the hits and the totals of the classes."""

    def gradient(self, table: Table) -> Gradient:
        """Compute the derivatives of the score with respect to the shares of the cells."""
        raise NotImplementedError

    def influences(self, table: Table) -> tuple[Numbers, Numbers]:
        gradient = self.gradient(table)
        lowest, highest = gradient.slope_ranges(table)
        return gradient.cell_slopes(table), (highest - lowest)[table.rows]

    def shortage(self, table: Table, prior: Prior = None) -> str:
        scored, table = self.orient(table)
        unit = "reference" if scored is self else "prediction"
        # with average=None or a prior, each class needs enough samples, also in large tables
        least = FEW_SAMPLES if prior is None and self.average is not None else math.inf
        return minority_shortage(table, unit) or rarest_class_shortage(table, unit, least)

    def interval_around(self, table: Table, scored: Table, level: float, error: Error) -> Interval:
        rows = row_means(table, scored, self.gradient(scored), error)
        below, above = margins_of_error(rows, level)
        lowest = highest = value = self.clipped_value(scored)
        if scored is table:
            lowest, highest = self._absent_class_bounds(table, value, level)
        elif fewest_references(table) < 3 - 1e-6:
            lowest = highest = math.nan
        excess = _excess_of_bias_average(table, scored) if self.average == "bias" else 0.0
        low, high = lowest - float(below) - excess, highest + float(above) - excess
        return Interval(value, float(rows.error), low, high)

    def _absent_class_bounds(self, table: Table, value: float, level: float) -> tuple[float, float]:
        """Bound the score that would result if classes without references had samples.

        Such classes are declared, or are out-of-class labels, which may be classes of the task.
        Together they are assumed to have z^2 unobserved samples, but at most a quarter of the
        number of samples. These are either all correct or all wrong.
        """
        is_label = np.array([label is not None for label in table.labels])
        r, c, n = table.reference_totals, table.prediction_totals, table.total
        is_absent = is_label & (table.is_class | (c > 0)) & (r == 0)
        if not is_absent.any():
            return value, value
        extended = replace(table, class_mask=table.is_class | is_absent)
        unit = float(n) / effective_sample_size(table)
        # more than a quarter of the samples would dominate scores of few samples at high levels
        missed = min(normal_quantile(level) ** 2 * unit, float(n) / 4)
        extra = np.where(is_absent, missed / np.count_nonzero(is_absent), 0.0)
        ends = [value]
        for hits in (0, extra):
            sums = table.hits + hits, r + extra, c + hits, n
            classes = extended.out_of_class_totals, extended.is_class
            ends.append(float(self.exact_value(ClassSums(table.labels, *sums, *classes))))
        return min(ends), max(ends)


# The usual scores


class Accuracy(ClassScore):
    """Share of correct predictions, in [0, 1].

    The best guesser always predicts the most frequent class.
    """

    name = "accuracy"
    title = "Accuracy"

    def guessing_level(self, table: Table) -> float:
        return float(table.reference_totals.max() / table.total)

    def needs_another_class(self, table: Table) -> bool:
        return False  # models may differ in accuracy even with one class

    def shortage(self, table: Table, prior: Prior = None) -> str:
        return ""

    def exact_value(self, table: Sums) -> Numbers:
        return np.asarray(table.hits.sum(axis=0) / table.total)

    def gradient(self, table: Table) -> Gradient:
        zero = np.zeros(len(table.labels))
        return Gradient(zero, zero, zero + 1)


class BalancedAccuracy(ClassScore):
    """Mean recall of the m classes in the references, in [0, 1]. Guessing these scores 1/m."""

    name = "balanced_accuracy"
    title = "Balanced accuracy"

    def guessing_level(self, table: Table) -> float:
        return 1 / int(np.count_nonzero(table.reference_totals))

    def exact_value(self, table: Sums) -> Numbers:
        r = table.reference_totals
        return np.asarray(ratio_or_zero(table.hits, r).sum(axis=0) / np.count_nonzero(r, axis=0))

    def gradient(self, table: Table) -> Gradient:
        r = table.reference_totals
        u = ratio_or_zero(1 / np.count_nonzero(r), r / table.total)
        return Gradient(-u * ratio_or_zero(table.hits, r), np.zeros_like(u), u)


class F1Macro(ClassScore):
    """Mean F1 = 2h/(r + c) of the labels that occur, except None, in [0, 1].

    The best guesser of m classes scores 1/m, and predicts each class with its prevalence. The
    reason is that the mean of 2 pi q / (pi + q) is concave in the shares q of the predictions, and
    its slopes are equal at q = pi.
    """

    name = "f1_macro"
    title = "F1-macro"
    guessing_level = BalancedAccuracy.guessing_level

    def shortage(self, table: Table, prior: Prior = None) -> str:
        r = table.reference_totals * (effective_sample_size(table) / float(table.total))
        n_rare, n_present = np.count_nonzero((r > 0) & (r < 5 - 1e-6)), np.count_nonzero(r)
        if (reason := super().shortage(table, prior)) or 2 * n_rare <= n_present:
            return reason
        return f"more than half of the classes ({n_rare}/{n_present}) have fewer than 5 references"

    def exact_value(self, table: Sums) -> Numbers:
        f1 = ratio_or_zero(2 * (table.hits / table.total), _prevalence_plus_bias(table))
        return np.asarray(f1.sum(axis=0) / _count_occurring(table))

    def gradient(self, table: Table) -> Gradient:
        u = ratio_or_zero(2 / _count_occurring(table), _prevalence_plus_bias(table))
        slope = -u * ratio_or_zero(table.hits / table.total, _prevalence_plus_bias(table))
        return Gradient(slope, slope, u)


def _prevalence_plus_bias(table: Sums) -> Numbers:
    """Add the prevalence and the bias of each class; sums of counts could overflow."""
    return table.reference_totals / table.total + table.prediction_totals / table.total


def _count_occurring(table: Sums) -> Any:
    """Count the labels that have references or predictions, except None."""
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    return np.count_nonzero(occur[: len(table.labels) - (table.labels[-1] is None)], axis=0)


class CohenKappa(ClassScore):
    """Kappa = (p_o - p_e)/(1 - p_e), in [-1, 1]. Guessing scores 0. It is nan if p_e is 1."""

    name = "cohen_kappa"
    title = "Cohen's kappa"
    lowest = -1.0
    stand_in = math.nan

    def why_undefined(self, table: Table) -> str:
        is_one_cell = len(table.rows) == 1 and table.rows[0] == table.columns[0]
        return "all references and predictions are of one class" if is_one_cell else ""

    def exact_value(self, table: Sums) -> Numbers:
        # computed from error rates, because 1 - p_e would lose digits if one class is large
        return 1 - ratio_or_nan(_error_rate(table), _expected_error_rate(table))

    def gradient(self, table: Table) -> Gradient:
        """Compute the derivatives of 1 - wrong/expected, where both are error rates.

        With respect to p_ij, the derivative of `wrong` is -[i = j], and that of `expected` is
        -(beta_i + pi_j).
        """
        wrong, expected = _error_rate(table), _expected_error_rate(table)
        margins = table.prediction_totals, table.reference_totals
        a, b = (-wrong / expected**2 * (margin / table.total) for margin in margins)
        return Gradient(a, b, np.zeros_like(a) + 1 / expected)


class MatthewsCorrelation(ClassScore):
    """The R_k correlation, in [-1, 1]. Guessing and margins with a single class score 0."""

    name = "matthews_corrcoef"
    title = "MCC"
    lowest = -1.0
    undefined_margins = ("references", "predictions")

    def exact_value(self, table: Sums) -> Numbers:
        (gain, s), (same_gain, t) = map(_gain_and_variance, (table, transpose(table)))
        # the gains are equal, but that of the margin with less variance has less rounding error
        return ratio_or_nan(np.where(s <= t, gain, same_gain), np.sqrt(s * t))

    def gradient(self, table: Table) -> Gradient:
        pi, beta = table.reference_totals / table.total, table.prediction_totals / table.total
        s, t = (pi * (1 - pi)).sum(), (beta * (1 - beta)).sum()
        root = np.sqrt(s * t)
        mcc = (_expected_error_rate(table) - _error_rate(table)) / root
        a, b = mcc * pi / s - beta / root, mcc * beta / t - pi / root
        return Gradient(a, b, np.zeros_like(a) + 1 / root)


def _gain_and_variance(table: Sums) -> tuple[Numbers, Numbers]:
    """Sum p_cc - pi_c beta_c, and pi_c (1 - pi_c), over the classes c.

    The first sum is computed as pi_c (1 - pi_c) (TPR_c - FPR_c), which avoids cancellation.
    """
    variances = table.reference_totals / table.total * (table.other_references / table.total)
    gains = variances * scores.class_gains(table, table.false_positives)
    return gains.sum(axis=0), variances.sum(axis=0)


def _error_rate(table: Sums) -> Numbers:
    """Compute the share of wrong predictions, 1 - p_o."""
    return np.asarray(table.false_positives.sum(axis=0) / table.total)


def _expected_error_rate(table: Sums) -> Numbers:
    """Compute the share of wrong predictions if predictions were independent, 1 - p_e."""
    bias, others = table.prediction_totals / table.total, table.other_references / table.total
    return np.asarray((bias * others).sum(axis=0))


# Informedness


class Informedness(ClassScore):
    """Multi-class Bookmaker Informedness. Perfect predictions score 1, guessing scores 0."""

    name = "informedness"
    title = "Informedness"
    lowest = -1.0
    averages = ("bias", "prevalence", "macro", None)
    prior_modes = ("reweight", "odds")
    mark_meaning = "above accuracy, so it is not a share of the predictions"
    undefined_margins = ("references",)

    def value(self, table: Table, **options: Any) -> Any:
        return scores.informedness(table, average=self.average, **options)

    def require_interval(self, prior: Prior = None) -> Score:
        return super().require_interval(None if self.average else prior)

    def exact_value(self, table: Sums) -> Numbers:
        gains = scores.class_gains(table)
        if self.average is None:
            return gains[table.is_class]
        weights = scores.class_weights(str(self.average), table)
        return np.asarray((weights * gains).sum(axis=0))

    def gradient(self, table: Table) -> Gradient:
        """Compute the derivatives, with V = pi (1 - pi).

        The derivatives of J_c = (p_cc - pi_c beta_c) / V_c are 1/V_c with respect to p_cc,
        -pi_c/V_c with respect to beta_c, and -(beta_c + (1 - 2 pi_c) J_c) / V_c with respect to
        pi_c. The class weights pi or beta also depend on the shares. An out-of-class prediction for
        class i adds pi_c / (1 - pi_i) to beta_c of each other class c. This amount depends on pi_c
        and pi_i.
        """
        pi = table.reference_totals / table.total
        beta = (table.hits + table.distributed_false_positives) / table.total
        gains = scores.class_gains(table)
        u = ratio_or_zero(scores.class_weights(str(self.average), table), pi * (1 - pi))
        a, b = -u * (beta + (1 - 2 * pi) * gains), -u * pi
        if self.average == "prevalence":
            a = a + gains
        elif self.average == "bias":
            b = b + gains
        others = table.other_references / table.total
        e = ratio_or_zero(table.out_of_class_totals / table.total, others)
        m = ratio_or_zero(sums_of_others(pi * b), others)
        return Gradient(a + b * sums_of_others(e) + e * m, b, u, m)

    def caution(self, table: Table, value: float) -> str:
        may_exceed = self.average == "bias" and not self.needs_another_class(table)
        return scores.why_above_accuracy(table, value, table) if may_exceed else ""


def _excess_of_bias_average(table: Table, scored: Table) -> float:
    """Estimate by how much Informedness with average="bias" is too high in samples.

    If the references are fixed, the expected excess over the population value is
    sum_c [V_cc / r_c - sum_(i != c) V_ic / (N - r_c)] / N. V_ic is the variance of n_ic, estimated
    by n (1 - n/r) r/(r - 1). For a class with one reference, the variance is estimated from the
    accuracy. If a model knows the share x of each of k classes, the excess is about
    x (1 - x) (k - 2) / N, which with 5,000 samples of 1,000 even classes may exceed the interval.
    """
    i, j, r = table.rows, table.columns, table.reference_totals.astype(np.float64)
    squares = sum_by(i, squared_weights(table), len(r))
    size = ratio_or_zero(r**2, squares)
    squares = squares * ratio_or_zero(scored.reference_totals, r) ** 2
    totals, n = scored.reference_totals.astype(np.float64), float(scored.total)
    hit_gain, error_gain = ratio_or_zero(1.0, totals), ratio_or_zero(1.0, n - totals)

    has_several = size > 1.5
    share = table.counts / r[i]
    variances = share * (1 - share) * ratio_or_zero(size, size - 1)[i]
    gains = np.where(i == j, hit_gain[i], -error_gain[j]) * (totals[j] > 0)
    excess = (squares[i] * variances * gains)[has_several[i]].sum()

    accuracy = float(table.hits.sum()) / float(table.total)
    has_one = (size > 0) & ~has_several
    excess += accuracy * (1 - accuracy) * (squares * (hit_gain - error_gain))[has_one].sum()
    return float(excess) / n


class Markedness(ClassScore):
    """Mean of M_c = precision_c + NPV_c - 1 over the classes c, with weights pi_c by default.

    Perfect predictions score 1, guessing scores 0. `average` refers to the margins of the table,
    not of its transpose (Powers 2003, 2011).
    """

    name = "markedness"
    title = "Markedness"
    lowest = -1.0
    allows_unknown = False
    averages = ("prevalence", "bias", "macro", None)
    undefined_margins = ("predictions",)

    def orient(self, table: Table) -> tuple[ClassScore, Table]:
        swapped = {"bias": "prevalence", "prevalence": "bias"}
        if table.labels[-1] is None:
            raise ValueError('`unknown` must be "error" for a table that is scored by markedness')
        return Informedness(swapped.get(self.average, self.average)), transpose(table)

    def gradient(self, table: Table) -> Gradient:
        score, swapped = self.orient(table)
        a, b, u, _ = score.gradient(swapped)
        return Gradient(b, a, u)

    def value(self, table: Table, *, prior: Prior = None, zero_division: Any = "warn") -> Any:
        scores.check_zero_division(zero_division, self.stand_in)
        scored = with_prior(table, prior)
        if table.n_samples != 1:
            swapped = self.orient(scored)[1]
            scores.warn_of_absent(self.title, swapped, NAMES[::-1], swapped, None)
        reason = self.why_undefined(scored)
        undefined = scores.value_if_undefined(reason, self.stand_in, zero_division, table)
        if undefined is None:
            return self.clipped_value(scored)
        class_values = np.where(scored.prediction_totals > 0, undefined, 0.0)
        return class_values.tolist() if self.average is None else undefined


# Intervals


class RowMeans(NamedTuple):
    """A score as a weighted sum of means, one for each row of a table.

    The means of different rows have independent errors. The rows are the first axis of each array,
    except `error`, which has no axis for them.
    """

    share: Numbers  # weight of the row's mean in the score
    size: Numbers  # effective number of samples of the row
    least_size: Numbers  # effective number of samples if all had the largest weight
    variance: Numbers  # variance of the value of one sample
    below: Numbers  # distance from the mean down to the smallest possible value of a sample
    above: Numbers  # distance from the mean up to the largest possible value of a sample
    error: Numbers  # standard error of the score


def margins_of_error(rows: RowMeans, level: float) -> tuple[Numbers, Numbers]:
    """Compute the margins of error below and above the score.

    The Wilson margins of the rows are combined in quadrature. The result is at least z standard
    errors. It is at most the margin that would result if every row had the largest error that any
    row can have.
    """
    z = normal_quantile(level)
    span = rows.below + rows.above
    position = ratio_or_zero((rows.share * rows.below).sum(axis=0), (rows.share * span).sum(axis=0))
    # if one more sample of a row had the smallest or the largest possible value
    unseen_variance = position * (1 - position) * (span / rows.size) ** 2
    variance_of_mean = rows.variance / rows.size + unseen_variance
    error = np.sqrt(rows.error**2 + (rows.share**2 * unseen_variance).sum(axis=0))

    def margin(distance: Numbers) -> Numbers:
        margins = rows.share * wilson_margin(distance, variance_of_mean, rows.least_size, z)
        combined = np.sqrt((margins**2).sum(axis=0))
        limit = margin_of_error(z, error**2, (rows.share * distance / rows.least_size).max(axis=0))
        return np.maximum(np.minimum(combined, limit), z * error)

    return margin(rows.below), margin(rows.above)


def margin_of_error(z: float, variance: Any, slope: Any) -> Any:
    """Compute a margin of error x if the variance grows with it: x^2 = z^2 (variance + slope x)."""
    half = z**2 * slope / 2
    return half + np.sqrt(half**2 + z**2 * np.maximum(variance, 0))


def wilson_margin(distance: Numbers, variance: Numbers, size: Numbers, z: float) -> Numbers:
    """Compute the Wilson margin of error of a mean at a distance d from the bound of the values.

    It is the solution x of x^2 = z^2 (1 - x/d)(variance + x d / size).
    """
    d = np.maximum(distance, 1e-99)
    curvature = 1 + z**2 / size
    linear = z**2 * (d / size - variance / d)
    root = np.sqrt(linear**2 + 4 * curvature * z**2 * variance)
    # the larger root of the quadratic equation, computed without cancellation
    larger_root = (linear + root) / (2 * curvature)
    return np.where(linear > 0, larger_root, ratio_or_zero(2 * z**2 * variance, root - linear))


def wilson_intervals(table: Table, codes: Codes, level: float) -> list[tuple[float, float]]:
    """Compute Wilson intervals of the recall or the precision of each class; nan without samples.

    For recall, `codes` are the rows of the cells; for precision, they are the columns.
    """
    k = len(table.labels)
    totals = sum_by(codes, table.counts.astype(np.float64), k)
    size = totals * ratio_or_nan(totals, sum_by(codes, squared_weights(table), k))
    share = ratio_or_nan(table.hits, totals)
    options = share * (1 - share) / size, size, normal_quantile(level)
    ends = share - wilson_margin(share, *options), share + wilson_margin(1 - share, *options)
    return list(zip(*(end.clip(0, 1)[table.is_class].tolist() for end in ends), strict=True))


def row_means(table: Table, scored: Table, gradient: Gradient, error: Error) -> RowMeans:
    """Express a score by the means of its gradient in the rows that have references.

    `scored` is `table` itself, or the table after its rows are reweighted to a prior. After
    reweighting, the totals of the rows are fixed and do not add to the error.
    """
    i, j, k = table.rows, table.columns, len(table.labels)
    counts, squares = table.counts, squared_weights(table)
    totals, squared_totals = table.reference_totals.astype(np.float64), sum_by(i, squares, k)
    shares = scored.reference_totals / scored.total
    weights = ratio_or_nan(shares, totals)[i]  # weight of a sample in the score
    slopes = gradient.cell_slopes(scored)

    a, b, u, _ = gradient
    row_scales = np.abs(a) + np.abs(b).max() + np.abs(u)
    scales = row_scales[i]
    means = ratio_or_nan(sum_by(i, counts * slopes, k), totals)
    row_deviations = all_deviations = deviations(slopes, means[i], scales)
    if scored is table:
        overall = (counts * (weights * slopes)).sum()
        all_deviations = deviations(slopes, overall, scales + (counts * (weights * scales)).sum())

    own_error = np.sqrt((squares * (weights * all_deviations) ** 2).sum())
    lowest, highest = gradient.slope_ranges(scored)
    column_weights = ratio_or_zero(sum_by(j, squares, k), table.prediction_totals)
    heaviest = np.maximum(ratio_or_zero(squared_totals, totals), column_weights.max())
    is_present = totals > 0
    return RowMeans(
        share=shares[is_present],
        size=(totals**2)[is_present] / squared_totals[is_present],
        least_size=(totals / heaviest)[is_present],
        variance=sum_by(i, squares * row_deviations**2, k)[is_present] / squared_totals[is_present],
        below=deviations(means, a + lowest, row_scales)[is_present],
        above=deviations(a + highest, means, row_scales)[is_present],
        error=own_error if error is None else np.asarray(error),
    )


def intervals_by_class(table: Table, level: float) -> list[Interval]:
    """Compute the interval of TPR - FPR of each class; its ends are nan if a rate is undefined."""
    # without cells, a difference of sums of weights may be a rounding error instead of 0
    has_cells = _sums_by_outcome(table, np.ones(len(table.rows))) > 1e-9
    counts = np.where(has_cells, _sums_by_outcome(table, table.counts), 0.0)
    squares = np.where(has_cells, _sums_by_outcome(table, squared_weights(table)), 0.0)
    totals = counts.sum(axis=1)
    mean = ratio_or_nan(counts[:, 0], totals)
    outcome_deviations = np.stack([1 - mean, -mean], axis=1)
    variance = ratio_or_nan((squares * outcome_deviations**2).sum(axis=1), squares.sum(axis=1))
    size = totals * ratio_or_nan(totals, squares.sum(axis=1))
    heaviest = ratio_or_zero(squares, counts).max(axis=(0, 1))
    least_size = np.where(totals > 0, totals / heaviest, np.nan)
    error = np.sqrt((variance / size).sum(axis=0))
    rows = RowMeans(np.ones_like(totals), size, least_size, variance, mean, 1 - mean, error)
    below, above = margins_of_error(rows, level)

    gains = scores.class_gains(table)
    ends = np.stack([gains, error, gains - below, gains + above], axis=1)[table.is_class]
    return [Interval(*row).clip(-1.0, 1.0) for row in ends.tolist()]


def _sums_by_outcome(table: Table, amounts: Numbers) -> Numbers:
    """Sum amounts by class into [[hits, misses], [true negatives, false positives]]."""
    sums = replace(table, counts=amounts, class_mask=table.is_class)
    misses = transpose(sums).false_positives
    shares = ratio_or_zero(sums.out_of_class_totals, table.other_references)
    fp = sums.false_positives + table.reference_totals * sums_of_others(shares)
    return np.array([[sums.hits, misses], [amounts.sum() - sums.hits - misses - fp, fp]])


def rates_by_class(table: Table, level: float | None = None) -> list[dict[str, Any]]:
    """List the label, support and rates of each class.

    With a level, also list the standard error of TPR - FPR, and the intervals of some rates.
    """
    h, r, c, n = table.hits, table.reference_totals, table.prediction_totals, table.total
    false_positives = table.distributed_false_positives
    tpr, fpr = ratio_or_nan(h, r), ratio_or_nan(false_positives, table.other_references)
    rates = {"support": r, "prevalence": r / n, "bias": (h + false_positives) / n}
    rates |= {"tpr": tpr, "fpr": fpr, "tpr_minus_fpr": tpr - fpr, "precision": ratio_or_nan(h, c)}
    rates["f1"] = ratio_or_nan(2 * (h / n), r / n + c / n)
    columns: dict[str, list[Any]] = {"label": labels_at(table, table.is_class)}
    columns |= {name: rate[table.is_class].tolist() for name, rate in rates.items()}
    if level is not None:
        gains = intervals_by_class(table, level)
        columns["tpr_minus_fpr_standard_error"] = [gain.standard_error for gain in gains]
        columns["tpr_minus_fpr_confidence_interval"] = [(gain.low, gain.high) for gain in gains]
        columns["tpr_confidence_interval"] = wilson_intervals(table, table.rows, level)
        columns["precision_confidence_interval"] = wilson_intervals(table, table.columns, level)
    return [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]


USUAL_SCORES = Accuracy(), BalancedAccuracy(), F1Macro(), CohenKappa(), MatthewsCorrelation()
INFORMEDNESS, MARKEDNESS = Informedness("bias"), Markedness("prevalence")
