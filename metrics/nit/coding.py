"""Coding and counting: labels become codes, pairs of codes become the cells of a table.

The `code_*` functions are the only places where labels become codes, `count_pairs` the only one
where codes become counts. No k x k array is made where k is large. Figures in the comments are
medians of `make bench`'s machine, per label or pair.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

Label: TypeAlias = int | str | bytes
Codes: TypeAlias = NDArray[np.int64]
Sums: TypeAlias = list[NDArray[Any]]

# Labels fused and counted together: they stay in the cache, which takes half the time of whole
# arrays (2 against 4 ns); smaller blocks lose more to the calls than they gain.
_BLOCK = 2**17
# At most 2**10 labels are counted in a table of all pairs, 8 MB; more of them by sorting.
_MOST_BITS = 10


@dataclass(frozen=True)
class Column:
    """Labels of the samples, as integers.

    `codes` are positions in `values`, the distinct labels in any order (some may be unused); or,
    where `values` is None, `codes` are themselves the labels.
    """

    codes: NDArray[Any]
    values: Sequence[Label] | None = None

    def __len__(self) -> int:
        return len(self.codes)

    @property
    def kind(self) -> str | None:
        """The type of its labels: "integers", "strings", "bytes"; None where it has none."""
        if self.values is None:
            return "integers" if len(self.codes) else None
        return label_kind(self.values[0]) if len(self.values) else None

    def example(self) -> Label:
        """Return the first label."""
        code = int(self.codes[0])
        return code if self.values is None else self.values[code]

    def __getitem__(self, samples: Any) -> Column:
        """Return the column of some of the samples."""
        return Column(self.codes[samples], self.values)

    def tolist(self) -> list[Label]:
        """Return the labels as Python objects."""
        codes: list[Any] = self.codes.tolist()
        return codes if self.values is None else [self.values[code] for code in codes]


def label_kind(label: object) -> str:
    """Return "integers", "strings" or "bytes"."""
    return "strings" if isinstance(label, str) else "bytes" if type(label) is bytes else "integers"


def code_objects(labels: Sequence[Any]) -> Column:
    """Return hashable objects as codes in order of appearance: exact, whatever their length."""
    positions: defaultdict[Any, int] = defaultdict(count().__next__)
    try:
        # one look-up each, straight into bytes: 28 ns, where an array of integers takes 34
        codes = np.frombuffer(bytes(map(positions.__getitem__, labels)), dtype=np.uint8)
    except ValueError:  # more than 256 of them
        codes = np.fromiter(map(positions.__getitem__, labels), np.int64, len(labels))
    return Column(codes, list(positions))


def code_text(labels: list[Any] | NDArray[Any]) -> Column | None:
    """Return a list of only `str` or only `bytes`, or an array of them, as codes; else None."""
    if isinstance(labels, np.ndarray):
        return _code_words(labels) if labels.dtype.kind in "US" else None
    if not labels or type(labels[0]) not in (str, bytes):
        return None
    try:
        column = code_objects(labels)
    except TypeError:  # something that has no hash
        return None
    # only strings equal strings, so the types of the distinct labels are those of all
    return column if set(map(type, column.values or ())) == {type(labels[0])} else None


def _code_words(array: NDArray[Any]) -> Column:
    """Return numpy's fixed-width strings or bytes as codes, by their 64-bit words.

    Hashing them as Python objects would take four times as long.
    """
    if array.dtype.itemsize == 0 or not len(array):
        return code_objects(array.tolist())
    units = np.ascontiguousarray(array).view(np.uint32 if array.dtype.kind == "U" else np.uint8)
    if array.dtype.kind == "U" and not array.dtype.isnative:
        units = units.byteswap()
    units = units.reshape(len(array), -1)
    if units.itemsize > 1 and units.max() < 256:
        units = units.astype(np.uint8)
    in_word = 8 // units.itemsize
    padded = np.zeros((len(array), -(-units.shape[1] // in_word) * in_word), dtype=units.dtype)
    padded[:, : units.shape[1]] = units
    first, *others = padded.view(np.uint64).T
    codes = code_integers(first)[1]
    for word in others:
        values, of_word = code_integers(word)
        if len(values) > 1:
            codes = code_integers(codes.astype(np.int64) * len(values) + of_word)[1]
    sample = np.empty(int(codes.max()) + 1, dtype=np.int64)
    sample[codes] = np.arange(len(codes))  # some sample of each code
    return Column(codes, array[sample].tolist())


def code_arrow(values: Any) -> tuple[NDArray[Any], list[Any]] | None:
    """Return codes and labels of pyarrow strings, which it codes in a fifth of the time; or None.

    None too where there are nulls: they are refused with their position on the way through numpy.
    """
    if not hasattr(values, "dictionary_encode") or values.null_count:
        return None
    if _arrow_kind(getattr(values.type, "value_type", values.type)) != "O":
        return None
    try:
        encoded = values.dictionary_encode()
        if hasattr(encoded, "unify_dictionaries"):
            encoded = encoded.unify_dictionaries().combine_chunks()
    except NotImplementedError:
        return None
    if encoded.dictionary.null_count:
        return None
    return to_numpy(encoded.indices), encoded.dictionary.to_pylist()


def to_numpy(values: Any) -> NDArray[Any]:
    """Return a container as numpy's array; numbers of pyarrow without pandas, which it imports."""
    is_arrow = hasattr(values, "dictionary_encode") and hasattr(values, "__dlpack__")
    if is_arrow and len(values) and not values.null_count and _arrow_kind(values.type) in "iuf":
        return np.from_dlpack(values)
    return np.asarray(values)


