"""Whether a comparison or a score lets a build pass, and why in a line.

One rule holds for all: what has no interval, or an IntervalWarning, shows nothing.

Tested in tests/test_continuous_integration.py.
"""

import math
from typing import NamedTuple

from ..text.render import rounded
from .comparison import Comparison
from .estimate import Estimate
from .suite import SuiteComparison

_FEW_DIFFERENT = 30  # answers, below which a line says how many


class Decision(NamedTuple):
    """Whether a build fails, and what to say of it; empty if it passes without a remark."""

    failed: bool
    remark: str


def decide_required(
    compared: Comparison | SuiteComparison, required: str, margin: float | None
) -> Decision:
    """Fail unless a comparison shows that B is "better", or "not-worse" by more than the margin.

    Models that give the same answers are not worse by decision, not by proof: the first thing that
    anyone tries is the unchanged model. Over several tasks the mean decides.
    """
    if required == "not-worse" and not compared.n_different:
        return Decision(False, _same_answers(compared))
    if reason := _why_nothing(compared):
        return Decision(True, f"this does not show whether B is {required}: {reason}")
    least = 0.0 if required == "better" or margin is None else -margin
    low, high = compared.confidence_interval
    if low > least if required == "not-worse" else compared.verdict == "better":
        return Decision(False, "")
    by_more = _by_more(None if required == "better" else margin)
    if high < least:
        return Decision(True, f"B is worse{by_more} {_bounds(compared)}")
    verdict = "is not shown to be better" if required == "better" else f"may be worse{by_more}"
    return Decision(True, f"B {verdict} {_bounds(compared)}{_what_would_show(compared, -least)}")


def decide_worse(compared: Comparison | SuiteComparison, margin: float | None) -> Decision:
    """Fail if a comparison shows that B is worse, by more than the margin if there is one."""
    if not compared.n_different:
        return Decision(False, _same_answers(compared))
    if reason := _why_nothing(compared):
        return Decision(False, f"this does not show whether B is worse: {reason}")
    if compared.confidence_interval[1] < -(margin or 0.0):
        return Decision(True, f"B is worse{_by_more(margin)} {_bounds(compared)}")
    return Decision(False, "")


def decide_least(estimate: Estimate, least: float) -> Decision:
    """Fail unless the interval of a score shows that it is at least so high."""
    if reason := _why_nothing(estimate):
        shown = f"whether {estimate.metric} is at least {least:g}"
        return Decision(True, f"this does not show {shown}: {reason}")
    low, high = estimate.confidence_interval
    if low >= least:
        return Decision(False, "")
    verb = "is" if high < least else "may be"
    return Decision(True, f"{estimate.metric} {verb} below {least:g} {_bounds(estimate)}")


def _why_nothing(result: Comparison | SuiteComparison | Estimate) -> str:
    """Return why a result shows nothing at all; empty if its interval can be relied on."""
    has_interval = not math.isnan(result.confidence_interval[0])
    return result.doubt or ("" if has_interval else "there is no interval")


def _by_more(margin: float | None) -> str:
    return "" if margin is None else f" by more than {margin:g}"


def _bounds(result: Comparison | SuiteComparison | Estimate) -> str:
    low, high = (rounded(bound, 3) for bound in result.confidence_interval)
    return f"({low} to {high})"


def _what_would_show(compared: Comparison | SuiteComparison, margin: float) -> str:
    """Return how many samples like these would show what is required; of a margin above 0 that."""
    if isinstance(compared, SuiteComparison):
        return ""
    if compared.detection is None:
        return "; no answer differs"
    if margin:
        n_needed = compared.samples_in_words(margin, are_equal=True)
        passed = f"{compared.detection._replace(growth=0.0).difference():.2g}"
        remark = f"; a model that is as good passes about {passed}, {margin:g} takes {n_needed}"
    else:
        n_needed = compared.samples_in_words(compared.difference)
        shown = f"samples like these can show about {compared.detectable:.2g}"
        remark = f"; {shown}, {compared.difference:.2g} takes {n_needed}"
    if compared.n_different < _FEW_DIFFERENT:
        remark += f"; only {compared.n_different} answers differ"
    return remark


def _same_answers(compared: Comparison | SuiteComparison) -> str:
    """Return what samples on which no answer differs would not show."""
    if isinstance(compared, SuiteComparison):
        return f"the same answers on all {len(compared.tasks)} tasks"
    same = f"the same answers on {compared.n_samples:,} samples"
    unseen = f"a change of {compared.metric} by less than about {compared.unseen:.2g}"
    return f"{same}; {unseen} would not be seen"
