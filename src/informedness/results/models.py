"""The answers of models to the same samples, with sample weights and groups."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from ..core.labels import Codes, Column, Numbers, code_integers, join_columns
from ..core.table import Task, read_amounts
from ..inference.score import shortage_message
from ..inference.significance import CellPairs, n_groups
from ..tables.containers import read_labels
from ..tables.contingency import ContingencyTable, as_table, common_codes, read_whole
from ..tables.label_options import read_label_columns
from ..tables.label_warnings import warn_of_table

FEW_GROUPS = 10  # with fewer, a sum over groups is far from normal


def settings_of(level: float | None, pairs: CellPairs | None = None) -> str | None:
    """Describe an interval for a signature: its level and the number of groups, if any."""
    settings = None if level is None else f"ci:{float(level)!r}"
    if settings is None or pairs is None or not (n := n_groups(pairs)):
        return settings
    return f"groups:{n}|{settings}"


def too_few_groups(pairs: CellPairs | None, least: int = FEW_GROUPS) -> str:
    """Describe a shortage of groups; empty if there are enough."""
    return (
        shortage_message(n, least, "group") if pairs is not None and (n := n_groups(pairs)) else ""
    )


def too_few_of_a_class(n_effective: float) -> str:
    """Describe a shortage of groups of a decisive class; empty if there are enough."""
    return shortage_message(n_effective, 5, "group", " of a class that decides the error")


ByArgument: TypeAlias = Mapping[str, Any]  # arrays by the caller's name for them


@dataclass(frozen=True)
class AnsweredSamples:
    """The answers of some models to the same samples; with counts, a row is several samples.

    Attributes
    ----------
    arguments : list of str
        Argument name of each model's answers.
    rows : index
        Selects from the input the rows that count.
    tables : list of ContingencyTable
    cells : list of arrays of shape (n_rows,)
        For each model, the cell of its table that each row belongs to.
    references, answers : array of shape (n_rows,), list of such arrays
        Positions among the labels of all models.
    counts, weights, groups : arrays of shape (n_rows,), or None
    """

    arguments: list[str]
    rows: Any
    tables: list[ContingencyTable]
    cells: list[Codes]
    references: Codes
    answers: list[Codes]
    counts: Numbers | None
    weights: Numbers | None
    groups: Codes | None

    def number(self, rows: Numbers) -> int:
        """Return how many samples these rows represent."""
        return int(rows.sum() if self.counts is None else self.counts[rows].sum())

    def in_groups(self, model: int) -> CellPairs | None:
        """Return the samples of one model, or None without groups."""
        return None if self.groups is None else self.paired(model, model)

    def paired(self, a: int, b: int) -> CellPairs:
        """Pair the samples of two models, counted by cell unless they have weights or groups."""
        if self.weights is None and self.groups is None:
            n_cells = len(self.tables[b].rows)
            keys, codes = code_integers(self.cells[a] * n_cells + self.cells[b])
            counts = np.bincount(codes, self.counts).astype(np.float64)
            return CellPairs(*np.divmod(keys, n_cells), counts, np.ones(len(keys)))
        ones = np.ones(len(self.references))
        counts = ones if self.counts is None else self.counts
        weights = ones if self.weights is None else self.weights
        differ = None if self.groups is None else self.answers[a] != self.answers[b]
        return CellPairs(self.cells[a], self.cells[b], counts, weights, self.groups, differ)


def read_samples(
    y_true: Any, answers: ByArgument, extras: ByArgument, *options: Any
) -> AnsweredSamples:
    """Read the samples of some models.

    `extras` may have counts, sample_weight and groups; the options are labels, ignore_index and
    unknown.
    """
    (references, *columns), task = read_label_columns(
        {"y_true": y_true, **answers}, *options, **extras
    )
    return match_samples(references, dict(zip(answers, columns, strict=True)), task, extras)


def match_samples(
    references: Column, answers: Mapping[str, Column], task: Task, extras: ByArgument
) -> AnsweredSamples:
    """Build samples from columns of shape (n_rows,) that have been read."""
    n_rows = len(references)
    weights = _one_per_row("sample_weight", extras, n_rows)
    counts = _one_per_row("counts", extras, n_rows)
    counts = None if counts is None else read_whole(counts)
    amounts = [column for column in (weights, counts) if column is not None]
    rows = task.counted(references, np.minimum.reduce(amounts) if amounts else None)
    groups = extras["groups"]
    groups = None if groups is None else _codes_of_groups(groups, n_rows, rows)

    references, *columns = (column[rows] for column in (references, *answers.values()))
    weights = None if weights is None else weights[rows].astype(np.float64)
    counts = None if counts is None else counts[rows]
    sums = {"counts": counts}
    if counts is not None and weights is not None:
        sums = {"counts": counts * weights, "squared_weights": counts * weights**2}
        sums["n_samples"] = counts

    task = task._replace(ignored=None)
    tables = [
        ContingencyTable._from_columns(references, column, task, weights)
        if counts is None
        else ContingencyTable._from_pair_counts(references, column, task, **sums)
        for column in columns
    ]
    for argument, table in zip(answers, tables, strict=True):
        warn_of_table(table, ("y_true", argument), unknown=task.unknown)
    codes = _codes_of_all(tables, references, columns)
    return AnsweredSamples([*answers], rows, tables, *codes, counts, weights, groups)


def _codes_of_all(
    tables: list[ContingencyTable], references: Column, columns: list[Column]
) -> tuple[list[Codes], Codes, list[Codes]]:
    """Return the cell of each row in each model's table, and references and answers as codes."""
    positions = {label: i for i, label in enumerate(ContingencyTable.sum_of(tables).labels)}
    n_labels = len(positions)
    labels, codes = join_columns([references, *columns]).coded()
    # every answer outside the declared classes is the same wrong answer
    to_position = np.array([positions.get(x, n_labels - 1) for x in labels], dtype=np.int64)
    r, *answer_codes = to_position[codes].reshape(1 + len(columns), -1)
    # the pairs of codes that occur are the cells of the table, in the same order
    cells = [code_integers(r * n_labels + p)[1] for p in answer_codes]
    return cells, r, answer_codes


