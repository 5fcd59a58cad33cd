"""The test of two models: the difference over its standard error, with their answers swapped.

**Statistic.** T = (S(B) - S(A)) / SE. A sample with reference r moves the difference by
d = g_B(r, b) - g_A(r, a), with g the gradient of the score at each model's own table, so that

    SE^2 = sum w^2 (d - mean)^2 / (sum w)^2;  of groups  C / (C - 1) sum (sum w (d - mean))^2 / ...

**Its null distribution** is that of T with the two answers to each sample (group) swapped at
random. It is exact if the answers are exchangeable, and right in the limit if only the scores are
equal, because T is then standard normal, swapped or not. If swaps leave the score unchanged (one
model renames what the other says), their T is not normal, so p is at least that of a normal T.

**What few samples do not show** is added to SE^2: a pseudo-observation on which answers differ.
Entropic scores are biased upwards by what guesses appear to transfer, and more so for the model
whose answers are more spread out: their difference is that of the jackknifed values, and SE^2
includes the squares of this correction and of the difference in the most that chance could add.

**A and B exchanged** mirror all of it to the last digit. So what depends on which model is first
is summed for each model on its own, and no product is left to BLAS, whose digits may depend on
where the numbers lie in memory.

Sources: Chung and Romano (2013), "Exact and asymptotically robust permutation tests"; Pauly,
Brunner and Konietschke (2015), "Asymptotic permutation tests in general factorial designs".
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers, show
from ..core.scores import n_classes
from ..core.table import Table
from .entropic import EntropicScore
from .intervals import check_level
from .score import ScoreWithInterval
from .sums import Sums, quotient

_CHUNK = 2**20  # numbers of an array of resamples; larger ones leave the cache


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


class Triples(NamedTuple):
    """Samples counted by reference, answer of A, answer of B, weight and group."""

    references: Codes
    a: Codes
    b: Codes
    counts: Numbers
    """Samples of each triple."""
    weights: Numbers
    """Weight of each of its samples."""
    groups: Codes | None = None
    """Group of its samples, from 0 on; None where each sample stands alone."""


class _Scored(NamedTuple):
    """A score of n tables of cells."""

    value: Numbers
    gradient: Numbers
    """At the cells, (n_cells, n)."""
    pseudo: tuple[Numbers, Numbers]
    """Mean and mean square of the gradient over the answers of a pseudo-observation, (k, n)."""
    unbiased: Numbers | None = None
    chance: Numbers | float = 0.0
    """What chance could add to the score at most."""


class Verdict(NamedTuple):
    """The difference with its test and the interval of that test."""

    standard_error: float
    low: float
    high: float
    p_value: float
    is_exact: bool


class _Entries(NamedTuple):
    """Samples that answer x or y, one model each, by the unit that is swapped as a whole.

    A unit has copies (`_Swaps.copies`). Its excess is the number of copies in which A answers x,
    less those in which A answers y.
    """

    unit: Codes
    x: Codes
    y: Codes
    signed: Numbers
    """Weight with which A answers x, less that with which it answers y, where the excess is 1."""
    weight: Numbers


class _Sums(NamedTuple):
    """How amounts are summed by code: which of them, times what, and where each code starts."""

    taken: Codes
    times: Numbers | None
    starts: Codes
    codes: Codes
    size: int

    @classmethod
    def by(cls, codes: Codes, size: int, taken: Codes, times: Numbers | None = None) -> _Sums:
        """Sum the amounts `taken`, each times a number, by these codes."""
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        of_each = None if times is None else times[order, None]
        return cls(taken[order], of_each, starts, codes[order[starts]], size)

    def of(self, amounts: Numbers) -> Numbers:
        """Return the sums of the rows of `amounts`, (size, n), or zeros, (size, 1)."""
        if not len(self.starts):
            return np.zeros((self.size, 1))
        sums = np.zeros((self.size, amounts.shape[1]))
        parts = amounts[self.taken]
        if self.times is not None:
            parts *= self.times
        sums[self.codes] = np.add.reduceat(parts, self.starts, axis=0)
        return sums


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
        oriented, _ = score.oriented(table)
        self.score, self.given_shares = oriented, given_shares
        # markedness is informedness with references and predictions exchanged
        self.is_transposed = oriented is not score
        self.k, self.n_classes = len(table.labels), n_classes(table)
        self.is_class = np.array([label is not None for label in table.labels])[:, None]
        r, a, b, counts, weights, groups = triples
        amounts = counts * weights
        fused = [answer * self.k + r if self.is_transposed else r * self.k + answer
                 for answer in (a, b)]  # fmt: skip
        cells, places = np.unique(np.concatenate(fused), return_inverse=True)
        self.rows, self.columns = np.divmod(cells, self.k)
        of_a, of_b = places.reshape(2, -1)
        size = len(cells)
        self.right = self.rows == self.columns
        self.by_row, self.by_column = (
            _Sums.by(codes, self.k, np.arange(size)) for codes in (self.rows, self.columns)
        )
        middle = np.bincount(of_a, amounts, size) + np.bincount(of_b, amounts, size)
        self.middle = middle[:, None] / 2
        x, y = np.minimum(of_a, of_b), np.maximum(of_a, of_b)
        sign = np.where(of_a <= of_b, 1.0, -1.0)
        if groups is None:
            self._take_samples(x, y, sign, counts, weights)
        else:
            self._take_groups(x, y, sign, amounts, groups)
        self.total = float(self.middle.sum())  # not of the triples, whose order is that of A
        unit, x, y, signed, _ = self.entries
        self.free = np.unique(unit[signed != 0])  # swapping these changes something
        both, unit, signed = np.append(x, y), np.append(unit, unit), np.append(signed, -signed) / 2
        self.moved = _Sums.by(both, size, unit, signed)
        margins = [by.of(self.middle)[:, 0] for by in (self.by_row, self.by_column)]
        self.pseudo = self._pseudo_observation(*(margins[::-1] if self.is_transposed else margins))

    def _take_samples(
        self, x: Codes, y: Codes, sign: Numbers, counts: Numbers, weights: Numbers
    ) -> None:
        """Make a unit of the samples alike, and sums of those answered alike."""
        size, alike = len(self.rows), x == y
        sums = [np.bincount(x[alike], (counts * weights**power)[alike], size) for power in (1, 2)]
        self.alike: Numbers = sums[0]
        self.alike_squares: Numbers = sums[1]
        of_weight, codes = np.unique(weights, return_inverse=True)
        fused = ((x * size + y) * len(of_weight) + codes)[~alike]
        units, unit = np.unique(fused, return_inverse=True)
        n = len(units)
        pair, codes = np.divmod(units, len(of_weight))
        x, y = np.divmod(pair, size)
        weight = of_weight[codes]
        self.copies: Numbers = np.bincount(unit, counts[~alike], n)
        self.observed: Numbers = np.bincount(unit, (counts * sign)[~alike], n)
        self.entries = _Entries(np.arange(n), x, y, weight, weight)
        self.of_units: Codes | None = None
        self.unit_weights, self.growth = weight, 1.0
        self.squares = float(self.alike_squares.sum() + (self.copies * weight**2).sum())

    def _take_groups(
        self, x: Codes, y: Codes, sign: Numbers, amounts: Numbers, groups: Codes
    ) -> None:
        """Make a unit of each group, oriented by the sign of its first entry that differs."""
        size, n = len(self.rows), int(groups.max()) + 1
        fused, entry = np.unique((groups * size + x) * size + y, return_inverse=True)
        unit, pair = np.divmod(fused, size * size)
        x, y = np.divmod(pair, size)
        of_x, of_y = (np.bincount(entry, np.where(sign == side, amounts, 0)) for side in (1, -1))
        signed, weight = np.where(x == y, 0.0, of_x - of_y), of_x + of_y
        self.alike = self.alike_squares = np.zeros(size)
        self.copies, self.observed = np.ones(n), np.ones(n)
        moved = np.flatnonzero(signed)
        found, first = np.unique(unit[moved], return_index=True)
        self.observed[found] = np.sign(signed[moved[first]])
        self.entries = _Entries(unit, x, y, signed * self.observed[unit], weight)
        self.of_units = np.flatnonzero(np.diff(unit, prepend=-1))
        self.unit_weights = np.bincount(unit, weight)
        self.growth = n / (n - 1)
        self.squares = float((self.unit_weights**2).sum())

    def _pseudo_observation(self, references: Numbers, answers: Numbers) -> tuple[Numbers, Numbers]:
        """Return the chances of the pseudo-observation's reference, and of an answer to it."""
        q = (references > 0) / np.count_nonzero(references)
        return q, (1 / self.k + answers / answers.sum()) / 2

    def alone(self) -> _Scored:
        """Return the score of the samples where both models are one."""
        return self._scored(self.middle)

    def difference(self, excess: Numbers) -> tuple[Numbers, Numbers]:
        """Return the differences and their standard errors at these excesses, (n_units, n)."""
        moved = self.moved.of(excess)
        # a cell that swaps empty is empty, and not what rounding leaves there
        a, b = (
            self._scored(np.where(cells > 1e-12 * self.middle, cells, 0.0))
            for cells in (self.middle + moved, self.middle - moved)
        )
        variance, mean = self._variance(excess, a.gradient, b.gradient)
        (first, second), (first_b, second_b) = a.pseudo, b.pseudo
        q, v = self.pseudo
        one = self.squares / self.total
        apart = _dot(q, second + second_b - 2 * first * first_b)
        apart += mean * (mean - 2 * _dot(q, first_b - first))
        variance += one**2 / (1 - (v**2).sum()) * apart
        error = np.sqrt(np.maximum(variance, 0)) / self.total
        difference = b.value - a.value
        if a.unbiased is not None and b.unbiased is not None:
            unbiased = b.unbiased - a.unbiased
            error = np.sqrt(error**2 + (difference - unbiased) ** 2 + (b.chance - a.chance) ** 2)
            difference = np.where(unbiased * difference > 0, unbiased, 0.0)
        return np.where(np.abs(difference) < 1e-12, 0.0, difference), error

    def _variance(self, excess: Numbers, g_a: Numbers, g_b: Numbers) -> tuple[Numbers, Numbers]:
        """Return sum w^2 (d - mean)^2, and the mean.

        With G half the sum of both gradients and D their difference, a sample that A answers x and
        B answers y has d = (G_y - G_x) + (D_x + D_y) / 2; exchanged, the first part turns its sign.
        Of m samples alike with excess e, sum d^2 = (m D + e G)^2 / m + G^2 (m - e^2 / m).
        """
        _, x, y, signed, weight = self.entries
        half, apart = (g_a + g_b) / 2, g_b - g_a
        turning = half[y]
        turning -= half[x]
        turning *= signed[:, None]
        staying = apart[x]
        staying += apart[y]
        staying *= weight[:, None] / 2
        if self.of_units is not None:
            turning, staying = (
                np.add.reduceat(part, self.of_units, axis=0) for part in (turning, staying)
            )
        several = np.flatnonzero(self.copies > 1)
        m, e = self.copies[several, None], excess[several]
        rest = (turning[several] ** 2 * (m - e**2 / m)).sum(axis=0)
        turning *= excess
        staying *= self.copies[:, None]
        sums = np.add(turning, staying, out=staying)
        crossed, total = _dot(self.unit_weights, sums), sums.sum(axis=0)
        sums /= np.sqrt(self.copies[:, None])
        squares = np.einsum("ij,ij->j", sums, sums) + rest
        alike = np.flatnonzero(self.alike)
        of_alike = apart[alike]
        crossed += _dot(self.alike_squares[alike], of_alike)
        total += _dot(self.alike[alike], of_alike)
        squares += _dot(self.alike_squares[alike], np.square(of_alike, out=of_alike))
        mean = total / self.total
        variance = squares - 2 * mean * crossed + mean**2 * self.squares
        # not what rounding leaves where all samples move the difference alike
        return self.growth * np.where(variance > 1e-13 * squares, variance, 0.0), mean

    def _scored(self, cells: Numbers) -> _Scored:
        """Return the score of n tables, its gradient and what these lack."""
        n = cells.shape[1]
        h, r, c = np.zeros((self.k, n)), self.by_row.of(cells), self.by_column.of(cells)
        h[self.rows[self.right]] = cells[self.right]
        if isinstance(self.score, EntropicScore):
            return self._entropic(self.score, cells, r, c)
        occur = ((r > 0) | (c > 0)) & self.is_class
        sums = Sums(h, r, c, np.full(n, self.total), occur, self.n_classes, cells)
        with np.errstate(divide="ignore", invalid="ignore"):
            a, b, u = (np.nan_to_num(part, posinf=0, neginf=0) + np.zeros((self.k, n))
                       for part in self.score.gradient(sums))  # fmt: skip
        _, v = self.pseudo
        if self.given_shares:
            a = -quotient(self.by_row.of(cells * b[self.columns]) + h * u, r)
        of_reference, of_answer = (b, a) if self.is_transposed else (a, b)
        mean, hit = _dot(v, of_answer), v[:, None] * u
        first = of_reference + mean + hit
        second = of_reference * (of_reference + 2 * mean) + _dot(v, of_answer**2)
        second += hit * (2 * (a + b) + u)
        gradient = a[self.rows]
        gradient += b[self.columns]
        gradient[self.right] += u[self.rows[self.right]]
        return _Scored(self.score.of(sums), gradient, (first, second))

    def _entropic(self, score: EntropicScore, cells: Numbers, r: Numbers, c: Numbers) -> _Scored:
        """Return the same of a score of cells, where an empty cell counts as of one sample."""
        _, v = self.pseudo
        one, n = self.squares / self.total, self.total
        amounts = cells, c, r, np.full((1, 1), n)
        log_cells, _, log_r, _ = logarithms = [_log(x) for x in amounts]
        prevalence = np.einsum("ij,ij->j", r, log_r) / n - math.log(n)  # -H(ref) in nats
        scale, least = score.scale(self.n_classes), score.least(prevalence)
        logs, dropped = np.zeros_like(cells), np.zeros_like(cells)
        pairs = zip(amounts, logarithms, strict=True)
        for sign, codes, (x, log) in self._parts(score, *pairs):
            logs += sign * log[codes]
            dropped += sign * _dropped(x / one)[codes]
        logarithm = np.einsum("ij,ij->j", cells, logs) / n
        value = scale * np.exp(logarithm)
        # the jackknife: all samples of a cell change the score alike
        size = n / one
        shift = np.einsum("ij,ij->j", cells / one, (dropped + logarithm) / (size - 1))
        unbiased = scale * np.exp(np.maximum(logarithm - (1 - 1 / size) * shift, least))
        # an answer given c times passes on no more than c H(ref), nor by chance than (k - 1) / 2
        classes = np.count_nonzero(r, axis=0)
        by_chance = np.minimum((classes - 1) / 2, c / one * -prevalence).sum(axis=0) / size
        gradient = np.where(cells > 0, logs, 0)
        of_row = score.signs[2] * (log_r - math.log(n)) + math.log(one)
        of_answer, shares = -_log(np.maximum(c, one)), v[self.columns][:, None]
        filled = np.where(cells > 0, log_cells - math.log(one), 0)
        mean = _dot(v, of_answer)
        first = of_row + mean + self.by_row.of(shares * filled)
        second = of_row * (of_row + 2 * mean) + _dot(v, of_answer**2)
        others = 2 * (of_row[self.rows] + of_answer[self.columns]) + filled
        second += self.by_row.of(shares * filled * others)
        moments = first * value, second * value**2
        return _Scored(value, gradient * value, moments, unbiased, value * by_chance)

    def _parts(self, score: EntropicScore, *amounts: Any) -> Iterator[tuple[int, Codes, Any]]:
        """Yield what a score is made of: the sign, each cell's place in the amounts, and these.

        The amounts are those by cell, column, row and in all; the sign of the last makes up for
        the others, so that the score depends on shares alone.
        """
        everywhere = np.arange(len(self.rows))
        places = everywhere, self.columns, self.rows, np.zeros_like(everywhere)
        signs = *score.signs, -sum(score.signs)
        return ((s, at, x) for s, at, x in zip(signs, places, amounts, strict=True) if s)

    def verdict(self, plan: Plan) -> Verdict:
        """Return the test of the difference and the interval that matches it.

        The test does not reject if |T| is at most a quantile of the swapped |T|, or at most that of
        a normal T, so the interval reaches as many standard errors as the larger of the two.
        """
        differences, errors = self.difference(self.observed[:, None])
        difference, error = float(differences[0]), float(errors[0])
        observed = float(_ratio(differences, errors)[0])
        copies = (self.copies[self.free] + 1).tolist()
        # at least 2 ways each, and the product of a million would take long
        is_exact = len(copies) < plan.n_resamples.bit_length()
        is_exact = is_exact and math.prod(copies) <= plan.n_resamples
        if is_exact:
            swapped, chances = self._all_ways()
        else:
            swapped = np.concatenate([*self._random_ways(plan), np.array([observed])])
            chances = np.full(len(swapped), 1 / len(swapped))
        p_value = float(chances[swapped >= observed * (1 - 1e-9)].sum())
        order = np.argsort(-swapped, kind="stable")
        place = int(np.searchsorted(np.cumsum(chances[order]), 1 - plan.level - 1e-12))
        quantile = float(swapped[order[min(place, len(order) - 1)]])
        p_value = min(max(p_value, math.erfc(observed / math.sqrt(2))), 1.0)
        reach = max(quantile, NormalDist().inv_cdf((1 + plan.level) / 2)) * error
        low, high = difference - reach, difference + reach
        if not 1 - p_value > plan.level:
            low, high = min(low, 0.0), max(high, 0.0)  # 0 but for rounding
        return Verdict(error, low, high, p_value, is_exact)

    def jackknifed_by_groups(self, score: EntropicScore) -> float:
        """Return a score of cells without its bias, by leaving out each group in turn."""
        unit, x, weight = self.entries.unit, self.entries.x, self.entries.weight
        n, n_groups = self.total, len(self.copies)
        whole, without = 0.0, np.zeros(n_groups)
        by_cell = self.middle[:, 0]
        by_column, by_row = (np.bincount(codes, by_cell) for codes in (self.columns, self.rows))
        for sign, codes, amounts in self._parts(score, by_cell, by_column, by_row, np.array([n])):
            fused, place = np.unique(unit * len(amounts) + codes[x], return_inverse=True)
            group, code = np.divmod(fused, len(amounts))
            left_out = np.bincount(place, weight)
            rest = np.maximum(amounts[code] - left_out, 0)
            shares = np.where(rest > 0, left_out / amounts[code], 0)
            # of x ln x, not as a difference of two of them: that would lose digits
            change = rest * np.log1p(-shares) - left_out * _log(amounts[code])
            whole += sign * float((amounts * _log(amounts)).sum())
            without += sign * np.bincount(group, change, n_groups)
        moved = (without + self.unit_weights * (whole / n)) / (n - self.unit_weights)
        logarithm = whole / n - (n_groups - 1) * float(moved.mean())
        scale, least = score.scale(self.n_classes), score.least(-math.inf)
        return float(scale * math.exp(min(max(logarithm, least), -math.log(scale))))

    def _all_ways(self) -> tuple[Numbers, Numbers]:
        """Return |T| of all ways to swap, and their chances."""
        copies = self.copies[self.free].astype(np.int64)
        ways = np.indices((copies + 1).tolist()).reshape(len(copies), (copies + 1).prod())
        chances = np.ones(ways.shape[1])
        for m, way in zip(copies.tolist(), ways, strict=True):
            chances *= np.array([math.comb(m, x) / 2**m for x in range(m + 1)])[way]
        excess = np.zeros((len(self.copies), ways.shape[1]))
        excess[self.free] = 2 * ways - copies[:, None]
        return _ratio(*self.difference(excess)), chances

    def _random_ways(self, plan: Plan) -> Iterator[Numbers]:
        """Yield |T| of `n_resamples` random ways to swap, some at a time."""
        rng = np.random.default_rng(plan.seed)
        single = self.free[self.copies[self.free] == 1]
        several = self.free[self.copies[self.free] > 1]
        copies = self.copies[several].astype(np.int64)[:, None]
        chunk = max(8, _CHUNK // (len(self.copies) + 2 * len(self.rows) + 4 * self.k))
        for start in range(0, plan.n_resamples, chunk):
            n = min(chunk, plan.n_resamples - start)
            excess = np.zeros((len(self.copies), n))
            excess[several] = 2 * rng.binomial(copies, 0.5, (len(several), n)) - copies
            bits = np.frombuffer(rng.bytes(len(single) * n // 8 + 1), dtype=np.uint8)
            swapped = np.unpackbits(bits, count=len(single) * n).reshape(len(single), n)
            excess[single] = 2.0 * swapped - 1
            yield _ratio(*self.difference(excess))


def error_of_groups(
    table: Table, score: ScoreWithInterval, triples: Triples
) -> tuple[float, float, float]:
    """Return a score without its bias, its standard error by groups, and that with one more group.

    SE^2 = C / (C - 1) sum (sum w (g - mean))^2 / (sum w)^2, for C groups and the gradient g.
    """
    swaps = Swaps(table, score, triples)
    scored = swaps.alone()
    gradient = scored.gradient[swaps.entries.x, 0]
    mean = float((swaps.entries.weight * gradient).sum()) / swaps.total
    gaps = gradient - mean
    gaps[np.abs(gaps) <= 1e-14 * np.abs(gradient).max()] = 0.0
    sums = np.bincount(swaps.entries.unit, swaps.entries.weight * gaps)
    variance = swaps.growth * float((sums**2).sum())
    q, _ = swaps.pseudo
    first, second = (float(_dot(q, moment)[0]) for moment in scored.pseudo)
    spread = max(second - 2 * mean * first + mean**2, 0.0)
    one = (swaps.squares / swaps.total) ** 2 * spread
    value = float(scored.value[0])
    if isinstance(score, EntropicScore):
        value = swaps.jackknifed_by_groups(score)
    with_one = math.sqrt(variance + one) / swaps.total
    return value, math.sqrt(variance) / swaps.total, with_one


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


def _dropped(amounts: Numbers) -> Numbers:
    """Return f(x - 1) - f(x), f(x) = x ln x, of one sample less."""
    rest = np.maximum(amounts - 1, 0)
    return np.asarray(rest * _log(rest) - amounts * _log(amounts))
