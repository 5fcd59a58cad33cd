"""Find the class of an answer from its text and the harness's verdict.

The share of right answers equals the harness's, whether answers are read during its run or from its
logs. An answer that the harness counts as right has the class of the reference. A wrong answer has
the class that its text names. The rule for reading texts, called a reading, must agree with all
verdicts.
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
from ..files.columns import listed
from ..messages import Message, join, message, with_subject
from ..text import render

ClassNames: TypeAlias = Mapping[str, Label]  # maps the names of a sample's classes to the classes


class VerdictError(ValueError):
    """The metric for the verdict is missing, or no reading of the answers agrees with verdicts."""


class Sample(NamedTuple):
    """A sample of a task, with the answer of a model.

    Attributes
    ----------
    id : str
        The harness's identifier, the same in every run of the task.
    reference : label
    prediction : label or None
        None if no answer was found.
    verdict : float or None
        1 if the harness counts the answer as right, 0 if it counts the answer as wrong, None if
        unknown. Other numbers are partial credit. Several values are a list or a dict.
    prompt : str
        The prompt or a hash of it, equal for equal prompts.
    completion : str or None
        The output of the model, if the log has no answer.
    document : str
        A hash of the document, independent of the prompt; "" if the log has none.
    choices : tuple of str
        The names of the classes in this sample. Classes are then positions in it.
    group : str
        The id of the sample that was repeated; "" unless epochs are pooled.
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

DAMAGES = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


class SeveralError(ValueError):
    """A sample has several right answers."""


class SeveralAnswers(list[Message]):
    """Messages about samples with several right answers, which are not scored."""

    @contextmanager
    def skip(self, name: str) -> Iterator[None]:
        """Skip a sample with several right answers; prefix other errors with the sample's name."""
        with prefix_errors(name, *DAMAGES):
            try:
                yield
            except SeveralError as error:
                self.append(with_subject(name, error))

    def check(self, n_samples: int) -> None:
        """Raise ValueError if more than one in five samples have several right answers."""
        if 5 * len(self) > n_samples:
            share = f"{len(self)} of {n_samples} samples have several"
            raise ValueError(join([self[0], f"{share}, and up to one in five are left out"]))


def only_target(targets: Sequence[Any]) -> Any:
    """Choose the only right answer of a sample; raise ValueError if it has several or none."""
    if len(targets) == 1:
        return targets[0]
    rule = f"must have one right answer for a score of classes, got {show(targets)}"
    raise SeveralError(rule) if targets else ValueError(f"{rule}: it has no target")


# Readings of a text

_NO_PUNCTUATION = str.maketrans("", "", string.punctuation)
# A letter next to such signs is not an answer, for example in "@,,c".
_NO_SIGN_BEFORE, _NO_SIGN_AFTER = r"(?<![-@#%&+/,;.!?^\\)\]}])", r"(?![.,:;!?]*[-@#%&+/^=])"


def _fold_case(text: str) -> str:
    """Fold case, strip whitespace, and replace inner whitespace by single spaces."""
    return " ".join(text.casefold().split())


def _fold_punctuation(text: str) -> str:
    return _fold_case(text.translate(_NO_PUNCTUATION))


def _fold_clear_punctuation(text: str) -> str:
    """Fold case and remove punctuation, unless the text is a single letter among signs.

    Such a letter is not an answer, so its text stays unchanged.
    """
    name = _fold_punctuation(text)
    is_noise = len(name) == 1 and not re.search(_letter_pattern(name), text, re.IGNORECASE)
    return text if is_noise else name


def _letter_pattern(name: str) -> str:
    """Make a pattern for a name; a single letter or digit must not be next to the signs above."""
    is_letter = len(name) == 1 and name.isascii() and name.isalnum()
    return f"{_NO_SIGN_BEFORE}{name}{_NO_SIGN_AFTER}" if is_letter else re.escape(name)


