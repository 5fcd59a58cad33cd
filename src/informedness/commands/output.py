"""Write and plot results, and tell whether they meet requirements."""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from ..inference.registry import score_named
from ..messages import message, message_of
from ..text.render import as_json, shown
from .console import Console
from .request import Output, Scores

if TYPE_CHECKING:
    from ..results.requirement import Decision
    from ..text.layout import Result

FORMATS: dict[str, Callable[["Result"], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
    "html": lambda result: result.to_html(),
}


class Outcome(NamedTuple):
    """The text that a command prints, and whether a build should stop."""

    text: str
    has_failed: bool = False


def write(
    result: "Result | float", output: Output, console: Console, decision: "Decision | None" = None
) -> Outcome:
    """Write a result as text in the requested format; save its figures if requested."""
    failed = decision is not None and decision.failed
    if isinstance(result, float):
        text = json.dumps(as_json(result)) if output.format == "json" else repr(result)
        return Outcome(text, failed)
    if output.plot is not None:
        _save_figures(result, output.plot, console)
    if output.format == "json" and decision is not None:
        return Outcome(json.dumps(result.to_dict() | {"failed": failed}, indent=2), failed)
    named: Any = result.with_names(console.name_of)
    reports = map(str, named.runs if output.each and len(named.runs) > 1 else ())
    return Outcome("\n\n\n".join([*reports, FORMATS[output.format](named)]), failed)


def prepare_figures(folder: str) -> None:
    """Make the folder for figures, or raise an error if none can be drawn or saved there."""
    from ..results.figures import import_pyplot

    os.environ["MPLBACKEND"] = "agg"  # files, no windows
    import_pyplot()
    if Path(folder).suffix.lower() in (".jpeg", ".jpg", ".pdf", ".png", ".svg"):
        rule = "--plot must name a folder for PNG files, got {folder}"
        raise ValueError(message(rule, folder=folder))
    Path(folder).mkdir(parents=True, exist_ok=True)


def _save_figures(result: Any, folder: str, console: Console) -> None:
    """Save the figures of a result as PNG files in a folder, and tell their paths."""
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
        console.tell(f"wrote {shown(path)}")


def check_average(gate: str, scores: Scores, n_classes: int) -> None:
    """Raise ValueError if a gate depends on an average that was not named."""
    is_named = scores.average != "default" or not score_named(scores.metric or "").averages
    if not is_named and n_classes > 2:
        advice = "add `--average prevalence`, as advised, or name another"
        raise ValueError(f"`--{gate}` needs `--average` for three or more classes: {advice}")


def tell_decision(decision: "Decision", gate: str, console: Console) -> "Decision":
    """Tell why a build passes or fails, and return the decision."""
    if decision.remark:
        verdict = "failed" if decision.failed else "passed"
        text = f"{verdict} ({{gate}}): {{remark}}"
        console.tell(message(text, gate=f"--{gate}", remark=message_of(decision.remark)))
    return decision
