"""Answers of one model in one task, as a harness logged them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from shlex import quote
from typing import Any

from ..core.labels import Column, Label, show, warn
from ..errors import named_error, prefix_errors
from ..files.joined import joined_sides
from ..messages import join, message, with_subject
from ..results.comparison import Comparison, compare
from ..results.estimate import Averaged, Estimate, estimate
from ..results.report import Report, report
from ..tables.containers import read_labels
from ..tables.contingency import ContingencyTable
from ..tables.label_options import DEFAULT_LABEL_OPTIONS, LabelOptions, class_name_at, extracted
from ..text import render
from ..warnings import collected
from .verdicts import Totals, VerdictError, by_verdict

_NUMBERS = ("n_left_out", "n_unscored", "n_errors")
_COLUMNS = ("ids", "references", "predictions", "verdicts", "prompts", "completions")


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
        How many samples do not count, because they have no score or several right answers.
    n_unscored : int
        How many of these the harness gave no score.
    n_errors : int
        How many of these ended in an error.
    settings : dict of str to Any
        What was run, beside the model and the task: its arguments under "arguments", a hash of all
        samples under "asked". Runs with equal settings repeat each other.
    arguments, run : str
        The arguments of the task, and the other settings, in which this run differs from others of
        the task that were read with it; "" for a single run.
    counted, recorded : Totals
        Of all samples in the log: by these verdicts, and as the harness recorded them.
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
    n_unscored: int = 0
    n_errors: int = 0
    settings: Mapping[str, Any] = field(default_factory=dict)
    arguments: str = ""
    run: str = ""
    counted: Totals = field(default_factory=Totals)
    recorded: Totals = field(default_factory=Totals)
    groups: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        rows: Iterable[tuple[Any, ...]],
        choices_of_each: Sequence[Sequence[Any]] = (),
        **attributes: Any,
    ) -> Answers:
        """Return the answers in rows of (id, gold, answer, verdict, prompt, completion).

        Golds, and perhaps answers, are positions in the choices of each sample, if there are any.
        The classes are then the texts of the choices if all samples have the same, otherwise the
        positions. `attributes` are the others, and the prompts of shorter rows.
        """
        if choices_of_each:
            texts = tuple(tuple(map(str, choices)) for choices in choices_of_each)
            classes: tuple[Label, ...] = texts[0]
            attributes["texts"] = ()
            if len(set(texts)) > 1 or len(set(classes)) < len(classes):
                classes = tuple(range(max(map(len, texts))))
                attributes["texts"] = texts
            attributes["choices"] = classes
            positions = range(len(classes))
            rows = [
                (name, classes[gold], classes[answer] if answer in positions else answer, *others)
                for name, gold, answer, *others in rows
            ]
        columns: dict[str, Any] = dict(zip(_COLUMNS, zip(*rows, strict=True), strict=False))
        return cls(**columns, **attributes)

    @classmethod
    def inside(cls, rows: Iterable[tuple[Any, ...]], **attributes: Any) -> Answers | None:
        """Return what was answered in a run that has not ended; None if nothing can be scored.

        An error would end a run that may have cost hours, so that there is a warning instead.

        Parameters
        ----------
        rows : iterable of (sample, gold, answer, verdict)
        **attributes
            Others, such as `choices`.
        """
        answers = cls.of(rows, harness="", task="", model="", how="", prompts=(), **attributes)
        try:
            return answers._by_sample().read(DEFAULT_LABEL_OPTIONS)
        except VerdictError as error:
            warn(with_subject("no score", error))
            return None

    def _by_sample(self) -> Answers:
        """Return the answers, in groups by sample if there are several to one of them."""
        if len(set(self.ids)) == len(self.ids):
            return self
        n_epochs: Counter[Any] = Counter()
        ids = []
        for name in self.ids:
            n_epochs[name] += 1
            ids.append(f"{name}, epoch {n_epochs[name]}")
        return replace(self, ids=tuple(ids), groups=tuple(map(str, self.ids)))

    def __repr__(self) -> str:
        """Return whose answers these are, how many, and how they were found."""
        size = render.samples(len(self.ids))
        return f"{self.harness}, {self.name}: {size}, the answer is {self.how}"

    @property
    def name(self) -> str:
        """What distinguishes these answers from others in the logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        parts = self.model, self.task_name, self.run, self.variant, epoch
        return ", ".join(filter(None, parts))

    @property
    def task_name(self) -> str:
        """The task, with the arguments in which it differs from others that were read with it."""
        return f"{self.task}({self.arguments})" if self.arguments else self.task

    @property
    def is_harness_accuracy(self) -> bool | None:
        """Whether the accuracy is the one that the harness recorded; None if it recorded none."""
        if not self.verdict:
            return False if self.metrics else None
        return self.counted.agree(self.recorded)

    @property
    def possible_verdicts(self) -> list[str]:
        """The other metrics of the log that can be the verdict."""
        shares = self.metrics.items() if self.verdicts else ()
        return [x for x, share in shares if x != self.verdict and not math.isnan(share)]

    @property
    def unread(self) -> str:
        """Which metrics of the log the answers were not compared with, and what to add; or ""."""
        shares = {name: share for name, share in self.metrics.items() if name != self.verdict}
        if not shares:
            return ""
        names = (x if math.isnan(share) else f"{x} ({share:.4f})" for x, share in shares.items())
        line = f"the log's {', '.join(names)} {'was' if len(shares) == 1 else 'were'} not read"
        flags = [f"`--verdict {quote(x)}`" for x in self.possible_verdicts]
        return f"{line}: {' or '.join(flags)}" if flags else line

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
        return [answer if answer in known else None for answer in self.predictions]

    def _sides(self) -> tuple[list[Label], list[Label | None]]:
        return list(self.references), self.known_predictions()

    @property
    def _task(self) -> dict[str, Any]:
        """Which answers are classes, as options of a function: all others are wrong."""
        return {"labels": self.classes, "unknown": "wrong"}

    @property
    def table(self) -> ContingencyTable:
        """The contingency table, in which unknown answers are wrong."""
        references, predictions = self._sides()
        sides: dict[str, Any] = {"references": references, "predictions": predictions}
        return ContingencyTable.from_labels(**sides, **self._task)

    def report(
        self, confidence_level: float | None = None, average: Averaged = "default"
    ) -> Report:
        """Return the scores of the answers, with intervals if there is a confidence level.

        If there are several epochs of each sample, the intervals are by sample.
        """
        groups = None if confidence_level is None else self.groups or None
        options = self._task | {"groups": groups, "confidence_level": confidence_level}
        return report(*self._sides(), average=average, **options)

    def estimate(
        self, metric: str, confidence_level: float, average: Averaged = "default"
    ) -> Estimate:
        """Return a score, nan if undefined, and its error by sample if there are several epochs."""
        options = self._task | {"groups": self.groups or None, "confidence_level": confidence_level}
        return estimate(*self._sides(), metric, average=average, zero_division=math.nan, **options)

    def standard_error(self, metric: str) -> float:
        """Return the error of a score, nan where there is none; warnings are for the value."""
        if len(set(self.groups)) == 1:
            return math.nan
        with collected():
            return self.estimate(metric, 0.95).standard_error

    def pooled(self, others: Sequence[Answers]) -> Answers:
        """Return these answers together with those of other epochs."""
        epochs = (self, *others)
        names = (*_COLUMNS, "documents", "texts")
        fields: dict[str, Any] = {x: sum((getattr(y, x) for y in epochs), ()) for x in names}
        fields |= {x: sum(getattr(y, x) for y in epochs) for x in _NUMBERS}
        return replace(self, epoch=None, **fields)._by_sample()

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
        task, other_task = ((x.harness, x.task, x.classes) for x in (self, other))
        if task != other_task:
            raise ValueError(
                f"the runs must be of one task, got {show(task)} and {show(other_task)}"
            )
        names = [f"{self.name} (A)", f"{other.name} (B)"]
        a, b = joined_sides([self._columns(), other._columns()], names, "sample identifiers")
        asked_a, asked_b = (set(zip(x.ids, x.prompts, strict=True)) for x in (self, other))
        if n_differ := len(asked_a - asked_b):
            size = render.samples(n_differ)
            text = f"the prompts of {size} differ between {{a}} and {{b}}"
            warn(message(text, a=names[0], b=names[1]))
        options |= self._task | {"groups": a.get("groups")}
        return compare(a["references"], a["predictions"], b["predictions"], **options)

    def _columns(self) -> dict[str, Column]:
        """Return the columns of one side of a join."""
        names = ("references", "documents", "groups")
        columns = {name: values for name in names if (values := getattr(self, name))}
        columns |= {"on": self.ids, "predictions": self.known_predictions()}
        return {name: read_labels(list(x), name, allow_missing=True) for name, x in columns.items()}

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
        answers = self if options.choices is None else self._named(options.choices)
        class_names = answers._class_names()
        if options.pattern is not None or options.ignore_case or options.strip:
            answers = answers._found_in_text(options)
            class_names = [{options.fold(x): y for x, y in names.items()} for names in class_names]
        verdicts: Sequence[Any] = answers.verdicts or [None] * len(answers.ids)
        columns = answers.predictions, answers.references, verdicts, class_names, answers.ids
        return replace(answers, predictions=tuple(by_verdict(*columns)))

    def _found_in_text(self, options: LabelOptions) -> Answers:
        """Return what these options find in the text of the answers, without verdicts."""
        texts: list[Any] = [*self.predictions]
        source = self.how
        if not all(isinstance(text, str | None) for text in texts):
            raise ValueError(f"`extract`, `ignore_case` and `strip` need text, not {source}")
        pairs = zip(texts, self.verdicts, strict=False)
        if {*texts} == {None} or any(credit for text, credit in pairs if text is None):
            source += ", or the completion where it logged none"
            completions = self.completions or texts
            texts = [y if x is None else x for x, y in zip(texts, completions, strict=True)]
        if {*texts} == {None}:
            raise ValueError(f"the log must hold text to find a class in, got none: no {source}")
        if options.pattern is None:
            source += ", by options"
        else:
            texts = extracted(texts, options.pattern)
            source = f"what {options.pattern.pattern!r} finds in {source}"
        folded = tuple(text and options.fold(text) for text in texts)
        return replace(self, predictions=folded, how=source, verdicts=(), verdict="")

    def _class_names(self) -> list[Mapping[str, Label]]:
        """Return what the classes of each sample are called."""
        of_all = {label: label for label in self.classes if isinstance(label, str)}
        if not self.texts:
            return [of_all] * len(self.ids)
        class_names: list[Mapping[str, Label]] = []
        for texts, gold in zip(self.texts, self.references, strict=True):
            # of two choices with the same name the right one, or else the first
            by_text = {text: self.classes[texts.index(text)] for text in texts}
            class_names.append({**of_all, **by_text, texts[self.classes.index(gold)]: gold})
        return class_names

    def _named(self, choices: Sequence[str]) -> Answers:
        """Return the answers with names for positions."""
        references = tuple(class_name_at(label, choices) for label in self.references)
        if unnamed := [label for label in references if label not in choices]:
            rule = f"one of `choices` or a position from 0 to {len(choices) - 1}"
            raise ValueError(f"every reference must be {rule}, got {show(unnamed[0])}")
        predictions = tuple(class_name_at(label, choices) for label in self.predictions)
        return replace(self, references=references, predictions=predictions, choices=tuple(choices))


