"""How a result is printed, drawn, and held against what is required of it.

Tested in tests/test_cli.py.
"""

import json
from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ..text.render import shown

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
    return FORMATS[options.format](result)


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


def require_least(score: Any, options: Namespace) -> None:
    """Tell if the interval of a score does not reach what is required: the exit code is then 3."""
    from ..results.requirement import why_below

    if options.at_least is not None and (reason := why_below(score, options.at_least)):
        options.is_unmet = True
        options.tell(f"required at least {options.at_least:g}: {options.reword(reason)}")
