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
from .core.labels import WARNING_PREFIX, Column, InformednessWarning
from .inputs.answered import LabelOptions, label_options
from .inputs.files import table_from_file
from .inputs.paths import FORMATS
from .inputs.samples import joined_columns, read_columns, read_lines
from .logs.answers import Answers
from .logs.comparing import compare_answers, one_run
from .logs.reading import READERS, read_log
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
from .statistics.score import Score
from .statistics.swaps import Plan

_OUTPUTS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
}
_NAMES = (
    "average|choices|confidence_level|drop_null|extract|file_format|groups|ignore_index|"
    "keep_empty|labels|metric|n_resamples|numeric|seed|task|unknown|variant"
)
# `unknown`, unknown="wrong" and ignore_index=-100, but nothing inside quotes or a path
_ARGUMENT = re.compile(
    rf"(?<=`)({_NAMES})(?=`)|(?<=[ `(])({_NAMES})=(\"?)(-?\w*)\3(?=[\s`,;:.)]|$)"
)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 for bad usage or data."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # labels the terminal cannot show
    if sys.stderr is None:  # closed: print would take standard output for it
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 until the process ends
    options = _parser().parse_args(arguments)
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        if sys.stdin is None and "-" in getattr(options, "files", ()):
            raise ValueError("-: standard input is closed")
        with _held_warnings() as held:
            output = options.run(options)
    except (ValueError, OSError, ImportError) as error:
        return _refused(error)
    for message in dict.fromkeys(held):
        _tell(f"warning: {_in_options(message)}")
    try:
        print(output, flush=True)
    except OSError as error:
        # so that Python does not try again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # as in `informedness report ... | head`
            return _refused(f"standard output: {error}")
    return 0


@contextmanager
def _held_warnings() -> Iterator[list[str]]:
    """Yield a list that collects the messages of this project's warnings; others pass through.

    Warning filters apply to the whole process, which here belongs to the command line.
    """
    messages: list[str] = []
    with warnings.catch_warnings():
        show_others = warnings.showwarning

        def show(message: Any, category: type[Warning], *where: Any, **more: Any) -> None:
            if issubclass(category, InformednessWarning):
                messages.append(str(message).removeprefix(WARNING_PREFIX))
            else:
                show_others(message, category, *where, **more)

        warnings.showwarning = show
        warnings.simplefilter("always", InformednessWarning)
        yield messages


def _refused(error: object) -> int:
    _tell(f"informedness: error: {_in_options(str(error))}")
    return 2


def _tell(message: str) -> None:
    with suppress(OSError):  # the output matters more
        print(message, file=sys.stderr, flush=True)


def _in_options(message: str) -> str:
    """Return a message about Python arguments as one about command line options."""
    message = re.sub(r" \(set zero_division [^)]*\)", "", message)  # for which there is no option
    message = re.sub(r"\w+=True \((--[\w-]+)\)|(--[\w-]+) \(\w+=\)", r"\1\2", message)
    return _ARGUMENT.sub(_option, message.replace("`sample_weight`", "`weights`"))


def _option(found: re.Match[str]) -> str:
    name, value = found[1] or found[2], found[4]
    option = "--format-in" if name == "file_format" else "--" + name.replace("_", "-")
    if value in (None, "", "True"):
        return option
    return f"{option}={value}" if value.startswith("-") else f"{option} {value}"