# A reading has a function that makes the pattern of a name, a function that folds texts, and
# patterns before and after the name. Readings that search inside longer text, or accept a letter
# next to signs, come later, so that they are used only if the verdicts require it.
_WHOLE = (r"\A", r"\Z")
_AROUND = ((r"(?<!\w)", r"\W*$"), (r"^\W*", r"(?!\w)"), (r"(?<!\w)", r"(?!\w)"), ("", ""))
_FOLDED = [(fold, *_WHOLE) for fold in (_fold_case, str.strip, str)]
_FOLDED += [(fold, *around) for fold in (_fold_case, str) for around in _AROUND]
_READINGS: list[Any] = [(_letter_pattern, _fold_clear_punctuation, *_WHOLE)]
_READINGS += [(_letter_pattern, *x) for x in _FOLDED]
_READINGS += [(re.escape, *x) for x in ((_fold_punctuation, *_WHOLE), *_FOLDED)]


def _reader(class_names: ClassNames, reading: Any) -> Callable[[Sample], Any]:
    """Make a function that finds the only class in an answer; None for several classes or none.

    Without a verdict, an answer that does not equal the name of a class stays unchanged.
    """
    as_pattern, fold, before, after = reading
    by_text = {fold(text): label for text, label in class_names.items()}
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
    """The labels that a reading finds in answers, and how they agree with the verdicts.

    An answer without a class is its own label. Samples are identified by position.
    """

    labels: list[Any]
    contradicted: set[int]  # samples whose label contradicts the verdict
    unread_share: float  # of the right answers, those in whose text the reading finds no class
    is_opposed: bool  # whether a right answer is read as another class


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
        If no reading agrees with all verdicts, for example if a model grades the answers.

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
    is_opposed = any(fit.is_opposed for fit in fits)
    fitting = [fit for fit in fits if not fit.contradicted and not is_opposed]
    if fitting and (fitting[0].unread_share <= 0.5 or not _has_text_references(samples)):
        return fitting[0].labels
    raise _refusal(fits, samples)


def _read(samples: Sequence[Sample], class_names: Sequence[ClassNames], reading: Any) -> list[Any]:
    """Find the class in each answer by a reading; None without a class."""
    distinct = {id(names): names for names in class_names}
    readers = {key: _reader(names, reading) for key, names in distinct.items()}
    return [readers[id(names)](sample) for sample, names in zip(samples, class_names, strict=True)]


def _fit(samples: Sequence[Sample], found: list[Any]) -> _Fit:
    """Infer the classes that a reading did not find, and compare all labels with the verdicts."""
    right = [i for i, x in enumerate(samples) if x.verdict == 1 and x.prediction is not None]
    unread = [i for i in right if found[i] is None]
    is_opposed = any(found[i] not in (None, samples[i].reference) for i in right)
    # An unread text that is right once has the class of that reference everywhere.
    inferred = {samples[i].prediction: samples[i].reference for i in reversed(unread)}
    labels = [inferred.get(samples[i].prediction) if x is None else x for i, x in enumerate(found)]
    contradicted = _contradictions(samples, labels, unread)
    labels = [samples[i].prediction if x is None else x for i, x in enumerate(labels)]
    return _Fit(labels, contradicted, len(unread) / max(len(right), 1), is_opposed)


def _contradictions(samples: Sequence[Sample], labels: list[Any], unread: list[int]) -> set[int]:
    """Find the positions of samples whose labels contradict the verdicts."""
    pairs = list(zip(samples, labels, strict=True))
    positions = {i for i, (x, y) in enumerate(pairs) if x.verdict not in (None, y == x.reference)}
    # A wrong answer without a class could name the same class as any unread right answer.
    if any(label is None and x.verdict == 0 and x.prediction is not None for x, label in pairs):
        positions.update(unread)
    return positions


def _has_text_references(samples: Sequence[Sample]) -> bool:
    """Check whether most references are distinct, and so free text instead of classes."""
    return 2 * len({x.reference for x in samples}) > max(len(samples), 8)


