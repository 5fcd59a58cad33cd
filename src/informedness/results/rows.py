"""What the rows of references and predictions stand for: samples, their weights and groups."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..contingency import ContingencyTable, common_codes
from ..core.labels import Codes, Column, Numbers, check_same_order
from ..core.table import count_pairs, read_amounts
from ..inputs.containers import read_quickly, read_task
from ..inputs.doubts import warn_of_table
from ..statistics.information import lack
from ..statistics.swaps import Triples

FEW_GROUPS = 20  # with fewer, a sum over groups is far from normal


def too_few_groups(triples: Triples) -> str:
    """Return how many groups there are if they are too few, else empty."""
    return "" if triples.groups is None else lack(n_groups(triples), FEW_GROUPS, "group")


def n_groups(triples: Triples) -> int:
    """Return the number of groups."""
    return 1 + int(np.asarray(triples.groups).max())


def read_samples(
    y_true: Any, answers: dict[str, Any], beside: dict[str, Any], *options: Any
) -> tuple[list[ContingencyTable], Triples]:
    """Return a table for each model, and the samples counted by position in the sum of the tables.

    `answers` is by argument; one model stands for both. `beside` may have counts, sample_weight and
    groups; the options are labels, ignore_index and unknown.
    """
    check_same_order({"y_true": y_true, **answers, **beside})
    column, columns = y_true, []
    for name, given in answers.items():
        how_read = (*options, ("y_true", name))
        column, answered, task = read_task(column, given, *how_read)
        columns.append(answered)
    size, codes = len(column), None
    weights, n = (_of_each(size, name, beside.get(name)) for name in ("sample_weight", "counts"))
    if n is not None and (n % 1).any():
        raise ValueError(
            f"`counts` must hold whole numbers of samples, got {n[n % 1 > 0].tolist()[0]}: "
            "pass weights as `sample_weight`"
        )
    amounts = [x for x in (weights, n) if x is not None]
    kept = task.counted(column, np.minimum.reduce(amounts) if amounts else None)
    if beside["groups"] is not None:
        names = read_quickly(beside["groups"], "groups")
        if len(names) != size:
            raise ValueError(
                f"`groups` must name a group for each row, got {len(names)} for {size} rows"
            )
        named = common_codes(names, names)[1]  # in the order of their names, not of the rows
        codes = np.unique(named[kept], return_inverse=True)[1]
        if not codes.any():
            raise ValueError("`groups` must name at least two groups, got one")
    columns = [side[kept] for side in (column, *columns)]
    weights = None if weights is None else weights[kept].astype(np.float64)
    n = None if n is None else n[kept]
    task, tables = task._replace(ignored=None), []
    for name, side in zip(answers, columns[1:], strict=True):
        if n is None:
            table = ContingencyTable._of_columns(columns[0], side, task, weights)
        elif weights is None:
            table = ContingencyTable._of_counts(columns[0], side, task, counts=n)
        else:
            sums = {"counts": n * weights, "squared_weights": n * weights**2, "n_samples": n}
            table = ContingencyTable._of_counts(columns[0], side, task, **sums)
        warn_of_table(table, ("y_true", name))
        tables.append(table)
    both = ContingencyTable.sum_of(tables)
    triples = _count_triples(both, (*columns, columns[-1])[:3], weights, n, codes)
    return tables, triples


def _of_each(n_rows: int, name: str, given: Any) -> Numbers | None:
    """Return a number for each row, None if none are given."""
    values = None if given is None else read_amounts(given, name)
    if values is not None and values.shape != (n_rows,):
        raise ValueError(
            f"`{name}` must hold a number for each row, got an array of shape {values.shape} "
            f"for {n_rows} rows"
        )
    return values


def _count_triples(
    both: ContingencyTable,
    columns: Sequence[Column],
    weights: Numbers | None,
    counts: Numbers | None,
    groups: Codes | None,
) -> Triples:
    """Return the triples of samples by position in the table's labels."""
    column, column_a, column_b = columns
    found_a, r, a = common_codes(column, column_a)
    found_b, _, b = common_codes(column, column_b)
    each, of_weight = np.ones(1), np.int64(0)
    if weights is not None:
        each, of_weight = np.unique(weights, return_inverse=True)
    n_groups = 1 if groups is None else 1 + int(groups.max())
    k = len(both.labels)
    position = {label: code for code, label in enumerate(both.labels)}
    outside = position.get(None, 0)
    to_code, to_code_b = (
        np.array([position.get(label, outside) for label in found], dtype=np.int64)
        for found in (found_a, found_b)
    )
    # every answer outside the declared classes is the same wrong answer
    rest = (to_code_b[b] * len(each) + of_weight) * n_groups + (0 if groups is None else groups)
    n = None if counts is None else counts.astype(np.float64)
    values, counted = count_pairs(Column(to_code[r] * k + to_code[a]), Column(rest), n)
    codes = np.asarray(values)
    r, a = np.divmod(codes[counted.rows], k)
    rest, group = np.divmod(codes[counted.columns], n_groups)
    b, of_weight = np.divmod(rest, len(each))
    n = np.asarray(counted.counts, dtype=np.float64)
    return Triples(r, a, b, n, each[of_weight], None if groups is None else group)


def groups_signature(triples: Triples) -> str:
    """Return the number of groups, and eight hexadecimal digits that stand for their members.

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
    return f"groups:{len(members)},{sha256(min(texts).encode()).hexdigest()[:8]}"
