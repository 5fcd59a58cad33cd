"""The line that records a score: every option that affects it, and the version."""

from __future__ import annotations

import math
from collections.abc import Mapping
from hashlib import sha256
from typing import Any

from ..core.labels import read_column
from ..core.scores import __version__, shares_of
from ..core.table import Table


def signature_of(
    name: str,
    table: Table,
    *,
    average: str | None = "",
    prior: Mapping[Any, float] | None = None,
    prior_mode: str = "",
    zero_division: Any = "warn",
    ignore_index: Any = None,
    interval: str | None = None,
) -> str:
    """Return the options of a score in a line, such as 'nit|k:2|n:2|labels:observed|v:0.1.0'.

    `average` and `prior_mode` are empty for a score that has none; of several scores "default" is
    that of each.
    """
    parts = [name] if average in ("", "default") else [name, f"avg:{str(average).lower()}"]
    names = [label for label in table.labels if label is not None]
    parts += [f"k:{table.n_classes}", f"n:{'?' if table.n_samples is None else table.n_samples}"]
    if table.is_weighted:
        total = float(f"{table.total:.12g}")  # the same in any order of summing
        parts.append(f"weight:{total:.6g}")
    parts.append(f"labels:{_digest(names)}" if table.declared else "labels:observed")
    parts += ["unknown:wrong"] * (None in table.labels)
    if ignore_index is not None:
        ignored = read_column([ignore_index], "ignore_index").example()
        parts.append("ignore:" + ascii(ignored).replace("|", "\\x7c"))
    if prior is not None:
        shares = shares_of(prior)
        of_classes = [(label, shares[label]) for label in names if label in shares]
        parts.append(f"prior:{prior_mode}-{_digest(of_classes)}")
    elif prior_mode:
        parts.append("prior:test")
    if not isinstance(zero_division, str) and math.isnan(zero_division):
        parts.append("zero:nan")
    return "|".join([*parts, *filter(None, [interval]), f"v:{__version__}"])


def _digest(values: Any) -> str:
    """Return eight hexadecimal digits that stand for the values and their order."""
    return sha256(ascii(values).encode()).hexdigest()[:8]