def _arrow_kind(arrow_type: Any) -> str:
    """Return the kind of numpy's type for one of pyarrow's."""
    try:
        return str(np.dtype(arrow_type.to_pandas_dtype()).kind)
    except NotImplementedError:
        return "O"


def native_integers(array: NDArray[Any]) -> NDArray[Any]:
    """Return integers in the byte order of this machine, bools as 0 and 1."""
    if array.dtype.kind == "b":
        return array.astype(np.uint8)
    array = array.astype(array.dtype.newbyteorder("="), copy=False)
    if array.dtype == np.uint64 and int(array.max(initial=0)) < 2**63:
        array = array.astype(np.int64)  # so that uint64 stands only where it must
    return array


def code_integers(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """Return the distinct integers in any order, and each one's position among them."""
    if not len(array):
        return array, array.astype(np.int64)
    low, high = int(array.min()), int(array.max())
    if high - low < max(2 * len(array), 2**16):
        wide = np.uint64 if array.dtype == np.uint64 else np.int64
        offsets = np.subtract(array, array.dtype.type(low), dtype=wide).astype(np.int64)
        present = np.bincount(offsets) > 0
        values = np.flatnonzero(present).astype(wide) + wide(low)
        return values, offsets if present.all() else (np.cumsum(present) - 1)[offsets]
    return _code_few(array) or np.unique(array, return_inverse=True)


def _code_few(array: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]] | None:
    """Return as `code_integers` for few distinct integers however far apart, else None.

    A multiplier sends each to a slot of its own in a small table: 6 ns a label, where the search
    in a sorted list takes 16 and sorting all of them 100.
    """
    values = np.unique(array[:4096])
    codes = np.empty(len(array), dtype=np.uint8)
    start, multiplier, table = 0, np.uint64(0), None
    while start < len(array):
        if table is None:
            keys = values.astype(np.uint64)
            for multiplier in np.random.default_rng(0).integers(0, 2**63, 64, np.uint64) * 2 + 1:
                slots = (keys * multiplier) >> np.uint64(52)
                if len(np.unique(slots)) == len(keys) <= 128:
                    break
            else:
                return None
            table = np.zeros(2**12, dtype=np.uint8)
            table[slots] = np.arange(len(values))
        block = array[start : start + _BLOCK]
        found = table[(block.astype(np.uint64) * multiplier) >> np.uint64(52)]
        unseen = values[found] != block
        if unseen.any():
            values, table = np.append(values, np.unique(block[unseen])), None
        else:
            codes[start : start + _BLOCK] = found
            start += _BLOCK
    return values, codes


def common_codes(references: Column, predictions: Column) -> tuple[list[Label], Codes, Codes]:
    """Return the labels of both columns, sorted, and each sample's positions among them."""
    (r_values, r), (p_values, p) = map(_coded, (references, predictions))
    found, to_row, to_column = _merged(r_values, p_values)
    return found, to_row[r], to_column[p]


def count_pairs(
    references: Column, predictions: Column, weights: NDArray[np.float64] | None = None
) -> tuple[Sequence[Label], Codes, Codes, Sums]:
    """Return the labels that occur, sorted, and the cells of their contingency table.

    Returns
    -------
    found : sequence of labels
        Some may be unused.
    rows, columns : int64 arrays of shape (n_cells,)
        Positions in `found` of each cell's reference and prediction. A cell may stand twice.
    sums : list of arrays of shape (n_cells,)
        The number of samples; with weights also their sum and the sum of their squares.
    """
    if not len(references):
        nothing = np.zeros(0, dtype=np.int64)
        return [], nothing, nothing, [nothing] * (1 if weights is None else 3)
    if references.values is None and predictions.values is None:
        cells = _count_integers(references.codes, predictions.codes, weights)
        if cells is not None:
            return cells
    (r_values, r), (p_values, p) = map(_coded, (references, predictions))
    rows, columns, sums = _count_small(r, p, weights) or _count_sorted(r, p, weights)
    found, to_row, to_column = _merged(r_values, p_values)
    return found, to_row[rows], to_column[columns], sums


