"""What the rows of references and predictions stand for: samples, their weights and groups."""

from typing import Any, NamedTuple

import numpy as np

from ..contingency import ContingencyTable, common_codes
from ..core.labels import Codes, Column, Label, NoSamplesError, Numbers
from ..core.table import count_pairs, read_amounts
from ..inputs.containers import read_quickly
from ..statistics.swaps import Triples

FEW_GROUPS = 20  # with fewer, a sum over groups is far from normal


class Rows(NamedTuple):
    """What each row stands for, without rows of count or weight 0."""

    kept: Numbers
    counts: Numbers | None
    weights: Numbers | None
    groups: Codes | None


def read_rows(n_rows: int, sample_weight: Any, counts: Any, groups: Any) -> Rows:
    """Return what each row stands for."""
    amounts = {"sample_weight": sample_weight, "counts": counts}
    read: dict[str, Numbers | None] = dict.fromkeys(amounts)
    kept = np.ones(n_rows, dtype=bool)
    for name, given in amounts.items():
        if given is None:
            continue
        values = read_amounts(given, name)
        if values.shape != (n_rows,):
            raise ValueError(
                f"`{name}` must hold a number for each row, got an array of shape {values.shape} "
                f"for {n_rows} rows"
            )
        if name == "counts" and values.dtype.kind == "f" and (values % 1).any():
            raise ValueError(
                "`counts` must hold whole numbers of samples, got "
                f"{values[values % 1 > 0][0]!r}: pass weights as `sample_weight`"
            )
        read[name] = values
        kept &= values > 0
    codes = None
    if groups is not None:
        column = read_quickly(groups, "groups")
        if len(column) != n_rows:
            raise ValueError(
                f"`groups` must name a group for each row, got {len(column)} for {n_rows} rows"
            )
        named = common_codes(column, column)[1]  # in the order of their names, not of the rows
        codes = np.unique(named[kept], return_inverse=True)[1]
    if n_rows and not kept.any():
        raise NoSamplesError("there must be a sample to score, but all have weight 0")
    weights, n = (None if x is None else x[kept] for x in read.values())
    return Rows(kept, n, None if weights is None else weights.astype(np.float64), codes)


def table_of(
    references: Column, predictions: Column, rows: Rows, options: dict[str, Any]
) -> ContingencyTable:
    """Return the table of one model."""
    if rows.counts is None:
        return ContingencyTable.from_labels(
            references, predictions, sample_weight=rows.weights, **options
        )
    if rows.weights is not None:
        options = {**options, "squared_weights": rows.counts * rows.weights**2}
        options["n_samples"] = rows.counts
    amounts = rows.counts if rows.weights is None else rows.counts * rows.weights
    return ContingencyTable.from_counts(references, predictions, amounts, **options)


def count_triples(
    both: ContingencyTable, columns: list[Column], ignored: Label | None, rows: Rows
) -> tuple[Triples, int]:
    """Return the triples of samples by position in the table's labels, and the number of groups."""
    column, column_a, column_b = columns
    found_a, r, a = common_codes(column, column_a)
    found_b, _, b = common_codes(column, column_b)
    n_rows = len(r)
    weights, of_weight = np.ones(1), np.zeros(n_rows, dtype=np.int64)
    if rows.weights is not None:
        weights, of_weight = np.unique(rows.weights, return_inverse=True)
    groups = np.zeros(n_rows, dtype=np.int64) if rows.groups is None else rows.groups
    n = np.ones(n_rows) if rows.counts is None else rows.counts.astype(np.float64)
    if ignored in found_a:
        keep = r != found_a.index(ignored)
        r, a, b, of_weight, n = r[keep], a[keep], b[keep], of_weight[keep], n[keep]
        groups = np.unique(groups[keep], return_inverse=True)[1]
    n_groups = int(groups.max()) + 1
    if rows.groups is not None and n_groups < 2:
        raise ValueError("`groups` must name at least two: one does not show how groups vary")
    k = len(both.labels)
    position = {label: code for code, label in enumerate(both.labels)}
    outside = position.get(None, 0)
    to_code, to_code_b = (
        np.array([position.get(label, outside) for label in found], dtype=np.int64)
        for found in (found_a, found_b)
    )
    # every answer outside the declared classes is the same wrong answer
    rest = (to_code_b[b] * len(weights) + of_weight) * n_groups + groups
    given = None if rows.counts is None else n
    values, counted = count_pairs(Column(to_code[r] * k + to_code[a]), Column(rest), given)
    codes = np.asarray(values)
    r, a = np.divmod(codes[counted.rows], k)
    rest, groups = np.divmod(codes[counted.columns], n_groups)
    b, of_weight = np.divmod(rest, len(weights))
    n = np.asarray(counted.counts, dtype=np.float64)
    alone = rows.groups is None
    found = Triples(r, a, b, n, weights[of_weight], None if alone else groups)
    return found, 0 if alone else n_groups


def sizes_digest(triples: Triples) -> str:
    """Return eight hexadecimal digits that stand for the sizes of the groups."""
    from hashlib import sha256

    sizes = np.sort(np.bincount(np.asarray(triples.groups), triples.counts))
    return sha256(sizes.astype("<f8").tobytes()).hexdigest()[:8]
