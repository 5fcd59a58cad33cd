"""Find the class of an answer from its text and the harness's verdict.

If all answers have verdicts, the accuracy of the classes is the share of answers that the harness
counts as right. An answer that it counts as right has the class of the reference. A wrong answer
has the class that its text names, or is out of class. The rule that finds classes in texts, called
a reading, must agree with all verdicts.
"""

from __future__ import annotations

import math
import re
import string
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from decimal import Decimal
from statistics import fmean
from typing import Any, NamedTuple, TypeAlias

from ..core.labels import Label, show
from ..errors import prefix_errors
from ..files.columns import name_list
from ..messages import Message, join, message, with_subject
from ..text import render

ClassNames: TypeAlias = Mapping[str, Label]  # maps the names of a sample's classes to the classes


class VerdictError(ValueError):
    """The metric of the verdicts cannot be used, or the verdicts do not show the classes."""


class Sample(NamedTuple):
    """A sample of a task, with the answer of a model.

    Attributes
    ----------
    id : str or int
        The identifier in the log, the same in every run of the task. While lm-eval or lighteval
        runs a task, it is the position of the sample.
    reference : label or None
        The class of the right answer; None while a sample with several right answers is read.
    prediction : label or None
        The answer of the model: its class, or its text if the class is not found; None if missing.
    verdict : float, list, dict or None
        1 if the harness counts the answer as right, 0 if it counts the answer as wrong, None if
        unknown. Any other number is partial credit. A list or a dict is a score of several values.
    prompt : str
        The prompt or a hash of it, equal for equal prompts.
    completion : str or None
        The output of the model, if the log has no answer.
    document : str
        A hash of the document, independent of the prompt; "" if the log does not have a hash.
    choices : tuple of str
        The texts of the choices in this sample, if references are positions in them; otherwise
        empty.
    group : str
        The identifier that all answers to the sample share; "" if samples have one answer each.
    """

    id: Any
    reference: Any
    prediction: Any
    verdict: Any = None
    prompt: str = ""
    completion: str | None = None
    document: str = ""
    choices: tuple[str, ...] = ()
    group: str = ""


# Samples that cannot be read

# Exceptions that reading a damaged log may raise
DAMAGES = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


class SeveralTargetsError(ValueError):
    """A sample has several right answers."""


class SkippedSamples(list[Message]):
    """Messages about samples that are not scored because they have several right answers."""

    @contextmanager
    def skip(self, name: str) -> Iterator[None]:
        """Skip a sample with several right answers; prefix other errors with the sample's name."""
        with prefix_errors(name, *DAMAGES):
            try:
                yield
            except SeveralTargetsError as error:
                self.append(with_subject(name, error))

    def check(self, n_samples: int) -> None:
        """Raise ValueError if more than one in five samples have several right answers."""
        if 5 * len(self) > n_samples:
            share = f"{len(self)} of {n_samples} samples have several right answers"
            raise ValueError(join([self[0], f"{share}, but at most one in five may be left out"]))


def only_target(targets: Sequence[Any]) -> Any:
    """Get the only right answer of a sample.

    Raise SeveralTargetsError if there are several, and another ValueError if there is none.
    """
    if len(targets) == 1:
        return targets[0]
    text = f"the sample must have exactly one right answer, got {show(targets)}"
    raise SeveralTargetsError(text) if targets else ValueError(text)


# Readings of a text

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
# A single letter or digit next to these signs is not an answer, for example "c" in "@,,c".
_NO_SIGN_BEFORE, _NO_SIGN_AFTER = r"(?<![-@#%&+/,;.!?^\\)\]}])", r"(?![.,:;!?]*[-@#%&+/^=])"


def _fold_case(text: str) -> str:
    """Fold case, strip whitespace, and replace inner whitespace by single spaces."""
    return " ".join(text.casefold().split())


def _fold_punctuation(text: str) -> str:
    """Remove ASCII punctuation, and fold case and whitespace."""
    return _fold_case(text.translate(_NO_PUNCTUATION))


