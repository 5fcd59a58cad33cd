"""The report on several runs: one table of them, the mean over tasks, and a report on each."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Any, NamedTuple

from ..errors import prefix_errors
from ..inference.registry import MODULES, score_named
from ..results.estimate import Averaged, Estimate
from ..results.report import Report
from ..results.sentences import guessing_p_value_of_given
from ..text import render
from ..text.account import Read
from ..text.layout import Measured, Result, Rows
from ..warnings import prefix_warnings
from .answers import Answers

_SHOWN = ("accuracy", *MODULES)
_WHOSE = ("harness", "model", "task", "run", "variant", "epoch")
_ORIGIN = (*_WHOSE, "n_left_out", "is_harness_accuracy")
_VARIANTS = {"lm-eval": "filters", "lighteval": "kinds of metric", "inspect": "scores"}
_MARKS = {
    ("accuracy", "?"): "? Accuracy: not the harness's, which has another metric or other totals.",
    **{(x, "^"): f"^ {score_named(x).title}: {score_named(x).mark_meaning}." for x in MODULES},
    ("informedness", "-"): "-- means undefined: all references are of one class.",
}
_NUMBERS = ("n_samples", "n_unknown", "n_tasks", "n_not_guessing")


@dataclass(frozen=True, repr=False)
class TaskScore(Measured):
    """The mean of a score over tasks; without a confidence level it has no interval."""

    value: float
    standard_error: float = math.nan
    confidence_interval: tuple[float, float] = (math.nan, math.nan)

    @classmethod
    def mean_of(cls, scores: Sequence[TaskScore | Estimate]) -> TaskScore:
        """Return the mean over independent tasks, each of which weighs the same.

        Errors add in squares, and so do the reaches of the intervals to either side.
        """
        n_tasks = len(scores)
        value = math.fsum(x.value for x in scores) / n_tasks
        error = math.hypot(*(x.standard_error for x in scores)) / n_tasks
        below = math.hypot(*(x.value - x.confidence_interval[0] for x in scores)) / n_tasks
        above = math.hypot(*(x.confidence_interval[1] - x.value for x in scores)) / n_tasks
        return cls(value, error, (value - below, value + above))


class TaskMean(NamedTuple):
    """The mean over the tasks of a model; a row of the report.

    Attributes
    ----------
    name : str
        What stands in the table, such as "mean of 3 tasks".
    fields : dict
        As of a `Run`; n_not_guessing is how many tasks have answers that differ from guessing.
    scores : dict of str to TaskScore
        Of accuracy, Informedness, and NIT if its chance is the same in all tasks; empty if there is
        no mean.
    why_not : str
        Why there is no mean, and what to choose; empty if there is one.
    """

    name: str
    fields: dict[str, Any]
    scores: Mapping[str, TaskScore | Estimate]
    why_not: str = ""


class Run(NamedTuple):
    """A run of a task, or a file of predictions; a row of the report.

    Attributes
    ----------
    name : str
    fields : dict
        Where it comes from: harness, model, task, run, variant, epoch, n_left_out and
        is_harness_accuracy as of `Answers`, of a file its task; and n_samples, n_unknown, n_tasks
        (1) and n_not_guessing.
    scores : dict of str to Estimate or TaskScore
    report : Report
    how : str
        How the answers were found, and which were not a class; empty for a file.
    """

    name: str
    fields: dict[str, Any]
    scores: Mapping[str, TaskScore | Estimate]
    report: Report
    how: str = ""

    @classmethod
    def of(cls, name: str, origin: Mapping[str, Any], report: Report, how: str = "") -> Run:
        """Return the row of a report."""
        scores = {x: report.estimates.get(x) or TaskScore(y) for x, y in report.scores.items()}
        undefined = [x for x in _SHOWN if score_named(x).undefined(report.table)]
        scores |= dict.fromkeys(undefined, TaskScore(math.nan))
        p_value = guessing_p_value_of_given(report.table, report.guessing_p_value)
        is_guess = 1 - p_value <= (report.confidence_level or 0.95)
        if math.isnan(report.guessing_p_value):  # of several epochs
            low, high = scores["informedness"].confidence_interval
            is_guess = not (low > 0 or high < 0)
        n_unknown = report.unknown.get("n_unknown", 0)
        numbers = report.table.n_samples, n_unknown, 1, int(not is_guess)
        fields = dict.fromkeys(_ORIGIN) | {**origin} | dict(zip(_NUMBERS, numbers, strict=True))
        return cls(name, fields, scores, report, how)

    def __str__(self) -> str:
        """Return how the answers were found, and the report."""
        return "\n\n".join(filter(None, (self.how, str(self.report))))


def _mean_of(model: str, runs: Sequence[Run]) -> TaskMean:
    """Return the mean over the tasks of these runs, which are of one model."""
    n_tasks = len({run.fields["task"] for run in runs})
    name = f"mean of {n_tasks} tasks"
    fields = dict.fromkeys(_ORIGIN) | {x: runs[0].fields[x] for x in ("harness", "model")}
    fields |= {x: sum(run.fields[x] for run in runs) for x in _NUMBERS}
    fields |= {"task": name, "n_tasks": n_tasks}
    known = {run.fields["is_harness_accuracy"] for run in runs}
    fields["is_harness_accuracy"] = False if False in known else known == {True} or None
    why_not = "; ".join(dict.fromkeys(filter(None, (_not_one(run, runs) for run in runs))))
    is_alike = len({run.report.table.n_classes for run in runs}) == 1
    names = [x for x in _SHOWN if (is_alike or x != "nit") and not why_not]
    scores = {x: TaskScore.mean_of([run.scores[x] for run in runs]) for x in names}
    return TaskMean(model + name, fields, scores, why_not)


def _not_one(run: Run, runs: Sequence[Run]) -> str:
    """Return why the task of a run has no one score that a mean could take, and what to add."""
    task = render.shown(run.fields["task"])
    same = [other.fields for other in runs if other.fields["task"] == run.fields["task"]]
    if several := several_of(same):
        return f"{task} has {several}"
    if score_named("informedness").undefined(run.report.table):
        return f"{task} has references of only one class"
    return ""


def several_of(runs: Sequence[Mapping[str, Any]]) -> str:
    """Return what there are several of among the runs of a task, and what to add to choose one."""
    variants = dict.fromkeys(run["variant"] for run in runs)
    if len(variants) > 1:
        ways = " or ".join(f"`--variant {quote(variant)}`" for variant in variants)
        return f"{len(variants)} {_VARIANTS[runs[0]['harness']]}: add {ways}"
    if (n_runs := len({run["run"] for run in runs})) > 1:
        way = "add `--run` and part of the path of one, or `--latest` if they repeat each other"
        return f"{n_runs} runs: {way}"
    if len(runs) > 1:
        return f"{len(runs)} epochs: add `--epochs pooled`, or `--epoch` and a number"
    return ""


@dataclass(frozen=True, repr=False)
class LogReport(Result):
    """Scores of each run in logs: of each model, task, filter or scorer, and epoch; or of files.

    Attributes
    ----------
    runs : tuple of Run
        What was read, and the report on it.
    confidence_level : float or None
        How often the intervals should contain the true value.
    """

    runs: tuple[Run, ...]
    confidence_level: float | None = None
    read: tuple[Read, ...] = ()
    widest_name = 60

    @classmethod
    def from_answers(
        cls,
        read: Sequence[Answers],
        confidence_level: float | None = None,
        average: Averaged = "default",
    ) -> LogReport:
        """Return the report on what `read_log` returns.

        Parameters
        ----------
        read : sequence of Answers
        confidence_level : float, optional
            Adds standard errors and intervals at this level, for example 0.95.
        average : {"bias", "prevalence", "macro"}, optional
            That of Informedness, as in `informedness_score`.

        Raises
        ------
        ValueError
            If a report cannot be made; the message names the run.
        """
        runs = []
        for answers in read:
            name = render.shown(answers.name)
            with prefix_errors(name), prefix_warnings(name):
                report = answers.report(confidence_level, average)
            origin = {name: getattr(answers, name) for name in _ORIGIN}
            origin["task"] = answers.task_name
            runs.append(Run.of(answers.name, origin, report, how_read(answers)))
        return cls(tuple(runs), confidence_level)

    @classmethod
    def from_reports(cls, reports: Mapping[str, Report]) -> LogReport:
        """Return the report on files of predictions, a task each, from the report on each."""
        runs = tuple(Run.of(name, {"task": name}, report) for name, report in reports.items())
        read: tuple[Read, ...] = sum((run.report.read for run in runs), ())
        return cls(runs, runs[0].report.confidence_level, read)

    @property
    def means(self) -> list[TaskMean]:
        """The mean over the tasks of each model that has several."""
        models: defaultdict[str, list[Run]] = defaultdict(list)
        for run in self.runs:
            models[f"{run.fields['harness']}, {run.fields['model']}, "].append(run)
        names = models if len(models) > 1 else [""]
        means = map(_mean_of, names, models.values())
        return [mean for mean in means if mean.fields["n_tasks"] > 1]

    def _rows(self) -> list[Run | TaskMean]:
        return [*self.runs, *(mean for mean in self.means if not mean.why_not)]

    def text_tables(self) -> list[Rows]:
        """Return one table with a row for each run, and at its end the means over tasks."""
        rows = self._rows()
        names = self.names_of_files()
        columns = [["run", *(render.shown(names.get(row.name, row.name)) for row in rows)]]
        for title, field in (("N", "n_samples"), ("unknown", "n_unknown")):
            columns.append([title, *(str(row.fields[field]) for row in rows)])
        for name in _SHOWN:
            scores = [row.scores.get(name) for row in rows]
            columns.append([score_named(name).title, *(_cell(row, name) for row in rows)])
            if name in MODULES and self.confidence_level is not None:
                head = render.interval_heads(self.confidence_level)[1]
                columns.append([head, *("" if x is None else x.shown()[1] for x in scores)])
        return [[list(row) for row in zip(*columns, strict=True)]]

    def text_lines(self) -> list[str]:
        """Return how answers were found; of several runs, what the means over tasks say."""
        if len(self.runs) == 1:
            return [self.runs[0].how]
        marks = {(name, _cell(row, name)[-1:]) for name in _SHOWN for row in self._rows()}
        models_of: defaultdict[str, list[str]] = defaultdict(list)
        for mean in self.means:
            n_tasks, n_not_guessing = (mean.fields[x] for x in ("n_tasks", "n_not_guessing"))
            sentence = f"answers differ from guessing in {n_not_guessing} of {n_tasks}."
            if mean.why_not:
                sentence = f"none. {mean.why_not}."
            models_of[sentence].append(render.shown(mean.name))
        means = [f"{'; '.join(models)}: {sentence}" for sentence, models in models_of.items()]
        return [*means, *(line for mark, line in _MARKS.items() if mark in marks)]

    def _record(self, row: Run | TaskMean) -> dict[str, Any]:
        record = {**row.fields}
        for name, score in row.scores.items():
            record[name] = render.as_json(score.value)
            if self.confidence_level is not None:
                record |= score.fields(f"{name}_")
        return record

    def records(self) -> list[dict[str, Any]]:
        """Return a record for each run, and for each mean over tasks."""
        records = list(map(self._record, self._rows()))
        return [dict.fromkeys(records[0]) | record for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain values for JSON; the scores of a mean are None without one."""
        runs = [{**run.fields, "answers": run.how, **run.report.to_dict()} for run in self.runs]
        none = dict.fromkeys(_SHOWN)
        means = [none | self._record(x) | {"why_not": x.why_not or None} for x in self.means]
        return {"runs": runs, "means": means}

    def _repr_html_(self) -> str:
        """Return the same for a notebook."""
        return super()._repr_html_() if len(self.runs) > 1 else self.runs[0].report._repr_html_()

    def __str__(self) -> str:
        """Return the report on a single run; of several, one table."""
        return str(self.runs[0]) if len(self.runs) == 1 else super().__str__()


