"""The command line: parse options, run commands, and print results, warnings and errors.

This module does not import numpy, so that `--help` is fast. `commands` is imported only to run a
command, or to print an error.
"""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Mapping, Sequence
from difflib import get_close_matches
from functools import partial
from itertools import dropwhile
from pathlib import Path
from typing import Any

COMMANDS = {
    "report": "score predictions in files, or answers of language models in logs",
    "compare": "compare two models on the same samples",
    "register": 'make evaluate.load("informedness") and evaluate.load("nit") work',
    "unregister": "undo register",
}
_COMMAND_LIST = "\n".join(f"  {name:12}{text}" for name, text in COMMANDS.items())
_HELP = f"""usage: informedness COMMAND ...

Classification scores that account for guessing.

commands:
{_COMMAND_LIST}

`informedness COMMAND --help` shows the options of a command, `informedness --version` the version.
Exit codes: 0 on success, 1 if some logs or tasks are left out, 2 for bad usage or data, 3 if a
build should stop (compare --fail-if, compare --require, report --at-least), 130 if interrupted."""
_REPORT = """Score predictions in files of one row per sample; several files count as one data set.
Or score a confusion matrix, two text files of one label per line, or logs of lm-eval, lighteval
and Inspect.

examples:
  informedness report predictions.csv            lists the columns
  informedness report predictions.csv -r label -p model --confidence-level 0.95"""
_COMPARE = """Compare two models on the same samples: the difference, its interval and a p-value.
A model is a column of the same files, a file of its own (--on), or a log.

examples:
  informedness compare predictions.csv -r label -p model other
  informedness compare a.csv b.csv --on id -r label -p model"""
