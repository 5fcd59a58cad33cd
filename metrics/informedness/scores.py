r"""The scores that travel with the metric modules, Informedness and NIT, and what a score is.

With N the total of a table, h its diagonal, r its row totals and c its column totals,
pi_i = r_i/N is the prevalence of class i and beta_j = c_j/N its bias, the share of predictions.

    J_c          = TPR_c - FPR_c = h_c/r_c - (c_c - h_c)/(N - r_c)
    Informedness = sum_c beta_c J_c
    NIT          = 2^MI / k,  MI = sum_ij p_ij log2(p_ij / (pi_i beta_j))

Sources: Powers (2003), "Recall and Precision versus the Bookmaker"; Powers (2011), "Evaluation:
from precision, recall and F-measure to ROC, informedness, markedness & correlation", eq. 42;
Valverde-Albacete and Pelaez-Moreno (2014), "100% classification accuracy considered harmful".
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, NamedTuple, TypeAlias

import numpy as np

from .labels import Label, Numbers, UndefinedMetricWarning, check_choice, read_column, show, warn
from .table import Table, is_real, sum_by

__version__ = "0.1.0"

Average: TypeAlias = Literal["bias", "prevalence", "macro"] | None
ZeroDivision: TypeAlias = Literal["warn"] | float

_ONE_SAMPLE = (
    "the score of one sample is the same for a right and a wrong answer, and so is the mean of "
    "such scores: score all samples at once; in lm-eval with `class: !function "
    "informedness.lm_eval.Task`, in lighteval with informedness.lighteval, in Inspect with "
    "informedness.inspect_ai, in scikit-learn with informedness.scorers.cross_val_estimate"
)


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
        # a difference of sums of weights has lost the digits that both have in common: next to a
        # class of nearly all the weight, all of them
        wrong = table.rows != table.columns
        false_positives = sum_by(table.columns[wrong], table.counts[wrong], len(r))
        differences = Differences(false_positives, _sums_of_others(r), _sums_of_others(c))
    return Sums(h, r, c, table.total, occurring(table), n_classes(table), table.counts, differences)


def _sums_of_others(amounts: Numbers) -> Numbers:
    """Return for each entry the sum of all others: of those before it and those after it."""
    before, after = np.cumsum(amounts)[:-1], np.cumsum(amounts[:0:-1])[::-1]
    return np.append(0.0, before) + np.append(after, 0.0)


def occurring(table: Table) -> Numbers:
    """Return which classes have a reference or a prediction; unknown answers are not a class."""
    occur = (table.reference_totals > 0) | (table.prediction_totals > 0)
    if table.labels[-1] is None:
        occur[-1] = False
    return occur


def n_classes(table: Table) -> int:
    """Return k of NIT: all declared classes, else those in the references."""
    if table.declared:
        return len(table.labels) - (table.labels[-1] is None)
    return int(np.count_nonzero(table.reference_totals))


def ratio(numerator: Numbers, denominator: Numbers) -> Numbers:
    """Return the quotients, nan where the denominator is 0."""
    return numerator / np.where(denominator > 0, denominator, np.nan)


def quotient(numerator: Any, denominator: Numbers) -> Numbers:
    """Return the quotients, 0 where the denominator is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(denominator > 0, numerator / denominator, 0.0)


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
        raise NotImplementedError

    def exact(self, table: Table) -> Numbers:
        """Return the score of a table to full precision."""
        return self.of(sums_of(table))

    def gradient(self, shares: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return a, b and u of the derivatives a_i + b_j + u_i [i = j] by the shares p_ij."""
        raise NotImplementedError

    def cell_gradient(self, table: Table) -> Numbers:
        """Return the derivative by the share of each cell, up to a constant."""
        raise NotImplementedError

    def at_odds(self, table: Table, prior: Numbers) -> Any:
        """Return the score with gains and losses set by the prior, if `prior_modes` has "odds"."""
        raise NotImplementedError

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
        self.check_zero_division(zero_division)
        check_choice("prior_mode", prior_mode, self.prior_modes)
        is_one_sample = table.n_samples == 1  # which a prior's weights no longer tell
        shares = None if prior is None else read_prior(prior, table)
        if shares is not None and prior_mode == "reweight":
            table = reweighted(table, shares)
        why = self.undefined(table)
        is_set = self.warns and not isinstance(zero_division, str)
        if is_one_sample and self.warns_of_one_sample and not (why and is_set):
            warn(_ONE_SAMPLE, UndefinedMetricWarning)
        else:
            self.warn_of(table)
            if why and self.warns and not is_set:
                why += " (set zero_division to change this and silence the warning)"
                warn(why, UndefinedMetricWarning)
        if why:
            return self._stand_in(table, float(zero_division) if is_set else self.stand_in)
        if shares is not None and prior_mode == "odds":
            return self.at_odds(table, shares)
        return self.rounded(table)

    def _stand_in(self, table: Table, value: float) -> Any:
        """Return the value for an undefined score; one per class if the score is a list."""
        if not self.averages or self.average is not None:
            return value
        _, table = self.oriented(table)
        return np.where(table.reference_totals > 0, value, 0.0).tolist()

    def rounded(self, table: Table) -> Any:
        """Return the score of a table where it is defined, within its range."""
        score, table = self.oriented(table)
        exact = score.exact(table).tolist()
        if isinstance(exact, list):
            return exact
        # it may pass its bounds by rounding; nan stays what it is
        return self.best if exact > self.best else self.lowest if exact < self.lowest else exact

    def of_one_class(self, table: Table, totals: Numbers, side: str) -> str:
        """Return why the score is undefined if only one class has a total, else empty."""
        if np.count_nonzero(totals) != 1:
            return ""
        label = show(table.labels[int(np.argmax(totals))])
        undefined = f"{self.title} is undefined, {self.stand_in} is returned instead"
        return f"all {side} are {label}: {undefined}"

    def check_zero_division(self, value: Any) -> None:
        """Raise ValueError unless it is "warn", nan, or the value for an undefined score."""
        if isinstance(value, str) and value == "warn":
            return
        if not is_real(value) or (value != self.stand_in and value == value):
            raise ValueError(
                f'`zero_division` must be "warn", {self.stand_in} or nan, got {show(value)}'
            )


# Informedness


@dataclass(frozen=True)
class Informedness(Score):
    """Multi-class Bookmaker Informedness: best 1, chance 0, below 0 worse than chance.

    J_c of each class, 0 for a class absent from the references, then summed with weights beta_c
    ("bias", Powers 2003) or pi_c ("prevalence", Powers 2011, eq. 42), averaged over the classes in
    the references ("macro"), or listed in label order (None).
    """

    name: ClassVar[str] = "informedness"
    title: ClassVar[str] = "Informedness"
    lowest: ClassVar[float] = -1.0
    is_share: ClassVar[bool] = True
    averages: ClassVar[tuple[Average, ...]] = ("bias", "prevalence", "macro", None)
    prior_modes: ClassVar[tuple[str, ...]] = ("reweight", "odds")
    warns: ClassVar[bool] = True
    warns_of_one_sample: ClassVar[bool] = True

    average: Average = "bias"

    def undefined(self, table: Table) -> str:
        return self.of_one_class(table, table.reference_totals, "references")

    def warn_of(self, table: Table) -> None:
        warn_absent(self.title, table, "predictions", "references")

    def of(self, sums: Sums) -> Numbers:
        defined = (sums.references > 0) & (sums.other_references > 0)
        return self._averaged(np.where(defined, sums.tpr - sums.fpr, 0.0), sums)

    def at_odds(self, table: Table, prior: Numbers) -> Any:
        """Return sum_c beta_c [p_cc/q_c - (beta_c - p_cc)/(1 - q_c)] with q the prior."""
        right, sums = table.hits / table.total, sums_of(table)
        gains = right / prior - (sums.bias - right) / (1 - prior)
        return self._averaged(np.nan_to_num(gains, nan=0.0), sums).tolist()

    def _averaged(self, gains: Numbers, sums: Sums) -> Numbers:
        """Average the gains of the classes."""
        if self.average is None:
            return gains
        return (self._weights(sums) * gains).sum(axis=0)

    def _weights(self, sums: Sums) -> Numbers:
        if self.average == "macro":
            present = sums.references > 0
            return present / np.count_nonzero(present, axis=0)
        return sums.bias if self.average == "bias" else sums.prevalence

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


def warn_absent(title: str, table: Table, columns: str, rows: str) -> None:
    """Warn about classes that only the columns have: their gain counts as 0."""
    there = table.reference_totals
    absent = [
        table.labels[code]
        for code in np.flatnonzero((table.prediction_totals > 0) & (there == 0)).tolist()
    ]
    absent = [label for label in absent if label is not None]
    if not absent:
        return
    names = ", ".join(map(show, absent[:5])) + ", ..." * (len(absent) > 5)
    message = f"among the {columns} but not the {rows}, so counted as 0 in {title}: {names}"
    if isinstance(absent[0], str):
        known: Any = [table.labels[code] for code in np.flatnonzero(there).tolist()]
        plain = {"".join(label.split()).casefold(): label for label in known}
        alike = [x for x in absent if "".join(str(x).split()).casefold() in plain]
        for label in alike[:1]:
            like = plain["".join(str(label).split()).casefold()]
            message += f"; {show(label)} differs from {show(like)} only in case or spaces"
    warn(message, UndefinedMetricWarning)


# NIT


class Nit(Score):
    """Normalised Information Transfer 2^MI / k: at most 1, chance 1/k."""

    name: ClassVar[str] = "nit"
    title: ClassVar[str] = "NIT"
    warns: ClassVar[bool] = True
    warns_of_one_sample: ClassVar[bool] = True
    stand_in: ClassVar[float] = 1.0
    from_margins: ClassVar[bool] = False
    relative_to_prevalence: ClassVar[bool] = True

    def chance(self, table: Table) -> float | None:
        return 1 / n_classes(table)

    def undefined(self, table: Table) -> str:
        only_one = "there is only one class: NIT is 1.0 by definition"
        return only_one if n_classes(table) == 1 else ""

    def warn_of(self, table: Table) -> None:
        warn_of_outside(self.title, table)

    def of(self, sums: Sums) -> Numbers:
        entropic = x_log_x(sums.cells) - x_log_x(sums.references) - x_log_x(sums.predictions)
        return np.exp(entropic / sums.total + np.log(sums.total)) / sums.n_classes

    def exact(self, table: Table) -> Numbers:
        return np.exp2(mutual_information(table)) / n_classes(table)

    def cell_gradient(self, table: Table) -> Numbers:
        # of exp(sum p_ij ln(p_ij / (pi_i beta_j)))
        r, c = table.reference_totals[table.rows], table.prediction_totals[table.columns]
        return self.exact(table) * np.log(table.counts / r / (c / table.total))


def x_log_x(amounts: Numbers) -> Numbers:
    """Return the sum of x ln x over the first axis."""
    return (amounts * np.log(np.where(amounts > 0, amounts, 1))).sum(axis=0)


def mutual_information(table: Table) -> float:
    """Return MI = sum p_ij log2(p_ij / (pi_i beta_j)) in bits: never below 0, its value at
    independence.

    As sum e phi(d) with e = pi beta, p = e (1 + d) and phi(d) = (1 + d) ln(1 + d) - d >= 0: the
    terms of the usual sum cancel near independence, these do not. Each empty cell adds its e.
    """
    p, n = table.counts / table.total, table.total
    kept = p > 1e-300  # what is less adds nothing, and its quotients may overflow
    i, j, p = table.rows[kept], table.columns[kept], p[kept]
    r, c = table.reference_totals, table.prediction_totals
    expected = r[i] / n * (c[j] / n)
    d = (p - expected) / expected
    times = table.counts[kept] / r[i] / (c[j] / n)  # p / e, which 1 + d rounds to 0 below 1e-16
    series = d * d * np.polyval([1 / 56, -1 / 42, 1 / 30, -1 / 20, 1 / 12, -1 / 6, 1 / 2], d)
    terms = np.where(np.abs(d) < 0.01, series * expected, p * np.log(times) - (p - expected))
    no_empty_cells = len(p) == np.count_nonzero(r) * np.count_nonzero(c)
    empty = 0.0 if no_empty_cells else max(1 - float(expected.sum()), 0.0)
    return (float(terms.sum()) + empty) / math.log(2)


def outside_references(table: Table) -> tuple[int, int]:
    """Return how many values outside the references are predicted, and how many samples that takes.

    Each value adds (k - 1) / 2N nats to the mutual information that a guesser of k classes is
    expected to show on N samples. On 10 (k - 1) samples for each, a guesser who spreads over them
    scores 5% to 6% more than one who keeps to the classes; on a tenth of these, 48% to 77% more.
    Declared classes, and the one that unknown="wrong" makes, are not counted.
    """
    if table.declared:
        return 0, 0
    r, c = table.reference_totals, table.prediction_totals
    n_outside = int(np.count_nonzero((r == 0) & (c > 0)))
    wanted = 10 * (int(np.count_nonzero(r)) - 1) * n_outside
    return n_outside, wanted if n_outside > 1 else 0  # one is what unknown="wrong" would make of it


def warn_of_outside(title: str, table: Table) -> None:
    """Warn if predictions outside the references inflate the information."""
    n_outside, wanted = outside_references(table)
    if table.n_samples is not None and table.n_samples < wanted:
        warn(
            f"{title} counts predictions outside the references as information: {n_outside} "
            f"different ones in {table.n_samples} samples, where {wanted} samples are wanted; pass "
            'the classes as labels= and unknown="wrong" to count all of them as one answer'
        )


INFORMEDNESS, NIT = Informedness(), Nit()


# The prior


def read_prior(prior: Any, table: Table) -> Numbers:
    """Return the prior of each class of a table, nan where it has no reference.

    Declared classes without a reference are dropped with a warning, and the rest rescaled.

    Raises
    ------
    ValueError
        If a class in the references is missing, or not strictly between 0 and 1; if a class does
        not occur and is not declared; if the sum is not 1 within 1e-6.
    """
    if not isinstance(prior, Mapping):
        raise ValueError(
            f"`prior` must map each class to its probability, for example {{'a': 0.5, 'b': 0.5}}, "
            f"got {show(prior)}"
        )
    observed = {table.labels[code] for code in np.flatnonzero(table.reference_totals)}
    for label in sorted(observed - set(prior), key=str):
        raise ValueError(
            f"`prior` must cover every class in the references, {show(label)} is missing"
        )
    dropped = []
    for label, share in prior.items():
        if not is_real(share):
            raise ValueError(f"`prior` must hold numbers, got {show(share)} for {show(label)}")
        if not (0 < share < 1 or (share == 0 and label not in observed)):
            raise ValueError(
                "`prior` must lie strictly between 0 and 1 for every class, "
                f"got {show(share)} for {show(label)}"
            )
        if label not in observed:
            dropped.append(label)
            if label is None or not (table.declared and label in table.labels):
                raise ValueError(
                    f"`prior` must name classes of the references, got {show(label)}: "
                    "list it in `labels` if the task has it and these samples do not"
                )
    total = math.fsum(prior.values())
    if abs(total - 1) > 1e-6:
        raise ValueError(f"`prior` must sum to 1, got {total!r}")
    if dropped:
        names = ", ".join(map(show, dropped))
        warn(f"no reference is {names}: dropped from the prior, the rest were rescaled to sum to 1")
    shares = [float(prior[label]) if label in observed else np.nan for label in table.labels]
    return np.array(shares) / math.fsum(share for share in shares if share == share)


def reweighted(table: Table, shares: Numbers) -> Table:
    """Return the table with its rows scaled so that the classes have these shares."""
    counts = table.counts * (shares * table.total / table.reference_totals)[table.rows]
    return replace(table, counts=counts, squared_weights=None, n_samples=None)


# The signature


def signature_of(
    score: Score | str,
    table: Table,
    *,
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "reweight",
    zero_division: Any = "warn",
    ignore_index: Label | None = None,
    interval: str | None = None,
) -> str:
    """Return a line that records everything that affects a score; no two settings share a line.

    `score` is a name if the line is for several scores.

    Examples
    --------
    >>> signature_of(NIT, Table.from_labels(["a", "b"], ["a", "a"]))
    'nit|k:2|n:2|labels:observed|v:0.1.0'
    """
    parts = [score if isinstance(score, str) else score.name]
    if not isinstance(score, str) and score.averages:
        parts.append(f"avg:{str(score.average).lower()}")
    names = [label for label in table.labels if label is not None]
    parts.append(f"k:{len(names)}")
    parts.append("n:?" if table.n_samples is None else f"n:{table.n_samples}")
    if table.is_weighted:
        sums = [table.counts]
        if interval is not None and table.squared_weights is not None:
            sums.append(table.squared_weights)
        digest = _digest([[_rounded(x) for x in amounts.tolist()] for amounts in sums])
        parts.append(f"weight:{_rounded(table.total)},{digest}")
    parts.append(f"labels:{_digest(names)}" if table.declared else "labels:observed")
    if None in table.labels:
        parts.append("unknown:wrong")
    if ignore_index is not None:
        ignored = read_column([ignore_index], "ignore_index").example()
        parts.append("ignore:" + ascii(ignored).replace("|", "\\x7c"))
    if prior is not None:
        shares = [(label, float(prior[label])) for label in names if label in prior]
        parts.append(f"prior:{prior_mode}-{_digest(shares)}")
    elif not isinstance(score, str) and len(score.prior_modes) > 1:
        parts.append("prior:test")
    if not isinstance(zero_division, str) and zero_division != zero_division:
        parts.append("zero:nan")
    if interval is not None:
        parts.append(interval)
    return "|".join([*parts, f"v:{__version__}"])


def _rounded(amount: float) -> str:
    """Return 6 digits that do not depend on the order of summing, even for 1234.565."""
    return f"{float(f'{amount:.12g}'):.6g}"


def _digest(values: Any) -> str:
    """Return eight hexadecimal digits that stand for the values and their order."""
    from hashlib import sha256  # OpenSSL, which no score needs

    return sha256(ascii(values).encode()).hexdigest()[:8]