def _fold_clear_punctuation(text: str) -> str:
    """Fold case and remove punctuation, unless the text is a letter or digit next to some signs.

    Next to the signs above, a letter or digit is not an answer, so its text stays unchanged.
    """
    name = _fold_punctuation(text)
    is_noise = len(name) == 1 and not re.search(_letter_pattern(name), text, re.IGNORECASE)
    return text if is_noise else name


def _letter_pattern(name: str) -> str:
    """Make a pattern for a name; a single letter or digit must not be next to the signs above."""
    is_letter = len(name) == 1 and name.isascii() and name.isalnum()
    return f"{_NO_SIGN_BEFORE}{name}{_NO_SIGN_AFTER}" if is_letter else re.escape(name)


# A reading has a function that makes the pattern of a name, a function that folds texts, and
# patterns before and after the name. Later readings fold less of the text, search inside longer
# text, or accept a letter next to signs. They are used only if no earlier reading agrees with all
# verdicts and finds a class in every right answer.
_FULL_TEXT = (r"\A", r"\Z")
_BOUNDARIES = ((r"(?<!\w)", r"\W*$"), (r"^\W*", r"(?!\w)"), (r"(?<!\w)", r"(?!\w)"), ("", ""))
_FOLDED = [(fold, *_FULL_TEXT) for fold in (_fold_case, str.strip, str)]
_FOLDED += [(fold, *ends) for fold in (_fold_case, str) for ends in _BOUNDARIES]
_READINGS: list[Any] = [(_letter_pattern, _fold_clear_punctuation, *_FULL_TEXT)]
_READINGS += [(_letter_pattern, *x) for x in _FOLDED]
_READINGS += [(re.escape, *x) for x in ((_fold_punctuation, *_FULL_TEXT), *_FOLDED)]


def _reader(class_names: ClassNames, reading: Any) -> Callable[[Sample], Any]:
    """Make a function that finds the class in an answer, or None unless there is exactly one class.

    An answer without a verdict, or other than text, has a class only if it equals the name of the
    class. Otherwise it stays unchanged.
    """
    as_pattern, fold, before, after = reading
    by_text = {fold(text): label for text, label in class_names.items()}
    # Folding may make the names of two classes equal. The reading then finds no class.
    is_merging = any(by_text[fold(text)] != label for text, label in class_names.items())
    longest_first = map(as_pattern, sorted(by_text, key=len, reverse=True))
    pattern = re.compile(f"{before}({'|'.join(longest_first)}){after}")

    def label_of(sample: Sample) -> Any:
        answer = sample.prediction
        if sample.verdict is None or not isinstance(answer, str):
            return class_names.get(answer, answer)
        labels = {by_text[name] for name in pattern.findall(fold(answer))}
        return labels.pop() if len(labels) == 1 and not is_merging else None

    return label_of


# Choosing the reading that agrees with the verdicts


class _Fit(NamedTuple):
    """The labels that a reading finds in answers, and whether they agree with the verdicts.

    The label of an answer without a class is the answer itself.
    """

    labels: list[Any]
    contradicted: set[int]  # positions of samples whose label contradicts the verdict
    unread_share: float  # share of the right answers in which the reading does not find a class
    is_opposed: bool  # whether a right answer names a class other than its reference


def find_classes(samples: Sequence[Sample], class_names: Sequence[ClassNames]) -> list[Any]:
    """Find the class that each answer names, and leave answers without a class unchanged.

    Parameters
    ----------
    samples : sequence of Sample
    class_names : sequence of mapping of str to label
        For each sample, a mapping from names to classes.

    Raises
    ------
    VerdictError
        If no reading agrees with all verdicts, for example if a model grades the answers. If each
        reading that agrees misses the class of a right answer, and another reading finds a class
        other than the reference in a right answer. If references are free text, and most right
        answers do not name a class.

    Examples
    --------
    >>> answers = [("a", "yes", "Yes", 1), ("b", "yes", "NO", 0), ("c", "yes", "I refuse", 0)]
    >>> samples = [Sample(*answer) for answer in answers]
    >>> find_classes(samples, [{"yes": "yes", "no": "no"}] * 3)
    ['yes', 'no', 'I refuse']
    """
    fits: list[_Fit] = []
    for reading in _READINGS:
        fit = _fit(samples, _read(samples, class_names, reading))
        if not fit.contradicted and not fit.unread_share:
            return fit.labels
        fits.append(fit)
    # If a right answer names another class, verdicts do not show the classes of unread answers.
    is_opposed = any(fit.is_opposed for fit in fits)
    consistent = [fit for fit in fits if not fit.contradicted and not is_opposed]
    if consistent and (consistent[0].unread_share <= 0.5 or not _has_text_references(samples)):
        return consistent[0].labels
    raise _refusal(fits, samples)


