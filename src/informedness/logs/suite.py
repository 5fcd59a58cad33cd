"""Two models over the tasks that the logs of both have."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from ..inputs.columns import naming
from ..results.suite import SuiteComparison, suite_of
from ..statistics.registry import averaged_score
from ..warnings import naming_warnings
from .answers import Answers


def compare_logs(
    answers_a: Sequence[Answers], answers_b: Sequence[Answers], **options: Any
) -> SuiteComparison:
    """Return the comparison over all tasks that both have, as one variant and epoch of one run.

    Parameters
    ----------
    answers_a, answers_b : sequence of Answers
        As `read_log` returns them.
    **options
        metric, average and confidence_level, as in `compare`.

    Raises
    ------
    ValueError
        If the runs of a task hold different samples or references; the message names the task.
    """
    sides = [{one.task: one for one in answers} for answers in (answers_a, answers_b)]
    n_runs = [Counter(one.task for one in answers) for answers in (answers_a, answers_b)]
    made, left_out = {}, list[str]()
    for task in dict.fromkeys([*sides[0], *sides[1]]):
        times = [runs[task] for runs in n_runs]
        if 0 in times:
            left_out.append(f"{task}, which only {'AB'[times[0] == 0]} has")
        elif max(times) > 1:
            how = "choose one with --variant, --epoch or --run"
            left_out.append(f"{task}, which has {max(times)} variants, epochs or runs ({how})")
        else:
            a, b = (side[task] for side in sides)
            with naming(task), naming_warnings(task):
                if len(set(a.references)) < 2:
                    left_out.append(f"{task}, whose references are all {a.references[0]!r}")
                else:
                    made[task] = a.compare(b, **options)
    score = averaged_score(options["metric"], options["average"])
    return suite_of(made, left_out, score)
