"""Answers of one model in one task, as a harness logged them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace

from ..contingency import ContingencyTable
from ..core.labels import Label, show
from ..inputs.answered import extracted, filled, label_options, named
from ..results.report import Report


@dataclass(frozen=True)
class Answers:
    """Answers of one model in one task, one for each sample.

    Attributes
    ----------
    harness, task, model : str
        Where they come from; the model as the log names it, "" if it does not.
    variant : str
        What else distinguishes answers in one task: a filter of lm-eval, a scorer of Inspect; "" if
        nothing.
    epoch : int or None
        Which of several passes over the samples this is.
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
            list(self.references), self.known_predictions(), labels=self.classes, unknown="wrong"
        )

    def report(self, confidence_level: float | None = None) -> Report:
        """Return the scores of the answers, with intervals if there is a confidence level."""
        return Report.from_table(self.table(), confidence_level)

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
        options = label_options(extract=extract, choices=choices)
        references, predictions, how = self.references, self.predictions, self.how
        if options.pattern is not None:
            texts = [answer if isinstance(answer, str) else None for answer in predictions]
            if texts != list(predictions):
                raise ValueError(
                    f"`extract` is for generated text, but here the answer is {self.how}: leave it "
                    "out"
                )
            predictions = tuple(extracted(texts, options.pattern))
            how = f"what {options.pattern.pattern!r} finds in {self.how}"
        if options.choices is not None:
            references = self._named_references(options.choices)
            predictions = tuple(named(predictions, options.choices))
        return replace(
            self,
            references=references,
            predictions=predictions,
            how=how,
            choices=options.choices or self.choices,
        )

    def _named_references(self, choices: Sequence[str]) -> tuple[Label, ...]:
        names = named(self.references, choices)
        for reference, name in zip(self.references, names, strict=True):
            if name not in choices:
                raise ValueError(
                    f"`choices` must hold every reference or its position from 0 to "
                    f"{len(choices) - 1}, got {show(reference)}"
                )
        return tuple(name for name in names if name is not None)
