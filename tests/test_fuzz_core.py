"""Random tables against exact fractions, random containers against plain lists; seeds are fixed.

`INFORMEDNESS_FUZZ=20000 pytest tests/test_fuzz_core.py` runs as many seeds, not the usual few.
"""

import math
import os
from collections import deque
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import by_table
import dense
import tensors
from informedness import ContingencyTable
from informedness.core.labels import read_column

pytestmark = pytest.mark.filterwarnings("ignore:informedness. ")

SEEDS = range(int(os.environ.get("INFORMEDNESS_FUZZ", "100")))
IRRATIONAL = ("nit", "ema", "matthews_corrcoef")

# tables


def random_cells(rng):
    """Return a table of counts or of weights of sizes up to all that 64 bits hold."""
    k = int(rng.choice([1, 2, 2, 3, 4, 7, 12]))
    decades = rng.uniform(0, 18 if rng.random() < 0.5 else 3)
    cells = 10 ** rng.uniform(0, max(decades - math.log10(k * k), 0.5), (k, k))
    cells *= rng.random((k, k)) < rng.uniform(0.2, 1.2)
    if rng.random() < 0.3:
        cells[np.diag_indices(k)] *= 10 ** rng.uniform(
            0, max(16.5 - math.log10(cells.max() + 1), 0)
        )
    if rng.random() < 0.2:
        cells[:, rng.integers(k)] = 0
    if rng.random() < 0.2:
        cells[rng.integers(k)] = 0
    if not cells.astype(np.int64).any():
        cells[0, 0] = 1
    if rng.random() < 0.5:
        return cells.astype(np.int64).tolist()
    return (cells * 10.0 ** rng.integers(-40, 40)).tolist()


def by_matrix(cells, rng):
    return ContingencyTable.from_matrix(cells, labels=range(len(cells)))


def by_labels(cells, rng):
    """Return the table of a weight for each cell, in any order."""
    i, j = np.nonzero(cells)
    order = rng.permutation(len(i))
    i, j = i[order], j[order]
    weights = np.array(cells, dtype=float)[i, j]
    return ContingencyTable.from_labels(i, j, sample_weight=weights, labels=range(len(cells)))


def by_parts(cells, rng):
    """Return the sum of two tables that share the cells out among them."""
    i, j = np.nonzero(cells)
    array = np.array(cells)
    mine = rng.random(len(i)) < 0.5
    options = {"labels": range(len(cells))}
    parts = [(i[side], j[side], array[i[side], j[side]]) for side in (mine, ~mine)]
    tables = []
    for part in parts:
        if array.dtype.kind == "f":  # sums of weights, also where they happen to be whole
            options["n_samples"] = np.ones(len(part[0]))
        if len(part[0]):
            tables.append(ContingencyTable.from_counts(*part, **options))
    return sum(tables)


def exact(cells, metric, average):
    """Return the score by its definition, nan where that divides by 0."""
    mpmath.mp.dps = 60
    rational = [[Fraction(x) for x in row] for row in cells]
    if metric in IRRATIONAL:
        rational = [[mpmath.mpf(x.numerator) / x.denominator for x in row] for row in rational]
        if metric == "nit":  # of declared classes
            return float(mpmath.exp(dense.information(rational)) / len(cells))
    try:
        return float(dense.score(rational, metric, average))
    except ZeroDivisionError:
        return math.nan


@pytest.mark.slow
@pytest.mark.parametrize("seed", SEEDS)
def test_scores_of_random_tables_are_exact(seed):
    rng = np.random.default_rng([seed, 1])
    cells = random_cells(rng)
    counts = isinstance(cells[0][0], int)
    for way in (by_matrix, by_parts) if counts else (by_matrix, by_labels, by_parts):
        whole = sum(map(sum, cells))
        if not counts and way is not by_labels and all(x == int(x) for row in cells for x in row):
            continue  # whole weights are counts, unless their squares are given
        table = way(cells, rng)
        assert table.total == pytest.approx(whole, rel=1e-15)
        for metric, average in dense.SCORES:
            function = getattr(by_table, metric)
            value = function(table) if average is None else function(table, average=average)
            wanted = exact(cells, metric, average)
            assert value == pytest.approx(wanted, rel=0, abs=1e-12, nan_ok=True), (metric, average)


# containers

HUGE = range(2**63, 2**64)

ALPHABET = [*"abc 01", "é", "e\u0301", "а", "\n", '"', "\u200b", "😀", "\x00"]  # noqa: RUF001


def random_labels(rng):
    """Return labels of one kind, and its name."""
    n, kind = (
        int(rng.integers(1, 40)),
        str(rng.choice(["small", "wide", "huge", "text", "bytes", "bools"])),
    )
    if kind == "small":
        return rng.integers(0, 100, n).tolist(), kind
    if kind == "wide":
        return rng.integers(-(2**63), 2**63 - 1, n, endpoint=True).tolist(), kind
    if kind == "huge":
        return rng.integers(0, 2**64 - 1, n, np.uint64, endpoint=True).tolist(), kind
    if kind == "bools":
        return (rng.random(n) < 0.5).tolist(), kind
    words = ["".join(rng.choice(ALPHABET, rng.integers(0, 9))) for _ in range(5)]
    if kind == "bytes":
        words = [word.encode() for word in words]
    return [words[code] for code in rng.integers(0, 5, n)], kind


def random_layout(array, rng):
    """Return a view of the same values that lies otherwise in memory."""
    kind = rng.integers(5)
    if kind == 0:
        array = np.repeat(array, 3)[::3]
    elif kind == 1:
        array = array[::-1].copy()[::-1]
    elif kind == 2:
        array = np.asfortranarray(np.stack([array, array], axis=1))[:, :1]
    elif kind == 3 and array.dtype.kind in "iufU":
        array = array.astype(array.dtype.newbyteorder())
    array.setflags(write=bool(rng.random() < 0.5) and array.flags.writeable)
    return array


