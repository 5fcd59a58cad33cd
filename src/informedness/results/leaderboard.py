"""Rank several models on the same samples, with intervals and a test of each pair of models."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, compress, pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..core.labels import Column, Label, join_columns, show
from ..core.scores import Average
from ..core.table import Task, read_weights
from ..inference.registry import score_named
from ..inference.score import Score
from ..inference.significance import holm
from ..messages import with_subject
from ..tables.contingency import ContingencyTable
from ..tables.label_options import read_label_columns, read_labels
from ..text.layout import Account, Block, Result, Rows
from ..text.render import as_json, interval_heads, rounded, shown, shown_p, texts_of
from ..warnings import collected, prefix_warnings
from .comparison import Comparison, compare_pair, score_models, score_to_compare
from .estimate import Arrays, Estimate, ModelSamples, build_samples, estimate_table, level_text
from .figures import ForestRow, draw_forest
from .summary import out_of_class_share, share_text, title_of

if TYPE_CHECKING:
    from matplotlib.axes import Axes


@dataclass(frozen=True)
class Model:
    """A model of a leaderboard.

    Attributes
    ----------
    name : str
    estimate : Estimate
        The score with its interval. Several runs are pooled. The predictions for one sample then
        form a group, unless groups were passed.
    runs : tuple of float
        The score of each run.
    run_deviation : float
        Standard deviation of the scores over the runs, for example over seeds; nan for one run.
    ranks : (int, int)
        Best and worst rank that the corrected tests of pairs do not rule out.
    caution : str
        Why the score may mislead, for example if it is above accuracy; usually empty.
    out_of_class_share : float
        Share of the model's predictions that are out of class and count as wrong.
    accuracy : float
        Share of the model's predictions that are correct.
    """

    name: str
    estimate: Estimate
    runs: tuple[float, ...]
    run_deviation: float
    ranks: tuple[int, int]
    caution: str = ""
    out_of_class_share: float = 0.0
    accuracy: float = math.nan

    @property
    def value(self) -> float:
        """The value of the estimate."""
        return self.estimate.value

    @property
    def rank_range(self) -> str:
        """The best and the worst rank as text, such as "1 to 3"."""
        return " to ".join(map(str, dict.fromkeys(self.ranks)))


@dataclass(frozen=True, repr=False)
class Leaderboard(Result):
    """Models ranked by score, with a test of each pair.

    Attributes
    ----------
    metric : str
        The name of the score.
    models : tuple of Model
        The models, best first.
    comparisons : dict of (str, str) to Comparison
        The comparison of each pair of names (A, B), with the higher-ranked model as B. Intervals
        are not corrected for the number of pairs.
    p_values : dict of (str, str) to float
        P-value of each pair, corrected for the number of pairs by Holm's method.
    confidence_level : float
        Level of the intervals. Two models differ significantly if the corrected p-value is below 1
        minus this level.
    n_samples : int
        Number of samples in each run, without those that are ignored or have a weight of 0.
    signature : str
        A line that records the options, the number of samples and the version.
    title : str
        The title of the score; for three or more classes, with its average if it has one.
    guessing : dict of str to float
        Guessing levels of the score and of accuracy, by the name of the score.
    read : tuple of Account
        Accounts of the files or data frames that were read.
    """

    metric: str
    models: tuple[Model, ...]
    comparisons: dict[tuple[str, str], Comparison]
    p_values: dict[tuple[str, str], float]
    confidence_level: float
    n_samples: int = 0
    signature: str = ""
    title: str = ""
    guessing: dict[str, float] = field(default_factory=dict)
    read: tuple[Account, ...] = ()

    def plot(self, *, ax: Axes | None = None) -> Axes:
        """Draw the models with their intervals and ranks; mark several runs by short strokes.

        With more than 50 models, the first 49 and the last are drawn.

        Parameters
        ----------
        ax : matplotlib Axes, optional
            The axes to draw on; by default those of a new figure.
        """
        rows = [ForestRow(shown(x.name), x.estimate, x.rank_range, x.runs) for x in self.models]
        return draw_forest(rows, score_named(self.metric).title, ax, "score, ranks")

    def records(self) -> list[dict[str, Any]]:
        """Convert each model to a record, best first."""
        records = []
        for rank, model in enumerate(self.models, start=1):
            record: dict[str, Any] = {"rank": rank, "model": model.name}
            record |= {self.metric: as_json(model.value), **model.estimate.fields()}
            record |= {"n_runs": len(model.runs), "run_deviation": as_json(model.run_deviation)}
            record |= {"best_rank": model.ranks[0], "worst_rank": model.ranks[1]}
            record |= {"out_of_class_share": model.out_of_class_share, "accuracy": model.accuracy}
            below = self.models[rank].name if rank < len(self.models) else ""
            p_value = as_json(self.p_values.get((below, model.name)))
            record |= {"p_value_to_next": p_value, "caution": model.caution or None}
            records.append({**record, "signature": self.signature})
        return records

    def to_dict(self) -> dict[str, Any]:
        """Convert the leaderboard to plain values for JSON."""
        names = ("metric", "n_samples", "signature", "confidence_level")
        plain = {name: getattr(self, name) for name in names}
        comparisons = []
        for (a, b), comparison in self.comparisons.items():
            pair = {"model_a": a, "model_b": b, "p_value_holm": as_json(self.p_values[a, b])}
            comparisons.append(pair | comparison.to_dict())
        return plain | {"models": self.records(), "comparisons": comparisons} | self.account_field()

    def text_tables(self) -> list[Rows]:
        """Tabulate the ranking, and the comparisons of neighbours in the ranking."""
        heads = interval_heads(self.confidence_level)
        rows = [["model", self.title, *heads, "± SD of runs", "ranks", "accuracy", "out of class"]]
        for model in self.models:
            value = rounded(model.value, 4) + ("^" if model.caution else "")
            cells = [*model.estimate.shown(), f"± {model.run_deviation:.4f} ({len(model.runs)})"]
            cells += [model.rank_range, rounded(model.accuracy, 4)]
            rows.append([shown(model.name), value, *cells, share_text(model.out_of_class_share)])
        guessing = rounded(self.guessing[self.metric], 4), rounded(self.guessing["accuracy"], 4)
        rows.append(["guessing", guessing[0], "", "", "", "", guessing[1], ""])
        has_runs = len(self.models[0].runs) > 1
        has_out_of_class = any(model.out_of_class_share for model in self.models)
        is_shown = [True] * 4 + [has_runs, True, self.metric != "accuracy", has_out_of_class]
        ranking = [[*compress(row, is_shown)] for row in rows]
        return [ranking, self._neighbours(heads[1])] if len(self.models) > 1 else [ranking]

    def _neighbours(self, head: str) -> Rows:
        """Tabulate the comparison of each model with the next model in the ranking."""
        rows = [["compared", "difference", head, "p (Holm)"]]
        for better, worse in pairwise(self.models):
            pair = worse.name, better.name
            comparison = self.comparisons[pair]
            name = f"{shown(better.name)} over {shown(worse.name)}"
            difference = f"{round(comparison.difference, 4) + 0.0:+.4f}"  # to avoid -0.0000
            rows.append([name, difference, comparison.shown()[1], shown_p(self.p_values[pair])])
        return rows

    def text_blocks(self) -> list[Block]:
        """List the number of samples, the ranking, the notes and the signature."""
        return [f"N {self.n_samples:,d}", *self.text_tables(), tuple(self._notes()), self.signature]

    def _notes(self) -> Iterator[str]:
        if len(self.models) > 1:
            yield "Ranks are those that the tests of all pairs (Holm-corrected) do not rule out."
            yield "Intervals are not corrected."
        if len(self.models[0].runs) > 1:
            yield "Scores pool all runs. Intervals reflect the samples; the SD reflects the runs."
        for model in self.models:
            if model.caution:
                yield with_subject(f"{shown(model.name)}^", f"{model.caution}.")


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
    """Rank models by a score on the same samples, and test every pair of models.

    Parameters
    ----------
    y_true : array-like of shape (n_samples,)
        References.
    y_pred : mapping of name to array-like of shape (n_samples,), or data frame
        The predictions of each model; in a data frame, each column is a model. For several runs
        (seeds), pass a list with the predictions of each run. All models need the same number of
        runs.
    metric, average, labels, ignore_index, unknown, sample_weight, groups
        As in `compare`.
    confidence_level : float
        Level of the intervals. Two models differ significantly if the p-value, corrected by Holm's
        method, is below 1 minus this level.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ValueError
        As in `compare`. Also if there are no models, or if models have different numbers of runs.
        Also if two models have the same name as text, such as 1 and "1".

    Warns
    -----
    IntervalWarning
        As in `estimate` for each model, and as in `compare` for each pair of models.
    UndefinedMetricWarning, LabelsWarning, InformednessWarning
        As in `informedness_score` for each model.

    Examples
    --------
    >>> predictions = {"majority": ["ham"] * 100, "filter": ["ham"] * 78 + ["spam"] * 22}
    >>> board = leaderboard(["ham"] * 80 + ["spam"] * 20, predictions)
    >>> [(model.name, round(model.value, 3), model.ranks) for model in board.models]
    [('filter', 0.975, (1, 1)), ('majority', 0.0, (2, 2))]
    """
    score = score_to_compare(metric, average, None, unknown)
    extras = {"sample_weight": sample_weight, "groups": groups}
    references, runs, task = _read_runs(y_true, y_pred, extras, labels, ignore_index, unknown)
    names, n_runs = [*runs], len(next(iter(runs.values())))
    samples = _pool_runs(references, runs, task, sample_weight, groups)
    signed: dict[str, Any] = {"ignore_index": task.ignored}
    estimates = []
    for i, (argument, table) in enumerate(zip(samples.arguments, samples.tables, strict=True)):
        with prefix_warnings(f"`{argument}`"):
            pairs = samples.pairs_in_groups(i)
            estimates += estimate_table(table, score, confidence_level, pairs, **signed)
    # round, so that rounding errors do not reorder models with equal scores
    order = sorted(range(len(names)), key=lambda i: -round(estimates[i].value, 12))
    with collected():  # the estimates have issued the same warnings
        compared = score_models(score, samples) if len(order) > 1 else []
    comparisons = {}
    for better, worse in combinations(order, 2):
        pair = compare_pair(score, samples, compared, (worse, better), confidence_level, **signed)
        comparisons[names[worse], names[better]] = pair
    p_values = dict(zip(comparisons, holm([x.p_value for x in comparisons.values()]), strict=True))
    ranks = _ranks_of(names, p_values, confidence_level)
    models = []
    for i in order:
        name, table, value = names[i], samples.tables[i], estimates[i].value
        scores: tuple[float, ...] = (value,)
        if n_runs > 1:
            scores = _score_runs(score, references, runs[name], task, sample_weight)
        deviation = float(np.std(scores, ddof=1)) if n_runs > 1 else math.nan
        caution = score.caution(table, value)
        shares = out_of_class_share(table), float(table.hits.sum() / table.total)
        models.append(Model(name, estimates[i], scores, deviation, ranks[name], caution, *shares))
    first, n_samples = samples.tables[0], samples.count_samples(samples.references >= 0) // n_runs
    pooled = replace(ContingencyTable.sum_of(samples.tables), n_samples=n_samples)
    settings = level_text(confidence_level, samples.pairs_in_groups(0))
    return Leaderboard(
        metric=metric,
        models=tuple(models),
        comparisons=comparisons,
        p_values=p_values,
        confidence_level=confidence_level,
        n_samples=n_samples,
        signature=score.signature(pooled, interval=settings, **signed),
        title=title_of(first, score),
        guessing={x.name: x.guessing_level(first) for x in (score_named("accuracy"), score)},
    )


def _ranks_of(
    names: list[str], p_values: Mapping[tuple[str, str], float], level: float
) -> dict[str, tuple[int, int]]:
    """Find the best and the worst possible rank of each model.

    The keys of `p_values` are pairs: first the worse model, then the better model.
    """
    different = [pair for pair, p_value in p_values.items() if 1 - p_value > level]
    n_better = Counter(worse for worse, _ in different)
    n_worse = Counter(better for _, better in different)
    return {name: (1 + n_better[name], len(names) - n_worse[name]) for name in names}


def _score_runs(
    score: Score, references: Column, runs: list[Column], task: Task, weights: Any
) -> tuple[float, ...]:
    """Score each run of a model, without repeating the warnings of the pooled score."""
    tables = (ContingencyTable._from_columns(references, run, task, weights) for run in runs)
    with collected():
        return tuple(float(score.value(table)) for table in tables)


def _pool_runs(
    references: Column, runs: Mapping[str, list[Column]], task: Task, weights: Any, groups: Any
) -> ModelSamples:
    """Concatenate the predictions of all runs of each model, shape (n_runs * n_samples,).

    With several runs, the predictions for one sample form a group, unless `groups` are passed.
    """
    n_runs = len(next(iter(runs.values())))
    if weights is not None:
        weights = np.tile(read_weights(weights, len(references)), n_runs)
    if groups is not None:
        groups = join_columns([read_labels(groups, "groups")] * n_runs)
    elif n_runs > 1:
        groups = np.tile(np.arange(len(references)), n_runs)
    predictions = {f"y_pred[{name!r}]": join_columns(columns) for name, columns in runs.items()}
    extras = {"sample_weight": weights, "groups": groups}
    return build_samples(join_columns([references] * n_runs), predictions, task, extras)


def _read_runs(
    y_true: Any, y_pred: Any, extras: Arrays, *options: Any
) -> tuple[Column, dict[str, list[Column]], Task]:
    """Read the references and the predictions of each run.

    Also return the task. Raise ValueError if there are no models, if two have the same name as
    text, or if they have different numbers of runs.
    """
    # data frames of pandas and polars have `columns`; Arrow tables and datasets, `column_names`
    names = y_pred if isinstance(y_pred, Mapping) else getattr(y_pred, "columns", ())
    names = getattr(y_pred, "column_names", names)
    if not len(names):
        rule = "be a dict or data frame with a column of predictions for each model"
        raise ValueError(f"`y_pred` must {rule}, got {show(y_pred)}")
    texts = texts_of(names, "y_pred", "model")
    runs = {text: _list_runs(y_pred[name]) for text, name in zip(texts, names, strict=True)}
    n_runs = {name: len(model_runs) for name, model_runs in runs.items()}
    if len({*n_runs.values()}) > 1:
        rule = "have the same number of runs for each model"
        raise ValueError(f"`y_pred` must {rule}, got {show(n_runs)}")
    containers = {"y_true": y_true}
    for name, model_runs in runs.items():
        for i, run in enumerate(model_runs):
            containers[f"y_pred[{name!r}]" + (f"[{i}]" if len(model_runs) > 1 else "")] = run
    (references, *columns), task = read_label_columns(containers, *options, **extras)
    return references, {name: [columns.pop(0) for _ in x] for name, x in runs.items()}, task


def _list_runs(value: Any) -> list[Any]:
    """List the runs of a model; predictions of a single run become a list of one run."""
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    # np.ndim would refuse a ragged list, with a message that names no argument
    has_runs = is_list and all(isinstance(run, (list, tuple)) or np.ndim(run) for run in value)
    return [*value] if has_runs else [value]
