"""Requests for commands, and checks for options that conflict.

A request is frozen. The fields of its parts have the names of Python arguments, or those of options
that only the command line has.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from typing import Any, TypeAlias

from ..core.labels import check_choice
from ..files.opening import list_files
from ..files.reading import FileOptions
from ..inference.registry import REPORTED, score_named, score_with_average
from ..inference.score import check_level
from ..results.estimate import AverageOption
from ..tables.label_options import LabelOptions


@dataclass(frozen=True)
class ColumnNames:
    """Names of columns, and whether each file or each value of a column is a task."""

    references: str | None = None
    predictions: tuple[str, ...] = ()
    weights: str | None = None
    counts: str | None = None
    on: str | None = None
    by: tuple[str, ...] = ()
    by_file: bool = False
    by_task: str | None = None
    groups: str | None = None


@dataclass(frozen=True)
class LogSelection:
    """Options that select answers and verdicts in logs; `epochs` says whether to pool epochs."""

    harness: str | None = None
    verdict: str | None = None
    task: str | None = None
    exclude_task: tuple[str, ...] = ()
    variant: str | None = None
    runs: str | None = None
    latest: bool = False
    epoch: int | None = None
    epochs: str = "each"


@dataclass(frozen=True)
class Source:
    """Source of references and predictions: columns or lines of files, a matrix, or logs.

    `most_rows` limits the number of rows that are kept in memory.
    """

    path: tuple[str, ...] = ()
    files: FileOptions = field(default_factory=FileOptions)
    columns: ColumnNames = field(default_factory=ColumnNames)
    logs: LogSelection = field(default_factory=LogSelection)
    drop_null: bool = False
    keep_missing: bool = False
    most_rows: int | None = None


@dataclass(frozen=True)
class Scores:
    """Scores to compute, and their options; `prior` has the form FILE:COLUMN."""

    metric: str | None = None
    average: AverageOption = "default"
    confidence_level: float | None = None
    prior: str | None = None

    def arguments(self, *names: str) -> dict[str, Any]:
        """Collect the values of fields as keyword arguments of a function."""
        return {name: getattr(self, name) for name in names}


@dataclass(frozen=True)
class ReportScores(Scores):
    """Scores of a report, and the minimum (`at_least`) for the lower bound of a score."""

    prior_mode: str = "reweight"
    no_intervals: bool = False
    vs_rest: str | None = None
    sort: str = "name"
    at_least: float | None = None


@dataclass(frozen=True)
class CompareScores(Scores):
    """Score for the comparison of two models, and the requirement on model B."""

    metric: str = "informedness"
    confidence_level: float = 0.95
    margin: float | None = None
    detect: float | None = None
    require: str | None = None
    fail_if: str | None = None


@dataclass(frozen=True)
class Output:
    """Format of the result, folder for figures, and whether to print the report of each run."""

    format: str = "text"
    plot: str | None = None
    each: bool = False


@dataclass(frozen=True)
class Request:
    """Request for `report` or `compare`.

    `non_defaults` has the names of the options that differ from their defaults. `words` has the
    words that were typed after the command.
    """

    source: Source = field(default_factory=Source)
    labels: LabelOptions = field(default_factory=LabelOptions)
    scores: Scores = field(default_factory=Scores)
    output: Output = field(default_factory=Output)
    non_defaults: tuple[str, ...] = ()
    words: tuple[str, ...] = ()


@dataclass(frozen=True)
class ReportRequest(Request):
    """Request for `report`."""

    scores: ReportScores = field(default_factory=ReportScores)

    @property
    def has_default_level(self) -> bool:
        """Whether a result for people, without a named metric, has unrequested 95% intervals."""
        is_bare = self.scores.metric is None and self.scores.confidence_level is None
        is_for_people = self.output.format in ("text", "html", "markdown")
        return is_bare and is_for_people and not self.scores.no_intervals


@dataclass(frozen=True)
class CompareRequest(Request):
    """Request for `compare`."""

    scores: CompareScores = field(default_factory=CompareScores)


def fill(kind: Any, values: Mapping[str, Any]) -> Any:
    """Make a request, or a part of a request, from a mapping of field names to values."""
    arguments: dict[str, Any] = {}
    for part in fields(kind):
        if isinstance(part.default_factory, type) and is_dataclass(part.default_factory):
            arguments[part.name] = fill(part.default_factory, values)
        elif (value := values.get(part.name)) is not None:
            arguments[part.name] = tuple(value) if isinstance(value, list) else value
    return kind(**arguments)


# Conflicts between options

# Names of options, whether they are allowed, and the end of "`NAME` applies only to ..."
Rule: TypeAlias = tuple[Sequence[str], bool, str]

# Options that apply to the same kinds of sources, or that exclude the same options
_VALUE_OPTIONS = ("numeric", "ignore_index", "threshold", "drop_null", "keep_missing")
_TEXT_OPTIONS = ("extract", "choices", "ignore_case", "strip")
_TABLE_OPTIONS = ("prior", "labels", "encoding", *_VALUE_OPTIONS)
_LOG_OPTIONS = (*(option.name for option in fields(LogSelection)), "each")
_ROW_OPTIONS = ("weights", "counts", "by", "by_file", "by_task", "vs_rest", "on", "groups")
_COLUMN_OPTIONS = (*_ROW_OPTIONS, "rows", "no_quotes")
_TASK_OPTIONS = ("weights", "labels", "choices", "prior", "at_least", "by", "by_file", "vs_rest")


def check(request: Request, kind: str) -> None:
    """Reject an invalid request before its source is read, because reading may take hours.

    `kind` is a result of `find_kind`.

    Raises
    ------
    ValueError
        If options conflict with each other or with the source, or an option is invalid.
    """
    source, scores = request.source, request.scores
    rules = _rules_for_sources(source.columns, kind)
    if isinstance(request, ReportRequest):
        rules += _rules_for_reports(request)
    for options, is_allowed, purpose in rules:
        for name in options:
            if name in request.non_defaults and not is_allowed:
                raise ValueError(f"`{name}` applies only to {purpose}.")
    _check_scores(scores, request.labels.unknown)
    _check_files(source, kind)
    if isinstance(scores, CompareScores):
        _check_requirements(scores)


def _rules_for_sources(columns: ColumnNames, kind: str) -> list[Rule]:
    """List the rules for both commands, which depend on how the source is read."""
    columns_only = "columns. Add --references and --predictions, or leave it out"
    no_matrix = "samples, and the file is a confusion matrix. Leave it out"
    return [
        (_LOG_OPTIONS, kind == "logs", "logs of evaluation harnesses. Leave it out"),
        ((*_VALUE_OPTIONS, *_TEXT_OPTIONS), kind != "matrix", no_matrix),
        (_TABLE_OPTIONS, kind != "logs", columns_only),
        (_COLUMN_OPTIONS, kind == "columns", columns_only),
        (("file_format",), kind in ("columns", "matrix"), columns_only),
        ((*_TASK_OPTIONS, "plot"), columns.by_task is None, "one task. Leave out --by-task"),
        (("counts",), columns.on is None, "files that are not joined. Leave out --on"),
    ]


def _rules_for_reports(request: ReportRequest) -> list[Rule]:
    """List the rules for `report`, which depend on the other options."""
    columns, scores = request.source.columns, request.scores
    is_ranking = len(columns.predictions) > 1
    is_number = scores.metric is not None and not is_ranking
    has_level = is_ranking or request.has_default_level or scores.confidence_level is not None
    all_files = "all files together. Leave out --by-file"
    odds = "one score without an interval. Add --metric and --prior, without --confidence-level"
    return [
        (("by", "on", "weights", "metric", "plot"), not columns.by_file, all_files),
        (("weights", "by", "by_file", "on"), not is_ranking, "one model. Name one column with -p"),
        (("vs_rest", "sort"), bool(columns.by), "slices. Add --by COLUMN"),
        (("groups",), has_level, "intervals. Add --confidence-level 0.95"),
        (("groups",), columns.weights is None, "samples without weights. Leave out --weights"),
        (("at_least",), not columns.by, "all samples. Leave out --by"),
        (("at_least", "prior"), is_number, "one score of one model. Name one --metric and one -p"),
        (("prior_mode",), scores.prior is not None and not has_level, odds),
        (("no_intervals",), not (is_number or has_level), "default intervals. Leave it out"),
        (("each",), request.output.format == "text", "text. Leave out --format"),
        (("by", "plot"), not is_number, "all scores. Leave out --metric"),
        (("plot",), not columns.by or has_level, "intervals of slices. Add --confidence-level"),
    ]


def _check_scores(scores: Scores, unknown: str) -> None:
    """Reject unknown scores, and options that a score does not support."""
    if scores.confidence_level is not None:
        check_level(scores.confidence_level)
    if scores.metric is not None:
        score = score_with_average(scores.metric, scores.average, unknown)
        if isinstance(scores, ReportScores):
            check_choice("prior_mode", scores.prior_mode, score.prior_modes)
    if isinstance(scores, ReportScores):
        check_choice("sort", scores.sort, ("name", *REPORTED))
        if scores.vs_rest is not None:
            score_named(scores.vs_rest, "vs_rest")


def _check_requirements(scores: CompareScores) -> None:
    """Reject conflicting or incomplete requirements on a comparison."""
    from ..results.comparison import check_difference

    for name, size in scores.arguments("margin", "detect").items():
        check_difference(name, size)
    if scores.require == "not-worse" and scores.margin is None:
        raise ValueError("`--require not-worse` needs a `--margin`. Add the largest accepted loss.")
    if scores.require and scores.fail_if:
        raise ValueError("`--require` and `--fail-if` cannot be combined. Leave out one of them.")


def _check_files(source: Source, kind: str) -> None:
    """Reject --on unless there are two files; without --on, reject predictions named twice.

    Also reject repeated files of lines, and with --on repeated files unless predictions name two
    different columns.
    """
    models, on = source.columns.predictions, source.columns.on
    if on is None and (repeated := [model for model in models if models.count(model) > 1]):
        raise ValueError(f"`--predictions` must name each column once, got {repeated[0]!r} twice")
    if on is not None and len(source.path) != 2:
        raise ValueError(f"`--on` needs two files, got {len(source.path)}")
    if kind == "lines" or (on and len({*models}) < 2):
        list_files(source.path, "csv")  # rejects repeated files of any format
