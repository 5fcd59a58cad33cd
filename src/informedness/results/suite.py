"""Compare two models over several tasks: the difference in each task, and the mean."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from ..core.labels import show, warn
from ..errors import prefix_errors
from ..inference.entropy import EntropicScore
from ..inference.registry import score_named
from ..inference.score import Interval, ratio_or_zero
from ..inference.significance import holm, interval_and_p_value
from ..messages import message, with_subject
from ..tables.label_options import read_labels
from ..text.layout import Block, Rows
from ..text.render import as_json, interval_heads, rounded, shown, shown_p, texts_of
from ..warnings import OwnLabelsWarning, prefix_warnings
from .comparison import Comparison, Difference, check_difference, compare
from .estimate import AverageOption
from .summary import share_text

# If tasks with a caveat have a larger share of the variance, the first caveat applies to the mean.
_MAX_SHARE_OF_CAVEATS = 0.1
_FIXED_TASKS = "Tasks have equal weights and are a fixed set, not a sample of tasks."


@dataclass(frozen=True, repr=False)
class SuiteComparison(Difference):
    """Comparison of two models over several tasks.

    `summary` states the result in a sentence.

    Attributes
    ----------
    metric, confidence_level
        As passed to `compare_tasks`.
    tasks : dict of str to Comparison
        The comparison of each task.
    difference : float
        The mean over tasks of the differences B - A, with equal weights.
    standard_error, confidence_interval, p_value
        As in `Comparison`, for the mean difference. Tasks are a fixed set, and independent.
    p_values : dict of str to float
        P-value of each task, corrected for the number of tasks by Holm's method.
    left_out : tuple of str
        Tasks that were not compared, each with the reason.
    margin, within_margin : float, bool or None
        As in `Comparison`, for the mean difference.
    gained, lost, n_different : int
        As in `Comparison`, summed over the tasks.
    caveat : str
        The first caveat of a task, if tasks with a caveat contribute more than a tenth of the
        variance; otherwise empty. Tasks with the same predictions of both models do not count.
    """

    tasks: dict[str, Comparison]
    p_values: dict[str, float] = field(repr=False)
    left_out: tuple[str, ...] = ()

    @property
    def scope(self) -> str:  # type: ignore[override]
        """The end of the phrase for the mean difference, such as " on average over 3 tasks"."""
        return f" on average over {len(self.tasks)} tasks"

    @property
    def notes(self) -> tuple[str, ...]:
        """Sentences about the margin, the tasks and their verdicts, and out-of-class shares."""
        notes = [] if self.margin is None else [f"{self.loss_phrase}."]
        corrected = (replace(v, p_value=self.p_values[name]) for name, v in self.tasks.items())
        n_tasks = Counter(comparison.verdict for comparison in corrected)
        better = f"B is better in {n_tasks['better']} of {len(self.tasks)} tasks"
        notes += [f"{better} and worse in {n_tasks['worse']} (Holm).", _FIXED_TASKS]
        notes += [message("Left out: {line}.", line=line) for line in self.left_out]
        shares = {shown(name): task.out_of_class_shares for name, task in self.tasks.items()}
        texts = [f"{k} ({share_text(a)}, {share_text(b)})" for k, (a, b) in shares.items() if a + b]
        if texts:
            predictions = "Predictions of A and B that are out of class and count as wrong"
            notes.append(f"{predictions}: {'; '.join(texts)}.")
        return tuple(notes)

    def to_dict(self) -> dict[str, Any]:
        """Convert the comparison to plain values for JSON; undefined numbers become None."""
        tasks = []
        for name, comparison in self.tasks.items():
            p_value = as_json(self.p_values[name])
            tasks.append({"task": name, "p_value_holm": p_value, **comparison.to_dict()})
        return super().to_dict() | {"tasks": tasks}

    def text_tables(self) -> list[Rows]:
        """Tabulate the comparison of each task, and the mean."""
        interval_head = interval_heads(self.confidence_level)[1]
        rows = [["task", "N", "A", "B", "difference", interval_head, "p (Holm)"]]
        for name, task in self.tasks.items():
            scores = [str(task.n_samples), rounded(task.a, 3), rounded(task.b, 3)]
            task_name = shown(self.names_of_files().get(name, name))
            rows.append([task_name, *scores, *_difference_cells(task, self.p_values[name])])
        scores = np.mean([[task.a, task.b] for task in self.tasks.values()], axis=0).tolist()
        name, means = f"mean of {len(self.tasks)} tasks", (rounded(x, 3) for x in scores)
        return [[*rows, [name, "", *means, *_difference_cells(self, self.p_value)]]]

    def text_blocks(self) -> list[Block]:
        """List the table of tasks, the summary and the notes."""
        return [*self.text_tables(), self.summary, self.notes]

    def records(self) -> list[dict[str, Any]]:
        """Convert the comparison of each task to a record."""
        return [
            {"task": name, **task.records()[0], "p_value_holm": as_json(self.p_values[name])}
            for name, task in self.tasks.items()
        ]


def _difference_cells(compared: Difference, p_value: float) -> list[str]:
    return [f"{compared.difference:+.3f}", compared.shown(3)[1], shown_p(p_value)]


def compare_tasks(
    tasks: Mapping[str, Sequence[Any]],
    *,
    metric: str = "informedness",
    average: AverageOption = "default",
    groups: Mapping[str, Any] | None = None,
    unknown: str = "error",
    confidence_level: float = 0.95,
    margin: float | None = None,
) -> SuiteComparison:
    r"""Compare two models in each of several tasks, and on average.

    The mean difference of m tasks has

    .. math:: SE^2 = \Big(\sum_t (SE_t^2 - E_t) + \max_t E_t\Big) / m^2

    with the standard errors of `compare`. :math:`E_t = D^2 / N^2` is the allowance of a standard
    error for one unseen sample or group. The suite allows for only one.

    Parameters
    ----------
    tasks : mapping of name to (y_true, y_pred_a, y_pred_b)
        The references and the predictions of both models for each task. The classes of a task are
        the labels of its references.
    metric, average, unknown, confidence_level
        As in `compare`.
    groups : mapping of name to array-like, optional
        For each task, the group each sample belongs to, as in `compare`.
    margin : float, optional
        As in `compare`, for the mean difference.

    Returns
    -------
    SuiteComparison

    Raises
    ------
    ValueError
        As in `compare`, with the name of the task. Also if `tasks` is not a mapping, if a value
        does not have three elements, if two names are equal as text, if `groups` lacks a task, or
        if fewer than two tasks can be compared. For NIT and EMA, also if tasks have different
        numbers of classes.
    TypeError
        If a value of `tasks` does not have a length.

    Warns
    -----
    InformednessWarning
        For each task that is left out because its references have a single class. Also as in
        `compare`, but without `OwnLabelsWarning`.

    Examples
    --------
    >>> easy, hard = ["yes", "no"] * 40, ["no", "yes"] * 40
    >>> guess, right = ["yes"] * 80, easy
    >>> made = compare_tasks({"one": (easy, guess, right), "two": (hard, guess, hard)})
    >>> made.difference, made.verdict, len(made.tasks)
    (1.0, 'better', 2)
    """
    if not isinstance(tasks, Mapping) or not all(len(columns) == 3 for columns in tasks.values()):
        rule = "map each task to its references and the predictions of A and of B"
        raise ValueError(f"`tasks` must {rule}, got {show(tasks)}")
    texts_of(tasks, "tasks", "task")  # one result per name
    options: dict[str, Any] = {"metric": metric, "average": average, "unknown": unknown}
    options["confidence_level"] = confidence_level
    check_difference("margin", margin)
    if groups is not None and not {*tasks} <= {*groups}:
        raise ValueError(f"`groups` must have the groups of each task, got {show([*groups])}")
    comparisons: dict[str, Comparison] = {}
    left_out: list[str] = []
    for name, (references, *predictions) in tasks.items():
        # no OwnLabelsWarning, because a task of many classes may have one sample of each
        with prefix_errors(shown(name)), prefix_warnings(shown(name), dropped=OwnLabelsWarning):
            labels = set(read_labels(references, "y_true").tolist())
            if len(labels) == 1:
                left_out.append(f"{shown(name)}, whose references are all {show(*labels)}")
                continue
            options["groups"] = None if groups is None else groups[name]
            comparisons[str(name)] = compare(references, *predictions, **options)
    return suite_of(comparisons, left_out, margin)


def suite_of(
    comparisons: Mapping[str, Comparison], left_out: Sequence[str], margin: float | None = None
) -> SuiteComparison:
    """Combine the comparisons of tasks into a comparison over all tasks; warn of those left out."""
    for line in left_out:
        warn(message("left out: {reason}", "left out", reason=line))
    if len(comparisons) < 2:
        raise ValueError(f"at least two tasks must be comparable, got {[*comparisons]}")
    tasks = list(comparisons.values())
    score = score_named(tasks[0].metric)
    if isinstance(score, EntropicScore) and len({task.n_classes for task in tasks}) > 1:
        rule = "tasks with different numbers of classes, because their guessing levels differ"
        raise ValueError(f"{score.title} cannot be averaged over {rule}")
    interval, p_value = _test_mean(tasks)
    return SuiteComparison(
        metric=tasks[0].metric,
        tasks=dict(comparisons),
        difference=interval.value,
        standard_error=interval.standard_error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=tasks[0].confidence_level,
        p_value=p_value,
        p_values=dict(zip(comparisons, holm([task.p_value for task in tasks]), strict=True)),
        left_out=tuple(left_out),
        gained=sum(task.gained for task in tasks),
        lost=sum(task.lost for task in tasks),
        n_different=sum(task.n_different for task in tasks),
        margin=margin,
        caveat=_caveat_of(comparisons),
    )


def _caveat_of(tasks: Mapping[str, Comparison]) -> str:
    """Choose the first caveat of a task; empty if tasks with caveats hardly affect the mean."""
    variances = {name: task.standard_error**2 for name, task in tasks.items()}
    names = [name for name, task in tasks.items() if task.n_different and task.caveat]
    caveat_variance = sum(variances[name] for name in names)
    if not names or caveat_variance <= _MAX_SHARE_OF_CAVEATS * sum(variances.values()):
        return ""
    first, *others = names
    more = f"; other tasks with caveats: {len(others)}" if others else ""
    return with_subject(shown(first), tasks[first].caveat + more)


def _test_mean(comparisons: Sequence[Comparison]) -> tuple[Interval, float]:
    """Compute the mean difference with its interval, and its p-value."""
    n_tasks = len(comparisons)
    difference = math.fsum(task.difference for task in comparisons) / n_tasks
    # each task allows for one more sample or group, the suite only for that with most variance
    extra = np.array([task.paired.extra_variance for task in comparisons])
    variances = np.array([task.standard_error for task in comparisons]) ** 2 - extra
    error = math.sqrt(max(float(variances.sum() + extra.max()), 0.0)) / n_tasks
    n_samples = sum(task.n_samples for task in comparisons)
    n_different = sum(task.paired.n_different for task in comparisons)
    dfs = np.array([task.paired.df for task in comparisons])
    # degrees of freedom by Welch and Satterthwaite
    parts = float(ratio_or_zero(variances**2, dfs).sum())
    df = float(variances.sum()) ** 2 / parts if parts else float(dfs.min())
    level = comparisons[0].confidence_level
    return interval_and_p_value(difference, error, n_samples, n_different, df, level)
