"""From what was answered, and whether the harness counts it as right, to the class answered.

One rule for all harnesses, inside them and from their logs: the share of right answers is the
harness's own. What it counts as right is the target's class. What it counts as wrong is the class
that the text reads as, in a way of reading that fits all verdicts.
"""

from __future__ import annotations

import math
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from decimal import Decimal
from statistics import fmean
from typing import Any, NamedTuple

from ..core.labels import Label, show
from ..files.columns import listed
from ..text.render import cut, samples

_ClassNames = Mapping[str, Label]  # what each class is called
_Fold = Callable[[str], str]


class VerdictError(ValueError):
    """No metric is the verdict, or no way of reading the answers fits it."""


_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)


def strip_and_fold(text: str) -> str:
    """Return text without a difference of case or whitespace."""
    return " ".join(text.casefold().split())


def _without_punctuation(text: str) -> str:
    return strip_and_fold(text.translate(_NO_PUNCTUATION))


# A letter with such signs directly before or behind it is no answer, such as that in "@,,c".
_BEFORE, _BEHIND = r"(?<![-@#%&+/,;.!?^\\)\]}])", r"(?![.,:;!?]*[-@#%&+/^=])"


def _pattern(name: str) -> str:
    is_letter = len(name) == 1 and name.isascii() and name.isalnum()
    return f"{_BEFORE}{name}{_BEHIND}" if is_letter else re.escape(name)


def _reader(
    class_names: _ClassNames,
    as_pattern: Callable[[str], str],
    fold: _Fold,
    before: str | None = None,
    after: str = "",
) -> Callable[[str], Label | None]:
    """Return what finds the class in a text: all of it, or what stands between two patterns."""
    by_text = {fold(text): label for text, label in class_names.items()}
    if any(by_text[fold(text)] != label for text, label in class_names.items()):
        return lambda text: None  # two classes would be one
    longest_first = map(as_pattern, sorted(by_text, key=len, reverse=True))
    pattern = re.compile(f"{before or ''}({'|'.join(longest_first)}){after}")

    def label_of_all(text: str) -> Label | None:
        name = fold(text)
        is_noise = len(name) == 1 and not re.search(as_pattern(name), text, re.IGNORECASE)
        return None if is_noise else by_text.get(name)

    def label_within(text: str) -> Label | None:
        labels = {by_text[name] for name in pattern.findall(fold(text))}
        return labels.pop() if len(labels) == 1 else None

    return label_of_all if before is None else label_within


# What was answered may be told from the rest of a text only if the harness tells it so too.
_WITHIN = ((r"(?<!\w)", r"\W*$"), (r"^\W*", r"(?!\w)"), (r"(?<!\w)", r"(?!\w)"), ("", ""))
_READINGS: list[Any] = [
    *((fold,) for fold in (_without_punctuation, strip_and_fold, str.strip, str)),
    *((fold, *around) for fold in (strip_and_fold, str) for around in _WITHIN),
]
# and a letter in other signs is one only if the harness says so
_READINGS = [(pattern, *reading) for pattern in (_pattern, re.escape) for reading in _READINGS]


def by_verdict(
    answers: Sequence[Any],
    golds: Sequence[Label],
    verdicts: Sequence[Any],
    class_names: Sequence[_ClassNames],
    ids: Sequence[Any],
) -> list[Any]:
    """Return the classes that were answered; a text that is none of them stays as it is.

    A verdict is 1 where the harness counts an answer as right, 0 where as wrong, None where it does
    not say, another number for partial credit, and a list or dict if it has several values.
    `class_names` has what the classes are called in each sample.

    Raises
    ------
    VerdictError
        If no way of reading the texts fits all verdicts, as where a model grades the answers.

    Examples
    --------
    >>> class_names = [{"yes": "yes", "no": "no"}] * 3
    >>> by_verdict(["Yes", "NO", "I refuse"], ["yes"] * 3, [1, 0, 0], class_names, "abc")
    ['yes', 'no', 'I refuse']
    """
    tried: list[_Fit] = []
    for reading in _READINGS:
        labels = _labels_read(answers, class_names, reading)
        tried.append(_fit_of(labels, answers, golds, verdicts))
        if tried[-1].is_full:
            break
    chosen = _chosen(tried, golds)
    if chosen is None:
        fewest = min((fit.against for fit in tried if fit.against), key=len, default=())
        raise _refusal([(ids[i], answers[i], golds[i], verdicts[i]) for i in sorted(fewest)], golds)
    labels = chosen.labels
    for i, (answer, verdict) in enumerate(zip(answers, verdicts, strict=True)):
        if verdict is None:
            labels[i] = class_names[i].get(answer, answer)
        elif labels[i] is None:
            labels[i] = answer
    return labels


