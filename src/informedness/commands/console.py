"""Print messages of a running command, and write its results and figures."""

import json
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inference.registry import score_named
from ..messages import Message, join, message, message_of, render
from ..text.layout import Result
from ..text.render import as_json, shown
from ..warnings import collected
from .request import Output, Scores

if TYPE_CHECKING:
    from ..results.comparison import Decision


class Console:
    """Print messages that name options in place of Python arguments.

    `flags` maps the names of arguments to the names of options.
    """

    def __init__(self, write: Callable[[str], None], flags: dict[str, str]) -> None:
        self.has_left_out = False  # whether logs or runs were left out
        self.has_failed = False  # whether a requirement was not met
        self._write, self._flags = write, flags

    def use_name_of(self, other: str, argument: str) -> None:
        """Use the option of the argument `other` as the name of an argument from now on."""
        self._flags[argument] = self._flags[other]

    def name_of(self, argument: str, value: str | None) -> str | None:
        """Find the option of an argument, and append the value; None without an option."""
        if value is not None:  # "" and "True" are the values of options without a value
            flag = self._flags.get(argument)
            return f"{flag} {value}" if flag and value not in ("", "True") else flag
        first, *others = [argument] if argument in self._flags else argument.split(" ", 1)
        return f"`{' '.join([self._flags[first], *others])}`" if first in self._flags else None

    def print(self, *texts: object) -> None:
        """Print texts and accounts of data; messages name options."""
        for text in texts:
            self._write(render(text, self.name_of) if isinstance(text, Message) else str(text))

    def print_decision(self, decision: "Decision", gate: str) -> "Decision":
        """Print why a build passes or fails, and return the same decision."""
        self.has_failed = decision.failed
        if decision.remark:
            text = f"{'failed' if decision.failed else 'passed'} ({{gate}}): {{remark}}"
            self.print(message(text, gate=f"--{gate}", remark=message_of(decision.remark)))
        return decision

    @contextmanager
    def print_warnings(self, is_strict: bool) -> Iterator[None]:
        """Print the warnings of this block at its end, or raise them as an error if `is_strict`.

        Messages about logs and runs that were left out are printed even if the block fails.
        """
        with collected() as notes:
            try:
                yield
            finally:
                messages = [*{str(note): message_of(note) for note in notes}.values()]
                for left_out in messages:
                    if left_out.code == "left out":
                        self.has_left_out = True
                        self.print(left_out)
        warnings = [one for one in messages if one.code != "left out"]
        if warnings and is_strict:
            raise ValueError(join(warnings))
        for warning in warnings:
            self._write(f"warning: {render(warning, self.name_of)}")


def write_result(
    result: Result | float, output: Output, console: Console, decision: "Decision | None" = None
) -> str:
    """Convert a result to text in the requested format, and save its figures if requested."""
    if isinstance(result, float):
        return json.dumps(as_json(result)) if output.format == "json" else repr(result)
    if output.plot is not None:
        _save_figures(result, output.plot, console)
    named: Any = result.with_names(console.name_of)
    if output.format == "json":
        failed = {} if decision is None else {"failed": decision.failed}
        return json.dumps(named.to_dict() | failed, indent=2)
    text = str(named) if output.format == "text" else getattr(named, f"to_{output.format}")()
    reports = map(str, named.runs if output.each and len(named.runs) > 1 else ())
    return "\n\n\n".join([*reports, text.rstrip("\n")])


def prepare_figures(folder: str) -> None:
    """Create the folder for figures before data are read, which may take hours.

    Raises
    ------
    ImportError
        If matplotlib cannot be imported.
    OSError
        If the folder cannot be created.
    ValueError
        If the name of the folder ends like that of an image, as in ".png".
    """
    from ..results.figures import import_pyplot

    os.environ["MPLBACKEND"] = "agg"  # draws without windows
    import_pyplot()
    if Path(folder).suffix.lower() in (".jpeg", ".jpg", ".pdf", ".png", ".svg"):
        rule = "--plot must name a folder for PNG files, got {folder}"
        raise ValueError(message(rule, folder=folder))
    Path(folder).mkdir(parents=True, exist_ok=True)


def _save_figures(result: Any, folder: str, console: Console) -> None:
    """Save the figures of a result as PNG files in a folder, and print their paths."""
    from ..results.figures import import_pyplot, plot_confusion_matrix, plot_entropy_triangle

    result = result.runs[0].report if hasattr(result, "runs") else result
    axes = {"intervals": result.plot()}
    if hasattr(result, "per_class"):
        axes = {
            "confusion": plot_confusion_matrix(result.table),
            "per_class": axes["intervals"],
            "entropy_triangle": plot_entropy_triangle(result.table),
        }
    for name, ax in axes.items():
        path = Path(folder) / f"{name}.png"
        unfinished = path.with_suffix(".part")
        try:
            ax.figure.savefig(unfinished, dpi=300, format="png")
            unfinished.replace(path)
        except OSError as error:
            raise OSError(f"{shown(path)}: {error.strerror}") from error
        import_pyplot().close(ax.figure)
        console.print(f"wrote {shown(path)}")


def check_average(gate: str, scores: Scores, n_classes: int) -> None:
    """Raise ValueError if a requirement depends on the average, and none was named."""
    is_named = scores.average != "default" or not score_named(scores.metric or "").averages
    if not is_named and n_classes > 2:
        advice = "add `--average prevalence`, as advised, or name another"
        raise ValueError(f"`--{gate}` needs `--average` for three or more classes: {advice}")
