"""What a score is: its name, range and chance value, its value, and an interval if it has one.

Each score is one object, wrapped around a plain function of a table. Whatever reports, compares or
draws scores knows them only by this. A new score is a class below one of these, whose name is put
into `REGISTRY`; it must give what stands beside each class, and what stands beside those above it:

    class               where                what the score must give
    Score               score.py             name, title, exact
    ScoreWithInterval   score.py             too_few, cell_gradient, furthest, around
    ClassScore          class_sums.py        gradient, for all four of ScoreWithInterval
    EntropicScore       entropy.py           signs, lacks_classes, left, for the same four

It also says where it differs: lowest, best, guessing or chance, sides or undefined, stand_in,
averages. A plain function of a table, without an interval, needs no class: see `score_of`.

Tested in tests/test_signatures.py.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import sha256
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np

from ..core import scores
from ..core.labels import Label, Numbers, check_choice, read_column, show
from ..core.table import Table, labels_at
from .intervals import Interval, squared_weights

Prior: TypeAlias = Mapping[Any, float] | None


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
    """Return the options of a score in a line, such as 'nit|k:2|n:2|labels:observed|v:0.1.0'.

    `average` and `prior_mode` are empty for a score that has none; of several scores "default" is
    that of each. `version` is another one for a metric module that is registered from another.
    """
    parts = [name] if average in ("", "default") else [name, f"avg:{str(average).lower()}"]
    classes = [label for label in table.labels if label is not None]
    parts += [f"k:{table.n_classes}", f"n:{'?' if table.n_samples is None else table.n_samples}"]
    if table.is_weighted:
        total = float(f"{table.total:.12g}")  # the same in any order of summing
        parts.append(f"weight:{total:.6g}")
    parts.append(f"labels:{_digest(classes)}" if table.declared else "labels:observed")
    if None in table.labels:
        parts.append("unknown:wrong")
    if ignore_index is not None:
        ignored_label = read_column([ignore_index], "ignore_index").example()
        parts.append("ignore:" + ascii(ignored_label).replace("|", "\\x7c"))

    if prior is not None:
        shares = scores.shares_of(prior)
        class_shares = [(label, shares[label]) for label in classes if label in shares]
        parts.append(f"prior:{prior_mode}-{_digest(class_shares)}")
    elif prior_mode:
        parts.append("prior:test")
    if not isinstance(zero_division, str) and math.isnan(zero_division):
        parts.append("zero:nan")
    if interval:
        parts.append(interval)
    return "|".join([*parts, f"v:{version}"])


def _digest(values: Sequence[Any]) -> str:
    """Return eight hexadecimal digits that stand for the values and their order."""
    return sha256(ascii(values).encode()).hexdigest()[:8]


def with_prior(table: Table, prior: Prior) -> Table:
    """Return the table with its references reweighted to a prior, if there is one."""
    return table if prior is None else scores.reweighted(table, scores.read_prior(prior, table))


def side_totals(sums: Any, side: str) -> Numbers:
    """Return the total of each class on a side, "references" or "predictions"."""
    totals: Numbers = sums.reference_totals if side == "references" else sums.prediction_totals
    return totals


@dataclass(frozen=True)
class Score:
    """A score of a contingency table: what it is called, what it can be, and its value.

    A score has no standard error, interval or test, unless it is a `ScoreWithInterval`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    lowest: ClassVar[float] = 0.0
    best: ClassVar[float] = 1.0
    averages: ClassVar[tuple[scores.Average, ...]] = ()
    """The averages over classes that it allows, the default first."""
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight",)
    sides: ClassVar[tuple[str, ...]] = ()
    """The sides on which one class alone leaves it undefined: "references", "predictions"."""
    guessing: ClassVar[float | None] = None
    """What any guesser is expected to score, where it is one number for all tables."""
    stand_in: ClassVar[float] = 0.0
    """The value returned where it is undefined."""
    reads_names: ClassVar[bool] = True
    """Whether a prediction is right only by the name of its class."""
    takes_unknown: ClassVar[bool] = True
    """Whether it is known of answers that `unknown="wrong"` allows."""
    marked: ClassVar[str] = ""
    """What it means if results mark a value with ^, because of its `caution`."""

    average: scores.Average | Literal[""] = ""
    """Empty for a score that has none; None gives one value per class."""

    def averaged(self, average: Any) -> Score:
        """Return the same score with another average, or raise ValueError."""
        if not self.averages:
            raise ValueError(f"`average` must be left out for {self.name!r}, got {show(average)}")
        check_choice("average", average, self.averages)
        return self if average == self.average else replace(self, average=average)

    def oriented(self, table: Table) -> tuple[Any, Table]:
        """Return an equivalent score and table, for example another score of the transpose."""
        return self, table

    def class_labels(self, table: Table) -> list[Any]:
        """Return the classes that it has a value of where `average` is None."""
        _, table = self.oriented(table)
        return labels_at(table, table.is_class)

    def chance(self, table: Table) -> float | None:
        """Return the expected score of any guesser; None if it depends on how one guesses."""
        return self.guessing

    def undefined(self, table: Table) -> str:
        """Return why the score is undefined for this table; empty if it is defined."""
        for side in self.sides:
            totals = side_totals(table, side)
            if np.count_nonzero(totals) == 1:
                return scores.why_one_class(self.title, self.stand_in, table, totals, side)
        return ""

    def says_nothing(self, table: Table) -> bool:
        """Return whether all references are of one class, so that nothing is to be told apart."""
        return np.count_nonzero(table.reference_totals) == 1

    def exact(self, table: Any) -> Any:
        """Return the score of a table, or of sums named alike, where it is defined."""
        raise NotImplementedError

    def rounded(self, table: Table) -> Any:
        """Return the score of a table where it is defined, within its range."""
        score, table = self.oriented(table)
        exact = np.asarray(score.exact(table)).tolist()
        return exact if isinstance(exact, list) else min(max(exact, self.lowest), self.best)

    def value(
        self, table: Table, *, prior: Prior = None, zero_division: scores.ZeroDivision = "warn"
    ) -> Any:
        """Return the score of a table; with `average` None, a list with one value per class.

        Where it is undefined, the score is its stand-in, without a warning whatever
        `zero_division` is, except for Informedness, markedness and NIT.
        """
        scored = with_prior(table, prior)
        return self.stand_in if self.undefined(scored) else self.rounded(scored)

    def or_nan(self, table: Table) -> float:
        """Return the score of a table, without a warning, nan where it is undefined."""
        return math.nan if self.undefined(table) else float(self.rounded(table))

    def of_each(self, tables: Sequence[Table], sums: Any) -> Numbers:
        """Return the score of each table, whose `ClassSums` are given; nan where undefined."""
        return np.array([self.or_nan(table) for table in tables])

    def meaning(self, table: Table, value: float) -> str:
        """Return how a value reads as a share of the answers; empty if it is none."""
        return ""

    def holds_chance(self, table: Table, low: float, high: float) -> bool:
        """Return whether chance lies within an interval; False if it depends on how one guesses."""
        chance = self.chance(table)
        return chance is not None and low <= chance + 1e-12 and chance <= high

    def caution(self, table: Table, value: float) -> str:
        """Return why a value is not what it seems to be; empty for most."""
        return ""

    def signature(self, table: Table, **options: Any) -> str:
        """Return the line that records everything that affects the score."""
        takes_mode = len(self.prior_modes) > 1 or options.get("prior") is not None
        options.setdefault("prior_mode", "reweight" if takes_mode else "")
        return signature_of(self.name, table, average=self.average, **options)

    def with_interval(self, prior: Prior = None) -> ScoreWithInterval:
        """Return the score; raise ValueError if it has no interval, or none with a prior."""
        raise ValueError(
            f"{self.name!r} has no standard error, interval or test, because its gradient is not "
            "known: leave out `confidence_level`, or choose another metric"
        )


