"""Define the interface of scores: name, range, guessing level, value and interval.

Each score is one object, wrapped around a plain function of a table. Reports, comparisons and
drawings use only this interface. To add a score, write a subclass of one of these and list it
in `REGISTRY`. It must define the members listed with its base class:

    base class      file              members
    Score           score.py          name, title, exact_value, shortage, cell_gradient,
                                      max_influence, interval_around
    ClassScore      class_scores.py   name, title, exact_value, gradient
    EntropicScore   entropy.py        name, title, exact_value, signs, may_miss_classes,
                                      max_excess_surprisal

It overrides these members if they differ: lowest, highest, guessing_level, best_level,
undefined_sides or undefined, stand_in, averages. docs/formulas.md has the rules of intervals.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from ..core import scores
from ..core.labels import Label, Numbers, check_choice, read_column, show, warn
from ..core.table import Table, labels_at, sum_by
from ..warnings import IntervalWarning

Prior: TypeAlias = Mapping[Any, float] | None
FEW_SAMPLES = 50  # with fewer, scores are imprecise, and each class must have five


class Interval(NamedTuple):
    """A score with its standard error, and the ends of an interval that contains it."""

    value: float
    standard_error: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def clip(self, lowest: float, highest: float) -> Interval:
        """Move the ends inside these bounds, but never past the value."""
        # max and min return their first argument for a nan, so this order keeps it
        low, high = max(self.low, lowest), min(self.high, highest)
        return self._replace(low=min(low, self.value), high=max(high, self.value))


def check_level(level: Any) -> None:
    """Raise ValueError if a confidence level is not valid."""
    if not isinstance(level, (int, float, np.floating)) or not (level > 0 and 1 + level < 2):
        raise ValueError(
            f"`confidence_level` must lie between 0 and 1, for example 0.95, got {show(level)}"
        )


def normal_quantile(level: float) -> float:
    """Find z such that a standard normal variable lies between -z and z with this probability."""
    from statistics import NormalDist  # deferred, because it imports many modules

    return NormalDist().inv_cdf((1 + level) / 2)


def squared_weights(table: Table) -> Numbers:
    """Sum of squared weights of each cell; without weights, its count."""
    squares = table.squared_weights if table.is_weighted else table.counts
    if squares is None or not (0 < squares.min() <= squares.sum(dtype=np.float64) < math.inf):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels with weights between 1e-150 and 1e150, or pass squared_weights="
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Compute (sum w)^2 / sum w^2, the number of samples if there are no weights."""
    total = float(table.total)
    return total * (total / float(squared_weights(table).sum()))  # total**2 may overflow


