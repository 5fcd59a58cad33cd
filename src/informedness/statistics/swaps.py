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
"""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers, show
from ..core.scores import n_classes
from ..core.table import Table
from .entropic import EntropicScore
from .intervals import Interval, check_level
from .score import MarginScore, ScoreWithInterval
from .sums import Sums, quotient
from .units import SumsBy, Triples, Units

_CHUNK = 2**16  # numbers of an array of swaps; larger ones leave the cache
_MOST_BITS = 100  # copies of a unit; of more a binomial number is faster than a sum of bits


def check_plan(level: float, n_resamples: int, seed: int) -> None:
    """Raise ValueError unless these are a level, a number of random swaps and their seed."""
    check_level(level)
    for name, value, least in (("n_resamples", n_resamples, 100), ("seed", seed, 0)):
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or value < least:
            raise ValueError(f"`{name}` must be an integer of at least {least}, got {show(value)}")


class _Scored(NamedTuple):
    """A score of n tables, and its gradient: a term of the reference, the answer and the cell."""

    value: Numbers
    by_reference: Numbers
    by_answer: Numbers
    by_cell: Numbers
    unbiased: Numbers
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
        found, places = np.unique(np.concatenate([*fused, hits]), return_inverse=True)
        of_a, of_b = places[: 2 * len(r)].reshape(2, -1)
        amounts, size = counts * weights, len(found)
        of_both = np.bincount(of_a, amounts, size) + np.bincount(of_b, amounts, size)
        middle = of_both[:, None] / 2
        self.total = float(middle.sum())  # not of the triples, whose order is that of A
        self.one = math.fsum((amounts * weights).tolist()) / self.total

        rows, columns = np.divmod(found, self.k)
        r, answer = (columns, rows) if self.is_transposed else (rows, columns)
        self.references = SumsBy(r, self.k).of(middle)
        slot, first = np.arange(size), np.arange(size)
        if not (given_shares or isinstance(self.score, EntropicScore)):
            # wrong answers are alike, whatever their reference
            kinds = answer + self.k * (r == answer)
            _, first, slot = np.unique(kinds, return_index=True, return_inverse=True)
        self.middle = SumsBy(slot, len(first)).of(middle)
        self.r, self.answer = r[first], answer[first]
        self.right = np.flatnonzero(self.r == self.answer)
        self.by_answer = SumsBy(self.answer, self.k)

        self.units = units = Units.of(triples, of_a, of_b)
        n_units = len(units.copies)
        self.growth = 1.0 if groups is None else n_units / (n_units - 1)
        self.unit_weights = np.bincount(units.unit, units.both)
        self.squares = float((units.copies * self.unit_weights**2).sum())
        self.sums_of_units = SumsBy(units.unit, n_units)
        self.x, self.y, self.of_unit = slot[units.x], slot[units.y], r[units.x]
        # entries whose swap changes something
        self.free = free = np.flatnonzero(units.moved)
        self.moved, self.free_unit = units.moved[free, None], units.unit[free]
        self.n_free = len(np.unique(self.free_unit))
        self.sums_of_free = SumsBy(self.free_unit, self.n_free)
        self.sums_of_x, self.sums_of_y = (SumsBy(x[free], len(first)) for x in (self.x, self.y))
        self.chunk = max(8, _CHUNK // (n_units + size))
        self.made_up = self._made_up()

    def _made_up(self) -> float:
        """Return what the made-up sample adds."""
        present, answers = self.references[:, 0] > 0, self.by_answer.of(self.middle)[:, 0]
        v = (1 / self.k + answers / answers.sum()) / 2
        at_middle, scale = self._scored(self.middle), 1.0
        of_answer, of_cell = at_middle.by_answer[:, 0], at_middle.by_cell[:, 0]
        if isinstance(self.score, EntropicScore):
            # an empty cell counts as of one sample
            scale = float(at_middle.value[0])
            of_answer = -np.log(np.maximum(answers, self.one))
            of_cell = np.log(self.middle[:, 0] / self.one)
        of_answer = of_answer - (v * of_answer).sum()
        part = v[self.answer] * of_cell
        variance = (v * of_answer**2).sum() - np.bincount(self.r, part, self.k) ** 2
        variance += np.bincount(self.r, part * (of_cell + 2 * of_answer[self.answer]), self.k)
        mean = float(variance[present].sum()) / np.count_nonzero(present)
        return max(2 * (self.one * scale) ** 2 * mean / (1 - float((v**2).sum())), 0.0)

    def difference(self, excess: Numbers) -> tuple[Numbers, Numbers]:
        """Return the differences and their standard errors at these excesses, (n_free, n)."""
        half = (excess / 2)[self.free_unit] * self.moved
        moved = self.sums_of_x.of(half) - self.sums_of_y.of(half)
        sides = self.middle + moved, self.middle - moved
        # what swaps empty is empty, and not what rounding leaves there
        a, b = (self._scored(np.where(x > 1e-12 * self.middle, x, 0.0)) for x in sides)
        variance = self._variance(excess, a, b) + self.made_up
        difference, unbiased = b.value - a.value, b.unbiased - a.unbiased
        error = np.sqrt(variance) / self.total
        error = np.sqrt(error**2 + (difference - unbiased) ** 2 + (b.chance - a.chance) ** 2)
        difference = np.where(unbiased * difference > 0, unbiased, 0.0)
        return np.where(np.abs(difference) < 1e-12, 0.0, difference), error

    def _variance(self, excess: Numbers, a: _Scored, b: _Scored) -> Numbers:
        """Return the sum over units of (sum w (d - mean))^2, times the growth.

        A copy moves the difference by `same` + `turned` as it is, by `same` - `turned` swapped.
        """
        units, (of_a, of_b) = self.units, (x.by_answer[self.answer] + x.by_cell for x in (a, b))
        half, apart = (of_b + of_a) / 2, (of_b - of_a) / 2
        same = np.take(b.by_reference - a.by_reference, self.of_unit, axis=0)
        same += np.take(apart, self.x, axis=0)
        same += np.take(apart, self.y, axis=0)
        turned = np.take(half, self.y[self.free], axis=0)
        turned -= np.take(half, self.x[self.free], axis=0)
        same = self.sums_of_units.of(same * units.both[:, None])
        turned = self.sums_of_free.of(turned * self.moved)
        sums, of_free = units.copies[:, None] * same, excess * turned
        squares = np.einsum("ij,ij->j", sums, same)
        squares += 2 * np.einsum("ij,ij->j", of_free, same[: self.n_free])
        squares += np.einsum("i,ij->j", units.copies[: self.n_free], turned * turned)
        sums[: self.n_free] += of_free
        mean = sums.sum(axis=0) / self.total
        variance = squares - 2 * mean * np.einsum("i,ij->j", self.unit_weights, sums)
        variance += mean**2 * self.squares
        # not what rounding leaves where all samples move the difference alike
        return self.growth * np.where(variance > 1e-13 * squares, variance, 0.0)

    def _scored(self, cells: Numbers) -> _Scored:
        """Return the score of n tables with these amounts of each slot, and its gradient."""
        answers = self.by_answer.of(cells)
        # where all answers are one class, rounding leaves none to the others
        answers = np.where(answers < (1 - 1e-12) * self.total, answers, self.total)
        if isinstance(self.score, EntropicScore):
            return self._entropic(self.score, answers, cells)
        score: MarginScore = self.score
        of_right = self.r[self.right]
        hits, by_cell = np.zeros_like(answers), np.zeros_like(cells)
        hits[of_right] = cells[self.right]
        r, c = (answers, self.references) if self.is_transposed else (self.references, answers)
        occur = ((self.references > 0) | (answers > 0)) & self.is_class
        sums = Sums(hits, r, c, np.full(1, self.total), occur, self.n_classes, cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b, u = (
                np.nan_to_num(part, posinf=0, neginf=0) + np.zeros_like(hits)
                for part in score.gradient(sums)
            )
        by_cell[self.right] = u[of_right]
        if self.given_shares:
            a = -quotient(SumsBy(self.r, self.k).of(cells * (b[self.answer] + by_cell)), r)
        a, b = (b, a) if self.is_transposed else (a, b)
        value = score.of(sums)
        return _Scored(value, a, b, by_cell, value)

    def _entropic(self, score: EntropicScore, answers: Numbers, cells: Numbers) -> _Scored:
        """Return the same of a score of cells."""
        size = self.total / self.one
        amounts = [
            x / self.one for x in (cells, answers, self.references, np.full((1, 1), self.total))
        ]
        logarithms = [_log(x) for x in amounts]
        # the last makes up for the others, so that the score depends on shares alone
        signs = *score.signs, -sum(score.signs)
        logarithm, changed = np.zeros(1), np.zeros(1)
        for sign, x, log in zip(signs, amounts, logarithms, strict=True):
            rest = np.maximum(x - 1, 0)
            logarithm = logarithm + sign * np.einsum("ij,ij->j", x, log) / size
            changed = changed + sign * (x * (rest * _log(rest) - x * log)).sum(axis=0)
        # all samples of a cell change the score alike when left out
        shift = (changed + size * logarithm) / (size - 1)
        prevalence = np.einsum("ij,ij->j", amounts[2], logarithms[2]) / size - math.log(size)
        scale, least = score.scale(self.n_classes), score.least(prevalence)
        value = scale * np.exp(logarithm)
        unbiased = scale * np.exp(np.maximum(logarithm - (1 - 1 / size) * shift, least))
        # an answer given c times passes on no more than c H(ref), nor by chance than (k - 1) / 2
        classes = np.count_nonzero(self.references)
        chance = np.minimum((classes - 1) / 2, amounts[1] * -prevalence).sum(axis=0) / size
        by_reference = (signs[2] * logarithms[2] + signs[3] * math.log(size)) * value
        by_answer, by_cell = signs[1] * logarithms[1] * value, logarithms[0] * value
        return _Scored(value, by_reference, by_answer, by_cell, unbiased, value * chance)

    def verdict(self, level: float, n_resamples: int, seed: int) -> tuple[Interval, float, str]:
        """Return the difference with its interval, the p-value, and how it was tested.

        The test does not reject if |T| is at most a quantile of the swapped |T|, or at most that of
        a normal T, so the interval reaches as many standard errors as the larger of the two.
        """
        differences, errors = self.difference(self.units.observed[: self.n_free, None])
        difference, error = float(differences[0]), float(errors[0])
        observed = float(_ratio(differences, errors)[0])
        copies = self.units.copies[: self.n_free].astype(np.int64)
        # at least 2 ways each, and the product of a million would take long
        is_exact = len(copies) < n_resamples.bit_length()
        if is_exact and math.prod((copies + 1).tolist()) <= n_resamples:
            test, swapped, chances = "exact", *self._all_ways(copies)
        else:
            test = "permutation"
            swapped = self._random_ways(copies, level, n_resamples, seed, observed)
            chances = np.full(len(swapped), 1 / len(swapped))
        p_value = float(chances[swapped >= observed * (1 - 1e-9)].sum())
        if p_value == 0:
            test, p_value = "normal", 2.0 ** (1 - float(copies.sum()))
        p_value = min(max(p_value, math.erfc(observed / math.sqrt(2))), 1.0)
        order = np.argsort(-swapped, kind="stable")
        place = int(np.searchsorted(np.cumsum(chances[order]), 1 - level - 1e-12))
        quantile = float(swapped[order[min(place, len(order) - 1)]])
        reach = max(quantile, NormalDist().inv_cdf((1 + level) / 2)) * error
        low, high = difference - reach, difference + reach
        if not 1 - p_value > level:
            low, high = min(low, 0.0), max(high, 0.0)  # 0 but for rounding
        return Interval(difference, error, low, high), p_value, test

    def _all_ways(self, copies: Codes) -> tuple[Numbers, Numbers]:
        """Return |T| of all ways to swap, and their chances."""
        n_ways = math.prod((copies + 1).tolist())
        ways = np.indices((copies + 1).tolist()).reshape(len(copies), n_ways)
        chances = np.ones(n_ways)
        for m, way in zip(copies.tolist(), ways, strict=True):
            chances *= np.array([math.comb(m, x) / 2**m for x in range(m + 1)])[way]
        starts = range(0, n_ways, self.chunk)
        found = [self._of_ways(ways[:, start : start + self.chunk]) for start in starts]
        return np.concatenate(found), chances

    def _random_ways(
        self, copies: Codes, level: float, n_resamples: int, seed: int, observed: float
    ) -> Numbers:
        """Return |T| of random ways to swap, and the observed one unless it is beyond them all.

        The first 100 / (1 - level) are enough if none of them reaches the observed |T|, or so many
        that p is at least twice 1 - level.
        """
        rng = np.random.default_rng(seed)
        first = min(math.ceil(100 / (1 - level)), n_resamples)
        swapped = self._drawn(rng, copies, first)
        beyond = np.count_nonzero(swapped >= observed * (1 - 1e-9))
        if 0 < beyond < 200:
            swapped = np.append(swapped, self._drawn(rng, copies, n_resamples - first))
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
        return _ratio(*self.difference(2 * ways - self.units.copies[: len(ways), None]))


def _ratio(difference: Numbers, error: Numbers) -> Numbers:
    """Return |T|: 0 where there is no difference, infinite where one has no error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(difference == 0, 0.0, np.abs(difference) / error))


def _log(amounts: Numbers) -> Numbers:
    """Return the logarithms, 0 for 0."""
    return np.log(np.where(amounts > 0, amounts, 1))
