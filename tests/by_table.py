"""Each score of a table as a function of the table, by its name."""

from functools import partial
from typing import Any

from informedness import ContingencyTable
from informedness.core.scores import mutual_information as mutual_information
from informedness.statistics.entropy import entropies as entropies
from informedness.statistics.entropy import triangle_of as entropy_triangle  # noqa: F401
from informedness.statistics.registry import SCORES, averaged_score
from informedness.statistics.signature import signature_of

informedness, nit = ContingencyTable.informedness, ContingencyTable.nit


def signature(table: Any, name: str, average: Any = "default", **options: Any) -> str:
    """Return the signature of a score of a table, or of what has another name."""
    if name in SCORES:
        return averaged_score(name, average).signature(table, **options)
    return signature_of(name, table, **options)


def __getattr__(name: str) -> Any:
    if name.startswith("__"):
        raise AttributeError(name)
    return partial(_score, name)


def _score(name: str, table: Any, average: Any = "default", **options: Any) -> Any:
    return averaged_score(name, average).value(table, **options)