def _read(samples: Sequence[Sample], class_names: Sequence[ClassNames], reading: Any) -> list[Any]:
    """Find the class in each answer by a reading, as `_reader` describes."""
    # Making a reader is slow, and samples usually share their class names.
    distinct = {id(names): names for names in class_names}
    readers = {key: _reader(names, reading) for key, names in distinct.items()}
    return [readers[id(names)](sample) for sample, names in zip(samples, class_names, strict=True)]


def _fit(samples: Sequence[Sample], labels: list[Any]) -> _Fit:
    """Infer the classes that a reading did not find, and compare all labels with the verdicts.

    `labels` holds the results of the reading: None for each answer in which it found no class.
    """
    right = [i for i, x in enumerate(samples) if x.verdict == 1 and x.prediction is not None]
    unread = [i for i in right if labels[i] is None]
    is_opposed = any(labels[i] not in (None, samples[i].reference) for i in right)
    # If an unread text is right in one sample, its class in all samples is that sample's reference.
    by_text = {samples[i].prediction: samples[i].reference for i in reversed(unread)}
    labels = [by_text.get(samples[i].prediction) if x is None else x for i, x in enumerate(labels)]
    contradicted = _contradictions(samples, labels, unread)
    labels = [samples[i].prediction if x is None else x for i, x in enumerate(labels)]
    return _Fit(labels, contradicted, len(unread) / max(len(right), 1), is_opposed)


def _contradictions(samples: Sequence[Sample], labels: list[Any], unread: list[int]) -> set[int]:
    """Find the positions of samples whose labels contradict the verdicts.

    `unread` holds the positions of right answers in which the reading did not find a class.
    """
    pairs = list(zip(samples, labels, strict=True))
    positions = {i for i, (x, y) in enumerate(pairs) if x.verdict not in (None, y == x.reference)}
    # A wrong answer without a class could have the class of any unread right answer.
    if any(label is None and x.verdict == 0 and x.prediction is not None for x, label in pairs):
        positions.update(unread)
    return positions


def _has_text_references(samples: Sequence[Sample]) -> bool:
    """Check whether references are free text instead of classes.

    There must be more than four distinct references, and more than half as many as samples.
    """
    return 2 * len({x.reference for x in samples}) > max(len(samples), 8)


def _refusal(fits: Sequence[_Fit], samples: Sequence[Sample]) -> VerdictError:
    """Make the error that explains why the verdicts do not show the classes."""
    references = [x.reference for x in samples]
    if _has_text_references(samples):
        n = f"{len({*references})} different targets in {len(samples)} samples"
        example = render.cut(show(references[0]), 60)
        return VerdictError(f"the targets are free text, not classes: {n}, such as {example}")
    fewest = min((fit.contradicted for fit in fits if fit.contradicted), key=len, default=set())
    contradicted = [samples[i] for i in sorted(fewest)]
    n = f"{len(contradicted)} of {len(samples)} samples"
    kinds = {type(x.prediction) for x in contradicted}
    parts = [f"the log has no answer for {n} that the harness counts as right", "Log the answers"]
    if kinds != {type(None)}:
        parts = [
            f"the harness's verdict contradicts the answer in {n}",
            f"For example, {'; '.join(map(_describe, contradicted[:3]))}",
            "Perhaps a model grades answers, credit is partial, or a score has several values",
            "Use a scorer that finds the class in the text",
        ]
    if kinds - {int}:
        parts.append("Or find the class with `extract`, `ignore_case` or `strip`, without verdicts")
        if all(str(reference).isdecimal() for reference in references):
            parts.append("If the targets are positions, name the classes with `choices`")
    return VerdictError(". ".join(parts))


