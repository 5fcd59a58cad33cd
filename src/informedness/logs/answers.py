"""Answers of one model in one task from a harness, and functions that readers of logs share."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from typing import Any, NamedTuple

from ..core.labels import Column, Label, show, warn
from ..errors import prefix_errors
from ..files.joined import align_rows
from ..inference.registry import score_named
from ..messages import message, with_subject
from ..results.comparison import Comparison, compare
from ..results.estimate import Averaged, Estimate, estimate
from ..results.report import Report, report
from ..tables.contingency import ContingencyTable
from ..tables.label_options import LabelOptions, class_name_at, extract_answers, read_labels
from ..text import render
from ..warnings import collected
from .verdicts import ClassNames, Sample, VerdictError, VerdictMetric, find_classes

# Settings ignored when comparing runs, as whole words of a name: dates, ids, seeds, devices...
_IGNORED = "api_key|(access|api|auth|hf)_token|(eval|job|run|task)_id|batch(es)?|cache|concurrent"
_IGNORED += "|concurrency|connections|devices?|endpoint|gpus?|gpu_memory_utilization|headers|host"
_IGNORED += "|parallel_size|parallelize|password|port|retries|seeds?|sha|timeout|url|workers"
_IGNORED = rf"^(created|id|token|uuid)$|(^|_)({_IGNORED}|(?<!model_)versions?)(_|$)"
_IGNORED += "|(^|_)(date|time)$"
_ADDRESS = " at 0x[0-9a-f]+"  # of a function in memory


@dataclass(frozen=True)
class Origin:
    """Where answers come from.

    Attributes
    ----------
    harness, task, model : str
        The model as the log names it, "" if it does not.
    variant : str
        Distinguishes answers in one task: a filter of lm-eval, a scorer of Inspect; "" if there is
        only one.
    epoch : int or None
        Number of this pass over the samples; None for a single pass or pooled passes.
    created : str
        When the run was made; a later one sorts after an earlier one.
    settings : dict of str to Any
        Settings besides model and task: the task's arguments under "arguments", a hash of all
        samples under "asked". Runs with equal settings repeat each other.
    arguments, run : str
        Arguments of the task, and other settings, that distinguish this run from others of the task
        read in the same call; "" for a single run.
    file : str
        Path of the log.
    """

    harness: str = ""
    task: str = ""
    model: str = ""
    variant: str = ""
    epoch: int | None = None
    created: str = ""
    settings: Mapping[str, Any] = field(default_factory=dict)
    arguments: str = ""
    run: str = ""
    file: str = ""

    @property
    def name(self) -> str:
        """Name that distinguishes these answers from others in the logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        return ", ".join(filter(None, (self.model, self.task_name, self.run, self.variant, epoch)))

    @property
    def task_name(self) -> str:
        """The task, with the arguments that distinguish it from others read in the same call."""
        return f"{self.task}({self.arguments})" if self.arguments else self.task


class LeftOut(NamedTuple):
    """Excluded samples by reason; `n_errors` is part of `n_unscored`."""

    n_several: int = 0
    n_unscored: int = 0
    n_errors: int = 0

    @property
    def total(self) -> int:
        """Number of excluded samples."""
        return self.n_several + self.n_unscored


