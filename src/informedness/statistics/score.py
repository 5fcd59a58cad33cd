"""What a score is: its name, range and chance value, its formula, and a gradient if it has one.

Each score is one object, wrapped around a plain function of a table. Whatever reports, compares or
draws scores knows them only by this.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, NamedTuple, TypeVar

import numpy as np

from ..core.labels import Numbers, check_choice, show
from ..core.scores import (
    Average,
    ZeroDivision,
    check_zero_division,
    class_weights,
    gains_of,
    informedness,
    mutual_information,
    n_classes,
    nit,
    only_class,
    quotient,
    read_prior,
    reweighted,
    signature_of,
    sums_of_others,
    value_if_undefined,
    warn_of_outside,
    within,
)
from ..core.table import Table, sum_by

AnyTable = TypeVar("AnyTable", bound=Table)


class Differences(NamedTuple):
    """Sums of a table, of shape (k,), that plain counts give exactly by subtraction."""

    false_positives: Numbers  # c - h
    other_references: Numbers  # N - r
    other_predictions: Numbers  # N - c


@dataclass(frozen=True)
class Sums:
    """What scores are computed from: sums of a table's cells by class, of shape (k,).

    For n tables at once the shape is (k, n), and (n,) for `total`; the same formulas then give n
    scores.
    """

    hits: Numbers
    references: Numbers
    predictions: Numbers
    total: Any
    occurring: Numbers
    """Which classes occur in the table, of shape (k,); unknown answers are not a class."""
    n_classes: Any
    """Number of classes, as NIT counts them."""
    cells: Numbers
    """The cells themselves, of shape (n_cells,) or (n_cells, n)."""
    differences: Differences | None = None
    """Given where subtraction would lose digits."""

    @property
    def false_positives(self) -> Numbers:
        """Wrong predictions of each class, c - h."""
        return self.predictions - self.hits if self.differences is None else self.differences[0]

    @property
    def other_references(self) -> Numbers:
        """Samples whose reference is another class, N - r."""
        return self.total - self.references if self.differences is None else self.differences[1]

    @property
    def other_predictions(self) -> Numbers:
        """Samples whose prediction is another class, N - c."""
        return self.total - self.predictions if self.differences is None else self.differences[2]

    @property
    def prevalence(self) -> Numbers:
        """Share of the references, r/N."""
        return self.references / self.total

    @property
    def bias(self) -> Numbers:
        """Share of the predictions, c/N."""
        return self.predictions / self.total

    @property
    def tpr(self) -> Numbers:
        """Recall h/r, nan for a class absent from the references."""
        return ratio(self.hits, self.references)

    @property
    def fpr(self) -> Numbers:
        """False positive rate (c - h)/(N - r), nan where all references are of the class."""
        return ratio(self.false_positives, self.other_references)


def sums_of(table: Table) -> Sums:
    """Return the sums of a table."""
    h, r, c = table.hits, table.reference_totals, table.prediction_totals
    differences = None
    if table.is_weighted:
        wrong = table.rows != table.columns
        false_positives = sum_by(table.columns[wrong], table.counts[wrong], len(r))
        differences = Differences(false_positives, sums_of_others(r), sums_of_others(c))
    return Sums(h, r, c, table.total, occurring(table), n_classes(table), table.counts, differences)


def occurring(table: Table) -> Numbers:
    """Return which classes have a reference or a prediction; unknown answers are not a class."""
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    if table.labels[-1] is None:
        occur[-1] = False
    return occur


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Return the quotients, nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


def transposed(table: AnyTable) -> AnyTable:
    """Return the table with references and predictions swapped."""
    order = np.lexsort((table.rows, table.columns))
    squares = table.squared_weights
    return replace(
        table,
        rows=table.columns[order],
        columns=table.rows[order],
        counts=table.counts[order],
        squared_weights=None if squares is None else squares[order],
    )


def squared_weights(table: Table) -> Numbers:
    """Return the sum of squared weights of each cell; without weights that is its count."""
    squares = table.squared_weights if table.is_weighted else table.counts
    known = squares is not None and (squares > 0).all()
    if squares is None or not (known and np.isfinite(squares.sum(dtype=np.float64))):
        raise ValueError(
            "`table` must know the sums of the squared weights for a standard error: build it from "
            "labels, or pass squared_weights= with the sums of weights"
        )
    return squares.astype(np.float64)


def effective_sample_size(table: Table) -> float:
    """Return (sum w)^2 / sum w^2, which is the number of samples if there are no weights."""
    return float(table.total) ** 2 / float(squared_weights(table).sum())


# What a score is


@dataclass(frozen=True)
class Score:
    """A score of a contingency table: what it is called, what it can be, and its formulas.

    A subclass says how it is computed: `of`, for one table and for n alike, and `gradient`.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    lowest: ClassVar[float] = 0.0
    best: ClassVar[float] = 1.0
    averages: ClassVar[tuple[Average, ...]] = ()
    """The averages over classes that it allows, the default first."""
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight",)
    warns: ClassVar[bool] = False
    """Whether `zero_division` is for the user to set, with a warning by default."""
    warns_of_one_sample: ClassVar[bool] = False
    """Whether it warns about a single sample, which scores the same right or wrong."""
    stand_in: ClassVar[float] = 0.0
    """The value returned where it is undefined."""
    from_margins: ClassVar[bool] = True
    """Whether hits and totals are enough to compute it; other scores need the cells."""
    relative_to_prevalence: ClassVar[bool] = False
    """For a score of cells: whether its logarithm is MI, the mean of ln(p_ij / (pi_i beta_j)),
    rather than -H(ref|pred), the mean of ln(p_ij / beta_j)."""
    is_share: ClassVar[bool] = False
    """Whether it is the share of decisions that are informed rather than guessed."""
    over_classes: ClassVar[bool] = True
    """Whether it averages over classes, which makes it biased when there are many."""
    has_gradient: ClassVar[bool] = True
    """Whether it has standard errors, intervals and tests, which take its gradient."""

    average: Average = None

    def averaged(self, average: Any) -> Score:
        """Return the same score with another average, or raise ValueError."""
        if not self.averages:
            raise ValueError(f"`average` must be left out for {self.name!r}, got {show(average)}")
        check_choice("average", average, self.averages)
        return self if average == self.average else replace(self, average=average)

    def oriented(self, table: Table) -> tuple[Score, Table]:
        """Return an equivalent score and table, for example another score of the transpose."""
        return self, table

    def chance(self, table: Table) -> float | None:
        """Return the expected score of any guesser; None if it depends on how one guesses."""
        return 0.0

    def undefined(self, table: Table) -> str:
        """Return why the score is undefined for this table; empty if it is defined."""
        return ""

    def of(self, sums: Sums) -> Numbers:
        """Return the score for these sums: one number, or one for each of n tables."""
        raise NotImplementedError(f"{self.name} has no formula for sums of tables")

    def exact(self, table: Table) -> Any:
        """Return the score of a table to full precision, where it is defined."""
        return self.of(sums_of(table))

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return a, b and u of the derivatives a_i + b_j + u_i [i = j] by the shares p_ij."""
        raise NotImplementedError(f"{self.name} has no gradient")

    def cell_gradient(self, table: Table) -> Numbers:
        """Return the derivative by the share of each cell, up to a constant."""
        raise NotImplementedError(f"{self.name} has no gradient")

    def warn_of(self, table: Table) -> None:
        """Warn about classes that the score cannot handle as they are."""

    def value(
        self,
        table: Table,
        *,
        prior: Mapping[Any, float] | None = None,
        prior_mode: str = "reweight",
        zero_division: ZeroDivision = "warn",
    ) -> Any:
        """Return the score of a table; with `average` None, a list with one value per class."""
        check_zero_division(zero_division, self.stand_in)
        check_choice("prior_mode", prior_mode, self.prior_modes)
        scored = table if prior is None else reweighted(table, read_prior(prior, table))
        if table.n_samples != 1:
            self.warn_of(scored)
        why = self.undefined(scored)
        undefined: float | None = self.stand_in if why else None
        if self.warns:
            undefined = value_if_undefined(why, self.stand_in, zero_division, table)
        elif self.warns_of_one_sample:
            value_if_undefined("", self.stand_in, zero_division, table)
        if undefined is None:
            return self.rounded(scored)
        if self.averages and self.average is None:
            _, scored = self.oriented(scored)
            return np.where(scored.reference_totals > 0, undefined, 0.0).tolist()
        return undefined

    def rounded(self, table: Table) -> Any:
        """Return the score of a table where it is defined, within its range."""
        score, table = self.oriented(table)
        exact = np.asarray(score.exact(table)).tolist()
        return exact if isinstance(exact, list) else within(self.lowest, exact, self.best)

    def signature(self, table: Table, **options: Any) -> str:
        """Return the line that records everything that affects the score."""
        takes_mode = len(self.prior_modes) > 1 or options.get("prior") is not None
        options.setdefault("prior_mode", "reweight" if takes_mode else "")
        average = self.average if self.averages else ""
        return signature_of(self.name, table, average=average, **options)

    def of_one_class(self, table: Table, totals: Numbers, side: str) -> str:
        """Return why the score is undefined if only one class has a total, else empty."""
        return only_class(self.title, self.stand_in, table, totals, side)


# The two that are modules


@dataclass(frozen=True)
class Informedness(Score):
    """Multi-class Bookmaker Informedness: best 1, chance 0, below 0 worse than chance."""

    name: ClassVar[str] = "informedness"
    title: ClassVar[str] = "Informedness"
    lowest: ClassVar[float] = -1.0
    is_share: ClassVar[bool] = True
    averages: ClassVar[tuple[Average, ...]] = ("bias", "prevalence", "macro", None)
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight", "odds")
    warns: ClassVar[bool] = True

    average: Average = "bias"

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.reference_totals, "references")

    def value(self, table: Table, **options: Any) -> Any:
        return informedness(table, average=self.average, **options)

    def of(self, sums: Sums) -> Numbers:
        others = sums.other_references
        gains = gains_of(sums.hits, sums.references, sums.false_positives, others)
        return gains if self.average is None else (self._weights(sums) * gains).sum(axis=0)

    def _weights(self, sums: Sums) -> Numbers:
        return class_weights(str(self.average), sums.references, sums.predictions, sums.total)

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return a, b and u.

        With V = pi (1 - pi), J_c = (p_cc - pi_c beta_c) / V_c moves by 1/V_c with p_cc, by
        -(beta_c + (1 - 2 pi_c) J_c) / V_c with pi_c, and by -pi_c/V_c with beta_c; the weights pi
        or beta move too.
        """
        pi, beta = shares.prevalence, shares.bias
        gains = replace(self, average=None).of(shares)
        u = quotient(self._weights(shares), pi * (1 - pi))
        a, b = -u * (beta + (1 - 2 * pi) * gains), -u * pi
        if self.average == "prevalence":
            a = a + gains
        elif self.average == "bias":
            b = b + gains
        return a, b, u


