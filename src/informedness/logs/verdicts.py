"""From what was answered, and whether the harness counts it as right, to the class answered.

One rule for all harnesses, inside them and from their logs: the share of right answers is the
harness's own. What it counts as right is the target's class. What it counts as wrong is the class
that the text reads as, in a way of reading that fits all verdicts.
"""

import math
import re
import string
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ..core.labels import Label, show
from ..files.columns import listed
from ..text.render import cut

_Classes = Mapping[str, Label]  # what each class is called
_Fold = Callable[[str], str]


class VerdictError(ValueError):
    """No way of reading the answers fits what the harness counts as right."""


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def strip_and_fold(text: str) -> str:
    """Return text without a difference of case or whitespace."""
    return " ".join(text.casefold().split())


def _without_punctuation(text: str) -> str:
    return strip_and_fold(text.translate(_NO_PUNCTUATION))


def _reader(
    classes: _Classes, fold: _Fold, before: str | None = None, after: str = ""
) -> Callable[[str], Label | None]:
    """Return what finds the class in a text: all of it, or what stands between two patterns."""
    by_text = {fold(text): label for text, label in classes.items()}
    if any(by_text[fold(text)] != label for text, label in classes.items()):
        return lambda text: None  # two classes would be one
    if before is None:
        return lambda text: by_text.get(fold(text))
    longest_first = sorted(map(re.escape, by_text), key=len, reverse=True)
    pattern = re.compile(f"{before}({'|'.join(longest_first)}){after}")

    def read(text: str) -> Label | None:
        found = {by_text[name] for name in pattern.findall(fold(text))}
        return found.pop() if len(found) == 1 else None

    return read


# What was answered may be told from the rest of a text only if the harness tells it so too.
_WITHIN = ((r"(?<!\w)", r"\W*$"), (r"^\W*", r"(?!\w)"), (r"(?<!\w)", r"(?!\w)"), ("", ""))
_READINGS: list[Any] = [
    *((fold,) for fold in (_without_punctuation, strip_and_fold, str.strip, str)),
    *((fold, *around) for fold in (strip_and_fold, str) for around in _WITHIN),
]


