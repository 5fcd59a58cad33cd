"""Show several runs in one table, with means over tasks; compare two models on shared tasks."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from ..core.labels import check_choice
from ..errors import prefix_errors
from ..inference.registry import MODULES, score_named
from ..messages import Message, Naming, join, message
from ..results.comparison import Comparison
from ..results.estimate import AverageOption, Estimate
from ..results.report import PREVALENCE_SCORE, Report
from ..results.suite import SuiteComparison, suite_of
from ..results.summary import MAY_BE_GUESSES
from ..text import render
from ..text.layout import Account, Measured, Result, Rows, add_guessing, rows_of
from ..warnings import prefix_warnings
from .answers import Answers

_METRICS = ("accuracy", *MODULES)
_ORIGIN = ("harness", "model", "task", "run", "variant", "epoch")
_NO_FIELDS: dict[str, Any] = dict.fromkeys((*_ORIGIN, "n_left_out", "is_harness_accuracy"))
_NUMBERS = ("n_samples", "n_out_of_class", "n_tasks", "n_not_guessing")
_MARKS = {("accuracy", "?"): "? after an accuracy: the log does not confirm it."}
_MARKS |= {(x, "^"): f"^ {score_named(x).title}: {score_named(x).mark_meaning}." for x in MODULES}
_MARKS["informedness", "-"] = "-- means undefined: all references are of one class."


@dataclass(frozen=True, repr=False)
class TaskScore(Measured):
    """A score of a task, or its mean over tasks.

    The standard error and the interval are nan without a confidence level, if the score is
    undefined, and in a mean if they are nan for one of its tasks.
    """

    value: float
    standard_error: float = math.nan
    confidence_interval: tuple[float, float] = (math.nan, math.nan)

    @classmethod
    def mean_of(cls, scores: Sequence[TaskScore | Estimate]) -> TaskScore:
        """Average the scores of independent tasks with equal weights.

        Standard errors add in quadrature, and so do the margins of error below and above. All
        are then divided by the number of tasks.
        """
        n_tasks = len(scores)
        value = math.fsum(x.value for x in scores) / n_tasks
        error = math.hypot(*(x.standard_error for x in scores)) / n_tasks
        below = math.hypot(*(x.value - x.confidence_interval[0] for x in scores)) / n_tasks
        above = math.hypot(*(x.confidence_interval[1] - x.value for x in scores)) / n_tasks
        return cls(value, error, (value - below, value + above))


class TaskMean(NamedTuple):
    """The mean scores of a model over its tasks; a row of the table unless the mean is missing.

    Attributes
    ----------
    name : str
        Name of the row, such as "mean of 3 tasks".
    fields : dict
        As in `Run`. "n_samples", "n_out_of_class" and "n_not_guessing" are sums over the runs,
        "n_tasks" is the number of different tasks, and "task" is a text such as "mean of 3 tasks".
        "is_harness_accuracy" is False if it is False for a run, True if it is True for all runs,
        otherwise None. "run", "variant", "epoch" and "n_left_out" are None.
    scores : dict of str to TaskScore
        Mean of each score; empty if the mean is missing. NIT is included only if all tasks have
        the same number of classes.
    why_not : Message
        Why the mean is missing, and how to choose a run if a task has several; empty if there is a
        mean.
    """

    name: str
    fields: dict[str, Any]
    scores: Mapping[str, TaskScore | Estimate]
    why_not: Message


class Run(NamedTuple):
    """A run of a task, or a file of predictions; a row of the table.

    Attributes
    ----------
    name : str
        Name of the row.
    fields : dict
        The keys "harness", "model", "run", "variant" and "epoch" are as in `Origin`, and "task" is
        its `task_name`. "is_harness_accuracy" is as in `VerdictMetric`. "n_left_out",
        "n_samples", "n_out_of_class", "n_tasks" and "n_not_guessing" are numbers. The last is the
        number of tasks whose answers differ from guessing. For a file, only the model, the task and
        the last four numbers are known; other values are None.
    scores : dict of str to Estimate or TaskScore
        Scores by name.
    report : Report
        The report on the run.
    how : str
        How the answers were found, and the most frequent out-of-class answers; empty for a file.
    """

    name: str
    fields: dict[str, Any]
    scores: Mapping[str, TaskScore | Estimate]
    report: Report
    how: str

    @classmethod
    def from_report(
        cls, name: str, fields: Mapping[str, Any], report: Report, how: str = ""
    ) -> Run:
        """Make a row from a report."""
        scores = {x: report.estimates.get(x) or TaskScore(y) for x, y in report.scores.items()}
        scores.pop(PREVALENCE_SCORE, None)  # reported only for more than two classes
        undefined = [x for x in _METRICS if score_named(x).why_undefined(report.table)]
        scores |= dict.fromkeys(undefined, TaskScore(math.nan))
        is_guess = report.summary.code in MAY_BE_GUESSES
        n_out_of_class = report.out_of_class.get("n_out_of_class", 0)
        numbers = report.table.n_samples, n_out_of_class, 1, int(not is_guess)
        all_fields = {**_NO_FIELDS, **fields, **dict(zip(_NUMBERS, numbers, strict=True))}
        return cls(name, all_fields, scores, report, how)

    def __str__(self) -> str:
        """Say how the answers were found, and format the report."""
        return "\n\n".join(filter(None, (self.how, str(self.report))))


def _mean_of(prefix: str, runs: Sequence[Run]) -> TaskMean:
    """Average the scores of a model over the tasks of its runs; `prefix` begins the row's name."""
    fields = _NO_FIELDS | {x: runs[0].fields[x] for x in ("harness", "model")}
    fields |= {x: sum(run.fields[x] for run in runs) for x in _NUMBERS}
    fields["n_tasks"] = len({run.fields["task"] for run in runs})
    fields["task"] = f"mean of {fields['n_tasks']} tasks"
    checks = {run.fields["is_harness_accuracy"] for run in runs}
    fields["is_harness_accuracy"] = False if False in checks else checks == {True} or None
    reasons = dict.fromkeys(_why_not_averaged(run, runs) for run in runs)
    why_not = join(filter(None, reasons), ". ")
    scores = {} if why_not else _mean_scores(runs)
    return TaskMean(f"{prefix}{fields['task']}", fields, scores, why_not)


