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
    """What is swapped as a whole, those first whose swap changes something."""

    copies: Numbers
    observed: Numbers
    """The excess of copies that are not swapped, before any swap."""
    unit: Codes
    """Entries: the unit of samples that answer x or y, one model each."""
    x: Codes
    y: Codes
    both: Numbers
    """Weight of the samples of an entry, in one copy."""
    moved: Numbers
    """The same less twice that of those of which B answers x, in a copy that is not swapped."""

    @classmethod
    def of(cls, triples: Triples, of_a: Codes, of_b: Codes) -> Units:
        """Make a unit of each group, or else of the samples alike, from the cells they are in."""
        x, y, sign = np.minimum(of_a, of_b), np.maximum(of_a, of_b), np.sign(of_b - of_a)
        copies: Numbers
        observed: Numbers
        counts, size, alone = triples.counts, 1 + int(y.max()), triples.groups is None
        weights, codes = np.unique(triples.weights, return_inverse=True)
        first = codes if alone else np.asarray(triples.groups)
        entries, place = np.unique((first * size + x) * size + y, return_inverse=True)
        first, pair = np.divmod(entries, size * size)
        x, y = np.divmod(pair, size)
        # each side on its own, in an order that does not depend on which model is A
        amounts = counts if alone else counts * triples.weights
        as_x, as_y = (np.bincount(place, amounts * side) for side in (sign >= 0, sign < 0))
        unit, both, moved = first, as_x + as_y, np.where(x == y, 0.0, as_x - as_y)
        if alone:
            unit, copies, observed = np.arange(len(x)), both, moved
            both = weights[first]
            moved = np.where(x == y, 0.0, both)
        else:
            # those who answer the first x that differs are A in a group that is not swapped
            found, start = np.unique(unit[moved != 0], return_index=True)
            copies, observed = np.ones(int(unit[-1]) + 1), np.zeros(int(unit[-1]) + 1)
            observed[found] = np.sign(moved[moved != 0][start])
            moved = moved * observed[unit]
        free = np.bincount(unit, moved != 0) > 0
        order = np.argsort(~free, kind="stable")
        unit = np.argsort(order)[unit]
        of_unit = np.argsort(unit, kind="stable")
        of_entries = (part[of_unit] for part in (unit, x, y, both, moved))
        return cls(copies[order], observed[order], *of_entries)


class SumsBy:
    """The sums of rows by the code of each."""

    def __init__(self, codes: Codes, size: int) -> None:
        self.order = np.argsort(codes, kind="stable")
        self.starts = np.flatnonzero(np.diff(codes[self.order], prepend=-1))
        self.codes, self.size = codes[self.order][self.starts], size
        self.is_one_each = np.array_equal(codes, np.arange(size))

    def of(self, amounts: Numbers) -> Numbers:
        """Return the sums, (size, n), of rows (n_rows, n)."""
        if self.is_one_each:
            return amounts
        sums = np.zeros((self.size, amounts.shape[1]))
        if len(self.starts):
            parts = np.take(amounts, self.order, axis=0)
            sums[self.codes] = np.add.reduceat(parts, self.starts, axis=0)
        return sums
