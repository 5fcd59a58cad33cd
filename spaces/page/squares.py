"""A hundred answers as a field of squares: known, lucky guesses, wrong."""

import math
from collections.abc import Mapping, Sequence
from typing import Any


def hundred(shares: Sequence[float]) -> list[int]:
    """Return whole numbers that sum to 100, by largest remainder."""
    exact = [100 * share / math.fsum(shares) for share in shares]
    counts = [math.floor(amount + 1e-9) for amount in exact]
    by_loss = sorted(range(len(exact)), key=lambda i: (counts[i] - exact[i], i))
    for i in by_loss[: 100 - sum(counts)]:
        counts[i] += 1
    return counts


def field(scores: Mapping[str, float], several: bool = True) -> dict[str, Any]:
    """Return a hundred answers of a classifier with these scores, and their description.

    `several` says whether the references have two or more classes.
    """
    accuracy, known = scores["accuracy"], scores["informedness"]
    why, wrong = "", 1 - accuracy
    if several and -1e-9 <= known <= accuracy + 1e-9:
        known = min(max(known, 0.0), accuracy)
        shares = {"known": known, "lucky": accuracy - known, "wrong": wrong}
    else:
        shares = {"right": accuracy, "wrong": wrong}
        why = "With one class there is nothing to know, so answers are only right or wrong."
        if several and known < 0:
            why = "Informedness is below 0: no answers are known, they are only right or wrong."
        elif several:
            why = (
                "Informedness is above accuracy, which can happen with several classes. It does "
                "not tell which right answers were guessed, so answers are only right or wrong."
            )
    counts = dict(zip(shares, hundred(list(shares.values())), strict=True))
    words = ", ".join(f"{n} {kind}" for kind, n in counts.items())
    return {"counts": counts, "why": why, "words": words}