def _refusal(fits: Sequence[_Fit], samples: Sequence[Sample]) -> VerdictError:
    """Explain why no reading of the answers agrees with all verdicts."""
    references = [x.reference for x in samples]
    if _has_text_references(samples):
        n = f"{len({*references})} different ones in {len(samples)} samples"
        first = render.cut(show(references[0]), 60)
        return VerdictError(f"the targets are free text, not classes: {n}, such as {first}")
    fewest = min((fit.contradicted for fit in fits if fit.contradicted), key=len, default=set())
    contradicted = [samples[i] for i in sorted(fewest)]
    n = f"{len(contradicted)} of {len(samples)} samples"
    kinds = {type(x.prediction) for x in contradicted}
    parts = [f"no answer is logged in {n} that the harness counts as right", "Log the answer"]
    if kinds != {type(None)}:
        parts = [
            f"the harness's verdict does not fit the answer in {n}",
            "This happens if a model grades, or with partial credit or several values of a score",
            f"The first: {'; '.join(map(_describe, contradicted[:3]))}",
            "Use a scorer that finds the class in the text",
        ]
    if kinds - {int}:
        parts.append("Or find it with `extract`, `ignore_case` or `strip`, without verdicts")
        if all(str(reference).isdecimal() for reference in references):
            parts.append("If the targets are positions, name them with `choices`")
    return VerdictError(". ".join(parts))


def _describe(sample: Sample) -> str:
    answered = f"{show(sample.id)} answered {render.cut(show(sample.prediction), 60)}"
    right = f"where {show(sample.reference)} is right"
    return f"{answered} {right}, with verdict {show(sample.verdict)}"


# The metric whose values are the verdicts


