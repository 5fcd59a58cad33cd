"""Whether a comparison or a score shows what a build requires, and in a line why not."""

from __future__ import annotations

import math

from ..text.render import rounded, samples
from .comparison import Comparison
from .estimate import Estimate
from .suite import SuiteComparison

_FEW_DIFFERENT = 30  # answers, below which a line says how many


def why_not_shown(made: Comparison | SuiteComparison, required: str) -> str:
    """Return why a comparison does not show that B is "better" or "not-worse"; empty if it does.

    Models that give the same answers are not worse by decision, not by proof: the first thing that
    anyone tries is the unchanged model. Over several tasks the mean decides.
    """
    if isinstance(made, SuiteComparison):
        return "" if made.verdict == "better" else f"B is {made.verdict} on average"
    if required == "not-worse" and not made.n_different:
        return ""
    if math.isnan(made.p_value) or made.doubt:
        return f"this comparison does not show whether B is {required}: {made.doubt}"
    if made.verdict == "better" if required == "better" else made.within_margin:
        return ""
    low, high = (rounded(bound, 3) for bound in made.confidence_interval)
    what, wanted = "is not shown to be better", abs(made.difference)
    if required == "not-worse":
        what, wanted = f"may be worse by more than {made.margin:g}", made.margin or 0.0
    reason = f"B {what} ({low} to {high})"
    if made.n_different:
        unit, n_needed = "groups" if made.n_groups else "samples", made.samples_for(wanted)
        needed = "more than any number of samples"
        if n_needed is not None:
            needed = f"about {float(f'{n_needed:.2g}'):,.0f} {unit}"
        shows = "difference" if required == "better" else "margin"
        reason += f"; samples like these can show a {shows} of about {made.detectable:.2g}, this "
        reason += f"one takes {needed}"
    if made.n_different < _FEW_DIFFERENT:
        reason += f"; only {made.n_different} answers differ"
    return reason


def same_answers(made: Comparison | SuiteComparison) -> str:
    """Return what samples on which no answer differs would not show; empty if some differ."""
    if isinstance(made, SuiteComparison) or made.n_different:
        return ""
    unseen = 3 / made.n_rarest  # whose chance to be missed in all of them is 5%
    n = samples(made.n_samples)
    return f"the same answers on {n}; differences below about {unseen:.2g} would not be seen"


def why_below(made: Estimate, least: float) -> str:
    """Return why the interval of a score does not reach what is required; empty if it does."""
    low, high = made.confidence_interval
    if math.isnan(low):
        return f"{made.metric} has no interval: {made.doubt or 'it is undefined'}"
    if low >= least:
        return ""
    bounds = f"{rounded(low, 3)} to {rounded(high, 3)}"
    return f"{made.metric} may be below {least:g} ({bounds})"