class _Fit(NamedTuple):
    """How the labels that a way of reading finds fit the verdicts."""

    labels: list[Any]
    against: set[int]  # samples with another verdict
    is_full: bool  # all verdicts fit, and tell no label
    is_mostly_told: bool  # of most right answers only the verdict says what they are
    is_opposed: bool  # a right answer reads as another class


def _fit_of(
    labels: list[Any], answers: Sequence[Any], golds: Sequence[Label], verdicts: Sequence[Any]
) -> _Fit:
    answered = [i for i, answer in enumerate(answers) if answer is not None]
    right = [i for i in answered if verdicts[i] == 1]
    unread = [i for i in right if labels[i] is None]
    is_opposed = any(labels[i] not in (None, golds[i]) for i in right)

    # an unread text is the class that the verdict tells, at its first sample and at all others
    told = {answers[i]: golds[i] for i in reversed(unread)}
    pairs = zip(answers, labels, strict=True)
    labels = [told.get(x) if label is None else label for x, label in pairs]
    is_gold = [label == gold for label, gold in zip(labels, golds, strict=True)]
    against = {i for i, verdict in enumerate(verdicts) if verdict not in (None, is_gold[i])}
    if any(labels[i] is None for i in answered if verdicts[i] == 0):
        against.update(unread)  # or else a wrong answer like these would be no class
    is_full = not against and not unread
    return _Fit(labels, against, is_full, 2 * len(unread) > len(right), is_opposed)


def _chosen(tried: Sequence[_Fit], golds: Sequence[Label]) -> _Fit | None:
    """Return the full fit, or else the first; None if right answers contradict or are open."""
    if tried[-1].is_full:
        return tried[-1]
    fitting = [fit for fit in tried if not fit.against]
    if not fitting or any(fit.is_opposed for fit in tried):
        return None
    are_open = _are_texts(golds) and fitting[0].is_mostly_told
    return None if are_open else fitting[0]


def _labels_read(
    answers: Sequence[Any], class_names: Sequence[_ClassNames], reading: Sequence[Any]
) -> list[Any]:
    """Return the label of each answer by a way of reading, None where it has none."""
    distinct = {id(names): names for names in class_names}
    readers = {key: _reader(names, *reading) for key, names in distinct.items()}
    return [
        readers[id(names)](answer) if isinstance(answer, str) else answer
        for answer, names in zip(answers, class_names, strict=True)
    ]


def _are_texts(golds: Sequence[Label]) -> bool:
    """Return whether most targets are texts of their own, not classes."""
    return 2 * len(set(golds)) > max(len(golds), 8)


def _refusal(bad: Sequence[tuple[Any, ...]], golds: Sequence[Label]) -> VerdictError:
    n_golds, n_samples = len(set(golds)), len(golds)
    if _are_texts(golds):
        texts = (
            f"{n_golds} different ones in {n_samples} samples, such as {cut(show(golds[0]), 60)}"
        )
        return VerdictError(f"the targets are texts of their own, not classes: {texts}")
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
    elif not any(isinstance(answer, str) for _, answer, *_ in bad):
        return VerdictError(reason)
    reason += ", or define how to find it with `extract`, `ignore_case` or `strip`, which ignore "
    reason += "the verdicts"
    if all(str(gold).isdecimal() for gold in golds):
        reason += "; if the targets are positions, name them with `choices`"
    return VerdictError(reason)


