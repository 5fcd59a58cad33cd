"""Several models on the same samples: their ranking, intervals, and which can be told apart."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any, Literal

import numpy as np

from ..core.labels import Column, Label, join_columns, show
from ..core.scores import Average
from ..inputs.containers import read_quickly
from ..statistics.registry import score_named
from .comparison import Comparison, compare
from .estimates import Estimate, estimate_from_labels
from .layout import Result, Rows, finite, interval_fields
from .several import holm
from .text import rounded, shown_interval


@dataclass(frozen=True)
class Model:
    """A model of a leaderboard.

    Attributes
    ----------
    name : str
    value : float
        Its score; for several runs, their mean.
    estimate : Estimate
        Its score with its interval over samples; for several runs, that of all their answers
        pooled, with the answers to each sample as a group.
    runs : tuple of float
        The score of each run.
    run_deviation : float
        Standard deviation of the runs: how much another seed changes the score. Nan for a single
        run.
    letters : str
        Models that share a letter cannot be told apart.
    """

    name: str
    value: float
    estimate: Estimate
    runs: tuple[float, ...]
    run_deviation: float
    letters: str


@dataclass(frozen=True)
class Leaderboard(Result):
    """Models ranked by score, with a test of each pair.

    Attributes
    ----------
    metric : str
    models : tuple of Model
        Best first.
    comparisons : dict of (str, str) to Comparison
        One per pair, with the better model as B.
    p_values : dict of (str, str) to float
        Their p-values, corrected for the number of pairs by Holm's method.
    confidence_level : float
        Models are told apart if the corrected p-value is below 1 minus it.

    Examples
    --------
    >>> references = ["ham"] * 80 + ["spam"] * 20
    >>> answers = {"majority": ["ham"] * 100, "filter": ["ham"] * 78 + ["spam"] * 22}
    >>> board = leaderboard(references, answers)
    >>> [(model.name, round(model.value, 3), model.letters) for model in board.models]
    [('filter', 0.975, 'a'), ('majority', 0.0, 'b')]
    """

    metric: str
    models: tuple[Model, ...]
    comparisons: dict[tuple[str, str], Comparison]
    p_values: dict[tuple[str, str], float]
    confidence_level: float

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each model, best first."""
        records = []
        for rank, model in enumerate(self.models, start=1):
            made = model.estimate
            record: dict[str, Any] = {"rank": rank, "model": model.name, self.metric: model.value}
            record |= interval_fields(made.standard_error, made.confidence_interval)
            record |= {"n_runs": len(model.runs), "run_deviation": finite(model.run_deviation)}
            below = self.models[rank].name if rank < len(self.models) else None
            p = None if below is None else self.p_values[below, model.name]
            records.append({**record, "letters": model.letters, "p_value_to_next": p})
        return records

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON."""
        return {
            "metric": self.metric,
            "confidence_level": self.confidence_level,
            "models": self.records(),
            "comparisons": [
                {"a": a, "b": b, "p_value_holm": self.p_values[a, b], **comparison.to_dict()}
                for (a, b), comparison in self.comparisons.items()
            ],
        }

    def text_tables(self) -> list[Rows]:
        """Return the ranking, and the comparisons of neighbours."""
        percent = f"{100 * self.confidence_level:.6g}%"
        title = score_named(self.metric).title
        has_runs = any(len(model.runs) > 1 for model in self.models)
        head = ["model", title, "± SE", f"{percent} interval", *["± SD of runs"] * has_runs, ""]
        ranking = [head]
        for model in self.models:
            made = model.estimate
            row = [model.name, rounded(model.value, 4)]
            row += shown_interval(made.standard_error, made.confidence_interval)
            if has_runs:
                several = len(model.runs) > 1
                row.append(f"± {model.run_deviation:.4f} ({len(model.runs)})" if several else "")
            ranking.append([*row, model.letters])
        neighbours = [["compared", "difference", f"{percent} interval", "p (Holm)"]]
        for better, worse in zip(self.models, self.models[1:], strict=False):
            pair = worse.name, better.name
            made_of = self.comparisons[pair]
            interval = shown_interval(0.0, made_of.confidence_interval)[1]
            p = self.p_values[pair]
            p_value = "< 0.0001" if p < 0.0001 else f"{p:.4f}"
            name = f"{better.name} over {worse.name}"
            difference = round(made_of.difference, 4) + 0.0  # not -0.0000
            neighbours.append([name, f"{difference:+.4f}", interval, p_value])
        return [ranking, neighbours] if len(self.models) > 1 else [ranking]

    def text_lines(self) -> list[str]:
        """Return what the letters and the spreads mean."""
        lines = []
        if len(self.models) > 1:
            n = len(self.p_values)
            lines.append(
                "Models that share a letter cannot be told apart at this level; p-values are "
                f"corrected for {n} comparison{'s' * (n != 1)} (Holm)."
            )
        if any(len(model.runs) > 1 for model in self.models):
            lines.append(
                "SE and interval say how much other samples would change the score; the SD of runs "
                "says how much another seed would."
            )
        return lines


def leaderboard(
    references: Any,
    predictions: Mapping[str, Any],
    *,
    metric: str = "informedness",
    average: Average | Literal["default"] = "default",
    labels: Any = None,
    ignore_index: Label | None = None,
    unknown: str = "error",
    sample_weight: Any = None,
    groups: Any = None,
    confidence_level: float = 0.95,
    n_resamples: int = 9999,
    seed: int = 0,
) -> Leaderboard:
    """Rank models by a score on the same samples, and test every pair of them.

    Parameters
    ----------
    references : array-like of shape (n_samples,)
        Labels.
    predictions : mapping of name to array-like of shape (n_samples,)
        The answers of each model; or, for models with several runs (seeds), a list with the answers
        of each run, the same number for every model.
    metric, average, labels, ignore_index, unknown, sample_weight, groups
        As in `compare`.
    confidence_level : float
        Of the intervals; models are told apart if the p-value, corrected for the number of pairs by
        Holm's method, is below 1 minus it.
    n_resamples, seed : int
        Of each test, as in `compare`.

    Returns
    -------
    Leaderboard

    Raises
    ------
    ValueError
        As `compare`, and if there is no model or models have different numbers of runs.

    Examples
    --------
    >>> answers = {"majority": ["ham"] * 100, "filter": ["ham"] * 78 + ["spam"] * 22}
    >>> leaderboard(["ham"] * 80 + ["spam"] * 20, answers).models[0].name
    'filter'
    """
    if not isinstance(predictions, Mapping) or not predictions:
        raise ValueError(
            f"`predictions` must map the name of each model to its answers, got {show(predictions)}"
        )
    column = read_quickly(references, "references")
    runs = {str(name): _runs_of(name, answers) for name, answers in predictions.items()}
    numbers = {name: len(of_model) for name, of_model in runs.items()}
    n_runs = max(numbers.values())
    if fewer := [name for name, number in numbers.items() if number != n_runs]:
        raise ValueError(
            f"`predictions` must have the same number of runs for each model, got {n_runs} for "
            f"some and {numbers[fewer[0]]} for {fewer[0]!r}"
        )
    if n_runs > 1 and groups is None:
        groups = np.arange(len(column))  # the answers of all runs to a sample belong together
    options: dict[str, Any] = {
        "metric": metric,
        "average": average,
        "labels": labels,
        "ignore_index": ignore_index,
        "unknown": unknown,
        "confidence_level": confidence_level,
    }
    together: dict[str, Any] = {
        "sample_weight": None if sample_weight is None else list(sample_weight) * n_runs,
        "groups": None if groups is None else _repeated(read_quickly(groups, "groups"), n_runs),
    }
    everywhere = _repeated(column, n_runs)
    pooled = {name: join_columns(of_model) for name, of_model in runs.items()}
    estimates = {
        name: estimate_from_labels(everywhere, answers, **options, **together)
        for name, answers in pooled.items()
    }
    alone = {**options, "sample_weight": sample_weight}
    of_runs = {
        name: tuple(estimate_from_labels(column, run, **alone).value for run in of_model)
        if n_runs > 1
        else (estimates[name].value,)
        for name, of_model in runs.items()
    }
    values = {name: math.fsum(of_model) / n_runs for name, of_model in of_runs.items()}
    # models of one score keep their order, whatever rounding made of it
    order = sorted(values, key=lambda name: -round(values[name], 12))
    comparisons = {
        (worse, better): compare(
            everywhere,
            pooled[worse],
            pooled[better],
            n_resamples=n_resamples,
            seed=seed,
            **options,
            **together,
        )
        for better, worse in combinations(order, 2)
    }
    corrected = holm([comparison.p_value for comparison in comparisons.values()])
    p_values = dict(zip(comparisons, corrected, strict=True))
    apart = {pair for pair, p in p_values.items() if 1 - p > confidence_level}
    letters = _letters(order, apart)
    models = tuple(
        Model(
            name,
            values[name],
            estimates[name],
            of_runs[name],
            float(np.std(of_runs[name], ddof=1)) if n_runs > 1 else math.nan,
            letters[name],
        )
        for name in order
    )
    return Leaderboard(metric, models, comparisons, p_values, confidence_level)


def _runs_of(name: str, answers: Any) -> list[Column]:
    """Return the answers of each run of a model."""
    several = isinstance(answers, (list, tuple)) and answers
    if several and all(hasattr(x, "__len__") and not isinstance(x, (str, bytes)) for x in answers):
        return [read_quickly(run, f"predictions[{name!r}]") for run in answers]
    return [read_quickly(answers, f"predictions[{name!r}]")]


def _repeated(column: Column, n_runs: int) -> Column:
    """Return a column once for each run."""
    return join_columns([column] * n_runs)


def _letters(order: Sequence[str], apart: set[tuple[str, str]]) -> dict[str, str]:
    """Return letters by model; two models share one exactly if they cannot be told apart.

    By the insert-and-absorb algorithm (Piepho 2004, "An algorithm for a letter-based representation
    of all-pairwise comparisons").
    """
    columns = [set(order)]
    for pair in apart:
        for column in [column for column in columns if column >= set(pair)]:
            columns.remove(column)
            columns += [column - {name} for name in pair]
        columns = [x for x in columns if not any(x < y for y in columns)]
        columns = [x for i, x in enumerate(columns) if x not in columns[:i]]
    columns.sort(key=lambda column: sorted(map(order.index, column)))
    return {
        name: "".join(_letter(i) for i, column in enumerate(columns) if name in column)
        for name in order
    }


def _letter(number: int) -> str:
    """Return a, b, ..., z, a2, b2, ..."""
    return chr(ord("a") + number % 26) + (str(number // 26 + 1) if number >= 26 else "")