# Samples that cannot be read, and what raises if one is damaged
DAMAGES = (ValueError, LookupError, TypeError, AttributeError, OverflowError, RecursionError)


class SeveralError(ValueError):
    """A sample has several right answers."""


class LeftOut(list[str]):
    """What there is to say of each sample with several right answers, which does not count."""

    def add(self, name: str, error: Exception) -> None:
        """Add a sample with several right answers; raise any other error, with its name."""
        if not isinstance(error, SeveralError):
            raise named_error(name, error) from error
        self.append(with_subject(name, error))

    def check(self, n_samples: int) -> None:
        """Raise ValueError if these are more than one in five samples."""
        if 5 * len(self) > n_samples:
            share = f"{len(self)} of {n_samples} samples have several"
            raise ValueError(join([self[0], f"{share}, and up to one in five are left out"]))


def json_object(text: bytes) -> dict[str, Any]:
    """Return a JSON object, or raise ValueError if the text is something else."""
    try:
        parsed = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"must be a JSON object: {error}") from error
    if not isinstance(parsed, dict):
        raise ValueError(f"must be a JSON object, got {show(parsed)}")
    return parsed


def results_in(file: Path) -> dict[str, Any]:
    """Return the results of a harness; nothing if there is no such file."""
    with prefix_errors(render.shown(file)):
        return json_object(file.read_bytes()) if file.is_file() else {}


def part_of(whole: Any, *names: str) -> Any:
    """Return a part of JSON by the names on the way to it; None if there is none."""
    for name in names:
        whole = whole.get(name) if isinstance(whole, dict) else None
    return whole


def not_one(golds: Any) -> ValueError:
    """Return the error that a sample has several right answers, or none."""
    kind = SeveralError if len(golds) > 1 else ValueError
    rule = f"must have one right answer for a score of classes, got {show(golds)}"
    return kind(f"{rule}: it has no target" if golds in ([], [""]) else rule)
