"""The interval of a score whose samples belong to groups; docs/formulas.md has the formulas.

It is that of a table with as many times the squared weights as samples say what one would that is
related to none: the design effect (Kish 1965, "Survey sampling").
"""

import math
from dataclasses import replace

import numpy as np

from ..core.table import Table
from .information import normal_quantile
from .score import ScoreWithInterval
from .sums import gaps, squared_weights
from .units import Triples


def of_groups(table: Table, score: ScoreWithInterval, triples: Triples, level: float) -> Table:
    """Return the table in which samples count as much as their groups let them."""
    of_each = np.bincount(np.asarray(triples.groups), triples.counts * triples.weights)
    alike = float((of_each**2).sum() / squared_weights(table).sum())
    alone, n = score.interval(table, level).standard_error, len(of_each)
    effect = max(error_of_groups(table, score, triples) / alone, 1.0) ** 2 if alone else alike
    effect = (n * effect + alike) / (n + 1)
    effect *= (t_quantile(level, n - 1) / normal_quantile(level)) ** 2
    counts, squares = table.counts.astype(np.float64), squared_weights(table) * effect
    return replace(table, counts=counts, squared_weights=squares)


def error_of_groups(table: Table, score: ScoreWithInterval, triples: Triples) -> float:
    """Return the standard error by groups."""
    k, i, j = len(table.labels), triples.references, triples.a
    oriented, same = score.oriented(table)
    if oriented is not score:  # markedness is informedness of the transpose
        i, j = j, i
    gradient = oriented.cell_gradient(same)[
        np.searchsorted(same.rows * k + same.columns, i * k + j)
    ]
    weight = triples.counts * triples.weights
    mean = float((weight * gradient).sum() / weight.sum())
    away = gaps(gradient, mean, np.abs(gradient).max())
    sums = np.bincount(np.asarray(triples.groups), weight * away)
    return math.sqrt(len(sums) / (len(sums) - 1) * float((sums**2).sum())) / float(weight.sum())


def t_quantile(level: float, df: int) -> float:
    """Return the two-sided quantile of Student's t at a level.

    t / sqrt(df) is the tangent of an angle whose density is a power of its cosine.
    """
    angles = np.linspace(0, min(math.pi / 2, 40 / math.sqrt(df)), 2**16 + 1)
    density = np.cos(angles) ** (df - 1)
    mass = np.cumsum(density[1:] + density[:-1])
    angle = np.interp(level, np.append(0, mass / mass[-1]), angles)
    return math.sqrt(df) * math.tan(angle)
