"""The golden vectors of `vectors.json`: exact tables and scores, and tables spelt as samples."""

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

# Three samples stand for a cell; their weights are these shares of it, exact in binary.
PARTS = (Fraction(1, 2), Fraction(1, 4), Fraction(1, 4))


@dataclass(frozen=True)
class Vector:
    """A table (rows are references) and its scores; None marks an undefined one."""

    id: str
    table: list[list[Fraction]]
    exact: dict[str, Any]
    info: dict[str, Any]
    mcc: float | None

    @property
    def is_counts(self) -> bool:
        return all(count.denominator == 1 for row in self.table for count in row)

    def cells(self) -> list[tuple[int, int, Fraction]]:
        """Return row, column and content of each cell."""
        return [(i, j, n) for i, row in enumerate(self.table) for j, n in enumerate(row)]

    def samples(self) -> tuple[list[int], list[int]]:
        """Return references and predictions, one pair for each count."""
        pairs = [(i, j) for i, j, n in self.cells() for _ in range(int(n))]
        return [i for i, _ in pairs], [j for _, j in pairs]

    def weighted_samples(self) -> tuple[list[int], list[int], list[float]]:
        """Return references, predictions and weights, `PARTS` of each cell."""
        parts = [(i, j, float(n * part)) for i, j, n in self.cells() if n for part in PARTS]
        return [i for i, _, _ in parts], [j for _, j, _ in parts], [w for _, _, w in parts]


def close(value: Any) -> Any:
    """Return what equals `value`, a number or a list of numbers, within 1e-12."""
    value = float(value) if isinstance(value, Fraction) else value
    return pytest.approx(value, rel=0, abs=1e-12)


def _read(value: Any, kind: type) -> Any:
    if isinstance(value, list):
        return [_read(entry, kind) for entry in value]
    return None if value is None else kind(value)


def _vector(record: dict[str, Any]) -> Vector:
    exact = {name: _read(value, Fraction) for name, value in record["exact"].items()}
    info = {name: float(value) for name, value in record["info"].items()}
    table, mcc = _read(record["table"], Fraction), _read(record["decimal"]["mcc"], float)
    return Vector(record["id"], table, exact, info, mcc)


_FILE = Path(__file__).parents[1] / "vectors.json"
VECTORS = [_vector(record) for record in json.loads(_FILE.read_text("utf-8"))["vectors"]]
BY_ID = {vector.id: vector for vector in VECTORS}