def _mean_scores(runs: Sequence[Run]) -> dict[str, TaskScore | Estimate]:
    """Average each score; include NIT only if all tasks have the same number of classes."""
    has_nit = len({run.report.table.n_classes for run in runs}) == 1
    names = [x for x in runs[0].scores if has_nit or x != "nit"]
    return {x: TaskScore.mean_of([run.scores[x] for run in runs]) for x in names}


def _why_not_averaged(run: Run, runs: Sequence[Run]) -> Message:
    """Explain why the scores of a run cannot be averaged; empty if they can."""
    name = render.shown(run.fields["task"])
    same = [other.fields for other in runs if other.fields["task"] == run.fields["task"]]
    if len(same) > 1:
        return how_to_choose(name, same)
    if score_named("informedness").why_undefined(run.report.table):
        return message("{name} has references of only one class", name=name)
    return Message("")


def how_to_choose(task: str, runs: Sequence[Mapping[str, Any]]) -> Message:
    """Explain how to choose if a task has several models, harnesses, variants, runs or epochs."""
    variants = dict.fromkeys(render.shown(run["variant"]) for run in runs)
    by_run = "by part of its path with `runs`, or the latest of repeated runs with `latest`"
    by_epoch = 'with `epoch`, or score all together with epochs="pooled"'
    models = {(run["harness"], run["model"]) for run in runs}
    choices = (
        (len(models), "has {n} models or harnesses. Choose one by part of its path with `runs`"),
        (len(variants), "has {n} variants. Choose one with `variant`: {names}"),
        (len({run["run"] for run in runs}), f"has {{n}} runs. Choose one {by_run}"),
        (len(runs), f"has {{n}} epochs. Choose one {by_epoch}"),
    )
    n, text = next(choice for choice in choices if choice[0] > 1)
    return message(f"{{task}} {text}", task=task, n=n, names=", ".join(variants))


