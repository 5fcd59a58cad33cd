"""The test of two models: the difference over its standard error, with their answers swapped.

docs/formulas.md has the formulas. A sample moves the difference by d = g_B - g_A, with g the
gradient of the score at each model's own table; T is the difference over the error that follows
from d. To it is added what a made-up sample would add on which the answers differ, since few
samples may show none. Scores of entropies are compared by their jackknifed values. The null
distribution is that of T with the two answers to each sample (group) swapped at random. It is exact
if the answers are exchangeable, and right in the limit if only the scores are equal, because T is
then standard normal, swapped or not. p is at least that of a normal T.

Samples alike are counted: a unit has m copies, n of them not swapped; its excess is n - (m - n).
A table is the mean of both models' tables, plus half the excess where A answers x, minus it where B
does (y). A and B exchanged mirror all of it to the last digit. So what depends on which is first is
summed for each on its own, and no product is left to BLAS, whose digits may depend on where the
numbers lie in memory.

Sources: Konietschke and Pauly (2014), "Bootstrapping and permuting paired t-test type statistics",
Statistics and Computing 24, 283-296; Chung and Romano (2013), "Exact and asymptotically robust
permutation tests", Annals of Statistics 41, 484-507.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
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
    """A score of n tables, and its gradient: a term of the reference, the answer and the cell."""

    value: Numbers
    by_reference: Numbers
    by_answer: Numbers
    by_cell: Numbers
    unbiased: Numbers | None = None
    chance: Numbers | float = 0.0
    """What chance could add to the score at most."""


class Swaps:
    """Two models' tables, and what swaps of their answers make of them.

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
        fused = [x * self.k + r if self.is_transposed else r * self.k + x for x in (a, b)]
        # the made-up sample may be right about a class that neither model ever is right about
        hits = np.arange(0 if isinstance(self.score, EntropicScore) else self.k) * (self.k + 1)
        cells, places = np.unique(np.concatenate([*fused, hits]), return_inverse=True)
        of_a, of_b = places[: 2 * len(r)].reshape(2, -1)
        amounts, size = counts * weights, len(cells)
        middle = (np.bincount(of_a, amounts, size) + np.bincount(of_b, amounts, size))[:, None] / 2
        self.total = float(middle.sum())  # not of the triples, whose order is that of A
        self.one = math.fsum((amounts * weights).tolist()) / self.total
        self.is_whole = not (weights % 1).any()
        self.is_plain = groups is None and bool((weights == 1).all())

        rows, columns = np.divmod(cells, self.k)
        r, answer = (columns, rows) if self.is_transposed else (rows, columns)
        # cells of which a score takes no more than their margins are the last one, which is empty
        seen = (r == answer) | given_shares | isinstance(self.score, EntropicScore)
        self.rows, self.columns = r[seen], answer[seen]
        self.right = np.flatnonzero(self.rows == self.columns)
        cell = np.where(seen, np.cumsum(seen) - 1, -1)
        self.cells = np.append(middle[seen], [[0.0]], axis=0)
        self.references, self.answers = (SumsBy(x, self.k).of(middle) for x in (r, answer))

        self.units = units = Units.of(triples, of_a, of_b)
        n_units = len(units.copies)
        self.growth = 1.0 if groups is None else n_units / (n_units - 1)
        self.unit_weights = np.bincount(units.unit, units.both)
        self.squares = float((units.copies * self.unit_weights**2).sum())
        self.starts = np.flatnonzero(np.diff(units.unit, prepend=-1))
        self.x, self.y = ((answer[side], cell[side]) for side in (units.x, units.y))
        self.of_unit = r[units.x]
        # entries whose swap changes something
        self.free = free = np.flatnonzero(units.moved)
        self.free_unit = units.unit[free]
        self.free_starts = np.flatnonzero(np.diff(self.free_unit, prepend=-1))
        self.free_x, self.free_y = ([x[free] for x in side] for side in (self.x, self.y))
        self.sums_of_x, self.sums_of_y = (
            (SumsBy(answers, self.k), SumsBy(cells, len(self.cells)))
            for answers, cells in (self.free_x, self.free_y)
        )
        self.chunk = max(8, _CHUNK // (n_units + size))
        self.made_up = self._made_up()

    def _made_up(self) -> float:
        """Return what the made-up sample adds."""
        present = self.references[:, 0] > 0
        v = (1 / self.k + self.answers[:, 0] / self.answers.sum()) / 2
        at_middle, scale = self._scored(self.answers, self.cells), 1.0
        of_answer, of_cell = at_middle.by_answer[:, 0], at_middle.by_cell[:-1, 0]
        if isinstance(self.score, EntropicScore):
            # an empty cell counts as of one sample
            scale = float(at_middle.value[0])
            of_answer = -np.log(np.maximum(self.answers[:, 0], self.one))
            of_cell = np.log(self.cells[:-1, 0] / self.one)
        of_answer = of_answer - (v * of_answer).sum()
        part = v[self.columns] * of_cell
        variance = (v * of_answer**2).sum() - np.bincount(self.rows, part, self.k) ** 2
        part = part * (of_cell + 2 * of_answer[self.columns])
        variance += np.bincount(self.rows, part, self.k)
        mean = float(variance[present].sum()) / np.count_nonzero(present)
        return max(2 * (self.one * scale) ** 2 * mean / (1 - float((v**2).sum())), 0.0)

    def difference(self, excess: Numbers) -> tuple[Numbers, Numbers]:
        """Return the differences and their standard errors at these excesses, (n_free, n)."""
        moved = excess / 2
        if not self.is_plain:
            moved = moved[self.free_unit] * self.units.moved[self.free, None]
        sides = [
            self._sides(middle, of_x.of(moved) - of_y.of(moved))
            for middle, of_x, of_y in zip(
                (self.answers, self.cells), self.sums_of_x, self.sums_of_y, strict=True
            )
        ]
        a, b = (self._scored(*amounts) for amounts in zip(*sides, strict=True))
        variance = self._variance(excess, a, b) + self.made_up
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

    def _variance(self, excess: Numbers, a: _Scored, b: _Scored) -> Numbers:
        """Return the sum over units of (sum w (d - mean))^2, times the growth.

        A copy moves the difference by `same` + `turned` as it is, by `same` - `turned` swapped.
        """
        half = [(g_b + g_a) / 2 for g_a, g_b in zip(a[2:4], b[2:4], strict=True)]
        apart = [(g_b - g_a) / 2 for g_a, g_b in zip(a[2:4], b[2:4], strict=True)]
        turned = _at(half, self.free_y)
        turned -= _at(half, self.free_x)
        same = np.take(b.by_reference - a.by_reference, self.of_unit, axis=0)
        same += _at(apart, self.x)
        same += _at(apart, self.y)
        if not self.is_plain:
            turned *= self.units.moved[self.free, None]
            same *= self.units.both[:, None]
            turned = np.add.reduceat(turned, self.free_starts, axis=0)
            same = np.add.reduceat(same, self.starts, axis=0)
        copies, n_free = self.units.copies[:, None], len(excess)
        sums, of_free = copies * same, excess * turned
        turned *= turned
        squares = _dot(copies[:n_free, 0], turned) + np.einsum("ij,ij->j", sums, same)
        squares += 2 * np.einsum("ij,ij->j", of_free, same[:n_free])
        sums[:n_free] += of_free
        mean = sums.sum(axis=0) / self.total
        variance = squares - 2 * mean * _dot(self.unit_weights, sums) + mean**2 * self.squares
        # not what rounding leaves where all samples move the difference alike
        return self.growth * np.where(variance > 1e-13 * squares, variance, 0.0)

    def _scored(self, answers: Numbers, cells: Numbers) -> _Scored:
        """Return the score of n tables with these totals of the answers, and its gradient."""
        if isinstance(self.score, EntropicScore):
            return self._entropic(self.score, answers, cells)
        score: MarginScore = self.score
        hits = np.zeros((self.k, cells.shape[1]))
        hits[self.rows[self.right]] = cells[self.right]
        r, c = (answers, self.references) if self.is_transposed else (self.references, answers)
        occur = ((self.references > 0) | (answers > 0)) & self.is_class
        total = np.full(1, self.total)
        sums = Sums(hits, r, c, total, occur, self.n_classes, cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b, u = (
                np.nan_to_num(part, posinf=0, neginf=0) + np.zeros_like(hits)
                for part in score.gradient(sums)
            )
        if self.given_shares:
            of_row = SumsBy(self.rows, self.k).of(cells[:-1] * b[self.columns]) + hits * u
            a = -quotient(of_row, sums.references)
        by_cell = np.zeros_like(cells)
        by_cell[self.right] = u[self.rows[self.right]]
        a, b = (b, a) if self.is_transposed else (a, b)
        return _Scored(score.of(sums), a, b, by_cell)

    def _entropic(self, score: EntropicScore, answers: Numbers, cells: Numbers) -> _Scored:
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
        chance = np.minimum((classes - 1) / 2, answers / one * -prevalence).sum(axis=0) / size
        by_reference = (signs[2] * logarithms[2] + signs[3] * math.log(n)) * value
        by_answer, by_cell = signs[1] * logarithms[1] * value, logarithms[0] * value
        return _Scored(value, by_reference, by_answer, by_cell, unbiased, value * chance)

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
        return np.take(function(np.arange(int(halves.max()) + 1) / 2), halves)

    def verdict(self, plan: Plan) -> Verdict:
        """Return the test of the difference and the interval that matches it.

        The test does not reject if |T| is at most a quantile of the swapped |T|, or at most that of
        a normal T, so the interval reaches as many standard errors as the larger of the two.
        """
        n_free = len(self.free_starts)
        differences, errors = self.difference(self.units.observed[:n_free, None])
        difference, error = float(differences[0]), float(errors[0])
        observed = float(_ratio(differences, errors)[0])
        copies = self.units.copies[:n_free].astype(np.int64)
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
                if n_bits > len(few):
                    bits = np.add.reduceat(bits, starts, axis=0, dtype=np.uint8)
                ways[few] = bits
            found.append(self._of_ways(ways))
        return np.concatenate(found)

    def _of_ways(self, ways: Numbers) -> Numbers:
        """Return |T| with so many copies of each free unit not swapped."""
        found, copies = [], self.units.copies[: len(ways), None]
        for some in np.split(ways, range(self.chunk, ways.shape[1], self.chunk), axis=1):
            found.append(_ratio(*self.difference(2 * some - copies)))
        return np.concatenate(found)


def _at(parts: Sequence[Numbers], codes: Sequence[Codes]) -> Numbers:
    """Return the terms of the answer and of the cell, together, where these are the codes."""
    found = np.take(parts[0], codes[0], axis=0)
    found += np.take(parts[1], codes[1], axis=0)
    return found


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