def arrow(values):
    return pa.array(
        values, pa.uint64() if any(type(x) is int and x in HUGE for x in values) else None
    )


def chunked(values, rng):
    cut = int(rng.integers(len(values) + 1))
    whole = arrow(values)
    return pa.chunked_array([whole[:cut], whole[cut:cut], whole[cut:]])


def reindexed(values, dtype, rng):
    return pd.Series(values, dtype=dtype, index=rng.permutation(len(values)) + 7)


def random_container(values, kind, rng):
    """Return the labels in some container that holds them."""
    boxes = [
        list,
        tuple,
        deque,
        lambda v: dict(enumerate(v)).values(),
        lambda v: random_layout(np.array([*v, None], dtype=object)[:-1], rng),
        lambda v: reindexed(v, object, rng),
        lambda v: pd.Index(v, dtype=object),
        arrow,
        lambda v: chunked(v, rng),
        lambda v: pa.table({"x": chunked(v, rng)}),
    ]
    if kind != "bools":
        boxes += [
            lambda v: arrow(v).dictionary_encode(),
            lambda v: chunked(v, rng).dictionary_encode(),
            lambda v: reindexed(v, "category", rng),
        ]
    if kind in ("text", "wide", "small", "bools"):
        boxes += [pl.Series, lambda v: pl.DataFrame({"x": v})]
    if kind == "text":
        boxes += [
            lambda v: reindexed(
                v, str(rng.choice(["str", "string[python]", "string[pyarrow]"])), rng
            ),
            lambda v: pl.Series(v, dtype=pl.Categorical),
            lambda v: pa.array(v, pa.large_string()),
        ]
        if np.lib.NumpyVersion(np.__version__) >= "2.0.0":
            boxes.append(lambda v: random_layout(np.array(v, np.dtypes.StringDType()), rng))
    if kind in ("text", "bytes") and not any(x[-1:] in ("\x00", b"\x00") for x in values):
        boxes.append(lambda v: random_layout(np.array(v), rng))  # which drops trailing NULs
    if kind in ("small", "wide", "huge"):
        types = [
            f"{order}{t}" for order in "<>" for t in ("i8", "u8", "i4", "u2", "i1", "f2", "f8")
        ]
        fit = [
            t
            for t in types
            if all(int(x) == y for x, y in zip(typed(values, t), values, strict=True))
        ]
        boxes += [lambda v, t=t: random_layout(np.array(v, dtype=t), rng) for t in fit]
        boxes += [lambda v, t=t: list(np.array(v, dtype=t)) for t in fit]
    if kind == "small":
        boxes += tensors.LABELS.values()
        boxes += [lambda v, t=t: reindexed(v, t, rng) for t in ("Int64", "float64", "UInt8")]
    return boxes[int(rng.integers(len(boxes)))](values)


def typed(values, dtype):
    """Return the values as this dtype has them, which may be others; infinite ones as 0.5."""
    with np.errstate(all="ignore"):
        try:
            array = np.array(values).astype(dtype)
        except OverflowError:
            return [0.5] * len(values)
    if array.dtype.kind == "f" and not np.isfinite(array).all():
        return [math.pi] * len(values)
    return array.tolist()


@pytest.mark.slow
@pytest.mark.parametrize("seed", [seed * 7 + turn for seed in SEEDS for turn in range(7)])
def test_random_containers_are_read_as_the_list_of_their_labels(seed):
    rng = np.random.default_rng([seed, 2])
    values, kind = random_labels(rng)
    box = random_container(values, kind, rng)
    shown = repr(box)[:200]
    column = read_column(box, "references")
    assert column.tolist() == values, shown
    assert {type(label) for label in column.tolist()} <= {int, str, bytes}, shown
    predictions = [values[code] for code in rng.permutation(len(values))]
    boxes = random_container(values, kind, rng), random_container(predictions, kind, rng)
    wanted = ContingencyTable.from_labels(values, predictions)
    assert ContingencyTable.from_labels(*boxes) == wanted
    assert sum(wanted.counts.tolist()) == len(values)


NOT_LABELS = [
    None,
    math.nan,
    0.5,
    math.inf,
    Decimal(1),
    Fraction(1),
    1j,
    pd.NA,
    pd.NaT,
    np.datetime64("2020-01-01", "ns"),
    np.timedelta64(1, "ns"),
    np.array("2020-01-01", "M8[ns]"),
    np.ma.masked,
    np.ma.array(1, mask=True),
    [1],
    (1, 2),
    np.array([1, 2]),
    {},
    object(),
    2**64,
    -(2**63) - 1,
]


@pytest.mark.parametrize("seed", SEEDS)
def test_one_wrong_element_anywhere_is_refused(seed):
    rng = np.random.default_rng([seed, 3])
    values, kind = random_labels(rng)
    other = "text" if kind != "text" else 3
    wrong = [*NOT_LABELS, other, b"bytes" if kind != "bytes" else "text"]
    position = int(rng.integers(len(values) + 1))
    values.insert(position, wrong[int(rng.integers(len(wrong)))])
    as_objects = np.empty(len(values), dtype=object)
    for place, value in enumerate(values):
        as_objects[place] = value
    for box in (list, tuple, deque, lambda v: as_objects, lambda v: pd.Series(as_objects)):
        with pytest.raises(ValueError, match=r"`predictions` must (hold|be) "):
            read_column(box(values), "predictions")
