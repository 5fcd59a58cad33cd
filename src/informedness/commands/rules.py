"""Which options go together, by what is asked: of logs, columns, tasks, slices or one score."""

from argparse import Namespace
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ..core.labels import check_choice
from ..files.opening import list_files, named_format
from ..inference.registry import score_named, score_with_average
from ..inference.score import check_level
from ..messages import message

OF_TEXT = ("extract", "choices", "ignore_case", "strip")
_OF_SAMPLES = ("numeric", "ignore_index", "unknown", "threshold")
OF_LABELS = (*OF_TEXT, "labels", *_OF_SAMPLES)
_OF_RUNS = ("task", "exclude_task", "variant", "runs", "latest", "epoch", "epochs")
OF_LOGS = ("harness", "verdict", *_OF_RUNS)
OF_NULLS = ("drop_null", "keep_missing")
OF_FILES = ("file_format", "rows", "no_quotes")
READING = {*OF_FILES, *OF_NULLS, "encoding", "choices", "ignore_case", "strip", "numeric"}
OF_ESTIMATE = ("metric", "average", "confidence_level")
_OF_TABLES = ("prior", "labels", "ignore_index", "numeric", "threshold", "encoding", *OF_NULLS)
_OF_COLUMNS = ("weights", "counts", "by", "by_file", "by_task", "vs_rest", "on", "groups")
_OF_SLICES = ("by", "by_file", "vs_rest", "plot")
_OF_ONE_TASK = ("weights", "labels", "choices", "prior", "at_least", *_OF_SLICES)
_OF_ALL_FILES = ("by", "on", "weights", "metric", "plot")


class Rule(NamedTuple):
    """Options that have a meaning only where a condition is met."""

    options: Sequence[str]
    is_met: bool
    purpose: str


def _rules(options: Namespace, source: str) -> list[Rule]:
    """Return the rules for options with labels in this source, by what is asked."""
    is_report = options.command == "report"
    is_ranking = is_report and len(options.predictions or ()) > 1
    is_number = is_report and not is_ranking and options.metric is not None
    is_suite = is_report and options.by_file
    has_level = options.confidence_level is not None
    has_intervals = has_level or is_ranking or not is_report
    is_odds = options.prior is not None and not has_level
    columns = "columns: give --references and --predictions, or leave it out"
    logs = "logs of evaluation harnesses, not for columns"
    odds = "a --prior, without an interval: leave out --confidence-level"
    one_score = "one score of one model: add --metric"
    all_scores = "all scores, and --metric prints one: leave out one of them"
    no_matrix = "samples, and the file is a confusion matrix: leave it out"
    level = "intervals: add --confidence-level 0.95"
    of_slices = "the intervals of slices: add --confidence-level 0.95"
    return [
        Rule((*OF_LOGS, "each"), source == "logs", logs),
        # several tasks
        Rule(_OF_ALL_FILES, not is_suite, "all files together: leave out --by-file"),
        Rule((*_OF_SAMPLES, *OF_TEXT, *OF_NULLS), source != "matrix", no_matrix),
        Rule(_OF_TABLES, source != "logs", columns),
        Rule((*_OF_COLUMNS, *OF_FILES), source == "columns", columns),
        Rule(_OF_ONE_TASK, options.by_task is None, "one task: leave out --by-task"),
        # several models
        Rule(("weights", "by", "by_file"), not is_ranking, "one model: name one --predictions"),
        # slices and samples
        Rule(("counts",), options.on is None, "rows without identifiers"),
        Rule(("vs_rest",), options.by is not None, "slices: add --by COLUMN"),
        Rule(("groups",), has_intervals, level),
        Rule(("groups",), options.weights is None, "samples without --weights"),
        # one score, or all
        Rule(("at_least",), is_number and options.by is None, one_score),
        Rule(("prior",), options.metric is not None and not is_ranking, one_score),
        Rule(("prior_mode",), is_odds, odds),
        Rule(("each",), options.format == "text", "text: other formats have everything"),
        Rule(("by", "plot"), not is_number, all_scores),
        Rule(("plot",), options.by is None or has_level, of_slices),
    ]


def check_options(options: Namespace) -> str:
    """Refuse what cannot work, before hours of reading, and return where the labels are.

    It is "list" if all that is asked is which columns there are.
    """
    source = _source(options)
    for rule in _rules(options, source):
        if given := [name for name in rule.options if name in options.given and not rule.is_met]:
            raise ValueError(f"`{given[0]}` is for {rule.purpose}")
    if options.confidence_level is not None:
        check_level(options.confidence_level)
    if options.metric is not None:
        score = score_with_average(options.metric, options.average, options.unknown)
        check_choice("prior_mode", options.prior_mode, score.prior_modes)
    if options.vs_rest is not None:
        score_named(options.vs_rest, "vs_rest")
    _check_files(options, source)
    if source == "columns" and None in (options.references, options.predictions):
        from .missing_columns import list_columns

        if options.command == "report" and options.given <= READING:
            return "list"
        text = "`--references` and `--predictions` must name columns; {listing}"
        raise ValueError(message(text, listing=list_columns(options)))
    return source


def _check_files(options: Namespace, source: str) -> None:
    """Refuse columns and files that are given twice, and other files than two to join."""
    models = options.predictions or []
    repeated = [model for model in models if models.count(model) > 1]
    if repeated and options.on is None:
        raise ValueError(f"`--predictions` must name each column once, got {repeated[0]!r} twice")
    if options.on is not None and len(options.path) != 2:
        raise ValueError(f"`--on` needs two files, got {len(options.path)}")
    if source == "lines" or (options.on and len({*models}) < 2):
        list_files(options.path, "csv")  # refuses one that is given twice, in any format


def _source(options: Namespace) -> str:
    """Return whether labels are in "columns", in "lines" of text, in a "matrix" or in "logs"."""
    is_named = options.references is not None or options.predictions is not None
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in options.path]
    n_sides = 2 if options.command == "report" else 3  # references, and one or two models
    if is_text == [True] * n_sides and not is_named:
        return "lines"
    if is_named or any(is_text) or _is_table(options):
        return "columns" if is_named or not _is_matrix(options) else "matrix"
    return "logs"


def _is_matrix(options: Namespace) -> bool:
    """Return whether the only file to report on is a confusion matrix, and keep its table."""
    from ..files.tables import table_of_matrix

    if options.command == "report" and len(options.path) == 1 and Path(options.path[0]).is_file():
        ((path, kind),) = list_files(options.path, options.file_format)
        options.matrix = table_of_matrix(path, kind, options.encoding, options.labels)
    return getattr(options, "matrix", None) is not None


def _is_table(options: Namespace) -> bool:
    """Return whether what is given without columns is a file with columns, and no log."""
    file = Path(options.path[0])
    file_format = options.file_format or named_format(file)
    if options.harness is not None or file_format is None or not file.is_file():
        return False
    from ..logs.reading import READERS

    return not any(reader.is_log(file) for reader in READERS.values())
