"""List all scores, and the scores that are published as metric modules.

`estimate`, `compare`, `Report`, the command line, the app and the tests get their scores from
`REGISTRY`. `MODULES` names the metric modules for the code that registers, builds, publishes and
shows them.
"""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

from ..core.labels import check_choice, check_distinct, show, warn
from ..core.scores import __version__
from .entropy import EMA, NIT
from .score import INFORMEDNESS, MARKEDNESS, USUAL_SCORES, Score

REGISTRY = {score.name: score for score in (*USUAL_SCORES, INFORMEDNESS, MARKEDNESS, NIT, EMA)}
SCORES = tuple(REGISTRY)
MODULES = ("informedness", "nit")  # names of the folders in metrics/, for `evaluate.load`
REPORTED = tuple(name for name in SCORES if name not in ("markedness", "ema"))


def score_named(name: str, argument: str = "metric") -> Score:
    """Look up a score by its name, with its default average.

    `argument` is the name of the parameter to show in messages.

    Raises
    ------
    ValueError
        If there is no score of this name.
    """
    check_choice(argument, name, SCORES)
    return REGISTRY[name]


def scores_in_report(average: Any = "default") -> dict[str, Score]:
    """Map names to the scores of a report, in the order of the report.

    Scores that have averages get this average; "default" means the default of each score.

    Raises
    ------
    ValueError
        If the average is unknown, or is None, which would give one value per class.
    """
    check_choice("average", average, ("default", "bias", "prevalence", "macro"))
    return {score.name: score for score in scores_with_average(REPORTED, average)}


def score_with_average(name: str, average: Any, unknown: str = "error") -> Score:
    """Look up a score by its name and average; "default" means the default average of the score.

    Raises
    ------
    ValueError
        If the score is unknown, does not have this average, or does not allow this value of
        `unknown`.
    """
    score = score_named(name)
    if str(unknown) != "error" and not score.allows_unknown:
        raise ValueError(f'`unknown` must be "error" for {name!r}, got {show(unknown)}')
    return score if str(average) == "default" else score.with_average(average)


def scores_with_average(
    names: Sequence[str], average: Any, unknown: str = "error", argument: str = "names"
) -> list[Score]:
    """Look up scores by their names; scores that have averages get this average.

    `argument` is the name of the parameter to show in messages.

    Raises
    ------
    ValueError
        If a name is unknown or listed twice. If an average is passed, but no score has averages, or
        a score with averages does not allow it. If a score does not allow this value of `unknown`.
    """
    check_distinct(names, argument, "score")
    with_average = [name for name in names if score_named(name, argument).averages]
    if average != "default" and not with_average:
        raise ValueError(f"`average` must be left out, because none of {names} has averages")
    averages = dict.fromkeys(names, "default") | dict.fromkeys(with_average, average)
    return [score_with_average(*pair, unknown) for pair in averages.items()]


def module_path(name: str) -> str:
    """Find the folder of a metric module, for `evaluate.load(path)`.

    Parameters
    ----------
    name : {"informedness", "nit"}

    Returns
    -------
    str
        Absolute path, inside the installed package or inside the checkout of the repository.

    Raises
    ------
    ValueError
        If there is no metric module of this name.

    Examples
    --------
    >>> Path(module_path("nit")).name
    'nit'
    """
    check_choice("name", name, MODULES)
    package = Path(__file__).resolve().parents[1]
    installed = package / "metrics" / name
    return str(installed if installed.is_dir() else package.parents[1] / "metrics" / name)


SAME_VERSION = "Install the same version of both. After an upgrade, run `informedness register`"


@cache
def warn_of_version(version: str) -> None:
    """Warn, once for each version, if a metric module and this package have different versions."""
    if version != __version__:
        package = f"the installed package informedness is version {__version__}"
        warn(f"a metric loaded by evaluate is version {version}, and {package}. {SAME_VERSION}")
