"""The command line: what is asked for, and how the answer, warnings and refusals are written.

Nothing here needs numpy, so that help comes at once; `commands` is imported for a command.
"""

import argparse
import os
import re
import shlex
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from difflib import get_close_matches
from pathlib import Path
from typing import Any

COMMANDS = {
    "report": "score predictions in files, or answers of language models in logs",
    "compare": "compare two models on the same samples",
    "register": "let evaluate.load find both metrics by name, from anywhere",
    "unregister": "undo register",
}
_LISTED = "\n".join(f"  {name:12}{text}" for name, text in COMMANDS.items())
_HELP = f"""usage: informedness COMMAND ...

Classification scores that give no credit for guessing.

commands:
{_LISTED}

`informedness report --help` shows the options of a command, `informedness --version` the version.
Exit codes: 0, 1 if some logs are left out, 2 for bad usage or data, 130 if interrupted."""
_REPORT = """Score predictions in files of one row per sample; several files count as one data set.
Or score two text files of one label per line, or logs of lm-eval, lighteval and Inspect.

examples:
  informedness report predictions.csv            shows which columns there are
  informedness report predictions.csv -r label -p model --confidence-level 0.95"""
_COMPARE = """Compare two models on the same samples: the difference, its interval and a p-value.
Each is a column of the same files, has a file of its own (--on), or has a log.

examples:
  informedness compare predictions.csv -r label -p model other
  informedness compare a.csv b.csv --on id -r label -p model"""
