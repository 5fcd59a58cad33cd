"""The registry: every score, and which of them are metric modules.

`estimate`, `compare`, `Report`, the command line, the page and the tests read their list of scores
from here; the code that registers, builds and publishes modules reads its list of modules.
"""

from __future__ import annotations

import sys
from functools import cache
from importlib import import_module
from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from ..core.labels import check_choice, show
from .score import Score, score_of


class Entry(NamedTuple):
    """Where the score of a name is defined, as a `Score` or a function, and where it is used."""

    where: str
    """"module:NAME" below the package, or "file.py:NAME" in the metric's folder."""
    is_module: bool = False
    """Whether there is a folder metrics/NAME for `evaluate.load`."""
    in_report: bool = True
    title: str = ""
    """What a plain function of a table is called; a `Score` has its own title."""


REGISTRY = {  # in the order of a report
    "accuracy": Entry("statistics.margins:Accuracy"),
    "balanced_accuracy": Entry("statistics.margins:BalancedAccuracy"),
    "f1_macro": Entry("statistics.margins:F1Macro"),
    "cohen_kappa": Entry("statistics.margins:CohenKappa"),
    "matthews_corrcoef": Entry("statistics.margins:MatthewsCorrelation"),
    "informedness": Entry("statistics.margins:Informedness", is_module=True),
    "markedness": Entry("statistics.margins:Markedness", in_report=False),
    "nit": Entry("statistics.entropy:Nit", is_module=True),
    "ema": Entry("statistics.entropy:Ema", in_report=False),
}
SCORES = tuple(REGISTRY)
MODULES = tuple(name for name, entry in REGISTRY.items() if entry.is_module)
REPORTED = tuple(name for name, entry in REGISTRY.items() if entry.in_report)

_PACKAGE = __name__.partition(".statistics.")[0]


def score_named(name: str, argument: str = "metric") -> Score:
    """Return the score with this name and its default average.

    Raises
    ------
    ValueError
        If there is no such score; the message names the argument, and a score whose name or title
        has this as a part.
    """
    if isinstance(name, str) and name not in SCORES and (like := _like(name.lower())):
        meant = f"got {name!r}: did you mean {like[0]!r}?"
        raise ValueError(f"`{argument}` must be one of {SCORES}, {meant}")
    check_choice(argument, name, SCORES)
    return _loaded(name)


def _like(name: str) -> list[str]:
    """Return the scores that have this as a part of their name or title."""
    return [x for x in SCORES if name and name in f"{x} {_loaded(x).title}".lower()]


@cache
def _loaded(name: str) -> Score:
    entry = REGISTRY[name]
    place, _, attribute = entry.where.partition(":")
    found = getattr(_file_of(name, place), attribute)
    return found() if isinstance(found, type) else score_of(found, name, entry.title or name)


@cache
def reported(average: Any = "default") -> dict[str, Score]:
    """Return the scores of a report by name, in its order, with this average if they have one.

    Raises
    ------
    ValueError
        If it is no average that gives a number.
    """
    check_choice("average", average, ("default", "bias", "prevalence", "macro"))
    scores = {name: score_named(name) for name in REPORTED}
    return {
        name: averaged_score(name, average) if score.averages else score
        for name, score in scores.items()
    }


def _file_of(name: str, place: str) -> ModuleType:
    """Return the module where a score is defined."""
    if not place.endswith(".py"):
        return import_module(f"{_PACKAGE}.{place}")
    # a formula in a metric's folder, where its relative imports are of the helper beside it; here
    # they are of the helper itself
    path = Path(module_path(name)) / place
    spec = spec_from_file_location(f"{_PACKAGE}.core.{name}_{path.stem}", path)
    if spec is None or spec.loader is None:
        raise ImportError(f"the formula of {name!r} cannot be loaded from {path}")
    module = sys.modules[spec.name] = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def averaged_score(name: str, average: Any, unknown: str = "error") -> Score:
    """Return the score with this name and average; "default" is its own.

    Raises
    ------
    ValueError
        If it has no such average, or does not take `unknown`.
    """
    score = score_named(name)
    if str(unknown) != "error" and not score.takes_unknown:
        raise ValueError(f'`unknown` must be "error" for {name!r}, got {show(unknown)}')
    if isinstance(average, str) and average == "default":
        return score
    return score.averaged(average)


def module_path(name: str) -> str:
    """Return the folder of a metric module, for `evaluate.load(path)`.

    Parameters
    ----------
    name : {"informedness", "nit"}

    Returns
    -------
    str
        An absolute path: inside the installed package, or in the checkout it runs from.

    Raises
    ------
    ValueError
        If there is no such metric.

    Examples
    --------
    >>> Path(module_path("nit")).name
    'nit'
    """
    check_choice("name", name, MODULES)
    package = Path(__file__).resolve().parents[1]
    installed = package / "metrics" / name
    return str(installed if installed.is_dir() else package.parents[1] / "metrics" / name)