_DESCRIPTIONS = {**COMMANDS, "report": _REPORT, "compare": _COMPARE}
# Functions of the package that are not commands; users may type their names.
_COMMANDS_BY_FUNCTION = {"leaderboard": ["report -p a b c"], "slices": ["report --by"]}
# These lists repeat those of the readers of files and logs, because importing the readers would
# delay `--help`.
_FORMATS = ["arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"]
_HARNESSES = ["lm-eval", "lighteval", "inspect"]
# Options are stored by the names of Python arguments, so that messages can name the options. Some
# functions have other names for the same arguments.
_SYNONYMS = {"y_true": "references", "y_pred": "predictions", "sample_weight": "weights"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line, and return its exit code.

    `arguments` are the words after the name of the program, by default those of this process. The
    code is 2 after an error, and 130 after an interrupt. Otherwise it is 3 if a build should stop,
    else 1 if logs, runs or tasks are left out, else 0.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # for labels that a terminal cannot show
    flags: dict[str, str] = {}  # the option of each Python argument; `_run` adds them
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        return _run(sys.argv[1:] if arguments is None else arguments, flags)
    except KeyboardInterrupt:
        _print_message("informedness: interrupted")
        return 130
    except MemoryError:
        reason = "there is too little memory"
    except OSError as error:
        from .text.render import shown

        reason = f"{shown(error.filename)}: {error.strerror}" if error.filename else str(error)
    except (ValueError, ImportError) as error:
        from .commands.console import Console
        from .messages import render

        reason = render(error, Console(_print_message, flags).name_of)
    _print_message(f"informedness: error: {reason}")
    return 2


def _print_message(message: str) -> None:
    """Print a message on standard error."""
    if sys.stderr is not None:  # it may be closed, and `print` would use standard output instead
        print(message, file=sys.stderr, flush=True)


def _print(text: str) -> int:
    """Print a result, and return the exit code 0.

    A closed pipe, as in `informedness report FILE | head`, is not an error.
    """
    try:
        print(text, flush=True)
    except (OSError, UnicodeEncodeError) as error:
        if isinstance(error, OSError):  # Python would try to write again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):
            raise ValueError(f"standard output: {error}") from error
    return 0


def _run(arguments: Sequence[str], flags: dict[str, str]) -> int:
    """Parse the arguments, run the command or print help or the version; return the exit code.

    The options of the command are added to `flags`, by Python argument.
    """
    command, *words = arguments or [""]
    if command in ("", "-h", "--help", "help"):
        return _print(_HELP)
    if command == "--version":
        from .core.scores import __version__

        return _print(f"informedness {__version__}")
    if command not in COMMANDS:
        raise _error_of_command(command)
    parser = _parser(command)
    options = parser.parse_intermixed_args(words)
    if options.help:
        return _print(parser.format_help().rstrip())
    flags |= {a.dest: a.option_strings[-1] for a in parser._actions if a.option_strings}
    options.non_defaults = [x for x in flags if getattr(options, x) != parser.get_default(x)]
    options.words = words
    if command in ("report", "compare"):
        _find_files(options, parser)
        flags |= _argument_names(options, flags)
    return _run_command(command, options, flags)


def _error_of_command(command: str) -> ValueError:
    """Make the error for an unknown command, and suggest a command that is similar."""
    close = _COMMANDS_BY_FUNCTION.get(command) or get_close_matches(command, COMMANDS, 1)
    if _looks_like_file(command):
        close = [shlex.join(["informedness", "report", command])]
    hint = f"did you mean `{close[0]}`?" if close else "see `informedness --help`"
    return ValueError(f"the command must be one of {', '.join(COMMANDS)}, got {command!r}; {hint}")


def _find_files(options: argparse.Namespace, parser: argparse.ArgumentParser) -> None:
    """Find the files, which may also follow the values of an option with several values."""
    for option, files in options.trailing:
        if options.path:
            problem = f"{files[0]!r} looks like a file among the values of `{option}`"
            remedy = f"Put files before the options. If it is a value, write {option}={files[0]}"
            raise ValueError(f"{problem}. {remedy}.")
        options.path = files
    if not options.path:
        parser.error("name a file, a folder or - for standard input")


def _argument_names(options: argparse.Namespace, flags: Mapping[str, str]) -> dict[str, str]:
    """Map Python arguments to their names in messages, including arguments without an option."""
    names = {**flags, "path": "FILE"}
    names["references and predictions"] = "--references and --predictions"
    if options.references is None:  # logs and lines of text do not have columns
        names |= {"references": "references", "predictions": "predictions"}
    names |= {name: names[same] for name, same in _SYNONYMS.items() if same in names}
    if options.by_task is not None:
        names["task"] = names["by_task"]
    models = options.predictions or []
    spellings = [*map(shlex.quote, models)]
    if len(models) < 2:
        models = spellings = [f"of {file}" for file in options.path[:2]]
    for number, (model, spelling) in enumerate(zip(models, spellings, strict=True), start=1):
        name = f"{names['predictions']} {spelling}"
        for suffix in (f" {number}", f"[{model!r}]", f"_{'ab'[number - 1 : number]}"):
            names[f"y_pred{suffix}"] = names[f"predictions{suffix}"] = name
    return names


def _run_command(command: str, options: argparse.Namespace, flags: dict[str, str]) -> int:
    """Run a command, print its result or write it to a file, and return the exit code."""
    from .commands import run
    from .commands.console import Console
    from .commands.request import CompareRequest, ReportRequest, fill

    if options.format != "text" and hasattr(sys.stdout, "reconfigure"):
        # "strict" rejects lone surrogates, which file names and options may contain.
        sys.stdout.reconfigure(encoding="utf-8", errors="strict")
    console = Console(_print_message, flags)
    with console.print_warnings(options.strict):
        if command in ("report", "compare"):
            kind = ReportRequest if command == "report" else CompareRequest
            text = run.carry_out(fill(kind, vars(options)), console)
        else:
            text = run.register() if command == "register" else run.unregister()
    if options.output is None:
        _print(text)
    else:
        Path(options.output).write_text(f"{text}\n", encoding="utf-8")
        _print_message(f"wrote {options.output}")
    return 3 if console.has_failed else int(console.has_left_out)


# Options


class _CollectValues(argparse.Action):
    """Collect the values of a repeatable option up to a value that looks like a file.

    In `--labels cat dog p.csv` the last value is probably a file, but classes may have any name. It
    and all values after it are set aside, and `_find_files` decides what they are. The first value
    is always collected.
    """

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        if files := [*dropwhile(lambda value: not _looks_like_file(value), values[1:])]:
            namespace.trailing.append((option, files))
            values = values[: -len(files)]
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *values])


def _looks_like_file(value: str) -> bool:
    """Check whether a value is "-", an existing path, or a name with a known extension."""
    from .files.opening import guess_format

    # Path would read an empty label as the current folder, and raise an error for a long label.
    return value == "-" or bool(guess_format(Path(value))) or os.path.exists(value)  # noqa: PTH110


