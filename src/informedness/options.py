"""The options that functions share, for type checkers: an overload names them all at once."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, TypeAlias, TypedDict

from .core.labels import Label
from .core.scores import ZeroDivision

Averaged: TypeAlias = Literal["bias", "prevalence", "macro"]


class Scoring(TypedDict, total=False):
    """How a table is scored."""

    prior: Mapping[Any, float] | None
    zero_division: ZeroDivision


class ScoringByMode(Scoring, total=False):
    """The same, where there are several ways to use a prior."""

    prior_mode: str


class Estimating(Scoring, total=False):
    """How a score of a table is estimated."""

    confidence_level: float
    ignore_index: Label | None


class Counting(TypedDict, total=False):
    """How samples are counted in a table."""

    labels: Any
    sample_weight: Any
    ignore_index: Label | None
    unknown: str


class CountingAndScoring(Counting, ScoringByMode, total=False):
    """How samples are scored."""


class CountingAndEstimating(Counting, Estimating, total=False):
    """How a score of samples is estimated."""

    groups: Any


class Reporting(Counting, total=False):
    """How samples are reported on."""

    confidence_level: float | None
    classes: str
    vs_rest: str | None
