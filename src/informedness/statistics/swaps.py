"""The test of two models: the difference over its standard error, with their answers swapped.

docs/formulas.md has the formulas. A sample moves the difference by d = g_B - g_A, with g the
gradient of the score at each model's own table; T is the difference over the error that follows
from d. The null distribution is that of T with both answers to each sample (group) swapped at
random.

Samples alike are counted: a unit has m copies, n of them not swapped; its excess is n - (m - n).
A table is the mean of both models' tables, plus half the excess where A answers x, minus it where B
does (y).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers, show
from ..core.scores import n_classes
from ..core.table import Table, sum_by
from .entropic import EntropicScore
from .information import normal_quantile
from .intervals import Interval, check_level
from .score import MarginScore, ScoreWithInterval
from .sums import Sums, quotient

_CHUNK = 2**16  # numbers of an array of swaps; larger ones leave the cache
_MOST_BITS = 100  # copies of a unit; of more a binomial number is faster than a sum of bits


class Triples(NamedTuple):
    """Samples counted by reference, answer of A, answer of B, weight of each, and group."""

    references: Codes
    a: Codes
    b: Codes
    counts: Numbers
    weights: Numbers
    groups: Codes | None = None
    """From 0 on; None where each sample stands alone."""


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
    chance: Numbers | float = 0.0  # what it could add to the score at most


class Swaps:
    """Two models' tables, and what swaps of their answers make of them.

    `table` is of the answers of both, with the labels of the triples. With `given_shares` the
    weights give the classes their shares, and only how the predictions of each are shared out
    varies.
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
        # a sample weighs 1, as far as its error goes
        weights = weights * ((counts * weights).sum() / (counts * weights**2).sum())
        amounts = counts * weights
        self.total = float(amounts.sum())
        fused = [x * self.k + r if self.is_transposed else r * self.k + x for x in (a, b)]
        # the made-up sample may be right about a class that neither model ever is right about
        is_entropic = isinstance(self.score, EntropicScore)
        hits = np.arange(0 if is_entropic else self.k) * (self.k + 1)
        cells, places = np.unique(np.concatenate([*fused, hits]), return_inverse=True)
        of_a, of_b = places[: 2 * len(r)].reshape(2, -1)
        rows, columns = np.divmod(cells, self.k)
        of_cell, answer = (columns, rows) if self.is_transposed else (rows, columns)
        # wrong answers are alike, whatever their reference
        slots = cells if given_shares or is_entropic else answer + self.k * (of_cell == answer)
        _, first, slot = np.unique(slots, return_index=True, return_inverse=True)
        self.r, self.answer = of_cell[first], answer[first]
        self.right = np.flatnonzero(self.r == self.answer)
        self.references = sum_by(r, amounts, self.k)[:, None]
        halves = np.tile(amounts / 2, 2)[:, None]
        self.middle = _sums(slot[places[: 2 * len(r)]], halves, len(first))
        self.answers = _sums(self.answer, self.middle, self.k)

        # entries: the samples of a unit that answer x or y, one model each; `moved` is their weight
        # in a copy less twice that of those of which B answers x, if it is not swapped
        self.copies: Numbers
        self.alone = groups is None
        kinds, of_kind = np.unique(weights if groups is None else groups, return_inverse=True)
        x, y, size = np.minimum(of_a, of_b), np.maximum(of_a, of_b), len(cells)
        first = of_kind + len(kinds) * (self.alone & (x == y))
        # in two steps, as kinds times cells times cells may exceed 64 bits
        pairs, pair = np.unique(x * size + y, return_inverse=True)
        keys, place = np.unique(first * len(pairs) + pair, return_inverse=True)
        self.unit, pair = np.divmod(keys, len(pairs))
        x, y = np.divmod(pairs[pair], size)
        sizes = counts if self.alone else amounts
        as_x, as_y = (np.bincount(place, sizes * side) for side in (of_a <= of_b, of_a > of_b))
        both, moved = as_x + as_y, np.where(x == y, 0.0, as_x - as_y)
        if self.alone:
            self.copies, self.observed = both, moved
            both = kinds[self.unit % len(kinds)]
            self.unit, moved = np.arange(len(keys)), np.where(x == y, 0.0, both)
        else:
            # those whose swap changes something come first, as they do above
            changes = np.bincount(self.unit, moved != 0) > 0
            self.unit = np.argsort(np.argsort(~changes, kind="stable"))[self.unit]
            # samples that answer the first x that differs are A's in a group that is not swapped
            self.copies, self.observed = np.ones((2, len(kinds)))
            units, start = np.unique(self.unit[moved != 0], return_index=True)
            self.observed[units] = np.sign(moved[moved != 0][start])
            moved = moved * self.observed[self.unit]
        self.free = np.flatnonzero(moved)  # entries whose swap changes something
        self.n_free = len(np.unique(self.unit[self.free]))
        self.both, self.moved = both[:, None], moved[self.free, None]
        self.x, self.y, self.of_entry = slot[x], slot[y], of_cell[x]
        self.unit_weights = np.bincount(self.unit, both)
        self.squares = float((self.copies * self.unit_weights**2).sum())
        n_units = len(self.copies)
        self.growth = 1.0 if self.alone else n_units / (n_units - 1)
        self.chunk = max(8, _CHUNK // (n_units + len(cells)))
        self.made_up = self._made_up()

    def _made_up(self) -> float:
        """Return what the made-up sample adds."""
        present, answers = self.references[:, 0] > 0, self.answers[:, 0]
        v = (1 / self.k + answers / self.total) / 2
        at_middle = self._scored(self.middle, self.answers)
        of_answer, of_cell = at_middle.by_answer[:, 0], at_middle.by_cell[:, 0]
        if isinstance(self.score, EntropicScore):
            # an empty cell counts as of one sample
            of_answer = -at_middle.value * np.log(np.maximum(answers, 1))
            of_cell = at_middle.value * np.log(self.middle[:, 0])
        of_answer = of_answer - (v * of_answer).sum()
        part = v[self.answer] * of_cell
        variance = (v * of_answer**2).sum() - np.bincount(self.r, part, self.k) ** 2
        variance += np.bincount(self.r, part * (of_cell + 2 * of_answer[self.answer]), self.k)
        apart = max(1 - float((v**2).sum()), 1e-99)  # 0 where there is but one class
        return max(2 * float(variance[present].mean()) / apart, 0.0)

    def difference(self, excess: Numbers) -> tuple[Numbers, Numbers]:
        """Return the differences and their standard errors at these excesses, (n_free, n)."""
        half = (excess / 2)[self.unit[self.free]] * self.moved
        size = len(self.middle)
        moved = _sums(self.x[self.free], half, size) - _sums(self.y[self.free], half, size)
        parts = (self.middle, moved), (self.answers, _sums(self.answer, moved, self.k))
        a = self._scored(*(_left(middle, change) for middle, change in parts))
        b = self._scored(*(_left(middle, -change) for middle, change in parts))
        variance = self._variance(excess, a, b) + self.made_up
        difference, unbiased = b.value - a.value, b.unbiased - a.unbiased
        squares = (difference - unbiased) ** 2 + (b.chance - a.chance) ** 2
        error = np.sqrt(variance / self.total**2 + squares)
        difference = np.where(unbiased * difference > 0, unbiased, 0.0)
        return np.where(np.abs(difference) < 1e-12, 0.0, difference), error

    def _variance(self, excess: Numbers, a: _Scored, b: _Scored) -> Numbers:
        """Return the sum over units of (sum w (d - mean))^2, times the growth.

        A copy moves the difference by `same` + `turned` as it is, by `same` - `turned` swapped.
        """
        of_a, of_b = (side.by_answer[self.answer] + side.by_cell for side in (a, b))
        half, apart = (of_b + of_a) / 2, (of_b - of_a) / 2
        same = (b.by_reference - a.by_reference)[self.of_entry]
        same += apart[self.x]
        same += apart[self.y]
        turned = half[self.y[self.free]]
        turned -= half[self.x[self.free]]
        same *= self.both
        turned *= self.moved
        if not self.alone:
            same = _sums(self.unit, same, len(self.copies))
            turned = _sums(self.unit[self.free], turned, self.n_free)
        sums, of_free = self.copies[:, None] * same, excess * turned
        squares = np.einsum("ij,ij->j", sums, same)
        squares += 2 * np.einsum("ij,ij->j", of_free, same[: self.n_free])
        squares += np.einsum("i,ij->j", self.copies[: self.n_free], turned * turned)
        sums[: self.n_free] += of_free
        mean = sums.sum(axis=0) / self.total
        variance = squares - 2 * mean * np.einsum("i,ij->j", self.unit_weights, sums)
        variance += mean**2 * self.squares
        # not what rounding leaves where all samples move the difference alike
        return self.growth * np.where(variance > 1e-13 * squares, variance, 0.0)

    def _scored(self, cells: Numbers, answers: Numbers) -> _Scored:
        """Return the score of n tables of these sums by slot and by answer, and its gradient."""
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
        sums = Sums(hits, r, c, np.full(1, self.total), occur)
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b, u = (
                np.nan_to_num(part, posinf=0, neginf=0) + np.zeros_like(hits)
                for part in score.gradient(sums)
            )
        by_cell[self.right] = u[of_right]
        if self.given_shares:
            a = -quotient(_sums(self.r, cells * (b[self.answer] + by_cell), self.k), r)
        a, b = (b, a) if self.is_transposed else (a, b)
        value = score.of(sums)
        return _Scored(value, a, b, by_cell, value)

    def _entropic(self, score: EntropicScore, answers: Numbers, cells: Numbers) -> _Scored:
        """Return the same of a score of cells."""
        size, amounts = self.total, (cells, answers, self.references, np.full((1, 1), self.total))
        logarithms = [_log(x) for x in amounts]
        # the last makes up for the others, so that the score depends on shares alone
        signs = *score.signs, -sum(score.signs)
        logarithm, shift = np.zeros(1), np.zeros(1)
        for sign, x, log in zip(signs, amounts, logarithms, strict=True):
            rest, terms = np.maximum(x - 1, 0), x * log
            logarithm = logarithm + sign * terms.sum(axis=0) / size
            # all samples of a cell change the score alike when left out
            shift = shift + sign * np.einsum("ij,ij->j", x, rest * _log(rest) - terms)
        shift = (shift + size * logarithm) / max(size - 1, 1e-9)
        prevalence = float((self.references * logarithms[2]).sum()) / size - math.log(size)
        scale, least = score.scale(self.n_classes), score.least(prevalence)
        value = scale * np.exp(logarithm)
        unbiased = scale * np.exp(np.maximum(logarithm - (1 - 1 / size) * shift, least))
        # an answer given c times passes on no more than c H(ref), nor by chance than (k - 1) / 2
        classes = np.count_nonzero(self.references)
        chance = np.minimum((classes - 1) / 2, answers * -prevalence).sum(axis=0) / size
        by_reference = (signs[2] * logarithms[2] + signs[3] * math.log(size)) * value
        by_answer, by_cell = signs[1] * logarithms[1] * value, logarithms[0] * value
        return _Scored(value, by_reference, by_answer, by_cell, unbiased, value * chance)

    def verdict(self, level: float, n_resamples: int, seed: int) -> tuple[Interval, float, str]:
        """Return the difference with its interval, the p-value, and how it was tested."""
        differences, errors = self.difference(self.observed[: self.n_free, None])
        difference, error = float(differences[0]), float(errors[0])
        observed = float(_ratio(differences, errors)[0])
        copies = self.copies[: self.n_free].astype(np.int64)
        if np.log(copies + 1).sum() < math.log(n_resamples) + 1e-9:
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
        reach = max(quantile, normal_quantile(level)) * error
        low, high = difference - reach, difference + reach
        if not 1 - p_value > level:
            low, high = min(low, 0.0), max(high, 0.0)  # 0 but for rounding
        return Interval(difference, error, low, high), p_value, test

    def _all_ways(self, copies: Codes) -> tuple[Numbers, Numbers]:
        """Return |T| of all ways to swap, and their chances."""
        ways = np.indices((copies + 1).tolist()).reshape(len(copies), np.prod(copies + 1))
        chances = np.ones(ways.shape[1])
        for m, way in zip(copies.tolist(), ways, strict=True):
            chances *= np.array([math.comb(m, x) / 2**m for x in range(m + 1)])[way]
        chunks = np.array_split(ways, -(-len(chances) // self.chunk), axis=1)
        return np.concatenate([self._of_ways(chunk) for chunk in chunks]), chances

    def _random_ways(
        self, copies: Codes, level: float, n_resamples: int, seed: int, observed: float
    ) -> Numbers:
        """Return |T| of random ways to swap, and the observed one unless it is beyond them all."""
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
        return _ratio(*self.difference(2 * ways - self.copies[: len(ways), None]))


def _ratio(difference: Numbers, error: Numbers) -> Numbers:
    """Return |T|: 0 where there is no difference, infinite where one has no error."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray(np.where(difference == 0, 0.0, np.abs(difference) / error))


def _sums(codes: Codes, rows: Numbers, size: int) -> Numbers:
    """Return the sums of rows (n_rows, n) by the code of each."""
    n = rows.shape[1]
    places = (codes[:, None] * n + np.arange(n)).ravel()
    return np.bincount(places, rows.ravel(), size * n).reshape(size, n)


def _left(middle: Numbers, change: Numbers) -> Numbers:
    """Return the sum: 0 where swaps leave nothing, and not what rounding leaves there."""
    left = middle + change
    return np.where(left > 1e-12 * middle, left, 0.0)


def _log(amounts: Numbers) -> Numbers:
    """Return the logarithms, 0 for 0."""
    return np.log(np.where(amounts > 0, amounts, 1))
