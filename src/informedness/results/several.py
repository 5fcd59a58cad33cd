"""Tests of several hypotheses at once."""

import math
from collections.abc import Sequence


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that the chance of any false rejection stays at the level.

    A nan stands for no test and stays nan. Holm (1979), "A simple sequentially rejective multiple
    test procedure".

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    tested = sorted((p, i) for i, p in enumerate(p_values) if not math.isnan(p))
    corrected = [math.nan] * len(p_values)
    so_far = 0.0
    for rank, (p, i) in enumerate(tested):
        so_far = max(min((len(tested) - rank) * p, 1.0), so_far)
        corrected[i] = so_far
    return corrected
