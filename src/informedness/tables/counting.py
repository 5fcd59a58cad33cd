"""What a contingency table is counted from: codes of classes, counts that are given, pairs.

Tested in tests/test_inputs.py.
"""

import math
from typing import Any

import numpy as np

from ..core.labels import Codes, Column, Label, NoSamplesError, Numbers, merged
from ..core.table import Cells, read_amounts
from .containers import coded


def common_codes(references: Column, predictions: Column) -> tuple[list[Label], Codes, Codes]:
    """Return the labels of both columns, sorted, and each sample's positions among them."""
    (r_values, r), (p_values, p) = coded(references), coded(predictions)
    labels, (to_row, to_column) = merged(r_values, p_values)
    return labels, to_row[r], to_column[p]


def read_counts(
    counts: Any, squared_weights: Any = None, n_samples: Any = None, *, n_pairs: int
) -> tuple[Numbers, Numbers | None, Numbers | None]:
    """Return what to count for each pair, sums of squared weights, and numbers of samples.

    `counts` are numbers of samples if they are whole and given alone. Otherwise they are sums of
    weights, and each of the other two is None if unknown.
    """
    options = {"counts": counts, "squared_weights": squared_weights, "n_samples": n_samples}
    sums = {name: read_amounts(x, name) for name, x in options.items() if x is not None}
    for name, array in sums.items():
        if array.shape != (n_pairs,):
            raise ValueError(
                f"`{name}` must be {n_pairs} numbers, one per pair, got shape {array.shape}"
            )
    amounts = sums["counts"]
    are_counts = len(sums) == 1 and bool((np.trunc(amounts) == amounts).all())
    total = amounts.sum(dtype=float)
    if are_counts and not 0 < total < 2**62:  # exactly, which takes longer
        total = sum(map(int, amounts.tolist()))
    if not total:
        raise NoSamplesError(f"`counts` must sum to more than 0 and below 2**63, got {total}")
    if are_counts:
        check_total(total)
        samples = amounts.astype(np.int64)
        return samples, None, samples
    samples = sums.get("n_samples", np.ones(n_pairs))
    bad = np.floor(samples) < np.maximum(samples, amounts > 0)
    if bad.any():
        raise ValueError(
            f"`n_samples` must be whole numbers, 0 only where `counts` is 0, got {samples[bad][0]}"
        )
    squares = sums.get("squared_weights")
    squares = None if squares is None else squares.astype(np.float64)
    return amounts.astype(np.float64), squares, sums.get("n_samples")


def read_whole(values: Any, name: str = "counts") -> Numbers:
    """Return counts of samples as integers.

    Raises
    ------
    ValueError
        If one is not a whole number from 0 on.
    """
    counts = read_amounts(values, name)
    if (broken := counts[counts != np.trunc(counts)]).size:
        raise ValueError(f"`{name}` must be whole numbers of samples, got {broken[0]}")
    if counts.sum(dtype=float) >= 2**62:
        raise ValueError(f"`{name}` must sum to less than 2**62, got {counts.sum(dtype=float):g}")
    return counts.astype(np.int64)


def check_total(total: Any) -> None:
    """Raise ValueError unless a table can hold counts, or weights, that sum to this."""
    if isinstance(total, int) and total >= 2**63:
        raise ValueError(f"`counts` must sum to more than 0 and below 2**63, got {total}")
    if total == math.inf:
        raise ValueError("`counts` must have a finite sum, got one beyond 1e308")


def count_bytes(rows: Numbers, columns: Numbers) -> Cells | None:
    """Return the cells of pairs of codes below 16, None if there are others.

    A pair is a byte, and two bytes are counted as one number: .6 of the core's time at 10**7.
    """
    table = np.zeros((256, 256), dtype=np.int64)
    for first in range(0, len(rows), 2**19):
        pairs = np.empty(min(2**19, len(rows) - first), dtype=np.uint8)
        for start in range(0, len(pairs), 2**15):  # what stays in the cache
            some = slice(first + start, first + start + 2**15)
            # the union of the bits has those of the largest code, and is negative if one is
            if not all(0 <= np.bitwise_or.reduce(side[some]) < 16 for side in (rows, columns)):
                return None
            codes = np.left_shift(rows[some], 4, dtype=np.int64)
            codes |= columns[some]
            pairs[start : start + 2**15] = codes
        twos = pairs[: len(pairs) // 2 * 2].view(np.uint16)
        table += np.bincount(twos, minlength=2**16).reshape(256, 256)
    counts = table.sum(axis=0) + table.sum(axis=1)
    counts[pairs[-1]] += len(pairs) % 2
    used = np.flatnonzero(counts)
    return Cells(used >> 4, used & 15, counts[used])
