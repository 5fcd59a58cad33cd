"""Hold the answers of a model in a task of a harness, and look up parts of logs."""

from __future__ import annotations

import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import Any

from ..core.labels import Column, Label, show, warn
from ..errors import prefix_errors
from ..files.joining import align_rows
from ..inference.registry import score_named
from ..messages import message, with_subject
from ..results.comparison import Comparison, compare
from ..results.estimate import AverageOption, Estimate, estimate
from ..results.report import Report, report
from ..tables.contingency import ContingencyTable
from ..tables.label_options import LabelOptions, class_name_at, extract_answers, read_labels
from ..text import render
from ..warnings import collected
from .verdicts import ClassNames, Sample, VerdictError, VerdictMetric, find_classes

# Pattern of the names of settings that may differ between repeated runs, such as dates and seeds.
# "model_version" does not match, because another version is another model.
_VOLATILE = "api_key|(access|api|auth|hf)_token|(eval|job|run|task)_id|batch(es)?|cache|concurrent"
_VOLATILE += "|concurrency|connections|devices?|endpoint|gpus?|gpu_memory_utilization|headers|host"
_VOLATILE += "|parallel_size|parallelize|password|port|retries|seeds?|sha|timeout|url|workers"
_VOLATILE = rf"^(created|id|token|uuid)$|(^|_)({_VOLATILE}|(?<!model_)versions?)(_|$)"
_VOLATILE += "|(^|_)(date|time)$"
_ADDRESS = " at 0x[0-9a-f]+"  # address of an object in memory, which differs between processes


@dataclass(frozen=True)
class Origin:
    """Harness, task, model and settings that answers come from.

    Attributes
    ----------
    harness, task, model : str
        Names of the harness, the task and the model; "" if unknown.
    variant : str
        Which of several sets of answers in the log: a filter of lm-eval, a scorer or named value of
        Inspect (or both), or the kind of answer in lighteval. It is "" for lm-eval's filter "none",
        for a single scorer without named values, and for a single kind.
    epoch : int or None
        Number of the epoch; None if the run has a single epoch, and for pooled epochs.
    created : str
        The date of the run; for lighteval, the name of the log, which contains the date unless the
        log was renamed. "" if unknown.
    settings : dict of str to Any
        The settings of the run, without those that may differ between repeated runs. "arguments"
        holds all arguments of the task. "asked" is a hash of the identifiers and prompts of all
        samples. Runs of a harness, model and task with equal settings repeat each other.
    arguments, run : str
        Texts that distinguish this run from the model's other runs of the task; "" if not needed.
        `arguments` lists arguments of the task, and `run` other settings. If these do not
        distinguish it, `run` also has the date of the log, its name or its path.
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
        """Name that distinguishes these answers from the harness's other answers in the logs."""
        epoch = None if self.epoch is None else f"epoch {self.epoch}"
        return ", ".join(filter(None, (self.model, self.task_name, self.run, self.variant, epoch)))

    @property
    def task_name(self) -> str:
        """The task, followed by the arguments that distinguish this run from other runs, if any."""
        return f"{self.task}({self.arguments})" if self.arguments else self.task


