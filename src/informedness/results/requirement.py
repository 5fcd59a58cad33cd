"""Decide whether a comparison or a score lets a build pass, and say why in a line.

A result without an interval, or with an IntervalWarning, is never taken as evidence.
"""

import math
from typing import NamedTuple

from ..messages import with_subject
from ..text.render import rounded
from .comparison import Comparison, margin_in_words
from .estimate import Estimate
from .suite import SuiteComparison

_FEW_DIFFERENT = 30  # if fewer predictions differ, the line gives their number


class Decision(NamedTuple):
    """Whether a build fails, and a remark, which may be empty if the build passes."""

    failed: bool
    remark: str


def decide_required(compared: Comparison | SuiteComparison, required: str) -> Decision:
    """Fail unless a comparison shows that B is "better", or "not-worse": by at most its margin.

    Equal predictions pass as "not-worse", although they prove nothing: users first try an unchanged
    model. With several tasks, the mean decides.
    """
    is_shown, verdict = bool(compared.within_margin), _worse_in_words(compared)
    if required == "better":
        is_shown = compared.verdict == "better"
        verdict = "B is worse" if compared.verdict == "worse" else "B is not shown to be better"
    elif not compared.n_different:
        return Decision(False, _same_answers(compared))
    if reason := _why_nothing(compared):
        return Decision(True, with_subject(f"this does not show whether B is {required}", reason))
    if is_shown:
        return Decision(False, "")
    is_settled = verdict.startswith("B is worse")  # so do not suggest more samples
    remark = "" if is_settled else _what_would_show(compared, required)
    return Decision(True, f"{verdict} {_bounds(compared)}{remark}")


def decide_worse(compared: Comparison | SuiteComparison) -> Decision:
    """Fail if a comparison shows that B is worse, by more than its margin if it has one."""
    if not compared.n_different:
        return Decision(False, _same_answers(compared))
    if reason := _why_nothing(compared):
        return Decision(False, with_subject("this does not show whether B is worse", reason))
    if compared.confidence_interval[1] < -(compared.margin or 0.0):
        return Decision(True, f"{_worse_in_words(compared)} {_bounds(compared)}")
    return Decision(False, "")


def decide_least(estimate: Estimate, least: float) -> Decision:
    """Fail unless the whole interval of a score is at or above a least value."""
    if reason := _why_nothing(estimate):
        shown = f"this does not show whether {estimate.metric} is at least {least:g}"
        return Decision(True, with_subject(shown, reason))
    low, high = estimate.confidence_interval
    if low >= least:
        return Decision(False, "")
    verb = "is" if high < least else "may be"
    return Decision(True, f"{estimate.metric} {verb} below {least:g} {_bounds(estimate)}")


def _why_nothing(result: Comparison | SuiteComparison | Estimate) -> str:
    """Return why a result shows nothing; empty if its interval is reliable."""
    has_interval = not math.isnan(result.confidence_interval[0])
    return result.caveat or ("" if has_interval else "there is no interval")


def _worse_in_words(compared: Comparison | SuiteComparison) -> str:
    if compared.margin is None:
        return "B is worse"
    interval = compared.confidence_interval
    return margin_in_words(compared.margin, compared.within_margin, interval)


def _bounds(result: Comparison | SuiteComparison | Estimate) -> str:
    low, high = (rounded(bound, 3) for bound in result.confidence_interval)
    return f"({low} to {high})"


def _what_would_show(compared: Comparison | SuiteComparison, required: str) -> str:
    """Describe how many samples like these would meet the requirement; empty for several tasks."""
    if isinstance(compared, SuiteComparison):
        return ""
    detection = compared.detection
    if detection is None:
        return "; no answer differs"
    size, least = compared.difference, "samples like these can show"
    if required == "not-worse":
        size, least = compared.margin or 0.0, "a model that is as good passes"
        detection = detection._replace(growth=0.0)  # an equally good model adds no disagreements
    n_needed = compared.samples_in_words(size, detection)
    remark = f"; {least} about {detection.difference():.2g}, {size:.2g} takes {n_needed}"
    if compared.n_different < _FEW_DIFFERENT:
        remark += f"; only {compared.n_different} answers differ"
    return remark


def _same_answers(compared: Comparison | SuiteComparison) -> str:
    """Describe the change that may go unseen if no prediction differs."""
    if isinstance(compared, SuiteComparison):
        return f"the same answers on all {len(compared.tasks)} tasks"
    same = f"the same answers on {compared.n_samples:,} samples"
    unseen = f"a change of {compared.metric} by less than about {compared.max_unseen:.2g}"
    return f"{same}; {unseen} would not be seen"