def _describe(sample: Sample) -> str:
    """Describe a sample by its answer, target and verdict."""
    answer = f"sample {show(sample.id)} has answer {render.cut(show(sample.prediction), 60)}"
    target = f"target {show(sample.reference)}"
    return f"{answer}, {target} and verdict {show(sample.verdict)}"


# The metric whose values are the verdicts


class Totals(NamedTuple):
    """The number of samples and the mean of their verdicts; each is None if unknown."""

    n_samples: int | None = None
    accuracy: float | None = None

    @classmethod
    def from_verdicts(cls, verdicts: Iterable[tuple[Any, Any]]) -> Totals:
        """Compute the totals of pairs (sample id, verdict), ignoring verdicts that are not numbers.

        A sample with a verdict for each epoch counts with the mean of its verdicts.
        """
        by_sample: defaultdict[Any, list[float]] = defaultdict(list)
        for sample, verdict in verdicts:
            if (credit := _credit(verdict)) is not None:
                by_sample[sample].append(credit)
        return cls(len(by_sample), fmean(map(fmean, by_sample.values())) if by_sample else None)

    @classmethod
    def from_log(cls, n_samples: Any, accuracy: Any) -> Totals:
        """Convert the totals that a harness recorded.

        A number of samples other than an integer is None, and so is an accuracy that is not a
        number.
        """
        return cls(n_samples if isinstance(n_samples, int) else None, _credit(accuracy))

    def agrees_with(self, recorded: Totals) -> bool | None:
        """Compare with the totals that the harness recorded; None if an accuracy is missing.

        Different numbers of samples disagree even if an accuracy is missing. Accuracies are
        compared to as many digits as the log has, with a tolerance of at least 1e-6. A recorded
        accuracy that is a multiple of 1/n for n samples, such as 0.5 of 20, is treated as exact
        instead of rounded.
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
        """Format the accuracy, and the number of samples if it is known."""
        accuracy = "unknown" if self.accuracy is None else f"{self.accuracy:.6g}"
        n_samples = self.n_samples
        return accuracy if n_samples is None else f"{accuracy} for {render.samples(n_samples)}"


@dataclass(frozen=True)
class VerdictMetric:
    """The metric of a log that gives the verdicts.

    Attributes
    ----------
    name : str
        Name of the metric; "" if no metric was compared with the answers.
    shares : dict of str to float
        The share of right answers by each metric in the log; nan if a value is missing or is not 0
        or 1, or if verdicts are ignored. Empty for Inspect.
    counted, recorded : Totals
        Totals of all samples, as computed from verdicts and as recorded by the harness. The
        accuracies are None if no metric was compared.
    """

    name: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    counted: Totals = field(default_factory=Totals)
    recorded: Totals = field(default_factory=Totals)

    @property
    def is_harness_accuracy(self) -> bool | None:
        """Whether the totals agree with those in the log; None if unknown.

        It is False if the log has metrics, but no metric was compared with the answers.
        """
        if not self.name:
            return False if self.shares else None
        return self.counted.agrees_with(self.recorded)

    @property
    def alternatives(self) -> list[str]:
        """Other metrics in the log that could give the verdicts."""
        return [x for x, y in self.shares.items() if x != self.name and not math.isnan(y)]

    @property
    def unused_metrics_message(self) -> Message:
        """Message with the names of metrics other than `name`; empty if there are none."""
        shares = {name: share for name, share in self.shares.items() if name != self.name}
        if not shares:
            return Message("")
        unused = (x if math.isnan(share) else f"{x} ({share:.4f})" for x, share in shares.items())
        verb = "was" if len(shares) == 1 else "were"
        line = message("the log's {names} {verb} not used", names=", ".join(unused), verb=verb)
        names = " or ".join(map(repr, self.alternatives))
        return message("{line}: pass `verdict` {names}", line=line, names=names) if names else line


def add_verdicts(
    rows: list[Any], known: Sequence[str], metric: str | None, recorded: Any, n_recorded: Any = None
) -> VerdictMetric:
    """Add to each row the verdict by a metric, which is by default the first known metric.

    Parameters
    ----------
    rows : sequence of dict
        Samples with the keys "id" and "metrics". The key "verdict" is added; it is None if no
        metric gives the verdicts.
    known : sequence of str
        Metrics that count right answers, in order of preference. A known metric is used only if it
        is a number in all rows.
    metric : str or None
        The metric that the user chose as `verdict`; None for the default.
    recorded : mapping of str to float
        The mean that the harness recorded for each metric.
    n_recorded : int, optional
        The number of samples that the harness recorded.

    Raises
    ------
    VerdictError
        If the chosen metric is not logged, or has values other than 0 and 1.
    """
    verdicts = _credits_by_metric(rows)
    shares = {
        name: credits.count(1.0) / len(credits) if {*credits} <= {0.0, 1.0} else math.nan
        for name, credits in verdicts.items()
    }
    if metric is None:
        name = first_known([x for x, credits in verdicts.items() if None not in credits], known)
    else:
        offered = [x for x, share in shares.items() if not math.isnan(share)]
        name = first_known(offered, [metric])
        if not name:
            rule = f"`verdict` must be a metric of 0 and 1 in the log: {name_list(offered, metric)}"
            raise VerdictError(f"{rule}, got {metric!r}")
    for row, credit in zip(rows, verdicts.get(name, [None] * len(rows)), strict=True):
        row["verdict"] = credit
    counted = Totals.from_verdicts((row["id"], row["verdict"]) for row in rows)
    return VerdictMetric(name, shares, counted, Totals.from_log(n_recorded, recorded.get(name)))


def _credits_by_metric(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float | None]]:
    """Collect the values of each metric as numbers, with the shortest names of metrics first.

    A value that is not a number, or is nan, becomes None.
    lighteval appends options to the name of a metric, so the name without options comes first.
    Informedness and NIT in lighteval log JSON objects, and are skipped.
    """
    items = (item for row in rows for item in row["metrics"].items())
    names = {x: None for x, y in items if y is not None and not isinstance(y, Mapping)}
    shortest_first = sorted(names, key=len)
    return {name: [_credit(row["metrics"].get(name)) for row in rows] for name in shortest_first}


def first_known(offered: Sequence[str], known: Sequence[str]) -> str:
    """Choose the first known metric that is offered; "" if there is none.

    Options after a colon in the name of an offered metric are ignored.
    """
    return next((x for name in known for x in offered if name in (x, x.partition(":")[0])), "")


def _credit(value: Any) -> float | None:
    """Read a logged value as a float; None if it is not a number or is nan."""
    is_number = isinstance(value, (bool, int, float)) and not math.isnan(value)
    return float(value) if is_number else None


def likeliest_choice(
    metric: str, logprobs: Sequence[float], choices: Sequence[str], tokens: Sequence[Any] = ()
) -> int:
    """Find the position of the choice that a metric counts as the answer; the first if tied.

    Parameters
    ----------
    metric : str
        Name of an accuracy. "acc_norm", "acc_bytes" and "acc_norm_token" divide log-probabilities
        by the lengths of the choices in characters, bytes or tokens. "acc_mutual_info" and
        "acc_norm_pmi" subtract the log-probabilities without the question, if there are any.
        Other names use the log-probabilities themselves.
    logprobs : sequence of float
        Log-probabilities of the choices, perhaps followed by their log-probabilities without the
        question.
    choices : sequence of str
        The texts of the choices.
    tokens : sequence of sequence, optional
        The tokens of each choice. Without them, "acc_norm_token" does not divide.
    """
    n_choices = len(choices)
    units: dict[str, Sequence[Any]] = {"acc_norm": choices, "acc_norm_token": tokens[:n_choices]}
    units["acc_bytes"] = [text.encode() for text in choices]
    lengths = [len(unit) or 1 for unit in units.get(metric, ())] or [1] * n_choices
    is_relative = metric in ("acc_mutual_info", "acc_norm_pmi") and len(logprobs) > n_choices
    priors = logprobs[n_choices:] if is_relative else [0.0] * n_choices
    columns = zip(logprobs[:n_choices], priors, lengths, strict=True)
    scores = [(logprob - prior) / length for logprob, prior, length in columns]
    return scores.index(max(scores))