@dataclass(frozen=True, repr=False)
class Answers:
    """Answers of one model in one task: one answer per sample, or per sample and epoch.

    Attributes
    ----------
    origin : Origin
        Harness, task, model and settings that the answers come from.
    how : str
        Description of what was read as the answer, such as "the likeliest choice".
    samples : tuple of Sample
        The samples, with references and predictions. Ids are unique.
    choices : tuple of label or None
        The classes of the task; None if they are unknown.
    metric : VerdictMetric
        The metric of the log that says which answers are right.
    left_out : Counter of str
        Numbers of excluded samples by reason: "several right answers" or "no score".
    """

    origin: Origin
    how: str
    samples: tuple[Sample, ...]
    choices: tuple[Label, ...] | None = None
    metric: VerdictMetric = field(default_factory=VerdictMetric)
    left_out: Counter[str] = field(default_factory=Counter)

    @classmethod
    def from_samples(
        cls, samples: Sequence[Sample], choices: tuple[Label, ...] | None = None, **fields: Any
    ) -> Answers:
        """Build answers from samples.

        If the samples have choices, their references are positions in them, and their predictions
        may be positions. Without `choices`, the classes are then the texts of the choices if these
        differ from each other and are the same for all samples, otherwise the positions. `fields`
        are the other attributes of the answers.
        """
        if choices is None and samples and samples[0].choices:
            lists, choices = {x.choices for x in samples}, samples[0].choices
            if len(lists) > 1 or len({*choices}) < len(choices):
                choices = tuple(range(max(map(len, lists))))
            else:
                names = dict(enumerate(choices))
                samples = _rename(samples, lambda label: names.get(label, label))
                samples = [x._replace(choices=()) for x in samples]
        return cls(samples=tuple(samples), choices=choices, **fields)

    @classmethod
    def from_harness(cls, samples: Sequence[Sample], choices: Any = None) -> Answers | None:
        """Build answers during a run of a harness; warn and return None if they cannot be scored.

        This is the case if `find_classes` raises VerdictError. An error would end a run that may
        have taken hours.
        """
        answers = cls.from_samples(_group_by_sample(samples), choices, origin=Origin(), how="")
        try:
            return answers.find_classes(LabelOptions())
        except VerdictError as error:
            warn(with_subject("no score", error))
            return None

    def __repr__(self) -> str:
        """Describe the answers by their origin, their number and what was read as the answer."""
        return f"{self.origin.harness}, {self.name}: N {len(self.ids)}, the answer is {self.how}"

    @property
    def name(self) -> str:
        """Name that distinguishes these answers from the harness's other answers in the logs."""
        return self.origin.name

    @property
    def ids(self) -> tuple[str, ...]:
        """The harness's id of each sample.

        If samples have several answers, the id is followed by the number of the answer, as in
        "7, epoch 2". Answers that were left out are not counted.
        """
        return tuple(x.id for x in self.samples)

    @property
    def references(self) -> tuple[Label, ...]:
        """The class of the right answer to each sample."""
        return tuple(x.reference for x in self.samples)

    @property
    def predictions(self) -> tuple[Label | None, ...]:
        """The class of each answer of the model, or the answer itself if it is out of class.

        A missing answer is None.
        """
        return tuple(x.prediction for x in self.samples)

    @property
    def groups(self) -> list[str] | None:
        """The id of each answer's sample if samples have several answers, otherwise None."""
        groups = [x.group for x in self.samples]
        return groups if any(groups) else None

    @property
    def classes(self) -> tuple[Label, ...]:
        """The choices, or the sorted distinct references if the choices are unknown."""
        return self.choices or tuple(sorted({*self.references}))

    def unknown(self) -> Counter[Label | None]:
        """Count the out-of-class answers by their text; None is a missing answer."""
        classes = {*self.classes}
        return Counter(answer for answer in self.predictions if answer not in classes)

    def known_predictions(self) -> list[Label | None]:
        """Copy the predictions, with None for each out-of-class answer."""
        classes = {*self.classes}
        return [answer if answer in classes else None for answer in self.predictions]

    @property
    def table(self) -> ContingencyTable:
        """The contingency table, in which out-of-class answers count as wrong."""
        columns: dict[str, Any] = {"references": [*self.references]}
        columns["predictions"] = self.known_predictions()
        return ContingencyTable.from_labels(**columns, labels=self.classes, unknown="wrong")

    def _score(self, function: Callable[..., Any], level: float | None, **options: Any) -> Any:
        """Call `report` or `estimate`; without a level there are no intervals, so omit groups."""
        columns = [*self.references], self.known_predictions()
        options |= {"labels": self.classes, "unknown": "wrong", "confidence_level": level}
        return function(*columns, groups=None if level is None else self.groups, **options)

    def report(
        self, confidence_level: float | None = None, average: AverageOption = "default"
    ) -> Report:
        """Report the scores of the answers, with intervals if there is a confidence level.

        If epochs are pooled, the answers to a sample are a group for the intervals.
        """
        result: Report = self._score(report, confidence_level, average=average)
        return result

    def estimate(
        self, metric: str, confidence_level: float, average: AverageOption = "default"
    ) -> Estimate:
        """Estimate a score, which is nan if undefined.

        If epochs are pooled, the answers to a sample are a group.
        """
        options = {"metric": metric, "average": average, "zero_division": math.nan}
        result: Estimate = self._score(estimate, confidence_level, **options)
        return result

    def standard_error(self, metric: str) -> float:
        """Estimate the standard error of a score; nan if undefined or if there is only one group.

        Suppress warnings, because harnesses show only the number.
        """
        if self.groups and len({*self.groups}) == 1:
            return math.nan
        with collected():
            return self.estimate(metric, 0.95).standard_error

    def pooled(self, other_epochs: Sequence[Answers]) -> Answers:
        """Pool these answers with the answers of other epochs."""
        epochs = (self, *other_epochs)
        samples = _group_by_sample([sample for epoch in epochs for sample in epoch.samples])
        left_out = sum((epoch.left_out for epoch in epochs), Counter[str]())
        origin = replace(self.origin, epoch=None)
        return replace(self, origin=origin, samples=samples, left_out=left_out)

    def compare(self, other: Answers, **options: Any) -> Comparison:
        """Compare with another model's answers in the task, joined by the ids of samples.

        Parameters
        ----------
        other : Answers
            The answers of model B. The answers of model A are `self`.
        **options
            As in `informedness.compare`, except `labels`, `unknown` and `groups`. The classes are
            those of the answers. Out-of-class answers count as wrong. If epochs are pooled, the
            answers to a sample are a group.

        Raises
        ------
        ValueError
            If the answers differ in harness, task, classes, samples, documents or references. Also
            as in `informedness.compare`.

        Warns
        -----
        InformednessWarning
            If the prompts differ, for example because of different chat templates. Also as in
            `informedness.compare`.
        """
        task, other_task = ((x.origin.harness, x.origin.task, x.classes) for x in (self, other))
        if task != other_task:
            rule = "both models must have the same harness, task and classes"
            raise ValueError(f"{rule}, got {show(task)} and {show(other_task)}")
        names = [f"{self.name} (A)", f"{other.name} (B)"]
        a = self._columns_to_join()
        b = align_rows(a, other._columns_to_join(), names, "sample identifiers")
        prompts_a, prompts_b = ({(y.id, y.prompt) for y in x.samples} for x in (self, other))
        if n_different := len(prompts_a - prompts_b):
            text = f"{n_different} of {len(self.samples)} prompts differ between {{a}} and {{b}}"
            warn(message(text, a=names[0], b=names[1]))
        options |= {"labels": self.classes, "unknown": "wrong", "groups": a.get("groups")}
        return compare(a["references"], a["predictions"], b["predictions"], **options)

    def _columns_to_join(self) -> dict[str, Column]:
        """Collect the columns that a comparison joins by sample; omit groups if there are none."""
        columns: dict[str, Any] = {"references": [*self.references], "groups": self.groups}
        columns |= {"documents": [x.document for x in self.samples], "on": [*self.ids]}
        columns["predictions"] = self.known_predictions()
        return {name: read_labels(x, name, allow_missing=True) for name, x in columns.items() if x}

    def find_classes(self, options: LabelOptions) -> Answers:
        """Find the class of each answer, from the harness's verdicts or by options.

        Parameters
        ----------
        options : LabelOptions
            `choices` names the classes of positions. With `extract`, `ignore_case` or `strip`, the
            class is found in the logged answer, and verdicts do not decide the classes. Completions
            then replace missing answers if all answers are missing, or if the harness gave credit
            for a missing answer.

        Raises
        ------
        ValueError
            If the verdicts do not show the classes, as in the function `find_classes`. If options
            need text, but an answer is a position, or the log has neither answers nor completions.
            If a reference is neither one of `choices` nor a position in them.
        """
        answers = self if options.choices is None else self._name_positions(options.choices)
        class_names = answers._class_names()
        if finds_in_text(options):
            answers = answers._find_in_text(options)
            class_names = [{options.fold(x): y for x, y in names.items()} for names in class_names]
        pairs = zip(answers.samples, find_classes(answers.samples, class_names), strict=True)
        return replace(answers, samples=tuple(x._replace(prediction=y) for x, y in pairs))

    def _find_in_text(self, options: LabelOptions) -> Answers:
        """Replace each answer by the part of its text that options select, and drop verdicts."""
        texts, source = self._choose_texts()
        if options.pattern is None:
            source += ", after ignoring case or whitespace"
        else:
            texts = extract_answers(texts, options.pattern)
            source = f"what {options.pattern.pattern!r} finds in {source}"
        pairs = zip(self.samples, texts, strict=True)
        samples = (x._replace(prediction=y and options.fold(y), verdict=None) for x, y in pairs)
        # Shares of nan keep messages from suggesting `verdict`, which these options exclude.
        metric = VerdictMetric(shares=dict.fromkeys(self.metric.shares, math.nan))
        return replace(self, samples=tuple(samples), how=source, metric=metric)

    def _choose_texts(self) -> tuple[list[str | None], str]:
        """Choose the texts to find classes in, and describe them.

        Completions replace missing answers if all answers are missing, or if the harness gave
        credit for a missing answer. Raise ValueError if an answer is not text, or if there are
        neither answers nor completions.
        """
        texts: list[Any] = [*self.predictions]
        source = self.how
        if not all(isinstance(text, str | None) for text in texts):
            raise ValueError(f"`extract`, `ignore_case` and `strip` need text, got {source}")
        if {*texts} == {None} or any(x.verdict for x in self.samples if x.prediction is None):
            source += ", or the completion if no answer was logged"
            texts = [x.completion if x.prediction is None else x.prediction for x in self.samples]
        if {*texts} == {None}:
            raise ValueError("the log must have answers or completions to search, got none")
        return texts, source

    def _class_names(self) -> list[ClassNames]:
        """Map the names of the classes to the classes, for each sample."""
        names = {label: label for label in self.classes if isinstance(label, str)}
        if not any(x.choices for x in self.samples):
            return [names] * len(self.samples)
        class_names: list[ClassNames] = []
        for sample in self.samples:
            # If choices have equal texts, the text means the right one of them, or else the first.
            texts, reference = sample.choices, sample.reference
            by_text = {text: self.classes[texts.index(text)] for text in texts}
            class_names.append(names | by_text | {texts[self.classes.index(reference)]: reference})
        return class_names

    def _name_positions(self, choices: Sequence[str]) -> Answers:
        """Replace positions by names from `choices`, in references and predictions."""
        samples = _rename(self.samples, partial(class_name_at, names=choices))
        if bad := [x.reference for x in samples if x.reference not in choices]:
            rule = f"one of `choices` or a position from 0 to {len(choices) - 1}"
            raise ValueError(f"every reference must be {rule}, got {show(bad[0])}")
        return replace(self, samples=samples, choices=tuple(choices))


