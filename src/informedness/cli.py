"""The command line: `informedness report`, `compare`, `register` and `unregister`."""

import argparse
import json
import os
import re
import sys
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from . import __version__
from .contingency import ContingencyTable
from .core.labels import WARNING_PREFIX, Column, InformednessWarning, LabelsWarning
from .inputs.answered import LabelOptions
from .inputs.files import table_from_file
from .inputs.paths import FORMATS
from .inputs.samples import joined_columns, read_columns, read_lines
from .logs.answers import Answers
from .logs.reading import READERS, one_run, read_logs
from .logs.report import LogReport, how_read
from .plots import import_pyplot, save_plots
from .registration import register, unregister
from .results.comparison import Comparison, compare
from .results.layout import aligned
from .results.leaderboard import Leaderboard, leaderboard
from .results.report import Report
from .results.slices import Slices
from .results.text import cut, shown
from .statistics.intervals import check_level
from .statistics.registry import SCORES, averaged_score
from .statistics.swaps import Plan

_FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
}
# Options are kept under the names of the Python arguments that they set, and so found in messages;
# these are other names of the same arguments.
_SAME = {
    "y_true": "references",
    "y_pred": "predictions",
    **{f"{name}_{model}": "predictions" for name in ("y_pred", "predictions") for model in "ab"},
    "sample_weight": "weights",
}
# Options that go together
_OF_TEXT = ("extract", "choices", "ignore_case", "strip")
_OF_LABELS = (*_OF_TEXT, "numeric", "labels", "ignore_index", "unknown")
_OF_FILES = ("file_format", "encoding", "drop_null", "keep_missing", "each_row_a_sample")
_OF_LOGS = ("harness", "task", "variant", "runs", "latest", "epoch", "epochs")
_OF_ROWS = ("labels", "ignore_index", "numeric", "encoding", "drop_null", "keep_missing")
_OF_SLICES = ("classes", "column", "vs_rest")
_OF_COLUMNS = ("weights", "counts", "by", *_OF_SLICES, "on", "groups", "file_format")
_OF_TEST = ("metric", "average", "confidence_level", "n_resamples", "seed")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, 1 if logs are left out, or 2 if refused."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # labels the terminal cannot show
    if sys.stderr is None:  # closed: print would take standard output for it
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 until the process ends
    options = _parser().parse_args(arguments)
    if getattr(options, "format", "text") != "text":
        _write_exactly()
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        if sys.stdin is None and "-" in getattr(options, "path", ()):
            raise ValueError("-: standard input is closed")
        _decode(options)
        with _held_warnings(options) as held:
            output = options.run(options)
    except (ValueError, OSError, ImportError) as error:
        return _refused(_in_options(str(error), options))
    for message in dict.fromkeys(held):
        _tell(f"warning: {_in_options(message, options)}")
    try:
        print(output, flush=True)
    except UnicodeEncodeError as error:
        return _refused(f"standard output: {error}")
    except OSError as error:
        # so that Python does not try again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # as in `informedness report ... | head`
            return _refused(f"standard output: {error}")
    return int(getattr(options, "has_left_out", False))


def _write_exactly() -> None:
    """Write data for other programs in UTF-8, where standard output is not in a Unicode encoding.

    What neither can hold, half of a surrogate pair from a file name or an option, is refused.
    """
    if hasattr(sys.stdout, "reconfigure"):
        is_unicode = sys.stdout.encoding.lower().startswith("utf")
        encoding = sys.stdout.encoding if is_unicode else "utf-8"
        sys.stdout.reconfigure(encoding=encoding, errors="strict")


def _decode(options: argparse.Namespace) -> None:
    """Read what was typed as UTF-8 where the locale has another encoding, such as LC_ALL=C.

    Paths stay as they are: the system opens them so.
    """
    for action in options.known:
        given = getattr(options, action.dest, None)
        if action.dest in ("path", "plot") or not isinstance(given, (str, list)):
            continue
        with suppress(UnicodeError):
            several = [
                os.fsencode(x).decode() for x in ([given] if isinstance(given, str) else given)
            ]
            setattr(options, action.dest, several if isinstance(given, list) else several[0])


