"""Several labels per sample: each is scored by itself, as class 1 against 0."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from .core.labels import (
    NoSamplesError,
    Numbers,
    UndefinedMetricWarning,
    as_array,
    check_distinct,
    check_same_order,
    show,
    warn,
)
from .statistics.registry import score_named
from .statistics.score import Score
from .tables.contingency import ContingencyTable


@dataclass(frozen=True)
class LabelScores:
    """A score of each label, and their mean.

    Attributes
    ----------
    mean : float
        Of the labels for which the score is defined.
    scores : dict of str to float
        Of each label; where the score is undefined, what its function then returns.
    tables : dict of str to ContingencyTable
        Of each label that has samples.
    """

    mean: float
    scores: dict[str, float]
    tables: dict[str, ContingencyTable]


def per_label(
    y_true: Any,
    y_pred: Any,
    metric: str = "informedness",
    *,
    names: Sequence[Any] | None = None,
    ignore_index: int | None = None,
) -> LabelScores:
    r"""Return a score of each label, where a sample may have several labels or none.

    Each label is a column, scored by itself as class 1 against class 0: Informedness is
    :math:`J_l = TPR_l - FPR_l`, between -1 and 1. The mean :math:`\frac{1}{L} \sum_l J_l` is over
    the labels for which the score is defined. Labels are never pooled: a rare one weighs as much as
    a common one.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_labels)
        0 or 1. Data frames must have the same columns and index, in the same order.
    metric : str
        As in `estimate`.
    names : sequence of labels, optional
        What the labels are called, by default the columns of data frames, or positions.
    ignore_index : int, optional
        Drops the entries whose reference equals it, for example -1 where an annotator gave none.

    Returns
    -------
    LabelScores

    Raises
    ------
    ValueError
        If shapes differ, a value is neither 0 nor 1, or an option is not valid.

    Warns
    -----
    UndefinedMetricWarning
        If all references of a label are the same; the mean leaves it out.

    Examples
    --------
    >>> references = [[1, 0], [0, 1], [0, 1], [0, 0]]
    >>> predictions = [[1, 0], [0, 1], [1, 1], [0, 0]]
    >>> made = per_label(references, predictions, names=["joy", "fear"])
    >>> round(made.mean, 4), made.scores["fear"], made.tables["joy"].to_dense().tolist()
    (0.8333, 1.0, [[2, 1], [0, 1]])
    """
    check_same_order({"y_true": y_true, "y_pred": y_pred})
    of_frames = [[*frame.columns] for frame in (y_true, y_pred) if hasattr(frame, "columns")]
    if of_frames[1:] not in ([], of_frames[:1]):
        wanted = f"have the columns of `y_true`, {show(of_frames[0])}, in this order"
        raise ValueError(f"`y_pred` must {wanted}, got {show(of_frames[1])}")
    if of_frames and names is None:
        names = of_frames[0]
    references, predictions = as_array(y_true, "y_true"), as_array(y_pred, "y_pred")
    check_shapes(references, predictions)
    cells = count_labels(references, predictions, ignore_index, ("y_true", "y_pred"))
    called = [*map(str, range(len(cells)) if names is None else names)]
    check_distinct(called, "names")
    if len(called) != len(cells):
        raise ValueError(f"`names` must name {len(cells)} labels, got {show(called)}")
    return scores_of_labels(tables_of_labels(cells, called), called, score_named(metric))


def check_shapes(references: Any, predictions: Any) -> None:
    """Raise ValueError unless both have a row for each sample and a column for each label."""
    if predictions.ndim != 2 or predictions.shape != references.shape:
        said = "predictions and references with several labels must be (n_samples, n_labels)"
        raise ValueError(f"{said}, got {tuple(predictions.shape)} and {references.shape}")


def count_labels(
    references: Numbers, predictions: Numbers, ignored: Any, names: tuple[str, str]
) -> Numbers:
    """Return a 2 x 2 table of counts for each column, rows are references."""
    keep = np.asarray(references != ignored)
    for name, array in zip(names, (references, predictions), strict=True):
        bad = array[keep & (array != 0) & (array != 1)]
        if len(bad):
            what = "for a single column of scores or several labels"
            raise ValueError(f"{name} must be 0 or 1 {what}, got {bad[0].item()!r}")
    n_labels = references.shape[1]
    pairs = 4 * np.arange(n_labels) + 2 * references + predictions
    return np.bincount(pairs[keep].astype(np.int64), minlength=4 * n_labels).reshape(-1, 2, 2)


def tables_of_labels(cells: Numbers, names: Sequence[str]) -> dict[str, ContingencyTable]:
    """Return the tables of the labels that have samples."""
    if not cells.any():
        raise NoSamplesError("there must be a sample to score, but none was given")
    return {
        name: ContingencyTable.from_matrix(matrix, labels=(0, 1))
        for name, matrix in zip(names, cells, strict=True)
        if matrix.any()
    }


def scores_of_labels(
    tables: dict[str, ContingencyTable], names: Sequence[str], score: Score, prior: Any = None
) -> LabelScores:
    """Return a score of each label, and their mean."""
    defined = {
        name: float(score.value(table, prior=prior))
        for name, table in tables.items()
        if not score.undefined(table)
    }
    if lacking := [name for name in names if name not in defined]:
        said = f"{score.title} is undefined for labels whose references are all the same"
        named = ", ".join(map(show, lacking))
        warn(f"{said}: {named} left out of the mean", UndefinedMetricWarning)
    values = list(defined.values()) or [score.stand_in]
    scores = {name: defined.get(name, score.stand_in) for name in names}
    return LabelScores(math.fsum(values) / len(values), scores, tables)
