"""The test of two models: the difference over its standard error, with their answers swapped.

**Statistic.** T = (S(B) - S(A)) / SE. A sample with reference r and answers a of A, b of B moves
the difference by d = g_B(r, b) - g_A(r, a), with g the gradient of the score at each model's own
table. Groups of samples are independent, and a sample without a group is one of its own:

    SE^2 = [growth sum over groups (sum over samples w (d - mean))^2 + made up] / (sum w)^2

with the weighted mean of d, and C / (C - 1) for C groups as growth, 1 if there are none.

**What few samples do not show** is made up: a sample on which the answers differ. Its weight is
sum w^2 / sum w, its reference any class, and its answers x, y are drawn from shares v, half even
and half those of both models' answers. So it adds the square of its weight times the mean of
(g(r, y) - g(r, x))^2 over x != y, 2 Var_v g / (1 - sum v^2), with g at the mean of both tables.
Scores of entropies are biased upwards by what guesses appear to transfer: their difference is that
of the jackknifed values, 0 if these differ the other way round, and SE^2 includes the squares of
this correction and of the difference in the most that chance could add.

**Null distribution.** That of T with the two answers to each sample (group) swapped at random. It
is exact if the answers are exchangeable, and right in the limit if only the scores are equal,
because T is then standard normal, swapped or not. If swaps leave the score unchanged (one model
renames what the other says) their T is not normal, so p is at least that of a normal T. If no
random swap reaches T, p is that of a normal T, and at least 2^(1 - m), the chance that all m
samples (groups) answered differently are swapped, or none.

**Computation.** Samples alike are counted: a unit has m copies, n of them not swapped, and its
excess is n - (m - n). A table is the mean of both models' tables, plus half the excess where A
answers x, minus it where B does (y). A and B exchanged mirror all of it to the last digit. So what
depends on which is first is summed for each on its own, and no product is left to BLAS, whose
digits may depend on where the numbers lie in memory.

Sources: Konietschke and Pauly (2014), "Bootstrapping and permuting paired t-test type statistics",
Statistics and Computing 24, 283-296; Chung and Romano (2013), "Exact and asymptotically robust
permutation tests", Annals of Statistics 41, 484-507.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers, show
from ..core.scores import n_classes
from ..core.table import Table
from .entropic import EntropicScore
from .intervals import check_level
from .score import MarginScore, ScoreWithInterval
from .sums import Sums, quotient
from .units import SumsBy, Triples, Units

_CHUNK = 2**16  # numbers of an array of swaps; larger ones leave the cache
_MOST_BITS = 100  # copies of a unit; of more a binomial number is faster than a sum of bits


@dataclass(frozen=True)
class Plan:
    """The level of the interval, the number of random swaps and their seed."""

    level: float
    n_resamples: int
    seed: int

    def __post_init__(self) -> None:
        check_level(self.level)
        for name, least in (("n_resamples", 100), ("seed", 0)):
            value = getattr(self, name)
            whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
            if not whole or value < least:
                raise ValueError(
                    f"`{name}` must be an integer of at least {least}, got {show(value)}"
                )


class Verdict(NamedTuple):
    """The difference with its test and the interval of that test."""

    standard_error: float
    low: float
    high: float
    p_value: float
    test: str


class _Scored(NamedTuple):
    """A score of n tables of cells, and its gradient at the cells, (n_cells, n)."""

    value: Numbers
    gradient: Numbers
    unbiased: Numbers | None = None
    chance: Numbers | float = 0.0
    """What chance could add to the score at most."""


class Swaps:
    """Two models' tables of cells, and what swaps of their answers make of them.

    Parameters
    ----------
    table : Table
        Of the answers of both, as samples give it; its labels are those of the triples.
    score : Score
    triples : Triples
    given_shares : bool
        Whether the weights make the classes have given shares, so that only how the predictions of
        a class are shared out varies.
    """

    def __init__(
        self, table: Table, score: ScoreWithInterval, triples: Triples, given_shares: bool = False
    ) -> None:
        self.score, _ = score.oriented(table)
        # markedness is informedness with references and predictions exchanged
        self.is_transposed, self.given_shares = self.score is not score, given_shares
        self.k, self.n_classes = len(table.labels), n_classes(table)
        self.is_class = np.array([label is not None for label in table.labels])[:, None]
        r, a, b, counts, weights, groups = triples
        fused = [answer * self.k + r if self.is_transposed else r * self.k + answer
                 for answer in (a, b)]  # fmt: skip
        cells, places = np.unique(np.concatenate(fused), return_inverse=True)
        of_a, of_b = places.reshape(2, -1)
        amounts, size = counts * weights, len(cells)
        self.rows, self.columns = np.divmod(cells, self.k)
        self.right = np.flatnonzero(self.rows == self.columns)
        of_both = np.bincount(of_a, amounts, size) + np.bincount(of_b, amounts, size)
        self.middle = of_both[:, None] / 2
        self.total = float(self.middle.sum())  # not of the triples, whose order is that of A
        self.one = math.fsum((amounts * weights).tolist()) / self.total
        self.is_whole, self.is_plain = (
            not (weights % 1).any(),
            groups is None and (weights == 1).all(),
        )

        self.units = units = Units.of(triples, of_a, of_b)
        self.growth = 1.0 if groups is None else len(units.copies) / (len(units.copies) - 1)
        self.unit_weights = np.bincount(units.unit, units.as_x + units.as_y)
        self.squares = float((units.copies * self.unit_weights**2).sum())
        self.starts = np.flatnonzero(np.diff(units.unit, prepend=-1))
        moved = np.where(units.x == units.y, 0.0, (units.as_x - units.as_y) / 2)
        self.free = np.unique(units.unit[moved != 0])  # swapping these changes something
        kept = np.flatnonzero(moved)
        both, unit = np.append(units.x[kept], units.y[kept]), np.tile(units.unit[kept], 2)
        self.moved = SumsBy.by(both, size, unit, np.append(moved[kept], -moved[kept]))

        everywhere = np.arange(size)
        self.by_row, by_column = (
            SumsBy.by(codes, self.k, everywhere) for codes in (self.rows, self.columns)
        )
        margins = (self.by_row, by_column)[:: -1 if self.is_transposed else 1]
        self.references, self.answers = (by.of(self.middle) for by in margins)
        self.by_answer = margins[1]
        self.chunk = max(8, _CHUNK // (len(units.copies) + size))
        self.made_up = self._made_up()

    def _made_up(self) -> float:
        """Return what the made-up sample adds.

        The gradient is a term of the reference, which cancels, one of the answer, and at some cells
        a third.
        """
        present = self.references[:, 0] > 0
        v = (1 / self.k + self.answers[:, 0] / self.answers.sum()) / 2
        if isinstance(self.score, EntropicScore):
            # an empty cell counts as of one sample
            cells, rows, columns = self.middle[:, 0], self.rows, self.columns
            of_answer = -np.log(np.maximum(self.answers[:, 0], self.one))
            of_cell = np.where(cells > 0, _log(cells) - math.log(self.one), 0)
            scale = float(self._scored(self.middle, self.answers).value[0])
        else:
            a, b, of_cell = (part[:, 0] for part in self._parts(self._sums(self.middle)))
            of_answer, scale = a if self.is_transposed else b, 1.0
            rows = columns = np.arange(self.k)
        of_answer = of_answer - (v * of_answer).sum()
        part = v[columns] * of_cell
        variance = (v * of_answer**2).sum() - np.bincount(rows, part, self.k) ** 2
        variance += np.bincount(rows, part * (of_cell + 2 * of_answer[columns]), self.k)
        mean = float(variance[present].sum()) / np.count_nonzero(present)
        return max(2 * (self.one * scale) ** 2 * mean / (1 - float((v**2).sum())), 0.0)

    def difference(self, excess: Numbers) -> tuple[Numbers, Numbers]:
        """Return the differences and their standard errors at these excesses, (n_units, n)."""
        moved = self.moved.of(excess)
        a, b = (
            self._scored(cells, answers)
            for cells, answers in zip(
                self._sides(self.middle, moved),
                self._sides(self.answers, self.by_answer.of(moved)),
                strict=True,
            )
        )
        variance = self._variance(excess, a.gradient, b.gradient) + self.made_up
        difference, error = b.value - a.value, np.sqrt(variance) / self.total
        if a.unbiased is not None and b.unbiased is not None:
            unbiased = b.unbiased - a.unbiased
            error = np.sqrt(error**2 + (difference - unbiased) ** 2 + (b.chance - a.chance) ** 2)
            difference = np.where(unbiased * difference > 0, unbiased, 0.0)
        return np.where(np.abs(difference) < 1e-12, 0.0, difference), error

    def _sides(self, middle: Numbers, moved: Numbers) -> tuple[Numbers, Numbers]:
        """Return the amounts of A and of B."""
        a, b = middle + moved, middle - moved
        if not self.is_whole:  # what swaps empty is empty, and not what rounding leaves there
            a, b = (np.where(side > 1e-12 * middle, side, 0.0) for side in (a, b))
        return a, b

    def _variance(self, excess: Numbers, g_a: Numbers, g_b: Numbers) -> Numbers:
        """Return the sum over units of (sum w (d - mean))^2, times the growth."""
        units, copies = self.units, self.units.copies[:, None]
        kept = g_b[units.y]
        kept -= g_a[units.x]
        swapped = g_b[units.x]
        swapped -= g_a[units.y]
        if not self.is_plain:
            as_x, as_y = units.as_x[:, None], units.as_y[:, None]
            both = as_x * kept + as_y * swapped, as_y * kept + as_x * swapped
            kept, swapped = (np.add.reduceat(each, self.starts, axis=0) for each in both)
        n_kept = (copies + excess) / 2
        sums, of_swapped = n_kept * kept, (copies - n_kept) * swapped
        squares = np.einsum("ij,ij->j", sums, kept) + np.einsum("ij,ij->j", of_swapped, swapped)
        sums += of_swapped
        mean = sums.sum(axis=0) / self.total
        variance = squares - 2 * mean * _dot(self.unit_weights, sums) + mean**2 * self.squares
        # not what rounding leaves where all samples move the difference alike
        return self.growth * np.where(variance > 1e-13 * squares, variance, 0.0)

    def _scored(self, cells: Numbers, answers: Numbers) -> _Scored:
        """Return the score of n tables with these totals of the answers, and its gradient."""
        if isinstance(self.score, EntropicScore):
            return self._entropic(self.score, cells, answers)
        sums = self._sums(cells, answers)
        a, b, u = self._parts(sums)
        gradient = a[self.rows]
        gradient += b[self.columns]
        gradient[self.right] += u[self.rows[self.right]]
        return _Scored(self.score.of(sums), gradient)

    def _sums(self, cells: Numbers, answers: Numbers | None = None) -> Sums:
        r, c = self.references, self.answers if answers is None else answers
        r, c = (c, r) if self.is_transposed else (r, c)
        h = np.zeros((self.k, cells.shape[1]))
        h[self.rows[self.right]] = cells[self.right]
        occur = ((r > 0) | (c > 0)) & self.is_class
        return Sums(h, r, c, np.full(1, self.total), occur, self.n_classes, cells)

    def _parts(self, sums: Sums) -> tuple[Numbers, Numbers, Numbers]:
        """Return the parts a, b and u of the gradient of a score of hits and totals."""
        score: MarginScore = self.score
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b, u = (np.nan_to_num(part, posinf=0, neginf=0) + np.zeros_like(sums.hits)
                       for part in score.gradient(sums))  # fmt: skip
        if self.given_shares:
            of_row = self.by_row.of(sums.cells * b[self.columns]) + sums.hits * u
            a = -quotient(of_row, sums.references)
        return a, b, u

    def _entropic(self, score: EntropicScore, cells: Numbers, answers: Numbers) -> _Scored:
        """Return the same of a score of cells."""
        n, one, size = self.total, self.one, self.total / self.one
        amounts = cells, answers, self.references, np.full((1, 1), n)
        # the last makes up for the others, so that the score depends on shares alone
        signs = *score.signs, -sum(score.signs)
        logarithms = [self._tabled(_log, x) for x in amounts]
        logarithm, changed = np.zeros(1), np.zeros(1)
        for sign, x, log in zip(signs, amounts, logarithms, strict=True):
            if sign:
                logarithm = logarithm + sign * np.einsum("ij,ij->j", x, log) / n
                changed = changed + sign * self._tabled(self._jackknife, x).sum(axis=0)
        # all samples of a cell change the score alike when left out
        shift = (changed + size * logarithm) / (size - 1)
        prevalence = np.einsum("ij,ij->j", self.references, logarithms[2]) / n - math.log(n)
        scale, least = score.scale(self.n_classes), score.least(prevalence)
        value = scale * np.exp(logarithm)
        unbiased = scale * np.exp(np.maximum(logarithm - (1 - 1 / size) * shift, least))
        # an answer given c times passes on no more than c H(ref), nor by chance than (k - 1) / 2
        classes = np.count_nonzero(self.references)
        by_chance = np.minimum((classes - 1) / 2, answers / one * -prevalence).sum(axis=0) / size
        of_column = value * signs[1] * logarithms[1]
        gradient = logarithms[0] * value
        gradient += of_column[self.columns]
        if signs[2]:
            gradient += (signs[2] * logarithms[2])[self.rows] * value
        return _Scored(
            value, gradient + signs[3] * math.log(n) * value, unbiased, value * by_chance
        )

    def _jackknife(self, amounts: Numbers) -> Numbers:
        """Return x (f(x - 1) - f(x)), f(x) = x ln x, of amounts of x samples."""
        x = amounts / self.one
        rest = np.maximum(x - 1, 0)
        return x * (rest * _log(rest) - x * _log(x))

    def _tabled(self, function: Callable[[Numbers], Numbers], amounts: Numbers) -> Numbers:
        """Return a function of amounts: of many that are whole numbers or halves, from a table."""
        if not self.is_whole or amounts.size < 1000:
            return function(amounts)
        halves = (amounts + amounts).astype(np.int64)
        return function(np.arange(int(halves.max()) + 1) / 2)[halves]

    def verdict(self, plan: Plan) -> Verdict:
        """Return the test of the difference and the interval that matches it.

        The test does not reject if |T| is at most a quantile of the swapped |T|, or at most that of
        a normal T, so the interval reaches as many standard errors as the larger of the two.
        """
        differences, errors = self.difference(self.units.observed[:, None])
        difference, error = float(differences[0]), float(errors[0])
        observed = float(_ratio(differences, errors)[0])
        copies = self.units.copies[self.free].astype(np.int64)
        # at least 2 ways each, and the product of a million would take long
        is_exact = len(copies) < plan.n_resamples.bit_length()
        if is_exact and math.prod((copies + 1).tolist()) <= plan.n_resamples:
            test, swapped, chances = "exact", *self._all_ways(copies)
        else:
            test, swapped = "permutation", self._random_ways(copies, plan, observed)
            chances = np.full(len(swapped), 1 / len(swapped))
        p_value = float(chances[swapped >= observed * (1 - 1e-9)].sum())
        if p_value == 0:
            test, p_value = "normal", 2.0 ** (1 - min(int(copies.sum()), 1000))
        p_value = min(max(p_value, math.erfc(observed / math.sqrt(2))), 1.0)
        order = np.argsort(-swapped, kind="stable")
        place = int(np.searchsorted(np.cumsum(chances[order]), 1 - plan.level - 1e-12))
        quantile = float(swapped[order[min(place, len(order) - 1)]])
        reach = max(quantile, NormalDist().inv_cdf((1 + plan.level) / 2)) * error
        low, high = difference - reach, difference + reach
        if not 1 - p_value > plan.level:
            low, high = min(low, 0.0), max(high, 0.0)  # 0 but for rounding
        return Verdict(error, low, high, p_value, test)

    def _all_ways(self, copies: Codes) -> tuple[Numbers, Numbers]:
        """Return |T| of all ways to swap, and their chances."""
        ways = np.indices((copies + 1).tolist()).reshape(
            len(copies), math.prod((copies + 1).tolist())
        )
        chances = np.ones(ways.shape[1])
        for m, way in zip(copies.tolist(), ways, strict=True):
            chances *= np.array([math.comb(m, x) / 2**m for x in range(m + 1)])[way]
        return self._of_ways(ways), chances

    def _random_ways(self, copies: Codes, plan: Plan, observed: float) -> Numbers:
        """Return |T| of random ways to swap, and the observed one unless it is beyond them all.

        The first 100 / (1 - level) are enough if none of them reaches the observed |T|, or so many
        that p is at least twice 1 - level.
        """
        rng = np.random.default_rng(plan.seed)
        first = min(math.ceil(100 / (1 - plan.level)), plan.n_resamples)
        swapped = self._drawn(rng, copies, first)
        beyond = np.count_nonzero(swapped >= observed * (1 - 1e-9))
        if 0 < beyond < 200:
            swapped = np.append(swapped, self._drawn(rng, copies, plan.n_resamples - first))
        return np.append(swapped, observed) if beyond else swapped

    def _drawn(self, rng: np.random.Generator, copies: Codes, n: int) -> Numbers:
        """Return |T| of n random ways to swap."""
        few, many = (np.flatnonzero(which) for which in (copies <= _MOST_BITS, copies > _MOST_BITS))
        starts = np.cumsum(copies[few]) - copies[few]
        n_bits, found = int(copies[few].sum()), [np.zeros(0)]
        for start in range(0, n, self.chunk):
            size = min(self.chunk, n - start)
            ways = np.zeros((len(copies), size))
            ways[many] = rng.binomial(copies[many, None], 0.5, (len(many), size))
            if n_bits:
                drawn = np.frombuffer(rng.bytes(-(-n_bits * size // 8)), dtype=np.uint8)
                bits = np.unpackbits(drawn, count=n_bits * size).reshape(n_bits, size)
                ways[few] = np.add.reduceat(bits, starts, axis=0, dtype=np.uint8)
            found.append(self._of_ways(ways))
        return np.concatenate(found)

    def _of_ways(self, ways: Numbers) -> Numbers:
        """Return |T| with so many copies of each free unit not swapped."""
        found = []
        for some in np.split(ways, range(self.chunk, ways.shape[1], self.chunk), axis=1):
            excess = np.zeros((len(self.units.copies), some.shape[1]))
            excess[self.free] = 2 * some - self.units.copies[self.free, None]
            found.append(_ratio(*self.difference(excess)))
        return np.concatenate(found)


def _dot(weights: Numbers, amounts: Numbers) -> Numbers:
    """Return the weighted sums of the columns, whose digits depend on nothing but the numbers."""
    return np.asarray(np.einsum("i,ij->j", weights, amounts))


def _ratio(difference: Numbers, error: Numbers) -> Numbers:
    """Return |T|: 0 where there is no difference, infinite where one has no error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(difference == 0, 0.0, np.abs(difference) / error))


def _log(amounts: Numbers) -> Numbers:
    """Return the logarithms, 0 for 0."""
    return np.log(np.where(amounts > 0, amounts, 1))
