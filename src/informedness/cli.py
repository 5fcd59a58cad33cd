"""The command line: `informedness report`, `register` and `unregister`."""

import argparse
import json
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from typing import Any

from . import __version__
from .files import table_from_file
from .readers import FORMATS
from .registration import register, unregister
from .report import Report

_OUTPUTS: dict[str, Callable[[Report], str]] = {
    "text": str,
    "json": lambda report: json.dumps(report.to_dict(), indent=2),
    "csv": lambda report: report.to_csv().rstrip("\n"),
    "markdown": Report.to_markdown,
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line and return its exit code: 0, or 2 for bad usage or data."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace")  # labels the terminal cannot show
    options = _parser().parse_args(arguments)
    try:
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            output = options.run(options)
        for message in dict.fromkeys(str(warning.message) for warning in caught):
            print(f"warning: {message.removeprefix('informedness: ')}", file=sys.stderr)
        print(output, flush=True)
    except BrokenPipeError:  # as in `informedness report ... | head`
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    except (ValueError, OSError, ImportError) as error:
        print(f"informedness: error: {error}", file=sys.stderr)
        return 2
    return 0


def _report(options: argparse.Namespace) -> str:
    table = table_from_file(
        options.files,
        references=options.references,
        predictions=options.predictions,
        weights=options.weights,
        file_format=options.format_in,
        numeric=options.numeric,
        labels=options.labels,
        ignore_index=options.ignore_index,
        unknown=options.unknown,
        drop_null=options.drop_null,
    )
    return _OUTPUTS[options.output](Report.from_table(table))


def _register(options: argparse.Namespace) -> str:
    registered = register().items()
    return "\n".join(f'evaluate.load("{name}") loads {folder}' for name, folder in registered)


def _unregister(options: argparse.Namespace) -> str:
    return "\n".join(f"removed {folder}" for folder in unregister()) or "nothing was registered"


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="informedness",
        description="Classification scores that pay nothing for guessing.",
        epilog="Exit codes: 0, or 2 for bad usage or data.",
    )
    parser.add_argument("--version", action="version", version=f"informedness {__version__}")
    commands = parser.add_subparsers(required=True, metavar="COMMAND")

    def command(name: str, run: Callable[[argparse.Namespace], str], text: str) -> Any:
        subparser = commands.add_parser(name, help=text, description=text)
        subparser.set_defaults(run=run)
        return subparser

    text = "Score files of predictions, one row a sample; several files are one set."
    report = command("report", _report, text)
    report.add_argument(
        "files", nargs="+", metavar="FILE", help='a file, a folder, or "-" for standard input'
    )
    report.add_argument("--references", required=True, metavar="COL", help="column of true labels")
    report.add_argument("--predictions", required=True, metavar="COL", help="column of predictions")
    report.add_argument("--weights", metavar="COL", help="column of sample weights")
    report.add_argument(
        "--labels", nargs="+", metavar="LABEL", help="the classes of the task; others are refused"
    )
    report.add_argument(
        "--unknown",
        choices=["error", "wrong"],
        default="error",
        help="what a prediction outside --labels is (default: error)",
    )
    report.add_argument(
        "--ignore-index", metavar="LABEL", help="drop samples with this reference, as -100"
    )
    report.add_argument(
        "--numeric", action="store_true", help="read text labels as integers, so that 001 is 1"
    )
    report.add_argument(
        "--drop-null", action="store_true", help="leave out rows with a null in these columns"
    )
    formats = sorted(set(FORMATS.values()))
    report.add_argument("--format-in", choices=formats, help="default: what the ending says")
    report.add_argument("--output", choices=list(_OUTPUTS), default="text", help="default: text")
    command("register", _register, "Let evaluate.load find both metrics by bare name, anywhere.")
    command("unregister", _unregister, "Undo register.")
    return parser


if __name__ == "__main__":
    sys.exit(main())