@dataclass(frozen=True, repr=False)
class Answers:
    """Answers of one model in one task, one for each sample, or for each epoch of it.

    Attributes
    ----------
    origin : Origin
        Harness, task, model, and other settings that distinguish these answers.
    how : str
        How answers were found, in words: "the likeliest choice", "the text after filter 'none'".
    samples : tuple of Sample
        Each with its reference and its prediction. An id occurs once.
    choices : tuple of label or None
        The classes of the task; None if the log does not say.
    metric : VerdictMetric
        The metric of the log that says which answers are right.
    left_out : LeftOut
        Numbers of samples excluded because they have no score or several right answers.
    """

    origin: Origin
    how: str
    samples: tuple[Sample, ...]
    choices: tuple[Label, ...] | None = None
    metric: VerdictMetric = field(default_factory=VerdictMetric)
    left_out: LeftOut = field(default_factory=LeftOut)

    @classmethod
    def from_samples(
        cls, samples: Sequence[Sample], choices: tuple[Label, ...] | None = None, **others: Any
    ) -> Answers:
        """Build answers from samples.

        If samples have choices, references (and maybe predictions) are positions. The classes are
        then the texts of the choices if all samples share them, otherwise the positions.
        """
        if choices is not None or not samples or not samples[0].choices:
            return cls(samples=tuple(samples), choices=choices, **others)
        distinct = {x.choices for x in samples}
        classes = samples[0].choices
        if len(distinct) > 1 or len({*classes}) < len(classes):
            positions = tuple(range(max(map(len, distinct))))
            return cls(samples=tuple(samples), choices=positions, **others)
        names = dict(enumerate(classes))
        named = (
            x._replace(
                reference=names[x.reference],
                prediction=names.get(x.prediction, x.prediction),
                choices=(),
            )
            for x in samples
        )
        return cls(samples=tuple(named), choices=classes, **others)

    @classmethod
    def from_harness(cls, samples: Sequence[Sample], choices: Any = None) -> Answers | None:
        """Build answers during a run of a harness; None if they cannot be scored.

        An error would end a run that may have cost hours, so warn instead.
        """
        answers = cls.from_samples(_group_by_sample(samples), choices, origin=Origin(), how="")
        try:
            return answers.find_classes(LabelOptions())
        except VerdictError as error:
            warn(with_subject("no score", error))
            return None

    def __repr__(self) -> str:
        """Describe the answers: whose they are, how many, and how they were found."""
        size = render.samples(len(self.samples))
        return f"{self.origin.harness}, {self.name}: {size}, the answer is {self.how}"

    @property
    def name(self) -> str:
        """Name that distinguishes these answers from others in the logs."""
        return self.origin.name

    @property
    def ids(self) -> tuple[str, ...]:
        """The harness's id of each sample, with its epoch if several are scored together."""
        return tuple(x.id for x in self.samples)

    @property
    def references(self) -> tuple[Label, ...]:
        """The right answer to each sample."""
        return tuple(x.reference for x in self.samples)

    @property
    def predictions(self) -> tuple[Label | None, ...]:
        """The answer of the model to each sample, None if it is missing."""
        return tuple(x.prediction for x in self.samples)

    @property
    def groups(self) -> list[str] | None:
        """The sample of each answer, if epochs are scored together."""
        groups = [x.group for x in self.samples]
        return groups if any(groups) else None

    @property
    def classes(self) -> tuple[Label, ...]:
        """The choices, or the references that occur, in order."""
        return self.choices or tuple(sorted({*self.references}))

    def unknown(self) -> Counter[Label | None]:
        """Count each out-of-class answer; None means a missing answer."""
        known = {*self.classes}
        return Counter(answer for answer in self.predictions if answer not in known)

    def known_predictions(self) -> list[Label | None]:
        """Replace each out-of-class answer by None."""
        known = {*self.classes}
        return [answer if answer in known else None for answer in self.predictions]

    def _columns(self) -> dict[str, Any]:
        """Collect references, predictions, classes and groups, as `estimate` takes them."""
        columns = {"y_true": [*self.references], "y_pred": self.known_predictions()}
        return {**columns, "labels": self.classes, "unknown": "wrong", "groups": self.groups}

    @property
    def table(self) -> ContingencyTable:
        """The contingency table, counting out-of-class answers as wrong."""
        return ContingencyTable.from_labels(
            references=[*self.references],
            predictions=self.known_predictions(),
            labels=self.classes,
            unknown="wrong",
        )

    def report(
        self, confidence_level: float | None = None, average: Averaged = "default"
    ) -> Report:
        """Report the scores of the answers, with intervals if there is a confidence level.

        If there are several epochs of each sample, the intervals are by sample.
        """
        options = self._columns() | {"confidence_level": confidence_level, "average": average}
        if confidence_level is None:
            options["groups"] = None  # which only intervals use
        return report(**options)

    def estimate(
        self, metric: str, confidence_level: float, average: Averaged = "default"
    ) -> Estimate:
        """Estimate a score, nan if undefined, and its error by sample if there are epochs."""
        options = self._columns() | {"confidence_level": confidence_level, "average": average}
        result: Estimate = estimate(metric=metric, zero_division=math.nan, **options)
        return result

    def standard_error(self, metric: str) -> float:
        """Estimate the error of a score, nan if undefined.

        Suppress warnings: scoring already issued them.
        """
        if self.groups and len({*self.groups}) == 1:
            return math.nan
        with collected():
            return self.estimate(metric, 0.95).standard_error

    def pooled(self, others: Sequence[Answers]) -> Answers:
        """Combine these answers with the answers of other epochs."""
        epochs = (self, *others)
        samples = _group_by_sample([sample for epoch in epochs for sample in epoch.samples])
        left_out = LeftOut(*map(sum, zip(*(epoch.left_out for epoch in epochs), strict=True)))
        origin = replace(self.origin, epoch=None)
        return replace(self, origin=origin, samples=samples, left_out=left_out)

    def compare(self, other: Answers, **options: Any) -> Comparison:
        """Compare with another model's answers in the task, joined by the sample identifiers.

        Parameters
        ----------
        other : Answers
            The answers of model B; `self` has those of model A.
        **options
            As in `informedness.compare`, except `labels`, `unknown` and `groups`. Classes come
            from the logs, out-of-class answers are wrong, and the epochs of a sample are a group.

        Raises
        ------
        ValueError
            If the two are of different tasks or classes, or hold different samples or references.

        Warns
        -----
        InformednessWarning
            If they were asked different prompts, for example by different chat templates.
        """
        task, other_task = ((x.origin.harness, x.origin.task, x.classes) for x in (self, other))
        if task != other_task:
            tasks = f"{show(task)} and {show(other_task)}"
            raise ValueError(f"the runs must be of one task, got {tasks}")
        names = [f"{self.name} (A)", f"{other.name} (B)"]
        a = self._columns_to_join()
        b = align_rows(a, other._columns_to_join(), names, "sample identifiers")
        prompts_a, prompts_b = ({(y.id, y.prompt) for y in x.samples} for x in (self, other))
        if n_differ := len(prompts_a - prompts_b):
            size = render.samples(n_differ)
            text = f"the prompts of {size} differ between {{a}} and {{b}}"
            warn(message(text, a=names[0], b=names[1]))
        options |= {"labels": self.classes, "unknown": "wrong", "groups": a.get("groups")}
        return compare(a["references"], a["predictions"], b["predictions"], **options)

    def _columns_to_join(self) -> dict[str, Column]:
        """Collect the columns that are joined, or must be equal, in a comparison."""
        documents = [x.document for x in self.samples]
        columns: dict[str, Any] = {"references": [*self.references], "groups": self.groups}
        columns |= {"documents": documents if any(documents) else None}
        columns |= {"on": [*self.ids], "predictions": self.known_predictions()}
        return {name: read_labels(x, name, allow_missing=True) for name, x in columns.items() if x}

    def find_classes(self, options: LabelOptions) -> Answers:
        """Find the class of each answer: from the harness's verdicts, or by these options.

        Parameters
        ----------
        options : LabelOptions
            Its `choices` name positions. With `extract`, `ignore_case` or `strip` the class is
            found in the generated text, or in the completion if the log has no answer. The class
            that the harness found is then ignored.

        Raises
        ------
        ValueError
            If answers do not fit the verdicts, are not text when options need it, or a reference is
            not among the choices.
        """
        answers = self if options.choices is None else self._name_positions(options.choices)
        class_names = answers._class_names()
        if finds_in_text(options):
            answers = answers._find_in_text(options)
            class_names = [{options.fold(x): y for x, y in names.items()} for names in class_names]
        pairs = zip(answers.samples, find_classes(answers.samples, class_names), strict=True)
        return replace(answers, samples=tuple(x._replace(prediction=y) for x, y in pairs))

    def _find_in_text(self, options: LabelOptions) -> Answers:
        """Find answers in their text by these options, without verdicts."""
        texts, source = self._choose_texts()
        if options.pattern is None:
            source += ", after ignoring case or whitespace"
        else:
            texts = extract_answers(texts, options.pattern)
            source = f"what {options.pattern.pattern!r} finds in {source}"
        pairs = zip(self.samples, texts, strict=True)
        samples = (x._replace(prediction=y and options.fold(y), verdict=None) for x, y in pairs)
        metric = replace(self.metric, name="", is_wanted=False)
        return replace(self, samples=tuple(samples), how=source, metric=metric)

    def _choose_texts(self) -> tuple[list[str | None], str]:
        """Choose the texts to find classes in, and describe them.

        Completions replace missing answers if all are missing, or if one of them was right.
        """
        texts: list[Any] = [*self.predictions]
        source = self.how
        if not all(isinstance(text, str | None) for text in texts):
            raise ValueError(f"`extract`, `ignore_case` and `strip` need text, not {source}")
        is_none = {*texts} == {None}
        if is_none or any(x.verdict for x in self.samples if x.prediction is None):
            source += ", or the completion where it logged none"
            texts = [x.completion if x.prediction is None else x.prediction for x in self.samples]
        if {*texts} == {None}:
            raise ValueError(f"the log has no text to find a class in: looked at {source}")
        return texts, source

    def _class_names(self) -> list[ClassNames]:
        """Map class names to classes for each sample."""
        names = {label: label for label in self.classes if isinstance(label, str)}
        if not any(x.choices for x in self.samples):
            return [names] * len(self.samples)
        class_names: list[ClassNames] = []
        for sample in self.samples:
            # If two choices share a name, it means the right one, else the first.
            texts, right = sample.choices, sample.reference
            by_text = {text: self.classes[texts.index(text)] for text in texts}
            class_names.append({**names, **by_text, texts[self.classes.index(right)]: right})
        return class_names

    def _name_positions(self, choices: Sequence[str]) -> Answers:
        """Replace positions by choice names in references and answers."""
        samples = [
            x._replace(
                reference=class_name_at(x.reference, choices),
                prediction=class_name_at(x.prediction, choices),
            )
            for x in self.samples
        ]
        if unnamed := [x.reference for x in samples if x.reference not in choices]:
            rule = f"one of `choices` or a position from 0 to {len(choices) - 1}"
            raise ValueError(f"every reference must be {rule}, got {show(unnamed[0])}")
        return replace(self, samples=tuple(samples), choices=tuple(choices))


