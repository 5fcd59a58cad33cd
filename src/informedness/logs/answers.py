"""Answers of one model in one task, as a harness logged them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from shlex import quote
from typing import Any

from ..core.labels import Column, Label, show, warn
from ..errors import naming
from ..files.joined import joined_sides
from ..results.comparison import Comparison, compare
from ..results.estimate import Averaged, Estimate, estimate
from ..results.report import Report, report
from ..tables.class_names import at_position
from ..tables.containers import read_quickly
from ..tables.contingency import ContingencyTable
from ..tables.label_options import AS_THEY_ARE, LabelOptions, extracted
from ..text import render
from ..warnings import collected
from .verdicts import VerdictError, by_verdict


@dataclass(frozen=True, repr=False)
class Answers:
    """Answers of one model in one task, one for each sample, or for each epoch of it.

    Attributes
    ----------
    harness, task, model : str
        Where they come from; the model as the log names it, "" if it does not.
    how : str
        How answers were found, in words: "the likeliest choice", "the text after filter 'none'".
    ids : tuple of str
        What the harness calls each sample, the same in every run of the task; each occurs once.
    references : tuple of label
    predictions : tuple of label or None
        None where no answer was found.
    prompts : tuple of str
        What each model was asked, or a hash of it: equal for equal prompts.
    documents : tuple of str
        A hash of what each sample is about, whatever the prompt; empty if the log has none.
    variant : str
        What else distinguishes answers in one task: a filter of lm-eval, a scorer of Inspect; "" if
        nothing.
    epoch : int or None
        Which of several passes over the samples this is.
    choices : tuple of label or None
        The classes of the task; None if the log does not say.
    texts : tuple of (str, ...)
        What the classes are called in each sample, where the classes are positions.
    verdicts : tuple of float or None
        Which answers the harness counts as right (1) and which as wrong (0).
    completions : tuple of str or None
        What the model said where the log has no answer; empty if that is not logged.
    verdict : str
        The metric that the verdicts are of; "" if the answers were compared with none.
    metrics : dict of str to float
        The metrics of the log: the share of right answers by each of 0 and 1, nan for any other.
    created : str
        When the run was made; a later one sorts behind an earlier one.
    n_left_out : int
        How many samples do not count, because of an error or several right answers.
    n_other_runs : int
        How many other runs of the task by this model were left out.
    groups : tuple of str
        The sample of each answer, if there are answers of several epochs; empty if not.
    """

    harness: str
    task: str
    model: str
    how: str
    ids: tuple[str, ...]
    references: tuple[Label, ...]
    predictions: tuple[Label | None, ...]
    prompts: tuple[str, ...]
    documents: tuple[str, ...] = ()
    variant: str = ""
    epoch: int | None = None
    choices: tuple[Label, ...] | None = None
    texts: tuple[tuple[str, ...], ...] = ()
    verdicts: tuple[float | None, ...] = ()
    completions: tuple[str | None, ...] = ()
    verdict: str = ""
    metrics: Mapping[str, float] = field(default_factory=dict)
    created: str = ""
    n_left_out: int = 0
    n_other_runs: int = 0
    groups: tuple[str, ...] = ()

    @classmethod
    def of(cls, rows: Iterable[tuple[Any, ...]], **more: Any) -> Answers:
        """Return the answers in rows of (id, gold, answer, verdict, prompt, completion).

        `more` are attributes, and has the prompts of shorter rows.
        """
        names = ("ids", "references", "predictions", "verdicts", "prompts", "completions")
        columns: dict[str, Any] = dict(zip(names, zip(*rows, strict=True), strict=False))
        return cls(**columns, **more)

    @classmethod
    def inside(cls, rows: Iterable[tuple[Any, ...]], **more: Any) -> Answers | None:
        """Return what was answered in a run that has not ended; None if nothing can be scored.

        An error would end a run that may have cost hours, so that there is a warning instead.

        Parameters
        ----------
        rows : iterable of (sample, gold, answer, verdict)
        **more
            As the attributes, such as `choices`.
        """
        made = cls.of(rows, harness="", task="", model="", how="", prompts=(), **more)
        try:
            return made._by_sample().read(AS_THEY_ARE)
        except VerdictError as error:
            warn(f"no score: {error}")
            return None

    def _by_sample(self) -> Answers:
        """Return the answers, in groups by sample if there are several to one of them."""
        if len(set(self.ids)) == len(self.ids):
            return self
        seen: Counter[Any] = Counter()
        ids = []
        for name in self.ids:
            seen[name] += 1
            ids.append(f"{name}, epoch {seen[name]}")
        return replace(self, ids=tuple(ids), groups=tuple(map(str, self.ids)))

    def __repr__(self) -> str:
        """Return whose answers these are, how many, and how they were found."""
        n = render.samples(len(self.ids))
        return f"{self.harness}, {self.name}: {n}, the answer is {self.how}"

    @property
    def name(self) -> str:
        """What distinguishes these answers from others in the logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        return ", ".join(filter(None, (self.model, self.task, self.variant, epoch)))

    @property
    def unread(self) -> str:
        """Which metrics of the log the answers were not compared with, and what to add; or ""."""
        shares = {name: share for name, share in self.metrics.items() if name != self.verdict}
        if not shares:
            return ""
        names = (x if math.isnan(share) else f"{x} ({share:.4f})" for x, share in shares.items())
        line = f"the log's {', '.join(names)} {'was' if len(shares) == 1 else 'were'} not read"
        flags = [f"`--verdict {quote(x)}`" for x, share in shares.items() if not math.isnan(share)]
        return f"{line}: {' or '.join(flags)}" if flags and self.verdicts else line

    @property
    def classes(self) -> tuple[Label, ...]:
        """The choices, or the references that occur, in order."""
        return self.choices or tuple(sorted(set(self.references)))

    def unknown(self) -> Counter[Label | None]:
        """Return how often each answer outside the classes was given; None means no answer."""
        known = set(self.classes)
        return Counter(answer for answer in self.predictions if answer not in known)

    def known_predictions(self) -> list[Label | None]:
        """Return the answers, None for each that is none of the classes."""
        known = set(self.classes)
        return [x if x in known else None for x in self.predictions]

    @property
    def table(self) -> ContingencyTable:
        """The contingency table, in which unknown answers are wrong."""
        how: dict[str, Any] = {"labels": self.classes, "unknown": "wrong"}
        how |= {"references": list(self.references), "predictions": self.known_predictions()}
        return ContingencyTable.from_labels(**how)

    def report(
        self, confidence_level: float | None = None, average: Averaged = "default"
    ) -> Report:
        """Return the scores of the answers, with intervals if there is a confidence level.

        If there are several epochs of each sample, the intervals are by sample.
        """
        sides = list(self.references), self.known_predictions()
        groups = None if confidence_level is None else self.groups or None
        how: dict[str, Any] = {"labels": self.classes, "unknown": "wrong", "average": average}
        return report(*sides, groups=groups, confidence_level=confidence_level, **how)

    def estimate(
        self, metric: str, confidence_level: float, average: Averaged = "default"
    ) -> Estimate:
        """Return a score, nan if undefined, and its error by sample if there are several epochs."""
        sides = list(self.references), self.known_predictions()
        how: dict[str, Any] = {
            "labels": self.classes,
            "unknown": "wrong",
            "zero_division": math.nan,
        }
        how |= {"groups": self.groups or None, "confidence_level": confidence_level}
        return estimate(*sides, metric, average=average, **how)

    def standard_error(self, metric: str) -> float:
        """Return the error of a score, nan where there is none; warnings are for the value."""
        if len(set(self.groups)) == 1:
            return math.nan
        with collected():
            return self.estimate(metric, 0.95).standard_error

    def pooled(self, others: Sequence[Answers]) -> Answers:
        """Return these answers together with those of other epochs."""
        epochs = (self, *others)
        names = ["ids", "references", "predictions", "prompts", "documents", "texts", "verdicts"]
        names.append("completions")
        every: dict[str, Any] = {x: sum((getattr(one, x) for one in epochs), ()) for x in names}
        n_left_out = sum(one.n_left_out for one in epochs)
        return replace(self, epoch=None, n_left_out=n_left_out, **every)._by_sample()

    def compare(self, other: Answers, **options: Any) -> Comparison:
        """Compare with another model's answers in the task, joined by the sample identifiers.

        Parameters
        ----------
        other : Answers
            The answers of model B; these are those of A.
        **options
            As in `informedness.compare`, except `labels`, `unknown` and `groups`: the classes are
            those of the logs, answers that are no class wrong, and epochs of a sample a group.

        Raises
        ------
        ValueError
            If the two are of different tasks or classes, or hold different samples or references.

        Warns
        -----
        InformednessWarning
            If they were asked different prompts, for example by different chat templates.
        """
        own, others = ((x.harness, x.task, x.classes) for x in (self, other))
        if own != others:
            raise ValueError(f"the runs must be of one task, got {show(own)} and {show(others)}")
        names = [f"{self.name} (A)", f"{other.name} (B)"]
        sides = [self._columns(), other._columns()]
        a, b = joined_sides(sides, names, "sample identifiers")
        asked_a, asked_b = (set(zip(x.ids, x.prompts, strict=True)) for x in (self, other))
        if n_differ := len(asked_a - asked_b):
            n = render.samples(n_differ)
            warn(f"the prompts of {n} differ between {names[0]} and {names[1]}")
        columns = a["references"], a["predictions"], b["predictions"]
        options |= {"labels": self.classes, "unknown": "wrong", "groups": a.get("groups")}
        return compare(*columns, **options)

    def _columns(self) -> dict[str, Column]:
        """Return the columns of one side of a join."""
        names = ("references", "documents", "groups")
        columns = {name: values for name in names if (values := getattr(self, name))}
        columns |= {"on": self.ids, "predictions": self.known_predictions()}
        return {name: read_quickly(list(x), name, may_lack=True) for name, x in columns.items()}

    def read(self, options: LabelOptions) -> Answers:
        """Return the answers as classes: as the harness's verdicts say, or by these options.

        Parameters
        ----------
        options : LabelOptions
            Of these `extract`, `ignore_case` and `strip`, which find the class in generated text
            whatever the harness found, and in the completion where the log has no answer; and
            `choices`, which give names to positions.

        Raises
        ------
        ValueError
            If answers do not fit the verdicts, are not text to find a class in, or a reference is
            not among the choices.
        """
        made = self if options.choices is None else self._named(options.choices)
        names = made._names()
        if options.pattern is not None or options.ignore_case or options.strip:
            made = made._found_in_text(options)
            names = [{options.fold(x): label for x, label in of.items()} for of in names]
        verdicts: Sequence[Any] = made.verdicts or [None] * len(made.ids)
        found = by_verdict(made.predictions, made.references, verdicts, names, made.ids)
        return replace(made, predictions=tuple(found))

    def _found_in_text(self, options: LabelOptions) -> Answers:
        """Return what these options find in the text of the answers, without verdicts."""
        answers: list[Any] = [*self.predictions]
        source = self.how
        if not all(isinstance(answer, str | None) for answer in answers):
            raise ValueError(f"`extract`, `ignore_case` and `strip` need text, not {source}")
        pairs = zip(answers, self.verdicts, strict=False)
        if {*answers} == {None} or any(credit for answer, credit in pairs if answer is None):
            source += ", or the completion where it logged none"
            texts = zip(answers, self.completions or answers, strict=True)
            answers = [completion if answer is None else answer for answer, completion in texts]
        if {*answers} == {None}:
            raise ValueError(f"the log must hold text to find a class in, got none: no {source}")
        if options.pattern is None:
            source += ", by options"
        else:
            answers = extracted(answers, options.pattern)
            source = f"what {options.pattern.pattern!r} finds in {source}"
        folded = tuple(answer and options.fold(answer) for answer in answers)
        return replace(self, predictions=folded, how=source, verdicts=(), verdict="")

    def _names(self) -> list[Mapping[str, Label]]:
        """Return what the classes of each sample are called."""
        of_all = {label: label for label in self.classes if isinstance(label, str)}
        names: list[Mapping[str, Label]] = [of_all] * len(self.ids)
        for i, texts in enumerate(self.texts):
            gold = texts[self.classes.index(self.references[i])]
            # of two choices with the same name the right one, or else the first
            by_text = dict(zip(texts[::-1], self.classes[len(texts) - 1 :: -1], strict=True))
            names[i] = {**of_all, **by_text, gold: self.references[i]}
        return names

    def _named(self, choices: Sequence[str]) -> Answers:
        """Return the answers with names for positions."""
        references = tuple(at_position(label, choices) for label in self.references)
        if unnamed := [label for label in references if label not in choices]:
            said = f"must be one of `choices` or a position from 0 to {len(choices) - 1}"
            raise ValueError(f"every reference {said}, got {show(unnamed[0])}")
        predictions = tuple(at_position(label, choices) for label in self.predictions)
        return replace(self, references=references, predictions=predictions, choices=tuple(choices))