def _report(options: argparse.Namespace) -> str:
    if options.confidence_level is not None:  # refused before hours of reading
        check_level(options.confidence_level)
    score = None if options.score is None else averaged_score(options.score, options.average)
    if options.plot is not None:
        _prepare_plots(options)
    if options.average != "default" and score is None:
        raise ValueError("`average` must be given with --score, whose average it sets")
    if options.references is None and options.predictions is None and not _are_lines(options):
        return _report_of_logs(options, score)
    _check_no_log(options)
    if options.references is None or options.predictions is None:
        return _report_of_lines(options, score)
    if len(options.predictions) > 1:
        return _shown(_leaderboard(options), options)
    if options.by is None and (options.sort or options.rest or options.classes):
        raise ValueError("`--sort`, `--rest` and `--classes` are for slices: add --by COLUMN")
    how = _labels(options)
    table = table_from_file(
        options.files,
        references=options.references,
        predictions=options.predictions[0],
        weights=options.weights,
        file_format=options.format_in,
        numeric=options.numeric,
        labels=options.labels,
        ignore_index=options.ignore_index,
        unknown=options.unknown,
        extract=options.extract,
        choices=options.choices,
        drop_null=options.drop_null,
        keep_empty=options.keep_empty,
        by=options.by,
    )
    if not isinstance(table, ContingencyTable):
        if score is not None:
            raise ValueError("`--score` prints one number: leave out --by")
        slices = Slices.from_tables(
            table,
            by=options.by,
            classes=options.classes or "all",
            confidence_level=options.confidence_level,
            against_rest=options.rest,
        )
        if options.sort:
            slices = slices.sorted_by(options.sort, descending=options.descending)
        return _shown(slices, options)
    if score is not None:
        return repr(score.value(table))
    is_integer = isinstance(table.labels[0], int)
    report = Report.from_table(table, options.confidence_level, how.ignored(is_integer))
    return _shown(report, options)


def _prepare_plots(options: argparse.Namespace) -> None:
    """Refuse what cannot be drawn, before hours of reading, and make the folder."""
    if options.score is not None and len(options.predictions or []) < 2:
        raise ValueError("`--score` prints one number: leave out --plot")
    if options.by is not None and options.confidence_level is None:
        raise ValueError("`--plot` draws the intervals of slices: add --confidence-level 0.95")
    os.environ["MPLBACKEND"] = "agg"  # files, no windows
    import_pyplot()
    Path(options.plot).mkdir(parents=True, exist_ok=True)


def _shown(result: Report | Slices | Leaderboard, options: argparse.Namespace) -> str:
    """Return a result as text, after writing its pictures if they are asked for."""
    if options.plot is not None:
        for path in save_plots(result, options.plot):
            _tell(f"wrote {path}")
    return _OUTPUTS[options.output](result)


def _are_lines(options: argparse.Namespace) -> bool:
    """Return whether a file is plain text; one is enough, for the message about the other."""
    return any(Path(file).suffix.lower() in (".txt", ".text") for file in options.files)


def _check_no_log(options: argparse.Namespace) -> None:
    """Raise ValueError if options for logs are given with columns of files."""
    for name in ("harness", "task", "variant"):
        if getattr(options, name) is not None:
            option = "from" if name == "harness" else name
            raise ValueError(
                f"`--{option}` is for logs of evaluation harnesses, which show what the references "
                "and predictions are: leave out --references and --predictions"
            )


def _read_logs(files: Sequence[str], options: argparse.Namespace) -> list[Answers]:
    """Return the answers in logs of harnesses; refuse options that make no sense for them."""
    names = ("labels", "ignore_index", "numeric", "drop_null", "keep_empty", "format_in")
    more = ("weights", "by", "sort", "rest", "classes", "on", "groups")
    if given := [name for name in (*names, *more) if getattr(options, name, None)]:
        raise ValueError(
            f"`--{given[0].replace('_', '-')}` is for columns, and logs have no named columns: "
            "give --references and --predictions, or leave it out"
        )
    return read_log(
        files,
        harness=options.harness,
        task=options.task,
        variant=options.variant,
        extract=options.extract,
        choices=options.choices,
    )


def _report_of_logs(options: argparse.Namespace, score: Score | None) -> str:
    """Return the report on logs of evaluation harnesses."""
    read = _read_logs(options.files, options)
    if score is not None:
        answers = one_run(read, " ".join(options.files))
        if answers.unknown():
            _tell(f"warning: {how_read(answers)}")
        return repr(score.value(answers.table()))
    if options.plot is not None:
        one_run(read, " ".join(options.files))
    result = LogReport.from_answers(read, options.confidence_level)
    if options.plot is not None:
        for path in save_plots(result.runs[0][1], options.plot):
            _tell(f"wrote {path}")
    return _OUTPUTS[options.output](result)