def by_verdict(
    answers: Sequence[Any],
    golds: Sequence[Label],
    verdicts: Sequence[Any],
    classes: Sequence[_Classes],
    ids: Sequence[Any],
) -> list[Any]:
    """Return the classes that were answered; a text that is none of them stays as it is.

    A verdict is 1 where the harness counts an answer as right, 0 where as wrong, None where it does
    not say, another number for partial credit, and a list or dict if it has several values.
    `classes` has what they are called in a sample.

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
    rows = list(zip(ids, answers, golds, verdicts, strict=True))
    distinct = {id(of): of for of in classes}
    answered = [i for i, answer in enumerate(answers) if answer is not None]
    right = [i for i in answered if verdicts[i] == 1]
    wrong = [i for i in answered if verdicts[i] == 0]
    fallback, least, is_opposed = None, set(range(len(answers))), False
    for how in _READINGS:
        readers = {key: _reader(of, *how) for key, of in distinct.items()}
        read = [
            readers[id(of)](answer) if isinstance(answer, str) else answer
            for answer, of in zip(answers, classes, strict=True)
        ]
        unread = [i for i in right if read[i] is None]
        told = {answers[i]: golds[i] for i in unread[::-1]}  # by the verdict alone
        found = [told.get(x) if y is None else y for x, y in zip(answers, read, strict=True)]
        against = {i for i, x in enumerate(found) if verdicts[i] not in (None, x == golds[i])}
        if any(found[i] is None for i in wrong):
            against.update(unread)  # or else a wrong answer like these would be no class
        if not against:
            fallback = fallback or found
            if not unread:
                fallback, is_opposed = found, False
                break
        elif len(against) < len(least):
            least = against
        is_opposed |= any(read[i] not in (None, golds[i]) for i in right)
    if fallback is None or is_opposed:
        raise _refusal([rows[i] for i in sorted(least)], len(rows))
    for i, (answer, verdict) in enumerate(zip(answers, verdicts, strict=True)):
        if verdict is None:
            fallback[i] = classes[i].get(answer, answer)
        elif fallback[i] is None:
            fallback[i] = answer
    return fallback


def _refusal(bad: Sequence[tuple[Any, ...]], n_samples: int) -> VerdictError:
    n = f"{len(bad)} of {n_samples} samples"
    first = "; ".join(
        f"{show(name)} answered {cut(show(answer), 60)} where {show(gold)} is right, with verdict "
        f"{show(verdict)}"
        for name, answer, gold, verdict in bad[:3]
    )
    reason = (
        f"the harness's verdict does not fit the answer in {n}, as happens if a model grades the "
        "answers, some get partial credit or a score has several values. The first: "
        f"{first}. Use a scorer that finds the class in the text"
    )
    if all(answer is None for _, answer, *_ in bad):
        reason = f"no answer is logged in {n} that the harness gives credit for. Log the answer"
    return VerdictError(
        f"{reason}, or define how to find it with `extract`, `ignore_case` or `strip`, which "
        "ignore the verdicts; if the targets are positions, name them with `choices`"
    )


def verdict_of(value: Any) -> float | None:
    """Return a logged value if it is a number, the share of credit; None if it says nothing."""
    is_number = isinstance(value, (bool, int, float)) and not math.isnan(value)
    return float(value) if is_number else None


def verdict_metric(
    logged: Sequence[Mapping[str, Any]], known: Sequence[str], wanted: str | None = None
) -> tuple[str, dict[str, float]]:
    """Return the metric that says what is right, "" if none does, and what each counts as right.

    The metric is the wanted one, or else the first known one that is a number in all samples.

    Returns
    -------
    metric : str
    shares : dict of str to float
        The share of right answers by each metric of 0 and 1; nan for any other.

    Raises
    ------
    ValueError
        If the wanted metric is not logged, or is not one of 0 and 1.
    """
    names = dict.fromkeys(x for of_sample in logged for x, y in of_sample.items() if y is not None)
    # lighteval writes the options of a metric behind its name, such as a normalisation
    shortest_first = sorted(names, key=len)
    values = {name: [verdict_of(x.get(name)) for x in logged] for name in shortest_first}
    shares = {
        name: of_name.count(1.0) / len(of_name) if {*of_name} <= {0.0, 1.0} else math.nan
        for name, of_name in values.items()
    }
    offered = [name for name, of_name in values.items() if None not in of_name]
    if wanted is not None:
        known, offered = [wanted], [name for name in shares if not math.isnan(shares[name])]
    chosen = [y for x in known for y in offered if x in (y, y.partition(":")[0])]
    if wanted is not None and not chosen:
        rule = f"`verdict` must be a metric of 0 and 1 in the log: {listed(offered, wanted)}"
        raise ValueError(f"{rule}, got {wanted!r}")
    return (*chosen, "")[0], shares


def likeliest(
    metric: str, logprobs: Sequence[float], choices: Sequence[str], tokens: Sequence[Any] = ()
) -> int:
    """Return the position of the choice that a metric takes for the answer, the first of equals.

    Parameters
    ----------
    metric : str
        The accuracy of a harness, which may divide by the length of the choices, or take off what
        they have without the question.
    logprobs : sequence of float
        Of the choices, perhaps followed by those without the question.
    choices : sequence of str
    tokens : sequence of list, optional
        Those of each choice.
    """
    k = len(choices)
    sizes, less = [1] * k, [0.0] * k
    if metric in ("acc_norm", "acc_bytes"):
        sizes = [len(x) if metric == "acc_norm" else len(x.encode()) for x in choices]
    elif metric == "acc_norm_token" and tokens:
        sizes = [*map(len, tokens[:k])]
    elif metric in ("acc_mutual_info", "acc_norm_pmi") and logprobs[k:]:
        less = [*logprobs[k:]]
    scores = [(x - y) / (n or 1) for x, y, n in zip(logprobs[:k], less, sizes, strict=True)]
    return scores.index(max(scores))