class _Parser(argparse.ArgumentParser):
    """Raise ValueError for bad usage, and suggest an option for one that does not exist."""

    def error(self, message: str) -> Any:
        message = "".join(x if x.isprintable() else ascii(x)[1:-1] for x in message)
        error_text = re.sub(r"^argument (?:-\w/)?(--[\w-]+):", r"`\1`:", message)
        flags = [flag for action in self._actions for flag in action.option_strings]
        for word in re.findall(r"--[\w-]+", message) if "unrecognized" in message else ():
            close = get_close_matches(word, flags, 1, 0.75)
            if close := close or [flag for flag in flags if flag.startswith(word[:5])]:
                error_text += f"; did you mean `{close[0]}`?"
        raise ValueError(f"{error_text}; `{self.prog} --help` shows the options")


def _parser(command: str) -> argparse.ArgumentParser:
    """Make the parser of a command."""
    reads_files = command in ("report", "compare")
    parser = _Parser(
        prog=f"informedness {command}",
        usage=f"informedness {command}{' FILE ... [OPTION ...]' if reads_files else ''}",
        description=_DESCRIPTIONS[command],
        formatter_class=partial(argparse.RawDescriptionHelpFormatter, max_help_position=30),
        add_help=False,
    )
    parser.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
    parser.set_defaults(trailing=[], strict=False, output=None, format="text")
    if reads_files:
        parser.add_argument("path", nargs="*", help=argparse.SUPPRESS)
        _add_options(parser, command)
    return parser


def _begin_group(parser: argparse.ArgumentParser, command: str, title: str) -> Callable[..., None]:
    """Begin a group of options, and return a function that adds an option to the group.

    The function ignores an option if `only` names the other command.
    """
    group = parser.add_argument_group(title)

    def add(*flags: str, only: str = command, **settings: Any) -> None:
        if only == command:
            group.add_argument(*flags, **settings)

    return add


