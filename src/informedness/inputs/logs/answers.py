"""Answers of one model in one task, as the log of a harness has them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from ...contingency import ContingencyTable
from ...core.labels import Label
from ..answered import filled


@dataclass(frozen=True)
class Answers:
    """Answers of one model in one task, one for each sample.

    Attributes
    ----------
    harness, task, model : str
        Where they are from; the model as the log names it, "" where it does not.
    variant : str
        What else tells answers of one task apart: a filter of lm-eval, a scorer of Inspect; "" if
        there is nothing.
    epoch : int or None
        Which of several passes over the samples.
    how : str
        How answers were found, in words: "the likeliest choice", "the text after filter 'none'".
    ids : tuple of str
        What the harness calls each sample, the same in every run of the task.
    references : tuple of label
    predictions : tuple of label or None
        None where no answer was found.
    choices : tuple of label or None
        The classes of the task; None if the log does not say.
    prompts : tuple of str
        What each model was asked, or a hash of it: equal for equal prompts.
    """

    harness: str
    task: str
    model: str
    variant: str
    epoch: int | None
    how: str
    ids: tuple[str, ...]
    references: tuple[Label, ...]
    predictions: tuple[Label | None, ...]
    choices: tuple[Label, ...] | None
    prompts: tuple[str, ...]

    @property
    def name(self) -> str:
        """What tells these answers apart from others of their logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        return ", ".join(filter(None, (self.model, self.task, self.variant, epoch)))

    @property
    def classes(self) -> tuple[Label, ...]:
        """The choices, or the references that occur, in order."""
        return self.choices or tuple(sorted(set(self.references)))

    def unknown(self) -> Counter[Label | None]:
        """Return how often each answer was given that is no class; None stands for no answer."""
        known = set(self.classes)
        return Counter(answer for answer in self.predictions if answer not in known)

    def known_predictions(self) -> Sequence[Label]:
        """Return the answers, with one label that is no class for all that are unknown."""
        known = set(self.classes)
        return filled([x if x in known else None for x in self.predictions], self.classes)

    def table(self) -> ContingencyTable:
        """Return the contingency table, in which unknown answers are wrong ones."""
        return ContingencyTable.from_labels(
            list(self.references), self.known_predictions(), labels=self.classes, unknown="wrong"
        )
