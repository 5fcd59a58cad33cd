"""Tests of several hypotheses at once."""

from collections.abc import Sequence

import numpy as np


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected so that the chance of any false rejection stays at the level.

    A nan stands for no test and stays nan. Holm (1979), "A simple sequentially rejective multiple
    test procedure".

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    p = np.array(p_values, dtype=np.float64)
    order, n_tests = np.argsort(p), np.count_nonzero(~np.isnan(p))  # nan comes last
    factors = n_tests - np.arange(len(p))
    p[order] = np.maximum.accumulate(np.minimum(factors * p[order], 1.0))
    corrected: list[float] = p.tolist()
    return corrected
