"""Several models on the same samples: their ranking, intervals, and which can be told apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..core.labels import Label, join_columns, show
from ..core.scores import Average
from ..core.table import read_weights
from ..statistics.paired import holm
from ..statistics.registry import score_named
from ..tables.containers import read_quickly
from ..tables.contingency import ContingencyTable
from ..tables.sides import read_sides
from ..text.account import Read
from ..text.layout import Result, Rows
from ..text.render import as_json, interval_heads, rounded, shown_p, texts_of
from ..warnings import collected, naming_warnings
from .comparison import Comparison, compared, models_of, score_of_pairs
from .estimate import Estimate, estimate_of
from .models import read_samples, settings_of
from .sentences import outside_share, share_text

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Model:
    """A model of a leaderboard.

    Attributes
    ----------
    name : str
    estimate : Estimate
        Its score with its interval over samples; for several runs, that of all their answers
        pooled, with the answers to each sample as a group.
    runs : tuple of float
        The score of each run.
    run_deviation : float
        Standard deviation of the runs: how much another seed changes the score. Nan for a single
        run.
    ranks : (int, int)
        The best and the worst rank it may have: those above and below it for sure are counted.
    caution : str
        Why the score is not what it seems to be, for example above accuracy; empty for most.
    unknown_share : float
        Share of its answers that are none of the classes and count as wrong.
    accuracy : float
        Share of its answers that are right.
    """

    name: str
    estimate: Estimate
    runs: tuple[float, ...]
    run_deviation: float
    ranks: tuple[int, int]
    caution: str = ""
    unknown_share: float = 0.0
    accuracy: float = math.nan

    @property
    def value(self) -> float:
        """The score of the estimate."""
        return self.estimate.value

    @property
    def place(self) -> str:
        """The range of ranks as text."""
        return " to ".join(map(str, dict.fromkeys(self.ranks)))


@dataclass(frozen=True, repr=False)
class Leaderboard(Result):
    """Models ranked by score, with a test of each pair.

    Attributes
    ----------
    metric : str
    models : tuple of Model
        Best first.
    comparisons : dict of (str, str) to Comparison
        One per pair, with the better model as B; their intervals are not corrected.
    p_values : dict of (str, str) to float
        Their p-values, corrected for the number of pairs by Holm's method.
    confidence_level : float
        Models are told apart if the corrected p-value is below 1 minus it.
    n_samples : int
        How many samples each model answered, in each run.
    signature : str
        A line that records the options, the number of samples and the version.
    """

    metric: str
    models: tuple[Model, ...]
    comparisons: dict[tuple[str, str], Comparison]
    p_values: dict[tuple[str, str], float]
    confidence_level: float
    n_samples: int = 0
    signature: str = ""
    read: tuple[Read, ...] = ()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the models with their intervals and ranks, small strokes for the runs of a model.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            Where to draw; by default on a new figure.
        """
        from .figures import draw_leaderboard

        return draw_leaderboard(self, ax)

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each model, best first."""
        records = []
        for rank, model in enumerate(self.models, start=1):
            record: dict[str, Any] = {"rank": rank, "model": model.name, self.metric: model.value}
            record |= model.estimate.fields()
            record |= {"n_runs": len(model.runs), "run_deviation": as_json(model.run_deviation)}
            record |= {"best_rank": model.ranks[0], "worst_rank": model.ranks[1]}
            record |= {"unknown_share": model.unknown_share, "accuracy": model.accuracy}
            below = self.models[rank].name if rank < len(self.models) else ""
            p_value = as_json(self.p_values.get((below, model.name)))
            record |= {"p_value_to_next": p_value, "caution": model.caution or None}
            records.append({**record, "signature": self.signature})
        return records

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "metric": self.metric,
            "n_samples": self.n_samples,
            "signature": self.signature,
            "confidence_level": self.confidence_level,
            "models": self.records(),
            "comparisons": [
                {
                    "model_a": a,
                    "model_b": b,
                    "p_value_holm": as_json(self.p_values[a, b]),
                    **made.to_dict(),
                }
                for (a, b), made in self.comparisons.items()
            ],
            **self.plain_read(),
        }

    def head_lines(self) -> list[str]:
        """Return the number of samples."""
        return [f"N {self.n_samples:,d}"]

    def text_tables(self) -> list[Rows]:
        """Return the ranking, and the comparisons of neighbours."""
        error, percent = interval_heads(self.confidence_level)
        has_runs = len(self.models[0].runs) > 1
        title = score_named(self.metric).title
        ranking = [["model", title, error, percent, *["± SD of runs"] * has_runs, "ranks"]]
        for model in self.models:
            mark = "^" * bool(model.caution)
            row = [model.name, rounded(model.value, 4) + mark, *model.estimate.shown()]
            if has_runs:
                row.append(f"± {model.run_deviation:.4f} ({len(model.runs)})")
            ranking.append([*row, model.place])
        if self.metric != "accuracy":
            accuracies = ["accuracy", *(rounded(model.accuracy, 4) for model in self.models)]
            ranking = [[*row, share] for row, share in zip(ranking, accuracies, strict=True)]
        if any(model.unknown_share for model in self.models):
            shares = ["no class", *(share_text(model.unknown_share) for model in self.models)]
            ranking = [[*row, share] for row, share in zip(ranking, shares, strict=True)]
        neighbours = [["compared", "difference", percent, "p (Holm)"]]
        for better, worse in zip(self.models, self.models[1:], strict=False):
            pair = worse.name, better.name
            made = self.comparisons[pair]
            name = f"{better.name} over {worse.name}"
            difference = f"{round(made.difference, 4) + 0.0:+.4f}"  # not -0.0000
            neighbours.append([name, difference, made.shown()[1], shown_p(self.p_values[pair])])
        return [ranking, neighbours] if len(self.models) > 1 else [ranking]

    def text_lines(self) -> list[str]:
        """Return what the ranks, the p-values and the spreads mean."""
        lines = []
        if len(self.models) > 1:
            n = len(self.p_values)
            lines.append(
                "A model may have any of its ranks, as far as these tests tell; p-values are "
                f"corrected for {n} comparison{'s' * (n != 1)} (Holm), intervals are not."
            )
        if len(self.models[0].runs) > 1:
            lines.append(
                "The score is for the answers of all runs together. SE and interval show how "
                "much other samples would change it; the SD of runs shows how much another seed "
                "would."
            )
        lines += [f"^ {model.name}: {model.caution}." for model in self.models if model.caution]
        return [*lines, self.signature]


def leaderboard(
    y_true: Any,
    y_pred: Any,
    *,
    metric: str = "informedness",
    average: Average | Literal["default"] = "default",
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    sample_weight: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
) -> Leaderboard:
    """Rank models by a score on the same samples, and test every pair of them.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        Labels.
    y_pred : mapping of name to array-like of shape (n_samples,), or data frame
        The answers of each model, in a frame a column each; or, for models with several runs
        (seeds), a list with the answers of each run, the same number for every model.
    metric, average, labels, ignore_index, unknown, sample_weight, groups
        As in `compare`.
    confidence_level : float
        Of the intervals; models are told apart if the p-value, corrected for the number of pairs by
        Holm's method, is below 1 minus it.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ValueError
        As `compare`, and if there is no model, two have one name (1 and "1" have), or models have
        different numbers of runs.

    Examples
    --------
    >>> answers = {"majority": ["ham"] * 100, "filter": ["ham"] * 78 + ["spam"] * 22}
    >>> board = leaderboard(["ham"] * 80 + ["spam"] * 20, answers)
    >>> [(model.name, round(model.value, 3), model.ranks) for model in board.models]
    [('filter', 0.975, (1, 1)), ('majority', 0.0, (2, 2))]
    """
    score = score_of_pairs(metric, average, None, unknown)
    answers = _answers_of(y_pred)
    n_runs = max(map(len, answers.values()))
    for name, of_model in answers.items():
        if len(of_model) != n_runs:
            raise ValueError(
                f"`y_pred` must have the same number of runs for each model, got {n_runs} for "
                f"some and {len(of_model)} for {name!r}"
            )
    sides = {"y_true": y_true, **{x: run for runs in answers.values() for x, run in runs.items()}}
    (column, *columns), task = read_sides(
        sides, labels, ignore_index, unknown, sample_weight=sample_weight, groups=groups
    )
    runs = {name: columns[i * n_runs : (i + 1) * n_runs] for i, name in enumerate(answers)}
    if n_runs > 1 and groups is None:
        groups = np.arange(len(column))  # the answers of all runs to a sample belong together
    weights = None
    if sample_weight is not None:
        weights = np.tile(read_weights(sample_weight, len(column)), n_runs)
    if groups is not None:
        groups = join_columns([read_quickly(groups, "groups")] * n_runs)
    pooled = {f"y_pred[{name!r}]": join_columns(of_model) for name, of_model in runs.items()}
    beside = {"sample_weight": weights, "groups": groups}
    everywhere = join_columns([column] * n_runs)
    samples = read_samples(everywhere, pooled, beside, task.classes, task.ignored, unknown)
    names, estimates = [*runs], []
    for i, (argument, table) in enumerate(zip(pooled, samples.tables, strict=True)):
        pairs = None if groups is None else samples.paired(i, i)
        with naming_warnings(f"`{argument}`"):
            own = estimate_of(table, score, confidence_level, pairs, ignore_index=task.ignored)
        estimates += own
    # models of one score keep their order, whatever rounding made of it
    order = sorted(range(len(names)), key=lambda i: -round(estimates[i].value, 12))
    with collected():  # what was said already
        entrants = models_of(score, samples, pooled) if len(order) > 1 else []
    comparisons = {}
    for better, worse in combinations(order, 2):
        made = compared(
            score, samples, entrants, (worse, better), confidence_level, None, task.ignored
        )
        comparisons[names[worse], names[better]] = made
    corrected = holm([comparison.p_value for comparison in comparisons.values()])
    p_values = dict(zip(comparisons, corrected, strict=True))
    apart = [pair for pair, p in p_values.items() if 1 - p > confidence_level]
    n_above, n_below = Counter(worse for worse, _ in apart), Counter(better for _, better in apart)
    models = []
    for i in order:
        name, values, deviation = names[i], [estimates[i].value], math.nan
        if n_runs > 1:
            given = [(column, run, task, sample_weight) for run in runs[name]]
            with collected():  # what was said of all runs
                values = [score.value(ContingencyTable._of_columns(*x)) for x in given]
            deviation = float(np.std(values, ddof=1))
        ranks = 1 + n_above[name], len(order) - n_below[name]
        table, estimate = samples.tables[i], estimates[i]
        told = ranks, score.caution(table, estimate.value), outside_share(table)
        accuracy = float(table.hits.sum() / table.total)
        models.append(Model(name, estimate, tuple(values), deviation, *told, accuracy))
    n_samples = samples.number(samples.references >= 0) // n_runs
    whole = replace(ContingencyTable.sum_of(samples.tables), n_samples=n_samples)
    settings = settings_of(confidence_level, None if groups is None else samples.paired(0, 0))
    line = score.signature(whole, ignore_index=task.ignored, interval=settings)
    every = tuple(models), comparisons, p_values, confidence_level, n_samples, line
    return Leaderboard(metric, *every)


def _answers_of(y_pred: Any) -> dict[str, dict[str, Any]]:
    """Return the answers of each run of each model by argument, by the name of the model."""
    names = getattr(y_pred, "column_names", getattr(y_pred, "columns", None))  # of a data frame
    if names is None and isinstance(y_pred, Mapping):
        names = list(y_pred)
    if names is None or not len(names):
        raise ValueError(
            "`y_pred` must be a dict or data frame of one column of answers for each model, "
            f"got {show(y_pred)}"
        )
    found = {}
    for key, name in zip(names, texts_of(names, "y_pred", "model"), strict=True):
        answers, argument = y_pred[key], f"y_pred[{name!r}]"
        found[name] = {argument: answers}
        if isinstance(answers, (list, tuple)) and answers and all(map(_is_run, answers)):
            found[name] = {f"{argument}[{i}]": run for i, run in enumerate(answers)}
    return found


def _is_run(x: Any) -> bool:
    """Return whether something holds answers, and is none, as strings and 0-d arrays are."""
    return hasattr(x, "__len__") and not isinstance(x, (str, bytes)) and getattr(x, "ndim", 1) > 0