@contextmanager
def naming_sample(name: str, several: list[str] | None = None) -> Iterator[None]:
    """Name a sample in errors about it, also in those that raise because it is damaged.

    With a list, a sample with several right answers ends the block without an error, and the list
    gets the message.
    """
    with naming(name):
        try:
            yield
        except SeveralError as error:
            if several is None:
                raise
            several.append(f"{name}: {error}")
        except (AttributeError, IndexError, KeyError, TypeError) as error:
            raise ValueError(f"it is damaged: {type(error).__name__} {error}") from error


def json_object(text: bytes) -> dict[str, Any]:
    """Return a JSON object, or raise ValueError if the text is something else."""
    with naming("must be a JSON object"):
        parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError(f"must be a JSON object, got {show(parsed)}")
    return parsed


class SeveralError(ValueError):
    """A sample has several right answers."""


def not_one(golds: Any) -> ValueError:
    """Return the error that a sample has several right answers, or none."""
    kind = SeveralError if len(golds) > 1 else ValueError
    return kind(f"must have one right answer for a score of classes, got {show(golds)}")


def check_several(several: Sequence[str], n_samples: int) -> None:
    """Raise ValueError if more than one in five samples have several right answers."""
    if 5 * len(several) > n_samples:
        share = f"{len(several)} of {n_samples} samples"
        raise ValueError(f"{several[0]}; {share} have several, and up to one in five are left out")


def of_positions(
    golds: Iterable[Any], answers: Iterable[Any], choices: Iterable[Sequence[Any]]
) -> dict[str, Any]:
    """Return what samples are whose right choices, and perhaps answers, have these positions.

    The classes are the texts of the choices if all samples have the same, otherwise the positions.
    """
    texts = tuple(tuple(map(str, of_sample)) for of_sample in choices)
    classes: tuple[Label, ...] = texts[0]
    if len(set(texts)) > 1 or len(set(classes)) < len(classes):
        classes = tuple(range(max(map(len, texts))))
    return {
        "references": tuple(classes[gold] for gold in golds),
        "predictions": tuple(classes[x] if x in range(len(classes)) else x for x in answers),
        "choices": classes,
        "texts": texts if isinstance(classes[0], int) else (),
    }