def score_of(function: Callable[[Table], float], name: str, title: str) -> Score:
    """Return the score of a plain function of a table, which has no gradient and so no interval."""

    class OfFunction(Score):
        def rounded(self, table: Table) -> float:
            return function(table)

    OfFunction.name, OfFunction.title = name, title
    return OfFunction()


class ScoreWithInterval(Score):
    """A score whose gradient is known, from which come its standard error, interval and tests."""

    by_cell: ClassVar[bool] = False
    """Whether each cell has a design effect of its own, not each row."""

    def with_interval(self, prior: Prior = None) -> ScoreWithInterval:
        if prior is not None:
            raise ValueError(
                "`prior` must be left out, except for an average of Informedness: "
                f"got one for {self.name!r}, average={self.average or None!r}"
            )
        return self

    def too_few(self, table: Table, prior: Prior = None) -> str:
        """Return what the table has too few of; empty if nothing is known."""
        raise NotImplementedError

    def doubt(self, table: Table, prior: Prior = None) -> str:
        """Return why its interval may fail on such a table; empty if nothing is known."""
        return self.too_few(table, prior)

    def interval(
        self, table: Table, level: float, prior: Prior = None, error: float | None = None
    ) -> Interval:
        """Return the score of a table with its interval.

        `error` is that of samples in groups, if they are. The interval is nan if the score is
        undefined, or if all references are of one class, of which it says nothing.

        Raises
        ------
        ValueError
            If the prior is not valid, or if the table holds sums of weights without their squares.
        """
        squared_weights(table)  # refuses a table that does not know them
        score, table = self.oriented(table)
        scored = with_prior(table, prior)
        is_undefined = bool(score.undefined(scored))
        value = score.stand_in if is_undefined else score.rounded(scored)
        if is_undefined or score.says_nothing(table):
            return Interval(value)
        return score.around(value, table, scored, level, error).within(self.lowest, self.best)

    def cell_gradient(self, table: Table) -> Numbers:
        """Return the derivative by the share of each cell, up to a constant."""
        raise NotImplementedError

    def furthest(self, table: Table) -> Numbers:
        """Return how far another answer to a sample of each cell moves the score, times N."""
        raise NotImplementedError

    def bias(self, table: Table) -> tuple[float, float]:
        """Return how much too high the score of a sample is, and a variance that this leaves."""
        return 0.0, 0.0

    def intervals(
        self, table: Table, level: float, prior: Prior = None, error: float | None = None
    ) -> list[Interval]:
        """Return the interval; with `average` None one per class."""
        return [self.interval(table, level, prior, error)]

    def around(
        self, value: float, table: Table, scored: Table, level: float, error: float | None = None
    ) -> Interval:
        """Return the interval around a value, where there is one; its ends may pass the bounds.

        `scored` is the table, or another one with its references reweighted to a prior.
        """
        raise NotImplementedError
