"""Two models over several tasks: the difference in each of them, and its mean."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from ..core.labels import show, warn
from ..errors import naming
from ..statistics.entropy import EntropicScore
from ..statistics.paired import holm, tested
from ..statistics.registry import averaged_score
from ..tables.containers import read_quickly
from ..text.account import Read
from ..text.layout import Measured, Result, Rows
from ..text.render import as_json, interval_heads, p_text, rounded, shown, shown_p
from ..warnings import naming_warnings
from .comparison import Comparison, compare, verdict_of
from .estimate import Averaged, Estimate, estimate
from .sentences import share_text

_TAKEN = "Each task weighs the same; tasks are taken as given, not as drawn from all tasks."
_HIGHER = {
    "better": "B is better",
    "worse": "A is better",
    "not shown": "No significant difference",
}


@dataclass(frozen=True, repr=False)
class SuiteComparison(Measured):
    """Two models over several tasks; `summary` gives the result in a sentence.

    Attributes
    ----------
    metric, confidence_level
        As given.
    tasks : dict of str to Comparison
        By name.
    difference : float
        The mean of the differences B - A, in which each task weighs the same.
    standard_error, confidence_interval, p_value
        Of this mean, for independent tasks that are taken as given.
    p_values : dict of str to float
        Of the tasks, corrected for their number by Holm's method.
    left_out : tuple of str
        Tasks that are not compared, and why.
    """

    metric: str
    tasks: dict[str, Comparison]
    difference: float
    standard_error: float
    confidence_interval: tuple[float, float]
    confidence_level: float
    p_value: float
    p_values: dict[str, float]
    left_out: tuple[str, ...] = ()
    read: tuple[Read, ...] = ()

    @property
    def verdict(self) -> str:
        """Whether B is "better" or "worse" than A on average, or either is "not shown"."""
        return verdict_of(self.p_value, self.difference, self.confidence_level)

    @property
    def summary(self) -> str:
        """The result as a sentence."""
        verdicts = [
            verdict_of(self.p_values[name], made.difference, self.confidence_level)
            for name, made in self.tasks.items()
        ]
        counts = {name: verdicts.count(name) for name in _HIGHER}
        return (
            f"{_HIGHER[self.verdict]}: {self.difference:+.3f} on average of {len(verdicts)} tasks "
            f"{self.interval_in_words(3)}, {p_text(self.p_value)}; better on {counts['better']}, "
            f"worse on {counts['worse']}, not told apart on {counts['not shown']} (Holm)."
        )

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; undefined numbers are None."""
        tasks = [
            {"task": name, "p_value_holm": as_json(self.p_values[name]), **made.to_dict()}
            for name, made in self.tasks.items()
        ]
        plain = super().to_dict() | {"verdict": self.verdict, "summary": self.summary}
        del plain["p_values"]
        return plain | {"tasks": tasks, "left_out": list(self.left_out)}

    def text_tables(self) -> list[Rows]:
        """Return a row for each task, and the mean."""
        percent = interval_heads(self.confidence_level)[1]
        rows = [["task", "N", "A", "B", "difference", percent, "p (Holm)"]]
        for name, made in self.tasks.items():
            scores = [rounded(made.a, 3), rounded(made.b, 3)]
            cells = _difference_cells(made, self.p_values[name])
            rows.append([shown(name), str(made.n_samples), *scores, *cells])
        mean_a, mean_b = (
            rounded(float(np.mean([getattr(made, side) for made in self.tasks.values()])), 3)
            for side in "ab"
        )
        name = f"mean of {len(self.tasks)} tasks"
        rows.append([name, "", mean_a, mean_b, *_difference_cells(self, self.p_value)])
        return [rows]

    def text_lines(self) -> list[str]:
        """Return the sentence, what a mean says, and which tasks are left out."""
        lines = [self.summary, _TAKEN, *(f"Left out: {line}." for line in self.left_out)]
        shares = {
            name: f"{name} ({share_text(made.unknown_shares[0])}, "
            f"{share_text(made.unknown_shares[1])})"
            for name, made in self.tasks.items()
            if any(made.unknown_shares)
        }
        if shares:
            lines.append(
                f"Answers of A and B that are no class, so wrong: {'; '.join(shares.values())}."
            )
        return lines

    def _lead_first(self) -> list[str]:
        return self.text_lines()

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each task."""
        return [
            {"task": name, **made.records()[0], "p_value_holm": as_json(self.p_values[name])}
            for name, made in self.tasks.items()
        ]


def _difference_cells(made: Comparison | SuiteComparison, p_value: float) -> list[str]:
    return [f"{made.difference:+.3f}", made.shown(3)[1], shown_p(p_value)]


@dataclass(frozen=True, repr=False)
class ScoresByTask(Result):
    """One score of several models in each of several tasks, and its mean.

    Attributes
    ----------
    metric : str
    tasks : dict of str to dict of str to Estimate
        By task and model.
    """

    metric: str
    tasks: dict[str, dict[str, Estimate]]
    read: tuple[Read, ...] = ()

    def text_tables(self) -> list[Rows]:
        """Return tasks as rows and models as columns, the mean last."""
        by_task = [[made.value for made in scores.values()] for scores in self.tasks.values()]
        models = [*next(iter(self.tasks.values()))]
        rows = [[f"task ({self.metric})", *models]]
        for name, values in zip(self.tasks, by_task, strict=True):
            rows.append([shown(name), *(rounded(value, 3) for value in values)])
        means = (rounded(float(value), 3) for value in np.mean(by_task, axis=0))
        return [[*rows, [f"mean of {len(self.tasks)} tasks", *means]]]

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each task and model."""
        return [
            {"task": task, "model": model, **made.records()[0]}
            for task, scores in self.tasks.items()
            for model, made in scores.items()
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the records as plain values for JSON."""
        return {"metric": self.metric, "scores": self.records(), **self.plain_read()}


def scores_by_task(
    tasks: Mapping[str, Mapping[str, Any]], models: Sequence[str], *, metric: str, **how: Any
) -> ScoresByTask:
    """Return a score of each model in each task, whose columns are given by argument."""
    how["confidence_level"] = how["confidence_level"] or 0.95
    made = dict[str, dict[str, Estimate]]()
    for name, columns in tasks.items():
        sides = [values for x, values in columns.items() if x.startswith("predictions")]
        with naming(name), naming_warnings(name):
            made[name] = {
                model: estimate(
                    columns["references"], side, metric, groups=columns.get("groups"), **how
                )
                for model, side in zip(models, sides, strict=True)
            }
    return ScoresByTask(metric, made)


def compare_tasks(
    tasks: Mapping[str, Sequence[Any]],
    *,
    metric: str = "informedness",
    average: Averaged = "default",
    groups: Mapping[str, Any] | None = None,
    unknown: str = "error",
    confidence_level: float = 0.95,
) -> SuiteComparison:
    r"""Compare two models over several tasks: in each of them, and on average.

    The mean difference of m tasks has
    :math:`SE^2 = \sum_t SE_t^2 / m^2`, with the errors of `compare`, of which the sample that might
    have been there counts once for the whole suite.

    Parameters
    ----------
    tasks : mapping of name to (y_true, y_pred_a, y_pred_b)
        Of each task the references and the predictions of both models. Its classes are those of its
        own references.
    metric, average, unknown, confidence_level
        As in `compare`.
    groups : mapping of name to array-like, optional
        The groups of the samples of each task, as in `compare`.

    Returns
    -------
    SuiteComparison

    Raises
    ------
    ValueError
        As `compare`, with the name of the task; if fewer than two tasks can be compared, or NIT or
        EMA are asked for of tasks with different numbers of classes.

    Warns
    -----
    InformednessWarning
        For a task with references of a single class, which is left out; and as `compare`.

    Examples
    --------
    >>> easy, hard = ["yes", "no"] * 40, ["no", "yes"] * 40
    >>> guess, right = ["yes"] * 80, easy
    >>> made = compare_tasks({"one": (easy, guess, right), "two": (hard, guess, hard)})
    >>> made.difference, made.verdict, len(made.tasks)
    (1.0, 'better', 2)
    """
    if not isinstance(tasks, Mapping) or not all(len(sides) == 3 for sides in tasks.values()):
        wanted = "map each task to its references and the predictions of A and of B"
        raise ValueError(f"`tasks` must {wanted}, got {show(tasks)}")
    made, left_out = dict[str, Comparison](), list[str]()
    how: dict[str, Any] = {"metric": metric, "average": average, "unknown": unknown}
    for name, (references, *answers) in tasks.items():
        with naming(name), naming_warnings(str(name)):
            labels = set(read_quickly(references, "y_true").tolist())
            if len(labels) < 2:
                left_out.append(f"{name}, whose references are all {show(*labels)}")
                continue
            of_task = None if groups is None else groups[name]
            how |= {"groups": of_task, "confidence_level": confidence_level}
            made[str(name)] = compare(references, *answers, **how)
    for line in left_out:
        warn(f"left out: {line}")
    return suite_of(made, left_out, averaged_score(metric, average))


def suite_of(
    made: Mapping[str, Comparison], left_out: Sequence[str], score: Any
) -> SuiteComparison:
    """Return the comparison over tasks, of those of the tasks."""
    if len(made) < 2:
        raise ValueError(f"`tasks` must be at least two that can be compared, got {list(made)}")
    comparisons, m = list(made.values()), len(made)
    if isinstance(score, EntropicScore) and len({one.n_classes for one in comparisons}) > 1:
        said = "of tasks with different numbers of classes, as their chance differs"
        raise ValueError(
            f"`metric` must be one that has a mean, which {score.name!r} has not {said}"
        )
    difference = math.fsum(one.difference for one in comparisons) / m
    extra = np.array([one.extra_variance for one in comparisons])
    variances = np.array([one.standard_error for one in comparisons]) ** 2 - extra
    error = math.sqrt(max(float(variances.sum() + extra.max()), 0.0)) / m
    fewest = min(one.n_groups or 0 for one in comparisons)
    size, n_different = (
        sum(x) for x in zip(*((one.n_samples, one.n_different) for one in comparisons), strict=True)
    )
    level = comparisons[0].confidence_level
    interval, p_value = tested(difference, error, size, n_different, fewest, level)
    corrected = holm([one.p_value for one in comparisons])
    return SuiteComparison(
        metric=comparisons[0].metric,
        tasks=dict(made),
        difference=difference,
        standard_error=error,
        confidence_interval=(interval.low, interval.high),
        confidence_level=level,
        p_value=p_value,
        p_values=dict(zip(made, corrected, strict=True)),
        left_out=tuple(left_out),
    )