def with_prior(table: Table, prior: Prior) -> Table:
    """Reweight the references of a table to a prior, if there is one."""
    return table if prior is None else scores.reweighted(table, scores.read_prior(prior, table))


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

    `average` and `prior_mode` are empty for a score without them; for several scores, "default"
    means the default of each. A metric module registered from another package passes its `version`.
    """
    classes = [label for label in table.labels if label is not None]
    is_nan = not isinstance(zero_division, str) and math.isnan(zero_division)
    total = float(f"{table.total:.12g}")  # the same in any order of summing
    parts = [
        name,
        "" if average in ("", "default") else f"avg:{str(average).lower()}",
        f"k:{table.n_classes}",
        f"n:{'?' if table.n_samples is None else table.n_samples}",
        f"weight:{total:.6g}" if table.is_weighted else "",
        f"labels:{_digest(classes) if table.is_declared else 'observed'}",
        "unknown:wrong" if None in table.labels else "",
        _ignored_part(ignore_index),
        _prior_part(prior, prior_mode, classes),
        "zero:nan" if is_nan else "",
        interval,
        f"v:{version}",
    ]
    return "|".join(part for part in parts if part)


def _ignored_part(ignore_index: Label | None) -> str:
    if ignore_index is None:
        return ""
    label = read_column([ignore_index], "ignore_index").example()
    return "ignore:" + ascii(label).replace("|", "\\x7c")


def _prior_part(prior: Prior, prior_mode: str, classes: Sequence[Any]) -> str:
    if prior is None:
        return "prior:none" if prior_mode else ""
    shares = scores.shares_of(prior)
    class_shares = [(label, shares[label]) for label in classes if label in shares]
    return f"prior:{prior_mode}-{_digest(class_shares)}"


def _digest(values: Sequence[Any]) -> str:
    """Shorten values and their order to eight hexadecimal digits."""
    return sha256(ascii(values).encode()).hexdigest()[:8]


# Scores


@dataclass(frozen=True)
class Score:
    """A score of a contingency table, with its name, range, value and interval.

    Attributes
    ----------
    lowest, highest : float
        The ends of its range.
    averages : tuple
        The averages over classes that it allows, the default first.
    prior_modes : tuple of str
        Values allowed for `prior_mode`.
    undefined_sides : tuple of {"references", "predictions"}
        The sides on which a single class leaves the score undefined.
    stand_in : float
        The value returned where it is undefined.
    is_label_sensitive : bool
        Whether relabelling predictions changes the score.
    allows_unknown : bool
        Whether it is defined for the out-of-class predictions that `unknown="wrong"` allows.
    has_cell_effects : bool
        Whether design effects are by cell instead of by row.
    mark_meaning : str
        Meaning of the mark ^, which results put on a value because of its `caution`.
    average : str or None
        Empty for a score without averages; None gives one value per class.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    lowest: ClassVar[float] = 0.0
    highest: ClassVar[float] = 1.0
    averages: ClassVar[tuple[scores.Average, ...]] = ()
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight",)
    undefined_sides: ClassVar[tuple[str, ...]] = ()
    stand_in: ClassVar[float] = 0.0
    is_label_sensitive: ClassVar[bool] = True
    allows_unknown: ClassVar[bool] = True
    has_cell_effects: ClassVar[bool] = False
    mark_meaning: ClassVar[str] = ""

    average: scores.Average | Literal[""] = ""

    def with_average(self, average: Any) -> Score:
        """Choose another average, or raise ValueError."""
        if not self.averages:
            raise ValueError(f"`average` must be left out for {self.name!r}, got {show(average)}")
        check_choice("average", average, self.averages)
        return self if average == self.average else replace(self, average=average)

    def orient(self, table: Table) -> tuple[Any, Table]:
        """Find an equivalent score and table, for example another score of the transpose."""
        return self, table

    def class_labels(self, table: Table) -> list[Any]:
        """List the classes that have a value where `average` is None."""
        _, table = self.orient(table)
        return labels_at(table, table.is_class)

    def guessing_level(self, table: Table) -> float:
        """Compute the mean score of the best guesser in large samples.

        Guesses are independent of the class, so the predictions of `table` do not matter.
        """
        return 0.0

    def best_level(self, table: Table) -> float:
        """Score of perfect predictions of the same references."""
        return self.highest

    def contains_guessing(self, table: Table, low: float, high: float) -> bool:
        """Whether the guessing level lies within an interval."""
        level = self.guessing_level(table)
        return low <= level + 1e-12 and level <= high

    def undefined(self, table: Table) -> str:
        """Say why the score is undefined for this table; empty if it is defined."""
        totals = {"references": table.reference_totals, "predictions": table.prediction_totals}
        options = self.title, self.stand_in, table
        reasons = (scores.why_one_class(*options, totals[x], x) for x in self.undefined_sides)
        return next(filter(None, reasons), "")

    def has_single_reference_class(self, table: Table) -> bool:
        """Whether all references are of one class, so that the score cannot tell models apart."""
        return np.count_nonzero(table.reference_totals) == 1

    def exact_value(self, table: Any) -> Any:
        """Apply the formula to a table, or to `ClassSums`, for which the score is defined."""
        raise NotImplementedError

    def clipped_value(self, table: Table) -> Any:
        """Score a table where it is defined; clip the rounding error to the range."""
        score, table = self.orient(table)
        exact = np.asarray(score.exact_value(table)).tolist()
        return exact if isinstance(exact, list) else min(max(exact, self.lowest), self.highest)

    def value(
        self, table: Table, *, prior: Prior = None, zero_division: scores.ZeroDivision = "warn"
    ) -> Any:
        """Score a table; with `average` None, return a list with one value per class.

        If undefined, it is `stand_in`. Only Informedness, markedness and NIT follow
        `zero_division` and warn.
        """
        scored = with_prior(table, prior)
        return self.stand_in if self.undefined(scored) else self.clipped_value(scored)

    def value_or_nan(self, table: Table) -> float:
        """Score a table without a warning; nan where it is undefined."""
        return math.nan if self.undefined(table) else float(self.clipped_value(table))

    def caution(self, table: Table, value: float) -> str:
        """Say why a value may mislead; empty for most."""
        return ""

    def signature(self, table: Table, **options: Any) -> str:
        """Record everything that affects the score in a line."""
        takes_mode = len(self.prior_modes) > 1 or options.get("prior") is not None
        options.setdefault("prior_mode", "reweight" if takes_mode else "")
        return signature_of(self.name, table, average=self.average, **options)

    # Intervals

    def require_interval(self, prior: Prior = None) -> Score:
        """Return this score, or raise ValueError if it has no interval with a prior."""
        if prior is not None:
            raise ValueError(
                "`prior` must be left out, except for an average of Informedness: "
                f"got one for {self.name!r}, average={self.average or None!r}"
            )
        return self

    def shortage(self, table: Table, prior: Prior = None) -> str:
        """Say which samples are too few for an interval; empty if there are enough."""
        raise NotImplementedError

    def caveat(self, table: Table, prior: Prior = None) -> str:
        """Say why the interval may fail on such a table; empty if nothing is known."""
        return self.shortage(table, prior)

    def interval(
        self, table: Table, level: float, prior: Prior = None, error: float | None = None
    ) -> Interval:
        """Score a table, with an interval.

        `error` is the standard error if samples are in groups. The interval is nan if the
        score is undefined, or if there is only one reference class.

        Raises
        ------
        ValueError
            If the prior is not valid, or if the table holds sums of weights without their squares.
        """
        squared_weights(table)  # raises if they are missing
        score, table = self.orient(table)
        scored = with_prior(table, prior)
        if score.undefined(scored):
            return Interval(score.stand_in)
        value = score.clipped_value(scored)
        if score.has_single_reference_class(table):
            return Interval(value)
        interval: Interval = score.interval_around(value, table, scored, level, error)
        return interval.clip(self.lowest, self.highest)

    def intervals(
        self, table: Table, level: float, prior: Prior = None, error: float | None = None
    ) -> list[Interval]:
        """Score a table, with an interval; with `average` None one per class."""
        return [self.interval(table, level, prior, error)]

    def interval_around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        """Find the interval around a defined value; its ends may pass the bounds.

        `scored` is the table, or another one with its references reweighted to a prior.
        """
        raise NotImplementedError

    def cell_gradient(self, table: Table) -> Numbers:
        """Derivative by the share of each cell, up to a constant."""
        raise NotImplementedError

    def max_influence(self, table: Table) -> Numbers:
        """N times the largest change that one additional sample in each cell can cause."""
        raise NotImplementedError

    def sampling_bias(self, table: Table) -> tuple[float, float]:
        """Mean excess of a sample over the population, and the variance after subtracting it."""
        return 0.0, 0.0