@contextmanager
def _held_warnings(options: argparse.Namespace) -> Iterator[list[str]]:
    """Yield a list that collects the messages of this project's warnings; others pass through.

    Those that labels are probably not what was meant are errors without --as-is. Warning filters
    apply to the whole process, which here belongs to the command line.
    """
    messages: list[str] = []
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            said = str(message).removeprefix(WARNING_PREFIX)
            if category is LabelsWarning:
                if not options.as_is:
                    raise ValueError(f"{said}; --as-is scores the labels as they are")
            elif issubclass(category, InformednessWarning):
                messages.append(said)
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", InformednessWarning)
        yield messages


def _refused(message: str) -> int:
    _tell(f"informedness: error: {message}")
    return 2


def _tell(message: str) -> None:
    with suppress(OSError):  # the output matters more
        print(message, file=sys.stderr, flush=True)


def _in_options(message: str, options: argparse.Namespace) -> str:
    """Return a message about Python arguments as one about options of the command line."""
    message = re.sub(r" \(set zero_division [^)]*\)", "", message)  # for which there is no option
    said: dict[str, str] = {x.dest: [x.metavar, *x.option_strings][-1] for x in options.known}
    if getattr(options, "references", None) is None:  # of logs and lines, which have no columns
        said |= {"references": "references", "predictions": "predictions"}
    said |= {name: said[same] for name, same in _SAME.items() if same in said}
    names = "|".join(said)
    # `unknown`, unknown="wrong" and ignore_index=-100, but nothing inside quotes or a path
    argument = rf"(?<=`)({names})(?=[` ])|(?<=[ `(])({names})=(\"?)(-?\w*)\3(?=[\s`,;:.)]|$)"

    def option(found: re.Match[str]) -> str:
        name, value = said[found[1] or found[2]], found[4]
        if value in (None, "", "True"):
            return name
        return f"{name}={value}" if value.startswith("-") else f"{name} {value}"

    return re.sub(argument, option, message)


# What is asked for


def _source(options: argparse.Namespace) -> str:
    """Return whether the labels are in "columns", in "lines" of text or in "logs"."""
    named = [x for x in (options.references, options.predictions) if x is not None]
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in options.path]
    if len(named) == 2:
        return "columns"
    if named or (any(is_text) and is_text != [True, True]):
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be logs "
            "of evaluation harnesses or, for a report, two text files (.txt), of references and of "
            f"predictions, one label per line, got {' '.join(options.path)}"
        )
    return "lines" if any(is_text) else "logs"


def _check(options: argparse.Namespace) -> str:
    """Refuse what cannot work, before hours of reading, and return where the labels are."""
    source, by = _source(options), getattr(options, "by", None)
    is_ranking = options.run is _report and len(options.predictions or ()) > 1
    is_number = options.run is _report and not is_ranking and options.metric is not None
    logs = (
        "logs of evaluation harnesses, which show what the references and predictions are: leave "
        "out --references and --predictions"
    )
    columns = "columns: give --references and --predictions, or leave it out"
    scores = "all scores, and --metric prints one: leave out one of them"
    intervals = "the intervals of slices: add --confidence-level 0.95"
    has_intervals = by is None or options.confidence_level is not None
    for names, is_met, what in (
        (_OF_LOGS, source == "logs", logs),
        (_OF_ROWS, source != "logs", columns),
        (_OF_COLUMNS, source == "columns", columns),
        (("weights", "by"), not is_ranking, "one model: give one column of --predictions"),
        (("counts",), getattr(options, "on", None) is None, "rows without identifiers"),
        (_OF_SLICES, by is not None, "slices: add --by COLUMN"),
        (("average",), options.metric, "one score: add --metric, whose average it sets"),
        (("by", "plot"), not is_number, scores),
        (("plot",), has_intervals, intervals),
    ):
        known = [action for action in options.known if action.dest in names]
        given = [x for x in known if getattr(options, x.dest) != x.default]
        if given and not is_met:
            raise ValueError(f"`{given[0].option_strings[-1]}` is for {what}")
    if options.confidence_level is not None:
        check_level(options.confidence_level)
    if options.metric is not None:
        averaged_score(options.metric, options.average)
    return source