class Totals(NamedTuple):
    """The number of samples and the share of right answers; each is None if unknown."""

    n_samples: int | None = None
    accuracy: float | None = None

    @classmethod
    def from_verdicts(cls, verdicts: Iterable[tuple[Any, Any]]) -> Totals:
        """Compute the totals of pairs (sample, verdict), ignoring verdicts that are not numbers.

        A sample with a verdict for each epoch counts with the mean of its verdicts.
        """
        by_sample: defaultdict[Any, list[float]] = defaultdict(list)
        for sample, verdict in verdicts:
            if (credit := _credit(verdict)) is not None:
                by_sample[sample].append(credit)
        return cls(len(by_sample), fmean(map(fmean, by_sample.values())) if by_sample else None)

    @classmethod
    def from_log(cls, n_samples: Any, accuracy: Any) -> Totals:
        """Convert the totals that a harness recorded; a total that is not a number is None."""
        return cls(n_samples if isinstance(n_samples, int) else None, _credit(accuracy))

    def agree(self, recorded: Totals) -> bool | None:
        """Compare with the totals that the harness recorded; None if an accuracy is missing.

        Accuracies are compared to the number of digits in the log. An accuracy that is a multiple
        of 1/n for n samples, such as 0.5 of 20, is treated as exact instead of rounded.
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
        accuracy = "none" if self.accuracy is None else f"{self.accuracy:.6g}"
        n_samples = self.n_samples
        return accuracy if n_samples is None else f"{accuracy} of {render.samples(n_samples)}"


@dataclass(frozen=True)
class VerdictMetric:
    """The metric of a log that gives the verdicts.

    Attributes
    ----------
    name : str
        Name of the metric; "" if no metric was compared with the answers.
    shares : dict of str to float
        The share of right answers by each metric in the log; nan unless its values are 0 and 1.
    counted, recorded : Totals
        Totals of all samples in the log, as computed from verdicts and as recorded by the harness.
    """

    name: str = ""
    shares: Mapping[str, float] = field(default_factory=dict)
    counted: Totals = field(default_factory=Totals)
    recorded: Totals = field(default_factory=Totals)

    @property
    def is_harness_accuracy(self) -> bool | None:
        """Whether the totals agree with those in the log; None if unknown.

        It is False if the log has metrics, but none was compared with the answers.
        """
        if not self.name:
            return False if self.shares else None
        return self.counted.agree(self.recorded)

    @property
    def alternatives(self) -> list[str]:
        """Other metrics in the log that could give the verdicts."""
        return [x for x, y in self.shares.items() if x != self.name and not math.isnan(y)]

    @property
    def unread(self) -> Message:
        """Message that names the metrics that were not read; "" if all were read."""
        shares = {name: share for name, share in self.shares.items() if name != self.name}
        if not shares:
            return Message("")
        unread = (x if math.isnan(share) else f"{x} ({share:.4f})" for x, share in shares.items())
        verb = "was" if len(shares) == 1 else "were"
        line = message("the log's {names} {verb} not read", names=", ".join(unread), verb=verb)
        names = " or ".join(map(repr, self.alternatives))
        return message("{line}: pass `verdict` {names}", line=line, names=names) if names else line


def add_verdicts(
    rows: list[Any], known: Sequence[str], wanted: str | None, recorded: Any, n_recorded: Any = None
) -> VerdictMetric:
    """Add to each row the verdict of the wanted metric, or else of the first known metric.

    Parameters
    ----------
    rows : sequence of dict
        The "id" and the "metrics" of each sample. The key "verdict" is added, with None if the log
        has no verdict. A known metric is used only if it is a number in all rows.
    known : sequence of str
        Metrics that count right answers, in order of preference.
    wanted : str or None
        The metric that the user requested, if any.
    recorded : mapping of str to float
        The mean of each metric that the harness recorded.
    n_recorded : int, optional
        The number of samples that the harness recorded.

    Raises
    ------
    VerdictError
        If the wanted metric is not logged, or has values other than 0 and 1.
    """
    verdicts = _credits_by_metric(rows)
    shares = {
        name: credits.count(1.0) / len(credits) if {*credits} <= {0.0, 1.0} else math.nan
        for name, credits in verdicts.items()
    }
    if wanted is None:
        name = first_known([x for x, credits in verdicts.items() if None not in credits], known)
    else:
        offered = [x for x, share in shares.items() if not math.isnan(share)]
        name = first_known(offered, [wanted])
        if not name:
            rule = f"`verdict` must be a metric of 0 and 1 in the log: {listed(offered, wanted)}"
            raise VerdictError(f"{rule}, got {wanted!r}")
    for row, credit in zip(rows, verdicts.get(name, [None] * len(rows)), strict=True):
        row["verdict"] = credit
    counted = Totals.from_verdicts((row["id"], row["verdict"]) for row in rows)
    return VerdictMetric(name, shares, counted, Totals.from_log(n_recorded, recorded.get(name)))


def _credits_by_metric(rows: Sequence[Mapping[str, Any]]) -> dict[str, list[float | None]]:
    """Collect the values of each metric as numbers, with the shortest names of metrics first.

    lighteval appends options to the name of a metric, so the name without options comes first.
    Informedness and NIT log objects, and are skipped.
    """
    items = (item for row in rows for item in row["metrics"].items())
    names = {x: None for x, y in items if y is not None and not isinstance(y, Mapping)}
    shortest_first = sorted(names, key=len)
    return {name: [_credit(row["metrics"].get(name)) for row in rows] for name in shortest_first}


def first_known(offered: Sequence[str], known: Sequence[str]) -> str:
    """Choose the first known metric that is offered, ignoring options after a colon; else ""."""
    chosen = (x for name in known for x in offered if name in (x, x.partition(":")[0]))
    return next(chosen, "")


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
        Name of an accuracy, such as "acc_norm". It decides whether log-probabilities are divided by
        the length of choices, or log-probabilities without the question are subtracted.
    logprobs : sequence of float
        Log-probabilities of the choices, perhaps followed by their log-probabilities without the
        question.
    choices : sequence of str
    tokens : sequence of list, optional
        The tokens of each choice.
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