def _cell(row: Run | TaskMean, name: str) -> str:
    """Return a score with its mark, "--" if it is undefined, "" if there is none."""
    score = row.scores.get(name)
    if score is None or math.isnan(score.value):
        return "" if score is None else "--"
    is_marked = name == "informedness" and score.value > row.scores["accuracy"].value + 1e-9
    if isinstance(row, Run) and not is_marked:
        is_marked = bool(score_named(name).caution(row.report.table, score.value))
    if name == "accuracy" and row.fields["is_harness_accuracy"] is False:
        return f"{render.rounded(score.value, 4)}?"
    return render.rounded(score.value, 4) + ("^" if is_marked else "")


def how_read(answers: Answers) -> str:
    """Return in one line whose answers these are, how they were found and which are not a class."""
    share = " for the samples that count" if answers.n_left_out else ""
    is_of_epochs = answers.epoch is not None or answers.groups  # whose accuracy hangs on a reducer
    verdicts = "each epoch right or wrong" if is_of_epochs else "accuracy"
    compared = f"{verdicts} as the harness has it{share}" if answers.is_harness_accuracy else ""
    if answers.verdict and answers.is_harness_accuracy is False:
        compared = f"the log's own accuracy is {answers.recorded}, not {answers.counted}"
    parts = filter(None, (f"the answer is {answers.how}", compared, answers.unread))
    line = f"{answers.harness}, {render.shown(answers.name)}: {'; '.join(parts)}."
    unknown = answers.unknown()
    if not unknown:
        return line
    commonest = [
        f"{'no answer' if answer is None else render.cut(repr(answer), 40)} ({n})"
        for answer, n in unknown.most_common(3)
    ]
    if len(unknown) > 3:
        commonest.append("...")
    classes = render.cut(", ".join(map(render.shown, answers.classes)), 60)
    return f"{line} Not among the classes ({classes}): {', '.join(commonest)}."