def _given(options: argparse.Namespace, *names: str) -> dict[str, Any]:
    return {name: getattr(options, name) for name in names}


def _label_options(options: argparse.Namespace) -> LabelOptions:
    """Return the options that say what a label is and which labels count."""
    return LabelOptions(**_given(options, *_OF_LABELS))


def _classes(options: argparse.Namespace, references: Column) -> dict[str, Any]:
    """Return the options that say which labels count, of the same type as the references."""
    how, is_integer = _label_options(options), references.kind == "integers"
    return {
        "labels": how.classes(is_integer),
        "ignore_index": how.ignored(is_integer),
        "unknown": how.unknown,
    }


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options for reading whole columns."""
    return {"options": _label_options(options), **_given(options, *_OF_FILES)}


def _read_columns(names: dict[str, Any], options: argparse.Namespace) -> dict[str, Column]:
    """Return the columns of these names, those that are not None."""
    named = {role: name for role, name in names.items() if name is not None}
    return read_columns(options.path, named, **_reading(options))


def _read_logs(files: Sequence[str], options: argparse.Namespace) -> list[Answers]:
    how = LabelOptions(**_given(options, *_OF_TEXT))
    chosen = _given(options, "task", "variant", "epoch")
    read, left_out = read_logs(
        files, how, **_given(options, "harness", "runs", "latest", "epochs"), chosen=chosen
    )
    for line in left_out:
        _tell(_in_options(line, options))
    options.has_left_out = bool(left_out) or getattr(options, "has_left_out", False)
    return read


def _shown(result: Any, options: argparse.Namespace) -> str:
    """Return a result in the format asked for, after writing its pictures if they are."""
    if getattr(options, "plot", None) is not None:
        drawn = result.runs[0][1] if isinstance(result, LogReport) else result
        for path in save_plots(drawn, options.plot):
            _tell(f"wrote {path}")
    return _FORMATS[options.format](result)


# report


def _report(options: argparse.Namespace) -> str:
    source = _check(options)
    if options.plot is not None:
        os.environ["MPLBACKEND"] = "agg"  # files, no windows
        import_pyplot()
        Path(options.plot).mkdir(parents=True, exist_ok=True)
    if source == "logs":
        return _report_of_logs(options)
    if source == "columns" and len(options.predictions) > 1:
        return _shown(_leaderboard(options), options)
    table: Any = _table_of_lines(options) if source == "lines" else _table_of_columns(options)
    if options.by is not None:
        slices = Slices.from_tables(
            table,
            classes=options.classes or "all",
            **_given(options, "by", "confidence_level", "vs_rest"),
        )
        if options.column is not None:
            slices = slices.sorted_by(options.column, descending=options.descending)
        return _shown(slices, options)
    if options.metric is not None:
        return _score(table, options)
    ignored = _label_options(options).ignored(isinstance(table.labels[0], int))
    return _shown(Report.from_table(table, options.confidence_level, ignored), options)


def _table_of_columns(options: argparse.Namespace) -> Any:
    """Return the table of one column of predictions, or one for each slice."""
    names = ("references", "weights", "counts", "by", *_OF_LABELS, *_OF_FILES)
    return table_from_file(
        options.path, predictions=options.predictions[0], **_given(options, *names)
    )


def _table_of_lines(options: argparse.Namespace) -> ContingencyTable:
    """Return the table of two text files, of references and of predictions, a label per line."""
    how = _given(options, "encoding", "drop_null", "keep_missing")
    references, predictions = read_lines(options.path, _label_options(options), **how)
    return ContingencyTable.from_labels(
        references=references, predictions=predictions, **_classes(options, references)
    )


def _score(table: ContingencyTable, options: argparse.Namespace) -> str:
    return repr(table.score(options.metric, average=options.average))


def _report_of_logs(options: argparse.Namespace) -> str:
    """Return the report on logs of evaluation harnesses."""
    read = _read_logs(options.path, options)
    if options.metric is not None or options.plot is not None:
        read = [one_run(read, " ".join(options.path))]
    if options.metric is None:
        return _shown(LogReport.from_answers(read, options.confidence_level), options)
    (answers,) = read
    if answers.unknown():
        _tell(f"warning: {how_read(answers)}")
    return _score(answers.table(), options)


def _leaderboard(options: argparse.Namespace) -> Leaderboard:
    """Return the ranking of several columns of predictions."""
    models = options.predictions
    if twice := [x for x in models if models.count(x) > 1]:
        raise ValueError(f"`--predictions` must name each column once, got {twice[0]!r} twice")
    names = {"references": options.references, "counts": options.counts}
    names |= {f"predictions {i}": x for i, x in enumerate(models, start=1)}
    read = _read_columns(names, options)
    references = read.pop("references")
    return leaderboard(
        references,
        dict(zip(models, read.values(), strict=True)),
        metric=options.metric or "informedness",
        average=options.average,
        confidence_level=options.confidence_level or 0.95,
        **_classes(options, references),
    )


# compare


def _compare(options: argparse.Namespace) -> str:
    source = _check(options)
    Plan(options.confidence_level, options.n_resamples, options.seed)  # before hours of reading
    result, names = _of_columns(options) if source == "columns" else _of_logs(options)
    if options.format == "text":
        return _comparison_text(result, *names)
    return _shown(result, options)


def _of_logs(options: argparse.Namespace) -> tuple[Comparison, list[str]]:
    """Return the comparison of two logs of one task, and what to call A and B."""
    if len(options.path) != 2:
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be two "
            f"logs of evaluation harnesses, got {len(options.path)} files"
        )
    a, b = (one_run(_read_logs([file], options), file) for file in options.path)
    result = a.compare(b, **_given(options, *_OF_TEST))
    return result, [a.name, b.name] if a.name != b.name else options.path


def _of_columns(options: argparse.Namespace) -> tuple[Comparison, list[str]]:
    """Return the comparison of two columns, and what to call A and B."""
    (references, a, b, groups), names = _samples(options)
    classes, test = _classes(options, references), _given(options, *_OF_TEST)
    sides = [{*column.tolist()} for column in (references, a, b)]
    if options.as_is and not (sides[0] & sides[1] and sides[0] & sides[2]):
        # `compare` takes sides with nothing in common only if all classes are declared
        classes["labels"] = classes["labels"] or sorted(set.union(*sides))
    return compare(references, a, b, groups=groups, **classes, **test), names


def _samples(
    options: argparse.Namespace,
) -> tuple[tuple[Column, Column, Column, Column | None], list[str]]:
    """Return references, both predictions and groups, and what to call A and B."""
    files, columns = options.path, options.predictions
    if options.on is None:
        if len(columns) != 2:
            raise ValueError(
                "`--predictions` must name two columns, for A and for B, got "
                f"{len(columns)}: {' '.join(columns)}; with --on, one column in each of two files"
            )
        roles = ("references", "predictions_a", "predictions_b", "groups", "counts")
        given = options.references, *columns, options.groups, options.counts
        read = _read_columns(dict(zip(roles, given, strict=True)), options)
        references, a, b = (read[role] for role in roles[:3])
        return (references, a, b, read.get("groups")), columns
    if len(files) != 2 or len(columns) > 2:
        raise ValueError(
            "`--on` needs two files, for A and for B, and one or two columns of `--predictions`, "
            f"got {len(files)} files and {len(columns)} columns"
        )
    given = options.on, options.references, columns, options.groups
    joined = joined_columns(files, *given, **_reading(options))
    if len(columns) == 1:
        return joined, files
    return joined, [f"{file}, {column}" for file, column in zip(files, columns, strict=True)]


def _comparison_text(result: Comparison, a: str, b: str) -> str:
    """Return a comparison as text for a terminal; its sentence is the last line."""
    a, b = shown(a), shown(b)
    if cut(a, 60) != cut(b, 60):
        a, b = cut(a, 60), cut(b, 60)
    (rows,) = result.text_tables(f"A: {a}", f"B: {b}")
    return "\n\n".join([aligned(rows[1:], is_cut=False), *result.text_lines()])


# register and unregister


def _register(options: argparse.Namespace) -> str:
    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def _unregister(options: argparse.Namespace) -> str:
    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"


# The parser


class _Several(argparse.Action):
    """All values up to the next option, and of repeated options; a file among them is an error.

    In `--labels cat dog p.csv` the last is meant as a file, but a class may have any name.
    """

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        for position, value in enumerate(values[1:], start=1):
            known = value == "-" or Path(value).suffix.lower() in FORMATS
            # for Path the empty label would be a folder, and a long one an error
            if known or os.path.exists(value):  # noqa: PTH110
                before, files = " ".join(values[:position]), " ".join(values[position:])
                raise argparse.ArgumentError(
                    self,
                    f"{value!r} looks like a file among its values: put files before the "
                    f"options, or at the end after `--`: {option} {before} -- {files}; "
                    f"if it is a value, give it on its own: {option}={value}",
                )
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *values])


def _average(name: str) -> str:
    if name == "weighted":
        raise argparse.ArgumentTypeError('"prevalence" is scikit-learn\'s "weighted"')
    return name


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="informedness",
        description="Classification scores that give no credit for guessing.",
        epilog="Exit codes: 0, 1 if some logs are left out, or 2 for bad usage or data.",
    )
    parser.add_argument("--version", action="version", version=f"informedness {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], str], text: str) -> Any:
        subparser = commands.add_parser(name, help=text, description=text)
        subparser.set_defaults(run=run, known=subparser._actions)
        return subparser

    text = (
        "Score predictions in files with one row per sample; several files count as one data set. "
        "Or score two text files, references and predictions, with one label per line. Or score "
        "the answers of language models in logs of lm-eval, lighteval or Inspect."
    )
    report = command("report", _report, text)
    _add_shared(report, list(_FORMATS))
    add = report.add_argument
    add("--weights", metavar="COL", help="column of sample weights")
    add(
        "--by",
        nargs="+",
        action=_Several,
        metavar="COL",
        help="report on each value of a column, or on each combination of several",
    )
    add(
        "--slice-classes",
        dest="classes",
        choices=["all", "slice"],
        help="classes of each slice: all classes (default), or those that occur in the slice",
    )
    add("--vs-rest", choices=SCORES, help="compare each slice with all other samples")
    add("--sort", dest="column", metavar="FIELD", help="sort slices by a field, for example nit")
    add("--descending", action="store_true", help="sort the greatest first")
    add("--plot", metavar="DIR", help="also save pictures in this folder, as PNG files")
    text = (
        "Compare two models on the same samples: the difference between their scores, its interval "
        "and a p-value. Both are columns of the same files or, with --on, each has its own file. "
        "Or compare the logs of two runs of one task in lm-eval, lighteval or Inspect."
    )
    compare = command("compare", _compare, text)
    _add_shared(compare, ["text", "json"])
    compare.set_defaults(metric="informedness", confidence_level=0.95)
    add = compare.add_argument
    add("--on", metavar="COL", help="column that identifies samples, in the files of A and of B")
    add(
        "--groups",
        metavar="COL",
        help="column of the group of each sample, for example its document; with --on, in the file "
        "of A",
    )
    count = {"type": int, "metavar": "N"}
    add("--n-resamples", **count, default=9999, help="random swaps (default: 9999)")
    add("--seed", **count, default=0, help="seed of the random numbers (default: 0)")
    command("register", _register, "Let evaluate.load find both metrics by name, from anywhere.")
    command("unregister", _unregister, "Undo register.")
    return parser


def _add_shared(command: Any, formats: list[str]) -> None:
    """Add the arguments of both commands that read files."""
    add, several = command.add_argument, {"nargs": "+", "action": _Several}
    add("path", nargs="+", metavar="FILE", help='a file, a folder, or "-" for standard input')
    add(
        "-r",
        "--references",
        metavar="COL",
        help="column of true labels; in any column name, doc.label is a field of doc, "
        "doc.answers.0 a list element, and argmax:scores the position of the greatest number in a "
        "list",
    )
    add(
        "-p",
        "--predictions",
        **several,
        metavar="COL",
        help="column of predictions; of several models, one for each",
    )
    add("--counts", metavar="COL", help="column that says how many samples a row stands for")
    add(
        "--each-row-a-sample",
        action="store_true",
        help="count each row once, although another column looks like one of counts",
    )
    add(
        "--as-is",
        action="store_true",
        help="score the labels as they are, even if they look like a mistake",
    )
    add(
        "--metric",
        choices=SCORES,
        help="the score to compare or rank models by (default: informedness); of one model, print "
        "only this score",
    )
    add(
        "--average",
        type=_average,
        choices=["bias", "prevalence", "macro"],
        default="default",
        help="for informedness (default: bias) or markedness (default: prevalence)",
    )
    add(
        "--confidence-level",
        type=float,
        metavar="P",
        help="level of the intervals (default: 0.95; a report on one model has none without it)",
    )
    add(
        "--from",
        dest="harness",
        choices=list(READERS),
        help="the harness that wrote the logs (default: recognised from the files)",
    )
    add("--task", metavar="NAME", help="for logs: only this task")
    add(
        "--variant", metavar="NAME", help="for logs: only this filter (lm-eval) or scorer (Inspect)"
    )
    add("--run", dest="runs", metavar="TEXT", help="for logs: only those with this in their path")
    add("--latest", action="store_true", help="for logs: of several runs of a task mean the latest")
    add("--epoch", type=int, metavar="N", help="for logs: only this epoch")
    add(
        "--epochs",
        choices=["each", "pooled"],
        default="each",
        help="for logs: report on each epoch (default), or on all with intervals by sample",
    )
    add(
        "--labels",
        **several,
        metavar="LABEL",
        help="the classes of the task; any other label is an error",
    )
    add(
        "--unknown",
        choices=["error", "wrong"],
        default="error",
        help="how to count a prediction outside --labels or --choices (default: error)",
    )
    add(
        "--extract",
        metavar="REGEX",
        help="take the class out of generated text: the first group of the first match, or the "
        "whole match; put '(?s).*' in front to take the last match",
    )
    add(
        "--choices",
        **several,
        metavar="NAME",
        help="names of the classes, if files hold their positions (from 0) or these names",
    )
    add(
        "--ignore-index", metavar="LABEL", help="drop samples with this reference, for example -100"
    )
    add("--ignore-case", action="store_true", help="take Yes and yes for one class")
    add("--strip", action="store_true", help="leave out blanks around labels")
    add("--numeric", action="store_true", help="read text labels as integers, so that 001 is 1")
    add("--drop-null", action="store_true", help="leave out rows with missing values")
    add(
        "--keep-missing",
        action="store_true",
        help="read empty cells and text such as NA or None as labels, not as nulls",
    )
    add(
        "--input-format",
        dest="file_format",
        choices=sorted(set(FORMATS.values())),
        help="default: from the file name",
    )
    add(
        "--encoding",
        metavar="NAME",
        help="encoding of text, for example cp1252 (default: UTF-8, or what a mark shows)",
    )
    add("--format", choices=formats, default="text", help="how to print the result (default: text)")