def finds_in_text(options: LabelOptions) -> bool:
    """Check whether options find the class in the text of an answer, instead of by verdicts."""
    return options.pattern is not None or options.ignore_case or options.strip


def _rename(samples: Sequence[Sample], name_of: Callable[[Any], Any]) -> tuple[Sample, ...]:
    """Replace the references and predictions of samples by names."""
    return tuple(
        sample._replace(reference=name_of(sample.reference), prediction=name_of(sample.prediction))
        for sample in samples
    )


def _group_by_sample(samples: Sequence[Sample]) -> tuple[Sample, ...]:
    """If samples have several answers, make each sample a group and each identifier unique.

    Answers to a sample are numbered in their order, because a comparison joins them by number. An
    epoch whose answer was left out is not counted: epochs are interchangeable.
    """
    if len({x.id for x in samples}) == len(samples):
        return tuple(samples)
    n_answers: Counter[Any] = Counter()
    grouped = []
    for x in samples:
        n_answers[x.id] += 1
        grouped.append(x._replace(id=f"{x.id}, epoch {n_answers[x.id]}", group=str(x.id)))
    return tuple(grouped)


def score_with_error(answers: Answers | None, metric: str) -> tuple[float, float]:
    """Score answers and estimate the standard error; both are nan if the score is undefined.

    Both are also nan if `answers` is None.
    """
    if answers is None:
        return math.nan, math.nan
    value = float(score_named(metric).value(answers.table, zero_division=math.nan))
    return value, answers.standard_error(metric)