def _count_integers(
    references: NDArray[Any], predictions: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[Sequence[Label], Codes, Codes, Sums] | None:
    """Return `count_pairs` of integers that lie close enough to be codes themselves, or None."""
    if cells := _count_small(references, predictions, weights):
        return range(max(int(cells[0].max()), int(cells[1].max())) + 1), *cells
    if np.uint64 in (references.dtype, predictions.dtype):
        return None
    low = min(int(references.min()), int(predictions.min()))
    span = max(int(references.max()), int(predictions.max())) - low + 1
    if span > max(len(references), 2**16):
        return None
    r, p = (np.subtract(side, low, dtype=np.int64) for side in (references, predictions))
    cells = _count_small(r, p, weights) or _count_hits_and_sort(r, p, span, weights)
    return range(low, low + span), *cells


def compact(column: Column) -> Column:
    """Return a copy of the column, in the narrowest type unless some code is negative."""
    codes = column.codes
    all_bits = int(np.bitwise_or.reduce(codes)) if len(codes) else 0
    narrow = codes.dtype if all_bits < 0 else np.min_scalar_type(all_bits)
    return Column(codes.astype(narrow), column.values)


def join_columns(columns: Sequence[Column]) -> Column:
    """Return columns of one kind of label, end to end."""
    codes = [column.codes for column in columns]
    # uint64 beside a sign: numpy would round
    whole = np.result_type(*{array.dtype for array in codes}).kind in "iu"
    if whole and all(column.values is None for column in columns):
        return Column(np.concatenate(codes))
    positions: defaultdict[Label, int] = defaultdict(count().__next__)
    for number, (values, of_column) in enumerate(map(_coded, columns)):
        labels = values.tolist() if isinstance(values, np.ndarray) else values
        to_code = np.array([positions[label] for label in labels], dtype=np.int64)
        codes[number] = to_code.astype(np.min_scalar_type(len(positions)))[of_column]
    return Column(np.concatenate(codes), list(positions))


def _coded(column: Column) -> tuple[Any, NDArray[Any]]:
    if column.values is None:
        return code_integers(column.codes)
    return column.values, column.codes


def _merged(r_values: Any, p_values: Any) -> tuple[list[Label], Codes, Codes]:
    """Return two lists of labels as one, sorted, and where each one's entries stand in it."""
    sides = (r_values, p_values)
    if all(isinstance(side, np.ndarray) and side.dtype != np.uint64 for side in sides):
        both = np.sort(np.concatenate(sides))  # a third of the time of sets at 100,000 classes
        both = both[np.append(True, both[1:] != both[:-1])]
        return both.tolist(), np.searchsorted(both, r_values), np.searchsorted(both, p_values)
    lists = [side.tolist() if isinstance(side, np.ndarray) else side for side in sides]
    found = sorted({*lists[0], *lists[1]})
    position = {label: code for code, label in enumerate(found)}
    to_row, to_column = (np.array([position[x] for x in side], dtype=np.int64) for side in lists)
    return found, to_row, to_column


def _count_small(
    rows: NDArray[Any], columns: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[Codes, Codes, Sums] | None:
    """Return the cells of small codes, from a table of all pairs; None for other codes.

    Each block is fused into row * 2**bits + column, after one look at all bits of both: a
    negative or large code shows in them.
    """
    n = len(rows)
    if np.uint64 in (rows.dtype, columns.dtype):
        return None
    most_bits = min(_MOST_BITS, max(6, (2 * n).bit_length() // 2))
    bits, start, size = -1, 0, min(n, _BLOCK)
    tables: Sums = []
    fused = np.empty(0, dtype=np.int64)
    while start < n:
        block = slice(start, start + size)
        r, c = rows[block], columns[block]
        all_bits = int(np.bitwise_or.reduce(r)) | int(np.bitwise_or.reduce(c))
        if all_bits < 0 or all_bits.bit_length() > most_bits:
            return None
        if all_bits.bit_length() > bits:
            bits = all_bits.bit_length()
            tables = _grown(tables, bits, weights is not None)
            # the narrowest type is the fastest; and a block should outweigh the table it adds to
            narrow = np.min_scalar_type(4**bits - 1)
            size = min(n, max(_BLOCK, 4**bits))
            fused = np.empty(size, np.result_type(rows.dtype, columns.dtype, narrow))
        pairs = fused[: len(r)]
        np.left_shift(r, bits, out=pairs, dtype=pairs.dtype)
        np.bitwise_or(pairs, c, out=pairs)
        amounts = [None] if weights is None else [None, weights[block], _squared(weights[block])]
        for table, weight in zip(tables, amounts, strict=True):
            table += np.bincount(pairs, weight, minlength=4**bits).reshape(table.shape)
        start += len(r)
    found, columns = np.nonzero(tables[0])
    return found, columns, [table[found, columns] for table in tables]


def _grown(tables: Sums, bits: int, weighted: bool) -> Sums:
    """Return square tables of 2**bits rows that hold what `tables` do."""
    dtypes = [np.int64] + [np.float64] * (2 * weighted)
    larger: Sums = [np.zeros((2**bits, 2**bits), dtype=dtype) for dtype in dtypes]
    for table, into in zip(tables, larger, strict=False):
        into[: len(table), : len(table)] = table
    return larger


def _count_sorted(
    rows: NDArray[Any], columns: NDArray[Any], weights: NDArray[np.float64] | None
) -> tuple[Codes, Codes, Sums]:
    """Return the cells of codes however many, by sorting the pairs."""
    k = int(columns.max()) + 1
    fused = rows.astype(np.int64) * k + columns
    if weights is None:
        cells, counts = np.unique(fused, return_counts=True)
        return cells // k, cells % k, [counts]
    cells, index, counts = np.unique(fused, return_inverse=True, return_counts=True)
    sums = [np.bincount(index, amounts) for amounts in (weights, _squared(weights))]
    return cells // k, cells % k, [counts, *sums]


def _count_hits_and_sort(
    rows: Codes, columns: Codes, k: int, weights: NDArray[np.float64] | None
) -> tuple[Codes, Codes, Sums]:
    """Return the cells of codes of the same k labels: only the misses need sorting."""
    equal = rows == columns
    right, wrong = np.flatnonzero(equal), np.flatnonzero(~equal)  # faster than masks
    hits = _count_diagonal(rows[right], k, None if weights is None else weights[right])
    if not len(wrong):
        return hits
    misses = _count_sorted(rows[wrong], columns[wrong], None if weights is None else weights[wrong])
    both_rows, both_columns = (
        np.concatenate(pair) for pair in zip(hits[:2], misses[:2], strict=True)
    )
    order = np.argsort(both_rows * k + both_columns, kind="stable")  # two sorted runs: a merge
    sums = [np.concatenate(pair)[order] for pair in zip(hits[2], misses[2], strict=True)]
    return both_rows[order], both_columns[order], sums


def _count_diagonal(
    codes: Codes, k: int, weights: NDArray[np.float64] | None
) -> tuple[Codes, Codes, Sums]:
    amounts = [None] if weights is None else [None, weights, _squared(weights)]
    counts, *others = [np.bincount(codes, weight, minlength=k) for weight in amounts]
    found = np.flatnonzero(counts)
    return found, found, [counts[found], *(other[found] for other in others)]


def _squared(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(over="ignore"):  # beyond 1e154: scores are right, their errors unknown
        return np.square(weights)


def add_up(rows: Codes, columns: Codes, sums: Sums, k: int) -> tuple[Codes, Codes, Sums]:
    """Return cells of codes below k row by row; those that stand twice are added up."""
    fused = rows * k + columns
    if (fused[1:] > fused[:-1]).all():
        return rows, columns, sums
    order = np.argsort(fused, kind="stable")  # of two tables: a merge of sorted runs
    starts = np.flatnonzero(np.diff(fused[order], prepend=-1))
    rows, columns = np.divmod(fused[order[starts]], k)
    return rows, columns, [np.add.reduceat(amounts[order], starts) for amounts in sums]


def sum_by(codes: Codes, amounts: NDArray[Any], size: int) -> NDArray[Any]:
    """Return the sum of `amounts` for each code: exact for counts, in float64 for weights."""
    # bincount sums in float64, which for many cells takes a third of the time of add.at
    if amounts.dtype.kind == "f" or (len(codes) > 10_000 and amounts.sum(dtype=float) < 2**53):
        return np.bincount(codes, amounts, minlength=size).astype(amounts.dtype, copy=False)
    totals = np.zeros(size, dtype=np.int64)
    np.add.at(totals, codes, amounts)
    return totals
