"""What the metric modules ask the package for: `confidence_level` and `return_signature`."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

from ..core.scores import __version__
from ..core.table import Table
from .intervals import check_level, warn_of_doubts
from .registry import averaged_score
from .signature import signature_of


def beside_score(
    found: Mapping[str, Any],
    own_table: Any,
    level: float | None,
    return_signature: bool,
    options: Mapping[str, Any],
    version: str,
) -> dict[str, Any]:
    """Return what was asked for beside the score that a metric module computed.

    `found` is the score under its name, `own_table` the module's, of its copy of the class;
    `options` and `version` are the module's, too.

    Raises
    ------
    ValueError
        If the level is not valid, or the options leave no interval.
    RuntimeError
        If this package computes another score.
    """
    ((name, value),) = found.items()
    table = Table(*(getattr(own_table, field.name) for field in fields(Table)))
    beside = {} if level is None else _interval_of(name, value, table, level, options, version)
    if return_signature:
        interval = None if level is None else f"ci:{float(level)!r}"
        beside[f"{name}_signature"] = signature_of(name, table, interval=interval, **options)
    return beside


def _interval_of(
    name: str, value: Any, table: Table, level: float, options: Mapping[str, Any], version: str
) -> dict[str, Any]:
    """Return the standard error and the interval of the score."""
    if options.get("prior_mode", "") == "odds":
        raise ValueError('`confidence_level` must be left out with prior_mode="odds"')
    check_level(level)
    prior = options.get("prior")
    score = averaged_score(name, options.get("average", "default")).with_interval(prior)
    made = score.intervals(table, level, prior)
    own = [interval.value for interval in made]
    is_close = np.allclose(own, value, rtol=0, atol=1e-12, equal_nan=True)
    if not is_close and not score.undefined(table):
        raise RuntimeError(
            f"the metric {name!r} of version {version} scores {value}, and the installed package, "
            f"version {__version__}, scores {own}: install the same version of both"
        )
    there = [interval for interval in made if not math.isnan(interval.standard_error)]
    warn_of_doubts((name, score.doubt(table, prior), math.isnan(x.low)) for x in there)
    fields: dict[str, list[Any]] = {
        f"{name}_standard_error": [x.standard_error for x in made],
        f"{name}_confidence_interval": [[x.low, x.high] for x in made],
    }
    return fields if isinstance(value, list) else {field: x[0] for field, x in fields.items()}