def _report_of_lines(options: argparse.Namespace, score: Score | None) -> str:
    """Return the report on two text files, of references and of predictions, one label per line."""
    columns = ("references", "predictions", "weights", "by", "sort", "rest", "classes", "format_in")
    given = [name for name in columns if getattr(options, name)]
    is_text = [Path(file).suffix.lower() in (".txt", ".text") for file in options.files]
    if given or len(is_text) != 2 or not all(is_text):
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be two "
            "text files (.txt), of references and of predictions, one label per line, got "
            f"{' '.join(options.files)}"
            f"{''.join(f' and --{name}' for name in given)}"
        )
    how = _labels(options)
    references, predictions = (
        read_lines(file, role, how, options.keep_empty)
        for file, role in zip(options.files, ("references", "predictions"), strict=True)
    )
    is_integer = references.kind == "integers"
    ignored = how.ignored(is_integer)
    table = ContingencyTable.from_labels(
        references,
        predictions,
        labels=how.classes(is_integer),
        ignore_index=ignored,
        unknown=options.unknown,
    )
    if score is not None:
        return repr(score.value(table))
    return _shown(Report.from_table(table, options.confidence_level, ignored), options)


def _leaderboard(options: argparse.Namespace) -> Leaderboard:
    """Return the ranking of several columns of predictions."""
    for name in ("by", "rest", "sort", "classes", "weights"):
        if getattr(options, name):
            raise ValueError(f"`--{name}` is for one model: give one column of --predictions")
    if twice := [x for x in options.predictions if options.predictions.count(x) > 1]:
        raise ValueError(f"`--predictions` must name each column once, got {twice[0]!r} twice")
    names = {"references": options.references}
    names |= {f"predictions {i}": x for i, x in enumerate(options.predictions, start=1)}
    how = _labels(options)
    read = read_columns(options.files, names, **_reading(options))
    references = read.pop("references")
    is_integer = references.kind == "integers"
    return leaderboard(
        references,
        dict(zip(options.predictions, read.values(), strict=True)),
        metric=options.score or "informedness",
        average=options.average,
        labels=how.classes(is_integer),
        ignore_index=how.ignored(is_integer),
        unknown=options.unknown,
        confidence_level=options.confidence_level or 0.95,
    )


def _labels(options: argparse.Namespace) -> LabelOptions:
    """Return the options that say what a label is and which labels count."""
    return label_options(
        numeric=options.numeric,
        extract=options.extract,
        choices=options.choices,
        labels=options.labels,
        ignore_index=options.ignore_index,
        unknown=options.unknown,
    )


def _reading(options: argparse.Namespace) -> dict[str, Any]:
    """Return the options for reading whole columns."""
    return {
        "options": _labels(options),
        "file_format": options.format_in,
        "drop_null": options.drop_null,
        "keep_empty": options.keep_empty,
    }