def table_in_groups(
    y_true: Any, y_pred: Any, groups: Any, labels: Any, sample_weight: Any, *options: Any
) -> tuple[ContingencyTable, CellPairs | None]:
    """Return the table of one model, and its samples if they are in groups."""
    if groups is None:
        return as_table(y_true, y_pred, labels, sample_weight, *options), None
    extras = {"sample_weight": sample_weight, "groups": groups}
    samples = read_samples(y_true, {"y_pred": y_pred}, extras, labels, *options)
    return samples.tables[0], samples.in_groups(0)


def check_groups_have_level(groups: Any, confidence_level: float | None) -> None:
    """Raise ValueError for groups without a confidence level, as they only affect intervals."""
    if groups is not None and confidence_level is None:
        raise ValueError("`groups` are for intervals: give a `confidence_level` such as 0.95")


def _one_per_row(argument: str, extras: ByArgument, n_rows: int) -> Numbers | None:
    """Read one number per row, shape (n_rows,); None if the argument is missing."""
    values = extras.get(argument)
    values = None if values is None else read_amounts(values, argument)
    if values is not None and values.shape != (n_rows,):
        array = f"an array of shape {values.shape} for {n_rows} rows"
        raise ValueError(f"`{argument}` must hold a number for each row, got {array}")
    return values


def _codes_of_groups(groups: Any, n_rows: int, rows: Any) -> Codes:
    """Code the group of each counted row, shape (n_counted,), from 0 in order of name."""
    names = read_labels(groups, "groups")
    if len(names) != n_rows:
        numbers = f"{len(names)} for {n_rows} rows"
        raise ValueError(f"`groups` must name a group for each row, got {numbers}")
    codes: Codes = np.unique(common_codes(names, names)[1][rows], return_inverse=True)[1]
    if not codes.any():
        raise ValueError("`groups` must name at least two groups, got one")
    return codes
