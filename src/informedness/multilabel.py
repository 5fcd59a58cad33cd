"""Score data with several labels per sample, each label as class 1 against class 0."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .core.labels import as_array, check_distinct, check_same_order, show, warn
from .inference.registry import score_named
from .inference.score import Score
from .tables.contingency import ContingencyTable, count_labels, tables_by_label
from .warnings import UndefinedMetricWarning


@dataclass(frozen=True)
class LabelScores:
    """The score of each label, and the mean of the scores.

    Attributes
    ----------
    mean : float
        Mean over the labels for which the score is defined; the value of an undefined score if
        there is no such label. It is nan if missing predictions make a score impossible to compute.
    scores : dict of str to float
        Score of each label. Undefined scores are 1 for NIT and EMA, nan for Cohen's kappa, and 0
        for all other scores, unless an option sets their value. A score that missing predictions
        make impossible to compute is nan.
    tables : dict of str to ContingencyTable
        Contingency table of each label that has samples.
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
    r"""Score each label separately, if samples may have several labels or none.

    Each label is a column, and is scored as class 1 against class 0. Informedness is then
    :math:`J_l = TPR_l - FPR_l`, between -1 and 1. The mean :math:`\frac{1}{L} \sum_l J_l` is over
    the labels for which the score is defined. A rare label has the same weight in the mean as a
    common label.

    Parameters
    ----------
    y_true, y_pred : array-like of shape (n_samples, n_labels)
        Values of 0 or 1. Data frames must have the same columns, in the same order. If their
        indexes have the same values, these must be in the same order, too.
    metric : str
        Name of a score, as in `estimate`.
    names : sequence of str, optional
        Names of the labels. By default the column names of data frames, or the positions.
    ignore_index : int, optional
        Reference of entries to drop, for example -1 for missing annotations.

    Returns
    -------
    LabelScores

    Raises
    ------
    ValueError
        If shapes differ, an option is invalid, or there are no samples to count. If a value is
        neither 0 nor 1, unless its reference is ignored.

    Warns
    -----
    UndefinedMetricWarning
        If the score of a label is undefined, for example because all its references are of one
        class or ignored. The mean leaves the label out. Also if NIT is computed from one sample.

    Examples
    --------
    >>> references = [[1, 0], [0, 1], [0, 1], [0, 0]]
    >>> predictions = [[1, 0], [0, 1], [1, 1], [0, 0]]
    >>> result = per_label(references, predictions, names=["joy", "fear"])
    >>> round(result.mean, 4), result.scores["fear"], result.tables["joy"].to_dense().tolist()
    (0.8333, 1.0, [[2, 1], [0, 1]])
    """
    check_same_order({"y_true": y_true, "y_pred": y_pred})
    frame_columns = [[*frame.columns] for frame in (y_true, y_pred) if hasattr(frame, "columns")]
    if frame_columns[1:] not in ([], frame_columns[:1]):
        rule = f"have the columns of `y_true`, {show(frame_columns[0])}, in this order"
        raise ValueError(f"`y_pred` must {rule}, got {show(frame_columns[1])}")
    names = next(iter(frame_columns), None) if names is None else names

    references, predictions = as_array(y_true, "y_true"), as_array(y_pred, "y_pred")
    counts = count_labels(references, predictions, ignore_index, ("y_true", "y_pred"))
    n_labels = len(counts)
    label_names = [*map(str, range(n_labels) if names is None else names)]
    check_distinct(label_names, "names", "label")
    if len(label_names) != n_labels:
        raise ValueError(f"`names` must name {n_labels} labels, got {show(label_names)}")
    return scores_of_labels(tables_by_label(counts, label_names), label_names, score_named(metric))


def is_unknown(score: Score, table: ContingencyTable) -> bool:
    """Check whether missing predictions make it impossible to compute a score."""
    return table.labels[-1] is None and not score.allows_unknown


def scores_of_labels(
    tables: dict[str, ContingencyTable], names: Sequence[str], score: Score, **options: Any
) -> LabelScores:
    """Score each label, and average the scores; the mean is nan if a score is unknown.

    The score of a label without a table is undefined. `options` are passed to `Score.value`.
    """
    defined_values = {}
    for name, table in tables.items():
        if is_unknown(score, table):
            defined_values[name] = math.nan
        elif not score.why_undefined(table):
            defined_values[name] = float(score.value(table, **options))
    zero_division = options.get("zero_division", "warn")
    undefined_names = [name for name in names if name not in defined_values]
    if undefined_names and zero_division == "warn":
        labels = ", ".join(map(show, undefined_names))
        text = f"{score.title} is undefined for some labels. The mean leaves out {labels}."
        warn(text, UndefinedMetricWarning)
    stand_in = score.stand_in if zero_division == "warn" else float(zero_division)
    values = list(defined_values.values()) or [stand_in]
    scores = {name: defined_values.get(name, stand_in) for name in names}
    return LabelScores(math.fsum(values) / len(values), scores, tables)
