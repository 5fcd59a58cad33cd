"""The registry: every score, and which of them are metric modules.

`estimate`, `compare`, `Report`, the command line, the page and the tests read their list of scores
from here; the code that registers, builds and publishes modules reads its list of modules.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from ..core.labels import check_choice, check_distinct, show, warn
from ..core.scores import __version__
from ..core.table import Table
from .score import Score, check_level, signature_of, warn_of_caveats


class Entry(NamedTuple):
    """Where the `Score` of a name is defined, and where it is used."""

    where: str
    """"module:NAME" below the package."""
    is_module: bool = False
    """Whether there is a folder metrics/NAME for `evaluate.load`."""
    in_report: bool = True


REGISTRY = {  # in the order of a report
    "accuracy": Entry("inference.class_scores:Accuracy"),
    "balanced_accuracy": Entry("inference.class_scores:BalancedAccuracy"),
    "f1_macro": Entry("inference.class_scores:F1Macro"),
    "cohen_kappa": Entry("inference.class_scores:CohenKappa"),
    "matthews_corrcoef": Entry("inference.class_scores:MatthewsCorrelation"),
    "informedness": Entry("inference.class_scores:Informedness", is_module=True),
    "markedness": Entry("inference.class_scores:Markedness", in_report=False),
    "nit": Entry("inference.entropy:Nit", is_module=True),
    "ema": Entry("inference.entropy:Ema", in_report=False),
}
SCORES = tuple(REGISTRY)
MODULES = tuple(name for name, entry in REGISTRY.items() if entry.is_module)
REPORTED = tuple(name for name, entry in REGISTRY.items() if entry.in_report)
_PACKAGE = __name__.partition(".inference.")[0]


def score_named(name: str, argument: str = "metric") -> Score:
    """Return the score with this name and its default average.

    Raises
    ------
    ValueError
        If there is no such score; the message names the argument, and a score whose name or title
        has this as a part.
    """
    if isinstance(name, str) and name and name not in SCORES:
        similar = [x for x in SCORES if name.lower() in f"{x} {_loaded(x).title}".lower()]
        if similar:
            hint = f"got {name!r}: did you mean {similar[0]!r}?"
            raise ValueError(f"`{argument}` must be one of {SCORES}, {hint}")
    check_choice(argument, name, SCORES)
    return _loaded(name)


@cache
def _loaded(name: str) -> Score:
    module, _, attribute = REGISTRY[name].where.partition(":")
    score: Score = getattr(import_module(f"{_PACKAGE}.{module}"), attribute)()
    return score


@cache
def scores_in_report(average: Any = "default") -> dict[str, Score]:
    """Return the scores of a report by name, in its order, with this average if they have one.

    Raises
    ------
    ValueError
        If it is no average that gives a number.
    """
    check_choice("average", average, ("default", "bias", "prevalence", "macro"))
    return {
        name: score_with_average(name, average if score_named(name).averages else "default")
        for name in REPORTED
    }


def score_with_average(name: str, average: Any, unknown: str = "error") -> Score:
    """Return the score with this name and average; "default" is its own.

    Raises
    ------
    ValueError
        If it has no such average, or does not take `unknown`.
    """
    score = score_named(name)
    if str(unknown) != "error" and not score.allows_unknown:
        raise ValueError(f'`unknown` must be "error" for {name!r}, got {show(unknown)}')
    if isinstance(average, str) and average == "default":
        return score
    return score.with_average(average)


def scores_with_average(names: Sequence[str], average: Any, unknown: str = "error") -> list[Score]:
    """Return the scores with these names, with the average if they have one.

    Raises
    ------
    ValueError
        If a name is unknown or listed twice, or if none of the scores takes the average.
    """
    check_distinct(names, "names")
    with_average = [name for name in names if score_named(name).averages]
    averages = dict.fromkeys(names, "default") | dict.fromkeys(with_average, average)
    scores = [score_with_average(*pair, unknown) for pair in averages.items()]
    if average != "default" and not with_average:
        raise ValueError(f"`average` must be left out: none of {names} takes one")
    return scores


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


_REMEDY = "install the same version of both; after an upgrade, run `informedness register`"


@cache
def warn_of_version(version: str) -> None:
    """Warn once in a process of metric modules whose version is not that of this package."""
    if version != __version__:
        package = f"the installed package informedness is version {__version__}"
        warn(f"a metric loaded by evaluate is version {version}, and {package}: {_REMEDY}")


def add_companions(
    scored: Mapping[str, Any],
    own_table: Any,
    level: float | None,
    return_signature: bool,
    options: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Return what was asked for beside the score that a metric module computed.

    `scored` is the score under its name, `own_table` the module's, of its copy of the class;
    `options` and `version` are the module's, too.

    Raises
    ------
    ValueError
        If the level is not valid, or the options leave no interval.
    RuntimeError
        If this package computes another score.
    """
    ((name, value),) = scored.items()
    table = Table(*(getattr(own_table, field.name) for field in fields(Table)))
    beside = {} if level is None else _interval_of(name, value, table, level, options, version)
    if return_signature:
        interval = None if level is None else f"ci:{float(level)!r}"
        how = {**options, "interval": interval, "version": version}
        beside[f"{name}_signature"] = signature_of(name, table, **how)
    return beside


def _interval_of(
    name: str, value: Any, table: Table, level: float, options: Mapping[str, Any], version: str
) -> dict[str, Any]:
    """Return the standard error and the interval of the score."""
    if options.get("prior_mode", "") == "odds":
        raise ValueError('`confidence_level` must be left out with prior_mode="odds"')
    check_level(level)
    prior = options.get("prior")
    score = score_with_average(name, options.get("average", "default")).require_interval(prior)
    intervals = score.intervals(table, level, prior)
    own_values = [interval.value for interval in intervals]
    is_close = np.allclose(own_values, value, rtol=0, atol=1e-12, equal_nan=True)
    if not is_close and not score.undefined(table):
        raise RuntimeError(
            f"the metric {name!r} of version {version} scores {value}, and the installed package, "
            f"version {__version__}, scores {own_values}: {_REMEDY}"
        )
    caveat = score.caveat(table, prior)
    with_error = [interval for interval in intervals if not math.isnan(interval.standard_error)]
    warn_of_caveats((name, caveat, math.isnan(interval.low)) for interval in with_error)
    by_class: dict[str, list[Any]] = {
        f"{name}_standard_error": [interval.standard_error for interval in intervals],
        f"{name}_confidence_interval": [[interval.low, interval.high] for interval in intervals],
    }
    return by_class if isinstance(value, list) else {key: ends[0] for key, ends in by_class.items()}
