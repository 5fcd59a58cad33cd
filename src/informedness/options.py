"""The options that functions share, for type checkers: an overload names them all at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict

from .core.labels import Label
from .core.scores import ZeroDivision

Averaged: TypeAlias = Literal["default", "bias", "prevalence", "macro"]


class Estimating(TypedDict, total=False):
    """How a score of a table is estimated."""

    prior: Mapping[Any, float] | None
    zero_division: ZeroDivision
    confidence_level: float
    ignore_index: Label | None


class Counting(TypedDict, total=False):
    """How samples are counted in a table."""

    labels: Any
    sample_weight: Any
    ignore_index: Label | None
    unknown: str


class OfSamples(Counting, Estimating, total=False):
    """How a score of samples is estimated."""

    groups: Any


class Reporting(Counting, total=False):
    """How samples are reported on."""

    confidence_level: float | None
    classes: str
    vs_rest: str | None