# Parts of a log


def json_object(text: bytes) -> dict[str, Any]:
    """Parse a JSON object; raise ValueError if the text is not a JSON object."""
    with prefix_errors("the text must be a JSON object"):
        value = json.loads(text)
    if not isinstance(value, dict):
        raise ValueError(f"the text must be a JSON object, got {show(value)}")
    return value


def read_results(file: Path) -> dict[str, Any]:
    """Read the results file of a harness; {} if it is missing.

    Raise ValueError if the file does not hold a JSON object.
    """
    with prefix_errors(render.shown(file)):
        return json_object(file.read_bytes()) if file.is_file() else {}


def part_of(value: Any, *names: str) -> Any:
    """Look up a value in nested JSON objects by its keys; None if it is missing."""
    for name in names:
        value = value.get(name) if isinstance(value, dict) else None
    return value


def settings_of(
    samples: Iterable[Mapping[str, Any]], log: Any, paths: str, arguments: Any = None, **more: Any
) -> dict[str, Any]:
    """Collect the settings of a run, to recognise repeated runs.

    Parameters
    ----------
    samples : iterable of mapping
        All samples of the log, with their "id" and "prompt", including excluded samples.
    log : dict
        A JSON object that contains settings, such as the log or its file of results.
    paths : str
        Dotted paths into `log`, such as "eval.dataset.name", separated by spaces.
    arguments : dict, optional
        Arguments of the task. Unlike other settings, all of them are kept.
    **more
        More settings, by name.
    """
    pairs = sorted({(x["id"], x["prompt"]) for x in samples})
    settings = {"asked": sha256(ascii(pairs).encode()).hexdigest(), "arguments": arguments or {}}
    more |= {x.rpartition(".")[2]: part_of(log, *x.split(".")) for x in paths.split()}
    return {**settings, "samples": len(dict(pairs)), **dict(_flatten(more))}


def _flatten(settings: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the name and value of each setting in nested dicts.

    Omit empty settings, and settings that may differ when a run is repeated.
    """
    for name, value in _drop_volatile(settings).items():
        if name == "model_args" and isinstance(value, str):
            # lm-eval may log the arguments as text, such as "pretrained=gpt2,dtype=float32".
            value = _drop_volatile(dict(x.partition("=")[::2] for x in value.split(",")))
        yield from _flatten(value) if isinstance(value, dict) else [(name, value)]


def _drop_volatile(value: Any) -> Any:
    """Drop empty settings, and settings and addresses that may differ when a run is repeated."""
    if isinstance(value, Mapping):
        items = [(x, _drop_volatile(y)) for x, y in value.items() if not re.search(_VOLATILE, x)]
        return {x: y for x, y in items if y not in (None, {}, [], "")}
    if isinstance(value, list):
        return [*map(_drop_volatile, value)]
    return re.sub(_ADDRESS, "", value) if isinstance(value, str) else value
