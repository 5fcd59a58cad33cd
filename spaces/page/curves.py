"""Scores as curves, with the points at one place and a table of their values there."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from limits import METRIC

from informedness.statistics.registry import REPORTED, score_named

NAMES = {name: score_named(name).title for name in REPORTED}
_LEFT, _WIDTH, _TOP, _HEIGHT = 32, 308, 8, 200  # as in page.js


def curves(
    at: float,
    places: Sequence[float],
    series: Mapping[str, Sequence[float]],
    scores: Mapping[str, float],
    axis: str,
) -> dict[str, Any]:
    """Return these scores as curves over `axis`, from 0 to 1, and the points at one place."""
    series = {name: series[name] for name in scores}
    lowest = min(*(value for values in series.values() for value in values), 0.0)

    def place(x: float, y: float) -> tuple[float, float]:
        return _LEFT + _WIDTH * x, _TOP + _HEIGHT * (1 - y) / (1 - lowest)

    def path(values: Sequence[float]) -> str:
        points = (place(*point) for point in zip(places, values, strict=True))
        return f"M{'L'.join(f'{x:.1f} {y:.1f}' for x, y in points)}"

    ticks = [(*place(share, share), f"{share:.0%}") for share in (0.0, 0.25, 0.5, 0.75, 1.0)]
    what = axis.partition(":")[0].capitalize()
    caption = f"{what} = {at:.0%}"
    listed = ", ".join(f"{NAMES[name]} {score:.3f}" for name, score in scores.items())
    in_order = sorted(series, key=lambda name: name == METRIC)  # the page's own score last
    return {
        "axis": axis,
        "what": what,
        "at": at,
        "ticks": [{"x": x, "y": y, "words": words} for x, y, words in ticks],
        "lines": [(name, path(series[name])) for name in in_order],
        "x": place(at, 0)[0],
        "points": [(name, place(0, score)[1]) for name, score in scores.items()],
        "scores": scores,
        "caption": caption,
        "words": f"Scores by {axis}. {caption}: {listed}",
        "data": json.dumps({"places": places, "series": series}),
    }
