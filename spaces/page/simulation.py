"""What a classifier scores that knows some of the answers and guesses the others, exactly."""

import functools
from collections.abc import Callable
from typing import Any

import numpy as np
from limits import MAX_SIMULATED, SMALLEST_SHARE, Refusal

from informedness import ContingencyTable, Report
from informedness.scores.registry import REPORTED

ABILITIES = [step / 40 for step in range(41)]
GUESSES: dict[str, Callable[[list[float]], list[float] | None]] = {
    "like the classes": lambda sizes: None,
    "the commonest class": lambda sizes: np.eye(len(sizes))[int(np.argmax(sizes))].tolist(),
    "all classes alike": lambda sizes: [1.0] * len(sizes),
}


def expected_table(shares: Any, ability: Any, guess: Any = None) -> ContingencyTable:
    """Return what a classifier does that knows the answer with probability `ability`.

    Otherwise it draws a class from its guess shares g, by default the class shares pi:
    p_ij = pi_i (ability [i = j] + (1 - ability) g_j). Exact, with no random number.
    """
    pi = _shares(shares, "shares")
    g = pi if guess is None else _shares(guess, "guess shares")
    if not isinstance(ability, int | float) or not 0 <= ability <= 1:
        raise Refusal(f"The ability must be between 0 and 1, got {str(ability)[:40]}.")
    if not 2 <= len(pi) <= MAX_SIMULATED or len(g) != len(pi):
        raise Refusal(
            f"A simulation has 2 to {MAX_SIMULATED} classes, each with its share and its guess "
            f"share, got {len(pi)} and {len(g)}."
        )
    if min(pi) < SMALLEST_SHARE:
        raise Refusal(f"The share of each class must be at least {SMALLEST_SHARE} of all.")
    table = np.outer(pi, (1 - ability) * g) + np.diag(ability * pi)
    return ContingencyTable.from_matrix(table, labels=[f"class {i + 1}" for i in range(len(pi))])


def frozen(numbers: list[float] | None) -> tuple[float, ...] | None:
    """Return a list as what a cache can hold."""
    return None if numbers is None else tuple(numbers)


@functools.lru_cache(maxsize=256)  # so that a moving ability slider costs one table, not 41
def ability_curves(
    shares: tuple[float, ...], guess: tuple[float, ...] | None
) -> dict[str, list[float]]:
    """Return each score at each of `ABILITIES`."""
    points = [Report.from_table(expected_table(shares, x, guess)).scores for x in ABILITIES]
    return {name: [point[name] for point in points] for name in REPORTED}


def _shares(values: Any, name: str) -> Any:
    """Return numbers scaled to sum to 1."""
    try:
        shares = np.array(values, dtype=float)
        if shares.ndim == 1 and (shares >= 0).all() and 0 < shares.sum() < np.inf:
            return shares / shares.sum()
    except (OverflowError, TypeError, ValueError):
        pass
    raise Refusal(
        f"The {name} must be a list of numbers, none below 0, not all 0, their sum below 1e308."
    )
