"""Check which options go together for logs, columns, tasks, slices or one score."""

from collections.abc import Sequence
from dataclasses import fields
from pathlib import Path
from typing import NamedTuple

from ..core.labels import check_choice
from ..files.opening import list_files, named_format
from ..inference.registry import REPORTED, score_named, score_with_average
from ..inference.score import check_level
from ..tables.label_options import LabelOptions
from .reading import matrix_in
from .request import (
    CompareScores,
    FileFormat,
    LogSelection,
    ReportRequest,
    ReportScores,
    Request,
    Scores,
    Source,
)

_TEXT = ("extract", "choices", "ignore_case", "strip")
_NULLS = ("drop_null", "keep_missing")
_SAMPLES = ("numeric", "ignore_index", "unknown", "threshold", *_TEXT, *_NULLS)
_LOGS = (*(field.name for field in fields(LogSelection)), "each")
_FILES = tuple(field.name for field in fields(FileFormat) if field.name != "encoding")
_TABLES = ("prior", "labels", "ignore_index", "numeric", "threshold", "encoding", *_NULLS)
_COLUMNS = ("weights", "counts", "by", "by_file", "by_task", "vs_rest", "on", "groups", *_FILES)
_ONE_TASK = (
    "weights",
    "labels",
    "choices",
    "prior",
    "at_least",
    "by",
    "by_file",
    "vs_rest",
    "plot",
)
_ALL_FILES = ("by", "on", "weights", "metric", "plot")


class Rule(NamedTuple):
    """Options that are allowed only if a condition is met."""

    options: Sequence[str]
    is_met: bool
    purpose: str


def _rules(request: Request, kind: str) -> list[Rule]:
    """List the rules for the options of a request with this kind of source."""
    columns, scores = request.source.columns, request.scores
    is_report = isinstance(request, ReportRequest)
    is_ranking = is_report and len(columns.predictions) > 1
    is_number = is_report and not is_ranking and scores.metric is not None
    has_level = request.has_level
    named = "columns: give --references and --predictions, or leave it out"
    logs = "logs of evaluation harnesses, not for columns"
    odds = "a --prior, without an interval: leave out --confidence-level"
    one_score = "one score of one model: add --metric"
    all_scores = "all scores, and --metric prints one: leave out one of them"
    no_matrix = "samples, and the file is a confusion matrix: leave it out"
    bare = "a report without a level: leave out --confidence-level"
    level = "intervals: add --confidence-level 0.95"
    of_slices = "the intervals of slices: add --confidence-level 0.95"
    all_files = "all files together: leave out --by-file"
    return [
        Rule(_LOGS, kind == "logs", logs),
        # several tasks
        Rule(_ALL_FILES, not (is_report and columns.by_file), all_files),
        Rule(_SAMPLES, kind != "matrix", no_matrix),
        Rule(_TABLES, kind != "logs", named),
        Rule(_COLUMNS, kind == "columns", named),
        Rule(_ONE_TASK, columns.by_task is None, "one task: leave out --by-task"),
        # several models
        Rule(("weights", "by", "by_file"), not is_ranking, "one model: name one --predictions"),
        # slices and samples
        Rule(("counts",), columns.on is None, "rows without identifiers"),
        Rule(("vs_rest", "sort"), bool(columns.by), "slices: add --by COLUMN"),
        Rule(("groups",), has_level or is_ranking, level),
        Rule(("groups",), columns.weights is None, "samples without --weights"),
        # one score, or all
        Rule(("at_least",), is_number and not columns.by, one_score),
        Rule(("prior",), scores.metric is not None and not is_ranking, one_score),
        Rule(("prior_mode",), scores.prior is not None and not has_level, odds),
        Rule(("no_intervals",), not (is_number or has_level or is_ranking), bare),
        Rule(("each",), request.output.format == "text", "text: other formats have everything"),
        Rule(("by", "plot"), not is_number, all_scores),
        Rule(("plot",), not columns.by or has_level, of_slices),
    ]


def check(request: Request) -> str:
    """Reject invalid requests before hours of reading, and return the kind of source.

    The kind is "columns", "lines" of text, a "matrix" or "logs".
    """
    kind = _kind_of(request.source, isinstance(request, ReportRequest), request.labels)
    for rule in _rules(request, kind):
        if given := [name for name in rule.options if name in request.given and not rule.is_met]:
            raise ValueError(f"`{given[0]}` is for {rule.purpose}")
    _check_scores(request.scores, request.labels.unknown)
    _check_files(request.source, kind)
    if isinstance(request.scores, CompareScores):
        _check_questions(request.scores)
    return kind


def _check_scores(scores: Scores, unknown: str) -> None:
    """Reject unknown scores, and scores that do not support these options."""
    if scores.confidence_level is not None:
        check_level(scores.confidence_level)
    modes: tuple[str, ...] = ("reweight", "odds")
    if scores.metric is not None:
        modes = score_with_average(scores.metric, scores.average, unknown).prior_modes
    if isinstance(scores, ReportScores):
        check_choice("prior_mode", scores.prior_mode, modes)
        if scores.vs_rest is not None:
            score_named(scores.vs_rest, "vs_rest")
        if scores.sort != "name":
            check_choice("sort", score_named(scores.sort, "sort").name, REPORTED)


def _check_questions(scores: CompareScores) -> None:
    """Raise ValueError if the requirements on a comparison are unclear."""
    from ..results.comparison import check_size

    check_size("detect", scores.detect)
    if scores.require == "not-worse" and scores.margin is None:
        raise ValueError("`--require` not-worse needs the `--margin` that is tolerable")
    if scores.require and scores.fail_if:
        raise ValueError("`--require` and `--fail-if` are two questions: leave out one of them")


def _check_files(source: Source, kind: str) -> None:
    """Reject repeated columns and files, and joins of more or fewer than two files."""
    models, on = source.columns.predictions, source.columns.on
    repeated = [model for model in models if models.count(model) > 1]
    if repeated and on is None:
        raise ValueError(f"`--predictions` must name each column once, got {repeated[0]!r} twice")
    if on is not None and len(source.path) != 2:
        raise ValueError(f"`--on` needs two files, got {len(source.path)}")
    if kind == "lines" or (on and len({*models}) < 2):
        list_files(source.path, "csv")  # rejects repeated files, in any format


def _kind_of(source: Source, is_report: bool, labels: LabelOptions) -> str:
    """Find the kind of source from the names of columns and files."""
    if source.columns.references is not None or source.columns.predictions:
        return "columns"
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in source.path]
    if is_text == [True] * (2 if is_report else 3):  # references, and one or two models
        return "lines"
    if not any(is_text) and not _is_table(source):
        return "logs"
    return "matrix" if is_report and matrix_in(source, labels) is not None else "columns"


def _is_table(source: Source) -> bool:
    """Tell whether a source without named columns is a file with columns, and not a log."""
    file = Path(source.path[0])
    file_format = source.files.file_format or named_format(file)
    if source.logs.harness is not None or file_format is None or not file.is_file():
        return False
    from ..logs.reading import READERS

    return not any(reader.is_log(file) for reader in READERS.values())