def finds_in_text(options: LabelOptions) -> bool:
    """Whether options find the class in a text, regardless of the verdicts."""
    return options.pattern is not None or options.ignore_case or options.strip


def _group_by_sample(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """Group answers by sample, if a sample has several."""
    if len({x.id for x in samples}) == len(samples):
        return tuple(samples)
    n_epochs: Counter[Any] = Counter()
    grouped = []
    for x in samples:
        n_epochs[x.id] += 1
        grouped.append(x._replace(id=f"{x.id}, epoch {n_epochs[x.id]}", group=str(x.id)))
    return tuple(grouped)


def score_with_error(answers: Answers | None, metric: str) -> tuple[float, float]:
    """Score answers inside a harness, with the standard error; nan if undefined or None."""
    if answers is None:
        return math.nan, math.nan
    value = float(score_named(metric).value(answers.table, zero_division=math.nan))
    return value, answers.standard_error(metric)


# Parts of a log


def json_object(text: bytes) -> dict[str, Any]:
    """Parse a JSON object, or raise ValueError if the text is something else."""
    with prefix_errors("must be a JSON object"):
        parsed = json.loads(text)
    if not isinstance(parsed, dict):
        raise ValueError(f"must be a JSON object, got {show(parsed)}")
    return parsed


def results_in(file: Path) -> dict[str, Any]:
    """Read the results of a harness; {} if the file is missing."""
    with prefix_errors(render.shown(file)):
        return json_object(file.read_bytes()) if file.is_file() else {}


def part_of(whole: Any, *names: str) -> Any:
    """Find a part of JSON by a path of keys; None if it is missing."""
    for name in names:
        whole = whole.get(name) if isinstance(whole, dict) else None
    return whole


def settings_of(
    asked: Iterable[Mapping[str, Any]], log: Any, paths: str, arguments: Any = None, **others: Any
) -> dict[str, Any]:
    """Collect the run's settings.

    Parameters
    ----------
    asked : iterable of mapping
        The "id" and the "prompt" of all samples in the log, whether or not they count.
    log : dict
        JSON that holds settings.
    paths : str
        Dotted paths into `log`, such as "eval.dataset.name", separated by spaces.
    arguments : dict, optional
        Arguments of the task; none is ignored.
    **others
        More settings.
    """
    pairs = sorted({(x["id"], x["prompt"]) for x in asked})
    digest = sha256(json.dumps(pairs).encode()).hexdigest()
    others |= {x.rpartition(".")[2]: part_of(log, *x.split(".")) for x in paths.split()}
    found = {"samples": len(dict(pairs)), **dict(_flatten(others))}
    arguments = arguments if isinstance(arguments, dict) else {}
    return {"asked": digest, "arguments": arguments, **found}


def _flatten(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield each setting by name, except those that may differ when a run is repeated."""
    for name, value in _drop_ignored(settings).items():
        if name == "model_args" and isinstance(value, str):  # as lm-eval may write them
            value = _drop_ignored(dict(x.partition("=")[::2] for x in value.split(",")))
        yield from _flatten(value) if isinstance(value, dict) else [(name, value)]


def _drop_ignored(value: Any) -> Any:
    """Drop settings that may differ when a run is repeated."""
    if isinstance(value, Mapping):
        items = [(x, _drop_ignored(y)) for x, y in value.items() if not re.search(_IGNORED, x)]
        return {x: y for x, y in items if y not in (None, {}, [], "")}
    if isinstance(value, list):
        return [*map(_drop_ignored, value)]
    return re.sub(_ADDRESS, "", value) if isinstance(value, str) else value
