"""Two models over the tasks that the logs of both have."""

from collections.abc import Sequence
from typing import Any

from ..errors import prefix_errors
from ..inference.registry import score_with_average
from ..results.comparison import Comparison
from ..results.suite import SuiteComparison, suite_of
from ..text.render import shown
from ..warnings import prefix_warnings
from .answers import Answers
from .report import several_of


def compare_logs(
    answers_a: Sequence[Answers],
    answers_b: Sequence[Answers],
    margin: float | None = None,
    **options: Any,
) -> SuiteComparison:
    """Return the comparison over all tasks that both have, as one variant and epoch of one run.

    Parameters
    ----------
    answers_a, answers_b : sequence of Answers
        As `read_log` returns them.
    margin
        As in `compare_tasks`.
    **options
        metric, average and confidence_level, as in `compare`.

    Raises
    ------
    ValueError
        If the runs of a task hold different samples or references; the message names the task.
    """
    comparisons: dict[str, Comparison] = {}
    left_out: list[str] = []
    for task in dict.fromkeys(answers.task_name for answers in (*answers_a, *answers_b)):
        of_a, of_b = ([x for x in side if x.task_name == task] for side in (answers_a, answers_b))
        name = shown(task)
        if not of_a or not of_b:
            left_out.append(f"{name}, which only {'A' if of_a else 'B'} has")
        elif several := several_of([vars(x) for x in max(of_a, of_b, key=len)]):
            left_out.append(f"{name}, which has {several}")
        elif len(set(of_a[0].references)) < 2:
            left_out.append(f"{name}, whose references are all {of_a[0].references[0]!r}")
        else:
            with prefix_errors(name), prefix_warnings(name):
                comparisons[task] = of_a[0].compare(of_b[0], **options)
    score = score_with_average(options["metric"], options["average"])
    return suite_of(comparisons, left_out, score, margin)
