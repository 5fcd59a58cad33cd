"""What the rows of references and predictions stand for: samples, their weights and groups."""

from typing import Any, NamedTuple

import numpy as np

from ..contingency import ContingencyTable, common_codes
from ..core.labels import Codes, Column, Label, NoSamplesError, Numbers
from ..core.table import Table, count_pairs, nothing_in_common, read_amounts
from ..inputs.containers import read_quickly
from ..statistics.units import Triples

FEW_GROUPS = 20  # with fewer, a sum over groups is far from normal


def too_few_groups(n_groups: int) -> str:
    """Return how many groups there are if they are too few, else empty; 0 stands for no groups."""
    if 0 < n_groups < FEW_GROUPS:
        return f"{n_groups} groups, where {FEW_GROUPS} are wanted"
    return ""


class Rows(NamedTuple):
    """What each row stands for, without rows of count or weight 0."""

    kept: Numbers
    counts: Numbers | None
    weights: Numbers | None
    groups: Codes | None


def read_rows(n_rows: int, sample_weight: Any, counts: Any, groups: Any) -> Rows:
    """Return what each row stands for."""
    weights = _of_each(n_rows, "sample_weight", sample_weight)
    n = _of_each(n_rows, "counts", counts)
    if n is not None and (n % 1).any():
        raise ValueError(
            f"`counts` must hold whole numbers of samples, got {n[n % 1 > 0][0]!r}: pass weights "
            "as `sample_weight`"
        )
    amounts = [x for x in (weights, n) if x is not None]
    kept = np.logical_and.reduce([np.ones(n_rows, dtype=bool), *(x > 0 for x in amounts)])
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
    return Rows(
        kept,
        None if n is None else n[kept],
        None if weights is None else weights[kept].astype(np.float64),
        codes,
    )


def _of_each(n_rows: int, name: str, given: Any) -> Numbers | None:
    """Return a number for each row, None if none are given."""
    values = None if given is None else read_amounts(given, name)
    if values is not None and values.shape != (n_rows,):
        raise ValueError(
            f"`{name}` must hold a number for each row, got an array of shape {values.shape} "
            f"for {n_rows} rows"
        )
    return values


def check_common_label(table: Table, references: str, predictions: str) -> None:
    """Raise ValueError if no label of the references is ever predicted; see `nothing_in_common`."""
    if why := nothing_in_common(table, (references, predictions)):
        raise ValueError(why)


def table_of(
    references: Column, predictions: Column, rows: Rows, options: dict[str, Any]
) -> ContingencyTable:
    """Return the table of one model."""
    if rows.counts is None:
        return ContingencyTable.from_labels(
            references=references, predictions=predictions, sample_weight=rows.weights, **options
        )
    if rows.weights is not None:
        options = {**options, "squared_weights": rows.counts * rows.weights**2}
        options["n_samples"] = rows.counts
    amounts = rows.counts if rows.weights is None else rows.counts * rows.weights
    return ContingencyTable.from_counts(
        references=references, predictions=predictions, counts=amounts, **options
    )


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


def groups_digest(triples: Triples) -> str:
    """Return eight hexadecimal digits that stand for the members of the groups.

    Neither the order nor the names of the groups matter, nor which model is A.
    """
    from hashlib import sha256

    members: dict[int, list[tuple[float, ...]]] = {}
    columns = (x.tolist() for x in (triples.references, triples.a, triples.b))
    others = (x.tolist() for x in (triples.counts, triples.weights))
    for group, *member in zip(np.asarray(triples.groups).tolist(), *columns, *others, strict=True):
        members.setdefault(group, []).append(tuple(member))
    exchanged = [[(r, b, a, *rest) for r, a, b, *rest in group] for group in members.values()]
    texts = (repr(sorted(map(sorted, side))) for side in (members.values(), exchanged))
    return sha256(min(texts).encode()).hexdigest()[:8]
