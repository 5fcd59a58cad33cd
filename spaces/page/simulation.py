"""Exact scores of a classifier that knows some of the answers and guesses the rest."""

import functools
import re
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from limits import MAX_SIMULATED, SMALLEST_SHARE, Refusal

from informedness import ContingencyTable
from informedness.results.report import Report
from informedness.statistics.registry import REPORTED

ABILITIES = [step / 40 for step in range(41)]
SHARES = [0.01, *(step / 40 for step in range(1, 40)), 0.99]
GUESSES: dict[str, Callable[[list[float]], list[float] | None]] = {
    "in proportion to the classes": lambda sizes: None,
    "the commonest class": lambda sizes: np.eye(len(sizes))[int(np.argmax(sizes))].tolist(),
    "all classes equally often": lambda sizes: [1.0] * len(sizes),
}


def expected_table(shares: Any, ability: Any, guess: Any = None) -> ContingencyTable:
    """Return the expected table of a classifier that knows the answer with probability `ability`.

    Otherwise it draws a class from its guess shares g, by default the class shares pi:
    p_ij = pi_i (ability [i = j] + (1 - ability) g_j). Exact, with no random number.
    """
    pi = _shares(shares, "shares")
    g = pi if guess is None else _shares(guess, "guess shares")
    if not isinstance(ability, int | float) or not 0 <= ability <= 1:
        raise Refusal(f"The ability must be between 0 and 1, got {str(ability)[:40]}.")
    if not 2 <= len(pi) <= MAX_SIMULATED or len(g) != len(pi):
        raise Refusal(
            f"A simulation needs 2 to {MAX_SIMULATED} classes and one guess share per class, got "
            f"{len(pi)} and {len(g)}."
        )
    if min(pi) < SMALLEST_SHARE:
        raise Refusal(f"The share of each class must be at least {SMALLEST_SHARE} of all.")
    table = np.outer(pi, (1 - ability) * g) + np.diag(ability * pi)
    return _table_of(table, [f"class {i + 1}" for i in range(len(pi))])


def frozen(numbers: list[float] | None) -> tuple[float, ...] | None:
    """Return a list as a tuple, which a cache can hold."""
    return None if numbers is None else tuple(numbers)


def read_shares(text: Any) -> list[float]:
    """Return the class shares typed into their box; they may have any sum."""
    parts = re.split(r"[\s,;%]+", str(text or "").strip(" ,;%"))
    try:
        return [float(part) for part in parts]
    except ValueError:
        raise Refusal(
            f"The class shares must be numbers, for example 90, 10. Got {text!s:.40}."
        ) from None


def percentages(shares: list[float]) -> list[float]:
    """Return shares in percent, with a decimal where they need one."""
    total = sum(shares)
    return [round(100 * share / total, 1) for share in shares]


def with_classes(shares: list[float], k: int) -> list[float]:
    """Return shares of k classes: drop the last ones, or add some as small as the smallest."""
    added = [min(shares)] * (k - len(shares))
    return percentages([*shares[:k], *added])


def draw_again(table: ContingencyTable, n: int, times: int) -> list[ContingencyTable]:
    """Return tables of n samples each, drawn from the expected table."""
    p = table.to_dense() / table.total
    drawn = np.random.default_rng().multinomial(n, p.ravel() / p.sum(), size=times)
    return [_table_of(counts.reshape(p.shape), table.labels) for counts in drawn]


def _table_of(matrix: Any, labels: Sequence[Any]) -> ContingencyTable:
    """Return the table of a matrix whose last class may have as many samples as all others."""
    rows, columns = np.take(labels, np.indices(matrix.shape).reshape(2, -1))
    return ContingencyTable.from_counts(
        references=rows, predictions=columns, counts=matrix.ravel(), labels=labels
    )


@functools.lru_cache(maxsize=256)
def share_curves(shares: tuple[float, ...], ability: float, guess: str) -> dict[str, list[float]]:
    """Return each score at each of `SHARES` of the first class; the rest keep their proportions."""
    tables = []
    for share in SHARES:
        rest = (1 - share) / sum(shares[1:])
        moved = [share, *(rest * other for other in shares[1:])]
        tables.append(expected_table(moved, ability, GUESSES[guess](moved)))
    return _curves(tables)


@functools.lru_cache(maxsize=256)  # so that a moving ability slider costs one table, not 41
def ability_curves(
    shares: tuple[float, ...], guess: tuple[float, ...] | None
) -> dict[str, list[float]]:
    """Return each score at each of `ABILITIES`."""
    return _curves([expected_table(shares, ability, guess) for ability in ABILITIES])


def _curves(tables: list[ContingencyTable]) -> dict[str, list[float]]:
    points = [Report.from_table(table).scores for table in tables]
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
        f"The {name} must be a list of numbers, none below 0, not all 0, with a sum below 1e308."
    )
