"""Intervals, their level, and what a table has too few of; docs/formulas.md has the rules.

Tested in tests/test_estimates.py.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Numbers, show, warn
from ..core.table import Table, sum_by
from ..warnings import IntervalWarning

FEW_SAMPLES = 50  # with fewer, scores are imprecise, and each class must have five


class Interval(NamedTuple):
    """A score with its standard error, and the ends of an interval that contains it."""

    value: float
    standard_error: float = math.nan
    low: float = math.nan
    high: float = math.nan

    def within(self, lowest: float, highest: float) -> Interval:
        """Return the interval with its ends inside these bounds, and around the value."""
        # in this order none of them swallows a nan
        low, high = max(self.low, lowest), min(self.high, highest)
        return self._replace(low=min(low, self.value), high=max(high, self.value))


def check_level(level: Any) -> None:
    """Raise ValueError unless it is a confidence level."""
    if not isinstance(level, (int, float, np.floating)) or not (level > 0 and 1 + level < 2):
        raise ValueError(
            f"`confidence_level` must lie between 0 and 1, for example 0.95, got {show(level)}"
        )


def normal_quantile(level: float) -> float:
    """Return the z for which a standard normal number is within z of 0 this often."""
    from statistics import NormalDist  # which imports half the library

    return NormalDist().inv_cdf((1 + level) / 2)


def squared_weights(table: Table) -> Numbers:
    """Return the sum of squared weights of each cell; without weights that is its count."""
    squares = table.squared_weights if table.is_weighted else table.counts
    if squares is None or not (0 < squares.min() <= squares.sum(dtype=np.float64) < math.inf):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels with weights between 1e-150 and 1e150, or pass squared_weights="
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Return (sum w)^2 / sum w^2, which is the number of samples if there are no weights."""
    total = float(table.total)
    return total * (total / float(squared_weights(table).sum()))  # whose square may overflow


# What there is too little of


def fewest_references(table: Table) -> float:
    """Return the number of references of the rarest class that has one."""
    r = table.reference_totals.astype(np.float64)
    squares = sum_by(table.rows, squared_weights(table), len(r))
    return float((r[r > 0] ** 2 / squares[r > 0]).min())  # the effective number, of weights


def outside_largest(table: Table) -> float:
    """Return the number of references outside the largest class, the effective one of weights."""
    share = float(table.reference_totals.max()) / float(table.total)
    return effective_sample_size(table) * (1 - share)


def fewest_if_undeclared(table: Table) -> float:
    """Return the same, inf where the classes are declared."""
    return math.inf if table.declared else fewest_references(table)


def lack(amount: float, wanted: float, unit: str, which: str = "") -> str:
    """Return how much there is, empty if it is enough; weights may make it fractional."""
    if amount >= wanted - 1e-6:
        return ""
    has, least = (f"{n:,.0f}" if n >= 1000 else f"{n:.4g}" for n in (amount, wanted))
    units = unit if amount == 1 else f"{unit}s"
    if "." in has:
        units = f"effective {units}"
    return f"{has} {units}{which}, fewer than the recommended {least}"


def too_few_of_the_rarest(table: Table, unit: str = "reference") -> str:
    """Return how few there are of the rarest class; empty with five, or with enough samples."""
    if effective_sample_size(table) >= FEW_SAMPLES - 1e-6:
        return ""
    return lack(fewest_references(table), 5, unit, " of the rarest class")


def warn_of_doubts(doubts: Iterable[tuple[str, str, bool]]) -> None:
    """Warn that intervals are known to fail: of what, why, and whether there is none at all.

    There is one warning for all with the same reason.
    """
    names: dict[tuple[str, bool], list[str]] = {}
    for name, reason, is_nan in doubts:
        if reason:
            names.setdefault((reason, is_nan), []).append(name)
    for (reason, is_nan), same_names in names.items():
        listed = ", ".join(dict.fromkeys(same_names))
        if is_nan:
            text = f"there is no interval of {listed}"
        elif len(same_names) > 1:
            text = f"the intervals of {listed} may cover the truth less often than they say"
        else:
            text = f"the interval of {listed} may cover the truth less often than it says"
        warn(f"{text}: {reason}", IntervalWarning)