@dataclass(frozen=True)
class Nit(Score):
    """Normalised Information Transfer 2^MI / k: at most 1, chance 1/k."""

    name: ClassVar[str] = "nit"
    title: ClassVar[str] = "NIT"
    warns: ClassVar[bool] = True
    stand_in: ClassVar[float] = 1.0
    from_margins: ClassVar[bool] = False
    relative_to_prevalence: ClassVar[bool] = True

    def chance(self, table: Table) -> float | None:
        return 1 / n_classes(table)

    def undefined(self, table: Table) -> str:
        only_one = "there is only one class: NIT is 1.0 by definition"
        return only_one if n_classes(table) == 1 else ""

    def value(self, table: Table, *, zero_division: ZeroDivision = "warn", **prior: Any) -> float:
        if prior.get("prior") is not None:
            return float(super().value(table, zero_division=zero_division, **prior))
        return nit(table, zero_division=zero_division)

    def warn_of(self, table: Table) -> None:
        warn_of_outside(self.title, table)

    def of(self, sums: Sums) -> Numbers:
        entropic = x_log_x(sums.cells) - x_log_x(sums.references) - x_log_x(sums.predictions)
        return np.exp(entropic / sums.total + np.log(sums.total)) / sums.n_classes

    def exact(self, table: Table) -> Any:
        return np.exp2(mutual_information(table)) / n_classes(table)

    def cell_gradient(self, table: Table) -> Numbers:
        # of exp(sum p_ij ln(p_ij / (pi_i beta_j)))
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        return self.exact(table) * np.log(table.counts / r / (c / table.total))


def x_log_x(amounts: Numbers) -> Numbers:
    """Return the sum of x ln x over the first axis."""
    return (amounts * np.log(np.where(amounts > 0, amounts, 1))).sum(axis=0)


INFORMEDNESS, NIT = Informedness(), Nit()


def score_of(function: Callable[[Table], float], name: str, title: str) -> Score:
    """Return the score of a plain function of a table, which has no gradient and so no interval."""

    class OfFunction(Score):
        has_gradient: ClassVar[bool] = False

        def exact(self, table: Table) -> float:
            return function(table)

        def rounded(self, table: Table) -> float:
            return function(table)

        def chance(self, table: Table) -> float | None:
            return None

    OfFunction.name, OfFunction.title = name, title
    return OfFunction()
