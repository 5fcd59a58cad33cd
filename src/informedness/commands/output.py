"""How a result is printed, drawn, and held against what is required of it."""

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..inference.registry import score_named
from ..messages import render
from ..text.render import shown

if TYPE_CHECKING:
    from ..results.estimate import Estimate
    from ..results.requirement import Decision

FORMATS: dict[str, Callable[[Any], str]] = {
    "text": str,
    "json": lambda result: json.dumps(result.to_dict(), indent=2),
    "csv": lambda result: result.to_csv().rstrip("\n"),
    "markdown": lambda result: result.to_markdown(),
    "latex": lambda result: result.to_latex(),
    "html": lambda result: result.to_html(),
}


def formatted(result: Any, options: Namespace) -> str:
    """Return a result in the format asked for, after saving its figures if they are."""
    if options.plot is not None:
        _save_figures(result.runs[0].report if hasattr(result, "runs") else result, options)
    if options.format == "json" and options.failed is not None:
        return json.dumps(result.to_dict() | {"failed": options.failed}, indent=2)
    return FORMATS[options.format](result.with_names(options.naming))


def _save_figures(result: Any, options: Namespace) -> None:
    """Save the figures of a result as PNG files in a folder, and tell their paths."""
    from ..results.figures import import_pyplot, plot_confusion_matrix, plot_entropy_triangle

    axes = {"intervals": result.plot()}
    if hasattr(result, "per_class"):
        axes = {
            "confusion": plot_confusion_matrix(result.table),
            "per_class": axes["intervals"],
            "entropy_triangle": plot_entropy_triangle(result.table),
        }
    for name, ax in axes.items():
        path = Path(options.plot) / f"{name}.png"
        unfinished = path.with_suffix(".part")
        try:
            ax.figure.savefig(unfinished, dpi=300, format="png")
            unfinished.replace(path)
        except OSError as error:
            raise OSError(f"{shown(path)}: {error.strerror}") from error
        import_pyplot().close(ax.figure)
        options.tell(f"wrote {shown(path)}")


def check_average(options: Namespace, gate: str, n_classes: int) -> None:
    """Raise ValueError if a gate depends on an average that nobody named."""
    is_named = options.average != "default" or not score_named(options.metric).averages
    if not is_named and n_classes > 2:
        advice = "add `--average prevalence`, as advised, or name another"
        raise ValueError(f"`--{gate}` needs `--average` for three or more classes: {advice}")


def require_least(score: "Estimate", options: Namespace) -> None:
    """Decide whether a score is as high as required, if anything is."""
    if options.at_least is not None:
        from ..results.requirement import decide_least

        check_average(options, "at-least", score.n_classes)
        decision = decide_least(score, options.at_least)
        tell_decision(decision, f"at-least {options.at_least:g}", options)


def tell_decision(decision: "Decision", gate: str, options: Namespace) -> None:
    """Tell why a build passes or fails, and let the exit code be 3 if it fails."""
    options.failed = decision.failed
    if decision.remark:
        verdict = "failed" if decision.failed else "passed"
        options.tell(f"{verdict} (--{gate}): {render(decision.remark, options.naming)}")