@dataclass(frozen=True, repr=False)
class RunTable(Result):
    """Scores of the runs in logs, or of files of predictions.

    A row shows one combination of harness, model, task, run, variant and epoch, or the mean over
    the tasks of a model.

    Attributes
    ----------
    runs : tuple of Run
        The runs, each with its report.
    confidence_level : float or None
        Share of intervals that should contain the true value; None if there are no intervals.
    read : tuple of Account
        The accounts of the files; empty for logs.
    metric : str or None
        Name of the only score to show, with tasks as rows and models as columns. If it is None,
        accuracy, Informedness and NIT are shown, with runs as rows.
    """

    runs: tuple[Run, ...]
    confidence_level: float | None = None
    read: tuple[Account, ...] = ()
    metric: str | None = None
    max_name_width = 60

    @classmethod
    def from_answers(
        cls,
        read: Sequence[Answers],
        confidence_level: float | None = None,
        average: AverageOption = "default",
    ) -> RunTable:
        """Make a table of the answers that `read_log` returns.

        Parameters
        ----------
        read : sequence of Answers
            The answers of each run, variant and epoch.
        confidence_level : float, optional
            Adds standard errors and intervals at this level, for example 0.95.
        average : {"bias", "prevalence", "macro"}, optional
            Average of Informedness, as in `informedness_score`.

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
            fields = {x: getattr(answers.origin, x) for x in _ORIGIN}
            fields |= {"task": answers.origin.task_name, "n_left_out": answers.left_out.total()}
            fields["is_harness_accuracy"] = answers.metric.is_harness_accuracy
            runs.append(Run.from_report(answers.name, fields, report, how_found(answers)))
        return cls(tuple(runs), confidence_level)

    @classmethod
    def from_reports(
        cls, reports: Mapping[tuple[str, str], Report], metric: str | None = None
    ) -> RunTable:
        """Make a table from reports by (model, task); models or tasks may be names of files.

        If `metric` is given, it is the only score to show. Raise ValueError if it is not a score of
        the reports.
        """
        runs = []
        for (model, task), report in reports.items():
            name = ", ".join(filter(None, (model, task)))
            runs.append(Run.from_report(name, {"model": model or None, "task": task}, report))
        check_choice("metric", metric, (None, *runs[0].scores))
        accounts = dict.fromkeys(account for run in runs for account in run.report.read)
        return cls(tuple(runs), runs[0].report.confidence_level, tuple(accounts), metric)

    def with_names(self, naming: Naming) -> RunTable:
        """Use the argument names of a surface in all lines and reports."""
        table: RunTable = super().with_names(naming)
        runs = [run._replace(report=run.report.with_names(naming)) for run in self.runs]
        vars(table)["runs"] = tuple(run._replace(how=table.render(run.how)) for run in runs)
        return table

    @property
    def means(self) -> list[TaskMean]:
        """The mean over tasks for each harness and model with several tasks."""
        models: defaultdict[str, list[Run]] = defaultdict(list)
        for run in self.runs:
            owner = run.fields["harness"], run.fields["model"]
            models["".join(f"{x}, " for x in owner if x)].append(run)
        means = map(_mean_of, models if len(models) > 1 else [""], models.values())
        return [mean for mean in means if mean.fields["n_tasks"] > 1]

    def _rows(self) -> list[Run | TaskMean]:
        return [*self.runs, *(mean for mean in self.means if not mean.why_not)]

    def text_tables(self) -> list[Rows]:
        """Make one table of runs, or of tasks by models if `metric` is set.

        The means follow. In a table of runs, guessing levels that are the same for all runs are
        the last row.
        """
        rows = self._rows()
        if self.metric is not None:
            return [_tasks_by_models(rows, self.metric)]
        names = self.names_of_files()
        columns = [["run", *(render.shown(names.get(row.name, row.name)) for row in rows)]]
        columns.append(["N", *(str(row.fields["n_samples"]) for row in rows)])
        columns.append(["out of class", *(str(row.fields["n_out_of_class"]) for row in rows)])
        for name in _METRICS:
            columns += self._score_columns(name, rows)
        table = rows_of(columns)
        add_guessing(table, [*map(_guessing_levels, self.runs)], score_named("accuracy").title)
        return [table]

    def _score_columns(self, name: str, rows: Sequence[Run | TaskMean]) -> Rows:
        """Make the column of a score, and a column of its intervals if there are any."""
        column = [score_named(name).title, *(_cell(row, name) for row in rows)]
        if name not in MODULES or self.confidence_level is None:
            return [column]
        scores = [row.scores.get(name) for row in rows]
        head = render.interval_heads(self.confidence_level)[1]
        return [column, [head, *("" if x is None else x.shown()[1] for x in scores)]]

    def text_lines(self) -> list[str]:
        """Say how the answers of one run were found, or explain the means and marks of several.

        For several runs, also count those whose intervals have caveats.
        """
        if len(self.runs) == 1:
            return [self.runs[0].how]
        names = _METRICS if self.metric is None else (self.metric,)
        marks = {(name, _cell(row, name)[-1:]) for name in names for row in self._rows()}
        lines = [*_lines_of_means(self.means), *(_MARKS[x] for x in _MARKS if x in marks)]
        if n := sum(any(x.caveat for x in run.report.estimates.values()) for run in self.runs):
            lines.append(f"Intervals of {n} of {len(self.runs)} runs use few samples or groups.")
        return lines

    def _record(self, row: Run | TaskMean) -> dict[str, Any]:
        record = {**row.fields}
        for name, score in row.scores.items():
            record[name] = render.as_json(score.value)
            if self.confidence_level is not None:
                record |= score.fields(f"{name}_")
        return record

    def records(self) -> list[dict[str, Any]]:
        """Make a record for each run, and for each mean over tasks that is not missing."""
        records = list(map(self._record, self._rows()))
        return [dict.fromkeys(records[0]) | record for record in records]

    def to_dict(self) -> dict[str, Any]:
        """Convert runs and means to values for JSON.

        If a mean is missing, its scores are None, and "why_not" gives the reason. NIT is also None
        if tasks have different numbers of classes.
        """
        runs = [{**run.fields, "answers": run.how, **run.report.to_dict()} for run in self.runs]
        none = dict.fromkeys(self.runs[0].scores)
        means = [
            none | self._record(x) | {"why_not": self.render(x.why_not) or None} for x in self.means
        ]
        return {"runs": runs, "means": means}

    def _repr_html_(self) -> str:
        """Show the report on a single run, or the table of several runs, in a notebook."""
        return super()._repr_html_() if len(self.runs) > 1 else self.runs[0].report._repr_html_()

    def __str__(self) -> str:
        """Format the report on a single run, or the table of several runs."""
        return str(self.runs[0]) if len(self.runs) == 1 else super().__str__()


def _guessing_levels(run: Run) -> dict[str, str]:
    return {score_named(x).title: render.rounded(run.report.guessing[x], 3) for x in _METRICS}


def _tasks_by_models(rows: Sequence[Run | TaskMean], metric: str) -> Rows:
    """Arrange one score with tasks as rows and models as columns, and means at the end."""
    models = dict.fromkeys(row.fields["model"] for row in rows)
    cells: defaultdict[str, list[str]] = defaultdict(list)
    for row in rows:
        cells[row.fields["task"]].append(_cell(row, metric))
    body = [[render.shown(task), *task_cells] for task, task_cells in cells.items()]
    return [[f"task ({score_named(metric).title})", *map(render.shown, models)], *body]


def _lines_of_means(means: Sequence[TaskMean]) -> list[Message]:
    """Say in how many tasks answers differ from guessing, or why means are missing."""
    lines = []
    models: defaultdict[Message, list[str]] = defaultdict(list)
    for mean in means:
        if mean.why_not:
            name = filter(None, (mean.fields["harness"], mean.fields["model"]))
            models[mean.why_not].append(render.shown("/".join(name)))
        else:
            text = "{name}: answers differ from guessing in {n_not_guessing} of {n_tasks}."
            lines.append(message(text, name=render.shown(mean.name), **mean.fields))
    for why_not, names in models.items():
        suffix = f" for {', '.join(names)}" if len(means) > 1 else ""
        lines.append(message("No mean{models}: {why_not}.", models=suffix, why_not=why_not))
    return lines


def _cell(row: Run | TaskMean, name: str) -> str:
    """Format a score with its mark; "--" if the score is undefined, "" if it is missing."""
    score = row.scores.get(name)
    if score is None or math.isnan(score.value):
        return "" if score is None else "--"
    is_marked = name == "informedness" and score.value > row.scores["accuracy"].value + 1e-9
    if isinstance(row, Run) and not is_marked:
        is_marked = bool(score_named(name).caution(row.report.table, score.value))
    if name == "accuracy" and row.fields["is_harness_accuracy"] is False:
        return f"{render.rounded(score.value, 4)}?"
    return render.rounded(score.value, 4) + ("^" if is_marked else "")


def how_found(answers: Answers) -> Message:
    """Describe in one line how the answers of a run were found.

    The line says so if the verdicts agree with the totals that the harness recorded. It ends with
    the most frequent out-of-class answers, at most three, if there are any.
    """
    parts = [message("the answer is {how}", how=answers.how), answers.metric.unused_metrics_message]
    if answers.metric.is_harness_accuracy:
        has_epochs = answers.origin.epoch is not None or answers.groups
        # A harness's accuracy over epochs depends on its reducer.
        matched = "per-epoch verdicts match" if has_epochs else "accuracy matches"
        share = " for the samples that count" if answers.left_out.total() else ""
        parts.insert(1, Message(f"{matched} the harness{share}"))
    name = f"{answers.origin.harness}, {render.shown(answers.name)}"
    line = message("{name}: {parts}.", name=name, parts=join(filter(None, parts)))
    if not (out_of_class := answers.unknown()):
        return line
    classes = render.cut(", ".join(map(render.shown, answers.classes)), 60)
    frequent = ", ".join(
        f"{'no answer' if answer is None else render.cut(repr(answer), 40)} ({n})"
        for answer, n in out_of_class.most_common(3)
    )
    more = ", ..." if len(out_of_class) > 3 else ""
    text = f"{{line}} Not among the classes ({{classes}}): {{answers}}{more}."
    return message(text, line=line, classes=classes, answers=frequent)


def compare_logs(
    answers_a: Sequence[Answers],
    answers_b: Sequence[Answers],
    margin: float | None = None,
    **options: Any,
) -> SuiteComparison:
    """Compare two models on the tasks in which each has one run, variant and epoch.

    Other tasks, and tasks whose references are all of one class, are left out. The result says why.

    Parameters
    ----------
    answers_a, answers_b : sequence of Answers
        Answers of each model, as `read_log` returns them.
    margin : float, optional
        As in `compare_tasks`.
    **options
        `metric`, `average` and `confidence_level`, as in `compare`.

    Raises
    ------
    ValueError
        If the runs of a task differ in harness, classes, samples, documents or references; the
        message names the task. If fewer than two tasks can be compared. For NIT and EMA, if tasks
        have different numbers of classes. If an option is not valid.

    Warns
    -----
    InformednessWarning
        For each task that is left out. If the prompts of a task differ between the models. Also as
        in `compare`.
    """
    comparisons: dict[str, Comparison] = {}
    left_out: list[str] = []
    for task in dict.fromkeys(answers.origin.task_name for answers in (*answers_a, *answers_b)):
        a, b = ([x for x in y if x.origin.task_name == task] for y in (answers_a, answers_b))
        name = render.shown(task)
        if not a or not b:
            left_out.append(message("{name}, which only {x} has", name=name, x="AB"[not a]))
        elif len(several := max(a, b, key=len)) > 1:
            left_out.append(how_to_choose(name, [vars(x.origin) for x in several]))
        elif len({*a[0].references}) < 2:
            left_out.append(f"{name}, whose references are all {a[0].references[0]!r}")
        else:
            with prefix_errors(name), prefix_warnings(name):
                comparisons[task] = a[0].compare(b[0], **options)
    return suite_of(comparisons, left_out, margin)