# Shortages


def fewest_references(table: Table) -> float:
    """Count the references of the rarest class that has any; with weights, effective ones."""
    r = table.reference_totals.astype(np.float64)
    squares = sum_by(table.rows, squared_weights(table), len(r))
    return float((r[r > 0] ** 2 / squares[r > 0]).min())


def fewest_if_undeclared(table: Table) -> float:
    """Count references of the rarest class; inf if the classes are declared."""
    return math.inf if table.is_declared else fewest_references(table)


def references_outside_largest(table: Table) -> float:
    """Count the references outside the largest class; with weights, effective ones."""
    share = float(table.reference_totals.max()) / float(table.total)
    return effective_sample_size(table) * (1 - share)


def shortage_message(amount: float, wanted: float, unit: str, which: str = "") -> str:
    """Say how much there is, and how much is recommended; empty if it is enough.

    Weights may make the amount fractional.
    """
    if amount >= wanted - 1e-6:
        return ""
    has, least = (f"{n:,.0f}" if n >= 1000 else f"{n:.4g}" for n in (amount, wanted))
    units = unit if amount == 1 else f"{unit}s"
    if "." in has:
        units = f"effective {units}"
    return f"{has} {units}{which}, fewer than the recommended {least}"


def rarest_class_shortage(table: Table, unit: str = "reference") -> str:
    """Say how few samples the rarest class has; empty with five, or with enough samples in all."""
    if effective_sample_size(table) >= FEW_SAMPLES - 1e-6:
        return ""
    return shortage_message(fewest_references(table), 5, unit, " of the rarest class")


def warn_of_caveats(caveats: Iterable[tuple[str, str, bool]]) -> None:
    """Warn that intervals may fail: the score, the reason, and whether its interval is missing.

    Scores with the same caveat share a warning.
    """
    names: dict[tuple[str, bool], list[str]] = {}
    for name, reason, is_nan in caveats:
        if reason:
            names.setdefault((reason, is_nan), []).append(name)
    for (reason, is_nan), same_names in names.items():
        listed = ", ".join(dict.fromkeys(same_names))
        text = f"there is no interval of {listed}"
        if not is_nan:
            words = ("intervals", "they say") if len(same_names) > 1 else ("interval", "it says")
            text = f"the {words[0]} of {listed} may cover the truth less often than {words[1]}"
        warn(f"{text}: {reason}", IntervalWarning)