_MORE = "--help-all also shows the options for reading files and logs of harnesses."
_NAMES = "informedness, nit, accuracy, balanced_accuracy, f1_macro, cohen_kappa, "
_NAMES += "matthews_corrcoef, markedness, ema"
# as the readers have them, whose import would take longer than help may
_FORMATS = ["arrow", "csv", "json", "jsonl", "parquet", "tsv", "xlsx"]
_HARNESSES = ["lm-eval", "lighteval", "inspect"]
# Options are kept under the names of the Python arguments that they set, and so found in messages;
# these are other names of the same arguments.
_SAME = {
    "y_true": "references",
    "y_pred": "predictions",
    **{f"{name}_{model}": "predictions" for name in ("y_pred", "predictions") for model in "ab"},
    "sample_weight": "weights",
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code.

    It is 0, 1 if logs are left out, 2 if something is refused, or 130 if interrupted.
    """
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # labels the terminal cannot show
    if sys.stderr is None:  # closed: print would take standard output for it
        sys.stderr = Path(os.devnull).open("w")  # noqa: SIM115 until the process ends
    try:
        return _main(sys.argv[1:] if arguments is None else arguments)
    except KeyboardInterrupt:
        _tell("informedness: interrupted")
        return 130


def _main(arguments: Sequence[str]) -> int:
    options = argparse.Namespace(known=(), has_left_out=False)
    options.tell = lambda message: _tell(_in_options(message, options))
    options.complete = lambda added: _completed(arguments, added)
    try:
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        said = _parse(arguments, options)
        if said is None:
            from . import commands
            from .warnings import collected

            with collected() as notes:
                try:
                    said = getattr(commands, options.command)(options)
                finally:
                    held = _warnings_in(notes, options)
            if held and options.strict:
                raise ValueError("; ".join(held))
            for message in held:
                options.tell(f"warning: {message}")
    except OSError as error:
        what = f"{error.filename}: {error.strerror}" if error.filename else str(error)
        return _refused(_in_options(what, options))
    except (ValueError, ImportError) as error:
        remedied = _remedied(arguments, getattr(error, "remedy", {}), options)
        return _refused(_in_options(str(error), options) + remedied)
    try:
        print(said, flush=True)
    except UnicodeEncodeError as error:
        return _refused(f"standard output: {error}")
    except OSError as error:
        # so that Python does not try again at its end
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if not isinstance(error, BrokenPipeError):  # as in `informedness report ... | head`
            return _refused(f"standard output: {error}")
    return int(options.has_left_out)


def _parse(arguments: Sequence[str], options: argparse.Namespace) -> str | None:
    """Read the command and its options; return the text to print if it is help or the version."""
    command, *given = arguments or [""]
    if command in ("-h", "--help"):
        return _HELP
    if command == "--version":
        from . import __version__

        return f"informedness {__version__}"
    if command not in COMMANDS:
        got = f", got {command!r}{_like(command, COMMANDS)}" if command else ""
        names = ", ".join(COMMANDS)
        raise ValueError(f"the command must be one of {names}{got}; see `informedness --help`")
    parser = _parser(command, "--help-all" in given)
    _, others = parser.parse_known_args(given, options)
    if options.help or options.help_all:
        return parser.format_help().rstrip()
    options.command, options.known = command, parser._actions
    options.path = _files(parser, options, others)
    is_data = getattr(options, "format", "text") != "text"  # for other programs: in UTF-8
    if is_data and hasattr(sys.stdout, "reconfigure"):
        is_unicode = sys.stdout.encoding.lower().startswith("utf")
        # half of a surrogate pair, from a file name or an option, is refused
        sys.stdout.reconfigure(encoding=None if is_unicode else "utf-8", errors="strict")
    return None


def _files(parser: argparse.ArgumentParser, options: Any, others: list[str]) -> list[str]:
    """Return the files among the arguments that belong to no option."""
    end = others.index("--") if "--" in others else len(others)
    for name in others[:end]:
        if name.startswith("-") and name != "-":
            parser.error(f"there is no option {name}{_like(name, parser._option_string_actions)}")
    files = others[:end] + others[end + 1 :]
    for option, values, last in options.last:
        if files:
            raise ValueError(
                f"{last[0]!r} looks like a file among the values of `{option}`: put all files "
                f"before the options, or at the end as in `{option} {' '.join(values)} -- "
                f"{' '.join(last)}`; if it is a value, give it on its own as {option}={last[0]}"
            )
        files = last
    if files and not options.takes_files:
        parser.error(f"{options.command} takes no file, got {files[0]!r}")
    if options.takes_files and not files:
        parser.error("name a file, a folder or - for standard input")
    if sys.stdin is None and "-" in files:
        raise ValueError("-: standard input is closed")
    return files


def _like(name: str, names: Any) -> str:
    plain = {known.lstrip("-"): known for known in names}  # dashes are no likeness
    close = get_close_matches(name.lstrip("-").partition("=")[0], plain, n=1, cutoff=0.7)
    return f" (did you mean {plain[close[0]]}?)" if close else ""


def _warnings_in(notes: Sequence[Warning], options: argparse.Namespace) -> list[str]:
    """Return the messages of warnings but for logs, or runs in them, that are left out.

    Of these it tells; they make the exit code 1.
    """
    from .core.labels import WARNING_PREFIX

    messages = [*dict.fromkeys(str(note).removeprefix(WARNING_PREFIX) for note in notes)]
    left_out = [message for message in messages if message.startswith("left out: ")]
    for message in left_out:
        options.tell(message)
    options.has_left_out = bool(left_out)
    return [message for message in messages if message not in left_out]


def _refused(message: str) -> int:
    _tell(f"informedness: error: {message}")
    return 2


def _tell(message: str) -> None:
    with suppress(OSError):  # the output matters more
        print(message, file=sys.stderr, flush=True)


def _completed(arguments: Sequence[str], added: Sequence[str]) -> str:
    """Return the command that was given, with more options."""
    end = arguments.index("--") if "--" in arguments else len(arguments)
    return shlex.join(["informedness", *arguments[:end], *added, *arguments[end:]])


def _remedied(arguments: Sequence[str], remedy: dict[str, Any], options: Any) -> str:
    """Return the command that would do, on a line of its own; empty if none is known."""
    flags = {action.dest: action.option_strings[-1] for action in options.known}
    columns = remedy.get("columns", {})
    added: list[str] = []
    for name, value in remedy.items():
        if name in flags:
            values = value if isinstance(value, list) else [] if value is True else [value]
            added += [flags[name], *map(str, values)]
    given = [columns.get(argument, argument) for argument in arguments]
    return f"\n  {_completed(given, added)}" if added or given != [*arguments] else ""


def _in_options(message: str, options: argparse.Namespace) -> str:
    """Return a message about Python arguments as one about options of the command line."""
    said: dict[str, str] = {x.dest: x.option_strings[-1] for x in options.known}
    said["path"] = "FILE"
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


# The options


class _Several(argparse.Action):
    """All values up to the next option, and of repeated options; files at the end are kept apart.

    In `--labels cat dog p.csv` the last is meant as a file, but a class may have any name.
    """

    def __call__(self, parser: Any, namespace: Any, values: Any, option: str | None = None) -> None:
        from .inputs.open import named_format

        end = len(values)
        for position, value in enumerate(values[1:], start=1):
            # for Path the empty label would be a folder, and a long one an error
            if value == "-" or named_format(Path(value)) or os.path.exists(value):  # noqa: PTH110
                end = position
                namespace.last.append((option, values[:end], values[end:]))
                break
        setattr(namespace, self.dest, [*(getattr(namespace, self.dest) or []), *values[:end]])


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> Any:
        said = re.sub(r"^argument (?:-\w/)?(--[\w-]+):", r"`\1`:", message)
        raise ValueError(f"{said}; `{self.prog} --help` shows the options")


class _Lines(argparse.RawDescriptionHelpFormatter):
    """An option to a line."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, max_help_position=30)

    def _format_action_invocation(self, action: argparse.Action) -> str:
        names = ", ".join(action.option_strings)
        if action.nargs == 0:
            return names
        return f"{names} {action.metavar}{' ...' * (action.nargs == '+')}"


def _parser(command: str, with_rare: bool) -> argparse.ArgumentParser:
    """Return the parser of a command; its help shows the rare options only if asked to."""
    takes_files = command in ("report", "compare")
    parser = _Parser(
        prog=f"informedness {command}",
        usage=f"informedness {command}{' FILE ... [OPTION ...]' * takes_files}",
        description={"report": _REPORT, "compare": _COMPARE}.get(command, COMMANDS[command]),
        epilog=_MORE if takes_files and not with_rare else None,
        formatter_class=_Lines,
        add_help=False,
    )
    parser.set_defaults(takes_files=takes_files, last=[])
    if takes_files:
        _add_options(parser, command == "report", with_rare)
    else:
        parser.set_defaults(strict=False)
    parser.add_argument("-h", "--help", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--help-all", action="store_true", help=argparse.SUPPRESS)
    return parser


def _add_options(parser: argparse.ArgumentParser, is_report: bool, with_rare: bool) -> None:
    """Add the options of the commands that read files, in groups."""

    def group(title: str, is_rare: bool = False) -> Callable[..., Any]:
        made = parser.add_argument_group(title)

        def add(*flags: str, help: str, **how: Any) -> None:
            if "choices" in how:
                how = {"metavar": "NAME", "default": how["choices"][0], **how}
            made.add_argument(*flags, help=argparse.SUPPRESS if is_rare else help, **how)

        return add

    several: dict[str, Any] = {"nargs": "+", "action": _Several, "metavar": "COL"}
    column: dict[str, Any] = {"metavar": "COL"}
    add = group("columns (a.b is field b of a, a.0 an element, argmax:a the largest of a list)")
    add("-r", "--references", help="true labels", **column)
    add("-p", "--predictions", help="predictions; of several models, each a column", **several)
    add("--counts", help="how many samples a row stands for", **column)
    both = "references and predictions" if is_report else "A and B"
    add("--on", help=f"identifiers of samples, in the files of {both}", **column)
    if is_report:
        add("--weights", help="sample weights", **column)
        add("--by", help="report on each value of a column, or of several", **several)
        add("--by-file", action="store_true", help="score each file, and the mean over them")
    else:
        add("--groups", help="group of each sample, such as its document", **column)
    add = group("scores")
    default = _NAMES.replace("informedness", "informedness (default)", 1)
    use = f"print only this score: {_NAMES}" if is_report else default
    add("--metric", metavar="NAME", help=use)
    add("--average", metavar="NAME", default="default", help="bias, prevalence or macro")
    add("--prior", metavar="FILE:COL", help="reweight to the class shares of these labels")
    if is_report:
        add("--prior-mode", choices=["reweight", "odds"], help="reweight (default), or odds")
    add("--confidence-level", type=float, metavar="P", help="level of the intervals, such as 0.95")
    formats = ["text", "json", *["csv", "markdown", "latex"] * is_report]
    add("--format", choices=formats, help=", ".join(formats))
    if is_report:
        add("--plot", metavar="DIR", help="also save figures in this folder, as PNG files")
        add = group("slices (--by)")
        add("--vs-rest", metavar="NAME", help="compare each slice with all others by this score")
    else:
        parser.set_defaults(metric="informedness", confidence_level=0.95, prior_mode="reweight")
    add = group("labels")
    flag: dict[str, Any] = {"action": "store_true"}
    labels = several | {"metavar": "LABEL"}
    add("--labels", help="the classes of the task; any other is an error", **labels)
    add("--unknown", choices=["error", "wrong"], help="other predictions: error (default) or wrong")
    add("--ignore-index", metavar="LABEL", help="drop samples with this reference, such as -100")
    add("--extract", metavar="REGEX", help="extract the class from text: group 1, or all")
    add("--strict", help="make every warning an error, for jobs", **flag)
    add = group("reading files", is_rare=not with_rare)
    add("--choices", help="class names, if files hold their positions", **labels)
    add("--ignore-case", help="take Yes and yes for one class", **flag)
    add("--strip", help="strip whitespace around labels", **flag)
    add("--numeric", help="read text labels as integers, so that 001 is 1", **flag)
    add("--drop-null", help="leave out rows with missing values", **flag)
    add("--keep-missing", help="read empty cells and NA or None as labels", **flag)
    add("--rows", metavar="PATH", help="where the rows are in a JSON document, such as a.b")
    by_name = "by default by the ending of the file name"
    add("--input-format", dest="file_format", choices=_FORMATS, default=None, help=by_name)
    add("--encoding", metavar="NAME", help="of text, such as cp1252 (default: UTF-8)")
    add = group("logs of harnesses", is_rare=not with_rare)
    add("--from", dest="harness", choices=_HARNESSES, default=None, help=", ".join(_HARNESSES))
    add("--task", metavar="NAME", help="only this task")
    add("--variant", metavar="NAME", help="only this filter (lm-eval) or scorer (Inspect)")
    add("--run", dest="runs", metavar="TEXT", help="only logs with this in their path")
    if is_report:
        add("--each", help="also print the report on each run", **flag)
    add("--latest", help="use the latest of several runs of a task", **flag)
    add("--epoch", type=int, metavar="N", help="only this epoch")
    add("--epochs", choices=["each", "pooled"], help="each (default), or pooled: by sample")