def _compare(options: argparse.Namespace) -> str:
    averaged_score(options.metric, options.average)  # refused before hours of reading
    Plan(options.confidence_level, options.n_resamples, options.seed)
    if options.references is None and options.predictions is None:
        return _compare_logs(options)
    _check_no_log(options)
    for name in ("references", "predictions"):
        if getattr(options, name) is None:
            raise ValueError(
                f"`--{name}` must name columns; leave out both --references and --predictions to "
                "compare two logs of evaluation harnesses"
            )
    (references, a, b, groups), names = _samples(options)
    is_integer = references.kind == "integers"
    how = _labels(options)
    result = compare(
        references,
        a,
        b,
        metric=options.metric,
        average=options.average,
        labels=how.classes(is_integer),
        ignore_index=how.ignored(is_integer),
        unknown=options.unknown,
        groups=groups,
        confidence_level=options.confidence_level,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    return _shown_comparison(result, names, options)


def _compare_logs(options: argparse.Namespace) -> str:
    """Return the comparison of two logs of one task."""
    if len(options.files) != 2:
        raise ValueError(
            "`--references` and `--predictions` must name columns; without them there must be two "
            f"logs of evaluation harnesses, got {len(options.files)} files"
        )
    a, b = (one_run(_read_logs([file], options), file) for file in options.files)
    result = compare_answers(
        a,
        b,
        metric=options.metric,
        average=options.average,
        confidence_level=options.confidence_level,
        n_resamples=options.n_resamples,
        seed=options.seed,
    )
    names = [a.name, b.name] if a.name != b.name else list(options.files)
    return _shown_comparison(result, names, options)


def _shown_comparison(result: Comparison, names: Sequence[str], options: argparse.Namespace) -> str:
    if options.output == "json":
        return json.dumps(result.to_dict(), indent=2)
    return _comparison_text(result, *names)


def _samples(
    options: argparse.Namespace,
) -> tuple[tuple[Column, Column, Column, Column | None], list[str]]:
    """Return references, both predictions and groups, and what to call A and B."""
    files, columns = options.files, options.predictions
    how = _reading(options)
    if options.on is None:
        if len(columns) != 2:
            raise ValueError(
                "`--predictions` must name two columns, for A and for B, got "
                f"{len(columns)}: {' '.join(columns)}; with --on, one column in each of two files"
            )
        names = {"references": options.references}
        names |= dict(zip(("predictions_a", "predictions_b"), columns, strict=True))
        if options.groups is not None:
            names["groups"] = options.groups
        read = read_columns(files, names, **how)
        found = read["references"], read["predictions_a"], read["predictions_b"]
        return (*found, read.get("groups")), columns
    if len(files) != 2 or len(columns) > 2:
        raise ValueError(
            "`--on` needs two files, for A and for B, and one or two columns of `--predictions`, "
            f"got {len(files)} files and {len(columns)} columns"
        )
    joined = joined_columns(files, options.on, options.references, columns, options.groups, **how)
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


def _register(options: argparse.Namespace) -> str:
    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def _unregister(options: argparse.Namespace) -> str:
    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"


class _Several(argparse.Action):
    """All values up to the next option, and of repeated options; a file among them is an error.

    In `--labels cat dog p.csv` the last is meant as a file, but a class may have any name.
    """

    def __call__(
        self,
        parser: argparse.ArgumentParser,
        namespace: argparse.Namespace,
        values: Any,
        option_string: str | None = None,
    ) -> None:
        for position, value in enumerate(values[1:], start=1):
            known = value == "-" or Path(value).suffix.lower() in FORMATS
            # for Path the empty label would be a folder, and a long one an error
            if known or os.path.exists(value):  # noqa: PTH110
                before, files = " ".join(values[:position]), " ".join(values[position:])
                raise argparse.ArgumentError(
                    self,
                    f"{value!r} looks like a file among its values: put files before the "
                    f"options, or at the end after `--`: {option_string} {before} -- {files}; "
                    f"if it is a value, give it on its own: {option_string}={value}",
                )
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *values])


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="informedness",
        description="Classification scores that give no credit for guessing.",
        epilog="Exit codes: 0, or 2 for bad usage or data.",
    )
    parser.add_argument("--version", action="version", version=f"informedness {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], str], text: str) -> Any:
        subparser = commands.add_parser(name, help=text, description=text)
        subparser.set_defaults(run=run)
        return subparser

    text = (
        "Score predictions in files with one row per sample; several files count as one data set. "
        "Or score two text files, references and predictions, with one label per line. Or score "
        "the answers of language models in logs of lm-eval, lighteval or Inspect."
    )
    report = command("report", _report, text)
    report.add_argument(
        "-p",
        "--predictions",
        nargs="+",
        action=_Several,
        metavar="COL",
        help="column of predictions; several columns rank several models",
    )
    _add_inputs(report)
    report.add_argument("--weights", metavar="COL", help="column of sample weights")
    report.add_argument(
        "--confidence-level",
        type=float,
        metavar="P",
        help="add intervals at this level, for example 0.95",
    )
    report.add_argument(
        "--by",
        nargs="+",
        action=_Several,
        metavar="COL",
        help="report on each value of a column, or on each combination of several",
    )
    report.add_argument(
        "--classes",
        choices=["all", "slice"],
        help="classes of each slice: all classes (default), or those that occur in the slice",
    )
    report.add_argument("--rest", choices=SCORES, help="compare each slice with all other samples")
    report.add_argument("--sort", metavar="FIELD", help="sort slices by a field, for example nit")
    report.add_argument("--descending", action="store_true", help="sort the greatest first")
    report.add_argument("--score", choices=SCORES, help="print only this score")
    report.add_argument(
        "--average",
        choices=["bias", "prevalence", "macro"],
        default="default",
        help="for --score informedness (default: bias) or markedness (default: prevalence)",
    )
    report.add_argument("--output", choices=list(_OUTPUTS), default="text", help="default: text")
    report.add_argument(
        "--plot", metavar="DIR", help="also save pictures in this folder, as PNG files"
    )
    text = (
        "Compare two models on the same samples: the difference between their scores, its interval "
        "and a p-value. Both are columns of the same files or, with --on, each has its own file. "
        "Or compare the logs of two runs of one task in lm-eval, lighteval or Inspect."
    )
    compare = command("compare", _compare, text)
    compare.add_argument(
        "-p",
        "--predictions",
        nargs="+",
        action=_Several,
        metavar="COL",
        help="the columns of A and B",
    )
    _add_inputs(compare)
    compare.add_argument(
        "--on",
        metavar="COL",
        help="column that identifies samples, in the file of A and in that of B",
    )
    compare.add_argument(
        "--groups",
        metavar="COL",
        help="column of the group of each sample, for example its document; with --on, in the file "
        "of A",
    )
    compare.add_argument(
        "--n-resamples", type=int, default=9999, metavar="N", help="random swaps (default: 9999)"
    )
    compare.add_argument(
        "--metric", choices=SCORES, default="informedness", help="default: informedness"
    )
    compare.add_argument(
        "--average",
        choices=["bias", "prevalence", "macro"],
        default="default",
        help="for informedness (default: bias) or markedness (default: prevalence)",
    )
    compare.add_argument(
        "--confidence-level", type=float, default=0.95, metavar="P", help="default: 0.95"
    )
    compare.add_argument(
        "--seed", type=int, default=0, metavar="N", help="seed of the random numbers (default: 0)"
    )
    compare.add_argument("--output", choices=["text", "json"], default="text", help="default: text")
    command("register", _register, "Let evaluate.load find both metrics by name, from anywhere.")
    command("unregister", _unregister, "Undo register.")
    return parser


def _add_inputs(command: Any) -> None:
    """Add the arguments of both commands that read files."""
    command.add_argument(
        "files", nargs="+", metavar="FILE", help='a file, a folder, or "-" for standard input'
    )
    command.add_argument(
        "-r",
        "--references",
        metavar="COL",
        help="column of true labels; in any column name, doc.label is a field of doc, "
        "doc.answers.0 a list element, and argmax:scores the position of the greatest number in a "
        "list",
    )
    command.add_argument(
        "--from",
        dest="harness",
        choices=list(READERS),
        help="the harness that wrote the logs (default: recognised from the files)",
    )
    command.add_argument("--task", metavar="NAME", help="for logs: only this task")
    command.add_argument(
        "--variant", metavar="NAME", help="for logs: only this filter (lm-eval) or scorer (Inspect)"
    )
    command.add_argument(
        "--labels",
        nargs="+",
        action=_Several,
        metavar="LABEL",
        help="the classes of the task; any other label is an error",
    )
    command.add_argument(
        "--unknown",
        choices=["error", "wrong"],
        default="error",
        help="how to count a prediction outside --labels or --choices (default: error)",
    )
    command.add_argument(
        "--extract",
        metavar="REGEX",
        help="take the class out of generated text: the first group of the first match, or the "
        "whole match; put '(?s).*' in front to take the last match",
    )
    command.add_argument(
        "--choices",
        nargs="+",
        action=_Several,
        metavar="NAME",
        help="names of the classes, if files hold their positions (from 0) or these names",
    )
    command.add_argument(
        "--ignore-index", metavar="LABEL", help="drop samples with this reference, for example -100"
    )
    command.add_argument(
        "--numeric", action="store_true", help="read text labels as integers, so that 001 is 1"
    )
    command.add_argument(
        "--drop-null", action="store_true", help="leave out rows with nulls in the columns used"
    )
    command.add_argument(
        "--keep-empty",
        action="store_true",
        help="read empty cells of CSV and TSV as empty text, not as nulls",
    )
    formats = sorted(set(FORMATS.values()))
    command.add_argument("--format-in", choices=formats, help="default: from the file name")


if __name__ == "__main__":
    sys.exit(main())
