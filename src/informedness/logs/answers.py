"""Answers of one model in one task, as a harness logged them."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..contingency import ContingencyTable
from ..core.labels import Column, Label, show, warn
from ..inputs.answered import AS_THEY_ARE, LabelOptions, extracted, filled, named
from ..inputs.containers import read_quickly
from ..inputs.samples import joined_sides
from ..results.comparison import Comparison, compare
from ..results.estimates import Estimate, estimate_from_labels
from ..results.report import Report
from ..results.sentences import headline
from ..statistics.informed import INFORMEDNESS
from ..statistics.registry import reported_intervals
from .verdicts import VerdictError, by_verdict

_NO_INTERVAL = {
    "tpr_minus_fpr_standard_error": math.nan,
    "tpr_minus_fpr_confidence_interval": (math.nan, math.nan),
}


@dataclass(frozen=True)
class Answers:
    """Answers of one model in one task, one for each sample, or for each epoch of it.

    Attributes
    ----------
    harness, task, model : str
        Where they come from; the model as the log names it, "" if it does not.
    how : str
        How answers were found, in words: "the likeliest choice", "the text after filter 'none'".
    ids : tuple of str
        What the harness calls each sample, the same in every run of the task.
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
    created : str
        When the run was made; a later one sorts behind an earlier one.
    n_left_out : int
        How many samples have no answer that counts, because of an error.
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
    created: str = ""
    n_left_out: int = 0

    @classmethod
    def inside(
        cls, what: str, rows: Iterable[tuple[Any, ...]], classes: Any, **more: Any
    ) -> Answers | None:
        """Return what was answered in a run that has not ended; None if nothing can be scored.

        An error would end a run that may have cost hours, so that there is a warning instead.

        Parameters
        ----------
        what : str
            What has no score, for the warning.
        rows : iterable of (identifier, gold, answer, verdict)
        classes : sequence of label, optional
        **more
            As the attributes.
        """
        ids, golds, answers, verdicts = zip(*rows, strict=True)
        made = cls("", "", "", "", tuple(map(str, ids)), golds, answers, ())
        choices = None if classes is None else tuple(classes)
        made = replace(made, verdicts=verdicts, choices=choices, **more)
        try:
            return made.read(AS_THEY_ARE)
        except VerdictError as error:
            warn(f"no score{what}: {error}")
            return None

    @property
    def name(self) -> str:
        """What distinguishes these answers from others in the logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        return ", ".join(filter(None, (self.model, self.task, self.variant, epoch)))

    @property
    def classes(self) -> tuple[Label, ...]:
        """The choices, or the references that occur, in order."""
        return self.choices or tuple(sorted(set(self.references)))

    def unknown(self) -> Counter[Label | None]:
        """Return how often each answer outside the classes was given; None means no answer."""
        known = set(self.classes)
        return Counter(answer for answer in self.predictions if answer not in known)

    def known_predictions(self) -> Sequence[Label]:
        """Return the answers, with one label outside the classes for all unknown ones."""
        known = set(self.classes)
        return filled([x if x in known else None for x in self.predictions], self.classes)

    def table(self) -> ContingencyTable:
        """Return the contingency table, in which unknown answers are wrong."""
        return ContingencyTable.from_labels(
            references=list(self.references),
            predictions=self.known_predictions(),
            labels=self.classes,
            unknown="wrong",
        )

    def report(self, confidence_level: float | None = None) -> Report:
        """Return the scores of the answers, with intervals if there is a confidence level.

        If there are several epochs of each sample, the intervals are by sample.
        """
        table = self.table()
        if confidence_level is None or not self._has_epochs:
            return Report.from_table(table, confidence_level)
        plain, estimates = Report.from_table(table), {}
        for score in reported_intervals():
            estimates[score.name] = self.estimate_by_sample(score.name, confidence_level)
        made, scores = estimates["informedness"], plain.scores
        values = scores["informedness"], scores["accuracy"]
        return replace(
            plain,
            confidence_level=confidence_level,
            per_class=[row | _NO_INTERVAL for row in plain.per_class],
            estimates=estimates,
            # a test of guessing would take the answers to one sample for independent
            guessing_p_value=math.nan,
            summary=headline(table, INFORMEDNESS, *values, made, math.nan),
            signature=made.signature.replace(made.metric, "report", 1),
        )

    def estimate_by_sample(self, metric: str, confidence_level: float) -> Estimate:
        """Return a score whose error takes the epochs of a sample for one group."""
        return estimate_from_labels(
            list(self.references),
            self.known_predictions(),
            metric,
            labels=self.classes,
            unknown="wrong",
            groups=self.ids,
            zero_division=math.nan,
            confidence_level=confidence_level,
        )

    @property
    def _has_epochs(self) -> bool:
        return len(set(self.ids)) < len(self.ids)

    def pooled(self, others: Sequence[Answers]) -> Answers:
        """Return these answers together with those of other epochs."""
        names = ("ids", "references", "predictions", "prompts", "documents", "texts", "verdicts")
        every: dict[str, Any] = {
            name: tuple(x for one in (self, *others) for x in getattr(one, name)) for name in names
        }
        n_left_out = sum(one.n_left_out for one in (self, *others))
        return replace(self, epoch=None, n_left_out=n_left_out, **every)

    def compare(self, other: Answers, **options: Any) -> Comparison:
        """Compare with another model's answers in the task, joined by the sample identifiers.

        Parameters
        ----------
        other : Answers
            The answers of model B; these are those of A.
        **options
            As in `informedness.compare`, except `labels`, `unknown` and `groups`: the classes are
            those of the logs, unknown answers are wrong, and epochs of a sample are a group.

        Raises
        ------
        ValueError
            If the two are of different tasks or classes, or hold different samples or references.

        Warns
        -----
        InformednessWarning
            If they were asked different prompts, for example by different chat templates.
        """
        for what in ("harness", "task", "classes"):
            own, others = getattr(self, what), getattr(other, what)
            if own != others:
                raise ValueError(
                    f"both must be runs of one task, got the {what} {show(own)} and {show(others)}"
                )
        names = [self.name, other.name]
        if self.name == other.name:
            names = [f"{self.name} (A)", f"{other.name} (B)"]
        sides = [self._columns(), other._columns()]
        a, b = joined_sides(sides, names, "sample identifiers")
        prompts = dict(zip(other._passes(), other.prompts, strict=True))
        pairs = zip(self._passes(), self.prompts, strict=True)
        if n_differ := sum(prompts[name] != prompt for name, prompt in pairs):
            warn(
                f"the prompts of {n_differ} of {len(a['on'])} samples differ between "
                f"{names[0]} and {names[1]}: the difference may be that of the prompts"
            )
        return compare(
            a["references"],
            a["predictions"],
            b["predictions"],
            labels=self.classes,
            unknown="wrong",
            groups=a["samples"] if self._has_epochs else None,
            **options,
        )

    def _passes(self) -> Sequence[str]:
        """Return what identifies each sample in each epoch."""
        if not self._has_epochs:
            return self.ids
        seen: Counter[str] = Counter()
        passes = []
        for name in self.ids:
            seen[name] += 1
            passes.append(f"{name}, epoch {seen[name]}")
        return passes

    def _columns(self) -> dict[str, Column]:
        """Return the columns of one side of a join."""
        columns = {
            "on": self._passes(),
            "samples": self.ids,
            "references": self.references,
            "documents": self.documents,
            "predictions": self.known_predictions(),
        }
        return {
            name: read_quickly(list(values), name)
            for name, values in columns.items()
            if len(values)
        }

    def read(self, options: LabelOptions) -> Answers:
        """Return the answers as classes: as the harness' verdicts say, or by these options.

        Parameters
        ----------
        options : LabelOptions
            Of these `extract`, `ignore_case` and `strip`, which find the class in generated text
            whatever the harness found; and `choices`, which give names to positions.

        Raises
        ------
        ValueError
            If answers do not fit the verdicts, are not text to find a class in, or a reference is
            not among the choices.
        """
        made = self if options.choices is None else self._named(options.choices)
        if options.pattern is None and not (options.ignore_case or options.strip):
            found = by_verdict(
                made.predictions,
                made.references,
                made.verdicts or [None] * len(made.ids),
                made._names(),
                made.ids,
            )
            n_read = sum(a != b for a, b in zip(found, made.predictions, strict=True))
            how = f"{made.how}, {n_read} of them as its verdicts say" if n_read else made.how
            return replace(made, predictions=tuple(found), how=how)
        texts = [answer if isinstance(answer, str) else None for answer in self.predictions]
        if texts != list(self.predictions):
            which = "extract" if options.pattern else "strip" if options.strip else "ignore_case"
            raise ValueError(
                f"`{which}` is for generated text: leave it out, the answer is {self.how}"
            )
        how = f"{made.how}, by options"
        if options.pattern is not None:
            texts = extracted(texts, options.pattern)
            how = f"what {options.pattern.pattern!r} finds in {made.how}"
        found = []
        for text, names in zip(texts, made._names(), strict=True):
            by_text = {options.fold(name): label for name, label in names.items()}
            found.append(None if text is None else by_text.get(options.fold(text), text))
        return replace(made, predictions=tuple(found), how=how)

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
        golds = [
            int(x) if isinstance(x, str) and x not in choices and x.isdigit() else x
            for x in self.references
        ]
        names = named(golds, choices)
        for reference, name in zip(self.references, names, strict=True):
            if name not in choices:
                raise ValueError(
                    f"`choices` must hold every reference or its position from 0 to "
                    f"{len(choices) - 1}, got {show(reference)}"
                )
        return replace(
            self,
            references=tuple(map(str, names)),
            predictions=tuple(named(self.predictions, choices)),
            choices=tuple(choices),
        )


@contextmanager
def naming(what: object) -> Iterator[None]:
    """Name a file, a line or a sample in errors about it."""
    try:
        yield
    except ValueError as error:
        raise ValueError(f"{what}: {error}") from error


def json_object(text: bytes) -> dict[str, Any]:
    """Return a JSON object, or raise ValueError if the text is something else."""
    try:
        parsed = json.loads(text)
    except ValueError as error:
        raise ValueError(f"must be a JSON object: {error}") from error
    if not isinstance(parsed, dict):
        raise ValueError(f"must be a JSON object, got {show(parsed)}")
    return parsed


def not_one(golds: Any) -> ValueError:
    """Return the error that a sample has several right answers, or none."""
    return ValueError(f"must have one right answer for a score of classes, got {show(golds)}")


def classes_of_choices(choices: Sequence[Sequence[str]]) -> tuple[Label, ...]:
    """Return the classes of samples with these choices, in the order of the choices.

    They are the texts of the choices if all samples have the same ones, otherwise their positions.
    """
    first = tuple(choices[0])
    if len(set(first)) == len(first) and all(tuple(texts) == first for texts in choices):
        return first
    return tuple(range(max(map(len, choices))))