def _add_options(parser: argparse.ArgumentParser, command: str) -> None:
    """Add the options of the command `report` or `compare`, in groups."""
    column: dict[str, Any] = {"metavar": "COL"}
    several: dict[str, Any] = {"nargs": "+", "action": _CollectValues}
    flag: dict[str, Any] = {"action": "store_true"}
    report: dict[str, Any] = {"only": "report"}
    compare: dict[str, Any] = {"only": "compare"}

    title = "columns (nested JSON: a.b or a.0; argmax:COL is the class with the highest score)"
    add = _begin_group(parser, command, title)
    add("-r", "--references", help="true labels", **column)
    models = "predicted labels: one column, or a column for each model to rank"
    pair = "predicted labels of A, then of B (with --on, one name for both files is enough)"
    which = {"report": "the first has the references", "compare": "both have references"}
    add("-p", "--predictions", help=models, **several, **column, **report)
    add("-p", "--predictions", help=pair, **several, **column, **compare)
    add("--counts", help="number of samples per row (default: 1)", **column)
    identifiers = f"join two files by the identifiers in this column; {which[command]}"
    add("--on", help=identifiers, **column)
    add("--weights", help="how much a row counts (default: 1)", **column, **report)
    by = "one row of scores for each value of a column, such as language; COL:4 cuts numbers into "
    add("--by", help=by + "four quantiles", **several, **column, **report)
    add("--by-file", help="score each file as a task, and average the scores", **flag)
    tasks = "score each value of COL as a task with its own classes, and average the scores"
    add("--by-task", help=tasks, **column)
    groups = "groups of dependent rows, such as documents; changes only intervals and p-values"
    add("--groups", help=groups, **column)

    add = _begin_group(parser, command, "scores")
    use = {"report": "print only this score", "compare": "score to compare, by default the first"}
    names = "informedness, nit, accuracy, balanced_accuracy, f1_macro, cohen_kappa, "
    names += "matthews_corrcoef, markedness, ema"
    add("--metric", metavar="NAME", help=f"{use[command]}: {names}")
    averages = "weight of a class: its share of the predictions (bias, the default; slices and "
    averages += "rankings: prevalence), of the references (prevalence, advised for three or more "
    averages += "classes), or equal (macro)"
    add("--average", choices=["bias", "prevalence", "macro"], help=averages)
    shares = "score as if classes were as common as in this column, for example of training data"
    add("--prior", metavar="FILE:COL", help=shares)
    modes = "reweight samples (default); odds only to reproduce the paper"
    add("--prior-mode", choices=["reweight", "odds"], help=modes, **report)
    least = "fail (exit code 3) unless the lower bound of --metric is at least X"
    add("--at-least", type=float, metavar="X", help=least, **report)
    loss = "non-inferiority margin, such as 0.02: tests whether B loses less than this"
    add("--margin", type=float, metavar="M", help=loss, **compare)
    size = "print how many samples would show a true difference of this size with 80%% power"
    add("--detect", type=float, metavar="D", help=size, **compare)
    required = "fail (exit code 3) unless B is shown to be better, or to lose less than --margin"
    add("--require", choices=["better", "not-worse"], help=required, **compare)
    drop = "fail (exit code 3) if B is shown to be worse, by more than --margin if it is given"
    add("--fail-if", choices=["worse"], help=drop, **compare)
    no_level = "; one model with --metric, JSON, CSV or LaTeX: none" * (command == "report")
    level = f"level of intervals (default: 0.95{no_level})"
    add("--confidence-level", type=float, metavar="P", help=level)
    add("--no-intervals", help="leave out the default intervals", **flag, **report)
    formats = ["text", "json", "html"] + ["csv", "markdown", "latex"] * (command == "report")
    add("--format", choices=formats, help="format of the result (default: text)")
    add("-o", "--output", metavar="FILE", help="write the result to this file")
    add("--plot", metavar="DIR", help="also save figures in this folder, as PNG files", **report)

    add = _begin_group(parser, command, "slices (--by)")
    rest = "test each slice against all other rows by this score, such as informedness"
    add("--vs-rest", metavar="NAME", help=rest, **report)
    order = "order of slices: by name (default; numbers by size), or by a score, the worst first"
    add("--sort", metavar="NAME", help=order, **report)

    add = _begin_group(parser, command, "labels")
    classes = "all classes, for files (default: those of the references; logs: the choices)"
    add("--labels", metavar="LABEL", help=classes, **several)
    others = "predictions missing or not in --labels: stop (error, the default), or count as wrong"
    add("--unknown", choices=["error", "wrong"], help=others)
    add("--ignore-index", metavar="LABEL", help="drop samples with this reference, such as -100")
    add("--extract", metavar="REGEX", help="extract the predicted class: group 1, or the match")
    above = "predictions are probabilities or logits: above T is class 1, others are class 0"
    add("--threshold", type=float, metavar="T", help=above)
    add("--strict", help="make warnings errors (not notes, nor what is left out)", **flag)

    add = _begin_group(parser, command, "reading files")
    add("--choices", metavar="LABEL", help="names of 0, 1, 2, ... if files hold numbers", **several)
    add("--ignore-case", help="read Yes and yes as one class", **flag)
    add("--strip", help="strip whitespace around labels", **flag)
    add("--numeric", help="read text labels as integers, so that 001 is 1", **flag)
    add("--drop-null", help="leave out rows with missing values (default: an error)", **flag)
    add("--keep-missing", help="read empty cells, NA and None as labels", **flag)
    add("--rows", metavar="PATH", help="path of the rows in JSON, such as a.b, or a sheet of Excel")
    add("--no-quotes", help="read quotes in CSV and TSV as text, as in CoNLL", **flag)
    add("--input-format", dest="file_format", choices=_FORMATS, help="default: from the extension")
    add("--encoding", metavar="NAME", help="encoding of text, such as cp1252 (default: UTF-8)")

    add = _begin_group(parser, command, "logs of harnesses")
    add("--from", dest="harness", choices=_HARNESSES, help="only logs of this harness")
    add("--task", metavar="NAME", help="only this task")
    add("--exclude-task", metavar="NAME", help="all tasks except these", **several)
    variant = "only this filter (lm-eval) or scorer (Inspect), such as strict-match"
    add("--variant", metavar="NAME", help=variant)
    verdict = "metric with values 0 and 1 that marks right answers (default: accuracy or match)"
    add("--verdict", metavar="NAME", help=verdict)
    add("--run", dest="runs", metavar="TEXT", help="only logs whose path contains this text")
    add("--each", help="also print the full report of each run", **flag, **report)
    add("--latest", help="only the latest of repeated runs", **flag)
    add("--epoch", type=int, metavar="N", help="only this epoch")
    add("--epochs", choices=["each", "pooled"], help="score each epoch (default), or pool them")
