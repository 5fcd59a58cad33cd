"""From what was answered, and whether the harness counts it as right, to the class answered.

One rule for all harnesses, inside them and from their logs: the share of right answers is the
harness' own. What it counts as right is the target's class. What it counts as wrong is the class
that the text reads as, in a way of reading that fits all verdicts.
"""

import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.labels import Label, show
from ..results.text import cut

_Classes = Mapping[str, Label]  # what each class is called
_Reader = Callable[[str], Label | None]


class VerdictError(ValueError):
    """No way of reading the answers fits what the harness counts as right."""


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def strip_and_fold(text: str) -> str:
    """Return text without a difference of case or blanks."""
    return " ".join(text.casefold().split())


def _without_punctuation(text: str) -> str:
    return strip_and_fold(text.translate(_NO_PUNCTUATION))


def _equal(fold: Callable[[str], str]) -> Callable[[_Classes], _Reader]:
    """Return what makes readers of texts that are a class but for what is folded."""

    def make(classes: _Classes) -> _Reader:
        by_text = {fold(text): label for text, label in classes.items()}
        if any(by_text[fold(text)] != label for text, label in classes.items()):
            return lambda text: None  # two classes would be one
        return lambda text: by_text.get(fold(text))

    return make


def _within(before: str, after: str, fold: Callable[[str], str]) -> Callable[[_Classes], _Reader]:
    """Return what makes readers of texts that hold the name of one class."""

    def make(classes: _Classes) -> _Reader:
        by_text = {fold(text): label for text, label in classes.items()}
        longest_first = sorted(map(re.escape, by_text), key=len, reverse=True)
        pattern = re.compile(f"{before}({'|'.join(longest_first)}){after}")

        def read(text: str) -> Label | None:
            found = {by_text[name] for name in pattern.findall(fold(text))}
            return found.pop() if len(found) == 1 else None

        return read

    return make


# What was answered may be told from the rest of a text only if the harness tells it so too.
_READINGS = (
    _equal(_without_punctuation),
    _equal(strip_and_fold),
    _equal(str.strip),
    _equal(str),
    *(
        _within(before, after, fold)
        for fold in (strip_and_fold, str)
        for before, after in (
            (r"(?<!\w)", r"\W*$"),
            (r"^\W*", r"(?!\w)"),
            (r"(?<!\w)", r"(?!\w)"),
            ("", ""),
        )
    ),
)


def by_verdict(
    answers: Sequence[Any],
    golds: Sequence[Label],
    verdicts: Sequence[Any],
    classes: Sequence[_Classes],
    ids: Sequence[Any],
) -> list[Any]:
    """Return the classes that were answered; a text that is none of them stays as it is.

    A verdict is 1 where the harness counts an answer as right, 0 where as wrong, None where it does
    not say, and another number for partial credit. `classes` has what they are called in a sample.

    Raises
    ------
    VerdictError
        If no way of reading the texts fits all verdicts, as where a model grades the answers.

    Examples
    --------
    >>> classes = [{"yes": "yes", "no": "no"}] * 3
    >>> by_verdict(["Yes", "NO", "I refuse"], ["yes"] * 3, [1, 0, 0], classes, "abc")
    ['yes', 'no', 'I refuse']
    """
    if partial := [i for i, x in enumerate(verdicts) if x not in (None, 0, 1)]:
        raise _refusal(answers, golds, verdicts, ids, partial)
    fallback, least, is_opposed = None, set(range(len(answers))), False
    for make in _READINGS:
        readers = {key: make(of) for key, of in {id(of): of for of in classes}.items()}
        read = [
            readers[id(of)](answer) if isinstance(answer, str) else answer
            for answer, of in zip(answers, classes, strict=True)
        ]
        found, against, opposed, unread = _judged(answers, golds, verdicts, read)
        if not against and not unread:
            break
        if not against and fallback is None:
            fallback = found
        if 0 < len(against) < len(least):
            least = against
        is_opposed |= bool(opposed)
    else:
        if fallback is None or is_opposed:
            raise _refusal(answers, golds, verdicts, ids, sorted(least))
        found = fallback
    for i, verdict in enumerate(verdicts):
        if verdict is None:
            found[i] = classes[i].get(answers[i], answers[i])
    return found


def _refusal(
    answers: Sequence[Any],
    golds: Sequence[Label],
    verdicts: Sequence[Any],
    ids: Sequence[Any],
    bad: Sequence[int],
) -> VerdictError:
    said = {0: "wrong", 1: "right"}
    first = [
        f"{show(ids[i])} answered {cut(show(answers[i]), 60)} where {show(golds[i])} is right, and "
        f"counts as {said.get(verdicts[i], verdicts[i])}"
        for i in bad[:3]
    ]
    are_positions = all(str(gold).isdigit() for gold in golds)
    return VerdictError(
        f"the harness' verdict does not fit the answer in {len(bad)} of {len(answers)} samples, as "
        "where a model grades the answers, or some get partial credit: "
        + "; ".join([*first, *["..."][: len(bad) - 3]])
        + ": use a scorer that finds the class in the text, or say how to find it with `extract`, "
        "`ignore_case` or `strip`, which leave the verdicts out"
        + (", or name what the targets are positions of with `choices`" if are_positions else "")
    )


def _judged(
    answers: Sequence[Any], golds: Sequence[Label], verdicts: Sequence[Any], read: Sequence[Any]
) -> tuple[list[Any], set[int], list[int], list[int]]:
    """Return the classes answered by one way of reading, and which samples it does not fit.

    Of these come last those that count as right and read as another class, and as no class.
    """
    right = [i for i, verdict in enumerate(verdicts) if verdict and answers[i] is not None]
    unread = [i for i in right if read[i] is None]
    opposed = [i for i in right if read[i] not in (None, golds[i])]
    against = {*opposed, *(i for i, x in enumerate(verdicts) if x and answers[i] is None)}
    told: dict[str, Label] = {}
    for i in unread:
        if told.setdefault(answers[i], golds[i]) != golds[i]:
            against.add(i)
    found: list[Any] = []
    for i, verdict in enumerate(verdicts):
        label = golds[i] if verdict else read[i]
        if label is None and answers[i] is not None:
            label = told.get(answers[i])
            if label is None and verdict is not None:
                against.update(unread)  # or else a wrong answer like these would be no class
        if verdict == 0 and label == golds[i]:
            against.add(i)
        found.append(answers[i] if label is None else label)
    return found, against, opposed, unread


def verdict_of(value: Any) -> float | None:
    """Return a logged value if it is a number, the share of credit; None if it says nothing."""
    if isinstance(value, (bool, int, float)) and not math.isnan(value):
        return float(value)
    return None


def verdict_metric(logged: Sequence[Mapping[str, Any]], known: Sequence[str]) -> str | None:
    """Return the metric that says what is right: the first known one that all samples have."""
    first = logged[0] if logged else {}
    for prefix in known:
        for name in first:
            # lighteval writes the options of a metric behind its name
            if name.partition(":")[0] == prefix and all(
                verdict_of(of_sample.get(name)) is not None for of_sample in logged
            ):
                return name
    return None


def likeliest(logprobs: Sequence[float], sizes: Sequence[float], less: Sequence[float]) -> int:
    """Return the position of the highest log-probability, the first if several are equal.

    From each is taken what it is without the question, and the rest divided by its size.
    """
    scores = [(x - y) / size for x, y, size in zip(logprobs, less, sizes, strict=True)]
    return scores.index(max(scores))
