"""Samples of two models, counted into the units whose answers are swapped as a whole."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ..core.labels import Codes, Numbers


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


class Units(NamedTuple):
    """What is swapped as a whole, and the samples in it that answer x or y, one model each."""

    copies: Numbers
    observed: Numbers
    """The excess of copies that are not swapped, before any swap."""
    unit: Codes
    """The unit of these samples, and so of the next four."""
    x: Codes
    y: Codes
    as_x: Numbers
    """Weight of those of which A answers x, in a copy that is not swapped."""
    as_y: Numbers

    @classmethod
    def of(cls, triples: Triples, of_a: Codes, of_b: Codes) -> Units:
        """Make a unit of each group, or else of the samples alike, from the cells they are in."""
        x, y, sign = np.minimum(of_a, of_b), np.maximum(of_a, of_b), np.sign(of_b - of_a)
        counts, weights, size = triples.counts, triples.weights, 1 + int(y.max())
        values, codes = np.unique(weights, return_inverse=True)
        first = codes if triples.groups is None else np.asarray(triples.groups)
        entries, place = np.unique((first * size + x) * size + y, return_inverse=True)
        unit, pair = np.divmod(entries, size * size)
        x, y = np.divmod(pair, size)
        if triples.groups is None:
            copies, excess = (np.bincount(place, counts * times) for times in (1, sign))
            every, none = np.arange(len(entries)), np.zeros(len(entries))
            return cls(copies, excess, every, x, y, values[unit], none)
        sides = sign >= 0, sign < 0
        as_x, as_y = (np.bincount(place, counts * weights * side) for side in sides)
        # those who answer the first x that differs are A in a group that is not swapped
        moved = np.flatnonzero((x != y) & (as_x != as_y))
        found, start = np.unique(unit[moved], return_index=True)
        observed = np.zeros(int(unit[-1]) + 1)
        observed[found] = np.sign((as_x - as_y)[moved[start]])
        turned = observed[unit] < 0
        as_x, as_y = np.where(turned, as_y, as_x), np.where(turned, as_x, as_y)
        return cls(np.ones(len(observed)), observed, unit, x, y, as_x, as_y)


class SumsBy(NamedTuple):
    """Which rows are summed by code, times what, and where each code starts."""

    taken: Codes
    times: Numbers | None
    starts: Codes
    codes: Codes
    size: int

    @classmethod
    def by(cls, codes: Codes, size: int, taken: Codes, times: Numbers | None = None) -> SumsBy:
        """Sum the rows `taken`, each times a number, by these codes."""
        order = np.argsort(codes, kind="stable")
        starts = np.flatnonzero(np.diff(codes[order], prepend=-1))
        of_each = None if times is None else times[order, None]
        return cls(taken[order], of_each, starts, codes[order[starts]], size)

    def of(self, amounts: Numbers) -> Numbers:
        """Return the sums of the rows of `amounts`, (size, n)."""
        sums = np.zeros((self.size, amounts.shape[1]))
        if len(self.starts):
            parts = amounts[self.taken]
            if self.times is not None:
                parts *= self.times
            sums[self.codes] = np.add.reduceat(parts, self.starts, axis=0)
        return sums