def verdict_metric(
    logged: Sequence[Mapping[str, Any]], known: Sequence[str], wanted: str | None = None
) -> tuple[str, list[float | None], dict[str, float]]:
    """Return the metric that says what is right, its verdicts, and what each counts as right.

    The metric is the wanted one, or else the first known one that is a number in all samples.

    Returns
    -------
    metric : str
        "" if none says what is right.
    verdicts : list of float or None
        The share of credit of each sample; None where the log says nothing.
    shares : dict of str to float
        The share of right answers by each metric of 0 and 1; nan for any other.

    Raises
    ------
    VerdictError
        If the wanted metric is not logged, or is not one of 0 and 1.
    """
    names = dict.fromkeys(x for row in logged for x, value in row.items() if _is_value(value))
    # lighteval writes the options of a metric behind its name, such as a normalisation
    shortest_first = sorted(names, key=len)
    verdicts = {name: [_credit(row.get(name)) for row in logged] for name in shortest_first}
    shares = {
        name: credits.count(1.0) / len(credits) if {*credits} <= {0.0, 1.0} else math.nan
        for name, credits in verdicts.items()
    }
    offered = [name for name, credits in verdicts.items() if None not in credits]
    if wanted is not None:
        known, offered = [wanted], [name for name in shares if not math.isnan(shares[name])]
    metric = first_known(offered, known)
    if wanted is not None and not metric:
        rule = f"`verdict` must be a metric of 0 and 1 in the log: {listed(offered, wanted)}"
        raise VerdictError(f"{rule}, got {wanted!r}")
    return metric, verdicts.get(metric, [None] * len(logged)), shares


def first_known(offered: Sequence[str], known: Sequence[str]) -> str:
    """Return the first known metric that is offered, perhaps with options behind a colon, or ""."""
    chosen = [x for name in known for x in offered if name in (x, x.partition(":")[0])]
    return chosen[0] if chosen else ""


def _is_value(value: Any) -> bool:
    """Return whether what is logged of a metric may say what is right; ours log an object."""
    return value is not None and not isinstance(value, Mapping)


def _credit(value: Any) -> float | None:
    """Return a logged value if it is a number; None if it says nothing."""
    is_number = isinstance(value, (bool, int, float)) and not math.isnan(value)
    return float(value) if is_number else None


class Totals(NamedTuple):
    """The number of samples and the share of right answers; None where it is not known."""

    n_samples: int | None = None
    accuracy: float | None = None

    @classmethod
    def from_verdicts(cls, verdicts: Iterable[tuple[Any, Any]]) -> Totals:
        """Return the totals of pairs of (sample, verdict); None as a verdict does not count.

        Of a sample with several verdicts, one for each epoch, their mean counts.
        """
        by_sample: defaultdict[Any, list[float]] = defaultdict(list)
        for sample, verdict in verdicts:
            if (credit := _credit(verdict)) is not None:
                by_sample[sample].append(credit)
        return cls(len(by_sample), fmean(map(fmean, by_sample.values())) if by_sample else None)

    @classmethod
    def from_log(cls, n_samples: Any, accuracy: Any) -> Totals:
        """Return what a harness recorded, of which any may be missing, or damaged."""
        return cls(n_samples if isinstance(n_samples, int) else None, _credit(accuracy))

    def agree(self, recorded: Totals) -> bool | None:
        """Return whether the harness recorded the same; None if it recorded no accuracy.

        Accuracies are compared to the digits that the log holds. An accuracy that this number of
        samples can have exactly, such as 0.5 of 20, is not taken for a rounded one.
        """
        n_samples, accuracy = recorded
        if n_samples not in (None, self.n_samples):
            return False
        if accuracy is None or self.accuracy is None:
            return None
        n_right = accuracy * (self.n_samples or 0)
        n_digits = len(f"{Decimal(repr(accuracy)):f}".partition(".")[2])
        error = 0.0 if abs(n_right - round(n_right)) < 1e-4 else 0.5 / 10**n_digits
        return abs(self.accuracy - accuracy) <= max(error, 1e-6)

    def __str__(self) -> str:
        """Return the accuracy, and of how many samples it is if that is known."""
        accuracy = "none" if self.accuracy is None else f"{self.accuracy:.6g}"
        return accuracy if self.n_samples is None else f"{accuracy} of {samples(self.n_samples)}"


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
    n_choices = len(choices)
    lengths, without_question = [1] * n_choices, [0.0] * n_choices
    if metric == "acc_norm":
        lengths = [*map(len, choices)]
    elif metric == "acc_bytes":
        lengths = [len(text.encode()) for text in choices]
    elif metric == "acc_norm_token" and tokens:
        lengths = [*map(len, tokens[:n_choices])]
    elif metric in ("acc_mutual_info", "acc_norm_pmi") and logprobs[n_choices:]:
        without_question = [*logprobs[n_choices:]]
    columns = zip(logprobs[:n_choices], without_question, lengths, strict=True)
    scores = [(logprob - alone) / (length or 1) for logprob, alone, length in columns]
    return scores.index(max(scores))
