"""Labels of every kind, and weights, for columns of data frames."""

import numpy as np

COLUMNS = {"references": "gold", "predictions": "model"}
NAMES = ["ham", "spam", "", "é", "Ham", "001", "1", " 1", "NA", "two\nlines", "'", "a,b", '"x"']


def labels_and_weights(seed, n):
    """Return pairs of n labels by the name of their kind, and n weights."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(-3, 12, (2, n))
    labels = {
        "integers": codes.tolist(),
        "large integers": (codes * 2**50 + 2**60 + 1).tolist(),
        "text": np.array(NAMES)[codes % len(NAMES)].tolist(),
        "whole floats": codes.astype(float).tolist(),
        "bytes": [[bytes([code % 256, 0]) for code in side] for side in codes.tolist()],
        "bools": (codes % 2 == 0).tolist(),
    }
    # sums of the weights are exact in any order; some are 0
    return labels, (rng.integers(0, 9, n) / 4).tolist()
