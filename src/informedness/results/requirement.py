"""Whether a comparison or a score shows what a build requires, and in a line why not.

Tested in tests/test_continuous_integration.py.
"""

import math

from ..text.render import rounded, samples
from .comparison import Comparison
from .estimate import Estimate
from .suite import SuiteComparison

_FEW_DIFFERENT = 30  # answers, below which a line says how many


def why_not_shown(comparison: Comparison | SuiteComparison, required: str) -> str:
    """Return why a comparison does not show that B is "better" or "not-worse"; empty if it does.

    Models that give the same answers are not worse by decision, not by proof: the first thing that
    anyone tries is the unchanged model. Over several tasks the mean decides.
    """
    if isinstance(comparison, SuiteComparison):
        return "" if comparison.verdict == "better" else f"B is {comparison.verdict} on average"
    if required == "not-worse" and not comparison.n_different:
        return ""
    if math.isnan(comparison.p_value) or comparison.doubt:
        return f"this comparison does not show whether B is {required}: {comparison.doubt}"
    if comparison.verdict == "better" if required == "better" else comparison.within_margin:
        return ""
    low, high = (rounded(bound, 3) for bound in comparison.confidence_interval)
    size_name = "difference" if required == "better" else "margin"
    size = comparison.difference if required == "better" else comparison.margin or 0.0
    verdict = "is not shown to be better"
    if required == "not-worse":
        verdict = f"may be worse by more than {size:g}"
    reason = f"B {verdict} ({low} to {high})"
    if comparison.n_different:
        needed = "more than any number of samples"
        if size and (n_needed := comparison.samples_for(size)) is not None:
            unit = "groups" if comparison.n_groups else "samples"
            needed = f"about {float(f'{n_needed:.2g}'):,.0f} {unit}"
        reason += f"; samples like these can show a {size_name} of about "
        reason += f"{comparison.detectable:.2g}, this one takes {needed}"
    if comparison.n_different < _FEW_DIFFERENT:
        reason += f"; only {comparison.n_different} answers differ"
    return reason


def same_answers(comparison: Comparison | SuiteComparison) -> str:
    """Return what samples on which no answer differs would not show; empty if some differ."""
    if isinstance(comparison, SuiteComparison) or comparison.n_different:
        return ""
    unseen = 3 / comparison.n_rarest  # whose chance to be missed in all of them is 5%
    n = samples(comparison.n_samples)
    return f"the same answers on {n}; differences below about {unseen:.2g} would not be seen"


def why_below(estimate: Estimate, least: float) -> str:
    """Return why the interval of a score does not reach what is required; empty if it does."""
    low, high = estimate.confidence_interval
    if math.isnan(low):
        return f"{estimate.metric} has no interval: {estimate.doubt or 'it is undefined'}"
    if low >= least:
        return ""
    bounds = f"{rounded(low, 3)} to {rounded(high, 3)}"
    return f"{estimate.metric} may be below {least:g} ({bounds})"
