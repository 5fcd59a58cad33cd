"""Two logs of one task, joined by the harness' sample identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..core.labels import show
from ..inputs.containers import read_quickly
from ..inputs.samples import joined_sides
from ..results.comparison import Comparison, compare
from .answers import Answers


def compare_answers(a: Answers, b: Answers, **options: Any) -> Comparison:
    """Compare two models' answers in one task, joined by the harness' sample identifiers.

    Parameters
    ----------
    a, b : Answers
        As `read_log` returns them.
    **options
        As in `compare`, except `labels` and `unknown`: the classes are those of the logs, and
        unknown answers are wrong.

    Raises
    ------
    ValueError
        If the two are of different tasks or classes, hold different samples or references, or were
        asked different prompts.
    """
    for what in ("harness", "task", "classes"):
        of_a, of_b = getattr(a, what), getattr(b, what)
        if of_a != of_b:
            raise ValueError(
                f"`a` and `b` must be runs of one task, got the {what} {show(of_a)} and "
                f"{show(of_b)}"
            )
    names = [a.name, b.name] if a.name != b.name else [f"{a.name} (A)", f"{b.name} (B)"]
    left, right = joined_sides([_columns(a), _columns(b)], names, "sample identifiers")
    return compare(
        left["references"],
        left["predictions"],
        right["predictions"],
        labels=a.classes,
        unknown="wrong",
        **options,
    )


def one_run(read: Sequence[Answers], name: str) -> Answers:
    """Return the only run that was read.

    Raises
    ------
    ValueError
        If there are several; the message names them.
    """
    if len(read) != 1:
        runs = "; ".join(answers.name for answers in read)
        raise ValueError(
            f"{name}: must hold one run to compare, got {len(read)} ({runs}): choose with --task "
            "and --variant, or name one log"
        )
    return read[0]


def _columns(answers: Answers) -> dict[str, Any]:
    """Return the columns of one side of a join."""
    columns = {
        "on": answers.ids,
        "references": answers.references,
        "prompts": answers.prompts,
        "predictions": answers.known_predictions(),
    }
    return {name: read_quickly(list(values), name) for name, values in columns.items()}
