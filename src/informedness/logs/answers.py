"""Answers of one model in one task, as a harness logged them."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from ..contingency import ContingencyTable
from ..core.labels import Column, Label, show
from ..inputs.answered import LabelOptions, extracted, filled, named
from ..inputs.containers import read_quickly
from ..inputs.samples import joined_sides
from ..results.comparison import Comparison, compare
from ..results.report import Report


@dataclass(frozen=True)
class Answers:
    """Answers of one model in one task, one for each sample.

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
    variant : str
        What else distinguishes answers in one task: a filter of lm-eval, a scorer of Inspect; "" if
        nothing.
    epoch : int or None
        Which of several passes over the samples this is.
    choices : tuple of label or None
        The classes of the task; None if the log does not say.
    """

    harness: str
    task: str
    model: str
    how: str
    ids: tuple[str, ...]
    references: tuple[Label, ...]
    predictions: tuple[Label | None, ...]
    prompts: tuple[str, ...]
    variant: str = ""
    epoch: int | None = None
    choices: tuple[Label, ...] | None = None

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
        """Return the scores of the answers, with intervals if there is a confidence level."""
        return Report.from_table(self.table(), confidence_level)

    def compare(self, other: Answers, **options: Any) -> Comparison:
        """Compare with another model's answers in the task, joined by the sample identifiers.

        Parameters
        ----------
        other : Answers
            The answers of model B; these are those of A.
        **options
            As in `informedness.compare`, except `labels` and `unknown`: the classes are those of
            the logs, and unknown answers are wrong.

        Raises
        ------
        ValueError
            If the two are of different tasks or classes, hold different samples or references, or
            were asked different prompts.
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
        a, b = joined_sides([self._columns(), other._columns()], names, "sample identifiers")
        return compare(
            a["references"],
            a["predictions"],
            b["predictions"],
            labels=self.classes,
            unknown="wrong",
            **options,
        )

    def _columns(self) -> dict[str, Column]:
        """Return the columns of one side of a join."""
        columns = {
            "on": self.ids,
            "references": self.references,
            "prompts": self.prompts,
            "predictions": self.known_predictions(),
        }
        return {name: read_quickly(list(values), name) for name, values in columns.items()}

    def with_classes(
        self, extract: str | None = None, choices: Sequence[str] | None = None
    ) -> Answers:
        """Return the answers with the class taken out of their text, or with other classes.

        Parameters
        ----------
        extract, choices
            As in `table_from_file`: a regular expression for generated text; and the classes, which
            also give names to answers that are positions.

        Raises
        ------
        ValueError
            If an option is not valid, answers are not text to extract from, or a reference is not
            among the choices.
        """
        options = LabelOptions(extract=extract, choices=choices)
        made = self
        if options.pattern is not None:
            texts = [answer if isinstance(answer, str) else None for answer in self.predictions]
            if texts != list(self.predictions):
                raise ValueError(
                    f"`extract` is for generated text: leave it out, the answer is {self.how}"
                )
            how = f"what {options.pattern.pattern!r} finds in {self.how}"
            made = replace(made, predictions=tuple(extracted(texts, options.pattern)), how=how)
        if options.choices is not None:
            names = named(self.references, options.choices)
            for reference, name in zip(self.references, names, strict=True):
                if name not in options.choices:
                    raise ValueError(
                        f"`choices` must hold every reference or its position from 0 to "
                        f"{len(options.choices) - 1}, got {show(reference)}"
                    )
            made = replace(
                made,
                references=tuple(map(str, names)),
                predictions=tuple(named(made.predictions, options.choices)),
                choices=options.choices,
            )
        return made


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
